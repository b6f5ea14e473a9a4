"""Functions that move, join or pick elements, by NumPy's names."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

from tapegrad import dtypes
from tapegrad.annex.numpy_like import ops
from tapegrad.annex.numpy_like.arguments import DIAGONAL, VALUE
from tapegrad.annex.numpy_like.lattice import mark_like
from tapegrad.annex.numpy_like.promotion import asarray, promoted
from tapegrad.core import Tensor
from tapegrad.errors import refuse
from tapegrad.framework.docstrings import describes
from tapegrad.framework.shape import TensorShape

PUBLIC = {
    "experimental.numpy": (
        "append atleast_1d atleast_2d atleast_3d broadcast_arrays broadcast_to compress concatenate cross "
        "diag diagflat diagonal diff dsplit dstack expand_dims flatten=ravel flip fliplr flipud hsplit "
        "hstack ix_ meshgrid moveaxis ndim nonzero pad ravel repeat reshape roll rot90 select shape size "
        "split squeeze stack swapaxes take take_along_axis tile trace transpose tri tril triu vsplit vstack "
        "where"
    ),
}

OF_TENSOR = describes(a=VALUE)
PARTS = describes(
    ary=VALUE,
    indices_or_sections=(
        "the number of equal parts, or a list of the positions where the second part and the following ones "
        "begin."
    ),
)
OF_DIAGONAL = describes(
    offset=DIAGONAL,
    axis1="the axis of the rows.",
    axis2="the axis of the columns.",
)
TRIANGLE = describes(
    m="a tensor with two axes at least: matrices in its last two axes.", k=DIAGONAL
)


def reshape(a: Any, newshape: Any, order: str = "C") -> Tensor:
    """The elements in another shape. In the order "F" the first axis runs fastest.

    >>> tf.experimental.numpy.reshape([1, 2, 3, 4], (2, -1)).numpy()
    array([[1, 2],
           [3, 4]])

    Args:
        a: a tensor, or a value that becomes one.
        newshape: the sizes: a list of integers, or one integer. One of them may be -1, for what is left.
        order: "C", or "F", in which the first axis runs fastest, in ``a`` and in the result.
    """
    tensor = asarray(a)
    if order not in ("C", "F"):
        raise ValueError(f"Unsupported value for `order`: {order!r}. It is 'C' or 'F'.")
    sizes = [newshape] if isinstance(newshape, int) else newshape
    if order == "C":
        return ops.reshape(tensor, sizes)
    return ops.transpose(ops.reshape(ops.transpose(tensor), asarray(sizes, np.int32)[::-1]))


@OF_TENSOR
def ravel(a: Any) -> Tensor:
    """The elements in a row."""
    return ops.reshape(asarray(a), [-1])


def transpose(a: Any, axes: Any = None) -> Tensor:
    """The axes in another order; turned round if ``axes`` is None.

    >>> tf.experimental.numpy.transpose([[1, 2], [3, 4]]).numpy()
    array([[1, 3],
           [2, 4]])

    Args:
        a: a tensor, or a value that becomes one.
        axes: the axes of ``a`` in their new order.
    """
    return ops.transpose(asarray(a), axes)


def expand_dims(a: Any, axis: int) -> Tensor:
    """One more axis, of size 1.

    Args:
        a: a tensor, or a value that becomes one.
        axis: the place of the new axis in the result; a negative number counts from the last.
    """
    return ops.expand_dims(asarray(a), axis)


def squeeze(a: Any, axis: Any = None) -> Tensor:
    """Without axes of size 1.

    Args:
        a: a tensor, or a value that becomes one.
        axis: the axis, or a list of axes, which have size 1; None for all axes of size 1.
    """
    return ops.squeeze(asarray(a), axis)


def broadcast_to(array: Any, shape: Any) -> Tensor:
    """The elements, repeated to fill ``shape``.

    Args:
        array: a tensor, or a value that becomes one.
        shape: the shape of the result: a list of integers, or one integer.
    """
    return ops.broadcast_to(asarray(array), [shape] if isinstance(shape, int) else shape)


def broadcast_arrays(*args: Any, **kwargs: Any) -> list[Tensor]:
    """The tensors, each repeated to fill the shape of them all.

    Args:
        args: tensors whose shapes broadcast, or values that become tensors.
        kwargs: NumPy's ``subok``, if it is false. Nothing else is taken.
    """
    if kwargs.pop("subok", False):
        raise ValueError("subok=True is not supported.")
    if kwargs:
        raise ValueError(f"Received unsupported arguments {', '.join(kwargs)}")
    tensors = [asarray(a) for a in args]
    shape = ops.zeros([0], dtypes.int32)
    for tensor in tensors:
        shape = ops.broadcast_dynamic_shape(shape, ops.shape(tensor))
    return [ops.broadcast_to(tensor, shape) for tensor in tensors]


def atleast(rank: int, arys: tuple[Any, ...], shape: Callable[[list[int]], list[int]]) -> Any:
    """The tensors, those with fewer axes than ``rank`` in the shape that ``shape`` makes of theirs.

    One tensor is given back as it is, several as a list.
    """
    tensors = [asarray(a) for a in arys]
    tensors = [
        tensor if tensor.ndim >= rank else ops.reshape(tensor, shape(list(tensor._shape_tuple())))
        for tensor in tensors
    ]
    return tensors[0] if len(tensors) == 1 else tensors


def atleast_1d(*arys: Any) -> Any:
    """The tensors, a scalar as a vector. Of several, a list.

    Args:
        arys: tensors, or values that become tensors.
    """
    return atleast(1, arys, lambda sizes: [1])


def atleast_2d(*arys: Any) -> Any:
    """The tensors, a vector as a row. Of several, a list.

    Args:
        arys: tensors, or values that become tensors. A scalar becomes a matrix with one element.
    """
    return atleast(2, arys, lambda sizes: [1] * (2 - len(sizes)) + sizes)


def atleast_3d(*arys: Any) -> Any:
    """The tensors, a matrix with a third axis, a vector between two axes. Of several, a list.

    >>> tf.experimental.numpy.atleast_3d([1, 2]).shape
    TensorShape([1, 2, 1])

    Args:
        arys: tensors, or values that become tensors. A scalar gets three axes of size 1.
    """
    return atleast(3, arys, lambda sizes: ([1, *(sizes or [1])] if len(sizes) < 2 else sizes) + [1])


def moveaxis(a: Any, source: Any, destination: Any) -> Tensor:
    """The axes ``source`` at the places ``destination``.

    >>> tf.experimental.numpy.moveaxis(tf.ones([2, 3, 4]), 0, -1).shape
    TensorShape([3, 4, 2])

    Args:
        a: a tensor, or a value that becomes one.
        source: an axis, or a list of axes.
        destination: the place of that axis in the result, or a list with the place of each. The other axes
            keep their order.
    """
    tensor = asarray(a)
    sources = [axis % tensor.ndim for axis in np.atleast_1d(source).tolist()]
    targets = [axis % tensor.ndim for axis in np.atleast_1d(destination).tolist()]
    order = [axis for axis in range(tensor.ndim) if axis not in sources]
    for target, axis in sorted(zip(targets, sources, strict=True)):
        order.insert(target, axis)
    return ops.transpose(tensor, order)


def swapaxes(a: Any, axis1: int, axis2: int) -> Tensor:
    """Two axes, each in the place of the other.

    Args:
        a: a tensor, or a value that becomes one.
        axis1, axis2: the axes; negative numbers count from the last.
    """
    tensor = asarray(a)
    order = list(range(tensor.ndim))
    order[axis1], order[axis2] = order[axis2], order[axis1]
    return ops.transpose(tensor, order)


def concatenate(arys: Any, axis: Any = 0) -> Tensor:
    """The tensors one after the other along ``axis``.

    >>> tf.experimental.numpy.concatenate([[1, 2], [3.5]]).numpy()
    array([1. , 2. , 3.5])

    Args:
        arys: a list of tensors, which are cast to one dtype; their shapes differ along ``axis`` alone.
        axis: an axis; None for a row of all their elements.
    """
    tensors = promoted(*arys)
    if axis is None:
        tensors, axis = [ravel(tensor) for tensor in tensors], 0
    return ops.concat(tensors, axis)


def stack(arrays: Any, axis: int = 0) -> Tensor:
    """The tensors along a new axis.

    >>> tf.experimental.numpy.stack([[1, 2], [3, 4]], axis=1).numpy()
    array([[1, 3],
           [2, 4]])

    Args:
        arrays: a list of tensors of one shape, which are cast to one dtype.
        axis: the place of the new axis in the result.
    """
    return ops.stack(promoted(*arrays), axis)


def vstack(tup: Any) -> Tensor:
    """The rows of all tensors; a vector is a row.

    Args:
        tup: a list of tensors, whose shapes differ along the first axis alone.
    """
    return concatenate(
        [asarray(a) if asarray(a).ndim > 1 else ops.reshape(asarray(a), [1, -1]) for a in tup]
    )


def hstack(tup: Any) -> Tensor:
    """The columns of all tensors, or the elements of vectors.

    Args:
        tup: a list of tensors, whose shapes differ along the second axis alone; or of vectors and scalars.
    """
    tensors = [asarray(a) if asarray(a).ndim else ravel(a) for a in tup]
    return concatenate(tensors, 0 if tensors[0].ndim == 1 else 1)


def dstack(tup: Any) -> Tensor:
    """The tensors one behind the other along the third axis.

    Args:
        tup: a list of tensors, whose shapes differ along the third axis alone, which matrices and vectors get
            with size 1.
    """
    return concatenate([atleast_3d(a) for a in tup], 2)


def append(arr: Any, values: Any, axis: Any = None) -> Tensor:
    """``values`` behind ``arr`` along ``axis``; behind its elements in a row if ``axis`` is None.

    Args:
        arr: a tensor, or a value that becomes one.
        values: a tensor whose shape differs from that of ``arr`` along ``axis`` alone; of any shape if that
            is None.
        axis: an axis of ``arr``, or None.
    """
    if axis is None:
        arr, values, axis = ravel(arr), ravel(values), 0
    return concatenate([arr, values], axis)


def split(ary: Any, indices_or_sections: Any, axis: int = 0) -> list[Tensor]:
    """A list of parts: so many equal ones, or those between the given positions.

    >>> [part.numpy().tolist() for part in tf.experimental.numpy.split([1, 2, 3, 4], [1, 3])]
    [[1], [2, 3], [4]]

    Args:
        ary: a tensor, or a value that becomes one.
        indices_or_sections: the number of equal parts, or a list of the positions where the second part and
            the following ones begin. Negative positions count from the end.
        axis: the axis that is cut.
    """
    tensor = asarray(ary)
    if isinstance(indices_or_sections, int):
        return ops.split(tensor, indices_or_sections, axis)
    size = tensor._shape_tuple()[axis]
    # Positions count as in a slice: negative ones from the end, and none lies beyond the end.
    parts = [
        slice(*ends).indices(size) for ends in itertools.pairwise([0, *indices_or_sections, size])
    ]
    return [
        ops.gather(tensor, np.arange(first, max(first, last)), axis=axis)
        for first, last, _ in parts
    ]


def split_along(ary: Any, indices_or_sections: Any, axis: int) -> list[Tensor]:
    tensor = asarray(ary)
    if tensor.ndim <= axis:
        raise ValueError(f"A tensor with {tensor.ndim} axes cannot be split along axis {axis}.")
    size = tensor._shape_tuple()[axis]
    if isinstance(indices_or_sections, int) and size % indices_or_sections:
        raise ValueError(
            f"array split does not result in an equal division: of {size} into {indices_or_sections} parts"
        )
    return split(tensor, indices_or_sections, axis)


@PARTS
def hsplit(ary: Any, indices_or_sections: Any) -> list[Tensor]:
    """A list of parts along the second axis, or along that of a vector."""
    return split_along(ary, indices_or_sections, 0 if asarray(ary).ndim == 1 else 1)


@PARTS
def vsplit(ary: Any, indices_or_sections: Any) -> list[Tensor]:
    """A list of parts along the first axis."""
    return split_along(ary, indices_or_sections, 0)


@PARTS
def dsplit(ary: Any, indices_or_sections: Any) -> list[Tensor]:
    """A list of parts along the third axis."""
    return split_along(ary, indices_or_sections, 2)


def tile(a: Any, reps: Any) -> Tensor:
    """``a`` so many times along each axis.

    Args:
        a: a tensor, or a value that becomes one.
        reps: how often, for each axis: a list, or one number for the last axis. Missing axes of either are
            put in front.
    """
    tensor, counts = asarray(a), np.atleast_1d(reps).tolist()
    rank = max(tensor.ndim, len(counts))
    tensor = ops.reshape(tensor, [1] * (rank - tensor.ndim) + list(tensor._shape_tuple()))
    return ops.tile(tensor, [1] * (rank - len(counts)) + counts)


def repeat(a: Any, repeats: Any, axis: Any = None) -> Tensor:
    """Each element so many times.

    Args:
        a: a tensor, or a value that becomes one.
        repeats: how often: one integer for all elements, or one for each index along ``axis``.
        axis: the axis along which copies follow each other; None for a row of all elements.
    """
    tensor = asarray(a)
    return mark_like(ops.repeat(tensor, repeats, axis), tensor)


def roll(a: Any, shift: Any, axis: Any = None) -> Tensor:
    """The elements moved along, those at the end to the beginning.

    Args:
        a: a tensor, or a value that becomes one.
        shift: by how many places, or a list of that for each axis. A negative number moves elements towards
            the beginning.
        axis: an axis, or a list of axes; None moves all elements as one row.
    """
    tensor = asarray(a)
    if axis is None:
        return ops.reshape(ops.roll(ravel(tensor), shift, 0), ops.shape(tensor))
    return ops.roll(tensor, shift, axis)


def flip(m: Any, axis: Any = None) -> Tensor:
    """The elements along ``axis`` from the last to the first; along all axes if it is None.

    Args:
        m: a tensor, or a value that becomes one.
        axis: one axis, or None.
    """
    tensor = asarray(m)
    axes = list(range(tensor.ndim)) if axis is None else [axis]
    return mark_like(ops.reverse(tensor, axes), tensor)


def fliplr(m: Any) -> Tensor:
    """The elements along the second axis from the last to the first.

    Args:
        m: a tensor with two axes at least.
    """
    return flip(m, 1)


def flipud(m: Any) -> Tensor:
    """The elements along the first axis from the last to the first.

    Args:
        m: a tensor, or a value that becomes one; a scalar stays as it is.
    """
    tensor = asarray(m)
    return flip(tensor, 0) if tensor.ndim else tensor


def rot90(m: Any, k: int = 1, axes: Any = (0, 1)) -> Tensor:
    """The elements turned ``k`` times by a right angle, from the first of ``axes`` towards the second.

    Args:
        m: a tensor with two axes at least.
        k: how many right angles; negative ones turn the other way.
        axes: a pair of different axes, which span the plane.
    """
    tensor = asarray(m)
    first, second = axes
    inside = -tensor.ndim <= min(axes) <= max(axes) < tensor.ndim
    if not inside or first % tensor.ndim == second % tensor.ndim:
        refuse(f"rot90() needs two different axes of {tensor.ndim}; {tuple(axes)} came.")
    turns = k % 4
    if turns == 2:
        return flip(flip(tensor, first), second)
    if turns == 1:
        tensor = flip(tensor, second)
    if turns:
        tensor = swapaxes(tensor, first, second)
    return flip(tensor, second) if turns == 3 else tensor


@OF_TENSOR
def shape(a: Any) -> TensorShape:
    """The sizes."""
    return asarray(a).shape


def size(x: Any, axis: Any = None) -> Any:
    """The number of elements, or the size of one axis.

    Args:
        x: a tensor, or a value that becomes one.
        axis: an axis, or None.
    """
    sizes = list(asarray(x)._shape_tuple())
    return np.prod(sizes, dtype=np.int64) if axis is None else sizes[axis]


@OF_TENSOR
def ndim(a: Any) -> int:
    """The number of axes."""
    return int(asarray(a).ndim)


def where(condition: Any, x: Any = None, y: Any = None) -> Any:
    """The elements of ``x`` where ``condition`` is true, else those of ``y``; without them, its positions.

    >>> tf.experimental.numpy.where([True, False], [1, 2], 0).numpy()
    array([1, 0])

    Args:
        condition: a tensor, or a value that becomes one. Elements are true unless they are 0.
        x, y: both None, or tensors that are cast to one dtype; their shapes broadcast with that of
            ``condition``.
    """
    truth = ops.cast(asarray(condition), dtypes.bool)
    if x is None and y is None:
        return nonzero(truth)
    if x is None or y is None:
        raise ValueError("Give both x and y, or none of them.")
    x, y = promoted(x, y)
    return ops.where(truth, x, y)


@OF_TENSOR
def nonzero(a: Any) -> list[Tensor]:
    """For each axis the positions of the elements that are not zero. A scalar is a vector here."""
    tensor = atleast_1d(a)
    return list(ops.unstack(ops.transpose(ops.where(ops.cast(tensor, dtypes.bool))), tensor.ndim))


def select(condlist: Any, choicelist: Any, default: Any = 0) -> Tensor:
    """The elements of the first choice whose condition is true, else ``default``.

    Args:
        condlist: a list of tensors of truth values.
        choicelist: a list of tensors, one for each condition. All shapes broadcast, and all values are cast
            to one dtype.
        default: the elements where no condition is true.
    """
    if len(condlist) != len(choicelist):
        raise ValueError("condlist and choicelist must be of the same length.")
    if not condlist:
        raise ValueError("condlist must not be empty.")
    default, *choices = promoted(default, *map(asarray, choicelist))
    result: Tensor = default
    for condition, choice in zip(reversed(condlist), reversed(choices), strict=True):
        result = ops.where(ops.cast(asarray(condition), dtypes.bool), choice, result)
    return result


def take(a: Any, indices: Any, axis: Any = None, out: Any = None, mode: str = "clip") -> Tensor:
    """The elements at ``indices``. Those beyond the end are clipped, or wrapped around.

    >>> tf.experimental.numpy.take([10, 20, 30], [2, 5]).numpy()
    array([30, 30])

    Args:
        a: a tensor, or a value that becomes one.
        indices: integers of any shape, which stands in the result where the axis was.
        axis: the axis that ``indices`` count along; None for all elements in a row.
        out: None: tensors do not change, so no other value is taken.
        mode: "clip" takes the first or last element for indices outside, negative ones too; "wrap" begins
            again at the other end.
    """
    if out is not None:
        raise ValueError("out is not supported: tensors do not change. Use the result.")
    if mode not in ("clip", "wrap"):
        raise ValueError(f"Unsupported mode of take(): {mode!r}. It is 'clip' or 'wrap'.")
    tensor, places = asarray(a), asarray(indices)
    if axis is None:
        tensor, axis = ravel(tensor), 0
    count = ops.cast(tensor._shape_tuple()[axis], places.dtype)
    places = (
        ops.floormod(places, count) if mode == "wrap" else ops.clip_by_value(places, 0, count - 1)
    )
    return ops.gather(tensor, places, axis=axis)


def take_along_axis(arr: Any, indices: Any, axis: Any) -> Tensor:
    """For each row along ``axis`` the elements at its own ``indices``, which broadcast along other axes.

    Differs from TensorFlow: with ``axis=None``, ``arr`` counts as one row.

    >>> tf.experimental.numpy.take_along_axis([[10, 20], [30, 40]], [[1], [0]], 1).numpy()
    array([[20],
           [30]])

    Args:
        arr: a tensor, or a value that becomes one.
        indices: integers, with as many axes as ``arr``. Negative ones count from the end.
        axis: an axis of ``arr``, or None.
    """
    tensor, places = asarray(arr), asarray(indices)
    if axis is None:
        tensor, axis = ravel(tensor), 0
    if not places.dtype.is_integer:
        refuse(f"take_along_axis() needs indices that are integers; {places.dtype.name} came.")
    if tensor.ndim != places.ndim or not -tensor.ndim <= axis < tensor.ndim:
        refuse(
            "take_along_axis() needs indices with as many axes as the tensor, and one of these; tensors "
            f"with {tensor.ndim} and {places.ndim} axes came, and the axis {axis}."
        )
    tensor, places = swapaxes(tensor, axis, -1), swapaxes(places, axis, -1)
    count = ops.cast(tensor._shape_tuple()[-1], places.dtype)
    places = ops.where(places < 0, places + count, places)
    batch = ops.broadcast_dynamic_shape(ops.shape(tensor)[:-1], ops.shape(places)[:-1])
    tensor = ops.broadcast_to(tensor, ops.concat([batch, ops.shape(tensor)[-1:]], 0))
    places = ops.broadcast_to(places, ops.concat([batch, ops.shape(places)[-1:]], 0))
    return swapaxes(ops.gather(tensor, places, batch_dims=tensor.ndim - 1), axis, -1)


def compress(condition: Any, a: Any, axis: Any = None) -> Tensor:
    """The parts along ``axis`` where ``condition`` is true; beyond its end none.

    Args:
        condition: a vector of truth values; places beyond its end count as false.
        a: a tensor, or a value that becomes one.
        axis: the axis along which parts are kept; None for all elements in a row.
    """
    truth, tensor = ops.cast(asarray(condition), dtypes.bool), asarray(a)
    if truth.ndim != 1:
        raise ValueError("condition must be a 1-d array.")
    if axis is None:
        tensor, axis = ravel(tensor), 0
    axis %= tensor.ndim
    count, size = truth._shape_tuple()[0], tensor._shape_tuple()[axis]
    if count > size:
        raise ValueError(
            f"compress() got a condition with {count} elements for an axis of size {size}."
        )
    return ops.boolean_mask(tensor, ops.pad(truth, [[0, size - count]]), axis)


def diff(a: Any, n: int = 1, axis: int = -1) -> Tensor:
    """The differences of neighbours along ``axis``, taken ``n`` times. Of bools, whether they differ.

    Args:
        a: a tensor, or a value that becomes one.
        n: how often; 0 leaves ``a`` as it is.
        axis: the axis, along which the result has ``n`` elements less.
    """
    tensor = asarray(a)
    if n < 0:
        raise ValueError(f"diff() is taken n times, and n is not negative; {n} came.")
    if not -tensor.ndim <= axis < tensor.ndim:
        raise ValueError(f"diff() needs an axis of {tensor.ndim}; {axis} came.")
    tensor = swapaxes(tensor, axis, -1)
    for _ in range(n):
        later, earlier = tensor[..., 1:], tensor[..., :-1]
        tensor = ops.not_equal(later, earlier) if tensor.dtype.is_bool else later - earlier
    return swapaxes(tensor, axis, -1)


def pad(array: Any, pad_width: Any, mode: str, **kwargs: Any) -> Tensor:
    """The elements with more around them: so many before and behind, for each axis or for all.

    >>> tf.experimental.numpy.pad([1, 2], (1, 2), "constant").numpy()
    array([0, 1, 2, 0, 0])

    Args:
        array: a tensor, or a value that becomes one.
        pad_width: a pair for each axis, one pair for all, or one number.
        mode: "constant" (with ``constant_values``, 0 by default), "reflect" or "symmetric".
        kwargs: ``constant_values``, a number. Nothing else is taken.
    """
    if mode not in ("constant", "reflect", "symmetric"):
        raise ValueError(f"Unsupported padding mode: {mode}. It is constant, reflect or symmetric.")
    value = kwargs.pop("constant_values", 0)
    if kwargs:
        raise ValueError(f"pad() takes constant_values beside the mode; {', '.join(kwargs)} came.")
    tensor = asarray(array)
    try:
        widths = np.broadcast_to(pad_width, (tensor.ndim, 2))
    except ValueError:
        refuse(
            f"pad() needs a pair of widths for each of {tensor.ndim} axes, or one pair, or one number; "
            f"{pad_width} came."
        )
    return ops.pad(tensor, widths, mode, value)


def ix_(*args: Any) -> list[Tensor]:
    """Positions along each axis, in shapes that broadcast to all their combinations.

    Args:
        args: vectors of integers, or of bools, which stand for the positions where they are true.
    """
    tensors = [asarray(a) for a in args]
    for number, tensor in enumerate(tensors):
        if tensor.ndim != 1:
            raise ValueError(f"Arguments must be 1-d, got arg {number} of rank {tensor.ndim}")
        if tensor.dtype.is_bool:
            (tensors[number],) = nonzero(tensor)
        elif not tensor.dtype.is_integer:
            raise ValueError(f"Only integer and bool dtypes are supported, got {tensor.dtype}")
    rank = len(tensors)
    return [
        ops.reshape(tensor, [1] * number + [-1] + [1] * (rank - number - 1))
        for number, tensor in enumerate(tensors)
    ]


def cross(
    a: Any, b: Any, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: int | None = None
) -> Tensor:
    """The cross products of vectors with three elements, or two, which lie in a plane.

    Of vectors with two, the result is the third element of the product alone.

    Args:
        a, b: tensors with vectors along one axis; the other axes broadcast. Both are cast to one dtype.
        axisa, axisb: the axes of ``a`` and ``b`` that have the vectors.
        axisc: the axis of the result that has the products.
        axis: one axis instead of these three; None for them.
    """
    if axis is not None:
        axisa = axisb = axisc = axis
    a, b = promoted(a, b)
    if not (-a.ndim <= axisa < a.ndim and -b.ndim <= axisb < b.ndim):
        raise IndexError(
            f"cross() needs vectors along the axes {axisa} and {axisb}; tensors with {a.ndim} and {b.ndim} "
            "axes came."
        )
    a, b = moveaxis(a, axisa, -1), moveaxis(b, axisb, -1)
    in_plane = a._shape_tuple()[-1] == b._shape_tuple()[-1] == 2
    a, b = broadcast_arrays(*[
        ops.concat([x, ops.zeros_like(x[..., :1])], -1) if x._shape_tuple()[-1] == 2 else x
        for x in (a, b)
    ])  # fmt: skip
    product = ops.cross(a, b)
    return product[..., 2] if in_plane else moveaxis(product, -1, axisc)


def diagflat(v: Any, k: int = 0) -> Tensor:
    """The matrix with the elements of ``v`` on the diagonal ``k``.

    Args:
        v: a tensor of any shape, whose elements are taken in a row.
        k: the number of the diagonal: 0 is the main one, positive numbers are above it, negative ones below.
    """
    return diag(ravel(v), k)


@OF_DIAGONAL
def diagonal(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Tensor:
    """The diagonals of the matrices along two axes, as the last axis.

    Args:
        a: a tensor with two axes at least.
    """
    tensor = asarray(a)
    if tensor.ndim < 2:
        refuse(f"diagonal() needs two axes at least; a tensor with {tensor.ndim} came.")
    tensor = moveaxis(tensor, [axis1, axis2], [-2, -1])
    rows, columns = tensor._shape_tuple()[-2:]
    if not -rows < offset < columns:
        return tensor[..., 0, :0]
    return ops.diag_part(tensor, k=offset)


def diag(v: Any, k: int = 0) -> Tensor:
    """The diagonal ``k`` of a matrix, or the matrix that has it.

    Args:
        v: a matrix, whose diagonal is taken; or a vector, which becomes the diagonal.
        k: the number of the diagonal: 0 is the main one, positive numbers are above it, negative ones below.
    """
    tensor = asarray(v)
    if tensor.ndim == 1:
        return ops.diag(tensor, k=k)
    return ops.diag_part(tensor, k=k)


@OF_DIAGONAL
def trace(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None) -> Tensor:
    """The sum of a diagonal.

    Args:
        a: a tensor with two axes at least.
        dtype: the dtype to which the elements are cast first; None for that of ``a``.
    """
    tensor = moveaxis(asarray(a, dtype), [axis1, axis2], [-2, -1])
    return ops.reduce_sum(ops.diag_part(tensor, k=offset, padding_value=0), -1)


def tri(N: int, M: int | None = None, k: int = 0, dtype: Any = None) -> Tensor:
    """Ones at and below the diagonal ``k``.

    Args:
        N: the number of rows.
        M: the number of columns; None for as many as rows.
        k: the number of the diagonal: 0 is the main one, positive numbers are above it, negative ones below.
        dtype: the dtype of the result; None for float64.
    """
    return asarray(np.tri(N, M, k), np.float64 if dtype is None else dtype)


@TRIANGLE
def tril(m: Any, k: int = 0) -> Tensor:
    """The elements at and below the diagonal ``k``, and zeros."""
    tensor = asarray(m)
    kept = tri(tensor._shape_tuple()[-2], tensor._shape_tuple()[-1], k, bool)
    return ops.where(kept, tensor, ops.zeros_like(tensor))


@TRIANGLE
def triu(m: Any, k: int = 0) -> Tensor:
    """The elements at and above the diagonal ``k``, and zeros."""
    tensor = asarray(m)
    kept = tri(tensor._shape_tuple()[-2], tensor._shape_tuple()[-1], k - 1, bool)
    return mark_like(ops.where(kept, ops.zeros_like(tensor), tensor), tensor)


def meshgrid(*xi: Any, **kwargs: Any) -> list[Tensor]:
    """The coordinates of a grid with these numbers along its axes: a list with a tensor for each.

    Args:
        xi: vectors, or scalars.
        kwargs: ``indexing``, "xy" (the default: the first vector along axis 1) or "ij" (along axis 0).
            ``copy`` and ``sparse`` keep their defaults.
    """
    if not kwargs.pop("copy", True) or kwargs.pop("sparse", False):
        raise ValueError("meshgrid makes whole copies alone: leave `copy` and `sparse` out.")
    return ops.meshgrid(*(asarray(x) for x in xi), **kwargs)
