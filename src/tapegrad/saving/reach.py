"""What a saved function does outside its model: it reads the files that it is given, and writes none.

Each op says of its own parameters which of them name files (``files=`` of `ops.op.op`), and of which inputs
its results have their elements (``moves=``).
"""

from __future__ import annotations

from typing import Any

from tapegrad.core import REQUIRED, Op, registry

# Values without text in them, from which no name of a file can be made.
PLAIN = frozenset(["complex", "dtype", "ellipsis", "float", "shape", "size"])
NESTS = frozenset(["slice", "tuple"])


def outside(encoded: Any) -> str | None:
    """The forbidden effect of a recording outside of its model; None if there is none.

    The names of files that it reads are elements of arguments, or assets. A model from elsewhere thus reads
    no file whose name it has brought along, nor one that is named in an asset or made of parts of others.

    Args:
        encoded: a recording in JSON, whose blocks and steps are well-formed.
    """
    slots: list[set[int]] = [
        set() for _ in encoded["blocks"]
    ]  # slots that hold arguments of the function
    slots[0] = set(range(len(encoded["inputs"])))
    for number, block in enumerate(encoded["blocks"]):
        names = slots[number]
        reason = _of_steps(block["steps"], names)
        if reason is not None:
            return reason
        for following in block.get("answers") or ():
            if following is not None:
                slots[following] = set(names)
    return None


def uses_files(encoded: Any) -> bool:
    """Whether a recording has an op that uses files which its inputs name."""
    return any(
        name in op.inputs and use is not None
        for block in encoded["blocks"]
        for step in block["steps"]
        if "op" in step
        for op in [registry[step["op"]]]
        for name, use in op.files.items()
    )


def _of_steps(steps: list[Any], names: set[int]) -> str | None:
    """`outside` for some steps. ``names``, which is changed, holds slots of arguments of the function."""
    for step in steps:
        if "constant" in step:
            constant = step["constant"]
            is_asset = isinstance(constant, dict) and [*constant] == ["asset"]
            (names.add if is_asset else names.discard)(step["slot"])
            continue
        if "expect" in step or "shape" in step or "decides" in step:
            continue
        if "rule" in step:
            gradient = step["gradient"]
            reason = None if isinstance(gradient, str) else _of_steps(gradient["steps"], set(names))
            if reason is not None:
                return reason
            names.difference_update(step["out"])
            continue
        op = registry[step["op"]]
        for name, use in op.files.items():
            reason = None if use is None else _of_file(op, name, use.split(), step, names)
            if reason is not None:
                return reason
        moved = [slot for name in op.moves for slot in _slots(op, name, step)]
        (names.update if moved and names.issuperset(moved) else names.difference_update)(
            step["out"]
        )
    return None


def _slots(op: Op, name: str, step: Any) -> list[int]:
    """The slots of an input, which may be a list of tensors."""
    at = op.inputs.index(name)
    slots: list[int] = step["in"]
    return slots[at:] if op.list_input and at == len(op.inputs) - 1 else slots[at : at + 1]


def _of_file(op: Op, name: str, use: list[str], step: Any, names: set[int]) -> str | None:
    """`outside` for one parameter that names a file."""
    does, *no_files = use
    if name in op.attributes:
        default = op.parameter_defaults[op.attributes.index(name)]
        value = step["attributes"].get(name, None if default is REQUIRED else default)
        if isinstance(value, str) and value in (no_files or [""]):
            return None
        return f"{op.type} {does} a file that its attribute {name} names"
    if does == "writes":
        return f"{op.type} writes a file"
    if not names.issuperset(_slots(op, name, step)):
        return f"{op.type} reads a file whose name is neither an argument nor an asset"
    return None


def is_plain(value: Any) -> bool:
    """Whether a value in JSON holds no text."""
    if value is None or isinstance(value, (bool, int, float)):
        return True
    if isinstance(value, list):
        return all(map(is_plain, value))
    if not isinstance(value, dict) or len(value) != 1:
        return False
    [(word, body)] = value.items()
    return word in PLAIN or (word in NESTS and is_plain(body))
