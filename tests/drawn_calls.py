"""Calls that are drawn: each is a case of the table of samples with one to three changes.

The changes may well be legitimate; `fuzz.py` spoils calls. A seed and a number give the same call with
TensorFlow and here, so that `tools/compare_calls.py` compares the answers.
"""

from __future__ import annotations

import collections
import contextlib
import functools
import inspect
from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import tensorflow as tf

from nests import at, cast, described, pick, places_in, replaced
from samples import ALL_DTYPES, Name, Run, all_samples, look_up
from samples.draws import Draw

DTYPES = (*ALL_DTYPES, "float8_e4m3fn", "float8_e5m2", "int4", "uint4", "string")
ROWS = all_samples()
Nest = tuple[tuple[Any, ...], dict[str, Any]]


class Plain:
    """An argument that is given as it is, and not as a tensor: a NumPy array."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __repr__(self) -> str:
        return f"array{described('', ((self.value,), {}))}"


def draw(seed: int, number: int) -> tuple[int, Nest]:
    """Call ``number`` of a seed: the place of its row in the table, and arguments."""
    generator = np.random.default_rng([seed, number])
    place = number % len(ROWS)
    row = ROWS[place]
    cases = [*row.cases, *row.kinks]
    case = cases[generator.integers(len(cases))]
    dtypes = case.dtypes or row.dtypes
    if "float32" in dtypes and generator.integers(2):
        dtypes = ("float32",)
    run = Run(row, case, dtypes[generator.integers(len(dtypes))])
    arrays = iter(run.arrays)
    nest = filled((case.args, case.kwargs), lambda leaf: next(arrays))
    changes = [_change_dtypes, _change_shapes, _change_values, _change_values, _change_argument]
    for _ in range(generator.choice([1, 2, 3], p=[0.5, 0.35, 0.15])):
        # A change that the arguments cannot have leaves them as they are.
        with contextlib.suppress(ArithmeticError, IndexError, TypeError, ValueError):
            nest = changes[generator.integers(len(changes))](nest, generator, row)
    return place, nest


def filled(nest: Any, array: Callable[[Any], Any]) -> Any:
    """The nest with ``array(leaf)`` in place of each drawn or given array."""
    if isinstance(nest, (np.ndarray, Draw)):
        return array(nest)
    if isinstance(nest, dict):
        return {key: filled(value, array) for key, value in nest.items()}
    if isinstance(nest, (list, tuple)):
        return type(nest)(filled(value, array) for value in nest)
    return nest


def _array_paths(nest: Nest) -> list[tuple[Any, ...]]:
    return [p for p in places_in(nest) if isinstance(at(nest, p), np.ndarray)]


def _change_dtypes(nest: Nest, generator: np.random.Generator, row: Any) -> Nest:
    """One array, or all of its dtype, in another dtype; or an array that is no tensor."""
    paths = _array_paths(nest)
    chosen = pick(generator, paths)
    if generator.integers(6) == 0:
        array = at(nest, chosen)
        return replaced(nest, chosen, array.tolist() if generator.integers(2) else Plain(array))
    dtype, name = at(nest, chosen).dtype, pick(generator, DTYPES)
    for path in paths if generator.integers(3) else [chosen]:
        array = at(nest, path)
        if array.dtype == dtype:
            nest = replaced(nest, path, cast(array, name))
    return nest


def _change_shapes(nest: Nest, generator: np.random.Generator, row: Any) -> Nest:
    """One array, or all, with an axis more, less or longer, without elements, with one, transposed."""
    kind, where = generator.integers(9), generator.random()
    paths = _array_paths(nest)
    for path in paths if generator.integers(3) == 0 else [pick(generator, paths)]:
        array = at(nest, path)
        axis = int(where * array.ndim)
        if kind == 0:
            array = np.expand_dims(array, int(where * (array.ndim + 1)))
        elif kind == 1:
            array = np.stack([array, array[..., ::-1] if array.ndim else array])
        elif kind == 2:
            array = array.ravel()[:1].reshape(())
        elif kind == 3:
            array = np.swapaxes(array, axis, -1)
        elif kind == 4:
            array = array[0]
        else:
            size = [0, 1, array.shape[axis] + 1, array.shape[axis] - 1][kind - 5]
            array = np.take(array, np.arange(size), axis, mode="wrap")
        nest = replaced(nest, path, array)
    return nest


def special_numbers(dtype: np.dtype[Any]) -> list[Any]:
    """Numbers of a dtype by which functions are told apart. TensorFlow takes those below the normal for 0."""
    if dtype.hasobject:
        return [b"", b"a", b"12", b"1e5", b"nan", "é".encode(), b"\xff"]
    if dtype.kind == "b":
        return [True, False]
    if dtype.kind in "iu" or "int" in dtype.name:
        info = ml_dtypes.iinfo(dtype)
        return [
            0,
            1,
            2,
            3,
            7,
            31,
            32,
            63,
            int(info.max),
            int(info.max) - 1,
            int(info.min),
            -1,
            -2,
            -5,
        ]
    real = dtype if dtype.kind != "c" else np.zeros(0, dtype).real.dtype
    info = ml_dtypes.finfo(real)
    numbers = [
        np.nan,
        np.inf,
        -np.inf,
        0.0,
        -0.0,
        1.0,
        -1.0,
        0.5,
        2.5,
        -1.5,
        1e-3,
        30.0,
        -100.0,
        3e4,
    ]
    numbers += [
        float(info.max),
        -float(info.max),
        float(info.tiny),
        float(info.eps),
        1 - float(info.eps),
    ]
    if dtype.kind == "c":
        return [complex(x, y) for x in numbers for y in (0.0, -0.0, 1.0, np.inf, np.nan)]
    return numbers


def _change_values(nest: Nest, generator: np.random.Generator, row: Any) -> Nest:
    """An array with some special numbers, or all negated, equal, scaled or rounded."""
    path = pick(generator, _array_paths(nest))
    array = np.array(at(nest, path))
    kind = generator.integers(8)
    if kind < 4 or array.dtype == object:
        elements, numbers = array.reshape(-1), special_numbers(array.dtype)
        for place in generator.integers(array.size, size=generator.integers(1, 4)):
            value = pick(generator, numbers)
            elements[place] = (
                value if array.dtype == object else np.array(value).astype(array.dtype)
            )
    elif kind == 4:
        array = np.negative(array)
    elif kind == 5:
        array = np.full_like(array, array.ravel()[0])
    elif kind == 6:
        array = (array * array.dtype.type(2.0 ** generator.integers(-12, 13))).astype(array.dtype)
    else:
        array = np.rint(array).astype(array.dtype)
    return replaced(nest, path, array)


@functools.cache
def _words() -> dict[str, list[str]]:
    """The texts that stand in the table, by the name of the argument."""
    found: dict[str, set[str]] = collections.defaultdict(set)
    for row in ROWS:
        for case in row.cases:
            for key, value in case.kwargs.items():
                if isinstance(value, str):
                    found[key].add(value)
    return {key: sorted(values) for key, values in found.items()}


def _change_argument(nest: Nest, generator: np.random.Generator, row: Any) -> Nest:
    """An argument that is no array with another value, or one that the row leaves out."""
    parameters = _parameters(row)
    names = [*parameters]
    given = [path for path in places_in(nest) if not isinstance(at(nest, path), np.ndarray)]
    taken = {*names[: len(nest[0])], *nest[1]}
    left = [
        n for n, default in parameters.items() if n not in taken and default is not inspect._empty
    ]
    if left and (not given or generator.integers(2)):
        name = pick(generator, left)
        value = _other_value(name, parameters[name], generator)
        return nest[0], {**nest[1], name: value}
    path = pick(generator, given)
    key = path[1] if path[0] == 1 else names[path[1]] if path[1] < len(names) else ""
    return replaced(nest, path, _other_value(key, at(nest, path), generator))


def _parameters(row: Any) -> dict[str, Any]:
    """The parameters of a row's function with their defaults, those that are but labels left out."""
    try:
        function = look_up(tf, row.path) if row.path else row.op
        found = inspect.signature(function).parameters.values()
    except (AttributeError, TypeError, ValueError):  # no such name, or one that says nothing
        return {}
    kept = {p.name: p.default for p in found if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)}
    for name in ("name", *([] if row.path else ["tf"])):
        kept.pop(name, None)
    return kept


def _other_value(key: str, value: Any, generator: np.random.Generator) -> Any:
    small = [0, 1, 2, -1, -2, 3, 5, -3]
    if "dtype" in key or "out_type" in key or isinstance(value, Name):
        name = pick(generator, DTYPES)
        return Name(name) if name in ALL_DTYPES or generator.integers(2) else name
    if isinstance(value, (bool, np.bool_)):
        return pick(generator, [not value, not value, None, 1])
    if isinstance(value, (int, np.integer)):
        other = int(pick(generator, small)) if generator.integers(2) else int(value)
        kinds = [np.int32, np.int64, Plain, float, lambda v: [v], lambda v: np.array(v, "int32")]
        kinds += [lambda v: np.array(v, "int64"), lambda v: None]
        return pick(generator, kinds)(other) if generator.integers(3) == 0 else other
    if isinstance(value, (float, np.floating)):
        return pick(
            generator, [0.0, -0.0, 1, -value, 0.5, np.nan, np.inf, np.float64(value), None, 1e-9]
        )
    if isinstance(value, str):
        return pick(generator, [*_words().get(key, []), value.lower(), value.upper(), "other"])
    if isinstance(value, (list, tuple)):
        items = list(value)
        kind = generator.integers(8)
        if kind == 0:
            items = items[:-1]
        elif kind == 1:
            items += items[-1:]
        elif kind == 2 and items:
            return items[0]
        elif kind == 3:
            return np.array(value)
        elif kind == 4:
            return list(value) if isinstance(value, tuple) else tuple(value)
        elif items:
            place = generator.integers(len(items))
            items[place] = _other_value(key, items[place], generator)
        return type(value)(items)
    if "ax" in key or "dim" in key:
        return pick(generator, [*small, [0], [-1, 0], [], (0, 1), np.array(0), np.array([0])])
    return pick(generator, [None, 0, 1, 2, -1, [1], 0.5, True, np.array(1), np.array(0.5)])
