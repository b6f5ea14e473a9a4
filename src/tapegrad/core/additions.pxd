from cpython.ref cimport PyObject

from tapegrad.core.steps cimport Path, Step
from tapegrad.core.variable cimport VariableBase

cdef class Addition:
    """What a product of matrices, or a fast form, is added to: a variable, or the array in the step's last place."""

    cdef VariableBase variable
    cdef bint subtract
    cdef bint scaled            # a number in the step's third place comes before the product
    cdef Step product           # as it was recorded; the call of a rule, where that has a fast form that adds
    cdef list dead_slots        # slots that nothing reads after the step

# The kind of a step that writes a variable, if it can be part of another one; else None.
cdef object update_of(Path path, Step step)

# The steps with products, and fast forms, fused with their addition. ``escaping`` are slots that are read after the path,
# or on paths that leave it.
cdef list add_products(Path path, list steps, set escaping)

cdef int run_addition(Step step, Path path, PyObject** slots) except -1
