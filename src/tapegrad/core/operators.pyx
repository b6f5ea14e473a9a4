"""The operators of tensors and variables: which op runs for which operands."""

from tapegrad.core cimport tensor as tensor_module
from tapegrad.core.dispatch cimport Op, run_binary_loop, run_unary_op
from tapegrad.core.function cimport OF_OPERATORS, PROFILING, ask_hooks, hooks, profiled_operators
from tapegrad.core.operands cimport as_tensor, known_scalar, left_operand, operand_like
from tapegrad.core.tensor cimport SLOTS, XOR, EagerTensor, Tensor, is_trainable
from tapegrad.core.callbacks cimport Callbacks, callbacks, set_callbacks

cdef list operators = [None] * SLOTS
cdef list alternatives = [None] * SLOTS
SLOT_NAMES = ("add", "subtract", "multiply", "truediv", "floordiv", "mod", "pow", "matmul", "and", "or", "xor",
              "negative", "abs", "invert",
              "less", "less_equal", "equal", "not_equal", "greater", "greater_equal")
# Operators that are too seldom used for a slot. TensorFlow's tensors lack them; the array API standard asks for them.
SELDOM = ("positive", "left_shift", "right_shift")
cdef tuple REFLECTED = ("__radd__", "__rsub__", "__rmul__", "__rtruediv__", "__rfloordiv__", "__rmod__", "__rpow__",
                        "__rmatmul__", "__rand__", "__ror__", "__rxor__")


def fill_callbacks(Callbacks filled not None):
    """Give the core the functions that it asks of higher layers.

    An operator of tensors and variables calls the function under its name in ``filled.operators``.
    The entry may be a pair: an elementwise op, and a function to call where that op has no loop
    for the dtypes of the operands. An operator that means another op for some dtypes has such a pair.
    """
    if set(filled.operators) != {*SLOT_NAMES, *SELDOM}:
        raise ValueError(f"the operators of tensors are {SLOT_NAMES + SELDOM}")
    for slot, name in enumerate(SLOT_NAMES):
        function = filled.operators[name]
        operators[slot], alternatives[slot] = function if isinstance(function, tuple) else (function, None)
    set_callbacks(filled)


cdef object operator(int slot):
    if operators[slot] is None:
        callbacks()
    return operators[slot]


class Operation:
    """The operator in a slot, as a function with a name."""

    def __init__(self, int slot):
        if not 0 <= slot < SLOTS:
            raise ValueError(f"there is no operator {slot}")
        self.slot = slot
        self.__name__ = SLOT_NAMES[slot]

    def __call__(self, *operands):
        if not 1 <= len(operands) <= 2:
            raise TypeError(f"an operator has one or two operands, not {len(operands)}")
        if len(operands) == 1:
            return unary_operator(self.slot, operands[0])
        return binary_operator(self.slot, operands[0], operands[1])


cdef list OPERATIONS = [Operation(slot) for slot in range(SLOTS)]


cdef object unary_operator(int slot, object x):
    if hooks & OF_OPERATORS:
        return profiled_operators[slot](slot, x) if hooks & PROFILING else unary_unprofiled(slot, x)
    return apply_unary(slot, x)


cdef object unary_unprofiled(int slot, object x):
    answer = ask_hooks(OPERATIONS[slot], (x,), {})
    return apply_unary(slot, x) if answer is NotImplemented else answer


cdef inline object apply_unary(int slot, object x):
    cdef object function = operator(slot)
    if type(function) is Op and (<Op>function).ufunc_name is not None:
        return run_unary_op(<Op>function, x)
    return function(x)


cdef object binary_operator(int slot, object x, object y):
    if hooks & OF_OPERATORS:
        return profiled_operators[slot](slot, x, y) if hooks & PROFILING else binary_unprofiled(slot, x, y)
    return apply_binary(slot, x, y)


cdef object binary_unprofiled(int slot, object x, object y):
    answer = ask_hooks(OPERATIONS[slot], (x, y), {})
    return apply_binary(slot, x, y) if answer is NotImplemented else answer


cdef inline object apply_binary(int slot, object x, object y):
    cdef object function = operator(slot)
    cdef EagerTensor first, second, out
    if slot > XOR:
        return function(x, y)
    first = as_tensor(x)
    second = as_tensor(y)
    if second is None and first is not None:
        second = known_scalar(y, first)
    elif first is None and second is not None:
        first = known_scalar(x, second)
    if first is None and second is None:
        if isinstance(x, Tensor):
            callbacks().resolve(x, "operator")
        raise TypeError(f"a {type(x).__name__} that no op has made has no value")
    if first is None or second is None:
        # One operand is a tensor or a variable. The other is converted to its dtype. If that fails and the
        # right operand has an operator of its own, Python is told to try that one.
        try:
            if first is None:
                first = left_operand(x, second)
            else:
                second = operand_like(alternatives[slot] or function, y, first)
        except (TypeError, ValueError):
            # Python's numbers have operators too, but none that can handle a tensor: the error here says more.
            if first is not None and hasattr(type(y), REFLECTED[slot]) and not isinstance(y, (int, float, complex)):
                return NotImplemented
            raise
    if type(function) is Op and (<Op>function).ufunc_name is not None:
        out = run_binary_loop(<Op>function, first, second)
        if out is not None:
            return out
        # Another op is meant for booleans and integers alone.
        if alternatives[slot] is not None and not (is_trainable(first.array) and is_trainable(second.array)):
            function = alternatives[slot]
    return function(first, second)


tensor_module.unary_operator = unary_operator
tensor_module.binary_operator = binary_operator
