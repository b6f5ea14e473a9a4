"""Attributes of tensors by the array API standard, which TensorFlow's tensors lack."""

from __future__ import annotations

import functools
from collections.abc import Callable
from importlib import import_module
from math import prod
from types import ModuleType
from typing import Any

from tapegrad.core import Tensor
from tapegrad.framework.config import CPU_NAME
from tapegrad.ops.linalg.products import matrix_transpose
from tapegrad.ops.shape.array import identity, transpose

VERSIONS = ("2021.12", "2022.12", "2023.12", "2024.12", "2025.12")
# Names of the one device.
DEVICES = (CPU_NAME, "cpu", "CPU", "cpu:0", "CPU:0", "/cpu:0", "/CPU:0", "/device:CPU:0")


def attribute(tensor: Tensor, name: str) -> Any:
    """An attribute of a tensor, by its name.

    Raises:
        AttributeError: the tensor has too few axes for it, or too many.
    """
    if name in METHODS:
        return functools.partial(METHODS[name], tensor)
    return PROPERTIES[name](tensor)


def namespace(tensor: Tensor, /, *, api_version: str | None = None) -> ModuleType:
    """The namespace, which has all that these versions of the standard ask for."""
    if api_version is not None and api_version not in VERSIONS:
        raise ValueError(
            f"api_version={api_version!r} came; the versions here are {', '.join(VERSIONS)}"
        )
    return import_module("tapegrad.array_api")


def transposed(tensor: Tensor) -> Tensor:
    """The transpose of a matrix."""
    if tensor.ndim != 2:
        raise AttributeError(
            f"x.T is for two axes, and the tensor has {tensor.ndim}: x.mT, or tf.transpose(x)"
        )
    return transpose(tensor)


def matrices_transposed(tensor: Tensor) -> Tensor:
    """The transposes of the matrices along the last two axes."""
    if tensor.ndim < 2:
        raise AttributeError(f"x.mT is for two axes or more, and the tensor has {tensor.ndim}")
    return matrix_transpose(tensor)


def check_device(device: Any) -> None:
    """Raise unless ``device`` is the CPU, or None."""
    if device is not None and device not in DEVICES:
        raise ValueError(f"tensors are on the device {CPU_NAME!r}; device={device!r} came")


def to_device(tensor: Tensor, device: Any, /, *, stream: Any = None) -> Tensor:
    """The tensor, which is on the one device already."""
    check_device(device)
    if stream is not None:
        raise ValueError(f"the CPU has no streams; stream={stream!r} came")
    return identity(tensor)


PROPERTIES: dict[str, Callable[[Tensor], Any]] = {
    "T": transposed,
    "mT": matrices_transposed,
    "size": lambda tensor: prod(tensor._shape_tuple()),
}
METHODS: dict[str, Callable[..., Any]] = {"__array_namespace__": namespace, "to_device": to_device}
# No class has these attributes: they are looked up on access, so that
# `experimental_enable_numpy_behavior` can give NumPy's under the same names.
STANDARD = METHODS.keys() | PROPERTIES.keys()
