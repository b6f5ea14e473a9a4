"""Types of the compiled module `tapegrad.core.operators`."""

from tapegrad.core.callbacks import Callbacks

SLOT_NAMES: tuple[str, ...]
SELDOM: tuple[str, ...]

def fill_callbacks(filled: Callbacks) -> None: ...

class Operation:
    slot: int
    __name__: str
