"""Calls with malformed arguments: each must work or raise a named error, whatever comes in.

    python tests/fuzz.py --seed 1 --minutes 5       # what `make fuzz` runs
    python tests/fuzz.py --seed 1 --only 4711       # one call again, with its traceback
    python tests/fuzz.py --seed 0 --minutes 60      # every class of fault in every argument of every op

What is called comes from the table of samples: its rows, every op that they reach on the way there
and back (so the ops of gradients too, which no user calls), and the scenarios of
``fuzz_scenarios.py``, which are about what is no op. Call number n of a seed takes one of these,
spoils one or a few of its arguments, and asks for gradients of what comes back. Seed 0 goes through
them in order instead, with each fault of ``FAULTS`` in each argument that can have it.

The calls run in a process of their own, which writes down each call before it makes it. So when the
process dies of a signal, or of its alarm clock, the call that did it is known; the next process goes
on behind it.
"""

from __future__ import annotations

import argparse
import contextlib
import faulthandler
import json
import math
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from nests import at, cast, described, pick, places_in, replaced

Array = np.ndarray[Any, Any]

MEMORY = 1 << 30
"""Bytes that calls may take beyond what is there at the start; absurd sizes ask for more."""
LARGE = 1 << 24
"""Elements beyond which results are left alone."""
PROCESSOR_SECONDS = 10
"""What one call may take; the largest legitimate one takes a tenth of a second."""
WALL_SECONDS = 120
"""A call that waits for something, on a machine that may be busy with other things."""

# Classes beyond the OpErrors, TypeError and ValueError that a call may raise, and why.
ALLOWED: dict[type[Exception], str] = {
    LookupError: "the op has no rule for this gradient; TensorFlow's class for it",
    NotImplementedError: "TensorFlow's class where a documented option is not there",
    AttributeError: "TensorFlow's class where an argument lacks .shape or .dtype, as None does",
    IndexError: "Python's protocol: indexing and iterating over what has no such element",
    ZeroDivisionError: "Python's class for its own integers, of which static shapes consist",
    OverflowError: "Python's class for an integer that fits no 64 bits, as in TensorFlow",
    RecursionError: "Python's class for what is nested too deeply",
    BufferError: "the class of the protocols of buffers and DLPack",
    MemoryError: "NumPy's refusal of a size, where what is no op works out indices; nothing was taken",
}


class Target(NamedTuple):
    """Something to call: a name for messages, a function, and arguments that suit it."""

    name: str
    function: Callable[..., Any]
    args: tuple[Any, ...]
    kwargs: dict[str, Any]

    def text(self) -> str:
        return described(self.name, (self.args, self.kwargs))


class Finding(NamedTuple):
    """A call that broke the rule, and how."""

    number: int
    call: str
    problem: str


# --- What to call ----------------------------------------------------------------------------------


def targets() -> list[Target]:
    """Rows of the table, ops as the rows call them, and scenarios."""
    import fuzz_scenarios
    import tapegrad as tf
    from samples import Run, all_samples

    rows = [Run(sample, case, _dtype(sample)) for sample in all_samples() for case in sample.cases]
    found = []
    for run in rows:
        with contextlib.suppress(AttributeError):  # no such name: test_coverage says so
            if run.sample.name not in _LOOPS:
                found.append(_row_target(run, tf))
    found += _op_targets(rows)
    found += [
        # As often as an op with a handful of rows.
        Target(function.__name__, function, (), {})
        for function in fuzz_scenarios.SCENARIOS
        for _ in range(8)
    ]
    return found


# A loop whose end a spoilt argument takes away runs forever, as it should.
_LOOPS = {"tf.while_loop"}


def _dtype(sample: Any) -> str:
    return "float32" if "float32" in sample.dtypes else str(sample.dtypes[0])


def _row_target(run: Any, tf: Any) -> Target:
    from samples import _fill, look_up

    args, kwargs = _fill((run.case.args, run.case.kwargs), iter(run.arrays), tf)
    if run.sample.path:
        return Target(run.sample.name, look_up(tf, run.sample.path), args, kwargs)

    def written_for_tensors(*args: Any, **kwargs: Any) -> Any:
        # With two arrays ``x / y`` would be NumPy's.
        args, kwargs = _as_tensors((args, kwargs), tf, made := [])
        if not made:
            raise TypeError("these arguments call nothing of ours")
        return run.sample.op(tf, *args, **kwargs)

    return Target(run.sample.name, written_for_tensors, args, kwargs)


def _op_targets(rows: list[Any]) -> list[Target]:
    """Every registered op, with arguments that it once got: two calls of different shapes."""
    import tapegrad as tf
    from samples.ask import floats, gradients
    from tapegrad.core import Observer, Op, load_ops, registry

    load_ops()
    seen: dict[str, dict[Any, Target]] = {}

    class Listener(Observer):
        def observe(self, op: Op, inputs: Any, outputs: Any, attributes: Any) -> None:
            try:
                arrays = tuple(np.array(tensor.numpy()) for tensor in inputs)
            except TypeError:
                return  # a batch, whose items have no values of their own
            calls = seen.setdefault(op.type, {})
            key = tuple(array.shape for array in arrays)
            if len(calls) < 2 and key not in calls:
                split = len(op.inputs) - 1 if op.list_input else len(arrays)
                values = arrays[:split] + ((list(arrays[split:]),) if op.list_input else ())
                named = dict(zip(op.attributes, attributes, strict=True))
                calls[key] = Target(op.type, op, values, named)

    with Listener(), np.errstate(all="ignore"):
        for run in rows:
            with contextlib.suppress(Exception):
                tensors = run.tensors(tf)
                with tf.GradientTape() as tape:
                    tape.watch([tensor for tensor in tensors if floats(tensor)])
                    found = [part for part in gradients(run, tensors) if part is not None]
                tape.gradient(found, tensors)
    generator = np.random.default_rng(0)
    for op in [op for op in registry.values() if isinstance(op, Op)]:
        if op.type not in seen and not op.attributes and not op.list_input:
            arrays = tuple(generator.uniform(0.2, 0.8, (2, 3)).astype("f") for _ in op.inputs)
            seen[op.type] = {None: Target(op.type, op, arrays, {})}
    return [target for name in sorted(seen) for target in seen[name].values()]


# --- How to spoil arguments ------------------------------------------------------------------------

_ABSURD = [
    -1, 0, 1, 2, 3, 5, -2, -7, 2**31 - 1, 2**31, -(2**31), 2**32, 2**32 + 1, 2**40, 2**62, 2**63 - 1,
    -(2**63), 2**64, 2**70,
]  # fmt: skip
_FLOATS = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    np.nan,
    np.inf,
    -np.inf,
    1e38,
    -1e38,
    1e-45,
    0.5,
    2.0**31,
    -(2.0**63),
]
_WORDS = ["", "a", "%s%n%d", "{0}{x}{", "SAME", "\0", "é" * 50, "NHWC", "i,j->", "...,...->..."]
_DTYPES = (
    "float16 float32 float64 complex64 complex128 int8 int16 int32 int64 uint8 uint16 uint32 uint64 "
    "bool bfloat16 string"
).split()


def _odd(generator: np.random.Generator) -> Any:
    """Something that is no number."""
    deep: Any = 1.0
    for _ in range(int(generator.integers(2, 31))):  # NumPy's axes are 32 in places
        deep = [deep]
    choices: list[Any] = [
        None, True, "", "%s%n", b"\xff\x00", object(), {}, {"a": 1.0}, [], (), [[]], [[1], [2, 3]], deep,
        [None], 1j, float("nan"), 2**70, np.float64, slice(None), ..., set(), range(3), "int32",
        np.datetime64(1, "s"), np.array([{}], object), np.zeros(2, "V3"), memoryview(b"ab"),
    ]  # fmt: skip
    return choices[generator.integers(len(choices))]


def spoil_array(array: Array, generator: np.random.Generator) -> Any:
    """An array a little, or very, different from a good one."""
    kind = int(generator.integers(14))
    if kind == 0:
        return cast(array, pick(generator, _DTYPES))
    if kind == 13:  # no elements, and sizes whose product fits no 64 bits
        sizes = [int(pick(generator, [1, 3, 2**15, 2**31 + 1])) for _ in range(max(array.ndim, 1))]
        sizes[int(generator.integers(len(sizes)))] = 0
        with contextlib.suppress(ValueError):  # NumPy's own limit
            return np.zeros(sizes, array.dtype)
    if kind in (1, 2) and array.size:
        spoilt = np.array(array, order="C")
        elements = spoilt.reshape(-1)  # not `flat`, which has no more than 32 axes
        places = generator.integers(array.size, size=generator.integers(1, 4))
        for place in places:
            with (
                np.errstate(over="ignore"),
                contextlib.suppress(OverflowError, TypeError, ValueError),
            ):
                elements[place] = pick(generator, _ABSURD if array.dtype.kind in "iub" else _FLOATS)
        return spoilt
    if kind == 3:
        return array[..., None] if generator.integers(2) else array[None]
    if kind == 4 and array.ndim:
        return array[0] if array.shape[0] else array.ravel()
    if kind == 5 and array.ndim:
        axis = int(generator.integers(array.ndim))
        return np.take(array, np.arange(0), axis=axis)
    if kind in (6, 7) and array.ndim and array.size:
        axis = int(generator.integers(array.ndim))
        length = max(0, array.shape[axis] + int(pick(generator, [-1, 1, -2, 2, 5])))
        return np.take(array, np.arange(length), axis=axis, mode="wrap")
    if kind == 8:
        return np.resize(array, generator.integers(0, 4, size=generator.integers(0, 8)))
    if kind == 9:
        return strange_layout(array, generator)
    if kind == 10:
        return _odd(generator)
    if kind == 11 and array.dtype.kind in "fiu" and array.size:
        return np.full_like(array, pick(generator, [0, 1]))
    if kind == 12 and math.prod(max(size, 1) for size in array.shape) < LARGE:  # empty rows too
        return array.tolist()
    return array.ravel() if array.ndim != 1 else array.reshape(-1, 1)


def strange_layout(array: Array, generator: np.random.Generator) -> Array:
    """The same numbers, or as many, elsewhere in memory."""
    kind = int(generator.integers(7))
    if kind == 0:
        return np.asfortranarray(array)
    if kind == 1:
        return np.repeat(array, 2, axis=-1)[..., ::2] if array.ndim else array
    if kind == 2:
        return array[::-1] if array.ndim else array
    if kind == 3:
        unaligned: Array = np.frombuffer(b"\0" + array.tobytes(), np.uint8)[1:]
        return array if array.dtype == object else unaligned.view(array.dtype).reshape(array.shape)
    if kind == 4 and array.ndim:
        return np.broadcast_to(array[:1], array.shape) if array.size else array
    if kind == 5 and array.dtype.kind in "fiuc":
        return array.astype(array.dtype.newbyteorder(">"))
    locked = np.array(array)
    locked.flags.writeable = False
    return locked.T.T


def spoil_value(value: Any, generator: np.random.Generator) -> Any:
    """An attribute a little, or very, different from a good one."""
    import tapegrad as tf

    if type(value) is np.ndarray:
        return spoil_array(value, generator)
    if generator.integers(8) == 0:
        return _odd(generator)
    if isinstance(value, (bool, np.bool_)):
        return pick(generator, [not value, 2, "True", None])
    if isinstance(value, (int, np.integer)):
        return pick(generator, [*_ABSURD, int(value) + 1, int(value) - 1, -int(value), 1.5, "1"])
    if isinstance(value, float):
        return pick(generator, [*_FLOATS, -value, 1, "1.0"])
    if isinstance(value, str):
        return pick(generator, [*_WORDS, value.lower(), value * 2, value[:-1], 3])
    if isinstance(value, (list, tuple)):
        items = list(value)
        kind = int(generator.integers(6))
        if kind == 0:
            items.append(items[-1] if items else 1)
        elif kind == 1 and items:
            items.pop()
        elif kind == 2:
            items = []
        elif kind == 3:
            items = items * 2
        elif items:
            place = int(generator.integers(len(items)))
            items[place] = spoil_value(items[place], generator)
        return tuple(items) if isinstance(value, tuple) else items
    if isinstance(value, tf.DType):
        return tf.as_dtype(pick(generator, _DTYPES))
    return pick(generator, [*_ABSURD[:6], None, value, value, [1], "a"])


def spoil(target: Target, generator: np.random.Generator) -> Target:
    """The target with one, two or three of its arguments spoilt; now and then with none."""
    nest: Any = (target.args, target.kwargs)
    for _ in range(int(generator.choice([0, 1, 2, 3], p=[0.03, 0.55, 0.28, 0.14]))):
        places = list(places_in(nest))
        if places:
            path = places[generator.integers(len(places))]
            nest = replaced(nest, path, spoil_value(at(nest, path), generator))
    return target._replace(args=nest[0], kwargs=nest[1])


# --- Every fault in every argument -----------------------------------------------------------------

# What can be wrong with an argument, by its class at the end of the numerics contract. Each function
# returns the faulty value, or the value itself where there can be no such fault. Classes 8 (deep nests
# and long tapes), 13 and 14 (saved files) and 15 (threads) are about no argument.
FAULTS: list[tuple[int, Callable[[Any], Any]]] = [
    *((1, lambda v, n=number: _with_number(v, n, "iu")) for number in (-1, 7, 2**31 - 1, 2**63 - 1)),
    *((2, lambda v, n=number: n if _is_integer(v) else v) for number in (2**32, 2**32 + 1, -(2**31))),
    *((3, lambda v, n=number: n if _is_integer(v) else v) for number in (2**62, -(2**63), 2**70)),
    (3, lambda v: v[:0].reshape((0, *v.shape[1:])) if _is_array(v) and v.ndim else v),
    (3, lambda v: np.zeros((2**31 + 1, 0, 2**20), v.dtype) if _is_array(v) else v),
    (3, lambda v: np.zeros((0, *[2**15] * (v.ndim - 1)), v.dtype) if _is_array(v) and v.ndim else v),
    (4, lambda v: v[..., :0] if _is_array(v) and v.ndim else v),
    (4, lambda v: type(v)() if isinstance(v, (list, tuple)) else v),
    (5, lambda v: np.concatenate([v, v[:1]]) if _is_array(v) and v.ndim else v),
    (5, lambda v: v[..., 1:] if _is_array(v) and v.ndim else v),
    (5, lambda v: type(v)([*v, v[-1]]) if isinstance(v, (list, tuple)) and len(v) else v),
    *((6, lambda v, n=number: n if _is_integer(v) else v) for number in (-1, -9, 9)),
    (7, lambda v: v[None] if _is_array(v) else v),
    (7, lambda v: v.ravel()[0:1].reshape(()) if _is_array(v) and v.size else v),
    (7, lambda v: v.reshape((1,) * (31 - v.ndim) + v.shape) if _is_array(v) else v),
    (7, lambda v: v[0] if isinstance(v, (list, tuple)) and len(v) else v),
    *((9, lambda v, n=number: _with_number(v, n, "fc")) for number in (np.nan, np.inf, -1e38)),
    (9, lambda v: np.full(v.shape, np.nan, np.float32) if _is_array(v) and v.dtype.kind in "iu" else v),
    (10, lambda v: np.asfortranarray(v) if _is_array(v) and v.ndim > 1 else v),
    (10, lambda v: np.repeat(v, 2, axis=-1)[..., ::-2] if _is_array(v) and v.ndim else v),
    (10, lambda v: np.broadcast_to(v[:1], v.shape) if _is_array(v) and v.ndim and v.size else v),
    (10, lambda v: _unaligned(v) if _is_array(v) else v),
    (11, lambda v: cast(v, "string") if _is_array(v) else v),
    (11, lambda v: "1" if _is_integer(v) or isinstance(v, float) else v),
    (11, lambda v: None),
    *((12, lambda v, w=word: w if isinstance(v, str) else v) for word in ("%s%n%d", "{0}{x}{", "\0")),
]  # fmt: skip


def _is_array(value: Any) -> bool:
    return type(value) is np.ndarray and value.dtype != object


def _is_integer(value: Any) -> bool:
    return isinstance(value, (int, np.integer)) and not isinstance(value, (bool, np.bool_))


def _with_number(value: Any, number: Any, kinds: str) -> Any:
    """An array of one of these kinds with the number in its last place."""
    if not _is_array(value) or value.dtype.kind not in kinds or not value.size:
        return value
    spoilt = np.array(value)
    with np.errstate(all="ignore"):
        spoilt.flat[-1] = np.array(number).astype(value.dtype)  # cut to size, where it is too large
    return spoilt


def _unaligned(array: Array) -> Array:
    moved: Array = np.frombuffer(b"\0" + array.tobytes(), np.uint8)[1:]
    return moved.view(array.dtype).reshape(array.shape)


def all_faults(everything: list[Target]) -> list[Target]:
    """The targets with every fault that their arguments can have, one at a time."""
    found = []
    for target in everything:
        for path in places_in((target.args, target.kwargs)):
            value = at((target.args, target.kwargs), path)
            for _, fault in FAULTS:
                spoilt = fault(value)
                if spoilt is not value:
                    args, kwargs = replaced((target.args, target.kwargs), path, spoilt)
                    found.append(target._replace(args=args, kwargs=kwargs))
    return found


# --- One call --------------------------------------------------------------------------------------


def _as_tensors(nest: Any, tf: Any, made: list[Any]) -> Any:
    """The nest with tensors (collected in ``made``) in place of arrays that can be."""
    if isinstance(nest, np.ndarray):
        tensor = tf.constant(nest)
        made.append(tensor)
        return tensor
    if isinstance(nest, dict):
        return {key: _as_tensors(value, tf, made) for key, value in nest.items()}
    if type(nest) in (list, tuple) and len(nest) < 100:
        return type(nest)(_as_tensors(value, tf, made) for value in nest)
    return nest


def _results(value: Any, depth: int = 0) -> Iterator[Any]:
    """The tensors of a result."""
    if depth < 4 and isinstance(value, (list, tuple)):
        for part in value:
            yield from _results(part, depth + 1)
    elif depth < 4 and isinstance(value, dict):
        yield from _results(list(value.values()), depth + 1)
    elif hasattr(value, "numpy") and hasattr(value, "dtype"):
        yield value
    elif hasattr(value, "values") and hasattr(value, "indices"):
        yield from _results([value.values, value.indices], depth + 1)


def make_call(target: Target, generator: np.random.Generator) -> None:
    """Forward, back, and sometimes back again; every result is read to its last byte."""
    import tapegrad as tf

    if not target.args and not target.kwargs:  # a scenario
        target.function(generator)
        return
    tensors: list[Any] = []
    args, kwargs = target.args, target.kwargs
    if generator.integers(10):
        args, kwargs = _as_tensors((args, kwargs), tf, tensors)
    before = [tensor.numpy() for tensor in tensors]
    order_two = generator.integers(8) == 0
    some = generator.integers(3) == 0
    with tf.GradientTape(persistent=True) as outer, tf.GradientTape(persistent=True) as tape:
        sources = [x for x in tensors if x.dtype.is_floating or x.dtype.is_complex]
        outer.watch(sources)
        watched = [x for x in sources if not some or generator.integers(2)]
        tape.watch(watched)
        outputs = list(_results(target.function(*args, **kwargs)))
        if sum(math.prod(output.shape) for output in outputs) > LARGE:
            return  # a broadcast view, of which there is one element in memory
        for output in outputs:
            np.array(output.numpy())
        outputs = [y for y in outputs if y.dtype.is_floating or y.dtype.is_complex]
        found = []
        if sources and outputs:
            seeds = None
            if generator.integers(4) == 0:
                seeds = [spoil_array(np.ones_like(y.numpy()), generator) for y in outputs]
            found = tape.gradient(outputs, sources, output_gradients=seeds)
            for gradient, source in zip(found, sources, strict=True):
                if gradient is not None and not any(source is x for x in [*watched, *outputs]):
                    raise AssertionError("a gradient by a tensor that the tape does not watch")
            # What is computed last can be a source too, also of an op without a gradient.
            _check_gradients(tape.gradient([tf.identity(y) for y in outputs], outputs), outputs)
            # Internal ops need not look: they are called with what fits.
            if not target.name.startswith("_"):
                _check_gradients(found, sources)
            order_two = order_two and not target.name.startswith("_")
    if order_two and found and any(gradient is not None for gradient in found):
        _check_gradients(outer.gradient([g for g in found if g is not None], sources), sources)
    for tensor, array in zip(tensors, before, strict=True):
        if np.asarray(tensor.numpy()).tobytes() != np.asarray(array).tobytes():
            raise AssertionError("an input was written to")


def _check_gradients(found: list[Any], sources: list[Any]) -> None:
    for gradient, source in zip(found, sources, strict=True):
        if gradient is None:
            continue
        for part in _results(gradient):
            np.array(part.numpy())
        if gradient.dtype != source.dtype:
            raise AssertionError(f"gradient of {gradient.dtype} for a source of {source.dtype}")
        if hasattr(gradient, "numpy") and tuple(gradient.shape) != tuple(source.shape):
            raise AssertionError(f"gradient of shape {gradient.shape} for {source.shape}")


def judge(error: Exception) -> str:
    """What is wrong with this error; nothing if a user may get it."""
    import tapegrad as tf

    if isinstance(error, (tf.errors.OpError, TypeError, ValueError, *ALLOWED)):
        return ""
    if type(error) is RuntimeError and "persistent" in str(error):
        return ""  # a spent tape, in TensorFlow's class
    return f"{type(error).__name__}: {error}"


# --- The process that makes the calls ----------------------------------------------------------------


def choose(everything: list[Target], seed: int, number: int) -> tuple[Target, np.random.Generator]:
    """Call ``number`` of a seed, and the generator that goes on deciding.

    ``everything`` is what `targets` returned, or, for seed 0, `all_faults`.
    """
    generator = np.random.default_rng([seed, number])
    if seed == 0:
        return everything[number], generator
    target = everything[generator.integers(len(everything))]
    with np.errstate(all="ignore"):  # these casts are meant to overflow
        return spoil(target, generator), generator


def limit_memory() -> None:
    """Refuse what takes more than `MEMORY` beyond what there is."""
    if sys.platform == "linux":
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        limit = pages * resource.getpagesize() + MEMORY
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def work(seed: int, first: int, step: int, until: float, journal: int, last: int) -> None:
    """Make calls first, first + step, ... until the clock says so, telling of each before it is made."""
    everything = targets() if seed else all_faults(targets())
    last = last if seed else min(last, len(everything))
    faulthandler.enable()
    for alarm in (signal.SIGPROF, signal.SIGALRM):
        faulthandler.register(alarm, all_threads=False, chain=True)
    limit_memory()
    warnings.simplefilter("error")
    warnings.filterwarnings("ignore", category=np.exceptions.ComplexWarning)
    number = first
    while time.time() < until and number < last:
        os.pwrite(journal, f"{number} (not yet spoilt)".ljust(2000).encode(), 0)
        target, generator = choose(everything, seed, number)
        os.pwrite(journal, f"{number} {target.text()}"[:2000].ljust(2000).encode()[:2000], 0)
        signal.setitimer(signal.ITIMER_PROF, PROCESSOR_SECONDS)
        signal.setitimer(signal.ITIMER_REAL, WALL_SECONDS)
        problem = ""
        try:
            make_call(target, generator)
        except Exception as error:
            problem = judge(error)
            if problem and last == first + 1:
                traceback.print_exc()
            where = traceback.extract_tb(error.__traceback__)[-1]
            problem += f" ({where.filename.rsplit('/', 1)[-1]}:{where.lineno})" if problem else ""
        if problem:
            print(json.dumps([number, target.text(), problem]), flush=True)
        number += step
    signal.setitimer(signal.ITIMER_PROF, 0)
    signal.setitimer(signal.ITIMER_REAL, 0)
    os.pwrite(journal, f"{number} done".ljust(2000).encode(), 0)


# --- The process that watches ------------------------------------------------------------------------


def watch(
    seed: int, seconds: float, first: int = 0, step: int = 1, last: int = 1 << 60
) -> Iterator[Finding]:
    """Findings of a run of so many seconds (after its start); it ends early if everything crashes."""
    deadline: float | None = None
    environment = dict(os.environ, OPENBLAS_NUM_THREADS="1", MALLOC_PERTURB_="165")
    number, crashes = first, 0
    while crashes < 20 and number < last and (deadline is None or time.time() < deadline):
        with tempfile.TemporaryFile() as journal:
            until = deadline or time.time() + seconds
            options = [seed, number, step, until, journal.fileno(), last]
            process = subprocess.run(
                [sys.executable, __file__, "--work", *map(str, options)],
                pass_fds=[journal.fileno()],
                capture_output=True,
                text=True,
                env=environment,
            )
            deadline = until
            note = os.pread(journal.fileno(), 2000, 0).decode(errors="replace").strip()
        for line in process.stdout.splitlines():
            if line.startswith("["):
                yield Finding(*json.loads(line))
        if process.returncode == 0 and note.endswith("done"):
            return
        if not note:
            raise RuntimeError(
                f"the process did not get so far as a call:\n{process.stderr[-3000:]}"
            )
        died, call = note.split(" ", 1)
        yield Finding(int(died), call, _cause(process.returncode) + "\n" + process.stderr[-1500:])
        number, crashes = int(died) + step, crashes + 1


def _cause(code: int) -> str:
    if code == -signal.SIGPROF:
        return f"HANG: more than {PROCESSOR_SECONDS} s of processor time"
    if code == -signal.SIGALRM:
        return f"HANG: more than {WALL_SECONDS} s"
    return f"CRASH: {signal.Signals(-code).name}" if code < 0 else f"CRASH: exit status {code}"


def main() -> int:
    if sys.argv[1:2] == ["--work"]:
        seed, first, step, until, journal, last = sys.argv[2:]
        work(int(seed), int(first), int(step), float(until), int(journal), int(last))
        return 0
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seed", type=int, default=int(time.time()), help="decides every call")
    parser.add_argument("--minutes", type=float, default=5.0)
    parser.add_argument("--only", type=int, help="make this one call, here, and show its traceback")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--step", type=int, default=1)
    options = parser.parse_args()
    if options.only is not None:
        everything = targets() if options.seed else all_faults(targets())
        limit_memory()
        target, generator = choose(everything, options.seed, options.only)
        print(target.text(), flush=True)
        faulthandler.enable()
        warnings.simplefilter("error")
        make_call(target, generator)
        return 0
    print(f"seed {options.seed}, {options.minutes:g} minutes", flush=True)
    count = 0
    for finding in watch(options.seed, 60 * options.minutes, options.first, options.step):
        count += 1
        print(f"{finding.number}: {finding.call}\n    {finding.problem}", flush=True)
    print(f"{count} findings")
    return 1 if count else 0


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent))
    sys.exit(main())
