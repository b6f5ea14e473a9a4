from cpython.ref cimport PyObject
from libc.stdint cimport uint64_t

from tapegrad.engines.numpy.programs cimport Programs

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
    cdef object add             # adds what the fast form gives to an array, in place: see `core.rules.adding`; or None
    cdef bint is_form           # the programs are those of a fast form
    cdef bint accumulates       # the fast form gets halves in float32, as the op's kernel does
    cdef bint takes_halves      # it gets bfloat16 as it is, and widens it itself
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

# Raise unless a record of the op of this type can save all that a rule for the input asks for.
cdef int check_rule(str type, tuple inputs, tuple attributes, tuple outputs, int input, tuple asks) except -1

# The plan for a call whose watched inputs are those with a bit set in `watched`. The rules are of one op: input (-1:
# all of them at once) -> (rule, asks), and so are the fast forms.
cdef Plan make_plan(dict rules, dict fast_forms, uint64_t watched, bint accumulates, bint no_halves)

# The plan that saves all there is.
cdef Plan plan_of_everything()
