"""The state of a variable: which array it holds, and when that may be written in place.

A variable read by an op gives its snapshot, which tapes then know as the variable. Assignments write
into the snapshot's array when nobody else holds it, and into a new one otherwise, so that a value read
before never changes.
"""

cimport numpy as cnp
from cpython.ref cimport PyObject
from libc.stdint cimport int64_t

import numpy as np

from tapegrad.core.tape cimport Tape, ThreadState, VariableWatcher, current_state
from tapegrad.core.tensor cimport EagerTensor, Operand, next_id, wrap
from tapegrad.engines.numpy.buffers cimport solely_held
from tapegrad.engines.numpy.loops cimport Loop, Loops, run_in_place

cnp.import_array()

cdef extern from "Python.h":
    Py_ssize_t Py_REFCNT(PyObject* o)

cdef int64_t made = 0
cdef Loops ADD_LOOPS = Loops(np.add)
cdef Loops SUBTRACT_LOOPS = Loops(np.subtract)


cdef class VariableBase(Operand):
    def __cinit__(self, *args, **kwargs):
        global made
        made += 1
        self.unique_id = made
        self.trainable = True

    @property
    def _unique_id(self):
        return self.unique_id if self.owner is None else self.owner.unique_id

    @property
    def _value(self):
        """The snapshot. Reading it here tells no tape."""
        return self.snapshot if self.owner is None else self.owner.snapshot

    cdef EagerTensor read(self):
        cdef ThreadState state
        cdef Tape tape
        if self.owner is not None:
            return self.owner.read()
        cdef VariableWatcher watcher
        if self.snapshot is None:
            raise ValueError("The variable has no value yet: assign one before it is read.")
        state = current_state()
        if state.observed:
            if state.active:
                for tape in state.tapes:
                    tape.meet(self, self.unique_id, self.snapshot.id, self.trainable)
            if self.trainable:
                for watcher in state.watchers:
                    watcher.met[self.unique_id] = self
        return self.snapshot

    def _read(self):
        """The snapshot, watched by every tape that records."""
        return self.read()

    def _stand_for(self, VariableBase owner):
        """Be another name of ``owner``, whose value is read from now on."""
        self.owner = owner if owner.owner is None else owner.owner

    def _assign_array(self, array):
        """Hold ``array`` from now on: nobody else may write to it."""
        self.snapshot = wrap(array)

    def _writable_array(self):
        """The array of the value, to be written in place: a copy first if anybody else holds it."""
        if self._is_shared():
            self.snapshot = wrap(np.array(self.snapshot.array))
        else:
            self.snapshot.id = next_id()
        return self.snapshot.array

    def _add_inplace(self, delta, bint subtract=False):
        """Add ``delta``, an array or tensor of the value's own dtype and shape (or subtract it)."""
        cdef Loops loops = SUBTRACT_LOOPS if subtract else ADD_LOOPS
        cdef object value = (<EagerTensor>delta).array if isinstance(delta, EagerTensor) else delta
        cdef object array
        cdef Loop* loop
        if self._is_shared():
            with np.errstate(all="ignore"):
                self.snapshot = wrap(np.asarray(loops.ufunc(self.snapshot.array, value)))
            return
        array = self._writable_array()
        loop = loops.find(cnp.PyArray_TYPE(<cnp.ndarray>array))
        if loop == NULL or not isinstance(value, cnp.ndarray) or not run_in_place(loop, array, value):
            with np.errstate(all="ignore"):
                loops.ufunc(array, value, out=array)

    def _is_shared(self):
        """Whether somebody besides the variable holds its array, so that it may not be written to."""
        return Py_REFCNT(<PyObject*>self.snapshot) != 1 or not solely_held(<PyObject*>self.snapshot.array)
