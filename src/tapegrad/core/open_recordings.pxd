from tapegrad.core.steps cimport Path
from tapegrad.core.replay cimport Program

cdef enum:
    LEAST_OPEN = 2              # a size of 0 or 1 means more than a number: nothing is recorded for it and for others at once

cdef class OpenRecording:
    """What was recorded of a function for all sizes of some axes of its arguments, for which its guards are true."""

    cdef Program tree           # the paths, which nobody runs
    cdef readonly dict axes     # number of an argument -> the axes whose sizes are open
    cdef list shapes            # of the arguments for which it was recorded first
    cdef list guards            # what was decided on the first path by sizes of arguments
    cdef readonly int version   # how many paths were added
    cdef bint names             # sizes that values decide

    cdef int add(self, Path path, object opening) except -1
    cdef dict sizes_of(self, list shapes)
    cdef Path path_for(self, dict sizes)

# Whether the guards are true of which these sizes decide.
cdef bint allow(guards, dict sizes) except -1

# The key of a signature without the sizes of tensors. Their shapes go to `shapes`.
cdef tuple form_of(tuple key, list shapes)

# For the number of each argument the axes on which the shapes differ; None where nothing can be recorded for these.
cdef dict changed_axes(list before, list after)
