"""Slices as ops: ``tf.slice``, and the one op that every ``tensor[...]`` becomes.

The attribute of that op is a NumPy basic index, and its result is a view. Its gradient puts ``dy`` into
zeros. That op's gradient in turn takes the same slice. `indexing.getitem` says what users may write for an
index.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tapegrad import dtypes, errors
from tapegrad.core import Tensor, are_ints, convert, public
from tapegrad.core.batching import has_other_values
from tapegrad.core.sizes import UnknownSize, is_unknown, unknown_size
from tapegrad.engines.numpy import copies, slicing, views
from tapegrad.engines.numpy.slicing import part_of
from tapegrad.errors import refuse
from tapegrad.ops.args import (
    BeyondInt64,
    check_size,
    refuse_mixed_integers,
    static_array,
    static_ints,
)
from tapegrad.ops.batching import leading_but
from tapegrad.ops.op import op
from tapegrad.ops.shape_rules import Abstract

PUBLIC = {
    ". compat.v1": "slice=slice_",
}


Index = Any
"""A NumPy basic index: an int, a slice, Ellipsis, None, or a tuple of these."""


@op("StridedSlice", moves="input", check_numerics=False, lane=slicing.take, linear="input")
def take_slice(xp, input, *, index):
    try:
        return part_of(input, index)
    except (IndexError, OverflowError, ValueError) as error:
        raise wrong_index(index, input.shape, error) from None


@take_slice.shape
def slice_shape(input, index):
    try:
        return input[index]
    except (IndexError, OverflowError, ValueError) as error:
        if isinstance(error, UnknownSize):
            raise
        raise wrong_index(index, input.shape, error) from None


def possible_shape(value: Any) -> tuple[int, ...]:
    """A shape that a tensor can have. It is checked here because the compiled code does not check it."""
    return check_size(static_ints(value))


@op("StridedSliceGrad", lane=slicing.put_back, convert={"shape": possible_shape}, linear="dy")
def put_slice(xp, dy, *, shape, index):
    """A tensor of the given shape that holds ``dy`` at ``index``, and zeros elsewhere."""
    result = slicing.put(shape, dy, index)
    if result is None:
        expected = np.broadcast_to(np.zeros(()), shape)[index].shape
        refuse(f"A gradient of shape {list(expected)} was expected, not {list(dy.shape)}.")
    return result


@put_slice.shape
def put_slice_shape(dy, shape, index):
    expected = Abstract(shape, dy.dtype)[index].shape
    if len(expected) != dy.ndim or any(
        one != other for one, other in zip(expected, dy.shape, strict=True)
    ):
        refuse(f"A gradient of shape {list(expected)} was expected, not {list(dy.shape)}.")
    return shape


take_slice.gradient(
    input=lambda dy, input_shape, index: put_slice.apply([dy], (input_shape, index))
)
take_slice.batching(lambda items, input, index: items.run(input, index=behind(index)))
take_slice.add_part = slicing.add_part
put_slice.gradient(dy=lambda dy, index: take_slice(dy, index=index))
put_slice.batching(
    lambda items, dy, shape, index: items.run(dy, shape=(items.size, *shape), index=behind(index))
)


def behind(index: Index) -> Index:
    """An index into an item, as an index into all items."""
    return (slice(None), *(index if isinstance(index, tuple) else (index,)))


def wrong_index(index: Index, shape: tuple[int, ...], error: Exception) -> Exception:
    """The error for an index that NumPy refused, described in terms of the tensor."""
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


@op(
    "Slice",
    moves="input",
    check_numerics=False,
    raw=("input", "begin", "size"),
    linear="input",
    lane=views.slice_block,
)
def slice_op(xp, input, *, begin, size):
    return block_of(input, begin, size)


def block_of(input, begin, size):
    """The block of an array, or of an abstract one."""
    if len(begin) != input.ndim or len(size) != input.ndim:
        refuse(
            f"slice() of a tensor of rank {input.ndim} expects vectors of {input.ndim} elements "
            f"for begin and size; they have the shapes {[len(begin)]} and {[len(size)]}."
        )
    index = []
    for axis, (start, length, total) in enumerate(zip(begin, size, input.shape, strict=True)):
        if not 0 <= start <= total or not -1 <= length <= total - start:
            refuse(
                f"slice() along axis {axis} of the shape {list(input.shape)} cannot begin at "
                f"{start} and have the size {length}."
            )
        index.append(slice(start, total if length == -1 else start + length))
    # With the ellipsis the result for a scalar is an array, not a NumPy scalar.
    return input[(*index, ...)]


@slice_op.shape
def sliced(input, begin, size):
    # A place that is not known is one where the part fits, and a size that is not known may be -1.
    hidden = [
        axis
        for axis, (start, length) in enumerate(zip(begin, size, strict=False))
        if is_unknown(start) or is_unknown(length)
    ]
    starts = [0 if axis in hidden else start for axis, start in enumerate(begin)]
    lengths = [-1 if axis in hidden else length for axis, length in enumerate(size)]
    shape = list(block_of(input, starts, lengths).shape)
    for axis in hidden:
        may_be_rest = is_unknown(size[axis]) or size[axis] == -1
        shape[axis] = unknown_size() if may_be_rest else size[axis]
    return tuple(shape)


def slice_gradient(dy, input_shape, begin, size):
    index = [
        slice(start, total if length == -1 else start + length)
        for total, start, length in zip(input_shape, begin, size, strict=True)
    ]
    return put_slice.apply([dy], (input_shape, (*index, ...)))


slice_op.gradient(input=slice_gradient)
slice_op.batching(
    lambda items, input, begin, size: items.run(input, begin=(0, *begin), size=(-1, *size))
)


PLACES = {"begin": {dtypes.int32, dtypes.int64}}


@op("_SliceAt", dtypes=PLACES, moves="input", linear="input", values="errors")
def slice_at(xp, input, begin, *, size):
    """The block of `slice_op`, at a place that is an operand. Axes before those of ``size`` are whole."""
    return last_block(input, begin, size, begin.tolist())


def last_block(input, begin, size, places):
    """The block of an array, or of an abstract one, for its last axes; ``begin`` is a vector of places."""
    whole = input.ndim - len(size)
    if begin.shape != (len(size),) or whole < 0:
        refuse(
            f"slice() of a tensor of shape {list(input.shape)} expects a vector of {len(size)} places for "
            f"a block of the shape {list(size)}, not one of shape {list(begin.shape)}."
        )
    return block_of(input, (*[0] * whole, *places), (*[-1] * whole, *size))


@slice_at.shape
def block_shape(input, begin, size):
    # If the block fits anywhere, it fits at the beginning.
    return last_block(input, begin, size, [0] * len(size)).shape


@op("_PutAt", dtypes=PLACES, convert={"shape": possible_shape}, linear="dy", values="errors")
def put_at(xp, dy, begin, *, shape):
    """A tensor of the given shape that holds ``dy`` from ``begin`` on, and zeros elsewhere."""
    result = copies.zeros(shape, dy.dtype)
    last_block(result, begin, dy.shape[dy.ndim - begin.size :], begin.tolist())[...] = dy
    return result


put_at.shape(lambda dy, shape: shape)


slice_at.gradient(input=lambda dy, input_shape, begin: put_at(dy, begin, input_shape))
slice_at.batching(leading_but(1))
put_at.gradient(dy=lambda dy, begin, dy_shape: slice_at(dy, begin, dy_shape))
put_at.batching(
    lambda items, dy, begin, shape: (
        None if items.batched[1] else items.run(dy, begin, shape=(items.size, *shape))
    )
)


@public
def slice_(input_: Any, begin: Any, size: Any, name: str | None = None) -> Tensor:
    """The block of ``input_`` that begins at ``begin`` and has the shape ``size`` (-1 means all the rest).

    >>> tf.slice([[1, 2, 3], [4, 5, 6]], [0, 1], [-1, 2]).numpy().tolist()
    [[2, 3], [5, 6]]

    Args:
        input_: a tensor.
        begin: the first index along each axis.
        size: the number of elements along each axis; -1 for all that follow.
    """
    if are_ints(begin) and are_ints(size):
        return slice_op(input_, tuple(begin), tuple(size))
    refuse_mixed_integers(begin, size)
    if are_ints(size) and min(size, default=0) >= 0 and has_other_values(place := convert(begin)):
        tensor = convert(input_)
        if place._shape_tuple() == (len(size),) == (tensor.ndim,):
            return slice_at(tensor, place, tuple(size))
    starts, sizes = static_array(begin), static_array(size)
    if starts.ndim != 1 or sizes.ndim != 1:
        refuse(
            "slice() expects vectors for begin and size, "
            f"not arrays of shapes {starts.shape} and {sizes.shape}."
        )
    return slice_op(input_, tuple(starts.tolist()), tuple(sizes.tolist()))
