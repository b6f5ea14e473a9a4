# Written by tools/write_names.py from the PUBLIC tables of the modules.
# ruff: noqa
# fmt: off

from tapegrad.builds import gpu_device_name as gpu_device_name
from tapegrad.builds import is_built_with_cuda as is_built_with_cuda
from tapegrad.builds import is_built_with_gpu_support as is_built_with_gpu_support
from tapegrad.builds import is_built_with_rocm as is_built_with_rocm
from tapegrad.builds import is_built_with_xla as is_built_with_xla
from tapegrad.builds import is_cpu_target_available as is_cpu_target_available
from tapegrad.builds import is_gpu_available as is_gpu_available
from tapegrad.cases import disable_with_predicate as disable_with_predicate
from tapegrad.cases import get_temp_dir as get_temp_dir
from tapegrad.cases import main as main
from tapegrad.cases import TestCase as TestCase
from tapegrad.cases import with_eager_op_as_function as with_eager_op_as_function
from tapegrad.compat.v1.test import experimental as experimental
