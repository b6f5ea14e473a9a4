"""Slices: ``tensor[...]`` in every form TensorFlow takes, ``tf.slice`` and ``tf.strided_slice``.

All of them become one op whose attribute is a NumPy basic index, and whose result is a view. Its gradient
puts ``dy`` into zeros, and takes that slice again when it is itself differentiated.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tapegrad import dtypes, errors
from tapegrad.core import Tensor, VariableBase, convert, static_value
from tapegrad.engines.numpy import slicing
from tapegrad.engines.numpy.slicing import part_of
from tapegrad.ops.args import (
    BeyondInt64,
    check_size,
    refuse_mixed_integers,
    static_array,
    static_ints,
)
from tapegrad.ops.array import reshape
from tapegrad.ops.gradients import zeros
from tapegrad.ops.op import op
from tapegrad.ops.reduce import sum_to_shape
from tapegrad.ops.select import boolean_mask

PUBLIC = {
    ". compat.v1": "slice=slice_ strided_slice",
}


Index = Any
"""What a NumPy basic index may be: an int, a slice, Ellipsis, None, or a tuple of these."""

SCALAR_INDEX_NAMES = ("int16", "int32", "int64")


@op("StridedSlice", lane=slicing.take)
def take_slice(xp, input, *, index):
    try:
        return part_of(input, index)
    except (IndexError, OverflowError, ValueError) as error:
        raise wrong_index(index, input.shape, error) from None


def possible_shape(value: Any) -> tuple[int, ...]:
    """A shape that a tensor can have: the compiled way does not ask."""
    return check_size(static_ints(value))


@op("StridedSliceGrad", lane=slicing.put_back, convert={"shape": possible_shape})
def put_slice(xp, dy, *, shape, index):
    """``dy`` where ``index`` points to in a tensor of the given shape, zeros elsewhere."""
    result = slicing.put(shape, dy, index)
    if result is None:
        expected = np.broadcast_to(np.zeros(()), shape)[index].shape
        raise errors.InvalidArgumentError(
            None,
            None,
            f"A gradient of shape {list(expected)} was expected, not {list(dy.shape)}.",
        )
    return result


@op("TensorStridedSliceUpdate")
def update_slice(xp, input, value, *, index):
    """``input`` with ``value`` in the place that ``index`` points to."""
    result = input.copy()
    try:
        result[index] = value
    except (IndexError, OverflowError, ValueError) as error:
        raise wrong_index(index, input.shape, error) from None
    return result


take_slice.gradient(
    input=lambda dy, input_shape, index: put_slice.apply([dy], (input_shape, index))
)
take_slice.add_part = slicing.add_part
put_slice.gradient(dy=lambda dy, index: take_slice(dy, index=index))
update_slice.gradient(
    input=lambda dy, value_shape, index: update_slice(
        dy, zeros(value_shape, dy.dtype), index=index
    ),
    value=lambda dy, value_shape, index: value_gradient(take_slice(dy, index=index), value_shape),
)


def value_gradient(gradient, shape):
    """What arrived in a slice, for a value that was broadcast to it: also from more axes, of size 1."""
    return reshape(sum_to_shape(gradient, shape[max(len(shape) - gradient.ndim, 0) :]), shape)


def wrong_index(index: Index, shape: tuple[int, ...], error: Exception) -> Exception:
    """The error for an index that NumPy refused, in words about the tensor."""
    parts = index if isinstance(index, tuple) else (index,)
    used = [part for part in parts if part is not None and part is not Ellipsis]
    for part in used:
        if isinstance(part, int) and not -(2**63) <= part < 2**63:
            return BeyondInt64(f"The index {part} is out of the range of int64.")
    for part in used:
        if isinstance(part, slice) and part.step == 0:
            return errors.InvalidArgumentError(None, None, "The step of a slice must not be 0.")
    if parts.count(Ellipsis) > 1 + (parts[-1:] == (Ellipsis,)):
        return errors.InvalidArgumentError(
            None, None, "Only one ellipsis (...) is allowed in an index."
        )
    if len(used) > len(shape):
        if not shape:
            return errors.InvalidArgumentError(
                None, None, "A scalar tensor cannot be sliced: it has no axes."
            )
        return errors.InvalidArgumentError(
            None,
            None,
            f"{len(used)} indices are too many for a tensor of shape {list(shape)}, which has rank "
            f"{len(shape)}. tf.gather picks several places along one axis.",
        )
    return errors.InvalidArgumentError(
        None, None, f"slice index out of bounds for a tensor of shape {list(shape)}: {error}."
    )


# tensor[...]


def getitem(tensor: Any, slice_spec: Any) -> Tensor:
    """``tensor[slice_spec]``, for tensors and variables."""
    index = slicing.plain_index(slice_spec)
    if index is None:
        if type(slice_spec) is not tuple and (mask := boolean_array(slice_spec)) is not None:
            return boolean_mask(tensor, mask)
        index = basic_index(slice_spec)
    return take_slice.apply([convert(tensor)], (index,))


def boolean_array(value: Any) -> Any:
    """``value`` if it is a mask: a boolean tensor or array, or True or False (which is then refused)."""
    if isinstance(value, (Tensor, VariableBase)):
        return value if convert(value).dtype.name == "bool" else None
    if isinstance(value, bool) or (isinstance(value, np.ndarray) and value.dtype == bool):
        return value
    return None


def basic_index(slice_spec: Any) -> tuple[Any, ...]:
    """``slice_spec`` as a tuple that NumPy takes for a basic index, and for nothing else."""
    if not isinstance(slice_spec, (tuple, list)):
        slice_spec = (slice_spec,)
    if len(slice_spec) > 1 or (slice_spec and type(slice_spec[0]) is slice):
        refuse_mixed_indices(slice_spec)
    parts: list[Any] = []
    open_end = True
    for part in slice_spec:
        kind = type(part)
        if part is None:
            parts.append(part)
        elif kind is slice:
            parts.append(resolved_slice(part))
        elif part is Ellipsis:
            if not open_end:
                raise errors.InvalidArgumentError(
                    None, None, "Only one ellipsis (...) is allowed in an index."
                )
            parts.append(part)
            open_end = False
        else:
            parts.append(resolved_index(part))
    if open_end:
        parts.append(Ellipsis)
    return tuple(parts)


def refuse_mixed_indices(slice_spec: Any) -> None:
    """Raise for tensors of several dtypes in an index of several parts, and for int16 beside others."""
    found = set()
    for part in slice_spec:
        ends = (part.start, part.stop, part.step) if isinstance(part, slice) else (part,)
        types = {convert(end).dtype for end in ends if isinstance(end, (Tensor, VariableBase))}
        if dtypes.int16 in types and any(type(end) is int for end in ends):
            types.add(dtypes.int32)
        found |= types
    # Of one slice TensorFlow makes int64, but not of int16.
    if len(found) > 1 and (len(slice_spec) > 1 or dtypes.int16 in found):
        raise errors.InvalidArgumentError(
            None,
            None,
            "The tensors of an index must have one dtype, as dtypes are never mixed silently; "
            f"{' and '.join(sorted(dtype.name for dtype in found))} came. Use tf.cast on one of them.",
        )


def resolved_slice(part: slice) -> slice:
    return slice(
        *[
            None if end is None else resolved_index(end)
            for end in (part.start, part.stop, part.step)
        ]
    )


def resolved_index(value: Any) -> int:
    """One index as an int, or the error that says what an index may be."""
    if type(value) is int:
        if not -(2**63) <= value < 2**63:
            raise BeyondInt64(f"The index {value} is out of the range of int64.")
        return value
    if isinstance(value, bool):
        raise errors.InvalidArgumentError(
            None,
            None,
            f"An index is an integer or a slice; {value} came. A mask is a tensor or array of booleans: "
            "x[tf.constant(mask)], or tf.boolean_mask(x, mask).",
        )
    if isinstance(value, (Tensor, VariableBase)):
        tensor = convert(value)
        if tensor.dtype.name in SCALAR_INDEX_NAMES and not tensor._shape_tuple():
            return int(static_value(tensor, "index"))
    elif isinstance(value, (np.integer, np.ndarray)):
        if value.dtype.kind in "iu" and value.ndim == 0:
            return int(value)
    elif not isinstance(value, (bool, np.bool_, list, tuple)) and hasattr(value, "__index__"):
        return value.__index__()
    raise TypeError(
        "Only integers, slices (`:`), ellipsis (`...`), tf.newaxis (`None`) and scalar tf.int32/tf.int64 "
        f"tensors are valid indices, got {value!r}"
    )


def numpy_index(slice_spec: Any, shape: tuple[int, ...]) -> tuple[Any, ...]:
    """``slice_spec`` as a basic index into an array of ``shape``, with every error raised already."""
    if boolean_array(slice_spec) is not None:
        raise TypeError(
            "A boolean mask cannot be assigned to: use tf.where() or tensor_scatter_nd_update()."
        )
    index = basic_index(slice_spec)
    take_slice(zeros(shape, dtypes.bool), index=index)
    return index


# tf.slice


@op("Slice", raw=("input", "begin", "size"))
def slice_op(xp, input, *, begin, size):
    if len(begin) != input.ndim or len(size) != input.ndim:
        raise errors.InvalidArgumentError(
            None,
            None,
            f"slice() of a tensor of rank {input.ndim} expects vectors of {input.ndim} elements for begin "
            f"and size; they have the shapes {[len(begin)]} and {[len(size)]}.",
        )
    index = []
    for axis, (start, length, total) in enumerate(zip(begin, size, input.shape, strict=True)):
        if not 0 <= start <= total or not -1 <= length <= total - start:
            raise errors.InvalidArgumentError(
                None,
                None,
                f"slice() along axis {axis} of the shape {list(input.shape)} cannot begin at {start} and "
                f"have the size {length}.",
            )
        index.append(slice(start, total if length == -1 else start + length))
    # The ellipsis keeps a scalar an array.
    return input[(*index, ...)]


def slice_gradient(dy, input_shape, begin, size):
    index = [
        slice(start, total if length == -1 else start + length)
        for total, start, length in zip(input_shape, begin, size, strict=True)
    ]
    return put_slice.apply([dy], (input_shape, (*index, ...)))


slice_op.gradient(input=slice_gradient)


def slice_(input_: Any, begin: Any, size: Any, name: str | None = None) -> Tensor:
    """The block of ``input_`` that begins at ``begin`` and has the shape ``size`` (-1: all the rest).

    >>> tf.slice([[1, 2, 3], [4, 5, 6]], [0, 1], [-1, 2]).numpy().tolist()
    [[2, 3], [5, 6]]
    """
    refuse_mixed_integers(begin, size)
    starts, sizes = static_array(begin), static_array(size)
    if starts.ndim != 1 or sizes.ndim != 1:
        raise errors.InvalidArgumentError(
            None,
            None,
            f"slice() expects vectors for begin and size, not arrays of shapes {starts.shape} and "
            f"{sizes.shape}.",
        )
    return slice_op(input_, tuple(starts.tolist()), tuple(sizes.tolist()))


# tf.strided_slice


def strided_index(
    begin: Any,
    end: Any,
    strides: Any,
    begin_mask: int = 0,
    end_mask: int = 0,
    ellipsis_mask: int = 0,
    new_axis_mask: int = 0,
    shrink_axis_mask: int = 0,
) -> tuple[Any, ...]:
    """The basic index that TensorFlow writes as three vectors and five bit masks."""
    refuse_mixed_integers(begin, end, strides)
    starts, stops = static_array(begin), static_array(end)
    steps = starts * 0 + 1 if strides is None else static_array(strides)
    if (
        not starts.ndim == stops.ndim == steps.ndim == 1
        or not starts.size == stops.size == steps.size
    ):
        raise errors.InvalidArgumentError(
            None,
            None,
            "begin, end and strides must be vectors of one size; their shapes are "
            f"{starts.shape}, {stops.shape} and {steps.shape}.",
        )
    parts: list[Any] = []
    for i, (start, stop, step) in enumerate(
        zip(starts.tolist(), stops.tolist(), steps.tolist(), strict=True)
    ):
        bit = 1 << i
        if ellipsis_mask & bit:
            parts.append(Ellipsis)
        elif new_axis_mask & bit:
            parts.append(None)
        elif shrink_axis_mask & bit:
            if step <= 0:
                raise errors.InvalidArgumentError(
                    None, None, f"An index of one element has a positive stride, not {step}."
                )
            parts.append(start)
        else:
            parts.append(
                slice(None if begin_mask & bit else start, None if end_mask & bit else stop, step)
            )
    return basic_index(parts)


def strided_slice(
    input_: Any,
    begin: Any,
    end: Any,
    strides: Any = None,
    begin_mask: int = 0,
    end_mask: int = 0,
    ellipsis_mask: int = 0,
    new_axis_mask: int = 0,
    shrink_axis_mask: int = 0,
    var: Any = None,
    name: str | None = None,
) -> Tensor:
    """``input_[begin[0]:end[0]:strides[0], …]``, with masks for what else may stand in an index.

    >>> tf.strided_slice([1, 2, 3, 4, 5], [0], [5], [2]).numpy().tolist()
    [1, 3, 5]
    """
    index = strided_index(
        begin, end, strides, begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask
    )
    return take_slice(input_, index)


def raw_strided_slice(
    input,
    begin,
    end,
    strides,
    begin_mask=0,
    end_mask=0,
    ellipsis_mask=0,
    new_axis_mask=0,
    shrink_axis_mask=0,
    name=None,
):
    return take_slice(
        input,
        strided_index(
            begin,
            end,
            strides,
            begin_mask,
            end_mask,
            ellipsis_mask,
            new_axis_mask,
            shrink_axis_mask,
        ),
    )


def raw_strided_slice_gradient(
    shape,
    begin,
    end,
    strides,
    dy,
    begin_mask=0,
    end_mask=0,
    ellipsis_mask=0,
    new_axis_mask=0,
    shrink_axis_mask=0,
    name=None,
):
    index = strided_index(
        begin, end, strides, begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask
    )
    return put_slice(dy, shape, index)


def raw_update_slice(
    input,
    begin,
    end,
    strides,
    value,
    begin_mask=0,
    end_mask=0,
    ellipsis_mask=0,
    new_axis_mask=0,
    shrink_axis_mask=0,
    name=None,
):
    index = strided_index(
        begin, end, strides, begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask
    )
    return update_slice(input, value, index)


RAW_FORMS = {
    "StridedSlice": raw_strided_slice,
    "StridedSliceGrad": raw_strided_slice_gradient,
    "TensorStridedSliceUpdate": raw_update_slice,
}
"""What `tf.raw_ops` offers where TensorFlow's arguments are not the op's own."""
