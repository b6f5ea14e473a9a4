"""Classes that TensorFlow has in its own modules, under names that are not public."""

from __future__ import annotations

from tapegrad.core import EagerTensor
from tapegrad.framework.variable import ResourceVariable

__all__ = ["EagerTensor", "ResourceVariable"]
