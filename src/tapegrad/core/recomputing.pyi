"""Types of the compiled module `tapegrad.core.recomputing`."""

from tapegrad.core.kinds import Kind, Recomputable
from tapegrad.core.steps import StepListener
from tapegrad.core.tensor import EagerTensor

class LetGo(Recomputable): ...

class Intermediates(StepListener):
    def __init__(self, inputs: list[EagerTensor]) -> None: ...

class LetGoKind(Kind): ...
