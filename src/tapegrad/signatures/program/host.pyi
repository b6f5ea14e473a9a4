# Written by tools/write_types.py from the functions themselves.
# ruff: noqa
# fmt: off
# mypy: disable-error-code="overload-overlap"

from collections.abc import Callable as Callable
from tapegrad.core import Tensor as Tensor
from typing import Any as Any

def group(*inputs: Any, **kwargs: Any) -> None:
    """Nothing: all inputs have already run. It serves programs that were written for graphs."""

def no_op(name: str | None = None) -> None:
    """Nothing."""

def numpy_function(
    func: Callable[..., Any] | None = None,
    inp: Any = None,
    Tout: Any = None,
    stateful: bool = True,
    name: str | None = None,
) -> Any:
    """The results of ``func`` for the tensors ``inp`` as NumPy arrays. No gradient flows through.

    >>> tf.numpy_function(np.cumsum, [tf.constant([1.0, 2.0])], tf.float32)
    <tf.Tensor: shape=(2,), dtype=float32, numpy=array([1., 3.], dtype=float32)>

    Outside of `tf.function` and of functions of data sets ``Tout`` is not looked at: there are as many
    results, of such dtypes, as ``func`` gives. Inside, they are compared with ``Tout``. In
    `tf.vectorized_map` and in Jacobians ``func`` is called for one item after the other.

    Without ``func`` this is a decorator: ``@tf.numpy_function(Tout=tf.float32)``.
    """

def print(*inputs: Any, **kwargs: Any) -> None:
    """Print tensors by their values alone, and anything else as Python shows it.

    >>> tf.print("x:", tf.range(10), output_stream=sys.stdout)
    x: [0 1 2 ... 7 8 9]

    Args:
        *inputs: strings, tensors, nests of tensors, any objects.
        output_stream: `sys.stderr` (the default), `sys.stdout`, any other stream, or "file://" followed by
            the path of a file to append to.
        summarize: how many elements to show at each end of an axis; 3 by default, -1 for all.
        sep, end: what to print between the inputs and after the last one.
        name: accepted and ignored.
    """

def py_function(
    func: Callable[..., Any] | None = None,
    inp: Any = None,
    Tout: Any = None,
    name: str | None = None,
) -> Any:
    """The results of ``func(*inp)``, as tensors of the dtypes ``Tout``. Gradients flow through.

    >>> x = tf.constant(3.0)
    >>> tf.py_function(lambda x: x * x, [x], tf.float32)
    <tf.Tensor: shape=(), dtype=float32, numpy=9.0>

    ``func`` may return more results than ``Tout`` has dtypes: the rest is dropped. In `tf.vectorized_map`
    and in Jacobians it is called for one item after the other.

    Without ``func`` this is a decorator: ``@tf.py_function(Tout=tf.float32)``.
    """

def timestamp(name: str | None = None) -> Tensor:
    """The seconds since 1970, as a float64 tensor.

    Args:
        name: accepted, and of no effect.

    Returns:
        A tensor.
    """

def tuple(tensors: Any, control_inputs: Any = None, name: str | None = None) -> list[Any]:
    """``tensors`` as a list, once all are computed. Without graphs they already are."""
