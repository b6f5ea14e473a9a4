"""Which of the versions of the kernels runs, of those that `vectors.h` compiles for different widths of vectors."""

cdef extern from "vectors.h" nogil:
    enum:
        LEVELS "TAPEGRAD_LEVELS"
    int best_level "tapegrad_best_level" () noexcept

level = best_level()


def levels():
    """How many levels this build has, and the best that this processor has; 0 is the plainest."""
    return LEVELS, best_level()


def set_level(int chosen):
    """Run the kernels of another level, for tests. The elementwise functions keep theirs: see `kernels.functions`."""
    global level
    if not 0 <= chosen <= best_level():
        raise ValueError(f"this processor has the levels 0 to {best_level()}, not {chosen}")
    level = chosen
