"""Writes down what a function does while it runs: ops with their operands, and the values that Python code saw.

A recording holds everything of a call that depends on its inputs: ops and rules as steps, reads and writes of
variables, and guards, where Python code decided by a value. What depends on no input is a constant. What cannot
be written down makes the recorder refuse, with the reason and the line of the user's code.
"""

cimport cython
cimport numpy as cnp
from cpython.ref cimport Py_DECREF, PyObject
from libc.stdint cimport int64_t

import gc

from tapegrad.core.dispatch cimport ELEMENTS, INTEGER_ERRORS, NOTHING, Op, loop_for
from tapegrad.core.ids cimport IdTable
from tapegrad.core.kinds cimport Shaped, holds_size, kind_of
from tapegrad.core.kinds import Closing
from tapegrad.core.plans cimport Call
from tapegrad.core.observers cimport Observer, ThreadState, current_state
from tapegrad.core.steps cimport (
    ADD, ASSIGN, BINARY, CALLS, DRAWS, GUARD, LARGEST_CONSTANT, NO_EFFECT, OP, READ, READS, READ_ANEW, RULE,
    SUBTRACT, SUM, UNARY, WRITES, Effect, Path, Step, effect_of, lasts, resource_of, slots_read_by, value_key)
from tapegrad.core.tape cimport check_tensors
from tapegrad.core.tensor cimport EagerTensor, is_trainable, next_id, present_array, shape_tuple, wrap
from tapegrad.core.tracebacks import line_of_program, user_line
from tapegrad.core.callbacks cimport callbacks
from tapegrad.core.variable cimport VariableBase
from tapegrad.engines.numpy.loops cimport Loop
from tapegrad.engines.numpy.programs cimport is_one_number

cnp.import_array()

cdef extern from "Python.h":
    object PyWeakref_NewRef(object, object)
    Py_ssize_t Py_REFCNT(PyObject* o)

cdef extern from *:
    """
    #if PY_VERSION_HEX < 0x030d0000
    static int tapegrad_get_ref(PyObject *reference, PyObject **object)
    {
        *object = PyWeakref_GetObject(reference);
        if (*object == Py_None) {
            *object = NULL;
            return 0;
        }
        Py_XINCREF(*object);
        return *object == NULL ? -1 : 1;
    }
    #else
    #define tapegrad_get_ref PyWeakref_GetRef
    #endif
    """
    # Whether the object is still there, with a reference of its own to it.
    int get_ref "tapegrad_get_ref"(object reference, PyObject** object) except -1

cdef enum:
    LARGEST_VALUE = 4096        # bytes of an array that a guard compares
    MOST_STEPS = 100_000

cdef Py_ssize_t bytes_of(cnp.ndarray array) noexcept:
    """What an array takes in memory: little, where one number stands for all elements."""
    return cnp.PyArray_ITEMSIZE(array) if is_one_number(array) else cnp.PyArray_NBYTES(array)


@cython.final
cdef class Recorder(Observer):
    """``with Recorder(inputs, taped) as recorder:`` writes down what happens in the block."""

    def __init__(self, list inputs not None, bint taped):
        cdef EagerTensor tensor
        self.slot_of = IdTable()
        self.steps = []
        self.constants = []
        self.constant_places = {}
        self.guarded = set()
        self.variable_slots = set()
        self.taped = taped
        check_tensors(inputs)
        self.inputs = inputs
        self.opened = []
        self.step_results = []
        self.variables = []
        self.numbers_read = {}
        self.info = []
        for tensor in inputs:
            self.new_slot(tensor)
        self.first_id = next_id()

    cdef int subscribe(self) except -1:
        cdef ThreadState state = current_state()
        self.observes_calls = self.observes_values = self.records = True
        self.failures = state.failures
        for observer in state.observers:
            self.notes_lines = self.notes_lines or (<Observer>observer).wants_lines
        if self.opening is not None:
            self.opening.__enter__()
            self.open_inputs()
            # A tape from outside will differentiate what the rules of tapes inside give: these run as ops.
            state.by_ops += self.taped
        return 0

    cpdef stop(self):
        cdef ThreadState state = self.state
        cdef bint failed = self.failed
        if state is not None and self.opening is not None:
            state.by_ops -= self.taped
        Observer.stop(self)
        if failed:
            self.refuse("an op failed, and the function went on: it catches the error")
        if self.opening is not None:
            self.opening.__exit__()
            self.close_sizes()

    @property
    def failed(self):
        """Whether an op has failed in the block."""
        return self.state is not None and self.state.failures != self.failures

    def refuse(self, str text not None):
        """There will be no recording, and this is why.

        Raises:
            Closing: sizes are open. A function that has met them does not go on with NumPy's arrays.
        """
        if self.reason is None:
            self.reason = (text, user_line())
        if self.state is not None:
            self.observes_calls = self.observes_values = False
            self.state.refresh()
        self.stop_listener()
        self.steps.clear()
        self.constants.clear()
        self.constant_places.clear()
        if self.opening is not None and self.state is not None:
            raise Closing(text)

    cdef int before_effect(self, object op, tuple attributes) except -1:
        cdef int effect = effect_of(<Op>op)
        if self.opening is not None and self.opening.reruns and lasts(effect, resource_of(<Op>op, attributes) if effect == WRITES else None):
            self.refuse(f"it calls {(<Op>op).type}, which cannot be undone")
        return 0

    def reset(self):
        """Forget what happened: the function begins anew."""
        cdef EagerTensor tensor
        self.stop_listener()
        self.steps.clear()
        self.constants.clear()
        self.constant_places.clear()
        self.guarded.clear()
        self.numbers_read.clear()
        self.variable_slots.clear()
        self.slot_of = IdTable()
        self.slots = 0
        self.info = []
        for tensor in self.inputs:
            self.new_slot(tensor)

    cdef int stop_listener(self) except -1:
        if self.listener is not None:
            self.listener.stop()
            self.listener = None
        return 0

    cdef int new_slot(self, EagerTensor tensor) except -1:
        self.slot_of.set(tensor.id, self.slots)
        self.info.append((cnp.PyArray_TYPE(self.elements(tensor)), shape_tuple(tensor.array)))
        self.slots += 1
        if self.opening is not None and not isinstance(tensor.array, cnp.ndarray):
            self.opened.append(PyWeakref_NewRef(tensor, None))
        return self.slots - 1

    # Open sizes: `tapegrad.core.opening` says what the arrays are.

    cdef cnp.ndarray elements(self, EagerTensor tensor):
        """The array of a tensor as NumPy's; None for one of another kind, other than those with open sizes."""
        if isinstance(tensor.array, cnp.ndarray):
            return <cnp.ndarray>tensor.array
        return (<Shaped>tensor.array).elements if self.is_open(tensor) else None

    cdef bint is_open(self, EagerTensor tensor) except -1:
        """Whether an open size decides the shape or the elements."""
        return (self.opening is not None and isinstance(tensor.array, Shaped)
                and (<Shaped>tensor.array).opening is self.opening)

    cdef bint depends(self, EagerTensor tensor) except -1:
        """Whether what is computed from the tensor may be something else in the next call."""
        return self.slot_of.has(tensor.id) or self.is_open(tensor)

    def open_sizes(self, dict axes not None, opening=None):
        """Let sizes of arguments be open in the block: ``axes`` has for the number of each such argument which ones.

        The ``opening`` says how, or `Opening` does.
        """
        from tapegrad.core.opening import Opening
        self.open_axes = axes
        self.opening = Opening(self.refuse, self.depends_on_call) if opening is None else opening

    cdef int open_inputs(self) except -1:
        cdef EagerTensor tensor
        for number, axes in self.open_axes.items():
            tensor = self.inputs[number]
            tensor.array = self.opening.open(tensor.array, number, axes)
            tensor.shape_object = None
        self.reset()
        return 0

    def follow(self, EagerTensor tensor not None):
        """Take a tensor for one that the block computes, though no op gives it."""
        self.new_slot(tensor)

    def depends_on_call(self, EagerTensor tensor not None):
        return self.depends(tensor)

    cdef int close_sizes(self) except -1:
        """From now on the arrays of tensors that were made in the block are NumPy's."""
        cdef PyObject* tensor
        for reference in self.opened:
            if get_ref(reference, &tensor):
                self.make_plain(<EagerTensor>tensor)
                Py_DECREF(<object>tensor)
        self.opened.clear()
        return 0

    cdef int make_plain(self, EagerTensor tensor) except -1:
        if not isinstance(tensor.array, cnp.ndarray):
            tensor.array = tensor.array.elements
            tensor.shape_object = None
        return 0

    cdef int constant(self, object value) except? -2147483648:
        self.constants.append(value)
        return -<int>len(self.constants)

    cdef int place_of(self, EagerTensor tensor) except? -2147483648:
        """The slot of a tensor of the recording, or a place among the constants."""
        cdef int64_t slot = self.slot_of.get(tensor.id, -1)
        if slot >= 0:
            return <int>slot
        if tensor.id not in self.constant_places:
            if self.is_open(tensor) and not tensor.array.is_constant:
                self.opening.fail("nobody has recorded how a tensor follows from open sizes")
                return -1           # of no step: there are none any more
            # The tensor itself becomes one of NumPy's later, and the constant does not.
            self.constant_places[tensor.id] = self.constant(wrap(tensor.array) if self.is_open(tensor) else tensor)
        return self.constant_places[tensor.id]

    cdef bint is_traced(self, EagerTensor tensor) except -1:
        """Whether ops on the tensor become steps: it depends on an input, or a tape from outside may watch it."""
        return self.depends(tensor) or self.taped and tensor.id < self.first_id and is_trainable(tensor.array)

    cdef int append(self, Step step) except -1:
        cdef ThreadState state = self.state
        step.paused = state is not None and state.paused > self.batch_ops
        if len(self.steps) >= MOST_STEPS:
            self.refuse(f"it takes more than {MOST_STEPS} steps")
            return 0
        step.scope = self.scope
        if self.notes_lines and step.where is None:
            step.where = line_of_program()
        self.steps.append(step)
        return 0

    cdef int on_scope(self, str before, str after) except -1:
        self.scope = after
        return 0

    cdef int on_call(self, object called, PyObject** inputs, int count, PyObject** outputs, int results,
                       tuple attributes) except -1:
        cdef Op op = <Op>called
        cdef Step step
        cdef EagerTensor tensor
        cdef Loop* loop = NULL
        cdef bint known = False, opened = False
        cdef Py_ssize_t size = 0
        cdef int i
        if self.hidden or self.reason is not None:
            return 0
        if self.recorded_op is not None:
            # A kind has run the op, by ops on plain arrays, which are steps already.
            if self.recorded_op is not op:
                self.refuse(f"{op.type} was called where the results of {self.recorded_op.type} were expected")
            self.recorded_op = None
            return 0
        for i in range(count):
            tensor = <EagerTensor>inputs[i]
            present_array(tensor)
            if self.elements(tensor) is None:
                return self.on_call_of_kind(op, inputs, count, outputs, results, attributes)
            known = known or self.slot_of.has(tensor.id)
            opened = opened or self.is_open(tensor)
        opened = opened or self.opening is not None and holds_size(attributes)
        known = known or opened
        if self.outside:
            if known:
                self.refuse("tf.init_scope uses a tensor that the function computes")
            return 0
        for i in range(results):
            if self.elements(<EagerTensor>outputs[i]) is None:
                return self.on_call_of_kind(op, inputs, count, outputs, results, attributes)
            size += bytes_of(self.elements(<EagerTensor>outputs[i]))
        effect = effect_of(op)
        if effect == NO_EFFECT and size <= LARGEST_CONSTANT and not opened and (
                op.decided == NOTHING or not known and not (self.taped and count)):
            return 0
        if self.opening is not None and effect == NO_EFFECT and results and self.are_sizes(outputs, results):
            return 0
        if self.holds_tensor(attributes):
            self.refuse(f"an attribute of {op.type} is a tensor")
            return 0
        step = Step.__new__(Step)
        step.op = op
        step.effect = <Effect>effect
        step.kind = OP
        step.attributes = attributes
        if effect != NO_EFFECT:
            if not self.add_effect(step, outputs):
                return 0
        elif op.ufunc_name is not None and not attributes and 1 <= count <= 2 and count == len(op.inputs):
            loop = loop_for(op, self.elements(<EagerTensor>inputs[0]))
            if loop != NULL and (count == 1 or cnp.PyArray_TYPE(self.elements(<EagerTensor>inputs[0]))
                                 == cnp.PyArray_TYPE(self.elements(<EagerTensor>inputs[1]))):
                step.kind = UNARY if count == 1 else BINARY
                step.loop = loop
        if not step.safe and not isinstance(step.detail, VariableBase):
            step.safe = op.decided <= ELEMENTS or (
                op.decided == INTEGER_ERRORS and count
                and (is_trainable((<EagerTensor>inputs[count - 1]).array)
                     or cnp.PyArray_ISBOOL(self.elements(<EagerTensor>inputs[count - 1]))))
        if self.opening is not None:
            if self.opening.least_named and effect == NO_EFFECT and not step.safe and not opened:
                self.name_sizes(op, inputs, count, outputs, results, attributes)
            if self.opening.named:
                self.opening.named = step.safe = False
        step.reserve(count, results)
        for i in range(count):
            step.places[i] = self.place_of(<EagerTensor>inputs[i])
        for i in range(results):
            tensor = <EagerTensor>outputs[i]
            if effect == CALLS and self.slot_of.has(tensor.id):
                self.refuse("a function that Python calls returns a tensor that is there already, as it is")
                return 0
            step.targets[i] = -1 if self.slot_of.has(tensor.id) else self.new_slot(tensor)
            if step.kind == READ:
                self.variable_slots.add(step.targets[i])
            else:
                self.step_results.append(PyWeakref_NewRef(tensor, None))
        if not step.safe:
            step.shapes = tuple([shape_tuple((<EagerTensor>outputs[i]).array) for i in range(results)])
            if step.where is None:
                step.where = user_line()
        self.append(step)
        if self.listener is not None:
            self.listener.on_step(step, self.state, outputs)
        return 0

    cdef int name_sizes(self, Op op, PyObject** inputs, int count, PyObject** outputs, int results, tuple attributes) except -1:
        """Let those sizes of the results be open that the values of the operands decide."""
        cdef EagerTensor tensor
        cdef int i
        arrays = self.opening.sizes_of_results(
            op, [<object>inputs[i] for i in range(count)], attributes,
            [(<EagerTensor>outputs[i]).array for i in range(results)])
        if arrays is None:
            return 0
        for i in range(results):
            tensor = <EagerTensor>outputs[i]
            if not self.slot_of.has(tensor.id):
                tensor.array = arrays[i]
                tensor.shape_object = None
        return 0

    cdef bint are_sizes(self, PyObject** outputs, int results) except -1:
        """Whether the results are sizes, and so constants, which are others for other sizes."""
        cdef EagerTensor tensor
        cdef int i
        for i in range(results):
            tensor = <EagerTensor>outputs[i]
            if not self.is_open(tensor) or tensor.array.value is None:
                return False
        for i in range(results):
            self.place_of(<EagerTensor>outputs[i])
            self.opened.append(PyWeakref_NewRef(<EagerTensor>outputs[i], None))
        return True

    cdef bint add_effect(self, Step step, PyObject** outputs) except -1:
        """Say what a step with an effect reads, writes or draws. False if the tensor that it gives is recorded already."""
        cdef Op op = step.op
        if step.effect != READS:
            step.where = user_line()        # nobody is told where a variable is read, and that is done often
        if step.effect == DRAWS and self.call is not None:
            step.detail = callbacks().names_of_draws(self.call)
        if step.effect != READS and step.effect != WRITES:
            return True
        resource = resource_of(op, step.attributes)
        if not isinstance(resource, VariableBase):
            return True
        step.detail = (<VariableBase>resource).owner or resource
        variables = callbacks().variables
        if op is variables.read:
            if self.slot_of.has((<EagerTensor>outputs[0]).id):
                return False
            step.kind = READ
            step.safe = step.detail.shape.is_fully_defined()
            if self.reading_gradient is not None:
                step.kind = READ_ANEW
                step.backward = self.reading_gradient
                self.reading_gradient = None
        elif op is variables.assign or op is variables.assign_add or op is variables.assign_sub:
            step.safe = step.detail.shape.is_fully_defined()
            if step.safe:
                step.kind = ASSIGN if op is variables.assign else ADD if op is variables.assign_add else SUBTRACT
        return True

    cdef int refuse_repeats(self) except -1:
        """Refuse if an input, or the value of a variable, has a stride of 0, since a result depends on that.

        Other calls may have inputs of the same shapes with other strides.
        """
        cdef EagerTensor tensor
        cdef Step step
        cdef list arrays = [self.elements(tensor) for tensor in self.inputs]
        for step in self.steps:
            if isinstance(step.detail, VariableBase) and (<VariableBase>step.detail).snapshot is not None:
                arrays.append((<VariableBase>step.detail).snapshot.array)
        for array in arrays:
            if any([stride == 0 and size > 1 for stride, size in zip(array.strides, array.shape)]):
                self.refuse("rows of an argument, or of a variable, are the same in memory")
        return 0

    cdef int on_call_of_kind(self, Op op, PyObject** inputs, int count, PyObject** outputs, int results,
                        tuple attributes) except -1:
        """An op was called on arrays that are not NumPy's."""
        cdef list input_list = [<object>inputs[i] for i in range(count)]
        cdef list output_list = [<object>outputs[i] for i in range(results)]
        cdef EagerTensor tensor
        for tensor in input_list + output_list:
            if self.elements(tensor) is None:
                if not kind_of(tensor.array).is_recorded(self, op, input_list, output_list, attributes):
                    self.refuse(f"{op.type} works on a {type(tensor.array).__name__}")
                return 0
        return 0

    cdef bint holds_tensor(self, object values) except -1:
        """Whether a tensor of the recording is among attributes, which steps keep as they are."""
        for value in values:
            if type(value) is EagerTensor:
                if self.depends(<EagerTensor>value) or not isinstance((<EagerTensor>value).array, cnp.ndarray):
                    return True
            elif type(value) in (list, tuple) and value and self.holds_tensor(value):
                return True
        return False

    cdef int on_value(self, EagerTensor tensor, str how) except -1:
        cdef int64_t slot = self.slot_of.get(tensor.id, -1)
        if self.hidden or self.reason is not None or slot < 0 or slot in self.guarded:
            return 0
        array = self.elements(tensor)
        if array.nbytes > LARGEST_VALUE or array.dtype.hasobject and array.size > 64:
            self.refuse(f"Python code reads the values of a tensor of shape {shape_tuple(array)} ({how})")
            return 0
        if not (how == "bool" and array.size == 1):
            self.guarded.add(slot)
        elif (slot, how) in self.guarded:
            return 0
        else:
            self.guarded.add((slot, how))
        return self.append_guard(<int>slot, how, value_key(array, how))

    cdef int append_guard(self, int slot, str how, object key) except -1:
        """Write down that Python code has read what is in a slot: the ``key`` of the value, or open sizes."""
        cdef Step step = Step.__new__(Step)
        step.kind = GUARD
        step.reserve(1, 0)
        step.places[0] = slot
        step.detail = how
        step.key = key
        step.safe = True
        step.where = user_line()
        return self.append(step)

    cdef object sizes_of(self, EagerTensor tensor, str how):
        """The numbers of a tensor as sizes that are open, where a guard asks for numbers of this call no longer."""
        cdef int64_t slot = self.slot_of.get(tensor.id, -1)
        if self.hidden or self.reason is not None or slot < 0 or self.opening is None or not self.opening.least_named:
            return None
        from tapegrad.core.abstract import KEEPS_SIZES
        if how not in KEEPS_SIZES:
            return None
        if slot not in self.numbers_read:
            numbers = None if slot in self.guarded else self.opening.numbers_as_sizes(tensor.array)
            self.numbers_read[slot] = numbers
            if numbers is not None:
                self.guarded.add(slot)
                self.append_guard(<int>slot, how, tuple(numbers.ravel().tolist()))
        return self.numbers_read[slot]

    cdef int on_rule(self, object rule, PyObject** arguments, int count, object result) except -1:
        cdef Call call = <Call>rule
        cdef Step step
        cdef EagerTensor tensor
        cdef bint known = False
        cdef tuple results
        cdef int i
        if self.hidden or self.reason is not None:
            return 0
        results = result if type(result) is tuple else (result,)
        for gradient in results:
            if gradient is not None and type(gradient) is not EagerTensor:
                self.refuse(f"a rule gives a {type(gradient).__name__}")
                return 0
        if self.outside:
            self.refuse("tf.init_scope takes a gradient")
            return 0
        step = Step.__new__(Step)
        step.kind = RULE
        step.detail = call
        step.safe = True
        step.reserve(count, len(results))
        for i in range(count):
            value = <object>arguments[i]
            if type(value) is EagerTensor:
                step.places[i] = self.place_of(<EagerTensor>value)
                known = known or self.depends(<EagerTensor>value)
            elif type(value) in (tuple, list) and any([type(part) is EagerTensor for part in value]):
                places = [
                    self.place_of(<EagerTensor>part) if type(part) is EagerTensor else self.constant(part)
                    for part in value]
                known = known or any([type(part) is EagerTensor and self.depends(<EagerTensor>part) for part in value])
                if step.nested is None:
                    step.nested = {}
                step.nested[i] = (type(value), places)
                step.places[i] = -1
            elif type(value) in (tuple, list) and self.holds_tensor(value):
                self.refuse("a rule gets nested lists of tensors")
                return 0
            else:
                step.places[i] = self.constant(value)
                known = known or self.opening is not None and holds_size(value)
        if not known:
            return 0
        for i in range(len(results)):
            step.targets[i] = -1
            tensor = results[i]
            if tensor is not None and not self.slot_of.has(tensor.id) and tensor.id not in self.constant_places:
                step.targets[i] = self.new_slot(tensor)
                self.step_results.append(PyWeakref_NewRef(tensor, None))
        if max([step.targets[i] for i in range(len(results))]) < 0:
            return 0            # the rule passes its argument on
        if self.opening is not None and self.opening.named:
            self.opening.fail("values decide the shape of a gradient")
            return 0
        return self.append(step)

    cdef int on_sum(self, EagerTensor tensor, tuple shape, EagerTensor result) except -1:
        cdef Step step
        if self.hidden or self.reason is not None or not self.depends(tensor):
            return 0
        step = Step.__new__(Step)
        step.kind = SUM
        step.detail = shape
        step.safe = True
        step.reserve(1, 1)
        step.places[0] = self.place_of(tensor)
        step.targets[0] = self.new_slot(result)
        return self.append(step)

    cdef bint keeps(self, EagerTensor tensor) except -1:
        return self.reason is None and not self.slot_of.has(tensor.id)      # it may become a constant

    cdef int on_alias(self, EagerTensor tensor, EagerTensor alias) except -1:
        cdef int64_t slot = self.slot_of.get(tensor.id, -1)
        if self.hidden or self.reason is not None:
            return 0
        if self.taped:
            self.refuse("a custom gradient, or a copy of a tensor, under a tape from outside")
        elif slot >= 0:
            self.slot_of.set(alias.id, slot)
            if self.is_open(alias):
                self.opened.append(PyWeakref_NewRef(alias, None))
            self.step_results.append(PyWeakref_NewRef(alias, None))
        return 0

    cdef int on_tape(self, int64_t born, bint recorded) except -1:
        if self.hidden or self.reason is not None:
            return 0
        if recorded:
            if self.taped and self.reading_gradient is None:
                self.refuse("a custom gradient under a tape from outside")
        elif born < self.first_id:
            self.refuse("it uses a tape that was made outside of it")
        elif self.listener is not None:
            self.listener.on_tape(self)
        return 0

    cdef int on_reading(self, object variable, EagerTensor tensor, object backward) except -1:
        if not self.hidden:
            self.reading_gradient = backward
        return 0

    cdef int on_leaving_function(self, int change) except -1:
        self.outside += change
        return 0

    cdef int on_use_elsewhere(self, EagerTensor tensor) except -1:
        cdef int64_t slot = -1 if self.hidden or self.reason is not None else self.slot_of.get(tensor.id, -1)
        # The value of a variable is everybody's: the other thread has read the variable itself.
        if slot >= 0 and slot not in self.variable_slots:
            # Nothing else is changed here: the thread that records may be at work on it.
            self.reason = ("another thread uses a tensor that the function computes", user_line())
        return 0

    cdef int on_new_variable(self, object variable, bint inner) except -1:
        if self.no_variables is not None and not inner:
            raise ValueError(self.no_variables)
        if not self.hidden:
            self.made_variables = True
            self.variables.append(variable)
        return 0

    def begins_anew(self):
        """Whether the block has made variables, and is to run once more; what was recorded is then let go of.

        Where the block did what cannot be undone, such as printing, or where that is not known, the answer is False.
        """
        cdef Step step
        if self.reason is not None or not self.variables:
            return False
        for step in self.steps:
            if lasts(step.effect, step.detail):
                return False
        self.reset()            # else what is put back now would be steps beyond these, perhaps too many
        return True

    def begin_anew(self, str no_variables not None):
        """Forget what happened. The block begins anew, and makes no variables then: ``no_variables`` says why.

        Variables that it has made stay there until the recorder goes: references that do not count lead to them.
        """
        self.reset()
        self.no_variables = no_variables
        self.made_before, self.made_variables = True, False

    cdef int on_refusal(self, str text) except -1:
        if not self.hidden:
            self.refuse(text)
        return 0

    cdef int on_hiding(self, int change) except -1:
        self.hidden += change
        return 0

    def finish(self, list results not None, template):
        """The Path of all that happened, which gives ``results``; None if there is no recording."""
        cdef tuple outputs
        cdef EagerTensor tensor
        cdef Path path
        if self.reason is not None:
            return None
        for tensor in results:
            if self.is_open(tensor):
                self.place_of(tensor)
                self.make_plain(tensor)
            if not isinstance(present_array(tensor), cnp.ndarray):
                self.refuse(f"it returns a tensor that holds a {type(tensor.array).__name__}")
                return None
        tensor = None           # or it would be kept here
        if self.leaks_tensors(results):
            self.refuse("a tensor that it computes is kept elsewhere than in its result: in an attribute, or a list")
            self.reason = (self.reason[0], None)
            return None
        for tensor in results:
            if self.loses_attributes(tensor):
                tensor.extra = None
        tensor = None
        outputs = tuple([self.place_of(tensor) for tensor in results])
        if self.reason is not None:
            return None
        self.check(outputs)
        path = Path(self.steps, tuple(self.constants), outputs, template, self.info)
        path.count = <int>len(self.inputs)
        return path

    cdef bint loses_attributes(self, EagerTensor tensor) except -1:
        """Whether a result loses the attributes that the block has set on it.

        A replay makes a new tensor, and so does TensorFlow in each call. Keras sets the logits on what softmax gives, for
        a loss in the same function. Tensors from elsewhere keep theirs, and so do weak ones, which NumPy-like functions
        promote otherwise.
        """
        return tensor.extra is not None and tensor.id > self.first_id and "_weak" not in tensor.extra

    cdef bint leaks_tensors(self, list results) except -1:
        """Whether Python code keeps a tensor that was made here and is no result, as in an attribute or a list.

        A later call may read it, so each call has to compute it. A tape from outside holds tensors too: under a tape
        nothing is checked.
        """
        cdef EagerTensor tensor
        for tensor in results:
            if tensor.extra is not None and not self.loses_attributes(tensor):
                return True
        tensor = None
        if self.taped or not self.kept_elsewhere(results):
            return False
        gc.collect(1)           # perhaps only a cycle holds it
        if not self.kept_elsewhere(results):
            return False
        gc.collect()
        return bool(self.kept_elsewhere(results))

    def kept_elsewhere(self, list results not None):
        """The tensors that steps gave, and that somebody holds who is not ``results``: under a tape that may be the tape."""
        cdef list kept = []
        cdef dict times = {}    # how often a tensor is among the results, which the list and the nest hold
        cdef dict set_on = {}   # of how many results it is an attribute, which they lose
        cdef set seen = set()
        cdef PyObject* tensor
        cdef Py_ssize_t holders
        for result in results:
            times[id(result)] = times.get(id(result), 0) + 1
            if id(result) not in seen and self.loses_attributes(result):
                seen.add(id(result))
                for value in (<EagerTensor>result).extra.values():
                    set_on[id(value)] = set_on.get(id(value), 0) + 1
        result = value = None
        for reference in self.step_results:
            if get_ref(reference, &tensor):
                holders = Py_REFCNT(tensor) - 1     # without the one that came with the question
                Py_DECREF(<object>tensor)
                if holders > 2 * times.get(<size_t>tensor, 0) + set_on.get(<size_t>tensor, 0):
                    kept.append(<object>tensor)
        return kept

    cdef int check(self, tuple outputs) except -1:
        """Raise unless every slot is filled before it is read. A replay relies on that."""
        cdef set filled = set(range(len(self.inputs)))
        cdef Step step
        cdef int i
        for step in self.steps:
            if not filled.issuperset(slots_read_by(step)):
                raise RuntimeError(f"a step of a recording, {step.name}, reads a tensor that no step before it has made")
            filled.update([step.targets[i] for i in range(step.results)])
        if not filled.issuperset([place for place in outputs if place >= 0]):
            raise RuntimeError("a recording gives a tensor that no step of it has made")
        return 0

    def is_constant(self, EagerTensor tensor not None):
        """Whether the tensor was made in this recording, and depends on no input."""
        return tensor.id > self.first_id and not self.slot_of.has(tensor.id)

    def input_of(self, EagerTensor tensor not None):
        """Which of the inputs this tensor is; -1 for another one."""
        cdef int64_t slot = self.slot_of.get(tensor.id, -1)
        return slot if slot < <int64_t>len(self.inputs) else -1
