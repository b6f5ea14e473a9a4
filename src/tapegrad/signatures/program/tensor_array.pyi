# Written by tools/write_types.py from the functions themselves.
# ruff: noqa
# fmt: off
# mypy: disable-error-code="overload-overlap"

from tapegrad.ops.program.tensor_array import TensorArray as TensorArray
from tapegrad.ops.program.tensor_array import TensorArraySpec as TensorArraySpec
