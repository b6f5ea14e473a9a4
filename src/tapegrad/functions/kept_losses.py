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
    kept = {id(tensor): tensor for tensor in recorder.kept_elsewhere(results)}
    if not kept:
        return
    # One walk over all objects: to ask who refers to the tensors takes as many as there are tensors.
    are_layers: dict[type, bool] = {}
    for held in gc.get_objects():
        kind = type(held)
        if kind not in are_layers:
            are_layers[kind] = hasattr(kind, "_clear_losses")
        losses = getattr(held, "_losses", None) if are_layers[kind] else None
        if losses and isinstance(losses, list):
            losses[:] = [_gone(loss) if id(loss) in kept else loss for loss in losses]


def _gone(loss: Any) -> EagerTensor:
    return EagerTensor(OutOfScope(loss._array.shape, loss._array.dtype))
