"""`OPS`: ops of ours on texts, records, hashes and ragged counts, as nodes that do the same.

The entries are functions as in ``compositions``. Where TensorFlow's op gives the indices or the splits of
rows, ours gives their lengths.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tapegrad import dtypes
from tapegrad.saving.steps import CannotEncode
from tapegrad.saving.writing.nodes import SIZES, Nodes, Tensor

ENCODINGS = frozenset(["UTF-8", "UTF-16-BE", "UTF-32-BE"])
"""Those in which TensorFlow's op writes text."""

# Rows


def _lengths_of_rows(to: Nodes, indices: Tensor, count: Tensor) -> Tensor:
    """How many elements each row has, by the indices of a sparse matrix."""
    rows = to.one("StridedSlice", indices, [0, 0], [0, 1], [1, 1], begin_mask=1, end_mask=1,
                  shrink_axis_mask=2)  # fmt: skip
    return to.one("UnsortedSegmentSum", to.one("OnesLike", rows), rows, to.cast(count, SIZES))


def _lengths_of_splits(to: Nodes, splits: Tensor) -> Tensor:
    """How many elements each row has, by where the rows begin and end."""
    ends = to.one("StridedSlice", splits, [1], [0], [1], end_mask=1)
    starts = to.one("StridedSlice", splits, [0], [-1], [1], begin_mask=1)
    return to.cast(to.one("Sub", ends, starts), SIZES)


def _count(to: Nodes, tensor: Tensor) -> Tensor:
    return to.one("Size", tensor, out_type=SIZES)


# Texts


def split(to: Nodes, step: Any, texts: Any, separator: Any, maxsplit: int) -> list[Tensor]:
    """The pieces of each text, and how many it has."""
    text = b"" if separator is None else separator
    indices, values, _ = to.all(
        "StringSplitV2", texts, to.constant(_word(text)), maxsplit=maxsplit
    )  # fmt: skip
    return [values, _lengths_of_rows(to, indices, _count(to, texts))]


def _word(text: Any) -> Any:
    return np.array(text.encode() if isinstance(text, str) else text, object)


def split_at_characters(
    to: Nodes, step: Any, texts: Any, delimiters: Any, skip_empty: bool
) -> list[Tensor]:
    """The pieces of each text between characters, and how many it has."""
    indices, values, _ = to.all(
        "StringSplit", texts, to.constant(_word(delimiters)), skip_empty=skip_empty
    )
    return [values, _lengths_of_rows(to, indices, _count(to, texts))]


def split_bytes(to: Nodes, step: Any, texts: Any) -> list[Tensor]:
    """The bytes of each text, and how many it has."""
    return split_at_characters(to, step, texts, b"", skip_empty=False)


def ngrams(
    to: Nodes,
    step: Any,
    values: Any,
    splits: Any,
    widths: Any,
    separator: Any,
    left: Any,
    right: Any,
    padding: int,
    keep_short: bool,
) -> list[Tensor]:
    """The n-grams of each row, and how many it has."""
    pads = left is not None
    results, ends = to.all(
        "StringNGrams", values, splits, ngram_widths=list(widths), separator=separator,
        left_pad=left if pads else "", right_pad=right if pads else "",
        pad_width=padding if pads else 0, preserve_short_sequences=keep_short,
    )  # fmt: skip
    return [results, _lengths_of_splits(to, ends)]


def decode_characters(to: Nodes, step: Any, texts: Any, **options: Any) -> list[Tensor]:
    """The characters of each text, the bytes where they begin, and how many it has."""
    splits, points, places = to.all("UnicodeDecodeWithOffsets", texts, Tsplits=SIZES, **options)
    return [points, places, _lengths_of_splits(to, splits)]


def split_characters(
    to: Nodes, step: Any, texts: Any, input_encoding: str, **options: Any
) -> list[Tensor]:
    """The characters of each text as texts, the bytes where they begin, and how many it has."""
    encoding = input_encoding.upper()
    if encoding not in ENCODINGS:
        raise CannotEncode(f"the encoding {input_encoding}")
    points, places, lengths = decode_characters(to, step, texts, input_encoding=encoding, **options)
    one = to.operand(1, SIZES)
    count = to.one("AddV2", _count(to, points), one)
    splits = to.one("Range", to.operand(0, SIZES), count, one)
    characters = to.one("UnicodeEncode", points, splits, output_encoding=encoding)
    return [characters, places, lengths]


def encode_rows(to: Nodes, step: Any, points: Any, splits: Any, **options: Any) -> Tensor:
    """A text for each row of characters."""
    return to.one("UnicodeEncode", points, splits, **options)


def fingerprints(to: Nodes, step: Any, texts: Any) -> Tensor:
    """A hash of each text."""
    flat = to.one("Reshape", texts, to.operand([-1, 1], SIZES))
    own = to.one("Fingerprint", flat, to.constant(_word(b"farmhash64")))
    return to.one(
        "Reshape", to.one("Bitcast", own, type=dtypes.int64), to.one("Shape", texts, out_type=SIZES)
    )


def is_jpeg(to: Nodes, step: Any, contents: Any) -> Tensor:
    """Whether files begin as those of JPEG do."""
    return to.one("Equal", to.one("Substr", contents, 0, 3), to.constant(_word(b"\xff\xd8\xff")))


# Records


def decode_csv(to: Nodes, step: Any, records: Any, form: Any) -> list[Tensor]:
    """The columns of rows of text."""
    defaults, delimiter, quotes, missing, selected = form
    return to.all(
        "DecodeCSV", records, [to.constant(array) for array in defaults], OUT_TYPE=step.kinds,
        field_delim=delimiter, use_quote_delim=quotes, na_value=missing,
        select_cols=[] if selected is None else selected,
    )  # fmt: skip


def parse_examples(to: Nodes, step: Any, serialized: Any, names: Any, wanted: Any) -> list[Tensor]:
    """The features of records: a tensor, or the values and how many each record has."""
    dense = [feature for feature in wanted if hasattr(feature, "shape")]
    listed = [feature for feature in wanted if not hasattr(feature, "shape")]
    kinds = iter(step.kinds)
    kind_of = {}
    for feature in wanted:
        kind_of[feature.key] = next(kinds)
        if feature in listed:
            next(kinds)  # of the lengths
    shapes, defaults = [], []
    for feature in dense:
        shape = [-1 if size is None else size for size in feature.shape]
        shapes.append([None if size == -1 else size for size in shape])
        kind = kind_of[feature.key].numpy_dtype
        content = [] if feature.default is None else feature.default
        varies = -1 in shape[:1]
        array = np.empty([len(content)], kind)
        array[:] = content
        filler = np.array([b""], object) if kind.hasobject else np.zeros(1, kind)
        if varies:
            array = array[:1] if len(array) else filler
        defaults.append(to.constant(array if varies or not len(content) else array.reshape(shape)))
    results = to.all(
        "ParseExampleV2", serialized, names,
        to.constant(_keys(listed)), to.constant(_keys(dense)), to.constant(_keys([])), defaults,
        num_sparse=len(listed), sparse_types=[kind_of[feature.key] for feature in listed],
        ragged_value_types=[], ragged_split_types=[], dense_shapes=shapes,
    )  # fmt: skip
    count = len(listed)
    indices, values, tensors = results[:count], results[count : 2 * count], results[3 * count :]
    by_key = dict(zip([feature.key for feature in dense], [[own] for own in tensors], strict=True))
    for feature, places, own in zip(listed, indices, values, strict=True):
        if serialized.rank == 0:
            lengths = to.one("Reshape", _count(to, own), [1])
        elif serialized.rank == 1:
            lengths = _lengths_of_rows(to, places, _count(to, serialized))
        else:
            raise CannotEncode("records of an unknown rank")
        by_key[feature.key] = [own, lengths]
    return [tensor for feature in wanted for tensor in by_key[feature.key]]


def places_in_records(to: Nodes, step: Any, lengths: Any) -> list[Tensor]:
    """The indices of a sparse matrix whose rows have these lengths, and its shape."""
    zero, one = to.operand(0, SIZES), to.operand(1, SIZES)
    longest = to.one("Maximum", to.one("Max", lengths, 0), zero)
    columns = to.one("ExpandDims", to.one("Range", zero, longest, one), 0)
    inside = to.one("Less", columns, to.one("ExpandDims", lengths, 1))
    return [to.one("Where", inside), to.one("Pack", [_count(to, lengths), longest], axis=0)]


def _keys(features: list[Any]) -> Any:
    keys = np.empty(len(features), object)
    keys[:] = [feature.key.encode() for feature in features]
    return keys


# Combinations of columns


def _columns(to: Nodes, parts: Any, rows: Any) -> list[list[Tensor]]:
    """Sparse matrices as indices, values and shapes, of the row and the value of each element."""
    indices, values, shapes = [], [], []
    for own, elements in zip(parts[::2], parts[1::2], strict=True):
        indices.append(to.one("Pack", [own, _numbers_within(to, own)], axis=1))
        values.append(elements)
        shapes.append(to.one("Pack", [to.operand(rows, SIZES), _count(to, own)], axis=0))
    return [indices, values, shapes]


def cross_joined(to: Nodes, step: Any, parts: Any, rows: Any, separator: Any) -> list[Tensor]:
    """Combinations of the elements in each row, as text."""
    text = to.constant(_word(separator))
    return to.all("SparseCrossV2", *_columns(to, parts, rows), [], text, dense_types=[])


def cross_hashed(to: Nodes, step: Any, parts: Any, rows: Any, limit: int, key: int) -> list[Tensor]:
    """Combinations of the elements in each row, as hashes below a limit."""
    buckets = 0 if limit == 2**63 - 1 else limit  # what TensorFlow calls no limit
    return to.all(
        "SparseCross", *_columns(to, parts, rows), [], hashed_output=True, num_buckets=buckets,
        hash_key=key, out_type=SIZES, internal_type=SIZES, dense_types=[],
    )  # fmt: skip


def _numbers_within(to: Nodes, rows: Tensor) -> Tensor:
    """The number of each element in its row, where rows do not decrease."""
    numbers = to.one("Range", to.operand(0, SIZES), _count(to, rows), to.operand(1, SIZES))
    flat = to.one("ExpandDims", rows, 0)
    first = to.one("LowerBound", flat, flat, out_type=SIZES)
    return to.one("Sub", numbers, to.one("Reshape", first, [-1]))


def cross_ragged(hashed: bool) -> Callable[..., list[Tensor]]:
    """Combinations of the elements in each row of ragged tensors, and how many there are."""

    def write(
        to: Nodes, step: Any, columns: Any, splits: Any, num_buckets: int = 0, key: int = 0
    ) -> list[Tensor]:
        own = [to.operand(part, SIZES) for part in splits]
        values, ends = to.all(
            "RaggedCross", columns, own, [], [], [], [],
            Nsparse=0, input_order="R" * len(columns), hashed_output=hashed,
            num_buckets=num_buckets, hash_key=key, sparse_values_types=[], dense_types=[],
            out_values_type=step.kinds[0], out_row_splits_type=SIZES,
        )  # fmt: skip
        return [values, _lengths_of_splits(to, ends)]

    return write


# Counts


def count_places(
    to: Nodes,
    step: Any,
    numbers: Any,
    rows: Any,
    minlength: Any,
    maxlength: Any,
    leading: Any,
) -> list[Tensor]:
    """Which counts there are, the one that each number adds to, the numbers that count, and the shape."""
    flat = to.cast(to.one("Reshape", numbers, [-1]), SIZES)
    # The largest of no numbers is the least of all, to which 1 may be added.
    largest = to.one("Max", flat, 0)
    size = to.one("Maximum", to.one("AddV2", largest, 1), 1)
    if minlength is not None:
        size = to.one("Maximum", size, to.operand(minlength, SIZES))
    if maxlength is not None:
        size = to.one("Minimum", size, to.operand(maxlength, SIZES))
    kept = to.one("Reshape", to.one("Where", to.one("Less", flat, size)), [-1])
    keys = to.one("GatherV2", flat, kept, 0)
    if leading is None:
        shape = to.one("Pack", [size], axis=0)
    else:
        own = to.one("GatherV2", rows, kept, 0)
        keys = to.one("AddV2", keys, to.one("Mul", own, size))
        outer = [to.operand(part, SIZES) for part in leading]
        shape = to.one("Pack", [*outer, size], axis=0)
    distinct, _ = to.all("UniqueV2", to.one("Neg", _sorted(to, to.one("Neg", keys))), [0],
                         out_idx=SIZES)  # fmt: skip
    row = to.one("ExpandDims", distinct, 0)
    bins = to.one("LowerBound", row, to.one("ExpandDims", keys, 0), out_type=SIZES)
    bins = to.one("Reshape", bins, [-1])
    # Not UnravelIndex, which takes no empty tensor in TensorFlow.
    places = [distinct]
    if leading is not None:
        places = [to.one("FloorDiv", distinct, size), to.one("FloorMod", distinct, size)]
    indices = to.one("Pack", places, axis=1)
    return [indices, bins, kept, shape]


def _sorted(to: Nodes, values: Tensor) -> Tensor:
    """Values in falling order."""
    return to.all("TopKV2", values, to.cast(_count(to, values), dtypes.int32))[0]


def places_in_rows(to: Nodes, step: Any, numbers: Any, rows: Any, size: Any) -> Tensor:
    """The place of each number below a size in rows of that size, end to end."""
    numbers, rows = to.cast(numbers, SIZES), to.cast(rows, SIZES)
    length = to.operand(size, SIZES)
    places = to.one("AddV2", to.one("Mul", rows, length), numbers)
    kept = to.one("Reshape", to.one("Where", to.one("Less", numbers, length)), [-1])
    return to.one("GatherV2", places, kept, 0)


def places_of_others(to: Nodes, step: Any, numbers: Any, left_out: Any) -> Tensor:
    """The places of numbers that are not among others."""
    _, places = to.all("ListDiff", numbers, to.cast(left_out, numbers.dtype), out_idx=dtypes.int32)
    return places


# Jacobians


def unit_seeds(
    to: Nodes, step: Any, shape: Any, item: Any, begin: Any, size: Any, dtype: Any
) -> Tensor:
    """For one element after the other arrays that are 1 there, and 0 elsewhere."""
    first, count = to.operand(begin, SIZES), to.operand(size, SIZES)
    numbers = to.one("Range", first, to.one("AddV2", first, count), to.operand(1, SIZES))
    depth = _product(to, item)
    one, zero = to.operand(1, dtype), to.operand(0, dtype)
    seeds = to.one("OneHot", numbers, to.cast(depth, dtypes.int32), one, zero)
    outer = to.one("FloorDiv", _product(to, shape), to.one("Maximum", depth, 1))
    seeds = to.one("BroadcastTo", to.one("ExpandDims", seeds, 1),
                   to.one("Pack", [count, outer, depth], axis=0))  # fmt: skip
    whole = [count, *[to.operand(part, SIZES) for part in shape]]
    return to.one("Reshape", seeds, to.one("Pack", whole, axis=0))


def _product(to: Nodes, sizes: Any) -> Tensor:
    product = to.operand(1, SIZES)
    for part in sizes:
        product = to.one("Mul", product, to.operand(part, SIZES))
    return product


OPS: dict[str, Callable[..., Any]] = {
    "_CountPlaces": count_places,
    "_CrossHashed": cross_hashed,
    "_CrossJoined": cross_joined,
    "_CrossNumbers": cross_ragged(hashed=True),
    "_CrossTexts": cross_ragged(hashed=False),
    "_DecodeCSV": decode_csv,
    "_DecodeCharacters": decode_characters,
    "_EncodeRows": encode_rows,
    "_Fingerprint64": fingerprints,
    "_IsJpeg": is_jpeg,
    "_NGrams": ngrams,
    "_ParseExample": parse_examples,
    "_PlacesInRecords": places_in_records,
    "_PlacesInRows": places_in_rows,
    "_PlacesOfOthers": places_of_others,
    "_SplitAtCharacters": split_at_characters,
    "_SplitBytes": split_bytes,
    "_SplitCharacters": split_characters,
    "_SplitPieces": split,
    "_UnitSeeds": unit_seeds,
}
"""The type of an op -> what writes a step of it."""
