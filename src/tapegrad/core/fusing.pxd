from tapegrad.core.recorder cimport Path
from tapegrad.engines.numpy.blocks cimport Block

cdef class Joined:
    """What several steps do as one: a block, and what it reads and writes besides slots and constants of the path."""

    cdef readonly Block block
    cdef readonly int steps     # as many were joined
    cdef tuple constants        # tensors, the sources after those of the step's places
    cdef list variables         # whose values are the sources after these
    cdef list written           # variables, the last of the outputs: they get the values of these
    cdef list shared            # (variable, number of a result): it gets the array of a result, which leaves the block
    cdef list memory            # of each result that leaves the block: the operand whose memory it may take; None
    cdef list readings          # of each variable in `written`: slots with its former value, which are empty afterwards

cdef int compile_path(Path path, bint taped, dict known) except -1
