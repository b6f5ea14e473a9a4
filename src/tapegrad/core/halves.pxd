cdef bint is_half(object array) noexcept
cdef object half_among(list tensors)
cdef object round_to(object half, object result)
