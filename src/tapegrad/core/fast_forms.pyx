"""Fast paths for gradient rules: on NumPy's arrays, by an elementwise program or by the rule's fast form.

Both return None where the rule itself has to be called, which is written in ops: where an argument is not one of NumPy's
arrays, or shapes do not fit. Then the op that fails raises its own error.
"""

cimport numpy as cnp
from cpython.ref cimport PyObject

import numpy as np

from tapegrad.core.kinds cimport OpenScope, Shaped, hinted, keep_shapes, key_of, open_sizes, opened
from tapegrad.core.halves cimport is_half, round_to
from tapegrad.core.observers cimport ThreadState, current_state, recorders
from tapegrad.core.plans cimport DY, MAX_ASKS, Call
from tapegrad.core.tensor cimport EagerTensor, dtype_of, wrap
from tapegrad.engines.numpy.buffers cimport solely_held
from tapegrad.engines.numpy.conversions cimport is_bfloat16, widened
from tapegrad.engines.numpy.programs cimport Program
from tapegrad.engines.numpy.quiet import ignored, variable as error_settings

cnp.import_array()

cdef extern from "Python.h":
    Py_ssize_t Py_REFCNT(PyObject* o)
    object PyObject_Vectorcall(object, PyObject**, size_t, PyObject*)

cdef enum Taken:                # what a program takes of the arrays
    AS_THEY_ARE
    HALVES                      # those of bfloat16 as such, rounding after each step
    HALVES_WIDENED              # those of bfloat16 as float32, rounding once

cdef object set_errors = error_settings.set
cdef object reset_errors = error_settings.reset


cdef object run_program(Call call, PyObject** arguments, PyObject* dy):
    """The result of a rule of elementwise ops, computed by its program; None where the rule has to be called.

    ``dy`` is NULL unless this is the last use of the incoming gradient, whose memory may then hold the result.
    """
    cdef PyObject* arrays[MAX_ASKS]
    cdef Program program
    cdef int i, reusable = -1
    for i in range(call.count):
        if type(<object>arguments[i]) is not EagerTensor:
            return None
        arrays[i] = <PyObject*>(<EagerTensor>arguments[i]).array
        if arguments[i] == dy and Py_REFCNT(dy) == 1 and solely_held(arrays[i]):
            reusable = i
    if recorders:
        program = find(call, arrays, AS_THEY_ARE)
    else:
        program = call.programs.find(arrays, call.count)
    if program is None:
        return run_halves(call, arrays)
    if program.passes >= 0:
        return <object>arguments[program.passes]
    result = program.run(arrays, reusable)
    # Where shapes do not fit the rule itself is called, and the op in it that fails raises its own error.
    return None if result is None else wrap(result)


cdef Program find(Call call, PyObject** arrays, Taken taken):
    """The rule's program. Finding it may trace the rule on stand-ins for arrays; no recorder observes that."""
    cdef ThreadState state = current_state() if recorders else None
    if state is None or state.recorder is None:
        return look_up(call, arrays, taken)
    state.recorder.on_hiding(1)
    try:
        return look_up(call, arrays, taken)
    finally:
        state.recorder.on_hiding(-1)


cdef inline Program look_up(Call call, PyObject** arrays, Taken taken):
    if taken == AS_THEY_ARE:
        return call.programs.find(arrays, call.count)
    return call.programs.find_of_halves(arrays, call.count, taken == HALVES_WIDENED)


cdef object run_halves(Call call, PyObject** arrays):
    """The result of a rule for halves, rounded after each of its ops; or that of its fast form, by `run_form_of_halves`.

    None where there is no half, or no program: the rule has to be called.
    """
    cdef Program program
    if call.is_form:
        return run_form_of_halves(call, arrays) if call.accumulates and not call.no_halves else None
    program = find(call, arrays, HALVES)
    if program is None or program.passes >= 0:
        return None
    result = program.run(arrays, -1)
    return None if result is None else wrap(result)


cdef object run_form_of_halves(Call call, PyObject** arrays):
    """The result of a fast form for halves: computed in float32 and rounded once, as the op's kernel does."""
    cdef PyObject* wide[MAX_ASKS]
    cdef Program program
    cdef object half = None
    cdef list held = []         # the arrays that `wide` borrows
    cdef int i, reusable = -1
    program = find(call, arrays, HALVES_WIDENED)
    if program is not None:
        result = program.run_widened(arrays)
        if result is not None:
            return wrap(result)
    for i in range(call.count):
        wide[i] = arrays[i]
        if is_half(<object>arrays[i]):
            half = (<object>arrays[i]).dtype
            held.append(widened(<cnp.ndarray>arrays[i]))
            wide[i] = <PyObject*>held[len(held) - 1]
            reusable = i
    if half is None:
        return None
    program = find(call, wide, AS_THEY_ARE)
    if program is None or program.passes >= 0:
        return None
    result = program.run(wide, reusable)
    return None if result is None else wrap(round_to(half, result))


cdef object run_open(Call call, PyObject** arguments, tuple shapes, object dy=None):
    """The result of a rule by its program or fast form where sizes are open; None where none is, or it has to be called.

    ``shapes`` are those of the inputs if one of them was broadcast: a fast form may sum to them. ``dy`` is the gradient
    that arrives where the rule is that of an elementwise op.
    """
    cdef PyObject* plain_arguments[MAX_ASKS]
    cdef ThreadState state
    cdef list plain = []        # holds what `plain_arguments` borrows
    cdef Shaped arrived
    cdef object result
    cdef bint is_open = False
    cdef int i
    if not open_sizes:
        return None
    for i in range(call.count):
        plain.append(plain_argument(<object>arguments[i]))
        plain_arguments[i] = <PyObject*>plain[i]
        is_open = is_open or plain_arguments[i] != arguments[i]
    state = current_state()
    if not is_open or state.recorder is None or state.opening is None:
        return None
    state.recorder.on_hiding(1)
    try:
        result = run_fast_form(call, plain_arguments) if call.fast is not None else run_program(call, plain_arguments, NULL)
        if result is None:
            return None
        for i in range(call.count):
            if <PyObject*>result == plain_arguments[i]:
                return <object>arguments[i]
        if type(result) is EagerTensor and dy is not None and isinstance((<EagerTensor>dy).array, Shaped):
            arrived = (<EagerTensor>dy).array
            if arrived.elements is not None and dtype_of((<EagerTensor>result).array) is arrived.dtype:
                array = opened((<EagerTensor>result).array, arrived.shape, arrived.dtype, state.opening)
                if array is not None:
                    return wrap(array)
        return opened_result(call, [<object>arguments[i] for i in range(call.count)], plain, result, shapes, state.opening)
    finally:
        state.recorder.on_hiding(-1)


cdef object opened_result(Call call, list arguments, list plain, object result, tuple shapes, OpenScope opening):
    """What a rule has given for ``plain`` arguments, with the sizes that it gives for the open ones.

    It runs for that on arrays without elements, unless it has done so for arguments of these shapes.
    """
    from tapegrad.core.opening import opened_results
    cdef tuple summed = None if shapes is None else shapes if call.input < 0 else (shapes[call.input],)
    cdef tuple key = key_of(call, [arrays_in(arguments), summed], opening)
    cdef list kept = opening.kept.get(key), parts
    if kept is not None:
        parts = opened_parts(list(result) if type(result) is tuple else [result], kept, arguments, plain, opening)
        if parts is not None:
            return tuple(parts) if type(result) is tuple else parts[0]
    results = opened_results(call.rule, arguments, plain, result, summed)
    if results is not None:
        keep_shapes(key, arrays_in(list(results) if type(results) is tuple else [results]), opening)
    return results


cdef list opened_parts(list results, list shapes, list arguments, list plain, OpenScope opening):
    """The results of a rule with the ``shapes`` that are kept for them; None where they have others."""
    cdef list parts = []
    cdef object part, array
    cdef Py_ssize_t i
    if len(results) != len(shapes):
        return None
    for part, shape in zip(results, shapes):
        for i in range(len(plain)):
            if part is not None and part is plain[i]:
                part = arguments[i]
                break
        else:
            if part is not None and shape is not None:
                array = opened((<EagerTensor>part).array, shape, dtype_of((<EagerTensor>part).array), opening)
                if array is None:
                    return None
                part = wrap(array)
        parts.append(part)
    return parts


cdef object arrays_in(object value):
    """``value``, an argument or result of a rule or a list of these, with the arrays of the tensors in it."""
    if type(value) is EagerTensor:
        return (<EagerTensor>value).array
    if type(value) is tuple or type(value) is list:
        return [arrays_in(part) for part in value]
    return value


cdef object plain_argument(object argument):
    """What a rule gets for ``argument`` with elements and sizes of this call; the same object where nothing in it is open."""
    if type(argument) is EagerTensor:
        if isinstance((<EagerTensor>argument).array, Shaped) and (<Shaped>(<EagerTensor>argument).array).elements is not None:
            return wrap((<Shaped>(<EagerTensor>argument).array).elements)
        return argument
    if type(argument) is not tuple and type(argument) is not list:
        return hinted(argument)
    parts = [plain_argument(part) for part in argument]
    for part, own in zip(parts, argument):
        if part is not own:
            return type(argument)(parts)
    return argument


cdef int report_rule(Call call, PyObject** arguments, object result) except -1:
    """Report to the recorder of this thread, if there is one, that a rule gave ``result`` by its program or fast form."""
    cdef ThreadState state = current_state()
    if state.recorder is not None:
        state.recorder.on_rule(call, arguments, call.count, result)
    return 0


cdef object run_fast_form(Call call, PyObject** arguments):
    """The results of a rule's fast form as tensors; None where the rule has to be called."""
    cdef PyObject* arrays[MAX_ASKS]
    cdef object value, result, half = None, dys = None
    cdef list wide = []         # holds the arrays that `arrays` borrows
    cdef int i
    for i in range(call.count):
        value = <object>arguments[i]
        arrays[i] = arguments[i]
        if type(value) is EagerTensor:
            if not isinstance((<EagerTensor>value).array, cnp.ndarray):
                return None
            arrays[i] = <PyObject*>(<EagerTensor>value).array
            if (call.accumulates and is_half(<object>arrays[i])
                    and not (call.takes_halves and is_bfloat16(<cnp.ndarray><object>arrays[i]))):
                if call.no_halves:
                    return None
                half = (<object>arrays[i]).dtype
                wide.append(widened(<cnp.ndarray>arrays[i]))
                arrays[i] = <PyObject*>wide[len(wide) - 1]
        elif call.places[i] == DY:
            dys = arrays_of(value)
            if dys is None or call.accumulates and any([is_half(array) for array in dys]):
                return None
            arrays[i] = <PyObject*>dys
    token = set_errors(ignored)
    try:
        result = PyObject_Vectorcall(call.fast, arrays, call.count, NULL)
        if half is not None:
            result = (tuple([round_to(half, gradient) for gradient in result]) if type(result) is tuple
                      else round_to(half, result))
    except (ValueError, MemoryError):
        # Shapes that do not fit, or no memory: the rule itself is called, and the op in it that fails
        # raises its own error.
        return None
    finally:
        reset_errors(token)
    if type(result) is tuple:
        return tuple([None if array is None else wrap_array(array) for array in result])
    return None if result is None else wrap_array(result)


cdef bint run_adding_form(Call call, cnp.ndarray whole, PyObject** arguments) except -1:
    cdef PyObject* arrays[MAX_ASKS + 1]
    cdef object value, dys = None
    cdef int i
    arrays[0] = <PyObject*>whole
    for i in range(call.count):
        value = <object>arguments[i]
        arrays[i + 1] = arguments[i]
        if type(value) is EagerTensor:
            if not isinstance((<EagerTensor>value).array, cnp.ndarray):
                return False
            arrays[i + 1] = <PyObject*>(<EagerTensor>value).array
        elif call.places[i] == DY:
            dys = arrays_of(value)
            if dys is None:
                return False
            arrays[i + 1] = <PyObject*>dys
    token = set_errors(ignored)
    try:
        return PyObject_Vectorcall(call.add, arrays, call.count + 1, NULL)
    finally:
        reset_errors(token)


cdef tuple arrays_of(object dys):
    """The gradients at several results as arrays, with None for a result that no gradient can flow through.

    Returns None if one of the gradients is not a tensor that holds one of NumPy's arrays.
    """
    cdef list arrays = []
    if type(dys) is not tuple:
        return None
    for dy in <tuple>dys:
        if dy is None:
            arrays.append(None)
        elif type(dy) is EagerTensor and isinstance((<EagerTensor>dy).array, cnp.ndarray):
            arrays.append((<EagerTensor>dy).array)
        else:
            return None
    return tuple(arrays)


cdef inline EagerTensor wrap_array(object array):
    return wrap(array if isinstance(array, cnp.ndarray) else np.asarray(array))
