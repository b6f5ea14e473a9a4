# Written by tools/write_names.py from the PUBLIC tables of the modules.
# ruff: noqa
# fmt: off

from tapegrad.dtypes import DType as float4_e2m1fn
from tapegrad.dtypes import DType as float8_e4m3b11fnuz
from tapegrad.dtypes import DType as float8_e4m3fn
from tapegrad.dtypes import DType as float8_e4m3fnuz
from tapegrad.dtypes import DType as float8_e5m2
from tapegrad.dtypes import DType as float8_e5m2fnuz
from tapegrad.dtypes import DType as int2
from tapegrad.dtypes import DType as int4
from tapegrad.dtypes import DType as uint2
from tapegrad.dtypes import DType as uint4
from tapegrad.experimental import dlpack as dlpack
