"""Where the ranks of one machine meet before each collective, in memory that they share.

A rank writes down what it is about to do, as a number, and waits until all others have come. So it learns, in less
than a microsecond, whether all mean the same, before any of them enters a call of MPI that would wait for ever.
"""

cimport numpy as cnp
from cpython.exc cimport PyErr_CheckSignals
from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.string cimport memcpy

import time

import numpy as np

from tapegrad.engines.numpy.buffers import empty

cnp.import_array()

cdef extern from *:
    """
    #include <sched.h>
    #include <time.h>

    #if defined(__x86_64__) || defined(__i386__)
    #define tapegrad_relax() __builtin_ia32_pause()
    #else
    #define tapegrad_relax() ((void)0)
    #endif

    static void tapegrad_nap(long nanoseconds)
    {
        struct timespec interval = {0, nanoseconds};
        nanosleep(&interval, NULL);
    }

    static double tapegrad_now(void)
    {
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
    }

    #define tapegrad_load(place) __atomic_load_n(place, __ATOMIC_ACQUIRE)
    #define tapegrad_store(place, value) __atomic_store_n(place, value, __ATOMIC_RELEASE)
    /* Before any later load: of two ranks that write and then look, one sees what the other has written. */
    #define tapegrad_announce(place, value) (void)__atomic_exchange_n(place, value, __ATOMIC_SEQ_CST)
    """
    void relax "tapegrad_relax" () noexcept nogil
    void nap "tapegrad_nap" (long nanoseconds) noexcept nogil
    double now "tapegrad_now" () noexcept nogil
    int sched_yield() noexcept nogil
    int64_t load "tapegrad_load" (int64_t* place) noexcept nogil
    void store "tapegrad_store" (int64_t* place, int64_t value) noexcept nogil
    void announce "tapegrad_announce" (int64_t* place, int64_t value) noexcept nogil

cdef enum:
    TEXT = 1536                 # bytes of a description
    SPINS = 300                 # looks before the rank lets other programs run
    YIELDS = 40                 # of those before it sleeps
    SHORTEST_NAP = 20_000       # nanoseconds
    LONGEST_NAP = 500_000
    LARGE = 32_768              # bytes from which on arrays come from the pool

cdef struct Arrival:
    int64_t turn                # the number of the collective
    int64_t digest              # what it is
    int64_t count               # what may differ from rank to rank: how many rows it gives

# Two arrivals are enough: nobody comes to turn k + 2 before all have left turn k.
cdef struct Slot:
    Arrival arrivals[2]
    int64_t left                # the rank has ended, or given up: see `leave`
    int64_t described           # the number of the last turn that `text` is about
    int64_t length
    char text[TEXT]

SLOT_SIZE = sizeof(Slot)

AGREED, DISAGREED, LATE, LEFT = range(4)


cdef inline int64_t mix(uint64_t digest, uint64_t value) noexcept nogil:
    digest = (digest ^ value) * <uint64_t>0x9E3779B97F4A7C15
    return <int64_t>(digest ^ (digest >> 29))


def digest_of(int64_t operation, cnp.ndarray array not None, int64_t detail, int skipped=0):
    """A number that says which operation is meant, on what dtype and shape.

    The sizes of the first ``skipped`` axes do not count.
    """
    cdef uint64_t digest = <uint64_t>mix(<uint64_t>operation, <uint64_t>detail)
    cdef int i
    digest = <uint64_t>mix(digest, <uint64_t>cnp.PyArray_TYPE(array) * 64 + <uint64_t>cnp.PyArray_NDIM(array))
    for i in range(skipped, cnp.PyArray_NDIM(array)):
        digest = <uint64_t>mix(digest, <uint64_t>cnp.PyArray_DIM(array, i))
    return <int64_t>digest


cdef class Gate:
    """The place where the ranks of one group on one machine meet.

    Args:
        memory: ``size * SLOT_SIZE`` bytes that all of them share, which hold zeros when the group is made.
        rank: the number of this rank.
        size: how many ranks there are.
    """

    cdef object memory
    cdef Slot* slots
    cdef readonly int rank
    cdef readonly int size
    cdef readonly int64_t turn
    cdef readonly int other     # the rank that the last answer of `meet` is about

    def __init__(self, memory not None, int rank, int size):
        cdef char[::1] view = memory
        if view.shape[0] < size * <Py_ssize_t>sizeof(Slot) or not 0 <= rank < size:
            raise ValueError(f"a gate of {size} ranks needs {size * sizeof(Slot)} bytes")
        self.memory = memory
        self.slots = <Slot*>&view[0]
        self.rank = rank
        self.size = size
        self.other = -1

    def meet(self, int64_t operation, cnp.ndarray array not None, int64_t detail, double timeout, int skipped=0):
        """Wait until all ranks have come. Returns AGREED if all have the same `digest_of`, or what went wrong.

        Args:
            operation, array, detail, skipped: as in `digest_of`.
            timeout: how many seconds to wait at most.
        """
        cdef int64_t count = cnp.PyArray_DIM(array, 0) if skipped else 0
        return self.wait(digest_of(operation, array, detail, skipped), count, timeout)

    def counts(self):
        """How many rows each rank has said at the last meeting."""
        return [self.slots[rank].arrivals[self.turn & 1].count for rank in range(self.size)]

    def joined(self, cnp.ndarray array not None):
        """An empty array for the rows of all ranks, if each has said at the last meeting that it has as many; or None."""
        cdef cnp.npy_intp dims[64]
        cdef int i, n = cnp.PyArray_NDIM(array)
        for i in range(self.size):
            if self.slots[i].arrivals[self.turn & 1].count != cnp.PyArray_DIM(array, 0):
                return None
        if self.size * cnp.PyArray_NBYTES(array) >= LARGE or not cnp.PyArray_ISNUMBER(array):
            return empty((self.size * len(array), *(<object>array).shape[1:]), (<object>array).dtype)
        for i in range(n):
            dims[i] = cnp.PyArray_DIM(array, i)
        dims[0] *= self.size
        return cnp.PyArray_EMPTY(n, dims, cnp.PyArray_TYPE(array), 0)

    cdef int wait(self, int64_t digest, int64_t count, double timeout) except -1:
        cdef int64_t turn = self.turn + 1
        cdef Arrival* arrival = &self.slots[self.rank].arrivals[turn & 1]
        cdef int rank, state
        cdef double deadline = 0
        self.turn = turn
        arrival.digest = digest
        arrival.count = count
        announce(&arrival.turn, turn)
        self.other = -1
        while not self.all_at(turn):
            for rank in range(self.size):
                while rank != self.rank:
                    with nogil:
                        state = self.wait_for(rank, turn, &deadline, timeout)
                    if state == 0 or state == 2 and not self.take_back(turn):
                        break
                    if state > 0:
                        self.other = rank
                        return state
                    PyErr_CheckSignals()
        for rank in range(self.size):
            if self.slots[rank].arrivals[turn & 1].digest != digest:
                self.other = rank
                return 1
        return 0

    cdef bint all_at(self, int64_t turn) noexcept nogil:
        """Whether all ranks have come, and none of them has taken that back."""
        cdef int rank
        for rank in range(self.size):
            if load(&self.slots[rank].arrivals[turn & 1].turn) < turn:
                return False
        return True

    cdef bint take_back(self, int64_t turn) noexcept nogil:
        """Take back that this rank has come, as it waits no longer. False if all others have come by now.

        Whoever comes later would go into a call of MPI else, and wait for this rank for ever.
        """
        cdef int64_t* place = &self.slots[self.rank].arrivals[turn & 1].turn
        cdef int rank
        announce(place, turn - 2)
        for rank in range(self.size):
            if rank != self.rank and load(&self.slots[rank].arrivals[turn & 1].turn) < turn:
                return True
        store(place, turn)
        return False

    cdef int wait_for(self, int rank, int64_t turn, double* deadline, double timeout) noexcept nogil:
        """0 if the rank has come, -1 to look for signals and wait on, LATE or LEFT."""
        cdef int64_t* place = &self.slots[rank].arrivals[turn & 1].turn
        cdef int i
        cdef long interval = SHORTEST_NAP
        cdef double began
        for i in range(SPINS):
            if load(place) >= turn:
                return 0
            relax()
        for i in range(YIELDS):
            sched_yield()
            if load(place) >= turn:
                return 0
        began = now()
        if deadline[0] == 0:
            deadline[0] = began + timeout
        while now() - began < 0.05:
            if load(place) >= turn:
                return 0
            for i in range(self.size):
                # Who has come to this turn before it left does not keep others from it.
                if load(&self.slots[i].left) and load(&self.slots[i].arrivals[turn & 1].turn) < turn:
                    return 3
            if now() > deadline[0]:
                return 2
            nap(interval)
            interval = min(2 * interval, LONGEST_NAP)
        return -1

    def leave(self, str text not None):
        """Say that this rank comes to no more meetings, and why. Who waits for it learns that at once."""
        self.write(text)
        store(&self.slots[self.rank].left, 1)

    def who_left(self):
        """The numbers of the ranks that have left."""
        return [rank for rank in range(self.size) if load(&self.slots[rank].left)]

    def describe(self, str text not None):
        """Write down, in words, what this rank meant at the last meeting."""
        self.write(text)
        store(&self.slots[self.rank].described, self.turn)

    cdef int write(self, str text) except -1:
        cdef Slot* slot = &self.slots[self.rank]
        cdef bytes said = text.encode("utf-8", "replace")[:TEXT]
        slot.length = len(said)
        memcpy(slot.text, <char*>said, len(said))
        return 0

    def description(self, int rank, double timeout):
        """What ``rank`` has written of the last meeting; None if it has written nothing in time."""
        cdef double deadline
        if not 0 <= rank < self.size:
            raise IndexError(f"there is no rank {rank} among {self.size}")
        deadline = now() + timeout
        while load(&self.slots[rank].described) < self.turn and not load(&self.slots[rank].left):
            if now() > deadline:
                return None
            time.sleep(0.001)
        return self.text_of(rank)

    cdef str text_of(self, int rank):
        cdef Slot* slot = &self.slots[rank]
        return slot.text[:min(max(slot.length, 0), TEXT)].decode("utf-8", "replace")


cdef fused Number:
    float
    double
    int32_t
    int64_t


cdef void add_rows(Number* rows, Py_ssize_t stride, Py_ssize_t count, int ranks) noexcept nogil:
    """Add up ``ranks`` rows of ``count`` numbers into the first one: neighbours first, then pairs of neighbours."""
    cdef int step = 1, rank
    cdef Py_ssize_t i
    cdef Number* left
    cdef Number* right
    while step < ranks:
        rank = 0
        while rank < ranks - step:
            left = rows + rank * stride
            right = rows + (rank + step) * stride
            for i in range(count):
                left[i] = left[i] + right[i]
            rank += 2 * step
        step *= 2


cdef class Mailbox:
    """Memory for small messages: what this rank sends, and what all ranks have sent.

    Args:
        size: how many ranks there are.
        limit: how many bytes a message has at most, a multiple of 64.
    """

    cdef readonly cnp.ndarray sent
    cdef readonly cnp.ndarray received
    cdef int size

    def __init__(self, int size, Py_ssize_t limit):
        self.sent = np.zeros(limit, np.int8)
        self.received = np.zeros(size * limit, np.int8)
        self.size = size

    def post(self, cnp.ndarray array not None):
        """Take the elements of an array, which has no more bytes than a message."""
        if cnp.PyArray_NBYTES(array) > self.sent.shape[0] or not cnp.PyArray_IS_C_CONTIGUOUS(array):
            raise ValueError("the array is too large, or does not lie in one piece")
        memcpy(cnp.PyArray_DATA(self.sent), cnp.PyArray_DATA(array), cnp.PyArray_NBYTES(array))

    def total(self, cnp.ndarray like not None, Py_ssize_t stride):
        """The sum of what all ranks have posted, as an array like ``like``, added as a tree; None for other dtypes.

        ``stride`` is how many bytes each rank has sent.
        """
        cdef void* rows = cnp.PyArray_DATA(self.received)
        cdef Py_ssize_t count = cnp.PyArray_SIZE(like)
        cdef int kind = cnp.PyArray_TYPE(like)
        cdef cnp.ndarray result
        if stride * self.size > self.received.shape[0] or cnp.PyArray_NBYTES(like) > stride:
            raise ValueError("the messages are too large")
        if kind == cnp.NPY_FLOAT32:
            add_rows(<float*>rows, stride // 4, count, self.size)
        elif kind == cnp.NPY_FLOAT64:
            add_rows(<double*>rows, stride // 8, count, self.size)
        elif kind == cnp.NPY_INT32:
            add_rows(<int32_t*>rows, stride // 4, count, self.size)
        elif kind == cnp.NPY_INT64:
            add_rows(<int64_t*>rows, stride // 8, count, self.size)
        else:
            return None
        result = cnp.PyArray_EMPTY(cnp.PyArray_NDIM(like), cnp.PyArray_DIMS(like), kind, 0)
        memcpy(cnp.PyArray_DATA(result), rows, cnp.PyArray_NBYTES(result))
        return result
