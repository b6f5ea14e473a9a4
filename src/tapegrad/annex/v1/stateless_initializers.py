"""The initializers of ``tensorflow.python.ops.init_ops_v2`` that are public nowhere.

They are those of `tf.compat.v1` without a dtype of their own; with a seed every call gives the same numbers.
"""

from __future__ import annotations

from typing import Any

from tapegrad import dtypes
from tapegrad.annex.v1 import initializers as v1
from tapegrad.ops.random import draws
from tapegrad.ops.random import initializers as v2

STATELESS = {
    draws.normal: draws.stateless_normal,
    draws.truncated_normal: draws.stateless_truncated_normal,
    draws.uniform: draws.stateless_uniform,
}


class Initializer(v1.Initializer, v2.Initializer):
    """A callable that makes a tensor from a shape and a dtype."""

    def __call__(self, shape: Any, dtype: Any = dtypes.float32) -> Any:  # type: ignore[override]
        return self.make(shape, v2.floating(dtype))

    def draw(self, function: Any, shape: Any, low: Any, high: Any, dtype: Any) -> Any:
        if self.seed is None:
            return function(shape, low, high, dtype)
        return STATELESS[function](shape, [self.seed, 0], low, high, dtype)

    def get_config(self) -> dict[str, Any]:
        return {name: value for name, value in super().get_config().items() if name != "dtype"}


class TruncatedNormal(Initializer, v1.truncated_normal_initializer):
    """Normal numbers around ``mean``, none of which is further from it than two standard deviations."""

    def __init__(self, mean: Any = 0.0, stddev: Any = 0.05, seed: Any = None) -> None:
        super().__init__(mean, stddev, seed)


class VarianceScaling(Initializer, v1.variance_scaling_initializer):
    """Random numbers whose variance is ``scale / n``, where ``n`` counts the inputs or outputs of a layer."""


class GlorotNormal(VarianceScaling, v1.glorot_normal_initializer):
    """Normal numbers of variance ``2 / (inputs + outputs)``."""


class GlorotUniform(VarianceScaling, v1.glorot_uniform_initializer):
    """Numbers spread evenly, of variance ``2 / (inputs + outputs)``."""


class Orthogonal(Initializer, v1.orthogonal_initializer):
    """A matrix with orthogonal rows or columns, whichever are fewer, times ``gain``."""


class Identity(Initializer, v1.identity):
    """The identity matrix times ``gain``."""


def he_normal(seed: Any = None) -> VarianceScaling:
    """Normal numbers of variance ``2 / inputs``."""
    return VarianceScaling(2.0, seed=seed)


def he_uniform(seed: Any = None) -> VarianceScaling:
    """Numbers spread evenly, of variance ``2 / inputs``."""
    return VarianceScaling(2.0, distribution="uniform", seed=seed)


def lecun_normal(seed: Any = None) -> VarianceScaling:
    """Normal numbers of variance ``1 / inputs``."""
    return VarianceScaling(seed=seed)


def lecun_uniform(seed: Any = None) -> VarianceScaling:
    """Numbers spread evenly, of variance ``1 / inputs``."""
    return VarianceScaling(distribution="uniform", seed=seed)
