"""`core.Function`: what it is to those who ask, who is asked before it runs, and which body runs."""

from __future__ import annotations

import ast
import copy
import doctest
import inspect
import pickle
import pydoc
import sys
import traceback
from collections.abc import Iterator
from pathlib import Path
from types import FunctionType, MethodType
from typing import Any

import pytest

import tapegrad as tf
from tapegrad.core import Function, Op, Renamed, function, promote_by, public
from tapegrad.core.compositions import Composition
from tapegrad.ops.shape import joining

KINDS = {
    "plain": (tf.concat, Function),
    "replayed": (tf.image.psnr, Composition),
    "op": (tf.tanh, Op),
    "raw": (tf.raw_ops.MatMul, Renamed),
    "old": (tf.compat.v1.reduce_sum, Function),
}


@public
def doubled(x: Any, *others: Any, by: float = 2.0, name: str | None = None) -> Any:
    """``x`` by 2.

    >>> 1 + 1
    2
    """
    return x * by


class Held:
    """A value that has an override."""


@pytest.mark.parametrize("name", KINDS)
def test_a_public_function_is_a_function_to_those_who_ask(name: str) -> None:
    found, kind = KINDS[name]
    assert type(found) is kind
    assert isinstance(found, Function)
    assert isinstance(found, FunctionType)
    assert inspect.isfunction(found)
    assert not inspect.iscoroutinefunction(found)
    assert callable(found)
    assert found.__name__ in repr(found)
    assert found.__module__.startswith("tapegrad.")
    assert copy.copy(found) is found
    assert copy.deepcopy([found])[0] is found
    assert inspect.getfullargspec(found).annotations == {}
    assert found.__name__ in pydoc.render_doc(found, renderer=pydoc.plaintext)


@pytest.mark.parametrize("name", ["plain", "replayed", "op"])
def test_a_public_function_is_pickled_by_its_name(name: str) -> None:
    found, _ = KINDS[name]
    assert pickle.loads(pickle.dumps(found)) is found
    assert pickle.loads(pickle.dumps({found: [found]})) == {found: [found]}


def test_signature_source_and_documentation_are_those_of_the_body() -> None:
    assert str(inspect.signature(doubled)) == "(x, *others, by=2.0, name=None)"
    assert doubled.__annotations__ == {}
    spec = inspect.getfullargspec(doubled)
    assert (spec.args, spec.varargs, spec.kwonlydefaults) == (
        ["x"],
        "others",
        {"by": 2.0, "name": None},
    )
    assert "return x * by" in inspect.getsource(doubled)
    assert inspect.getdoc(doubled).startswith("``x`` by 2.")
    assert inspect.unwrap(doubled) is doubled
    assert doubled.__kwdefaults__ == {"by": 2.0, "name": None}
    with pytest.raises(AttributeError, match="nothing"):
        doubled.nothing  # noqa: B018
    with pytest.raises(TypeError, match=r"doubled\(\) missing 1 required positional argument"):
        doubled()
    with pytest.raises(TypeError, match="unexpected keyword argument 'z'"):
        doubled(1, z=2)


def test_doctest_finds_the_examples() -> None:
    tests = doctest.DocTestFinder().find(sys.modules[__name__])
    (test,) = [test for test in tests if test.name.endswith(".doubled")]
    assert len(test.examples) == 1
    assert test.lineno == doubled.__code__.co_firstlineno - 1 + 2


def test_as_an_attribute_of_a_class_it_is_a_method_as_functions_are() -> None:
    class Layer:
        def __mul__(self, by: float) -> float:
            return 10 * by

        twice = doubled
        of_class = classmethod(doubled)
        static = staticmethod(doubled)

    assert Layer().twice() == 20
    assert type(Layer().twice) is MethodType
    assert Layer.twice is doubled
    assert Layer().static(3) == 6
    assert Layer.of_class.__func__ is doubled
    assert Layer().twice.__self__.__class__ is Layer


def test_the_one_object_is_what_this_package_calls() -> None:
    assert joining.concat is tf.concat
    assert tf.compat.v1.concat is not tf.concat or type(tf.compat.v1.concat) is Function


def test_errors_show_the_users_line_alone() -> None:
    with pytest.raises(ValueError, match="axis") as raised:
        tf.unstack(tf.constant(1.0), axis=7)
    assert raised.value is not None
    tf.debugging.enable_traceback_filtering()
    try:
        tf.concat([[1.0], [[2.0]]], 0)
    except Exception as error:
        lines = traceback.extract_tb(error.__traceback__)
    assert [Path(line.filename).name for line in lines] == [Path(__file__).name]


def test_an_override_is_chosen_by_the_classes_of_arguments_before_the_body_runs() -> None:
    calls: list[Any] = []

    @public
    def measured(x: Any, *others: Any, **named: Any) -> str:
        calls.append(x)
        return "body"

    def override(body: Any, *args: Any, **named: Any) -> tuple[Any, ...]:
        return (body.__name__, args, named)

    held = Held()
    measured.override(Held, override)
    assert measured(1) == "body"
    assert measured(held, 2, a=3) == ("measured", (held, 2), {"a": 3})
    assert measured(1, [(2, [held])]) == ("measured", (1, [(2, [held])]), {})
    assert measured(1, a=held) == ("measured", (1,), {"a": held})
    assert calls == [1]
    itself: list[Any] = []
    itself.append(itself)
    assert measured(itself) == "body"

    class Heir(Held):
        """Has no override."""

    assert measured(Heir()) == "body"


def test_an_override_of_a_replayed_function_leaves_its_replays() -> None:
    from tapegrad.core.compositions import composition

    @composition
    def plus(x: Any, y: Any) -> Any:
        return x + y

    plus.override(Held, lambda body, *args: "held")
    assert plus(1.0, Held()) == "held"
    x = tf.constant(2.0)
    assert [plus(x, 1.0).numpy() for _ in range(20)] == [3.0] * 20
    assert plus.replays() > 0


@pytest.fixture
def no_promotion() -> Iterator[None]:
    yield
    promote_by(None)


def test_a_hook_is_asked_before_functions_ops_and_operators(no_promotion: None) -> None:
    asked: list[str] = []

    def answer(function: Any, args: Any, named: Any) -> Any:
        asked.append(function.__name__)
        return "hook" if function is doubled else NotImplemented

    x = tf.constant(1.0)
    promote_by(answer)
    results = doubled(x), tf.tanh(x), -x, doubled.call_body(3)
    promote_by(None)
    assert results[0] == "hook"
    assert results[3] == 6
    assert asked[:3] == ["doubled", "tanh", "negative"]
    assert doubled(3) == 6


def test_a_graph_is_asked_by_functions_that_compute_alone() -> None:
    @public(computes=False)
    def described(x: Any) -> str:
        return type(x).__name__

    @public
    def shaped(x: Any) -> Any:
        return tf.zeros([x.shape[0], 2])

    with tf.Graph().as_default():
        x = tf.compat.v1.placeholder(tf.float32, [None])
        assert described(x) == "SymbolicTensor"
        assert shaped(x).shape.as_list() == [None, 2]
        assert shaped(tf.ones([3])).numpy().shape == (3, 2)


# --- Nothing is patched ---------------------------------------------------------------------------------


def patches(tree: ast.AST) -> Iterator[int]:
    """The lines that replace the code of a function, or the class of a module."""
    for node in ast.walk(tree):
        targets = node.targets if isinstance(node, ast.Assign) else []
        if isinstance(node, (ast.AugAssign, ast.AnnAssign)):
            targets = [node.target]
        for target in targets:
            for part in ast.walk(target):
                if isinstance(part, ast.Attribute) and part.attr in ("__code__", "__class__"):
                    yield node.lineno
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "setattr":
            words = {part.value for part in node.args if isinstance(part, ast.Constant)}
            if words & {"__code__", "__class__"}:
                yield node.lineno


def test_what_counts_as_a_patch() -> None:
    text = "f.__code__ = g\nsys.modules[name].__class__ = Kind\nsetattr(f, '__code__', c)\nx = f.__code__"
    assert sorted(patches(ast.parse(text))) == [1, 2, 3]


def test_no_code_is_replaced_and_no_module_changes_its_class() -> None:
    package = Path(function.__file__).parents[1]
    found = [
        f"{path.relative_to(package)}:{line}"
        for path in sorted(Path(tf.__file__).parent.rglob("*.py"))
        for line in patches(ast.parse(path.read_text()))
    ]
    assert found == []
