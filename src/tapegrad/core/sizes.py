"""``Size``: an integer with an expression over named open sizes, and a guard for each decision by it.

While a function is recorded for open sizes, the sizes of its arguments are `Size` objects. Each behaves as
the int that it is in this call, its *hint*. Arithmetic keeps the expression. A decision by a size leaves a
`Guard` in the scope, `OpenSizes`: the recording holds for all sizes for which its guards are true.

A `Size` is no subclass of int: C code would take the number, and no guard would be left. An *unknown* size
has no hint. It takes part in arithmetic, and a decision by it raises `UnknownSize`.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import math
import operator
import sys
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from tapegrad.core.kinds import CachedForInts, OpenScope, register_size
from tapegrad.core.tracebacks import OURS

# The terms of a polynomial, in the order of their text. A monomial is a product of atoms, the empty one is 1.
Terms: TypeAlias = "tuple[tuple[Monomial, int], ...]"
Monomial: TypeAlias = "tuple[Atom, ...]"
Atom: TypeAlias = "str | Compound"
Formula = Any
"""A number, a list of an operator of `OPERATORS` and two formulas, or what stands for a size: a name."""

OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "*": operator.mul,
    "//": operator.floordiv,
    "/": operator.truediv,
    "min": min,
    "max": max,
}

RELATIONS: dict[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    ">=": operator.ge,
    ">": operator.gt,
    "<=": operator.le,
}
OPPOSITE = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
MIRRORED = {"==": "==", "!=": "!=", "<": ">", ">=": "<=", ">": "<", "<=": ">="}


class Compound(NamedTuple):
    """A quotient that is rounded down, a minimum or a maximum of two polynomials."""

    operator: str
    first: Terms
    second: Terms


class UnknownSize(ValueError):
    """A program decides by a size of which only the expression is known."""


class Guard(NamedTuple):
    """What was decided by a size: ``terms relation value`` is true. The terms have no constant."""

    terms: Terms
    relation: str
    value: int

    def holds(self, sizes: Mapping[str, int]) -> bool:
        """Whether the guard is true where the open sizes are ``sizes``."""
        return RELATIONS[self.relation](
            evaluate(formula_of(self.terms), sizes.__getitem__), self.value
        )

    @property
    def names(self) -> frozenset[str]:
        """The open sizes that it asks for."""
        return names_in(self.terms)

    def __repr__(self) -> str:
        return f"{text_of(self.terms)} {self.relation} {self.value}"


class OpenSizes(OpenScope):
    """The scope in which sizes are open: it names them and keeps the guards.

    >>> from tapegrad.core.sizes import OpenSizes
    >>> with OpenSizes() as sizes:
    ...     n = sizes.size("n", 5)
    ...     (3 * n - n - n) == n, n * 4 // 2, n > 3
    (True, 2*n, True)
    >>> sizes.guards
    [n > 3]
    """

    # Whether code that is not ours asked whether a size is an int, or of another class: it is a Size.
    class_was_asked = False

    def __init__(self) -> None:
        self.hints: dict[str, int] = {}
        self.is_open = True
        self._guards: dict[Guard, None] = {}

    def size(self, name: str, hint: int) -> Size:
        """A new open size, which is ``hint`` in this call."""
        if name in self.hints:
            raise ValueError(f"there is an open size {name!r} already")
        self.hints[name] = hint
        return Size((((name,), 1),), hint, self)

    @property
    def guards(self) -> list[Guard]:
        """What was decided by sizes so far, each decision once."""
        return list(self._guards)

    def array_with(self, array: Any) -> Any:
        """The array of the scope for an abstract one whose value holds sizes of the scope."""
        return array

    def leave_guard(self, guard: Guard) -> None:
        """Keep ``guard``, unless the scope is left: nobody reads guards then."""
        if not self.is_open:
            raise RuntimeError(
                f"A program decides by an open size after its scope was left: {guard!r}. Use int sizes there."
            )
        self._guards[guard] = None

    def choosing(self) -> contextlib.AbstractContextManager[Any]:
        """The scope of a decision that says how to compute, and not what: see `chosen_less`."""
        return contextlib.nullcontext()

    def __enter__(self) -> OpenSizes:
        return self

    def __exit__(self, *error: object) -> None:
        self.is_open = False


@register_size
class Size:
    """An integer that knows its expression: see the module."""

    __slots__ = ("hint", "scope", "terms")
    __array_ufunc__ = None  # NumPy leaves an operator with a Size to the Size

    def __init__(self, terms: Terms, hint: int | None, scope: OpenSizes | None) -> None:
        self.terms = terms
        self.hint = hint  # what the size is in this call; None if unknown
        self.scope = scope  # where decisions leave guards; None for an unknown size

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        """`Size`. That `isinstance` has found a size to be no int is noted in the scope."""
        if self.scope is not None and not sys._getframe(1).f_code.co_filename.startswith(OURS):
            self.scope.class_was_asked = True
        return Size

    def formula(self) -> Formula:
        """The expression as nested lists of operators, names and ints."""
        return formula_of(self.terms)

    def evaluate(self, sizes: Mapping[str, int]) -> int:
        """The int that the size is where the open sizes are ``sizes``."""
        return int(evaluate(self.formula(), sizes.__getitem__))

    def __repr__(self) -> str:
        return text_of(self.terms)

    def __str__(self) -> str:
        # A program may decide by a text as by the number: it may be a key.
        return repr(self) if self.hint is None else str(self.__index__())

    def __format__(self, format_spec: str) -> str:
        return str(self) if self.hint is None else format(self.__index__(), format_spec)

    # Arithmetic

    def __add__(self, other: Any) -> Any:
        return arithmetic(operator.add, sum_of, self, other)

    def __radd__(self, other: Any) -> Any:
        return arithmetic(operator.add, sum_of, other, self)

    def __sub__(self, other: Any) -> Any:
        return arithmetic(operator.sub, difference_of, self, other)

    def __rsub__(self, other: Any) -> Any:
        return arithmetic(operator.sub, difference_of, other, self)

    def __mul__(self, other: Any) -> Any:
        return arithmetic(operator.mul, product_of, self, other)

    def __rmul__(self, other: Any) -> Any:
        return arithmetic(operator.mul, product_of, other, self)

    def __floordiv__(self, other: Any) -> Any:
        require_divisor(other)
        return arithmetic(operator.floordiv, quotient_of, self, other)

    def __rfloordiv__(self, other: Any) -> Any:
        require_divisor(self)
        return arithmetic(operator.floordiv, quotient_of, other, self)

    def __mod__(self, other: Any) -> Any:
        if not is_whole(other):
            return as_ints(operator.mod, self, other)
        return self - self // other * other

    def __rmod__(self, other: Any) -> Any:
        if not is_whole(other):
            return as_ints(operator.mod, other, self)
        return other - other // self * self

    def __divmod__(self, other: Any) -> tuple[Any, Any]:
        return self // other, self % other

    def __rdivmod__(self, other: Any) -> tuple[Any, Any]:
        return other // self, other % self

    def __neg__(self) -> Any:
        return 0 - self

    def __pos__(self) -> Size:
        return self

    def __abs__(self) -> Any:
        return self if self >= 0 else -self

    def __pow__(self, exponent: Any) -> Any:
        if type(exponent) is int and 0 <= exponent < 8:
            return math.prod([self] * exponent)
        return as_ints(operator.pow, self, exponent)

    def __rpow__(self, base: Any) -> Any:
        return as_ints(operator.pow, base, self)

    def __truediv__(self, other: Any) -> Any:
        return as_ints(operator.truediv, self, other)

    def __rtruediv__(self, other: Any) -> Any:
        return as_ints(operator.truediv, other, self)

    # Decisions

    def __eq__(self, other: object) -> bool:
        return decide(self, "==", other)

    def __ne__(self, other: object) -> bool:
        return decide(self, "!=", other)

    def __lt__(self, other: Any) -> bool:
        return decide(self, "<", other)

    def __le__(self, other: Any) -> bool:
        return decide(self, "<=", other)

    def __gt__(self, other: Any) -> bool:
        return decide(self, ">", other)

    def __ge__(self, other: Any) -> bool:
        return decide(self, ">=", other)

    def __bool__(self) -> bool:
        return decide(self, "!=", 0)

    def __index__(self) -> int:
        if self.hint is None or self.scope is None:
            raise UnknownSize(f"A size is not known: {self!r}. Nothing can be decided by it.")
        constant, terms = apart(self.terms)
        self.scope.leave_guard(Guard(terms, "==", self.hint - constant))
        return self.hint

    def __int__(self) -> int:
        return self.__index__()

    def __float__(self) -> float:
        return float(self.__index__())

    def __hash__(self) -> int:
        return hash(self.__index__())  # equal to that of the int, so the int is decided

    def __reduce__(self) -> tuple[Any, ...]:
        return int, (self.__index__(),)  # nobody who reads a pickle has the scope

    def __copy__(self) -> Size:
        return self

    def __deepcopy__(self, memo: Any) -> Size:
        return self

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray[Any, Any]:
        return np.array(self.__index__(), np.int64 if dtype is None else dtype)


_numbers = itertools.count(1)


def unknown_size() -> Size:
    """A size of which nothing is known but that it equals itself."""
    return Size((((f"?{next(_numbers)}",), 1),), None, None)


def is_unknown(size: Any) -> bool:
    """Whether nothing can be decided by a size."""
    return type(size) is Size and size.hint is None


def no_hint(name: str) -> int:
    """The hint of an unknown size, which has none."""
    raise KeyError(name)


def hint_of(size: Any) -> int | None:
    """What a size is in this call, without a guard: only for choosing what to ask. None if unknown."""
    if type(size) is Size:
        return size.hint
    return None if size is None else int(size)


def chosen_less(first: Any, second: Any) -> bool:
    """Whether ``first < second``, where the answer says how to compute, and not what.

    A function that is saved keeps the answer that it got when it was traced.
    """
    scope = common_scope(first, second)
    with contextlib.nullcontext() if scope is None else scope.choosing():
        return bool(first < second)


def plain_sizes(shape: Iterable[Any]) -> tuple[int, ...]:
    """A shape in ints, for what treats all sizes from 2 on alike, and 1 as a case of these.

    An open size counts as 2, with the guard that it is not 0.
    """
    return tuple([(2 if size > 0 else 0) if type(size) is Size else int(size) for size in shape])


def cached_for_ints(maxsize: int) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """`functools.lru_cache`, but that no call with a `Size` is kept: it belongs to one scope."""

    return lambda function: CachedForInts(function, functools.lru_cache(maxsize)(function))


def minimum(first: Any, second: Any) -> Any:
    """The smaller one of two sizes, as an expression where that is open."""
    return extreme("min", first, second)


def maximum(first: Any, second: Any) -> Any:
    """The larger one of two sizes, as an expression where that is open."""
    return extreme("max", first, second)


def same(first: Any, second: Any) -> bool:
    """Whether two sizes are equal by their expressions alone, for all values of the open sizes."""
    return terms_of(first) == terms_of(second)


def differ(first: Any, second: Any) -> bool:
    """Whether two sizes differ, as far as they are known: None and unknown sizes differ from nothing."""
    if first is None or second is None or is_unknown(first) or is_unknown(second):
        return False
    return bool(first != second)


def exact_quotient(first: Any, second: Any) -> Any:
    """``first / second``, where the expressions show that it is a whole number; None where they do not.

    The quotient by 0 is 0. A size is taken not to be 0, without a guard.
    """
    if type(second) is int and second == 0:
        return 0
    terms = quotient_of(terms_of(first), terms_of(second))
    if product_of(terms, terms_of(second)) != terms_of(first):
        return None
    scope = common_scope(first, second)
    try:
        hint = evaluate(formula_of(terms), scope.hints.__getitem__ if scope else no_hint)
    except KeyError:
        hint = None
    return size_of(terms, hint, scope)


def equal_size(first: Any, second: Any) -> Any:
    """The size of two axes that have to be equally long. An unknown size is taken to be the other one.

    Raises:
        ValueError: they are not.
    """
    if same(first, second):
        return first
    if is_unknown(first) or is_unknown(second):
        return second if is_unknown(first) else first
    if first != second:
        raise ValueError(f"{hint_of(first)} and {hint_of(second)} are different sizes")
    return second if type(second) is int else first


def broadcast_size(first: Any, second: Any) -> Any:
    """The size of an axis of what two operands are broadcast to.

    Raises:
        ValueError: the operands cannot be broadcast.
    """
    if same(first, second) or (type(second) is int and second == 1):
        return first
    if type(first) is int and first == 1:
        return second
    if is_unknown(first) or is_unknown(second):
        # As TensorFlow infers: an unknown size beside a known one is that, or 1.
        for size in (first, second):
            if type(size) is int:
                return size
        return unknown_size()
    if hint_of(first) == hint_of(second):
        return equal_size(first, second)
    for size, other in ((first, second), (second, first)):
        if hint_of(size) == 1 and size == 1:
            return other
    return equal_size(first, second)


def are_same(first: tuple[Any, ...], second: tuple[Any, ...]) -> bool:
    """Whether two shapes are the same by their very sizes. False where that takes more than a look."""
    return len(first) == len(second) and all(map(operator.is_, first, second))


def broadcast_shape(*shapes: Iterable[Any]) -> tuple[Any, ...]:
    """The shape that operands of these shapes are broadcast to.

    Raises:
        ValueError: the operands cannot be broadcast.
    """
    listed = [tuple(shape) for shape in shapes]
    longest = max(listed, key=len, default=())
    if all(not shape or are_same(shape, longest) for shape in listed):
        return longest
    reversed_shapes = [shape[::-1] for shape in listed]
    sizes = [
        functools.reduce(broadcast_size, [size for size in axis if size is not None])
        for axis in itertools.zip_longest(*reversed_shapes)
    ]
    return tuple(sizes[::-1])


# --- Arithmetic of terms ----------------------------------------------------------------------------------

# A program asks for the same sums and products of sizes at every op, turn and layer.
_kept = functools.lru_cache(4096)


def is_whole(value: Any) -> bool:
    return type(value) in (int, Size) or isinstance(value, int | Size | np.integer)


def as_ints(function: Callable[[Any, Any], Any], first: Any, second: Any) -> Any:
    """``function`` of two operands, of which a size counts as an int. A tensor has an operator of its own."""
    for value in (first, second):
        if not isinstance(value, Size | int | float | complex | np.generic | np.ndarray):
            return NotImplemented
    return function(*[int(value) if type(value) is Size else value for value in (first, second)])


def arithmetic(
    function: Callable[[Any, Any], Any],
    combine: Callable[[Terms, Terms], Terms],
    first: Any,
    second: Any,
) -> Any:
    """``function(first, second)`` as a size. Beside anything but an integer a size counts as an int."""
    if not (is_whole(first) and is_whole(second)):
        return as_ints(function, first, second)
    hints = hint_of(first), hint_of(second)
    hint = None if None in hints else function(*hints)
    return size_of(combine(terms_of(first), terms_of(second)), hint, common_scope(first, second))


def size_of(terms: Terms, hint: int | None, scope: OpenSizes | None) -> Any:
    """A size with these terms: an int if they are a constant."""
    constant, rest = apart(terms)
    return Size(terms, hint, scope) if rest else constant


def common_scope(first: Any, second: Any) -> OpenSizes | None:
    scopes = [size.scope for size in (first, second) if type(size) is Size and size.scope]
    if len(scopes) == 2 and scopes[0] is not scopes[1]:
        raise ValueError(f"{first!r} and {second!r} are sizes of two recordings")
    return scopes[0] if scopes else None


def terms_of(size: Any) -> Terms:
    if type(size) is Size:
        return size.terms
    return (((), int(size)),) if size else ()


def ordered(terms: dict[Monomial, int]) -> Terms:
    """Terms in their one order: of falling degree, then by their text. The constant is the last one."""
    kept = [(monomial, factor) for monomial, factor in terms.items() if factor]
    return tuple(sorted(kept, key=lambda term: (-len(term[0]), text_of_monomial(term[0]))))


def apart(terms: Terms) -> tuple[int, Terms]:
    """The constant, and the other terms."""
    if terms and terms[-1][0] == ():
        return terms[-1][1], terms[:-1]
    return 0, terms


def scaled(terms: Terms, factor: int) -> Terms:
    return tuple([(monomial, number * factor) for monomial, number in terms]) if factor else ()


@_kept
def sum_of(first: Terms, second: Terms) -> Terms:
    terms = dict(first)
    for monomial, factor in second:
        terms[monomial] = terms.get(monomial, 0) + factor
    return ordered(terms)


@_kept
def difference_of(first: Terms, second: Terms) -> Terms:
    return sum_of(first, scaled(second, -1))


@_kept
def product_of(first: Terms, second: Terms) -> Terms:
    terms: dict[Monomial, int] = {}
    for (one, factor), (other, second_factor) in itertools.product(first, second):
        monomial = tuple(sorted((*one, *other), key=text_of_atom))
        terms[monomial] = terms.get(monomial, 0) + factor * second_factor
    return ordered(terms)


def require_divisor(divisor: Any) -> None:
    if is_whole(divisor) and divisor == 0:
        raise ZeroDivisionError("integer division by a size that is 0")


@_kept
def quotient_of(first: Terms, second: Terms) -> Terms:
    """``first // second``, where the second is not 0."""
    number, rest = apart(second)
    if not rest:
        return quotient_by_number(first, number)
    if len(second) == 1:
        ((monomial, factor),) = second
        exact = [(without(atoms, monomial), number) for atoms, number in first]
        if all(atoms is not None and number % factor == 0 for atoms, number in exact):
            return ordered({atoms: n // factor for atoms, n in exact if atoms is not None})
    ratio = first[0][1] // second[0][1] if first else 0
    if first == scaled(second, ratio):
        return terms_of(ratio)
    return (((Compound("//", first, second),), 1),)


def without(atoms: Monomial, divisor: Monomial) -> Monomial | None:
    """The product ``atoms`` divided by ``divisor``; None if it does not divide it."""
    rest = list(atoms)
    for atom in divisor:
        if atom not in rest:
            return None
        rest.remove(atom)
    return tuple(rest)


def quotient_by_number(terms: Terms, divisor: int) -> Terms:
    """``terms // divisor``: what the divisor divides comes out of the quotient, so equal ones look equal."""
    if divisor < 0:
        return quotient_by_number(scaled(terms, -1), -divisor)
    constant, rest = apart(terms)
    outside: dict[Monomial, int] = {}
    inside: dict[Monomial, int] = {}
    for monomial, factor in rest:
        whole = abs(factor) // divisor * (1 if factor > 0 else -1)
        outside[monomial], inside[monomial] = whole, factor - whole * divisor
    rest = ordered(inside)
    if rest and rest[0][1] < 0:
        # floor(-x / d) is -floor((x + d - 1) / d)
        rounded_up = sum_of(scaled(rest, -1), terms_of(divisor - 1 - constant))
        return sum_of(ordered(outside), scaled(quotient_by_number(rounded_up, divisor), -1))
    outside[()], constant = divmod(constant, divisor)
    if rest:
        common = math.gcd(divisor, *[factor for _, factor in rest])
        rest = tuple([(monomial, factor // common) for monomial, factor in rest])
        constant, divisor = constant // common, divisor // common
        # (a // b + c) // d is (a + b c) // (b d)
        atom = rest[0][0][0]
        if len(rest) == 1 and rest[0] == ((atom,), 1) and isinstance(atom, Compound):
            inner, not_constant = apart(atom.second)
            if atom.operator == "//" and not not_constant:
                nested = sum_of(atom.first, terms_of(inner * constant))
                return sum_of(ordered(outside), quotient_by_number(nested, inner * divisor))
        numerator = sum_of(rest, terms_of(constant))
        quotient = (((Compound("//", numerator, terms_of(divisor)),), 1),)
        return sum_of(ordered(outside), numerator if divisor == 1 else quotient)
    return ordered(outside)


def extreme(word: str, first: Any, second: Any) -> Any:
    low, high = bounds(difference_of(terms_of(first), terms_of(second)))
    if low is not None and low >= 0:
        return second if word == "min" else first
    if high is not None and high <= 0:
        return first if word == "min" else second
    hints = hint_of(first), hint_of(second)
    one, other = sorted([terms_of(first), terms_of(second)], key=text_of)
    hint = None if None in hints else OPERATORS[word](*hints)
    return Size((((Compound(word, one, other),), 1),), hint, common_scope(first, second))


# --- Decisions --------------------------------------------------------------------------------------------


def decide(size: Size, relation: str, other: Any) -> bool:
    """Whether ``size relation other``. Where the open sizes decide it, the answer leaves a guard."""
    if not is_whole(other):
        if isinstance(other, float | np.floating):
            return bool(RELATIONS[relation](int(size), other))
        return NotImplemented  # type: ignore[no-any-return]
    terms = terms_of(other)
    always = answer_for_all(size.terms, relation, terms)
    if always is not None:
        return always
    scope = common_scope(size, other)
    hints = size.hint, hint_of(other)
    if scope is None or hints[0] is None or hints[1] is None:
        raise UnknownSize(
            f"A size is not known: whether {size!r} {relation} {other!r} cannot be decided."
        )
    holds = RELATIONS[relation](hints[0], hints[1])
    scope.leave_guard(guard_for(size.terms, relation if holds else OPPOSITE[relation], terms))
    return holds


@_kept
def answer_for_all(first: Terms, relation: str, second: Terms) -> bool | None:
    """Whether ``first relation second`` where all open sizes are 0 or more; None where they decide."""
    low, high = bounds(difference_of(first, second))
    answer = RELATIONS[relation]
    if low is not None and low == high:
        return answer(low, 0)
    for bound, beyond in ((low, 1), (high, -1)):
        # All that the difference can be lies on one side of 0, so its bound answers for all.
        if bound is not None and bound * beyond > 0:
            return answer(bound, 0)
        if bound == 0 and answer(0, 0) == answer(beyond, 0):
            return answer(0, 0)
    return None


@_kept
def guard_for(first: Terms, relation: str, second: Terms) -> Guard:
    """The guard that ``first relation second`` is true."""
    constant, terms = apart(difference_of(first, second))
    if terms[0][1] < 0:
        terms, constant, relation = scaled(terms, -1), -constant, MIRRORED[relation]
    return Guard(terms, relation, -constant)


Bounds = tuple[int | None, int | None]


@_kept
def bounds(terms: Terms) -> Bounds:
    """What a polynomial is at least and at most where all open sizes are 0 or more; None for no bound."""
    low: int | None = 0
    high: int | None = 0
    for monomial, factor in terms:
        one, other = bounds_of_product([bounds_of_atom(atom) for atom in monomial])
        if factor < 0:
            one, other = other, one
        low = None if low is None or one is None else low + factor * one
        high = None if high is None or other is None else high + factor * other
    return low, high


def bounds_of_product(factors: list[Bounds]) -> Bounds:
    lows = [low for low, _ in factors if low is not None and low >= 0]
    highs = [high for _, high in factors if high is not None]
    if len(lows) < len(factors):
        return factors[0] if len(factors) == 1 else (None, None)
    return math.prod(lows), math.prod(highs) if len(highs) == len(factors) else None


def bounds_of_atom(atom: Atom) -> Bounds:
    if isinstance(atom, str):
        return 0, None
    (low, high), (second_low, second_high) = bounds(atom.first), bounds(atom.second)
    if atom.operator == "//":
        number, rest = apart(atom.second)
        if not rest:
            return None if low is None else low // number, None if high is None else high // number
        positive = low is not None and low >= 0 and second_low is not None and second_low >= 0
        return 0 if positive else None, None
    lows = [bound for bound in (low, second_low) if bound is not None]
    highs = [bound for bound in (high, second_high) if bound is not None]
    if atom.operator == "min":
        return min(lows) if len(lows) == 2 else None, min(highs, default=None)
    return max(lows, default=None), max(highs) if len(highs) == 2 else None


# --- Formulas and text ------------------------------------------------------------------------------------


def evaluate(formula: Formula, read: Callable[[Any], Any]) -> Any:
    """The number that a formula gives, where ``read`` gives numbers for what is no number or operator."""
    if isinstance(formula, int | float):
        return formula
    if isinstance(formula, list) and formula[0] in OPERATORS:
        _, first, second = formula
        return OPERATORS[formula[0]](evaluate(first, read), evaluate(second, read))
    return read(formula)


@_kept
def names_in(terms: Terms) -> frozenset[str]:
    """The open sizes that a polynomial names."""
    names: set[str] = set()
    for atom in itertools.chain.from_iterable([monomial for monomial, _ in terms]):
        names |= {atom} if isinstance(atom, str) else names_in(atom.first) | names_in(atom.second)
    return frozenset(names)


@_kept
def formula_of(terms: Terms) -> Formula:
    """A polynomial as nested lists of operators, names and ints. Nobody may change them."""
    summands = []
    for monomial, factor in terms:
        factors = [formula_of_atom(atom) for atom in monomial]
        if factor != 1 or not factors:
            factors.append(factor)
        summands.append(functools.reduce(lambda one, other: ["*", one, other], factors))
    return functools.reduce(lambda one, other: ["+", one, other], summands) if summands else 0


def formula_of_atom(atom: Atom) -> Formula:
    if isinstance(atom, str):
        return atom
    return [atom.operator, formula_of(atom.first), formula_of(atom.second)]


def text_of(terms: Terms) -> str:
    """A polynomial as Python would write it: ``3*n - m + 1``."""
    text = ""
    for monomial, factor in terms:
        size = text_of_monomial(monomial)
        number = abs(factor)
        part = str(number) if not size else size if number == 1 else f"{number}*{size}"
        sign = ("-" if factor < 0 else "") if not text else (" - " if factor < 0 else " + ")
        text += sign + part
    return text or "0"


def text_of_monomial(monomial: Monomial) -> str:
    return "*".join([text_of_atom(atom) for atom in monomial])


@_kept
def text_of_atom(atom: Atom) -> str:
    if isinstance(atom, str):
        return atom
    first, second = text_of(atom.first), text_of(atom.second)
    if atom.operator == "//":
        return f"({enclosed(first)}//{enclosed(second)})"
    return f"{atom.operator}({first}, {second})"


def enclosed(text: str) -> str:
    return f"({text})" if " " in text or "*" in text else text
