"""Taylor series, asked of every row that is smooth: they are what accumulators inside of each other give."""

from __future__ import annotations

from typing import Any

import numpy as np

import tapegrad as tf
from by_row import by_row
from samples import Case, Run, Sample, flatten
from samples.ask import floats, smooth_cases

ad = tf.autodiff
ROWS = [row for row in smooth_cases(order=2) if not row[0].single]
# Their kernels compute in float32 whatever they are given.
COARSE = {"image.rgb_to_grayscale"}


@by_row(ROWS)
def test_series_of_second_order(sample: Sample, case: Case, dtype: str) -> None:
    run = Run(sample, case, dtype)
    tensors = run.tensors(tf)
    places = [
        place
        for place, tensor in enumerate(tensors)
        if floats(tensor) and tensor._num_elements() and place not in sample.fixed
    ]
    inputs = [tensors[place] for place in places]
    ways = [
        tf.constant(run.seed(f"v{i}", x.shape, np.dtype(x.dtype.as_numpy_dtype)))
        for i, x in enumerate(inputs)
    ]

    def function(xs: list[Any]) -> list[Any]:
        here = list(tensors)
        for place, x in zip(places, xs, strict=True):
            here[place] = x
        return [y for y in flatten(run(tf, here)) if floats(y)]

    def derivative(xs: list[Any]) -> list[Any]:
        return ad.jvp(function, (xs,), (ways,))[1]

    with np.errstate(all="ignore"):
        series = ad.taylor(function, inputs, 2, direction=ways)
        second = ad.jvp(derivative, (inputs,), (ways,))[1]
    exact = (1e-3 if sample.rounds or sample.name in COARSE else 1e-9) * sample.loose[0]
    for found, expected in zip(series[1] + series[2], derivative(inputs) + second, strict=True):
        half = 1.0 if any(found is each for each in series[1]) else 0.5
        wanted = half * expected.numpy().astype(np.result_type(expected.dtype.as_numpy_dtype, "f8"))
        scale = np.max(np.abs(wanted), initial=0.0, where=np.isfinite(wanted))
        np.testing.assert_allclose(found, wanted, rtol=exact, atol=exact * (1 + scale))
