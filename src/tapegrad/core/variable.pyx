"""The state of a variable: which array it holds, and when that may be written in place.

A variable read by an op gives its snapshot, which tapes then know as the variable. Assignments write
into the snapshot's array when nobody else holds it, and into a new one otherwise, so that a value read
before never changes.
"""

cimport numpy as cnp
from cpython.ref cimport PyObject
from libc.stdint cimport int64_t

import numpy as np

from tapegrad.core.observers cimport ThreadState, current_state
from tapegrad.core.tape import record
from tapegrad.core.tensor cimport EagerTensor, Operand, as_numpy, is_trainable, next_id, wrap
from tapegrad.core.upward cimport above
from tapegrad.engines.numpy.buffers cimport solely_held
from tapegrad.engines.numpy.loops cimport Loop, Loops, run_in_place

cnp.import_array()

cdef extern from "Python.h":
    int PyErr_CheckSignals() except -1
    Py_ssize_t Py_REFCNT(PyObject* o)
    unsigned long PyThread_get_thread_ident()

cdef extern from "numpy/arrayobject.h":
    bint PyArray_CompareLists(cnp.npy_intp* a, cnp.npy_intp* b, int n) noexcept nogil

cdef extern from "unistd.h" nogil:
    int usleep(unsigned int microseconds)

cdef int64_t made = 0
cdef unsigned long forking = 0  # the thread that is about to fork; others begin to write when it has
cdef dict writing = {}          # unique id -> variable that some thread is writing into just now
cdef Loops ADD_LOOPS = Loops(np.add)
cdef Loops SUBTRACT_LOOPS = Loops(np.subtract)


def add_with_numpy(ufunc, array, value):
    """``ufunc(array, value)`` into ``array``, by whatever way NumPy has for their dtypes and layouts."""
    with np.errstate(all="ignore"):
        ufunc(array, value, out=array)


cdef int refuse_to_read() except -1:
    raise ValueError(
        "The variable has no value: assign one before it is read. (Where this is a forked process, another "
        "thread of its parent was in the middle of writing the value.)")


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
        cdef VariableBase owner = self if self.owner is None else self.owner
        owner.wait()
        return owner.snapshot

    cdef int wait(self) except -1:
        """Wait until no other thread is in the middle of writing into the array; an interrupt ends the wait."""
        while self.writer != 0 and self.writer != PyThread_get_thread_ident():
            with nogil:
                usleep(20)
            PyErr_CheckSignals()
        return 0

    cdef unsigned long begin_writing(self) except? 0:
        """Let other threads wait for the value; the thread that wrote before, for `end_writing`."""
        cdef unsigned long before
        self.wait()
        while forking != 0 and self.writer == 0 and forking != PyThread_get_thread_ident():
            with nogil:
                usleep(20)
            PyErr_CheckSignals()
            self.wait()
        self.check_array()
        before = self.writer
        writing[self.unique_id] = self
        self.writer = PyThread_get_thread_ident()
        return before

    cdef int end_writing(self, unsigned long before) except -1:
        self.writer = before
        if before == 0:
            writing.pop(self.unique_id, None)
        return 0

    cdef int check_array(self) except -1:
        """Raise unless the variable holds an array of NumPy's, which the caller takes for granted."""
        if self.snapshot is None:
            raise ValueError("The variable has no value: assign one first.")
        if not isinstance(self.snapshot.array, cnp.ndarray):
            raise TypeError(f"the variable holds a {type(self.snapshot.array).__name__}, not a NumPy array")
        return 0

    cdef EagerTensor read(self):
        cdef ThreadState state
        if self.owner is not None:
            return self.owner.read()
        self.wait()
        if self.snapshot is None:
            refuse_to_read()
        state = current_state()
        if state.observed:
            self.note_reading(state)
            if state.checked:
                self.tell(state, "read", [], [self.snapshot])
        return self.snapshot

    cdef int note_reading(self, ThreadState state) except -1:
        """Let those who observe this thread know that the snapshot is read."""
        return state.tell_variable(self, self.unique_id, self.snapshot, self.trainable)

    cdef int tell(self, ThreadState state, str name, list inputs, list outputs) except -1:
        """Let those who observe this thread know of an op of variables that was done here, by its name in `ops.variables`."""
        return state.tell(getattr(above().variables, name), inputs, outputs, (self,))

    def _read(self):
        """The snapshot, watched by every tape that records."""
        return self.read()

    def _read_anew(self, backward):
        """The value as a tensor of its own, which later assignments leave alone, and of which ``backward`` is the rule."""
        cdef VariableBase owner = self if self.owner is None else self.owner
        cdef ThreadState state = current_state()
        cdef EagerTensor tensor
        owner.wait()
        if owner.snapshot is None:
            refuse_to_read()
        tensor = wrap(owner.snapshot.array)
        if state.observed:
            owner.note_reading(state)
            record("ReadVariableOp", [owner.snapshot], [tensor], backward)
            if state.checked:
                owner.tell(state, "read", [], [tensor])
        return tensor

    def _as(self, type):
        """The variable under another name: an instance of ``type``, which reads its value."""
        cdef VariableBase other = type.__new__(type)
        other.owner = self if self.owner is None else self.owner
        other.trainable = False
        return other

    @property
    def _owner(self):
        """The variable that this one reads, if it is another name of one."""
        return self.owner

    def _assign_array(self, array):
        """Hold ``array`` from now on, as NumPy's, because it is written in place; nobody else may write to it."""
        self.hold(array)

    cdef int hold(self, object array) except -1:
        self.wait()
        self.snapshot = wrap(as_numpy(array))
        return 0

    def _assign(self, EagerTensor tensor not None):
        """Assign the value of ``tensor``, and let those who observe know."""
        cdef ThreadState state = current_state()
        self.hold(tensor.array)
        if state.checked:
            self.tell(state, "assign", [tensor], [])

    def _write(self, function):
        """Call ``function`` with the array of the value, to write into: a copy if anybody else holds it.

        Other threads that want the value wait meanwhile: a snapshot they took would change under them.
        """
        cdef unsigned long before = self.begin_writing()
        cdef object held
        try:
            if self.is_shared():
                # NumPy copies without the GIL, and nothing else may keep the array that long.
                held = self.snapshot.array
                self.snapshot = wrap(np.array(held))
                held = None
            else:
                self.snapshot.id = next_id()
            return function(self.snapshot.array)
        finally:
            self.end_writing(before)

    def _add_inplace(self, delta, bint subtract=False):
        """Add ``delta``, an array or tensor of the value's own dtype and shape (or subtract it)."""
        cdef Loops loops = SUBTRACT_LOOPS if subtract else ADD_LOOPS
        cdef object value = as_numpy((<EagerTensor>delta).array) if isinstance(delta, EagerTensor) else delta
        cdef Loop* loop
        cdef unsigned long before
        cdef object held
        self.wait()
        if self.is_shared():
            before = self.begin_writing()
            try:
                held = self.snapshot.array
                with np.errstate(all="ignore"):
                    self.snapshot = wrap(np.asarray(loops.ufunc(held, value)))
            finally:
                self.end_writing(before)
            return
        loop = loops.find(cnp.PyArray_TYPE(<cnp.ndarray>self.snapshot.array))
        if loop != NULL and isinstance(value, cnp.ndarray):
            # The loop keeps the GIL, so nobody can ask for the value before it is whole.
            if run_in_place(loop, <cnp.ndarray>self.snapshot.array, <cnp.ndarray>value):
                self.snapshot.id = next_id()
                return
        self._write(lambda array: add_with_numpy(loops.ufunc, array, value))

    def _add_quickly(self, delta, bint subtract):
        """As `_add_inplace`, if ``delta`` is a tensor that fits; False, and nothing done, if it is not.

        Those who look on see it as an op.
        """
        cdef cnp.ndarray array, value
        cdef ThreadState state
        if (type(delta) is not EagerTensor or self.snapshot is None
                or not isinstance(self.snapshot.array, cnp.ndarray)
                or not isinstance((<EagerTensor>delta).array, cnp.ndarray)):
            return False
        array = <cnp.ndarray>self.snapshot.array
        value = <cnp.ndarray>(<EagerTensor>delta).array
        if (cnp.PyArray_TYPE(array) != cnp.PyArray_TYPE(value) or not is_trainable(array)
                or cnp.PyArray_NDIM(array) != cnp.PyArray_NDIM(value)
                or not PyArray_CompareLists(cnp.PyArray_DIMS(array), cnp.PyArray_DIMS(value),
                                            cnp.PyArray_NDIM(array))):
            return False
        array = None            # or it would count as shared
        self._add_inplace(value, subtract)
        state = current_state()
        if state.checked:
            self.tell(state, "assign_sub" if subtract else "assign_add", [delta], [])
        return True

    def _is_shared(self):
        """Whether somebody besides the variable holds its array, so that it may not be written to."""
        return self.is_shared()

    cdef bint is_shared(self) except -1:
        self.check_array()
        return Py_REFCNT(<PyObject*>self.snapshot) != 1 or not solely_held(<PyObject*>self.snapshot.array)


cdef enum:
    FORK_WAIT = 5_000_000       # microseconds


def wait_for_writers():
    """Before a fork: let the other threads finish what they write into variables, if that takes no more than 5 s."""
    global forking
    cdef VariableBase variable
    cdef int64_t waited = 0
    forking = PyThread_get_thread_ident()
    for variable in list(writing.values()):
        while variable.writer != 0 and variable.writer != PyThread_get_thread_ident() and waited < FORK_WAIT:
            with nogil:
                usleep(200)
            waited += 200
            PyErr_CheckSignals()


def let_writers_go_on():
    """After a fork."""
    global forking
    forking = 0


def forget_other_writers():
    """In a forked child: what threads of the parent were still writing is lost, and nobody waits for them."""
    cdef VariableBase variable
    let_writers_go_on()
    for variable in list(writing.values()):
        if variable.writer != PyThread_get_thread_ident():
            variable.writer = 0
            variable.snapshot = None
            del writing[variable.unique_id]
