"""Fast path for tensors, variables and flat lists of them: most of what users ask of a tape.

`autodiff.tape` handles the rest: other nests, by `framework.nest`, and what has to be converted first or refused. To
flatten and pack two sources there takes 0.8 µs, of the 4 that watching a tensor, one op and its gradient take here.
"""

cimport numpy as cnp

from tapegrad.core.backward cimport walk_back
from tapegrad.core.observers cimport Observer, ThreadState, current_state
from tapegrad.core.tape cimport Recording, Tape
from tapegrad.core.tensor cimport EagerTensor, dtype_of, is_trainable
from tapegrad.core.variable cimport VariableBase

cnp.import_array()

cdef extern from "numpy/arrayobject.h":
    bint PyArray_CompareLists(cnp.npy_intp* a, cnp.npy_intp* b, int n) noexcept nogil


cdef list leaves_of(object nested):
    """The tensors and variables in ``nested``: one of them, or a list or tuple of them; None of any other nest."""
    if type(nested) is EagerTensor or isinstance(nested, VariableBase):
        return [nested]
    if type(nested) is not list and type(nested) is not tuple:
        return None
    for leaf in nested:
        if type(leaf) is not EagerTensor and not isinstance(leaf, VariableBase):
            return None
    return list(nested)


def watch(Recording recording not None, nested):
    """Watch what is in ``nested``. Returns False, and does nothing, where that is not for this function."""
    cdef list leaves = leaves_of(nested)
    if leaves is None:
        return False
    for leaf in leaves:
        if type(leaf) is EagerTensor:
            if not is_trainable((<EagerTensor>leaf).array):
                return False
        elif not (leaf.dtype.is_floating or leaf.dtype.is_complex):
            return False
    if recording._tape is None:
        recording.start()
    for leaf in leaves:
        if type(leaf) is EagerTensor:
            recording._tape.watch_tensor(<EagerTensor>leaf)
        else:
            recording._tape.watch_variable(leaf)
    return True


def are_watched(list values not None):
    """Whether a tape that records on this thread watches one of ``values``, of a dtype that has gradients.

    The values are tensors and variables. Of others, the answer is None. Tapes for `tf.gradients`, which watch
    everything, are no tapes of the program.
    """
    cdef ThreadState state = current_state()
    cdef Observer observer
    cdef Tape tape
    cdef list leaves = leaves_of(values)
    if leaves is None:
        return None
    if state.paused:
        return False
    # The innermost first: in a recorded function the answer may lie with its own tape, and if it lies with one
    # from outside, the function cannot be recorded.
    for observer in reversed(state.observers):
        if type(observer) is not Tape or (<Tape>observer).watches_all:
            continue
        tape = <Tape>observer
        if state.recorder is not None:
            state.recorder.on_tape(tape.born, False)
        for leaf in leaves:
            if type(leaf) is not EagerTensor:
                if leaf._unique_id in tape.variables and (leaf.dtype.is_floating or leaf.dtype.is_complex):
                    return True
            elif tape.watches((<EagerTensor>leaf).id) and is_trainable((<EagerTensor>leaf).array):
                return True
    return False


cdef bint suits(EagerTensor seed, EagerTensor target) except -1:
    """Whether ``seed`` has the dtype and shape of ``target``, and both hold NumPy's arrays."""
    cdef cnp.ndarray one, other
    if not isinstance(seed.array, cnp.ndarray) or not isinstance(target.array, cnp.ndarray):
        return False
    one, other = seed.array, target.array
    return (cnp.PyArray_NDIM(one) == cnp.PyArray_NDIM(other) and dtype_of(one) is dtype_of(other)
            and PyArray_CompareLists(cnp.PyArray_DIMS(one), cnp.PyArray_DIMS(other), cnp.PyArray_NDIM(one)))


cdef list seeds_of(object output_gradients, list targets):
    """A gradient for each of ``targets``, or None; None instead of a list where ``output_gradients`` have to be converted."""
    cdef list seeds
    cdef Py_ssize_t i
    if output_gradients is None:
        return [None] * len(targets)
    seeds = leaves_of(output_gradients)
    if seeds is None or len(seeds) != len(targets):
        return None
    for i in range(len(seeds)):
        if type(seeds[i]) is not EagerTensor or not suits(<EagerTensor>seeds[i], <EagerTensor>targets[i]):
            return None
    return seeds


def gradient(Recording recording not None, target, sources, output_gradients):
    """The gradients, in the form of ``sources``; NotImplemented where that is not for this function."""
    cdef Tape tape = recording._tape
    cdef list targets, leaves, seeds, gradients
    if tape is None or recording._walks_otherwise:
        return NotImplemented
    targets = leaves_of(target)
    leaves = leaves_of(sources)
    if targets is None or leaves is None:
        return NotImplemented
    for leaf in targets:
        if type(leaf) is not EagerTensor:
            return NotImplemented
    seeds = seeds_of(output_gradients, targets)
    if seeds is None:
        return NotImplemented
    if tape.state is not None:
        recording._pause_unless_persistent(tape)
    try:
        gradients = walk_back(tape, targets, leaves, seeds, not recording._persistent, None, (), 0)
    finally:
        recording.end_walk(tape)
    if type(sources) is list:
        return gradients
    return tuple(gradients) if type(sources) is tuple else gradients[0]
