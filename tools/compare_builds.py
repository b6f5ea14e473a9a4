"""Builds a wheel again from the last commit, in another folder, and compares the bits with the first.

    python tools/compare_builds.py FOLDER [VERSION]        (make reproducible)

FOLDER holds the wheels of `make wheels`; VERSION is the Python, or else the newest that has one there. The
second build starts with nothing of the first but its tools, and without a cache of the compiler. So the
wheel of `make wheels` has to come from a clean checkout of that commit.
"""

import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path
from zipfile import ZipFile

from run_tests_on import ROOT, pythons

# Longer than the folder of the checkout: a path of the same length would not move what comes after it.
AGAIN = ROOT / "build" / "built-again-from-the-same-sources"


def wheels(folder: Path) -> dict[str, Path]:
    """The wheels in ``folder``, by the version of Python."""
    tags = {wheel: re.search(r"-cp(\d)(\d+)-", wheel.name) for wheel in folder.glob("*.whl")}
    return {f"{tag[1]}.{tag[2]}": wheel for wheel, tag in tags.items() if tag}


def build_again(name: str, python: Path) -> Path:
    """The wheel for one Python, from the last commit."""
    shutil.rmtree(AGAIN, ignore_errors=True)
    tree = AGAIN / "tapegrad"
    tree.mkdir(parents=True)
    archive = AGAIN / "sources.tar"
    subprocess.run(["git", "archive", "--output", archive, "HEAD"], cwd=ROOT, check=True)
    shutil.unpack_archive(archive, tree, filter="data")
    # What its own tools import is the second tree's, and so are the folders they write to.
    program = (
        "import sys; from pathlib import Path; from make_wheels import make_wheel\n"
        "make_wheel(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]))"
    )
    folder = AGAIN / "dist"
    folder.mkdir()
    subprocess.run(
        [sys.executable, "-c", program, name, python, folder],
        cwd=tree / "tools",
        env=os.environ | {"CCACHE_DISABLE": "1"},
        check=True,
    )
    (wheel,) = folder.glob("*.whl")
    return wheel


def differences(first: Path, second: Path) -> list[str]:
    """The files whose bits are not the same in both wheels."""
    contents = []
    for wheel in (first, second):
        with ZipFile(wheel) as file:
            contents.append({name: file.read(name) for name in file.namelist()})
    mine, other = contents
    return sorted(name for name in mine | other if mine.get(name) != other.get(name))


def main(arguments: list[str]) -> int:
    present = wheels(Path(arguments[0]).resolve())
    if set(arguments[1:]) <= set(present):  # otherwise no interpreter need be asked for its version
        interpreters = {f"{major}.{minor}": path for (major, minor), path in pythons().items()}
    else:
        interpreters = {}
    wanted = arguments[1:] or [name for name in reversed(interpreters) if name in present][:1]
    if not wanted or wanted[0] not in interpreters:
        raise SystemExit(
            f"{arguments[0]} has no wheel for {' '.join(wanted) or 'a Python here'}: make wheels"
        )
    (name,) = wanted
    begun = time.monotonic()
    first, second = present[name], build_again(name, interpreters[name])
    minutes = (time.monotonic() - begun) / 60
    if first.name == second.name and first.read_bytes() == second.read_bytes():
        print(f"{first.name}: the same bits twice; the second build took {minutes:.1f} minutes")
        return 0
    print(f"{first.name} and {second.name}, built again, are not the same:")
    for file in differences(first, second) or ["the order or the times of the files"]:
        print(f"  {file}")
    return 1


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
