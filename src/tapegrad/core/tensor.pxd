from libc.stdint cimport int64_t

cimport numpy as cnp

cdef enum Slot:
    ADD, SUBTRACT, MULTIPLY, TRUEDIV, FLOORDIV, MOD, POW, MATMUL, AND, OR, XOR
    NEGATIVE, ABS, INVERT
    LESS, LESS_EQUAL, EQUAL, NOT_EQUAL, GREATER, GREATER_EQUAL
    SLOTS

cdef class Operand:
    """What tensors and variables share: the operators, each of which calls the op in its slot."""

    cdef object __weakref__

cdef class Tensor(Operand):
    """One immutable array under one identity. It knows of no tape, so it is part of no cycle."""

    cdef object array           # NumPy's, or of a registered kind
    cdef int64_t id             # tapes know the tensor by this number; no other tensor ever has it
    cdef object shape_object    # its TensorShape, once somebody asked for it
    cdef dict extra             # attributes that users have set
    cdef bint followed          # a forward accumulator has, or had, a tangent for the id

cdef class EagerTensor(Tensor):
    """The type of every tensor; `Tensor` is its public base, for ``isinstance``."""

ctypedef object (*UnaryOperator)(int slot, object x)
ctypedef object (*BinaryOperator)(int slot, object x, object y)
ctypedef EagerTensor (*Reader)(object operand)
ctypedef object (*ValueReader)(EagerTensor tensor, str how)
ctypedef void (*TangentDropper)(int64_t tensor) noexcept

# The modules that import this one set these, so that this one need not import them.
cdef UnaryOperator unary_operator
cdef BinaryOperator binary_operator
cdef Reader read_operand
cdef ValueReader read_values
cdef TangentDropper drop_tangents    # every accumulator lets go of its tangent for a tensor that is gone

cdef int64_t next_id() noexcept
cdef int64_t newest_id() noexcept     # of all tensors so far
cdef int renew(EagerTensor tensor) except -1
cdef EagerTensor wrap(object array)
cdef object dtype_of(object array)
cdef tuple shape_tuple(object array)
cdef object as_numpy(object array)
cdef object present_array(EagerTensor tensor)
cdef tuple zeros_info(object array)
cdef bint is_complex(object array) except -1
cdef bint is_trainable(object array) except -1
cdef bint is_trainable_type(int number) noexcept
