# Written by tools/write_names.py from the PUBLIC tables of the modules.
# ruff: noqa
# fmt: off

from tapegrad.core.tracebacks import disable_traceback_filtering as disable_traceback_filtering
from tapegrad.core.tracebacks import enable_traceback_filtering as enable_traceback_filtering
from tapegrad.core.tracebacks import is_traceback_filtering_enabled as is_traceback_filtering_enabled
from tapegrad.signatures.program.debugging import Assert as Assert
from tapegrad.signatures.program.debugging import assert_proper_iterable as assert_proper_iterable
from tapegrad.signatures.program.debugging import assert_same_float_dtype as assert_same_float_dtype
from tapegrad.signatures.program.debugging import is_numeric_tensor as is_numeric_tensor
from tapegrad.v1.functions import assert_equal as assert_equal
from tapegrad.v1.functions import assert_greater as assert_greater
from tapegrad.v1.functions import assert_greater_equal as assert_greater_equal
from tapegrad.v1.functions import assert_less as assert_less
from tapegrad.v1.functions import assert_less_equal as assert_less_equal
from tapegrad.v1.functions import assert_near as assert_near
from tapegrad.v1.functions import assert_negative as assert_negative
from tapegrad.v1.functions import assert_non_negative as assert_non_negative
from tapegrad.v1.functions import assert_non_positive as assert_non_positive
from tapegrad.v1.functions import assert_none_equal as assert_none_equal
from tapegrad.v1.functions import assert_positive as assert_positive
from tapegrad.v1.functions import assert_rank as assert_rank
from tapegrad.v1.functions import assert_rank_at_least as assert_rank_at_least
from tapegrad.v1.functions import assert_rank_in as assert_rank_in
from tapegrad.v1.functions import assert_scalar as assert_scalar
from tapegrad.debugging import assert_integer as _assert_integer
from tapegrad.debugging import assert_shapes as _assert_shapes
from tapegrad.debugging import assert_type as _assert_type
from tapegrad.debugging import check_numerics as _check_numerics
from tapegrad.debugging import disable_check_numerics as _disable_check_numerics
from tapegrad.debugging import enable_check_numerics as _enable_check_numerics
from tapegrad.debugging import get_log_device_placement as _get_log_device_placement
from tapegrad.math import is_finite as _is_finite
from tapegrad.math import is_inf as _is_inf
from tapegrad.math import is_nan as _is_nan
from tapegrad.math import is_non_decreasing as _is_non_decreasing
from tapegrad.math import is_strictly_increasing as _is_strictly_increasing
from tapegrad.debugging import set_log_device_placement as _set_log_device_placement
from tapegrad.v1.written import assert_all_finite as assert_all_finite

assert_integer = _assert_integer
assert_shapes = _assert_shapes
assert_type = _assert_type
check_numerics = _check_numerics
disable_check_numerics = _disable_check_numerics
enable_check_numerics = _enable_check_numerics
get_log_device_placement = _get_log_device_placement
is_finite = _is_finite
is_inf = _is_inf
is_nan = _is_nan
is_non_decreasing = _is_non_decreasing
is_strictly_increasing = _is_strictly_increasing
set_log_device_placement = _set_log_device_placement
