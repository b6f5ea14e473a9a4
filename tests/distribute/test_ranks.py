"""Several processes: the programs in tests/ranks, started by the launcher, and what may go wrong there."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.keras_runs.test_keras import KERAS, needs_keras

import tapegrad as tf
from tapegrad.distribute import buckets, ranks
from tapegrad.distribute.groups import Group

FOLDER = Path(__file__).parents[1] / "ranks"
distribute = tf.distribute
pytestmark = pytest.mark.long
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


# Any two of the three meet: a thread or a walk, how many bytes, and how many ranks.
_WHO_REDUCES = [
    (("thread", "walk")[(first + second) % 2], capacity, count)
    for first, capacity in enumerate((0, 64, 1 << 20))
    for second, count in enumerate((2, 3, 4))
]


@needs_mpi
@pytest.mark.parametrize(("who", "capacity", "count"), _WHO_REDUCES)
def test_which_thread_reduces_gradients(who: str, capacity: int, count: int) -> None:
    """Some arrays, or all, are too large for the memory that ranks share."""
    status, out, err = run(count, "tapes.py", who, capacity)
    assert (status, out.count("fine")) == (0, count), err


def test_threads_that_take_turns_often_leave_the_interpreter_as_it_was() -> None:
    before = sys.getswitchinterval()
    first, second = buckets.frequent_thread_switches(True), buckets.frequent_thread_switches(True)
    with buckets.frequent_thread_switches(False):
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
        ranks.seconds_to_wait(None)
    assert ranks.seconds_to_wait(5) == 5


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
    # Sums over ranks round otherwise, and what is printed to five digits is then one off now and then.
    first, *others = (np.array(re.findall(r"\d+\.\d+", line), float) for line in printed)
    for numbers in others:
        np.testing.assert_allclose(numbers, first, rtol=1e-5, atol=2e-5, err_msg="\n".join(printed))


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
