from cpython.ref cimport PyObject

from tapegrad.core.function cimport Function
from tapegrad.core.replay cimport Program

cdef class Entry:
    """What is known of one signature of a composition."""

    cdef Program program        # None while it is new, and where it stays Python
    cdef int calls              # without a replay
    cdef int misses             # replays that met a value for which nothing was recorded
    cdef bint stays             # Python
    cdef Py_ssize_t kept        # bytes in the constants of its recordings

cdef class Composition(Function):
    """A function made of several ops, which is replayed on few numbers."""

    cdef dict entries           # signature -> Entry
    cdef dict numbers           # names of arguments given by name -> a number that stands for them in signatures
    cdef tuple last_names       # a call in a program has the same tuple of names each time
    cdef long long last_number
    cdef object lock            # while a recording is added

    cdef long long number_of(self, tuple names) except -1
    cdef object run_entry(
        self, Entry entry, list leaves, PyObject** args, size_t count, PyObject* keywords)
    cdef int record(self, Entry entry, PyObject** args, size_t count, PyObject* keywords) except -1
