"""``tf.compat.v1.metrics``, which gather in variables of a graph: they can be named, and are refused.

TensorFlow refuses them in eager code. In a graph it makes an op that assigns variables, and graphs here have
none. Today's metrics are in ``tf.keras.metrics``.
"""

from __future__ import annotations

from collections.abc import Callable
from inspect import Signature
from typing import Any, NoReturn

from tapegrad.annex.spellings import read, section, signature
from tapegrad.core import public
from tapegrad.framework.docstrings import with_arguments
from tapegrad.framework.names import executing_eagerly

# The arguments of each metric, and what they are.
DESCRIPTIONS = {
    "labels": "the right answers: values, truth values or numbers of classes, by the metric.",
    "predictions": "the answers to judge; where classes are ranked, a score for each class.",
    "predictions_idx": "the numbers of the best classes.",
    "values": "the numbers to gather.",
    "weights": "how much an answer or a number counts; None is 1 for all.",
    "num_thresholds": "how many thresholds scores from 0 to 1 are compared with.",
    "thresholds": "the thresholds that scores are compared with.",
    "threshold": "the bound that the numbers are compared with.",
    "k": "how many of the best classes count.",
    "class_id": "the number of the only class that counts; None for all classes.",
    "num_classes": "how many classes there are.",
    "normalizer": "what the error of each answer is divided by.",
    "dim": "the axis of the vectors between which the cosine is taken.",
    "specificity": "the specificity that is asked for, from 0 to 1.",
    "sensitivity": "the sensitivity that is asked for, from 0 to 1.",
    "curve": '"ROC" or "PR": the curve below which the area is.',
    "summation_method": "how the area below the curve is approximated.",
    "metrics_collections": "the collections of the graph for the tensor of the metric.",
    "updates_collections": "the collections of the graph for the op that gathers.",
}
ARGUMENTS = {path.removeprefix("metrics."): takes for path, takes in section("metrics")}


def __getattr__(name: str) -> Any:
    """The function of that name."""
    if name not in ARGUMENTS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return metric(name, signature(read(ARGUMENTS[name]).defaults))


def metric(name: str, shown: Signature) -> Callable[..., NoReturn]:
    """A function that takes the arguments of a metric, and raises."""

    def refused(*args: Any, **kwargs: Any) -> NoReturn:
        shown.bind(*args, **kwargs)
        if executing_eagerly():
            raise RuntimeError(
                f"tf.metrics.{name} is not supported when eager execution is enabled. Use tf.keras.metrics."
            )
        raise NotImplementedError(
            f"tf.compat.v1.metrics.{name} gathers in variables of a graph, and graphs assign no variables "
            "here. Use tf.keras.metrics outside of the graph."
        )

    refused.__name__ = refused.__qualname__ = name
    vars(refused)["__signature__"] = shown
    refused.__doc__ = with_arguments(
        f"Not supported in eager code, and not here in graphs: {name}. Every call raises.",
        {word: DESCRIPTIONS[word] for word in shown.parameters if word != "name"},
    )
    return public(refused)
