"""``tf.compat.v1.summary.FileWriter``, which takes summaries as bytes or messages, and its cache."""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Iterator
from typing import Any, ClassVar, Self

from tapegrad.annex.summaries.messages import Event, SessionLog, Summary, TaggedRunMetadata
from tapegrad.annex.summaries.writer import FileWriter as EventWriter
from tapegrad.annex.summaries.writer import create_file_writer
from tapegrad.framework.names import executing_eagerly
from tapegrad.framework.printed import Printed
from tapegrad.io.records import tf_record_iterator
from tapegrad.symbolic.graphs import Graph, get_default_graph

PUBLIC = {
    "compat.v1.summary": "FileWriter FileWriterCache",
    "compat.v1.train": "summary_iterator",
}


class FileWriter(Printed):
    """Writes the summaries of a graph to an event file, which TensorBoard can show.

    >>> import tempfile
    >>> with tf.Graph().as_default() as graph:
    ...     x = tf.compat.v1.placeholder(tf.float32, [])
    ...     loss = tf.compat.v1.summary.scalar("loss", x)
    ...     with tf.compat.v1.Session() as session:
    ...         with tf.compat.v1.summary.FileWriter(tempfile.mkdtemp(), graph) as writer:
    ...             writer.add_summary(session.run(loss, {x: 0.5}), global_step=1)

    Differs from TensorFlow: a graph is written as such, and not a second time as a MetaGraphDef.

    Args:
        logdir: a folder, which is made if it is missing.
        graph: a `tf.Graph` to write at once.
        max_queue: how many events may wait before they are written.
        flush_secs: after how many seconds they are written.
        graph_def: a `tf.compat.v1.GraphDef` to write at once.
        filename_suffix: the end of the file's name.
        session: not supported.

    Raises:
        RuntimeError: outside of a graph.
    """

    def __init__(
        self,
        logdir: Any,
        graph: Any = None,
        max_queue: int = 10,
        flush_secs: float = 120,
        graph_def: Any = None,
        filename_suffix: str | None = None,
        session: Any = None,
    ) -> None:
        if executing_eagerly():
            raise RuntimeError(
                "tf.compat.v1.summary.FileWriter is not compatible with eager execution. Use "
                "tf.summary.create_file_writer, or `with tf.Graph().as_default():`."
            )
        if session is not None:
            raise NotImplementedError(
                "tf.compat.v1.summary.FileWriter(session=...) writes by ops of a graph: leave `session` out."
            )
        self._logdir = os.fsdecode(logdir)
        self._options: dict[str, Any] = {
            "max_queue": max_queue,
            "flush_millis": int(flush_secs * 1000),
            "filename_suffix": filename_suffix or "",
        }
        self._writer: EventWriter | None = self._opened()
        self._described: set[str] = set()  # tags that the file has: their metadata come once
        self._run_tags: set[str] = set()
        for drawing in (graph, graph_def):
            if drawing is not None:
                self.add_graph(drawing)

    def _printed_state(self) -> str:
        return f"in {self._logdir!r}"

    def _opened(self) -> EventWriter:
        writer = create_file_writer(self._logdir, **self._options)
        assert isinstance(writer, EventWriter)
        return writer

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: Any) -> None:
        self.close()

    def get_logdir(self) -> str:
        """The folder."""
        return self._logdir

    def add_summary(self, summary: Any, global_step: Any = None) -> None:
        """Write a `Summary`, or the bytes of one, as `Session.run` gives them."""
        summary = Summary.FromString(summary) if isinstance(summary, bytes) else summary
        event = Event()
        event.summary.CopyFrom(summary)
        for value in event.summary.value:
            if value.tag in self._described:
                value.ClearField("metadata")
            self._described.add(value.tag)
        self._add(event, global_step)

    def add_session_log(self, session_log: SessionLog, global_step: Any = None) -> None:
        """Write a `SessionLog`."""
        event = Event()
        event.session_log.CopyFrom(session_log)
        self._add(event, global_step)

    def add_graph(self, graph: Any, global_step: Any = None, graph_def: Any = None) -> None:
        """Write a `tf.Graph`, or a `tf.compat.v1.GraphDef`."""
        if graph_def is not None and graph is not None:
            raise ValueError("Please pass only graph, or graph_def (deprecated), but not both.")
        graph = graph if graph_def is None else graph_def
        definition = graph.as_graph_def() if isinstance(graph, Graph) else graph
        if not hasattr(definition, "node") or not hasattr(definition, "SerializeToString"):
            raise TypeError(
                "The passed graph must be an instance of `Graph` or the deprecated `GraphDef`"
            )
        self._add(Event(graph_def=definition.SerializeToString()), global_step)

    def add_meta_graph(self, meta_graph_def: Any, global_step: Any = None) -> None:
        """Write a ``MetaGraphDef`` of another library."""
        descriptor = getattr(meta_graph_def, "DESCRIPTOR", None)
        if getattr(descriptor, "full_name", "") != "tensorflow.MetaGraphDef":
            raise TypeError(
                f"meta_graph_def must be type MetaGraphDef, saw type: {type(meta_graph_def)}"
            )
        self._add(Event(meta_graph_def=meta_graph_def.SerializeToString()), global_step)

    def add_run_metadata(self, run_metadata: Any, tag: str, global_step: Any = None) -> None:
        """Write what was measured of a run, under a tag that no other has."""
        if tag in self._run_tags:
            raise ValueError("The provided tag was already used for this event type")
        self._run_tags.add(tag)
        event = Event()
        event.tagged_run_metadata.CopyFrom(
            TaggedRunMetadata(tag=tag, run_metadata=run_metadata.SerializeToString())
        )
        self._add(event, global_step)

    def _add(self, event: Event, global_step: Any) -> None:
        event.wall_time = time.time()
        if global_step is not None:
            event.step = int(global_step)
        self.add_event(event)

    def add_event(self, event: Any) -> None:
        """Write an `Event`. A closed writer warns, and writes nothing."""
        record = event.SerializeToString()
        if self._writer is None:
            warnings.warn(
                "Attempting to use a closed FileWriter. The operation will be a noop unless the FileWriter "
                "is explicitly reopened.",
                stacklevel=2,
            )
        else:
            self._writer.add_event(record)

    def flush(self) -> None:
        """Flush."""
        if self._writer is not None:
            self._writer.flush()

    def close(self) -> None:
        """Flush and close the file."""
        if self._writer is not None:
            self._writer.close()
        self._writer = None

    def reopen(self) -> None:
        """Take events again after `close`, into another file."""
        if self._writer is None:
            self._writer = self._opened()
            self._described.clear()


class FileWriterCache(Printed):
    """The writers of a program, one for each folder."""

    _writers: ClassVar[dict[str, FileWriter]] = {}

    @staticmethod
    def get(logdir: str) -> FileWriter:
        """The writer to a folder, which is made on first use."""
        writers = FileWriterCache._writers
        if logdir not in writers:
            writers[logdir] = FileWriter(logdir, graph=get_default_graph())
        return writers[logdir]

    @staticmethod
    def clear() -> None:
        """Close all writers, and forget them."""
        for writer in FileWriterCache._writers.values():
            writer.close()
        FileWriterCache._writers.clear()


def summary_iterator(path: str) -> Iterator[Event]:
    """The records of an event file, one after the other.

    >>> import glob, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> with tf.summary.create_file_writer(folder).as_default():
    ...     written = tf.summary.scalar("loss", 0.5, step=3)
    >>> for event in tf.compat.v1.train.summary_iterator(glob.glob(folder + "/*")[0]):
    ...     for value in event.summary.value:
    ...         print(event.step, value.tag, tf.make_ndarray(value.tensor))
    3 loss 0.5

    Args:
        path: the path of the file.
    """
    return (Event.FromString(record) for record in tf_record_iterator(path))
