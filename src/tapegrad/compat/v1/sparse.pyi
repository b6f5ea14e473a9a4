# Written by tools/write_names.py from the PUBLIC tables of the modules.
# ruff: noqa
# fmt: off

from tapegrad.signatures.sparse.counts import bincount as bincount
from tapegrad.signatures.sparse.functions import sparse_expand_dims as _sparse_expand_dims
from tapegrad.signatures.sparse.functions import eye as eye
from tapegrad.signatures.sparse.functions import fill_empty_rows as fill_empty_rows
from tapegrad.signatures.sparse.functions import from_dense as from_dense
from tapegrad.signatures.sparse.functions import mask as mask
from tapegrad.signatures.sparse.functions import sparse_maximum as _sparse_maximum
from tapegrad.signatures.sparse.functions import sparse_minimum as _sparse_minimum
from tapegrad.signatures.sparse.functions import reorder as reorder
from tapegrad.signatures.sparse.functions import reset_shape as reset_shape
from tapegrad.signatures.sparse.functions import sparse_reshape as _sparse_reshape
from tapegrad.signatures.sparse.functions import retain as retain
from tapegrad.signatures.sparse.functions import sparse_slice as _sparse_slice
from tapegrad.signatures.sparse.functions import sparse_softmax as _sparse_softmax
from tapegrad.signatures.sparse.functions import sparse_dense_matmul as sparse_dense_matmul
from tapegrad.signatures.sparse.functions import to_dense as to_dense
from tapegrad.signatures.sparse.functions import to_indicator as to_indicator
from tapegrad.signatures.sparse.functions import sparse_transpose as _sparse_transpose
from tapegrad.signatures.sparse.sparse_tensor import SparseTensor as SparseTensor

expand_dims = _sparse_expand_dims
maximum = _sparse_maximum
minimum = _sparse_minimum
reshape = _sparse_reshape
slice = _sparse_slice
softmax = _sparse_softmax
transpose = _sparse_transpose
