"""Functions made of several ops, replayed where they are called again and again on few numbers.

On few numbers such a function takes its time in Python: shapes, checks, constants, one call for each op. After some
calls with the same signature it is recorded, as functions of `tf.function` are, and replayed from then on. It runs as
Python wherever anybody looks on, a tape for one; where the numbers are many; and where a replay meets a value for which
nothing was recorded, or fails: then Python raises the error.
"""

cimport numpy as cnp
from cpython.bytes cimport PyBytes_FromStringAndSize
from cpython.ref cimport PyObject
from libc.string cimport memcpy

from _thread import RLock
from types import BuiltinFunctionType, FunctionType, ModuleType

from tapegrad import dtypes
from tapegrad.core.dispatch cimport Op
from tapegrad.core.function cimport PROMOTING, TRACING, Function, call_slowly, hooks
from tapegrad.core.kinds cimport open_batches
from tapegrad.core.observers cimport ThreadState, current_state
from tapegrad.core.steps cimport NO_EFFECT, Path, Step
from tapegrad.core.replay cimport Program
from tapegrad.core.replay import MISS, Refusal
from tapegrad.core.tensor cimport EagerTensor
from tapegrad.core.callbacks cimport callbacks
from tapegrad.core.vectorcall cimport PyObject_Vectorcall, PyVectorcall_NARGS, call_by_vectorcall

cnp.import_array()

cdef extern from "Python.h":
    long long PyLong_AsLongLongAndOverflow(object number, int* overflow) except? -1
    const char* PyUnicode_AsUTF8AndSize(object text, Py_ssize_t* size) except NULL

cdef enum:
    LONGEST = 992               # bytes of a signature
    MOST_NUMBERS = 4096         # in all tensors of a call
    MOST_BYTES = 1 << 16        # that a recording keeps in its constants
    MOST_SIGNATURES = 256       # of one function that are recorded
    MOST_KEPT = 1 << 22         # bytes that all recordings of a function keep in their constants
    MOST_ENTRIES = 512          # of one function that are counted
    MOST_BRANCHES = 8           # of one signature
    DEEPEST = 4                 # of lists in lists

cdef long long numbers_given = 0
cdef int often = 8              # calls with one signature that run as Python before one is recorded
cdef object DType = dtypes.DType
cdef set composites = set()     # classes of objects that are no more than the tensors in them


def replay_after(int calls):
    """Record a signature after so many calls. Returns the number before."""
    global often
    before, often = often, calls
    return before


def replay_composite(kind):
    """Let compositions take objects of the class ``kind``, of which their `_nest_components` tell everything."""
    composites.add(kind)
    return kind


cdef struct Signature:
    Py_ssize_t length
    Py_ssize_t numbers          # in the tensors so far
    char text[1024]             # LONGEST, and some for what is written before that is checked


cdef inline void put(Signature* signature, char tag, long long number) noexcept:
    signature.text[signature.length] = tag
    memcpy(&signature.text[signature.length + 1], &number, 8)
    signature.length += 9


cdef bint put_text(Signature* signature, object text) except -1:
    cdef Py_ssize_t size
    cdef const char* letters = PyUnicode_AsUTF8AndSize(text, &size)
    if signature.length + size > LONGEST - 16:
        return False
    put(signature, b"s", size)
    memcpy(&signature.text[signature.length], letters, size)
    signature.length += size
    return True


cdef bint is_ours(object value) except -1:
    """Whether the value is a function of a module of ours or of Python's, which does the same at each call."""
    if type(value) is BuiltinFunctionType:
        return type(value.__self__) is ModuleType
    if type(value) is Function:
        value = (<Function>value).body
    return type(value) is FunctionType and value.__closure__ is None and value.__module__.startswith("tapegrad.ops.")


cdef bint put_closure(Signature* signature, object function, list leaves, int depth) except -1:
    """Write down a function that a function of ours has made: its code and what it holds. False for all others."""
    cdef Py_ssize_t known = len(leaves)
    if (type(function) is not FunctionType or function.__closure__ is None or function.__defaults__ is not None
            or function.__kwdefaults__ is not None or not function.__module__.startswith("tapegrad.ops.")
            or depth >= DEEPEST):
        return False
    # The code is a constant of the function around it, which lives as long as the program.
    put(signature, b"x", <long long>(<PyObject*>function.__code__))
    for cell in function.__closure__:
        if not put_value(signature, cell.cell_contents, leaves, depth + 1):
            return False
    return len(leaves) == known      # a tensor would be a constant of the recording


# As `part_key` of `signatures`: a walk that every call takes, and that writes into a buffer.
cdef bint put_value(Signature* signature, object value, list leaves, int depth) except -1:
    """Write down what an argument is. False for one of which nothing is known."""
    cdef cnp.ndarray array
    cdef long long number
    cdef double real
    cdef int overflow = 0, rank
    cdef object kind = type(value)
    if signature.length > LONGEST - 16:
        return False
    if kind is EagerTensor:
        if (<EagerTensor>value).extra is not None or not isinstance((<EagerTensor>value).array, cnp.ndarray):
            return False
        array = <cnp.ndarray>(<EagerTensor>value).array
        rank = cnp.PyArray_NDIM(array)
        if signature.length + 8 * rank > LONGEST - 16:
            return False
        put(signature, b"t", cnp.PyArray_TYPE(array))
        put(signature, b"r", rank)
        memcpy(&signature.text[signature.length], cnp.PyArray_DIMS(array), 8 * rank)
        signature.length += 8 * rank
        signature.numbers += cnp.PyArray_SIZE(array)
        leaves.append(value)
        return signature.numbers <= MOST_NUMBERS
    if kind is int:
        number = PyLong_AsLongLongAndOverflow(value, &overflow)
        put(signature, b"i", number)
        return overflow == 0
    if kind is float:
        real = value
        memcpy(&number, &real, 8)
        put(signature, b"f", number)
        return True
    if kind is str:
        return put_text(signature, value)
    if value is None or kind is bool:
        put(signature, b"c", 2 if value is None else value is True)
        return True
    if kind is DType or kind is Op or kind is Composition or is_ours(value):
        # These live as long as the program.
        put(signature, b"d", <long long>(<PyObject*>value))
        return True
    if (kind is list or kind is tuple) and depth < DEEPEST:
        put(signature, b"l" if kind is list else b"u", len(value))
        for part in value:
            if not put_value(signature, part, leaves, depth + 1):
                return False
        return True
    if kind in composites and depth < DEEPEST:
        put(signature, b"k", <long long>(<PyObject*>kind))
        return put_value(signature, value._nest_components(), leaves, depth + 1)
    return put_closure(signature, value, leaves, depth)


cdef class Entry:
    pass


cdef class Composition(Function):
    """A function made of ops that have no effects."""

    def __cinit__(self):
        self.vectorcall = call_composition
        self.entries = {}
        self.numbers = {}
        self.lock = RLock()

    cdef long long number_of(self, tuple names) except -1:
        """The number of these names, which is never another's."""
        global numbers_given
        cdef object number
        if names is not self.last_names:
            number = self.numbers.get(names)
            if number is None:
                if len(self.numbers) >= MOST_ENTRIES:
                    self.numbers = {}
                numbers_given += 1
                number = self.numbers.setdefault(names, numbers_given)
            self.last_names, self.last_number = names, number
        return self.last_number

    def __get__(self, instance, owner):
        # See `Op.__get__`.
        return self

    def replays(self):
        """How often a recording has answered."""
        cdef Entry entry
        cdef long found = 0
        for entry in list(self.entries.values()):
            if entry.program is not None:
                found += entry.program.replays
        return found

    def signatures(self):
        """Of each of the last signatures, whether it is replayed."""
        cdef Entry entry
        return [entry.program is not None for entry in list(self.entries.values())]

    cdef object run_body(self, PyObject** args, size_t count, PyObject* keywords):
        return replay_or_call(self, args, count, keywords)

    cdef object run_entry(self, Entry entry, list leaves, PyObject** args, size_t count, PyObject* keywords):
        """What the function gives, and a recording of it where it was called often enough."""
        cdef object result = PyObject_Vectorcall(self.body, args, count, keywords)
        if entry.stays:
            return result
        if entry.program is not None:
            entry.misses += 1
            if entry.program.branches >= MOST_BRANCHES or entry.misses > 64 and entry.misses > entry.program.replays // 8:
                entry.stays = True
                entry.program = None
                return result
        elif entry.calls < often:
            entry.calls += 1
            return result
        try:
            self.record(entry, args, count, keywords)
        except Exception:
            # It has just given a result: what cannot be recorded runs as Python.
            entry.stays = True
            entry.program = None
        return result

    cdef int record(self, Entry entry, PyObject** args, size_t count, PyObject* keywords) except -1:
        cdef Py_ssize_t given = PyVectorcall_NARGS(count), i
        cdef Program program
        cdef Path path
        cdef Step step
        cdef Py_ssize_t kept = 0
        arguments = [<object>args[i] for i in range(given)]
        named = {}
        if keywords != NULL:
            for i in range(len(<tuple>keywords)):
                named[(<tuple>keywords)[i]] = <object>args[given + i]
        path = callbacks().record(self.body, arguments, named)
        if path is None:
            raise Refusal("it cannot be recorded")
        for step in path.steps:
            if step.effect != NO_EFFECT:
                raise Refusal(f"{step.op.type} has an effect")
        for value in path.constants:
            if type(value) is EagerTensor:
                if not isinstance((<EagerTensor>value).array, cnp.ndarray):
                    raise Refusal("a constant is a batch")
                kept += cnp.PyArray_NBYTES(<cnp.ndarray>(<EagerTensor>value).array)
        if kept > MOST_BYTES:
            raise Refusal("its constants are large")
        with self.lock:
            program = entry.program
            recorded = [(<Entry>known).kept for known in self.entries.values() if (<Entry>known).program is not None]
            if sum(recorded) + kept > MOST_KEPT:
                raise Refusal("its recordings are large")
            if program is None:
                if len(recorded) >= MOST_SIGNATURES:
                    raise Refusal("it has many signatures")
                program = Program(False, "", None, self.__name__, self.lock)
            program.add(path)
            if program.reason is not None:
                raise Refusal(program.reason[0])
            program.compile()
            entry.program = program
            entry.kept += kept
        return 0


cdef object call_composition(object callable, PyObject** args, size_t count, PyObject* keywords):
    """The vectorcall of every composition."""
    if hooks:
        return call_slowly(<Composition>callable, args, count, keywords)
    return replay_or_call(<Composition>callable, args, count, keywords)


cdef object replay_or_call(Composition composition, PyObject** args, size_t count, PyObject* keywords):
    cdef Signature signature
    cdef ThreadState state = current_state()
    cdef Entry entry
    cdef Py_ssize_t i, given, named
    cdef list leaves
    if state.active or state.values or state.observed or state.held or hooks & (TRACING | PROMOTING) or open_batches:
        return PyObject_Vectorcall(composition.body, args, count, keywords)
    leaves = []
    signature.length = signature.numbers = 0
    given = PyVectorcall_NARGS(count)
    named = 0
    if keywords != NULL:
        named = len(<tuple>keywords)
        put(&signature, b"n", composition.number_of(<tuple>keywords))
    for i in range(given + named):
        if not put_value(&signature, <object>args[i], leaves, 0):
            return PyObject_Vectorcall(composition.body, args, count, keywords)
    key = PyBytes_FromStringAndSize(signature.text, signature.length)
    entry = composition.entries.get(key)
    if entry is None:
        if len(composition.entries) >= MOST_ENTRIES:
            composition.entries = {}
        entry = composition.entries[key] = Entry.__new__(Entry)
    elif entry.program is not None:
        result = entry.program.run(leaves, state)
        if result is not MISS:
            return result
    return composition.run_entry(entry, leaves, args, count, keywords)


def composition(function):
    """``function``, made of several ops without effects, to be replayed where it is called often on few numbers.

    What it gives must depend on its arguments alone: on tensors through ops, and through values that are read where
    `static_value` reads them; on everything else in any way.
    """
    return Composition(function)


cdef Composition probe = Composition(replay_after)
call_by_vectorcall(probe, &probe.vectorcall)
probe = None
