# Written by tools/write_names.py from the PUBLIC tables of the modules.
# ruff: noqa
# fmt: off

from tapegrad.framework.config import functions_run_eagerly as functions_run_eagerly
from tapegrad.framework.config import get_logical_device_configuration as get_logical_device_configuration
from tapegrad.framework.config import get_soft_device_placement as get_soft_device_placement
from tapegrad.framework.config import get_visible_devices as get_visible_devices
from tapegrad.framework.config import list_logical_devices as list_logical_devices
from tapegrad.framework.config import list_physical_devices as list_physical_devices
from tapegrad.framework.config import LogicalDevice as LogicalDevice
from tapegrad.framework.config import LogicalDeviceConfiguration as LogicalDeviceConfiguration
from tapegrad.framework.config import PhysicalDevice as PhysicalDevice
from tapegrad.framework.config import run_functions_eagerly as run_functions_eagerly
from tapegrad.framework.config import set_logical_device_configuration as set_logical_device_configuration
from tapegrad.framework.config import set_soft_device_placement as set_soft_device_placement
from tapegrad.framework.config import set_visible_devices as set_visible_devices
from tapegrad.config import experimental_functions_run_eagerly as _experimental_functions_run_eagerly
from tapegrad.config import experimental_run_functions_eagerly as _experimental_run_functions_eagerly
from tapegrad.compat.v1.config import experimental as experimental
from tapegrad.compat.v1.config import optimizer as optimizer
from tapegrad.compat.v1.config import threading as threading

experimental_functions_run_eagerly = _experimental_functions_run_eagerly
experimental_run_functions_eagerly = _experimental_run_functions_eagerly
