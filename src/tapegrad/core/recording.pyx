"""What observers learn of a call, and the record that it leaves on the tapes that watch its inputs."""

cimport numpy as cnp
from cpython.ref cimport Py_INCREF, PyObject
from cpython.tuple cimport PyTuple_New, PyTuple_SET_ITEM
from libc.stdint cimport uint64_t

from tapegrad.core.dispatch cimport Op
from tapegrad.core.observers cimport ThreadState
from tapegrad.core.plans cimport (
    ASK_ATTRIBUTE, ASK_INPUT, ASK_INPUT_DTYPE, ASK_INPUT_SHAPE, ASK_OUTPUT, ASK_OUTPUT_SHAPE, ASK_OUTPUTS, Plan)
from tapegrad.core.tape cimport Record, Tape, end_gradient, keep_adjustments
from tapegrad.core.tensor cimport EagerTensor, dtype_of, is_trainable, shape_tuple, zeros_info

cnp.import_array()

cdef int record_call(Op op, ThreadState state, PyObject** inputs, int count, PyObject** outputs, int results,
                     tuple attributes) except -1:
    """Tell the observers of a call: the tapes record it, and then the accumulators compute tangents."""
    if state.checked:
        # Observers are told before the tapes record: a call that an observer refuses is not recorded.
        state.report_call(op, inputs, count, outputs, results, attributes)
    if state.paused:
        return 0
    if op.declared_none:
        return end_gradient(op, op.gives_constant, state, inputs, count, outputs, results, attributes)
    record_on_tapes(op, state, inputs, count, outputs, results, attributes)
    if state.followed:
        state.report_to_accumulators(op, None, inputs, count, outputs, results, attributes)
    return 0


cdef inline int record_on_tapes(Op op, ThreadState state, PyObject** inputs, int count, PyObject** outputs, int results,
                         tuple attributes) except -1:
    """One record goes to every tape that watches an input through which gradients flow."""
    cdef uint64_t watched = 0, here
    cdef int i, last = len(op.inputs) - 1
    cdef Tape tape, only = None
    cdef Record record
    cdef list watching = None
    cdef bint flows = False
    for observer in state.observers:
        if type(observer) is not Tape:
            continue
        tape = <Tape>observer
        here = 0
        for i in range(count):
            if ((tape.producers.has((<EagerTensor>inputs[i]).id) or tape.watches_all)
                    and is_trainable((<EagerTensor>inputs[i]).array)):
                here |= <uint64_t>1 << (i if i < last else last)
        if here:
            watched |= here
            if only is None:
                only = tape
            elif watching is None:
                watching = [only, tape]
            else:
                watching.append(tape)
        elif tape.notes is not None:
            tape.notes.pass_on(op, inputs, count, outputs, results)
    if not watched:
        return 0
    for i in range(results):
        flows = flows or is_trainable((<EagerTensor>outputs[i]).array)
    if not flows:
        for tape in [only] if watching is None else watching:
            if tape.explains:
                tape.note_call(op, inputs, count, outputs, results, attributes)
        return 0
    record = Record.__new__(Record)
    record.op = op
    record.plan = op.plan(watched)
    record.saved = save(op, <Plan>record.plan, inputs, count, outputs, results, attributes)
    if op.broadcasts:
        record.shapes = broadcast_shapes(inputs, count, (<EagerTensor>outputs[0]).array)
    if not isinstance((<EagerTensor>outputs[0]).array, cnp.ndarray):
        keep_adjustments(record, op, [(<EagerTensor>inputs[i]).array for i in range(count)],
                    [(<EagerTensor>outputs[i]).array for i in range(results)])
    if results != 1:
        record.out_info = tuple([zeros_info((<EagerTensor>outputs[i]).array) for i in range(results)])
    record.reserve(count, results)
    for i in range(count):
        record.ids[i] = (<EagerTensor>inputs[i]).id
    for i in range(results):
        record.ids[count + i] = (<EagerTensor>outputs[i]).id
    if watching is None:
        # Not `state.observers[0]`: another thread, or a finalizer, may have stopped tapes since the loop above.
        only.append(record)
    else:
        for tape in watching:
            tape.append(record)
    return 0


cdef tuple save(Op op, Plan plan, PyObject** inputs, int count, PyObject** outputs, int results, tuple attributes):
    cdef tuple saved = PyTuple_New(plan.count)
    cdef object value
    cdef int i, j, kind, index, last = len(op.inputs) - 1
    for i in range(plan.count):
        kind = plan.kinds[i]
        index = plan.indices[i]
        if kind == ASK_INPUT and not (op.list_input and index == last):
            value = <object>inputs[index]
        elif kind == ASK_OUTPUT:
            value = <object>outputs[index]
        elif kind == ASK_INPUT:
            value = [<object>inputs[j] for j in range(index, count)]
        elif kind == ASK_OUTPUTS:
            value = [<object>outputs[j] for j in range(results)]
        elif kind == ASK_INPUT_SHAPE:
            if op.list_input and index == last:
                value = [shape_tuple((<EagerTensor>inputs[j]).array) for j in range(index, count)]
            else:
                value = shape_tuple((<EagerTensor>inputs[index]).array)
        elif kind == ASK_OUTPUT_SHAPE:
            value = shape_tuple((<EagerTensor>outputs[index]).array)
        elif kind == ASK_INPUT_DTYPE:
            value = dtype_of((<EagerTensor>inputs[index]).array)
        elif kind == ASK_ATTRIBUTE:
            value = attributes[index]
        else:
            value = (tuple([<object>inputs[j] for j in range(count)]),
                     tuple([<object>outputs[j] for j in range(results)]), attributes)
        Py_INCREF(value)
        PyTuple_SET_ITEM(saved, i, value)
    return saved


cdef tuple broadcast_shapes(PyObject** inputs, int count, object result):
    """The shapes of all inputs if one of them was broadcast, else None."""
    cdef cnp.ndarray out, array
    cdef bint differ = False
    cdef int i, j
    if not isinstance(result, cnp.ndarray):
        return tuple([shape_tuple((<EagerTensor>inputs[i]).array) for i in range(count)])
    out = <cnp.ndarray>result
    for i in range(count):
        if not isinstance((<EagerTensor>inputs[i]).array, cnp.ndarray):
            return tuple([shape_tuple((<EagerTensor>inputs[j]).array) for j in range(count)])
        array = <cnp.ndarray>(<EagerTensor>inputs[i]).array
        if cnp.PyArray_NDIM(array) != cnp.PyArray_NDIM(out):
            differ = True
        else:
            for j in range(cnp.PyArray_NDIM(out)):
                differ = differ or cnp.PyArray_DIMS(array)[j] != cnp.PyArray_DIMS(out)[j]
    if not differ:
        return None
    return tuple([shape_tuple((<EagerTensor>inputs[i]).array) for i in range(count)])
