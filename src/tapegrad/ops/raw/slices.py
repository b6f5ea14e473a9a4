"""Slices as `tf.raw_ops` has them: an index is three vectors and five bit masks."""

from __future__ import annotations

from tapegrad.ops.indexing.getitem import strided_index, update_slice
from tapegrad.ops.shape.strided_slices import put_slice, take_slice


def raw_strided_slice(
    input,
    begin,
    end,
    strides,
    begin_mask=0,
    end_mask=0,
    ellipsis_mask=0,
    new_axis_mask=0,
    shrink_axis_mask=0,
    name=None,
):
    return take_slice(
        input,
        strided_index(
            begin,
            end,
            strides,
            begin_mask,
            end_mask,
            ellipsis_mask,
            new_axis_mask,
            shrink_axis_mask,
        ),
    )


def raw_strided_slice_gradient(
    shape,
    begin,
    end,
    strides,
    dy,
    begin_mask=0,
    end_mask=0,
    ellipsis_mask=0,
    new_axis_mask=0,
    shrink_axis_mask=0,
    name=None,
):
    index = strided_index(
        begin, end, strides, begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask
    )
    return put_slice(dy, shape, index)


def raw_update_slice(
    input,
    begin,
    end,
    strides,
    value,
    begin_mask=0,
    end_mask=0,
    ellipsis_mask=0,
    new_axis_mask=0,
    shrink_axis_mask=0,
    name=None,
):
    index = strided_index(
        begin, end, strides, begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask
    )
    return update_slice(input, value, index)


RAW_FORMS = {
    "StridedSlice": raw_strided_slice,
    "StridedSliceGrad": raw_strided_slice_gradient,
    "TensorStridedSliceUpdate": raw_update_slice,
}
"""What `tf.raw_ops` offers where TensorFlow's arguments are not the op's own."""
