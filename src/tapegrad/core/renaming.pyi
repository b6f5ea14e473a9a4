"""Types of the compiled module `tapegrad.core.renaming`."""

from collections.abc import Callable
from typing import Any

from tapegrad.core.function import Function

Plan = tuple[tuple[str, ...], tuple[int, ...], tuple[Any, ...]]

class Renamed(Function):
    def __init__(
        self,
        function: Callable[..., Any],
        plan_of: Callable[[tuple[str, ...]], Plan],
        results: Any = None,
    ) -> None: ...
    def __call__(self, **arguments: Any) -> Any: ...
