"""What help() says of public names: signature and docstring, and of ops what they take and give."""

from __future__ import annotations

import copy
import doctest
import inspect
import pickle
import pydoc
import re
from pathlib import Path
from types import FunctionType
from typing import Any

import pytest

import tapegrad as tf
from tapegrad.core import Function, Op
from tapegrad.names import NAMES

PACKAGE = Path(tf.__file__).parent


def public_functions() -> dict[str, Any]:
    found = {}
    for namespace, modules in NAMES.items():
        module = tf
        for part in namespace.split(".") if namespace else []:
            module = getattr(module, part)
        # To ask for a name of Keras's makes tapegrad stand in for TensorFlow in this process.
        ours = [names for source, names in modules if source != "annex.tensorflow_shim.keras"]
        for entry in " ".join(ours).split():
            name = entry.partition("=")[0]
            value = getattr(module, name)
            if isinstance(value, Op) or inspect.isfunction(value):
                found[f"{namespace}.{name}".removeprefix(".")] = value
    return found


FUNCTIONS = public_functions()
OPS = {name: value for name, value in FUNCTIONS.items() if isinstance(value, Op)}


def test_every_public_function_is_one_kind_of_object() -> None:
    """Two names of a function have the same object; so does the module that defines it, if it names it so."""
    others = [name for name, value in FUNCTIONS.items() if not issubclass(type(value), Function)]
    assert not others, f"no core.Function: {', '.join(others)}"
    assert tf.nest.flatten is tf.compat.v1.nest.flatten
    assert pickle.loads(pickle.dumps(tf.nest.flatten)) is tf.nest.flatten
    assert inspect.getfullargspec(tf.nest.flatten).annotations == {}


# What hides our frames by itself, because no `core.Function` can: module -> why.
HIDING = {
    "annex/extension/extension_type": "constructors of users' classes: their signatures have annotations",
    "annex/tensorflow_shim/program": "runs a program: no call of a public function",
    "annex/raw/raw_ops": "type checkers know a module's __getattr__ without a decorator alone",
    "framework/creators": "tf.Variable(): a call of a class",
    "framework/variable": "tf.Variable.__init__, which another frame would slow down",
    "functions/function": "a call of a tf.function, which another frame would slow down",
    "saving/restored": "a function of a saved model has the annotations that were saved",
    "transforms/reverse": "a transform of a user's function has that one's signature, with its annotations",
}


def test_core_function_alone_hides_our_frames() -> None:
    hiding = {
        path.relative_to(PACKAGE).with_suffix("").as_posix()
        for path in PACKAGE.rglob("*.py")
        if path.parent.name != "core"
        if re.search(r"\bhide\(error\)", path.read_text())
    }
    assert hiding == {*HIDING}


def test_help_shows_signature_and_docstring() -> None:
    lacking = []
    for name, function in FUNCTIONS.items():
        shown = pydoc.render_doc(function, renderer=pydoc.plaintext)
        call = f"{function.__name__}{inspect.signature(function)}"
        first_line = (inspect.getdoc(function) or "?").partition("\n")[0]
        # From Python 3.13 on a long signature stands on several lines.
        if "".join(call.split()) not in "".join(shown.split()) or first_line not in shown:
            lacking.append(name)
    assert not lacking, f"help() is silent on {', '.join(lacking)}"


def test_help_says_what_ops_take_and_give() -> None:
    silent = [
        name
        for name, op in OPS.items()
        if not all(section in op.__doc__ for section in ("\n\nArgs:\n", "\n\nReturns:\n"))
    ]
    assert not silent, f"no arguments or result in the help of {', '.join(silent)}"


def test_help_on_one_op() -> None:
    shown = pydoc.render_doc(tf.math.top_k, renderer=pydoc.plaintext).partition("\n\n")[2]
    # Up to Python 3.11 blank lines are indented as well.
    assert "\n".join(line.rstrip() for line in shown.split("\n")) == (
        "top_k(input, k=1, sorted=True, index_type=tf.int32, name=None)\n"
        "    The ``k`` largest elements of each row of ``input``, largest first, and their indices.\n"
        "\n"
        "    >>> values, indices = tf.math.top_k([1.0, 3.0, 2.0], k=2)\n"
        "    >>> values.numpy().tolist(), indices.numpy().tolist()\n"
        "    ([3.0, 2.0], [1, 2])\n"
        "\n"
        "    Of equal elements the one with the lower index comes first.\n"
        "\n"
        "    Differs from TensorFlow: NaN always counts as the largest number, and the elements are "
        "sorted even with\n"
        "    ``sorted=False``.\n"
        "\n"
        "    Args:\n"
        "        input: a tensor of real numbers.\n"
        "        k: 1 if left out.\n"
        "        sorted: True if left out.\n"
        "        index_type: tf.int32 if left out.\n"
        "        name: accepted, and of no effect.\n"
        "\n"
        "    Returns:\n"
        "        A named tuple of tensors: values, indices.\n"
    )


@pytest.mark.parametrize("module", ["elementwise.math", "reduce.reduce"])
def test_doctest_finds_the_examples_of_ops(module: str) -> None:
    """Those written with `elementwise`, and those written with `@op`."""
    source = __import__(f"tapegrad.ops.{module}", fromlist=["*"])
    found = {test.name for test in doctest.DocTestFinder().find(source) if test.examples}
    ops = {
        f"{source.__name__}.{name}"
        for name, value in vars(source).items()
        if isinstance(value, Op)
        and value.__module__ == source.__name__
        and value.__name__ == name
        and ">>>" in value.__doc__
    }
    assert ops
    assert ops <= found


def test_an_op_in_a_class_is_no_method() -> None:
    class Layer:
        activation = tf.tanh

    assert Layer.activation is tf.tanh
    assert Layer().activation is tf.tanh
    assert Layer().activation(0.0) == 0.0


@pytest.mark.parametrize(
    "decorator",
    [
        tf.function,
        tf.function(jit_compile=True),
        tf.custom_gradient,
        tf.recompute_grad,
        tf.autograph.experimental.do_not_convert,
        tf.Module.with_name_scope,
        lambda f: tf.function(tf.custom_gradient(f)),
    ],
)
def test_a_decorated_method_shows_what_its_caller_passes(decorator: Any) -> None:
    """Keras binds arguments to the signature of a model's ``call``, which users decorate."""

    class Model(tf.Module):
        @decorator
        def call(self, x: Any, training: bool = False) -> Any:
            return x

    plain = "(x: 'Any', training: 'bool' = False) -> 'Any'"
    assert str(inspect.signature(Model().call)) == plain
    assert str(inspect.signature(Model.call)) == plain.replace("(x", "(self, x")


def test_ops_are_functions_to_those_who_ask():
    # Keras writes functions into its files by their names, and asks `isinstance` what a function is.
    for op in (tf.nn.relu, tf.tanh, tf.add, tf.nn.elu):
        assert type(op) is Op
        assert isinstance(op, FunctionType)
        assert isinstance(op, Op)
        assert inspect.isfunction(op)
        assert not inspect.iscoroutinefunction(op)
        assert op.__globals__["__name__"] == op.__module__
        assert inspect.signature(op).parameters["name"].default is None
        assert pickle.loads(pickle.dumps(op)) is op
        assert copy.deepcopy(op) is op
