"""The numbers of dtypes in messages: ``tensorflow.core.framework.types_pb2.DT_FLOAT`` is 1."""

from __future__ import annotations

from tapegrad import dtypes

# The word of each dtype in messages, where it is not the name of the dtype.
_WORDS = {
    "float16": "HALF",
    "float32": "FLOAT",
    "float64": "DOUBLE",
    "bool": "BOOL",
}

DTYPES = [value for value in vars(dtypes).values() if isinstance(value, dtypes.DType)]
NUMBERS = {"DT_INVALID": 0} | {
    f"DT_{_WORDS.get(dtype.name, dtype.name.upper())}": dtype.as_datatype_enum for dtype in DTYPES
}
NAMES = sorted(NUMBERS)

globals().update(NUMBERS)
