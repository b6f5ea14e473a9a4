"""Greyscale dilation and erosion, and ops run between ``space_to_batch`` and ``batch_to_space``.

The engine has loops over windows. For halves, whose sums are rounded, the loops here go over the offsets in a
window, and handle all windows at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from tapegrad import dtypes
from tapegrad.core import Tensor, convert, public
from tapegrad.core.compositions import composition
from tapegrad.errors import refuse
from tapegrad.ops.args import static_ints
from tapegrad.ops.batching import channelwise
from tapegrad.ops.nn.windows import (
    Windows,
    check_outer_strides,
    crop,
    pad,
    padded_shape,
    window_counts,
    windows,
)
from tapegrad.ops.op import HALVES, REAL, REAL_FLOATING, op
from tapegrad.ops.shape import array, rearrange
from tapegrad.ops.shape_rules import Abstract, like

PUBLIC = {
    "nn": "dilation2d erosion2d",
    "nn compat.v1.nn": "with_space_to_batch",
}


ATTRIBUTES = {"strides": static_ints, "rates": static_ints}


# The maxima of windows


def _places(
    input: Any, filters: Any, strides: Any, rates: Any, padding: str, out_shape: Any = None
) -> Windows:
    """The windows of a dilation. The arguments of the dilation are checked here."""
    _check_dilation(input, filters, strides, rates, padding)
    places = windows(input.shape[1:3], filters.shape[:2], strides, padding, (), "NHWC", rates)
    if out_shape is not None:
        expected = (input.shape[0], *places.output, input.shape[3])
        if tuple(out_shape) != expected:
            refuse(
                f"out_backprop has shape {list(out_shape)}, the dilation's result {list(expected)}."
            )
    return places


def _dilated(input, filters, strides, rates, padding):
    """The shape rule of a dilation, and of what picks elements as it does."""
    _check_dilation(input, filters, strides, rates, padding)
    inner, kernel = input.shape[1:3], filters.shape[:2]
    places = window_counts(inner, kernel, strides, padding, (), "NHWC", rates)
    return Abstract((input.shape[0], *places, input.shape[3]), input.dtype)


def _check_dilation(input: Any, filters: Any, strides: Any, rates: Any, padding: str) -> None:
    if input.ndim != 4:
        refuse(f"input must be 4-dimensional; it has shape {list(input.shape)}.")
    if filters.ndim != 3:
        refuse(f"filters must be 3-dimensional; they have shape {list(filters.shape)}.")
    if input.shape[3] != filters.shape[2]:
        refuse(
            "input and filters must have the same depth: "
            f"{input.shape[3]} channels vs {filters.shape[2]}."
        )
    if padding not in ("SAME", "VALID"):
        refuse(f"padding must be 'SAME' or 'VALID', not {padding!r}.")
    for name, numbers in (("strides", strides), ("dilations", rates)):
        if len(numbers) != 4:
            refuse(f"{name} must have 4 entries, got {list(numbers)}.")
        check_outer_strides(numbers, "NHWC", "a dilation")


def _candidates(input: Any, filters: Any, places: Windows) -> Iterator[tuple[Any, Any, Any]]:
    """For each offset in a window: the offset, what lies inside the input, and the sums to compare."""
    padded = pad(np, input, places)
    inside = pad(np, np.ones((1, *places.input, 1), bool), places, False)
    for offset in places.offsets():
        where = (slice(None), *places.slices(offset))
        yield offset, inside[where], padded[where] + filters[offset]


def _lowest(dtype: np.dtype[Any]) -> Any:
    if dtype.kind in "iu":
        return np.iinfo(dtype).min
    import ml_dtypes

    return ml_dtypes.finfo(dtype).min


def _is_half(values: Any) -> bool:
    return dtypes.from_numpy(values.dtype) in HALVES


def _winners(xp: Any, input: Any, filters: Any, places: Windows) -> Any:
    """The number of the first offset that has the largest sum in each window."""
    if _is_half(input):
        return _maxima(input, filters, places)[1]
    return xp.dilation_taps(input, filters, places.steps)


def _maxima(input: Any, filters: Any, places: Windows) -> tuple[Any, Any]:
    """The largest sum in each window, and the first offset that has it. NaN loses against any number."""
    shape = (input.shape[0], *places.output, input.shape[3])
    largest = np.full(shape, _lowest(input.dtype), input.dtype)
    winner = np.full(shape, -1)
    for number, (_, inside, sums) in enumerate(_candidates(input, filters, places)):
        winner[(winner < 0) & inside] = number
        better = inside & (sums > largest)
        np.copyto(largest, sums, where=better)
        winner[better] = number
    return largest, winner


# Ops


@op(
    "Dilation2D",
    dtypes=REAL,
    convert=ATTRIBUTES,
    raw=("input", "filter", "strides", "rates", "padding"),
    values="elements",
)
def dilation2d_op(xp, input, filters, *, strides, rates, padding):
    """The maximum over windows of ``input`` plus ``filters``. See ``tf.nn.dilation2d``."""
    places = _places(input, filters, strides, rates, padding)
    if _is_half(input):
        return _maxima(input, filters, places)[0]
    return xp.dilation(input, filters, places.steps)


dilation2d_op.shape(_dilated)
dilation2d_op.gradient(
    input=lambda dy, input, filters, strides, rates, padding: dilation2d_by_input(
        input, filters, dy, strides, rates, padding
    ),
    filters=lambda dy, input, filters, strides, rates, padding: dilation2d_by_filters(
        input, filters, dy, strides, rates, padding
    ),
)
dilation2d_op.batching(channelwise)

RAW_GRADIENT = ("input", "filter", "out_backprop", "strides", "rates", "padding")


@op(
    "Dilation2DBackpropInput",
    dtypes=REAL,
    convert=ATTRIBUTES,
    raw=RAW_GRADIENT,
    linear="out_backprop",
    values="elements",
)
def dilation2d_by_input(xp, input, filters, out_backprop, *, strides, rates, padding):
    """The gradient of a dilation's input: each window's gradient goes to its maximum."""
    places = _places(input, filters, strides, rates, padding, out_backprop.shape)
    if not _is_half(input):
        return xp.dilation_gradient(input, filters, out_backprop, places.steps)
    winner = _winners(xp, input, filters, places)
    dy = out_backprop.astype(np.float32)
    padded = np.zeros(padded_shape(input.shape[0], places, input.shape[3]), dy.dtype)
    for number, offset in enumerate(places.offsets()):
        padded[(slice(None), *places.slices(offset))] += np.where(winner == number, dy, 0)
    return crop(padded, places).astype(out_backprop.dtype, copy=False)


dilation2d_by_input.shape(like("input"))
dilation2d_by_input.batching(channelwise)


@op(
    "Dilation2DBackpropFilter",
    dtypes=REAL,
    convert=ATTRIBUTES,
    raw=RAW_GRADIENT,
    linear="out_backprop",
    values="elements",
)
def dilation2d_by_filters(xp, input, filters, out_backprop, *, strides, rates, padding):
    """The gradient of a dilation's filters: each offset gets its share of the windows' gradients."""
    places = _places(input, filters, strides, rates, padding, out_backprop.shape)
    winner = _winners(xp, input, filters, places)
    dy = out_backprop.astype(np.float32) if _is_half(input) else out_backprop
    if dy.dtype.kind == "f":
        channels = filters.shape[2]
        where = np.maximum(winner, 0) * channels + np.arange(channels)
        inside = np.where(winner < 0, 0, dy)
        sums = np.bincount(where.ravel(), inside.ravel(), filters.size)
        return sums.reshape(filters.shape).astype(out_backprop.dtype)
    result = np.zeros(filters.shape, dy.dtype)
    for number, offset in enumerate(places.offsets()):
        result[offset] = np.where(winner == number, dy, 0).sum(axis=(0, 1, 2))
    return result.astype(out_backprop.dtype, copy=False)


dilation2d_by_filters.shape(like("filters"))


@op(
    "_Dilation2DTakeInput",
    dtypes=REAL_FLOATING,
    convert=ATTRIBUTES,
    linear="values",
    values="elements",
)
def take_input(xp, input, filters, values, *, strides, rates, padding):
    """The elements of ``values``, shaped like the input, at the maxima of a dilation."""
    places = _places(input, filters, strides, rates, padding)
    winner, padded = _winners(xp, input, filters, places), pad(np, values, places)
    result = np.zeros(winner.shape, values.dtype)
    for number, offset in enumerate(places.offsets()):
        part = padded[(slice(None), *places.slices(offset))]
        np.copyto(result, part, where=winner == number)
    return result


take_input.shape(
    lambda input, filters, values, strides, rates, padding: Abstract(
        _dilated(input, filters, strides, rates, padding).shape, values.dtype
    )
)
take_input.batching(channelwise)


@op(
    "_Dilation2DTakeFilter",
    dtypes=REAL_FLOATING,
    convert=ATTRIBUTES,
    linear="values",
    values="elements",
)
def take_filters(xp, input, filters, values, *, strides, rates, padding):
    """The elements of ``values``, shaped like the filters, at each of a dilation's maxima."""
    winner = _winners(xp, input, filters, _places(input, filters, strides, rates, padding))
    channels = np.arange(filters.shape[2])
    return values.reshape((-1, filters.shape[2]))[np.maximum(winner, 0), channels]


take_filters.shape(
    lambda input, filters, values, strides, rates, padding: Abstract(
        _dilated(input, filters, strides, rates, padding).shape, values.dtype
    )
)


# A small step does not move the maxima, so all of these ops are linear in their last input.


def _nothing(dy, input):
    return array.zeros_of(input._shape_tuple(), input)


def _nothing_by_filters(dy, filters):
    return array.zeros_of(filters._shape_tuple(), filters)


def _linear(there: Any, back: Any, last: str) -> None:
    def by_last(dy, input, filters, strides, rates, padding):
        return back(input, filters, dy, strides, rates, padding)

    there.gradient(input=_nothing, filters=_nothing_by_filters, **{last: by_last})


_linear(dilation2d_by_input, take_input, "out_backprop")
_linear(dilation2d_by_filters, take_filters, "out_backprop")
_linear(take_input, dilation2d_by_input, "values")
_linear(take_filters, dilation2d_by_filters, "values")
take_filters.batching(channelwise)
dilation2d_by_filters.batching(channelwise)


def _check_layout(data_format: str) -> None:
    if data_format != "NHWC":
        raise ValueError(
            f"`data_format` values other than 'NHWC' are not supported. Received: {data_format}"
        )


@composition
def dilation2d(
    input: Any,
    filters: Any,
    strides: Any,
    padding: str,
    data_format: str,
    dilations: Any,
    name: str | None = None,
) -> Tensor:
    """The largest of ``input + filters`` over a window around each pixel, channel by channel.

    >>> x = tf.reshape([1.0, 5.0, 2.0, 0.0], [1, 1, 4, 1])
    >>> bump = tf.zeros([1, 3, 1])
    >>> ones = [1, 1, 1, 1]
    >>> tf.nn.dilation2d(x, bump, ones, "SAME", "NHWC", ones).numpy().ravel()
    array([5., 5., 5., 2.], dtype=float32)

    The gradient goes to the first maximum of each window.

    Args:
        input: [batch, height, width, channels].
        filters: [height, width, channels].
        strides, dilations: four numbers each, the first and the last of which are 1.
        padding: "VALID" or "SAME".
        data_format: "NHWC", which is the only one.
    """
    _check_layout(data_format)
    return dilation2d_op(input, filters, strides, dilations, padding)


@composition
def erosion2d(
    value: Any,
    filters: Any,
    strides: Any,
    padding: str,
    data_format: str,
    dilations: Any,
    name: str | None = None,
) -> Tensor:
    """The smallest of ``value - filters`` over a window around each pixel, channel by channel.

    >>> x = tf.reshape([1.0, 5.0, 2.0, 3.0], [1, 1, 4, 1])
    >>> ones = [1, 1, 1, 1]
    >>> tf.nn.erosion2d(x, tf.zeros([1, 3, 1]), ones, "SAME", "NHWC", ones).numpy().ravel()
    array([1., 1., 2., 2.], dtype=float32)

    Args:
        value: [batch, height, width, channels].
        filters: [height, width, channels].
        strides, dilations: four numbers each, the first and the last of which are 1.
        padding: "VALID" or "SAME".
        data_format: "NHWC", which is the only one.
    """
    _check_layout(data_format)
    value = convert(value)
    turned = rearrange.reverse(filters, [0, 1])
    return -dilation2d_op(-value, turned, strides, dilations, padding)


# An op between space_to_batch and batch_to_space


@public
def with_space_to_batch(
    input: Any,
    dilation_rate: Any,
    padding: Any,
    op: Callable[..., Any],
    filter_shape: Any = None,
    spatial_dims: Any = None,
    data_format: str | None = None,
) -> Tensor:
    """``op(input, num_spatial_dims, padding)``, as if its windows had holes given by ``dilation_rate``.

    >>> x = tf.reshape(tf.range(6.0), [1, 6, 1])
    >>> def pairs(x, num_spatial_dims, padding):
    ...     return x[:, :-1] + x[:, 1:]
    >>> tf.nn.with_space_to_batch(x, [2], "VALID", pairs).numpy().ravel()
    array([2., 4., 6., 8.], dtype=float32)

    Args:
        input: a tensor of (batch, spatial axes, channels), or as ``data_format`` says.
        dilation_rate: a vector of positive integers, one for each of ``spatial_dims``.
        padding: "VALID", "SAME", or a list of pairs, one for each axis of ``input``.
        op: called as ``op(tensor, number of dilated axes, padding)``.
        filter_shape: the sizes of the op's windows, which padding "SAME" needs.
        spatial_dims: the axes to which the rates belong. The default is the first axes after the batch (and
            after the channels, if ``data_format`` starts with "NC").
        data_format: a text that starts with "NC" if channels come before the spatial axes.
    """
    input = convert(input)
    rates = static_ints(dilation_rate)
    if any(rate < 1 for rate in rates):
        raise ValueError(f"`dilation_rate` must be positive. Received: dilation_rate={list(rates)}")
    first = 2 if data_format is not None and data_format.startswith("NC") else 1
    if spatial_dims is None:
        axes = tuple(range(first, first + len(rates)))
    else:
        axes = tuple(sorted(static_ints(spatial_dims)))
        if len(axes) != len(rates) or any(axis < 1 for axis in axes):
            raise ValueError(
                "`spatial_dims` must name one positive axis for each rate. Received: "
                f"spatial_dims={spatial_dims} for dilation_rate={list(rates)}"
            )
    if axes and axes[-1] >= input.ndim:
        raise ValueError(f"`input` of rank {input.ndim} has no axis {axes[-1]} to dilate along.")
    if isinstance(padding, str) and padding not in ("SAME", "VALID"):
        raise ValueError(f"`padding` must be one of 'SAME' or 'VALID'. Received: padding={padding}")
    if all(rate == 1 for rate in rates):
        return op(input, len(rates), padding)
    base = _base_paddings(padding, filter_shape, rates, axes, input.ndim)

    # There is one block size for every axis from the first after the batch to the last dilated one.
    sizes = input._shape_tuple()
    blocks, paddings, crops = [], [], []
    for axis in range(1, axes[-1] + 1):
        number = axes.index(axis) if axis in axes else None
        rate, (low, high) = (1, (0, 0)) if number is None else (rates[number], base[number])
        fill = -(sizes[axis] + low + high) % rate
        blocks.append(rate)
        paddings.append([low, high + fill])
        crops.append([0, fill])
    result = op(
        rearrange.space_to_batch(input, blocks, paddings),
        len(rates),
        "VALID",
    )
    return rearrange.batch_to_space(result, blocks, crops)


def _base_paddings(
    padding: Any, filter_shape: Any, rates: tuple[int, ...], axes: tuple[int, ...], rank: int
) -> list[tuple[int, int]]:
    """How far each of the dilated axes is padded before windows are cut."""
    if padding == "VALID":
        return [(0, 0)] * len(rates)
    if padding == "SAME":
        if filter_shape is None:
            raise ValueError("`filter_shape` must be specified for `padding='SAME'`.")
        extra = [
            (size - 1) * rate for size, rate in zip(static_ints(filter_shape), rates, strict=False)
        ]
        return [(padding // 2, padding - padding // 2) for padding in extra]
    if len(padding) != rank:
        raise ValueError(
            f"When padding is a list, it must have a pair for each of the {rank} axes "
            f"of the input. Received: padding={padding} of size {len(padding)}"
        )
    pairs = [static_ints(padding[axis]) for axis in axes]
    return [(pair[0], pair[-1]) for pair in pairs]
