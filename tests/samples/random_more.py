"""Draws that have TensorFlow's own numbers: gamma, Poisson, categorical, binomial, candidate samplers."""

from __future__ import annotations

from typing import Any

from . import Sample, call
from .draws import between, given, positive, reals

SEED = [1, 2]
NO_DIFFERENCES = (
    "a sample jumps where another candidate is accepted; its gradient holds its probability"
)


def samples(tf: Any) -> list[Sample]:
    """Rows of this family."""
    gamma = {"dtypes": ("float32",), "differences": NO_DIFFERENCES, "single": "alpha is float32"}
    fixed = {"differentiable": False}
    return [
        # Where TensorFlow sums a series in single precision, ours goes through double.
        Sample(tf.random.stateless_gamma,
               [call([3], SEED, positive(3), dtype=tf.float32), call([2, 3], SEED, between(0.1, 9.0, 3)),
                call([4], SEED, given(1.5), beta=given(2.0)), call([4, 1], SEED, given([1.0])),
                call([0], SEED, given(1.5)), call([2], SEED, positive(3))], **gamma),
        Sample(tf.random.stateless_poisson,
               [call([8], SEED, given(3.0)), call([5, 2], SEED, given([0.5, 200.0])),
                call([4], SEED, given(9.0), dtype=tf.float64)], dtypes=("float32", "float64", "int32"),
               **fixed),
        Sample(tf.random.stateless_categorical,
               [call(reals(2, 5), 7, SEED), call(reals(3, 1), 2, SEED, dtype=tf.int32),
                call(reals(2, 3), 0, SEED),
                call(reals(3), 2, SEED)], dtypes=("float16", "bfloat16", "float32", "float64"), **fixed),
        Sample(tf.random.stateless_binomial,
               [call([8], SEED, given(100.0), given(0.25)),
                call([3, 2], SEED, given([40.0, 60.0]), given(0.5)),
                call([5, 2], SEED, given([40.0, 7.0]), given([0.01, 0.6])),
                call([4], SEED, given(10.0), given(0.0))], dtypes=("float32", "float64"), **fixed),
        *(Sample(_seeded(name), [(), call(seed=3), call(unique=False, seed=3)], **fixed)
          for name in ("uniform_candidate_sampler", "log_uniform_candidate_sampler")),
        Sample(_stateful("gamma"), [call([3], positive(2)), call([3], positive(2), seed=4)],
               **gamma),
        Sample(_stateful("poisson"), [call([3], given([0.5, 20.0])), call([3], given(4.0), seed=4)],
               dtypes=("float32",), differentiable=False),
        Sample(_stateful("categorical"), [call(reals(2, 4), 5), call(reals(2, 4), 5, seed=4)],
               dtypes=("float32",), differentiable=False),
    ]  # fmt: skip


def _stateful(name: str) -> Any:
    """Two draws in a row after the global seed is set."""

    def draw(tf: Any, *args: Any, **how: Any) -> Any:
        tf.random.set_seed(7)
        return [getattr(tf.random, name)(*args, **how) for _ in range(2)]

    draw.__name__ = draw.__qualname__ = name
    return draw


def _seeded(name: str) -> Any:
    def draw(tf: Any, unique: bool = True, seed: int | None = None) -> Any:
        tf.random.set_seed(7)
        sampler = getattr(tf.random, name)
        return [list(sampler([[1, 2], [3, 0]], 2, 5, unique, 8, seed=seed)) for _ in range(2)]

    draw.__name__ = draw.__qualname__ = name
    return draw
