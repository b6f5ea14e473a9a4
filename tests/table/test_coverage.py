"""Every registered op is asked for its values and its gradients, and every excuse is still needed.

An op counts as asked where a number that it takes part in is compared: its values where a row's results,
gradients or error are TensorFlow's, or where the tape's gradient equals finite differences; its rules only in
the latter case, to first or second order.
"""

from __future__ import annotations

import collections
import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

import golden
import tapegrad as tf
from samples import Case, Run, Sample, all_samples, look_up
from samples.ask import (
    NO_KERNEL,
    check_differences,
    compare_within,
    dense,
    gradients,
    is_kink,
    recorded_runs,
    smooth_cases,
    values,
)
from tapegrad import dtypes, testing
from tapegrad.core import Observer, Op, load_ops, registry
from without_rows import RANKS, TEXT

# Ops whose values no row compares, and why. An excuse for an op that a row asks, or that is gone, fails.
_VALUES_UNASKED: dict[str, str] = {
    "AccumulateNV2": "TensorFlow has no kernel for it: test_names_of_ops.py asks for its value",
    "FFTND": "TensorFlow's runs on no processor: test_ops_signal.py compares ours with NumPy's",
    "IFFTND": "as FFTND",
    "_SomeAreEqual": "it is called where numerics are checked: test_check_numerics.py asks it",
    "_RowNorms": "conjugate_gradient() takes an object with methods: test_ops_sparse_and_sets.py asks it",
    "EagerPyFunc": "a row holds no function: test_effects.py",
    "PrintV2": "it gives nothing: test_effects.py",
    "_PutItems": "the rule of _TakeItems",
    "_IndicesOfAll": "batches of gathers and segments call it: test_recorded_batches.py",
    "_TakeItems": "maps whose items part call it: test_vectorized_map.py",
    "_CrossHashed": "rows compare numbers of one dtype: test_sparse_cross.py",
    "_CrossJoined": "as _CrossHashed",
    **{
        f"LookupTable{name}V2": "a row holds no table: test_lookup.py"
        for name in ("Export", "Find", "Import", "Insert", "Remove", "Size")
    },
    "DecodeJSONExample": "rows hold numbers: test_rare_names.py",
    "SampleDistortedBoundingBoxV2": "a row holds no state of seeds: test_sampled_boxes.py",
    "PyFunc": "a row holds no function: test_effects.py",
    **dict.fromkeys(
        RANKS,
        "a row holds no group of ranks: test_ranks.py",
    ),
    "ResourceCountUpTo": "a row holds no variable to count with: test_variables.py",
    "StringFormat": "tf.print dispatches it: test_effects.py",
    **dict.fromkeys(
        (
            *(
                "DecodeAndCropJpeg",
                "DecodeBase64",
                "DecodeBmp",
                "_DecodeCSV",
                "DecodeCompressed",
                "DecodeGif",
            ),
            *(
                "DecodeImage",
                "DecodeJpeg",
                "DecodePaddedRaw",
                "DecodePng",
                "DecodeRaw",
                "DecodeWav",
                "DecodeWebP",
            ),
            *(
                "EncodeBase64",
                "EncodeJpeg",
                "EncodePng",
                "EncodeWav",
                "ExtractJpegShape",
                "MatchingFiles",
            ),
            *("ParseTensor", "ReadFile", "SerializeTensor", "WriteFile", "_IsJpeg"),
        ),
        "it reads or writes files, or what they hold: test_io.py",
    ),
    **dict.fromkeys(
        (
            *("_ParseExample", "_ParseSequenceExample", "_PlacesInRecords", "_LengthsInRecords"),
            "_PlacesInSteps",
        ),
        "a row holds no records: test_examples_proto.py",
    ),
    "Timestamp": "it never gives one answer twice: test_names_of_ops.py",
    **dict.fromkeys(
        TEXT,
        "text, and rows of it: test_strings.py and test_ragged_ops.py compare it with TensorFlow's",
    ),
    **dict.fromkeys(
        (
            "RngReadAndSkip",
            "StatefulRandomBinomial",
            "StatefulStandardNormalV2",
            "StatefulTruncatedNormal",
            "StatefulUniform",
            "StatefulUniformFullInt",
            "StatefulUniformInt",
        ),
        "a row holds no generator: test_random.py has them draw TensorFlow's numbers",
    ),
    **dict.fromkeys(
        (
            "AllCandidateSampler",
            "FixedUnigramCandidateSampler",
            "LearnedUnigramCandidateSampler",
            "StatelessShuffle",
        ),
        "its numbers depend on nothing that a row draws: test_random.py, test_effects.py",
    ),
}

# Rules that no row compares with finite differences, "op.input" or "op" for a joint rule, and why.
_STRAIGHT = (
    "the gradient takes no notice of the rounding, which TensorFlow's recorded gradient shows"
)
_RANGE = "the range and the numbers in it count as constants, as in TensorFlow, where they are none"
_RULES_UNASKED: dict[str, str] = {
    **dict.fromkeys(
        (
            *("_AllGather.x", "_AllReduceExtreme.x", "_AllReduceSum.x", "_AllReduceSumMany.xs"),
            *("_Broadcast.x", "_ReduceScatter.x"),
        ),
        "a row holds no group of ranks: tests/ranks/collectives.py asks whether they are adjoints",
    ),
    "AccumulateNV2.inputs": "TensorFlow has no kernel: test_names_of_ops.py asks for the gradient",
    "FakeQuantWithMinMaxArgs.inputs": _STRAIGHT,
    "FakeQuantWithMinMaxArgsGradient.inputs": _RANGE,
    "FakeQuantWithMinMaxVars": _STRAIGHT,
    "FakeQuantWithMinMaxVarsGradient.inputs": _RANGE,
    "FakeQuantWithMinMaxVarsGradient.max": _RANGE,
    "FakeQuantWithMinMaxVarsGradient.min": _RANGE,
    "FakeQuantWithMinMaxVarsPerChannel": _STRAIGHT,
    "FakeQuantWithMinMaxVarsPerChannelGradient.inputs": _RANGE,
    "FakeQuantWithMinMaxVarsPerChannelGradient.max": _RANGE,
    "FakeQuantWithMinMaxVarsPerChannelGradient.min": _RANGE,
    "_PutItems.x": "maps whose items part call it: test_vectorized_map.py",
    "_TakeItems.x": "as _PutItems",
    "PreventGradient.input": "it raises: test_errors.py holds what it says",
    "QuantizeAndDequantizeV2.input": _STRAIGHT,
    "QuantizeAndDequantizeV3.input": _STRAIGHT,
    "QuantizeAndDequantizeV4": _STRAIGHT,
    "FusedBatchNormGradV3": "the rows of fused_batch_norm, whose gradient it is, are asked to second order",
    "RandomGamma.alpha": "as StatelessRandomGammaV3.alpha",
    "StatelessRandomGammaV3.alpha": "it is that of a quantile, not of the steps by which a number is drawn",
    "_OnceOnly.x": "it raises: test_errors.py holds what it says",
}


@functools.cache
def _ops() -> dict[str, Op]:
    load_ops()
    return {name: op for name, op in registry.items() if isinstance(op, Op)}


def _rule_name(op: Op, place: int) -> str:
    return op.type if place < 0 else f"{op.type}.{op.inputs[place]}"


def _may_flow(op: Op, place: int) -> bool:
    """Whether gradients can flow to that input at all: of indices, counts and the like it has no dtype."""
    own = None if place < 0 or op.input_types is None else op.input_types[place]
    return own is None or any(_floats(dtype) for dtype in own)


def _floats(dtype: dtypes.DType) -> bool:
    return dtype.is_floating or dtype.is_complex


def _says_none(rule: Callable[..., Any]) -> bool:
    """Whether a rule gives None whatever arrives: the input counts as a constant."""
    try:
        return rule(*[object()] * rule.__code__.co_argcount) is None
    except (AttributeError, TypeError, ValueError, LookupError, RuntimeError, tf.errors.OpError):
        return False


@functools.cache
def _rules() -> set[str]:
    """The names of all rules that a gradient can flow through."""
    return {
        _rule_name(op, place)
        for op in _ops().values()
        for place, (rule, _) in op.rules.items()
        if _may_flow(op, place) and not _says_none(rule)
    }


@contextmanager
def _told_of_kernels(ran: set[str]) -> Iterator[None]:
    """Note the types of ops as they begin: those that refuse what they are given do not come to an end."""

    def telling(op: Op, kernel: Callable[..., Any]) -> Callable[..., Any]:
        def run_kernel(*args: Any, **kwargs: Any) -> Any:
            ran.add(op.type)
            return kernel(*args, **kwargs)

        return run_kernel

    kernels = {op: op.kernel for op in _ops().values() if op.kernel is not None}
    for op, kernel in kernels.items():
        op.kernel = telling(op, kernel)
    try:
        yield
    finally:
        for op, kernel in kernels.items():
            op.kernel = kernel


@contextmanager
def _told_of_results(ran: set[str]) -> Iterator[None]:
    """Note the types of the ops that come to their end."""

    class Listener(Observer):
        def observe(self, op: Op, inputs: Any, outputs: Any, attributes: Any) -> None:
            ran.add(op.type)

    with Listener():
        yield


@contextmanager
def _told_of_rules(called: set[str]) -> Iterator[None]:
    """Note the rules that are called."""

    def telling(name: str, rule: Callable[..., Any]) -> Callable[..., Any]:
        def call_rule(*args: Any) -> Any:
            called.add(name)
            return rule(*args)

        return call_rule

    rules = {op: (dict(op.rules), dict(op.fast_forms)) for op in _ops().values() if op.rules}
    for op, (table, _) in rules.items():
        op.set_rules(
            {
                place: (telling(_rule_name(op, place), rule), asks)
                for place, (rule, asks) in table.items()
            }
        )
    try:
        yield
    finally:
        for op, (table, forms) in rules.items():
            op.set_rules(table, forms)


def _asked_values() -> set[str]:
    """Types of the ops that take part in a value or an error that the tests of the table compare."""
    ran: set[str] = set()
    refused: set[str] = set()
    for run, answer in recorded_runs():
        if run.dtype not in (_dtype(run.sample), "complex64"):
            continue  # the same ops once more
        if "error" not in answer:
            with np.errstate(all="ignore"), _told_of_results(ran):
                values(run)
                if any(answer.get("gradients", ())):
                    gradients(run, ones=is_kink(run))
        elif answer["error"] not in NO_KERNEL:
            with _told_of_kernels(refused), pytest.raises(Exception):  # noqa: B017, PT011
                values(run)
    return ran | refused


def _dtype(sample: Sample) -> str:
    return "float32" if "float32" in sample.dtypes else sample.dtypes[0]


def _asked_by_differences() -> tuple[set[str], set[str]]:
    """Types of the ops, and names of the rules, that make the gradients which finite differences judge.

    No direction is asked here: `test_gradients` and `test_second_order` do that.
    """
    made: set[str] = set()
    called: set[str] = set()
    second = set(smooth_cases(order=2))
    # While results are looked at, no rule runs as a program.
    with np.errstate(all="ignore"), _told_of_rules(called):
        for sample, case, dtype in smooth_cases(order=1):
            forward: set[str] = set()
            ran: set[str] = set()
            with _told_of_results(forward):
                values(Run(sample, case, "float32" if sample.single else dtype))
            order = 2 if (sample, case, dtype) in second else 1
            with _told_of_results(ran):
                check_differences(sample, case, dtype, order, directions=0)
            made |= ran - forward
    return made, called


def test_every_op_is_asked_or_excused() -> None:
    """One test, so that one worker alone runs the whole table."""
    made, rules = _asked_by_differences()
    ops = _asked_values() | made
    missing = sorted(set(_ops()) - ops - set(_VALUES_UNASKED))
    assert not missing, f"no row of tests/samples compares what these ops give: {missing}"
    missing = sorted(_rules() - rules - set(_RULES_UNASKED))
    assert not missing, f"no row of tests/samples compares these rules with differences: {missing}"
    stale = set(_VALUES_UNASKED) & ops | set(_VALUES_UNASKED) - set(_ops())
    stale |= set(_RULES_UNASKED) & rules | set(_RULES_UNASKED) - _rules()
    assert not stale, f"these ops and rules need no excuse any more: {sorted(stale)}"


# --- The excuses of rows --------------------------------------------------------------------------------


def _holds(ask: Callable[[], None]) -> bool:
    try:
        with np.errstate(all="ignore"):
            ask()
    except (AssertionError, LookupError, TypeError, ValueError, tf.errors.OpError):
        return False
    return True


def _cases(sample: Sample, order: int, excused: bool) -> list[tuple[Sample, Case, str]]:
    return [each for each in smooth_cases(order, excused) if each[0] is sample]


@pytest.mark.parametrize(
    "sample", [sample for sample in all_samples() if sample.differences], ids=repr
)
def test_differences_are_still_excused(sample: Sample) -> None:
    """Some case of the row fails where it is compared with finite differences."""
    cases = _cases(sample, 1, True)
    assert not all(_holds(lambda each=each: check_differences(*each, order=1)) for each in cases)


@pytest.mark.parametrize(
    "sample", [sample for sample in all_samples() if sample.second_order], ids=repr
)
def test_second_order_is_still_excused(sample: Sample) -> None:
    cases = _cases(sample, 2, True)
    assert not all(_holds(lambda each=each: check_differences(*each, order=2)) for each in cases)


@pytest.mark.parametrize(
    "sample", [sample for sample in all_samples() if sample.single or sample.fixed], ids=repr
)
def test_differences_are_still_narrowed(sample: Sample) -> None:
    """Some case fails in double precision, along all of its inputs."""
    order = 1 if sample.differences or sample.second_order else 2
    cases = _cases(sample, order, bool(sample.differences))
    assert not all(
        _holds(lambda each=each: check_differences(*each, order=order, strictly=True))
        for each in cases
    )


@pytest.mark.parametrize(
    "sample", [sample for sample in all_samples() if sample.rounds or sample.loose[1]], ids=repr
)
def test_tolerance_is_still_needed(sample: Sample) -> None:
    """Some result or gradient is farther from TensorFlow's than half of what its dtype allows."""

    def compare_all() -> None:
        for run, answer in recorded_runs():
            if run.sample is not sample or "error" in answer or run.case.differs:
                continue
            for found, coded, scale in [
                *((found, coded, 0.0) for found, coded in zip(values(run), answer["outputs"])),
                *(
                    (dense(found), coded, 1.0)
                    for coded, found in zip(
                        answer.get("gradients", ()),
                        gradients(run, ones=is_kink(run)) if "gradients" in answer else (),
                    )
                ),
            ]:
                if coded is not None and found is not None:
                    expected = golden.decode(coded)
                    rtol = testing.tolerance(expected.dtype) / 2
                    compare_within(rtol, found, expected, repr(run), scale)

    assert not _holds(compare_all)


# --- The table itself -----------------------------------------------------------------------------------


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
