"""Compositions that are replayed give what their Python code gives. Where anybody looks on, it runs."""

from __future__ import annotations

import copy
import inspect
import pickle
from collections.abc import Iterator
from types import FunctionType
from typing import Any

import numpy as np
import pytest

import tapegrad as tf
from by_row import by_row
from samples import Run, all_samples, flatten, look_up, runs
from tapegrad import core
from tapegrad.core.compositions import Composition, composition, replay_after


def is_op(run: Run) -> bool:
    return run.sample.path is not None and isinstance(look_up(tf, run.sample.path), core.Op)


# The core calls an op without any Python, so that there is no composition to replay.
RUNS = [run for run in runs(all_samples()) if not is_op(run)]


@pytest.fixture(autouse=True)
def recorded_at_once() -> Iterator[None]:
    before = replay_after(0)
    yield
    replay_after(before)


def numbers(result: Any) -> list[Any]:
    """The leaves of a result: tensors as arrays."""
    return [each.numpy() if hasattr(each, "numpy") else each for each in flatten(result)]


def answer(run: Run, tensors: list[Any]) -> tuple[list[Any] | None, str]:
    """The leaves of what the run gives, or the error that it raises."""
    tf.random.set_seed(1)
    try:
        return numbers(run(tf, tensors)), ""
    except Exception as error:
        return None, f"{type(error).__name__}: {error}"


@by_row(RUNS)
def test_replays_give_what_python_gives(run: Run) -> None:
    tensors = run.tensors(tf)
    with Looking():
        expected, error = answer(run, tensors)
    for _ in range(3):
        found, message = answer(run, tensors)
        assert message == error
        if expected is None or found is None:
            continue
        assert len(found) == len(expected)
        for one, other in zip(found, expected, strict=True):
            assert type(one) is type(other)
            if isinstance(other, np.ndarray):
                assert (one.dtype, one.shape) == (other.dtype, other.shape)
                assert one.tobytes() == other.tobytes() or same(one, other)


def same(one: Any, other: Any) -> bool:
    return bool(np.array_equal(one, other, equal_nan=one.dtype.kind in "fcV"))


class Looking(core.Observer):  # type: ignore[misc]
    """Hears of ops, so compositions run as Python."""

    def __init__(self) -> None:
        self.heard: list[str] = []

    def observe(self, op: Any, inputs: Any, outputs: Any, attributes: Any) -> None:
        self.heard.append(op.type)


def made(function: Any) -> Any:
    return composition(function)


def test_the_third_call_is_a_replay() -> None:
    calls = []

    @made
    def twice(x: Any, by: float = 2.0) -> Any:
        calls.append(1)
        return x * by + 1.0

    x = tf.constant([1.0, 2.0])
    results = [twice(x, by=3.0).numpy().tolist() for _ in range(4)]
    assert results == [[4.0, 7.0]] * 4
    assert len(calls) == 2  # as Python, and recorded
    assert twice.replays() == 3
    assert twice(tf.constant([5.0, 6.0]), by=3.0).numpy().tolist() == [16.0, 19.0]
    assert len(calls) == 2


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (1, True),
        (1, 1.0),
        (0.0, -0.0),
        ([1, 2], (1, 2)),
        (None, False),
        ("a", "b"),
        (2**40, 2**40 + 1),
    ],
)
def test_arguments_that_differ_are_two_signatures(first: Any, second: Any) -> None:
    @made
    def told(x: Any, what: Any) -> Any:
        return x + float(len(repr(what)) * 100 + repr(what).count("-") + repr(what).count("1"))

    x = tf.constant(1.0)
    for value in (first, second, first, second):
        with Looking():
            expected = told(x, value).numpy()
        assert told(x, value).numpy() == expected


def test_names_are_parts_of_the_signature() -> None:
    """The same values under other names, in other orders, without names; more sets of names than are kept."""

    @made
    def told(x: Any, a: Any = 10.0, b: Any = 100.0, **more: Any) -> Any:
        return [x * a - b, *(x * number for _, number in sorted(more.items()))]

    x = tf.constant(3.0)
    calls: list[tuple[tuple[Any, ...], dict[str, Any]]] = [
        ((x, 1.0, 2.0), {}),
        ((x, 1.0), {"b": 2.0}),
        ((x, 1.0), {"a_more": 2.0}),
        ((x,), {"a": 1.0, "b": 2.0}),
        ((x,), {"b": 1.0, "a": 2.0}),
        ((x,), {"b": 1.0, "c": 2.0}),
        ((), {"x": x, "a": 1.0, "b": 2.0}),
        ((), {"b": x, "a": 1.0, "x": 2.0}),
    ]
    many: Any = [((x,), {f"n{i}": 1.0, f"m{i}": 2.0}) for i in range(600)]
    for some in (calls, [*calls, *many]):
        for args, kwargs in some * 3:
            with Looking():
                expected = numbers(told(*args, **kwargs))
            assert numbers(told(*args, **kwargs)) == expected
        if some is calls:
            assert told.replays() >= 2 * len(calls)


def test_shapes_and_dtypes_are_parts_of_the_signature() -> None:
    @made
    def size(x: Any) -> Any:
        return tf.zeros_like(x) + tf.cast(x.shape.num_elements(), x.dtype)

    for shape in ((2, 3), (3, 2), (6,), (2, 2)):
        for dtype in (tf.float32, tf.float64, tf.int32):
            for _ in range(3):
                result = size(tf.zeros(shape, dtype))
                assert (result.dtype, tuple(result.shape)) == (dtype, shape)
                assert result.numpy().ravel()[0] == np.prod(shape)


def test_a_value_that_python_reads_is_a_guard() -> None:
    @made
    def signed(x: Any, sign: Any) -> Any:
        return x if core.static_value(sign, "sign") > 0 else -x

    x = tf.constant([1.0])
    for sign in [1, -1, 1, 1, -1, -1, 1] * 3:
        assert signed(x, tf.constant(sign)).numpy()[0] == sign


def test_values_that_never_come_again_end_the_replays() -> None:
    @made
    def moved(x: Any, by: Any) -> Any:
        return x + float(core.static_value(by, "step"))

    for step in range(100):
        assert moved(tf.constant([1.0]), tf.constant(step)).numpy()[0] == step + 1


def test_errors_are_those_of_python() -> None:
    @made
    def solved(x: Any) -> Any:
        return tf.linalg.inv(x) * 2.0

    whole = tf.constant([[2.0, 0.0], [0.0, 4.0]])
    for _ in range(3):
        assert solved(whole).numpy().tolist() == [[1.0, 0.0], [0.0, 0.5]]
    for _ in range(3):
        with pytest.raises(tf.errors.InvalidArgumentError, match="not invertible"):
            solved(tf.zeros((2, 2)))
    assert solved(whole).numpy().tolist() == [[1.0, 0.0], [0.0, 0.5]]


def test_tapes_and_functions_see_the_ops() -> None:
    @made
    def cube(x: Any) -> Any:
        return x * x * x

    x = tf.constant(2.0)
    for _ in range(3):
        cube(x)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = cube(x)
    assert tape.gradient(y, x).numpy() == 12.0
    with Looking() as looking:
        cube(x)
    assert looking.heard == ["Mul", "Mul"]
    assert tf.function(cube)(x).numpy() == 8.0
    found = tf.vectorized_map(cube, tf.constant([1.0, 2.0]))
    assert found.numpy().tolist() == [1.0, 8.0]


def test_results_can_be_watched_each_by_itself() -> None:
    @made
    def window(n: int) -> Any:
        return tf.range(n) * 2

    for _ in range(3):
        window(3)
    assert window.replays()
    assert window(3) is not window(3)


def test_large_arrays_and_results_are_left_alone() -> None:
    @made
    def plus(x: Any) -> Any:
        return x + 1.0

    @made
    def filled(n: int) -> Any:
        return tf.zeros([n]) + tf.ones([n])

    for _ in range(4):
        plus(tf.zeros(100_000))
        filled(100_000)
    assert plus.replays() == filled.replays() == 0


def test_what_has_effects_is_left_alone() -> None:
    v = tf.Variable(0.0)

    @made
    def count(x: Any) -> Any:
        return x + v

    for _ in range(4):
        v.assign_add(1.0)
        assert count(tf.constant(1.0)).numpy() == v.numpy() + 1.0
    assert count.replays() == 0


def test_few_signatures_are_kept() -> None:
    @made
    def plus(x: Any, by: int) -> Any:
        return x + float(by)

    x = tf.constant(0.0)
    for by in range(2000):
        assert plus(x, by).numpy() == by
    assert len(plus.signatures()) <= 512


def test_a_composition_passes_for_its_function() -> None:
    assert isinstance(tf.image.ssim, FunctionType)
    assert type(tf.image.ssim) is Composition
    assert inspect.isfunction(tf.image.ssim)
    assert list(inspect.signature(tf.image.psnr).parameters) == ["a", "b", "max_val", "name"]
    assert tf.image.psnr.__name__ == tf.image.psnr.__qualname__ == "psnr"
    assert "noise" in (tf.image.psnr.__doc__ or "").lower() or tf.image.psnr.__doc__
    assert pickle.loads(pickle.dumps(tf.image.psnr)) is tf.image.psnr
    assert copy.deepcopy(tf.image.psnr) is tf.image.psnr is copy.copy(tf.image.psnr)
    with pytest.raises(TypeError, match="psnr"):
        tf.image.psnr(1.0)


def test_threads_share_a_composition() -> None:
    from concurrent.futures import ThreadPoolExecutor

    @made
    def plus(x: Any, by: int) -> Any:
        return tf.reduce_sum(x * 2.0 + float(by))

    def ask(number: int) -> bool:
        by = number % 5
        return bool(plus(tf.constant([1.0, float(number)]), by).numpy() == 2 + 2 * number + 2 * by)

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(ask, range(400)))


@by_row(RUNS)
def test_replays_on_other_numbers_give_what_python_gives(run: Run) -> None:
    """Also where the shape of a result depends on the numbers."""
    tensors = run.tensors(tf)
    for _ in range(2):
        answer(run, tensors)
    others = [other_numbers(tensor) for tensor in tensors]
    with Looking():
        expected, error = answer(run, others)
    found, message = answer(run, others)
    assert message == error
    for one, other in zip(found or [], expected or [], strict=True):
        assert type(one) is type(other)
        if isinstance(other, np.ndarray):
            assert (one.dtype, one.shape) == (other.dtype, other.shape)
            assert one.tobytes() == other.tobytes() or same(one, other)


def other_numbers(tensor: Any) -> Any:
    """The same numbers in another order, and some of them twice."""
    numbers = tensor.numpy().reshape(-1)
    places = np.random.default_rng(numbers.size).integers(0, max(numbers.size, 1), numbers.size)
    return tf.constant(numbers[places].reshape(tensor.shape), tensor.dtype)


def test_sparse_tensors_and_slices_are_arguments_and_results() -> None:
    @made
    def doubled(x: Any) -> Any:
        return type(x)(x.indices, x.values * 2.0, x.dense_shape)

    for values in ([1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]):
        for indices in ([[0], [2]], [[1], [2]]):
            result = doubled(tf.SparseTensor(indices, values, [3]))
            assert type(result) is tf.SparseTensor
            assert result.values.numpy().tolist() == [2.0 * value for value in values]
            assert result.indices.numpy().tolist() == indices
    assert doubled.replays() == 7
    # A sparse tensor of another shape has the same signature: its shape is a tensor.
    assert doubled(tf.SparseTensor([[0], [5]], [1.0, 2.0], [9])).shape == [9]

    @made
    def kept(x: Any) -> Any:
        return tf.IndexedSlices(x.values * 2.0, x.indices)

    for _ in range(4):
        result = kept(tf.IndexedSlices(tf.constant([1.0, 2.0]), tf.constant([1, 0])))
        assert result.values.numpy().tolist() == [2.0, 4.0]
        assert result.dense_shape is None
    assert kept.replays() == 3


def test_functions_that_hold_values_are_told_apart_by_them() -> None:
    stfts = tf.signal.stft(tf.range(16.0), 4, 2)
    for step in (2, 1, 2, 1):
        window = tf.signal.inverse_stft_window_fn(step)
        with Looking():
            expected = tf.signal.inverse_stft(stfts, 4, step, window_fn=window).numpy()
        for _ in range(3):
            found = tf.signal.inverse_stft(stfts, 4, step, window_fn=window).numpy()
            assert found.tolist() == expected.tolist()
