# Written by tools/write_names.py from the PUBLIC tables of the modules.
# ruff: noqa
# fmt: off

from tapegrad.framework.config import enable_op_determinism as enable_op_determinism
from tapegrad.framework.config import get_blas as get_blas
from tapegrad.framework.config import get_idle_memory_limit as get_idle_memory_limit
from tapegrad.framework.config import get_memory_growth as get_memory_growth
from tapegrad.framework.config import get_memory_info as get_memory_info
from tapegrad.framework.config import get_memory_usage as get_memory_usage
from tapegrad.framework.config import get_logical_device_configuration as _get_logical_device_configuration
from tapegrad.framework.config import get_visible_devices as get_visible_devices
from tapegrad.framework.config import list_logical_devices as list_logical_devices
from tapegrad.framework.config import list_physical_devices as list_physical_devices
from tapegrad.framework.config import release_idle_memory as release_idle_memory
from tapegrad.framework.config import reset_memory_stats as reset_memory_stats
from tapegrad.framework.config import set_idle_memory_limit as set_idle_memory_limit
from tapegrad.framework.config import set_memory_growth as set_memory_growth
from tapegrad.framework.config import set_logical_device_configuration as _set_logical_device_configuration
from tapegrad.framework.config import set_visible_devices as set_visible_devices
from tapegrad.framework.config import LogicalDeviceConfiguration as _LogicalDeviceConfiguration

get_virtual_device_configuration = _get_logical_device_configuration
set_virtual_device_configuration = _set_logical_device_configuration
VirtualDeviceConfiguration = _LogicalDeviceConfiguration
