"""`tf.compat.v1.Session`: runs what a graph was built of, with values for its placeholders.

A tensor without values knows the call that gave it (`tracing.Call`). A run makes that call with values, after
the calls that give its arguments, each of them once:

    x = placeholder          what is fed
    y = tf.tanh(x)           called with what is fed
    z = y * w                called with y, and with what the variable w holds now
    run(z, {x: 2.0})         z

`tf.gradients` is a call as well. It makes the calls before it once more, while a tape records, and those that
draw numbers draw the same ones (`Run.states`).

What the program computes in a graph of constants alone has its value at once. Of random numbers or of
variables alone it does too, but TensorFlow would compute it anew in each run: a run that needs it is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Any, NoReturn, Self

import numpy as np

from tapegrad import core, errors
from tapegrad.core import EagerTensor, VariableBase
from tapegrad.framework import random_state
from tapegrad.framework.convert import convert_to_tensor
from tapegrad.framework.indexed_slices import IndexedSlices, IndexedSlicesValue
from tapegrad.framework.names import default_sessions, enter_graph, set_default_sessions
from tapegrad.framework.nest import COMPOSITE
from tapegrad.framework.printed import Printed
from tapegrad.ops.sparse.sparse_tensor import SparseTensor, SparseTensorValue
from tapegrad.symbolic.graphs import Graph, get_default_graph
from tapegrad.symbolic.inference import Call
from tapegrad.symbolic.nests import ARGUMENTS, NESTS, is_symbolic, symbolic_in
from tapegrad.symbolic.operations import Operation, refuse_to_assign
from tapegrad.symbolic.tensors import SymbolicTensor
from tapegrad.symbolic.tracing import Constant
from tapegrad.symbolic.worlds import Unknown

PUBLIC = {"compat.v1": "get_default_session InteractiveSession Session"}

# A source of tensors, and which of its results one is.
Place = tuple[Any, int]


class Run:
    """The values that the tensors of a graph have in one run.

    Attributes:
        fed: the values of some tensors, by their places.
        results: what the calls have given that were made so far.
        states: the state of the random numbers before each call, for a call that is made once more.
    """

    def __init__(self, graph: Graph, fed: dict[Place, Any], states: dict[Any, Any]) -> None:
        self.graph = graph
        self.fed = fed
        self.results: dict[Any, list[Any]] = {}
        self.states = states

    def with_tape(self, number: int) -> Run:
        """The run in which the call ``number`` of `tf.gradients` makes the calls before it once more."""
        return Run(self.graph, dict(self.fed), self.states)

    def fix(self, tensor: SymbolicTensor, value: Any) -> None:
        """Let ``tensor`` be ``value``."""
        self.fed[tensor._source, tensor._place] = value

    def value_of(self, tensor: Any) -> Any:
        """What a tensor without values is in this run."""
        place = tensor._source, tensor._place
        if place in self.fed:
            return self.fed[place]
        if tensor.op.assigns is not None:
            refuse_to_assign(tensor.op.assigns)
        call, number = _call_of(tensor)
        if call is not None:
            self._make(call)
            return self.results[call][number]
        source = tensor._source
        if isinstance(source, Unknown):
            if source.default is not None:
                return self.filled(source.default)
            errors.refuse(
                f"You must feed a value for placeholder tensor {tensor.op.name!r} with dtype "
                f"{tensor._dtype.name} and shape {tensor._known}: give it to session.run by feed_dict."
            )
        assert isinstance(source, Constant)
        return source.tensor

    def _make(self, wanted: Any) -> None:
        """Make a call, after those before it. Not by recursion, because a graph may be deep."""
        waiting = [wanted]
        while waiting:
            call = waiting[-1]
            missing = [] if call in self.results else self._missing(call)
            waiting += missing
            if missing:
                continue
            waiting.pop()
            if call not in self.results:
                self.results[call] = self._call(call)

    def _missing(self, call: Call) -> list[Call]:
        """The calls that give what ``call`` uses, and have not been made."""
        missing = []
        for tensor in [*symbolic_in((call.args, call.kwargs)), *call.captured.values()]:
            before, _ = _call_of(tensor)
            if (
                before is not None
                and before not in self.results
                and (tensor._source, tensor._place) not in self.fed
            ):
                missing.append(before)
        return missing

    def _call(self, call: Call) -> list[Any]:
        """Make a call; its results without their nest."""
        graph = self.graph
        before = enter_graph(graph)
        core.open_trace(1)
        outer, graph.world = graph.world, self  # type: ignore[assignment]
        after = random_state.snapshot() if call in self.states else None
        if after is not None:
            random_state.restore(self.states[call])
        else:
            self.states[call] = random_state.snapshot()
        try:
            args, kwargs = self.filled(call.args), self.filled(call.kwargs)
            return NESTS.flatten(self.filled(call.function(*args, **kwargs)))
        finally:
            if after is not None:
                random_state.restore(after)
            graph.world = outer
            core.open_trace(-1)
            enter_graph(before)

    def filled(self, value: Any) -> Any:
        """A nest with all its tensors as they are in this run."""

        def filled(leaf: Any) -> Any:
            if is_symbolic(leaf):
                return self.value_of(leaf)
            return self.graph.settled_value(leaf) if type(leaf) is EagerTensor else leaf

        return ARGUMENTS.replace(filled, value)


def _call_of(tensor: Any) -> tuple[Call | None, int]:
    """The call that gives a tensor, and as which of its results; None where no call does."""
    source = tensor._source
    if isinstance(source, Call):
        return source, tensor._place
    return (source.maker if isinstance(source, Unknown) else None) or (None, 0)


def get_default_session() -> Session | None:
    """The innermost session whose block is open in this thread; None if there is none."""
    return default_sessions()[-1] if default_sessions() else None


class Session(Printed):
    """Runs what a graph was built of.

    >>> with tf.Graph().as_default():
    ...     x = tf.compat.v1.placeholder(tf.float32, [None])
    ...     y = tf.reduce_sum(x * x)
    ...     slope = tf.gradients(y, x)
    ...     with tf.compat.v1.Session() as session:
    ...         session.run([y, slope], {x: [1.0, 2.0]})
    [np.float32(5.0), [array([2., 4.], dtype=float32)]]

    Differs from TensorFlow: variables have their values from the start, and a graph cannot assign them, so
    the optimizers of `tf.compat.v1.train` do not run in it. What was computed of random numbers or of
    variables alone while the graph was built is refused.

    Args:
        target: accepted if it is empty: there is this process alone.
        graph: the graph; without it the one that is open.
        config: accepted.
    """

    def __init__(self, target: str = "", graph: Graph | None = None, config: Any = None) -> None:
        if target:
            errors.refuse(
                f"tf.compat.v1.Session(target={target!r}) asks for a server, and there are none here.",
                error=errors.NotFoundError,
            )
        self._graph = get_default_graph() if graph is None else graph
        if not isinstance(self._graph, Graph):
            raise TypeError(
                f"Argument `graph` must be a tf.Graph, but got {type(graph).__name__!r}"
            )
        self._closed = False
        self._blocks: list[ExitStack] = []

    def _printed_state(self) -> str:
        return "closed" if self._closed else "open"

    @property
    def graph(self) -> Graph:
        """The graph that is run."""
        return self._graph

    @property
    def graph_def(self) -> Any:
        """The graph as a message."""
        return self._graph.as_graph_def()

    @property
    def sess_str(self) -> bytes:
        """The address of the server: empty."""
        return b""

    def run(
        self, fetches: Any, feed_dict: Any = None, options: Any = None, run_metadata: Any = None
    ) -> Any:
        """The values of ``fetches`` as NumPy's arrays, in their nest; of an operation, None.

        Raises:
            RuntimeError: the session is closed, or nothing was built in its graph.
            InvalidArgumentError: a placeholder that is needed is not fed.
            TypeError: a key of ``feed_dict`` is no tensor of the graph, or something cannot be fetched.
            ValueError: a value does not fit its tensor.
        """
        if self._closed:
            raise RuntimeError("Attempted to use a closed Session.")
        if not (self._graph.operations or self._graph.opened):
            raise RuntimeError(
                "The Session graph is empty. Add operations to the graph before calling run(): "
                "open it by `with graph.as_default():`."
            )
        return self._run(fetches, (feed_dict or {}).items())

    def _run(self, fetches: Any, pairs: Iterable[tuple[Any, Any]]) -> Any:
        return self._fetched(fetches, Run(self._graph, self._fed(pairs), {}))

    def make_callable(
        self, fetches: Any, feed_list: Any = None, accept_options: bool = False
    ) -> Callable[..., Any]:
        """A function of the values of ``feed_list`` that gives what `run` gives."""
        keys = list(feed_list or [])

        def call(*values: Any) -> Any:
            if len(values) != len(keys):
                raise ValueError(f"The function takes {len(keys)} values, and {len(values)} came.")
            return self._run(fetches, zip(keys, values, strict=True))

        return call

    def _tensor(self, key: Any) -> SymbolicTensor:
        """The tensor of the graph that a key of ``feed_dict`` stands for."""
        reason = f"{key!r} is no tensor of this graph without a value."
        try:
            tensor = self._graph.get_tensor_by_name(key) if isinstance(key, str) else key
        except (KeyError, ValueError) as error:
            tensor, reason = None, error.args[0]
        if isinstance(tensor, SymbolicTensor) and tensor.graph is self._graph:
            return tensor
        raise TypeError(f"Cannot interpret feed_dict key as Tensor: {reason}")

    def _fed(self, pairs: Iterable[tuple[Any, Any]]) -> dict[Place, Any]:
        fed = {}
        for key, value in pairs:
            tensor = self._tensor(key)
            if isinstance(value, core.Tensor):
                raise TypeError(
                    "The value of a feed cannot be a tf.Tensor object. Acceptable feed values include Python "
                    f"scalars, strings, lists and numpy ndarrays. For {tensor.name} came {value!r}."
                )
            array = convert_to_tensor(np.asarray(value, tensor.dtype.as_numpy_dtype), tensor.dtype)
            if not tensor.shape.is_compatible_with(array.shape):
                raise ValueError(
                    f"Cannot feed value of shape {array.shape} for Tensor {tensor.name}, "
                    f"which has shape {tensor.shape}"
                )
            fed[tensor._source, tensor._place] = array
        return fed

    def _fetched(self, fetch: Any, run: Run) -> Any:
        if fetch is None:  # what the initializers of variables give here
            return None
        if isinstance(fetch, Mapping):
            return type(fetch)({key: self._fetched(part, run) for key, part in fetch.items()})  # type: ignore[call-arg]
        if isinstance(fetch, tuple) and hasattr(fetch, "_fields"):
            return type(fetch)(*[self._fetched(part, run) for part in fetch])
        if isinstance(fetch, (list, tuple)):
            return type(fetch)([self._fetched(part, run) for part in fetch])
        if isinstance(fetch, str):
            named = (
                self._graph.get_tensor_by_name
                if ":" in fetch
                else self._graph.get_operation_by_name
            )
            try:
                found = named(fetch)
            except KeyError as error:
                raise ValueError(
                    f"`fetch` = {fetch!r} cannot be fetched: {error.args[0]}"
                ) from None
            return self._fetched(found, run)
        if isinstance(fetch, Operation):
            if fetch.assigns is not None:
                refuse_to_assign(fetch.assigns)
            for output in fetch.outputs:
                run.filled(output)
            return None
        if isinstance(fetch, VariableBase):
            return fetch.read_value().numpy()  # type: ignore[attr-defined]
        if isinstance(fetch, SymbolicTensor) and fetch.graph is not self._graph:
            raise ValueError(f"Fetch argument {fetch!r} is not an element of this graph.")
        if isinstance(fetch, (core.Tensor, SparseTensor)) or NESTS.kind_of(fetch) == COMPOSITE:
            return _as_numpy(run.filled(fetch))
        raise TypeError(
            f"Fetch argument {fetch!r} has invalid type {type(fetch)}, must be a string or Tensor. "
            f"(Can not convert a {type(fetch).__name__} into a Tensor or Operation.)"
        )

    def as_default(self) -> Any:
        """A context in which this is the default session, for `Tensor.eval`. It is not closed at the end."""
        return _default(self)

    def close(self) -> None:
        """Let go of the session: it runs nothing any more."""
        self._closed = True

    def __enter__(self) -> Self:
        block = ExitStack()
        block.enter_context(self._graph.as_default())
        block.enter_context(self.as_default())
        self._blocks.append(block)
        return self

    def __exit__(self, *error: Any) -> None:
        self._blocks.pop().close()
        self.close()

    def list_devices(self) -> NoReturn:
        """Not available: `tf.config.list_physical_devices` says which devices there are."""
        raise NotImplementedError("Session.list_devices(): use tf.config.list_physical_devices().")


class InteractiveSession(Session):
    """A `Session` that is the default one from the start, until it is closed."""

    def __init__(self, target: str = "", graph: Graph | None = None, config: Any = None) -> None:
        super().__init__(target, graph, config)
        set_default_sessions((*default_sessions(), self))

    def close(self) -> None:
        """Let go of the session: it runs nothing any more, and is no default session."""
        super().close()
        set_default_sessions(tuple([each for each in default_sessions() if each is not self]))


@contextmanager
def _default(session: Session) -> Iterator[Session]:
    before = default_sessions()
    set_default_sessions((*before, session))
    try:
        yield session
    finally:
        set_default_sessions(before)


def _as_numpy(value: Any) -> Any:
    if isinstance(value, SparseTensor):
        parts = (value.indices, value.values, value.dense_shape)
        return SparseTensorValue(*[part.numpy() for part in parts])
    if isinstance(value, IndexedSlices):
        shape = None if value.dense_shape is None else value.dense_shape.numpy()
        return IndexedSlicesValue(value.values.numpy(), value.indices.numpy(), shape)
    return value.numpy()
