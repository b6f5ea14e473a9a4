"""Converters of attributes keep open sizes as they are, and leave no guard."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from tapegrad import errors
from tapegrad.core.sizes import OpenSizes, unknown_size
from tapegrad.framework.shape import TensorShape
from tapegrad.ops.args import (
    static_array,
    static_axis,
    static_int,
    static_ints,
    static_shape,
    static_vector,
)
from tapegrad.ops.shape.creation import constant
from tapegrad.ops.shape.padding import static_paddings


@pytest.fixture
def sizes() -> Iterator[OpenSizes]:
    with OpenSizes() as scope:
        yield scope


def test_sizes_are_kept(sizes: OpenSizes) -> None:
    n, m = sizes.size("n", 5), sizes.size("m", 3)
    converted: list[Any] = [
        static_int(n),
        static_int([n]),
        static_ints(n),
        static_ints([n, 2, np.int64(3), constant(4)]),
        static_ints(TensorShape([n, m])),
        static_vector([n, -1]),
        static_axis(n),
        static_axis([n, 0]),
        static_shape([n * m, 2]),
        static_shape(TensorShape([n, 7])),
        static_array([[n, 1], [0, m]]).tolist(),
        static_paddings([[n, 0], [1, 1]]),
    ]
    assert [repr(value) for value in converted] == [
        "n", "n", "(n,)", "(n, 2, 3, 4)", "(n, m)", "(n, -1)", "n", "(n, 0)", "(m*n, 2)", "(n, 7)",
        "[[n, 1], [0, m]]", "((n, 0), (1, 1))",
    ]  # fmt: skip
    assert sizes.guards == []


def test_an_unknown_size_is_kept() -> None:
    size = unknown_size()
    assert static_shape([size, 3])[0] is size
    assert static_ints(TensorShape([size]))[0] is size


def test_ints_stay_ints() -> None:
    assert static_array([1, np.int32(2)]).dtype == np.int64
    assert [type(static_int(np.int64(3))), type(static_axis(constant(1)))] == [int, int]


def test_a_size_that_may_be_negative_is_decided(sizes: OpenSizes) -> None:
    n = sizes.size("n", 5)
    assert repr(static_shape([n - 2])) == "(n - 2,)"
    assert [repr(guard) for guard in sizes.guards] == ["n >= 2"]
    with pytest.raises(errors.InvalidArgumentError, match="must be at least 0"):
        static_shape([n - 6])
