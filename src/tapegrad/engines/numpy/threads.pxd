ctypedef void (*Body)(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil

# `body` over 0 .. count in chunks of at least `grain`, on as many threads as are configured, the calling one
# among them. Call it without the GIL. The bits of the result may not depend on where the chunks are cut.
cdef void parallel(Body body, void* context, Py_ssize_t count, Py_ssize_t grain) noexcept nogil

# How many threads share a large loop.
cdef int most_threads() noexcept nogil
