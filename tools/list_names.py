"""Writes docs/names.md: every public name, by namespace. A test holds that page and the package equal.

python tools/list_names.py docs/names.md
"""

import sys
from pathlib import Path

from tapegrad.lazy import read_table
from tapegrad.names import NAMES

HEADING = """# Public names

What is public, by namespace: `tf` is `import tapegrad as tf`. Each name is loaded when it is first used.
Written by `tools/list_names.py`; `tests/test_architecture.py` holds it equal to the package.
"""


def page() -> str:
    parts = [HEADING]
    for namespace in sorted(NAMES):
        names = sorted(read_table(NAMES[namespace]), key=str.lower)
        title = f"tf.{namespace}" if namespace else "tf"
        parts.append(f"## {title}\n\n{', '.join(f'`{name}`' for name in names)}\n")
    return "\n".join(parts)


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(page())
