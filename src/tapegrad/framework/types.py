"""What arguments may be, for annotations: the stubs in `tapegrad.signatures` are written in these words.

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
    """An object of somebody else's that NumPy can read."""

    def __array__(self) -> np.ndarray[Any, Any]:
        """The values."""


class SupportsTensor(Protocol):
    """An object that makes a tensor of itself."""

    def __tf_tensor__(self, dtype: Any, name: Any) -> Any:
        """The tensor."""


class SupportsMapValues(Protocol):
    """Slices, or a sparse tensor: values with their places."""

    def map_values(self, function: Callable[[Any], Any]) -> Any:
        """The same places with other values in them."""


class ActsAsVariable(Protocol):
    """An object of another library with a variable behind it, such as a variable of Keras."""

    @property
    def handle(self) -> Any:
        """What stands for the variable."""

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

What stands in a list is not looked at: Jedi, which completes names in IPython, cannot follow a type into
itself. An object that only a function of `tf.register_tensor_conversion_function` converts is not among them:
give its class a method ``__tf_tensor__`` instead.
"""

ShapeLike: TypeAlias = (
    Operand
    | np.ndarray[Any, Any]
    | TensorShape
    | SupportsIndex
    | Sequence[SupportsIndex | Operand | None]
)
"""A shape, as one tensor or by its parts, which None leaves open."""

Axis: TypeAlias = SupportsIndex | Operand | np.ndarray[Any, Any] | Sequence[SupportsIndex | Operand]
"""One axis, or several."""

DTypeLike: TypeAlias = DType | str | int | np.dtype[Any] | type
"""A dtype, or what `tf.as_dtype` takes: its name or number, NumPy's dtype, Python's type."""

Gradient: TypeAlias = Tensor | Any
"""A tensor; `IndexedSlices` where a gather was differentiated, None where nothing was.

The last two are no members of the union, but part of its Any: a program that knows what it differentiates
computes with its gradients as tensors, and ``is None`` and `isinstance` narrow them where it does not.
"""

Composite = TypeVar("Composite", bound=SupportsMapValues)
"""Of functions that give back slices for slices, and sparse tensors for sparse tensors."""

Result = TypeVar("Result")
"""What a function of the user's returns."""

Parameters = ParamSpec("Parameters")
"""What it takes."""

Bound = ParamSpec("Bound")
"""What a method takes after its object."""

Source: TypeAlias = Operand | ActsAsVariable
"""What a tape differentiates by."""

SourceType = TypeVar("SourceType", bound=Source)
"""One kind of sources: a list of variables is no list of sources to a type checker."""

Key = TypeVar("Key")
"""Of a dict of sources."""
