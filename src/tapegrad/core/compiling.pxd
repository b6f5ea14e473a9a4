from tapegrad.core.recorder cimport Path

# Sets `path.code`. The paths that leave this one have been compiled before. ``live_ins`` keeps what `live_in` has computed.
cdef int compile_path(Path path, bint taped, dict live_ins) except -1
