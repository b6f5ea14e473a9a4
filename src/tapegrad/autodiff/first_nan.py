"""`GradientTape.first_nan`: the first op that made NaN or infinity of finite numbers, after the fact.

A tape keeps what rules ask for. From that, and from the target and the sources, the results of the other ops
are computed again in the order of the program, as far as inputs and attributes are known. If all results are
finite, the walk back is done once more, and every op of a rule is looked at.
"""

from __future__ import annotations

import html
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

from tapegrad import core
from tapegrad.autodiff.leaves import array_of, tensors_in
from tapegrad.core import EagerTensor, FiniteWatcher, Op, VariableBase
from tapegrad.core.backward import compute_gradient, ids_of
from tapegrad.core.tracebacks import Line, place_of
from tapegrad.framework.nonfinite import NonFinite, describe, is_finite

PUBLIC = {"autodiff": "FirstNan"}

GONE = (
    "The tape has let go of its records. Ask before gradient() is called, or open the tape with "
    "GradientTape(persistent=True)."
)
FINITE = "The target and its gradients are finite."
UNSEEN = (
    "The target or a gradient is not finite, and the tape keeps too little to say where that began. Call "
    "tf.debugging.enable_check_numerics() and run the program again: it raises at the op."
)
LINES = "To see the line of the op, open the tape with GradientTape(lines=True)."
IN_FUNCTION = (
    "A tape sees the call of a tf.function as one op. To see the ops inside, call "
    "tf.config.run_functions_eagerly(True) and run the program again."
)


class FirstNan:
    """What `GradientTape.first_nan` returns: the op where NaN or infinity began. It prints as text.

    Attributes:
        op: the name of the op that gave it; None if there is none, or if that is not known.
        finite: whether the target and its gradients are finite; None if the tape has let go of its records.
        gradient_of: the op of the program whose gradient it is; None if the program itself gave it.
        where: file, line and function of the program's line; None if the tape has noted no lines.
        index: the first place in the result that is not finite, and `value` what is there.
        values: the inputs at that place, by name, if the op is elementwise.
        remedy: what to write instead; None if that is not known.
    """

    op: str | None = None
    gradient_of: str | None = None
    where: Line | None = None
    index: tuple[int, ...] | None = None
    value: float | None = None
    values: dict[str, float] | None = None
    remedy: str | None = None

    def __init__(self, finite: bool | None, text: str, result: NonFinite | None = None) -> None:
        self.finite = finite
        self._text = text
        if result is not None:
            self.op = result.op
            self.gradient_of = result.gradient_of or None
            self.where = result.where
            self.index = result.index
            self.value = float(result.value)
            self.values = {name: float(value) for name, value in result.values.items()}
            self.remedy = result.remedy or None

    def __str__(self) -> str:
        return self._text

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self._text)}</pre>"


def first_nan(tape: core.Tape | None, targets: list[EagerTensor], sources: list[Any]) -> FirstNan:
    """Where the first number began that is not finite, on the way to ``targets`` and back to ``sources``."""
    if tape is None or not targets:
        return FirstNan(None if targets else True, GONE if targets else FINITE)
    if tape.spent:
        return FirstNan(None, GONE)
    seeds = [None] * len(targets)
    with core.apart():
        gradients = compute_gradient(tape, targets, sources, seeds, False)
    if _are_finite(targets) and _are_finite(gradients):
        return FirstNan(True, FINITE)
    program = _Program(tape, targets, sources)
    result = program.first()
    if result is None:
        watcher = _Watcher()
        with core.apart(), watcher, suppress(_Stop):
            compute_gradient(tape, targets, sources, seeds, False)
        result = watcher.result
    if result is None:
        return FirstNan(False, "\n".join([UNSEEN, *program.hints()]))
    return _answer(tape, result)


def _answer(tape: core.Tape, result: NonFinite) -> FirstNan:
    lines = result.lines()
    if result.where is None and not tape.has_lines:
        lines.append(LINES)
    return FirstNan(False, "\n".join(lines), result)


def _are_finite(tensors: Iterable[Any]) -> bool:
    """Whether no tensor holds NaN or infinity. Of slices the values count, and None is finite."""
    for tensor in tensors:
        tensor = getattr(tensor, "values", tensor)
        if isinstance(tensor, EagerTensor) and not is_finite(tensor):
            return False
    return True


class _Stop(Exception):
    """Ends a walk at the first result that is not finite."""


class _Watcher(FiniteWatcher):
    """Keeps the first result of a walk back that is not finite, and ends the walk there."""

    result: NonFinite | None = None

    def observe(
        self,
        op: Op,
        inputs: list[EagerTensor],
        outputs: list[EagerTensor],
        attributes: tuple[Any, ...],
    ) -> None:
        in_batch = any(array_of(tensor) is None for tensor in [*inputs, *outputs])
        if self.result is None and op.check_numerics is not False and not in_batch:
            self.result = describe(op, inputs, outputs, None)
        if self.result is not None:
            raise _Stop

    def rule_failed(self, name: str, line: Line | None) -> None:
        if self.result is not None and not self.result.gradient_of:
            self.result = self.result.in_gradient_of(name, line)


class _Program:
    """The ops that a tape recorded on the way to the targets, and the values that are known."""

    def __init__(self, tape: core.Tape, targets: list[EagerTensor], sources: list[Any]) -> None:
        self.tape = tape
        self.calls = tape.calls()
        self.contents = tape.contents()
        self.values = {target._id: target for target in targets}
        for source in sources:
            tensor = source._snapshot if isinstance(source, VariableBase) else source
            if tensor._id in ids_of(tape, source):
                self.values[tensor._id] = tensor
        for saved, *_ in self.contents:
            for _, _, value in saved:
                self.values.update({tensor._id: tensor for tensor in tensors_in(value)})
        self.values = {
            name: tensor for name, tensor in self.values.items() if array_of(tensor) is not None
        }
        needed = {target._id for target in targets}
        self.on_the_way: list[int] = []
        for number in range(len(self.calls) - 1, -1, -1):
            _, inputs, results, _, _ = self.calls[number]
            if needed.intersection(results):
                needed.update(inputs)
                self.on_the_way.append(number)
        self.on_the_way.reverse()

    def first(self) -> NonFinite | None:
        """The first result that is not finite."""
        for number in self.on_the_way:
            name, input_ids, result_ids, line, _ = self.calls[number]
            op = core.registry.get(name)
            inputs = [self.values.get(tensor) for tensor in input_ids]
            if op is None or any(tensor is None for tensor in inputs):
                continue
            known = [tensor for tensor in inputs if tensor is not None]
            if not all(tensor in self.values for tensor in result_ids):
                self._compute(op, known, result_ids, self.contents[number][0])
            results = [self.values[tensor] for tensor in result_ids if tensor in self.values]
            if op.check_numerics is not False and len(results) == len(result_ids):
                result = describe(op, known, results, line)
                if result is not None:
                    return result
        return None

    def _compute(
        self,
        op: Op,
        inputs: list[EagerTensor],
        result_ids: tuple[int, ...],
        saved: list[tuple[str, int, Any]],
    ) -> None:
        """The results of a call once more, if its attributes are known and it has no effect."""
        attributes = {
            op.attributes[number]: value for what, number, value in saved if what == "attribute"
        }
        if op.effect is not None or set(op.attributes) - set(attributes):
            return
        with core.apart(tries=True):
            try:
                results = op(*inputs, **attributes)
            except Exception:
                return  # the op takes its attributes in another form: its results stay unknown
        outputs = results if isinstance(results, (list, tuple)) else [results]
        if len(outputs) == len(result_ids):
            for tensor, output in zip(result_ids, outputs, strict=True):
                if array_of(output) is not None:
                    self.values[tensor] = output

    def hints(self) -> list[str]:
        """What else may help where the tape keeps too little."""
        hints = []
        for number in self.on_the_way:
            name, _, results, line, _ = self.calls[number]
            known = [self.values[tensor] for tensor in results if tensor in self.values]
            if not _are_finite(known):
                if name == "_LeaveBatch":
                    name = "a function over a batch"
                hints.append(
                    f"The result of {name} is the first known one that is not finite{place_of(line)}. "
                    "Not all of its inputs are known."
                )
                break
        if any(self.calls[number][0] == "PartitionedCall" for number in self.on_the_way):
            hints.append(IN_FUNCTION)
        return hints
