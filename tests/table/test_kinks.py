"""The kinks of the sample table (its ``at``): the answers promised there, and which are not TensorFlow's.

The numerics contract itself, of which these are the parts that one op can say, is in test_numerics.py.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import golden
import tapegrad as tf
from samples import Run
from samples.ask import check_recorded, dense, floats, is_kink, recorded_runs
from tapegrad import testing

_KINKS = [(run, answer) for run, answer in recorded_runs() if is_kink(run)]
_PROMISED = [
    (run, answer)
    for run, answer in _KINKS
    if run.case.answer is not None or run.case.value is not None
]
_IDS = [repr(run) for run, _ in _PROMISED]


def _promise_kept(actual: Any, promised: Any, run: Run) -> bool:
    try:
        # Constants such as 0.6931472 are written to seven digits.
        testing.assert_close(np.asarray(actual), np.asarray(promised), rtol=1e-5, what=repr(run))
    except AssertionError:
        return False
    return True


@pytest.mark.parametrize(("run", "answer"), _PROMISED, ids=_IDS)
def test_promise(run: Run, answer: dict[str, Any]) -> None:
    tensors = run.tensors(tf)
    sources = [tensor for tensor in tensors if floats(tensor)]
    with tf.GradientTape() as tape:
        for source in sources:
            tape.watch(source)
        result = run(tf, tensors)
    if run.case.value is not None:
        testing.assert_close(result, np.asarray(run.case.value), rtol=1e-5, what=repr(run))
    if run.case.answer is not None:
        found = tape.gradient(result, sources)
        for place, (gradient, promised) in enumerate(zip(found, run.case.answer, strict=True)):
            what = f"gradient {place} of {run!r}"
            testing.assert_close(dense(gradient), np.asarray(promised), rtol=1e-5, what=what)


@pytest.mark.parametrize(("run", "answer"), _PROMISED, ids=_IDS)
def test_promise_says_whether_it_is_tensorflows(run: Run, answer: dict[str, Any]) -> None:
    """What is marked as differing does differ, and nothing else: no stale excuses."""
    check_recorded(run, answer)
    same = "error" not in answer
    if same and run.case.value is not None:
        same = _promise_kept(golden.decode(answer["outputs"][0]), run.case.value, run)
    if same and run.case.answer is not None:
        same = "gradients" in answer and all(
            coded is not None and _promise_kept(golden.decode(coded), promised, run)
            for coded, promised in zip(answer["gradients"], run.case.answer, strict=True)
        )
    assert same == (not run.case.differs), answer
