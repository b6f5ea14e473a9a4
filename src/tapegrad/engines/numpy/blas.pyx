"""Which BLAS multiplies matrices. It is looked for at the first product, among libraries that are there anyway.

The default is NumPy's own BLAS, in the library that NumPy has loaded. It is MKL if the ``mkl`` package is installed in
this environment (``pip install tapegrad[mkl]``), or if TAPEGRAD_BLAS=mkl and the system has MKL anywhere. If neither
has the functions that are looked for, the loops of `numpy.matmul` do the work.

Either BLAS is kept to a single thread, because our own threads share products (`products`): then the setting of
``tf.config`` holds for products too, and their bits do not depend on it. `OnOneThread` does the same for the
functions of NumPy and SciPy that call BLAS and LAPACK (`lapack`).

Environment variables:
    TAPEGRAD_BLAS: which BLAS multiplies matrices: `openblas`, `mkl`, or `numpy` for NumPy's own loops and threads.
        `tf.config.experimental.get_blas()` names the one in use.
    MKLROOT: where a system's MKL is, with `TAPEGRAD_BLAS=mkl`.
"""

cimport numpy as cnp
from libc.string cimport memset

from tapegrad.engines.system cimport in_forked_child, loaded_library, open_library, symbol_of

import os
import sys

import numpy as np

cnp.import_array()
cnp.import_umath()

cdef extern from "gemm.h" nogil:
    ctypedef void (*MatmulLoop "tapegrad_matmul_loop")(char**, const Py_ssize_t*, const Py_ssize_t*, void*)
    MatmulLoop loops "tapegrad_loops"[4]
    void* loop_data "tapegrad_loop_data"[4]
    Library numpys_library "tapegrad_numpys"
    Library scipys_library "tapegrad_scipys"
    void c_enter "tapegrad_enter" (Library* library) noexcept
    void c_leave "tapegrad_leave" (Library* library) noexcept
    void c_gemm "tapegrad_gemm" (const Blas* blas, const Matrices* matrices) noexcept
    void after_fork "tapegrad_blas_after_fork" () noexcept

cdef extern from "numpy/ufuncobject.h":
    ctypedef struct PyUFuncObject:
        int nargs, ntypes
        MatmulLoop* functions
        void** data
        char* types

cdef enum:
    SEQUENTIAL = 1              # of MKL_Set_Threading_Layer
    # Before MKL begins it spends more time than OpenBLAS needs for a whole product of SMALL multiplications. For
    # results narrower than NARROW it takes two to five times as long.
    SMALL = 32_768
    NARROW = 16

cdef Blas numpys                # what NumPy uses itself
cdef Blas chosen                # for all but small and narrow products
cdef bint ready = False
cdef bint looked_for_scipys = False
cdef bint left_alone = False    # the user asked for NumPy's loops, so the setting of its BLAS is not touched
cdef str numpys_name = "NumPy"
cdef str chosen_name

cdef tuple LETTERS = ("s", "d", "c", "z")
# OpenBLAS's kernels that have a second way, for products of at most so many multiplications, which reads the operands as
# they lie. The first way packs both into its own order.
cdef set READING_UNPACKED = {"SkylakeX", "Cooperlake", "SapphireRapids"}
cdef double MOST_UNPACKED = 1e6

# What builds of OpenBLAS put before and after the names of their functions; "64_" where integers have 64 bits.
cdef tuple OPENBLAS_NAMES = (("scipy_", "64_"), ("scipy_", ""), ("", "64_"), ("", ""))


cdef const Blas* blas_for(ptrdiff_t m, ptrdiff_t n, ptrdiff_t k) except NULL:
    if not ready:
        use(os.environ.get("TAPEGRAD_BLAS") or None)
    return &numpys if min(m, n) < NARROW or <double>m * n * k <= SMALL else &chosen


cdef void enter(const Blas* blas) noexcept nogil:
    c_enter(blas.library)


cdef void leave(const Blas* blas) noexcept nogil:
    c_leave(blas.library)


cdef void gemm(const Blas* blas, const Matrices* matrices) noexcept nogil:
    c_gemm(blas, matrices)


def use(name):
    """Multiply matrices by ``name`` from now on; None chooses.

    "openblas" is NumPy's, "mkl" is MKL, and "numpy" stands for `numpy.matmul`'s loops, whatever is in them.
    """
    global ready, chosen, chosen_name, numpys, numpys_name, left_alone
    cdef Blas candidate
    if name not in (None, "openblas", "mkl", "numpy"):
        raise RuntimeError(f"the BLAS is 'openblas', 'mkl' or 'numpy' (TAPEGRAD_BLAS may say which); {name!r} came.")
    memset(&candidate, 0, sizeof(Blas))
    find_loops()
    candidate_name = "NumPy" if name == "numpy" else find_numpys(&candidate)
    if name == "openblas" and candidate_name == "NumPy":
        raise RuntimeError("NumPy's BLAS has none of the names by which an OpenBLAS is known.")
    numpys, numpys_name = candidate, candidate_name
    chosen, chosen_name = numpys, numpys_name
    if name in (None, "mkl"):
        memset(&candidate, 0, sizeof(Blas))
        candidate_name = find_mkl(name == "mkl", &candidate)
        if candidate_name is not None:
            chosen, chosen_name = candidate, candidate_name
        elif name == "mkl":
            raise RuntimeError("no MKL with a libmkl_rt was found: pip install mkl puts one into this environment.")
    left_alone = name == "numpy"
    ready = True


cdef class OnOneThread:
    """``function``; while it runs, the OpenBLAS of NumPy and that of SciPy keep to the calling thread.

    A function of NumPy's calls NumPy's OpenBLAS only. Leaving SciPy's alone saves a tenth of a microsecond.
    """

    cdef object function
    cdef bint of_numpy

    def __cinit__(self, function, bint of_numpy=False):
        self.function = function
        self.of_numpy = of_numpy

    def __call__(self, *args, **kwargs):
        cdef Library* first
        cdef Library* second = NULL
        if not ready:
            blas_for(0, 0, 0)
        first = numpys.library
        if not self.of_numpy:
            if not looked_for_scipys:
                find_scipys()
            if scipys_library.set != NULL and not left_alone:
                second = &scipys_library
        c_enter(first)
        c_enter(second)
        try:
            return self.function(*args, **kwargs)
        finally:
            c_leave(second)
            c_leave(first)


def description():
    """The BLAS in use, such as "OpenBLAS 0.3.31 SkylakeX" or "MKL 2026.0"."""
    blas_for(0, 0, 0)
    return chosen_name


cdef void* symbol(void* library, str name) noexcept:
    return symbol_of(library, name.encode())


cdef int find_loops() except -1:
    cdef PyUFuncObject* raw = <PyUFuncObject*>np.matmul
    cdef int i, j
    cdef char first
    for j in range(4):
        number = np.dtype("fdFD"[j]).num
        for i in range(raw.ntypes):
            first = raw.types[i * raw.nargs]
            if first == number and raw.types[i * raw.nargs + 1] == first and raw.types[i * raw.nargs + 2] == first:
                loops[j] = raw.functions[i]
                loop_data[j] = raw.data[i] if raw.data != NULL else NULL
                break
        else:
            raise SystemError("numpy.matmul has no loop for one of the floating types")
    return 0


cdef bint find_gemm(void* library, str before, str after, Blas* blas) noexcept:
    """Whether ``library`` has all four products under these names."""
    cdef int i
    for i in range(4):
        blas.gemm[i] = symbol(library, f"{before}cblas_{LETTERS[i]}gemm{after}")
        if blas.gemm[i] == NULL:
            blas.gemm[0] = NULL
            return False
    return True


cdef str find_numpys(Blas* blas):
    """Fill in ``blas`` for the BLAS that NumPy uses, and return its name; "NumPy" if only its loops are known."""
    cdef void* library
    cdef int (*parallel)() noexcept nogil
    cdef char* (*words)() noexcept nogil
    try:
        from numpy._core import _multiarray_umath as extension
    except ImportError:
        return "NumPy"
    # Look for names only in the libraries that NumPy's own extension was linked with.
    library = loaded_library(os.fsencode(extension.__file__))
    if library == NULL:
        return "NumPy"
    for before, after in OPENBLAS_NAMES:
        parallel = <int (*)() noexcept nogil>symbol(library, f"{before}openblas_get_parallel{after}")
        if parallel == NULL or not find_gemm(library, before, after, blas):
            continue
        blas.wide = after == "64_"
        blas.slow_transposes = True
        # An OpenBLAS built without threads may not be safe for several callers at once either.
        if parallel() != 0 and find_setting(library, before, after, &numpys_library):
            blas.library = &numpys_library
            blas.shared = True
        name = "OpenBLAS"
        words = <char* (*)() noexcept nogil>symbol(library, f"{before}openblas_get_config{after}")
        if words != NULL:
            name = " ".join((<bytes>words()).decode().split()[:2])
        words = <char* (*)() noexcept nogil>symbol(library, f"{before}openblas_get_corename{after}")
        if words == NULL:
            return name
        core = (<bytes>words()).decode()
        if core in READING_UNPACKED:
            blas.unpacked = MOST_UNPACKED
        return f"{name} {core}"
    return "NumPy"


cdef bint find_setting(void* library, str before, str after, Library* setting) noexcept:
    """Whether ``library`` lets its number of threads be read and set, under these names."""
    cdef void* get = symbol(library, f"{before}openblas_get_num_threads{after}")
    cdef void* set = symbol(library, f"{before}openblas_set_num_threads{after}")
    if get == NULL or set == NULL:
        return False
    setting.get = <int (*)() noexcept nogil>get
    setting.set = <void (*)(int) noexcept nogil>set
    return True


cdef int find_scipys() except -1:
    """Find the setting of SciPy's BLAS, unless SciPy is not loaded yet or shares NumPy's."""
    global looked_for_scipys
    cdef void* library
    extension = sys.modules.get("scipy.linalg._fblas")
    if extension is None:
        return 0
    looked_for_scipys = True
    library = loaded_library(os.fsencode(extension.__file__))
    if library == NULL:
        return 0
    for before, after in OPENBLAS_NAMES:
        if find_setting(library, before, after, &scipys_library):
            if scipys_library.set == numpys_library.set:
                scipys_library.set = NULL       # it is NumPy's, which is entered anyway
            return 0
    return 0


cdef list libraries_of_mkl(bint anywhere):
    """Where MKL's single library may be: in this environment, or ``anywhere`` on this system."""
    import glob

    folders = [os.path.join(sys.prefix, "lib")]
    if anywhere and os.environ.get("MKLROOT"):
        folders.append(os.path.join(os.environ["MKLROOT"], "lib"))
    libraries = []
    for folder in folders:
        libraries += sorted(glob.glob(os.path.join(glob.escape(folder), "libmkl_rt.*")), reverse=True)
    if anywhere:
        libraries += ["libmkl_rt.so.3", "libmkl_rt.so.2", "libmkl_rt.so"]
    return libraries


cdef str find_mkl(bint anywhere, Blas* blas):
    """MKL's name if it can be used: without threads of its own, or with one for each of ours."""
    cdef void* library
    cdef bint others
    cdef int (*set_layer)(int) noexcept nogil
    for path in libraries_of_mkl(anywhere):
        encoded = os.fsencode(path)
        others = loaded_library(encoded) != NULL
        library = open_library(encoded)
        # Since 2022 MKL has names whose integers have 64 bits in all its configurations.
        if library == NULL or not find_gemm(library, "", "_64", blas):
            continue
        blas.wide = True
        set_layer = <int (*)(int) noexcept nogil>symbol(library, "MKL_Set_Threading_Layer")
        if not others and set_layer != NULL and set_layer(SEQUENTIAL) == SEQUENTIAL:
            blas.shared = True
        else:
            # Others use this MKL with threads, so its setting stays. Only the threads that call it for us use one.
            blas.set_own_threads = <int (*)(int) noexcept nogil>symbol(library, "MKL_Set_Num_Threads_Local")
            blas.shared = blas.set_own_threads != NULL
        return "MKL " + version_of_mkl(library)
    return None


cdef str version_of_mkl(void* library):
    cdef char words[200]
    cdef void (*version)(char*, int) noexcept nogil
    import re

    version = <void (*)(char*, int) noexcept nogil>symbol(library, "MKL_Get_Version_String")
    words[0] = 0
    if version != NULL:
        version(words, 199)
        words[199] = 0
    version_words = re.search(r"Version ([\d.]+)", (<bytes>words).decode(errors="replace"))
    return version_words[1] if version_words else ""


in_forked_child(after_fork)
