"""``tf.compat.v1.metrics``, which gather in variables of a graph: they can be named, and are refused.

TensorFlow refuses them in eager code. In a graph it makes an op that assigns variables, and graphs here have
none. Today's metrics are in ``tf.keras.metrics``.
"""

from __future__ import annotations

from collections.abc import Callable
from inspect import Signature
from typing import Any, NoReturn

import tapegrad as tf
from tapegrad.framework.renaming import read, signature

PUBLIC = {
    "compat.v1.metrics": (
        "accuracy auc average_precision_at_k false_negatives false_negatives_at_thresholds false_positives "
        "false_positives_at_thresholds mean mean_absolute_error mean_cosine_distance mean_iou "
        "mean_per_class_accuracy mean_relative_error mean_squared_error mean_tensor percentage_below "
        "precision precision_at_k precision_at_thresholds precision_at_top_k recall recall_at_k "
        "recall_at_thresholds recall_at_top_k root_mean_squared_error sensitivity_at_specificity "
        "sparse_average_precision_at_k sparse_precision_at_k specificity_at_sensitivity true_negatives "
        "true_negatives_at_thresholds true_positives true_positives_at_thresholds"
    ),
}

KEPT = "metrics_collections=None updates_collections=None"

# The arguments of each, as `tapegrad.framework.renaming` reads them.
ARGUMENTS = {
    "auc": (
        f"labels predictions weights=None num_thresholds=200 {KEPT} curve='ROC' name=None "
        "summation_method='trapezoidal' thresholds=None"
    ),
    **{
        name: f"{arguments} {KEPT} name=None"
        for names, arguments in {
            "accuracy false_negatives false_positives mean_absolute_error mean_squared_error precision "
            "recall root_mean_squared_error true_negatives true_positives": (
                "labels predictions weights=None"
            ),
            "average_precision_at_k sparse_average_precision_at_k": (
                "labels predictions k weights=None"
            ),
            "false_negatives_at_thresholds false_positives_at_thresholds precision_at_thresholds "
            "recall_at_thresholds true_negatives_at_thresholds true_positives_at_thresholds": (
                "labels predictions thresholds weights=None"
            ),
            "mean mean_tensor": "values weights=None",
            "mean_cosine_distance": "labels predictions dim weights=None",
            "mean_iou mean_per_class_accuracy": "labels predictions num_classes weights=None",
            "mean_relative_error": "labels predictions normalizer weights=None",
            "percentage_below": "values threshold weights=None",
            "precision_at_k recall_at_k sparse_precision_at_k": (
                "labels predictions k class_id=None weights=None"
            ),
            "precision_at_top_k recall_at_top_k": (
                "labels predictions_idx k=None class_id=None weights=None"
            ),
            "sensitivity_at_specificity": (
                "labels predictions specificity weights=None num_thresholds=200"
            ),
            "specificity_at_sensitivity": (
                "labels predictions sensitivity weights=None num_thresholds=200"
            ),
        }.items()
        for name in names.split()
    },
}


def __getattr__(name: str) -> Any:
    """The function of that name."""
    if name not in ARGUMENTS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return metric(name, signature(read(ARGUMENTS[name]).defaults))


def metric(name: str, shown: Signature) -> Callable[..., NoReturn]:
    """A function that takes the arguments of a metric, and raises."""

    def refused(*args: Any, **kwargs: Any) -> NoReturn:
        shown.bind(*args, **kwargs)
        if tf.executing_eagerly():
            raise RuntimeError(
                f"tf.metrics.{name} is not supported when eager execution is enabled. Use tf.keras.metrics."
            )
        raise NotImplementedError(
            f"tf.compat.v1.metrics.{name} gathers in variables of a graph, and graphs assign no variables "
            "here. Use tf.keras.metrics outside of the graph."
        )

    refused.__name__ = refused.__qualname__ = name
    vars(refused)["__signature__"] = shown
    refused.__doc__ = f"Not supported in eager code, and not here in graphs: {name}."
    return refused
