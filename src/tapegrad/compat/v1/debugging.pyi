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
