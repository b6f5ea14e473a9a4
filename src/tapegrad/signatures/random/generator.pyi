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
    """The state of a ``Generator`` made from ``seed``.

    A Python integer fills the state from its lowest bits up, in two's complement. A vector of integers fills
    it from the end, with zeros before it.

    >>> import tapegrad as tf
    >>> tf.random.create_rng_state(-1, "philox").numpy().tolist()
    [-1, -1, -1]
    >>> tf.random.create_rng_state([1, 2], "philox").numpy().tolist()
    [0, 1, 2]
    """

def get_global_generator() -> _Generator:
    """The generator that all code may share, made from the system's entropy at the first call."""

def set_global_generator(generator: _Generator) -> None:
    """From now on ``get_global_generator`` returns ``generator``.

    >>> import tapegrad as tf
    >>> tf.random.set_global_generator(tf.random.Generator.from_seed(1))
    >>> tf.random.get_global_generator().state.numpy().tolist()
    [1, 0, 0]
    """
