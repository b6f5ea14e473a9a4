cimport cython
from libc.stdint cimport int64_t, uint64_t

cdef enum:
    OWN_SLOTS = 16              # a power of two: most tables need no more, and so no memory of their own

@cython.final
cdef class IdTable:
    """A hash table from tensor ids to numbers."""

    cdef int64_t* keys          # 0 marks a free slot: ids start at 1
    cdef int64_t* values
    cdef Py_ssize_t mask        # number of slots, a power of two, less one
    cdef Py_ssize_t used
    cdef int64_t own_keys[OWN_SLOTS]
    cdef int64_t own_values[OWN_SLOTS]

    cdef inline Py_ssize_t home(self, int64_t key) noexcept:
        """The slot where a search for ``key`` begins."""
        # Ids come in sequence, so multiplying by an odd constant (Fibonacci hashing) spreads them.
        return <Py_ssize_t>((<uint64_t>key * 11400714819323198485ULL) >> 32) & self.mask

    cdef inline Py_ssize_t find(self, int64_t key) noexcept:
        cdef Py_ssize_t place = self.home(key)
        while self.keys[place] != 0 and self.keys[place] != key:
            place = (place + 1) & self.mask
        return place

    cdef inline bint has(self, int64_t key) noexcept:
        return self.keys[self.find(key)] != 0

    cdef inline int64_t get(self, int64_t key, int64_t default) noexcept:
        cdef Py_ssize_t place = self.find(key)
        return self.values[place] if self.keys[place] != 0 else default

    cdef int set(self, int64_t key, int64_t value) except -1
    cdef bint drop(self, int64_t key) noexcept
    cdef int grow(self) except -1
