"""Calls ops by way of Python functions while a profiler runs: see `tapegrad.profiling`.

Each op has a pointer to the function that calls it, and so have the operators of tensors.
This module sets the pointers to other functions and back, so a call that nobody profiles costs nothing more.
"""

from cpython.ref cimport PyObject

from tapegrad.core cimport tensor as tensor_module
from tapegrad.core.dispatch cimport Op
from tapegrad.core.tensor cimport SLOTS, BinaryOperator, UnaryOperator
from tapegrad.core.vectorcall cimport PyObject_Vectorcall, Vectorcall

cdef extern from "Python.h":
    ctypedef struct PyListObject:
        PyObject** ob_item

cdef dict op_functions = {}             # op -> the function its calls go through
cdef tuple operator_functions = ()      # operator's slot -> the function its calls go through
cdef Vectorcall plain_call = NULL
cdef UnaryOperator plain_unary = NULL
cdef BinaryOperator plain_binary = NULL


cdef object call_by_function(object op, PyObject** args, size_t count, PyObject* keywords):
    return PyObject_Vectorcall(op_functions[op], args, count, keywords)


cdef object unary_by_function(int slot, object x):
    return operator_functions[slot](slot, x)


cdef object binary_by_function(int slot, object x, object y):
    return operator_functions[slot](slot, x, y)


cdef int check_rerouted() except -1:
    if plain_call == NULL:
        raise RuntimeError("calls were never pointed elsewhere: see reroute()")
    return 0


def call(Op op not None, tuple args not None, dict keywords not None):
    """Call ``op`` directly, not through its function."""
    check_rerouted()
    cdef list values = [*args, *keywords.values()]
    cdef tuple names = tuple(keywords)
    return plain_call(op, (<PyListObject*>values).ob_item, len(args), <PyObject*>names if names else NULL)


def operate(int slot, x, *others):
    """Apply the operator in ``slot`` directly, not through its function."""
    check_rerouted()
    if not 0 <= slot < SLOTS:
        raise ValueError(f"there are operators 0 to {SLOTS - 1}, and none in slot {slot}")
    return plain_binary(slot, x, others[0]) if others else plain_unary(slot, x)


def reroute(dict functions not None, tuple operators not None):
    """Let calls of each op go through its function in ``functions``, and operators through ``operators``."""
    global plain_call, plain_unary, plain_binary, op_functions, operator_functions
    cdef Op op
    if not functions or len(operators) != SLOTS:
        raise ValueError(f"reroute() takes a function for each op, and for each of {SLOTS} operators")
    if plain_call == NULL:
        plain_unary = tensor_module.unary_operator
        plain_binary = tensor_module.binary_operator
    op_functions = functions
    operator_functions = operators
    for op in functions:
        if plain_call == NULL:
            plain_call = op.vectorcall
        op.vectorcall = call_by_function
    tensor_module.unary_operator = unary_by_function
    tensor_module.binary_operator = binary_by_function


def restore():
    """Undo `reroute`."""
    cdef Op op
    check_rerouted()
    for op in op_functions:
        op.vectorcall = plain_call
    tensor_module.unary_operator = plain_unary
    tensor_module.binary_operator = plain_binary
