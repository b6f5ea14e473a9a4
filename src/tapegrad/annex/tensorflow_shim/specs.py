"""The registry of type specs by name: ``tensorflow.python.framework.type_spec_registry``."""

from __future__ import annotations

from tapegrad.framework.indexed_slices import IndexedSlicesSpec
from tapegrad.framework.spec import TensorSpec
from tapegrad.framework.spec_names import (
    _NAME_TO_TYPE_SPEC,
    _TYPE_SPEC_TO_NAME,
    get_name,
    lookup,
    register,
)
from tapegrad.ops.sparse.sparse_tensor import SparseTensorSpec
from tapegrad.ragged.spec import RaggedTensorSpec

__all__ = [
    "_NAME_TO_TYPE_SPEC",
    "_TYPE_SPEC_TO_NAME",
    "get_name",
    "lookup",
    "register",
]

register("tf.TensorSpec")(TensorSpec)
register("tf.RaggedTensorSpec")(RaggedTensorSpec)
register("tf.SparseTensorSpec")(SparseTensorSpec)
register("tf.IndexedSlicesSpec")(IndexedSlicesSpec)
