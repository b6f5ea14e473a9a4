"""Checks of values, shapes and dtypes that raise at once: ``tf.debugging`` and ``tf.Assert``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from tapegrad import core, dtypes
from tapegrad.core import EagerTensor, Tensor, VariableBase, public
from tapegrad.errors import refuse
from tapegrad.ops.batching import leading
from tapegrad.ops.elementwise import logic
from tapegrad.ops.op import REAL_FLOATING, op, says
from tapegrad.ops.reduce.reduce import reduce_all

PUBLIC = {
    ". debugging": "assert_equal assert_greater assert_less assert_rank",
    ". debugging compat.v1 compat.v1.debugging": "Assert",
    "debugging": (
        "assert_all_finite assert_greater_equal assert_integer assert_less_equal assert_near "
        "assert_negative assert_non_negative assert_non_positive assert_none_equal "
        "assert_positive assert_rank_at_least assert_rank_in assert_scalar assert_shapes "
        "assert_type check_numerics"
    ),
    "debugging compat.v1.debugging": (
        "assert_proper_iterable assert_same_float_dtype is_numeric_tensor"
    ),
}


SHOWN = 3  # how many elements of each tensor a message shows, unless `summarize` says otherwise


def _static_message(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(
            "The message of check_numerics() must be a string; "
            f"{value!r} came, a {type(value).__name__}."
        )
    return value


@op(
    "CheckNumerics",
    dtypes=REAL_FLOATING,
    convert={"message": _static_message},
    linear="tensor",
    elementwise=True,
    values="errors",
)
def check_numerics(xp, tensor, *, message):
    """``tensor`` itself, if none of its elements is NaN or infinite. Its gradient is checked likewise.

    >>> tf.debugging.check_numerics(tf.constant([1.0, 2.0]), "the loss").numpy()
    array([1., 2.], dtype=float32)
    >>> tf.debugging.check_numerics(tf.constant([1.0, float("nan")]), "loss")
    Traceback (most recent call last):
    tapegrad.errors.InvalidArgumentError: loss : Tensor had NaN values (1 of 2, shape (2,)) [Op:CheckNumerics]

    Args:
      tensor: A tensor of real floating-point numbers.
      message: How the error begins if the check fails.

    Raises:
      InvalidArgumentError: An element is NaN or infinite.
    """
    if not bool(xp.all(xp.isfinite(tensor))):
        nans, infinities = int(xp.sum(xp.isnan(tensor))), int(xp.sum(xp.isinf(tensor)))
        kinds = " and ".join(["Inf"] * (infinities > 0) + ["NaN"] * (nans > 0))
        refuse(
            f"{message} : Tensor had {kinds} values ({nans + infinities} of {tensor.size}, "
            f"shape {tensor.shape})"
        )
    return tensor


check_numerics.gradient(
    tensor=lambda dy, message: check_numerics(dy, message + " (a gradient that arrives here)")
)
check_numerics.batching(leading)


@public
def assert_all_finite(x: Any, message: str, name: str | None = None) -> Tensor:
    """``x`` as a tensor, if none of its elements is NaN or infinite. See `check_numerics`.

    >>> tf.debugging.assert_all_finite([1.0, 2.0], "loss").numpy()
    array([1., 2.], dtype=float32)

    Args:
        x: a tensor of floating point numbers, or a value that becomes one.
        message: how the error begins if the check fails.

    Raises:
      InvalidArgumentError: An element is NaN or infinite.
    """
    return check_numerics(x, message, name=name)


@public
def is_numeric_tensor(tensor: Any) -> bool:
    """Whether ``tensor`` is a tensor of numbers: not a variable, and not of bools or strings.

    >>> tf.debugging.is_numeric_tensor(tf.constant(1)), tf.debugging.is_numeric_tensor(1)
    (True, False)

    Args:
        tensor: any object.
    """
    if not isinstance(tensor, Tensor):
        return False
    dtype = tensor.dtype
    return bool(dtype.is_integer or dtype.is_floating or dtype.is_complex)


@public
def Assert(
    condition: Any, data: Any, summarize: int | None = None, name: str | None = None
) -> None:
    """Raise unless ``condition`` is true, and show ``data``.

    >>> tf.debugging.Assert(tf.constant(2) > 1, ["two"])

    Args:
      condition: A scalar.
      data: A list of tensors, or of values that can become tensors, for the message.
      summarize: How many elements of each to show: 3 by default, -1 for all.
      name: Accepted and ignored.

    Raises:
      InvalidArgumentError: ``condition`` is false.
      TypeError: ``data`` is not a list.
    """
    if not isinstance(data, (list, tuple, str)):
        raise TypeError(
            f"The data of Assert() must be a list of tensors; a {type(data).__name__} came. "
            "One tensor goes in as [tensor]."
        )
    if not condition:
        lines = [_elements(_array(value), summarize) for value in data]
        refuse(
            f"The asserted condition is {_shown(condition)}, not true. Data:"
            + "".join([f"\n  {line}" for line in lines])
        )


@public
@says(dispatched="assertion")
def assert_equal(
    x: Any,
    y: Any,
    message: str | None = None,
    summarize: int | None = None,
    name: str | None = None,
) -> None:
    """Raise unless ``x == y`` in every place, with shapes broadcast.

    >>> tf.debugging.assert_equal([1, 2], [1, 3], message="labels")
    Traceback (most recent call last):
    tapegrad.errors.InvalidArgumentError: labels
    Condition x == y did not hold element-wise in 1 of 2 places:
      at [1]: x = 2, y = 3

    Args:
      x: A tensor, or a value that can become one.
      y: Another one of the same dtype.
      message: How the error begins if the check fails.
      summarize: How many places to show: 3 by default, -1 for all.
      name: Accepted and ignored.

    Raises:
      InvalidArgumentError: The condition does not hold, or dtypes or shapes do not fit together.
    """
    if x is None and y is None:
        return
    _compare("==", logic.equal, x, y, message, summarize)


@public
@says(dispatched="assertion")
def assert_none_equal(
    x: Any,
    y: Any,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> None:
    """Raise unless ``x != y`` in every place; see `assert_equal`.

    >>> tf.debugging.assert_none_equal([1, 2], 0)

    Args:
        x, y: tensors of one dtype, or values that become tensors, whose shapes broadcast.
        summarize: how many places to show: 3 by default, -1 for all.
        message: how the error begins if the check fails.
    """
    _compare("!=", logic.not_equal, x, y, message, summarize)


@public
@says(dispatched="assertion")
def assert_less(
    x: Any,
    y: Any,
    message: str | None = None,
    summarize: int | None = None,
    name: str | None = None,
) -> None:
    """Raise unless ``x < y`` in every place; see `assert_equal`.

    >>> tf.debugging.assert_less([0.1, 0.9], 1.0)

    Args:
        x, y: tensors of real numbers, or values that become tensors, whose shapes broadcast.
        message: how the error begins if the check fails.
        summarize: how many places to show: 3 by default, -1 for all.
    """
    _compare("<", logic.less, x, y, message, summarize)


@public
@says(dispatched="assertion")
def assert_less_equal(
    x: Any,
    y: Any,
    message: str | None = None,
    summarize: int | None = None,
    name: str | None = None,
) -> None:
    """Raise unless ``x <= y`` in every place; see `assert_equal`.

    >>> tf.debugging.assert_less_equal([1, 2], [1, 3])

    Args:
        x, y: tensors of real numbers, or values that become tensors, whose shapes broadcast.
        message: how the error begins if the check fails.
        summarize: how many places to show: 3 by default, -1 for all.
    """
    _compare("<=", logic.less_equal, x, y, message, summarize)


@public
@says(dispatched="assertion")
def assert_greater(
    x: Any,
    y: Any,
    message: str | None = None,
    summarize: int | None = None,
    name: str | None = None,
) -> None:
    """Raise unless ``x > y`` in every place; see `assert_equal`.

    >>> tf.debugging.assert_greater([2, 3], 1)

    Args:
        x, y: tensors of real numbers, or values that become tensors, whose shapes broadcast.
        message: how the error begins if the check fails.
        summarize: how many places to show: 3 by default, -1 for all.
    """
    _compare(">", logic.greater, x, y, message, summarize)


@public
@says(dispatched="assertion")
def assert_greater_equal(
    x: Any,
    y: Any,
    message: str | None = None,
    summarize: int | None = None,
    name: str | None = None,
) -> None:
    """Raise unless ``x >= y`` in every place; see `assert_equal`.

    >>> tf.debugging.assert_greater_equal([1, 2], 1)

    Args:
        x, y: tensors of real numbers, or values that become tensors, whose shapes broadcast.
        message: how the error begins if the check fails.
        summarize: how many places to show: 3 by default, -1 for all.
    """
    _compare(">=", logic.greater_equal, x, y, message, summarize)


@public
def assert_positive(
    x: Any, message: str | None = None, summarize: int | None = None, name: str | None = None
) -> None:
    """Raise unless ``x > 0`` in every place.

    >>> tf.debugging.assert_positive([1.0, 2.0])

    Args:
        x: a tensor of real numbers, or a value that becomes one.
        message: how the error begins if the check fails.
        summarize: how many places to show: 3 by default, -1 for all.

    Raises:
      InvalidArgumentError: An element is zero, negative or NaN.
      TypeError: ``x`` does not hold numbers.
    """
    _compare_with_zero(">", logic.greater, x, message, summarize)


@public
def assert_negative(
    x: Any, message: str | None = None, summarize: int | None = None, name: str | None = None
) -> None:
    """Raise unless ``x < 0`` in every place; see `assert_positive`.

    Args:
        x: a tensor of real numbers, or a value that becomes one.
        message: how the error begins if the check fails.
        summarize: how many places to show: 3 by default, -1 for all.
    """
    _compare_with_zero("<", logic.less, x, message, summarize)


@public
def assert_non_negative(
    x: Any, message: str | None = None, summarize: int | None = None, name: str | None = None
) -> None:
    """Raise unless ``x >= 0`` in every place; see `assert_positive`.

    >>> tf.debugging.assert_non_negative([0.0, 1.0])

    Args:
        x: a tensor of real numbers, or a value that becomes one.
        message: how the error begins if the check fails.
        summarize: how many places to show: 3 by default, -1 for all.
    """
    _compare_with_zero(">=", logic.greater_equal, x, message, summarize)


@public
def assert_non_positive(
    x: Any, message: str | None = None, summarize: int | None = None, name: str | None = None
) -> None:
    """Raise unless ``x <= 0`` in every place; see `assert_positive`.

    Args:
        x: a tensor of real numbers, or a value that becomes one.
        message: how the error begins if the check fails.
        summarize: how many places to show: 3 by default, -1 for all.
    """
    _compare_with_zero("<=", logic.less_equal, x, message, summarize)


def _compare_with_zero(sign: str, compare: Any, x: Any, message: Any, summarize: Any) -> None:
    x = core.convert(x)
    if not is_numeric_tensor(x):
        raise TypeError(f"x {sign} 0 needs numbers; a tensor of {x.dtype.name} came.")
    zero = EagerTensor(np.zeros((), x.dtype.numpy_dtype))
    _compare(sign, compare, x, zero, message, summarize, right="0")


def _compare(
    sign: str,
    compare: Any,
    x: Any,
    y: Any,
    message: str | None,
    summarize: int | None,
    right: str = "y",
) -> None:
    """Raise unless ``compare(x, y)`` is true everywhere. If ``right`` differs from "y", it is a constant."""
    x, y = core.convert(x), core.convert(y)
    answers = compare(x, y)
    if core.static_value(reduce_all(answers), "assertion"):
        return
    holds = _array(answers)
    first, second = np.broadcast_arrays(_array(x), _array(y))
    shown = {"x": first, "y": second} if right == "y" else {"x": first}
    where = _places(~holds, summarize, shown)
    _fail(message, f"Condition x {sign} {right} did not hold element-wise {where}")


def _places(wrong: np.ndarray, summarize: int | None, arrays: Mapping[str, np.ndarray]) -> str:
    """How many elements of ``wrong`` are true, and the elements of the arrays at the first of them."""
    places = np.argwhere(wrong)
    lines = []
    for place in places[: _count(len(places), summarize)]:
        index = tuple(place.tolist())
        at = f"at {list(index)}: " if index else ""
        values = ", ".join([f"{name} = {_shown(array[index])}" for name, array in arrays.items()])
        lines.append(f"\n  {at}{values}")
    if len(lines) < len(places):
        lines.append("\n  ...")
    return f"in {len(places)} of {wrong.size} places:" + "".join(lines)


@public
@says(dispatched="assertion")
def assert_near(
    x: Any,
    y: Any,
    rtol: Any = None,
    atol: Any = None,
    message: str | None = None,
    summarize: int | None = None,
    name: str | None = None,
) -> None:
    """Raise unless ``abs(x - y) < atol + rtol * abs(y)`` in every place, with shapes broadcast.

    >>> tf.debugging.assert_near(1.0, 1.0 + 1e-7)

    Args:
      x: A tensor of floating-point or complex numbers, or a value that can become one.
      y: Another one, which is converted to the dtype of ``x``.
      rtol: Relative tolerance; by default ten times the spacing of the dtype's numbers around 1.
      atol: Absolute tolerance, with the same default.
      message: How the error begins if the check fails.
      summarize: How many places to show: 3 by default, -1 for all.
      name: Accepted and ignored.

    Raises:
      InvalidArgumentError: The condition does not hold. NaN and infinity are near nothing.
      ValueError: ``x`` is of another dtype.
    """
    x = core.convert(x)
    if not (x.dtype.is_floating or x.dtype.is_complex):
        raise ValueError(
            f"assert_near() compares floating-point or complex numbers; x is of {x.dtype.name}. "
            "assert_equal() compares exactly."
        )
    y = core.convert(y, x.dtype)
    epsilon = 10 * _spacing(x.dtype)
    rtol = epsilon if rtol is None else float(rtol)
    atol = epsilon if atol is None else float(atol)
    try:
        first, second = np.broadcast_arrays(_array(x), _array(y))
    except ValueError:
        refuse(
            "assert_near() compares tensors whose shapes broadcast; "
            f"{x._shape_tuple()} and {y._shape_tuple()} do not."
        )
    wide = np.complex128 if x.dtype.is_complex else np.float64
    with np.errstate(all="ignore"):
        distance = np.abs(first.astype(wide) - second.astype(wide))
        far = ~(distance < atol + rtol * np.abs(second.astype(wide)))
    if not far.any():
        return
    where = _places(far, summarize, {"x": first, "y": second})
    _fail(
        message, f"x and y differ by more than rtol = {rtol:.3g}, atol = {atol:.3g} allow {where}"
    )


def _spacing(dtype: dtypes.DType) -> float:
    """The distance from 1 to the next number of this type."""
    if dtype.name == "bfloat16":
        return 2.0**-7
    return float(np.finfo(dtype.numpy_dtype).eps)


@public
def assert_rank(x: Any, rank: Any, message: str | None = None, name: str | None = None) -> None:
    """Raise unless ``x`` has ``rank`` dimensions.

    >>> tf.debugging.assert_rank(tf.ones([2, 3]), 2)

    Args:
        x: a tensor of any dtype, or a value that becomes one.
        rank: an integer, or a scalar tensor of one.
        message: how the error begins if the check fails.

    Raises:
      ValueError: ``x`` has another number of dimensions.
      TypeError: ``rank`` is not an integer.
    """
    shape, expected = _shape(x), _rank(rank)
    if len(shape) != expected:
        _refuse(ValueError, message, f"A tensor of rank {expected} was expected", shape)


@public
def assert_rank_at_least(
    x: Any, rank: Any, message: str | None = None, name: str | None = None
) -> None:
    """Raise unless ``x`` has ``rank`` dimensions or more; see `assert_rank`.

    >>> tf.debugging.assert_rank_at_least(tf.ones([2, 3]), 1)

    Args:
        x: a tensor of any dtype, or a value that becomes one.
        rank: an integer, or a scalar tensor of one.
        message: how the error begins if the check fails.
    """
    shape, expected = _shape(x), _rank(rank)
    if len(shape) < expected:
        _refuse(ValueError, message, f"A tensor of rank {expected} or more was expected", shape)


@public
def assert_rank_in(
    x: Any, ranks: Iterable[Any], message: str | None = None, name: str | None = None
) -> None:
    """Raise unless the number of dimensions of ``x`` is one of ``ranks``; see `assert_rank`.

    >>> tf.debugging.assert_rank_in(tf.ones([2, 3]), (1, 2))

    Args:
        x: a tensor of any dtype, or a value that becomes one.
        ranks: integers, or scalar tensors of them.
        message: how the error begins if the check fails.
    """
    shape, expected = _shape(x), tuple([_rank(rank) for rank in ranks])
    if len(shape) not in expected:
        _refuse(ValueError, message, f"A tensor with a rank among {expected} was expected", shape)


@public
def assert_scalar(tensor: Any, message: str | None = None, name: str | None = None) -> None:
    """Raise a ValueError unless ``tensor`` has no dimensions.

    >>> tf.debugging.assert_scalar(3.0)

    Args:
        tensor: a tensor of any dtype, or a value that becomes one.
        message: how the error begins if the check fails.
    """
    shape = _shape(tensor)
    if shape:
        _refuse(ValueError, message, "A scalar was expected", shape)


def _rank(rank: Any) -> int:
    array = _array(rank)
    if array.dtype.kind not in "iu":
        raise TypeError(f"A rank must be an integer; {rank!r} came, a {type(rank).__name__}.")
    if array.ndim:
        raise ValueError(f"A rank must be one number; {rank!r} came.")
    return int(array)


@public
def assert_shapes(
    shapes: Any,
    data: Any = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> None:
    """Raise unless each tensor has its shape, and the shapes agree with each other.

    >>> images, labels = tf.ones([8, 5, 5]), tf.zeros([8])
    >>> tf.debugging.assert_shapes([(images, ("N", "W", "W")), (labels, ("N",))])

    Args:
      shapes: A list of pairs, or a dict, of tensors and their shapes. For each dimension a shape holds a
        number, a symbol that stands for the same number everywhere, or None or ``"."`` for any number.
        ``...``, ``"..."`` or ``"*"`` in the first place stands for any number of dimensions. A scalar counts
        as one element.
      data: Accepted and ignored.
      summarize: Accepted and ignored.
      message: How the error begins if the check fails.
      name: Accepted and ignored.

    Raises:
      ValueError: A tensor has another shape, or a shape cannot be read.
    """
    symbols: dict[Any, tuple[int, str]] = {}
    for tensor, expected in shapes.items() if isinstance(shapes, Mapping) else shapes:
        if expected is None:
            continue
        if not (hasattr(expected, "__iter__") or hasattr(expected, "__getitem__")):
            raise ValueError(
                f"A shape must be a list or tuple with an entry per dimension; {expected!r} came."
            )
        _check_shape(_shape(tensor), list(expected), symbols, message)


def _check_shape(
    shape: tuple[int, ...], expected: list[Any], symbols: dict[Any, tuple[int, str]], message: Any
) -> None:
    shown = ["..." if size is ... else str(size) for size in expected]
    wanted = f"A tensor of shape ({', '.join(shown)}) was expected"
    if any(_is_ellipsis(size) for size in expected[1:]):
        raise ValueError(
            "'...' and '*' stand for any number of dimensions in the first place of a shape only; "
            f"they stand elsewhere in {expected}."
        )
    sizes: Sequence[int] = shape or (1,)
    if expected and _is_ellipsis(expected[0]):
        del expected[0]
        if len(sizes) < len(expected):
            _refuse(ValueError, message, wanted, shape)
        sizes = sizes[len(sizes) - len(expected) :]
    elif not shape and not expected:
        return
    elif len(sizes) != len(expected):
        _refuse(ValueError, message, wanted, shape)
    for size, symbol in zip(sizes, expected, strict=True):
        if symbol is None or symbol == ".":
            continue
        number, said = _number(symbol), ""
        if number is None:
            number, where = symbols.setdefault(symbol, (size, str(shape)))
            said = f", where {symbol} = {number} in the shape {where}"
        if size != number:
            _refuse(ValueError, message, wanted + said, shape)


def _is_ellipsis(size: Any) -> bool:
    return size is ... or (isinstance(size, str) and size in ("...", "*"))


def _number(symbol: Any) -> int | None:
    """The number that an entry of a shape says, or None if it is a symbol."""
    try:
        return int(symbol)
    except (TypeError, ValueError):
        return None


@public
def assert_type(
    tensor: Any, tf_type: Any, message: str | None = None, name: str | None = None
) -> None:
    """Raise unless ``tensor`` has the dtype ``tf_type``.

    >>> tf.debugging.assert_type(tf.constant(1.0), tf.float32)

    Args:
        tensor: a tensor, or a value that becomes one.
        tf_type: a dtype, or its name.
        message: how the error begins if the check fails.

    Raises:
      TypeError: It has another dtype.
    """
    expected, dtype = dtypes.as_dtype(tf_type), _dtype(tensor)
    if dtype is not expected:
        _refuse(TypeError, message, f"A tensor of {expected.name} was expected", dtype.name)


@public
def assert_integer(x: Any, message: str | None = None, name: str | None = None) -> None:
    """Raise a TypeError unless ``x`` holds integers.

    >>> tf.debugging.assert_integer(tf.constant([1, 2]))

    Args:
        x: a tensor, or a value that becomes one.
        message: how the error begins if the check fails.
    """
    dtype = _dtype(x)
    if not dtype.is_integer:
        _refuse(TypeError, message, "A tensor of integers was expected", dtype.name)


@public
def assert_same_float_dtype(tensors: Any = None, dtype: Any = None) -> dtypes.DType:
    """The one floating-point dtype that all of ``tensors`` have; float32 if there are none.

    >>> tf.debugging.assert_same_float_dtype([tf.constant(1.0), tf.constant([2.0])])
    tf.float32

    Args:
      tensors: A list of tensors. None in it is skipped.
      dtype: The dtype that they must have; by default that of the first.

    Raises:
      ValueError: The dtypes differ, or are not of floating point.
    """
    expected = None if dtype is None else dtypes.as_dtype(dtype)
    for i, tensor in enumerate(tensors or []):
        if tensor is None:
            continue
        if expected is None:
            expected = tensor.dtype
        if tensor.dtype is not expected:
            raise ValueError(
                f"Tensors of {expected.name} were expected; number {i} is of {tensor.dtype.name}."
            )
    if expected is None:
        return dtypes.float32
    if not expected.is_floating:
        raise ValueError(
            f"Tensors of floating-point numbers were expected, not of {expected.name}."
        )
    return expected


@public
def assert_proper_iterable(values: Any) -> None:
    """Raise a TypeError unless ``values`` is a collection to iterate over. Tensors, arrays and strings are
    not, but a variable is.

    Args:
        values: any object.
    """
    if isinstance(values, (Tensor, np.ndarray, str, bytes)) or hasattr(values, "_nest_components"):
        raise TypeError(
            "A list, tuple or other collection was expected; "
            f"a {type(values).__name__} came, which is one value. It goes in as [value]."
        )
    if not hasattr(values, "__iter__"):
        raise TypeError(f"A list, tuple or other collection was expected; {values!r} came.")


def _array(value: Any) -> np.ndarray:
    return core.static_value(core.convert(value), "assertion")


def _shape(value: Any) -> tuple[int, ...]:
    if hasattr(value, "_nest_components"):
        return tuple(value.shape)
    return core.convert(value)._shape_tuple()


def _dtype(value: Any) -> dtypes.DType:
    if hasattr(value, "_nest_components"):
        return value.dtype
    return core.convert(value).dtype


def _count(there: int, summarize: int | None) -> int:
    if summarize is None:
        return SHOWN
    return there if summarize < 0 else summarize


def _elements(array: np.ndarray, summarize: int | None) -> str:
    count = _count(array.size, summarize)
    shown = [_shown(element) for element in array.reshape(-1)[:count]]
    return ", ".join(shown + ["..."] * (count < array.size))


def _shown(value: Any) -> str:
    """A number as text, without the name of its type."""
    if isinstance(value, (Tensor, VariableBase)):
        value = _array(value)
    if isinstance(value, (np.ndarray, np.generic)) and value.ndim == 0:
        return str(value)
    return str(value) if isinstance(value, (np.ndarray, bool)) else repr(value)


def _fail(message: str | None, text: str) -> None:
    refuse(f"{message}\n{text}" if message else text)


def _refuse(error: type[Exception], message: str | None, expected: str, actual: Any) -> None:
    came = f"one of shape {actual}" if isinstance(actual, tuple) else f"one of {actual}"
    raise error(f"{message}: {expected}; {came} came." if message else f"{expected}; {came} came.")
