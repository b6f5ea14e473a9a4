from tapegrad.core.recorder cimport Path

cdef int compile_path(Path path, bint taped, dict known) except -1
