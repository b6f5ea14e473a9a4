"""Private words do not come back: in cleaned rooms, identifiers have the words of docs/glossary.md."""

import re
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[2] / "src" / "tapegrad"

# The rooms whose identifiers were cleaned. A room is added when it is.
ROOMS = [
    "annex",
    "autodiff",
    "batching",
    "core",
    "data",
    "distribute",
    "drawing",
    "dtypes",
    "engines",
    "framework",
    "functions",
    "io",
    "ops",
    "ragged",
    "saving",
    "training",
    "transforms",
]

# As a whole identifier -> what to say instead.
NAMES = {
    "above": "callbacks: functions of higher layers that the core calls",
    "door": "static_value: where Python code reads a tensor's values",
    "each": "the noun: tensor, axis, step",
    "found": "what it holds: result, index, count",
    "given": "what it holds: source, gradient, output_gradients",
    "made": "what it holds: result, new_lane, created_variables",
    "world": "size_assignment: one choice for unknown sizes",
}

# As a word of an identifier -> what to say instead.
PARTS = {
    "courier": "reducer: what reduces and sends gradients",
    "hear": "on_...: a callback of an observer",
    "heard": "recorded, or observed",
    "hears": "observes",
    "lift": "trace_symbolically: call a function with tensors without values",
    "lifted": "traced; or gradient_adjustments, of a kind",
    "noted": "recorded",
    "plainly": "the property: contiguous, aligned",
    "standing": "tensorflow_shim",
    "told": "reported to",
    "unheard": "not recorded",
}

# Files that wait for their turn: file -> words that they may still use.
WAITING = {
    "annex/v1/encoded.py": {"world"},
    "core/binding.pxd": {"given"},
    "core/binding.pyx": {"found", "given"},
    "core/compositions.pyx": {"found", "given"},
    "core/dispatch.pxd": {"given"},
    "core/dispatch.pyx": {"each", "given", "plainly"},
    "core/function.pyx": {"given"},
    "core/renaming.pxd": {"found"},
    "core/renaming.pyx": {"found", "given", "made"},
    "ops/program/tensor_array.py": {"world"},
}

NOT_CODE = re.compile(
    r'("""|\'\'\')(?:.|\n)*?\1|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|#[^\n]*'
)
IDENTIFIER = re.compile(r"\b[A-Za-z_]\w*\b")


def words(identifier: str) -> set[str]:
    """The words of an identifier: of `tell_all` and of `TellAll` both tell and all."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", identifier)
    return {word for word in spaced.lower().split("_") if word}


def private_words(source: str) -> dict[str, int]:
    """Private words among the identifiers of a source, with the line where each comes first."""
    code = NOT_CODE.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), source)
    lines: dict[str, int] = {}
    for match in IDENTIFIER.finditer(code):
        identifier = match[0]
        private = {identifier.lower()} & NAMES.keys() | words(identifier) & PARTS.keys()
        for word in private:
            lines.setdefault(word, code.count("\n", 0, match.start()) + 1)
    return lines


@pytest.mark.parametrize("room", ROOMS)
def test_rooms_use_the_words_of_the_field(room: str) -> None:
    problems = []
    for path in sorted((PACKAGE / room).rglob("*")):
        if path.suffix not in {".py", ".pyx", ".pxd"}:
            continue
        name = path.relative_to(PACKAGE).as_posix()
        lines = private_words(path.read_text())
        for word, line in lines.items():
            if word not in WAITING.get(name, set()):
                say = NAMES.get(word) or PARTS[word]
                problems.append(f"{name}, line {line}: {word!r}. Say {say}.")
        for word in WAITING.get(name, set()) - lines.keys():
            problems.append(f"{name} no longer uses {word!r}: take it out of WAITING.")
    assert not problems, "\n".join(problems)


def test_what_counts_as_a_private_word() -> None:
    source = '''
def tell(found):            # found, and what was heard
    """What was found above."""
    return hearsCalls(found, "given", unfound, Unheard())
'''
    assert private_words(source) == {"found": 2, "hears": 4, "unheard": 4}
    assert private_words("foundation = given_up = teach = foundry") == {}
