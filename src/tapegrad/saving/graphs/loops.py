"""The loops of TensorFlow 1 as `While` nodes: `with_loops`.

A loop is nodes in a circle. Each of its variables goes through `Enter` into a `Merge`, whose other input is
the `NextIteration` of the round before. As `LoopCond` says, a `Switch` sends it on: by its second output into
the body, by its first one to an `Exit`. Constants of the loop have an `Enter` alone. An attribute of each
`Enter` has the name of the loop. A loop becomes two functions of the same nodes, cut at these places.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tapegrad.io.graph_messages import AttrValue, ListValue, NameAttrList
from tapegrad.saving.files import Damaged
from tapegrad.saving.graphs.messages import Attribute, Node, text_of

ENTER, EXIT = ("Enter", "RefEnter"), ("Exit", "RefExit")


def with_loops(library: Any, nodes: Sequence[Node], make: Any) -> Sequence[Node]:
    """The nodes of a graph with a `While` for each loop.

    Args:
        library: the functions of the model, to which conditions and bodies are added.
        nodes: the nodes.
        make: makes a function of its name, nodes, arguments and results.
    """
    frames: dict[str, list[Node]] = {}
    for node in nodes:
        if node.op in ENTER:
            frames.setdefault(text_of(node, "frame_name"), []).append(node)
    if not frames:
        return nodes
    known = {node.name: node for node in nodes}
    replaced: dict[str, Node] = {}
    added: list[Node] = []
    result: list[Node] = []
    for frame, enters in frames.items():
        added.append(_loop(library, frame, enters, known, replaced, result, make))
    result += [replaced.get(node.name, node) for node in nodes] + added
    return result


def _loop(
    library: Any,
    frame: str,
    enters: list[Node],
    known: dict[str, Node],
    replaced: dict[str, Node],
    result: list[Node],
    make: Any,
) -> Node:
    """The `While` of one loop. The nodes that read its results are added to ``replaced``."""
    by_enter = {
        node.input[0]: node
        for node in known.values()
        if node.op in ("Merge", "RefMerge") and node.input
    }
    variables: list[Node] = []
    constants: list[Node] = []
    for enter in enters:
        (variables if enter.name in by_enter else constants).append(enter)
    merges = [by_enter[enter.name] for enter in variables]
    switches = {
        node.input[0]: node
        for node in known.values()
        if node.op in ("Switch", "RefSwitch") and len(node.input) > 1
    }
    try:
        following = [known[merge.input[1]].input[0] for merge in merges]
        own = [switches[merge.name] for merge in merges]
        (condition,) = {known[switch.input[1].removesuffix(":0")].input[0] for switch in own}
    except (KeyError, IndexError, ValueError):
        raise Damaged(f"the loop {frame} is none") from None
    kept = [enter.name for enter in constants]
    name = f"{frame} (loop)"
    asks, body = f"{name}, condition", f"{name}, body"
    library.functions[asks] = make(
        asks, result, [*[merge.name for merge in merges], *kept], [condition]
    )
    library.functions[body] = make(
        body, result, [*[f"{switch.name}:1" for switch in own], *kept], [*following, *kept]
    )
    for place, switch in enumerate(own):
        for node in known.values():
            if node.op in EXIT and node.input and node.input[0].removesuffix(":0") == switch.name:
                replaced[node.name] = Node(name=node.name, op="Identity", input=[f"{name}:{place}"])
    inputs = [text for enter in [*variables, *constants] for text in enter.input]
    data = [text for text in inputs if not text.startswith("^")]
    attributes = {
        "cond": AttrValue(func=NameAttrList(name=asks)),
        "body": AttrValue(func=NameAttrList(name=body)),
        "T": AttrValue(list=ListValue(type=[1] * len(data))),  # as many as there are; any will do
    }
    return Node(
        name=name,
        op="While",
        input=[*data, *[text for text in inputs if text.startswith("^")]],
        attr=[
            Attribute(key=key, value=value).SerializeToString() for key, value in attributes.items()
        ],
    )
