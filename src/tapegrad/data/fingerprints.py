"""``dataset.fingerprint()``: a number for how a data set is made."""

from __future__ import annotations

import hashlib
from types import CodeType, FunctionType
from typing import Any

import numpy as np

from tapegrad import dtypes
from tapegrad.core import EagerTensor, Tensor, static_value
from tapegrad.data.dataset import DatasetV2
from tapegrad.data.functions import DataFunction
from tapegrad.ops.constants import constant


def fingerprint(dataset: DatasetV2) -> Tensor:
    """``dataset.fingerprint()``, from the kinds of data sets, their arguments and the code of functions."""
    digest = hashlib.blake2b(digest_size=8)
    _add(digest, dataset, set())
    number: Tensor = constant(int.from_bytes(digest.digest(), "little"), dtypes.uint64)
    return number


def _add(digest: Any, value: Any, seen: set[int]) -> None:
    """Add to the digest what ``value`` is made of. Objects that contain themselves are added once."""
    digest.update(type(value).__name__.encode())
    if id(value) in seen:
        return
    if type(value) is FunctionType:
        cells = [cell.cell_contents for cell in value.__closure__ or ()]
        parts: Any = [value.__code__, value.__defaults__, value.__kwdefaults__, cells]
    elif isinstance(value, CodeType):
        parts = [value.co_code, value.co_consts, value.co_names, value.co_varnames]
    elif isinstance(value, DataFunction):
        parts = [value.function, value.seed]
    elif isinstance(value, DatasetV2):
        parts = [vars(value)[name] for name in sorted(vars(value)) if not name.endswith("spec")]
    elif isinstance(value, EagerTensor):
        array = static_value(value, "fingerprint")
        parts = [
            value.dtype.name,
            array.shape,
            array.tolist() if array.dtype == object else array.tobytes(),
        ]
    elif isinstance(value, dict):
        parts = [part for item in value.items() for part in item]
    elif isinstance(value, (list, tuple, set, frozenset)):
        parts = sorted(value, key=repr) if isinstance(value, (set, frozenset)) else value
    elif isinstance(value, (str, bytes, int, float, complex, np.generic, type(None), range)):
        digest.update(repr(value).encode())
        return
    else:
        parts = [type(value).__qualname__, getattr(value, "__dict__", None)]
    seen.add(id(value))
    for part in parts:
        _add(digest, part, seen)
