# Written by tools/write_names.py from the PUBLIC tables of the modules.
# ruff: noqa
# fmt: off

from tapegrad.core.tracebacks import disable_traceback_filtering as disable_traceback_filtering
from tapegrad.core.tracebacks import enable_traceback_filtering as enable_traceback_filtering
from tapegrad.core.tracebacks import is_traceback_filtering_enabled as is_traceback_filtering_enabled
from tapegrad.framework.check_numerics import disable_check_numerics as disable_check_numerics
from tapegrad.framework.check_numerics import enable_check_numerics as enable_check_numerics
from tapegrad.framework.placement import get_log_device_placement as get_log_device_placement
from tapegrad.framework.placement import set_log_device_placement as set_log_device_placement
from tapegrad.signatures.program.debugging import Assert as Assert
from tapegrad.signatures.program.debugging import assert_all_finite as assert_all_finite
from tapegrad.signatures.program.debugging import assert_equal as assert_equal
from tapegrad.signatures.program.debugging import assert_greater as assert_greater
from tapegrad.signatures.program.debugging import assert_greater_equal as assert_greater_equal
from tapegrad.signatures.program.debugging import assert_integer as assert_integer
from tapegrad.signatures.program.debugging import assert_less as assert_less
from tapegrad.signatures.program.debugging import assert_less_equal as assert_less_equal
from tapegrad.signatures.program.debugging import assert_near as assert_near
from tapegrad.signatures.program.debugging import assert_negative as assert_negative
from tapegrad.signatures.program.debugging import assert_non_negative as assert_non_negative
from tapegrad.signatures.program.debugging import assert_non_positive as assert_non_positive
from tapegrad.signatures.program.debugging import assert_none_equal as assert_none_equal
from tapegrad.signatures.program.debugging import assert_positive as assert_positive
from tapegrad.signatures.program.debugging import assert_proper_iterable as assert_proper_iterable
from tapegrad.signatures.program.debugging import assert_rank as assert_rank
from tapegrad.signatures.program.debugging import assert_rank_at_least as assert_rank_at_least
from tapegrad.signatures.program.debugging import assert_rank_in as assert_rank_in
from tapegrad.signatures.program.debugging import assert_same_float_dtype as assert_same_float_dtype
from tapegrad.signatures.program.debugging import assert_scalar as assert_scalar
from tapegrad.signatures.program.debugging import assert_shapes as assert_shapes
from tapegrad.signatures.program.debugging import assert_type as assert_type
from tapegrad.signatures.program.debugging import check_numerics as check_numerics
from tapegrad.signatures.program.debugging import is_numeric_tensor as is_numeric_tensor
