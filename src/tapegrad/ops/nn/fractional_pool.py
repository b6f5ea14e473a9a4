"""Pooling over windows of uneven sizes, drawn at random, so that an image shrinks by any ratio.

The *seams* are the places where windows meet. For the same seeds they are TensorFlow's, bit for bit.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from tapegrad import dtypes, errors
from tapegrad.core import Tensor, public, refuse_recording
from tapegrad.engines.numpy import random as engine
from tapegrad.errors import refuse
from tapegrad.framework import random_state
from tapegrad.ops.args import static_bool, static_float, static_int, static_shape
from tapegrad.ops.batching import rows
from tapegrad.ops.op import REAL_FLOATING, op
from tapegrad.ops.shape import array
from tapegrad.ops.shape_rules import Abstract, like, shaped

PUBLIC = {
    "nn": "fractional_avg_pool fractional_max_pool",
}


POOLED = frozenset({dtypes.float32, dtypes.float64, dtypes.int32, dtypes.int64})
SEAMS = frozenset({dtypes.int64})

_WORD = (1 << 64) - 1


# Seams


def _random_seams(length: int, count: int, key: int, counter: int) -> list[int]:
    """The seams of ``count`` windows that have two neighbouring sizes, in a random order."""
    size, larger = divmod(length, count)
    order = engine.permutation(key, counter, count)
    return [0, *np.cumsum([size + (place < larger) for place in order]).tolist()]


def _pseudo_random_seams(length: int, count: int, key: int, counter: int) -> list[int]:
    """The seams where an evenly divided line, shifted by a random number, crosses integers."""
    if length % count == 0:
        return list(range(0, length + 1, length // count))
    ratio, size = length / count, length // count
    # The largest shift for which neither the first nor the last window is too large.
    largest = min((size + 2) / ratio - 1, (length + 1 - size) / ratio - (count - 1))
    shift = float(engine.uniform(key, counter, 1, np.dtype(np.float64))[0]) * largest
    inner = [math.ceil(ratio * (place + shift)) - 1 for place in range(1, count)]
    return [0, *inner, length]


_PLAIN_RATIOS = (float,) * 4


def _static_ratios(value: Any) -> tuple[float, ...]:
    if type(value) is tuple and tuple(map(type, value)) == _PLAIN_RATIOS:
        return value
    if isinstance(value, (int, float, str, bytes)):
        raise TypeError(f"Expected list for argument 'pooling_ratio', not {value!r}.")
    ratios = tuple([static_float(ratio) for ratio in value])
    if len(ratios) != 4:
        refuse(f"pooling_ratio must have 4 entries, one for each axis; got {list(ratios)}.")
    return ratios


_ATTRIBUTES = {
    "pooling_ratio": _static_ratios,
    "pseudo_random": static_bool,
    "overlapping": static_bool,
    "deterministic": static_bool,
    "seed": static_int,
    "seed2": static_int,
}


def _draw_seams(
    type_name: str,
    shape: tuple[int, ...],
    ratios: tuple[float, ...],
    pseudo_random: bool,
    deterministic: bool,
    seeds: tuple[int, int],
) -> tuple[Any, Any]:
    """The seams between rows and between columns."""
    if len(shape) != 4:
        refuse(f"value must be 4-dimensional; it has shape {list(shape)}.")
    if any(ratio < 1 for ratio in ratios):
        refuse(f"pooling_ratio cannot be smaller than 1; got {list(ratios)}.")
    for axis, (size, ratio) in enumerate(zip(shape, ratios, strict=True)):
        if not ratio <= size:
            refuse(
                f"Pooling ratio is higher than input dimension size for dimension {axis}: "
                f"{ratio} > {size}."
            )
    if ratios[0] != 1 or ratios[3] != 1:
        refuse(
            "Fractional pooling is not over the batch nor the channels: use ratio 1 there.",
            error=errors.UnimplementedError,
        )
    if deterministic and seeds == (0, 0):
        refuse("Both seed and seed2 are 0 where a deterministic sequence was asked for.")
    if not deterministic and seeds != (0, 0):
        refuse("A seed was given without deterministic=True, which it needs.")
    # A seed gives the same windows in every call: no stream advances.
    first, second = seeds
    key, counter = first & _WORD, (second & _WORD) << 64
    if not deterministic:
        key, counter = random_state.reserve(type_name, "float32", 0, 0, shape[1] + shape[2])
    height, width = int(shape[1] / ratios[1]), int(shape[2] / ratios[2])
    draw = _pseudo_random_seams if pseudo_random else _random_seams
    rows = draw(shape[1], height, key, counter)
    # The draws for the columns start after those for the rows, at the next whole counter.
    counter += 1 if pseudo_random else -(-height // 4)
    return np.array(rows, np.int64), np.array(draw(shape[2], width, key, counter), np.int64)


def _ranges(seams: Any, length: int, overlapping: bool) -> list[slice]:
    """The range of each window along one axis. Overlapping windows share their border."""
    numbers = seams.tolist()
    more = 1 if overlapping else 0
    return [slice(start, min(end + more, length)) for start, end in pairwise(numbers)]


def _check_seams(seams: Any, length: int, count: int) -> None:
    """Raise unless ``seams`` divide an axis of ``length`` into ``count`` windows."""
    good = seams.ndim == 1 and seams.size == count + 1
    good = good and int(seams[0]) == 0 and int(seams[-1]) == length
    if not (good and bool((np.diff(seams) > 0).all())):
        refuse(
            f"A pooling sequence for {count} windows over an axis of size {length} must rise "
            f"from 0 to {length} in {count} steps; got {seams.tolist()}."
        )


def _cells(shape: tuple[int, ...], rows: Any, columns: Any, overlapping: bool) -> Any:
    """For each window, its index in the result, and the part of the image that it covers."""
    across = _ranges(columns, shape[2], overlapping)
    for i, down in enumerate(_ranges(rows, shape[1], overlapping)):
        for j, along in enumerate(across):
            yield i, j, (slice(None), down, along)


# Ops


class FractionalMaxPool(NamedTuple):
    """Maxima, and the seams between their windows."""

    output: Tensor
    row_pooling_sequence: Tensor
    col_pooling_sequence: Tensor


class FractionalAvgPool(NamedTuple):
    """Means, and the seams between their windows."""

    output: Tensor
    row_pooling_sequence: Tensor
    col_pooling_sequence: Tensor


OUTPUTS = FractionalMaxPool._fields


def pooled_shapes(value, pooling_ratio):
    """The shape rule of both: the seams are drawn, how many there are is not."""
    if value.ndim != 4:
        refuse(f"value must be 4-dimensional; it has shape {list(value.shape)}.")
    rows, columns = [
        int(int(size) / ratio)
        for size, ratio in zip(value.shape[1:3], pooling_ratio[1:3], strict=True)
    ]
    seams = [Abstract([count + 1], dtypes.int64) for count in (rows, columns)]
    return [(value.shape[0], rows, columns, value.shape[3]), *seams]


@op(
    "FractionalMaxPool",
    dtypes=POOLED,
    convert=_ATTRIBUTES,
    outputs=OUTPUTS,
    result=FractionalMaxPool,
    effect="draws",
    values="elements",
)
def fractional_max_pool_op(
    xp,
    value,
    *,
    pooling_ratio,
    pseudo_random=False,
    overlapping=False,
    deterministic=False,
    seed=0,
    seed2=0,
):
    """The maximum of each window. See ``tf.nn.fractional_max_pool``."""
    rows, columns = _draw_seams(
        "FractionalMaxPool", value.shape, pooling_ratio, pseudo_random, deterministic, (seed, seed2)
    )
    shape = (value.shape[0], len(rows) - 1, len(columns) - 1, value.shape[3])
    out = np.empty(shape, value.dtype)
    for i, j, where in _cells(value.shape, rows, columns, overlapping):
        # fmax, not max: NaN loses against any number, as in max_pool.
        out[:, i, j] = np.fmax.reduce(value[where], axis=(1, 2))
    return out, rows, columns


fractional_max_pool_op.shape(pooled_shapes)
fractional_max_pool_op.gradient(
    value=lambda dy, value, out, overlapping: fractional_max_pool_grad(
        value, out[0], dy[0], out[1], out[2], overlapping
    )
)


def _winners(value: Any, rows: Any, columns: Any, overlapping: bool) -> Any:
    """The first maximum of each window, as (i, j, batch, row, column, channel) index arrays."""
    batch, channel = np.indices((value.shape[0], value.shape[3]), sparse=True)
    for i, j, where in _cells(value.shape, rows, columns, overlapping):
        part = value[where]
        width = part.shape[2]
        flat = part.reshape((part.shape[0], -1, part.shape[3]))
        flat = np.where(flat != flat, -np.inf, flat) if flat.dtype.kind == "f" else flat
        first = flat.argmax(axis=1)
        yield (
            i,
            j,
            (batch, where[1].start + first // width, where[2].start + first % width, channel),
        )


def _check_cells(
    shape: tuple[int, ...], dy_shape: tuple[int, ...], rows: Any, columns: Any
) -> None:
    if len(shape) != 4 or len(dy_shape) != 4 or (shape[0], shape[3]) != (dy_shape[0], dy_shape[3]):
        refuse(f"A gradient of shape {list(dy_shape)} is none of a pooling of {list(shape)}.")
    _check_seams(rows, shape[1], dy_shape[1])
    _check_seams(columns, shape[2], dy_shape[2])


@op(
    "FractionalMaxPoolGrad",
    dtypes={"T": POOLED, "row_pooling_sequence": SEAMS, "col_pooling_sequence": SEAMS},
    convert={"overlapping": static_bool},
    linear="out_backprop",
    values="errors",
)
def fractional_max_pool_grad(
    xp,
    orig_input,
    orig_output,
    out_backprop,
    row_pooling_sequence,
    col_pooling_sequence,
    *,
    overlapping=False,
):
    """Each window's gradient, at the first of its maxima."""
    rows, columns = row_pooling_sequence, col_pooling_sequence
    _check_cells(orig_input.shape, out_backprop.shape, rows, columns)
    result = np.zeros(orig_input.shape, out_backprop.dtype)
    for i, j, where in _winners(orig_input, rows, columns, overlapping):
        # No element appears twice within a window.
        result[where] += out_backprop[:, i, j]
    return result


fractional_max_pool_grad.shape(like("orig_input", "out_backprop"))


@op(
    "_FractionalMaxPoolTake",
    dtypes={"T": REAL_FLOATING, "row_pooling_sequence": SEAMS, "col_pooling_sequence": SEAMS},
    convert={"overlapping": static_bool},
    linear="values",
    values="errors",
)
def take_maxima(
    xp, orig_input, values, row_pooling_sequence, col_pooling_sequence, *, overlapping=False
):
    """The elements of ``values``, shaped like the input, at the maximum of each window."""
    rows, columns = row_pooling_sequence, col_pooling_sequence
    shape = (orig_input.shape[0], len(rows) - 1, len(columns) - 1, orig_input.shape[3])
    result = np.empty(shape, values.dtype)
    for i, j, where in _winners(orig_input, rows, columns, overlapping):
        result[:, i, j] = values[where]
    return result


take_maxima.shape(
    lambda orig_input, values, row_pooling_sequence, col_pooling_sequence: Abstract(
        (
            orig_input.shape[0],
            row_pooling_sequence.shape[0] - 1,
            col_pooling_sequence.shape[0] - 1,
            orig_input.shape[3],
        ),
        values.dtype,
    )
)


# A small step does not move the maxima, so both ops are linear in what they pass on.
fractional_max_pool_grad.gradient(
    orig_input=lambda dy, orig_input: array.zeros_of(orig_input._shape_tuple(), orig_input),
    orig_output=lambda dy, orig_output: array.zeros_of(orig_output._shape_tuple(), orig_output),
    out_backprop=lambda dy, orig_input, row_pooling_sequence, col_pooling_sequence, overlapping: (
        take_maxima(orig_input, dy, row_pooling_sequence, col_pooling_sequence, overlapping)
    ),
    row_pooling_sequence=lambda dy: None,
    col_pooling_sequence=lambda dy: None,
)
fractional_max_pool_grad.batching(rows(3, 4))
take_maxima.gradient(
    orig_input=lambda dy, orig_input: array.zeros_of(orig_input._shape_tuple(), orig_input),
    values=lambda dy, orig_input, row_pooling_sequence, col_pooling_sequence, overlapping: (
        fractional_max_pool_grad(
            orig_input, dy, dy, row_pooling_sequence, col_pooling_sequence, overlapping
        )
    ),
    row_pooling_sequence=lambda dy: None,
    col_pooling_sequence=lambda dy: None,
)
take_maxima.batching(rows(2, 3))


@op(
    "FractionalAvgPool",
    dtypes=POOLED,
    convert=_ATTRIBUTES,
    outputs=OUTPUTS,
    result=FractionalAvgPool,
    effect="draws",
    values="elements",
)
def fractional_avg_pool_op(
    xp,
    value,
    *,
    pooling_ratio,
    pseudo_random=False,
    overlapping=False,
    deterministic=False,
    seed=0,
    seed2=0,
):
    """The mean of each window. See ``tf.nn.fractional_avg_pool``."""
    rows, columns = _draw_seams(
        "FractionalAvgPool", value.shape, pooling_ratio, pseudo_random, deterministic, (seed, seed2)
    )
    return _means(value, rows, columns, overlapping), rows, columns


fractional_avg_pool_op.shape(pooled_shapes)


def _means(value: Any, rows: Any, columns: Any, overlapping: bool) -> Any:
    shape = (value.shape[0], len(rows) - 1, len(columns) - 1, value.shape[3])
    out = np.empty(shape, value.dtype)
    for i, j, where in _cells(value.shape, rows, columns, overlapping):
        part = value[where]
        total = part.sum(axis=(1, 2), dtype=value.dtype)
        count = part.shape[1] * part.shape[2]
        if value.dtype.kind == "f":
            out[:, i, j] = total / value.dtype.type(count)
        else:
            out[:, i, j] = np.sign(total) * (
                np.abs(total) // count
            )  # integers: towards zero, as in C
    return out


fractional_avg_pool_op.gradient(
    value=lambda dy, value_shape, out, overlapping: fractional_avg_pool_grad(
        dy[0], out[1], out[2], value_shape, overlapping
    )
)


@op(
    "FractionalAvgPoolGrad",
    dtypes={"T": POOLED, "row_pooling_sequence": SEAMS, "col_pooling_sequence": SEAMS},
    convert={"orig_input_tensor_shape": static_shape, "overlapping": static_bool},
    linear="out_backprop",
    values="errors",
)
def fractional_avg_pool_grad(
    xp,
    out_backprop,
    row_pooling_sequence,
    col_pooling_sequence,
    *,
    orig_input_tensor_shape,
    overlapping=False,
):
    """Each window's gradient, spread evenly over it."""
    shape, rows, columns = orig_input_tensor_shape, row_pooling_sequence, col_pooling_sequence
    _check_cells(shape, out_backprop.shape, rows, columns)
    result = np.zeros(shape, out_backprop.dtype)
    for i, j, where in _cells(shape, rows, columns, overlapping):
        part = result[where]
        count = out_backprop.dtype.type(part.shape[1] * part.shape[2])
        part += (out_backprop[:, i, j] / count).astype(result.dtype)[:, None, None]
    return result


fractional_avg_pool_grad.shape(shaped("orig_input_tensor_shape"))


@op(
    "_FractionalMeans",
    dtypes={"T": REAL_FLOATING, "row_pooling_sequence": SEAMS, "col_pooling_sequence": SEAMS},
    convert={"overlapping": static_bool},
    linear="values",
    values="elements",
)
def means_between(xp, values, row_pooling_sequence, col_pooling_sequence, *, overlapping=False):
    """The mean of each window between the given seams."""
    return _means(values, row_pooling_sequence, col_pooling_sequence, overlapping)


means_between.shape(
    lambda values, row_pooling_sequence, col_pooling_sequence: (
        values.shape[0],
        row_pooling_sequence.shape[0] - 1,
        col_pooling_sequence.shape[0] - 1,
        values.shape[3],
    )
)


fractional_avg_pool_grad.gradient(
    out_backprop=lambda dy, row_pooling_sequence, col_pooling_sequence, overlapping: means_between(
        dy, row_pooling_sequence, col_pooling_sequence, overlapping
    ),
    row_pooling_sequence=lambda dy: None,
    col_pooling_sequence=lambda dy: None,
)
fractional_avg_pool_grad.batching(rows(1, 2, sizes=("orig_input_tensor_shape",)))
means_between.gradient(
    values=lambda dy, values_shape, row_pooling_sequence, col_pooling_sequence, overlapping: (
        fractional_avg_pool_grad(
            dy, row_pooling_sequence, col_pooling_sequence, values_shape, overlapping
        )
    ),
    row_pooling_sequence=lambda dy: None,
    col_pooling_sequence=lambda dy: None,
)
means_between.batching(rows(1, 2))


# Public functions


def _seeds(seed: Any) -> tuple[bool, int, int]:
    """The seeds that an op gets for a user's ``seed``. 0 means that there is none."""
    if seed == 0:
        return False, 0, 0
    if seed is None:
        refuse_recording("a seed of fractional pooling, which is drawn anew for each call")
    first, second = random_state.get_seed(seed)
    if first is None or second is None:
        return False, 0, 0
    return True, first, second


@public
def fractional_max_pool(
    value: Any,
    pooling_ratio: Any,
    pseudo_random: bool = False,
    overlapping: bool = False,
    seed: int = 0,
    name: str | None = None,
) -> FractionalMaxPool:
    """Maxima over windows of uneven sizes, so that the image shrinks by ``pooling_ratio``.

    >>> x = tf.reshape(tf.range(25.0), [1, 5, 5, 1])
    >>> pooled = tf.nn.fractional_max_pool(x, 1.6, seed=1)
    >>> pooled.output.shape
    TensorShape([1, 3, 3, 1])
    >>> int(pooled.row_pooling_sequence[-1])                # where the last window ends
    5

    Args:
        value: a tensor of (batch, height, width, channels).
        pooling_ratio: at least 1. One number, or two for rows and columns in a list [1.0, r, c, 1.0].
        pseudo_random: whether to draw one number for all windows of an axis, or the order of the windows.
        overlapping: whether each window also covers the first elements of its right and lower neighbours.
        seed: the same seed gives the same windows in each call. 0 gives different ones.
    """
    if isinstance(pooling_ratio, (int, float)) and not isinstance(pooling_ratio, bool):
        ratios: tuple[float, ...] = (1.0, float(pooling_ratio), float(pooling_ratio), 1.0)
        if pooling_ratio < 1:
            raise ValueError(f"`pooling_ratio` should be >= 1.0. Received: {pooling_ratio}")
    else:
        ratios = tuple(pooling_ratio)
        if tuple(map(type, ratios)) != _PLAIN_RATIOS:
            ratios = tuple([static_float(ratio) for ratio in ratios])
        if len(ratios) != 4 or ratios[0] != 1 or ratios[3] != 1:
            raise ValueError(
                "`pooling_ratio` should be one number, "
                "or four of which the first and the last are 1.0. Received: "
                f"pooling_ratio={pooling_ratio}"
            )
        if min(ratios) < 1:
            raise ValueError(f"`pooling_ratio` should be >= 1.0. Received: {pooling_ratio}")
    return fractional_max_pool_op(value, ratios, pseudo_random, overlapping, *_seeds(seed))


@public
def fractional_avg_pool(
    value: Any,
    pooling_ratio: Any,
    pseudo_random: bool = False,
    overlapping: bool = False,
    seed: int = 0,
    name: str | None = None,
) -> FractionalAvgPool:
    """Means over windows of uneven sizes, so that the image shrinks by ``pooling_ratio``.

    >>> x = tf.ones([1, 5, 5, 1])
    >>> tf.nn.fractional_avg_pool(x, [1.0, 1.6, 1.6, 1.0], seed=1).output.numpy().ravel()
    array([1., 1., 1., 1., 1., 1., 1., 1., 1.], dtype=float32)

    Args:
        value: a tensor of (batch, height, width, channels).
        pooling_ratio: a list of four numbers, the first and the last of which are 1.0.
        pseudo_random: whether to draw one number for all windows of an axis, or the order of the windows.
        overlapping: whether each window also covers the first elements of its right and lower neighbours.
        seed: the same seed gives the same windows in each call. 0 gives different ones.
    """
    return fractional_avg_pool_op(value, pooling_ratio, pseudo_random, overlapping, *_seeds(seed))
