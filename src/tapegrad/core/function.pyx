"""One object for every public function. What happens in a call:

1. The call looks at one word, `hooks`. Where it is 0, the body runs at once.
2. Else those who want to see calls are asked, in this order: a profiler, the dispatchers of other libraries, the promotion
   of dtypes, the trace of this thread's graph. Each may answer in place of the function.
3. The classes of the arguments are looked up among the function's overrides. The first that is there answers.
4. The body runs.
5. If anything fails, the frames of this package are taken out of the traceback (tracebacks.h).

`Function` calls a Python function. `dispatch.Op` is a function with a kernel and a gradient, `compositions.Composition`
one that is replayed, and `renaming.Renamed` one with other names for its arguments.
"""

from cpython.list cimport PyList_Check
from cpython.ref cimport PyObject
from cpython.tuple cimport PyTuple_Check

from types import FunctionType, MethodType

from tapegrad.core.callbacks cimport callbacks
from tapegrad.core.vectorcall cimport (
    PyObject_Vectorcall, PyObject_VectorcallDict, PyTupleObject, PyVectorcall_NARGS, binds_like_a_function,
    call_by_vectorcall)

cdef extern from "Python.h":
    ctypedef struct PyListObject:
        PyObject** ob_item

cdef enum:
    DEEPEST = 16                # lists in lists: a list may hold itself
    MOST_ASKED = 256            # elements of lists whose classes are looked at: arguments may be long lists of numbers

hooks = 0
profiled_ops = {}
profiled_operators = ()
cdef int open_traces = 0
cdef object promotion = None
cdef object dispatcher = None
cdef object is_foreign = None
cdef dict foreign = {}          # class of an argument -> whether dispatchers are asked for it


def open_trace(int change):
    """Count a scope with tensors without values (1), or one that ends (-1)."""
    global open_traces, hooks
    open_traces += change
    hooks = hooks | TRACING if open_traces else hooks & ~TRACING


def promote_by(function):
    """Let ``function(called, args, kwargs)`` answer calls, or give NotImplemented. None: no longer."""
    global promotion, hooks
    if function is not None and not callable(function):
        raise TypeError(f"dtypes are promoted by a function, not by {function!r}")
    promotion = function
    hooks = hooks & ~PROMOTING if function is None else hooks | PROMOTING


def dispatch_by(function not None, judge not None):
    """Let ``function(called, args, kwargs)`` answer calls, or give NotImplemented, where ``judge(class)`` of an argument is true."""
    global dispatcher, is_foreign, hooks
    dispatcher, is_foreign = function, judge
    foreign.clear()
    hooks |= DISPATCHING


def profile_by(dict ops not None, tuple operators not None):
    """Call each op by way of its function in ``ops``, and operators by way of ``operators``. Empty ones: no longer."""
    global profiled_ops, profiled_operators, hooks
    profiled_ops, profiled_operators = ops, operators
    hooks = hooks | PROFILING if ops else hooks & ~PROFILING


cdef class Function:
    """``body``, a public function written in Python. Whoever asks takes it for that function.

    With ``computes`` a graph notes its calls; without, it runs as it stands while a graph is open.
    """

    def __cinit__(self):
        self.vectorcall = call_function
        self.computes = True

    def __init__(self, body not None, *, bint computes=True):
        self.body = body
        self.computes = computes
        self.__name__ = body.__name__
        self.__qualname__ = body.__qualname__
        self.__module__ = body.__module__
        self.__doc__ = body.__doc__

    def __call__(self, *args, **kwargs):
        return PyObject_VectorcallDict(self, &(<PyTupleObject*>args).ob_item[0], len(args), kwargs)

    def call_body(self, *args, **kwargs):
        """Call the body, or an override of it. Nobody else is asked."""
        cdef list values = [*args, *kwargs.values()]
        cdef tuple names = tuple(kwargs)
        return select(self, (<PyListObject*>values).ob_item, len(args), <PyObject*>names if names else NULL)

    def override(self, kind, function):
        """Let ``function(body, *args, **kwargs)`` answer calls with a ``kind`` among the arguments or in lists of them.

        ``kind`` itself is meant, not its subclasses.
        """
        global hooks
        if self.overrides is None:
            self.overrides = {}
        self.overrides[kind] = function
        hooks |= OVERRIDING

    cdef object run_body(self, PyObject** args, size_t count, PyObject* keywords):
        """What the function gives where nobody else answers."""
        return PyObject_Vectorcall(self.body, args, count, keywords)

    # --- What is known about the function ---

    def __repr__(self):
        return repr(self.body)

    def __getattr__(self, name):
        return getattr(self.body, name)

    @property
    def __class__(self):
        """`types.FunctionType`: libraries ask `isinstance` what they may write down by its name, as Keras does."""
        return FunctionType

    @property
    def __annotations__(self):
        """None: TensorFlow's functions have none, and some libraries compare `inspect.getfullargspec` as a whole.

        Type checkers read the sources and the stubs instead.
        """
        return {}

    @property
    def __signature__(self):
        """The signature of the body, without annotations."""
        if self.signature is None:
            from inspect import signature
            shown = signature(self.body)
            self.signature = shown.replace(
                parameters=[parameter.replace(annotation=parameter.empty) for parameter in shown.parameters.values()],
                return_annotation=shown.empty)
        return self.signature

    @__signature__.setter
    def __signature__(self, signature):
        self.signature = signature

    def __get__(self, instance, owner):
        return self if instance is None else MethodType(self, instance)

    def __reduce__(self):
        return self.__qualname__

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self


def public(function=None, *, bint computes=True):
    """A decorator: the object that users and this package call in place of ``function``.

    With ``computes`` a graph notes the calls, because arguments may be tensors without values; without, the function
    runs as it stands while a graph is open.
    """
    if function is None:
        return lambda function: Function(function, computes=computes)
    return Function(function, computes=computes)


# --- Calls --------------------------------------------------------------------------------------------

cdef object call_function(object callable, PyObject** args, size_t count, PyObject* keywords):
    """The vectorcall of every function with a body alone."""
    if hooks:
        return call_slowly(<Function>callable, args, count, keywords)
    return PyObject_Vectorcall((<Function>callable).body, args, count, keywords)


cdef object call_slowly(Function function, PyObject** args, size_t count, PyObject* keywords):
    """Call ``function`` while somebody wants to see calls."""
    answer = ask_all(function, args, count, keywords)
    return select(function, args, count, keywords) if answer is NotImplemented else answer


cdef object ask_all(Function function, PyObject** args, size_t count, PyObject* keywords):
    """What anybody but an override answers in place of ``function``; NotImplemented where it is to run."""
    cdef int asked = MOST_ASKED
    if hooks & DISPATCHING and function.computes and any_foreign(
            args, PyVectorcall_NARGS(count) + (0 if keywords == NULL else len(<tuple>keywords)), &asked):
        answer = dispatcher(function, positional(args, count), by_name(args, count, keywords))
        if answer is not NotImplemented:
            return answer
    if hooks & PROMOTING or hooks & TRACING and function.computes:
        return ask_hooks(function, positional(args, count), by_name(args, count, keywords))
    return NotImplemented


cdef bint any_foreign(PyObject** values, Py_ssize_t count, int* asked) except -1:
    """Whether dispatchers are asked for the class of one of ``values``."""
    cdef Py_ssize_t i
    for i in range(count):
        if asks_dispatchers(<object>values[i], 0, asked):
            return True
    return False


cdef bint asks_dispatchers(object value, int depth, int* asked) except -1:
    """Whether dispatchers are asked for the class of ``value``, or of an element of a list that it is."""
    cdef object answer
    if PyList_Check(value) or PyTuple_Check(value):
        for element in value if depth < DEEPEST else ():
            asked[0] -= 1
            if asked[0] < 0:
                return False
            if asks_dispatchers(element, depth + 1, asked):
                return True
        return False
    answer = foreign.get(type(value))
    if answer is None:
        answer = foreign[type(value)] = bool(is_foreign(type(value)))
    return answer


cdef object ask_hooks(object function, tuple args, dict keywords):
    """What the promotion or the graph answers in place of ``function``; NotImplemented where it is to run."""
    if promotion is not None:
        answer = promotion(function, args, keywords)
        if answer is not NotImplemented:
            return answer
    if hooks & TRACING and (not isinstance(function, Function) or (<Function>function).computes):
        return callbacks().trace_symbolically(function, args, keywords)
    return NotImplemented


cdef object select(Function function, PyObject** args, size_t count, PyObject* keywords):
    """Call the override for the classes of the arguments, or else the function itself."""
    cdef Py_ssize_t given = PyVectorcall_NARGS(count)
    if function.overrides is not None:
        override = override_among(
            function.overrides, args, given + (0 if keywords == NULL else len(<tuple>keywords)))
        if override is not None:
            return override(function.body, *positional(args, count), **by_name(args, count, keywords))
    return function.run_body(args, count, keywords)


cdef object override_among(dict overrides, PyObject** values, Py_ssize_t count):
    """The override for the first of ``values``, or of the elements of lists among them, that has one; else None."""
    cdef Py_ssize_t i
    for i in range(count):
        override = override_for(overrides, <object>values[i], 0)
        if override is not None:
            return override
    return None


cdef object override_for(dict overrides, object value, int depth):
    override = overrides.get(type(value))
    if override is None and (PyList_Check(value) or PyTuple_Check(value)) and depth < DEEPEST:
        for element in value:
            override = override_for(overrides, element, depth + 1)
            if override is not None:
                break
    return override


cdef tuple positional(PyObject** args, size_t count):
    """The positional arguments of a call."""
    return tuple([<object>args[i] for i in range(PyVectorcall_NARGS(count))])


cdef dict by_name(PyObject** args, size_t count, PyObject* keywords):
    """The arguments of a call that are given by name."""
    cdef Py_ssize_t i, given = PyVectorcall_NARGS(count)
    if keywords == NULL:
        return {}
    return {(<tuple>keywords)[i]: <object>args[given + i] for i in range(len(<tuple>keywords))}


cdef Function probe = Function(public)
call_by_vectorcall(probe, &probe.vectorcall)
binds_like_a_function(probe)
probe = None
