"""`tf.xla.experimental`: functions that are compiled there run unchanged here."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from tapegrad.framework import nest
from tapegrad.framework.convert import convert_to_tensor
from tapegrad.framework.names import executing_eagerly

PUBLIC = {"xla.experimental": "compile jit_scope"}


def compile(computation: Callable[..., Any], inputs: Sequence[Any] | None = None) -> Any:
    """What ``computation`` gives, with tensors for numbers and arrays. `tf.function` records it.

    >>> tf.xla.experimental.compile(lambda x: x + 1, [2])
    [<tf.Tensor: shape=(), dtype=int32, numpy=3>]

    Args:
        computation: The function.
        inputs: Its arguments.

    Returns:
        A list of tensors. If the results are a nest in nests, such a nest.

    Raises:
        TypeError: ``inputs`` is no list and no tuple.
    """
    if inputs is not None and not isinstance(inputs, (list, tuple)):
        raise TypeError(f"inputs must be a list or a tuple; a {type(inputs).__name__} came.")
    arguments = nest.map_structure(convert_to_tensor, list(inputs or ()))
    results = computation(*arguments)
    if results is None:
        return None
    results = nest.map_structure(convert_to_tensor, results)
    if not nest.is_nested(results):
        return [results]
    flat = isinstance(results, (list, tuple)) and not any(map(nest.is_nested, results))
    return list(results) if flat else results


@contextlib.contextmanager
def jit_scope(compile_ops: Any = True, separate_compiled_gradients: bool = False) -> Iterator[None]:
    """A block in which ops run as they do elsewhere.

    Args:
        compile_ops, separate_compiled_gradients: of no effect: there is no other way to run ops here.

    Raises:
        RuntimeError: It is used outside of a `tf.function`.
    """
    if executing_eagerly():
        raise RuntimeError(
            "xla.experimental.jit_scope is not supported when eager execution is enabled. "
            "Try use it inside tf.function."
        )
    yield
