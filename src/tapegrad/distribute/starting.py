"""``python -m tapegrad.distribute -n 4 script.py``: starts the ranks of a program, by MPI's own launcher.

Environment variables:
    TAPEGRAD_DISTRIBUTE_LOGS: a folder: each rank but the first writes what it prints to `rank-K.log` there.
        The launcher's `--logs` sets it.
"""

from __future__ import annotations

import argparse
import os
import runpy
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from tapegrad.distribute import watching
from tapegrad.distribute.groups import processor_count
from tapegrad.distribute.processes import STARTED_BY

LOGS = "TAPEGRAD_DISTRIBUTE_LOGS"
DESCRIPTION = """Starts COUNT processes that run the same program, and ends them all if one of them fails.

The program calls tf.distribute.init(), or uses what calls it: DistributedGradientTape, the collectives,
MultiWorkerMirroredStrategy. Without --hosts all processes are on this machine and share its cores.
"""


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text} is no number of processes, which is 1 or more")
    return int(text)


def parser() -> argparse.ArgumentParser:
    """The parser of the command line."""
    arguments = argparse.ArgumentParser(
        prog="python -m tapegrad.distribute",
        description=DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    arguments.add_argument("-n", type=_count, dest="count", help="how many processes", default=0)
    arguments.add_argument("--hosts", help="machines, as mpiexec takes them: node1:8,node2:8")
    arguments.add_argument(
        "--logs", help="a folder: each rank but the first writes to rank-K.log there"
    )
    arguments.add_argument("--timeout", type=float, help="seconds that a rank waits for the others")
    arguments.add_argument("--mpiexec", help="the launcher; that of the installed MPI if left out")
    arguments.add_argument("-m", dest="module", action="store_true", help="the program is a module")
    arguments.add_argument("--rank", action="store_true", help=argparse.SUPPRESS)
    arguments.add_argument("program", help="a script, or with -m the name of a module")
    arguments.add_argument("arguments", nargs=argparse.REMAINDER, help="what the program gets")
    return arguments


def find_launcher() -> tuple[str, bool]:
    """The path of mpiexec, and whether it belongs to the MPICH wheel installed for this interpreter."""
    mpich_path = Path(sys.executable).parent / "mpiexec"
    if mpich_path.exists():
        return str(mpich_path), True
    path = shutil.which("mpiexec") or shutil.which("mpirun")
    if path is None:
        raise SystemExit(
            'There is no mpiexec here: pip install "tapegrad[mpi]", or load the MPI of this cluster.'
        )
    return path, False


def command_and_environment(
    options: argparse.Namespace,
) -> tuple[list[str], dict[str, str]]:
    """The command that starts the ranks."""
    if options.mpiexec:
        launcher, ours = options.mpiexec, False
    else:
        launcher, ours = find_launcher()
    environment = dict(os.environ)
    environment.pop(STARTED_BY, None)
    if ours and not options.hosts:
        # On one machine the ranks need no network. Without this setting MPICH asks the network's card for
        # news whenever it waits, and 4 ranks on 2 cores take 30 times as long for a small message.
        environment.setdefault("FI_PROVIDER", "shm")
    if options.logs:
        os.makedirs(options.logs, exist_ok=True)
        environment[LOGS] = os.path.abspath(options.logs)
    if options.timeout is not None:
        environment["TAPEGRAD_DISTRIBUTE_TIMEOUT"] = str(options.timeout)
    command = [launcher, "-n", str(options.count)]
    if options.hosts:
        command += ["-hosts", options.hosts]
    command += [sys.executable, "-I", "-S", watching.__file__]
    command += [sys.executable, "-m", "tapegrad.distribute", "--rank"]
    command += ["-m"] if options.module else []
    return [*command, options.program, *options.arguments], environment


def run_rank(options: argparse.Namespace) -> None:
    """Run the program as one of the ranks. Called in each process that the launcher has started."""
    from tapegrad.distribute import ranks

    ranks.init()
    rank = ranks.rank()
    folder = os.environ.get(LOGS)
    if folder and rank > 0:
        file = os.open(
            os.path.join(folder, f"rank-{rank}.log"), os.O_WRONLY | os.O_CREAT | os.O_TRUNC
        )
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
            os.dup2(file, stream.fileno())
    sys.argv = [options.program, *options.arguments]
    if options.module:
        sys.path.insert(0, os.getcwd())
        runpy.run_module(options.program, run_name="__main__", alter_sys=True)
    else:
        sys.path.insert(0, os.path.dirname(os.path.abspath(options.program)))
        runpy.run_path(options.program, run_name="__main__")


def main(arguments: Sequence[str] | None = None) -> None:
    """Become the launcher, which starts the ranks; or run the program, as one of them."""
    options = parser().parse_args(arguments)
    if options.rank:
        run_rank(options)
        return
    if options.count < 1:
        options.count = processor_count()
    command, environment = command_and_environment(options)
    # Not a child process, which would continue if this one were killed.
    os.execvpe(command[0], command, environment)
