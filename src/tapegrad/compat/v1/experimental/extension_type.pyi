# Written by tools/write_names.py from the PUBLIC tables of the modules.
# ruff: noqa
# fmt: off

from tapegrad.experimental.extension_type import as_dict as _as_dict

as_dict = _as_dict
