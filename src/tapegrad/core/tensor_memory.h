// The memory of tensors: that of a tensor which is gone is kept for the next one, as it is. Making a tensor and
// letting go of it take half of the instructions then that they take through Python's allocator.
#pragma once

enum { TAPEGRAD_KEPT = 64 };

// Objects of one type without references to them, not tracked, their fields as in a new one.
static PyObject *tapegrad_kept[TAPEGRAD_KEPT];
static int tapegrad_kept_count = 0;

// A new reference to an object from the store, or NULL if it is empty.
static inline PyObject *tapegrad_take_kept(PyTypeObject *type) {
    PyObject *object;
    if (tapegrad_kept_count == 0)
        return NULL;
    object = PyObject_Init(tapegrad_kept[--tapegrad_kept_count], type);
    PyObject_GC_Track(object);
    return object;
}

static inline int tapegrad_is_watched_weakly(PyObject *object) {
    return *(PyObject **)((char *)object + Py_TYPE(object)->tp_weaklistoffset) != NULL;
}

// An object whose fields are as in a new one: `fields` of them refer to None.
static inline void tapegrad_keep_or_free(PyObject *object, int fields) {
    if (tapegrad_kept_count < TAPEGRAD_KEPT) {
        tapegrad_kept[tapegrad_kept_count++] = object;
        return;
    }
    while (fields-- > 0)
        Py_DECREF(Py_None);
    PyObject_GC_Del(object);
}
