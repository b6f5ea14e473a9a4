from cpython.ref cimport PyObject
from libc.stdint cimport uint64_t

cimport numpy as cnp

from tapegrad.core.observers cimport ThreadState
from tapegrad.core.tape cimport Record
from tapegrad.core.tensor cimport EagerTensor
from tapegrad.engines.numpy.lanes cimport Lane
from tapegrad.engines.numpy.loops cimport Loop, Loops
from tapegrad.engines.numpy.programs cimport Programs

ctypedef object (*VectorCall)(object callable, PyObject** args, size_t count, PyObject* keywords)

# What a rule's parameter asks for, and of which input, output or attribute.
cdef enum Ask:
    ASK_DY, ASK_NEEDS, ASK_ARRIVED, ASK_INPUT, ASK_OUTPUT, ASK_OUTPUTS, ASK_INPUT_SHAPE, ASK_OUTPUT_SHAPE
    ASK_INPUT_DTYPE, ASK_ATTRIBUTE, ASK_EVERYTHING

cdef enum:
    DY = -1                     # in Call.places: the incoming gradient
    NEEDS = -2                  # which inputs need one
    ARRIVED = -3                # at which of several outputs one arrived; dy holds zeros for the others
    MAX_ASKS = 24               # how many parameters a rule may have

cdef class Call:
    """How one rule is called: which of the saved values go where."""

    cdef object rule
    cdef int input              # the input whose gradient the rule gives; -1 for a joint rule
    cdef int count              # of the rule's parameters
    cdef int places[MAX_ASKS]   # indices into Record.saved, DY, NEEDS or ARRIVED
    cdef Programs programs      # the rule as programs, one per set of dtypes; None if it takes more than tensors
    cdef object fast            # the rule's fast form: see `core.rules.add_rules`; None where it has none
    cdef bint accumulates       # the fast form gets halves in float32, as the op's kernel does
    cdef bint no_halves         # the rule is called for halves: only some of the op's results are rounded

cdef class Plan:
    """What a record saves, and the rules it calls, when a given set of inputs is watched."""

    cdef int count
    cdef int kinds[MAX_ASKS]    # of Ask: what each value in Record.saved is
    cdef int indices[MAX_ASKS]  # of which input, output or attribute
    cdef list calls
    cdef PyObject** calls_array         # the same, borrowed
    cdef int calls_count
    cdef bint plain             # the op has one output, no joint rule, and no list of tensors among its inputs
    cdef bint everything        # saves all there is: for a rule in TensorFlow's form, registered or still to come

cdef class Op:
    """A function of tensors, and how it is differentiated."""

    cdef VectorCall vectorcall
    cdef dict __dict__          # __name__, __module__ and the like
    cdef object __weakref__
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
    cdef readonly dict composites       # class of composites -> function of (op, composite, *attributes)
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
    cdef readonly object types          # the DTypes T may be; None for any
    cdef object only_type               # the one DType that T may be; None if there are several
    cdef bint builtin_types[24]         # whether T may be the type with this number of NumPy's
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

cdef object apply_op(Op op, list tensors, tuple attributes)
cdef object run_arrays(Op op, list arrays, tuple attributes)
cdef list run_op(Op op, list tensors, tuple attributes)
cdef Loop* loop_for(Op op, object array) noexcept
cdef object run_unary_op(Op op, object x)
cdef object run_binary_op(Op op, object x, object y)
cdef EagerTensor run_binary_loop(Op op, EagerTensor first, EagerTensor second)
