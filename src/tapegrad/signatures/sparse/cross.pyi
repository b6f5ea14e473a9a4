# Written by tools/write_types.py from the functions themselves.
# ruff: noqa
# fmt: off
# mypy: disable-error-code="overload-overlap"

from tapegrad.framework.types import TensorLike as TensorLike
from tapegrad.ops.sparse.sparse_tensor import SparseTensor as SparseTensor
from typing import Any as Any

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

def cross_hashed(
    inputs: Any,
    num_buckets: TensorLike = 0,
    hash_key: TensorLike | None = None,
    name: str | None = None,
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
