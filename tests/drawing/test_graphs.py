"""`tape.graph` and `tf.function(f).graph`: what they show, as text, DOT, SVG and a page."""

from __future__ import annotations

import json
import re
import time
import xml.etree.ElementTree as xml
from pathlib import Path
from typing import Any

import pytest

import tapegrad as tf
from tapegrad.drawing.dataflow import DataflowGraph, DataflowNode


class Dense(tf.Module):
    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.weight = tf.Variable(tf.ones([inputs, outputs]), name="weight")

    def __call__(self, x: Any) -> Any:
        return tf.nn.relu(x @ self.weight)


class Network(tf.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = [Dense(2, 3), Dense(3, 1)]

    def __call__(self, x: Any) -> Any:
        for layer in self.layers:
            x = layer(x)
        return x


def labels(graph: Any) -> list[str]:
    return [node.label for node in graph.nodes]


def edges(graph: Any) -> set[tuple[str, str]]:
    names = labels(graph)
    return {(names[source], names[target]) for source, target in graph.edges}


def pairs(graph: Any, numbers: Any) -> set[tuple[str, str]]:
    names = labels(graph)
    return {(names[source], names[target]) for source, target in numbers}


def data_of(page: str) -> Any:
    match = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    assert match is not None
    return json.loads(match[1])


def test_nodes_and_edges_of_a_tape() -> None:
    w = tf.Variable([[1.0], [2.0]], name="w")
    x = tf.constant([[3.0, 4.0]])
    with tf.GradientTape() as tape:
        tape.watch(x)
        loss = tf.reduce_sum(x @ w * 2.0)
    graph = tape.graph()
    assert labels(graph) == ["MatMul", "Mul", "Sum", "w", "watched tensor", "2.0"]
    assert [node.kind for node in graph.nodes] == [
        "op", "op", "op", "variable", "input", "constant"
    ]  # fmt: skip
    assert edges(graph) == {
        ("w", "MatMul"),
        ("watched tensor", "MatMul"),
        ("MatMul", "Mul"),
        ("2.0", "Mul"),
        ("Mul", "Sum"),
    }
    assert [node.result for node in graph.nodes][:4] == [
        "float32 (1, 1)", "float32 (1, 1)", "float32 ()", "float32 (2, 1)"
    ]  # fmt: skip
    assert graph.nodes[3].details == {"values": "1 to 2, mean 1.5"}
    assert str(graph) == "A tape: 3 ops, 1 variable, 1 input, 1 constant\n  MatMul, Mul, Sum"
    assert tape.gradient(loss, w) is not None  # the question has changed nothing


def test_a_path_is_lit() -> None:
    x, other = tf.Variable(2.0, name="x"), tf.Variable(3.0, name="other")
    with tf.GradientTape() as tape:
        y = tf.exp(x) + tf.sin(other)
        tf.cos(x)
    graph = tape.graph(y, x)
    assert pairs(graph, graph.lit) == {("x", "Exp"), ("Exp", "AddV2")}
    assert not graph.ends
    assert graph.text.splitlines()[0] == "The gradient of y by"
    assert str(graph).endswith(graph.text)


def test_the_op_that_ends_a_gradient_is_red() -> None:
    x = tf.Variable([1.2, 2.7], name="x")
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.round(x * 2.0) * x)
    graph = tape.graph(tf.reduce_sum(tf.round(x)), x)
    assert not graph.lit
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.round(x * 2.0))
    graph = tape.graph(loss, x)
    assert pairs(graph, graph.ends) == {("Mul", "Round")}
    assert pairs(graph, graph.lit) == {("x", "Mul"), ("Round", "Sum")}
    (red,) = [node for node in graph.nodes if node.reason]
    assert red.label == "Round"
    assert red.reason.startswith("the op Round gives no gradient")
    assert 'class="node end end"' in graph.svg()
    assert "#cf222e" in graph.dot()


def test_a_value_that_left_through_numpy_ends_there() -> None:
    x = tf.Variable(2.0, name="x")
    with tf.GradientTape() as tape:
        y = tf.exp(x)
        z = tf.constant(y.numpy()) * 2.0
    graph = tape.graph(z, x)
    assert ("Exp", ".numpy()") in pairs(graph, graph.ends)


def test_a_source_that_is_not_watched_is_red() -> None:
    x, w = tf.constant(2.0), tf.Variable(1.0, name="w")
    with tf.GradientTape() as tape:
        y = x * w
    graph = tape.graph(y, x)
    (red,) = [node for node in graph.nodes if node.reason]
    assert red.label == "x"
    assert "write: tape.watch(x)" in red.reason


def test_a_tape_that_is_used_up_shows_what_is_left() -> None:
    x, w = tf.Variable(2.0), tf.Variable(1.0)
    with tf.GradientTape() as tape:
        y = tf.exp(x)
    assert tape.gradient(y, w) is None
    assert labels(tape.graph(y, x))[0] == "Exp"
    with tf.GradientTape() as tape:
        y = tf.exp(x)
    tape.gradient(y, x)
    assert "let go of its records" in str(tape.graph())
    assert len(tf.GradientTape().graph().nodes) == 0


def test_target_and_sources_come_together() -> None:
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = tf.exp(x)
    with pytest.raises(ValueError, match="a target and its sources, or neither"):
        tape.graph(y)


def test_modules_are_groups_if_the_tape_notes_lines() -> None:
    network = Network()
    with tf.GradientTape(lines=True) as tape:
        tf.reduce_sum(network(tf.ones([4, 2])))
    graph = tape.graph()
    assert [node.modules for node in graph.nodes if node.kind == "op"] == [
        ("network", "layers[0]"),
        ("network", "layers[0]"),
        ("network", "layers[1]"),
        ("network", "layers[1]"),
        (),
    ]
    assert graph.foldings == ("modules", "order")
    assert "  network/layers[1]: MatMul, Relu" in str(graph).splitlines()
    assert all(node.where is not None for node in graph.nodes if node.kind == "op")
    assert "subgraph cluster_1" in graph.dot()


def test_name_scopes_are_groups() -> None:
    x = tf.Variable(2.0)
    with tf.name_scope("outer"), tf.GradientTape() as tape:
        y = tf.exp(x)
        with tf.name_scope("inner"):
            y = tf.sin(y)
        tf.cos(y)
    assert [node.name_scope for node in tape.graph().nodes if node.kind == "op"] == [
        ("outer",), ("outer", "inner"), ("outer",)
    ]  # fmt: skip


def test_a_recording() -> None:
    w = tf.Variable(tf.ones([2, 1]), name="w")

    @tf.function
    def step(x: Any) -> Any:
        with tf.name_scope("forward"), tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.square(x @ w))
        w.assign_sub(tape.gradient(loss, w))
        return loss

    with pytest.raises(ValueError, match=r"step\(\) has 0 recordings"):
        step.graph()
    step(tf.ones([3, 2]))
    graph = step.graph()
    assert graph.title == "step(float32[3, 2])"
    assert {("w", "MatMul"), ("argument 0", "MatMul"), ("w", "subtract from w")} <= edges(graph)
    assert [node.label for node in graph.nodes if node.name_scope] == ["MatMul", "Square", "Sum"]
    assert "returned" in graph.nodes[labels(graph).index("Sum")].details
    assert "<svg" in step.explain()._repr_html_()


def test_cases_of_a_guard_are_groups() -> None:
    @tf.function
    def clipped(x: Any) -> Any:
        return tf.exp(x) if x > 0 else tf.sin(x)

    for number in (1.0, -1.0):
        clipped(tf.constant(number))
    graph = clipped.graph()
    assert [node.label for node in graph.nodes if node.kind == "guard"] == ["guard: bool is True"]
    assert [node.modules for node in graph.nodes if node.label in ("Exp", "Sin")] == [
        ("where it is False",), ()
    ]  # fmt: skip


def test_names_are_escaped() -> None:
    name = 'a</script><img src=x onerror="alert(1)">'
    x = tf.Variable(1.0)
    with tf.name_scope(name), tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.exp(x) * tf.Variable(1.0, name=name)
    graph = tape.graph(y, x)
    page = graph.html()
    for text in (graph.svg(), page, graph._repr_html_()):
        assert "<img" not in text
    assert page.count("</script>") == 2
    assert any(name in node["label"] for node in data_of(page)["nodes"])
    xml.fromstring(graph.svg())
    assert '\\"alert' not in graph.dot().replace('onerror=\\"alert(1)\\"', "")


def test_characters_that_xml_cannot_have() -> None:
    graph = DataflowGraph(
        "a\x00b", [DataflowNode("\x01\ud800"), DataflowNode("c", where=None)], [(0, 1)]
    )
    xml.fromstring(graph.svg())
    graph.html().encode()
    assert labels(graph) == ["\x01\ud800", "c"]


def test_the_page_loads_nothing(tmp_path: Path) -> None:
    x = tf.Variable(1.0)
    with tf.GradientTape() as tape:
        y = tf.exp(x)
    tape.graph(y, x).page(tmp_path / "graph.html")
    page = (tmp_path / "graph.html").read_text()
    assert page == tape.graph(y, x).html()
    assert not re.search(r"(src|href)=|@import|url\(|fetch\(|XMLHttp", page)
    assert set(re.findall(r"https?://[^\"'< ]+", page)) == {"http://www.w3.org/2000/svg"}


def test_every_node_is_on_a_drawing_of_the_page() -> None:
    network = Network()
    x = tf.Variable(1.0)
    with tf.GradientTape(lines=True) as tape:
        y = tf.reduce_sum(network(tf.ones([4, 2])))
        for _ in range(300):
            y = y * x + 1.0
    page = tape.graph(y, x).html()
    data = data_of(page)
    drawings = dict(re.findall(r'<template id="([^"]*)">(.*?)</template>', page, re.DOTALL))
    for name, folding in data["foldings"].items():
        assert {f"{name} {key}" for key in folding["views"]} <= set(drawings)
        for number in range(len(data["nodes"])):
            home = drawings[f"{name} {folding['homes'][str(number)]}"]
            assert f'data-node="{number}"' in home


def test_a_large_graph_is_folded_and_says_so() -> None:
    x = tf.Variable(1.0, name="x")
    with tf.GradientTape() as tape:
        y = x * 1.0
        for _ in range(5000):
            y = y * 1.0001 + x
    begun = time.perf_counter()
    graph = tape.graph(y, x)
    svg = graph.svg()
    assert len(str(graph).splitlines()) < 40
    assert time.perf_counter() - begun < 60  # some 3 s on one processor of 2020
    assert svg.count("<g class=") < 170
    assert " ops" in svg
    assert re.search(r"\+[\d,]+ edges", svg)
    assert graph.dot().count("\n  n") >= len(graph.edges)
