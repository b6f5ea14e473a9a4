"""Says what this machine lacks to build tapegrad, before anything is downloaded.

    python3 tools/check_machine.py          (the first thing that make does)

Whatever Python there is runs it, so it keeps to what old ones know.
"""

import importlib.util
import os
import shlex
import shutil
import sys
import sysconfig

OLDEST = (3, 11)
# What `make test` leaves in this folder; `make demo` leaves less.
BYTES = 1_600_000_000


def compilers() -> list:
    """The names that Meson tries: what CC says, or else the usual ones."""
    said = shlex.split(os.environ.get("CC", ""))
    return said[:1] or ["cc", "gcc", "clang"]


def lacking() -> list:
    """What is missing, each with what brings it."""
    answers = []
    if sys.version_info < OLDEST:
        oldest = ".".join(map(str, OLDEST))
        present = sys.version.split()[0]
        answers.append(
            f"Python {oldest} or newer, as in `make PYTHON=python3.12`: this is {present}"
        )
    if not all(importlib.util.find_spec(name) for name in ("venv", "ensurepip")):
        answers.append("Python's venv and pip (Debian, Ubuntu: apt install python3-venv)")
    if not os.path.exists(os.path.join(sysconfig.get_paths()["include"], "Python.h")):
        answers.append(
            "Python's headers (Debian, Ubuntu: apt install python3-dev; Fedora: python3-devel)"
        )
    if not any(shutil.which(name) for name in compilers()):
        names = " or ".join(compilers())
        answers.append(
            f"a C compiler, {names} (Debian, Ubuntu: apt install gcc; Fedora: dnf install gcc)"
        )
    if os.pathsep in os.getcwd():
        answers.append(
            f"a folder without `{os.pathsep}` in its path, which Python's environments refuse: this is "
            + os.getcwd()
        )
    free = shutil.disk_usage(os.curdir).free
    if free < BYTES:
        answers.append(f"{BYTES / 1e9} GB of free disk in this folder: it has {free / 1e9:.1f}")
    return answers


if __name__ == "__main__":
    answers = lacking()
    if answers:
        raise SystemExit(
            "tapegrad cannot be built here. What is missing:\n  " + "\n  ".join(answers)
        )
