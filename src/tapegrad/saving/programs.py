"""Recordings of our earlier format, in JSON: `Program` checks a list of blocks, and runs it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from tapegrad import core, errors
from tapegrad.core import EagerTensor, VariableBase, convert, static_value
from tapegrad.core.sizes import OPERATORS, RELATIONS
from tapegrad.framework import nest
from tapegrad.framework.names import current_graph
from tapegrad.framework.spec import TensorSpec
from tapegrad.functions.components import composite
from tapegrad.saving.encoding import Decoder, dtype_from, shape_from
from tapegrad.saving.files import Damaged
from tapegrad.saving.nests import Leaf
from tapegrad.saving.open_sizes import compute
from tapegrad.saving.reach import outside, uses_files

MOST_SLOTS = 1 << 24
MOST_DEPTH = 30

# Ops of variables, which are called as methods so that tapes see them.
READ = "ReadVariableOp"
ASSIGNS = {
    "AssignVariableOp": "assign",
    "AssignAddVariableOp": "assign_add",
    "AssignSubVariableOp": "assign_sub",
}


# Errors that a saved path may end with.
_ERRORS: dict[str, type[Exception]] = {
    **{name: getattr(errors, name) for name in vars(errors) if name.endswith("Error")},
    **{
        kind.__name__: kind
        for kind in (ValueError, TypeError, IndexError, KeyError, AssertionError)
    },
    **{kind.__name__: kind for kind in (ArithmeticError, ZeroDivisionError, NotImplementedError)},
}


class Program:
    """A recording that has been read. Every slot is filled before it is read: that is checked once, here."""

    def __init__(self, encoded: Any, decoder: Decoder, called: str) -> None:
        self.called = called
        if not isinstance(encoded, dict):
            raise Damaged("a recording is none")
        inputs, blocks = encoded.get("inputs"), encoded.get("blocks")
        if not isinstance(inputs, list) or not isinstance(blocks, list) or not blocks:
            raise Damaged("a recording has no inputs, or no blocks")
        self.specs = [_spec(entry) for entry in inputs]
        filled: list[set[int] | None] = [None] * len(blocks)
        filled[0] = set(range(len(inputs)))
        self.blocks: list[_Block] = []
        for number, entry in enumerate(blocks):
            before = filled[number]
            if before is None:
                raise Damaged("a block that none leads to")
            block = _Block(entry, decoder, set(before), number, len(blocks))
            self.blocks.append(block)
            for following in block.answers or ():
                if following is not None:
                    if filled[following] is not None:
                        raise Damaged("two ways lead to a block")
                    filled[following] = block.filled
        reason = outside(encoded)
        if reason is not None:
            raise Damaged(f"in {called} {reason}, which no saved function does")
        self.uses_files = uses_files(encoded)

    def fits(self, tensors: list[Any]) -> bool:
        """Whether the tensors are of the dtypes and shapes that were recorded."""
        return len(tensors) == len(self.specs) and all(
            spec.dtype == tensor.dtype and spec.shape.is_compatible_with(tensor.shape)
            for spec, tensor in zip(self.specs, tensors, strict=True)
        )

    def run(self, tensors: list[Any]) -> Any:
        """The results of the function."""
        slots: dict[int, Any] = dict(enumerate(tensors))
        block = self.blocks[0]
        try:
            while True:
                for step in block.steps:
                    step(slots, self.called)
                if block.asks is None:
                    break
                answer = bool(static_value(slots[block.asks], "bool").all())
                following = block.answers[answer]
                if following is None:
                    _no_branch(self.called, f"a value is {answer} where")
                block = self.blocks[following]
        except (Damaged, KeyError, IndexError, AttributeError, OverflowError) as error:
            raise errors.DataLossError(
                None, None, f"The saved function {self.called} is damaged: {error!r}."
            ) from error
        if block.error is not None:
            kind, message = block.error
            if issubclass(kind, errors.OpError):
                raise kind(None, None, message)
            raise kind(message)
        return _filled(block.structure, [slots[slot] for slot in block.results])


def _no_branch(called: str, what: str) -> NoReturn:
    errors.refuse(
        f"The saved function {called} takes a way that was not saved: {what} other ways were seen when it "
        "was saved. Decide with tf.where or tf.cond on values, or save it again.",
        error=errors.FailedPreconditionError,
    )


def _spec(entry: Any) -> TensorSpec:
    if not isinstance(entry, list) or len(entry) != 2:
        raise Damaged("an input has no shape and dtype")
    return TensorSpec(shape_from(entry[0]), dtype_from(entry[1]))


def _slot(number: Any) -> int:
    if type(number) is not int or not 0 <= number < MOST_SLOTS:
        raise Damaged(f"{number!r} is no slot")
    return number


def _slots(numbers: Any) -> list[int]:
    if not isinstance(numbers, list):
        raise Damaged(f"{str(numbers)[:80]} is no list of slots")
    return [_slot(number) for number in numbers]


class _Block:
    def __init__(
        self, encoded: Any, decoder: Decoder, filled: set[int], number: int, count: int
    ) -> None:
        if not isinstance(encoded, dict) or not isinstance(encoded.get("steps"), list):
            raise Damaged("a block has no steps")
        self.filled = filled
        self.reads: set[int] = set()
        self.asks: int | None = None
        self.answers: Any = None
        self.error: Any = None
        self.results: list[int] = []
        self.structure: Any = None
        self.steps = [self._step(step, decoder) for step in encoded["steps"]]
        if "asks" in encoded:
            self.asks = self._read(encoded["asks"])
            answers = encoded.get("answers")
            if not isinstance(answers, list) or len(answers) != 2:
                raise Damaged("a question has no two answers")
            for answer in answers:
                if answer is not None and (type(answer) is not int or not number < answer < count):
                    raise Damaged(f"a block leads to {answer!r}")
            if answers[0] is not None and answers[0] == answers[1]:
                raise Damaged("two answers lead to one block")
            self.answers = answers
        elif "error" in encoded:
            error = encoded["error"]
            if not (
                isinstance(error, list)
                and len(error) == 2
                and isinstance(error[0], str)
                and error[0] in _ERRORS
                and isinstance(error[1], str)
            ):
                raise Damaged("a block ends with an error that is none")
            self.error = (_ERRORS[error[0]], error[1])
        else:
            self.results = [self._read(slot) for slot in _slots(encoded.get("results"))]
            self.structure = decoder.value(encoded.get("structure"), results=len(self.results))

    def _read(self, number: Any) -> int:
        slot = _slot(number)
        if slot not in self.filled:
            raise Damaged(f"slot {slot} is read before it is filled")
        self.reads.add(slot)
        return slot

    def _step(self, encoded: Any, decoder: Decoder) -> Callable[[dict[int, Any], str], None]:
        if not isinstance(encoded, dict):
            raise Damaged("a step is none")
        if "constant" in encoded:
            return self._constant(encoded, decoder)
        if "expect" in encoded:
            return self._expect(encoded, decoder)
        if "shape" in encoded:
            return self._expect_shape(encoded, decoder)
        if "decides" in encoded:
            return self._expect_size(encoded["decides"])
        if "rule" in encoded:
            return self._rule(encoded, decoder)
        return self._call(encoded, decoder)

    def _number(self, slots: dict[int, Any]) -> Callable[[Any], Any]:
        return lambda formula: _compute(formula, slots)

    def _has_sizes(self, encoded: Any) -> bool:
        """Whether there are formulas in an encoded value. Checks which slots they read."""
        if isinstance(encoded, list):
            return True in [self._has_sizes(part) for part in encoded]  # all are checked
        if not isinstance(encoded, dict):
            return False
        if "size" in encoded:
            self._check(encoded["size"], 0)
            return True
        if "made" in encoded:
            self._has_sizes(encoded["made"])
            return True
        return True in [self._has_sizes(part) for part in encoded.values()]

    def _check(self, formula: Any, depth: int) -> None:
        if type(formula) in (int, float):
            return
        if not isinstance(formula, list) or len(formula) != 3 or depth > MOST_DEPTH:
            raise Damaged(f"{str(formula)[:80]} is no number")
        if formula[0] in ("size", "value", "values"):
            self._read(formula[1])
            if type(formula[2]) is not int or not -1 <= formula[2] < 1 << 32:
                raise Damaged(f"{formula[2]!r} is no axis")
        elif formula[0] in OPERATORS:
            self._check(formula[1], depth + 1)
            self._check(formula[2], depth + 1)
        else:
            raise Damaged(f"{formula[0]!r} is no way to compute a number")

    def _constant(self, encoded: Any, decoder: Decoder) -> Callable[[dict[int, Any], str], None]:
        slot, value = _slot(encoded.get("slot")), encoded["constant"]
        self.filled.add(slot)
        if isinstance(value, dict) and "made" in value:
            array_form = value["made"]
            self._has_sizes(array_form)

            def make(slots: dict[int, Any], called: str) -> None:
                slots[slot] = EagerTensor(decoder.built(array_form, self._number(slots)))

            decoder.check_built(array_form)
            return make
        array = decoder.value(value)
        if not isinstance(array, np.ndarray):
            raise Damaged("a constant is no tensor")
        tensor = EagerTensor(array)

        def constant(slots: dict[int, Any], called: str) -> None:
            slots[slot] = tensor

        return constant

    def _expect(self, encoded: Any, decoder: Decoder) -> Callable[[dict[int, Any], str], None]:
        slot, value = self._read(encoded.get("slot")), decoder.value(encoded["expect"])
        if not isinstance(value, np.ndarray):
            raise Damaged("a value that is expected is no tensor")

        def expect(slots: dict[int, Any], called: str) -> None:
            array = static_value(slots[slot], "array")
            if array.shape != value.shape or array.tolist() != value.tolist():
                shown = array.tolist() if array.size <= 8 else f"an array of shape {array.shape}"
                _no_branch(called, f"a value that Python reads is {shown} where")

        return expect

    def _expect_shape(
        self, encoded: Any, decoder: Decoder
    ) -> Callable[[dict[int, Any], str], None]:
        slot, sizes = self._read(encoded.get("slot")), encoded["shape"]
        if not isinstance(sizes, list):
            raise Damaged("a shape that is expected is none")
        self._has_sizes(sizes)

        def expect(slots: dict[int, Any], called: str) -> None:
            shape = slots[slot]._shape_tuple()
            wanted = decoder.value(sizes, self._number(slots))
            if len(shape) != len(wanted) or any(
                size is not None and size != own for own, size in zip(shape, wanted, strict=True)
            ):
                _no_branch(called, f"values decide the shape {list(shape)} where")

        return expect

    def _expect_size(self, encoded: Any) -> Callable[[dict[int, Any], str], None]:
        if not isinstance(encoded, list) or len(encoded) != 3:
            raise Damaged("a decision by a size is none")
        formula, relation, number = encoded
        self._check(formula, 0)
        if not isinstance(relation, str) or relation not in RELATIONS or type(number) is not int:
            raise Damaged(f"{relation!r} {number!r} is no decision by a size")

        def expect(slots: dict[int, Any], called: str) -> None:
            size = _compute(formula, slots)
            if isinstance(size, np.ndarray) or not RELATIONS[relation](size, number):
                _no_branch(called, f"a size is {size}, not {relation} {number}, where")

        return expect

    def _rule(self, encoded: Any, decoder: Decoder) -> Callable[[dict[int, Any], str], None]:
        name, outputs = encoded["rule"], _slots(encoded.get("out"))
        inputs = [self._read(slot) for slot in _slots(encoded.get("in"))]
        plain = [self._read(slot) for slot in _slots(encoded.get("plain"))]
        gradient = encoded.get("gradient")
        if not isinstance(name, str) or len(outputs) != len(plain) or not inputs or not outputs:
            raise Damaged("a gradient belongs to nothing")
        self.filled.update(outputs)
        block: Any = None
        dy_slots: list[int] = []
        if not isinstance(gradient, str):
            if not isinstance(gradient, dict) or "asks" in gradient or "error" in gradient:
                raise Damaged(f"the gradient of {name} is none")
            dy_slots = _slots(gradient.get("given"))
            block = _Block(gradient, decoder, {*self.filled, *dy_slots}, 0, 0)
            self.reads |= block.reads & self.filled

        def attach(slots: dict[int, Any], called: str) -> None:
            results = [slots[slot] for slot in plain]
            if current_graph() is not None:
                slots.update(zip(outputs, results, strict=True))
                return
            with core.no_recording():
                own = [core.alias(tensor) for tensor in results]
            slots.update(zip(outputs, own, strict=True))
            if not core.keeps_rules():
                return
            kept = {slot: slots[slot] for slot in block.reads if slot in slots} if block else {}
            sources = [slots[slot] for slot in inputs]
            kinds = [(source._shape_tuple(), source.dtype) for source in sources]

            def backward(*dys: Any) -> Any:
                if block is None:
                    raise LookupError(
                        f"The gradient of {name} in the saved function {called} was not saved: {gradient}."
                    )
                values = {
                    **kept,
                    **dict(zip(dy_slots, [dy for dy in dys if dy is not None], strict=True)),
                }
                for step in block.steps:
                    step(values, called)
                gradients = _filled(block.structure, [values[slot] for slot in block.results])
                return [
                    core.fitted(dy, kind, lambda: f"The gradient of {name} in {called}")
                    for dy, kind in zip(gradients, kinds, strict=True)
                ]

            core.record(name, sources, own, backward, results)

        return attach

    def _call(self, encoded: Any, decoder: Decoder) -> Callable[[dict[int, Any], str], None]:
        op = _op(encoded.get("op"))
        inputs = [self._read(slot) for slot in _slots(encoded.get("in"))]
        outputs, kinds = _slots(encoded.get("out")), encoded.get("dtypes")
        if not isinstance(kinds, list) or len(kinds) != len(outputs):
            raise Damaged(f"{op.type} has results without dtypes")
        expected = [dtype_from(kind) for kind in kinds]
        attributes = encoded.get("attributes")
        if not isinstance(attributes, dict) or set(attributes) != set(op.attributes):
            raise Damaged(f"{op.type} has other attributes than {list(op.attributes)}")
        count = len(op.inputs)
        if len(inputs) < count - 1 if op.list_input else len(inputs) != count:
            raise Damaged(f"{op.type} takes {count} tensors, not {len(inputs)}")
        self.filled.update(outputs)
        varies = self._has_sizes(list(attributes.values()))
        fixed = (
            None
            if varies
            else decoder.value(
                [[name, encoded_attribute] for name, encoded_attribute in attributes.items()]
            )
        )
        if op.type == READ or op.type in ASSIGNS:
            return _of_variable(op, inputs, outputs, fixed)
        if fixed is not None and any(callable(value) for _, value in fixed):
            raise Damaged(f"{op.type} has a function among its attributes")
        single = count - 1 if op.list_input else count

        def call(slots: dict[int, Any], called: str) -> None:
            keywords = (
                {
                    name: decoder.value(part, self._number(slots))
                    for name, part in attributes.items()
                }
                if fixed is None
                else dict(fixed)
            )
            tensors = [slots[slot] for slot in inputs]
            listed = [tensors[single:]] if op.list_input else []
            result = op(*tensors[:single], *listed, **keywords)
            tensors_out = [] if result is None else nest.flatten(result, expand_composites=True)
            if len(tensors_out) != len(outputs):
                errors.refuse(
                    f"The saved function {called} expects {len(outputs)} results of {op.type}, "
                    f"which gives {len(tensors_out)}.",
                    error=errors.DataLossError,
                )
            for slot, tensor, kind in zip(outputs, tensors_out, expected, strict=True):
                if tensor.dtype != kind:
                    errors.refuse(
                        f"The saved function {called} expects {kind.name} of {op.type}, which gives "
                        f"{tensor.dtype.name}.",
                        error=errors.DataLossError,
                    )
                slots[slot] = tensor

        return call


def _op(name: Any) -> Any:
    if not isinstance(name, str):
        raise Damaged(f"{name!r} is no op")
    try:
        op = core.registry[name]
    except KeyError:
        raise Damaged(f"there is no op {name!r}") from None
    if op.effect == "calls" and name not in OF_FILES:
        raise Damaged(f"{name} calls Python, which no saved function does")
    return op


# Ops with the effect "calls" that call no function of Python.
OF_FILES = frozenset(["ReadFile", "MatchingFiles", "Timestamp"])


def _of_variable(
    op: Any, inputs: list[int], outputs: list[int], attributes: Any
) -> Callable[[dict[int, Any], str], None]:
    variable = None if attributes is None else dict(attributes).get("resource")
    if not isinstance(variable, VariableBase):
        raise Damaged(f"{op.type} has no variable")
    if op.type == READ:
        if len(outputs) != 1:
            raise Damaged(f"{op.type} gives one tensor")

        def read(slots: dict[int, Any], called: str) -> None:
            slots[outputs[0]] = convert(variable)

        return read
    if len(inputs) != 1 or outputs:
        raise Damaged(f"{op.type} takes one tensor, and gives none")
    assign = getattr(variable, ASSIGNS[op.type])

    def write_value(slots: dict[int, Any], called: str) -> None:
        assign(slots[inputs[0]])

    return write_value


def _compute(formula: Any, slots: dict[int, Any]) -> Any:
    try:
        return compute(formula, slots)
    except ZeroDivisionError:
        errors.refuse("A saved function divides a size by zero.", error=errors.DataLossError)


def _filled(structure: Any, tensors: list[Any]) -> Any:
    """A nest with tensors for its leaves."""

    def filled(leaf: Any) -> Any:
        if not isinstance(leaf, Leaf):
            return leaf
        return composite(leaf.spec, tensors[leaf.number : leaf.number + leaf.count])

    return nest.CONTAINERS.map(filled, structure)
