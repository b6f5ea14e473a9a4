"""`GradientTape`, which records ops and takes gradients from the records.

The core records and walks (`tapegrad.core.tape`, `tapegrad.core.backward`). This module turns what users
pass, any nest of tensors and variables, into lists for the core, and says what is wrong with bad arguments.

Environment variables:
    TAPEGRAD_TAPE_LINES: `1`: tapes note the line of the program for every op, which `tape.explain` shows;
        see docs/why-none.md.
"""

from __future__ import annotations

import enum
import operator
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal, NoReturn, TypeAlias, overload

from tapegrad import core, dtypes
from tapegrad.autodiff import jacobian as jacobians
from tapegrad.autodiff.answers import TapeWithAnswers
from tapegrad.autodiff.leaves import as_source, flat_values_of, tensors_of
from tapegrad.core import EagerTensor, Operand, Tensor, VariableBase, public, requests
from tapegrad.errors import refuse
from tapegrad.framework import logging, nest
from tapegrad.framework.names import executing_eagerly
from tapegrad.ops.gradients import zeros
from tapegrad.ops.shape.array import broadcast_to
from tapegrad.ops.shape.creation import zeros_like

if TYPE_CHECKING:
    from tapegrad.framework.indexed_slices import IndexedSlices
    from tapegrad.framework.types import Gradient, Key, Source, SourceType
    from tapegrad.framework.variable import Variable

PUBLIC = {
    ". autodiff compat.v1": "GradientTape",
    ". compat.v1": "UnconnectedGradients",
}


# Whether every tape notes the line of each op.
ALL_LINES = os.environ.get("TAPEGRAD_TAPE_LINES") == "1"


class UnconnectedGradients(enum.Enum):
    """The gradient by a source that the target does not depend on: `None`, or zeros of the source's shape."""

    NONE = "none"
    ZERO = "zero"


# For type checkers. Where a call says what an unconnected source gives, its type says whether the result may
# be None. Other calls give a `Gradient`, so that no training step has to look for None.
if TYPE_CHECKING:
    NeverNone: TypeAlias = Literal["zero", "error", UnconnectedGradients.ZERO]
    AsNone: TypeAlias = Literal["none", UnconnectedGradients.NONE]
    Connected: TypeAlias = Tensor | IndexedSlices
    MaybeConnected: TypeAlias = Tensor | IndexedSlices | None


class GradientTape(TapeWithAnswers):
    """Records the ops executed in its context, and differentiates what they computed.

    >>> x = tf.Variable(3.0)
    >>> with tf.GradientTape() as tape:
    ...     y = x * x
    >>> tape.gradient(y, x)
    <tf.Tensor: shape=(), dtype=float32, numpy=6.0>

    The tape watches trainable variables when they are read, and a tensor after a call of `watch`. A tape lets
    go of its records while `gradient` walks them: it serves one call, unless it is persistent.

    Differs from TensorFlow: `watch` on a tape that was never entered begins recording there, until `gradient`
    is called or the tape goes away.

    Args:
        persistent: whether `gradient` may be called more than once.
        watch_accessed_variables: whether trainable variables are watched when they are read.
        lines: whether the tape notes the line of the program for every op, which `explain` then shows, and
            the modules that call it, for `graph`. That takes some microseconds an op. The environment
            variable TAPEGRAD_TAPE_LINES=1 does so for all tapes.
        profile: whether the tape times ops and gradient rules, for `profile`. That takes some 10 microseconds
            an op, which are not part of its times.
    """

    # What walks the records for `gradient`. A tape that does more with each gradient has its own.
    _compute_gradient: Any = staticmethod(core.compute_gradient)

    def __init__(
        self,
        persistent: bool = False,
        watch_accessed_variables: bool = True,
        lines: bool = ALL_LINES,
        profile: bool = False,
    ) -> None:
        self._configure(persistent, watch_accessed_variables)
        if lines:
            self._lines = True
        if profile:
            from tapegrad.autodiff.profiles import TapeProfiler

            self._profiler = TapeProfiler()

    @contextmanager
    def _ensure_recording(self) -> Iterator[None]:
        """A block in which the tape records, also after its own. Libraries call it by TensorFlow's name."""
        if self._tape is not None and self._tape.is_recording:
            yield
        else:
            with self:
                yield

    def _refuse_to_enter(self) -> NoReturn:
        raise ValueError(
            "Tape is still recording: it was entered inside its own `with` block. "
            "Leave the block first, or open a second GradientTape."
        )

    def watch(self, tensor: Any) -> None:
        """Watch ``tensor`` (a tensor, a variable, or a nest of them) from now on.

        >>> x = tf.constant(3.0)
        >>> with tf.GradientTape() as tape:
        ...     tape.watch(x)
        ...     y = x * x
        >>> tape.gradient(y, x)
        <tf.Tensor: shape=(), dtype=float32, numpy=6.0>
        """
        if not requests.watch(self, tensor):
            self._watch_nest(tensor)

    def _watch_nest(self, nested: Any) -> None:
        leaves = []
        for leaf in tensors_of(nested):
            if hasattr(type(leaf), "watched_by"):
                leaf.watched_by(self)  # a tensor of a graph, which has no value yet
            else:
                leaves.append(leaf)
        watched = [leaf if type(leaf) is EagerTensor else as_source(leaf) for leaf in leaves]
        for tensor_or_variable, leaf in zip(watched, leaves, strict=True):
            if tensor_or_variable is None:
                raise ValueError(
                    f"Passed in object {leaf!r} of type {type(leaf).__name__!r}, "
                    "not tf.Tensor or tf.Variable. Make it a tensor with tf.convert_to_tensor "
                    "first, and compute with that tensor."
                )
        tape = self._start() if self._tape is None else self._tape
        for tensor_or_variable in watched:
            dtype = tensor_or_variable.dtype
            if not (dtype.is_floating or dtype.is_complex):
                logging.warn(
                    "The dtype of the watched tensor must be floating (e.g. tf.float32), got %r",
                    dtype,
                )
            if isinstance(tensor_or_variable, VariableBase):
                tape.watch_variable(tensor_or_variable)
            else:
                tape.watch(tensor_or_variable)

    @contextmanager
    def stop_recording(self) -> Iterator[None]:
        """A context in which this tape records nothing.

        >>> x = tf.Variable(2.0)
        >>> with tf.GradientTape() as tape:
        ...     y = x * x
        ...     with tape.stop_recording():
        ...         z = y * y
        >>> print(tape.gradient(z, x))
        None
        """
        tape = self._tape
        if tape is None or not tape.is_recording:
            raise RuntimeError(
                "Trying to stop recording a tape which is not recording: enter it first."
            )
        entered, self._entered = self._entered, False
        tape.note("stop_recording")
        self._stop()
        try:
            yield
        finally:
            self._start()
            self._entered = entered

    def reset(self) -> None:
        """Forget everything recorded and watched so far, and keep recording."""
        if self._tape is None or not self._tape.is_recording:
            raise ValueError(
                "Tape is not recording: reset() forgets what the tape holds inside its `with` "
                "block."
            )
        entered = self._entered
        self._stop()
        self._tape = None
        self._spent = None
        self._start()
        self._entered = entered

    def watched_variables(self) -> tuple[Variable, ...]:
        """The variables watched so far, in the order they were made.

        >>> x = tf.Variable(3.0, name="x")
        >>> with tf.GradientTape() as tape:
        ...     y = x * x
        >>> [variable.name for variable in tape.watched_variables()]
        ['x:0']
        """
        tape = self._spent if self._tape is None else self._tape
        return () if tape is None else tape.watched_variables()

    @overload
    def gradient(
        self,
        target: Any,
        sources: Source,
        output_gradients: Any = None,
        *,
        unconnected_gradients: NeverNone,
    ) -> Connected: ...
    @overload
    def gradient(
        self,
        target: Any,
        sources: list[SourceType],
        output_gradients: Any = None,
        *,
        unconnected_gradients: NeverNone,
    ) -> list[Connected]: ...
    @overload
    def gradient(
        self,
        target: Any,
        sources: dict[Key, SourceType],
        output_gradients: Any = None,
        *,
        unconnected_gradients: NeverNone,
    ) -> dict[Key, Connected]: ...
    @overload
    def gradient(
        self,
        target: Any,
        sources: tuple[Source, ...],
        output_gradients: Any = None,
        *,
        unconnected_gradients: NeverNone,
    ) -> tuple[Connected, ...]: ...
    @overload
    def gradient(
        self,
        target: Any,
        sources: Source,
        output_gradients: Any = None,
        *,
        unconnected_gradients: AsNone,
    ) -> MaybeConnected: ...
    @overload
    def gradient(
        self,
        target: Any,
        sources: list[SourceType],
        output_gradients: Any = None,
        *,
        unconnected_gradients: AsNone,
    ) -> list[MaybeConnected]: ...
    @overload
    def gradient(
        self,
        target: Any,
        sources: dict[Key, SourceType],
        output_gradients: Any = None,
        *,
        unconnected_gradients: AsNone,
    ) -> dict[Key, MaybeConnected]: ...
    @overload
    def gradient(
        self,
        target: Any,
        sources: tuple[Source, ...],
        output_gradients: Any = None,
        *,
        unconnected_gradients: AsNone,
    ) -> tuple[MaybeConnected, ...]: ...
    @overload
    def gradient(
        self,
        target: Any,
        sources: Source,
        output_gradients: Any = None,
        unconnected_gradients: UnconnectedGradients | str = UnconnectedGradients.NONE,
    ) -> Gradient: ...
    @overload
    def gradient(
        self,
        target: Any,
        sources: list[SourceType],
        output_gradients: Any = None,
        unconnected_gradients: UnconnectedGradients | str = UnconnectedGradients.NONE,
    ) -> list[Gradient]: ...
    @overload
    def gradient(
        self,
        target: Any,
        sources: dict[Key, SourceType],
        output_gradients: Any = None,
        unconnected_gradients: UnconnectedGradients | str = UnconnectedGradients.NONE,
    ) -> dict[Key, Gradient]: ...
    @overload
    def gradient(
        self,
        target: Any,
        sources: tuple[Source, ...],
        output_gradients: Any = None,
        unconnected_gradients: UnconnectedGradients | str = UnconnectedGradients.NONE,
    ) -> tuple[Gradient, ...]: ...
    @overload
    def gradient(
        self,
        target: Any,
        sources: Sequence[Any],
        output_gradients: Any = None,
        unconnected_gradients: UnconnectedGradients | str = UnconnectedGradients.NONE,
    ) -> Sequence[Any]: ...
    @overload
    def gradient(
        self,
        target: Any,
        sources: Mapping[Key, Any],
        output_gradients: Any = None,
        unconnected_gradients: UnconnectedGradients | str = UnconnectedGradients.NONE,
    ) -> Mapping[Key, Any]: ...
    @public
    def gradient(
        self,
        target: Any,
        sources: Any,
        output_gradients: Any = None,
        unconnected_gradients: UnconnectedGradients | str = UnconnectedGradients.NONE,
    ) -> Any:
        """The gradient of ``target`` by each of ``sources``. Several elements of a target are added up first.

        >>> x, y = tf.Variable([1.0, 2.0]), tf.Variable(3.0)
        >>> with tf.GradientTape() as tape:
        ...     z = x * x
        >>> tape.gradient(z, {"x": x, "y": y})
        {'x': <tf.Tensor: shape=(2,), dtype=float32, numpy=array([2., 4.], dtype=float32)>, 'y': None}

        Args:
            target: a tensor or variable, or a nest of them.
            sources: a tensor or variable, or a nest of them. The result has the same structure.
            output_gradients: for each target the gradient that arrives there; ones if None.
            unconnected_gradients: the gradient by a source that the target does not depend on: None ("none")
                or zeros ("zero"). With "error" there is none: see ValueError.

        Raises:
            RuntimeError: at the second call on a non-persistent tape.
            ValueError: with ``unconnected_gradients="error"``, if the target does not depend on one of the
                sources. The message is what `explain` says of them.
        """
        if unconnected_gradients is UnconnectedGradients.NONE:
            gradients = requests.gradient(self, target, sources, output_gradients)
            if gradients is not NotImplemented:
                return gradients
        return self._gradient_of_nest(target, sources, output_gradients, unconnected_gradients)

    def _gradient_of_nest(
        self, target: Any, sources: Any, output_gradients: Any, unconnected_gradients: Any
    ) -> Any:
        tape = self._records()
        unconnected = choice_for_unconnected(unconnected_gradients)
        targets = _differentiable_leaves(target)
        leaves = [_source(source) for source in nest.flatten(sources)]
        seeds = [None] * len(targets)
        if output_gradients is not None:
            seeds = _seeds(output_gradients, targets)
        self._pause_unless_persistent(tape)
        gradients = self._walk(tape, self._compute_gradient, targets, leaves, seeds)
        if unconnected == "error":
            self._refuse_none(gradients, target, sources)
        if unconnected == "zero":
            gradients = [
                _zeros_of(source) if dx is None else dx
                for dx, source in zip(gradients, leaves, strict=True)
            ]
        return nest.pack_sequence_as(sources, _as_their_sources(sources, gradients))

    @overload
    def jacobian(
        self,
        target: Any,
        sources: Source,
        *,
        unconnected_gradients: NeverNone,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> Tensor: ...
    @overload
    def jacobian(
        self,
        target: Any,
        sources: list[SourceType],
        *,
        unconnected_gradients: NeverNone,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> list[Tensor]: ...
    @overload
    def jacobian(
        self,
        target: Any,
        sources: dict[Key, SourceType],
        *,
        unconnected_gradients: NeverNone,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> dict[Key, Tensor]: ...
    @overload
    def jacobian(
        self,
        target: Any,
        sources: tuple[Source, ...],
        *,
        unconnected_gradients: NeverNone,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> tuple[Tensor, ...]: ...
    @overload
    def jacobian(
        self,
        target: Any,
        sources: Source,
        *,
        unconnected_gradients: AsNone,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> Tensor | None: ...
    @overload
    def jacobian(
        self,
        target: Any,
        sources: list[SourceType],
        *,
        unconnected_gradients: AsNone,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> list[Tensor | None]: ...
    @overload
    def jacobian(
        self,
        target: Any,
        sources: dict[Key, SourceType],
        *,
        unconnected_gradients: AsNone,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> dict[Key, Tensor | None]: ...
    @overload
    def jacobian(
        self,
        target: Any,
        sources: tuple[Source, ...],
        *,
        unconnected_gradients: AsNone,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> tuple[Tensor | None, ...]: ...
    @overload
    def jacobian(
        self,
        target: Any,
        sources: Source,
        unconnected_gradients: UnconnectedGradients | str = UnconnectedGradients.NONE,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> Gradient: ...
    @overload
    def jacobian(
        self,
        target: Any,
        sources: list[SourceType],
        unconnected_gradients: UnconnectedGradients | str = UnconnectedGradients.NONE,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> list[Gradient]: ...
    @overload
    def jacobian(
        self,
        target: Any,
        sources: dict[Key, SourceType],
        unconnected_gradients: UnconnectedGradients | str = UnconnectedGradients.NONE,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> dict[Key, Gradient]: ...
    @overload
    def jacobian(
        self,
        target: Any,
        sources: tuple[Source, ...],
        unconnected_gradients: UnconnectedGradients | str = UnconnectedGradients.NONE,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> tuple[Gradient, ...]: ...
    @overload
    def jacobian(
        self,
        target: Any,
        sources: Sequence[Any],
        unconnected_gradients: UnconnectedGradients | str = UnconnectedGradients.NONE,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> Sequence[Any]: ...
    @overload
    def jacobian(
        self,
        target: Any,
        sources: Mapping[Key, Any],
        unconnected_gradients: UnconnectedGradients | str = UnconnectedGradients.NONE,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> Mapping[Key, Any]: ...
    @public
    def jacobian(
        self,
        target: Any,
        sources: Any,
        unconnected_gradients: UnconnectedGradients | str = UnconnectedGradients.NONE,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> Any:
        """The derivatives of every element of ``target`` by every element of each of ``sources``.

        >>> x = tf.Variable([1.0, 2.0])
        >>> with tf.GradientTape() as tape:
        ...     y = x * x
        >>> print(tape.jacobian(y, x).numpy())
        [[2. 0.]
         [0. 4.]]

        Args:
            target: a tensor.
            sources: a tensor or variable, or a nest of them. The result has the same structure. The shape of
                each part is the target's shape followed by the source's.
            unconnected_gradients: the Jacobian by a source that the target does not depend on: None, zeros,
                or with "error" a ValueError that says what `explain` says.
            parallel_iterations: how many elements of ``target`` one walk takes. Without it the walk takes as
                many as memory suggests, mostly all.
            experimental_use_pfor: if False, gradient functions of `tf.custom_gradient` are called for one
                element after the other. Another walk takes 10 elements unless ``parallel_iterations`` says
                otherwise. The tape must be persistent, as in TensorFlow.
        """
        tape = self._records()
        unconnected = choice_for_unconnected(unconnected_gradients)
        self._check_pfor(experimental_use_pfor)
        (tensor,) = _single_target(target)
        flat_sources = nest.flatten(sources)
        leaves = [_source(source) for source in flat_sources]
        self._pause_unless_persistent(tape)
        chunks = _chunks(parallel_iterations, experimental_use_pfor)
        matrices = self._walk(tape, jacobians.jacobian, tensor, leaves, chunks)
        if unconnected == "error":
            self._refuse_none(matrices, target, sources)
        if unconnected == "zero":
            matrices = [
                zeros(tensor._shape_tuple() + jacobians.shape_of(source), source.dtype)
                if matrix is None
                else matrix
                for matrix, source in zip(matrices, leaves, strict=True)
            ]
        return nest.pack_sequence_as(sources, matrices)

    @public
    def batch_jacobian(
        self,
        target: Operand,
        source: Source,
        unconnected_gradients: UnconnectedGradients | str = UnconnectedGradients.NONE,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> Tensor:
        """The Jacobian of each item of ``target`` by the same item of ``source``, along the first axis.

        >>> x = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
        >>> with tf.GradientTape() as tape:
        ...     y = x * x
        >>> tape.batch_jacobian(y, x).shape
        TensorShape([2, 2, 2])

        An item of ``target`` must not depend on other items of ``source``, or the answer is wrong.
        """
        tape = self._records()
        unconnected = choice_for_unconnected(unconnected_gradients)
        self._check_pfor(experimental_use_pfor)
        (tensor,) = _single_target(target)
        shape = tensor._shape_tuple()
        leaf = as_source(source)
        if leaf is None and len(shape) > 1:
            raise AttributeError(
                "batch_jacobian takes one source, a tensor or variable, "
                f"not a {type(source).__name__}."
            )
        source_shape = () if leaf is None else jacobians.shape_of(leaf)
        if len(shape) < 2 or len(source_shape) < 2:
            raise ValueError(
                "batch_jacobian needs target and source of at least rank 2, "
                f"the first axis the batch; their shapes are {shape} and {source_shape}. "
                "Give a vector a second axis with tf.expand_dims, or use jacobian."
            )
        if shape[0] != source_shape[0]:
            raise ValueError(
                f"Need first dimension of target shape ({shape}) "
                f"and source shape ({source_shape}) to match."
            )
        self._pause_unless_persistent(tape)
        chunks = _chunks(parallel_iterations, experimental_use_pfor)
        result: Tensor | None = self._walk(tape, jacobians.batch_jacobian, tensor, leaf, chunks)
        if unconnected == "error":
            self._refuse_none([result], target, source)
        if result is not None:
            return result
        # Nothing connects target and source. As in TensorFlow the result is zeros even if None is asked
        # for; they then have the target's dtype.
        return zeros(
            shape + source_shape[1:], leaf.dtype if unconnected == "zero" else tensor.dtype
        )

    def _pause_unless_persistent(self, tape: core.Tape) -> None:
        """Stop this tape before it computes a gradient, unless it is persistent and its block is open.

        Outer tapes keep recording. A persistent tape inside its block records its own gradient.
        """
        if not tape.is_recording:
            return
        if not self._persistent or not self._entered:
            self._stop()
        else:
            logging.warn_first_n(
                "Calling GradientTape.gradient on a persistent tape inside its context is significantly less "
                "efficient than calling it outside the context: the gradient's own ops are "
                "recorded too. Do so only for higher-order derivatives.",
                1,
            )

    def _check_pfor(self, use_pfor: bool) -> None:
        if not use_pfor and not self._persistent and executing_eagerly():
            raise RuntimeError(
                "GradientTape must be created with persistent=True to compute the jacobian "
                "with experimental_use_pfor set to False."
            )


def _chunks(parallel_iterations: Any, use_pfor: bool) -> jacobians.Chunks:
    """How many elements of a target one walk takes, where the user says."""
    return jacobians.Chunks(_at_once(parallel_iterations, use_pfor), not use_pfor)


def _at_once(parallel_iterations: Any, use_pfor: bool) -> int | None:
    if parallel_iterations is None:
        return None if use_pfor else 10
    try:
        number = operator.index(parallel_iterations)
    except TypeError as error:
        raise TypeError(
            f"parallel_iterations must be an integer; it is {parallel_iterations!r}."
        ) from error
    if number < 1 and not use_pfor:
        raise TypeError(f"parallel_iterations must be a positive integer; it is {number}.")
    if number <= 1 and use_pfor:
        raise ValueError(
            "parallel_iterations must be at least 2, or at least 1 with experimental_use_pfor=False; "
            f"it is {number}."
        )
    return number


def _zeros_of(source: Any) -> Any:
    """Zeros for a gradient that no path leads to. For an outer tape they are computed from the source."""
    if core.is_recording():
        return zeros_like(source)
    return zeros(jacobians.shape_of(source), source.dtype)


def _as_their_sources(sources: Any, gradients: list[Any]) -> list[Any]:
    """The gradients by ragged tensors, with the row partitions of these."""
    return [
        source.with_flat_values(core.convert(gradient))
        if gradient is not None and flat_values_of(source) is not source
        else gradient
        for source, gradient in zip(nest.flatten(sources), gradients, strict=True)
    ]


def _source(value: Any) -> Any:
    if value is None:
        raise TypeError(
            "`sources` must be tensors or variables, or a nest of them; None was among them."
        )
    source = as_source(flat_values_of(value))
    if source is None:
        if hasattr(type(value), "_nest_components") and not hasattr(type(value), "map_values"):
            raise ValueError(
                f"Type {type(value).__name__} is not supported as a gradient source: "
                "ask for the gradients by the tensors in it."
            )
        if hasattr(type(value), "map_values"):
            raise ValueError(
                f"A {type(value).__name__} is not supported as a source: "
                "ask for the gradient by its `values`."
            )
        if hasattr(type(value), "trainable_variables") or isinstance(value, (str, Iterator)):
            raise _no_tensor(value)(
                f"`sources` must be tensors or variables, or a nest of them, not {_as_owner(value)}."
            )
        raise _no_tensor(value)(
            "`sources` must be tensors or variables, or a nest of them, "
            f"not {type(value).__name__} ({value!r}): "
            "what the tape has seen is the tensor made from it. "
            "Keep that tensor (tf.convert_to_tensor) and pass it here."
        )
    return source


def _as_owner(value: Any) -> str:
    """What came in place of variables, and what to write."""
    if isinstance(value, str):
        return (
            f"the name {value!r}: pass the variable itself, or the list "
            f"[v for v in module.trainable_variables if v.name == {value!r}]"
        )
    if isinstance(value, Iterator):
        return (
            f"a {type(value).__name__}, which can be gone through only once: pass list(...) of it"
        )
    return f"the {type(value).__name__} that has them: pass its .trainable_variables"


def _differentiable_leaves(target: Any) -> list[EagerTensor]:
    """The tensors in a nest of targets."""
    if target is None:
        raise TypeError(
            "Argument `target` should be a list or nested structure of tensors or variables "
            "to be differentiated, but received None."
        )
    leaves = []
    for value in tensors_of(target):
        leaf = as_source(value)
        if leaf is None:
            raise _no_tensor(value)(
                "`target` must be a tensor or variable, or a nest of them, "
                f"not {type(value).__name__} ({value!r}): "
                "a number or an array is a constant, and the tape has "
                "not seen what it was computed from."
            )
        tensor = leaf._snapshot if isinstance(leaf, VariableBase) else leaf
        leaves.append(tensor)
    return leaves


def _no_tensor(value: Any) -> type[Exception]:
    """The class of TensorFlow's error for a target or source that is no tensor: its dtype decides."""
    try:
        dtypes.as_dtype(getattr(value, "dtype", value))
    except TypeError:
        return TypeError
    return AttributeError


def _seeds(output_gradients: Any, targets: list[EagerTensor]) -> list[Any]:
    """``output_gradients`` as a list: for each target a tensor of its shape and dtype, or None."""
    flat = [flat_values_of(gradient) for gradient in nest.flatten(output_gradients)]
    if len(flat) != len(targets):
        raise ValueError(
            "`output_gradients` must hold one gradient for each target: "
            f"there are {len(targets)} targets and {len(flat)} gradients. "
            "The values of one gradient belong in one tensor, tf.constant([...])."
        )
    return [
        None if gradient is None else _seed(gradient, target)
        for gradient, target in zip(flat, targets, strict=True)
    ]


def _seed(gradient: Any, target: EagerTensor) -> Any:
    number = isinstance(gradient, (int, float, complex))
    seed = core.convert(gradient, target.dtype if number else None)
    if seed.dtype is not target.dtype:
        refuse(
            f"A gradient in `output_gradients` has the dtype {seed.dtype.name}, "
            f"its target {target.dtype.name}: use tf.cast."
        )
    shape = target._shape_tuple()
    return seed if seed._shape_tuple() == shape else broadcast_to(seed, shape)


def _single_target(target: Any) -> list[EagerTensor]:
    if as_source(target) is None:
        raise AttributeError(
            f"a Jacobian is taken of one numeric tensor, not of a {type(target).__name__}; "
            "take those of several one by one."
        )
    return _differentiable_leaves(target)


def choice_for_unconnected(
    unconnected_gradients: Any, choices: Sequence[str] = ("none", "zero", "error")
) -> str:
    """What an unconnected source gives, as one of ``choices``."""
    choice = unconnected_gradients
    if isinstance(choice, UnconnectedGradients):
        choice = choice.value
    if not isinstance(choice, str) or choice not in choices:
        named = ", ".join([repr(one) for one in choices[:-1]]) + f" or {choices[-1]!r}"
        raise ValueError(
            f"Unknown value for unconnected_gradients: {unconnected_gradients!r}. "
            f"It is {named}, or a member of tf.UnconnectedGradients."
        )
    return choice
