"""NumPy's memory with a pattern in it: what no kernel wrote changes with the pattern."""

from __future__ import annotations

import contextlib
import ctypes
from collections.abc import Iterator

import numpy as np

from tapegrad.engines.numpy import buffers

_Malloc = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)


class _Handler(ctypes.Structure):
    """NumPy's PyDataMem_Handler."""

    _fields_ = (
        ("name", ctypes.c_char * 127),
        ("version", ctypes.c_uint8),
        ("context", ctypes.c_void_p),
        ("malloc", _Malloc),
        ("calloc", ctypes.c_void_p),
        ("realloc", ctypes.c_void_p),
        ("free", ctypes.c_void_p),
    )


# Places of two functions in NumPy's table of C functions, which no release moves.
_SET_HANDLER, _GET_HANDLER = 304, 305
_CAPSULE = b"mem_handler"

_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_pointer.restype, _pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
_capsule = ctypes.pythonapi.PyCapsule_New
_capsule.restype = ctypes.py_object
_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
_table = ctypes.cast(
    _pointer(np._core._multiarray_umath._ARRAY_API, None), ctypes.POINTER(ctypes.c_void_p)
)
_set_handler = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.py_object)(_table[_SET_HANDLER])
_get_handler = ctypes.PYFUNCTYPE(ctypes.py_object)(_table[_GET_HANDLER])


class _Pattern:
    """A handler that is NumPy's own but for what new memory holds."""

    def __init__(self) -> None:
        self.byte = 0
        usual = _Handler.from_address(_pointer(_get_handler(), _CAPSULE))
        allocate = usual.malloc

        def malloc(context: int | None, size: int) -> int | None:
            memory: int | None = allocate(context, size)
            if memory:
                ctypes.memset(memory, self.byte, size)
            return memory

        self.handler = _Handler.from_buffer_copy(usual)
        self.malloc = self.handler.malloc = _Malloc(malloc)
        # Arrays read the handler when they go, the last of them after this module.
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(self.handler))
        self.capsule = _capsule(ctypes.addressof(self.handler), _CAPSULE, None)


_pattern = _Pattern()


@contextlib.contextmanager
def memory_holds(byte: int) -> Iterator[None]:
    """Inside, each byte of a new array is ``byte`` until something writes to it."""
    buffers.release_idle()  # what was computed before lies in what tapegrad keeps for its next results
    usual = _set_handler(_pattern.capsule)
    _pattern.byte = byte
    try:
        yield
    finally:
        _set_handler(usual)
