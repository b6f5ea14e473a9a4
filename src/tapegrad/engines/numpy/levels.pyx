"""Which of the versions of the kernels runs, of those that `vectors.h` compiles for different widths of vectors.

Environment variables:
    TAPEGRAD_LEVEL: how wide the vectors of our kernels may be: `plain`, `middle` (AVX2) or `wide` (AVX-512);
        else the widest that the processor has. NumPy's own loops heed `NPY_DISABLE_CPU_FEATURES`.
"""

import os

cdef extern from "vectors.h" nogil:
    enum:
        LEVELS "TAPEGRAD_LEVELS"
    int best_level "tapegrad_best_level" () noexcept

NAMES = ("plain", "middle", "wide")


cdef int highest_level() except -1:
    """The best level that this processor has, or the one below it that TAPEGRAD_LEVEL names."""
    name = os.environ.get("TAPEGRAD_LEVEL", "").strip()
    if not name:
        return best_level()
    if name not in NAMES:
        raise ValueError(f"TAPEGRAD_LEVEL is one of {', '.join(NAMES)}; {name!r} came.")
    return min(best_level(), <int>NAMES.index(name))


cdef int highest = highest_level()
level = highest


def levels():
    """How many levels this build has, and the best that may run; 0 is the plainest."""
    return LEVELS, highest


def set_level(int chosen):
    """Run the kernels of another level, for tests. The elementwise functions keep theirs: see `kernels.functions`."""
    global level
    if not 0 <= chosen <= highest:
        raise ValueError(f"this processor has the levels 0 to {highest}, not {chosen}")
    level = chosen
