"""Runs Keras's own tests on tapegrad, and compares with what they do on TensorFlow.

    python tools/run_keras_tests.py [FOLDER or FILE ...]        (make keras-tests)

The first time it makes the environment `.venv-keras`, with tapegrad and what Keras's tests need, and fetches
Keras's repository. Names such as `layers/core` or `ops/nn_test.py` choose among its tests; without one, all
of them run, an hour of one processor, half of it for the networks of `applications`. Tests that download
weights are left out. What every test did goes to build/keras-tests, where a later run of other tests adds to
it. The run fails if a test does that passes on TensorFlow, unless tools/keras_failures.toml gives a reason.

    --python PATH    run by this interpreter, which has everything, in place of `.venv-keras`
    --jobs N         as many processes at a time
    --tensorflow     run on the TensorFlow of that interpreter, and record what the tests do there:
                     tests/golden/keras_tests.json.gz, to which later runs on tapegrad are compared
    --tables         run nothing, and write the tables of docs/keras.md from what is recorded
"""

from __future__ import annotations

import argparse
import collections
import fnmatch
import gzip
import json
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
KEPT = ROOT / "build" / "keras-tests"
SOURCES = KEPT / "keras"
HERE = KEPT / "tapegrad.json"
THERE = ROOT / "tests" / "golden" / "keras_tests.json.gz"
REASONS = ROOT / "tools" / "keras_failures.toml"
PAGE = ROOT / "docs" / "keras.md"

REPOSITORY = "https://github.com/keras-team/keras"
COMMIT = "3422977a5e"  # of August 2026, after 3.15.1
TORCH = "https://download.pytorch.org/whl/cpu"
NEEDED = (
    "absl-py dm-tree grain h5py jax matplotlib namex onnx onnxruntime optree orbax-checkpoint packaging "
    "pandas pillow portpicker protobuf pytest pytest-timeout requests rich safetensors scikit-learn scipy "
    "tensorboard tf2onnx torch "
).split()

# The tests of these folders take long, and each of their files gets a process of its own.
LONG = ("ops", "applications")
DOWNLOADING = "test_application_base"
SECONDS_FOR_A_TEST = 600
SECONDS_FOR_A_PROCESS = 3 * 3600

Outcomes = dict[str, str]


# What pytest runs in each process: this file is a plugin as well.


def pytest_runtest_logreport(report: Any) -> None:
    """Append what the test did to the file of this process."""
    if report.when == "call" or report.outcome != "passed":
        line = json.dumps([report.nodeid, report.outcome])
        with open(os.environ["KERAS_TESTS_OUTCOMES"], "a") as file:
            file.write(line + "\n")


def pytest_collectreport(report: Any) -> None:
    """A file that cannot be imported counts as one test, which fails."""
    if report.failed:
        with open(os.environ["KERAS_TESTS_OUTCOMES"], "a") as file:
            file.write(json.dumps([report.nodeid, "failed"]) + "\n")


def fetch() -> None:
    """Have Keras's repository, at the commit, in `SOURCES`."""
    if (SOURCES / "keras").exists():
        return
    SOURCES.mkdir(parents=True, exist_ok=True)

    def git(*arguments: str) -> None:
        subprocess.run(["git", "-C", SOURCES, *arguments], check=True)

    git("init", "--quiet")
    git("fetch", "--quiet", "--filter=blob:none", REPOSITORY)
    git("checkout", "--quiet", COMMIT)


def environment() -> Path:
    """The interpreter of `.venv-keras`, made if it is missing, with tapegrad as it is now."""
    folder = ROOT / ".venv-keras"
    interpreter = folder / "bin" / "python"
    install = [str(interpreter), "-m", "pip", "--disable-pip-version-check", "--quiet", "install"]
    if not (folder / "ready").exists():
        print("making .venv-keras", flush=True)
        subprocess.run([sys.executable, "-m", "venv", "--clear", folder], check=True)
        subprocess.run([*install, "--extra-index-url", TORCH, *NEEDED], check=True)
        (folder / "ready").touch()
    subprocess.run([*install, str(ROOT)], check=True)
    return interpreter


def processes(names: list[str]) -> Iterator[list[str]]:
    """The files of tests that run together, for each process: the files of one folder."""
    tests = SOURCES / "keras" / "src"
    groups = collections.defaultdict(list)
    for path in sorted(tests.rglob("*_test.py")):
        name = path.relative_to(tests)
        if names and not any(name.is_relative_to(wanted) for wanted in names):
            continue
        alone = name.parts[0] in LONG
        groups[name if alone else name.parent].append(str(path.relative_to(SOURCES)))
    yield from groups.values()


def run(interpreter: Path, files: list[str], on_tensorflow: bool) -> Outcomes:
    """What the tests of these files do, by their names."""
    lines = KEPT / (re.sub(r"\W", "-", files[0]) + ".lines")
    lines.unlink(missing_ok=True)
    paths = [os.environ.get("PYTHONPATH", ""), str(SOURCES), str(ROOT / "tools")]
    pytest = [
        "-m",
        "pytest",
        "-p",
        "run_keras_tests",
        "-p",
        "no:cacheprovider",
        "-q",
        "--no-header",
    ]
    pytest += ["--continue-on-collection-errors", "--timeout", str(SECONDS_FOR_A_TEST)]
    pytest += ["-k", f"not {DOWNLOADING}", *files]
    command = [str(interpreter), *([] if on_tensorflow else ["-m", "tapegrad"]), *pytest]
    with open(lines.with_suffix(".log"), "w") as log:
        try:
            status = subprocess.run(
                command,
                cwd=SOURCES,
                env=os.environ
                | {
                    "CUDA_VISIBLE_DEVICES": "-1",
                    "KERAS_BACKEND": "tensorflow",
                    "KERAS_TESTS_OUTCOMES": str(lines),
                    "PYTHONPATH": os.pathsep.join(filter(None, paths)),
                },
                stdout=log,
                stderr=subprocess.STDOUT,
                timeout=SECONDS_FOR_A_PROCESS,
                check=False,
            ).returncode
        except subprocess.TimeoutExpired:
            status = -1
    outcomes: Outcomes = {}
    for line in lines.read_text().splitlines() if lines.exists() else ():
        name, outcome = json.loads(line)
        if outcomes.get(name) != "failed":
            outcomes[name] = outcome
    if status not in (0, 1, 5):  # passed, some failed, nothing to run
        outcomes[f"{files[0]}::the process ended"] = "failed"
    return outcomes


def run_all(names: list[str], interpreter: Path, on_tensorflow: bool, jobs: int) -> Outcomes:
    """What all tests of these names do."""
    found: Outcomes = {}
    with ThreadPoolExecutor(jobs) as pool:
        groups = list(processes(names))
        for files, outcomes in zip(
            groups,
            pool.map(lambda files: run(interpreter, files, on_tensorflow), groups),
            strict=True,
        ):
            found |= outcomes
            counts = collections.Counter(outcomes.values())
            place = Path(files[0]).relative_to("keras/src")
            said = ", ".join(f"{number} {outcome}" for outcome, number in sorted(counts.items()))
            print(f"{place if place.parts[0] in LONG else place.parent}: {said}", flush=True)
    return found


def recorded(path: Path) -> Outcomes:
    """What is recorded of the tests on tapegrad (`HERE`) or on TensorFlow (`THERE`)."""
    if not path.exists():
        return {}
    data = path.read_bytes()
    return dict(json.loads(gzip.decompress(data) if path == THERE else data))


def record(path: Path, outcomes: Outcomes) -> None:
    """Put these outcomes in place of the older ones of the same files; those of other files stay."""
    files = set(map(file_of, outcomes))
    kept = {name: outcome for name, outcome in recorded(path).items() if file_of(name) not in files}
    data = json.dumps(dict(sorted((kept | outcomes).items())), indent=0).encode()
    path.write_bytes(gzip.compress(data, mtime=0) if path == THERE else data)


def reason(name: str) -> str | None:
    """Why a test fails here, as tools/keras_failures.toml has it."""
    for each in tomllib.loads(REASONS.read_text())["failure"]:
        if any(fnmatch.fnmatchcase(name, f"keras/src/{pattern}") for pattern in each["tests"]):
            return str(each["why"])
    return None


def missed(here: Outcomes, there: Outcomes) -> list[str]:
    """The tests that do not pass here and do on TensorFlow, or of which nothing is known there."""
    files = set(map(file_of, here))
    passed = {
        name for name, outcome in there.items() if outcome == "passed" and file_of(name) in files
    }
    failed = {name for name, outcome in here.items() if outcome == "failed" and name not in there}
    return sorted(failed | {name for name in passed if here.get(name) != "passed"})


def file_of(name: str) -> str:
    return name.split("::")[0]


def counted(outcomes: Outcomes) -> dict[str, collections.Counter[str]]:
    """How many tests of each folder of Keras do what."""
    counts: dict[str, collections.Counter[str]] = collections.defaultdict(collections.Counter)
    for name, outcome in outcomes.items():
        counts[name.split("/")[2]][outcome] += 1
    return counts


def tables(here: Outcomes, there: Outcomes) -> str:
    """What the tests do here and there, by folder, and which fail here and why, as Markdown."""

    def row(name: str, counters: Iterable[Mapping[str, int]]) -> str:
        kinds = ("passed", "failed", "skipped")
        cells = [str(each.get(kind, 0)) if each else "" for each in counters for kind in kinds]
        return f"| {name} | {' | '.join(cells)} |"

    ours, theirs = counted(here), counted(there)
    lines = [
        "| folder | passed here | failed | skipped | passed on TensorFlow | failed | skipped |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    lines += [row(f"`{name}`", [ours[name], theirs[name]]) for name in sorted(ours)]
    lines.append(row("all", [collections.Counter(each.values()) for each in (here, there)]))
    absent = missed(here, there)
    passed = list(here.values()).count("passed")
    of = passed + len(absent)
    lines += ["", f"{passed} of {of} pass here, {passed / of:.2%}. These do not:", ""]
    whys = collections.defaultdict(list)
    for name in absent:
        whys[reason(name) or "No reason is known."].append(name.removeprefix("keras/src/"))
    for why, names in whys.items():
        lines.append(f"- {len(names)}: {why}")
        lines += [f"    - `{name}`" for name in names]
    return "\n".join(lines)


def write_tables(text: str) -> None:
    begin, end = "<!-- tables -->\n", "<!-- end of tables -->"
    page = PAGE.read_text()
    before, rest = page.split(begin)
    PAGE.write_text(f"{before}{begin}\n{text}\n\n{end}{rest.split(end)[1]}")


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("names", nargs="*")
    parser.add_argument("--python", type=Path)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--tensorflow", action="store_true")
    parser.add_argument("--tables", action="store_true")
    given = parser.parse_args()
    KEPT.mkdir(parents=True, exist_ok=True)
    if given.tables:
        write_tables(tables(recorded(HERE), recorded(THERE)))
        return 0
    if given.tensorflow and given.python is None:
        parser.error("--tensorflow needs --python, whose environment has TensorFlow")
    fetch()
    interpreter = given.python or environment()
    outcomes = run_all(given.names, interpreter, given.tensorflow, given.jobs)
    record(THERE if given.tensorflow else HERE, outcomes)
    if given.tensorflow:
        return 0
    absent = missed(outcomes, recorded(THERE))
    for name in absent:
        print(f"{name}: {reason(name) or 'NO REASON IS KNOWN'}")
    passed = list(outcomes.values()).count("passed")
    print(f"{passed} pass; {len(absent)} do not, and do on TensorFlow. The logs are in {KEPT}")
    return int(any(reason(name) is None for name in absent))


if __name__ == "__main__":
    sys.exit(main())
