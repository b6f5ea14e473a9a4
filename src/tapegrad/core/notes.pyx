"""What a tape writes down for `GradientTape.explain`: where a value that it watches went on without a gradient.

A note is made where it is rare: by an op that has no gradient, by a result that is no float, when NumPy or Python reads
a value, when a variable is assigned. So it costs nothing where gradients flow. It holds names, numbers and a line of the
user's program, and no tensor. `autodiff.explanations` reads the notes.
"""

cimport cython
from cpython.ref cimport PyObject
from libc.stdint cimport int64_t

from tapegrad.core.ids cimport IdTable
from tapegrad.core.tensor cimport EagerTensor, newest_id

cdef enum:
    MOST_NOTES = 1000           # a tape that gets one more lets go of the older half


cdef tuple ids_among(PyObject** tensors, int count):
    cdef int i
    return tuple([(<EagerTensor>tensors[i]).id for i in range(count)])


@cython.final
cdef class Notes:
    def __cinit__(self):
        self.entries = []
        self.descendants = IdTable()

    cdef int add(self, object what, tuple inputs, tuple outputs, object line) except -1:
        cdef int64_t output
        if len(self.entries) >= MOST_NOTES:
            self.drop_older_half()
        self.entries.append((what, inputs, outputs, line, newest_id()))
        for output in outputs:
            self.descendants.set(output, 1)
        return 0

    cdef int pass_on(self, object op, PyObject** inputs, int count, PyObject** outputs, int results) except -1:
        """Follow a call whose inputs the tape does not watch, if one of them is a descendant."""
        cdef int i
        for i in range(count):
            if self.descendants.has((<EagerTensor>inputs[i]).id):
                # Without a line: the call before this one, which ended the gradient, has it.
                self.add(op.type, ids_among(inputs, count), ids_among(outputs, results), None)
                break
        return 0

    cdef int drop_older_half(self) except -1:
        cdef int64_t output
        cdef Py_ssize_t half = len(self.entries) // 2
        for entry in self.entries[:half]:
            for output in <tuple>(<tuple>entry)[2]:
                self.descendants.drop(output)
        del self.entries[:half]
        self.dropped += half
        return 0
