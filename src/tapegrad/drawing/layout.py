"""Where the boxes of a drawing stand: a layered layout, from top to bottom.

1. Rank: a box stands in the row below the lowest of those that lead to it. What nothing leads to stands in
   the row above its first user.
2. Edges over several rows get a bend in each row between.
3. Order: several times, down and up, the boxes of a row are sorted by the mean place of their neighbours in
   the row before, which takes crossings away.
4. Coordinates: rows are packed. Then, several times, each box moves to the mean of its neighbours, as far as
   the order of its row and the sizes of the boxes allow.

        x   w           row 0
        |  /
      MatMul            row 1
        |   \\
        |    ·          row 2: Relu, and a bend of the edge that passes it
      Relu  /
        |  /
       Add              row 3
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

ROW_GAP = 34
COLUMN_GAP = 18
BEND = 8  # the width of a bend
MOST_BENDS = 4000  # a drawing that needs more has none
ORDER_SWEEPS = 8
PLACE_SWEEPS = 12
ALONE = 8  # boxes without edges that stand in one row

Edge = tuple[int, int]


@dataclass
class Layers:
    """Items of a drawing in rows. The first items are the boxes, the others are bends."""

    rows: list[list[int]]
    chains: dict[Edge, list[int]]  # for each edge its ends and the bends between them
    # For each item those that it is joined with in the row above, and in the row below.
    to_upper: dict[int, list[int]] = field(default_factory=dict)
    to_lower: dict[int, list[int]] = field(default_factory=dict)


def layers_of(count: int, edges: Sequence[Edge], entered: Iterable[int] = ()) -> Layers:
    """The rows for ``count`` boxes. Each edge leads from a box with a lower number to one with a higher.

    To the boxes ``entered`` lead edges from outside, for which there is a bend above each.
    """
    ranks = _ranks(count, edges)
    rows: list[list[int]] = [[] for _ in range(max(ranks, default=-1) + 1)]
    for box, rank in enumerate(ranks):
        rows[rank].append(box)
    layers = Layers(rows, {})
    bends = sum([ranks[target] - ranks[source] - 1 for source, target in edges])
    number = count
    for source, target in edges:
        chain = [source]
        for rank in range(ranks[source] + 1, ranks[target] if bends <= MOST_BENDS else 0):
            rows[rank].append(number)
            chain.append(number)
            number += 1
        chain.append(target)
        layers.chains[source, target] = chain
        for upper, lower in itertools.pairwise(chain):
            layers.to_lower.setdefault(upper, []).append(lower)
            layers.to_upper.setdefault(lower, []).append(upper)
    for box in entered:
        if ranks[box]:  # nothing stands above the others
            rows[ranks[box] - 1].append(number)
            layers.to_lower[number] = [box]
            layers.to_upper.setdefault(box, []).append(number)
            number += 1
    _sort_rows(layers)
    return layers


def _ranks(count: int, edges: Sequence[Edge]) -> list[int]:
    ranks = [0] * count
    first_user = [count] * count
    has_edge, has_source = [False] * count, [False] * count
    for source, target in sorted(edges):
        has_edge[source] = has_edge[target] = has_source[target] = True
    # Sorted by the source: when an edge is read, all edges that lead to its source have been.
    for source, target in sorted(edges):
        ranks[target] = max(ranks[target], ranks[source] + 1)
    for source, target in edges:
        first_user[source] = min(first_user[source], ranks[target])
    lowest = max(ranks, default=0)
    number = 0
    for box in range(count):
        if not has_edge[box]:
            ranks[box] = number // ALONE + (lowest + 1 if lowest else 0)
            number += 1
        elif not has_source[box]:
            ranks[box] = first_user[box] - 1
    return ranks


def _sort_rows(layers: Layers) -> None:
    places: dict[int, float] = {}

    def note(row: list[int]) -> None:
        for place, item in enumerate(row):
            places[item] = place

    for row in layers.rows:
        note(row)
    best, fewest = [list(row) for row in layers.rows], _crossings(layers, places)
    for sweep in range(ORDER_SWEEPS):
        neighbours = layers.to_lower if sweep % 2 else layers.to_upper
        for row in reversed(layers.rows) if sweep % 2 else layers.rows:
            means = {
                item: _mean([places[other] for other in neighbours.get(item, ())], places[item])
                for item in row
            }
            row.sort(key=means.__getitem__)
            note(row)
        crossings = _crossings(layers, places)
        if crossings < fewest:
            best, fewest = [list(row) for row in layers.rows], crossings
        if not fewest:
            break
    layers.rows = best


def _crossings(layers: Layers, places: dict[int, float]) -> int:
    """How many pairs of edges cross: for each row, the pairs of ends below that are in the wrong order."""
    crossings = 0
    for row in layers.rows:
        ends: list[float] = []
        for item in row:
            ends.extend(sorted([places[other] for other in layers.to_lower.get(item, ())]))
        crossings += _inversions(ends)
    return crossings


def _inversions(numbers: list[float]) -> int:
    if len(numbers) < 2:
        return 0
    half = len(numbers) // 2
    left, right = numbers[:half], numbers[half:]
    count = _inversions(left) + _inversions(right)
    left.sort()
    right.sort()
    place = 0
    for number in right:
        while place < len(left) and left[place] <= number:
            place += 1
        count += len(left) - place
    return count


def _mean(numbers: list[float], otherwise: float) -> float:
    return sum(numbers) / len(numbers) if numbers else otherwise


def coordinates(
    layers: Layers, sizes: Sequence[tuple[float, float]]
) -> tuple[dict[int, tuple[float, float]], float, float]:
    """The centre of each item, and width and height of all. ``sizes`` are those of the boxes."""

    def width(item: int) -> float:
        return sizes[item][0] if item < len(sizes) else BEND

    centres: dict[int, float] = {}
    for row in layers.rows:
        x = 0.0
        for item in row:
            centres[item] = x + width(item) / 2
            x += width(item) + COLUMN_GAP
    for sweep in range(PLACE_SWEEPS):
        neighbours = layers.to_lower if sweep % 2 else layers.to_upper
        for row in reversed(layers.rows) if sweep % 2 else layers.rows:
            wanted = [
                _mean([centres[other] for other in neighbours.get(item, ())], centres[item])
                for item in row
            ]
            centres.update(zip(row, _apart(wanted, [width(item) for item in row]), strict=True))
    left = min([centres[item] - width(item) / 2 for row in layers.rows for item in row], default=0)
    right = max([centres[item] + width(item) / 2 for row in layers.rows for item in row], default=0)
    places, y = {}, 0.0
    for row in layers.rows:
        height = max([sizes[item][1] for item in row if item < len(sizes)], default=0)
        for item in row:
            places[item] = (centres[item] - left, y + height / 2)
        y += height + ROW_GAP
    return places, right - left, max(y - ROW_GAP, 0)


def _apart(wanted: list[float], widths: list[float]) -> list[float]:
    """Centres near the wanted ones, so that boxes of these widths do not overlap."""
    gaps = [(first + second) / 2 + COLUMN_GAP for first, second in itertools.pairwise(widths)]
    from_left, from_right = list(wanted), list(wanted)
    for i, gap in enumerate(gaps):
        from_left[i + 1] = max(from_left[i + 1], from_left[i] + gap)
    for i in range(len(gaps) - 1, -1, -1):
        from_right[i] = min(from_right[i], from_right[i + 1] - gaps[i])
    # The mean of two orders without overlaps has none.
    return [(one + other) / 2 for one, other in zip(from_left, from_right, strict=True)]
