"""``tf.compat.v1.train``: sessions that call hooks."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import nullcontext
from typing import Any, NoReturn, Self

from tapegrad import errors
from tapegrad.annex import timelines
from tapegrad.annex.v1.hooks import (
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
    SessionRunValues,
)
from tapegrad.annex.v1.saving_hooks import CheckpointSaverHook, StepCounterHook, SummarySaverHook
from tapegrad.annex.v1.scaffolds import ChiefSessionCreator, Scaffold, WorkerSessionCreator
from tapegrad.annex.v1.settings import RunMetadata, RunOptions, step_stats
from tapegrad.framework.names import executing_eagerly
from tapegrad.framework.printed import Printed
from tapegrad.symbolic.graphs import get_default_graph
from tapegrad.training.coordinator import Coordinator

PUBLIC = {
    "compat.v1.train": "MonitoredSession MonitoredTrainingSession SingularMonitoredSession",
}


class StepContext:
    """What a function gets that `MonitoredSession.run_step_fn` calls."""

    def __init__(self, session: Any, run_with_hooks_fn: Callable[..., Any]) -> None:
        self._session, self._run = session, run_with_hooks_fn

    @property
    def session(self) -> Any:
        """The session itself, whose runs no hook sees."""
        return self._session

    def run_with_hooks(self, *args: Any, **kwargs: Any) -> Any:
        """`MonitoredSession.run`."""
        return self._run(*args, **kwargs)

    def request_stop(self) -> NoReturn:
        """Raise StopIteration, which ends the block of the session without an error."""
        raise StopIteration("step_fn has requested the iterations to stop.")


class MonitoredSession(Printed):
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

    Differs from TensorFlow: graphs assign no variables, so that a program counts its steps and trains in a
    block of `tf.init_scope`, or outside of the graph.

    Args:
        session_creator: makes the session; a `ChiefSessionCreator` if left out.
        stop_grace_period_secs: how long `close` waits for the threads that hooks have registered at the
            coordinator.
    """

    StepContext = StepContext

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
        self._coordinator = Coordinator()
        self._grace = stop_grace_period_secs
        for hook in self._hooks:
            hook.begin()
        creator = ChiefSessionCreator() if session_creator is None else session_creator
        self._session: Any = creator.create_session()
        for hook in self._hooks:
            hook.after_create_session(self._session, self._coordinator)

    @property
    def graph(self) -> Any:
        """The graph that is run."""
        return self._graph

    def should_stop(self) -> bool:
        """Whether a hook has asked for the end, or the session is closed."""
        return self._session is None or self._coordinator.should_stop()

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
            if asked.options is not None:
                options = asked.options
            for tensor, value in (asked.feed_dict or {}).items():
                if tensor in feed:
                    raise RuntimeError(f"{tensor} is fed twice, the second time by {hook}.")
                feed[tensor] = value
        if run_metadata is None:
            run_metadata = RunMetadata()
        measured = options is not None and options.trace_level == RunOptions.FULL_TRACE
        with timelines.recorded() if measured else nullcontext() as timeline:
            result, *results = self._session.run([fetches, *wanted.values()], feed_dict=feed)
        if timeline is not None:
            run_metadata.step_stats.CopyFrom(step_stats(timeline))
        values = dict(zip(wanted, results, strict=True))
        for hook in self._hooks:
            hook.after_run(context, SessionRunValues(values.get(hook), options, run_metadata))
        if context.stop_requested:
            self._coordinator.request_stop()
        return result

    def run_step_fn(self, step_fn: Callable[..., Any]) -> Any:
        """What ``step_fn(step_context)`` returns; see `StepContext`.

        Raises:
            ValueError: the function does not take one argument of that name.
            RuntimeError: the session is closed.
        """
        from inspect import signature

        names = tuple(signature(step_fn).parameters)
        if names != ("step_context",):
            raise ValueError(
                "`step_fn` may either have one `step_context` argument, or `self` and `step_context` "
                f"arguments if it's an instance method. Got {names} instead."
            )
        if self._session is None:
            raise RuntimeError("run_step_fn called even after should_stop requested.")
        return step_fn(StepContext(self._session, self.run))

    def close(self) -> None:
        """Tell the hooks that it is the end, and close the session."""
        self._end(call_hooks=True)

    def _end(self, call_hooks: bool) -> None:
        session, self._session = self._session, None
        if session is None:
            return
        try:
            for hook in self._hooks if call_hooks else ():
                hook.end(session)
        finally:
            self._coordinator.request_stop()
            self._coordinator.join(stop_grace_period_secs=self._grace, ignore_live_threads=True)
            session.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, error_type: type[BaseException] | None, error: BaseException | None, traceback: Any
    ) -> bool:
        # As in TensorFlow, the end of the data ends the loop, and so does `StepContext.request_stop`.
        ended = error_type is not None and issubclass(
            error_type, (errors.OutOfRangeError, StopIteration)
        )
        self._end(call_hooks=error_type is None or ended)
        return ended


class SingularMonitoredSession(MonitoredSession):
    """A `MonitoredSession` that shows its session.

    Args:
        hooks: the hooks.
        stop_grace_period_secs: as that of `MonitoredSession`; the others as those of `ChiefSessionCreator`.
    """

    def __init__(
        self,
        hooks: Iterable[SessionRunHook] | None = None,
        scaffold: Scaffold | None = None,
        master: str = "",
        config: Any = None,
        checkpoint_dir: Any = None,
        stop_grace_period_secs: int = 120,
        checkpoint_filename_with_path: Any = None,
    ) -> None:
        creator = ChiefSessionCreator(
            scaffold, master, config, checkpoint_dir, checkpoint_filename_with_path
        )
        super().__init__(creator, hooks, stop_grace_period_secs)

    def raw_session(self) -> Any:
        """The session itself; None when it is closed."""
        return self._session


USE_DEFAULT: Any = object()
"""Stands for an argument that was left out, where None has a meaning of its own."""


def MonitoredTrainingSession(
    master: str = "",
    is_chief: bool = True,
    checkpoint_dir: Any = None,
    scaffold: Scaffold | None = None,
    hooks: Iterable[SessionRunHook] | None = None,
    chief_only_hooks: Iterable[SessionRunHook] | None = None,
    save_checkpoint_secs: Any = USE_DEFAULT,
    save_summaries_steps: Any = USE_DEFAULT,
    save_summaries_secs: Any = USE_DEFAULT,
    config: Any = None,
    stop_grace_period_secs: int = 120,
    log_step_count_steps: int | None = 100,
    max_wait_secs: float = 7200,
    save_checkpoint_steps: Any = USE_DEFAULT,
    summary_dir: Any = None,
    save_graph_def: bool = True,
) -> MonitoredSession:
    """A `MonitoredSession` that goes on from the latest checkpoint, and saves checkpoints and summaries.

    >>> import tempfile
    >>> folder = tempfile.mkdtemp()
    >>> def train():
    ...     with tf.Graph().as_default():
    ...         step = tf.compat.v1.train.get_or_create_global_step()
    ...         session = tf.compat.v1.train.MonitoredTrainingSession(checkpoint_dir=folder)
    ...         with session, tf.init_scope():
    ...             return int(step.assign_add(10))
    >>> train(), train()
    (10, 20)

    Args:
        master: accepted, and of no effect: sessions run in this process.
        is_chief: whether to restore, save and call ``chief_only_hooks``.
        checkpoint_dir: the folder for checkpoints; none are saved if it is left out.
        scaffold: how the session begins, and what is saved and summarised; an empty `Scaffold` if left out.
        hooks: hooks of every session, chief or not; None for none.
        chief_only_hooks: hooks of the chief's session alone; None for none.
        save_checkpoint_secs, save_checkpoint_steps: how often; every 600 seconds if both are left out.
        save_summaries_steps, save_summaries_secs: how often; every 100 steps if both are left out.
        config: a `tf.compat.v1.ConfigProto`, which has no effect.
        stop_grace_period_secs: how long closing waits for the threads that hooks have registered at the
            coordinator.
        log_step_count_steps: after how many steps to log the steps in a second; None or 0 for never.
        max_wait_secs: accepted, and of no effect: a session that is not the chief's waits for nobody.
        summary_dir: the folder for summaries and the speed; ``checkpoint_dir`` if left out.
        save_graph_def: accepted: no file of the graph is written.
    """
    scaffold = Scaffold() if scaffold is None else scaffold
    hooks = list(hooks or ())
    if not is_chief:
        worker = WorkerSessionCreator(scaffold, master, config, max_wait_secs)
        return MonitoredSession(worker, hooks, stop_grace_period_secs)
    own: list[SessionRunHook] = list(chief_only_hooks or ())
    folder = summary_dir or checkpoint_dir
    if folder and log_step_count_steps:
        own.append(StepCounterHook(every_n_steps=log_step_count_steps, output_dir=folder))
    steps, seconds = _intervals(save_summaries_steps, save_summaries_secs, 100, None)
    if folder and (steps or seconds):
        own.append(SummarySaverHook(steps, seconds, output_dir=folder, scaffold=scaffold))
    steps, seconds = _intervals(save_checkpoint_steps, save_checkpoint_secs, None, 600)
    if checkpoint_dir and (steps or seconds):
        own.append(CheckpointSaverHook(checkpoint_dir, seconds, steps, scaffold=scaffold))
    chief = ChiefSessionCreator(scaffold, master, config, checkpoint_dir)
    return MonitoredSession(chief, own + hooks, stop_grace_period_secs)


def _intervals(
    steps: Any, seconds: Any, default_steps: int | None, default_seconds: float | None
) -> tuple[Any, Any]:
    """After how many steps and seconds: the defaults if both are left out."""
    if steps is USE_DEFAULT and seconds is USE_DEFAULT:
        return default_steps, default_seconds
    return None if steps is USE_DEFAULT else steps, None if seconds is USE_DEFAULT else seconds
