from cpython.ref cimport PyObject
from libc.stdint cimport uint64_t

cimport numpy as cnp

from tapegrad.core.function cimport Function
from tapegrad.core.observers cimport ThreadState
from tapegrad.core.plans cimport Plan
from tapegrad.core.tensor cimport EagerTensor
from tapegrad.engines.numpy.lanes cimport Lane
from tapegrad.engines.numpy.loops cimport Loop, Loops
from tapegrad.engines.numpy.programs cimport Programs
from tapegrad.engines.numpy.types cimport BUILTIN_TYPES

cdef enum Decided:              # what the values of an op's inputs decide: see `ops.op.op`
    NOTHING
    ELEMENTS                    # of the results, and no more
    INTEGER_ERRORS              # whether the op raises, too, where they are integers
    ERRORS                      # whether the op raises, too
    SHAPES                      # the shapes of the results, too

cdef class Op(Function):
    """A function of tensors, and how it is differentiated."""

    cdef readonly str type              # TensorFlow's name for the op
    cdef public str doc                 # the docstring as it was written; __doc__ says more
    cdef readonly tuple inputs          # names of the tensors it takes
    cdef readonly tuple attributes      # names of everything else it takes
    cdef readonly tuple outputs         # names of its results; None where it has one result, or a list of them
    cdef readonly bint list_input       # the last input is a list of tensors
    cdef readonly bint list_output
    cdef readonly bint broadcasts       # gradients are summed to the shapes of the inputs
    cdef readonly bint holomorphic      # gradients of complex inputs are conjugated around the rules
    cdef public bint first_decides      # the first input alone decides the shared dtype T, even a Python number
    cdef public int keeps_slices        # the rules take IndexedSlices as they are: 1 always, 2 beside a scalar
    cdef public object add_part         # adds the gradient of the one rule to an array in place: see `backward`
    cdef public object result           # makes what the user gets from several results
    cdef public object kernel           # (xp, *arrays, **attributes) -> arrays
    cdef readonly str ufunc_name        # of an elementwise op, in the array namespace
    cdef readonly str effect            # what it does besides giving a result: see `ops.op.op`; None for nothing
    cdef readonly object accumulate     # the dtype to which dispatch widens halves for the kernel; None if the kernel takes halves
    cdef set rounded                    # the results that are rounded back, where `accumulate` names them
    cdef readonly bint pointwise        # the kernel is made of elementwise functions
    cdef readonly bint elementwise      # each element of the result depends on the elements at its place alone
    cdef readonly tuple linear          # groups of inputs, as numbers: in those of a group together the op is linear
    cdef readonly str values            # what their values decide, in the op's own words or as it follows; None if unsaid
    cdef Decided decided                # the same, SHAPES if unsaid
    cdef readonly bint multilinear      # it is so in each tensor of the list by itself, not in all together
    cdef Programs programs              # a pointwise kernel as programs, one per set of dtypes
    cdef Lane lane                      # a compiled way for the common cases; None where the op has none
    cdef tuple parameters               # inputs, attributes, "name"
    cdef tuple defaults                 # of the attributes
    cdef tuple converters               # of the attributes; None where any value will do
    cdef list converted                 # the defaults as the kernel gets them; None before the first call
    cdef list given                     # the last value of each attribute whose conversion is known, and that conversion
    cdef list known
    cdef tuple own_types                # of each input: None where it shares T, else the DTypes it may have
    cdef tuple own_numbers              # the same as bits: NumPy's type numbers, and BUILTIN_TYPES for bfloat16; or None
    cdef readonly object types          # the DTypes T may be; None for any
    cdef object only_type               # the one DType that T may be; None if there are several
    cdef bint builtin_types[BUILTIN_TYPES]  # whether T may be the type with this number of NumPy's
    cdef bint takes_bfloat16            # whether T may be bfloat16, whose number is not NumPy's own
    cdef Loops loops                    # the inner loops of an elementwise op; None before its first call
    cdef bint loops_found
    cdef readonly dict rules            # input index -> (rule, asks); -1 for a joint rule
    cdef readonly dict fast_forms       # input index -> fast form of its rule
    cdef object registered              # a gradient function in TensorFlow's form
    cdef bint declared_none             # the op was declared to have no gradient
    cdef bint gives_constant            # and its results cannot be sources of gradients either
    cdef public object batch_rule       # how the op runs over a batch: see `core.batching`; None where item by item
    cdef dict plans                     # set of watched inputs, as bits -> Plan
    cdef PyObject* small_plans[8]       # the same for the first sets, without a look-up

    cdef Plan plan(self, uint64_t watched)
    cdef int check_call(self, list tensors, tuple attributes) except -1

cdef object call_unprofiled(Op op, PyObject** args, size_t count, PyObject* keywords)
cdef int name_op(Op op, object error) except -1
cdef object apply_op(Op op, list tensors, tuple attributes)
cdef object run_arrays(Op op, list arrays, tuple attributes)
cdef list run_op(Op op, list tensors, tuple attributes)
cdef Loop* loop_for(Op op, object array) noexcept
cdef object run_unary_op(Op op, object x)
cdef object run_binary_op(Op op, object x, object y)
cdef EagerTensor run_binary_loop(Op op, EagerTensor first, EagerTensor second)
