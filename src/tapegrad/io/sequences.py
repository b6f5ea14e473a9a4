"""`tf.io.parse_sequence_example`: records of sequences, with features of the whole and of each step."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from tapegrad import dtypes
from tapegrad.errors import OpError, refuse
from tapegrad.framework.convert import convert_to_tensor
from tapegrad.framework.shape import TensorShape
from tapegrad.io import wire
from tapegrad.io.features import FixedLenSequenceFeature, RaggedFeature, VarLenFeature
from tapegrad.io.parsing import (
    BYTES,
    TYPE_NAMES,
    TYPES,
    array_of,
    kind_of,
    list_in,
    parsed,
    read_values,
    shown,
)
from tapegrad.ops.op import op
from tapegrad.ops.program.host import on_stand_ins
from tapegrad.ops.shape.casts import cast
from tapegrad.ops.shape_rules import Abstract
from tapegrad.ops.sparse.sparse_tensor import SparseTensor

PUBLIC = {
    "io compat.v1.io": "parse_sequence_example parse_single_sequence_example",
    "compat.v1": "parse_sequence_example parse_single_sequence_example",
}


class Steps(NamedTuple):
    """A feature of the steps: with ``shape`` of each step's values, or None for any number of them."""

    key: str
    kind: int
    shape: tuple[int, ...] | None
    optional: bool


def feature_lists_in(serialized: bytes, what: str) -> tuple[bytes, dict[bytes, list[Any]]]:
    """The bytes of the context, as a record of its own, and for each name the features of the steps."""
    context = b""
    lists: dict[bytes, list[Any]] = {}
    try:
        for number, kind, value in wire.fields(memoryview(serialized)):
            if kind == wire.BYTES and number == 1:
                context += wire.tagged(1, bytes(value))
            elif kind == wire.BYTES and number == 2:
                for part, entry in parts_in(value):
                    if part == 1:
                        name, steps = steps_in(entry)
                        lists[name] = steps
    except wire.DecodeError as error:
        refuse(f"Could not parse sequence example input, {what}: {error}")
    return context, lists


def steps_in(entry: Any) -> tuple[bytes, list[Any]]:
    """Name and features of one entry of the message FeatureLists."""
    name, steps = b"", []
    for number, value in parts_in(entry):
        if number == 1:
            name = bytes(value)
        elif number == 2:
            steps = [list_in(step) for part, step in parts_in(value) if part == 1]
    return name, steps


def parts_in(message: Any) -> Iterator[tuple[int, Any]]:
    """Number and bytes of each part of a message whose parts are texts and messages."""
    for number, kind, part in wire.fields(message):
        if kind != wire.BYTES:
            wire.refuse_bytes("a number where a text or a message belongs")
        yield number, part


@op(
    "_ParseSequenceExample",
    dtypes={"serialized": {dtypes.string}, "names": {dtypes.string}},
    outputs=...,
)
def _parse_sequences(xp, serialized, names, *, wanted):  # type: ignore[no-untyped-def]
    """The contexts as records; then for each of ``wanted`` a tensor and the numbers of steps, or values, the
    number of values of each step, and the numbers of steps."""
    if serialized.ndim > 1:
        refuse(f"Expected serialized to be a scalar or vector, got shape: {[*serialized.shape]}")
    alone = serialized.ndim == 0
    records = serialized.ravel().tolist()
    called = [f"Name: {name.decode(errors='replace')}" for name in names.ravel().tolist()]
    called = called or ["Name: <unknown>"] * len(records)
    if len(called) != len(records):
        refuse(f"There are {len(called)} names for {len(records)} records.")
    contexts = np.empty(len(records), object)
    try:
        parsed_records = [*map(feature_lists_in, records, called)]
        contexts[:] = [context for context, _ in parsed_records]
        rows = [
            [
                step_values(feature, lists.get(feature.key.encode()), name)
                for (_, lists), name in zip(parsed_records, called, strict=True)
            ]
            for feature in wanted
        ]
    except OpError:
        if not on_stand_ins():
            raise
        contexts[:] = records
        rows = [[[blank_step(feature)] * 2] * len(records) for feature in wanted]
    results = [contexts.reshape(serialized.shape)]
    for feature, steps_of_records in zip(wanted, rows, strict=True):
        counts = np.array([len(steps) for steps in steps_of_records], np.int64)
        if feature.shape is None:
            steps = [step for steps in steps_of_records for step in steps]
            results.append(array_of(steps, feature.kind))
            results.append(np.array([len(step) for step in steps], np.int64))
            results.append(counts)
        else:
            results.append(padded(feature, steps_of_records, alone))
            results.append(counts.reshape(serialized.shape))
    return results


@_parse_sequences.shape
def _shapes_of_steps(serialized: Abstract, wanted: tuple[Steps, ...]) -> list[Abstract]:
    shapes = [serialized]
    for feature in wanted:
        dtype = TYPES[feature.kind]
        if feature.shape is None:
            shapes += [Abstract([None], dtype), Abstract([None], dtypes.int64)]
            shapes.append(Abstract([serialized.size], dtypes.int64))
        else:
            shapes.append(Abstract([*serialized.shape, None, *feature.shape], dtype))
            shapes.append(Abstract(serialized.shape, dtypes.int64))
    return shapes


_parse_sequences.no_gradient()


def blank_step(wanted: Steps) -> Any:
    """Values of a step of a record that nobody knows: two where any number may be there."""
    size = 2 if wanted.shape is None else math.prod(wanted.shape)
    return [b""] * size if wanted.kind == BYTES else np.zeros(size, TYPES[wanted.kind].numpy_dtype)


def step_values(wanted: Steps, steps: Sequence[Any] | None, name: str) -> list[Any]:
    """The values of each step of one record."""
    if steps is None:
        if not wanted.optional:
            refuse(
                f"{name}, Feature list '{wanted.key}' is required but could not be found.  Did you mean to "
                "include it in feature_list_dense_missing_assumed_empty? (That is allow_missing=True.)"
            )
        return []
    values_of_steps = []
    for number, step in enumerate(steps):
        values = read_values(step, wanted.kind, wanted.key, f"{name}, Feature list index: {number}")
        if values is None:
            values = [] if wanted.kind == BYTES else np.zeros(0, TYPES[wanted.kind].numpy_dtype)
        if wanted.shape is not None and len(values) != math.prod(wanted.shape):
            refuse(
                f"{name}, Key: {wanted.key}, Index: {number}.  Number of {TYPE_NAMES[wanted.kind]} values "
                f"!= expected.  values size: {len(values)} but output shape: {shown(wanted.shape)}"
            )
        values_of_steps.append(values)
    return values_of_steps


def padded(wanted: Steps, rows: Sequence[Sequence[Any]], alone: bool) -> np.ndarray[Any, Any]:
    """The steps of several records, filled up with zeros or empty strings to the longest."""
    shape = wanted.shape or ()
    longest = max([len(row) for row in rows], default=0)
    result = np.zeros((len(rows), longest, *shape), TYPES[wanted.kind].numpy_dtype)
    if wanted.kind == BYTES:
        result.fill(b"")
    for number, row in enumerate(rows):
        result[number, : len(row)] = array_of(row, wanted.kind).reshape((len(row), *shape))
    return result[0] if alone else result


@op(
    "_PlacesInSteps",
    dtypes={"lengths": {dtypes.int64}, "counts": {dtypes.int64}},
    outputs=("indices", "dense_shape"),
)
def places_in_steps(xp, lengths, counts):  # type: ignore[no-untyped-def]
    """Where the values of steps of these lengths are in a sparse tensor, and its shape."""
    records = np.repeat(np.arange(len(counts)), counts)
    first = np.repeat(np.cumsum(counts) - counts, counts)
    steps = np.arange(len(lengths)) - first
    starts = np.repeat(np.cumsum(lengths) - lengths, lengths)
    places = [
        np.repeat(records, lengths),
        np.repeat(steps, lengths),
        np.arange(int(lengths.sum())) - starts,
    ]
    shape = [len(counts), counts.max(initial=0), lengths.max(initial=0)]
    return np.stack(places, 1).astype(np.int64), np.array(shape, np.int64)


places_in_steps.shape(lambda: [Abstract([None, 3], dtypes.int64), Abstract([3], dtypes.int64)])
places_in_steps.no_gradient()


def wanted_steps(key: str, feature: Any) -> Steps:
    """What has to be read of each step."""
    if isinstance(feature, FixedLenSequenceFeature):
        kind = kind_of(feature.dtype, key, feature)
        if feature.default_value is not None:
            raise ValueError(
                f"Value feature_list.dense_defaults[{key}] must be None: a default value for steps is not "
                "supported, here and in TensorFlow."
            )
        sizes = TensorShape(feature.shape).as_list()
        if None in sizes:
            raise ValueError(
                f"All dimensions of shape for feature {key} need to be known: {sizes}."
            )
        return Steps(key, kind, tuple(int(size or 0) for size in sizes), feature.allow_missing)
    if isinstance(feature, VarLenFeature):
        return Steps(key, kind_of(feature.dtype, key, feature), None, True)
    if isinstance(feature, RaggedFeature):
        if feature.partitions:
            raise ValueError(
                f"Feature {key}: partitions of the features of steps are not supported; parse the values, "
                "and part them with tf.RaggedTensor.from_row_lengths."
            )
        return Steps(feature.value_key or key, kind_of(feature.dtype, key, feature), None, True)
    raise ValueError(f"Unsupported {type(feature).__name__} {feature!r} for key {key!r}")


def of_steps(feature: Any, values: Any, lengths: Any, counts: Any, alone: bool) -> Any:
    """A sparse or ragged tensor of the values of steps."""
    if isinstance(feature, VarLenFeature):
        indices, shape = places_in_steps(lengths, counts)
        if alone:
            return SparseTensor(indices[:, 1:], values, shape[1:])
        return SparseTensor(indices, values, shape)

    from tapegrad.ragged.ragged_tensor import RaggedTensor

    splits = feature.row_splits_dtype
    rows = RaggedTensor.from_row_lengths(values, cast(lengths, splits), validate=False)
    if alone:
        return rows
    return RaggedTensor.from_row_lengths(rows, cast(counts, splits), validate=False)


def parsed_sequences(
    serialized: Any,
    context_features: Mapping[str, Any] | None,
    sequence_features: Mapping[str, Any] | None,
    names: Any,
) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """The features of the context, those of the steps, and the numbers of steps."""
    if not context_features and not sequence_features:
        raise ValueError(
            "Both context_features and sequence_features are None, but at least one should have values."
        )
    serialized = convert_to_tensor(serialized, dtypes.string)
    names = convert_to_tensor([] if names is None else names, dtypes.string)
    wanted = [
        wanted_steps(key, feature) for key, feature in sorted((sequence_features or {}).items())
    ]
    contexts, *rest = _parse_sequences(serialized, names, wanted=tuple(wanted))
    context = parsed(contexts, names, context_features) if context_features else {}
    alone = serialized.shape.rank == 0
    results = iter(rest)
    steps: dict[str, Any] = {}
    lengths: dict[str, Any] = {}
    for (key, feature), feature_steps in zip(
        sorted((sequence_features or {}).items()), wanted, strict=True
    ):
        if feature_steps.shape is None:
            steps[key] = of_steps(feature, next(results), next(results), next(results), alone)
        else:
            steps[key], lengths[key] = next(results), next(results)
    order = (VarLenFeature, FixedLenSequenceFeature, RaggedFeature)
    kinds = {key: order.index(type(feature)) for key, feature in (sequence_features or {}).items()}
    return context, dict(sorted(steps.items(), key=lambda item: kinds[item[0]])), lengths


def parse_sequence_example(
    serialized: Any,
    context_features: Any = None,
    sequence_features: Any = None,
    example_names: Any = None,
    name: str | None = None,
) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """The features of many records of sequences, each a serialized `tf.train.SequenceExample`.

    Args:
        serialized: a vector of strings.
        context_features: what is wanted of the whole sequence, as for `tf.io.parse_example`.
        sequence_features: what is wanted of each step: `FixedLenSequenceFeature`, `VarLenFeature` or
            `RaggedFeature` for each name.
        example_names: names of the records, for messages.
        name: accepted and ignored.

    Returns:
        Three dicts: the features of the context, those of the steps, filled up to the longest sequence, and
        for each of the latter the numbers of steps that the records have.
    """
    return parsed_sequences(serialized, context_features, sequence_features, example_names)


def parse_single_sequence_example(
    serialized: Any,
    context_features: Any = None,
    sequence_features: Any = None,
    example_name: Any = None,
    name: str | None = None,
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The features of one sequence, a serialized `tf.train.SequenceExample`: of the whole, and of each step.

    `parse_sequence_example` says more.

    Args:
        serialized: one string.
        context_features: what is wanted of the whole sequence, as for `tf.io.parse_example`; None for
            nothing.
        sequence_features: what is wanted of each step: `FixedLenSequenceFeature`, `VarLenFeature` or
            `RaggedFeature` for each name; None for nothing.
        example_name: the name of the record, for messages.
    """
    serialized = convert_to_tensor(serialized, dtypes.string)
    if serialized.shape.rank != 0:
        raise ValueError(
            f"Input serialized must be a scalar; its shape is {serialized.shape}. "
            "Use tf.io.parse_sequence_example for several records."
        )
    names = None if example_name is None else [example_name]
    return parsed_sequences(serialized, context_features, sequence_features, names)[:2]
