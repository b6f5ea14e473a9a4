"""Every registered op has a row in the table, and every excuse is still needed."""

from __future__ import annotations

import collections
import contextlib
from typing import Any

import numpy as np
import pytest

import tapegrad as tf
from samples import Run, Sample, all_samples, look_up
from samples.ask import floats, gradients
from samples.draws import COMPLEX
from tapegrad.core import Op, load_ops, registry, set_checker

# Ops that no row runs, and why. An excuse for an op that a row runs, or that is gone, fails.
_EXCUSED: dict[str, str] = {
    "AccumulateNV2": "TensorFlow itself has no kernel for it: there is nothing to compare with",
    "_NumbersOfRows": "for the gradient of SparseAddGrad, which TensorFlow lacks: test_sparse_tensor asks it",
    "_RowNorms": "conjugate_gradient() takes an object with methods: tests/test_ops_rest.py asks it",
}


def _own_ops() -> set[str]:
    """Ops that rows name themselves."""
    found = set()
    for sample in all_samples():
        if sample.path and sample.path.startswith("raw_ops."):
            found.add(sample.path.removeprefix("raw_ops."))
        with contextlib.suppress(AttributeError):  # test_row_names_an_op says so
            op = look_up(tf, sample.path) if sample.path else None
            if isinstance(op, Op):
                found.add(op.type)
    return found


@pytest.fixture(scope="module")
def covered() -> set[str]:
    """Types of the ops that run when every case is run once, forward, back, and back again.

    A checker is told of every op that has come to its end, however it was run; those that refuse all they
    are given tell through their kernels.
    """
    ran: set[str] = set()

    def telling(op: Any, kernel: Any) -> Any:
        def run_kernel(*args: Any, **kwargs: Any) -> Any:
            ran.add(op.type)
            return kernel(*args, **kwargs)

        return run_kernel

    load_ops()
    kernels = {op: op.kernel for op in registry.values() if op.kernel is not None}
    for op, kernel in kernels.items():
        op.kernel = telling(op, kernel)
    try:
        with np.errstate(all="ignore"):
            for sample in all_samples():
                for case in sample.cases:
                    set_checker(lambda op, inputs, outputs: ran.add(op.type))
                    _run(Run(sample, case, _dtype(sample)))
                if any(draw in sample.dtypes for draw in COMPLEX):
                    _run(Run(sample, sample.cases[0], "complex64"))
    finally:
        set_checker(None)
        for op, kernel in kernels.items():
            op.kernel = kernel
    return ran | _own_ops() | {name for sample in all_samples() for name in sample.covers}


def _dtype(sample: Sample) -> str:
    return "float32" if "float32" in sample.dtypes else sample.dtypes[0]


def _run(run: Run) -> None:
    with contextlib.suppress(Exception):
        tensors = run.tensors(tf)
        with tf.GradientTape() as tape:
            tape.watch([tensor for tensor in tensors if floats(tensor)])
            found = gradients(run, tensors)
        tape.gradient([part for part in found if part is not None], tensors)


def _registered() -> set[str]:
    load_ops()
    return {name for name, op in registry.items() if isinstance(op, Op)}


def test_every_op_has_a_row(covered: set[str]) -> None:
    missing = sorted(_registered() - covered - set(_EXCUSED))
    assert not missing, f"these ops have no row in tests/samples: {', '.join(missing)}"


def test_no_excuse_is_stale(covered: set[str]) -> None:
    stale = sorted(set(_EXCUSED) & covered | set(_EXCUSED) - _registered())
    assert not stale, f"these ops need no excuse any more: {', '.join(stale)}"
    unknown = sorted(
        name for sample in all_samples() for name in sample.covers if name not in _registered()
    )
    assert not unknown, f"rows claim to cover ops that are not there: {', '.join(unknown)}"


def test_keys_are_unique() -> None:
    """Golden files are found by them."""
    keys = [
        (sample.key(case)) for sample in all_samples() for case in (*sample.cases, *sample.kinks)
    ]
    assert not [key for key, count in collections.Counter(keys).items() if count > 1]


@pytest.mark.parametrize("sample", all_samples(), ids=repr)
def test_row_names_an_op(sample: Sample) -> None:
    if sample.path:
        function: Any = look_up(tf, sample.path)
        assert callable(function)
