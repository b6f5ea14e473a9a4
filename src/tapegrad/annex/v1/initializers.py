"""The initializers of TensorFlow 1.x: functions of a shape, which are made with the dtype of their values."""

from __future__ import annotations

import math
from typing import Any, Self

from tapegrad import dtypes
from tapegrad.annex.v1.written import constant
from tapegrad.framework.printed import Printed
from tapegrad.ops.elementwise.signs import sign
from tapegrad.ops.linalg.decompositions import qr
from tapegrad.ops.linalg.diagonals import diag_part
from tapegrad.ops.linalg.products import matrix_transpose
from tapegrad.ops.random.draws import normal, truncated_normal, uniform
from tapegrad.ops.shape.array import reshape
from tapegrad.ops.shape.creation import eye, ones, zeros

PUBLIC = {
    "compat.v1": (
        "constant_initializer glorot_normal_initializer glorot_uniform_initializer ones_initializer "
        "orthogonal_initializer random_normal_initializer random_uniform_initializer "
        "truncated_normal_initializer uniform_unit_scaling_initializer variance_scaling_initializer "
        "zeros_initializer"
    ),
    "compat.v1.initializers": (
        "constant=constant_initializer glorot_normal=glorot_normal_initializer "
        "glorot_uniform=glorot_uniform_initializer he_normal he_uniform identity lecun_normal "
        "lecun_uniform ones=ones_initializer orthogonal=orthogonal_initializer "
        "random_normal=random_normal_initializer random_uniform=random_uniform_initializer "
        "truncated_normal=truncated_normal_initializer "
        "uniform_unit_scaling=uniform_unit_scaling_initializer "
        "variance_scaling=variance_scaling_initializer zeros=zeros_initializer"
    ),
}

TRUNCATED = 0.87962566103423978
"""The standard deviation of a normal distribution that is cut off at two standard deviations."""


class Initializer(Printed):
    """A callable that makes a tensor from a shape. `get_config` tells how it was made."""

    dtype: Any = dtypes.float32
    seed: Any = None

    def __init__(self, dtype: Any = dtypes.float32) -> None:
        self.dtype = dtypes.as_dtype(dtype)

    def _printed_state(self) -> str:
        return ", ".join([f"{name}={value!r}" for name, value in self.get_config().items()])

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Any:
        """A tensor of ``shape``, and of ``dtype`` if it is given."""
        return self.make(shape, self.dtype if dtype is None else dtypes.as_dtype(dtype))

    def make(self, shape: Any, dtype: Any) -> Any:
        """A tensor of this shape and dtype."""
        raise NotImplementedError("an initializer defines make(shape, dtype)")

    def draw(self, function: Any, shape: Any, low: Any, high: Any, dtype: Any) -> Any:
        """Random numbers: ``function`` is `normal`, `truncated_normal` or `uniform`."""
        return function(shape, low, high, dtype, self.seed)

    def get_config(self) -> dict[str, Any]:
        """The arguments that make an equal initializer."""
        own = {name: value for name, value in vars(self).items() if name != "dtype"}
        return {**own, "dtype": self.dtype.name}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Self:
        """The initializer that `get_config` described."""
        return cls(**config)


class zeros_initializer(Initializer):
    """Zeros."""

    def make(self, shape: Any, dtype: Any) -> Any:
        return zeros(shape, dtype)


class ones_initializer(Initializer):
    """Ones."""

    def make(self, shape: Any, dtype: Any) -> Any:
        return ones(shape, dtype)


class constant_initializer(Initializer):
    """One number everywhere, or the numbers of a list in the given shape."""

    def __init__(
        self, value: Any = 0, dtype: Any = dtypes.float32, verify_shape: bool = False
    ) -> None:
        super().__init__(dtype)
        self.value = value
        self._verify_shape = verify_shape

    def make(self, shape: Any, dtype: Any) -> Any:
        return constant(self.value, dtype, shape, verify_shape=self._verify_shape)

    def get_config(self) -> dict[str, Any]:
        return {"value": self.value, "dtype": self.dtype.name}


class random_normal_initializer(Initializer):
    """Normal numbers around ``mean``.

    >>> tf.compat.v1.random_normal_initializer(stddev=0.0, mean=2.0)([2]).numpy()
    array([2., 2.], dtype=float32)
    """

    def __init__(
        self, mean: Any = 0.0, stddev: Any = 1.0, seed: Any = None, dtype: Any = dtypes.float32
    ) -> None:
        super().__init__(dtype)
        self.mean, self.stddev, self.seed = mean, stddev, seed

    def make(self, shape: Any, dtype: Any) -> Any:
        return self.draw(normal, shape, self.mean, self.stddev, dtype)


class truncated_normal_initializer(random_normal_initializer):
    """Normal numbers around ``mean``, none of which is further from it than two standard deviations."""

    def make(self, shape: Any, dtype: Any) -> Any:
        return self.draw(truncated_normal, shape, self.mean, self.stddev, dtype)


class random_uniform_initializer(Initializer):
    """Numbers spread evenly over [minval, maxval)."""

    def __init__(
        self, minval: Any = 0.0, maxval: Any = None, seed: Any = None, dtype: Any = dtypes.float32
    ) -> None:
        super().__init__(dtype)
        self.minval, self.maxval, self.seed = minval, maxval, seed

    def make(self, shape: Any, dtype: Any) -> Any:
        return self.draw(uniform, shape, self.minval, self.maxval, dtype)


class uniform_unit_scaling_initializer(Initializer):
    """Numbers that keep the scale of a layer's input: their bound is ``factor * sqrt(3 / inputs)``."""

    def __init__(self, factor: Any = 1.0, seed: Any = None, dtype: Any = dtypes.float32) -> None:
        super().__init__(dtype)
        self.factor, self.seed = factor, seed

    def make(self, shape: Any, dtype: Any) -> Any:
        inputs = math.prod(list(shape)[:-1]) or 1
        bound = self.factor * math.sqrt(3 / inputs)
        return self.draw(uniform, shape, -bound, bound, dtype)


class variance_scaling_initializer(Initializer):
    """Random numbers whose variance is ``scale / n``, where ``n`` counts the inputs or outputs of a layer.

    Args:
        mode: what ``n`` is: "fan_in" for the inputs, "fan_out" for the outputs, "fan_avg" for the mean.
        distribution: "uniform", "untruncated_normal", "truncated_normal" or, for the same, "normal".
    """

    def __init__(
        self,
        scale: Any = 1.0,
        mode: str = "fan_in",
        distribution: str = "truncated_normal",
        seed: Any = None,
        dtype: Any = dtypes.float32,
    ) -> None:
        if scale <= 0.0:
            raise ValueError(f"Argument `scale` must be a positive float. Received: {scale}")
        if mode not in ("fan_in", "fan_out", "fan_avg"):
            raise ValueError(
                "Argument `mode` should be one of ('fan_in', 'fan_out', 'fan_avg'). "
                f"Received: {mode}"
            )
        names = ("normal", "uniform", "truncated_normal", "untruncated_normal")
        if distribution.lower() not in names:
            raise ValueError(
                f"Argument `distribution` should be one of {names}. Received: {distribution}"
            )
        super().__init__(dtype)
        self.scale, self.mode, self.seed = scale, mode, seed
        self.distribution = distribution.lower()

    def make(self, shape: Any, dtype: Any) -> Any:
        fan_in, fan_out = fans(list(shape))
        n = {"fan_in": fan_in, "fan_out": fan_out, "fan_avg": (fan_in + fan_out) / 2}[self.mode]
        variance = self.scale / max(1.0, n)
        if self.distribution == "uniform":
            bound = math.sqrt(3 * variance)
            return self.draw(uniform, shape, -bound, bound, dtype)
        if self.distribution == "untruncated_normal":
            return self.draw(normal, shape, 0.0, math.sqrt(variance), dtype)
        deviation = math.sqrt(variance) / TRUNCATED
        return self.draw(truncated_normal, shape, 0.0, deviation, dtype)


def fans(shape: list[int]) -> tuple[int, int]:
    """How many inputs and outputs a layer has whose weights are of this shape."""
    if len(shape) < 2:
        size = shape[0] if shape else 1
        return size, size
    area = math.prod(shape[:-2])
    return shape[-2] * area, shape[-1] * area


class _Scaled(variance_scaling_initializer):
    """A `variance_scaling_initializer` under a name of its own."""

    how: tuple[float, str, str]

    def __init__(self, seed: Any = None, dtype: Any = dtypes.float32) -> None:
        super().__init__(*self.how, seed=seed, dtype=dtype)

    def get_config(self) -> dict[str, Any]:
        return {"seed": self.seed, "dtype": self.dtype.name}


class glorot_uniform_initializer(_Scaled):
    """Numbers spread evenly, of variance ``2 / (inputs + outputs)``."""

    how = (1.0, "fan_avg", "uniform")


class glorot_normal_initializer(_Scaled):
    """Normal numbers of variance ``2 / (inputs + outputs)``."""

    how = (1.0, "fan_avg", "truncated_normal")


class he_normal(_Scaled):
    """Normal numbers of variance ``2 / inputs``."""

    how = (2.0, "fan_in", "truncated_normal")


class he_uniform(_Scaled):
    """Numbers spread evenly, of variance ``2 / inputs``."""

    how = (2.0, "fan_in", "uniform")


class lecun_normal(_Scaled):
    """Normal numbers of variance ``1 / inputs``."""

    how = (1.0, "fan_in", "truncated_normal")


class lecun_uniform(_Scaled):
    """Numbers spread evenly, of variance ``1 / inputs``."""

    how = (1.0, "fan_in", "uniform")


class orthogonal_initializer(Initializer):
    """A matrix with orthogonal rows or columns, whichever are fewer, times ``gain``."""

    def __init__(self, gain: Any = 1.0, seed: Any = None, dtype: Any = dtypes.float32) -> None:
        super().__init__(dtype)
        self.gain, self.seed = gain, seed

    def make(self, shape: Any, dtype: Any) -> Any:
        sizes = list(shape)
        if len(sizes) < 2:
            raise ValueError(
                f"The tensor to initialize, specified by argument `shape` must be at least "
                f"two-dimensional. Received shape={shape}"
            )
        rows, columns = math.prod(sizes[:-1]), sizes[-1]
        long = (max(rows, columns), min(rows, columns))
        q, r = qr(self.draw(normal, long, 0.0, 1.0, dtype))
        q = q * sign(diag_part(r))
        return self.gain * reshape(q if rows >= columns else matrix_transpose(q), shape)


class identity(Initializer):
    """The identity matrix times ``gain``."""

    def __init__(self, gain: Any = 1.0, dtype: Any = dtypes.float32) -> None:
        super().__init__(dtype)
        self.gain = gain

    def make(self, shape: Any, dtype: Any) -> Any:
        if len(shape) != 2:
            raise ValueError(
                f"The tensor to initialize, specified by argument `shape` must be two-dimensional. "
                f"Received shape={shape}"
            )
        return self.gain * eye(shape[0], shape[1], dtype=dtype)
