"""The reference of the site: entries of all public names, links to them, descriptions of arguments."""

from __future__ import annotations

import inspect
import re
import sys
from pathlib import Path

import pytest

from tapegrad.core import Function
from tapegrad.framework.docstrings import documented_arguments

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

from docstrings import in_markdown  # noqa: E402
from reference import Reference  # noqa: E402

# Names that pages mention because TensorFlow has them, and tapegrad has not, or not in the table of names.
NOT_HERE = {
    "tf.__version__",
    "tf.compat.v1.saved_model.simple_save",
    "tf.data.experimental.service",
    "tf.experimental.StructuredTensor",
    "tf.feature_column",
    "tf.gather.overrides",
    "tf.image.decode_jxl",
    "tf.initializers",
    "tf.io.decode_proto",
    "tf.lite.TFLiteConverter",
    "tf.log",
    "tf.losses",
    "tf.math.__name__",
    "tf.metrics",
    "tf.optimizers",
}


@pytest.fixture(scope="module")
def reference() -> Reference:
    return Reference()


@pytest.fixture(scope="module")
def pages(reference: Reference) -> dict[str, str]:
    return reference.pages()


def entry(pages: dict[str, str], name: str) -> str:
    """The text of an entry in the page of `tf`."""
    page = pages["reference/tf.md"]
    _, _, after = page.partition(f"## `tf.{name}` {{ #tf.{name} }}\n")
    return after.partition("\n## ")[0]


@pytest.mark.long
def test_every_link_of_the_reference_leads_to_an_entry(
    reference: Reference, pages: dict[str, str]
) -> None:
    anchors = {
        f"{path}#{anchor}"
        for path, page in pages.items()
        for anchor in re.findall(r"\{ #(\S+) \}$", page, re.MULTILINE)
    }
    assert len(reference.objects) > 3600
    assert not {*reference.places.values()} - anchors
    links = {link for page in pages.values() for link in re.findall(r"\]\((tf[^)]*#[^)]*)\)", page)}
    assert not {f"reference/{link}" for link in links} - anchors


def test_the_entry_of_an_op_has_its_rules(pages: dict[str, str]) -> None:
    text = entry(pages, "multiply")
    assert "Also `tf.math.multiply`" in text
    assert "tf.multiply(x, y, name=None)" in text
    assert ">>> tf.multiply([1.0, 2.0], 3.0)" in text
    assert "- `x`: a tensor of numbers." in text
    assert "**Gradient of the op `Mul`:** has a rule." in text
    assert "x: lambda dy, y: dy * y\ny: lambda dy, x: dy * x" in text
    assert 'href="../../src/tapegrad/ops/elementwise/math.py"' in text


def test_the_entry_of_a_function_has_its_ops(pages: dict[str, str]) -> None:
    text = entry(pages, "gather")
    assert "- `batch_dims`: the number of first axes" in text
    assert "**Gradient:** that of the ops that it runs, among `GatherV2`." in text
    assert "none, on purpose: a tape gives None" in entry(pages, "argmax")


def test_the_entry_of_a_class_has_its_methods(pages: dict[str, str]) -> None:
    text = entry(pages, "GradientTape")
    assert "### `gradient` { #tf.GradientTape.gradient }" in text
    assert "### `watch` {" in text


def test_no_page_has_an_address_of_an_object(pages: dict[str, str]) -> None:
    lines = [line for page in pages.values() for line in page.split("\n") if " at 0x" in line]
    assert not lines


def test_mentions_lead_to_their_entries(reference: Reference) -> None:
    assert reference.link("tf.math.add(x, y)") == "reference/tf.md#tf.add"
    assert reference.link("tape.gradient") == "reference/tf.md#tf.GradientTape.gradient"
    assert reference.link("tf.linalg") == "reference/tf.linalg.md"
    assert reference.link("tf.keras.layers.Dense") == "https://keras.io/api/layers/"
    assert reference.link("x.numpy()") is None


def test_every_name_that_pages_mention_is_there(reference: Reference) -> None:
    mentioned = set()
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]:
        prose = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
        mentioned |= set(re.findall(r"`(tf(?:\.\w+)+)(?:\([^`]*\))?`", prose))
    assert {name for name in mentioned if reference.link(name) is None} == NOT_HERE


def test_functions_describe_their_arguments(reference: Reference) -> None:
    silent = set()
    for name, function in reference.objects.items():
        if reference.main_name(name) == name and isinstance(function, Function):
            parameters = inspect.signature(function).parameters.values()
            names = {one.name for one in parameters if one.kind is not one.VAR_KEYWORD}
            if names - {"name"} - documented_arguments(function.__doc__ or "").keys():
                silent.add(name)
    assert not silent, "describe the arguments of these in a section Args"


def test_a_docstring_becomes_markdown() -> None:
    text = """The ``axis`` of `x`, with a * and <b>.

        >>> tf.abs(-1)
        1

        Args:
            axis, x: two
                lines.

        Returns:
            A tensor.

        Raises:
            ValueError: always.
        """
    assert in_markdown(text).strip().split("\n") == [
        "The `axis` of `x`, with a * and &lt;b\\>.",
        "",
        "```pycon",
        ">>> tf.abs(-1)",
        "1",
        "```",
        "",
        "**Arguments**",
        "",
        "- `axis`, `x`: two lines.",
        "",
        "**Returns:** A tensor.",
        "",
        "**Raises**",
        "",
        "- `ValueError`: always.",
    ]
