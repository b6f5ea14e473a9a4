"""Time against size for each op of the benchmark of ops, ours beside PyTorch's, as pictures for the docs.

    python -m benchmarks.pictures bench.json        writes docs/pictures/ops-*.svg, one for each family

Both axes are logarithmic: sizes from 4 to 4 million, times from 100 ns to 1 s. Solid lines are forward,
dashed ones with the gradient, of float32 and the fewest threads that were timed; each size is a dot.
"""

import json
import math
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.peers import op_data

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "pictures"
COLUMNS = 6
WIDTH, HEIGHT, LEFT, TOP, BOTTOM = 164, 124, 30, 16, 14
LEGEND = 22
COLOURS = {"tapegrad": "#1f6fb4", "pytorch": "#e0762f"}
NAMES = {"tapegrad": "tapegrad", "pytorch": "PyTorch"}
DASHES = {"forward": "", "gradient": ' stroke-dasharray="3 2"'}
LEAST, MOST = -7.0, 0.0  # the logarithms of the times at the ends of the axis
SIZES = {4: "4", 1000: "1k", 100_000: "100k", 4_000_000: "4M"}
TIMES = {-6: "1 µs", -3: "1 ms", 0: "1 s"}

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


def across(size: int) -> float:
    return LEFT + 4 + (math.log10(size) - math.log10(4)) / 6 * (WIDTH - LEFT - 14)


def upward(logarithm: float) -> float:
    return HEIGHT - BOTTOM - (logarithm - LEAST) / (MOST - LEAST) * (HEIGHT - TOP - BOTTOM)


def line_of(line: Mapping[int, float], style: str) -> str:
    points = [(across(size), upward(math.log10(seconds))) for size, seconds in sorted(line.items())]
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    dots = "".join(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="1.3"/>' for x, y in points)
    return f'<g {style}><polyline points="{path}" fill="none"/>{dots}</g>'


def style_of(peer: str, way: str) -> str:
    return f'stroke="{COLOURS[peer]}" fill="{COLOURS[peer]}"{DASHES[way]}'


def panel(name: str, times: Times, number: int) -> str:
    left, top = number % COLUMNS * WIDTH, LEGEND + number // COLUMNS * HEIGHT
    right = WIDTH - 6
    parts = [
        f'<text x="{LEFT}" y="{TOP - 4}">{name}</text>',
        f'<rect x="{LEFT}" y="{TOP}" width="{right - LEFT}" height="{HEIGHT - TOP - BOTTOM}" class="f"/>',
    ]
    for logarithm, label in TIMES.items():
        y = upward(logarithm)
        parts.append(f'<path d="M{LEFT} {y:.1f}H{right}" class="g"/>')
        parts.append(
            f'<text x="{LEFT - 2}" y="{y + 3:.1f}" class="l" text-anchor="end">{label}</text>'
        )
    for size, label in SIZES.items():
        x = across(size)
        parts.append(
            f'<text x="{x:.1f}" y="{HEIGHT - 5}" class="l" text-anchor="middle">{label}</text>'
        )
    parts += [line_of(line, style_of(peer, way)) for (peer, way), line in times.items()]
    return f'<g transform="translate({left},{top})">{"".join(parts)}</g>'


def legend() -> str:
    parts = []
    for i, (peer, way) in enumerate((peer, way) for peer in COLOURS for way in DASHES):
        x = LEFT + i * 190
        words = NAMES[peer] + (", forward" if way == "forward" else ", with the gradient")
        parts.append(f'<path d="M{x} 10h26" {style_of(peer, way)}/>')
        parts.append(f'<text x="{x + 32}" y="13">{words}</text>')
    return "".join(parts)


def picture(names: Sequence[str], found: Mapping[str, Times]) -> str:
    present = [name for name in names if name in found]
    rows = -(-len(present) // COLUMNS)
    panels = "\n".join(panel(name, found[name], i) for i, name in enumerate(present))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {COLUMNS * WIDTH} {LEGEND + rows * HEIGHT}">\n'
        "<style>text{font:10px sans-serif;fill:#444}.l{font-size:8px}.f{fill:#fff;stroke:#ccc}"
        ".g{stroke:#e4e4e4;fill:none}</style>\n"
        f"{legend()}\n{panels}\n</svg>\n"
    )


def main() -> None:
    results = json.loads(Path(sys.argv[1]).read_text())
    fewest = min(
        (part for part in results["ops"] if part.startswith("threads_")),
        key=lambda part: int(part.removeprefix("threads_")),
    )
    found = times_of(results["ops"][fewest])
    for family, ops in op_data.FAMILIES.items():
        (FOLDER / f"ops-{family}.svg").write_text(picture(list(ops), found))


if __name__ == "__main__":
    main()
