"""`tf.io.parse_example` and `parse_single_example`: records of features as tensors.

Records are read by ops, which give flat arrays; functions make sparse and ragged tensors of these.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from tapegrad import dtypes
from tapegrad.core import EagerTensor, static_value
from tapegrad.dtypes import as_dtype
from tapegrad.errors import OpError, refuse
from tapegrad.framework.convert import convert_to_tensor
from tapegrad.framework.shape import TensorShape
from tapegrad.io import wire
from tapegrad.io.features import (
    FixedLenFeature,
    FixedLenSequenceFeature,
    RaggedFeature,
    SparseFeature,
    VarLenFeature,
)
from tapegrad.ops.op import op
from tapegrad.ops.program.host import on_stand_ins
from tapegrad.ops.shape.array import reshape
from tapegrad.ops.shape_rules import Abstract

PUBLIC = {
    "io": "parse_example parse_single_example",
    "compat.v1 compat.v1.io": "parse_example=parse_example_v1 parse_single_example=parse_single_example_v1",
}

Array = np.ndarray[Any, Any]
Features = dict[bytes, tuple[int, Any]]

# The number of each list in the message Feature, and what its values are.
BYTES, FLOATS, INTS = 1, 2, 3
KINDS = {dtypes.string: BYTES, dtypes.float32: FLOATS, dtypes.int64: INTS}
TYPES = {kind: dtype for dtype, kind in KINDS.items()}
TYPE_NAMES = {BYTES: "string", FLOATS: "float", INTS: "int64"}


# --- The content of a record --------------------------------------------------------------------------------


def features_in(data: Any) -> Features:
    """The features that the message Features holds: for each name the kind and the bytes of its list."""
    features: Features = {}
    for number, kind, entry in wire.fields(data):
        if number != 1 or kind != wire.BYTES:
            continue
        name, content = b"", b""
        for part, part_kind, value in wire.fields(entry):
            if part_kind != wire.BYTES:
                wire.refuse_bytes("an entry of a map is no pair")
            if part == 1:
                name = bytes(value)
            elif part == 2:
                content = value
        features[name] = list_in(content)
    return features


def list_in(feature: Any) -> tuple[int, Any]:
    """Kind and bytes of the list in the message Feature; kind 0 if it holds none."""
    kind, content = 0, b""
    for number, form, value in wire.fields(feature):
        if form == wire.BYTES and number in TYPES:
            content = bytes(content) + bytes(value) if kind == number and content else value
            kind = number
    return kind, content


def _listed(content: Any, *forms: int) -> Iterator[tuple[int, Any]]:
    """The values of a list, with the form of each, which has to be one of these."""
    for number, form, value in wire.fields(content):
        if number == 1:
            if form not in forms:
                wire.refuse_bytes("a list has a value of another kind")
            yield form, value


def values_in(kind: int, content: Any) -> Any:
    """The values of a list of this kind: a list of bytes, or an array of numbers."""
    if kind == BYTES:
        return [bytes(value) for _, value in _listed(content, wire.BYTES)]
    parts = []
    for form, value in _listed(
        content, wire.BYTES, wire.FIXED32 if kind == FLOATS else wire.VARINT
    ):
        if form == wire.BYTES and kind == FLOATS and len(value) % 4:
            wire.refuse_bytes("a list of numbers is cut short")
        if form == wire.VARINT:
            parts.append(np.array([wire.signed(value)], np.int64))
        elif kind == FLOATS:
            parts.append(np.frombuffer(value, "<f4"))
        elif len(value):
            parts.append(wire.unpacked_varints(value))
    if len(parts) == 1:
        return parts[0]
    return (
        np.concatenate(parts) if parts else np.zeros(0, np.float32 if kind == FLOATS else np.int64)
    )


def read_features(serialized: bytes, what: str) -> Features:
    """The features of an Example."""
    features: Features = {}
    try:
        for number, kind, value in wire.fields(memoryview(serialized)):
            if number == 1 and kind == wire.BYTES:
                features.update(features_in(value))
    except wire.DecodeError as error:
        refuse(f"Could not parse example input, {what}: {error}")
    return features


def read_values(feature: tuple[int, Any] | None, wanted: int, key: str, what: str) -> Any:
    """The values of a feature, or None if it is not there.

    ``wanted`` is the kind they must be of, and ``what`` names the record in messages.
    """
    if feature is None or not feature[0]:
        return None
    kind, content = feature
    if kind != wanted:
        refuse(
            f"{what}, Key: {key}.  Data types don't match. "
            f"Data type: {TYPE_NAMES[kind]} but expected type: {TYPE_NAMES[wanted]}"
        )
    try:
        return values_in(kind, content)
    except wire.DecodeError as error:
        refuse(f"{what}, Key: {key}.  Could not parse its values: {error}")


# --- What is wanted of it -------------------------------------------------------------------------------


class Dense(NamedTuple):
    """A feature that becomes a tensor. ``shape`` is None in its first place where the length varies."""

    key: str
    kind: int
    shape: tuple[int | None, ...]
    default: Any  # an array of values, None if records must have the feature


class Listed(NamedTuple):
    """A feature of any number of values."""

    key: str
    kind: int


Wanted = Dense | Listed


def array_of(values: Sequence[Any], kind: int) -> Array:
    """Values of several records, one after another."""
    if kind == BYTES:
        flat = [item for value in values for item in value]
        result = np.empty(len(flat), object)
        result[:] = flat
        return result
    return np.concatenate(values) if values else np.zeros(0, TYPES[kind].numpy_dtype)


def dense_array(wanted: Dense, rows: Sequence[Any], names: Sequence[str], alone: bool) -> Array:
    """A tensor of a feature in several records: ``rows`` are its values, None where a record lacks it."""
    inner = [size for size in wanted.shape[1:] if size is not None]
    varies = bool(wanted.shape) and wanted.shape[0] is None
    stride = math.prod(inner)
    size = 0 if varies else math.prod(size for size in wanted.shape if size is not None)
    filled = []
    for row, name in zip(rows, names, strict=True):
        if row is None and varies:
            row = [] if wanted.kind == BYTES else np.zeros(0, TYPES[wanted.kind].numpy_dtype)
        if row is None:
            if wanted.default is None:
                refuse(
                    f"{name}, Feature: {wanted.key} (data type: {TYPE_NAMES[wanted.kind]}) "
                    "is required but could not be found."
                )
            row = wanted.default
        elif varies and (len(row) % stride if stride else len(row)):
            refuse(
                f"{name}, Key: {wanted.key}.  Number of {TYPE_NAMES[wanted.kind]} values is not a multiple "
                f"of stride length. Saw {len(row)} values but output shape is: {shown(wanted.shape)}"
            )
        elif not varies and len(row) != size:
            refuse(
                f"{name}, Key: {wanted.key}.  Number of {TYPE_NAMES[wanted.kind]} values != expected.  "
                f"Values size: {len(row)} but output shape: {shown(wanted.shape)}"
            )
        filled.append(row)
    longest = max([len(row) for row in filled], default=0)
    if varies:
        filled = [pad(row, longest, wanted) for row in filled]
        inner = [longest // stride if stride else 0, *inner]
    else:
        inner = [int(size) for size in wanted.shape if size is not None]
    return array_of(filled, wanted.kind).reshape(inner if alone else [len(rows), *inner])


def shown(shape: tuple[int | None, ...]) -> str:
    return f"[{','.join('?' if size is None else str(size) for size in shape)}]"


def pad(row: Any, length: int, wanted: Dense) -> Any:
    """The values of a row, and default values up to a length."""
    missing = length - len(row)
    if not missing:
        return row
    if wanted.kind == BYTES:
        return [*row, *[b"" if wanted.default is None else wanted.default[0]] * missing]
    value = 0 if wanted.default is None else wanted.default[0]
    return np.concatenate([row, np.full(missing, value, row.dtype)])


def listed_arrays(wanted: Listed, rows: Sequence[Any]) -> tuple[Array, Array]:
    """The values of a feature in several records, and their number in each record."""
    present = [row for row in rows if row is not None]
    lengths = [0 if row is None else len(row) for row in rows]
    return array_of(present, wanted.kind), np.array(lengths, np.int64)


def blank_row(wanted: Wanted) -> Any:
    """Values of a feature of a record that nobody knows: two where any number may be there."""
    known = isinstance(wanted, Dense) and None not in wanted.shape
    shape = [size for size in wanted.shape if size is not None] if isinstance(wanted, Dense) else []
    size = math.prod(shape) * (1 if known else 2)
    return [b""] * size if wanted.kind == BYTES else np.zeros(size, TYPES[wanted.kind].numpy_dtype)


@op(
    "_ParseExample",
    dtypes={"serialized": {dtypes.string}, "names": {dtypes.string}},
    outputs=...,
)
def _parse_examples(xp, serialized, names, *, wanted):  # type: ignore[no-untyped-def]
    """For each of ``wanted`` a tensor, or the values and their numbers in each record."""
    if serialized.ndim > 1:
        refuse(f"Expected serialized to be a scalar or vector, got shape: {[*serialized.shape]}")
    alone = serialized.ndim == 0
    records = serialized.ravel().tolist()
    called = [f"Name: {name.decode(errors='replace')}" for name in names.ravel().tolist()]
    called = called or ["Name: <unknown>"] * len(records)
    if len(called) != len(records):
        refuse(f"There are {len(called)} names for {len(records)} records.")
    try:
        parsed_records = [*map(read_features, records, called)]
        rows = [rows_of(feature, parsed_records, called) for feature in wanted]
        return [
            array
            for feature, values in zip(wanted, rows, strict=True)
            for array in arrays_of(feature, values, called, alone)
        ]
    except OpError:
        if not on_stand_ins():
            raise
    return [
        array
        for feature in wanted
        for array in arrays_of(feature, [blank_row(feature)] * len(records), called, alone)
    ]


def rows_of(wanted: Wanted, records: Sequence[Features], names: Sequence[str]) -> list[Any]:
    """The values of a feature in each of several records, None where a record lacks it."""
    key = wanted.key.encode()
    return [
        read_values(features.get(key), wanted.kind, wanted.key, f"{name}, Index: {number}")
        for number, (features, name) in enumerate(zip(records, names, strict=True))
    ]


def arrays_of(
    wanted: Wanted, rows: Sequence[Any], names: Sequence[str], alone: bool
) -> tuple[Array, ...]:
    """The arrays that a feature becomes, of its values in each record."""
    if isinstance(wanted, Dense):
        return (dense_array(wanted, rows, names, alone),)
    return listed_arrays(wanted, rows)


@_parse_examples.shape
def _parsed_shapes(serialized: Abstract, wanted: tuple[Wanted, ...]) -> list[Abstract]:
    shapes = []
    for feature in wanted:
        dtype = TYPES[feature.kind]
        if isinstance(feature, Dense):
            shapes.append(Abstract([*serialized.shape, *feature.shape], dtype))
        else:
            shapes += [Abstract([None], dtype), Abstract([serialized.size], dtypes.int64)]
    return shapes


_parse_examples.no_gradient()


# --- Requested features, and results --------------------------------------------------------


def kind_of(dtype: Any, key: str, feature: Any) -> int:
    if dtype is None or not dtype:
        raise ValueError(f"Missing type for feature {key}. Received feature={feature!r}.")
    kind = KINDS.get(as_dtype(dtype))
    if kind is None:
        refuse(
            f"Features hold float32, int64 or string; feature {key} was asked for as "
            f"{as_dtype(dtype).name}. Use tf.cast on what is parsed.",
            op="ParseExampleV2",
        )
    return kind


def default_values(value: Any, kind: int, size: int) -> Any:
    """A default value as the values of one record."""
    if value is None:
        return None
    tensor: EagerTensor = convert_to_tensor(value, TYPES[kind])
    flat: EagerTensor = reshape(tensor, [size])
    array = static_value(flat, "values")
    return array.tolist() if kind == BYTES else array


def fixed(key: str, feature: FixedLenFeature) -> Dense:
    """What is wanted of the records for a feature of fixed length."""
    kind = kind_of(feature.dtype, key, feature)
    if feature.shape is None:
        raise ValueError(f"Missing shape for feature {key}. Received feature={feature!r}.")
    shape = TensorShape(feature.shape).as_list()
    if shape and shape[0] is None:
        raise ValueError(
            f"First dimension of shape for feature {key} unknown. Consider using "
            f"FixedLenSequenceFeature. Received feature={feature!r}."
        )
    if None in shape:
        raise ValueError(
            f"All dimensions of shape for feature {key} need to be known but received {shape}."
        )
    sizes = tuple(int(size) for size in shape if size is not None)
    return Dense(key, kind, sizes, default_values(feature.default_value, kind, math.prod(sizes)))


def sequence(key: str, feature: FixedLenSequenceFeature) -> Dense:
    """What is wanted of the records for entries of one shape."""
    kind = kind_of(feature.dtype, key, feature)
    if feature.shape is None:
        raise ValueError(f"Missing shape for feature {key}. Received feature={feature!r}.")
    shape = tuple(TensorShape(feature.shape).as_list())
    default = feature.default_value
    return Dense(
        key, kind, (None, *shape), None if default is None else flat_default(default, kind)
    )


def flat_default(value: Any, kind: int) -> Any:
    """The padding value of rows."""
    tensor: EagerTensor = convert_to_tensor(value, TYPES[kind])
    return static_value(reshape(tensor, [-1]), "values").tolist()


def keys_of(feature: SparseFeature) -> list[str]:
    return [feature.index_key] if isinstance(feature.index_key, str) else [*feature.index_key]


def wanted_of(features: Mapping[str, Any]) -> list[Wanted]:
    """What has to be read of each record, without repetition."""
    by_key: dict[tuple[bool, str], Wanted] = {}

    def add(feature: Wanted) -> None:
        known = by_key.setdefault((isinstance(feature, Dense), feature.key), feature)
        if known.kind != feature.kind:
            raise ValueError(
                f"Conflicting type {TYPE_NAMES[known.kind]} vs {TYPE_NAMES[feature.kind]} for feature "
                f"{feature.key}."
            )

    for key, feature in sorted(features.items()):
        if isinstance(feature, FixedLenFeature):
            add(fixed(key, feature))
        elif isinstance(feature, FixedLenSequenceFeature):
            if not feature.allow_missing:
                raise ValueError(
                    "Unsupported: FixedLenSequenceFeature requires allow_missing to be True. "
                    f"Feature {key}: {feature!r}"
                )
            add(sequence(key, feature))
        elif isinstance(feature, VarLenFeature):
            add(Listed(key, kind_of(feature.dtype, key, feature)))
        elif isinstance(feature, SparseFeature):
            for index_key in keys_of(feature):
                add(Listed(index_key, INTS))
            add(Listed(feature.value_key, kind_of(feature.dtype, key, feature)))
        elif isinstance(feature, RaggedFeature):
            add(Listed(feature.value_key or key, kind_of(feature.dtype, key, feature)))
            for partition in feature.partitions:
                if not isinstance(partition, RaggedFeature.UniformRowLength):
                    add(Listed(partition.key, INTS))
        else:
            raise ValueError(f"Unsupported {type(feature).__name__} {feature!r} for key {key!r}")
    return [*by_key.values()]


def parsed(serialized: Any, names: Any, features: Mapping[str, Any]) -> dict[str, Any]:
    """The features of one record, or of a vector of records."""
    serialized = convert_to_tensor(serialized, dtypes.string)
    names = convert_to_tensor([] if names is None else names, dtypes.string)
    wanted = wanted_of(features)
    results = iter(_parse_examples(serialized, names, wanted=tuple(wanted)))
    dense: dict[str, Any] = {}
    listed: dict[str, tuple[Any, Any]] = {}
    for feature in wanted:
        if isinstance(feature, Dense):
            dense[feature.key] = next(results)
        else:
            listed[feature.key] = next(results), next(results)
    return assembled(features, dense, listed, serialized.shape.rank == 0)


def assembled(
    features: Mapping[str, Any],
    dense: Mapping[str, Any],
    listed: Mapping[str, tuple[Any, Any]],
    alone: bool,
) -> dict[str, Any]:
    """What users get: first what is sparse, then tensors, then ragged tensors, each sorted by name."""
    from tapegrad.io import rows

    kinds = (
        (VarLenFeature, SparseFeature),
        (FixedLenFeature, FixedLenSequenceFeature),
        (RaggedFeature,),
    )
    results_by_key: dict[str, Any] = {}
    for kind in kinds:
        for key, feature in sorted(features.items()):
            if not isinstance(feature, kind):
                continue
            if isinstance(feature, VarLenFeature):
                results_by_key[key] = rows.sparse_rows(*listed[key], alone)
            elif isinstance(feature, SparseFeature):
                indices = [listed[name] for name in keys_of(feature)]
                results_by_key[key] = rows.sparse_positions(
                    feature, indices, listed[feature.value_key], alone
                )
            elif isinstance(feature, RaggedFeature):
                results_by_key[key] = rows.ragged_rows(feature, key, listed, alone)
            else:
                results_by_key[key] = dense[key]
    # TensorFlow lists VarLenFeature before SparseFeature: they are sorted together here and there.
    return results_by_key


def check_features(features: Any) -> dict[str, Any]:
    if not features:
        raise ValueError(f"Argument `features` cannot be None or falsy. Got {features!r}")
    return dict(features)


def parse_example(
    serialized: Any, features: Any, example_names: Any = None, name: str | None = None
) -> dict[str, Any]:
    """The features of many records, each a serialized `tf.train.Example`, as tensors.

    >>> number = tf.train.Feature(int64_list=tf.train.Int64List(value=[7]))
    >>> example = tf.train.Example(features=tf.train.Features(feature={"number": number}))
    >>> wanted = {"number": tf.io.FixedLenFeature([], tf.int64)}
    >>> tf.io.parse_example([example.SerializeToString()] * 2, wanted)
    {'number': <tf.Tensor: shape=(2,), dtype=int64, numpy=array([7, 7])>}

    Args:
        serialized: a vector of strings; or one string, for the features of one record.
        features: for each name that is wanted `FixedLenFeature`, `VarLenFeature`, or another of their kind.
        example_names: names of the records, for messages.
        name: accepted and ignored.

    Raises:
        InvalidArgumentError: a record is damaged, or lacks a feature, or has it with another type or shape.
    """
    return parsed(serialized, example_names, check_features(features))


def parse_single_example(
    serialized: Any, features: Any, example_names: Any = None, name: str | None = None
) -> dict[str, Any]:
    """The features of one record, a serialized `tf.train.Example`, as tensors. `parse_example` says more.

    >>> number = tf.train.Feature(int64_list=tf.train.Int64List(value=[7]))
    >>> example = tf.train.Example(features=tf.train.Features(feature={"number": number}))
    >>> wanted = {"number": tf.io.FixedLenFeature([], tf.int64)}
    >>> tf.io.parse_single_example(example.SerializeToString(), wanted)
    {'number': <tf.Tensor: shape=(), dtype=int64, numpy=7>}

    Args:
        serialized: one string.
        features: for each name that is wanted `FixedLenFeature`, `VarLenFeature`, or another of their kind.
        example_names: the name of the record, for messages.
    """
    features = check_features(features)
    serialized = convert_to_tensor(serialized, dtypes.string)
    if serialized.shape.rank != 0:
        raise ValueError(
            f"Input serialized must be a scalar; its shape is {serialized.shape}. "
            "Use tf.io.parse_example for several records."
        )
    return parsed(serialized, example_names, features)


def parse_example_v1(
    serialized: Any, features: Any, name: str | None = None, example_names: Any = None
) -> dict[str, Any]:
    """`tf.io.parse_example` with the order of arguments of TensorFlow 1.

    Args:
        serialized: a vector of strings; or one string, for the features of one record.
        features: for each name that is wanted `FixedLenFeature`, `VarLenFeature`, or another of their kind.
        example_names: names of the records, for messages.
    """
    return parse_example(serialized, features, example_names)


def parse_single_example_v1(
    serialized: Any, features: Any, name: str | None = None, example_names: Any = None
) -> dict[str, Any]:
    """`tf.io.parse_single_example` with the order of arguments of TensorFlow 1.

    Args:
        serialized: one string.
        features: for each name that is wanted `FixedLenFeature`, `VarLenFeature`, or another of their kind.
        example_names: the name of the record, for messages.
    """
    return parse_single_example(serialized, features, example_names)
