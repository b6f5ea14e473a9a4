"""`python -m benchmarks [which ...]`: runs the benchmarks named, or all, and writes bench.json."""

import argparse
import importlib
import json
import time
from pathlib import Path
from typing import Any

from benchmarks.environments import PEERS, python_for
from benchmarks.harness import Control, WorkerProcess, limit_everyone, machine
from benchmarks.settings import Settings

BENCHMARKS = ("dispatch", "tape", "models", "import", "memory")


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("which", nargs="*", default=BENCHMARKS, help=", ".join(BENCHMARKS))
    parser.add_argument("--peers", default=",".join(PEERS), help="of %(default)s")
    parser.add_argument("--rounds", type=int, default=9, help="turns of each peer at each workload")
    parser.add_argument("--seconds", type=float, default=0.1, help="of one turn")
    parser.add_argument("--json", type=Path, default=Path("bench.json"), help="where results go")
    arguments = parser.parse_args()
    for name in arguments.which:
        if name not in BENCHMARKS:
            parser.error(f"no benchmark is called {name!r}; there are {', '.join(BENCHMARKS)}")
    for peer in arguments.peers.split(","):
        if peer not in PEERS:
            parser.error(f"no peer is called {peer!r}; there are {', '.join(PEERS)}")
    return arguments


def versions(peers: list[str]) -> dict[str, str]:
    found = {}
    for peer in peers:
        with WorkerProcess(peer) as worker:
            found[peer] = worker.ask("version").get("version", "does not start")
    return found


def main() -> None:
    arguments = parse()
    settings = Settings(arguments.peers.split(","), arguments.rounds, arguments.seconds)
    for peer in settings.peers:
        python_for(peer)  # all installing comes before all measuring

    limit_everyone()
    control = Control()
    results: dict[str, Any] = {
        "when": time.strftime("%Y-%m-%d %H:%M"),
        "machine": machine(),
        "versions": versions(settings.peers),
    }
    print(", ".join(f"{key}: {value}" for key, value in results["machine"].items()))
    print(", ".join(f"{PEERS[peer].title} {found}" for peer, found in results["versions"].items()))
    for name in arguments.which:
        print(f"\n== {name}", flush=True)
        results[name] = importlib.import_module(f"benchmarks.bench_{name}").run(settings, control)
    print()
    if control.samples:
        print(control.summary())
        results["control"] = {"minimum": min(control.samples), "samples": control.samples}
    arguments.json.write_text(json.dumps(results, indent=1))
    print(f"written to {arguments.json}")


if __name__ == "__main__":
    main()
