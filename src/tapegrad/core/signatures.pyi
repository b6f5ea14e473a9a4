from collections.abc import Callable
from typing import Any

from tapegrad.core.recorder import Recorder
from tapegrad.core.replay import Program
from tapegrad.core.tensor import EagerTensor

LONGEST_WAIT: float
MADE_ONCE: str

class Cache:
    reason: tuple[str, tuple[str, int, str] | None] | None
    recorded: int
    traced: dict[Any, bool]
    unfit: str | None
    def __init__(
        self,
        name: str = "",
        unknown_axes: Callable[[tuple[Any, ...], dict[str, Any]], dict[int, list[int]]]
        | None = None,
    ) -> None: ...
    def streams_of(self, args: tuple[Any, ...], kwargs: dict[str, Any], taped: bool) -> Any: ...
    def __len__(self) -> int: ...
    def values(self) -> list[Program]: ...
    def forget(self) -> None: ...
    def forms_with_reason(self) -> list[tuple[str, tuple[str, int, str] | None]]: ...
    def reason_for(self, token: Any) -> tuple[str, tuple[str, int, str] | None] | None: ...
    def program_of(self, token: Any) -> Program | None: ...
    def find(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any: ...
    def begin(
        self,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        rename: Callable[..., Any],
        label: Callable[..., Any],
        counts: bool = True,
        opens: bool = True,
    ) -> tuple[Recorder, tuple[Any, ...], dict[str, Any], Any] | tuple[None, Any] | None: ...
    def is_for_tapes(self) -> bool: ...
    def enter_first(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any: ...
    def leave_first(
        self,
        failed: bool,
        recorder: Recorder,
        before: str | None,
        instance: int,
        objects: list[Any],
    ) -> None: ...
    def abandon(self, token: Any) -> None: ...
    def end(
        self,
        recorder: Recorder,
        token: Any,
        results: list[EagerTensor] | None,
        template: Any,
        label: Any,
    ) -> None: ...
    def close(self, recorder: Recorder) -> None: ...
    def why_unfit(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str | None: ...

def stand_at(where: Any) -> None: ...
