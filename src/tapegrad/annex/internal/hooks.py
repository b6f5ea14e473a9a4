"""Functions that Keras 2 registers for TensorFlow to call, and settings that it keeps here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tapegrad.core import VariableBase
from tapegrad.lazy import find
from tapegrad.ops.elementwise.math import multiply
from tapegrad.ops.shape.casts import cast
from tapegrad.ops.shape.creation import convert_to_tensor, ones_like

PUBLIC = {
    "__internal__": (
        "is_tfrt_enabled register_call_context_function register_clear_session_function "
        "register_get_session_function register_load_model_function"
    ),
    "__internal__.mixed_precision": "register_loss_scale_wrapper",
    "__internal__.ops": "broadcast_weights is_resource_variable",
    "__internal__.tracking": "register_session_provider",
    "__internal__.train": (
        "assign_moving_average is_mixed_precision_graph_rewrite_enabled set_using_mixed_precision_policy"
    ),
}

# The registered functions, by their purpose.
registered: dict[str, Any] = {}


def register_clear_session_function(func: Callable[..., Any]) -> None:
    """Remember the function that clears Keras's session.

    Args:
        func: a function without arguments. It is kept, and nothing calls it.
    """
    registered["clear_session"] = func


def register_get_session_function(func: Callable[..., Any]) -> None:
    """Remember the function that gives Keras's session.

    Args:
        func: a function without arguments. It is kept, and nothing calls it.
    """
    registered["get_session"] = func


def register_load_model_function(func: Callable[..., Any]) -> None:
    """Remember the function that loads a model.

    Args:
        func: a function of the path of a model. It is kept, and nothing calls it.
    """
    registered["load_model"] = func


def register_call_context_function(func: Callable[..., Any]) -> None:
    """Remember the function that gives the context of a layer's call.

    Args:
        func: a function without arguments. It is kept, and nothing calls it.
    """
    registered["call_context"] = func


def register_session_provider(session_provider: Callable[..., Any]) -> None:
    """Remember the function that gives a session to checkpoints.

    Args:
        session_provider: a function without arguments. It is kept, and nothing calls it.
    """
    registered["session_provider"] = session_provider


def register_loss_scale_wrapper(
    optimizer_cls: type, wrapper_fn: Callable[..., Any], wrapper_cls: type | None = None
) -> None:
    """Remember how optimizers of a class are wrapped to scale losses.

    Args:
        optimizer_cls: the class of the optimizers.
        wrapper_fn: the function that wraps one of them.
        wrapper_cls: the class of what it returns.
    """
    registered.setdefault("loss_scale", {})[optimizer_cls] = (wrapper_fn, wrapper_cls)


def is_mixed_precision_graph_rewrite_enabled() -> bool:
    """Whether graphs are rewritten to halves: there are no graphs."""
    return False


def set_using_mixed_precision_policy(is_using: bool) -> None:
    """Remember whether Keras uses a policy of mixed precision.

    Args:
        is_using: True if it does. It is kept, and nothing asks for it.
    """
    registered["mixed_precision_policy"] = is_using


def is_tfrt_enabled() -> bool:
    """Whether another runtime of TensorFlow is used: there is none."""
    return False


def is_resource_variable(var: Any) -> bool:
    """Whether this is a variable with a handle: every variable is.

    >>> tf.__internal__.ops.is_resource_variable(tf.Variable(1.0))
    True

    Args:
        var: any object.
    """
    return isinstance(var, VariableBase) or bool(
        getattr(var, "_should_act_as_resource_variable", False)
    )


def broadcast_weights(weights: Any, values: Any) -> Any:
    """``weights`` in the shape of ``values``.

    >>> tf.__internal__.ops.broadcast_weights([[1.0], [2.0]], tf.ones([2, 2])).numpy().tolist()
    [[1.0, 1.0], [2.0, 2.0]]

    Args:
        weights: a scalar, or a tensor of the rank of ``values`` whose sizes are those of ``values`` or 1. It
            is cast to the dtype of ``values``.
        values: a tensor of numbers.

    Raises:
        ValueError: ``weights`` is no scalar, and its axes are neither those of ``values`` nor 1.
    """
    values = convert_to_tensor(values)
    weights = convert_to_tensor(weights)
    if weights.dtype != values.dtype:
        weights = cast(weights, values.dtype)
    check_weights(weights, values)
    return weights if weights.shape == values.shape else multiply(weights, ones_like(values))


def check_weights(weights: Any, values: Any) -> None:
    """Raise ValueError unless ``weights`` is a scalar, or each of its axes is that of ``values`` or 1."""
    mine, theirs = weights.shape, values.shape
    if mine.rank not in (None, 0) and theirs.rank is not None:
        fits = mine.rank == theirs.rank and all(
            size in (1, None) or other in (None, size)
            for size, other in zip(mine, theirs, strict=True)
        )
        if not fits:
            raise ValueError(
                f"weights can not be broadcast to values. values.rank={theirs.rank}. "
                f"weights.rank={mine.rank}. values.shape={theirs}. weights.shape={mine}."
            )


def assign_moving_average(
    variable: Any, value: Any, decay: Any, zero_debias: bool = True, name: str | None = None
) -> Any:
    """Assign ``variable * decay + value * (1 - decay)``; ``value`` is the mean of those of all replicas.

    Args:
        variable: a variable.
        value: a tensor of its shape.
        decay: how much of the variable stays.
        zero_debias: only False.
        name: of no effect.

    Raises:
        NotImplementedError: for ``zero_debias=True``, which TensorFlow does by variables of its graphs.
    """
    if zero_debias:
        raise NotImplementedError("assign_moving_average(zero_debias=True): use zero_debias=False.")
    rest = cast(convert_to_tensor(1.0 - decay), variable.dtype)
    replica = find("distribute.get_replica_context")()

    def update(strategy: Any, variable: Any, value: Any) -> Any:
        if replica is not None:
            mean = find("distribute.ReduceOp").MEAN
            value = strategy.extended.reduce_to(mean, value, variable)
        return strategy.extended.update(
            variable, lambda own, value: own.assign_sub((own - value) * rest), args=(value,)
        )

    if replica is None:
        return update(find("distribute.get_strategy")(), variable, value)
    return replica.merge_call(update, args=(variable, value))
