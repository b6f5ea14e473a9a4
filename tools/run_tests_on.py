"""Runs the tests on other versions of Python and of the dependencies than `make test` does.

Each has an environment of its own, `.venv-3.13` or `.venv-oldest`, which later runs use again.

    python tools/run_tests_on.py pythons [pytest arguments ...]      (make test-pythons)
        on every other CPython that the metadata allows and this machine has

    python tools/run_tests_on.py oldest [pytest arguments ...]       (make test-oldest)
        on the oldest Python and the oldest dependencies that the metadata allows
"""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
METADATA = tomllib.loads((ROOT / "pyproject.toml").read_text())
PROJECT = METADATA["project"]

Version = tuple[int, int]

# As in the Makefile: what newer compilers refuse is an error with any compiler.
STRICT = "-Csetup-args=-Dstrict=true"

# No prereleases, no PyPy, no builds without the interpreter lock, and only those that can make environments.
ABOUT = """
import sys, sysconfig, ensurepip, venv
if (sys.implementation.name == "cpython" and sys.version_info.releaselevel == "final"
        and not sysconfig.get_config_var("Py_GIL_DISABLED")):
    print(*sys.version_info[:3])
"""


def oldest_python() -> Version:
    major, minor = re.fullmatch(r">=(\d+)\.(\d+)", PROJECT["requires-python"]).groups()
    return int(major), int(minor)


def pythons() -> dict[Version, Path]:
    """The interpreters that the metadata allows, by version: those on the PATH and those that pyenv keeps."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    folders = [Path(folder) for folder in os.get_exec_path()]
    # First, because a file on the PATH may be pyenv's shim, which refuses versions that are not enabled.
    folders[:0] = sorted((pyenv / "versions").glob("*/bin"))
    newest: dict[Version, tuple[int, Path]] = {}
    for folder in folders:
        for candidate in sorted(folder.glob("python3*")):
            if not re.fullmatch(r"python3(\.\d+)?", candidate.name):
                continue
            answer = subprocess.run(
                [candidate, "-I", "-c", ABOUT], capture_output=True, text=True, check=False
            )
            if answer.returncode != 0 or not answer.stdout:
                continue
            major, minor, micro = map(int, answer.stdout.split())
            version = (major, minor)
            if version >= oldest_python() and micro > newest.get(version, (-1,))[0]:
                newest[version] = (micro, candidate)
    return {version: path for version, (_, path) in sorted(newest.items())}


def environment(name: str, python: Path) -> Path:
    """The interpreter of the virtual environment ``.venv-name``, which is made if it is missing."""
    folder = ROOT / f".venv-{name}"
    interpreter = folder / "bin" / "python"
    if not interpreter.exists():
        shutil.rmtree(folder, ignore_errors=True)
        subprocess.run([python, "-m", "venv", folder], check=True)
    return interpreter


def pip(interpreter: Path, *arguments: str, **variables: str) -> None:
    # Meson looks for ninja on the PATH.
    path = f"{interpreter.parent}{os.pathsep}{os.environ['PATH']}"
    subprocess.run(
        [interpreter, "-m", "pip", "--disable-pip-version-check", "--quiet", *arguments],
        env=os.environ | {"PATH": path} | variables,
        cwd=ROOT,
        check=True,
    )


def run_tests(interpreter: Path, arguments: list[str]) -> bool:
    subprocess.run([interpreter, ROOT / "tools" / "install_keras.py"], check=True)
    return subprocess.run([interpreter, "-m", "pytest", *arguments], cwd=ROOT).returncode == 0


def on_python(name: str, python: Path, arguments: list[str]) -> bool:
    print(f"Python {name}: {python}", flush=True)
    interpreter = environment(name, python)
    extra = PROJECT["optional-dependencies"]["test"]
    pip(
        interpreter,
        "install",
        *METADATA["build-system"]["requires"],
        *PROJECT["dependencies"],
        "ninja",
        "pip>=23.1",  # as in the Makefile: -C
        *extra,
    )
    print(f"Python {name}: building and installing tapegrad", flush=True)
    kept = f"-Cbuild-dir=build/python-{name}"
    pip(interpreter, "install", "--no-build-isolation", "--no-deps", kept, STRICT, ".")
    return run_tests(interpreter, arguments)


def on_pythons(arguments: list[str]) -> None:
    others = {
        version: path for version, path in pythons().items() if version != sys.version_info[:2]
    }
    passed = {
        f"{major}.{minor}": on_python(f"{major}.{minor}", path, arguments)
        for (major, minor), path in others.items()
    }
    for name, well in passed.items():
        print(f"Python {name}: {'passed' if well else 'FAILED'}")
    if not passed:
        print("this machine has no other Python that the metadata allows")
    raise SystemExit(not all(passed.values()))


def on_oldest(arguments: list[str]) -> None:
    major, minor = oldest_python()
    found = pythons().get((major, minor))
    if found is None:
        raise SystemExit(
            f"Python {major}.{minor}, the oldest that the metadata allows, is not on this machine"
        )
    extras = PROJECT["optional-dependencies"]
    oldest = [
        re.sub(r">=([^,]*).*", r"==\1", requirement)
        for requirement in [*PROJECT["dependencies"], *extras["scipy"]]
    ]
    print(*oldest, sep="\n", flush=True)
    interpreter = environment("oldest", found)

    # Built as pip builds it for users, in an environment of the build's own with the newest NumPy: the
    # metadata claim that such a wheel runs on the oldest.
    wheels = ROOT / "build" / "oldest"
    print("building a wheel against the newest NumPy", flush=True)
    shutil.rmtree(wheels, ignore_errors=True)
    pip(interpreter, "wheel", "--no-deps", "--wheel-dir", str(wheels), STRICT, ".")
    pip(interpreter, "install", *oldest, *extras["test"])
    pip(interpreter, "install", "--no-deps", "--force-reinstall", *map(str, wheels.glob("*.whl")))
    raise SystemExit(not run_tests(interpreter, arguments))


if __name__ == "__main__":
    {"pythons": on_pythons, "oldest": on_oldest}[sys.argv[1]](sys.argv[2:])
