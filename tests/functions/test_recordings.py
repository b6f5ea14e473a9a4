"""Recorded functions: a replay gives what the Python function gives, for any input, or there is none."""

from __future__ import annotations

import gc
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tapegrad as tf
from hostile import replays


def is_python(function: Any) -> str | None:
    """Why the function stays Python, or None."""
    if function._recordings.reason:
        return function._recordings.reason[0]
    for program in function._recordings.values():
        if program.reason:
            return program.reason[0]
    return None


def agree(python: Any, calls: list[tuple[Any, ...]], least: int = 1, variables: Any = ()) -> Any:
    """Compare the recorded function with the Python function, call by call, to the bit. Returns it."""
    recorded = tf.function(python)
    before = [variable.numpy() for variable in variables]
    wanted = []
    for args in calls:
        result = tf.nest.map_structure(tf.convert_to_tensor, tf.nest.flatten(python(*args)))
        wanted.append(([np.asarray(each) for each in result], [v.numpy() for v in variables]))
    for variable, value in zip(variables, before, strict=True):
        variable.assign(value)
    for args, (results, values) in zip(calls, wanted, strict=True):
        found = tf.nest.flatten(recorded(*args))
        for one, other in zip(found, results, strict=True):
            one = np.asarray(one)
            assert (one.dtype, one.shape) == (other.dtype, other.shape)
            assert one.tobytes() == other.tobytes(), (args, one, other)
        for variable, value in zip(variables, values, strict=True):
            assert variable.numpy().tobytes() == value.tobytes()
    assert replays(recorded) >= least, is_python(recorded)
    return recorded


def constants(*numbers: float) -> list[tuple[Any, ...]]:
    return [(tf.constant(number),) for number in numbers]


def test_elementwise():
    agree(lambda x: tf.tanh(x) * x + 2.0, constants(1.0, 2.0, 3.0), least=2)


def test_side_effects_of_python_happen_once():
    seen = []

    @tf.function
    def double(x):
        seen.append(1)
        return x * 2

    for number in (1.0, 2.0, 3.0):
        assert double(tf.constant(number)) == 2 * number
    assert seen == [1]
    assert replays(double) == 2


def test_branches():
    def f(x):
        if x > 0:
            return x * 2
        if x < -10:
            return x - 1
        return -x

    agree(f, constants(1.0, -1.0, 2.0, -2.0, -20.0, 5.0, -30.0, -3.0), least=5)


def test_loops_until_a_value():
    def f(x):
        steps = 0
        while x > 1:
            x = x / 2
            steps += 1
        return x, steps

    agree(f, constants(8.0, 3.0, 8.5, 1.0, 100.0, 9.0, 0.5), least=2)


def test_values_as_numbers():
    agree(lambda x, n: x * int(n), [(tf.constant(2.0), tf.constant(k)) for k in (1, 2, 1, 2, 3)], 2)


def test_shapes_that_depend_on_values():
    def f(x):
        return tf.reduce_sum(tf.boolean_mask(x, x > 0)), tf.where(x > 0), tf.unique(x)[0]

    agree(f, [(tf.constant(v),) for v in ([1.0, -1.0, 2.0], [1.0, 1.0, 2.0], [3.0, -4.0, 5.0])], 1)


def test_writes_before_a_guard_are_taken_back():
    v = tf.Variable([1.0, 2.0])

    def f(x):
        v.assign_add(x)
        if tf.reduce_sum(v) > 5:
            v.assign(v * 0.5)
        return v * 1.0

    calls = [(tf.constant([k, 1.0]),) for k in (0.5, 1.0, 0.0, 7.0, -3.0, 2.0, 4.0)]
    agree(f, calls, 3, [v])


def test_draws_before_a_guard_are_taken_back():
    def f(x):
        y = tf.random.uniform([2], seed=3) + x
        if y[0] > 0.5:
            return y + tf.random.normal([2], seed=4)
        return y

    tf.random.set_seed(5)
    wanted = [f(tf.constant(0.0)).numpy() for _ in range(20)]
    tf.random.set_seed(5)
    recorded = tf.function(f)
    found = [recorded(tf.constant(0.0)).numpy() for _ in range(20)]
    np.testing.assert_array_equal(np.concatenate(wanted), np.concatenate(found))
    assert replays(recorded) > 10


def test_prints_at_each_call(capsys):
    @tf.function
    def f(x):
        tf.print("x is", x)
        if x > 0:
            return x
        return -x

    for number in (1, -1, 2, -3):
        f(tf.constant(number))
    assert capsys.readouterr().err == "x is 1\nx is -1\nx is 2\nx is -3\n"
    assert replays(f) == 2


def test_gradients_inside():
    w = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    b = tf.Variable([0.5, -0.5])

    def step(x):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.nn.softmax(tf.tanh(x @ w + b)) ** 2)
        for variable, gradient in zip((w, b), tape.gradient(loss, [w, b]), strict=True):
            variable.assign_sub(0.1 * gradient)
        return loss

    calls = [(tf.constant(np.float32(np.arange(6).reshape(3, 2) * k)),) for k in range(5)]
    agree(step, calls, 4, [w, b])


def test_second_derivatives_inside():
    def f(x):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = tf.sin(x) * x**3
            first = inner.gradient(y, x)
        return outer.gradient(first, x)

    agree(f, constants(1.0, 2.0, 0.5), 2)


def test_tape_outside():
    w = tf.Variable(2.0)

    def f(x):
        return tf.sin(x * w) * w

    recorded = tf.function(f)
    for number in (1.0, 2.0, 3.0):
        answers = []
        for function in (f, recorded):
            x = tf.constant(number)
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = function(x)
            answers.append([y.numpy(), *[each.numpy() for each in tape.gradient(y, [x, w])]])
        assert answers[0] == answers[1]
    assert replays(recorded) == 2


def test_custom_gradients_under_a_tape_outside_stay_python():
    @tf.custom_gradient
    def odd(x):
        return x * x, lambda dy: dy * 100.0 * x

    recorded = tf.function(lambda x: odd(x) + 1.0)
    for number in (1.0, 2.0, 3.0):
        x = tf.constant(number)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = recorded(x)
        assert tape.gradient(y, x) == 100 * number
    assert replays(recorded) == 0
    assert recorded(tf.constant(4.0)) == 17
    assert recorded(tf.constant(5.0)) == 26
    assert replays(recorded) == 1


def test_a_tape_from_outside_that_is_walked_inside():
    x = tf.constant(3.0)
    for number in (2.0, 3.0):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = x**number
        recorded = tf.function(lambda tape=tape, y=y: tape.gradient(y, x))
        assert recorded() == tape.gradient(y, x)
        assert recorded() == tape.gradient(y, x)


def test_the_same_tensor_as_argument_and_from_outside():
    x = tf.constant(2.0)
    f = tf.function(lambda a, b: a * 10 + b * 100 + x * 1000)
    assert f(x, x) == 2220
    assert f(tf.constant(1.0), tf.constant(3.0)) == 2310


def test_functions_in_functions():
    @tf.function
    def inner(x):
        return x * 2 if x > 0 else x

    agree(lambda x: inner(x) + inner(-x), constants(1.0, -1.0, 2.0, -2.0), 2)


def test_errors_are_those_of_python():
    @tf.function
    def f(x, i):
        return tf.gather(x, i) * 2

    x = tf.constant([1.0, 2.0])
    assert f(x, tf.constant(0)) == 2
    assert f(x, tf.constant(1)) == 4
    with pytest.raises(tf.errors.InvalidArgumentError):
        f(x, tf.constant(7))
    assert f(x, tf.constant(1)) == 4
    assert replays(f) == 2


def test_caught_errors_stay_python():
    def f(x):
        try:
            return tf.linalg.cholesky(x)
        except tf.errors.InvalidArgumentError:
            return x

    good, bad = tf.constant([[2.0]]), tf.constant([[-2.0]])
    recorded = tf.function(f)
    for matrix in (good, bad, good, bad, good):
        np.testing.assert_array_equal(recorded(matrix).numpy(), f(matrix).numpy())


def test_failures_after_writes_leave_what_eager_leaves():
    v = tf.Variable(0.0)

    @tf.function
    def f(x, i):
        v.assign_add(1.0)
        return tf.gather(x, i)

    x = tf.constant([1.0, 2.0])
    f(x, tf.constant(0))
    f(x, tf.constant(1))
    with pytest.raises(tf.errors.InvalidArgumentError):
        f(x, tf.constant(5))
    assert v == 3.0
    assert replays(f) == 1


def test_elements_of_data_sets():
    def f(iterator):
        return next(iterator) * 2

    recorded = tf.function(f)
    iterator = iter(tf.data.Dataset.range(10))
    assert [int(recorded(iterator)) for _ in range(5)] == [0, 2, 4, 6, 8]

    @tf.function
    def total(x):
        sum_ = x
        for each in tf.data.Dataset.range(3):
            sum_ += each
        return sum_

    assert [int(total(tf.constant(k, tf.int64))) for k in range(3)] == [3, 4, 5]


def test_large_arrays_read_as_values_stay_python():
    def f(x):
        return tf.constant(np.cumsum(x.numpy()))

    recorded = tf.function(f)
    for seed in range(3):
        x = tf.constant(np.random.default_rng(seed).normal(size=5000))
        np.testing.assert_array_equal(recorded(x).numpy(), f(x).numpy())
    assert "reads the values" in is_python(recorded)


def test_py_functions_are_called_each_time():
    seen = []

    def note(x):
        seen.append(float(x))
        return x * 2

    @tf.function
    def f(x):
        return tf.py_function(note, [x], tf.float32) + tf.sin(x)

    for number in (1.0, 2.0, 3.0):
        assert f(tf.constant(number)) == 2 * number + tf.sin(number)
    assert seen == [1.0, 2.0, 3.0]
    assert replays(f) == 2


def test_variables_made_on_the_first_call():
    class Layer(tf.Module):
        def __init__(self):
            super().__init__()
            self.w = None

        @tf.function
        def __call__(self, x):
            if self.w is None:
                self.w = tf.Variable(3.0)
            return x * self.w

    first, second = Layer(), Layer()
    for number in (1.0, 2.0, 3.0):
        assert first(tf.constant(number)) == 3 * number
    second(tf.constant(1.0))
    second.w.assign(5.0)
    assert second(tf.constant(1.0)) == 5
    assert first(tf.constant(1.0)) == 3
    first.w.assign(7.0)
    assert first(tf.constant(1.0)) == 7
    assert replays(Layer.__call__) >= 2


def test_instances_go():
    import weakref

    class Layer(tf.Module):
        def __init__(self):
            super().__init__()
            self.w = tf.Variable(3.0)

        @tf.function
        def __call__(self, x):
            return x * self.w

    layer = Layer()
    for number in (1.0, 2.0):
        layer(tf.constant(number))
    gone = weakref.ref(layer), weakref.ref(layer.w)
    del layer
    gc.collect()
    assert [each() for each in gone] == [None, None]
    assert len(Layer.__call__._recordings) == 0


def test_python_arguments_are_part_of_the_signature():
    f = tf.function(lambda x, how: x * 2 if how else x * 3)
    one = tf.constant(1.0)
    assert [float(f(one, how)) for how in (True, False, True, 1, 0.0, -0.0)] == [2, 3, 2, 2, 3, 3]


def test_results_of_all_kinds():
    Pair = __import__("collections").namedtuple("Pair", "x y")

    def f(x):
        return {"a": x, "b": (x + 1, [x * 2, None]), "c": Pair(x, 3), "d": tf.constant(5.0)}

    recorded = tf.function(f)
    for number in (1.0, 2.0):
        result = recorded(tf.constant(number))
        assert (result["a"], result["b"][0]) == (number, number + 1)
        assert result["b"][1][1] is None
        assert (type(result["c"]), result["c"].y) == (Pair, 3)
    first, second = recorded(tf.constant(1.0)), recorded(tf.constant(1.0))
    assert first["d"] is not second["d"]
    assert replays(recorded) == 3


def test_sparse_gradients_of_variables():
    table = tf.Variable(np.arange(12, dtype=np.float32).reshape(4, 3))

    def step(ids):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.gather(table, ids) ** 2)
        gradient = tape.gradient(loss, table)
        table.scatter_sub(tf.IndexedSlices(gradient.values * 0.1, gradient.indices))
        return loss

    agree(step, [(tf.constant(ids),) for ids in ([0, 1], [1, 1], [3, 2], [0, 3])], 3, [table])


def test_generators():
    generator = tf.random.Generator.from_seed(1)
    other = tf.random.Generator.from_seed(1)
    f = tf.function(lambda: generator.normal([3]))
    for _ in range(4):
        np.testing.assert_array_equal(f().numpy(), other.normal([3]).numpy())
    assert replays(f) == 3


def test_many_branches_stay_python():
    f = tf.function(lambda x: x * float(x))
    for number in range(100):
        assert f(tf.constant(float(number))) == float(number) ** 2
    assert "branches" in is_python(f)


def test_many_signatures():
    f = tf.function(lambda x, k: x * k)
    x = tf.constant(2.0)
    for number in range(600):
        assert f(x, number) == 2 * number


def test_asserts():
    @tf.function
    def f(x):
        tf.debugging.assert_positive(x)
        assert tf.reduce_sum(x) < 100
        return x * 2

    for size in (3, 3, 10_000):
        f(tf.ones([3]) * 2)
        f(tf.ones([size]) / size)
    with pytest.raises(tf.errors.InvalidArgumentError):
        f(tf.constant([1.0, -1.0, 2.0]))
    with pytest.raises(AssertionError):
        f(tf.constant([1.0, 1000.0, 2.0]))


def test_control_flow_functions():
    def f(x, n):
        total = tf.cond(x > 0, lambda: x, lambda: -x)
        for i in tf.range(n):
            total += tf.cast(i, tf.float32)
        i, total = tf.while_loop(lambda i, t: i < n, lambda i, t: (i + 1, t * 2), [0, total])
        return total + tf.foldl(lambda a, b: a + b, tf.stack([x, total])), tf.map_fn(
            lambda v: v * 2, tf.stack([x, total])
        )

    calls = [(tf.constant(x), tf.constant(n)) for x in (1.0, -2.0, 3.0) for n in (1, 2, 3)]
    agree(f, calls, 2)


def test_tensor_arrays():
    def f(x):
        array = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
        for i in range(3):
            array = array.write(i, x * i)
        return array.stack()

    agree(f, constants(1.0, 2.0, 3.0), 2)


def test_recomputed_gradients_draw_the_same_numbers():
    block = tf.recompute_grad(lambda x: x * tf.random.normal([3]))

    @tf.function
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = block(x)
        return y, tape.gradient(y, x)

    for _ in range(4):
        y, gradient = f(tf.ones([3]))
        np.testing.assert_array_equal(y.numpy(), gradient.numpy())


def test_threads():
    w = tf.Variable(2.0)

    @tf.function
    def f(x):
        if x > 0:
            return tf.tanh(x) * w
        return x * w

    wrong = []

    def work(sign: float) -> None:
        for i in range(300):
            number = np.float32(sign * i)
            wanted = np.tanh(number) * 2 if number > 0 else number * 2
            if abs(f(tf.constant(number)).numpy() - wanted) > 1e-6:
                wrong.append(number)

    threads = [threading.Thread(target=work, args=(sign,)) for sign in (1.0, -1.0) * 4]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_replays_grow_by_nothing():
    import tracemalloc

    v = tf.Variable([1.0, 2.0])

    @tf.function
    def f(x):
        v.assign_add(x)
        if tf.reduce_sum(x) > 0:
            return v * x
        return {"a": v + x}

    calls = [tf.constant([1.0, 1.0]), tf.constant([-1.0, -1.0])]
    for _ in range(50):
        for x in calls:
            f(x)
    gc.collect()
    growths = []
    tracemalloc.start()
    for _ in range(3):  # what other threads allocate meanwhile is not in all of them
        before = tracemalloc.get_traced_memory()[0]
        for _ in range(5000):
            for x in calls:
                f(x)
        gc.collect()
        growths.append(tracemalloc.get_traced_memory()[0] - before)
    tracemalloc.stop()
    assert min(growths) < 2000


def test_inputs_of_other_shapes_and_dtypes():
    f = tf.function(lambda x: tf.reduce_sum(x * x, axis=-1))
    for shape in ([3], [2, 3], [3], [2, 3], [0, 3]):
        for dtype in (tf.float32, tf.int32, tf.bfloat16, tf.complex64):
            x = tf.cast(tf.reshape(tf.range(int(np.prod(shape))), shape), dtype)
            np.testing.assert_array_equal(f(x).numpy(), tf.reduce_sum(x * x, axis=-1).numpy())


def test_numpy_arguments():
    f = tf.function(lambda x: x * 2)
    for number in range(3):
        np.testing.assert_array_equal(f(np.full(3, number)).numpy(), np.full(3, 2 * number))
    assert replays(f) == 2


def test_variables_as_arguments():
    f = tf.function(lambda v: v.assign_add(1.0) * 2.0)
    one, two = tf.Variable(1.0), tf.Variable(10.0)
    assert [float(f(each)) for each in (one, two, one, two, one)] == [4, 22, 6, 24, 8]


def test_run_eagerly():
    seen = []
    f = tf.function(lambda x: seen.append(1) or x * 2)
    try:
        tf.config.run_functions_eagerly(True)
        f(tf.constant(1.0))
        f(tf.constant(1.0))
    finally:
        tf.config.run_functions_eagerly(False)
    f(tf.constant(1.0))
    f(tf.constant(1.0))
    assert len(seen) == 3


def test_gradients_function():
    @tf.function
    def f(x):
        y = x**3
        return tf.gradients(y, x)[0]

    for number in (1.0, 2.0, 3.0):
        assert f(tf.constant(number)) == 3 * number**2


def test_tensors_that_are_kept():
    class Cell:
        def __init__(self):
            self.state = tf.zeros([2])
            self.seen = []

        @tf.function
        def __call__(self, x):
            self.state = tf.tanh(self.state + x)
            return self.state

        @tf.function
        def listed(self, x):
            self.seen.append(x * 2)
            return x + 1

    cell, state = Cell(), tf.zeros([2])
    for number in (1.0, 2.0, 3.0):
        x = tf.constant([number, 0.5])
        state = tf.tanh(state + x)
        np.testing.assert_array_equal(cell(x).numpy(), state.numpy())
        cell.listed(x)
    assert [each.numpy()[0] for each in cell.seen] == [2.0, 4.0, 6.0]


def test_items_of_a_batch_draw_their_own_numbers() -> None:
    @tf.function
    def noise() -> Any:
        return tf.random.normal([])

    for _ in range(3):
        noise()
    drawn = tf.vectorized_map(lambda x: x + noise(), tf.zeros([4])).numpy()
    assert len(set(drawn.tolist())) == 4


def _all_read(v: tf.Variable, x: tf.Tensor) -> tf.Tensor:
    y = tf.sin(v * 2.0) + v
    y = tf.exp(-y * y) * v + 1.0
    return tf.tanh(y) * x


def _reduced(v: tf.Variable, x: tf.Tensor) -> tf.Tensor:
    return tf.reduce_sum(tf.sin(v * 2.0) + v * v - 1.0) * x


def _written(v: tf.Variable, x: tf.Tensor) -> tf.Tensor:
    v.assign(v * 2.0 + x)
    v.assign_add(v)
    return tf.tanh(v - 1.0) * x


@pytest.mark.parametrize("taped", [False, True])
@pytest.mark.parametrize("body", [_all_read, _reduced, _written])
def test_a_variable_of_no_fixed_shape(body: Callable[..., Any], taped: bool) -> None:
    """What is read of it may have another shape at each call, and no step may rely on the one it had."""
    x = tf.constant(2.0)
    recorded, eager = [tf.Variable([1.0, 2.0], shape=[None]) for _ in range(2)]
    replayed = tf.function(lambda: body(recorded, x))

    def both(call: Callable[[], Any], variable: tf.Variable, values: np.ndarray[Any, Any]) -> Any:
        variable.assign(values)
        if not taped:
            return [call(), variable.value()]
        with tf.GradientTape() as tape:
            y = call()
        return [y, tape.gradient(y, variable), variable.value()]

    for size in (2, 2, 2, 3, 3, 3, 5000, 1, 3, 2, 0):
        values = np.linspace(0.1, 1.0, size, dtype=np.float32)
        wanted = both(lambda: body(eager, x), eager, values)
        for ours, its in zip(both(replayed, recorded, values), wanted, strict=True):
            if its is None:
                assert ours is None
            else:
                assert ours.shape == its.shape
                np.testing.assert_allclose(ours, its, rtol=1e-5)


class _Equal(tf.Module):
    """Instances that are equal, and different objects."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Equal)

    def __hash__(self) -> int:
        return 1

    @tf.function
    def double(self, x: tf.Tensor) -> tf.Tensor:
        return x * 2.0


def test_signatures_of_equal_instances_are_told_apart() -> None:
    first, second = _Equal(), _Equal()
    for rows in (2, 2, 3):
        first.double(tf.ones([rows]))
    second.double(tf.ones([2]))
    function: Any = vars(_Equal)["double"]
    assert [len(function._met.of(each)) for each in (first, second)] == [2, 1]


def test_nothing_is_kept_of_instances_that_are_gone() -> None:
    function: Any = vars(_Equal)["double"]
    gc.collect()
    before = len(function._met._of_instance)
    for _ in range(20):
        _Equal().double(tf.ones([2]))
    gc.collect()
    assert len(function._met._of_instance) == before
    assert len(function._recordings) == before


def test_objects_that_can_be_called_may_have_attributes_of_any_name():
    class Scaled:
        def __init__(self):
            self._call = self._run = self._recordings = self.name = "its own"
            self.note = "kept"

        def __call__(self, x):
            return x * 2.0

    @tf.custom_gradient
    def doubled(x):
        return x * x, lambda dy: dy * 2.0

    scaled = tf.function(Scaled())
    assert [float(scaled(tf.constant(x))) for x in (1.0, 3.0)] == [2.0, 6.0]
    assert scaled.note == "kept"
    assert [float(tf.function(doubled)(tf.constant(x))) for x in (1.0, 3.0)] == [1.0, 9.0]


def identity_of_identity(x: Any) -> Any:
    y = tf.identity(tf.exp(x))
    return tf.cumsum(y), tf.identity(y)


def identities_in_a_row(x: Any) -> Any:
    y = tf.identity(tf.identity(tf.exp(x)))
    return y + tf.identity(y), tf.identity(tf.identity(y)), tf.identity(y)


def identity_of_what_is_computed_twice(x: Any) -> Any:
    y, z = tf.exp(x), tf.exp(x)
    return tf.identity(tf.identity(z)), tf.cumsum(tf.identity(y)), tf.identity(y)


@pytest.mark.parametrize(
    "program", [identity_of_identity, identities_in_a_row, identity_of_what_is_computed_twice]
)
def test_a_tensor_that_is_passed_on_is_there_for_all_its_readers(program: Any) -> None:
    """The step that computes it may fill the slot of a result only if nothing else reads its own."""
    function = tf.function(program)
    for value in ([1.0, 2.0], [0.5, -1.0], [3.0, 0.0]):
        x = tf.constant(value)
        for found, wanted in zip(function(x), program(x), strict=True):
            np.testing.assert_array_equal(found, wanted)
