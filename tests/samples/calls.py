"""Calls of every op, taken down while the rows of the table and their gradients run."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import tapegrad as tf
from tapegrad import core

from . import Run, all_samples, flatten
from .ask import floats

Call = tuple[list[Any], list[Any], tuple[Any, ...]]  # inputs, outputs, attributes


class Calls(core.Observer):
    """Keeps calls of every op on NumPy's arrays: ``most`` of each, ``alike`` of those with one signature."""

    def __init__(self, signature: Callable[..., Any], most: int, alike: int) -> None:
        self.of: dict[str, dict[Any, Call]] = {}
        self.signature, self.most, self.alike = signature, most, alike

    def observe(self, op: Any, inputs: Any, outputs: Any, attributes: Any) -> None:
        kept = self.of.setdefault(op.type, {})
        if len(kept) >= self.most or not all(
            isinstance(tensor._array, np.ndarray) for tensor in (*inputs, *outputs)
        ):
            return
        signature = self.signature(inputs, attributes)
        number = sum(key[0] == signature for key in kept)
        if number < self.alike:
            kept[signature, number] = list(inputs), list(outputs), attributes


def calls_of_the_table(
    signature: Callable[..., Any],
    most: int,
    alike: int,
    programs: Sequence[Callable[[], Any]] = (),
) -> dict[str, list[Call]]:
    """Calls of every op, in ``programs``, in the table's rows and in their gradients."""
    noted = Calls(signature, most, alike)
    with noted:
        for program in programs:
            program()
    for sample in all_samples():
        for number, case in enumerate([*sample.cases, *sample.kinks]):
            for dtype in sample.dtypes if number == 0 else ["float32"]:
                with np.errstate(all="ignore"), warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    run_with_gradient(Run(sample, case, dtype), noted)
    return {type: list(kept.values()) for type, kept in noted.of.items() if kept}


def apply(op: core.Op, inputs: list[Any], attributes: tuple[Any, ...]) -> list[Any]:
    """The results of a call of the op, without warnings."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        results: Any = op.apply(inputs, attributes)
    return (
        list(results)
        if isinstance(results, (list, tuple))
        else []
        if results is None
        else [results]
    )


def specs(tensors: list[Any]) -> list[Any]:
    """The shape and the dtype of each tensor."""
    return [(tuple(tensor.shape), tensor.dtype) for tensor in tensors]


def run_with_gradient(run: Run, noted: Calls) -> None:
    tensors = run.tensors(tf)
    sources = [tensor for tensor in tensors if floats(tensor)]
    try:
        with noted, tf.GradientTape() as tape:
            tape.watch(sources)
            results = [y for y in flatten(run(tf, tensors)) if hasattr(y, "dtype") and floats(y)]
        if results and sources:
            with noted:
                tape.gradient(results, sources)
    except (tf.errors.OpError, AttributeError, LookupError, TypeError, ValueError):
        pass  # a dtype that the op does not take: test_dtypes asks whether it says so
