"""The optimizers of TensorFlow 1.x that keep something for each variable. The numbers are TensorFlow's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapegrad as tf

_train: Any = tf.compat.v1.train

# An optimizer, what four steps make of a vector and of a matrix, of the matrix by a gradient for two of its
# rows, and what the optimizer keeps.
_STEPS: dict[str, tuple[Any, list[float], list[float], list[float], list[str]]] = {
    "Adam": (
        lambda: _train.AdamOptimizer(0.1),
        [0.61164254, -2.3883579, 3.3883579],
        [0.6000015, 1.6000014, 2.6000016, 3.6000016, 4.6000013, 5.6000013],
        [0.6000014, 1.6000013, 3.0, 4.0, 4.600002, 6.3999987],
        ["m", "v"],
    ),
    "Adagrad": (
        lambda: _train.AdagradOptimizer(0.1),
        [0.7937263, -2.2705016, 3.298617],
        [0.7490291, 1.7490292, 2.7490292, 3.7490292, 4.7490287, 5.7490287],
        [0.72815186, 1.7271373, 3.0, 4.0, 4.7809286, 6.2391896],
        ["accumulator"],
    ),
    "RMSProp": (
        lambda: _train.RMSPropOptimizer(0.1, momentum=0.5),
        [0.84088933, -2.309292, 3.4449506],
        [0.66596633, 1.6659663, 2.6659663, 3.6659663, 4.6659665, 5.6659665],
        [0.340384, 1.2960774, 3.0, 4.0, 4.7952366, 6.2704272],
        ["momentum", "rms"],
    ),
    "centered": (
        lambda: _train.RMSPropOptimizer(0.1, centered=True),
        [0.88375485, -2.2266939, 3.3273193],
        [0.77775377, 1.7777538, 2.7777538, 3.7777538, 4.777754, 5.777754],
        [0.554358, 1.5232357, 3.0, 4.0, 4.8642745, 6.1795569],
        ["mg", "momentum", "rms"],
    ),
    "Momentum": (
        lambda: _train.MomentumOptimizer(0.1, 0.9),
        [0.81441003, -2.37118, 3.5567698],
        [0.54755, 1.54755, 2.54755, 3.54755, 4.54755, 5.54755],
        [0.00461, 0.91411984, 3.0, 4.0, 4.72853, 6.36196],
        ["momentum"],
    ),
    "Nesterov": (
        lambda: _train.MomentumOptimizer(0.1, lambda: 0.9, use_nesterov=True),
        [0.732969, -2.534062, 3.801093],
        [0.392795, 1.392795, 2.3927948, 3.3927948, 4.392795, 5.392795],
        [-0.335851, 0.542708, 3.0, 4.0, 4.6356773, 6.485764],
        ["momentum"],
    ),
    "Ftrl": (
        lambda: _train.FtrlOptimizer(
            0.1, l1_regularization_strength=0.01, l2_regularization_strength=0.02
        ),
        [-0.15637825, -0.5725709, 1.1109312],
        [0.21101624, 0.67336774, 1.135719, 1.5980706, 2.0604222, 2.5227737],
        [0.4491867, 1.2125598, 3.0, 4.0, 1.140425, 2.496985],
        ["accum", "linear"],
    ),
    "Ftrl with shrinkage": (
        lambda: _train.FtrlOptimizer(
            0.1, l2_shrinkage_regularization_strength=0.1, beta=0.1, learning_rate_power=-0.6
        ),
        [-0.19593753, -0.4065095, 0.8591505],
        [0.16470684, 0.5532638, 0.94182056, 1.3303776, 1.7189345, 2.1074913],
        [0.45940474, 1.2031411, 3.0, 4.0, 0.7554826, 1.9922296],
        ["accum", "linear"],
    ),
    "Adadelta": (
        lambda: _train.AdadeltaOptimizer(1.0),
        [0.99750143, -2.0024989, 3.0024989],
        [0.9981834, 1.9981835, 2.9981833, 3.9981833, 4.9981833, 5.9981833],
        [0.9981834, 1.9981835, 3.0, 4.0, 4.9981833, 6.0018167],
        ["accum", "accum_update"],
    ),
}


@pytest.mark.parametrize("recorded", [False, True])
@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("name", _STEPS)
def test_steps(name: str, sparse: bool, recorded: bool) -> None:
    make, vector, matrix, rows, slots = _STEPS[name]
    v, w = tf.Variable([1.0, -2.0, 3.0]), tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    optimizer = make()
    by_rows = tf.IndexedSlices(
        tf.constant([[0.1, 0.2], [0.3, -0.4], [1.0, 1.0]]), tf.constant([0, 2, 0]), [3, 2]
    )

    def step(gradient: Any) -> None:
        optimizer.apply_gradients([(gradient, v), (by_rows if sparse else tf.fill([3, 2], 0.5), w)])

    run = tf.function(step) if recorded else step
    for number in range(4):
        run(tf.constant([0.1, 0.2, -0.3]) * (number + 1))
    np.testing.assert_allclose(v, vector, rtol=2e-6)
    np.testing.assert_allclose(tf.reshape(w, [-1]), rows if sparse else matrix, rtol=2e-6)
    assert optimizer.get_slot_names() == slots
    assert all(optimizer.get_slot(v, slot).shape == [3] for slot in slots)
    assert optimizer.get_slot(v, "nothing") is None
    names = [variable.name for variable in optimizer.variables()]
    kind = optimizer.get_name()
    numbers = [f"_{number}" if number else "" for number in range(2 * len(slots))]
    powers = ["beta1_power:0", "beta2_power:0"] if name == "Adam" else []
    assert names == [*(f"Variable/{kind}{number}:0" for number in numbers), *powers]


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: _train.AdagradOptimizer(0.1, 0.0), "must be positive"),
        (lambda: _train.FtrlOptimizer(0.1, 0.5), "less than or equal to zero"),
        (lambda: _train.FtrlOptimizer(0.1, l1_regularization_strength=-1.0), "l1_regularization"),
    ],
)
def test_settings_that_cannot_be(make: Any, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        make()


def test_set_differences() -> None:
    difference = tf.compat.v1.setdiff1d
    for x, y, out, idx in (
        ([1, 2, 3, 4, 5, 2], [2, 4], [1, 3, 5], [0, 2, 4]),
        (["a", "b", "a"], ["b"], [b"a", b"a"], [0, 2]),
        ([1.0, 2.0], [], [1.0, 2.0], [0, 1]),
        ([0.0, 1.0], [-0.0], [1.0], [1]),
        ([], [1.0], [], []),
    ):
        got = difference(x, y)
        assert (got.out.numpy().tolist(), got.idx.numpy().tolist()) == (out, idx)
        assert got.idx.dtype is tf.int32
    nans = difference([np.nan, 1.0], [np.nan])
    assert nans.idx.numpy().tolist() == [0, 1]
    assert difference(x=[1], y=[2], index_dtype=tf.int64).idx.dtype is tf.int64
    assert tf.raw_ops.ListDiff(x=[1, 2], y=[2], out_idx=tf.int64).out.numpy().tolist() == [1]
    for x, y, said in (([[1]], [1], "x should be a vector"), ([1], 1, "y should be a vector")):
        with pytest.raises(tf.errors.InvalidArgumentError, match=said):
            difference(x, y)
    variable = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        out = difference(variable, [1.0]).out
    with pytest.raises(LookupError, match="gradient registry has no entry for: ListDiff"):
        tape.gradient(out, variable)


def test_old_names_of_tests() -> None:
    old = tf.compat.v1.test
    assert old.TestCase is tf.test.TestCase
    assert old.gpu_device_name() == ""
    assert old.get_temp_dir() == old.get_temp_dir()
