"""``tf.contrib.eager`` of TensorFlow 1.x, called ``tfe``: functions that give gradients, made of functions.

>>> import tapegrad.contrib.eager as tfe
>>> tfe.gradients_function(lambda x, y: x * y)(5.0, 7.0)[0].numpy()
np.float32(7.0)
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from tapegrad import core
from tapegrad.autodiff.tape import GradientTape
from tapegrad.framework import nest
from tapegrad.framework.config import list_logical_devices, list_physical_devices
from tapegrad.ops.shape.array import identity

PUBLIC = {
    "contrib.eager": (
        "gradients_function implicit_gradients implicit_value_and_gradients list_devices make_vjp num_gpus "
        "value_and_gradients_function"
    )
}


def gradients_function(f: Callable[..., Any], params: Any = None) -> Callable[..., list[Any]]:
    """A function of the same arguments that returns the gradients of ``f`` by its arguments.

    >>> import tapegrad.contrib.eager as tfe
    >>> gradient = tfe.gradients_function(lambda x: x * x * x)
    >>> second = tfe.gradients_function(lambda x: gradient(x)[0])
    >>> gradient(2.0)[0].numpy(), second(2.0)[0].numpy()
    (np.float32(12.0), np.float32(12.0))

    Args:
      f: A function of tensors, or of what becomes tensors. If it returns several results, their sum is
        differentiated.
      params: The arguments to differentiate by, as a list of names or of positions; by default all.

    Returns:
      A function with the positional arguments of ``f`` and ``dy``, the gradient that arrives at the result
      (ones if left out). It returns a list with a gradient for each of ``params``, None for integers.

    Raises:
      TypeError: ``f`` cannot be called.
      ValueError: ``params`` names something that is no argument. On a call: ``f`` returned None, or there
        were keyword arguments other than ``dy``.
    """
    with_value = value_and_gradients_function(f, params)

    @functools.wraps(with_value)
    def gradients(*args: Any, **kwargs: Any) -> list[Any]:
        result: list[Any] = with_value(*args, **kwargs)[1]
        return result

    return gradients


def value_and_gradients_function(
    f: Callable[..., Any], params: Any = None
) -> Callable[..., tuple[Any, list[Any]]]:
    """`gradients_function` with a pair for its result: the result of ``f``, and the gradients.

    >>> import tapegrad.contrib.eager as tfe
    >>> value, gradients = tfe.value_and_gradients_function(lambda x, y: x * y)(5.0, 7.0)
    >>> value.numpy(), [gradient.numpy() for gradient in gradients]
    (np.float32(35.0), [np.float32(7.0), np.float32(5.0)])

    Args:
        f: a function of tensors, or of what becomes tensors. If it returns several results, their sum is
            differentiated.
        params: the arguments to differentiate by, as a list of names or of positions; by default all.
    """
    _check_callable(f, "gradients_function")
    transformed = make_vjp(f, params, persistent=False)

    @functools.wraps(transformed)
    def value_and_gradients(*args: Any, dy: Any = None, **kwargs: Any) -> tuple[Any, list[Any]]:
        value, vjp = transformed(*args, **kwargs)
        return value, vjp(dy)

    return value_and_gradients


def make_vjp(
    f: Callable[..., Any], params: Any = None, persistent: bool = True
) -> Callable[..., tuple[Any, Callable[..., list[Any]]]]:
    """A function of the same arguments that returns the result of ``f`` and a function of ``dy``.

    >>> import tapegrad.contrib.eager as tfe
    >>> value, vjp = tfe.make_vjp(lambda x: x * x)(3.0)
    >>> value.numpy(), vjp()[0].numpy(), vjp(10.0)[0].numpy()
    (np.float32(9.0), np.float32(6.0), np.float32(60.0))

    Args:
      f: The function to differentiate.
      params: As in `gradients_function`.
      persistent: Whether the second function may be called more than once.
    """
    _check_callable(f, "make_vjp")
    wanted = _check_params(f, params)

    @functools.wraps(f, assigned=("__module__", "__name__", "__qualname__", "__doc__"))
    def value_and_vjp(*args: Any, **kwargs: Any) -> tuple[Any, Callable[..., list[Any]]]:
        if kwargs:
            raise ValueError(
                f"A function made from {_name(f)}() by tfe takes positional arguments only, "
                f"and dy; {', '.join(kwargs)} came by keyword."
            )
        positions = range(len(args)) if wanted is None else wanted
        arguments = list(args)
        with GradientTape(persistent=persistent) as tape:
            # A new tensor for each argument, even if one tensor was passed for several.
            for i in dict.fromkeys(positions):
                if i >= len(args):
                    raise ValueError(
                        f"The gradient by argument number {i} of {_name(f)}() was asked for, "
                        f"but it was called with {len(args)} arguments."
                    )
                arguments[i] = identity(core.convert(args[i]))
                if arguments[i].dtype.is_floating or arguments[i].dtype.is_complex:
                    tape.watch(arguments[i])
            result = _outputs(f, f(*arguments))

        def vjp(dy: Any = None) -> list[Any]:
            seeds = None if dy is None else nest.flatten(dy)
            gradients: list[Any] = tape.gradient(
                nest.flatten(result), [arguments[i] for i in positions], output_gradients=seeds
            )
            return [
                gradient
                if arguments[i].dtype.is_floating or arguments[i].dtype.is_complex
                else None
                for i, gradient in zip(positions, gradients, strict=True)
            ]

        return result, vjp

    return value_and_vjp


def implicit_gradients(f: Callable[..., Any]) -> Callable[..., list[tuple[Any, Any]]]:
    """A function of the same arguments that returns the gradients of ``f`` by the variables it reads.

    >>> import tapegrad.contrib.eager as tfe
    >>> weight = tfe.Variable(3.0)
    >>> [(gradient, variable)] = tfe.implicit_gradients(lambda x: weight * x)(5.0)
    >>> gradient.numpy(), variable is weight
    (np.float32(5.0), True)

    Args:
      f: A function that reads trainable variables. Of several results, the sum is differentiated.

    Returns:
      A function that returns a list of pairs, gradient and variable, in the order the variables were made.

    Raises:
      TypeError: ``f`` cannot be called.
      ValueError: On a call, ``f`` returned None or read no trainable variable.
    """
    with_value = implicit_value_and_gradients(f)

    @functools.wraps(with_value)
    def gradients(*args: Any, **kwargs: Any) -> list[tuple[Any, Any]]:
        result: list[tuple[Any, Any]] = with_value(*args, **kwargs)[1]
        return result

    return gradients


def implicit_value_and_gradients(
    f: Callable[..., Any],
) -> Callable[..., tuple[Any, list[tuple[Any, Any]]]]:
    """`implicit_gradients` with a pair for its result: the result of ``f``, and the list of pairs.

    >>> import tapegrad.contrib.eager as tfe
    >>> weight = tfe.Variable(3.0)
    >>> value, [(gradient, variable)] = tfe.implicit_value_and_gradients(lambda x: weight * x)(5.0)
    >>> value.numpy(), gradient.numpy()
    (np.float32(15.0), np.float32(5.0))

    Args:
        f: a function of tensors, or of what becomes tensors, that reads trainable variables.
    """
    _check_callable(f, "implicit_value_and_gradients")

    @functools.wraps(f, assigned=("__module__", "__name__", "__qualname__", "__doc__"))
    def value_and_gradients(*args: Any, **kwargs: Any) -> tuple[Any, list[tuple[Any, Any]]]:
        with GradientTape() as tape:
            result = _outputs(f, f(*args, **kwargs))
        variables = tape.watched_variables()
        if not variables:
            raise ValueError(
                f"{_name(f)}() read no trainable variables, "
                "so there is nothing to differentiate by. "
                "Variables made with trainable=False do not count; "
                "tfe.gradients_function differentiates by the arguments."
            )
        gradients = tape.gradient(nest.flatten(result), list(variables))
        return result, list(zip(gradients, variables, strict=True))

    return value_and_gradients


def list_devices() -> list[str]:
    """The names of the devices that ops run on.

    >>> import tapegrad.contrib.eager as tfe
    >>> tfe.list_devices()
    ['/job:localhost/replica:0/task:0/device:CPU:0']
    """
    return ["/job:localhost/replica:0/task:0" + device.name for device in list_logical_devices()]


def num_gpus() -> int:
    """How many GPUs there are to run on: none.

    >>> import tapegrad.contrib.eager as tfe
    >>> tfe.num_gpus()
    0
    """
    return len(list_physical_devices("GPU"))


def _outputs(f: Callable[..., Any], result: Any) -> Any:
    """``result`` with its leaves as tensors."""
    if result is None:
        raise ValueError(
            f"Cannot differentiate {_name(f)}(), which returned None: "
            "it may lack a return statement."
        )
    return nest.map_structure(core.convert, result)


def _check_callable(f: Any, transformation: str) -> None:
    if not callable(f):
        raise TypeError(
            f"tfe.{transformation}() takes a function to differentiate; "
            f"{f!r} came, which cannot be called."
        )


def _check_params(f: Callable[..., Any], params: Any) -> list[int] | None:
    """The positions of the arguments in ``params``; None for all."""
    if params is None:
        return None
    wanted: list[Any] = [params] if isinstance(params, (str, int)) else list(params)
    if all(isinstance(param, str) for param in wanted):
        import inspect

        names = [
            name
            for name, parameter in inspect.signature(f).parameters.items()
            if parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD)
        ]
        for param in wanted:
            if param not in names:
                raise ValueError(
                    f"{_name(f)}() has no positional argument named {param!r}; "
                    f"it has {', '.join(names)}."
                )
        return [names.index(param) for param in wanted]
    for param in wanted:
        if not isinstance(param, int) or param < 0:
            raise ValueError(
                "params must hold names of arguments only, or positions counted from 0 only; "
                f"it holds {wanted!r}."
            )
    return wanted


def _name(f: Callable[..., Any]) -> str:
    return str(getattr(f, "__name__", type(f).__name__))
