"""Joins a convolution with zeros around its input, and with the steps that follow it: bias, normalisation, activation, sum.

A compiler pass, run by `core.compiling`. The engine does what follows to each piece of the convolution's result while that
piece is in cache (`engines/numpy/epilogues.h`), so the results between are never written to memory:

    recorded                                              joined
    c = conv2d(x, filter)                                 y = conv2d(x, filter), bias, normalised, relu, + x
    b = bias_add(c, bias)
    n = batch_normalization(b, mean, variance, ...)
    r = relu(n)
    y = r + x

A step follows where nothing but it reads the result before it, and where it has a stage:

1. a sum or a product with a number for each channel, or a bias;
2. a normalisation whose four vectors have a number for each channel;
3. a function of each element that has an inner loop;
4. a sum with a tensor of the same shape, at most one, that was there before the convolution's chain came to it.

Where the input is another tensor with zeros around it, and nothing else reads it, the convolution reads that tensor and
takes the zeros for its own padding.

The joined step stands where the last of its steps stood. Its stages compute what the ops compute, in the same order, so
the bits are those of eager code.
"""

cimport cython
cimport numpy as cnp
from cpython.ref cimport Py_INCREF, PyObject

import numpy as np

from tapegrad.core.steps cimport (
    BINARY, JOINED, NO_EFFECT, OP, UNARY, Path, Step, clear, element_count, slots_read_by, type_and_shape, value_at)
from tapegrad.core.tensor cimport EagerTensor, wrap
from tapegrad.engines.numpy import copies
from tapegrad.engines.numpy.conv_lanes cimport run_with_epilogue, takes_epilogue
from tapegrad.engines.numpy.epilogues cimport (
    ADD_CHANNELS, ADD_ELEMENTS, APPLY, MOST_STAGES, MULTIPLY_CHANNELS, NORMALIZE, Epilogue, new_epilogue)
from tapegrad.engines.numpy.norms import normalization
from tapegrad.engines.numpy.resampling import bias_add

cnp.import_array()

cdef enum:
    MOST_OPERANDS = 4 * MOST_STAGES + 2


@cython.final
cdef class Joined:
    def parts(self):
        return self.steps

    def describe(self):
        """For people: what is done at once."""
        return " and ".join([", ".join([step.name for step in self.steps[:len(self.steps) - 1]]),
                             self.steps[len(self.steps) - 1].name])


cdef list join_convolutions(Path path, list steps, set escaping):
    cdef Joiner joiner
    cdef Step step
    cdef int i
    for step in steps:
        if step.kind == OP and takes_epilogue(step.op.lane):
            break
    else:
        return steps
    joiner = Joiner(path, steps, escaping)
    for i in range(len(steps)):
        joiner.try_to_join(i)
    return [step for step in joiner.steps if step is not None]


cdef bint is_pure(Step step) noexcept:
    """Whether all that a step does is to fill one slot."""
    return (step.effect == NO_EFFECT and step.results == 1 and step.targets[0] >= 0 and step.nested is None
            and step.other_paths is None and step.guard_key() is None)


cdef bint may_be_stage(Step step) noexcept:
    if step.kind == UNARY:
        return step.op.loops is not None and step.op.loops.even
    return step.kind == OP and (step.op.lane is bias_add or step.op.lane is normalization)


cdef class Joiner:
    """Goes through the steps in their order, and puts one step in the place of a convolution and its followers."""

    cdef Path path
    cdef list steps             # None for those that have become part of a later one
    cdef set escaping
    cdef dict producer          # slot -> number of the step that fills it
    cdef dict readers           # slot -> numbers of the steps that read it

    def __init__(self, Path path, list steps, set escaping):
        cdef Step step
        cdef int i, k
        self.path = path
        self.steps = list(steps)
        self.escaping = escaping
        self.producer = {}
        self.readers = {}
        for i, step in enumerate(steps):
            for place in slots_read_by(step):
                self.readers.setdefault(place, set()).add(i)
            for k in range(step.results):
                self.producer[step.targets[k]] = i

    cdef int try_to_join(self, int i) except -1:
        cdef Step step = self.steps[i], follower, padding
        cdef list followers = [], stages = []
        cdef object info
        cdef int number = i
        if (step is None or step.kind != OP or not takes_epilogue(step.op.lane) or not is_pure(step) or step.count != 2
                or str(step.attributes[3]).startswith("NC")):
            return 0
        info = type_and_shape(self.path, step.targets[0])
        if info is None or info[0] not in (cnp.NPY_FLOAT, cnp.NPY_DOUBLE):
            return 0
        while len(stages) < MOST_STAGES:
            place = step.targets[0]
            if place in self.escaping or len(self.readers.get(place, ())) != 1:
                break
            (following,) = self.readers[place]
            follower = self.steps[following]
            kind = self.stage_of(follower, place, info, number)
            if kind is None or kind == ADD_ELEMENTS and ADD_ELEMENTS in stages:
                break
            stages.append(kind)
            followers.append(follower)
            step, number = follower, following
        padding = self.padding_before(i)
        if stages or padding is not None:
            self.put(padding, self.steps[i], followers, stages, number, info)
        return 0

    cdef Step padding_before(self, int i):
        """The step that puts zeros around the input of the convolution number ``i``, and does nothing else; or None."""
        cdef int place = (<Step>self.steps[i]).places[0]
        cdef Step step
        if place not in self.producer or place in self.escaping or len(self.readers[place]) != 1:
            return None
        step = self.steps[self.producer[place]]
        if step is None or step.kind != OP or step.op.lane is not copies.pad or step.count != 1 or not is_pure(step):
            return None
        paddings = step.attributes[0]
        return step if len(paddings) > 2 and paddings[0] == paddings[len(paddings) - 1] == (0, 0) else None

    cdef object stage_of(self, Step step, int place, tuple info, int number):
        """The kind of stage that does what the step does to the slot ``place``; None if there is none.

        ``number`` is that of the step that fills the slot.
        """
        cdef int other, i
        if not is_pure(step) or type_and_shape(self.path, step.targets[0]) != info:
            return None
        if step.kind == UNARY:
            return <int>APPLY if step.op.loops is not None and step.op.loops.even else None
        if step.kind == BINARY and step.op.loops is not None:
            if step.places[0] == step.places[1]:
                return None
            other = step.places[1] if step.places[0] == place else step.places[0]
            if step.op.loops.ufunc is np.add:
                if type_and_shape(self.path, other) == info:
                    return <int>ADD_ELEMENTS if other < 0 or self.producer.get(other, -1) < number else None
                return <int>ADD_CHANNELS if self.is_vector(other, info) else None
            if step.op.loops.ufunc is np.multiply:
                return <int>MULTIPLY_CHANNELS if self.is_vector(other, info) else None
            return None
        if step.kind != OP or step.places[0] != place:
            return None
        if step.op.lane is bias_add and step.attributes[0] == "NHWC":
            return <int>ADD_CHANNELS if self.is_vector(step.places[1], info) else None
        if step.op.lane is normalization:
            for i in range(1, step.count):
                if not self.is_vector(step.places[i], info):
                    return None
            return <int>NORMALIZE
        return None

    cdef bint is_vector(self, int place, tuple info) except -1:
        """Whether a place has one number for each channel of a result."""
        cdef tuple own = type_and_shape(self.path, place)
        return (own is not None and own[0] == info[0] and len(own[1]) > 0 and own[1][len(own[1]) - 1] == self.last(info)
                and element_count(own[1]) == self.last(info))

    cdef Py_ssize_t last(self, tuple info) except -1:
        return info[1][len(info[1]) - 1]

    cdef int put(self, Step padding, Step first, list followers, list stages, int last, tuple info) except -1:
        """Put one step in the place of all that are joined, where number ``last`` stood."""
        cdef Step whole = Step.__new__(Step), before = first, follower
        cdef Joined detail = Joined.__new__(Joined)
        cdef list places = [first.places[0], first.places[1]]
        cdef int i, k
        detail.steps = [first, *followers]
        detail.stages = []
        detail.channels = self.last(info)
        if padding is not None:
            detail.steps.insert(0, padding)
            detail.paddings = padding.attributes[0]
            places[0] = padding.places[0]
        for kind, follower in zip(stages, followers, strict=True):
            detail.stages.append((follower, kind, len(places)))
            places += [place for place in follower.operands if place != before.targets[0]]
            before = follower
        whole.kind = JOINED
        whole.op = first.op
        whole.attributes = first.attributes
        whole.detail = detail
        whole.where = first.where
        whole.safe = all([(<Step>part).safe for part in detail.steps])
        whole.reserve(<int>len(places), 1)
        for k in range(len(places)):
            whole.places[k] = places[k]
        whole.targets[0] = before.targets[0]
        for part in detail.steps:
            i = self.producer[(<Step>part).targets[0]]
            for place in slots_read_by(part):
                self.readers[place].discard(i)
            self.steps[i] = None
        self.steps[last] = whole
        for place in slots_read_by(whole):
            self.readers[place].add(last)
        return 0


# --- In a replay --------------------------------------------------------------------------------------

cdef bint run_joined(Step step, Path path, PyObject** slots) except -1:
    cdef Joined joined = <Joined>step.detail
    cdef PyObject* arrays[MOST_OPERANDS]
    cdef Epilogue epilogue
    cdef Step follower
    cdef bint fits = True
    cdef int kind, first, i
    cdef object result
    for i in range(step.count):
        arrays[i] = <PyObject*>(<EagerTensor>value_at(path, slots, step.places[i])).array
    epilogue = new_epilogue(cnp.PyArray_TYPE(<cnp.ndarray>arrays[0]), joined.channels)
    for i in range(len(joined.stages)):
        follower, kind, first = joined.stages[i]
        if kind == APPLY:
            fits = epilogue.add_loop(follower.loop)
        elif kind == ADD_ELEMENTS:
            fits = epilogue.add_elements(<cnp.ndarray>arrays[first])
        elif kind == NORMALIZE:
            fits = epilogue.add_normalization(
                <cnp.ndarray>arrays[first], <cnp.ndarray>arrays[first + 1], <cnp.ndarray>arrays[first + 2],
                <cnp.ndarray>arrays[first + 3], follower.attributes[0])
        else:
            fits = epilogue.add_channels(kind, <cnp.ndarray>arrays[first])
        if not fits:
            return False
    result = run_with_epilogue(step.op.lane, arrays, step.attributes, epilogue, joined.paddings)
    if result is None:
        return False
    tensor = wrap(result)
    Py_INCREF(tensor)
    clear(slots[step.targets[0]])
    slots[step.targets[0]] = <PyObject*>tensor
    return True
