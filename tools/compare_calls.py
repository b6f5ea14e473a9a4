"""Draws calls of the public functions and compares what TensorFlow answers with what is answered here.

Each call is one of the table of samples with one to three changes: other dtypes, shapes, values, arguments.
Where TensorFlow is installed, this makes calls number 0 to COUNT of a seed, and keeps the answers:

    python tools/compare_calls.py record SEED COUNT calls.pickle

Where it is not, this makes the same calls, and prints what differs, by kind and by function:

    python -m tapegrad tools/compare_calls.py compare calls.pickle [words of the calls to compare]

An answer is the class of an error, or a structure with dtypes, shapes and values, and gradients for a drawn
gradient of the results. Floats may differ by some units in the last place, or by four times TensorFlow's
largest error beside the same call in a wider dtype. Here each call is made in a `tf.function` too, which
must give the same bits. Calls are made in processes of their own, with limits on memory and time, as some
end the process.
"""

from __future__ import annotations

import collections
import contextlib
import functools
import inspect
import os
import pickle
import re
import resource
import signal
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

os.environ.update(TF_CPP_MIN_LOG_LEVEL="3", CUDA_VISIBLE_DEVICES="-1", TF_ENABLE_ONEDNN_OPTS="0")
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

import ml_dtypes
import numpy as np
import tensorflow as tf

import fuzz
from samples import ALL_DTYPES, Later, Name, Run, all_samples, look_up
from samples.draws import Draw

SECONDS, MEMORY, LARGE, UNITS = 20, 3 << 30, 1 << 15, 16
DTYPES = (*ALL_DTYPES, "float8_e4m3fn", "float8_e5m2", "int4", "uint4", "string")
WIDER = {**dict.fromkeys(("float16", "bfloat16", "float32"), "float64"), "complex64": "complex128"}
# Errors by which TensorFlow says that it has no kernel, not that the call has no meaning.
NO_KERNEL = (
    "NotFoundError",
    "UnimplementedError",
    "InternalError",
    "not in the list of allowed values",
)
REFUSALS = ("TypeError", "ValueError", "InvalidArgumentError")
# Rows that draw random numbers, which are other ones in functions.
DRAWS = re.compile(
    "random|shuffle|dropout|sampler|poisson|gamma|categorical|Multinomial|Truncated", re.I
)
ROWS = all_samples()
Nest = tuple[tuple[Any, ...], dict[str, Any]]


class Plain:
    """An argument that is given as it is, and not as a tensor: a NumPy array."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __repr__(self) -> str:
        return f"array({fuzz.describe(fuzz.Target('', None, (self.value,), {}))[1:-1]})"


# --- Drawing calls ---------------------------------------------------------------------------------


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
    nest = _filled((case.args, case.kwargs), lambda leaf: next(arrays))
    changes = [_change_dtypes, _change_shapes, _change_values, _change_values, _change_argument]
    for _ in range(generator.choice([1, 2, 3], p=[0.5, 0.35, 0.15])):
        # A change that the arguments cannot have leaves them as they are.
        with contextlib.suppress(ArithmeticError, IndexError, TypeError, ValueError):
            nest = changes[generator.integers(len(changes))](nest, generator, row)
    return place, nest


def _filled(nest: Any, array: Callable[[Any], Any]) -> Any:
    """The nest with ``array(leaf)`` in place of each drawn or given array."""
    if isinstance(nest, (np.ndarray, Draw)):
        return array(nest)
    if isinstance(nest, dict):
        return {key: _filled(value, array) for key, value in nest.items()}
    if isinstance(nest, (list, tuple)):
        return type(nest)(_filled(value, array) for value in nest)
    return nest


def _pick(generator: np.random.Generator, values: Any) -> Any:
    return values[generator.integers(len(values))]


def _array_paths(nest: Nest) -> list[tuple[Any, ...]]:
    return [p for p in fuzz._places(nest) if isinstance(fuzz._at(nest, p), np.ndarray)]


def cast(array: np.ndarray[Any, Any], name: str) -> np.ndarray[Any, Any]:
    """The array in a dtype of this name, a real part where the dtype is not complex."""
    if name == "string" or array.dtype == object:
        return fuzz._cast(array, name if name in fuzz._DTYPES else "float32")
    array = array.real if array.dtype.kind == "c" and "complex" not in name else array
    return array.astype(getattr(ml_dtypes, name, name))


def _change_dtypes(nest: Nest, generator: np.random.Generator, row: Any) -> Nest:
    """One array, or all of its dtype, in another dtype; or an array that is no tensor."""
    paths = _array_paths(nest)
    chosen = _pick(generator, paths)
    if generator.integers(6) == 0:
        array = fuzz._at(nest, chosen)
        return fuzz._replaced(
            nest, chosen, array.tolist() if generator.integers(2) else Plain(array)
        )
    dtype, name = fuzz._at(nest, chosen).dtype, _pick(generator, DTYPES)
    for path in paths if generator.integers(3) else [chosen]:
        array = fuzz._at(nest, path)
        if array.dtype == dtype:
            nest = fuzz._replaced(nest, path, cast(array, name))
    return nest


def _change_shapes(nest: Nest, generator: np.random.Generator, row: Any) -> Nest:
    """One array, or all, with an axis more, less or longer, without elements, with one, transposed."""
    kind, where = generator.integers(9), generator.random()
    paths = _array_paths(nest)
    for path in paths if generator.integers(3) == 0 else [_pick(generator, paths)]:
        array = fuzz._at(nest, path)
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
        nest = fuzz._replaced(nest, path, array)
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
    path = _pick(generator, _array_paths(nest))
    array = np.array(fuzz._at(nest, path))
    kind = generator.integers(8)
    if kind < 4 or array.dtype == object:
        elements, numbers = array.reshape(-1), special_numbers(array.dtype)
        for place in generator.integers(array.size, size=generator.integers(1, 4)):
            value = _pick(generator, numbers)
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
    return fuzz._replaced(nest, path, array)


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
    given = [
        path for path in fuzz._places(nest) if not isinstance(fuzz._at(nest, path), np.ndarray)
    ]
    taken = {*names[: len(nest[0])], *nest[1]}
    left = [
        n for n, default in parameters.items() if n not in taken and default is not inspect._empty
    ]
    if left and (not given or generator.integers(2)):
        name = _pick(generator, left)
        value = _other_value(name, parameters[name], generator)
        return nest[0], {**nest[1], name: value}
    path = _pick(generator, given)
    key = path[1] if path[0] == 1 else names[path[1]] if path[1] < len(names) else ""
    return fuzz._replaced(nest, path, _other_value(key, fuzz._at(nest, path), generator))


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
        name = _pick(generator, DTYPES)
        return Name(name) if name in ALL_DTYPES or generator.integers(2) else name
    if isinstance(value, (bool, np.bool_)):
        return _pick(generator, [not value, not value, None, 1])
    if isinstance(value, (int, np.integer)):
        other = int(_pick(generator, small)) if generator.integers(2) else int(value)
        kinds = [np.int32, np.int64, Plain, float, lambda v: [v], lambda v: np.array(v, "int32")]
        kinds += [lambda v: np.array(v, "int64"), lambda v: None]
        return _pick(generator, kinds)(other) if generator.integers(3) == 0 else other
    if isinstance(value, (float, np.floating)):
        return _pick(
            generator, [0.0, -0.0, 1, -value, 0.5, np.nan, np.inf, np.float64(value), None, 1e-9]
        )
    if isinstance(value, str):
        return _pick(generator, [*_words().get(key, []), value.lower(), value.upper(), "other"])
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
        return _pick(generator, [*small, [0], [-1, 0], [], (0, 1), np.array(0), np.array([0])])
    return _pick(generator, [None, 0, 1, 2, -1, [1], 0.5, True, np.array(1), np.array(0.5)])


# --- Answers ---------------------------------------------------------------------------------------


class Answer:
    """What a call gives: an error, or tensors in a structure; and the same of its gradients."""

    def __init__(
        self, namespace: Any, place: int, nest: Nest, seed: int, wide: bool = False
    ) -> None:
        self.tf, self.row, self.seed, self.sources = namespace, ROWS[place], seed, []
        self.nest = self._arguments(_filled(nest, _widened) if wide else nest)

    def _arguments(self, nest: Any) -> Any:
        if isinstance(nest, np.ndarray):
            self.sources.append(self.tf.constant(nest))
            return self.sources[-1]
        if isinstance(nest, Plain):
            return nest.value
        if isinstance(nest, (Name, Later)):
            path = (nest if isinstance(nest, Name) else nest.function)._path
            found = look_up(self.tf, path)
            return found if isinstance(nest, Name) else found(*nest.args, **nest.kwargs)
        if isinstance(nest, dict):
            return {key: self._arguments(value) for key, value in nest.items()}
        if isinstance(nest, (list, tuple)):
            return type(nest)(self._arguments(value) for value in nest)
        return nest

    def call(self, *sources: Any) -> Any:
        """The results for these sources in place of the call's own."""
        self.tf.random.set_seed(self.seed)
        queue = {id(old): new for old, new in zip(self.sources, sources, strict=True)}
        args, kwargs = self.tf.nest.map_structure(lambda leaf: queue.get(id(leaf), leaf), self.nest)
        if self.row.path:
            return look_up(self.tf, self.row.path)(*args, **kwargs)
        return self.row.op(self.tf, *args, **kwargs)

    def gradients(self, *sources: Any) -> Any:
        """The gradients by the floating sources."""
        smooth = [x for x in sources if x.dtype.is_floating or x.dtype.is_complex]
        with self.tf.GradientTape() as tape:
            tape.watch(smooth)
            found = self.tf.nest.flatten(self.call(*sources), expand_composites=True)
        found = [y for y in found if hasattr(y, "dtype") and hasattr(y, "shape")]
        found = [
            y for y in found if self.tf.is_tensor(y) and (y.dtype.is_floating or y.dtype.is_complex)
        ]
        if not smooth or not found:
            return []
        generator = np.random.default_rng(self.seed)
        seeds = []
        for y in found:
            numbers = generator.integers(-127, 128, tuple(y.shape)) / 64
            seeds.append(self.tf.cast(self.tf.constant(numbers), y.dtype))
        return tape.gradient(found, smooth, output_gradients=seeds)


def _widened(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    return cast(array, WIDER[array.dtype.name]) if array.dtype.name in WIDER else array


def encode_array(value: Any, dtype: Any) -> Any:
    """A dtype, a shape and bytes; or a list of texts."""
    array = np.asarray(value)
    if array.size > LARGE:
        raise OverflowError("more elements than are worth keeping")
    if array.dtype == object:
        return ("array", "string", array.shape, array.ravel().tolist())
    return ("array", dtype.name, array.shape, np.ascontiguousarray(array).tobytes())


def encode(value: Any) -> Any:
    """A result in lists, tuples and texts alone; an array is its dtype, shape and bytes."""
    if isinstance(value, dict):
        return ("dict", [str(key) for key in value], [encode(value[key]) for key in value])
    if isinstance(value, (list, tuple)):
        return (type(value).__name__, len(value), [encode(part) for part in value])
    if type(value).__name__ == "IndexedSlices":  # in any order
        order = np.argsort(value.indices.numpy(), kind="stable")
        parts = [
            encode_array(part.numpy()[order], part.dtype) for part in (value.values, value.indices)
        ]
        return ("IndexedSlices", str(value.shape), parts)
    for name, second in (("SparseTensor", "indices"), ("RaggedTensor", "row_splits")):
        if type(value).__name__ == name:
            return (name, str(value.shape), [encode(value.values), encode(getattr(value, second))])
    if hasattr(value, "dtype") and hasattr(value, "numpy"):
        return encode_array(value.numpy(), value.dtype)
    if value is None or isinstance(value, (bool, int, float, complex, str, bytes)):
        return ("python", type(value).__name__, repr(value))
    return (
        "python",
        type(value).__name__,
        str(value) if type(value).__name__ == "TensorShape" else "",
    )


def answers(answer: Callable[[], Answer]) -> tuple[Any, Any]:
    """The encoded results and gradients; ("error", class, words) in their place where there are none."""
    both: list[Any] = []
    for what in ("call", "gradients"):
        try:
            made = answer()
            both.append(encode(getattr(made, what)(*made.sources)))
        except Exception as error:
            both.append(("error", type(error).__name__, str(error)[:300]))
    return both[0], both[1]


def in_children(count: int, work: Callable[[int], Any]) -> Iterator[tuple[int, Any]]:
    """Each number with what ``work`` makes of it in a child process; None where that ended the process."""
    number = 0
    while number < count:
        reader, writer = os.pipe()
        child = os.fork()
        if not child:
            pages = int(Path("/proc/self/statm").read_text().split()[0])
            resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + MEMORY,) * 2)
            warnings.simplefilter("ignore")
            tf.get_logger().setLevel("ERROR")
            with os.fdopen(writer, "wb") as stream:
                for each in range(number, count):
                    signal.alarm(SECONDS)
                    pickle.dump(work(each), stream)
                    stream.flush()
            os._exit(0)
        os.close(writer)
        with (
            os.fdopen(reader, "rb") as stream,
            contextlib.suppress(EOFError, pickle.UnpicklingError),
        ):
            while number < count:
                yield number, pickle.load(stream)
                number += 1
        os.waitpid(child, 0)
        if number < count:
            yield number, None
            number += 1


# --- Comparing -------------------------------------------------------------------------------------


def leaves(answer: Any) -> list[Any]:
    """The arrays and Python's values in an encoded answer."""
    if answer[0] in ("array", "python", "error"):
        return [answer]
    return [leaf for part in answer[2] for leaf in leaves(part)]


def form(answer: Any) -> Any:
    """The structure of an encoded answer."""
    if answer[0] == "array":
        return "tensor"
    return answer[1] if answer[0] == "python" else (*answer[:2], [form(part) for part in answer[2]])


def decoded(leaf: Any) -> np.ndarray[Any, Any]:
    _, name, shape, content = leaf
    if name == "string":
        return np.array(content, object).reshape(shape)
    name = name.removeprefix("q") if name.startswith(("qint", "quint")) else name
    return np.frombuffer(content, getattr(ml_dtypes, name, name)).reshape(shape)


def difference(row: Any, ours: Any, theirs: Any, wide: Callable[[], Any]) -> str:
    """What kind of difference there is between two answers. "" where there is none."""
    if theirs[0] == "error":
        accident = theirs[1] not in REFUSALS or any(words in theirs[2] for words in NO_KERNEL)
        if ours[0] != "error":
            return "" if accident else "taken here"
        return (
            "" if ours[1] == theirs[1] or (accident and ours[1] in REFUSALS) else "class of error"
        )
    if ours[0] == "error":
        return "refused here"
    if form(ours) != form(theirs):
        return "structure"
    found = ""
    for place, (mine, other) in enumerate(zip(leaves(ours), leaves(theirs))):
        if mine == other:
            continue
        if mine[0] == "python" or mine[1] == "string":
            return "value"
        for part, kind in ((1, "dtype"), (2, "shape")):
            if mine[part] != other[part]:
                return kind
        a, b = decoded(mine), decoded(other)
        if a.dtype.kind in "biu" or "int" in a.dtype.name:
            return "value"
        reference = leaves(wide())
        matching = place < len(reference) and reference[place][0] == "array"
        w = decoded(reference[place]) if matching and a.dtype.name in WIDER else None
        w = w if w is not None and w.shape == a.shape else None
        found = found or floats_differ(a, b, w, "float32" if row.rounds else a.real.dtype)
    return found


def _parts(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Real numbers in float64, twice as many where they are complex."""
    return (
        array.astype("complex128").view("float64") if array.dtype.kind == "c" else array
    ).astype("f8")


def floats_differ(ours: Any, theirs: Any, reference: Any, precision: Any) -> str:
    """What kind of difference there is beyond rounding. ``reference`` has the results in a wider dtype."""
    info = ml_dtypes.finfo(precision)
    eps, tiny = float(info.eps), float(info.tiny)
    a, b = (_parts(np.atleast_1d(x)) for x in (ours, theirs))
    units = UNITS if eps < 1e-4 else 2 if eps < 0.01 else 0
    w = b if reference is None else _parts(np.atleast_1d(reference))
    # What lies below the normal numbers is 0 in TensorFlow.
    a, b = (np.where(np.abs(x) < tiny, np.copysign(0.0, x), x) for x in (a, b))
    finite = np.isfinite(a) & np.isfinite(b)
    same = (a == b) | (np.isnan(a) & np.isnan(b))
    with np.errstate(all="ignore"):
        largest = np.max(np.abs(w), initial=0.0, where=np.isfinite(w))
        errors = np.abs(b - w)
        theirs_error = 4 * np.max(errors, initial=0.0, where=np.isfinite(errors))
        near = np.abs(a - b) <= units * eps * np.maximum(np.abs(a), np.abs(b))
        if reference is None:
            near |= np.abs(a - b) <= 1e4 * eps * largest
        else:
            near |= np.abs(a - w) <= theirs_error + eps * (units * np.abs(w) + 2 * largest)
        right = np.isfinite(a) & (np.abs(a - w) <= units * eps * np.abs(w))
    if (~finite & ~same & ~right).any():
        return "not finite"
    if (finite & ~near).any():
        return "value"
    return "sign of zero" if ((a == 0) & (b == 0) & (np.signbit(a) != np.signbit(b))).any() else ""


def finds(row: Any) -> list[tuple[str, str, str]]:
    """The kind of each difference, the function, and a text about it."""
    number, (place, nest), theirs = row
    name = ROWS[place].name
    call = f"{number}: {fuzz.describe(fuzz.Target(name, None, *nest))}"
    make = lambda: Answer(tf, place, nest, number)
    ours = answers(make)
    if theirs is None:
        return []  # it ended TensorFlow's process, and nothing ended here
    wide = functools.cache(lambda: answers(lambda: Answer(tf, place, nest, number, wide=True)))
    found = []
    for part, what in enumerate(("", "gradient, ")):
        if part and "error" in (ours[0][0], theirs[0][0]):
            break
        kind = difference(ROWS[place], ours[part], theirs[part], lambda part=part: wide()[part])
        if part and (
            ROWS[place].gradient_differs or ROWS[place].complex_differs or kind == "sign of zero"
        ):
            continue
        if kind:
            found.append((what + kind, name, f"{call}\n{shown(theirs[part])}\n{shown(ours[part])}"))
        for again in in_function(make, ("call", "gradients")[part], ours[part]):
            found.append(
                (f"function, {what}", name, f"{call}\n{shown(ours[part])}\n{shown(again)}")
            )
    return found


def in_function(make: Callable[[], Answer], what: str, eager: Any) -> Iterator[Any]:
    """The answers of a recorded function that are not those of eager code."""
    try:
        answer, reused = make(), Reused()
    except Exception:  # of the arguments, which are made before the function is called
        return
    if DRAWS.search(answer.row.name):
        return  # their numbers are those of graphs

    def program(*sources: Any) -> Any:
        with reused:
            return getattr(answer, what)(*sources)

    function = tf.function(program)
    for _ in range(2):
        try:
            found = encode(function(*answer.sources))
        except Exception as error:
            found = ("error", type(error).__name__, str(error)[:300])
        if eager[0] == "error" or found[0] == "error":
            if found[:2] != eager[:2]:
                yield found
        else:
            # Python's numbers become tensors.
            pairs = zip(leaves(eager), leaves(found), strict=False)
            if any(old[0] == "array" and old != new for old, new in pairs):
                yield found


def shown(answer: Any) -> str:
    if answer[0] == "error":
        return f"   {answer[1]}: {answer[2][:150]}".replace("\n", " ")
    texts = []
    for leaf in leaves(answer):
        if leaf[0] == "python":
            texts.append(leaf[2] or leaf[1])
        else:
            array = decoded(leaf)
            numbers = np.array2string(array.ravel()[:12], separator=" ", max_line_width=10**6)
            texts.append(f"{leaf[1]}{list(array.shape)} {numbers}")
    return "   " + "; ".join(texts)[:400]


def record(seed: str, count: str, file: str) -> None:
    """Keep TensorFlow's answers to the calls of a seed."""

    def work(number: int) -> Any:
        place, nest = draw(int(seed), number)
        return (place, nest), answers(lambda: Answer(tf, place, nest, number))

    ended = 0
    with Path(file).open("wb") as stream:
        for number, kept in in_children(int(count), work):
            ended += kept is None
            pickle.dump((number, *(kept or (draw(int(seed), number), None))), stream)
    print(f"{count} calls, of which {ended} ended TensorFlow's process or took too long")


def compare(file: str, *words: str) -> None:
    """Print what is not answered here as TensorFlow does."""
    rows = []
    with Path(file).open("rb") as stream, contextlib.suppress(EOFError, pickle.UnpicklingError):
        while True:
            rows.append(pickle.load(stream))
    rows = [
        row for row in rows if not words or any(word in repr(ROWS[row[1][0]]) for word in words)
    ]
    groups: dict[tuple[str, str], list[str]] = collections.defaultdict(list)
    for place, found in in_children(len(rows), lambda place: finds(rows[place])):
        if found is None:
            number, (row, nest), _ = rows[place]
            text = fuzz.describe(fuzz.Target(ROWS[row].name, None, *nest))
            found = [("end of the process", ROWS[row].name, f"{number}: {text}")]
        for kind, name, text in found:
            groups[kind, name].append(text)
    kinds = collections.Counter()
    for (kind, _), texts in groups.items():
        kinds[kind] += len(texts)
    for (kind, name), texts in sorted(groups.items()):
        print(f"{kind} | {name} | {len(texts)}")
        print("\n".join(sorted(texts, key=len)[:3]))
    print(f"{len(rows)} calls; {dict(kinds)}")


if __name__ == "__main__":
    np.seterr(all="ignore")
    if sys.argv[1] == "compare":
        from samples.ask import Reused
    {"record": record, "compare": compare}[sys.argv[1]](*sys.argv[2:])
