"""Identities, reshaping, transposing and broadcasting.

Every result that can be a view of its input is one: arrays never change. Joins and splits are in
`joining`, slices in `strided_slices`, paddings in `padding`, ops that move elements about in `rearrange`, and
ops that only read shapes in `shapes`. Gathers, scatters and masks are in the package `indexing`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NoReturn, overload

import numpy as np

from tapegrad import errors
from tapegrad.core import Tensor, convert, public
from tapegrad.core.sizes import (
    UnknownSize,
    differ,
    exact_quotient,
    is_unknown,
)
from tapegrad.core.sizes import broadcast_shape as broadcast_sizes
from tapegrad.engines.numpy import copies, lanes, views
from tapegrad.errors import refuse
from tapegrad.framework.shape import TensorShape
from tapegrad.ops.args import (
    check_memory,
    check_size,
    normalize_axis,
    optional,
    static_int,
    static_ints,
    static_vector,
)
from tapegrad.ops.batching import leading, moved_axes, with_axes
from tapegrad.ops.gradients import zeros
from tapegrad.ops.op import op
from tapegrad.ops.shape_rules import of_any_rank, same_shape

if TYPE_CHECKING:
    from tapegrad.framework.types import Composite, TensorLike

PUBLIC = {
    ".": "expand_dims squeeze transpose",
    ". compat.v1": (
        "broadcast_to ensure_shape guarantee_const=identity_op identity identity_n reshape "
        "stop_gradient tile"
    ),
}


@op(
    "Identity",
    moves="input",
    check_numerics=False,
    lane=lanes.same,
    linear="input",
    elementwise=True,
    dispatched="no",
)
def identity_op(xp, input):
    return input


identity_op.gradient(input=lambda dy: dy)
identity_op.batching(leading)
identity_op.keeps_slices = 1


@overload
def identity(input: Composite, name: str | None = None) -> Composite: ...
@overload
def identity(input: TensorLike, name: str | None = None) -> Tensor: ...
@public
def identity(input: Any, name: str | None = None) -> Any:
    """A new tensor with the same value, which a tape can watch separately.

    >>> x = tf.constant(2.0)
    >>> tf.identity(x) is x, tf.identity(x).numpy()
    (False, np.float32(2.0))

    Args:
        input: a tensor, a variable, or what is made of tensors, as ``tf.SparseTensor`` is.
    """
    if hasattr(type(input), "map_values"):  # IndexedSlices, SparseTensor
        return input.map_values(identity_op)
    return identity_op(input)


@op("StopGradient", moves="input", lane=lanes.same, values="elements")
def stop_gradient_op(xp, input):
    return input


stop_gradient_op.shape(same_shape)
stop_gradient_op.no_gradient(constant=True)
stop_gradient_op.batching(leading)


@overload
def stop_gradient(input: Composite, name: str | None = None) -> Composite: ...
@overload
def stop_gradient(input: TensorLike, name: str | None = None) -> Tensor: ...
@public
def stop_gradient(input: Any, name: str | None = None) -> Any:
    """``input`` unchanged. No gradient flows back through it.

    >>> x = tf.constant(3.0)
    >>> with tf.GradientTape() as tape:
    ...     tape.watch(x)
    ...     y = x * tf.stop_gradient(x)
    >>> tape.gradient(y, x)                # 3, not 6: the second factor counts as a constant
    <tf.Tensor: shape=(), dtype=float32, numpy=3.0>

    Args:
        input: a tensor.
    """
    if hasattr(type(input), "map_values"):
        return input.map_values(stop_gradient_op)
    return stop_gradient_op(input)


@op("PreventGradient", moves="input", raw=("input", "message"), elementwise=True)
def prevent_gradient(xp, input, *, message=""):
    """``input`` unchanged. Asking for a gradient through it raises a LookupError with ``message``."""
    return input


def refuse_gradient(dy, message):
    raise LookupError(f"gradient registry has no entry for: PreventGradient, by request: {message}")


prevent_gradient.gradient(input=refuse_gradient)
prevent_gradient.batching(leading)


@public
def identity_n(input: Sequence[TensorLike], name: str | None = None) -> list[Tensor]:
    """A list of new tensors equal to those in ``input``, each of which can be watched separately.

    >>> [t.numpy() for t in tf.identity_n([tf.constant(1.0), tf.constant(2)])]
    [np.float32(1.0), np.int32(2)]

    Args:
        input: a list of tensors, which may have different dtypes; one at least.
    """
    tensors = [convert(value) for value in input]
    if not tensors:
        refuse("identity_n() needs at least one tensor.")
    return [identity_op(tensor) for tensor in tensors]


# Reshaping


@op(
    "Reshape",
    check_numerics=False,
    moves="tensor",
    convert={"shape": static_ints},
    raw=("tensor", "shape"),
    lane=lanes.reshape,
    linear="tensor",
)
def reshape(xp, tensor, *, shape):
    """The elements of ``tensor``, in their order, in the shape ``shape``. One size may be -1.

    >>> tf.reshape([[1, 2, 3], [4, 5, 6]], [3, -1])
    <tf.Tensor: shape=(3, 2), dtype=int32, numpy=
    array([[1, 2],
           [3, 4],
           [5, 6]], dtype=int32)>
    """
    for size in shape:
        if size < 0:
            shape = fill_in_size(tensor.shape, shape)
            break
    try:
        return copies.reshape(tensor, shape)
    except ValueError:
        raise cannot_reshape(tensor.shape, shape) from None


@reshape.shape
def reshape_shape(tensor, shape):
    old = tensor.shape
    if any(is_unknown(size) for size in (*old, *shape)):
        if shape.count(-1) != 1:
            return shape
        # It is what TensorFlow knows of it: the quotient where that is exact, else nothing.
        missing = exact_quotient(math.prod(old), math.prod([size for size in shape if size >= 0]))
        return [missing if size == -1 else size for size in shape]
    if any(size < 0 for size in shape):
        return tuple(fill_in_size(old, shape))
    if math.prod(old) != math.prod(shape):
        raise cannot_reshape(old, shape)
    return shape


reshape.gradient(tensor=lambda dy, tensor_shape: reshape(dy, tensor_shape))


def reshape_rule(items, tensor, shape):
    known = shape if min(shape, default=0) >= 0 else fill_in_size(tensor.shape[1:], shape)
    return items.run(tensor, shape=(items.size, *known))


reshape.batching(reshape_rule)


def cannot_reshape(old: tuple[int, ...], new: tuple[int, ...]) -> errors.InvalidArgumentError:
    """The error to raise. Sonnet's tests match TensorFlow's words up to the colon."""
    known = math.prod(size for size in new if size >= 0)
    wanted = f"requires a multiple of {known}" if -1 in new and known else f"has {known}"
    return errors.InvalidArgumentError(
        None,
        None,
        f"Input to reshape is a tensor with {math.prod(old)} values, but the requested shape {wanted}: "
        f"{list(old)} cannot become {list(new)}.",
    )


def fill_in_size(old: tuple[int, ...], new: tuple[int, ...]) -> tuple[int, ...]:
    """``new`` with its -1 replaced by the size that fits.

    For an empty tensor any size fits when another size is 0. TensorFlow then compares the sizes that are
    not zero: (0, 3) as (-1, 0) is (3, 0).
    """
    # Sonnet's tests match TensorFlow's words "must be non-negative, not".
    for place, size in enumerate(new):
        if size < -1:
            refuse(
                f"Size {place} must be non-negative, not {size}, in a reshape to {list(new)}; "
                "one size may be -1, and is worked out."
            )
    if new.count(-1) > 1:
        refuse(f"Only one input size may be -1 in a reshape; {new.count(-1)} are in {list(new)}.")
    other_sizes = [size for size in new if size >= 0]
    drop_zeros = 0 in other_sizes and 0 in old
    wanted = have = 1
    for size in other_sizes:
        wanted *= size or (1 if drop_zeros else 0)
    for size in old:
        have *= size or (1 if drop_zeros else 0)
    if wanted == 0 or have % wanted:
        raise cannot_reshape(old, new)
    return tuple([size if size >= 0 else have // wanted for size in new])


@op(
    "Transpose",
    check_numerics=False,
    moves="x",
    convert={"perm": optional(static_vector)},
    raw=("x", "perm"),
    linear="x",
    lane=views.transpose,
)
def transpose_op(xp, x, *, perm=None):
    return x.transpose(checked_permutation(perm, x.ndim))


@transpose_op.shape
def transposed_shape(x, perm):
    if perm is not None and len(perm) == x.ndim and any(map(is_unknown, perm)):
        return [None] * x.ndim
    return x.transpose(checked_permutation(perm, x.ndim))


@op(
    "ConjugateTranspose",
    convert={"perm": optional(static_vector)},
    raw=("x", "perm"),
    holomorphic=False,
    linear="x",
    moves="x",
)
def conjugate_transpose_op(xp, x, *, perm=None):
    return xp.conjugate(x.transpose(checked_permutation(perm, x.ndim)))


conjugate_transpose_op.shape(transposed_shape)


transpose_op.gradient(x=lambda dy, perm: transpose_op(dy, perm=inverse_permutation(perm)))


def permutation_rule(items, x, perm):
    rank = x.ndim - 1
    axes = checked_permutation(perm, rank) or range(rank - 1, -1, -1)
    return items.run(x, perm=(0, *[axis % rank + 1 for axis in axes]))


transpose_op.batching(permutation_rule)
conjugate_transpose_op.gradient(
    x=lambda dy, perm: conjugate_transpose_op(dy, perm=inverse_permutation(perm))
)
conjugate_transpose_op.batching(permutation_rule)


def checked_permutation(perm: tuple[int, ...] | None, rank: int) -> tuple[int, ...] | None:
    if perm is not None and sorted([axis + rank if axis < 0 else axis for axis in perm]) != [
        *range(rank)
    ]:
        refuse(
            f"perm = {list(perm)} is not a permutation of the {rank} axes of the input, "
            f"0 to {rank - 1}."
        )
    return perm


def inverse_permutation(perm: tuple[int, ...] | None) -> tuple[int, ...] | None:
    if perm is None or any(map(is_unknown, perm)):
        return perm
    result = [0] * len(perm)
    for place, axis in enumerate(perm):
        result[axis] = place
    return tuple(result)


@public
def transpose(
    a: Any, perm: Any = None, conjugate: bool = False, name: str | None = "transpose"
) -> Tensor:
    """``a`` with its axes in the order ``perm``, or reversed without it; conjugated if ``conjugate``.

    >>> tf.transpose([[1, 2], [3, 4]]).numpy().tolist()
    [[1, 3], [2, 4]]
    >>> tf.transpose(tf.zeros([2, 3, 4]), perm=[0, 2, 1]).shape
    TensorShape([2, 4, 3])

    Args:
        a: a tensor.
        perm: the axes of ``a`` in their new order; None reverses them.
        conjugate: whether to conjugate complex numbers too.
    """
    if conjugate:
        a = convert(a)
        if a.dtype.is_complex:
            return conjugate_transpose_op(a, perm=perm)
    return transpose_op(a, perm=perm)


def squeezed_axes(value: Any) -> tuple[int, ...]:
    """The axes of `squeeze`. Unlike other ops' axes they may be floats, and must be Python numbers."""
    if value is None:
        return ()
    if isinstance(value, (str, bytes)):
        raise TypeError(f"squeeze() expects an int or a list of ints for axis, not {value!r}.")
    if isinstance(value, float):
        return (int(value),)
    if isinstance(value, (list, tuple)):
        return tuple([static_int(int(axis) if isinstance(axis, float) else axis) for axis in value])
    return static_ints(value)


@op(
    "Squeeze",
    check_numerics=False,
    moves="input",
    convert={"axis": squeezed_axes},
    raw=("input", "axis"),
    linear="input",
    lane=views.squeeze,
)
def squeeze(xp, input, *, axis=None):
    """``input`` without its axes of size 1, or without those of them that are in ``axis``.

    >>> tf.squeeze(tf.zeros([1, 2, 1])).shape, tf.squeeze(tf.zeros([1, 2, 1]), axis=0).shape
    (TensorShape([2]), TensorShape([2, 1]))

    Args:
        input: a tensor, or what becomes one.
        axis: an axis of size 1, or a list of them; negative ones count from the end. None or an empty list is
            for all axes of size 1.
    """
    return input.reshape(squeezed_shape(input.shape, axis))


def squeezed_shape(shape, axis):
    if not axis:
        return [size for size in shape if size != 1]
    gone = [normalize_axis(place, len(shape)) for place in axis]
    for place in gone:
        if differ(shape[place], 1):
            refuse(
                f"squeeze() removes axes of size 1; axis {place} of the shape {list(shape)} has "
                f"size {shape[place]}."
            )
    return [size for place, size in enumerate(shape) if place not in gone]


@squeeze.shape
def squeezed(input, axis):
    if not axis and any(map(is_unknown, input.shape)):
        return of_any_rank(input.dtype, "tf.squeeze of unknown sizes")
    return input.reshape(squeezed_shape(input.shape, axis))


squeeze.gradient(input=lambda dy, input_shape: reshape(dy, input_shape))


def squeeze_rule(items, input, axis):
    lengths = enumerate(input.shape)
    axes = (
        moved_axes(axis, input.ndim - 1)
        if axis
        else tuple([place for place, length in lengths if place and length == 1])
    )
    return items.run(input, axis=axes) if axes else None if axis else input


squeeze.batching(squeeze_rule)


@op(
    "ExpandDims",
    check_numerics=False,
    moves="input",
    convert={"axis": static_int},
    raw=("input", "axis"),
    linear="input",
    lane=views.expand_dims,
)
def expand_dims(xp, input, *, axis):
    """``input`` with a new axis of size 1 at position ``axis``.

    >>> tf.expand_dims([1, 2, 3], 0).shape, tf.expand_dims([1, 2, 3], -1).shape
    (TensorShape([1, 3]), TensorShape([3, 1]))
    """
    rank = input.ndim
    if not -rank - 1 <= axis <= rank:
        refuse(
            f"axis = {axis} does not suit an input of rank {rank}: "
            f"a new axis goes to {-rank - 1} to {rank}."
        )
    axis += rank + 1 if axis < 0 else 0
    return input.reshape(input.shape[:axis] + (1,) + input.shape[axis:])


expand_dims.shape(expand_dims.kernel)
expand_dims.gradient(input=lambda dy, input_shape: reshape(dy, input_shape))
expand_dims.batching(with_axes("axis", new=1))


def expected_sizes(value: Any) -> tuple[Any, ...] | None:
    """The sizes of a shape, None for any size; None for any shape."""
    shape = TensorShape(value)
    return None if shape.rank is None else tuple(shape.as_list())


@op("EnsureShape", moves="x", convert={"shape": expected_sizes}, raw=("input", "shape"), linear="x")
def ensure_shape(xp, x, *, shape):
    """``x`` unchanged if it has the shape ``shape``, where None means any size. Otherwise raises.

    >>> tf.ensure_shape(tf.zeros([2, 3]), [None, 3]).shape
    TensorShape([2, 3])
    """
    ensured_shape(x, shape)
    return x


@ensure_shape.shape
def ensured_shape(x, shape):
    if shape is None:
        return x
    sizes = [
        size if expected is None or is_unknown(expected) else expected
        for expected, size in zip(shape, x.shape, strict=False)
    ]
    if len(shape) != x.ndim or any(
        not is_unknown(size) and size != expected
        for expected, size in zip(sizes, x.shape, strict=True)
    ):
        refuse(
            f"A tensor of shape {TensorShape(shape)} was expected; one of shape "
            f"{TensorShape(x.shape)} came."
        )
    return tuple(sizes)


ensure_shape.gradient(x=lambda dy: dy)
ensure_shape.batching(
    lambda items, x, shape: items.run(x, shape=None if shape is None else (items.size, *shape))
)
ensure_shape.keeps_slices = 1


# Broadcasting and repeating


def broadcast_shape(value: Any) -> tuple[int, ...]:
    return check_size(static_vector(value))


@op(
    "BroadcastTo",
    moves="input",
    convert={"shape": broadcast_shape},
    raw=("input", "shape"),
    broadcasts=True,
    lane=lanes.broadcast_to,
    linear="input",
)
def broadcast_to(xp, input, *, shape):
    """``input`` repeated along new axes and axes of size 1 until it has the shape ``shape``.

    >>> tf.broadcast_to([1, 2], [2, 2]).numpy().tolist()
    [[1, 2], [1, 2]]
    """
    if input.shape == shape:
        return input
    check_memory(shape, input.dtype)
    try:
        return spread(xp, input, shape)
    except ValueError:
        refuse_to_broadcast(input.shape, shape)


@broadcast_to.shape
def broadcast_to_result(input, shape):
    try:
        sizes = broadcast_sizes(input.shape, shape)
    except UnknownSize:
        raise
    except ValueError:
        refuse_to_broadcast(input.shape, shape)
    if len(sizes) != len(shape) or any(map(differ, sizes, shape)):
        refuse_to_broadcast(input.shape, shape)
    return shape


def refuse_to_broadcast(old: tuple[int, ...], new: tuple[int, ...]) -> NoReturn:
    refuse(
        f"A tensor of shape {list(old)} cannot be broadcast to {list(new)}: "
        "counted from the last, sizes must agree or be 1 in the input."
    )


broadcast_to.gradient(input=lambda dy: dy)


def broadcast_rule(items, input, shape):
    added = len(shape) - input.ndim + 1
    if added < 0:
        return None
    spread = input.reshape((items.size, *[1] * added, *input.shape[1:]))
    return items.run(spread, shape=(items.size, *shape))


broadcast_to.batching(broadcast_rule)


def spread(xp: Any, array: Any, shape: tuple[int, ...]) -> Any:
    """``xp.broadcast_to``, but much faster for one number, as in the gradient of every mean and sum."""
    if (
        array.size == 1
        and isinstance(array, np.ndarray)
        and array.dtype.kind in "fiuc"
        and len(shape) >= array.ndim
    ):
        result = np.ndarray(shape, array.dtype, array, 0, (0,) * len(shape))
        result.flags.writeable = False
        return result
    return xp.broadcast_to(array, shape)


@op(
    "Tile",
    moves="input",
    convert={"multiples": static_vector},
    raw=("input", "multiples"),
    linear="input",
    lane=copies.tile,
)
def tile(xp, input, *, multiples):
    """``input`` repeated ``multiples[i]`` times along each axis ``i``.

    >>> tf.tile([[1, 2]], [2, 2]).numpy().tolist()
    [[1, 2, 1, 2], [1, 2, 1, 2]]
    """
    shape = check_size(tiled_shape(input.shape, multiples))
    # Each axis becomes two, and the first of the two is repeated as a view. Only the last step copies.
    wide = tuple([part for size in input.shape for part in (1, size)])
    repeated = tuple([part for pair in zip(multiples, input.shape, strict=True) for part in pair])
    if 0 in shape:
        return xp.zeros(shape, dtype=input.dtype)
    check_memory(shape, input.dtype)
    return copies.reshape(spread(xp, input.reshape(wide), repeated), shape)


tile.shape(lambda input, multiples: tiled_shape(input.shape, multiples))


def tiled_shape(shape: tuple[int, ...], multiples: tuple[int, ...]) -> tuple[int, ...]:
    if len(multiples) != len(shape):
        refuse(
            f"tile() expects one multiple for each of the {len(shape)} axes of the input, "
            f"not {len(multiples)}."
        )
    if any(count < 0 for count in multiples):
        refuse(f"tile() expects multiples of at least 0; {list(multiples)} came.")
    return tuple([size * count for size, count in zip(shape, multiples, strict=True)])


@op("TileGrad", convert={"multiples": static_vector}, raw=("input", "multiples"), linear="input")
def tile_gradient(xp, input, *, multiples):
    """The sum of the ``multiples`` copies of which ``input``, a result of `tile`, consists."""
    parts = []
    for size, count in zip(input.shape, multiples, strict=True):
        if count < 0 or (size % count if count else size):
            refuse(
                f"A tensor of shape {list(input.shape)} does not consist "
                f"of {list(multiples)} copies."
            )
        parts += [count, size // count if count else 0]
    return input.reshape(parts).sum(axis=tuple(range(0, len(parts), 2)), dtype=input.dtype)


@tile_gradient.shape
def untiled_shape(input, multiples):
    return tuple(
        [size // count if count else 0 for size, count in zip(input.shape, multiples, strict=True)]
    )


tile.gradient(
    input=lambda dy, input_shape, multiples: (
        tile_gradient(dy, multiples=multiples) if 0 not in multiples else zeros_of(input_shape, dy)
    )
)
tile.batching(lambda items, input, multiples: items.run(input, multiples=(1, *multiples)))
tile_gradient.gradient(input=lambda dy, multiples: tile(dy, multiples))
tile_gradient.batching(lambda items, input, multiples: items.run(input, multiples=(1, *multiples)))


def zeros_of(shape: tuple[int, ...], like: Tensor) -> Tensor:
    """Zeros of this shape in the dtype of ``like``."""
    return zeros(shape, like.dtype)
