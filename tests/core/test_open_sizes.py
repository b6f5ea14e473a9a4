"""Sizes that know their expression: arithmetic, what is known of it without a guard, and guards."""

from __future__ import annotations

import itertools
import math
import operator
import random
from typing import Any

import numpy as np
import pytest

from tapegrad.core.sizes import (
    OpenSizes,
    UnknownSize,
    broadcast_shape,
    equal_size,
    maximum,
    minimum,
    unknown_size,
)


@pytest.fixture
def sizes() -> Any:
    with OpenSizes() as scope:
        yield scope


def test_equal_expressions_need_no_guard(sizes: OpenSizes) -> None:
    n, m = sizes.size("n", 5), sizes.size("m", 3)
    assert 3 * n - n - n == n
    assert (n + m) * (n - m) == n * n - m * m
    assert n - n == 0
    assert type(n - n) is int
    assert (4 * n + 2) // 2 == 2 * n + 1
    assert n // 2 // 3 == n // 6
    assert -(-n // 2) == (n + 1) // 2
    assert (3 * n) // 2 == n + n // 2
    assert (2 * n) // 4 == n // 2
    assert n % 3 + n // 3 * 3 == n
    assert minimum(n, m) == minimum(m, n)
    assert minimum(n, n + 1) == n
    assert maximum(n, n + 1) == n + 1
    assert n + 1 > 0
    assert n >= 0
    assert not n < 0
    assert n != -1
    assert n + m + 2 >= 2
    assert maximum(n, 1) > 0
    assert minimum(n, m) >= 0
    assert n // 2 >= 0
    assert sizes.guards == []


def test_decisions_leave_guards(sizes: OpenSizes) -> None:
    n, m = sizes.size("n", 5), sizes.size("m", 3)
    assert n > 3
    assert not n < m
    assert 2 * n + 1 == 11
    assert list(range(m)) == [0, 1, 2]
    assert n > 3  # asked before
    assert bool(m)
    assert n - 4 < 3
    assert [repr(guard) for guard in sizes.guards] == [
        "n > 3", "m - n <= 0", "2*n == 10", "m == 3", "m != 0", "n < 7",
    ]  # fmt: skip
    assert all(guard.holds(sizes.hints) for guard in sizes.guards)
    assert not all(guard.holds({"n": 3, "m": 3}) for guard in sizes.guards)


@pytest.mark.parametrize(
    "use",
    [int, float, hash, operator.index, lambda n: [0] * n, lambda n: n / 2, lambda n: 0.5 * n,
     lambda n: np.zeros(n), np.asarray, lambda n: np.ones(2) * n, lambda n: 2**n, lambda n: n == 5.0],
)  # fmt: skip
def test_using_the_number_decides_it(sizes: OpenSizes, use: Any) -> None:
    n = sizes.size("n", 5)
    result, expected = use(n), use(5)
    assert np.array_equal(result, expected)
    assert type(result) is type(expected)
    assert [repr(guard) for guard in sizes.guards] == ["n == 5"]


def test_sizes_are_represented_by_their_expression(sizes: OpenSizes) -> None:
    n, m = sizes.size("n", 5), sizes.size("m", 3)
    assert repr(n) == "n"
    assert repr(1 - m * n * 3) == "-3*m*n + 1"
    assert repr((n + 1) // 2 * m) == "((n + 1)//2)*m"
    assert repr(maximum(n, 2 * m)) == "max(2*m, n)"
    assert sizes.guards == []


def test_the_text_of_a_size_is_that_of_its_number(sizes: OpenSizes) -> None:
    n = sizes.size("n", 5)
    assert f"{n * 2 + 1}" == str(n * 2 + 1) == "11"
    assert f"{n:03d}" == "005"
    assert [repr(guard) for guard in sizes.guards] == ["2*n == 10", "n == 5"]
    assert str(unknown_size()).startswith("?")


def test_products_and_sums_over_shapes(sizes: OpenSizes) -> None:
    n = sizes.size("n", 5)
    assert repr(math.prod((2, n, 3, n))) == "6*n*n"
    assert repr(sum((n, 3, n))) == "2*n + 3"
    assert math.prod((2, n, 3)) // 6 == n
    assert math.prod((n, 0)) == 0
    assert divmod(n * 4 + 2, 4) == (n, 2)
    assert n**2 == n * n
    assert abs(n) == n
    assert +n == n
    assert sizes.guards == []


def test_quotient_by_a_size_asks_whether_it_is_zero(sizes: OpenSizes) -> None:
    n, m, zero = sizes.size("n", 5), sizes.size("m", 3), sizes.size("z", 0)
    assert n * m // m == n
    assert (2 * n + 2) // (n + 1) == 2
    assert [repr(guard) for guard in sizes.guards] == ["m != 0"]
    with pytest.raises(ZeroDivisionError):
        n // zero
    assert sizes.guards[1].holds({"z": 0})
    assert not sizes.guards[1].holds({"z": 1})


def test_any_expression_equals_its_formula_everywhere() -> None:
    draws = random.Random(0)
    steps = [operator.add, operator.sub, operator.mul, operator.floordiv, operator.mod]
    with OpenSizes() as scope:
        names = {"n": 5, "m": 3, "k": 1}
        opened = [scope.size(name, hint) for name, hint in names.items()]
        for _ in range(300):
            pairs: list[tuple[Any, Any]] = [
                (size, lambda values, name=name: values[name])
                for name, size in zip(names, opened, strict=True)
            ]
            for _ in range(5):
                step = draws.choice([*steps, minimum, maximum])
                (first, f), (second, g) = draws.choice(pairs), draws.choice(pairs)
                if step in (operator.floordiv, operator.mod) or draws.random() < 0.3:
                    number = draws.choice([-4, -1, 1, 2, 3, 6])
                    second, g = number, lambda values, number=number: number
                numbers = {minimum: min, maximum: max}.get(step, step)
                pairs.append(
                    (
                        step(first, second),
                        lambda values, f=f, g=g, step=numbers: step(f(values), g(values)),
                    )
                )
            size, function = pairs[-1]
            for values in itertools.product((0, 1, 2, 7), repeat=3):
                where = dict(zip(names, values, strict=True))
                found = size if type(size) is int else size.evaluate(where)
                assert found == function(where), (size, where)
            assert (size if type(size) is int else size.hint) == function(names)


def test_bounds_decide_only_what_is_so_everywhere() -> None:
    draws = random.Random(1)
    relations = [operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge]
    for _ in range(400):
        with OpenSizes() as scope:
            n, m = scope.size("n", draws.randrange(4)), scope.size("m", draws.randrange(4))
            terms = [n, m, n // 2, minimum(n, m), maximum(n, 2), n * m, (m + 1) // 3]
            size = sum(draws.choice([-2, -1, 1, 2]) * draws.choice(terms) for _ in range(2))
            number, relation = draws.randrange(-3, 4), draws.choice(relations)
            answer = relation(size, number)
            for values in itertools.product(range(5), repeat=2):
                where = dict(zip("nm", values, strict=True))
                value = size if type(size) is int else size.evaluate(where)
                if all(guard.holds(where) for guard in scope.guards):
                    assert relation(value, number) == answer, (size, relation, number, where)
            assert all(guard.holds(scope.hints) for guard in scope.guards)


def test_broadcasting(sizes: OpenSizes) -> None:
    n, m, one = sizes.size("n", 5), sizes.size("m", 5), sizes.size("one", 1)
    assert broadcast_shape((n, 3), (1, 3), (n, 1), ()) == (n, 3)
    assert sizes.guards == []
    assert repr(broadcast_shape((n, 2), (one, 2))) == "(n, 2)"
    assert [repr(guard) for guard in sizes.guards] == ["one == 1"]
    assert repr(broadcast_shape((n,), (m,))) == "(n,)"
    assert broadcast_shape((m,), (5,)) == (5,)
    assert [repr(guard) for guard in sizes.guards[1:]] == ["m - n == 0", "m == 5"]
    with pytest.raises(ValueError, match="5 and 3"):
        broadcast_shape((n,), (3,))


def test_unknown_sizes_decide_nothing() -> None:
    unknown, other = unknown_size(), unknown_size()
    assert unknown * 2 - unknown == unknown
    assert (unknown * 12) // 12 == unknown
    assert unknown >= 0
    for decide in (bool, int, hash, lambda size: size == 3, lambda size: size > other):
        with pytest.raises(UnknownSize):
            decide(unknown)
    assert equal_size(unknown, 3) == equal_size(3, unknown) == 3
    assert broadcast_shape((unknown, 2), (unknown, 1)) == (unknown, 2)
    assert broadcast_shape((unknown,), (7,)) == (7,)
    (size,) = broadcast_shape((unknown,), (other,))
    with pytest.raises(UnknownSize):
        assert size == unknown


def test_a_scope_that_was_left_takes_no_guards() -> None:
    with OpenSizes() as scope:
        n = scope.size("n", 5)
        with pytest.raises(ValueError, match="already"):
            scope.size("n", 2)
    assert n + 1 > 0
    assert repr(n + 1) == "n + 1"
    with pytest.raises(RuntimeError, match="after its scope was left: n == 5"):
        int(n)


def test_sizes_of_two_scopes_do_not_mix() -> None:
    with OpenSizes() as one, OpenSizes() as other:
        n, m = one.size("n", 5), other.size("m", 5)
        with pytest.raises(ValueError, match="two recordings"):
            n + m
