# Written by tools/write_names.py from the PUBLIC tables of the modules.
# ruff: noqa
# fmt: off

from tapegrad.internal.legacy_keras import register_revived_type as register_revived_type
from tapegrad.internal.legacy_keras import VersionedTypeRegistration as VersionedTypeRegistration
