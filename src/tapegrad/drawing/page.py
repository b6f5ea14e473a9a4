"""A page for browsers with a graph: one file, without network.

Each group that is seen folded somewhere has a drawing of its own. They are made here; the page's script shows
one at a time, and pans, zooms and searches.
"""

from __future__ import annotations

import json
from collections import deque
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tapegrad.core.tracebacks import place_of
from tapegrad.drawing.folding import Group
from tapegrad.drawing.svg import STYLE, Drawing, escaped, open_groups

if TYPE_CHECKING:
    from tapegrad.drawing.dataflow import DataflowGraph

BOXES = 120  # of a drawing
LARGE = 2000  # nodes: a larger graph has no second, folded drawing of a group
FOLDER = Path(__file__).parent
# Nothing but what stands in the page may run or load.
POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'"


def page(graph: DataflowGraph) -> str:
    """The text of the page."""
    foldings = {name: _Drawings(graph, graph.folded(name)) for name in graph.foldings}
    templates, views = [], {}
    for name, drawings in foldings.items():
        views[name] = {"views": drawings.views, "homes": drawings.homes}
        for key, svg in drawings.pictures.items():
            templates.append(f'<template id="{escaped(f"{name} {key}")}">{svg}</template>')
    nodes = [
        {
            "label": node.label,
            "kind": node.kind,
            "facts": graph.describe(number),
            "reads": graph.inputs[number],
            "readers": graph.readers[number],
            "marked": bool(node.reason),
            "words": f"{node.label} {'/'.join((*node.modules, *node.name_scope))} "
            f"{place_of(node.where)}".lower(),
        }
        for number, node in enumerate(graph.nodes)
    ]
    data = {"foldings": views, "nodes": nodes, "text": graph.text}
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="{POLICY}">
<title>{escaped(graph.title)}</title>
<style>{STYLE}{(FOLDER / "viewer.css").read_text(encoding="utf-8")}</style>
</head>
<body>
<header>
<strong>{escaped(graph.title)}</strong>
<nav id="crumbs" aria-label="groups"></nav>
<label id="foldings">fold by <select id="folding"></select></label>
<button id="unfold" type="button"></button>
<span id="zooms">
<button id="out" type="button" aria-label="smaller">−</button>
<button id="whole" type="button">fit</button>
<button id="in" type="button" aria-label="larger">+</button>
</span>
<input id="search" type="search" placeholder="Search" aria-label="Search">
</header>
<main>
<div id="drawing"></div>
<aside id="side"><div id="results"></div><div id="details"></div><pre id="text"></pre></aside>
</main>
{"".join(templates)}
<script type="application/json" id="data">{_in_script(data)}</script>
<script>{(FOLDER / "viewer.js").read_text(encoding="utf-8")}</script>
</body>
</html>
"""


def _in_script(data: Any) -> str:
    """JSON that ends no script element and begins no comment."""
    text = json.dumps(data, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


class _Drawings:
    """The drawings of one way to fold a graph.

    Attributes:
        views: key of a drawing -> its title, group, the path of groups to it, and the key of the other
            drawing of the same group.
        pictures: the same key -> SVG.
        homes: of each node the key of a drawing that shows it.
    """

    def __init__(self, graph: DataflowGraph, root: Group) -> None:
        self.views: dict[str, dict[str, Any]] = {}
        self.pictures: dict[str, str] = {}
        self.homes: dict[int, str] = {}
        groups = [root, *root.groups()]
        self._numbers = {group: number for number, group in enumerate(groups)}
        self._parents = {
            member: group
            for group in groups
            for member in group.members
            if isinstance(member, Group)
        }
        waiting = deque([root])
        seen = {root}
        while waiting:
            group = waiting.popleft()
            opened = open_groups(group, BOXES)
            keys = [self._draw(graph, group, opened, "open")]
            if len(opened) > 1 and len(graph.nodes) <= LARGE:
                keys.append(self._draw(graph, group, {group}, "folded"))
            for key in keys:
                self.views[key]["other"] = next((other for other in keys if other != key), "")
                for box in self.views[key].pop("boxes"):
                    needs_drawing = box not in opened or len(keys) > 1
                    if isinstance(box, Group) and box not in seen and needs_drawing:
                        seen.add(box)
                        waiting.append(box)

    def _draw(self, graph: DataflowGraph, group: Group, opened: set[Group], how: str) -> str:
        key = f"{self._numbers[group]} {how}"
        drawn = Drawing(graph, group, opened)
        drawn.numbers = self._numbers
        self.pictures[key] = drawn.svg()
        for box in drawn.boxes():
            if isinstance(box, int):
                self.homes.setdefault(box, key)
        self.views[key] = {
            "label": group.label or "all",
            "group": self._numbers[group],
            "path": self._path(group),
            "boxes": drawn.boxes(),
            "folds": how == "open",
        }
        return key

    def _path(self, group: Group) -> list[int]:
        path = [self._numbers[group]]
        while group in self._parents:
            group = self._parents[group]
            path.append(self._numbers[group])
        return path[::-1]
