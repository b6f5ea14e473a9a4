"""Ahead-of-time gradients of a recorded function: a forward recording, a backward one, and one record on the tape.

How the two are made, for a call under a tape that was opened outside the function (`ForwardBackward.record_both`):

1. The function was recorded op by op. Its reads of variables and its draws become inputs, its writes become results.
2. These steps are replayed under a tape of their own, with a `Recorder` that observes them.
3. The walk back of that tape follows, from gradients that are inputs too. The recorder observes it as well.
4. The steps before the walk are the forward recording. Besides the results it gives what the walk reads of it.
5. The steps of the walk are the backward recording. Both are compiled as others are.

    recorded op by op       forward: x -> y, h          backward: dy, h -> dx
    h = tanh(x)             h = tanh(x)                 dh = dy * w
    y = h * w               y = h * w                   dx = dh * (1 - h * h)

A call runs the forward recording and puts one record on the tape, whose backward function runs the backward recording:
with the draws and the values of variables of that call, whatever happens in between.

Under an accumulator there is one recording, of the function with the tangents of its results. Where an observer watches
the walk back, as for a gradient of higher order, the function and its rules are replayed op by op instead; and so they
are where more than one tape observes the call.
"""

cimport numpy as cnp

import numpy as np

from tapegrad.core.backward import compute_gradient
from tapegrad.core.dispatch cimport run_op
from tapegrad.core.compiling cimport compile_path
from tapegrad.core.forward cimport Accumulator
from tapegrad.core.function cimport PROMOTING, TRACING, hooks
from tapegrad.core.gradients import fitted
from tapegrad.core.kinds cimport open_batches
from tapegrad.core.observers cimport ThreadState, current_state
from tapegrad.core.observers import apart
from tapegrad.core.recorder cimport Recorder
from tapegrad.core.steps cimport (
    ADD, ASSIGN, DRAWS, GUARD, NO_EFFECT, READ, READ_ANEW, SUBTRACT, Path, Step, slots_read_by)
from tapegrad.core.replay import MISS
from tapegrad.core.replay cimport Program
from tapegrad.core.tape cimport Tape
from tapegrad.core.tape import record, recording
from tapegrad.core.tensor cimport EagerTensor, is_trainable, is_trainable_type, shape_tuple, wrap
from tapegrad.core.callbacks cimport callbacks
from tapegrad.core.variable cimport VariableBase
from tapegrad.engines.numpy.types cimport BUILTIN_TYPES

cnp.import_array()

cdef enum:
    LEAST_STEPS = 6             # a shorter function is replayed op by op


def forward_backward_of(Program program not None):
    """The ForwardBackward of a function that was recorded op by op; None where there can be none.

    The function must be one path, read variables before it writes them, and draw what does not depend on its inputs.
    """
    cdef Path path = program.root
    cdef Step step
    cdef list readings = [], draws = [], writes = [], steps = []
    cdef set written = set()    # ids of variables
    cdef set input_slots = set()    # slots that become inputs: of draws, and of values of variables
    cdef ForwardBackward replayed
    cdef int i, inputs
    if path is None or len(path.steps) < LEAST_STEPS:
        return None
    for step in path.steps:
        if step.kind == GUARD or step.other_paths is not None or step.pending is not None or step.kind == READ_ANEW:
            return None
        if step.kind == READ:
            if step.targets[0] < 0 or step.shapes is not None or id(step.detail) in written:
                return None         # what it gives may have another shape next time, or was written before
            readings.append((step.targets[0], step.detail))
            input_slots.add(step.targets[0])
        elif step.effect == DRAWS:
            if step.detail is None or any([step.places[i] >= 0 for i in range(step.count)]):
                return None
            draws.append(step)
            input_slots.update([step.targets[i] for i in range(step.results) if step.targets[i] >= 0])
        elif (step.kind == ASSIGN or step.kind == ADD or step.kind == SUBTRACT) and step.shapes is None:
            writes.append(step)
            written.add(id(step.detail))
        elif step.effect != NO_EFFECT:
            return None
        else:
            steps.append(step)
    inputs = program.inputs
    if len(set(path.outputs)) != len(path.outputs) or any([
            place >= 0 and (place < inputs or place in input_slots or path.info[place][0] >= BUILTIN_TYPES)
            for place in path.outputs]):
        return None
    replayed = ForwardBackward.__new__(ForwardBackward)
    replayed.program = program
    replayed.readings = readings
    replayed.constants = [
        value for value in path.constants
        if type(value) is EagerTensor and is_trainable((<EagerTensor>value).array)]
    replayed.draws = draws
    replayed.writes = writes
    replayed.outputs = len(path.outputs)
    replayed.path = Path(
        steps, path.constants, path.outputs + tuple([(<Step>write).places[0] for write in writes]), list, path.info)
    replayed.path.inputs = tuple(range(inputs)) + tuple([slot for slot, _ in readings])
    for step in draws:
        replayed.path.inputs += tuple([step.targets[i] for i in range(step.results) if step.targets[i] >= 0])
    compile_path(replayed.path, True, {})
    replayed.plain = Program(True, program.label, program.streams, program.name, program.lock)
    replayed.by_watched = {}
    return replayed


cdef class Recordings:
    """The two recordings for the inputs that a tape watches; or one, for the inputs that an accumulator has tangents of."""

    cdef Program program
    cdef Path forward, backward
    cdef tuple differentiated   # numbers of the inputs that get gradients, or have tangents
    cdef tuple seeded           # numbers of the outputs that gradients are seeded at
    cdef tuple result_numbers   # where the results have each gradient of `differentiated`, or tangent; -1 for None


cdef class ForwardBackward:
    cdef Program program        # the function op by op
    cdef Program plain          # runs `path`
    cdef Path path              # the same without its readings of variables, whose values are inputs
    cdef list readings          # (slot, variable)
    cdef list constants         # tensors of the function that somebody may watch
    cdef list draws             # steps, in their order
    cdef list writes            # steps, whose operands are results of `path`, after those of the function
    cdef Py_ssize_t outputs     # of the function
    cdef dict by_watched        # which inputs are watched -> Recordings, or None where there are none

    @property
    def built(self):
        """For how many sets of watched inputs there are recordings."""
        return len([recordings for recordings in self.by_watched.values() if recordings is not None])

    def __call__(self, list inputs not None):
        """What the function gives, reported to the observer; MISS where it has to be replayed op by op."""
        cdef ThreadState state = current_state()
        cdef VariableBase variable
        cdef EagerTensor tensor
        cdef Step step
        cdef Recordings recordings
        cdef list values = list(inputs), watched = [], results
        cdef object again = None, replay = MISS, observer
        cdef int i
        if len(state.observers) != 1:
            return MISS
        observer = state.observers[0]
        if type(observer) is not Tape and type(observer) is not Accumulator:
            return MISS
        for tensor in self.constants:
            if follows(observer, tensor):
                return MISS
        for _, variable in self.readings:
            if variable.snapshot is None:
                return MISS
            values.append(variable.read())
        state.paused += 1
        state.refresh()
        try:
            if self.draws:
                again = callbacks().draw_again(self.program.streams, self.program.name)
                self.draw(again, values)
            for tensor in values:
                watched.append(is_trainable(tensor.array) and follows(observer, tensor))
                if watched[len(watched) - 1] and type(observer) is Accumulator and not fits(<Accumulator>observer, tensor):
                    if again is not None:
                        again.take_back()
                    return MISS
            recordings = self.find(type(observer) is Tape, watched, values, state)
            if recordings is not None:
                replay = recordings.program.run_code(
                    recordings.forward.code,
                    values if type(observer) is Tape else values + tangents_of(observer, recordings, values), state)
            if replay is MISS:
                if again is not None:
                    again.take_back()
                return MISS
            results = replay
            for i in range(len(self.writes)):
                step = <Step>self.writes[i]
                variable = <VariableBase>step.detail
                tensor = <EagerTensor>results[self.outputs + i]
                if step.kind == ASSIGN:
                    variable.hold(tensor.array)
                else:
                    variable._add_inplace(tensor, step.kind == SUBTRACT)
        finally:
            state.paused -= 1
            state.refresh()
        if type(observer) is Tape:
            self.report_to_tape(recordings, values, results)
        else:
            report_to_accumulator(<Accumulator>observer, recordings, results, <int>len(self.path.outputs))
        self.program.replays += 1
        results = results[:self.outputs]
        template = self.program.root.template
        return results[0] if template is None else template(results)

    cdef int report_to_tape(self, Recordings recordings, list values, list results) except -1:
        cdef Backward backward
        if recordings.differentiated:
            backward = Backward.__new__(Backward)
            backward.owner = self
            backward.recordings = recordings
            backward.inputs = values
            backward.saved = results[len(self.path.outputs):]
            record("PartitionedCall", values, results[:self.outputs], backward)
        return 0

    cdef Recordings find(self, bint back, list watched, list values, ThreadState state):
        """The recordings for the inputs that are watched: forward and ``back``, or with tangents; None where none can be."""
        cdef tuple key = (back, *watched)
        if key not in self.by_watched:
            self.by_watched[key] = (self.record_both(key[1:], values, state) if back
                                    else self.record_with_tangents(key[1:], values))
        return self.by_watched[key]

    cdef int draw(self, object again, list values) except -1:
        """Draw what the function draws, in its order, and add it to ``values``. ``again`` can take it back."""
        cdef Step step
        cdef list results
        cdef int i
        for step in self.draws:
            again.begin(step.detail, True)
            try:
                results = run_op(
                    step.op, [self.path.constants[-1 - step.places[i]] for i in range(step.count)], step.attributes)
            finally:
                again.end()
            values.extend([results[i] for i in range(step.results) if step.targets[i] >= 0])
        return 0

    cdef Recordings record_both(self, tuple watched, list values, ThreadState state):
        """The two recordings; None where something in them cannot be recorded."""
        cdef list fresh = [wrap((<EagerTensor>value).array) for value in values]
        cdef list seeds = [], seeded = [], grads = [], outputs = []
        cdef EagerTensor value
        cdef Recorder recorder
        cdef Tape tape
        cdef Recordings recordings
        cdef Step step
        cdef Py_ssize_t border
        cdef int i
        cdef set filled, read = set()
        for i, place in enumerate(self.path.outputs[:self.outputs]):
            if place < 0:
                continue            # a constant
            number, shape = self.path.info[place]
            if is_trainable_type(number):
                seeds.append(wrap(np.ones(shape, np.dtype(cnp.PyArray_DescrFromType(number)))))
                seeded.append(i)
        recordings = Recordings.__new__(Recordings)
        recordings.differentiated = tuple([i for i in range(len(values)) if watched[i]])
        recordings.seeded = tuple(seeded)
        recorder = Recorder(fresh + seeds, False)
        tape = Tape(False)
        state.paused += 1
        state.refresh()
        try:
            recorder.start()
            try:
                with recording(tape):
                    for i in recordings.differentiated:
                        tape.watch(fresh[i])
                    replay = self.plain.run_code(self.path.code, fresh, state)
                border = len(recorder.steps)
                if replay is MISS or recorder.reason is not None:
                    return None
                outputs = replay
                if recordings.differentiated:
                    grads = compute_gradient(
                        tape, [outputs[i] for i in seeded], [fresh[i] for i in recordings.differentiated], seeds, True)
            finally:
                recorder.stop()
        except LookupError:
            return None             # an op without a gradient; the walk op by op says which
        finally:
            state.paused -= 1
            state.refresh()
        if recorder.reason is not None or any([
                grad is not None and type(grad) is not EagerTensor for grad in grads]):
            return None
        for i, value in enumerate(outputs[:self.outputs]):
            if self.path.outputs[i] >= 0 and recorder.place_of(value) < len(values) + len(seeds):
                return None
        recordings.result_numbers = tuple([
            -1 if grad is None else len([earlier for earlier in grads[:i] if earlier is not None])
            for i, grad in enumerate(grads)])
        places = [recorder.place_of(grad) for grad in grads if grad is not None]
        filled = set(range(len(values)))
        for step in recorder.steps[:border]:
            filled.update([step.targets[i] for i in range(step.results)])
        for step in recorder.steps[border:]:
            read |= slots_read_by(step)
        saved = sorted(filled.intersection(read.union(places)))
        output_places = [recorder.place_of(value) for value in outputs]
        recorder.check(tuple(output_places + places))
        constants = tuple(recorder.constants)
        recordings.forward = Path(recorder.steps[:border], constants, tuple(output_places + saved), list, recorder.info)
        recordings.backward = Path(recorder.steps[border:], constants, tuple(places), list, recorder.info)
        recordings.backward.inputs = tuple(saved) + tuple(range(len(values), len(values) + len(seeds)))
        recordings.program = Program(False, self.program.label, self.program.streams, self.program.name, self.program.lock)
        compile_path(recordings.forward, False, {})
        compile_path(recordings.backward, False, {})
        return recordings

    cdef Recordings record_with_tangents(self, tuple watched, list values):
        """The recording of the function with the tangents of its results; None where something cannot be recorded."""
        cdef list fresh = [wrap((<EagerTensor>value).array) for value in values], tangents = [], outputs, output_tangents
        cdef Recordings recordings = Recordings.__new__(Recordings)
        cdef Accumulator accumulator
        cdef Recorder recorder
        cdef EagerTensor value
        cdef ThreadState state = current_state()
        cdef int i
        recordings.differentiated = tuple([i for i in range(len(values)) if watched[i]])
        tangents = [wrap(np.ones_like((<EagerTensor>values[i]).array)) for i in recordings.differentiated]
        recorder = Recorder(fresh + tangents, False)
        accumulator = Accumulator()
        for i in range(len(tangents)):
            accumulator.watch(fresh[recordings.differentiated[i]], tangents[i])
        with apart():
            recorder.start()
            try:
                accumulator.start()
                try:
                    replay = self.plain.run_code(self.path.code, fresh, state)
                finally:
                    accumulator.stop()
            except LookupError:
                return None
            finally:
                recorder.stop()
        if replay is MISS or recorder.reason is not None:
            return None
        outputs = replay
        for i, value in enumerate(outputs[:self.outputs]):
            if self.path.outputs[i] >= 0 and recorder.place_of(value) < len(fresh) + len(tangents):
                return None
        output_tangents = [accumulator.tangent(value) for value in outputs[:self.outputs]]
        recordings.result_numbers = tuple([
            -1 if tangent is None else len([earlier for earlier in output_tangents[:i] if earlier is not None])
            for i, tangent in enumerate(output_tangents)])
        places = [
            recorder.place_of(tensor)
            for tensor in outputs + [tangent for tangent in output_tangents if tangent is not None]]
        recorder.check(tuple(places))
        recordings.forward = Path(recorder.steps, tuple(recorder.constants), tuple(places), list, recorder.info)
        recordings.program = Program(False, self.program.label, self.program.streams, self.program.name, self.program.lock)
        compile_path(recordings.forward, False, {})
        return recordings


cdef bint follows(object observer, EagerTensor tensor) except -1:
    """Whether a tape watches the tensor, or an accumulator has a tangent of it."""
    if type(observer) is Tape:
        return (<Tape>observer).watches(tensor.id)
    return tensor.followed and (<Accumulator>observer).tangents.get(tensor.id) != NULL


cdef bint fits(Accumulator accumulator, EagerTensor tensor) except -1:
    """Whether the tangent of a tensor is an array like its own; it may be in a batch."""
    cdef object tangent = (<EagerTensor>accumulator.tangents.get(tensor.id)).array
    return (isinstance(tangent, cnp.ndarray) and cnp.PyArray_TYPE(<cnp.ndarray>tangent) == cnp.PyArray_TYPE(
        <cnp.ndarray>tensor.array) and shape_tuple(tangent) == shape_tuple(tensor.array))


cdef list tangents_of(object observer, Recordings recordings, list values):
    cdef list tangents = []
    cdef int i
    for i in recordings.differentiated:
        tangents.append(<object>(<Accumulator>observer).tangents.get((<EagerTensor>values[i]).id))
    return tangents


cdef int report_to_accumulator(Accumulator accumulator, Recordings recordings, list results, int outputs) except -1:
    cdef int i
    for i in range(len(recordings.result_numbers)):
        if recordings.result_numbers[i] >= 0:
            accumulator.keep(<EagerTensor>results[i], <EagerTensor>results[outputs + <int>recordings.result_numbers[i]])
    return 0


cdef class Backward:
    """The backward function of a record: the gradients of the inputs for those of the outputs."""

    cdef ForwardBackward owner
    cdef Recordings recordings
    cdef list inputs, saved

    def __call__(self, *dys):
        cdef ThreadState state = current_state()
        cdef Recordings recordings = self.recordings
        cdef list arrived = [], results = [None] * len(self.inputs), grads
        cdef EagerTensor tensor
        cdef bint plain = not (state.active or hooks & (TRACING | PROMOTING) or open_batches)
        cdef int i
        for i in recordings.seeded:
            dy = dys[i]
            place = self.owner.path.outputs[i]
            plain = plain and type(dy) is EagerTensor and isinstance((<EagerTensor>dy).array, cnp.ndarray) and (
                cnp.PyArray_TYPE(<cnp.ndarray>(<EagerTensor>dy).array), shape_tuple((<EagerTensor>dy).array)
            ) == self.owner.path.info[place]
            arrived.append(dy)
        replay = recordings.program.run_code(recordings.backward.code, self.saved + arrived, state) if plain else MISS
        if replay is MISS:
            grads = self.by_ops(arrived, state)
            for i in range(len(recordings.differentiated)):
                results[recordings.differentiated[i]] = grads[i]
            return results
        grads = replay
        for i in range(len(recordings.differentiated)):
            if recordings.result_numbers[i] >= 0:
                results[recordings.differentiated[i]] = grads[recordings.result_numbers[i]]
        return results

    cdef list by_ops(self, list dys, ThreadState state):
        """The same op by op, so that observers see the ops."""
        cdef Tape tape = Tape(False)
        cdef list outputs, inputs = []
        cdef set known = set()
        cdef EagerTensor tensor
        for tensor in self.inputs:
            # One tensor may be several inputs, each with a gradient of its own.
            inputs.append(callbacks().identity(tensor) if tensor.id in known else tensor)
            known.add(tensor.id)
        with recording(tape):
            for i in self.recordings.differentiated:
                tape.watch(inputs[i])
            replay = self.owner.plain.run_code(self.owner.path.code, inputs, state)
        if replay is MISS:
            raise RuntimeError("a recorded function fails where it ran before")
        outputs = replay
        sources = [inputs[i] for i in self.recordings.differentiated]
        return [fitted(gradient, source, self.origin) for gradient, source in zip(
            compute_gradient(tape, [outputs[i] for i in self.recordings.seeded], sources, dys, True), sources)]

    def origin(self):
        return f"The gradient through the function {self.owner.program.name} by one of its inputs"
