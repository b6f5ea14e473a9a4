"""Programs that try to make a replay differ from Python, by states, values, control and derivatives."""

from __future__ import annotations

import functools
import gc
from typing import Any

import numpy as np
import pytest
from tests.hostile import ONE, X, compare

import tapegrad as tf

# States


def test_a_tensor_in_an_attribute() -> None:
    class Cell:
        state = tf.constant(0.0)

    def make() -> Any:
        cell = Cell()

        def f(x: Any) -> Any:
            cell.state = cell.state + x
            return cell.state * 2.0

        return f

    compare(make, ONE)


@pytest.mark.parametrize("keep", ["list", "dict", "closure", "set", "default", "global", "cycle"])
def test_a_tensor_that_outlives_the_call(keep: str) -> None:
    def make() -> Any:
        kept: list[Any] = []
        table: dict[Any, Any] = {}
        refs: set[Any] = set()
        last = tf.constant(5.0)

        def f(x: Any, seen: Any = kept) -> Any:
            nonlocal last
            y = x * 3.0
            if keep == "list":
                kept.append(y)
                return tf.add_n(kept)
            if keep == "dict":
                table["y"] = table.get("y", 0.0) + y
                return table["y"] * 1.0
            if keep == "set":
                refs.add(y.ref())
                return tf.add_n([each.deref() for each in sorted(refs, key=id)]) * 0.0 + len(refs)
            if keep == "default":
                seen.append(y)
                return tf.add_n(seen)
            if keep == "global":
                before = globals().get("_KEPT", 0.0)
                globals()["_KEPT"] = y
                return y + before * 0.0
            if keep == "cycle":
                cell: dict[str, Any] = {"y": y}
                cell["self"] = cell
                last = last + cell["self"]["y"]
                return last * 1.0
            last = last + y
            return last * 1.0

        return f

    compare(make, ONE)
    globals().pop("_KEPT", None)


def test_a_state_in_a_variable_is_fine() -> None:
    def make() -> Any:
        v = tf.Variable([1.0, 2.0])

        def f(x: Any) -> Any:
            v.assign_add([1.0, 1.0] * x)
            v[0].assign(x)
            return v * 1.0, v.read_value()

        return f, v

    def outside(made: Any) -> None:
        made[1].assign([7.0, -1.0])

    compare(make, [*ONE[:3], outside, *ONE[3:], outside, ONE[0]], 4)


def test_a_variable_that_is_replaced_by_another() -> None:
    class Model:
        def __init__(self) -> None:
            self.v = tf.Variable(2.0)

        @tf.function
        def f(self, x: Any) -> Any:
            return self.v * x

    model = Model()
    assert model.f(X[0]) == 2.0
    model.v.assign(3.0)
    assert model.f(X[0]) == 3.0
    # As in TensorFlow, the recording has the variable of its first call, and keeps it alive.
    model.v = tf.Variable(100.0)
    gc.collect()
    assert model.f(X[0]) == 3.0


# Values that leave the ops


@pytest.mark.parametrize("taped", [False, True])
def test_a_variable_of_unknown_shape(taped: bool) -> None:
    """What is read of it may have another shape at each call, and so may what it is given."""
    start = [1.0, 2.0]
    v, w = (tf.Variable(start, shape=tf.TensorShape([None])) for _ in range(2))

    def python(v: Any, x: Any) -> Any:
        y = v * x
        for _ in range(6):
            y = tf.tanh(y) + v
        v.assign(tf.concat([v, y[:1]], 0))
        return tf.reduce_sum(y * 2.0)

    recorded = tf.function(python)
    for value in ([1.0, 2.0], [1.0, 2.0], [3.0], [], [1.0] * 1000, [2.0], [1.0, 2.0]):
        found = []
        for function, variable in ((python, v), (recorded, w)):
            variable.assign(value)
            x = tf.constant(0.5)
            with tf.GradientTape() as tape:
                if taped:
                    tape.watch(x)
                y = function(variable, x)
            found.append([y, variable.numpy(), tape.gradient(y, x) if taped else None])
        for one, other in zip(*found, strict=True):
            assert (one is None) == (other is None)
            if one is not None:
                np.testing.assert_allclose(np.asarray(one), np.asarray(other), rtol=1e-6)


def test_numpy_in_the_middle() -> None:
    def make() -> Any:
        return lambda x: tf.constant(np.sin(x.numpy())) * x + float(tf.exp(x)) + x.numpy().item()

    compare(make, ONE, 2)


def test_array_protocols_in_the_middle() -> None:
    def make() -> Any:
        def f(x: Any) -> Any:
            a = np.asarray(x * 2.0)
            b = np.add(x, 1.0)
            c = np.float32(x + 1.0)
            d = sum(tf.stack([x, x]).numpy().tolist())
            e = memoryview(np.array(x)).tobytes()
            return x + a + b + c + d + len(e) + bytes(e)[0]

        return f

    compare(make, ONE, 2)


def test_a_tensor_made_of_values_outside_any_op() -> None:
    def make() -> Any:
        def f(x: Any) -> Any:
            rows = [float(v) for v in tf.stack([x, x + 1.0])]
            made = tf.constant(rows) + tf.convert_to_tensor(x.numpy())
            return tf.Variable(made, trainable=False) * 1.0 if False else made * 2.0

        return f

    compare(make, ONE, 2)


def test_shapes_sizes_and_strings_of_values() -> None:
    def make() -> Any:
        def f(x: Any) -> Any:
            n = int(abs(x)) + 1
            text = f"{x:.2f}" + str(x) + repr(x)
            return tf.ones([n]) * x, tf.fill([n, 2], x), tf.range(n), len(text), tf.constant(text)

        return f

    compare(make, ONE, 1)


def test_comparisons_hashes_and_membership() -> None:
    def make() -> Any:
        def f(x: Any) -> Any:
            table = {x.ref(): 1.0}
            found = table[x.ref()]
            inside = any(bool(x == each) for each in (1.0, 3.0))
            best = max([x, x * 2.0, -x], key=float)
            order = sorted([x, -x, x * x], key=lambda t: float(t))
            return x * found * (2.0 if inside else 3.0) + best + order[0] * 10.0

        return f

    compare(make, ONE, 2)


def test_index_slice_and_range_by_values() -> None:
    table = tf.range(10.0)

    def make() -> Any:
        def f(x: Any) -> Any:
            i = tf.cast(tf.abs(x), tf.int32)
            total = table[i] + table[int(i) + 1 :][0] + tf.reduce_sum(table[: i + 1])
            for k in range(i):
                total += float(k)
            return (
                total,
                tf.reshape(table, [2, 5])[i % 2],
                tf.split(table, [int(i), 10 - int(i)])[1],
            )

        return f

    compare(make, ONE, 1)


def test_a_generator_that_is_drawn_from_twice() -> None:
    def make() -> Any:
        def parts(x: Any) -> Any:
            while x > 0.25:
                yield x
                x = x / 2.0

        def f(x: Any) -> Any:
            return tf.add_n([tf.constant(0.0), *parts(x)]), sum(1 for _ in parts(x))

        return f

    compare(make, ONE, 1)


# Control


def test_errors_that_are_caught() -> None:
    def make() -> Any:
        def f(x: Any, i: Any) -> Any:
            try:
                return tf.gather(x, i)
            except tf.errors.InvalidArgumentError:
                return x[0] * 100.0

        return f

    x = tf.constant([1.0, 2.0])
    compare(make, [(x, tf.constant(i)) for i in (0, 1, 5, 0, 7, 1)])


def test_errors_of_users_are_theirs() -> None:
    class Own(Exception):
        def __init__(self, number: int, text: str) -> None:
            super().__init__(text)
            self.number = number

    v = tf.Variable(0.0)

    @tf.function
    def f(x: Any) -> Any:
        y = x * 2.0
        if x < 0:
            raise Own(3, "negative")
        v.assign_add(y)
        return y

    for x in (1.0, -1.0, 2.0, -2.0, 3.0):
        if x > 0:
            assert f(tf.constant(x)) == 2 * x
        else:
            with pytest.raises(Own, match="negative") as caught:
                f(tf.constant(x))
            assert caught.value.number == 3
            assert any(entry.name == "f" for entry in caught.traceback)
    assert v == 12.0


def test_early_returns_finally_and_with() -> None:
    def make() -> Any:
        v = tf.Variable(0.0)

        def f(x: Any) -> Any:
            with tf.name_scope("inner"):
                for i in tf.range(5):
                    if x > 100.0:
                        return x * 1.0, v * 1.0
                    try:
                        if i == 2:
                            continue
                        x = x * 3.0
                    finally:
                        v.assign_add(tf.cast(i, tf.float32))
            return x, v * 1.0

        return f

    compare(make, [(tf.constant(k),) for k in (1.0, 2.0, 50.0, 200.0, 1.5, 60.0, 0.0)], 2)


def test_recursion_and_mutual_recursion() -> None:
    @tf.function
    def even(n: Any) -> Any:
        return tf.constant(True) if n == 0 else odd(n - 1)

    @tf.function
    def odd(n: Any) -> Any:
        return tf.constant(False) if n == 0 else even(n - 1)

    for n in (0, 1, 4, 7, 4, 1):
        assert bool(even(tf.constant(n))) == (n % 2 == 0)


def test_nested_functions_with_states() -> None:
    def make() -> Any:
        v = tf.Variable(1.0)

        @tf.function
        def inner(x: Any) -> Any:
            v.assign(v * 2.0)
            return v * x if x > 0 else v - x

        def f(x: Any) -> Any:
            return inner(x) + inner(-x) + inner(x * 2.0), v * 1.0

        return f

    compare(make, ONE, 2)


def test_decorators_partials_and_wrappers() -> None:
    def plain(x: Any, scale: float = 2.0) -> Any:
        return x * scale

    def doubled(function: Any) -> Any:
        @functools.wraps(function)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            return function(*args, **kwargs) * 2.0

        return wrapper

    class Callable:
        def __call__(self, x: Any) -> Any:
            return x * 7.0

        @tf.function
        def method(self, x: Any) -> Any:
            return x * 8.0

        @classmethod
        @tf.function
        def of_class(cls, x: Any) -> Any:
            return x * 9.0

        @staticmethod
        @tf.function
        def static(x: Any) -> Any:
            return x * 10.0

        @property
        @tf.function
        def value(self) -> Any:
            return tf.constant(11.0)

    thing = Callable()
    cases = [
        (tf.function(doubled(plain)), 4.0),
        (doubled(tf.function(plain)), 4.0),
        (tf.function(doubled(doubled(plain))), 8.0),
        (tf.function(functools.partial(plain, scale=3.0)), 3.0),
        (functools.partial(tf.function(plain), scale=5.0), 5.0),
        (tf.function(tf.function(plain)), 2.0),
        (tf.function(thing), 7.0),
        (tf.function(thing.__call__), 7.0),
        (thing.method, 8.0),
        (Callable.of_class, 9.0),
        (thing.static, 10.0),
        (tf.function(lambda x: x * thing.value), 11.0),
    ]
    for function, factor in cases:
        for x in X:
            assert function(x) == float(x) * factor


# Derivatives


def test_tapes_outside_inside_and_both_to_third_order() -> None:
    def g(x: Any) -> Any:
        return tf.sin(x) * x**3 + tf.exp(-x)

    def inside(function: Any) -> Any:
        def derivative(x: Any) -> Any:
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = function(x)
            return tape.gradient(y, x)

        return derivative

    for plan in ("rrr", "ppr", "rpp", "prp", "rrp", "prr"):
        function, wanted = g, g
        for letter in plan:
            function = inside(tf.function(function) if letter == "r" else function)
            wanted = inside(wanted)
        for x in X[:4]:
            for _ in range(2):
                np.testing.assert_allclose(function(x), wanted(x), rtol=2e-5, atol=1e-5)


def test_forward_mode_and_vectorized_maps_through_a_function() -> None:
    v = tf.Variable(2.0)
    f = tf.function(lambda x: tf.sin(x) * v * x)
    for x in X:
        f(x)
        with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as acc:
            y = f(x)
        np.testing.assert_allclose(acc.jvp(y), (tf.cos(x) * x + tf.sin(x)) * v, rtol=1e-5)
    xs = tf.stack(X)
    for _ in range(2):
        np.testing.assert_allclose(tf.vectorized_map(f, xs), tf.stack([f(x) for x in X]), rtol=1e-6)
    inside = tf.function(lambda xs: tf.vectorized_map(lambda x: tf.sin(x) * v, xs))
    for _ in range(3):
        np.testing.assert_allclose(inside(xs), tf.sin(xs) * v, rtol=1e-6)
        v.assign_add(1.0)


def test_watched_variables_and_stop_recording() -> None:
    v, w = tf.Variable(2.0), tf.Variable(3.0, trainable=False)
    f = tf.function(lambda x: x * v * w + tf.stop_gradient(v))
    for x in X:
        with tf.GradientTape() as tape:
            y = f(x)
            with tape.stop_recording():
                f(x)
        assert [each is v for each in tape.watched_variables()] == [True]
        assert tape.gradient(y, v) == float(x) * 3.0


def test_gradients_that_an_inner_function_takes() -> None:
    """What the outer function did before the inner one begins anew is in the recording of the outer one."""
    inner = tf.function(lambda y: tf.gradients(y**3, y)[0])
    outer = tf.function(lambda x: inner(x * 2.0) + x)
    assert [float(outer(x)) for x in X] == [12.0 * float(x) ** 2 + float(x) for x in X]
    v = tf.Variable(1.0)

    @tf.function
    def writes_before(x: Any) -> Any:
        v.assign_add(1.0)
        if x > 1.5:
            x = x * 10.0
        return inner_of_its_own(x * v) + x

    inner_of_its_own = tf.function(lambda y: tf.gradients(y**3, y)[0])
    for count, x in enumerate(X):
        taken = 10.0 * float(x) if x > 1.5 else float(x)
        expected = 3.0 * (taken * (count + 2)) ** 2 + taken
        np.testing.assert_allclose(writes_before(x), expected, rtol=1e-6)
    assert float(v) == 1.0 + len(X)


def test_gradients_in_a_branch_that_a_later_call_takes() -> None:
    v = tf.Variable(0.0)

    @tf.function
    def f(x: Any) -> Any:
        v.assign_add(1.0)
        return tf.gradients(x * x * v, x)[0] if x > 0.0 else x * v

    found = [float(f(x)) for x in (X[1], X[0], X[1], X[2])]
    assert found == [-2.0, 4.0, -6.0, 24.0]
    assert float(v) == 4.0


# Scopes


def test_where_a_program_is() -> None:
    seen = []

    @tf.function
    def f(x: Any) -> Any:
        seen.append((tf.inside_function(), tf.executing_eagerly()))
        with tf.init_scope():
            seen.append((tf.inside_function(), tf.executing_eagerly()))
        tf.py_function(lambda: seen.append((tf.inside_function(), tf.executing_eagerly())), [], [])
        return x

    f(X[0])
    list(
        tf.data.Dataset.range(1).map(
            lambda x: seen.append((tf.inside_function(), tf.executing_eagerly())) or x
        )
    )
    assert seen[:3] == [(True, False), (False, True), (False, True)]
    assert seen[-1] == (True, False)
    assert (tf.inside_function(), tf.executing_eagerly()) == (False, True)
    tf.config.run_functions_eagerly(True)
    try:
        f(X[0])
    finally:
        tf.config.run_functions_eagerly(False)
    assert seen[-3:] == [(False, True)] * 3


def test_init_scope_happens_once_for_each_recording() -> None:
    v = tf.Variable(1.0)

    @tf.function
    def f(x: Any) -> Any:
        with tf.init_scope():
            v.assign_add(1.0)
            c = v * 10.0
        return x + c

    assert [float(f(tf.constant(0.0))) for _ in range(3)] == [20.0] * 3
    assert v == 2.0
    assert f(tf.constant([0.0])).numpy().tolist() == [30.0]

    @tf.function
    def g(x: Any) -> Any:
        with tf.init_scope():
            y = x * 2.0
        return y

    assert [float(g(x)) for x in X] == [2.0 * float(x) for x in X]
    assert "tf.init_scope" in str(g.explain())


UNSORTABLE: list[dict[Any, Any]] = [
    {1: 2.0, "a": 3.0},
    {None: 2.0, "a": 3.0},
    {1: np.ones(2), "a": 3},
    {1: tf.constant(2.0), "a": tf.constant(3.0)},
]


@pytest.mark.parametrize("mapping", UNSORTABLE)
def test_keys_that_cannot_be_sorted(mapping: dict[Any, Any]) -> None:
    # TensorFlow's answer to each of these.
    x = tf.constant(1.0)
    for call in (
        lambda: tf.function(lambda d: d["a"])(mapping),
        lambda: tf.function(lambda x, d: x)(x, [mapping]),
        lambda: tf.function(lambda **each: each["d"]["a"])(d=mapping),
        lambda: tf.function(lambda d: tf.gradients(d["a"], d["a"]))(mapping),
        lambda: tf.function(lambda d: d["a"]).get_concrete_function(mapping),
        lambda: tf.function(lambda x: dict.fromkeys(mapping, x))(x),
    ):
        for _ in range(2):
            with pytest.raises(TypeError, match="not supported between instances"):
                call()
