"""``tf.compat.v1.train``: hooks of sessions, and the sessions that call them."""

from __future__ import annotations

from typing import Any

import pytest

import tapegrad as tf

train: Any = tf.compat.v1.train


class Seen(train.SessionRunHook):  # type: ignore[misc]
    """Notes what it is told, and asks for a tensor."""

    def __init__(self, wanted: Any = None) -> None:
        self.told: list[Any] = []
        self.wanted = wanted

    def begin(self) -> None:
        self.told.append("begin")

    def after_create_session(self, session: Any, coord: Any) -> None:
        self.told.append("session")

    def before_run(self, run_context: Any) -> Any:
        self.told.append("before")
        return None if self.wanted is None else train.SessionRunArgs(self.wanted)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        self.told.append(run_values.results)

    def end(self, session: Any) -> None:
        self.told.append("end")


def test_hooks_are_told_in_order() -> None:
    with tf.Graph().as_default():
        x = tf.compat.v1.placeholder(tf.float32, [])
        seen, final = Seen(x + 1.0), train.FinalOpsHook(x * 3.0, {x: 5.0})
        fed = train.FeedFnHook(lambda: {x: 2.0})
        with train.MonitoredSession(hooks=[seen, fed, final]) as session:
            assert session.run(x * 2.0) == 4.0
            with pytest.raises(RuntimeError, match="fed twice"):
                session.run(x, feed_dict={x: 1.0})
        assert seen.told == ["begin", "session", "before", 3.0, "before", "end"]
        assert final.final_ops_values == 15.0
        assert session.should_stop()
        with pytest.raises(RuntimeError, match="after should_stop"):
            session.run(x)


def test_an_error_ends_the_session_and_tells_no_hook() -> None:
    with tf.Graph().as_default():
        seen = Seen()
        with pytest.raises(ValueError, match="mine"), train.MonitoredSession(hooks=[seen]):
            raise ValueError("mine")
        assert seen.told == ["begin", "session"]
        with train.SingularMonitoredSession(hooks=[seen]) as session:
            assert session.raw_session().graph is session.graph
            raise tf.errors.OutOfRangeError(None, None, "the data has ended")
        assert seen.told[-1] == "end"
        assert session.raw_session() is None


def test_a_loop_stops_at_a_step() -> None:
    for hook in (train.StopAtStepHook(num_steps=3), train.StopAtStepHook(last_step=3)):
        with tf.Graph().as_default():
            step = train.get_or_create_global_step()
            x = tf.compat.v1.placeholder(tf.float32, [])
            runs = 0
            with train.MonitoredSession(hooks=[hook, train.GlobalStepWaiterHook(0)]) as session:
                while not session.should_stop():
                    with tf.init_scope():
                        step.assign_add(1)
                    session.run(x, feed_dict={x: 1.0})
                    runs += 1
            assert runs == 3


def test_nan_is_an_error_or_the_end() -> None:
    with tf.Graph().as_default():
        x = tf.compat.v1.placeholder(tf.float32, [])
        with train.MonitoredSession(hooks=[train.NanTensorHook(x)]) as session:
            assert session.run(x, feed_dict={x: 1.0}) == 1.0
            with pytest.raises(train.NanLossDuringTrainingError, match="NaN loss"):
                session.run(x, feed_dict={x: float("nan")})
        with train.MonitoredSession(hooks=[train.NanTensorHook(x, False)]) as session:
            session.run(x, feed_dict={x: float("nan")})
            assert session.should_stop()


def test_what_is_logged(monkeypatch: pytest.MonkeyPatch) -> None:
    logged: list[str] = []
    monkeypatch.setattr("tapegrad.annex.v1.logs.info", logged.append)
    with tf.Graph().as_default():
        x = tf.compat.v1.placeholder(tf.float32, [], name="x")
        hooks = [
            train.LoggingTensorHook([x], every_n_iter=2),
            train.LoggingTensorHook({"y": x * 2.0}, at_end=True, every_n_secs=100.0),
            train.LoggingTensorHook({"z": x}, every_n_iter=4, formatter=lambda values: str(values)),
        ]
        hooks[1].end = lambda session: None
        with train.MonitoredSession(hooks=hooks) as session:
            for value in 1.0, 2.0, 3.0, 4.0:
                session.run(x, feed_dict={x: value})
    assert logged[0] == "x:0 = 1.0"
    assert logged[1] == "y = 2.0"
    assert "'z'" in logged[2]
    assert logged[3].startswith("x:0 = 3.0 (")
    assert len(logged) == 4


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: train.StopAtStepHook(), "One of num_steps or last_step must be specified."),
        (lambda: train.StopAtStepHook(1, 2), "Only one of num_steps or last_step"),
        (lambda: train.LoggingTensorHook([]), "either at_end and/or exactly one of"),
        (lambda: train.LoggingTensorHook([], 1, 2), "either at_end and/or exactly one of"),
        (lambda: train.LoggingTensorHook([], every_n_iter=0), "invalid every_n_iter=0."),
        (lambda: train.SecondOrStepTimer(), "Either every_secs or every_steps"),
        (lambda: train.SecondOrStepTimer(1, 2), "Can not provide both"),
    ],
)
def test_arguments_are_checked(make: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()


def test_outside_of_graphs_there_is_nothing_to_run() -> None:
    with pytest.raises(RuntimeError, match="runs a graph"):
        train.MonitoredSession()
