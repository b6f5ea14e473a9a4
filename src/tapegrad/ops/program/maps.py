"""Maps, folds and scans over elements: ``map_fn``, ``foldl``, ``foldr`` and ``scan``. They run at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tapegrad import dtypes, errors
from tapegrad.core import EagerTensor, Tensor, VariableBase, convert, public
from tapegrad.core.sizes import Size
from tapegrad.errors import refuse
from tapegrad.framework import calls, nest
from tapegrad.framework.spec import TensorSpec
from tapegrad.ops.args import static_shape
from tapegrad.ops.constants import constant
from tapegrad.ops.indexing import gather
from tapegrad.ops.op import says
from tapegrad.ops.program import scopes
from tapegrad.ops.program.control import SINGLE, check_callable, check_iterations, while_loop
from tapegrad.ops.program.loop_variables import stops_gradients, without_gradients
from tapegrad.ops.program.tensor_array import TensorArray
from tapegrad.ops.shape import creation, joining
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
    ".": "foldl foldr map_fn scan",
}


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
        return joining.unstack_op.apply([elems], (None, 0))
    tensors, _ = _elements(elems)
    columns = [
        _sparse_rows(tensor) if isinstance(tensor, SparseTensor) else joining.unstack(tensor)
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
        return joining.stack_op.apply(column, (0,))
    if set(map(type, column)) == {SparseTensor}:
        return sparse_concat(
            0, [sparse_expand_dims(value, 0) for value in column], expand_nonconcat_dims=True
        )
    return TensorArray(dtype, size=len(column))._written(list(enumerate(column))).stack()


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
        back_prop: whether gradients flow through the map. It is of no effect outside of functions.
        parallel_iterations, swap_memory, infer_shape: accepted, and of no effect.
        dtype: an older name of ``fn_output_signature``.
    """
    check_callable(fn, "fn")
    if parallel_iterations:
        check_iterations(parallel_iterations)
    signature = dtype if fn_output_signature is None else fn_output_signature
    if stops_gradients(back_prop):
        return without_gradients(map_fn(fn, elems, fn_output_signature=signature))
    if (override := _override_inside(elems, signature)) is not None:
        result: Result = override(map_fn, fn, elems, fn_output_signature=signature)
        return result
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


def _override_inside(elems: Any, signature: Any) -> Callable[..., Any] | None:
    """What maps instead where a structure has elements or specs of another kind in it, as ragged ones."""
    function: Any = map_fn
    overrides: dict[type, Callable[..., Any]] | None = function.overrides
    if not overrides or not (nest.is_nested(elems) or nest.is_nested(signature)):
        return None
    kinds = map(type, (*nest.flatten(elems), *nest.flatten(signature)))
    return next((overrides[kind] for kind in kinds if kind in overrides), None)


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
    back_prop: bool,
    reverse: bool,
) -> Any:
    check_callable(fn, "fn")
    check_iterations(parallel_iterations)
    if stops_gradients(back_prop):
        return without_gradients(
            _fold(fn, elems, initializer, parallel_iterations, back_prop=True, reverse=reverse)
        )
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
        back_prop: whether gradients flow through the fold. It is of no effect outside of functions.
        swap_memory: of no effect.
    """
    return _fold(fn, elems, initializer, parallel_iterations, back_prop, reverse=False)


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
        back_prop: whether gradients flow through the fold. It is of no effect outside of functions.
        swap_memory: of no effect.
    """
    return _fold(fn, elems, initializer, parallel_iterations, back_prop, reverse=True)


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
        back_prop: whether gradients flow through the scan. It is of no effect outside of functions.
        swap_memory, infer_shape: of no effect.
        reverse: whether to go from the last element to the first. Each result has its element's index.
    """
    check_callable(fn, "fn")
    check_iterations(parallel_iterations)
    if stops_gradients(back_prop):
        return without_gradients(scan(fn, elems, initializer, reverse=reverse))
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
