"""The graph of a recording as a picture, for `Function.explain` in notebooks."""

from __future__ import annotations

import html

from tapegrad.core.steps import Path, Step

MOST = 200  # steps that are drawn
VERBS = {"Read": "read", "AssignAdd": "add to", "AssignSub": "subtract from", "Assign": "write"}
WIDTH, HEIGHT, LETTERS = 180, 46, 26  # of a place in the picture, and of its text

COLOURS = {"input": "#d8e7f7", "variable": "#fbe3c0", "guard": "#f7d3d3", "op": "#eeeeee"}


def picture(path: Path) -> str:
    """The steps of a path up to where it branches, as an SVG: what a step reads stands above it."""
    steps = path.steps[:MOST]
    names: list[str] = []
    kinds: list[str] = []
    edges: list[tuple[int, int]] = []
    levels: list[int] = []
    slots: dict[int, int] = {}  # -> the number of the node that makes it
    read = {place for step in steps for place in step.operands if place >= 0}
    produced = {slot for step in steps for slot in step.outputs}
    for slot in sorted(read - produced):
        slots[slot] = len(names)
        names.append(f"argument {slot}: {list(path.info[slot][1])}")
        kinds.append("input")
        levels.append(0)
    for step in steps:
        node = len(names)
        names.append(_name(path, step))
        kinds.append(
            "guard" if step.is_guard else "variable" if step.variable is not None else "op"
        )
        sources = [slots[place] for place in step.operands if place in slots]
        edges.extend([(source, node) for source in dict.fromkeys(sources)])
        levels.append(1 + max([levels[source] for source in sources], default=0))
        slots.update(dict.fromkeys([slot for slot in step.outputs if slot >= 0], node))
    return _drawn(names, kinds, edges, levels, {slots[p] for p in path.outputs if p in slots})


def _name(path: Path, step: Step) -> str:
    shapes = [str(list(path.info[slot][1])) for slot in step.outputs if slot >= 0]
    if step.variable is not None:
        verb = next((verb for word, verb in VERBS.items() if word in step.name), step.name)
        return " ".join([verb, str(step.variable.name).removesuffix(":0"), *shapes])
    return " ".join([step.name.removeprefix("gradient by "), *shapes])


def _drawn(
    names: list[str],
    kinds: list[str],
    edges: list[tuple[int, int]],
    levels: list[int],
    results: set[int],
) -> str:
    columns: dict[int, int] = {}
    places = []
    for level in levels:
        column = columns[level] = columns.get(level, -1) + 1
        places.append((column * WIDTH + WIDTH // 2, level * HEIGHT + HEIGHT // 2))
    wide = WIDTH * (1 + max(columns.values(), default=0))
    high = HEIGHT * (1 + max(levels, default=0))
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{wide}" height="{high}" '
        'font-family="sans-serif" font-size="11" text-anchor="middle">'
    ]
    for source, target in edges:
        (x1, y1), (x2, y2) = places[source], places[target]
        half = HEIGHT // 2  # a line leaves downwards and arrives from above
        parts.append(
            f'<path d="M {x1} {y1} C {x1} {y1 + half * 2}, {x2} {y2 - half * 2}, {x2} {y2}" '
            'fill="none" stroke="#999999"/>'
        )
    for number, (name, kind, (x, y)) in enumerate(zip(names, kinds, places, strict=True)):
        thick = 2 if number in results else 0.5
        short = name if len(name) <= LETTERS else f"{name[: LETTERS - 1]}…"
        parts.append(
            f'<g><title>{html.escape(name)}</title><rect x="{x - WIDTH // 2 + 4}" y="{y - 13}" '
            f'width="{WIDTH - 8}" height="26" rx="5" fill="{COLOURS[kind]}" stroke="#555555" '
            f'stroke-width="{thick}"/><text x="{x}" y="{y + 4}">{html.escape(short)}</text></g>'
        )
    return "".join([*parts, "</svg>"])
