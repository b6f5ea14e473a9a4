"""The modules ``record`` and ``tape`` of ``tensorflow.python.eager``. The answers are TensorFlow's."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest

import tapegrad as tf
from tapegrad.annex.tensorflow_shim import tapes
from tapegrad.annex.tensorflow_shim.internals import names_of

_ask = tapes.should_record_backprop

# A function of the watched tensor, and whether a tape watches what it gives.
_DERIVED: dict[str, tuple[Callable[[Any], Any], bool]] = {
    "itself": (lambda x: x, True),
    "another": (lambda x: tf.constant(1.0), False),
    "product": (lambda x: x * 2, True),
    "comparison": (lambda x: x > 1, False),
    "integer": (lambda x: tf.cast(x, tf.int32), False),
    "integer and back": (lambda x: tf.cast(tf.cast(x, tf.int32), tf.float32), False),
    "double": (lambda x: tf.cast(x, tf.float64), True),
    "half": (lambda x: tf.cast(x, tf.float16), True),
    "complex": (lambda x: tf.cast(x, tf.complex64), True),
    "argmax": (lambda x: tf.argmax([x]), False),
    "shape": (tf.shape, False),
    "stopped": (tf.stop_gradient, False),
    "round": (tf.round, True),
    "sign": (tf.sign, True),
    "zeros": (tf.zeros_like, True),
}


@pytest.mark.parametrize("name", _DERIVED)
def test_which_tensors_a_tape_watches(name: str) -> None:
    x = tf.constant(3.0)
    function, watched = _DERIVED[name]
    assert _ask([function(x)]) is False
    with tf.GradientTape() as tape:
        tape.watch(x)
        assert _ask([function(x)]) is watched
        assert _ask((tf.constant(1), function(x))) is watched
        assert _ask(value for value in [function(x)]) is watched
    assert _ask([function(x)]) is False


@pytest.mark.parametrize(
    ("value", "watched"),
    [(1, False), (1j, True), ("a", False), (True, False), (1.0, True)],
)
def test_only_some_dtypes_have_gradients(value: Any, watched: bool) -> None:
    x = tf.constant(value)
    with tf.GradientTape() as tape:
        tape.watch(x)
        assert _ask([x]) is watched


def test_variables_are_watched_when_they_are_read() -> None:
    trained, fixed, counted = tf.Variable(1.0), tf.Variable(1.0, trainable=False), tf.Variable(1)
    for variable, watched in ((trained, True), (fixed, False), (counted, False)):
        with tf.GradientTape() as tape:
            assert _ask([variable]) is False
            assert _ask([tf.convert_to_tensor(variable)]) is watched
            assert _ask([variable.handle]) is watched
            assert _ask([variable.value()]) is watched
        with tf.GradientTape(watch_accessed_variables=False) as tape:
            assert _ask([tf.convert_to_tensor(variable)]) is False
            if watched:
                tape.watch(variable)
                assert _ask([tf.convert_to_tensor(variable)])


def test_what_stops_and_starts() -> None:
    x, z = tf.constant(1.0), tf.constant(2.0)
    assert not tapes.could_possibly_record()
    with tf.GradientTape() as outer:
        outer.watch(x)
        y = x * 2
        with outer.stop_recording():
            assert not _ask([y])
            assert not tapes.could_possibly_record()
        with tapes.stop_recording():
            assert not _ask([y])
            assert not tapes.could_possibly_record()
            with tf.GradientTape() as inside:
                inside.watch(z)
                assert not _ask([z])
            made = x * 5
        assert not _ask([made])
        assert _ask([y])
        with tf.GradientTape() as inner:
            assert _ask([y])
            with inner.stop_recording():
                assert _ask([y])
            with outer.stop_recording():
                assert not _ask([y])
                inner.watch(z)
                assert _ask([z])
        answers: list[bool] = []
        thread = threading.Thread(
            target=lambda: answers.extend([_ask([y]), tapes.could_possibly_record()])
        )
        thread.start()
        thread.join()
        assert answers == [False, False]
        outer.reset()
        assert not _ask([x])
    with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)):
        assert tapes.could_possibly_record()
        assert not _ask([x])


def test_what_is_no_tensor() -> None:
    for nothing in (None, []):
        with tf.GradientTape():
            assert _ask(nothing) is False
    assert _ask(3) is False  # type: ignore[arg-type]  # nobody looks where no tape records
    with tf.GradientTape() as tape:
        y = tf.constant(2.0)
        tape.watch(y)
        for wrong in (3, y):
            with pytest.raises(TypeError, match="expected a sequence of tensors; "):
                _ask(wrong)  # type: ignore[arg-type]
        for wrongs in ([1.0], "ab", [None], [[y]], {"a": y}, [y, 1.0], [1.0, y]):
            with pytest.raises(AttributeError, match="expected tensors, which have ids"):
                _ask(wrongs)


def test_rules_and_custom_gradients() -> None:
    x = tf.constant(3.0)
    answers: list[bool] = []

    @tf.custom_gradient
    def double(a: Any) -> Any:
        answers.extend([_ask([a]), _ask([a * 2])])

        def gradient(dy: Any) -> Any:
            answers.extend([tapes.could_possibly_record(), _ask([dy]), _ask([a])])
            return dy

        return a * 2, gradient

    with tf.GradientTape() as tape:
        tape.watch(x)
        y = double(x)
        assert _ask([y])
    tape.gradient(y, x)
    assert answers == [True, True, False, False, False]


def test_a_graph() -> None:
    with tf.Graph().as_default():
        x = tf.compat.v1.placeholder(tf.float32, [None])
        before = x * 2
        assert not _ask([x])
        with tf.GradientTape() as tape:
            assert not _ask([x])
            tape.watch(x)
            after = x * 2
            got = [_ask([value]) for value in (x, after, before, tf.cast(x, tf.int32))]
    assert got == [True, True, False, False]


def test_a_recorded_function_answers_for_the_tape_of_each_call() -> None:
    x = tf.constant(3.0)
    calls: list[int] = []

    @tf.function
    def outside(a: Any) -> Any:
        calls.append(1)
        return a * (2.0 if _ask([a]) else 1.0)

    @tf.function
    def inside(a: Any) -> Any:
        calls.append(1)
        with tf.GradientTape() as tape:
            tape.watch(a)
            y = a * a
            factor = 2.0 if _ask([y]) else 1.0
        return tape.gradient(y, a) * factor

    assert [inside(tf.constant(value)).numpy() for value in (2.0, 3.0, 4.0)] == [8.0, 12.0, 16.0]
    assert len(calls) == 1
    for _ in range(2):
        assert outside(x) == 3.0
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = outside(x)
        assert (y, tape.gradient(y, x)) == (6.0, 2.0)
        with tf.GradientTape():
            assert outside(x) == 3.0


def test_tapes_by_hand() -> None:
    x, trained, fixed = tf.constant(3.0), tf.Variable(2.0), tf.Variable(2.0, trainable=False)
    tape = tapes.push_new_tape()
    tapes.watch(tape, x)
    assert _ask([x])
    tapes.variable_accessed(trained)
    assert tape.watched_variables() == (trained,)
    tapes.watch_variable(tape, fixed)
    y = x * trained * fixed
    for _ in range(2):
        tapes.pop_tape(tape)
        assert not tapes.could_possibly_record()
    gradient = tapes.imperative_grad(tape, [y], [x, trained.handle, tf.constant(1.0)])
    assert gradient == [4.0, 6.0, None]
    assert tapes.imperative_grad(
        tape, [y], [x, tf.constant(1.0)], [tf.constant(2.0)], unconnected_gradients="zero"
    ) == [8.0, 0.0]
    for _ in range(2):
        tapes.push_tape(tape)
        assert _ask([x])
    tapes.pop_tape(tape)
    tape = tapes.push_new_tape(watch_accessed_variables=False)
    tapes.variables_accessed([trained, fixed])
    assert tape.watched_variables() == ()
    tapes.pop_tape(tape)
    with tf.GradientTape() as own:
        tapes.variable_accessed(fixed)
    assert own.watched_variables() == tuple(tapes.default_get_variables(fixed))


def test_who_watches_variables() -> None:
    trained, fixed, counted = tf.Variable(1.0), tf.Variable(1.0, trainable=False), tf.Variable(1)
    with tapes.VariableWatcher() as watcher:
        trained * 2, fixed * 2
    assert watcher.watched_variables() == (trained,)
    with tapes.VariableWatcher() as watcher:
        with tf.GradientTape():
            trained * 2
        with tapes.stop_recording():
            counted + 1
    assert watcher.watched_variables() == (trained, counted)


def test_operations_recorded_by_hand() -> None:
    x = tf.constant(1.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        with tapes.stop_recording():
            y = x * 7
        tapes.record_operation("Mine", [y], [x], lambda dy: [dy * 100.0])
    assert tape.gradient(y, x) == 100.0
    with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as accumulator:
        with tapes.stop_recording():
            y = x * 7
        tapes.record_operation("Mine", [y], [x], lambda dy: [dy * 100.0])
        with pytest.raises(NotImplementedError, match=r"'Mine'.*forward_function is not used"):
            tapes.record_operation("Mine", [y], [x], lambda dy: [dy], lambda dx: [dx])
    assert accumulator.jvp(y) == 100.0


def test_tensorflow_moved_the_question() -> None:
    """Libraries look in `tape` first, where it was until 2.12, and then in `record`."""
    assert "should_record_backprop" not in names_of("python.eager.tape")
    assert "should_record_backprop" in names_of("python.eager.record")
