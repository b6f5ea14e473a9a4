"""Diagonals of matrices: reading and replacing them, matrices made of them, bands and traces.

A band of diagonals k[0]..k[1] is held as rows, the topmost diagonal first, each padded to the longest. The
place in those rows where an element of a matrix finds its value depends on shapes alone. It is worked out
here as an index matrix, so that every kernel is one take and one where.
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from tapegrad import dtypes
from tapegrad.core import EagerTensor, Tensor, convert, public
from tapegrad.engines.numpy import bands, reductions, views
from tapegrad.errors import refuse
from tapegrad.ops.args import convert_beside, static_array, static_int, static_ints
from tapegrad.ops.batching import leading, leading_but
from tapegrad.ops.op import ANY, FLOATING, INDEX, NUMERIC, op
from tapegrad.ops.shape import array

PUBLIC = {
    "linalg": "diag diag_part tensor_diag_part trace",
    "linalg compat.v1.linalg": "band_part set_diag tensor_diag",
}


ALIGNMENTS = ("LEFT_RIGHT", "RIGHT_LEFT", "LEFT_LEFT", "RIGHT_RIGHT")


def _static_band(k: Any) -> tuple[int, int]:
    band = static_ints(k)
    if len(band) not in (1, 2):
        refuse(f"k (diag_index) must have only one or two elements, received {len(band)} elements.")
    lower, upper = band[0], band[-1]
    if lower > upper:
        refuse(f"The lowest diagonal k[0] must not be larger than k[1]: {lower} > {upper}.")
    return lower, upper


def _static_alignment(align: Any) -> str:
    if align not in ALIGNMENTS:
        refuse(
            f"Value for attr 'align' of {align!r} is not in the list of allowed values: "
            f"{', '.join(ALIGNMENTS)}."
        )
    return align


def _check_band(k: tuple[int, int], rows: int, columns: int) -> None:
    for diagonal in k:
        # TensorFlow accepts 0 for an empty matrix.
        if diagonal and not -rows < diagonal < columns:
            refuse(
                f"diag_index {diagonal} is out of bound. "
                f"It must be between {1 - rows} and {columns - 1} for matrices "
                f"of {rows} by {columns}."
            )


def _length(diagonal: int, rows: int, columns: int) -> int:
    return max(0, min(rows + min(diagonal, 0), columns - max(diagonal, 0)))


def _longest(k: tuple[int, int], rows: int, columns: int) -> int:
    """The length of the band's longest diagonal, the one nearest to the main diagonal."""
    return min(rows + min(k[1], 0), columns - max(k[0], 0))


def _offset(diagonal: int, longest: int, rows: int, columns: int, align: str) -> int:
    """The index in its padded row at which a diagonal starts. ``align`` names superdiagonals first."""
    upper, below = align.split("_")
    left = (diagonal >= 0 and upper == "LEFT") or (diagonal <= 0 and below == "LEFT")
    return 0 if left else longest - _length(diagonal, rows, columns)


def _places_in_band(
    k: tuple[int, int], rows: int, columns: int, align: str
) -> tuple[np.ndarray, np.ndarray]:
    """For each element of a matrix: whether the band holds it, and its index in the band's flat rows."""
    longest = _longest(k, rows, columns)
    row, column = np.indices((rows, columns), sparse=True)
    diagonal = column - row
    inside = (diagonal >= k[0]) & (diagonal <= k[1])
    offsets = np.array([_offset(d, longest, rows, columns, align) for d in range(k[0], k[1] + 1)])
    band = np.clip(diagonal, k[0], k[1])
    index = (k[1] - band) * longest + np.minimum(row, column) + offsets[band - k[0]]
    return inside, np.where(inside, index, 0)


def _places_in_matrix(
    k: tuple[int, int], rows: int, columns: int, align: str
) -> tuple[np.ndarray, np.ndarray]:
    """For each element of the padded rows: whether it is no padding, and its index in the flat matrix."""
    longest = _longest(k, rows, columns)
    inside = np.zeros((k[1] - k[0] + 1, longest), bool)
    index = np.zeros(inside.shape, np.intp)
    for i, diagonal in enumerate(range(k[1], k[0] - 1, -1)):
        length = _length(diagonal, rows, columns)
        start = _offset(diagonal, longest, rows, columns, align)
        inside[i, start : start + length] = True
        first = max(-diagonal, 0) * columns + max(diagonal, 0)
        index[i, start : start + length] = first + np.arange(length) * (columns + 1)
    return inside, index


def _merge(xp: Any, values: Any) -> Any:
    """``values`` with its last two axes merged into one."""
    return xp.reshape(values, (*values.shape[:-2], values.shape[-2] * values.shape[-1]))


def _sizes_for_diagonals(
    shape: tuple[int, ...], k: tuple[int, int], rows: int, columns: int
) -> tuple[int, int]:
    """The size of the matrix for diagonals of ``shape``: the smallest that fits, where a size is -1."""
    count = k[1] - k[0] + 1
    if len(shape) < 1:
        refuse("diagonal must be at least 1-dim, received shape: [].")
    if count > 1 and (len(shape) < 2 or shape[-2] != count):
        refuse(
            f"k = {list(k)} names {count} diagonals, "
            f"which the second last axis of the diagonals given, of shape {list(shape)}, "
            "does not match."
        )
    least_rows = shape[-1] - min(k[1], 0)
    least_columns = shape[-1] + max(k[0], 0)
    if rows == -1 and columns == -1:
        rows = columns = max(least_rows, least_columns)
    elif rows == -1:
        rows = least_rows
    elif columns == -1:
        columns = least_columns
    for what, size, least in (("rows", rows, least_rows), ("columns", columns, least_columns)):
        if size < least:
            refuse(
                f"The number of {what} is too small: {size}, "
                f"where diagonals of length {shape[-1]} need {least}."
            )
    if rows != least_rows and columns != least_columns:
        refuse(
            f"A matrix of {rows} by {columns} is not consistent with k = {list(k)} and diagonals "
            f"of length {shape[-1]}."
        )
    return rows, columns


def _check_scalar(padding_value: Any) -> None:
    if padding_value.ndim:
        refuse(f"padding_value must be a scalar, not of shape {list(padding_value.shape)}.")


@op(
    "MatrixDiagV3",
    dtypes=ANY,
    convert={
        "k": _static_band,
        "num_rows": static_int,
        "num_cols": static_int,
        "align": _static_alignment,
    },
    raw=("diagonal", "padding_value", "k", "num_rows", "num_cols", "align"),
    linear="diagonal padding_value",
    lane=bands.matrix_diagonal,
)
def matrix_diag(
    xp, diagonal, padding_value, *, k=(0, 0), num_rows=-1, num_cols=-1, align="RIGHT_LEFT"
):
    """Matrices with the given diagonals. See ``tf.linalg.diag``."""
    _check_scalar(padding_value)
    rows, columns = _sizes_for_diagonals(diagonal.shape, k, num_rows, num_cols)
    _check_band(k, rows, columns)
    inside, index = _places_in_band(k, rows, columns, align)
    flat = diagonal if k[0] == k[1] else _merge(xp, diagonal)
    if not flat.shape[-1]:
        return xp.broadcast_to(padding_value, (*flat.shape[:-1], rows, columns))
    return xp.where(inside, xp.take(flat, index, axis=-1), padding_value)


@matrix_diag.shape
def matrix_diag_shape(diagonal, padding_value, k, num_rows, num_cols):
    _check_scalar(padding_value)
    rows, columns = _sizes_for_diagonals(diagonal.shape, k, num_rows, num_cols)
    _check_band(k, rows, columns)
    return (*diagonal.shape[: -1 if k[0] == k[1] else -2], rows, columns)


matrix_diag.gradient(
    diagonal=lambda dy, k, align: matrix_diag_part(dy, _zero(dy), k, align),
    padding_value=lambda dy: None,
)
matrix_diag.batching(leading_but(1))


@op(
    "MatrixDiagPartV3",
    dtypes=ANY,
    convert={"k": _static_band, "align": _static_alignment},
    raw=("input", "padding_value", "k", "align"),
    linear="input padding_value",
    lane=views.diagonal,
    moves="input padding_value",
)
def matrix_diag_part(xp, input, padding_value, *, k=(0, 0), align="RIGHT_LEFT"):
    """Diagonals of matrices. See ``tf.linalg.diag_part``."""
    _check_matrix(input)
    if padding_value.size != 1:
        _check_scalar(padding_value)
    padding_value = padding_value.reshape(())
    rows, columns = input.shape[-2:]
    _check_band(k, rows, columns)
    if k[0] == k[1]:
        return xp.diagonal(input, k[0], -2, -1)
    inside, index = _places_in_matrix(k, rows, columns, align)
    if not input.shape[-1] or not input.shape[-2]:
        return xp.broadcast_to(padding_value, (*input.shape[:-2], *inside.shape))
    return xp.where(inside, xp.take(_merge(xp, input), index, axis=-1), padding_value)


@matrix_diag_part.shape
def matrix_diag_part_shape(input, k):
    _check_matrix(input)
    _check_band(k, *input.shape[-2:])
    return _band_shape(input.shape, k)


def _embed_diagonals(dy, input_shape, k, align):
    rows, columns = input_shape[-2:]
    if (rows == columns and k[0] <= 0 <= k[1]) or k[0] == k[1] == 0:
        return matrix_diag(dy, _zero(dy), k, rows, columns, align)
    zeros = array.broadcast_to(_zero(dy), input_shape)
    return matrix_set_diag(zeros, dy, k, align)


matrix_diag_part.gradient(input=_embed_diagonals, padding_value=lambda dy: None)
matrix_diag_part.batching(leading_but(1))


def _check_diagonals(shape: tuple[int, ...], diagonal: tuple[int, ...], k: tuple[int, int]) -> None:
    expected = _band_shape(shape, k)
    if diagonal != expected:
        refuse(
            f"The diagonals {list(k)} of an input of shape {list(shape)} have shape "
            f"{list(expected)}; those given have shape {list(diagonal)}."
        )


@op(
    "MatrixSetDiagV3",
    dtypes=ANY,
    convert={"k": _static_band, "align": _static_alignment},
    linear="input diagonal",
    lane=bands.set_diagonal,
)
def matrix_set_diag(xp, input, diagonal, *, k=(0, 0), align="RIGHT_LEFT"):
    """``input`` with some diagonals replaced. See ``tf.linalg.set_diag``."""
    _check_matrix(input)
    if diagonal.ndim < 1:
        refuse("diagonal must be at least 1-dim, received shape: [].")
    rows, columns = input.shape[-2:]
    _check_band(k, rows, columns)
    _check_diagonals(input.shape, diagonal.shape, k)
    inside, index = _places_in_band(k, rows, columns, align)
    flat = diagonal if k[0] == k[1] else _merge(xp, diagonal)
    if not flat.shape[-1] or not input.size:
        return input
    return xp.where(inside, xp.take(flat, index, axis=-1), input)


@matrix_set_diag.shape
def matrix_set_diag_shape(input, diagonal, k):
    _check_matrix(input)
    if diagonal.ndim < 1:
        refuse("diagonal must be at least 1-dim, received shape: [].")
    _check_band(k, *input.shape[-2:])
    _check_diagonals(input.shape, diagonal.shape, k)
    return input.shape


def _band_shape(shape: tuple[int, ...], k: tuple[int, int]) -> tuple[int, ...]:
    longest = _longest(k, shape[-2], shape[-1])
    count = k[1] - k[0] + 1
    return (*shape[:-2], longest) if count == 1 else (*shape[:-2], count, longest)


def _clear_diagonals(dy, k, align):
    zeros = array.broadcast_to(_zero(dy), _band_shape(dy._shape_tuple(), k))
    return matrix_set_diag(dy, zeros, k, align)


matrix_set_diag.gradient(
    input=_clear_diagonals,
    diagonal=lambda dy, k, align: matrix_diag_part(dy, _zero(dy), k, align),
)
matrix_set_diag.batching(leading)


def _zero(like: Tensor) -> EagerTensor:
    return convert(0, like.dtype)


def _check_matrix(matrix: Any, op: str | None = None) -> None:
    if matrix.ndim < 2:
        refuse(f"input must be at least 2-dim, received shape: {list(matrix.shape)}.", op=op)


@public
def diag(
    diagonal: Any,
    name: str = "diag",
    k: Any = 0,
    num_rows: Any = -1,
    num_cols: Any = -1,
    padding_value: Any = 0,
    align: str = "RIGHT_LEFT",
) -> Tensor:
    """Matrices with the given diagonal, or with the band of diagonals ``k[0]`` to ``k[1]``.

    >>> tf.linalg.diag([1, 2])
    <tf.Tensor: shape=(2, 2), dtype=int32, numpy=
    array([[1, 0],
           [0, 2]], dtype=int32)>
    >>> tf.linalg.diag([7, 8], k=1, padding_value=-1).numpy()
    array([[-1,  7, -1],
           [-1, -1,  8],
           [-1, -1, -1]], dtype=int32)

    Args:
        diagonal: a tensor whose last axis has the elements of a diagonal.
        k: the number of the diagonal: 0 is the main one, and those above it are positive. Or a pair, the
            lowest and the highest number; the second last axis of ``diagonal`` then counts diagonals, the
            highest first.
        num_rows, num_cols: the size of the matrices. -1 means the smallest size that fits.
        padding_value: the value of all other elements.
        align: the side of its row on which a shorter diagonal of a band lies: first for the diagonals above
            the main one, then for those below.
    """
    diagonal = convert_beside(diagonal, padding_value)
    return matrix_diag(diagonal, _padding(padding_value, diagonal), k, num_rows, num_cols, align)


@public
def diag_part(
    input: Any,
    name: str = "diag_part",
    k: Any = 0,
    padding_value: Any = 0,
    align: str = "RIGHT_LEFT",
) -> Tensor:
    """The diagonal of the matrices in the last two axes, or the band of diagonals ``k[0]`` to ``k[1]``.

    >>> tf.linalg.diag_part([[1, 2], [3, 4]]).numpy()
    array([1, 4], dtype=int32)
    >>> tf.linalg.diag_part([[1, 2], [3, 4]], k=(-1, 1)).numpy()
    array([[0, 2],
           [1, 4],
           [3, 0]], dtype=int32)

    Args:
        input: matrices in the last two axes.
        k: a diagonal, 0 for the main one and above it positive; or the lowest and the highest of a band.
        padding_value: what fills up the diagonals that are shorter.
        align: where the two kinds of shorter diagonals stand in their rows: those above the main one first.
    """
    input = convert_beside(input, padding_value)
    return matrix_diag_part(input, _padding(padding_value, input), k, align)


def _padding(value: Any, like: Tensor) -> Tensor:
    """The value outside of the diagonals. The default 0 becomes False for booleans."""
    if like.dtype is dtypes.bool and type(value) is int and value == 0:
        value = False
    return convert(value, like.dtype)


@public
def set_diag(
    input: Any, diagonal: Any, name: str = "set_diag", k: Any = 0, align: str = "RIGHT_LEFT"
) -> Tensor:
    """``input`` with its diagonal, or its band of diagonals ``k[0]`` to ``k[1]``, replaced.

    >>> tf.linalg.set_diag([[0, 1], [2, 3]], [8, 9]).numpy()
    array([[8, 1],
           [2, 9]], dtype=int32)

    Args:
        input: matrices in the last two axes.
        diagonal: the new elements, in the last axis. With a pair ``k`` the second last axis counts diagonals,
            the highest first.
        k: the number of the diagonal: 0 is the main one, and those above it are positive. Or a pair, the
            lowest and the highest number.
        align: at which end shorter diagonals of a band stand in their rows: "RIGHT_LEFT" puts those above the
            main one to the right and those below to the left; also "LEFT_RIGHT", "LEFT_LEFT" and
            "RIGHT_RIGHT".
    """
    input = convert_beside(input, diagonal)
    return matrix_set_diag(input, convert(diagonal, input.dtype), k, align)


@op("Diag", dtypes=FLOATING | INDEX, linear="diagonal")
def tensor_diag(xp, diagonal):
    """A tensor of twice the rank that holds ``diagonal`` where both halves of the index are the same.

    >>> tf.linalg.tensor_diag([1.0, 2.0]).numpy()
    array([[1., 0.],
           [0., 2.]], dtype=float32)
    """
    if diagonal.ndim < 1:
        refuse("Input must be at least rank 1, got 0.")
    flat = xp.reshape(diagonal, (-1,))
    square = xp.where(xp.eye(flat.shape[0], dtype=bool), flat, xp.zeros((), flat.dtype))
    return xp.reshape(square, diagonal.shape * 2)


@tensor_diag.shape
def tensor_diag_shape(diagonal):
    if diagonal.ndim < 1:
        refuse("Input must be at least rank 1, got 0.")
    return diagonal.shape * 2


@op("DiagPart", dtypes=FLOATING | INDEX, linear="input")
def tensor_diag_part(xp, input):
    """The elements of ``input`` for which both halves of the index are the same.

    >>> tf.linalg.tensor_diag_part([[1.0, 2.0], [3.0, 4.0]]).numpy()
    array([1., 4.], dtype=float32)
    """
    half = input.ndim // 2
    if input.ndim % 2 or input.shape[:half] != input.shape[half:]:
        refuse(
            "The rank of the tensor should be even, and its shape the same thing twice; "
            f"got shape {list(input.shape)}."
        )
    shape = input.shape[:half]
    size = 1
    for length in shape:
        size *= length
    return xp.reshape(xp.diagonal(xp.reshape(input, (size, size))), shape)


tensor_diag_part.shape(lambda input: input.shape[: input.ndim // 2])


tensor_diag.gradient(diagonal=lambda dy: tensor_diag_part(dy))


@tensor_diag.batching
def tensor_diag_rule(items, diagonal):
    shape = diagonal.shape[1:]
    rows = diagonal.reshape((items.size, prod(shape)))
    return items.call(
        matrix_diag, rows, np.zeros((), rows.dtype), num_rows=-1, num_cols=-1
    ).reshape((items.size, *shape, *shape))


tensor_diag_part.gradient(
    input=lambda dy: tensor_diag(dy) if dy.ndim else dy,
)


@tensor_diag_part.batching
def tensor_diag_part_rule(items, input):
    shape = input.shape[1 : 1 + input.ndim // 2]
    matrices = input.reshape((items.size, prod(shape), prod(shape)))
    parts = items.call(matrix_diag_part, matrices, np.zeros((), input.dtype))
    return parts.reshape((items.size, *shape))


# One op where TensorFlow has two: a view of 316 numbers and their sum take longer to begin than to compute.
@op("_Trace", dtypes=NUMERIC, linear="x", lane=reductions.trace_lane, accumulate="float32")
def trace(xp, x):
    """The sum of the main diagonal of the matrices in the last two axes.

    >>> tf.linalg.trace([[1.0, 2.0], [3.0, 4.0]])
    <tf.Tensor: shape=(), dtype=float32, numpy=5.0>
    """
    _check_matrix(x, "MatrixDiagPartV3")
    return xp.sum(xp.diagonal(x, 0, -2, -1), axis=-1, dtype=x.dtype)


@trace.shape
def trace_shape(x):
    _check_matrix(x, "MatrixDiagPartV3")
    return x.shape[:-2]


def _embed_traces(dy, x_shape):
    diagonal = (*x_shape[:-2], min(x_shape[-2:]))
    return _embed_diagonals(
        array.broadcast_to(array.expand_dims(dy, -1), diagonal), x_shape, (0, 0), "RIGHT_LEFT"
    )


trace.gradient(x=_embed_traces)
trace.batching(leading)


def _check_counts(shape: tuple[int, ...], num_lower: int, num_upper: int) -> None:
    rows, columns = shape[-2:]
    for what, count, size, of in (
        ("num_lower", num_lower, rows, "rows"),
        ("num_upper", num_upper, columns, "columns"),
    ):
        if count > size:
            refuse(
                f"{what} must be negative or less or equal to number of {of} ({size}) got: {count}."
            )


@op(
    "MatrixBandPart",
    dtypes=ANY,
    convert={
        "num_lower": lambda value: _static_count(value, "num_lower"),
        "num_upper": lambda value: _static_count(value, "num_upper"),
    },
    linear="input",
    lane=bands.band_part,
)
def band_part(xp, input, *, num_lower, num_upper):
    """The matrices in the last two axes, with zeros outside a band around the main diagonal.

    >>> tf.linalg.band_part(tf.ones([3, 3]), -1, 0).numpy()        # the lower triangle
    array([[1., 0., 0.],
           [1., 1., 0.],
           [1., 1., 1.]], dtype=float32)

    Args:
        input: matrices in the last two axes.
        num_lower: the number of diagonals to keep below the main one. A negative number keeps all.
        num_upper: the number of diagonals to keep above the main one, likewise.
    """
    _check_matrix(input)
    _check_counts(input.shape, num_lower, num_upper)
    rows, columns = input.shape[-2:]
    row, column = np.indices((rows, columns), sparse=True)
    inside = np.ones((rows, columns), bool)
    if num_lower >= 0:
        inside &= row - column <= num_lower
    if num_upper >= 0:
        inside &= column - row <= num_upper
    return xp.where(inside, input, xp.zeros((), input.dtype))


@band_part.shape
def band_part_shape(input, num_lower, num_upper):
    _check_matrix(input)
    _check_counts(input.shape, num_lower, num_upper)
    return input.shape


def _static_count(value: Any, what: str) -> int:
    if isinstance(value, float):
        raise TypeError(f"Cannot convert {value} to int64: {what} counts diagonals.")
    count = static_array(value)
    if count.ndim:
        refuse(f"{what} must be scalar, got shape {list(count.shape)}.")
    return int(count)


band_part.gradient(input=lambda dy, num_lower, num_upper: band_part(dy, num_lower, num_upper))
band_part.batching(leading)
