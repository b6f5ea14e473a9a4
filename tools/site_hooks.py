"""What `make docs` adds to the files of docs/: MkDocs calls these functions while it builds the site.

Pages that no file of docs/ holds are made here: all ops, the public names, and the two files of the root
folder that belong to the site's menu. No such page is ever written into docs/.
"""

import re
from pathlib import Path

from list_ops import ops_page
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page
from write_names import names_page, public_names

ROOT = Path(__file__).resolve().parent.parent

# Beginning of a page's path -> weight of its words in a search. Most people look for a guide or a name; why
# something was decided, and when it changed, comes after these.
WEIGHTS = {
    "decisions/": 0.2,
    "changelog": 0.2,
    "contributing": 0.5,
    "architecture": 0.5,
    "style": 0.5,
}
WEIGHT_OF_GUIDES = 2


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the generated pages."""
    pages = {
        "ops.md": ops_page(),
        "names.md": names_page(public_names()),
        "changelog.md": from_root_folder("CHANGELOG.md"),
        "contributing.md": from_root_folder("CONTRIBUTING.md"),
    }
    for path, text in pages.items():
        files.append(File.generated(config, path, content=text))
    return files


def from_root_folder(name: str) -> str:
    """The text of a file in the root folder, with its links as seen from docs/. The README is no page."""
    text = re.sub(r"\[([^\]]*)\]\(README\.md[^)]*\)", r"\1", (ROOT / name).read_text())
    return re.sub(r"\]\(docs/", "](", text)


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Weigh the page for the search, and have its sessions coloured as sessions."""
    path = page.file.src_uri
    weights = (weight for beginning, weight in WEIGHTS.items() if path.startswith(beginning))
    page.meta.setdefault("search", {"boost": next(weights, WEIGHT_OF_GUIDES)})
    return re.sub(r"^```python\n(?=>>> )", "```pycon\n", markdown, flags=re.MULTILINE)
