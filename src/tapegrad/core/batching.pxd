from libc.stdint cimport int64_t

from tapegrad.core.dispatch cimport Op
cdef class Batch:
    """One axis of items: how many there are, and between what they are told apart."""

    cdef readonly object size           # an int, or an open size while a function is recorded for open sizes
    cdef Py_ssize_t count               # how many items there are in this call
    cdef readonly int64_t number        # a batch that is opened later, so further inside, has a higher number
    cdef readonly bint open             # gradients of what all items share stay apart, one for each item
    cdef readonly bint may_loop         # ops without a batching rule run item by item, and do not raise
    cdef readonly bint warns            # and a line in the log names them
    cdef readonly bint splits           # where items differ in a value that is read, whoever opened it parts them
    cdef readonly bint effects          # ops with effects have one for each item, whatever their inputs
    cdef readonly dict written          # id of what its items wrote into as one -> that, and a function that undoes it
    cdef Batch outer                    # the batch whose items have effects of their own, around this one

cdef class Batched:
    """The arrays of all items of a batch in one. Its shape is that of one item."""

    cdef readonly object data           # the items along the first axis: NumPy's, Batched in an outer batch, or RecordedArray
    cdef readonly Batch batch

cdef class Items:
    """A call over a batch, as a batching rule sees it."""

    cdef readonly Op op
    cdef readonly Batch batch
    cdef readonly tuple batched         # for each array whether it has items; the others are the same for all
    cdef readonly tuple attributes

cdef class Pieces:
    """Rows that several batches give, one piece each, to be stacked."""

    cdef object count
    cdef Py_ssize_t used                # rows that were copied into `whole`
    cdef object whole                   # NumPy's array of all rows; None where the pieces are kept instead
    cdef readonly list pieces
