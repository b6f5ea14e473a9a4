"""How the copies of a variable on several devices are kept alike. Variables keep these choices."""

from __future__ import annotations

import enum

PUBLIC = {
    ".": "VariableAggregation=VariableAggregationV2",
    ". compat.v1": "VariableSynchronization",
}


class VariableSynchronization(enum.Enum):
    """When the copies of a variable on several devices are synchronised. It has no effect."""

    AUTO = 0
    NONE = 1
    ON_WRITE = 2
    ON_READ = 3


class VariableAggregation(enum.Enum):
    """How the copies of a variable on several devices are combined. Variables keep it; it has no effect.

    `Variable.aggregation` has this class. As in TensorFlow, `tf.VariableAggregation` is another class, whose
    members are equal to these.
    """

    NONE = 0
    SUM = 1
    MEAN = 2
    ONLY_FIRST_REPLICA = 3

    def __eq__(self, other: object) -> bool:
        both = (VariableAggregation, VariableAggregationV2)
        return isinstance(other, both) and self.value == other.value

    def __hash__(self) -> int:
        return hash(self.value)


class VariableAggregationV2(enum.Enum):
    """`tf.VariableAggregation`: see `VariableAggregation`."""

    NONE = 0
    SUM = 1
    MEAN = 2
    ONLY_FIRST_REPLICA = 3

    def __eq__(self, other: object) -> bool:
        return VariableAggregation(self.value) == other

    def __hash__(self) -> int:
        return hash(self.value)
