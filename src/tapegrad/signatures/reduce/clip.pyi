# Written by tools/write_types.py from the functions themselves.
# ruff: noqa
# fmt: off
# mypy: disable-error-code="overload-overlap"

from tapegrad.core import Tensor as Tensor
from tapegrad.framework.types import Axis as Axis
from tapegrad.framework.types import Composite as Composite
from tapegrad.framework.types import DTypeLike as DTypeLike
from tapegrad.framework.types import Gradient as Gradient
from tapegrad.framework.types import ShapeLike as ShapeLike
from tapegrad.framework.types import TensorLike as TensorLike
from typing import Any as Any
from typing import overload as overload

def accumulate_n(
    inputs: Any,
    shape: ShapeLike | None = None,
    tensor_dtype: DTypeLike | None = None,
    name: str | None = None,
) -> Tensor:
    """The sum of a list of tensors of one shape and dtype, like `tf.add_n`.

    >>> tf.math.accumulate_n([tf.constant([1, 2]), tf.constant([3, 4])]).numpy()
    array([4, 6], dtype=int32)

    Args:
        inputs: a list or tuple of tensors.
        shape: the shape that the tensors must have.
        tensor_dtype: the dtype that the tensors must have.

    Raises:
        ValueError: for an empty list, and if shapes or dtypes differ.
        TypeError: if ``tensor_dtype`` is not that of the inputs.
    """

def add_n(inputs: Any, name: str | None = None) -> Tensor:
    """The sum of a list of tensors of one shape and dtype. ``tf.IndexedSlices`` are made dense.

    >>> tf.add_n([tf.constant([1, 2]), tf.constant([3, 4])]).numpy()
    array([4, 6], dtype=int32)

    Raises:
        ValueError: for an empty list.
        InvalidArgumentError: if shapes or dtypes differ; nothing is broadcast.
    """

def clip_by_global_norm(
    t_list: Any,
    clip_norm: TensorLike,
    use_norm: bool | None = None,
    name: str | None = None,
) -> tuple[list[Gradient], Tensor]:
    """Several tensors, scaled down together if their common norm is above ``clip_norm``; and that norm.

    >>> clipped, norm = tf.clip_by_global_norm([tf.constant([3.0]), tf.constant([4.0])], 1.0)
    >>> [t.numpy() for t in clipped], norm.numpy()
    ([array([0.6], dtype=float32), array([0.8], dtype=float32)], np.float32(5.0))

    If the norm is infinite or NaN, all the results are NaN, because something has gone wrong already.

    Args:
        t_list: a sequence of tensors, ``tf.IndexedSlices`` and None. None stays None.
        clip_norm: the largest common norm that the results may have.
        use_norm: the common norm, if it is known. By default `tf.linalg.global_norm` computes it.

    Raises:
        TypeError: if ``t_list`` is not a sequence.
    """

@overload
def clip_by_norm(
    t: Composite,
    clip_norm: TensorLike,
    axes: Axis | None = None,
    name: str | None = None,
) -> Composite:
    """``t``, scaled down to a Euclidean norm of ``clip_norm`` if its norm is larger.

    >>> tf.clip_by_norm([3.0, 4.0], 1.0).numpy()
    array([0.6, 0.8], dtype=float32)
    >>> tf.clip_by_norm([0.3, 0.4], 1.0).numpy()
    array([0.3, 0.4], dtype=float32)

    Args:
        t: a floating point tensor, or ``tf.IndexedSlices``, whose values are clipped.
        clip_norm: the largest norm that the result may have. A negative one counts as 0.
        axes: the axes over which the norm is taken; None for all.

    Raises:
        ValueError: if ``clip_norm`` has a larger shape than ``t``.
    """

@overload
def clip_by_norm(
    t: TensorLike,
    clip_norm: TensorLike,
    axes: Axis | None = None,
    name: str | None = None,
) -> Tensor:
    """``t``, scaled down to a Euclidean norm of ``clip_norm`` if its norm is larger.

    >>> tf.clip_by_norm([3.0, 4.0], 1.0).numpy()
    array([0.6, 0.8], dtype=float32)
    >>> tf.clip_by_norm([0.3, 0.4], 1.0).numpy()
    array([0.3, 0.4], dtype=float32)

    Args:
        t: a floating point tensor, or ``tf.IndexedSlices``, whose values are clipped.
        clip_norm: the largest norm that the result may have. A negative one counts as 0.
        axes: the axes over which the norm is taken; None for all.

    Raises:
        ValueError: if ``clip_norm`` has a larger shape than ``t``.
    """

@overload
def clip_by_value(
    t: Composite,
    clip_value_min: TensorLike,
    clip_value_max: TensorLike,
    name: str | None = None,
) -> Composite:
    """``t``, with elements below ``clip_value_min`` or above ``clip_value_max`` set to that bound.

    >>> tf.clip_by_value([-1.0, 0.5, 2.0], 0.0, 1.0).numpy()
    array([0. , 0.5, 1. ], dtype=float32)

    The gradient of an element within the bounds, or at one, goes to ``t``; otherwise it goes to the bound.

    Args:
        t: a tensor of real numbers, or ``tf.IndexedSlices``, whose values are clipped.
        clip_value_min: the lower bound: a number, or a tensor that broadcasts to the shape of ``t``.
        clip_value_max: the upper bound, likewise.

    Raises:
        ValueError: if a bound has a larger shape than ``t``.
    """

@overload
def clip_by_value(
    t: TensorLike,
    clip_value_min: TensorLike,
    clip_value_max: TensorLike,
    name: str | None = None,
) -> Tensor:
    """``t``, with elements below ``clip_value_min`` or above ``clip_value_max`` set to that bound.

    >>> tf.clip_by_value([-1.0, 0.5, 2.0], 0.0, 1.0).numpy()
    array([0. , 0.5, 1. ], dtype=float32)

    The gradient of an element within the bounds, or at one, goes to ``t``; otherwise it goes to the bound.

    Args:
        t: a tensor of real numbers, or ``tf.IndexedSlices``, whose values are clipped.
        clip_value_min: the lower bound: a number, or a tensor that broadcasts to the shape of ``t``.
        clip_value_max: the upper bound, likewise.

    Raises:
        ValueError: if a bound has a larger shape than ``t``.
    """

def global_norm(t_list: Any, name: str | None = None) -> Tensor:
    """The Euclidean norm of all the elements of several tensors together. None entries are left out.

    >>> tf.linalg.global_norm([tf.constant([3.0]), None, tf.constant([[4.0]])]).numpy()
    np.float32(5.0)

    Differs from TensorFlow: no square overflows or underflows, and the gradient at 0 is 0.

    Raises:
        TypeError: if ``t_list`` is not a sequence.
        InvalidArgumentError: if the tensors have different dtypes, or are not of floating point.
    """
