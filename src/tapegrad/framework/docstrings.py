"""Sections of docstrings, for functions whose arguments are described where another function defines them.

A docstring is a first line, paragraphs, examples that begin with `>>>`, and sections such as `Args:`.
"""

from __future__ import annotations

import itertools
import re
import textwrap
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar

SECTIONS = ("Args", "Returns", "Raises", "Yields", "Attributes", "Environment variables")
WIDTH = 100

Described = TypeVar("Described", bound=Callable[..., Any])


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


def describes(**texts: str) -> Callable[[Described], Described]:
    """A decorator: the section Args gets these texts, of those arguments that the function has.

    An argument that the docstring describes itself keeps its description.
    """

    def describe(function: Described) -> Described:
        if function.__doc__ is None:  # Python leaves docstrings out: -OO
            return function
        from inspect import cleandoc

        own, code = documented_arguments(function.__doc__), function.__code__
        names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        known = {**texts, **own}
        described = {name: known[name] for name in names if name in known}
        text, _, after = cleandoc(function.__doc__).partition("\n\nArgs:\n")
        _, blank, rest = after.partition("\n\n")
        function.__doc__ = with_arguments(text, {**described, **own}) + blank + rest
        return function

    return describe


def with_arguments(text: str, arguments: Mapping[str, str]) -> str:
    """A docstring of ``text`` and of a section Args, which describes ``arguments``: name -> its text.

    Neighbours with the same text share an entry.
    """
    lines = [text]
    if arguments:
        lines += ["", "Args:"]
    wrapper = textwrap.TextWrapper(
        WIDTH, initial_indent=" " * 4, subsequent_indent=" " * 8, break_on_hyphens=False
    )
    for words, names in itertools.groupby(arguments, key=arguments.__getitem__):
        lines += wrapper.wrap(f"{', '.join(names)}: {words}")
    return "\n".join(lines)
