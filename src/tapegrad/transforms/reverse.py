"""Gradients and vector-Jacobian products, by a tape: `grad`, `value_and_grad`, `vjp`, `hvp`."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from tapegrad import core
from tapegrad.autodiff.tape import GradientTape
from tapegrad.framework import nest
from tapegrad.transforms.wrt import Point, Wrt, check_callable, flat_like, floats, name_of

PUBLIC = {"autodiff": "grad hvp value_and_grad vjp"}


def grad(
    function: Callable[..., Any], wrt: Any = 0, *, argnums: Any = None, has_aux: bool = False
) -> Callable[..., Any]:
    """A function that gives the gradient of ``function``, which gives one real number.

    >>> slope = tf.autodiff.grad(lambda x: x * x * x)
    >>> slope(2.0)
    <tf.Tensor: shape=(), dtype=float32, numpy=12.0>
    >>> tf.autodiff.grad(slope)(2.0)
    <tf.Tensor: shape=(), dtype=float32, numpy=12.0>

    Arguments may be nests; a list of numbers is one. The gradient has the structure of what is
    differentiated by:

    >>> def loss(weights, x):
    ...     return tf.reduce_sum(weights["a"] * x + weights["b"])
    >>> weights = {"a": tf.constant([1.0, 2.0]), "b": 0.5}
    >>> gradients = tf.autodiff.grad(loss)(weights, [3.0, 4.0])
    >>> {name: gradient.numpy().tolist() for name, gradient in sorted(gradients.items())}
    {'a': [3.0, 4.0], 'b': 2.0}

    Variables that the function reads, and modules, are differentiated by when they are named:

    >>> scale = tf.Variable(3.0)
    >>> tf.autodiff.grad(lambda x: scale * scale * x, wrt=scale)(5.0)
    <tf.Tensor: shape=(), dtype=float32, numpy=30.0>

    Not in TensorFlow. The gradient by an input without influence is zeros. The gradient by a
    variable whose rows were gathered is `tf.IndexedSlices`, as with a tape. By complex numbers it
    is the tape's: the conjugate of the derivative, where there is one.

    Args:
        function: takes positional arguments, of which ``wrt`` may name some, and any others. It returns a
            scalar.
        wrt: what to differentiate by: the position of an argument (negative ones count from the end), a
            variable, a `tf.Module` or Keras model (the list of its trainable variables), or
            a nest of these.
        argnums: another word for ``wrt``, for positions alone.
        has_aux: whether ``function`` returns a pair: the scalar, and anything else. The pair
            ``(gradient, anything else)`` is then returned.

    Raises:
        TypeError: ``function`` cannot be called or returns no real number; ``wrt`` names something else, or
            arguments that are not floating.
        ValueError: ``function`` returns more than a scalar, or there is no such argument.
    """
    evaluate = _value_and_grad("grad", function, wrt, argnums, has_aux)

    def gradient(*args: Any, **kwargs: Any) -> Any:
        returned, gradients = evaluate(args, kwargs)
        return (gradients, returned[1]) if has_aux else gradients

    return public("grad", gradient, function)


def value_and_grad(
    function: Callable[..., Any], wrt: Any = 0, *, argnums: Any = None, has_aux: bool = False
) -> Callable[..., Any]:
    """A function that gives the value of ``function`` and its gradient, in a pair.

    >>> model = tf.Module()
    >>> model.weight = tf.Variable([1.0, 2.0])
    >>> def loss(x):
    ...     return tf.reduce_sum(tf.square(model.weight * x))
    >>> value, gradients = tf.autodiff.value_and_grad(loss, wrt=model)([1.0, 3.0])
    >>> value.numpy(), [gradient.numpy().tolist() for gradient in gradients]
    (np.float32(37.0), [[2.0, 36.0]])

    Not in TensorFlow.

    Args:
        function, wrt, argnums: as for `grad`.
        has_aux: whether ``function`` returns a pair: the scalar, and anything else. The first of what is
            returned is then that pair.

    Raises:
        TypeError, ValueError: as `grad` does.
    """
    evaluate = _value_and_grad("value_and_grad", function, wrt, argnums, has_aux)
    return public("value_and_grad", lambda *args, **kwargs: evaluate(args, kwargs), function)


def _value_and_grad(
    transform: str, function: Callable[..., Any], wrt: Any, argnums: Any, has_aux: bool
) -> Callable[[tuple[Any, ...], dict[str, Any]], tuple[Any, Any]]:
    check_callable(transform, function)
    chosen = Wrt(transform, wrt, argnums)

    def evaluate(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, Any]:
        point = chosen.at(args)
        tape, value, aux = record(point, function, kwargs, has_aux)
        target = scalar(chosen, function, value)
        gradients = point.gradients(tape.gradient(target, point.sources))
        return (target, aux) if has_aux else target, point.pack(gradients)

    return evaluate


@core.public(computes=False)
def vjp(
    function: Callable[..., Any], *args: Any, wrt: Any = None, has_aux: bool = False
) -> tuple[Any, ...]:
    """The result of ``function`` at ``args``, and a function that takes vectors back through its Jacobian.

    >>> value, pull = tf.autodiff.vjp(lambda x, y: x * y, tf.constant([1.0, 2.0]), tf.constant([3.0, 4.0]))
    >>> [part.numpy().tolist() for part in pull(tf.constant([1.0, 10.0]))]
    [[3.0, 40.0], [1.0, 20.0]]

    The second function may be called any number of times; the first is run once. Not in TensorFlow.

    Args:
        function: takes ``args``, and returns a tensor or a nest of them.
        args: its arguments: tensors, other values and nests.
        wrt: what to differentiate by, as for `grad`; by default all of ``args``, in a tuple.
        has_aux: whether ``function`` returns a pair: its result, and anything else. The latter is then
            returned as well, after the function.

    Returns:
        The result, and a function. Its argument has the structure, shapes and dtypes of the result, with
        None for zeros. It returns a nest as ``wrt`` describes it.

    Raises:
        TypeError, ValueError: as `grad` does, but for results of any shape.
    """
    check_callable("vjp", function)
    chosen = Wrt("vjp", wrt)
    point = chosen.at(args)
    tape, value, aux = record(point, function, {}, has_aux, persistent=True)
    outputs = tensors_of(chosen, function, value)
    places = [i for i, output in enumerate(outputs) if floats(output)]
    targets = [outputs[i] for i in places]

    def pull(cotangents: Any) -> Any:
        seeds = flat_like(chosen, cotangents, value, outputs, "what is taken back")
        gradients = tape.gradient(
            targets, point.sources, output_gradients=[seeds[i] for i in places]
        )
        return point.pack(point.gradients(gradients))

    packed = nest.pack_sequence_as(value, outputs)
    pull = public("vjp", pull, function)
    return (packed, pull, aux) if has_aux else (packed, pull)


@core.public(computes=False)
def hvp(function: Callable[..., Any], primals: Any, tangents: Any, *, wrt: Any = None) -> Any:
    """The Hessian of ``function``, which gives one real number, times a vector.

    >>> def energy(x):
    ...     return tf.reduce_sum(x * x * x)
    >>> tf.autodiff.hvp(energy, (tf.constant([1.0, 2.0]),), (tf.constant([1.0, 0.0]),))
    (<tf.Tensor: shape=(2,), dtype=float32, numpy=array([6., 0.], dtype=float32)>,)

    The Hessian is never made: a product costs a few times as much as the function. For many products at one
    place, ``_, product = tf.autodiff.linearize(tf.autodiff.grad(function), x)`` runs the function once.
    Not in TensorFlow.

    Args:
        function: returns a scalar.
        primals: a tuple or list of its arguments.
        tangents: the vector: a nest as ``wrt`` describes it, with None for zeros.
        wrt: what to differentiate by, as for `grad`; by default all arguments.

    Returns:
        The product, a nest as ``wrt`` describes it.

    Raises:
        TypeError, ValueError: as `grad` does, and if ``tangents`` do not fit.
    """
    check_callable("hvp", function)
    chosen = Wrt("hvp", wrt)
    point = chosen.at(arguments_of(chosen, primals))
    seeds = point.flat(tangents, "`tangents`")
    with GradientTape(watch_accessed_variables=False) as outer:
        outer.watch(point.sources)
        inner, value, _ = record(point, function, {}, has_aux=False)
        target = scalar(chosen, function, value)
        gradients = inner.gradient(target, point.sources)
        # Inside of the block: the conversion of IndexedSlices to tensors is differentiated too.
        places = [i for i, gradient in enumerate(gradients) if gradient is not None]
        slopes = [core.convert(gradients[i]) for i in places]
    products = outer.gradient(slopes, point.sources, output_gradients=[seeds[i] for i in places])
    return point.pack(point.dense(products))


def record(
    point: Point,
    function: Callable[..., Any],
    kwargs: dict[str, Any],
    has_aux: bool,
    *,
    persistent: bool = False,
) -> tuple[GradientTape, Any, Any]:
    """A tape of ``function`` at ``point``, its value, and its second result, if any."""
    with GradientTape(persistent=persistent, watch_accessed_variables=False) as tape:
        tape.watch(point.sources)
        returned = function(*point.args, **kwargs)
    value, aux = split(point.wrt, function, returned) if has_aux else (returned, None)
    return tape, value, aux


def split(wrt: Wrt, function: Callable[..., Any], returned: Any) -> tuple[Any, Any]:
    """The pair that a function with ``has_aux`` returned: a result, and anything else."""
    if not isinstance(returned, (tuple, list)) or len(returned) != 2:
        wrt.refuse(
            f"with has_aux=True, {name_of(function)}() must return a pair, its result and anything else; "
            f"it returned a {type(returned).__name__}"
            + (f" of {len(returned)}" if isinstance(returned, (tuple, list)) else "")
        )
    return returned[0], returned[1]


def scalar(wrt: Wrt, function: Callable[..., Any], value: Any) -> Any:
    """The result of a function that must be one real number, as a tensor."""
    name = name_of(function)
    if nest.is_nested(value) or value is None:
        wrt.refuse(
            f"{name}() must return one real number; it returned a {type(value).__name__}. "
            "Where it returns something else besides, use has_aux=True"
        )
    tensor = core.convert(value)
    if not tensor.dtype.is_floating:
        wrt.refuse(
            f"{name}() must return a real floating number; it returned one of dtype {tensor.dtype.name}"
        )
    if tensor._shape_tuple() != ():
        wrt.refuse(
            f"{name}() must return one number, a tensor of shape []; it returned one of shape "
            f"{list(tensor._shape_tuple())}. Sum it with tf.reduce_sum, or use tf.autodiff.jacrev",
            ValueError,
        )
    return tensor


def tensors_of(wrt: Wrt, function: Callable[..., Any], value: Any) -> list[Any]:
    """The leaves of a function's result as tensors, of which at least one is floating."""
    leaves = nest.flatten(value)
    if any(leaf is None for leaf in leaves):
        wrt.refuse(f"{name_of(function)}() must return tensors; None is among its results")
    outputs = [core.convert(leaf) for leaf in leaves]
    if not any(map(floats, outputs)):
        wrt.refuse(f"{name_of(function)}() returns no floating tensor: it has no derivative")
    return outputs


def arguments_of(wrt: Wrt, primals: Any) -> list[Any]:
    """The positional arguments, from the user's ``primals``."""
    if not isinstance(primals, (tuple, list)):
        wrt.refuse(
            "`primals` is a tuple or list of the function's arguments, also where it has one: (x,); "
            f"a {type(primals).__name__} came"
        )
    return list(primals)


def public(
    transform: str, wrapper: Callable[..., Any], function: Callable[..., Any]
) -> Callable[..., Any]:
    """``wrapper`` with the name and signature of ``function``, and without our lines in its tracebacks."""

    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return wrapper(*args, **kwargs)
        except Exception as error:
            core.hide(error)
            raise

    functools.update_wrapper(call, function, assigned=("__module__", "__doc__"), updated=())
    call.__name__ = call.__qualname__ = f"{transform}_of_{name_of(function)}"
    return call
