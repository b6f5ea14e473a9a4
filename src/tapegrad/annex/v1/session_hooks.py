"""``tf.compat.v1.train``: hooks that count, log and stop.

A hook sees each run of a `MonitoredSession`: before it, when it may ask for more to be computed, and after
it. The counter of steps is read where a hook asks for it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from tapegrad.annex.v1 import logs
from tapegrad.annex.v1.hooks import (
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
    SessionRunValues,
)
from tapegrad.annex.v1.optimizers import get_global_step
from tapegrad.framework.printed import Printed

PUBLIC = {
    "compat.v1.train": (
        "FeedFnHook FinalOpsHook GlobalStepWaiterHook LoggingTensorHook NanLossDuringTrainingError "
        "NanTensorHook SecondOrStepTimer StopAtStepHook"
    ),
}


class SecondOrStepTimer(Printed):
    """Says every so many steps, or every so many seconds, that it is time.

    >>> timer = tf.compat.v1.train.SecondOrStepTimer(every_steps=10)
    >>> timer.should_trigger_for_step(0), timer.update_last_triggered_step(0)
    (True, (None, None))
    >>> timer.should_trigger_for_step(9), timer.should_trigger_for_step(10)
    (False, True)

    Raises:
        ValueError: both are given, or none.
    """

    def __init__(self, every_secs: float | None = None, every_steps: int | None = None) -> None:
        if every_secs is None and every_steps is None:
            raise ValueError("Either every_secs or every_steps should be provided.")
        if every_secs is not None and every_steps is not None:
            raise ValueError("Can not provide both every_secs and every_steps.")
        self._seconds, self._steps = every_secs, every_steps
        self.reset()

    def reset(self) -> None:
        """Forget when it was time last."""
        self._last_step: int | None = None
        self._last_time: float | None = None

    def should_trigger_for_step(self, step: int) -> bool:
        """Whether it is time at ``step``: always the first time, and once at most for a step."""
        if self._last_step is None or self._last_time is None:
            return True
        if step == self._last_step:
            return False
        if self._steps is not None:
            return step >= self._last_step + self._steps
        return time.time() >= self._last_time + (self._seconds or 0.0)

    def update_last_triggered_step(self, step: int) -> tuple[float | None, int | None]:
        """Note that it was time at ``step``; the seconds and the steps since the last time, or None twice."""
        now = time.time()
        if self._last_step is None or self._last_time is None:
            passed: tuple[float | None, int | None] = (None, None)
        else:
            passed = (now - self._last_time, step - self._last_step)
        self._last_step, self._last_time = step, now
        return passed

    def last_triggered_step(self) -> int | None:
        """The step at which it was time last; None before that."""
        return self._last_step


def counter_of_steps(hook: SessionRunHook) -> Any:
    """The variable that counts the steps of the graph that is open; RuntimeError if there is none."""
    step = get_global_step()
    if step is None:
        raise RuntimeError(
            f"Global step should be created to use {type(hook).__name__}: call "
            "tf.compat.v1.train.get_or_create_global_step()."
        )
    return step


class StopAtStepHook(SessionRunHook):
    """Asks the loop to end at a step.

    Args:
        num_steps: after so many steps from where the counter of steps is now.
        last_step: when the counter is there.

    Raises:
        ValueError: both are given, or none.
    """

    def __init__(self, num_steps: int | None = None, last_step: int | None = None) -> None:
        if num_steps is None and last_step is None:
            raise ValueError("One of num_steps or last_step must be specified.")
        if num_steps is not None and last_step is not None:
            raise ValueError("Only one of num_steps or last_step can be specified.")
        self._num_steps, self._last_step = num_steps, last_step

    def begin(self) -> None:
        """Find the counter of steps; RuntimeError if there is none."""
        self._step = counter_of_steps(self)

    def after_create_session(self, session: Any, coord: Any) -> None:
        """Work out the last step."""
        if self._last_step is None:
            self._last_step = int(self._step.numpy()) + (self._num_steps or 0)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Ask the loop to end, if this is the last step."""
        if int(self._step.numpy()) >= (self._last_step or 0):
            run_context.request_stop()


class GlobalStepWaiterHook(SessionRunHook):
    """Waits before each run until the counter of steps is at ``wait_until_step``, which others move on."""

    def __init__(self, wait_until_step: int) -> None:
        self._wait_until_step = wait_until_step

    def begin(self) -> None:
        """Find the counter of steps; RuntimeError if there is none."""
        self._step = counter_of_steps(self)

    def before_run(self, run_context: SessionRunContext) -> None:
        """Wait."""
        while int(self._step.numpy()) < self._wait_until_step:
            time.sleep(0.5)


class LoggingTensorHook(SessionRunHook):
    """Logs what tensors are, every so many runs or seconds, or at the end.

    Args:
        tensors: tensors, or a dict of tensors by the names to log them under.
        every_n_iter, every_n_secs: one of both, unless ``at_end``.
        at_end: whether to log when the loop has ended, too.
        formatter: makes what is logged of a dict of names and values.
    """

    def __init__(
        self,
        tensors: Iterable[Any] | Mapping[str, Any],
        every_n_iter: int | None = None,
        every_n_secs: float | None = None,
        at_end: bool = False,
        formatter: Callable[[dict[str, Any]], str] | None = None,
    ) -> None:
        only_at_end = at_end and every_n_iter is None and every_n_secs is None
        if not only_at_end and (every_n_iter is None) == (every_n_secs is None):
            raise ValueError(
                "either at_end and/or exactly one of every_n_iter and every_n_secs must be "
                "provided."
            )
        if every_n_iter is not None and every_n_iter <= 0:
            raise ValueError(f"invalid every_n_iter={every_n_iter}.")
        if not isinstance(tensors, Mapping):
            tensors = {str(getattr(tensor, "name", tensor)): tensor for tensor in tensors}
        self._tensors = dict(tensors)
        self._timer = None if only_at_end else SecondOrStepTimer(every_n_secs, every_n_iter)
        self._at_end, self._formatter = at_end, formatter

    def begin(self) -> None:
        """Begin to count runs."""
        self._run = 0
        if self._timer is not None:
            self._timer.reset()

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs | None:
        """Ask for the tensors, if it is time."""
        self._now = self._timer is not None and self._timer.should_trigger_for_step(self._run)
        return SessionRunArgs(self._tensors) if self._now else None

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Log them."""
        if self._now:
            self._log(run_values.results)
        self._run += 1

    def end(self, session: Any) -> None:
        """Log them once more, if that was asked for."""
        if self._at_end:
            self._log(session.run(self._tensors))

    def _log(self, values: dict[str, Any]) -> None:
        seconds = None
        if self._timer is not None:
            seconds, _ = self._timer.update_last_triggered_step(self._run)
        if self._formatter is not None:
            logs.info(self._formatter(values))
            return
        text = ", ".join(f"{name} = {value}" for name, value in values.items())
        logs.info(text if seconds is None else f"{text} ({seconds:.3f} sec)")


class NanLossDuringTrainingError(RuntimeError):
    """The loss was not a number."""

    def __str__(self) -> str:
        return "NaN loss during training."


class NanTensorHook(SessionRunHook):
    """Looks at a loss after each run: where it is not a number, the loop ends, or an error is raised.

    Args:
        fail_on_nan_loss: whether to raise NanLossDuringTrainingError.
    """

    def __init__(self, loss_tensor: Any, fail_on_nan_loss: bool = True) -> None:
        self._loss_tensor, self._fail_on_nan_loss = loss_tensor, fail_on_nan_loss

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        """Ask for the loss."""
        return SessionRunArgs(self._loss_tensor)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Look at it."""
        if not np.isnan(run_values.results):
            return
        if self._fail_on_nan_loss:
            logs.error("Model diverged with loss = NaN.")
            raise NanLossDuringTrainingError
        logs.warning("Model diverged with loss = NaN.")
        run_context.request_stop()


class FinalOpsHook(SessionRunHook):
    """Computes ``final_ops`` when the loop has ended."""

    def __init__(self, final_ops: Any, final_ops_feed_dict: Any = None) -> None:
        self._final_ops, self._feed = final_ops, final_ops_feed_dict
        self._values: Any = None

    @property
    def final_ops_values(self) -> Any:
        """What was computed; None before that."""
        return self._values

    def end(self, session: Any) -> None:
        """Compute them."""
        if self._final_ops is not None:
            self._values = session.run(self._final_ops, feed_dict=self._feed)


class FeedFnHook(SessionRunHook):
    """Feeds in each run what ``feed_fn()`` gives, a dict."""

    def __init__(self, feed_fn: Callable[[], Mapping[Any, Any]]) -> None:
        self._feed_fn = feed_fn

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        """Ask for nothing, and feed."""
        return SessionRunArgs(fetches=None, feed_dict=self._feed_fn())
