"""`Function.explain`: what was recorded for each signature, or why the function runs as Python.

`announce` says the same of one call, for `tf.config.experimental.log_recordings`.
"""

from __future__ import annotations

import html
from collections import Counter
from typing import Any

import numpy as np

from tapegrad.core.replay import Program
from tapegrad.core.signatures import Cache
from tapegrad.core.steps import Path, Step
from tapegrad.core.tracebacks import place_of
from tapegrad.dtypes import BY_NUMPY_NUM
from tapegrad.functions.graph_of_recording import ALL_SIZES, graph_of

# What to write instead, by words of the reason.
ADVICE = {
    "reads the values": "Compute with ops, or hand in what Python needs as an argument of its own.",
    "data set": "Take the element outside, and call the function with it.",
    "catches the error": "Ask for what may fail before the op runs, with an op such as tf.where.",
    "made outside of it": "Open the tape inside the function, or take the gradient outside.",
    "branches": "Compute with tf.where, or hand in what Python decides by as an argument.",
    "signatures": "Hand in numbers that change as tensors.",
    "kept elsewhere": "Return it, or keep it in a variable.",
    "before a decision": "Decide first, and then print, write or call.",
    "custom gradient under": "Open the tape inside the function.",
    "the same each time": "Hand in what the Python code decides by as an argument.",
    "another thread": "Compute on the thread that calls the function.",
    "tf.init_scope": "Leave the block before the tensor is used.",
    "is there already": "Return tf.identity of it.",
    "accumulator that was made outside": "Ask the accumulator outside, for what the function returns.",
    "has no hash": "Hand in a tuple, or an object that is compared by what it is.",
}

# What neither a recording nor a graph of TensorFlow's can do, by words of the reason.
BEYOND_GRAPHS = (
    "reads the values",
    "data set",
    "tf.init_scope",
    "tf.summary",
    "a queue",
    "has no hash",
)

_NAMED = 8  # as many guards, cases and variables are shown one by one


class Explanation:
    """What `Function.explain` returns. It prints as text; notebooks show it as a page with graphs."""

    def __init__(self, name: str, cache: Cache) -> None:
        self._name = name
        self._cache = cache

    def _parts(self) -> list[tuple[str, Program | None]]:
        """Pairs of a text and the program that it describes."""
        head = [f"{self._name}()"]
        cache = self._cache
        if cache.reason is not None:
            head.extend(_reason(cache.reason, "  "))
        if cache.unfit is not None:
            head.extend(_reason((cache.unfit, None), "  ", "stays Python for some arguments"))
        for reason in cache.forms_with_reason():
            head.extend(_reason(reason, "  ", "is recorded for each size by itself"))
        programs = cache.values()
        if not programs and len(head) == 1:
            if not cache.traced:
                head.append("  was not called yet.")
            elif any(cache.traced.values()):
                head.append(
                    "  made variables in its first call, and is recorded with the next one."
                )
            else:
                head.append(
                    "  has no recording: it ran inside of another function, or somebody looked on, or an "
                    "object that it was called with is gone."
                )
        parts: list[tuple[str, Program | None]] = [("\n".join(head), None)]
        for program in programs:
            lines = [f"  for ({program.label})" + (", under a tape" if program.taped else "")]
            lines.extend(["    " + line for line in _program(program)])
            parts.append(("\n".join(lines), program))
        return parts

    def __str__(self) -> str:
        return "\n".join([text for text, _ in self._parts()])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        pieces = []
        for text, program in self._parts():
            pieces.append(f"<pre>{html.escape(text)}</pre>")
            if program is not None and program.root is not None:
                pieces.append(
                    f"<details><summary>graph</summary>"
                    f"{graph_of(program, self._name)._repr_svg_()}</details>"
                )
        return "".join(pieces)


def announce(name: str, cache: Cache, token: Any, label: str, missed: Step | None) -> str:
    """One line that says why a call ran as Python.

    Args:
        missed: the guard that made Python run, if there was a recording.
    """
    program = cache.program_of(token)
    reason = cache.reason_for(token)
    if reason is not None:
        return f"{name}() stays Python for ({label}): {reason[0]}{place_of(reason[1])}"
    if program is None:
        return f"{name}() made variables for ({label}), and is recorded with the next call"
    tape = ", under a tape" if program.taped else ""
    if missed is None:
        return f"{name}() was recorded for ({label}){tape}: the first call with such arguments"
    case = f"a new case of {_what(missed)}{place_of(missed.line)}"
    return f"{name}() was recorded again for ({label}){tape}: {case}"


def _program(program: Program) -> list[str]:
    if program.reason is not None:
        return _reason(program.reason, "")
    paths = program.paths()
    steps = [step for path in paths for step in path.steps]
    variables = {id(step.variable): step.variable for step in steps if step.variable is not None}
    constants = len({
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
    if kinds:
        most = ", ".join([f"{name} ({count})" for name, count in kinds.most_common(5)])
        lines.append(f"most often: {most}")
    run = Counter(name for path in paths for name in path.run_names())
    if run:
        lines.append("run:")
    for name, count in run.most_common(_NAMED):
        lines.append(f"  {name}" + (f" ({_count(count, 'time')})" if count > 1 else ""))
    if len(run) > _NAMED:
        lines.append("  ...")
    if program.forward_backward:
        pairs = _count(program.forward_backward.built, "pair")
        lines.append(f"under one tape: {pairs} of recordings, forward and backward")
    if variables:
        names = [str(variable.name) for variable in list(variables.values())[:_NAMED]]
        more = ", ..." if len(variables) > _NAMED else ""
        lines.append(f"uses {_count(len(variables), 'variable')}: {', '.join(names)}{more}")
    if constants:
        lines.append(
            f"has {_count(constants, 'constant')}, numbers and tensors from outside: "
            "a name that is bound to another tensor later is not seen"
        )
    guards = _guards(paths)
    if guards:
        lines.append(
            f"has {_count(len(guards), 'guard')}, where Python or a shape depends on values; "
            "another case runs Python once more:"
        )
        for (where, what), cases in list(guards.items())[:_NAMED]:
            shown = ", ".join(list(cases)[:_NAMED]) + (", ..." if len(cases) > _NAMED else "")
            lines.append(f"  {what}{place_of(where)}")
            lines.append(f"    so far: {shown}")
        if len(guards) > _NAMED:
            lines.append("  ...")
    return lines


def _guards(paths: list[Path]) -> dict[Any, dict[str, None]]:
    """The guards with their recorded cases. Guards of one line with the same condition are merged."""
    guards: dict[Any, dict[str, None]] = {}
    for path in paths:
        for step in path.steps:
            if step.is_guard:
                cases = guards.setdefault((step.line, _what(step)), {})
                if step.is_open:
                    cases[ALL_SIZES] = None
                cases.update(dict.fromkeys([_case(path, step, case) for case in step.cases]))
    return guards


def _what(step: Step) -> str:
    """The condition of a guard, in words."""
    if step.outputs or not step.name.startswith("guard: "):
        return f"the shape that {step.name} gives, or an error"
    how = step.name.removeprefix("guard: ").partition(" is ")[0]
    return (
        f"{how}() of a tensor" if how in ("bool", "int", "float") else f"values of a tensor ({how})"
    )


def _case(path: Path, step: Step, case: Any) -> str:
    """One recorded case of a guard, in words."""
    if step.outputs:
        return " and ".join([str(list(shape)) for shape in case])
    if isinstance(case, bytes):
        place = step.operands[0]
        if place < 0:  # what sizes alone decide
            constant = path.constants[-1 - place]
            number, shape = constant.dtype.numpy_dtype.num, tuple(constant.shape)
        else:
            number, shape = path.info[place]
        dtype = BY_NUMPY_NUM.get(number)
        if dtype is None:
            return f"{len(case)} bytes"
        values = np.frombuffer(case, dtype.numpy_dtype)
        if values.size == np.prod(shape, dtype=int):  # else it is a case of a path with other sizes
            values = values.reshape(shape)
        case = values.tolist()
    text = repr(case)
    return text if len(text) <= 40 else f"{text[:37]}..."


def _reason(reason: Any, indent: str, what: str = "stays Python") -> list[str]:
    text, where = reason
    lines = [f"{indent}{what}: {text}{place_of(where)}"]
    lines.extend([f"{indent}  {advice}" for words, advice in ADVICE.items() if words in text])
    return lines


def _count(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"
