"""The gradient's gradient equals finite differences of the gradient, in every smooth row."""

from __future__ import annotations

from typing import Any

import pytest

import tapegrad as tf
from by_row import by_row
from samples import Case, Sample
from samples.ask import check_differences, smooth_cases

_CASES = smooth_cases(order=2)


@by_row(_CASES)
def test_second_order_is_finite_differences(sample: Sample, case: Case, dtype: str) -> None:
    check_differences(sample, case, dtype, order=2)


_NONLINEAR = {
    name: getattr(tf.math, name)
    for name in (
        "reduce_prod", "reduce_logsumexp", "reduce_variance", "reduce_std", "reduce_euclidean_norm",
        "cumprod", "cumulative_logsumexp", "softmax", "log_softmax", "l2_normalize",
    )
}  # fmt: skip


@pytest.mark.parametrize("name", _NONLINEAR)
@pytest.mark.parametrize("numbers", [2.0, [2.0], [], [2.0, 3.0], [[2.0]], [[]]])
@pytest.mark.parametrize("axis", [[], 0, -1])
def test_connected_where_there_is_little_to_reduce(name: str, numbers: Any, axis: Any) -> None:
    """Scalars, single elements, none, and no axes at all: the gradient still depends on the input."""
    x = tf.constant(numbers, tf.float32)
    along = isinstance(axis, int)
    if (along and not x.shape.rank) or (not along and not name.startswith("reduce")):
        return
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = _NONLINEAR[name](x, axis=axis)
        gradient = inner.gradient(y, x)
    second = outer.gradient(gradient, x)
    assert second is not None
    assert second.shape == x.shape
