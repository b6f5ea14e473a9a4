"""Runs recordings: the steps that a function took when it was recorded, on other inputs, without Python.

A `Program`, one for each signature of a function, is a tree of paths. At a guard the steps go on while the value
is the one that Python code saw; for another value they go on along the path recorded for it. Where there is
none, everything that was done so far is undone, and the caller runs the Python function.
"""

cimport cython
cimport numpy as cnp
from cpython.mem cimport PyMem_Calloc, PyMem_Free
from cpython.ref cimport Py_DECREF, Py_INCREF, PyObject
from libc.string cimport memcmp

import numpy as np

from tapegrad.core.additions cimport run_addition
from tapegrad.core.backward cimport sum_to_shape
from tapegrad.core.fast_forms cimport run_fast_form, run_program
from tapegrad.core.dispatch cimport run_op
from tapegrad.core.compiling cimport compile_path
from tapegrad.core.function cimport TRACING, hooks
from tapegrad.core.fusing cimport FusedSteps
from tapegrad.core.garbage import hold, release
from tapegrad.core.joining cimport Joined, run_joined
from tapegrad.core.kinds cimport holds_size
from tapegrad.core.observers cimport Observer, ThreadState
from tapegrad.core.plans cimport DY, MAX_ASKS, Call
from tapegrad.core.steps cimport (
    ASSIGN, BINARY, CALLS, DRAWS, FUSED, GUARD, JOINED, NO_EFFECT, OP, PRINTS, PRODUCT, READ, READ_ANEW, READS, RULE,
    SUBTRACT, SUM, UNARY, WRITES, Code, Path, Step, clear, value_at, value_key)
from tapegrad.core.recording cimport record_call
from tapegrad.core.tensor cimport EagerTensor, renew, shape_tuple, wrap
from tapegrad.core.callbacks cimport callbacks
from tapegrad.core.variable cimport VariableBase
from tapegrad.engines.numpy.blocks cimport Block
from tapegrad.engines.numpy.buffers cimport solely_held
from tapegrad.engines.numpy.loops cimport run_binary, run_unary
from tapegrad.engines.system cimport now

cnp.import_array()

cdef extern from "Python.h":
    Py_ssize_t Py_REFCNT(PyObject* o)
    object PyObject_Vectorcall(object, PyObject**, size_t, PyObject*)

cdef extern from *:
    """
    #define tapegrad_set(slot, value) Py_XSETREF(slot, value)
    """

cdef enum:
    MOST_BRANCHES = 64          # of one signature
    FUTILE = 4                  # recordings that were not needed, after which nothing is recorded any more
    MOST_OPERANDS = 4           # of a step that calls a lane by itself
    MOST_ARRAYS = 1200          # that a block reads

MISS = object()
"""What a look-up gives where the Python function has to run."""


class Refusal(Exception):
    """A recording does not fit the ones before it."""


cdef bint same_value(object first, object second) except -1:
    """Whether two constants or attributes of steps mean the same."""
    if first is second:
        return True
    if type(first) is not type(second):
        return False
    if type(first) is EagerTensor:
        first, second = (<EagerTensor>first).array, (<EagerTensor>second).array
        if not isinstance(first, cnp.ndarray) or not isinstance(second, cnp.ndarray):
            return hasattr(first, "is_same") and hasattr(second, "is_same") and first.is_same(second)
        return first.dtype == second.dtype and first.shape == second.shape and value_key(first, "") == value_key(second, "")
    if isinstance(first, (tuple, list)):
        return len(first) == len(second) and all([same_value(x, y) for x, y in zip(first, second)])
    if isinstance(first, float):
        return first == second or first != first and second != second
    if isinstance(first, np.ndarray):
        return first.dtype == second.dtype and first.shape == second.shape and value_key(first, "") == value_key(second, "")
    try:
        return bool(first == second)
    except Exception:
        return False


cdef bint same_step(Path one, Step first, Path other, Step second) except -1:
    cdef int i
    if (first.kind != second.kind or first.op is not second.op or first.count != second.count
            or first.results != second.results or first.paused != second.paused):
        return False
    for i in range(first.count):
        if first.nested is not None and i in first.nested:
            if second.nested is None or i not in second.nested:
                return False
            continue
        if not same_place(one, first.places[i], other, second.places[i]):
            return False
    if (first.nested is None) != (second.nested is None):
        return False
    if first.nested is not None:
        for i, (kind, places) in first.nested.items():
            if second.nested[i][0] is not kind or len(second.nested[i][1]) != len(places):
                return False
            for place, other_place in zip(places, second.nested[i][1]):
                if not same_place(one, place, other, other_place):
                    return False
    for i in range(first.results):
        if first.targets[i] != second.targets[i]:
            return False
    return same_value(first.attributes, second.attributes) and same_value(first.detail, second.detail)


cdef bint same_place(Path one, int first, Path other, int second) except -1:
    if first >= 0 or second >= 0:
        return first == second
    return same_value(one.constants[-1 - first], other.constants[-1 - second])


cdef bint same_key(object first, object second) except -1:
    """Whether two guards have seen the same. An open size is itself alone, whatever it was in one call."""
    if holds_size(first) or holds_size(second):
        return repr(first) == repr(second)
    return first == second


cdef class OpenKey:
    """A key of `Step.other_paths` in what was recorded for open sizes. Several may be the same: their paths have other guards."""

    cdef object key

    def __init__(self, key):
        self.key = key


cdef list cases_of(Path path, int number):
    """The cases of a guard, the first one first: (what it has seen, the path that follows, where that goes on)."""
    cdef Step step = path.steps[number]
    cdef list cases = [] if step.guard_key() is None else [(step.guard_key(), path, number + 1)]
    if step.other_paths is not None:
        cases += [
            ((<OpenKey>key).key if type(key) is OpenKey else key, other, 0) for key, other in step.other_paths.items()]
    return cases


cdef class Undo:
    """How to undo the speculative effects so far, and the prints that wait."""

    cdef list values            # (variable, its snapshot)
    cdef list waiting           # (step, tensors)
    cdef object again           # the draws, a `framework.calls.Again`
    cdef bint done              # something was done that cannot be undone


@cython.final
cdef class Program:
    def __init__(self, bint taped, label, streams, str name, lock):
        self.taped = taped
        self.label = label
        self.streams = streams
        self.name = name
        self.lock = lock

    @property
    def inputs(self):
        """How many tensors there are among the arguments."""
        return self.root.count

    def refuse(self, reason):
        """Nothing is recorded from now on: the function runs as Python."""
        self.reason = reason
        self.root = None
        self.code = None

    def add(self, Path path not None, enters=None):
        """Add what was recorded. Raises Refusal if it does not fit what was recorded before.

        Where sizes are open ``enters(key, path)`` says at a guard whether it goes along that path, as a replay would.
        """
        cdef Path here = self.root
        cdef Step step, old
        cdef Py_ssize_t i, j = 0
        cdef list changed = [path]
        self.check_effects(path)
        self.draws = self.draws or any([(<Step>recorded).effect == DRAWS for recorded in path.steps])
        if here is not None:
            self.branches += 1
            changed = [here]
            for i in range(len(path.steps)):
                step = path.steps[i]
                if j >= len(here.steps):
                    raise Refusal("the Python code does not do the same each time")
                old = here.steps[j]
                if not same_step(here, old, path, step):
                    raise Refusal("the Python code does not do the same each time")
                j += 1
                key = step.guard_key()
                if key is None and old.guard_key() is None:
                    continue
                for known, other, start in cases_of(here, j - 1):
                    if same_key(known, key) and (enters is None or enters(key, other)):
                        break
                else:
                    other = Path(path.steps[i + 1:], path.constants, path.outputs, path.template, path.info)
                    (<Path>other).guards = path.guards
                    changed.append(other)
                    if old.other_paths is None:
                        old.other_paths = {}
                    old.other_paths[key if enters is None else OpenKey(key)] = other
                    break
                if other is not here:
                    changed.append(other)
                here, j = other, start
            else:
                # Another thread has recorded the same, or an op failed in a replay that does not fail in Python.
                if self.failed:
                    self.futile += 1
        self.failed = False
        for changed_path in changed:
            (<Path>changed_path).code = None
        # From now on: until here other threads ran what was there before.
        self.root = changed[0]
        self.code = None
        self.forward_backward = None
        if self.branches >= MOST_BRANCHES:
            self.refuse((f"it took more than {MOST_BRANCHES} branches", None))
        elif self.futile >= FUTILE:
            self.refuse(("ops fail in a replay which do not fail in Python", None))

    cdef int follow(self, Program tree, Path root) except -1:
        """Run ``root`` from now on, which has all paths of ``tree``, for given sizes."""
        self.root = root
        self.draws, self.branches = tree.draws, tree.branches
        self.code = None
        self.quickly_compiled = False
        self.forward_backward = None
        self.failed = False
        self.extensions = 0
        self.extended_at = -1
        self.replays_before = self.replays
        return 0

    cdef int compile_quickly(self) except -1:
        """Compile for one run, as under a tape: perhaps there are no more with these sizes."""
        cdef Path path
        cdef dict known = {}
        with self.lock:
            for path in reversed(self.paths()):
                compile_path(path, True, known)
            self.code = self.root.code
            self.quickly_compiled = True
        return 0

    def compile(self):
        """Compile the paths that are not compiled yet: with the first replay, not with the first call."""
        cdef Path path
        cdef dict known = {}
        if self.quickly_compiled:
            for path in self.paths():
                path.code = None
            self.code = None
            self.quickly_compiled = False
        with self.lock:
            if self.root is None:
                return
            hold()
            try:
                for path in reversed(self.paths()):     # those that leave a path come before it
                    if path.code is None:
                        compile_path(path, self.taped, known)
            finally:
                release()
            self.code = self.root.code

    def run_steps(self):
        """How many steps are run, in all paths together."""
        cdef Path path
        self.compile()
        return sum([path.code.length for path in self.paths()])

    cdef int check_effects(self, Path path) except -1:
        """Mark the effects before the last guard, which are undone where a guard fails. Refuse what cannot be undone."""
        cdef Step step
        cdef bint guarded = False
        for step in reversed(path.steps):
            if guarded and step.effect != NO_EFFECT and step.effect != READS:
                step.speculative = True
                if step.effect == CALLS or step.effect == WRITES and not isinstance(step.detail, VariableBase):
                    raise Refusal(f"{step.op.type}, which cannot be undone, comes before a decision by a value")
                if self.taped and step.effect != DRAWS:
                    raise Refusal(f"under a tape from outside, {step.op.type} comes before a decision by a value")
            if self.taped and step.effect == CALLS:
                raise Refusal(f"{step.op.type} under a tape from outside")
            guarded = guarded or step.guard_key() is not None
        return 0

    def paths(self):
        """All paths of the tree."""
        cdef list paths = [] if self.root is None else [self.root]
        cdef Path path
        cdef Step step
        for path in paths:
            for step in path.steps:
                if step.other_paths is not None:
                    paths.extend(step.other_paths.values())
        return paths

    cdef bint report_variables(self, ThreadState state) except -1:
        """Report the variables that a replay uses to observers of variables alone. False if guards decide which it uses.

        This is done before the replay, which may write into the memory of a variable.
        """
        cdef Observer observer
        cdef Step step
        cdef Path path
        cdef VariableBase variable
        cdef bint guarded = any([step.guard_key() is not None for path in self.paths() for step in path.steps])
        for observer in state.observers:
            if not observer.observes_variables or observer.observes_calls:
                continue
            if guarded and not observer.takes_more:
                return False
            for path in self.paths():
                for step in path.steps:
                    if not isinstance(step.detail, VariableBase) or step.effect != READS and not observer.takes_more:
                        continue
                    variable = <VariableBase>step.detail
                    if variable.snapshot is None:
                        return False
                    observer.on_variable(variable, variable.unique_id, variable.snapshot, variable.trainable)
        return True

    cdef object run(self, list inputs, ThreadState state):
        """What the function gives for these tensors; MISS where a guard fails."""
        cdef Code code = self.code
        if code is None:            # another thread adds a path
            return MISS
        return self.run_code(code, inputs, state)

    cdef object run_taped(self, list inputs, ThreadState state):
        """The same under a tape from outside: by a forward recording and a backward one, or op by op."""
        if self.forward_backward is None:
            from tapegrad.core.forward_backward import forward_backward_of
            self.forward_backward = forward_backward_of(self) or False
        if self.forward_backward is not False:
            result = self.forward_backward(inputs)
            if result is not MISS:
                return result
        return self.run(inputs, state)

    cdef Code branch(self, Step step, Path path, PyObject** slots, dict branches):
        """The code that follows for the value that a guard sees; None if the value is new."""
        cdef Code code
        cdef Path other
        if branches is None:
            return None
        key = seen_by(step, path, slots)
        code = branches.get(key)
        # Paths behind sizes that values decide are compiled when a run gets to them.
        if self.origin is None or code is not None and not code.quick:
            return code
        with self.lock:
            if code is not None:
                compile_path(code.path, self.taped, {})     # these sizes have come again
            else:
                other = None if step.other_paths is None else step.other_paths.get(key)
                if other is None:
                    if step.pending is None:
                        return None
                    other = step.pending.path_for(
                        self, tuple(array_at(path, slots, step.places[0]).ravel().tolist()) if step.kind == GUARD else key)
                    if other is None:
                        return None
                    if step.other_paths is None:
                        step.other_paths = {}
                    step.other_paths[key] = other
                if other.code is None:
                    compile_path(other, True, {})
                    other.code.quick = True
                code = other.code
            code = branches[key] = code.path.code
        return code

    cdef object run_code(self, Code code, list inputs, ThreadState state):
        cdef Path path = code.path
        cdef int size = code.slots
        cdef PyObject** slots = <PyObject**>PyMem_Calloc(max(size, 1), sizeof(PyObject*))
        cdef Undo undo = None
        cdef Step step
        cdef Py_ssize_t i = 0, j
        cdef int k
        cdef object again = None
        cdef double begun = 0
        if slots == NULL:
            raise MemoryError()
        if self.draws:
            again = callbacks().draw_again(self.streams, self.name)
        try:
            for k in range(len(inputs)):
                Py_INCREF(inputs[k])
                slots[k if path.inputs is None else <int>path.inputs[k]] = <PyObject*>inputs[k]
            try:
                while i < code.length:
                    step = <Step>code.array[i]
                    i += 1
                    if self.times is not None:
                        begun = now()
                    if step.effect > READS:
                        if undo is None:
                            undo = Undo.__new__(Undo)
                        if prepare_effect(step, path, slots, undo, state):
                            continue
                        if step.effect == DRAWS:
                            undo.again = again
                            again.begin(step.detail, step.speculative)
                            try:
                                run_step(step, path, slots, state, code, i - 1)
                            finally:
                                again.end()
                    if step.effect == DRAWS:
                        pass
                    elif step.paused and self.taped:
                        state.paused += 1
                        state.refresh()
                        try:
                            run_step(step, path, slots, state, code, i - 1)
                        finally:
                            state.paused -= 1
                            state.refresh()
                    else:
                        run_step(step, path, slots, state, code, i - 1)
                    if self.times is not None:
                        self.times.append((step, path, now() - begun))
                    if step.guard_key() is not None and not holds(step, path, slots):
                        code = self.branch(step, path, slots, code.branches[i - 1])
                        # Another thread may have added a path just now that needs more slots.
                        if code is None or code.slots > size:
                            self.missed = step
                            roll_back(undo)
                            return MISS
                        path = code.path
                        i = 0
                        continue
                    # In eager code a name holds an operand until the next result has it. Memory that is free earlier
                    # goes to results of other ops, on other processors perhaps than those whose caches have it.
                    j = i - 2 if self.taped else i - 1
                    if j >= 0:
                        for k in range(code.dead_begin[j], code.dead_begin[j + 1]):
                            clear(slots[code.dead_slots[k]])
                if undo is not None and undo.waiting is not None:
                    run_waiting(undo)
            except Exception:
                if undo is None or not undo.done:
                    # The Python function runs from the beginning, and raises the error, or handles it.
                    roll_back(undo)
                    self.failed = True
                    self.missed = step
                    return MISS
                raise
            self.replays += 1
            return result_of(path, slots)
        finally:
            for k in range(size):
                clear(slots[k])
            PyMem_Free(slots)


cdef object result_of(Path path, PyObject** slots):
    cdef list results
    cdef int place
    if path.template is None:
        return <object>value_at(path, slots, path.outputs[0])
    results = []
    for place in path.outputs:
        results.append(<object>value_at(path, slots, place))
    return path.template(results)


cdef inline cnp.ndarray array_at(Path path, PyObject** slots, int place):
    return <cnp.ndarray>(<EagerTensor>value_at(path, slots, place)).array


cdef int set_slot(PyObject** slots, int slot, object value) except -1:
    cdef PyObject* before = slots[slot]
    Py_INCREF(value)
    slots[slot] = <PyObject*>value
    if before != NULL:
        Py_DECREF(<object>before)
    return 0


cdef list operands(Step step, Path path, PyObject** slots):
    cdef list tensors = []
    cdef int i
    for i in range(step.count):
        tensors.append(<object>value_at(path, slots, step.places[i]))
    return tensors


cdef int run_step(
        Step step, Path path, PyObject** slots, ThreadState state, Code code, Py_ssize_t number) except -1:
    cdef EagerTensor out, tensor
    cdef PyObject* inputs[2]
    cdef PyObject* outputs[1]
    cdef PyObject* operand[4]       # MOST_OPERANDS
    cdef PyObject* arrays[4]
    cdef VariableBase variable
    cdef list results
    cdef object result
    cdef int i
    if step.kind == BINARY:
        inputs[0] = value_at(path, slots, step.places[0])
        inputs[1] = value_at(path, slots, step.places[1])
        out = wrap(run_binary(step.loop, <cnp.ndarray>(<EagerTensor>inputs[0]).array,
                              <cnp.ndarray>(<EagerTensor>inputs[1]).array))
        if state.active:
            outputs[0] = <PyObject*>out
            record_call(step.op, state, inputs, 2, outputs, 1, ())
        return set_slot(slots, step.targets[0], out)
    if step.kind == UNARY:
        inputs[0] = value_at(path, slots, step.places[0])
        out = wrap(run_unary(step.loop, <cnp.ndarray>(<EagerTensor>inputs[0]).array))
        if state.active:
            outputs[0] = <PyObject*>out
            record_call(step.op, state, inputs, 1, outputs, 1, ())
        return set_slot(slots, step.targets[0], out)
    if step.kind == FUSED:
        return run_block(step, path, slots)
    if step.kind == PRODUCT:
        return run_addition(step, path, slots)
    if step.kind == JOINED:
        if not run_joined(step, path, slots):
            run_one_by_one(<Joined>step.detail, path, slots, state, code, number)
        return 0
    if step.kind == OP:
        if (step.op.lane is not None and step.op.outputs is None and not step.op.list_output
                and step.count <= MOST_OPERANDS):
            # Most calls: without lists.
            for i in range(step.count):
                operand[i] = value_at(path, slots, step.places[i])
                arrays[i] = <PyObject*>(<EagerTensor>operand[i]).array
            result = step.op.lane.function(arrays, step.count, step.attributes)
            if result is not None:
                out = wrap(result)
                if state.active:
                    outputs[0] = <PyObject*>out
                    record_call(step.op, state, operand, step.count, outputs, 1, step.attributes)
                return 0 if step.targets[0] < 0 else set_slot(slots, step.targets[0], out)
        results = run_op(step.op, operands(step, path, slots), step.attributes)
        for i in range(min(step.results, <int>len(results))):
            if step.targets[i] >= 0:
                set_slot(slots, step.targets[i], results[i])
        if step.shapes is not None and len(results) != step.results:
            raise ValueError(f"{step.op.type} gave {len(results)} results in place of {step.results}")
        return 0
    if step.kind == RULE:
        return run_rule(step, path, slots, code, number)
    if step.kind == SUM:
        return set_slot(slots, step.targets[0], sum_to_shape(
            <EagerTensor>value_at(path, slots, step.places[0]), step.detail))
    if step.kind == READ:
        return set_slot(slots, step.targets[0], (<VariableBase>step.detail).read())
    if step.kind == READ_ANEW:
        return set_slot(slots, step.targets[0], (<VariableBase>step.detail)._read_anew(step.backward))
    if step.kind == GUARD:
        return 0
    variable = <VariableBase>step.detail
    tensor = <EagerTensor>value_at(path, slots, step.places[0])
    if step.kind == ASSIGN:
        return variable.hold(tensor.array)
    variable._add_inplace(tensor, step.kind == SUBTRACT)
    return 0


cdef int run_one_by_one(
        Joined joined, Path path, PyObject** slots, ThreadState state, Code code, Py_ssize_t number) except -1:
    """The steps that were joined, which lets go of each result but the last."""
    cdef Step step, before = None
    for step in joined.steps:
        run_step(step, path, slots, state, code, number)
        if before is not None:
            clear(slots[before.targets[0]])
        before = step
    return 0


cdef int run_block(Step step, Path path, PyObject** slots) except -1:
    cdef FusedSteps fused = <FusedSteps>step.detail
    cdef Block block = fused.block
    cdef PyObject* arrays[MOST_ARRAYS]
    cdef PyObject* targets[MOST_ARRAYS]
    cdef VariableBase variable
    cdef list outputs, held
    cdef bint in_place = False
    cdef int i, count = step.count, own = block.outputs - <int>len(fused.written)
    if step.effect == WRITES:
        for variable in fused.variables:
            variable.wait()
        for variable in fused.written:
            variable.wait()
    for i in range(count):
        arrays[i] = <PyObject*>(<EagerTensor>value_at(path, slots, step.places[i])).array
    for i in range(len(fused.constants)):
        arrays[count + i] = <PyObject*>(<EagerTensor>fused.constants[i]).array
    count += <int>len(fused.constants)
    for i in range(len(fused.variables)):
        variable = <VariableBase>fused.variables[i]
        if variable.snapshot is None:
            raise ValueError("a variable has no value")
        arrays[count + i] = <PyObject*>variable.snapshot.array
    for i in range(own):
        targets[i] = NULL
        if fused.reused_operands[i] is not None:
            targets[i] = spare_memory(slots[step.places[<int>fused.reused_operands[i]]])
    for i in range(own, block.outputs):
        targets[i] = own_memory(<VariableBase>fused.written[i - own], fused.readings[i - own], slots)
        in_place = in_place or targets[i] != NULL
    if not in_place:
        # The block lets other threads run, which leave alone what is held here.
        held = [(<VariableBase>read_variable).snapshot for read_variable in fused.variables]
    outputs = block.run(arrays, targets, own)
    for i in range(own):
        set_slot(slots, step.targets[i], wrap(outputs[i]))
    for i in range(own, block.outputs):
        variable = <VariableBase>fused.written[i - own]
        if targets[i] != NULL:
            renew(variable.snapshot)
        else:
            variable.hold(outputs[i])
    for variable, i in fused.shared:
        variable.hold(outputs[i])
    for i in range(block.reductions):
        set_slot(slots, step.targets[own + i], wrap(outputs[block.outputs + i]))
    return 0


cdef PyObject* spare_memory(PyObject* tensor) noexcept:
    """The array of a tensor that nothing reads after this step, if no other code holds it; else NULL."""
    if hooks & TRACING or Py_REFCNT(tensor) != 1 or not solely_held(<PyObject*>(<EagerTensor>tensor).array):
        return NULL
    return <PyObject*>(<EagerTensor>tensor).array


cdef PyObject* own_memory(VariableBase variable, list readings, PyObject** slots) noexcept:
    """The array of a variable if no other code holds its value, but for these slots, which are empty from now on."""
    cdef PyObject* snapshot = <PyObject*>variable.snapshot
    cdef Py_ssize_t holders = 1
    if hooks & TRACING or variable.writer != 0 or variable.snapshot is None:
        return NULL
    for place in readings:
        if slots[<int>place] == snapshot:
            holders += 1
    if Py_REFCNT(snapshot) != holders or not solely_held(<PyObject*>variable.snapshot.array):
        return NULL
    return <PyObject*>variable.snapshot.array


cdef int run_rule(Step step, Path path, PyObject** slots, Code code, Py_ssize_t number) except -1:
    cdef Call call = <Call>step.detail
    cdef PyObject* arguments[MAX_ASKS]
    cdef PyObject* dy = NULL
    cdef list kept = None
    cdef object result = None
    cdef int i, k
    for i in range(step.count):
        if step.nested is not None and i in step.nested:
            kind, places = step.nested[i]
            if kept is None:
                kept = []
            kept.append(kind([<object>value_at(path, slots, place) for place in places]))
            arguments[i] = <PyObject*>kept[len(kept) - 1]
        else:
            arguments[i] = value_at(path, slots, step.places[i])
            if call.places[i] == DY and step.places[i] >= 0:
                for k in range(code.dead_begin[number], code.dead_begin[number + 1]):
                    if code.dead_slots[k] == step.places[i]:
                        dy = arguments[i]
    if call.fast is not None:
        result = run_fast_form(call, arguments)
    elif call.programs is not None:
        result = run_program(call, arguments, dy)
    if result is None:
        result = PyObject_Vectorcall(call.rule, arguments, call.count, NULL)
    if type(result) is not tuple:
        if type(result) is not EagerTensor:
            raise TypeError("a rule gave no tensor")
        return set_slot(slots, step.targets[0], result)
    if len(<tuple>result) != step.results:
        raise ValueError("a rule gave another number of results")
    for i in range(step.results):
        if step.targets[i] >= 0:
            if type((<tuple>result)[i]) is not EagerTensor:
                raise TypeError("a rule gave no tensor")
            set_slot(slots, step.targets[i], (<tuple>result)[i])
    return 0


cdef bint holds(Step step, Path path, PyObject** slots) except -1:
    """Whether a guard sees the value, or the shapes, that were recorded."""
    cdef cnp.ndarray array
    cdef tuple shape
    cdef int i, j
    if step.kind == GUARD:
        array = array_at(path, slots, step.places[0])
        if type(step.key) is bytes and cnp.PyArray_IS_C_CONTIGUOUS(array):
            return (cnp.PyArray_NBYTES(array) == len(<bytes>step.key)
                    and memcmp(cnp.PyArray_DATA(array), <char*>(<bytes>step.key), cnp.PyArray_NBYTES(array)) == 0)
        return value_key(array, step.detail) == step.key
    for i in range(step.results):
        if step.targets[i] < 0:
            continue
        shape = step.shapes[i]
        array = array_at(path, slots, step.targets[i])
        if cnp.PyArray_NDIM(array) != len(shape):
            return False
        for j in range(len(shape)):
            if cnp.PyArray_DIMS(array)[j] != shape[j]:
                return False
    return True


cdef object seen_by(Step step, Path path, PyObject** slots):
    """The key of what a guard sees."""
    if step.kind == GUARD:
        return value_key(array_at(path, slots, step.places[0]), step.detail)
    return tuple([
        step.shapes[i] if step.targets[i] < 0 else shape_tuple(array_at(path, slots, step.targets[i]))
        for i in range(step.results)])


cdef bint prepare_effect(Step step, Path path, PyObject** slots, Undo undo, ThreadState state) except -1:
    """Before an effect: if it is speculative, note how to undo it. Returns True if the step waits."""
    cdef VariableBase variable
    if step.speculative:
        if step.effect == WRITES:
            variable = <VariableBase>step.detail
            variable.wait()
            if undo.values is None:
                undo.values = []
            # The variable does not write into an array that is held here, but into a copy.
            undo.values.append((variable, variable.snapshot))
        elif step.effect != DRAWS:
            if undo.waiting is None:
                undo.waiting = []
            undo.waiting.append((step, operands(step, path, slots)))
            return True
        return False
    if step.effect == PRINTS or step.effect == CALLS:
        if undo.waiting is not None:
            run_waiting(undo)
    undo.done = True
    return False


cdef int run_waiting(Undo undo) except -1:
    cdef Step step
    undo.done = True
    for step, tensors in undo.waiting:
        run_op(step.op, tensors, step.attributes)
    undo.waiting = None
    return 0


cdef int roll_back(Undo undo) except -1:
    """Undo what was done before a guard failed."""
    cdef VariableBase variable
    if undo is None:
        return 0
    if undo.values is not None:
        for variable, snapshot in reversed(undo.values):
            variable.wait()
            variable.snapshot = snapshot
    if undo.again is not None:
        undo.again.take_back()
    return 0
