# Written by tools/write_names.py from the PUBLIC tables of the modules.
# ruff: noqa
# fmt: off

from tapegrad.dtypes import DType as _DType
from tapegrad.dtypes import DType as _DType
from tapegrad.dtypes import DType as _DType
from tapegrad.dtypes import DType as _DType
from tapegrad.dtypes import DType as _DType
from tapegrad.dtypes import DType as _DType
from tapegrad.dtypes import DType as _DType
from tapegrad.dtypes import DType as _DType
from tapegrad.dtypes import DType as _DType
from tapegrad.dtypes import DType as _DType
from tapegrad.experimental import dlpack as dlpack

float4_e2m1fn = _DType
float8_e4m3b11fnuz = _DType
float8_e4m3fn = _DType
float8_e4m3fnuz = _DType
float8_e5m2 = _DType
float8_e5m2fnuz = _DType
int2 = _DType
int4 = _DType
uint2 = _DType
uint4 = _DType
