# Written by tools/write_types.py from the functions themselves.
# ruff: noqa
# fmt: off
# mypy: disable-error-code="overload-overlap"

from tapegrad.ops.sparse.sparse_tensor import SparseTensor as SparseTensor
from tapegrad.ops.sparse.sparse_tensor import SparseTensorSpec as SparseTensorSpec
