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
from tapegrad.core.fast_forms cimport run_fast_form, run_open, run_program, report_rule
from tapegrad.core.gradients cimport Gradients, Misfit, full, may_be_overwritten, ones_like, total_of
from tapegrad.core.gradients import fitted
from tapegrad.core.ids cimport IdTable
from tapegrad.core.observers cimport ThreadState, current_state, recorders
from tapegrad.core.plans cimport ARRIVED, DY, MAX_ASKS, NEEDS, Call, Plan
from tapegrad.core.tape cimport Record, Tape, check_tensors, let_go_of_values
from tapegrad.core.tape import SPENT
from tapegrad.core.kinds cimport Kind, Shaped, holds_size, open_sizes
from tapegrad.core.tensor cimport EagerTensor, dtype_of, is_complex, is_trainable, shape_tuple, wrap
from tapegrad.core.callbacks cimport callbacks
from tapegrad.core.variable cimport VariableBase
from tapegrad.engines.numpy.reductions cimport reduce_sum_to
from tapegrad.engines.system cimport now

cnp.import_array()

cdef extern from "Python.h":
    PyObject* PyTuple_GET_ITEM_ "PyTuple_GET_ITEM" (tuple values, Py_ssize_t i)
    ctypedef struct PyTupleObject:
        PyObject* ob_item[1]
    object PyObject_Vectorcall(object, PyObject**, size_t, PyObject*)
    Py_ssize_t Py_REFCNT(PyObject* o)


cpdef list ids_of(Tape tape, object source):
    """The ids under which ``source`` may have been used: a tensor's own, or those of a variable's snapshots."""
    cdef VariableBase variable
    cdef list ids
    if type(source) is EagerTensor:
        return [(<EagerTensor>source).id]
    if source is None:
        raise TypeError("a source of a gradient is a tensor or a variable, not None")
    variable = (<VariableBase?>source).holder()
    if variable.snapshot is None:
        variable = variable._source
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

    cdef int report(self, list source_ids, object numbers, Gradients gradients, object finished) except -1:
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
    # Another thread may end the tape during the walk, and then replaces the list of the tape.
    cdef list records = tape.records
    cdef list source_ids = [ids_of(tape, source) for source in sources], dys, results = []
    cdef list times = tape.times
    cdef double begun = 0
    cdef int64_t index, last = -1, tensor_id, due = -1
    cdef Finals finals = None
    cdef Late waiting = None
    cdef Misfit misfit = None
    cdef int i
    cdef bint arrived, wanted, explains = tape.explains, alone = False
    cdef tuple arrivals

    if recorders:
        tape.report_to_recorder()
    for ids in source_ids:
        for tensor_id in ids:
            # A source that the tape does not watch may still be an input of a record, beside a watched input.
            # It is not marked: its gradient is only what arrives at it as a target.
            if tape.watches(tensor_id):
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
    # An op without a rule has to be known here, before the walk lets go of any record.
    if mark_dependents(records, last, marked):
        refuse_missing(records, targets, last, marked)
    if release:
        # Taken before any rule runs: another thread, or a rule, that walks the same tape finds it spent.
        if tape.spent or tape.records is not records:
            raise RuntimeError(SPENT)
        tape.spent, tape.records = True, []
        # Nobody else walks these records, in a walk without release that began before.
        alone = Py_REFCNT(<PyObject*>records) == 1
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
                            if type(dy) is not EagerTensor:
                                if type(dy) is Misfit:
                                    misfit = dy
                                    dy = misfit.value
                                if not keeps_slices(record):
                                    dy = callbacks().densify(dy)
                        if dys is not None:
                            dys.append(dy)
                    if arrived:
                        if times is not None:
                            begun = now()
                        if dys is not None:
                            arrivals = fill_in(record, dys)
                        if misfit is not None:
                            differentiate_misfit(record, dy, dys, arrivals, marked, gradients, misfit)
                            misfit = None
                        elif record.adjustments is not None:
                            differentiate_adjusted(record, dy, dys, arrivals, marked, gradients)
                        elif is_plain(record) and type(dy) is EagerTensor and not is_complex((<EagerTensor>dy).array):
                            differentiate_plain(
                                record, <PyObject*>dy,
                                waiting.others if waiting is not None and waiting.takes(record, dy, marked) else marked,
                                gradients)
                        else:
                            differentiate(record, dy, dys, arrivals, marked, gradients)
                        dy = dys = None
                        if times is not None:
                            times.append((index, now() - begun))
                if release:
                    if not explains or not alone:
                        records[index] = None
                    elif Py_REFCNT(<PyObject*>record) == 2:     # no other tape has it, and nothing waits for it
                        record.saved = None
                        if not is_plain(record) or record.adjustments is not None:
                            let_go_of_values(record)
            if index == due:
                due = finals.reach(index, gradients)
            index -= 1
        if waiting is not None:
            waiting.report(source_ids, late, gradients, finished)
    finally:
        if index >= 0 and current_state().checked:      # an error ends the walk here
            report_failed_rule(tape, records, index)
        if release:
            tape.records = []

    for ids in source_ids:
        results.append(total_of(ids, gradients))
    if tape.explains:
        if gradients.refusals is not None:
            tape.note_refusals(gradients.refusals)
        if release:
            for gradient in results:
                if gradient is None:
                    tape.keep_remains(records)
                    break
            else:
                tape.answered = source_ids
                for i in range(len(targets)):
                    tape.answered_targets += (<EagerTensor>targets[i]).id
    return results


cdef int report_failed_rule(Tape tape, list records, int64_t index) except -1:
    cdef Record record = records[index]
    if record is not None:
        current_state().report_failed_rule(
            record.op if isinstance(record.op, str) else record.op.type,
            tape.line_of(index))
    return 0


cdef bint mark_dependents(list records, int64_t last, IdTable marked) except -1:
    """Mark the tensors that depend on a source: the walk visits no others. Whether an op among these lacks a rule."""
    cdef Record record
    cdef bint missing = False
    cdef int64_t index
    cdef int i
    for index in range(last + 1):
        record = records[index]
        if record is None:
            continue
        for i in range(record.inputs):
            if marked.has(record.ids[i]):
                for i in range(record.outputs):
                    marked.set(record.ids[record.inputs + i], 1)
                # A plan is plain only where the op has rules.
                missing = missing or not is_plain(record) and lacks_rule(record)
                break
    return missing


def has_transpose(Tape tape not None, EagerTensor target not None, list sources not None):
    """Whether the walk from ``target`` to ``sources`` is made of rules of ours alone, which are linear in ``dy``.

    Such a walk can itself be recorded and differentiated by its seed: that takes tangents of the sources to the target.
    Gradient functions of users, and those of whole recordings, may do anything with what arrives. Arrays that are not
    NumPy's, and complex numbers at either end, are left to the walk back.
    """
    cdef IdTable marked = IdTable(), reached = IdTable()
    cdef list on_the_way = []
    cdef Record record
    cdef int64_t tensor_id
    cdef int i
    cdef bint leads
    if not is_real_array(target.array):
        return False
    for source in sources:
        if not is_real_array((<EagerTensor?>source._snapshot).array if isinstance(source, VariableBase)
                             else (<EagerTensor?>source).array):
            return False
        for tensor_id in ids_of(tape, source):
            if tape.watches(tensor_id):
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
            dys[i] = callbacks().zeros(shape, dtype) if kind is None else full(kind, shape, dtype, 0)
    return arrivals


cdef EagerTensor sum_to_shape(EagerTensor gradient, tuple shape):
    """The gradient summed over the axes along which an input of ``shape`` was broadcast."""
    cdef object summed
    cdef ThreadState state = current_state()
    cdef EagerTensor result
    if open_sizes and state.fast_forms_run:
        opened = summed_open(gradient.array, shape)
        if opened is not None:
            result = wrap(opened)
            if state.recorder is not None:
                state.recorder.on_sum(gradient, shape, result)
            return result
    if state.fast_forms_run and isinstance(gradient.array, cnp.ndarray):
        summed = reduce_sum_to(<cnp.ndarray>gradient.array, shape)
        if summed is not None:
            if summed is gradient.array:
                return gradient
            result = wrap(summed)
            if state.recorder is not None:
                state.recorder.on_sum(gradient, shape, result)
            return result
    return callbacks().sum_to_shape(gradient, shape)


cdef object summed_open(object array, tuple shape):
    """The array of a gradient summed to ``shape``, where open sizes are in one of them; None where none is."""
    if not holds_size(shape):
        if isinstance(array, Shaped) and (<Shaped>array).elements is not None:
            return reduce_sum_to(<cnp.ndarray>(<Shaped>array).elements, shape)
        return None
    from tapegrad.core.opening import summed
    return summed(array, shape)


cdef bint may_differ(tuple first, tuple second) except? True:
    """Whether two shapes differ, or may do so since a size is unknown."""
    # Shapes of other ranks differ without a look at sizes.
    if len(first) != len(second):
        return True
    for size, other in zip(first, second):
        if size is other:
            continue
        if type(size) is int and type(other) is int:
            if size != other:
                return True
        else:
            from tapegrad.core.sizes import is_unknown  # an import of the package does not need them
            if is_unknown(size) or is_unknown(other) or size != other:
                return True
    return False


cdef int deliver(Record record, int i, object gradient, bint conjugate, Gradients gradients) except -1:
    """Add what a rule gave to the gradient of the record's input ``i``."""
    cdef EagerTensor tensor
    cdef tuple shape
    if gradient is None:
        return gradients.refuse(record.op if type(record.op) is str else record.op.type, record.ids[i],
                                record.ids[record.inputs])
    if type(gradient) is not EagerTensor:
        if isinstance(gradient, (VariableBase, float, int, np.ndarray, np.generic)):
            gradient = callbacks().convert(gradient, None)
        elif conjugate or record.shapes is not None and len(<tuple>record.shapes[i]) == 0:
            gradient = callbacks().densify(gradient)
    if type(gradient) is EagerTensor:
        if conjugate:
            gradient = callbacks().conj(gradient)
        if record.shapes is not None:
            tensor = <EagerTensor>gradient
            shape = shape_tuple(tensor.array)
            if may_differ(shape, <tuple>record.shapes[i]) if open_sizes else shape != record.shapes[i]:
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
        return deliver_all(record, record.op, result, None, marked, gradients)
    op = record.op
    plan = record.plan
    if plan.everything:
        if op.registered is None:
            return 0
        inputs, outputs, attributes = record.saved[0]
        result = op.registered(callbacks().op_view(op, inputs, outputs, attributes), *([dy] if dys is None else dys))
        return deliver_all(record, op.type, result, inputs, marked, gradients)
    last = len(op.inputs) - 1
    if op.holomorphic:
        if dys is None:
            if type(dy) is EagerTensor and is_complex((<EagerTensor>dy).array):
                conjugate = True
                dy = callbacks().conj(dy)
        else:
            for i in range(record.outputs):
                if dys[i] is not None and is_complex((<EagerTensor>dys[i]).array):
                    conjugate = True
                    dys[i] = callbacks().conj(dys[i])
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
        if open_sizes and state.fast_forms_run and (call.fast is not None or call.programs is not None):
            result = run_open(call, arguments, record.shapes, dy if op.elementwise else None)
        if result is not None:
            pass
        elif call.fast is not None and state.fast_forms_run:
            if (call.add is not None and record.shapes is None and not state.active
                    and gradients.add_by_form(record.ids[call.input], call, arguments)):
                continue
            result = run_fast_form(call, arguments)
        elif call.programs is not None and state.fast_forms_run:
            result = run_program(call, arguments, NULL)
        if recorders and result is not None:
            report_rule(call, arguments, result)
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


cdef int differentiate_adjusted(
        Record record, object dy, list dys, tuple arrivals, IdTable marked, Gradients gradients) except -1:
    """`differentiate` for a call in which a tensor met arrays of another kind, which asks to settle its gradient.

    The rules run as they would have at the time of the call: see `Kind.reopen`.
    """
    cdef Gradients own = Gradients()
    cdef Kind kind = record.kind
    cdef Misfit misfit
    cdef tuple adjustments = record.adjustments
    cdef int i
    cdef object gradient, reopened = kind.reopen(adjustments)
    try:
        differentiate(record, dy, dys, arrivals, marked, own)
    finally:
        kind.close(reopened)
    for i in range(record.inputs):
        gradient = own.take(record.ids[i], False)
        if gradient is None:
            continue
        if adjustments[i] is not None:
            misfit = gradient if type(gradient) is Misfit else None
            if misfit is not None:
                gradient = misfit.value
            gradient = kind.adjust_gradient(
                gradient if type(gradient) is EagerTensor else callbacks().densify(gradient), adjustments[i])
            if misfit is not None:
                gradient = misfit.pass_on(gradient)
        gradients.add(record.ids[i], gradient)
    return 0


cdef int differentiate_misfit(
        Record record, object dy, list dys, tuple arrivals, IdTable marked, Gradients gradients, Misfit misfit) except -1:
    """`differentiate` for a gradient that does not fit its tensor.

    The rules run as ops, which look at what they get. A rule that never looks at another tensor beside it, such as
    that of a reshape, goes on with it.
    """
    cdef Gradients own = Gradients()
    cdef ThreadState state = current_state()
    cdef int i
    state.by_ops += 1
    state.refresh()
    try:
        if record.adjustments is not None:
            differentiate_adjusted(record, dy, dys, arrivals, marked, own)
        else:
            differentiate(record, dy, dys, arrivals, marked, own)
    except Exception as error:
        if type(record.plan) is not Plan or (<Plan>record.plan).everything:
            raise               # a user's function
        raise misfit.refusal(f"The gradient of {(<Op>record.op).type} cannot go on with it: {error}") from error
    finally:
        state.by_ops -= 1
        state.refresh()
    for i in range(record.inputs):
        gradient = own.take(record.ids[i], False)
        if gradient is not None:
            gradients.add(record.ids[i], misfit.pass_on(gradient))
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
    cdef bint may_be_fast = current_state().fast_forms_run
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
        if open_sizes and may_be_fast and (call.fast is not None or call.programs is not None):
            result = run_open(call, arguments, record.shapes, <object>dy if (<Op>record.op).elementwise else None)
        if result is not None:
            pass
        elif call.fast is not None and may_be_fast:
            result = run_fast_form(call, arguments)
        elif call.programs is not None and may_be_fast:
            # A recorder still wants the gradient that arrived where that may be a constant.
            result = run_program(call, arguments, dy if n == last and (
                not recorders or may_be_overwritten(<EagerTensor>dy)) else NULL)
        elif (add is not None and not current_state().active
                and gradients.add_part(record.ids[call.input], add, call, arguments)):
            continue
        if result is None:
            result = PyObject_Vectorcall(call.rule, arguments, call.count, NULL)
        elif recorders:
            report_rule(call, arguments, result)
        if type(result) is EagerTensor and record.shapes is None:
            gradients.add(record.ids[call.input], result)
        else:
            deliver(record, call.input, result, False, gradients)
    return 0


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


cdef int deliver_all(Record record, object name, object result, tuple inputs, IdTable marked, Gradients gradients) except -1:
    """Add the gradients that a custom or registered gradient function returned, one for each input.

    ``inputs`` are those of a call with a registered function. Custom ones compare gradients with their inputs.
    """
    cdef Gradients own
    cdef int i
    if not isinstance(result, (list, tuple)):
        result = [result]
    check_count(name, len(result), record.inputs)
    for i in range(record.inputs):
        if not marked.has(record.ids[i]):
            continue
        if inputs is None:
            deliver(record, i, result[i], False, gradients)
            continue
        own = Gradients()
        deliver(record, i, result[i], False, own)
        gradient = fitted(own.take(record.ids[i], False), inputs[i], lambda: (
            f"The gradient that the function registered for {name} returned for its input {i}"))
        if gradient is not None:
            gradients.add(record.ids[i], gradient)
    return 0
