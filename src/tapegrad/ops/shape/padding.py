"""Padding a tensor: with a constant, or with its own elements mirrored at the edges."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapegrad.core import Tensor, convert, public, quick_pairs
from tapegrad.engines.numpy import copies, slicing
from tapegrad.errors import refuse
from tapegrad.ops.args import check_size, convert_beside, static_array
from tapegrad.ops.op import op
from tapegrad.ops.shape.strided_slices import slice_op

PUBLIC = {
    ".": "pad",
}


Paddings = tuple[tuple[int, int], ...]


@quick_pairs
def static_paddings(value: Any) -> Paddings:
    """A pair (before, after) for each axis, none of them negative. Crops are such pairs too."""
    if type(value) is tuple and not value:
        return ()  # this function itself returns () for a scalar, and rules pass it on
    array = static_array(value)
    if array.ndim != 2 or array.shape[1] != 2:
        refuse(
            "paddings must be a matrix with 2 columns, before and after, "
            f"not of shape {array.shape}."
        )
    paddings = tuple([tuple(row) for row in array.tolist()])
    if any(number < 0 for pair in paddings for number in pair):
        refuse(f"paddings must be at least 0; {array.tolist()} came.")
    return paddings


def padded_sizes(shape: tuple[int, ...], paddings: Paddings) -> tuple[int, ...]:
    if len(paddings) != len(shape):
        refuse(
            f"paddings of shape {[len(paddings), 2]} do not suit an input of shape {list(shape)}: "
            "they must have a row for each of its axes."
        )
    return tuple(
        [size + before + after for size, (before, after) in zip(shape, paddings, strict=True)]
    )


def padded_shape(shape: tuple[int, ...], paddings: Paddings) -> tuple[int, ...]:
    return check_size(padded_sizes(shape, paddings))


def inner_index(shape: tuple[int, ...], paddings: Paddings) -> tuple[slice, ...]:
    """The index of the input within the padded result."""
    return tuple(
        [slice(before, before + size) for size, (before, _) in zip(shape, paddings, strict=True)]
    )


def fill_around(xp: Any, input: Any, paddings: Paddings, value: Any) -> Any:
    shape, inner = padded_shape(input.shape, paddings), inner_index(input.shape, paddings)
    if isinstance(value, int) and value == 0:
        return slicing.put(shape, input, inner)
    result = xp.full(shape, value, dtype=input.dtype)
    result[inner] = input
    return result


def inner_part(dy, input_shape, paddings):
    return slice_op(dy, tuple([before for before, _ in paddings]), input_shape)


@op(
    "Pad",
    convert={"paddings": static_paddings},
    raw=("input", "paddings"),
    linear="input",
    lane=copies.pad,
)
def pad_op(xp, input, *, paddings):
    return fill_around(xp, input, paddings, b"" if input.dtype.kind == "O" else 0)


pad_op.shape(lambda input, paddings: padded_sizes(input.shape, paddings))


@op(
    "PadV2",
    convert={"paddings": static_paddings},
    raw=("input", "constant_values", "paddings"),
    linear="input constant_values",
    lane=copies.pad,
)
def pad_with_value(xp, input, constant_values, *, paddings):
    if constant_values.ndim:
        refuse(f"constant_values must be a scalar, not of shape {list(constant_values.shape)}.")
    return fill_around(xp, input, paddings, constant_values[()])


pad_with_value.shape(lambda input, paddings: padded_sizes(input.shape, paddings))


pad_op.gradient(input=inner_part)


def pad_rule(items, input, paddings, *mode):
    return items.run(input, paddings=((0, 0), *paddings))


pad_op.batching(pad_rule)
# As in TensorFlow, no gradient flows to the constant.
pad_with_value.gradient(input=inner_part, constant_values=lambda dy: None)


def pad_with_value_rule(items, input, constant_values, paddings):
    if items.batched[1]:
        return None
    return items.run(input, constant_values, paddings=((0, 0), *paddings))


pad_with_value.batching(pad_with_value_rule)


def mirror_mode(mode: Any) -> str:
    name = mode.decode() if isinstance(mode, bytes) else mode
    if name not in ("REFLECT", "SYMMETRIC"):
        refuse(f"mode must be 'REFLECT' or 'SYMMETRIC', not {mode!r}.")
    return name


def check_mirror(shape: tuple[int, ...], paddings: Paddings, mode: str) -> None:
    """A mirror shows each element once, so it adds at most all of them; REFLECT leaves out the edge."""
    edge = 1 if mode == "REFLECT" else 0
    for axis, (size, pair) in enumerate(zip(shape, paddings, strict=True)):
        if max(pair) > max(size - edge, 0):
            refuse(
                f"{mode} padding of axis {axis}, of size {size}, "
                f"can add at most {max(size - edge, 0)} elements on a side; {list(pair)} came."
            )


@op(
    "MirrorPad",
    convert={"paddings": static_paddings, "mode": mirror_mode},
    raw=("input", "paddings", "mode"),
    linear="input",
    lane=copies.mirror,
    moves="input",
)
def mirror_pad(xp, input, *, paddings, mode):
    padded_shape(input.shape, paddings)
    check_mirror(input.shape, paddings, mode)
    if not input.ndim:
        return input
    return xp.pad(input, paddings, mode=mode.lower())


@mirror_pad.shape
def mirror_padded_shape(input, paddings, mode):
    shape = padded_sizes(input.shape, paddings)
    check_mirror(input.shape, paddings, mode)
    return shape


@op(
    "MirrorPadGrad",
    convert={"paddings": static_paddings, "mode": mirror_mode},
    raw=("input", "paddings", "mode"),
    linear="input",
)
def mirror_pad_gradient(xp, input, *, paddings, mode):
    """Each element of the middle of ``input``, plus its mirror images in the padding."""
    if len(paddings) != input.ndim:
        padded_shape(input.shape, paddings)
    shape = tuple(
        [size - before - after for size, (before, after) in zip(input.shape, paddings, strict=True)]
    )
    check_mirror(shape, paddings, mode)
    edge = 1 if mode == "REFLECT" else 0
    result = input
    for axis, (before, after) in enumerate(paddings):
        if before or after:
            result = fold_axis(result, axis, before, after, edge)
    return result


@mirror_pad_gradient.shape
def mirror_pad_gradient_shape(input, paddings, mode):
    padded_sizes(input.shape, paddings)
    sizes = zip(input.shape, paddings, strict=True)
    shape = tuple([size - before - after for size, (before, after) in sizes])
    check_mirror(shape, paddings, mode)
    return shape


def fold_axis(array: Any, axis: int, before: int, after: int, edge: int) -> Any:
    rows = np.moveaxis(array, axis, 0)
    size = rows.shape[0] - before - after
    result = rows[before : before + size].copy()
    if before:
        result[edge : edge + before] += rows[before - 1 :: -1][:before]
    if after:
        result[size - edge - after : size - edge] += rows[before + size :][::-1]
    return np.moveaxis(result, 0, axis)


mirror_pad.gradient(input=lambda dy, paddings, mode: mirror_pad_gradient(dy, paddings, mode))
mirror_pad.batching(pad_rule)
mirror_pad_gradient.gradient(input=lambda dy, paddings, mode: mirror_pad(dy, paddings, mode))
mirror_pad_gradient.batching(pad_rule)


@public
def pad(
    tensor: Any,
    paddings: Any,
    mode: str = "CONSTANT",
    constant_values: Any = 0,
    name: str | None = None,
) -> Tensor:
    """``tensor`` with ``paddings[i]`` = [before, after] more elements along each axis ``i``.

    With mode CONSTANT the new elements are ``constant_values``. With REFLECT or SYMMETRIC they are what a
    mirror at the edge shows: REFLECT leaves out the edge element itself, SYMMETRIC includes it.

    >>> tf.pad([1, 2, 3], [[1, 2]]).numpy().tolist()
    [0, 1, 2, 3, 0, 0]
    >>> tf.pad([1, 2, 3], [[1, 2]], mode="REFLECT").numpy().tolist()
    [2, 1, 2, 3, 2, 1]

    Args:
        tensor: a tensor.
        paddings: integers of shape (number of axes, 2): how many elements come before and after.
        mode: "CONSTANT", "REFLECT" or "SYMMETRIC", in any case of letters.
        constant_values: the new elements with CONSTANT.
    """
    kind = mode.upper() if isinstance(mode, str) else mode
    if kind in ("REFLECT", "SYMMETRIC"):
        return mirror_pad(tensor, paddings, kind)
    if kind != "CONSTANT":
        raise ValueError(
            f"pad() expects 'CONSTANT', 'REFLECT' or 'SYMMETRIC' for mode, not {mode!r}."
        )
    if isinstance(constant_values, (int, float)) and constant_values == 0:
        return pad_op(tensor, paddings)
    tensor = convert_beside(tensor, constant_values)
    if not isinstance(constant_values, Tensor):
        # TensorFlow converts it to the tensor's dtype, and refuses 5.5 for a tensor of integers.
        constant_values = convert(constant_values, tensor.dtype)
    return pad_with_value(tensor, constant_values, paddings)
