"""`tf.profiler.experimental`: when each op and each `Trace` began and how long it took, in a file.

`tapegrad.profiling.named_ops` is next door: it makes ops visible to profilers of Python.
"""

from __future__ import annotations

import os
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple, NoReturn

from tapegrad import errors, profiling
from tapegrad.errors import refuse
from tapegrad.framework.file_errors import as_tf_errors
from tapegrad.framework.printed import Printed
from tapegrad.io.atomic import Transaction, free_names
from tapegrad.io.messages import Message
from tapegrad.io.paths import local

PUBLIC = {
    "profiler.experimental": "Profile ProfilerOptions start stop Trace",
    "profiler.experimental.server": "start=start_server",
    "profiler.experimental.client": "monitor trace",
}


class XEvent(Message):
    """A name's number, and when it began and how long it took, in picoseconds."""

    FULL_NAME = "tensorflow.profiler.XEvent"
    SCHEMA = "int64 metadata_id = 1; int64 offset_ps = 2; int64 duration_ps = 3;"


class XLine(Message):
    """The events of one thread."""

    FULL_NAME = "tensorflow.profiler.XLine"
    SCHEMA = """
        int64 id = 1; string name = 2; int64 timestamp_ns = 3; repeated XEvent events = 4;
        int64 duration_ps = 9;
    """


class XEventMetadata(Message):
    """A name."""

    FULL_NAME = "tensorflow.profiler.XEventMetadata"
    SCHEMA = "int64 id = 1; string name = 2;"


class EventNames(Message):
    """An entry in the map from numbers to names."""

    FULL_NAME = "tensorflow.profiler.XPlane.EventMetadataEntry"
    SCHEMA = "int64 key = 1; XEventMetadata value = 2;"


class XPlane(Message):
    """The threads of one device."""

    FULL_NAME = "tensorflow.profiler.XPlane"
    SCHEMA = """
        int64 id = 1; string name = 2; repeated XLine lines = 3;
        repeated EventNames event_metadata = 4;
    """


class XSpace(Message):
    """A profile."""

    FULL_NAME = "tensorflow.profiler.XSpace"
    SCHEMA = "repeated XPlane planes = 1; repeated string hostnames = 4;"


class ProfilerOptions(NamedTuple):
    """What to record. Ops and `Trace`s are recorded whatever the options say."""

    host_tracer_level: int = 2
    python_tracer_level: int = 0
    device_tracer_level: int = 1
    delay_ms: int | None = None


class Timeline:
    """The events recorded between `start` and `stop`."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.began = time.time_ns()
        self.clock = time.perf_counter_ns()
        # The name, thread, beginning and duration of each event. Appending to a list is safe in all threads.
        self.events: list[tuple[str, int, int, int]] = []

    def timed(self, name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        """``call``, which adds an event whenever it is called."""
        add, now, thread = self.events.append, time.perf_counter_ns, threading.get_ident

        def timed(*args: Any) -> Any:
            begin = now()
            try:
                return call(*args)
            finally:
                add((name, thread(), begin, now() - begin))

        return timed

    def space(self) -> XSpace:
        """The profile as a message."""
        space = XSpace(hostnames=[socket.gethostname()])
        plane = space.planes.add(id=1, name="/host:CPU")
        numbers: dict[str, int] = {}
        lines: dict[int, XLine] = {}
        for name, thread, begin, duration in self.events:
            number = numbers.setdefault(name, len(numbers) + 1)
            if thread not in lines:
                lines[thread] = plane.lines.add(
                    id=thread, name=f"python-{len(lines)}", timestamp_ns=self.began
                )
            lines[thread].events.add(
                metadata_id=number,
                offset_ps=(begin - self.clock) * 1000,
                duration_ps=duration * 1000,
            )
        for name, number in numbers.items():
            plane.event_metadata.add(key=number, value=XEventMetadata(id=number, name=name))
        return space


_running: list[Timeline] = []
_lock = threading.Lock()


def start(logdir: Any, options: Any = None) -> None:
    """Begin to record when each op begins and how long it takes, in all threads.

    >>> import tempfile
    >>> folder = tempfile.mkdtemp()
    >>> tf.profiler.experimental.start(folder)
    >>> with tf.profiler.experimental.Trace("step"):
    ...     x = tf.ones([3, 3]) @ tf.ones([3, 3])
    >>> tf.profiler.experimental.stop()
    >>> os.listdir(os.path.join(folder, "plugins", "profile")) != []
    True

    Args:
        logdir: the folder for the profile, which the profile plugin of TensorBoard can show.
        options: `ProfilerOptions` or a dict. They have no effect.

    Raises:
        AlreadyExistsError: something is being profiled already.
    """
    _begin(local(logdir))


def stop(save: bool = True) -> None:
    """End the recording, and write the profile into ``plugins/profile`` in its folder if ``save`` is true.

    Args:
        save: whether to write the profile; otherwise it is thrown away.

    Raises:
        UnavailableError: nothing is being profiled.
    """
    timeline = _end()
    if save:
        run = time.strftime("%Y_%m_%d_%H_%M_%S")
        folder = os.path.join(timeline.folder, "plugins", "profile", run)
        with as_tf_errors(folder), Transaction(folder) as transaction:
            profile = transaction.new_file()
            profile.stream.write(timeline.space().SerializeToString())
            transaction.commit_alone(profile, free_names(socket.gethostname(), ".xplane.pb"))


def _begin(folder: str) -> Timeline:
    with _lock:
        timeline = Timeline(folder)
        profiling.begin(timeline.timed)
        _running.append(timeline)
    return timeline


def _end() -> Timeline:
    with _lock:
        if not _running:
            refuse(
                "Cannot export profiling results. No profiler is running.",
                error=errors.UnavailableError,
            )
        timeline = _running.pop()
        profiling.end()
    return timeline


@contextmanager
def recorded() -> Iterator[Timeline]:
    """A context whose ops are recorded. It writes no profile.

    Raises:
        AlreadyExistsError: something is being profiled already.
    """
    timeline = _begin("")
    try:
        yield timeline
    finally:
        _end()


class Profile(Printed):
    """A context that is profiled: `start` at its beginning, `stop` at its end."""

    def __init__(self, logdir: Any, options: Any = None) -> None:
        self._logdir = logdir
        self._options = options

    def __enter__(self) -> None:
        start(self._logdir, self._options)

    def __exit__(self, *error: object) -> None:
        stop()


class Trace(Printed):
    """A context that is one event in the profile, such as a step of training."""

    def __init__(self, name: str, **kwargs: Any) -> None:
        details = ",".join(f"{key}={value}" for key, value in kwargs.items())
        self._name = f"{name}#{details}#" if details else name
        self._began: int | None = None

    def _printed_state(self) -> str:
        return repr(self._name)

    def __enter__(self) -> Trace:
        self._began = time.perf_counter_ns() if _running else None
        return self

    def set_metadata(self, **kwargs: Any) -> None:
        """Add to the description of the event."""
        details = ",".join(f"{key}={value}" for key, value in kwargs.items())
        self._name = f"{self._name.rstrip('#')}{',' if '#' in self._name else '#'}{details}#"

    def __exit__(self, *error: object) -> None:
        running = _running[-1:]
        if self._began is not None and running:
            duration = time.perf_counter_ns() - self._began
            running[0].events.append((self._name, threading.get_ident(), self._began, duration))


def _refuse_remote(function: str) -> NoReturn:
    raise NotImplementedError(
        f"tf.profiler.experimental.{function}() profiles over the network, which tapegrad does not: "
        "use tf.profiler.experimental.start() and stop() in the program itself."
    )


def start_server(port: int) -> NoReturn:
    """Raises NotImplementedError: profiles are taken in the program itself.

    Args:
        port: the port at which a server would listen.
    """
    _refuse_remote("server.start")


def trace(
    service_addr: str,
    logdir: str,
    duration_ms: int,
    worker_list: str = "",
    num_tracing_attempts: int = 3,
    options: Any = None,
) -> NoReturn:
    """Raises NotImplementedError: profiles are taken in the program itself.

    Args:
        service_addr: the address of the server.
        logdir: the folder for the profile.
        duration_ms: how long to record, in milliseconds.
        worker_list: the addresses of the workers of a TPU.
        num_tracing_attempts: how often to try again where nothing was recorded.
        options: `ProfilerOptions`, or None.
    """
    _refuse_remote("client.trace")


def monitor(service_addr: str, duration_ms: int, level: int = 1) -> NoReturn:
    """Raises NotImplementedError: profiles are taken in the program itself.

    Args:
        service_addr: the address of the server.
        duration_ms: how long to watch, in milliseconds.
        level: 1 or 2: how much to tell.
    """
    _refuse_remote("client.monitor")
