# Written by tools/write_names.py from the PUBLIC tables of the modules.
# ruff: noqa
# fmt: off

from tapegrad.dtypes import as_dtype as as_dtype
from tapegrad.dtypes import bfloat16 as bfloat16
from tapegrad.dtypes import bool as bool
from tapegrad.dtypes import complex128 as complex128
from tapegrad.dtypes import complex64 as complex64
from tapegrad.dtypes import double as double
from tapegrad.dtypes import DType as DType
from tapegrad.dtypes import float16 as float16
from tapegrad.dtypes import float32 as float32
from tapegrad.dtypes import float64 as float64
from tapegrad.dtypes import half as half
from tapegrad.dtypes import int16 as int16
from tapegrad.dtypes import int32 as int32
from tapegrad.dtypes import int64 as int64
from tapegrad.dtypes import int8 as int8
from tapegrad.dtypes import qint16 as qint16
from tapegrad.dtypes import qint32 as qint32
from tapegrad.dtypes import qint8 as qint8
from tapegrad.dtypes import quint16 as quint16
from tapegrad.dtypes import quint8 as quint8
from tapegrad.dtypes import resource as resource
from tapegrad.dtypes import string as string
from tapegrad.dtypes import uint16 as uint16
from tapegrad.dtypes import uint32 as uint32
from tapegrad.dtypes import uint64 as uint64
from tapegrad.dtypes import uint8 as uint8
from tapegrad.dtypes import variant as variant
from tapegrad.signatures.elementwise.complex import complex as complex
from tapegrad.signatures.program.strings import as_string as as_string
from tapegrad.signatures.shape.casts import cast as cast
from tapegrad.signatures.shape.casts import saturate_cast as saturate_cast
from tapegrad.dtypes import QUANTIZED_DTYPES as _QUANTIZED_DTYPES
from tapegrad.compat.v1.dtypes import experimental as experimental

QUANTIZED_DTYPES = _QUANTIZED_DTYPES
