"""What users read when they make a mistake: the class and the whole text of each message, as they see them.

The tables are the files in tests/messages. An entry is what the user wrote, after "> ", and below it what was
raised, up to the next empty line:

    > tf.add(1.0)
    TypeError: add() is missing the argument 'y'.

Messages are part of the interface. Whoever changes one changes it here, and reads it once more.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import tapegrad as tf
from tapegrad import testing

FOLDER = Path(__file__).parents[1] / "messages"


def entries(path: Path) -> list[tuple[str, str]]:
    """The mistakes of a file, and what is said to each."""
    found = []
    for entry in path.read_text().strip().split("\n\n"):
        lines = entry.split("\n")
        mistake = [line[2:] for line in lines if line.startswith("> ")]
        found.append(("\n".join(mistake), "\n".join(lines[len(mistake) :])))
    return found


_ENTRIES = [
    pytest.param(mistake, said, id=f"{path.stem}: {mistake}")
    for path in sorted(FOLDER.glob("*.txt"))
    for mistake, said in entries(path)
]


@pytest.mark.parametrize(("mistake", "said"), _ENTRIES)
def test_message(mistake: str, said: str) -> None:
    with pytest.raises(Exception) as caught:  # noqa: PT011
        exec(mistake, {"tf": tf, "np": np, "testing": testing})
    assert f"{type(caught.value).__name__}: {caught.value}".rstrip() == said


def test_no_mistake_is_entered_twice() -> None:
    mistakes = [entry.values[0] for entry in _ENTRIES]
    assert len(mistakes) == len(set(mistakes))


def test_messages_are_for_users() -> None:
    """No message shows an address, a whole array, or the name of an op that only the library calls."""
    for entry in _ENTRIES:
        said = str(entry.values[1])
        assert not re.search(r"0x[0-9a-f]{6}|array\(\[\[|[a-z]_op\b", said), said
