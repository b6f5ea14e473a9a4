// Every compiled module includes this file first. A compiled function that fails leaves no line of its own in the
// traceback. It asks `tapegrad.core.tracebacks` to take out the lines that our Python functions below it left.
// All of this happens after a failure: a call that succeeds never comes here. PyErr_Fetch and its kin are
// deprecated since Python 3.12, but every version from 3.11 to 3.14 has them.
#pragma once

#ifndef PY_SSIZE_T_CLEAN
#define PY_SSIZE_T_CLEAN
#endif
#include <Python.h>

int tapegrad_traceback_here(PyFrameObject *frame);
PyObject *tapegrad_get_traceback(PyObject *error);
void tapegrad_normalize(PyObject **type, PyObject **error, PyObject **traceback);

// Cython calls the first up to Python 3.11, and the second from Python 3.12 on, where an `except` clause begins.
#define PyErr_NormalizeException(type, error, traceback) tapegrad_normalize(type, error, traceback)
#define PyException_GetTraceback(error) tapegrad_get_traceback(error)

// The name that Cython calls when a function of its own fails.
#define PyTraceBack_Here(frame) tapegrad_traceback_here(frame)
