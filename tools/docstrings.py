"""Docstrings as the project writes them, in Markdown, for the reference (`tools/reference.py`).

`tapegrad.framework.docstrings` takes them apart.
"""

import inspect
import re

from tapegrad.framework.docstrings import entries, sections


def first_line(text: str) -> str:
    """The first sentence or paragraph, on one line."""
    return " ".join(inspect.cleandoc(text).split("\n\n")[0].split())


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
