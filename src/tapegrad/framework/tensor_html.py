"""A tensor or variable in a notebook: its kind, statistics, a small picture of the values, and the values.

The picture is drawn in the colour of the text, so that it suits light and dark pages. All text is escaped.
"""

from __future__ import annotations

import html
from collections.abc import Iterator
from typing import Any

import numpy as np

from tapegrad.dtypes import DType, stored
from tapegrad.framework.counts import counted, size_text
from tapegrad.framework.search_box import searchable

ROWS, COLUMNS = 24, 48  # cells of the picture, at most
CELL = 6  # pixels of a cell
NOT_FINITE = "#d33"


def tensor_html(array: np.ndarray[Any, Any], dtype: DType, title: str = "tf.Tensor") -> str:
    """The HTML for a tensor with these values."""
    parts = [
        f"<code>{html.escape(title)}</code> {html.escape(dtype.name)} {array.shape}, "
        f"{counted(array.size, 'element')}, {size_text(array.size * dtype.size)}"
    ]
    statistics = value_statistics(array, dtype)
    if statistics is not None:
        text, missing = statistics
        parts.append(text + (f", <b>{missing}</b>" if missing else ""))
    if array.size > 1:
        table, steps = _sampled(array)
        if statistics is None:
            picture, values = "", _lines(table, steps, array.ndim)
        else:
            picture, values = _picture(table, steps, array.ndim, dtype), _all_values(array)
        content = f"{picture}<details><summary>values</summary>{values}</details>"
        of_all = "" if table.size == array.size else f" shown, of {array.size:,}"
        parts.append(searchable(content, f"{table.size:,} values{of_all}"))
    else:
        parts.append(_all_values(array))
    return f"<div>{'<br>'.join(parts)}</div>"


def _all_values(array: np.ndarray[Any, Any]) -> str:
    """The values as NumPy prints them, which leaves out most of many."""
    return f"<pre>{html.escape(str(stored(array)))}</pre>"


def _as_floats(array: np.ndarray[Any, Any], dtype: DType) -> np.ndarray[Any, Any]:
    """The values as float64; of complex numbers the absolute values."""
    return np.abs(array) if dtype.is_complex else array.astype(np.float64)


def value_statistics(array: np.ndarray[Any, Any], dtype: DType) -> tuple[str, str] | None:
    """Range and mean of the values in words, and how many are not finite; None for what are no numbers."""
    numeric = dtype.is_integer or dtype.is_floating or dtype.is_complex or dtype.is_bool
    if not array.size or not numeric:
        return None
    numbers = _as_floats(array, dtype)
    finite = numbers[np.isfinite(numbers)]
    of = "absolute values: " if dtype.is_complex else ""
    text = "no finite number"
    if finite.size:
        with np.errstate(over="ignore"):
            text = f"{of}{finite.min():.4g} to {finite.max():.4g}, mean {finite.mean():.4g}"
    missing = numbers.size - finite.size
    return text, f"{missing:,} not finite" if missing else ""


def _sampled(array: np.ndarray[Any, Any]) -> tuple[np.ndarray[Any, Any], tuple[int, int]]:
    """Elements of the last two axes as a table, and the steps between its rows and between its columns."""
    while array.ndim > 2:
        array = array[0]
    table = np.atleast_2d(array)
    rows, columns = -(-table.shape[0] // ROWS), -(-table.shape[1] // COLUMNS)
    return table[::rows, ::columns], (rows, columns)


def _places(table: np.ndarray[Any, Any], steps: tuple[int, int], rank: int) -> Iterator[Any]:
    """For each element of a table its row, its column, and its index in the tensor and value as text."""
    for (row, column), value in np.ndenumerate(table):
        index = [*[0] * (rank - 2), row * steps[0], column * steps[1]][-rank:]
        yield row, column, f"{index}: {value}"


def _lines(table: np.ndarray[Any, Any], steps: tuple[int, int], rank: int) -> str:
    """A line for each element of a table."""
    texts = [html.escape(text) for *_, text in _places(table, steps, rank)]
    return "".join([f'<div data-text="{text}"><code>{text}</code></div>' for text in texts])


def _picture(table: np.ndarray[Any, Any], steps: tuple[int, int], rank: int, dtype: DType) -> str:
    """A cell for each element of a table: the larger, the darker."""
    numbers = _as_floats(table, dtype)
    finite = numbers[np.isfinite(numbers)]
    largest = np.abs(finite).max() if finite.any() else 1.0
    # Divided first, because the difference of two large numbers may be infinite.
    low, high = (finite.min() / largest, finite.max() / largest) if finite.size else (0.0, 0.0)
    cells = []
    for row, column, text in _places(stored(table), steps, rank):
        number = numbers[row, column]
        fill = f'fill="{NOT_FINITE}"'
        if np.isfinite(number):
            share = (number / largest - low) / (high - low) if high > low else 0.5
            fill = f'fill="currentColor" fill-opacity="{0.05 + 0.9 * share:.2f}"'
        place = f'x="{column * CELL}" y="{row * CELL}" width="{CELL}" height="{CELL}"'
        cells.append(f'<rect {place} {fill} data-text=""><title>{text}</title></rect>')
    height, width = table.shape[0] * CELL, table.shape[1] * CELL
    return (
        f'<br><svg width="{width}" height="{height}" role="img" aria-label="the values">'
        f"{''.join(cells)}</svg>"
    )
