# Written by tools/write_names.py from the PUBLIC tables of the modules.
# ruff: noqa
# fmt: off

from tapegrad.types.experimental import FunctionType as _FunctionType
from tapegrad.types.experimental import TensorLike as _TensorLike

FunctionType = _FunctionType
TensorLike = _TensorLike
