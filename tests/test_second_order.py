"""The gradient's gradient equals finite differences of the gradient, in every smooth row."""

from __future__ import annotations

import pytest

from samples import Case, Sample, all_samples
from samples.ask import check_differences, smooth_cases

_CASES = smooth_cases(sample for sample in all_samples() if sample.second_order)


@pytest.mark.parametrize(
    ("sample", "case", "dtype"), _CASES, ids=[f"{s.key(c)}-{d}" for s, c, d in _CASES]
)
def test_second_order_is_finite_differences(sample: Sample, case: Case, dtype: str) -> None:
    check_differences(sample, case, dtype, order=2)
