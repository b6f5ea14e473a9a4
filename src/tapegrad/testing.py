"""Checks of gradients against finite differences, for users' functions and for our own ops.

``check_gradient`` checks a tape's gradient of a function, to first or second order. It compares the gradient
with ``directional_derivative``, which uses the function's values alone and nothing of its rules.
``check_gradients`` checks forward and reverse mode in all nestings, also by variables, and names the worst
entry of the Jacobian.

A gradient g of a real loss L obeys  dL = Re(sum(conj(g) * dx))  for every small step dx, for real and for
complex inputs. This is TensorFlow's conjugate convention, and the only property that has to be tested.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tapegrad import dtypes
from tapegrad.autodiff.tape import GradientTape
from tapegrad.checking import check_gradients, max_error
from tapegrad.core import convert
from tapegrad.framework import nest

__all__ = [
    "assert_close",
    "check_gradient",
    "check_gradients",
    "directional_derivative",
    "max_error",
    "tolerance",
]


def __dir__() -> list[str]:
    """The public names, for completion."""
    return __all__


Array = np.ndarray[Any, Any]

# Each level halves the step. Extrapolation cancels the error of second order, then of fourth. So the last
# entry has an error of about step**6 from the formula, and of roundoff / step from rounding: both are about
# 1e-13 for functions that change on the scale of 1.
_FIRST_STEP = 2.0**-7
_LEVELS = 4

_TOLERANCES = {
    "float16": 4e-3,
    "bfloat16": 3e-2,
    "float32": 1e-5,
    "float64": 1e-12,
    "complex64": 1e-5,
    "complex128": 1e-12,
}


def tolerance(dtype: Any) -> float:
    """The relative error that a few correctly rounded operations in ``dtype`` may have together.

    >>> tolerance(tf.float32)
    1e-05
    """
    return _TOLERANCES.get(dtypes.as_dtype(dtype).name, 0.0)


def assert_close(
    actual: Any,
    expected: Any,
    rtol: float | None = None,
    atol: float | None = None,
    what: str = "the result",
) -> None:
    """Pass if two arrays or tensors have one shape and are equal but for rounding.

    NaN equals NaN, and an infinity equals the same infinity. ``rtol`` is by default that of the coarser
    dtype. ``atol`` is by default the same part of the largest finite number expected, because an element
    near zero may have the rounding errors of its neighbours.

    >>> assert_close(tf.constant([1.0, 2.0]), [1.0, 2.0])
    >>> assert_close(tf.constant([1.0, 2.0]), [1.0, 2.5])
    Traceback (most recent call last):
    ...
    AssertionError: the result is not as expected: 1 of 2 elements differ (rtol 1e-05, atol 2.5e-05).
    The worst is at [1]: 2.0, expected 2.5.
    """
    left, right = _plain(actual), _plain(expected)
    if left.shape != right.shape:
        raise AssertionError(
            f"{what} has shape {list(left.shape)}, expected shape {list(right.shape)}."
        )
    if left.dtype.kind in "OSUb" or right.dtype.kind in "OSUb":
        wrong = np.asarray(left != right)
        error = wrong.astype(float)
        rtol = atol = 0.0
    else:
        if rtol is None:
            rtol = max(tolerance(_name_of(actual, left)), tolerance(_name_of(expected, right)))
        wide_left, wide_right = _widened(left), _widened(right)
        finite = wide_right[np.isfinite(wide_right)]
        if atol is None:
            atol = rtol * float(np.max(np.abs(finite), initial=0.0))
        with np.errstate(all="ignore"):
            error = np.abs(wide_left - wide_right)
            same = (wide_left == wide_right) | (np.isnan(wide_left) & np.isnan(wide_right))
            # Without the last condition everything would be near an infinity: its tolerance is infinite.
            near = (error <= atol + rtol * np.abs(wide_right)) & np.isfinite(wide_right)
            wrong = ~(same | near)
        error = np.where(np.isnan(error), np.inf, error)
    if not wrong.any():
        return
    worst = np.unravel_index(int(np.argmax(np.where(wrong, error, -1.0))), wrong.shape)
    place = f" at {[int(index) for index in worst]}" if worst else ""
    raise AssertionError(
        f"{what} is not as expected: {int(wrong.sum())} of {wrong.size} elements differ (rtol "
        f"{rtol:.3g}, atol {atol:.3g}).\nThe worst is{place}: "
        f"{left[worst]}, expected {right[worst]}."
    )


def directional_derivative(
    function: Callable[..., Any], inputs: Sequence[Any], directions: Sequence[Any]
) -> tuple[float, float]:
    """How fast a real function of arrays changes along a direction, and an estimate of the error.

    ``function`` takes NumPy arrays and returns a real number. An input whose direction is None stays as it
    is. Central differences at steps that halve are extrapolated to step zero (Richardson). The error is how
    much the last extrapolations differ, which is large if the function has a kink nearby.

    >>> value, error = directional_derivative(lambda x: np.sum(x**3), [np.array([1.0, 2.0])],
    ...                                       [np.array([1.0, 0.0])])
    >>> round(value, 9), error < 1e-9
    (3.0, True)
    """
    arrays = [np.asarray(x) for x in inputs]

    def moved(step: float) -> list[Array]:
        return [
            x if d is None else x + step * np.asarray(d)
            for x, d in zip(arrays, directions, strict=True)
        ]

    def slope(step: float) -> float:
        return (float(function(*moved(step))) - float(function(*moved(-step)))) / (2 * step)

    row: list[float] = []
    best, error = 0.0, np.inf
    for level in range(_LEVELS):
        previous, row = row, [slope(_FIRST_STEP * 0.5**level)]
        for column, coarser in enumerate(previous):
            factor = 4.0 ** (column + 1)
            row.append((factor * row[column] - coarser) / (factor - 1))
            disagreement = max(abs(row[-1] - row[-2]), abs(row[-1] - coarser))
            if not disagreement > error:
                best, error = row[-1], disagreement
    return best, float(error)


def check_gradient(
    function: Callable[..., Any],
    *inputs: Any,
    order: int = 1,
    directions: int = 2,
    rtol: float = 1e-6,
    atol: float = 1e-7,
    seed: int = 0,
    name: str | None = None,
) -> None:
    """Pass if a tape differentiates ``function`` correctly at these inputs.

    The inputs are converted to float64 (complex128). The results are multiplied with random weights and
    summed, and the gradient by each input is compared with finite differences along random directions.
    ``order=2`` also checks the gradient of the gradient, by the inputs and by the weights. Results that are
    not floating are left out, and an input on which no result depends may have None for its gradient.

    >>> check_gradient(lambda x, y: tf.tanh(x) * y, [0.1, -0.3], 2.0, order=2)
    >>> check_gradient(lambda x: x * tf.stop_gradient(x), 3.0)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    AssertionError: the gradient of <lambda> by input 0 (shape []) is wrong. Along a random direction...

    Args:
      function: takes tensors, returns a tensor or any nest of them.
      inputs: tensors, variables, arrays or numbers. Integers and booleans are passed on unchanged.
      order: 1, or 2 to check the gradient's gradient too.
      directions: how many random directions to try for each input.
      rtol, atol: how much tape and finite differences may differ, beyond the error of the differences.
      seed: the seed of the random weights and directions.
      name: the name of the function in messages.
    """
    name = name or getattr(function, "__name__", type(function).__name__)
    generator = np.random.default_rng(seed)
    arrays = [_in_double(x) for x in inputs]

    def results(*xs: Any) -> list[Any]:
        """The floating results, sparse ones made dense: weights have a dense shape."""
        floating = [y for y in nest.flatten(function(*xs)) if _floats(y)]
        return [convert(y) if hasattr(y, "dense_shape") else y for y in floating]

    outputs = [_plain(y) for y in results(*map(_tensor, arrays))]
    weights = [_random_like(y, generator) for y in outputs]
    if not weights:
        raise ValueError(f"{name} returns no floating tensor: it has no gradient to check.")

    def weighted_gradient(*tensors: Any) -> list[Any]:
        """The gradients by the inputs, which come first, for the weights, which come last."""
        xs, seeds = list(tensors[: len(arrays)]), list(tensors[len(arrays) :])
        with GradientTape() as tape:
            for x in xs:
                if _floats(x):
                    tape.watch(x)
            ys = results(*xs)
        return list(tape.gradient(ys, xs, output_gradients=seeds))

    def loss(*points: Array) -> float:
        ys = map(_plain, results(*map(_tensor, points)))
        return sum(_inner(w, y) for w, y in zip(weights, ys, strict=True))

    gradients = weighted_gradient(*map(_tensor, arrays), *map(_tensor, weights))
    for place, (x, gradient) in enumerate(zip(arrays, gradients, strict=True)):
        if x.dtype.kind not in "fc":
            continue
        what = f"the gradient of {name} by input {place} (shape {list(x.shape)})"
        dense = _dense(gradient, x, what)
        for _ in range(directions):
            direction = _random_like(x, generator)
            steps = [direction if i == place else None for i in range(len(arrays))]
            measured, error = directional_derivative(loss, arrays, steps)
            _compare(what, dense, direction, measured, error, rtol, atol, loss, arrays, place)
    if order > 1:
        check_gradient(
            # An input that does not matter has no gradient, so nothing to differentiate again.
            lambda *xs: [g for g in weighted_gradient(*xs) if g is not None],
            *arrays,
            *weights,
            order=order - 1,
            directions=directions,
            rtol=10 * rtol,
            atol=10 * atol,
            seed=seed + 1,
            name=f"the gradient of {name}",
        )


def _compare(
    what: str,
    gradient: Array,
    direction: Array,
    measured: float,
    error: float,
    rtol: float,
    atol: float,
    loss: Callable[..., float],
    arrays: list[Array],
    place: int,
) -> None:
    claimed = _inner(gradient, direction)
    scale = max(abs(claimed), abs(measured), float(np.linalg.norm(gradient)))
    if abs(claimed - measured) <= rtol * scale + atol + 4 * error:
        # With a large error estimate, every gradient would pass.
        if error <= 1e-3 * scale + 1e-3:
            return
        raise AssertionError(
            f"{what} cannot be judged: finite differences do not settle ({measured:.6g} give "
            f"or take {error:.2g}). Choose inputs farther from kinks, or of the size of 1."
        )
    raise AssertionError(
        f"{what} is wrong. Along a random direction the tape says {claimed:.10g}, finite "
        f"differences say {measured:.10g} (give or take {error:.1g})."
        + _worst_element(gradient, loss, arrays, place)
    )


def _worst_element(
    gradient: Array, loss: Callable[..., float], arrays: list[Array], place: int
) -> str:
    """A line of the message that names the element with the largest error."""
    x = arrays[place]
    if not 1 < x.size <= 64:
        return ""
    worst, line = 0.0, ""
    for index in np.ndindex(x.shape):
        direction = np.zeros_like(x)
        direction[index] = 1.0
        steps = [direction if i == place else None for i in range(len(arrays))]
        measured, _ = directional_derivative(loss, arrays, steps)
        wrong = abs(measured - float(gradient[index].real))
        if wrong > worst or np.isnan(wrong):
            worst = np.inf if np.isnan(wrong) else wrong
            line = (
                f"\nThe worst element is {list(index)}: the tape says {gradient[index].real:.10g}, "
                f"finite differences {measured:.10g}."
            )
    return line


def _tensor(array: Array) -> Any:
    return convert(array.copy())


def _plain(value: Any) -> Array:
    """The array behind a tensor, a variable, sparse slices or anything else."""
    if hasattr(value, "values") and hasattr(value, "dense_shape"):
        value = convert(value)
    return np.asarray(value.numpy() if hasattr(value, "numpy") else value)


def _name_of(value: Any, array: Array) -> str:
    """The dtype that decides the tolerance. A Python number or list has none, and is taken to be exact."""
    if hasattr(value, "dtype"):
        return dtypes.as_dtype(value.dtype).name
    return "int32" if array.dtype.kind in "iuf" else array.dtype.name


def _widened(array: Array) -> Array:
    if array.dtype.kind == "c":
        return array.astype(np.complex128)
    # longdouble holds every int64 and uint64 exactly where the machine has one.
    return array.astype(np.longdouble if array.dtype.kind in "iu" else np.float64)


def _floats(value: Any) -> bool:
    return value is not None and (value.dtype.is_floating or value.dtype.is_complex)


def _in_double(value: Any) -> Array:
    array = _plain(value)
    if array.dtype.kind == "c":
        return array.astype(np.complex128)
    if array.dtype.kind in "iubSUO":
        return array
    return array.astype(np.float64)


def _random_like(array: Array, generator: np.random.Generator) -> Array:
    if array.dtype.kind not in "fc":
        return np.zeros_like(array)
    numbers: Array = np.zeros(array.shape, array.dtype)
    numbers += generator.standard_normal(array.shape)
    if array.dtype.kind == "c":
        numbers += 1j * generator.standard_normal(array.shape)
    return numbers


def _inner(left: Array, right: Array) -> float:
    return float(np.sum(np.conj(left) * right).real)


def _dense(gradient: Any, x: Array, what: str) -> Array:
    if gradient is None:
        return np.zeros_like(x)
    dense = _plain(gradient)
    if dense.shape != x.shape or dense.dtype != x.dtype:
        raise AssertionError(
            f"{what} has shape {list(dense.shape)} and dtype {dense.dtype}, expected the input's: "
            f"shape {list(x.shape)} and {x.dtype}."
        )
    return dense
