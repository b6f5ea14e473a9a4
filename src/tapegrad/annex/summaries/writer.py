"""Writers: `create_file_writer`, which makes an event file in a folder, and one that writes nothing."""

from __future__ import annotations

import itertools
import os
import socket
import threading
import time
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO

from tapegrad.annex.summaries.messages import Event
from tapegrad.annex.summaries.state import state
from tapegrad.core import static_value
from tapegrad.framework.convert import convert_to_tensor
from tapegrad.framework.file_errors import as_tf_errors
from tapegrad.framework.printed import Printed
from tapegrad.io.atomic import new_log
from tapegrad.io.paths import local
from tapegrad.io.records import framed
from tapegrad.io.wire import tagged

PUBLIC = {"summary": "create_file_writer create_noop_writer flush SummaryWriter"}

_numbers = itertools.count()
SUMMARY_FIELD = Event.FIELDS["summary"].number


class SummaryWriter(Printed):
    """Takes summaries: `tf.summary.create_file_writer` makes one."""

    def set_as_default(self, step: Any = None) -> None:
        """Let all summaries of this thread go to this writer from now on, and set the step if it is given."""
        self.as_default(step).__enter__()

    @contextmanager
    def as_default(self, step: Any = None) -> Iterator[SummaryWriter]:
        """A context in which summaries go to this writer; with a ``step``, it is the step there."""
        yield self

    def init(self) -> None:
        """Nothing: a writer is ready when it is made."""

    def flush(self) -> None:
        """Flush."""

    def close(self) -> None:
        """Flush, and accept no more summaries."""


class NoopWriter(SummaryWriter):
    """A writer that writes nothing."""

    def set_as_default(self, step: Any = None) -> None:
        """Nothing."""


class EventFile:
    """The file of a writer, and the records that wait to be written.

    Args:
        folder: where it goes.
        names: the first of these that no file has is its name.
        max_queue: how many records may wait.
        flush_millis: for how many milliseconds.
    """

    def __init__(
        self, folder: str, names: Iterator[str], max_queue: int, flush_millis: int
    ) -> None:
        self._lock = threading.Lock()
        self._waiting: list[bytes] = []
        self._max_queue = max_queue
        self._flush_seconds = flush_millis / 1000
        self._flushed = time.monotonic()
        self._path = folder
        with as_tf_errors(folder):
            os.makedirs(folder, exist_ok=True)
            self._file: BinaryIO = new_log(folder, names)  # `close` closes it

    def add(self, record: bytes) -> None:
        """Write the record soon: when many are waiting, or the last writing is long ago."""
        with self._lock:
            self._waiting.append(framed(record))
            late = time.monotonic() - self._flushed > self._flush_seconds
            if late or len(self._waiting) > self._max_queue:
                self._write()

    def flush(self) -> None:
        """Write all records that are waiting."""
        with self._lock:
            self._write()

    def _write(self) -> None:
        waiting, self._waiting = self._waiting, []
        self._flushed = time.monotonic()
        with as_tf_errors(self._path):
            self._file.write(b"".join(waiting))
            self._file.flush()

    def close(self) -> None:
        """Write all records that are waiting, and close the file."""
        with self._lock:
            if not self._file.closed:
                with as_tf_errors(self._path), self._file:
                    self._write()


class FileWriter(SummaryWriter):
    """Writes summaries to a file."""

    def __init__(self, events: EventFile) -> None:
        self._events = events
        # Pending summaries are also written when the writer is garbage, or when the program ends.
        self._finish = weakref.finalize(self, self._events.close)
        start = Event(wall_time=time.time(), file_version="brain.Event:2")
        start.source_metadata.writer = "tapegrad"
        self._events.add(start.SerializeToString())

    def _check_open(self) -> None:
        if not self._finish.alive:
            raise RuntimeError(f"SummaryWriter {self!r} is already closed")

    def set_as_default(self, step: Any = None) -> None:
        """Let all summaries of this thread go to this writer from now on, and set the step if it is given."""
        self._check_open()
        state.writer = self
        if step is not None:
            state.step = step

    @contextmanager
    def as_default(self, step: Any = None) -> Iterator[SummaryWriter]:
        """A context in which summaries go to this writer; with a ``step``, it is the step there.

        Raises:
            RuntimeError: on entering, if the writer is closed.
        """
        self._check_open()
        before = state.writer, state.step
        self.set_as_default(step)
        try:
            yield self
        finally:
            # First these: flushing fails on a full disk.
            state.writer = before[0]
            if step is not None:
                state.step = before[1]
            self.flush()

    def init(self) -> None:
        """Nothing: a writer is ready when it is made.

        Raises:
            RuntimeError: the writer is closed.
        """
        self._check_open()

    def flush(self) -> None:
        """Flush."""
        if self._finish.alive:
            self._events.flush()

    def close(self) -> None:
        """Flush and close the file."""
        self._finish()

    def add_event(self, event: bytes) -> None:
        """Write an encoded `Event`."""
        self._events.add(event)

    def add_summary(self, summary: bytes, step: int) -> None:
        """Write an encoded `Summary`."""
        event = Event(wall_time=time.time(), step=step).SerializeToString()
        self.add_event(event + tagged(SUMMARY_FIELD, summary))

    def add_graph(self, definition: bytes) -> None:
        """Write an encoded `GraphDef`. It belongs to no step."""
        self.add_event(Event(wall_time=time.time(), graph_def=definition).SerializeToString())


def create_file_writer(
    logdir: Any,
    max_queue: int | None = None,
    flush_millis: int | None = None,
    filename_suffix: str | None = None,
    name: str | None = None,
    experimental_trackable: bool = False,
    experimental_mesh: Any = None,
) -> SummaryWriter:
    """A writer to a new event file in the folder ``logdir``, which TensorBoard can show.

    >>> import tempfile
    >>> folder = tempfile.mkdtemp()
    >>> writer = tf.summary.create_file_writer(folder)
    >>> with writer.as_default():
    ...     for step in range(3):
    ...         written = tf.summary.scalar("loss", 1.0 / (step + 1), step=step)
    >>> len(os.listdir(folder))
    1

    Args:
        logdir: a folder, which is made if it is missing.
        max_queue: how many summaries may wait before they are written; 10 if left out.
        flush_millis: after how many milliseconds they are written; 120,000 if left out.
        filename_suffix: the end of the file's name; ".v2" if left out.
        name, experimental_trackable: not used.
        experimental_mesh: not supported.

    Raises:
        ValueError: ``logdir`` is None.
    """
    if logdir is None:
        raise ValueError("Argument `logdir` cannot be None")
    if experimental_mesh is not None:
        raise NotImplementedError(
            "create_file_writer() was given a mesh; there is one device here."
        )
    numbers = {"max_queue": max_queue, "flush_millis": flush_millis}
    for argument, value in numbers.items():
        if value is not None:
            numbers[argument] = int(static_value(convert_to_tensor(value), "tf.summary"))
    start = f"events.out.tfevents.{int(time.time())}.{socket.gethostname()}.{os.getpid()}"
    end = ".v2" if filename_suffix is None else filename_suffix
    waiting, millis = numbers["max_queue"], numbers["flush_millis"]
    return FileWriter(
        EventFile(
            local(logdir) or ".",
            (f"{start}.{number}{end}" for number in _numbers),
            10 if waiting is None else waiting,
            120_000 if millis is None else millis,
        )
    )


def create_noop_writer() -> SummaryWriter:
    """A writer that writes nothing, for programs that need one."""
    return NoopWriter()


def flush(writer: SummaryWriter | None = None, name: str | None = None) -> None:
    """Flush ``writer``, or the writer of this thread.

    Args:
        writer: a writer that `tf.summary.create_file_writer` has made, or None.

    Raises:
        ValueError: ``writer`` is something else.
    """
    writer = state.writer if writer is None else writer
    if writer is None:
        return
    if not isinstance(writer, SummaryWriter):
        raise ValueError(f"Invalid argument to flush(): {writer!r}")
    writer.flush()
