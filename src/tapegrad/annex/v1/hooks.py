"""``tf.compat.v1.train``: hooks of sessions. Libraries derive classes from them when they are imported."""

from __future__ import annotations

from typing import Any, NamedTuple

from tapegrad.framework.printed import Printed

PUBLIC = {
    "compat.v1.train": "SessionRunArgs SessionRunContext SessionRunHook SessionRunValues",
}


class SessionRunArgs(NamedTuple):
    """What a hook wants to be computed besides."""

    fetches: Any
    feed_dict: Any = None
    options: Any = None


class SessionRunValues(NamedTuple):
    """What was computed for a hook."""

    results: Any
    options: Any
    run_metadata: Any


class SessionRunContext(Printed):
    """What a hook knows of a call of a session's ``run``."""

    def __init__(self, original_args: Any, session: Any) -> None:
        self.original_args, self.session = original_args, session
        self.stop_requested = False

    def request_stop(self) -> None:
        """Ask the loop around the session to end."""
        self.stop_requested = True


class SessionRunHook(Printed):
    """Is called before and after each call of a session's ``run``. A subclass defines what it needs."""

    def begin(self) -> None:
        """Called once, before there is a session."""

    def after_create_session(self, session: Any, coord: Any) -> None:
        """Called when there is a session."""

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs | None:
        """Called before each run; may ask for more to be computed."""

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Called after each run."""

    def end(self, session: Any) -> None:
        """Called once, at the end."""
