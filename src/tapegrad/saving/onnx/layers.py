"""`OPS`: convolutions, pooling, normalisation, quantisation and slopes as nodes of ONNX's; see ``elements``.

ONNX has images with channels first, (batch, channels, height, width). An op on images with channels last is
written between two transposes. Where such ops follow each other, the transposes between them go (``graph``).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tapegrad.saving.onnx.elements import Attributes, Row, select_v2
from tapegrad.saving.onnx.graph import CHANNELS_FIRST, CHANNELS_LAST, Graph, NoWay, Value


def _is_last(attributes: Attributes) -> bool:
    """Whether channels are last."""
    return bool(attributes.get("data_format", "NHWC").endswith("C"))


def _inner(attributes: Attributes, numbers: list[int]) -> list[int]:
    """The numbers of the axes of places, without batch and channels."""
    outer, inner = (numbers[0], numbers[-1]), numbers[1:-1]
    if not _is_last(attributes):
        outer, inner = (numbers[0], numbers[1]), numbers[2:]
    if outer != (1, 1):
        raise NoWay("windows over the batch or the channels")
    return list(inner)


def _images(to: Graph, attributes: Attributes, x: Value) -> Value:
    """Images with channels first."""
    return to.turn(x, CHANNELS_FIRST[x.rank]) if _is_last(attributes) else x


def _back(to: Graph, attributes: Attributes, x: Value) -> Value:
    """Images as the op has them."""
    return to.turn(x, CHANNELS_LAST[x.rank]) if _is_last(attributes) else x


def _padding(
    attributes: Attributes, sizes: Any, kernel: Any, strides: Any, dilations: Any
) -> dict[str, Any]:
    """The padding, in numbers where the sizes are known."""
    kind = attributes["padding"]
    count = len(strides)
    if kind == "VALID":
        return {}
    if kind == "EXPLICIT":
        pairs = np.reshape(attributes["explicit_paddings"], (-1, 2))
        pairs = pairs[1:-1] if _is_last(attributes) else pairs[2:]
        return {"pads": pairs.T.ravel().tolist()}
    pads: list[list[int]] = [[], []]
    for axis in range(count):
        reach = (kernel[axis] - 1) * dilations[axis] + 1
        if strides[axis] == 1:
            total = reach - 1
        elif isinstance(sizes[axis], int):
            last = (-(-sizes[axis] // strides[axis]) - 1) * strides[axis]
            total = max(last + reach - sizes[axis], 0)
        else:
            return {"auto_pad": "SAME_UPPER"}
        pads[0].append(total // 2)
        pads[1].append(total - total // 2)
    return {"pads": pads[0] + pads[1]}


def _known(sizes: Any, what: str) -> list[int]:
    if not all(isinstance(size, int) for size in sizes):
        raise NoWay(f"{what} of an unknown size")
    return list(sizes)


def _convolved(
    to: Graph, attributes: Attributes, x: Value, weights: Value, group: int, dilations: Any
) -> Value:
    """A convolution of images with weights in the order of ONNX's."""
    strides = _inner(attributes, attributes["strides"])
    kernel = _known(weights.shape[2:], "a filter")
    images = _images(to, attributes, x)
    padding = _padding(attributes, images.shape[2:], kernel, strides, dilations)
    result = to.op(
        "Conv", images, weights, kernel_shape=kernel, strides=strides,
        dilations=dilations, group=group, **padding,
    )  # fmt: skip
    return _back(to, attributes, result)


def convolution(to: Graph, attributes: Attributes, x: Any, filter: Any) -> Value:
    """A convolution; its filter has the channels last."""
    rank = x.rank
    weights = to.turn(filter, [rank - 1, rank - 2, *range(rank - 2)])
    channels = x.shape[-1 if _is_last(attributes) else 1]
    own = _known([weights.shape[1]], "the channels of a filter")[0]
    # Without groups the filter has all channels.
    group = channels // own if isinstance(channels, int) else 1
    ones = [1] * rank
    dilations = _inner(attributes, attributes.get("dilations") or ones)
    return _convolved(to, attributes, x, weights, group, dilations)


def depthwise(to: Graph, attributes: Attributes, x: Any, filter: Any) -> Value:
    """A convolution of each channel on its own."""
    height, width, channels, times = _known(filter.shape, "a filter")
    weights = to.reshape(to.turn(filter, [2, 3, 0, 1]), channels * times, 1, height, width)
    dilations = _inner(attributes, attributes.get("dilations") or [1] * 4)
    return _convolved(to, attributes, x, weights, channels, dilations)


def transposed_convolution(
    to: Graph, attributes: Attributes, sizes: Any, filter: Any, dy: Any
) -> Value:
    """The gradient of a convolution: the whole one, of which what padding has added goes.

    The whole has (n - 1) * stride + reach places along an axis with n, and is made stride - 1 longer, since
    the last window of a convolution need not reach the end.
    """
    rank = dy.rank
    strides = _inner(attributes, attributes["strides"])
    dilations = _inner(attributes, attributes.get("dilations") or [1] * rank)
    weights = to.turn(filter, [rank - 1, rank - 2, *range(rank - 2)])
    kernel = _known(weights.shape[2:], "a filter")
    images = _images(to, attributes, dy)
    whole = to.op(
        "ConvTranspose", images, weights, kernel_shape=kernel, strides=strides, dilations=dilations,
        output_padding=[stride - 1 for stride in strides],
    )  # fmt: skip
    first = 1 if _is_last(attributes) else 2
    starts: list[Any] = []
    ends: list[Value] = []
    for axis, stride in enumerate(strides):
        place = first + axis
        own = to.op("Slice", to.vector(sizes), [place], [place + 1], [0], [1])
        start: Any = 0
        if attributes["padding"] == "EXPLICIT":
            start = attributes["explicit_paddings"][2 * place]
        elif attributes["padding"] == "SAME":
            reach = (kernel[axis] - 1) * dilations[axis] + 1
            places = to.op("Mul", to.op("Sub", to.size(images, axis + 2), 1), stride)
            total = to.op("Max", to.op("Sub", to.op("Add", places, reach), own), 0)
            start = total.array // 2 if total.array is not None else to.op("Div", total, 2)
            start = to.constant(start) if isinstance(start, np.ndarray) else start
        starts.append(start)
        ends.append(to.op("Add", own, start))
    axes = [*range(2, rank)]
    cut = to.op("Slice", whole, to.joined(*starts), to.joined(*ends), axes, [1] * len(axes))
    known = to.vector(sizes)
    elements = known.array if known.sizes is None else known.sizes
    if elements is not None:
        inner = [elements[first + axis] for axis in range(len(strides))]
        cut.shape = (cut.shape[0], weights.shape[1], *inner)
    return _back(to, attributes, cut)


def pool(op: str) -> Row:
    """The largest element or the mean of windows."""

    def write(to: Graph, attributes: Attributes, x: Any) -> Value:
        kernel = _inner(attributes, attributes["ksize"])
        strides = _inner(attributes, attributes["strides"])
        images = _images(to, attributes, x)
        padding = _padding(attributes, images.shape[2:], kernel, strides, [1] * len(kernel))
        result = to.op(op, images, kernel_shape=kernel, strides=strides, **padding)
        return _back(to, attributes, result)

    return write


def batch_normalization(
    to: Graph, attributes: Attributes, x: Any, scale: Any, offset: Any, mean: Any, variance: Any
) -> list[Value]:
    """Images less their mean, over their deviation, with a scale and an offset; and the moments."""
    images = _images(to, attributes, to.cast(x, scale.dtype))
    epsilon = float(attributes.get("epsilon", 1e-4))
    if not attributes.get("is_training", True):
        result = to.op("BatchNormalization", images, scale, offset, mean, variance, epsilon=epsilon)
        own = to.cast(_back(to, attributes, result), x.dtype)
        return [own, mean, variance, mean, variance, variance]
    if attributes.get("exponential_avg_factor", 1.0) != 1.0:
        raise NoWay("running means of moments")
    axes = [axis for axis in range(images.rank) if axis != 1]
    places = [*range(1, images.rank - 1)]
    centre = to.op("ReduceMean", images, axes, keepdims=1)
    spread = to.op("Sub", images, centre)
    power = to.op("ReduceMean", to.op("Mul", spread, spread), axes, keepdims=1)
    root = to.op("Sqrt", to.op("Add", power, epsilon))
    scaled = to.op("Mul", to.op("Div", spread, root), to.unsqueeze(scale, places))
    result = to.op("Add", scaled, to.unsqueeze(offset, places))
    moments = [to.squeeze(moment, axes) for moment in (centre, power)]
    channels = to.op("ReduceProd", to.size(images, 1), [0], keepdims=0)
    count = to.op("Div", to.op("Size", images), channels)
    less = to.op("Max", to.op("Sub", count, 1), 1)
    share = to.op("Div", to.cast(count, scale.dtype), to.cast(less, scale.dtype))
    unbiased = to.op("Mul", moments[1], share)
    own = to.cast(_back(to, attributes, result), x.dtype)
    return [own, moments[0], unbiased, *moments, moments[1]]


def local_response(to: Graph, attributes: Attributes, x: Any) -> Value:
    """Images over a power of the sum of squares of near channels."""
    size = 2 * attributes.get("depth_radius", 5) + 1
    result = to.op(
        "LRN", to.turn(x, CHANNELS_FIRST[4]), size=size,
        alpha=float(attributes.get("alpha", 1.0)) * size,
        beta=float(attributes.get("beta", 0.5)), bias=float(attributes.get("bias", 1.0)),
    )  # fmt: skip
    return to.turn(result, CHANNELS_LAST[4])


def patches(to: Graph, attributes: Attributes, images: Any) -> Value:
    """The elements of windows as channels: a convolution whose filters have a single one."""
    height, width = _inner(attributes, attributes["ksizes"])
    [channels] = _known(images.shape[3:], "images with channels")
    count = height * width * channels
    places = np.eye(count, dtype=images.dtype.numpy_dtype)
    weights = to.constant(
        places.reshape(count, height, width, channels).transpose(0, 3, 1, 2), "patches"
    )
    return _convolved(to, attributes, images, weights, 1, _inner(attributes, attributes["rates"]))


# Quantisation


def fake_quantized(
    to: Graph, attributes: Attributes, x: Any, least: Any = None, most: Any = None
) -> Value:
    """The nearest of 2 ** num_bits numbers at the same distance, one of which is 0."""
    if least is None:
        least = to.like(attributes.get("min", -6.0), x)
        most = to.like(attributes.get("max", 6.0), x)
    first = float(attributes.get("narrow_range", False))
    last = 2.0 ** attributes.get("num_bits", 8) - 1
    scale = to.op("Div", to.op("Sub", most, least), last - first)
    zero = to.op("Sub", to.like(first, x), to.op("Div", least, scale))
    zero = to.op("Floor", to.op("Add", to.op("Clip", zero, first, last), 0.5))
    low = to.op("Mul", to.op("Sub", to.like(first, x), zero), scale)
    high = to.op("Mul", to.op("Sub", to.like(last, x), zero), scale)
    inside = to.op("Sub", to.op("Min", to.op("Max", x, low), high), low)
    steps = to.op("Floor", to.op("Add", to.op("Div", inside, scale), 0.5))
    return to.op("Add", to.op("Mul", steps, scale), low)


# Slopes of activations, for gradients within a function


def relu_slope(to: Graph, attributes: Attributes, dy: Any, features: Any) -> Value:
    """dy where the features are positive."""
    return select_v2(to, {}, to.op("Greater", features, 0.0), dy, to.like(0.0, dy))


def sigmoid_slope(to: Graph, attributes: Attributes, y: Any, dy: Any) -> Value:
    """dy * y * (1 - y)."""
    return to.op("Mul", to.op("Mul", dy, y), to.op("Sub", to.like(1.0, y), y))


def tanh_slope(to: Graph, attributes: Attributes, y: Any, dy: Any) -> Value:
    """dy * (1 - y * y)."""
    return to.op("Mul", dy, to.op("Sub", to.like(1.0, y), to.op("Mul", y, y)))


def sqrt_slope(to: Graph, attributes: Attributes, y: Any, dy: Any) -> Value:
    """dy / (2 * y)."""
    return to.op("Div", to.op("Mul", dy, 0.5), y)


def rsqrt_slope(to: Graph, attributes: Attributes, y: Any, dy: Any) -> Value:
    """-dy * y ** 3 / 2."""
    cube = to.op("Mul", to.op("Mul", y, y), y)
    return to.op("Mul", to.op("Mul", dy, -0.5), cube)


def reciprocal_slope(to: Graph, attributes: Attributes, y: Any, dy: Any) -> Value:
    """-dy * y * y."""
    return to.op("Mul", to.op("Neg", dy), to.op("Mul", y, y))


def softplus_slope(to: Graph, attributes: Attributes, dy: Any, features: Any) -> Value:
    """dy times the sigmoid."""
    return to.op("Mul", dy, to.op("Sigmoid", features))


def softsign_slope(to: Graph, attributes: Attributes, dy: Any, features: Any) -> Value:
    """dy / (1 + |x|) ** 2."""
    root = to.op("Add", to.op("Abs", features), 1.0)
    return to.op("Div", dy, to.op("Mul", root, root))


OPS: dict[str, Row] = {
    "AvgPool": pool("AveragePool"),
    "AvgPool3D": pool("AveragePool"),
    "Conv2D": convolution,
    "Conv2DBackpropInput": transposed_convolution,
    "Conv3D": convolution,
    "Conv3DBackpropInputV2": transposed_convolution,
    "DepthwiseConv2dNative": depthwise,
    "ExtractImagePatches": patches,
    "FakeQuantWithMinMaxArgs": fake_quantized,
    "FakeQuantWithMinMaxVars": fake_quantized,
    "FakeQuantWithMinMaxVarsPerChannel": fake_quantized,
    "FusedBatchNorm": batch_normalization,
    "FusedBatchNormV2": batch_normalization,
    "FusedBatchNormV3": batch_normalization,
    "InvGrad": reciprocal_slope,
    "LRN": local_response,
    "MaxPool": pool("MaxPool"),
    "MaxPool3D": pool("MaxPool"),
    "ReciprocalGrad": reciprocal_slope,
    "ReluGrad": relu_slope,
    "RsqrtGrad": rsqrt_slope,
    "SigmoidGrad": sigmoid_slope,
    "SoftplusGrad": softplus_slope,
    "SoftsignGrad": softsign_slope,
    "SqrtGrad": sqrt_slope,
    "TanhGrad": tanh_slope,
}
"""Op of TensorFlow's -> what writes a node of it."""
