"""Losses that Keras's layers keep from one call to the next: of `add_loss` and activity regularizers.

A layer lets go of them when it is called again. A replay calls no layer, so those of the recorded call would
stay, and be taken for those of a later one. They get out of scope, as they do in TensorFlow: whoever uses one
outside of the function gets an error.
"""

from __future__ import annotations

import gc
import sys
from typing import Any, NoReturn

import numpy as np

from tapegrad.core import EagerTensor, Kind, register_kind
from tapegrad.core.recorder import Recorder
from tapegrad.dtypes import DType, from_numpy


class OutOfScope:
    """What is left of the array of such a loss."""

    def __init__(self, shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
        self.shape = shape
        self.dtype = dtype


class OutOfScopeKind(Kind):
    """Refuses whatever is done with such an array."""

    def apply(self, op: Any, arrays: list[Any], attributes: tuple[Any, ...]) -> NoReturn:
        _refuse()

    def shape(self, array: OutOfScope) -> tuple[int, ...]:
        return array.shape

    def dtype(self, array: OutOfScope) -> DType:
        return from_numpy(array.dtype)

    def full(self, shape: tuple[int, ...], dtype: DType, value: Any) -> NoReturn:
        _refuse()

    def numpy(self, array: OutOfScope) -> NoReturn:
        _refuse()


register_kind(OutOfScope, OutOfScopeKind())


def _refuse() -> NoReturn:
    raise TypeError(
        "A loss that a layer of Keras has added in a tf.function is out of scope and cannot be used here: a "
        "later call would not make it anew. Add the model's losses in the function, or return them."
    )


def end_scope_of_losses(recorder: Recorder, results: list[Any]) -> None:
    """Let the losses get out of scope that the call has left in Keras's layers. It is recorded now."""
    if "keras" not in sys.modules:
        return
    kept = recorder.kept_elsewhere(results)
    ids = {id(tensor) for tensor in kept}
    for holder in gc.get_referrers(*kept) if kept else ():
        if isinstance(holder, list) and holder is not kept and _is_of_layer(holder):
            holder[:] = [_gone(loss) if id(loss) in ids else loss for loss in holder]


def _gone(loss: Any) -> EagerTensor:
    return EagerTensor(OutOfScope(loss._array.shape, loss._array.dtype))


def _is_of_layer(losses: list[Any]) -> bool:
    """Whether a layer keeps its losses in this list."""
    referrers = gc.get_referrers(losses)
    attributes = [each for each in referrers if type(each) is dict and "_loss_ids" in each]
    objects = [*referrers, *[owner for each in attributes for owner in gc.get_referrers(each)]]
    return any(
        hasattr(type(each), "_clear_losses") and getattr(each, "_losses", None) is losses
        for each in objects
    )
