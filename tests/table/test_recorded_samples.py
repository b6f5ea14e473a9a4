"""Every row of the sample table, recorded and replayed on other values, and on other shapes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapegrad as tf
from samples import Run, Sample, all_samples, cases, flatten
from samples.ask import Reused, dense_gradients


def others(tensors: list[Any]) -> list[Any]:
    """Tensors of the same shapes with other values."""
    changed = []
    for tensor in tensors:
        array = np.roll(tensor.numpy(), 1)
        if array.dtype.kind == "f":
            array = (array * 0.75).astype(array.dtype)
        changed.append(tf.constant(array))
    return changed


def doubled(tensors: list[Any]) -> list[Any]:
    """Tensors with twice as many rows. An op that cannot take these raises what it raises eagerly."""
    arrays = [tensor.numpy() for tensor in tensors]
    return [
        tf.constant(np.concatenate([array, array]) if array.ndim else array) for array in arrays
    ]


def with_counts(tensors: list[Any], times: int) -> list[Any]:
    """Tensors with three times as many rows, and how many `cut` leaves: ``times`` as many as there were."""
    arrays = [tensor.numpy() for tensor in tensors]
    larger = [tf.constant(np.concatenate([array] * 3) if array.ndim else array) for array in arrays]
    return [*larger, *[tf.constant(times * len(array) if array.ndim else 0) for array in arrays]]


def cut(tensors: list[Any]) -> list[Any]:
    """The tensors with as many rows as the counts behind them say."""
    half = len(tensors) // 2
    return [
        tensor[:count] if tensor.shape.rank else tensor
        for tensor, count in zip(tensors[:half], tensors[half:], strict=True)
    ]


def as_they_are(tensors: list[Any]) -> list[Any]:
    return tensors


def answer(call: Any) -> tuple[str, Any]:
    """What a call gives, or the class of its error."""
    tf.random.set_seed(1)
    try:
        return "", call()
    except Exception as error:
        return type(error).__name__, None


def values(results: Any) -> list[Any]:
    return [np.asarray(each.numpy() if hasattr(each, "numpy") else each) for each in results]


def check(
    run: Run, function: Any, given: list[list[Any]], signature: Any = None, cut: Any = as_they_are
) -> Any:
    reused = Reused()

    def without_new_variables(tensors: Any) -> Any:
        with reused:
            return function(tensors)

    recorded = tf.function(without_new_variables, input_signature=signature)
    # Not called: its random ops are numbered as those of the recorded one.
    python = tf.function(function, input_signature=signature)
    for tensors in [*given, *reversed(given)]:
        if reused.made and cut(tensors)[0].shape != cut(given[0])[0].shape:
            continue  # A variable keeps its shape.
        wrong, wanted = answer(lambda tensors=tensors: python._run((tensors,), {}))
        failed, found = answer(lambda tensors=tensors: recorded(tensors))
        assert wrong == failed, (
            f"{run!r}: {wrong or 'no error'} in eager, {failed or 'none'} recorded"
        )
        if wanted is None:
            continue
        for one, other in zip(values(found), values(wanted), strict=True):
            assert one.dtype == other.dtype, repr(run)
            np.testing.assert_array_equal(one, other, err_msg=repr(run))
    return recorded


def check_row(sample: Sample, given: Any, unknown: bool = False, cut: Any = as_they_are) -> None:
    with np.errstate(all="ignore"):
        for run in cases(sample):
            tensors = run.tensors(tf)
            signature = None
            if unknown:
                signature = [
                    [tf.TensorSpec([None] * each.shape.rank, each.dtype) for each in tensors]
                ]

            def call(tensors: Any, run: Run = run) -> Any:
                return flatten(run(tf, cut(tensors)))

            check(run, call, given(tensors), signature, cut)
            if sample.differentiable:

                def differentiate(tensors: Any, run: Run = run) -> Any:
                    return dense_gradients(run, cut(tensors))

                check(run, differentiate, given(tensors), signature, cut)


@pytest.mark.parametrize("sample", all_samples(), ids=lambda row: row.name)
def test_row_is_recorded(sample: Sample) -> None:
    check_row(sample, lambda x: [x, others(x), doubled(x), others(doubled(x))])


@pytest.mark.parametrize("sample", all_samples(), ids=lambda row: row.name)
def test_row_is_recorded_for_unknown_sizes(sample: Sample) -> None:
    """All sizes are open in the first call."""
    check_row(sample, lambda x: [x, doubled(x)], unknown=True)


@pytest.mark.parametrize("sample", all_samples(), ids=lambda row: row.name)
def test_row_is_recorded_for_sizes_that_values_decide(sample: Sample) -> None:
    check_row(sample, lambda x: [with_counts(x, times) for times in (1, 2, 3)], cut=cut)
