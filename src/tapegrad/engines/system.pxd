"""What `system.h` knows of the system, for Cython."""

from libc.stdint cimport int64_t

cdef extern from "system.h" nogil:
    void yield_processor "tapegrad_yield" () noexcept
    void relax "tapegrad_relax" () noexcept
    void sleep "tapegrad_sleep" (int64_t nanoseconds) noexcept
    double now "tapegrad_now" () noexcept
    bint at_thread_end "tapegrad_at_thread_end" (void (*run)(void* argument) noexcept nogil) noexcept
    void in_forked_child "tapegrad_in_forked_child" (void (*run)() noexcept nogil) noexcept
    void* loaded_library "tapegrad_loaded_library" (const char* path) noexcept
    void* open_library "tapegrad_open_library" (const char* path) noexcept
    void* symbol_of "tapegrad_symbol" (void* library, const char* name) noexcept
