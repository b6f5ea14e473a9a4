cdef extern from "blas.h" nogil:
    enum:
        TRANSPOSED "TAPEGRAD_TRANSPOSED"
        CONJUGATED "TAPEGRAD_CONJUGATED"

    ctypedef struct Library "tapegrad_library":
        int (*get)() noexcept nogil
        void (*set)(int) noexcept nogil

    ctypedef struct Blas "tapegrad_blas":
        void* gemm[4]
        bint wide
        Library* library
        int (*set_own_threads)(int) noexcept nogil
        bint shared             # several threads may be in it at once, each for itself
        bint slow_transposes    # takes much longer to read a second operand that lies transposed
        double unpacked         # multiplications up to which it packs no operand of real numbers; or 0

    ctypedef struct Matrices "tapegrad_matrices":
        int type                # 0 to 3: float, double and their complex kinds; 4: bfloat16, not for a BLAS
        int a_layout, b_layout
        ptrdiff_t m, n, k       # (m, k) times (k, n)
        const char* a
        const char* b
        char* c
        ptrdiff_t lda, ldb, ldc
        bint adds               # `scale` times the product is added to C; real numbers only
        double scale

# The BLAS for (m, k) times (k, n). Needs the GIL, and finds the BLAS at the first call.
cdef const Blas* blas_for(ptrdiff_t m, ptrdiff_t n, ptrdiff_t k) except NULL

# Between these two calls a `shared` BLAS keeps to the thread that calls it. They nest.
cdef void enter(const Blas* blas) noexcept nogil
cdef void leave(const Blas* blas) noexcept nogil

# One product, into memory that may hold anything; from several threads at once only if the BLAS is `shared`.
cdef void gemm(const Blas* blas, const Matrices* matrices) noexcept nogil
