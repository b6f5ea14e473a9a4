"""Shape rules for classes of ops: words for ``op.shape(word)``. See `tapegrad.core.abstract`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tapegrad.core import Op
from tapegrad.core.abstract import (
    Abstract,
    elementwise_result,
    of_any_rank,
    whole_numbers,
    with_sizes,
)
from tapegrad.core.sizes import UnknownSize, is_unknown
from tapegrad.dtypes import DType
from tapegrad.ops.args import normalize_axes, normalize_axis

__all__ = ["Abstract", "elementwise_result", "of_any_rank", "whole_numbers"]

Rule = Callable[..., Any]


def same_shape(*inputs: Any) -> Any:
    """For ops whose result has the shape and the dtype of the first input."""
    first = inputs[0]
    return first[0] if isinstance(first, list) else Abstract(first.shape, first.dtype)


def like(name: str, dtype: str | DType | None = None) -> Rule:
    """For ops whose result has the shape of an input.

    ``dtype`` is the DType of the result, or names the attribute or the input that has it. By default it is
    that of the input.
    """

    def rule(**arguments: Any) -> Abstract:
        return Abstract(arguments[name].shape, named_dtype(arguments, dtype or name))

    return rule


def shaped(name: str = "shape", dtype: str | DType | None = None) -> Rule:
    """For ops with an attribute that is the shape of the result.

    ``dtype`` is as in `like`. By default it is that of the first input.
    """

    def rule(*inputs: Any, **arguments: Any) -> Any:
        shape = tuple(arguments[name])
        if dtype is None:
            return Abstract(shape, inputs[0].dtype)
        return Abstract(shape, named_dtype(arguments, dtype))

    return rule


def named_dtype(arguments: dict[str, Any], dtype: str | DType) -> DType:
    """A DType, or that of the input or attribute with that name."""
    if isinstance(dtype, DType):
        return dtype
    value = arguments[dtype]
    result: DType = value if isinstance(value, DType) else value.dtype
    return result


def keeps_sizes(op: Op, function: Callable[..., Any]) -> None:
    """Let an elementwise op say what it gives of sizes: what ``function`` gives of whole numbers."""

    def rule(*inputs: Any) -> Abstract:
        return with_sizes(function, inputs, elementwise_result(op, list(inputs), ()))

    op.shape(rule)


def each_like(*names: str) -> Rule:
    """For ops with several results, each like one of the inputs."""

    def rule(**arguments: Any) -> list[Abstract]:
        return [Abstract(arguments[name].shape, arguments[name].dtype) for name in names]

    return rule


def reduced(dtype: DType | str | None = None, of_sizes: Callable[..., Any] | None = None) -> Rule:
    """For reductions over the attribute ``axis``: with ``keepdims`` the axes remain, with size 1.

    ``of_sizes`` gives for a list of whole numbers what the op gives.
    """

    def rule(*inputs: Any, axis: Any, keepdims: bool = False, **arguments: Any) -> Abstract:
        array = inputs[0]
        result = Abstract(
            reduced_shape(array.shape, axis, keepdims),
            array.dtype if dtype is None else named_dtype(arguments, dtype),
        )
        if of_sizes is not None and array.sizes is not None and result.size == 1:
            try:
                number = of_sizes(array.sizes.reshape(-1).tolist())
            except UnknownSize:
                return result  # it decides by a size
            result.value = whole_numbers([number], result.shape, result.dtype)
        return result

    return rule


def reduced_shape(shape: tuple[Any, ...], axis: Any, keepdims: bool) -> tuple[Any, ...]:
    """A shape without the axes, or with 1 for them. None for all axes.

    Raises:
        InvalidArgumentError: there is no such axis, or it is named twice.
    """
    if axis is None:
        axes: Any = range(len(shape))
    else:
        axes = axis if isinstance(axis, tuple | list) else (axis,)
        if any(map(is_unknown, axes)):
            if keepdims:
                return (None,) * len(shape)
            # More axes than there are cannot be meant, so another number of them is: none.
            return (None,) * (len(shape) - (len(axes) if len(axes) <= len(shape) else 0))
        axes = normalize_axes(axes, len(shape))
    if keepdims:
        return tuple([1 if place in axes else size for place, size in enumerate(shape)])
    return tuple([size for place, size in enumerate(shape) if place not in axes])


def along_axis(*inputs: Any, axis: int) -> Abstract:
    """For ops whose result is like the first input, which has the axis ``axis``."""
    normalize_axis(axis, inputs[0].ndim)
    first: Abstract = inputs[0]
    return first


def nothing() -> list[Abstract]:
    """For ops without results."""
    return []
