"""Runs the tests over extensions built with gcc's sanitizers, and fails on any report.

The address sanitizer must be loaded before everything else, and Python must take its memory from malloc,
which the sanitizer watches. Leaks are not reported, because an interpreter keeps much memory until it ends.
Reports go to files, because test processes and subprocesses have outputs of their own.

    python tools/sanitize.py PACKAGES [pytest arguments ...]      (make sanitize)
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
REPORTS = ROOT / "build" / "sanitizer-reports"


def library(name: str) -> str:
    found = subprocess.run(
        ["gcc", f"-print-file-name={name}"], check=True, stdout=subprocess.PIPE, text=True
    ).stdout.strip()
    if not Path(found).is_absolute():
        raise SystemExit(
            f"gcc has no {name}: install its sanitizer libraries (Debian: libgcc-12-dev)"
        )
    return found


def report(path: Path) -> str:
    """The reports on a process, without those on the huge sizes that tests ask for on purpose."""
    lines = path.read_text(errors="replace").splitlines()
    return "\n".join(line for line in lines if "failed to allocate" not in line).strip()


def main() -> None:
    packages, *arguments = sys.argv[1:]
    packages = str(Path(packages).resolve())  # programs that tests start run in other folders
    shutil.rmtree(REPORTS, ignore_errors=True)
    REPORTS.mkdir(parents=True)
    options = f"log_path={REPORTS / 'report'}:print_stacktrace=1"
    environment = os.environ | {
        # libstdc++ too: NumPy's and SciPy's C++ throws, and the sanitizer must have seen how beforehand.
        "LD_PRELOAD": f"{library('libasan.so')} {library('libstdc++.so.6')}",
        "PYTHONMALLOC": "malloc",
        "PYTHONPATH": packages,
        "ASAN_OPTIONS": f"{options}:detect_leaks=0:allocator_may_return_null=1",
        "UBSAN_OPTIONS": options,
    }
    loaded = "import tapegrad.core.dispatch as built; print(built.__file__)"
    where = subprocess.run(
        [sys.executable, "-c", loaded],
        env=environment,
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    ).stdout.strip()
    if not Path(where).is_relative_to(packages) or b"__asan_" not in Path(where).read_bytes():
        raise SystemExit(f"{where} is not the build with sanitizers that {packages} should hold")

    # The build could not run what it built without the library.
    write_stubs = [sys.executable, ROOT / "tools" / "write_stubs.py", Path(packages) / "tapegrad"]
    subprocess.run(write_stubs, env=environment, check=True)
    # Tests take two times as long and more: one that forks took 296 s on a busy machine, of the usual 300.
    pytest = [sys.executable, "-m", "pytest", "--timeout=1500", *arguments]
    tests = subprocess.run(pytest, env=environment)
    found = {path: report(path) for path in sorted(REPORTS.iterdir())}
    found = {path: text for path, text in found.items() if text}
    for path, text in found.items():
        print(f"\n{path}\n{text[:4000]}")
    if found:
        raise SystemExit(f"{len(found)} processes were reported by the sanitizers")
    if tests.returncode == 0:
        print("nothing reported by the sanitizers")
    raise SystemExit(tests.returncode)


if __name__ == "__main__":
    main()
