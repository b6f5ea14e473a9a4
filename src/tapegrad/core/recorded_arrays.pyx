"""The array of a recorded tensor inside a batch: ops on it are steps of the recording.

So a recording of a batch has the ops that batching rules run, on plain arrays, and no rules and batches. Tapes do
not see these ops: they record the op on batched tensors instead.
"""

cimport cython
cimport numpy as cnp

from tapegrad.core.callbacks cimport callbacks
from tapegrad.core.dispatch cimport Op, run_op
from tapegrad.core.kinds cimport holds_size
from tapegrad.core.observers cimport ThreadState, current_state
from tapegrad.core.observers import static_value
from tapegrad.core.recorder cimport Recorder
from tapegrad.core.tensor cimport EagerTensor, dtype_of, shape_tuple, wrap

cnp.import_array()


@cython.final
cdef class RecordedArray:
    __array_ufunc__ = None
    __hash__ = None

    @property
    def shape(self):
        return shape_tuple(self.tensor.array)

    @property
    def ndim(self):
        return len(shape_tuple(self.tensor.array))

    @property
    def size(self):
        return self.tensor.array.size

    @property
    def dtype(self):
        return dtype_of(self.tensor.array).numpy_dtype

    @property
    def strides(self):
        """As they are in each call: those that ops give do not change, but those of what comes from outside may."""
        cdef Recorder recorder = current_state().recorder
        cdef object elements
        if recorder is None:
            return self.tensor.array.strides
        elements = recorder.elements(self.tensor)
        if 0 in elements.strides and recorder.slot_of.has(self.tensor.id):
            recorder.refuse_repeats()
        return elements.strides

    def reshape(self, shape):
        return run_recorded(<Op?>callbacks().reshape, [self], (tuple(shape),))

    def transpose(self, axes):
        return run_recorded(<Op?>callbacks().transpose, [self], (tuple(axes),))

    def broadcast_to(self, shape):
        return run_recorded(<Op?>callbacks().broadcast_to, [self], (tuple(shape),))

    def __getitem__(self, index):
        cdef TapesPaused paused
        for part in index:
            if part is not None and part is not Ellipsis and not isinstance(part, (int, slice)) and not holds_size(part):
                raise TypeError("an array in a batch is indexed by numbers and slices")
        paused = TapesPaused.__new__(TapesPaused)
        paused.open()
        try:
            result = callbacks().getitem(self.tensor, index)
        finally:
            paused.close()
        return paused.result_array(result)

    def __array__(self, dtype=None, copy=None):
        values = static_value(self.tensor, "by a batching rule")
        return values if dtype is None else values.astype(dtype)

    def __bool__(self):
        raise TypeError("an array in a batch is not asked for its truth")

    def __len__(self):
        raise TypeError("an array in a batch is asked for its shape, not for its length")

    def __eq__(self, other):
        raise TypeError("an array in a batch is compared by an op")


cdef RecordedArray recorded_array(EagerTensor tensor):
    cdef RecordedArray array = RecordedArray.__new__(RecordedArray)
    array.tensor = tensor
    return array


cdef class TapesPaused:
    """Pauses tapes, but not recorders, between `open` and `close`. Tapes record the op on batched tensors instead."""

    cdef ThreadState state
    cdef Recorder recorder

    cdef int open(self) except -1:
        self.state = current_state()
        self.recorder = self.state.recorder
        self.state.paused += 1
        self.state.refresh()
        if self.recorder is not None:
            self.recorder.batch_ops += 1
        return 0

    cdef int close(self) except -1:
        self.state.paused -= 1
        self.state.refresh()
        if self.recorder is not None:
            self.recorder.batch_ops -= 1
        return 0

    cdef object result_array(self, EagerTensor tensor):
        """The array of a result: a `RecordedArray` if a recorder follows the tensor."""
        if self.recorder is not None and self.recorder.reason is None and self.recorder.is_traced(tensor):
            return recorded_array(tensor)
        return tensor.array


cdef object run_recorded(Op op, list arrays, tuple attributes):
    """What the op gives for plain and recorded arrays. The call is reported to the recorder."""
    cdef TapesPaused paused = TapesPaused.__new__(TapesPaused)
    cdef list outputs, tensors = [
        (<RecordedArray>array).tensor if type(array) is RecordedArray else wrap(array) for array in arrays]
    paused.open()
    try:
        outputs = run_op(op, tensors, attributes)
    finally:
        paused.close()
    if op.outputs is None and not op.list_output:
        return paused.result_array(outputs[0])
    return [paused.result_array(output) for output in outputs]


cdef object result_for_tensor(object result):
    """A result as an array; or as a new tensor if it is recorded, since tapes know tensors by their identity."""
    cdef Recorder recorder
    cdef EagerTensor tensor
    if type(result) is not RecordedArray:
        return result
    recorder = current_state().recorder
    if recorder is not None and recorder.taped:
        result = run_recorded(<Op?>callbacks().identity, [result], ())
        if type(result) is not RecordedArray:
            return result
        return (<RecordedArray>result).tensor
    tensor = wrap((<RecordedArray>result).tensor.array)
    if recorder is not None:
        recorder.on_alias((<RecordedArray>result).tensor, tensor)
    return tensor
