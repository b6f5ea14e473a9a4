"""Calls of ops and operators that no profiler is told of: see `tapegrad.profiling`."""

from cpython.ref cimport PyObject

from tapegrad.core.dispatch cimport Op, call_unprofiled
from tapegrad.core.operators cimport binary_unprofiled, unary_unprofiled
from tapegrad.core.tensor cimport SLOTS

cdef extern from "Python.h":
    ctypedef struct PyListObject:
        PyObject** ob_item


def call(Op op not None, tuple args not None, dict keywords not None):
    """Call ``op``, not its function for profilers."""
    cdef list values = [*args, *keywords.values()]
    cdef tuple names = tuple(keywords)
    return call_unprofiled(op, (<PyListObject*>values).ob_item, len(args), <PyObject*>names if names else NULL)


def operate(int slot, x, *others):
    """Apply the operator in ``slot``, not its function for profilers."""
    if not 0 <= slot < SLOTS:
        raise ValueError(f"there are operators 0 to {SLOTS - 1}, and none in slot {slot}")
    return binary_unprofiled(slot, x, others[0]) if others else unary_unprofiled(slot, x)
