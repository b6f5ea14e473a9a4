"""Types of the compiled module `tapegrad.engines.numpy.blocks`."""

from typing import Any

import numpy as np

class Block:
    shape: tuple[int, ...]
    sources: int
    outputs: int
    registers: int
    length: int
    reductions: int
    joined: int
    def __init__(
        self,
        shape: tuple[int, ...],
        sources: int,
        steps: list[Any],
        results: list[int],
        descrs: list[Any],
        reductions: list[tuple[int, int, int, tuple[int, ...]]] = ...,
        written: dict[int, set[int]] = ...,
    ) -> None: ...
    def __call__(
        self, *arrays: np.ndarray[Any, Any], by_steps: bool = False
    ) -> list[np.ndarray[Any, Any]]: ...
