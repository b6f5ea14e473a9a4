"""``tf.sparse.cross`` and ``cross_hashed``: all combinations of the elements in each row of matrices."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from tapegrad import dtypes
from tapegrad.core import Tensor, public
from tapegrad.errors import refuse
from tapegrad.ops.args import static_int
from tapegrad.ops.elementwise.math import floordiv
from tapegrad.ops.op import ANY, op
from tapegrad.ops.shape.array import reshape
from tapegrad.ops.shape.casts import cast
from tapegrad.ops.shape.sequences import range as number_range
from tapegrad.ops.sparse.sparse_tensor import SparseTensor, shape_of
from tapegrad.ops.strings.hashes import ALL, cross_fingerprints, fingerprint64

PUBLIC = {"sparse compat.v1.sparse": "cross cross_hashed"}

KEY = 0xDECAFCAFFE
"""What the hash begins with, unless ``hash_key`` is given."""


@public
def cross(inputs: Any, name: str | None = None, separator: str | None = None) -> SparseTensor:
    """The combinations of the elements in each row, as text.

    >>> words, numbers = tf.constant([["a", "b"], ["c", "d"]]), tf.constant([[1], [2]])
    >>> tf.sparse.to_dense(tf.sparse.cross([words, numbers])).numpy().tolist()
    [[b'a_X_1', b'b_X_1'], [b'c_X_2', b'd_X_2']]

    Args:
        inputs: a list of matrices of text or integers, dense or sparse, with the same number of rows. The
            sparse ones come first in the combinations.
        separator: what stands between the elements; "_X_" by default.
    """
    parts, rows = parts_of(inputs, "All inputs must be Tensor or SparseTensor")
    joined = "_X_" if separator is None else separator
    return SparseTensor(*join_rows(parts, rows, joined))


@public
def cross_hashed(
    inputs: Any, num_buckets: Any = 0, hash_key: Any = None, name: str | None = None
) -> SparseTensor:
    """The combinations of the elements in each row, as hashes that TensorFlow gives as well.

    >>> words, numbers = tf.constant([["a", "b"]]), tf.constant([[1]])
    >>> tf.sparse.cross_hashed([words, numbers], num_buckets=10).values.shape
    TensorShape([2])

    Args:
        inputs: as for `tf.sparse.cross`.
        num_buckets: the hashes are below it; without it they are below 2**63 - 1.
        hash_key: what the hash begins with.
    """
    parts, rows = parts_of(inputs, "All inputs must be SparseTensors")
    count = static_int(num_buckets)
    if count < 0:
        refuse(f"Value for attr 'num_buckets' of {count} must be at least minimum 0")
    key = KEY if hash_key is None else static_int(hash_key)
    return SparseTensor(*hash_rows(parts, rows, count or 2**63 - 1, key))


def parts_of(inputs: Any, complaint: str) -> tuple[list[Any], int]:
    """For each input the rows and the values of its elements, the sparse inputs first; and how many rows."""
    if not isinstance(inputs, (list, tuple)):
        raise TypeError("Inputs must be a list")
    for value in inputs:
        if not isinstance(value, (SparseTensor, Tensor)):
            raise TypeError(f"{complaint}; a {type(value).__name__} came.")
    parts: list[Any] = []
    sizes: list[int] = []
    for kind in (SparseTensor, Tensor):
        word = "sparse" if kind is SparseTensor else "dense"
        of_kind: list[Any] = [value for value in inputs if isinstance(value, kind)]
        for position, value in enumerate(of_kind):
            shape = shape_of(value) if kind is SparseTensor else value._shape_tuple()
            if len(shape) != 2:
                refuse(
                    f"{word.capitalize()} inputs should be a matrix but received shape "
                    f"{list(shape)} at position {position}"
                )
            if sizes and shape[0] != sizes[0]:
                refuse(f"Expected batch size {sizes[0]} got {shape[0]} at {word} tensor {position}")
            sizes.append(shape[0])
            numbers = value.values if kind is SparseTensor else reshape(value, (-1,))
            if value.dtype is not dtypes.string:
                numbers = cast(numbers, dtypes.int64)
            places = (
                value.indices[:, 0]
                if kind is SparseTensor
                else floordiv(
                    number_range(shape[0] * shape[1], dtype=dtypes.int64), max(shape[1], 1)
                )
            )
            parts += [places, numbers]
    return parts, sizes[0] if sizes else 0


@op(
    "_CrossJoined",
    dtypes={"parts": ANY},
    outputs=("indices", "values", "shape"),
)
def join_rows(xp, *parts, rows, separator):
    """The combinations of each row, as text."""
    between = separator.encode() if isinstance(separator, str) else separator
    columns = [
        [element if isinstance(element, bytes) else b"%d" % element for element in values.tolist()]
        for values in parts[1::2]
    ]
    return crossed(xp, parts[::2], columns, rows, between.join, object)


join_rows.no_gradient()


@op(
    "_CrossHashed",
    dtypes={"parts": ANY},
    outputs=("indices", "values", "shape"),
)
def hash_rows(xp, *parts, rows, limit, key):
    """The combinations of each row, as hashes below ``limit``."""
    columns = [
        [
            fingerprint64(element) if isinstance(element, bytes) else element & ALL
            for element in values.tolist()
        ]
        for values in parts[1::2]
    ]

    def hashed(elements: Any) -> int:
        return cross_fingerprints(key & ALL, elements) % limit

    return crossed(xp, parts[::2], columns, rows, hashed, np.int64)


hash_rows.no_gradient()


def crossed(xp: Any, places: Any, columns: Any, rows: int, combine: Any, dtype: Any) -> Any:
    """The indices, values and shape of the combinations.

    ``columns`` has the elements of each input, and ``places`` their rows.
    """
    borders = [np.searchsorted(place, np.arange(rows + 1)).tolist() for place in places]
    indices: list[tuple[int, int]] = []
    values: list[Any] = []
    width = 0
    for row in range(rows):
        elements = [
            column[border[row] : border[row + 1]]
            for column, border in zip(columns, borders, strict=True)
        ]
        combinations = [combine(combination) for combination in itertools.product(*elements)]
        indices += [(row, number) for number in range(len(combinations))]
        values += combinations
        width = max(width, len(combinations))
    crossings = np.empty(len(values), dtype)
    crossings[:] = values
    return np.array(indices, np.int64).reshape(-1, 2), crossings, np.array([rows, width], np.int64)
