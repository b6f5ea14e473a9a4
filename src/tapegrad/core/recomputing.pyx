"""Intermediate results that a function holds while it is recorded: the memory of the oldest is let go of.

Libraries keep every intermediate result until their function ends, in a dict say, and seldom read one again. A replay
keeps none of them, nor does TensorFlow, whose tensors have no values while a function is traced. Here a tensor that is
read all the same is computed again, by the steps that were recorded so far.

What a convolution or a stage gives (see `core.joining`) goes first, once the next stage has read it: a replay joins
these, and hardly a program reads such a result again. Then goes what was not used for the longest time. What the rules of
a tape will ask for stays.
"""

cimport numpy as cnp
from cpython.ref cimport PyObject

from tapegrad import dtypes
from tapegrad.core.dispatch cimport Op
from tapegrad.core.kinds import Kind, register_kind
from tapegrad.core.joining cimport may_be_stage
from tapegrad.core.kinds cimport Recomputable
from tapegrad.core.observers cimport Observer, ThreadState
from tapegrad.core.plans cimport ASK_EVERYTHING, ASK_INPUT, ASK_OUTPUT, ASK_OUTPUTS, Plan
from tapegrad.core.recorder cimport Recorder
from tapegrad.core.steps cimport BINARY, NO_EFFECT, OP, READS, UNARY, WRITES, Step, StepListener, slots_read_by
from tapegrad.core.tape cimport Record, Tape
from tapegrad.core.tensor cimport EagerTensor, present_array, shape_tuple
from tapegrad.core.variable cimport VariableBase
from tapegrad.engines.numpy.buffers cimport POOLED
from tapegrad.engines.numpy.conv_lanes cimport takes_epilogue
from tapegrad.engines.numpy.programs cimport is_one_number

import numpy as np

cnp.import_array()

cdef extern from "Python.h":
    object PyWeakref_NewRef(object, object)

cdef enum:
    LEAST_HELD = 8 << 20        # bytes that a function may hold beside what its largest op reads or gives
    LARGEST_DRAWN = 1 << 20     # bytes of a result that cannot be computed again, and so is kept

# By how much the limit grows when a tensor is needed again: at first, and once MUCH of all results was computed again.
cdef double GROWTH = 1.5
cdef double STEEP_GROWTH = 4
cdef double MUCH = 0.75
cdef double LARGEST_FACTOR = 1e6


cdef class LetGo(Recomputable):
    """The array of a tensor whose memory was let go of."""

    cdef object __weakref__
    cdef Intermediates intermediates
    cdef int slot
    cdef bint passed            # whether it was let go of because the next stage had read it
    cdef cnp.ndarray array      # once it was computed again

    cdef object compute(self):
        if self.array is None:
            if self.passed:     # this function does read such results again
                self.intermediates.by_stages = False
                self.intermediates.passed.clear()
            self.array = self.intermediates.compute(self.slot)
        return self.array


cdef class Intermediates(StepListener):
    """The intermediate results of one recording. Of those that Python holds, the least recently used are let go of.

    It ends with the first accumulator, batch or other observer beside the
    recorder: they hold tensors whose values they need. It ends with the first write to a large variable, too, which would
    find the variable's memory in use here.
    """

    def __init__(self, list inputs not None):
        cdef EagerTensor tensor
        self.factor = 1
        self.by_stages = True
        self.tapes = {}
        self.absent = []
        self.sources = {slot: tensor.array for slot, tensor in enumerate(inputs)}

    cdef int on_step(self, Step step, ThreadState state, PyObject** outputs) except -1:
        cdef Recorder recorder
        cdef cnp.ndarray array
        cdef Py_ssize_t size = 0, read = 0
        cdef int i
        if self.stopped:
            return 0
        if step.effect == WRITES and not writes_little(step) or not self.is_alone(state):
            return self.stop()
        recorder = <Recorder>state.recorder
        for i in range(step.results):
            array = <cnp.ndarray>(<EagerTensor>outputs[i]).array
            size += cnp.PyArray_NBYTES(array)
            if (step.effect != NO_EFFECT and step.targets[i] >= 0
                    and (step.effect == READS or cnp.PyArray_NBYTES(array) <= LARGEST_DRAWN)):
                self.sources[step.targets[i]] = array
        self.result_bytes += size
        if self.result_bytes <= LEAST_HELD:
            return 0                # most functions end here
        if self.producers is None:
            self.catch_up(recorder)
        else:
            self.note(step, recorder)
            for i in range(step.results):
                if step.targets[i] in self.producers:
                    self.follow(step.targets[i], <EagerTensor>outputs[i])
        for i in range(step.count):
            if step.places[i] in self.held:
                # It is the most recently used one from now on.
                used = self.held.pop(step.places[i])
                self.held[step.places[i]] = used
                read += <Py_ssize_t>used
        self.pass_over(step)
        self.leave_to_tapes(state, recorder)
        if not self.tapes:
            self.largest = max(self.largest, size, read)
        self.set_limit()
        if self.bytes > self.limit or self.tapes and self.passed:
            self.forget_gone()
            self.let_go_of_oldest(step)
        return 0

    cdef int leave_to_tapes(self, ThreadState state, Recorder recorder) except -1:
        """Count no longer, and never let go of, what tapes have saved for their rules since the last step."""
        cdef Tape tape
        cdef Record record
        cdef Plan plan
        cdef Py_ssize_t number, seen
        cdef int i, first, after
        for observer in state.observers:
            if type(observer) is Tape:
                self.tapes.setdefault(observer, 0)
        for observer in list(self.tapes):
            tape = <Tape>observer
            seen = self.tapes[tape]
            for number in range(seen, len(tape.records)):
                record = tape.records[number]
                if record is None:
                    continue
                if type(record.plan) is not Plan:
                    # A function of the user, which may hold what it was given and what it has given.
                    self.keep(record, 0, record.inputs + record.outputs, recorder)
                    continue
                plan = record.plan
                for i in range(plan.count):
                    first = 0 if plan.kinds[i] == ASK_EVERYTHING or plan.kinds[i] == ASK_INPUT else record.inputs
                    after = record.inputs + record.outputs
                    if plan.kinds[i] == ASK_INPUT:
                        first = plan.indices[i]
                        after = record.inputs if first == len((<Op>record.op).inputs) - 1 else first + 1
                    elif plan.kinds[i] == ASK_OUTPUT:
                        first += plan.indices[i]
                        after = first + 1
                    elif plan.kinds[i] != ASK_OUTPUTS and plan.kinds[i] != ASK_EVERYTHING:
                        continue
                    self.keep(record, first, after, recorder)
            self.tapes[tape] = len(tape.records)
            if tape.state is None:
                self.tapes.pop(tape)
        return 0

    cdef int keep(self, Record record, int first, int after, Recorder recorder) except -1:
        """Keep the tensors of a record from the one with the number ``first`` on."""
        cdef object slot
        cdef int i
        for i in range(first, after):
            slot = recorder.slot_of.get(record.ids[i], -1)
            self.passed.pop(slot, None)
            self.bytes -= <Py_ssize_t>self.held.pop(slot, 0)
        return 0

    cdef int on_tape(self, object recorder) except -1:
        if not self.stopped and self.producers is not None:
            self.leave_to_tapes((<Recorder>recorder).state, recorder)
        return 0

    cdef int catch_up(self, Recorder recorder) except -1:
        """Note the steps that were recorded so far."""
        cdef EagerTensor tensor
        self.producers = {}
        self.passed = {}
        self.tensors = {}
        self.held = {}
        for step in recorder.steps:
            self.note(step, recorder)
        for reference in recorder.step_results:
            tensor = reference()
            if tensor is not None:
                slot = recorder.slot_of.get(tensor.id, -1)
                if slot in self.producers:
                    self.follow(slot, tensor)
        for step in recorder.steps:
            self.pass_over(step)
        return 0

    cdef int note(self, Step step, Recorder recorder) except -1:
        """Note how the results of a step are computed again, if they can be."""
        cdef dict constants = {}
        cdef int i
        if step.effect != NO_EFFECT or step.kind not in (UNARY, BINARY, OP):
            return 0
        for i in range(step.count):
            if step.places[i] < 0:
                constants[i] = (<EagerTensor>recorder.constants[-1 - step.places[i]]).array
            elif step.places[i] not in self.producers and step.places[i] not in self.sources:
                return 0
        for i in range(step.results):
            if step.targets[i] >= 0:
                self.producers[step.targets[i]] = (step, constants)
        return 0

    cdef int pass_over(self, Step step) except -1:
        """Note what a step has read as the next stage, and what it has read otherwise."""
        cdef int i
        for i in range(step.count):
            self.passed.pop(step.places[i], None)
        if self.by_stages and self.is_next_stage(step):
            self.passed[step.places[0]] = None
        return 0

    cdef bint is_next_stage(self, Step step) except -1:
        """Whether a step is a stage whose operand comes from a convolution or another stage."""
        cdef Step before
        if step.count == 0 or step.places[0] not in self.held or not may_be_stage(step):
            return False
        before = self.producers[step.places[0]][0]
        return takes_epilogue(before.op.lane) or may_be_stage(before)

    cdef int follow(self, int slot, EagerTensor tensor) except -1:
        """Know the tensor of a slot, and count its memory."""
        self.tensors[slot] = PyWeakref_NewRef(tensor, None)
        return self.hold(slot, tensor.array)

    cdef bint is_alone(self, ThreadState state) except -1:
        """Whether nobody but the recorder, and tapes, observe ops and values on the thread."""
        cdef Observer observer
        if state is None or state.paused or state.batch is not None:
            return False
        for observer in state.observers:
            if (observer is not state.recorder and type(observer) is not Tape
                    and (observer.observes_calls or observer.observes_values)):
                return False
        return True

    cdef void raise_limit(self, double growth) noexcept:
        self.factor = min(self.factor * growth, LARGEST_FACTOR)
        self.set_limit()

    cdef void set_limit(self) noexcept:
        self.limit = <Py_ssize_t>(self.factor * LEAST_HELD) + self.largest

    cdef int hold(self, int slot, cnp.ndarray array) except -1:
        if cnp.PyArray_NBYTES(array) >= POOLED and not is_one_number(array):
            self.held[slot] = cnp.PyArray_NBYTES(array)
            self.bytes += cnp.PyArray_NBYTES(array)
        return 0

    cdef int forget_gone(self) except -1:
        """Count only the tensors that Python still holds."""
        for slot in list(self.held):
            if self.tensors[slot]() is None:
                self.bytes -= self.held.pop(slot)
                self.passed.pop(slot, None)
        return 0

    cdef int let_go_of_oldest(self, Step step) except -1:
        """Let go of the memory of tensors that ``step`` does not use, until those held are within the limit.

        The step has run, so what it has passed over may go as well.
        """
        cdef EagerTensor tensor
        cdef set used = slots_read_by(step)
        cdef LetGo absent
        used.update([step.targets[i] for i in range(step.results)])
        if not self.tapes:          # else a record of the step, which is still to come, may save what it has passed over
            used.difference_update(self.passed)
        for slot in [*self.passed, *self.held]:
            # Beside what tapes hold there is little room: what stages have passed over goes at once.
            if self.bytes <= self.limit and not (self.tapes and slot in self.passed):
                break
            if slot not in self.held:
                continue
            tensor = self.tensors[slot]()
            if slot in used or tensor is None:
                continue
            absent = LetGo.__new__(LetGo)
            absent.intermediates = self
            absent.slot = slot
            absent.passed = slot in self.passed
            self.absent.append(PyWeakref_NewRef(absent, None))
            absent.shape = shape_tuple(tensor.array)
            absent.dtype = tensor.array.dtype
            tensor.array = absent
            self.bytes -= self.held.pop(slot)
            self.passed.pop(slot, None)
        return 0

    cdef EagerTensor tensor_of(self, int slot):
        """The tensor of a slot, if Python holds it."""
        reference = self.tensors.get(slot)
        return None if reference is None else reference()

    cdef cnp.ndarray array_of(self, int slot):
        """The array of a slot that is there; None where it has to be computed."""
        cdef EagerTensor tensor
        array = self.sources.get(slot)
        if array is not None:
            return array
        tensor = self.tensor_of(slot)
        if tensor is None:
            return None
        if isinstance(tensor.array, LetGo):
            return (<LetGo>tensor.array).array
        return tensor.array

    cdef object compute(self, int slot):
        """The array of a slot, computed again from those that are there.

        From then on the function may hold more, so this happens a few times only. Tensors on the way that Python holds get
        their arrays back as far as that allows, for who needs one may need the others.
        """
        cdef dict arrays = {}       # slot -> array
        cdef dict readers = {slot: 1}   # slot -> how many steps still read it, and this method
        cdef list steps = self.steps_to(slot, arrays), operands
        cdef bint grows = True
        cdef Step step
        cdef int i
        self.raise_limit(GROWTH)
        for step in steps:
            for i in range(step.count):
                readers[step.places[i]] = readers.get(step.places[i], 0) + 1
        for step in steps:
            constants = self.producers[step.targets[first_target(step)]][1]
            operands = [
                arrays[step.places[i]] if step.places[i] >= 0 else constants[i] for i in range(step.count)]
            results = step.op.run(operands, step.attributes)
            if isinstance(results, np.ndarray):
                results = [results]
            operands = None
            for i in range(step.count):
                readers[step.places[i]] -= 1
                if step.places[i] >= 0 and readers[step.places[i]] == 0:
                    arrays.pop(step.places[i], None)
            for i in range(step.results):
                if step.targets[i] in readers:
                    arrays[step.targets[i]] = results[i]
                self.computed_again += cnp.PyArray_NBYTES(<cnp.ndarray>results[i])
                if grows and self.computed_again > MUCH * self.result_bytes:
                    self.raise_limit(STEEP_GROWTH / GROWTH)
                    grows = False
                if step.targets[i] >= 0:
                    self.give_back(step.targets[i], results[i], step.targets[i] == slot)
            results = None
        return arrays[slot]

    cdef int give_back(self, int slot, cnp.ndarray array, bint beyond_limit) except -1:
        """Give its array to the tensor of a slot, if Python holds it, and if that is within the limit."""
        cdef EagerTensor tensor = self.tensor_of(slot)
        if tensor is None or not isinstance(tensor.array, LetGo):
            return 0
        if beyond_limit or self.bytes + cnp.PyArray_NBYTES(array) <= self.limit:
            (<LetGo>tensor.array).array = array
            tensor.array = array
            self.hold(slot, array)
        return 0

    cdef list steps_to(self, int slot, dict arrays):
        """The steps that compute a slot, in order. Those arrays that are there already are added to ``arrays``."""
        cdef list steps = [], waiting = [slot], missing
        cdef set reached = set()    # slots that are there, or that `steps` fill
        cdef Step step
        cdef int i
        while waiting:
            slot = waiting[len(waiting) - 1]
            if slot in reached:
                waiting.pop()
                continue
            array = self.array_of(slot)
            if array is not None:
                arrays[slot] = array
                reached.add(slot)
                continue
            step = self.producers[slot][0]
            missing = [place for place in slots_read_by(step) if place not in reached]
            if missing:
                waiting.extend(missing)
                continue
            steps.append(step)
            reached.update([step.targets[i] for i in range(step.results)])
        return steps

    cdef int stop(self) except -1:
        """Let go of nothing more. Tensors whose memory was let go of get it back."""
        if self.stopped:
            return 0
        self.stopped = True
        self.factor = LARGEST_FACTOR
        for reference in self.absent:
            absent = reference()
            if absent is not None:
                (<LetGo>absent).compute()
        # Variables may be written to in place again.
        self.sources = self.producers = self.tensors = self.held = self.passed = self.tapes = None
        return 0


cdef bint writes_little(Step step) except -1:
    """Whether a step writes a variable whose former value takes little memory."""
    cdef VariableBase variable
    if not isinstance(step.detail, VariableBase):
        return False
    variable = <VariableBase>step.detail
    return (variable.snapshot is not None and isinstance(variable.snapshot.array, cnp.ndarray)
            and cnp.PyArray_NBYTES(<cnp.ndarray>variable.snapshot.array) < POOLED)


cdef int first_target(Step step) noexcept:
    """The number of the first result that fills a slot."""
    cdef int i = 0
    while step.targets[i] < 0:
        i += 1
    return i


class LetGoKind(Kind):
    """Says what a tensor without its memory is like, and computes its values where they are read."""

    def shape(self, array):
        return array.shape

    def dtype(self, array):
        return dtypes.from_numpy(array.dtype)

    def full(self, shape, dtype, value):
        return np.full(shape, value, dtype.numpy_dtype)

    def read(self, tensor, how):
        present_array(tensor)

    def numpy(self, array):
        return (<LetGo?>array).compute()


register_kind(LetGo, LetGoKind())
