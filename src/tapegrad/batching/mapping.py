"""`vectorized_map`: a function of one item, called once, on tensors that hold all items."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tapegrad.batching.groups import in_groups
from tapegrad.core import Batch, EagerTensor, NeedsItems, Tensor, convert, public
from tapegrad.core.kinds import NoElements
from tapegrad.errors import refuse
from tapegrad.framework import calls, logging, nest
from tapegrad.framework.random_state import new_streams
from tapegrad.ops.op import says
from tapegrad.ops.program.maps import stack_results
from tapegrad.ops.reduce.batches import enter_batch, leave_batch
from tapegrad.ops.shape import array, creation, joining
from tapegrad.ops.sparse.sparse_tensor import SparseTensor

if TYPE_CHECKING:
    from tapegrad.framework.types import Result

PUBLIC = {". compat.v1": "vectorized_map"}


@public
@says(calls_functions=True)
def vectorized_map(
    fn: Callable[[Any], Result], elems: Any, fallback_to_while_loop: bool = True, warn: bool = True
) -> Result:
    """The results of ``fn`` for each element of ``elems`` along the first axis, stacked: computed at once.

    >>> tf.vectorized_map(lambda x: (x * x, x + 1.0), tf.constant([1.0, 2.0]))[0].numpy()
    array([1., 4.], dtype=float32)

    ``fn`` is called once. Its argument has the shape of one element and holds all of them, and each op runs
    on all elements at once. Gradients flow, of tapes outside as of tapes within ``fn``:

    >>> def gradient(x):
    ...     with tf.GradientTape() as tape:
    ...         tape.watch(x)
    ...         y = tf.reduce_sum(x**3)
    ...     return tape.gradient(y, x)
    >>> print(tf.vectorized_map(gradient, tf.constant([[1.0, 2.0], [3.0, 4.0]])).numpy())
    [[ 3. 12.]
     [27. 48.]]

    An op that cannot take all elements at once runs on one after the other. Where a value of the elements
    decides, in a `tf.cond` or `tf.while_loop` as in a Python ``if``, ``fn`` is called once for each group of
    elements that take the same path. What it assigns to a variable is assigned once, if it is the same for
    all elements. Else ``fn`` is called for one element after the other.

    Args:
        fn: a function of one element, in the structure of ``elems``. It returns tensors, in any structure.
        elems: a tensor, or a nest of tensors. All have the same first dimension, or 1: such a tensor gives
        its
            single element to every call.
        fallback_to_while_loop: whether ops and functions that cannot take all elements at once may take one
            after the other. If not, they raise.
        warn: whether the log names them.

    Raises:
        ValueError: with ``fallback_to_while_loop=False``, for an op that has no batching rule.
        TypeError: with ``fallback_to_while_loop=False``, where Python code itself reads the value of an
            element.

    Differs from TensorFlow: with ``fallback_to_while_loop``, Python code may read values, and an op's results
    may have different shapes for different elements. Where variables are assigned values of the elements,
    every element assigns its own; in TensorFlow the first one alone does. So it is with ``tf.print``.
    """
    if not callable(fn):
        raise TypeError(f"'fn' must be callable: {type(fn).__name__} came.")
    tensors: list[Tensor]
    if type(elems) is EagerTensor and elems.ndim:
        tensors, size, shared = [elems], elems._shape_tuple()[0], _NONE
    else:
        tensors = [dense(value) for value in nest.flatten(elems)]
        size = batch_size(tensors)
        shared = {i for i, tensor in enumerate(tensors) if tensor._shape_tuple()[0] != size}
    loops, warns = bool(fallback_to_while_loop), bool(warn)

    # TensorFlow makes a function of each map in eager code: its draws begin anew. Where items part, those of
    # each group go on instead, so that no two groups draw the same.
    begins = calls.current() is None

    def opened(size: int) -> Batch:
        return Batch(size, effects=True, may_loop=loops, warns=warns, splits=True)

    def run(batch: Batch, tensors: list[Tensor]) -> Any:
        nonlocal begins
        if not begins:
            return map_at_once(fn, elems, tensors, batch, shared)
        begins = False
        return calls.Call(new_streams).run(map_at_once, (fn, elems, tensors, batch, shared), {})

    try:
        result: Result = in_groups(run, opened, tensors, size, shared)
        return result
    except NeedsItems as error:
        if not fallback_to_while_loop:
            raise
        if isinstance(error, NoElements) or not size:
            result = map_each(fn, elems, tensors, size)
            return result
        if warn:
            logging.warn("Using a loop over the items of the batch for a whole function: %s", error)
    warns = False
    try:
        result = in_groups(run, opened, tensors, size, shared, alone=True)
    except NeedsItems:
        with calls.as_one():
            result = map_each(fn, elems, tensors, size)
    return result


_NONE: set[int] = set()


def dense(value: Any) -> Tensor:
    if isinstance(value, SparseTensor):
        raise TypeError(
            "vectorized_map maps over dense tensors, not over a SparseTensor: use tf.map_fn, or "
            "tf.sparse.to_dense first."
        )
    tensor: Tensor = convert(value)
    return tensor


def batch_size(tensors: list[Tensor]) -> int:
    """How many items there are."""
    if not tensors:
        raise ValueError("vectorized_map needs at least one tensor in elems; there is none.")
    shapes = [tensor._shape_tuple() for tensor in tensors]
    for shape in shapes:
        if not shape:
            raise IndexError(
                "vectorized_map maps over the first axis of elems, and a scalar has none. "
                "Elements in elems must be 1+ dimensional tensors."
            )
    size = shapes[0][0]
    for length, *_ in shapes:
        if length != size and length > size:  # open sizes that are equal are not decided
            size = length
    if not all(length in (1, size) for length, *_ in shapes):
        refuse(
            "vectorized_map needs elems of the same length along the first axis, or of length 1; "
            f"the lengths are {sorted({shape[0] for shape in shapes})}."
        )
    return size


def map_at_once(
    fn: Callable[[Any], Any], elems: Any, tensors: list[Tensor], batch: Batch, shared: set[int]
) -> Any:
    with batch:
        if type(elems) is EagerTensor:
            result = fn(enter_batch(tensors[0], batch))
        else:
            items = [
                array.squeeze(tensor, [0]) if i in shared else enter_batch(tensor, batch)
                for i, tensor in enumerate(tensors)
            ]
            result = fn(nest.pack_sequence_as(elems, items))
        if type(result) is EagerTensor:
            return leave_batch(result, batch)
        return nest.map_structure(lambda value: left(value, batch), result)


def left(value: Any, batch: Batch) -> Any:
    return None if value is None else leave_batch(convert(value), batch)


def map_each(fn: Callable[[Any], Any], elems: Any, tensors: list[Tensor], size: int) -> Any:
    """The results of ``fn`` for one item after the other, stacked."""
    columns = []
    for tensor in tensors:
        if not size:
            # Without items, fn is called on zeros once, for the shapes of its results.
            tensor = creation.zeros((1, *tensor._shape_tuple()[1:]), tensor.dtype)
        column = joining.unstack(tensor)
        columns.append(column if len(column) == size else column * (size or 1))
    results = [fn(nest.pack_sequence_as(elems, list(row))) for row in zip(*columns, strict=True)]
    stacked = stack_results(results)
    return stacked if size else nest.map_structure(lambda part: part[:0], stacked)
