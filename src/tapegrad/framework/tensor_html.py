"""A tensor or variable in a notebook: its kind, statistics, a small picture of the values, and the values.

The picture is drawn in the colour of the text, so that it suits light and dark pages. All text is escaped.
"""

from __future__ import annotations

import html
from typing import Any

import numpy as np

from tapegrad.dtypes import DType, stored
from tapegrad.framework.counts import counted, size_text

ROWS, COLUMNS = 24, 48  # cells of the picture, at most
CELL = 6  # pixels of a cell
NOT_FINITE = "#d33"


def tensor_html(array: np.ndarray[Any, Any], dtype: DType, title: str = "tf.Tensor") -> str:
    """The HTML for a tensor with these values."""
    plain = stored(array)
    parts = [
        f"<code>{html.escape(title)}</code> {html.escape(dtype.name)} {array.shape}, "
        f"{counted(array.size, 'element')}, {size_text(array.size * dtype.size)}"
    ]
    statistics = value_statistics(array, dtype)
    if statistics is not None:
        text, missing = statistics
        parts.append(text + (f", <b>{missing}</b>" if missing else ""))
        if array.size > 1:
            parts.append(_picture(array, dtype))
    values = f"<pre>{html.escape(str(plain))}</pre>"
    parts.append(
        f"<details><summary>values</summary>{values}</details>" if array.size > 1 else values
    )
    return f"<div>{'<br>'.join(parts)}</div>"


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


def _picture(array: np.ndarray[Any, Any], dtype: DType) -> str:
    """A cell for each element of the last two axes, or for every few: the larger, the darker."""
    while array.ndim > 2:
        array = array[0]
    table = np.atleast_2d(array)
    table = table[:: -(-table.shape[0] // ROWS), :: -(-table.shape[1] // COLUMNS)]
    table = _as_floats(table, dtype)
    finite = table[np.isfinite(table)]
    largest = np.abs(finite).max() if finite.any() else 1.0
    # Divided first, because the difference of two large numbers may be infinite.
    low, high = (finite.min() / largest, finite.max() / largest) if finite.size else (0.0, 0.0)
    cells = []
    for (row, column), number in np.ndenumerate(table):
        fill = f'fill="{NOT_FINITE}"'
        if np.isfinite(number):
            share = (number / largest - low) / (high - low) if high > low else 0.5
            fill = f'fill="currentColor" fill-opacity="{0.05 + 0.9 * share:.2f}"'
        place = f'x="{column * CELL}" y="{row * CELL}" width="{CELL}" height="{CELL}"'
        cells.append(f"<rect {place} {fill}/>")
    height, width = table.shape[0] * CELL, table.shape[1] * CELL
    return (
        f'<svg width="{width}" height="{height}" role="img" aria-label="the values">'
        f"{''.join(cells)}</svg>"
    )
