"""What a call of each public function takes beyond its kernels, on the few numbers of its samples.

    python -m benchmarks calls                      every function that has a row in tests/samples
    python -m benchmarks.bench_calls tf.pad tf.roll     some of them, every case and way
    python -m benchmarks.bench_calls --gradients        and what a gradient takes beyond the call

Three ways of calling: as the row has it; with every argument by its name; and, where a row is of an
elementwise op of several tensors, with a Python number in place of each tensor but the first. A row that
is a little program of several calls is taken apart into its calls of public functions; as a whole it is
counted apart.

The kernels of a call are the ops that an observer sees in it. Each runs again on the arrays it had, by
`Op.run`: no arguments are bound, no tensors looked at, nobody is told. So an op's kernel is all that runs
between its arrays and the arrays it gives, Python in kernels too, and the kernel of a function of several
ops is the sum of theirs. A function of the program's own that a call is given, such as that of `tf.map_fn`,
is a kernel too. What `Op.run` itself takes, measured on the op that costs least, is taken off. What is left
of the call's time is shown as "between": binding, conversion, checks, results, and the Python of functions
made of ops. Kernels that take long on so few numbers have a table of their own, because one that is written
in Python counts as a kernel.

Where the kernels take long, "between" would be the small difference of two long times, which is noise. So
both are timed once more with the kernels stood in for: each gives back at once what it gave before. Then
"between" is the difference of these two.
"""

import argparse
import inspect
import itertools
import os
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.harness import Control, duration, table
from benchmarks.settings import Settings

ROOT = Path(__file__).resolve().parent.parent
LIMIT = 3e-6  # seconds that a call may take beyond its kernels, on an idle core of 3 GHz
LONG_KERNELS = 20e-6
STAND_IN = 10e-6  # seconds of a kernel, from which on it is stood in for
FEW = 1000  # elements: what has more in all its inputs is no small call
SAMPLE_SECONDS = 1e-4
ROUNDS = 5
FLOOR_SAMPLES = 20
AGAIN = 25  # more rounds for a call that is above the limit
# Functions that may come near LIMIT beyond their kernels, and why.
REASONS = {
    "tf.raw_ops.BlockLSTM": "30 steps of a replay, about 0.1 µs each over their kernels",
    "tf.raw_ops.BlockLSTMV2": "30 steps of a replay, about 0.1 µs each over their kernels",
}
WAYS = ("as written", "by name", "numbers", "in a program", "program")

Loop = Callable[[int], float]


@dataclass
class Call:
    """A case of a row, called in one way."""

    function: str
    case: str
    way: str
    loops: dict[str, Loop]
    ops: int
    stand_ins: "StandIns"
    repetitions: dict[str, int] = field(default_factory=dict)
    least: dict[str, float] = field(default_factory=dict)

    def prepare(self) -> None:
        for name, loop in self.loops.items():
            loop(2)
            once = max(loop(3) / 3, 1e-8)
            self.repetitions[name] = max(2, min(1000, int(SAMPLE_SECONDS / once)))

    def sample(self) -> None:
        for name, loop in self.loops.items():
            self.keep(name, loop)
        if self.stand_ins:
            with self.stand_ins:
                for name in ("call", "kernels"):
                    self.keep(f"{name} without", self.loops[name])

    def keep(self, name: str, loop: Loop) -> None:
        count = self.repetitions.get(name, 200)
        found = min(loop(count) for _ in range(3)) / count
        self.least[name] = min(found, self.least.get(name, found))

    def between(self, overhead: float) -> float:
        without = " without" if self.stand_ins else ""
        kernels = self.least[f"kernels{without}"] - self.ops * overhead
        return self.least[f"call{without}"] - max(0.0, kernels)

    def kernels(self, overhead: float) -> float:
        return max(0.0, self.least["kernels"] - self.ops * overhead)


@dataclass
class StandIns:
    """What long kernels of a call gave, op by op in the order of their calls, to be given again at once."""

    results: dict[Any, list[Any]]
    kernels: dict[Any, Any] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.results)

    def __enter__(self) -> None:
        for op, results in self.results.items():
            self.kernels[op] = op.kernel
            op.kernel = stand_in(results)

    def __exit__(self, *raised: object) -> None:
        for op, kernel in self.kernels.items():
            op.kernel = kernel


def stand_in(results: list[Any]) -> Callable[..., Any]:
    following = itertools.cycle(results).__next__
    if len(results) == 1:
        (only,) = results
        return lambda *arrays, **attributes: only
    return lambda *arrays, **attributes: following()


def stand_ins_for(call: Callable[[], Any], ops: set[Any]) -> StandIns:
    """Stand-ins for those kernels that are long of the ops of a call."""
    given: dict[Any, list[Any]] = {}
    taken: dict[Any, float] = {}

    def noting(op: Any, kernel: Any) -> Callable[..., Any]:
        def noted(*arrays: Any, **attributes: Any) -> Any:
            started = time.perf_counter()
            result = kernel(*arrays, **attributes)
            taken[op] = taken.get(op, 0.0) + time.perf_counter() - started
            given.setdefault(op, []).append(result)
            return result

        return noted

    kernels = {op: op.kernel for op in ops if op.kernel is not None and not op.pointwise}
    for op, kernel in kernels.items():
        op.kernel = noting(op, kernel)
    try:
        call()
    finally:
        for op, kernel in kernels.items():
            op.kernel = kernel
    return StandIns({op: given[op] for op in given if taken[op] > STAND_IN})


def run(settings: Settings, control: Control) -> dict[str, Any]:
    """The benchmark as a part of the others."""
    control.sample()
    return measure(set(), settings.rounds, False)


def measure(names: set[str], rounds: int, gradients: bool) -> dict[str, Any]:
    calls, left_out = prepare(names, gradients)
    floor = least_kernel()
    for _ in range(rounds):
        # It is taken off once for each op, so it has to be exact.
        for _ in range(FLOOR_SAMPLES):
            floor.sample()
        for call in calls:
            call.sample()
    overhead = floor.least["kernels"]
    for call in calls:
        # Each of the two times is the least of a few, and their difference is small beside either.
        again = AGAIN
        while again and call.between(overhead) > LIMIT:
            call.sample()
            again -= 1
    worst: dict[tuple[str, str], Call] = {}
    for call in calls:
        key = (call.function, call.way)
        if key not in worst or call.between(overhead) > worst[key].between(overhead):
            worst[key] = call
    print(
        f"{len({call.function for call in calls})} public functions, {len(calls)} calls on at most"
        f" {FEW} numbers; an op's run takes {duration(overhead)} itself"
    )
    for way in WAYS:
        found = [call for call in worst.values() if call.way == way]
        print(summary(way, [call.between(overhead) for call in found]))
    shown = calls if names else list(worst.values())
    print(calls_table([call for call in shown if call.way != WAYS[4]], overhead, bool(names)))
    print(calls_table([call for call in shown if call.way == WAYS[4]], overhead, bool(names)))
    print(kernels_table(calls, overhead))
    if gradients:
        print(gradients_table(calls))
    if left_out:
        print("\nnot measured: " + "; ".join(f"{name} ({why})" for name, why in left_out.items()))
    return {
        "overhead": overhead,
        "calls": [
            {
                "function": call.function,
                "case": call.case,
                "way": call.way,
                "ops": call.ops,
                **call.least,
                "between": call.between(overhead),
            }
            for call in calls
        ],
    }


def prepare(names: set[str], gradients: bool) -> tuple[list[Call], dict[str, str]]:
    sys.path.insert(0, str(ROOT / "tests"))
    os.chdir(ROOT)
    import tapegrad as tf
    from samples import all_samples, look_up, runs

    tf.get_logger().setLevel("ERROR")

    calls: list[Call] = []
    left_out: dict[str, str] = {}
    for run in runs(all_samples()):
        path = run.sample.path
        name = f"tf.{path}" if path else run.sample.name
        first = [case for case in run.sample.cases if case is run.case]
        if (names and path and name not in names) or not first or run.dtype != dtype_of(run):
            continue
        if sum(array.size for array in run.arrays) > FEW:
            continue
        try:
            tensors = run.tensors(tf)
            args, kwargs = filled(run, tensors, tf)
            function = look_up(tf, path) if path else run.sample.op
            for way, way_args, way_kwargs in ways(
                run, function, args, kwargs, gradients=gradients, named=bool(path)
            ):
                if names and name not in names:
                    continue
                call = made(name, repr(run), way, function, way_args, way_kwargs)
                if gradients:
                    add_gradient(call, function, way_args, way_kwargs, tensors)
                call.prepare()
                calls.append(call)
            if not path and not gradients:
                for called, call_args, call_kwargs in calls_in(function, args, kwargs):
                    if names and f"tf.{called.name}" not in names:
                        continue
                    call = made(
                        f"tf.{called.name}",
                        f"{called.name} in {run!r}",
                        WAYS[3],
                        called.function,
                        call_args,
                        call_kwargs,
                    )
                    call.prepare()
                    calls.append(call)
        except Exception as error:
            left_out[name] = f"{type(error).__name__}: {error}"[:80]
    return calls, left_out


def dtype_of(run: Any) -> str:
    """float32 where the row takes it, else the first of its dtypes."""
    dtypes = run.sample.dtypes
    return "float32" if "float32" in dtypes or not dtypes else dtypes[0]


def filled(run: Any, tensors: list[Any], tf: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
    from samples import _fill

    args, kwargs = _fill((run.case.args, run.case.kwargs), iter(tensors), tf)
    return ((tf, *args), kwargs) if run.sample.path is None else (args, kwargs)


def ways(
    run: Any, function: Any, args: Any, kwargs: Any, *, gradients: bool, named: bool
) -> Iterator[tuple[str, tuple[Any, ...], dict[str, Any]]]:
    """The ways in which the case can be called; those that the function refuses are no ways."""
    yield WAYS[0 if named else 4], args, kwargs
    if not named or gradients:
        return
    try:
        bound = inspect.signature(function).bind(*args, **kwargs)
    except (TypeError, ValueError):
        bound = None
    kinds = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    if bound is not None and all(
        bound.signature.parameters[name].kind in kinds for name in bound.arguments
    ):
        yield WAYS[1], (), dict(bound.arguments)
    if run.sample.elementwise and len(args) > 1:
        numbers = tuple(
            arg.numpy().reshape(-1)[0].item()
            if hasattr(arg, "numpy") and arg.shape.num_elements()
            else arg
            for arg in args[1:]
        )
        try:
            function(args[0], *numbers, **kwargs)
        except (TypeError, ValueError):
            return
        yield WAYS[2], (args[0], *numbers), kwargs


@dataclass
class Public:
    """A public function as a program sees it, which notes its calls."""

    name: str
    function: Any
    notes: list[tuple[Any, tuple[Any, ...], dict[str, Any]]]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        args = tuple([plain(arg) for arg in args])
        kwargs = {name: plain(arg) for name, arg in kwargs.items()}
        self.notes.append((self, args, kwargs))
        return self.function(*args, **kwargs)


@dataclass
class Namespace:
    """A public module as a program sees it."""

    name: str
    module: Any
    notes: list[tuple[Any, tuple[Any, ...], dict[str, Any]]]

    def __getattr__(self, name: str) -> Any:
        value, path = getattr(self.module, name), f"{self.name}.{name}".lstrip(".")
        if inspect.ismodule(value):
            return Namespace(path, value, self.notes)
        return Public(path, value, self.notes) if inspect.isfunction(value) else value


def plain(value: Any) -> Any:
    """An argument as the function would get it from a program that nobody listens to."""
    if type(value) is Public:
        return value.function
    for cell in getattr(value, "__closure__", None) or ():
        if type(cell.cell_contents) is Namespace:
            cell.cell_contents = cell.cell_contents.module
    return value


def calls_in(program: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Iterator[Any]:
    """The calls of public functions that a program makes, each as long as it can be made again."""
    notes: list[tuple[Any, tuple[Any, ...], dict[str, Any]]] = []
    program(Namespace("", args[0], notes), *args[1:], **kwargs)
    for called, call_args, call_kwargs in notes:
        try:
            called.function(*call_args, **call_kwargs)
        except Exception:
            continue  # it was made under a tape, or on what the program has used up
        yield called, call_args, call_kwargs


@dataclass
class Given:
    """A function of the program's own that a call runs: a kernel like the ops."""

    function: Any

    def run(self, args: list[Any], kwargs: dict[str, Any]) -> Any:
        return self.function(*args, **kwargs)


def made(name: str, case: str, way: str, function: Any, args: Any, kwargs: Any) -> Call:
    from tapegrad import core

    class Ops(core.Observer):  # type: ignore[misc]
        """Notes the ops that a call runs."""

        def __init__(self) -> None:
            self.made: list[tuple[Any, list[Any], Any]] = []

        def observe(self, op: Any, inputs: Any, outputs: Any, attributes: Any) -> None:
            arrays = [tensor._array for tensor in inputs]
            # A batch has no values: the ops in it are a part of the function that is mapped.
            if hasattr(op, "run") and all(isinstance(array, np.ndarray) for array in arrays):
                self.made.append((op, arrays, attributes))

    def given(value: Any) -> Any:
        """A function that the call is given, as one that notes itself in place of the ops in it."""
        if not inspect.isfunction(value) or (value.__module__ or "").startswith("tapegrad"):
            return value

        def noted(*args: Any, **kwargs: Any) -> Any:
            before = len(ops.made)
            result = value(*args, **kwargs)
            try:
                value(*args, **kwargs)
            except Exception:
                return result  # it cannot be called apart, as inside `tf.vectorized_map`
            del ops.made[before:]
            ops.made.append((Given(value), list(args), kwargs))
            return result

        return noted

    function(*args, **kwargs)
    with Ops() as ops:
        function(*map(given, args), **{key: given(value) for key, value in kwargs.items()})
    steps = [(op.run, list(arrays), attributes) for op, arrays, attributes in ops.made]
    count_of_ops = sum(type(op) is not Given for op, _, _ in ops.made)

    def kernels(count: int) -> float:
        started = time.perf_counter()
        for _ in range(count):
            for run_op, arrays, attributes in steps:
                run_op(arrays, attributes)
        return time.perf_counter() - started

    stand_ins = stand_ins_for(
        lambda: function(*args, **kwargs), {op for op, _, _ in ops.made if type(op) is not Given}
    )
    loops = {"call": loop(function, args, kwargs), "kernels": kernels}
    return Call(name, case, way, loops, count_of_ops, stand_ins)


def loop(function: Any, args: Any, kwargs: Any) -> Loop:
    """A loop over the call, written out as a program would write it: nothing is unpacked."""
    words = [f"a{i}" for i in range(len(args))]
    words += [f"{name}=k{i}" for i, name in enumerate(kwargs)]
    parameters = ["f", *(f"a{i}" for i in range(len(args))), *(f"k{i}" for i in range(len(kwargs)))]
    source = f"""
def bind({", ".join(parameters)}):
    def loop(count):
        started = clock()
        for _ in range(count):
            f({", ".join(words)})
        return clock() - started
    return loop
"""
    names: dict[str, Any] = {"clock": time.perf_counter}
    exec(source, names)
    found: Loop = names["bind"](function, *args, *kwargs.values())
    return found


def least_kernel() -> Call:
    """The run of the op that costs least: the negative of one number, some nanoseconds of work."""
    import tapegrad as tf

    call = made("tf.negative", "", WAYS[0], tf.negative, (tf.constant(1.0),), {})
    call.prepare()
    return call


def add_gradient(call: Call, function: Any, args: Any, kwargs: Any, tensors: list[Any]) -> None:
    """Time the call with its gradient too, where there is one."""
    import tapegrad as tf
    from samples import flatten

    sources = [x for x in tensors if x.dtype.is_floating or x.dtype.is_complex]

    def gradient() -> Any:
        with tf.GradientTape() as tape:
            tape.watch(sources)
            result = function(*args, **kwargs)
        return tape.gradient(result, sources)

    result = flatten(function(*args, **kwargs))
    if not sources or not all(hasattr(x, "dtype") for x in result):
        return
    try:
        if any(x is not None for x in gradient()):
            call.loops["gradient"] = loop(gradient, (), {})
    except (LookupError, TypeError, ValueError):
        return


def summary(way: str, found: list[float]) -> str:
    if not found:
        return f"{way}: none"
    found.sort()
    over = sum(one > LIMIT for one in found)
    return (
        f"{way}: {len(found)} functions; between call and kernels half take at most"
        f" {duration(max(0.0, found[len(found) // 2]))}, nine in ten"
        f" {duration(max(0.0, found[int(len(found) * 0.9)]))}, {over} more than {duration(LIMIT)}"
    )


def calls_table(calls: list[Call], overhead: float, everything: bool) -> str:
    lines = [
        [
            call.case[:90],
            call.way,
            duration(call.least["call"]),
            duration(call.kernels(overhead)),
            str(call.ops),
            duration(max(0.0, call.between(overhead))),
            REASONS.get(call.function, ""),
        ]
        for call in sorted(calls, key=lambda call: -call.between(overhead))
        if everything or call.between(overhead) > LIMIT
    ]
    return f"\ncalls that take more than {duration(LIMIT)} beyond their kernels\n" + table(
        ["", "way", "call", "kernels", "ops", "between", "why"], lines
    )


def kernels_table(calls: list[Call], overhead: float) -> str:
    longest: dict[str, Call] = {}
    for call in calls:
        if (
            call.function not in longest
            or longest[call.function].least["kernels"] < call.least["kernels"]
        ):
            longest[call.function] = call
    lines = [
        [call.case[:90], duration(call.kernels(overhead)), str(call.ops)]
        for call in sorted(longest.values(), key=lambda call: -call.least["kernels"])
        if call.kernels(overhead) > LONG_KERNELS
    ]
    return f"\nkernels that take more than {duration(LONG_KERNELS)} on so few numbers\n" + table(
        ["", "kernels", "ops"], lines
    )


def gradients_table(calls: list[Call]) -> str:
    worst: dict[str, Call] = {}
    for call in calls:
        if "gradient" in call.least:
            known = worst.get(call.function)
            if known is None or known.least["gradient"] < call.least["gradient"]:
                worst[call.function] = call
    ordered = sorted(worst.values(), key=lambda call: -call.least["gradient"])
    lines = [
        [call.case[:90], duration(call.least["call"]), duration(call.least["gradient"])]
        for call in ordered[:80]
    ]
    return "\nthe longest with their gradients\n" + table(["", "call", "with gradient"], lines)


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.bench_calls",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("functions", nargs="*", help="names such as tf.pad; all if none")
    parser.add_argument("--gradients", action="store_true", help="with their gradients too")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    arguments = parser.parse_args()
    measure(set(arguments.functions), arguments.rounds, arguments.gradients)


if __name__ == "__main__":
    main()
