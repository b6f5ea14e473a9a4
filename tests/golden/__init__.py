"""TensorFlow's recorded answers to the table of op samples: reading and writing them.

One file per family, ``<family>.json.gz``: a line per run (a row's case in one dtype), so that
``zcat`` and ``grep`` are all one needs to look inside. An array is written as
``[dtype, shape, bytes in hexadecimal]``, a fourth part "slices" telling that it came as IndexedSlices.
"""

from __future__ import annotations

import functools
import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np

from samples.draws import numpy_dtype

FOLDER = Path(__file__).parent

Array = np.ndarray[Any, Any]


def encode(array: Array, *more: str) -> list[Any]:
    """An array as JSON can hold it."""
    if array.dtype.kind in "OSU":
        return ["string", list(array.shape), [bytes(x).decode() for x in array.ravel()], *more]
    return [array.dtype.name, list(array.shape), array.tobytes().hex(), *more]


def decode(coded: list[Any]) -> Array:
    """The array behind ``encode``."""
    name, shape, content = coded[:3]
    if name == "string":
        return np.array([x.encode() for x in content], object).reshape(shape)
    return np.frombuffer(bytes.fromhex(content), numpy_dtype(name)).reshape(shape)


def write(family: str, answers: dict[str, dict[str, Any]]) -> None:
    """Keep a family's answers, the same bytes for the same answers."""
    lines = [json.dumps({"run": key, **answer}) for key, answer in answers.items()]
    text = "\n".join(lines) + "\n"
    (FOLDER / f"{family}.json.gz").write_bytes(gzip.compress(text.encode(), 9, mtime=0))


@functools.cache
def read(family: str) -> dict[str, dict[str, Any]]:
    """A family's answers by run; none where nothing was recorded yet."""
    path = FOLDER / f"{family}.json.gz"
    if not path.exists():
        return {}
    lines = gzip.decompress(path.read_bytes()).decode().splitlines()
    return {answer.pop("run"): answer for answer in map(json.loads, lines)}
