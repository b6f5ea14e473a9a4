"""How alike two pictures are, by PSNR and structural similarity; and how a picture changes, by its edges."""

from __future__ import annotations

from collections.abc import Sequence
from math import log, prod
from typing import Any

import numpy as np

from tapegrad import dtypes
from tapegrad.core import Tensor, convert
from tapegrad.core.compositions import composition
from tapegrad.errors import refuse
from tapegrad.ops.args import check_memory
from tapegrad.ops.constants import constant
from tapegrad.ops.elementwise import exponential, math
from tapegrad.ops.image.pictures import convert_image_dtype
from tapegrad.ops.nn import activations, depthwise, pool
from tapegrad.ops.op import op
from tapegrad.ops.reduce import reduce
from tapegrad.ops.shape import array, casts, joining, padding
from tapegrad.ops.shape_rules import Abstract

PUBLIC = {
    "image compat.v1.image": "image_gradients psnr sobel_edges ssim ssim_multiscale",
}


# Structural similarity


def pair_in_floats(a: Any, b: Any, max_val: Any) -> tuple[Tensor, Tensor, Tensor]:
    """Two pictures and the greatest value that pixels of the first can have, in float32."""
    a, b = convert(a), convert(b)
    greatest = convert_image_dtype(casts.cast(max_val, a.dtype), dtypes.float32)
    return (
        convert_image_dtype(a, dtypes.float32),
        convert_image_dtype(b, dtypes.float32),
        greatest,
    )


@composition
def psnr(a: Any, b: Any, max_val: Any, name: str | None = None) -> Tensor:
    """The peak signal-to-noise ratio, in decibels: ``20 log10(max_val) - 10 log10(mean((a - b)**2))``.

    >>> tf.image.psnr(tf.zeros([4, 4, 1]), tf.fill([4, 4, 1], 0.1), max_val=1.0).numpy().round(4)
    np.float32(20.0)

    Args:
        a, b: pictures of (height, width, channels), or batches of them.
        max_val: the greatest value that pixels of ``a`` can have.
    """
    a, b, greatest = pair_in_floats(a, b, max_val)
    error = reduce.reduce_mean(math.squared_difference(a, b), axis=[-3, -2, -1])
    decibel = 10.0 / log(10.0)
    return 2 * decibel * exponential.log(greatest) - decibel * exponential.log(error)


def check_filter(shape: tuple[int, ...], filter_size: int) -> None:
    if min(shape[-3:-1]) < filter_size:
        refuse(
            f"A picture of shape {list(shape)} is smaller than the filter of size {filter_size}."
        )


def similar_pair(a: Any, b: Any, max_val: Any) -> tuple[Tensor, Tensor, Tensor]:
    """`pair_in_floats` of pictures of one dtype and size, which alone can be similar."""
    a, b = convert(a), convert(b)
    if a.dtype is not b.dtype:
        refuse(f"The two pictures must have one dtype; {a.dtype.name} and {b.dtype.name} came.")
    for tensor in (a, b):
        if tensor.ndim < 3:
            raise ValueError(
                "Pictures must have rank at least 3: height, width, channels; "
                f"got shape {tensor.shape}."
            )
    if a._shape_tuple()[-3:] != b._shape_tuple()[-3:]:
        raise ValueError(f"Two pictures of one size are compared; got {a.shape} and {b.shape}.")
    return pair_in_floats(a, b, max_val)


@op("_GaussianWeights")
def gaussian_weights_op(xp, *, size, sigma):
    places = xp.arange(size) - (size - 1) / 2
    with np.errstate(all="ignore"):  # a sigma of 0 gives NaN, as in TensorFlow
        weights = xp.exp(-0.5 * (places / sigma) ** 2)
        return (weights / weights.sum()).astype(np.float32)


gaussian_weights_op.shape(lambda size: Abstract([size], dtypes.float32))
gaussian_weights_op.no_gradient()


def gaussian_weights(size: int, sigma: float) -> Tensor:
    weights: Tensor = gaussian_weights_op(size=size, sigma=sigma)
    return weights


def blurred(images: Tensor, weights: Tensor) -> Tensor:
    """Weighted means around each pixel for which the weights fit inside: first by columns, then by rows."""
    shape = images._shape_tuple()
    size, channels = weights._shape_tuple()[0], shape[-1]
    flat = array.reshape(images, (prod(shape[:-3]), *shape[-3:]))
    check_memory((size, channels), np.dtype(np.float32))
    for form in ((size, 1), (1, size)):
        column = array.reshape(weights, (*form, 1, 1))
        filters = array.broadcast_to(column, (*form, channels, 1))
        flat = depthwise.depthwise_conv2d(flat, filters, [1, 1, 1, 1], "VALID")
    return array.reshape(flat, (*shape[:-3], *flat._shape_tuple()[1:]))


class Similarity:
    """How alike two pictures are at each pixel and channel: overall, and in contrast and structure alone."""

    def __init__(
        self, x: Tensor, y: Tensor, greatest: Tensor, weights: Tensor, k1: float, k2: float
    ) -> None:
        check_filter(x._shape_tuple(), weights._shape_tuple()[0])
        check_filter(y._shape_tuple(), weights._shape_tuple()[0])
        # These constants keep the quotients from being 0 / 0 where a picture is black or flat.
        c1, c2 = (k1 * greatest) ** 2, (k2 * greatest) ** 2
        mean_x, mean_y = blurred(x, weights), blurred(y, weights)
        product, squares = mean_x * mean_y * 2.0, mean_x * mean_x + mean_y * mean_y
        luminance = (product + c1) / (squares + c1)
        covariance = blurred(x * y, weights) * 2.0 - product
        variance = blurred(x * x + y * y, weights) - squares
        self.contrast = (covariance + c2) / (variance + c2)
        self.whole = luminance * self.contrast


@composition
def ssim(
    img1: Any,
    img2: Any,
    max_val: Any,
    filter_size: Any = 11,
    filter_sigma: Any = 1.5,
    k1: Any = 0.01,
    k2: Any = 0.03,
    return_index_map: Any = False,
) -> Tensor:
    """The structural similarity of pictures, which is 1 if they are the same.

    >>> x = tf.reshape(tf.range(256.0) / 255, [16, 16, 1])
    >>> tf.image.ssim(x, x, max_val=1.0).numpy()
    np.float32(1.0)

    Args:
        img1, img2: pictures of (height, width, channels), or batches of them, of one dtype. They are not
            smaller than the filter.
        max_val: the greatest value that pixels can have.
        filter_size, filter_sigma: the size and deviation of the Gaussian within which pixels are compared.
        k1, k2: the larger these are, the less dark and flat parts count.
        return_index_map: whether to return the similarity at each pixel, rather than the mean.
    """
    x, y, greatest = similar_pair(img1, img2, max_val)
    weights = gaussian_weights(int(filter_size), float(filter_sigma))
    similarity = Similarity(x, y, greatest, weights, k1, k2).whole
    if return_index_map:
        return reduce.reduce_mean(similarity, axis=[-1])
    return reduce.reduce_mean(similarity, axis=[-3, -2, -1])


def halved(images: Tensor) -> Tensor:
    """The mean of every two by two pixels as one pixel. If a size is odd, the last pixel counts twice."""
    shape = images._shape_tuple()
    flat = array.reshape(images, (prod(shape[:-3]), *shape[-3:]))
    odd = [[0, 0], [0, shape[-3] % 2], [0, shape[-2] % 2], [0, 0]]
    if shape[-3] % 2 or shape[-2] % 2:
        flat = padding.pad(flat, odd, mode="SYMMETRIC")
    flat = pool.avg_pool(flat, ksize=2, strides=2, padding="VALID")
    return array.reshape(flat, (*shape[:-3], *flat._shape_tuple()[1:]))


@composition
def ssim_multiscale(
    img1: Any,
    img2: Any,
    max_val: Any,
    power_factors: Sequence[float] = (0.0448, 0.2856, 0.3001, 0.2363, 0.1333),
    filter_size: Any = 11,
    filter_sigma: Any = 1.5,
    k1: Any = 0.01,
    k2: Any = 0.03,
) -> Tensor:
    """The structural similarity at several scales, each half the size of the one before, multiplied.

    >>> x = tf.reshape(tf.range(1024.0) / 1023, [32, 32, 1])
    >>> tf.image.ssim_multiscale(x, x, max_val=1.0, power_factors=(0.5, 0.5)).numpy()
    np.float32(1.0)

    Args:
        img1, img2: pictures of (height, width, channels), or batches of them, of one dtype. At the last scale
            they are not smaller than the filter.
        max_val, filter_size, filter_sigma, k1, k2: as for ``tf.image.ssim``.
        power_factors: an exponent for each scale.
    """
    x, y, greatest = similar_pair(img1, img2, max_val)
    weights = gaussian_weights(int(filter_size), float(filter_sigma))
    parts = []
    for scale, _ in enumerate(power_factors):
        if scale:
            x, y = halved(x), halved(y)
        similarity = Similarity(x, y, greatest, weights, k1, k2)
        last = scale == len(power_factors) - 1
        part = similarity.whole if last else similarity.contrast
        # Negative similarities have no real powers.
        parts.append(activations.relu(reduce.reduce_mean(part, axis=[-3, -2])))
    factors = constant(power_factors, dtypes.float32)
    product = reduce.reduce_prod(math.pow(joining.stack(parts, -1), factors), axis=[-1])
    return reduce.reduce_mean(product, axis=[-1])


# Where a picture changes

SOBEL = (((-1, -2, -1), (0, 0, 0), (1, 2, 1)), ((-1, 0, 1), (-2, 0, 2), (-1, 0, 1)))


def four_dimensional(image: Any, function: str) -> Tensor:
    tensor = convert(image)
    if tensor.ndim != 4:
        raise ValueError(
            f"{function}() expects a 4-D tensor (batch, height, width, channels), "
            f"not one of shape {tensor.shape}."
        )
    return tensor


@composition
def sobel_edges(image: Any) -> Tensor:
    """Sobel's two filters on each channel: how the channel changes downwards, and to the right.

    >>> x = tf.constant([[0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [1.0, 1.0, 1.0]])
    >>> tf.image.sobel_edges(x[None, :, :, None]).numpy()[0, 1, 1, 0]
    array([4., 0.], dtype=float32)

    Args:
        image: pictures of (batch, height, width, channels).
    """
    tensor = four_dimensional(image, "sobel_edges")
    shape = tensor._shape_tuple()
    check_memory((3, 3, shape[3], 2), tensor.dtype.numpy_dtype)
    # A dtype that the convolution does not take may not hold -1 either. The convolution says which it takes.
    kind = tensor.dtype if tensor.dtype.is_floating else dtypes.float32
    filters = array.transpose(constant(SOBEL, kind), [1, 2, 0])
    repeated = array.broadcast_to(array.reshape(filters, (3, 3, 1, 2)), (3, 3, shape[3], 2))
    around = padding.pad(tensor, [[0, 0], [1, 1], [1, 1], [0, 0]], mode="REFLECT")
    out = depthwise.depthwise_conv2d(around, repeated, [1, 1, 1, 1], "VALID")
    return array.reshape(out, (*shape, 2))


@composition
def image_gradients(image: Any) -> tuple[Tensor, Tensor]:
    """The change from each pixel to the one below, and to the one on its right. At the end it is 0.

    >>> dy, dx = tf.image.image_gradients(tf.constant([[[[1.0], [3.0]], [[2.0], [7.0]]]]))
    >>> dy.numpy()[0, :, :, 0], dx.numpy()[0, :, :, 0]
    (array([[1., 4.],
           [0., 0.]], dtype=float32), array([[2., 0.],
           [5., 0.]], dtype=float32))

    Args:
        image: pictures of (batch, height, width, channels).
    """
    tensor = four_dimensional(image, "image_gradients")
    if 0 in tensor._shape_tuple()[1:3]:
        refuse(f"A picture of shape {tensor.shape} has no pixels to compare.")
    down = tensor[:, 1:] - tensor[:, :-1]
    right = tensor[:, :, 1:] - tensor[:, :, :-1]
    return (
        padding.pad_op(down, paddings=[[0, 0], [0, 1], [0, 0], [0, 0]]),
        padding.pad_op(right, paddings=[[0, 0], [0, 0], [0, 1], [0, 0]]),
    )
