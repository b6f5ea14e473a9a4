"""The ops behind variables, named as in ``tf.raw_ops``: they take a ``handle`` and read or write its owner.

Objects that act as variables without being ``tf.Variable`` are read this way.
"""

from __future__ import annotations

from typing import Any

from tapegrad.core import convert
from tapegrad.framework.handle import variable_of
from tapegrad.framework.indexed_slices import IndexedSlices
from tapegrad.ops.indexing.gather import gather, gather_nd
from tapegrad.ops.indexing.getitem import strided_index
from tapegrad.ops.shape.shapes import shape


def read_variable(resource, dtype, name=None):
    return variable_of("ReadVariableOp", resource).value()


def assign_variable(resource, value, validate_shape=False, name=None):
    variable_of("AssignVariableOp", resource).assign(value, read_value=False)


def assign_add_variable(resource, value, name=None):
    variable_of("AssignAddVariableOp", resource).assign_add(value, read_value=False)


def assign_sub_variable(resource, value, name=None):
    variable_of("AssignSubVariableOp", resource).assign_sub(value, read_value=False)


def resource_gather(resource, indices, dtype, batch_dims=0, validate_indices=True, name=None):
    return gather(
        variable_of("ResourceGather", resource), indices, axis=batch_dims, batch_dims=batch_dims
    )


def resource_gather_nd(resource, indices, dtype, name=None):
    return gather_nd(variable_of("ResourceGatherNd", resource), indices)


def variable_is_initialized(resource, name=None):
    return variable_of("VarIsInitializedOp", resource).is_initialized()


def variable_shape(input, out_type=None, name=None):
    return shape(variable_of("VariableShape", input), out_type)


def assign_slice(
    ref, begin, end, strides, value, begin_mask=0, end_mask=0, ellipsis_mask=0, new_axis_mask=0,
    shrink_axis_mask=0, name=None,
):  # fmt: skip
    index = strided_index(
        begin, end, strides, begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask
    )
    variable_of("ResourceStridedSliceAssign", ref)[index].assign(value)


def scatter_form(op: str, method: str) -> Any:
    """The op that calls ``method`` of a variable with ``tf.IndexedSlices``."""

    def scatter(resource, indices, updates, name=None):
        slices = IndexedSlices(convert(updates), convert(indices))
        getattr(variable_of(op, resource), method)(slices)

    return scatter


def scatter_nd_form(op: str, method: str) -> Any:
    """The op that calls ``method`` of a variable with index vectors and updates."""

    def scatter_nd(ref, indices, updates, use_locking=True, bad_indices_policy="", name=None):
        getattr(variable_of(op, ref), method)(indices, updates)

    return scatter_nd


RAW_FORMS = {
    "ReadVariableOp": read_variable,
    "AssignVariableOp": assign_variable,
    "AssignAddVariableOp": assign_add_variable,
    "AssignSubVariableOp": assign_sub_variable,
    "ResourceGather": resource_gather,
    "ResourceGatherNd": resource_gather_nd,
    "VarIsInitializedOp": variable_is_initialized,
    "VariableShape": variable_shape,
    "ResourceStridedSliceAssign": assign_slice,
}
"""What `tf.raw_ops` offers, by TensorFlow's names."""

for kind in ("Add", "Sub", "Max", "Min", "Mul", "Div", "Update"):
    RAW_FORMS["ResourceScatter" + kind] = scatter_form(
        "ResourceScatter" + kind, "scatter_" + kind.lower()
    )
for kind in ("Add", "Sub", "Max", "Min", "Update"):
    RAW_FORMS["ResourceScatterNd" + kind] = scatter_nd_form(
        "ResourceScatterNd" + kind, "scatter_nd_" + kind.lower()
    )
