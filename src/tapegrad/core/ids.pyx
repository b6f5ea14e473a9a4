"""Tables by the id of a tensor, which tapes and accumulators keep."""

cimport cython
from cpython.mem cimport PyMem_Calloc, PyMem_Free, PyMem_Malloc
from libc.stdint cimport int64_t


@cython.no_gc
@cython.final
@cython.freelist(64)
cdef class IdTable:
    def __cinit__(self):
        self.keys = self.own_keys
        self.values = self.own_values
        self.mask = OWN_SLOTS - 1

    def __dealloc__(self):
        if self.keys != self.own_keys:
            PyMem_Free(self.keys)
            PyMem_Free(self.values)

    cdef int set(self, int64_t key, int64_t value) except -1:
        cdef Py_ssize_t place = self.find(key)
        if self.keys[place] == 0:
            if 2 * (self.used + 1) > self.mask:
                self.grow()
                place = self.find(key)
            self.keys[place] = key
            self.used += 1
        self.values[place] = value
        return 0

    cdef bint drop(self, int64_t key) noexcept:
        """Take the entry out. Returns whether there was one."""
        cdef Py_ssize_t place = self.find(key), other = place
        if self.keys[place] == 0:
            return False
        self.used -= 1
        # Entries behind the free slot move into it if a search for them begins at the slot or before it.
        while True:
            other = (other + 1) & self.mask
            if self.keys[other] == 0:
                break
            if ((other - self.home(self.keys[other])) & self.mask) >= ((other - place) & self.mask):
                self.keys[place] = self.keys[other]
                self.values[place] = self.values[other]
                place = other
        self.keys[place] = 0
        return True

    cdef int grow(self) except -1:
        cdef Py_ssize_t places = self.mask + 1, i, place
        cdef int64_t* keys = self.keys
        cdef int64_t* values = self.values
        cdef int64_t* new_keys = <int64_t*>PyMem_Calloc(4 * places, sizeof(int64_t))
        cdef int64_t* new_values = <int64_t*>PyMem_Malloc(4 * places * sizeof(int64_t))
        if new_keys == NULL or new_values == NULL:
            PyMem_Free(new_keys)
            PyMem_Free(new_values)
            raise MemoryError()
        self.keys = new_keys
        self.values = new_values
        self.mask = 4 * places - 1
        for i in range(places):
            if keys[i] != 0:
                place = self.find(keys[i])
                new_keys[place] = keys[i]
                new_values[place] = values[i]
        if keys != self.own_keys:
            PyMem_Free(keys)
            PyMem_Free(values)
        return 0
