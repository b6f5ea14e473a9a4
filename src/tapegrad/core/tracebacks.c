// What a compiled function that fails does with the traceback: see tracebacks.h. Once for all modules.
#include "tracebacks.h"

// Here these are Python's own.
#undef PyErr_NormalizeException
#undef PyException_GetTraceback
#undef PyTraceBack_Here

// The objects of these names, without the prefix, in `tapegrad.core.tracebacks`; NULL before the core is imported.
static PyObject *tapegrad_hide = NULL, *tapegrad_OURS = NULL, *tapegrad_ever_disabled = NULL;

static int tapegrad_find_filter(void) {
    PyObject *name, *module = NULL;
    if (tapegrad_ever_disabled != NULL)
        return 1;
    name = PyUnicode_FromString("tapegrad.core.tracebacks");
    if (name != NULL)
        module = PyImport_GetModule(name);
    if (module != NULL) {
        Py_XSETREF(tapegrad_hide, PyObject_GetAttrString(module, "hide"));
        Py_XSETREF(tapegrad_OURS, PyObject_GetAttrString(module, "OURS"));
        if (tapegrad_hide != NULL && tapegrad_OURS != NULL)
            tapegrad_ever_disabled = PyObject_GetAttrString(module, "ever_disabled");
    }
    Py_XDECREF(name);
    Py_XDECREF(module);
    PyErr_Clear();
    return tapegrad_ever_disabled != NULL;
}

// Whether all lines so far are ours, and there was no error before this one. Then all lines are hidden, and Python
// need not be asked. This case is frequent: NumPy, for one, often asks tensors for attributes that they lack.
static int tapegrad_is_ours_alone(PyObject *error, PyObject *traceback) {
    PyObject *context = PyExceptionInstance_Check(error) ? PyException_GetContext(error) : NULL;
    PyTracebackObject *line = (PyTracebackObject *)traceback;
    int ours = context == NULL && !PyByteArray_AS_STRING(tapegrad_ever_disabled)[0];
    for (; ours && line != NULL; line = line->tb_next) {
        PyCodeObject *code = PyFrame_GetCode(line->tb_frame);
        ours = PyUnicode_Tailmatch(code->co_filename, tapegrad_OURS, 0, PY_SSIZE_T_MAX, -1) == 1;
        Py_DECREF(code);
    }
    Py_XDECREF(context);
    return ours;
}

int tapegrad_traceback_here(PyFrameObject *frame) {
    PyObject *type, *error, *traceback, *answer;
    int hidden;
    PyErr_Fetch(&type, &error, &traceback);
    if (traceback == Py_None)
        Py_CLEAR(traceback);  // see tapegrad_or_none
    if (type == NULL || error == NULL || !tapegrad_find_filter()
            || !PyType_IsSubtype((PyTypeObject *)type, (PyTypeObject *)PyExc_Exception)) {
        PyErr_Restore(type, error, traceback);
        return PyTraceBack_Here(frame);
    }
    if (tapegrad_is_ours_alone(error, traceback)) {
        Py_XDECREF(traceback);
        if (PyExceptionInstance_Check(error))
            PyException_SetTraceback(error, Py_None);
        PyErr_Restore(type, error, NULL);
        return 0;
    }
    PyErr_NormalizeException(&type, &error, &traceback);
    if (traceback != NULL)
        PyException_SetTraceback(error, traceback);
    Py_XDECREF(traceback);
    answer = PyObject_CallFunctionObjArgs(tapegrad_hide, error, NULL);
    hidden = answer == Py_True;
    Py_XDECREF(answer);
    if (answer == NULL && !PyErr_ExceptionMatches(PyExc_Exception)) {
        // An interrupt: it must not get lost.
        Py_DECREF(type);
        Py_DECREF(error);
        return 0;
    }
    // No memory, no stack, or the interpreter is ending: then the whole traceback stays.
    PyErr_Clear();
    traceback = PyException_GetTraceback(error);
    if (traceback == Py_None)
        Py_CLEAR(traceback);  // Python 3.11 keeps a traceback that was taken away as None.
    PyErr_Restore(type, error, traceback);
    return hidden ? 0 : PyTraceBack_Here(frame);
}

// Cython's `except` clauses keep the traceback of the error they caught, and assume that it is not NULL.
static PyObject *tapegrad_or_none(PyObject *traceback) {
    return traceback == NULL ? Py_NewRef(Py_None) : traceback;
}

PyObject *tapegrad_get_traceback(PyObject *error) {
    return tapegrad_or_none(PyException_GetTraceback(error));
}

void tapegrad_normalize(PyObject **type, PyObject **error, PyObject **traceback) {
    PyErr_NormalizeException(type, error, traceback);
    *traceback = tapegrad_or_none(*traceback);
}
