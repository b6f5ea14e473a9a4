"""Whether a function can come to its end without the call that runs now."""

from __future__ import annotations

import functools
import itertools
from types import CodeType

__all__ = ["is_unavoidable"]

_ALWAYS = {"JUMP_FORWARD", "JUMP_BACKWARD", "JUMP_BACKWARD_NO_INTERRUPT"}


@functools.lru_cache(maxsize=1024)
def is_unavoidable(code: CodeType, place: int) -> bool:
    """Whether no way through ``code`` reaches a return without the instruction at ``place`` (`f_lasti`).

    Errors are no ways, and a ``for`` around the place has at least one turn.

    >>> import dis
    >>> code = (lambda x: x and len(x)).__code__
    >>> [is_unavoidable(code, each.offset) for each in dis.get_instructions(code)][0]
    True
    >>> calls = [each.offset for each in dis.get_instructions(code) if each.opname == "CALL"]
    >>> is_unavoidable(code, calls[0])
    False
    """
    import dis

    instructions = list(dis.get_instructions(code))
    offsets = [each.offset for each in instructions]
    following = dict(itertools.pairwise(offsets))
    by_offset = {each.offset: each for each in instructions}
    jumps = {*dis.hasjrel, *dis.hasjabs}
    # Within a call of a Python function, f_lasti is somewhere in the instruction.
    place = max([offset for offset in by_offset if offset <= place])
    # Where each of the loops around the place begins -> where the code goes on after it.
    loops = {
        each.offset: each.argval
        for each in instructions
        if each.opname == "FOR_ITER" and each.offset < place < each.argval
    }
    waiting, seen = [instructions[0].offset], {place}
    while waiting:
        offset = waiting.pop()
        if offset in seen:
            continue
        seen.add(offset)
        each = by_offset[offset]
        if each.opname.startswith("RETURN_") and each.opname != "RETURN_GENERATOR":
            return False
        if each.opname in ("RAISE_VARARGS", "RERAISE"):
            continue
        if each.opcode in jumps and offset not in loops:
            back = each.argval in loops and offset > each.argval
            waiting.append(loops[each.argval] if back else each.argval)
        if each.opname not in _ALWAYS:
            waiting.append(following[offset])
    return True
