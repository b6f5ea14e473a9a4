# Written by tools/write_names.py from the PUBLIC tables of the modules.
# ruff: noqa
# fmt: off

from tapegrad.framework.dtensor import client_id as client_id
from tapegrad.framework.dtensor import DTensorDataset as DTensorDataset
from tapegrad.framework.dtensor import DVariable as DVariable
from tapegrad.framework.dtensor import full_job_name as full_job_name
from tapegrad.framework.dtensor import is_dtensor as is_dtensor
from tapegrad.framework.dtensor import job_name as job_name
from tapegrad.framework.dtensor import jobs as jobs
from tapegrad.framework.dtensor import Layout as Layout
from tapegrad.framework.dtensor import MATCH as MATCH
from tapegrad.framework.dtensor import Mesh as Mesh
from tapegrad.framework.dtensor import num_clients as num_clients
from tapegrad.framework.dtensor import num_global_devices as num_global_devices
from tapegrad.framework.dtensor import num_local_devices as num_local_devices
from tapegrad.framework.dtensor import preferred_device_type as preferred_device_type
from tapegrad.framework.dtensor import UNSHARDED as UNSHARDED
