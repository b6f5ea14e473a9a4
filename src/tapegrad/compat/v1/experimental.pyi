# Written by tools/write_names.py from the PUBLIC tables of the modules.
# ruff: noqa
# fmt: off

from tapegrad.data.optional import Optional as Optional
from tapegrad.experimental import float4_e2m1fn as _float4_e2m1fn
from tapegrad.experimental import float8_e4m3b11fnuz as _float8_e4m3b11fnuz
from tapegrad.experimental import float8_e4m3fn as _float8_e4m3fn
from tapegrad.experimental import float8_e4m3fnuz as _float8_e4m3fnuz
from tapegrad.experimental import float8_e5m2 as _float8_e5m2
from tapegrad.experimental import float8_e5m2fnuz as _float8_e5m2fnuz
from tapegrad.experimental import int2 as _int2
from tapegrad.experimental import int4 as _int4
from tapegrad.experimental import uint2 as _uint2
from tapegrad.experimental import uint4 as _uint4

float4_e2m1fn = _float4_e2m1fn
float8_e4m3b11fnuz = _float8_e4m3b11fnuz
float8_e4m3fn = _float8_e4m3fn
float8_e4m3fnuz = _float8_e4m3fnuz
float8_e5m2 = _float8_e5m2
float8_e5m2fnuz = _float8_e5m2fnuz
int2 = _int2
int4 = _int4
uint2 = _uint2
uint4 = _uint4
