"""How an operator declares what it is made of: one `Parameter` for each tensor or operator.

    class LinearOperatorDiag(LinearOperator):
        diag = Parameter("The diagonal.", axes=1, convert=floats)

The property, the conversion and the check of its rank, the operator's spec and the slices of batches follow.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tapegrad import dtypes
from tapegrad.annex.linear_operators import ops
from tapegrad.core import VariableBase
from tapegrad.framework.module import Module

FLOATS = (dtypes.float16, dtypes.float32, dtypes.float64, dtypes.complex64, dtypes.complex128)


def numbers(value: Any, name: str) -> Any:
    """``value`` as a tensor. A variable, or a module that acts as one, stays, and is read when used."""
    if isinstance(value, VariableBase) or (
        isinstance(value, Module) and hasattr(value, "dtype") and hasattr(value, "shape")
    ):
        return value
    return ops.convert_to_tensor(value, None, name=name)


def floats(value: Any, name: str) -> Any:
    """`numbers` of a float or complex type."""
    tensor = numbers(value, name)
    if tensor.dtype not in FLOATS:
        raise TypeError(
            f"Argument {name} must have dtype in {[dtype.name for dtype in FLOATS]}. "
            f"Found: {tensor.dtype.name}"
        )
    return tensor


def assert_rank(value: Any, least: int, name: str) -> None:
    """Refuse a parameter with fewer axes than ``least``."""
    if value.shape.rank is not None and value.shape.rank < least:
        raise ValueError(
            f"Argument {name} must have at least {least} dimensions. Found: {value.shape}"
        )


class Parameter(property):
    """What the constructor was given under this name, as a property of the operator.

    Args:
      doc: The documentation of the property.
      axes: How many axes a tensor has that are not of a batch; 0 of an operator. None of what has no batch.
      convert: Makes a tensor of the argument. Without it the constructor itself keeps the value.
    """

    name: str

    def __init__(
        self,
        doc: str,
        axes: int | None = None,
        convert: Callable[[Any, str], Any] | None = None,
    ) -> None:
        super().__init__(lambda operator: getattr(operator, f"_{self.name}"), doc=doc)
        self.__doc__ = doc  # else that of this class
        self.axes = axes
        self.convert = convert

    def __set_name__(self, owner: Any, name: str) -> None:
        super().__set_name__(owner, name)  # type: ignore[misc]  # the stub of `property` lacks it
        self.name = name

    def keep(self, operator: Any, argument: Any) -> Any:
        """Convert and check ``argument``, and let the property give it."""
        value = argument
        if self.convert is not None:
            value = self.convert(argument, self.name)
            assert_rank(value, self.axes or 0, self.name)
        setattr(operator, f"_{self.name}", value)
        return value
