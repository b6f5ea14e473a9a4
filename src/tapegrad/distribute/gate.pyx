"""Where the ranks of one machine meet before each collective, in memory that they share.

Before each collective, a rank writes into its slot the number of the meeting (``turn``) and a digest of the collective,
and waits until all others have written the same turn. If the digests agree, the collective begins; if not, all ranks
raise. This takes less than a microsecond, and no rank enters a call of MPI in which it would wait for ever. A small array
is copied next to the slot, and the others read it there: then nothing is left to send.

    rank 0: | slot: turn, digest, count (twice) | buffer of even turns | buffer of odd turns |
    rank 1: | slot: turn, digest, count (twice) | buffer of even turns | buffer of odd turns |

The buffers of turn k are free again when a rank comes to turn k + 2: all ranks have left turn k by then.
"""

cimport numpy as cnp
from cpython.buffer cimport PyBUF_WRITABLE, PyBuffer_Release, PyObject_GetBuffer
from cpython.exc cimport PyErr_CheckSignals
from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.string cimport memcpy

from tapegrad.engines.system cimport now, relax, sleep, yield_processor

import time

import numpy as np

from tapegrad.engines.numpy.buffers import empty

cnp.import_array()

cdef extern from *:
    """
    #define tapegrad_load(place) __atomic_load_n(place, __ATOMIC_ACQUIRE)
    #define tapegrad_store(place, value) __atomic_store_n(place, value, __ATOMIC_RELEASE)
    /* Before any later load: of two ranks that write and then look, one sees what the other has written. */
    #define tapegrad_announce(place, value) (void)__atomic_exchange_n(place, value, __ATOMIC_SEQ_CST)
    """
    int64_t load "tapegrad_load" (int64_t* place) noexcept nogil
    void store "tapegrad_store" (int64_t* place, int64_t value) noexcept nogil
    void announce "tapegrad_announce" (int64_t* place, int64_t value) noexcept nogil

cdef enum:
    TEXT = 1536                 # bytes of a description
    SPINS = 300                 # looks before the rank lets other programs run
    YIELDS = 40                 # of those before it sleeps, where others have use for the processor
    PATIENT_YIELDS = 1000       # and where nobody has
    SHORTEST_NAP = 20_000       # nanoseconds
    LONGEST_NAP = 500_000
    LARGE = 32_768              # bytes from which on arrays come from the pool
    BLOCK = 256                 # numbers that are added at once
    LEVELS = 16                 # doublings of the ranks

cdef struct Arrival:
    int64_t turn                # the number of the collective
    int64_t digest              # what it is
    int64_t count               # what may differ from rank to rank: how many rows it gives
    int64_t unused

# The slot of a rank. Two buffers for its arrays follow it, in turns: no rank comes to turn k + 2 before all have left
# turn k.
cdef struct Slot:
    Arrival arrivals[2]
    int64_t left                # the rank has ended, or given up: see `leave`
    int64_t described           # the number of the last turn that `text` is about
    int64_t length
    int64_t unused[5]
    char text[TEXT]

# Bytes of an array that a rank can share by default.
DEFAULT_CAPACITY = 65_536
# Bytes at the beginning of each rank's part that must be zeros when a gate is made.
HEAD_SIZE = sizeof(Slot)


def slot_size(Py_ssize_t capacity=DEFAULT_CAPACITY):
    """How many bytes each rank needs to share arrays of up to ``capacity`` bytes, which is a multiple of 64."""
    return sizeof(Slot) + 2 * capacity

AGREED, DISAGREED, LATE, LEFT, GONE = range(5)


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


cdef fused Number:
    float
    double
    int32_t
    int64_t


ctypedef fused floating:
    float
    double


cdef void divide(Number* result, Py_ssize_t count, int divisor) noexcept nogil:
    """Divide floats: by a power of two as a product, which has the same bits. Integers stay sums."""
    cdef Py_ssize_t i
    cdef Number factor
    if divisor == 1 or Number not in floating:
        return
    if divisor & (divisor - 1) == 0:
        factor = <Number>(1.0 / divisor)
        for i in range(count):
            result[i] = result[i] * factor
    else:
        for i in range(count):
            result[i] = result[i] / <Number>divisor


cdef void add_rows(
    const char* base, Py_ssize_t stride, int ranks, Py_ssize_t count, Number* result, int divisor
) noexcept nogil:
    """Add up a row of each rank: neighbours first, then pairs of neighbours, and so on. Divide the sum.

    The sums that wait for their neighbour lie in ``waiting``, the oldest in ``result`` itself: each is of half as many
    ranks as the one before it, or fewer.
    """
    cdef Number waiting[LEVELS][BLOCK]
    cdef Py_ssize_t begin, i, n
    cdef int depth, rank, pairs
    cdef const Number* row
    cdef const Number* other
    cdef Number* left
    cdef Number* right
    if ranks == 2:
        row, other = <const Number*>base, <const Number*>(base + stride)
        if divisor == 2 and Number in floating:
            for i in range(count):
                result[i] = (row[i] + other[i]) * <Number>0.5
        else:
            for i in range(count):
                result[i] = row[i] + other[i]
            divide(result, count, divisor)
        return
    begin = 0
    while begin < count:
        n = min(count - begin, <Py_ssize_t>BLOCK)
        depth = 0
        for rank in range(ranks):
            row = <const Number*>(base + rank * stride) + begin
            left = result + begin if depth == 0 else &waiting[depth][0]
            memcpy(left, row, n * sizeof(Number))
            depth += 1
            pairs = rank + 1 if rank + 1 < ranks else 0
            while depth > 1 and pairs % 2 == 0:
                depth -= 1
                right = &waiting[depth][0]
                left = result + begin if depth == 1 else &waiting[depth - 1][0]
                for i in range(n):
                    left[i] = left[i] + right[i]
                pairs //= 2
        divide(result + begin, n, divisor)
        begin += n


cdef char* bytes_of(object memory, Py_ssize_t* size) except? NULL:
    """Where the bytes of ``memory`` lie, and how many there are, for as long as somebody holds ``memory``."""
    cdef Py_buffer view
    PyObject_GetBuffer(memory, &view, PyBUF_WRITABLE)
    size[0] = view.len
    PyBuffer_Release(&view)
    return <char*>view.buf


cdef class RankArrays:
    """The small arrays of all ranks, one per rank, that they have shared at a meeting.

    Args:
        memory: where they lie.
        begin: where the first one begins.
        stride: how many bytes further the next one is.
        size: how many ranks there are.
        capacity: how many bytes each may have.
    """

    cdef object memory
    cdef char* base
    cdef Py_ssize_t stride
    cdef readonly int size
    cdef readonly Py_ssize_t capacity

    def __init__(self, memory not None, Py_ssize_t begin, Py_ssize_t stride, int size, Py_ssize_t capacity):
        cdef Py_ssize_t room
        cdef char* first = bytes_of(memory, &room)
        if size < 1 or begin < 0 or not 0 <= capacity <= stride or room < begin + (size - 1) * stride + capacity:
            raise ValueError(f"the rows of {size} ranks do not lie in {room} bytes")
        self.memory = memory
        self.base = first + begin
        self.stride = stride
        self.size = size
        self.capacity = capacity

    cdef int check(self, cnp.ndarray like) except -1:
        if cnp.PyArray_NBYTES(like) > self.capacity:
            raise ValueError(f"the array has {cnp.PyArray_NBYTES(like)} bytes; the ranks lay down {self.capacity}")
        return 0

    cdef cnp.ndarray place_for(self, cnp.ndarray like, Py_ssize_t rows, cnp.ndarray out):
        """``out``, or an empty array: like ``like`` but for the number of its rows, if that is not negative."""
        cdef cnp.npy_intp dims[64]
        cdef int i, n = cnp.PyArray_NDIM(like)
        cdef object shape
        cdef bint fits
        for i in range(n):
            dims[i] = cnp.PyArray_DIM(like, i)
        if rows >= 0:
            dims[0] = rows
        if out is not None:
            fits = cnp.PyArray_TYPE(out) == cnp.PyArray_TYPE(like) and cnp.PyArray_NDIM(out) == n
            for i in range(n):
                fits = fits and cnp.PyArray_DIM(out, i) == dims[i]
            if not fits or not cnp.PyArray_ISCARRAY(out):
                raise ValueError("the array for the result is of another dtype or shape, or cannot be written to")
            return out
        if not cnp.PyArray_ISNUMBER(like) or cnp.PyArray_NBYTES(like) >= LARGE:
            shape = (<object>like).shape if rows < 0 else (rows, *(<object>like).shape[1:])
            return empty(shape, (<object>like).dtype)
        return cnp.PyArray_EMPTY(n, dims, cnp.PyArray_TYPE(like), 0)

    def array_of(self, int rank, cnp.ndarray like not None, cnp.ndarray out=None):
        """The array that ``rank`` has shared. It has the dtype and shape of ``like``."""
        cdef cnp.ndarray result
        self.check(like)
        if not 0 <= rank < self.size:
            raise IndexError(f"there is no rank {rank} among {self.size}")
        result = self.place_for(like, -1, out)
        memcpy(cnp.PyArray_DATA(result), self.base + rank * self.stride, cnp.PyArray_NBYTES(result))
        return result

    def joined(
        self, cnp.ndarray like not None, list counts not None, cnp.ndarray out=None, Py_ssize_t before=0
    ):
        """The rows of all ranks, ``counts[k]`` of rank k, one after the other, in an array like ``like``.

        ``before``: for each of its rows, a rank has shared so many bytes of another array before these rows.
        """
        cdef Py_ssize_t total = 0, rows, size = cnp.PyArray_ITEMSIZE(like)
        cdef int i
        cdef cnp.ndarray result
        cdef char* place
        if cnp.PyArray_NDIM(like) == 0 or len(counts) != self.size:
            raise ValueError("a scalar has no rows, or there are not as many counts as ranks")
        for i in range(1, cnp.PyArray_NDIM(like)):
            size *= cnp.PyArray_DIM(like, i)
        for rows in counts:
            if not 0 <= rows * (before + size) <= self.capacity or before < 0:
                raise ValueError("a rank has more rows than it has laid down")
            total += rows
        result = self.place_for(like, total, out)
        place = <char*>cnp.PyArray_DATA(result)
        for i in range(self.size):
            rows = counts[i]
            memcpy(place, self.base + i * self.stride + rows * before, rows * size)
            place += rows * size
        return result

    def total(
        self, cnp.ndarray like not None, Py_ssize_t begin=0, Py_ssize_t rows=-1, cnp.ndarray out=None, int divisor=1
    ):
        """The sum of the arrays of all ranks, added as a tree; None for dtypes that are not added here.

        Args:
            like: an array of the dtype and shape of those of the ranks.
            begin, rows: which of its rows are wanted; all if left out.
            out: where the sum goes; a new array if left out.
            divisor: by how much sums of floats are divided.
        """
        cdef Py_ssize_t start = 0, count
        cdef int kind = cnp.PyArray_TYPE(like)
        cdef cnp.ndarray result
        cdef void* place
        if kind not in (cnp.NPY_FLOAT32, cnp.NPY_FLOAT64, cnp.NPY_INT32, cnp.NPY_INT64):
            return None
        self.check(like)
        if rows >= 0:
            if cnp.PyArray_NDIM(like) == 0 or begin < 0 or begin + rows > cnp.PyArray_DIM(like, 0):
                raise IndexError("the array has not as many rows")
            if begin:
                start = cnp.PyArray_NBYTES(like) // cnp.PyArray_DIM(like, 0) * begin
        result = self.place_for(like, rows, out)
        count = cnp.PyArray_SIZE(result)
        place = cnp.PyArray_DATA(result)
        if divisor < 1:
            raise ValueError("a sum is divided by a number from 1")
        if kind == cnp.NPY_FLOAT32:
            add_rows[float](self.base + start, self.stride, self.size, count, <float*>place, divisor)
        elif kind == cnp.NPY_FLOAT64:
            add_rows[double](self.base + start, self.stride, self.size, count, <double*>place, divisor)
        elif kind == cnp.NPY_INT32:
            add_rows[int32_t](self.base + start, self.stride, self.size, count, <int32_t*>place, divisor)
        else:
            add_rows[int64_t](self.base + start, self.stride, self.size, count, <int64_t*>place, divisor)
        return result


cdef class Gate(RankArrays):
    """The place where the ranks of one group on one machine meet.

    Args:
        memory: ``size * slot_size(capacity)`` bytes that all of them share. The first HEAD_SIZE bytes of each rank's
            part hold zeros when the group is made.
        rank: the number of this rank.
        size: how many ranks there are.
        crowded: whether somebody else has use for the processor while this rank waits, so that it yields at once.
        capacity: how many bytes of an array a rank can share: a multiple of 64.
        ended: gives the numbers of the ranks whose processes have ended. Asked now and then while this rank waits.
    """

    cdef char* start
    cdef object ended
    cdef object refuse          # the argument of `close`
    cdef int spins
    cdef int yields
    cdef readonly int rank
    cdef readonly int64_t turn
    cdef readonly int other     # the rank that the last answer of `meet` is about

    def __init__(
        self, memory not None, int rank, int size, bint crowded=False, Py_ssize_t capacity=DEFAULT_CAPACITY, ended=None
    ):
        cdef Py_ssize_t room, stride = slot_size(capacity)
        cdef char* first = bytes_of(memory, &room)
        if room < size * stride or not 0 <= rank < size or capacity < 0 or capacity % 64:
            raise ValueError(f"a gate of {size} ranks needs {size * stride} bytes")
        super().__init__(memory, sizeof(Slot), stride, size, capacity)
        self.start = first
        self.rank = rank
        self.ended = ended
        self.spins = 1 if crowded else SPINS
        self.yields = YIELDS if crowded else PATIENT_YIELDS
        self.other = -1

    def meet(
        self,
        int64_t operation,
        cnp.ndarray array not None,
        int64_t detail,
        double timeout,
        int skipped=0,
        bint share=False,
    ):
        """Wait until all ranks have come. Returns AGREED if all have the same `digest_of`, or what went wrong.

        Args:
            operation, array, detail, skipped: as in `digest_of`.
            timeout: how many seconds to wait at most.
            share: whether the others shall read ``array`` from shared memory. It must be contiguous and small. It stays
                there until the next meeting but one.
        """
        if share:
            if self.refuse is not None:
                self.refuse()
            self.check(array)
            if not cnp.PyArray_IS_C_CONTIGUOUS(array):
                raise ValueError("the array does not lie in one piece")
            memcpy(self.next_data(), cnp.PyArray_DATA(array), cnp.PyArray_NBYTES(array))
        self.come(digest_of(operation, array, detail, skipped), cnp.PyArray_DIM(array, 0) if skipped else 0)
        return self.wait(timeout)

    def next_buffer(self):
        """The bytes that this rank shares at the next meeting: write to them before it. All have left the last meeting."""
        cdef Py_ssize_t begin = self.next_data() - self.start
        if self.refuse is not None:
            self.refuse()
        return np.frombuffer(self.memory, np.int8, self.capacity, begin)

    def arrive(self, int64_t operation, cnp.ndarray array not None, int64_t detail, int skipped=0):
        """Come to the next meeting, without waiting: the arguments are those of `meet`. `wait` ends the meeting."""
        self.come(digest_of(operation, array, detail, skipped), cnp.PyArray_DIM(array, 0) if skipped else 0)

    def all_here(self):
        """Whether all ranks have come to the meeting to which this one came last."""
        return self.all_at(self.turn)

    def counts(self):
        """The numbers of rows that the ranks announced at the last meeting."""
        return [self.slot(rank).arrivals[self.turn & 1].count for rank in range(self.size)]

    cdef inline Slot* slot(self, int rank) noexcept nogil:
        return <Slot*>(self.start + rank * self.stride)

    cdef inline char* next_data(self) noexcept nogil:
        return self.start + self.rank * self.stride + sizeof(Slot) + ((self.turn + 1) & 1) * self.capacity

    cdef int come(self, int64_t digest, int64_t count) except -1:
        cdef int64_t turn = self.turn + 1
        cdef Arrival* arrival = &self.slot(self.rank).arrivals[turn & 1]
        if self.refuse is not None:
            self.refuse()
        self.turn = turn
        self.base = self.start + sizeof(Slot) + (turn & 1) * self.capacity
        arrival.digest = digest
        arrival.count = count
        announce(&arrival.turn, turn)
        return 0

    cpdef int wait(self, double timeout) except -1:
        """Wait until all ranks have come to the meeting to which this one came last: see `meet`."""
        cdef int64_t turn = self.turn
        cdef int64_t digest = self.slot(self.rank).arrivals[turn & 1].digest
        cdef int rank, state
        cdef double deadline = 0
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
                    if self.ended is not None and self.has_lost_one(turn):
                        return 4
        for rank in range(self.size):
            if self.slot(rank).arrivals[turn & 1].digest != digest:
                self.other = rank
                return 1
        return 0

    cdef bint has_lost_one(self, int64_t turn) except -1:
        """Whether the process of a rank that has not come has ended."""
        cdef int rank
        for rank in self.ended():
            if load(&self.slot(rank).arrivals[turn & 1].turn) < turn:
                self.other = rank
                return True
        return False

    cdef bint all_at(self, int64_t turn) noexcept nogil:
        """Whether all ranks have come, and none of them has taken that back."""
        cdef int rank
        for rank in range(self.size):
            if load(&self.slot(rank).arrivals[turn & 1].turn) < turn:
                return False
        return True

    cdef bint take_back(self, int64_t turn) noexcept nogil:
        """Take back that this rank has come, as it waits no longer. False if all others have come by now.

        Whoever comes later would go into a call of MPI else, and wait for this rank for ever.
        """
        cdef int64_t* place = &self.slot(self.rank).arrivals[turn & 1].turn
        cdef int rank
        announce(place, turn - 2)
        for rank in range(self.size):
            if rank != self.rank and load(&self.slot(rank).arrivals[turn & 1].turn) < turn:
                return True
        store(place, turn)
        return False

    cdef int wait_for(self, int rank, int64_t turn, double* deadline, double timeout) noexcept nogil:
        """0 if the rank has come, -1 to look for signals and wait on, LATE or LEFT."""
        cdef int64_t* place = &self.slot(rank).arrivals[turn & 1].turn
        cdef int i
        cdef long interval = SHORTEST_NAP
        cdef double began
        for i in range(self.spins):
            if load(place) >= turn:
                return 0
            relax()
        for i in range(self.yields):
            yield_processor()
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
                if load(&self.slot(i).left) and load(&self.slot(i).arrivals[turn & 1].turn) < turn:
                    return 3
            if now() > deadline[0]:
                return 2
            sleep(interval)
            interval = min(2 * interval, LONGEST_NAP)
        return -1

    def close(self, refuse not None):
        """Call ``refuse``, which raises, at each further meeting: this is not the process of the rank."""
        self.refuse = refuse

    def leave(self, str text not None):
        """Say that this rank comes to no more meetings, and why. Who waits for it learns that at once."""
        if self.refuse is not None:
            return
        self.write(text)
        store(&self.slot(self.rank).left, 1)

    def who_left(self):
        """The numbers of the ranks that have left."""
        return [rank for rank in range(self.size) if load(&self.slot(rank).left)]

    def describe(self, str text not None):
        """Write down, in words, what this rank meant at the last meeting."""
        self.write(text)
        store(&self.slot(self.rank).described, self.turn)

    cdef int write(self, str text) except -1:
        cdef Slot* slot = self.slot(self.rank)
        cdef bytes encoded = text.encode("utf-8", "replace")[:TEXT]
        slot.length = len(encoded)
        memcpy(slot.text, <char*>encoded, len(encoded))
        return 0

    def description(self, int rank, double timeout):
        """What ``rank`` has written of the last meeting; None if it has written nothing in time."""
        cdef double deadline
        if not 0 <= rank < self.size:
            raise IndexError(f"there is no rank {rank} among {self.size}")
        deadline = now() + timeout
        while load(&self.slot(rank).described) < self.turn and not load(&self.slot(rank).left):
            if now() > deadline:
                return None
            time.sleep(0.001)
        return self.text_of(rank)

    cdef str text_of(self, int rank):
        cdef Slot* slot = self.slot(rank)
        return slot.text[:min(max(slot.length, 0), TEXT)].decode("utf-8", "replace")
