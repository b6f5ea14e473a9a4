"""Branches and loops as functions. They run at once, in Python.

The ops that they run are recorded as usual, so gradients of any order flow through.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tapegrad import dtypes
from tapegrad.core import EagerTensor, Tensor, VariableBase, convert, public, static_value
from tapegrad.errors import refuse
from tapegrad.framework import calls, nest
from tapegrad.ops.constants import constant
from tapegrad.ops.elementwise import logic
from tapegrad.ops.elementwise.conditions import select
from tapegrad.ops.op import says
from tapegrad.ops.program import scopes
from tapegrad.ops.program.loop_variables import (
    call_with,
    next_variables,
    rest_of_loop,
    result_of_step,
    stops_gradients,
    without_gradients,
)
from tapegrad.ops.program.tensor_array import TensorArray

if TYPE_CHECKING:
    from tapegrad.framework.types import Result

PUBLIC = {
    ".": "case cond while_loop",
    ". compat.v1": "switch_case",
}


def check_callable(value: Any, name: str) -> None:
    if not callable(value):
        raise TypeError(
            f"'{name}' must be callable: {type(value).__name__} came. Wrap a value in a lambda."
        )


def _truth(value: Any) -> bool:
    """The truth of a predicate, which is a tensor of one element or a Python object."""
    if type(value) is bool:
        return value
    if isinstance(value, (Tensor, VariableBase, np.ndarray)):
        values = (
            value if isinstance(value, np.ndarray) else static_value(convert(value), "predicate")
        )
        if values.size != 1:
            raise ValueError(
                f"The truth of a predicate of shape {list(values.shape)} is ambiguous: "
                "it must be a scalar. Reduce it with tf.reduce_all or tf.reduce_any."
            )
        return bool(values.reshape(-1)[0])
    if value is None:
        raise ValueError("A predicate must be a boolean; None came.")
    return bool(value)


# What graphs make tensors of.
_NUMBERS_AND_TEXT = (bool, int, float, complex, str, bytes, np.ndarray, np.generic)


def _as_tensors(result: Any) -> Any:
    """The result of a branch; in a function that is recorded, numbers become tensors, as in TensorFlow."""
    if calls.current() is None:
        return result
    return nest.map_structure(
        lambda leaf: convert(leaf) if isinstance(leaf, _NUMBERS_AND_TEXT) else leaf, result
    )


# Branches


@public
@says(calls_functions=True)
def cond(
    pred: Any,
    true_fn: Callable[[], Result] | None = None,
    false_fn: Callable[[], Result] | None = None,
    name: str | None = None,
) -> Result:
    """``true_fn()`` if ``pred`` is true, else ``false_fn()``. Only one of the two is called.

    >>> x = tf.constant(3.0)
    >>> tf.cond(x > 2.0, lambda: x * x, lambda: x)
    <tf.Tensor: shape=(), dtype=float32, numpy=9.0>

    Args:
        pred: a boolean without axes: a tensor, or a Python value.
        true_fn, false_fn: functions without arguments, which return the same structure.
    """
    if true_fn is None or false_fn is None:
        missing = "true_fn" if true_fn is None else "false_fn"
        raise TypeError(f"cond(): '{missing}' argument required")
    check_callable(true_fn, "true_fn")
    check_callable(false_fn, "false_fn")
    if pred is None:
        raise ValueError("cond() needs a predicate; None came.")
    if scopes.current.loops is not None:
        return _chosen(
            pred,
            lambda: calls.part("true_fn", true_fn)(),
            lambda: calls.part("false_fn", false_fn)(),
        )
    if _truth(pred):
        return _as_tensors(calls.part("true_fn", true_fn)())
    return _as_tensors(calls.part("false_fn", false_fn)())


def _chosen(pred: Any, true_fn: Callable[[], Any], false_fn: Callable[[], Any]) -> Any:
    """The result of `cond` in a function that is saved, where the choice may be one step."""
    if type(pred) is EagerTensor:
        is_step, result = result_of_step(
            pred, lambda: _as_tensors(true_fn()), lambda: _as_tensors(false_fn())
        )
        if is_step:
            return result
    return _as_tensors((true_fn if _truth(pred) else false_fn)())


def _first_true(pairs: Sequence[tuple[Any, Callable[[], Any]]], default: Callable[[], Any]) -> Any:
    """The result of the first function whose predicate is true, in a function that is saved."""
    (predicate, function), *others = pairs
    return _chosen(
        predicate, function, (lambda: _first_true(others, default)) if others else default
    )


@public
@says(calls_functions=True)
def case(
    pred_fn_pairs: Sequence[tuple[Any, Callable[[], Result]]] | Mapping[Any, Callable[[], Result]],
    default: Callable[[], Result] | None = None,
    exclusive: bool = False,
    strict: bool = False,
    name: str = "case",
) -> Result:
    """The result of the first function whose predicate is true, or of ``default``.

    >>> x = tf.constant(5)
    >>> tf.case([(x < 3, lambda: "small"), (x < 6, lambda: "medium")], default=lambda: "large")
    'medium'

    Args:
        pred_fn_pairs: pairs of a boolean tensor and a function without arguments: a list of tuples, or a dict
            if ``exclusive``.
        default: the function to call if no predicate is true. None then raises an error.
        exclusive: whether to raise if more than one predicate is true.
        strict: of no effect.
    """
    if isinstance(pred_fn_pairs, dict):
        if not exclusive:
            raise ValueError(
                "Unordered dictionaries are not supported for the 'pred_fn_pairs' argument "
                "when `exclusive=False`: give a list of pairs."
            )
        pairs = [
            (key.deref() if hasattr(key, "deref") else key, value)
            for key, value in pred_fn_pairs.items()
        ]
    elif isinstance(pred_fn_pairs, (list, tuple)):
        pairs = list(pred_fn_pairs)
    else:
        raise TypeError(
            f"'pred_fn_pairs' must be a list, tuple, or dict. Received: {type(pred_fn_pairs)}"
        )
    for pair in pairs:
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise TypeError(f"Each entry in 'pred_fn_pairs' must be a 2-tuple. Received {pair!r}.")
        predicate, function = pair
        if not isinstance(predicate, (Tensor, VariableBase)):
            raise TypeError(f"pred must be a Tensor, got: {predicate!r}")
        if convert(predicate).dtype != dtypes.bool:
            raise TypeError(f"pred must be a Tensor of bool, got {predicate!r}")
        check_callable(function, "a function in pred_fn_pairs")
    if default is not None:
        check_callable(default, "default")
    if not pairs and default is None:
        raise ValueError("Must provide at least one item in 'pred_fn_pairs', or a default.")
    if scopes.current.loops is not None and default is not None and not exclusive and pairs:
        return _first_true(pairs, default)
    if exclusive and sum(_truth(predicate) for predicate, _ in pairs) > 1:
        refuse("More than one condition evaluated as True but exclusive=True.")
    for predicate, function in pairs:
        if _truth(predicate):
            return _as_tensors(function())
    if default is None:
        refuse("None of the conditions evaluated as True, and there is no default.")
    return _as_tensors(default())


@public
@says(calls_functions=True)
def switch_case(
    branch_index: Any,
    branch_fns: Sequence[Callable[[], Result]]
    | Sequence[tuple[int, Callable[[], Result]]]
    | Mapping[int, Callable[[], Result]],
    default: Callable[[], Result] | None = None,
    name: str = "switch_case",
) -> Result:
    """The result of the function at ``branch_index``. Without one, of ``default`` or the last.

    >>> tf.switch_case(tf.constant(1), [lambda: "zero", lambda: "one"])
    'one'

    Args:
        branch_index: the number of a function.
        branch_fns: functions without arguments: a list, or a dict or list of pairs that says their numbers.
        default: the function for all other numbers; None takes the last.
    """
    if not isinstance(branch_index, (Tensor, VariableBase)):
        raise TypeError(f"'branch_index' must be a Tensor, got {type(branch_index)}")
    selector = convert(branch_index)
    if not selector.dtype.is_integer:
        raise TypeError(f"'branch_index' must be an integer Tensor, got {selector.dtype}")
    functions = _branches(branch_fns)
    if default is not None:
        check_callable(default, "default")
    if selector.shape.rank:
        refuse(f"'branch_index' must be a scalar; it has shape {selector.shape.as_list()}.")
    functions = [*functions, functions[-1] if default is None else default]

    def run(number: int) -> Any:
        return calls.part(("branch", number), functions[number])()

    if scopes.current.loops is not None:
        default_number = len(functions) - 1
        is_inside = logic.logical_and(
            logic.greater_equal(selector, 0), logic.less(selector, default_number)
        )
        return _one_of(select(is_inside, selector, default_number), run, 0, len(functions))
    index = int(static_value(selector, "branch_index"))
    return _as_tensors(run(index if 0 <= index < len(functions) - 1 else -1))


def _one_of(number: Any, run: Callable[[int], Any], first: int, end: int) -> Any:
    """``run(number)`` in a function that is saved: it asks for one half of the numbers after the other.

    A saved function has the answers to few questions, and the numbers have few halves.
    """
    if end - first == 1:
        return run(first)
    middle = (first + end) // 2
    return _chosen(
        logic.less(number, middle),
        lambda: _one_of(number, run, first, middle),
        lambda: _one_of(number, run, middle, end),
    )


def _branches(branch_fns: Any) -> list[Callable[[], Any]]:
    pairs: list[Any]
    if isinstance(branch_fns, dict):
        pairs = list(branch_fns.items())
    elif isinstance(branch_fns, (list, tuple)):
        pairs = list(branch_fns)
        if pairs and all(map(callable, pairs)):
            return pairs
    else:
        raise TypeError(
            f"'branch_fns' must be a list, tuple, or dict. Received: {type(branch_fns)}"
        )
    if not pairs:
        raise ValueError("Must provide at least one item in 'branch_fns'")
    for pair in pairs:
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise TypeError(f"Each entry in 'branch_fns' must be a 2-tuple. Received {pair}.")
        if not isinstance(pair[0], int):
            raise TypeError(
                f"The first entry of a pair in 'branch_fns' must be a Python int: {pair[0]!r}."
            )
        check_callable(pair[1], f"branch_fns[{pair[0]}]")
    indices = sorted(index for index, _ in pairs)
    if indices != list(range(len(pairs))):
        raise ValueError(
            f"branch indices (keys) must form contiguous range of [0 to {len(pairs)}) "
            f"but found {{{','.join(map(str, indices))}}}"
        )
    return [function for _, function in sorted(pairs, key=lambda pair: pair[0])]


# Loops


def check_iterations(parallel_iterations: Any) -> None:
    """Refuses what is no number from 1 on. The number itself means nothing here: eager loops run in order."""
    try:
        positive = parallel_iterations >= 1
    except TypeError:
        positive = False
    if not positive:
        raise TypeError(
            f"'parallel_iterations' must be a positive integer; it is {parallel_iterations!r}."
        )


@public
@says(calls_functions=True)
def while_loop(
    cond: Callable[..., Any],
    body: Callable[..., Any],
    loop_vars: Any,
    shape_invariants: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    maximum_iterations: Any = None,
    name: str | None = None,
) -> Any:
    """The result of applying ``body`` to ``loop_vars`` again and again, for as long as ``cond`` is true.

    >>> i, total = tf.while_loop(
    ...     lambda i, total: i < 4, lambda i, total: (i + 1, total * 2.0), (tf.constant(0), tf.constant(1.0)))
    >>> print(i.numpy(), total.numpy())
    4 16.0

    Args:
        cond: a function of the loop's variables; the loop goes on while it returns True.
        body: a function of the loop's variables, which returns their next values.
        loop_vars: a list, tuple or dict of tensors, or of nested structures of them. ``cond`` and ``body``
            get each as an argument of its own, and ``body`` returns the same structure.
        maximum_iterations: the largest number of iterations.
        shape_invariants: the shapes that the variables may take, where these change.
        back_prop: whether gradients flow through the loop. It is of no effect outside of functions.
        parallel_iterations, swap_memory: accepted, and of no effect.
    """
    if stops_gradients(back_prop):
        return without_gradients(
            while_loop(
                cond,
                body,
                loop_vars,
                shape_invariants,
                parallel_iterations,
                maximum_iterations=maximum_iterations,
            )
        )
    check_callable(cond, "cond")
    check_callable(body, "body")
    check_iterations(parallel_iterations)
    if isinstance(loop_vars, (Tensor, VariableBase)) or not len(loop_vars):
        raise ValueError("'loop_vars' must be provided: a list or tuple of tensors.")
    as_dict = isinstance(loop_vars, dict)
    cond, body = calls.part("cond", cond), calls.part("body", body)
    loops = scopes.current.loops
    run_rest = None if loops is None else loops.run
    if loops is not None and maximum_iterations is not None:
        most = convert(maximum_iterations)
        if loops.decides(most):
            return _bounded_loop(cond, body, loop_vars, most)
    left = (
        None
        if maximum_iterations is None
        else int(static_value(convert(maximum_iterations), "maximum_iterations"))
    )
    structure = loop_vars if as_dict else list(loop_vars)
    flat = not as_dict and is_flat(structure)
    while left is None or left > 0:
        asked = cond(**loop_vars) if as_dict else cond(*loop_vars)
        if run_rest is not None:
            rest = rest_of_loop(run_rest, asked, cond, body, loop_vars, left)
            if rest is not None:
                return rest
        if not _truth(asked):
            break
        new = next_variables(body, loop_vars)
        if not flat or not is_flat(new) or len(new) != len(structure):
            nest.assert_same_structure(structure, new if as_dict else list(new))
        loop_vars = new
        if left is not None:
            left -= 1
    if is_flat(loop_vars):
        return type(loop_vars)(map(convert, loop_vars))
    return nest.map_structure(_as_tensor, loop_vars)


def _bounded_loop(cond: Any, body: Any, loop_vars: Any, most: Tensor) -> Any:
    """A `while_loop` whose largest number of turns follows from the arguments of a saved function."""

    def next_turn(turn: Any, variables: Any) -> Any:
        return turn + 1, next_variables(body, variables)

    return while_loop(
        lambda turn, variables: logic.logical_and(turn < most, call_with(cond, variables)),
        next_turn,
        (constant(0, most.dtype), loop_vars),
    )[1]


def _as_tensor(value: Any) -> Any:
    # Composites with a spec, such as sparse tensors and optionals, can be loop variables too.
    kept = isinstance(value, (TensorArray, VariableBase)) or (
        hasattr(value, "_type_spec") and not isinstance(value, Tensor)
    )
    return value if kept else convert(value)


SINGLE = {EagerTensor, int, float, bool}  # types that are never nests


def is_flat(value: Any) -> bool:
    """Whether a nest is a list or a tuple of tensors and numbers."""
    return type(value) in (list, tuple) and set(map(type, value)) <= SINGLE
