"""Rules of elementwise ops run as programs; what comes out is what the rule itself gives when called."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tapegrad as tf
from samples import Run, Sample, all_samples
from samples.ask import dense, fast_forms, gradients
from tapegrad.engines.numpy import tracing
from tapegrad.engines.numpy.threads import set_thread_count, thread_count

FLOAT = np.dtype(np.float32)
RULES: dict[str, Callable[..., Any]] = {
    "product": lambda dy, y: dy * y,
    "tanh": lambda dy, out: dy * (1 - out * out),
    "choice": lambda dy, x: tracing.namespace.where(x > 0, dy, dy * 0.2),
    "chain": lambda dy, x: dy * tracing.namespace.exp(-x * x) * (x + 2.0) / (x * x + 1.0),
    "of a bool": lambda dy, x: dy * (x != 0).astype(np.float32),
    "of one number": lambda dy, x: dy * tracing.namespace.power(x, dy * 0 + 2.0),
}


def _answer(run: Run) -> list[Any]:
    try:
        return [dense(gradient) for gradient in gradients(run)]
    except (tf.errors.OpError, LookupError, ValueError, TypeError) as error:
        return [type(error)]


@pytest.mark.parametrize("sample", all_samples(), ids=lambda sample: sample.name)
def test_same_as_the_rule_itself(sample: Sample) -> None:
    """While a tape further out records, rules are called and nothing runs as a program."""
    for case in [*sample.cases, *sample.kinks]:
        for dtype in ("float32", "float64", "complex64", "float16"):
            if dtype not in sample.dtypes:
                continue
            run = Run(sample, case, dtype)
            with np.errstate(all="ignore"):
                assert run.arrays is not None  # drawn now: some are too large for half precision
            # Fast forms round otherwise: test_fast_forms asks them.
            tf.random.set_seed(11)
            with fast_forms(None):
                by_programs = _answer(run)
            tf.random.set_seed(11)
            with tf.GradientTape():
                by_rules = _answer(run)
            assert len(by_programs) == len(by_rules)
            for found, expected in zip(by_programs, by_rules, strict=True):
                if isinstance(expected, np.ndarray):
                    assert found.dtype == expected.dtype
                    np.testing.assert_array_equal(found, expected, err_msg=repr(run))
                else:
                    assert found is expected


def _arrays(shape: tuple[int, ...]) -> list[np.ndarray[Any, Any]]:
    generator = np.random.default_rng(5)
    return [generator.normal(size=shape).astype(np.float32) for _ in range(2)]


@pytest.mark.parametrize("name", RULES)
@pytest.mark.parametrize("shape", [(), (0,), (1,), (7,), (2049,), (3, 0, 2), (70, 90), (300_000,)])
def test_sizes_and_threads(name: str, shape: tuple[int, ...]) -> None:
    rule = RULES[name]
    program = tracing.trace(rule, [FLOAT, FLOAT])
    assert program is not None
    before = thread_count()
    found = []
    try:
        for count in (1, 2, 5):
            set_thread_count(count)
            found.append(program(*_arrays(shape)))
    finally:
        set_thread_count(before)
    assert found[0].shape == shape
    assert found[0].tobytes() == found[1].tobytes() == found[2].tobytes()
    # One element at a time: nothing of its neighbours, or of what a register held before, gets in.
    dy, x = (array.ravel() for array in _arrays(shape))
    places = range(0, found[0].size, max(1, found[0].size // 50))
    alone = [program(dy[i : i + 1], x[i : i + 1])[0] for i in places]
    np.testing.assert_array_equal(found[0].ravel()[:: max(1, found[0].size // 50)], alone)


@pytest.mark.parametrize("name", RULES)
@pytest.mark.parametrize(
    ("dy", "x"),
    [
        (np.float32(2.0), _arrays((5000,))[0]),
        (_arrays((5000,))[0], np.float32(0.5)),
        (np.broadcast_to(np.float32(3.0), (40, 70)), _arrays((40, 70))[0]),
        (_arrays((40, 70))[0], _arrays((70,))[0]),
        (_arrays((40, 1))[0], _arrays((3, 1, 70))[0]),
        (_arrays((40, 70))[0].T, _arrays((70, 40))[0]),
        (_arrays((90,))[0][::-2], _arrays((45,))[0]),
    ],
    ids=lambda array: "x".join(map(str, np.shape(array))),
)
def test_layouts(name: str, dy: Any, x: Any) -> None:
    program = tracing.trace(RULES[name], [FLOAT, FLOAT])
    assert program is not None
    shape = np.broadcast_shapes(np.shape(dy), np.shape(x))
    whole = [np.ascontiguousarray(np.broadcast_to(array, shape)) for array in (dy, x)]
    found = program(np.asarray(dy), np.asarray(x))
    # Not to the bit: of one exponent for all elements, `power` knows a shorter way.
    np.testing.assert_allclose(found, program(*whole), rtol=3e-7)


def test_what_cannot_be_a_program() -> None:
    functions: list[Callable[..., Any]] = [
        lambda x, y: x if x else y,
        lambda x, y: x.reshape(-1),
        lambda x, y: np.sum(x),
        lambda x, y: 1.0,
        lambda x, y: x * np.ones(3),
        lambda x, y: x.astype(np.float64) * y,
        lambda x, y: tracing.namespace.matmul(x, y),
        lambda x, y: x * y.shape[0],
    ]
    for function in functions:
        assert tracing.trace(function, [FLOAT, FLOAT]) is None
    assert tracing.trace(lambda x: x * x, [np.dtype(object)]) is None


def test_an_input_that_somebody_holds_is_left_alone() -> None:
    x = tf.constant(_arrays((10_000,))[0])
    seed = tf.constant(_arrays((10_000,))[1])
    before = seed.numpy()
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = tf.exp(-x)
    first = tape.gradient(y, x, output_gradients=seed)
    second = tape.gradient(y, x, output_gradients=seed)
    np.testing.assert_array_equal(seed.numpy(), before)
    np.testing.assert_array_equal(first.numpy(), second.numpy())
