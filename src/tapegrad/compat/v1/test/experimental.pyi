# Written by tools/write_names.py from the PUBLIC tables of the modules.
# ruff: noqa
# fmt: off

from tapegrad.test.experimental import sync_devices as _sync_devices

sync_devices = _sync_devices
