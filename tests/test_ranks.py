"""Several processes: the programs in tests/ranks, started by the launcher, and what may go wrong there."""

from __future__ import annotations

import functools
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapegrad as tf
from tapegrad import core
from tapegrad.distribute import buckets, world
from tapegrad.distribute.gate import AGREED, DISAGREED, LATE, LEFT, Gate, slot_size
from tapegrad.distribute.groups import Group, LocalGroup, added_as_tree
from tapegrad.distribute.starting import command_and_environment, find_launcher, parser
from tapegrad.distribute.threads import Meeting, ThreadGroup
from test_keras import KERAS, needs_keras

FOLDER = Path(__file__).parent / "ranks"
distribute = tf.distribute
needs_mpi = pytest.mark.skipif(
    find_spec("mpi4py") is None, reason='MPI is not installed: pip install "tapegrad[mpi]"'
)


def start(
    count: int, program: str, *arguments: Any, options: tuple[Any, ...] = (), **environment: str
) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tapegrad.distribute", "-n", count, *options]
    paths = [environment.pop("PYTHONPATH", ""), os.environ.get("PYTHONPATH", "")]
    return subprocess.Popen(
        [str(each) for each in [*command, FOLDER / program, *arguments]],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={
            **os.environ,
            **environment,
            "PYTHONPATH": os.pathsep.join(filter(None, paths)),
        },
    )


def run(count: int, program: str, *arguments: Any, **more: Any) -> tuple[int, str, str]:
    """The exit status of a job, and what its ranks print."""
    process = start(count, program, *arguments, **more)
    try:
        out, err = process.communicate(timeout=120)
    finally:
        process.kill()
    return process.returncode, out, err


@needs_mpi
@pytest.mark.parametrize("count", [1, 2, 3, 4])
@pytest.mark.parametrize("program", ["collectives.py", "tapes.py"])
def test_programs_of_several_ranks(program: str, count: int) -> None:
    status, out, err = run(count, program)
    assert status == 0, err
    assert out.count("fine") == count
    if count > 1:
        assert f"tapegrad: {count} ranks. " in err


@needs_mpi
@pytest.mark.parametrize("count", [2, 3, 4])
@pytest.mark.parametrize("capacity", [0, 64, 1 << 20])
@pytest.mark.parametrize("who", ["thread", "walk"])
def test_who_carries_gradients(who: str, capacity: int, count: int) -> None:
    """Some arrays, or all, are too large to be laid down."""
    status, out, err = run(count, "tapes.py", who, capacity)
    assert (status, out.count("fine")) == (0, count), err


def test_threads_that_take_turns_often_leave_the_interpreter_as_it_was() -> None:
    before = sys.getswitchinterval()
    first, second = buckets.lively(True), buckets.lively(True)
    with buckets.lively(False):
        assert sys.getswitchinterval() == before
    first.__enter__()
    second.__enter__()
    assert sys.getswitchinterval() < before
    first.__exit__()
    assert sys.getswitchinterval() < before
    second.__exit__()
    assert sys.getswitchinterval() == before


@needs_mpi
def test_ranks_that_share_no_memory_meet_by_messages() -> None:
    for program in ("collectives.py", "tapes.py"):
        status, out, err = run(2, program, TAPEGRAD_DISTRIBUTE_GATE="messages")
        assert (status, out.count("fine")) == (0, 2), err
    status, _, err = run(2, "faults.py", "shape", TAPEGRAD_DISTRIBUTE_GATE="messages")
    assert status != 0
    assert "rank 1: all_reduce(sum) of float32 [4] at" in err
    status, _, err = run(
        2, "faults.py", "late", options=("--timeout", 1), TAPEGRAD_DISTRIBUTE_GATE="messages"
    )
    assert status != 0
    assert "has waited 1 seconds in barrier()" in err


@needs_mpi
@pytest.mark.parametrize("program", ["collectives.py", "tapes.py", "workers.py"])
def test_ranks_on_several_machines(program: str) -> None:
    """Machines that a communicator pretends: no memory is shared by all four ranks."""
    status, out, err = run(4, "hosts.py", program)
    assert (status, out.count("fine")) == (0, 4), err


@needs_mpi
@pytest.mark.parametrize("count", [1, 2, 3])
def test_a_strategy_of_several_processes(count: int) -> None:
    status, out, err = run(count, "workers.py")
    assert (status, out.count("fine")) == (0, count), err


@needs_mpi
def test_tf_config_says_which_process_is_which() -> None:
    status, out, err = run(2, "workers.py", "--backwards")
    assert (status, out.count("fine")) == (0, 2), err


# Faults


DISAGREEMENTS = {
    "shape": ("all_reduce(sum) of float32 [3]", "all_reduce(sum) of float32 [4]"),
    "dtype": ("all_reduce(sum) of float32 [3]", "all_reduce(sum) of int32 [3]"),
    "operation": ("all_reduce(sum) of float32 [3]", "broadcast(0) of float32 [3]"),
    "reduction": ("all_reduce(sum) of float32 [3]", "all_reduce(max) of float32 [3]"),
    "root": ("broadcast(0) of float32 [3]", "broadcast(1) of float32 [3]"),
    "columns": ("all_gather() of float32 [2, 2]", "all_gather() of float32 [2, 3]"),
    "objects": ("barrier()", "all_objects()"),
    "tree": ("all_reduce(sum) of float32 [3]", "all_reduce(sum, tree=True) of float32 [3]"),
    "order": ("reduce_scatter((2, 2)) of float32 [4]", "all_gather() of float32 [4]"),
    "layout": ("all_reduce(sum) of float32 [5]", "all_reduce(sum) of float32 [3]"),
    "sparse": ("all_gather() of float32 [2, 2]", "all_reduce(sum) of float32 [11]"),
    "gradients": ("all_reduce(sum) of float32 [3]", "all_reduce(sum) of float32 [4]"),
}


@needs_mpi
@pytest.mark.parametrize("fault", DISAGREEMENTS)
def test_ranks_that_disagree_say_what_each_has_meant(fault: str) -> None:
    status, _, err = run(2, "faults.py", fault)
    assert status != 0
    assert "InvalidArgumentError" in err
    for rank, what in enumerate(DISAGREEMENTS[fault]):
        assert f"rank {rank}: {what} at {FOLDER / 'faults.py'}, line" in err, err
    assert "starting.py" not in err, "the traceback begins with the program"


@needs_mpi
def test_all_ranks_raise_and_may_go_on() -> None:
    status, out, err = run(3, "faults.py", "caught")
    assert (status, out.count("caught 3")) == (0, 3), err


@needs_mpi
@pytest.mark.parametrize(
    ("fault", "expected"),
    [
        ("late", "has waited 2 seconds in barrier() at"),
        ("raises", "KeyError: 'a fault of the program'"),
        ("dies", "KILLED BY SIGNAL: 9|signal 9"),
        ("dies_in_walk", "KILLED BY SIGNAL: 9|signal 9"),
        (
            "late_in_walk",
            "has waited 2 seconds in all_reduce(sum) of float32 [180000] at"
            "|it gave up waiting in all_reduce(sum) of float32 [180000] at",
        ),
        ("ends", "rank 1: its program has ended"),
    ],
)
def test_a_rank_that_fails_ends_the_job(fault: str, expected: str) -> None:
    began = time.monotonic()
    status, out, err = run(3, "faults.py", fault, options=("--timeout", 2))
    assert time.monotonic() - began < 30
    assert status != 0
    assert any(each in out + err for each in expected.split("|")), err


@needs_mpi
def test_a_walk_that_fails_on_one_rank_raises_on_all_and_they_may_go_on() -> None:
    status, out, err = run(3, "faults.py", "fails_in_walk")
    assert status == 0, err
    assert out.count("goes on with 6.000") == 3, out
    assert out.count("caught ValueError: no gradient here") == 1
    others = [line for line in out.splitlines() if line.startswith("caught InvalidArgument")]
    assert len(others) == 2
    for line in others:
        assert "rank 1: its walk back raised ValueError: no gradient here" in line


@needs_mpi
def test_a_gradient_of_another_dtype_than_its_source() -> None:
    status, out, err = run(2, "faults.py", "misfits_in_walk")
    assert status == 0, err
    assert (
        out.count("The gradient by source 0 has shape (3,) and dtype float64, the source (3,)") == 2
    ), out


def test_how_long_a_rank_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    assert Group.timeout == 60
    monkeypatch.setenv("TAPEGRAD_DISTRIBUTE_TIMEOUT", "soon")
    with pytest.raises(ValueError, match="TAPEGRAD_DISTRIBUTE_TIMEOUT"):
        world.seconds_to_wait(None)
    assert world.seconds_to_wait(5) == 5


def free_memory() -> float:
    """Gigabytes that programs may still take."""
    found = Path("/proc/meminfo")
    lines = found.read_text().splitlines() if found.exists() else []
    sizes = [int(line.split()[1]) for line in lines if line.startswith("MemAvailable")]
    return sizes[0] / 1e6 if sizes else 0.0


@needs_mpi
@pytest.mark.skipif(free_memory() < 16, reason="two ranks with arrays of 2 GB need 16 GB")
def test_messages_of_more_than_two_gigabytes() -> None:
    status, out, err = run(2, "faults.py", "large")
    assert (status, out.count("fine")) == (0, 2), err


@needs_mpi
def test_an_interrupt_ends_all_ranks() -> None:
    process = start(2, "faults.py", "waits")
    assert process.stdout is not None
    assert process.stdout.readline() == "waiting\n"
    process.send_signal(signal.SIGINT)
    for child in children_of(process.pid):
        os.kill(child, signal.SIGINT)  # a terminal interrupts the launcher too
    process.communicate(timeout=30)
    assert process.returncode != 0


def children_of(pid: int) -> list[int]:
    children = Path(f"/proc/{pid}/task/{pid}/children")
    return [int(child) for child in children.read_text().split()] if children.exists() else []


@needs_mpi
def test_ranks_write_logs_of_their_own(tmp_path: Path) -> None:
    status, out, err = run(2, "tapes.py", options=("--logs", tmp_path))
    assert (status, out) == (0, "fine\n"), err
    assert (tmp_path / "rank-1.log").read_text() == "fine\n"


# Training


def bits(count: int, *arguments: Any) -> str:
    """The digest of the weights after training."""
    status, out, err = run(count, "training.py", *arguments)
    assert status == 0, err
    return out.splitlines()[-1]


@needs_mpi
def test_the_bits_do_not_depend_on_how_many_ranks_share_the_batch() -> None:
    assert len({bits(count, 6, "--tree") for count in (1, 2, 4)}) == 1


@needs_mpi
def test_the_bits_are_the_same_from_run_to_run() -> None:
    assert len({bits(3, 6) for _ in range(3)}) == 1


@needs_mpi
def test_a_job_that_was_killed_ends_like_an_undisturbed_one(tmp_path: Path) -> None:
    checkpoint = tmp_path / "state.npz"
    undisturbed = bits(2, 10)
    status, _, _ = run(2, "training.py", 10, "--checkpoint", checkpoint, "--kill-at", 5)
    assert status != 0
    status, out, err = run(2, "training.py", 10, "--checkpoint", checkpoint)
    assert (status, out) == (0, f"goes on at step 3\n{undisturbed}\n"), err


@needs_mpi
@needs_keras
def test_keras_fits_on_several_processes_as_on_one() -> None:
    printed = []
    for count, kind in [(1, "one"), (2, "multi"), (1, "mirror")]:
        status, out, err = run(
            count, "keras_fit.py", kind, PYTHONPATH=str(KERAS), KERAS_BACKEND="tensorflow"
        )
        assert status == 0, err
        printed += sorted(out.splitlines())
    assert len(printed) == 4
    assert len({line[1:] for line in printed}) == 1, "\n".join(printed)


# Threads


def test_threads_are_ranks_too() -> None:
    def step() -> tuple[Any, ...]:
        rank = distribute.rank()
        x = tf.Variable(float(rank + 1))
        with distribute.DistributedGradientTape(op="sum") as tape:
            y = x * x
        gathered = distribute.all_gather(tf.fill([rank], rank))
        part = distribute.reduce_scatter(tf.range(5))
        return (
            float(tape.gradient(y, x)),
            gathered.numpy().tolist(),
            part.numpy().tolist(),
            float(distribute.broadcast(x, 1)),
            distribute.all_objects(rank),
        )

    gathered = [1, 2, 2]
    assert distribute.run_in_threads(3, step) == [
        (12.0, gathered, [0, 3], 2.0, [0, 1, 2]),
        (12.0, gathered, [6, 9], 2.0, [0, 1, 2]),
        (12.0, gathered, [12], 2.0, [0, 1, 2]),
    ]
    assert (distribute.rank(), distribute.size()) == (0, 1)


def subsets() -> Any:
    pair = distribute.ProcessSet([2, 0])
    if pair.included():
        return (
            distribute.all_gather(tf.constant([distribute.rank()]), process_set=pair)
            .numpy()
            .tolist()
        )
    with pytest.raises(ValueError, match="Rank 1 is not in the process set"):
        pair.rank()
    return None


def test_sets_of_threads() -> None:
    assert distribute.run_in_threads(3, subsets) == [[2, 0], None, [2, 0]]


def disagree() -> None:
    distribute.all_reduce(tf.ones([2 + distribute.rank()]))


def leave() -> None:
    if distribute.rank():
        raise KeyError("gone")
    distribute.barrier()


def dawdle() -> None:
    if distribute.rank():
        time.sleep(0.5)
    distribute.barrier()


@pytest.mark.parametrize(
    ("function", "error", "text"),
    [
        (
            disagree,
            tf.errors.InvalidArgumentError,
            r"rank 1: all_reduce\(sum\) of float32 \[3\] at ",
        ),
        (leave, KeyError, "gone"),
        (
            dawdle,
            tf.errors.DeadlineExceededError,
            r"waited 0.1 seconds in barrier\(\).* Not there: rank 1",
        ),
    ],
)
def test_threads_that_fail(function: Callable[[], None], error: Any, text: str) -> None:
    with pytest.raises(error, match=text):
        distribute.run_in_threads(2, function, timeout=0.1)


# One rank alone


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: distribute.all_reduce(1.0, "median"), ValueError, "'median' came"),
        (lambda: distribute.all_reduce("a"), tf.errors.InvalidArgumentError, "not take string"),
        (lambda: distribute.all_gather(1.0), tf.errors.InvalidArgumentError, "a scalar has none"),
        (
            lambda: distribute.reduce_scatter(1.0),
            tf.errors.InvalidArgumentError,
            "divides the rows",
        ),
        (lambda: distribute.reduce_scatter([1.0], "max"), ValueError, "'max' came"),
        (lambda: distribute.broadcast(1.0, 1), tf.errors.InvalidArgumentError, "given the root 1"),
        (lambda: distribute.ProcessSet([1]), ValueError, "one or more different ranks"),
        (lambda: distribute.ProcessSet([]), ValueError, "one or more different ranks"),
        (lambda: distribute.DistributedGradientTape(op="max"), ValueError, "'max' came"),
        (lambda: distribute.DistributedGradientTape(bucket_bytes=0), ValueError, "numbers from 1"),
    ],
)
def test_what_cannot_be_says_so(call: Callable[[], Any], error: Any, text: str) -> None:
    with pytest.raises(error, match=text):
        call()


def test_a_cluster_that_nobody_has_started(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TF_CONFIG", '{"cluster": {"chief": ["a:1"], "worker": ["b:1", "c:1"]}}')
    with pytest.raises(RuntimeError, match="speaks of 3 processes, and the launcher has started 1"):
        distribute.MultiWorkerMirroredStrategy()
    monkeypatch.setenv("TF_CONFIG", '{"cluster": {"worker": ["a:1"]}}')
    assert distribute.MultiWorkerMirroredStrategy().num_replicas_in_sync == 1


def test_specs_of_clusters_as_tensorflow_has_them(monkeypatch: pytest.MonkeyPatch) -> None:
    spec = tf.train.ClusterSpec({"worker": ["a:1", "b:2"], "ps": {3: "c:3"}})
    assert spec.jobs == ["worker", "ps"]
    assert (spec.num_tasks("worker"), spec.task_indices("ps")) == (2, [3])
    assert spec.task_address("ps", 3) == "c:3"
    assert spec.job_tasks("ps") == [None, None, None, "c:3"]
    assert spec.as_dict() == {"worker": ["a:1", "b:2"], "ps": {3: "c:3"}}
    assert repr(tf.train.ClusterSpec({"worker": ["a:1"], "ps": ["c:3"]})) == (
        "ClusterSpec({'ps': ['c:3'], 'worker': ['a:1']})"
    )
    assert spec == tf.train.ClusterSpec(spec)
    assert spec
    for call, error in [
        (lambda: spec.job_tasks("x"), ValueError),
        (lambda: spec.task_address("worker", 9), ValueError),
        (lambda: tf.train.ClusterSpec(3), TypeError),
        (lambda: tf.train.ClusterSpec({"w": 3}), TypeError),
    ]:
        with pytest.raises(error):
            call()
    monkeypatch.setenv(
        "TF_CONFIG",
        '{"cluster": {"worker": ["a:1", "b:2"]}, "task": {"type": "worker", "index": 1}}',
    )
    resolver = distribute.cluster_resolver.TFConfigClusterResolver()
    assert (resolver.task_type, resolver.task_id) == ("worker", 1)
    assert resolver.master() == "b:2"
    assert resolver.cluster_spec().as_dict() == {"worker": ["a:1", "b:2"]}
    assert dict(resolver.num_accelerators()) == {}


def test_the_launcher_is_told_what_the_user_wants(tmp_path: Path) -> None:
    arguments = ["-n", "8", "--hosts", "a:4,b:4", "--mpiexec", "srun", "--timeout", "5"]
    options = parser().parse_args([*arguments, "--logs", str(tmp_path), "train.py", "--fast"])
    command, environment = command_and_environment(options)
    assert command[:5] == ["srun", "-n", "8", "-hosts", "a:4,b:4"]
    assert command[-2:] == ["train.py", "--fast"]
    assert environment["TAPEGRAD_DISTRIBUTE_TIMEOUT"] == "5.0"
    assert environment["TAPEGRAD_DISTRIBUTE_LOGS"] == str(tmp_path)


@needs_mpi
def test_the_launcher_of_the_wheel_is_found() -> None:
    launcher, _ = find_launcher()
    assert Path(launcher).name in ("mpiexec", "mpirun")


# Slurm. There is none here: mpiexec stands behind srun, and speaks the protocol that Slurm's pmi2 speaks too.


SRUN = """#!{python}
import os, sys
arguments = sys.argv[1:]
count = arguments[arguments.index("-n") + 1]
program = arguments[arguments.index("--") + 1 :]
task = (
    "import os, sys; rank = os.environ.get('PMI_RANK', '0');"
    "os.environ.update(SLURM_PROCID=rank, SLURM_LOCALID=rank, SLURM_NTASKS=sys.argv[1],"
    "SLURM_STEP_NUM_TASKS=sys.argv[1], SLURM_JOB_ID='1');"
    "os.execv(sys.argv[2], sys.argv[2:])"
)
process = [sys.executable, "-c", task, count, *program]
os.execv({mpiexec!r}, [{mpiexec!r}, "-n", count, *process]) if "--mpi=pmi2" in arguments else os.execv(
    sys.executable, process)
"""


@pytest.fixture
def srun(tmp_path: Path) -> str:
    path = tmp_path / "srun"
    path.write_text(SRUN.format(python=sys.executable, mpiexec=find_launcher()[0]))
    path.chmod(0o755)
    return str(path)


def slurm(srun: str, count: int, *options: str) -> tuple[int, str, str]:
    """What a job of Slurm prints."""
    program = [sys.executable, str(FOLDER / "tapes.py")]
    finished = subprocess.run(
        [srun, "-n", str(count), *options, "--", *program],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env={**os.environ, "FI_PROVIDER": "shm"},
    )
    return finished.returncode, finished.stdout, finished.stderr


@needs_mpi
def test_srun_starts_ranks(srun: str) -> None:
    status, out, err = slurm(srun, 2, "--mpi=pmi2")
    assert (status, out.count("fine")) == (0, 2), err
    assert "tapegrad: 2 ranks. " in err


@needs_mpi
def test_srun_without_mpi_is_refused(srun: str) -> None:
    status, _, err = slurm(srun, 2)
    assert status != 0
    assert "srun has started 2 processes, and has given them no MPI to find each other by" in err


@needs_mpi
def test_an_mpi_that_does_not_know_the_launcher_is_refused() -> None:
    # As if the mpiexec of Open MPI had started programs that use MPICH: each process would be alone.
    program = [sys.executable, str(FOLDER / "tapes.py")]
    finished = subprocess.run(
        program,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env={**os.environ, "OMPI_COMM_WORLD_SIZE": "3", "FI_PROVIDER": "shm"},
    )
    assert finished.returncode != 0
    assert "The launcher has started 3 processes, and MPI knows of 1" in finished.stderr


@needs_mpi
def test_mpiexec_alone_starts_ranks() -> None:
    finished = subprocess.run(
        [find_launcher()[0], "-n", "2", sys.executable, str(FOLDER / "tapes.py")],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (finished.returncode, finished.stdout.count("fine")) == (0, 2), finished.stderr


# The gate


@pytest.mark.parametrize("count", ["0", "-1", "two", "1.5"])
def test_the_number_of_processes_is_one_or_more(
    count: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        parser().parse_args(["-n", count, "x.py"])
    assert "which is 1 or more" in capsys.readouterr().err


def gates(count: int) -> list[Gate]:
    memory = np.zeros(count * slot_size(), np.int8)
    return [Gate(memory, rank, count) for rank in range(count)]


def at_once(*calls: Callable[[], Any]) -> list[Any]:
    with ThreadPoolExecutor(len(calls)) as pool:
        return [future.result() for future in [pool.submit(call) for call in calls]]


def test_a_gate_agrees_disagrees_and_waits() -> None:
    one, two = gates(2)
    a, b = np.ones((3, 2)), np.ones((4, 2))
    assert at_once(lambda: one.meet(1, a, 0, 5), lambda: two.meet(1, a, 0, 5)) == [AGREED] * 2
    assert at_once(lambda: one.meet(1, b, 0, 5), lambda: two.meet(1, a, 0, 5)) == [DISAGREED] * 2
    assert (one.other, two.other) == (1, 0)
    one.describe("one")
    two.describe("two")
    assert [gate.description(k, 1) for gate in (one, two) for k in (0, 1)] == ["one", "two"] * 2
    found = at_once(lambda: one.meet(3, a, 0, 5, 1), lambda: two.meet(3, b, 0, 5, 1))
    assert found == [AGREED] * 2
    assert one.counts() == two.counts() == [3, 4]
    two.leave("no more")
    assert one.meet(1, a, 0, 5) == LEFT
    assert one.who_left() == [1]
    assert one.description(1, 0) == "no more"


def test_who_comes_too_late_does_not_go_on_alone() -> None:
    one, two = gates(2)
    a = np.ones(3)
    assert one.meet(1, a, 0, 0.01) == LATE
    assert one.other == 1
    one.leave("gave up")
    assert two.meet(1, a, 0, 5) == LEFT


@pytest.mark.parametrize("count", [2, 3])
def test_all_go_on_or_none(count: int) -> None:
    """However close to its end a rank's patience is when the last one comes."""
    a, draws = np.ones(3), random.Random(count)

    def meets(gate: Gate, delay: float, timeout: float) -> Any:
        time.sleep(delay)
        code = gate.meet(1, a, 0, timeout)
        if code == LATE:
            gate.leave("gave up")
        return code

    seen = set()
    for _ in range(60):
        delays = [draws.choice([0.0, draws.uniform(0.009, 0.013)]) for _ in range(count)]
        timeouts = [draws.choice([0.01, 5]) for _ in range(count)]
        calls = [
            functools.partial(meets, *each)
            for each in zip(gates(count), delays, timeouts, strict=True)
        ]
        codes = at_once(*calls)
        assert AGREED not in codes or set(codes) == {AGREED}
        seen.update(codes)
    assert AGREED in seen


def test_a_gate_checks_what_it_is_given() -> None:
    with pytest.raises(ValueError, match="a gate of 2 ranks needs"):
        Gate(np.zeros(10, np.int8), 0, 2)
    with pytest.raises(ValueError, match="a gate of 1 ranks"):
        Gate(np.zeros(slot_size(), np.int8), 1, 1)
    (gate,) = gates(1)
    assert gate.meet(1, np.ones(3), 0, 1) == AGREED
    with pytest.raises(IndexError):
        gate.description(1, 0)


def test_a_gradient_is_told_of_as_soon_as_it_is_complete() -> None:
    """The walk calls `finished` in the middle: the last layer's gradients before the first layer's."""
    weights = [tf.Variable(tf.ones([2, 2])) for _ in range(3)]
    unused = tf.Variable(1.0)
    order: list[tuple[str, Any]] = []

    @tf.custom_gradient
    def noted(x: Any) -> Any:
        def gradient(dy: Any) -> Any:
            order.append(("walk", None))
            return dy

        return tf.identity(x), gradient

    with tf.GradientTape() as tape:
        x = tf.ones([2, 2])
        for weight in weights:
            x = noted(x @ weight)
        shared = tf.reduce_sum(x) + tf.reduce_sum(weights[2])
    told: dict[int, Any] = {}

    def finished(number: int, gradient: Any) -> None:
        order.append(("finished", number))
        told[number] = gradient

    gradients = core.compute_gradient(
        tape._records(), [shared], [*weights, unused], [None], True, finished
    )
    assert order == [
        ("walk", None),
        ("finished", 2),
        ("walk", None),
        ("finished", 1),
        ("walk", None),
        ("finished", 0),
    ]
    for number, gradient in told.items():
        assert gradients[number] is gradient
    assert gradients[3] is None


@pytest.mark.parametrize("most", [0, 40, 1 << 20])
def test_what_leads_to_late_sources_is_done_last(most: int) -> None:
    """The gradients are the same bits. That of the first layer is complete first, if memory allows."""
    rng = np.random.default_rng(0)
    weights = [tf.Variable(rng.normal(size=(3, 3)).astype(np.float32)) for _ in range(3)]
    bias, unused = tf.Variable(tf.ones([3])), tf.Variable(1.0)
    sources = [*weights, bias, unused, weights[1]]

    def record() -> tuple[tf.GradientTape, Any]:
        with tf.GradientTape() as tape:
            x = tf.ones([2, 3])
            for weight in weights:
                x = tf.tanh(x @ weight + bias)
            loss = tf.reduce_sum(x @ weights[1])  # used twice
        return tape, loss

    tape, loss = record()
    expected = tape.gradient(loss, sources)
    tape, loss = record()
    told: dict[int, Any] = {}
    found = core.compute_gradient(
        tape._records(), [loss], sources, [None], True, told.setdefault, (1, 2, 3), most
    )
    if most > 1000:
        assert list(told).index(0) < list(told).index(2)  # the others have more than one use
    assert set(told) >= {0, 1, 2, 3}
    for number, gradient in enumerate(expected):
        if gradient is None:
            assert found[number] is None
            continue
        np.testing.assert_array_equal(found[number], gradient)
        if number in told:
            np.testing.assert_array_equal(told[number], gradient)


def test_arrays_laid_down_at_a_gate() -> None:
    one, two = gates(2)
    a, b = np.arange(6.0).reshape(3, 2), np.ones((3, 2))
    with ThreadPoolExecutor(1) as pool:
        other = pool.submit(two.meet, 1, b, 0, 5, 0, True)
        assert (one.meet(1, a, 0, 5, 0, True), other.result()) == (AGREED, AGREED)
    for gate in (one, two):
        np.testing.assert_array_equal(gate.total(a), a + b)
        np.testing.assert_array_equal(gate.total(a, 1, 2), (a + b)[1:])
        np.testing.assert_array_equal(gate.row(0, a), a)
        np.testing.assert_array_equal(gate.joined(a, [3, 2]), np.concatenate([a, b[:2]]))
    out = np.empty_like(a)
    assert one.total(a, out=out) is out
    assert one.total(a.astype(np.complex64)) is None
    large = np.ones(one.capacity // 8 + 1)
    for call in (
        lambda: one.meet(1, large, 0, 1, 0, True),
        lambda: one.meet(1, a.T, 0, 1, 0, True),
        lambda: one.total(large),
        lambda: one.total(a, out=np.empty(6)),
        lambda: one.total(a, out=np.empty((3, 2), np.float32)),
        lambda: one.joined(a, [3]),
        lambda: one.joined(a, [3, -1]),
        lambda: one.joined(a, [3, 1 << 40]),
        lambda: one.joined(np.array(1.0), [1, 1]),
    ):
        with pytest.raises(ValueError, match=r"array|rows|rank"):
            call()
    with pytest.raises(IndexError):
        one.total(a, 2, 2)
    with pytest.raises(IndexError):
        one.row(2, a)
    assert one.turn == 1, "nothing of this was a meeting"


@pytest.mark.parametrize("count", [1, 2, 3, 5, 6, 7, 8, 13])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32, np.int64])
def test_rows_are_added_as_a_tree(count: int, dtype: Any) -> None:
    rng = np.random.default_rng(count)
    parts = [(rng.normal(size=700) * 1e3).astype(dtype) for _ in range(count)]
    ranks = gates(count)
    for gate, part in zip(ranks, parts, strict=True):
        gate.meet(1, part, 0, 0.0, 0, True)
    total = added_as_tree(parts)
    np.testing.assert_array_equal(ranks[-1].total(parts[0]), total)
    for divisor in (2, 3, 8):
        expected = total if total.dtype.kind == "i" else total / total.dtype.type(divisor)
        np.testing.assert_array_equal(ranks[0].total(parts[0], divisor=divisor), expected)


@pytest.mark.parametrize("count", [1, 2, 3])
def test_ranks_come_to_a_meeting_and_go_on(count: int) -> None:
    memory = np.zeros(count * slot_size(128), np.int8)
    ranks = [Gate(memory, rank, count, capacity=128) for rank in range(count)]
    for turn in range(5):
        for k, gate in enumerate(ranks):
            own = gate.place()[: 4 * (k + 1)].view(np.float32)
            own[...] = 10 * turn + k
            gate.arrive(3, own, 0, 1)
            assert gate.all_here() is (k == count - 1)
        for gate in ranks:
            assert gate.wait(0.0) == AGREED
            assert gate.counts() == list(range(1, count + 1))
            rows = gate.joined(np.zeros(1, np.float32), gate.counts())
            assert rows.tolist() == [10 * turn + k for k in range(count) for _ in range(k + 1)]
    if count > 1:
        ranks[0].arrive(1, np.zeros(1), 0)
        assert ranks[0].wait(0.0) == LATE
    with pytest.raises(ValueError, match="a gate of 1 ranks needs"):
        Gate(memory, 0, 1, capacity=100)


@pytest.mark.parametrize("make", [LocalGroup, lambda: ThreadGroup(Meeting(1), 0)])
def test_results_go_where_the_caller_wants_them(make: Callable[[], Any]) -> None:
    group, a = make(), np.arange(4.0)
    for call in (
        lambda out: group.all_reduce(a, out=out),
        lambda out: group.all_gather(a, out=out)[0],
        lambda out: group.reduce_scatter(a, [4], out=out),
        lambda out: group.broadcast(a, out=out),
    ):
        out = np.zeros(4)
        assert call(out) is out
        np.testing.assert_array_equal(out, a)
        for bad in (np.zeros(3), np.zeros(4, np.float32), np.zeros(8)[::2]):
            with pytest.raises(ValueError, match="The result is of float64"):
                call(bad)
    assert group.all_reduce(a, out=a) is a
