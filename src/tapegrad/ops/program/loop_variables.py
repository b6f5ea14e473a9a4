"""Loops and branches that are one step of a saved function: their variables and results as lists of tensors.

`control` has the functions that users call.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tapegrad.core import EagerTensor, Tensor, convert
from tapegrad.framework import nest
from tapegrad.framework.names import executing_eagerly
from tapegrad.ops.program import scopes
from tapegrad.ops.program.tensor_array import RowsArray, TensorArray
from tapegrad.ops.shape.array import stop_gradient

NUMBERS = (bool, int, float, complex, np.ndarray, np.generic)


def tensors_of(variables: Any) -> list[EagerTensor] | None:
    """The tensors that a nest of variables consists of; None if a part of it is something else.

    That of a `tf.TensorArray` has all of its elements.
    """
    tensors: list[Any] = []
    for leaf in nest.flatten(variables):
        if isinstance(leaf, TensorArray):
            tensors.append(leaf._all_rows())
        elif isinstance(leaf, (Tensor, *NUMBERS)):
            tensors.append(convert(leaf))
        else:
            return None
    return tensors if all(type(tensor) is EagerTensor for tensor in tensors) else None


def packed(variables: Any, tensors: Sequence[Any]) -> Any:
    """A nest like ``variables`` of other tensors."""
    leaves = [
        RowsArray.like(leaf, tensor) if isinstance(leaf, TensorArray) else tensor
        for leaf, tensor in zip(nest.flatten(variables), tensors, strict=True)
    ]
    return nest.pack_sequence_as(variables, leaves)


def stops_gradients(back_prop: bool) -> bool:
    """Whether no gradient flows through a loop: TensorFlow looks at ``back_prop`` in functions alone."""
    return not back_prop and not executing_eagerly()


def without_gradients(result: Any) -> Any:
    """The nest that a loop gives, where no gradient flows through the loop."""
    return nest.map_structure(
        lambda leaf: leaf if isinstance(leaf, TensorArray) else stop_gradient(leaf), result
    )


def call_with(function: Callable[..., Any], variables: Any) -> Any:
    """What a function of the variables of a loop gives, which are a list, a tuple or a dict."""
    return function(**variables) if isinstance(variables, dict) else function(*variables)


def next_variables(body: Callable[..., Any], variables: Any) -> Any:
    """The nest that the body of a loop gives. It may return a single variable without a list around it.

    The variables are in a list, a tuple or a dict, or are the fields of an instance of a class of attrs.
    """
    after = call_with(body, variables)
    if isinstance(after, (list, tuple, dict)):
        return after
    return [after] if len(variables) == 1 or not nest.is_nested(after) else after


def rest_of_loop(
    run: Callable[..., Any], asked: Any, cond: Any, body: Any, loop_vars: Any, left: int | None
) -> Any:
    """The variables after the rest of a loop, which ``run`` makes one step of; None where it cannot."""
    variables = tensors_of(loop_vars)
    if variables is None:
        return None

    def flat_body(*tensors: Any) -> list[Any]:
        after = next_variables(body, packed(loop_vars, tensors))
        as_dict = isinstance(loop_vars, dict)
        nest.assert_same_structure(
            loop_vars if as_dict else list(loop_vars), after if as_dict else list(after)
        )
        return tensors_of(after) or []

    rest = run(
        asked,
        lambda *tensors: call_with(cond, packed(loop_vars, tensors)),
        flat_body,
        variables,
        left,
    )
    return None if rest is None else packed(loop_vars, rest)


def result_of_step(
    pred: EagerTensor, true_fn: Callable[[], Any], false_fn: Callable[[], Any]
) -> tuple[bool, Any]:
    """Whether the choice between two functions is one step of the function that is saved, and its result."""
    loops = scopes.current.loops
    structures: list[Any] = []

    def tensors(function: Callable[[], Any]) -> list[EagerTensor] | None:
        structures.append(function())
        return tensors_of(structures[-1])

    chosen = None
    if loops is not None:
        chosen = loops.choose(pred, lambda: tensors(true_fn), lambda: tensors(false_fn))
    if chosen is None:
        return False, None
    nest.assert_same_structure(*structures)
    return True, packed(structures[0], chosen)
