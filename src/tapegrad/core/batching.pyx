"""Batched arrays: all items of a batch in one array, which is handled as the array of one item.

Tensors that hold `Batched` arrays go through functions written for one item. How an op runs on them:

1. `apply_batched` takes, of all batches that its arrays are in, the one that was opened last: the innermost one.
2. An elementwise op runs on the data. The items are one more axis in front (`run_broadcast`).
3. Another op runs by its batching rule, which sees the data and says how the op runs on them (`call_rule`).
4. Without a rule, or where the rule gives None or fails, the op runs item by item, and results are stacked (`run_items`).
5. What 2 to 4 run may be in outer batches: then the same steps follow for the next batch (`run_inside`).
6. The results are `Batched` again, but for those that a rule says are the `Same` for all items.
7. In the walk back, the gradient of a tensor that all items share is summed over the items (`adjust_gradient`).
8. Under a recorder the data are `RecordedArray`s, so a recording has the ops on plain arrays, and no batches.

    f(x) = x + b, mapped over 5 items        what f sees     what the tensor holds
    x, an item                               [3]             Batched([5, 3])
    b, shared by all                         [3]             [3]
    x + b                                    [3]             Batched([5, 3] + [3])
    y, an item of 2 in each item of x        [4]             Batched(Batched([5, 2, 4], batch of 5), batch of 2)

The ops that enter and leave a batch are in `tapegrad.ops.batching`, with the forms that batching rules take.
"""

cimport cython
cimport numpy as cnp

import operator

import numpy as np

from tapegrad.core.dispatch cimport NOTHING, Op, run_arrays
from tapegrad.core.kinds cimport Kind, count_open, holds_size, kind_of, kind_of_all, open_batches, open_sizes, set_per_item
from tapegrad.core.kinds import Closing, KindsMixed, NeedsItems, NeedsValues, NoElements, NotVectorized, Splits, register_kind
from tapegrad.core.observers cimport ThreadState, current_state
from tapegrad.core.observers import static_value
from tapegrad.core.recorded_arrays cimport RecordedArray, recorded_array, result_for_tensor, run_recorded
from tapegrad.core.recorder cimport Recorder
from tapegrad.core.tensor cimport EagerTensor, dtype_of, shape_tuple, wrap
from tapegrad.core.callbacks cimport callbacks
from tapegrad.engines.numpy.buffers import empty

cnp.import_array()

cdef int64_t last_number = 0

CHOICES = frozenset(("predicate", "branch_index", "maximum_iterations", "assertion"))
"""What functions that choose between functions, or assert, read values for: also where no loop over items is wanted."""

BROADCASTS = "broadcasts"
"""The batching rule of an op whose inputs have axes in front that are broadcast against each other.

Ops that work on each element by itself do; they need not say so. What the op does with the last axes is its own.
"""


@cython.final
cdef class Batch:
    """``with Batch(size) as batch:`` opens a batch of ``size`` items."""

    def __init__(self, size, *, bint effects=False, bint may_loop=True, bint warns=True, bint splits=False):
        global last_number
        cdef bint is_open = holds_size(size)
        self.size = size if is_open else operator.index(size)
        self.count = size.hint if is_open else self.size
        if self.count < 0:
            raise ValueError(f"a batch has no less than 0 items, not {size}")
        last_number += 1
        self.number = last_number
        self.effects = effects
        self.may_loop = may_loop
        self.warns = warns
        self.splits = splits
        self.written = {}

    def __repr__(self):
        return f"<batch {self.number} of {self.size} items{', open' if self.open else ''}>"

    def __enter__(self):
        cdef ThreadState state
        if self.open:
            raise RuntimeError("the batch is open already")
        self.open = True
        if self.effects:
            state = current_state()
            self.outer = state.batch
            state.batch = self
            count_open(1)
        return self

    def __exit__(self, *error):
        self.open = False
        if self.effects:
            current_state().batch = self.outer
            self.outer = None
            count_open(-1)


@cython.final
cdef class Batched:
    """``data``, whose first axis has the items of ``batch``, as the array of one item."""

    __array_ufunc__ = None

    def __init__(self, data, Batch batch not None):
        if not isinstance(data, (cnp.ndarray, Batched, RecordedArray)):
            raise TypeError(f"the items of a batch are in an array, not in a {type(data).__name__}")
        if isinstance(data, Batched) and (<Batched>data).batch.number >= batch.number:
            raise ValueError("the batch that was opened last is the outermost layer of a batched array")
        if data.ndim == 0 or data.shape[0] != (batch.count if isinstance(data, cnp.ndarray) else batch.size):
            raise ValueError(f"an array of the shape {data.shape} does not have {batch.size} items")
        self.data = data
        self.batch = batch

    @property
    def shape(self):
        """The shape of one item."""
        return (<tuple>self.data.shape)[1:]

    @property
    def ndim(self):
        return rank_of(self)

    @property
    def dtype(self):
        return self.data.dtype

    @property
    def strides(self):
        """The strides within an item."""
        return (<tuple>self.data.strides)[1:]

    def reshape(self, shape):
        """Each item in the shape ``shape``."""
        return wrap_batched(self.data.reshape((self.batch.size, *shape)), self.batch)

    def transpose(self, axes):
        """Each item with its axes in the order ``axes``."""
        return wrap_batched(self.data.transpose((0, *[axis + 1 for axis in axes])), self.batch)

    def __getitem__(self, index):
        """``index``, a tuple, taken of each item."""
        return wrap_batched(self.data[(slice(None), *index)], self.batch)

    def __array__(self, dtype=None, copy=None):
        refuse_value(self)


cdef Batched wrap_batched(object data, Batch batch):
    """`Batched` without its checks."""
    cdef Batched batched = Batched.__new__(Batched)
    batched.data = data
    batched.batch = batch
    return batched


cdef int rank_of(object array) except -1:
    """The rank of one item."""
    if isinstance(array, cnp.ndarray):
        return cnp.PyArray_NDIM(<cnp.ndarray>array)
    if type(array) is RecordedArray:
        return len(shape_tuple((<RecordedArray>array).tensor.array))
    return rank_of((<Batched?>array).data) - 1


cdef int refuse_value(Batched array) except -1:
    raise NeedsValues(value_message(array.batch))


cdef str value_message(Batch batch):
    return (f"a tensor of {batch.size} items has no single value that Python code could use (in an `if`, as a "
            f"number or a size, as an array of NumPy's): write tf.where or tf.cond, or map the function with tf.map_fn")


cdef bint same_bytes(rows) except -1:
    """Whether all rows of a matrix hold the same, NaN too."""
    if rows.dtype.kind in "OT":
        return all([row.tolist() == rows[0].tolist() for row in rows[1:]])
    rows = np.ascontiguousarray(rows).view(np.uint8).reshape(len(rows), -1)
    return bool((rows == rows[0]).all())


def number_of(Batch batch not None):
    return batch.number


def broadcast_to(array, tuple shape not None):
    """An array in a larger shape, its elements repeated without being copied."""
    cdef object data
    if isinstance(array, cnp.ndarray):
        if open_sizes and holds_size(shape):
            return run_recorded(<Op?>callbacks().broadcast_to, [array], (shape,))
        return np.broadcast_to(array, shape)
    if type(array) is RecordedArray:
        return (<RecordedArray>array).broadcast_to(shape)
    data = aligned((<Batched?>array), len(shape))
    return wrap_batched(broadcast_to(data, ((<Batched>array).batch.size, *shape)), (<Batched>array).batch)


cdef object aligned(Batched array, int rank):
    """The data of ``array``, the items with as many axes as ``rank`` says: new ones of length 1 are in front."""
    cdef int own = rank_of(array)
    if own >= rank:
        return array.data
    shape = <tuple>array.data.shape
    return array.data.reshape((shape[0], *((1,) * (rank - own)), *shape[1:]))


# --- How ops run ----------------------------------------------------------------------------------------

cdef class BatchedKind(Kind):
    def apply(self, op, list arrays, tuple attributes):
        cdef Recorder recorder = current_state().recorder
        if recorder is not None and recorder.opening is not None and recorder.reason is not None:
            # Another thread has ended the recording, and a batch may hold arrays with open sizes.
            raise Closing(recorder.reason[0])
        results = apply_batched(<Op?>op, arrays, attributes)
        if recorder is not None and not recorder.hidden and recorder.reason is None:
            check_recorded(recorder, op, arrays, results)
        if isinstance(results, (list, tuple)):
            results = [result_for_tensor(result) for result in results]
        else:
            results = result_for_tensor(results)
        # Only now: ops that ran inside this one were recorded by themselves.
        if recorder is not None and not recorder.hidden and recorder.reason is None:
            recorder.recorded_op = op
        return results

    def runs_once(self, Op op, list tensors):
        """Whether all open batches do the same. TensorFlow runs once what does not depend on the item."""
        return (op.outputs == () or op.effect.startswith("reads")) and not any(
            [type((<EagerTensor>tensor).array) is Batched for tensor in tensors])

    def apply_once(self, Op op, list tensors, tuple attributes):
        """The op outside of the open batches, each of which learns what it writes, and how to undo that."""
        cdef ThreadState state = current_state()
        cdef Batch innermost = state.batch, batch = innermost
        state.batch = None
        try:
            if op.effect.startswith("writes"):
                resource = attributes[op.attributes.index(op.effect.removeprefix("writes "))]
                while batch is not None:
                    if id(resource) not in batch.written:
                        batch.written[id(resource)] = (resource, callbacks().remember(resource))
                    batch = batch.outer
            return op.apply(tensors, attributes)
        finally:
            state.batch = innermost

    def recorded_arrays(self, list tensors, list arrays):
        cdef Recorder recorder = current_state().recorder
        cdef list recorded = []
        cdef int i
        if recorder.hidden or recorder.reason is not None:
            return arrays
        for i in range(len(arrays)):
            if type(arrays[i]) is not Batched and recorder.is_traced(<EagerTensor>tensors[i]):
                recorded.append(recorded_array(<EagerTensor>tensors[i]))
            else:
                recorded.append(arrays[i])
        return recorded

    def is_recorded(self, observer, op, list inputs, list outputs, tuple attributes):
        cdef Recorder recorder = observer
        cdef EagerTensor tensor
        if (<Op?>op).batch_rule is enter_rule:
            # Its kernel got a plain array.
            tensor = inputs[0]
            if recorder.is_traced(tensor):
                (<Batched>(<EagerTensor>outputs[0]).array).data = moved_axis(recorded_array(tensor), attributes[1], 0)
            return True
        for tensor in inputs:
            if recorder.is_traced(tensor) or is_recorded(tensor.array):
                return False
        return (<Op>op).effect is None

    def shape(self, array):
        return (<Batched?>array).shape

    def dtype(self, array):
        while isinstance(array, Batched):
            array = (<Batched?>array).data
        return dtype_of((<RecordedArray>array).tensor.array if type(array) is RecordedArray else array)

    def full(self, tuple shape, dtype, value):
        # The same for all items, so not batched.
        return (<EagerTensor>(callbacks().zeros if value == 0 else callbacks().ones)(shape, dtype)).array

    def full_like(self, array, value):
        # Unlike `full`, in the batches of ``array``.
        if isinstance(array, Batched):
            return wrap_batched(self.full_like((<Batched?>array).data, value), (<Batched>array).batch)
        if type(array) is RecordedArray:
            array = (<RecordedArray>array).tensor.array
        if isinstance(array, cnp.ndarray):
            return np.full_like(array, value)
        return recorded_array(wrap(kind_of(array).full_like(array, value)))

    def spread(self, tangent, array):
        """In all batches of ``array``: to sum a tangent over the items, it has to be known that there are several."""
        if batches_of(array) <= batches_of((<EagerTensor?>tangent).array):
            return tangent
        return callbacks().add(tangent, wrap(self.full_like(array, 0)))

    def numpy(self, array):
        refuse_value(array)

    def read(self, tensor, str how):
        """The values that all items have in common. Where they differ, `Splits` lets the caller part the items."""
        cdef Batch batch
        cdef list batches = batches_among([tensor])
        for batch in batches:
            if not batch.splits or batch.size == 0 or not batch.may_loop and how not in CHOICES:
                return None
        if not batches:
            return None
        for batch in reversed(batches):
            tensor = callbacks().leave_batch(tensor, batch)
        values = static_value(tensor, how)
        for batch in batches:
            rows = values.reshape(batch.size, -1)
            if batch.size > 1 and not same_bytes(rows):
                raise Splits(value_message(batch), batch, values)
            values = values[(0, Ellipsis)]
        return values

    def gradient_adjustments(self, op, list inputs, list outputs):
        """For each input the batches that the results are in and the input is not: gradients are summed there."""
        cdef set batches = set()
        cdef list missing
        if isinstance(op, Op) and (<Op>op).batch_rule is enter_rule:
            # Its input has all items, each with its own gradient.
            return None
        for array in outputs:
            batches.update(batches_of(array))
        missing = [tuple(batches - batches_of(array)) or None for array in inputs]
        return None if missing.count(None) == len(missing) else tuple(missing)

    def reopen(self, tuple adjustments):
        """Open the batches: a rule that walks a tape of its own must keep the items apart, as the call did."""
        cdef Batch batch
        cdef list reopened = []
        for batches in adjustments:
            for batch in batches or ():
                if not batch.open:
                    batch.open = True
                    reopened.append(batch)
        return reopened

    def close(self, reopened):
        cdef Batch batch
        for batch in reopened:
            batch.open = False

    def adjust_gradient(self, gradient, batches):
        """The gradient of a tensor that all items of a batch share: the sum over the items.

        Within the batch, what one item does is a program of its own, and so is its gradient: nothing is summed.
        """
        cdef Batch batch
        for batch in batches:
            if not batch.open:
                gradient = callbacks().sum_items(gradient, batch)
        return gradient


cdef set batches_of(object array):
    cdef set batches = set()
    while isinstance(array, Batched):
        batches.add((<Batched?>array).batch)
        array = (<Batched>array).data
    return batches


def batches_among(list tensors not None):
    """The batches that ``tensors`` are in, the one opened first before the others."""
    cdef set batches = set()
    for tensor in tensors:
        batches.update(batches_of((<EagerTensor?>tensor).array))
    return sorted(batches, key=number_of)


def check_batchable(EagerTensor tensor not None):
    """Raise NotVectorized unless the array of ``tensor`` can be the data of a batch."""
    cdef Recorder recorder = current_state().recorder
    cdef bint is_open = recorder is not None and recorder.is_open(tensor)
    if not is_open and not isinstance(tensor.array, (cnp.ndarray, Batched)):
        from tapegrad.core.abstract import Abstract
        refused = NoElements if type(tensor.array) is Abstract else NotVectorized
        raise refused(f"a tensor held by a {type(tensor.array).__name__} does not go into a batch")


def has_other_values(EagerTensor tensor not None):
    """Whether ``tensor`` may have other values in another item of a batch, or in another call of what is recorded.

    A function that is saved writes down by itself what Python code reads of a tensor.
    """
    cdef Recorder recorder
    if isinstance(tensor.array, Batched):
        return True
    recorder = current_state().recorder
    if recorder is None or recorder.hidden or recorder.reason is not None or recorder.opening is not None and recorder.opening.saves:
        return False
    return recorder.depends(tensor)


def batch_of(list tensors not None):
    """The batch that a call with effects goes through item by item first; None where the call is of no batch.

    It is the one opened last of those that ``tensors`` are in, and of those whose items have effects of their own.
    """
    cdef list batches = batches_among(tensors)
    if open_batches and current_state().batch is not None:
        batches.append(current_state().batch)
    return max(batches, key=number_of, default=None)


@cython.final
cdef class ItemByItem:
    """``with ItemByItem(op, name, batch):`` the program goes through the items, and ``op`` runs for each of them.

    This is noted in the log. Where the batch forbids it, entering raises. Users know ``op`` as the function ``name``.
    """

    cdef Op op
    cdef str name
    cdef Batch batch
    cdef object before

    def __init__(self, Op op not None, str name not None, Batch batch not None):
        self.op = op
        self.name = name
        self.batch = batch

    def __enter__(self):
        cdef ThreadState state = current_state()
        if not self.batch.may_loop:
            raise NotVectorized(
                f"No pfor vectorization defined for {self.op.type}: {self.name} calls its function for one item after "
                f"the other, which fallback_to_while_loop=False forbids.")
        report_loop(self.op, self.batch)
        self.before = state.batch
        if self.before is self.batch:
            state.batch = self.batch.outer

    def __exit__(self, *error):
        current_state().batch = self.before


def in_batch(EagerTensor tensor not None, Batch batch not None):
    """Whether ``tensor`` has a value for each item of ``batch``."""
    return batch in batches_of(tensor.array)


cdef BatchedKind KIND = BatchedKind()
register_kind(Batched, KIND)
set_per_item(KIND)


cdef object run_inside(Op op, list arrays, tuple attributes):
    """What the op gives for the data of batched arrays: they may be in outer batches themselves."""
    cdef bint plain = True, recorded = open_sizes and holds_size(attributes)
    for array in arrays:
        if type(array) is RecordedArray:
            recorded = True
        elif not isinstance(array, cnp.ndarray):
            plain = False
    if op.effect is not None and open_batches and current_state().batch is not None:
        return apply_batched(op, arrays, attributes)
    if not plain:
        if kind_of_all([array for array in arrays if type(array) is not RecordedArray]) is KIND:
            return apply_batched(op, arrays, attributes)
        raise KindsMixed("an array in a batch is neither NumPy's nor in a batch")
    if recorded or op.effect is not None and current_state().recorder is not None:
        return run_recorded(op, arrays, attributes)
    return run_arrays(op, arrays, attributes)


cdef object apply_batched(Op op, list arrays, tuple attributes):
    cdef Batch batch = None
    cdef ThreadState state = None
    cdef Batch before
    for array in arrays:
        if type(array) is Batched and (batch is None or (<Batched>array).batch.number > batch.number):
            batch = (<Batched>array).batch
    if op.effect is None or not open_batches:
        return apply_in(op, batch, arrays, attributes)
    # The items of every open batch have effects of their own, from the innermost batch to the outermost.
    state = current_state()
    before = state.batch
    if before is not None and (batch is None or (<Batch>before).number >= batch.number):
        batch = before
        state.batch = batch.outer
    try:
        return apply_in(op, batch, arrays, attributes)
    finally:
        state.batch = before


cdef object apply_in(Op op, Batch batch, list arrays, tuple attributes):
    """What the op gives for arrays of which some may be in ``batch``, and none in a batch within it."""
    cdef object results = None, failure = None
    try:
        if op.batch_rule is BROADCASTS or op.batch_rule is None and (op.ufunc_name is not None or op.pointwise):
            return run_broadcast(op, batch, arrays, attributes)
        if op.batch_rule is not None:
            results = call_rule(op, batch, arrays, attributes)
    except NeedsItems:
        raise
    except Exception as error:
        if op.effect is not None or not batch.size:
            raise
        failure = error
    if results is not None:
        return results
    if failure is not None and any([is_recorded(array) for array in arrays]):
        # The rule may need plain arrays. Then the op cannot be recorded.
        refuse_to_record(op, failure)
        return apply_in(op, batch, [without_recording(array) for array in arrays], attributes)
    if failure is not None:
        # If an item fails too, the op's own error speaks of the shapes of the item.
        results = run_items(op, batch, arrays, attributes)
        report_loop(op, batch)
        return results
    report_loop(op, batch)
    return run_items(op, batch, arrays, attributes)


cdef object run_broadcast(Op op, Batch batch, list arrays, tuple attributes):
    """What the op gives if the items are one more axis in front, behind which shorter shapes get axes of length 1."""
    cdef list data = []
    cdef int rank = 0
    if len(arrays) > 1:
        for array in arrays:
            rank = max(rank, rank_of(array))
    for array in arrays:
        if type(array) is Batched and (<Batched>array).batch is batch:
            data.append(aligned(<Batched>array, rank))
        else:
            data.append(array)
    return wrap_all(run_inside(op, data, attributes), batch)


cdef object wrap_all(object results, Batch batch):
    if isinstance(results, (list, tuple)):
        return [wrap_batched(result, batch) for result in results]
    return wrap_batched(results, batch)


cdef object call_rule(Op op, Batch batch, list arrays, tuple attributes):
    """What the batching rule of the op gives; None where it leaves the call to the loop."""
    cdef Items items = Items.__new__(Items)
    cdef Py_ssize_t last = len(op.inputs) - 1
    cdef list data = [], batched = []
    for array in arrays:
        if type(array) is Batched and (<Batched>array).batch is batch:
            data.append((<Batched>array).data)
            batched.append(True)
        else:
            data.append(array)
            batched.append(False)
    items.op = op
    items.batch = batch
    items.batched = tuple(batched)
    items.attributes = attributes
    if op.list_input:
        results = op.batch_rule(items, *data[:last], data[last:], *attributes)
    else:
        results = op.batch_rule(items, *data, *attributes)
    if results is None:
        return None
    if type(results) is Same:
        return (<Same>results).results
    for result in results if isinstance(results, (list, tuple)) else (results,):
        if rank_of(result) == 0 or result.shape[0] != batch.size:
            raise RuntimeError(
                f"the batching rule of {op.type} gave an array of shape {result.shape}: its first axis is to have "
                f"the {batch.size} items")
    return wrap_all(results, batch)


cdef class Same:
    """The results of a batching rule that are the same for all items, and so not batched."""

    cdef object results

    def __init__(self, results):
        self.results = results


@cython.final
cdef class Items:
    def __init__(self):
        raise TypeError("the core makes the Items that a batching rule gets")

    @property
    def size(self):
        """How many items there are."""
        return self.batch.size

    def run(self, *arrays, **changed):
        """The op on ``arrays``, with its attributes as they came but for those named here."""
        cdef tuple attributes = self.attributes
        if changed:
            attributes = tuple([changed.pop(name, value) for name, value in zip(self.op.attributes, attributes)])
            if changed:
                raise TypeError(f"{self.op.type} has no attributes {sorted(changed)}")
        return run_inside(self.op, list(arrays), attributes)

    def call(self, Op op not None, *arrays, **attributes):
        """Another op on ``arrays``, with its defaults for attributes that are not named."""
        return run_inside(op, list(arrays), tuple(
            [attributes.pop(name, default) for name, default in zip(op.attributes, op.defaults)]))

    def spread(self, array, Py_ssize_t place):
        """Input ``place`` with the items along its first axis, repeated if it is the same for all."""
        return array if self.batched[place] else broadcast_to(array, (self.batch.size, *array.shape))


# --- Under a recorder --------------------------------------------------------------------------------

cdef bint is_recorded(object array):
    """Whether the array, or the data of the innermost batch, are a `RecordedArray`."""
    while type(array) is Batched:
        array = (<Batched>array).data
    return type(array) is RecordedArray


cdef int check_recorded(Recorder recorder, Op op, list arrays, object results) except -1:
    """Refuse to record a result that depends on recorded arrays and is not recorded itself.

    It would be a constant of the recording. A rule cannot make one, since it gets no plain arrays of recorded tensors;
    an op that it runs could, by a fault of ours.
    """
    if not any([is_recorded(array) for array in arrays]) or op.decided == NOTHING:
        return 0
    for result in results if isinstance(results, (list, tuple)) else (results,):
        if not is_recorded(result):
            recorder.refuse(f"the batching rule of {op.type} gives an array that no step of a recording makes")
    return 0


cdef object without_recording(object array):
    """The array with plain data: ops on it are not reported to recorders."""
    if type(array) is Batched:
        return wrap_batched(without_recording((<Batched>array).data), (<Batched>array).batch)
    return (<RecordedArray>array).tensor.array if type(array) is RecordedArray else array


cdef int refuse_to_record(Op op, object failure) except -1:
    cdef ThreadState state = current_state()
    if state.recorder is not None:
        state.recorder.on_refusal(f"the batching rule of {op.type} fails in a recording: {failure}")
    return 0


# --- Entering and leaving a batch ---------------------------------------------------------------------

def moved_axis(array, Py_ssize_t source, Py_ssize_t target):
    """An array with the axis ``source`` at ``target``."""
    cdef list axes
    if source == target:
        return array
    axes = list(range(array.ndim))
    axes.insert(target, axes.pop(source))
    return array.transpose(axes)


def enter(x, Batch batch not None, Py_ssize_t axis):
    """The slices of ``x`` along ``axis`` as the items of ``batch``."""
    return Batched(moved_axis(x, axis, 0), batch)


def enter_rule(Items items not None, x, Batch batch not None, Py_ssize_t axis):
    """The batching rule of the op that is `enter`: the batch that was opened last becomes the outermost layer."""
    if batch.number > items.batch.number:
        return Same(enter(wrap_batched(x, items.batch), batch, axis))
    return items.run(x, axis=axis + 1)


def leave_rule(Items items not None, x, Batch batch not None, Py_ssize_t axis):
    """The batching rule of the op that puts the items of ``batch`` side by side along ``axis``."""
    if batch is items.batch:
        return Same(moved_axis(x, 0, axis))
    return items.run(x, axis=axis + 1)


# --- Item by item -----------------------------------------------------------------------------------------

cdef int report_loop(Op op, Batch batch) except -1:
    """Say that the op runs item by item, or raise where that is forbidden."""
    if not batch.may_loop:
        raise NotVectorized(
            f"No pfor vectorization defined for {op.type}: it has no batching rule, or none for these inputs, and so "
            f"runs item by item, which fallback_to_while_loop=False forbids.")
    if op.effect is not None and op.effect.startswith("writes") and op.outputs == ():
        raise NotVectorized(f"{op.type} writes a variable, which the items of a batch do one after the other.")
    if batch.warns:
        callbacks().note_loop(op.type)
    return 0


cdef object run_items(Op op, Batch batch, list arrays, tuple attributes):
    """What the op gives for one item after the other, stacked."""
    if op.effect != "draws":
        return run_each(op, batch, arrays, attributes)
    with callbacks().as_one():
        return run_each(op, batch, arrays, attributes)


cdef object run_each(Op op, Batch batch, list arrays, tuple attributes):
    cdef Py_ssize_t i
    cdef list item, rows = []
    cdef object data
    for i in range(max(operator.index(batch.size), 1)):
        item = []
        for array in arrays:
            if type(array) is not Batched or (<Batched>array).batch is not batch:
                item.append(array)
                continue
            data = (<Batched>array).data
            # In a batch without items the op runs once on ones, for the shapes of its results.
            item.append(data[(i, Ellipsis)] if batch.size else np.ones(data.shape[1:], data.dtype))
        rows.append(run_inside(op, item, attributes))
    if isinstance(rows[0], (list, tuple)):
        if not all([len(row) == len(rows[0]) for row in rows]):
            raise NotVectorized(f"{op.type} gives different numbers of results for the items of a batch.")
        return [wrap_batched(stack(op, [row[i] for row in rows], batch), batch) for i in range(len(rows[0]))]
    return wrap_batched(stack(op, rows, batch), batch)


cdef object stack(Op op, list arrays, Batch batch):
    for array in arrays:
        if array.shape != arrays[0].shape:
            raise NotVectorized(f"{op.type} gives results of different shapes for the items of a batch: "
                                f"{arrays[0].shape} and {array.shape}.")
    stacked = run_inside(<Op>callbacks().pack, arrays, (0,))
    return stacked if batch.size else stacked[(slice(0, 0),)]


# --- Putting a tensor together from what several batches gave ------------------------------------------

@cython.final
cdef class Pieces:
    """``count`` rows, stacked along the first axis, which come in pieces of some rows.

    Where no observer looks on, a piece is copied to its place at once, and nobody has to keep it.
    """

    def __init__(self, count):
        self.count = count
        self.used = 0
        self.pieces = []

    def add(self, EagerTensor piece not None):
        """Add a tensor of some rows, which lie along its first axis."""
        cdef ThreadState state = current_state()
        cdef Py_ssize_t rows = 0
        if isinstance(piece.array, cnp.ndarray):
            rows = (<cnp.ndarray>piece.array).shape[0]
        if self.whole is None and not self.pieces and rows and rows < self.count and (
                state.fast_forms_run and state.recorder is None):
            self.whole = empty((self.count, *shape_tuple(piece.array)[1:]), piece.array.dtype)
        if self.whole is None:
            self.pieces.append(piece)
        else:
            np.copyto(self.whole[self.used:self.used + rows], piece.array)
            self.used += rows

    def stacked(self):
        """All rows as one tensor; None where the pieces were not copied."""
        return None if self.whole is None else wrap(self.whole)
