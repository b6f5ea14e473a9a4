"""Every row's gradients equal TensorFlow's recorded ones, and finite differences."""

from __future__ import annotations

from typing import Any

import pytest

import golden
import tapegrad as tf
from by_row import by_row
from samples import Case, Run, Sample, all_samples
from samples.ask import (
    check_differences,
    check_recorded,
    compare,
    dense,
    differences_dtypes,
    flows,
    gradients,
    is_kink,
    recorded_runs,
    smooth_cases,
)
from samples.draws import COMPLEX

# test_kinks asks those runs whose gradient is promised to differ from TensorFlow's.
_OURS = {
    repr(run) for run, _ in recorded_runs() if run.case.differs and run.case.answer is not None
}
_RUNS = [
    (run, answer)
    for run, answer in recorded_runs()
    if "gradients" in answer and repr(run) not in _OURS
]
_FAILING = [
    (run, answer)
    for run, answer in recorded_runs()
    if "gradient_error" in answer and repr(run) not in _OURS
]


_SMOOTH = smooth_cases(order=1)
_RULELESS = {"image.adjust_contrast"}  # as in TensorFlow, and documented


@by_row(_RUNS)
def test_gradient_is_tensorflows(run: Run, answer: dict[str, Any]) -> None:
    check_recorded(run, answer)
    if run.sample.gradient_differs or (run.sample.complex_differs and run.dtype in COMPLEX):
        with pytest.raises(AssertionError, match=r"not as expected|should be None"):
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


@by_row(_FAILING)
def test_missing_rule_is_an_error(run: Run, answer: dict[str, Any]) -> None:
    check_recorded(run, answer)
    if run.sample.differentiable and run.sample.name not in _RULELESS:
        # TensorFlow has no rule, or its rule fails (on empty inputs and the like), and ours gives a gradient.
        # Finite differences say whether it is right: they are asked of this row as of any other.
        gradients(run, ones=is_kink(run))
    elif answer["gradient_error"] == "LookupError":
        try:
            found = gradients(run)
        except LookupError as error:
            assert str(error).startswith("gradient registry has no entry for: ")  # noqa: PT017
        else:
            assert found == [None] * len(found)  # declared to have none


@pytest.mark.parametrize(
    "sample", [sample for sample in all_samples() if not sample.differentiable], ids=repr
)
def test_no_gradient_flows(sample: Sample) -> None:
    """A row that says so has no gradient in any of its cases, so that none goes unasked."""
    for number, case in enumerate(sample.cases):
        for dtype in differences_dtypes(sample, number):
            assert not flows(sample, case, dtype), f"{sample.key(case)} has a gradient in {dtype}"


@by_row(_SMOOTH)
def test_gradient_is_finite_differences(sample: Sample, case: Case, dtype: str) -> None:
    check_differences(sample, case, dtype, order=1)
