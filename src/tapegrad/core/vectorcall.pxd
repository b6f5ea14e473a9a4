"""What compiled types need to be called without their arguments being packed into a tuple and a dictionary."""

from cpython.ref cimport PyObject

# The first argument is the object that is called.
ctypedef object (*Vectorcall)(object callable, PyObject** args, size_t count, PyObject* keywords)

cdef extern from "Python.h":
    ctypedef object (*getattrofunc)(object, object)
    ctypedef struct PyTypeObject:
        getattrofunc tp_getattro
        Py_ssize_t tp_vectorcall_offset
        unsigned long tp_flags
    ctypedef struct PyTupleObject:
        PyObject* ob_item[1]
    unsigned long Py_TPFLAGS_HAVE_VECTORCALL
    unsigned long Py_TPFLAGS_METHOD_DESCRIPTOR
    PyTypeObject* Py_TYPE(object)
    void PyType_Modified(PyTypeObject* type)
    object PyObject_GenericGetAttr(object, object)
    Py_ssize_t PyVectorcall_NARGS(size_t count)
    object PyObject_Vectorcall(object, PyObject**, size_t, PyObject*)
    object PyObject_VectorcallDict(object, PyObject**, size_t, object)


cdef inline void call_by_vectorcall(object probe, void* place) noexcept:
    """Let the interpreter call objects of the type of ``probe`` by the `Vectorcall` in them, which ``probe`` has in ``place``."""
    cdef PyTypeObject* kind = Py_TYPE(probe)
    kind.tp_vectorcall_offset = <char*>place - <char*><PyObject*>probe
    kind.tp_flags |= Py_TPFLAGS_HAVE_VECTORCALL
    PyType_Modified(kind)


cdef inline void binds_like_a_function(object probe) noexcept:
    """Let the interpreter call objects of the type of ``probe`` that a class holds with the instance as first argument.

    It asks them for no bound method then. Their __get__ must give what a function's would.
    """
    cdef PyTypeObject* kind = Py_TYPE(probe)
    kind.tp_flags |= Py_TPFLAGS_METHOD_DESCRIPTOR
    PyType_Modified(kind)


cdef inline void has_plain_attributes(object probe) noexcept:
    """Look attributes of the type of ``probe`` up as those of most objects, past the __getattr__ of a base class.

    The interpreter makes no bound method for a method that is called at once then.
    """
    cdef PyTypeObject* kind = Py_TYPE(probe)
    kind.tp_getattro = PyObject_GenericGetAttr
    PyType_Modified(kind)
