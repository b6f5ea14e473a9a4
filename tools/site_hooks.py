"""What `make docs` adds to the files of docs/: MkDocs calls these functions while it builds the site.

Pages that no file of docs/ holds are made here: the reference, all ops, and the two files of the root folder
that belong to the site's menu. No such page is ever written into docs/. The mention of a public name in code
letters, on any page, becomes a link to its entry in the reference.
"""

import html
import re
from pathlib import Path

import environment
from list_ops import ops_page
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page
from mkdocs.utils import get_relative_url
from reference import Reference, page_of

ROOT = Path(__file__).resolve().parent.parent

# Beginning of a page's path -> weight of its words in a search. Most people look for a guide or a name; why
# something was decided, and when it changed, comes after these.
WEIGHTS = {
    "reference/tf.compat": 0.2,
    "decisions/": 0.05,
    "changelog": 0.05,
    "contributing": 0.5,
    "architecture": 0.5,
    "style": 0.5,
}
WEIGHT_OF_GUIDES = 2

reference = Reference()


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Add the pages of the reference to the menu."""
    namespaces = reference.namespaces()
    older = [name for name in namespaces if name.startswith("compat.v1")]
    sections = {
        "Modules": [name for name in namespaces if name not in older],
        "Modules of TensorFlow 1": older,
    }
    (menu,) = [section["Reference"] for section in config.nav if "Reference" in section]
    for title, names in sections.items():
        menu.append({title: [{f"tf.{name}".rstrip("."): page_of(name)} for name in names]})
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the generated pages."""
    pages = {
        "ops.md": ops_page(),
        **reference.pages(),
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
    """Weigh the page for the search, put in the table of variables, and have sessions coloured as such."""
    path = page.file.src_uri
    weights = (weight for beginning, weight in WEIGHTS.items() if path.startswith(beginning))
    page.meta.setdefault("search", {"boost": next(weights, WEIGHT_OF_GUIDES)})
    if path == "environment.md":
        markdown = markdown.replace(environment.MARK, environment.table())
    return re.sub(r"^```python\n(?=>>> )", "```pycon\n", markdown, flags=re.MULTILINE)


# What has no links put into it, and code.
CODE = re.compile(r"<(a|pre|h[1-6])\b.*?</\1>|<code>([^<]+)</code>", re.DOTALL)


def on_page_content(text: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Let public names lead to their entries."""

    def linked(match: re.Match[str]) -> str:
        target = match[2] and reference.link(html.unescape(match[2]))
        if not target:
            return match[0]
        if "://" not in target:
            path, _, anchor = target.partition("#")
            target = get_relative_url(path.replace(".md", ".html"), page.url) + f"#{anchor}"
        return f'<a href="{target.rstrip("#")}">{match[0]}</a>'

    return CODE.sub(linked, text)
