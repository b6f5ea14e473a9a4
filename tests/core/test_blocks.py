"""Blocks of recorded functions: broadcasts, reductions and updates of variables give eager's bits."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

import tapegrad as tf
from tapegrad.engines.numpy import kernels

ODD = [0, 1, 2, 63, 64, 65, 127, 1000, 1024, 1025, 4097]
LONG = [16_384, 32_768, 32_769, 100_000, 100_003]


def numbers(*shape: int, seed: int = 0, dtype: str = "float32") -> Any:
    values = np.asarray(np.random.RandomState(seed).standard_normal(shape)).astype(dtype)
    flat = values.reshape(-1)
    if flat.size > 40:
        flat[7], flat[11], flat[13], flat[17] = np.nan, np.inf, -np.inf, -0.0
    return values


def bits(result: Any) -> list[Any]:
    leaves = [np.asarray(leaf) for leaf in tf.nest.flatten(result)]
    # Of a NaN the sign and the payload are left open.
    return [
        (leaf.dtype, leaf.shape, np.where(leaf != leaf, np.nan, leaf).tobytes()) for leaf in leaves
    ]


def names(function: Any) -> list[str]:
    """What is run of a recorded function, step by step."""
    found = []
    for program in function._recordings.values():
        program.compile()
        for path in program.paths():
            found.extend(path.run_names())
    return found


def agree(python: Any, *calls: tuple[Any, ...], fused: int = 1) -> Any:
    """Compare the recorded function with the Python function for each call, and count what is joined."""
    recorded = tf.function(python)
    with np.errstate(all="ignore"):
        for args in [calls[0], *calls]:
            assert bits(recorded(*args)) == bits(python(*args)), args
    joined = [name for name in names(recorded) if "elementwise functions" in name]
    assert len(joined) >= fused, names(recorded)
    assert sum(program.replays for program in recorded._recordings.values()) >= 1
    return recorded


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("n", ODD)
def test_rows_columns_and_numbers_are_broadcast(n: int, dtype: str) -> None:
    x, row, column, one = (
        tf.constant(numbers(*shape, seed=seed, dtype=dtype))
        for seed, shape in enumerate([(3, n), (n,), (3, 1), ()])
    )

    def function(x: Any, row: Any, column: Any, one: Any) -> Any:
        return tf.tanh((x + row) * column - one) * row, (column / row) + x

    agree(function, (x, row, column, one))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_middle_axes_are_broadcast(dtype: str) -> None:
    x, y, z = (
        tf.constant(numbers(*shape, seed=seed, dtype=dtype))
        for seed, shape in enumerate([(4, 1, 5, 3), (6, 1, 3), (4, 6, 5, 1)])
    )
    agree(lambda x, y, z: tf.exp((x * y) - z) + x * y, (x, y, z))


@pytest.mark.parametrize("reduce", ["reduce_sum", "reduce_mean", "reduce_max", "reduce_min"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_everything_is_reduced(reduce: str, dtype: str) -> None:
    operation = getattr(tf, reduce)
    for n in [size for size in ODD + LONG if size > 0]:
        x = tf.constant(numbers(n, dtype=dtype))
        y = tf.constant(np.random.RandomState(1).standard_normal(n).astype(dtype))
        recorded = agree(lambda x: operation(tf.tanh(x) * x + 1.0), (x,), (y,))
        assert any("a reduction" in name for name in names(recorded))


@pytest.mark.parametrize("reduce", ["reduce_sum", "reduce_mean", "reduce_max", "reduce_min"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(
    "shape",
    [
        (3, 64),
        (70, 64),
        (70, 16),
        (70, 48),
        (5, 7, 100),
        (100, 3000),
        (70, 17),
        (2, 40_000),
        (70, 2, 8),
        (9, 1),
    ],
)
def test_rows_are_reduced(reduce: str, dtype: str, shape: tuple[int, ...]) -> None:
    operation = getattr(tf, reduce)
    x = tf.constant(numbers(*shape, dtype=dtype))

    def function(x: Any) -> Any:
        y = tf.exp(-x) * x
        return y, operation(y, axis=-1), operation(y, axis=-1, keepdims=True) * x

    agree(function, (x,), (tf.constant(numbers(*shape, seed=3, dtype=dtype)),))


def test_a_reduction_is_read_by_a_later_block() -> None:
    x = tf.constant(numbers(90, 64)[:, ::-1].copy())

    def softmax(x: Any) -> Any:
        e = tf.exp(x - tf.reduce_max(x * 1.0, axis=-1, keepdims=True))
        return e / tf.reduce_sum(e, axis=-1, keepdims=True)

    agree(softmax, (x,), fused=2)


@pytest.mark.parametrize("n", [1, 5, 64, 65, 200])
def test_operands_that_are_not_contiguous(n: int) -> None:
    x = tf.constant(numbers(70, 3 * n))

    def function(x: Any) -> Any:
        first, second, third = tf.split(x, 3, axis=1)
        turned = tf.transpose(tf.reshape(third, (n, 70)))
        return tf.tanh(first) * second + turned, tf.reduce_sum(tf.sigmoid(second) * first + turned)

    agree(function, (x,), (tf.constant(numbers(70, 3 * n, seed=2)),))


def test_a_step_reads_what_is_broadcast_only_where_its_loop_gives_the_same_bits() -> None:
    row = tf.constant(np.linspace(0.1, 3.0, 70, dtype=np.float32))
    x = tf.constant(np.abs(numbers(50, 70)) + np.float32(0.1))
    agree(lambda x, row: tf.pow(x * 2.0, row) + tf.atan2(x, row), (x, row), fused=0)


# Updates of variables


def updated(step: Any, make: Any, calls: int = 4) -> Any:
    """Compare the variables after steps of a function and of its recording."""
    outcomes = []
    for decorate in (lambda function: function, tf.function):
        variables = make()
        run = decorate(lambda *args, variables=variables: step(variables, *args))
        results = [bits(run(tf.constant(numbers(3, 50, seed=number)))) for number in range(calls)]
        outcomes.append((results, bits([variable.numpy() for variable in variables])))
    assert outcomes[0] == outcomes[1]
    return run


def variables(*shape: int, count: int = 2) -> Any:
    return lambda: [tf.Variable(numbers(*shape, seed=number + 5)) for number in range(count)]


def test_gradient_descent_is_one_pass() -> None:
    def step(variables: Any, x: Any) -> Any:
        for variable in variables:
            variable.assign_sub(0.1 * (x * 2.0))
        return tf.reduce_sum(x)

    run = updated(step, variables(3, 50))
    assert any("2 updates of variables" in name for name in names(run)), names(run)


def test_adam_is_one_pass() -> None:
    def step(variables: Any, x: Any) -> Any:
        w, m, v = variables
        m.assign(0.9 * m + 0.1 * x)
        v.assign(0.99 * v + 0.01 * tf.square(x))
        w.assign_sub(0.1 * m / (tf.sqrt(v) + 1e-8))
        return w + 1.0

    run = updated(step, variables(3, 50, count=3))
    assert any("3 updates of variables" in name for name in names(run)), names(run)


def test_the_former_value_is_read_after_the_update() -> None:
    def step(variables: Any, x: Any) -> Any:
        v, w = variables
        before = v * 1.0
        old = v.read_value()
        v.assign(x * 2.0 + v)
        w.assign_add(old + before)
        return v - old, before, v.read_value()

    updated(step, variables(3, 50))


def test_a_result_that_is_assigned_too_stays_as_it_was() -> None:
    v = tf.Variable(numbers(3, 50))

    @tf.function
    def step(x: Any) -> Any:
        y = x * 2.0 + v
        v.assign(y)
        return y

    results = [step(tf.constant(numbers(3, 50, seed=number))) for number in range(4)]
    kept = [result.numpy().copy() for result in results]
    step(tf.constant(numbers(3, 50, seed=9)))
    for result, value in zip(results, kept, strict=True):
        np.testing.assert_array_equal(result.numpy(), value)


def test_others_keep_the_value_of_a_variable() -> None:
    v = tf.Variable(np.ones((3, 50), np.float32))

    @tf.function
    def step(x: Any) -> Any:
        v.assign_sub(0.5 * (x * 1.0))
        return x

    one = tf.ones((3, 50))
    step(one)
    step(one)
    tensor, array = tf.identity(v), v.numpy()
    step(one)
    assert float(tensor[0, 0]) == 0.0
    assert array[0, 0] == 0.0
    assert v.numpy()[0, 0] == -0.5


def test_variables_are_written_in_place() -> None:
    v = tf.Variable(np.ones(5000, np.float32))

    @tf.function
    def step(x: Any) -> None:
        v.assign_sub(0.5 * (x * v))

    x = tf.ones(5000)
    step(x)
    step(x)
    where = v._snapshot._array.ctypes.data
    for _ in range(3):
        step(x)
    assert v._snapshot._array.ctypes.data == where


def test_an_update_before_a_guard_is_taken_back() -> None:
    def step(variables: Any, x: Any) -> Any:
        (v,) = variables
        v.assign_sub(0.5 * (x * 2.0))
        if tf.reduce_sum(tf.where(tf.math.is_finite(v), v, tf.zeros_like(v))) > 0:
            v.assign_add(x * x + 1.0)
        return tf.reduce_mean(v)

    updated(step, variables(3, 50, count=1), calls=8)


def test_many_numbers_are_one_block() -> None:
    def function(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x
            for _ in range(150):
                y = y * x
        return tape.gradient(y, x)

    recorded = agree(function, (tf.constant(1.01),), (tf.constant(0.99),))
    assert len(names(recorded)) <= 2


def test_the_same_is_computed_once() -> None:
    @tf.function
    def function(x: Any) -> Any:
        return tf.matmul(x, x) + tf.matmul(x, x), tf.reduce_sum(x, 1) * tf.reduce_sum(x, 1)

    x = tf.constant(numbers(6, 6))
    first, second = function(x), function(x)
    assert bits(first) == bits(second)
    assert names(function).count("MatMul") == 1
    assert names(function).count("Sum") == 1


def test_equal_results_stay_tensors_of_their_own() -> None:
    function = tf.function(lambda x: (tf.matmul(x, x), tf.matmul(x, x)))
    x = tf.constant(numbers(6, 6))
    for _ in range(3):
        first, second = function(x)
        assert first is not second


def test_small_steps_of_one_shape_come_together() -> None:
    """However steps of two shapes take turns in the Python code."""

    def function(x: Any, rows: Any) -> Any:
        for number in range(4):
            factor = tf.sin(x) * float(number) + x
            rows = rows * factor + factor
        return rows

    x, rows = tf.constant(numbers(19)), tf.constant(numbers(20, 19, seed=1))
    recorded = agree(function, (x, rows))
    assert len([name for name in names(recorded) if "elementwise" in name]) <= 2


def test_small_steps_do_not_come_before_what_they_read_is_written() -> None:
    v = tf.Variable(tf.constant(numbers(19)))

    @tf.function
    def function(x: Any) -> Any:
        before = v * x
        v.assign_add(before)
        after = v * x
        v.assign(after + before)
        return before, after, v + x

    other = tf.Variable(tf.constant(numbers(19)))

    def python(x: Any) -> Any:
        before = other * x
        other.assign_add(before)
        after = other * x
        other.assign(after + before)
        return before, after, other + x

    for seed in range(4):
        x = tf.constant(numbers(19, seed=seed))
        assert bits(function(x)) == bits(python(x))
        assert bits(v) == bits(other)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("n", ODD)
def test_our_own_loops_read_what_is_broadcast(n: int, dtype: str) -> None:
    """They give the same bits wherever in a row an element lies."""
    table, row = (
        tf.constant(numbers(*shape, seed=seed, dtype=dtype))
        for seed, shape in enumerate([(3, n), (n,)])
    )

    def function(table: Any, row: Any) -> Any:
        y = tf.math.multiply_no_nan(table, row)
        y = tf.math.divide_no_nan(y, row) + tf.math.xdivy(row, y)
        y += tf.nn.relu(y) * tf.nn.gelu(row) + tf.nn.silu(y) + tf.nn.softplus(row)
        y += tf.sigmoid(row) * tf.math.erf(y) + tf.math.rsqrt(y)
        return y, tf.nn.leaky_relu(y), tf.nn.softsign(y) * row

    agree(function, (table, row))


def test_identities_are_no_steps() -> None:
    @tf.function
    def function(x: Any) -> Any:
        y = tf.identity(tf.stop_gradient(tf.identity(x)))
        z = tf.matmul(y, tf.reshape(y, (6, 6)))
        return tf.identity(x), y, tf.identity(z), tf.identity(z), tf.reshape(x @ z, (6, 6))

    x = tf.constant(numbers(6, 6))
    for _ in range(3):
        results = function(x)
        assert len({id(each) for each in (x, *results)}) == 6
        product = tf.matmul(x, x)
        assert bits(results) == bits((x, x, product, product, x @ product))
    assert names(function).count("Reshape") == 0


def test_a_product_that_is_computed_again_may_have_gone_to_another_slot() -> None:
    @tf.function
    def function(x: Any) -> Any:
        first = tf.identity(tf.matmul(x, x))
        second = tf.matmul(x, x)
        return first, second + 1.0, tf.identity(second)

    x = tf.constant(numbers(6, 6))
    for _ in range(3):
        product = tf.matmul(x, x)
        assert bits(function(x)) == bits((product, product + 1.0, product))


def test_one_value_may_be_several_results() -> None:
    def function(x: Any, y: Any) -> Any:
        return [2.0 * x * y, x * 2.0 * y, tf.pow(x, 1.0) + y, x + y, x**2.0, x * 1.0, x**2.0]

    for n in (5, 100, 5000):
        agree(function, (tf.constant(numbers(n)), tf.constant(numbers(n, seed=1))))


class TestMemoryOfOperands:
    """Results of large blocks lie where an operand lay that nobody needs any more."""

    @pytest.mark.parametrize("dtype", ["float32", "float64"])
    def test_bits(self, dtype: str) -> None:
        def function(x: Any, row: Any) -> Any:
            y = tf.matmul(x, x)
            z = tf.matmul(y, x)
            first = tf.nn.relu(z) * row + z
            return first, tf.exp(y) * row, tf.nn.relu(tf.matmul(x, z)), y * 2.0

        values = numbers(200, 200, dtype=dtype), numbers(200, dtype=dtype)
        agree(function, tuple([tf.constant(each) for each in values]))

    def test_a_single_step_is_a_block_where_it_saves_memory(self) -> None:
        large, small = tf.constant(numbers(200, 200)), tf.constant(numbers(20, 20))
        function = agree(lambda x: tf.nn.relu(tf.matmul(x, x)), (large,), (small,), fused=0)
        assert names(function) == [
            "MatMul", "an elementwise function of [200, 200]", "MatMul", "Relu"
        ]  # fmt: skip

    def test_what_others_hold_is_left_alone(self) -> None:
        kept = tf.Variable(tf.zeros((200, 200)))

        @tf.function
        def function(x: Any) -> Any:
            y = tf.matmul(x, x)
            kept.assign(y)
            flat = tf.reshape(y, (-1,))
            return tf.nn.relu(y), flat, y.shape[0] * x

        x = tf.constant(np.nan_to_num(numbers(200, 200)))
        before = bits(x)
        for _ in range(4):
            results = function(x)
            product = tf.matmul(x, x)
            assert bits(results) == bits((tf.nn.relu(product), tf.reshape(product, (-1,)), 200 * x))
            assert bits(kept) == bits(product)
            assert bits(x) == before

    def test_a_result_of_a_branch_stays(self) -> None:
        @tf.function
        def function(x: Any) -> Any:
            y = tf.matmul(x, x)
            z = tf.nn.relu(y)
            if tf.reduce_sum(x) > 0:
                return z
            return z - y

        x = tf.constant(
            np.abs(np.random.RandomState(0).standard_normal((200, 200))).astype("float32")
        )
        for sign in (1.0, -1.0, 1.0, -1.0, 1.0):
            y = tf.matmul(sign * x, sign * x)
            z = tf.nn.relu(y)
            assert bits(function(sign * x)) == bits(z if sign > 0 else z - y)


def test_parts_of_a_gradient_do_not_wait_for_each_other() -> None:
    """As many large arrays as a block reads are in memory at once."""

    def function(x: Any) -> Any:
        total = tf.zeros((128, 128))
        for number in range(30):
            total += tf.matmul(x, x + float(number))
        return total

    recorded = agree(function, (tf.constant(numbers(128, 128)),))
    assert sum("[128, 128]" in name for name in names(recorded)) >= 5


def test_replays_from_several_threads() -> None:
    v = tf.Variable(np.zeros((40, 64), np.float32))

    @tf.function
    def function(x: Any) -> Any:
        y = tf.tanh(x * 2.0 + x[0]) * x
        v.assign_add(y * 0.0 + 1.0)
        return y, tf.reduce_sum(tf.exp(y) * y, axis=-1)

    inputs = [
        tf.constant(np.random.RandomState(seed).rand(40, 64).astype("float32")) for seed in range(8)
    ]
    wanted = [bits(function(x)) for x in inputs]
    errors: list[Any] = []

    def work(number: int) -> None:
        for _ in range(100):
            if bits(function(inputs[number])) != wanted[number]:
                errors.append(number)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors


EVEN = [
    kernels.replacements.get(ufunc, ufunc)
    for ufunc, words in kernels.known_of_loops.items()
    if "even" in words
]


@pytest.mark.parametrize("ufunc", EVEN, ids=lambda ufunc: str(ufunc.__name__))
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_even_loops_give_an_element_the_same_bits_anywhere(ufunc: Any, dtype: Any) -> None:
    """A block may cut a row anywhere: vectors and what is left behind them compute the same."""
    generator = np.random.default_rng(1)
    rows = [generator.normal(scale=3.0, size=203).astype(dtype) for _ in range(ufunc.nin)]
    with np.errstate(all="ignore"):
        whole = ufunc(*rows)
        for begin, end in ((0, 203), (1, 202), (3, 50), (7, 8), (64, 131), (200, 203)):
            part = ufunc(*(row[begin:end].copy() for row in rows))
            assert part.tobytes() == whole[begin:end].tobytes()
        alone = [ufunc(*(row[i : i + 1] for row in rows))[0] for i in range(203)]
    assert np.array(alone).tobytes() == whole.tobytes()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("exponent", [2.0, 3.0, 0.5, -1.0, -2.0, 4.0, 1.7])
def test_a_power_of_a_number_has_the_bits_that_it_has_in_an_array(
    exponent: float, dtype: str
) -> None:
    """Of single numbers, arrays of one and of many; eager, in a block, and as an operand of other steps."""
    values = np.abs(np.random.RandomState(1).standard_normal(200)).astype(dtype)
    recorded = tf.function(lambda x: (x**exponent, 2.0 * x**exponent - x))
    power = tf.constant(values) ** exponent
    expected = np.stack([power, 2.0 * power - values], axis=1)
    for shape in ((), (1,), (1, 1), (40,)):
        count = int(np.prod(shape, dtype=int))
        for first in range(0, len(values), count):
            part = slice(first, first + count)
            x = tf.constant(values[part].reshape(shape))
            assert bits(tf.reshape(x**exponent, [-1])) == bits(power[part]), shape
            found = tf.stack([tf.reshape(result, [-1]) for result in recorded(x)], axis=1)
            assert bits(found) == bits(expected[part]), shape
