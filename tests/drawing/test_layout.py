"""Layered layouts: every edge leads down, no boxes overlap, and orders without crossings are found."""

from __future__ import annotations

import itertools
import random

import pytest

from tapegrad.drawing.folding import MOST_MEMBERS, Group, fold, paths_of
from tapegrad.drawing.layout import COLUMN_GAP, coordinates, layers_of


def random_edges(seed: int, count: int) -> list[tuple[int, int]]:
    draw = random.Random(seed)
    return sorted({
        (draw.randrange(target), target) for target in range(1, count) for _ in range(draw.randrange(3))
    })  # fmt: skip


@pytest.mark.parametrize("seed", range(20))
def test_edges_lead_down_and_boxes_do_not_overlap(seed: int) -> None:
    count = 1 + 3 * seed
    edges = random_edges(seed, count)
    sizes = [(20.0 + 7 * (box % 5), 10.0 + box % 3) for box in range(count)]
    layers = layers_of(count, edges)
    places, width, height = coordinates(layers, sizes)
    for source, target in edges:
        assert places[source][1] < places[target][1]
    for row in layers.rows:
        boxes = [item for item in row if item < count]
        for first, second in itertools.pairwise(boxes):
            apart = (sizes[first][0] + sizes[second][0]) / 2
            assert places[second][0] - places[first][0] >= apart + COLUMN_GAP - 1e-6
    for box in range(count):
        x, y = places[box]
        assert sizes[box][0] / 2 - 1e-6 <= x <= width - sizes[box][0] / 2 + 1e-6
        assert sizes[box][1] / 2 - 1e-6 <= y <= height - sizes[box][1] / 2 + 1e-6


def test_two_chains_do_not_cross() -> None:
    layers = layers_of(6, [(0, 3), (1, 2), (2, 5), (3, 4)])
    order = {item: place for row in layers.rows for place, item in enumerate(row)}
    assert order[0] == order[3] == order[4]
    assert order[1] == order[2] == order[5]


def test_what_nothing_leads_to_stands_above_its_first_user() -> None:
    layers = layers_of(4, [(0, 1), (1, 3), (2, 3)])
    assert layers.rows[1] == [1, 2] or layers.rows[1] == [2, 1]


def test_a_long_edge_has_bends() -> None:
    layers = layers_of(4, [(0, 1), (1, 2), (2, 3), (0, 3)])
    assert len(layers.chains[0, 3]) == 4


def labels(group: Group) -> list[object]:
    return [
        (member.label, labels(member)) if isinstance(member, Group) else member
        for member in group.members
    ]


def test_consecutive_ops_of_a_scope_are_a_group() -> None:
    scopes = [(), ("net", "a"), ("net", "a"), ("net", "b"), ("net",), (), ("net", "a")]
    assert labels(fold(scopes, {})) == [
        0,
        ("net", [("a", [1, 2]), ("b", [3]), 4]),
        5,
        ("net/a", [6]),
    ]


def test_a_source_stands_in_the_group_of_its_users() -> None:
    scopes = [("a", "b"), ("a", "b"), ("a", "c"), None, None, None]
    tree = fold(scopes, {3: [1], 4: [1, 2], 5: []})
    assert labels(tree) == [("a", [4, ("b", [0, 3, 1]), ("c", [2])]), 5]


def test_a_long_row_folds() -> None:
    tree = fold([()] * 12345, {})
    assert all(len(group.members) <= MOST_MEMBERS for group in [tree, *tree.groups()])
    assert list(tree.nodes()) == list(range(12345))
    assert set(paths_of(tree)) == set(range(12345))
