"""How tensors and variables print: the texts behind ``repr``, ``str`` and ``format``.

Pure functions of a NumPy array and its DType. The wording is TensorFlow's to the letter, because doctests
and logs compare it. NumPy and its print options decide how numbers and arrays look inside.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tapegrad.dtypes import DType, stored
from tapegrad.framework.shape import TensorShape


def tensor_repr(array: np.ndarray[Any, Any], dtype: DType, weak: bool = False) -> str:
    """``<tf.Tensor: shape=(2,), dtype=float32, numpy=array([1., 2.], dtype=float32)>``"""
    more = ", weak=True" if weak else ""
    return f"<tf.Tensor: shape={array.shape}, dtype={dtype.name}, numpy={literal(array)}{more}>"


def tensor_str(array: np.ndarray[Any, Any], dtype: DType, weak: bool = False) -> str:
    """``tf.Tensor([1. 2.], shape=(2,), dtype=float32)``"""
    more = ", weak=True" if weak else ""
    return f"tf.Tensor({plain_text(array)}, shape={array.shape}, dtype={dtype.name}{more})"


def tensor_format(
    array: np.ndarray[Any, Any], dtype: DType, format_spec: str, weak: bool = False
) -> str:
    """What ``format(tensor, format_spec)`` gives: the bare value, formatted as a Python number for a scalar.

    Arrays take no format specification: TypeError, as from NumPy.
    """
    array = stored(array)
    text = format(array.item() if array.ndim == 0 else array, format_spec)
    return f"{text} weakly typed" if weak else text


def variable_repr(
    name: str,
    shape: TensorShape | tuple[int | None, ...],
    array: np.ndarray[Any, Any],
    dtype: DType,
) -> str:
    """``<tf.Variable 'x:0' shape=() dtype=float32, numpy=3.0>``, which is its ``str`` as well.

    Args:
      name: The name with its ``:0``. What ``assign`` returns has the name ``UnreadVariable``.
      shape: The declared shape, in which sizes may be None.
      array: The current value.
      dtype: The variable's dtype.
    """
    return f"<tf.Variable {name!r} shape={shape} dtype={dtype.name}, numpy={literal(array)}>"


def literal(array: np.ndarray[Any, Any]) -> str:
    """The text after ``numpy=``: the repr of the array, or of a scalar's Python value."""
    array = stored(array)
    return _on_lines_of_its_own(repr(array.item() if array.ndim == 0 else array))


def plain_text(array: np.ndarray[Any, Any]) -> str:
    """The text of the value in that of a tensor: the ``str`` of the array."""
    return _on_lines_of_its_own(str(stored(array)[()]))


def _on_lines_of_its_own(text: str) -> str:
    # NumPy aligns all rows as if the first one began its line, so the array starts on a new line.
    return "\n" + text if "\n" in text else text
