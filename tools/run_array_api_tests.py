"""The array API standard's own tests: ``python tools/run_array_api_tests.py CHECKOUT [pytest's arguments]``.

CHECKOUT is a clone of github.com/data-apis/array-api-tests with its submodule. The tests in
``array_api_failures.txt`` are known to fail, and why: a run is good if no other one does.

The standard lets a library's shapes be objects of its own that behave like tuples, as TensorShape does. Two
packages that the tests draw arrays with want tuples. This file is a plugin of pytest too, which hands them
tuples.
"""

from __future__ import annotations

import functools
import os
import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parent
FAILURES = FOLDER / "array_api_failures.txt"
NAME = Path(__file__).stem


def main(arguments: list[str]) -> int:
    """Run the tests, and print how many passed."""
    if not arguments or not (Path(arguments[0]) / "array_api_tests").is_dir():
        print(__doc__)
        return 2
    suite = Path(arguments[0]).resolve()
    if not any((suite / "array-api").glob("*")):
        print(f"{suite}/array-api is empty: git submodule update --init")
        return 2
    given = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    paths = [str(FOLDER), *(str(Path(path).resolve()) for path in given if path)]
    command = [
        sys.executable, "-u", "-m", "pytest", "-q", "-rf", "--tb=line", "-p", NAME,
        "-p", "no:cacheprovider", "--disable-deadline", f"--xfails-file={FAILURES}",
        *(arguments[1:] or ["--max-examples=20"]), "array_api_tests",
    ]  # fmt: skip
    process = subprocess.Popen(
        command,
        cwd=suite,
        env={
            **os.environ,
            "ARRAY_API_TESTS_MODULE": "tapegrad.array_api",
            "PYTHONPATH": os.pathsep.join(paths),
        },
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    last = ""
    for line in process.stdout:
        print(line, end="", flush=True)
        last = line if re.search(r"\d+ (passed|failed)", line) else last
    counts = {word: int(number) for number, word in re.findall(r"(\d+) (\w+)", last)}
    good = counts.get("passed", 0) + counts.get("xpassed", 0)
    bad = counts.get("failed", 0) + counts.get("xfailed", 0) + counts.get("errors", 0)
    if good + bad:
        print(f"{good} of {good + bad} tests passed: {100 * good / (good + bad):.1f} %")
    return process.wait()


def plain(value: Any) -> Any:
    """A shape, or a strategy that draws shapes, as one of tuples."""
    from hypothesis.strategies import SearchStrategy

    import tapegrad as tf

    if isinstance(value, SearchStrategy):
        return value.map(plain)
    return tuple(value) if isinstance(value, tf.TensorShape) else value


def with_tuples(function: Callable[..., Any]) -> Callable[..., Any]:
    """A strategy of Hypothesis that is given shapes as tuples."""

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        names = {"shape", "base_shape"} & kwargs.keys()
        return function(
            *map(plain, args),
            **{**kwargs, **{name: plain(kwargs[name]) for name in names}},
        )

    return call


def hand_out_tuples() -> None:
    """Let the packages that draw arrays take our shapes."""
    import hypothesis.extra.array_api

    import tapegrad as tf

    Sequence.register(tf.TensorShape)  # for ndindex
    make = hypothesis.extra.array_api.make_strategies_namespace

    def make_with_tuples(*args: Any, **kwargs: Any) -> Any:
        strategies = make(*args, **kwargs)
        for name in ("arrays", "indices", "mutually_broadcastable_shapes"):
            setattr(strategies, name, with_tuples(getattr(strategies, name)))
        return strategies

    hypothesis.extra.array_api.make_strategies_namespace = make_with_tuples


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
elif "pytest" in sys.modules:
    hand_out_tuples()
