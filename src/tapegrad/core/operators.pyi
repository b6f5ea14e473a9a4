"""Types of the compiled module `tapegrad.core.operators`."""

from tapegrad.core.upward import Above

SLOT_NAMES: tuple[str, ...]
SELDOM: tuple[str, ...]

def fill_above(filled: Above) -> None: ...

class Operation:
    slot: int
    __name__: str
