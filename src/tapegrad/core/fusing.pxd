from tapegrad.core.steps cimport Path, Step
from tapegrad.engines.numpy.blocks cimport Block

cdef class FusedSteps:
    """What several steps do as one: a block, and what it reads and writes besides slots and constants of the path."""

    cdef readonly Block block
    cdef readonly int step_count    # of the steps that were fused
    cdef tuple constants        # tensors, the sources after those of the step's places
    cdef list variables         # whose values are the sources after these
    cdef list written           # variables, the last of the outputs: they get the values of these
    cdef list shared            # (variable, number of a result): it gets the array of a result, which leaves the block
    cdef list reused_operands   # of each result that leaves the block: the operand whose memory it may take; None
    cdef list readings          # of each variable in `written`: slots with its former value, which are empty afterwards

    cdef int keep_dead_readings(self, list dead_slots) except -1

# How a step may be part of a block: a Program, a (Loops, type number), a Reduction, or an int for a write of a variable
# (its StepKind). None if it cannot.
cdef object fusion_role(Path path, Step step)

# The steps with blocks among them. ``escaping`` are slots that are read after the path, or on paths that leave it.
cdef list fuse(Path path, list steps, list roles, set escaping)
