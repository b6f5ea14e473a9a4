"""The ops behind variables, named as in ``tf.raw_ops``: they take a ``handle`` and read or write its owner.

Objects that act as variables without being ``tf.Variable`` are read this way.
"""

from __future__ import annotations

from tapegrad import dtypes
from tapegrad.core import convert, public
from tapegrad.framework.handle import variable_of
from tapegrad.framework.indexed_slices import IndexedSlices
from tapegrad.ops.indexing.gather import gather, gather_nd
from tapegrad.ops.indexing.getitem import strided_index
from tapegrad.ops.program import variables
from tapegrad.ops.shape.shapes import shape


@public
def read(resource):
    return variable_of("ReadVariableOp", resource).value()


@public
def assign(resource, value):
    variable_of("AssignVariableOp", resource).assign(value, read_value=False)


@public
def assign_add(resource, value):
    variable_of("AssignAddVariableOp", resource).assign_add(value, read_value=False)


@public
def assign_sub(resource, value):
    variable_of("AssignSubVariableOp", resource).assign_sub(value, read_value=False)


@public
def gather_rows(resource, indices, batch_dims):
    return gather(
        variable_of("ResourceGather", resource), indices, axis=batch_dims, batch_dims=batch_dims
    )


@public
def gather_places(resource, indices):
    return gather_nd(variable_of("ResourceGatherNd", resource), indices)


@public
def is_initialized(resource):
    return variable_of("VarIsInitializedOp", resource).is_initialized()


@public
def shape_of(input, out_type=dtypes.int32):
    return shape(variable_of("VariableShape", input), out_type)


@public
def assign_slice(
    ref,
    value,
    begin,
    end,
    strides,
    begin_mask,
    end_mask,
    ellipsis_mask,
    new_axis_mask,
    shrink_axis_mask,
):
    variable = variable_of("ResourceStridedSliceAssign", ref)
    tensor = convert(value, variable.dtype)
    index = strided_index(
        begin, end, strides, begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask
    )
    variables.assign_slice_op.apply([tensor], (variable, index))


@public
def scatter(op, method, resource, indices, updates):
    """Change a variable at ``indices`` along its first axis."""
    slices = IndexedSlices(convert(updates), convert(indices))
    getattr(variable_of(op, resource), method)(slices)


@public
def scatter_nd(op, method, ref, indices, updates):
    """Change a variable at the places that ``indices`` holds as vectors."""
    getattr(variable_of(op, ref), method)(indices, updates)
