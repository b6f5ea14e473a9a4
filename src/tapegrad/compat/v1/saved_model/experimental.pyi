# Written by tools/write_names.py from the PUBLIC tables of the modules.
# ruff: noqa
# fmt: off

from tapegrad.saved_model import save as _save
from tapegrad.saved_model.experimental import TrackableResource as _TrackableResource
from tapegrad.saved_model.experimental import VariablePolicy as _VariablePolicy

save = _save
TrackableResource = _TrackableResource
VariablePolicy = _VariablePolicy
