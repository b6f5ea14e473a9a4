"""Types of the compiled module `tapegrad.core.binding`."""

from collections.abc import Callable
from typing import Any, TypeVar

Convert = TypeVar("Convert", bound=Callable[[Any], Any])

REQUIRED: object

def quick_ints(slow: Convert) -> Convert: ...
def quick_pairs(slow: Convert) -> Convert: ...
def quick_sizes(slow: Convert) -> Convert: ...
