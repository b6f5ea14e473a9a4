# Written by tools/write_types.py from the functions themselves.
# ruff: noqa
# fmt: off
# mypy: disable-error-code="overload-overlap"

from collections.abc import Callable as Callable
from collections.abc import Mapping as Mapping
from collections.abc import Sequence as Sequence
from tapegrad.framework.types import DTypeLike as DTypeLike
from tapegrad.framework.types import Result as Result
from tapegrad.framework.types import TensorLike as TensorLike
from typing import Any as Any

def case(
    pred_fn_pairs: Sequence[tuple[Any, Callable[[], Result]]] | Mapping[Any, Callable[[], Result]],
    default: Callable[[], Result] | None = None,
    exclusive: bool = False,
    strict: bool = False,
    name: str = 'case',
) -> Result:
    """The result of the first function whose predicate is true, or of ``default``.

    >>> x = tf.constant(5)
    >>> tf.case([(x < 3, lambda: "small"), (x < 6, lambda: "medium")], default=lambda: "large")
    'medium'

    Args:
        pred_fn_pairs: pairs of a boolean tensor and a function.
        exclusive: whether to raise if more than one predicate is true.
    """

def cond(
    pred: TensorLike,
    true_fn: Callable[[], Result] | None = None,
    false_fn: Callable[[], Result] | None = None,
    name: str | None = None,
) -> Result:
    """``true_fn()`` if ``pred`` is true, else ``false_fn()``. Only one of the two is called.

    >>> x = tf.constant(3.0)
    >>> tf.cond(x > 2.0, lambda: x * x, lambda: x)
    <tf.Tensor: shape=(), dtype=float32, numpy=9.0>
    """

def foldl(
    fn: Callable[[Any, Any], Result],
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
) -> Result:
    """``fn(... fn(fn(initializer, elems[0]), elems[1]) ...)``. Without ``initializer``, elems[0] begins.

    >>> tf.foldl(lambda total, x: total * 10 + x, tf.constant([1, 2, 3])).numpy()
    np.int32(123)
    """

def foldr(
    fn: Callable[[Any, Any], Result],
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
) -> Result:
    """Like ``foldl``, but from the last element to the first.

    >>> tf.foldr(lambda total, x: total * 10 + x, tf.constant([1, 2, 3])).numpy()
    np.int32(321)
    """

def map_fn(
    fn: Callable[[Any], Result],
    elems: Any,
    dtype: DTypeLike | None = None,
    parallel_iterations: int | None = None,
    back_prop: bool = True,
    swap_memory: bool = False,
    infer_shape: bool = True,
    name: str | None = None,
    fn_output_signature: Any = None,
) -> Result:
    """The results of ``fn`` for each element of ``elems`` along the first axis, stacked.

    >>> tf.map_fn(lambda x: x * x, tf.constant([1.0, 2.0, 3.0])).numpy()
    array([1., 4., 9.], dtype=float32)
    >>> tf.map_fn(lambda x: (x, -x), tf.constant([1, 2]), fn_output_signature=(tf.int32, tf.int32))[1].numpy()
    array([-1, -2], dtype=int32)

    Args:
        elems: a tensor, or a structure of tensors. ``fn`` gets its elements in the same structure.
        fn_output_signature: the dtypes or specs of what ``fn`` returns, in its structure, if these differ
            from ``elems``. ``dtype`` is an older name for this argument.
    """

def scan(
    fn: Callable[[Any, Any], Result],
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    infer_shape: bool = True,
    reverse: bool = False,
    name: str | None = None,
) -> Result:
    """The results of all steps of ``foldl``, stacked.

    >>> tf.scan(lambda total, x: total + x, tf.constant([1.0, 2.0, 3.0])).numpy()
    array([1., 3., 6.], dtype=float32)

    Args:
        reverse: whether to go from the last element to the first. Each result stays at its element's index.
    """

def switch_case(
    branch_index: TensorLike,
    branch_fns: Sequence[Callable[[], Result]] | Sequence[tuple[int, Callable[[], Result]]] | Mapping[int, Callable[[], Result]],
    default: Callable[[], Result] | None = None,
    name: str = 'switch_case',
) -> Result:
    """The result of the function at ``branch_index``. Without one, of ``default`` or the last.

    >>> tf.switch_case(tf.constant(1), [lambda: "zero", lambda: "one"])
    'one'
    """

def while_loop(
    cond: Callable[..., Any],
    body: Callable[..., Any],
    loop_vars: Any,
    shape_invariants: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    maximum_iterations: TensorLike | None = None,
    name: str | None = None,
) -> Any:
    """The result of applying ``body`` to ``loop_vars`` again and again, for as long as ``cond`` is true.

    >>> i, total = tf.while_loop(
    ...     lambda i, total: i < 4, lambda i, total: (i + 1, total * 2.0), (tf.constant(0), tf.constant(1.0)))
    >>> print(i.numpy(), total.numpy())
    4 16.0

    Args:
        loop_vars: a list, tuple or dict of tensors, or of nested structures of them. ``cond`` and ``body``
            get each as an argument of its own, and ``body`` returns the same structure.
        maximum_iterations: the largest number of iterations.
    """
