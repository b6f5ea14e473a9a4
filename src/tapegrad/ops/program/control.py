"""Branches, loops and maps over elements as functions. They run at once, in Python.

The ops that they run are recorded as usual, so gradients of any order flow through.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tapegrad import dtypes, errors
from tapegrad.core import EagerTensor, Tensor, VariableBase, convert, public, static_value
from tapegrad.core.sizes import Size
from tapegrad.errors import refuse
from tapegrad.framework import calls, nest
from tapegrad.framework.spec import TensorSpec
from tapegrad.ops.args import static_shape
from tapegrad.ops.constants import constant
from tapegrad.ops.elementwise import logic
from tapegrad.ops.elementwise.conditions import select
from tapegrad.ops.indexing import gather
from tapegrad.ops.op import says
from tapegrad.ops.program import scopes
from tapegrad.ops.program.loop_variables import call_with, rest_of_loop, result_of_step
from tapegrad.ops.program.tensor_array import TensorArray
from tapegrad.ops.shape import array, creation
from tapegrad.ops.sparse.functions import (
    sparse_concat,
    sparse_expand_dims,
    sparse_reshape,
    sparse_slice,
)
from tapegrad.ops.sparse.sparse_tensor import SparseTensor, SparseTensorSpec

if TYPE_CHECKING:
    from tapegrad.framework.types import Result

PUBLIC = {
    ".": "case cond foldl foldr map_fn scan while_loop",
    ". compat.v1": "switch_case",
}


def _check_callable(value: Any, name: str) -> None:
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
    _check_callable(true_fn, "true_fn")
    _check_callable(false_fn, "false_fn")
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
        _check_callable(function, "a function in pred_fn_pairs")
    if default is not None:
        _check_callable(default, "default")
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
        _check_callable(default, "default")
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
        _check_callable(pair[1], f"branch_fns[{pair[0]}]")
    indices = sorted(index for index, _ in pairs)
    if indices != list(range(len(pairs))):
        raise ValueError(
            f"branch indices (keys) must form contiguous range of [0 to {len(pairs)}) "
            f"but found {{{','.join(map(str, indices))}}}"
        )
    return [function for _, function in sorted(pairs, key=lambda pair: pair[0])]


# Loops


def _check_iterations(parallel_iterations: Any) -> None:
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
        parallel_iterations, back_prop, swap_memory: accepted, and of no effect.
    """
    _check_callable(cond, "cond")
    _check_callable(body, "body")
    _check_iterations(parallel_iterations)
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
    flat = not as_dict and _is_flat(structure)
    while left is None or left > 0:
        asked = cond(**loop_vars) if as_dict else cond(*loop_vars)
        if run_rest is not None:
            rest = rest_of_loop(run_rest, asked, cond, body, loop_vars, left)
            if rest is not None:
                return rest
        if not _truth(asked):
            break
        new = body(**loop_vars) if as_dict else body(*loop_vars)
        if not as_dict and not isinstance(new, (list, tuple)):
            # A single variable may be returned without a list around it.
            new = [new]
        if not flat or not _is_flat(new) or len(new) != len(structure):
            nest.assert_same_structure(structure, new if as_dict else list(new))
        loop_vars = new
        if left is not None:
            left -= 1
    if _is_flat(loop_vars):
        return type(loop_vars)(map(convert, loop_vars))
    return nest.map_structure(_as_tensor, loop_vars)


def _bounded_loop(cond: Any, body: Any, loop_vars: Any, most: Tensor) -> Any:
    """A `while_loop` whose largest number of turns follows from the arguments of a saved function."""

    def next_turn(turn: Any, variables: Any) -> Any:
        after = call_with(body, variables)
        return turn + 1, after if isinstance(after, (list, tuple, dict)) else [after]

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


# Maps and folds


SINGLE = {EagerTensor, int, float, bool}  # types that are never nests


def _is_flat(value: Any) -> bool:
    """Whether a nest is a list or a tuple of tensors and numbers."""
    return type(value) in (list, tuple) and set(map(type, value)) <= SINGLE


def _check_structure(wanted: Any, structure: Any) -> None:
    """Raise unless both nests have one structure."""
    if type(wanted) in SINGLE and type(structure) in SINGLE:
        return
    nest.assert_same_structure(wanted, structure)


def _elements(elems: Any) -> tuple[list[Any], int]:
    """The tensors in ``elems``, sparse ones too, and the length of their first axes."""
    if type(elems) is EagerTensor and elems.ndim:
        return [elems], elems._shape_tuple()[0]
    tensors = [
        value if isinstance(value, SparseTensor) else convert(value)
        for value in nest.flatten(elems)
    ]
    if not tensors:
        raise ValueError(
            "elems must be a Tensor or (possibly nested) sequence of Tensors. "
            f"Got {elems}, which does not contain any Tensors."
        )
    shapes = [
        tensor._shape_tuple() if type(tensor) is EagerTensor else static_shape(tensor.shape)
        for tensor in tensors
    ]
    if () in shapes:
        raise ValueError("Elements in elems must be 1+ dimensional Tensors, not scalars")
    length = shapes[0][0]
    for shape in shapes:
        if shape[0] != length:
            raise ValueError(
                f"Dimensions {length} and {shape[0]} are not compatible: "
                "all elems must have the same length."
            )
    return tensors, length


def _unstacked(elems: Any) -> list[Any]:
    """The elements of ``elems``, each in the structure of ``elems``."""
    if type(elems) is EagerTensor and elems.ndim:
        return array.unstack_op.apply([elems], (None, 0))
    tensors, _ = _elements(elems)
    columns = [
        _sparse_rows(tensor) if isinstance(tensor, SparseTensor) else array.unstack(tensor)
        for tensor in tensors
    ]
    return [nest.pack_sequence_as(elems, list(row)) for row in zip(*columns, strict=True)]


def _sparse_rows(tensor: SparseTensor) -> list[SparseTensor]:
    """The elements of a sparse tensor along its first axis, sparse in turn."""
    length, *inner = static_shape(tensor.shape)
    return [
        sparse_reshape(
            sparse_slice(tensor, [place, *[0] * len(inner)], [1, *inner]),
            constant(inner, dtypes.int64),
        )
        for place in range(length)
    ]


def _stacked(rows: list[list[Any]], dtypes_: list[Any]) -> list[Any]:
    return [
        _pile(list(column), dtype)
        for column, dtype in zip(zip(*rows, strict=True), dtypes_, strict=False)
    ]


def _pile(column: list[Any], dtype: Any) -> Any:
    """What `map_fn` and `scan` give for one of the tensors that ``fn`` returns, from all its calls."""
    if _alike(column, dtype):
        return array.stack_op.apply(column, (0,))
    if set(map(type, column)) == {SparseTensor}:
        return sparse_concat(
            0, [sparse_expand_dims(value, 0) for value in column], expand_nonconcat_dims=True
        )
    collected = TensorArray(dtype, size=len(column))
    for index, value in enumerate(column):
        collected = collected.write(index, value)
    return collected.stack()


def _alike(values: list[Any], dtype: dtypes.DType) -> bool:
    """Whether all are tensors of this dtype, and of one shape."""
    shape = None
    for value in values:
        if type(value) is not EagerTensor or value.dtype is not dtype:
            return False
        if shape is None:
            shape = value._shape_tuple()
        elif value._shape_tuple() != shape:
            return False
    return True


@public
@says(calls_functions=True)
def map_fn(
    fn: Callable[[Any], Result],
    elems: Any,
    dtype: Any = None,
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
        fn: a function of one element, which returns a tensor or a structure of tensors.
        elems: a tensor, or a structure of tensors. ``fn`` gets its elements in the same structure.
        fn_output_signature: the dtypes or specs of what ``fn`` returns, in its structure, if these differ
            from ``elems``. ``dtype`` is an older name for this argument.
        parallel_iterations, back_prop, swap_memory, infer_shape: accepted, and of no effect.
        dtype: an older name of ``fn_output_signature``.
    """
    _check_callable(fn, "fn")
    if parallel_iterations:
        _check_iterations(parallel_iterations)
    signature = dtype if fn_output_signature is None else fn_output_signature
    tensors, length = _elements(elems)
    if type(elems) is not EagerTensor:
        elems = nest.pack_sequence_as(elems, tensors) if nest.is_nested(elems) else tensors[0]
    structure = elems if signature is None else signature
    single = type(structure) is EagerTensor
    if single:
        parts, kinds, are_sparse = [structure], [structure.dtype], [False]
    else:
        parts = nest.flatten(structure)
        kinds = [_dtype_of(part) for part in parts]
        are_sparse = [isinstance(part, (SparseTensor, SparseTensorSpec)) for part in parts]
    rows: list[Any] = []
    fn = calls.part("map_fn", fn)
    maps = scopes.current.maps
    if maps is not None and length:
        maps.used = True
        if maps.run is not None:
            at_once: Any = maps.run(fn, elems)
            nest.assert_same_structure(structure, at_once)
            return at_once
    for element in _unstacked(elems):
        result = fn(element)
        if single and type(result) is EagerTensor:
            rows.append(result)
            continue
        _check_structure(structure, result)
        values = nest.flatten(result)
        for part, sparse, value in zip(parts, are_sparse, values, strict=True):
            _check_result(part, sparse, value)
        rows.append(values[0] if single else values)
    if not length:
        shapes = (
            [_shape_of(part) for part in nest.flatten(signature)] if signature is not None else []
        )
        shapes = shapes or [()] * len(kinds)
        flat = [
            creation.zeros((0, *shape), kind) for shape, kind in zip(shapes, kinds, strict=True)
        ]
    else:
        flat = [_pile(rows, kinds[0])] if single else _stacked(rows, kinds)
    return _packed(structure, flat)


def _check_result(part: Any, sparse: bool, value: Any) -> None:
    """Raise unless ``fn`` returned what ``fn_output_signature`` says, or what the elements are."""
    is_other = isinstance(part, SparseTensorSpec) and not part.is_compatible_with(value)
    if is_other or sparse != isinstance(value, SparseTensor):
        raise ValueError(
            f"Error in map_fn: fn was to return {part!r}, and it returned {value!r}: say so with "
            "fn_output_signature."
        )
    if type(part) is TensorSpec and not part.shape.is_compatible_with(
        shape := convert(value).shape
    ):
        raise ValueError(f"Incompatible shape for value ({shape}), expected ({part.shape})")


def _packed(structure: Any, leaves: list[Any]) -> Any:
    if type(structure) is EagerTensor or not nest.is_nested(structure):
        return leaves[0]
    return nest.pack_sequence_as(structure, leaves)


def _dtype_of(part: Any) -> dtypes.DType:
    if isinstance(part, (EagerTensor, TensorSpec, SparseTensor, SparseTensorSpec)):
        return part.dtype
    return (
        convert(part).dtype if isinstance(part, (Tensor, VariableBase)) else dtypes.as_dtype(part)
    )


def _shape_of(part: Any) -> tuple[int, ...]:
    if isinstance(part, TensorSpec) and part.shape.is_fully_defined():
        return static_shape(part.shape)
    return ()


def stack_results(results: list[Any]) -> Any:
    """The results of several calls of a function, stacked part by part. None for None."""
    rows = [[_part(value) for value in nest.flatten(result)] for result in results]
    stacked = [
        None if column[0] is None else _pile(list(column), column[0].dtype)
        for column in zip(*rows, strict=True)
    ]
    return nest.pack_sequence_as(results[0], stacked)


def _part(value: Any) -> Any:
    return value if value is None or isinstance(value, SparseTensor) else convert(value)


def _has_open_length(elems: Any) -> bool:
    """Whether a function is saved for any number of elements, and loops are steps of it."""
    loops = scopes.current.loops
    if loops is None or loops.run is None:
        return False
    tensors = nest.flatten(elems)
    if not all(type(tensor) is EagerTensor and tensor.ndim for tensor in tensors):
        return False
    return any(type(tensor._shape_tuple()[0]) is Size for tensor in tensors)


def _as_a_loop(fn: Any, elems: Any, initializer: Any, reverse: bool, stacks: bool) -> Any:
    """What `foldl` gives, or `scan` if it ``stacks``, by a `while_loop` whose number of turns is open."""
    tensors, length = _elements(elems)
    count = constant(length, dtypes.int32)
    fn = calls.part("scan" if stacks else "fold", fn)

    def element(turn: Any) -> Any:
        place = count - 1 - turn if reverse else turn
        return nest.pack_sequence_as(elems, [gather.gather(tensor, place) for tensor in tensors])

    def put(stack: Any, turn: Any, part: Any) -> Any:
        place = count - 1 - turn if reverse else turn
        return gather.tensor_scatter_nd_update(stack, place[None, None], part[None])

    first = constant(0, dtypes.int32)
    if initializer is None:
        structure, start = element(first), constant(1, dtypes.int32)
    else:
        structure, start = nest.map_structure(convert, initializer), first
    results = nest.flatten(structure)
    stacked: list[Any] = []
    if stacks:
        stacked = [creation.zeros((length, *part._shape_tuple()), part.dtype) for part in results]
        if initializer is None:
            stacked = [
                put(stack, first, part) for stack, part in zip(stacked, results, strict=True)
            ]

    def body(turn: Any, *variables: Any) -> Any:
        before = nest.pack_sequence_as(structure, variables[: len(results)])
        after = fn(before, element(turn))
        _check_structure(structure, after)
        parts = list(map(convert, nest.flatten(after)))
        stacks = [
            put(stack, turn, part)
            for stack, part in zip(variables[len(results) :], parts, strict=False)
        ]
        return [turn + 1, *parts, *stacks]

    final = while_loop(lambda turn, *_: turn < count, body, [start, *results, *stacked])
    return nest.pack_sequence_as(
        structure, final[1 + len(results) :] if stacks else final[1 : 1 + len(results)]
    )


def _fold(
    fn: Callable[[Any, Any], Result],
    elems: Any,
    initializer: Any,
    parallel_iterations: Any,
    reverse: bool,
) -> Any:
    _check_callable(fn, "fn")
    _check_iterations(parallel_iterations)
    if _has_open_length(elems):
        return _as_a_loop(fn, elems, initializer, reverse, stacks=False)
    elements = _unstacked(elems)
    if reverse:
        elements.reverse()
    if initializer is None:
        if not elements:
            refuse(
                "There is no element to begin with: elems is empty, and there is no initializer.",
                error=errors.OutOfRangeError,
            )
        result = elements.pop(0)
    else:
        result = nest.map_structure(convert, initializer)
    fn = calls.part("fold", fn)
    for element in elements:
        result = fn(result, element)
    return nest.map_structure(convert, result)


@public
@says(calls_functions=True)
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

    Args:
        fn: called as ``fn(result, element)``; it returns the next result, a nest of the same structure.
        elems: a tensor, or a nest of tensors, whose slices along the first axis are the elements.
        initializer: the first result, a tensor or a nest of tensors; None for the first element.
        parallel_iterations: an integer above 0, of no effect.
        back_prop, swap_memory: of no effect.
    """
    return _fold(fn, elems, initializer, parallel_iterations, reverse=False)


@public
@says(calls_functions=True)
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

    Args:
        fn: called as ``fn(result, element)``; it returns the next result, a nest of the same structure.
        elems: a tensor, or a nest of tensors, whose slices along the first axis are the elements.
        initializer: the first result, a tensor or a nest of tensors; None for the last element.
        parallel_iterations: an integer above 0, of no effect.
        back_prop, swap_memory: of no effect.
    """
    return _fold(fn, elems, initializer, parallel_iterations, reverse=True)


@public
@says(calls_functions=True)
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
        fn: called as ``fn(result, element)``; it returns the next result, a nest of the same structure.
        elems: a tensor, or a nest of tensors, whose slices along the first axis are the elements.
        initializer: the first ``result`` that ``fn`` gets, a tensor or a nest of tensors, which is no part of
            the stack. None takes the first element, which is then the first of the stack.
        parallel_iterations: an integer above 0, of no effect.
        back_prop, swap_memory, infer_shape: of no effect.
        reverse: whether to go from the last element to the first. Each result has its element's index.
    """
    _check_callable(fn, "fn")
    _check_iterations(parallel_iterations)
    if _has_open_length(elems):
        return _as_a_loop(fn, elems, initializer, reverse, stacks=True)
    elements = _unstacked(elems)
    if reverse:
        elements.reverse()
    steps: list[Any] = []
    if initializer is None:
        if not elements:
            refuse(
                "There is no element to begin with: elems is empty, and there is no initializer.",
                error=errors.OutOfRangeError,
            )
        result = elements.pop(0)
        steps.append(result if type(result) is EagerTensor else nest.flatten(result))
    else:
        result = nest.map_structure(convert, initializer)
    structure = result
    single = type(structure) is EagerTensor
    kinds = [structure.dtype] if single else [part.dtype for part in nest.flatten(structure)]
    fn = calls.part("scan", fn)
    for element in elements:
        result = fn(result, element)
        if single and type(result) is EagerTensor:
            steps.append(result)
            continue
        _check_structure(structure, result)
        values = nest.flatten(result)
        steps.append(values[0] if single else values)
    if reverse:
        steps.reverse()
    if steps:
        flat = [_pile(steps, kinds[0])] if single else _stacked(steps, kinds)
    else:
        flat = [
            creation.zeros((0, *part._shape_tuple()), part.dtype)
            for part in nest.flatten(structure)
        ]
    return _packed(structure, flat)
