"""Numbers in a row, evenly spaced: ``range`` and ``linspace``."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tapegrad import core, dtypes, errors
from tapegrad.core import EagerTensor, Tensor, VariableBase, public
from tapegrad.core.compositions import composition
from tapegrad.core.sizes import UnknownSize, broadcast_shape
from tapegrad.dtypes import DType
from tapegrad.engines.numpy import bands
from tapegrad.errors import refuse
from tapegrad.framework import convert
from tapegrad.ops import constants
from tapegrad.ops.args import check_size, static_dtype, static_int
from tapegrad.ops.op import REAL_FLOATING, op
from tapegrad.ops.shape import array, joining
from tapegrad.ops.shape.casts import cast
from tapegrad.ops.shape_rules import Abstract

PUBLIC = {
    ". compat.v1": "linspace range",
}


@op(
    "Range",
    dtypes=REAL_FLOATING
    | {dtypes.int8, dtypes.int16, dtypes.int32, dtypes.int64}
    | {dtypes.uint16, dtypes.uint32, dtypes.uint64},
)
def range_op(xp, start, limit, delta):
    for name, value in (("start", start), ("limit", limit), ("delta", delta)):
        if value.shape not in ((), (1,)):
            refuse(f"range() takes scalars; {name} has the shape {list(value.shape)}")
    dtype = dtypes.from_numpy(start.dtype)
    start, limit, delta = start.reshape(())[()], limit.reshape(())[()], delta.reshape(())[()]
    size = length_of_range(start, limit, delta, dtype)
    return _numbers(0, size, dtype.numpy_dtype) * delta + start


def length_of_range(start: Any, limit: Any, delta: Any, dtype: DType) -> Any:
    """How many numbers there are from ``start`` up to ``limit``. Integers may be sizes.

    Raises:
        InvalidArgumentError: no number of steps leads there.
    """
    if delta == 0:
        refuse("range() needs a delta other than 0")
    if not (start <= limit if delta > 0 else start >= limit):
        refuse(
            f"range() cannot go from {start} to {limit} by steps of {delta}: "
            "the limit lies on the other side"
        )
    if dtype.is_integer:
        start, limit, delta = [static_int(number) for number in (start, limit, delta)]
        return -((start - limit) // delta)
    # Divided in the dtype itself, as in TensorFlow: 2.1 / 0.3 is 7 in float32, but
    # 7.000000000000001 in float64, which would give one element more.
    count = abs((limit - start) / delta)
    if not math.isfinite(count) or count > 2.0**63:
        refuse(f"range() from {start} to {limit} by {delta} has no finite length")
    return math.ceil(count)


@range_op.shape
def range_shape(start, limit, delta):
    if any(array.value is None for array in (start, limit, delta)):
        return (None,)
    first, last, step = [array.value.reshape(-1)[0] for array in (start, limit, delta)]
    try:
        return (length_of_range(first, last, step, start.dtype),)
    except UnknownSize:
        return (None,)


range_op.no_gradient()

INT32_LIMIT = 2**31

# Python's ints become the dtype of the tensors among the arguments.
_RANGES_OF_INTS = (dtypes.int32, dtypes.int64, dtypes.float32, dtypes.float64)
_RANGE_ORDER = ("int32", "int64", "float16", "bfloat16", "float32", "float64")


@public
def range(
    start: Any, limit: Any = None, delta: Any = 1, dtype: Any = None, name: str | None = "range"
) -> Tensor:
    """The numbers from ``start`` up to ``limit``, which is not included, in steps of ``delta``.

    >>> tf.range(3)
    <tf.Tensor: shape=(3,), dtype=int32, numpy=array([0, 1, 2], dtype=int32)>
    >>> tf.range(1.0, 2.0, 0.25)
    <tf.Tensor: shape=(4,), dtype=float32, numpy=array([1.  , 1.25, 1.5 , 1.75], dtype=float32)>

    Args:
      start: The first number. As the only argument it is the limit, and the numbers start from 0.
      limit: The end, not included.
      delta: The step, which may be negative.
      dtype: The dtype of the result; by default the widest of the arguments' dtypes.
      name: Accepted and ignored.

    Raises:
      InvalidArgumentError: A step of 0, or one that leads away from the limit.
    """
    if limit is None:
        start, limit = 0, start
    wanted = static_dtype(dtype)
    if (
        type(start) is int
        and type(limit) is int
        and type(delta) is int
        and delta == 1
        and (wanted is None or wanted is dtypes.int32 or wanted is dtypes.int64)
        and -INT32_LIMIT <= start <= limit < INT32_LIMIT
    ):
        return numbers_between.apply([], (start, limit, wanted or dtypes.int32))
    numbers = _plain_numbers(start, limit, delta, wanted)
    if numbers is not None:
        return range_op.apply(numbers, ())
    numbers = []
    for value in (start, limit, delta):
        if isinstance(value, (Tensor, VariableBase)):
            numbers.append(cast(value, wanted) if wanted is not None else core.convert(value))
        else:
            numbers.append(convert.convert_to_tensor(value, wanted))
    if wanted is None:
        foreign = [value.dtype for value in numbers if value.dtype.name not in _RANGE_ORDER]
        if foreign:
            raise TypeError(
                "range() finds no common dtype for its arguments, "
                f"one of which is {foreign[0].name}: give it one with dtype="
            )
        name = max([value.dtype.name for value in numbers], key=_RANGE_ORDER.index)
        wanted = dtypes.as_dtype(name)
        numbers = [value if value.dtype is wanted else cast(value, wanted) for value in numbers]
    return range_op(*numbers)


def _plain_numbers(start: Any, limit: Any, delta: Any, wanted: DType | None) -> list[Tensor] | None:
    """Python's numbers as tensors of one dtype; with tensors, ints take theirs. None for everything else."""
    types = {type(start), type(limit), type(delta)}
    if wanted is not None:
        return None
    dtype: DType | None = dtypes.int32 if types == {int} else dtypes.float32
    if EagerTensor in types and types <= {EagerTensor, int}:
        dtypes_of_tensors = [
            value.dtype for value in (start, limit, delta) if type(value) is EagerTensor
        ]
        dtype = (
            dtypes_of_tensors[0]
            if dtypes_of_tensors.count(dtypes_of_tensors[0]) == len(dtypes_of_tensors)
            else None
        )
        if dtype not in _RANGES_OF_INTS:
            return None
    elif not types <= {float, int}:
        return None
    numbers: list[Tensor] = []
    for value in (start, limit, delta):
        if type(value) is EagerTensor:
            numbers.append(value)
            continue
        number = core.number_tensor(value, dtype)
        if number is None or (type(value) is int and not -INT32_LIMIT <= value < INT32_LIMIT):
            return None
        numbers.append(number)
    return numbers


@op("LinSpace", dtypes={"T": REAL_FLOATING}, convert={"num": static_int}, values="elements")
def linspace_op(xp, start, stop, *, num):
    if start.ndim or stop.ndim:
        refuse("LinSpace takes scalars: use tf.linspace")
    if num < 1:
        refuse(f"LinSpace needs num > 0, got {num}")
    if num == 1:
        return start.reshape(1)
    steps = np.arange(num).astype(start.dtype)
    values = start + steps * ((stop - start) / start.dtype.type(num - 1))
    values[0], values[-1] = start, stop  # 0 times an infinite step is NaN
    return values


linspace_op.shape(lambda start, num: Abstract([num], start.dtype))
linspace_op.no_gradient()


@op("_EvenNumbers", dtypes=REAL_FLOATING, linear="first last", lane=bands.even_numbers)
def even_numbers(xp, first, last, *, num):
    """At least three numbers from ``first`` to ``last``, both as they are given."""
    steps = numbers_between.run([], (0, num, dtypes.from_numpy(first.dtype)))
    delta = (last - first) / first.dtype.type(num - 1)
    # The product is rounded before the sum, as where both are ops.
    values = xp.multiply(steps, delta)
    values = xp.add(values, first, out=values)
    values[..., :1], values[..., -1:] = first, last
    return values


even_numbers.shape(lambda first, num: Abstract((*first.shape[:-1], num), first.dtype))


def even_shares(dy, num, first_dtype):
    """For each of the numbers, what it takes from the last and what from the first."""
    steps = numbers_between(start=0, stop=num, dtype=first_dtype)
    return dy * (steps / constants.constant(num - 1, first_dtype))


even_numbers.gradient(
    first=lambda dy, num, first_dtype: core.registry["Sum"](dy - even_shares(dy, num, first_dtype)),
    last=lambda dy, num, first_dtype: core.registry["Sum"](even_shares(dy, num, first_dtype)),
)


@even_numbers.batching
def even_numbers_rule(items, first, last, num):
    """A row of numbers for each item."""
    ends = [items.spread(end, place) for place, end in enumerate((first, last))]
    return items.run(*[end.reshape((items.size, 1)) for end in ends])


@composition
def linspace(start: Any, stop: Any, num: Any, name: str | None = None, axis: int = 0) -> Tensor:
    """``num`` evenly spaced values from ``start`` to ``stop``, both included.

    >>> tf.linspace(0.0, 1.0, 5)
    <tf.Tensor: shape=(5,), dtype=float32, numpy=array([0.  , 0.25, 0.5 , 0.75, 1.  ], dtype=float32)>
    >>> tf.linspace([0.0, 10.0], [1.0, 20.0], 3, axis=-1)
    <tf.Tensor: shape=(2, 3), dtype=float32, numpy=
    array([[ 0. ,  0.5,  1. ],
           [10. , 15. , 20. ]], dtype=float32)>

    Gradients flow to both ends. Integers become float64.

    Args:
      start: The first value. A tensor of several elements gives a row of values for each of them.
      stop: The last value, of the dtype of ``start``. The two are broadcast against each other.
      num: The number of values.
      name: Accepted and ignored.
      axis: The position of the new axis.
    """
    first: Tensor = core.convert(start)
    last: Tensor = core.convert(stop, first.dtype)
    count = _count(num)
    if first.dtype.is_integer:
        real = dtypes.float32 if first.dtype.size < 4 else dtypes.float64
        first, last = cast(first, real), cast(last, real)
    if not (first.dtype.is_floating or first.dtype.is_complex):
        refuse(f"linspace() needs numbers, and start is {first.dtype.name}")
    try:
        shape = broadcast_shape(first._shape_tuple(), last._shape_tuple())
    except ValueError:
        refuse(
            f"linspace() cannot broadcast start {list(first._shape_tuple())} against stop "
            f"{list(last._shape_tuple())}"
        )
    axis = static_int(axis)
    position = axis if axis >= 0 else len(shape) + 1 + axis
    if not 0 <= position <= len(shape):
        refuse(
            f"linspace() cannot put its values along axis {axis}: "
            f"start and stop have the rank {len(shape)}, "
            f"so the axis must be from {-len(shape) - 1} to {len(shape)}"
        )
    if not shape and count > 2 and first.dtype.is_floating:
        return even_numbers(first, last, count)
    first = array.expand_dims(array.broadcast_to(first, shape), axis)
    last = array.expand_dims(array.broadcast_to(last, shape), axis)
    check_size((*shape, count))
    # The ends are the given tensors themselves: a sum would be rounded. If num < 2, an end is left out.
    along = (slice(None),) * position
    parts = [first[(*along, slice(count))]]
    if count > 2:
        inner = [1] * (len(shape) + 1)
        inner[position] = count - 2
        delta = (last - first) / constants.constant(count - 1, first.dtype)
        steps = array.reshape(numbers_between(start=1, stop=count - 1, dtype=first.dtype), inner)
        parts.append(first + delta * steps)
    parts.append(last[(*along, slice(max(count - 1, 0)))])
    return joining.concat(parts, axis=position)


def _numbers(start: int, stop: int, numpy_dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    """The integers from ``start`` up to ``stop``, which is not included, in this dtype."""
    try:
        return np.arange(start, stop).astype(numpy_dtype)
    except (MemoryError, ValueError) as error:
        raise errors.ResourceExhaustedError(
            None, None, f"No memory for a tensor of {stop - start} elements"
        ) from error


@op("_NumbersBetween", lane=bands.numbers_between)
def numbers_between(xp, *, start, stop, dtype):
    return _numbers(start, stop, dtype.numpy_dtype)


numbers_between.shape(lambda start, stop, dtype: Abstract([stop - start], dtype))
numbers_between.no_gradient()


def _count(num: Any) -> int:
    if type(num) is int and abs(num) < 1 << 31:
        count = num
    else:
        tensor = convert.convert_to_tensor(num)
        if not tensor.dtype.is_integer:
            raise TypeError(f"num must be an integer, and is of dtype {tensor.dtype.name}")
        count = static_int(tensor)
    if count < 0:
        refuse(f"num must not be negative, got {count}")
    return count
