"""Observers get callbacks for what happens on a thread: tapes, checks of results, watchers of variables.

An op looks at one flag, `ThreadState.active`, and runs the same whether or not there are observers.
An observer belongs to the thread on which it was started.
"""

cimport cython
cimport numpy as cnp
from cpython.ref cimport PyObject
from libc.stdint cimport int64_t
from libc.stdlib cimport free

from tapegrad.core cimport tensor as tensor_module
from tapegrad.core.garbage import hold, release
from tapegrad.core.kinds cimport OpenScope, kind_of, open_sizes
from tapegrad.core.tensor cimport EagerTensor, Tensor, as_numpy
from tapegrad.core.callbacks cimport callbacks
from tapegrad.engines.numpy.finite cimport all_finite
from tapegrad.engines.system cimport at_thread_end

cnp.import_array()

cdef int64_t newest_thread = 0  # the newest id of a tensor when the last thread ran its first op
cdef size_t newest_state = 0    # the address of its state

cdef extern from *:
    """
    #include "system.h"

    /* The ThreadState of this thread of the system, borrowed from `living`. It is not kept in the PyThreadState:
       a thread that Python did not start gets a new PyThreadState with each call into Python, and those of
       Python's own threads are gone before the last finalizers have run. */
    static TAPEGRAD_OF_THREAD PyObject *tapegrad_thread_state = NULL;

    typedef struct tapegrad_thread_end {
        PyObject *state;
        struct tapegrad_thread_end *next;
    } tapegrad_thread_end;

    static tapegrad_thread_end *tapegrad_ended = NULL;

    /* Runs without the GIL when a thread has ended. So it only lists the state; `drop_ended` lets go of it. */
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
        if (!tapegrad_set_of_thread(end)) {
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
    ctypedef struct ThreadEnd "tapegrad_thread_end":
        PyObject* state
        ThreadEnd* next
    PyObject* tapegrad_thread_state
    void tapegrad_on_thread_end(void* argument) noexcept nogil
    bint tapegrad_await_thread_end(PyObject* state) noexcept
    ThreadEnd* tapegrad_take_ended() noexcept

cdef extern from "Python.h":
    ctypedef struct PyListObject:
        PyObject** ob_item


cdef class Observer:
    """Gets callbacks for what happens on the thread where it was started, until it is stopped.

    A subclass in Python defines those of the methods `observe`, `value_read` and `variable_read` that it needs.
    A method that no observer defines costs nothing. While one of its methods runs, the observer gets no callbacks
    for what that method does. An error that a method raises goes to the caller of the op, and no tape has
    recorded the call then. To an observer that defines `variable_read` alone, and has ``takes_more``, variables
    may be reported that a recorded function uses in other branches only.
    """

    def observe(self, op, list inputs, list outputs, tuple attributes):
        """An op was called: on these tensors, with its attributes in order."""

    def value_read(self, EagerTensor tensor, str how):
        """Python code reads the values of ``tensor``; ``how`` says what for."""

    def variable_read(self, variable, EagerTensor snapshot):
        """The value of ``variable`` is read, as the tensor ``snapshot``."""

    cpdef start(self):
        """Get callbacks for what happens on this thread from now on. Observers get them in the order they started."""
        cdef ThreadState state = current_state()
        if self.state is not None:
            raise RuntimeError("the observer was started before, and not stopped since")
        self.subscribe()
        self.state = state
        state.observers = [*state.observers, self]
        if self.records:
            count_recorders(1)
            hold()
        state.refresh()

    cpdef stop(self):
        """Get no more callbacks. Stopping an observer that was not started changes nothing."""
        cdef ThreadState state = self.state
        if state is None:
            return
        self.state = None
        self.on_stop()
        # A new list, because a loop may be going over the old one: finalizers stop observers at any moment.
        if len(state.observers) == 1 and state.observers[0] is self:
            state.observers = []
        else:
            state.observers = [other for other in state.observers if other is not self]
        if self.records:
            count_recorders(-1)
            release()
        state.refresh()

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *error):
        self.stop()

    cdef int subscribe(self) except -1:
        """Choose the callbacks: those that the class defines."""
        kind = type(self)
        self.observes_calls = kind.observe is not Observer.observe
        self.observes_values = kind.value_read is not Observer.value_read
        self.observes_variables = kind.variable_read is not Observer.variable_read
        self.takes_more = getattr(kind, "takes_more", False)
        return 0

    cdef int on_stop(self) except -1:
        """Callbacks end now."""
        return 0

    cdef int on_call(self, object op, PyObject** inputs, int count, PyObject** outputs, int results,
                       tuple attributes) except -1:
        if self.busy:
            return 0
        self.busy = True
        try:
            self.observe(op, [<object>inputs[i] for i in range(count)], [<object>outputs[i] for i in range(results)],
                         attributes)
        finally:
            self.busy = False
        return 0

    cdef int follow(self, object op, object backward, PyObject** inputs, int count, PyObject** outputs, int results,
                    tuple attributes) except -1:
        return 0

    cdef object sizes_of(self, EagerTensor tensor, str how):
        return None

    cdef int on_value(self, EagerTensor tensor, str how) except -1:
        if self.busy:
            return 0
        self.busy = True
        try:
            self.value_read(tensor, how)
        finally:
            self.busy = False
        return 0

    cdef int on_variable(
            self, object variable, int64_t unique_id, EagerTensor snapshot, bint trainable) except -1:
        if self.busy:
            return 0
        self.busy = True
        try:
            self.variable_read(variable, snapshot)
        finally:
            self.busy = False
        return 0

    cdef int on_departure(self, EagerTensor tensor, str how, int64_t result) except -1:
        return 0

    cdef int on_rule(self, object call, PyObject** arguments, int count, object result) except -1:
        return 0

    cdef int on_sum(self, EagerTensor tensor, tuple shape, EagerTensor result) except -1:
        return 0

    cdef bint keeps(self, EagerTensor tensor) except -1:
        """Whether the values of the tensor are wanted after the walk has used it."""
        return True

    cdef int on_alias(self, EagerTensor tensor, EagerTensor alias) except -1:
        return 0

    cdef int on_tape(self, int64_t born, bint recorded) except -1:
        return 0

    cdef int on_new_variable(self, object variable, bint inner) except -1:
        return 0

    cdef int on_refusal(self, str text) except -1:
        return 0

    cdef int before_effect(self, object op, tuple attributes) except -1:
        return 0

    cdef int on_hiding(self, int change) except -1:
        return 0

    cdef int on_leaving_function(self, int change) except -1:
        return 0

    cdef int on_use_elsewhere(self, EagerTensor tensor) except -1:
        return 0

    cdef int on_reading(self, object variable, EagerTensor tensor, object backward) except -1:
        return 0

    cdef int on_scope(self, str before, str after) except -1:
        return 0


cdef class FiniteWatcher(Observer):
    """An observer whose `observe` gets only calls that may have given NaN or infinity.

    Results that are no arrays of NumPy are not looked at here: `observe` gets their calls, too.
    """

    def rule_failed(self, str name, line):
        """A rule of the op ``name``, called by the program at ``line`` (None if not known), has raised in a walk."""

    cdef int subscribe(self) except -1:
        self.observes_calls = self.wants_lines = True
        return 0

    cdef int on_call(self, object op, PyObject** inputs, int count, PyObject** outputs, int results,
                       tuple attributes) except -1:
        cdef int i
        for i in range(results):
            array = (<EagerTensor>outputs[i]).array
            if not isinstance(array, cnp.ndarray) or not all_finite(<cnp.ndarray>array):
                return Observer.on_call(self, op, inputs, count, outputs, results, attributes)
        return 0


@cython.final
cdef class LineWatcher(Observer):
    """``with LineWatcher():`` tapes and recordings that begin inside note the line of the program for every op."""

    cdef int subscribe(self) except -1:
        self.wants_lines = True
        return 0


@cython.final
cdef class VariableWatcher(Observer):
    """``with VariableWatcher() as watcher:`` notes which trainable variables are read, recorded or not."""

    def __cinit__(self):
        self.read_variables = {}

    cdef int subscribe(self) except -1:
        self.observes_variables = True
        return 0

    cdef int on_variable(
            self, object variable, int64_t unique_id, EagerTensor snapshot, bint trainable) except -1:
        if trainable:
            self.read_variables[unique_id] = variable
        return 0

    @property
    def variables(self):
        """The variables read so far, in the order they were made."""
        return tuple([self.read_variables[key] for key in sorted(self.read_variables)])


@cython.final
cdef class ThreadState:
    def __cinit__(self):
        global newest_thread, newest_state
        self.observers = []
        self.fast_forms_run = True
        newest_thread, newest_state = tensor_module.newest_id(), <size_t><PyObject*>self

    cdef void refresh(self) noexcept:
        """Set the flags anew, after a change of the observers or of `paused`."""
        cdef Observer observer
        cdef bint active = False, checked = False, observed = False, values = False
        cdef bint followed = False, looked_at = False, departures = False
        cdef int own = 0
        self.recorder = None
        for observer in self.observers:
            if observer.pauses:
                if self.paused:
                    continue
            else:
                checked = checked or observer.observes_calls
            if observer.records:
                self.recorder = observer
                own += 1
            else:
                looked_at = looked_at or observer.observes_calls
            active = active or observer.observes_calls
            followed = followed or observer.follows
            observed = observed or observer.observes_variables
            values = values or observer.observes_values
            departures = departures or observer.observes_departures
        self.elsewhere = recorders > own
        self.active = active or self.elsewhere
        self.checked = checked or self.elsewhere
        self.observed = observed or checked
        self.values = values or self.elsewhere
        self.followed = followed
        self.departures = departures
        self.fast_forms_run = not looked_at and not self.by_ops

    cdef int report_call(self, object op, PyObject** inputs, int count, PyObject** outputs, int results,
                       tuple attributes) except -1:
        """Report a call to every observer but the tapes and the accumulators."""
        cdef Observer observer
        for observer in self.observers:
            if observer.observes_calls and not observer.pauses and observer.state is self:
                observer.on_call(op, inputs, count, outputs, results, attributes)
        if self.elsewhere:
            self.report_elsewhere(inputs, count)
        return 0

    cdef int report_elsewhere(self, PyObject** tensors, int count) except -1:
        """Report to the threads that record that these tensors are used on this one."""
        cdef ThreadState other
        cdef int i
        for other in list(living.values()):
            if other is not self and other.recorder is not None:
                for i in range(count):
                    other.recorder.on_use_elsewhere(<EagerTensor>tensors[i])
        return 0

    cdef int report_to_accumulators(self, object op, object backward, PyObject** inputs, int count, PyObject** outputs,
                            int results, tuple attributes) except -1:
        """Have the accumulators compute tangents for the results of a call, which the tapes have recorded.

        The outermost accumulator is the first, because it has to know a tangent for the results when the inner
        ones use these in their work.
        """
        cdef Observer observer
        cdef int i
        for i in range(count):
            if (<EagerTensor>inputs[i]).followed:
                break
        else:
            return 0
        for observer in self.observers:
            if observer.follows and observer.state is self:
                observer.follow(op, backward, inputs, count, outputs, results, attributes)
        return 0

    cdef int report(self, object op, list inputs, list outputs, tuple attributes) except -1:
        if not self.checked:
            return 0
        return self.report_call(op, (<PyListObject*>inputs).ob_item, len(inputs),
                              (<PyListObject*>outputs).ob_item, len(outputs), attributes)

    cdef int report_value(self, EagerTensor tensor, str how) except -1:
        cdef Observer observer
        cdef PyObject* used = <PyObject*>tensor
        for observer in self.observers:
            if observer.observes_values and observer.state is self:
                observer.on_value(tensor, how)
        if self.elsewhere:
            self.report_elsewhere(&used, 1)
        return 0

    cdef int report_failed_rule(self, object name, object line) except -1:
        cdef Observer observer
        for observer in self.observers:
            if isinstance(observer, FiniteWatcher):
                observer.rule_failed(name, line)
        return 0

    cdef int report_departure(self, EagerTensor tensor, str how, int64_t result) except -1:
        """Tell the tapes that the value of ``tensor`` goes on where no gradient follows."""
        cdef Observer observer
        for observer in self.observers:
            if observer.observes_departures:
                observer.on_departure(tensor, how, result)
        return 0

    cdef int report_new_variable(self, object variable) except -1:
        """Report a new variable to the observers that record. The innermost may refuse it."""
        cdef Observer observer
        for observer in reversed(self.observers):
            if observer.records:
                observer.on_new_variable(variable, observer is not self.recorder)
        return 0

    cdef int report_variable(self, object variable, int64_t unique_id, EagerTensor snapshot, bint trainable) except -1:
        cdef Observer observer
        for observer in self.observers:
            if observer.observes_variables and observer.state is self and not (observer.pauses and self.paused):
                observer.on_variable(variable, unique_id, snapshot, trainable)
        return 0


def report(op not None, list inputs not None, list outputs not None, tuple attributes not None):
    """Report to the observers of this thread that ``op`` ran, for an op that dispatch did not run."""
    for tensor in inputs + outputs:
        if type(tensor) is not EagerTensor:
            raise TypeError(f"a list of tensors holds an object of type {type(tensor).__name__}")
    current_state().report(op, inputs, outputs, attributes)


def note_departure(str how not None, tensors, results=()):
    """Tell the tapes of this thread that the values of ``tensors`` go on in ``results``, or to where no tape sees them.

    For what is done by no op, or by one that dispatch does not run. ``how`` says what does it. Whatever is no tensor among
    ``tensors`` and ``results`` is left out.
    """
    cdef ThreadState state = current_state()
    if not state.departures:
        return
    for tensor in tensors:
        if type(tensor) is not EagerTensor:
            continue
        ids = [(<EagerTensor>result).id for result in results if type(result) is EagerTensor]
        for result_id in ids or [0]:
            state.report_departure(<EagerTensor>tensor, how, result_id)


def hold_effects(bint on):
    """Whether variables of this thread keep their values, whatever is assigned. Returns what was so before."""
    cdef ThreadState state = current_state()
    before = state.held
    state.held = on
    return before


def set_opening(OpenScope opening):
    """Let ``opening`` be the scope in which this thread records for open sizes, None outside of all. Returns the one before."""
    cdef ThreadState state = current_state()
    before = state.opening
    state.opening = opening
    return before


def current_opening():
    """The innermost scope in which this thread records a function for open sizes; None outside of all."""
    return current_state().opening


def observers():
    """The observers of this thread, in the order they were started."""
    return tuple(current_state().observers)


if not at_thread_end(tapegrad_on_thread_end):
    raise MemoryError("tapegrad keeps data for each thread, and the system has no key left for it")

cdef frozenset PRINTING = frozenset({"repr", "str", "format", "text"})     # ways to read a value that compute nothing

recorders = 0                    # declared in the .pxd


cdef void count_recorders(int change) noexcept:
    """Note that a thread records, or no longer does. The others look out for its tensors meanwhile."""
    global recorders
    cdef ThreadState state
    recorders += change
    for state in list(living.values()):
        state.refresh()


cdef dict living = {}           # address -> ThreadState: the states of all threads that have not ended


# `new_state`, by way of a pointer: the compiler would write it into `current_state`, which every op calls, and make that longer.
cdef ThreadState (*make_state)()


cdef ThreadState current_state():
    cdef PyObject* state = tapegrad_thread_state
    if state == NULL:
        return make_state()
    return <ThreadState>state


cdef ThreadState new_state():
    """The state of this thread, which has none yet."""
    global tapegrad_thread_state
    cdef ThreadState state = ThreadState()
    drop_ended()
    if not tapegrad_await_thread_end(<PyObject*>state):
        raise MemoryError()
    living[<size_t><PyObject*>state] = state
    tapegrad_thread_state = <PyObject*>state
    state.refresh()
    return state


make_state = new_state


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
    # Only now, because observers may have finalizers that call ops.
    dropped.clear()
    return 0


def other_threads(int64_t since):
    """Whether other threads run ops, or began to after the tensor with the id ``since`` was made."""
    drop_ended()
    return len(living) > 1 or newest_thread >= since and newest_state != <size_t>tapegrad_thread_state


def forget_other_threads():
    """In a forked child: let go of the states of the parent's other threads, which do not run here."""
    cdef list dropped = [
        living.pop(address) for address in list(living) if address != <size_t>tapegrad_thread_state]
    dropped.clear()


cdef class no_recording:
    """``with no_recording():`` no tape of this thread records what happens inside."""

    def __enter__(self):
        cdef ThreadState state = current_state()
        state.paused += 1
        state.refresh()

    def __exit__(self, *error):
        cdef ThreadState state = current_state()
        state.paused -= 1
        state.refresh()


@cython.final
cdef class apart:
    """``with apart():`` the observers of this thread get no callbacks for what happens inside; new ones do.

    With ``tries=True`` an op that fails inside is no error that the program has caught.
    """

    cdef list observers
    cdef int paused, failures
    cdef bint tries

    def __init__(self, bint tries=False):
        self.tries = tries

    def __enter__(self):
        cdef ThreadState state = current_state()
        self.observers, self.paused, self.failures = state.observers, state.paused, state.failures
        state.observers, state.paused = [], 0
        state.refresh()

    def __exit__(self, *error):
        cdef ThreadState state = current_state()
        state.observers, state.paused = self.observers, self.paused
        if self.tries:
            state.failures = self.failures
        state.refresh()


cdef class one_op:
    """``with one_op():`` what happens inside is not recorded. The caller reports one op for it afterwards."""

    cdef Observer recorder

    def __enter__(self):
        self.recorder = current_state().recorder
        if self.recorder is not None:
            self.recorder.on_hiding(1)

    def __exit__(self, *error):
        if self.recorder is not None:
            self.recorder.on_hiding(-1)


cdef class left_function:
    """``with left_function():`` what happens inside is not part of the function that is recorded: it happens once."""

    cdef Observer recorder

    def __enter__(self):
        self.recorder = current_state().recorder
        if self.recorder is not None:
            self.recorder.on_leaving_function(1)

    def __exit__(self, *error):
        if self.recorder is not None:
            self.recorder.on_leaving_function(-1)


def announce(op not None, tuple attributes not None):
    """Say that ``op``, which dispatch does not run, is about to have its effect. A recorder may end the call before."""
    cdef ThreadState state = current_state()
    if state.recorder is not None:
        state.recorder.before_effect(op, attributes)


def refuse_recording(str text not None):
    """Refuse to record: what happens next is done by no op, so a replay could not repeat it. ``text`` says what it is."""
    cdef ThreadState state = current_state()
    if state.recorder is not None:
        state.recorder.on_refusal(text)


def enter_scope(str before not None, str after not None):
    """Say that this thread has gone from the name scope ``before`` to the name scope ``after``."""
    cdef ThreadState state = current_state()
    cdef Observer observer
    for observer in state.observers:
        observer.on_scope(before, after)


def static_value(Tensor tensor not None, str how not None):
    """The values of ``tensor`` as a NumPy array, for Python code that decides by them; ``how`` says what for.

    All code that decides by values reads them here, so that a recording gets a guard. Nobody may write to the array.
    A kind of array without values raises TypeError.
    """
    if type(tensor) is not EagerTensor:
        tensor = callbacks().resolve(tensor, how)
    return read_values(<EagerTensor?>tensor, how)


def pretend(EagerTensor tensor not None, array not None):
    """Give ``tensor`` the values of ``array``, of the same type and shape.

    For runs of a function on placeholders, which ask what it does for another value. No other code holds these tensors.
    """
    if array.dtype != tensor.array.dtype or array.shape != tensor.array.shape:
        raise ValueError("another value of a tensor has its dtype and its shape")
    tensor.array = array


cdef object read_values(EagerTensor tensor, str how):
    cdef ThreadState state = current_state()
    if not isinstance(tensor.array, cnp.ndarray):
        values = kind_of(tensor.array).read(tensor, how)
        if values is not None:
            return values
    elif open_sizes and state.recorder is not None:
        values = state.recorder.sizes_of(tensor, how)
        if values is not None:
            return values
    if state.values:
        state.report_value(tensor, how)
    if state.departures and how not in PRINTING:
        state.report_departure(tensor, how, 0)
    return as_numpy(tensor.array)


tensor_module.read_values = read_values
