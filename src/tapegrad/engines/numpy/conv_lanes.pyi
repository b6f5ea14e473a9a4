"""Types of the compiled module `tapegrad.engines.numpy.conv_lanes`."""

from typing import Any

from tapegrad.engines.numpy.lanes import Lane

Ints = tuple[int, ...]

LANES: dict[str, Lane]

def remember(
    kind: str,
    first: Ints,
    second: Ints,
    attributes: tuple[Any, ...],
    shape: Ints | None,
    steps: tuple[Ints, ...],
) -> None: ...
