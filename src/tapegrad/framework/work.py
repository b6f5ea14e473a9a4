"""How many arithmetic operations an op does: rules, by `flops_of`, below the definitions of the ops."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from tapegrad import core

Shape = Sequence[int]
# The shapes of the inputs, and that of the first result.
Rule = Callable[[Sequence[Shape], Shape], float]

_rules: dict[str, Rule] = {}


def flops_of(*ops: core.Op) -> Callable[[Rule], Rule]:
    """A decorator for the rule of these ops."""

    def note(rule: Rule) -> Rule:
        _rules.update(dict.fromkeys([op.type for op in ops], rule))
        return rule

    return note


def flops(op: str, inputs: Sequence[Shape], results: Sequence[Shape]) -> float:
    """The operations of one call. An op without a rule does one for each element of the largest tensor."""
    if op in _rules and results:
        return _rules[op](inputs, results[0])
    return max([math.prod(shape) for shape in (*inputs, *results)], default=0)
