"""Asking tapegrad the questions of the table: what every test file of the table shares."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

import golden
import tapegrad as tf
from tapegrad import testing
from tapegrad.core import Op, load_ops, registry

from . import FAMILIES, Case, Run, Sample, family, flatten, runs

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


@functools.cache
def _answers() -> dict[str, dict[str, Any]]:
    return {repr(run): answer for run, answer in recorded_runs()}


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
    if expected.dtype == object:
        assert np.asarray(actual, object).tolist() == expected.tolist(), f"{what} of {run!r}"
        return
    dtype = "float32" if run.sample.rounds else expected.dtype
    rtol = max(testing.tolerance(dtype), testing.tolerance(expected.dtype)) * run.sample.loose
    largest = np.abs(expected[np.isfinite(expected)]) if expected.dtype.kind not in "OSUb" else []
    atol = rtol * float(np.max(largest, initial=scale)) if rtol else 0.0
    testing.assert_close(actual, expected, rtol=rtol, atol=atol, what=f"{what} of {run!r}")


def check_differences(sample: Sample, case: Case, dtype: str, order: int) -> None:
    """Gradients against finite differences, in double precision."""
    run = Run(sample, case, dtype)
    places = [i for i, array in enumerate(run.arrays) if array.dtype.kind in "fc" and array.size]
    constants = run.tensors(tf)

    def function(*inputs: Any) -> list[Any]:
        tensors = list(constants)
        for place, tensor in zip(places, inputs, strict=True):
            tensors[place] = tensor
        return [output for output in flatten(run(tf, tensors)) if floats(output)]

    testing.check_gradient(
        function, *(run.arrays[place] for place in places), order=order, name=run.key
    )


def has_gradient(sample: Sample, case: Case, dtype: str) -> bool:
    """Something floating comes in and goes out here, and a gradient flows between them.

    A row that TensorFlow has not been asked yet is taken to have one, so that it is asked other questions.
    """
    run = Run(sample, case, dtype)
    answers = _answers()
    answer = answers.get(repr(run)) or answers.get(repr(Run(sample, case, "float32")), {})
    if not any(repr(Run(sample, case, each)) in answers for each in sample.dtypes):
        return any(array.size and array.dtype.kind == "f" for array in run.arrays)
    if "error" in answer or answer.get("gradient_error") == "LookupError":
        return False
    if not any(answer.get("gradients", ())) and "gradient_error" not in answer:
        return False
    return any(array.size and array.dtype.kind in "fc" for array in run.arrays)


def smooth_cases(samples: Iterable[Sample]) -> list[tuple[Sample, Case, str]]:
    """Cases to compare with finite differences: all in double precision, the first in complex too."""
    return [
        (sample, case, dtype)
        for sample in samples
        for number, case in enumerate(sample.cases)
        for dtype in ("float64", *(("complex128",) if number == 0 else ()))
        if dtype in (*sample.dtypes, "float64") and has_gradient(sample, case, dtype)
    ]
