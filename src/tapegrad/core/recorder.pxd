from cpython.ref cimport PyObject
from libc.stdint cimport int64_t

cimport numpy as cnp

from tapegrad.core.dispatch cimport Op
from tapegrad.core.ids cimport IdTable
from tapegrad.core.kinds cimport OpenScope
from tapegrad.core.observers cimport Observer
from tapegrad.core.steps cimport Step, StepListener
from tapegrad.core.tensor cimport EagerTensor

cdef class Recorder(Observer):
    cdef readonly int64_t first_id      # tensors with higher ids were made in the recording
    cdef readonly bint taped
    cdef int outside            # how many blocks `with tf.init_scope():` are open
    cdef public object call     # the `framework.calls.Call` that is recorded
    cdef public object no_variables     # why no variable may be made: the message of a ValueError, or None
    cdef int batch_ops          # how many ops of batches run now, which are not reported to tapes
    cdef Op recorded_op         # the op of a batch that is reported next: its steps are recorded already
    cdef int hidden             # how many blocks `with one_op():` are open
    cdef readonly object reason # why there will be no recording: (text, where); None so far
    cdef readonly bint made_variables
    cdef readonly bint made_before      # variables, and begun anew since
    cdef list variables         # that were made
    cdef int failures
    cdef IdTable slot_of        # id of a tensor -> slot
    cdef int slots
    cdef list info
    cdef readonly list steps
    cdef list constants
    cdef dict constant_places   # id of a tensor -> its place among the constants
    cdef set guarded
    cdef set variable_slots     # slots that hold values of variables
    cdef object reading_gradient    # the gradient function of the reading that is reported next
    cdef list inputs
    cdef readonly OpenScope opening # the `Opening` in which sizes of the arguments are open, or None
    cdef dict open_axes         # number of an argument -> its axes whose sizes are open
    cdef public object streams      # what its draws draw from where sizes are open; else None
    cdef public object opens    # what `core.signatures` knows of it
    cdef list opened            # weak references to the tensors with open sizes
    cdef StepListener listener  # or None
    cdef str scope              # the name scope now; None where the function has entered none
    cdef bint notes_lines       # of every step the line of the program
    cdef list step_results      # weak references to the tensors that steps have given

    cdef dict numbers_read      # slot -> the sizes that Python code has read there

    cdef int stop_listener(self) except -1
    cdef int refuse_repeats(self) except -1
    cdef cnp.ndarray elements(self, EagerTensor tensor)
    cdef bint is_open(self, EagerTensor tensor) except -1
    cdef bint depends(self, EagerTensor tensor) except -1
    cdef int append_guard(self, int slot, str how, object key) except -1
    cdef int name_sizes(self, Op op, PyObject** inputs, int count, PyObject** outputs, int results, tuple attributes) except -1
    cdef bint are_sizes(self, PyObject** outputs, int results) except -1
    cdef int open_inputs(self) except -1
    cdef int close_sizes(self) except -1
    cdef int make_plain(self, EagerTensor tensor) except -1
    cdef int place_of(self, EagerTensor tensor) except? -2147483648
    cdef int constant(self, object value) except? -2147483648
    cdef int new_slot(self, EagerTensor tensor) except -1
    cdef bint is_traced(self, EagerTensor tensor) except -1
    cdef int append(self, Step step) except -1
    cdef bint add_effect(self, Step step, PyObject** outputs) except -1
    cdef int on_call_of_kind(self, Op op, PyObject** inputs, int count, PyObject** outputs, int results,
                        tuple attributes) except -1
    cdef int check(self, tuple outputs) except -1
    cdef bint loses_attributes(self, EagerTensor tensor) except -1
    cdef bint leaks_tensors(self, list results) except -1
    cdef bint holds_tensor(self, object values) except -1
