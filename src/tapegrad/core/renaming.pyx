"""Functions under other names for their arguments, which are given by keyword alone: those of `tf.raw_ops`."""

from cpython.ref cimport Py_INCREF, PyObject
from cpython.tuple cimport PyTuple_SET_ITEM

from tapegrad.core.function cimport Function, call_slowly, hooks
from tapegrad.core.vectorcall cimport PyObject_Vectorcall, PyTupleObject, PyVectorcall_NARGS, call_by_vectorcall

cdef extern from "Python.h":
    ctypedef struct PyTypeObject:
        object (*tp_alloc)(PyTypeObject* type, Py_ssize_t length)

cdef enum:
    MOST_ARGUMENTS = 64
    MOST_PLANS = 64             # of one function


cdef class Plan:
    """How a call that gives arguments of certain names is passed on."""

    cdef tuple given            # the names
    cdef tuple names            # those that the function gets
    cdef int sources[64]        # MOST_ARGUMENTS: the place of each among those given; below 0 among the constants
    cdef tuple constants
    cdef bint in_order          # the arguments as they are, and none besides


cdef class Renamed(Function):
    """A function that passes its keywords on to ``function`` under other names.

    For the names of the arguments of a call, ``plan_of(names)`` gives those that the function gets; for each the place
    of its value among the arguments, or below 0 among the constants: -1 is the first; and the constants. Or it raises.

    What the function gives, a tuple or a list, becomes a ``results``, a class of named tuples, unless that is None.
    """

    cdef object function, plan_of, results
    cdef Plan last              # a call in a program has the same tuple of names each time
    cdef dict plans

    def __cinit__(self):
        self.vectorcall = call_renamed
        self.computes = False       # the function that does the work computes

    def __init__(self, function not None, plan_of not None, results=None):
        self.results = results
        self.function = function
        self.plan_of = plan_of
        self.plans = {}

    def __repr__(self):
        return f"<function {self.__name__}>"

    @property
    def __code__(self):
        return self.function.__code__

    @property
    def __globals__(self):
        return self.function.__globals__

    @property
    def __defaults__(self):
        return None

    @property
    def __kwdefaults__(self):
        return None

    def __get__(self, instance, owner):
        # See `Op.__get__`.
        return self

    cdef object run_body(self, PyObject** args, size_t count, PyObject* keywords):
        return rename_and_call(self, args, count, keywords)

    cdef Plan find(self, tuple given):
        cdef Plan plan = self.plans.get(given)
        cdef Py_ssize_t i
        if plan is None:
            plan = Plan.__new__(Plan)
            plan.names, sources, plan.constants = self.plan_of(given)
            plan.given = given
            if len(sources) > MOST_ARGUMENTS:
                raise ValueError(f"{self.__name__} passes more than {MOST_ARGUMENTS} arguments on")
            for i in range(len(sources)):
                plan.sources[i] = sources[i]
            plan.in_order = list(sources) == list(range(len(given)))
            if len(self.plans) >= MOST_PLANS:
                self.plans = {}
            self.plans[given] = plan
        else:
            # The tuple of this call, so that the next call is told by it.
            plan.given = given
        self.last = plan
        return plan


cdef object named(object results, object found):
    """A ``results``, a class of named tuples, of what was found: `_make` and the class itself take Python for it."""
    cdef tuple fields = <tuple>results._fields
    cdef Py_ssize_t count = len(fields), i
    if len(found) != count:
        raise TypeError(f"{results.__name__} has {count} results, not {len(found)}")
    made = (<PyTypeObject*><PyObject*>results).tp_alloc(<PyTypeObject*><PyObject*>results, count)
    for i in range(count):
        value = found[i]
        Py_INCREF(value)
        PyTuple_SET_ITEM(made, i, value)
    return made


cdef object call_renamed(object callable, PyObject** args, size_t count, PyObject* keywords):
    """The vectorcall of every renamed function."""
    if hooks:
        return call_slowly(<Renamed>callable, args, count, keywords)
    return rename_and_call(<Renamed>callable, args, count, keywords)


cdef dict without_none(Renamed renamed, PyObject** args, tuple names):
    """The arguments but for those of None that have a default, which None stands for in TensorFlow's raw ops."""
    cdef Py_ssize_t i
    parameters = renamed.__signature__.parameters
    kept = {}
    for i in range(len(names)):
        name, value = names[i], <object>args[i]
        if value is not None or name not in parameters or parameters[name].default in (None, parameters[name].empty):
            kept[name] = value
    return kept


cdef object rename_and_call(Renamed renamed, PyObject** args, size_t count, PyObject* keywords):
    cdef PyObject* passed[64]       # MOST_ARGUMENTS
    cdef Plan plan = renamed.last
    cdef Py_ssize_t i, given = PyVectorcall_NARGS(count)
    cdef int source
    if given:
        raise TypeError(f"{renamed.__name__}() takes 0 positional arguments but {given} "
                        f"{'was' if given == 1 else 'were'} given")
    if keywords != NULL:
        for i in range(len(<tuple>keywords)):
            if args[i] == <PyObject*>None:
                kept = without_none(renamed, args, <tuple>keywords)
                if len(kept) < len(<tuple>keywords):
                    return renamed(**kept)
                break
    if plan is None or keywords == NULL or <PyObject*>plan.given != keywords:
        plan = renamed.find(() if keywords == NULL else <tuple>keywords)
    if plan.in_order:
        found = PyObject_Vectorcall(renamed.function, args, 0, <PyObject*>plan.names)
        return found if renamed.results is None else named(renamed.results, found)
    for i in range(len(plan.names)):
        source = plan.sources[i]
        passed[i] = args[source] if source >= 0 else (<PyTupleObject*>plan.constants).ob_item[-1 - source]
    found = PyObject_Vectorcall(renamed.function, passed, 0, <PyObject*>plan.names)
    return found if renamed.results is None else named(renamed.results, found)


cdef Renamed probe = Renamed(repr, repr)
call_by_vectorcall(probe, &probe.vectorcall)
probe = None
