"""Draws docs/pictures/explain.svg: a program whose gradients are None, and what `tape.explain` prints.

    python tools/draw_explanation.py FILE

The program runs, and the picture has its real output. A test compares the file in the repository with what
this draws. The colours are those of the reader's system, dark or light.
"""

import html
import os
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path

import tapegrad

PROGRAM = """\
import tapegrad as tf

x = tf.Variable([1.2, 2.7])
scale = tf.constant(3.0)
with tf.GradientTape() as tape:
    counts = tf.round(x)
    loss = scale * tf.reduce_sum(counts**2)

print(tape.gradient(loss, [x, scale]))
print(tape.explain(loss, [x, scale]))
"""

COLUMNS = 76
CHARACTER = 8.4  # pixels of width, at the size of 14 that the style asks for
LINE = 21
MARGIN = 20

STYLE = """
text { font: 14px Menlo, Consolas, "DejaVu Sans Mono", monospace; white-space: pre; fill: #24292f }
rect { fill: #f6f8fa; stroke: #d0d7de }
.number, .note { fill: #6e7781 }
.cause { fill: #cf222e }
.remedy { fill: #116329; font-weight: bold }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3 }
  rect { fill: #161b22; stroke: #30363d }
  .number, .note { fill: #8b949e }
  .cause { fill: #ff7b72 }
  .remedy { fill: #7ee787 }
}
"""


def output_of(program: str) -> list[str]:
    """What the program prints when it is run as train.py."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "train.py").write_text(program)
        finished = subprocess.run(
            [sys.executable, "train.py"],
            cwd=folder,
            # Also where the package that runs this was named by a relative path.
            env=os.environ | {"PYTHONPATH": str(Path(tapegrad.__file__).resolve().parents[1])},
            capture_output=True,
            text=True,
            check=True,
        )
    return finished.stdout.splitlines()


def styled_lines() -> list[tuple[str, str]]:
    """The lines of the picture: style and text."""
    program = PROGRAM.splitlines()
    lines = [("", f"{number:3}  {line}") for number, line in enumerate(program, start=1)]
    lines += [("", ""), ("number", "$ python train.py")]
    for line in output_of(PROGRAM):
        words = line.strip()
        if words.startswith("write: "):
            style = "remedy"
        elif line.startswith("  ") and not line.startswith("   "):
            style = "cause"
        else:
            style = "note" if line.startswith("    ") else ""
        indent = line[: len(line) - len(words)]
        wrapped = textwrap.wrap(
            line, COLUMNS, initial_indent="", subsequent_indent=f"{indent}   ", drop_whitespace=True
        )
        lines += [(style, part) for part in wrapped]
    return lines


def picture() -> str:
    """The text of the SVG file."""
    lines = styled_lines()
    width, height = COLUMNS * CHARACTER + 2 * MARGIN, len(lines) * LINE + 2 * MARGIN
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height}" role="img">',
        "<title>A program, and why its gradients are None</title>",
        f"<style>{STYLE}</style>",
        f'<rect x="0.5" y="0.5" width="{width - 1:.0f}" height="{height - 1}" rx="6"/>',
    ]
    for row, (style, text) in enumerate(lines):
        if text:
            y = MARGIN + row * LINE + 15
            parts.append(f'<text class="{style}" x="{MARGIN}" y="{y}">{html.escape(text)}</text>')
    return "\n".join([*parts, "</svg>", ""])


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    Path(sys.argv[1]).write_text(picture())
