"""Types of the compiled module `tapegrad.core.compositions`."""

from collections.abc import Callable
from typing import Any, TypeVar

from tapegrad.core.function import Function as PublicFunction

Function = TypeVar("Function", bound=Callable[..., Any])
Kind = TypeVar("Kind", bound=type)

def composition(function: Function) -> Function: ...
def replay_composite(kind: Kind) -> Kind: ...
def replay_after(calls: int) -> int: ...

class Composition(PublicFunction):
    def replays(self) -> int: ...
    def signatures(self) -> list[bool]: ...
