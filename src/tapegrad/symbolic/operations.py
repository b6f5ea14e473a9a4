"""The ops of a graph: `Operation`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NoReturn

from tapegrad.errors import UnimplementedError, refuse
from tapegrad.symbolic.definitions import node_def
from tapegrad.symbolic.tensors import SymbolicTensor, session_for

PUBLIC = {". compat.v1": "Operation"}


def assigned_by(values: Iterable[Any]) -> str | None:
    """The name of a variable that a run would have to assign for one of these values, or None."""
    for value in values:
        operation = value._operation if isinstance(value, SymbolicTensor) else value
        if isinstance(operation, Operation) and operation.assigns is not None:
            return operation.assigns
    return None


def refuse_to_assign(name: str) -> NoReturn:
    """Raise the error for a run that would have to assign a variable."""
    refuse(
        f"A run is to assign the variable {name!r}: graphs assign no variables here. "
        "Assign it outside of the graph's block.",
        error=UnimplementedError,
    )


class Operation:
    """What a symbolic tensor says of the op that made it: its name and type, and what the op reads."""

    def __init__(
        self, name: str, type: str, graph: Any, read: list[tuple[str, Any]] | None = None
    ) -> None:
        self.name = name
        self.type = type
        self.graph = graph
        self.read = read or []  # names of arguments, and tensors or numbers
        self.outputs: list[Any] = []
        # The variable that a run would have to assign for what the op gives, or before it
        self.assigns: str | None = assigned_by([value for _, value in self.read])

    @property
    def inputs(self) -> tuple[Any, ...]:
        """The tensors without values that the op reads."""
        return tuple([value for _, value in self.read if isinstance(value, SymbolicTensor)])

    def run(self, feed_dict: Any = None, session: Any = None) -> None:
        """Do what the op does, in a session or in the default one."""
        session_for("execute operation using `run()`", session).run(self, feed_dict)

    @property
    def node_def(self) -> Any:
        """The op as a `tf.compat.v1.NodeDef`."""
        return node_def(self)

    def __repr__(self) -> str:
        return f"<tf.Operation {self.name!r} type={self.type}>"
