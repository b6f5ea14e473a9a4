"""The pieces of strings, n-grams and combinations of them: all of them, and how many each row has."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from tapegrad import dtypes
from tapegrad.ops.args import static_bool, static_int
from tapegrad.ops.op import STRING, op
from tapegrad.ops.shape_rules import Abstract
from tapegrad.ops.strings.text import static_text


def in_rows(rows: list[list[Any]]) -> tuple[Any, Any]:
    """All elements of the rows in one array of strings, and the lengths of the rows."""
    values = np.empty(sum(len(row) for row in rows), object)
    values[:] = [item for row in rows for item in row]
    return values, np.array([len(row) for row in rows], np.int64)


@op(
    "_SplitPieces",
    dtypes=STRING,
    convert={"separator": static_text, "maxsplit": static_int},
    outputs=("values", "lengths"),
)
def split_pieces(xp, texts, *, separator=b"", maxsplit=-1):
    """The pieces of each string between separators; by default between stretches of white space."""
    if separator or maxsplit < 0:
        return in_rows([text.split(separator or None, maxsplit) for text in texts.tolist()])
    return in_rows([words_in(text, maxsplit) for text in texts.tolist()])


def words_in(text: bytes, maxsplit: int) -> list[bytes]:
    """At most ``maxsplit`` words and what comes behind them, which is there although it may be empty."""
    if maxsplit == 0:
        return [text]
    words = text.split(None, maxsplit)
    return [*words, b""] if len(words) == maxsplit else words


split_pieces.shape(lambda: [Abstract([None], dtypes.string), Abstract([None], dtypes.int64)])
split_pieces.no_gradient()


@op(
    "_SplitAtCharacters",
    dtypes=STRING,
    convert={"delimiters": static_text, "skip_empty": static_bool},
    outputs=("values", "lengths"),
)
def split_at_characters(xp, texts, *, delimiters=b" ", skip_empty=True):
    """The pieces of each string between characters that are all delimiters; the bytes if there is none.

    An empty string has no pieces, not even an empty one.
    """
    rows = []
    for text in texts.tolist():
        row: list[bytes] = [text] if text else []
        if delimiters:
            for byte in delimiters:
                row = [piece for part in row for piece in part.split(bytes([byte]))]
        else:
            row = [text[place : place + 1] for place in range(len(text))]
        rows.append([piece for piece in row if piece or not skip_empty])
    return in_rows(rows)


split_at_characters.shape(lambda: [Abstract([None], dtypes.string), Abstract([None], dtypes.int64)])
split_at_characters.no_gradient()


@op("_SplitBytes", dtypes=STRING, outputs=("values", "lengths"))
def split_bytes(xp, texts):
    """The bytes of each string."""
    return in_rows([[bytes([byte]) for byte in text] for text in texts.tolist()])


split_bytes.shape(lambda: [Abstract([None], dtypes.string), Abstract([None], dtypes.int64)])
split_bytes.no_gradient()


@op(
    "_NGrams",
    dtypes={"values": STRING, "splits": {dtypes.int64}},
    outputs=("values", "lengths"),
)
def ngrams_of_rows(xp, values, splits, *, widths, separator, left, right, padding, keep_short):
    """The n-grams of each row: all stretches of as many strings as each width says, joined.

    Args:
        values, splits: the rows.
        widths: the numbers of strings in an n-gram.
        separator: what joins the strings.
        left, right: what pads the rows; None for no padding.
        padding: how far at most; one less than the width if negative.
        keep_short: whether a row that is too short for all widths gives itself as a whole.
    """
    if not len(values):  # TensorFlow pads empty rows beside others alone
        return in_rows([[] for _ in splits[1:]])
    rows = []
    for start, end in zip(splits[:-1].tolist(), splits[1:].tolist(), strict=True):
        texts = values[start:end].tolist()
        pieces = []
        for width in widths:
            count = 0 if left is None else width - 1 if padding < 0 else min(padding, width - 1)
            whole = [left] * count + texts + [right] * count
            for place in range(len(whole) - width + 1):
                pieces.append(separator.join(whole[place : place + width]))
        if keep_short and not pieces and texts:
            count = 0 if left is None or padding < 0 else padding
            pieces.append(separator.join([left] * count + texts + [right] * count))
        rows.append(pieces)
    return in_rows(rows)


ngrams_of_rows.no_gradient()


def combinations(columns: Any, splits: Any) -> tuple[list[Any], Any]:
    """The combinations of elements in all rows, and how many each row has."""
    rows: list[Any] = []
    lengths = []
    lists = [column.tolist() for column in columns]
    for place in range(len(splits[0]) - 1):
        parts = [
            items[ends[place] : ends[place + 1]] for items, ends in zip(lists, splits, strict=True)
        ]
        products = list(itertools.product(*parts))
        rows += products
        lengths.append(len(products))
    return rows, np.array(lengths, np.int64)


@op("_CrossTexts", dtypes=STRING, outputs=("values", "lengths"))
def cross_texts(xp, *columns, splits):
    """All combinations of texts in the same row, joined."""
    rows, lengths = combinations(columns, splits)
    values = np.empty(len(rows), object)
    values[:] = [b"_X_".join(row) for row in rows]
    return values, lengths


cross_texts.no_gradient()
