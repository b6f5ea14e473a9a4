"""Shape, size and rank of tensors, without their values, and broadcasting of shapes."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapegrad import dtypes
from tapegrad.core import EagerTensor, Tensor, VariableBase, list_of, public
from tapegrad.core.opening import is_left_open
from tapegrad.core.sizes import maximum
from tapegrad.errors import refuse
from tapegrad.framework.casting import cast_array
from tapegrad.framework.shape import TensorShape
from tapegrad.ops.args import static_dtype
from tapegrad.ops.op import BOOL, NUMERIC, op, says
from tapegrad.ops.shape.casts import cast
from tapegrad.ops.shape_rules import Abstract, whole_numbers

PUBLIC = {
    ".": "shape size",
    ". compat.v1": "broadcast_dynamic_shape broadcast_static_shape get_static_value rank shape_n",
    "math compat.v1.math": "invert_permutation",
}


INDEX_DTYPES = (dtypes.int32, dtypes.int64)


def index_dtype(value: Any) -> dtypes.DType:
    """The DType for sizes and indices that ``value`` names; int32 for None.

    Raises:
        InvalidArgumentError: for any type but int32 and int64.
    """
    dtype = static_dtype(value)
    if dtype is None:
        return dtypes.int32
    if dtype not in INDEX_DTYPES:
        refuse(f"int32 or int64 is expected as the type of sizes and positions, not {dtype.name}.")
    return dtype


@op("Shape", values="nothing", convert={"out_type": index_dtype}, raw=("input", "out_type"))
def shape_op(xp, input, *, out_type=None):
    return xp.asarray(input.shape, dtype=out_type.numpy_dtype)


@shape_op.shape
def shape_of_shape(input, out_type):
    return Abstract([input.ndim], out_type, whole_numbers(input.shape, (input.ndim,), out_type))


shape_op.no_gradient()


@public
@says(values="nothing")
def shape(input: Any, out_type: Any = None, name: str | None = None) -> Tensor:
    """The sizes of ``input`` along its axes, as an int32 vector (or in ``out_type``).

    >>> tf.shape([[1, 2, 3], [4, 5, 6]])
    <tf.Tensor: shape=(2,), dtype=int32, numpy=array([2, 3], dtype=int32)>

    Args:
        input: a tensor, or what becomes one.
        out_type: int32, unless it is tf.int64.
    """
    # Only for composites: a tensor raises a long error for an attribute that it does not have.
    if hasattr(type(input), "dense_shape") and input.dense_shape is not None:
        return cast(input.dense_shape, index_dtype(out_type))
    return shape_op(input, out_type)


@public
@says(values="nothing")
def shape_n(input: Any, out_type: Any = dtypes.int32, name: str | None = None) -> list[Tensor]:
    """The shapes of several tensors, as a list of vectors.

    >>> [s.numpy().tolist() for s in tf.shape_n([[1, 2], 3])]
    [[2], []]

    Args:
        input: a list of tensors, or of values that become tensors.
        out_type: int32 or int64, the dtype of the result.
    """
    return [shape(value, out_type) for value in list_of(input, "shape_n", "input")]


def number_dtype(value: Any) -> dtypes.DType:
    """The DType for a count that ``value`` names, any of numbers or bools; int32 for None."""
    dtype = static_dtype(value) or dtypes.int32
    if dtype not in NUMERIC | BOOL:
        raise TypeError(
            f"Cannot convert a number of elements to {dtype.name}: numbers are expected."
        )
    return dtype


@op("Size", values="nothing", convert={"out_type": number_dtype}, raw=("input", "out_type"))
def size(xp, input, *, out_type=None):
    """The number of elements in ``input``, as an int32 scalar (or in ``out_type``).

    >>> tf.size([[1, 2, 3], [4, 5, 6]]).numpy()
    np.int32(6)

    Args:
        input: a tensor, or what becomes one.
        out_type: the dtype of the result; None is tf.int32.
    """
    if out_type in INDEX_DTYPES:
        return xp.asarray(input.size, dtype=out_type.numpy_dtype)
    return cast_array(xp.asarray(input.size), out_type)


@size.shape
def shape_of_size(input, out_type):
    known = out_type in INDEX_DTYPES
    return Abstract((), out_type, whole_numbers([input.size], (), out_type) if known else None)


@op("Rank", values="nothing")
def rank(xp, input):
    """The number of axes of ``input``, as an int32 scalar.

    >>> tf.rank([[1, 2], [3, 4]]).numpy()
    np.int32(2)
    """
    return xp.asarray(input.ndim, dtype=np.int32)


rank.shape(lambda input: Abstract((), dtypes.int32, whole_numbers([input.ndim], (), dtypes.int32)))


size.no_gradient()
rank.no_gradient()


@public
def get_static_value(tensor: Any, partial: bool = False) -> Any:
    """The value of ``tensor`` as an array. None for a variable, whose value may change, and a SparseTensor.

    While a function is saved, it is None for what follows from the arguments.

    >>> tf.get_static_value(tf.constant([1, 2]))
    array([1, 2], dtype=int32)

    Args:
        tensor: a tensor.
        partial: whether a stack of which some values are known gives these, and None for the others.
    """
    if isinstance(tensor, VariableBase) or hasattr(type(tensor), "map_values"):
        return None
    if type(tensor) is EagerTensor and is_left_open(tensor):
        return None
    return tensor.numpy() if isinstance(tensor, Tensor) else tensor


@op("InvertPermutation", dtypes=INDEX_DTYPES, raw=("x",), values="errors")
def invert_permutation(xp, x):
    """The permutation that undoes ``x``: the index at which each of 0, 1, 2, … stands in ``x``.

    >>> tf.math.invert_permutation([2, 0, 1]).numpy().tolist()
    [1, 2, 0]
    """
    if x.ndim != 1:
        refuse(f"invert_permutation() expects a vector, not shape {list(x.shape)}.")
    order = xp.argsort(x, kind="stable")
    if not bool((x[order] == xp.arange(x.size)).all()):
        refuse(f"invert_permutation() expects each of 0 to {x.size - 1} exactly once.")
    return order.astype(x.dtype)


@invert_permutation.shape
def inverted_shape(x):
    if x.ndim != 1:
        refuse(f"invert_permutation() expects a vector, not shape {list(x.shape)}.")
    return x.shape


invert_permutation.no_gradient()


# Shapes combined


@op("BroadcastArgs", dtypes=INDEX_DTYPES, raw=("s0", "s1"), values="errors")
def broadcast_dynamic_shape(xp, shape_x, shape_y):
    """The shape, as a tensor, to which shapes ``shape_x`` and ``shape_y`` broadcast.

    >>> tf.broadcast_dynamic_shape([3, 1], [4]).numpy().tolist()
    [3, 4]
    """
    for shape in shape_x, shape_y:
        if shape.ndim != 1:
            refuse(f"A shape must be a vector of sizes; {shape.tolist()} has {shape.ndim} axes.")
    merged = merged_shape(tuple(shape_x.tolist()), tuple(shape_y.tolist()))
    if merged is None:
        refuse(
            f"Shapes {shape_x.tolist()} and {shape_y.tolist()} do not broadcast: "
            "counted from the last, sizes must agree or be 1."
        )
    return xp.asarray(merged, dtype=shape_x.dtype)


broadcast_dynamic_shape.shape(
    lambda shape_x, shape_y: (maximum(shape_x.shape[0], shape_y.shape[0]),)
)
broadcast_dynamic_shape.no_gradient()


def merged_shape(first: tuple[Any, ...], second: tuple[Any, ...]) -> tuple[Any, ...] | None:
    """The shape to which both broadcast, or None if they do not. A size of None is unknown."""
    rank = max(len(first), len(second))
    result = []
    for x, y in zip(
        (1,) * (rank - len(first)) + first, (1,) * (rank - len(second)) + second, strict=True
    ):
        if x == 1 or y == 1:
            result.append(y if x == 1 else x)
        elif x is None or y is None:
            result.append(y if x is None else x)
        elif x == y:
            result.append(x)
        else:
            return None
    return tuple(result)


@public
def broadcast_static_shape(shape_x: TensorShape, shape_y: TensorShape) -> TensorShape:
    """The shape to which shapes ``shape_x`` and ``shape_y`` broadcast.

    >>> tf.broadcast_static_shape(tf.TensorShape([3, 1]), tf.TensorShape([None, 4]))
    TensorShape([3, 4])

    Args:
        shape_x, shape_y: a `tf.TensorShape`, or what makes one; sizes may be unknown.
    """
    first, second = TensorShape(shape_x), TensorShape(shape_y)
    if first.rank is None or second.rank is None:
        return TensorShape(None)
    merged = merged_shape(tuple(first.as_list()), tuple(second.as_list()))
    if merged is None:
        raise ValueError(
            f"Shapes {first} and {second} do not broadcast: "
            "counted from the last, sizes must agree or be 1."
        )
    return TensorShape(merged)
