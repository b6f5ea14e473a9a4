# Written by tools/write_types.py from the functions themselves.
# ruff: noqa
# fmt: off
# mypy: disable-error-code="overload-overlap"

from tapegrad.core import Tensor as Tensor
from tapegrad.framework.types import TensorLike as TensorLike

def fingerprint(data: TensorLike, method: str = 'farmhash64', name: str | None = None) -> Tensor:
    """Eight bytes for each element along the first axis: FarmHash's Fingerprint64, the lowest byte first.

    >>> tf.fingerprint(["a", "b"]).shape
    TensorShape([2, 8])

    Args:
        data: a tensor.
        method: 'farmhash64' if left out.
        name: accepted, and of no effect.

    Returns:
        A tensor.
    """

def to_hash_bucket(input: TensorLike, num_buckets: TensorLike, name: str | None = None) -> Tensor:
    """The number of a bucket for each string. `to_hash_bucket_fast` is the same, with a newer hash.

    >>> tf.strings.to_hash_bucket(["hello world", "foo"], 100).numpy()
    array([55, 28])

    Args:
        input: a tensor of strings.
        num_buckets: required.
        name: accepted, and of no effect.

    Returns:
        A tensor.
    """

def to_hash_bucket_fast(
    input: TensorLike,
    num_buckets: TensorLike,
    name: str | None = None,
) -> Tensor:
    """The number of a bucket for each string: FarmHash's Fingerprint64, modulo ``num_buckets``.

    >>> tf.strings.to_hash_bucket_fast(["hello", "foo"], 100).numpy()
    array([96, 71])

    Args:
        input: a tensor of strings.
        num_buckets: required.
        name: accepted, and of no effect.

    Returns:
        A tensor.
    """

def to_hash_bucket_strong(
    input: TensorLike,
    num_buckets: TensorLike,
    key: TensorLike,
    name: str | None = None,
) -> Tensor:
    """The number of a bucket for each string, by a hash that nobody can predict who does not know ``key``.

    >>> tf.strings.to_hash_bucket_strong(["hello world", "foo"], 100, key=[1, 2]).numpy()
    array([46,  2])

    Args:
        num_buckets: the number of buckets.
        key: two integers.

    Returns:
        A tensor.
    """

def to_hash_bucket_v1(
    string_tensor: TensorLike | None = None,
    num_buckets: TensorLike | None = None,
    name: str | None = None,
    input: TensorLike | None = None,
) -> Tensor:
    """`to_hash_bucket` with the names that its arguments have in TensorFlow 1.x."""
