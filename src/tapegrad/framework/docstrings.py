"""Sections of docstrings, for functions whose arguments are described where another function defines them.

A docstring is a first line, paragraphs, examples that begin with `>>>`, and sections such as `Args:`.
"""

from __future__ import annotations

import itertools
import re
import textwrap
from collections.abc import Iterator, Mapping

SECTIONS = ("Args", "Returns", "Raises", "Yields", "Attributes", "Environment variables")
WIDTH = 100


def sections(text: str) -> dict[str, str]:
    """The sections of a docstring by their titles; what comes before the first has the title ""."""
    from inspect import cleandoc

    parts = {"": ""}
    title = ""
    for line in cleandoc(text).split("\n"):
        if line.endswith(":") and line[:-1] in SECTIONS:
            title = line[:-1]
            parts[title] = ""
        elif title and line and not line.startswith(" "):
            # A paragraph after a section belongs to the text.
            title = ""
            parts[""] += f"\n{line}\n"
        else:
            parts[title] += line + "\n"
    return parts


def entries(section: str) -> Iterator[tuple[str, str]]:
    """The entries of a section: names and their text. One without a name has ""."""
    for entry in re.split(r"\n(?=\S)", textwrap.dedent(section).strip()):
        match = re.fullmatch(r"([*\w.]+(?:, [*\w.]+)*): (.*)", entry, re.DOTALL)
        names, words = match.groups() if match else ("", entry)
        if words.strip():
            yield names, " ".join(words.split())


def documented_arguments(text: str) -> dict[str, str]:
    """What the section Args says: argument -> its text. Several arguments may share one text."""
    arguments = {}
    for names, words in entries(sections(text).get("Args", "")):
        for name in names.split(", "):
            arguments[name.lstrip("*")] = words
    return arguments


def with_arguments(text: str, arguments: Mapping[str, str]) -> str:
    """A docstring of ``text`` and of a section Args, which describes ``arguments``: name -> its text.

    Neighbours with the same text share an entry.
    """
    lines = [text]
    if arguments:
        lines += ["", "Args:"]
    for words, names in itertools.groupby(arguments, key=arguments.__getitem__):
        lines.append(entry(", ".join(names), words))
    return "\n".join(lines)


def entry(names: str, words: str) -> str:
    """An entry of a section, in lines."""
    return textwrap.fill(
        f"{names}: {words}",
        WIDTH,
        initial_indent=" " * 4,
        subsequent_indent=" " * 8,
        break_on_hyphens=False,
    )
