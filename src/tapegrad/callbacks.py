"""The record of functions that the core asks of higher layers, filled.

The core loads this module when it first needs a part of the record, so `import tapegrad` is fast.
"""

from __future__ import annotations

import functools
from typing import Any

from tapegrad import core
from tapegrad.core import Callbacks, EagerTensor, stand_ins
from tapegrad.dtypes import bool as bool_
from tapegrad.framework import calls, dlpack, names, printing, random_state, tensor
from tapegrad.framework.convert import convert_to_tensor
from tapegrad.framework.shape import TensorShape
from tapegrad.framework.spec import TypeSpec
from tapegrad.lazy import find, import_whole
from tapegrad.names import OPS
from tapegrad.ops import batching, gradients, op
from tapegrad.ops.elementwise import complex, logic, math, signs
from tapegrad.ops.indexing import getitem, indexed_slices
from tapegrad.ops.linalg import attributes, products
from tapegrad.ops.program import variables
from tapegrad.ops.reduce import batches, reduce
from tapegrad.ops.shape import array, casts, joining


@functools.cache
def _modules_by_type() -> dict[str, str]:
    """Type of an op -> the module that defines it."""
    return {type: module for module, types in OPS.items() for type in types.split()}


def load_ops(type: str | None = None) -> None:
    """Load every module that defines ops, or only the one, if any, that defines the op of a type."""
    if type is None:
        for module in OPS:
            import_whole(f"tapegrad.{module}")
    elif type in _modules_by_type():
        import_whole(f"tapegrad.{_modules_by_type()[type]}")


def trace_symbolically(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What the graph of this thread answers to a call; NotImplemented where the function is to run."""
    graph = names.current_graph()
    if graph is None:
        return NotImplemented
    from tapegrad.symbolic import calls as symbolic_calls

    return symbolic_calls.trace_symbolically(graph, function, args, kwargs)


def assigned(variable: Any) -> Any:
    """The tensor that stands for a variable after an assignment in a graph; None where no graph is built."""
    graph = names.current_graph()
    return None if graph is None else graph.assigned(variable)


def note_tape() -> bool:
    """Whether a graph is being built on this thread, which notes that a tape is opened."""
    graph = names.current_graph()
    if graph is None or graph.world is not None:
        return False
    graph.has_tape = True
    return True


def resolve(tensor: Any, how: str | None = None) -> Any:
    """A tensor without values as it is in the world that runs; ``how`` says who asks for values."""
    from tapegrad.symbolic import tracing

    return tracing.resolve(tensor, how)


def record(function: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """A recording of the call; None where there can be none."""
    from tapegrad.functions.recordings import path_of

    return path_of(function, args, kwargs)


def remember(resource: Any) -> Any:
    """A function that gives a variable, or a table, the value back that it has now."""
    from tapegrad.batching.writes import remember

    return remember(resource)


def missing_attribute(value: Any, name: str) -> Any:
    """An attribute that the array API standard asks of tensors; AttributeError for any other."""
    if name in attributes.STANDARD and type(value) is EagerTensor:
        return attributes.attribute(value, name)
    if name == "graph" and not names.executing_eagerly():
        # That of a constant in a function or a graph: libraries ask in which one they are.
        return find("compat.v1.get_default_graph")()
    return tensor.missing_attribute(value, name)


# The public functions behind the operators of tensors. Keras 2 names layers after them.
_FUNCTIONS = {
    "abs": "math.abs",
    "add": "__operators__.add",
    "and": "math.logical_and",
    "eq": "__operators__.eq",
    "floordiv": "math.floordiv",
    "ge": "math.greater_equal",
    "getitem": "__operators__.getitem",
    "gt": "math.greater",
    "invert": "math.logical_not",
    "le": "math.less_equal",
    "lt": "math.less",
    "matmul": "linalg.matmul",
    "mod": "math.floormod",
    "mul": "math.multiply",
    "ne": "__operators__.ne",
    "neg": "math.negative",
    "or": "math.logical_or",
    "pow": "math.pow",
    "sub": "math.subtract",
    "truediv": "math.truediv",
    "xor": "math.logical_xor",
}
_OF_BITS = {
    "and": "bitwise.bitwise_and",
    "invert": "bitwise.invert",
    "or": "bitwise.bitwise_or",
    "xor": "bitwise.bitwise_xor",
}


def open_operator(name: str, value: Any, operands: tuple[Any, ...]) -> Any:
    """The operator ``name`` of an object that is no tensor of ours, by the public function behind it."""
    word = name.strip("_")
    if word in _FUNCTIONS:
        operands = (value, *operands)
    else:  # reflected, as __radd__
        (other,) = operands
        word, operands = word[1:], (convert_to_tensor(other, value.dtype), value)
    of_bits = word in _OF_BITS and value.dtype != bool_
    return find((_OF_BITS if of_bits else _FUNCTIONS)[word])(*operands)


def tensor_html(array: Any, dtype: Any) -> str:
    """What a notebook shows of a tensor."""
    from tapegrad.framework.tensor_html import tensor_html

    return tensor_html(array, dtype)


CALLBACKS = Callbacks(
    operators={
        "add": math.add,
        "subtract": math.subtract,
        "multiply": (math.multiply, math.product),
        "truediv": (math.real_divide, math.divide),
        "floordiv": math.floordiv,
        "mod": math.floormod,
        "pow": math.pow,
        "matmul": products.matmul,
        "and": logic.and_operator,
        "or": logic.or_operator,
        "xor": logic.xor_operator,
        "negative": math.negative,
        "abs": signs.abs,
        "invert": logic.invert_operator,
        "less": logic.less,
        "less_equal": logic.less_equal,
        "equal": logic.equal_operator,
        "not_equal": logic.not_equal_operator,
        "greater": logic.greater,
        "greater_equal": logic.greater_equal,
        "positive": array.identity,
        "left_shift": logic.left_shift,
        "right_shift": logic.right_shift,
    },
    convert=convert_to_tensor,
    convert_operand=op.convert_operand,
    convert_left=convert_to_tensor,
    convert_own=op.convert_own,
    signature=op.signature,
    document=op.document,
    refuse_type=op.refuse_type,
    refuse_mismatch=op.refuse_mismatch,
    explain=op.explain,
    make_shape=TensorShape._of,
    check_shape=tensor.check_shape,
    device=tensor.device,
    reference=tensor.Reference,
    missing_attribute=missing_attribute,
    tensor_repr=printing.tensor_repr,
    tensor_str=printing.tensor_str,
    tensor_format=printing.tensor_format,
    tensor_html=tensor_html,
    to_numpy=tensor.to_numpy,
    to_array=tensor.read_only,
    to_dlpack=dlpack.exported,
    to_truth=tensor.truth,
    to_scalar=tensor.scalar,
    to_index=tensor.index,
    iterate=tensor.iterate,
    pickle=tensor.pickled,
    unpickle=tensor.unpack,
    getitem=getitem.getitem,
    open_operator=open_operator,
    trace_kernel=stand_ins.trace_kernel,
    trace_rule=stand_ins.trace_rule,
    sum_to_shape=reduce.sum_to_shape,
    broadcast_to=array.broadcast_to,
    add=math.add,
    conj=complex.conj,
    ones=gradients.ones,
    zeros=gradients.zeros,
    aggregate=indexed_slices.aggregate,
    densify=indexed_slices.densify,
    op_view=gradients.OpView,
    cast=casts.cast_op,
    pack=joining.stack_op,
    variables=variables,
    sum_items=batches.sum_items,
    leave_batch=batches.leave_batch,
    note_loop=batching.note_loop,
    remember=remember,
    as_one=calls.as_one,
    reshape=array.reshape,
    transpose=array.transpose_op,
    identity=array.identity_op,
    slices_to_tensor=indexed_slices.to_tensor,
    load_ops=load_ops,
    names_of_draws=calls.names_of_draws,
    draw_again=calls.draw_again,
    new_streams=random_state.new_streams,
    immutable=(TensorShape, TypeSpec),
    trace_symbolically=trace_symbolically,
    resolve=resolve,
    assigned=assigned,
    note_tape=note_tape,
    record=record,
)
core.fill_callbacks(CALLBACKS)
