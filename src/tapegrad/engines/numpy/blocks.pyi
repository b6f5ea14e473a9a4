from typing import Any

class Block:
    shape: tuple[int, ...]
    sources: int
    outputs: int
    registers: int
    length: int
    def __init__(
        self,
        shape: tuple[int, ...],
        sources: int,
        steps: list[Any],
        results: list[int],
        descrs: list[Any],
    ) -> None: ...
