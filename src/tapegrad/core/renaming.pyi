"""Types of the compiled module `tapegrad.core.renaming`."""

from collections.abc import Callable
from typing import Any

Plan = tuple[tuple[str, ...], tuple[int, ...], tuple[Any, ...]]

class Renamed:
    def __init__(
        self,
        function: Callable[..., Any],
        plan_of: Callable[[tuple[str, ...]], Plan],
        results: Any = None,
    ) -> None: ...
    def __call__(self, **arguments: Any) -> Any: ...
