"""One op on four numbers, against the bare NumPy call: what conversion, checks and wrapping cost.

It goes through the table of op samples in tests/, so every op that is tested is timed. A function made of
other ops has no kernel to be compared with, and is left out.

    python -m benchmarks dispatch
"""

import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.harness import Control, duration, table
from benchmarks.settings import Settings

TESTS = Path(__file__).resolve().parent.parent / "tests"
SAMPLES = 7
SECONDS_PER_SAMPLE = 0.0005
SHOWN = ("add", "multiply", "tanh", "exp", "maximum", "matmul", "reduce_sum", "reshape")
SLOWEST = 12

Call = Callable[[], Any]


def run(settings: Settings, control: Control) -> dict[str, Any]:
    times: dict[str, tuple[float, float]] = {}
    with np.errstate(all="ignore"):
        for name, ours, bare in calls():
            control.sample()
            times[name] = least_of_each(ours, bare)

    header = ["one op, four numbers", "tapegrad", "NumPy", "ratio"]
    common = [name for name in times if name in SHOWN]
    slowest = sorted(times, key=lambda name: -ratio(times[name]))[:SLOWEST]
    print(table(header, [line(name, times[name]) for name in common]))
    print()
    print(table(["the furthest from NumPy", *header[1:]], [line(n, times[n]) for n in slowest]))
    ratios = [ratio(pair) for pair in times.values()]
    print(
        f"\n{len(ratios)} ops, median {statistics.median(ratios):.2f} of the bare NumPy call;"
        f" {sum(one <= 1 for one in ratios)} are faster than it"
    )
    return {name: {"tapegrad": ours, "numpy": bare} for name, (ours, bare) in times.items()}


def ratio(pair: tuple[float, float]) -> float:
    return pair[0] / pair[1]


def line(name: str, pair: tuple[float, float]) -> list[str]:
    return [name, duration(pair[0]), duration(pair[1]), f"{ratio(pair):.2f}"]


def calls() -> list[tuple[str, Call, Call]]:
    """Name, our call and the bare call, of each op that the sample table tries in float32."""
    sys.path.insert(0, str(TESTS))
    import tapegrad as tf
    from samples import all_samples, look_up, runs
    from tapegrad.core import REQUIRED, Op
    from tapegrad.engines.numpy import xp

    found: dict[str, tuple[str, Call, Call]] = {}
    for sample in all_samples():
        try:
            op = look_up(tf, sample.path) if sample.path else None
        except AttributeError:
            continue  # a row may be written before its op is
        if not isinstance(op, Op) or op.list_input or op.__name__ in found:
            continue
        first = next((run for run in runs([sample]) if run.dtype == "float32"), None)
        if first is None or first.case.kwargs or len(first.arrays) != len(first.case.args):
            continue
        if REQUIRED in op.parameter_defaults:
            continue
        # Four numbers an input where the shapes are free; the sample's own where they mean something.
        arrays = (
            [np.resize(array, 4) for array in first.arrays] if sample.elementwise else first.arrays
        )
        ours, bare = both(op, arrays, tf, xp)
        ours()
        try:
            bare()
        except Exception:
            continue  # the kernel counts on attributes that the dispatcher has put in order
        found[op.__name__] = (op.__name__, ours, bare)
    return list(found.values())


def both(op: Any, arrays: list[Any], tf: Any, xp: Any) -> tuple[Call, Call]:
    tensors = [tf.constant(array) for array in arrays]
    if op.kernel is None:
        bare = getattr(xp, op.ufunc_name)
        return lambda: op(*tensors), lambda: bare(*arrays)
    attributes = dict(zip(op.attributes, op.parameter_defaults, strict=True))
    return lambda: op(*tensors), lambda: op.kernel(xp, *arrays, **attributes)


def least_of_each(*functions: Call) -> Any:
    """The least time of each function's calls, taken in turns."""
    counts = []
    for function in functions:
        count = 1
        while (spent := seconds_for(function, count)) < SECONDS_PER_SAMPLE:
            count = max(2 * count, int(count * SECONDS_PER_SAMPLE / max(spent, 1e-9)))
        counts.append(count)
    return tuple(
        min(samples)
        for samples in zip(
            *(
                [seconds_for(f, n) / n for f, n in zip(functions, counts, strict=True)]
                for _ in range(SAMPLES)
            ),
            strict=True,
        )
    )


def seconds_for(function: Call, count: int) -> float:
    started = time.perf_counter()
    for _ in range(count):
        function()
    return time.perf_counter() - started
