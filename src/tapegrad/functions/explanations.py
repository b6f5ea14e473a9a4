"""`Function.explain`: what was recorded for each signature, or why the function runs as Python."""

from __future__ import annotations

import html
import linecache
import os
from collections import Counter
from typing import Any

from tapegrad.core.recorder import Step
from tapegrad.core.replay import Cache, Program

__all__ = ["Explanation", "place_of"]

# What to write instead, by words of the reason.
ADVICE = {
    "reads the values": "Compute with ops, or hand in what Python needs as an argument of its own.",
    "data set": "Take the element outside, and call the function with it.",
    "catches the error": "Ask for what may fail before the op runs, with an op such as tf.where.",
    "made outside of it": "Open the tape inside the function, or take the gradient outside.",
    "branches": "Compute with tf.where, or hand in what Python decides by as an argument.",
    "signatures": "Hand in numbers that change as tensors.",
    "kept elsewhere": "Return it, or keep it in a variable.",
    "makes variables": "Make variables once, outside or on the first call.",
    "before a decision": "Decide first, and then print, write or call.",
    "custom gradient under": "Open the tape inside the function.",
    "the same each time": "Hand in what the Python code decides by as an argument.",
}

_NAMED = 8  # as many guards are shown one by one


class Explanation:
    """What `Function.explain` returns. It prints as text, and notebooks show it as a page."""

    def __init__(self, name: str, cache: Cache) -> None:
        self._name = name
        self._cache = cache

    def __str__(self) -> str:
        lines = [f"{self._name}()"]
        if self._cache.reason is not None:
            lines.extend(_reason(self._cache.reason, "  "))
        for program in self._cache.values():
            lines.append(f"  for ({program.label})" + (", under a tape" if program.taped else ""))
            lines.extend(["    " + line for line in _program(program)])
        if len(lines) == 1:
            lines.append("  was not called yet, or is recorded with its next call.")
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(str(self))}</pre>"


def _program(program: Program) -> list[str]:
    if program.reason is not None:
        return _reason(program.reason, "")
    paths = program.paths()
    steps = [step for path in paths for step in path.steps]
    guards = [step for step in steps if step.is_guard]
    variables = {id(step.variable): step.variable for step in steps if step.variable is not None}
    outside = len({
        id(value)
        for path in paths
        for value in path.constants
        if type(value).__name__ == "EagerTensor"
    })  # fmt: skip
    lines = [
        f"recorded: {_count(len(steps), 'step')}, of which {program.run_steps()} run; "
        f"replayed {_count(program.replays, 'time')}"
    ]
    kinds = Counter(step.name.partition(":")[0] for step in steps)
    lines.append(
        "most often: " + ", ".join([f"{name} ({count})" for name, count in kinds.most_common(5)])
    )
    run = Counter(name for path in paths for name in path.run_names())
    lines.append("run:")
    for name, count in run.most_common(_NAMED):
        lines.append(f"  {name}" + (f" ({_count(count, 'time')})" if count > 1 else ""))
    if len(run) > _NAMED:
        lines.append("  ...")
    if program.pair:
        lines.append(
            f"under one tape: {_count(program.pair.built, 'pair')} of recordings, forward and backward"
        )
    if variables:
        names = ", ".join([str(variable.name) for variable in list(variables.values())[:_NAMED]])
        lines.append(
            f"uses {_count(len(variables), 'variable')}: {names}{', ...' if len(variables) > _NAMED else ''}"
        )
    if outside:
        lines.append(
            f"has {_count(outside, 'tensor')} that no argument changes: a name that is bound anew is not seen"
        )
    if guards:
        lines.append(
            f"has {_count(len(guards), 'guard')}, where Python or a shape depends on values:"
        )
        for step in guards[:_NAMED]:
            lines.append(f"  {_guard(step)}")
        if len(guards) > _NAMED:
            lines.append("  ...")
    return lines


def _guard(step: Step) -> str:
    seen = 1 + len(step.branches)
    what = step.name.removeprefix("guard: ")
    if not step.name.startswith("guard: "):
        what = f"the shape that {what} gives, or an error"
    return f"{what}, {_count(seen, 'case')} so far{place_of(step.line)}"


def _reason(reason: Any, indent: str) -> list[str]:
    text, where = reason
    lines = [f"{indent}stays Python: {text}{place_of(where)}"]
    lines.extend([f"{indent}  {advice}" for words, advice in ADVICE.items() if words in text])
    return lines


def place_of(where: Any) -> str:
    """A line of the user's code, as a part of a sentence."""
    if where is None:
        return ""
    file, number, function = where
    source = linecache.getline(file, number).strip()
    return f", in {function} ({os.path.basename(file)}:{number})" + (
        f": {source}" if source else ""
    )


def _count(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"
