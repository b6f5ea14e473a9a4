"""Every rule is linear in ``dy``: no gradient depends on the values that arrive, only on where they arrive.

That is what lets forward mode transpose a rule, and a Jacobian take all its rows in one walk.
"""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np

import tapegrad as tf
from by_row import by_row
from samples import Case, Run, Sample, all_samples, flatten
from samples.ask import dense, differences_dtypes, floats, flows
from tapegrad import testing

_CASES = [
    (sample, case, dtype)
    for sample in all_samples()
    for number, case in enumerate(sample.cases)
    for each in differences_dtypes(sample, number)
    if flows(sample, case, dtype := "float32" if sample.single else each)
]


@by_row(_CASES)
def test_gradient_is_linear_in_what_arrives(sample: Sample, case: Case, dtype: str) -> None:
    run = Run(sample, case, dtype)
    tensors = run.tensors(tf)
    sources = [tensor for tensor in tensors if floats(tensor)]
    with np.errstate(all="ignore"), tf.GradientTape(persistent=True) as tape:
        tape.watch(sources)
        outputs = [output for output in flatten(run(tf, tensors)) if floats(output)]

    def seeds(what: str) -> list[Any]:
        return [
            run.seed(f"{what} {place}", output.shape, np.dtype(output.dtype.as_numpy_dtype))
            for place, output in enumerate(outputs)
        ]

    def gradient(arriving: list[Any]) -> list[Any]:
        with np.errstate(all="ignore"):
            found = tape.gradient(
                outputs, sources, output_gradients=list(map(tf.constant, arriving))
            )
        return [dense(each) for each in found]

    one, other = seeds("one"), seeds("other")
    parts = gradient(one), gradient(other)
    whole = gradient([(x * 0.5 - y * 2).astype(x.dtype) for x, y in zip(one, other, strict=True)])
    nothing = gradient([np.zeros_like(x) for x in one])
    for place, (left, right, both, zero) in enumerate(zip(*parts, whole, nothing, strict=True)):
        what = f"gradient {place} of {run!r}"
        known = [each is not None for each in (left, right, both, zero)]
        assert all(known) or not any(known), f"{what} is None for some of what arrives"
        if left is not None:
            scale = float(np.max(np.abs([left, right]), initial=0.0))
            share = max(100 * testing.tolerance(left.dtype), 1e-6)  # some compute in float32
            # Where all that arrives cancels, its last digits are left.
            arriving = max([float(np.max(np.abs(x), initial=0.0)) for x in (*one, *other)])
            rounding = float(ml_dtypes.finfo(left.dtype).eps) * arriving
            close = {"rtol": 0.0, "atol": share * scale + rounding}
            testing.assert_close(both, left * 0.5 - right * 2, **close, what=what)
            finite = np.isfinite(left) & np.isfinite(right)
            testing.assert_close(zero[finite], np.zeros_like(zero)[finite], what=f"no {what}")
