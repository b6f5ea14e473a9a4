"""Types of the compiled module `tapegrad.core.compositions`."""

from collections.abc import Callable
from types import FunctionType
from typing import Any, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])
Kind = TypeVar("Kind", bound=type)

def composition(function: Function) -> Function: ...
def replay_composite(kind: Kind) -> Kind: ...
def replay_after(calls: int) -> int: ...

class Composition:
    __wrapped__: FunctionType
    def replays(self) -> int: ...
    def signatures(self) -> list[bool]: ...
