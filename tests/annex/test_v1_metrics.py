"""`tf.compat.v1.metrics` can be named, and is refused as TensorFlow refuses it."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

import tapegrad as tf
from tapegrad.annex.v1.metrics import ARGUMENTS


@pytest.mark.parametrize("name", ARGUMENTS)
def test_metrics_are_refused(name: str) -> None:
    function: Any = getattr(tf.compat.v1.metrics, name)
    needed = [
        parameter.name
        for parameter in inspect.signature(function).parameters.values()
        if parameter.default is inspect.Parameter.empty
    ]
    arguments = dict.fromkeys(needed, 1.0)
    with pytest.raises(RuntimeError, match=rf"tf\.metrics\.{name} is not supported when eager"):
        function(**arguments)
    with tf.Graph().as_default():
        fed = dict.fromkeys(needed, tf.compat.v1.placeholder(tf.float32, [None]))
        in_graph = getattr(tf.compat.v1.metrics, name)
        with pytest.raises(NotImplementedError, match="assign no variables"):
            in_graph(**fed)
    with pytest.raises(TypeError):
        function(nonsense=1, **arguments)


def test_every_metric_has_a_signature() -> None:
    assert {*dir(tf.compat.v1.metrics)} >= {*ARGUMENTS}
    assert str(inspect.signature(tf.compat.v1.metrics.auc)) == (
        "(labels, predictions, weights=None, num_thresholds=200, metrics_collections=None, "
        "updates_collections=None, curve='ROC', name=None, summation_method='trapezoidal', thresholds=None)"
    )
