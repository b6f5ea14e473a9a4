"""Types of the compiled module `tapegrad.core.gradients`."""

from collections.abc import Callable
from typing import Any

class Misfit:
    value: Any
    origin: str
    def __init__(self, value: Any, origin: str) -> None: ...

def fitted(gradient: Any, like: Any, origin: Callable[[], str]) -> Any: ...
