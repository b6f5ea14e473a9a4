"""`tf.Graph` and `FuncGraph`: blocks in which placeholders stand for values, and shapes are worked out."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any, Self

from tapegrad import core, dtypes
from tapegrad.autodiff.graphs import FunctionTape
from tapegrad.core import EagerTensor, registry
from tapegrad.errors import UnimplementedError, refuse
from tapegrad.framework import calls, random_state
from tapegrad.framework.creators import Creatable, open_creators
from tapegrad.framework.names import (
    current_graph,
    enter_graph,
    get_current_name_scope,
    inside_function,
    name_scope,
)
from tapegrad.framework.shape import TensorShape
from tapegrad.io.graph_messages import GraphDef
from tapegrad.ops.sparse.functions import from_dense
from tapegrad.ops.sparse.sparse_tensor import SparseTensor
from tapegrad.symbolic.definitions import graph_def
from tapegrad.symbolic.inference import Call
from tapegrad.symbolic.operations import Operation, assigned_by, refuse_to_assign
from tapegrad.symbolic.tensors import SymbolicTensor
from tapegrad.symbolic.tracing import Trace

PUBLIC = {
    ". compat.v1": "Graph",
    "__internal__": "FuncGraph",
    "compat.v1": (
        "get_default_graph placeholder placeholder_with_default reset_default_graph sparse_placeholder"
    ),
}


# Names of collections that a graph fills by itself
GLOBAL_VARIABLES, TRAINABLE_VARIABLES = "variables", "trainable_variables"


class VariableReads(core.Observer):
    """Notes which tensors are the values of variables, while a graph is open."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph

    def variable_read(self, variable: Any, snapshot: EagerTensor) -> None:
        if self.graph.world is None:
            self.graph.reads[id(snapshot)] = variable, snapshot

    def note_reading(self, op: Any, output: EagerTensor, attributes: tuple[Any, ...]) -> None:
        """Note what an op that reads a variable gave."""
        variable = attributes[op.attributes.index("resource")]
        self.graph.reads[id(output)] = variable, output


class _Settled(VariableReads):
    """Sees which tensors have a value that TensorFlow would compute in each run of a graph."""

    def observe(
        self, op: Any, inputs: list[Any], outputs: list[Any], attributes: tuple[Any, ...]
    ) -> None:
        graph, settled = self.graph, self.graph.settled
        if graph.world is not None:
            return
        if op.effect == "reads resource" and outputs and graph.assigning is None:
            self.note_reading(op, outputs[0], attributes)
        elif (
            op.effect in ("draws", "calls")
            or graph.assigning is not None
            or any(id(tensor) in graph.reads or id(tensor) in settled for tensor in inputs)
        ):
            settled.update({id(output): (output, op.type, graph.assigning) for output in outputs})


class Graph(Trace):
    """A block in which placeholders have a dtype and a shape, and no value.

    >>> with tf.Graph().as_default():
    ...     x = tf.compat.v1.placeholder(tf.float32, [None, 3])
    ...     tf.reduce_sum(x, axis=0), tf.executing_eagerly()
    (<tf.Tensor 'Sum:0' shape=(3,) dtype=float32>, False)

    A `tf.compat.v1.Session` runs it.

    Differs from TensorFlow: what is computed from constants and variables alone has its value at once.
    """

    building_function = False

    def __init__(self) -> None:
        super().__init__()
        # Tensors with values that are those of variables, or came of them or of random numbers, by id.
        self.reads: dict[int, tuple[Any, EagerTensor]] = {}
        # The last is the variable that was to be assigned before.
        self.settled: dict[int, tuple[EagerTensor, str, str | None]] = {}
        # Whether its block was ever opened. What was computed there may have its value, and no operation.
        self.opened = False
        self._collections: dict[Any, list[Any]] = {}
        self._collections_of_variables: tuple[Any, ...] = (GLOBAL_VARIABLES,)

    def settled_value(self, tensor: EagerTensor) -> EagerTensor:
        """A tensor with a value in a run of the graph: the value that a variable has now, or the tensor.

        Raises:
            UnimplementedError: TensorFlow would compute it in each run.
        """
        if id(tensor) in self.reads:
            return self.reads[id(tensor)][0].read_value()  # type: ignore[no-any-return]
        if id(tensor) in self.settled:
            _, kind, assigned = self.settled[id(tensor)]
            if assigned is not None:
                refuse_to_assign(assigned)
            refuse(
                f"A run needs what {kind} gave while the graph was built. "
                "It came of random numbers or of variables alone, which TensorFlow computes in each run, "
                "and it had its value at once here. Compute in a tf.function, or feed the value.",
                error=UnimplementedError,
            )
        return tensor

    @contextmanager
    def as_default(self) -> Iterator[Self]:
        """A context in which this graph is the one that ops belong to, and nothing else changes."""
        self.opened = True
        state, variables = random_state.snapshot(), Creatable.created
        watched = nullcontext() if self.building_function else _Settled(self)
        before_tape = self.tape
        # Names in a graph begin anew: they are not within the scopes around its block.
        goes_on = self.building_function or current_graph() is self
        recorded = nullcontext(self.tape) if goes_on else FunctionTape()
        with watched, recorded as self.tape, nullcontext() if goes_on else name_scope(""):
            core.open_trace(1)
            held, before = core.hold_effects(True), enter_graph(self)
            try:
                yield self
            finally:
                enter_graph(before)
                self.tape = before_tape
                core.hold_effects(held)
                core.open_trace(-1)
                if Creatable.created == variables:
                    # Else draws have become initial values. They must not come again.
                    random_state.restore(state)

    def assigned(self, variable: Any) -> SymbolicTensor | None:
        """What stands for ``variable`` after an assignment, which no run makes; None where none is held."""
        if self.building_function or self.world is not None:
            return None
        if calls.current() is not None:
            # What a function gives, and whatever comes after its call, comes after what it assigns.
            refuse_to_assign(variable.name)
        kind = "AssignVariableOp"
        tensor: SymbolicTensor = self.unknown(variable.shape, variable.dtype, kind, kind)
        tensor.op.assigns = variable.name
        return tensor

    @contextmanager
    def after(self, inputs: Any) -> Iterator[None]:
        """The context of `tf.control_dependencies`: what is made there needs what ``inputs`` assign."""
        before, self.assigning = self.assigning, assigned_by(inputs) or self.assigning
        try:
            yield
        finally:
            self.assigning = before

    def name_scope(self, name: str | None) -> name_scope:
        """A context in which names in the graph begin with ``name/``: `tf.name_scope`. None is no name."""
        return name_scope(name or "")

    def get_name_scope(self) -> str:
        """The name scopes that are open in the graph's block, outermost first: ``""`` if there are none."""
        return get_current_name_scope() if current_graph() is self else ""

    def _get_control_flow_context(self) -> None:
        """The loop or branch of TensorFlow 1 that ops belong to: there is none. Keras 2 asks."""

    def _apply_device_functions(self, op: Any) -> None:
        """Set the device of ``op``: no block has chosen one. Keras 2 asks before it convolves."""
        op._set_device_from_string("")

    @property
    def collections(self) -> list[Any]:
        """The keys of the collections."""
        return list(self._collections)

    def get_all_collection_keys(self) -> list[str]:
        """The keys of the collections that are strings."""
        return [key for key in self._collections if isinstance(key, str)]

    def add_to_collection(self, name: Any, value: Any) -> None:
        """Put ``value`` at the end of the collection ``name``."""
        self._collections.setdefault(name, []).append(value)

    def add_to_collections(self, names: Any, value: Any) -> None:
        """Put ``value`` into several collections, into each once."""
        for name in (names,) if isinstance(names, str) else dict.fromkeys(names):
            self.add_to_collection(name, value)

    def get_collection(self, name: Any, scope: str | None = None) -> list[Any]:
        """What is in a collection, in a new list; with ``scope``, only what has a name that begins so."""
        items = self._collections.get(name, [])
        if scope is None:
            return list(items)
        return [item for item in items if hasattr(item, "name") and re.match(scope, str(item.name))]

    def get_collection_ref(self, name: Any) -> list[Any]:
        """The collection ``name`` itself: changes of the list change it."""
        return self._collections.setdefault(name, [])

    def clear_collection(self, name: Any) -> None:
        """Forget the collection ``name``."""
        self._collections.pop(name, None)

    @contextmanager
    def variables_into(self, *names: Any) -> Iterator[None]:
        """A context in which new variables enter these collections, in place of the global variables."""
        before, self._collections_of_variables = self._collections_of_variables, names
        try:
            yield
        finally:
            self._collections_of_variables = before

    def defer(
        self, function: Callable[..., Any], args: Any, kwargs: Any, results: list[Any]
    ) -> None:
        """A call of Python that a run makes which needs one of ``results``. Without results it is dropped."""
        call = Call(self, function, args, kwargs)
        for place, tensor in enumerate(results):
            tensor._source.maker = call, place

    def variable_made(self, variable: Any) -> None:
        """Give a variable a name that no other has, and put it into the collections of new variables."""
        if self.building_function:
            return
        name = self.unique_name(variable._shared_name)
        variable._handle_name, variable._op = f"{name}:0", Operation(name, "VarHandleOp", self)
        names = self._collections_of_variables
        self.add_to_collections(
            (*names, TRAINABLE_VARIABLES) if variable.trainable else names, variable
        )

    @property
    def _variable_creator_stack(self) -> tuple[Callable[..., Any], ...]:
        # Optimizers of Keras 2 make no slots for a checkpoint while a creator might make another variable.
        return open_creators()

    @property
    def seed(self) -> Any:
        """The global seed, which is that of every graph."""
        return random_state.global_seed()

    def get_operations(self) -> list[Operation]:
        """The operations that made the graph's tensors, in the order in which they were called."""
        return list(self.operations)

    def as_graph_def(
        self,
        from_version: int | None = None,
        add_shapes: bool = False,
        use_pybind11_proto: bool = False,
    ) -> GraphDef:
        """The operations as a `tf.compat.v1.GraphDef`, which can be printed and serialized.

        >>> with tf.Graph().as_default() as graph:
        ...     y = tf.compat.v1.placeholder(tf.float32, name="x") * 2.0
        >>> [(node.name, node.op, list(node.input)) for node in graph.as_graph_def().node]
        [('x', 'Placeholder', []), ('mul/y', 'Const', []), ('mul', 'Mul', ['x', 'mul/y'])]

        Differs from TensorFlow: nodes have the dtype as their only attribute, functions such as `tf.cond` are
        one node, and nothing can run the message.
        """
        return graph_def(self.operations)

    def get_operation_by_name(self, name: str) -> Operation:
        """The operation of that name; KeyError if there is none, and ValueError for the name of a tensor."""
        if not isinstance(name, str):
            raise TypeError(f"Operation names are strings, not {type(name).__name__}.")
        if ":" in name:
            raise ValueError(f"Name {name!r} appears to refer to a Tensor, not an Operation.")
        for operation in self.operations:
            if operation.name == name:
                return operation
        raise KeyError(f"The name {name!r} refers to an Operation not in the graph.")

    def get_tensor_by_name(self, name: str) -> Any:
        """The tensor of that name, as ``"x:0"``; KeyError if there is none, ValueError for another form."""
        if not isinstance(name, str):
            raise TypeError(f"Tensor names are strings, not {type(name).__name__}.")
        operation, _, place = name.partition(":")
        if not place.isdigit():
            raise ValueError(f"{name!r} names no Tensor: their names have the form 'operation:0'.")
        outputs = self.get_operation_by_name(operation).outputs
        if int(place) >= len(outputs):
            raise KeyError(
                f"The name {name!r} refers to no Tensor: {operation} has {len(outputs)} results, "
                f"{operation}:0 and so on."
            )
        return outputs[int(place)]


class FuncGraph(Graph):
    """The graph of one function. `get_concrete_function` fills one; libraries open one to learn shapes."""

    building_function = True

    def __init__(
        self,
        name: str,
        collections: Any = None,
        capture_by_value: Any = None,
        structured_input_signature: Any = None,
        structured_outputs: Any = None,
    ) -> None:
        super().__init__()
        self.name = name
        self._outer_graph: Graph | None = current_graph()
        self.inputs: list[Any] = []
        self.outputs: list[Any] = []
        self.structured_input_signature = structured_input_signature
        self.structured_outputs = structured_outputs
        self.variables: tuple[Any, ...] = ()

    @property
    def outer_graph(self) -> Graph:
        """The graph in whose block this one was made, or the default graph."""
        return self._outer_graph or _fallback

    @property
    def trainable_variables(self) -> tuple[Any, ...]:
        """Those of the variables that are trained."""
        return tuple([variable for variable in self.variables if variable.trainable])

    @property
    def captures(self) -> tuple[Any, ...]:
        """Empty: tensors from outside are used as they are."""
        return ()


def _graph(called: str) -> Any:
    graph = current_graph()
    if graph is None:
        raise RuntimeError(
            f"tf.compat.v1.{called}() is not compatible with eager execution: pass the value itself, or "
            "open a graph by `with tf.Graph().as_default():`."
        )
    return graph


def placeholder(dtype: Any, shape: Any = None, name: str | None = None) -> SymbolicTensor:
    """In the block of a graph, a tensor with a dtype, as much of a shape as is known, and no value.

    >>> with tf.Graph().as_default():
    ...     tf.compat.v1.placeholder(tf.int32, [None], name="labels")
    <tf.Tensor 'labels:0' shape=(None,) dtype=int32>

    Args:
        dtype: the dtype that is fed.
        shape: the shape, with None for sizes that are not known; None for any shape.

    Raises:
        RuntimeError: no graph is open.
    """
    graph = _graph("placeholder")
    return graph.unknown(shape, dtypes.as_dtype(dtype), name or "Placeholder")  # type: ignore[no-any-return]


def placeholder_with_default(input: Any, shape: Any, name: str | None = None) -> core.Tensor:
    """In the block of a graph, ``input`` unless a run feeds something else. Elsewhere it is ``input``.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     x = tf.compat.v1.placeholder_with_default([1.0, 2.0], shape=[None])
    ...     session.run(x * 2.0), session.run(x * 2.0, {x: [3.0]})
    (array([2., 4.], dtype=float32), array([6.], dtype=float32))

    Args:
        input: the value if nothing is fed: a tensor, or what becomes one.
        shape: the shape that may be fed, with None for sizes that are not known; None for any shape.

    Raises:
        ValueError: ``input`` does not have the shape, as far as that is known, in the block of a graph.
    """
    default, graph = core.convert(input), current_graph()
    if not isinstance(graph, Graph) or isinstance(default, SymbolicTensor):
        return registry["PlaceholderWithDefault"](default, shape=shape, name=name)  # type: ignore[no-any-return]
    shape = TensorShape(shape)
    shape.assert_is_compatible_with(default.shape)
    kind = "PlaceholderWithDefault"
    tensor: SymbolicTensor = graph.unknown(shape, default.dtype, name or kind, kind)
    tensor._source.default = default
    return tensor


def sparse_placeholder(dtype: Any, shape: Any = None, name: str | None = None) -> SparseTensor:
    """In the block of a graph, a sparse tensor without values.

    >>> with tf.Graph().as_default():
    ...     tf.compat.v1.sparse_placeholder(tf.float32, [None, 4]).shape
    TensorShape([None, 4])

    Args:
        dtype: the dtype of the values.
        shape: the dense shape, with None for sizes that are not known; None for any shape.

    Raises:
        RuntimeError: no graph is open.
    """
    graph = _graph("sparse_placeholder")
    return unknown_sparse(graph, shape, dtypes.as_dtype(dtype), name)


def unknown_sparse(trace: Trace, shape: Any, dtype: Any, name: str | None = None) -> SparseTensor:
    """A sparse tensor of which no more is known than shape and dtype."""
    if shape is not None:
        sizes = shape if isinstance(shape, TensorShape) else list(shape)
        shape = [None if size == -1 else size for size in sizes] if sizes is not None else None
    dense = trace.unknown(shape, dtype, name or "Placeholder")
    return trace.call(from_dense, (dense,), {})  # type: ignore[no-any-return]


class RunningGraph(FuncGraph):
    """The graph of the `tf.function` that runs: its ops run at once, also in a block of the graph."""

    @property
    def outer_graph(self) -> Graph:
        """The graph around the function: the one that stays empty. Keras 2 asks where a variable belongs."""
        return _fallback

    def get_name_scope(self) -> str:
        """The name scopes that are open in the function, outermost first."""
        return get_current_name_scope()

    def share_collections(self, graph: Graph) -> None:
        """Let the collections of this graph be those of another one."""
        self._collections = graph._collections

    @contextmanager
    def as_default(self) -> Iterator[Self]:
        """A context that changes nothing: ops belong to the function that runs already."""
        yield self


_fallback = Graph()
# Functions run their ops and list none of them. One stands for all: Keras 2 asks a function for its last one.
_of_functions = RunningGraph("function")
_of_functions.share_collections(_fallback)
_of_functions.operations.append(Operation("NoOp", "NoOp", _of_functions))


def get_default_graph() -> Graph:
    """The graph whose block is open; in a `tf.function` a graph of one op; else one that stays empty."""
    return current_graph() or (_of_functions if inside_function() else _fallback)


def reset_default_graph() -> None:
    """Give the program a new empty graph, without collections, for `get_default_graph`.

    Raises:
        AssertionError: the block of a graph is open.
    """
    global _fallback
    if current_graph() is not None:
        raise AssertionError("Do not use tf.reset_default_graph() to clear nested graphs.")
    _fallback = Graph()
    _of_functions.share_collections(_fallback)
