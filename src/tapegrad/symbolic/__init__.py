"""Shapes and dtypes without values: what a program would give, asked before there is any data.

``worlds``      what is unknown as an abstract array, and what it is taken to be where that does not do
``tensors``     ``SymbolicTensor``, which stands for it
``nests``       nests that hold such tensors
``inference``   what a call gives, without elements wherever that tells it
``tracing``     what is known of the tensors of a function or a graph
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
