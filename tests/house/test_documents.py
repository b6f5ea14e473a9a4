"""The documents' code runs as written: the op of CONTRIBUTING is added to a copy of the tree and asked."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import tapegrad as tf

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

from environment import MARK, described_variables  # noqa: E402


def blocks(document: str, section: str) -> list[str]:
    """The Python blocks of a section of a document."""
    text = (ROOT / document).read_text()
    part = re.split(r"^## ", text, flags=re.MULTILINE)
    (body,) = [each for each in part if each.startswith(section)]
    return re.findall(r"^```python\n(.*?)^```", body, flags=re.MULTILINE | re.DOTALL)


def run(*command: object, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *map(str, command)],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(folder / "src")},
        capture_output=True,
        text=True,
    )


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the tree with the op of CONTRIBUTING in it, as a newcomer types it."""
    folder = tmp_path_factory.mktemp("tree")
    for name in ("tests", "tools", "docs"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("conftest.py", "pyproject.toml"):
        shutil.copy(ROOT / name, folder)
    package = folder / "src" / "tapegrad"
    shutil.copytree(
        Path(tf.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__", "*.so")
    )
    for built in Path(tf.__file__).parent.rglob("*.so"):
        (package / built.relative_to(Path(tf.__file__).parent)).symlink_to(built)
    for source in (ROOT / "src").rglob(
        "*.pyx"
    ):  # of which the compiled modules are made; not installed
        shutil.copy(source, folder / source.relative_to(ROOT))

    op, word, row = blocks("CONTRIBUTING.md", "One op, line by line")
    module = package / "ops" / "nn" / "activations.py"
    source = module.read_text()
    present = word.replace("tanh_shrink ", "")
    assert present in source, (
        "the table PUBLIC of ops/nn/activations.py has changed: write its line into CONTRIBUTING.md"
    )
    module.write_text(source.replace(present, word) + "\n\n" + op)
    samples = folder / "tests" / "samples" / "nn.py"
    first = "        row(tf.nn.softsign),\n"
    assert first in samples.read_text()
    samples.write_text(samples.read_text().replace(first, first + f"        {row.strip()},\n"))
    written = run("tools/write_names.py", "--table", "src/tapegrad/names.py", folder=folder)
    assert written.returncode == 0, written.stderr
    return folder


def test_the_op_of_contributing_is_added(tree: Path) -> None:
    program = (
        "import tapegrad as tf\n"
        "print(tf.nn.tanh_shrink([0.0, 2.0]).numpy().round(3).tolist(), 'tanh_shrink' in dir(tf.nn))\n"
    )
    finished = run("-c", program, folder=tree)
    assert finished.stdout == "[0.0, 1.0360000133514404] True\n", finished.stderr


@pytest.mark.long
def test_its_row_is_asked_everything_and_tensorflows_answer_is_missing(tree: Path) -> None:
    """One run of all files, because to find the tests takes longer than they do."""
    asked = ("gradients", "second_order", "shapes")
    files = [f"tests/table/test_{name}.py" for name in (*asked, "values")]
    finished = run("-m", "pytest", "-q", "-rA", "-k", "tanh_shrink", *files, folder=tree)
    outcomes = re.findall(r"^(PASSED|FAILED|ERROR) (\S+?)::", finished.stdout, re.MULTILINE)
    failed = {file for outcome, file in outcomes if outcome != "PASSED"}
    assert failed == {"tests/table/test_values.py"}, finished.stdout[-3000:]
    passed = {file for outcome, file in outcomes if outcome == "PASSED"}
    assert passed == {f"tests/table/test_{name}.py" for name in asked}
    assert (
        "TensorFlow's answer to nn.tanh_shrink(reals(2, 3))-float32 is missing" in finished.stdout
    )


def test_an_op_of_ones_own_runs_as_written() -> None:
    (code,) = blocks("docs/adding-an-op.md", "An op of your own")
    finished = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert finished.returncode == 0, finished.stderr


def test_the_kernel_of_adding_an_op_runs_as_written() -> None:
    (code,) = blocks("docs/adding-an-op.md", "The kernel")
    program = f"""
import tapegrad as tf
from tapegrad.ops.args import static_axis
from tapegrad.ops.op import ANY, op
from tapegrad.testing import check_gradient
{code}
assert flip([1, 2, 3], axis=-1).numpy().tolist() == [3, 2, 1]
check_gradient(lambda x: flip(x, 0), [[1.0, 2.0], [3.0, 4.0]], order=2)
"""
    finished = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert finished.returncode == 0, finished.stderr


def test_new_ideas_are_in_the_glossary() -> None:
    words = re.findall(
        r"^\| \*\*`?([^*`]+)`?\*\*", (ROOT / "docs/glossary.md").read_text(), re.MULTILINE
    )
    assert {"lane", "program", "plan", "callbacks", "kind", "observer", "pool", "shelf"} <= set(
        words
    )
    assert len(words) == len(set(words))


DECISIONS = ROOT / "docs" / "decisions"
GENERATED = {"changelog.md", "contributing.md", "ops.md"}  # by `make docs`


def prose(document: Path) -> str:
    """A document without its blocks of code."""
    return re.sub(r"^```.*?^```", "", document.read_text(), flags=re.MULTILINE | re.DOTALL)


def sections(document: Path) -> set[str]:
    """The sections of a document, as links name them."""
    return {
        re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", heading, flags=re.ASCII).strip().lower())
        for heading in re.findall(r"^#+ (.*)$", prose(document), re.MULTILINE)
    }


@pytest.mark.parametrize(
    "document",
    [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))],
    ids=lambda path: str(path.relative_to(ROOT)),
)
def test_links_lead_somewhere(document: Path) -> None:
    lost = []
    for target in re.findall(r"\]\(([^)\s]+)\)", prose(document)):
        path, _, section = target.partition("#")
        file = document.parent / path if path else document
        if "://" in target or file.name in GENERATED or file.parent.name == "reference":
            continue
        if not file.exists() or (section and section not in sections(file)):
            lost.append(target)
    assert not lost


def test_every_decision_is_in_the_index_and_in_the_log() -> None:
    rows = re.compile(r"^\| (\d{4}) \|", re.MULTILINE)
    known = set(rows.findall((DECISIONS / "index.md").read_text()))
    assert known == set(rows.findall((DECISIONS / "log.md").read_text()))
    mentioned = set()
    for folder in ("src", "tests", "tools", "benchmarks"):
        for source in (ROOT / folder).rglob("*.*"):
            if source.suffix in (".py", ".pyx", ".pxd", ".h", ".c", ".toml"):
                mentioned |= set(re.findall(r"[Dd]ecisions? (\d{4})\b", source.read_text()))
    assert {"0089", "0114"} <= mentioned <= known


def test_environment_variables_are_described() -> None:
    read = set()
    for source in (ROOT / "src").rglob("*.py*"):
        # In compiled modules such a text is also the C name of something.
        start = {".py": "", ".pyx": r"environ.*"}.get(source.suffix)
        if start is not None:
            read |= set(re.findall(start + r"[\"'](TAPEGRAD_[A-Z_]+)[\"']", source.read_text()))
    ours = {"TAPEGRAD_DISTRIBUTE_STARTED_BY", "TAPEGRAD_DISTRIBUTE_WATCHER"}  # set by us, for us
    assert MARK in (ROOT / "docs" / "environment.md").read_text()
    described = described_variables()
    assert {name for name in described if name.startswith("TAPEGRAD_")} == read - ours
    assert {"OMP_NUM_THREADS", "TF_CONFIG"} <= described.keys()


def test_the_picture_of_the_readme_is_what_explain_prints() -> None:
    program = [sys.executable, ROOT / "tools" / "draw_explanation.py", "/dev/stdout"]
    finished = subprocess.run(program, capture_output=True, text=True)
    assert finished.returncode == 0, finished.stderr
    assert finished.stdout == (ROOT / "docs" / "pictures" / "explain.svg").read_text()


@pytest.mark.parametrize(
    "document",
    [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))],
    ids=lambda path: str(path.relative_to(ROOT)),
)
def test_tables_are_whole(document: Path) -> None:
    """A row after an empty line would appear as text, and cells beyond those of the heading be cut."""
    broken = []
    for table in re.findall(r"(?:^\|.*\n)+", prose(document), re.MULTILINE):
        # A bar in code, as in `a \| b`, is no cell.
        rows = [len(re.findall(r"(?<!\\)\|", line)) for line in table.splitlines()]
        if (
            len(rows) < 2
            or not re.fullmatch(r"[|\s:-]+", table.splitlines()[1])
            or len({*rows}) > 1
        ):
            broken.append(table.splitlines()[0])
    assert not broken


def test_every_page_is_in_the_menu() -> None:
    """`make docs` refuses a page that is in no menu, and `make test` does not run it."""
    menu = set(re.findall(r"([\w/-]+\.md)$", (ROOT / "mkdocs.yml").read_text(), re.MULTILINE))
    docs = ROOT / "docs"
    pages = {path.relative_to(docs).as_posix() for path in docs.rglob("*.md")}
    assert menu - {*GENERATED, "reference/index.md"} == pages
