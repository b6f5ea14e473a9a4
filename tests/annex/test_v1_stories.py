"""Pieces of TensorFlow 1.x: savers and summaries. What TensorFlow's gave is in ``golden/v1_stories.json``."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapegrad as tf
from golden.v1_stories import STORIES, TOLD, told

summary: Any = tf.compat.v1.summary


@pytest.mark.filterwarnings("ignore:Attempting to use a closed FileWriter")
@pytest.mark.parametrize("name", TOLD)
def test_stories_are_tensorflows(name: str) -> None:
    recorded = json.loads(STORIES.read_text())[name]
    # A thread has scopes of its own, where no name is in use.
    with ThreadPoolExecutor(1) as pool:
        ours = pool.submit(told, tf, TOLD[name]).result()
    assert len(ours) == len(recorded)
    for number, (our, their) in enumerate(zip(ours, recorded, strict=True)):
        assert our == their, number


def events(folder: Path) -> list[Any]:
    """The events of all files of a folder."""
    files = sorted(str(path) for path in folder.iterdir())
    return [event for file in files for event in tf.compat.v1.train.summary_iterator(file)]


def test_a_writer_of_today_takes_summaries_at_once(tmp_path: Path) -> None:
    with tf.summary.create_file_writer(str(tmp_path)).as_default():
        assert summary.scalar("no step", 1.0) != b""
        tf.summary.experimental.set_step(4)
        try:
            with tf.name_scope("outer"):
                made = [summary.scalar("a b", 1.0), summary.scalar("a", 1.0, family="f")]
            made.append(summary.histogram("h", [1.0, 2.0]))
            made.append(summary.image("i", np.ones([4, 2, 2, 3], np.float32), max_outputs=1))
            made.append(summary.text("t", tf.constant("x")))
            made.append(summary.audio("au", tf.zeros([1, 9]), 100.0))
        finally:
            tf.summary.experimental.set_step(None)
        assert made == [b""] * 6
    written = [(event.step, value) for event in events(tmp_path) for value in event.summary.value]
    assert [
        (step, value.tag, value.metadata.plugin_data.plugin_name) for step, value in written
    ] == [
        (4, "outer/a_b", "scalars"),
        (4, "f/outer/f/a", "scalars"),
        (4, "h", "histograms"),
        (4, "i", "images"),
        (4, "t", "text"),
        (4, "au", "audio"),
    ]


def test_summaries_of_other_graphs_are_not_merged() -> None:
    for _ in range(2):
        with tf.Graph().as_default() as graph:
            x = tf.compat.v1.placeholder(tf.float32, [])
            summary.scalar("x", x)
            summary.scalar("c", tf.constant(2.0))
            run = tf.compat.v1.Session(graph=graph).run
            merged = tf.compat.v1.Summary.FromString(run(summary.merge_all(), {x: 1.0}))
            assert [(value.tag, value.simple_value) for value in merged.value] == [
                ("x", 1),
                ("c", 2),
            ]


def test_strings_that_are_fed_are_merged() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.compat.v1.placeholder(tf.string, [])
        both = summary.merge([x, summary.scalar("b", tf.constant(1.0))])
        first = tf.compat.v1.Summary(value=[tf.compat.v1.Summary.Value(tag="a")])
        encoded = tf.compat.v1.Session(graph=graph).run(both, {x: first.SerializeToString()})
    assert [value.tag for value in tf.compat.v1.Summary.FromString(encoded).value] == ["a", "b"]


def test_a_function_with_a_summary_runs_as_python() -> None:
    @tf.function
    def encode(x: Any) -> Any:
        return summary.scalar("s", x)

    assert encode(tf.constant(1.0)) != encode(tf.constant(2.0))
    encoded = encode(tf.constant(3.0)).numpy()
    assert tf.compat.v1.Summary.FromString(encoded).value[0].simple_value == 3.0


def test_writers_are_closed_opened_again_and_shared(tmp_path: Path) -> None:
    def value(tag: str) -> Any:
        return tf.compat.v1.Summary(value=[tf.compat.v1.Summary.Value(tag=tag, simple_value=1.0)])

    with tf.Graph().as_default() as graph, summary.FileWriter(str(tmp_path)) as writer:
        writer.add_summary(value("first"), 1)
        writer.close()
        with pytest.warns(UserWarning, match="closed FileWriter"):
            writer.add_summary(value("lost"), 2)
        writer.reopen()
        writer.add_summary(value("second"), 3)
        with pytest.raises(ValueError, match="only graph, or graph_def"):
            writer.add_graph(graph, graph_def=graph.as_graph_def())
    tags = [value.tag for event in events(tmp_path) for value in event.summary.value]
    assert tags == ["first", "second"]
    cache = summary.FileWriterCache
    with tf.Graph().as_default():
        own = cache.get(str(tmp_path / "cached"))
        assert cache.get(str(tmp_path / "cached")) is own
        cache.clear()
        assert cache.get(str(tmp_path / "cached")) is not own
        cache.clear()
        with pytest.raises(NotImplementedError, match="leave `session` out"):
            summary.FileWriter(str(tmp_path), session=tf.compat.v1.Session())
