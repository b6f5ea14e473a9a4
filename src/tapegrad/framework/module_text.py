"""A module as text and as HTML: a tree of its variables and submodules, with shapes, counts and bytes."""

from __future__ import annotations

import html
import math
from typing import Any, NamedTuple

from tapegrad.core import VariableBase
from tapegrad.framework.counts import counted, size_text
from tapegrad.framework.search_box import searchable


class Node(NamedTuple):
    """A module or a variable in the tree, under the name by which its owner has it."""

    label: str
    text: str
    parts: list[Node]


def tree(module: Any) -> Node:
    """The tree below a module. What is reached a second time has no parts there, and counts no more."""
    return _node("", module, {id(module)})[0]


def _node(label: str, module: Any, seen: set[int]) -> tuple[Node, list[Any]]:
    """A module in the tree, and the variables below it that were not seen before."""
    parts, variables = [], []
    for path, value in module._flatten(
        recursive=False, predicate=_is_part, with_path=True, expand_composites=True
    ):
        name = path[0] + "".join([f"[{step!r}]" for step in path[1:]])
        if id(value) in seen:
            parts.append(Node(name, f"{type(value).__name__} {value.name!r}, shown above", []))
            continue
        seen.add(id(value))
        if isinstance(value, VariableBase):
            variable: Any = value
            variables.append(variable)
            frozen = "" if variable.trainable else ", not trainable"
            parts.append(Node(name, f"{variable.dtype.name} {tuple(variable.shape)}{frozen}", []))
        else:
            part, below = _node(name, value, seen)
            parts.append(part)
            variables += below
    return Node(label, _title(module, variables), parts), variables


def _title(module: Any, variables: list[Any]) -> str:
    """Class, name and totals."""
    sizes = [_size(variable) for variable in variables]
    frozen = sum([_size(variable) for variable in variables if not variable.trainable])
    return (
        f"{type(module).__name__} {module.name!r}: {counted(len(variables), 'variable')}, "
        f"{counted(sum(sizes), 'parameter')}"
        + (f" ({frozen:,} not trainable)" if frozen else "")
        + f", {size_text(sum([_size(one) * one.dtype.size for one in variables]))}"
    )


def _is_part(value: Any) -> bool:
    # A module may keep a class of modules.
    return isinstance(value, VariableBase) or hasattr(type(value), "_flatten")


def _size(variable: Any) -> int:
    return math.prod([size or 0 for size in variable.shape])


def as_text(module: Any) -> str:
    """The tree, drawn with lines."""
    root = tree(module)
    return "\n".join([root.text, *_drawn(root.parts, "")])


def _drawn(parts: list[Node], before: str) -> list[str]:
    lines = []
    for number, part in enumerate(parts):
        last = number == len(parts) - 1
        lines.append(f"{before}{'└─ ' if last else '├─ '}{part.label}: {part.text}")
        lines.extend(_drawn(part.parts, before + ("   " if last else "│  ")))
    return lines


def as_html(module: Any) -> str:
    """The tree, whose modules fold, with a search where there is something to look for."""
    root = tree(module)
    text = _folding(root, True)
    return searchable(text, "the variables and modules") if root.parts else text


def _folding(node: Node, is_open: bool) -> str:
    label = f"<code>{html.escape(node.label)}</code>: " if node.label else ""
    text = label + html.escape(node.text)
    line = f"{node.label}: {node.text}" if node.label else node.text
    searched = f'data-text="{html.escape(line)}"'
    if not node.parts:
        return f'<div style="margin-left: 1.2em" {searched}>{text}</div>'
    inside = "".join([_folding(part, False) for part in node.parts])
    return (
        f'<details style="margin-left: 1.2em"{" open" if is_open else ""}>'
        f"<summary {searched}>{text}</summary>{inside}</details>"
    )
