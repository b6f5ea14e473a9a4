"""Results and gradients have TensorFlow's dtypes; a dtype that an op does not take is an error."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapegrad as tf
from samples import Run
from samples.ask import NO_KERNEL, check_recorded, floats, gradients, recorded_runs, values

_RUNS = [(run, answer) for run, answer in recorded_runs() if "error" in answer]
_FLOATING = [
    run for run, answer in recorded_runs() if any(answer.get("gradients", ())) and run.arrays
]
_CLASSES = {name: getattr(tf.errors, name) for name in ("InvalidArgumentError", *NO_KERNEL)} | {
    "ValueError": ValueError,
    "TypeError": TypeError,
    "IndexError": IndexError,
}


@pytest.mark.parametrize(("run", "answer"), _RUNS, ids=[repr(run) for run, _ in _RUNS])
def test_error_is_tensorflows(run: Run, answer: dict[str, Any]) -> None:
    check_recorded(run, answer)
    if answer["error"] in NO_KERNEL:
        # The op means something here, but TensorFlow has no kernel: we may have one.
        try:
            with np.errstate(all="ignore"):
                values(run)
        except (tf.errors.OpError, TypeError, ValueError):
            pass
        return
    with pytest.raises(_CLASSES[answer["error"]]) as caught:
        values(run)
    assert str(caught.value).strip()


@pytest.mark.parametrize("run", _FLOATING, ids=map(repr, _FLOATING))
def test_gradient_has_its_sources_dtype_and_shape(run: Run) -> None:
    sources = [tensor for tensor in run.tensors(tf) if floats(tensor)]
    with np.errstate(all="ignore"):
        found = gradients(run)
    for source, gradient in zip(sources, found, strict=True):
        if gradient is not None:
            assert gradient.dtype == source.dtype
            assert gradient.shape == source.shape
