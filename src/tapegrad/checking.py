"""Checks of whole derivatives: forward and reverse mode in all nestings, by arguments and by variables.

`tapegrad.testing` hands `check_gradients` to users. Derivatives are compared along random directions,
which is cheap. Only where one is wrong, the Jacobian is computed entry by entry, to say where.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from tapegrad.core import convert
from tapegrad.framework import nest
from tapegrad.transforms.forward import jvp
from tapegrad.transforms.reverse import vjp
from tapegrad.transforms.wrt import Wrt, floats, is_module, name_of, variable_behind

Array = np.ndarray[Any, Any]

MODES = ("forward", "reverse")
# In the search for the worst entry: how many elements of the arguments, and of the results, are looked at.
LOOKED_AT = 64
LEVELS = 4


def check_gradients(
    function: Callable[..., Any],
    args: Sequence[Any] = (),
    order: int = 1,
    modes: Sequence[str] = MODES,
    *,
    wrt: Any = None,
    directions: int = 2,
    rtol: float | None = None,
    atol: float | None = None,
    seed: int = 0,
    name: str | None = None,
) -> None:
    """Pass if ``function`` is differentiated correctly at ``args``, by forward and by reverse mode.

    >>> from tapegrad.testing import check_gradients
    >>> check_gradients(lambda x, y: tf.tanh(x) * y, ([0.1, -0.3], 2.0), order=2)
    >>> @tf.custom_gradient
    ... def wrong(x):
    ...     return tf.sin(x), lambda dy: dy * tf.cos(x) * [1.0, 1.5]
    >>> check_gradients(wrong, [tf.constant([0.1, 0.2])])  # doctest: +NORMALIZE_WHITESPACE, +ELLIPSIS
    Traceback (most recent call last):
    ...
    AssertionError: forward mode differentiates wrong() wrongly. The worst entry is the derivative of the
    result at [1] by argument 0 at [1]: by the rules it is 1.470099866, by finite differences 0.98006657...

    Args:
      function: takes tensors, other values and nests, and returns a tensor or a nest of them.
      args: a tuple or list of its arguments. Their floating numbers are converted to float64 (complex128),
        unless ``wrt`` names variables of coarser dtypes.
      order: how often to differentiate. With order 2 and both modes, all four nestings are checked.
      modes: "forward", "reverse" or both.
      wrt: what to differentiate by, as `tf.autodiff.grad` takes it: positions, variables, modules, or a
      nest
        of them. By default all floating numbers in ``args``. Variables keep their dtype. They are moved
        for the finite differences, and have their values again afterwards.
      directions: how many random directions to try.
      rtol, atol: how much the rules and finite differences may differ, beyond the error of the differences.
        By default 1e-6 and 1e-7, or 2e-3 and 1e-3 where a variable has a dtype coarser than float64.
      seed: the seed of the random directions.
      name: the name of the function in messages.

    Raises:
      AssertionError: A derivative is wrong, or finite differences do not settle.
      TypeError, ValueError: As `tf.autodiff.jvp` raises them for arguments that do not fit.
    """
    modes = [modes] if isinstance(modes, str) else list(modes)
    wrong = [mode for mode in modes if mode not in MODES]
    if wrong or not modes:
        raise ValueError(f"`modes` holds 'forward', 'reverse' or both; {modes!r} came.")
    if not isinstance(order, int) or order < 1:
        raise ValueError(f"`order` is a whole number of at least 1; {order!r} came.")
    if not isinstance(args, (tuple, list)):
        raise TypeError(
            "`args` is a tuple or list of the function's arguments, also where it has one: (x,); "
            f"a {type(args).__name__} came."
        )
    problem = Problem(function, args, wrt, name or name_of(function))
    coarse = any(map(_is_coarse, problem.variables))
    rtol = (2e-3 if coarse else 1e-6) if rtol is None else rtol
    atol = (1e-3 if coarse else 1e-7) if atol is None else atol
    generator = np.random.default_rng(seed)
    check = Check(problem, 2.0**-3 if coarse else 2.0**-7, rtol, atol, generator)
    for _ in range(directions):
        check.along_a_direction(modes)
    if order > 1:
        for mode in modes:
            derivative, more = problem.derivative(mode, generator)
            check_gradients(
                derivative,
                [*problem.values, *more],
                order - 1,
                modes,
                wrt=(*range(len(problem.values) + len(more)), *problem.variables),
                directions=directions,
                rtol=10 * rtol,
                atol=10 * atol,
                seed=seed + 1,
                name=f"the {mode} derivative of {problem.name}",
            )


def max_error(grad1: Sequence[Any], grad2: Sequence[Any]) -> float:
    """The largest difference between two lists of Jacobians, such as `tf.test.compute_gradient` returns.

    >>> from tapegrad.testing import max_error
    >>> max_error(*tf.test.compute_gradient(lambda x: x * x, [tf.constant([1.0, 2.0])])) < 1e-3
    True

    It is NaN where an entry is NaN in one of the two lists only.

    Raises:
      ValueError: The lists or the matrices have different sizes.
    """
    if len(grad1) != len(grad2):
        raise ValueError(
            f"max_error() compares as many matrices; {len(grad1)} and {len(grad2)} came."
        )
    largest = 0.0
    for first, second in zip(grad1, grad2, strict=True):
        left, right = np.asarray(first), np.asarray(second)
        if left.shape != right.shape:
            raise ValueError(
                f"max_error() compares matrices of one shape; {left.shape} and {right.shape} came."
            )
        with np.errstate(all="ignore"):
            error = np.abs(left.astype(np.float64) - right.astype(np.float64))
        error[(left == right) | (np.isnan(left) & np.isnan(right))] = 0.0
        largest = float(np.max(error, initial=largest))
    return largest


class Problem:
    """A function of flat lists of tensors, at one place.

    Attributes:
      values: the arguments to differentiate by, as arrays.
      variables: the variables to differentiate by.
    """

    def __init__(
        self, function: Callable[..., Any], args: Sequence[Any], wrt: Any, name: str
    ) -> None:
        self.function = function
        self.args = args
        self.name = name
        paths = list(nest.PLAIN.flatten_with_paths(list(args)))
        arrays = [_as_array(leaf) for _, leaf in paths]
        self.places, self.variables = _choose(args, arrays, wrt)
        # A variable keeps its dtype, and what is computed with it has to have the same.
        wide = not any(map(_is_coarse, self.variables))
        self.leaves = (
            [_in_double(leaf) for leaf in arrays]
            if wide
            else [_as_given(leaf, array) for (_, leaf), array in zip(paths, arrays, strict=True)]
        )
        self.values = [self.leaves[i] for i in self.places]
        self.names = [_place_name(paths[i][0]) for i in self.places]
        self.names += [f"the variable {variable.name!r}" for variable in self.variables]
        self.shapes = [value.shape for value in self.values]
        self.shapes += [tuple(variable.shape.as_list()) for variable in self.variables]
        self.dtypes = [value.dtype for value in self.values]
        self.dtypes += [variable.dtype.as_numpy_dtype for variable in self.variables]
        if not self.names:
            raise ValueError(
                f"{name} has no floating argument to differentiate by. Pass one in `args`, "
                "or name variables in `wrt`."
            )
        results = self.results(*map(convert, self.values))
        if not results:
            raise ValueError(f"{name}() returns no floating tensor: it has no derivative.")
        self.result_shapes = [tuple(result.shape.as_list()) for result in results]
        self.result_dtypes = [result.dtype.as_numpy_dtype for result in results]

    def results(self, *values: Any) -> list[Any]:
        """The floating results, sparse ones made dense, for tensors in the places of `values`."""
        leaves = list(self.leaves)
        for place, value in zip(self.places, values, strict=True):
            leaves[place] = value
        returned = self.function(*nest.pack_sequence_as(list(self.args), leaves))
        flat = [leaf for leaf in nest.flatten(returned) if leaf is not None]
        return [tensor for tensor in map(convert, flat) if floats(tensor)]

    def wrt(self) -> tuple[Any, ...]:
        """All arguments of `results`, and the variables."""
        return (*range(len(self.values)), *self.variables)

    def push(self, tangents: list[Array]) -> Array:
        """What forward mode says about a direction."""
        primals = tuple(map(convert, self.values))
        changes = jvp(self.results, primals, tuple(map(convert, tangents)), wrt=self.wrt())[1]
        return _parts(changes)

    def pull(self, cotangents: list[Array]) -> Array:
        """What reverse mode says about a vector at the results."""
        pull = vjp(self.results, *map(convert, self.values), wrt=self.wrt())[1]
        return _parts(map(convert, pull(list(map(convert, cotangents)))))

    def derivative(
        self, mode: str, generator: np.random.Generator
    ) -> tuple[Callable[..., Any], list[Array]]:
        """A derivative as a function of `values` and a vector, and the arrays of such a vector."""
        count = len(self.values)
        if mode == "forward":
            # The directions of variables are constants here.
            vectors = [
                _random(*way, generator) for way in zip(self.shapes, self.dtypes, strict=True)
            ]

            def pushed(*tensors: Any) -> Any:
                tangents = (*tensors[count:], *map(convert, vectors[count:]))
                return jvp(self.results, tensors[:count], tangents, wrt=self.wrt())[1]

            return pushed, vectors[:count]
        ways = zip(self.result_shapes, self.result_dtypes, strict=True)
        seeds = [_random(*way, generator) for way in ways]
        # Those of a coarse dtype are not converted to float64, as other arguments are.
        constant = [i for i, seed in enumerate(seeds) if seed.dtype.char not in "dD"]
        moving = [i for i in range(len(seeds)) if i not in constant]

        def pulled(*tensors: Any) -> Any:
            cotangents = [convert(seed) for seed in seeds]
            for i, tensor in zip(moving, tensors[count:], strict=True):
                cotangents[i] = tensor
            return vjp(self.results, *tensors[:count], wrt=self.wrt())[1](cotangents)

        return pulled, [seeds[i] for i in moving]

    def value_along(self, direction: Array, step: float) -> Array:
        """The parts of the results, ``step`` along the direction."""
        ways = self.split(direction, self.shapes, self.dtypes)
        with _moved(self.variables, ways[len(self.values) :], step):
            return _parts(
                self.results(
                    *(convert(x + step * d) for x, d in zip(self.values, ways, strict=False))
                )
            )

    @staticmethod
    def split(parts: Array, shapes: Sequence[tuple[int, ...]], kinds: Sequence[Any]) -> list[Array]:
        """Arrays of these shapes and dtypes whose parts are ``parts``."""
        arrays, begin = [], 0
        for shape, kind in zip(shapes, kinds, strict=True):
            dtype = np.dtype(kind)
            size = math.prod(shape) * (2 if dtype.kind == "c" else 1)
            piece = parts[begin : begin + size]
            if dtype.kind == "c":
                piece = piece.astype(np.float64).view(np.complex128)
            arrays.append(piece.reshape(shape).astype(dtype))
            begin += size
        return arrays


class Check:
    """Compares what the modes say with finite differences."""

    def __init__(
        self,
        problem: Problem,
        first_step: float,
        rtol: float,
        atol: float,
        generator: np.random.Generator,
    ) -> None:
        self.problem = problem
        self.first_step = first_step
        self.rtol = rtol
        self.atol = atol
        self.generator = generator
        self.width = _count(problem.shapes, problem.dtypes)
        self.height = _count(problem.result_shapes, problem.result_dtypes)

    def along_a_direction(self, modes: Sequence[str]) -> None:
        """Raise AssertionError if a mode is wrong along a random direction."""
        direction = self.generator.standard_normal(self.width)
        measured, error = self.slope(direction)
        scale = max(float(np.max(np.abs(measured), initial=0.0)), 1e-300)
        unsettled = ~(error <= 1e-3 * scale + max(1e-3, self.atol))
        for mode in modes:
            if mode == "forward":
                claimed, expected, doubt = self.push(direction), measured, error
            else:
                weights = self.generator.standard_normal(self.height)
                claimed = np.array([self.pull(weights) @ direction])
                expected = np.array([weights @ measured])
                doubt = np.array([np.abs(weights) @ error])
            allowed = self.rtol * np.maximum(scale, np.abs(claimed)) + self.atol + 4 * doubt
            if not (np.abs(claimed - expected) <= allowed).all():
                raise AssertionError(self.message(mode))
        if unsettled.any():
            worst = int(np.argmax(np.where(unsettled, error, -1.0)))
            raise AssertionError(
                f"the derivative of {self.problem.name}() cannot be judged: finite differences do not "
                f"settle at {self.result_name(worst)} ({measured[worst]:.6g} give or take "
                f"{error[worst]:.2g}). Choose arguments farther from kinks, or of the size of 1."
            )

    def push(self, direction: Array) -> Array:
        problem = self.problem
        return problem.push(problem.split(direction, problem.shapes, problem.dtypes))

    def pull(self, weights: Array) -> Array:
        problem = self.problem
        return problem.pull(problem.split(weights, problem.result_shapes, problem.result_dtypes))

    def slope(self, direction: Array) -> tuple[Array, Array]:
        """How fast the results change along a direction, and an estimate of the error, by Richardson."""
        best = np.zeros(self.height)
        error = np.full(self.height, np.inf)
        row: list[Array] = []
        for level in range(LEVELS):
            step = self.first_step * 0.5**level
            ends = [self.problem.value_along(direction, way * step) for way in (1.0, -1.0)]
            with np.errstate(all="ignore"):
                previous, row = row, [(ends[0] - ends[1]) / (2 * step)]
                for column, coarser in enumerate(previous):
                    factor = 4.0 ** (column + 1)
                    row.append((factor * row[column] - coarser) / (factor - 1))
                    apart = np.maximum(np.abs(row[-1] - row[-2]), np.abs(row[-1] - coarser))
                    closer = ~(apart > error)
                    best = np.where(closer, row[-1], best)
                    error = np.where(closer, apart, error)
        return best, error

    def message(self, mode: str) -> str:
        """What is wrong, and where most: the Jacobian is computed entry by entry."""
        columns = self.some(self.width)
        rows = self.some(self.height)
        by_rules = np.empty((len(rows), len(columns)))
        if mode == "forward":
            for j, column in enumerate(columns):
                by_rules[:, j] = self.push(_unit(self.width, column))[rows]
        else:
            for i, row in enumerate(rows):
                by_rules[i] = self.pull(_unit(self.height, row))[columns]
        measured = np.empty_like(by_rules)
        doubt = np.empty_like(by_rules)
        for j, column in enumerate(columns):
            slope, error = self.slope(_unit(self.width, column))
            measured[:, j], doubt[:, j] = slope[rows], error[rows]
        apart = np.abs(by_rules - measured) - 4 * doubt
        apart = np.where(np.isnan(apart), np.inf, apart)
        i, j = divmod(int(np.argmax(apart)), len(columns))
        looked_at = (
            "" if apart.size == self.width * self.height else f" of the {apart.size} looked at"
        )
        return (
            f"{mode} mode differentiates {self.problem.name}() wrongly. The worst entry{looked_at} is "
            f"the derivative of the {self.result_name(rows[i])} by {self.argument_name(columns[j])}: "
            f"by the rules it is {by_rules[i, j]:.10g}, by finite differences {measured[i, j]:.10g}."
        )

    def some(self, count: int) -> list[int]:
        if count <= LOOKED_AT:
            return list(range(count))
        return sorted(self.generator.choice(count, LOOKED_AT, replace=False).tolist())

    def argument_name(self, part: int) -> str:
        problem = self.problem
        return _element_name(part, problem.names, problem.shapes, problem.dtypes)

    def result_name(self, part: int) -> str:
        shapes = self.problem.result_shapes
        names = ["result"] if len(shapes) == 1 else [f"result {i}" for i in range(len(shapes))]
        return _element_name(part, names, shapes, self.problem.result_dtypes)


def _choose(args: Sequence[Any], leaves: list[Any], wrt: Any) -> tuple[list[int], list[Any]]:
    """Which of the leaves of ``args`` to differentiate by, and which variables."""
    floating = [i for i, leaf in enumerate(leaves) if _is_floating_array(leaf)]
    if wrt is None:
        return floating, []
    chosen = Wrt("check_gradients", wrt)
    owners = [i for i, argument in enumerate(args) for _ in nest.flatten(argument)]
    places: list[int] = []
    variables: list[Any] = []
    for leaf in chosen.leaves:
        if is_module(leaf):
            variables += [variable_behind(variable) for variable in chosen.variables_of(leaf)]
        elif variable_behind(leaf) is not None:
            variables.append(variable_behind(leaf))
        else:
            owner = chosen.position(leaf, args)
            places += [i for i in floating if owners[i] == owner and i not in places]
    return places, variables


def _is_floating_array(leaf: Any) -> bool:
    return isinstance(leaf, np.ndarray) and leaf.dtype.kind in "fc"


def _as_array(leaf: Any) -> Any:
    """A leaf as an array, if it holds floating numbers and is no variable."""
    if variable_behind(leaf) is not None or is_module(leaf):
        return leaf
    if isinstance(leaf, (float, complex)):
        return np.asarray(leaf)
    array = leaf.numpy() if hasattr(leaf, "numpy") else leaf
    if isinstance(array, (np.ndarray, np.generic)):
        array = np.asarray(array)
        if array.dtype.name == "bfloat16":
            return array.astype(np.float32)
        return array if array.dtype.kind in "fc" else leaf
    return leaf


def _in_double(leaf: Any) -> Any:
    """An array of floating numbers in float64 or complex128."""
    if not _is_floating_array(leaf):
        return leaf
    return leaf.astype(np.complex128 if leaf.dtype.kind == "c" else np.float64)


def _as_given(leaf: Any, array: Any) -> Any:
    """An array in the dtype that an op would give ``leaf``: a Python number has no dtype of its own."""
    if isinstance(leaf, (float, complex)):
        return np.asarray(convert(leaf).numpy())
    return array


def _is_coarse(variable: Any) -> bool:
    return bool(variable.dtype.real_dtype.size < 8)


@contextmanager
def _moved(variables: list[Any], ways: list[Array], step: float) -> Iterator[None]:
    """A context in which variables have other values."""
    kept = [variable.numpy() for variable in variables]
    try:
        for variable, value, way in zip(variables, kept, ways, strict=True):
            variable.assign((value + step * way).astype(value.dtype))
        yield
    finally:
        for variable, value in zip(variables, kept, strict=True):
            variable.assign(value)


def _random(shape: tuple[int, ...], kind: Any, generator: np.random.Generator) -> Array:
    numbers: Array = np.asarray(generator.standard_normal(shape))
    if np.dtype(kind).kind == "c":
        numbers = numbers + 1j * generator.standard_normal(shape)
    return numbers.astype(kind)


def _parts(tensors: Any) -> Array:
    """The elements of all tensors in one vector. Of complex ones the real and the imaginary part."""
    pieces = []
    for tensor in tensors:
        flat = np.ascontiguousarray(tensor.numpy()).reshape(-1)
        wide = flat.astype(np.complex128 if flat.dtype.kind == "c" else np.float64)
        pieces.append(wide.view(np.float64))
    return np.concatenate(pieces) if pieces else np.zeros(0)


def _count(shapes: Sequence[tuple[int, ...]], kinds: Sequence[Any]) -> int:
    return sum(
        math.prod(shape) * (2 if np.dtype(kind).kind == "c" else 1)
        for shape, kind in zip(shapes, kinds, strict=True)
    )


def _unit(size: int, place: int) -> Array:
    unit = np.zeros(size)
    unit[place] = 1.0
    return unit


def _element_name(
    part: int, names: Sequence[str], shapes: Sequence[tuple[int, ...]], kinds: Sequence[Any]
) -> str:
    for name, shape, kind in zip(names, shapes, kinds, strict=True):
        is_complex = np.dtype(kind).kind == "c"
        size = math.prod(shape) * (2 if is_complex else 1)
        if part < size:
            what = ""
            if is_complex:
                part, imaginary = divmod(part, 2)
                what = " (imaginary part)" if imaginary else " (real part)"
            if not shape:
                return name + what
            return f"{name} at {[int(i) for i in np.unravel_index(part, shape)]}{what}"
        part -= size
    raise IndexError(part)


def _place_name(path: Any) -> str:
    """The name of a leaf: its argument, and the way to it from there."""
    first, *rest = path
    return f"argument {first}" + "".join(f"[{step!r}]" for step in rest)
