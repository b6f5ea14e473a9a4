"""``tf.compat.v1.train``: hooks that write files: checkpoints, summaries, the speed, profiles.

They read the counter of steps, which the program moves on: graphs assign no variables here.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from typing import Any

from tapegrad.annex.summaries.messages import SessionLog, Summary
from tapegrad.annex.v1 import logs
from tapegrad.annex.v1.collections import GraphKeys, get_collection
from tapegrad.annex.v1.hooks import (
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
    SessionRunValues,
)
from tapegrad.annex.v1.session_hooks import SecondOrStepTimer, counter_of_steps
from tapegrad.annex.v1.settings import RunMetadata, RunOptions
from tapegrad.annex.v1.summary_files import FileWriter, FileWriterCache
from tapegrad.framework.printed import Printed
from tapegrad.io.atomic import replace_file

PUBLIC = {
    "compat.v1.train": (
        "CheckpointSaverHook CheckpointSaverListener ProfilerHook StepCounterHook SummarySaverHook"
    ),
}


class CheckpointSaverListener(Printed):
    """Is called before and after a `CheckpointSaverHook` saves. A subclass defines what it needs."""

    def begin(self) -> None:
        """Called once, before there is a session."""

    def before_save(self, session: Any, global_step_value: int) -> None:
        """Called before a checkpoint is saved."""

    def after_save(self, session: Any, global_step_value: int) -> bool | None:
        """Called after a checkpoint was saved. True asks the loop around the session to end."""

    def end(self, session: Any, global_step_value: int) -> None:
        """Called once, after the last checkpoint was saved."""


class CheckpointSaverHook(SessionRunHook):
    """Saves a checkpoint at the beginning, every so many steps or seconds, and at the end.

    Differs from TensorFlow: no files of the graph are written beside it.

    Args:
        checkpoint_dir: the folder.
        save_secs, save_steps: how often; one of both.
        saver: saves the variables. Without it and ``scaffold`` it is the saver in the collection of the
            graph, which a session puts there.
        checkpoint_basename: how the names of the files begin.
        scaffold: has the saver.
        listeners: instances of `CheckpointSaverListener`.
        save_graph_def: accepted, and of no effect.

    Raises:
        ValueError: ``saver`` and ``scaffold`` are given, or not one of ``save_secs`` and ``save_steps``.
    """

    def __init__(
        self,
        checkpoint_dir: Any,
        save_secs: float | None = None,
        save_steps: int | None = None,
        saver: Any = None,
        checkpoint_basename: str = "model.ckpt",
        scaffold: Any = None,
        listeners: Iterable[CheckpointSaverListener] | None = None,
        save_graph_def: bool = True,
    ) -> None:
        if saver is not None and scaffold is not None:
            raise ValueError("You cannot provide both saver and scaffold.")
        self._saver, self._scaffold = saver, scaffold
        self._folder = os.fsdecode(checkpoint_dir)
        self._path = os.path.join(self._folder, checkpoint_basename)
        self._timer = SecondOrStepTimer(save_secs, save_steps)
        self._listeners = list(listeners or ())

    def begin(self) -> None:
        """Find the counter of steps; RuntimeError if there is none."""
        self._step = counter_of_steps(self)
        self._writer = FileWriterCache.get(self._folder)
        for listener in self._listeners:
            listener.begin()

    def after_create_session(self, session: Any, coord: Any) -> None:
        """Save the first checkpoint."""
        step = int(session.run(self._step))
        self._save(session, step)
        self._timer.update_last_triggered_step(step)

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        """Ask for the counter of steps."""
        return SessionRunArgs(self._step)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Save a checkpoint, if it is time."""
        # As in TensorFlow, a run is taken to count one step, which may not be in its results yet.
        if not self._timer.should_trigger_for_step(int(run_values.results) + 1):
            return
        step = int(run_context.session.run(self._step))
        if self._timer.should_trigger_for_step(step):
            self._timer.update_last_triggered_step(step)
            if self._save(run_context.session, step):
                run_context.request_stop()

    def end(self, session: Any) -> None:
        """Save the last checkpoint."""
        step = int(session.run(self._step))
        if step != self._timer.last_triggered_step():
            self._save(session, step)
        for listener in self._listeners:
            listener.end(session, step)

    def _save(self, session: Any, step: int) -> bool:
        """Save a checkpoint; whether a listener asks for the end."""
        for listener in self._listeners:
            listener.before_save(session, step)
        logs.info("Saving checkpoints for %d into %s.", step, self._path)
        self._current_saver().save(session, self._path, global_step=step)
        self._writer.add_session_log(
            SessionLog(status=SessionLog.CHECKPOINT, checkpoint_path=self._path), step
        )
        stops = False
        for listener in self._listeners:
            if listener.after_save(session, step):
                logs.info("%r asks for the end of the training.", listener)
                stops = True
        return stops

    def _current_saver(self) -> Any:
        if self._saver is not None:
            return self._saver
        if self._scaffold is not None:
            return self._scaffold.saver
        savers = get_collection(GraphKeys.SAVERS)
        if len(savers) != 1:
            raise RuntimeError(
                f"The collection {GraphKeys.SAVERS!r} has {len(savers)} savers. Say which one to use: "
                "tf.compat.v1.train.CheckpointSaverHook(saver=...)."
            )
        return savers[0]


class StepCounterHook(SessionRunHook):
    """Logs how many steps a second takes, and writes it as a summary.

    Args:
        every_n_steps, every_n_secs: how often; one of both.
        output_dir: the folder for summaries.
        summary_writer: a `FileWriter` to take in place of one for the folder.

    Raises:
        ValueError: both are given, or none.
    """

    def __init__(
        self,
        every_n_steps: int | None = 100,
        every_n_secs: float | None = None,
        output_dir: Any = None,
        summary_writer: FileWriter | None = None,
    ) -> None:
        if (every_n_steps is None) == (every_n_secs is None):
            raise ValueError("exactly one of every_n_steps and every_n_secs should be provided.")
        self._timer = SecondOrStepTimer(every_n_secs, every_n_steps)
        self._folder, self._writer = output_dir, summary_writer
        self._last_step: int | None = None

    def begin(self) -> None:
        """Find the counter of steps; RuntimeError if there is none."""
        self._step = counter_of_steps(self)
        self._tag = f"{self._step.name.partition(':')[0]}/sec"
        if self._writer is None and self._folder:
            self._writer = FileWriterCache.get(os.fsdecode(self._folder))

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        """Ask for the counter of steps."""
        return SessionRunArgs(self._step)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Log and write the speed, if it is time."""
        now = int(run_values.results)
        if self._timer.should_trigger_for_step(now + 1):
            step = int(run_context.session.run(self._step))
            if self._timer.should_trigger_for_step(step):
                seconds, steps = self._timer.update_last_triggered_step(step)
                if seconds and steps is not None:
                    self._log(step, steps / seconds)
        if now == self._last_step:
            logs.log_first_n(
                logs.WARN,
                "The counter of steps stays at %d. A graph assigns no variables here: write `with "
                "tf.init_scope(): step.assign_add(1)`.",
                1,
                now,
            )
        self._last_step = now

    def _log(self, step: int, speed: float) -> None:
        logs.info("%s: %g", self._tag, speed)
        if self._writer is not None:
            summary = Summary()
            summary.value.add(tag=self._tag, simple_value=speed)
            self._writer.add_summary(summary, step)


class SummarySaverHook(SessionRunHook):
    """Writes the summaries of the first run, and then of every so many steps or seconds.

    Args:
        save_steps, save_secs: how often; one of both.
        output_dir: the folder.
        summary_writer: a `FileWriter` to take in place of one for the folder.
        scaffold: has the summaries.
        summary_op: the summaries, a tensor or several.

    Raises:
        ValueError: not one of ``scaffold`` and ``summary_op`` is given, or not one of ``save_steps`` and
            ``save_secs``.
    """

    def __init__(
        self,
        save_steps: int | None = None,
        save_secs: float | None = None,
        output_dir: Any = None,
        summary_writer: FileWriter | None = None,
        scaffold: Any = None,
        summary_op: Any = None,
    ) -> None:
        if (scaffold is None) == (summary_op is None):
            raise ValueError("Exactly one of scaffold or summary_op must be provided.")
        self._scaffold, self._summary_op = scaffold, summary_op
        self._folder, self._writer = output_dir, summary_writer
        self._timer = SecondOrStepTimer(save_secs, save_steps)

    def begin(self) -> None:
        """Find the counter of steps; RuntimeError if there is none."""
        self._step = counter_of_steps(self)
        self._next_step: int | None = None
        if self._writer is None and self._folder:
            self._writer = FileWriterCache.get(os.fsdecode(self._folder))

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        """Ask for the counter of steps, and for the summaries if it is time."""
        self._now = self._next_step is None or self._timer.should_trigger_for_step(self._next_step)
        fetches = {"step": self._step}
        summaries = self._summaries() if self._now else []
        if summaries:
            fetches["summaries"] = summaries
        return SessionRunArgs(fetches)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Write the summaries."""
        if self._writer is None:
            return
        step = int(run_values.results["step"]) + 1
        if self._now:
            step = int(run_context.session.run(self._step))
            if self._next_step is None:
                self._writer.add_session_log(SessionLog(status=SessionLog.START), step)
            self._timer.update_last_triggered_step(step)
            for summary in run_values.results.get("summaries", ()):
                self._writer.add_summary(summary, step)
        self._next_step = step + 1

    def end(self, session: Any = None) -> None:
        """Write what is waiting."""
        if self._writer is not None:
            self._writer.flush()

    def _summaries(self) -> list[Any]:
        op = self._summary_op if self._scaffold is None else self._scaffold.summary_op
        if op is None:
            return []
        return list(op) if isinstance(op, (list, tuple)) else [op]


class ProfilerHook(SessionRunHook):
    """Measures the ops of a run every so many steps or seconds, and writes them for ``chrome://tracing``.

    Differs from TensorFlow: ops are measured alone, and not how their results flow or what memory they take.
    No summary is written.

    Args:
        save_steps, save_secs: how often; one of both.
        output_dir: the folder for the files ``timeline-STEP.json``.
        show_dataflow, show_memory: accepted, and of no effect.
    """

    def __init__(
        self,
        save_steps: int | None = None,
        save_secs: float | None = None,
        output_dir: Any = "",
        show_dataflow: bool = True,
        show_memory: bool = False,
    ) -> None:
        self._folder = os.fsdecode(output_dir)
        self._timer = SecondOrStepTimer(save_secs, save_steps)

    def begin(self) -> None:
        """Find the counter of steps; RuntimeError if there is none."""
        self._step = counter_of_steps(self)
        self._next_step: int | None = None

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        """Ask for the counter of steps, and for a full trace if it is time."""
        self._now = self._next_step is not None and self._timer.should_trigger_for_step(
            self._next_step
        )
        options = RunOptions(trace_level=RunOptions.FULL_TRACE) if self._now else None
        return SessionRunArgs(self._step, options=options)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Write the trace."""
        step = int(run_values.results) + 1
        if self._now:
            step = int(run_context.session.run(self._step))
            self._timer.update_last_triggered_step(step)
            path = os.path.join(self._folder, f"timeline-{step}.json")
            logs.info("Saving timeline for %d into %r.", step, path)
            replace_file(path, json.dumps(chrome_trace(run_values.run_metadata)).encode())
        self._next_step = step + 1


def chrome_trace(metadata: RunMetadata) -> dict[str, Any]:
    """The ops of a run as ``chrome://tracing`` reads them."""
    events: list[dict[str, Any]] = []
    for process, device in enumerate(metadata.step_stats.dev_stats):
        events.append(
            {"ph": "M", "pid": process, "name": "process_name", "args": {"name": device.device}}
        )
        threads: dict[int, int] = {}
        for op in device.node_stats:
            events.append(
                {
                    "ph": "X",
                    "pid": process,
                    "tid": threads.setdefault(op.thread_id, len(threads)),
                    "cat": "Op",
                    "name": op.node_name,
                    "ts": op.all_start_micros,
                    "dur": op.all_end_rel_micros,
                }
            )
    return {"traceEvents": events}
