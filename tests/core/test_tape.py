"""The gradient tape: what it watches, records and gives back.

All but the tests whose names say ``beyond_tensorflow`` hold of TensorFlow 2.21 as well.
"""

from __future__ import annotations

import collections
import contextlib
import weakref
from typing import Any

import numpy as np
import pytest

import tapegrad as tf


def watched_scalar(value: float = 2.0) -> tuple[Any, Any]:
    x = tf.constant(value)
    tape = tf.GradientTape(persistent=True)
    tape.__enter__()
    tape.watch(x)
    return x, tape


# Unconnected sources


def test_unconnected_is_none() -> None:
    x, y = tf.constant(1.0), tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch([x, y])
        z = x * x
    assert tape.gradient(z, y) is None


def test_unconnected_zero() -> None:
    x, y = tf.Variable([[1.0, 2.0]]), tf.Variable(3.0)
    for choice in (tf.UnconnectedGradients.ZERO, "zero"):
        with tf.GradientTape() as tape:
            z = y * y
        zeros, gradient = tape.gradient(z, [x, y], unconnected_gradients=choice)
        assert zeros.shape == [1, 2]
        assert zeros.numpy().tolist() == [[0.0, 0.0]]
        assert zeros.dtype == tf.float32
        assert gradient.numpy() == 6.0


@pytest.mark.parametrize("choice", [tf.UnconnectedGradients.NONE, "none"])
def test_unconnected_none_by_name(choice: Any) -> None:
    x, y = tf.Variable(1.0), tf.Variable(2.0)
    with tf.GradientTape() as tape:
        z = y * y
    assert tape.gradient(z, x, unconnected_gradients=choice) is None


def test_unconnected_takes_nothing_else() -> None:
    x = tf.Variable(1.0)
    with tf.GradientTape(persistent=True) as tape:
        z = x * x
    with pytest.raises(ValueError, match="nonsense"):
        tape.gradient(z, x, unconnected_gradients="nonsense")
    assert tape.gradient(z, x).numpy() == 2.0


def test_unconnected_zero_of_a_variable_never_read() -> None:
    v = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        y = tf.constant(1.0) * 2.0
    found = tape.gradient(y, v, unconnected_gradients="zero")
    assert found.numpy().tolist() == [0.0, 0.0]


# Identity


def test_equal_constants_stay_apart() -> None:
    a, b = tf.constant(2.0), tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(a)
        y = a * b
    assert [g if g is None else g.numpy() for g in tape.gradient(y, [a, b])] == [2.0, None]


def test_constants_of_python_numbers_stay_apart() -> None:
    a, b = tf.constant(1.0), tf.constant(1.0)
    assert a is not b
    with tf.GradientTape() as tape:
        tape.watch(a)
        y = (b + 1.0) * 1.0
        z = a * 1.0
    assert tape.gradient([y, z], [a, b])[1] is None


@pytest.mark.parametrize(
    "same",
    [lambda x: x + 0.0, lambda x: x * 1.0, tf.identity, lambda x: x - 0.0, lambda x: x / 1.0],
    ids=["x + 0", "x * 1", "identity", "x - 0", "x / 1"],
)
def test_operations_that_change_nothing_make_new_tensors(same: Any) -> None:
    x = tf.constant(3.0)
    with tf.GradientTape(persistent=True) as tape:
        y = same(x)
        tape.watch(y)
        z = y * y
        apart = x * 2.0
    assert y is not x
    assert tape.gradient(z, y).numpy() == 6.0
    assert tape.gradient(z, x) is None
    assert tape.gradient(apart, y) is None


def test_watching_an_intermediate_keeps_its_history() -> None:
    x = tf.constant(3.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
        tape.watch(y)
        z = y * y
    assert tape.gradient(z, y).numpy() == 18.0
    assert tape.gradient(z, x).numpy() == 108.0


def test_watching_twice_counts_once() -> None:
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        tape.watch([x, x])
        y = x * x
    assert tape.gradient(y, x).numpy() == 6.0


# Targets and sources


def test_target_that_is_a_source() -> None:
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    assert tape.gradient([x, y], x).numpy() == 5.0


def test_intermediate_that_is_target_and_source() -> None:
    x = tf.constant(2.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
        z = y * 3.0
    assert tape.gradient([y, z], y).numpy() == 4.0
    assert [g.numpy() for g in tape.gradient([y, z], [x, y])] == [16.0, 4.0]


def test_repeated_targets_add_up() -> None:
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    assert tape.gradient([y, y, y], x).numpy() == 12.0


def test_repeated_sources_each_get_it_all() -> None:
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    assert [g.numpy() for g in tape.gradient(y, [x, x])] == [4.0, 4.0]


def test_gradient_of_a_variable_by_itself() -> None:
    v = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        pass
    assert tape.gradient(v, v).numpy().tolist() == [1.0, 1.0]


def test_gradient_of_an_unwatched_tensor_by_itself() -> None:
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        pass
    assert tape.gradient(x, x).numpy() == 1.0


def test_gradient_of_a_read_value_by_its_variable() -> None:
    v = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        value = v.read_value()
        y = value * value
    assert tape.gradient(y, v).numpy() == 4.0


def test_several_targets_are_summed() -> None:
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y, z = x * x, {"z": [x * 3.0]}
    assert tape.gradient([y, z], x).numpy().tolist() == [5.0, 7.0]


def test_target_made_before_the_tape() -> None:
    x = tf.Variable(2.0)
    y = x * x
    with tf.GradientTape() as tape:
        z = x * 3.0
    assert tape.gradient(y, x) is None
    assert z.numpy() == 6.0


def test_targets_and_sources_hold_no_none() -> None:
    x = tf.constant(2.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
    with pytest.raises((TypeError, ValueError, AttributeError)):
        tape.gradient(y, [x, None])
    with pytest.raises(TypeError):
        tape.gradient([y, None], x)
    assert tape.gradient(y, x).numpy() == 4.0


def test_nothing_to_differentiate() -> None:
    x = tf.constant(2.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
    assert tape.gradient(y, []) == []
    assert tape.gradient([], x) is None


# Structures


def test_result_has_the_sources_structure() -> None:
    Pair = collections.namedtuple("Pair", ["left", "right"])
    a, b, c = tf.constant(1.0), tf.constant(2.0), tf.constant(3.0)
    sources = {"z": [a, (b,)], "a": Pair(c, {"deep": a})}
    with tf.GradientTape() as tape:
        tape.watch(sources)
        y = a * b * c
    found = tape.gradient(y, sources)
    assert list(found) == ["z", "a"]
    assert isinstance(found["a"], Pair)
    assert isinstance(found["z"][1], tuple)
    assert found["z"][0].numpy() == 6.0
    assert found["z"][1][0].numpy() == 3.0
    assert found["a"].left.numpy() == 2.0
    assert found["a"].right["deep"].numpy() == 6.0


def test_dicts_of_sources_keep_their_values_by_key() -> None:
    a, b = tf.Variable(2.0), tf.Variable(5.0)
    with tf.GradientTape() as tape:
        y = a * b
    found = tape.gradient(y, {"b": b, "a": a})
    assert list(found) == ["b", "a"]
    assert found["a"].numpy() == 5.0
    assert found["b"].numpy() == 2.0


def test_targets_may_be_nested() -> None:
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        targets = {"b": [x * 2.0], "a": (x * x, {"c": x * 10.0})}
    assert tape.gradient(targets, x).numpy() == 16.0


# Weights on the targets


def test_output_gradients() -> None:
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y, z = x * x, x * 3.0
    assert tape.gradient(y, x, output_gradients=tf.constant([10.0, 1.0])).numpy().tolist() == [
        20,
        4,
    ]
    weights = [tf.constant([1.0, 1.0]), np.array([0.0, 2.0], np.float32)]
    assert tape.gradient([y, z], x, output_gradients=weights).numpy().tolist() == [2.0, 10.0]


def test_output_gradients_may_be_python_numbers() -> None:
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    assert tape.gradient(y, x, output_gradients=2.0).numpy() == 12.0


def test_output_gradient_by_itself() -> None:
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
    assert tape.gradient(x, x, output_gradients=tf.constant(7.0)).numpy() == 7.0


# How often, and where


def test_second_gradient_is_an_error() -> None:
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = x * x
    tape.gradient(y, x)
    with pytest.raises(RuntimeError, match="persistent"):
        tape.gradient(y, x)
    with pytest.raises(RuntimeError, match="persistent"):
        tape.jacobian(y, x)
    with pytest.raises(RuntimeError, match="persistent"):
        tape.batch_jacobian(y, x)


def test_gradient_inside_the_block() -> None:
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = x * x
        first = tape.gradient(y, x)
    assert first.numpy() == 6.0


def test_persistent_tape_gives_many() -> None:
    x = tf.constant(3.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
        z = y * y
    for _ in range(3):
        assert tape.gradient(z, x).numpy() == 108.0
        assert tape.gradient(y, x).numpy() == 6.0
        assert tape.gradient(z, y).numpy() == 18.0


def test_persistent_gradient_inside_the_block_is_warned_about(
    caplog: Any, capfd: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The warning comes once in a process, and another test may have had it.
    monkeypatch.setattr("tapegrad.framework.logging._times_said", {})
    x = tf.constant(3.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
        first = tape.gradient(y, x)
        second = tape.gradient(first, x)
    assert first.numpy() == 6.0
    assert second.numpy() == 2.0
    shown = caplog.text + capfd.readouterr().err
    assert "persistent" in shown


def test_order_two_on_one_persistent_tape() -> None:
    x = tf.Variable(3.0)
    with tf.GradientTape(persistent=True) as tape:
        y = x * x * x
        first = tape.gradient(y, x)
    assert tape.gradient(first, x).numpy() == 18.0


def test_reentering_resumes() -> None:
    x = tf.constant(2.0)
    tape = tf.GradientTape()
    with tape:
        tape.watch(x)
        y = x * x
    unseen = y * 5.0
    with tape:
        z = y * x
    assert tape.gradient(z, x).numpy() == 12.0
    assert unseen.numpy() == 20.0


def test_what_happens_between_is_not_recorded() -> None:
    x = tf.constant(2.0)
    tape = tf.GradientTape(persistent=True)
    with tape:
        tape.watch(x)
        y = x * x
    between = y * 5.0
    with tape:
        z = between * 1.0
    assert tape.gradient(between, x) is None
    assert tape.gradient(z, x) is None


def test_entering_a_tape_inside_itself_is_an_error() -> None:
    tape = tf.GradientTape()
    with tape, pytest.raises(ValueError, match="recording"), tape:
        pass


def test_exception_in_the_block() -> None:
    x = tf.constant(2.0)
    with contextlib.suppress(ZeroDivisionError), tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
        1 / 0  # noqa: B018
    after = x * 100.0
    assert tape.gradient([y, after], x).numpy() == 4.0


def test_exception_in_a_nested_block_closes_both() -> None:
    x = tf.Variable(2.0)
    with contextlib.suppress(KeyError), tf.GradientTape() as outer, tf.GradientTape() as inner:
        y = x * x
        raise KeyError
    z = x * 3.0
    assert inner.gradient(y, x).numpy() == 4.0
    assert outer.gradient(z, x) is None


def test_failed_gradient_leaves_the_thread_able_to_record() -> None:
    x = tf.Variable([[[0.5, 0.0, 0.0]]])
    with tf.GradientTape() as tape:
        y = tf.image.adjust_contrast(x, 2.0)
    with pytest.raises(LookupError, match="AdjustContrastv2"):
        tape.gradient(y, x)
    with tf.GradientTape() as tape:
        y = x * 2.0
    assert tape.gradient(y, x).numpy().tolist() == [[[2.0, 2.0, 2.0]]]


def test_operation_that_fails_in_the_block_is_not_recorded() -> None:
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        with pytest.raises(tf.errors.InvalidArgumentError):
            x + tf.constant([1.0, 2.0, 3.0])
        y = x * x
    assert tape.gradient(y, x).numpy().tolist() == [2.0, 4.0]


# Watching


def test_watched_variables_in_order_of_creation() -> None:
    a, b, c = tf.Variable(1.0, name="a"), tf.Variable(2.0, name="b"), tf.Variable(3.0, name="c")
    with tf.GradientTape() as tape:
        y = c * a
        tape.watch(b)
    watched = tape.watched_variables()
    assert isinstance(watched, tuple)
    assert [v.name for v in watched] == ["a:0", "b:0", "c:0"]
    assert all(mine is theirs for mine, theirs in zip(watched, (a, b, c), strict=True))
    tape.gradient(y, a)
    assert len(tape.watched_variables()) == 3


def test_watched_variables_of_a_tape_never_entered() -> None:
    assert tf.GradientTape().watched_variables() == ()


def test_reset_forgets() -> None:
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = x * x
        tape.reset()
        assert tape.watched_variables() == ()
        z = x * 3.0
    assert tape.watched_variables() == (x,) or tape.watched_variables()[0] is x
    assert tape.gradient([y, z], x).numpy() == 3.0


def test_trainable_false_is_not_watched() -> None:
    x = tf.Variable(2.0, trainable=False)
    with tf.GradientTape(persistent=True) as tape:
        y = x * x
    assert tape.watched_variables() == ()
    assert tape.gradient(y, x) is None
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    assert tape.gradient(y, x).numpy() == 4.0


def test_watch_accessed_variables_false() -> None:
    a, b = tf.Variable(2.0), tf.Variable(3.0)
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(a)
        y = a * b
    assert [v is a for v in tape.watched_variables()] == [True]
    found = tape.gradient(y, [a, b])
    assert found[0].numpy() == 3.0
    assert found[1] is None


def test_watching_is_per_tape() -> None:
    x = tf.constant(2.0)
    with tf.GradientTape() as outer, tf.GradientTape() as inner:
        outer.watch(x)
        y = x * x
    assert inner.gradient(y, x) is None
    assert outer.gradient(y, x).numpy() == 4.0


def test_watch_takes_nests_and_variables() -> None:
    a, v = tf.constant(1.0), tf.Variable(2.0)
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        tape.watch({"a": [a], "v": v})
        y = a * v
    assert [g.numpy() for g in tape.gradient(y, [a, v])] == [2.0, 1.0]


@pytest.mark.parametrize("value", [np.ones(3), 1.0, [1.0]], ids=["ndarray", "float", "list"])
def test_watch_refuses_what_is_no_tensor(value: Any) -> None:
    with tf.GradientTape() as tape, pytest.raises(ValueError, match=r"ndarray|float"):
        tape.watch(value)


def test_reading_a_variable_before_the_tape_does_not_watch_the_value() -> None:
    v = tf.Variable(3.0)
    before = v.read_value()
    with tf.GradientTape(persistent=True) as tape:
        y = before * v
    assert tape.gradient(y, v).numpy() == 3.0


def test_watch_after_use_sees_only_what_follows() -> None:
    x = tf.constant(2.0)
    with tf.GradientTape(persistent=True) as tape:
        early = x * x
        tape.watch(x)
        late = x * 3.0
    assert tape.gradient(early, x) is None
    assert tape.gradient(late, x).numpy() == 3.0


# Variables


def test_variable_used_several_times() -> None:
    v = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = v * v + tf.sin(v) * v + v
    expected = 6.0 + np.cos(3.0) * 3.0 + np.sin(3.0) + 1.0
    np.testing.assert_allclose(tape.gradient(y, v).numpy(), expected, rtol=1e-6)


def test_gradient_adds_up_across_assignments() -> None:
    v = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = v * v
        v.assign(10.0)
        z = v * v
    assert tape.gradient([y, z], v).numpy() == 24.0


def test_assignment_cuts_history() -> None:
    a, b = tf.Variable(3.0), tf.Variable(0.0)
    with tf.GradientTape() as tape:
        b.assign_add(a)
        y = b**2
    assert [g if g is None else g.numpy() for g in tape.gradient(y, [a, b])] == [None, 6.0]


def test_assignment_after_recording_does_not_change_the_gradient() -> None:
    v = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = v * v
    v.assign(100.0)
    assert tape.gradient(y, v).numpy() == 6.0


def test_assign_add_inside_the_block_does_not_change_what_was_read() -> None:
    v = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        y = v * v
        for _ in range(3):
            v.assign_add([10.0, 10.0])
    assert tape.gradient(y, v).numpy().tolist() == [2.0, 4.0]


class VariableLike:
    """Acts as a variable without being one, as Keras's do."""

    def __init__(self, value: float) -> None:
        self.inner = tf.Variable(value)

    def _should_act_as_resource_variable(self) -> None:
        """Only its presence counts."""

    @property
    def handle(self) -> Any:
        return self.inner.handle

    @property
    def dtype(self) -> Any:
        return self.inner.dtype

    @property
    def shape(self) -> Any:
        return self.inner.shape

    def __tf_tensor__(self, dtype: Any = None, name: Any = None) -> Any:
        return tf.convert_to_tensor(self.inner, dtype=dtype, name=name)


def test_objects_that_act_as_variables_are_sources() -> None:
    v = VariableLike(3.0)
    with tf.GradientTape() as tape:
        y = tf.multiply(v, v)
    assert tape.gradient(y, v).numpy() == 6.0
    assert len(tape.watched_variables()) == 1


# Pausing


def test_stop_recording_drops_only_what_is_inside() -> None:
    x = tf.constant(2.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
        with tape.stop_recording():
            dropped = x * 100.0
        z = y * x
    assert tape.gradient(z, x).numpy() == 12.0
    assert tape.gradient(dropped, x) is None


def test_stop_recording_of_one_tape_leaves_the_other() -> None:
    x = tf.constant(2.0)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            with inner.stop_recording():
                y = x * x
    assert inner.gradient(y, x) is None
    assert outer.gradient(y, x).numpy() == 4.0


def test_stop_recording_survives_an_exception() -> None:
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        with pytest.raises(KeyError), tape.stop_recording():
            raise KeyError
        y = x * x
    assert tape.gradient(y, x).numpy() == 4.0


def test_stop_recording_outside_the_block_is_an_error() -> None:
    tape = tf.GradientTape()
    with pytest.raises(RuntimeError, match="recording"):
        tape.stop_recording().__enter__()


def test_stop_gradient_is_not_passed() -> None:
    @tf.custom_gradient
    def broken(x: Any) -> Any:
        def gradient(dy: Any) -> Any:
            raise AssertionError("a rule behind stop_gradient ran")

        return x * 2.0, gradient

    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.stop_gradient(broken(x)) * x
    assert tape.gradient(y, x).numpy() == 6.0


# Where we go further


def test_watch_without_entering_beyond_tensorflow() -> None:
    x, y = tf.constant(3.0), tf.constant(2.0)
    tape = tf.GradientTape()
    tape.watch(x)
    z = x * y
    assert tape.gradient(z, x).numpy() == 2.0
    with pytest.raises(RuntimeError):
        tape.gradient(z, x)


def test_watch_without_entering_on_a_variable_beyond_tensorflow() -> None:
    w = tf.Variable(5.0)
    tape = tf.GradientTape()
    tape.watch(w)
    y = w * w
    assert tape.gradient(y, w).numpy() == 10.0


def test_tape_never_entered_stops_at_its_gradient_beyond_tensorflow() -> None:
    x = tf.constant(3.0)
    tape = tf.GradientTape()
    tape.watch(x)
    y = x * x
    assert tape.gradient(y, x).numpy() == 6.0
    # It no longer records: another tape over the same tensor is none the wiser.
    with tf.GradientTape() as other:
        other.watch(x)
        z = x * 2.0
    assert other.gradient(z, x).numpy() == 2.0


def test_tape_never_entered_stops_when_it_goes_away_beyond_tensorflow() -> None:
    x = tf.constant(np.ones(100_000, np.float32))
    tape = tf.GradientTape(persistent=True)
    tape.watch(x)
    y = x * x
    array = weakref.ref(y.numpy().base) if y.numpy().base is not None else None
    del tape, y
    assert array is None or array() is None
    with tf.GradientTape() as other:
        z = x * 2.0
    assert other.gradient(z, x) is None


def test_entering_after_watching_without_entering_beyond_tensorflow() -> None:
    x = tf.constant(3.0)
    tape = tf.GradientTape()
    tape.watch(x)
    y = x * x
    with tape:
        z = y * x
    assert tape.gradient(z, x).numpy() == 27.0


def test_nested_tapes_never_entered_beyond_tensorflow() -> None:
    x = tf.constant(3.0)
    outer, inner = tf.GradientTape(), tf.GradientTape()
    outer.watch(x)
    inner.watch(x)
    y = x * x * x
    first = inner.gradient(y, x)
    assert outer.gradient(first, x).numpy() == 18.0


@pytest.mark.parametrize("persistent", [True, False])
def test_libraries_go_on_with_a_tape(persistent: bool) -> None:
    x = tf.constant([2.0, 3.0])
    with tf.GradientTape(persistent=persistent) as tape:
        tape.watch(x)
        with tape._ensure_recording():
            y = x * x
        z = y * 2.0
    unseen = z * 2.0
    with tape._ensure_recording():
        target = tf.reduce_sum(z * 3.0)
    assert tape.gradient(target, x).numpy().tolist() == [24.0, 36.0]
    if persistent:
        assert tape.gradient(y, x).numpy().tolist() == [4.0, 6.0]
        assert tape.gradient(unseen, x) is None
