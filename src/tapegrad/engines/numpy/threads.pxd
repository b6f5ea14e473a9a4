ctypedef void (*Body)(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil

# `body` over 0 .. count in chunks of at least `grain`, on as many threads as are configured, the calling one
# among them. Call it without the GIL. The bits of the result may not depend on where the chunks are cut.
cdef void parallel(Body body, void* context, Py_ssize_t count, Py_ssize_t grain) noexcept nogil

# `body` over 0 .. units, where a unit takes so much work: by the calling thread alone, with the GIL, where all of it is less
# than `grain`; else by `parallel`, in chunks of about that.
cdef inline void run_units(Body body, void* context, Py_ssize_t units, Py_ssize_t work, Py_ssize_t grain) noexcept:
    if units * work < grain:
        body(context, 0, units)
    else:
        with nogil:
            parallel(body, context, units, max(<Py_ssize_t>1, grain // work))

# How many threads share a large loop.
cdef int most_threads() noexcept nogil
