"""The page of all ops: every op in the registry, its arguments, and whether it has a gradient."""

import tapegrad  # noqa: F401 - says where the ops are
from tapegrad.core import load_ops, registry

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

| op | gradient | inputs | attributes |
|---|---|---|---|
"""


def ops_page() -> str:
    """The text of the page."""
    load_ops()
    # A leading underscore marks helpers of rules, which TensorFlow does not have.
    ops = [op for name, op in sorted(registry.items()) if not name.startswith("_")]
    lines = [
        f"| `{op.type}` | {STATUS[op.differentiable]} | {', '.join(op.inputs)}"
        f" | {', '.join(op.attributes)} |"
        for op in ops
    ]
    counts = {status: sum(op.differentiable == status for op in ops) for status in STATUS}
    summary = (
        f"{len(ops)} ops: {counts['yes']} with a gradient, {counts['no']} declared to have none,"
        f" {counts['missing']} without a rule."
    )
    return HEADING.format(summary=summary) + "\n".join(lines) + "\n"
