# Written by tools/write_names.py from the PUBLIC tables of the modules.
# ruff: noqa
# fmt: off

from tapegrad.framework.bases import TensorBase as _TensorBase

Tensor = _TensorBase
