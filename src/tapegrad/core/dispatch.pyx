"""From a call to a result: arguments become tensors, the kernel runs, observers are told.

An elementwise op on tensors of one dtype calls NumPy's inner loop directly.
All other calls are bound to the op's signature, converted and checked, and run as ``kernel(xp, *arrays)``.
This module finds out that a call is wrong; the modules above it write the message.
"""

cimport numpy as cnp
from cpython.ref cimport Py_DECREF, Py_INCREF, PyObject
from libc.stdint cimport uint64_t

import sys

import numpy as np

from tapegrad import dtypes, errors
from tapegrad.engines import numpy as numpy_engine
from tapegrad.engines.numpy.quiet import ignored, variable as error_settings
from tapegrad.core.binding cimport (
    bind_attributes, check_types, collect_tensors, find_parameter, override_of_inputs, plain_tensors)
from tapegrad.core.function cimport (
    OF_OPS, PROFILING, TRACING, Function, ask_all, hooks, profiled_ops)
from tapegrad.core.halves cimport half_among, is_half, round_to
from tapegrad.core.kinds cimport (
    Kind, OpenScope, Recomputable, Shaped, check_array, hinted, holds_size, keep_shapes, key_of, kind_of_all, of_sizes,
    open_batches, open_sizes, opened, per_item, shape_at_sight)
from tapegrad.core.kinds import NeedsItems
from tapegrad.core.observers cimport ThreadState, current_state
from tapegrad.core.operands cimport as_tensor, operand_like
from tapegrad.core.plans cimport Plan, check_rule, make_plan, plan_of_everything
from tapegrad.core.recording cimport record_call
from tapegrad.core.renaming cimport named
from tapegrad.core.tape cimport check_tensors
from tapegrad.core.tensor cimport EagerTensor, dtype_of, present_array, wrap
from tapegrad.core.callbacks cimport callbacks
from tapegrad.core.vectorcall cimport (
    PyObject_Vectorcall, PyVectorcall_NARGS, call_by_vectorcall, has_plain_attributes)
from tapegrad.engines.numpy.conversions cimport widened
from tapegrad.engines.numpy.lanes cimport Lane
from tapegrad.engines.numpy.loops cimport Loop, Loops, run_binary, run_unary
from tapegrad.engines.numpy.programs cimport Program, Programs
from tapegrad.engines.numpy.types cimport BUILTIN_TYPES

cnp.import_array()

NO_CODE = compile("None", "<kernel>", "eval")
"""What stands for the code of kernels that are not written in Python."""

cdef enum:
    MAX_PARAMETERS = 64

class Registry(dict):
    """Every op under TensorFlow's name for it. A missing op may be in a module that is not loaded yet."""

    def __missing__(self, type):
        callbacks()
        if type not in self:
            callbacks().load_ops(type)
        if type not in self:
            raise KeyError(type)
        return self[type]


registry = Registry()


def op_by_name(type):
    """The op of that type. Pickles of ops call this function when they are read."""
    try:
        return registry[type]
    except (KeyError, TypeError):
        raise ValueError(f"A pickled op is damaged, or not of this version: there is no op {type!r}.") from None


def load_ops():
    """Load every module that defines ops, so that `registry` is complete."""
    callbacks().load_ops()

cdef object xp = numpy_engine.xp
"""The first argument of every kernel."""

cdef object set_errors = error_settings.set
cdef object reset_errors = error_settings.reset


# What the values of an op's inputs decide, in the order of `Decided`.
DECIDED = {"nothing": NOTHING, "elements": ELEMENTS, "integer errors": INTEGER_ERRORS, "errors": ERRORS, "shapes": SHAPES}


cdef bint follows_from_shapes(Op op, str effect) except -1:
    """Whether an op must give results for all values of its inputs, and of the same shapes.

    An elementwise op does. So does a linear one, which has a value for every vector of the space that it is linear on,
    and one without inputs, whose attributes are the same at each call.
    """
    if op.elementwise or not op.inputs and effect in (None, "draws"):
        return True
    return bool(op.inputs) and {i for group in op.linear for i in group}.issuperset(range(len(op.inputs)))


# --- The op -------------------------------------------------------------------------------------------

cdef class Op(Function):
    def __cinit__(self, str type not None, tuple inputs not None, tuple attributes not None,
                  tuple defaults not None, tuple converters not None, *,
                  object kernel=None, str ufunc_name=None, outputs=None, bint list_input=False,
                  bint list_output=False, bint broadcasts=False, bint holomorphic=True, types=None,
                  tuple own_types=None, result=None, bint pointwise=False,
                  Lane lane=None, str effect=None, accumulate=None, bint elementwise=False,
                  tuple linear=(), bint multilinear=False, str values=None):
        self.vectorcall = call_op
        self.type = type
        self.inputs = inputs
        self.attributes = attributes
        self.outputs = outputs
        self.list_input = list_input
        self.list_output = list_output
        self.broadcasts = broadcasts
        self.holomorphic = holomorphic
        self.result = result
        self.kernel = kernel
        self.ufunc_name = ufunc_name
        self.pointwise = pointwise
        self.elementwise = elementwise
        self.linear = linear
        self.multilinear = multilinear
        if values is None and follows_from_shapes(self, effect):
            values = "elements"
        if values is not None and values not in DECIDED:
            raise ValueError(f"{type} says values={values!r}; {', '.join(DECIDED)} are known")
        self.values = values
        self.decided = SHAPES if values is None else DECIDED[values]
        self.lane = lane
        self.effect = effect
        self.accumulate = accumulate
        self.rounded = set(accumulate) if isinstance(accumulate, dict) else None
        if pointwise:
            self.programs = Programs(lambda types: callbacks().trace_kernel(kernel, types))
        self.parameters = inputs + attributes + ("name",)
        self.defaults = defaults
        self.converters = converters
        self.own_types = own_types
        self.types = types
        self.only_type = next(iter(types)) if types is not None and len(types) == 1 else None
        self.rules = {}
        self.fast_forms = {}
        self.plans = {}
        self.overrides = {}
        if len(self.parameters) > MAX_PARAMETERS:
            raise ValueError(f"{type} takes {len(self.parameters)} arguments; MAX_PARAMETERS is {MAX_PARAMETERS}")
        if len(defaults) != len(attributes) or len(converters) != len(attributes):
            raise ValueError(f"{type} needs one default and one converter for each of its attributes {attributes}")
        if own_types is not None and len(own_types) != len(inputs):
            raise ValueError(f"{type} needs one set of own dtypes, or None, for each of its inputs {inputs}")
        if ufunc_name is not None and not 1 <= len(inputs) <= 2:
            raise ValueError(f"{type} names a ufunc, so it takes one or two inputs, not {inputs}")
        if lane is not None and lane.function == NULL:
            raise ValueError(f"the lane of {type} has no function")
        if accumulate is not None and not {"float32"}.issuperset(
                accumulate.values() if isinstance(accumulate, dict) else (accumulate,)):
            raise ValueError(f"{type} accumulates in {accumulate!r}; halves are widened to float32")
        if self.rounded is not None and not self.rounded.issubset(outputs or ()):
            raise ValueError(f"{type} rounds the results {sorted(self.rounded)}, and has {outputs}")
        if own_types is not None:
            self.own_numbers = tuple([
                None if own is None else sum(
                    [1 << number for number in range(BUILTIN_TYPES) if dtypes.BY_NUMPY_NUM.get(number) in own],
                    (1 << BUILTIN_TYPES) * (dtypes.bfloat16 in own))
                for own in own_types])
        for number in range(BUILTIN_TYPES):
            dtype = dtypes.BY_NUMPY_NUM.get(number)
            self.builtin_types[number] = dtype is not None and (types is None or dtype in types)
        self.takes_bfloat16 = types is None or dtypes.bfloat16 in types

    def __dealloc__(self):
        for i in range(8):
            if self.small_plans[i] != NULL:
                Py_DECREF(<object>self.small_plans[i])

    def __init__(self, *args, **kwargs):
        """All is done when the op is made."""

    def __repr__(self):
        return f"<op {self.__name__} ({self.type})>"

    def override(self, kind, function):
        """Let ``function(op, *inputs, *attributes)`` answer calls with a ``kind`` among inputs or attributes.

        The attributes are as kernels get them. ``kind`` itself is meant, not its subclasses.
        """
        self.overrides[kind] = function

    cdef object run_body(self, PyObject** args, size_t count, PyObject* keywords):
        return call_op_plainly(self, args, count, keywords)

    @property
    def __code__(self):
        """The code of the kernel, for those who look into functions."""
        return getattr(self.kernel, "__code__", NO_CODE)

    @property
    def __globals__(self):
        """The globals of the module that defines the op."""
        return self.namespace

    def __reduce__(self):
        return (op_by_name, (self.type,))

    def run(self, list arrays not None, tuple attributes not None):
        """The results of the op for NumPy's arrays: one array, or a list of arrays. No observer is told.

        A kind whose arrays contain NumPy's arrays runs its ops by this method.
        """
        for array in arrays:
            if not isinstance(array, cnp.ndarray):
                raise TypeError(f"{self.type}.run takes NumPy's arrays, not a {type(array).__name__}")
        self.check_call(arrays, attributes)
        return run_arrays(self, arrays, attributes)

    def apply(self, list tensors not None, tuple attributes not None):
        """The results of the op on ``tensors``, with ``attributes`` in the op's order. Dtypes go unchecked."""
        if hooks & TRACING:
            answer = callbacks().trace_symbolically(self.apply, (tensors, attributes), {})
            if answer is not NotImplemented:
                return answer
        check_tensors(tensors)
        self.check_call(tensors, attributes)
        return apply_op(self, tensors, attributes)

    cdef int check_call(self, list tensors, tuple attributes) except -1:
        cdef Py_ssize_t inputs = len(self.inputs)
        if len(attributes) != len(self.attributes) or (
                len(tensors) < inputs - 1 if self.list_input else len(tensors) != inputs):
            raise TypeError(
                f"{self.type}.apply takes tensors for {self.inputs} and values for {self.attributes}; it got "
                f"{len(tensors)} tensors and {len(attributes)} values")
        return 0

    def batching(self, rule):
        """Run the op over a batch by ``rule``: see `tapegrad.ops.batching`."""
        self.batch_rule = rule
        return rule

    def shape(self, rule):
        """Say by ``rule`` which shapes and dtypes the results have: see `tapegrad.core.abstract`."""
        from tapegrad.core.rules import add_shape_rule
        add_shape_rule(self, rule)
        return rule

    @property
    def differentiable(self):
        """"yes", "no" if the op was declared to have no gradient, "missing" if nothing was declared."""
        if self.rules or self.registered is not None:
            return "yes"
        return "no" if self.declared_none else "missing"

    def gradient(self, *joint, fast=None, **rules):
        """Differentiate the op by one rule per input, or by one joint rule for all: see `tapegrad.core.rules`."""
        from tapegrad.core.rules import add_rules
        return add_rules(self, joint, rules, fast)

    def no_gradient(self, *, bint constant=False):
        """Declare that no gradient flows through the op: a source behind it gets `None`.

        The op's results can be sources themselves. With ``constant``, they cannot: tapes do not watch them.
        """
        self.declared_none = True
        self.gives_constant = constant
        self.forget_plans()
        return self

    @property
    def __signature__(self):
        return callbacks().signature(self)

    @property
    def __doc__(self):
        return callbacks().document(self)

    def __get__(self, instance, owner):
        # An op that is an attribute of a class does not become a method of it. help(), doctest and the like
        # take an object with __get__ and without __set__ for a function. Without this method they would show
        # the class of the op, or nothing.
        return self

    @property
    def input_types(self):
        """For each input the dtypes it may have, or None if it shares T. None if all inputs share T."""
        return self.own_types

    @property
    def parameter_defaults(self):
        """The defaults of the attributes, in order; REQUIRED for an attribute without one."""
        return self.defaults

    def set_rules(self, dict rules not None, dict fast_forms not None={}):
        """Differentiate by ``rules``: input index (-1: all inputs at once) -> (rule, asks).

        ``fast_forms`` maps the same indices to fast forms, for the rules that have one.
        The walk calls a fast form instead of the rule while nobody records.
        """
        for i, (rule, asks) in rules.items():
            check_rule(self.type, self.inputs, self.attributes, self.outputs, i, asks)
            # A list of tensors would have to be made a list of arrays: no rule has needed that yet.
            if i in fast_forms and (self.list_input or self.list_output):
                raise ValueError(f"{self.type} takes or gives a list of tensors, so its rules have no fast form")
        if not fast_forms.keys() <= rules.keys():
            raise ValueError(f"a fast form of {self.type} comes without its rule")
        for i in rules:
            # A rule that is replaced takes its fast form with it.
            self.fast_forms.pop(i, None)
        self.rules.update(rules)
        self.fast_forms.update(fast_forms)
        self.declared_none = False
        self.forget_plans()

    def set_registered(self, function):
        """Differentiate by ``function(op, *dys)``; None declares that there is no gradient."""
        self.registered = function
        self.declared_none = function is None
        self.forget_plans()

    def forget_plans(self):
        self.plans.clear()
        for i in range(8):
            if self.small_plans[i] != NULL:
                Py_DECREF(<object>self.small_plans[i])
                self.small_plans[i] = NULL

    cdef Plan plan(self, uint64_t watched):
        """The plan for a call whose watched inputs are those with a bit set in ``watched``."""
        cdef Plan plan
        if watched < 8 and self.small_plans[watched] != NULL:
            return <Plan>self.small_plans[watched]
        plan = self.plans.get(watched)
        if plan is not None:
            return plan
        if self.registered is not None or not self.rules:
            plan = plan_of_everything()
        else:
            plan = make_plan(
                self.rules, self.fast_forms, watched, self.accumulate is not None, self.rounded is not None)
            plan.plain = not self.list_input and not self.list_output and self.outputs is None and -1 not in self.rules
        self.plans[watched] = plan
        if watched < 8:
            Py_INCREF(plan)
            self.small_plans[watched] = <PyObject*>plan
        return plan


cdef Op probe = Op("Probe", (), (), (), ())
call_by_vectorcall(probe, &probe.vectorcall)
has_plain_attributes(probe)     # there is no body to ask
probe = None


# --- Calls --------------------------------------------------------------------------------------------

cdef object call_op(object callable, PyObject** args, size_t count, PyObject* keywords):
    """The vectorcall of every op."""
    if hooks & OF_OPS:
        if hooks & PROFILING and callable in profiled_ops:
            return PyObject_Vectorcall(profiled_ops[callable], args, count, keywords)
        return call_unprofiled(<Op>callable, args, count, keywords)
    return call_op_plainly(<Op>callable, args, count, keywords)


cdef object call_unprofiled(Op op, PyObject** args, size_t count, PyObject* keywords):
    """Call the op unless a graph or the promotion of dtypes answers in its place."""
    answer = ask_all(op, args, count, keywords)
    return call_op_plainly(op, args, count, keywords) if answer is NotImplemented else answer


cdef inline object call_op_plainly(Op op, PyObject** args, size_t count, PyObject* keywords):
    cdef Py_ssize_t given = PyVectorcall_NARGS(count)
    if keywords == NULL and op.ufunc_name is not None and given == len(op.inputs):
        if given == 2:
            return run_binary_op(op, <object>args[0], <object>args[1])
        return run_unary_op(op, <object>args[0])
    return bind_and_call(op, args, given, keywords)


cdef object bind_and_call(Op op, PyObject** args, Py_ssize_t given, PyObject* keywords):
    cdef PyObject* bound[MAX_PARAMETERS]
    cdef Py_ssize_t parameters = len(op.parameters), inputs = len(op.inputs), i, place
    cdef object name
    cdef list tensors
    cdef tuple attributes
    if given > parameters:
        raise TypeError(
            f"{op.__name__}() takes at most {parameters} arguments ({', '.join(op.parameters)}); "
            f"{given} were given.")
    for i in range(parameters):
        bound[i] = args[i] if i < given else NULL
    if keywords != NULL:
        for i in range(len(<tuple>keywords)):
            name = (<tuple>keywords)[i]
            place = find_parameter(op.parameters, name)
            if place < 0:
                raise TypeError(f"{op.__name__}() got an unexpected keyword argument {name!r}. "
                                f"It takes {', '.join(op.parameters)}.")
            if bound[place] != NULL:
                raise TypeError(f"{op.__name__}() got two values for the argument {name!r}.")
            bound[place] = args[given + i]
    for i in range(inputs):
        if bound[i] == NULL:
            raise TypeError(f"{op.__name__}() is missing the argument {op.inputs[i]!r}.")
    if op.overrides:
        # An attribute may have an override, too, such as the shape of a ragged tensor.
        for i in range(inputs, inputs + len(op.attributes)):
            if bound[i] != NULL and (op.given is None or <object>bound[i] is not op.given[i - inputs]):
                override = op.overrides.get(type(<object>bound[i]))
                if override is not None:
                    return override(
                        op, *[<object>bound[i] for i in range(inputs + len(op.attributes)) if bound[i] != NULL])
    attributes = bind_attributes(op, &bound[inputs])
    tensors = plain_tensors(op, bound)
    if tensors is None:
        if op.overrides:
            override = override_of_inputs(op, [<object>bound[i] for i in range(inputs)])
            if override is not None:
                return override(op, *[<object>bound[i] for i in range(inputs)], *attributes)
        tensors = collect_tensors(op, bound)
        check_types(op, tensors)
    if op.ufunc_name is not None:
        if inputs == 1:
            return run_unary_tensor(op, tensors[0])
        return run_binary_tensors(op, tensors[0], tensors[1])
    return apply_op(op, tensors, attributes)


cdef int name_op(Op op, object error) except -1:
    """Add the name of the op to the message of ``error``, unless the message names one, or users know of no such op."""
    if "[Op:" not in error.message and not op.type.startswith("_"):
        error.message = f"{error.message} [Op:{op.type}]"
    return 0


cdef int failed(Op op, list tensors, object error) except -1:
    """Note that the op failed on this thread, and raise a better error than ``error`` if there is one."""
    note_failure()
    callbacks().explain(op, tensors, error)
    return 0


cdef int note_failure() except -1:
    cdef ThreadState state = current_state()
    state.failures += 1
    return 0


cdef object run_unary_op(Op op, object x):
    cdef EagerTensor tensor = as_tensor(x)
    if tensor is None:
        if type(x) in op.overrides:
            return op.overrides[type(x)](op, x)
        tensor = callbacks().convert(x, op.only_type)
    return run_unary_tensor(op, tensor)


cdef object run_unary_tensor(Op op, EagerTensor tensor):
    cdef EagerTensor out
    cdef Loop* loop = find_loop(op, tensor.array)
    cdef ThreadState state
    cdef PyObject* inputs[1]
    cdef PyObject* outputs[1]
    if loop == NULL:
        check_types(op, [tensor])
        return apply_op(op, [tensor], ())
    try:
        out = wrap(run_unary(loop, <cnp.ndarray>tensor.array))
    except (ValueError, MemoryError) as error:
        failed(op, [tensor], error)
        raise
    state = current_state()
    if state.active:
        inputs[0] = <PyObject*>tensor
        outputs[0] = <PyObject*>out
        record_call(op, state, inputs, 1, outputs, 1, ())
    return out


cdef object run_binary_op(Op op, object x, object y):
    cdef EagerTensor first = as_tensor(x), second = as_tensor(y)
    if (first is None or second is None) and op.overrides:
        override = override_of_inputs(op, [x, y])
        if override is not None:
            return override(op, x, y)
    if first is None:
        if second is None or op.first_decides or op.only_type is not None:
            first = callbacks().convert(x, op.only_type)
        else:
            first = operand_like(op, x, second)
    if second is None:
        second = operand_like(op, y, first) if op.only_type is None else callbacks().convert(y, op.only_type)
    return run_binary_tensors(op, first, second)


cdef object run_binary_tensors(Op op, EagerTensor first, EagerTensor second):
    cdef EagerTensor out = run_binary_loop(op, first, second)
    if out is not None:
        return out
    check_types(op, [first, second])
    return apply_op(op, [first, second], ())


cdef EagerTensor run_binary_loop(Op op, EagerTensor first, EagerTensor second):
    """What NumPy's inner loop for the op gives; None where the op has to go the general way."""
    cdef EagerTensor out
    cdef ThreadState state
    cdef PyObject* inputs[2]
    cdef PyObject* outputs[1]
    cdef Loop* loop = find_binary_loop(op, first, second)
    if loop == NULL:
        return None
    try:
        out = wrap(run_binary(loop, <cnp.ndarray>first.array, <cnp.ndarray>second.array))
    except (ValueError, MemoryError) as error:
        failed(op, [first, second], error)
        raise
    state = current_state()
    if state.active:
        inputs[0] = <PyObject*>first
        inputs[1] = <PyObject*>second
        outputs[0] = <PyObject*>out
        record_call(op, state, inputs, 2, outputs, 1, ())
    return out


cdef inline Loop* find_binary_loop(Op op, EagerTensor first, EagerTensor second) noexcept:
    """The inner loop for two tensors of one dtype; NULL where the op has to go the general way."""
    if (not isinstance(second.array, cnp.ndarray) or not isinstance(first.array, cnp.ndarray)
            or cnp.PyArray_TYPE(<cnp.ndarray>first.array) != cnp.PyArray_TYPE(<cnp.ndarray>second.array)):
        return NULL
    return find_loop(op, first.array)


cdef Loop* loop_for(Op op, object array) noexcept:
    return find_loop(op, array)


cdef inline Loop* find_loop(Op op, object array) noexcept:
    """NumPy's inner loop for the op on ``array``; NULL where the op has to go the general way."""
    cdef int number
    if not isinstance(array, cnp.ndarray):
        return NULL
    number = cnp.PyArray_TYPE(<cnp.ndarray>array)
    if number >= BUILTIN_TYPES and op.takes_bfloat16:
        if not op.loops_found:
            find_loops(op)
        return op.loops.find_half(<cnp.dtype>cnp.PyArray_DESCR(<cnp.ndarray>array)) if op.loops is not None else NULL
    if number >= BUILTIN_TYPES or not op.builtin_types[number]:
        return NULL
    if not op.loops_found:
        find_loops(op)
    return op.loops.find(number) if op.loops is not None else NULL


cdef int find_loops(Op op) noexcept:
    op.loops_found = True
    try:
        function = getattr(xp, op.ufunc_name)
        if isinstance(function, np.ufunc):
            op.loops = Loops(function)
    except Exception:
        # The general way runs into the same error and raises it.
        op.loops = None
    return 0


cdef extern from "Python.h":
    ctypedef struct PyListObject:
        PyObject** ob_item


cdef object run_lane(Op op, list tensors, list given, tuple attributes):
    """The result of the op's lane; None where the lane leaves the call to the kernel. Messages show ``given``."""
    cdef PyObject* arrays[MAX_PARAMETERS]
    cdef Py_ssize_t i, count = len(tensors)
    if count > MAX_PARAMETERS:
        return None
    for i in range(count):
        arrays[i] = <PyObject*>(<EagerTensor>tensors[i]).array
        if not isinstance(<object>arrays[i], cnp.ndarray):
            return None
    try:
        return op.lane.function(arrays, <int>count, attributes)
    except (ValueError, MemoryError) as error:
        failed(op, given, error)
        raise


cdef object run_arrays(Op op, list arrays, tuple attributes):
    """What the op gives for NumPy's arrays: one array, or the list of several. No observer is told.

    The results have the layout that they have where the op is called: sums depend on it, to the last bit.
    """
    cdef list tensors
    cdef object half, results
    cdef Loop* loop
    if op.ufunc_name is not None:
        loop = find_loop(op, arrays[0])
        if loop != NULL and len(arrays) == 1:
            return run_unary(loop, <cnp.ndarray>arrays[0])
        if loop != NULL and (<cnp.ndarray>arrays[0]).dtype.num == (<cnp.ndarray>arrays[1]).dtype.num:
            return run_binary(loop, <cnp.ndarray>arrays[0], <cnp.ndarray>arrays[1])
    tensors = [wrap(array) for array in arrays]
    results = run_lane(op, tensors, tensors, attributes) if op.lane is not None else None
    if results is None:
        half = half_among(tensors) if op.accumulate is not None else None
        if half is not None:
            results = run_widened(op, tensors, attributes, half)
        else:
            results = run_kernel(op, tensors, tensors, attributes)
    if op.outputs is None and not op.list_output:
        return (<EagerTensor>wrap_result(results)).array
    return [(<EagerTensor>wrap_result(result)).array for result in results]


cdef object apply_op(Op op, list tensors, tuple attributes):
    """Run the op and tell the observers."""
    cdef EagerTensor tensor
    cdef list outputs
    cdef object results, half
    if op.effect is not None and open_sizes and current_state().recorder is not None:
        current_state().recorder.before_effect(op, attributes)
    if op.effect is not None and open_batches and current_state().batch is not None:
        if (<object>per_item).runs_once(op, tensors):
            return (<object>per_item).apply_once(op, tensors, attributes)
        return apply_by_kind(op, per_item, tensors, [tensor.array for tensor in tensors], attributes)
    if open_sizes and holds_size(attributes):
        return apply_by_kind(op, None, tensors, [tensor.array for tensor in tensors], attributes)
    if op.lane is not None:
        # The lane of an op that accumulates leaves halves alone, so that others need not be looked at for it.
        results = run_lane(op, tensors, tensors, attributes)
        if results is not None:
            if op.outputs is not None or op.list_output:
                return wrap_results(op, tensors, results, attributes)
            outputs = [wrap(results)]
            finish(op, tensors, outputs, attributes)
            return outputs[0]
    if op.accumulate is not None:
        half = half_among(tensors)
        if half is not None:
            return wrap_results(op, tensors, run_widened(op, tensors, attributes, half), attributes)
    for tensor in tensors:
        if not isinstance(tensor.array, cnp.ndarray):
            return apply_by_kind(op, None, tensors, [tensor.array for tensor in tensors], attributes)
    return wrap_results(op, tensors, run_kernel(op, tensors, tensors, attributes), attributes)


cdef object apply_by_kind(Op op, Kind kind, list tensors, list arrays, tuple attributes):
    """`apply_op` for arrays that are not all NumPy's. Only here do ops meet other kinds of arrays."""
    cdef object results = None
    cdef OpenScope opening = None
    cdef tuple key = None
    for array in arrays:
        if isinstance(array, Recomputable):
            for tensor in tensors:
                present_array(<EagerTensor>tensor)
            if op.ufunc_name is None:
                return apply_op(op, tensors, attributes)
            if len(tensors) == 1:
                return run_unary_tensor(op, tensors[0])
            return run_binary_tensors(op, tensors[0], tensors[1])
    try:
        if open_sizes and kind is None and op.effect is None:
            opening = current_state().opening
        if opening is not None and opening.works and not opening.saves:
            if op.elementwise:
                results = run_at_sight(op, arrays, attributes, opening)
            else:
                key = key_of(op, [arrays, attributes], opening)
                shapes = opening.kept.get(key)
                if shapes is not None:
                    results = run_with_shapes(op, arrays, attributes, shapes, opening)
        if results is None:
            if kind is None:
                kind = kind_of_all(arrays) or of_sizes      # NumPy's come here for sizes among the attributes alone
            if current_state().recorder is not None:
                arrays = kind.recorded_arrays(tensors, arrays)
            results = kind.apply(op, arrays, attributes)
            if key is not None:
                keep_shapes(key, results if op.outputs is not None or op.list_output else [results], opening)
    except NeedsItems:
        raise
    except errors.OpError as error:
        note_failure()
        name_op(op, error)
        raise
    except Exception as error:
        failed(op, tensors, error)
        raise
    return wrap_results(op, tensors, results, attributes)


cdef object run_at_sight(Op op, list arrays, tuple attributes, OpenScope opening):
    """What an elementwise op gives for arrays with open sizes, where a look at these tells the shape; None where it does not."""
    cdef list elements = []
    cdef tuple shape = shape_at_sight(arrays, opening, elements)
    if shape is None:
        return None
    results = run_arrays(op, elements, hinted(attributes))
    return opened(results, shape, dtype_of(results), opening)


cdef object run_with_shapes(Op op, list arrays, tuple attributes, list shapes, OpenScope opening):
    """What an op gives for arrays with open sizes, where ``shapes`` are kept for its results; None if these have others."""
    cdef list elements = [(<Shaped>array).elements if isinstance(array, Shaped) else array for array in arrays], listed
    cdef bint several = op.outputs is not None or op.list_output
    cdef object results
    cdef Py_ssize_t i
    for array in elements:
        if array is None:
            return None
    results = run_arrays(op, elements, hinted(attributes))
    listed = results if several else [results]
    if len(listed) != len(shapes):
        return None
    for i in range(len(listed)):
        if shapes[i] is not None:
            listed[i] = opened(listed[i], shapes[i], dtype_of(listed[i]), opening)
            if listed[i] is None:
                return None
    return listed if several else listed[0]


cdef list run_op(Op op, list tensors, tuple attributes):
    """The results of the op as a list of tensors. All arrays are NumPy's, or have open sizes. Observers are told."""
    cdef list outputs, arrays = [(<EagerTensor>tensor).array for tensor in tensors]
    cdef object results
    cdef bint is_open = open_sizes and holds_size(attributes)
    if open_sizes:
        for array in arrays:
            is_open = is_open or not isinstance(array, cnp.ndarray)
    if is_open:
        results = of_sizes.apply(op, of_sizes.recorded_arrays(tensors, arrays), attributes)
    else:
        results = run_arrays(op, arrays, attributes)
    outputs = [wrap_result(result) for result in (results if op.outputs is not None or op.list_output else [results])]
    finish(op, tensors, outputs, attributes)
    return outputs


cdef object wrap_results(Op op, list tensors, object results, tuple attributes):
    """What the caller of the op gets for ``results`` of its kernel or of a kind. Observers are told."""
    cdef list outputs
    if op.outputs is None and not op.list_output:
        outputs = [wrap_result(results)]
    else:
        outputs = [wrap_result(result) for result in results]
    finish(op, tensors, outputs, attributes)
    if op.outputs is None and not op.list_output:
        return outputs[0]
    if op.list_output:
        return outputs
    if op.result is None:
        return tuple(outputs)
    return named(op.result, outputs) if isinstance(op.result, type) else op.result(*outputs)


cdef object run_widened(Op op, list tensors, tuple attributes, object half):
    """What the op gives for ``tensors`` with halves in float32, its results rounded back to ``half``, once."""
    cdef EagerTensor tensor
    cdef list arguments, wide
    cdef Program program
    if op.pointwise:
        arguments = [(<EagerTensor>each).array for each in tensors]
        program = op.programs.find_of_halves((<PyListObject*>arguments).ob_item, len(arguments), True)
        if program is not None:
            results = program.run_widened((<PyListObject*>arguments).ob_item)
            if results is not None:
                return results
    wide = [
        wrap(widened(<cnp.ndarray>tensor.array)) if is_half(tensor.array) else tensor for tensor in tensors]
    results = run_lane(op, wide, tensors, attributes) if op.lane is not None else None
    if results is None:
        results = run_kernel(op, wide, tensors, attributes)
    if (half.num >= BUILTIN_TYPES and isinstance(results, cnp.ndarray)
            and cnp.PyArray_ISCARRAY_RO(<cnp.ndarray>results)):
        return round_to(half, results)      # by our own conversion, which gives no warnings
    token = set_errors(ignored)
    try:
        if op.outputs is None and not op.list_output:
            return round_to(half, results)
        if op.rounded is None:
            return [round_to(half, result) for result in results]
        return [round_to(half, result) if name in op.rounded else result
                for name, result in zip(op.outputs, results)]
    finally:
        reset_errors(token)


cdef object run_kernel(Op op, list tensors, list given, tuple attributes):
    """What the op's kernel gives for tensors that hold NumPy's arrays. Messages speak of those ``given``."""
    cdef EagerTensor tensor
    cdef list arguments = [xp]
    cdef object results
    cdef Py_ssize_t count = len(tensors)
    cdef Program program = None
    for tensor in tensors:
        arguments.append(tensor.array)
    arguments.extend(attributes)
    token = set_errors(ignored)
    try:
        if op.ufunc_name is not None:
            results = numpy_engine.elementwise(op.ufunc_name, arguments[1:])
        else:
            if op.pointwise:
                program = op.programs.find(&(<PyListObject*>arguments).ob_item[1], count)
            results = None if program is None else program.run(&(<PyListObject*>arguments).ob_item[1], -1)
            if results is None:
                results = PyObject_Vectorcall(
                    op.kernel, &(<PyListObject*>arguments).ob_item[0], count + 1,
                    <PyObject*>op.attributes if op.attributes else NULL)
    except errors.OpError as error:
        note_failure()
        name_op(op, error)
        raise
    except Exception as error:
        failed(op, given, error)
        raise
    finally:
        reset_errors(token)
    return results


cdef inline EagerTensor wrap_result(object result):
    if isinstance(result, cnp.ndarray):
        return wrap(result)
    if isinstance(result, (np.generic, int, float, complex)):
        return wrap(np.asarray(result))
    if type(result) is EagerTensor:
        return <EagerTensor>result          # a kind knows the tensor
    check_array(result)
    return wrap(result)


cdef int finish(Op op, list tensors, list outputs, tuple attributes) except -1:
    cdef ThreadState state = current_state()
    if state.active:
        record_call(op, state, (<PyListObject*>tensors).ob_item, len(tensors),
                    (<PyListObject*>outputs).ob_item, len(outputs), attributes)
    return 0


def forget_unloaded():
    """After a failed import: forget the ops of those modules of ours that are no longer loaded.

    An import that an exception or an interrupt ends in the middle leaves the ops that were defined before it.
    """
    for type, op in list(registry.items()):
        if is_unloaded(op):
            del registry[type]


cdef bint is_unloaded(object function):
    module = getattr(function, "__module__", None)
    return module is not None and module.startswith("tapegrad.") and module not in sys.modules


def register_gradient(str op_type, function):
    """Differentiate the op ``op_type`` by ``function(op, *dys)``; None declares that it has no gradient."""
    (<Op>registry[op_type]).set_registered(function)
