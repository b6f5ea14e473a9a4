"""`tf.vectorized_map` and Jacobians: TensorFlow's answers to whole programs, and what goes beyond them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapegrad as tf
from golden.maps import PROGRAMS
from tapegrad import core, testing
from tapegrad.core import Batch, Batched
from tapegrad.ops.reduce.batches import enter_batch, leave_batch

ANSWERS = json.loads((Path(__file__).parents[1] / "golden" / "maps.json").read_text())

# TensorFlow traces the function, so an op that refuses shapes raises ValueError there.
OTHER_CLASS = {"shapes that do not fit": tf.errors.InvalidArgumentError}


def check(actual: Any, expected: Any, what: str) -> None:
    if isinstance(expected, dict) and "dtype" in expected:
        array = np.asarray(actual)
        parts = expected["values"]
        if expected["dtype"] == "object":
            wanted = np.array([text.encode() for text in parts[0]], object)
        else:
            wanted = np.array(parts[0], expected["dtype"].replace("complex", "float"))
            if len(parts) == 2:
                wanted = wanted + 1j * np.array(parts[1])
            wanted = wanted.astype(expected["dtype"]).reshape(expected["shape"])
            assert str(array.dtype) == expected["dtype"], what
        testing.assert_close(array, wanted, rtol=2e-5, what=what)
    elif isinstance(expected, dict):
        assert actual.keys() == expected.keys(), what
        for key, part in expected.items():
            check(actual[key], part, f"{what}[{key!r}]")
    elif expected is None:
        assert actual is None, what
    else:
        assert len(actual) == len(expected), what
        for place, part in enumerate(expected):
            check(actual[place], part, f"{what}[{place}]")


@pytest.fixture(autouse=True)
def quiet(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("CRITICAL", logger="tensorflow")


@pytest.mark.parametrize("name", PROGRAMS)
def test_answers_are_tensorflows(name: str) -> None:
    answer = ANSWERS[name]
    if "value" in answer:
        check(PROGRAMS[name](tf), answer["value"], name)
        return
    with pytest.raises(OTHER_CLASS.get(name, Exception)) as caught:
        PROGRAMS[name](tf)
    names = {base.__name__ for base in type(caught.value).__mro__}
    assert name in OTHER_CLASS or answer["error"][0] in names, caught.value


# Beyond TensorFlow


def test_python_code_may_ask_for_values(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("WARNING", logger="tensorflow")
    x = tf.constant([1.0, -2.0, 3.0, 4.0])
    assert tf.vectorized_map(lambda v: v if v > 0 else -v, x).numpy().tolist() == [1, 2, 3, 4]
    assert not caplog.records
    for warns in (True, False):
        found = tf.vectorized_map(lambda v: v if float(v) > 0 else -v, x, warn=warns)
        assert found.numpy().tolist() == [1, 2, 3, 4]
    assert len(caplog.records) == 1
    assert "has no single value" in caplog.text


def test_a_function_runs_once_for_each_way_through_it() -> None:
    """Items that go the same way go together, so a thousand of them take a few calls."""
    calls: list[int] = []

    def fn(x: Any) -> Any:
        calls.append(1)
        y = tf.cond(x > 0.0, lambda: tf.sin(x), lambda: x * x)
        if x > 1.0:
            y = tf.switch_case(tf.cast(x, tf.int32), [lambda: y, lambda: 2.0 * y], lambda: y / x)
        return tf.while_loop(lambda z: z < 4.0, lambda z: (tf.abs(z) * 2.0 + 1.0,), [y])[0]

    x = tf.constant(np.linspace(-2.0, 3.0, 300), tf.float64)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        together = tf.vectorized_map(fn, x)
        assert len(calls) < 40
        apart = tf.map_fn(fn, x)
    np.testing.assert_array_equal(together, apart)
    np.testing.assert_array_equal(tape.gradient(together, x), tape.gradient(apart, x))


def test_items_part_in_maps_of_maps_and_within_tapes() -> None:
    x = tf.constant(np.random.default_rng(3).normal(size=(5, 4)))

    def slope(y: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(y)
            z = tf.cond(y > 0.0, lambda: y**3, lambda: -y) * tf.reduce_sum(x[0])
        return tape.gradient(z, y)

    expected = np.where(x > 0, 3 * x**2, -1.0) * x[0].numpy().sum()
    for inner in (lambda row: tf.vectorized_map(slope, row), tf.autodiff.vmap(slope)):
        np.testing.assert_allclose(tf.vectorized_map(inner, x), expected, rtol=1e-12)
    np.testing.assert_allclose(tf.autodiff.vmap(tf.autodiff.vmap(slope), 1, 1)(x), expected)
    y = x[0]
    hessian = tf.autodiff.hessian(lambda y: tf.reduce_sum(tf.vectorized_map(slope, y)))(y)
    expected = np.diag(np.where(y > 0, 6.0, 0.0)) * y.numpy().sum()
    np.testing.assert_allclose(hessian, expected, atol=1e-12)


def test_items_part_in_recorded_functions() -> None:
    def fn(x: Any) -> Any:
        return tf.vectorized_map(
            lambda y: tf.cond(y > 0.0, lambda: y * y, lambda: -y), x, fallback_to_while_loop=False
        )

    recorded = tf.function(fn)
    x = tf.constant([1.0, -2.0, 3.0, -4.0])
    for y in (x, 2.0 * x, -x, x):
        np.testing.assert_array_equal(recorded(y), fn(y))


def test_results_of_groups_are_of_one_kind() -> None:
    x = tf.constant([1.0, -2.0, 3.0, 4.0])
    with pytest.raises(ValueError, match="shape"):
        tf.vectorized_map(lambda v: v if v > 0 else tf.stack([v, v]), x)
    with pytest.raises(ValueError, match="`out_axes` says None"):
        tf.autodiff.vmap(lambda v: 1.0 if v > 0 else 2.0, out_axes=None)(x)
    same = tf.autodiff.vmap(lambda v: (v if v > 0 else -v, 3.0), out_axes=(0, None))(x)
    assert [part.numpy().tolist() for part in same] == [[1, 2, 3, 4], 3.0]


def test_late_parting_costs_no_more_than_two_loops() -> None:
    """Each step parts one item from the others."""
    calls: list[int] = []

    def fn(x: Any) -> Any:
        calls.append(1)
        count = tf.zeros([])
        while x > count:
            count = count + 1.0
        return count * x

    found = tf.vectorized_map(fn, tf.range(1.0, 31.0))
    assert found.numpy().tolist() == [i * i for i in range(1, 31)]
    assert len(calls) <= 61


def test_printing_a_batched_tensor_parts_no_items() -> None:
    seen: list[str] = []

    def fn(x: Any) -> Any:
        seen.append(f"{x}")
        return x

    tf.vectorized_map(fn, tf.constant([1.0, 1.0]))
    assert len(seen) == 1
    assert "held by a Batched" in seen[0]


def test_shapes_of_results_may_differ_inside() -> None:
    x = tf.constant([[2, -3], [1, 1]])
    found = tf.vectorized_map(lambda v: tf.reduce_sum(tf.boolean_mask(v, v > 0)), x)
    assert found.numpy().tolist() == [2, 2]


def test_variables_are_assigned_by_one_item_after_the_other() -> None:
    v = tf.Variable(0.0)
    found = tf.vectorized_map(lambda x: v.assign_add(x) * 1.0, tf.constant([1.0, 2.0, 3.0]))
    assert found.numpy().tolist() == [1, 3, 6]
    assert v.numpy() == 6
    for write in (v.assign, v.assign_add):
        with pytest.raises(ValueError, match="vectorization defined for Assign"):
            tf.vectorized_map(
                lambda x: write(x) * x,  # noqa: B023
                tf.constant([1.0]),
                fallback_to_while_loop=False,
            )
    assert v.numpy() == 6


_POSITIVE = tf.constant([1.0, 2.0, 3.0])


def _cond_of_item(v: tf.Variable, x: Any) -> Any:
    tf.cond(x > 1.5, lambda: v.assign_add(1.0), lambda: v.assign_add(10.0))
    return x * v


def _late_choice(v: tf.Variable, x: Any) -> Any:
    v.assign_add(tf.constant(1.0))
    return tf.cond(x > 1.5, lambda: x * v, lambda: -x * v)


def _other_shapes(v: tf.Variable, x: Any) -> Any:
    v.assign_add(1.0)
    return tf.reduce_sum(tf.boolean_mask(_POSITIVE, x < _POSITIVE)) + v


def _map_inside(v: tf.Variable, x: Any) -> Any:
    return tf.vectorized_map(lambda y: [v.assign_add(1.0), x * y * v][1], _POSITIVE[:2])


# What variables hold, and the results, are TensorFlow's.
@pytest.mark.parametrize("graph", [False, True])
@pytest.mark.parametrize("loops", [False, True])
@pytest.mark.parametrize(
    ("fn", "value", "results"),
    [
        (lambda v, x: [v.assign_add(1.0), x * v][1], 1.0, [1, 2, 3]),
        (lambda v, x: [v.assign_sub(tf.constant(1.0)), x * v][1], -1.0, [-1, -2, -3]),
        (lambda v, x: [v.assign(v * 2.0 + 1.0), v + 0.0][1], 1.0, [1, 1, 1]),
        (lambda v, x: [x * v, v.assign_add(tf.ones_like(x))][0], 1.0, [0, 0, 0]),
        (_late_choice, 1.0, [-1, 2, 3]),
        (_map_inside, 1.0, [[1, 2], [2, 4], [3, 6]]),
    ],
)
def test_what_is_the_same_for_all_items_is_assigned_once(
    fn: Any, value: float, results: Any, loops: bool, graph: bool
) -> None:
    v = tf.Variable(0.0)

    def mapped() -> Any:
        return tf.vectorized_map(lambda x: fn(v, x), _POSITIVE, loops)

    call = tf.function(mapped) if graph else mapped
    for _ in range(3):
        v.assign(0.0)
        assert call().numpy().tolist() == results
        assert v.numpy() == value


@pytest.mark.parametrize(
    ("fn", "value", "results"),
    [(_cond_of_item, 10.0, [10, 2, 3]), (_other_shapes, 1.0, [6, 4, 1])],
)
def test_writes_are_undone_where_items_go_other_ways(fn: Any, value: float, results: Any) -> None:
    v = tf.Variable(0.0)
    call = tf.function(lambda: tf.vectorized_map(lambda x: fn(v, x), _POSITIVE))
    for function in (lambda: tf.vectorized_map(lambda x: fn(v, x), _POSITIVE), call, call, call):
        v.assign(0.0)
        assert function().numpy().tolist() == results
        assert v.numpy() == value


def test_tables_are_written_once() -> None:
    table = tf.lookup.experimental.MutableHashTable(tf.int64, tf.float32, 0.0)
    key = tf.constant([7], tf.int64)

    def fn(x: Any) -> Any:
        table.insert(key, table.lookup(key) + 1.0)
        return tf.cond(x > 1.5, lambda: x, lambda: -x)

    assert tf.vectorized_map(fn, _POSITIVE).numpy().tolist() == [-1, 2, 3]
    assert table.lookup(key).numpy().tolist() == [1]


def test_a_generator_gives_each_item_its_own_numbers() -> None:
    generator = tf.random.Generator.from_seed(1)
    found = tf.vectorized_map(lambda x: x + generator.normal([]), tf.zeros([3])).numpy()
    expected = tf.random.Generator.from_seed(1)
    expected.normal([])  # TensorFlow, too, makes one draw for all items, and forgets it
    assert found.tolist() == [expected.normal([]).numpy() for _ in range(3)]


def test_draws_differ_from_item_to_item() -> None:
    found = tf.vectorized_map(lambda x: tf.random.normal([2], seed=1), tf.zeros([3])).numpy()
    assert len(np.unique(found)) == 6
    nested = tf.vectorized_map(
        lambda x: tf.vectorized_map(lambda y: tf.random.uniform([]), x), tf.zeros([2, 3])
    )
    assert len(np.unique(nested.numpy())) == 6
    shuffled = tf.vectorized_map(tf.random.shuffle, tf.tile(tf.range(9)[None], [4, 1])).numpy()
    assert np.sort(shuffled).tolist() == [list(range(9))] * 4
    assert len(np.unique(shuffled, axis=0)) > 1


# TensorFlow's numbers, of two calls. In eager code each map begins anew.
@pytest.mark.parametrize(
    ("draw", "first", "second"),
    [
        (
            lambda x: tf.random.uniform([], 0, 1000, tf.int32, seed=4),
            [961, 460, 441],
            [617, 742, 411],
        ),
        (lambda x: tf.random.uniform([], 0, 1000, tf.int32), [551, 998, 290], [496, 577, 310]),
        (lambda x: tf.random.gamma([], x, seed=4), [0.881, 1.536, 2.587], [1.441, 0.405, 3.105]),
        (lambda x: tf.random.poisson([], 10.0 * x, seed=4), [11, 23, 34], [13, 18, 31]),
        (
            lambda x: tf.random.categorical([[x, 1.0, x, 1.0]], 3, seed=4)[0],
            [[1, 2, 1], [2, 0, 0], [0, 2, 2]],
            [[2, 1, 3], [0, 1, 2], [0, 0, 2]],
        ),
    ],
)
def test_draws_are_those_of_tensorflow(draw: Any, first: Any, second: Any) -> None:
    tf.random.set_seed(3)
    for _ in range(2):
        found = tf.vectorized_map(draw, tf.constant([1.0, 2.0, 3.0]))
        np.testing.assert_allclose(found, first, atol=1e-3)
    recorded = tf.function(lambda: tf.vectorized_map(draw, tf.constant([1.0, 2.0, 3.0])))
    for expected in (first, second):
        np.testing.assert_allclose(recorded(), expected, atol=1e-3)


def test_items_draw_for_themselves_where_they_run_one_by_one_or_part() -> None:
    def parted(x: Any) -> Any:
        return tf.cond(tf.random.uniform([], seed=4) > 0.5, lambda: x, lambda: -x)

    for draw in (lambda x: tf.random.shuffle(tf.range(9), seed=4), parted):
        recorded = tf.function(lambda: tf.vectorized_map(draw, tf.ones([20]), warn=False))  # noqa: B023
        for _ in range(3):
            assert len(np.unique(recorded(), axis=0)) > 1


def test_one_draw_serves_all_items_as_in_tensorflow() -> None:
    tf.random.set_seed(3)
    found = tf.vectorized_map(lambda x: tf.random.normal([2], seed=5), tf.zeros([3]))
    tf.random.set_seed(3)
    np.testing.assert_array_equal(found, tf.random.normal([3, 2], seed=5))


def test_prints_once_for_each_item(capsys: pytest.CaptureFixture[str]) -> None:
    tf.vectorized_map(lambda x: [tf.print("item", x), x][1], tf.constant([1, 2]))
    assert capsys.readouterr().err == "item 1\nitem 2\n"
    tf.vectorized_map(lambda x: [tf.print("all"), x][1], tf.constant([1, 2]))
    assert capsys.readouterr().err == "all\n"


def test_assertions_need_no_loop() -> None:
    def fn(x: Any) -> Any:
        tf.debugging.assert_positive(x)
        return x

    assert tf.vectorized_map(fn, _POSITIVE, False).numpy().tolist() == [1, 2, 3]
    with pytest.raises(tf.errors.InvalidArgumentError, match="x > 0"):
        tf.vectorized_map(fn, tf.constant([1.0, -2.0]), False)


def test_other_threads_and_later_code_know_nothing_of_a_map() -> None:
    before = tf.random.normal([2]).shape
    with pytest.raises(ZeroDivisionError):
        tf.vectorized_map(lambda x: 1 / 0, tf.zeros([3]))
    assert tf.random.normal([2]).shape == before


def test_an_item_that_escapes_has_no_values() -> None:
    kept = []
    tf.vectorized_map(lambda x: [kept.append(x * 2.0), x][1], tf.constant([1.0, 2.0]))
    (escaped,) = kept
    assert escaped.shape == ()
    assert isinstance(escaped._array, Batched)
    assert "held by a Batched" in repr(escaped)
    for read in (float, bool, lambda x: x.numpy(), np.asarray):
        with pytest.raises(TypeError, match="2 items has no single value"):
            read(escaped)


def test_errors_speak_of_one_item() -> None:
    def refused(fn: Any) -> str:
        with pytest.raises(tf.errors.InvalidArgumentError) as caught:
            fn()
        return str(caught.value)

    x = tf.ones([5, 2, 3])
    for fn in (
        lambda x: tf.matmul(x, x),
        lambda x: tf.reduce_sum(x, axis=4),
        lambda x: tf.concat([x, x], 3),
        lambda x: x + tf.ones([7]),
        lambda x: tf.transpose(x, [0, 1, 2]),
    ):
        assert refused(lambda: tf.vectorized_map(fn, x)) == refused(lambda: fn(x[0]))  # noqa: B023


def test_without_items() -> None:
    empty = tf.zeros([0, 3, 2])
    assert tf.vectorized_map(tf.reduce_sum, empty).shape == [0]
    assert tf.vectorized_map(lambda x: tf.linalg.matmul(x, x, transpose_b=True), empty).shape == [
        0,
        3,
        3,
    ]
    assert tf.vectorized_map(lambda x: tf.where(x > 0, x, 0.0), empty).shape == [0, 3, 2]
    assert tf.vectorized_map(lambda x: x if tf.reduce_sum(x) >= 0 else -x, empty).shape == [0, 3, 2]


def test_a_batch_is_opened_once_at_a_time() -> None:
    with pytest.raises(ValueError, match="no less than 0"):
        Batch(-1)
    with Batch(2) as batch, pytest.raises(RuntimeError, match="open already"):
        batch.__enter__()
    with pytest.raises(tf.errors.InvalidArgumentError, match="does not have 3 items"):
        enter_batch(tf.zeros([2]), Batch(3))
    assert repr(Batch(3)).endswith("of 3 items>")


def test_axes_of_items() -> None:
    x = tf.reshape(tf.range(24.0), [2, 3, 4])
    with Batch(3) as batch:
        items = enter_batch(x, batch, axis=1)
        assert items.shape == [2, 4]
        back = leave_batch(tf.transpose(items), batch, axis=2)
        same = leave_batch(tf.constant([1.0, 2.0]), batch, axis=1)
    np.testing.assert_array_equal(back, np.moveaxis(x.numpy(), [0, 1, 2], [1, 2, 0]))
    assert same.numpy().tolist() == [[1, 1, 1], [2, 2, 2]]


# Jacobians


def hidden(tf: Any, x: Any) -> Any:
    """A function with a gradient of its own that looks at values, which no batch can."""

    @tf.custom_gradient  # type: ignore[untyped-decorator]
    def own(x: Any) -> Any:
        def gradient(dy: Any) -> Any:
            return tf.constant(dy.numpy() * 2.0 * x.numpy())

        return x * x, gradient

    return own(x)


def test_a_gradient_function_that_reads_values_takes_row_by_row(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level("WARNING", logger="tensorflow")
    x = tf.constant([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = hidden(tf, x)
    assert tape.jacobian(y, x).numpy().tolist() == [[2, 0, 0], [0, 4, 0], [0, 0, 6]]
    assert "row by row" in caplog.text


def test_a_tape_lets_go_of_its_records_after_a_jacobian() -> None:
    x = tf.ones([3])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    inner = tape._tape
    tape.jacobian(y, x)
    assert len(inner) == 0
    with pytest.raises(RuntimeError):
        tape.jacobian(y, x)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float64", "complex64"])
def test_jacobian_in_other_dtypes(dtype: str) -> None:
    x = tf.cast(tf.constant([1.0, 2.0, 0.5]), dtype)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = tf.sin(x) * tf.reduce_sum(x)
    rows = [
        tape.gradient(y, x, output_gradients=tf.cast(tf.one_hot(i, 3), dtype)) for i in range(3)
    ]
    found = tape.jacobian(y, x)
    assert found.dtype.name == dtype
    testing.assert_close(
        tf.cast(found, tf.complex64), tf.cast(tf.stack(rows), tf.complex64), rtol=1e-2
    )


def test_jacobian_by_an_embedding_and_a_variable() -> None:
    table = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    scale = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.gather(table, [2, 0, 2]) ** 2, 0) * scale
    by_table, by_scale = tape.jacobian(y, [table, scale])
    expected = np.zeros((2, 3, 2))
    expected[:, 0] = np.diag([4.0, 8.0])
    expected[:, 2] = np.diag([40.0, 48.0])
    np.testing.assert_allclose(by_table, expected)
    assert by_scale.numpy().tolist() == [51, 76]


def test_hessian_and_third_derivatives() -> None:
    x = tf.constant([0.5, -1.0, 2.0], tf.float64)
    with tf.GradientTape() as third:
        third.watch(x)
        with tf.GradientTape() as second:
            second.watch(x)
            with tf.GradientTape() as first:
                first.watch(x)
                y = tf.reduce_prod(x) * tf.reduce_sum(x)
            slope = first.gradient(y, x)
        hessian = second.jacobian(slope, x)
    found = third.jacobian(hessian, x).numpy()
    assert found.shape == (3, 3, 3)
    for order in ((1, 0, 2), (0, 2, 1)):
        np.testing.assert_allclose(found, found.transpose(order), atol=1e-12)
    np.testing.assert_allclose(found[0, 1, 2], 2 * x.numpy().sum())


def test_recomputed_gradients_and_maps_inside_each_other() -> None:
    w = tf.Variable([1.0, 2.0])

    @tf.recompute_grad  # type: ignore[untyped-decorator]
    def fn(x: Any) -> Any:
        return tf.reduce_sum(tf.sin(w * x))

    x = tf.constant([[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = tf.vectorized_map(fn, x)
        z = tf.reduce_sum(tf.sin(w * x), 1)
    for source in (w, x):
        np.testing.assert_allclose(tape.gradient(y, source), tape.gradient(z, source), rtol=1e-6)
        np.testing.assert_allclose(tape.jacobian(y, source), tape.jacobian(z, source), rtol=1e-6)
    assert core.is_recording() is False


def test_functions_called_within_a_batch_count_as_traced() -> None:
    traced = tf.function(lambda x, scale: x * scale)
    for length, kind in ((3, tf.float32), (3, tf.float32), (2, tf.float32), (2, tf.float64)):
        x = tf.ones([4, length], kind)
        np.testing.assert_array_equal(
            tf.vectorized_map(lambda row: traced(row, 2.0), x), 2.0 * x.numpy()
        )
    # Each shape and dtype of an item is one trace, however often it comes and however many items there are.
    assert traced.experimental_get_tracing_count() == 3
    tf.vectorized_map(lambda row: traced(row, 2.0), tf.ones([7, 2]))
    assert traced.experimental_get_tracing_count() == 3
    assert "an argument is a batch" in str(traced.explain())


@tf.custom_gradient
def gives_a_constant(z):
    return tf.constant([1.0, 2.0]), lambda dy: 2 * dy


@tf.recompute_grad
def recomputes_a_constant(z):
    return tf.custom_gradient(lambda z: (tf.constant([1.0, 2.0]), lambda dy: 2 * dy))(z)


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize(
    ("function", "slope"),
    [
        (gives_a_constant, 2.0),
        (recomputes_a_constant, 2.0),
        (tf.grad_pass_through(lambda z: tf.constant([1.0, 2.0])), 1.0),
    ],
    ids=["custom_gradient", "recompute_grad", "grad_pass_through"],
)
def test_results_that_all_items_share_have_a_gradient_for_each_item(function, slope, compiled):
    rows = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])

    def gradient(rows):
        with tf.GradientTape() as tape:
            tape.watch(rows)
            y = tf.vectorized_map(function, rows)
        return y, tape.gradient(y, rows)

    y, dy = (tf.function(gradient) if compiled else gradient)(rows)
    assert y.numpy().tolist() == [[1.0, 2.0]] * 3
    assert dy.numpy().tolist() == [[slope, slope]] * 3


def test_results_that_all_items_share_have_a_tangent_for_each_item():
    rows = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    with tf.autodiff.ForwardAccumulator(rows, tf.ones_like(rows)) as accumulator:
        y = tf.vectorized_map(gives_a_constant, rows)
    assert accumulator.jvp(y).numpy().tolist() == [[2.0, 2.0]] * 3


def test_a_saved_map_assigns_once(tmp_path: Any) -> None:
    module = tf.Module()
    module.v = tf.Variable(0.0)
    module.fn = tf.function(
        lambda x: tf.vectorized_map(lambda a: [module.v.assign_add(1.0), a * module.v][1], x),
        input_signature=[tf.TensorSpec([None])],
    )
    tf.saved_model.save(module, str(tmp_path))
    loaded = tf.saved_model.load(str(tmp_path))
    assert loaded.fn(_POSITIVE).numpy().tolist() == [1, 2, 3]
    assert loaded.fn(_POSITIVE[:2]).numpy().tolist() == [2, 4]
    assert loaded.v.numpy() == 2
