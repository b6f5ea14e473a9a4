"""`tf.compat.v1.make_template`: calls of a function that share the variables of its first call."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import tapegrad as tf

v1 = tf.compat.v1


def scaled(x: Any, factor: float = 1.0) -> Any:
    return x * v1.get_variable("w", [], initializer=v1.ones_initializer()) * factor


def names(template: Any) -> list[str]:
    return [variable.name for variable in template.variables]


def test_calls_share_variables_and_templates_do_not() -> None:
    first, second = v1.make_template("layer", scaled), v1.make_template("layer", scaled)
    assert first.variables == []
    assert first.variable_scope_name is None
    assert (float(first(2.0)), float(second(3.0))) == (2.0, 3.0)
    first.variables[0].assign(5.0)
    assert (float(first(2.0)), float(second(3.0))) == (10.0, 3.0)
    assert len(first.variables) == len(second.variables) == 1
    assert first.variable_scope_name == f"{first.variable_scope.name}/"
    assert names(first)[0].startswith("layer")
    assert names(first) != names(second)
    assert (first.name, first.func) == ("layer", scaled)


def test_the_name_is_chosen_where_the_first_call_is() -> None:
    late, early = v1.make_template("late", scaled), v1.make_template("early", scaled, True)
    with v1.variable_scope("outside"):
        late(1.0)
        early(1.0)
    assert names(late) == ["outside/late/w:0"]
    assert names(early) == ["early/w:0"]
    with v1.variable_scope("elsewhere"):
        late(1.0)
    assert len(late.variables) == 1


def test_gradients_reach_the_variables_of_templates_within_templates() -> None:
    inner = v1.make_template("inner", scaled)
    outer = v1.make_template("outer", lambda x: inner(x) + scaled(x, 3.0))
    with tf.GradientTape() as tape:
        y = outer(2.0) + outer(2.0)
    assert names(outer) == ["outer/inner/w:0", "outer/w:0"]
    assert [float(part) for part in tape.gradient(y, outer.trainable_variables)] == [4.0, 12.0]


def test_a_template_that_calls_itself() -> None:
    def halved(x: float) -> Any:
        return scaled(x) if x < 1 else template(x / 2)

    template = v1.make_template("halved", halved)
    assert float(template(3.0)) == 0.75
    assert names(template) == ["halved/w:0"]


def test_trainable_and_other_variables() -> None:
    def both() -> None:
        v1.get_variable("kept", [], trainable=False)
        v1.get_variable("trained", [])

    template = v1.make_template("both", both)
    template()
    assert [v.name for v in template.non_trainable_variables] == ["both/kept:0"]
    assert [v.name for v in template.trainable_weights] == ["both/trained:0"]
    assert len(template.weights) == len(template.global_variables) == 2
    assert template.local_variables == []


def test_arguments_and_getters() -> None:
    made = []

    def getter(make: Any, name: str, *args: Any, **kwargs: Any) -> Any:
        made.append(name)
        return make(name, *args, **kwargs)

    template = v1.make_template("got", scaled, custom_getter_=getter, factor=10.0)
    assert float(template(2.0)) == float(template(2.0)) == 20.0
    assert made == ["got/w", "got/w"]
    assert len(template.variables) == 1


def test_a_recorded_function_trains_a_template() -> None:
    template = v1.make_template("trained", scaled)
    template(1.0)

    @tf.function
    def step(x: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = (template(x) - 3.0) ** 2
        (slope,) = tape.gradient(loss, template.trainable_variables)
        template.variables[0].assign_sub(0.1 * slope)
        return loss

    losses = [float(step(tf.constant(1.0))) for _ in range(5)]
    assert losses == sorted(losses, reverse=True)
    assert len(template.variables) == 1


def test_checkpoints_restore_variables_that_a_first_call_makes(tmp_path: Path) -> None:
    inner = v1.make_template("inner", scaled)
    outer = v1.make_template("outer", lambda x: inner(x) + scaled(x))
    outer(1.0)
    for variable, value in zip(outer.variables, (5.0, 7.0), strict=True):
        variable.assign(value)
    path = tf.train.Checkpoint(model=outer).save(tmp_path / "checkpoint")
    keys = [key for key, _ in tf.train.list_variables(path) if "model" in key]
    assert keys == [f"model/{part}/.ATTRIBUTES/VARIABLE_VALUE" for part in ("inner/w", "w")]
    inner = v1.make_template("inner", scaled)
    again = v1.make_template("outer", lambda x: inner(x) + scaled(x))
    tf.train.Checkpoint(model=again).restore(path)
    assert float(again(1.0)) == 12.0


def test_what_a_template_refuses() -> None:
    counted = iter(range(9))
    template = v1.make_template("more", lambda: v1.get_variable(f"w{next(counted)}", []))
    template()
    with pytest.raises(ValueError, match=r"template 'more' made .*/w1:0 after its first call"):
        template()
    shaped = v1.make_template("shaped", lambda size: v1.get_variable("w", [size]))
    assert shaped(2).shape == (2,)
    with pytest.raises(ValueError, match=r"share .*shape \(3,\) and found shape \(2,\)"):
        shaped(3)
    with pytest.raises(ValueError, match="name cannot be None"):
        v1.make_template(None, scaled)
    with pytest.raises(ValueError, match="unique_name_ cannot be used"):
        v1.make_template("name", scaled, unique_name_="whole")
