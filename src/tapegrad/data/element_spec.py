"""The base of the specs of data sets, iterators and optionals."""

from __future__ import annotations

from typing import Any

from tapegrad.data import structure
from tapegrad.framework.spec import TypeSpec


class ElementSpec(TypeSpec):
    """What the specs of data sets, iterators and optionals share: they describe elements."""

    __slots__ = ("_element_spec",)

    _nest_is_spec = False  # their values have no components

    def __init__(self, element_spec: Any) -> None:
        self._element_spec = element_spec

    def _serialize(self) -> tuple[Any, ...]:
        return (self._element_spec,)

    @property
    def _component_specs(self) -> tuple[()]:
        return ()

    def _to_components(self, value: Any) -> tuple[()]:
        return ()

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Whether this spec describes the value, or some of those of the given spec."""
        spec = getattr(spec_or_value, "_type_spec", spec_or_value)
        return isinstance(spec, type(self)) and structure.compatible(
            self._element_spec, spec._element_spec
        )
