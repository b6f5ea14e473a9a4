"""Types of the compiled module `tapegrad.core.pairs`."""

from typing import Any

from tapegrad.core.replay import Program
from tapegrad.core.tensor import EagerTensor

class Pair:
    def __call__(self, inputs: list[EagerTensor]) -> Any: ...
    @property
    def built(self) -> int: ...

def pair_for(program: Program) -> Pair | None: ...
