from collections.abc import Callable
from typing import Any

from tapegrad.core.recorder import Path, Recorder
from tapegrad.core.tensor import EagerTensor

MISS: object

class Program:
    root: Path | None
    reason: tuple[str, tuple[str, int, str] | None] | None
    branches: int
    futile: int
    replays: int
    taped: bool
    label: Any
    pair: Any
    inputs: int
    streams: Any
    missed: Any
    def compile(self) -> None: ...
    def paths(self) -> list[Path]: ...
    def run_steps(self) -> int: ...

class Cache:
    reason: tuple[str, tuple[str, int, str] | None] | None
    recorded: int
    traced: dict[Any, bool]
    unfit: str | None
    def __init__(self, name: str = "", one_graph: bool = False) -> None: ...
    def streams_of(self, args: tuple[Any, ...], kwargs: dict[str, Any], taped: bool) -> Any: ...
    def __len__(self) -> int: ...
    def values(self) -> list[Program]: ...
    def reason_for(self, token: Any) -> tuple[str, tuple[str, int, str] | None] | None: ...
    def program_of(self, token: Any) -> Program | None: ...
    def find(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any: ...
    def begin(
        self, args: tuple[Any, ...], kwargs: dict[str, Any], rename: Callable[..., Any]
    ) -> tuple[Recorder, tuple[Any, ...], dict[str, Any], Any] | None: ...
    def end(
        self,
        recorder: Recorder,
        token: Any,
        results: list[EagerTensor] | None,
        template: Any,
        label: Any,
    ) -> None: ...
