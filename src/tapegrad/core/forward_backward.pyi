"""Types of the compiled module `tapegrad.core.forward_backward`."""

from typing import Any

from tapegrad.core.replay import Program
from tapegrad.core.tensor import EagerTensor

class ForwardBackward:
    def __call__(self, inputs: list[EagerTensor]) -> Any: ...
    @property
    def built(self) -> int: ...

def forward_backward_of(program: Program) -> ForwardBackward | None: ...
