"""Written by tools/write_stubs.py: what `tapegrad.names` lists."""

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
