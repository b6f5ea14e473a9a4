"""What a saved function does outside its model: it reads the files that it is given, and writes none."""

from __future__ import annotations

from typing import Any

from tapegrad.ops.program.host import STREAMS

__all__ = ["outside"]

READS = frozenset(["MatchingFiles", "ReadFile"])
# Values without text in them, from which no name of a file can be made.
PLAIN = frozenset(["complex", "dtype", "ellipsis", "float", "shape", "size"])
NESTS = frozenset(["slice", "tuple"])


def outside(form: Any) -> str | None:
    """What a recording does outside its model that no saved function may do; None if there is nothing.

    The names of files that it reads are arguments, assets, or made of these alone by ops that have no text of
    their own. A model from elsewhere thus reads no file whose name it has brought along.

    Args:
        form: a recording in JSON, with blocks and steps of the right form.
    """
    given: list[set[int]] = [
        set() for _ in form["blocks"]
    ]  # slots that hold what the function was given
    given[0] = set(range(len(form["inputs"])))
    for number, block in enumerate(form["blocks"]):
        names = given[number]
        reason = _of_steps(block["steps"], names)
        if reason is not None:
            return reason
        for following in block.get("answers") or ():
            if following is not None:
                given[following] = set(names)
    return None


def _of_steps(steps: list[Any], names: set[int]) -> str | None:
    """`outside` for some steps. ``names`` are slots that hold what the function was given: it is changed."""
    for step in steps:
        if "constant" in step:
            constant = step["constant"]
            is_asset = isinstance(constant, dict) and [*constant] == ["asset"]
            (names.add if is_asset else names.discard)(step["slot"])
            continue
        if "expect" in step or "shape" in step:
            continue
        if "rule" in step:
            gradient = step["gradient"]
            reason = None if isinstance(gradient, str) else _of_steps(gradient["steps"], set(names))
            if reason is not None:
                return reason
            names.difference_update(step["out"])
            continue
        op, inputs, attributes = step["op"], step["in"], step["attributes"]
        if op == "WriteFile":
            return "tf.io.write_file writes a file"
        if op == "PrintV2" and attributes.get("output_stream") not in STREAMS:
            return "tf.print writes into a file"
        own = names.issuperset(inputs)
        if op in READS and not own:
            return f"{op} reads a file whose name is neither an argument nor an asset"
        without_text = bool(inputs) and all(map(_is_plain, attributes.values()))
        (names.update if own and without_text else names.difference_update)(step["out"])
    return None


def _is_plain(value: Any) -> bool:
    if value is None or isinstance(value, (bool, int, float)):
        return True
    if isinstance(value, list):
        return all(map(_is_plain, value))
    if not isinstance(value, dict) or len(value) != 1:
        return False
    [(word, body)] = value.items()
    return word in PLAIN or (word in NESTS and _is_plain(body))
