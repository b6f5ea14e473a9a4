"""Names of PyTorch, JAX and NumPy: the error says what to write here, and what it says is there."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import tapegrad as tf
from tapegrad.framework import habits, missing

WRITTEN = re.compile(r"\btf\.([A-Za-z_][\w.]*\w)")


def words_of(table: dict[str, str]) -> list[str]:
    return [name for names in table for name in names.split()]


def answers() -> list[str]:
    return [
        *habits.ATTRIBUTES.values(),
        *habits.NUMPY_METHODS.values(),
        *habits.NAMES.values(),
        *habits.RANDOM.values(),
    ]


def test_what_is_written_instead_is_there() -> None:
    for answer in answers():
        for path in WRITTEN.findall(answer):
            if path.split(".")[0] in ("keras", "losses"):
                continue
            value: Any = tf
            for name in path.split("."):
                value = getattr(value, name)


def test_no_answer_leads_to_the_numpy_like_namespace() -> None:
    for answer in answers():
        assert "experimental.numpy" not in answer


@pytest.mark.parametrize("name", sorted({*words_of(habits.ATTRIBUTES), *habits.NUMPY_METHODS}))
def test_a_tensor_answers(name: str) -> None:
    x = tf.constant([1.0, 2.0])
    if name in ("T", "size", "real", "imag", "cpu"):
        return  # of the array API standard, where they are properties
    with pytest.raises(AttributeError) as caught:
        getattr(x, name)
    answer = habits.attribute_answer(name)
    assert str(caught.value) == f"'EagerTensor' object has no attribute '{name}': {answer}."
    assert not hasattr(x, name)


@pytest.mark.parametrize("name", sorted(words_of(habits.NAMES)))
@pytest.mark.parametrize("namespace", ["", "nn", "math", "linalg"])
def test_a_namespace_answers_unless_the_name_is_there(namespace: str, name: str) -> None:
    module = getattr(tf, namespace) if namespace else tf
    path = f"{namespace}.{name}".lstrip(".")
    if hasattr(module, name) or missing.may_exist(path):
        return
    with pytest.raises(AttributeError) as caught:
        getattr(module, name)
    assert str(caught.value).endswith(f": {habits.name_answer(path)}.")


def test_names_that_are_here_have_no_row() -> None:
    for name in words_of(habits.NAMES):
        assert not hasattr(tf, name), name
    for name in words_of(habits.RANDOM):
        assert not hasattr(tf.random, name), name


ANSWERS = {
    "sum": "use tf.reduce_sum.",
    "mean": "use tf.reduce_mean.",
    "dot": "use tf.tensordot(x, y, 1), or tf.reduce_sum(x * y).",
    "arange": "use tf.range.",
    "grad": "use tf.autodiff.grad.",
    "Dataset": "use tf.data.Dataset.",
}


@pytest.mark.parametrize("name", ANSWERS)
def test_frequent_names(name: str) -> None:
    with pytest.raises(AttributeError, match=re.escape(ANSWERS[name])):
        getattr(tf, name)


@pytest.mark.parametrize(
    "name", "backward cuda detach grad item requires_grad to zero_grad".split()
)
def test_a_variable_answers(name: str) -> None:
    v = tf.Variable(1.0)
    with pytest.raises(AttributeError, match=rf"Variable' object has no attribute '{name}': "):
        getattr(v, name)
    assert name not in dir(v)


def test_a_class_of_ones_own_may_have_such_attributes() -> None:
    class Weight(tf.Variable):
        pass

    weight = Weight(1.0)
    weight.grad = "mine"
    assert weight.grad == "mine"


def test_other_names_are_missing_as_ever() -> None:
    with pytest.raises(AttributeError, match="object has no attribute 'colour'"):
        _ = tf.constant(1.0).colour
    assert not hasattr(tf.constant(1.0), "_keras_mask")


def test_an_attribute_is_taken_away_again() -> None:
    x = tf.constant(1.0)
    x.colour = "red"
    del x.colour
    assert not hasattr(x, "colour")
    with pytest.raises(AttributeError, match="colour"):
        del x.colour
    with pytest.raises(AttributeError):
        del x.shape


def test_an_item_is_not_assigned() -> None:
    x, v = tf.constant([1.0, 2.0]), tf.Variable([1.0, 2.0])
    with pytest.raises(TypeError, match=r"not support item assignment.*tensor_scatter_nd_update"):
        x[0] = 5.0
    with pytest.raises(
        TypeError, match=r"does not support item assignment: write x\[0\].assign\(1\)"
    ):
        v[0] = 5.0
    with pytest.raises(TypeError, match="does not support item deletion"):
        del x[0]
    assert x.numpy().tolist() == v.numpy().tolist() == [1.0, 2.0]
    # What the message says:
    assert tf.tensor_scatter_nd_update(x, [[0]], [1]).numpy().tolist() == [1.0, 2.0]
    v[0].assign(5)
    assert v.numpy().tolist() == [5.0, 2.0]


def test_numpys_functions_still_take_tensors() -> None:
    x = tf.constant([[1.0, 2.0]])
    assert np.sum(x) == 3.0
    assert np.reshape(x, [2]).shape == (2,)
    assert np.mean(x) == 1.5


class Layer(tf.Module):
    def __init__(self) -> None:
        super().__init__()
        self.w = tf.Variable(2.0)


@pytest.mark.parametrize(
    ("sources", "mend"),
    [
        (lambda layer: layer, "not the Layer that has them: pass its .trainable_variables"),
        (lambda layer: [layer], "pass its .trainable_variables"),
        (lambda layer: "w", "not the name 'w': pass the variable itself"),
        (lambda layer: (v for v in layer.variables), "a generator, .* pass list"),
    ],
)
def test_sources_that_hold_variables(sources: Any, mend: str) -> None:
    layer = Layer()
    with tf.GradientTape(persistent=True) as tape:
        y = layer.w * 2.0
    with pytest.raises((TypeError, AttributeError), match=mend):
        tape.gradient(y, sources(layer))
    assert tape.gradient(y, layer.trainable_variables)[0].numpy() == 2.0
