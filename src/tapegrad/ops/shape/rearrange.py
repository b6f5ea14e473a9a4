"""Ops that move elements: rolling, reversing, and moving blocks of space into batch or depth and back."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tapegrad import dtypes
from tapegrad.core import Tensor, are_ints, public, quick_ints
from tapegrad.core.compositions import composition
from tapegrad.engines.numpy import copies
from tapegrad.errors import refuse
from tapegrad.ops.args import (
    normalize_axes,
    normalize_axis,
    static_array,
    static_int,
    static_ints,
    static_vector,
    untyped,
)
from tapegrad.ops.batching import end_to_end, into_axis, moved_axis, out_of_axis, rows, with_axes
from tapegrad.ops.constants import constant
from tapegrad.ops.op import ANY, op
from tapegrad.ops.shape.array import reshape
from tapegrad.ops.shape.padding import static_paddings
from tapegrad.ops.shape_rules import same_shape

PUBLIC = {
    ".": "batch_to_space reverse_sequence",
    ". compat.v1": "required_space_to_batch_paddings reverse roll space_to_batch_nd",
    ". nn": "space_to_batch",
    "nn": "depth_to_space space_to_depth",
}


LENGTHS = frozenset({dtypes.int32, dtypes.int64})


@quick_ints
def shift_or_axis(value: Any) -> tuple[int, ...]:
    if type(value) is int:
        return static_ints(value)
    array = static_array(value)
    if array.ndim > 1:
        refuse(f"roll() expects a number or a vector, not an array of shape {array.shape}.")
    return tuple(array.reshape(-1).tolist())


@op(
    "Roll",
    moves="input",
    convert={"shift": untyped(shift_or_axis), "axis": untyped(shift_or_axis)},
    raw=("input", "shift", "axis"),
    linear="input",
    lane=copies.roll,
)
def roll(xp, input, *, shift, axis):
    """``input`` moved by ``shift`` along ``axis``. Elements that leave at one end come in at the other.

    >>> tf.roll([1, 2, 3, 4], shift=1, axis=0).numpy().tolist()
    [4, 1, 2, 3]
    """
    if not input.ndim:
        refuse("roll() expects an input of rank 1 or more.")
    if len(shift) != len(axis):
        refuse(f"roll() expects a shift for each axis; shift = {list(shift)}, axis = {list(axis)}.")
    result = input
    for steps, place in zip(shift, axis, strict=True):
        place = normalize_axis(place, input.ndim)
        length = input.shape[place]
        steps = steps % length if length else 0
        if steps:
            before = (slice(None),) * place
            result = xp.concatenate(
                [
                    result[(*before, slice(length - steps, None))],
                    result[(*before, slice(length - steps))],
                ],
                axis=place,
            )
    return result


@roll.shape
def rolled_shape(input, shift, axis):
    if not input.ndim:
        refuse("roll() expects an input of rank 1 or more.")
    if len(shift) != len(axis):
        refuse(f"roll() expects a shift for each axis; shift = {list(shift)}, axis = {list(axis)}.")
    for place in axis:
        normalize_axis(place, input.ndim)
    return input.shape


roll.gradient(input=lambda dy, shift, axis: roll(dy, tuple([-steps for steps in shift]), axis))
roll.batching(with_axes("axis"))


@op(
    "ReverseV2",
    moves="tensor",
    convert={"axis": static_vector},
    raw=("tensor", "axis"),
    linear="tensor",
)
def reverse(xp, tensor, *, axis):
    """``tensor`` with the order of its slices reversed along each axis in ``axis``.

    >>> tf.reverse([[1, 2], [3, 4]], axis=[0]).numpy().tolist()
    [[3, 4], [1, 2]]
    """
    index = [slice(None)] * tensor.ndim
    for place in normalize_axes(axis, tensor.ndim):
        index[place] = slice(None, None, -1)
    # The ellipsis keeps a scalar an array.
    return tensor[(*index, ...)]


@reverse.shape
def reversed_shape(tensor, axis):
    normalize_axes(axis, tensor.ndim)
    return tensor.shape


reverse.gradient(tensor=lambda dy, axis: reverse(dy, axis))
reverse.batching(with_axes("axis"))


def attribute_int(value: Any) -> int:
    """An int where TensorFlow expects a Python number. None is a TypeError there."""
    if value is None:
        raise TypeError("reverse_sequence() expects an int for seq_axis, not None.")
    return static_int(value)


@op(
    "ReverseSequence",
    dtypes={"input": ANY, "seq_lengths": LENGTHS},
    convert={"seq_axis": attribute_int, "batch_axis": static_int},
    raw=("input", "seq_lengths", "seq_dim", "batch_dim"),
    linear="input",
    values="errors",
    moves="input",
)
def reverse_sequence_op(xp, input, seq_lengths, *, seq_axis, batch_axis=0):
    for name, axis in (("seq_axis", seq_axis), ("batch_axis", batch_axis)):
        if not 0 <= axis < input.ndim:
            refuse(
                f"{name} = {axis} must be at least 0 and less than the input's rank, {input.ndim}."
            )
    if seq_axis == batch_axis:
        refuse(f"seq_axis and batch_axis must differ; both are {seq_axis}.")
    items, length = input.shape[batch_axis], input.shape[seq_axis]
    if seq_lengths.shape != (items,):
        refuse(
            f"seq_lengths must be a vector with a length for each of the {items} items along axis "
            f"{batch_axis}, not of shape {list(seq_lengths.shape)}."
        )
    if items and (seq_lengths.min() < 0 or seq_lengths.max() > length):
        refuse(f"seq_lengths must be in [0, {length}]; {seq_lengths.tolist()} came.")
    # places[i, j] is the index of the element of item i that moves to j.
    steps = np.arange(length)
    lengths = seq_lengths.astype(np.int64)[:, None]
    places = np.where(steps < lengths, lengths - 1 - steps, steps)
    shape = [1] * input.ndim
    shape[batch_axis], shape[seq_axis] = items, length
    if batch_axis > seq_axis:
        places = places.T
    return xp.take_along_axis(input, places.reshape(shape), axis=seq_axis)


reverse_sequence_op.shape(same_shape)
reverse_sequence_op.gradient(
    input=lambda dy, seq_lengths, seq_axis, batch_axis: reverse_sequence_op(
        dy, seq_lengths, seq_axis, batch_axis
    )
)


@reverse_sequence_op.batching
def sequences_rule(items, input, seq_lengths, seq_axis, batch_axis):
    if not items.batched[1]:
        return items.run(input, seq_lengths, seq_axis=seq_axis + 1, batch_axis=batch_axis + 1)
    together = into_axis(items.spread(input, 0), batch_axis)
    return out_of_axis(items, items.run(together, end_to_end(seq_lengths)), batch_axis)


@public
def reverse_sequence(
    input: Any,
    seq_lengths: Any,
    seq_axis: Any = None,
    batch_axis: Any = None,
    name: str | None = None,
) -> Tensor:
    """``input`` with the first ``seq_lengths[i]`` elements of each item i along ``seq_axis`` reversed.

    >>> tf.reverse_sequence([[1, 2, 3], [4, 5, 6]], [2, 3], seq_axis=1).numpy().tolist()
    [[2, 1, 3], [6, 5, 4]]

    Args:
        input: a tensor.
        seq_lengths: for each item, how many elements are reversed.
        seq_axis: the axis along which they are reversed.
        batch_axis: the axis that counts the items; None is 0.
    """
    return reverse_sequence_op(
        input, seq_lengths, seq_axis, 0 if batch_axis is None else batch_axis
    )


# Space into batch, and back


def block_sizes(value: Any) -> tuple[int, ...]:
    if are_ints(value) and min(value, default=1) >= 1:
        return tuple(value)
    sizes = static_array(value)
    if sizes.ndim != 1:
        refuse(f"block_shape must be a vector, not of shape {sizes.shape}.")
    if sizes.size and sizes.min() < 1:
        refuse(f"All sizes in block_shape must be at least 1; {sizes.tolist()} came.")
    return tuple(sizes.tolist())


def check_blocks(shape: tuple[int, ...], blocks: tuple[int, ...], pairs: tuple[Any, ...]) -> None:
    if len(pairs) != len(blocks):
        refuse(
            f"A pair of paddings or crops is needed for each of the {len(blocks)} blocks; "
            f"{len(pairs)} came."
        )
    if len(shape) < 1 + len(blocks):
        refuse(
            f"An input of rank {1 + len(blocks)} or more is needed for {len(blocks)} blocks, "
            f"not of shape {list(shape)}."
        )


def size_in_blocks(axis: int, size: int, block: int) -> int:
    if size % block:
        refuse(
            f"Axis {axis}, of size {size} with its padding, "
            f"is not a multiple of the block size {block}."
        )
    return size // block


def items_last(items, input, *attributes):
    """For ops that leave the axes alone that come last: the items are one more of them."""
    return moved_axis(items.run(moved_axis(input, 0, input.ndim - 1)), input.ndim - 1, 0)


@op(
    "SpaceToBatchND",
    convert={"block_shape": block_sizes, "paddings": static_paddings},
    raw=("input", "block_shape", "paddings"),
    linear="input",
)
def space_to_batch_nd(xp, input, *, block_shape, paddings):
    """``input``, padded, with the positions within each block of the later axes moved into the first axis.

    >>> tf.space_to_batch_nd([[[1], [2], [3], [4]]], [2], [[0, 0]]).numpy().tolist()
    [[[1], [3]], [[2], [4]]]
    """
    check_blocks(input.shape, block_shape, paddings)
    if not block_shape:
        return input
    count = len(block_shape)
    batch, rest = input.shape[0], input.shape[1 + count :]
    if any(pair != (0, 0) for pair in paddings):
        padded = xp.full(
            (
                batch,
                *[size + sum(pair) for size, pair in zip(input.shape[1:], paddings, strict=False)],
                *rest,
            ),
            b"" if input.dtype.kind == "O" else 0,
            dtype=input.dtype,
        )
        inner = [
            slice(before, before + size)
            for size, (before, _) in zip(input.shape[1:], paddings, strict=False)
        ]
        padded[(slice(None), *inner)] = input
        input = padded
    parts = []
    for axis, (size, block) in enumerate(zip(input.shape[1:], block_shape, strict=False)):
        parts += [size_in_blocks(axis + 1, size, block), block]
    # (batch, blocks, within, blocks, within, ..., rest) -> (within..., batch, blocks..., rest)
    apart = input.reshape((batch, *parts, *rest))
    order = [
        *range(2, 2 + 2 * count, 2),
        0,
        *range(1, 1 + 2 * count, 2),
        *range(1 + 2 * count, apart.ndim),
    ]
    size = batch * int(np.prod(block_shape))
    return apart.transpose(order).reshape((size, *parts[::2], *rest))


@space_to_batch_nd.shape
def space_to_batch_shape(input, block_shape, paddings):
    check_blocks(input.shape, block_shape, paddings)
    inner = zip(input.shape[1:], block_shape, paddings, strict=False)
    sizes = [
        size_in_blocks(axis + 1, size + sum(pair), block)
        for axis, (size, block, pair) in enumerate(inner)
    ]
    rest = input.shape[1 + len(block_shape) :]
    return (input.shape[0] * math.prod(block_shape), *sizes, *rest)


@op(
    "BatchToSpaceND",
    convert={"block_shape": block_sizes, "crops": static_paddings},
    raw=("input", "block_shape", "crops"),
    linear="input",
    moves="input",
)
def batch_to_space_nd(xp, input, *, block_shape, crops):
    """The inverse of `space_to_batch_nd`: the blocks are rearranged, and the result is cropped.

    >>> tf.batch_to_space([[[1], [3]], [[2], [4]]], [2], [[0, 1]]).numpy().tolist()
    [[[1], [2], [3]]]
    """
    check_blocks(input.shape, block_shape, crops)
    if not block_shape:
        return input
    count = len(block_shape)
    batch, rest = input.shape[0], input.shape[1 + count :]
    product = int(np.prod(block_shape))
    if batch % product:
        refuse(
            f"The first axis, of size {batch}, is not a multiple of the product "
            f"of block sizes {product}."
        )
    apart = input.reshape((*block_shape, batch // product, *input.shape[1:]))
    order = [count]
    for axis in range(count):
        order += [count + 1 + axis, axis]
    order += range(2 * count + 1, apart.ndim)
    sizes = [size * block for size, block in zip(input.shape[1:], block_shape, strict=False)]
    whole = apart.transpose(order).reshape((batch // product, *sizes, *rest))
    index = [slice(None)]
    for axis, (size, (before, after)) in enumerate(zip(sizes, crops, strict=True)):
        if before + after > size:
            refuse(f"crops {[before, after]} leave nothing of axis {axis + 1}, of size {size}.")
        index.append(slice(before, size - after))
    return whole[tuple(index)]


batch_to_space_nd.shape(batch_to_space_nd.kernel)


space_to_batch_nd.gradient(
    input=lambda dy, block_shape, paddings: batch_to_space_nd(dy, block_shape, paddings)
)

space_to_batch_nd.batching(items_last)
batch_to_space_nd.gradient(
    input=lambda dy, block_shape, crops: space_to_batch_nd(dy, block_shape, crops)
)

batch_to_space_nd.batching(items_last)


@composition
def space_to_batch(input: Any, block_shape: Any, paddings: Any, name: str | None = None) -> Tensor:
    """`space_to_batch_nd` under the name that `tf.nn` has for it.

    >>> tf.space_to_batch([[[1], [2], [3], [4]]], [2], [[0, 0]]).shape
    TensorShape([2, 2, 1])

    Args:
        input: a tensor of (batch, spatial axes, other axes).
        block_shape: the sizes of a block: a vector with one for each spatial axis.
        paddings: a row for each spatial axis: how many zeros to put before and behind it, after which the
            block sizes divide the sizes.
    """
    return space_to_batch_nd(input, block_shape, paddings)


@composition
def batch_to_space(input: Any, block_shape: Any, crops: Any, name: str | None = None) -> Tensor:
    """The inverse of `space_to_batch`, then cropped. A single block size is for both axes.

    >>> tf.batch_to_space([[[1], [3]], [[2], [4]]], [2], [[0, 0]]).numpy().tolist()
    [[[1], [2], [3], [4]]]

    Args:
        input: a tensor of (batch, spatial axes, other axes). The batch is a multiple of the product of the
            block sizes.
        block_shape: the sizes of a block: a vector with one for each spatial axis, or one integer for two
            axes.
        crops: a row for each spatial axis: how many elements to take away at its beginning and its end.
    """
    if isinstance(block_shape, int):
        block_shape = (block_shape, block_shape)
    return batch_to_space_nd(input, block_shape, crops)


@public
def required_space_to_batch_paddings(
    input_shape: Any, block_shape: Any, base_paddings: Any = None, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """The paddings that make ``input_shape`` a multiple of ``block_shape``, and the crops that undo them.

    >>> paddings, crops = tf.required_space_to_batch_paddings([5], [2])
    >>> paddings.numpy().tolist(), crops.numpy().tolist()
    ([[0, 1]], [[0, 1]])

    Args:
        input_shape: the sizes of the spatial axes.
        block_shape: the size of a block along each of them.
        base_paddings: a row for each axis: how many zeros there are to be before and behind it at least; None
            for none.
    """
    sizes, blocks = static_array(input_shape), static_array(block_shape)
    base = static_array([(0, 0)] * sizes.size if base_paddings is None else base_paddings)
    base = base.reshape((0, 2)) if base_paddings is None and not sizes.size else base
    if sizes.shape != blocks.shape or base.shape != (sizes.size, 2):
        raise ValueError(
            "required_space_to_batch_paddings() expects a block size and a row of base_paddings "
            f"for each size; their shapes are {sizes.shape}, {blocks.shape} and {base.shape}."
        )
    if blocks.size and blocks.min() < 1:
        refuse("Block sizes must be at least 1.")
    extra = (-(sizes + base.sum(axis=1)) % blocks).reshape(-1).tolist()
    paddings = [
        (before, after + more) for (before, after), more in zip(base.tolist(), extra, strict=True)
    ]
    crops = [(0, more) for more in extra]
    shape = (len(extra), 2)
    return tuple([reshape(constant(rows, dtypes.int32), shape) for rows in (paddings, crops)])


# Space into depth, and back


def image_layout(value: Any) -> str:
    layout = value.decode() if isinstance(value, bytes) else value
    if layout not in ("NHWC", "NCHW"):
        refuse(f"data_format must be 'NHWC' or 'NCHW', not {value!r}.")
    return layout


def block_size_of(value: Any) -> int:
    size = static_int(value)
    if size < 2:
        refuse(f"block_size must be at least 2, not {size}.")
    return size


def check_image(shape: tuple[int, ...]) -> None:
    if len(shape) != 4:
        refuse(f"An input of rank 4 is expected, not of shape {list(shape)}.")


@op(
    "SpaceToDepth",
    convert={"block_size": block_size_of, "data_format": image_layout},
    linear="input",
    moves="input",
)
def space_to_depth(xp, input, *, block_size, data_format="NHWC"):
    """``input`` with the positions within each ``block_size``² block of an image moved into its channels.

    >>> tf.nn.space_to_depth([[[[1], [2]], [[3], [4]]]], 2).numpy().tolist()
    [[[[1, 2, 3, 4]]]]

    Args:
        input: images, [batch, height, width, channels], or as ``data_format`` says.
        block_size: the side of the blocks, an int from 2 on, which divides height and width.
        data_format: "NHWC" or "NCHW": the order of the axes.
    """
    check_image(input.shape)
    if data_format == "NCHW":
        batch, depth, height, width = input.shape
    else:
        batch, height, width, depth = input.shape
    if height % block_size or width % block_size:
        refuse(f"An image of {height} x {width} does not divide into blocks of {block_size}.")
    rows, columns = height // block_size, width // block_size
    if data_format == "NCHW":
        apart = input.reshape((batch, depth, rows, block_size, columns, block_size))
        return apart.transpose(0, 3, 5, 1, 2, 4).reshape(
            (batch, depth * block_size**2, rows, columns)
        )
    apart = input.reshape((batch, rows, block_size, columns, block_size, depth))
    return apart.transpose(0, 1, 3, 2, 4, 5).reshape((batch, rows, columns, depth * block_size**2))


space_to_depth.shape(space_to_depth.kernel)


@op(
    "DepthToSpace",
    convert={"block_size": block_size_of, "data_format": image_layout},
    linear="input",
    moves="input",
)
def depth_to_space(xp, input, *, block_size, data_format="NHWC"):
    """``input`` with its channels spread over ``block_size``² blocks of a larger image.

    >>> tf.nn.depth_to_space([[[[1, 2, 3, 4]]]], 2).numpy().tolist()
    [[[[1], [2]], [[3], [4]]]]

    Args:
        input: images, [batch, height, width, channels], or as ``data_format`` says.
        block_size: the side of the blocks, an int from 2 on, whose square divides the number of channels.
        data_format: "NHWC" or "NCHW": the order of the axes.
    """
    check_image(input.shape)
    if data_format == "NCHW":
        batch, depth, rows, columns = input.shape
    else:
        batch, rows, columns, depth = input.shape
    rest, left = divmod(depth, block_size**2)
    if left:
        refuse(f"A depth of {depth} does not divide into blocks of {block_size} x {block_size}.")
    height, width = rows * block_size, columns * block_size
    if data_format == "NCHW":
        apart = input.reshape((batch, block_size, block_size, rest, rows, columns))
        return apart.transpose(0, 3, 4, 1, 5, 2).reshape((batch, rest, height, width))
    apart = input.reshape((batch, rows, columns, block_size, block_size, rest))
    return apart.transpose(0, 1, 3, 2, 4, 5).reshape((batch, height, width, rest))


depth_to_space.shape(depth_to_space.kernel)


space_to_depth.gradient(
    input=lambda dy, block_size, data_format: depth_to_space(dy, block_size, data_format)
)
space_to_depth.batching(rows())
depth_to_space.gradient(
    input=lambda dy, block_size, data_format: space_to_depth(dy, block_size, data_format)
)
depth_to_space.batching(rows())
