"""Runs the named benchmarks or workloads, or all of them, and writes the results as JSON.

    python -m benchmarks                        everything, into bench.json
    python -m benchmarks models kernels         some of the benchmarks
    python -m benchmarks cnn lstm --quick       some of the workloads, against PyTorch alone
    python -m benchmarks models answer_resnet50 --level avx2 --installed
                                                one network of Keras's on narrower vectors, in a minute
    python -m benchmarks cnn --quick --before ../other-clone/src      and against another build of ours
    python -m benchmarks ops --into bench.json --rest --at-most 600   what bench.json has not, for ten minutes

From make: make bench BENCH="cnn lstm --quick". While working on the core, after `make in-place`, without
installing: PYTHONPATH=src .venv/bin/python -m benchmarks cnn --quick.
"""

import argparse
import importlib
import json
import math
import os
import time
from pathlib import Path
from typing import Any

from benchmarks.bench_memory import peak_memory
from benchmarks.environments import PEERS, add_before, is_installed, python_for
from benchmarks.harness import (
    THREADS,
    Control,
    limit_everyone,
    machine,
    processor_table,
    rows_as_json,
    size,
    time_table,
    time_workloads,
)
from benchmarks.levels import LEVELS, about, vectors_in_words
from benchmarks.parts import added, done
from benchmarks.peers import op_data
from benchmarks.report import goal_table
from benchmarks.settings import OpsSettings, Settings
from benchmarks.workloads import (
    CHUNK_WORKLOADS,
    MEMORY_WORKLOADS,
    NETWORK_WORKLOADS,
    WORKLOADS,
)

BENCHMARKS = (
    "dispatch",
    "tape",
    "models",
    "transforms",
    "kernels",
    "functions",
    "sizes",
    "data",
    "keras",
    "import",
    "memory",
    "distribute",
    "ops",
    "calls",
)
ROUNDS, QUICK_ROUNDS = 9, 5
WHOLE = Path("bench.json")
PART = Path("build/bench-part.json")  # so that a look at one workload leaves the whole table alone


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    names = [workload.name for workload in WORKLOADS + NETWORK_WORKLOADS]
    names += [workload.name for workload in MEMORY_WORKLOADS + CHUNK_WORKLOADS]
    names += op_data.OPS
    parser.add_argument(
        "which",
        nargs="*",
        help=f"benchmarks: {', '.join(BENCHMARKS)}; workloads, networks after models, ops after ops:"
        f" {', '.join(names)}",
    )
    parser.add_argument("--quick", action="store_true", help="tapegrad and PyTorch, fewer rounds")
    parser.add_argument("--peers", help=f"of {', '.join(PEERS)}")
    parser.add_argument("--installed", action="store_true", help="leave out peers to be installed")
    parser.add_argument("--level", choices=LEVELS, help="hold everyone to narrower vectors")
    parser.add_argument("--rounds", type=int, help="turns of each peer at each workload")
    parser.add_argument(
        "--threads",
        type=int,
        default=THREADS,
        help="of everyone, %(default)s; with 1, ratios mean something on a busy machine too",
    )
    parser.add_argument("--seconds", type=float, help="of one turn")
    parser.add_argument("--sizes", help="of ops: some of 4,1000,100000,4000000")
    parser.add_argument("--dtypes", help="of ops: some of float32,float64,bfloat16")
    parser.add_argument("--ways", help="of ops: forward,gradient")
    parser.add_argument("--before", type=Path, help="src of another clone, as one more peer")
    parser.add_argument("--into", type=Path, help="a file of results that these are added to")
    parser.add_argument("--rest", action="store_true", help="of ops: what that file has not")
    parser.add_argument("--at-most", type=float, help="of ops: seconds, after which no row begins")
    parser.add_argument("--busy", action="store_true", help="of ops: beside four neighbours, too")
    parser.add_argument("--json", type=Path, help=f"where results go; {WHOLE} or {PART}")
    arguments = parser.parse_args()
    if arguments.rest and not arguments.into:
        parser.error("--rest needs the file of results: --into bench.json")
    for name in arguments.which:
        if name not in BENCHMARKS and name not in names:
            parser.error(
                f"no benchmark or workload is called {name!r}; there are the benchmarks"
                f" {', '.join(BENCHMARKS)} and the workloads {', '.join(names)}"
            )
    peers = arguments.peers or ("tapegrad,pytorch" if arguments.quick else ",".join(PEERS))
    arguments.peers = peers.split(",")
    for peer in arguments.peers:
        if peer not in PEERS:
            parser.error(f"no peer is called {peer!r}; there are {', '.join(PEERS)}")
    if arguments.installed:
        missing = [peer for peer in arguments.peers if not is_installed(peer)]
        arguments.peers = [peer for peer in arguments.peers if peer not in missing]
        if missing:
            print(
                f"not installed, and left out: {', '.join(PEERS[peer].title for peer in missing)}"
            )
    return arguments


def uses_faster_blas(libraries: list[str]) -> bool:
    return any("openblas" not in library for library in libraries)


def ops_settings(arguments: argparse.Namespace) -> OpsSettings:
    """The part of the ops that was asked for; a whole run takes one thread too, and neighbours."""
    names = tuple(name for name in arguments.which if name in op_data.OPS)
    parts = {
        option: tuple(getattr(arguments, option).split(","))
        for option in ("sizes", "dtypes", "ways")
        if getattr(arguments, option)
    }
    whole = not names and not parts and not arguments.quick
    return OpsSettings(
        names=names,
        threads=(arguments.threads, 1) if whole and arguments.threads > 1 else (),
        seconds=arguments.seconds or 0.02,
        detailed=not whole and not arguments.into,
        busy=(whole and not arguments.into) or arguments.busy,
        done=parts_done(arguments),
        until=time.monotonic() + (arguments.at_most or math.inf),
        **parts,
    )


def networks_asked(arguments: argparse.Namespace) -> tuple[str, ...]:
    """Which networks `models` is asked for: all where it names none."""
    if "models" not in arguments.which:
        return ()
    return tuple(
        workload.name for workload in NETWORK_WORKLOADS if workload.name in arguments.which
    )


def parts_done(arguments: argparse.Namespace) -> frozenset[tuple[str, str]]:
    if not arguments.rest or not arguments.into.exists():
        return frozenset()
    return done(json.loads(arguments.into.read_text()))


def main() -> None:
    arguments = parse()
    if arguments.before:
        add_before(arguments.before)
        arguments.peers.insert(1, "before")
        arguments.peers.append("before_recorded")
    for peer in arguments.peers:
        python_for(peer)  # all installing comes before all measuring

    limit_everyone(arguments.threads)
    os.environ.update(LEVELS.get(arguments.level, {}))
    control = Control(arguments.threads)
    peers = about(arguments.peers)
    settings = Settings(
        arguments.peers,
        arguments.rounds or (QUICK_ROUNDS if arguments.quick else ROUNDS),
        arguments.seconds or 0.1,
        uses_faster_blas(peers.get("tapegrad", {}).get("blas", [])),
        networks_asked(arguments),
        ops_settings(arguments),
    )
    results: dict[str, Any] = {
        "when": time.strftime("%Y-%m-%d %H:%M"),
        "machine": machine(arguments.threads),
        "versions": {peer: found.get("version", "does not start") for peer, found in peers.items()},
        "level": arguments.level,
        "vectors": {peer: answer.get("vectors", {}) for peer, answer in peers.items()},
        "blas": peers.get("tapegrad", {}).get("blas", []),
        "faster_blas": settings.faster_blas,
    }
    print(", ".join(f"{key}: {value}" for key, value in results["machine"].items()))
    print(", ".join(f"{PEERS[peer].title} {found}" for peer, found in results["versions"].items()))
    print(f"tapegrad multiplies with {', '.join(results['blas']) or 'an unknown library'}")

    for peer, answer in peers.items():
        print(f"{PEERS[peer].title} used: {vectors_in_words(answer)}")

    sections = [name for name in BENCHMARKS if name in (arguments.which or BENCHMARKS)]
    for name in sections:
        print(f"\n== {name}", flush=True)
        results[name] = importlib.import_module(f"benchmarks.bench_{name}").run(settings, control)
    results |= chosen(set(arguments.which) - set(settings.networks), settings, control)

    goals = goal_table(results)
    if sections and goals:
        print(f"\n== goals\n{goals}")
    if control.samples:
        print(f"\n{control.summary()}")
        results["control"] = {"samples": control.samples, "processors": control.processors}
    whole = (
        not arguments.which
        and not arguments.level
        and arguments.peers == list(PEERS)
        and arguments.threads == THREADS
    )
    path = arguments.json or arguments.into or (WHOLE if whole else PART)
    path.parent.mkdir(exist_ok=True)
    if arguments.into and arguments.into.exists():
        results = added(json.loads(arguments.into.read_text()), results)
    path.write_text(json.dumps(results, indent=1))
    print(f"written to {path}")


def chosen(names: set[str], settings: Settings, control: Control) -> dict[str, Any]:
    """The workloads that were asked for by name."""
    found = {}
    timed = [workload for workload in WORKLOADS + NETWORK_WORKLOADS if workload.name in names]
    if timed:
        rows = time_workloads(timed, settings, control)
        print(f"\n{time_table(rows, settings)}")
        print(f"\n{processor_table(rows, settings)}")
        found["chosen"] = {"times": rows_as_json(rows)}
    weighed = [
        workload for workload in MEMORY_WORKLOADS + CHUNK_WORKLOADS if workload.name in names
    ]
    if weighed:
        rows = peak_memory(weighed, settings)
        print(f"\n{time_table(rows, settings, show=size)}")
        found["chosen_memory"] = {"peaks": rows_as_json(rows)}
    return found


if __name__ == "__main__":
    main()
