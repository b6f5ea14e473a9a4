# Written by tools/write_types.py from the functions themselves.
# ruff: noqa
# fmt: off
# mypy: disable-error-code="overload-overlap"

from tapegrad import dtypes as dtypes
from tapegrad.core import Tensor as Tensor
from tapegrad.framework.types import Axis as Axis
from tapegrad.framework.types import DTypeLike as DTypeLike
from tapegrad.framework.types import TensorLike as TensorLike
from typing import Any as Any

def join(inputs: Any, separator: str = '', name: str | None = None) -> Tensor:
    """The strings at the same places in a list of tensors, joined. Scalars go with every place.

    >>> tf.strings.join([["a", "b"], "x"], separator="-").numpy().tolist()
    [b'a-x', b'b-x']
    """

def length(input: TensorLike, unit: str = 'BYTE', name: str | None = None) -> Tensor:
    """The length of each string in bytes, or with ``unit="UTF8_CHAR"`` in characters.

    >>> tf.strings.length("é").numpy(), tf.strings.length("é", unit="UTF8_CHAR").numpy()
    (np.int32(2), np.int32(1))

    Args:
        input: a tensor of strings.
        unit: 'BYTE' if left out.
        name: accepted, and of no effect.

    Returns:
        A tensor.
    """

def length_v1(input: TensorLike, name: str | None = None, unit: str = 'BYTE') -> Tensor:
    """`length` with the order that its arguments have in TensorFlow 1.x."""

def lower(input: TensorLike, encoding: str = '', name: str | None = None) -> Tensor:
    """Each string in small letters: those of ASCII, or with ``encoding="utf-8"`` all.

    >>> tf.strings.lower("CamelCase").numpy()
    b'camelcase'

    Args:
        input: a tensor of strings.
        encoding: '' if left out.
        name: accepted, and of no effect.

    Returns:
        A tensor.
    """

def reduce_join(
    inputs: TensorLike,
    axis: Axis | None = None,
    keepdims: bool = False,
    separator: str = '',
    name: str | None = None,
) -> Tensor:
    """The strings along ``axis`` joined. Several axes are joined one after the other.

    >>> tf.strings.reduce_join([["a", "b"], ["c", "d"]], axis=0).numpy().tolist()
    [b'ac', b'bd']
    >>> tf.strings.reduce_join([["a", "b"], ["c", "d"]], separator=" ").numpy()
    b'a b c d'

    Args:
        inputs: a tensor of strings.
        axis: None if left out.
        keepdims: False if left out.
        separator: '' if left out.
        name: accepted, and of no effect.

    Returns:
        A tensor.
    """

def reduce_join_v1(
    inputs: Any,
    axis: Axis | None = None,
    keep_dims: TensorLike | None = None,
    separator: str = '',
    name: str | None = None,
    reduction_indices: TensorLike | None = None,
    keepdims: bool | None = None,
) -> Tensor:
    """`reduce_join` with the names that its arguments have in TensorFlow 1.x."""

def strip(input: TensorLike, name: str | None = None) -> Tensor:
    """Each string without the white space at its ends.

    >>> tf.strings.strip(["  word ", "line"]).numpy().tolist()
    [b'word', b'line']

    Args:
        input: a tensor of strings.
        name: accepted, and of no effect.

    Returns:
        A tensor.
    """

def substr(
    input: TensorLike,
    pos: TensorLike,
    len: TensorLike,
    unit: str = 'BYTE',
    name: str | None = None,
) -> Tensor:
    """The part of each string that begins at ``pos`` and has the length ``len``, if the string is that long.

    >>> tf.strings.substr(["hello", "world"], 1, 3).numpy().tolist()
    [b'ell', b'orl']

    Args:
        input: strings.
        pos: where the part begins; negative numbers count from the end.
        len: the length of the part.
        unit: what is counted: ``"BYTE"`` or ``"UTF8_CHAR"``.

    Returns:
        A tensor.
    """

def substr_v1(
    input: TensorLike,
    pos: TensorLike,
    len: TensorLike,
    name: str | None = None,
    unit: str = 'BYTE',
) -> Tensor:
    """`substr` with the order that its arguments have in TensorFlow 1.x."""

def to_number(
    input: TensorLike,
    out_type: DTypeLike = dtypes.float32,
    name: str | None = None,
) -> Tensor:
    """The number that each string writes.

    >>> tf.strings.to_number(["1.5", "-2e3"]).numpy()
    array([ 1.5e+00, -2.0e+03], dtype=float32)

    Args:
        input: a tensor of strings.
        out_type: tf.float32 if left out.
        name: accepted, and of no effect.

    Returns:
        A tensor.
    """

def to_number_v1(
    string_tensor: TensorLike | None = None,
    out_type: DTypeLike = dtypes.float32,
    name: str | None = None,
    input: TensorLike | None = None,
) -> Tensor:
    """`to_number` with the names that its arguments have in TensorFlow 1.x."""

def unsorted_segment_join(
    inputs: TensorLike,
    segment_ids: TensorLike,
    num_segments: TensorLike,
    separator: str = '',
    name: str | None = None,
) -> Tensor:
    """For each number below ``num_segments`` the strings with this number, joined.

    >>> tf.strings.unsorted_segment_join(["a", "b", "c"], [0, 1, 0], 2, separator=":").numpy().tolist()
    [b'a:c', b'b']

    Args:
        inputs: a tensor of strings.
        segment_ids: a tensor of int32 or int64.
        num_segments: required.
        separator: '' if left out.
        name: accepted, and of no effect.

    Returns:
        A tensor.
    """

def upper(input: TensorLike, encoding: str = '', name: str | None = None) -> Tensor:
    """Each string in capital letters: those of ASCII, or with ``encoding="utf-8"`` all.

    >>> tf.strings.upper("CamelCase").numpy()
    b'CAMELCASE'

    Args:
        input: a tensor of strings.
        encoding: '' if left out.
        name: accepted, and of no effect.

    Returns:
        A tensor.
    """
