"""Writes docs/ops.md: every op in the registry, its arguments, and whether it has a gradient.

python tools/list_ops.py docs/ops.md
"""

import sys
from pathlib import Path

import tapegrad  # noqa: F401 - says where the ops are
from tapegrad.core import Op, load_ops, registry

STATUS = {
    "yes": "yes",
    "no": "none, on purpose",
    "missing": "missing: raises LookupError",
}

HEADING = """# All ops

Every op that the tape can meet, by TensorFlow's type name: the names of `tf.raw_ops` and of
`RegisterGradient`. Functions that are made of several ops have no line of their own. *Gradient* says
what happens when one must pass: the op has a rule, it is declared to have none (and gives `None`), or
nothing was said, and a `LookupError` names the op.

{summary}

| op | inputs | attributes | gradient |
|---|---|---|---|
"""


def page(ops: list[Op]) -> str:
    lines = [
        f"| `{op.type}` | {', '.join(op.inputs)} | {', '.join(op.attributes)}"
        f" | {STATUS[op.differentiable]} |"
        for op in ops
    ]
    counts = {status: sum(op.differentiable == status for op in ops) for status in STATUS}
    summary = (
        f"{len(ops)} ops: {counts['yes']} with a gradient, {counts['no']} declared to have none,"
        f" {counts['missing']} without a rule."
    )
    return HEADING.format(summary=summary) + "\n".join(lines) + "\n"


def main() -> None:
    load_ops()
    # A leading underscore marks helpers of rules, which TensorFlow does not have.
    public = [op for name, op in sorted(registry.items()) if not name.startswith("_")]
    Path(sys.argv[1]).write_text(page(public))


if __name__ == "__main__":
    main()
