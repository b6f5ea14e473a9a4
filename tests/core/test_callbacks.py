"""The functions that the core asks of higher layers: one record, filled whole, in one module."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import tapegrad as tf
from tapegrad import core
from tapegrad.core import Callbacks
from tapegrad.core.callbacks import names
from tapegrad.core.operators import SELDOM, SLOT_NAMES
from tapegrad.names import NAMES

PACKAGE = Path(tf.__file__).parent


def filled() -> dict[str, Any]:
    return {name: getattr(core.callbacks(), name) for name in names()}


def test_every_part_is_filled():
    parts = filled()
    operators, variables = parts.pop("operators"), parts.pop("variables")
    assert all(isinstance(kind, type) for kind in parts.pop("immutable"))
    assert len(parts) >= 40
    assert [name for name, function in parts.items() if not callable(function)] == []
    assert variables.assign.effect == "writes resource"
    assert set(operators) == {*SLOT_NAMES, *SELDOM}
    for function in operators.values():
        assert all(map(callable, function if isinstance(function, tuple) else (function,)))


def test_a_wrong_or_missing_name_is_refused():
    parts = filled()
    with pytest.raises(TypeError, match=r"and not for \['convertt'\]"):
        Callbacks(**parts, convertt=print)
    with pytest.raises(TypeError, match=r"asks for \['convert'\] too"):
        Callbacks(**{name: part for name, part in parts.items() if name != "convert"})
    with pytest.raises(TypeError, match="'convert', which is None"):
        Callbacks(**{**parts, "convert": None})
    with pytest.raises(AttributeError):
        core.callbacks().convertt = print
    with pytest.raises(ValueError, match="the operators of tensors are"):
        core.fill_callbacks(Callbacks(**{**parts, "operators": {"add": tf.add}}))


def test_one_module_fills_it():
    calls = ("fill_callbacks(", "set_callbacks(")
    found = {
        str(path.relative_to(PACKAGE))
        for path in PACKAGE.rglob("*.py")
        if any(call in path.read_text() for call in calls)
    }
    # NumPy's behaviour, which a program may switch on, is other functions behind the operators.
    assert found == {"callbacks.py", "annex/numpy_like/behavior.py"}


def test_the_layers_below_the_ops_look_up_none():
    found = [
        str(path.relative_to(PACKAGE))
        for folder in ("framework", "autodiff")
        for path in (PACKAGE / folder).rglob("*.py")
        if 'registry["' in path.read_text()
    ]
    assert found == []


EACH_FIRST = """
import os, sys
import tapegrad
from importlib import import_module
for name in {modules!r}:
    child = os.fork()
    if not child:
        try:
            import_module(name)
            (tapegrad.constant(1.0) + 1).numpy()
        except BaseException as error:
            print(name, repr(error), flush=True)
        os._exit(0)
    os.waitpid(child, 0)
"""


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="it forks")
def test_any_module_may_be_the_first() -> None:
    modules = sorted({f"tapegrad.{module}" for entries in NAMES.values() for module, _ in entries})
    finished = subprocess.run(
        [sys.executable, "-c", EACH_FIRST.format(modules=[*modules, "tapegrad.callbacks"])],
        capture_output=True,
        text=True,
        check=True,
    )
    assert finished.stdout == ""


def test_the_core_alone_says_what_to_import() -> None:
    code = (
        "from tapegrad.core.callbacks import set_loader, callbacks\nset_loader(None)\ncallbacks()"
    )
    finished = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "import tapegrad, not tapegrad.core" in finished.stderr
