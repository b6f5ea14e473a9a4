"""What builds say while they run, and what they do again."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
TOOLS = ROOT / "tools"


def run(program: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, TOOLS / "with_progress.py", sys.executable, "-c", program],
        capture_output=True,
        text=True,
    )


COUNTING = "for i in range(1, 73): print(f'[{i}/72] Compiling C object src/tapegrad/x{i}.pyx.c.o')"


def test_a_build_says_how_far_it_is() -> None:
    finished = run(f"print('chatter')\n{COUNTING}")
    lines = finished.stdout.splitlines()
    assert finished.returncode == 0
    assert lines[0] == "  1/72  Compiling C object x1.pyx.c.o"
    assert lines[-2] == "  72/72  Compiling C object x72.pyx.c.o"
    assert lines[-1].startswith("  done in ")
    assert 10 <= len(lines) <= 14
    assert "chatter" not in finished.stdout


def test_a_build_that_fails_shows_all_it_said() -> None:
    finished = run(f"import sys\nprint('what went wrong')\n{COUNTING}\nsys.exit(3)")
    assert finished.returncode == 3
    assert "what went wrong" in finished.stdout
    assert "[71/72]" in finished.stdout


@pytest.fixture
def room(tmp_path: Path) -> Path:
    """A checkout with the tool and two modules. One cimports the other, and the path has a space in it."""
    pytest.importorskip("Cython")
    checkout = tmp_path / "a checkout"
    package = checkout / "src" / "room"
    package.mkdir(parents=True)
    (checkout / "tools").mkdir()
    shutil.copy(TOOLS / "translate.py", checkout / "tools")
    (package / "__init__.pxd").touch()
    (package / "below.pxd").write_text("cdef int below(int x)\n")
    (package / "below.pyx").write_text("cdef int below(int x):\n    return x + 1\n")
    (package / "beside.pyx").write_text("from room.below cimport below\nthree = below(2)\n")
    return checkout


def translate(checkout: Path, *options: str) -> tuple[subprocess.CompletedProcess[str], set[str]]:
    """What the tool says, and the C files that it wrote."""
    build = checkout / "build"
    before = {path.name: path.stat().st_mtime_ns for path in build.glob("*.c")}
    finished = subprocess.run(
        [
            *(sys.executable, checkout / "tools" / "translate.py", build, build / "room.d"),
            *("-3", "-I", checkout / "src", *options),
            *sorted((checkout / "src" / "room").glob("*.pyx")),
        ],
        capture_output=True,
        text=True,
    )
    after = {path.name: path.stat().st_mtime_ns for path in build.glob("*.c")}
    return finished, {name for name, time in after.items() if time != before.get(name)}


def test_what_changed_is_translated_again_and_nothing_else(room: Path) -> None:
    package = room / "src" / "room"
    assert translate(room)[1] == {"below.c", "beside.c"}
    assert "three" in (room / "build" / "beside.c").read_text()
    assert "PyInit_beside" in (room / "build" / "beside.c").read_text()
    assert translate(room)[1] == set()

    (package / "beside.pyx").touch()
    assert translate(room)[1] == set()
    (package / "beside.pyx").write_text("from room.below cimport below\nfour = below(3)\n")
    assert translate(room)[1] == {"beside.c"}
    (package / "below.pyx").write_text("cdef int below(int x):\n    return 1 + x\n")
    assert translate(room)[1] == {"below.c"}
    (package / "below.pxd").write_text("cdef int below(int y)\n")
    assert translate(room)[1] == {"below.c", "beside.c"}
    assert translate(room, "-X", "boundscheck=False")[1] == {"below.c", "beside.c"}


def test_the_build_learns_what_was_read(room: Path) -> None:
    translate(room)
    targets, read = (room / "build" / "room.d").read_text().split(": ")
    assert targets.replace("\\ ", " ").count("a checkout/build/be") == 2
    for name in ("below.pxd", "below.pyx", "beside.pyx"):
        assert f"a\\ checkout/src/room/{name}" in read


def test_a_module_that_cython_refuses_is_translated_until_it_is_right(room: Path) -> None:
    broken = room / "src" / "room" / "beside.pyx"
    right = broken.read_text()
    translate(room)
    broken.write_text("cdef int wrong(:\n")
    for _ in range(2):
        finished, written = translate(room)
        assert finished.returncode == 1
        assert "beside.pyx:1" in finished.stdout + finished.stderr
        assert written <= {"beside.c"}
    broken.write_text(right)
    finished, written = translate(room)
    assert (finished.returncode, written) == (0, {"beside.c"})
