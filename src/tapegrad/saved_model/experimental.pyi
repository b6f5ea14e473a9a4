# Written by tools/write_names.py from the PUBLIC tables of the modules.
# ruff: noqa
# fmt: off

from tapegrad.framework.bases import TrackableResource as TrackableResource
from tapegrad.saving.fingerprints import Fingerprint as Fingerprint
from tapegrad.saving.fingerprints import read_fingerprint as read_fingerprint
from tapegrad.saving.options import VariablePolicy as VariablePolicy
