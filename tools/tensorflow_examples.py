"""Runs the examples in the docstrings of TensorFlow's public names there and here, and lists what differs.

Where TensorFlow is installed, this writes each example, and whether TensorFlow gives what its docstring says:

    python tools/tensorflow_examples.py record examples.json

Where it is not, this prints which of those that it gives differ here:

    python -m tapegrad tools/tensorflow_examples.py compare examples.json

An example may take 30 seconds. Numbers may differ by a thousandth.
"""

from __future__ import annotations

import contextlib
import doctest
import inspect
import io
import json
import os
import re
import signal
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import tensorflow as tf

SECONDS = 30
# Keras, which TensorFlow loads by these names, and what is inside TensorFlow.
ELSEWHERE = {"python", "keras", "losses", "metrics", "optimizers", "initializers", "estimator"}
NUMBER = re.compile(r"[-+]?(?:\d+\.\d*|\.\d+|\d+)(?:[eE][-+]?\d+)?")
# How NumPy 2 prints its numbers, which docstrings print as NumPy 1 did.
NUMPY_NUMBER = re.compile(r"np\.\w+_?\(([^()]*)\)")
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


class TooLong(BaseException):
    """An example took more than its time. No example catches this."""


def documented(name: str, module: ModuleType, seen: set[int]) -> Iterator[tuple[str, Any]]:
    """Everything public below a module that may have a docstring, under the first name found for it."""
    if id(module) in seen:
        return
    seen.add(id(module))
    yield name, module
    for part in sorted(dir(module), key=lambda part: (part == "compat", part)):
        if part.startswith("_") or part in ELSEWHERE:
            continue
        try:
            value = getattr(module, part)
        except Exception as error:  # a name that says why it is missing
            print(f"{name}.{part}: {type(error).__name__}", file=sys.stderr)
            continue
        if isinstance(value, ModuleType):
            if str(vars(value).get("__name__")).startswith("tensorflow"):
                yield from documented(f"{name}.{part}", value, seen)
        elif inspect.isclass(value):
            if id(value) not in seen and str(value.__module__).startswith("tensorflow"):
                seen.add(id(value))
                yield f"{name}.{part}", value
                for member, function in inspect.getmembers(value):
                    if not member.startswith("_") or member.endswith("__"):
                        yield f"{name}.{part}.{member}", function
        else:
            yield f"{name}.{part}", value


def examples() -> Iterator[tuple[str, list[doctest.Example]]]:
    """The examples of each docstring, with the name that it stands under."""
    texts: set[str] = set()
    for name, value in documented("tf", tf, set()):
        text = getattr(value, "__doc__", None)
        if isinstance(text, str) and ">>>" in text and text not in texts:
            texts.add(text)
            with contextlib.suppress(ValueError):  # a docstring that is no doctest
                yield name, doctest.DocTestParser().get_examples(text)


def outcomes(sources: list[str]) -> Iterator[str]:
    """What each example of one docstring prints, or the class and the words of its error."""

    def too_long(*_: Any) -> None:
        raise TooLong

    names = {"tf": tf, "np": np, "os": os, "__name__": "__main__"}
    signal.signal(signal.SIGALRM, too_long)
    sys.displayhook = lambda value: None if value is None else print(repr(value))
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        for source in sources:
            printed = io.StringIO()
            signal.alarm(SECONDS)
            try:
                with contextlib.redirect_stdout(printed):
                    exec(compile(source, "<example>", "single"), names)
            except (Exception, TooLong) as error:
                yield f"{type(error).__name__}: {error}"
            else:
                yield printed.getvalue()
            finally:
                signal.alarm(0)
    tf.config.run_functions_eagerly(False)


def agrees(want: str, got: str) -> bool:
    """Whether an answer is the one that a docstring shows. Where it shows none, all but an error will do."""
    if want.startswith("Traceback"):
        return got.split(":")[0] == want.strip().splitlines()[-1].split(":")[0].split(".")[-1]
    if not want.strip():
        return not re.match(r"\w+(Error|Exception|TooLong): ", got)
    want, got = (NUMPY_NUMBER.sub(r"\1", re.sub("0x[0-9a-f]+", "0x", text)) for text in (want, got))
    if doctest.OutputChecker().check_output(want, got, FLAGS):
        return True
    shapes = [re.sub(r"\s+", "", NUMBER.sub("#", text)) for text in (want, got)]
    numbers = [np.array(NUMBER.findall(text), np.float64) for text in (want, got)]
    if shapes[0] == shapes[1]:
        return bool(np.allclose(*numbers, 1e-3, 1e-3))
    return "..." in want and doctest.OutputChecker().check_output(
        NUMBER.sub("#", want), NUMBER.sub("#", got), FLAGS
    )


def record(file: Path) -> None:
    """Write down the examples, and whether TensorFlow gives what they show."""
    rows = []
    for name, parts in examples():
        answers = outcomes([part.source for part in parts])
        checked = [
            [part.source, part.want, doctest.SKIP not in part.options and agrees(part.want, answer)]
            for part, answer in zip(parts, answers, strict=True)
        ]
        rows.append([name, checked])
    file.write_text(json.dumps(rows))
    total = [agreed for _, checked in rows for *_, agreed in checked]
    print(f"{len(total)} examples in {len(rows)} docstrings; TensorFlow gives {sum(total)} of them")


def compare(file: Path) -> None:
    """Print what is not as TensorFlow's docstrings show it here, and is there."""
    asked = same = 0
    for name, checked in json.loads(file.read_text()):
        for (source, want, agreed), got in zip(
            checked, outcomes([source for source, _, _ in checked]), strict=True
        ):
            asked += agreed
            same += agreed and agrees(want, got)
            if agreed and not agrees(want, got):
                print(f"{name}\n>>> {source.rstrip()}\n{want.rstrip()}\nhere: {got.rstrip()}\n")
    print(f"{same} of {asked}")


if __name__ == "__main__":
    {"record": record, "compare": compare}[sys.argv[1]](Path(sys.argv[2]).resolve())
