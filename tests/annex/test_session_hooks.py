"""``tf.compat.v1.train``: hooks of sessions, and the sessions that call them."""

from __future__ import annotations

import json
import logging
from pathlib import Path
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


def trained(folder: Path, runs: int, make: Any) -> Any:
    """What the loop around a session that ``make(x, scaffold)`` makes leaves behind: the last step."""
    with tf.Graph().as_default():
        step = train.get_or_create_global_step()
        tf.compat.v1.get_variable("w", initializer=[1.0, 2.0])
        x = tf.compat.v1.placeholder(tf.float32, [])
        tf.compat.v1.summary.scalar("loss", x)
        with make(x, train.Scaffold()) as session:
            for i in range(runs):
                if session.should_stop():
                    break
                with tf.init_scope():
                    step.assign_add(1)
                session.run(x * 2.0, feed_dict={x: float(i)})
        tf.compat.v1.summary.FileWriterCache.clear()
        return int(step)


def events(folder: Path) -> list[Any]:
    """Step, summaries and logs of the events in a folder, but for those that describe the graph."""
    found = []
    for path in sorted(folder.glob("*tfevents*")):
        for record in tf.data.TFRecordDataset(str(path)).as_numpy_iterator():
            event = tf.compat.v1.Event.FromString(record)
            values = [
                (value.tag, None if "/sec" in value.tag else value.simple_value)
                for value in event.summary.value
            ]
            if values or event.session_log.status:
                found.append((event.step, values or event.session_log.status))
    return found


class Listener(train.CheckpointSaverListener):  # type: ignore[misc]
    def __init__(self) -> None:
        self.told: list[Any] = []

    def begin(self) -> None:
        self.told.append("begin")

    def before_save(self, session: Any, global_step_value: int) -> None:
        self.told.append(("before", global_step_value))

    def after_save(self, session: Any, global_step_value: int) -> bool:
        self.told.append(("after", global_step_value))
        return global_step_value >= 4

    def end(self, session: Any, global_step_value: int) -> None:
        self.told.append(("end", global_step_value))


def test_checkpoints_are_saved_until_a_listener_asks_for_the_end(tmp_path: Path) -> None:
    listener = Listener()

    def make(x: Any, scaffold: Any) -> Any:
        hook = train.CheckpointSaverHook(
            tmp_path, save_steps=2, scaffold=scaffold, listeners=[listener], checkpoint_basename="m"
        )
        return train.MonitoredSession(train.ChiefSessionCreator(scaffold), hooks=[hook])

    assert trained(tmp_path, 9, make) == 4
    assert listener.told == [
        "begin",
        *[(what, step) for step in (0, 2, 4) for what in ("before", "after")],
        ("end", 4),
    ]
    assert sorted(path.stem for path in tmp_path.glob("*.index")) == ["m-0", "m-2", "m-4"]
    checkpoint = tf.compat.v1.SessionLog.CHECKPOINT
    assert events(tmp_path) == [(0, checkpoint), (2, checkpoint), (4, checkpoint)]


def test_a_session_for_training_goes_on_from_its_checkpoint(tmp_path: Path) -> None:
    """The steps of all events are TensorFlow's, where a run before each step adds one to the counter."""

    def make(x: Any, scaffold: Any) -> Any:
        return train.MonitoredTrainingSession(
            checkpoint_dir=tmp_path,
            save_checkpoint_steps=2,
            save_summaries_steps=3,
            log_step_count_steps=2,
        )

    assert trained(tmp_path, 6, make) == 6
    log, speed = tf.compat.v1.SessionLog, [("global_step/sec", None)]
    assert sorted(events(tmp_path), key=lambda event: event[0]) == [
        (0, log.CHECKPOINT),
        (1, log.START),
        (1, [("loss", 0.0)]),
        (2, log.CHECKPOINT),
        (3, speed),
        (3, [("loss", 2.0)]),
        (4, log.CHECKPOINT),
        (5, speed),
        (5, [("loss", 4.0)]),
        (6, log.CHECKPOINT),
    ]
    assert trained(tmp_path, 3, make) == 9
    assert train.latest_checkpoint(tmp_path).endswith("model.ckpt-9")
    # The saver of the second session knows the checkpoints of the first one, and keeps five.
    assert len(list(tmp_path.glob("*.index"))) == 5


def test_a_session_for_training_without_a_folder_saves_nothing() -> None:
    begun: list[Any] = []
    with tf.Graph().as_default():
        local = tf.compat.v1.placeholder_with_default(1.0, [])
        scaffold = train.Scaffold(
            init_op=local,
            init_feed_dict={local: 3.0},
            init_fn=lambda own, session: begun.append((own, session)),
            local_init_op=local,
        )
        with train.MonitoredTrainingSession(scaffold=scaffold) as session:
            ((own, raw),) = begun
            assert own is scaffold
            seen = session.run_step_fn(lambda step_context: step_context.session)
            assert seen is raw
            assert (
                session.run_step_fn(lambda step_context: step_context.run_with_hooks(local)) == 1.0
            )
            for step_fn in (lambda: 1, lambda a, b: 1):
                with pytest.raises(ValueError, match="one `step_context` argument"):
                    session.run_step_fn(step_fn)
            session.run_step_fn(lambda step_context: step_context.request_stop())
        assert session.should_stop()
        with pytest.raises(RuntimeError, match="after should_stop"):
            session.run_step_fn(lambda step_context: 1)
        copy = train.Scaffold(copy_from_scaffold=scaffold)
        assert (copy.saver, copy.init_op) == (scaffold.saver, local)
        with train.MonitoredTrainingSession(is_chief=False, scaffold=scaffold) as session:
            assert len(begun) == 1
        with pytest.raises(TypeError, match="not a Scaffold"):
            train.Scaffold(copy_from_scaffold=3)
        tf.compat.v1.add_to_collection("savers", 3)
        with pytest.raises(RuntimeError, match=r"'savers' has 2 items.*Scaffold\(saver=\.\.\.\)"):
            train.Scaffold().finalize()


def test_a_profile_is_written_every_so_many_steps(tmp_path: Path) -> None:
    def make(x: Any, scaffold: Any) -> Any:
        return train.MonitoredSession(hooks=[train.ProfilerHook(save_steps=2, output_dir=tmp_path)])

    trained(tmp_path, 6, make)
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        f"timeline-{n}.json" for n in (2, 4, 6)
    ]
    process, *ops = json.loads((tmp_path / "timeline-4.json").read_text())["traceEvents"]
    assert process["args"]["name"].endswith("device:CPU:0")
    assert "multiply" in {op["name"] for op in ops}
    assert all(op["ph"] == "X" and op["dur"] >= 0 for op in ops)


def test_a_failed_run_is_no_longer_measured() -> None:
    with tf.Graph().as_default():
        x = tf.compat.v1.placeholder(tf.float32, [])
        full = tf.compat.v1.RunOptions(trace_level=tf.compat.v1.RunOptions.FULL_TRACE)
        metadata = tf.compat.v1.RunMetadata()
        with train.MonitoredSession() as session:
            with pytest.raises(tf.errors.InvalidArgumentError):
                session.run(x, options=full)
            session.run(x + 1.0, {x: 1.0}, options=full, run_metadata=metadata)
    (device,) = metadata.step_stats.dev_stats
    assert [op.node_name for op in device.node_stats].count("add") == 1
    copy = tf.compat.v1.RunMetadata.FromString(metadata.SerializeToString())
    assert copy.step_stats.dev_stats[0].device == device.device


def test_a_counter_that_stays_is_logged_once() -> None:
    messages: list[str] = []
    handler = logging.Handler()
    handler.emit = lambda record: messages.append(record.getMessage())  # type: ignore[method-assign]
    tf.get_logger().addHandler(handler)
    try:
        with tf.Graph().as_default():
            train.get_or_create_global_step()
            x = tf.compat.v1.placeholder(tf.float32, [])
            with train.MonitoredSession(hooks=[train.StepCounterHook()]) as session:
                for _ in range(4):
                    session.run(x, {x: 1.0})
    finally:
        tf.get_logger().removeHandler(handler)
    assert [message for message in messages if "stays at 0" in message] == messages[:1] != []


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: train.CheckpointSaverHook("f", 1.0, saver=1, scaffold=1),
            "both saver and scaffold",
        ),
        (lambda: train.CheckpointSaverHook("f"), "every_secs or every_steps"),
        (lambda: train.StepCounterHook(2, 3.0), "exactly one of"),
        (lambda: train.SummarySaverHook(1), "one of scaffold or summary_op"),
        (lambda: train.SummarySaverHook(1, 1.0, summary_op=1), "both every_secs and every_steps"),
    ],
)
def test_hooks_that_save_refuse_arguments(make: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()


def test_hooks_that_save_need_a_counter_and_one_saver(tmp_path: Path) -> None:
    with tf.Graph().as_default():
        summary = tf.compat.v1.summary.scalar("x", 1.0)
        for hook in (
            train.CheckpointSaverHook(tmp_path, save_steps=1),
            train.StepCounterHook(),
            train.SummarySaverHook(1, summary_op=summary),
            train.ProfilerHook(1),
        ):
            with pytest.raises(RuntimeError, match="Global step should be created"):
                train.MonitoredSession(hooks=[hook])
        train.get_or_create_global_step()
        for _ in range(2):
            tf.compat.v1.add_to_collection("savers", train.Saver())
        hook = train.CheckpointSaverHook(tmp_path, save_steps=1)
        creator = train.ChiefSessionCreator(train.Scaffold(saver=train.Saver()))
        with pytest.raises(RuntimeError, match="'savers' has 2 savers"):
            train.MonitoredSession(creator, hooks=[hook])
