"""`tf.train.Coordinator`: several threads that stop together, and the error that one of them raised."""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from collections.abc import Iterable, Iterator
from typing import Any

from tapegrad import errors
from tapegrad.framework.printed import Printed

PUBLIC = {"train compat.v1.train": "Coordinator"}


class Coordinator(Printed):
    """Tells threads when to stop, and waits for them.

    >>> import threading
    >>> coordinator = tf.train.Coordinator()
    >>> def work():
    ...     while not coordinator.should_stop():
    ...         coordinator.request_stop()
    >>> threads = [threading.Thread(target=work) for _ in range(3)]
    >>> for thread in threads:
    ...     thread.start()
    >>> coordinator.join(threads)
    >>> coordinator.joined
    True

    Args:
        clean_stop_exception_types: errors that end the threads and are not raised by `join`;
            `tf.errors.OutOfRangeError` if left out.
    """

    def __init__(
        self, clean_stop_exception_types: Iterable[type[BaseException]] | None = None
    ) -> None:
        clean = clean_stop_exception_types
        self._clean = (errors.OutOfRangeError,) if clean is None else tuple(clean)
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._error: BaseException | None = None
        self._threads: set[threading.Thread] = set()
        self._joined = False

    def _printed_state(self) -> str:
        return "asked to stop" if self._stop.is_set() else "running"

    @property
    def joined(self) -> bool:
        """Whether `join` has returned."""
        return self._joined

    def request_stop(self, ex: Any = None) -> None:
        """Ask all threads to stop.

        Args:
            ex: the error that ends them, or what `sys.exc_info` gives. `join` raises the first one.
        """
        error = ex[1] if isinstance(ex, tuple) else ex
        if error is not None and not isinstance(error, BaseException):
            raise TypeError(
                "Coordinator.request_stop takes an exception, or what sys.exc_info() gives; "
                f"got a {type(error).__name__}."
            )
        with self._lock:
            clean = error is None or isinstance(error, self._clean)
            if error is not None and not clean and self._joined:
                raise error
            if self._stop.is_set():
                return
            if not clean:
                self._error = error
            self._stop.set()

    def clear_stop(self) -> None:
        """Forget that a stop was asked for, and the error that asked for it."""
        with self._lock:
            self._joined = False
            self._error = None
            self._stop.clear()

    def should_stop(self) -> bool:
        """Whether a stop was asked for."""
        return self._stop.is_set()

    @contextlib.contextmanager
    def stop_on_exception(self) -> Iterator[None]:
        """A context in which an error stops all threads: `join` raises it."""
        try:
            yield
        except BaseException:
            self.request_stop(sys.exc_info())

    def wait_for_stop(self, timeout: float | None = None) -> bool:
        """Wait until a stop is asked for, at most ``timeout`` seconds. Whether it was."""
        return self._stop.wait(timeout)

    def register_thread(self, thread: threading.Thread) -> None:
        """Have `join` wait for this thread too."""
        with self._lock:
            self._threads.add(thread)

    def join(
        self,
        threads: Iterable[threading.Thread] | None = None,
        stop_grace_period_secs: float = 120,
        ignore_live_threads: bool = False,
    ) -> None:
        """Wait until all threads have ended, and raise the error that one of them asked to stop with.

        Args:
            threads: threads to wait for, besides those of `register_thread`.
            stop_grace_period_secs: how long threads may run after a stop was asked for.
            ignore_live_threads: whether threads may still run after that.

        Raises:
            RuntimeError: threads run after the time, and there is no error to raise.
        """
        with self._lock:
            waited_for = list(self._threads.union(threads or ()))
        while any(thread.is_alive() for thread in waited_for) and not self.wait_for_stop(0.05):
            pass
        end = time.monotonic() + stop_grace_period_secs
        while any(thread.is_alive() for thread in waited_for) and time.monotonic() < end:
            time.sleep(0.01)
        alive = [thread.name for thread in waited_for if thread.is_alive()]
        with self._lock:
            self._joined = True
            self._threads.clear()
            if self._error is not None:
                raise self._error
        if alive and not ignore_live_threads:
            raise RuntimeError(f"Coordinator stopped with threads still running: {' '.join(alive)}")

    def raise_requested_exception(self) -> None:
        """Raise the error that a thread asked to stop with, if there is one."""
        with self._lock:
            if self._error is not None:
                raise self._error
