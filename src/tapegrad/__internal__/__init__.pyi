# Written by tools/write_names.py from the PUBLIC tables of the modules.
# ruff: noqa
# fmt: off

from tapegrad.internal.composite import CompositeTensor as CompositeTensor
from tapegrad.symbolic.graphs import FuncGraph as FuncGraph
from tapegrad.symbolic.tensors import EagerTensor as EagerTensor
from tapegrad.symbolic.tensors import SymbolicTensor as SymbolicTensor
from tapegrad.__internal__ import distribute as distribute
from tapegrad.__internal__ import eager_context as eager_context
from tapegrad.__internal__ import smart_cond as smart_cond
from tapegrad.__internal__ import tf2 as tf2
from tapegrad.__internal__ import tracking as tracking
from tapegrad.__internal__ import types as types
