"""`tf.raw_ops.CudnnRNN` and its versions beside the same networks, written as loops in NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapegrad as tf
from tapegrad.annex.raw.cudnn import GATES

STEPS, BATCH, INPUTS, UNITS = 5, 3, 2, 4


def sigmoid(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


def cell(mode: str, fed: Any, back: Any, h: Any, c: Any) -> tuple[Any, Any]:
    if mode == "lstm":
        i, f, g, o = fed + back
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        return sigmoid(o) * np.tanh(c), c
    if mode == "gru":
        r, z = sigmoid(fed[:2] + back[:2])
        n = np.tanh(fed[2] + r * back[2])
        return (1 - z) * n + z * h, c
    return (np.tanh if mode == "rnn_tanh" else lambda x: np.maximum(x, 0))((fed + back)[0]), c


def network(
    mode: str, directions: int, x: Any, h: Any, c: Any, weights: list[Any], lengths: Any
) -> tuple[Any, Any, Any]:
    """The outputs and last states of layers whose weights are (input, recurrent, bias, bias) each."""
    h, c = h.copy(), c.copy()
    for first in range(0, len(h), directions):
        outputs = np.zeros((STEPS, BATCH, directions * UNITS))
        for place in range(directions):
            row = first + place
            into, back, into_bias, back_bias = weights[row]
            for item in range(BATCH):
                steps = range(lengths[item])
                for step in reversed(steps) if place else steps:
                    fed = into @ x[step, item] + into_bias
                    sent = back @ h[row, item] + back_bias
                    h[row, item], c[row, item] = cell(mode, fed, sent, h[row, item], c[row, item])
                    outputs[step, item, place * UNITS : (place + 1) * UNITS] = h[row, item]
        x = outputs
    return x, h, c


@pytest.mark.parametrize("lengths", [None, (5, 3, 1)], ids=["whole", "lengths"])
@pytest.mark.parametrize("directions", [1, 2])
@pytest.mark.parametrize("mode", GATES)
def test_it_computes_what_loops_compute(
    mode: str, directions: int, lengths: tuple[int, ...] | None
) -> None:
    draw, gates, rows = np.random.default_rng(0).normal, GATES[mode], 2 * directions
    widths = [INPUTS if row < directions else directions * UNITS for row in range(rows)]
    weights = [
        (
            draw(size=(gates, UNITS, width)),
            draw(size=(gates, UNITS, UNITS)),
            draw(size=(gates, UNITS)),
            draw(size=(gates, UNITS)),
        )
        for width in widths
    ]
    matrices = [part.ravel() for each in weights for part in each[:2]]
    biases = [part.ravel() for each in weights for part in each[2:]]
    x, h = draw(size=(STEPS, BATCH, INPUTS)), draw(size=(rows, BATCH, UNITS))
    c = draw(size=(rows, BATCH, UNITS))
    given: dict[str, Any] = {
        "input": x,
        "input_h": h,
        "input_c": c if mode == "lstm" else np.zeros(0),
        "params": np.concatenate(matrices + biases),
        "rnn_mode": mode,
        "direction": "bidirectional" if directions == 2 else "unidirectional",
    }
    expected = network(mode, directions, x, h, c, weights, lengths or (STEPS,) * BATCH)
    if lengths is None:
        result = tf.raw_ops.CudnnRNNV2(**given)
        older = tf.raw_ops.CudnnRNN(**given)
        np.testing.assert_array_equal(older.output, result.output)
        assert len(older) == 4
    else:
        result = tf.raw_ops.CudnnRNNV3(**given, sequence_lengths=lengths)
    np.testing.assert_allclose(result.output, expected[0], rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(result.output_h, expected[1], rtol=1e-12, atol=1e-14)
    if mode == "lstm":
        np.testing.assert_allclose(result.output_c, expected[2], rtol=1e-12, atol=1e-14)


def arguments(**changed: Any) -> dict[str, Any]:
    """A long short-term memory of one layer, with some arguments changed."""
    size = 4 * UNITS * (INPUTS + UNITS + 2)
    given = {
        "input": np.ones((STEPS, BATCH, INPUTS)),
        "input_h": np.zeros((1, BATCH, UNITS)),
        "input_c": np.zeros((1, BATCH, UNITS)),
        "params": np.linspace(-1, 1, size),
    }
    return {**given, **changed}


def test_there_is_at_least_one_layer() -> None:
    """Without any, the inputs would be the outputs."""
    given = arguments(input_h=np.zeros((0, BATCH, UNITS)), input_c=np.zeros((0, BATCH, UNITS)))
    with pytest.raises(tf.errors.InvalidArgumentError, match="0 states"):
        tf.raw_ops.CudnnRNN(**{**given, "params": np.zeros(0)})


def test_the_batch_may_come_first_and_gradients_pass() -> None:
    given = arguments()
    params = tf.constant(given.pop("params"))
    x, h, c = (tf.transpose(given[key], (1, 0, 2)) for key in ("input", "input_h", "input_c"))

    def outputs(params: Any) -> Any:
        return tf.raw_ops.CudnnRNNV3(
            input=x,
            input_h=h,
            input_c=c,
            params=params,
            sequence_lengths=[5, 4, 0],
            time_major=False,
        )

    assert [part.shape.as_list() for part in outputs(params)[:3]] == [
        [3, 5, 4],
        [3, 1, 4],
        [3, 1, 4],
    ]
    assert not outputs(params).output[2].numpy().any()
    theory, practice = tf.test.compute_gradient(lambda params: outputs(params).output, [params])
    # Differences over steps of 1e-3 are off by their square.
    np.testing.assert_allclose(theory[0], practice[0], atol=1e-6)


@pytest.mark.parametrize(
    ("changed", "error", "said"),
    [
        ({"rnn_mode": "peephole"}, tf.errors.InvalidArgumentError, "rnn_mode must be one of lstm"),
        ({"direction": "both"}, tf.errors.InvalidArgumentError, "direction must be"),
        (
            {"input_h": np.zeros((1 << 40, 3, 0)), "input_c": np.zeros((1 << 40, 3, 0))},
            tf.errors.InvalidArgumentError,
            "states of 0 units",
        ),
        (
            {
                "input": np.zeros((1 << 40, 0, INPUTS)),
                "input_h": np.zeros((1 << 40, 0, UNITS)),
                "input_c": np.zeros((1 << 40, 0, UNITS)),
            },
            tf.errors.InvalidArgumentError,
            "params must be a vector",
        ),
        ({"params": np.zeros(3)}, tf.errors.InvalidArgumentError, "a vector of 128 weights"),
        ({"input": np.zeros((5, 2))}, tf.errors.InvalidArgumentError, "input must be"),
        ({"input_h": np.zeros((1, 2, 4))}, tf.errors.InvalidArgumentError, "input must be"),
        ({"input_c": np.zeros((2, 3, 4))}, tf.errors.InvalidArgumentError, "input_c must have"),
        ({"input_mode": "skip_input"}, tf.errors.UnimplementedError, "skip_input"),
        ({"dropout": 0.5}, tf.errors.UnimplementedError, "dropout"),
    ],
)
def test_wrong_input_is_refused(changed: dict[str, Any], error: Any, said: str) -> None:
    with pytest.raises(error, match=said):
        tf.raw_ops.CudnnRNNV2(**arguments(**changed))
