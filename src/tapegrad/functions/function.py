"""`tf.function`: a decorator under which a function is recorded, and replayed without Python.

There are no graphs. What cannot be recorded runs as Python at every call. Callers get the same values.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from contextlib import nullcontext
from types import MethodType
from typing import TYPE_CHECKING, Any, Concatenate, Generic, overload

from tapegrad import core
from tapegrad.autodiff.graphs import FunctionTape
from tapegrad.core import Closing, convert, hide
from tapegrad.core.tracebacks import place_of
from tapegrad.errors import OutOfRangeError, refuse
from tapegrad.framework import calls, config, names, nest, random_state
from tapegrad.framework.absent import lacks
from tapegrad.framework.types import Bound, Parameters, Result
from tapegrad.framework.wrapped import SignatureOfWrapped
from tapegrad.functions import recordings
from tapegrad.functions.arguments import (
    AS_THEY_ARE,
    SignaturesMet,
    canonical,
    has_tensors_alone,
    key_of,
    with_tensors,
)
from tapegrad.functions.first_values import FirstValues
from tapegrad.functions.foresight import foresees_gradients
from tapegrad.functions.kept_losses import end_scope_of_losses
from tapegrad.functions.kinds import GenericFunction
from tapegrad.functions.traces import DescriptorCache, cache_of
from tapegrad.ops.program import scopes

if TYPE_CHECKING:
    from tapegrad.autodiff.profiles import Profile
    from tapegrad.drawing.dataflow import DataflowGraph
    from tapegrad.functions.explanations import Explanation
    from tapegrad.functions.input_signatures import InputSignature

PUBLIC = {
    ". compat.v1": "function",
}


@overload
def function(
    func: Callable[Parameters, Result],
    input_signature: Any = None,
    autograph: bool = True,
    jit_compile: bool | None = None,
    reduce_retracing: bool = False,
    experimental_implements: Any = None,
    experimental_autograph_options: Any = None,
    experimental_attributes: Any = None,
    experimental_relax_shapes: bool | None = None,
    experimental_compile: bool | None = None,
    experimental_follow_type_hints: bool | None = None,
) -> Function[Parameters, Result]: ...
@overload
def function(
    func: None = None,
    input_signature: Any = None,
    autograph: bool = True,
    jit_compile: bool | None = None,
    reduce_retracing: bool = False,
    experimental_implements: Any = None,
    experimental_autograph_options: Any = None,
    experimental_attributes: Any = None,
    experimental_relax_shapes: bool | None = None,
    experimental_compile: bool | None = None,
    experimental_follow_type_hints: bool | None = None,
) -> Callable[[Callable[Parameters, Result]], Function[Parameters, Result]]: ...
def function(
    func: Callable[..., Any] | None = None,
    input_signature: Any = None,
    autograph: bool = True,
    jit_compile: bool | None = None,
    reduce_retracing: bool = False,
    experimental_implements: Any = None,
    experimental_autograph_options: Any = None,
    experimental_attributes: Any = None,
    experimental_relax_shapes: bool | None = None,
    experimental_compile: bool | None = None,
    experimental_follow_type_hints: bool | None = None,
) -> Any:
    """``func``, which then gets tensors for arrays, and returns tensors.

    >>> @tf.function
    ... def double(x):
    ...     return x * 2
    >>> double(3)
    <tf.Tensor: shape=(), dtype=int32, numpy=6>

    Write ``@tf.function``, or with keywords ``@tf.function(jit_compile=True)``.

    The first call runs the Python code and records what it does. Later calls replay that, without Python.
    Where Python decides by a value, as ``if`` and ``while`` do, the recording has a guard: a call that finds
    another value runs the Python code once more, and records that branch too. Side effects of Python happen
    once for each recording. `Function.explain` says what was recorded, or why the function stays Python.

    Differs from TensorFlow: there is no graph. ``if`` and ``while`` on tensors are Python's own, and the
    function can print values. What cannot be recorded runs as Python, with the same answers.

    Args:
      func: The function. Without it, a decorator is returned.
      input_signature: A list or tuple with a `TensorSpec`, or a nest of them, for each argument. What a
        caller passes is converted to it, or refused.
      autograph: Accepted, as are those that follow.
      jit_compile: If True, a function that cannot be recorded is an error, which says why; or a warning in
        the log, where TensorFlow would compile the function.
      reduce_retracing: Accepted. Without it, too, the second shape is recorded for all that come later.
      experimental_implements: Accepted.
      experimental_autograph_options: Accepted.
      experimental_attributes: Accepted.
      experimental_relax_shapes: An older name of ``reduce_retracing``.
      experimental_compile: An older name of ``jit_compile``.
      experimental_follow_type_hints: Accepted.

    Raises:
      TypeError: ``func`` cannot be called, or ``input_signature`` does not suit its arguments.
    """
    if jit_compile is not None and experimental_compile is not None:
        raise ValueError("Cannot specify both 'experimental_compile' and 'jit_compile'.")
    options = {
        "input_signature": input_signature,
        "jit_compile": experimental_compile if jit_compile is None else jit_compile,
        "reduce_retracing": bool(reduce_retracing or experimental_relax_shapes),
    }
    if func is None:
        return functools.partial(Function, **options)
    return Function(func, **options)


@lacks(
    "function",
    "experimental_get_compiler_ir function_spec function_type get_initialization_function",
)
class Function(GenericFunction, Generic[Parameters, Result]):
    """What `tf.function` returns."""

    __signature__ = SignatureOfWrapped()

    def __init__(
        self,
        python_function: Callable[Parameters, Result],
        input_signature: Any = None,
        jit_compile: bool | None = None,
        reduce_retracing: bool = False,
    ) -> None:
        if not callable(python_function):
            raise TypeError(
                f"tf.function takes a function; {python_function!r} came, which cannot be called."
            )
        functools.update_wrapper(self, python_function, updated=())
        for name, value in getattr(python_function, "__dict__", {}).items():
            if not hasattr(type(self), name):  # as objects may have that can be called
                self.__dict__[name] = value
        self._python_function = python_function
        self._concrete: dict[Any, Any] = {}
        self._met = SignaturesMet()
        code = getattr(python_function, "__code__", None)
        # How many arguments by position are all that there are; -1 where that has to be looked up.
        self._arity = -1 if code is None or code.co_kwonlyargcount else code.co_argcount
        self._reduce_retracing = reduce_retracing
        self._must_replay = bool(jit_compile)
        self._has_run = False  # whether a call of the Python function has come to its end
        self._cannot_replay: str | None = None
        # Whether it has called tf.gradients; None before the first call.
        self._calls_gradients: bool | None = None
        self._input_signature = input_signature
        self._signature: InputSignature | None = None
        if input_signature is not None:
            from tapegrad.functions.input_signatures import InputSignature

            self._signature = InputSignature(python_function, input_signature)
        unknown_axes = None if self._signature is None else self._signature.unknown_axes
        self._recordings = recordings.Cache(self.name, unknown_axes)

    @property
    def python_function(self) -> Callable[Parameters, Result]:
        """The function that was decorated."""
        return self._python_function

    @property
    def _descriptor_cache(self) -> DescriptorCache:
        return DescriptorCache(self)

    @property
    def name(self) -> str:
        """The name of the function."""
        return str(getattr(self._python_function, "__name__", type(self).__name__))

    def __repr__(self) -> str:
        import inspect

        try:
            parameters = str(inspect.signature(self._python_function))
        except (TypeError, ValueError):
            parameters = "(...)"  # a callable that does not say what it takes
        return f"<tf.function {self.name}{parameters}>"

    @property
    def input_signature(self) -> Any:
        """The tuple of specs that calls are checked against, or None."""
        return None if self._input_signature is None else tuple(self._input_signature)

    def __call__(self, *args: Parameters.args, **kwargs: Parameters.kwargs) -> Result:
        try:
            if config.functions_run_eagerly():
                return self._python_function(*args, **kwargs)
            if self._signature is not None:
                args, kwargs = self._signature.bind(args, kwargs)
            elif kwargs or len(args) != self._arity:
                args, kwargs = recordings.canonical(self._python_function, args, kwargs)
            result = self._recordings.find(args, kwargs)
            if result is recordings.MISS:
                result = self._record(args, kwargs)
            return result  # type: ignore[no-any-return]
        except Exception as error:
            hide(error)
            raise

    def _answer_concrete(self, args: Any, kwargs: Any) -> Any:
        """The results for arguments that suit one of its concrete functions.

        Such a call counts as no trace, and is not remembered for saving.
        """
        args, kwargs = recordings.canonical(self._python_function, args, kwargs)
        result = self._recordings.find(args, kwargs)
        if result is recordings.MISS:
            result = self._record(args, kwargs, False)
        return result

    def _record(self, args: Any, kwargs: Any, counts: bool = True, opens: bool = True) -> Any:
        """Call the Python function, and record it if possible: for open sizes only if it ``opens`` them."""
        if self._signature is None:
            # Arrays become tensors, whatever the annotations of the function say.
            args = tuple([with_tensors(value) for value in args])
            if kwargs:
                kwargs = {name: with_tensors(value) for name, value in kwargs.items()}
        begun = self._recordings.begin(
            args, kwargs, recordings.rename, recordings.label, counts, opens
        )
        if begun is None:
            if self._cannot_replay is not None:
                refuse(self._cannot_replay)
            if self._must_replay:
                unfit = self._recordings.why_unfit(args, kwargs)
                if unfit is not None:
                    self._break_promise(unfit)
            return self._run_unrecorded(args, kwargs)
        if begun[0] is None:
            if counts:
                self._met.note(self._python_function, args, kwargs)
            return begun[1]
        try:
            return self._record_begun(*begun, counts)
        finally:
            self._recordings.abandon(begun[3])

    def _run_unrecorded(self, args: Any, kwargs: Any) -> Any:
        """What the Python function gives. It may become a part of the recording of another function."""
        first, failed = self._recordings.enter_first(args, kwargs), True
        args, kwargs = recordings.rename(args, kwargs, self._recordings.is_for_tapes())
        try:
            result = self._run(args, kwargs)
            failed = False
            return result
        finally:
            if first is not None:
                self._recordings.leave_first(failed, *first)

    def _record_begun(self, recorder: Any, args: Any, kwargs: Any, token: Any, counts: bool) -> Any:
        if self._cannot_replay is not None:
            refuse(self._cannot_replay)
        if counts:
            self._met.note(self._python_function, args, kwargs)
        program = self._recordings.program_of(token)
        missed = None if program is None else program.missed
        if recorder.opening is None:
            with recorder:
                result = self._run(args, kwargs, recorder)
        else:
            result = self._run_open(recorder, args, kwargs)
            if recorder.reason is not None:
                result = self._record(args, kwargs, counts=False, opens=False)
                self._recordings.close(recorder)  # only now: what is an error for ints says nothing
                return result
        results, build = recordings.results_of(result)
        label = recordings.label(args, kwargs)
        if results is None:
            template = build  # why there is none
        else:
            template = recordings.template_of(results, build, recorder)
            end_scope_of_losses(recorder, results)
        self._recordings.end(recorder, token, results, template, label)
        if config.logs_recordings():
            from tapegrad.framework import logging
            from tapegrad.functions.explanations import announce

            logging.warn(announce(self.name, self._recordings, token, label, missed))
        self._keep_promise(token)
        if recorder.taped and recorder.opening is not None:
            return self._answer_under_tape(args, kwargs)
        if results is None:
            return result
        return recordings.given_back(result, results, build, recorder, token)

    def _answer_under_tape(self, args: Any, kwargs: Any) -> Any:
        """The result of a call that was recorded apart from the tape which it belongs to."""
        result = self._recordings.find(args, kwargs)
        return self._run(args, kwargs) if result is recordings.MISS else result

    def _run_open(self, recorder: Any, args: Any, kwargs: Any) -> Any:
        """Run the Python function, whose arguments have open sizes.

        Its changes are undone where nothing is recorded: it runs again with sizes that are ints. So it does
        if it raises an error that a size may cause, which is no int. They are undone under a tape too, which
        sees nothing of this run: `_answer_under_tape` follows.
        """
        state, drawn, result = random_state.snapshot(), recorder.streams.mark(), None
        with core.apart() if recorder.taped else nullcontext(), FirstValues(of_call=True) as values:
            try:
                with recorder:
                    try:
                        result = self._run(args, kwargs, recorder)
                    except Exception as error:
                        if recorder.reason is None and not recorder.opening.may_cause(error):
                            raise
                        recorder.refuse(
                            f"with open sizes it raises {type(error).__name__}: {error}"
                        )
            except Closing:
                pass  # the recorder knows why
            if recorder.taped or recorder.reason is not None:
                values.put_back()
                random_state.restore(state)
                recorder.streams.go_back(drawn)
        return result

    def _trace_beyond_the_end(self, args: Any, kwargs: Any) -> None:
        """Make what the function makes in its first call, where an iterator had no element for that call.

        TensorFlow reads when the graph runs: by then, a trace has made the variables, and a model's metrics.
        """
        if not self._has_run and any(
            hasattr(leaf, "get_next_as_optional") for leaf in nest.flatten((args, kwargs))
        ):
            self._concrete_function(None, args, kwargs)

    def _list_all_concrete_functions(self, instance: Any = None) -> list[Any]:
        """The concrete functions that were requested, and those of the signatures that were called."""
        if self._signature is None:
            for arguments in self._met.of(instance):
                args, kwargs = self._as_passed(instance, arguments)
                self._concrete_function(instance, args, kwargs)
        elif self._met.of(instance):
            self._concrete_function(instance, (), {})
        cache = self._concrete if instance is None else cache_of(self, instance)
        return list(cache.values())

    def _list_all_concrete_functions_for_serialization(self, instance: Any = None) -> list[Any]:
        """The same, and the one that ``input_signature`` describes."""
        if self._signature is not None:
            self._concrete_function(instance, (), {})
        return self._list_all_concrete_functions(instance)

    def _as_passed(self, instance: Any, arguments: dict[str, Any]) -> Any:
        """Arguments by parameter, as a call has them."""
        import inspect

        function: Any = self._python_function
        signature = inspect.signature(
            function if instance is None else MethodType(function, instance)
        )
        bound = inspect.BoundArguments(signature, arguments)
        return bound.args, bound.kwargs

    def _trackable_children(self, save_type: str = "checkpoint", **kwargs: Any) -> dict[str, Any]:
        if save_type == "checkpoint":
            return {}
        concretes = self._list_all_concrete_functions()
        return {f"trace_{number}": concrete for number, concrete in enumerate(concretes)}

    def _keep_promise(self, token: Any) -> None:
        """Say for ``jit_compile=True`` if the call was not recorded."""
        reason = self._recordings.reason_for(token) if self._must_replay else None
        if reason is not None:
            text, where = reason
            self._break_promise(text, place_of(where), for_good=True)

    def _break_promise(self, reason: str, place: str = "", for_good: bool = False) -> None:
        """Raise InvalidArgumentError for ``jit_compile=True``, if TensorFlow cannot compile it either.

        It compiles other functions, so they run as Python, and the log has a warning. ``for_good`` is whether
        all later calls raise the error.
        """
        from tapegrad.framework import logging
        from tapegrad.functions.explanations import BEYOND_GRAPHS

        said = f"{self.name}() has jit_compile=True and cannot be recorded: {reason}{place}"
        if any(words in reason for words in BEYOND_GRAPHS):
            if for_good:
                self._cannot_replay = said
            refuse(said)
        logging.warn_first_n(f"{said}. It runs as Python.", 1)

    def explain(self) -> Explanation:
        """What was recorded for each signature, or why the function runs as Python at every call.

        >>> @tf.function
        ... def clipped(x):
        ...     return x if x > 0 else 0.0 * x
        >>> y = [clipped(tf.constant(number)) for number in (1.0, 2.0, -3.0, 4.0)]
        >>> print(clipped.explain())                                        # doctest: +ELLIPSIS
        clipped()
          for (float32[])
            recorded: 3 steps, of which 3 run; replayed 2 times
        ...
        """
        from tapegrad.functions.explanations import Explanation

        return Explanation(self.name, self._recordings)

    def graph(self, number: int = -1) -> DataflowGraph:
        """What was recorded, as a graph: text, DOT, SVG, or a page for browsers.

        >>> @tf.function
        ... def clipped(x):
        ...     return tf.reduce_sum(x * x) if tf.reduce_all(x > 0) else 0.0
        >>> y = clipped(tf.constant([1.0, 2.0]))
        >>> print(clipped.graph())
        clipped(float32[2]): 5 ops, 1 input, 1 constant
          Greater, All, guard: bool is True, Mul, Sum

        Args:
            number: of the recording, in the order of `explain`; the newest by default.

        Raises:
            ValueError: there is no such recording.
        """
        from tapegrad.functions.graph_of_recording import graph_of

        programs = [program for program in self._recordings.values() if program.root is not None]
        if not -len(programs) <= number < len(programs):
            raise ValueError(
                f"{self.name}() has {len(programs)} recordings, and none of the number {number}. A first "
                "call records it; where there is none then, explain() says why."
            )
        program = programs[number]
        return graph_of(program, f"{self.name}({program.label})")

    def profile(self, *args: Any, **kwargs: Any) -> Profile:
        """Time, bytes and operations of the steps that a call with these arguments replays.

        >>> @tf.function
        ... def f(x):
        ...     return tf.reduce_sum(tf.tanh(x @ x))
        >>> profile = f.profile(tf.ones([64, 64]))   # print(profile) shows two tables
        >>> profile.by_op()["MatMul"].bytes
        49152

        The function is recorded anew, with lines, and called a dozen times; then variables and random states
        are again what they were. What it prints or writes to files happens as often. Elementwise ops that are
        one pass over memory are one row, with the line of the last one. Times are the median of the calls.

        Args:
            *args: the function's arguments.
            **kwargs: the same by keyword.

        Raises:
            ValueError: the call is not recorded. The message says why.
        """
        from tapegrad.functions.profiles import profile_of

        twin = Function(self._python_function, self._input_signature)
        return profile_of(twin, args, kwargs)

    def _function_to_call(self) -> Callable[..., Any]:
        """The Python function, or what runs in its place while a function is saved."""
        loops = scopes.current.loops
        if loops is None:
            return self._python_function
        return loops.called(self._python_function)  # type: ignore[no-any-return]

    def _with_gradients(self, args: Any, kwargs: Any, recorder: recordings.Recorder | None) -> Any:
        """Call the Python function, under a tape if it calls `tf.gradients`, which needs one.

        Usually its code shows whether it does. Otherwise the first call finds out, and so does each call that
        is recorded, since it may take another branch: if the function turns out to need a tape, the changes
        of the call are undone, and it runs again. If another function that finds out calls it, that one does
        so.
        """
        foreseen = False
        if not self._calls_gradients:
            if names.finds_out() or (self._calls_gradients is False and recorder is None):
                return self._function_to_call()(*args, **kwargs)
            foreseen = self._calls_gradients is None and foresees_gradients(
                self._python_function, args
            )
        if not self._calls_gradients and not foreseen:
            state = random_state.snapshot()
            with FirstValues() as values, names.finding_out():
                try:
                    result = self._function_to_call()(*args, **kwargs)
                    self._calls_gradients = False
                    return result
                except names.NeedsTape:
                    self._calls_gradients = True
            values.put_back()
            random_state.restore(state)
            for observer in core.observers():
                if observer is recorder:
                    observer.reset()
                elif isinstance(observer, recordings.Recorder):
                    observer.refuse(f"{self.name}() calls tf.gradients, and begins anew")
        with FunctionTape() as tape, names.function_with_tape(tape):
            result = self._function_to_call()(*args, **kwargs)
        self._calls_gradients = self._calls_gradients or tape.was_asked
        return result

    def _call(self, args: Any, kwargs: Any, streams: Any) -> calls.Call:
        """A call of the function: a part of the call that this thread is in, if it is in one."""
        outer = calls.current()
        if outer is not None:
            return outer.inside(self.name)  # type: ignore[no-any-return]
        if streams is not None:
            return calls.Call(streams)
        taped = core.is_recording()
        return calls.Call(lambda: self._recordings.streams_of(args, kwargs, taped))

    def _run(self, args: Any, kwargs: Any, recorder: recordings.Recorder | None = None) -> Any:
        """Run the Python function in a new `calls.Call`, which ``recorder`` gets."""
        call = self._call(args, kwargs, None if recorder is None else recorder.streams)
        run: Callable[..., Any] = self._run_in_call
        if recorder is not None:
            recorder.call = call
            if recorder.no_variables is None:
                run = self._run_first
        try:
            return call.run(run, (args, kwargs, recorder), {})
        except OutOfRangeError:
            self._trace_beyond_the_end(args, kwargs)
            raise

    def _run_first(self, args: Any, kwargs: Any, recorder: recordings.Recorder) -> Any:
        """Run the Python function for the first time.

        If it makes variables, its changes are undone, and it runs again, as in TensorFlow: making a variable
        is an error then.
        """
        state = random_state.snapshot()
        with FirstValues(of_call=True) as values:
            result = self._run_in_call(args, kwargs, recorder)
            if not recorder.begins_anew():
                return result
            del result
            values.put_back()
            random_state.restore(state)
            recorder.begin_anew(recordings.MADE_ONCE)
            try:
                return self._run_in_call(args, kwargs, recorder)
            except BaseException:
                values.put_back()
                random_state.restore(state)
                raise

    def _run_in_call(self, args: Any, kwargs: Any, recorder: recordings.Recorder | None) -> Any:
        if names.tape_of_function() is not None or names.current_graph() is not None:
            result = self._function_to_call()(*args, **kwargs)
        else:
            result = self._with_gradients(args, kwargs, recorder)
        self._has_run = True
        return result if has_tensors_alone(result) else nest.map_structure(self._give, result)

    def _give(self, value: Any) -> Any:
        """A leaf of the result, as a tensor."""
        if type(value) in AS_THEY_ARE:
            return value
        if hasattr(value, "_type_spec") and not isinstance(value, core.VariableBase):
            return value
        try:
            return convert(value)
        except (TypeError, ValueError) as error:
            raise TypeError(
                f"{self.name}() returned a {type(value).__name__}, which cannot become a tensor: "
                "a tf.function returns tensors, numbers, arrays, strings, None, and nests of them."
            ) from error

    @overload
    def __get__(
        self, instance: None, owner: type | None = None
    ) -> Function[Parameters, Result]: ...
    @overload
    def __get__(
        self: Function[Concatenate[Any, Bound], Result], instance: object, owner: type | None = None
    ) -> BoundFunction[Bound, Result]: ...
    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        return self if instance is None else BoundFunction(self, instance)

    def get_concrete_function(self, *args: Any, **kwargs: Any) -> Any:
        """The concrete function for arguments of these specs, which has the specs of its results.

        >>> double = tf.function(lambda x: 2 * x)
        >>> double.get_concrete_function(tf.TensorSpec([None, 3], tf.int32)).output_shapes
        TensorShape([None, 3])

        Args:
          *args: Specs; tensors and arrays are replaced by their specs, other values are constants.
          **kwargs: The same by keyword.

        Raises:
          TypeError: The arguments do not suit the function or its ``input_signature``.
        """
        return self._concrete_function(None, args, kwargs)

    def _concrete_function(self, instance: Any, args: Any, kwargs: Any) -> Any:
        """`get_concrete_function`, of the function bound to ``instance`` unless that is None."""
        import inspect

        from tapegrad.functions.concrete import ConcreteFunction, WeaklyBound

        python_function: Any = self._python_function
        if instance is not None:
            python_function = WeaklyBound(python_function, instance)
        signature = inspect.signature(
            self._python_function
            if instance is None
            else MethodType(self._python_function, instance)
        )
        if self._signature is not None and not args and not kwargs:
            arguments = {
                name: spec
                for name, spec in self._signature.specs.items()
                if name in signature.parameters
            }
        else:
            try:
                bound = signature.bind(*args, **kwargs)
            except TypeError as error:
                raise TypeError(
                    f"Binding inputs to tf.function failed due to `{error}`. Received args: {args} and "
                    f"kwargs: {kwargs} for signature: {signature}."
                ) from None
            arguments = dict(bound.arguments)
        for name, parameter in signature.parameters.items():
            if name not in arguments and parameter.default is not parameter.empty:
                arguments[name] = parameter.default
        arguments = {
            name: canonical(arguments[name], name)
            for name in signature.parameters
            if name in arguments
        }
        if self._signature is not None:
            for name, spec in self._signature.specs.items():
                if name in arguments:
                    arguments[name] = self._signature.cover(
                        name, arguments[name], canonical(spec, name)
                    )
        cache = self._concrete if instance is None else cache_of(self, instance)
        key = key_of(arguments)
        if key not in cache:
            cache[key] = ConcreteFunction(self, python_function, signature, arguments)
        return cache[key]

    def experimental_get_tracing_count(self) -> int:
        """How often TensorFlow would have traced the function for the calls so far.

        That is once for each signature, and once more if the first call has made variables. With an
        ``input_signature``, or ``reduce_retracing``, several shapes are one signature.

        >>> f = tf.function(lambda x: x * 2)
        >>> y = f(tf.ones([2])), f(tf.zeros([2])), f(tf.ones([3]))
        >>> f.experimental_get_tracing_count()
        2

        Differs from TensorFlow: 1, 1.0 and True are signatures of their own.
        """
        traces = recordings.traces_of(
            self._recordings.traced, self._input_signature is not None, self._reduce_retracing
        )
        return max(len(self._concrete), traces)

    def _decorate(self, decorator: Callable[[Any], Any]) -> None:
        """Replace the Python function by what ``decorator`` makes of it.

        Raises:
          ValueError: There are concrete functions already.
        """
        if self._concrete:
            raise ValueError("Functions cannot be decorated after they have been traced.")
        self._python_function = decorator(self._python_function)

    def __reduce__(self) -> Any:
        # Pickled by name, as functions are, if the name leads back to this object. Otherwise the decorated
        # function has to be picklable.
        named: Any = sys.modules.get(getattr(self, "__module__", None) or "")
        name = getattr(self, "__qualname__", "")
        for part in name.split("."):
            named = getattr(named, part, None)
        if named is self:
            return name
        return Function, (self._python_function, self._input_signature, self._must_replay)

    def __deepcopy__(self, memo: Any) -> Function[Parameters, Result]:
        return self


class BoundFunction(GenericFunction, Generic[Parameters, Result]):
    """A `Function` as a method of an object."""

    __slots__ = ("__func__", "__self__")
    __signature__ = SignatureOfWrapped()

    def __init__(self, function: Any, instance: Any) -> None:
        self.__func__ = function
        self.__self__ = instance

    def __call__(self, *args: Parameters.args, **kwargs: Parameters.kwargs) -> Result:
        return self.__func__(self.__self__, *args, **kwargs)  # type: ignore[no-any-return]

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__func__, name)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, BoundFunction)
            and self.__func__ is other.__func__
            and self.__self__ is other.__self__
        )

    def __hash__(self) -> int:
        return hash((id(self.__func__), id(self.__self__)))

    def __repr__(self) -> str:
        return f"<bound tf.function {self.__func__.__qualname__} of {self.__self__!r}>"

    def __reduce__(self) -> Any:
        return getattr, (self.__self__, self.__func__.__name__)

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        """`Function`, for `isinstance`: TensorFlow has one class for both."""
        return Function

    @property
    def __doc__(self) -> Any:  # type: ignore[override]
        return self.__func__.__doc__

    @property
    def python_function(self) -> Any:
        """The function that was decorated, as a method of the object."""
        return MethodType(self.__func__._python_function, self.__self__)

    __wrapped__ = python_function

    def get_concrete_function(self, *args: Any, **kwargs: Any) -> Any:
        """The method for arguments of given specs: see `Function.get_concrete_function`."""
        return self.__func__._concrete_function(self.__self__, args, kwargs)

    def profile(self, *args: Any, **kwargs: Any) -> Profile:
        """`Function.profile`, of a call of this object's method."""
        return self.__func__.profile(self.__self__, *args, **kwargs)  # type: ignore[no-any-return]

    def _list_all_concrete_functions(self) -> list[Any]:
        return self.__func__._list_all_concrete_functions(self.__self__)  # type: ignore[no-any-return]

    def _list_all_concrete_functions_for_serialization(self) -> list[Any]:
        return self.__func__._list_all_concrete_functions_for_serialization(self.__self__)  # type: ignore[no-any-return]

    _trackable_children = Function._trackable_children

    def experimental_get_tracing_count(self) -> int:
        """`Function.experimental_get_tracing_count`, for the calls of this object's method."""
        function = self.__func__
        traced = {
            key: count
            for key, count in function._recordings.traced.items()
            if key and key[0] == (type(self.__self__), id(self.__self__))
        }
        traces = recordings.traces_of(
            traced, function._input_signature is not None, function._reduce_retracing
        )
        return max(len(cache_of(function, self.__self__)), traces)
