"""Slices as `tf.raw_ops` has them: an index is three vectors and five bit masks."""

from __future__ import annotations

from typing import Any

from tapegrad.core.compositions import composition
from tapegrad.ops.indexing.getitem import strided_index, update_slice
from tapegrad.ops.shape.strided_slices import put_slice, take_slice


@composition
def take(input: Any, **index: Any) -> Any:
    return take_slice(input, strided_index(**index))


@composition
def put(shape: Any, dy: Any, **index: Any) -> Any:
    return put_slice(dy, shape, strided_index(**index))


@composition
def update(input: Any, value: Any, **index: Any) -> Any:
    return update_slice(input, value, strided_index(**index))
