"""Ragged tensors: how they are made, taken apart and shown. Values are TensorFlow's, from golden/ragged.json.gz."""

import copy
import gzip
import json
import pickle
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapegrad as tf
from expressions import answer, names

GOLDEN = json.loads(
    gzip.decompress((Path(__file__).parent / "golden" / "ragged.json.gz").read_bytes())
)


def same(ours: Any, theirs: Any) -> bool:
    """Whether two answers agree; numbers to the last few bits of float32."""
    if isinstance(ours, float) and isinstance(theirs, (int, float)):
        return bool(np.isclose(ours, theirs, rtol=2e-6, atol=1e-7, equal_nan=True))
    if isinstance(ours, list) and isinstance(theirs, list):
        return len(ours) == len(theirs) and all(map(same, ours, theirs))
    return bool(ours == theirs)


def complaints(group: str) -> list[str]:
    known = names(tf)
    return [
        f"{line}: {ours}, and in TensorFlow {theirs}"
        for line, theirs in GOLDEN[group].items()
        if not same(ours := answer(line, known), theirs)
    ]


def test_tensors_are_tensorflows() -> None:
    assert not complaints("TENSORS")
