"""What builds ask for, what they say while they run, and what they do again."""

from __future__ import annotations

import importlib
import json
import os
import re
import shutil
import subprocess
import sys
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

import pytest

from tapegrad.compiled import LIBRARY
from tapegrad.names import COMPILED

ROOT = Path(__file__).resolve().parents[2]
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


@pytest.mark.long
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


@pytest.mark.long
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


def test_a_module_that_is_new_or_gone_is_known_to_the_next_build_in_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(TOOLS)
    build_in_place = importlib.import_module("build_in_place")
    files = importlib.import_module("list_package_files").package_files()
    assert not build_in_place.is_configured(tmp_path)

    (tmp_path / "meson-info").mkdir()
    package = ROOT / "src" / "tapegrad"
    for names, known in ((files, True), (files[1:], False), ([*files, "gone.py"], False)):
        installed = {str(package / name): f"/site-packages/tapegrad/{name}" for name in names}
        installed[str(tmp_path / "names.py")] = "/site-packages/tapegrad/names.py"
        (tmp_path / "meson-info" / "intro-installed.json").write_text(json.dumps(installed))
        assert build_in_place.is_configured(tmp_path) is known


def test_one_library_holds_all_compiled_modules() -> None:
    sources = {
        path.relative_to(ROOT / "src").with_suffix("") for path in (ROOT / "src").rglob("*.pyx")
    }
    names = {".".join(path.parts) for path in sources} | {"tapegrad.engines.cython_utilities"}
    assert {f"tapegrad.{name}" for name in COMPILED} == names
    for name in sorted(names):
        module = importlib.import_module(name)
        assert module.__spec__ is not None
        assert (module.__name__, module.__file__) == (name, LIBRARY)
    libraries = {*Path(LIBRARY).parent.rglob(f"*{EXTENSION_SUFFIXES[0]}")}
    assert libraries == {Path(LIBRARY)}, "a library of older sources"


SHARED_ARGUMENTS = {
    "-fno-trapping-math",
    "-fno-math-errno",
    "-ffp-contract=off",
    "-ffp-contract=fast",
    "-ffunction-sections",
    "-Wno-unused-function",
}
"""What both gcc and clang know."""


def test_arguments_that_not_every_compiler_knows_are_asked_for() -> None:
    """An argument that clang does not know is an error there, and continuous integration has gcc alone."""
    for path in (ROOT / "meson.build", ROOT / "src" / "tapegrad" / "meson.build"):
        asked = re.compile(r"get_supported_(link_)?arguments\([^)]*\)")
        unasked = set(re.findall(r"'(-[fmW][^']+)'", asked.sub("", path.read_text())))
        assert unasked <= SHARED_ARGUMENTS, path


# A Python that does nothing but to write down what it is asked for, and to copy itself as `-m venv` does.
STAND_IN = """#!/bin/sh
echo "$@" >> "{log}"
if [ "$1" = tools/check_machine.py ]; then exec "{python}" "$@"; fi
if [ "$1 $2" = "-m venv" ]; then mkdir -p "$3/bin"; cp "$0" "$3/bin/python"; fi
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """What `make demo` reads, with nothing to install or compile, in a folder with spaces in its path."""
    folder = tmp_path / "a new checkout"
    (folder / "src").mkdir(parents=True)
    shutil.copytree(TOOLS, folder / "tools", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("Makefile", "meson.build", "meson.options", "pyproject.toml"):
        shutil.copy(ROOT / name, folder)
    python = tmp_path / "python"
    python.write_text(STAND_IN.format(log=tmp_path / "log", python=sys.executable))
    python.chmod(0o755)
    return folder


def run_make(folder: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """How make ends for somebody who types it.

    The tests may run under make themselves, whose flags and variables (`make test WHOLE=1`) must not
    reach this one.
    """
    of_make = ("MAKE", "MFLAGS", "WHOLE", "PYTEST")
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(of_make)}
    command = ["make", "--no-print-directory", *arguments]
    return subprocess.run(
        command, cwd=folder, capture_output=True, text=True, env=inherited | environment
    )


def make_demo(checkout: Path, **environment: str) -> tuple[subprocess.CompletedProcess[str], str]:
    """How `make demo` ends, and what it asked of Python."""
    finished = run_make(checkout, "demo", f"PYTHON={checkout.parent / 'python'}", **environment)
    return finished, (checkout.parent / "log").read_text()


def test_the_demo_is_made_in_a_folder_with_spaces_in_its_path_and_nowhere_else(
    checkout: Path,
) -> None:
    finished, asked = make_demo(checkout)
    assert finished.returncode == 0, finished.stderr
    assert asked.splitlines()[0] == "tools/check_machine.py"
    assert asked.splitlines()[-1] == "examples/demo.py"
    assert "minute" in finished.stdout.splitlines()[0]
    assert {path.name for path in checkout.parent.iterdir()} == {"a new checkout", "log", "python"}
    made = {path.name for path in checkout.iterdir()} - {path.name for path in ROOT.iterdir()}
    assert made <= {".venv", "build"}


def test_what_is_missing_is_said_before_anything_is_made(checkout: Path) -> None:
    finished, asked = make_demo(checkout, CC="no-such-compiler -O3")
    assert finished.returncode != 0
    assert "What is missing:\n  a C compiler, no-such-compiler (" in finished.stderr
    assert asked == "tools/check_machine.py\n"
    assert not (checkout / ".venv").exists()


def test_a_folder_that_cannot_hold_it_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.syspath_prepend(TOOLS)
    check_machine = importlib.import_module("check_machine")
    folder = tmp_path / "of:two"
    folder.mkdir()
    monkeypatch.chdir(folder)
    usage = shutil.disk_usage(folder)
    assert check_machine.lacking()[0].endswith(f"this is {folder}")
    monkeypatch.chdir(tmp_path)
    for free, said in (
        (300_000_000, "1.6 GB of free disk in this folder: it has 0.3"),
        (10**10, None),
    ):
        monkeypatch.setattr(shutil, "disk_usage", lambda _, free=free: usage._replace(free=free))
        assert check_machine.lacking() == [said] * (said is not None)


OF_SYSTEMS = re.compile(
    r"pthread_|dlopen|dlsym|\bmmap\b|madvise|sys/|unistd\.h|sched\.h|(?<!os\.)\bsched_\w+\(|nanosleep|usleep|clock_gettime"
    r"|posix_memalign|_aligned_malloc|__thread\b|_WIN32|__APPLE__|__linux__|__GLIBC__"
)


def test_one_file_knows_the_systems() -> None:
    """What a port has to change stands in `engines/system.h`; docs/architecture.md says so."""
    package = ROOT / "src" / "tapegrad"
    for pattern in ("*.pyx", "*.pxd", "*.h", "*.c"):
        for path in sorted(package.rglob(pattern)):
            if not path.name.startswith("system"):
                assert OF_SYSTEMS.findall(path.read_text()) == [], path


def test_headers_are_found_on_every_system() -> None:
    """A header of ours that has the name of a system's is found in its place: windows.h was."""
    package = ROOT / "src" / "tapegrad"
    taken = {
        "windows.h",
        "threads.h",
        "search.h",
        "complex.h",
        "math.h",
        "string.h",
        "signal.h",
        "time.h",
    }
    assert not taken & {path.name for path in package.rglob("*.h")}


def test_kernels_read_pythons_headers_before_those_of_the_system() -> None:
    """Python's say which of the system's names there are, and newer systems refuse to hear it too late."""
    for path in sorted((ROOT / "src" / "tapegrad" / "engines" / "numpy").glob("*_kernels.c")):
        first = re.search(r"#include (.)", path.read_text())
        assert first is not None
        assert first[1] == '"', path


@pytest.mark.parametrize(
    ("arguments", "is_quick"),
    [
        (["test"], True),
        (["test", "WHOLE=1"], False),
        (["test", "PYTEST=-k tanh"], False),
        (["test-all"], False),
    ],
    ids=str,
)
def test_what_make_runs_is_a_program_of_the_shell(arguments: list[str], is_quick: bool) -> None:
    dry_run = run_make(ROOT, "--dry-run", *arguments)
    assert dry_run.returncode == 0, dry_run.stderr
    recipe = dry_run.stdout
    checked = subprocess.run(["sh", "-n"], input=recipe, capture_output=True, text=True)
    assert checked.returncode == 0, checked.stderr
    assert ("--quick" in recipe) == is_quick
