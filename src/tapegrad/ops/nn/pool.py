"""Maxima and means over windows, in one, two and three dimensions."""

from __future__ import annotations

from collections.abc import Sized
from functools import lru_cache
from math import prod
from typing import Any, NamedTuple

import numpy as np

from tapegrad import dtypes, errors
from tapegrad.core import Tensor, convert, public
from tapegrad.core.compositions import composition
from tapegrad.engines.numpy.windows import average_pool_lane, max_pool_lane
from tapegrad.errors import refuse
from tapegrad.ops.args import static_bool, static_dtype, static_ints, static_shape
from tapegrad.ops.batching import rows
from tapegrad.ops.indexing.segment import unsorted_segment_sum
from tapegrad.ops.nn.windows import (
    CHANNELS_LAST,
    Windows,
    axis_before,
    channels_first,
    check_format,
    from_channels_last,
    insert,
    per_axis,
    shape_from_channels_last,
    shape_to_channels_last,
    spatial_part,
    split_padding,
    static_format,
    to_channels_last,
    window_counts,
    windows,
)
from tapegrad.ops.op import REAL, REAL_FLOATING, op
from tapegrad.ops.shape import array
from tapegrad.ops.shape.casts import cast
from tapegrad.ops.shape.rearrange import batch_to_space_nd, space_to_batch_nd
from tapegrad.ops.shape.sequences import range as number_range
from tapegrad.ops.shape_rules import Abstract, like, shaped

PUBLIC = {
    "nn": "avg_pool avg_pool2d max_pool max_pool_with_argmax pool",
    "nn compat.v1.nn": "avg_pool1d avg_pool3d max_pool1d max_pool2d max_pool3d",
}


ATTRIBUTES = {
    "ksize": static_ints,
    "strides": static_ints,
    "explicit_paddings": static_ints,
    "data_format": static_format,
}


@lru_cache(maxsize=4096)
def _geometry(
    shape: tuple[int, ...],
    ksize: tuple[int, ...],
    strides: tuple[int, ...],
    padding: str,
    explicit_paddings: tuple[int, ...],
    data_format: str,
    spatial: int,
) -> Windows:
    """The windows over an input of ``shape``, channels last."""
    _check_pooling(shape, ksize, strides, data_format, spatial)
    kernel = spatial_part(ksize, data_format)
    return windows(shape[1:-1], kernel, strides, padding, explicit_paddings, data_format)


def _pooled_shape(
    shape: tuple[int, ...],
    ksize: tuple[int, ...],
    strides: tuple[int, ...],
    padding: str,
    explicit_paddings: tuple[int, ...],
    data_format: str,
    spatial: int,
) -> tuple[int, ...]:
    """The shape of what pooling gives for an input of ``shape``, which may have open sizes."""
    if len(shape) == spatial + 2:
        shape = shape_to_channels_last(shape, data_format)
    _check_pooling(shape, ksize, strides, data_format, spatial)
    kernel = spatial_part(ksize, data_format)
    places = window_counts(shape[1:-1], kernel, strides, padding, explicit_paddings, data_format)
    return shape_from_channels_last((shape[0], *places, shape[-1]), data_format)


def _check_pooling(
    shape: tuple[int, ...],
    ksize: tuple[int, ...],
    strides: tuple[int, ...],
    data_format: str,
    spatial: int,
) -> None:
    check_format(data_format, spatial)
    if len(shape) != spatial + 2:
        refuse(f"The input of pooling must have rank {spatial + 2}, not {len(shape)}.")
    if len(ksize) != spatial + 2:
        refuse(f"Sliding window ksize must have {spatial + 2} entries, got {list(ksize)}.")
    if any(size <= 0 for size in ksize):
        refuse(f"Sliding window ksize must be positive; it is {list(ksize)}.")
    for what, numbers in (("ksize", ksize), ("strides", strides)):
        outer = numbers[:2] if channels_first(data_format) else (numbers[0], numbers[-1])
        if any(number != 1 for number in outer):
            refuse(
                f"Pooling is over spatial axes only: {what} must be 1 for the batch and "
                f"for the channels, got {list(numbers)}.",
                error=errors.UnimplementedError,
            )


def _checked(array: Any, shape: tuple[int, ...], name: str) -> None:
    if tuple(array.shape) != tuple(shape):
        refuse(
            f"{name} has shape {list(array.shape)} where pooling gives {list(shape)} (channels "
            "last)."
        )


# Ops


def _max_pool_ops(names: tuple[str, str, str], spatial: int, types: Any, all_maxima: bool) -> Any:
    """Max pooling, its gradient, and the gradient of that. At ties the first maximum counts, or all do."""
    layout = CHANNELS_LAST[spatial]

    @op(
        names[0],
        dtypes=types,
        convert=ATTRIBUTES,
        accumulate="float32",
        values="elements",
        lane=max_pool_lane if spatial == 2 else None,
    )
    def max_pool(xp, input, *, ksize, strides, padding, explicit_paddings=(), data_format=layout):
        x = to_channels_last(xp, input, data_format)
        geometry = _geometry(
            x.shape, ksize, strides, padding, explicit_paddings, data_format, spatial
        )
        out = xp.max_pool(x, geometry.kernel, geometry.steps)
        return from_channels_last(xp, out, data_format)

    @op(
        names[1],
        dtypes=types,
        convert=ATTRIBUTES,
        accumulate="float32",
        linear="grad",
        values="elements",
    )
    def max_pool_grad(
        xp,
        orig_input,
        orig_output,
        grad,
        *,
        ksize,
        strides,
        padding,
        explicit_paddings=(),
        data_format=layout,
    ):
        x = to_channels_last(xp, orig_input, data_format)
        out = to_channels_last(xp, orig_output, data_format)
        dy = to_channels_last(xp, grad, data_format)
        geometry = _geometry(
            x.shape, ksize, strides, padding, explicit_paddings, data_format, spatial
        )
        shape = (x.shape[0], *geometry.output, x.shape[-1])
        _checked(out, shape, "orig_output")
        _checked(dy, shape, "grad")
        result = xp.max_pool_gradient(x, out, dy, geometry.kernel, geometry.steps, all_maxima)
        return from_channels_last(xp, result, data_format)

    @op(
        names[2],
        dtypes=types,
        convert=ATTRIBUTES,
        accumulate="float32",
        linear="grad",
        values="elements",
    )
    def max_pool_grad_grad(
        xp,
        orig_input,
        orig_output,
        grad,
        *,
        ksize,
        strides,
        padding,
        explicit_paddings=(),
        data_format=layout,
    ):
        x = to_channels_last(xp, orig_input, data_format)
        out = to_channels_last(xp, orig_output, data_format)
        dy = to_channels_last(xp, grad, data_format)
        geometry = _geometry(
            x.shape, ksize, strides, padding, explicit_paddings, data_format, spatial
        )
        _checked(out, (x.shape[0], *geometry.output, x.shape[-1]), "orig_output")
        _checked(dy, x.shape, "grad")
        result = xp.max_pool_gather(x, out, dy, geometry.kernel, geometry.steps, all_maxima)
        return from_channels_last(xp, result, data_format)

    @max_pool.shape
    def max_pool_shape(input, ksize, strides, padding, explicit_paddings, data_format):
        settings = (ksize, strides, padding, explicit_paddings, data_format, spatial)
        return _pooled_shape(input.shape, *settings)

    max_pool_grad.shape(like("orig_input"))
    max_pool_grad_grad.shape(like("orig_output"))
    _add_max_pool_rules(max_pool, max_pool_grad, max_pool_grad_grad)
    return max_pool, max_pool_grad, max_pool_grad_grad


def _add_max_pool_rules(max_pool: Any, max_pool_grad: Any, max_pool_grad_grad: Any) -> None:
    """Add rules and batching rules. A small step does not change which element is the largest."""

    def by_input(dy, input, out, ksize, strides, padding, explicit_paddings, data_format):
        settings = (ksize, strides, padding, explicit_paddings, data_format)
        return max_pool_grad(input, out, dy, *settings)

    def scatter_by_grad(
        dy, orig_input, orig_output, ksize, strides, padding, explicit_paddings, data_format
    ):
        settings = (ksize, strides, padding, explicit_paddings, data_format)
        return max_pool_grad_grad(orig_input, orig_output, dy, *settings)

    def gather_by_grad(
        dy, orig_input, orig_output, ksize, strides, padding, explicit_paddings, data_format
    ):
        settings = (ksize, strides, padding, explicit_paddings, data_format)
        return max_pool_grad(orig_input, orig_output, dy, *settings)

    def zeros(dy, orig_input):
        return array.zeros_of(orig_input._shape_tuple(), orig_input)

    def zeros_like_output(dy, orig_output):
        return array.zeros_of(orig_output._shape_tuple(), orig_output)

    max_pool.gradient(input=by_input)
    for operation in (max_pool, max_pool_grad, max_pool_grad_grad):
        operation.batching(rows())
    max_pool_grad.gradient(orig_input=zeros, orig_output=zeros_like_output, grad=scatter_by_grad)
    max_pool_grad_grad.gradient(
        orig_input=zeros, orig_output=zeros_like_output, grad=gather_by_grad
    )


# At ties TensorFlow gives the gradient to the first element in two dimensions, and to all in three.
max_pool2d_op, max_pool2d_grad, max_pool2d_grad_grad = _max_pool_ops(
    ("MaxPool", "MaxPoolGrad", "MaxPoolGradGrad"), 2, REAL, False
)
max_pool3d_op, max_pool3d_grad, max_pool3d_grad_grad = _max_pool_ops(
    ("MaxPool3D", "MaxPool3DGrad", "MaxPool3DGradGrad"), 3, REAL_FLOATING, True
)


def _average_pool_ops(names: tuple[str, str], spatial: int, raw_value: str) -> Any:
    """Average pooling and its gradient. Padding does not count."""
    layout = CHANNELS_LAST[spatial]
    raw = (raw_value, "ksize", "strides", "padding", "data_format")

    @op(
        names[0],
        dtypes=REAL_FLOATING,
        convert=ATTRIBUTES,
        raw=raw,
        accumulate="float32",
        linear="value",
        lane=average_pool_lane if spatial == 2 else None,
    )
    def average_pool(xp, value, *, ksize, strides, padding, data_format=layout):
        x = to_channels_last(xp, value, data_format)
        geometry = _geometry(x.shape, ksize, strides, padding, (), data_format, spatial)
        out = xp.average_pool(x, geometry.kernel, geometry.steps)
        return from_channels_last(xp, out, data_format)

    @op(
        names[1],
        dtypes=REAL_FLOATING,
        convert={**ATTRIBUTES, "orig_input_shape": static_shape},
        accumulate="float32",
        linear="grad",
    )
    def average_pool_grad(
        xp, grad, *, orig_input_shape, ksize, strides, padding, data_format=layout
    ):
        shape = shape_to_channels_last(orig_input_shape, data_format)
        dy = to_channels_last(xp, grad, data_format)
        geometry = _geometry(shape, ksize, strides, padding, (), data_format, spatial)
        _checked(dy, (shape[0], *geometry.output, shape[-1]), "grad")
        result = xp.average_pool_gradient(shape, dy, geometry.kernel, geometry.steps)
        return from_channels_last(xp, result, data_format)

    def by_value(dy, value_shape, ksize, strides, padding, data_format):
        return average_pool_grad(dy, value_shape, ksize, strides, padding, data_format)

    def by_grad(dy, ksize, strides, padding, data_format):
        return average_pool(dy, ksize, strides, padding, data_format)

    @average_pool.shape
    def average_pool_shape(value, ksize, strides, padding, data_format):
        return _pooled_shape(value.shape, ksize, strides, padding, (), data_format, spatial)

    average_pool_grad.shape(shaped("orig_input_shape"))
    average_pool.gradient(value=by_value)
    average_pool.batching(rows())
    average_pool_grad.batching(rows(sizes=("orig_input_shape",)))
    average_pool_grad.gradient(grad=by_grad)
    return average_pool, average_pool_grad


average_pool2d_op, average_pool2d_grad = _average_pool_ops(("AvgPool", "AvgPoolGrad"), 2, "value")
average_pool3d_op, average_pool3d_grad = _average_pool_ops(
    ("AvgPool3D", "AvgPool3DGrad"), 3, "input"
)


class MaxPoolWithArgmax(NamedTuple):
    """Maxima, and their indices."""

    output: Tensor
    argmax: Tensor


@op(
    "MaxPoolWithArgmax",
    dtypes=REAL,
    outputs=("output", "argmax"),
    result=MaxPoolWithArgmax,
    convert={
        "ksize": static_ints,
        "strides": static_ints,
        "Targmax": static_dtype,
        "include_batch_in_index": static_bool,
    },
    accumulate="float32",
    values="elements",
)
def max_pool_with_argmax_op(
    xp,
    input,
    *,
    ksize,
    strides,
    padding,
    Targmax=dtypes.int64,
    include_batch_in_index=False,
):
    """The maximum of each window and its index in the flattened image. See ``tf.nn.max_pool_with_argmax``."""
    geometry = _geometry(input.shape, ksize, strides, padding, (), "NHWC", 2)
    index = xp.max_pool_places(input, geometry.kernel, geometry.steps)
    images = np.arange(input.shape[0]).reshape(-1, 1, 1, 1) * np.prod(input.shape[1:], dtype=int)
    out = input.reshape(-1)[index + images]
    if include_batch_in_index:
        index += images
    return out, index.astype(Targmax.as_numpy_dtype, copy=False)


@max_pool_with_argmax_op.shape
def max_pool_with_argmax_shapes(input, ksize, strides, padding, Targmax):
    shape = _pooled_shape(input.shape, ksize, strides, padding, (), "NHWC", 2)
    return [shape, Abstract(shape, Targmax)]


def _argmax_gradient(dy, input_shape, argmax, include_batch_in_index):
    # By the places, because NaN may be a maximum or not.
    places = cast(argmax, dtypes.int64)
    if not include_batch_in_index:
        images = number_range(input_shape[0], dtype=dtypes.int64) * prod(input_shape[1:])
        places += array.reshape(images, [-1, 1, 1, 1])
    total = unsorted_segment_sum(
        array.reshape(dy[0], [-1]), array.reshape(places, [-1]), prod(input_shape)
    )
    return array.reshape(total, input_shape)


max_pool_with_argmax_op.gradient(input=_argmax_gradient)


def argmax_rule(items, input, *attributes):
    # The places of maxima count from the first example, or from each.
    return None if attributes[-1] else rows()(items, input, *attributes)


max_pool_with_argmax_op.batching(argmax_rule)


# Public functions


def _with_two_axes(
    function: Any,
    input: Tensor,
    ksize: tuple[int, ...],
    strides: tuple[int, ...],
    padding: tuple[Any, ...],
    data_format: str,
) -> Tensor:
    """Pooling along one axis, done as pooling along two axes of which the first has size 1."""
    place, layout = axis_before(data_format)
    kind, *numbers = padding
    if numbers and numbers[0]:
        numbers = [insert(numbers[0], 2 * place, 0, 0)]
    out = function(
        array.expand_dims(input, place),
        insert(ksize, place, 1),
        insert(strides, place, 1),
        kind,
        *numbers,
        data_format=layout,
    )
    return array.squeeze(out, [place])


def _max_pool(
    input: Any, ksize: Any, strides: Any, padding: Any, data_format: str, spatial: int
) -> Tensor:
    input = convert(input)
    kind, numbers = split_padding(padding, spatial)
    ksize = per_axis(ksize, spatial, "ksize", data_format)
    strides = per_axis(strides, spatial, "strides", data_format)
    if spatial == 1:
        how = (ksize, strides, (kind, numbers), data_format)
        return _with_two_axes(max_pool2d_op, input, *how)
    if spatial == 2 and not channels_first(data_format) and ksize[-1] != 1:
        return _max_pool_over_channels(input, ksize, strides, kind)
    function = max_pool2d_op if spatial == 2 else max_pool3d_op
    return function(input, ksize, strides, kind, numbers, data_format)


def _max_pool_over_channels(
    input: Tensor, ksize: tuple[int, ...], strides: tuple[int, ...], padding: str
) -> Tensor:
    """Maxima over groups of channels, for which TensorFlow requires windows of one pixel."""
    shape = input._shape_tuple()
    if ksize[1] != 1 or ksize[2] != 1:
        refuse(
            "MaxPooling supports exactly one of pooling across depth "
            f"or pooling across width/height; got ksize {list(ksize)}.",
            error=errors.UnimplementedError,
        )
    if len(shape) != 4 or shape[-1] % ksize[-1] or strides != (1, 1, 1, ksize[-1]):
        refuse(
            "Pooling across depth needs windows that divide the channels evenly and do "
            f"not overlap; got ksize {list(ksize)} and strides {list(strides)} for an input "
            f"of shape {list(shape)}.",
            error=errors.UnimplementedError,
        )
    # The channels become the width of an image that has one channel.
    rows = array.reshape(input, (shape[0], shape[1] * shape[2], shape[3], 1))
    window = (1, 1, ksize[-1], 1)
    out = max_pool2d_op(rows, window, window, padding)
    return array.reshape(out, (*shape[:3], shape[3] // ksize[-1]))


def check_name(padding: Any) -> None:
    """Refuse numbers of padding where only "SAME" and "VALID" are taken."""
    if not isinstance(padding, str):
        raise TypeError(f"Expected string for argument 'padding' not {padding!r}.")


def _average_pool(
    input: Any, ksize: Any, strides: Any, padding: Any, data_format: str, spatial: int
) -> Tensor:
    input = convert(input)
    check_name(padding)
    ksize = per_axis(ksize, spatial, "ksize", data_format)
    strides = per_axis(strides, spatial, "strides", data_format)
    if spatial == 1:
        return _with_two_axes(average_pool2d_op, input, ksize, strides, (padding,), data_format)
    function = average_pool2d_op if spatial == 2 else average_pool3d_op
    return function(input, ksize, strides, padding, data_format)


@composition
def max_pool1d(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NWC",
    name: str | None = None,
) -> Tensor:
    """The largest element in each window of a sequence.

    >>> tf.nn.max_pool1d(tf.constant([[[1.0], [3.0], [2.0], [0.0]]]), 2, 2, "VALID").numpy().ravel()
    array([3., 2.], dtype=float32)

    Args:
        input: of shape (batch, length, channels).
        ksize: the size of the windows.
        strides: the distance between windows.
        padding: "SAME" or "VALID".
        data_format: "NWC", or "NCW" if channels come before the length.
    """
    return _max_pool(input, ksize, strides, padding, check_format(data_format, 1), 1)


@public
def max_pool2d(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    name: str | None = None,
) -> Tensor:
    """The largest element in each window of an image, channel by channel.

    >>> x = tf.reshape(tf.range(16.0), [1, 4, 4, 1])
    >>> tf.nn.max_pool2d(x, ksize=2, strides=2, padding="VALID").numpy()[0, :, :, 0]
    array([[ 5.,  7.],
           [13., 15.]], dtype=float32)

    Args:
        input: of shape (batch, height, width, channels).
        ksize: the size of the windows: one number, one for each spatial axis, or one for each axis.
        strides: the distance between windows, in the same form.
        padding: "SAME", "VALID", or a pair of numbers for each axis.
        data_format: "NHWC", or "NCHW" if channels come before the height.
    """
    return _max_pool(input, ksize, strides, padding, check_format(data_format, 2), 2)


@public
def max_pool3d(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NDHWC",
    name: str | None = None,
) -> Tensor:
    """The largest element in each window of a volume. See ``max_pool2d``.

    >>> tf.nn.max_pool3d(tf.ones([1, 4, 4, 4, 1]), 2, 2, "VALID").shape
    TensorShape([1, 2, 2, 2, 1])

    Args:
        input: of shape (batch, depth, height, width, channels).
        ksize: the size of the windows: one number, one for each spatial axis, or one for each axis.
        strides: the distance between windows, in the same form.
        padding: "SAME" or "VALID".
        data_format: "NDHWC", or "NCDHW" if channels come before the depth.
    """
    return _max_pool(input, ksize, strides, padding, check_format(data_format, 3), 3)


@composition
def avg_pool1d(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NWC",
    name: str | None = None,
) -> Tensor:
    """The mean of each window of a sequence.

    >>> tf.nn.avg_pool1d(tf.constant([[[1.0], [3.0], [2.0], [0.0]]]), 2, 2, "VALID").numpy().ravel()
    array([2., 1.], dtype=float32)

    Args:
        input: of shape (batch, length, channels).
        ksize: the size of the windows.
        strides: the distance between windows.
        padding: "SAME" or "VALID".
        data_format: "NWC", or "NCW" if channels come before the length.
    """
    return _average_pool(input, ksize, strides, padding, check_format(data_format, 1), 1)


@public
def avg_pool2d(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    name: str | None = None,
) -> Tensor:
    """The mean of each window of an image, channel by channel. Padding is left out of the means.

    >>> x = tf.reshape(tf.range(9.0), [1, 3, 3, 1])
    >>> tf.nn.avg_pool2d(x, ksize=2, strides=2, padding="SAME").numpy()[0, :, :, 0]
    array([[2. , 3.5],
           [6.5, 8. ]], dtype=float32)

    Args:
        input: of shape (batch, height, width, channels).
        ksize: the size of the windows: one number, one for each spatial axis, or one for each axis.
        strides: the distance between windows, in the same form.
        padding: "SAME" or "VALID".
        data_format: "NHWC", or "NCHW" if channels come before the height.
    """
    return _average_pool(input, ksize, strides, padding, check_format(data_format, 2), 2)


@public
def avg_pool3d(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NDHWC",
    name: str | None = None,
) -> Tensor:
    """The mean of each window of a volume. See ``avg_pool2d``.

    >>> tf.nn.avg_pool3d(tf.ones([1, 4, 4, 4, 1]), 2, 2, "VALID").shape
    TensorShape([1, 2, 2, 2, 1])

    Args:
        input: of shape (batch, depth, height, width, channels).
        ksize: the size of the windows: one number, one for each spatial axis, or one for each axis.
        strides: the distance between windows, in the same form.
        padding: "SAME" or "VALID".
        data_format: "NDHWC", or "NCDHW" if channels come before the depth.
    """
    return _average_pool(input, ksize, strides, padding, check_format(data_format, 3), 3)


def _spatial_rank(input: Tensor, data_format: str | None) -> tuple[int, str]:
    spatial = len(data_format) - 2 if data_format else input.ndim - 2
    if spatial not in (1, 2, 3):
        raise ValueError(
            "Input tensor must be of rank 3, 4 or 5: "
            "a batch, one to three spatial axes, and channels. "
            f"Received a tensor of shape {input.shape}."
        )
    return spatial, check_format(data_format or CHANNELS_LAST[spatial], spatial)


@public
def max_pool(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str | None = None,
    name: str | None = None,
) -> Tensor:
    """The largest element in each window, in as many dimensions as ``input`` has. See ``max_pool2d``.

    >>> tf.nn.max_pool(tf.ones([1, 4, 2]), 2, 2, "VALID").shape
    TensorShape([1, 2, 2])

    Args:
        input: of shape (batch, one to three spatial axes, channels), or as ``data_format`` says.
        ksize: the size of the windows: one number, one for each spatial axis, or one for each axis.
        strides: the distance between windows, in the same form.
        padding: "SAME", "VALID", or a pair of numbers for each axis.
        data_format: a text such as "NHWC" or "NCHW"; None if channels are last.
    """
    input = convert(input)
    spatial, data_format = _spatial_rank(input, data_format)
    return _max_pool(input, ksize, strides, padding, data_format, spatial)


@public
def avg_pool(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str | None = None,
    name: str | None = None,
) -> Tensor:
    """The mean of each window, in as many dimensions as ``input`` has. See ``avg_pool2d``.

    >>> tf.nn.avg_pool(tf.ones([1, 4, 2]), 2, 2, "VALID").shape
    TensorShape([1, 2, 2])

    Args:
        input: of shape (batch, one to three spatial axes, channels), or as ``data_format`` says.
        ksize: the size of the windows: one number, one for each spatial axis, or one for each axis.
        strides: the distance between windows, in the same form.
        padding: "SAME" or "VALID".
        data_format: a text such as "NHWC" or "NCHW"; None if channels are last.
    """
    input = convert(input)
    spatial, data_format = _spatial_rank(input, data_format)
    return _average_pool(input, ksize, strides, padding, data_format, spatial)


@public
def max_pool_with_argmax(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    output_dtype: Any = dtypes.int64,
    include_batch_in_index: bool = False,
    name: str | None = None,
) -> MaxPoolWithArgmax:
    """The largest element in each window, and its index in the flattened image.

    >>> x = tf.reshape(tf.range(16.0), [1, 4, 4, 1])
    >>> tf.nn.max_pool_with_argmax(x, 2, 2, "VALID").argmax.numpy().ravel()
    array([ 5,  7, 13, 15])

    Args:
        input: of shape (batch, height, width, channels).
        ksize: the size of the windows: one number, one for each spatial axis, or one for each axis.
        strides: the distance between windows, in the same form.
        padding: "SAME" or "VALID".
        data_format: "NHWC", which is the only one.
        output_dtype: int32 or int64, the dtype of the indices.
        include_batch_in_index: whether indices count through the whole batch, and not through each image.
    """
    if data_format != "NHWC":
        raise ValueError(
            f"`data_format` values other than 'NHWC' are not supported. Received: {data_format}"
        )
    check_name(padding)
    ksize = per_axis(ksize, 2, "ksize", data_format)
    strides = per_axis(strides, 2, "strides", data_format)
    return max_pool_with_argmax_op(
        input, ksize, strides, padding, output_dtype, include_batch_in_index
    )


@composition
def pool(
    input: Any,
    window_shape: Any,
    pooling_type: str,
    strides: Any = None,
    padding: Any = "VALID",
    data_format: str | None = None,
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """Pooling of the kind ``pooling_type``, "MAX" or "AVG".

    >>> tf.nn.pool(tf.ones([1, 4, 4, 2]), [2, 2], "MAX", strides=[2, 2]).shape
    TensorShape([1, 2, 2, 2])

    Args:
        input: a tensor of a batch, spatial axes and channels.
        window_shape: the size of the window along each spatial axis.
        pooling_type: "MAX" or "AVG".
        strides: the steps of the window along these axes; None is 1 for all.
        padding: "VALID" leaves out windows that reach over the edge, "SAME" keeps them.
        data_format: a text such as "NHWC" or "NCHW"; by default channels are last.
        dilations: for each axis, the distance between the elements of a window. Other values than 1 require
            ``padding="VALID"`` and strides of 1.
    """
    input = convert(input)
    window = static_ints(window_shape)
    spatial = len(window)
    if not isinstance(window_shape, Sized):
        raise TypeError(
            f"window_shape is a list, a size for each spatial axis; {window_shape!r} came."
        )
    if input.ndim != spatial + 2:
        raise ValueError(
            f"pool() expects an input of rank {spatial + 2} for the window {list(window)}: "
            f"batch, {spatial} spatial axes and channels. The input's shape is {list(input.shape)}."
        )
    if pooling_type not in ("MAX", "AVG") or spatial not in (1, 2, 3):
        raise ValueError(f"{spatial}-D {pooling_type} pooling is not supported.")
    data_format = check_format(data_format or CHANNELS_LAST[spatial], spatial)
    strides = (1,) * spatial if strides is None else strides
    if any(stride > size for stride, size in zip(static_ints(strides), window, strict=False)):
        raise ValueError(
            f"pool() does not take strides above the window, {list(window)}, "
            f"as TensorFlow does not; {strides} came. tf.nn.max_pool and tf.nn.avg_pool do."
        )
    function = _max_pool if pooling_type == "MAX" else _average_pool
    rates = (1,) * spatial if dilations is None else static_ints(dilations)
    if len(rates) != spatial or min(rates) < 1:
        raise ValueError(f"dilations must be {spatial} positive integers, not {dilations}.")
    if max(rates) == 1:
        return function(input, window, strides, padding, data_format, spatial)
    if any(stride != 1 for stride in static_ints(strides)):
        raise ValueError(f"Strides ({strides}) do not go together with dilations ({dilations}).")
    if padding != "VALID":
        raise ValueError(f'Dilations ({dilations}) need padding="VALID", not {padding!r}.')
    # Pixels that are a whole number of rates apart are pooled together, as one item of a larger batch.
    first = 2 if channels_first(data_format) else 1
    rates = (1,) * (first - 1) + rates
    missing = [
        (0, -size % rate) for size, rate in zip(input._shape_tuple()[1:], rates, strict=False)
    ]
    apart = space_to_batch_nd(input, rates, missing)
    pooled = function(apart, window, strides, padding, data_format, spatial)
    return batch_to_space_nd(pooled, rates, missing)
