cdef class Kind:
    """How the core handles arrays of one type that is not NumPy's."""

cdef class Recomputable:
    """Stands for an array whose memory was let go of, and which is computed again where it is needed."""

    cdef readonly tuple shape
    cdef readonly object dtype          # NumPy's

    cdef object compute(self)

cdef Kind per_item              # runs ops with effects while a batch is open: see `core.batching`
cdef int open_batches           # how many batches are open for effects, in all threads
cdef Kind of_sizes              # runs ops among whose attributes are sizes
cdef int open_sizes             # how many scopes are open in which there may be such, in all threads

cpdef bint holds_size(object value) except -1
cpdef object with_ints(object value, object number_of)
cdef int set_per_item(Kind kind) except -1
cdef int count_open(int change) noexcept
cdef Kind kind_of(object array)
cdef Kind kind_of_all(list arrays)
cdef int check_array(object array) except -1
