"""Writes programs: runs a function of elementwise ops once on stand-ins for arrays, and notes what it does.

A stand-in has a dtype and nothing else. A function that asks for values or shapes cannot be traced, and is
called on the arrays each time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tapegrad.engines.numpy.namespace import xp
from tapegrad.engines.numpy.programs import FIRST_STEP, Program, loops_for, result_type

Array = np.ndarray[Any, Any]


class CannotTrace(Exception):
    """The function asks for something that a program does not do."""


class Trace:
    """The steps taken so far."""

    def __init__(self, dtypes: Sequence[np.dtype[Any]]) -> None:
        self.inputs = [Traced(self, dtype, place) for place, dtype in enumerate(dtypes)]
        self.constants: list[Array] = []
        self.steps: list[tuple[Any, np.dtype[Any], np.dtype[Any], tuple[int, ...]]] = []

    def source(self, value: Any, dtype: np.dtype[Any]) -> Traced:
        """An operand as a stand-in: the stand-in itself, or one for a constant of `dtype`."""
        if isinstance(value, Traced):
            if value.trace is not self:
                raise CannotTrace("a value of another trace")
            return value
        if isinstance(value, bool | int | float | complex):
            with np.errstate(all="ignore"):
                array = np.array(value, dtype)
        else:
            array = np.asarray(value)
            if array.ndim:
                raise CannotTrace("an array that is no argument")
        self.constants.append(array)
        return Traced(self, array.dtype, len(self.inputs) + len(self.constants) - 1)

    def step(
        self, kind: Any, operands: tuple[Traced, ...], read: np.dtype[Any], gives: np.dtype[Any]
    ) -> Traced:
        self.steps.append((kind, read, gives, tuple(operand.place for operand in operands)))
        return Traced(self, gives, FIRST_STEP + len(self.steps) - 1)

    def call(self, ufunc: Any, arguments: tuple[Any, ...]) -> Traced:
        """Add one step: ``ufunc`` of stand-ins and numbers."""
        if not isinstance(ufunc, np.ufunc) or len(arguments) != ufunc.nin:
            raise CannotTrace(f"{ufunc} is no plain ufunc")
        first = next(argument for argument in arguments if isinstance(argument, Traced))
        operands = tuple(self.source(argument, first.dtype) for argument in arguments)
        if any(operand.dtype != first.dtype for operand in operands):
            raise CannotTrace("operands of several dtypes")
        loops = loops_for(ufunc)
        gives = result_type(loops, first.dtype)
        if gives is None:
            raise CannotTrace(f"{ufunc} has no loop for {first.dtype}")
        return self.step(loops, operands, first.dtype, gives)

    def program(self, result: Any) -> Program:
        if not isinstance(result, Traced) or result.trace is not self:
            raise CannotTrace("the result is none of what was traced")
        types = [stand_in.dtype for stand_in in self.inputs]
        if result.place >= FIRST_STEP:
            # Steps after the result are not needed for it.
            del self.steps[result.place - FIRST_STEP + 1 :]
        elif result.place < len(self.inputs):
            self.steps.clear()
        else:
            raise CannotTrace("the result is a constant")
        try:
            return Program(types, self.constants, self.steps, result.place, result.dtype)
        except ValueError as error:
            raise CannotTrace(str(error)) from None


class Traced:
    """The stand-in for an array."""

    __slots__ = ("dtype", "place", "trace")
    __array_ufunc__ = None

    def __init__(self, trace: Trace, dtype: np.dtype[Any], place: int) -> None:
        self.trace = trace
        self.dtype = dtype
        self.place = place

    def astype(self, dtype: Any, copy: bool = True) -> Traced:
        dtype = np.dtype(dtype)
        if dtype == self.dtype:
            return self
        if self.dtype == np.bool_ and dtype in (np.dtype(np.float32), np.dtype(np.float64)):
            return self.trace.step("from bool", (self,), self.dtype, dtype)
        raise CannotTrace(f"a cast from {self.dtype} to {dtype}")

    def __bool__(self) -> bool:
        raise CannotTrace("a decision that depends on values")


def _operator(name: str, swapped: bool = False) -> Callable[..., Traced]:
    def method(self: Traced, *others: Any) -> Traced:
        return self.trace.call(getattr(np, name), (*others, self) if swapped else (self, *others))

    return method


for _method, _name in {
    "add": "add",
    "sub": "subtract",
    "mul": "multiply",
    "truediv": "divide",
}.items():
    setattr(Traced, f"__{_method}__", _operator(_name))
    setattr(Traced, f"__r{_method}__", _operator(_name, swapped=True))
for _method, _name in {
    "neg": "negative",
    "abs": "absolute",
    "lt": "less",
    "le": "less_equal",
    "gt": "greater",
    "ge": "greater_equal",
    "eq": "equal",
    "ne": "not_equal",
    "and": "logical_and",
    "or": "logical_or",
    "invert": "logical_not",
}.items():
    setattr(Traced, f"__{_method}__", _operator(_name))


class Namespace:
    """What `xp` is while a function is traced."""

    inf = np.inf
    nan = np.nan
    pi = np.pi

    def where(self, condition: Any, x: Any, y: Any) -> Traced:
        trace = next(value.trace for value in (condition, x, y) if isinstance(value, Traced))
        dtype = next(value.dtype for value in (x, y) if isinstance(value, Traced | np.ndarray))
        operands = (
            trace.source(condition, np.dtype(bool)),
            trace.source(x, dtype),
            trace.source(y, dtype),
        )
        if operands[0].dtype != np.bool_ or operands[1].dtype != operands[2].dtype:
            raise CannotTrace("operands of several dtypes")
        return trace.step("select", operands, dtype, dtype)

    def zeros(self, shape: Any, dtype: Any) -> Array:
        return np.zeros(shape, dtype)

    def ones(self, shape: Any, dtype: Any) -> Array:
        return np.ones(shape, dtype)

    def asarray(self, value: Any, dtype: Any) -> Array:
        return np.asarray(value, dtype)

    def __getattr__(self, name: str) -> Callable[..., Any]:
        function = getattr(xp, name)

        def call(*arguments: Any) -> Any:
            traced = next((value for value in arguments if isinstance(value, Traced)), None)
            return (
                function(*arguments) if traced is None else traced.trace.call(function, arguments)
            )

        return call


namespace = Namespace()


def trace(function: Callable[..., Any], dtypes: Sequence[np.dtype[Any]]) -> Program | None:
    """``function(*stand-ins)`` as a program; None where that cannot be done.

    A function that fails on stand-ins is run on the arrays instead, and raises its own error there.
    """
    begun = Trace(dtypes)
    try:
        with np.errstate(all="ignore"):
            return begun.program(function(*begun.inputs))
    except Exception:
        return None
    finally:
        begun.inputs.clear()  # breaks the reference cycle between the trace and its stand-ins
