"""The functions of ``tf.strings`` that return ragged tensors: the parts of strings, and n-grams of them."""

from __future__ import annotations

import math
from typing import Any

from tapegrad import dtypes
from tapegrad.core import convert, public
from tapegrad.ops.args import static_int
from tapegrad.ops.shape.array import reshape
from tapegrad.ops.shape.casts import cast
from tapegrad.ops.strings.pieces import (
    ngrams_of_rows,
    split_at_characters,
    split_bytes,
    split_pieces,
)
from tapegrad.ops.strings.text import reduce_join, static_text, unsorted_segment_join
from tapegrad.ops.strings.unicode import decode_characters, encode_rows, split_characters
from tapegrad.ragged.convert import to_sparse
from tapegrad.ragged.ragged_tensor import RaggedTensor, tensor_of
from tapegrad.ragged.reduce import reduction
from tapegrad.ragged.row_partition import partition_of_splits, splits_of_lengths
from tapegrad.ragged.rows import as_ragged, rank_of, uniform_rows

PUBLIC = {
    "strings compat.v1.strings": (
        "bytes_split ngrams unicode_decode unicode_decode_with_offsets unicode_encode unicode_split "
        "unicode_split_with_offsets"
    ),
    "strings": "split",
    "compat.v1.strings": "split=split_v1",
    "compat.v1": "string_split",
}


def texts_of(value: Any) -> Any:
    return value if isinstance(value, RaggedTensor) else convert(value, dtypes.string)


def in_pieces(texts: Any, pieces: Any) -> Any:
    """``texts`` with an axis more for the pieces of each.

    Args:
        texts: a tensor or ragged tensor of strings.
        pieces: makes of a vector of strings all pieces, perhaps several things about them, and last how many
            pieces each string has.

    Returns:
        The results of ``pieces`` for each piece, in rows: a tuple if there are several.
    """
    if isinstance(texts, RaggedTensor):
        inner = in_pieces(texts.values, pieces)
        partition = texts._row_partition.with_dtype(dtypes.int64)
        if isinstance(inner, tuple):
            return tuple(tensor_of(part, partition) for part in inner)
        return tensor_of(inner, partition)
    shape = texts._shape_tuple()
    size = math.prod(shape)
    *values, lengths = pieces(reshape(texts, (size,)))
    results = []
    for value in values:
        result: Any = value
        if shape:
            result = tensor_of(result, partition_of_splits(splits_of_lengths(lengths)))
        for axis in range(len(shape) - 1, 0, -1):
            count = math.prod(shape[:axis])
            result = tensor_of(result, uniform_rows(shape[axis], count, dtypes.int64))
        results.append(result)
    return results[0] if len(results) == 1 else tuple(results)


@public
def split(input: Any, sep: Any = None, maxsplit: Any = -1, name: str | None = None) -> Any:
    """The pieces of each string between separators.

    >>> tf.strings.split(["hello world", "a b c"])
    <tf.RaggedTensor [[b'hello', b'world'], [b'a', b'b', b'c']]>
    >>> tf.strings.split("a,b,,c", sep=",").numpy().tolist()
    [b'a', b'b', b'', b'c']

    Args:
        input: a tensor or ragged tensor of strings.
        sep: what stands between the pieces; by default any white space.
        maxsplit: how often to split at most; no limit if negative.

    Returns:
        A ragged tensor with an axis more than ``input``, or a vector if that is a scalar.
    """
    return in_pieces(
        texts_of(input), lambda texts: split_pieces(texts, b"" if sep is None else sep, maxsplit)
    )


def as_result_type(ragged: Any, result_type: str) -> Any:
    if result_type not in ("SparseTensor", "RaggedTensor"):
        raise ValueError("result_type must be 'RaggedTensor' or 'SparseTensor'.")
    return ragged if result_type == "RaggedTensor" else to_sparse(ragged)


@public
def split_v1(
    input: Any = None,
    sep: Any = None,
    maxsplit: Any = -1,
    result_type: str = "SparseTensor",
    source: Any = None,
    name: str | None = None,
) -> Any:
    """`split` as in TensorFlow 1.x, which returns a sparse tensor by default.

    Args:
        input: a tensor or ragged tensor of strings; a scalar counts as a vector of one.
        sep: what stands between the pieces; by default any white space.
        maxsplit: how often to split at most; no limit if negative.
        result_type: "SparseTensor" or "RaggedTensor".
        source: the older name of ``input``, which is used if that is None.
    """
    texts = texts_of(source if input is None else input)
    if rank_of(texts) == 0:
        texts = reshape(texts, (1,))
    return as_result_type(split(texts, sep, maxsplit), result_type)


@public
def string_split(
    source: Any,
    sep: Any = None,
    skip_empty: Any = True,
    delimiter: Any = None,
    result_type: str = "SparseTensor",
    name: str | None = None,
) -> Any:
    """The pieces of each string between delimiters: each character of ``sep`` is one.

    >>> tf.compat.v1.string_split(["a,b;c"], ",;").values.numpy().tolist()
    [b'a', b'b', b'c']

    Args:
        source: a vector of strings.
        sep: the delimiters, each a character; empty, each character is a piece. None is a space.
        skip_empty: whether to leave empty pieces out.
        delimiter: the older name of ``sep``, which is used if that is None.
        result_type: "SparseTensor" or "RaggedTensor".
    """
    chosen = delimiter if sep is None else sep
    delimiters = b" " if chosen is None else static_text(chosen)
    texts = texts_of(source)
    if rank_of(texts) != 1:
        raise ValueError(f"source must be a vector of strings, not of shape {texts.shape}.")
    return as_result_type(
        in_pieces(texts, lambda flat: split_at_characters(flat, delimiters, skip_empty)),
        result_type,
    )


@public
def bytes_split(input: Any, name: str | None = None) -> Any:
    """The bytes of each string.

    >>> tf.strings.bytes_split(["hi", "you"])
    <tf.RaggedTensor [[b'h', b'i'], [b'y', b'o', b'u']]>

    Args:
        input: a tensor or a ragged tensor of strings.
    """
    return in_pieces(texts_of(input), split_bytes)


@public
def unicode_split(
    input: Any,
    input_encoding: Any,
    errors: Any = "replace",
    replacement_char: Any = 65533,
    name: str | None = None,
) -> Any:
    """The characters of each string.

    >>> tf.strings.unicode_split(["hé", "a"], "UTF-8")
    <tf.RaggedTensor [[b'h', b'\\xc3\\xa9'], [b'a']]>

    Args:
        input: strings.
        input_encoding: an encoding of Unicode, such as "UTF-8" or "UTF-16-BE".
        errors: what to do with bytes that are no text: "replace", "ignore" or "strict".
        replacement_char: the number of the character that replaces them.
    """
    return unicode_split_with_offsets(input, input_encoding, errors, replacement_char)[0]


@public
def unicode_split_with_offsets(
    input: Any,
    input_encoding: Any,
    errors: Any = "replace",
    replacement_char: Any = 65533,
    name: str | None = None,
) -> Any:
    """The characters of each string, and the places of their first bytes.

    >>> tf.strings.unicode_split_with_offsets(["hé", "a"], "UTF-8")[1]
    <tf.RaggedTensor [[0, 1], [0]]>

    Args:
        input: a tensor or a ragged tensor of strings.
        input_encoding: the name of the encoding, such as "UTF-8" or "UTF-16-BE".
        errors: what is done about bytes that are no character: "replace", "ignore" or "strict", which raises
            an error.
        replacement_char: the code point that replaces them.
    """
    return in_pieces(
        texts_of(input),
        lambda texts: split_characters(texts, input_encoding, errors, replacement_char),
    )


@public
def unicode_decode(
    input: Any,
    input_encoding: Any,
    errors: Any = "replace",
    replacement_char: Any = 65533,
    replace_control_characters: Any = False,
    name: str | None = None,
) -> Any:
    """The code points of each string.

    >>> tf.strings.unicode_decode(["hé", "a"], "UTF-8")
    <tf.RaggedTensor [[104, 233], [97]]>

    Args:
        input: a tensor or a ragged tensor of strings.
        input_encoding: the name of the encoding, such as "UTF-8" or "UTF-16-BE".
        errors: what is done about bytes that are no character: "replace", "ignore" or "strict", which raises
            an error.
        replacement_char: the code point that replaces them.
        replace_control_characters: whether control characters, from 0 to 31, are replaced too.
    """
    return unicode_decode_with_offsets(
        input, input_encoding, errors, replacement_char, replace_control_characters
    )[0]


@public
def unicode_decode_with_offsets(
    input: Any,
    input_encoding: Any,
    errors: Any = "replace",
    replacement_char: Any = 65533,
    replace_control_characters: Any = False,
    name: str | None = None,
) -> Any:
    """The code points of each string, and the places of their first bytes.

    Args:
        input: a tensor or a ragged tensor of strings.
        input_encoding: the name of the encoding, such as "UTF-8" or "UTF-16-BE".
        errors: what is done about bytes that are no character: "replace", "ignore" or "strict", which raises
            an error.
        replacement_char: the code point that replaces them.
        replace_control_characters: whether control characters, from 0 to 31, are replaced too.
    """
    return in_pieces(
        texts_of(input),
        lambda texts: decode_characters(
            texts, input_encoding, errors, replacement_char, replace_control_characters
        ),
    )


@public
def unicode_encode(
    input: Any,
    output_encoding: Any,
    errors: Any = "replace",
    replacement_char: Any = 65533,
    name: str | None = None,
) -> Any:
    """Strings of code points, one string for each row.

    >>> tf.strings.unicode_encode([[104, 233]], "UTF-8").numpy().tolist()
    [b'h\\xc3\\xa9']

    Args:
        input: a tensor or a ragged tensor of code points, whose last axis becomes strings.
        output_encoding: "UTF-8", "UTF-16-BE" or "UTF-32-BE".
        errors: what is done about numbers that are no code point: "replace", "ignore" or "strict", which
            raises an error.
        replacement_char: the code point that replaces them.
    """
    points = input if isinstance(input, RaggedTensor) else convert(input)
    if rank_of(points) == 0:
        raise ValueError("input_tensor's rank must be at least 1.")

    def encoded(rows: Any) -> Any:
        return encode_rows(
            cast(rows.values, dtypes.int32),
            cast(rows.row_splits, dtypes.int64),
            output_encoding,
            errors,
            replacement_char,
        )

    return of_inner_rows(points, encoded)


def of_inner_rows(values: Any, function: Any) -> Any:
    """``function`` of the rows along the last axis, which it gets as a ragged tensor with two axes."""
    if isinstance(values, RaggedTensor):
        if rank_of(values) == 2:
            return function(values)
        return tensor_of(of_inner_rows(values.values, function), values._row_partition)
    *outer, width = values._shape_tuple()
    count = math.prod(outer)
    rows = as_ragged(reshape(values, (count, width)))
    result = function(rows)
    if isinstance(result, RaggedTensor):
        return result
    return reshape(result, tuple(outer))


@public
def ngrams(
    data: Any,
    ngram_width: Any,
    separator: Any = " ",
    pad_values: Any = None,
    padding_width: Any = None,
    preserve_short_sequences: bool = False,
    name: str | None = None,
) -> Any:
    """The n-grams along the last axis: all stretches of ``ngram_width`` strings, joined.

    >>> tf.strings.ngrams(tf.ragged.constant([["a", "b", "c"], ["d"]]), 2)
    <tf.RaggedTensor [[b'a b', b'b c'], []]>

    Args:
        data: a tensor or ragged tensor of strings.
        ngram_width: the number of strings in an n-gram, or a list of such numbers.
        separator: what joins the strings.
        pad_values: a string that pads both ends of each row, or a pair for the left and the right.
        padding_width: how far to pad at most; one less than the width of an n-gram by default.
        preserve_short_sequences: whether a row that is too short for any n-gram gives itself as a whole.
    """
    texts = texts_of(data)
    rank = rank_of(texts)
    if rank == 0:
        raise ValueError("Data must have rank>0")
    widths = (
        [ngram_width]
        if isinstance(ngram_width, int)
        else [static_int(width_number) for width_number in ngram_width]
    )
    if any(width < 1 for width in widths):
        raise ValueError(f"All ngram_widths must be greater than 0. Got {ngram_width}")
    if padding_width is not None and static_int(padding_width) < 1:
        raise ValueError(f"padding_width must be greater than 0. Got {padding_width}")
    if padding_width is not None and pad_values is None:
        raise ValueError("pad_values must be provided if padding_width is set.")
    pads = (None, None)
    if pad_values is not None:
        both = pad_values if isinstance(pad_values, (list, tuple)) else (pad_values, pad_values)
        pads = tuple(static_text(pad) for pad in both)  # type: ignore[assignment]

    def of_rows(rows: Any) -> Any:
        values, lengths = ngrams_of_rows(
            rows.values,
            cast(rows.row_splits, dtypes.int64),
            widths=tuple(widths),
            separator=static_text(separator),
            left=pads[0],
            right=pads[1],
            padding=-1 if padding_width is None else static_int(padding_width),
            keep_short=bool(preserve_short_sequences),
        )
        return tensor_of(values, partition_of_splits(splits_of_lengths(lengths)))

    if isinstance(texts, RaggedTensor):
        return of_inner_rows(texts, of_rows)
    *outer, width = texts._shape_tuple()
    count = math.prod(outer)
    ragged = of_rows(as_ragged(reshape(texts, (count, width))))
    dense = ragged.to_tensor()
    return reshape(dense, (*outer, dense._shape_tuple()[1]))


def reduce_join_form(
    function: Any,
    inputs: RaggedTensor,
    axis: Any = None,
    keepdims: Any = False,
    separator: Any = b"",
) -> Any:
    """The ragged override of `tf.strings.reduce_join`."""

    def whole(texts: Any, axis: Any = None) -> Any:
        return reduce_join(texts, axis, separator=separator)

    def segments(texts: Any, numbers: Any, count: int) -> Any:
        return unsorted_segment_join(texts, numbers, count, separator)

    return reduction(whole, inputs, axis, keepdims, segments)
