"""Points of Sobol's sequence, which fill a cube evenly."""

from __future__ import annotations

from typing import Any

from tapegrad import dtypes, extras
from tapegrad.core import Tensor
from tapegrad.core.compositions import composition
from tapegrad.errors import refuse
from tapegrad.ops.args import static_int
from tapegrad.ops.op import op
from tapegrad.ops.shape_rules import Abstract

PUBLIC = {
    "math compat.v1.math": "sobol_sample",
}


MOST_POINTS = 2**31 - 1
MOST_DIMENSIONS = 21200


@composition
def sobol_sample(
    dim: Any, num_results: Any, skip: Any = 0, dtype: Any = dtypes.float32, name: str | None = None
) -> Tensor:
    """Points of the Sobol sequence in ``dim`` dimensions, one a row, starting with number ``skip``.

    >>> tf.math.sobol_sample(2, 3).numpy().tolist()
    [[0.5, 0.5], [0.75, 0.25], [0.25, 0.75]]

    Args:
        dim: the number of dimensions, from 1 to 21200.
        num_results: the number of points.
        skip: the number of the first point.
        dtype: float32 or float64.
    """
    return sobol_sample_op(dim=dim, num_results=num_results, skip=skip, dtype=dtype)


@op(
    "SobolSample",
    convert={
        "dim": static_int,
        "num_results": static_int,
        "skip": static_int,
        "dtype": dtypes.as_dtype,
    },
)
def sobol_sample_op(xp, *, dim, num_results, skip, dtype=dtypes.float32):
    if dtype not in (dtypes.float32, dtypes.float64):
        refuse(f"sobol_sample() gives float32 or float64, not {dtype.name}.")
    for what, value, lowest in (
        ("dim", dim, 1), ("num_results", num_results, 1), ("skip", skip, 0)
    ):  # fmt: skip
        if value < lowest:
            refuse(f"sobol_sample() needs {what} of at least {lowest}, not {value}.")
    if dim > MOST_DIMENSIONS or skip + num_results >= MOST_POINTS:
        refuse(
            f"sobol_sample() has at most {MOST_DIMENSIONS} dimensions "
            f"and {MOST_POINTS - 1} points, not {dim} and {skip + num_results}."
        )
    qmc = extras.imported("scipy", "scipy.stats.qmc", "tf.math.sobol_sample()")
    sequence = qmc.Sobol(dim, scramble=False, bits=32)
    # SciPy's sequence begins with a point of zeros, which TensorFlow leaves out.
    sequence.fast_forward(skip + 1)
    return sequence.random(num_results).astype(dtype.numpy_dtype)


sobol_sample_op.shape(lambda dim, num_results, dtype: Abstract((num_results, dim), dtype))
sobol_sample_op.no_gradient()
