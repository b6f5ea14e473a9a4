"""`CompositeTensor`, the class of all values that are made of several tensors."""

from __future__ import annotations

from abc import ABCMeta, abstractmethod
from typing import Any

from tapegrad.core import VariableBase
from tapegrad.framework.printed import Printed

PUBLIC = {"__internal__": "CompositeTensor"}


class CompositeTensor(Printed, metaclass=ABCMeta):
    """The class of `IndexedSlices`, sparse tensors and all else that `tf.nest` can take apart into tensors.

    Any class with the two methods that `tf.nest` calls belongs to it, without inheriting from it.

    >>> slices = tf.IndexedSlices(tf.ones([1, 2]), [0])
    >>> isinstance(slices, tf.__internal__.CompositeTensor)
    True
    >>> isinstance(tf.ones([1]), tf.__internal__.CompositeTensor)
    False
    """

    @property
    @abstractmethod
    def _type_spec(self) -> Any:
        """The spec of the value."""

    # `nest` takes composites of other libraries apart by their specs. Ours have methods of their own.

    def _nest_components(self) -> list[Any]:
        return [self._type_spec._to_components(self)]

    def _nest_rebuild(self, components: list[Any]) -> Any:
        return self._type_spec._from_components(components[0])

    @classmethod
    def __subclasshook__(cls, other: type) -> Any:
        if cls is CompositeTensor and any(
            {"_nest_components", "_type_spec"} & vars(c).keys() for c in other.__mro__
        ):
            return True
        return NotImplemented


CompositeTensor.register(VariableBase)
