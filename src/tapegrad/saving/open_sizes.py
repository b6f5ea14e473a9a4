"""The sizes of a function that is saved: formulas of sizes and numbers that a loaded function has.

While a function is traced, its arguments are arrays with open sizes, see `tapegrad.core.opening`. The
attributes of ops then hold sizes, and `SavedSizes.expressed` writes each as an `Expression` such as
``["*", ["size", 0, 0], 4]``, a formula of `tapegrad.core.sizes`: four times the length of axis 0 of slot 0.

A loaded function calls the same ops again, and these check their operands. So a decision by sizes is kept
only where it is made between ops. Where the shape rule of an op decides, or no rule says what a size follows
from, the size of the result is named anew: it is what the result will have.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from tapegrad import dtypes
from tapegrad.core import EagerTensor, apart, static_value
from tapegrad.core.abstract import (
    CHECK,
    KEEPS_SIZES,
    MOST_VALUES,
    Abstract,
    AnyRank,
    abstract,
    infer,
)
from tapegrad.core.dispatch import Op
from tapegrad.core.kinds import holds_size
from tapegrad.core.opening import OpenArray, Opening, common_shape, for_rule
from tapegrad.core.sizes import Guard, Size, evaluate, formula_of, hint_of
from tapegrad.errors import OpError
from tapegrad.framework.shape import TensorShape
from tapegrad.symbolic.nests import ARGUMENTS

Array = np.ndarray[Any, Any]


class Differs(Exception):
    """Something differs between two runs of a function, and does not follow from sizes."""


class Expression(NamedTuple):
    """A number computed from sizes, as a list that JSON can hold."""

    formula: list[Any]


class BuiltTensor(NamedTuple):
    """A constant whose elements or shape are computed from sizes."""

    how: str  # "numbers" in a shape, "filled" with one, "values" of a slot
    value: Any
    shape: Any
    dtype: Any


class SavedSizes(Opening):
    """The scope in which a function is traced.

    ``decide(guard)`` is called for each decision by sizes between ops. ``dependent(tensor)`` gives the slot
    of a tensor that depends on the arguments, or None. ``read`` has the numbers that Python has read so far.
    """

    reruns = False

    def __init__(
        self,
        refuse: Callable[[str], None],
        decide: Callable[[Guard], None],
        dependent: Callable[[EagerTensor], int | None],
        read: dict[int, Array],
    ) -> None:
        super().__init__(refuse, lambda tensor: dependent(tensor) is not None)
        self.saves = True
        self._decide = decide
        self._dependent = dependent
        self._numbers = read
        self._places: dict[str, list[Any]] = {}  # where a loaded function finds the size of a name
        self._of_rule: list[Guard] | None = None  # what the rule that runs now decided
        self._unsure: dict[int, OpenArray] = {}  # results whose shapes are known of this run alone
        self._read: dict[int, tuple[OpenArray, Array]] = {}  # numbers that ops took as sizes

    # What the shapes of results follow from

    def leave_guard(self, guard: Guard) -> None:
        """Keep a decision between ops. An op decides anew whenever it runs."""
        if self._of_rule is not None:
            self._of_rule.append(guard)
        elif self.works:
            self._decide(guard)

    @contextlib.contextmanager
    def choosing(self) -> Iterator[list[Guard]]:
        """The scope of decisions that a loaded function does not check; gives a list that gets them."""
        before, self._of_rule = self._of_rule, []
        try:
            yield self._of_rule
        finally:
            self._of_rule = before

    def opened(self, op: Op, arrays: list[Any], attributes: tuple[Any, ...], results: Any) -> Any:
        """The results of an op with sizes that hold whenever a loaded function calls it."""
        several = op.outputs is not None or op.list_output
        listed = results if several else [results]
        shape = common_shape(arrays) if op.elementwise else None
        likes: list[Any] = [None] * len(listed)
        # Where an error arises, the op has run: it is the rule that cannot say it.
        with self.choosing() as decided, contextlib.suppress(Exception):
            if shape is not None:
                likes = [Abstract(shape, listed[0].dtype)]
            elif not any(map(self._is_read, attributes)):
                likes = infer(op, [for_rule(array) for array in arrays], attributes)
        if op.list_output:  # how many results there are
            for guard in decided:
                self._decide(guard)
        opened = [
            self._result(op, np.asarray(result), like, bool(decided))
            for result, like in zip(listed, likes, strict=True)
        ]
        return opened if several else opened[0]

    def run(
        self, op: Op, arrays: list[Any], elements: list[Any], attributes: tuple[Any, ...]
    ) -> Any:
        """The results of an op on stand-ins; zeros, of the shapes that its rule says, if it refuses strings.

        What the strings are that a saved function gets, nobody knows, and those of a trace are no records.
        """
        if not any(array.dtype is dtypes.string for array in map(abstract, arrays)):
            return super().run(op, arrays, elements, attributes)
        try:
            with apart(tries=True):
                return super().run(op, arrays, elements, attributes)
        except OpError as refusal:
            try:
                with self.choosing():
                    likes = infer(op, [for_rule(array) for array in arrays], attributes)
            except AnyRank as error:
                self.fail(str(error))
                raise
            except Exception:
                raise refusal from None
        results = [_zeros(like) for like in likes]
        return results if op.outputs is not None or op.list_output else results[0]

    def _is_read(self, value: Any) -> bool:
        """Whether an attribute is numbers that Python has read from a tensor: others in the next call."""
        if isinstance(value, np.ndarray):
            return any(np.array_equal(value, numbers) for numbers in self._numbers.values())
        return isinstance(value, tuple | list) and any(map(self._is_read, value))

    def _result(self, op: Op, result: Array, like: Abstract | None, decided: bool) -> Any:
        if like is not None and (
            like.ndim != result.ndim
            or any(
                hint_of(s) not in (None, n) for s, n in zip(like.shape, result.shape, strict=True)
            )
        ):
            like = None
        sizes: list[Any] = [None] * result.ndim if like is None else list(like.shape)
        for axis, size in enumerate(sizes):
            if hint_of(size) is None or (decided and type(size) is Size):
                sizes[axis] = self.new_size(result.shape[axis])
        value = None if like is None or decided else like.value
        is_known = value is not None and value.dtype.kind != "O"
        if is_known or (value is not None and None in map(hint_of, value.ravel().tolist())):
            value = None
        is_open = value is not None or any(type(size) is Size for size in sizes)
        if not is_open and (is_known or op.values == "nothing"):
            return result  # the same in each call
        array = OpenArray(result, tuple(sizes), self, value)
        if decided or like is None:
            self._unsure[id(array)] = array
        return array

    def unsure_shape(self, array: Any) -> list[int | None] | None:
        """What the shape of a result has to be, None for any size, if only this run tells."""
        if id(array) not in self._unsure:
            return None
        return [None if type(size) is Size else size for size in array.shape]

    # Where a loaded function finds sizes

    def find(self, slot: int, array: Any) -> None:
        """Take note of the sizes that the array of a slot is the first to have."""
        for axis, size in enumerate(array.shape):
            name = name_of_size(size)
            if name is not None:
                self._places.setdefault(name, ["size", slot, axis])

    def read(self, tensor: EagerTensor, array: OpenArray, how: str) -> Array | None:
        """The numbers of a tensor that Python code asks for, as sizes where it can work with these."""
        if array.is_constant:
            is_check = how.startswith(CHECK)
            return array.elements if is_check else super().read(tensor, array, how)
        if how not in KEEPS_SIZES:
            return None
        is_shape = how == "sizes" and array.elements.size <= MOST_VALUES
        if is_shape:
            for size in array.shape:
                int(size)  # a shape of another rank is another case
        known = self._read.get(id(array))
        if known is not None:
            return known[1]
        elements, slot = array.elements, self._dependent(tensor)
        if (
            slot is None
            or elements.dtype.kind not in "iu"
            or elements.ndim > 1
            or not 0 < elements.size <= MOST_VALUES
            or (not is_shape and any(type(size) is Size for size in array.shape))
            or elements.min() < 0
        ):
            return None
        numbers = []
        for place, number in enumerate(elements.ravel().tolist()):
            numbers.append(self.new_size(number))
            self._places[numbers[-1].formula()] = ["value", slot, place]
            self._decide(Guard(numbers[-1].terms, ">=", 0))  # all that follows takes it for granted
        values = np.fromiter(numbers, object).reshape(elements.shape)
        self._read[id(array)] = array, values
        return values

    # Formulas

    def formula(self, formula: Any) -> Any:
        """A formula of names as one of places."""
        if isinstance(formula, str):
            if formula not in self._places:
                self.fail("a size follows from a tensor that no op has computed")
            return self._places[formula]
        if isinstance(formula, list):
            return [formula[0], *[self.formula(part) for part in formula[1:]]]
        return formula

    def expressed(self, value: Any) -> Any:
        """An attribute of an op with an expression for each size in it."""
        return ARGUMENTS.replace(self._expressed, value)

    def _expressed(self, leaf: Any) -> Any:
        if type(leaf) is Size:
            return Expression(self.formula(leaf.formula()))
        if type(leaf) is TensorShape:
            sizes = None if leaf.rank is None else leaf.as_list()
            return self.expressed(sizes) if holds_size(sizes) else leaf
        array: Any = leaf._array if isinstance(leaf, EagerTensor) else None
        if isinstance(array, Abstract):
            self.fail("an attribute of an op is a tensor that the function computes")
        return leaf

    def constant(self, array: Any) -> Any:
        """The array of a constant, or how it is built from sizes."""
        if not isinstance(array, OpenArray):
            return array
        if not array.is_constant:
            self.fail("a tensor that follows from the arguments was not computed by ops")
        dtype = array.elements.dtype
        shape = self.expressed(list(array.shape))
        if array.value is None:
            return BuiltTensor("filled", array.fill, shape, dtype)
        return BuiltTensor("numbers", self.expressed(array.value.ravel().tolist()), shape, dtype)

    def decision(self, guard: Guard) -> tuple[Any, str, int]:
        """A guard with a formula of places."""
        return self.formula(formula_of(guard.terms)), guard.relation, guard.value


def _zeros(like: Abstract) -> Array:
    """An array of zeros; its sizes are distinct where they are unknown."""
    sizes = [
        5 - axis if hint_of(size) is None else hint_of(size) for axis, size in enumerate(like.shape)
    ]
    kind = like.dtype.numpy_dtype
    return np.full(sizes, b"0" if kind.kind == "O" else 0, kind)


def name_of_size(size: Any) -> str | None:
    """The name of a size that is open by itself; None for one computed from others, and for an int."""
    formula = size.formula() if type(size) is Size else None
    return formula if isinstance(formula, str) else None


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
