"""Shapes and dtypes without values: what a program would give, asked before there is any data.

``worlds`` makes dummies for what is unknown: arrays of zeros in one world, of ones and another size in a
second one. ``tensors`` has the tensors that stand for both, ``tracing`` calls functions in both worlds and
compares, ``lifting`` lets the public functions take such tensors, and ``graphs`` has TensorFlow's names for
all this. ``sessions`` runs graphs with values. ``specs`` answers what a function gives for specs. Next door,
``tapegrad.framework.spec`` describes tensors, and ``tapegrad.functions`` runs functions on real ones.
"""

from tapegrad.symbolic.specs import outputs_of
from tapegrad.symbolic.tensors import NeedsValues

__all__ = ["NeedsValues", "outputs_of"]
