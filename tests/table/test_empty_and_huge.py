"""No elements, but an axis longer than any loop may be: every op answers at once, or says what it cannot do.

A hang is the failure, and C code that loops heeds no signal: the time-out ends the process.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import tapegrad as tf
from samples import Run, Sample, all_samples
from samples.ask import flatten, floats

pytestmark = pytest.mark.timeout(120, method="thread")

Shape = tuple[int, ...]
# More bytes than processors have addresses for, and more steps than anybody waits for.
HUGE = 2**50
# A result that shows the same memory again and again is there at once; its gradient would not be.
FEW = 10**6

PER_ROW = {
    "tf.map_fn": "calls the user's function for every row",
    "tf.vectorized_map": "the same",
    "tf.scan": "the same",
    "tf.foldl": "the same",
    "tf.foldr": "the same",
    "iter(x)": "Python makes the list, and runs out of memory itself",
}
ANSWERS = (tf.errors.OpError, ValueError, TypeError, NotImplementedError, LookupError)


def test_excuses_are_of_rows() -> None:
    assert set(PER_ROW) <= {sample.name for sample in all_samples()}


def size(shape: Shape) -> int:
    return int(np.prod(shape, dtype=object))


def changed(shapes: list[Shape]) -> Iterator[list[Shape]]:
    """The shapes with one axis 0 and another huge, in all inputs alike and in each alone."""
    lengths = sorted({length for shape in shapes for length in shape})
    for gone, long in itertools.permutations(lengths, 2):
        lookup = {gone: 0, long: HUGE}
        yield [tuple(lookup.get(length, length) for length in shape) for shape in shapes]
    rank = max(map(len, shapes), default=0)
    for gone, long in itertools.permutations(range(-rank, 0), 2):
        both = [with_axes(shape, {gone: 0, long: HUGE}) for shape in shapes]
        yield both
        if len(shapes) > 1:
            for place, shape in enumerate(both):
                yield [*shapes[:place], shape, *shapes[place + 1 :]]
    for long in range(-rank, 0):
        others = dict.fromkeys(range(-rank, 0), 0) | {long: HUGE}
        yield [with_axes(shape, others) for shape in shapes]


def with_axes(shape: Shape, lengths: dict[int, int]) -> Shape:
    out = list(shape)
    for axis, length in lengths.items():
        if -axis <= len(out):
            out[axis] = length
    return tuple(out)


def variants(shapes: list[Shape]) -> list[list[Shape]]:
    """Each of them once, of those that can be made at all."""
    found: dict[Any, list[Shape]] = {}
    for new in changed(shapes):
        small = all(size(shape) < FEW for shape in new)
        if small and any(HUGE in shape for shape in new):
            found.setdefault(tuple(new), new)
    return list(found.values())


def made(array: Any, shape: Shape) -> Any:
    return np.resize(array, shape) if size(shape) else np.empty(shape, array.dtype)


def answer(run: Run, arrays: list[Any]) -> None:
    """Compute the result, and the gradients where it is small."""
    tensors = [tf.constant(array) for array in arrays]
    sources = [tensor for tensor in tensors if floats(tensor)]
    with tf.GradientTape() as tape:
        for source in sources:
            tape.watch(source)
        results = [each for each in flatten(run(tf, tensors)) if hasattr(each, "dtype")]
    targets = [result for result in results if floats(result)]
    if sources and targets and all(size(tuple(t.shape)) < FEW for t in targets):
        tape.gradient(targets, sources)


@pytest.mark.parametrize("sample", all_samples(), ids=repr)
@pytest.mark.filterwarnings("ignore")
def test_every_row_of_the_table(sample: Sample) -> None:
    if sample.name in PER_ROW:
        return
    dtype = "float32" if "float32" in sample.dtypes else sample.dtypes[0]
    for case in sample.cases:
        run = Run(sample, case, dtype)
        for shapes in variants([array.shape for array in run.arrays]):
            try:
                arrays = [made(*pair) for pair in zip(run.arrays, shapes, strict=True)]
            except ValueError:
                continue  # more than NumPy has numbers for, the empty axis left out
            try:
                answer(run, arrays)
            except ANSWERS:
                continue
            except Exception as error:
                raise AssertionError(f"{run!r} of shapes {shapes}") from error


LONG = 2**31
# What LAPACK and NumPy are asked of one matrix, and of many without elements.
OF_ONE = {
    "svd": tf.linalg.svd, "singular values": lambda x: tf.linalg.svd(x, compute_uv=False),
    "pinv": tf.linalg.pinv, "qr": tf.linalg.qr, "matrix_rank": tf.linalg.matrix_rank,
    "lstsq": lambda x: tf.linalg.lstsq(x, x[..., :0], fast=False),
    "norm": lambda x: tf.norm(x, ord=2, axis=[-2, -1]),
}  # fmt: skip
OF_MANY = {
    "inv": tf.linalg.inv, "eigh": tf.linalg.eigh, "eig": tf.linalg.eig,
    "cholesky": tf.linalg.cholesky, "expm": tf.linalg.expm, "sqrtm": tf.linalg.sqrtm,
    "solve": lambda x: tf.linalg.solve(x, x),
    "triangular_solve": lambda x: tf.linalg.triangular_solve(x, x),
}  # fmt: skip


@pytest.mark.parametrize("name", OF_ONE)
@pytest.mark.parametrize("shape", [(0, LONG), (2, 0, LONG), (0, HUGE)], ids=str)
def test_matrices_of_no_rows(name: str, shape: Shape) -> None:
    OF_ONE[name](tf.constant(np.empty(shape, np.float32)))


@pytest.mark.parametrize("name", OF_MANY)
@pytest.mark.parametrize("count", [LONG, HUGE])
def test_many_matrices_of_nothing(name: str, count: int) -> None:
    with tf.GradientTape() as tape:
        x = tf.constant(np.empty((count, 0, 0), np.complex64))
        tape.watch(x)
        result = OF_MANY[name](x)
    for tensor in flatten(result):
        assert tensor.shape[0] == count
    assert tape.gradient(flatten(result)[0], x).shape == x.shape
    assert tf.linalg.lu(x).lu.shape == x.shape  # has no gradient


def test_singular_vectors_of_no_rows() -> None:
    """As TensorFlow's: those that a full matrix adds are the axes."""
    s, u, v = tf.linalg.svd(tf.zeros([2, 0, 3]), full_matrices=True)
    assert (s.shape, u.shape) == ((2, 0), (2, 0, 0))
    assert np.array_equal(v, np.broadcast_to(np.eye(3), (2, 3, 3)))
    s, u, v = tf.linalg.svd(tf.zeros([3, 0]), full_matrices=True)
    assert (s.shape, v.shape) == ((0,), (0, 0))
    assert np.array_equal(u, np.eye(3))
    assert [part.shape for part in tf.linalg.svd(tf.zeros([0, 2, 3]))] == [
        (0, 2),
        (0, 2, 2),
        (0, 3, 2),
    ]


@pytest.mark.parametrize("shape", [(1, 0, 1, HUGE), (0, 1, 1, HUGE)], ids=str)
def test_neighbours_of_no_elements(shape: Shape) -> None:
    """As many as an attribute asks for, where only the axis that they lie along is long."""
    with tf.GradientTape() as tape:
        x = tf.constant(np.empty(shape, np.float32))
        tape.watch(x)
        y = tf.nn.local_response_normalization(x, depth_radius=HUGE)
    assert tape.gradient(y, x).shape == x.shape


@pytest.mark.parametrize("function", [tf.cumsum, tf.math.cumprod, tf.math.cumulative_logsumexp])
@pytest.mark.parametrize("reverse", [False, True])
def test_running_results_of_no_elements(function: Any, reverse: bool) -> None:
    x = tf.constant(np.empty((0, HUGE), np.float32))
    assert function(x, 0, exclusive=True, reverse=reverse).shape == x.shape
    assert function(x, 1, exclusive=True, reverse=reverse).shape == x.shape


def test_more_slices_than_memory_has_room_for() -> None:
    with pytest.raises(tf.errors.ResourceExhaustedError, match="No memory for a tensor of"):
        tf.unstack(tf.constant(np.empty((HUGE, 0), np.float32)))


def test_results_that_no_memory_holds_are_refused_before_they_are_filled(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # A process that fills more than the machine has is ended, without an exception.
    monkeypatch.setattr("tapegrad.ops.args.memory_size", lambda: 2**32)
    data, ids = tf.constant([1.0, 2.0]), tf.constant([0, 2**31 - 2])
    raw = tf.raw_ops
    for kind in ("Sum", "Prod", "Mean", "Max", "Min"):
        with pytest.raises(tf.errors.ResourceExhaustedError, match=r"\[2147483647\].*float32"):
            getattr(raw, f"Segment{kind}")(data=data, segment_ids=ids)
    for kind in ("Sum", "Prod", "Max", "Min"):
        with pytest.raises(tf.errors.ResourceExhaustedError, match=r"\[2147483647\].*float32"):
            getattr(raw, f"UnsortedSegment{kind}")(
                data=data, segment_ids=[0, 1], num_segments=2**31 - 1
            )
    with pytest.raises(tf.errors.ResourceExhaustedError):
        tf.TensorArray(tf.float32, size=1, dynamic_size=True).write(2**31 - 1, 1.0)


@pytest.mark.parametrize("kind", ["Sum", "Prod", "Mean", "Max", "Min"])
def test_segments_without_elements_are_not_listed(kind: str) -> None:
    ids = tf.constant([0, HUGE], tf.int64)
    result = getattr(tf.raw_ops, f"Segment{kind}")(data=tf.zeros([2, 0]), segment_ids=ids)
    assert result.shape == (HUGE + 1, 0)
