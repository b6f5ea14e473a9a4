"""Compares what TensorFlow answers to drawn calls of the public functions with what is answered here.

`tests/drawn_calls.py` draws them. Where TensorFlow is installed, this makes calls number 0 to COUNT of a
seed, and keeps the answers:

    python tools/compare_calls.py record SEED COUNT calls.pickle

Where it is not, this makes the same calls, and prints what differs, by kind and by function, but for what
`known_differences.txt` says:

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

from drawn_calls import ROWS, Nest, Plain, draw, filled
from nests import cast, described
from samples import Later, Name, look_up

SECONDS, MEMORY, LARGE, UNITS = 20, 3 << 30, 1 << 15, 16
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


# --- Answers ---------------------------------------------------------------------------------------


class Answer:
    """What a call gives: an error, or tensors in a structure; and the same of its gradients."""

    def __init__(
        self, namespace: Any, place: int, nest: Nest, seed: int, wide: bool = False
    ) -> None:
        self.tf, self.row, self.seed, self.sources = namespace, ROWS[place], seed, []
        self.nest = self._arguments(filled(nest, _widened) if wide else nest)

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
    call = f"{number}: {described(name, nest)}"
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


def known_differences() -> list[tuple[str, str, str]]:
    """Patterns of the kind of a difference, of the function and of the text about it.

    Raises:
        ValueError: where `docs/differences.md` has not, or no longer, the words that a line goes by.
    """
    documented = (Path(__file__).parents[1] / "docs" / "differences.md").read_text()
    found = []
    for line in Path(__file__).with_name("known_differences.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            kind, name, text, words = line.split(" | ")
            if words not in documented:
                raise ValueError(f"docs/differences.md does not say {words!r}: {line}")
            found.append((f"^({kind})$", f"^({name})$", text))
    return found


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
            text = described(ROWS[row].name, nest)
            found = [("end of the process", ROWS[row].name, f"{number}: {text}")]
        for kind, name, text in found:
            groups[kind, name].append(text)
    kinds, known = collections.Counter[str](), known_differences()
    for (kind, name), texts in sorted(groups.items()):
        texts = [
            text
            for text in texts
            if not any(all(map(re.search, line, (kind, name, text))) for line in known)
        ]
        if not texts:
            continue
        kinds[kind] += len(texts)
        print(f"{kind} | {name} | {len(texts)}")
        print("\n".join(sorted(texts, key=len)[:3]))
    print(f"{len(rows)} calls; {dict(kinds)}")


if __name__ == "__main__":
    np.seterr(all="ignore")
    if sys.argv[1] == "compare":
        from samples.ask import Reused
    {"record": record, "compare": compare}[sys.argv[1]](*sys.argv[2:])
