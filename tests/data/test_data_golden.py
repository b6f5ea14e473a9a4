"""Data sets give what TensorFlow's give: elements, their order, specs, printed forms, classes of errors."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

import tapegrad as tf
from golden.data.drawn import drawn
from golden.data.programs import PROGRAMS, answer

RECORDED = json.loads(
    gzip.decompress(
        (Path(__file__).parents[1] / "golden" / "data" / "programs.json.gz").read_bytes()
    )
)

# Programs that give something else here, and what. Each has a row in docs/differences.md.
DIFFERENT: dict[str, object] = {}


@pytest.mark.parametrize("program", PROGRAMS)
def test_program_gives_what_tensorflow_gives(program: str) -> None:
    assert answer(tf, program) == DIFFERENT.get(program, RECORDED[program])


DRAWN = json.loads(
    gzip.decompress((Path(__file__).parents[1] / "golden" / "data" / "drawn.json.gz").read_bytes())
)


def test_programs_are_drawn_as_they_were_recorded() -> None:
    assert [drawn(number) for number, _, _ in DRAWN] == [program for _, program, _ in DRAWN]


@pytest.mark.parametrize(
    ("number", "program", "recorded"), DRAWN, ids=[str(row[0]) for row in DRAWN]
)
def test_drawn_program_gives_what_tensorflow_gives(
    number: int, program: str, recorded: object
) -> None:
    assert answer(tf, program) == recorded
