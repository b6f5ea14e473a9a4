"""A recorded function under a tape from outside: one recording forward, one backward, and one record on the tape.

Under an accumulator it is one recording, of the function with the tangents of its results.

The pair is made of what was recorded op by op: that is replayed once more under a tape of its own, followed by the walk
back, while a `Recorder` writes down both. The first part is the forward recording; it gives the results, and what the
second part reads. The tape from outside gets one record, whose backward function replays the second part.

What the function draws, and reads of variables, are inputs of the pair; what it writes to variables are results. So the
walk back has the numbers of the call, whatever happens in between.

Where somebody looks on at the walk back, for a gradient of higher order, the function is replayed op by op, and so are
its rules. So it is where more than one tape looks on at the call.
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
from tapegrad.core.recorder cimport (
    ADD, ASSIGN, DRAWS, GUARD, NO_EFFECT, READ, READ_ANEW, SUBTRACT, Path, Recorder, Step, slots_read_by)
from tapegrad.core.replay import MISS
from tapegrad.core.replay cimport Program
from tapegrad.core.tape cimport Tape
from tapegrad.core.tape import record, recording
from tapegrad.core.tensor cimport EagerTensor, is_trainable, is_trainable_type, shape_tuple, wrap
from tapegrad.core.upward cimport above
from tapegrad.core.variable cimport VariableBase
from tapegrad.engines.numpy.types cimport BUILTIN_TYPES

cnp.import_array()

cdef enum:
    LEAST_STEPS = 6             # a shorter function is replayed op by op


def pair_for(Program program not None):
    """The Pair of a function that was recorded op by op; None if it is none.

    It has to be one path, which reads variables before it writes them, and draws what does not depend on its inputs.
    """
    cdef Path path = program.root
    cdef Step step
    cdef list readings = [], draws = [], writes = [], steps = []
    cdef set written = set(), early = set()     # slots that are filled before the function begins
    cdef Pair pair
    cdef int i, inputs
    if path is None or len(path.steps) < LEAST_STEPS:
        return None
    for step in path.steps:
        if step.kind == GUARD or step.other_paths is not None or step.kind == READ_ANEW:
            return None
        if step.kind == READ:
            if step.targets[0] < 0 or step.shapes is not None or id(step.detail) in written:
                return None         # what it gives may have another shape next time, or was written before
            readings.append((step.targets[0], step.detail))
            early.add(step.targets[0])
        elif step.effect == DRAWS:
            if step.detail is None or any([step.places[i] >= 0 for i in range(step.count)]):
                return None
            draws.append(step)
            early.update([step.targets[i] for i in range(step.results) if step.targets[i] >= 0])
        elif (step.kind == ASSIGN or step.kind == ADD or step.kind == SUBTRACT) and step.shapes is None:
            writes.append(step)
            written.add(id(step.detail))
        elif step.effect != NO_EFFECT:
            return None
        else:
            steps.append(step)
    inputs = program.inputs
    if len(set(path.outputs)) != len(path.outputs) or any([
            place >= 0 and (place < inputs or place in early or path.info[place][0] >= BUILTIN_TYPES) for place in path.outputs]):
        return None
    pair = Pair.__new__(Pair)
    pair.program = program
    pair.readings = readings
    pair.constants = [
        value for value in path.constants
        if type(value) is EagerTensor and is_trainable((<EagerTensor>value).array)]
    pair.draws = draws
    pair.writes = writes
    pair.outputs = len(path.outputs)
    pair.path = Path(
        steps, path.constants, path.outputs + tuple([(<Step>each).places[0] for each in writes]), list, path.info)
    pair.path.inputs = tuple(range(inputs)) + tuple([slot for slot, _ in readings])
    for step in draws:
        pair.path.inputs += tuple([step.targets[i] for i in range(step.results) if step.targets[i] >= 0])
    compile_path(pair.path, True, {})
    pair.plain = Program(True, program.label, program.streams, program.name, program.lock)
    pair.made = {}
    return pair


cdef class Both:
    """The two recordings for the inputs that a tape watches; or one, with those that an accumulator has tangents of."""

    cdef Program program
    cdef Path forward, backward
    cdef tuple wanted           # numbers of the inputs that get gradients
    cdef tuple seeded           # numbers of the outputs that gradients arrive at
    cdef tuple given            # number of each gradient of `wanted`, or tangent of an output, among these; -1 for None


cdef class Pair:
    cdef Program program        # the function op by op
    cdef Program plain          # runs `path`
    cdef Path path              # the same without its readings of variables, whose values are inputs
    cdef list readings          # (slot, variable)
    cdef list constants         # tensors of the function that somebody may watch
    cdef list draws             # steps, in their order
    cdef list writes            # steps, whose operands are results of `path`, after those of the function
    cdef Py_ssize_t outputs     # of the function
    cdef dict made              # which inputs are watched -> Both, or None where there is none

    @property
    def built(self):
        """For how many kinds of calls there are two recordings."""
        return len([both for both in self.made.values() if both is not None])

    def __call__(self, list inputs not None):
        """What the function gives, known to who looks on; MISS where it has to be replayed op by op."""
        cdef ThreadState state = current_state()
        cdef VariableBase variable
        cdef EagerTensor tensor
        cdef Step step
        cdef Both both
        cdef list values = list(inputs), watched = [], results
        cdef object again = None, found = MISS, observer
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
                again = above().draw_again(self.program.streams, self.program.name)
                self.draw(again, values)
            for tensor in values:
                watched.append(is_trainable(tensor.array) and follows(observer, tensor))
                if watched[len(watched) - 1] and type(observer) is Accumulator and not fits(<Accumulator>observer, tensor):
                    if again is not None:
                        again.take_back()
                    return MISS
            both = self.find(type(observer) is Tape, watched, values, state)
            if both is not None:
                found = both.program.run_code(
                    both.forward.code, values if type(observer) is Tape else values + tangents_of(observer, both, values),
                    state)
            if found is MISS:
                if again is not None:
                    again.take_back()
                return MISS
            results = found
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
            self.report_to_tape(both, values, results)
        else:
            report_to_accumulator(<Accumulator>observer, both, results, <int>len(self.path.outputs))
        self.program.replays += 1
        results = results[:self.outputs]
        template = self.program.root.template
        return results[0] if template is None else template(results)

    cdef int report_to_tape(self, Both both, list values, list results) except -1:
        cdef Backward backward
        if both.wanted:
            backward = Backward.__new__(Backward)
            backward.pair = self
            backward.both = both
            backward.inputs = values
            backward.saved = results[len(self.path.outputs):]
            record("PartitionedCall", values, results[:self.outputs], backward)
        return 0

    cdef Both find(self, bint back, list watched, list values, ThreadState state):
        """The recordings for the inputs that are watched: forward and ``back``, or with tangents; None if there are none."""
        cdef tuple key = (back, *watched)
        if key not in self.made:
            self.made[key] = self.build(key[1:], values, state) if back else self.build_pushed(key[1:], values)
        return self.made[key]

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

    cdef Both build(self, tuple watched, list values, ThreadState state):
        """The two recordings; None where something in them cannot be recorded."""
        cdef list fresh = [wrap((<EagerTensor>value).array) for value in values]
        cdef list seeds = [], seeded = [], grads = [], outputs = []
        cdef EagerTensor value
        cdef Recorder recorder
        cdef Tape tape
        cdef Both both
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
        both = Both.__new__(Both)
        both.wanted = tuple([i for i in range(len(values)) if watched[i]])
        both.seeded = tuple(seeded)
        recorder = Recorder(fresh + seeds, False)
        tape = Tape(False)
        state.paused += 1
        state.refresh()
        try:
            recorder.start()
            try:
                with recording(tape):
                    for i in both.wanted:
                        tape.watch(fresh[i])
                    found = self.plain.run_code(self.path.code, fresh, state)
                border = len(recorder.steps)
                if found is MISS or recorder.reason is not None:
                    return None
                outputs = found
                if both.wanted:
                    grads = compute_gradient(
                        tape, [outputs[i] for i in seeded], [fresh[i] for i in both.wanted], seeds, True)
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
        both.given = tuple([
            -1 if grad is None else len([each for each in grads[:i] if each is not None]) for i, grad in enumerate(grads)])
        places = [recorder.place_of(grad) for grad in grads if grad is not None]
        filled = set(range(len(values)))
        for step in recorder.steps[:border]:
            filled.update([step.targets[i] for i in range(step.results)])
        for step in recorder.steps[border:]:
            read |= slots_read_by(step)
        saved = sorted(filled.intersection(read.union(places)))
        given = [recorder.place_of(value) for value in outputs]
        recorder.check(tuple(given + places))
        constants = tuple(recorder.constants)
        both.forward = Path(recorder.steps[:border], constants, tuple(given + saved), list, recorder.info)
        both.backward = Path(recorder.steps[border:], constants, tuple(places), list, recorder.info)
        both.backward.inputs = tuple(saved) + tuple(range(len(values), len(values) + len(seeds)))
        both.program = Program(False, self.program.label, self.program.streams, self.program.name, self.program.lock)
        compile_path(both.forward, False, {})
        compile_path(both.backward, False, {})
        return both


    cdef Both build_pushed(self, tuple watched, list values):
        """The recording of the function with the tangents of its results; None where something cannot be recorded."""
        cdef list fresh = [wrap((<EagerTensor>value).array) for value in values], tangents = [], outputs, given
        cdef Both both = Both.__new__(Both)
        cdef Accumulator accumulator
        cdef Recorder recorder
        cdef EagerTensor value
        cdef ThreadState state = current_state()
        cdef int i
        both.wanted = tuple([i for i in range(len(values)) if watched[i]])
        tangents = [wrap(np.ones_like((<EagerTensor>values[i]).array)) for i in both.wanted]
        recorder = Recorder(fresh + tangents, False)
        accumulator = Accumulator()
        for i in range(len(tangents)):
            accumulator.watch(fresh[both.wanted[i]], tangents[i])
        with apart():
            recorder.start()
            try:
                accumulator.start()
                try:
                    found = self.plain.run_code(self.path.code, fresh, state)
                finally:
                    accumulator.stop()
            except LookupError:
                return None
            finally:
                recorder.stop()
        if found is MISS or recorder.reason is not None:
            return None
        outputs = found
        for i, value in enumerate(outputs[:self.outputs]):
            if self.path.outputs[i] >= 0 and recorder.place_of(value) < len(fresh) + len(tangents):
                return None
        given = [accumulator.tangent(value) for value in outputs[:self.outputs]]
        both.given = tuple([
            -1 if each is None else len([one for one in given[:i] if one is not None]) for i, each in enumerate(given)])
        places = [recorder.place_of(each) for each in outputs + [each for each in given if each is not None]]
        recorder.check(tuple(places))
        both.forward = Path(recorder.steps, tuple(recorder.constants), tuple(places), list, recorder.info)
        both.program = Program(False, self.program.label, self.program.streams, self.program.name, self.program.lock)
        compile_path(both.forward, False, {})
        return both


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


cdef list tangents_of(object observer, Both both, list values):
    cdef list found = []
    cdef int i
    for i in both.wanted:
        found.append(<object>(<Accumulator>observer).tangents.get((<EagerTensor>values[i]).id))
    return found


cdef int report_to_accumulator(Accumulator accumulator, Both both, list results, int outputs) except -1:
    cdef int i
    for i in range(len(both.given)):
        if both.given[i] >= 0:
            accumulator.keep(<EagerTensor>results[i], <EagerTensor>results[outputs + <int>both.given[i]])
    return 0


cdef class Backward:
    """The backward function of a record: the gradients of the inputs for those of the outputs."""

    cdef Pair pair
    cdef Both both
    cdef list inputs, saved

    def __call__(self, *dys):
        cdef ThreadState state = current_state()
        cdef Both both = self.both
        cdef list arrived = [], results = [None] * len(self.inputs), grads
        cdef EagerTensor tensor
        cdef bint plain = not (state.active or hooks & (TRACING | PROMOTING) or open_batches)
        cdef int i
        for i in both.seeded:
            dy = dys[i]
            place = self.pair.path.outputs[i]
            plain = plain and type(dy) is EagerTensor and isinstance((<EagerTensor>dy).array, cnp.ndarray) and (
                cnp.PyArray_TYPE(<cnp.ndarray>(<EagerTensor>dy).array), shape_tuple((<EagerTensor>dy).array)
            ) == self.pair.path.info[place]
            arrived.append(dy)
        found = both.program.run_code(both.backward.code, self.saved + arrived, state) if plain else MISS
        if found is MISS:
            grads = self.by_ops(arrived, state)
            for i in range(len(both.wanted)):
                results[both.wanted[i]] = grads[i]
            return results
        grads = found
        for i in range(len(both.wanted)):
            if both.given[i] >= 0:
                results[both.wanted[i]] = grads[both.given[i]]
        return results

    cdef list by_ops(self, list dys, ThreadState state):
        """The same op by op, which whoever looks on hears."""
        cdef Tape tape = Tape(False)
        cdef list outputs, inputs = []
        cdef set known = set()
        cdef EagerTensor tensor
        for tensor in self.inputs:
            # One tensor may be several inputs, each with a gradient of its own.
            inputs.append(above().identity(tensor) if tensor.id in known else tensor)
            known.add(tensor.id)
        with recording(tape):
            for i in self.both.wanted:
                tape.watch(inputs[i])
            found = self.pair.plain.run_code(self.pair.path.code, inputs, state)
        if found is MISS:
            raise RuntimeError("a recorded function fails where it ran before")
        outputs = found
        sources = [inputs[i] for i in self.both.wanted]
        return [fitted(gradient, source, self.origin) for gradient, source in zip(
            compute_gradient(tape, [outputs[i] for i in self.both.seeded], sources, dys, True), sources)]

    def origin(self):
        return f"The gradient through the function {self.pair.program.name} by one of its inputs"
