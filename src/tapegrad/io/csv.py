"""Lines of values that are separated by commas: `tf.io.decode_csv`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from tapegrad import dtypes
from tapegrad.core import EagerTensor, Tensor, static_value
from tapegrad.dtypes import DType
from tapegrad.errors import refuse
from tapegrad.framework.convert import convert_to_tensor
from tapegrad.ops.args import static_bool
from tapegrad.ops.op import op
from tapegrad.ops.shape_rules import Abstract

PUBLIC = {"io": "decode_csv"}

TYPES = (dtypes.float32, dtypes.float64, dtypes.int32, dtypes.int64, dtypes.string)
NAMES = {dtypes.float32: "float", dtypes.float64: "double"}
INTEGER = re.compile(rb"\s*[+-]?[0-9]+\s*")

Array = np.ndarray[Any, Any]


class Column:
    """A column's dtype, and its default value; a column without one must have a value in every row."""

    __slots__ = ("default", "dtype", "required")

    def __init__(self, number: int, default: Any) -> None:
        tensor: EagerTensor = convert_to_tensor(default)
        self.dtype: DType = tensor.dtype
        if self.dtype not in TYPES:
            refuse(
                f"Columns hold {', '.join(dtype.name for dtype in TYPES)}; record_defaults[{number}] is "
                f"of {self.dtype.name}.",
                op="DecodeCSV",
            )
        values = static_value(tensor, "values").ravel().tolist()
        if len(tensor.shape) > 1:
            raise ValueError(
                "Each record default should be at most rank 1: "
                f"record_defaults[{number}] has shape {tensor.shape}"
            )
        if len(values) > 1:
            refuse(
                f"There should only be 1 default per field but field {number} has {len(values)}",
                op="DecodeCSV",
            )
        self.required = not values
        self.default = values[0] if values else None

    def value(self, text: bytes) -> Any:
        """The value of the text of a field; ValueError if it has none."""
        if self.dtype is dtypes.string:
            return text
        if self.dtype.is_integer:
            if INTEGER.fullmatch(text) is None:
                raise ValueError
            number = int(text)
            if not self.dtype.min <= number <= self.dtype.max:
                raise ValueError
            return number
        if b"_" in text:
            raise ValueError
        return float(text)

    @property
    def type_name(self) -> str:
        return NAMES.get(self.dtype, self.dtype.name)


class Form:
    """The format of rows, and the dtypes of their columns."""

    def __init__(
        self,
        record_defaults: Sequence[Any],
        field_delim: str,
        use_quote_delim: bool,
        na_value: str,
        select_cols: Sequence[int] | None,
    ) -> None:
        if isinstance(record_defaults, (str, bytes)) or not hasattr(record_defaults, "__len__"):
            raise TypeError(
                "Expected list for 'record_defaults' argument to 'decode_csv' Op, "
                f"not {record_defaults!r}."
            )
        self.columns = [Column(i, default) for i, default in enumerate(record_defaults)]
        if len(field_delim) != 1:
            refuse(f"field_delim should be only 1 char, not {field_delim!r}", op="DecodeCSV")
        self.delimiter = field_delim.encode()
        self.quotes = static_bool(use_quote_delim)
        self.missing = na_value.encode()
        self.selected = None if select_cols is None else [int(number) for number in select_cols]
        if self.selected is not None and len(self.selected) != len(self.columns):
            raise ValueError(
                "Length of select_cols and record_defaults do not match: "
                f"{len(self.selected)} and {len(self.columns)}."
            )
        if self.selected is not None and any(
            a >= b for a, b in zip(self.selected, self.selected[1:], strict=False)
        ):
            raise ValueError(f"select_cols is not strictly increasing: {self.selected}")
        if self.selected and self.selected[0] < 0:
            raise ValueError(f"select_cols must not be negative: {self.selected}")
        # A field between delimiters that has neither quotes nor ends of lines.
        quotes = b'"\r\n' if self.quotes else b""
        self._plain = re.compile(b"[^" + re.escape(self.delimiter) + quotes + b"]*")

    def __iter__(self) -> Iterator[Any]:
        """The arguments that make an equal form, as plain values and arrays."""
        yield [
            np.array([] if column.required else [column.default], column.dtype.numpy_dtype)
            for column in self.columns
        ]
        yield self.delimiter.decode()
        yield self.quotes
        yield self.missing.decode()
        yield self.selected

    def _key(self) -> Any:
        return (
            tuple(
                [(column.dtype, column.required, repr(column.default)) for column in self.columns]
            ),
            (self.delimiter, self.quotes, self.missing, tuple(self.selected or ())),
            self.selected is None,
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Form) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def split(self, record: bytes) -> list[bytes]:
        """The texts of the fields of a row."""
        if not record:
            return []
        if not self.quotes or (b'"' not in record and b"\n" not in record and b"\r" not in record):
            return record.split(self.delimiter)
        texts: list[bytes] = []
        at, end = 0, len(record)
        while True:
            if record[at : at + 1] == b'"':
                text, at = self._quoted(record, at + 1)
            else:
                match = self._plain.match(record, at)
                text, at = (match[0], match.end()) if match else (b"", at)
                if at < end and record[at : at + 1] != self.delimiter:
                    refuse("Unquoted fields cannot have quotes/CRLFs inside")
            texts.append(text)
            if at == end:
                return texts
            at += 1

    def _quoted(self, record: bytes, at: int) -> tuple[bytes, int]:
        """The text of a field whose first quote is just before ``at``, and where it ends."""
        parts = []
        while True:
            quote = record.find(b'"', at)
            if quote < 0:
                refuse("Quoted field has to end with quote followed by delim or end")
            parts.append(record[at:quote])
            following = record[quote + 1 : quote + 2]
            if not following or following == self.delimiter:
                return b"".join(parts), quote + 1
            if following != b'"':
                refuse("Quote inside a string has to be escaped by another quote")
            parts.append(b'"')
            at = quote + 2

    def values(self, record: bytes, row: int) -> list[Any]:
        """The values of the columns in a row."""
        texts = self.split(record)
        if self.selected is not None:
            texts = [texts[number] for number in self.selected if number < len(texts)]
        if len(texts) != len(self.columns):
            refuse(f"Expect {len(self.columns)} fields but have {len(texts)} in record {row}")
        return self.converted(texts, f"record {row}")

    def converted(self, texts: Sequence[bytes], where: str) -> list[Any]:
        """The values of the texts of all columns; ``where`` names the row in messages."""
        values = []
        for number, (column, text) in enumerate(zip(self.columns, texts, strict=True)):
            if not text or text == self.missing:
                if column.required:
                    refuse(f"Field {number} is required but missing in {where}!")
                values.append(column.default)
                continue
            try:
                values.append(column.value(text))
            except ValueError:
                refuse(
                    f"Field {number} in {where} is not a valid {column.type_name}: "
                    f"{text.decode(errors='replace')}"
                )
        return values


def array_of(values: Sequence[Any], column: Column) -> Array:
    """The values of a column in an array of its dtype."""
    if column.dtype is dtypes.string:
        result = np.empty(len(values), object)
        result[:] = values
        return result
    with np.errstate(over="ignore"):
        return np.array(values, column.dtype.numpy_dtype)


@op("_DecodeCSV", dtypes={"records": {dtypes.string}}, outputs=...)
def _decode_csv(xp, records, *, form):  # type: ignore[no-untyped-def]
    """The columns of rows of text. ``form`` is a `Form`."""
    rows = [form.values(record, row) for row, record in enumerate(records.ravel().tolist())]
    columns = zip(*rows, strict=True) if rows else [()] * len(form.columns)
    return [
        array_of(values, column).reshape(records.shape)
        for values, column in zip(columns, form.columns, strict=True)
    ]


_decode_csv.shape(
    lambda records, form: [Abstract(records.shape, column.dtype) for column in form.columns]
)
_decode_csv.no_gradient()


def decode_csv(
    records: Any,
    record_defaults: Any,
    field_delim: str = ",",
    use_quote_delim: bool = True,
    na_value: str = "",
    select_cols: Any = None,
    name: str | None = None,
) -> list[Tensor]:
    """The columns of rows of text, a tensor for each column.

    >>> tf.io.decode_csv(["1,one", "2,two"], [0, ""])
    [<tf.Tensor: shape=(2,), dtype=int32, numpy=array([1, 2], dtype=int32)>,
     <tf.Tensor: shape=(2,), dtype=string, numpy=array([b'one', b'two'], dtype=object)>]

    Args:
        records: strings, each a row.
        record_defaults: for each column the value that stands in for a missing one, and gives the dtype; or
            an empty tensor of the dtype if every row must have a value.
        field_delim: the character between two fields.
        use_quote_delim: whether fields may be quoted with ``"``, and then hold delimiters.
        na_value: a text that counts as a missing value, as an empty field does.
        select_cols: the numbers of the columns that are wanted, in order.
        name: accepted and ignored.
    """
    form = Form(record_defaults, field_delim, use_quote_delim, na_value, select_cols)
    return _decode_csv(records, form=form)  # type: ignore[no-any-return]
