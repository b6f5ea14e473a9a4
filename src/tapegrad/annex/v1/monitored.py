"""``tf.compat.v1.train``: sessions that call hooks."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Self

from tapegrad import errors
from tapegrad.annex.v1.hooks import (
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
    SessionRunValues,
)
from tapegrad.framework.names import executing_eagerly
from tapegrad.symbolic.graphs import get_default_graph
from tapegrad.symbolic.sessions import Session

PUBLIC = {"compat.v1.train": "MonitoredSession SingularMonitoredSession"}


class MonitoredSession:
    """A session whose runs are seen by hooks, for the graph that is open.

    >>> with tf.Graph().as_default():
    ...     x = tf.compat.v1.placeholder(tf.float32, [])
    ...     nan = tf.compat.v1.train.NanTensorHook(x, fail_on_nan_loss=False)
    ...     with tf.compat.v1.train.MonitoredSession(hooks=[nan]) as session:
    ...         for value in 1.0, 2.0, float("nan"), 4.0:
    ...             if not session.should_stop():
    ...                 print(session.run(x * 2.0, feed_dict={x: value}))
    2.0
    4.0
    nan

    Args:
        session_creator, stop_grace_period_secs: accepted, and of no effect.
    """

    def __init__(
        self,
        session_creator: Any = None,
        hooks: Iterable[SessionRunHook] | None = None,
        stop_grace_period_secs: int = 120,
    ) -> None:
        if executing_eagerly():
            raise RuntimeError(
                f"{type(self).__name__} runs a graph: open one by `with tf.Graph().as_default():`."
            )
        self._graph = get_default_graph()
        self._hooks = list(hooks or ())
        self._stops = False
        for hook in self._hooks:
            hook.begin()
        self._session: Session | None = Session(graph=self._graph)
        for hook in self._hooks:
            hook.after_create_session(self._session, None)

    @property
    def graph(self) -> Any:
        """The graph that is run."""
        return self._graph

    def should_stop(self) -> bool:
        """Whether a hook has asked for the end, or the session is closed."""
        return self._stops or self._session is None

    def run(
        self, fetches: Any, feed_dict: Any = None, options: Any = None, run_metadata: Any = None
    ) -> Any:
        """What a session's ``run`` gives, with what the hooks want computed and fed besides.

        Raises:
            RuntimeError: the session is closed, or two hooks feed one tensor.
        """
        if self._session is None:
            raise RuntimeError("Run called even after should_stop requested.")
        context = SessionRunContext(SessionRunArgs(fetches, feed_dict), self._session)
        feed = dict(feed_dict or {})
        wanted: dict[SessionRunHook, Any] = {}
        for hook in self._hooks:
            asked = hook.before_run(context)
            if asked is None:
                continue
            if asked.fetches is not None:
                wanted[hook] = asked.fetches
            for tensor, value in (asked.feed_dict or {}).items():
                if tensor in feed:
                    raise RuntimeError(f"{tensor} is fed twice, the second time by {hook}.")
                feed[tensor] = value
        result, *results = self._session.run([fetches, *wanted.values()], feed_dict=feed)
        given = dict(zip(wanted, results, strict=True))
        for hook in self._hooks:
            hook.after_run(context, SessionRunValues(given.get(hook), options, run_metadata))
        self._stops = self._stops or context.stop_requested
        return result

    def close(self) -> None:
        """Tell the hooks that it is the end, and close the session."""
        self._end(told=True)

    def _end(self, told: bool) -> None:
        session, self._session = self._session, None
        if session is None:
            return
        try:
            for hook in self._hooks if told else ():
                hook.end(session)
        finally:
            session.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, error_type: type[BaseException] | None, error: BaseException | None, traceback: Any
    ) -> bool:
        # As in TensorFlow, the end of the data ends the loop.
        ended = error_type is not None and issubclass(error_type, errors.OutOfRangeError)
        self._end(told=error_type is None or ended)
        return ended


class SingularMonitoredSession(MonitoredSession):
    """A `MonitoredSession` that shows its session.

    Args:
        hooks: the hooks.
        scaffold, master, config, checkpoint_dir, checkpoint_filename_with_path: accepted, and of no effect.
    """

    def __init__(
        self,
        hooks: Iterable[SessionRunHook] | None = None,
        scaffold: Any = None,
        master: str = "",
        config: Any = None,
        checkpoint_dir: str | None = None,
        stop_grace_period_secs: int = 120,
        checkpoint_filename_with_path: str | None = None,
    ) -> None:
        super().__init__(hooks=hooks)

    def raw_session(self) -> Session | None:
        """The session itself; None when it is closed."""
        return self._session
