from cpython.ref cimport PyObject

from tapegrad.engines.numpy.epilogues cimport Epilogue
from tapegrad.engines.numpy.lanes cimport Lane

# Whether the lane is that of a convolution whose result an epilogue may follow.
cdef bint takes_epilogue(Lane used) noexcept

# The result of such a lane after the stages, of an input that has zeros around it where `paddings` is not None: as many
# before and after along each axis as its pairs say. None where the op has to run without all that, which does not fit.
cdef object run_with_epilogue(Lane used, PyObject** arrays, tuple attributes, Epilogue epilogue, tuple paddings)
