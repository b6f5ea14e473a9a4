from cpython.ref cimport PyObject

from tapegrad.engines.numpy.epilogues cimport Epilogue
from tapegrad.engines.numpy.lanes cimport Lane

# Whether the lane is that of a convolution whose result an epilogue may follow.
cdef bint takes_epilogue(Lane used) noexcept

# The result of such a lane after the stages; None where the op has to run without them, for it or they do not fit.
cdef object run_with_epilogue(Lane used, PyObject** arrays, tuple attributes, Epilogue epilogue)
