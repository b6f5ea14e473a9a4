"""Fuses products of matrices, and fast forms of rules, with the addition of their result.

A compiler pass, run by `core.compiling`. `Adder` looks at each addition, and at each update of a variable:

    recorded                    fused                           BLAS
    p = matmul(a, b)            s2 = s + matmul(a, b)           gemm with beta=1, on the memory of s
    s2 = s + p

    p = matmul(a, b)            v -= rate * matmul(a, b)        gemm with beta=1, on the memory of the variable
    q = rate * p
    v.assign_sub(q)

The gradient of a matrix that is used several times is such a sum. The fused step gives the same bits, or steps are not
fused (`adds_exactly`). In an update the rate multiplies sums that are not rounded yet: the new value is that of eager
code with one rounding less, and so may differ in its last bit.

A rule's fast form that adds (`core.rules.adding`) does so here as it does in a walk, with the same bits.
"""

cimport cython
cimport numpy as cnp
from cpython.ref cimport Py_INCREF, PyObject

import numpy as np

from tapegrad.core.steps cimport (
    ADD, BINARY, NO_EFFECT, OP, PRODUCT, RULE, SUBTRACT, WRITES, Path, Step, clear, element_count, slots_read_by,
    type_and_shape, value_at)
from tapegrad.core.fast_forms cimport run_adding_form, run_fast_form
from tapegrad.core.plans cimport MAX_ASKS, Call
from tapegrad.core.tensor cimport EagerTensor, shape_tuple, wrap
from tapegrad.core.variable cimport VariableBase
from tapegrad.engines.numpy.buffers cimport solely_held
from tapegrad.engines.numpy.copies cimport copied
from tapegrad.engines.numpy.products cimport add_product, adds_exactly, is_matrix_lane, may_add

cnp.import_array()

cdef extern from "Python.h":
    Py_ssize_t Py_REFCNT(PyObject* o)
    object PyObject_Vectorcall(object, PyObject**, size_t, PyObject*)

cdef enum:
    LEAST_ADDED = 4096          # elements of a sum from which the pass that is saved can be measured
    LEAST_WRITTEN = 8192        # and of a variable
    NEAR = 8                    # steps by which a product may move down, however large its operands are


@cython.final
cdef class Addition:
    def parts(self):
        return [self.product]

    def describe(self):
        """For people: what is done at once."""
        if self.product.kind == RULE:
            return f"{self.product.name}, added to another"
        if self.variable is None:
            return f"{self.product.op.type}, added to another"
        what = f"{self.product.op.type}, times a number," if self.scaled else f"{self.product.op.type}"
        return f"{what} {'subtracted from' if self.subtract else 'added to'} a variable"


cdef object update_of(Path path, Step step):
    cdef VariableBase variable
    cdef tuple info = type_and_shape(path, step.places[0])
    if (step.speculative or not isinstance(step.detail, VariableBase) or info is None
            or info[0] not in (cnp.NPY_FLOAT, cnp.NPY_DOUBLE)):
        return None
    variable = <VariableBase>step.detail
    if variable.snapshot is None or not isinstance(variable.snapshot.array, cnp.ndarray):
        return None
    if cnp.PyArray_TYPE(<cnp.ndarray>variable.snapshot.array) != info[0] or shape_tuple(variable.snapshot.array) != info[1]:
        return None
    return <int>step.kind


cdef list add_products(Path path, list steps, set escaping):
    cdef Adder adder = Adder(path, steps, escaping)
    cdef int i
    for i in range(len(steps)):
        adder.try_to_merge(i)
    return [step for step in adder.steps if step is not None]


cdef bint is_fast_form(Step step) noexcept:
    """Whether the step calls the fast form of a rule, whose results are arrays of their own."""
    return step.kind == RULE and step.safe and step.effect == NO_EFFECT and (<Call>step.detail).fast is not None


cdef class Adder:
    """Goes through the steps in their order, and puts one step in the place of a product and of its addition."""

    cdef Path path
    cdef list steps             # None for those that have become part of a later one
    cdef set escaping
    cdef dict producer          # slot -> number of the step that fills it
    cdef dict readers           # slot -> numbers of the steps that read it
    cdef set reused             # slots whose memory a sum was written to

    def __init__(self, Path path, list steps, set escaping):
        cdef Step step
        cdef int i, k
        self.path = path
        self.steps = list(steps)
        self.escaping = escaping
        self.producer = {}
        self.readers = {}
        self.reused = set()
        for i, step in enumerate(steps):
            for place in slots_read_by(step):
                self.readers.setdefault(place, set()).add(i)
            for k in range(step.results):
                self.producer[step.targets[k]] = i

    cdef Step product_for(self, int place, int reader):
        """The product in a slot that only the step ``reader`` reads, if it can be computed by that step; else None."""
        cdef Step step
        cdef int i
        if place < 0 or place in self.escaping or place not in self.producer or self.readers[place] != {reader}:
            return None
        step = self.steps[self.producer[place]]
        if (step is None or step.kind != OP or not step.safe or step.effect != NO_EFFECT or step.other_paths is not None
                or not is_matrix_lane(step.op.lane) or step.results != 1 or step.count != 2):
            return None
        for i in range(2):
            if type_and_shape(self.path, step.places[i]) is None or step.places[i] in self.reused:
                return None
        return step

    cdef tuple shape_of(self, Step product):
        """m, n, k and the two flags of a product."""
        cdef bint first = product.attributes[0] is True, second = product.attributes[1] is True
        cdef tuple a = type_and_shape(self.path, product.places[0])[1], b = type_and_shape(self.path, product.places[1])[1]
        return (a[1 if first else 0], b[0 if second else 1], a[0 if first else 1], first, second)

    cdef bint may_wait(self, Step product, int until) except -1:
        """Whether the operands may be kept until then: they are not larger than the product, or it is only a few steps."""
        cdef tuple shape = self.shape_of(product)
        return (until - <int>self.producer[product.targets[0]] <= NEAR
                or shape[2] * (shape[0] + shape[1]) <= shape[0] * shape[1])

    cdef int try_to_merge(self, int i) except -1:
        cdef Step step = self.steps[i]
        if step.kind == BINARY and step.op.loops is not None and step.op.loops.ufunc is np.add:
            if not self.add_to_sum(i, step, step.places[1], step.places[0]) and not self.add_to_sum(
                    i, step, step.places[0], step.places[1]) and not self.add_by_fast_form(
                    i, step, step.places[1], step.places[0]):
                self.add_by_fast_form(i, step, step.places[0], step.places[1])
        elif (step.kind == ADD or step.kind == SUBTRACT) and update_of(self.path, step) is not None:
            self.add_to_variable(i, step)
        return 0

    cdef bint add_by_fast_form(self, int i, Step step, int place, int into) except -1:
        """Have a fast form add to the result of another one, where no other step reads either of the two."""
        cdef tuple info = type_and_shape(self.path, step.targets[0])
        cdef Step form, before
        if (place < 0 or into < 0 or place == into or place in self.escaping or into in self.escaping
                or place not in self.producer or into not in self.producer or self.readers[place] != {i}
                or max(self.readers[into]) != i or i - <int>self.producer[place] > NEAR
                or type_and_shape(self.path, into) != info or type_and_shape(self.path, place) != info):
            return False
        form, before = self.steps[self.producer[place]], self.steps[self.producer[into]]
        if (form is None or before is None or not is_fast_form(form) or (<Call>form.detail).add is None or form.results != 1
                or form.other_paths is not None or not is_fast_form(before) or element_count(info[1]) < LEAST_ADDED):
            return False
        for other in slots_read_by(form):
            if other == into or other in self.reused:
                return False
        self.merge(i, step, form, into)
        self.reused.add(into)
        return True

    cdef bint add_to_sum(self, int i, Step step, int place, int into) except -1:
        cdef Step product = self.product_for(place, i), before
        cdef tuple info = type_and_shape(self.path, step.targets[0])
        if product is None or into < 0 or into == place or into in self.escaping or into not in self.producer:
            return False
        before = self.steps[self.producer[into]]
        if (before is None or self.producer[into] > self.producer[place] or max(self.readers[into]) != i
                or not (before.kind == OP and is_matrix_lane(before.op.lane)
                        or before.kind == PRODUCT and before.effect == NO_EFFECT)):
            return False
        if into in (product.places[0], product.places[1]) or not self.may_wait(product, i):
            return False
        if type_and_shape(self.path, into) != info or type_and_shape(self.path, place) != info:
            return False
        m, n, k, transpose_a, transpose_b = self.shape_of(product)
        if m * n < LEAST_ADDED or not adds_exactly(info[0], m, n, k, transpose_a, transpose_b):
            return False
        self.merge(i, step, product, into)
        self.reused.add(into)
        return True

    cdef bint add_to_variable(self, int i, Step step) except -1:
        cdef Step product = self.product_for(step.places[0], i), scaling, merged
        cdef tuple shape
        cdef int scale = 0, number = -1, j
        cdef bint scaled = False
        if product is None:
            # A number times a product.
            if step.places[0] < 0 or step.places[0] in self.escaping or step.places[0] not in self.producer:
                return False
            number = self.producer[step.places[0]]
            scaling = self.steps[number]
            if (scaling is None or scaling.kind != BINARY or scaling.op.loops is None
                    or scaling.op.loops.ufunc is not np.multiply or self.readers[step.places[0]] != {i}):
                return False
            for j in range(2):
                product = self.product_for(scaling.places[j], number)
                scale = scaling.places[1 - j]
                if product is not None and (
                        type_and_shape(self.path, scale) == (type_and_shape(self.path, step.places[0])[0], ())):
                    break
            else:
                return False
            scaled = True
        shape = self.shape_of(product)
        if (shape[0] * shape[1] < LEAST_WRITTEN or not self.may_wait(product, i)
                or type_and_shape(self.path, product.targets[0]) != type_and_shape(self.path, step.places[0])
                or not may_add(type_and_shape(self.path, step.places[0])[0], shape[0], shape[1], shape[2])):
            return False
        if scaled:
            self.steps[number] = None
            if scale >= 0:
                self.readers[scale].discard(number)
        merged = self.merge(i, step, product, scale if scaled else None)
        (<Addition>merged.detail).variable = step.detail
        (<Addition>merged.detail).subtract = step.kind == SUBTRACT
        (<Addition>merged.detail).scaled = scaled
        merged.effect = WRITES
        return True

    cdef Step merge(self, int i, Step step, Step product, object third):
        """Put a step in the place of ``step`` that computes the product, and reads a third place too."""
        cdef Step merged = Step.__new__(Step)
        cdef Addition addition = Addition.__new__(Addition)
        cdef int number = self.producer[product.targets[0]], j
        addition.product = product
        merged.kind = PRODUCT
        merged.op = product.op
        merged.attributes = product.attributes
        merged.detail = addition
        merged.safe = True
        merged.where = product.where
        merged.nested = product.nested
        merged.reserve(product.count + (third is not None), step.results)
        for j in range(product.count):
            merged.places[j] = product.places[j]
        for place in slots_read_by(product):
            self.readers[place].discard(number)
        if third is not None:
            merged.places[product.count] = third
        for place in slots_read_by(merged):
            self.readers[place].add(i)
        for j in range(step.results):
            merged.targets[j] = step.targets[j]
        self.steps[number] = None
        self.steps[i] = merged
        return merged


# --- In a replay --------------------------------------------------------------------------------------

cdef inline EagerTensor tensor_at(Path path, PyObject** slots, int place):
    return <EagerTensor>value_at(path, slots, place)


cdef class ScaledProduct:
    """A product of matrices times a number. Called with an array, it adds itself to the array."""

    cdef cnp.ndarray a, b
    cdef bint transpose_a, transpose_b
    cdef double scale

    def __call__(self, cnp.ndarray out not None):
        if self.scale == 0:
            # BLAS does not look at the operands then, and an infinite product times 0 is NaN.
            with np.errstate(all="ignore"):
                product = np.matmul(self.a.T if self.transpose_a else self.a, self.b.T if self.transpose_b else self.b)
                np.add(out, product * out.dtype.type(self.scale), out=out)
            return
        add_product(self.a, self.b, self.transpose_a, self.transpose_b, self.scale, out)


cdef int run_addition(Step step, Path path, PyObject** slots) except -1:
    cdef Addition addition = <Addition>step.detail
    cdef ScaledProduct product
    cdef cnp.ndarray out
    if addition.product.kind == RULE:
        out = own_or_copied(slots[step.places[step.count - 1]])
        add_fast_form(step, addition.product.detail, path, slots, out)
        return set_slot(slots, step.targets[0], out)
    product = ScaledProduct.__new__(ScaledProduct)
    product.a = tensor_at(path, slots, step.places[0]).array
    product.b = tensor_at(path, slots, step.places[1]).array
    product.transpose_a, product.transpose_b = step.attributes[0] is True, step.attributes[1] is True
    product.scale = float(tensor_at(path, slots, step.places[2]).array) if addition.scaled else 1.0
    if addition.variable is not None:
        if addition.subtract:
            product.scale = -product.scale
        return add_to_variable(addition, product, slots)
    out = own_or_copied(slots[step.places[2]])
    product(out)
    return set_slot(slots, step.targets[0], out)


cdef cnp.ndarray own_or_copied(PyObject* tensor):
    """The array of a tensor that nothing reads after this step; a copy of it if other code holds it."""
    if Py_REFCNT(tensor) == 1 and solely_held(<PyObject*>(<EagerTensor>tensor).array):
        return (<EagerTensor>tensor).array
    return copied((<EagerTensor>tensor).array)


cdef int set_slot(PyObject** slots, int place, cnp.ndarray array) except -1:
    tensor = wrap(array)
    Py_INCREF(tensor)
    clear(slots[place])
    slots[place] = <PyObject*>tensor
    return 0


cdef int add_fast_form(Step step, Call call, Path path, PyObject** slots, cnp.ndarray out) except -1:
    cdef PyObject* arguments[MAX_ASKS]
    cdef list held = []
    cdef object result
    cdef int i
    for i in range(call.count):
        if step.nested is not None and i in step.nested:
            kind, places = step.nested[i]
            held.append(kind([<object>value_at(path, slots, place) for place in places]))
            arguments[i] = <PyObject*>held[len(held) - 1]
        else:
            arguments[i] = value_at(path, slots, step.places[i])
    if not run_adding_form(call, out, arguments):
        result = run_fast_form(call, arguments)
        if result is None:
            result = PyObject_Vectorcall(call.rule, arguments, call.count, NULL)
        np.add(out, (<EagerTensor?>result).array, out=out)
    return 0


cdef int add_to_variable(Addition addition, ScaledProduct product, PyObject** slots) except -1:
    """Add a product to a variable: in its own memory, where no other code holds the value."""
    cdef VariableBase variable = addition.variable
    variable.wait()
    for place in addition.dead_slots:
        if slots[<int>place] == <PyObject*>variable.snapshot:
            clear(slots[<int>place])
    variable._write(product)
    return 0
