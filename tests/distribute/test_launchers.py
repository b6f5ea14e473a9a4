"""What starts ranks: our launcher, mpiexec and Slurm."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from test_ranks import FOLDER, needs_mpi

from tapegrad.distribute.starting import command_and_environment, find_launcher, parser


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


@pytest.mark.parametrize("count", ["0", "-1", "two", "1.5"])
def test_the_number_of_processes_is_one_or_more(
    count: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        parser().parse_args(["-n", count, "x.py"])
    assert "which is 1 or more" in capsys.readouterr().err
