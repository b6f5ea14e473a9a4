"""The table of op samples: one row says what an op is to be tried on, and every test file asks it
its own question.

A family's module holds ``samples(tf)``, a list of rows written against a namespace: tapegrad's in
the tests, TensorFlow's where ``golden/record_samples.py`` records its answers. ``tf`` there is a
``Namespace``, which only writes down the names asked of it; they are looked up when a row is run,
so a row can be described where its op does not exist.

    Sample(tf.multiply, [(reals(3, 4), reals(4)), (reals(), reals(2, 1))]),
    Sample(tf.reduce_sum, [call(reals(3, 4), axis=1, keepdims=True)]),
    Sample(tf.maximum, [(reals(5), reals(5))], at=[at((1.0, 1.0), gradients=(1.0, 0.0))]),

The first case of a row is tried in every dtype, the others in float32 (and float64 where numbers
are differentiated); ``at`` holds the kinks, with the answer promised.
"""

from __future__ import annotations

import functools
import importlib
import zlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from .draws import ALL_DTYPES, COMPLEX, REAL_FLOATS, Draw, given

FAMILIES = (
    "math", "special", "reduce", "array", "indexing", "linalg", "nn", "conv", "image", "control",
    "creation", "sparse", "signal", "image_more", "nn_more", "random_more", "raw", "rest",
    "quantized",
)  # fmt: skip
FLOATS = REAL_FLOATS + COMPLEX


class Name:
    """A public name such as ``tf.math.sin``, to be looked up later."""

    def __init__(self, path: str = "") -> None:
        self._path = path

    def __getattr__(self, part: str) -> Name:
        if part.startswith("__"):
            raise AttributeError(part)
        return Name(f"{self._path}.{part}" if self._path else part)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return Later(self, args, kwargs)

    def __repr__(self) -> str:
        return f"tf.{self._path}"


class Later:
    """A call that a row's attribute is to be replaced with: ``tf.TensorShape([2])``."""

    def __init__(self, function: Name, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self.function, self.args, self.kwargs = function, args, kwargs

    def __repr__(self) -> str:
        inside = [repr(value) for value in self.args]
        inside += [f"{key}={value!r}" for key, value in self.kwargs.items()]
        return f"{self.function!r}({', '.join(inside)})"


def look_up(tf: Any, path: str) -> Any:
    """The object at a dotted path of a namespace."""
    return functools.reduce(getattr, path.split("."), tf)


class Case:
    """One call of an op: arguments in which a ``Draw`` stands for each tensor."""

    def __init__(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self.args, self.kwargs = args, kwargs
        self.answer: tuple[Any, ...] | None = None
        self.value: Any = None
        self.differs = ""
        self.dtypes: tuple[str, ...] | None = None

    def __repr__(self) -> str:
        inside = [repr(value) for value in self.args]
        inside += [f"{key}={value!r}" for key, value in self.kwargs.items()]
        return ", ".join(inside)


def call(*args: Any, **kwargs: Any) -> Case:
    """A case with attributes: ``call(reals(3, 4), axis=1)``."""
    return Case(args, kwargs)


def at(
    inputs: Any,
    gradients: Any = None,
    *,
    value: Any = None,
    differs: str = "",
    dtypes: tuple[str, ...] | None = None,
    **kwargs: Any,
) -> Case:
    """A kink: the inputs, and the gradients (of the sum of the results) and value promised there.

    ``differs`` says why the answer is not TensorFlow's; it must then indeed be another.
    """
    inputs = inputs if isinstance(inputs, tuple) else (inputs,)
    case = Case(tuple(x if any(_leaves(x)) else given(x) for x in inputs), kwargs)
    if gradients is not None:
        case.answer = gradients if isinstance(gradients, tuple) else (gradients,)
    case.value, case.differs, case.dtypes = value, differs, dtypes
    return case


class Sample:
    """One row of the table: an op and what to try it on.

    ``dtypes``: those to try the first case in (all, unless something limits them).
    ``elementwise``: the op takes any shapes that broadcast, and works element by element.
    ``differentiable``: False if no gradient flows from the results to the inputs; that is asked too.
    ``gradient_differs``, ``complex_differs``: why TensorFlow's gradient, or that for complex inputs, is not
    ours (nor right).

    Excuses, each a sentence that says why. ``test_coverage`` fails where one is not needed any more:

    ``differences``: why the gradient is not what finite differences measure.
    ``second_order``: why the gradient's gradient is not asked.
    ``fixed``: the numbers of inputs that finite differences leave where they are, each with its reason.
    ``single``: why finite differences are taken in single precision, and so compared to three digits.
    ``rounds``: why results in float64 have the precision of float32.
    ``loose``: a factor on the tolerances, and why it is needed.
    """

    def __init__(
        self,
        op: Any,
        cases: Sequence[Any],
        *,
        name: str | None = None,
        at: Sequence[Case] = (),
        dtypes: Sequence[str] = ALL_DTYPES,
        attrs: dict[str, Any] | None = None,
        elementwise: bool = False,
        differentiable: bool = True,
        gradient_differs: str = "",
        complex_differs: str = "",
        differences: str = "",
        second_order: str = "",
        fixed: dict[int, str] | None = None,
        single: str = "",
        rounds: str = "",
        loose: tuple[float, str] = (1.0, ""),
    ) -> None:
        self.op = op
        self.path = op._path if isinstance(op, Name) else None
        self.name = name or self.path or op.__name__
        self.attrs = attrs or {}
        self.cases = [self._case(case) for case in cases]
        self.kinks = [self._case(case) for case in at]
        self.dtypes = tuple(dtypes)
        self.elementwise = elementwise
        self.differentiable = differentiable
        self.gradient_differs = gradient_differs
        self.complex_differs = complex_differs
        self.differences = differences
        self.second_order = second_order
        self.fixed = fixed or {}
        self.single = single
        self.rounds = rounds
        self.loose = loose

    def _case(self, case: Any) -> Case:
        if not isinstance(case, Case):
            case = Case(case if isinstance(case, tuple) else (case,), {})
        case.kwargs = {**self.attrs, **case.kwargs}
        return case

    def key(self, case: Case) -> str:
        """What this case is called in test ids and golden files: ``tf.add(reals(3), reals(3))``."""
        return f"{self.name}({case!r})"

    def __repr__(self) -> str:
        return self.name


class Run:
    """One case of a row, in one dtype: the arrays it is tried on, and the call itself."""

    def __init__(self, sample: Sample, case: Case, dtype: str) -> None:
        self.sample, self.case, self.dtype = sample, case, dtype
        self.key = sample.key(case)

    def __repr__(self) -> str:
        return f"{self.key}-{self.dtype}"

    def generator(self, place: object) -> np.random.Generator:
        """Random numbers that depend on nothing but this run's name and ``place``."""
        return np.random.default_rng(zlib.crc32(f"{self.key}/{place}".encode()))

    @functools.cached_property
    def arrays(self) -> list[np.ndarray[Any, Any]]:
        """The inputs, drawn; read, never written to."""
        draws = list(_leaves((self.case.args, self.case.kwargs)))
        return [draw.array(self.generator(place), self.dtype) for place, draw in enumerate(draws)]

    @property
    def checksum(self) -> int:
        """Changes when the inputs do; kept with the answers, so that a stale one is noticed."""
        parts = [b"".join(x.ravel()) if x.dtype == object else x.tobytes() for x in self.arrays]
        return zlib.crc32(b"".join(parts))

    def tensors(self, tf: Any) -> list[Any]:
        """The inputs as tensors of a namespace."""
        return [tf.constant(array) for array in self.arrays]

    def __call__(self, tf: Any, tensors: Sequence[Any]) -> Any:
        """The op's result on these tensors, in whatever nest the op returns."""
        queue = iter(tensors)
        args, kwargs = _fill((self.case.args, self.case.kwargs), queue, tf)
        function = look_up(tf, self.sample.path) if self.sample.path else self.sample.op
        if self.sample.path is None:
            return function(tf, *args, **kwargs)
        return function(*args, **kwargs)

    def seed(
        self, place: object, shape: Sequence[int], dtype: np.dtype[Any]
    ) -> np.ndarray[Any, Any]:
        """A random gradient to send back through output number ``place``."""
        generator = self.generator(f"seed {place}")
        numbers = (generator.integers(-127, 128, size=tuple(shape)) / 64).astype(np.float64)
        if dtype.kind == "c":
            numbers = numbers + 1j * generator.integers(-127, 128, size=tuple(shape)) / 64
        return numbers.astype(dtype)


def _leaves(nest: Any) -> Iterator[Draw]:
    if isinstance(nest, Draw):
        yield nest
    elif isinstance(nest, dict):
        for value in nest.values():
            yield from _leaves(value)
    elif isinstance(nest, (list, tuple)):
        for value in nest:
            yield from _leaves(value)


def _fill(nest: Any, queue: Iterator[Any], tf: Any) -> Any:
    """``nest`` with tensors in place of draws and objects of ``tf`` in place of names."""
    if isinstance(nest, Draw):
        return next(queue)
    if isinstance(nest, Name):
        return look_up(tf, nest._path)
    if isinstance(nest, Later):
        args, kwargs = _fill((nest.args, nest.kwargs), queue, tf)
        return look_up(tf, nest.function._path)(*args, **kwargs)
    if isinstance(nest, dict):
        return {key: _fill(value, queue, tf) for key, value in nest.items()}
    if isinstance(nest, (list, tuple)):
        return type(nest)(_fill(value, queue, tf) for value in nest)
    return nest


@functools.cache
def family(name: str) -> tuple[Sample, ...]:
    """The rows of one family."""
    module = importlib.import_module(f"{__name__}.{name}")
    rows: list[Sample] = module.samples(Name())
    return tuple(rows)


def all_samples() -> list[Sample]:
    """Every row of the table."""
    return [sample for name in FAMILIES for sample in family(name)]


def runs(rows: Sequence[Sample]) -> Iterator[Run]:
    """Every case of these rows in the dtypes it is recorded in."""
    for sample in rows:
        for number, case in enumerate(sample.cases):
            for dtype in _dtypes(sample, case, number):
                yield Run(sample, case, dtype)
        for case in sample.kinks:
            for dtype in case.dtypes or ("float32",):
                yield Run(sample, case, dtype)


def cases(sample: Sample) -> list[Run]:
    """Every case of the row once, in float32 if it is tried in that."""
    by_key: dict[str, Run] = {}
    for run in runs([sample]):
        if run.dtype == "float32" or run.key not in by_key:
            by_key[run.key] = run
    return list(by_key.values())


def first_runs(rows: Sequence[Sample]) -> Iterator[Run]:
    """One run of each row: its first case, in float32 if it is tried in that."""
    for sample in rows:
        dtypes = _dtypes(sample, sample.cases[0], 0) if sample.cases else ()
        if dtypes:
            yield Run(sample, sample.cases[0], "float32" if "float32" in dtypes else dtypes[0])


def other_runs(rows: Sequence[Sample]) -> Iterator[Run]:
    """The first case of each row in the dtypes that the row leaves out; TensorFlow may take them."""
    for sample in rows:
        for case in sample.cases[:1]:
            if any(draw.dtype is None for draw in _leaves((case.args, case.kwargs))):
                for dtype in ALL_DTYPES:
                    if dtype not in sample.dtypes:
                        yield Run(sample, case, dtype)


def _dtypes(sample: Sample, case: Case, number: int) -> tuple[str, ...]:
    if not any(draw.dtype is None for draw in _leaves((case.args, case.kwargs))):
        return ("float32",)  # nothing follows the dtype under test
    if number == 0:
        return sample.dtypes
    return ("float32",) if "float32" in sample.dtypes else sample.dtypes[:1]


def flatten(result: Any) -> list[Any]:
    """The tensors of a result, in order; sparse gradients stay whole."""
    if isinstance(result, dict):
        return [leaf for key in sorted(result) for leaf in flatten(result[key])]
    if isinstance(result, (list, tuple)):
        return [leaf for value in result for leaf in flatten(value)]
    return [result]


Rows = Callable[[Any], list[Sample]]
