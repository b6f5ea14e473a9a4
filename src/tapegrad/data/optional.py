"""``tf.experimental.Optional``: an element that may be missing."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from tapegrad import dtypes
from tapegrad.core import Tensor
from tapegrad.data import structure
from tapegrad.data.element_spec import ElementSpec
from tapegrad.errors import refuse
from tapegrad.framework.printed import Printed
from tapegrad.ops.constants import constant

PUBLIC = {
    "experimental compat.v1.experimental data.experimental compat.v1.data.experimental": "Optional",
    ". compat.v1": "OptionalSpec",
    "compat.v1.data.experimental": "OptionalStructure=OptionalSpec",
}


class Optional(Printed, ABC):
    """An element, or none: what ``get_next_as_optional`` of an iterator returns.

    >>> one, none = tf.experimental.Optional.from_value(1), tf.experimental.Optional.empty(None)
    >>> bool(one.has_value()), bool(none.has_value()), int(one.get_value())
    (True, False, 1)
    """

    @abstractmethod
    def has_value(self, name: str | None = None) -> Tensor:
        """Whether there is an element, as a scalar tensor."""

    @abstractmethod
    def get_value(self, name: str | None = None) -> Any:
        """The element; `InvalidArgumentError` if there is none."""

    @property
    @abstractmethod
    def element_spec(self) -> Any:
        """The nest of specs of the element."""

    @staticmethod
    def empty(element_spec: Any) -> Optional:
        """An optional without an element, which would be of ``element_spec``."""
        return OptionalImpl(_NOTHING, element_spec)

    @staticmethod
    def from_value(value: Any) -> Optional:
        """An optional with this element."""
        element = structure.to_element(value)
        return OptionalImpl(element, structure.spec_of(element))

    @property
    def _type_spec(self) -> OptionalSpec:
        return OptionalSpec(self.element_spec)


_NOTHING: Any = object()


class OptionalImpl(Optional):
    """The class of all optionals."""

    __slots__ = ("_element", "_element_spec")

    def __init__(self, element: Any, element_spec: Any) -> None:
        self._element = element
        self._element_spec = element_spec

    def has_value(self, name: str | None = None) -> Tensor:
        """Whether there is an element, as a scalar tensor."""
        has_value: Tensor = constant(self._element is not _NOTHING, dtypes.bool)
        return has_value

    def get_value(self, name: str | None = None) -> Any:
        """The element.

        Raises:
            InvalidArgumentError: there is none.
        """
        if self._element is _NOTHING:
            refuse("The given optional does not have a value.", op="OptionalGetValue")
        return self._element

    @property
    def element_spec(self) -> Any:
        """The nest of specs of the element."""
        return self._element_spec


OptionalImpl.__name__ = OptionalImpl.__qualname__ = "_OptionalImpl"


class OptionalSpec(ElementSpec):
    """The spec of optionals with elements of ``element_spec``.

    >>> tf.OptionalSpec(tf.TensorSpec([], tf.int32))
    OptionalSpec(TensorSpec(shape=(), dtype=tf.int32, name=None),)
    """

    __slots__ = ()

    @staticmethod
    def from_value(value: Any) -> OptionalSpec:
        """The spec of this optional."""
        return OptionalSpec(value.element_spec)

    @property
    def value_type(self) -> type:
        """The class of optionals."""
        return OptionalImpl
