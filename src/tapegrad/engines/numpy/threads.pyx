"""The threads that large loops are shared among.

There are as many as OMP_NUM_THREADS says, or else as there are processors for this process; `tf.config.threading`
changes the number. These threads call BLAS, which is kept to one thread (`products`), so that its own threads never
compete with them.

Environment variables:
    OMP_NUM_THREADS: how many threads large loops and products are shared among; else all processors of the process.
        `tf.config.threading` changes it.
"""

import os

from tapegrad.engines.system cimport in_forked_child

cdef extern from "thread_pool.h" nogil:
    int get_limit "tapegrad_get_thread_limit" () noexcept
    void set_limit "tapegrad_set_thread_limit" (int limit) noexcept
    int MOST_THREADS "TAPEGRAD_MOST_THREADS"
    void run "tapegrad_parallel" (Body body, void* context, Py_ssize_t count, Py_ssize_t grain) noexcept
    void after_fork "tapegrad_after_fork" () noexcept


cdef void parallel(Body body, void* context, Py_ssize_t count, Py_ssize_t grain) noexcept nogil:
    run(body, context, count, grain)


cdef int most_threads() noexcept nogil:
    return get_limit()


def thread_count():
    """How many threads share a large loop."""
    return get_limit()


def set_thread_count(int count):
    """Share large loops among ``count`` threads from now on; 0 stands for the default."""
    set_limit(min(max(count, 1) if count != 0 else default_count(), MOST_THREADS))


def default_count():
    """What OMP_NUM_THREADS says, or the number of processors this process may use."""
    named = os.environ.get("OMP_NUM_THREADS", "").split(",")[0].strip()
    if named.isdigit() and int(named) > 0:
        return int(named)
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


set_thread_count(0)
in_forked_child(after_fork)
