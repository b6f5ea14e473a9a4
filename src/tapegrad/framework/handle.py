"""The handle of a variable: a scalar of dtype ``tf.resource`` that refers to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

from tapegrad import dtypes
from tapegrad.core import VariableBase
from tapegrad.errors import refuse
from tapegrad.framework.shape import TensorShape

if TYPE_CHECKING:
    from tapegrad.framework.variable import Variable


class Handle:
    """A reference to a variable: a scalar of dtype ``tf.resource``."""

    __slots__ = ("__weakref__", "variable")

    dtype = dtypes.resource

    def __init__(self, variable: Variable) -> None:
        self.variable = variable

    @property
    def shape(self) -> TensorShape:
        """The shape of a scalar, whatever the variable holds."""
        return TensorShape([])

    def numpy(self) -> NoReturn:
        """Raises InvalidArgumentError: a handle is no array."""
        refuse(
            "A handle, of dtype resource, is no array. The variable's own numpy() gives its value."
        )

    def __repr__(self) -> str:
        return f"<tf.Tensor: shape=(), dtype=resource, value=<handle of {self.variable.name!r}>>"


def variable_of(op: str, resource: Any) -> Any:
    """The variable to which a handle refers.

    Raises:
        InvalidArgumentError: if ``resource`` is no handle.
    """
    if isinstance(resource, Handle):
        return resource.variable
    if not isinstance(resource, VariableBase):
        refuse(f"{op} expects the handle of a variable (variable.handle); {resource!r} came.")
    return resource if resource._owner is None else resource._owner
