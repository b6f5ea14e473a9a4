"""What the standard asks of a tensor itself, and TensorFlow's tensors lack."""

from __future__ import annotations

import functools
from collections.abc import Callable
from math import prod
from types import ModuleType
from typing import Any

import tapegrad as tf
from tapegrad import array_api
from tapegrad.array_api.data_types import check_device
from tapegrad.core import Tensor

VERSIONS = ("2021.12", "2022.12", "2023.12", "2024.12", "2025.12")


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
    return array_api


def transposed(tensor: Tensor) -> Tensor:
    """The matrix turned over."""
    if tensor.ndim != 2:
        raise AttributeError(
            f"x.T is for two axes, and the tensor has {tensor.ndim}: x.mT, or tf.transpose(x)"
        )
    return tf.transpose(tensor)


def matrices_transposed(tensor: Tensor) -> Tensor:
    """The matrices along the last two axes, each turned over."""
    if tensor.ndim < 2:
        raise AttributeError(f"x.mT is for two axes or more, and the tensor has {tensor.ndim}")
    return tf.linalg.matrix_transpose(tensor)


def to_device(tensor: Tensor, device: Any, /, *, stream: Any = None) -> Tensor:
    """The tensor, which is on the one device already."""
    check_device(device)
    if stream is not None:
        raise ValueError(f"the CPU has no streams; stream={stream!r} came")
    return tf.identity(tensor)


PROPERTIES: dict[str, Callable[[Tensor], Any]] = {
    "T": transposed,
    "mT": matrices_transposed,
    "size": lambda tensor: prod(tensor._shape_tuple()),
}
METHODS: dict[str, Callable[..., Any]] = {"__array_namespace__": namespace, "to_device": to_device}
