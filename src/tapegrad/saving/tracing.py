"""What a function does for given specs, for all sizes that these leave open: `trace`."""

from __future__ import annotations

import contextlib
import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from tapegrad import dtypes
from tapegrad.batching.mapping import vectorized_map
from tapegrad.core import EagerTensor, VariableBase
from tapegrad.functions.recordings import SAFE
from tapegrad.ops.program.control import Maps
from tapegrad.ops.program.tables import Entries
from tapegrad.saving.listening import Asked, Called, HasBatches, Number, Recording, Refused, listen
from tapegrad.saving.nests import Part, leaves_of
from tapegrad.saving.proofs import Verdict, verdict
from tapegrad.saving.sizes import Differs, Expression, Made, Sizes, same_array
from tapegrad.symbolic.worlds import NAMES

__all__ = ["Block", "CannotTrace", "Fixed", "trace"]

RUNS = 4
LARGEST = 1 << 22  # elements of a stand-in
SAFE_OPS = frozenset(SAFE.split())
MOST_PATHS = 48
MOST_WORDS = 40
LARGEST_FOLDED = 1 << 20
# Numbers that Python reads in this way are its own affair; others are sizes that an op wants to know.
OF_PYTHON = frozenset("bool int float complex array numpy iterate list tolist".split())


class CannotTrace(Exception):
    """A function cannot be written down, and why."""


class Block:
    """Steps, and how they end: with results, with an error, or with a question whose answers lead on."""

    def __init__(self) -> None:
        self.steps: list[Any] = []
        self.results: list[int] | None = None
        self.structure: Any = None
        self.error: Exception | None = None
        self.asks: int | None = None
        self.answers: dict[bool, Block] = {}
        self.complete = False
        self.needs: set[int] = (
            set()
        )  # the slots of earlier blocks that this one and those after it read

    def blocks(self) -> list[Block]:
        """This block and all those it leads to; every one before those that follow it."""
        found = [self]
        for block in found:
            found.extend(block.answers.values())
        return found


class Fixed:
    """A recording: the specs that its inputs must fit, and where it begins."""

    def __init__(self, specs: list[Any], block: Block, variables: list[Any]) -> None:
        self.specs = specs
        self.block = block
        self.variables = variables  # all that were read or written, needed or not


class Constant:
    """A step that gives a constant, or a tensor that follows from sizes."""

    def __init__(self, slot: int, value: Any) -> None:
        self.slot = slot
        self.value = value


class Expected:
    """A step that compares numbers which Python has read with what they were."""

    def __init__(self, slot: int, value: Any, how: str) -> None:
        self.slot = slot
        self.value = value
        self.how = how


class ExpectedShape:
    """A step that compares the shape of a result: with numbers, expressions, or None for any size."""

    def __init__(self, slot: int, sizes: list[Any]) -> None:
        self.slot = slot
        self.sizes = sizes


class Step:
    """A step that calls an op. Its attributes may have expressions in them."""

    def __init__(
        self, op: Any, inputs: tuple[int, ...], attributes: tuple[Any, ...], outputs: list[int]
    ) -> None:
        self.op = op
        self.inputs = inputs
        self.attributes = attributes
        self.outputs = outputs
        self.kinds: list[Any] = []  # dtypes of the results


def trace(
    call: Callable[[list[EagerTensor]], Any],
    flatten: Callable[[Any], list[Any]],
    specs: list[Any],
    needed: Iterable[int] = (),
) -> Fixed:
    """What ``call`` does with tensors of these specs.

    Args:
        call: gets a list of tensors.
        flatten: gives the tensors of a result, in a list.
        specs: a `TensorSpec` for each tensor.
        needed: sizes that an unknown axis may have to be a multiple of.

    Raises:
        CannotTrace: it does something that ops do not do, or something else for each size.
        Exception: whatever the function raises for all stand-ins.
    """
    with Maps() as maps:
        try:
            return _trace(call, flatten, specs, needed)
        except CannotTrace as error:
            if not maps.used:
                raise
            reason = error
    # Maps over elements of which nobody knows how many there are can be saved if they run at once.
    try:
        with Maps(_map_at_once):
            found = _trace(call, flatten, specs, needed)
    except Exception:
        raise reason from None
    steps = itertools.chain(*[block.steps for block in found.block.blocks()])
    if any(isinstance(step, Step) and step.op.effect == "draws" for step in steps):
        raise reason  # each element would draw other numbers
    return found


def _map_at_once(fn: Callable[[Any], Any], elems: Any) -> Any:
    return vectorized_map(fn, elems, fallback_to_while_loop=False, warn=False)


def _trace(
    call: Callable[[list[EagerTensor]], Any],
    flatten: Callable[[Any], list[Any]],
    specs: list[Any],
    needed: Iterable[int],
) -> Fixed:
    """`trace`, with maps as they are."""
    vary = any(not spec.shape.is_fully_defined() for spec in specs)
    poor: tuple[int, Fixed] | None = None  # right, or an error: for how many proofs
    richer = False
    failed: Exception | None = None
    reason: Exception | None = None
    told_by: str | None = (
        None  # the stand-ins that have shown a difference; poorer ones would hide it
    )
    choices = itertools.chain(_stand_ins(specs, FILLS), _multiples(specs, needed))
    while True:
        fill, stand_ins = next(choices, (None, None))
        if stand_ins is None:
            break
        if told_by not in (None, fill):
            continue
        try:
            paths = _Paths(call, flatten, specs, stand_ins, vary)
            found = paths.find()
            proofs = paths.proofs(found)
            if Verdict.WRONG not in proofs:
                refused = proofs.count(Verdict.REFUSES)
                if not refused:
                    return found
                if poor is None or refused < poor[0]:
                    poor = refused, found
            else:
                reason = reason or Differs("it does something else for other sizes or values")
            if not richer:
                # Stand-ins that show more. If there are none of which all is seen, a function that
                # raises an error is better than none.
                richer = True
                rich = _stand_ins(specs, ("rich",), paths.words)
                choices = itertools.chain(rich, () if poor else choices)
        except Differs as error:
            reason, told_by = reason or error, fill
        except Refused as error:
            if not richer:
                raise CannotTrace(str(error)) from None
        except _Fails as error:
            failed = failed or error.error
    if poor is not None:
        return poor[1]
    if reason is not None:
        raise CannotTrace(f"what it does depends on sizes in a way that is not seen: {reason}")
    assert failed is not None
    raise failed


class _Fails(Exception):
    """The function raises an error on these stand-ins."""

    def __init__(self, error: Exception) -> None:
        super().__init__(str(error))
        self.error = error


class _Paths:
    """All paths through a function, on one choice of stand-ins."""

    def __init__(
        self, call: Any, flatten: Any, specs: list[Any], stand_ins: list[Any], vary: bool
    ) -> None:
        self._call, self._flatten, self._specs = call, flatten, specs
        self._stand_ins = stand_ins if vary else stand_ins[:RUNS]
        self._vary = vary
        self._batches = False
        self._variables: dict[int, Any] = {}
        self.words: list[bytes] = []  # the keys of tables that the function looks up

    def proofs(self, found: Fixed) -> list[Verdict]:
        """What the recording does for other sizes and values than those it was made of."""
        proofs = []
        for fill, run in PROOFS if self._vary else PROOFS[:1]:
            ranks = [
                array.ndim
                for array, spec in zip(self._stand_ins[0], self._specs, strict=True)
                if not isinstance(spec, Part) and spec.shape.rank is None
            ]
            shapes = [
                _shape(self._specs, number, "each", 3, run, ranks[0] if ranks else 0)
                for number in range(len(self._specs))
            ]
            if any(math.prod(shape) > LARGEST for shape in shapes):
                continue
            inputs = [
                EagerTensor(_array(spec, shape, fill, run, number, self.words))
                for number, (spec, shape) in enumerate(zip(self._specs, shapes, strict=True))
            ]
            with contextlib.suppress(Refused):
                run_again = listen(self._call, self._flatten, inputs, self._vary, (), self._batches)
                proofs.append(verdict(found.block, run_again))
        return proofs

    def _listen(self, number: int, answers: tuple[bool, ...]) -> Recording:
        inputs = [EagerTensor(array) for array in self._stand_ins[number]]
        try:
            return listen(self._call, self._flatten, inputs, self._vary, answers, self._batches)
        except HasBatches:
            self._batches = True
            return self._listen(number, answers)

    def find(self) -> Fixed:
        root = Block()
        waiting: list[tuple[bool, ...]] = [()]
        seen: set[tuple[bool, ...]] = set()
        found = 0
        first_error: Exception | None = None
        while waiting and found < MOST_PATHS:
            answers = waiting.pop(0)
            runs = [self._listen(0, answers)]
            asked = tuple(runs[0].answers)
            if asked in seen:
                continue
            seen.add(asked)
            if runs[0].error is not None and not asked:
                raise _Fails(runs[0].error)
            try:
                runs += [self._listen(i, asked) for i in range(1, len(self._stand_ins))]
                self._insert(root, runs)
                found += 1
            except (Differs, Refused):
                if not answers:
                    raise
                continue  # this branch is not saved
            if runs[0].error is not None:
                first_error = first_error or runs[0].error
            for place in range(len(answers), min(len(asked), 8)):
                waiting.append((*asked[:place], not asked[place]))
        if all(block.results is None for block in root.blocks()):
            assert first_error is not None
            raise _Fails(first_error)
        _drop_unused(root)
        return Fixed(self._specs, root, list(self._variables.values()))

    def _insert(self, root: Block, runs: list[Recording]) -> None:
        """Add a path to the tree of blocks."""
        first = runs[0]
        if any((run.error is None) != (first.error is None) for run in runs):
            raise Differs("it fails for some sizes")
        if any(len(run.steps) != len(first.steps) for run in runs):
            raise Differs("how many steps it takes")
        for step in first.steps:
            if isinstance(step, Called):
                for value in step.attributes:
                    if isinstance(value, VariableBase):
                        self._variables[value._unique_id] = value
                    elif isinstance(value, Entries) and value.key_dtype is dtypes.string:
                        self.words.extend(itertools.islice(value.values, MOST_WORDS))
        path = _Path(runs, len(self._specs))
        # Steps up to a question, its slot, and the answer; at last the steps to the end.
        parts: list[tuple[list[Any], int, bool]] = []
        steps: list[Any] = []
        for versions in zip(*[run.steps for run in runs], strict=True):
            asked = versions[0]
            if isinstance(asked, Asked):
                if any(type(v) is not Asked or v.slot != asked.slot for v in versions):
                    raise Differs("what Python asks for")
                parts.append((steps, asked.slot, asked.answer))
                steps = []
            else:
                steps.extend(path.merged(versions))
        if any(run.slots != first.slots for run in runs):
            raise Differs("its results")
        steps.extend(path.constants_of(first.slots))
        block, fresh = root, not root.complete
        for before, slot, answer in parts:
            if fresh:
                block.steps, block.asks, block.complete = before, slot, True
            elif block.asks != slot:
                raise Differs("the Python code does not do the same each time")
            fresh = answer not in block.answers
            block = block.answers.setdefault(answer, Block())
        if not fresh:
            return
        block.steps, block.complete = steps, True
        if first.error is not None:
            block.error = first.error
            return
        block.results = first.slots
        shapes = [
            first.tensors[slot].shape.most_specific_common_supertype(
                [run.tensors[slot].shape for run in runs[1:]]
            )
            for slot in first.slots
        ]
        try:
            block.structure = leaves_of(first.results, shapes)
        except TypeError as error:
            raise Refused(str(error)) from None


class _Path:
    """The steps of several runs along one path, as one."""

    def __init__(self, runs: list[Recording], inputs: int) -> None:
        self._runs = runs
        self._sizes = Sizes(len(runs))
        self._given: set[int] = set()  # slots of constants for which there is a step
        self._folded: dict[int, Any] = {}
        for slot in range(inputs):
            self._add_sizes(slot, True)

    def _add_sizes(self, slot: int, is_input: bool = False) -> None:
        self._sizes.add_tensor(
            slot, [run.tensors[slot]._array.shape for run in self._runs], is_input
        )

    def merged(self, versions: tuple[Any, ...]) -> Iterator[Any]:
        first = versions[0]
        if any(type(version) is not type(first) for version in versions):
            raise Differs("what it does")
        if isinstance(first, Number):
            yield from self._number(versions)
            return
        assert isinstance(first, Called)
        for version in versions:
            if (
                version.op is not first.op
                or version.inputs != first.inputs
                or version.outputs != first.outputs
            ):
                raise Differs(f"it calls {first.op.type} or {version.op.type}")
        attributes = tuple(
            [
                self._sizes.value(list(parts))
                for parts in zip(*[v.attributes for v in versions], strict=True)
            ]
        )
        expected = self._shapes_of(first)
        for slot in first.outputs:
            self._add_sizes(slot)
        if self._fold(first, attributes):
            return
        yield from self.constants_of(first.inputs)
        step = Step(first.op, first.inputs, attributes, list(first.outputs))
        step.kinds = [self._runs[0].tensors[slot].dtype for slot in first.outputs]
        yield step
        yield from expected

    def _shapes_of(self, called: Called) -> list[ExpectedShape]:
        """For an op whose results may have other shapes next time: what their shapes are to be.

        Python may have used the sizes. One that differs, and is like none so far, is a size of its own.
        """
        op = called.op
        if op.type in SAFE_OPS or op.elementwise or op.effect is not None:
            return []
        found = []
        for slot in called.outputs:
            shapes = [run.tensors[slot]._array.shape for run in self._runs]
            if any(len(shape) != len(shapes[0]) for shape in shapes):
                continue
            sizes = [self._sizes.known(sizes) for sizes in zip(*shapes, strict=True)]
            if any(dtype is dtypes.string for dtype in self._dtypes_of(called.inputs)):
                # What is in strings decides, and blanks are squares by chance.
                sizes = [size if type(size) is int else None for size in sizes]
            if any(size is not None for size in sizes):
                found.append(ExpectedShape(slot, sizes))
        return found

    def _dtypes_of(self, slots: Any) -> list[Any]:
        return [self._runs[0].tensors[slot].dtype for slot in slots]

    def _fold(self, called: Called, attributes: Any) -> bool:
        """Whether the results are constants: they are not computed then."""
        runs = self._runs
        if called.op.effect is not None or _holds_expression(attributes):
            return False
        if not all(slot in runs[0].constants or slot in self._folded for slot in called.inputs):
            return False
        size = 0
        for slot in called.outputs:
            arrays = [run.tensors[slot]._array for run in runs]
            if not all(same_array(array, arrays[0]) for array in arrays):
                return False
            size += arrays[0].nbytes
        if size > LARGEST_FOLDED:
            return False
        for slot in called.outputs:
            self._folded[slot] = runs[0].tensors[slot]._array
        return True

    def constants_of(self, slots: Any) -> Iterator[Constant]:
        """A step for each of the slots that holds a constant, before its first use."""
        for slot in slots:
            if slot in self._given:
                continue
            if slot in self._folded:
                self._given.add(slot)
                yield Constant(slot, self._folded[slot])
            elif slot in self._runs[0].constants:
                self._given.add(slot)
                arrays = [run.tensors[slot]._array for run in self._runs]
                yield Constant(slot, self._sizes.value(arrays))

    def _number(self, versions: tuple[Any, ...]) -> Iterator[Any]:
        first = versions[0]
        values = [version.value for version in versions]
        if any(version.slot != first.slot for version in versions):
            raise Differs("what Python reads")
        if all(same_array(value, values[0]) for value in values):
            yield Expected(first.slot, values[0], first.how)
            return
        of_python = first.how in OF_PYTHON
        same_shape = all(value.shape == values[0].shape for value in values)
        if not same_shape:
            if of_python or any(value.ndim != 1 or not value.size for value in values):
                raise Differs(f"what Python reads ({first.how})")
            self._sizes.add_last(first.slot, values)
        elif of_python:
            for numbers in zip(*[value.ravel().tolist() for value in values], strict=True):
                if any(number != numbers[0] for number in numbers):
                    self._sizes.number(tuple(numbers))
            return
        else:
            self._sizes.add_values(first.slot, values)
        self._sizes.add_array(first.slot, values)


def _holds_expression(value: Any) -> bool:
    if isinstance(value, (Expression, Made)):
        return True
    if isinstance(value, (list, tuple)):
        return any(_holds_expression(part) for part in value)
    if isinstance(value, dict):
        return any(_holds_expression(part) for part in value.values())
    if isinstance(value, slice):
        return _holds_expression((value.start, value.stop, value.step))
    return False


def _slots_of(value: Any, found: set[int]) -> None:
    """Add the slots that expressions in an attribute read."""
    if isinstance(value, Expression):
        _slots_of_form(value.form, found)
    elif isinstance(value, Made):
        _slots_of([value.value, value.shape], found)
    elif isinstance(value, (list, tuple)):
        for part in value:
            _slots_of(part, found)
    elif isinstance(value, dict):
        _slots_of(list(value.values()), found)
    elif isinstance(value, slice):
        _slots_of([value.start, value.stop, value.step], found)


def _slots_of_form(form: Any, found: set[int]) -> None:
    if isinstance(form, list):
        if form[0] in ("size", "value", "values"):
            found.add(form[1])
        else:
            for part in form[1:]:
                _slots_of_form(part, found)


def _drop_unused(root: Block) -> None:
    """Drop steps without effects whose results nobody needs."""
    for block in reversed(root.blocks()):
        used: set[int] = set(block.results or ())
        if block.asks is not None:
            used.add(block.asks)
        for following in block.answers.values():
            used |= following.needs
        kept: list[Any] = []
        for step in reversed(block.steps):
            if isinstance(step, Constant):
                if step.slot in used:
                    kept.append(step)
                    _slots_of(step.value, used)
                continue
            if isinstance(step, (Expected, ExpectedShape)):
                used.add(step.slot)
                _slots_of(step.value if isinstance(step, Expected) else step.sizes, used)
            else:
                if (
                    step.op.effect is None or step.op.effect.startswith("reads")
                ) and not used.intersection(step.outputs):
                    continue
                used.update(step.inputs)
                _slots_of(step.attributes, used)
            kept.append(step)
        block.steps = kept[::-1]
        block.needs = used


# Stand-ins

_SIZES = (
    # For each run the first sizes, and what each further unknown axis adds.
    ((3, 2), (7, 3), (4, 5), (11, 1)),
    ((32, 64), (96, 32), (64, 96), (160, 32)),
    ((2, 1), (1, 1), (3, 2), (4, 1)),  # beside an axis that is a multiple of a size
    ((6, 3), (200, 70), (5, 4), (1100, 300)),  # for proofs
    ((1200, 0), (1700, 0), (900, 0), (2300, 0)),  # of the last unknown axis of a spec, as of sound
)
_LONG = 4
FILLS = ("numbers", "zeros", "ones", "names")
PROOFS = (
    ("rich", 0),
    ("numbers", 1),
    ("rich", 2),
    ("numbers", 3),
)  # what fills the stand-ins, and the run


def _stand_ins(
    specs: list[Any], fills: tuple[str, ...], words: Sequence[bytes] = ()
) -> Iterator[tuple[str, list[list[np.ndarray[Any, Any]]]]]:
    """Choices of stand-ins, the best first: what fills them, and for each run an array for each spec."""
    unknown = any(not spec.shape.is_fully_defined() for spec in specs)
    ranks = (((1, 2, 3, 0), (2, 2, 2, 2), (3, 3, 3, 3), (4, 4, 4, 4), (1, 1, 1, 1)) if any(
        spec.shape.rank is None for spec in specs
    ) else ((0, 0, 0, 0),))  # fmt: skip
    rich = "rich" in fills
    ways = ("each", "axis", "one") if unknown and not rich else ("each",)
    for fill, rank, way, scale in itertools.product(
        fills, ranks, ways, ((0, 1, 4) if rich else (0, 1)) if unknown else (0,)
    ):
        if scale and sum(spec.shape.rank or 0 for spec in specs) > 40:
            continue
        shapes = [
            [_shape(specs, number, way, scale, run, rank[run]) for number in range(len(specs))]
            for run in range(RUNS)
        ]
        if any(math.prod(shape) > LARGEST for each in shapes for shape in each):
            continue
        yield fill, _filled(specs, shapes, fill, words)


def _filled(
    specs: list[Any], shapes: list[list[tuple[int, ...]]], fill: str, words: Sequence[bytes] = ()
) -> list[list[np.ndarray[Any, Any]]]:
    """For each run an array of each shape."""
    return [
        [
            _array(spec, shape, fill, run, number, words)
            for number, (spec, shape) in enumerate(pairs)
        ]
        for run, pairs in enumerate(zip(specs, each, strict=True) for each in shapes)
    ]


def _multiples(
    specs: list[Any], needed: Iterable[int]
) -> Iterator[tuple[str, list[list[np.ndarray[Any, Any]]]]]:
    """Stand-ins in which one unknown axis is a size, or a multiple of it, as a reshape may need it."""
    unknown = [
        (number, axis)
        for number, spec in enumerate(specs)
        if not isinstance(spec, Part) and spec.shape.rank is not None
        for axis, size in enumerate(spec.shape.as_list())
        if size is None
    ]
    sizes = sorted(set(needed) - {0, 1})
    for grows, size, (number, axis) in itertools.product((1, 0), sizes, unknown[:8]):
        shapes = []
        for run in range(RUNS):
            each = [_shape(specs, place, "each", 2, run, 0) for place in range(len(specs))]
            shape = list(each[number])
            shape[axis] = size * (1 + grows * run)
            each[number] = tuple(shape)
            shapes.append(each)
        if all(math.prod(shape) <= LARGEST for each in shapes for shape in each):
            yield "numbers", _filled(specs, shapes, "numbers")
    if any(not isinstance(spec, Part) and spec.shape.rank is None for spec in specs):
        for size in sizes:
            yield (
                "numbers",
                _filled(
                    specs,
                    [
                        [_ending(specs, i, run, size) for i in range(len(specs))]
                        for run in range(RUNS)
                    ],
                    "numbers",
                ),
            )


def _ending(specs: list[Any], number: int, run: int, size: int) -> tuple[int, ...]:
    """A shape that ends with a size, if the rank is unknown."""
    shape = _shape(specs, number, "each", 2, run, (1, 2, 3, 2)[run])
    spec = specs[number]
    return shape if isinstance(spec, Part) or spec.shape.rank is not None else (*shape[:-1], size)


def _shape(
    specs: list[Any], number: int, way: str, scale: int, run: int, rank: int
) -> tuple[int, ...]:
    spec = specs[number]
    if isinstance(spec, Part):
        return ()
    start, step = _SIZES[scale][run]
    if spec.shape.rank is None:
        return tuple([start] * rank)
    sizes = []
    for axis, size in enumerate(spec.shape.as_list()):
        if size is not None:
            sizes.append(size)
            continue
        if scale == _LONG and None in spec.shape.as_list()[axis + 1 :]:
            sizes.append(_SIZES[0][run][0] + axis)
            continue
        if way == "each":
            before = sum(
                part is None
                for other in specs[:number]
                for part in (other.shape.as_list() if other.shape.rank is not None else ())
            ) + sum(part is None for part in spec.shape.as_list()[:axis])
            sizes.append(start + step * before)
        elif way == "axis":
            sizes.append(start + step * axis)
        else:
            sizes.append(start)
    return tuple(sizes)


def _array(
    spec: Any, shape: tuple[int, ...], fill: str, run: int, number: int, words: Sequence[bytes] = ()
) -> np.ndarray[Any, Any]:
    """A stand-in of a dtype and shape."""
    if isinstance(spec, Part):
        return np.asarray(spec.stand_in(run))
    dtype = spec.dtype
    count = int(np.prod(shape, dtype=np.int64))
    kind = dtype.numpy_dtype
    if kind.names is not None:
        return np.zeros(shape, kind)
    places = np.arange(count)
    if fill == "zeros":
        numbers: Any = np.zeros(count)
    elif fill == "ones":
        if dtype.is_floating and len(shape) > 1 and shape[-1] == shape[-2]:
            return np.ascontiguousarray(np.broadcast_to(np.eye(shape[-1]), shape).astype(kind))
        numbers = np.ones(count)
    elif dtype.is_floating or dtype.is_complex:
        # Some below zero, and not the same part of them in each run.
        numbers = ((places * (5 + 2 * run) + number + 3 * run) % 11) / 8.0 - 0.4
    elif fill == "rich":  # the largest is another one in each run
        numbers = (places * 3 + number) % (run + 3) if shape else np.array([2 * run + 3 + number])
    elif not shape:
        numbers = np.array([run + 1 + number % 3])
    else:
        numbers = (places + run + number) % 2
    if kind.kind == "O":
        texts = [b"%d" % int(place) for place in np.asarray(numbers).ravel()]
        if fill == "names":  # those for which readers of files have blanks
            texts = [NAMES[(int(place) + run) % len(NAMES)] for place in places]
        elif fill == "numbers":  # of other numbers of words in each run
            texts = [b" ".join([text] * (run + 1 + i % 2)) for i, text in enumerate(texts)]
        elif fill == "rich":  # words that are known, and others, some of them twice
            known = [b"of", *words, b"on"]
            texts = [
                b" ".join(
                    [
                        known[(i * i + j % 3 * (run + 1)) % len(known)]
                        for j in range(1 + (i + run) % 5)
                    ]
                )
                for i in range(count)
            ]
        found = np.empty(count, object)
        found[:] = texts
        return found.reshape(shape)
    return np.asarray(numbers).astype(kind).reshape(shape)
