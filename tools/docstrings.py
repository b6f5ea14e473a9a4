"""Docstrings as the project writes them, taken apart and put into Markdown.

A docstring is a first line, paragraphs, examples that begin with `>>>`, and sections such as `Args:`. The
reference (`tools/reference.py`) shows all of it; tests ask for the arguments alone.
"""

import inspect
import re
import textwrap
from collections.abc import Iterator

SECTIONS = ("Args", "Returns", "Raises", "Yields", "Attributes", "Environment variables")


def first_line(text: str) -> str:
    """The first sentence or paragraph, on one line."""
    return " ".join(inspect.cleandoc(text).split("\n\n")[0].split())


def documented_arguments(text: str) -> dict[str, str]:
    """What the section Args says: argument -> its text. Several arguments may share one text."""
    arguments = {}
    for names, words in entries(sections(text).get("Args", "")):
        for name in names.split(", "):
            arguments[name.lstrip("*")] = words
    return arguments


def sections(text: str) -> dict[str, str]:
    """The sections of a docstring by their titles; what comes before the first has the title ""."""
    parts = {"": ""}
    title = ""
    for line in inspect.cleandoc(text).split("\n"):
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


def in_markdown(text: str) -> str:
    """A whole docstring as Markdown."""
    parts = sections(text)
    lines = [paragraphs(parts.pop(""))]
    for title, section in parts.items():
        if title in ("Returns", "Yields"):
            lines.append(f"**{title}:** {inline(' '.join(section.split()))}\n")
        else:
            lines += [f"**{'Arguments' if title == 'Args' else title}**\n"]
            lines += [
                item(names, words, code=title != "Raises") for names, words in entries(section)
            ]
            lines.append("")
    return "\n".join(lines)


def item(names: str, words: str, code: bool) -> str:
    """One entry of a list of arguments or errors."""
    if not names:
        return f"- {inline(words)}"
    marked = ", ".join(f"`{name}`" for name in names.split(", ")) if code else f"`{names}`"
    return f"- {marked}: {inline(words)}"


def paragraphs(text: str) -> str:
    """Paragraphs, examples, lists and drawings."""
    lines = []
    for block in re.split(r"\n\s*\n", text.strip("\n")):
        own = inspect.cleandoc(block)
        if own.startswith(">>>"):
            lines.append(f"```pycon\n{own}\n```\n")
        elif block.startswith("    ") and not block.lstrip().startswith(("- ", "* ")):
            lines.append(f"```text\n{own}\n```\n")
        else:
            lines.append(f"{inline(own)}\n")
    return "\n".join(lines)


def inline(text: str) -> str:
    """Words of a docstring: code between two marks or one, and all else as it stands."""
    parts = re.split(r"(``.+?``|`[^`]+`)", text, flags=re.DOTALL)
    for number, part in enumerate(parts):
        if number % 2:
            parts[number] = f"`{part.strip('`')}`"
        else:
            parts[number] = re.sub(r"([\\_<>\[\]]|\*(?!\s))", r"\\\1", part).replace("\\<", "&lt;")
    return "".join(parts)
