# Written by tools/write_names.py from the PUBLIC tables of the modules.
# ruff: noqa
# fmt: off

from tapegrad.signatures.indexing.segment import sparse_segment_mean as _sparse_segment_mean
from tapegrad.signatures.indexing.segment import sparse_segment_sqrt_n as _sparse_segment_sqrt_n
from tapegrad.signatures.indexing.segment import sparse_segment_sum as _sparse_segment_sum
from tapegrad.signatures.sparse.counts import bincount as bincount
from tapegrad.signatures.sparse.cross import cross as cross
from tapegrad.signatures.sparse.cross import cross_hashed as cross_hashed
from tapegrad.signatures.sparse.functions import sparse_add as _sparse_add
from tapegrad.signatures.sparse.functions import sparse_concat as _sparse_concat
from tapegrad.signatures.sparse.functions import sparse_expand_dims as _sparse_expand_dims
from tapegrad.signatures.sparse.functions import eye as eye
from tapegrad.signatures.sparse.functions import fill_empty_rows as fill_empty_rows
from tapegrad.signatures.sparse.functions import from_dense as from_dense
from tapegrad.signatures.sparse.functions import map_values as map_values
from tapegrad.signatures.sparse.functions import mask as mask
from tapegrad.signatures.sparse.functions import sparse_maximum as _sparse_maximum
from tapegrad.signatures.sparse.functions import sparse_minimum as _sparse_minimum
from tapegrad.signatures.sparse.functions import sparse_reduce_max as _sparse_reduce_max
from tapegrad.signatures.sparse.functions import sparse_reduce_sum as _sparse_reduce_sum
from tapegrad.signatures.sparse.functions import reorder as reorder
from tapegrad.signatures.sparse.functions import reset_shape as reset_shape
from tapegrad.signatures.sparse.functions import sparse_reshape as _sparse_reshape
from tapegrad.signatures.sparse.functions import retain as retain
from tapegrad.signatures.sparse.functions import sampled_addmm as sampled_addmm
from tapegrad.signatures.sparse.functions import sparse_slice as _sparse_slice
from tapegrad.signatures.sparse.functions import sparse_softmax as _sparse_softmax
from tapegrad.signatures.sparse.functions import sparse_dense_matmul as sparse_dense_matmul
from tapegrad.signatures.sparse.functions import sparse_split as _sparse_split
from tapegrad.signatures.sparse.functions import to_dense as to_dense
from tapegrad.signatures.sparse.functions import to_indicator as to_indicator
from tapegrad.signatures.sparse.functions import sparse_transpose as _sparse_transpose
from tapegrad.signatures.sparse.sparse_tensor import SparseTensor as SparseTensor

segment_mean = _sparse_segment_mean
segment_sqrt_n = _sparse_segment_sqrt_n
segment_sum = _sparse_segment_sum
add = _sparse_add
concat = _sparse_concat
expand_dims = _sparse_expand_dims
maximum = _sparse_maximum
minimum = _sparse_minimum
reduce_max = _sparse_reduce_max
reduce_sum = _sparse_reduce_sum
reshape = _sparse_reshape
slice = _sparse_slice
softmax = _sparse_softmax
split = _sparse_split
transpose = _sparse_transpose
