"""NaN and infinity in words: where in a result, of which inputs, and what to write instead.

`framework.check_numerics` raises with these words, and `GradientTape.first_nan` returns them. The remedies
for known patterns stand in the definitions of the ops: ``check_numerics=`` of `tapegrad.ops.op`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tapegrad import core, dtypes
from tapegrad.core import EagerTensor, Op
from tapegrad.core.tracebacks import Line, place_of


@dataclass(frozen=True)
class NonFinite:
    """One result that is not finite, described at the first place where it is not.

    Attributes:
        op: the name of the op whose result it is.
        output: the number of the result, and ``outputs`` how many results there are.
        dtype, shape: of the result.
        counts: how many elements are NaN, +Inf and -Inf.
        index: the first place.
        value: the element there.
        inputs: the inputs as text.
        values: the elements of the inputs at that place, by name, if the op is elementwise.
        came_in: the name of an input that was not finite before the op; "" if all were finite.
        remedy: what to write instead; "" where that is not known.
        where: the line of the program that called the op, or the op whose gradient it is.
        gradient_of: in a walk over a tape the op whose gradient it is; else "".
    """

    op: str
    output: int
    outputs: int
    dtype: str
    shape: tuple[int, ...]
    counts: dict[str, int]
    index: tuple[int, ...]
    value: Any
    inputs: tuple[str, ...]
    values: dict[str, Any]
    came_in: str
    remedy: str
    where: Line | None = None
    gradient_of: str = ""

    def lines(self) -> list[str]:
        """What there is to say, a fact a line."""
        counts = ", ".join([f"{times} {kind}" for kind, times in self.counts.items() if times])
        place = f"at {list(self.index)}: " if self.index else ""
        values = ", ".join([f"{name} = {value!s}" for name, value in self.values.items()])
        lines = [
            f'Infinity or NaN in output {self.output} of the op "{self.op}" '
            f"({self.outputs} output{'s' * (self.outputs != 1)} in all)",
            f"  dtype: {self.dtype}, shape: {self.shape}, elements: {counts} of {math.prod(self.shape)}",
            f"  {place}{self.value!s}" + (f", where {values}" if values else ""),
            *[f"  input {number}: {text}" for number, text in enumerate(self.inputs)],
        ]
        called = place_of(self.where).removeprefix(", ")
        if self.gradient_of:
            lines.append(
                f'  This is the gradient of the op "{self.gradient_of}"'
                + (f", called {called}" if called else "")
            )
        elif called:
            lines.append(f"  called {called}")
        if self.remedy:
            lines.append(f"  {self.remedy}")
        return lines

    def in_gradient_of(self, name: str, where: Line | None) -> NonFinite:
        """The same, of a rule of the op ``name``, which the program called at ``where``."""
        forward, own = core.registry.get(name), core.registry[self.op]
        remedy = _remedies(forward).get("gradient", "") if forward is not None else ""
        if not remedy and self.remedy not in _remedies(own).values():
            remedy = self.remedy
        return replace(self, gradient_of=name, where=where, remedy=remedy)


def is_finite(tensor: EagerTensor) -> bool:
    """Whether the tensor holds neither NaN nor infinity. Complex numbers are not looked at."""
    return not tensor.dtype.is_floating or bool(
        np.isfinite(core.static_value(tensor, "check numerics")).all()
    )


def describe(
    op: Op, inputs: list[EagerTensor], outputs: list[EagerTensor], where: Line | None
) -> NonFinite | None:
    """The first of ``outputs`` that holds NaN or infinity; None if all are finite."""
    for number, output in enumerate(outputs):
        if not is_finite(output):
            return _describe(op, inputs, number, outputs, where)
    return None


def _describe(
    op: Op,
    inputs: list[EagerTensor],
    number: int,
    outputs: list[EagerTensor],
    where: Line | None,
) -> NonFinite:
    dtype, array = outputs[number].dtype, core.static_value(outputs[number], "check numerics")
    numbers = array.astype(np.float64)
    counts = {
        "-Inf": int(np.count_nonzero(np.isneginf(numbers))),
        "+Inf": int(np.count_nonzero(np.isposinf(numbers))),
        "NaN": int(np.count_nonzero(np.isnan(numbers))),
    }
    first = np.unravel_index(int(np.argmin(np.isfinite(numbers))), array.shape)
    index = tuple([int(i) for i in first])
    kind = "NaN" if np.isnan(numbers[index]) else "+Inf" if numbers[index] > 0 else "-Inf"
    names = _names(op, len(inputs))
    used = [core.static_value(tensor, "check numerics") for tensor in inputs]
    if op.elementwise:
        used = [np.broadcast_to(own, array.shape)[index] for own in used]
    came_in = [
        name
        for name, tensor, own in zip(names, inputs, used, strict=True)
        if tensor.dtype.is_floating and not np.isfinite(own).all()
    ]
    if came_in:
        remedy = f"It came in: {came_in[0]} was not finite before."
    else:
        remedy = _remedies(op).get(kind) or _of_overflow(kind, dtype)
    return NonFinite(
        op=op.type,
        output=number,
        outputs=len(outputs),
        dtype=dtype.name,
        shape=array.shape,
        counts=counts,
        index=index,
        value=array[index],
        inputs=tuple([str(tensor) for tensor in inputs]),
        values=dict(zip(names, used, strict=True)) if op.elementwise else {},
        came_in=came_in[0] if came_in else "",
        remedy=remedy,
        where=where,
    )


def _names(op: Op, count: int) -> list[str]:
    """The names of the inputs of a call. Those of a list are numbered."""
    names = list(op.inputs)
    if op.list_input:
        last = names.pop()
        names += [f"{last}[{i}]" for i in range(count - len(names))]
    return names


def _remedies(op: Op) -> Mapping[str, str]:
    return {} if isinstance(op.check_numerics, bool) else op.check_numerics


def _of_overflow(kind: str, dtype: dtypes.DType) -> str:
    if kind == "NaN":
        return ""
    wider = {"float64": "", "float16": ", or compute in float32"}
    return (
        f"{dtype.name} ends at {float(dtype.max):.3g}: scale the inputs"
        f"{wider.get(dtype.name, ', or compute in float64')}."
    )
