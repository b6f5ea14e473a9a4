"""The tree of groups in which a graph is folded: by modules or name scopes, and by the order of the program.

Ops are in the order of the program. A group is a run of consecutive ops with the same scope, so a scope that
the program enters twice is two groups, and every edge leads from an earlier member of a group to a later one:

    ops      0 1 2 3 4 5             groups   net
    scopes   net net/a net/a net/b net        0, a: (1 2), b: (3), 4

What is no result of an op, such as a variable, belongs to the innermost group that has all its users. It
stands before the first of them. A group with many members gets groups of consecutive members.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby

MOST_MEMBERS = 100  # of a group
BLOCK = 50  # so many consecutive members of a larger one become a group

Scope = tuple[str, ...]


@dataclass(eq=False)
class Group:
    """A part of a graph that folds. Its members are numbers of nodes, and groups."""

    label: str
    members: list[int | Group] = field(default_factory=list)

    def nodes(self) -> Iterator[int]:
        """The nodes in it and in the groups below it."""
        for member in self.members:
            if isinstance(member, Group):
                yield from member.nodes()
            else:
                yield member

    def groups(self) -> Iterator[Group]:
        """The groups below it, each before its parts."""
        for member in self.members:
            if isinstance(member, Group):
                yield member
                yield from member.groups()


def fold(scopes: Sequence[Scope | None], users: dict[int, list[int]]) -> Group:
    """The tree of a graph.

    Args:
        scopes: of each node; None for one that no op gives.
        users: for each node of that kind the nodes that use it, in order.
    """
    ops = [node for node, scope in enumerate(scopes) if scope is not None]
    root = Group("", _runs(ops, 0, scopes))
    _insert(root, users)
    for group in [root, *root.groups()]:
        group.members = _in_blocks(group.members)
    return root


def paths_of(root: Group) -> dict[int, tuple[Group, ...]]:
    """For each node the groups that it is in, the outermost first."""
    paths: dict[int, tuple[Group, ...]] = {}
    waiting: list[tuple[Group, ...]] = [(root,)]
    while waiting:
        path = waiting.pop()
        for member in path[-1].members:
            if isinstance(member, Group):
                waiting.append((*path, member))
            else:
                paths[member] = path
    return paths


def _runs(nodes: list[int], depth: int, scopes: Sequence[Scope | None]) -> list[int | Group]:
    members: list[int | Group] = []

    def part(node: int) -> str | None:
        scope = scopes[node] or ()
        return scope[depth] if len(scope) > depth else None

    for label, run in groupby(nodes, part):
        if label is None:
            members.extend(run)
            continue
        below = _runs(list(run), depth + 1, scopes)
        if len(below) == 1 and isinstance(below[0], Group):
            below[0].label = f"{label}/{below[0].label}"
            members.append(below[0])
        else:
            members.append(Group(label, below))
    return members


def _insert(root: Group, users: dict[int, list[int]]) -> None:
    """Put the nodes that no op gives before their first users."""
    paths = paths_of(root)
    before: dict[Group, dict[int | Group, list[int]]] = {}
    for node, using in users.items():
        ways = [paths[user] for user in using]
        depth = 1
        if ways:
            shortest = min([len(way) for way in ways])
            while depth < shortest and all(way[depth] is ways[0][depth] for way in ways):
                depth += 1
        # An unused node stands at the end.
        owner = ways[0][depth - 1] if ways else root
        if ways:
            first: int | Group = ways[0][depth] if len(ways[0]) > depth else using[0]
            before.setdefault(owner, {}).setdefault(first, []).append(node)
        else:
            root.members.append(node)
    for owner, places in before.items():
        members: list[int | Group] = []
        for member in owner.members:
            members.extend(places.get(member, ()))
            members.append(member)
        owner.members = members


def _in_blocks(members: list[int | Group]) -> list[int | Group]:
    while len(members) > MOST_MEMBERS:
        blocks: list[int | Group] = []
        for start in range(0, len(members), BLOCK):
            block = Group("", members[start : start + BLOCK])
            count = sum([1 for _ in block.nodes()])
            block.label = f"{count:,} in a row"
            blocks.append(block)
        members = blocks
    return members
