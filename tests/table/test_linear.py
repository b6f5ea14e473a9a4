"""The word ``linear=``: true of every op that has it, in all that the table does; and no op lacks it."""

from __future__ import annotations

import functools
import itertools
from typing import Any

import numpy as np
import pytest

import tapegrad as tf
from samples import Run, all_samples, flatten
from samples.ask import differences_dtypes, floats
from tapegrad import core, testing
from tapegrad.core import Op
from without_rows import RANKS

core.load_ops()
CALLS_OF_EACH = 30

# No row calls these where an accumulator could follow.
UNCALLED = {
    "AccumulateNV2": "only graphs have it in TensorFlow; it is AddN",
    **dict.fromkeys(
        RANKS,
        "it needs a group of ranks: test_ranks.py",
    ),
    "_EnterBatch": "its results have values for each item of a batch: tests of batches ask it",
    "_LeaveBatch": "as _EnterBatch",
    "_PutItems": "maps whose items part call it: test_vectorized_map.py",
    "_SumItems": "as _EnterBatch",
    "_TakeItems": "as _PutItems",
}

# Linear in these inputs, as far as the table shows, and without the word.
WITHOUT_WORD = {
    ("NextAfter", "x1"): "is x1, but for the last bit",
    ("NextAfter", "x1 x2"): "is x1, but for the last bit",
    ("ExtractGlimpseV2", "input"): "draws noise outside of the picture",
    ("_OnceOnly", "x"): "its rule raises where a derivative of second order is taken",
    ("PreventGradient", "input"): "its rule raises",
    ("Print", "input"): "prints",
    ("SparseAdd", "a_values b_values"): "leaves out values below a threshold",
    ("_BatchNormalization", "offset scale"): "offset is linear with x and mean already",
}  # fmt: skip


class _Calls(core.Observer):
    """Notes calls of ops through which gradients flow."""

    def __init__(self) -> None:
        self.of: dict[str, list[tuple[list[Any], tuple[Any, ...]]]] = {}

    def observe(self, op: Any, inputs: Any, outputs: Any, attributes: Any) -> None:
        calls = self.of.setdefault(op.type, [])
        if len(calls) < CALLS_OF_EACH and any(floats(x) and x._num_elements() for x in inputs):
            calls.append((list(inputs), attributes))


@functools.cache
def _calls() -> dict[str, list[tuple[list[Any], tuple[Any, ...]]]]:
    """The calls of every op in the table's rows, in their gradients, and in the gradients of these."""
    noted = _Calls()
    for sample in all_samples():
        for number, case in enumerate(sample.cases):
            for dtype in ["float32"] if sample.single else differences_dtypes(sample, number):
                with np.errstate(all="ignore"), noted:
                    _differentiate_twice(Run(sample, case, dtype))
    return noted.of


def _differentiate_twice(run: Run) -> None:
    tensors = run.tensors(tf)
    sources = [tensor for tensor in tensors if floats(tensor)]
    try:
        with tf.GradientTape() as outer:
            outer.watch(sources)
            with tf.GradientTape() as inner:
                inner.watch(sources)
                results = [y for y in flatten(run(tf, tensors)) if floats(y)]
            gradients = inner.gradient(results, sources)
        outer.gradient([each for each in gradients if each is not None], sources)
    except (tf.errors.OpError, LookupError, TypeError, ValueError, NotImplementedError):
        pass  # a dtype that the op does not take: test_dtypes asks whether it says so


OPS = [
    op
    for op in core.registry.values()
    if op.differentiable == "yes" and op.effect != "draws" and op.type not in UNCALLED
]


@pytest.mark.parametrize("op", OPS, ids=lambda op: str(op.type))
def test_word_is_true_and_there(op: Op) -> None:
    calls = _calls().get(op.type)
    assert calls, f"no row of the table calls {op.type} where a gradient flows"
    for group in _declared(op):
        answers = [_linear_in(op, *call, group) for call in calls]
        assert True in answers, f"no row shows that {op.type} is linear in {_names(op, group)}"
        assert False not in answers, f"{op.type} is not linear in {_names(op, group)}"
    undeclared = {
        _names(op, group)
        for group in _candidates(op)
        if _holds_always(op, calls, group) and (op.type, _names(op, group)) not in WITHOUT_WORD
    }
    assert not undeclared, f"{op.type} is linear in {sorted(undeclared)}: say so with linear="


@pytest.mark.parametrize(("type", "group"), WITHOUT_WORD, ids=lambda key: str(key))
def test_excuse_is_needed(type: str, group: str) -> None:
    op = core.registry[type]
    places = tuple(op.inputs.index(name) for name in group.split())
    assert _holds_always(op, _calls()[type], places) or "offset" in group


def _declared(op: Op) -> list[tuple[int, ...]]:
    return [] if op.multilinear else list(op.linear)


def _candidates(op: Op) -> list[tuple[int, ...]]:
    """Inputs, and pairs of inputs, of which no declared group says anything."""
    if op.multilinear:
        return []
    named = {place for group in op.linear for place in group}
    places = range(len(op.inputs))
    return [
        group
        for size in (1, 2)
        for group in itertools.combinations(places, size)
        if not named & set(group)
    ]


def _names(op: Op, group: tuple[int, ...]) -> str:
    return " ".join(op.inputs[i] for i in group)


def _holds_always(op: Op, calls: Any, group: tuple[int, ...]) -> bool:
    answers = [_linear_in(op, *call, group) for call in calls]
    return True in answers and False not in answers


def _places(op: Op, inputs: list[Any], group: tuple[int, ...]) -> list[int]:
    """The numbers of the tensors that stand for the inputs of a group."""
    last = len(op.inputs) - 1
    return [i for i in range(len(inputs)) if min(i, last) in group]


def _widened(array: Any) -> Any:
    array = np.asarray(array)
    return (
        array.astype(np.float32) if array.dtype.kind == "V" or array.dtype.itemsize == 2 else array
    )


def _linear_in(
    op: Op, inputs: list[Any], attributes: tuple[Any, ...], group: tuple[int, ...]
) -> bool | None:
    """Whether the op is linear there. None if the call cannot say: an input of the group does not matter."""
    places = _places(op, inputs, group)
    moved = [inputs[i] for i in places]
    if not moved or not all(floats(x) and x._num_elements() for x in moved):
        return None
    generator = np.random.default_rng(len(inputs))

    def random(like: Any) -> Any:
        numbers = generator.uniform(0.3, 1.5, like.shape) * generator.choice([-1, 1], like.shape)
        if like.dtype.is_complex:
            numbers = numbers * np.exp(1j)
        return tf.constant(numbers.astype(like.dtype.as_numpy_dtype))

    def results(values: list[Any]) -> list[Any]:
        tensors = list(inputs)
        for place, value in zip(places, values, strict=True):
            tensors[place] = value
        with np.errstate(all="ignore"):
            found = op.apply(tensors, attributes)
        found = [found] if isinstance(found, tf.Tensor) else list(found)
        return [_widened(y.numpy()) for y in found if floats(y)]

    try:
        one, other = [random(x) for x in moved], [random(x) for x in moved]
        left, right = results(one), results(other)
        both = results([0.5 * x - 2.0 * y for x, y in zip(one, other, strict=True)])
        for i in range(len(moved)):
            changed = results([*one[:i], other[i], *one[i + 1 :]])
            if all(
                np.array_equal(x, y, equal_nan=True) for x, y in zip(left, changed, strict=True)
            ):
                return None
    except (tf.errors.OpError, ValueError):
        return None  # it does not take such numbers
    said = None
    for x, y, z in zip(left, right, both, strict=True):
        if x.shape != z.shape or x.shape != y.shape:
            return False
        with np.errstate(all="ignore"):
            expected = 0.5 * x - 2.0 * y
        known = np.isfinite(expected)
        if not known.any():
            continue  # outside of where the op has values
        scale = max(1.0, float(np.max(np.abs([x[known], y[known]]))))
        if not np.max(np.abs(z[known] - expected[known])) <= _share(inputs, x) * scale:
            return False
        said = True
    return said


def _share(inputs: list[Any], result: Any) -> float:
    """How much of a number may be lost in the coarsest of the dtypes."""
    coarsest = max(testing.tolerance(x.dtype) for x in [result, *filter(floats, inputs)])
    return 1000 * coarsest
