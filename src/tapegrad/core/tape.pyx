"""What a tape remembers: records in execution order, and which tensors they made.

Ops are called whether or not anybody records; `ThreadState.active` is the one question they ask. Tapes
belong to the thread that opened them.
"""

cimport cython
from cpython.mem cimport PyMem_Calloc, PyMem_Free, PyMem_Malloc
from cpython.ref cimport PyObject
from libc.stdint cimport int64_t, uint64_t
from libc.stdlib cimport free

from tapegrad.core.tensor cimport EagerTensor, is_trainable, shape_tuple, wrap
from tapegrad.core.tracebacks import hide

cdef extern from *:
    """
    #include <pthread.h>
    #include <stdlib.h>

    /* The ThreadState of this thread of the system, borrowed from `living`. It belongs to no PyThreadState: a
       thread that Python did not start gets a new one of those with each call into Python, and Python's own die
       before the last finalizers have run. */
    static __thread PyObject *tapegrad_thread_state = NULL;

    typedef struct tapegrad_thread_end {
        PyObject *state;
        struct tapegrad_thread_end *next;
    } tapegrad_thread_end;

    static pthread_key_t tapegrad_thread_key;
    static tapegrad_thread_end *tapegrad_ended = NULL;

    /* Runs when a thread has ended, without the GIL: the state is let go of later, by `drop_ended`. */
    static void tapegrad_on_thread_end(void *argument)
    {
        tapegrad_thread_end *end = (tapegrad_thread_end *)argument;
        tapegrad_thread_state = NULL;
        end->next = __atomic_load_n(&tapegrad_ended, __ATOMIC_RELAXED);
        while (!__atomic_compare_exchange_n(&tapegrad_ended, &end->next, end, 1,
                                            __ATOMIC_RELEASE, __ATOMIC_RELAXED)) {
        }
    }

    static int tapegrad_await_thread_end(PyObject *state)
    {
        tapegrad_thread_end *end = (tapegrad_thread_end *)malloc(sizeof(tapegrad_thread_end));
        if (end == NULL) {
            return 0;
        }
        end->state = state;
        if (pthread_setspecific(tapegrad_thread_key, end) != 0) {
            free(end);
            return 0;
        }
        return 1;
    }

    static tapegrad_thread_end *tapegrad_take_ended(void)
    {
        return __atomic_exchange_n(&tapegrad_ended, NULL, __ATOMIC_ACQUIRE);
    }
    """
    ctypedef struct pthread_key_t:
        pass
    ctypedef struct ThreadEnd "tapegrad_thread_end":
        PyObject* state
        ThreadEnd* next
    PyObject* tapegrad_thread_state
    pthread_key_t tapegrad_thread_key
    void tapegrad_on_thread_end(void* argument) noexcept nogil
    bint tapegrad_await_thread_end(PyObject* state) noexcept
    ThreadEnd* tapegrad_take_ended() noexcept
    int pthread_key_create(pthread_key_t* key, void (*destructor)(void*) noexcept nogil) noexcept

cdef int64_t SOURCE = -1
cdef int64_t NOT_THERE = -2


@cython.no_gc
@cython.final
cdef class IdTable:
    def __cinit__(self, Py_ssize_t places=16):
        self.keys = <int64_t*>PyMem_Calloc(places, sizeof(int64_t))
        self.values = <int64_t*>PyMem_Malloc(places * sizeof(int64_t))
        if self.keys == NULL or self.values == NULL:
            raise MemoryError()
        self.mask = places - 1
        self.used = 0

    def __dealloc__(self):
        PyMem_Free(self.keys)
        PyMem_Free(self.values)

    cdef Py_ssize_t find(self, int64_t key) noexcept:
        # Ids come in sequence, so multiplying by an odd constant (Fibonacci hashing) spreads them.
        cdef Py_ssize_t place = <Py_ssize_t>((<uint64_t>key * 11400714819323198485ULL) >> 32) & self.mask
        while self.keys[place] != 0 and self.keys[place] != key:
            place = (place + 1) & self.mask
        return place

    cdef bint has(self, int64_t key) noexcept:
        return self.keys[self.find(key)] != 0

    cdef int64_t get(self, int64_t key, int64_t default) noexcept:
        cdef Py_ssize_t place = self.find(key)
        return self.values[place] if self.keys[place] != 0 else default

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
        PyMem_Free(keys)
        PyMem_Free(values)
        return 0


@cython.final
@cython.freelist(256)
cdef class Record:
    def __dealloc__(self):
        if self.ids != self.inline_ids:
            PyMem_Free(self.ids)

    cdef int reserve(self, int inputs, int outputs) except -1:
        self.inputs = inputs
        self.outputs = outputs
        if inputs + outputs <= 4:
            self.ids = self.inline_ids
        else:
            self.ids = <int64_t*>PyMem_Malloc((inputs + outputs) * sizeof(int64_t))
            if self.ids == NULL:
                raise MemoryError()
        return 0


@cython.final
cdef class Tape:
    """The list of records behind a GradientTape."""

    def __cinit__(self, bint watches_variables=True):
        self.watches_variables = watches_variables
        self.records = []
        self.producers = IdTable()
        self.variables = {}

    def watch(self, EagerTensor tensor not None):
        """Watch ``tensor`` from now on. Tensors it was computed from stay watched if they were."""
        if not self.producers.has(tensor.id):
            self.producers.set(tensor.id, SOURCE)

    def watch_variable(self, variable):
        """Follow ``variable``, whatever its `trainable` says."""
        cdef int64_t unique_id = variable._unique_id
        if unique_id not in self.variables:
            self.variables[unique_id] = (variable, [])
        self.meet(variable, unique_id, variable._value._id, True)

    def watched_variables(self):
        """The variables met so far, in the order they were made."""
        return tuple([self.variables[key][0] for key in sorted(self.variables)])

    def __len__(self):
        return len(self.records)

    cpdef start(self):
        """Record what happens on this thread from now on, inside whatever records already."""
        self.state = current_state()
        self.state.tapes.append(self)
        self.state.refresh()

    cpdef stop(self):
        """Record no more. Stopping a tape that does not record changes nothing."""
        cdef ThreadState state = self.state
        if state is None:
            return
        self.state = None
        # A new list: the tape may be stopped by a finalizer while a loop goes over the old one.
        if len(state.tapes) == 1 and state.tapes[0] is self:
            state.tapes = []
        else:
            state.tapes = [tape for tape in state.tapes if tape is not self]
        state.refresh()

    @property
    def is_recording(self):
        return self.state is not None

    cdef int append(self, Record record) except -1:
        cdef int64_t index = len(self.records)
        cdef int i
        self.records.append(record)
        for i in range(record.outputs):
            self.producers.set(record.ids[record.inputs + i], index)
        return 0

    cdef int meet(self, object variable, int64_t unique_id, int64_t snapshot, bint trainable) except -1:
        """Note that ``variable`` is read now, as the tensor ``snapshot``."""
        if self.producers.has(snapshot):
            return 0
        if unique_id not in self.variables:
            if not (trainable and self.watches_variables):
                return 0
            self.variables[unique_id] = (variable, [])
        (<list>(<tuple>self.variables[unique_id])[1]).append(snapshot)
        self.producers.set(snapshot, SOURCE)
        return 0


cdef class Recording:
    """What a GradientTape does with its Tape, compiled: an interrupt finds it entered or left, never half so."""

    cdef public Tape _tape
    cdef public Tape _spent                     # the tape of one that is not persistent, after its one walk
    cdef public bint _entered
    cdef public bint _persistent
    cdef public bint _watch_accessed_variables

    def _configure(self, bint persistent, bint watch_accessed_variables):
        self._persistent = persistent
        self._watch_accessed_variables = watch_accessed_variables

    def __enter__(self):
        if self._entered:
            self._refuse_to_enter()
        self.start()
        self._entered = True
        return self

    def __exit__(self, kind, error, traceback):
        self.stop()
        if error is not None:
            hide(error)

    def __del__(self):
        # Nobody can ask it for gradients any more, so nothing may go on being kept for it.
        if self._tape is not None and self._tape.state is not None:
            self._tape.stop()

    cdef int start(self) except -1:
        if self._tape is None:
            self._tape = Tape.__new__(Tape, self._watch_accessed_variables)
        if self._tape.state is None:
            self._tape.start()
        return 0

    cdef int stop(self) except -1:
        self._entered = False
        if self._tape is not None and self._tape.state is not None:
            self._tape.stop()
        return 0

    def _start(self):
        """Record from now on: the Tape, a new one if there is none."""
        self.start()
        return self._tape

    def _stop(self):
        self.stop()

    def _records(self):
        """The Tape, unless it is spent."""
        if self._tape is None:
            self._refuse_when_spent()
        return self._tape

    def _walk(self, Tape tape not None, function, *arguments):
        """What ``function`` computes by walking the records.

        A tape that is not persistent is spent afterwards, also where a rule raised on the way: part of its
        records are gone, and a second walk would give `None` for what they led to.
        """
        try:
            found = function(tape, *arguments, not self._persistent)
            tape.spent = tape.spent or not self._persistent
            return found
        finally:
            if tape.spent:
                self._spent = tape
                self._tape = None


@cython.final
cdef class ThreadState:
    def __cinit__(self):
        self.tapes = []
        self.watchers = []

    cdef void refresh(self) noexcept:
        self.active = len(self.tapes) > 0 and self.paused == 0 or self.checker is not None
        self.observed = self.active or len(self.watchers) > 0

    cdef int check(self, object op, PyObject** inputs, int count, PyObject** outputs, int results) except -1:
        self.checker(op, [<object>inputs[i] for i in range(count)], [<object>outputs[i] for i in range(results)])
        return 0

    cdef int tell(self, object op, list inputs, list outputs, tuple attributes) except -1:
        if self.checker is not None:
            self.checker(op, inputs, outputs)
        return 0

    cdef int watch_results(self, PyObject** inputs, int count, PyObject** outputs, int results) except -1:
        cdef Tape tape
        cdef int i
        for tape in self.tapes:
            for i in range(count):
                if tape.producers.has((<EagerTensor>inputs[i]).id) and is_trainable((<EagerTensor>inputs[i]).array):
                    for i in range(results):
                        if is_trainable((<EagerTensor>outputs[i]).array):
                            tape.watch(<EagerTensor>outputs[i])
                    break
        return 0


@cython.final
cdef class VariableWatcher:
    """``with VariableWatcher() as watcher:`` which trainable variables are read, recorded or not."""

    def __enter__(self):
        cdef ThreadState state = current_state()
        self.met = {}
        state.watchers.append(self)
        state.refresh()
        return self

    def __exit__(self, *error):
        cdef ThreadState state = current_state()
        state.watchers.remove(self)
        state.refresh()

    @property
    def variables(self):
        """The variables read so far, in the order they were made."""
        return tuple([self.met[key] for key in sorted(self.met)])


if pthread_key_create(&tapegrad_thread_key, tapegrad_on_thread_end) != 0:
    raise MemoryError("the system has no key left for what tapegrad keeps for each thread")

cdef dict living = {}           # address -> ThreadState: the states of all threads that have not ended


cdef ThreadState current_state():
    cdef PyObject* state = tapegrad_thread_state
    if state == NULL:
        return new_state()
    return <ThreadState>state


cdef ThreadState new_state():
    """The state of a thread that asks for the first time."""
    global tapegrad_thread_state
    cdef ThreadState state = ThreadState()
    drop_ended()
    if not tapegrad_await_thread_end(<PyObject*>state):
        raise MemoryError()
    living[<size_t><PyObject*>state] = state
    tapegrad_thread_state = <PyObject*>state
    return state


cdef int drop_ended() except -1:
    """Let go of the states of threads that have ended."""
    cdef ThreadEnd* end = tapegrad_take_ended()
    cdef ThreadEnd* following
    cdef list dropped = []
    while end != NULL:
        following = end.next
        dropped.append(living.pop(<size_t>end.state, None))
        free(end)
        end = following
    # Only now: what the states held may have finalizers, which call ops.
    dropped.clear()
    return 0


def forget_other_threads():
    """In a forked child: the threads of the parent are not there, so nobody else would let go of their states."""
    cdef list dropped = [
        living.pop(address) for address in list(living) if address != <size_t>tapegrad_thread_state]
    dropped.clear()


cdef class no_recording:
    """``with no_recording():`` nothing inside is recorded, by any tape of this thread."""

    def __enter__(self):
        cdef ThreadState state = current_state()
        state.paused += 1
        state.refresh()

    def __exit__(self, *error):
        cdef ThreadState state = current_state()
        state.paused -= 1
        state.refresh()


def is_recording():
    """Whether some tape of this thread records what happens now."""
    cdef ThreadState state = current_state()
    return len(state.tapes) > 0 and state.paused == 0


def set_checker(function):
    """Let ``function(op, inputs, outputs)`` look at every result on this thread, and raise; None ends that."""
    cdef ThreadState state = current_state()
    state.checker = function
    state.refresh()


def is_checking():
    """Whether results are looked at on this thread."""
    return current_state().checker is not None


def tell(op not None, list inputs not None, list outputs not None, tuple attributes not None):
    """Let those who look on see that ``op`` ran, where dispatch did not run it."""
    check_tensors(inputs)
    check_tensors(outputs)
    current_state().tell(op, inputs, outputs, attributes)


def static_value(EagerTensor tensor not None, str how not None):
    """The NumPy array of ``tensor``, for Python code that decides by its values; ``how`` says what for.

    This is the one door through which a tensor's values leave the ops. Nobody may write to the array.
    """
    return tensor.array


def alias(EagerTensor tensor not None):
    """The same array under a new identity, which no tape knows."""
    return wrap(tensor.array)


cdef int check_tensors(list values) except -1:
    """Raise TypeError unless ``values`` holds tensors alone, so that they may be used without a look at each."""
    cdef object value
    for value in values:
        if type(value) is not EagerTensor:
            raise TypeError(f"a list of tensors holds an object of type {type(value).__name__}")
    return 0


def record(str type_name not None, list inputs not None, list outputs not None, backward):
    """Put one record on every tape that watches one of ``inputs``.

    ``backward(*dys)`` gets a gradient for each output (zeros where none arrives; None for outputs that no
    gradient flows through) and returns one, or None, for each input.
    """
    cdef ThreadState state = current_state()
    cdef Record made
    cdef Tape tape
    cdef EagerTensor tensor
    cdef int i, n = len(inputs)
    cdef list watching = []
    check_tensors(inputs)
    check_tensors(outputs)
    if not state.active or state.paused:
        return
    for tape in state.tapes:
        for tensor in inputs:
            if tape.producers.has(tensor.id) and is_trainable(tensor.array):
                watching.append(tape)
                break
    if not watching:
        return
    made = Record.__new__(Record)
    made.op = type_name
    made.plan = backward
    if len(outputs) != 1:
        made.out_info = tuple([
            (shape_tuple(tensor.array), tensor.dtype) if is_trainable(tensor.array) else None
            for tensor in outputs])
    made.reserve(n, len(outputs))
    for i in range(n):
        made.ids[i] = (<EagerTensor>inputs[i]).id
    for i in range(len(outputs)):
        made.ids[n + i] = (<EagerTensor>outputs[i]).id
    for tape in watching:
        tape.append(made)
