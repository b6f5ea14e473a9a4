"""Losses that Keras's layers keep from one call to the next: of `add_loss` and activity regularizers.

A layer lets go of them when it is called again. A replay calls no layer, so those of the recorded call would
stay, and be taken for those of a later one. TensorFlow has tensors without values there.
"""

from __future__ import annotations

import gc
import sys
from typing import Any

from tapegrad.core.recorder import Recorder


def forget_losses(recorder: Recorder, results: list[Any]) -> None:
    """Let Keras's layers forget the losses that the call has given them, which is recorded now."""
    if "keras" not in sys.modules:
        return
    for tensor in recorder.kept_elsewhere(results):
        for holder in gc.get_referrers(tensor):
            if isinstance(holder, list):
                for layer in _owners(holder):
                    if getattr(layer, "_losses", None) is holder:
                        layer._clear_losses()


def _owners(holder: list[Any]) -> list[Any]:
    """The objects that have ``holder`` as an attribute."""
    owners = []
    for referrer in gc.get_referrers(holder):
        if hasattr(referrer, "_clear_losses"):
            owners.append(referrer)
        elif type(referrer) is dict and "_loss_ids" in referrer:
            owners += [
                each for each in gc.get_referrers(referrer) if hasattr(each, "_clear_losses")
            ]
    return owners
