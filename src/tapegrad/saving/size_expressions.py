"""Expresses numbers that differ between runs of a function by the sizes of tensors.

A function runs a few times, each time with other sizes along the unknown axes. What is the same in all runs
is a constant. A number that differs has to follow from the sizes of tensors: `Sizes.number` finds an
`Expression` for it, such as ``["*", ["size", 0, 0], 4]``: a formula of `tapegrad.core.sizes`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tapegrad.core import EagerTensor, VariableBase, static_value
from tapegrad.core.sizes import evaluate
from tapegrad.framework.shape import TensorShape

Numbers = tuple[Any, ...]


class Differs(Exception):
    """A value differs between the runs, and no expression of sizes gives it."""


class Expression(NamedTuple):
    """A number computed from sizes, as a list that JSON can hold."""

    formula: list[Any]


class BuiltTensor(NamedTuple):
    """A constant whose elements or shape are computed from sizes."""

    how: str  # "numbers" in a shape, "filled" with one, the "range" below one, "values" of a slot
    value: Any
    shape: Any
    dtype: Any


class Sizes:
    """The sizes that differ between the runs, in the inputs and the results of the steps so far."""

    def __init__(self, runs: int) -> None:
        self._runs = runs
        self._formulas: dict[Numbers, list[Any]] = {}
        self._arrays: list[tuple[int, list[Any]]] = []  # arrays that Python read
        self._first: list[Numbers] = []  # sizes of the inputs; products of two are tried
        self._before: list[Any] = []
        self._coincidental: set[Numbers] = set()  # sizes that equal others by chance

    def add_tensor(self, slot: int, shapes: list[tuple[int, ...]], is_input: bool) -> None:
        """Remember the sizes of a slot that differ."""
        if any(len(shape) != len(shapes[0]) for shape in shapes):
            return
        for axis, sizes in enumerate(zip(*shapes, strict=True)):
            self._add(sizes, ["size", slot, axis], is_input)

    def add_values(self, slot: int, values: list[np.ndarray[Any, Any]]) -> None:
        """Remember numbers that were read from a slot."""
        flat = [array.ravel().tolist() for array in values]
        for index, numbers in enumerate(zip(*flat, strict=True)):
            self._add(numbers, ["value", slot, index], True)

    def add_last(self, slot: int, values: list[np.ndarray[Any, Any]]) -> None:
        """Remember the first and the last of the numbers that were read from a slot."""
        self._add(tuple([array[-1].item() for array in values]), ["value", slot, -1], True)
        self._add(tuple([array[0].item() for array in values]), ["value", slot, 0], True)

    def add_array(self, slot: int, values: list[np.ndarray[Any, Any]]) -> None:
        """Remember all the numbers that were read from a slot: an array may consist of them."""
        self._arrays.append((slot, values))

    def _add(self, numbers: Numbers, formula: list[Any], first: bool) -> None:
        if any(number != numbers[0] for number in numbers) and numbers not in self._formulas:
            self._formulas[numbers] = formula
            if first:
                self._first.append(numbers)

    def begin(self) -> None:
        """Remember sizes from now on until `end`."""
        self._before.append((dict(self._formulas), list(self._arrays), list(self._first)))

    def end(self) -> None:
        """Forget the sizes since `begin`."""
        self._formulas, self._arrays, self._first = self._before.pop()

    def mark_coincidental(self, sizes: Numbers) -> None:
        """Mark sizes that depend on values and equal other sizes by chance: no expression may use them."""
        if any(size != sizes[0] for size in sizes) and sizes in self._formulas:
            self._coincidental.add(sizes)

    def known(self, sizes: Numbers) -> Any:
        """A number for a size that all runs share, an expression for a known one, None for a new one."""
        if all(size == sizes[0] for size in sizes):
            return sizes[0]
        formula = self._formulas.get(sizes)
        return None if formula is None or sizes in self._coincidental else Expression(formula)

    def number(self, numbers: Numbers) -> Expression:
        """An expression for a number that differs between the runs.

        Raises:
            Differs: there is none.
        """
        if numbers in self._coincidental:
            raise Differs(f"a size, {numbers}, is another one by chance")
        formula = self._formulas.get(numbers)
        if formula is None:
            formula = self._derived(numbers)
            self._formulas[numbers] = formula
        return Expression(formula)

    def _derived(self, numbers: Numbers) -> list[Any]:
        whole = all(type(number) is int for number in numbers)
        if whole:
            expression = self._whole(numbers)
            if expression is not None:
                return expression
        if not whole and all(isinstance(number, (int, float)) for number in numbers):
            for sizes, formula in self._usable():
                expression = _proportional(numbers, sizes, formula)
                if expression is not None:
                    return expression
        raise Differs(f"a number is {', '.join([str(number) for number in numbers])}")

    def _usable(self) -> list[tuple[Numbers, list[Any]]]:
        return [pair for pair in self._formulas.items() if pair[0] not in self._coincidental]

    def _whole(self, numbers: Numbers) -> list[Any] | None:
        """A whole number as a multiple of one or two sizes, plus a constant, or divided by one."""
        known = self._usable()
        products = [
            (
                tuple([x * y for x, y in zip(sizes, other, strict=True)]),
                ["*", self._formulas[sizes], self._formulas[other]],
            )
            for i, sizes in enumerate(self._first)
            for other in self._first[i:]
            if sizes not in self._coincidental and other not in self._coincidental
        ]
        for express in (_multiple, _shifted, _divided):
            for sizes, formula in known:
                expression = express(numbers, sizes, formula)
                if expression is not None:
                    return expression
            if express is _multiple:
                for sizes, formula in products:
                    expression = formula if sizes == numbers else express(numbers, sizes, formula)
                    if expression is not None:
                        return expression
        return None

    def value(self, versions: list[Any]) -> Any:
        """An attribute merged from its versions in the runs: with expressions in place of what differs.

        Raises:
            Differs: the versions do not follow from sizes.
        """
        first = versions[0]
        kind = type(first)
        if all(version is first for version in versions):
            return first
        if any(type(version) is not kind for version in versions):
            raise Differs(f"a value is {' or '.join(sorted({type(v).__name__ for v in versions}))}")
        if kind is tuple or kind is list:
            if any(len(version) != len(first) for version in versions):
                raise Differs("a list has other lengths")
            return kind([self.value(list(parts)) for parts in zip(*versions, strict=True)])
        if isinstance(first, tuple) and hasattr(first, "_fields"):
            return kind(*[self.value(list(parts)) for parts in zip(*versions, strict=True)])
        if kind is dict:
            if any(version.keys() != first.keys() for version in versions):
                raise Differs("a dict has other keys")
            return {key: self.value([version[key] for version in versions]) for key in first}
        if kind is slice:
            parts = [self.value([getattr(v, part) for v in versions]) for part in _SLICE]
            return slice(*parts)
        if kind is TensorShape:
            if any(version.rank != first.rank for version in versions):
                raise Differs("a shape has another rank")
            return first if first.rank is None else [
                self.value(list(sizes))
                for sizes in zip(*[version.as_list() for version in versions], strict=True)
            ]  # fmt: skip
        if isinstance(first, np.ndarray):
            if all(same_array(version, first) for version in versions):
                return first
            return self.built(versions)
        if isinstance(first, EagerTensor):
            arrays = [version._array for version in versions]
            if all(same_array(array, arrays[0]) for array in arrays):
                return first
            raise Differs("a tensor among the attributes has other values")
        if kind is int or kind is float:
            if all(version == first or version != version for version in versions):
                return first
            return self.number(tuple(versions))
        if isinstance(first, VariableBase) or not all(version == first for version in versions):
            raise Differs(f"a value is {first!r} or something else")
        return first

    def built(self, versions: list[np.ndarray[Any, Any]]) -> BuiltTensor:
        """How to build a constant that differs between the runs.

        Raises:
            Differs: sizes do not tell.
        """
        first = versions[0]
        dtype = first.dtype
        if any(version.dtype != dtype or version.ndim != first.ndim for version in versions):
            raise Differs("a constant has another dtype or rank")
        for slot, values in self._arrays:
            if all(np.array_equal(x, y) for x, y in zip(values, versions, strict=True)):
                return BuiltTensor("values", Expression(["values", slot, 0]), None, dtype)
        if all(version.shape == first.shape for version in versions):
            if first.size > 64 or dtype.kind not in "iuf":
                raise Differs(f"a constant of shape {first.shape} has other values")
            flat = [version.ravel().tolist() for version in versions]
            numbers = [self.value(list(parts)) for parts in zip(*flat, strict=True)]
            return BuiltTensor("numbers", numbers, list(first.shape), dtype)
        shape = [
            self.value(list(sizes))
            for sizes in zip(*[version.shape for version in versions], strict=True)
        ]
        if all(version.size and (version == version.flat[0]).all() for version in versions):
            one = self.value([version.flat[0].item() for version in versions])
            return BuiltTensor("filled", one, shape, dtype)
        if first.ndim == 1 and all(
            np.array_equal(version, np.arange(version.size)) for version in versions
        ):
            return BuiltTensor("range", None, shape, dtype)
        raise Differs(f"a constant of shape {first.shape} has other values or another shape")


_SLICE = ("start", "stop", "step")


def compute(formula: Any, tensors: Any) -> Any:
    """The number, or the array of numbers, that a formula gives where slots hold ``tensors``."""

    def read(leaf: Any) -> Any:
        kind, slot, place = leaf
        if kind == "size":
            return tensors[slot]._shape_tuple()[place]
        values = static_value(tensors[slot], "size")
        return values if kind == "values" else values.ravel()[place].item()

    return evaluate(formula, read)


def same_array(first: Any, second: Any) -> bool:
    """Whether two arrays are equal, NaN to NaN."""
    if first is second:
        return True
    if first.dtype != second.dtype or first.shape != second.shape:
        return False
    if first.dtype.hasobject:
        return bool(first.tolist() == second.tolist())
    return bool(np.ascontiguousarray(first).tobytes() == np.ascontiguousarray(second).tobytes())


def _whole_numbers(numbers: Numbers, sizes: Numbers) -> bool:
    return all(type(number) is int for number in (*numbers, *sizes))


def _multiple(numbers: Numbers, sizes: Numbers, formula: list[Any]) -> list[Any] | None:
    """``numbers`` as ``sizes * factor``."""
    if not _whole_numbers(numbers, sizes) or not sizes[0] or numbers[0] % sizes[0]:
        return None
    factor = numbers[0] // sizes[0]
    if not factor or any(n != factor * s for n, s in zip(numbers, sizes, strict=True)):
        return None
    return ["*", formula, factor]


def _shifted(numbers: Numbers, sizes: Numbers, formula: list[Any]) -> list[Any] | None:
    """``numbers`` as ``sizes * factor + rest``."""
    if not _whole_numbers(numbers, sizes):
        return None
    at = next((index for index, size in enumerate(sizes) if size != sizes[0]), 0)
    run, rise = sizes[at] - sizes[0], numbers[at] - numbers[0]
    if not run or not rise or rise % run:
        return None
    factor = rise // run
    rest = numbers[0] - factor * sizes[0]
    if any(n != factor * s + rest for n, s in zip(numbers, sizes, strict=True)):
        return None
    return ["+", formula if factor == 1 else ["*", formula, factor], rest]


def _divided(numbers: Numbers, sizes: Numbers, formula: list[Any]) -> list[Any] | None:
    """``numbers`` as ``sizes // divisor``, rounded down or up."""
    if not _whole_numbers(numbers, sizes):
        return None
    for divisor in (2, 3, 4, 5, 6, 7, 8, 16, 32):
        for more in (0, divisor - 1):
            if all(n == (s + more) // divisor for n, s in zip(numbers, sizes, strict=True)):
                return ["//", formula if more == 0 else ["+", formula, more], divisor]
    return None


def _proportional(numbers: Numbers, sizes: Numbers, formula: list[Any]) -> list[Any] | None:
    """``numbers`` as a multiple of ``sizes``, or a number divided by ``sizes``."""
    if not all(type(size) is int and size for size in sizes):
        return None
    factor = numbers[0] / sizes[0]
    if all(n == s * factor for n, s in zip(numbers, sizes, strict=True)):
        return ["*", formula, float(factor)]
    product = round(numbers[0] * sizes[0], 12)
    if all(n == product / s for n, s in zip(numbers, sizes, strict=True)):
        return ["/", float(product), formula]
    return None
