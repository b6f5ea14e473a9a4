"""Tables of overrides: what public functions do with composites, such as a `RaggedTensor`.

The overrides for a class of composites stand in one table beside it (``ragged/overrides.py`` for ragged
tensors), which hands them to `core.Function.override`. A call looks for them before the function runs, once
there are any. The table is loaded when a program makes its first such object.
"""

from __future__ import annotations

from importlib import import_module

_loaded: set[str] = set()


def load_overrides(table: str) -> None:
    """Load the module ``table``, which adds the overrides of a class. Its constructor calls this."""
    if table not in _loaded:
        import_module(table)  # other threads wait here until all overrides are there
        _loaded.add(table)
