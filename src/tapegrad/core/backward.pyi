"""Types of the compiled module `tapegrad.core.backward`."""

from collections.abc import Callable
from typing import Any

from tapegrad.core.tape import Tape
from tapegrad.core.tensor import EagerTensor

def compute_gradient(
    tape: Tape,
    targets: list[EagerTensor],
    sources: list[Any],
    seeds: list[Any],
    release: bool,
    finished: Callable[[int, Any], None] | None = None,
    late: tuple[int, ...] = (),
    put_off_bytes: int = 0,
) -> list[Any]: ...
def ids_of(tape: Tape, source: Any) -> list[int]: ...
def has_transpose(tape: Tape, target: EagerTensor, sources: list[Any]) -> bool: ...
