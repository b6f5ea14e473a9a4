"""Forward mode: an accumulator computes the tangents of results while the program computes the results.

The tangent of a result is computed by ops, which the outer tapes and accumulators see like any others. So
each of them can differentiate it again. There are three ways to compute it, and `tangents_of_call` chooses:
the rules of an elementwise op applied to the tangents of its inputs, a linear op applied to the tangents
themselves, and for every other op the transpose of its rules.
"""

cimport cython
cimport numpy as cnp
from cpython.ref cimport Py_DECREF, Py_INCREF, PyObject
from libc.stdint cimport int64_t, uint64_t

import numpy as np

from tapegrad import errors
from tapegrad.core.dispatch cimport Op, apply_op
from tapegrad.core.fast_forms cimport run_program
from tapegrad.core.gradients cimport ones_like
from tapegrad.core.ids cimport IdTable
from tapegrad.core.kinds cimport kind_of
from tapegrad.core.observers cimport Observer, ThreadState, current_state
from tapegrad.core.plans cimport (
    ASK_ATTRIBUTE, ASK_INPUT, ASK_INPUT_DTYPE, ASK_INPUT_SHAPE, ASK_OUTPUT, DY, MAX_ASKS, Call, Plan)
from tapegrad.core.recording cimport record_call
from tapegrad.core.tape cimport SOURCE, Record, Tape, check_tensors, custom_record
from tapegrad.core.backward import compute_gradient
from tapegrad.core.tape import recording
from tapegrad.core cimport tensor as tensors
from tapegrad.core.tensor cimport EagerTensor, dtype_of, is_complex, is_trainable, next_id, shape_tuple, wrap
from tapegrad.core.tracebacks import hide
from tapegrad.core.callbacks cimport callbacks

cdef extern from "numpy/arrayobject.h":
    bint PyArray_CompareLists(cnp.npy_intp* a, cnp.npy_intp* b, int n) noexcept nogil

cdef extern from "Python.h":
    PyObject* PyTuple_GET_ITEM_ "PyTuple_GET_ITEM" (tuple values, Py_ssize_t i)
    PyObject* PyList_GET_ITEM_ "PyList_GET_ITEM" (list values, Py_ssize_t i)
    object PyObject_Vectorcall(object, PyObject**, size_t, PyObject*)
    ctypedef struct PyListObject:
        PyObject** ob_item


cnp.import_array()


@cython.no_gc
@cython.final
cdef class Tangents:
    def __cinit__(self):
        self.table = IdTable()

    def __dealloc__(self):
        cdef Py_ssize_t i
        if self.table is not None:
            for i in range(self.table.mask + 1):
                if self.table.keys[i] != 0:
                    Py_DECREF(<object><PyObject*>self.table.values[i])

    cdef PyObject* get(self, int64_t key) noexcept:
        """The tangent, borrowed; NULL if there is none."""
        return <PyObject*>self.table.get(key, 0)

    cdef int set(self, int64_t key, EagerTensor tangent) except -1:
        cdef PyObject* before = self.get(key)
        self.table.set(key, <int64_t><PyObject*>tangent)
        Py_INCREF(tangent)
        if before != NULL:
            Py_DECREF(<object>before)
        return 0

    cdef int drop(self, int64_t key) except -1:
        cdef PyObject* value = self.get(key)
        if value != NULL:
            self.table.drop(key)
            # Only now, when the table is whole: tensors that go with this one are dropped from it too.
            Py_DECREF(<object>value)
        return 0


cdef bint same_shape(EagerTensor one, EagerTensor other) except -1:
    cdef object x = one.array, y = other.array
    if isinstance(x, cnp.ndarray) and isinstance(y, cnp.ndarray):
        return cnp.PyArray_NDIM(<cnp.ndarray>x) == cnp.PyArray_NDIM(<cnp.ndarray>y) and PyArray_CompareLists(
            cnp.PyArray_DIMS(<cnp.ndarray>x), cnp.PyArray_DIMS(<cnp.ndarray>y), cnp.PyArray_NDIM(<cnp.ndarray>x))
    return shape_tuple(x) == shape_tuple(y)


cdef int refuse_shape(EagerTensor tensor, EagerTensor tangent) except -1:
    raise ValueError(
        f"a forward accumulator watches a variable with a tangent of shape {shape_tuple(tangent.array)}, "
        f"and the variable was assigned a value of shape {shape_tuple(tensor.array)} since.")


cdef PyObject* first_accumulator = NULL     # of those that are alive, in all threads; each knows the next


cdef void drop_from_all(int64_t tensor) noexcept:
    cdef Accumulator accumulator
    cdef PyObject* alive = first_accumulator
    while alive != NULL:
        accumulator = <Accumulator>alive
        accumulator.tangents.drop(tensor)
        alive = accumulator.following


tensors.drop_tangents = drop_from_all


@cython.final
cdef class Accumulator(Observer):
    def __cinit__(self):
        global first_accumulator
        self.tangents = Tangents()
        self.variables = {}
        self.following = first_accumulator
        if first_accumulator != NULL:
            (<Accumulator>first_accumulator).preceding = <PyObject*>self
        first_accumulator = <PyObject*>self

    def __dealloc__(self):
        global first_accumulator
        if self.preceding != NULL:
            (<Accumulator>self.preceding).following = self.following
        elif first_accumulator == <PyObject*>self:
            first_accumulator = self.following
        if self.following != NULL:
            (<Accumulator>self.following).preceding = self.preceding

    def watch(self, EagerTensor tensor not None, EagerTensor tangent not None):
        """Follow ``tensor``, which has this tangent. The tangents of several calls are added up."""
        cdef PyObject* before = self.tangents.get(tensor.id)
        self.keep(tensor, tangent if before == NULL else callbacks().add(<object>before, tangent))

    def watch_variable(self, variable, EagerTensor tangent not None):
        """Follow ``variable``, whose value has this tangent whenever it is read."""
        cdef int64_t unique_id = variable._unique_id
        before = self.variables.get(unique_id)
        self.variables[unique_id] = tangent if before is None else callbacks().add(before, tangent)

    def tangent(self, EagerTensor tensor not None):
        """The tangent of ``tensor``; None if the tensor depends on nothing that is followed."""
        cdef Observer recorder = current_state().recorder
        if recorder is not None and self.state is recorder.state and (
                self.state.observers.index(self) < self.state.observers.index(recorder)):
            recorder.on_refusal("it asks a forward accumulator that was made outside of it")
        return self.kept(tensor)

    cdef object kept(self, EagerTensor tensor):
        """`tangent`, for the accumulator itself."""
        cdef PyObject* tangent = self.tangents.get(tensor.id)
        return None if tangent == NULL else <object>tangent

    def variable_tangent(self, variable):
        """The tangent that ``variable`` was watched with, or None."""
        return self.variables.get(variable._unique_id)

    @property
    def is_recording(self):
        return self.state is not None

    def __len__(self):
        """How many tangents the accumulator holds."""
        return self.tangents.table.used

    cdef int subscribe(self) except -1:
        # Calls reach accumulators by `follow`, after the tapes have recorded them.
        self.observes_calls = self.observes_variables = self.pauses = self.follows = True
        return 0

    cdef int keep(self, EagerTensor tensor, EagerTensor tangent) except -1:
        self.tangents.set(tensor.id, tangent)
        tensor.followed = True
        return 0

    cdef int on_variable(
            self, object variable, int64_t unique_id, EagerTensor snapshot, bint trainable) except -1:
        if not self.variables:
            return 0
        tangent = self.variables.get(unique_id)
        if tangent is not None and not (snapshot.followed and self.tangents.get(snapshot.id) != NULL):
            self.keep(snapshot, <EagerTensor>tangent)
        return 0

    cdef int follow(self, object op, object backward, PyObject** inputs, int count, PyObject** outputs, int results,
                    tuple attributes) except -1:
        cdef list tangents = None, result_tangents
        cdef EagerTensor tensor
        cdef PyObject* tangent
        cdef bint flows = False
        cdef int i
        for i in range(count):
            tensor = <EagerTensor>inputs[i]
            if tensor.followed and is_trainable(tensor.array):
                tangent = self.tangents.get(tensor.id)
                if tangent != NULL:
                    if tangents is None:
                        tangents = [None] * count
                    tangents[i] = <object>tangent
                    if not same_shape(tensor, <EagerTensor>tangent):
                        refuse_shape(tensor, <EagerTensor>tangent)
        if tangents is None:
            return 0
        for i in range(results):
            flows = flows or is_trainable((<EagerTensor>outputs[i]).array)
        if not flows:
            return 0
        result_tangents = self.tangents_of_results(op, backward, inputs, count, outputs, results, attributes, tangents)
        for i in range(results):
            if result_tangents[i] is not None and is_trainable((<EagerTensor>outputs[i]).array):
                self.keep(<EagerTensor>outputs[i], <EagerTensor?>result_tangents[i])
        return 0

    cdef list tangents_of_results(
            self, object op, object backward, PyObject** inputs, int count, PyObject** outputs, int results,
            tuple attributes, list tangents):
        """For each result its tangent or None. Only the observers outside this one see the ops in between."""
        cdef ThreadState state = self.state
        cdef list before = state.observers
        cdef list outside = NOBODY if len(before) == 1 else before[:before.index(self)]
        cdef list result_tangents
        cdef Tape call
        cdef bint linear = True
        state.observers = outside
        state.refresh()
        try:
            if backward is not None:
                call = tape_of(op, [<object>inputs[i] for i in range(count)],
                               [<object>outputs[i] for i in range(results)], backward)
                result_tangents = transpose(call, inputs, outputs, tangents, &linear if attributes else NULL)
                return result_tangents if linear else [self.kept(plain) for plain in attributes]
            return tangents_of_call(<Op>op, inputs, count, outputs, results, attributes, tangents)
        finally:
            state.observers = before if self.unchanged(before, outside) else [
                observer for observer in before if (<Observer>observer).state is state
            ] + [observer for observer in state.observers if observer not in before]
            state.refresh()

    cdef bint unchanged(self, list before, list outside):
        """Whether no observer was started or stopped meanwhile; finalizers, too, may stop one."""
        cdef Observer observer
        if self.state is None or self.state.observers is not outside:
            return False
        for observer in before:
            if observer.state is not self.state:
                return False
        return True


cdef list NOBODY = []           # never changed: a thread that starts an observer gets a new list


cdef class Following:
    """The part of ForwardAccumulator that starts and stops its Accumulator. It is compiled, so that an interrupt
    never finds the accumulator half entered or half left.
    """

    cdef readonly Accumulator _accumulator
    cdef readonly bint _recording

    def __cinit__(self):
        self._accumulator = Accumulator.__new__(Accumulator)

    def _push_accumulator(self):
        if self._recording:
            self._refuse_to_enter()
        self._accumulator.start()
        self._recording = True

    def _pop_accumulator(self):
        if not self._recording:
            self._refuse_to_leave()
        self._recording = False
        self._accumulator.stop()

    def __enter__(self):
        self._push_accumulator()
        return self

    def __exit__(self, kind, error, traceback):
        if self._recording:
            self._pop_accumulator()
        if error is not None:
            hide(error)

    def __del__(self):
        # Nobody can ask for tangents any more, so none are to be computed.
        if self._recording:
            self._accumulator.stop()


cdef class Follower(Observer):
    """An observer in Python of the calls that take marked tensors: subclass it and write `called`."""

    cdef int subscribe(self) except -1:
        self.observes_calls = self.pauses = self.follows = True
        return 0

    def mark(self, EagerTensor tensor not None):
        """Calls that take ``tensor`` are told from now on, those that other observers marked too."""
        tensor.followed = True

    def called(self, op, backward, list inputs, list outputs, tuple attributes):
        """What a call took and gave. For a custom record ``op`` is its name and ``backward`` its function."""

    cdef int follow(self, object op, object backward, PyObject** inputs, int count, PyObject** outputs, int results,
                    tuple attributes) except -1:
        self.called(op, backward, [<object>inputs[i] for i in range(count)],
                    [<object>outputs[i] for i in range(results)], attributes)
        return 0


def linear_groups(Op op not None):
    """The groups of inputs in which the op is linear; none if a gradient was registered for it in its rules' place."""
    return op.linear if op.registered is None else ()


def tangents_of(op not None, backward, list inputs not None, list outputs not None, tuple attributes not None,
                list tangents not None):
    """For each result of a call its tangent or None: the arguments of `Follower.called`, and the inputs' tangents.

    None instead of a list for a custom record whose function is not linear: its attributes are then tensors with the
    tangents wanted, of ops that ran before.
    """
    cdef bint linear = True
    cdef list result_tangents
    check_tensors(inputs)
    check_tensors(outputs)
    tangents = list(tangents)
    if len(tangents) != len(inputs):
        raise ValueError(f"{len(inputs)} inputs have {len(tangents)} tangents")
    if backward is not None:
        result_tangents = transpose(tape_of(op, inputs, outputs, backward), (<PyListObject*>inputs).ob_item,
                                    (<PyListObject*>outputs).ob_item, tangents, &linear)
        return result_tangents if linear or not attributes else None
    return tangents_of_call(<Op?>op, (<PyListObject*>inputs).ob_item, len(inputs),
                            (<PyListObject*>outputs).ob_item, len(outputs), attributes, tangents)


cdef Tape tape_of(str type_name, list inputs, list outputs, object backward):
    """A tape that holds the record of one call with a gradient function of its own."""
    cdef Tape tape = Tape.__new__(Tape, False)
    tape.append(custom_record(type_name, inputs, outputs, backward))
    return tape


cdef list tangents_of_call(
        Op op, PyObject** inputs, int count, PyObject** outputs, int results, tuple attributes, list tangents):
    cdef list result_tangents = [None] * results, partial, single
    cdef tuple group
    cdef Tape call
    cdef EagerTensor tensor
    cdef int i, last = len(op.inputs) - 1
    cdef bint grouped
    for i in range(count):
        tensor = <EagerTensor>inputs[i]
        if tangents[i] is not None and not isinstance(tensor.array, cnp.ndarray):
            tangents[i] = kind_of(tensor.array).spread(tangents[i], tensor.array)
    if op.registered is None:
        if op.elementwise and op.rules and -1 not in op.rules and (
                op.holomorphic or not any_complex(inputs, count, outputs)) and (
                keeps_dtype(inputs, count, outputs, tangents)):
            result_tangents[0] = diagonal(op, inputs, count, outputs, attributes, tangents)
            return result_tangents
        for group in op.linear:
            partial = [None] * count
            grouped = False
            for i in range(count):
                if tangents[i] is not None and min(i, last) in group:
                    partial[i] = tangents[i]
                    tangents[i] = None
                    grouped = True
            if grouped and op.multilinear:
                for i in range(count):
                    if partial[i] is not None:
                        single = [None] * count
                        single[i] = partial[i]
                        add_all(result_tangents, apply_linear(op, (), inputs, count, attributes, single))
            elif grouped:
                add_all(result_tangents, apply_linear(op, group, inputs, count, attributes, partial))
    if tangents.count(None) < count:
        call = Tape.__new__(Tape, False)
        for i in range(count):
            if tangents[i] is not None:
                call.watch(<EagerTensor>inputs[i])
        record_alone(call, op, inputs, count, outputs, results, attributes)
        if len(call):
            add_all(result_tangents, transpose(call, inputs, outputs, tangents, NULL))
    return result_tangents


cdef int record_alone(Tape tape, Op op, PyObject** inputs, int count, PyObject** outputs, int results,
                      tuple attributes) except -1:
    """Record a call on this tape and nowhere else: the outer tapes have recorded it."""
    cdef ThreadState state = current_state()
    cdef list outside = state.observers
    state.observers = NOBODY
    tape.start()
    try:
        record_call(op, state, inputs, count, outputs, results, attributes)
    finally:
        tape.stop()
        state.observers = outside
        state.refresh()
    return 0


cdef int add_all(list sums, list terms) except -1:
    """Add ``terms`` to ``sums``, in which None stands for zero."""
    cdef Py_ssize_t i
    for i in range(len(sums)):
        if terms[i] is not None:
            sums[i] = terms[i] if sums[i] is None else callbacks().add(sums[i], terms[i])
    return 0


cdef bint keeps_dtype(PyObject** inputs, int count, PyObject** outputs, list tangents) except -1:
    """Whether the result has the dtype of the inputs with tangents. A rule gives a gradient the input's dtype."""
    cdef int i
    for i in range(count):
        if tangents[i] is not None and dtype_of((<EagerTensor>inputs[i]).array) is not dtype_of(
                (<EagerTensor>outputs[0]).array):
            return False
    return True


cdef bint any_complex(PyObject** inputs, int count, PyObject** outputs) except -1:
    cdef int i
    for i in range(count):
        if is_complex((<EagerTensor>inputs[i]).array):
            return True
    return is_complex((<EagerTensor>outputs[0]).array)


# --- An elementwise op: its Jacobian is diagonal, so its rules do to a tangent what they do to a gradient -----

cdef EagerTensor diagonal(
        Op op, PyObject** inputs, int count, PyObject** outputs, tuple attributes, list tangents):
    """The sum of the op's rules applied to the tangents; None if the rules give nothing."""
    cdef uint64_t watched = 0
    cdef PyObject* arguments[MAX_ASKS]
    cdef Plan plan
    cdef Call call
    cdef list held = []         # what `arguments` borrows and nobody else holds
    cdef object result, total = None
    cdef int i
    for i in range(count):
        if tangents[i] is not None:
            watched |= <uint64_t>1 << i
    plan = op.plan(watched)
    for call in plan.calls:
        for i in range(call.count):
            if call.places[i] == DY:
                arguments[i] = (<PyListObject*>tangents).ob_item[call.input]
            else:
                arguments[i] = asked(plan, call.places[i], inputs, outputs, attributes, held)
        result = None
        if call.programs is not None and not current_state().active:
            result = run_program(call, arguments, NULL)
        if result is None:
            result = PyObject_Vectorcall(call.rule, arguments, call.count, NULL)
        if result is not None:
            total = result if total is None else callbacks().add(total, result)
    if total is None:
        return None
    if type(total) is not EagerTensor:
        total = callbacks().convert(total, dtype_of((<EagerTensor>outputs[0]).array))
    if not same_shape(<EagerTensor>total, <EagerTensor>outputs[0]):
        total = callbacks().broadcast_to(total, shape_tuple((<EagerTensor>outputs[0]).array))
    return <EagerTensor>total


cdef PyObject* asked(
        Plan plan, int place, PyObject** inputs, PyObject** outputs, tuple attributes, list held) except NULL:
    """What a rule of an elementwise op asks for, borrowed: `recording.save` has all of it."""
    cdef int kind = plan.kinds[place], index = plan.indices[place]
    if kind == ASK_INPUT:
        return inputs[index]
    if kind == ASK_OUTPUT:
        return outputs[index]
    if kind == ASK_ATTRIBUTE:
        return PyTuple_GET_ITEM_(attributes, index)
    if kind == ASK_INPUT_DTYPE:
        held.append(dtype_of((<EagerTensor>inputs[index]).array))
    else:
        held.append(shape_tuple((<EagerTensor>(inputs if kind == ASK_INPUT_SHAPE else outputs)[index]).array))
    return PyList_GET_ITEM_(held, len(held) - 1)


# --- A linear op is applied to the tangents --------------------------------------------------------------------

cdef list apply_linear(Op op, tuple group, PyObject** inputs, int count, tuple attributes, list tangents):
    """What the op gives for the tangents in place of the inputs of ``group``, zeros where there is none."""
    cdef list arguments = []
    cdef EagerTensor tensor
    cdef int i, last = len(op.inputs) - 1
    for i in range(count):
        tensor = <EagerTensor>inputs[i]
        if tangents[i] is not None:
            tensor = <EagerTensor>tangents[i]
        elif min(i, last) in group:
            tensor = callbacks().zeros(shape_tuple(tensor.array), dtype_of(tensor.array))
        arguments.append(tensor)
    result = apply_op(op, arguments, attributes)
    return [result] if type(result) is EagerTensor else list(result)


# --- Any other op: its rules are linear in the gradient that arrives, and their transpose takes tangents -------

cdef list transpose(Tape call, PyObject** inputs, PyObject** outputs, list tangents, bint* linear):
    """The tangents of the results of the one call that the tape has recorded.

    The rules are run on gradients of ones, and a tape records them. That tape then gives the derivative of
    what the rules gave, weighted with the tangents, by those ones. The values of the ones do not matter: our
    rules are linear. Of a user's function ``linear`` is set to whether it is.
    """
    cdef Tape rules = Tape.__new__(Tape, False)
    cdef Record record = call.records[0]
    cdef EagerTensor tensor
    cdef list sources = [], arriving = [], targets = [], ones = [], gradients = [], seeds = [], result_tangents
    cdef int i
    # Each place gets an id of its own: an input may stand at two places, of which one has been dealt with.
    for i in range(record.inputs):
        if tangents[i] is None:
            record.ids[i] = next_id()
            continue
        tensor = wrap((<EagerTensor>inputs[i]).array)
        record.ids[i] = tensor.id
        call.producers.set(tensor.id, SOURCE)
        sources.append(tensor)
        seeds.append(tangents[i])
    for i in range(record.outputs):
        tensor = <EagerTensor>outputs[i]
        if is_trainable(tensor.array):
            targets.append(tensor)
            ones.append(ones_like(tensor) if isinstance(tensor.array, cnp.ndarray)
                        else wrap(kind_of(tensor.array).full_like(tensor.array, 1)))
            rules.watch(ones[len(ones) - 1])
        arriving.append(is_trainable(tensor.array))
    with recording(rules):
        gradients = [gradient if gradient is None or type(gradient) is EagerTensor else callbacks().densify(gradient)
                     for gradient in compute_gradient(call, targets, sources, ones, True)]
        gradients = [gradient if gradient is None else like_source(record, gradient, source)
                     for gradient, source in zip(gradients, sources)]
    seeds = [seed for seed, gradient in zip(seeds, gradients) if gradient is not None]
    gradients = [gradient for gradient in gradients if gradient is not None]
    result_tangents = compute_gradient(rules, gradients, ones, seeds, True)
    result_tangents = [
        tangent if tangent is None or type(tangent) is EagerTensor else callbacks().densify(tangent)
        for tangent in result_tangents]
    if linear != NULL:
        linear[0] = is_transpose(result_tangents, gradients, seeds)
    return [result_tangents.pop(0) if flows else None for flows in arriving]


cdef EagerTensor like_source(Record record, EagerTensor gradient, EagerTensor source):
    """A gradient in the dtype of its source, in which the tangent comes. A user's function may have given another one."""
    cdef object dtype = dtype_of(source.array), own = dtype_of(gradient.array)
    if own is dtype and same_shape(gradient, source):
        return gradient
    if same_shape(gradient, source) and own.is_floating and dtype.is_floating:
        return callbacks().cast(gradient, dtype=dtype)
    raise errors.InvalidArgumentError(None, None, (
        f"No tangent goes through {record.op if isinstance(record.op, str) else record.op.type}: its gradient function "
        f"gives a gradient of shape {shape_tuple(gradient.array)} and dtype {own.name} for an input of shape "
        f"{shape_tuple(source.array)} and dtype {dtype.name}."))


cdef bint is_transpose(list tangents, list gradients, list seeds) except -1:
    """Whether ``tangents`` belong to a linear function that gave ``gradients`` for ones.

    Then <seeds, gradients> is <tangents, ones>.

    It is not if the function clips its argument, for example, or computes with NumPy, which no tape records.
    """
    cdef ThreadState state = current_state()
    cdef object with_seeds = 0.0, with_ones = 0.0, size = 0.0
    cdef EagerTensor tensor, other
    with np.errstate(all="ignore"):
        for tensor in gradients + seeds + [tensor for tensor in tangents if tensor is not None]:
            if not isinstance(tensor.array, np.ndarray):
                return True     # an array of another kind, which may have no values
        if state.recorder is not None:
            # The next call may have other values, by which the function is not linear, or is.
            state.recorder.on_refusal("values say whether a custom gradient is linear, and so what its tangent is")
        for tensor, other in zip(gradients, seeds):
            product = np.conj(tensor.array.astype(np.complex128)) * other.array
            with_seeds += product.real.sum()
            size += np.abs(product).sum()
        for tensor in tangents:
            if tensor is not None:
                with_ones += tensor.array.astype(np.complex128).real.sum()
                size += np.abs(tensor.array.astype(np.complex128)).sum()
        return not np.isfinite(size) or abs(with_seeds - with_ones) <= 1e-2 * size
