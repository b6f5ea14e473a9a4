"""Control flow: functions given to functions."""

from __future__ import annotations

from typing import Any

from . import Sample, call
from .draws import given, reals

_DTYPES = ("float32", "float64", "complex64", "int32")


def samples(tf: Any) -> list[Sample]:
    """Rows of this family."""

    def row(function: Any, cases: list[Any], name: str, **more: Any) -> Sample:
        return Sample(function, cases, name=name, dtypes=_DTYPES, **more)

    return [
        row(lambda tf, p, x: tf.cond(p, lambda: x * x, lambda: x + x),
            [call(given(True, "bool"), reals(3)), call(given(False, "bool"), reals(3))], "tf.cond"),
        row(lambda tf, i, x: tf.switch_case(i, [lambda: x, lambda: x * x, lambda: -x]),
            [call(given(1, "int32"), reals(2)), call(given(7, "int32"), reals(2))], "tf.switch_case"),
        row(lambda tf, p, x: tf.case([(p, lambda: x * x)], default=lambda: -x),
            [call(given(True, "bool"), reals(2)), call(given(False, "bool"), reals(2))], "tf.case"),
        row(lambda tf, x: tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * x), (0, x))[1],
            [reals(2)], "tf.while_loop"),
        row(lambda tf, x: tf.map_fn(lambda row: row * row[0], x), [reals(3, 2)], "tf.map_fn"),
        row(lambda tf, x: tf.vectorized_map(lambda row: row * row[0], x), [reals(3, 2)],
            "tf.vectorized_map"),
        row(lambda tf, x: tf.scan(lambda a, row: a * row, x), [reals(3, 2)], "tf.scan"),
        row(lambda tf, x: tf.foldl(lambda a, row: a * row + row, x), [reals(3, 2)], "tf.foldl"),
        row(lambda tf, x: tf.foldr(lambda a, row: a * row + row, x), [reals(3, 2)], "tf.foldr"),
    ]  # fmt: skip
