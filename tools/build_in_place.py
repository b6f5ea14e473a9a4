"""Builds, and puts modules, names.py and stubs beside the sources, so that `PYTHONPATH=src` is enough.

For work on the core: after an edit a build takes seconds, and nothing is installed. The targets of the
Makefile (tests, demo, benchmarks) use the installed package, which is what users get.

    python tools/build_in_place.py [build folder] [-Doption=value ...]
"""

import filecmp
import json
import os
import shutil
import subprocess
import sys
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

import write_stubs
from list_package_files import package_files
from write_names import PACKAGE, ROOT


def installed_files(build: Path) -> dict[str, str]:
    """Where Meson would install each file, by the file's path: what it wrote down when it configured."""
    return json.loads((build / "meson-info" / "intro-installed.json").read_text())


def is_configured(build: Path) -> bool:
    """Whether Meson has configured the build folder, for the files that the package has now."""
    if not (build / "meson-info" / "intro-installed.json").exists():
        return False
    sources = {Path(file) for file in installed_files(build)}
    return {file for file in sources if file.is_relative_to(PACKAGE)} == {
        PACKAGE / file for file in package_files()
    }


def main(arguments: list[str]) -> None:
    options = [argument for argument in arguments if argument.startswith("-D")]
    folders = [argument for argument in arguments if not argument.startswith("-D")]
    build = Path(folders[0]) if folders else ROOT / "build" / "in-place"

    # Meson looks for ninja on the PATH, and this interpreter's environment is the one that has it.
    environment = os.environ | {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
    }

    def meson(*command: str) -> None:
        subprocess.run(
            [sys.executable, "-m", "mesonbuild.mesonmain", *command],
            env=environment,
            cwd=ROOT,
            check=True,
        )

    # The list of Python files is made when Meson configures.
    if options or not is_configured(build):
        known = (build / "meson-private" / "coredata.dat").exists()
        meson(
            "setup",
            str(build),
            *(["--reconfigure"] if known else []),
            "-Dstrict=true",
            *options,
        )
    meson("compile", "-C", str(build))

    # Meson says where each file would be installed. From the package's name on, this path is also the path
    # beside the source.
    libraries = {*PACKAGE.rglob(f"*{EXTENSION_SUFFIXES[0]}")}
    for built, installed in installed_files(build).items():
        made = Path(built)
        if not made.is_relative_to(build.resolve()):  # a source
            continue
        if made.is_dir():
            write_stubs.replace(
                {
                    file.relative_to(made).as_posix(): file.read_text()
                    for file in made.rglob("*.pyi")
                },
                PACKAGE,
            )
            continue
        target = PACKAGE / installed.rpartition("/tapegrad/")[2]
        libraries.discard(target)
        if not target.exists() or not filecmp.cmp(made, target):
            # A new file and a rename, because a process may have mapped the old library.
            fresh = target.with_name(target.name + ".new")
            shutil.copy2(made, fresh)
            fresh.replace(target)
            print("built", target.relative_to(ROOT))
    # Libraries of older sources: Python would find the modules in them first.
    for library in libraries:
        library.unlink()


if __name__ == "__main__":
    main(sys.argv[1:])
