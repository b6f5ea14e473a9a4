"""The processes of ranks: killed, ended early, forked, started by a rank; and what they leave behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from test_ranks import FOLDER, children_of, needs_mpi, run, start

pytestmark = needs_mpi


def descendants(pid: int) -> list[int]:
    return [found for child in children_of(pid) for found in (child, *descendants(child))]


def runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


ENDS = {
    "exits": "has ended by os._exit(0)",
    "dies": "was killed by signal 9 (SIGKILL)",
    "dies_in_walk": "was killed by signal 9 (SIGKILL)",
}


@pytest.mark.parametrize("fault", ENDS)
def test_a_process_that_ends_without_a_word_is_named_and_the_others_say_where_they_are(
    fault: str,
) -> None:
    status, _, err = run(3, "faults.py", fault, options=("--timeout", 20))
    assert status != 0
    assert "[rank 1] The process " in err
    assert ENDS[fault] in err, err
    assert "but the process of rank 1 has ended." in err, err


def test_a_process_that_ends_when_the_others_need_it_no_more_fails_the_job() -> None:
    status, _, err = run(3, "faults.py", "exits_after_all", options=("--timeout", 20))
    assert status != 0
    assert "[rank 1] The process " in err
    assert "The process of rank 1 has ended before its program." in err, err


@pytest.mark.parametrize(("fault", "code"), [("exits", 0), ("dies", -9)])
def test_so_it_is_under_a_launcher_of_others_and_by_messages(fault: str, code: int) -> None:
    launcher = Path(sys.executable).parent / "mpiexec"
    if not launcher.exists():
        pytest.skip("there is no mpiexec beside this interpreter")
    command = [str(launcher), "-n", "2", sys.executable, str(FOLDER / "faults.py"), fault]
    environment = {**os.environ, "FI_PROVIDER": "shm", "TAPEGRAD_DISTRIBUTE_GATE": "messages"}
    job = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=60)
    assert job.returncode != 0
    if code < 0:
        # This launcher leaves the others no time when a signal has killed a rank, and may say so itself.
        said = job.stdout + job.stderr
        assert "[rank 1] The process " in said or "signal 9" in said, said
    else:
        assert "[rank 1] The process " in job.stderr, job.stderr
        assert "but the process of rank 1 has ended." in job.stderr, job.stderr


def test_a_program_that_ends_before_the_others_is_named() -> None:
    status, _, err = run(3, "faults.py", "ends", options=("--timeout", 20))
    assert status != 0
    assert "rank 1: its program has ended" in err
    assert "[rank 1] The process" not in err


def test_an_exception_in_a_thread_ends_that_thread_alone() -> None:
    status, out, err = run(2, "faults.py", "raises_in_thread")
    assert (status, out.count("goes on with 2")) == (0, 2), err
    assert err.count("Exception in thread ") == 1
    assert "KeyError: 'a fault of the thread'" in err


def test_forked_and_started_processes_take_no_part() -> None:
    status, out, err = run(2, "faults.py", "forks", options=("--timeout", 20))
    assert (status, out.count("goes on with 2")) == (0, 2), err
    assert "KeyError: 'a fault of the child'" in err
    assert "[rank" not in err


@pytest.mark.skipif(
    not Path("/proc/self/maps").exists(), reason="this system does not say what is shared"
)
def test_nothing_is_shared_under_a_name_that_would_outlive_a_killed_job() -> None:
    status, out, err = run(2, "faults.py", "shares")
    assert (status, out) == (0, "named: []\n" * 2), err


@pytest.mark.parametrize("who", ["launcher", "rank", "all"])
def test_a_job_that_is_killed_leaves_no_processes_behind(who: str) -> None:
    process = start(2, "faults.py", "waits", options=("--timeout", 1))
    assert process.stdout is not None
    assert process.stdout.readline() == "waiting\n"
    others = descendants(process.pid)
    killed = {"launcher": [process.pid], "rank": others[-1:], "all": [process.pid, *others]}
    for pid in killed[who]:
        os.kill(pid, signal.SIGKILL)
    process.communicate(timeout=60)
    assert process.returncode != 0
    deadline = time.monotonic() + 30
    while any(map(runs, others)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not [pid for pid in others if runs(pid)]
