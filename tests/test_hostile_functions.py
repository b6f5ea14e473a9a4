"""Programs that try to make a replay differ from Python: each is compared with the undecorated function."""

from __future__ import annotations

import functools
import gc
import threading
import weakref
from typing import Any

import numpy as np
import pytest

import tapegrad as tf


def replays(function: Any) -> int:
    return sum(program.replays for program in function._recordings.values())


def same(one: Any, other: Any) -> None:
    """The same structure, dtypes, shapes and bits."""
    tf.nest.assert_same_structure(one, other, expand_composites=True)
    for x, y in zip(
        tf.nest.flatten(one, expand_composites=True),
        tf.nest.flatten(other, expand_composites=True),
        strict=True,
    ):
        if x is None or y is None:
            assert x is y
            continue
        a, b = np.asarray(tf.convert_to_tensor(x)), np.asarray(tf.convert_to_tensor(y))
        assert (a.dtype, a.shape) == (b.dtype, b.shape)
        if a.dtype.hasobject:
            assert a.tolist() == b.tolist()
        else:
            assert a.tobytes() == b.tobytes(), (a, b)


def compare(make: Any, calls: list[Any], least: int | None = None) -> Any:
    """``make()`` gives a function with state of its own, once for Python and once recorded.

    A call is a tuple of arguments, or a function that changes something, which gets what ``make`` gave.
    """
    python, target = make(), make()
    plain = python[0] if isinstance(python, tuple) else python
    recorded = tf.function(target[0] if isinstance(target, tuple) else target)
    for call in calls:
        if callable(call):
            call(python)
            call(target)
        else:
            same(recorded(*call), plain(*call))
    if least is not None:
        assert replays(recorded) >= least, str(recorded.explain())
    return recorded


X = [tf.constant(value) for value in (1.0, -2.0, 3.0, 0.5, -2.0, 1.0)]
ONE = [(x,) for x in X]


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


# Arguments


def test_an_array_that_is_changed_in_place_between_calls() -> None:
    array = np.array([1.0, 2.0, 3.0], np.float32)
    f = tf.function(lambda x, y=None: (x * 2.0, x))
    first = f(array)
    array[0] = 100.0
    second = f(array)
    array[1] = -5.0
    assert first[0].numpy().tolist() == [2.0, 4.0, 6.0]
    assert first[1].numpy().tolist() == [1.0, 2.0, 3.0]
    assert second[0].numpy().tolist() == [200.0, 4.0, 6.0]
    assert second[1].numpy().tolist() == [100.0, 2.0, 3.0]


def test_a_list_that_is_changed_between_calls() -> None:
    numbers = [1.0, 2.0]
    f = tf.function(lambda x, numbers: x * sum(numbers))
    for _ in range(4):
        assert f(X[0], numbers) == sum(numbers)
        numbers.append(1.5)
    options = {"scale": 2.0, "parts": (1, 2)}
    g = tf.function(lambda x, options: x * options["scale"] + len(options["parts"]))
    assert g(X[0], options) == 4.0
    options["scale"] = 3.0
    assert g(X[0], options) == 5.0
    options["parts"] = (1,)
    assert g(X[0], options) == 4.0


def test_what_the_function_does_to_its_arguments_it_does_to_copies_or_not_at_all() -> None:
    @tf.function
    def f(parts: Any) -> Any:
        parts = list(parts)
        parts.append(parts[0] * 2.0)
        return parts

    for x in X:
        same(f([x, x]), [x, x, x * 2.0])


def test_mutable_objects_without_a_hash_are_never_taken_for_what_they_were() -> None:
    class Options:
        __hash__ = None  # type: ignore[assignment]

        def __init__(self, scale: float) -> None:
            self.scale = scale

        def __eq__(self, other: object) -> bool:
            return isinstance(other, Options) and other.scale == self.scale

    for options, change in (
        (Options(2.0), lambda o: setattr(o, "scale", 5.0)),
        ({1.0, 2.0}, lambda o: o.add(7.0)),
        (bytearray(b"ab"), lambda o: o.extend(b"cd")),
    ):
        f = tf.function(lambda x, o: x * (o.scale if isinstance(o, Options) else float(len(o))))
        plain = f.python_function
        same(f(X[0], options), plain(X[0], options))
        change(options)
        same(f(X[0], options), plain(X[0], options))
        assert "has no hash" in str(f.explain())


def test_immutable_objects_are_known_by_their_values() -> None:
    import dataclasses
    import enum

    @dataclasses.dataclass(frozen=True)
    class Size:
        rows: int
        parts: tuple[int, ...]

    class Kind(enum.Enum):
        ONE = 1
        TWO = 2

    made = [
        lambda n: Size(n, (n, 2)),
        lambda n: Kind(1 + n % 2),
        lambda n: range(n),
        lambda n: frozenset([n, "a"]),
        lambda n: slice(0, n),
        lambda n: tf.TensorShape([n, None]),
        lambda n: tf.TensorSpec([n], tf.int32),
        lambda n: (n, [n, {"a": None}]),
        lambda n: np.dtype("f4" if n else "f8"),
        lambda n: complex(n, 1),
    ]
    for make in made:
        f = tf.function(lambda x, o: x * float(len(repr(o))))
        for n in (0, 1, 0, 1, 0):
            o = make(n)
            same(f(X[2], o), X[2] * float(len(repr(o))))
        assert replays(f) == 3, repr(make(0))


def test_arguments_that_are_equal_and_differ() -> None:
    for given in (
        [{1: 2.0}, {True: 2.0}, {1.0: 2.0}],
        [range(0), range(1, 1), range(0, 3, 2), range(0, 4, 2)],
        [frozenset([1]), frozenset([True]), frozenset([1.0])],
        [(1, 2), [1, 2], (1.0, True)],
        [slice(1), slice(True), slice(1.0)],
    ):
        f = tf.function(lambda k: tf.constant(repr(k)))
        for value in given * 3:
            assert f(value).numpy().decode() == repr(value)


def test_numbers_that_are_equal_and_differ() -> None:
    f = tf.function(lambda k: tf.constant(k))
    for value in (
        1,
        True,
        1.0,
        1 + 0j,
        np.float32(1),
        np.int64(1),
        np.bool_(True),
        0.0,
        -0.0,
        "1",
        b"1",
    ):
        for _ in range(2):
            wanted = tf.constant(value)
            found = f(value)
            assert found.dtype == wanted.dtype
            assert found.numpy() == wanted.numpy()
            if found.dtype == tf.float32:
                assert np.signbit(found.numpy()) == np.signbit(wanted.numpy())


def test_keywords_positions_and_defaults_are_one_signature() -> None:
    traced = []

    @tf.function
    def f(x: Any, scale: float = 2.0, *, shift: float = 1.0) -> Any:
        traced.append(1)
        return x * scale + shift

    for call in (
        lambda x: f(x),
        lambda x: f(x=x),
        lambda x: f(x, 2.0),
        lambda x: f(x, scale=2.0),
        lambda x: f(scale=2.0, x=x),
        lambda x: f(x, shift=1.0),
        lambda x: f(shift=1.0, scale=2.0, x=x),
    ):
        for x in X:
            same(call(x), x * 2.0 + 1.0)
    assert len(traced) == f.experimental_get_tracing_count() == 1
    same(f(X[0], 3.0), X[0] * 3.0 + 1.0)
    same(f(X[0], shift=3.0), X[0] * 2.0 + 3.0)
    assert len(traced) == 3
    for wrong in (
        lambda: f(),
        lambda: f(X[0], 1.0, 2.0),
        lambda: f(X[0], x=X[0]),
        lambda: f(X[0], other=1),
    ):
        with pytest.raises(TypeError):
            wrong()


def test_the_same_tensor_twice() -> None:
    f = tf.function(lambda x, y: (x * 10.0 + y, x is y))
    for x, y in ((X[0], X[0]), (X[0], X[1]), (X[1], X[1]), (X[2], X[0])):
        assert f(x, y)[0] == float(x) * 10.0 + float(y)
    gradients = tf.function(lambda x, y: x * y * y)
    for x, y in ((X[0], X[0]), (X[2], X[0]), (X[2], X[2])):
        with tf.GradientTape() as tape:
            tape.watch([x, y])
            z = gradients(x, y)
        wanted = float(2 * x * y + y * y) if x is y else float(y * y)
        assert tape.gradient(z, x) == wanted


def test_inputs_that_are_variables() -> None:
    f = tf.function(lambda v, w: v.assign_add(w * 2.0) + w)
    v, w = tf.Variable(1.0), tf.Variable(2.0)
    expected_v, expected_w = 1.0, 2.0
    for first, second in ((v, w), (v, v), (w, v), (v, w), (v, v)):
        a = expected_v if first is v else expected_w
        b = expected_v if second is v else expected_w
        a += 2.0 * b
        if first is v:
            expected_v = a
        else:
            expected_w = a
        b = a if first is second else b
        assert f(first, second) == a + b
        assert (float(v), float(w)) == (expected_v, expected_w)


COMPOSITES = {
    "sparse": lambda k: tf.SparseTensor([[0, 0], [1, 2]], [1.0 * k, 2.0], [3, 4]),
    "sparse shape": lambda k: tf.SparseTensor([[0, 0]], [1.0 * k], [3, 3 + k]),
    "slices": lambda k: tf.IndexedSlices(
        tf.ones([1, 2]) * float(k), tf.constant([k % 2]), tf.constant([3, 2])
    ),
    "ragged": lambda k: tf.ragged.constant([[1.0 * k], [2.0, 3.0]]),
    "ragged rows": lambda k: tf.RaggedTensor.from_row_lengths([1.0, 2.0, 3.0], [k % 3, 3 - k % 3]),
    "ragged uniform": lambda k: tf.RaggedTensor.from_uniform_row_length(
        tf.ragged.constant([[1.0], [k * 1.0, 3.0]]), 2
    ),
}


@pytest.mark.parametrize("name", COMPOSITES)
def test_composites(name: str) -> None:
    @tf.function
    def f(value: Any) -> Any:
        if isinstance(value, tf.SparseTensor):
            return tf.sparse.to_dense(value), value, value.shape.as_list()
        if isinstance(value, tf.IndexedSlices):
            return tf.convert_to_tensor(value), value
        rows = [-1 if size is None else size for size in value.shape.as_list()]
        return value * 2.0, value.nrows(), value.to_tensor(), rows

    for k in (1, 2, 1, 3, 2, 1):
        value = COMPOSITES[name](k)
        found, wanted = f(value), f.python_function(value)
        same(found, wanted)
        if name != "ragged uniform":
            assert type(found[0]) is type(wanted[0])
        for one, other in zip(found, wanted, strict=True):
            if isinstance(one, tf.RaggedTensor):
                assert one.shape.as_list() == other.shape.as_list()
    if name != "ragged uniform":
        assert replays(f) >= 1, f.explain()


def test_extension_types() -> None:
    class Masked(tf.experimental.ExtensionType):  # type: ignore[misc]
        values: tf.Tensor
        power: int = 1

    @tf.function
    def f(m: Any) -> Any:
        return Masked(m.values**m.power, m.power + 1)

    for k, power in ((1.0, 1), (2.0, 1), (3.0, 2), (4.0, 2), (5.0, 1)):
        m = f(Masked([k, 2.0], power))
        assert m.values.numpy().tolist() == [k**power, 2.0**power]
        assert m.power == power + 1
    assert replays(f) == 3


def test_tensor_arrays_and_iterators_as_arguments() -> None:
    f = tf.function(lambda array, x: array.write(0, x).stack())
    for x in X:
        array = tf.TensorArray(tf.float32, 2).unstack([x, x * 2.0])
        same(f(array, x), tf.stack([x, x * 2.0]))
    array = tf.TensorArray(tf.float32, 2, clear_after_read=False).unstack([1.0, 2.0])
    read = tf.function(lambda array: array.stack())
    assert read(array).numpy().tolist() == [1.0, 2.0]
    array.write(0, 7.0)
    assert read(array).numpy().tolist() == [7.0, 2.0]
    total = tf.function(lambda data: data.reduce(np.int64(0), lambda a, b: a + b))
    assert [int(total(tf.data.Dataset.range(n))) for n in (3, 5, 3)] == [3, 10, 3]


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


# Threads and lives


def test_threads_with_guards_and_states_of_their_own() -> None:
    @tf.function
    def f(x: Any, v: Any) -> Any:
        v.assign_add(1.0)
        return tf.tanh(x) * v if x > 0 else v - x

    wrong: list[Any] = []

    def work(sign: float) -> None:
        v = tf.Variable(0.0)
        for i in range(1, 200):
            number = np.float32(sign * i)
            found = f(tf.constant(number), v).numpy()
            wanted = np.tanh(number) * np.float32(i) if number > 0 else np.float32(i) - number
            if abs(found - wanted) > 1e-4 * abs(wanted):
                wrong.append((number, found, wanted))

    threads = [threading.Thread(target=work, args=(sign,)) for sign in (1.0, -1.0) * 4]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_draws_of_threads_never_repeat() -> None:
    tf.random.set_seed(3)
    f = tf.function(lambda: tf.random.uniform([], seed=5, dtype=tf.float64))
    f()
    drawn: list[float] = []

    def work() -> None:
        drawn.extend([float(f()) for _ in range(200)])

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(drawn)) == len(drawn) == 1600


def test_what_a_recording_keeps_alive() -> None:
    class Thing:
        scale = 2.0

    f = tf.function(lambda x, thing: x * thing.scale)
    for _ in range(3):
        thing = Thing()
        f(X[0], thing)
        gone = weakref.ref(thing)
        del thing
        gc.collect()
        assert gone() is None
    assert len(f._recordings) == 0
    large = tf.ones([1000])
    gone = weakref.ref(large)
    g = tf.function(lambda x: x * 2.0)
    g(large)
    g(large)
    del large
    gc.collect()
    assert gone() is None


@pytest.mark.slow
def test_a_hundred_thousand_replays_grow_by_nothing() -> None:
    import resource
    import tracemalloc

    v = tf.Variable([1.0, 2.0])
    inner = tf.function(lambda x: tf.nn.dropout(x, 0.5) + tf.random.normal([2], seed=3))

    @tf.function
    def f(x: Any, scale: float = 2.0) -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum((v * x + inner(x)) ** 2.0) * scale
        v.assign_sub(1e-9 * tape.gradient(loss, v))
        if loss > 5.0:
            return {"loss": loss, "rows": tf.boolean_mask(x, x > 0)}
        return {"loss": -loss, "rows": x}

    calls = [tf.constant([1.0, 1.0]), tf.constant([-1.0, 5.0])]

    def many(count: int) -> None:
        for _ in range(count):
            for x in calls:
                f(x)

    many(2000)
    gc.collect()
    objects, resident = len(gc.get_objects()), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    tracemalloc.start()
    traced = tracemalloc.get_traced_memory()[0]
    many(50_000)
    gc.collect()
    grown = tracemalloc.get_traced_memory()[0] - traced
    tracemalloc.stop()
    assert grown < 20_000
    assert len(gc.get_objects()) - objects < 100
    assert (
        resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - resident < 30_000
    )  # KB, of tracemalloc too
    assert replays(f) > 90_000


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


# Other threads


def test_tensors_that_another_thread_works_with() -> None:
    from concurrent.futures import ThreadPoolExecutor

    pool = ThreadPoolExecutor(2)
    inner = tf.function(lambda x: x * 3.0)
    for _ in range(2):
        inner(X[0])

    def in_thread(work: Any) -> Any:
        found: list[Any] = []
        thread = threading.Thread(target=lambda: found.append(work()))
        thread.start()
        thread.join()
        return found[0]

    functions = {
        "an op": lambda x: in_thread(lambda: x * 2.0) + 1.0,
        "an op of a computed tensor": lambda x: in_thread(lambda y=x * 2.0: tf.sin(y)) + x,
        "a value": lambda x: tf.constant(in_thread(lambda: float(x) * 2.0)),
        "an array": lambda x: tf.constant(in_thread(lambda: np.sin(x.numpy()))),
        "a pool": lambda x: tf.add_n(list(pool.map(lambda k: x * k, [1.0, 2.0]))),
        "a replay": lambda x: in_thread(lambda: inner(x)),
    }
    for name, function in functions.items():
        recorded = tf.function(function)
        for x in X:
            np.testing.assert_array_equal(recorded(x), function(x), err_msg=name)
        assert "another thread" in str(recorded.explain()), name
    pool.shutdown()


def test_threads_that_have_nothing_to_do_with_a_recording() -> None:
    stop = threading.Event()
    v = tf.Variable([1.0, 2.0])

    def work() -> None:
        x = tf.constant([1.0, 2.0])
        while not stop.is_set():
            with tf.GradientTape() as tape:
                y = tf.reduce_sum(tf.sin(x * v) ** 2)
            tape.gradient(y, v)

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(20):
            f = tf.function(lambda x: tf.tanh(x * v) + tf.reduce_sum(v))
            for x in X:
                np.testing.assert_array_equal(f(x), f.python_function(x))
            assert replays(f) == len(X) - 1, f.explain()
    finally:
        stop.set()
        for thread in threads:
            thread.join()


def test_replicas_get_their_arguments_and_nothing_else_of_a_recording() -> None:
    strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])

    def run(function: Any, *args: Any) -> Any:
        return strategy.reduce("sum", strategy.run(function, args=args), axis=None)

    by_argument = tf.function(lambda x: run(lambda v: v * 6.0, x))
    by_closure = tf.function(lambda x: (lambda y: run(lambda: y * 2.0))(x * 3.0))
    for x in X:
        assert by_argument(x) == by_closure(x) == 12.0 * x
    assert replays(by_argument) == len(X) - 1
    assert "another thread" in str(by_closure.explain())
