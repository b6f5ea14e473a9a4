from tapegrad.core.steps cimport Path, Step

# Sets `path.code`. The paths that leave this one have been compiled before. ``live_ins`` keeps what `live_in` has computed.
cdef int compile_path(Path path, bint taped, dict live_ins) except -1

# A copy of the step that reads, for each slot in `replaced_by`, the slot or constant that replaces it.
cdef Step renamed_step(Step step, dict replaced_by)
