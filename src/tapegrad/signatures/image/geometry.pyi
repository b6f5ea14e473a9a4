# Written by tools/write_types.py from the functions themselves.
# ruff: noqa
# fmt: off
# mypy: disable-error-code="overload-overlap"

from collections.abc import Sequence as Sequence
from tapegrad.core import Tensor as Tensor
from tapegrad.framework.types import TensorLike as TensorLike

def crop_and_resize(
    image: TensorLike,
    boxes: TensorLike,
    box_indices: TensorLike,
    crop_size: TensorLike,
    method: str = 'bilinear',
    extrapolation_value: TensorLike = 0.0,
    name: str | None = None,
) -> Tensor:
    """Boxes of pictures, each resampled to ``crop_size``, in float32.

    >>> x = tf.constant([[[[0.0], [1.0]], [[2.0], [3.0]]]])
    >>> tf.image.crop_and_resize(x, [[0.0, 0.0, 0.5, 1.0]], [0], [2, 2]).numpy()[0, :, :, 0]
    array([[0., 1.],
           [1., 2.]], dtype=float32)

    Args:
        boxes: rows of [y1, x1, y2, x2], from 0 at the center of the first pixel to 1 at that of the last. If
            y1 > y2, the crop is upside down.
        box_indices: the picture of the batch to which each box belongs.
        extrapolation_value: the value of pixels outside the picture.
    """

def extract_glimpse(
    input: TensorLike,
    size: TensorLike,
    offsets: TensorLike,
    centered: bool = True,
    normalized: bool = True,
    noise: str = 'uniform',
    name: str | None = None,
) -> Tensor:
    """A window of ``size`` from each picture, centered at ``offsets`` or beginning there.

    >>> x = tf.reshape(tf.range(9.0), [1, 3, 3, 1])
    >>> tf.image.extract_glimpse(x, [1, 2], [[0.0, 0.0]], centered=False).numpy()[0, :, :, 0]
    array([[0., 1.]], dtype=float32)

    Args:
        offsets: (y, x) for each picture. Normalized offsets go from -1 to 1 if centered, where 0 puts the
            middle of the window in the middle of the picture, and otherwise from 0 to 1. Others count pixels.
        noise: what the window shows outside the picture: "uniform" or "gaussian" noise like the picture's
            values, or "zero".

    Differs from TensorFlow: it has a gradient.
    """

def extract_patches(
    images: TensorLike,
    sizes: TensorLike,
    strides: TensorLike,
    rates: TensorLike,
    padding: str | Sequence[Sequence[int]] | TensorLike,
    name: str | None = None,
) -> Tensor:
    """Patches of pictures, each as one long depth: (batch, rows, columns, height * width * depth).

    >>> x = tf.reshape(tf.range(9), [1, 3, 3, 1])
    >>> tf.image.extract_patches(x, sizes=[1, 2, 2, 1], strides=[1, 1, 1, 1], rates=[1, 1, 1, 1],
    ...                          padding="VALID").numpy()[0, 0]
    array([[0, 1, 3, 4],
           [1, 2, 4, 5]], dtype=int32)

    Args:
        sizes: [1, height, width, 1] of the patches.
        strides: [1, rows, columns, 1] from each patch to the next.
        rates: [1, rows, columns, 1] from each pixel of a patch to the next.
        padding: "VALID" for patches inside the picture only, "SAME" for zeros around the picture.

    Returns:
        A tensor.
    """

def extract_volume_patches(
    input: TensorLike,
    ksizes: TensorLike,
    strides: TensorLike,
    padding: str | Sequence[Sequence[int]] | TensorLike,
    name: str | None = None,
) -> Tensor:
    """Patches of volumes, each as one long depth.

    Args:
        input: a tensor of real numbers.
        ksizes: required.
        strides: required.
        padding: required.
        name: accepted, and of no effect.

    Returns:
        A tensor.
    """
