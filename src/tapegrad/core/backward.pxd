from libc.stdint cimport int64_t

from tapegrad.core.tape cimport Tape
from tapegrad.core.tensor cimport EagerTensor

cdef EagerTensor sum_to_shape(EagerTensor gradient, tuple shape)
cdef list walk_back(Tape tape, list targets, list sources, list seeds, bint release, object finished,
                    tuple late, int64_t put_off_bytes)
