"""The gradient's gradient equals finite differences of the gradient, in every smooth row."""

from __future__ import annotations

import pytest

from samples import Case, Sample, all_samples
from samples.ask import check_differences
from test_gradients import skip_what_has_no_gradient

_CASES = [
    (sample, case, dtype)
    for sample in all_samples()
    if sample.second_order
    for number, case in enumerate(sample.cases)
    for dtype in ("float64", *(("complex128",) if number == 0 else ()))
    if dtype in (*sample.dtypes, "float64")
]


@pytest.mark.parametrize(
    ("sample", "case", "dtype"), _CASES, ids=[f"{s.key(c)}-{d}" for s, c, d in _CASES]
)
def test_second_order_is_finite_differences(sample: Sample, case: Case, dtype: str) -> None:
    skip_what_has_no_gradient(sample, case, dtype)
    check_differences(sample, case, dtype, order=2)
