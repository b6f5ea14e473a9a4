from tapegrad.core.recorder cimport Path

cdef Py_ssize_t size_of(tuple shape)

# The slots that a path, or one that leaves it, reads before it fills them.
cdef set read_first(Path path, dict known)

# The steps that are run. Adds the slots that leave the path to `escapes`.
cdef list needed_steps(Path path, set escapes, dict known)

# Raises unless steps that are run in place of those of the path fill every slot before they read it.
cdef int check_filled(Path path, list steps, dict known) except -1

# The steps without those that compute again what one before has computed, or compute nothing.
cdef list distinct(Path path, list steps, set escapes)

# The steps, and how each joins a block, with small elementwise steps right behind those whose results they read.
cdef tuple early(Path path, list steps, list ways)
