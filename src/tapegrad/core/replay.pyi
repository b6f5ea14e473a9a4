from typing import Any

from tapegrad.core.steps import Path, Step

MISS: object

class Program:
    root: Path | None
    reason: tuple[str, tuple[str, int, str] | None] | None
    branches: int
    futile: int
    replays: int
    times: list[tuple[Step, Path, float]] | None
    taped: bool
    label: Any
    forward_backward: Any
    inputs: int
    streams: Any
    missed: Any
    def compile(self) -> None: ...
    def paths(self) -> list[Path]: ...
    def run_steps(self) -> int: ...
