# Written by tools/write_types.py from the functions themselves.
# ruff: noqa
# fmt: off
# mypy: disable-error-code="overload-overlap"

from tapegrad.core import EagerTensor as EagerTensor
from tapegrad.framework.types import TensorLike as TensorLike
from tapegrad.ops.random.generator import Generator as Generator
from tapegrad.ops.random.generator import Generator as _Generator
from typing import SupportsIndex as SupportsIndex

def create_rng_state(seed: TensorLike, alg: str | SupportsIndex) -> EagerTensor:
    """The state that a ``Generator`` made from ``seed`` has.

    A Python integer fills the state from its lowest bits up, in two's complement; a vector of integers fills
    it from the end, zeros before it.

    >>> import tapegrad as tf
    >>> tf.random.create_rng_state(-1, "philox").numpy().tolist()
    [-1, -1, -1]
    >>> tf.random.create_rng_state([1, 2], "philox").numpy().tolist()
    [0, 1, 2]
    """

def get_global_generator() -> _Generator:
    """The generator that everybody may use, made from the system's entropy when first asked for."""

def set_global_generator(generator: _Generator) -> None:
    """Let ``get_global_generator`` give ``generator`` from now on.

    >>> import tapegrad as tf
    >>> tf.random.set_global_generator(tf.random.Generator.from_seed(1))
    >>> tf.random.get_global_generator().state.numpy().tolist()
    [1, 0, 0]
    """
