"""``tensor[...]`` in every form that TensorFlow takes, and ``tf.strided_slice``."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapegrad import dtypes
from tapegrad.core import EagerTensor, Tensor, VariableBase, are_ints, convert, public, static_value
from tapegrad.core.batching import has_other_values
from tapegrad.core.sizes import Size
from tapegrad.engines.numpy import slicing
from tapegrad.errors import refuse
from tapegrad.ops.args import (
    BeyondInt64,
    refuse_mixed_integers,
    static_array,
)
from tapegrad.ops.batching import all_spread
from tapegrad.ops.elementwise.conditions import where
from tapegrad.ops.gradients import zeros
from tapegrad.ops.indexing.gather import gather
from tapegrad.ops.indexing.masks import boolean_mask
from tapegrad.ops.op import op
from tapegrad.ops.reduce.reduce import sum_to_shape
from tapegrad.ops.shape.array import reshape
from tapegrad.ops.shape.casts import cast
from tapegrad.ops.shape.sequences import range as number_range
from tapegrad.ops.shape.strided_slices import behind, take_slice, wrong_index
from tapegrad.ops.shape_rules import same_shape

PUBLIC = {
    ". compat.v1": "strided_slice",
}


SCALAR_INDEX_NAMES = ("int16", "int32", "int64")


# tensor[...]

# Bound once: indexing is among the commonest of small ops, and Python binds a method of an imported object
# anew for each call.
_take = take_slice.apply


def getitem(tensor: Any, slice_spec: Any) -> Tensor:
    """``tensor[slice_spec]``, for tensors and variables."""
    index = slicing.plain_index(slice_spec)
    if index is None:
        if type(slice_spec) is not tuple and (mask := boolean_array(slice_spec)) is not None:
            return boolean_mask(tensor, mask)
        if places := places_in(slice_spec):
            return take_places(convert(tensor), slice_spec, places)
        index = basic_index(slice_spec)
    result: Tensor = _take([convert(tensor)], (index,))
    return result


def places_in(slice_spec: Any) -> dict[int, Any]:
    """The parts of an index, by number, that are of tensors which may have other values next time."""
    parts = slice_spec if isinstance(slice_spec, (tuple, list)) else (slice_spec,)
    return {number: part for number, part in enumerate(parts) if is_place(part)}


def is_place(part: Any) -> bool:
    if type(part) is slice:
        return part.step in (None, 1) and is_place(part.start) and is_place(part.stop)
    if not isinstance(part, (Tensor, VariableBase)):
        return False
    place = convert(part)
    if place.dtype.name not in SCALAR_INDEX_NAMES or place._shape_tuple():
        return False
    return has_other_values(place)


def take_places(tensor: Tensor, slice_spec: Any, places: dict[int, Any]) -> Tensor:
    """``tensor[slice_spec]``, where ``places`` are operands: in `tf.function`, and for items of a batch.

    A gather along the first axis has a sparse gradient, and an index has not: one more axis stands in front.
    """
    parts = list(slice_spec) if isinstance(slice_spec, (tuple, list)) else [slice_spec]
    if len(parts) > 1:
        refuse_mixed_indices(parts)
    for number in places:
        parts[number] = slice(None)
    index = (None, *basic_index(parts))
    result: Tensor = _take([tensor], (index,))
    rank = len(result._shape_tuple())
    axes = [part is None or type(part) is slice for part in index]
    for number, part in reversed(places.items()):
        ends_before = any(before is Ellipsis for before in parts[:number])
        axis = rank - sum(axes[number + 1 :]) if ends_before else sum(axes[: number + 1])
        take = take_window if type(part) is slice else take_place
        result = take(result, part, axis)
    return _take([result], ((0, ...),))


def take_place(tensor: Tensor, part: Any, axis: int) -> Tensor:
    place = counted(part)
    from_end = place + tensor._shape_tuple()[axis]
    return gather(tensor, where(place < 0, from_end, place), axis=axis)


def take_window(tensor: Tensor, part: Any, axis: int) -> Tensor:
    """Where the window lies within the axis, Python reads its length alone, and not its place."""
    start, stop = counted(part.start), counted(part.stop)
    if not (start >= 0) & (start <= stop) & (stop <= tensor._shape_tuple()[axis]):
        return _take([tensor], ((*[slice(None)] * axis, resolved_slice(part), ...),))
    length = static_value(stop - start, "integer").item()
    return gather(tensor, start + number_range(length, dtype=start.dtype), axis=axis)


def counted(part: Any) -> Any:
    """An integer in a tensor, in a dtype in which sizes may be added to it."""
    place = convert(part)
    return cast(place, dtypes.int32) if place.dtype is dtypes.int16 else place


def boolean_array(value: Any) -> Any:
    """``value`` if it is a mask: a boolean tensor or array. True and False count as masks, and are refused
    later."""
    if isinstance(value, (Tensor, VariableBase)):
        return value if convert(value).dtype.name == "bool" else None
    if isinstance(value, bool) or (isinstance(value, np.ndarray) and value.dtype == bool):
        return value
    return None


def basic_index(slice_spec: Any) -> tuple[Any, ...]:
    """``slice_spec`` as a tuple that NumPy always takes for a basic index."""
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
                refuse("Only one ellipsis (...) is allowed in an index.")
            parts.append(part)
            open_end = False
        else:
            parts.append(resolved_index(part))
    if open_end:
        parts.append(Ellipsis)
    return tuple(parts)


def refuse_mixed_indices(slice_spec: Any) -> None:
    """Raise for tensors of several dtypes in an index of several parts, and for int16 with other dtypes."""
    index_dtypes: set[Any] = set()
    for part in slice_spec:
        ends = (part.start, part.stop, part.step) if type(part) is slice else (part,)
        types = [convert(end).dtype for end in ends if isinstance(end, (Tensor, VariableBase))]
        if dtypes.int16 in types and any(type(end) is int for end in ends):
            types.append(dtypes.int32)
        index_dtypes.update(types)
    # TensorFlow converts the parts of one slice to int64, but not int16.
    if len(index_dtypes) > 1 and (len(slice_spec) > 1 or dtypes.int16 in index_dtypes):
        refuse(
            "The tensors of an index must have one dtype, as dtypes are never mixed silently; "
            f"{' and '.join(sorted(dtype.name for dtype in index_dtypes))} came. "
            "Use tf.cast on one of them."
        )


def resolved_slice(part: slice) -> slice:
    return slice(
        *[
            None if end is None else resolved_index(end)
            for end in (part.start, part.stop, part.step)
        ]
    )


def resolved_index(value: Any) -> Any:
    """One index as an int or a `Size`, or the error that says what an index may be."""
    if type(value) is int:
        if not -(2**63) <= value < 2**63:
            raise BeyondInt64(f"The index {value} is out of the range of int64.")
        return value
    if isinstance(value, bool):
        refuse(
            f"An index is an integer or a slice; {value} came. "
            "A mask is a tensor or array of booleans: "
            "x[tf.constant(mask)], or tf.boolean_mask(x, mask)."
        )
    if isinstance(value, (Tensor, VariableBase)):
        tensor = convert(value)
        if tensor.dtype.name in SCALAR_INDEX_NAMES and not tensor._shape_tuple():
            return static_value(tensor, "integer").item()
    elif isinstance(value, (np.integer, np.ndarray)):
        if value.dtype.kind in "iu" and value.ndim == 0:
            return int(value)
    elif type(value) is Size:
        return value
    elif not isinstance(value, (bool, np.bool_, list, tuple)) and hasattr(value, "__index__"):
        return value.__index__()
    raise TypeError(
        "Only integers, slices (`:`), ellipsis (`...`), "
        f"tf.newaxis (`None`) and scalar tf.int32/tf.int64 tensors are valid indices, got {value!r}"
    )


def assigned_index(slice_spec: Any) -> tuple[Any, ...]:
    """``slice_spec`` as the basic index of a slice that is assigned to."""
    if boolean_array(slice_spec) is not None:
        raise TypeError(
            "A boolean mask cannot be assigned to: use tf.where() or tensor_scatter_nd_update()."
        )
    return basic_index(slice_spec)


def integers_of(value: Any) -> Any:
    """The array of integers that `static_array` gives, in the dtype that a tensor of them has."""
    if type(value) is EagerTensor:
        dtype = value.dtype
        if dtype is dtypes.int32 or dtype is dtypes.int64:
            return static_value(value, "integers")
    return static_array(value)


def vectors_of_places(begin: Any, end: Any, strides: Any) -> tuple[list[int], ...]:
    """The begins, the ends and the strides, with one for each axis."""
    refuse_mixed_integers(begin, end, strides)
    starts, stops = integers_of(begin), integers_of(end)
    steps = starts * 0 + 1 if strides is None else integers_of(strides)
    if (
        not starts.ndim == stops.ndim == steps.ndim == 1
        or not starts.size == stops.size == steps.size
    ):
        refuse(
            "begin, end and strides must be vectors of one size; "
            f"their shapes are {starts.shape}, {stops.shape} and {steps.shape}."
        )
    return starts.tolist(), stops.tolist(), steps.tolist()


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
    """The basic index for what TensorFlow writes as three vectors and five bit masks."""
    masks = begin_mask | end_mask | ellipsis_mask | new_axis_mask | shrink_axis_mask
    if are_ints(begin) and are_ints(end) and len(begin) == len(end):
        if strides is None:
            if not masks:
                return (*map(slice, begin, end), Ellipsis)
            strides = [1] * len(begin)
        plain = are_ints(strides) and len(strides) == len(begin)
    else:
        plain = False
    if not plain:
        begin, end, strides = vectors_of_places(begin, end, strides)
    if not masks:
        spans = tuple(map(slice, begin, end, strides))
        return (*spans, Ellipsis) if plain else slicing.plain_index(spans) or basic_index(spans)
    parts: list[Any] = []
    for i, (start, stop, step) in enumerate(zip(begin, end, strides, strict=True)):
        bit = 1 << i
        if ellipsis_mask & bit:
            parts.append(Ellipsis)
        elif new_axis_mask & bit:
            parts.append(None)
        elif shrink_axis_mask & bit:
            if step <= 0:
                refuse(f"An index of one element has a positive stride, not {step}.")
            parts.append(start)
        else:
            parts.append(
                slice(None if begin_mask & bit else start, None if end_mask & bit else stop, step)
            )
    return slicing.plain_index(tuple(parts)) or basic_index(parts)


@public
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
    """``input_[begin[0]:end[0]:strides[0], …]``. The masks express what else may stand in an index.

    >>> tf.strided_slice([1, 2, 3, 4, 5], [0], [5], [2]).numpy().tolist()
    [1, 3, 5]

    Args:
        input_: a tensor, or a value that becomes one.
        begin: a vector with the first index for each axis; a shorter one leaves the last axes whole.
        end: a vector of the ends, which are left out.
        strides: a vector of the steps, none of which is 0; None for 1.
        begin_mask: bit i set: the slice of axis i begins at the beginning, whatever ``begin[i]`` is.
        end_mask: bit i set: the slice of axis i goes to the end.
        ellipsis_mask: bit i set: at i stands ``...``, for all axes that are not named. One bit at most.
        new_axis_mask: bit i set: at i stands a new axis of size 1.
        shrink_axis_mask: bit i set: at i stands one index, ``begin[i]``, and the axis goes.
        var: of no effect.
    """
    index = strided_index(
        begin, end, strides, begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask
    )
    return take_slice(input_, index)


# A slice replaced by other values


@op("TensorStridedSliceUpdate", linear="input value")
def update_slice(xp, input, value, *, index):
    """``input`` with ``value`` at ``index``."""
    result = input.copy()
    try:
        result[index] = value
    except (IndexError, OverflowError, ValueError) as error:
        raise wrong_index(index, input.shape, error) from None
    return result


update_slice.shape(same_shape)
update_slice.gradient(
    input=lambda dy, value_shape, index: update_slice(
        dy, zeros(value_shape, dy.dtype), index=index
    ),
    value=lambda dy, value_shape, index: value_gradient(take_slice(dy, index=index), value_shape),
)
update_slice.batching(
    lambda items, input, value, index: items.run(
        *all_spread(items, [input, value]), index=behind(index)
    )
)


def value_gradient(gradient, shape):
    """The gradient of a value that was broadcast to a slice, possibly from more axes, of size 1."""
    return reshape(sum_to_shape(gradient, shape[max(len(shape) - gradient.ndim, 0) :]), shape)
