"""`DataflowGraph`: which ops computed what from what, as text, DOT, SVG or a page for browsers."""

from __future__ import annotations

import html
import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from tapegrad.core.tracebacks import Line, place_of
from tapegrad.drawing.folding import Group, fold
from tapegrad.framework.counts import counted

PUBLIC = {"autodiff": "DataflowGraph DataflowNode"}

MOST_LINES = 30  # of the printed text
NOTEBOOK_BOXES = 60

# The kinds of nodes that are results of nothing in the graph.
SOURCES = ("variable", "input", "constant")


@dataclass(frozen=True)
class DataflowNode:
    """An op, or what ops read.

    Attributes:
        label: the name of the op; of a variable its name, of another tensor what it is.
        kind: ``"op"``, ``"variable"``, ``"input"`` or ``"constant"``; ``"guard"`` where Python decided by a
            value; ``"end"`` of what passes no gradient on.
        result: dtypes and shapes of the results, as far as they are known.
        where: file, line and function of the program; None if nobody noted it.
        modules: the modules whose methods called it, the outermost first, by the names of attributes.
        name_scope: the name scopes that were open, the outermost first.
        details: more about it, such as statistics of the values: title -> text.
        reason: why a gradient ends here, if it does.
    """

    label: str
    kind: str = "op"
    result: str = ""
    where: Line | None = None
    modules: tuple[str, ...] = ()
    name_scope: tuple[str, ...] = ()
    details: dict[str, str] = field(default_factory=dict)
    reason: str = ""

    @property
    def is_source(self) -> bool:
        """Whether it is no result of an op."""
        return self.kind in SOURCES


class DataflowGraph:
    """What `tf.GradientTape.graph` and `tf.function`'s ``graph`` return. It prints as short text.

    >>> w = tf.Variable([[1.0], [2.0]], name="w")
    >>> with tf.GradientTape() as tape:
    ...     loss = tf.reduce_sum(tf.square(tf.ones([3, 2]) @ w))
    >>> graph = tape.graph(loss, w)
    >>> print(graph)
    A tape: 3 ops, 1 variable, 1 constant
      MatMul, Square, Sum
    The gradient of loss by
      w: connected by one path; the shortest is MatMul → Square → Sum
    >>> graph.svg()[:4], graph.dot().splitlines()[0]
    ('<svg', 'digraph {')

    Attributes:
        title: what the graph is of.
        nodes: a tuple of `DataflowNode`, ops in the order of the program.
        edges: a tuple of pairs of numbers of nodes: the second reads what the first gives.
        lit: the set of the edges on paths from a target to a source of `tf.GradientTape.graph`.
        ends: the set of the edges through which no gradient flows, on the way from a target to a source.
        text: the lines that say how sources and target are connected.
        lit_nodes: the set of the ends of the edges in ``lit``.
        readers, inputs: for each node the numbers of those that read it, and of those that it reads.
    """

    def __init__(
        self,
        title: str,
        nodes: Sequence[DataflowNode],
        edges: Sequence[tuple[int, int]],
        lit: frozenset[tuple[int, int]] = frozenset(),
        ends: frozenset[tuple[int, int]] = frozenset(),
        text: str = "",
    ) -> None:
        self.title = title
        self.nodes = tuple(nodes)
        self.edges = tuple(dict.fromkeys(edges))
        self.lit = lit
        self.ends = ends
        self.text = text
        self.lit_nodes = frozenset([node for edge in lit for node in edge])
        self.readers: list[list[int]] = [[] for _ in self.nodes]
        self.inputs: list[list[int]] = [[] for _ in self.nodes]
        for source, target in self.edges:
            self.readers[source].append(target)
            self.inputs[target].append(source)

    def __repr__(self) -> str:
        return str(self)

    def __str__(self) -> str:
        lines = [f"{self.title}: {self._totals()}"]
        parts = self._part_lines(self.folded(), "")
        if len(parts) > MOST_LINES:
            left_out = len(parts) - MOST_LINES
            parts[MOST_LINES:] = [f"... {left_out:,} more lines; graph.page(file) shows all"]
        lines.extend([f"  {line}" for line in parts])
        return "\n".join([*lines, *([self.text] if self.text else [])])

    def _totals(self) -> str:
        kinds = Counter([node.kind if node.is_source else "op" for node in self.nodes])
        return ", ".join([
            counted(kinds[kind], kind) for kind in ("op", *SOURCES) if kinds[kind] or kind == "op"
        ])  # fmt: skip

    def _part_lines(self, group: Group, path: str) -> list[str]:
        """A line for the ops of a group itself, and those of its parts."""
        lines = []
        run: list[str] = []
        for member in [*group.members, None]:
            if isinstance(member, int):
                if not self.nodes[member].is_source:
                    run.append(self.nodes[member].label)
                continue
            if run:
                lines.append((f"{path}: " if path else "") + _shortened(run))
                run = []
            if member is not None:
                lines.extend(
                    self._part_lines(member, f"{path}/{member.label}" if path else member.label)
                )
        return lines

    @property
    def foldings(self) -> tuple[str, ...]:
        """The ways to fold it: ``"modules"`` and ``"name scopes"`` if there are any, and ``"order"``."""
        names = []
        if any(node.modules for node in self.nodes):
            names.append("modules")
        if any(node.name_scope for node in self.nodes):
            names.append("name scopes")
        return (*names, "order")

    def folded(self, by: str | None = None) -> Group:
        """The tree of groups in which it is folded; by default the first of `foldings`."""
        by = self.foldings[0] if by is None else by
        scopes = [
            None
            if node.is_source
            else node.modules
            if by == "modules"
            else node.name_scope
            if by == "name scopes"
            else ()
            for node in self.nodes
        ]
        users: dict[int, list[int]] = {
            number: [] for number, scope in enumerate(scopes) if scope is None
        }
        for source, target in sorted(self.edges, key=lambda edge: edge[1]):
            if source in users:
                users[source].append(target)
        return fold(scopes, users)

    def dot(self) -> str:
        """The graph in the language of Graphviz, whole, with a cluster for each group."""
        from tapegrad.drawing.dot import dot

        return dot(self)

    def svg(self, boxes: int = 150) -> str:
        """The graph as a drawing, in colours for light and dark pages.

        Args:
            boxes: how many are drawn at most. Groups of a larger graph are folded; each says how many ops
                are in it.
        """
        from tapegrad.drawing.svg import drawing

        root = self.folded()
        return drawing(self, root, boxes)

    def html(self) -> str:
        """A page for browsers, without network: pan, zoom, search, groups that fold, details of a node."""
        from tapegrad.drawing.page import page

        return page(self)

    def page(self, path: str | os.PathLike[str]) -> None:
        """Write the page of `html` into a file.

        Args:
            path: of the file, which is replaced if it exists.
        """
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.html())

    def _repr_svg_(self) -> str:
        return self.svg(NOTEBOOK_BOXES)

    def _repr_html_(self) -> str:
        title = f"<p>{html.escape(f'{self.title}: {self._totals()}')}</p>"
        text = f"<pre>{html.escape(self.text)}</pre>" if self.text else ""
        picture = self.svg(NOTEBOOK_BOXES)
        return f'{title}<div style="overflow: auto; max-height: 40em">{picture}</div>{text}'

    def describe(self, number: int) -> dict[str, str]:
        """What is known of a node: title -> text, in the order in which pages show it."""
        node = self.nodes[number]
        facts: dict[str, Any] = {
            "result": node.result,
            "modules": " / ".join(node.modules),
            "name scope": "/".join(node.name_scope),
            "line": place_of(node.where).removeprefix(", "),
            **node.details,
            "no gradient": node.reason,
        }
        return {title: str(text) for title, text in facts.items() if text}


def _shortened(names: list[str]) -> str:
    shown = ", ".join(names[:8])
    return shown + (f", ... ({len(names):,} ops)" if len(names) > 8 else "")
