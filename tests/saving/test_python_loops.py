"""Loops of Python over tensors are steps of saved functions: any number of turns, breaks, choices within."""

from __future__ import annotations

import functools
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapegrad as tf
from tapegrad.saving import conversion, python_loops

NUMBER = [tf.TensorSpec([], tf.int32)]
VECTOR = [tf.TensorSpec([None])]
NUMBERS = [0, 1, 3, 12, 40]
VECTORS = [[], [4.0, 0.5], [1.0, -2.0, 3.0], [1.0, 2.0, 3.0, 4.0, -5.0, 2.5]]

weights = tf.Variable([[0.5, 0.25], [-0.5, 1.0]])
counter = tf.Variable(0.0)
limit = 5


def count(n: Any) -> Any:
    total = tf.constant(0)
    for i in tf.range(n):
        total += i
    return total


def count_with_python_numbers(n: Any) -> Any:
    total, power = 0, 1.0
    for i in range(n):
        total, power = total + i, power * 0.5
    return tf.convert_to_tensor(total), tf.convert_to_tensor(power)


def rows(x: Any) -> Any:
    total, met = tf.constant(0.0), tf.constant(0)
    for value in x:
        if value < 0:
            continue
        if value > 3.5:
            break
        double = value * 2
        total += double
        met += 1
    return total, met


def largest(x: Any) -> Any:
    best, where = tf.constant(-np.inf, tf.float32), tf.constant(-1)
    for i in tf.range(tf.shape(x)[0]):
        if x[i] > best:
            best, where = x[i], i
    return best, where


def while_with_two_conditions(n: Any) -> Any:
    i, j = tf.constant(0), tf.constant(0)
    while i < n and not j > 20:
        i += 1
        j += i
    return i, j


def while_or(n: Any) -> Any:
    i = tf.constant(0)
    while i < n or i < 2:
        i += 1
    return i


def endless(n: Any) -> Any:
    i = tf.constant(0)
    while True:
        i += 2
        if i >= n:
            break
    return i


def until_done(n: Any) -> Any:
    i, done = tf.constant(0), False
    while not done:
        i += 1
        done = i >= n
    return i


def jumps_in_depth(n: Any) -> Any:
    i = tf.constant(0)
    while i < n:
        i += 1
        if i % 3 == 0:
            if i > 30:
                break
            continue
        i += 1
    return i


def nested(n: Any) -> Any:
    total = tf.constant(0)
    for i in tf.range(n):
        for j in tf.range(i + 1):
            if j > 2:
                break
            total += i * j
    return total


def nests(n: Any) -> Any:
    state: Any = (tf.constant(0), {"a": tf.constant([1.0, 2.0])})
    for i in tf.range(n):
        number, table = state
        state = (number + i, {"a": table["a"] * 0.5})
    return state


def two_loops(n: Any) -> Any:
    total = tf.constant(0)
    for i in tf.range(n):
        part = i * 2
        total += part
    for i in tf.range(n + 1):
        part = i * 3
        total += part
    return total


def changes_a_variable(x: Any) -> Any:
    for value in x:
        if value > 0:
            counter.assign_add(value)
    return counter.read_value()


def recurrent(n: Any) -> Any:
    states = tf.TensorArray(tf.float32, size=0, dynamic_size=True, element_shape=[1, 2])
    state = tf.ones([1, 2])
    for i in tf.range(n):
        state = tf.tanh(state @ weights)
        states = states.write(i, state)
    return states.stack(), state


def after_a_first_turn(n: Any) -> Any:
    """The array has no element before the first turn, which is taken apart: what it defines is its own."""
    parts = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
    for i in tf.range(n):

        def half(x: Any) -> Any:
            return x * 0.5

        with tf.GradientTape() as tape:
            number = half(tf.cast(i, tf.float32))
            tape.watch(number)
            square = number * number
        slope = tape.gradient(square, number)
        for _ in tf.range(i):
            square = half(square)
        parts = parts.write(i, tf.stack([square, slope]))
    return parts.stack()


def growing(n: Any) -> Any:
    numbers = tf.zeros([0], tf.int32)
    for i in tf.range(n):
        numbers = tf.concat([numbers, [i * i]], 0)
    return numbers


def generated(n: Any) -> Any:
    """As programs that write sentences: a largest length, and an end that values say."""
    words = tf.TensorArray(tf.int32, size=0, dynamic_size=True)
    words = words.write(0, n)
    for i in tf.range(50):
        word = tf.reduce_sum(words.stack()) % 11
        words = words.write(i + 1, word)
        if word == 7:
            break
    return words.stack()


def called(n: Any) -> Any:
    def step(k: Any) -> Any:
        if k > 4:
            return tf.constant(10)
        return k + 1

    total = count(n) + Counting(2)(n) + Counting(3).run(n) + counted(n)
    total += functools.partial(repeated, by=2)(n)
    for i in tf.range(n):
        total += step(i)
    return total


class Counting:
    def __init__(self, by: int) -> None:
        self.by = by

    def run(self, n: Any) -> Any:
        total = tf.constant(0)
        while total < n:
            total += self.by
        return total

    def __call__(self, n: Any) -> Any:
        total = tf.constant(0)
        for _ in tf.range(n):
            total += self.by
        return total


def repeated(n: Any, by: int) -> Any:
    total = tf.constant(0)
    for _ in tf.range(n):
        total += by
    return total


@tf.function
def counted(n: Any) -> Any:
    return count(n)


def closures(x: Any) -> Any:
    scale = tf.constant(3.0)
    total = tf.constant(0.0)
    for value in x:

        def scaled(factor: Any = value) -> Any:
            return factor * scale

        total += scaled() if value > 1 else sum(part for part in (value, scale))
    return total


def tape_within(x: Any) -> Any:
    total = tf.constant(0.0)
    for value in x:
        with tf.GradientTape() as tape:
            tape.watch(value)
            cube = value**3
        total += tape.gradient(cube, value)
    return total


def one_of_two_loops(x: Any) -> Any:
    total = tf.constant(0.0)
    if tf.reduce_sum(x) > 1:
        for value in x:
            total += value
    else:
        for value in x:
            total -= value
    return total


def texts(n: Any) -> Any:
    text = tf.constant("")
    for i in tf.range(n):
        text = text + tf.strings.as_string(i)
    return text


OF_NUMBERS = [
    count, count_with_python_numbers, while_with_two_conditions, while_or, endless, until_done,
    jumps_in_depth, nested, nests, two_loops, recurrent, after_a_first_turn, growing,
    generated, called, texts,
]  # fmt: skip
OF_VECTORS = [
    rows, largest, changes_a_variable, closures, tape_within, one_of_two_loops,
]  # fmt: skip


def answer(function: Callable[..., Any], argument: Any) -> list[Any]:
    counter.assign(0.0)
    return [tensor.numpy() for tensor in tf.nest.flatten(function(argument))]


@pytest.mark.parametrize("function", [*OF_NUMBERS, *OF_VECTORS], ids=lambda f: f.__name__)
def test_loaded_functions_answer_as_eager_ones(function: Any, tmp_path: Path) -> None:
    of_numbers = function in OF_NUMBERS
    module = tf.Module()
    module.variables_of_it = [weights, counter]
    module.function = tf.function(function, input_signature=NUMBER if of_numbers else VECTOR)
    tf.saved_model.save(module, str(tmp_path))
    loaded = tf.saved_model.load(str(tmp_path))
    for values in NUMBERS if of_numbers else VECTORS:
        argument = tf.constant(values, tf.int32 if of_numbers else tf.float32)
        if function in (recurrent, after_a_first_turn, texts) and values == 0:
            continue  # nothing to stack; TensorFlow's answer is a string, not a scalar
        wanted = answer(function, argument)
        loaded.variables_of_it[1].assign(0.0)
        got = [tensor.numpy() for tensor in tf.nest.flatten(loaded.function(argument))]
        for one, other in zip(got, wanted, strict=True):
            np.testing.assert_array_equal(one, other)
            assert np.asarray(one).dtype == np.asarray(other).dtype


def test_a_loop_is_saved_once_whatever_its_number_of_turns(tmp_path: Path) -> None:
    module = tf.Module()
    module.function = tf.function(generated, input_signature=NUMBER)
    tf.saved_model.save(module, str(tmp_path))
    assert (tmp_path / "saved_model.pb").stat().st_size < 60_000


# Functions that run on Python's numbers and lists: their converted forms do the same.


def python_jumps(values: list[int]) -> list[Any]:
    found: list[Any] = []
    for value in values:
        if value % 2:
            continue
        for other in values:
            if other > value:
                break
            found.append((value, other))
        else:
            found.append(value)
        if len(found) > 6:
            break
    found.append(value)
    return found


def python_closures(values: list[int]) -> list[Any]:
    functions = []
    for value in values:
        functions.append(lambda: value)  # noqa: B023
    late = [function() for function in functions]
    squares = [value * value for value in values for _ in range(1)]
    while values and (last := values[-1]) > 2:
        values = values[:-1]
    return [late, squares, last, value, [*values]]


def python_scopes(values: list[int]) -> list[Any]:
    global limit
    seen = 0
    made: Any = None

    def add(by: int) -> None:
        nonlocal seen
        seen += by

    for number, value in enumerate(values):
        add(value)
        try:
            made = 10 // value
        except ZeroDivisionError as error:
            made = str(error)
        finally:
            seen += 100
        if number == 0:
            kept = value
        limit = 5 + number
        del number
    return [seen, made, kept, limit]


def python_search(values: list[int]) -> int:
    for value in values:
        if value > 3:
            return value
    i = 0
    while True:
        i += 1
        if i > 7:
            break
    return -i


def python_unbound(values: list[int]) -> Any:
    for value in values:
        result = value
        if value < 0:
            other = value
    return result, other


@pytest.mark.parametrize(
    "function",
    [python_jumps, python_closures, python_scopes, python_search, python_unbound],
    ids=lambda f: f.__name__,
)
@pytest.mark.parametrize("values", [[], [0], [1, 2, 3, 4], [4, -1, 2, 6, 8], [3, 0, -5, 2]])
def test_converted_functions_do_in_python_what_the_first_do(
    function: Any, values: list[int]
) -> None:
    twin = conversion.converted(function, python_loops)
    assert twin is not function

    def outcome(tried: Any) -> Any:
        global limit
        limit = 5
        try:
            return tried(list(values)), limit
        except Exception as error:
            return type(error).__name__, limit

    assert outcome(twin) == outcome(function)


def test_lines_and_names_stay() -> None:
    def failing(values: list[int]) -> Any:
        for value in values:
            1 // value

    twin = conversion.converted(failing, python_loops)
    with pytest.raises(ZeroDivisionError) as raised:
        twin([1, 0])
    line = failing.__code__.co_firstlineno + 2
    assert raised.traceback[-1].lineno == line - 1
    assert raised.traceback[-1].name == twin.__name__ == "failing"


def test_functions_without_their_source_stay() -> None:
    namespace: dict[str, Any] = {}
    exec("def made(x):\n    for y in x: pass\n    return y", namespace)
    made = namespace["made"]
    assert conversion.converted(made, python_loops) is made

    class Private:
        __hidden = 3

        def total(self, values: list[int]) -> int:
            return sum(self.__hidden for _ in values)

    assert conversion.converted(Private.total, python_loops) is Private.total
    other: Any = types.FunctionType(count.__code__.replace(co_name="rows"), globals())
    assert conversion.converted(other, python_loops) is other
