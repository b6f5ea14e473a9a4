"""A graph, or a group of it, as SVG.

`open_groups` chooses the groups that are drawn with their members, `Drawing` places boxes from the inside to
the outside, since the size of a group follows from its members, and edges are drawn between the innermost
boxes that are seen.
"""

from __future__ import annotations

import html
import itertools
import re
from collections import Counter, deque
from typing import TYPE_CHECKING, cast

from tapegrad.drawing.folding import Group, paths_of
from tapegrad.drawing.layout import Edge, Layers, coordinates, layers_of

if TYPE_CHECKING:
    from tapegrad.drawing.dataflow import DataflowGraph, DataflowNode

Ends = tuple[int | Group, int | Group]

LETTER = 6.7  # pixels of width
SMALL = 0.85  # of it in the second line of a box
LETTERS = 26  # of a label
LEAST_WIDTH, HEIGHT = 64, 38
FAN = 8  # edges that are drawn from one box, in one group
PADDING, TITLE = 14, 20  # inside a group
MARGIN = 16

NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")

STYLE = """
.tapegrad-graph text { font: 12px system-ui, sans-serif; fill: #1f2328; text-anchor: middle }
.tapegrad-graph .small { font-size: 10px; fill: #59636e }
.tapegrad-graph .title { text-anchor: start; font-weight: 600; fill: #59636e }
.tapegrad-graph rect { fill: #f6f8fa; stroke: #afb8c1 }
.tapegrad-graph .variable rect { fill: #fff3d6; stroke: #bf8700 }
.tapegrad-graph .input rect, .tapegrad-graph .constant rect { fill: #ddf4ff; stroke: #54aeff }
.tapegrad-graph .guard rect { fill: #fbefff; stroke: #a475f9 }
.tapegrad-graph .frame > rect { fill: #8c959f; fill-opacity: 0.08; stroke: #afb8c1; stroke-dasharray: 4 3 }
.tapegrad-graph .group rect { fill: #e7ecf0; stroke: #6e7781; stroke-width: 1.5 }
.tapegrad-graph path { fill: none; stroke: #8c959f }
.tapegrad-graph path.lit { stroke: #0969da; stroke-width: 2.5 }
.tapegrad-graph .lit > rect { stroke: #0969da; stroke-width: 2.5 }
.tapegrad-graph path.end { stroke: #cf222e; stroke-width: 2.5; stroke-dasharray: 6 3 }
.tapegrad-graph .end > rect { stroke: #cf222e; stroke-width: 2.5 }
@media (prefers-color-scheme: dark) {
  .tapegrad-graph text { fill: #e6edf3 }
  .tapegrad-graph .small, .tapegrad-graph .title { fill: #9198a1 }
  .tapegrad-graph rect { fill: #212830; stroke: #656c76 }
  .tapegrad-graph .variable rect { fill: #3d2e00; stroke: #d29922 }
  .tapegrad-graph .input rect, .tapegrad-graph .constant rect { fill: #0c2d4a; stroke: #388bfd }
  .tapegrad-graph .guard rect { fill: #2e1f4d; stroke: #a371f7 }
  .tapegrad-graph .group rect { fill: #2f3742; stroke: #8b949e }
  .tapegrad-graph path { stroke: #768390 }
  .tapegrad-graph path.lit, .tapegrad-graph .lit > rect { stroke: #58a6ff }
  .tapegrad-graph path.end, .tapegrad-graph .end > rect { stroke: #ff7b72 }
}
"""


def open_groups(root: Group, boxes: int) -> set[Group]:
    """The groups to draw with their members, so that at most so many boxes are seen; the root is one."""
    opened, seen = {root}, len(root.members)
    waiting = deque([root])
    while waiting:
        for member in waiting.popleft().members:
            if isinstance(member, Group) and seen + len(member.members) - 1 <= boxes:
                seen += len(member.members) - 1
                opened.add(member)
                waiting.append(member)
    return opened


def drawing(graph: DataflowGraph, root: Group, boxes: int) -> str:
    """An SVG of a group of the graph, by itself a picture."""
    drawn = Drawing(graph, root, open_groups(root, boxes))
    return drawn.svg(f"<style>{STYLE}</style>")


class Drawing:
    """Places of the boxes of a group."""

    def __init__(self, graph: DataflowGraph, root: Group, opened: set[Group]) -> None:
        self.graph = graph
        self.root = root
        self.opened = opened
        self.numbers: dict[Group, int] = {}  # group -> its number in the page
        self._paths = paths_of(root)
        self._layers: dict[Group, Layers] = {}
        self._offsets: dict[Group, dict[int, tuple[float, float]]] = {}
        self._sizes: dict[Group, tuple[float, float]] = {}
        self._seen: dict[int | Group, tuple[float, float, float, float]] = {}  # centre and size
        self._bends: dict[tuple[Group, int], tuple[float, float]] = {}
        # Open group -> two of its members -> the boxes that are drawn as the ends of an edge -> what it is.
        self._edges: dict[Group, dict[Edge, dict[Ends, set[Edge]]]] = {
            group: {} for group in [root, *root.groups()] if group in opened
        }
        # Open group -> its members to which edges lead from outside.
        self._entered: dict[Group, set[int]] = {group: set() for group in self._edges}
        self._left_out: Counter[int | Group] = Counter()  # edges from it that are not drawn
        self._sort_edges()
        self.width, self.height = self._measure(root)
        self._settle(root, 0, 0)

    def _sort_edges(self) -> None:
        """Give each edge to the innermost open group that has both of its ends, as one of two members."""
        positions = {
            group: {member: place for place, member in enumerate(group.members)}
            for group in self.opened
        }
        readers = self.graph.readers
        for edge in [(node, reader) for node in self._paths for reader in readers[node]]:
            if edge[1] not in self._paths:
                continue
            first, second = [(*self._paths[node], node) for node in edge]
            depth = 0
            while first[depth] is second[depth]:
                depth += 1
            parts = cast("Ends", (first[depth], second[depth]))
            owner = first[depth - 1]
            if owner in self._edges and isinstance(owner, Group):
                places = positions[owner][parts[0]], positions[owner][parts[1]]
                ends = self._seen_of(edge[0]), self._seen_of(edge[1])
                below = self._edges[owner].setdefault(places, {})
                below.setdefault(ends, set()).add(edge)
                for group, member in itertools.pairwise(cast("list[int | Group]", second[depth:])):
                    if isinstance(group, Group) and group in self._entered:
                        self._entered[group].add(positions[group][member])
        for group in self._edges:
            self._leave_out(group)

    def _leave_out(self, group: Group) -> None:
        """Of what many boxes read, draw the edges to the first of them, and those that end a gradient."""
        drawn: Counter[int | Group] = Counter()
        edges: dict[Edge, dict[Ends, set[Edge]]] = {}
        for places in sorted(self._edges[group]):
            for ends, below in self._edges[group][places].items():
                drawn[ends[0]] += 1
                if drawn[ends[0]] <= FAN or below & self.graph.ends:
                    edges.setdefault(places, {})[ends] = below
                else:
                    self._left_out[ends[0]] += 1
        self._edges[group] = edges

    def _measure(self, group: Group) -> tuple[float, float]:
        """Lay the members of an open group out. Returns its size."""
        sizes = [self._size(member) for member in group.members]
        layers = self._layers[group] = layers_of(
            len(sizes), list(self._edges[group]), sorted(self._entered[group])
        )
        self._offsets[group], width, height = coordinates(layers, sizes)
        width, height = width + 2 * PADDING, height + 2 * PADDING
        if group is not self.root:
            width, height = max(width, len(group.label) * LETTER + 2 * PADDING), height + TITLE
        self._sizes[group] = width, height
        return width, height

    def _size(self, member: int | Group) -> tuple[float, float]:
        if isinstance(member, Group) and member in self.opened:
            return self._measure(member)
        first, *rest = self._lines(member)
        return max([_width(first), *[_width(line) * SMALL for line in rest]]), float(HEIGHT)

    def _lines(self, box: int | Group) -> list[str]:
        """The text in a box."""
        if isinstance(box, Group):
            ops = sum([not self.graph.nodes[node].is_source for node in box.nodes()])
            first, second = box.label, f"{ops:,} op" + "s" * (ops != 1)
        else:
            first, second = self.graph.nodes[box].label, self.graph.nodes[box].result
        if self._left_out[box]:
            second = f"{second}, +{self._left_out[box]:,} edges".removeprefix(", ")
        return [_cut(line) for line in (first, second) if line]

    def _settle(self, group: Group, left: float, top: float) -> None:
        """Note where on the drawing everything is in an open group with this corner."""
        top += PADDING + (0 if group is self.root else TITLE)
        left += PADDING
        for item, (x, y) in self._offsets[group].items():
            if item >= len(group.members):
                self._bends[group, item] = left + x, top + y
                continue
            member = group.members[item]
            if isinstance(member, Group) and member in self.opened:
                width, height = self._sizes[member]
                self._seen[member] = left + x, top + y, width, height
                self._settle(member, left + x - width / 2, top + y - height / 2)
            else:
                self._seen[member] = (left + x, top + y, *self._size(member))

    def _seen_of(self, node: int) -> int | Group:
        """The node, or the folded group in which it is."""
        for group in self._paths[node]:
            if group not in self.opened:
                return group
        return node

    def boxes(self) -> list[int | Group]:
        """What is drawn: nodes and folded groups, and the groups that are open."""
        return list(self._seen)

    def svg(self, style: str = "") -> str:
        """The text of the picture."""
        width, height = self.width + 2 * MARGIN, self.height + 2 * MARGIN
        frames = [self._frame(box) for box in self._seen if box in self.opened]
        nodes = [
            self._group(box) if isinstance(box, Group) else self._node(box)
            for box in self._seen
            if box not in self.opened
        ]
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="tapegrad-graph" width="{width:.0f}" '
            f'height="{height:.0f}" viewBox="{-MARGIN} {-MARGIN} {width:.0f} {height:.0f}" role="img">'
            f"<title>{escaped(self.graph.title)}</title>{style}"
            f"{''.join(frames)}{''.join(self._curves())}{''.join(nodes)}</svg>"
        )

    def _curves(self) -> list[str]:
        lines = []
        for group, edges in self._edges.items():
            for places, curves in edges.items():
                chain = self._layers[group].chains[places]
                bends = [self._bends[group, item] for item in chain[1:-1]]
                for ends, drawn in curves.items():
                    line = _curve(self._seen[ends[0]], bends, self._seen[ends[1]])
                    lit = "lit" if drawn & self.graph.lit else ""
                    marks = "end" if drawn & self.graph.ends else lit
                    lines.append((marks, f'<path{_class(marks)} d="{line}"/>'))
        # Coloured ones are drawn last, over the others.
        return [line for _, line in sorted(lines, key=lambda part: part[0] != "")]

    def _marks(self, nodes: set[int]) -> str:
        if any(self.graph.nodes[node].reason for node in nodes):
            return "end"
        return "" if nodes.isdisjoint(self.graph.lit_nodes) else "lit"

    def _node(self, number: int) -> str:
        node: DataflowNode = self.graph.nodes[number]
        words = f"node {node.kind} {self._marks({number})}"
        facts = "\n".join([
            node.label, *[f"{title}: {text}" for title, text in self.graph.describe(number).items()]
        ])  # fmt: skip
        return self._box(number, words, f'data-node="{number}"', facts)

    def _group(self, group: Group) -> str:
        return self._box(
            group,
            f"group {self._marks(set(group.nodes()))}",
            f'data-group="{self.numbers.get(group, "")}"',
            group.label,
        )

    def _box(self, box: int | Group, words: str, attribute: str, title: str) -> str:
        """A rectangle with its lines of text, and what a page shows when the pointer is over it."""
        x, y, width, height = self._seen[box]
        lines = self._lines(box)
        parts = [
            f'<g{_class(words)} {attribute} tabindex="0"><title>{escaped(title)}</title>'
            f'<rect x="{x - width / 2:.1f}" y="{y - height / 2:.1f}" width="{width:.1f}" '
            f'height="{height:.1f}" rx="5"/>'
        ]
        first = y + 4 if len(lines) == 1 else y - 3
        for number, line in enumerate(lines):
            small = ' class="small"' if number else ""
            parts.append(
                f'<text{small} x="{x:.1f}" y="{first + 14 * number:.1f}">{escaped(line)}</text>'
            )
        return "".join([*parts, "</g>"])

    def _frame(self, box: int | Group) -> str:
        assert isinstance(box, Group)
        x, y, width, height = self._seen[box]
        left, top = x - width / 2, y - height / 2
        return (
            f'<g class="frame" data-group="{self.numbers.get(box, "")}"><rect x="{left:.1f}" '
            f'y="{top:.1f}" width="{width:.1f}" height="{height:.1f}" rx="8"/>'
            f'<text class="title" x="{left + PADDING:.1f}" y="{top + 18:.1f}">'
            f"{escaped(box.label)}</text></g>"
        )


def escaped(text: str) -> str:
    """Text for XML and HTML. Characters that XML cannot have are replaced by U+FFFD."""
    return html.escape(NOT_XML.sub("\ufffd", text))


def _width(text: str) -> float:
    return max(LEAST_WIDTH, min(len(text), LETTERS) * LETTER + 18)


def _cut(text: str) -> str:
    return text if len(text) <= LETTERS else f"{text[: LETTERS - 1]}…"


def _class(words: str) -> str:
    return f' class="{words.strip()}"' if words.strip() else ""


def _curve(
    source: tuple[float, ...], bends: list[tuple[float, float]], target: tuple[float, ...]
) -> str:
    """From the lower side of a box by the bends to the upper side of another."""
    points = [
        (source[0], source[1] + source[3] / 2),
        *bends,
        (target[0], target[1] - target[3] / 2),
    ]
    parts = [f"M{points[0][0]:.1f} {points[0][1]:.1f}"]
    for (x, y), (next_x, next_y) in itertools.pairwise(points):
        half = (y + next_y) / 2
        parts.append(f"C{x:.1f} {half:.1f} {next_x:.1f} {half:.1f} {next_x:.1f} {next_y:.1f}")
    return "".join(parts)
