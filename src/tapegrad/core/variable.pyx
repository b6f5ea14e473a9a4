"""The state of a variable: which array it holds, and when that array may be written in place.

An op that reads a variable gets its snapshot, and tapes know that this tensor is the variable.
An assignment writes into the snapshot's array if nobody else holds that array, and else into a new one.
So a value that was read before never changes.
"""

cimport numpy as cnp
from cpython.ref cimport PyObject
from libc.stdint cimport int64_t

import numpy as np

from tapegrad.core.function cimport TRACING, hooks
from tapegrad.core.kinds cimport open_batches
from tapegrad.core.kinds import NotVectorized
from tapegrad.core.observers cimport ThreadState, current_state
from tapegrad.core.tape import record
from tapegrad.core.tensor cimport EagerTensor, Operand, Tensor, as_numpy, is_trainable, renew, wrap
from tapegrad.core.callbacks cimport callbacks, watches
from tapegrad.engines.numpy.buffers cimport solely_held
from tapegrad.engines.numpy.copies cimport copied
from tapegrad.engines.numpy.loops cimport Loop, Loops, run_in_place
from tapegrad.engines.system cimport sleep

cnp.import_array()

cdef extern from "Python.h":
    ctypedef struct PyTypeObject:
        object (*tp_new)(PyTypeObject* type, object args, PyObject* keywords)
    int PyErr_CheckSignals() except -1
    Py_ssize_t Py_REFCNT(PyObject* o)
    unsigned long PyThread_get_thread_ident()

cdef extern from "numpy/arrayobject.h":
    bint PyArray_CompareLists(cnp.npy_intp* a, cnp.npy_intp* b, int n) noexcept nogil

cdef int64_t variable_count = 0
cdef unsigned long forking = 0  # the thread that is about to fork; the others begin no writing until it has
cdef dict writing = {}          # unique id -> variable that a thread is writing into
cdef Loops ADD_LOOPS = Loops(np.add)
cdef Loops SUBTRACT_LOOPS = Loops(np.subtract)


def add_with_numpy(ufunc, array, value):
    """Write ``ufunc(array, value)`` into ``array``, for dtypes and layouts that need NumPy's general way."""
    with np.errstate(all="ignore"):
        ufunc(array, value, out=array)


cdef int refuse_to_read() except -1:
    raise ValueError(
        "The variable has no value: assign one before it is read. (Where this is a forked process, another "
        "thread of its parent was in the middle of writing the value.)")


cdef VariableBase new_variable(object type):
    """A variable of the class ``type``, made by `VariableBase` alone: a `__new__` in Python would take much longer."""
    if not issubclass(type, VariableBase):
        raise TypeError(f"{type!r} is no class of variables")
    return (<PyTypeObject*>VariableBase).tp_new(<PyTypeObject*>type, (), NULL)


cdef class VariableBase(Operand):
    def __cinit__(self, *args, **kwargs):
        global variable_count
        variable_count += 1
        self.unique_id = variable_count
        self.trainable = True

    @property
    def _unique_id(self):
        return self.unique_id if self.owner is None else self.owner.unique_id

    cdef object chosen(self):
        """What a variable without a value of its own reads: another variable, or a tensor; None if it has none.

        Such a variable has a method `_chosen`, which says so at every reading.
        """
        choose = getattr(self, "_chosen", None)
        return None if choose is None else choose()

    cdef VariableBase holder(self):
        """The variable that has the value: this one, the one it stands for, or the one it chooses now."""
        cdef VariableBase holder = self if self.owner is None else self.owner
        if holder.snapshot is None:
            chosen = holder.chosen()
            if isinstance(chosen, VariableBase):
                return chosen
        return holder

    @property
    def _snapshot(self):
        """The snapshot. Reading it here tells no tape."""
        cdef VariableBase holder = self.holder()
        holder.wait()
        return holder.chosen() if holder.snapshot is None else holder.snapshot

    cdef int wait(self) except -1:
        """Wait until no other thread is writing into the array. An interrupt ends the wait."""
        while self.writer != 0 and self.writer != PyThread_get_thread_ident():
            with nogil:
                sleep(20_000)
            PyErr_CheckSignals()
        return 0

    cdef unsigned long begin_writing(self) except? 0:
        """Make other threads wait for the value. Returns the former `writer`, for `end_writing`."""
        cdef unsigned long before
        self.wait()
        while forking != 0 and self.writer == 0 and forking != PyThread_get_thread_ident():
            with nogil:
                sleep(20_000)
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
        """Raise unless the variable holds one of NumPy's arrays. Callers rely on that."""
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
            return self.read_chosen()
        state = current_state()
        if state.observed:
            self.note_reading(state)
            if state.checked:
                self.report(state, "read", [], [self.snapshot])
        return self.snapshot

    cdef EagerTensor read_chosen(self):
        chosen = self.chosen()
        if chosen is None:
            refuse_to_read()
        return (<VariableBase>chosen).read() if isinstance(chosen, VariableBase) else chosen

    cdef int note_reading(self, ThreadState state) except -1:
        """Tell the observers of this thread that the snapshot is read."""
        return state.report_variable(self, self.unique_id, self.snapshot, self.trainable)

    cdef int report(self, ThreadState state, str name, list inputs, list outputs) except -1:
        """Tell the observers of this thread that the op ``name`` of `callbacks().variables` ran."""
        return state.report(getattr(callbacks().variables, name), inputs, outputs, (self,))

    def _read(self):
        """The snapshot, watched by every tape that records."""
        return self.read()

    def _read_anew(self, backward):
        """The value as a new tensor, which later assignments do not change. ``backward`` is the reading's rule."""
        cdef VariableBase owner = self.holder()
        cdef ThreadState state = current_state()
        cdef EagerTensor tensor
        owner.wait()
        if owner.snapshot is None:
            return owner.read_chosen()
        tensor = wrap(owner.snapshot.array)
        if state.observed:
            owner.note_reading(state)
            if state.recorder is not None:
                state.recorder.on_reading(owner, tensor, backward)
            record("ReadVariableOp", [owner.snapshot], [tensor], backward)
            if state.checked:
                owner.report(state, "read", [], [tensor])
        return tensor

    def _as(self, type, bint is_read=True):
        """The variable under another name: an instance of ``type`` that reads the variable's value.

        Observers are told that the variable is read. That is so in TensorFlow, where an assignment returns it. In the
        block of a graph it is a tensor without a value. None if it is not read outside of graphs.
        """
        cdef VariableBase other
        cdef ThreadState state = current_state()
        if state.held:
            tensor = callbacks().assigned(self.holder())
            if tensor is not None:
                return tensor
        if not is_read:
            return None
        other = new_variable(type)
        other.owner = self.holder()
        other.trainable = False
        if state.observed and other.owner.snapshot is not None:
            other.owner.note_reading(state)
        return other

    @property
    def _holder(self):
        """The variable that has the value: this one, the one it stands for, or the one it chooses now."""
        return self.holder()

    @property
    def _source(self):
        """The variable whose gradient is meant where this one is a source.

        That of a library's class may have no value: its handle says which variable it reads.
        """
        cdef VariableBase holder = self.holder()
        if holder.snapshot is not None:
            return holder
        variable = getattr(getattr(holder, "handle", None), "variable", holder)
        return holder if variable is holder else variable._source

    @property
    def _owner(self):
        """The variable that this one stands for, or None."""
        return self.owner

    def _assign_array(self, array):
        """Hold ``array`` from now on, as one of NumPy's. The variable writes into it; nobody else may."""
        self.hold(array)

    cdef bint keeps_value(self) except -1:
        """Whether nothing is to be assigned: this thread asks for shapes only."""
        cdef ThreadState state
        if open_batches and self.snapshot is not None and current_state().batch is not None:
            raise NotVectorized(
                "A variable is assigned inside of a vectorized map, where the items of a batch run at once: they "
                "have to be mapped one after the other. fallback_to_while_loop=True and tf.map_fn do that.")
        if not (hooks & TRACING or watches) or self.snapshot is None:
            return False
        state = current_state()
        if state.observed:
            self.note_reading(state)    # an assignment, too, says that the variable is used
        return state.held

    cdef int hold(self, object array) except -1:
        self.wait()
        if self.keeps_value():
            return 0
        if self.snapshot is None and current_state().recorder is not None:
            current_state().report_new_variable(self)
        self.snapshot = wrap(as_numpy(array))
        return 0

    def _assign(self, Tensor tensor not None):
        """Assign the value of ``tensor``, and tell the observers."""
        cdef ThreadState state = current_state()
        if open_batches and self.snapshot is not None and state.batch is not None:
            callbacks().variables.assign.apply([tensor], (self,))
            return
        if self.keeps_value():
            return
        if type(tensor) is not EagerTensor:
            tensor = callbacks().resolve(tensor, "assign")
        self.hold(tensor.array)
        if state.departures and self.snapshot is not None:
            state.report_departure(tensor, "assign", self.snapshot.id)
        if state.checked:
            self.report(state, "assign", [tensor], [])

    def _write(self, function):
        """Call ``function`` with an array to write into: the variable's own, or a copy if others hold that one.

        Other threads that want the value wait meanwhile: a snapshot they took would change under them.
        """
        cdef unsigned long before
        cdef object held
        if self.keeps_value():
            return function(copied(self.snapshot.array))
        before = self.begin_writing()
        try:
            if self.is_shared():
                # Others run while it is copied. The last reference to the array is dropped here, not kept
                # while `function` runs.
                held = self.snapshot.array
                self.snapshot = wrap(copied(held))
                held = None
            else:
                renew(self.snapshot)
            return function(self.snapshot.array)
        finally:
            self.end_writing(before)

    def _add_inplace(self, delta, bint subtract=False):
        """Add ``delta``, an array or tensor of the value's own dtype and shape (or subtract it)."""
        cdef Loops loops = SUBTRACT_LOOPS if subtract else ADD_LOOPS
        cdef object value = as_numpy((<EagerTensor>delta).array) if isinstance(delta, EagerTensor) else delta
        cdef Loop* loop
        cdef unsigned long before
        self.wait()
        if self.keeps_value():
            return
        while self.is_shared():         # again where another thread takes the copy at once
            before = self.begin_writing()
            try:
                # In the pool, which has the memory of what was freed before.
                self.snapshot = wrap(copied(self.snapshot.array))
            finally:
                self.end_writing(before)
        loop = loops.find(cnp.PyArray_TYPE(<cnp.ndarray>self.snapshot.array))
        if loop != NULL and isinstance(value, cnp.ndarray):
            # The loop keeps the GIL, so no other thread can read the value before the loop is done.
            if run_in_place(loop, <cnp.ndarray>self.snapshot.array, <cnp.ndarray>value):
                renew(self.snapshot)
                return
        self._write(lambda array: add_with_numpy(loops.ufunc, array, value))

    def _add_quickly(self, delta, bint subtract):
        """`_add_inplace` if ``delta`` is a tensor of the value's dtype and shape; else do nothing, and return False.

        Observers are told of an op.
        """
        cdef cnp.ndarray array, value
        cdef ThreadState state
        if (type(delta) is not EagerTensor or self.snapshot is None or open_batches and current_state().batch is not None
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
        array = None            # this reference would make the array count as shared
        self._add_inplace(value, subtract)
        state = current_state()
        if state.departures:
            state.report_departure(delta, "assign", self.snapshot.id)
        if state.checked:
            self.report(state, "assign_sub" if subtract else "assign_add", [delta], [])
        return True

    cdef bint is_shared(self) except -1:
        """Whether anybody besides the variable holds its array, so that the array must not be written to."""
        self.check_array()
        return Py_REFCNT(<PyObject*>self.snapshot) != 1 or not solely_held(<PyObject*>self.snapshot.array)


cdef enum:
    FORK_WAIT = 5_000_000       # microseconds


def wait_for_writers():
    """Before a fork: wait until other threads have finished writing into variables, for 5 seconds at most."""
    global forking
    cdef VariableBase variable
    cdef int64_t waited = 0
    forking = PyThread_get_thread_ident()
    for variable in list(writing.values()):
        while variable.writer != 0 and variable.writer != PyThread_get_thread_ident() and waited < FORK_WAIT:
            with nogil:
                sleep(200_000)
            waited += 200
            PyErr_CheckSignals()


def let_writers_go_on():
    """After a fork: let other threads write into variables again."""
    global forking
    forking = 0


def forget_other_writers():
    """In a forked child: give up the values that other threads of the parent were writing."""
    cdef VariableBase variable
    let_writers_go_on()
    for variable in list(writing.values()):
        if variable.writer != PyThread_get_thread_ident():
            variable.writer = 0
            variable.snapshot = None
            del writing[variable.unique_id]
