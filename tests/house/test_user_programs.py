"""Whole programs of users print with tapegrad what they print with TensorFlow.

What TensorFlow printed is in golden/programs.json.gz (made by golden/record_programs.py). Text must be the
same; a number with a point or an exponent may differ by a relative 1e-5 (or an absolute 1e-6, which is
what cancellation leaves of float32). A program that needs more says so, with its reason:
``# tolerance: relative 1e-4 absolute 1e-6 (reason)``.
"""

from __future__ import annotations

import contextlib
import gzip
import io
import json
import math
import pathlib
import re
import time

import pytest

FOLDER = pathlib.Path(__file__).parents[1]
PROGRAMS = sorted((FOLDER / "programs").glob("*.py"))
GOLDEN = json.loads(gzip.decompress((FOLDER / "golden" / "programs.json.gz").read_bytes()))[
    "programs"
]

# A number that stands alone: the 32 of float32 and the 0 of x0 are text.
NUMBER = re.compile(
    r"(?<![\w.])[-+]?(?:\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+|inf\b|nan\b)(?![A-Za-ik-z_])"
)
TOLERANCE = re.compile(r"^# tolerance: relative (\S+) absolute (\S+) \(.+\)$", re.MULTILINE)


def run(path: pathlib.Path) -> str:
    """What the program prints."""
    code = compile(path.read_text(encoding="utf-8"), str(path), "exec")
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(code, {"__name__": "__main__", "__file__": str(path)})
    return printed.getvalue()


def tolerance(path: pathlib.Path) -> tuple[float, float]:
    stated = TOLERANCE.search(path.read_text(encoding="utf-8"))
    return (float(stated[1]), float(stated[2])) if stated else (1e-5, 1e-6)


def pieces(text: str) -> tuple[list[str], list[str]]:
    """The text between the numbers, without the blanks that NumPy pads numbers with, and the numbers."""
    text = re.sub(
        r"(?<=[\d.])([-+])(?=[\d.eE+-]+j)", r" \1", text
    )  # both parts of a complex number
    return [re.sub(r"\s+", "", part) for part in NUMBER.split(text)], NUMBER.findall(text)


def close(ours: str, theirs: str, relative: float, absolute: float) -> bool:
    """Integers are the same; others are within the tolerance (and NaN is NaN)."""
    if ours == theirs:
        return True
    if ours.lstrip("+-").isdigit() and theirs.lstrip("+-").isdigit():
        return False
    a, b = float(ours), float(theirs)
    return (math.isnan(a) and math.isnan(b)) or math.isclose(
        a, b, rel_tol=relative, abs_tol=absolute
    )


def same(ours: str, theirs: str, relative: float, absolute: float) -> bool:
    """Equal as texts, or equal but for rounding."""
    if ours == theirs:
        return True
    (our_texts, our_numbers), (their_texts, their_numbers) = pieces(ours), pieces(theirs)
    return our_texts == their_texts and all(
        close(*pair, relative, absolute) for pair in zip(our_numbers, their_numbers, strict=True)
    )


def differences(ours: str, theirs: str, relative: float, absolute: float) -> list[str]:
    """Where two outputs part, for people: pairs of lines (rounding may have moved line ends)."""
    if same(ours, theirs, relative, absolute):
        return []
    our_lines, their_lines = ours.splitlines(), theirs.splitlines()
    if len(our_lines) != len(their_lines):
        found = [f"tapegrad prints {len(our_lines)} lines, TensorFlow {len(their_lines)}"]
    else:
        found = []
    for number, (a, b) in enumerate(zip(our_lines, their_lines, strict=False), 1):
        if not same(a, b, relative, absolute):
            found.append(f"line {number}:\n  tapegrad:   {a}\n  TensorFlow: {b}")
    return found[:12]


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_program_prints_what_tensorflow_prints(path: pathlib.Path) -> None:
    found = differences(run(path), GOLDEN[path.stem]["printed"], *tolerance(path))
    assert not found, "\n".join(found)


def test_numbers_are_compared_as_numbers_and_text_as_text() -> None:
    def alike(ours: str, theirs: str) -> bool:
        return same(ours, theirs, 1e-5, 1e-6)

    assert alike("[0.1  0.25]", "[0.10000001 0.25      ]")
    assert alike(
        "tf.Tensor([nan -0. 1e-08], dtype=float32)", "tf.Tensor([nan  0. 2.e-08], dtype=float32)"
    )
    assert alike("(1.0000001+2j)", "(1+2j)")
    assert alike("[1.-0.j 1e-07+2.j]", "[1.+0.j 0.   +2.j]")
    assert not alike("[1.-1.j]", "[1.+1.j]")
    assert not alike("shape=(2, 3)", "shape=(2, 4)")
    assert not alike("dtype=float32", "dtype=float64")
    assert not alike("[1. 2.]", "[1. 2. 3.]")
    assert not alike("[1.001]", "[1.0]")
    assert not alike("nan", "0.0")


def report() -> None:
    """Prints, for each program, the seconds of both and what differs: ``python test_user_programs.py``."""
    for path in PROGRAMS:
        begin = time.perf_counter()
        try:
            printed = run(path)
        except Exception as error:
            print(f"{path.stem:28} {type(error).__name__}: {str(error)[:300]}")
            import traceback

            frame = [
                f for f in traceback.extract_tb(error.__traceback__) if f.filename == str(path)
            ]
            print(
                "     at line", frame[-1].lineno if frame else "?", frame[-1].line if frame else ""
            )
            continue
        seconds = time.perf_counter() - begin
        theirs = GOLDEN.get(path.stem)
        if theirs is None:
            print(f"{path.stem:28} not recorded")
            continue
        found = differences(printed, theirs["printed"], *tolerance(path))
        slower = seconds / theirs["seconds"]
        print(
            f"{path.stem:28} {seconds:7.3f}s  x{slower:5.2f} of TensorFlow  {'DIFFERS' if found else 'same'}"
        )
        print("\n".join(found), end="\n" if found else "")


if __name__ == "__main__":
    report()
