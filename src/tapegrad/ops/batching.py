"""Batching rules: how an op runs over all items of a batch at once.

A batching rule gets a call on arrays with one axis more than the op expects, and makes one call of it:

    reshape.batching(lambda items, tensor, shape: items.run(tensor, shape=(items.size, *shape)))

``items`` is a `core.batching.Items`; after it come the inputs and the attributes of the op, in their order. A
batched input has the items along its first axis. An input that is the same for all items has no such axis:
``items.batched`` says which inputs are batched, and ``items.spread(x, 0)`` repeats input 0 for all items.
``items.run`` runs the op itself, with other attributes where they are named; ``items.call`` runs another op.
The result, or each of several, has the items along its first axis. `Same` marks results that have none. A rule
that gives None leaves the call to the loop over the items, which every op without a rule gets.

Inside of a rule are arrays, not tensors, and nobody observes what it does. They may be batched themselves, in an
outer batch. So a rule changes shapes by the methods ``reshape``, ``transpose`` and ``[...]`` and by the functions
below, and computes by ops.
"""

from __future__ import annotations

from tapegrad.core.batching import ELEMENTWISE, Items, Same, broadcast_to
from tapegrad.framework import logging

__all__ = ["ELEMENTWISE", "Items", "Same", "broadcast_to"]


def note_loop(op_type: str) -> None:
    """Say, once for each op, that it runs item by item."""
    logging.warn_first_n(
        f"Using a loop over the items of the batch for {op_type}, which has no batching rule for these "
        "inputs: this is right, and slow.",
        1,
    )
