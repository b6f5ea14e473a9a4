"""Base classes of functions, for `isinstance`."""

from __future__ import annotations

PUBLIC = {
    "types.experimental": (
        "Callable ConcreteFunction=ConcreteBase GenericFunction PolymorphicFunction=GenericFunction"
    ),
}


class Callable:
    """A function that takes and gives tensors."""


class GenericFunction(Callable):
    """What `tf.function` returns, for any arguments.

    >>> isinstance(tf.function(lambda x: x), tf.types.experimental.GenericFunction)
    True
    """


class ConcreteBase(Callable):
    """What `get_concrete_function` returns, for arguments of given specs.

    >>> double = tf.function(lambda x: 2 * x).get_concrete_function(tf.TensorSpec([None]))
    >>> isinstance(double, tf.types.experimental.ConcreteFunction)
    True
    """
