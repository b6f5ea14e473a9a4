# Written by tools/write_names.py from the PUBLIC tables of the modules.
# ruff: noqa
# fmt: off

from tapegrad.dtypes import float4_e2m1fn as float4_e2m1fn
from tapegrad.dtypes import float8_e4m3b11fnuz as float8_e4m3b11fnuz
from tapegrad.dtypes import float8_e4m3fn as float8_e4m3fn
from tapegrad.dtypes import float8_e4m3fnuz as float8_e4m3fnuz
from tapegrad.dtypes import float8_e5m2 as float8_e5m2
from tapegrad.dtypes import float8_e5m2fnuz as float8_e5m2fnuz
from tapegrad.dtypes import int2 as int2
from tapegrad.dtypes import int4 as int4
from tapegrad.dtypes import uint2 as uint2
from tapegrad.dtypes import uint4 as uint4
