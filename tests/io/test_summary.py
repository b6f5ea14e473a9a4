"""`tf.summary` writes what TensorFlow writes, byte for byte but for times; `tf.profiler` writes timelines.

The answers are in ``golden/summaries.json``, written by ``golden/record_summaries.py``.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapegrad as tf
from golden.record_summaries import WALL_TIME, cases, events
from tapegrad.annex.timelines import XSpace

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "summaries.json").read_text())
CASES = cases(tf)


def written(folder: Path) -> list[Any]:
    """The events in the only event file of a folder, but for the first."""
    (file,) = (path for path in folder.iterdir() if "tfevents" in path.name)
    records = list(tf.compat.v1.io.tf_record_iterator(str(file)))
    return [tf.compat.v1.Event.FromString(record) for record in records[1:]]


@pytest.mark.parametrize("name", GOLDEN)
def test_events_are_tensorflows(name: str) -> None:
    assert [event[WALL_TIME:].hex() for event in events(tf, CASES[name])[1:]] == GOLDEN[name]


def test_every_case_is_recorded() -> None:
    assert list(GOLDEN) == list(CASES)


def test_the_first_event_says_what_the_file_is(tmp_path: Path) -> None:
    tf.summary.create_file_writer(str(tmp_path)).close()
    (file,) = tmp_path.iterdir()
    (record,) = tf.compat.v1.io.tf_record_iterator(str(file))
    event = tf.compat.v1.Event.FromString(record)
    assert event.file_version == "brain.Event:2"
    assert abs(event.wall_time - os.path.getmtime(file)) < 60
    assert file.name.startswith("events.out.tfevents.")
    assert file.name.endswith(".v2")


def pixels(data: bytes) -> np.ndarray[Any, Any]:
    """The rows of a PNG without filters, each with the number of its filter."""
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    height = int.from_bytes(data[20:24], "big")
    begin = data.index(b"IDAT")
    size = int.from_bytes(data[begin - 4 : begin], "big")
    rows = np.frombuffer(zlib.decompress(data[begin + 4 : begin + 4 + size]), np.uint8)
    return rows.reshape(height, -1)


@pytest.mark.parametrize("channels", [1, 2, 3, 4])
def test_images(tmp_path: Path, channels: int) -> None:
    data = np.linspace(0, 1, 2 * 2 * 3 * channels, dtype=np.float32).reshape(2, 2, 3, channels)
    with tf.summary.create_file_writer(str(tmp_path)).as_default():
        assert tf.summary.image("pictures", data, step=1)
    (event,) = written(tmp_path)
    width, height, *encoded = event.summary.value[0].tensor.string_val
    assert (width, height, len(encoded)) == (b"3", b"2", 2)
    assert event.summary.value[0].metadata.plugin_data.plugin_name == "images"
    expected = tf.image.convert_image_dtype(data, tf.uint8, saturate=True).numpy()
    for one, picture in zip(encoded, expected, strict=True):
        rows = pixels(one)
        assert not rows[:, 0].any()
        assert (rows[:, 1:] == picture.reshape(2, -1)).all()


def test_without_a_writer_nothing_is_written_or_asked() -> None:
    assert not tf.summary.should_record_summaries()
    assert not tf.summary.scalar("a", 1.0)
    assert not tf.summary.image("a", tf.zeros([3]))
    assert not tf.summary.write("a", object())
    tf.summary.flush()


def test_steps(tmp_path: Path) -> None:
    step = tf.Variable(3, dtype=tf.int64)
    writer = tf.summary.create_file_writer(str(tmp_path))
    with writer.as_default():
        with pytest.raises(ValueError, match="No step set"):
            tf.summary.scalar("a", 1.0)
        tf.summary.experimental.set_step(step)
        assert tf.summary.experimental.get_step() is step
        assert tf.summary.scalar("a", 1.0)
        step.assign_add(1)
        assert tf.summary.scalar("a", 1.0)
        with writer.as_default(step=9):
            assert tf.summary.scalar("a", 1.0)
        assert tf.summary.experimental.get_step() is step
        tf.summary.experimental.set_step(None)
        for bad in (1.5, "x"):
            with pytest.raises(TypeError):
                tf.summary.scalar("a", 1.0, step=bad)
    assert [event.step for event in written(tmp_path)] == [3, 4, 9]


def test_record_if(tmp_path: Path) -> None:
    answers = []
    with tf.summary.create_file_writer(str(tmp_path)).as_default(step=0):
        for condition in (False, lambda: tf.constant(True), tf.constant(False), None):
            with tf.summary.record_if(condition):
                answers.append(bool(tf.summary.should_record_summaries()))
                assert bool(tf.summary.scalar("a", 1.0)) is answers[-1]
        with tf.summary.record_if(False):
            assert not tf.summary.write("a", lambda: pytest.fail("it is not to be written"))
    assert answers == [False, True, False, True]


def test_scopes() -> None:
    scope = tf.summary.experimental.summary_scope
    with scope("foo/bar") as names:
        assert names == ("foo/bar", "foo/bar/")
    with tf.name_scope("outer"):
        for name, expected in {
            "foo": ("outer/foo", "outer/foo/"),
            "foo bar!": ("outer/foo bar!", "outer/foobar/"),
            None: ("outer/summary", "outer/summary/"),
            "": ("outer/summary", "outer/summary/"),
        }.items():
            with scope(name) as names:
                assert names == expected


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: tf.summary.scalar("a", [1.0]), ValueError),
        (lambda: tf.summary.scalar("a", "x"), tf.errors.UnimplementedError),
        (lambda: tf.summary.text("a", 3), TypeError),
        (lambda: tf.summary.image("a", tf.zeros([2, 2, 3])), ValueError),
        (lambda: tf.summary.image("a", tf.zeros([1, 2, 2, 5])), tf.errors.InvalidArgumentError),
        (lambda: tf.summary.image("a", tf.zeros([1, 0, 2, 3])), tf.errors.InvalidArgumentError),
        (
            lambda: tf.summary.image("a", tf.zeros([1, 2, 2, 3]), max_outputs=-1),
            tf.errors.InvalidArgumentError,
        ),
        (lambda: tf.summary.audio("a", tf.zeros([1, 2]), 10), ValueError),
        (lambda: tf.summary.audio("a", tf.zeros([1, 2, 1]), 10, encoding="mp3"), ValueError),
        (lambda: tf.summary.write("a", object()), ValueError),
        (lambda: tf.summary.flush(3), ValueError),
        (lambda: tf.summary.graph(3), ValueError),
        (
            lambda: tf.summary.experimental.write_raw_pb(tf.constant(1)),
            tf.errors.InvalidArgumentError,
        ),
        (lambda: tf.summary.create_file_writer(None), ValueError),
        (lambda: tf.summary.create_file_writer("/proc/none/x"), tf.errors.NotFoundError),
    ],
)
def test_bad_input(tmp_path: Path, call: Any, error: type[Exception]) -> None:
    with tf.summary.create_file_writer(str(tmp_path)).as_default(step=0), pytest.raises(error):
        call()
    assert written(tmp_path) == []


def test_graphs(tmp_path: Path) -> None:
    with tf.Graph().as_default() as graph:
        tf.compat.v1.placeholder(tf.float32, [2], name="p")
    assert not tf.summary.graph(graph)  # there is no writer, and nobody looks at what is handed in
    assert not tf.summary.graph(3)
    with tf.summary.create_file_writer(str(tmp_path)).as_default():
        assert tf.summary.graph(graph)
        assert tf.summary.graph(graph.as_graph_def())
        with tf.summary.record_if(False):
            assert not tf.summary.graph(graph)
    events = written(tmp_path)
    assert [event.WhichOneof("what") for event in events] == ["graph_def", "graph_def"]
    for event in events:
        definition = tf.compat.v1.GraphDef.FromString(event.graph_def)
        assert [node.name for node in definition.node] == ["p"]


def test_a_closed_writer(tmp_path: Path) -> None:
    writer = tf.summary.create_file_writer(str(tmp_path))
    writer.init()
    writer.close()
    writer.close()
    writer.flush()
    for call in (writer.init, writer.set_as_default, lambda: writer.as_default().__enter__()):
        with pytest.raises(RuntimeError, match="already closed"):
            call()


def test_a_writer_that_writes_nothing() -> None:
    writer = tf.summary.create_noop_writer()
    with writer.as_default():
        assert not tf.summary.scalar("a", 1.0, step=1)
    writer.set_as_default()
    writer.flush()
    writer.close()
    assert isinstance(writer, tf.summary.SummaryWriter)


def test_summaries_wait_in_a_queue(tmp_path: Path) -> None:
    writer = tf.summary.create_file_writer(str(tmp_path), max_queue=2)
    with writer.as_default(step=0):
        tf.summary.scalar("a", 1.0)
        (file,) = tmp_path.iterdir()
        assert file.stat().st_size == 0
        tf.summary.scalar("a", 1.0)
        assert len(written(tmp_path)) == 2


def test_what_waits_is_written_when_the_program_ends(tmp_path: Path) -> None:
    program = (
        "import tapegrad as tf\n"
        f"tf.summary.create_file_writer({str(tmp_path)!r}).set_as_default()\n"
        "tf.summary.scalar('a', 1.0, step=0)\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
    assert len(written(tmp_path)) == 1


def test_threads_share_a_writer_and_not_its_being_the_default(tmp_path: Path) -> None:
    writer = tf.summary.create_file_writer(str(tmp_path))

    def work() -> None:
        assert not tf.summary.should_record_summaries()
        with writer.as_default():
            for step in range(50):
                tf.summary.scalar("a", 1.0, step=step)

    with writer.as_default():
        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len(written(tmp_path)) == 200


def test_traces_of_functions(tmp_path: Path) -> None:
    tf.summary.trace_off()
    with pytest.raises(ValueError, match="Must enable trace"):
        tf.summary.trace_export("name", step=1)
    with tf.summary.create_file_writer(str(tmp_path / "events")).as_default():
        tf.summary.trace_on(profiler=True, profiler_outdir=str(tmp_path))
        tf.ones([2]) + 1.0
        with pytest.raises(ValueError, match="No step set"):
            tf.summary.trace_export("name")
        tf.summary.trace_export("name", step=1)
    assert len([*tmp_path.glob("plugins/profile/*/*.xplane.pb")]) == 1


def test_a_profile_without_a_folder_is_warned_of_and_not_taken(caplog: Any) -> None:
    tf.summary.trace_on(profiler=True)
    assert "profiler_outdir" in caplog.text
    tf.profiler.experimental.start("unused")
    tf.profiler.experimental.stop(save=False)
    tf.summary.trace_off()


def test_profiles(tmp_path: Path) -> None:
    profiler = tf.profiler.experimental
    with pytest.raises(tf.errors.UnavailableError):
        profiler.stop()
    profiler.start(str(tmp_path), options=profiler.ProfilerOptions(host_tracer_level=3))
    try:
        with pytest.raises(tf.errors.AlreadyExistsError):
            profiler.start(str(tmp_path))
        with profiler.Trace("step", step_num=1):
            tf.tanh(tf.ones([3, 3])) + 1.0
    finally:
        profiler.stop()
    (file,) = tmp_path.glob("plugins/profile/*/*.xplane.pb")
    space = XSpace.FromString(file.read_bytes())
    (plane,) = space.planes
    names = {entry.key: entry.value.name for entry in plane.event_metadata}
    (line,) = plane.lines
    begun = {names[event.metadata_id]: event.offset_ps for event in line.events}
    assert {"Tanh", "add", "step#step_num=1#"} <= {*begun}
    assert 0 <= begun["step#step_num=1#"] <= begun["Tanh"] <= begun["add"]
    with profiler.Profile(str(tmp_path)), profiler.Trace("empty"):
        pass
    with profiler.Trace("nothing is running"):
        tf.tanh(1.0)
