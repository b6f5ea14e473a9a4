"""`CompositeTensor`, the class of all values that are made of several tensors."""

from __future__ import annotations

from abc import ABCMeta
from typing import Any

from tapegrad.core import VariableBase

PUBLIC = {"__internal__": "CompositeTensor"}


class CompositeTensor(metaclass=ABCMeta):
    """The class of `IndexedSlices`, sparse tensors and all else that `tf.nest` can take apart into tensors.

    Any class with the two methods that `tf.nest` calls belongs to it, without inheriting from it.

    >>> slices = tf.IndexedSlices(tf.ones([1, 2]), [0])
    >>> isinstance(slices, tf.__internal__.CompositeTensor)
    True
    >>> isinstance(tf.ones([1]), tf.__internal__.CompositeTensor)
    False
    """

    @classmethod
    def __subclasshook__(cls, other: type) -> Any:
        if cls is CompositeTensor and any(
            {"_nest_components", "_type_spec"} & vars(c).keys() for c in other.__mro__
        ):
            return True
        return NotImplemented


CompositeTensor.register(VariableBase)
