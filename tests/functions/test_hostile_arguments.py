"""Arguments that try to make a replay differ from Python: changed in place, equal, different, or objects."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.hostile import X, replays, same

import tapegrad as tf


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
        assert type(found[0]) is type(wanted[0])
        for one, other in zip(found, wanted, strict=True):
            if isinstance(one, tf.RaggedTensor):
                assert one.shape.as_list() == other.shape.as_list()
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
