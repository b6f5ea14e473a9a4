"""The arguments of a call, described: a spec for each tensor, and a key for all of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapegrad.core import Tensor, VariableBase, convert
from tapegrad.framework.spec import TensorSpec, TypeSpec


def canonical(value: Any, name: str) -> Any:
    """An argument with a spec for each tensor or array in it. Specs are named after the argument."""
    if type(value) in (list, tuple):
        parts = [canonical(part, f"{name}_{i}") for i, part in enumerate(value)]
        return parts if type(value) is list else tuple(parts)
    if isinstance(value, tuple):
        kind: Any = type(value)
        return kind(
            *[
                canonical(part, f"{name}_{field}")
                for field, part in zip(kind._fields, value, strict=True)
            ]
        )
    if isinstance(value, dict):
        return {key: canonical(part, f"{name}_{key}") for key, part in value.items()}
    if isinstance(value, TensorSpec):
        return TensorSpec(value.shape, value.dtype, value.name or name)
    if isinstance(value, VariableBase):
        return value
    if isinstance(value, (np.ndarray, np.generic)):
        value = convert(value)
    if isinstance(value, Tensor):
        return TensorSpec(value.shape, value.dtype, name)
    return getattr(value, "_type_spec", value)


def key_of(value: Any) -> Any:
    """A hashable key that is equal for equal canonical arguments."""
    if isinstance(value, TensorSpec):
        return (value.dtype.name, value.shape.rank, tuple(value.shape) if value.shape.rank else ())
    if isinstance(value, dict):
        return tuple([(key, key_of(part)) for key, part in value.items()])
    if isinstance(value, (list, tuple)):
        return (type(value), tuple([key_of(part) for part in value]))
    if isinstance(value, (int, float, str, bytes, type(None), TypeSpec)):
        return (type(value), repr(value))
    return id(value)
