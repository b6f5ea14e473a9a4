"""Asking tapegrad the questions of the table: what every test file of the table shares."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import golden
import tapegrad as tf
from tapegrad import testing
from tapegrad.core import Op, load_ops, registry

from . import FAMILIES, Case, Run, Sample, all_samples, family, flatten, runs

Array = np.ndarray[Any, Any]

# Errors by which TensorFlow says that it has no kernel, rather than that the op has no meaning.
NO_KERNEL = {"NotFoundError", "UnimplementedError", "InternalError"}


@functools.cache
def recorded_runs() -> list[tuple[Run, dict[str, Any]]]:
    """Every run with TensorFlow's answer to it."""
    return [
        (run, golden.read(name).get(repr(run), {}))
        for name in FAMILIES
        for run in runs(family(name))
    ]


def is_kink(run: Run) -> bool:
    """The run is one of its row's ``at``."""
    return run.case in run.sample.kinks


def check_recorded(run: Run, answer: dict[str, Any]) -> None:
    """Fail if the answers were recorded for other inputs, or not at all."""
    assert answer.get("inputs") == run.checksum, (
        f"TensorFlow's answer to {run!r} is missing or was for other inputs: "
        "run tests/golden/record_samples.py where TensorFlow is installed."
    )


def floats(value: Any) -> bool:
    """A tensor that gradients flow through."""
    return bool(value.dtype.is_floating or value.dtype.is_complex)


def gradients(run: Run, tensors: list[Any] | None = None, ones: bool = False) -> list[Any]:
    """The tape's gradients by the floating inputs, of results weighted with the run's seeds."""
    tensors = run.tensors(tf) if tensors is None else tensors
    sources = [tensor for tensor in tensors if floats(tensor)]
    with tf.GradientTape() as tape:
        for source in sources:
            tape.watch(source)
        outputs = [output for output in flatten(run(tf, tensors)) if floats(output)]
    seeds = None if ones else [
        tf.constant(run.seed(place, output.shape, np.dtype(output.dtype.as_numpy_dtype)))
        for place, output in enumerate(outputs)
    ]  # fmt: skip
    return list(tape.gradient(outputs, sources, output_gradients=seeds))


def dense_gradients(run: Run, tensors: list[Any]) -> list[Any]:
    """The `gradients` that there are, as tensors."""
    return [tf.convert_to_tensor(each) for each in gradients(run, tensors) if each is not None]


@contextlib.contextmanager
def fast_forms(replace: Callable[[Op, int, Any], Any] | None) -> Iterator[None]:
    """With every fast form as ``replace(op, input, form)`` gives it; with none at all where that is None."""
    load_ops()
    kept = {op: dict(op.fast_forms) for op in registry.values() if op.fast_forms}
    try:
        for op, forms in kept.items():
            made = {i: replace(op, i, form) for i, form in forms.items()} if replace else {}
            op.set_rules({i: op.rules[i] for i in forms}, made)
        yield
    finally:
        for op, forms in kept.items():
            op.set_rules({i: op.rules[i] for i in forms}, forms)


def values(run: Run, tensors: list[Any] | None = None) -> list[Array]:
    """The op's results as arrays."""
    outputs = flatten(run(tf, run.tensors(tf) if tensors is None else tensors))
    return [np.asarray(output.numpy()) for output in outputs]


def dense(gradient: Any) -> Any:
    """A gradient as an array, None staying None."""
    if gradient is None:
        return None
    return np.asarray(tf.convert_to_tensor(gradient).numpy())


def compare(actual: Any, expected: Array, run: Run, what: str, scale: float = 0.0) -> None:
    """Equal but for rounding, as loosely as the row allows, of numbers of at least size ``scale``."""
    dtype = "float32" if run.sample.rounds else expected.dtype
    rtol = max(testing.tolerance(dtype), testing.tolerance(expected.dtype)) * run.sample.loose[0]
    compare_within(rtol, actual, expected, f"{what} of {run!r}", scale)


def compare_within(rtol: float, actual: Any, expected: Array, what: str, scale: float) -> None:
    """Equal but for a share ``rtol`` of each number, and of the largest or ``scale``."""
    if expected.dtype == object:
        assert np.asarray(actual, object).tolist() == expected.tolist(), what
        return
    largest = np.abs(expected[np.isfinite(expected)]) if expected.dtype.kind not in "OSUb" else []
    atol = rtol * float(np.max(largest, initial=scale)) if rtol else 0.0
    testing.assert_close(actual, expected, rtol=rtol, atol=atol, what=what)


def check_differences(
    sample: Sample, case: Case, dtype: str, order: int, strictly: bool = False, directions: int = 2
) -> None:
    """Gradients against finite differences, in double precision unless the row works in single.

    ``strictly`` takes no notice of that, nor of inputs that the row keeps where they are.
    """
    single = bool(sample.single) and not strictly
    run = Run(sample, case, "float32" if single else dtype)
    fixed = {} if strictly else sample.fixed
    places = [
        i
        for i, array in enumerate(run.arrays)
        if array.dtype.kind in "fc" and array.size and i not in fixed
    ]
    constants = run.tensors(tf)

    def function(*inputs: Any) -> list[Any]:
        tensors = list(constants)
        for place, tensor in zip(places, inputs, strict=True):
            tensors[place] = tf.cast(tensor, tf.float32) if single else tensor
        outputs = [output for output in flatten(run(tf, tensors)) if floats(output)]
        return [tf.cast(output, tf.float64) for output in outputs] if single else outputs

    exactness: dict[str, Any] = {"rtol": 1e-2, "atol": 1e-2} if single else {}
    testing.check_gradient(
        function,
        *(run.arrays[place] for place in places),
        order=order,
        directions=directions,
        name=run.key,
        **exactness,
    )


@functools.cache
def flows(sample: Sample, case: Case, dtype: str) -> bool:
    """Whether our op takes these inputs, and a gradient flows from its results to one of them."""
    run = Run(sample, case, dtype)
    if not any(array.size and array.dtype.kind in "fcV" for array in run.arrays):
        return False
    try:
        with np.errstate(all="ignore"):
            return any(gradient is not None for gradient in gradients(run))
    except (tf.errors.OpError, LookupError, TypeError, ValueError, NotImplementedError):
        return False  # test_dtypes and test_gradients ask whether this is TensorFlow's answer too


@functools.cache
def smooth_cases(order: int, excused: bool = False) -> list[tuple[Sample, Case, str]]:
    """Cases to compare with finite differences: all in double precision, the first in complex too.

    TensorFlow need not have a gradient there: what it cannot be asked is asked first of all. With
    ``excused``, the cases of those rows that their table excuses.
    """
    return [
        (sample, case, dtype)
        for sample in all_samples()
        if excused == bool(sample.differences or (order > 1 and sample.second_order))
        for number, case in enumerate(sample.cases)
        for dtype in differences_dtypes(sample, number)
        if flows(sample, case, "float32" if sample.single else dtype)
    ]


def differences_dtypes(sample: Sample, number: int) -> list[str]:
    """The dtypes in which a row's case of that number is compared with finite differences."""
    complex_too = number == 0 and "complex128" in sample.dtypes and not sample.single
    return ["float64", *(["complex128"] if complex_too else [])]


class Reused:
    """``with Reused():`` the first block makes variables, and later ones assign to them and get these."""

    def __init__(self) -> None:
        self.made: list[Any] = []

    def __enter__(self) -> None:
        self.place = 0
        self.scope = tf.variable_creator_scope(self.create)
        self.scope.__enter__()

    def __exit__(self, *error: Any) -> None:
        self.scope.__exit__(*error)

    def create(self, next_creator: Any, **kwargs: Any) -> Any:
        self.place += 1
        if self.place > len(self.made):
            self.made.append(next_creator(**kwargs))
        variable = self.made[self.place - 1]
        variable.assign(kwargs["initial_value"])
        return variable
