"""Functions with a gradient of their own: `custom_gradient`, `recompute_grad`, `grad_pass_through`.

Each runs the function and aliases its results by new tensors, which no tape watches. Then it puts one record
on the tapes, from the arguments to these tensors.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, Concatenate, Generic, overload

from tapegrad import core
from tapegrad.autodiff.leaves import as_source, flat_values_of
from tapegrad.autodiff.tape import GradientTape
from tapegrad.core import EagerTensor, VariableBase
from tapegrad.core.batching import batches_among
from tapegrad.framework import nest, random_state
from tapegrad.framework.names import current_graph
from tapegrad.framework.types import Bound, Parameters, Result
from tapegrad.framework.wrapped import SignatureOfWrapped
from tapegrad.ops.gradients import zeros
from tapegrad.ops.reduce.batches import spread_over
from tapegrad.ops.shape.array import identity

PUBLIC = {
    ". compat.v1": "custom_gradient grad_pass_through recompute_grad",
}


@overload
def custom_gradient(
    f: Callable[Parameters, tuple[Result, Callable[..., Any]]],
) -> Decorated[Parameters, Result]: ...
@overload
def custom_gradient(
    f: None = None,
) -> Callable[
    [Callable[Parameters, tuple[Result, Callable[..., Any]]]], Decorated[Parameters, Result]
]: ...
def custom_gradient(f: Callable[..., Any] | None = None) -> Any:
    """``f`` with a custom gradient, a function that ``f`` returns together with its result.

    >>> @tf.custom_gradient
    ... def log1pexp(x):
    ...     e = tf.exp(x)
    ...     def gradient(dy):
    ...         return dy * (1 - 1 / (1 + e))
    ...     return tf.math.log(1 + e), gradient
    >>> x = tf.Variable(100.0)
    >>> with tf.GradientTape() as tape:
    ...     y = log1pexp(x)
    >>> tape.gradient(y, x)                # NaN by the chain rule: inf / inf
    <tf.Tensor: shape=(), dtype=float32, numpy=1.0>

    ``gradient`` gets a gradient for each result, in the order of `tf.nest.flatten`. It returns a gradient for
    each positional argument: a single one, a list or tuple, or the structure of the arguments. Keyword
    arguments have no gradient. An outer tape records the ops in ``gradient``, and so differentiates it
    again; a `custom_gradient` inside of it has a gradient of its own.

    If ``f`` reads or assigns trainable variables that are not its arguments, ``gradient`` must take an
    argument ``variables``, the list of these. It then returns a pair: the gradients of the arguments, and the
    list of the gradients of the variables::

        @tf.custom_gradient
        def scale(x):
            def gradient(dy, variables=None):
                return dy * weight, [tf.reduce_sum(dy * x)]
            return x * weight, gradient

    Differs from TensorFlow: an argument that acts as a variable, such as one of Keras, is an argument and
    nothing else. TensorFlow, outside of a `tf.function`, counts it as a variable that is read besides, and
    adds up both gradients.

    Args:
      f: Takes tensors, ragged tensors, numbers, arrays or nests of them, and returns a pair: a result and a
        function. The gradient by a ragged tensor is a ragged tensor, or the one by its values. Without ``f``,
        a decorator is returned.

    Raises:
      TypeError: ``f`` cannot be called. On a call: ``f`` returns no such pair, or reads variables and its
        ``gradient`` does not take them.
      ValueError: When the gradient is taken: there are more or fewer gradients than arguments or variables.
      InvalidArgumentError: When the gradient is taken: a gradient has another shape or dtype than its
        argument, and the op that made the argument cannot use it, or another gradient has to be added
        to it. Where nothing depends on shape and dtype, it is handed on as it is, as in TensorFlow.
    """
    if f is None:
        return custom_gradient
    return Decorated(f, "custom_gradient", _call_custom)


def recompute_grad(f: Callable[Parameters, Result]) -> Decorated[Parameters, Result]:
    """``f`` with recomputation: intermediate results are not kept, but computed again for the gradient.

    >>> @tf.recompute_grad
    ... def block(x):
    ...     return tf.tanh(tf.exp(x) * x)
    >>> x = tf.Variable(0.5)
    >>> with tf.GradientTape() as tape:
    ...     y = block(x)
    >>> plain = tf.Variable(0.5)
    >>> with tf.GradientTape() as plain_tape:
    ...     plain_y = block.__wrapped__(plain)
    >>> bool(tape.gradient(y, x) == plain_tape.gradient(plain_y, plain))
    True

    This costs one more run of ``f``, in which random ops draw the same numbers again. It saves the memory of
    all that ``f`` computes; only the arguments are kept.

    Differs from TensorFlow: keyword arguments have gradients too, and gradients of higher order work.

    Args:
      f: Takes tensors, other values and nests of them. It may read variables, which get gradients. Tensors
        that it gets in other ways, from an enclosing function for example, get no gradient.

    Raises:
      TypeError: ``f`` cannot be called.
    """
    return Decorated(f, "recompute_grad", _call_recomputing)


def grad_pass_through(f: Callable[Parameters, Result]) -> Decorated[Parameters, Result]:
    """``f`` with the gradient of the identity: the gradients at its results become those of its arguments.

    >>> x = tf.Variable(1.6)
    >>> with tf.GradientTape() as tape:
    ...     y = tf.grad_pass_through(tf.round)(x) * 3
    >>> tape.gradient(y, x)
    <tf.Tensor: shape=(), dtype=float32, numpy=3.0>

    Args:
      f: Returns a result for each positional argument, of the same shape. Variables that it reads get no
        gradient.

    Raises:
      TypeError: ``f`` cannot be called.
    """
    return Decorated(f, "grad_pass_through", _call_passing_through)


class Decorated(Generic[Parameters, Result]):
    """What the three decorators return: ``f``, called by ``call``. Like a function, it can be a method."""

    __signature__ = SignatureOfWrapped()

    def __init__(self, f: Callable[..., Any], decorator: str, call: Callable[..., Any]) -> None:
        if not callable(f):
            raise TypeError(
                f"tf.{decorator}() takes a function; {f!r} came, which cannot be called."
            )
        functools.update_wrapper(self, f)
        self._function = f
        self._decorator = decorator
        self._call = call

    __wrapped__: Callable[Parameters, Result]

    def __repr__(self) -> str:
        name = getattr(self._function, "__qualname__", type(self._function).__name__)
        return f"<tf.{self._decorator} of {name}>"

    @core.public(computes=False)
    def __call__(self, *args: Parameters.args, **kwargs: Parameters.kwargs) -> Result:
        if args and isinstance(args[0], type) and self._is_classmethod_of(args[0]):
            return self.__get__(args[0])(*args[1:], **kwargs)  # type: ignore[arg-type]
        return self._call(self._function, args, kwargs)  # type: ignore[no-any-return]

    def _is_classmethod_of(self, owner: type) -> bool:
        import inspect

        # From Python 3.13 on, a classmethod does not bind the object it holds, but calls it with the class as
        # the first argument. There is no gradient for that argument.
        return any(
            isinstance(attribute, classmethod)
            and inspect.unwrap(attribute.__func__, stop=lambda f: f is self) is self
            for base in owner.__mro__
            for attribute in list(vars(base).values())
        )

    @overload
    def __get__(
        self, instance: None, owner: type | None = None
    ) -> Decorated[Parameters, Result]: ...
    @overload
    def __get__(
        self: Decorated[Concatenate[Any, Bound], Result],
        instance: object,
        owner: type | None = None,
    ) -> Decorated[Bound, Result]: ...
    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        bind = getattr(self._function, "__get__", None)
        if instance is None or bind is None:
            return self
        return Decorated(bind(instance, owner), self._decorator, self._call)


def _call_custom(f: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    # Tapes record the ops in f, because its gradient function may use what they compute: an outer tape then
    # differentiates that too.
    # Gradients by ragged tensors are those by their values, for arguments, results and what is returned.
    arguments = [flat_values_of(leaf) for leaf in nest.flatten(args)]
    # Of objects that act as variables, Keras's above all, tapes and watchers see the variable inside.
    operands = [_variable_of(leaf) for leaf in arguments]
    if any(value is _HIDDEN for value in operands):
        pairs = zip(arguments, operands, strict=True)
        arguments = [core.convert(leaf) if value is _HIDDEN else leaf for leaf, value in pairs]
        args = _packed(args, arguments)
    if core.observers():
        # Observers that collect the used variables count arguments too, as TensorFlow does.
        for leaf in operands:
            if isinstance(leaf, VariableBase):
                core.convert(leaf)
    with core.VariableWatcher() as watcher:
        returned = f(*args, **kwargs)
    result, gradient = _result_and_gradient(f, returned)
    variables = [v for v in watcher.variables if not any(v is leaf for leaf in operands)]
    if variables and not _takes_variables(gradient):
        raise TypeError(
            f"{_name(f)}() reads variables that are not its arguments, "
            "so the gradient function it returns must take them: gradient(dy, variables=None). "
            f"It reads {_names(variables)}."
        )
    packed, outputs, plain = _new_outputs(result, operands + variables)
    if not core.keeps_rules() or current_graph() is not None:
        return packed
    sources = [i for i, leaf in enumerate(arguments) if _is_source(leaf)]
    results = nest.flatten(packed)
    whole_numbers = [_zeros_of_integers(output) for output in outputs]

    def backward(*dys: Any) -> list[Any]:
        dys = tuple([
            zeros if dy is None else dy for dy, zeros in zip(dys, whole_numbers, strict=True)
        ])  # fmt: skip
        dys = tuple(_with_values(results, dys))
        of_variables: Sequence[Any] = ()
        if variables:
            returned = gradient(*dys, variables=variables)
            of_arguments, of_variables = _two_gradients(f, returned, variables)
        else:
            of_arguments = gradient(*dys)
        flat = [flat_values_of(dy) for dy in nest.flatten(of_arguments)]
        if len(flat) != len(arguments):
            raise ValueError(
                f"The gradient function of {_name(f)}() must return one gradient for each "
                f"of its {_count(arguments, 'argument')} ({', '.join(_argument_names(f, args))}), "
                f"None where there is none; it returned {len(flat)}."
            )
        checked = [
            _fit(
                flat[i],
                arguments[i] if operands[i] is _HIDDEN else operands[i],
                f,
                _argument(f, args, i),
            )
            for i in sources
        ]
        return checked + [
            _fit(dy, variable, f, functools.partial("the variable {!r}".format, variable.name))
            for dy, variable in zip(of_variables, variables, strict=True)
        ]

    inputs = [core.convert(arguments[i]) for i in sources] + [core.convert(v) for v in variables]
    core.record(_name(f), inputs, outputs, backward, plain)
    return packed


def _call_recomputing(f: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    if not core.is_recording():
        return _new_outputs(f(*args, **kwargs), [])[0]
    randomness = random_state.snapshot()
    arguments = [flat_values_of(leaf) for leaf in nest.flatten((args, kwargs))]
    with core.no_recording(), core.VariableWatcher() as watcher:
        packed, outputs, _ = _new_outputs(f(*args, **kwargs), arguments)
    sources = [
        i
        for i, leaf in enumerate(arguments)
        if isinstance(leaf, EagerTensor) and _has_gradient(leaf)
    ]
    variables = list(watcher.variables)
    for leaf in arguments:
        if isinstance(leaf, VariableBase) and not any(leaf is v for v in variables):
            variables.append(leaf)

    def backward(*dys: Any) -> list[Any]:
        again = list(arguments)
        for i in sources:
            # A new tensor for each argument, because f(x, x) has two gradients. Outer tapes record this op.
            again[i] = identity(arguments[i])
        new_args, new_kwargs = _packed((args, kwargs), again)
        with random_state.replaying(randomness), GradientTape() as tape:
            tape.watch([again[i] for i in sources])
            tape.watch([variable for variable in variables if _has_gradient(variable)])
            again_given = nest.flatten(f(*new_args, **new_kwargs))
            results = [core.convert(flat_values_of(leaf)) for leaf in again_given]
        used = [i for i, tensor in enumerate(results) if _has_gradient(tensor)]
        watched = [again[i] for i in sources] + variables
        gradients = tape.gradient(
            [results[i] for i in used], watched, output_gradients=[dys[i] for i in used]
        )
        return [
            core.fitted(dy, source, lambda: _returned_for(f, "one of what it takes"))
            for dy, source in zip(gradients, watched, strict=True)
        ]

    inputs = [arguments[i] for i in sources] + [core.convert(variable) for variable in variables]
    core.record(_name(f), inputs, outputs, backward)
    return packed


def _call_passing_through(
    f: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    arguments = [flat_values_of(leaf) for leaf in nest.flatten(args)]
    packed, outputs, _ = _new_outputs(f(*args, **kwargs), arguments)
    if not core.keeps_rules():
        return packed
    sources = [i for i, leaf in enumerate(arguments) if _is_source(leaf)]

    def backward(*dys: Any) -> list[Any]:
        if len(dys) != len(arguments):
            raise ValueError(
                f"tf.grad_pass_through({_name(f)}) passes the gradient of each result on "
                f"to the argument in its place, but there are {_count(dys, 'result')} "
                f"and {_count(arguments, 'argument')}."
            )
        return [_fit(dys[i], as_source(arguments[i]), f, _argument(f, args, i)) for i in sources]

    backward.keeps_slices = True  # type: ignore[attr-defined]
    core.record(_name(f), [core.convert(arguments[i]) for i in sources], outputs, backward)
    return packed


def _new_outputs(
    result: Any, arguments: list[Any]
) -> tuple[Any, list[EagerTensor], list[EagerTensor]]:
    """``result`` with its leaves aliased by tensors that no tape watches; the list of these; and the leaves.

    For a ragged tensor, its values are aliased. Where ``arguments`` differ by item of a batch, the results do
    so too, even if all items have the same result: each has a gradient of its own.
    """
    batches = batches_among([leaf for leaf in arguments if isinstance(leaf, EagerTensor)])
    with core.no_recording():
        plain = [
            spread_over(core.convert(flat_values_of(leaf)), batches)
            for leaf in nest.flatten(result)
        ]
        outputs = plain if current_graph() is not None else [core.alias(leaf) for leaf in plain]
    return _packed(result, outputs), outputs, plain


def _packed(nested: Any, tensors: Sequence[Any]) -> Any:
    """The nest with these tensors for its leaves, and for the values of its ragged ones."""
    return nest.pack_sequence_as(nested, _with_values(nest.flatten(nested), tensors))


def _with_values(leaves: Sequence[Any], tensors: Sequence[Any]) -> list[Any]:
    """The tensors, with the row partitions of the corresponding leaves where these are ragged."""
    return [
        leaf.with_flat_values(tensor) if flat_values_of(leaf) is not leaf else tensor
        for leaf, tensor in zip(leaves, tensors, strict=True)
    ]


def _result_and_gradient(f: Callable[..., Any], returned: Any) -> tuple[Any, Callable[..., Any]]:
    expected = (
        f"{_name(f)}(), decorated with tf.custom_gradient, must return a pair, its result and a function "
        "that gives the gradient"
    )
    if not isinstance(returned, (tuple, list)):
        raise TypeError(f"{expected}; it returned a {type(returned).__name__}.")
    if len(returned) != 2:
        raise ValueError(
            f"{expected}; it returned {len(returned)} values. "
            "Several results go in a tuple of their own: return (first, second), gradient."
        )
    result, gradient = returned
    if not callable(gradient):
        raise TypeError(f"{expected}; the second value it returned is a {type(gradient).__name__}.")
    return result, gradient


def _takes_variables(gradient: Callable[..., Any]) -> bool:
    import inspect

    try:
        parameters = inspect.signature(gradient).parameters.values()
    except (TypeError, ValueError):  # some callables written in C have no signature to look at
        return False
    return any(
        parameter.kind is parameter.VAR_KEYWORD
        or (parameter.name == "variables" and parameter.kind is not parameter.POSITIONAL_ONLY)
        for parameter in parameters
    )


def _two_gradients(
    f: Callable[..., Any], returned: Any, variables: list[Any]
) -> tuple[Any, Sequence[Any]]:
    """The gradients of arguments and of variables, from what a gradient function returned."""
    expected = (
        f"The gradient function of {_name(f)}(), which reads {_count(variables, 'variable')} "
        f"({_names(variables)}), must return a pair: the gradients of the arguments, and a list with one "
        "gradient for each variable"
    )
    if not isinstance(returned, (tuple, list)):
        raise TypeError(f"{expected}; it returned a {type(returned).__name__}.")
    if len(returned) != 2:
        raise ValueError(f"{expected}; it returned {len(returned)} values.")
    of_arguments, of_variables = returned
    if not isinstance(of_variables, (tuple, list)):
        raise TypeError(f"{expected}; the second value was a {type(of_variables).__name__}.")
    if len(of_variables) != len(variables):
        raise ValueError(f"{expected}; it returned {len(of_variables)} for the variables.")
    return of_arguments, of_variables


def _fit(dy: Any, source: Any, f: Callable[..., Any], place: Callable[[], str]) -> Any:
    """The gradient ``dy`` as a tensor or composite, marked if it has another shape or dtype than ``source``.

    ``place`` says what ``source`` is to ``f``.
    """
    if not isinstance(dy, EagerTensor) and dy is not None and not hasattr(dy, "_nest_components"):
        dy = core.convert(dy, None if isinstance(dy, VariableBase) else source.dtype)
    return core.fitted(dy, source, lambda: _returned_for(f, place()))


def _returned_for(f: Callable[..., Any], place: str) -> str:
    return f"The gradient that the gradient function of {_name(f)}() returned for {place}"


def _argument(f: Callable[..., Any], args: Any, i: int) -> Callable[[], str]:
    return lambda: f"its argument {_argument_names(f, args)[i]}"


# In place of the variable of an object that acts as one and hides it, as Keras's do while they cast.
_HIDDEN = object()


def _variable_of(leaf: Any) -> Any:
    """The variable that ``leaf`` is or acts for, None if it is none, or `_HIDDEN`."""
    if isinstance(leaf, (EagerTensor, VariableBase)) or not _is_source(leaf):
        return leaf
    handle = getattr(leaf, "handle", None)
    return _HIDDEN if handle is None else as_source(leaf)


def _is_source(leaf: Any) -> bool:
    """Whether a tape can watch ``leaf``. Numbers, arrays, strings and the like are constants."""
    return isinstance(leaf, (EagerTensor, VariableBase)) or bool(
        getattr(leaf, "_should_act_as_resource_variable", False)
    )


def _has_gradient(leaf: Any) -> bool:
    return bool(leaf.dtype.is_floating or leaf.dtype.is_complex)


def _zeros_of_integers(output: EagerTensor) -> EagerTensor | None:
    """What a gradient function gets for a result of integers or bools, where no gradient arrives."""
    if not (output.dtype.is_integer or output.dtype.is_bool):
        return None
    return zeros(output._shape_tuple(), output.dtype)


def _name(f: Callable[..., Any]) -> str:
    return str(getattr(f, "__name__", type(f).__name__))


def _names(variables: list[Any]) -> str:
    return ", ".join([str(variable.name) for variable in variables])


def _count(values: Sequence[Any], word: str) -> str:
    return f"{len(values)} {word}{'' if len(values) == 1 else 's'}"


def _argument_names(f: Callable[..., Any], args: tuple[Any, ...]) -> list[str]:
    """The names of the leaves of the positional arguments: x, or x[0] where x is a nest."""
    import inspect

    names: list[str] = []
    try:
        signature = inspect.signature(f)
        for name in signature.bind(*args).arguments:
            if signature.parameters[name].kind is not inspect.Parameter.VAR_POSITIONAL:
                names.append(name)
    except (TypeError, ValueError):  # some callables written in C have no signature to look at
        pass
    result = []
    for i, argument in enumerate(args):
        name = names[i] if i < len(names) else f"number {i}"
        for path, _ in nest.PLAIN.flatten_with_paths(argument):
            result.append(name + "".join([f"[{key!r}]" for key in path]))
    return result
