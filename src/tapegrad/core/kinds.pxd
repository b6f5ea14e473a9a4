cdef class Kind:
    """How the core handles arrays of one type that is not NumPy's."""

cdef class Recomputable:
    """Stands for an array whose memory was let go of, and which is computed again where it is needed."""

    cdef readonly tuple shape
    cdef readonly object dtype          # NumPy's

    cdef object compute(self)

cdef class OpenScope:
    """What the core asks of the scope in which a function is recorded for open sizes: see `tapegrad.core.opening`."""

    cdef public bint works              # whether shapes are still followed
    cdef public bint saves              # whether it is that of a function that is saved
    cdef public bint named              # whether a size has got a name, and no step of the recording gives it yet
    cdef public Py_ssize_t least_named  # of sizes that values decide, those from here on are open as well; 0: none
    cdef public dict kept               # by what rules saw: the shapes of results that they gave

cdef class Shaped:
    """An array that is known by its shape, in which sizes may be that know where they come from."""

    # See `tapegrad.core.abstract.Abstract`, and `tapegrad.core.opening.OpenArray` for the second line.
    cdef public object shape, dtype, value
    cdef public object elements, fill
    cdef public OpenScope opening

cdef Kind per_item              # runs ops with effects while a batch is open: see `core.batching`
cdef int open_batches           # how many batches are open for effects, in all threads
cdef Kind of_sizes              # runs ops among whose attributes are sizes
cdef int open_sizes             # how many scopes are open in which there may be such, in all threads

cpdef bint holds_size(object value) except -1
cpdef object with_ints(object value, object number_of)
cpdef object hinted(object value)
cdef tuple shape_at_sight(list arrays, OpenScope opening, list elements)
cdef tuple key_of(object called, list seen, OpenScope opening)
cdef object opened(object elements, tuple shape, object dtype, OpenScope opening)
cdef int keep_shapes(tuple key, list arrays, OpenScope opening) except -1
cdef int set_per_item(Kind kind) except -1
cdef int count_open(int change) noexcept
cdef Kind kind_of(object array)
cdef Kind kind_of_all(list arrays)
cdef int check_array(object array) except -1
