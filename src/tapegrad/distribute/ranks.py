"""`init` finds the ranks that compute together; `rank`, `size` and process sets say who they are.

Environment variables:
    TAPEGRAD_DISTRIBUTE_TIMEOUT: how many seconds a rank waits for the others: 60.
    TAPEGRAD_DISTRIBUTE_GATE: `messages`: ranks of one machine meet by messages, where a sandbox forbids
        them to share memory.
    TAPEGRAD_DISTRIBUTE_QUIET: any text: rank 0 does not say at the start who runs where.
"""

from __future__ import annotations

import atexit
import os
import platform
import sys
import threading
import time
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from types import TracebackType
from typing import Any, NoReturn

from tapegrad.core.tracebacks import OURS
from tapegrad.distribute.groups import Group, LocalGroup, processor_count
from tapegrad.distribute.processes import (
    STARTED_BY,
    Watcher,
    keep_from_finalizing,
    parent_rank,
    refuse_child,
    unlink_shared_memory,
)
from tapegrad.engines.numpy.threads import set_thread_count, thread_count
from tapegrad.errors import AbortedError

PUBLIC = {
    "distribute": (
        "init is_initialized local_rank local_size ProcessSet rank shutdown size barrier all_objects "
        "broadcast_object"
    )
}

# Variables in which launchers of MPI programs tell processes how many they have started.
LAUNCHED = "PMI_SIZE OMPI_COMM_WORLD_SIZE MV2_COMM_WORLD_SIZE MPI_LOCALNRANKS".split()
STARTERS = (OURS, "<frozen ")
# Seconds that a rank waits which fails because another one failed, so that the other's error comes first.
FOLLOWERS_WAIT = 1.0
TIMEOUT = "TAPEGRAD_DISTRIBUTE_TIMEOUT"


class _ThreadState(threading.local):
    group: Group | None = None


_thread_state = _ThreadState()
_process_group: list[Group] = []
# The watcher of this process, if there is one.
_watchers: list[Watcher] = []


def launched_size() -> int:
    """How many processes the launcher has started, if there is one; 1 else."""
    names = [*LAUNCHED, "SLURM_NTASKS"] if "PMIX_RANK" in os.environ else LAUNCHED
    return max([int(os.environ.get(name) or 1) for name in names])


def check_slurm() -> None:
    """Raise if srun has started several processes without MPI: each would act as the only rank."""
    count = int(os.environ.get("SLURM_STEP_NUM_TASKS") or 1)
    if count > 1 and os.environ.get("SLURM_PROCID"):
        raise RuntimeError(
            f"srun has started {count} processes, and has given them no MPI to find each other by: "
            "start them with srun --mpi=pmi2, or --mpi=pmix for an MPI that was built with PMIx."
        )


def seconds_to_wait(timeout: float | None) -> float:
    """How long a rank waits for the others: ``timeout``, or the environment variable, or 60 seconds."""
    if timeout is not None:
        return float(timeout)
    setting = os.environ.get(TIMEOUT) or Group.timeout
    try:
        return float(setting)
    except ValueError:
        raise ValueError(f"{TIMEOUT} is a number of seconds; {setting!r} came.") from None


def init(communicator: Any = None, timeout: float | None = None) -> None:
    """Find out which processes compute together. Whatever needs to know calls it too.

    >>> tf.distribute.init()
    >>> tf.distribute.rank(), tf.distribute.size()
    (0, 1)

    From then on a rank that raises ends the whole job, with its traceback. The ranks on one machine share its
    cores, unless OMP_NUM_THREADS says how many threads each of them has.

    Args:
        communicator: a communicator of mpi4py; if left out, that of all processes of the job, or this process
            alone where no launcher of MPI programs has started it.
        timeout: how many seconds a rank waits for the others at most; 60, or what the environment variable
            TAPEGRAD_DISTRIBUTE_TIMEOUT says.
    """
    if _process_group:
        if timeout is not None:
            _process_group[0].timeout = timeout
        return
    seconds = seconds_to_wait(timeout)
    if communicator is None and launched_size() == 1:
        check_slurm()
        _process_group.append(LocalGroup())
        return
    parent = parent_rank()
    if parent is not None:
        _process_group.append(parent)
        return
    try:
        finalizes = keep_from_finalizing()
        mpi = import_module("tapegrad.distribute.mpi")
    except ImportError as error:
        if error.name != "mpi4py":
            raise
        raise ImportError(
            f"A launcher has started {launched_size()} processes, and they find no MPI to talk to each "
            'other: pip install "tapegrad[mpi]".'
        ) from error
    shared = os.environ.get("TAPEGRAD_DISTRIBUTE_GATE") != "messages"
    chosen = mpi.MPI.COMM_WORLD if communicator is None else communicator
    if communicator is None and chosen.size != launched_size():
        raise RuntimeError(
            f"The launcher has started {launched_size()} processes, and MPI knows of {chosen.size}: this MPI "
            "does not speak the launcher's protocol. Use the mpiexec of the same MPI; with Slurm, "
            "srun --mpi=pmi2 for MPICH, or --mpi=pmix for an MPI that was built with PMIx."
        )
    group = mpi.MPIGroup(chosen, seconds, shared)
    _process_group.append(group)
    _share_cores(group.local_size)
    _announce(group)
    unlink_shared_memory()
    _end_together(group, mpi, finalizes)


def _share_cores(processes: int) -> None:
    """Give each of the processes on this machine its part of the cores."""
    if not os.environ.get("OMP_NUM_THREADS"):
        cores = processor_count()
        # A launcher that binds each process to cores of its own has divided them already.
        bound = cores < (os.cpu_count() or 1)
        set_thread_count(thread_count() if bound else max(cores // processes, 1))


def _announce(group: Any) -> None:
    """Rank 0 writes one line that says which ranks run on which machine."""
    places = group.all_objects((platform.node(), thread_count()))
    if group.rank == 0 and not os.environ.get("TAPEGRAD_DISTRIBUTE_QUIET"):
        machines: dict[str, list[int]] = {}
        for rank, (name, _) in enumerate(places):
            machines.setdefault(name, []).append(rank)
        where = ", ".join(
            f"{name}: ranks {', '.join(map(str, ranks))} of {_threads(places[ranks[0]][1])}"
            for name, ranks in machines.items()
        )
        sys.stderr.write(f"tapegrad: {group.size} ranks. {where}.\n")
        sys.stderr.flush()


def _threads(count: int) -> str:
    return "1 thread each" if count == 1 else f"{count} threads each"


def _end_together(group: Any, mpi: Any, finalizes: bool) -> None:
    """End the whole job with the traceback of the rank that raises first, or when one is killed.

    Processes that this one forks take no part. At the exit of this one MPI ends too, if ``finalizes``.
    """
    process = os.getpid()
    if not _watchers:
        _watchers.append(
            Watcher(group.rank, list(group.neighbours.processes.values()), group.timeout)
        )
    watcher = _watchers[0]
    hook = sys.excepthook
    os.environ[STARTED_BY] = f"{process}:{group.rank}:{group.size}"

    def end(kind: type[BaseException], error: BaseException, where: TracebackType | None) -> None:
        if os.getpid() != process:
            hook(kind, error, where)
            return
        # Leave out the frames that started the program.
        inner = where
        while inner is not None and inner.tb_frame.f_code.co_filename.startswith(STARTERS):
            inner = inner.tb_next
        if isinstance(error, AbortedError):
            time.sleep(FOLLOWERS_WAIT)
        text = "".join(traceback.format_exception(kind, error, inner or where))
        abort(
            text,
            f"it raised {kind.__name__}: {error}",
            130 if issubclass(kind, KeyboardInterrupt) else 1,
        )

    def abort(text: str, reason: str, status: int) -> None:
        # In one call, not line by line: other ranks may be writing too.
        sys.stdout.flush()
        marked = "".join(f"[rank {group.rank}] {line}\n" for line in text.rstrip().split("\n"))
        sys.stderr.write(marked)
        sys.stderr.flush()
        group.leave(reason)
        watcher.dismiss()
        group.communicator.Abort(status)

    def conclude() -> None:
        if os.getpid() != process or mpi.MPI.Is_finalized():
            return
        group.leave("its program has ended")
        lost = sorted(set(group.neighbours.ended()) - set(group.gate.who_left()))
        if lost:
            # MPI would wait for them for ever.
            abort(f"The process of rank {lost[0]} has ended before its program.", "it ends", 1)
        watcher.dismiss()
        if finalizes:
            mpi.MPI.Finalize()

    def refuse() -> NoReturn:
        refuse_child(group.rank, "forked")

    def close() -> None:
        watcher.forget()
        for open_group in mpi.groups:
            open_group.close(refuse)

    sys.excepthook = end
    atexit.register(conclude)
    os.register_at_fork(after_in_child=close)


def is_initialized() -> bool:
    """Whether `init` has been called, by the program or by what it uses."""
    return bool(_process_group)


def shutdown() -> None:
    """Forget the ranks that `init` found: later collectives call it again."""
    _process_group.clear()


def all_ranks() -> Group:
    """The group of all ranks: in `run_in_threads` the threads, else the processes."""
    if _thread_state.group is not None:
        return _thread_state.group
    if not _process_group:
        init()
    return _process_group[0]


@contextmanager
def in_group(group: Group) -> Iterator[None]:
    """A context in which, on this thread, ``group`` is the group of all ranks."""
    outer, _thread_state.group = _thread_state.group, group
    try:
        yield
    finally:
        _thread_state.group = outer


class ProcessSet:
    """Some of the ranks, which compute together without the others. All ranks make it, at the same place.

    >>> alone = tf.distribute.ProcessSet([0])
    >>> alone.included(), alone.rank(), alone.size()
    (True, 0, 1)

    Args:
        ranks: the numbers of the ranks, in the order in which they are counted in the set.
    """

    def __init__(self, ranks: Sequence[int]) -> None:
        self.ranks = list(ranks)
        self._group = all_ranks().subgroup(self.ranks)

    def included(self) -> bool:
        """Whether this rank is in the set."""
        return self._group is not None

    def rank(self) -> int:
        """The number of this rank in the set."""
        return self.group().rank

    def size(self) -> int:
        """How many ranks the set has."""
        return len(self.ranks)

    def group(self) -> Group:
        """The group that runs the collectives of the set.

        Raises:
            ValueError: this rank is not in the set.
        """
        if self._group is None:
            raise ValueError(
                f"Rank {all_ranks().rank} is not in the process set {self.ranks}: only the ranks of a set "
                "call its collectives. included() says whether this one is in it."
            )
        return self._group

    def __repr__(self) -> str:
        return f"ProcessSet({self.ranks})"


def group_of(process_set: ProcessSet | None) -> Group:
    """The group of the set, or of all ranks."""
    return all_ranks() if process_set is None else process_set.group()


def rank() -> int:
    """The number of this rank, from 0."""
    return all_ranks().rank


def size() -> int:
    """How many ranks there are."""
    return all_ranks().size


def local_rank() -> int:
    """The number of this rank among those on its machine, from 0."""
    group = all_ranks()
    return int(getattr(group, "local_rank", group.rank))


def local_size() -> int:
    """How many ranks are on this machine."""
    group = all_ranks()
    return int(getattr(group, "local_size", group.size))


def barrier(process_set: ProcessSet | None = None) -> None:
    """Return when all ranks have come here.

    Args:
        process_set: the ranks that wait for each other; None for all.
    """
    group_of(process_set).barrier()


def all_objects(value: Any, process_set: ProcessSet | None = None) -> list[Any]:
    """The objects that the ranks passed, in the order of the ranks: any that can be pickled.

    Args:
        value: the object of this rank.
        process_set: the ranks that take part; None for all.
    """
    return group_of(process_set).all_objects(value)


def broadcast_object(value: Any, root_rank: int = 0, process_set: ProcessSet | None = None) -> Any:
    """The object that the rank ``root_rank`` passed.

    Args:
        value: the object, if this is the rank ``root_rank``; what the other ranks pass is not used.
        root_rank: the number of the rank whose object all get: that in ``process_set``, if there is one.
        process_set: the ranks that take part; None for all.
    """
    group = group_of(process_set)
    return group.all_objects(value if group.rank == root_rank else None)[root_rank]
