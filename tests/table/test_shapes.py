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
from by_row import by_row
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
            continue  # a scalar False (True) there: test_behaviours.py
        with pytest.raises(tf.errors.InvalidArgumentError) as caught:
            function(*inputs)
        message = str(caught.value)
        assert all(str(list(shape)) in message or str(shape) in message for shape in shapes), (
            message
        )


# Reductions and what else works along an axis: over any axis of any rank, what they do over the first
# axis of a matrix.
_ALONG: dict[str, Callable[..., Any]] = {
    name: getattr(tf, name)
    for name in ("reduce_sum", "reduce_mean", "reduce_prod", "reduce_max", "reduce_min")
} | {
    name: getattr(tf.math, name)
    for name in ("reduce_logsumexp", "reduce_variance", "reduce_std", "reduce_euclidean_norm",
                 "count_nonzero", "argmax", "argmin", "cumsum", "cumprod", "cumulative_logsumexp",
                 "softmax", "log_softmax", "l2_normalize")
} | {
    "norm": tf.norm, "sort": tf.sort, "argsort": tf.argsort, "reverse": lambda x, axis: tf.reverse(x, [axis]),
    "reduce_all": lambda x, axis: tf.reduce_all(x > 0.0, axis),
    "reduce_any": lambda x, axis: tf.reduce_any(x > 0.0, axis),
    "moments": lambda x, axis: tf.stack(tf.nn.moments(x, [axis])),
    "cumsum backwards": lambda x, axis: tf.cumsum(x, axis, exclusive=True, reverse=True),
    "roll": lambda x, axis: tf.roll(x, 2, axis),
}  # fmt: skip
_RANKS = [(5,), (2, 3), (3, 1, 2), (2, 1, 3, 2), (1, 2, 3, 1, 2), (2, 0, 3), (4, 1, 2, 0)]


@pytest.mark.parametrize("name", _ALONG)
def test_any_axis_of_any_rank(name: str) -> None:
    function = _ALONG[name]
    for shape in _RANKS:
        numbers = np.random.default_rng(len(shape)).permutation(int(np.prod(shape)))
        x = (numbers - numbers.size / 3).reshape(shape) / 4
        for axis in range(-len(shape), len(shape)):
            matrix = np.moveaxis(x, axis, 0).reshape(shape[axis], x.size // max(shape[axis], 1))
            if not matrix.shape[0] and name in ("argmax", "argmin"):
                continue  # an error: test_bad_input.py
            if not matrix.shape[0]:
                rest = [size for place, size in enumerate(shape) if place != axis % len(shape)]
                matrix = np.zeros((0, int(np.prod(rest))))
            _compare_along(lambda t, axis=axis: function(t, axis=axis), x, function, matrix, axis)


def _compare_along(
    here: Callable[..., Any], x: Array, function: Callable[..., Any], matrix: Array, axis: int
) -> None:
    result, flat = (
        np.asarray(here(tf.constant(x))),
        np.asarray(function(tf.constant(matrix), axis=0)),
    )
    rest = np.delete(x.shape, axis)
    kept = flat.shape == matrix.shape and result.shape == x.shape
    if kept:
        expected = np.moveaxis(flat.reshape((x.shape[axis], *rest)), 0, axis)
    else:
        expected = flat.reshape((*flat.shape[:-1], *rest))
    assert result.shape == expected.shape
    np.testing.assert_allclose(result, expected, rtol=1e-12, atol=1e-12)
    if result.dtype.kind != "f":
        return
    seed = np.random.default_rng(1).standard_normal(result.shape)
    back = np.moveaxis(seed, axis, 0).reshape(flat.shape) if kept else seed.reshape(flat.shape)
    (mine,) = _gradients(here, [x], seed)
    (other,) = _gradients(lambda t: function(t, axis=0), [matrix], back)
    moved = np.moveaxis(other.reshape((x.shape[axis], *rest)), 0, axis)
    np.testing.assert_allclose(mine, moved, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize(
    "name", [name for name in _ALONG if name.startswith(("reduce", "count", "norm"))]
)
def test_whole_of_any_rank(name: str) -> None:
    """Without an axis, rank 0 among them: the same as over the flat elements."""
    function = _ALONG[name]
    for shape in [(), *_RANKS]:
        x = np.random.default_rng(7).standard_normal(shape)
        whole: Callable[..., Any] = lambda t: function(t, axis=None)
        np.testing.assert_allclose(whole(tf.constant(x)), whole(tf.constant(x.ravel())), rtol=1e-12)
        if np.asarray(whole(tf.constant(x))).dtype.kind == "f":
            (mine,) = _gradients(whole, [x], np.ones(()))
            (flat,) = _gradients(whole, [x.ravel()], np.ones(()))
            np.testing.assert_allclose(mine, flat.reshape(shape), rtol=1e-10, atol=1e-12)


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


def _laid_out() -> list[Run]:
    """Rows with arrays to lay out. Compiled loops are others for halves, doubles and complex numbers."""
    found = []
    for sample in all_samples():
        for number, case in enumerate(sample.cases[:2]):
            more = ["bfloat16", "float64", "complex64"] if number == 0 else []
            dtypes = [_plain_dtype(sample), *(each for each in more if each in sample.dtypes)]
            found += [Run(sample, case, dtype) for dtype in dict.fromkeys(dtypes)]
    return [run for run in found if any(array.ndim for array in run.arrays)]


_LAID_OUT = _laid_out()


@by_row(_LAID_OUT)
def test_layout_does_not_matter(run: Run) -> None:
    """Odd arrays through tf.constant, and odd views that ops made of tensors."""
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
