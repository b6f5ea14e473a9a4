"""What a function does beside its results happens once in each call, also for open sizes.

Such a call may end before it is done, be undone, and begin again for the sizes that it has.
"""

from __future__ import annotations

import json
import numbers
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.functions.test_sized_programs import Counted

import tapegrad as tf

SIZES = (3, 4, 7, 8, 7, 2, 9, 1, 6)
UNKNOWN = [tf.TensorSpec([None])]

# What an effect is, and how often it happened so far.
Effect = tuple[Callable[[], Any], Callable[[], int]]


def of_a_variable(_: Path) -> Effect:
    variable = tf.Variable(0)
    return lambda: variable.assign_add(1), lambda: int(variable)


def of_rows_of_a_variable(_: Path) -> Effect:
    variable = tf.Variable([0, 0])
    rows = tf.IndexedSlices(tf.constant([1]), tf.constant([1]))
    return lambda: variable.scatter_add(rows), lambda: int(variable[1])


def of_a_generator(_: Path) -> Effect:
    generator = tf.random.Generator.from_seed(1)
    per_draw = 256  # the counter of Philox goes on by so much
    return lambda: generator.normal([]), lambda: int(generator.state[0]) // per_draw


def of_a_table(_: Path) -> Effect:
    table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, 0)
    return lambda: table.insert("key", table.lookup(tf.constant("key")) + 1), lambda: int(
        table.lookup(tf.constant("key"))
    )


def of_python(_: Path) -> Effect:
    called: list[int] = []

    def append(x: Any) -> Any:
        called.append(1)
        return x

    return lambda: tf.py_function(append, [1.0], tf.float32), lambda: len(called)


def of_numpy(_: Path) -> Effect:
    called: list[int] = []

    def append(x: Any) -> Any:
        called.append(1)
        return x

    return lambda: tf.numpy_function(append, [1.0], tf.float32), lambda: len(called)


def of_printing(folder: Path) -> Effect:
    path = folder / "printed"
    path.touch()
    return lambda: tf.print("line", output_stream=f"file://{path}"), lambda: len(
        path.read_text().splitlines()
    )


def of_a_data_set(_: Path) -> Effect:
    iterator = iter(tf.data.Dataset.range(100))
    read = [0]

    def following() -> None:
        read[0] = int(next(iterator)) + 1

    return following, lambda: read[0]


def of_a_queue(_: Path) -> Effect:
    queue = tf.queue.FIFOQueue(100, [tf.int32], [[]])
    return lambda: queue.enqueue(1), lambda: int(queue.size())


EFFECTS = {
    function.__name__: function
    for function in (
        of_a_variable, of_rows_of_a_variable, of_a_generator, of_a_table, of_python, of_numpy, of_printing,
        of_a_data_set, of_a_queue,
    )
}  # fmt: skip


def plain(x: Any) -> Any:
    return tf.reduce_sum(x * x)


def without_a_shape_rule(x: Any) -> Any:
    """An op that ends what is recorded for open sizes, after the effect."""
    return tf.reduce_sum(tf.unique(x * x)[0])


def int_of_a_size(x: Any) -> Any:
    return tf.reduce_sum(x * x) * (int(x.shape[0]) / len(x))


def in_a_map(x: Any) -> Any:
    """A batch that Python code ends: it asks for the values of an item."""
    return tf.reduce_sum(
        tf.vectorized_map(lambda y: y * y if len(tf.unique(tf.stack([y, y]))[0]) else y, x)
    )


RESULTS = {
    function.__name__: function
    for function in (plain, without_a_shape_rule, int_of_a_size, in_a_map)
}


@pytest.mark.parametrize("taped", [False, True])
@pytest.mark.parametrize("signature", [None, UNKNOWN])
@pytest.mark.parametrize("least", [0, 6])
@pytest.mark.parametrize("result", RESULTS)
@pytest.mark.parametrize("effect", EFFECTS)
def test_an_effect_happens_once_in_each_call(
    effect: str, result: str, least: int, signature: Any, taped: bool, tmp_path: Path
) -> None:
    """Of each size, or of large ones alone: then it comes in another path of a recording for open sizes."""
    act, count = EFFECTS[effect](tmp_path)

    @tf.function(input_signature=signature)
    def function(x: Any) -> Any:
        if x.shape[0] >= least:
            act()
        return RESULTS[result](x)

    expected = 0
    for size in SIZES:
        x = tf.range(1.0, size + 1)
        with tf.GradientTape() if taped else nullcontext() as tape:
            if tape is not None:
                tape.watch(x)
            y = function(x)
        expected += size >= least
        assert count() == expected, size
        assert float(y) == float(RESULTS[result](x))
        if tape is not None and result == "plain":
            assert tape.gradient(y, x).numpy().tolist() == (2 * x).numpy().tolist()


@pytest.mark.parametrize("signature", [None, UNKNOWN])
def test_an_error_after_an_effect(signature: Any) -> None:
    """The effect stays, as in eager code, and happens once."""
    lines: list[str] = []
    variable = tf.Variable(0)

    @tf.function(input_signature=signature)
    def function(x: Any) -> Any:
        variable.assign_add(1)
        tf.py_function(lambda: lines.append("called"), [], [])
        raise ValueError("as always")

    for number, size in enumerate(SIZES, start=1):
        with pytest.raises(ValueError, match="as always"):
            function(tf.ones([size]))
        assert int(variable) == len(lines) == number


def raised_by_the_program(x: Any) -> Any:
    if x.shape[0] > 5:
        raise ValueError("too many")
    return x


def asserted_by_the_program(x: Any) -> Any:
    if x.shape[0] > 5:
        raise AssertionError  # pytest asks for the class of what is in an ``assert``
    return x


def raised_by_an_op(x: Any) -> Any:
    return tf.gather(x, tf.maximum(tf.shape(x)[0] - 1, 0) * tf.where(tf.size(x) > 5, 2, 1))


def raised_by_a_check(x: Any) -> Any:
    tf.debugging.assert_less(tf.reduce_sum(tf.ones_like(x)), 5.5)
    return x


def raised_behind_a_size_of_values(x: Any) -> Any:
    y = tf.boolean_mask(x, x > 0)
    tf.debugging.assert_less(tf.reduce_sum(tf.ones_like(y)), 5.5)
    return y


@pytest.mark.parametrize("taped", [False, True])
@pytest.mark.parametrize("signature", [None, UNKNOWN])
@pytest.mark.parametrize(
    "function",
    [
        raised_by_the_program, asserted_by_the_program, raised_by_an_op, raised_by_a_check,
        raised_behind_a_size_of_values,
    ],
)  # fmt: skip
def test_python_runs_once_where_a_call_raises(function: Any, signature: Any, taped: bool) -> None:
    """A list that it fills has one element more, and variables and draws are those of one call."""
    generator, other = tf.random.Generator.from_seed(1), tf.random.Generator.from_seed(1)
    filled: list[int] = []
    drawn, expected = tf.Variable(0.0), tf.Variable(0.0)

    @tf.function(input_signature=signature)
    def recorded(x: Any) -> Any:
        filled.append(1)
        drawn.assign_add(generator.uniform([]))
        return function(x)

    wrong = 0
    for size in (2, 3, 4, 5, 6, 7, 5, 9, 6, 3, 8):
        before = len(filled)
        x = tf.range(1.0, size + 1)
        expected.assign_add(other.uniform([]))
        with tf.GradientTape() if taped else nullcontext():
            try:
                recorded(x)
            except (ValueError, AssertionError, tf.errors.InvalidArgumentError):
                wrong += 1
                assert size > 5
                assert len(filled) == before + 1
            else:
                assert size <= 5
                assert taped or len(filled) <= before + 1
        assert drawn.numpy() == expected.numpy()
    assert wrong == 5
    assert taped or "for each size by itself" not in str(recorded.explain())


@pytest.mark.parametrize(
    "needs_an_int",
    [
        lambda n: json.dumps(n),
        lambda n: {int: "int"}[type(n)],
        lambda n: refused(ValueError) if not isinstance(n, int) else n,
        lambda n: refused(OSError) if not isinstance(n, numbers.Integral) else n,
        lambda n: "ab".center(n, "-") if n.__class__ is int else refused(RuntimeError),
        lambda n: n.bit_length(),
    ],
)
def test_an_error_that_a_size_causes_reaches_nobody(needs_an_int: Any) -> None:
    """Whatever its class is: also where the program asked for the class, or handles what C code raises."""
    variable = tf.Variable(0)

    @tf.function
    def handles(x: Any) -> Any:
        variable.assign_add(1)
        try:
            needs_an_int(x.shape[0])
        except TypeError:
            raise ValueError("no int") from None
        return x * 2.0

    for number, size in enumerate(SIZES, start=1):
        assert handles(tf.ones([size])).numpy().tolist() == [2.0] * size
        assert int(variable) == number


def says_shapes(x: Any, y: Any) -> Any:
    if x.shape[0] > 4:
        raise ValueError(f"{x.shape}, {list(x.shape)}, {x.shape[0]}")
    return x + y


@pytest.mark.parametrize(
    "function",
    [
        lambda x, y: x + y,
        lambda x, y: tf.where(x > 0, x, y),
        lambda x, y: tf.matmul(x, y, transpose_b=True) + y @ tf.transpose(x),
        lambda x, y: tf.concat([x, y], 1),
        lambda x, y: tf.boolean_mask(x, y[:, 0] > 0),
        lambda x, y: tf.ensure_shape(x, [4, None]) + y,
        lambda x, y: tf.nn.softmax_cross_entropy_with_logits(x, y),
        says_shapes,
    ],
)
def test_the_text_of_an_error_is_that_of_eager_code(function: Any) -> None:
    """Sizes are shown as numbers, though they are open, and have names."""
    recorded = tf.function(function)
    for shapes in (((4, 2), (4, 2)), ((4, 3), (4, 3)), ((5, 2), (4, 2)), ((6, 3), (4, 3))):
        x, y = (tf.ones(shape) for shape in shapes)
        if shapes[0] == shapes[1]:
            assert bits(recorded(x, y)) == bits(function(x, y))
            continue
        errors = []
        for called in (recorded, function):
            with pytest.raises((ValueError, tf.errors.InvalidArgumentError)) as caught:
                called(x, y)
            errors.append((caught.type, str(caught.value)))
        assert errors[0] == errors[1]


def bits(tensor: Any) -> Any:
    return tensor.shape, tensor.numpy().tobytes()


def refused(error: type[Exception]) -> None:
    raise error("it has to be an int")


@pytest.mark.parametrize("taped", [False, True])
def test_a_function_that_catches_everything_gets_no_other_answer(taped: bool) -> None:
    """What ends a call passes through ``except:``, and the call is undone all the same."""
    variable = tf.Variable(0)

    @tf.function(input_signature=UNKNOWN)
    def function(x: Any) -> Any:
        variable.assign_add(1)
        try:
            first = tf.unique(x)[0]
        except:  # noqa: E722 - users write this
            first = x * 0.0
        return tf.reduce_sum(first)

    for number, size in enumerate(SIZES, start=1):
        x = tf.range(1.0, size + 1)
        with tf.GradientTape() if taped else nullcontext() as tape:
            if tape is not None:
                tape.watch(x)
            assert float(function(x)) == float(tf.reduce_sum(x))
        assert int(variable) == number


def test_an_error_in_place_of_what_ends_a_call_reaches_nobody() -> None:
    variable = tf.Variable(0)
    lines: list[str] = []

    @tf.function(input_signature=UNKNOWN)
    def function(x: Any) -> Any:
        variable.assign_add(1)
        try:
            tf.py_function(lambda: lines.append("called"), [], [])
        except:  # noqa: E722 - users write this
            raise ValueError("it failed") from None
        return tf.reduce_sum(x)

    for number, size in enumerate(SIZES, start=1):
        assert float(function(tf.ones([size]))) == size
        assert int(variable) == len(lines) == number


@pytest.mark.parametrize("taped", [False, True])
def test_draws_are_those_of_calls_of_one_size(taped: bool) -> None:
    def draws(sizes: tuple[int, ...]) -> list[float]:
        tf.random.set_seed(5)

        @tf.function(input_signature=UNKNOWN)
        def function(x: Any) -> Any:
            shift = tf.random.uniform([]) if x.shape[0] > 0 else tf.zeros([])
            return shift + tf.random.normal([]) + 0.0 * tf.reduce_sum(x)

        found = []
        for size in sizes:
            x = tf.ones([size])
            with tf.GradientTape() if taped else nullcontext() as tape:
                if tape is not None:
                    tape.watch(x)
                found.append(float(function(x)))
        return found

    assert draws(SIZES) == draws((3,) * len(SIZES))


# --- An input_signature says from the beginning which sizes are open ---------------------------------------


def table(rows: int, columns: int) -> Any:
    return tf.reshape(tf.range(float(rows * columns)), [rows, columns])


@pytest.mark.parametrize(
    ("function", "signature", "calls"),
    [
        (lambda x: tf.reduce_sum(x * x), UNKNOWN, [(tf.range(float(n)),) for n in (3, 5, 4)]),
        (
            lambda x: tf.nn.softmax(x) + x.shape[1],
            [tf.TensorSpec([None, 3])],
            [(table(n, 3),) for n in (3, 5, 4)],
        ),
        (
            lambda pair: pair["b"] @ pair["a"],
            [{"a": tf.TensorSpec([None, None]), "b": tf.TensorSpec([2, None])}],
            [({"b": table(2, n), "a": table(n, n + 1)},) for n in (3, 5, 4)],
        ),
        (lambda x: x + x, [tf.TensorSpec(None)], [(table(n, 2),) for n in (3, 5, 4)]),
        (
            lambda x, rows: [x + 1.0, *[row * 2.0 for row in rows]],
            [tf.TensorSpec([]), [tf.TensorSpec([None]), tf.TensorSpec([None, 2])]],
            [(tf.constant(1.0), [tf.range(float(n)), table(n + 1, 2)]) for n in (3, 5, 4)],
        ),
    ],
)
def test_python_runs_once(function: Any, signature: Any, calls: list[Any]) -> None:
    counted = Counted(function, input_signature=signature)
    for args in calls:
        counted.agrees(*args)
    assert counted.runs == 1


def test_python_runs_once_more_for_one_row() -> None:
    counted = Counted(lambda x: tf.reduce_sum(x), input_signature=UNKNOWN)
    for n in (1, 5, 4, 1, 0, 0):
        counted.agrees(tf.range(float(n)))
    assert counted.runs == 3


def test_variables_of_a_first_call() -> None:
    """It begins anew once they are made, and is recorded for all sizes."""

    class Scaled(tf.Module):
        weight: Any = None
        runs = 0

        @tf.function(input_signature=[tf.TensorSpec([None, 3])])
        def __call__(self, x: Any) -> Any:
            self.runs += 1
            if self.weight is None:
                self.weight = tf.Variable(tf.ones([x.shape[1], 2]))
            return x @ self.weight

    scaled = Scaled()
    for rows in (4, 7, 5):
        assert scaled(table(rows, 3)).shape == [rows, 2]
    assert scaled.runs == 2


def test_sizes_are_printed_as_numbers_and_shapes_as_those_of_graphs() -> None:
    """A text of a size may be a key: it is that of the number, and holds for this number alone."""
    printed: list[Any] = []

    @tf.function(input_signature=[tf.TensorSpec([None, 3])])
    def shown(x: Any) -> Any:
        printed.append((str(x.shape), repr(x.shape)))
        return x * 2.0

    @tf.function(input_signature=[tf.TensorSpec([None, 3])])
    def keyed(x: Any) -> Any:
        return x * {"4": 4.0, "5": 5.0}[f"{x.shape[0]}"] + float(str(x.shape[0]))

    for rows in (4, 5, 4):
        shown(table(rows, 3))
        assert keyed(tf.ones([rows, 3])).numpy()[0, 0] == 2.0 * rows
    assert printed == [("(None, 3)", "TensorShape([None, 3])")]


def test_a_call_that_is_wrong_says_nothing_of_others() -> None:
    runs = [0]
    weight = tf.ones([3, 2])

    @tf.function(input_signature=[tf.TensorSpec([None, None])])
    def product(x: Any) -> Any:
        runs[0] += 1
        return x @ weight

    product(table(2, 3))
    before = runs[0]
    with pytest.raises(tf.errors.InvalidArgumentError):
        product(table(2, 4))
    assert runs[0] == before + 1
    for rows in (4, 2, 5):
        np.testing.assert_array_equal(product(table(rows, 3)), table(rows, 3) @ weight)
    assert runs[0] == before + 1
    assert "for each size by itself" not in str(product.explain())


def test_the_reason_is_the_error_that_open_sizes_cause() -> None:
    @tf.function(input_signature=UNKNOWN)
    def function(x: Any) -> Any:
        if type(x.shape[0]) is not int:
            raise TypeError("no int")
        return x + 1.0

    assert function(tf.ones([3])).numpy().tolist() == [2.0, 2.0, 2.0]
    assert "with open sizes it raises TypeError: no int" in str(function.explain())


def test_tensors_without_values_have_no_sizes_to_open() -> None:
    doubled = tf.function(lambda x: x * 2.0, input_signature=[tf.TensorSpec(None)])
    with tf.Graph().as_default():
        placeholder = tf.compat.v1.placeholder(tf.float32)
        assert doubled(placeholder).shape.rank is None
    data = tf.data.Dataset.from_tensors([1.0, 2.0]).map(doubled)
    assert data.element_spec.shape == [2]
