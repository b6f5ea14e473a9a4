# Written by tools/write_types.py from the functions themselves.
# ruff: noqa
# fmt: off
# mypy: disable-error-code="overload-overlap"

from collections.abc import Sequence as Sequence
from tapegrad.core import Tensor as Tensor
from tapegrad.framework.types import Axis as Axis
from tapegrad.framework.types import Composite as Composite
from tapegrad.framework.types import ShapeLike as ShapeLike
from tapegrad.framework.types import TensorLike as TensorLike
from typing import overload as overload

def broadcast_to(input: TensorLike, shape: ShapeLike, name: str | None = None) -> Tensor:
    """``input`` repeated along new axes and axes of size 1 until it has the shape ``shape``.

    >>> tf.broadcast_to([1, 2], [2, 2]).numpy().tolist()
    [[1, 2], [1, 2]]

    Args:
        input: a tensor.
        shape: required.
        name: accepted, and of no effect.

    Returns:
        A tensor of the shape that input broadcast to.
    """

def concat(values: TensorLike, axis: Axis, name: str | None = 'concat') -> Tensor:
    """The tensors in the list ``values``, one after the other along ``axis``.

    >>> tf.concat([[[1, 2]], [[3, 4], [5, 6]]], 0).numpy().tolist()
    [[1, 2], [3, 4], [5, 6]]
    """

def ensure_shape(x: TensorLike, shape: ShapeLike, name: str | None = None) -> Tensor:
    """``x`` unchanged if it has the shape ``shape``, where None stands for any size. Otherwise raises.

    >>> tf.ensure_shape(tf.zeros([2, 3]), [None, 3]).shape
    TensorShape([2, 3])

    Args:
        x: a tensor.
        shape: required.
        name: accepted, and of no effect.

    Returns:
        A tensor.
    """

def expand_dims(input: TensorLike, axis: Axis, name: str | None = None) -> Tensor:
    """``input`` with a new axis of size 1 at position ``axis``.

    >>> tf.expand_dims([1, 2, 3], 0).shape, tf.expand_dims([1, 2, 3], -1).shape
    (TensorShape([1, 3]), TensorShape([3, 1]))

    Args:
        input: a tensor.
        axis: required.
        name: accepted, and of no effect.

    Returns:
        A tensor.
    """

@overload
def identity(input: Composite, name: str | None = None) -> Composite:
    """A new tensor with the same value, which a tape can watch separately.

    >>> x = tf.constant(2.0)
    >>> tf.identity(x) is x, tf.identity(x).numpy()
    (False, np.float32(2.0))
    """

@overload
def identity(input: TensorLike, name: str | None = None) -> Tensor:
    """A new tensor with the same value, which a tape can watch separately.

    >>> x = tf.constant(2.0)
    >>> tf.identity(x) is x, tf.identity(x).numpy()
    (False, np.float32(2.0))
    """

def identity_n(input: Sequence[TensorLike], name: str | None = None) -> list[Tensor]:
    """A list of new tensors equal to those in ``input``, each of which can be watched separately.

    >>> [t.numpy() for t in tf.identity_n([tf.constant(1.0), tf.constant(2)])]
    [np.float32(1.0), np.int32(2)]
    """

def identity_op(input: TensorLike, name: str | None = None) -> Tensor:
    """TensorFlow's op Identity.

    Args:
        input: a tensor.
        name: accepted, and of no effect.

    Returns:
        A tensor.
    """

def parallel_stack(values: TensorLike, name: str | None = 'parallel_stack') -> Tensor:
    """`tf.stack` in a `tf.function`. Elsewhere it is an error, as in TensorFlow.

    Differs from TensorFlow: it has a gradient.

    Raises:
        RuntimeError: outside of functions.
    """

def reshape(tensor: TensorLike, shape: ShapeLike, name: str | None = None) -> Tensor:
    """The elements of ``tensor``, in their order, in the shape ``shape``. One size may be -1.

    >>> tf.reshape([[1, 2, 3], [4, 5, 6]], [3, -1])
    <tf.Tensor: shape=(3, 2), dtype=int32, numpy=
    array([[1, 2],
           [3, 4],
           [5, 6]], dtype=int32)>

    Args:
        tensor: a tensor.
        shape: required.
        name: accepted, and of no effect.

    Returns:
        A tensor.
    """

def split(
    value: TensorLike,
    num_or_size_splits: TensorLike,
    axis: Axis = 0,
    num: int | None = None,
    name: str | None = 'split',
) -> list[Tensor]:
    """``value`` cut along ``axis`` into a number of equal parts, or into parts of the sizes in a list.

    >>> [t.numpy().tolist() for t in tf.split([1, 2, 3, 4], 2)]
    [[1, 2], [3, 4]]
    >>> [t.numpy().tolist() for t in tf.split([1, 2, 3, 4], [1, -1])]
    [[1], [2, 3, 4]]
    """

def squeeze(input: TensorLike, axis: Axis | None = None, name: str | None = None) -> Tensor:
    """``input`` without its axes of size 1, or without those of them that are in ``axis``.

    >>> tf.squeeze(tf.zeros([1, 2, 1])).shape, tf.squeeze(tf.zeros([1, 2, 1]), axis=0).shape
    (TensorShape([2]), TensorShape([2, 1]))

    Args:
        input: a tensor.
        axis: None if left out.
        name: accepted, and of no effect.

    Returns:
        A tensor.
    """

def stack(values: TensorLike, axis: Axis = 0, name: str | None = 'stack') -> Tensor:
    """The tensors in the list ``values``, stacked along a new axis at position ``axis``.

    >>> tf.stack([[1, 2], [3, 4]], axis=1).numpy().tolist()
    [[1, 3], [2, 4]]
    """

@overload
def stop_gradient(input: Composite, name: str | None = None) -> Composite:
    """``input`` unchanged. No gradient flows back through it.

    >>> x = tf.constant(3.0)
    >>> with tf.GradientTape() as tape:
    ...     tape.watch(x)
    ...     y = x * tf.stop_gradient(x)
    >>> tape.gradient(y, x)                # 3, not 6: the second factor counts as a constant
    <tf.Tensor: shape=(), dtype=float32, numpy=3.0>
    """

@overload
def stop_gradient(input: TensorLike, name: str | None = None) -> Tensor:
    """``input`` unchanged. No gradient flows back through it.

    >>> x = tf.constant(3.0)
    >>> with tf.GradientTape() as tape:
    ...     tape.watch(x)
    ...     y = x * tf.stop_gradient(x)
    >>> tape.gradient(y, x)                # 3, not 6: the second factor counts as a constant
    <tf.Tensor: shape=(), dtype=float32, numpy=3.0>
    """

def tile(input: TensorLike, multiples: TensorLike, name: str | None = None) -> Tensor:
    """``input`` repeated ``multiples[i]`` times along each axis ``i``.

    >>> tf.tile([[1, 2]], [2, 2]).numpy().tolist()
    [[1, 2, 1, 2], [1, 2, 1, 2]]

    Args:
        input: a tensor.
        multiples: required.
        name: accepted, and of no effect.

    Returns:
        A tensor.
    """

def transpose(
    a: TensorLike,
    perm: TensorLike | None = None,
    conjugate: bool = False,
    name: str | None = 'transpose',
) -> Tensor:
    """``a`` with its axes in the order ``perm``, or reversed without it; conjugated if ``conjugate``.

    >>> tf.transpose([[1, 2], [3, 4]]).numpy().tolist()
    [[1, 3], [2, 4]]
    >>> tf.transpose(tf.zeros([2, 3, 4]), perm=[0, 2, 1]).shape
    TensorShape([2, 4, 3])
    """

def unstack(
    value: TensorLike,
    num: TensorLike | None = None,
    axis: Axis = 0,
    name: str | None = 'unstack',
) -> list[Tensor]:
    """The slices of ``value`` along ``axis``, as a list.

    >>> [t.numpy().tolist() for t in tf.unstack([[1, 2], [3, 4]], axis=1)]
    [[1, 3], [2, 4]]
    """
