"""The table of environment variables, from the docstrings of the modules that read them.

Such a module has a section `Environment variables:`, an entry for each. The page docs/environment.md has a
mark where `tools/site_hooks.py` puts the table.
"""

import re
from pathlib import Path

from tapegrad.framework.docstrings import entries, sections

PACKAGE = Path(__file__).resolve().parent.parent / "src" / "tapegrad"
TITLE = "Environment variables"
MARK = "<!-- environment variables -->"


def described_variables() -> dict[str, str]:
    """Every variable that a module describes, with its description, in the order of the modules' paths."""
    variables = {}
    for path in sorted([*PACKAGE.rglob("*.py"), *PACKAGE.rglob("*.pyx")]):
        docstring = re.match(r'"""(.*?)"""', path.read_text(), re.DOTALL)
        if docstring is not None:
            variables |= dict(entries(sections(docstring[1]).get(TITLE, "")))
    return variables


def table() -> str:
    """The variables as a table in Markdown."""
    rows = [f"| `{name}` | {text} |" for name, text in described_variables().items()]
    # A page is named by its path in the docstrings.
    rows = [re.sub(r"docs/([\w-]+)\.md", r"[\1](\1.md)", row) for row in rows]
    return "\n".join(["| variable | what it sets |", "|---|---|", *rows])
