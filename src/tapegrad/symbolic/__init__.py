"""Shapes and dtypes without values: what a program would give, asked before there is any data.

``worlds``      dummies for what is unknown: zeros in one world, ones and another size in a second one
``tensors``     ``SymbolicTensor``, which stands for both
``inference``   what an op gives, by its shape rule
``tracing``     calls functions in both worlds, and compares
``calls``       what a public function does while a graph is open
``graphs``      `tf.Graph` and `FuncGraph`
``operations``  the ops of a graph
``definitions`` what a graph holds, as messages
``sessions``    runs graphs with values
``programs``    what a function did, to be done again to tensors with values: for data sets
``specs``       what a function gives for specs

Next door, ``tapegrad.framework.spec`` describes tensors, and ``tapegrad.functions`` runs functions on
real ones.
"""

from tapegrad.symbolic.specs import outputs_of
from tapegrad.symbolic.tensors import NeedsValues

__all__ = ["NeedsValues", "outputs_of"]
