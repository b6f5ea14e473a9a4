"""Promotion by the lattice: what calls of tf do in the modes "all" and "safe".

While one of these modes is on, the core asks `promoted` before every public function, op and operator. Only
calls by programs are changed: tapegrad's own modules call as ever, but for `numpy_like`.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Any

from tapegrad.annex.numpy_like import ops
from tapegrad.annex.numpy_like.lattice import dtype_of, is_safe, is_weak, join, kind_of, mark
from tapegrad.core import Tensor, VariableBase, convert
from tapegrad.core.operators import Operation
from tapegrad.framework.variable import Variable
from tapegrad.lazy import find

__all__ = ["Mode", "as_kind", "prepare", "promote", "promoted"]

# Functions whose result gives way to other dtypes if their first argument does.
UNARY = """
clip_by_value debugging.check_numerics expand_dims identity image.extract_patches linalg.diag
linalg.diag_part linalg.matrix_transpose linalg.tensor_diag_part linalg.trace math.abs math.acos math.acosh
math.angle math.asin math.asinh math.atan math.atanh math.ceil math.conj math.cos math.cosh math.digamma
math.erf math.erfc math.erfcinv math.erfinv math.exp math.expm1 math.floor math.imag math.lgamma math.log
math.log1p math.log_sigmoid math.ndtri math.negative math.real math.reciprocal math.reciprocal_no_nan
math.reduce_euclidean_norm math.reduce_logsumexp math.reduce_max math.reduce_mean math.reduce_min
math.reduce_prod math.reduce_std math.reduce_sum math.reduce_variance math.rint math.round math.rsqrt
math.sigmoid math.sign math.sin math.sinh math.softplus math.special.bessel_i0 math.special.bessel_i0e
math.special.bessel_i1 math.special.bessel_i1e math.special.bessel_j0 math.special.bessel_j1
math.special.bessel_k0 math.special.bessel_k0e math.special.bessel_k1 math.special.bessel_k1e
math.special.bessel_y0 math.special.bessel_y1 math.special.dawsn math.special.expint
math.special.fresnel_cos math.special.fresnel_sin math.special.spence math.sqrt math.square math.tan
math.tanh nn.depth_to_space nn.gelu nn.leaky_relu nn.log_softmax nn.relu6 nn.space_to_depth nn.swish
ones_like reshape squeeze stop_gradient transpose zeros_like
"""
# Functions whose first two arguments become tensors of the result's dtype.
BINARY = """
linalg.matmul math.add math.divide math.divide_no_nan math.floordiv math.floormod math.multiply
math.multiply_no_nan math.pow math.scalar_mul math.subtract realdiv truncatediv truncatemod
"""
# The same, but the result never gives way.
SETTLED = "math.maximum math.minimum"
# The same for the operators of tensors.
UNARY_OPERATORS = frozenset(["negative", "abs", "invert"])
BINARY_OPERATORS = frozenset(
    "add subtract multiply truediv floordiv mod pow matmul equal not_equal".split()
)
ASSIGNMENTS = ("assign", "assign_add", "assign_sub")


class Mode:
    """How operands of two dtypes are promoted now."""

    name = "off"

    @classmethod
    def by_lattice(cls) -> bool:
        """Whether the lattice decides."""
        return cls.name in ("all", "safe")


def promote(*values: Any) -> str | None:
    """The kind of the result of these values; None if one of them is not of numbers.

    Raises:
        TypeError: the mode is "safe", and the result would have more bits than the values, or lose digits.
    """
    result = None
    for value in values:
        kind = kind_of(value)
        if kind is None:
            return None
        if result is not None and Mode.name == "safe" and not is_safe(result, kind):
            raise TypeError(
                f"{_said(result)} and {_said(kind)} are not promoted to {_said(join(result, kind))} with "
                "dtype_conversion_mode='safe': the result would have more bits than either, or lose digits. "
                "Cast one of them with tf.cast, or use dtype_conversion_mode='all'."
            )
        result = kind if result is None else join(result, kind)
    return result


def _said(kind: str) -> str:
    return f"{kind[:-1]} (weak)" if kind.endswith("*") else kind


def as_kind(value: Any, kind: str) -> Any:
    """A value as a tensor of a kind."""
    dtype = dtype_of(kind)
    tensor = value
    if not isinstance(value, (Tensor, VariableBase)):
        tensor = convert(value, dtype if kind_of(value) == kind else None)
    if tensor.dtype is not dtype:
        tensor = ops.cast(tensor, dtype)
    return mark(tensor) if kind.endswith("*") and tensor is not value else tensor


def _of_one(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A call whose result gives way to other dtypes if its first argument does."""
    name, value, rest = _first(function, args, kwargs)
    kind = kind_of(value)
    if kind is None or not kind.endswith("*"):
        return function(*args, **kwargs)
    value = as_kind(value, kind)
    if name is None:
        result = function(value, *rest, **kwargs)
    else:
        result = function(*args, **{**kwargs, name: value})
    # What is given back as it came may be a tensor of the caller's, which is marked already.
    return result if result is value and is_weak(value) else mark(result)


def _first(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, Any, Any]:
    """The name of the first argument if it came by name, the argument, and the other positional ones."""
    if args:
        return None, args[0], args[1:]
    name = _names(function)[0]
    return name, kwargs.get(name), ()


@functools.cache
def _names(function: Any) -> list[str]:
    from inspect import signature

    return list(signature(function).parameters)


def _of_two(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A call whose first two arguments get the dtype of the result."""
    if len(args) < 2:
        names = _names(function)
        bound = {**dict(zip(names, args, strict=False)), **kwargs}
        if not bound.keys() >= set(names[:2]):
            return function(*args, **kwargs)
        args, kwargs = (bound.pop(names[0]), bound.pop(names[1])), bound
    kind = promote(*args[:2])
    if kind is None:
        return function(*args, **kwargs)
    result = function(as_kind(args[0], kind), as_kind(args[1], kind), *args[2:], **kwargs)
    return mark(result) if kind.endswith("*") and function not in _settled else result


def _constant(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """`tf.constant`: of Python's numbers, a tensor that gives way; of a tensor, one of the dtype asked."""
    return _made_constant(function, *args, **kwargs)


def _made_constant(
    function: Any, value: Any, dtype: Any = None, shape: Any = None, name: Any = "Const"
) -> Any:
    if dtype is not None:
        return function(
            ops.cast(value, dtype) if isinstance(value, Tensor) else value, dtype, shape, name
        )
    kind = kind_of(value)
    if kind is None or isinstance(value, (Tensor, VariableBase)):
        return function(value, None, shape, name)
    result = function(value, dtype_of(kind), shape, name)
    return mark(result) if kind.endswith("*") else result


def _assign(called: str, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """An assignment, of a value that the variable's dtype can hold."""
    return _assigned(called, function, *args, **kwargs)


def _assigned(
    called: str, function: Any, variable: Any, value: Any, *args: Any, **kwargs: Any
) -> Any:
    kind = promote(variable, value)
    if kind is not None:
        if kind != variable.dtype.name:
            raise TypeError(
                f"{called}() of a variable of {variable.dtype.name} cannot take "
                f"{_said(kind_of(value) or '')}: together they are {_said(kind)}, and a variable keeps its "
                "dtype. Cast the value with tf.cast."
            )
        value = as_kind(value, kind)
    return function(variable, value, *args, **kwargs)


def _by_program() -> bool:
    """Whether the code that called the caller is a program's, or `numpy_like`'s."""
    caller: str = sys._getframe(2).f_globals.get("__name__", "")
    if not caller.startswith("tapegrad."):
        return True
    return caller.startswith("tapegrad.annex.numpy_like.") and caller != __name__


def promoted(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What a call by a program gives in a mode; NotImplemented where what is called is to run as ever."""
    if not _by_program():
        return NotImplemented
    if isinstance(function, Operation):
        call = _operators.get(function.__name__)
    else:
        call = _calls.get(function)
    return NotImplemented if call is None else call(function, args, kwargs)


_calls: dict[Any, Callable[..., Any]] = {}
_settled: set[Any] = set()
_operators: dict[str, Callable[..., Any]] = {
    **dict.fromkeys(UNARY_OPERATORS, _of_one),
    **dict.fromkeys(BINARY_OPERATORS, _of_two),
}


def prepare() -> None:
    """Find the functions of tf that ask for the mode."""
    if _calls:
        return
    _settled.update(find(name) for name in SETTLED.split())
    for names, call in ((UNARY, _of_one), (BINARY, _of_two), (SETTLED, _of_two)):
        _calls.update({find(name): call for name in names.split()})
    _calls[ops.constant] = _constant
    for name in ASSIGNMENTS:
        _calls[getattr(Variable, name)] = functools.partial(_assign, name)
