"""What the items of a map write into as one, undone where the map begins again for fewer items."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tapegrad.core import Batch
from tapegrad.ops.program import tables, variables


def remember(resource: Any) -> Callable[[], None]:
    """A function that gives ``resource`` the value back that it has now.

    It runs ops, so a recording of the map has them too.
    """
    if isinstance(resource, tables.Entries):
        keys, values = _entries(resource)

        def refill() -> None:
            tables.remove.apply([_entries(resource)[0]], (resource,))
            tables.insert.apply([keys, values], (resource,))

        return refill
    value = variables.read.apply([], (resource,))
    return lambda: variables.assign.apply([value], (resource,))


def _entries(table: tables.Entries) -> Any:
    return tables.export.apply([], (table, table.key_dtype, table.value_dtype))


def undo(batch: Batch) -> list[Callable[[], None]]:
    """Give all that was written in ``batch`` its value back. The result are functions that do it again."""
    again = [remember(resource) for resource, _ in batch.written.values()]
    for _, restore in batch.written.values():
        restore()
    return again
