cdef class Kind:
    """How the core handles arrays of one type that is not NumPy's."""

cdef Kind kind_of(object array)
cdef Kind kind_of_all(list arrays)
cdef int check_array(object array) except -1
