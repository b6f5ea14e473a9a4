"""Shapes and layouts: any rank, size-one and empty axes, broadcasting, and arrays laid out oddly.

An elementwise op applied to arrays must equal itself applied to the flat, contiguous, fully
broadcast elements; a gradient must be the flat gradient summed to the input's shape. Neither needs
an answer from outside.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tapegrad as tf
from samples import Run, Sample, all_samples
from samples.ask import compare, dense, gradients, values
from samples.draws import numpy_dtype

Array = np.ndarray[Any, Any]

_ELEMENTWISE = [sample for sample in all_samples() if sample.elementwise]
_ONE = [s for s in _ELEMENTWISE if len(s.cases[0].args) == 1]
_TWO = [s for s in _ELEMENTWISE if len(s.cases[0].args) == 2]

_SHAPES = [
    (),
    (1,),
    (5,),
    (2, 3),
    (1, 3, 1),
    (2, 1, 2, 2),
    (2, 1, 1, 2, 3),
    (0,),
    (3, 0, 2),
    (1, 17),
]
_PAIRS = [
    ((), ()), ((), (4,)), ((4,), ()), ((1,), (3,)), ((2, 1), (1, 3)), ((2, 3), (3,)), ((3,), (2, 3)),
    ((2, 1, 3), (4, 1)), ((1, 1, 1), ()), ((0,), (1,)), ((1,), (0,)), ((2, 0), (2, 1)), ((0, 1), (1, 3)),
    ((2, 1, 2, 1, 2), (3, 1, 2, 1)), ((1, 2, 3), (1, 2, 3)), ((2, 1), (2, 1)),
]  # fmt: skip


def _draw(sample: Sample, place: int, shape: tuple[int, ...]) -> Array:
    """Numbers fit for input ``place`` of this op, in any shape: its own sample's, repeated."""
    pool = Run(sample, sample.cases[0], _dtype(sample)).arrays[place].ravel()
    size = int(np.prod(shape))
    order = np.random.default_rng(size + 7 * place).permutation(max(size, 1))[:size]
    return pool[order % pool.size].reshape(shape)


def _dtype(sample: Sample) -> str:
    return "float64" if "float64" in sample.dtypes else sample.dtypes[0]


def _gradients(function: Callable[..., Any], inputs: list[Array], seed: Array) -> list[Any]:
    tensors = [tf.constant(x) for x in inputs]
    with tf.GradientTape() as tape:
        tape.watch(tensors)
        result = function(*tensors)
    return [dense(g) for g in tape.gradient(result, tensors, output_gradients=tf.constant(seed))]


def _function(sample: Sample) -> Callable[..., Any]:
    run = Run(sample, sample.cases[0], _dtype(sample))
    return lambda *tensors: run(tf, tensors)


def _check(sample: Sample, shapes: tuple[tuple[int, ...], ...]) -> None:
    function = _function(sample)
    inputs = [_draw(sample, place, shape) for place, shape in enumerate(shapes)]
    shape = np.broadcast_shapes(*shapes)
    whole = [np.broadcast_to(x, shape).ravel() for x in inputs]
    result = function(*map(tf.constant, inputs)).numpy()
    expected = np.asarray(function(*map(tf.constant, whole)).numpy()).reshape(shape)
    assert np.shape(result) == shape
    np.testing.assert_array_equal(result, expected)
    if not sample.differentiable or expected.dtype.kind not in "fc":
        return
    seed = np.random.default_rng(0).standard_normal(shape).astype(expected.dtype)
    found = _gradients(function, inputs, seed)
    flat = _gradients(function, whole, seed.ravel())
    for x, gradient, parts in zip(inputs, found, flat, strict=True):
        assert (gradient is None) == (parts is None)
        if gradient is None:
            continue
        assert gradient.shape == x.shape
        np.testing.assert_allclose(
            gradient, _summed(parts.reshape(shape), x.shape), rtol=1e-12, atol=1e-12
        )


def _summed(parts: Array, shape: tuple[int, ...]) -> Array:
    extra = parts.ndim - len(shape)
    axes = tuple(i for i in range(parts.ndim) if i < extra or shape[i - extra] != parts.shape[i])
    return parts.sum(axis=axes, keepdims=True).reshape(shape)


@pytest.mark.parametrize("sample", _ONE, ids=repr)
def test_any_shape(sample: Sample) -> None:
    for shape in _SHAPES:
        _check(sample, (shape,))


@pytest.mark.parametrize("sample", _TWO, ids=repr)
def test_broadcasting(sample: Sample) -> None:
    for shapes in _PAIRS:
        _check(sample, shapes)


@pytest.mark.parametrize("sample", _TWO, ids=repr)
def test_shapes_that_do_not_broadcast(sample: Sample) -> None:
    function = _function(sample)
    for shapes in (((2,), (3,)), ((2, 3), (2,)), ((2, 0), (3,)), ((0,), (2,))):
        inputs = [tf.constant(_draw(sample, place, shape)) for place, shape in enumerate(shapes)]
        if sample.name in ("equal", "not_equal"):
            continue  # a scalar False (True) there: tests/test_behaviours.py
        with pytest.raises(tf.errors.InvalidArgumentError) as caught:
            function(*inputs)
        message = str(caught.value)
        assert all(str(list(shape)) in message or str(shape) in message for shape in shapes), (
            message
        )


def _transposed(x: Array) -> Array:
    return x.T.copy().T


def _strided(x: Array) -> Array:
    wide = np.zeros((*x.shape[:-1], 2 * x.shape[-1]), x.dtype) if x.ndim else x
    if x.ndim:
        wide[..., ::2] = x
    return wide[..., ::2] if x.ndim else x


def _reversed(x: Array) -> Array:
    flipped = x[tuple(slice(None, None, -1) for _ in x.shape)].copy()
    return flipped[tuple(slice(None, None, -1) for _ in x.shape)]


def _read_only(x: Array) -> Array:
    kept = x.copy()
    kept.flags.writeable = False
    return kept


def _unaligned(x: Array) -> Array:
    raw = np.zeros(x.nbytes + 1, np.uint8)
    view = raw[1:].view(x.dtype).reshape(x.shape)
    view[...] = x
    return view


def _swapped(x: Array) -> Array:
    """Bytes in the other order, which TensorFlow has no dtype for: taken as their values."""
    return x.astype(x.dtype.newbyteorder())


def _plain_dtype(sample: Sample) -> str:
    return "float32" if "float32" in sample.dtypes else sample.dtypes[0]


_LAYOUTS = [_transposed, _strided, _reversed, _read_only, _unaligned]
_ROWS = [
    (sample, case)
    for sample in all_samples()
    for case in sample.cases[:2]
    if any(array.ndim for array in Run(sample, case, _plain_dtype(sample)).arrays)
]


@pytest.mark.parametrize(
    ("sample", "case"), _ROWS, ids=[sample.key(case) for sample, case in _ROWS]
)
def test_layout_does_not_matter(sample: Sample, case: Any) -> None:
    """Odd arrays through tf.constant, and odd views that ops made of tensors."""
    run = Run(sample, case, _plain_dtype(sample))
    expected = _answers(run, run.tensors(tf))
    for layout in _LAYOUTS:
        tensors = [tf.constant(layout(x)) for x in run.arrays]
        _compare_all(run, _answers(run, tensors), expected, layout.__name__)
    inside = {
        "made by transpose": lambda x: tf.transpose(tf.constant(x.T.copy())),
        "made by a step": lambda x: tf.constant(np.repeat(x, 2, axis=0))[::2] if x.ndim else tf.constant(x),
        "made by reversing": lambda x: tf.constant(x[::-1].copy())[::-1] if x.ndim else tf.constant(x),
        "made by slicing": lambda x: tf.constant(np.concatenate([x[:1], x, x[:1]]))[1:-1]
        if x.ndim and len(x) else tf.constant(x),
    }  # fmt: skip
    for name, make in inside.items():
        _compare_all(run, _answers(run, [make(x) for x in run.arrays]), expected, name)


def _answers(run: Run, tensors: list[Any]) -> tuple[list[Any], list[Any]]:
    with np.errstate(all="ignore"):
        try:
            found = values(run, tensors)
        except tf.errors.OpError as error:
            return [type(error)], []
        if not run.sample.differentiable:
            return found, []
        return found, [dense(gradient) for gradient in gradients(run, tensors)]


def _compare_all(run: Run, actual: Any, expected: Any, what: str) -> None:
    for mine, wanted in zip([*actual[0], *actual[1]], [*expected[0], *expected[1]], strict=True):
        if wanted is None or inspect.isclass(wanted):
            assert mine is wanted, what
        else:
            compare(mine, wanted, run, what)


def test_swapped_bytes_are_values() -> None:
    x = np.array([1.0, 2.0], np.float32)
    assert tf.constant(_swapped(x)).numpy().tolist() == [1.0, 2.0]


def test_numpy_dtypes_of_the_table() -> None:
    assert numpy_dtype("bfloat16").itemsize == 2
