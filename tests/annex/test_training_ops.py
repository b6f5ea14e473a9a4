"""``raw_ops.ResourceApply...``: steps of optimizers. TensorFlow's are in ``golden/training_ops.npz``."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapegrad as tf
from golden.training_ops import DTYPES, RECORDED, names, results

raw: Any = tf.raw_ops

BITS = {
    "float16": 10,
    "bfloat16": 7,
    "float32": 23,
    "complex64": 23,
    "float64": 52,
    "complex128": 52,
}

# Of the last place: TensorFlow rounds in another order here and there.
UNITS = 16


def test_the_ops_are_those_of_tensorflow() -> None:
    with np.load(RECORDED) as recorded:
        assert {key.split()[0] for key in recorded} == set(names(tf))


@pytest.mark.parametrize("name", names(tf))
def test_steps_are_tensorflows(name: str) -> None:
    with np.load(RECORDED) as recorded:
        for dtype in DTYPES:
            ours = results(tf, name, dtype)
            key = f"{name} {dtype}"
            assert (ours is None) == (key not in recorded), dtype
            if ours is None:
                continue
            theirs = recorded[key]
            assert ours.dtype == theirs.dtype
            assert np.isfinite(theirs).all()
            unit = 2.0 ** -BITS[dtype]
            np.testing.assert_allclose(ours, theirs, UNITS * unit, UNITS * unit, err_msg=key)


def pair(count: int = 3) -> list[Any]:
    return [tf.Variable(tf.ones([count, 2])), tf.Variable(tf.zeros([count, 2]))]


def momentum(variables: list[Any], **arguments: Any) -> list[list[list[float]]]:
    apply_momentum(variables, **arguments)
    return [variable.numpy().tolist() for variable in variables]


def apply_momentum(variables: list[Any], **arguments: Any) -> None:
    handles = {"var": variables[0].handle, "accum": variables[1].handle}
    op = raw.ResourceSparseApplyMomentum if "indices" in arguments else raw.ResourceApplyMomentum
    op(**handles, **{"lr": 0.5, "momentum": 0.5, **arguments})


def test_rows_that_occur_again_are_changed_again_in_a_replay_too() -> None:
    eager, recorded = pair(), pair()

    @tf.function
    def step(indices: Any, gradient: Any) -> None:
        momentum(recorded, indices=indices, grad=gradient)

    for rows in ([0, 1, 2], [2, 1, 0], [0, 0, 2], [1, 2, 1], [1, 1, 1], [0, 2, 1]):
        gradient = tf.reshape(tf.range(6.0), [3, 2])
        momentum(eager, indices=rows, grad=gradient)
        step(tf.constant(rows), gradient)
        for ours, theirs in zip(recorded, eager, strict=True):
            np.testing.assert_allclose(ours, theirs, rtol=1e-6)
    # One after the other: 1 - 0.5, then 0.5 - 0.75.
    assert momentum(pair(1), indices=[0, 0], grad=tf.ones([2, 2]))[0] == [[-0.25, -0.25]]


def test_a_step_is_replayed() -> None:
    variables = pair()
    step = tf.function(lambda rate: momentum(variables, grad=tf.ones([3, 2]), lr=rate) and None)
    for _ in range(4):
        step(tf.constant(0.5))
    assert variables[0].numpy()[0, 0] == 1 - 0.5 * (1 + 1.5 + 1.75 + 1.875)


def test_no_tape_hears_of_a_step() -> None:
    variables = pair()
    with tf.GradientTape() as tape:
        apply_momentum(variables, grad=tf.ones([3, 2]))
    assert tape.watched_variables() == ()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"grad": tf.ones([3])}, "var and grad do not have the same shape: [3, 2] and [3]"),
        ({"grad": tf.ones([3, 2]), "lr": [0.5]}, "lr is not a scalar: [1]"),
        ({"grad": tf.ones([3, 2], tf.float64)}, "expects grad of float32, not of float64"),
        ({"grad": tf.ones([3, 2]), "indices": [0, 3, 1]}, "indices[1] = 3 is not in [0, 3)"),
        ({"grad": tf.ones([3, 2]), "indices": [0, -1, 1]}, "indices[1] = -1 is not in [0, 3)"),
        ({"grad": tf.ones([3, 2]), "indices": [0, 1]}, "expects grad of shape [2, 2]"),
        ({"grad": tf.ones([3, 2]), "indices": [[0, 1, 2]]}, "indices must be one-dimensional"),
        ({"grad": tf.ones([3, 2]), "indices": [0.0, 1.0, 2.0]}, "indices of int32 or int64"),
    ],
)
def test_what_does_not_fit_changes_nothing(arguments: dict[str, Any], message: str) -> None:
    variables = pair()
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        momentum(variables, **arguments)
    assert message in str(caught.value)
    assert variables[0].numpy().tolist() == [[1.0, 1.0]] * 3
    assert variables[1].numpy().tolist() == [[0.0, 0.0]] * 3


def test_slots_that_do_not_fit() -> None:
    for slot, message in (
        (tf.zeros([2, 2]), "var and accum do not have the same shape: [3, 2] and [2, 2]"),
        (tf.zeros([3, 2], tf.float64), "var is of float32, and accum of float64"),
    ):
        variables = [tf.Variable(tf.ones([3, 2])), tf.Variable(slot)]
        with pytest.raises(tf.errors.InvalidArgumentError) as caught:
            momentum(variables, grad=tf.ones([3, 2]))
        assert message in str(caught.value)


@pytest.mark.parametrize(
    ("name", "value", "limit"),
    [("lr", 0.0, "positive"), ("l1", -1.0, "non-negative"), ("lr_power", 0.5, "non-positive")],
)
def test_limits(name: str, value: float, limit: str) -> None:
    var, accum, linear = (tf.Variable([1.0]) for _ in range(3))
    numbers = {"lr": 0.1, "l1": 0.0, "l2": 0.0, "lr_power": -0.5}

    @tf.function
    def step(changed: Any) -> None:
        raw.ResourceApplyFtrl(
            var=var.handle,
            accum=accum.handle,
            linear=linear.handle,
            grad=[1.0],
            **{**numbers, name: changed},
        )

    for _ in range(3):
        step(tf.constant(numbers[name]))
    before = var.numpy()
    with pytest.raises(tf.errors.InvalidArgumentError, match=f"{name} is not a {limit} scalar"):
        step(tf.constant(value))
    assert var.numpy() == before
