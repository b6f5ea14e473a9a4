"""The walk back over a tape: each record's rules are called once, with the gradients that arrive at it.

Rules are Python functions written in ops, so an outer tape records them, and higher orders need no code
of their own. What every rule needs is done here: gradients are summed over broadcast axes, conjugated
around rules written as for real numbers, and added up; what leads to no source is left out.
"""

cimport numpy as cnp
from cpython.ref cimport PyObject
from libc.stdint cimport int64_t

import numpy as np

from tapegrad.core.dispatch cimport Op
from tapegrad.core.halves cimport is_half, round_to
from tapegrad.core.ids cimport IdTable
from tapegrad.core.observers cimport ThreadState, current_state, recorders
from tapegrad.core.plans cimport ARRIVED, DY, MAX_ASKS, NEEDS, Call, Plan
from tapegrad.core.tape cimport Record, Tape, check_tensors
from tapegrad.core.kinds cimport Kind, check_array, kind_of
from tapegrad.core.tensor cimport EagerTensor, dtype_of, is_complex, is_trainable, shape_tuple, wrap
from tapegrad.core.upward cimport above
from tapegrad.core.variable cimport VariableBase
from tapegrad.engines.numpy.buffers cimport empty_like, solely_held
from tapegrad.engines.numpy.loops cimport Loop, Loops, run_in_place
from tapegrad.engines.numpy.conversions cimport widened
from tapegrad.engines.numpy.programs cimport Program
from tapegrad.engines.numpy.quiet import ignored, variable as error_settings
from tapegrad.engines.numpy.reductions cimport reduce_sum_to

cnp.import_array()

cdef extern from "Python.h":
    Py_ssize_t Py_REFCNT(PyObject* o)
    PyObject* PyList_GET_ITEM(object list, Py_ssize_t i)
    PyObject* PyTuple_GET_ITEM_ "PyTuple_GET_ITEM" (tuple values, Py_ssize_t i)
    ctypedef struct PyTupleObject:
        PyObject* ob_item[1]
    object PyObject_Vectorcall(object, PyObject**, size_t, PyObject*)

cdef extern from "numpy/arrayobject.h":
    int PyArray_FillWithScalar(cnp.ndarray array, object value) except -1

cdef Loops ADD_LOOPS = Loops(np.add)
cdef object set_errors = error_settings.set
cdef object reset_errors = error_settings.reset

cdef enum:
    PARTED = 16_384             # parts are added in place to a gradient of at least so many bytes


cdef class Gradients:
    """The gradients that have arrived so far, by the id of the tensor they belong to."""

    cdef IdTable places         # id of a tensor -> index into `values`
    cdef list values
    cdef IdTable parted         # ids of the tensors to whose gradients parts were added; None before the first

    def __cinit__(self):
        self.places = IdTable()
        self.values = []

    cdef object take(self, int64_t tensor, bint keep):
        cdef int64_t place = self.places.get(tensor, -1)
        if place < 0:
            return None
        value = self.values[place]
        if not keep:
            self.values[place] = None
        return value

    cdef int add(self, int64_t tensor, object gradient) except -1:
        cdef int64_t place = self.places.get(tensor, -1)
        cdef PyObject* present
        if place < 0:
            self.places.set(tensor, len(self.values))
            self.values.append(gradient)
            return 0
        present = PyList_GET_ITEM(self.values, place)
        if <object>present is None:
            self.values[place] = gradient
        elif type(<object>present) is not EagerTensor or type(gradient) is not EagerTensor:
            self.values[place] = above().aggregate([<object>present, gradient])
        elif not add_in_place(present, <EagerTensor>gradient):
            self.values[place] = above().add(<object>present, gradient)
        return 0

    cdef bint add_part(self, int64_t tensor, object add, Call call, PyObject** arguments) except -1:
        """Add a gradient that is zero outside of a part to the gradient that is there already.

        Returns False where the caller has to call the rule and add the whole gradient.
        ``add`` gets the array of the gradient and then what the rule asks for, ``dy`` first. In a loop over
        the slices of a large tensor a step then costs only as much as its slice.
        """
        cdef int64_t place = self.places.get(tensor, -1)
        cdef PyObject* present = PyList_GET_ITEM(self.values, place) if place >= 0 else NULL
        cdef int i
        if (present == NULL or type(<object>present) is not EagerTensor or Py_REFCNT(present) != 1
                or type(<object>arguments[0]) is not EagerTensor
                or not isinstance((<EagerTensor>arguments[0]).array, cnp.ndarray)
                or not isinstance((<EagerTensor>present).array, cnp.ndarray)
                or not cnp.PyArray_ISFLOAT(<cnp.ndarray>(<EagerTensor>present).array)
                or cnp.PyArray_NBYTES(<cnp.ndarray>(<EagerTensor>present).array) < PARTED
                or not solely_held(<PyObject*>(<EagerTensor>present).array)):
            return False
        for i in range(1, call.count):
            if (type(<object>arguments[i]) is EagerTensor
                    and not isinstance((<EagerTensor>arguments[i]).array, cnp.ndarray)):
                return False
        if self.parted is None:
            self.parted = IdTable()
        if not self.parted.has(tensor):
            # Adding a whole gradient would add zeros outside of the part, and -0 + 0 is 0: so is it here.
            np.add((<EagerTensor>present).array, 0, out=(<EagerTensor>present).array)
            self.parted.set(tensor, 1)
        return add((<EagerTensor>present).array, (<EagerTensor>arguments[0]).array,
                   *[<object>arguments[i] for i in range(1, call.count)])


cdef bint add_in_place(PyObject* present, EagerTensor gradient) except -1:
    """Add ``gradient`` into the array of ``present`` if nobody but the list of gradients holds that array."""
    cdef Loop* loop
    cdef cnp.ndarray array
    if (Py_REFCNT(present) != 1 or not isinstance(gradient.array, cnp.ndarray) or current_state().active
            or not isinstance((<EagerTensor>present).array, cnp.ndarray)
            or not solely_held(<PyObject*>(<EagerTensor>present).array)):
        return False
    array = <cnp.ndarray>(<EagerTensor>present).array
    loop = ADD_LOOPS.find(cnp.PyArray_TYPE(array))
    return loop != NULL and run_in_place(loop, array, <cnp.ndarray>gradient.array)


cdef EagerTensor ones_like(EagerTensor tensor):
    cdef cnp.ndarray array
    cdef cnp.npy_intp i
    if not isinstance(tensor.array, cnp.ndarray):
        return full(kind_of(tensor.array), shape_tuple(tensor.array), dtype_of(tensor.array), 1)
    if cnp.PyArray_TYPE(<cnp.ndarray>tensor.array) >= 24:
        return above().ones(shape_tuple(tensor.array), dtype_of(tensor.array))
    array = empty_like(<cnp.ndarray>tensor.array)
    if cnp.PyArray_TYPE(array) == cnp.NPY_FLOAT:
        for i in range(cnp.PyArray_SIZE(array)):
            (<float*>cnp.PyArray_DATA(array))[i] = 1
    elif cnp.PyArray_TYPE(array) == cnp.NPY_DOUBLE:
        for i in range(cnp.PyArray_SIZE(array)):
            (<double*>cnp.PyArray_DATA(array))[i] = 1
    else:
        PyArray_FillWithScalar(array, 1)
    return wrap(array)


cdef EagerTensor full(Kind kind, tuple shape, object dtype, object value):
    """A tensor of another kind of array than NumPy's, with ``value`` everywhere."""
    array = kind.full(shape, dtype, value)
    check_array(array)
    return wrap(array)


cdef list ids_of(Tape tape, object source):
    """The ids under which ``source`` may have been used: a tensor's own, or those of a variable's snapshots."""
    cdef VariableBase variable
    cdef list ids
    if type(source) is EagerTensor:
        return [(<EagerTensor>source).id]
    if source is None:
        raise TypeError("a source of a gradient is a tensor or a variable, not None")
    variable = (<VariableBase?>source).holder()
    ids = list(tape.variables[variable.unique_id][1]) if variable.unique_id in tape.variables else []
    if variable.snapshot is not None and variable.snapshot.id not in ids:
        ids.append(variable.snapshot.id)
    return ids


cdef class Finals:
    """When the gradients by the sources are complete: once the walk has passed the first record that uses them."""

    cdef list due               # (index of a record, number of a source), the record that the walk meets first last
    cdef list source_ids
    cdef object finished

    def __cinit__(self, list records, int64_t last, list source_ids, object finished, IdTable late):
        cdef dict users = {}, first = {}
        cdef Record record
        cdef int64_t index
        cdef int i, k
        self.source_ids = source_ids
        self.finished = finished
        for k in range(len(source_ids)):
            for tensor_id in source_ids[k]:
                if late is None or not late.has(tensor_id):
                    users.setdefault(tensor_id, []).append(k)
        for index in range(last + 1):
            record = records[index]
            if record is not None:
                for i in range(record.inputs):
                    if record.ids[i] in users:
                        for k in users[record.ids[i]]:
                            first.setdefault(k, index)
        self.due = sorted([(index, k) for k, index in first.items()])

    cdef int64_t next(self) except -2:
        """The index of the record after which the next gradient is complete; -1 if there is none."""
        return self.due[len(self.due) - 1][0] if self.due else -1

    cdef int64_t reach(self, int64_t index, Gradients gradients) except -2:
        """Tell of the gradients that are complete now that the walk has passed the record. Returns `next`."""
        while self.next() == index:
            k = self.due.pop()[1]
            self.finished(k, total_of(self.source_ids[k], gradients))
        return self.next()


cdef class Late:
    """Sources whose gradients wait until the walk has ended, so that what flows on to the others comes first.

    One that several records use does not wait: its gradient is a sum, whose terms come in the order of the walk.
    """

    cdef IdTable ids            # of the tensors that stand for these sources
    cdef IdTable marked         # those of them that the walk marks
    cdef IdTable others         # what else it marks
    cdef list put_off           # (record, the gradient that arrived at it)
    cdef int64_t held           # bytes of these gradients
    cdef int64_t most

    def __cinit__(self, list records, int64_t last, list source_ids, object numbers, int64_t most):
        cdef dict uses = {}
        cdef Record record
        cdef int64_t index
        cdef int i
        self.ids, self.marked, self.others = IdTable(), IdTable(), IdTable()
        self.put_off, self.most = [], most
        for k in numbers:
            for tensor_id in source_ids[k]:
                uses[tensor_id] = 0
        for index in range(last + 1):
            record = records[index]
            for i in range(0 if record is None else record.inputs):
                if record.ids[i] in uses:
                    uses[record.ids[i]] += 1
        for k in numbers:
            if sum([uses[tensor_id] for tensor_id in source_ids[k]]) == 1:
                for tensor_id in source_ids[k]:
                    self.ids.set(tensor_id, 1)

    cdef bint takes(self, Record record, EagerTensor dy, IdTable marked) except -1:
        """Whether the record leads to one of them and to others too; then their part of it is put off."""
        cdef bint leads = False, leads_on = False
        cdef int64_t size
        cdef int i
        for i in range(record.inputs):
            if not marked.has(record.ids[i]):
                continue
            if self.ids.has(record.ids[i]):
                leads = True
                self.marked.set(record.ids[i], 1)
            else:
                leads_on = True
                self.others.set(record.ids[i], 1)
        if not (leads and leads_on and isinstance(dy.array, np.ndarray)):
            return False
        size = (<cnp.ndarray>dy.array).nbytes
        if self.held + size > self.most:
            return False
        self.held += size
        self.put_off.append((record, dy))
        return True

    cdef int tell(self, list source_ids, object numbers, Gradients gradients, object finished) except -1:
        """Differentiate what was put off, from the first record to the last, and tell of the gradients."""
        cdef dict waits = {}
        cdef Record record
        cdef EagerTensor dy
        cdef int i
        for k in numbers:
            waits[k] = 0
        self.put_off.reverse()
        for n, (record, dy) in enumerate(self.put_off):
            for i in range(record.inputs):
                for k in waits:
                    if record.ids[i] in source_ids[k]:
                        waits[k] = n + 1
        record, dy = None, None
        for n in range(len(self.put_off) + 1):
            if n:
                record, dy = self.put_off[n - 1]
                self.put_off[n - 1] = None
                differentiate_plain(record, <PyObject*>dy, self.marked, gradients)
                record = dy = None
            for k in waits:
                if waits[k] == n:
                    finished(k, total_of(source_ids[k], gradients))
        return 0


cdef object total_of(list ids, Gradients gradients):
    """The gradient by a source: the sum of those by the tensors that stand for it, or None."""
    cdef object total = None
    cdef int64_t tensor_id
    for tensor_id in ids:
        gradient = gradients.take(tensor_id, True)
        if gradient is not None:
            total = gradient if total is None else above().aggregate([total, gradient])
    return total


def compute_gradient(
        Tape tape not None, list targets not None, list sources not None, list seeds not None, bint release,
        object finished=None, tuple late=(), int64_t put_off_bytes=0):
    """The gradients of the sum of ``targets`` by each of ``sources``; None where nothing connects them.

    ``targets`` are tensors, ``sources`` tensors and variables. ``seeds`` are gradients of the targets; None
    stands for ones. With ``release`` the tape lets go of each record once the walk has passed it, and the tape
    is spent from then on, even if a rule raises. ``finished(k, gradient)`` is called as soon as the gradient by
    source ``k`` is complete, in the middle of the walk; not for a source that no record uses. What leads to the
    sources with the numbers ``late`` alone is done last, as far as the gradients that it waits for take no more than
    ``put_off_bytes``.
    """
    if len(seeds) != len(targets):
        raise ValueError(f"there are {len(targets)} targets and {len(seeds)} seeds")
    check_tensors(targets)
    return walk_back(tape, targets, sources, seeds, release, finished, late, put_off_bytes)


cdef list walk_back(Tape tape, list targets, list sources, list seeds, bint release, object finished,
                    tuple late, int64_t put_off_bytes):
    """`compute_gradient`, of targets that are tensors and as many seeds."""
    cdef Gradients gradients = Gradients()
    cdef IdTable marked = IdTable(), kept = IdTable()
    cdef EagerTensor target
    cdef Record record
    cdef Plan plan
    # Another thread may end the tape during the walk, and then replaces the list of the tape.
    cdef list records = tape.records
    cdef list source_ids = [ids_of(tape, source) for source in sources], dys, results = []
    cdef int64_t index, last = -1, tensor_id, due = -1
    cdef Finals finals = None
    cdef Late waiting = None
    cdef int i
    cdef bint arrived, wanted, missing = False
    cdef tuple arrivals

    if recorders:
        tape.tell_recorder()
    for ids in source_ids:
        for tensor_id in ids:
            # A source that the tape does not watch may still be an input of a record, beside a watched input.
            # It is not marked: its gradient is only what arrives at it as a target.
            if tape.producers.has(tensor_id):
                marked.set(tensor_id, 1)
            kept.set(tensor_id, 1)
    for i in range(len(targets)):
        target = targets[i]
        index = tape.producers.get(target.id, -1)
        if index > last:
            last = index
        if dtype_of(target.array).is_numeric:
            gradients.add(target.id, ones_like(target) if seeds[i] is None else seeds[i])

    last = min(last, <int64_t>len(records) - 1)
    # Mark the tensors that depend on a source: the walk visits no others. An op without a rule has to be
    # found here, before the walk lets go of any record.
    for index in range(last + 1):
        record = records[index]
        if record is None:
            continue
        for i in range(record.inputs):
            if marked.has(record.ids[i]):
                for i in range(record.outputs):
                    marked.set(record.ids[record.inputs + i], 1)
                missing = missing or lacks_rule(record)
                break
    if missing:
        refuse_missing(records, targets, last, marked)
    tape.spent = tape.spent or release
    if finished is not None:
        if late:
            waiting = Late(records, last, source_ids, late, put_off_bytes)
        finals = Finals(records, last, source_ids, finished, None if waiting is None else waiting.ids)
        due = finals.next()

    index = last
    try:
        while index >= 0:
            record = records[index]
            if record is not None:
                wanted = False
                for i in range(record.outputs):
                    wanted = wanted or marked.has(record.ids[record.inputs + i])
                if wanted:
                    arrived = False
                    arrivals = None
                    dys = None if record.outputs == 1 else []
                    for i in range(record.outputs):
                        tensor_id = record.ids[record.inputs + i]
                        dy = gradients.take(tensor_id, kept.has(tensor_id))
                        if dy is not None:
                            arrived = True
                            if type(dy) is not EagerTensor and not keeps_slices(record):
                                dy = above().densify(dy)
                        if dys is not None:
                            dys.append(dy)
                    if arrived:
                        if dys is not None:
                            arrivals = fill_in(record, dys)
                        if record.lifted is not None:
                            differentiate_lifted(record, dy, dys, arrivals, marked, gradients)
                        elif is_plain(record) and type(dy) is EagerTensor and not is_complex((<EagerTensor>dy).array):
                            differentiate_plain(
                                record, <PyObject*>dy,
                                waiting.others if waiting is not None and waiting.takes(record, dy, marked) else marked,
                                gradients)
                        else:
                            differentiate(record, dy, dys, arrivals, marked, gradients)
                        dy = dys = None
                if release:
                    records[index] = None
            if index == due:
                due = finals.reach(index, gradients)
            index -= 1
        if waiting is not None:
            waiting.tell(source_ids, late, gradients, finished)
    finally:
        if release:
            tape.records = []

    for ids in source_ids:
        results.append(total_of(ids, gradients))
    return results


def has_transpose(Tape tape not None, EagerTensor target not None, list sources not None):
    """Whether the walk from ``target`` to ``sources`` is made of rules of ours alone, which are linear in ``dy``.

    Such a walk can itself be recorded and differentiated by its seed: that takes tangents of the sources to the target.
    Gradient functions of users, and those of whole recordings, may do anything with what arrives. Arrays that are not
    NumPy's, and complex numbers at either end, are left to the walk back.
    """
    cdef IdTable marked = IdTable(), reached = IdTable()
    cdef list on_the_way = []
    cdef Record record
    cdef int64_t index, tensor_id
    cdef int i
    cdef bint leads
    if not is_real_array(target.array):
        return False
    for source in sources:
        if not is_real_array((<EagerTensor?>source._value).array if isinstance(source, VariableBase)
                             else (<EagerTensor?>source).array):
            return False
        for tensor_id in ids_of(tape, source):
            if tape.producers.has(tensor_id):
                marked.set(tensor_id, 1)
    for record in tape.records:
        leads = False
        for i in range(0 if record is None else record.inputs):
            leads = leads or marked.has(record.ids[i])
        if leads:
            on_the_way.append(record)
            for i in range(record.inputs, record.inputs + record.outputs):
                marked.set(record.ids[i], 1)
    reached.set(target.id, 1)
    for record in reversed(on_the_way):
        leads = False
        for i in range(record.inputs, record.inputs + record.outputs):
            leads = leads or reached.has(record.ids[i])
        if leads:
            if type(record.plan) is not Plan or (<Plan>record.plan).everything:
                return False
            for i in range(record.inputs):
                reached.set(record.ids[i], 1)
    return True


cdef bint is_real_array(object array) except -1:
    return isinstance(array, cnp.ndarray) and is_trainable(array) and not is_complex(array)


cdef bint keeps_slices(Record record) except -1:
    """Whether the rules take IndexedSlices, so that these stay slices on their way to a variable."""
    cdef int kept
    if type(record.plan) is not Plan:
        return getattr(record.plan, "keeps_slices", False)
    kept = (<Op>record.op).keeps_slices
    return kept == 1 or kept == 2 and record.shapes is not None and len(<tuple>record.shapes[1]) == 0


cdef bint lacks_rule(Record record) noexcept:
    cdef Op op
    if not isinstance(record.plan, Plan):
        return False
    op = record.op
    return op.registered is None and not op.declared_none and len(op.rules) == 0


cdef int refuse_missing(list records, list targets, int64_t last, IdTable marked) except -1:
    """Raise LookupError if an op without a rule lies between a source and a target.

    This is done before the walk lets go of any record: once the user has registered a rule, the tape is
    still whole.
    """
    cdef IdTable reached = IdTable()
    cdef Record record
    cdef EagerTensor target
    cdef int64_t index
    cdef int i
    cdef bint on_the_way
    for target in targets:
        reached.set(target.id, 1)
    for index in range(last, -1, -1):
        record = records[index]
        if record is None:
            continue
        on_the_way = False
        for i in range(record.inputs, record.inputs + record.outputs):
            on_the_way = on_the_way or (reached.has(record.ids[i]) and marked.has(record.ids[i]))
        if on_the_way:
            if lacks_rule(record):
                raise LookupError(f"gradient registry has no entry for: {(<Op>record.op).type}")
            for i in range(record.inputs):
                reached.set(record.ids[i], 1)
    return 0


cdef tuple fill_in(Record record, list dys):
    """Put zeros into ``dys`` for the outputs at which no gradient arrived; None stays where none can flow.

    Returns for each output whether a gradient arrived there.
    """
    cdef int i
    cdef tuple arrivals = tuple([dy is not None for dy in dys])
    for i in range(record.outputs):
        if dys[i] is None and record.out_info[i] is not None:
            shape, dtype, kind = record.out_info[i]
            dys[i] = above().zeros(shape, dtype) if kind is None else full(kind, shape, dtype, 0)
    return arrivals


cdef EagerTensor sum_to_shape(EagerTensor gradient, tuple shape):
    """The gradient summed over the axes along which an input of ``shape`` was broadcast."""
    cdef object summed
    cdef ThreadState state = current_state()
    cdef EagerTensor result
    if state.walks_plainly and isinstance(gradient.array, cnp.ndarray):
        summed = reduce_sum_to(<cnp.ndarray>gradient.array, shape)
        if summed is not None:
            if summed is gradient.array:
                return gradient
            result = wrap(summed)
            if state.recorder is not None:
                state.recorder.hear_sum(gradient, shape, result)
            return result
    return above().sum_to_shape(gradient, shape)


cdef int deliver(Record record, int i, object gradient, bint conjugate, Gradients gradients) except -1:
    """Add what a rule gave to the gradient of the record's input ``i``."""
    cdef EagerTensor tensor
    if gradient is None:
        return 0
    if type(gradient) is not EagerTensor:
        if isinstance(gradient, (VariableBase, float, int, np.ndarray, np.generic)):
            gradient = above().convert(gradient, None)
        elif conjugate or record.shapes is not None and len(<tuple>record.shapes[i]) == 0:
            gradient = above().densify(gradient)
    if type(gradient) is EagerTensor:
        if conjugate:
            gradient = above().conj(gradient)
        if record.shapes is not None:
            tensor = <EagerTensor>gradient
            if shape_tuple(tensor.array) != record.shapes[i]:
                gradient = sum_to_shape(tensor, record.shapes[i])
    gradients.add(record.ids[i], gradient)
    return 0


cdef int differentiate(
        Record record, object dy, list dys, tuple arrivals, IdTable marked, Gradients gradients) except -1:
    """Call the rules of one record for those inputs that lead to a source.

    ``dy`` is the gradient that arrives at the one output; ``dys`` is the list of them for several outputs.
    ``arrivals`` says at which outputs a gradient arrived; at the others ``dys`` holds zeros.
    """
    cdef Op op
    cdef Plan plan
    cdef Call call
    cdef PyObject* arguments[MAX_ASKS]
    cdef int i, place, last
    cdef bint conjugate = False
    cdef object result, needs = None
    cdef ThreadState state = current_state()
    if not isinstance(record.plan, Plan):
        result = record.plan(*([dy] if dys is None else dys))
        return deliver_all(record, record.op, result, marked, gradients)
    op = record.op
    plan = record.plan
    if plan.everything:
        if op.registered is None:
            return 0
        inputs, outputs, attributes = record.saved[0]
        result = op.registered(above().op_view(op, inputs, outputs, attributes), *([dy] if dys is None else dys))
        return deliver_all(record, op.type, result, marked, gradients)
    last = len(op.inputs) - 1
    if op.holomorphic:
        if dys is None:
            if type(dy) is EagerTensor and is_complex((<EagerTensor>dy).array):
                conjugate = True
                dy = above().conj(dy)
        else:
            for i in range(record.outputs):
                if dys[i] is not None and is_complex((<EagerTensor>dys[i]).array):
                    conjugate = True
                    dys[i] = above().conj(dys[i])
    if dys is not None:
        dy = dys if op.list_output else tuple(dys)
    elif op.list_output:
        dy = [dy]
    elif op.outputs is not None:
        dy = (dy,)
    for call in plan.calls:
        if call.input < 0:
            needs = tuple([is_wanted(record, op, i, last, marked) for i in range(last + 1)])
        elif not is_wanted(record, op, call.input, last, marked):
            continue
        for i in range(call.count):
            place = call.places[i]
            if place == DY:
                arguments[i] = <PyObject*>dy
            elif place == NEEDS:
                arguments[i] = <PyObject*>needs
            elif place == ARRIVED:
                arguments[i] = <PyObject*>arrivals
            else:
                arguments[i] = PyTuple_GET_ITEM_(record.saved, place)
        result = None
        if call.fast is not None and state.walks_plainly:
            result = run_fast_form(call, arguments)
        elif call.programs is not None and state.walks_plainly:
            result = run_program(call, arguments, NULL)
        if recorders and result is not None:
            tell_rule(call, arguments, result)
        if result is None:
            result = PyObject_Vectorcall(call.rule, arguments, call.count, NULL)
        if call.input < 0:
            if op.list_input:
                check_count(op.type, len(result), last + 1)
                result = [*result[:last], *([None] * (record.inputs - last) if result[last] is None else result[last])]
            check_count(op.type, len(result), record.inputs)
            for i in range(record.inputs):
                if marked.has(record.ids[i]):
                    deliver(record, i, result[i], conjugate, gradients)
        elif op.list_input and call.input == last:
            check_count(op.type, len(result), record.inputs - last)
            for i in range(last, record.inputs):
                if marked.has(record.ids[i]):
                    deliver(record, i, result[i - last], conjugate, gradients)
        else:
            deliver(record, call.input, result, conjugate, gradients)
    return 0


cdef int differentiate_lifted(
        Record record, object dy, list dys, tuple arrivals, IdTable marked, Gradients gradients) except -1:
    """`differentiate` for a call in which a tensor met arrays of another kind, which asks to settle its gradient.

    The rules run as they would have at the time of the call: see `Kind.reopen`.
    """
    cdef Gradients own = Gradients()
    cdef Kind kind = record.kind
    cdef tuple lifted = record.lifted
    cdef int i
    cdef object gradient, reopened = kind.reopen(lifted)
    try:
        differentiate(record, dy, dys, arrivals, marked, own)
    finally:
        kind.close(reopened)
    for i in range(record.inputs):
        gradient = own.take(record.ids[i], False)
        if gradient is None:
            continue
        if lifted[i] is not None:
            gradient = kind.settle(
                gradient if type(gradient) is EagerTensor else above().densify(gradient), lifted[i])
        gradients.add(record.ids[i], gradient)
    return 0


cdef inline bint is_plain(Record record) noexcept:
    return type(record.plan) is Plan and (<Plan>record.plan).plain


cdef int differentiate_plain(Record record, PyObject* dy, IdTable marked, Gradients gradients) except -1:
    """`differentiate` for a record whose plan is plain. Most are.

    ``dy`` is borrowed: a gradient that only the walk holds then has one reference, and may be overwritten.
    """
    cdef Plan plan = <Plan>record.plan
    cdef PyObject* arguments[MAX_ASKS]
    cdef PyObject** saved = &(<PyTupleObject*>record.saved).ob_item[0]
    cdef Call call
    cdef int i, n, place, last = -1
    cdef bint plainly = current_state().walks_plainly
    cdef object result, add = (<Op>record.op).add_part
    for n in range(plan.calls_count):
        if marked.has(record.ids[(<Call>plan.calls_array[n]).input]):
            last = n
    for n in range(last + 1):
        call = <Call>plan.calls_array[n]
        if n < last and not marked.has(record.ids[call.input]):
            continue
        for i in range(call.count):
            place = call.places[i]
            arguments[i] = dy if place == DY else saved[place]
        result = None
        if call.fast is not None and plainly:
            result = run_fast_form(call, arguments)
        elif call.programs is not None and plainly:
            # A recorder still wants the gradient that arrived, which may be a constant.
            result = run_program(call, arguments, dy if n == last and not recorders else NULL)
        elif (add is not None and not current_state().active
                and gradients.add_part(record.ids[call.input], add, call, arguments)):
            continue
        if result is None:
            result = PyObject_Vectorcall(call.rule, arguments, call.count, NULL)
        elif recorders:
            tell_rule(call, arguments, result)
        if type(result) is EagerTensor and record.shapes is None:
            gradients.add(record.ids[call.input], result)
        else:
            deliver(record, call.input, result, False, gradients)
    return 0


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
        program = find_unheard(call, arrays)
    else:
        program = call.programs.find(arrays, call.count)
    if program is None:
        return run_halves(call, arrays)
    if program.passes >= 0:
        return <object>arguments[program.passes]
    try:
        return wrap(program.run(arrays, reusable))
    except ValueError:
        # Shapes that do not fit: the rule itself is called, and the op in it that fails raises its own error.
        return None


cdef object run_halves(Call call, PyObject** arrays):
    """What a rule gives for halves, rounded after each of its ops; or what its fast form gives, see there.

    None where there is no half, or no program, and the rule has to be called.
    """
    cdef Program program
    if call.is_form:
        return run_form_of_halves(call, arrays) if call.accumulates and not call.no_halves else None
    program = find_unheard_of_halves(call, arrays, False)
    if program is None or program.passes >= 0:
        return None
    try:
        return wrap(program.run(arrays, -1))
    except ValueError:
        return None             # the rule says what does not fit


cdef Program find_unheard_of_halves(Call call, PyObject** arrays, bint widened):
    """As `find_unheard`, of programs for bfloat16."""
    cdef ThreadState state = current_state() if recorders else None
    if state is None or state.recorder is None:
        return call.programs.find_of_halves(arrays, call.count, widened)
    state.recorder.hear_hiding(1)
    try:
        return call.programs.find_of_halves(arrays, call.count, widened)
    finally:
        state.recorder.hear_hiding(-1)


cdef object run_form_of_halves(Call call, PyObject** arrays):
    """What a fast form gives for halves: computed in float32 and rounded once, as the op's kernel does."""
    cdef PyObject* wide[MAX_ASKS]
    cdef Program program
    cdef object half = None
    cdef list held = []         # the arrays that `wide` borrows
    cdef int i, reusable = -1
    program = find_unheard_of_halves(call, arrays, True)
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
    program = find_unheard(call, wide) if recorders else call.programs.find(wide, call.count)
    if program is None or program.passes >= 0:
        return None
    try:
        return wrap(round_to(half, program.run(wide, reusable)))
    except ValueError:
        return None             # the rule says what does not fit


cdef int tell_rule(Call call, PyObject** arguments, object result) except -1:
    """Tell the one that records on this thread, if there is one, that a rule gave this by its program or fast form."""
    cdef ThreadState state = current_state()
    if state.recorder is not None:
        state.recorder.hear_rule(call, arguments, call.count, result)
    return 0


cdef Program find_unheard(Call call, PyObject** arrays):
    """The rule's program. To find it the rule is perhaps traced, on stand-ins for arrays, and that is not recorded."""
    cdef ThreadState state = current_state()
    if state.recorder is None:
        return call.programs.find(arrays, call.count)
    state.recorder.hear_hiding(1)
    try:
        return call.programs.find(arrays, call.count)
    finally:
        state.recorder.hear_hiding(-1)


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
            if call.accumulates and is_half(<object>arrays[i]):
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
            result = tuple([round_to(half, each) for each in result]) if type(result) is tuple else round_to(half, result)
    except (ValueError, MemoryError):
        # Shapes that do not fit, or no memory: the rule itself is called, and the op in it that fails
        # raises its own error.
        return None
    finally:
        reset_errors(token)
    if type(result) is tuple:
        return tuple([None if array is None else wrap_array(array) for array in result])
    return None if result is None else wrap_array(result)


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


cdef bint is_wanted(Record record, Op op, int logical, int last, IdTable marked) noexcept:
    cdef int i
    if not (op.list_input and logical == last):
        return marked.has(record.ids[logical])
    for i in range(last, record.inputs):
        if marked.has(record.ids[i]):
            return True
    return False


cdef int check_count(object name, Py_ssize_t got, Py_ssize_t expected) except -1:
    if got != expected:
        raise ValueError(
            f"The gradient of {name} gave {got} gradients for its {expected} inputs: it must return one for "
            f"each, None where there is none.")
    return 0


cdef int deliver_all(Record record, object name, object result, IdTable marked, Gradients gradients) except -1:
    """Add the gradients that a custom or registered gradient function returned, one for each input."""
    cdef int i
    if not isinstance(result, (list, tuple)):
        result = [result]
    check_count(name, len(result), record.inputs)
    for i in range(record.inputs):
        if marked.has(record.ids[i]):
            deliver(record, i, result[i], False, gradients)
    return 0
