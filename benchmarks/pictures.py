"""Time against size for each op of the benchmark of ops, ours beside PyTorch's, as pictures for the docs.

    python -m benchmarks.pictures bench.json        writes docs/pictures/ops-*.svg, one for each family

Both axes are logarithmic: sizes from 4 to 4 million, times from 100 ns to 10 s. Solid lines are forward,
dashed ones with the gradient, of float32.
"""

import json
import math
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.peers import op_data

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "pictures"
COLUMNS = 8
WIDTH, HEIGHT, MARGIN = 120, 90, 16
COLOURS = {"tapegrad": "#1f6fb4", "pytorch": "#e0762f"}
DASHES = {"forward": "", "gradient": ' stroke-dasharray="3 2"'}
LEAST, MOST = -7.0, 1.0  # the logarithms of the times at the ends of the axis

Times = dict[tuple[str, str], dict[int, float]]


def times_of(rows: Sequence[Mapping[str, Any]]) -> dict[str, Times]:
    """The least times by op, way and size, of float32."""
    found: dict[str, Times] = {}
    for row in rows:
        _, name, size, dtype, way = row["name"].split()
        if dtype == "float32":
            for peer in COLOURS:
                least = row["minimum"].get(peer)
                if least is not None:
                    line = found.setdefault(name, {}).setdefault((peer, way), {})
                    line[int(size)] = least
    return found


def place(size: int, seconds: float) -> str:
    across = (math.log10(size) - math.log10(4)) / 6
    up = (math.log10(seconds) - LEAST) / (MOST - LEAST)
    return f"{4 + across * (WIDTH - 12):.1f},{HEIGHT - 4 - up * (HEIGHT - MARGIN - 6):.1f}"


def panel(name: str, times: Times, number: int) -> str:
    left, top = number % COLUMNS * WIDTH, number // COLUMNS * HEIGHT
    lines = [
        f'<polyline points="{" ".join(place(*point) for point in sorted(line.items()))}" fill="none"'
        f' stroke="{COLOURS[peer]}"{DASHES[way]}/>'
        for (peer, way), line in times.items()
    ]
    frame = (
        f'<rect x="2" y="{MARGIN}" width="{WIDTH - 6}" height="{HEIGHT - MARGIN - 2}" class="f"/>'
    )
    title = f'<text x="3" y="{MARGIN - 4}">{name}</text>'
    return f'<g transform="translate({left},{top})">{frame}{title}{"".join(lines)}</g>'


def picture(names: Sequence[str], found: Mapping[str, Times]) -> str:
    present = [name for name in names if name in found]
    rows = -(-len(present) // COLUMNS)
    panels = "\n".join(panel(name, found[name], i) for i, name in enumerate(present))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {COLUMNS * WIDTH} {rows * HEIGHT}">\n'
        "<style>text{font:10px sans-serif;fill:#444}.f{fill:#fff;stroke:#ccc}</style>\n"
        f"{panels}\n</svg>\n"
    )


def main() -> None:
    results = json.loads(Path(sys.argv[1]).read_text())
    sections = [rows for part, rows in results["ops"].items() if part.startswith("threads_")]
    found = times_of(sections[0])
    for family, ops in op_data.FAMILIES.items():
        (FOLDER / f"ops-{family}.svg").write_text(picture(list(ops), found))


if __name__ == "__main__":
    main()
