"""Gradients that users register for ops, under TensorFlow's names for the ops."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from tapegrad import core
from tapegrad.framework.printed import Printed

PUBLIC = {
    ". compat.v1": "no_gradient RegisterGradient",
    "compat.v1": "NotDifferentiable",
}


Rule = TypeVar("Rule", bound=Callable[..., Any])

# Names of ops that do not exist here. As in TensorFlow, a gradient can be registered for each, once.
_elsewhere: set[str] = set()


class RegisterGradient(Printed):
    """A decorator that makes a function the gradient of the op ``op_type``.

    >>> image = tf.ones([2, 2, 3])
    >>> def gradient():
    ...     with tf.GradientTape() as tape:
    ...         tape.watch(image)
    ...         result = tf.image.adjust_contrast(image, 2.0)
    ...     return tape.gradient(result, image)
    >>> gradient()
    Traceback (most recent call last):
    LookupError: gradient registry has no entry for: AdjustContrastv2

    The function gets an object for the call, with ``inputs``, ``outputs`` and ``get_attr(name)``, and a
    gradient for each output. It returns a gradient, or None, for each input::

        @tf.RegisterGradient("AdjustContrastv2")
        def adjust_contrast_gradient(op, dy):
            return dy * op.inputs[1], None

    Raises:
      TypeError: ``op_type`` is not a string, or what is decorated is not a function.
      KeyError: The op has a gradient already, or was declared to have none.
    """

    def __init__(self, op_type: str) -> None:
        self._op_type = _checked(op_type)

    def __call__(self, f: Rule) -> Rule:
        if not callable(f):
            raise TypeError(
                f"The gradient of {self._op_type} must be a function; "
                f"{f!r} came, a {type(f).__name__}."
            )
        _register(self._op_type, f)
        return f


def no_gradient(op_type: str) -> None:
    """Declare that no gradient flows through the op ``op_type``: a source behind the op gets `None`.

    Args:
        op_type: TensorFlow's name of the op, such as "Tanh".

    Raises:
      TypeError: ``op_type`` is not a string.
      KeyError: The op has a gradient already, or was declared to have none before.
    """
    _register(_checked(op_type), None)


NotDifferentiable = no_gradient  # its name in TensorFlow 1.x


def _checked(op_type: Any) -> str:
    if not isinstance(op_type, str):
        raise TypeError(
            "op_type must be a string, TensorFlow's name for an op such as 'MatMul'; "
            f"{op_type!r} came, a {type(op_type).__name__}."
        )
    return op_type


def _register(op_type: str, rule: Callable[..., Any] | None) -> None:
    try:
        op = core.registry[op_type]
    except KeyError:
        op = None
    if op_type in _elsewhere or (op is not None and op.differentiable != "missing"):
        raise KeyError(
            f"{op_type} has a gradient registered already, or was declared to have none. "
            "A function decorated with tf.custom_gradient can be given another gradient."
        )
    if op is None:
        _elsewhere.add(op_type)
    else:
        core.register_gradient(op_type, rule)
