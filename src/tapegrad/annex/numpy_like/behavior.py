"""``experimental_enable_numpy_behavior``: NumPy's methods, promotion and indices for all tensors."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from tapegrad.annex.numpy_like import math, ops, shapes
from tapegrad.annex.numpy_like.promotion import (
    Preference,
    as_dtype,
    asarray,
    floating,
    result_dtype,
)
from tapegrad.annex.numpy_like.weak import Mode, prepare, promoted
from tapegrad.callbacks import CALLBACKS
from tapegrad.core import Op, Tensor, VariableBase, fill_callbacks, promote_by, static_value

PUBLIC = {"experimental.numpy": "experimental_enable_numpy_behavior"}

# The operators whose operands get the dtype of the result, and what two bools give.
ARITHMETIC: dict[str, Callable[..., Any] | None] = {
    "add": ops.logical_or,
    "subtract": None,
    "multiply": ops.logical_and,
    "truediv": None,
    "floordiv": None,
    "mod": None,
    "pow": None,
    "matmul": None,
    "and": None,
    "or": None,
    "xor": None,
}
COMPARISONS = ("less", "less_equal", "equal", "not_equal", "greater", "greater_equal")


def reshape_method(tensor: Any, *newshape: Any, order: str = "C") -> Any:
    """``tensor.reshape(2, 3)`` or ``tensor.reshape([2, 3])``."""
    sizes = newshape[0] if len(newshape) == 1 else list(newshape)
    return shapes.reshape(tensor, sizes, order)


METHODS: dict[str, Callable[..., Any]] = {
    "__round__": math.round,
    "astype": as_dtype,
    "clip": math.clip,
    "flatten": shapes.ravel,
    "max": math.amax,
    "mean": math.mean,
    "min": math.amin,
    "ravel": shapes.ravel,
    "reshape": reshape_method,
    "tolist": lambda tensor: tensor.numpy().tolist(),
    "transpose": shapes.transpose,
}
PROPERTIES: dict[str, Callable[[Any], Any]] = {
    "T": shapes.transpose,
    "data": lambda tensor: tensor,
    "size": shapes.size,
}

# What a mode changes of the record of what the core asks, besides the operators.
CHANGED = ("convert_operand", "convert_left")
# The record as it was before numpy behavior was first enabled.
_plain: dict[str, Any] = {}


def experimental_enable_numpy_behavior(
    prefer_float32: bool = False, dtype_conversion_mode: str = "legacy"
) -> None:
    """Let tensors behave like NumPy's arrays from now on, in the whole process.

    Lists, arrays and masks are indices as in NumPy. Tensors have the methods ``astype``, ``reshape``,
    ``ravel``, ``transpose``, ``clip``, ``max``, ``min``, ``mean``, ``tolist`` and the attributes ``T``,
    ``size`` and ``data``. A later call changes how dtypes are promoted, and nothing else.

    Args:
        prefer_float32: whether Python's numbers become float32 and int32, instead of float64 and int64.
        dtype_conversion_mode: what operands of two dtypes give. "off": an error. "legacy": NumPy's dtype, in
            operators; ops such as ``tf.add`` stay as they are. "all": the dtype of TensorFlow's lattice, in
            operators, ops and assignments; Python's numbers, and tensors made of them alone, give way to the
            dtypes of others, and such tensors print as ``weak=True``. "safe": the same, but an error where
            the result has more bits than either operand, or loses digits of an integer.

    Raises:
        ValueError: there is no such mode.
    """
    if dtype_conversion_mode not in ("off", "legacy", "safe", "all"):
        raise ValueError(
            f"dtype_conversion_mode={dtype_conversion_mode!r} does not exist: it is 'off', 'legacy', 'safe' "
            "or 'all'."
        )
    callbacks: Any = CALLBACKS
    if not _plain:
        _plain.update(
            operators=dict(callbacks.operators),
            **{name: getattr(callbacks, name) for name in CHANGED},
        )
        callbacks.getitem = functools.partial(getitem, callbacks.getitem)
        callbacks.missing_attribute = functools.partial(attribute, callbacks.missing_attribute)
    Mode.name = dtype_conversion_mode
    Preference.narrow = prefer_float32
    callbacks.operators.update(_plain["operators"])
    for name in CHANGED:
        setattr(callbacks, name, _plain[name])
    if dtype_conversion_mode == "legacy":
        # NumPy's ``@`` takes vectors, which `tf.matmul` refuses.
        callbacks.operators["matmul"] = math.matmul
        for name, of_bools in ARITHMETIC.items():
            callbacks.operators[name] = promoting(
                name, general(callbacks.operators[name]), of_bools
            )
        for name in COMPARISONS:
            callbacks.operators[name] = promoting(name, callbacks.operators[name], None)
        callbacks.convert_operand = functools.partial(convert_operand, callbacks.convert_operand)
        callbacks.convert_left = functools.partial(convert_left, callbacks.convert_left)
    if Mode.by_lattice():
        prepare()
    promote_by(promoted if Mode.by_lattice() else None)
    fill_callbacks(CALLBACKS)


def general(operator: Any) -> Any:
    """What an operator calls for all dtypes."""
    return operator[1] if isinstance(operator, tuple) else operator


def promoting(
    name: str, operator: Callable[..., Any], of_bools: Callable[..., Any] | None
) -> Callable[..., Any]:
    """An operator whose operands get the dtype of the result first."""
    divides = name == "truediv"

    def promote(x: Any, y: Any) -> Any:
        tensors = isinstance(x, (Tensor, VariableBase)) and isinstance(y, (Tensor, VariableBase))
        if not tensors or x.dtype is not y.dtype:
            dtype = number_dtype(x, y)
            if dtype is None:
                return operator(x, y)  # which refuses it in its own words
            x, y = as_dtype(x, dtype), as_dtype(y, dtype)
        if divides and x.dtype.is_integer:
            x, y = floating(x), floating(y)
        if of_bools is not None and x.dtype.is_bool:
            return of_bools(x, y)
        return operator(x, y)

    return promote


def number_dtype(*values: Any) -> Any:
    """The dtype of a result, or None if it is no number."""
    try:
        dtype = result_dtype(*values)
    except (TypeError, ValueError):
        return None
    return None if dtype.kind in "OSUT" else dtype


def convert_operand(before: Callable[..., Any], called: Any, value: Any, dtype: Any) -> Any:
    """The right operand beside a tensor of ``dtype``, in the dtype of the result. Ops stay as they are."""
    wanted = None if isinstance(called, Op) else number_dtype(dtype, value)
    return before(called, value, dtype) if wanted is None else as_dtype(value, wanted)


def convert_left(before: Callable[..., Any], value: Any, dtype: Any) -> Any:
    """The left operand beside a tensor of ``dtype``, in the dtype of the result."""
    wanted = number_dtype(dtype, value)
    return before(value, dtype) if wanted is None else as_dtype(value, wanted)


def attribute(before: Callable[..., Any], tensor: Any, name: str) -> Any:
    """The method or the attribute ``name`` of a tensor."""
    if name in METHODS:
        return functools.partial(METHODS[name], tensor)
    if name in PROPERTIES:
        return PROPERTIES[name](tensor)
    return before(tensor, name)


def getitem(before: Callable[..., Any], tensor: Any, index: Any) -> Any:
    """The elements at an index of NumPy's: with lists, arrays and masks in it."""
    if isinstance(index, list) and any(is_part(part) for part in index):
        # What `nonzero` and `ix_` give is a list. NumPy once read it so, and TensorFlow does.
        index = tuple(index)
    parts = index if isinstance(index, tuple) else (index,)
    if not any(is_advanced(part) for part in parts):
        return before(tensor, index)
    plain = tuple(plain_index(part) for part in parts)
    sizes = list(tensor._shape_tuple())
    places = np.arange(np.prod(sizes, dtype=np.int64)).reshape(sizes)[plain]
    elements = ops.gather(ops.reshape(tensor, [-1]), places.reshape(-1))
    return ops.reshape(elements, places.shape)


def is_part(part: Any) -> bool:
    """Whether something in a list is an index for an axis, and not a place along one."""
    if isinstance(part, (Tensor, VariableBase, np.ndarray)):
        return bool(asarray(part).ndim)
    return part is None or part is Ellipsis or isinstance(part, (list, tuple, slice))


def is_advanced(part: Any) -> bool:
    """Whether an index picks elements one by one."""
    if isinstance(part, (Tensor, VariableBase, np.ndarray)):
        tensor = asarray(part)
        return bool(tensor.ndim or tensor.dtype.is_bool)
    return isinstance(part, (list, tuple))


def plain_index(part: Any) -> Any:
    """An index that NumPy takes."""
    if isinstance(part, (Tensor, VariableBase)):
        return static_value(ops.convert_to_tensor(part), "integers")
    if isinstance(part, tuple):
        return list(part)  # inside an index, a tuple is a list of places or a mask
    if isinstance(part, slice):
        return slice(*(plain_index(end) for end in (part.start, part.stop, part.step)))
    return part
