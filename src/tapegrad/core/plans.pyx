"""What a record of an op saves, and how its rules are called with that."""

cimport cython
from cpython.mem cimport PyMem_Free, PyMem_Malloc
from cpython.ref cimport PyObject

from tapegrad.core.callbacks cimport callbacks

ASKS = {
    "dy": ASK_DY, "needs": ASK_NEEDS, "arrived": ASK_ARRIVED, "input": ASK_INPUT, "output": ASK_OUTPUT,
    "outputs": ASK_OUTPUTS, "input_shape": ASK_INPUT_SHAPE, "output_shape": ASK_OUTPUT_SHAPE,
    "input_dtype": ASK_INPUT_DTYPE, "attribute": ASK_ATTRIBUTE}
"""The names of the kinds of asks that `Op.set_rules` takes."""


@cython.final
cdef class Call:
    pass


@cython.final
cdef class Plan:
    def __dealloc__(self):
        PyMem_Free(self.calls_array)


cdef int check_rule(str type, tuple inputs, tuple attributes, tuple outputs, int input, tuple asks) except -1:
    cdef dict counts = {
        ASK_DY: 1, ASK_NEEDS: 1, ASK_ARRIVED: 1, ASK_OUTPUTS: 1,
        ASK_INPUT: len(inputs), ASK_INPUT_SHAPE: len(inputs), ASK_INPUT_DTYPE: len(inputs),
        ASK_OUTPUT: 1 if outputs is None else len(outputs), ASK_OUTPUT_SHAPE: 1,
        ASK_ATTRIBUTE: len(attributes)}
    if not -1 <= input < len(inputs):
        raise ValueError(f"{type} has no input {input}; its inputs are {inputs}")
    if len(asks) > MAX_ASKS:
        raise ValueError(
            f"a rule of {type} has {len(asks)} parameters; it may have {MAX_ASKS}. A rule that needs more "
            f"attributes can take one attribute that holds several values.")
    for kind, index in asks:
        if not 0 <= index < counts.get(kind, 0):
            raise ValueError(f"a rule of {type} asks for number {index} of kind {kind}, which it has not")
    return 0


cdef Plan plan_of_everything():
    cdef Plan plan = Plan.__new__(Plan)
    plan.calls = []
    plan.everything = True
    plan.kinds[0] = ASK_EVERYTHING
    plan.count = 1
    return plan


cdef Plan make_plan(dict rules, dict fast_forms, uint64_t watched, bint accumulates, bint no_halves):
    cdef Plan plan = Plan.__new__(Plan)
    cdef Call call
    cdef int i
    plan.calls = []
    for i, (rule, asks) in sorted(rules.items()):
        if i >= 0 and not watched >> i & 1:
            continue
        call = Call.__new__(Call)
        call.rule = rule
        call.input = i
        for kind, index in asks:
            call.places[call.count] = place_in(plan, kind, index)
            call.count += 1
        call.fast = fast_forms.get(i)
        call.accumulates = accumulates
        call.no_halves = no_halves
        form = getattr(call.fast, "func", None)
        call.takes_halves = hasattr(form, "takes_halves")
        call.add = getattr(form, "add", None)
        if hasattr(form, "pointwise"):
            call.programs = form_programs(form)
            call.is_form = True
            call.fast = None
        elif call.fast is None and i >= 0 and all([kind in (ASK_DY, ASK_INPUT, ASK_OUTPUT) for kind, _ in asks]):
            call.programs = rule_programs(rule)
        plan.calls.append(call)
    plan.calls_count = len(plan.calls)
    plan.calls_array = <PyObject**>PyMem_Malloc(max(plan.calls_count, 1) * sizeof(PyObject*))
    if plan.calls_array == NULL:
        raise MemoryError()
    for i in range(plan.calls_count):
        plan.calls_array[i] = <PyObject*>plan.calls[i]
    return plan


cdef Programs rule_programs(rule):
    return Programs(lambda types: callbacks().trace_rule(rule, types))


cdef Programs form_programs(form):
    return Programs(lambda types: callbacks().trace_kernel(form, types))


cdef int place_in(Plan plan, int kind, int index) except -9:
    """Where a rule finds what it asks for: an index into Record.saved, or DY, NEEDS or ARRIVED."""
    cdef int i
    if kind == ASK_DY:
        return DY
    if kind == ASK_NEEDS:
        return NEEDS
    if kind == ASK_ARRIVED:
        return ARRIVED
    for i in range(plan.count):
        if plan.kinds[i] == kind and plan.indices[i] == index:
            return i
    if plan.count == MAX_ASKS:
        raise ValueError(f"the rules of an op ask for more than {MAX_ASKS} things")
    plan.kinds[plan.count] = kind
    plan.indices[plan.count] = index
    plan.count += 1
    return plan.count - 1
