"""The cache of recordings: the signature of a call's arguments, and the programs of a function by signature."""

cimport numpy as cnp
from cpython.ref cimport Py_INCREF, PyObject
from cpython.tuple cimport PyTuple_New, PyTuple_SET_ITEM

import threading
import time
import weakref
from _thread import RLock, get_ident

import numpy as np

from tapegrad.core.forward cimport Accumulator
from tapegrad.core.function cimport PROMOTING, TRACING, hooks
from tapegrad.core.garbage import hold, release
from tapegrad.core.kinds cimport open_batches
from tapegrad.core.observers cimport Observer, ThreadState, current_state
from tapegrad.core.open_recordings cimport LEAST_OPEN, OpenRecording, changed_axes, form_of
from tapegrad.core.recomputing cimport Intermediates
from tapegrad.core.recorder cimport Recorder
from tapegrad.core.steps cimport GUARD, Path, Step, lasts
from tapegrad.core.replay cimport Program
from tapegrad.core.replay import MISS, Refusal
from tapegrad.core.tape cimport Tape
from tapegrad.core.tape import is_recording
from tapegrad.core.tensor cimport EagerTensor, Tensor, present_array
from tapegrad.core.callbacks cimport callbacks
from tapegrad.core.variable cimport VariableBase

cnp.import_array()

cdef extern from "Python.h":
    ctypedef struct PyListObject:
        PyObject** ob_item

cdef enum:
    MOST_SIGNATURES = 256       # of one function
    MOST_OPEN = 4               # recordings for open sizes, of one form of arguments

LONGEST_WAIT = 20.0             # seconds for which a call waits while another thread is in the function's first call


class Unfit(Exception):
    """Arguments for which nothing is recorded. The message says why."""


cdef object leaf_key(EagerTensor tensor, list leaves):
    """The part of a tensor in the key of a signature. Without ``leaves`` it may be a batch."""
    cdef cnp.ndarray array
    cdef tuple key
    cdef object number
    cdef int i, n
    if not isinstance(present_array(tensor), cnp.ndarray):
        if leaves is None:
            return (type(tensor.array), tensor.array.dtype, tensor.array.shape)
        raise Unfit("an argument is a batch")
    if tensor.extra is not None:
        raise Unfit("an argument is a tensor with attributes of its own")
    if leaves is not None:
        leaves.append(tensor)
    array = <cnp.ndarray>tensor.array
    n = cnp.PyArray_NDIM(array)
    key = PyTuple_New(n + 1)
    number = cnp.PyArray_TYPE(array)
    Py_INCREF(number)
    PyTuple_SET_ITEM(key, 0, number)
    for i in range(n):
        number = cnp.PyArray_DIMS(array)[i]
        Py_INCREF(number)
        PyTuple_SET_ITEM(key, i + 1, number)
    return key


# A walk of its own, beside those of `framework.nest`: every call of a tf.function takes it. Of three tensors in a dict,
# a walker in Python takes as long (1 µs) as the whole call with this.
cdef object part_key(object value, list leaves, list objects):
    """The part of one argument in the key of a signature. Its tensors go to ``leaves``."""
    kind = type(value)
    if kind is EagerTensor:
        return leaf_key(<EagerTensor>value, leaves)
    if value is None or kind is bool or kind is int or kind is str or kind is bytes:
        return (kind, value)
    if kind is float or kind is complex:
        return (kind, repr(value))
    if kind is slice or kind is range:
        return (kind, part_key((value.start, value.stop, value.step), leaves, objects))
    if kind is tuple or kind is list:
        return (kind, tuple([part_key(part, leaves, objects) for part in value]))
    if kind is dict:
        # True, 1 and 1.0 are one key to Python, and not to the function.
        return (kind, tuple([
            (type(key), key, part_key(part, leaves, objects)) for key, part in value.items()]))
    if isinstance(value, (np.ndarray, np.generic)):
        return leaf_key(<EagerTensor?>callbacks().convert(value, None), leaves)
    if hasattr(kind, "_nest_components"):
        return (kind, value._type_spec, part_key(value._nest_components(), leaves, objects))
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return (kind, tuple([part_key(part, leaves, objects) for part in value]))
    if isinstance(value, (tuple, list, dict)) or getattr(kind, "_changes", False):
        raise Unfit(f"an argument is a {kind.__name__}, which may change")
    if isinstance(value, callbacks().immutable):
        return (kind, value)
    if kind is frozenset:
        return (kind, frozenset([part_key(part, leaves, objects) for part in value]))
    if "__dataclass_params__" in kind.__dict__ and kind.__dataclass_params__.frozen:
        inside = []
        key = tuple([part_key(getattr(value, name), inside, objects) for name in kind.__dataclass_fields__])
        if not inside:
            return (kind, key)
    if kind.__hash__ is None:
        raise Unfit(f"an argument is a {kind.__name__}, which may change, and has no hash")
    objects.append(value)
    return (kind, id(value))


MADE_ONCE = (
    "tf.function only supports singleton tf.Variables created on the first call. Make sure the tf.Variable is only "
    "created once or created outside tf.function. See "
    "https://www.tensorflow.org/guide/function#creating_tfvariables for more information.")
MADE_LATE = "Creating variables on a non-first call to a function decorated with tf.function."


cdef enum:                      # observers of a call
    NOBODY = 0
    TAPES = 1                   # or accumulators
    WATCHERS = 2                # to which the variables that are used are reported, and nothing else; with or without tapes
    EXACT = 4                   # to some of these no other variables may be reported
    OTHERS = 8


cdef int observers_of_call(ThreadState state) noexcept:
    """Which kinds of observers this thread has now. Where there are OTHERS, functions run as Python.

    A recorder that has refused does not count: it keeps nothing.
    """
    cdef Observer observer
    cdef int kinds = NOBODY
    if hooks & (TRACING | PROMOTING) or state.held or open_batches and state.batch is not None:
        return OTHERS
    for observer in state.observers:
        if type(observer) is Tape or type(observer) is Accumulator:
            if not state.paused:
                kinds |= TAPES
        elif observer.observes_calls or observer.observes_values:
            if type(observer) is not Recorder or (<Recorder>observer).reason is None:
                return OTHERS
        elif observer.observes_variables:
            kinds |= WATCHERS if observer.takes_more else WATCHERS | EXACT
    return kinds


cdef bint is_recorded(Program program) noexcept:
    """Whether something was recorded for the signature, or there is a recording for open sizes that it follows."""
    return program.root is not None or program.origin is not None and program.reason is None


cdef class Form:
    """The signatures of a function that differ in nothing but sizes, and what is recorded for all of them.

    A function is recorded for the sizes of its first call. The second call with other ones is recorded with those sizes
    open that have changed. For all that come later a program is made of that recording, without Python.
    """

    cdef list shapes            # of the tensors of the first call
    cdef tuple key              # of the first call
    cdef dict axes              # number of a tensor -> the axes that have changed so far
    cdef list recordings        # OpenRecordings
    cdef readonly object reason # why no further sizes are recorded at once: (text, where); None so far
    cdef list watched           # references to the objects among the arguments


cdef class Cache:
    """The programs of a function, by signature."""

    cdef dict programs
    cdef object lock            # while a recording is added
    cdef readonly object reason     # why nothing is recorded for any signature: (text, where); None so far
    cdef readonly int recorded
    cdef str name               # of the function
    # Of an input_signature: what gives the axes that it leaves open, for the number of each tensor among arguments; else
    # None. With one, TensorFlow has one graph for all shapes.
    cdef object unknown_axes
    cdef dict forms             # signature without sizes -> Form
    cdef long calls
    cdef dict streams           # signature -> what the draws of that recording draw from
    cdef dict first             # address of an instance, or 0 -> (whether the first call has made variables, reference)
    cdef dict beginning         # (place, the same) -> the thread that is in a first call
    cdef readonly dict traced   # signatures, without tapes -> whether that call has made variables
    cdef readonly object unfit  # why the last arguments for which nothing is recorded are such; None if all were fit
    cdef object __weakref__

    def __init__(self, str name="", unknown_axes=None):
        self.name = name
        self.unknown_axes = unknown_axes
        self.programs = {}
        self.forms = {}
        self.streams = {}
        self.first = {}
        self.beginning = {}
        self.traced = {}
        self.lock = RLock()

    def __len__(self):
        return len(self.programs)

    def values(self):
        programs = list(self.programs.values())
        for program in programs:
            self.bring_up_to_date(program)
        return programs

    def forget(self):
        """Let go of all that was recorded, so that each signature is recorded anew."""
        with self.lock:
            for kept in (self.programs, self.forms, self.streams, self.traced):
                kept.clear()
            self.reason = None

    def forms_with_reason(self):
        """Why signatures that differ in nothing but sizes are recorded one by one: (text, where) of each such form."""
        return [(<Form>form).reason for form in list(self.forms.values()) if (<Form>form).reason is not None]

    def reason_for(self, token):
        """Why the call that ``token`` stands for, or any call, stays Python: (text, where), or None."""
        cdef Program program = self.programs.get(token[0])
        return self.reason if program is None else program.reason

    def program_of(self, token):
        """The program of the signature that ``token`` stands for, or None."""
        program = self.programs.get(token[0])
        if program is not None:
            self.bring_up_to_date(program)
        return program

    def find(self, tuple args not None, dict kwargs not None):
        """What a recording gives for these arguments, or MISS."""
        cdef ThreadState state
        cdef list leaves
        cdef int observed_by
        cdef Program program
        if self.reason is not None or not self.programs:
            return MISS
        state = current_state()
        observed_by = observers_of_call(state)
        if observed_by == OTHERS:
            return MISS
        leaves = []
        try:
            key = signature_of(args, kwargs, observed_by & TAPES, leaves, None)
        except (Unfit, TypeError):
            return MISS
        if state.elsewhere and leaves:
            state.report_elsewhere((<PyListObject*>leaves).ob_item, <int>len(leaves))
        program = self.programs.get(key)
        if program is None or not is_recorded(program):
            return MISS
        return self.run_program(program, leaves, state, observed_by)

    cdef object run_program(self, Program program, list leaves, ThreadState state, int observed_by):
        """What the program gives for these tensors, or MISS."""
        self.calls += 1
        program.last_used = self.calls
        self.bring_up_to_date(program)
        if program.quickly_compiled:
            program.compile()
        elif program.code is None and program.origin is not None and not program.taped:
            program.compile_quickly()
        if program.code is None:
            program.compile()
            if program.code is None:
                return MISS
        if observed_by & WATCHERS and not program.report_variables(state):
            return MISS
        return program.run_taped(leaves, state) if observed_by & TAPES else program.run(leaves, state)

    cdef int count(self, tuple key) except -1:
        """Note that TensorFlow would have a trace for such a call."""
        if key not in self.traced and len(self.traced) < 4 * MOST_SIGNATURES:
            self.traced[key] = False
        return 0

    def begin(self, tuple args not None, dict kwargs not None, rename, label, bint counts=True, bint opens=True):
        """A Recorder for a call, with the arguments for it; None if the call is not recorded.

        With ``opens=False`` no sizes are open in this call.

        A call that ``counts`` is one for which TensorFlow would trace the function. The tensors among the arguments
        get new identities, by ``rename(args, kwargs, taped)``: so the recorder can tell them from the same tensors
        that the function has from elsewhere. ``label(args, kwargs)`` says what they are.

        While another thread is in a first call, this one waits: what a first call makes once, such as variables, is
        not made twice. If there is a recording then, the result is ``(None, what it gives)``. After each call that
        was recorded, or failed, `abandon` lets others in.
        """
        cdef list leaves = [], objects = []
        cdef int observed_by = observers_of_call(current_state())
        cdef bint taped = observed_by & TAPES
        cdef Program program
        cdef Recorder recorder
        if open_batches and current_state().batch is not None and counts:
            # Nothing is recorded here: what says so otherwise takes microseconds.
            try:
                self.count(counted(signature_of(args, kwargs, False, None, objects), objects))
                self.unfit = "an argument is a batch"
                return None
            except (Unfit, TypeError):
                objects.clear()
        try:
            key = signature_of(args, kwargs, taped, leaves, objects)
        except (Unfit, TypeError) as error:
            self.unfit = str(error)
            if counts:
                # Known by what people are told of it; of a method, by the instance too.
                text = label(args, kwargs)
                if args and not isinstance(args[0], Tensor) and not hasattr(args[0], "element_spec"):
                    self.count(((type(args[0]), id(args[0])), text))
                else:
                    self.count((text,))
            return None
        if counts:
            self.count(counted(key, objects))
        if self.reason is not None or observed_by == OTHERS:
            return None
        program = self.programs.get(key)
        if program is not None and (program.reason is not None or observed_by & EXACT and is_recorded(program)):
            return None             # nothing is to be recorded, or not with these observers
        if program is None:
            program = self.program_of_form(key, objects, label, args, kwargs)
            if program is not None:
                result = self.run_program(program, leaves, current_state(), observed_by)
                if result is not MISS:
                    return None, result
        if program is None and len(self.programs) >= MOST_SIGNATURES and not self.drop_programs():
            return None
        if program is None and self.waited(key, objects):
            result = self.find(args, kwargs)
            if result is not MISS:
                return None, result
            program = self.programs.get(key)
            if program is not None and program.reason is not None:
                return None
        try:
            args, kwargs = rename(args, kwargs, taped)
        except BaseException:
            self.abandon((key, objects))
            raise
        renamed = []
        if signature_of(args, kwargs, taped, renamed, []) != key:
            self.abandon((key, objects))
            self.unfit = "an argument cannot be made anew of its tensors"
            return None
        recorder = Recorder(renamed, taped)
        if opens:
            self.open(recorder, key, program, args, kwargs)
        if not taped and recorder.opening is None:
            recorder.listener = Intermediates(renamed)
        if program is None:
            first_call = self.first.get(instance_of(key, objects))
            if first_call is not None:
                recorder.no_variables = MADE_ONCE if first_call[0] else MADE_LATE
        return recorder, args, kwargs, (key, objects, leaves)

    def enter_first(self, tuple args not None, dict kwargs not None):
        """Let the first call of a function make variables, though it becomes part of a recording where none may be made.

        Returns what `leave_first` gets when the call has ended; None where it is not the first, or where the function
        that is recorded has made its variables and begun anew.
        """
        cdef Recorder recorder
        cdef list objects = []
        if type(current_state().recorder) is not Recorder:
            return None
        recorder = current_state().recorder
        if recorder.made_before:
            return None
        try:
            instance = instance_of(signature_of(args, kwargs, False, [], objects), objects)
        except (Unfit, TypeError):
            return None
        if instance in self.first:
            return None
        before, recorder.no_variables = recorder.no_variables, None
        return recorder, before, instance, objects

    def is_for_tapes(self):
        """Whether a tape records what happens now, or what is recorded now will be replayed under one."""
        cdef ThreadState state = current_state()
        return is_recording() or type(state.recorder) is Recorder and (<Recorder>state.recorder).taped

    def leave_first(self, bint failed, Recorder recorder not None, before, instance, list objects not None):
        """The call has ended for which `enter_first` gave these. If it has failed, the next one is the first."""
        recorder.no_variables = before
        if not failed:
            self.note_first(instance, objects, recorder.made_variables)

    cdef bint waited(self, tuple key, list objects) except -1:
        """Wait while other threads are in first calls. Whether one of them has recorded; if not, this call is first."""
        first = place_and(key, instance_of(key, objects))
        # The other thread may itself wait for this one, so the wait has an end.
        until = time.monotonic() + LONGEST_WAIT
        while key not in self.programs:
            if self.beginning.setdefault(first, get_ident()) == get_ident() or time.monotonic() > until:
                return False
            time.sleep(0.0005)
        return True

    def abandon(self, tuple token not None):
        """The call that ``token`` stands for has come to its end, with or without a recording."""
        first = place_and(token[0], instance_of(token[0], token[1]))
        if self.beginning.get(first) == get_ident():
            del self.beginning[first]

    def why_unfit(self, tuple args not None, dict kwargs not None):
        """Why nothing is recorded for these arguments, or None."""
        try:
            signature_of(args, kwargs, False, [], [])
        except (Unfit, TypeError) as error:
            return str(error)
        return None

    def streams_of(self, tuple args not None, dict kwargs not None, bint taped):
        """The streams from which the draws of a call draw that runs as Python, or is recorded."""
        try:
            key = signature_of(args, kwargs, taped, [], [])
        except (Unfit, TypeError):
            key = None
        return self.streams_for(key)

    cdef object streams_for(self, key):
        if self.unknown_axes is not None and key is not None:
            key = key[:2] if len(key) > 1 and isinstance(key[1][0], type) else key[:1]
        with self.lock:
            if key not in self.streams:
                if len(self.streams) >= 4 * MOST_SIGNATURES:
                    self.streams.clear()
                self.streams[key] = callbacks().new_streams()
            return self.streams[key]

    def end(self, Recorder recorder not None, tuple token not None, list results, template, label):
        """Keep what was recorded. ``results`` is None if the result cannot be recorded, and ``template`` says why."""
        cdef Program program
        cdef Path path
        key, objects, _ = token
        instance = instance_of(key, objects)
        made_variables = recorder.made_variables or recorder.made_before
        if instance not in self.first:
            self.note_first(instance, objects, made_variables)
        counts = counted(key, objects)
        if made_variables and counts in self.traced:
            self.traced[counts] = True
        if recorder.made_variables:
            return              # as TensorFlow does: the recording that counts is of a call that makes no variables
        if recorder.opening is not None:
            self.end_open(recorder, key, objects, results, template, label)
            return
        program = self.programs.get(key)
        if program is None:
            program = Program(recorder.taped, label, self.streams_for(key), self.name, self.lock)
            program.watched = self.watch(key, objects)
            self.programs[key] = program
        if program.reason is not None:
            return
        if recorder.reason is None and results is None:
            recorder.refuse(template)
        if recorder.reason is not None:
            program.refuse(recorder.reason)
            return
        path = recorder.finish(results, template)
        if path is None:
            program.refuse(recorder.reason)
            return
        with self.lock:
            try:
                program.add(path)
                self.recorded += 1
            except Refusal as error:
                program.refuse((str(error), None))
            except BaseException:
                program.refuse(("the recording was interrupted", None))
                raise

    # Open sizes

    cdef Program program_of_form(self, tuple key, list objects, label, args, kwargs):
        """A program for these sizes, of a recording for open ones; None where there is none."""
        cdef list shapes = []
        cdef Form form = self.forms.get(form_of(key, shapes))
        cdef OpenRecording recording
        cdef Program program
        if form is None:
            return None
        for recording in form.recordings:
            sizes = recording.sizes_of(shapes)
            if sizes is not None:
                if len(self.programs) >= MOST_SIGNATURES and not self.drop_programs():
                    return None
                return self.program_with(recording, sizes, key, objects, label(args, kwargs))
        return None

    cdef Program program_with(self, OpenRecording recording, dict sizes, tuple key, list objects, label):
        cdef Program program = Program(recording.tree.taped, label, self.streams_for(key), self.name, self.lock)
        program.origin, program.sizes = recording, sizes
        program.watched = self.watch(key, objects)
        self.programs[key] = program
        return program

    cdef int bring_up_to_date(self, Program program) except -1:
        """Let a program of a recording for open sizes have all paths that were recorded, as it is to run."""
        cdef OpenRecording recording = program.origin
        if recording is None or program.reason is not None or program.version == recording.version:
            return 0
        hold()
        try:
            with self.lock:
                program.version = recording.version
                program.follow(recording.tree, recording.path_for(program.sizes))
        finally:
            release()
        return 0

    cdef int open(self, Recorder recorder, tuple key, Program program, tuple args, dict kwargs) except -1:
        """Let the recorder record for open sizes, if a spec says so or this form of arguments has come with others."""
        cdef list shapes = []
        cdef tuple name = form_of(key, shapes)
        cdef Form form = self.forms.get(name)
        cdef OpenRecording recording = None
        cdef bint names = program is not None and misses_a_size(program.missed)
        if program is not None:
            recording = program.origin
            if recording is None and not names:
                return 0
        if form is None:
            if not shapes and not names:
                return 0
            form = Form.__new__(Form)
            form.shapes, form.key, form.recordings = shapes, key, []
            form.axes = {} if self.unknown_axes is None else self.unknown_axes(args, kwargs)
            self.forms[name] = form
        elif recording is None and (form.reason is not None or not self.may_open(form)):
            return 0
        if recording is None and names:
            for other in form.recordings:
                if (<OpenRecording>other).sizes_of(shapes) is not None:
                    recording = other
        if recording is not None:
            axes = recording.axes
        else:
            axes = changed_axes(form.shapes, shapes)
            if axes is None:
                return 0
            for number, changed in form.axes.items():
                axes[number] = sorted({*changed, *axes.get(number, ())})
            if not axes and not names or any([
                    shapes[number][axis] < LEAST_OPEN for number, changed in axes.items() for axis in changed]):
                return 0
            form.axes = axes
        recorder.opens = (form, recording, shapes)
        recorder.streams = self.streams_for(key)
        recorder.open_sizes(axes)
        if names or program is not None and recording is not None and recording.names:
            recorder.opening.least_named = LEAST_OPEN
        return 0

    def close(self, Recorder recorder not None):
        """The call that ``recorder`` began cannot be recorded for open sizes. Such calls are for each size from now on."""
        with self.lock:
            self.close_form(recorder.opens[0], recorder.reason)

    cdef bint may_open(self, Form form) except -1:
        """Whether the first recording of this form lets hope for one for all sizes."""
        cdef Program program = self.programs.get(form.key)
        cdef Step step
        if len(form.recordings) >= MOST_OPEN:
            form.reason = (f"it decides by sizes: {MOST_OPEN} recordings for open sizes did not suffice", None)
            return False
        if program is None or not is_recorded(program):
            return False
        self.bring_up_to_date(program)
        for path in program.paths():
            for step in path.steps:
                if lasts(step.effect, step.detail):
                    form.reason = (f"it calls {step.op.type}, which cannot be undone", step.where)
                    return False
        return True

    cdef int end_open(self, Recorder recorder, tuple key, list objects, list results, template, label) except -1:
        """Keep what was recorded for open sizes."""
        cdef Form form
        cdef OpenRecording recording
        cdef Path path = None
        cdef dict sizes
        form, recording, shapes = recorder.opens
        if recorder.reason is None and results is None:
            recorder.refuse(template)
        if recorder.reason is None:
            path = recorder.finish(results, template)
        with self.lock:
            try:
                if path is None:
                    raise Refusal()
                if recording is None:
                    recording = OpenRecording(
                        Program(recorder.taped, label, None, self.name, self.lock), form.axes, shapes)
                    recording.add(path, recorder.opening)
                    form.recordings.append(recording)
                    form.watched = self.watch_form(form, objects)
                else:
                    recording.add(path, recorder.opening)
                recording.names = recording.names or recorder.opening.least_named
                if recording.tree.reason is not None:
                    raise Refusal(recording.tree.reason[0])
                self.recorded += 1
            except (Refusal, ValueError) as error:      # two paths may have sizes that cannot be compared
                self.close_form(form, recorder.reason or (str(error), None))
                return 0
        sizes = recording.sizes_of(shapes)
        if sizes is None:
            self.close_form(form, ("a guard of a size is false for the sizes that it was recorded for", None))
        elif key not in self.programs or (<Program>self.programs[key]).origin is None:
            self.program_with(recording, sizes, key, objects, label)
        return 0

    cdef int close_form(self, Form form, reason) except -1:
        """From now on each size has a recording of its own."""
        cdef Program program
        form.reason = reason
        for key, program in list(self.programs.items()):
            if program.origin is not None and program.origin in form.recordings:
                del self.programs[key]
        form.recordings.clear()
        return 0

    cdef list watch_form(self, Form form, list objects):
        """References to the objects among the arguments. When one is gone, so is the form."""
        forms = self.forms
        names = [name for name, known in forms.items() if known is form]

        def forget(reference):
            for name in names:
                forms.pop(name, None)

        return references_to(objects, forget)

    cdef bint drop_programs(self) except -1:
        """Let go of the programs that were used longest ago. False if hardly any is ever used again: then nothing is recorded."""
        cdef Program program
        cdef long replays = 0, limit
        cdef list uses = []
        with self.lock:
            for program in self.programs.values():
                uses.append(program.last_used)
            uses.sort()
            limit = uses[len(uses) // 4]
            oldest = []
            for key, program in self.programs.items():
                if program.last_used <= limit:
                    oldest.append(key)
                    replays += program.replays
            if replays == 0:
                self.reason = (f"it was called with more than {MOST_SIGNATURES} signatures", None)
                self.programs.clear()
                self.forms.clear()
                return False
            for key in oldest:
                del self.programs[key]
            if len(self.forms) > 4 * MOST_SIGNATURES:
                self.forms.clear()
        return True

    cdef int note_first(self, instance, list objects, bint made_variables) except -1:
        """A first call has come to its end: of the method of an instance, or of the function, where that is 0."""
        first = self.first
        watched = None
        if instance:
            try:
                watched = weakref.ref(objects[0], lambda reference: first.pop(instance, None))
            except TypeError:
                watched = objects[0]
        first[instance] = (made_variables, watched)
        return 0

    cdef list watch(self, key, list objects):
        """References to the objects that a key knows by their addresses. When one is gone, so is the program."""
        programs, streams = self.programs, self.streams

        def forget(reference):
            programs.pop(key, None)
            streams.pop(key, None)

        return references_to(objects, forget)


cdef bint misses_a_size(Step step) except -1:
    """Whether a replay ended at a step that has other shapes, or whose number is another one that is taken for a size."""
    from tapegrad.core.abstract import KEEPS_SIZES
    return step is not None and (step.shapes is not None or step.kind == GUARD and step.detail in KEEPS_SIZES)


cdef list references_to(list objects, forget):
    """Weak references to the objects, which call ``forget``; the object itself where there can be none."""
    cdef list references = []
    for value in objects:
        try:
            references.append(weakref.ref(value, forget))
        except TypeError:
            references.append(value)
    return references


cdef tuple counted(tuple key, list objects):
    """The key without the observers, and with dtype and shape for variables: TensorFlow knows them by these."""
    cdef dict variables = {}
    for value in objects:
        if isinstance(value, VariableBase):
            # The same variable twice is another trace.
            variables[id(value)] = ("variable", len(variables), value.dtype, value.shape)
    return described(key[1:], variables) if variables else key[1:]


cdef object described(object key, dict variables):
    if type(key) is not tuple:
        return key
    if len(key) == 2 and isinstance(key[0], type) and type(key[1]) is int and key[1] in variables:
        return variables[key[1]]
    return tuple([described(part, variables) for part in key])


cdef object instance_of(tuple key, list objects):
    """The address of the first argument, if that is an object: the instance whose method is called. Else 0."""
    cdef object first = key[1] if len(key) > 1 else None
    if objects and type(first) is tuple and len(first) == 2 and first[1] == id(objects[0]):
        return id(objects[0])
    return 0


cdef tuple place_and(tuple key, instance):
    """Where the thread of a call stands, with the instance: replicas have first calls of their own."""
    return (key[0][1] if type(key[0]) is tuple else None, instance)


cdef bint placed = False    # whether a thread has ever stood at a place
place = threading.local()


def stand_at(where):
    """Say where this thread stands, any object that can be compared; None is nowhere.

    A recording belongs to its place: copies of variables, for one, differ from replica to replica.
    """
    global placed
    if where is not None:
        placed = True
    place.where = where


cdef object at_place(bint taped):
    where = getattr(place, "where", None)
    return taped if where is None else (taped, where)


cdef tuple signature_of(tuple args, dict kwargs, bint taped, list leaves, list objects):
    cdef list parts = [at_place(taped) if placed else taped]
    if objects is None:
        objects = []
    for value in args:
        parts.append(part_key(value, leaves, objects))
    if kwargs:
        for name, value in kwargs.items():
            parts.append((name, part_key(value, leaves, objects)))
    return tuple(parts)
