from cpython.ref cimport PyObject

from tapegrad.core.vectorcall cimport Vectorcall

cdef enum Hook:                 # who wants to see calls before they run
    TRACING = 1                 # a graph is open: tensors may have no values
    PROMOTING = 2               # operands of different dtypes are promoted, as in `annex.numpy_like`
    PROFILING = 4               # a profiler is to see each op as a Python function
    OVERRIDING = 8              # there are functions with overrides
    DISPATCHING = 16            # other libraries have dispatchers for classes of theirs

cdef enum:
    OF_OPS = TRACING | PROMOTING | PROFILING | DISPATCHING      # what calls of ops look at: they find overrides by themselves
    OF_OPERATORS = TRACING | PROMOTING | PROFILING              # for an operand of another class Python asks that class

cdef dict profiled_ops          # op -> the Python function that a profiler is to see
cdef tuple profiled_operators   # operator's slot -> the same
cdef int hooks                  # those of any thread, as bits: the one word that a call looks at

cdef class Function:
    """A public function: what every call does before the body runs, and what is known about the function."""

    cdef Vectorcall vectorcall
    cdef readonly object body           # the function as it was written; None where there is no Python function
    cdef readonly bint computes         # it is called with tensors, which may have no values
    cdef public dict overrides          # class of an argument -> what runs in place of the body; None for none
    cdef object signature               # as `inspect.signature` shows it; None until somebody asks
    cdef dict __dict__                  # __name__, __module__ and the like
    cdef object __weakref__

    cdef object run_body(self, PyObject** args, size_t count, PyObject* keywords)

cdef object call_slowly(Function function, PyObject** args, size_t count, PyObject* keywords)
cdef object ask_hooks(object function, tuple args, dict keywords)
cdef object ask_all(Function function, PyObject** args, size_t count, PyObject* keywords)
cdef object override_among(dict overrides, PyObject** values, Py_ssize_t count)
cdef object select(Function function, PyObject** args, size_t count, PyObject* keywords)
cdef tuple positional(PyObject** args, size_t count)
cdef dict by_name(PyObject** args, size_t count, PyObject* keywords)
