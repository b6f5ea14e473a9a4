cdef int level                  # an index into what TAPEGRAD_VERSIONS of `vectors.h` defines
