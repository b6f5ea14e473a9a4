"""Slots in checkpoints: variables that an optimizer keeps for each variable that it changes.

They are parts of no object. The file says of an optimizer which slots it has for which variables.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from itertools import count
from typing import Any

import numpy as np

from tapegrad.core import EagerTensor, VariableBase
from tapegrad.framework.names import init_scope
from tapegrad.framework.printed import Printed
from tapegrad.framework.shape import TensorShape
from tapegrad.saving.objects import variable_in

PUBLIC = {"__internal__.tracking": "CheckpointInitialValueCallable"}

_uids = count(1)


def slots_of(optimizer: Any, objects: Sequence[Any]) -> Iterator[tuple[str, int, Any]]:
    """The slots of ``optimizer``: the name, the place of the variable among ``objects``, and the slot."""
    if not hasattr(type(optimizer), "get_slot_names"):
        return
    for name in optimizer.get_slot_names():
        for place, variable in enumerate(objects):
            if not isinstance(variable, VariableBase):
                continue
            try:
                slot = variable_in(optimizer.get_slot(variable, name))
            except (AttributeError, KeyError):
                continue  # as TensorFlow: the optimizer has no slot of this name for it
            if slot is not None:
                yield name, place, slot


class SlotsToRestore:
    """Which slots a file has, for an optimizer and a variable that may appear in either order."""

    def __init__(
        self, nodes: Sequence[Any], meet: Callable[[Any, int], None], arrays: dict[str, Any]
    ) -> None:
        self._meet, self._nodes, self._arrays = meet, nodes, arrays
        # Number of an optimizer or of a variable -> (optimizer, variable, name, slot).
        self._of: dict[int, list[tuple[int, int, str, int]]] = defaultdict(list)
        for optimizer, node in enumerate(nodes):
            for variable, name, slot in node.get("slots", ()):
                for number in {optimizer, variable}:
                    self._of[number].append((optimizer, variable, name, slot))

    def met(self, number: int, objects: dict[int, Any]) -> None:
        """Restore the slots for which the object ``number`` was missing. ``objects`` has the others."""
        for optimizer_number, variable_number, name, slot in self._of.get(number, ()):
            optimizer: Any = objects.get(optimizer_number)
            variable = objects.get(variable_number)
            if variable is None or not hasattr(optimizer, "_create_or_restore_slot_variable"):
                continue
            position = SlotPosition(self._meet, slot, self._nodes[slot], self._arrays)
            # None from an optimizer that makes the slot later. It restores the slot then.
            created_slot = optimizer._create_or_restore_slot_variable(
                slot_variable_position=position, slot_name=name, variable=variable
            )
            if created_slot is not None:
                position.restore(created_slot)


class SlotPosition:
    """A slot in a file, as optimizers are told of it. They restore it at once, or once they have the slot."""

    def __init__(
        self,
        meet: Callable[[Any, int], None],
        number: int,
        node: dict[str, Any],
        arrays: dict[str, Any],
    ) -> None:
        self._meet, self._number = meet, number
        self._arrays = [arrays[key] for key in node["tensors"].values()]
        self._simple = not node["children"] and len(self._arrays) == 1
        self.restore_uid = next(_uids)

    def is_simple_variable(self) -> bool:
        """Whether it is a variable with a value, and nothing more."""
        return self._simple

    def value(self) -> EagerTensor:
        """The value in the file."""
        return EagerTensor(np.array(self._arrays[0]))

    def value_shape(self) -> TensorShape:
        """The shape of that value."""
        return TensorShape(self._arrays[0].shape)

    def restore(self, trackable: Any, reader: Any = None) -> None:
        """Give a slot the value in the file."""
        # Not undone where a function makes the slot in its first call, which is repeated.
        with init_scope():
            self._meet(trackable, self._number)


class CheckpointInitialValueCallable(Printed):
    """An initializer with the value that a checkpoint has for a slot of an optimizer.

    Args:
        checkpoint_position: the slot in the file.
    """

    def __init__(self, checkpoint_position: SlotPosition) -> None:
        self.checkpoint_position = checkpoint_position

    def __call__(self, shape: Any = None, dtype: Any = None, shard_info: Any = None) -> EagerTensor:
        return self.checkpoint_position.value()
