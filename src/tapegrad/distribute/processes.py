"""The processes of the ranks: how others learn that one has ended, and what a forked process may not do."""

from __future__ import annotations

import os
import select
import subprocess
import sys
from contextlib import suppress
from importlib import import_module
from typing import Any, NoReturn

from tapegrad.distribute import watching
from tapegrad.distribute.groups import Group
from tapegrad.errors import FailedPreconditionError

# In the environment of processes that a rank starts: its process, its number, and how many ranks there are.
STARTED_BY = "TAPEGRAD_DISTRIBUTE_STARTED_BY"

# Descriptors that can be read when a process has ended, by process.
_descriptors: dict[int, int | None] = {}


class Neighbours:
    """The processes of a group's ranks on this machine. Tells which of them have ended.

    Args:
        processes: the process of each rank, by its number.
    """

    def __init__(self, processes: dict[int, int]) -> None:
        self.processes = processes
        for pid in processes.values():
            if pid not in _descriptors:
                _descriptors[pid] = watching.open_process(pid)

    def ended(self) -> list[int]:
        """The numbers of the ranks whose process has ended."""
        return [rank for rank, pid in self.processes.items() if _has_ended(pid)]


def _has_ended(pid: int) -> bool:
    descriptor = _descriptors[pid]
    if descriptor is None:
        return watching.has_ended(pid)
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    return bool(poll.poll(0))


def namespace() -> str:
    """The namespace of process numbers: in another container the same number means another process."""
    try:
        return os.readlink("/proc/self/ns/pid")
    except OSError:
        return ""


class Watcher:
    """The process that says how this rank has ended, if the rank cannot do so itself: see `watching`.

    Args:
        rank: the number of this rank.
        others: the processes of the other ranks on this machine.
        patience: how many seconds these have to end by themselves.
    """

    def __init__(self, rank: int, others: list[int], patience: float) -> None:
        parent = os.environ.pop(watching.LISTENS, None)
        self._process = None if parent else _started()
        if self._process is not None and self._process.stdin is not None:
            self._messages = self._process.stdin.fileno()
        else:
            self._messages = int(parent or 0)
            os.set_inheritable(self._messages, False)
        os.write(self._messages, " ".join(map(str, [rank, patience, *others])).encode() + b"\n")

    def dismiss(self) -> None:
        """Tell the watcher that the rank has ended, or has said why it ends, so that it stays silent."""
        with suppress(OSError):  # it was killed
            os.write(self._messages, b".")
        if self._process is not None:
            with suppress(OSError, subprocess.TimeoutExpired):
                self._process.communicate(timeout=5)

    def forget(self) -> None:
        """Called in a forked process, whose child the watcher is not."""
        if self._process is not None:
            self._process.returncode = 0


def _started() -> subprocess.Popen[bytes]:
    """A watcher that is a child of this process, and keeps the connection to MPICH's launcher open."""
    connection = os.environ.get("PMI_FD", "")
    kept: list[int] = []
    if connection.isdecimal():
        with suppress(OSError):
            os.fstat(int(connection))
            kept = [int(connection)]
    watcher = subprocess.Popen(
        [sys.executable, "-I", "-S", watching.__file__, str(os.getpid())],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        pass_fds=kept,
        start_new_session=True,
    )
    # A rank that dies before its watcher is there would look like one that the launcher has killed.
    if watcher.stdout is not None:
        watcher.stdout.read(1)
        watcher.stdout.close()
        watcher.stdout = None
    return watcher


def keep_from_finalizing() -> bool:
    """Keep mpi4py from ending MPI at the exit of each process: a process that a rank forks must not end it.

    Returns: False if it is too late, because the program has loaded mpi4py's MPI itself.
    """
    if "mpi4py.MPI" in sys.modules:
        return False
    import_module("mpi4py").rc.finalize = False
    return True


def unlink_shared_memory() -> None:
    """Unlink the shared memory of MPICH on this machine. All ranks have opened it already.

    MPICH does so itself when the job ends well. Else the memory would stay behind in /dev/shm.
    """
    try:
        with open("/proc/self/maps") as file:
            names = {
                line.split(maxsplit=5)[-1].rstrip("\n") for line in file if "/mpich_sh" in line
            }
    except OSError:
        return
    for name in names:
        if name.startswith("/dev/shm/mpich_sh") and not name.endswith(" (deleted)"):
            with suppress(FileNotFoundError):  # another rank was quicker
                os.unlink(name)


def refuse_child(rank: int, how: str) -> NoReturn:
    """Raise the error for a process that a rank has started, and that is no rank itself."""
    raise FailedPreconditionError(
        None,
        None,
        f"This process was {how} by rank {rank}, and is no rank itself: the other ranks know nothing of it. "
        "Collectives, and what uses them, must be called in the process of the rank.",
    )


class ChildGroup(Group):
    """The group in a process that a rank has started: it knows the number of that rank; collectives raise."""

    def __init__(self, rank: int, size: int) -> None:
        self.rank, self.size = rank, size

    def _refuse(self, *args: Any, **options: Any) -> NoReturn:
        refuse_child(self.rank, "started")

    all_reduce = all_gather = reduce_scatter = broadcast = barrier = _refuse
    subgroup = all_objects = twin = fail = _refuse


def parent_rank() -> ChildGroup | None:
    """The group of a process that a rank has started; None in others."""
    pid, _, rest = os.environ.get(STARTED_BY, "").partition(":")
    rank, _, size = rest.partition(":")
    if not (pid.isdecimal() and rank.isdecimal() and size.isdecimal()) or int(pid) == os.getpid():
        return None
    return ChildGroup(int(rank), int(size))
