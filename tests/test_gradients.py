"""Every row's gradients equal TensorFlow's recorded ones, and finite differences."""

from __future__ import annotations

from typing import Any

import pytest

import golden
import tapegrad as tf
from samples import Case, Run, Sample, all_samples
from samples.ask import (
    check_differences,
    check_recorded,
    compare,
    dense,
    gradients,
    is_kink,
    recorded_runs,
)
from samples.draws import COMPLEX

_RUNS = [(run, answer) for run, answer in recorded_runs() if "gradients" in answer]
_FAILING = [(run, answer) for run, answer in recorded_runs() if "gradient_error" in answer]
_SMOOTH = [
    (sample, case, dtype)
    for sample in all_samples()
    for number, case in enumerate(sample.cases)
    for dtype in ("float64", *(("complex128",) if number == 0 else ()))
    if sample.differences and dtype in (*sample.dtypes, "float64")
]
_ANSWERS = {repr(run): answer for run, answer in recorded_runs()}


@pytest.mark.parametrize(("run", "answer"), _RUNS, ids=[repr(run) for run, _ in _RUNS])
def test_gradient_is_tensorflows(run: Run, answer: dict[str, Any]) -> None:
    check_recorded(run, answer)
    if run.case.differs and run.case.answer is not None:
        pytest.skip(f"test_kinks holds our own answer: {run.case.differs}")
    if run.sample.complex_differs and run.dtype in COMPLEX:
        with pytest.raises(AssertionError, match="not as expected"):
            _compare_all(run, answer)  # stale, if they have come to agree
    else:
        _compare_all(run, answer)


def _compare_all(run: Run, answer: dict[str, Any]) -> None:
    found = gradients(run, ones=is_kink(run))
    assert len(found) == len(answer["gradients"])
    for place, (gradient, coded) in enumerate(zip(found, answer["gradients"], strict=True)):
        what = f"gradient {place}"
        if coded is None:
            assert gradient is None, f"{what} of {run!r} should be None"
            continue
        assert gradient is not None, f"{what} of {run!r} should not be None"
        assert isinstance(gradient, tf.IndexedSlices) == (coded[3:] == ["slices"]), what
        expected, actual = golden.decode(coded), dense(gradient)
        assert actual.dtype == expected.dtype, f"{what} of {run!r}"
        compare(actual, expected, run, what, scale=1.0)  # the seeds' size


@pytest.mark.parametrize(("run", "answer"), _FAILING, ids=[repr(run) for run, _ in _FAILING])
def test_missing_rule_is_an_error(run: Run, answer: dict[str, Any]) -> None:
    check_recorded(run, answer)
    if answer["gradient_error"] == "LookupError":
        # We may have a rule where TensorFlow has none, except where its absence is documented.
        try:
            gradients(run)
        except LookupError as error:
            assert str(error).startswith("gradient registry has no entry for: ")  # noqa: PT017
        else:
            assert run.sample.name != "image.adjust_contrast"
    elif run.case.differs:
        pytest.skip(f"test_kinks holds our own answer: {run.case.differs}")
    elif run.sample.differentiable:
        # TensorFlow's own backward op fails on these (empty inputs and the like): ours need not.
        gradients(run, ones=is_kink(run))


@pytest.mark.parametrize(
    ("sample", "case", "dtype"), _SMOOTH, ids=[f"{s.key(c)}-{d}" for s, c, d in _SMOOTH]
)
def test_gradient_is_finite_differences(sample: Sample, case: Case, dtype: str) -> None:
    skip_what_has_no_gradient(sample, case, dtype)
    check_differences(sample, case, dtype, order=1)


def skip_what_has_no_gradient(sample: Sample, case: Case, dtype: str) -> None:
    """Leave out runs without floating inputs and results, or that TensorFlow refuses."""
    run = Run(sample, case, dtype)
    answer = _ANSWERS.get(repr(run)) or _ANSWERS.get(repr(Run(sample, case, "float32")), {})
    if "error" in answer or answer.get("gradient_error") == "LookupError":
        pytest.skip("TensorFlow has no such op or gradient for this dtype")
    if not any(answer.get("gradients", ())) and "gradient_error" not in answer:
        pytest.skip("no floating result, or no floating input")
    if not any(array.size and array.dtype.kind in "fc" for array in run.arrays):
        pytest.skip("nothing to differentiate by: the floating inputs are empty")
