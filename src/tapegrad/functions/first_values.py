"""The values that variables had before a call of a function, which is undone."""

from __future__ import annotations

from typing import Any

from tapegrad import core
from tapegrad.core import EagerTensor
from tapegrad.framework import calls


class FirstValues(core.Observer):
    """Keeps the values that variables had when they were first read.

    ``of_call``: for one call of a function. Assignments in a `tf.init_scope` then count as made before the
    call, as in TensorFlow, so that new variables keep the values of a checkpoint.
    """

    takes_more = True  # undoing a change that another observer undoes too does no harm

    def __init__(self, of_call: bool = False) -> None:
        self.of_call = of_call
        self.met: dict[int, tuple[Any, EagerTensor]] = {}
        self.watches = False

    def start(self) -> None:
        super().start()
        core.open_watch(1)  # so that assignments are reported before they happen
        self.watches = True

    def stop(self) -> None:
        super().stop()
        if self.watches:
            self.watches = False
            core.open_watch(-1)

    def variable_read(self, variable: Any, snapshot: EagerTensor) -> None:
        if self.of_call and calls.current() is None:
            known = self.met.get(variable._unique_id)
            if known is not None and known[1] is snapshot:
                del self.met[variable._unique_id]
            return
        self.met.setdefault(variable._unique_id, (variable, snapshot))

    def put_back(self) -> None:
        """Give the variables these values again."""
        for variable, snapshot in self.met.values():
            if variable._snapshot is not snapshot:
                variable._assign(snapshot)
        self.met.clear()
