"""What operators share: broadcasting of batches, conversion of parameters, what is known of products."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import tapegrad as tf
from tapegrad.core import VariableBase
from tapegrad.framework.module import Module

FLOATS = (tf.float16, tf.float32, tf.float64, tf.complex64, tf.complex128)


def parameter(value: Any, name: str, dtype: Any = None) -> Any:
    """``value`` as a tensor. A variable, or a module that acts as one, stays, and is read when used."""
    if isinstance(value, VariableBase) or (
        isinstance(value, Module) and hasattr(value, "dtype") and hasattr(value, "shape")
    ):
        return value
    return tf.convert_to_tensor(value, dtype, name=name)


def float_parameter(value: Any, name: str) -> Any:
    """A parameter that must be of a float or complex type."""
    tensor = parameter(value, name)
    if tensor.dtype not in FLOATS:
        raise TypeError(
            f"Argument {name} must have dtype in {[dtype.name for dtype in FLOATS]}. "
            f"Found: {tensor.dtype.name}"
        )
    return tensor


def assert_rank(value: Any, least: int, name: str) -> None:
    """Refuse a parameter with fewer axes than ``least``."""
    if value.shape.rank is not None and value.shape.rank < least:
        raise ValueError(
            f"Argument {name} must have at least {least} dimensions. Found: {value.shape}"
        )


def adjoint(matrix: Any, wanted: bool = True) -> Any:
    """The adjoint of a matrix, or the matrix itself."""
    return tf.linalg.adjoint(matrix) if wanted else matrix


def conjugate(value: Any, wanted: bool = True) -> Any:
    """The conjugate, or the value itself."""
    return tf.math.conj(value) if wanted and value.dtype.is_complex else value


def broadcast_batches(*matrices: Any) -> list[Any]:
    """The matrices, with the batch axes of all."""
    shapes = [tf.TensorShape(matrix.shape)[:-2] for matrix in matrices]
    if all(shape.is_fully_defined() and shape == shapes[0] for shape in shapes):
        return [tf.convert_to_tensor(matrix) for matrix in matrices]
    batch = batch_tensor([tf.shape(matrix)[:-2] for matrix in matrices])
    return [
        tf.broadcast_to(matrix, tf.concat([batch, tf.shape(matrix)[-2:]], 0)) for matrix in matrices
    ]


def batch_tensor(shapes: Sequence[Any]) -> Any:
    """The shape, as a tensor, that all these shapes broadcast to."""
    result = shapes[0]
    for shape in shapes[1:]:
        result = tf.broadcast_dynamic_shape(result, shape)
    return result


def batch_shape(shapes: Sequence[Any]) -> Any:
    """The static shape that all these shapes broadcast to."""
    result = tf.TensorShape(shapes[0])
    for shape in shapes[1:]:
        result = tf.broadcast_static_shape(result, tf.TensorShape(shape))
    return result


def square_shape(vector: Any) -> Any:
    """The static shape of the square matrices that have as many rows as ``vector`` has elements."""
    return vector.shape.concatenate(vector.shape[-1:])


def square_shape_tensor(vector: Any) -> Any:
    """`square_shape` as a tensor."""
    sizes = tf.shape(vector)
    return tf.concat([sizes, sizes[-1:]], 0)


def shape_of(value: Any) -> Any:
    """The shape of a tensor, as a tensor."""
    return tf.shape(value)


def solve(matrix: Any, rhs: Any, adjoint: bool = False) -> Any:
    """`tf.linalg.solve` with broadcast batches."""
    matrix, rhs = broadcast_batches(matrix, rhs)
    return tf.linalg.solve(matrix, rhs, adjoint=adjoint)


def triangular_solve(matrix: Any, rhs: Any, lower: bool = True, adjoint: bool = False) -> Any:
    """`tf.linalg.triangular_solve` with broadcast batches."""
    matrix, rhs = broadcast_batches(matrix, rhs)
    return tf.linalg.triangular_solve(matrix, rhs, lower=lower, adjoint=adjoint)


def cholesky_solve(cholesky: Any, rhs: Any) -> Any:
    """`tf.linalg.cholesky_solve` with broadcast batches."""
    cholesky, rhs = broadcast_batches(cholesky, rhs)
    return tf.linalg.cholesky_solve(cholesky, rhs)


def both_square(first: Any, second: Any) -> bool | None:
    """Whether a product of two operators is square, as far as their hints say."""
    if first.is_square and second.is_square:
        return True
    if (first.is_square is False) != (second.is_square is False):
        return False
    return None


def all_or_none(answers: Sequence[bool | None]) -> bool | None:
    """True if all are True, else None: that some are not says nothing of the whole."""
    return True if all(answers) else None


def both_non_singular(first: Any, second: Any) -> bool | None:
    """Whether a product of two square operators is non-singular."""
    if first.is_non_singular is False or second.is_non_singular is False:
        return False
    return all_or_none([first.is_non_singular, second.is_non_singular])


def commuting_self_adjoint(first: Any, second: Any) -> bool | None:
    """Whether a product of two operators that commute is self-adjoint."""
    if first.is_self_adjoint and second.is_self_adjoint:
        return True
    if (first.is_self_adjoint is True and second.is_self_adjoint is False) or (
        first.is_self_adjoint is False and second.is_self_adjoint is True
    ):
        return False
    return None


def commuting_positive_definite(first: Any, second: Any) -> bool | None:
    """Whether a product of two operators that commute is positive definite."""
    if (
        first.is_positive_definite is True
        and first.is_self_adjoint is True
        and second.is_positive_definite is True
        and second.is_self_adjoint is True
    ):
        return True
    return None


def commuting_hints(first: Any, second: Any) -> dict[str, Any]:
    """What is known of the product of two operators that commute."""
    return {
        "is_non_singular": both_non_singular(first, second),
        "is_self_adjoint": commuting_self_adjoint(first, second),
        "is_positive_definite": commuting_positive_definite(first, second),
        "is_square": True,
    }


def hints_of(operator: Any) -> dict[str, Any]:
    """What is known of ``operator``, as the arguments of a constructor."""
    return {
        "is_non_singular": operator.is_non_singular,
        "is_self_adjoint": operator.is_self_adjoint,
        "is_positive_definite": operator.is_positive_definite,
        "is_square": operator.is_square,
    }
