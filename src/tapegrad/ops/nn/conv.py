"""Convolutions and transposed convolutions in one, two and three dimensions.

The gradients of a convolution in the input and in the filter are ops of their own. The gradients of each of
the three ops are the other two. Depthwise convolutions are in `depthwise`.
"""

from __future__ import annotations

from functools import lru_cache
from math import prod
from typing import Any

from tapegrad import dtypes
from tapegrad.core import Tensor, convert, public
from tapegrad.core.compositions import composition
from tapegrad.engines.numpy import conv_lanes
from tapegrad.errors import refuse
from tapegrad.framework.work import flops_of
from tapegrad.ops.args import static_ints, static_shape
from tapegrad.ops.batching import into_axis, out_of_axis, rows
from tapegrad.ops.nn.windows import (
    CHANNELS_LAST,
    Windows,
    axis_before,
    channels_first,
    check_format,
    check_outer_strides,
    from_channels_last,
    insert,
    per_axis,
    shape_from_channels_last,
    shape_to_channels_last,
    split_padding,
    static_format,
    to_channels_last,
    window_counts,
    windows,
)
from tapegrad.ops.op import REAL_FLOATING, op
from tapegrad.ops.shape import array
from tapegrad.ops.shape_rules import shaped

PUBLIC = {
    "nn": "conv1d conv2d conv2d_transpose conv3d conv3d_transpose convolution",
    "nn compat.v1.nn": "atrous_conv2d atrous_conv2d_transpose conv1d_transpose conv_transpose",
}


def _check_ranks(spatial: int, **operands: tuple[int, ...]) -> None:
    for name, shape in operands.items():
        if len(shape) != spatial + 2:
            refuse(f"{name} must be {spatial + 2}-dimensional: its shape is {list(shape)}")


@lru_cache(maxsize=4096)
def _windows(
    input_shape: tuple[int, ...],
    filter_shape: tuple[int, ...],
    depthwise: bool,
    strides: tuple[int, ...],
    padding: str,
    explicit_paddings: tuple[int, ...],
    data_format: str,
    dilations: tuple[int, ...],
) -> Windows:
    """The windows over an input whose channels are last, for filters that fit it."""
    spatial = len(filter_shape) - 2
    check_format(data_format, spatial)
    geometry = windows(
        input_shape[1:-1],
        filter_shape[:-2],
        strides,
        padding,
        explicit_paddings,
        data_format,
        dilations,
    )
    _check_filter(input_shape, filter_shape, depthwise, strides, data_format, dilations)
    return geometry


def _check_filter(
    input_shape: tuple[int, ...],
    filter_shape: tuple[int, ...],
    depthwise: bool,
    strides: tuple[int, ...],
    data_format: str,
    dilations: tuple[int, ...],
) -> None:
    check_outer_strides(strides, data_format, "convolutions")
    check_outer_strides(dilations, data_format, "convolutions")
    channels, (depth, outputs) = input_shape[-1], filter_shape[-2:]
    if 0 in filter_shape:
        refuse(
            "filter must not have zero elements (i.e. all dimensions must be non-zero); "
            f"its shape is {list(filter_shape)}."
        )
    if channels != depth if depthwise else channels % depth:
        refuse(f"input depth must be evenly divisible by filter depth: {channels} vs {depth}")
    # A filter with fewer channels than the input means that the channels are in groups.
    groups = channels // depth
    if groups and outputs % groups:
        refuse(f"output depth must be evenly divisible by number of groups: {outputs} vs {groups}")


def _check_gradient(
    dy: Any, batch: int, geometry: Windows, filter_shape: tuple[int, ...], depthwise: bool
) -> None:
    outputs = filter_shape[-1] * (filter_shape[-2] if depthwise else 1)
    expected = (batch, *geometry.output, outputs)
    if dy.shape != expected:
        refuse(
            f"out_backprop has shape {list(dy.shape)} where a convolution from an input "
            f"and a filter of these shapes gives {list(expected)} (channels last)."
        )


# Ops

_ATTRIBUTES = {
    "strides": static_ints,
    "dilations": static_ints,
    "explicit_paddings": static_ints,
    "data_format": static_format,
}


def convolution_ops(
    names: tuple[str, str, str], spatial: int, types: Any, depthwise: bool = False
) -> tuple[Any, Any, Any]:
    """A convolution and its two gradients, as ops of the types ``names``.

    ``depthwise``: each channel has filters of its own, of shape (*sizes, channels, results per channel).
    """
    convolve = _convolution_op(names[0], spatial, types, depthwise)
    backprop_input = _input_gradient_op(names[1], spatial, types, depthwise)
    backprop_filter = _filter_gradient_op(names[2], spatial, types, depthwise)
    _add_gradients(convolve, backprop_input, backprop_filter)
    _add_batching_rules(convolve, backprop_input, backprop_filter, spatial, depthwise)
    return convolve, backprop_input, backprop_filter


def _convolution_op(type_name: str, spatial: int, types: Any, depthwise: bool) -> Any:
    """The op of a convolution."""
    kernel = "depthwise" if depthwise else "convolution"
    layout = CHANNELS_LAST[spatial]

    @op(
        type_name,
        dtypes=types,
        convert=_ATTRIBUTES,
        accumulate="float32",
        linear=("input", "filter"),
        lane=conv_lanes.LANES[kernel],
    )
    def convolve(
        xp,
        input,
        filter,
        *,
        strides,
        padding,
        explicit_paddings=(),
        data_format=layout,
        dilations=(1,) * (spatial + 2),
    ):
        if input.ndim != spatial + 2 or filter.ndim != spatial + 2:
            _check_ranks(spatial, input=input.shape, filter=filter.shape)
        channels_last = data_format == layout
        x = input if channels_last else to_channels_last(xp, input, data_format)
        settings = (strides, padding, explicit_paddings, data_format, dilations)
        steps = _windows(x.shape, filter.shape, depthwise, *settings).steps
        if channels_last:
            conv_lanes.remember(kernel, x.shape, filter.shape, settings, None, steps)
        out = getattr(xp, kernel)(x, filter, steps)
        return out if channels_last else from_channels_last(xp, out, data_format)

    @convolve.shape
    def convolved_shape(input, filter, strides, padding, explicit_paddings, data_format, dilations):
        _check_ranks(spatial, input=input.shape, filter=filter.shape)
        check_format(data_format, spatial)
        shape = shape_to_channels_last(input.shape, data_format)
        places = window_counts(
            shape[1:-1],
            filter.shape[:-2],
            strides,
            padding,
            explicit_paddings,
            data_format,
            dilations,
        )
        _check_filter(shape, filter.shape, depthwise, strides, data_format, dilations)
        outputs = filter.shape[-1] * (filter.shape[-2] if depthwise else 1)
        return shape_from_channels_last((shape[0], *places, outputs), data_format)

    return convolve


def _input_gradient_op(type_name: str, spatial: int, types: Any, depthwise: bool) -> Any:
    """The op of the gradient of a convolution by its input."""
    kernel = ("depthwise" if depthwise else "convolution") + "_by_input"
    layout = CHANNELS_LAST[spatial]

    @op(
        type_name,
        dtypes=types,
        convert={**_ATTRIBUTES, "input_sizes": static_shape},
        accumulate="float32",
        linear=("filter", "out_backprop"),
        lane=conv_lanes.LANES[kernel],
    )
    def backprop_input(
        xp,
        filter,
        out_backprop,
        *,
        input_sizes,
        strides,
        padding,
        explicit_paddings=(),
        data_format=layout,
        dilations=(1,) * (spatial + 2),
    ):
        dy = out_backprop
        if not len(input_sizes) == filter.ndim == dy.ndim == spatial + 2:
            _check_ranks(
                spatial, input_sizes=input_sizes, filter=filter.shape, out_backprop=dy.shape
            )
        channels_last = data_format == layout
        shape = input_sizes if channels_last else shape_to_channels_last(input_sizes, data_format)
        dy = dy if channels_last else to_channels_last(xp, dy, data_format)
        settings = (strides, padding, explicit_paddings, data_format, dilations)
        geometry = _windows(shape, filter.shape, depthwise, *settings)
        _check_gradient(dy, shape[0], geometry, filter.shape, depthwise)
        if channels_last:
            conv_lanes.remember(
                kernel, filter.shape, dy.shape, (input_sizes, *settings), shape, geometry.steps
            )
        out = getattr(xp, kernel)(shape, filter, dy, geometry.steps)
        return out if channels_last else from_channels_last(xp, out, data_format)

    backprop_input.shape(shaped("input_sizes"))
    return backprop_input


def _filter_gradient_op(type_name: str, spatial: int, types: Any, depthwise: bool) -> Any:
    """The op of the gradient of a convolution by its filter."""
    kernel = ("depthwise" if depthwise else "convolution") + "_by_filter"
    layout = CHANNELS_LAST[spatial]

    @op(
        type_name,
        dtypes=types,
        convert={**_ATTRIBUTES, "filter_sizes": static_shape},
        accumulate="float32",
        linear=("input", "out_backprop"),
        lane=conv_lanes.LANES[kernel],
    )
    def backprop_filter(
        xp,
        input,
        out_backprop,
        *,
        filter_sizes,
        strides,
        padding,
        explicit_paddings=(),
        data_format=layout,
        dilations=(1,) * (spatial + 2),
    ):
        dy = out_backprop
        _check_ranks(spatial, input=input.shape, filter_sizes=filter_sizes, out_backprop=dy.shape)
        x = to_channels_last(xp, input, data_format)
        dy = to_channels_last(xp, dy, data_format)
        settings = (strides, padding, explicit_paddings, data_format, dilations)
        geometry = _windows(x.shape, filter_sizes, depthwise, *settings)
        _check_gradient(dy, x.shape[0], geometry, filter_sizes, depthwise)
        if data_format == layout:
            conv_lanes.remember(
                kernel, x.shape, dy.shape, (filter_sizes, *settings), filter_sizes, geometry.steps
            )
        return getattr(xp, kernel)(x, filter_sizes, dy, geometry.steps)

    backprop_filter.shape(shaped("filter_sizes"))
    return backprop_filter


def _add_gradients(convolve: Any, backprop_input: Any, backprop_filter: Any) -> None:
    """Add the rules of the three ops.

    Each of them is linear in both of its tensors, and all are derivatives of one trilinear form, so the
    gradients of the gradients are again one of the three.
    """

    def by_input(
        dy, filter, input_shape, strides, padding, explicit_paddings, data_format, dilations
    ):
        settings = (strides, padding, explicit_paddings, data_format, dilations)
        return backprop_input(filter, dy, input_shape, *settings)

    def by_filter(
        dy, input, filter_shape, strides, padding, explicit_paddings, data_format, dilations
    ):
        settings = (strides, padding, explicit_paddings, data_format, dilations)
        return backprop_filter(input, dy, filter_shape, *settings)

    def input_gradient_by_filter(
        dy,
        out_backprop,
        filter_shape,
        strides,
        padding,
        explicit_paddings,
        data_format,
        dilations,
    ):
        settings = (strides, padding, explicit_paddings, data_format, dilations)
        return backprop_filter(dy, out_backprop, filter_shape, *settings)

    def input_gradient_by_dy(
        dy, filter, strides, padding, explicit_paddings, data_format, dilations
    ):
        return convolve(dy, filter, strides, padding, explicit_paddings, data_format, dilations)

    def filter_gradient_by_input(
        dy,
        out_backprop,
        input_shape,
        strides,
        padding,
        explicit_paddings,
        data_format,
        dilations,
    ):
        settings = (strides, padding, explicit_paddings, data_format, dilations)
        return backprop_input(dy, out_backprop, input_shape, *settings)

    def filter_gradient_by_dy(
        dy, input, strides, padding, explicit_paddings, data_format, dilations
    ):
        return convolve(input, dy, strides, padding, explicit_paddings, data_format, dilations)

    convolve.gradient(input=by_input, filter=by_filter)
    backprop_input.gradient(filter=input_gradient_by_filter, out_backprop=input_gradient_by_dy)
    backprop_filter.gradient(input=filter_gradient_by_input, out_backprop=filter_gradient_by_dy)


def _add_batching_rules(
    convolve: Any, backprop_input: Any, backprop_filter: Any, spatial: int, depthwise: bool
) -> None:
    """Add the batching rules of the three ops.

    Items that share the filter are more examples. Items with filters of their own are more channels, in
    groups of their own; if they share the input, they are more results of the same channels.
    """
    filter_axis = spatial if depthwise else spatial + 1

    def as_channels(data_format, array):
        """The items of an input or result as more channels."""
        return into_axis(array, data_format.index("C"))

    def with_items(items, sizes, axis):
        return (*sizes[:axis], items.size * sizes[axis], *sizes[axis + 1 :])

    @convolve.batching
    def convolve_rule(items, input, filter, *settings):
        if not items.batched[1]:
            return rows(1)(items, input, filter, *settings)
        data_format = settings[3]
        filters = into_axis(filter, filter_axis)
        shared = not items.batched[0] and not depthwise
        if shared and input.shape[data_format.index("C")] == filter.shape[-2]:
            results = items.run(input, filters)
        else:
            results = items.run(as_channels(data_format, items.spread(input, 0)), filters)
        return out_of_axis(items, results, data_format.index("C"))

    @backprop_input.batching
    def backprop_input_rule(items, filter, out_backprop, input_sizes, *settings):
        if not items.batched[0]:
            rule = rows(0, sizes=("input_sizes",))
            return rule(items, filter, out_backprop, input_sizes, *settings)
        data_format = settings[3]
        channel_axis = data_format.index("C")
        dy = as_channels(data_format, items.spread(out_backprop, 1))
        sizes = with_items(items, input_sizes, channel_axis)
        results = items.run(into_axis(filter, filter_axis), dy, input_sizes=sizes)
        return out_of_axis(items, results, channel_axis)

    @backprop_filter.batching
    def backprop_filter_rule(items, input, out_backprop, filter_sizes, *settings):
        data_format = settings[3]
        sizes = with_items(items, filter_sizes, filter_axis)
        dy = as_channels(data_format, items.spread(out_backprop, 1))
        shared = not items.batched[0] and not depthwise
        if not shared or input.shape[data_format.index("C")] != filter_sizes[-2]:
            input = as_channels(data_format, items.spread(input, 0))
        return out_of_axis(items, items.run(input, dy, filter_sizes=sizes), filter_axis)


conv2d_op, conv2d_backprop_input, conv2d_backprop_filter = convolution_ops(
    ("Conv2D", "Conv2DBackpropInput", "Conv2DBackpropFilter"), 2, REAL_FLOATING | {dtypes.int32}
)
conv3d_op, conv3d_backprop_input, conv3d_backprop_filter = convolution_ops(
    ("Conv3D", "Conv3DBackpropInputV2", "Conv3DBackpropFilterV2"), 3, REAL_FLOATING
)


@flops_of(conv2d_op, conv3d_op)
def _convolution_flops(inputs, result):
    """For each element of the result a product with the filter of its channel."""
    filter_shape = inputs[1]
    return 2.0 * prod(result) * prod(filter_shape[:-1])


# Public functions


def _unbatched(input: Tensor, spatial: int) -> tuple[Tensor, tuple[int, ...]]:
    """``input`` with a single batch axis, and the sizes of the batch axes that it had."""
    shape = input._shape_tuple()
    outer = shape[: len(shape) - spatial - 1]
    return array.reshape(input, (prod(outer), *shape[len(outer) :])), outer


def _rebatched(out: Tensor, outer: tuple[int, ...]) -> Tensor:
    return array.reshape(out, (*outer, *out._shape_tuple()[1:]))


@lru_cache(maxsize=256)
def _of_pictures(
    strides: tuple[int, ...],
    padding: str,
    numbers: tuple[int, ...],
    data_format: str,
    dilations: tuple[int, ...],
) -> tuple[Any, ...]:
    """The new axis that makes pictures of sequences, and the attributes of the convolution of pictures."""
    axis, layout = axis_before(data_format)
    return (
        axis,
        insert(strides, axis, 1),
        padding,
        numbers and insert(numbers, 2 * axis, 0, 0),
        layout,
        insert(dilations, axis, 1),
    )


def _convolution(
    input: Any,
    filters: Any,
    strides: Any,
    padding: Any,
    data_format: str,
    dilations: Any,
    spatial: int,
) -> Tensor:
    input = convert(input)
    filters = convert(filters, input.dtype) if not isinstance(filters, Tensor) else filters
    outer: tuple[int, ...] = ()
    if input.ndim > spatial + 2:
        input, outer = _unbatched(input, spatial)
    kind, numbers = (padding, ()) if type(padding) is str else split_padding(padding, spatial)
    strides = per_axis(strides, spatial, "strides", data_format)
    dilations = per_axis(dilations, spatial, "dilations", data_format)
    if spatial == 1:
        axis, *settings = _of_pictures(strides, kind, numbers, data_format, dilations)
        out = conv2d_op(
            array.expand_dims.apply([input], (axis,)),
            array.expand_dims.apply([filters], (0,)),
            *settings,
        )
        out = array.squeeze.apply([out], ((axis,),))
        return _rebatched(out, outer) if outer else out
    function = conv2d_op if spatial == 2 else conv3d_op
    out = function(input, filters, strides, kind, numbers, data_format, dilations)
    return _rebatched(out, outer) if outer else out


@public
def conv1d(
    input: Any,
    filters: Any,
    stride: Any,
    padding: Any,
    data_format: str = "NWC",
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """The convolution of sequences with filters.

    >>> x = tf.reshape(tf.range(4.0), [1, 4, 1])
    >>> tf.nn.conv1d(x, tf.ones([2, 1, 1]), stride=1, padding="VALID").numpy().ravel()
    array([1., 3., 5.], dtype=float32)

    Args:
        input: of shape (batch, length, channels); there may be more batch axes.
        filters: of shape (length, channels of the input, channels of the result).
        data_format: "NWC", or "NCW" if channels come before the length.
        stride: the step of the filters.
        padding: "VALID", "SAME", or a pair of numbers for each axis.
        dilations: the distance between the elements of a filter; None is 1.
    """
    data_format = check_format(data_format, 1)
    return _convolution(input, filters, stride, padding, data_format, dilations, 1)


@public
def conv2d(
    input: Any,
    filters: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """The convolution of images with filters.

    >>> x = tf.reshape(tf.range(9.0), [1, 3, 3, 1])
    >>> tf.nn.conv2d(x, tf.ones([2, 2, 1, 1]), strides=1, padding="VALID").numpy()[0, :, :, 0]
    array([[ 8., 12.],
           [20., 24.]], dtype=float32)

    Args:
        input: of shape (batch, height, width, channels); there may be more batch axes.
        filters: of shape (height, width, channels of the input, channels of the result). If a filter has
            fewer channels than the input, the channels are in groups.
        strides, dilations: one number, one for each spatial axis, or one for each axis.
        padding: "SAME", "VALID", or a pair of numbers for each axis.
        data_format: "NHWC", or "NCHW" if channels come before height and width.
    """
    data_format = check_format(data_format, 2)
    return _convolution(input, filters, strides, padding, data_format, dilations, 2)


@public
def conv3d(
    input: Any,
    filters: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NDHWC",
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """The convolution of volumes with filters. See ``conv2d``.

    >>> tf.nn.conv3d(tf.ones([1, 3, 3, 3, 1]), tf.ones([2, 2, 2, 1, 4]), [1] * 5, "VALID").shape
    TensorShape([1, 2, 2, 2, 4])

    Args:
        input: of shape (batch, depth, height, width, channels).
        filters: of shape (depth, height, width, channels of the input, channels of the result).
        strides: the steps of the filters: a list of numbers, one for each axis.
        padding: "VALID" or "SAME".
        data_format: "NDHWC", or "NCDHW" if channels come before the depth.
        dilations: the distances between the elements of a filter, one for each axis; None is 1.
    """
    data_format = check_format(data_format or "NDHWC", 3)
    if not isinstance(strides, (list, tuple)):
        raise TypeError(f"Expected list for 'strides' argument to 'conv3d' Op, not {strides}.")
    return _convolution(input, filters, strides, padding, data_format, dilations, 3)


def _spatial_rank(input: Any, filters: Any) -> int:
    rank = filters.ndim - 2
    if rank not in (1, 2, 3):
        raise ValueError(
            "filters must have 1, 2 or 3 spatial axes and two of channels; "
            f"their shape is {filters.shape}."
        )
    if input.ndim < rank + 2:
        raise ValueError(
            f"input must be of rank {rank + 2} or more for filters of shape {filters.shape}; "
            f"its shape is {input.shape}."
        )
    return rank


@public
def convolution(
    input: Any,
    filters: Any,
    strides: Any = None,
    padding: Any = "VALID",
    data_format: str | None = None,
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """The convolution in as many dimensions as ``filters`` has spatial axes.

    >>> tf.nn.convolution(tf.ones([1, 5, 5, 2]), tf.ones([3, 3, 2, 4]), padding="SAME").shape
    TensorShape([1, 5, 5, 4])

    Args:
        input: a tensor of (batch, spatial axes, channels), or as ``data_format`` says.
        filters: a tensor of (spatial axes, channels of the input, channels of the result).
        strides: the steps along the spatial axes; None is 1.
        padding: "VALID", "SAME", or a pair of numbers for each axis.
        data_format: a text such as "NHWC" or "NCHW"; by default channels are last.
        dilations: the distances between the elements of a filter; None is 1.
    """
    input, filters = convert(input), convert(filters)
    spatial = _spatial_rank(input, filters)
    data_format = check_format(data_format or CHANNELS_LAST[spatial], spatial)
    return _convolution(input, filters, strides, padding, data_format, dilations, spatial)


@public
def atrous_conv2d(
    value: Any, filters: Any, rate: Any, padding: Any, name: str | None = None
) -> Tensor:
    """``conv2d`` with holes of ``rate - 1`` between the elements of the filter.

    >>> tf.nn.atrous_conv2d(tf.ones([1, 6, 6, 1]), tf.ones([3, 3, 1, 1]), 2, "VALID").shape
    TensorShape([1, 2, 2, 1])

    Args:
        value: of shape (batch, height, width, channels).
        filters: of shape (height, width, channels of the input, channels of the result).
        rate: the distance between the elements of a filter, at least 1.
        padding: "VALID" or "SAME".
    """
    return conv2d(value, filters, 1, padding, dilations=rate)


def _transposed(
    input: Any,
    filters: Any,
    output_shape: Any,
    strides: Any,
    padding: Any,
    data_format: str,
    dilations: Any,
    spatial: int,
) -> Tensor:
    """The gradient of a convolution in its input. Filters are (..., channels out, channels in)."""
    input = convert(input)
    filters = convert(filters, input.dtype) if not isinstance(filters, Tensor) else filters
    sizes = static_ints(output_shape)
    if input.ndim != spatial + 2 or filters.ndim != spatial + 2:
        _check_ranks(spatial, input=input._shape_tuple(), filters=filters._shape_tuple())
    if len(sizes) == spatial:
        channels = filters._shape_tuple()[-2]
        batch = input._shape_tuple()[0]
        first = channels_first(data_format)
        sizes = (batch, channels, *sizes) if first else (batch, *sizes, channels)
    elif sizes and type(sizes[0]) is int and sizes[0] == -1:
        sizes = (input._shape_tuple()[0], *sizes[1:])
    kind, numbers = (padding, ()) if type(padding) is str else split_padding(padding, spatial)
    strides = per_axis(strides, spatial, "strides", data_format)
    dilations = per_axis(dilations, spatial, "dilations", data_format)
    if spatial == 1:
        axis, *settings = _of_pictures(strides, kind, numbers, data_format, dilations)
        out = conv2d_backprop_input(
            array.expand_dims(filters, 0),
            array.expand_dims(input, axis),
            insert(sizes, axis, 1),
            *settings,
        )
        return array.squeeze(out, [axis])
    function = conv2d_backprop_input if spatial == 2 else conv3d_backprop_input
    return function(filters, input, sizes, strides, kind, numbers, data_format, dilations)


@composition
def conv1d_transpose(
    input: Any,
    filters: Any,
    output_shape: Any,
    strides: Any,
    padding: Any = "SAME",
    data_format: str = "NWC",
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """The transpose of ``conv1d``: its gradient in the input.

    >>> tf.nn.conv1d_transpose(tf.ones([1, 2, 3]), tf.ones([2, 5, 3]), [1, 4, 5], 2).shape
    TensorShape([1, 4, 5])

    Args:
        input: of shape (batch, length, channels).
        filters: of shape (length, channels of the result, channels of the input).
        output_shape: the shape of the result, which ``strides`` alone do not determine. A batch of -1 is the
            input's.
        strides: the step of the filters.
        padding: "VALID", "SAME", or a pair of numbers for each axis: that of the convolution whose transpose
            this is.
        data_format: "NWC", or "NCW" if channels come before the length.
        dilations: the distance between the elements of a filter; None is 1.
    """
    data_format = check_format(data_format, 1)
    settings = (output_shape, strides, padding, data_format, dilations)
    return _transposed(input, filters, *settings, 1)


@public
def conv2d_transpose(
    input: Any,
    filters: Any,
    output_shape: Any,
    strides: Any,
    padding: Any = "SAME",
    data_format: str = "NHWC",
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """The transpose of ``conv2d``: its gradient in the input.

    >>> tf.nn.conv2d_transpose(tf.ones([1, 2, 2, 3]), tf.ones([2, 2, 5, 3]), [1, 4, 4, 5], 2).shape
    TensorShape([1, 4, 4, 5])

    Args:
        input: of shape (batch, height, width, channels).
        filters: of shape (height, width, channels of the result, channels of the input).
        output_shape: the shape of the result, which ``strides`` alone do not determine. A batch of -1 is the
            input's.
        strides: the steps of the filters: one number, one for each spatial axis, or one for each axis.
        padding: "VALID", "SAME", or a pair of numbers for each axis: that of the convolution whose transpose
            this is.
        data_format: "NHWC", or "NCHW" if channels come before the height.
        dilations: the distances between the elements of a filter, in the form of ``strides``; None is 1.
    """
    data_format = check_format(data_format, 2)
    settings = (output_shape, strides, padding, data_format, dilations)
    return _transposed(input, filters, *settings, 2)


@public
def conv3d_transpose(
    input: Any,
    filters: Any,
    output_shape: Any,
    strides: Any,
    padding: Any = "SAME",
    data_format: str = "NDHWC",
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """The transpose of ``conv3d``: its gradient in the input.

    >>> x, filters = tf.ones([1, 2, 2, 2, 3]), tf.ones([2, 2, 2, 5, 3])
    >>> tf.nn.conv3d_transpose(x, filters, [1, 4, 4, 4, 5], 2).shape
    TensorShape([1, 4, 4, 4, 5])

    Args:
        input: of shape (batch, depth, height, width, channels).
        filters: of shape (depth, height, width, channels of the result, channels of the input).
        output_shape: the shape of the result, which ``strides`` alone do not determine. A batch of -1 is the
            input's.
        strides: the steps of the filters: one number, one for each spatial axis, or one for each axis.
        padding: "VALID" or "SAME": that of the convolution whose transpose this is.
        data_format: "NDHWC", or "NCDHW" if channels come before the depth.
        dilations: the distances between the elements of a filter, in the form of ``strides``; None is 1.
    """
    data_format = check_format(data_format, 3)
    settings = (output_shape, strides, padding, data_format, dilations)
    return _transposed(input, filters, *settings, 3)


@public
def conv_transpose(
    input: Any,
    filters: Any,
    output_shape: Any,
    strides: Any,
    padding: Any = "SAME",
    data_format: str | None = None,
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """The transpose of ``convolution``, in as many dimensions as ``filters`` has spatial axes.

    >>> tf.nn.conv_transpose(tf.ones([1, 2, 3]), tf.ones([2, 5, 3]), [1, 4, 5], 2).shape
    TensorShape([1, 4, 5])

    Args:
        input: of shape (batch, spatial axes, channels), or as ``data_format`` says.
        filters: of shape (spatial axes, channels of the result, channels of the input).
        output_shape: the shape of the result, which ``strides`` alone do not determine. A batch of -1 is the
            input's.
        strides: the steps of the filters: one number, one for each spatial axis, or one for each axis.
        padding: "VALID" or "SAME": that of the convolution whose transpose this is.
        data_format: a text such as "NHWC" or "NCHW"; None if channels are last.
        dilations: the distances between the elements of a filter, in the form of ``strides``; None is 1.
    """
    input, filters = convert(input), convert(filters)
    spatial = _spatial_rank(input, filters)
    data_format = check_format(data_format or CHANNELS_LAST[spatial], spatial)
    settings = (output_shape, strides, padding, data_format, dilations)
    return _transposed(input, filters, *settings, spatial)


@public
def atrous_conv2d_transpose(
    value: Any, filters: Any, output_shape: Any, rate: Any, padding: Any, name: str | None = None
) -> Tensor:
    """The transpose of ``atrous_conv2d``.

    >>> x, filters = tf.ones([1, 2, 2, 1]), tf.ones([3, 3, 1, 1])
    >>> tf.nn.atrous_conv2d_transpose(x, filters, [1, 6, 6, 1], 2, "VALID").shape
    TensorShape([1, 6, 6, 1])

    Args:
        value: of shape (batch, height, width, channels).
        filters: of shape (height, width, channels of the result, channels of the input).
        output_shape: the shape of the result. A batch of -1 is the input's.
        rate: the distance between the elements of a filter, at least 1.
        padding: "VALID" or "SAME": that of the convolution whose transpose this is.
    """
    return conv2d_transpose(value, filters, output_shape, 1, padding, dilations=rate)
