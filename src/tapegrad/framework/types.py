"""Types for annotations of arguments and results. The stubs in `tapegrad.signatures` use them.

No program needs them to run.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ParamSpec, Protocol, SupportsIndex, TypeAlias, TypeVar

import numpy as np

from tapegrad.core import Operand, Tensor
from tapegrad.dtypes import DType
from tapegrad.framework.indexed_slices import IndexedSlices
from tapegrad.framework.shape import TensorShape


class SupportsArray(Protocol):
    """An object of another library that NumPy can read."""

    def __array__(self) -> np.ndarray[Any, Any]:
        """The values."""


class SupportsTensor(Protocol):
    """An object with a method that makes it a tensor."""

    def __tf_tensor__(self, dtype: Any, name: Any) -> Any:
        """The tensor."""


class SupportsMapValues(Protocol):
    """`IndexedSlices` or a sparse tensor: values and their indices."""

    def map_values(self, function: Callable[[Any], Any]) -> Any:
        """The same indices with the values that ``function`` makes."""


class ActsAsVariable(Protocol):
    """An object of another library with a variable behind it, such as a variable of Keras."""

    @property
    def handle(self) -> Any:
        """The handle, which refers to the variable."""

    _should_act_as_resource_variable: Any


Scalar: TypeAlias = bool | int | float | complex | str | bytes | np.generic

TensorLike: TypeAlias = (
    Operand
    | Scalar
    | np.ndarray[Any, Any]
    | TensorShape
    | IndexedSlices
    | SupportsArray
    | SupportsTensor
    | Sequence[Any]
)
"""A tensor, a variable, or what becomes a tensor: a number, a string, an array, nested lists of them.

The items of a list may be anything to a type checker: Jedi, which completes names in IPython, cannot follow
a type that contains itself. An object that only a function of `tf.register_tensor_conversion_function`
converts is not a TensorLike: give its class a method ``__tf_tensor__`` instead.
"""

ShapeLike: TypeAlias = (
    Operand
    | np.ndarray[Any, Any]
    | TensorShape
    | SupportsIndex
    | Sequence[SupportsIndex | Operand | None]
)
"""A shape, as one tensor or as a sequence of sizes, where None is an unknown size."""

Axis: TypeAlias = SupportsIndex | Operand | np.ndarray[Any, Any] | Sequence[SupportsIndex | Operand]
"""One axis, or several."""

DTypeLike: TypeAlias = DType | str | int | np.dtype[Any] | type
"""A dtype, or what `tf.as_dtype` takes for one: its name or number, NumPy's dtype, Python's type."""

Gradient: TypeAlias = Tensor | Any
"""A tensor; or `IndexedSlices`, the gradient of a gather; or None, where nothing connects target and source.

The last two are part of Any and not members of the union. So a program that knows what it differentiates
can compute with its gradients as tensors, and other programs narrow them with ``is None`` and `isinstance`.
"""

Composite = TypeVar("Composite", bound=SupportsMapValues)
"""For functions that return `IndexedSlices` for `IndexedSlices`, and a sparse tensor for a sparse tensor."""

Result = TypeVar("Result")
"""What a user's function returns."""

Parameters = ParamSpec("Parameters")
"""What a user's function takes."""

Bound = ParamSpec("Bound")
"""What a method takes after ``self``."""

Source: TypeAlias = Operand | ActsAsVariable
"""What a tape differentiates by."""

SourceType = TypeVar("SourceType", bound=Source)
"""One type of source. Without it, a type checker would not take a list of variables for a list of sources."""

Key = TypeVar("Key")
"""The type of the keys in a dict of sources."""
