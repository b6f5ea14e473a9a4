cdef class Callbacks:
    """Functions of higher layers that the core calls: `tapegrad.callbacks` fills the record."""

    cdef public dict operators          # SLOT_NAMES -> function, or (function, function for other dtypes)
    # Conversion
    cdef public object convert, convert_operand, convert_left, convert_own
    # What an op says of itself, and the messages for a wrong call
    cdef public object signature, document, refuse_type, refuse_mismatch, explain
    # What users see of a tensor
    cdef public object make_shape, check_shape, device, reference, missing_attribute
    cdef public object tensor_repr, tensor_str, tensor_format, tensor_html
    cdef public object to_numpy, to_array, to_dlpack, to_truth, to_scalar, to_index, iterate
    cdef public object pickle, unpickle
    cdef public object getitem, open_operator
    # Programs
    cdef public object trace_kernel, trace_rule
    # What the walk back over a tape calls
    cdef public object sum_to_shape, broadcast_to, add, conj, ones, zeros, aggregate, densify, op_view
    # What batched arrays ask for
    cdef public object sum_items, leave_batch, note_loop, remember, as_one, reshape, transpose, identity
    # Ops that the modules between the core and the ops call
    cdef public object cast, pack, slices_to_tensor
    cdef public object variables        # the module of the ops behind variables
    cdef public object load_ops
    cdef public object names_of_draws, draw_again, new_streams
    cdef public tuple immutable         # types of Python objects that never change, and are compared by value
    # Tensors without values: see `tapegrad.symbolic`
    cdef public object trace_symbolically, resolve, note_tape, assigned
    # Compositions: see `tapegrad.core.compositions`
    cdef public object record

cdef int watches            # how many observers are told of assignments before they happen, in all threads

cpdef Callbacks callbacks()
cpdef object set_callbacks(Callbacks filled)
