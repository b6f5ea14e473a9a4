from cpython.ref cimport PyObject

from tapegrad.core.steps cimport Path, Step

cdef class Joined:
    """A convolution and the steps that go over its result in turn, as they were recorded."""

    cdef list steps             # a step that pads the input may come before the convolution
    cdef list stages            # of each step after it: (the step, kind of stage, its first place in the joined step)
    cdef tuple paddings         # of the step that pads: (before, after) for each axis; or None
    cdef Py_ssize_t channels    # of the result

# The steps with convolutions joined to what follows them. ``escaping`` are slots that are read after the path, or on
# paths that leave it.
cdef list join_convolutions(Path path, list steps, set escaping)

# Whether a step may be a stage: of one element, a bias or a normalisation.
cdef bint may_be_stage(Step step) noexcept

# Run a joined step. Returns False where its steps have to run one by one.
cdef bint run_joined(Step step, Path path, PyObject** slots) except -1
