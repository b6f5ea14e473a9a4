# Written by tools/write_names.py from the PUBLIC tables of the modules.
# ruff: noqa
# fmt: off

from tapegrad.signatures.segment import sparse_segment_mean as segment_mean
from tapegrad.signatures.segment import sparse_segment_sqrt_n as segment_sqrt_n
from tapegrad.signatures.segment import sparse_segment_sum as segment_sum
from tapegrad.signatures.sparse import sparse_add as add
from tapegrad.signatures.sparse import sparse_concat as concat
from tapegrad.signatures.sparse import sparse_expand_dims as expand_dims
from tapegrad.signatures.sparse import eye as eye
from tapegrad.signatures.sparse import fill_empty_rows as fill_empty_rows
from tapegrad.signatures.sparse import from_dense as from_dense
from tapegrad.signatures.sparse import map_values as map_values
from tapegrad.signatures.sparse import mask as mask
from tapegrad.signatures.sparse import sparse_reduce_max as reduce_max
from tapegrad.signatures.sparse import sparse_reduce_sum as reduce_sum
from tapegrad.signatures.sparse import reorder as reorder
from tapegrad.signatures.sparse import reset_shape as reset_shape
from tapegrad.signatures.sparse import sparse_reshape as reshape
from tapegrad.signatures.sparse import retain as retain
from tapegrad.signatures.sparse import sparse_slice as slice
from tapegrad.signatures.sparse import sparse_dense_matmul as sparse_dense_matmul
from tapegrad.signatures.sparse import sparse_split as split
from tapegrad.signatures.sparse import to_dense as to_dense
from tapegrad.signatures.sparse import to_indicator as to_indicator
from tapegrad.signatures.sparse import sparse_transpose as transpose
from tapegrad.signatures.sparse_more import bincount as bincount
from tapegrad.signatures.sparse_more import sparse_maximum as maximum
from tapegrad.signatures.sparse_more import sparse_minimum as minimum
from tapegrad.signatures.sparse_more import sparse_softmax as softmax
from tapegrad.signatures.sparse_tensor import SparseTensor as SparseTensor
