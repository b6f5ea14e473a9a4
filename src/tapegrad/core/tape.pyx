"""What a tape remembers: records in execution order, and which tensors they made."""

cimport cython
cimport numpy as cnp
from cpython.mem cimport PyMem_Free, PyMem_Malloc
from cpython.ref cimport PyObject
from libc.stdint cimport int64_t

from tapegrad.core.function cimport TRACING, hooks
from tapegrad.core.ids cimport IdTable
from tapegrad.core.notes cimport Notes, ids_among
from tapegrad.core.kinds cimport Kind, kind_of
from tapegrad.core.plans cimport (
    ASK_ATTRIBUTE, ASK_EVERYTHING, ASK_INPUT, ASK_INPUT_DTYPE, ASK_INPUT_SHAPE, ASK_OUTPUT, ASK_OUTPUT_SHAPE,
    ASK_OUTPUTS, Plan)
from tapegrad.core.observers cimport Observer, ThreadState, current_state, recorders
from tapegrad.core.tensor cimport EagerTensor, is_trainable, newest_id, next_id, shape_tuple, wrap, zeros_info
from tapegrad.core.tracebacks import hide, line_at, line_of_program, owners_of_frames, place_of_program
from tapegrad.core.callbacks cimport callbacks

cdef extern from "Python.h":
    ctypedef struct PyListObject:
        PyObject** ob_item
cnp.import_array()

cdef int64_t SOURCE = -1

SPENT = (
    "A non-persistent GradientTape can only be used to compute one set of gradients (or jacobians), and only of "
    "what it recorded: this one has recorded nothing, or let go of its records as an earlier call walked them. "
    "Open it with GradientTape(persistent=True) to take several gradients from one recording.")

# What a value in a record is, by the number of `plans.Ask`.
cdef dict SAVED = {
    ASK_INPUT: "input", ASK_OUTPUT: "output", ASK_OUTPUTS: "outputs", ASK_INPUT_SHAPE: "input shape",
    ASK_OUTPUT_SHAPE: "output shape", ASK_INPUT_DTYPE: "dtype", ASK_ATTRIBUTE: "attribute",
    ASK_EVERYTHING: "everything"}

cdef enum:
    MOST_REMAINS = 4096         # records that a walk leaves for `explain`: the last ones
    MOST_REFUSALS = 100


@cython.final
@cython.freelist(256)
cdef class Record:
    def __dealloc__(self):
        if self.ids != self.inline_ids:
            PyMem_Free(self.ids)

    cdef int reserve(self, int inputs, int outputs) except -1:
        self.inputs = inputs
        self.outputs = outputs
        if inputs + outputs <= 4:
            self.ids = self.inline_ids
        else:
            self.ids = <int64_t*>PyMem_Malloc((inputs + outputs) * sizeof(int64_t))
            if self.ids == NULL:
                raise MemoryError()
        return 0


@cython.final
cdef class Tape(Observer):
    """The list of records behind a GradientTape."""

    def __cinit__(self, bint watches_variables=True):
        self.born = next_id()
        self.watches_variables = watches_variables
        self.records = []
        self.producers = IdTable()
        self.variables = {}

    def watch(self, EagerTensor tensor not None):
        """Watch ``tensor`` from now on. Tensors it was computed from stay watched if they were."""
        self.watch_tensor(tensor)

    cdef int watch_tensor(self, EagerTensor tensor) except -1:
        if recorders:
            self.report_to_recorder()
        if not self.producers.has(tensor.id):
            self.producers.set(tensor.id, -newest_id())
        return 0

    def watch_all(self):
        """Watch every tensor and variable from now on: each may be a source."""
        self.watches_all = True

    cdef bint watches(self, int64_t tensor_id) noexcept:
        return self.watches_all or self.producers.has(tensor_id)

    cdef int report_to_recorder(self) except -1:
        """Tell the one that records on this thread, if there is one, that this tape is used."""
        cdef ThreadState state = current_state()
        if state.recorder is not None:
            state.recorder.on_tape(self.born, False)
        return 0

    def watch_variable(self, variable):
        """Watch ``variable`` from now on, even if it is not trainable."""
        variable = variable._source
        cdef int64_t unique_id = variable._unique_id
        cdef EagerTensor snapshot = variable._snapshot
        if recorders:
            self.report_to_recorder()
        if snapshot is None:
            raise ValueError("The variable has no value: assign one before it is watched.")
        if unique_id not in self.variables:
            self.variables[unique_id] = (variable, [])
        self.on_variable(variable, unique_id, snapshot, True)

    def watched_variables(self):
        """The variables watched so far, in the order they were made."""
        return tuple([self.variables[key][0] for key in sorted(self.variables)])

    def __len__(self):
        return len(self.records)

    def forget_records(self):
        """Let go of all records. The tape is spent."""
        self.spent = True
        if self.explains:
            self.keep_remains(self.records)
        self.records = []

    cdef int keep_remains(self, list records) except -1:
        """Keep which tensors the last of ``records`` computed from which, and nothing that they saved."""
        cdef Py_ssize_t first = max(0, len(records) - MOST_REMAINS)
        cdef Record record
        # Copies, because another tape may need the records.
        self.remains = [None if record is None else without_values(record) for record in records[first:]]
        if self.lines is not None:
            self.lines = self.lines[first:]
        self.owners = None
        return 0

    def note_refusals(self, list refusals not None):
        """Note that rules gave None: for each the name of the op, the id of the input and that of a result."""
        cdef list total = refusals if self.refusals is None else self.refusals + refusals
        self.refusals = total[max(0, len(total) - MOST_REFUSALS):]

    def note_lines(self):
        """Note the line of the program for every op from now on."""
        if self.lines is None:
            self.lines = [None] * len(self.records)

    def note_owners(self):
        """Note which objects' methods run, for every op from now on."""
        if self.owners is None:
            self.owners = [()] * len(self.records)

    cdef int on_scope(self, str before, str after) except -1:
        if self.explains:
            self.scopes = [] if self.scopes is None else self.scopes
            self.scopes.append((newest_id(), before, after))
        return 0

    def note(self, what):
        """Note that the program did ``what`` at its present line."""
        if self.explains:
            self.add_note(what, (), ())

    cdef int add_note(self, object what, tuple inputs, tuple outputs) except -1:
        if self.notes is None:
            self.notes = Notes.__new__(Notes)
        return self.notes.add(what, inputs, outputs, line_of_program())

    cdef int note_call(self, object op, PyObject** inputs, int count, PyObject** outputs, int results,
                       tuple attributes) except -1:
        """Note that no gradient flows through a call of ``op`` with watched inputs."""
        cdef tuple result_ids = ids_among(outputs, results)
        if results == 0:
            # An op that writes a variable: whoever reads the variable next gets this tensor.
            written = [getattr(value, "_snapshot", None) for value in attributes]
            result_ids = tuple([(<EagerTensor>value).id for value in written if type(value) is EagerTensor])
        return self.add_note(op.type, ids_among(inputs, count), result_ids)

    cdef bint knows(self, int64_t tensor_id) noexcept:
        """Whether the tensor is watched, or was computed from watched ones without a gradient."""
        return self.producers.has(tensor_id) or self.notes is not None and self.notes.descendants.has(tensor_id)

    cdef int on_departure(self, EagerTensor tensor, str how, int64_t result) except -1:
        if self.knows(tensor.id):
            self.add_note(how, (tensor.id,), () if result == 0 else (result,))
        return 0

    def calls(self):
        """For each record: name, ids of the inputs, ids of the results, line, and `inputs_with_rules`.

        Of a tape that is spent, what the walk left.
        """
        cdef Record record
        cdef list calls = []
        cdef Py_ssize_t index
        cdef list records = self.records if self.remains is None else self.remains
        for index in range(len(records)):
            record = records[index]
            if record is not None:
                calls.append((
                    record.op if isinstance(record.op, str) else record.op.type,
                    tuple([record.ids[i] for i in range(record.inputs)]),
                    tuple([record.ids[record.inputs + i] for i in range(record.outputs)]),
                    self.line_of(index),
                    inputs_with_rules(record)))
        return calls

    def contents(self):
        """For each record of `calls` what it keeps: a tuple of

        what it saved for the op's rules, as (what, of which input, result or attribute, value), where ``what``
        is one of `SAVED`; the shapes of all inputs if one of them was broadcast, else None; of several results
        `zeros_info`, else None; and the backward function of a custom record, else None.
        """
        cdef Record record
        cdef Plan plan
        cdef list contents = []
        cdef list records = self.records if self.remains is None else self.remains
        cdef int i
        for record in records:
            if record is None:
                continue
            saved = []
            if isinstance(record.plan, Plan) and record.saved is not None:
                plan = record.plan
                saved = [(SAVED[plan.kinds[i]], plan.indices[i], record.saved[i]) for i in range(plan.count)]
            contents.append((
                saved, record.shapes, record.out_info, None if isinstance(record.plan, Plan) else record.plan))
        return contents

    def running_objects(self):
        """For each record of `calls` the objects whose methods ran, the outermost first; None if that is not known."""
        if self.owners is None:
            return None
        return [owners for record, owners in zip(self.records, self.owners) if record is not None]

    cdef object line_of(self, int64_t index):
        """The line of the program of a record; None where it is not known."""
        if self.lines is None or index >= len(self.lines) or self.lines[index] is None:
            return None
        return line_at(self.lines[index])

    def entries(self):
        """The notes: (what, ids of the inputs, ids of the results, line, newest id then), and how many are gone."""
        return ([], 0) if self.notes is None else (list(self.notes.entries), self.notes.dropped)

    @property
    def has_lines(self):
        """Whether the tape notes the line of the program for every op."""
        return self.lines is not None

    def watches_tensor(self, int64_t tensor_id):
        """Whether the tape watches the tensor: a source, or the result of a recorded op."""
        return self.producers.has(tensor_id)

    def watch_time(self, int64_t tensor_id):
        """The newest id when the tape began to watch the tensor; None where it is not watched, or an op's result."""
        time = self.producers.get(tensor_id, 0)
        return -time if time < 0 else None

    def without(self, list tensors not None):
        """A tape that lacks the records of the calls that made ``tensors``: no gradient flows through these."""
        cdef Tape part = Tape.__new__(Tape, self.watches_variables)
        cdef int64_t index
        check_tensors(tensors)
        part.born, part.producers, part.variables = self.born, self.producers, self.variables
        part.records = list(self.records)
        part.watches_all = self.watches_all
        for tensor in tensors:
            index = self.producers.get((<EagerTensor>tensor).id, SOURCE)
            if 0 <= index < len(part.records):
                part.records[index] = None
        return part

    def largest(self, count):
        """How many elements the largest tensor has that a record keeps: ``count`` says it of shapes of other kinds."""
        cdef Record record
        cdef Py_ssize_t most = 0
        for record in self.records:
            if record is not None and record.saved is not None:
                for value in record.saved:
                    if type(value) is EagerTensor:
                        array = (<EagerTensor>value).array
                        if isinstance(array, cnp.ndarray):
                            most = max(most, cnp.PyArray_SIZE(<cnp.ndarray>array))
                        else:
                            most = max(most, count(shape_tuple(array)))
        return most

    @property
    def is_recording(self):
        return self.state is not None

    cdef int subscribe(self) except -1:
        # Calls reach tapes by `recording.record_call`, which makes one record for all of them.
        self.observes_calls = self.observes_variables = self.pauses = True
        self.observes_departures = self.explains
        if self.explains and self.lines is None:
            for observer in current_state().observers:
                if (<Observer>observer).wants_lines:
                    self.note_lines()
                    break
        if self.ended:
            self.gaps = [] if self.gaps is None else self.gaps
            self.gaps.append((self.ended, newest_id()))
            self.ended = 0
        return 0

    cdef int on_stop(self) except -1:
        self.ended = newest_id()
        return 0

    cdef int append(self, Record record) except -1:
        cdef int64_t index = len(self.records)
        cdef int i
        self.records.append(record)
        if self.lines is not None:
            self.lines.append(place_of_program())
            if self.owners is not None:
                self.owners.append(owners_of_frames())
        for i in range(record.outputs):
            self.producers.set(record.ids[record.inputs + i], index)
        return 0

    cdef int on_variable(
            self, object variable, int64_t unique_id, EagerTensor snapshot, bint trainable) except -1:
        """Note that ``variable`` is read now, as the tensor ``snapshot``."""
        if self.producers.has(snapshot.id):
            return 0
        if unique_id not in self.variables:
            if not (self.watches_all or trainable and self.watches_variables):
                return 0
            self.variables[unique_id] = (variable, [])
        (<list>(<tuple>self.variables[unique_id])[1]).append(snapshot.id)
        self.producers.set(snapshot.id, -newest_id())
        return 0


cdef class Recording:
    """The part of GradientTape that starts and stops its Tape. It is compiled, so that an interrupt
    never finds the tape half entered or half left.
    """

    def _configure(self, bint persistent, bint watch_accessed_variables):
        if hooks & TRACING and callbacks().note_tape():
            persistent = True       # gradients are taken in each of the graph's worlds
        self._persistent = persistent
        self._watch_accessed_variables = watch_accessed_variables

    def __enter__(self):
        if self._entered:
            self._refuse_to_enter()
        self.start()
        self._entered = True
        return self

    def __exit__(self, kind, error, traceback):
        self.stop()
        if error is not None:
            hide(error)

    def __del__(self):
        # Nobody can ask this tape for gradients any more, so it must not go on recording.
        self.stop()

    cdef int start(self) except -1:
        if self._tape is None:
            self._tape = Tape.__new__(Tape, self._watch_accessed_variables)
            self._tape.explains = True
            if self._lines:
                self._tape.note_lines()
                self._tape.note_owners()
        if self._tape.state is None:
            if self._profiler is not None:
                self._profiler.begin(self._tape)
            self._tape.start()
        return 0

    cdef int stop(self) except -1:
        self._entered = False
        if self._tape is not None and self._tape.state is not None:
            self._tape.stop()
            if self._profiler is not None:
                self._profiler.end(self._tape)
        return 0

    def _start(self):
        """The Tape, which records from now on; a new one if there is none."""
        self.start()
        return self._tape

    def _stop(self):
        self.stop()

    def _records(self):
        """The Tape, unless it is spent."""
        if self._tape is None:
            raise RuntimeError(SPENT)
        return self._tape

    def _walk(self, Tape tape not None, function, *arguments):
        """What ``function`` computes by walking the records.

        A tape that is not persistent is spent afterwards, even if a rule raised on the way: a part of its
        records is gone, and a second walk would give `None` for the sources they led to.
        """
        try:
            result = function(tape, *arguments, not self._persistent)
            tape.spent = tape.spent or not self._persistent
            return result
        finally:
            self.end_walk(tape)

    cdef int end_walk(self, Tape tape) except -1:
        """Let go of ``tape`` if it is spent. Another thread may have begun a new one by `reset` meanwhile."""
        if tape.spent and self._tape is tape:
            self._spent = tape
            self._tape = None
        return 0


cdef class recording:
    """``with recording(tape):`` ``tape`` records what happens inside.

    Inside of `no_recording` too, where it is then the only tape that records.
    """

    cdef Tape tape
    cdef list outside
    cdef int paused

    def __init__(self, Tape tape not None):
        self.tape = tape

    def __enter__(self):
        cdef ThreadState state = current_state()
        cdef Observer observer
        self.paused = state.paused
        if self.paused:
            self.outside, state.paused = state.observers, 0
            state.observers = [observer for observer in self.outside if not observer.pauses]
        self.tape.start()

    def __exit__(self, *error):
        cdef ThreadState state = current_state()
        cdef Observer observer
        self.tape.stop()
        if self.paused:
            # Meanwhile an outer tape may have been stopped, by a finalizer too, and a new observer started.
            started = [observer for observer in state.observers if observer not in self.outside]
            state.observers = [observer for observer in self.outside if observer.state is not None] + started
            state.paused = self.paused
            state.refresh()


def is_recording():
    """Whether a tape of this thread records what happens now, or an accumulator follows it."""
    cdef ThreadState state = current_state()
    cdef Observer observer
    for observer in state.observers:
        if observer.pauses:
            return state.paused == 0
    return False


cdef class RuleKeeper(Observer):
    """An observer that is told of custom records as well: of what has a rule of its own."""

    def rule_recorded(self, str type_name, list inputs, list outputs, backward):
        """``outputs`` are results with the rule ``backward``: see `record`."""


def keeps_rules():
    """Whether `record` is of use: somebody records, or keeps rules."""
    cdef ThreadState state = current_state()
    cdef Observer observer
    for observer in state.observers:
        if observer.pauses or isinstance(observer, RuleKeeper):
            return state.paused == 0
    return False


cdef int let_go_of_values(Record record) except -1:
    """Let go of what a record holds. Which tensors its call computed from which can still be told."""
    record.saved = record.shapes = record.adjustments = record.out_info = None
    record.kind = None
    if type(record.op) is str:
        record.plan = None
    return 0


cdef Record without_values(Record record):
    """A record that says of the call which tensors it computed from which."""
    cdef Record bare = Record.__new__(Record)
    cdef int i
    bare.op = record.op
    bare.plan = None if type(record.op) is str else record.plan
    bare.reserve(record.inputs, record.outputs)
    for i in range(record.inputs + record.outputs):
        bare.ids[i] = record.ids[i]
    return bare


cdef tuple inputs_with_rules(Record record):
    """For each input 1 if the op has a rule for its gradient, 2 if a gradient function decides, else 0."""
    if type(record.op) is str or record.op.differentiable == "yes" and not record.op.rules:
        return (2,) * record.inputs
    last = len(record.op.inputs) - 1
    return tuple([int(-1 in record.op.rules or min(i, last) in record.op.rules) for i in range(record.inputs)])


cdef int end_gradient(object op, bint constant, ThreadState state, PyObject** inputs, int count,
                      PyObject** outputs, int results, tuple attributes) except -1:
    """Note on every tape a call of an op without a gradient, and watch its outputs if a watched tensor is an input.

    No gradient flows through the op, but its outputs can be sources themselves, unless the op gives a ``constant``.
    """
    cdef Tape tape
    cdef int i
    for observer in state.observers:
        if type(observer) is not Tape:
            continue
        tape = <Tape>observer
        if tape.explains:
            for i in range(count):
                if tape.knows((<EagerTensor>inputs[i]).id):
                    tape.note_call(op, inputs, count, outputs, results, attributes)
                    break
        if constant:
            continue
        for i in range(count):
            if tape.producers.has((<EagerTensor>inputs[i]).id) and is_trainable((<EagerTensor>inputs[i]).array):
                for i in range(results):
                    if is_trainable((<EagerTensor>outputs[i]).array):
                        tape.watch(<EagerTensor>outputs[i])
                break
    return 0


cdef int keep_adjustments(Record record, object op, list inputs, list outputs) except -1:
    """Keep what the kind of the results wants done with the gradients of the inputs."""
    cdef Kind kind
    for array in outputs:
        if not isinstance(array, cnp.ndarray):
            kind = kind_of(array)
            record.adjustments = kind.gradient_adjustments(op, inputs, outputs)
            record.kind = kind if record.adjustments is not None else None
            break
    return 0


def alias(EagerTensor tensor not None):
    """The array of ``tensor`` under a new identity, which no tape knows."""
    cdef EagerTensor new = wrap(tensor.array)
    cdef ThreadState state = current_state()
    if state.recorder is not None:
        state.recorder.on_alias(tensor, new)
    return new


cdef int check_tensors(list values) except -1:
    """Raise TypeError unless ``values`` holds tensors alone. Compiled code then uses them without a check."""
    cdef object value
    for value in values:
        if type(value) is not EagerTensor:
            raise TypeError(f"a list of tensors holds an object of type {type(value).__name__}")
    return 0


def record(str type_name not None, list inputs not None, list outputs not None, backward, list plain=None):
    """Put one record on every tape that watches one of ``inputs``; accumulators transpose ``backward``, keepers
    of rules are told of it.

    ``backward(*dys)`` gets a gradient for each output (zeros where none arrives; None for outputs that no
    gradient flows through) and returns one, or None, for each input. ``plain`` holds the outputs as ops gave
    them, before they got an identity of their own: where ``backward`` cannot be transposed, because it is not
    linear or not made of ops, the outputs have the tangents of these.
    """
    cdef ThreadState state = current_state()
    cdef Record new
    cdef Tape tape
    cdef EagerTensor tensor
    cdef list watching = []
    check_tensors(inputs)
    check_tensors(outputs)
    if not state.active or state.paused:
        return
    for observer in state.observers:
        if isinstance(observer, RuleKeeper):
            (<RuleKeeper>observer).rule_recorded(type_name, inputs, outputs, backward)
    if state.recorder is not None and is_recording():
        state.recorder.on_tape(0, True)
    for observer in state.observers:
        if type(observer) is not Tape:
            continue
        tape = <Tape>observer
        for tensor in inputs:
            if tape.watches(tensor.id) and is_trainable(tensor.array):
                watching.append(tape)
                break
    if watching:
        new = custom_record(type_name, inputs, outputs, backward)
        for tape in watching:
            tape.append(new)
    if state.followed:
        state.report_to_accumulators(type_name, backward, (<PyListObject*>inputs).ob_item, len(inputs),
                             (<PyListObject*>outputs).ob_item, len(outputs), () if plain is None else tuple(plain))


cdef Record custom_record(str type_name, list inputs, list outputs, backward):
    cdef Record new = Record.__new__(Record)
    cdef EagerTensor tensor
    cdef int i, n = len(inputs)
    new.op = type_name
    new.plan = backward
    if len(outputs) != 1:
        new.out_info = tuple([zeros_info(tensor.array) for tensor in outputs])
    new.reserve(n, len(outputs))
    for i in range(n):
        new.ids[i] = (<EagerTensor>inputs[i]).id
    for i in range(len(outputs)):
        new.ids[n + i] = (<EagerTensor>outputs[i]).id
    keep_adjustments(new, type_name, [(<EagerTensor>tensor).array for tensor in inputs],
                [(<EagerTensor>tensor).array for tensor in outputs])
    return new
