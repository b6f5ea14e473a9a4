"""Ops that have no raw op here, by public functions that do the same: of texts, ragged tensors, examples."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tapegrad import dtypes
from tapegrad.core import static_value
from tapegrad.errors import refuse
from tapegrad.framework.shape import TensorShape
from tapegrad.lazy import find
from tapegrad.ops.shape.casts import cast
from tapegrad.ops.shape.creation import zeros
from tapegrad.saving.files import Damaged
from tapegrad.saving.graphs.structures import shape_said_by


def _text(value: Any) -> str:
    """The one string in a tensor."""
    text: str = static_value(value, "text").item().decode()
    return text


def _words(value: Any) -> list[str]:
    """The strings in a vector, or in an attribute."""
    if isinstance(value, list):
        return value
    return [word.decode() for word in static_value(value, "keys").reshape(-1).tolist()]


def _list(node: Any, name: str) -> list[Any]:
    value = node.attributes.get(name, [])
    if not isinstance(value, list):
        raise Damaged(f"the attribute {name} of {node.where} is no list")
    return value


# Texts


def replace(frame: Any, node: Any, text: Any) -> Any:
    """Text in which matches of a pattern are replaced."""
    attributes = node.attributes
    return find("strings.regex_replace")(
        text, attributes.get("pattern"), attributes.get("rewrite"), attributes.get("replace_global", True)
    )  # fmt: skip


def match(frame: Any, node: Any, text: Any) -> Any:
    """Whether a pattern matches all of a text."""
    return find("strings.regex_full_match")(text, node.attributes.get("pattern"))


def split(frame: Any, node: Any, text: Any, separator: Any) -> Any:
    """The words of each text, as a sparse matrix."""
    own = _text(separator)
    ragged = find("strings.split")(text, own or None, node.attributes.get("maxsplit", -1))
    words = ragged.to_sparse()
    return words.indices, words.values, words.dense_shape


def split_at(frame: Any, node: Any, text: Any, delimiters: Any) -> Any:
    """The pieces of each text between characters, as a sparse matrix."""
    words = find("compat.v1.string_split")(
        text, _text(delimiters), node.attributes.get("skip_empty", True)
    )
    return words.indices, words.values, words.dense_shape


def ngrams(frame: Any, node: Any, data: Any, splits: Any) -> Any:
    """Words next to each other, joined."""
    attributes = node.attributes
    left, right = attributes.get("left_pad"), attributes.get("right_pad")
    width = attributes.get("pad_width", 0)
    padded = bool(left or right or width)
    result = find("strings.ngrams")(
        find("RaggedTensor").from_row_splits(data, splits, validate=False),
        tuple(_list(node, "ngram_widths")),
        attributes.get("separator"),
        pad_values=(left, right) if padded else None,
        padding_width=width if padded and width >= 0 else None,
        preserve_short_sequences=attributes.get("preserve_short_sequences", False),
    )
    return result.values, cast(result.row_splits, splits.dtype)


def _decoded(node: Any) -> tuple[dict[str, Any], Any]:
    attributes = node.attributes
    names = ("input_encoding", "errors", "replacement_char", "replace_control_characters")
    return (
        {name: attributes[name] for name in names if name in attributes},
        attributes.get("Tsplits", dtypes.int64),
    )


def decode(frame: Any, node: Any, text: Any) -> Any:
    """The characters of each text."""
    options, dtype = _decoded(node)
    result = find("strings.unicode_decode")(text, **options)
    return cast(result.row_splits, dtype), result.values


def decode_with_places(frame: Any, node: Any, text: Any) -> Any:
    """The characters of each text, and the bytes where they begin."""
    options, dtype = _decoded(node)
    characters, places = find("strings.unicode_decode_with_offsets")(text, **options)
    return cast(characters.row_splits, dtype), characters.values, places.values


def encode(frame: Any, node: Any, values: Any, splits: Any) -> Any:
    """The text of each row of characters."""
    names = ("output_encoding", "errors", "replacement_char")
    options = {name: node.attributes[name] for name in names if name in node.attributes}
    characters = find("RaggedTensor").from_row_splits(values, splits, validate=False)
    return find("strings.unicode_encode")(characters, **options)


# Ragged tensors


def _ragged(splits: list[Any], values: Any) -> Any:
    return find("RaggedTensor").from_nested_row_splits(values, splits, validate=False)


def to_tensor(frame: Any, node: Any, shape: Any, values: Any, default: Any, parts: Any) -> Any:
    """A ragged tensor, filled up with a default."""
    ragged = values
    kinds = _list(node, "row_partition_types")
    if len(kinds) != len(parts):
        raise Damaged(
            f"{node.where} has {len(parts)} row partitions and {len(kinds)} types of them"
        )
    make = find("RaggedTensor")
    for place in reversed(range(len(parts))):
        match kinds[place]:
            case "ROW_SPLITS":
                ragged = make.from_row_splits(ragged, parts[place], validate=False)
            case "ROW_LENGTHS":
                ragged = make.from_row_lengths(ragged, parts[place], validate=False)
            case "VALUE_ROWIDS":
                rows = parts[place - 1] if place == 1 and kinds[0] == "FIRST_DIM_SIZE" else None
                ragged = make.from_value_rowids(ragged, parts[place], rows, validate=False)
            case "FIRST_DIM_SIZE":
                continue
            case kind:
                refuse(f"{node.where} has row partitions of the type {kind}.")
    wanted = shape_said_by(shape)
    return ragged.to_tensor(default, shape=None if wanted.rank is None else wanted)


def ragged_range(frame: Any, node: Any, starts: Any, limits: Any, deltas: Any) -> Any:
    """Rows of numbers between limits."""
    dtype = node.attributes.get("Tsplits", dtypes.int64)
    result = find("ragged.range")(starts, limits, deltas, row_splits_dtype=dtype)
    return result.row_splits, result.values


def ragged_gather(frame: Any, node: Any, splits: Any, values: Any, indices: Any) -> Any:
    """Rows of a ragged tensor."""
    result = find("gather")(_ragged(splits, values), indices)
    return *result.nested_row_splits, result.flat_values


def ragged_to_sparse(frame: Any, node: Any, splits: Any, values: Any) -> Any:
    """A ragged tensor as a sparse one."""
    result = _ragged(splits, values).to_sparse()
    return result.indices, result.values, result.dense_shape


# Counts


def _counted(node: Any, values: Any, size: Any, weights: Any, **more: Any) -> Any:
    count = int(static_value(size, "size"))
    own_weights = weights if static_value(weights, "weights").size else None
    result = find("math.bincount")(
        values, own_weights, minlength=count, maxlength=count, dtype=weights.dtype,
        binary_output=node.attributes.get("binary_output", False), **more,
    )  # fmt: skip
    return cast(result, weights.dtype)


def count(frame: Any, node: Any, values: Any, size: Any, weights: Any) -> Any:
    """How often each number occurs."""
    return _counted(node, values, size, weights)


def count_ragged(frame: Any, node: Any, splits: Any, values: Any, size: Any, weights: Any) -> Any:
    """How often each number occurs in each row."""
    return _counted(node, _ragged([splits], values), size, weights, axis=-1)


def in_top(frame: Any, node: Any, predictions: Any, targets: Any) -> Any:
    """Whether each target is among the largest predictions."""
    return find("math.in_top_k")(targets, predictions, node.attributes.get("k"))


def segments(name: str) -> Callable[..., Any]:
    """A reduction over segments, for a number of segments that an input says."""

    def reduce(frame: Any, node: Any, data: Any, ids: Any, number: Any) -> Any:
        return find(f"math.unsorted_segment_{name}")(data, ids, number)

    return reduce


# Examples


def columns(frame: Any, node: Any, records: Any, defaults: Any) -> Any:
    """The columns of rows of text."""
    attributes = node.attributes
    return find("io.decode_csv")(
        records, defaults, attributes.get("field_delim", ","),
        attributes.get("use_quote_delim", True), attributes.get("na_value", ""),
        _list(node, "select_cols") or None,
    )  # fmt: skip


def parse(frame: Any, node: Any, serialized: Any, names: Any, *keys: Any) -> Any:
    """The features of examples."""
    sparse, dense, ragged, defaults = keys
    return _parsed(node, "io.parse_example", serialized, sparse, dense, ragged, defaults)


def parse_older(
    frame: Any, node: Any, serialized: Any, names: Any, sparse: Any, dense: Any, defaults: Any
) -> Any:
    """The features of examples, whose names are one tensor each."""
    names_of = [[_text(key) for key in keys] for keys in (sparse, dense)]
    return _parsed(node, "io.parse_example", serialized, names_of[0], names_of[1], [], defaults)


def parse_single(frame: Any, node: Any, serialized: Any, defaults: Any) -> Any:
    """The features of one example."""
    sparse, dense = _list(node, "sparse_keys"), _list(node, "dense_keys")
    return _parsed(node, "io.parse_single_example", serialized, sparse, dense, [], defaults)


def _parsed(
    node: Any, function: str, serialized: Any, sparse: Any, dense: Any, ragged: Any, defaults: Any
) -> Any:
    sparse, dense, ragged = _words(sparse), _words(dense), _words(ragged)
    features: dict[str, Any] = {}
    lengths = {len(dense), len(defaults), len(_list(node, "dense_shapes"))}
    types = (_list(node, "sparse_types"), _list(node, "ragged_value_types"))
    if len(lengths) > 1 or (len(types[0]), len(types[1])) != (len(sparse), len(ragged)):
        raise Damaged(f"{node.where} has features without shapes or types")
    for key, dtype in zip(sparse, types[0], strict=True):
        features[key] = find("io.VarLenFeature")(dtype)
    for key, default, shape in zip(dense, defaults, _list(node, "dense_shapes"), strict=True):
        features[key] = _dense_feature(default, shape)
    splits = _list(node, "ragged_split_types")
    for key, dtype, row_dtype in zip(ragged, types[1], splits, strict=True):
        features[key] = find("io.RaggedFeature")(dtype, row_splits_dtype=row_dtype)
    if len(features) != len(sparse) + len(dense) + len(ragged):
        raise Damaged(f"{node.where} has two features of one name")
    result = find(function)(serialized, features) if features else {}
    tensors = [result[key] for key in sparse]
    return [
        *[tensor.indices for tensor in tensors],
        *[tensor.values for tensor in tensors],
        *[tensor.dense_shape for tensor in tensors],
        *[result[key] for key in dense],
        *[result[key].values for key in ragged],
        *[result[key].row_splits for key in ragged],
    ]


def _dense_feature(default: Any, shape: TensorShape) -> Any:
    """A feature of fixed length: without elements in its default, it has to be there."""
    sizes = shape.as_list()
    if sizes and sizes[0] is None:
        filler = default if static_value(default, "default").size else None
        return find("io.FixedLenSequenceFeature")(
            sizes[1:], default.dtype, allow_missing=True, default_value=filler
        )
    needed = static_value(default, "default").size == 0 and 0 not in sizes
    return find("io.FixedLenFeature")(sizes, default.dtype, None if needed else default)


# Others


def _crossed(
    node: Any, function: str, indices: Any, values: Any, shapes: Any, dense: Any, **options: Any
) -> Any:
    make = find("sparse.SparseTensor")
    columns = [make(*parts) for parts in zip(indices, values, shapes, strict=True)]
    result = find(function)([*columns, *dense], **options)
    return result.indices, result.values, result.dense_shape


def cross(frame: Any, node: Any, indices: Any, values: Any, shapes: Any, dense: Any) -> Any:
    """All combinations of the values in each row, as text or as numbers of buckets."""
    attributes = node.attributes
    if not attributes.get("hashed_output"):
        return _crossed(node, "sparse.cross", indices, values, shapes, dense)
    return _crossed(
        node, "sparse.cross_hashed", indices, values, shapes, dense,
        num_buckets=attributes.get("num_buckets"), hash_key=attributes.get("hash_key"),
    )  # fmt: skip


def cross_texts(
    frame: Any, node: Any, indices: Any, values: Any, shapes: Any, dense: Any, separator: Any
) -> Any:
    """All combinations of the values in each row, as text."""
    return _crossed(
        node, "sparse.cross", indices, values, shapes, dense, separator=_text(separator)
    )


def cross_ragged(
    frame: Any,
    node: Any,
    ragged: Any,
    splits: Any,
    indices: Any,
    values: Any,
    shapes: Any,
    dense: Any,
) -> Any:
    """All combinations of the values in each row, as a ragged tensor."""
    attributes = node.attributes
    make, sparse = find("RaggedTensor"), find("sparse.SparseTensor")
    kinds = {
        "R": iter([make.from_row_splits(*parts) for parts in zip(ragged, splits, strict=True)]),
        "S": iter([sparse(*parts) for parts in zip(indices, values, shapes, strict=True)]),
        "D": iter(dense),
    }
    try:
        inputs = [next(kinds[letter]) for letter in attributes.get("input_order", "")]
    except (KeyError, StopIteration):
        raise Damaged(f"{node.where} has no such inputs as it says") from None
    if attributes.get("hashed_output"):
        result = find("ragged.cross_hashed")(
            inputs, attributes.get("num_buckets", 0), attributes.get("hash_key")
        )
    else:
        result = find("ragged.cross")(inputs)
    return result.values, cast(result.row_splits, attributes.get("out_row_splits_type"))


def empty(frame: Any, node: Any, shape: Any) -> Any:
    """Zeros, where TensorFlow leaves what was in the memory."""
    return zeros(shape, node.attributes.get("dtype"))


def same(frame: Any, node: Any, value: Any) -> Any:
    """The input."""
    return value


OPS: dict[str, Callable[..., Any]] = {
    "Bincount": count,
    "DecodeCSV": columns,
    "Empty": empty,
    "GuaranteeConst": same,
    "InTopK": in_top,
    "ParseExample": parse_older,
    "ParseExampleV2": parse,
    "ParseSingleExample": parse_single,
    "RaggedBincount": count_ragged,
    "RaggedCross": cross_ragged,
    "RaggedGather": ragged_gather,
    "RaggedRange": ragged_range,
    "RaggedTensorToSparse": ragged_to_sparse,
    "RaggedTensorToTensor": to_tensor,
    "SegmentMaxV2": segments("max"),
    "SegmentMinV2": segments("min"),
    "SegmentProdV2": segments("prod"),
    "SegmentSumV2": segments("sum"),
    "SparseCross": cross,
    "SparseCrossV2": cross_texts,
    "StaticRegexFullMatch": match,
    "StaticRegexReplace": replace,
    "StringNGrams": ngrams,
    "StringSplit": split_at,
    "StringSplitV2": split,
    "UnicodeDecode": decode,
    "UnicodeDecodeWithOffsets": decode_with_places,
    "UnicodeEncode": encode,
}
