# Written by tools/write_types.py from the functions themselves.
# ruff: noqa
# fmt: off
# mypy: disable-error-code="overload-overlap"

from tapegrad.core import Tensor as Tensor
from tapegrad.framework.types import Axis as Axis
from tapegrad.framework.types import ShapeLike as ShapeLike
from tapegrad.framework.types import TensorLike as TensorLike

def batch_to_space(
    input: TensorLike,
    block_shape: TensorLike,
    crops: TensorLike,
    name: str | None = None,
) -> Tensor:
    """The inverse of `space_to_batch`, then cropped. A single block size stands for two axes.

    >>> tf.batch_to_space([[[1], [3]], [[2], [4]]], [2], [[0, 0]]).numpy().tolist()
    [[[1], [2], [3], [4]]]
    """

def depth_to_space(
    input: TensorLike,
    block_size: TensorLike,
    data_format: str = 'NHWC',
    name: str | None = None,
) -> Tensor:
    """``input`` with its channels spread over ``block_size``² blocks of a larger image.

    >>> tf.nn.depth_to_space([[[[1, 2, 3, 4]]]], 2).numpy().tolist()
    [[[[1], [2]], [[3], [4]]]]

    Args:
        input: a tensor.
        block_size: required.
        data_format: 'NHWC' if left out.
        name: accepted, and of no effect.

    Returns:
        A tensor.
    """

def required_space_to_batch_paddings(
    input_shape: ShapeLike,
    block_shape: TensorLike,
    base_paddings: TensorLike | None = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """The paddings that make ``input_shape`` a multiple of ``block_shape``, and the crops that undo them.

    >>> paddings, crops = tf.required_space_to_batch_paddings([5], [2])
    >>> paddings.numpy().tolist(), crops.numpy().tolist()
    ([[0, 1]], [[0, 1]])
    """

def reverse(tensor: TensorLike, axis: Axis, name: str | None = None) -> Tensor:
    """``tensor`` with the order of its slices reversed along each axis in ``axis``.

    >>> tf.reverse([[1, 2], [3, 4]], axis=[0]).numpy().tolist()
    [[3, 4], [1, 2]]

    Args:
        tensor: a tensor.
        axis: required.
        name: accepted, and of no effect.

    Returns:
        A tensor.
    """

def reverse_sequence(
    input: TensorLike,
    seq_lengths: TensorLike,
    seq_axis: Axis | None = None,
    batch_axis: Axis | None = None,
    name: str | None = None,
) -> Tensor:
    """``input`` with the first ``seq_lengths[i]`` elements of each item i along ``seq_axis`` reversed.

    >>> tf.reverse_sequence([[1, 2, 3], [4, 5, 6]], [2, 3], seq_axis=1).numpy().tolist()
    [[2, 1, 3], [6, 5, 4]]
    """

def roll(input: TensorLike, shift: TensorLike, axis: Axis, name: str | None = None) -> Tensor:
    """``input`` moved by ``shift`` along ``axis``. Elements that leave at one end come in at the other.

    >>> tf.roll([1, 2, 3, 4], shift=1, axis=0).numpy().tolist()
    [4, 1, 2, 3]

    Args:
        input: a tensor.
        shift: required.
        axis: required.
        name: accepted, and of no effect.

    Returns:
        A tensor.
    """

def space_to_batch(
    input: TensorLike,
    block_shape: TensorLike,
    paddings: TensorLike,
    name: str | None = None,
) -> Tensor:
    """`space_to_batch_nd` under the name that `tf.nn` has for it.

    >>> tf.space_to_batch([[[1], [2], [3], [4]]], [2], [[0, 0]]).shape
    TensorShape([2, 2, 1])
    """

def space_to_batch_nd(
    input: TensorLike,
    block_shape: TensorLike,
    paddings: TensorLike,
    name: str | None = None,
) -> Tensor:
    """``input``, padded, with the positions within each block of the later axes moved into the first axis.

    >>> tf.space_to_batch_nd([[[1], [2], [3], [4]]], [2], [[0, 0]]).numpy().tolist()
    [[[1], [3]], [[2], [4]]]

    Args:
        input: a tensor.
        block_shape: required.
        paddings: required.
        name: accepted, and of no effect.

    Returns:
        A tensor.
    """

def space_to_depth(
    input: TensorLike,
    block_size: TensorLike,
    data_format: str = 'NHWC',
    name: str | None = None,
) -> Tensor:
    """``input`` with the positions within each ``block_size``² block of an image moved into its channels.

    >>> tf.nn.space_to_depth([[[[1], [2]], [[3], [4]]]], 2).numpy().tolist()
    [[[[1, 2, 3, 4]]]]

    Args:
        input: a tensor.
        block_size: required.
        data_format: 'NHWC' if left out.
        name: accepted, and of no effect.

    Returns:
        A tensor.
    """
