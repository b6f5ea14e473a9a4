"""Every rule is linear in dy: what it does never depends on the values that arrive."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapegrad as tf
from samples import Case, Run, Sample, all_samples, flatten
from samples.ask import dense, floats, smooth_cases
from tapegrad import testing

_CASES = [
    (sample, case, dtype)
    for sample, case, dtype in smooth_cases(
        sample for sample in all_samples() if sample.differences
    )
    if dtype == "float64" and "float64" in sample.dtypes
]


@pytest.mark.parametrize(
    ("sample", "case", "dtype"), _CASES, ids=[f"{s.key(c)}-{d}" for s, c, d in _CASES]
)
def test_gradient_of_a_sum_of_seeds(sample: Sample, case: Case, dtype: str) -> None:
    """2 g(a) - 3 g(b) is g(2 a - 3 b), where a is zero at every other element, and g(0) is zero."""
    run = Run(sample, case, dtype)
    tensors = run.tensors(tf)
    sources = [tensor for tensor in tensors if floats(tensor)]
    tf.random.set_seed(3)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(sources)
        outputs = [output for output in flatten(run(tf, tensors)) if floats(output)]

    def gradients(seeds: list[Any]) -> list[Any]:
        given = [tf.constant(np.asarray(seed)) for seed in seeds]
        found = tape.gradient(outputs, sources, output_gradients=given)
        return [0.0 if each is None else dense(each) for each in found]

    shapes = [(output.shape, np.dtype(output.dtype.as_numpy_dtype)) for output in outputs]
    first, second = [
        [run.seed(f"{name}{i}", *output) for i, output in enumerate(shapes)] for name in "ab"
    ]
    for seed in first:
        seed.reshape(-1)[::2] = 0
    whole = gradients([2 * a - 3 * b for a, b in zip(first, second, strict=True)])
    parts = zip(gradients(first), gradients(second), strict=True)
    for found, (by_first, by_second) in zip(whole, parts, strict=True):
        rtol = 100 * max(testing.tolerance(seed.dtype) for seed in first)
        size = float(
            np.max(np.abs([np.max(np.abs(x), initial=0.0) for x in (by_first, by_second)]))
        )
        testing.assert_close(found, 2 * by_first - 3 * by_second, rtol=rtol, atol=rtol * (1 + size))
    for found in gradients([np.zeros_like(seed) for seed in first]):
        np.testing.assert_array_equal(found, np.zeros_like(found))
