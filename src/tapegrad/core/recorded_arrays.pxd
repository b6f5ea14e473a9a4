from tapegrad.core.dispatch cimport Op
from tapegrad.core.recorder cimport Recorder
from tapegrad.core.tensor cimport EagerTensor

cdef class RecordedArray:
    """The array of ``tensor``, which a recorder follows."""

    cdef EagerTensor tensor

cdef RecordedArray recorded_array(EagerTensor tensor)
cdef object run_recorded(Op op, list arrays, tuple attributes)
cdef object result_for_tensor(object result)
