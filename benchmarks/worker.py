"""One peer in a process of its own, told over a pipe what to do: prepare, time, measure memory.

It runs under each peer's interpreter, so it imports nothing but the standard library and the peer's own
workloads. One JSON object a line comes in, one goes out.
"""

import ctypes
import gc
import importlib
import json
import os
import platform
import re
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

# Long enough that reading the clock does not show, and short enough that some samples of a run go by
# without the system giving the processor to somebody else.
SECONDS_PER_SAMPLE = 0.0005

Step = Callable[[], Any]


def resident_bytes() -> int:
    """What the process holds in memory now."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def peak_bytes() -> int:
    """The most it has held since `forget_peak`."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    raise RuntimeError("/proc/self/status has no VmHWM")


def return_free_memory() -> None:
    """Gives back to the system the memory that the allocator holds unused, which would hide later growth."""
    gc.collect()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)


def blas() -> list[str]:
    """The libraries for products of matrices that this process has loaded."""
    return sorted(
        {
            path.name
            for path in map(Path, re.findall(r"/.*", Path("/proc/self/maps").read_text()))
            if re.search("openblas|mkl_rt|blis|nvpl|libblas", path.name)
        }
    )


def kernels_of_openblas() -> str | None:
    """For which processor the OpenBLAS that this process has loaded multiplies; None where it has none."""
    for path in set(re.findall(r"/.*openblas.*", Path("/proc/self/maps").read_text())):
        library = ctypes.CDLL(path)
        for prefix in ("scipy_openblas", "openblas"):
            for suffix in ("64_", ""):
                name = getattr(library, f"{prefix}_get_corename{suffix}", None)
                if name is not None:
                    name.restype = ctypes.c_char_p
                    return str(name().decode())
    return None


def vectors_of_numpy() -> str:
    """The level of processors for which NumPy chooses its loops."""
    from numpy._core import _multiarray_umath

    features = _multiarray_umath.__cpu_features__
    widest = [name for name in ("X86_V4", "X86_V3", "X86_V2") if features.get(name)]
    return widest[0] if widest else platform.machine()


def forget_peak() -> None:
    Path("/proc/self/clear_refs").write_text("5")


def seconds_for(step: Step, calls: int) -> float:
    started = time.perf_counter()
    for _ in range(calls):
        step()
    return time.perf_counter() - started


class Worker:
    def __init__(self, module_name: str, mode: str) -> None:
        sys.path.insert(0, str(Path(__file__).parent / "peers"))
        self.module = importlib.import_module(f"{module_name}_workloads")
        self.module.MODE = mode
        self.steps: dict[str, Step] = {}
        self.calls: dict[str, int] = {}
        self.lasts: dict[str, float] = {}  # seconds of so many calls, when prepared

    def build(self, workload: str) -> Step | None:
        """What a function of the peer's module makes; words after its name are its arguments."""
        name, *arguments = workload.split()
        builder = getattr(self.module, name, None)
        return None if builder is None else builder(*arguments)

    def prepare(self, workload: str) -> dict[str, Any]:
        """Builds and warms a workload; answers with what its first two steps computed."""
        step = self.build(workload)
        if step is None:
            return {"missing": True}
        compute = getattr(step, "answer", step)
        first = self.module.arrays(compute())
        answer = self.module.data.compare_by(first, self.module.arrays(compute()))
        del first
        calls = 1
        while (seconds := seconds_for(step, calls)) < SECONDS_PER_SAMPLE:
            calls = max(2 * calls, int(calls * SECONDS_PER_SAMPLE / max(seconds, 1e-9)))
        self.steps[workload] = step
        self.calls[workload] = calls
        self.lasts[workload] = seconds
        return {"answer": answer, "calls": calls}

    def first(self, workload: str, rounds: int) -> dict[str, Any]:
        """Seconds of a first call: the least of several steps built anew. The library is warm by now."""
        samples = []
        for _ in range(1 if self.module.MODE == "xla" else rounds):
            step = self.build(workload)
            assert step is not None
            samples.append(seconds_for(step, 1))
        return {"seconds": min(samples)}

    def first_calls(self, network: str, rounds: int) -> dict[str, Any]:
        """The least processor seconds of what `keras_workloads.first_calls` times."""
        turns = [self.build(f"keras_first_calls {network}") for _ in range(rounds)]
        return {"seconds": [min(samples) for samples in zip(*turns, strict=True)]}

    def time(self, workload: str, seconds: float) -> dict[str, Any]:
        """Seconds per step, sample after sample, for about as long as asked and at least twice.

        A step that alone takes longer runs once.
        """
        step, calls = self.steps[workload], self.calls[workload]
        least = 2 if self.lasts[workload] < seconds else 1
        if least > 1:
            seconds_for(step, max(1, calls // 4))  # others ran meanwhile: wake the caches
        samples: list[float] = []
        processor = time.process_time()
        until = time.perf_counter() + seconds
        while len(samples) < least or time.perf_counter() < until:
            samples.append(seconds_for(step, calls) / calls)
        processor = (time.process_time() - processor) / (len(samples) * calls)
        return {"samples": samples, "processor": processor}

    def drop(self, workload: str) -> dict[str, Any]:
        self.steps.pop(workload, None)
        gc.collect()
        return {}

    def peak(self, workload: str) -> dict[str, Any]:
        """How far two steps push memory above what their weights and data take; seconds of the first one."""
        step = self.build(workload)
        if step is None:
            return {"missing": True}
        return_free_memory()
        before = resident_bytes()
        forget_peak()
        started = time.perf_counter()
        result = step()
        seconds = time.perf_counter() - started
        first = self.module.arrays(result)
        second = self.module.arrays(step())
        peak = peak_bytes() - before
        answer = self.module.data.compare_by(first, second)
        return {"bytes": peak, "first": seconds, "answer": answer}

    def kept(self, workload: str) -> dict[str, Any]:
        """What a recorded but not yet differentiated computation keeps alive."""
        record = self.build(workload)
        if record is None:
            return {"missing": True}
        first = record()  # held, so that the second cannot reuse its memory and hide its size
        return_free_memory()
        before = resident_bytes()
        second = record()
        kept = resident_bytes() - before
        del first, second
        return {"bytes": kept, "operations": self.module.data.KEPT_OPS}

    def growth(self, workload: str, steps: int) -> dict[str, Any]:
        """How much memory grows over many steps with the garbage collector off, and what it then finds."""
        step = self.build(workload)
        if step is None:
            return {"missing": True}
        seconds_for(step, steps // 20)
        gc.collect()
        gc.disable()
        before = resident_bytes()
        seconds = seconds_for(step, steps)
        grown = resident_bytes() - before
        unreachable = gc.collect()
        gc.enable()
        return {"bytes": grown, "unreachable": unreachable, "seconds_per_step": seconds / steps}

    def version(self) -> dict[str, Any]:
        for workload in ("small_mlp", "cnn"):
            step = self.build(workload)
            if step is not None:
                step()  # some load their libraries when they first need them
        own = getattr(self.module, "vectors", dict)()
        vectors = {**own, "NumPy": vectors_of_numpy(), "OpenBLAS": kernels_of_openblas()}
        return {
            "version": self.module.VERSION,
            "blas": blas(),
            "vectors": {part: name for part, name in vectors.items() if name is not None},
        }


def main() -> None:
    module_name, mode = sys.argv[1:]
    # Whatever a library prints goes to stderr: this pipe carries answers alone.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)

    worker = Worker(module_name, mode)
    for line in sys.stdin:
        request = json.loads(line)
        try:
            answer = getattr(worker, request.pop("do"))(**request)
        except Exception as error:
            traceback.print_exc()
            answer = {"error": f"{type(error).__name__}: {error}"[:300]}
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main()
