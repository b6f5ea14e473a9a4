"""A graph in the language of Graphviz."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tapegrad.drawing.dataflow import DataflowGraph
    from tapegrad.drawing.folding import Group

SHAPES = {"variable": "cylinder", "input": "ellipse", "constant": "ellipse", "guard": "diamond"}
PATH, END = "#0969da", "#cf222e"


def dot(graph: DataflowGraph) -> str:
    """The text of a file for the program ``dot``."""
    lines = ["digraph {", "  node [shape=box, fontname=Helvetica, fontsize=11];"]
    lines.extend(_members(graph, graph.folded(), "  ", [0]))
    for edge in graph.edges:
        colour = END if edge in graph.ends else PATH if edge in graph.lit else ""
        style = f" [color={quoted(colour)}, penwidth=2]" if colour else ""
        lines.append(f"  n{edge[0]} -> n{edge[1]}{style};")
    return "\n".join([*lines, "}", ""])


def _members(graph: DataflowGraph, group: Group, indent: str, clusters: list[int]) -> list[str]:
    lines = []
    for member in group.members:
        if isinstance(member, int):
            node = graph.nodes[member]
            words = [f"label={quoted(chr(10).join([node.label, node.result]).strip())}"]
            if node.kind in SHAPES:
                words.append(f"shape={SHAPES[node.kind]}")
            if node.reason:
                words.append(f"color={quoted(END)}")
            lines.append(f"{indent}n{member} [{', '.join(words)}];")
        else:
            clusters[0] += 1
            lines.append(f"{indent}subgraph cluster_{clusters[0]} {{")
            lines.append(f"{indent}  label={quoted(member.label)};")
            lines.extend(_members(graph, member, indent + "  ", clusters))
            lines.append(f"{indent}}}")
    return lines


def quoted(text: str) -> str:
    """A string of the language."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
