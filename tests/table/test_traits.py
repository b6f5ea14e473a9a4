"""What ops say of themselves: true in all calls of the table with other values, and said where it holds.

Each op is called as the rows of the table and their gradients call it, but with values that rows avoid:
zeros, infinities, NaN, indices out of range. Shapes, dtypes and attributes stay.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import tapegrad as tf
from samples.calls import Call, apply, calls_of_the_table, specs
from tapegrad import core, dtypes, testing
from tapegrad.core import Op

core.load_ops()

CALLS_OF_EACH = 10

# What each word of `values=` allows to depend on values, beside the elements of results.
ALLOWED: dict[str | None, set[str]] = {
    "nothing": set(),
    "elements": {"elements"},
    "integer errors": {"elements", "integer errors"},
    "errors": {"elements", "integer errors", "errors"},
    "shapes": {"elements", "integer errors", "errors", "shapes"},
    None: {"elements", "integer errors", "errors", "shapes"},
}


def dtypes_of_inputs(inputs: Any, attributes: Any) -> Any:
    return tuple([tensor.dtype.name for tensor in inputs])


@functools.cache
def calls() -> dict[str, list[Call]]:
    """Calls of every op: some of each dtype."""
    return calls_of_the_table(dtypes_of_inputs, CALLS_OF_EACH, 3)


def other_values(tensor: Any) -> list[Any]:
    """Tensors of the same shape and dtype, with values that rows avoid."""
    dtype, shape = tensor.dtype, tuple(tensor.shape)
    generator = np.random.default_rng(tensor._num_elements())
    if dtype.is_floating or dtype.is_complex:
        numbers = [0.0, -1.0, 0.5, np.nan, np.inf, -np.inf, 3e4]
        mixed = generator.choice([0.0, -0.0, np.nan, np.inf, -np.inf, 1.0, -7.5], shape)
        arrays = [*(np.full(shape, number) for number in numbers), mixed]
        arrays.append(generator.normal(size=shape))
    elif dtype.is_integer and not dtype.is_quantized:
        own = np.asarray(tensor.numpy())
        numbers = [0, 1, 2, 99] if dtype.is_unsigned else [0, 1, 2, 99, -1, -99]
        arrays = [np.full(shape, number) for number in numbers]
        arrays += [generator.integers(0, 9, shape), own[::-1] if own.ndim else own]
        for place in {0, own.size // 2, own.size - 1} if own.size else ():
            for change in (1, -1):
                near = own.astype(np.int64).reshape(-1)
                near[place] += change
                if near[place] >= dtype.min:
                    arrays.append(near.reshape(shape))
    elif dtype.is_bool:
        arrays = [np.zeros(shape), np.ones(shape), generator.integers(0, 2, shape)]
    elif dtype == tf.string:
        return [tf.constant(np.full(shape, text, object)) for text in (b"", b"\xff", b"-1", b"a,b")]
    else:
        return []
    return [tf.constant(array.astype(dtype.as_numpy_dtype)) for array in arrays]


def trials(inputs: list[Any]) -> Iterator[list[Any]]:
    """The inputs with others in place of one, and in place of all."""
    others = [other_values(tensor) for tensor in inputs]
    for place, values in enumerate(others):
        for value in values:
            yield [*inputs[:place], value, *inputs[place + 1 :]]
    if len(inputs) > 1:
        for number in range(max(map(len, others))):
            yield [
                values[number % len(values)] if values else tensor
                for tensor, values in zip(inputs, others, strict=True)
            ]


def same_bits(one: Any, other: Any) -> bool:
    x, y = np.asarray(one.numpy()), np.asarray(other.numpy())
    return x.tolist() == y.tolist() if x.dtype.hasobject else x.tobytes() == y.tobytes()


def decided(op: Op) -> dict[str, str]:
    """What values decide in the calls of the table, each with the first example."""
    found: dict[str, str] = {}
    for inputs, outputs, attributes in calls()[op.type]:
        for values in trials(inputs):
            where = f"for {[value.numpy().tolist() for value in values]!s:.200} {attributes!s:.100}"
            try:
                results = apply(op, values, attributes)
            except Exception as error:  # the question is whether it raises
                integers = values[-1].dtype.is_integer
                what = "integer errors" if integers and op.elementwise else "errors"
                found.setdefault(what, f"{error!s:.200} {where}")
                continue
            if specs(results) != specs(outputs):
                found.setdefault("shapes", f"{specs(results)}, not {specs(outputs)}, {where}")
            elif not all(map(same_bits, results, outputs)):
                found.setdefault("elements", where)
    return found


# Ops that say something, if only by what else they say, and no row calls them with arrays of NumPy's.
UNASKED = {
    "AccumulateNV2": "only graphs have it in TensorFlow; it is AddN",
    "FixedUnigramCandidateSampler": "it is made as all samplers are",
    "LearnedUnigramCandidateSampler": "as FixedUnigramCandidateSampler",
    "_EnterBatch": "its results have values for each item of a batch: tests of batches ask it",
    "_LeaveBatch": "as _EnterBatch",
    "_PutItems": "maps whose items part call it: test_vectorized_map.py",
    "_SumItems": "as _EnterBatch",
    "_TakeItems": "as _PutItems",
}

# Ops with these effects are not called again: each call would change what the next one does.
UNREPEATED = ("calls", "reads", "writes", "prints")
ASKED = [
    op
    for op in core.registry.values()
    if op.inputs and (op.effect or "").partition(" ")[0] not in UNREPEATED
]


@pytest.mark.parametrize("op", ASKED, ids=lambda op: str(op.type))
def test_what_values_decide(op: Op) -> None:
    if op.type not in calls():
        assert op.values in (None, "shapes") or op.type in UNASKED, f"no row calls {op.type}"
        return
    found = decided(op)
    untrue = {what: where for what, where in found.items() if what not in ALLOWED[op.values]}
    assert not untrue, f"{op.type} says values={op.values!r}, and its values decide {untrue}"
    if op.effect is None and not found:
        assert op.values == "nothing", f'no values change what {op.type} gives: values="nothing"'
    if op.values is None:
        assert "shapes" in found, (
            f"{op.type} gave results of one shape for all values. If that is always so, say "
            f'values="{"errors" if set(found) - {"elements"} else "elements"}"; else values="shapes".'
        )


# --- Elements that are moved ----------------------------------------------------------------------------


def moved_by(op: Op, inputs: list[Any], attributes: tuple[Any, ...], places: list[int]) -> Any:
    """Whether all elements of the results are elements of these inputs; None if the call cannot say."""
    values = list(inputs)
    next_number = 7
    for place in places:
        x = inputs[place]
        size = x._num_elements()
        if x.dtype not in (tf.float32, tf.float64, tf.int32, tf.int64, tf.string) or not size:
            return None
        numbers = np.arange(next_number, next_number + size).reshape(tuple(x.shape))
        next_number += size
        values[place] = tf.constant(
            numbers.astype(str).astype(object) if x.dtype == tf.string else numbers, x.dtype
        )
    try:
        results = apply(op, values, attributes)
    except (tf.errors.OpError, ValueError):
        return None  # it does not take such numbers
    known = {number for place in places for number in values[place].numpy().ravel().tolist()}
    found = {number for y in results for number in np.asarray(y.numpy()).ravel().tolist()}
    return found <= known if found else None


def places_of(op: Op, inputs: list[Any], names: Any) -> list[int]:
    last = len(op.inputs) - 1
    return [place for place in range(len(inputs)) if op.inputs[min(place, last)] in names]


def takes_text(op: Op, name: str) -> bool:
    own = None if op.input_types is None else op.input_types[op.inputs.index(name)]
    types: Any = op.types if own is None else own
    return types is None or dtypes.string in types


# They give elements of an input in all rows, and have no need to say so.
MOVES_UNSAID = {
    "Cast": "where the dtype is another, the elements are",
}


@pytest.mark.parametrize("op", [op for op in ASKED if op.effect is None], ids=lambda op: op.type)
def test_what_moves(op: Op) -> None:
    """Names of files stay names of files where an op moves them: so ops on text, at least, say ``moves=``."""
    asked = calls().get(op.type, [])
    if op.moves:
        answers = [moved_by(op, x, given, places_of(op, x, op.moves)) for x, _, given in asked]
        assert False not in answers, f"{op.type} gives elements that are not of {op.moves}"
        assert True in answers, f"no row shows that {op.type} moves {op.moves}"
        return
    for name in filter(functools.partial(takes_text, op), op.inputs):
        answers = [moved_by(op, x, given, places_of(op, x, [name])) for x, _, given in asked]
        missing = True in answers and False not in answers
        assert missing == (op.type in MOVES_UNSAID), f"{op.type} moves {name}: say moves={name!r}"


# --- What other rooms ask -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "op",
    [op for op in core.registry.values() if op.check_numerics is False],
    ids=lambda op: str(op.type),
)
def test_unchecked_ops_make_nothing_that_is_not_finite(op: Op) -> None:
    """`enable_check_numerics` may leave an op out if what is not finite was so before."""
    asked = 0
    for inputs, _, attributes in calls()[op.type]:
        if not all(x.dtype in (tf.float32, tf.float64) for x in inputs):
            continue
        for sign in (1.0, -1.0):
            largest = [tf.fill(x.shape, tf.constant(sign * x.dtype.max, x.dtype)) for x in inputs]
            for y in apply(op, largest, attributes):
                asked += 1
                assert np.isfinite(y.numpy()).all()
    assert asked


def real_calls(op: Op) -> Iterator[tuple[list[Any], tuple[Any, ...]]]:
    """Calls of an op on positive numbers."""
    for inputs, _, attributes in calls()[op.type]:
        if inputs and all(x.dtype in (tf.float32, tf.float64) for x in inputs):
            generator = np.random.default_rng(len(inputs))
            numbers = [generator.uniform(0.5, 2.0, tuple(x.shape)) for x in inputs]
            yield (
                [tf.constant(x, y.dtype) for x, y in zip(numbers, inputs, strict=True)],
                attributes,
            )


def assert_close(one: Any, other: Any) -> None:
    share = 100 * testing.tolerance(one.dtype)
    np.testing.assert_allclose(one.numpy(), other.numpy(), share, share)


@pytest.mark.parametrize(
    "op", [op for op in core.registry.values() if op.formula], ids=lambda op: str(op.type)
)
def test_formula_is_the_op(op: Op) -> None:
    asked = list(real_calls(op))
    assert asked
    assert op.formula is not None
    for inputs, _ in asked:
        assert_close(op(*inputs), op.formula(*inputs))


OF_TWO = [
    op
    for op in core.registry.values()
    if op.elementwise and len(op.inputs) == 2 and not op.attributes and op.differentiable == "yes"
]


@pytest.mark.parametrize("op", OF_TWO, ids=lambda op: str(op.type))
def test_ops_that_divide_say_so(op: Op) -> None:
    if (
        op.type == "Xdivy"
    ):  # where x is 0, its gradient by x is 0 by convention: that is no quotient's
        assert not op.divides
        return
    asked = list(real_calls(op))
    divides = bool(asked) and all(
        np.allclose(op(x, y).numpy(), x.numpy() / y.numpy(), 1e-5) for (x, y), _ in asked
    )
    assert op.divides == divides
