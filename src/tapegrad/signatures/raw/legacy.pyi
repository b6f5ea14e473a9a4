# Written by tools/write_types.py from the functions themselves.
# ruff: noqa
# fmt: off
# mypy: disable-error-code="overload-overlap"

from collections.abc import Callable as Callable
from tapegrad.core import Tensor as Tensor
from tapegrad.framework.types import Result as Result
from tapegrad.framework.types import ShapeLike as ShapeLike
from tapegrad.framework.types import TensorLike as TensorLike
from typing import Any as Any

def Print(
    input_: TensorLike,
    data: Any,
    message: str | None = None,
    first_n: int | None = None,
    summarize: int | None = None,
    name: str | None = None,
) -> Tensor:
    """``input_`` itself, after writing ``data`` to ``sys.stderr``; ``tf.print`` is newer.

    >>> x = tf.compat.v1.Print(tf.constant([1.0, 2.0]), [tf.range(5)], message="five: ")

    writes ``five: [0 1 2...]``.

    Args:
        data: a list of tensors.
        message: what to write first.
        first_n: write only the first so many times; always if None.
        summarize: how many elements of each tensor to write; 3 if None, all if negative.
    """

def cond_v1(
    pred: TensorLike,
    true_fn: Callable[[], Result] | None = None,
    false_fn: Callable[[], Result] | None = None,
    strict: bool = False,
    name: str | None = None,
    fn1: Callable[[], Result] | None = None,
    fn2: Callable[[], Result] | None = None,
) -> Result:
    """``tf.cond``, which takes a list or tuple of one result apart unless ``strict``.

    >>> tf.compat.v1.cond(tf.constant(True), lambda: [1.0], lambda: [2.0])
    1.0

    Args:
        fn1, fn2: older names of ``true_fn`` and ``false_fn``.
    """

def div(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """``x / y`` as Python 2 divided: of integers the whole part below. It is in ``tf.compat.v1``.

    >>> tf.compat.v1.div(7, 2).numpy(), tf.compat.v1.div(7.0, 2.0).numpy()
    (np.int32(3), np.float32(3.5))
    """

def placeholder_with_default(
    input: TensorLike,
    shape: ShapeLike,
    name: str | None = None,
) -> Tensor:
    """``input`` itself: nothing is fed in its place where there are no graphs. ``shape`` is not looked at.

    >>> tf.compat.v1.placeholder_with_default([1.0, 2.0], shape=[None]).numpy()
    array([1., 2.], dtype=float32)

    Args:
        input: a tensor.
        shape: required.
        name: accepted, and of no effect.

    Returns:
        A tensor.
    """
