# Written by tools/write_names.py from the PUBLIC tables of the modules.
# ruff: noqa
# fmt: off

from tapegrad.framework.names import get_current_name_scope as _get_current_name_scope
from tapegrad.internal.composite import CompositeTensor as CompositeTensor
from tapegrad.internal.hooks import is_tfrt_enabled as is_tfrt_enabled
from tapegrad.internal.hooks import register_call_context_function as register_call_context_function
from tapegrad.internal.hooks import register_clear_session_function as register_clear_session_function
from tapegrad.internal.hooks import register_get_session_function as register_get_session_function
from tapegrad.internal.hooks import register_load_model_function as register_load_model_function
from tapegrad.internal.legacy_keras import load_context as load_context
from tapegrad.symbolic.graphs import FuncGraph as FuncGraph
from tapegrad.symbolic.tensors import EagerTensor as EagerTensor
from tapegrad.symbolic.tensors import SymbolicTensor as SymbolicTensor
from tapegrad.__internal__ import autograph as autograph
from tapegrad.__internal__ import decorator as decorator
from tapegrad.__internal__ import dispatch as dispatch
from tapegrad.__internal__ import distribute as distribute
from tapegrad.__internal__ import eager_context as eager_context
from tapegrad.__internal__ import feature_column as feature_column
from tapegrad.__internal__ import mixed_precision as mixed_precision
from tapegrad.__internal__ import monitoring as monitoring
from tapegrad.__internal__ import nest as nest
from tapegrad.__internal__ import ops as ops
from tapegrad.__internal__ import saved_model as saved_model
from tapegrad.__internal__ import smart_cond as smart_cond
from tapegrad.__internal__ import tf2 as tf2
from tapegrad.__internal__ import tracking as tracking
from tapegrad.__internal__ import train as train
from tapegrad.__internal__ import types as types

get_name_scope = _get_current_name_scope
