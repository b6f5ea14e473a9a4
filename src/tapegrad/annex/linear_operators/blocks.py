"""Operators made of blocks: along the diagonal, and below it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from numpy import newaxis

from tapegrad import dtypes
from tapegrad.annex.linear_operators import helpers, ops
from tapegrad.annex.linear_operators.combined import PartByPart, common_dtype
from tapegrad.annex.linear_operators.matrices import LinearOperatorFullMatrix
from tapegrad.annex.linear_operators.operator import LinearOperator
from tapegrad.annex.linear_operators.parameters import Parameter
from tapegrad.annex.linear_operators.sizes import Computed

PUBLIC = {"linalg compat.v1.linalg": "LinearOperatorBlockDiag LinearOperatorBlockLowerTriangular"}


def _extent(diagonal: list[Any], of: Any) -> tuple[Any, Any]:
    """How many rows and columns blocks along a diagonal have together."""
    shapes = [of.shape(operator) for operator in diagonal]
    return of.total([shape[-2] for shape in shapes]), of.total([shape[-1] for shape in shapes])


class _OfBlocks(LinearOperator):
    """What operators of blocks share: they take and give lists of blocks as well as whole tensors."""

    @property
    def _diagonal(self) -> list[Any]:
        """The operators along the diagonal."""
        raise NotImplementedError

    def _is_blocks(self, x: Any, axis: int, adjoint: bool) -> bool:
        """Whether ``x`` is a list with one tensor for each block."""
        if not isinstance(x, (list, tuple)) or len(x) != len(self._diagonal):
            return False
        for part, operator in zip(x, self._diagonal, strict=True):
            if not hasattr(part, "shape") and not isinstance(part, (list, tuple)):
                return False
            shape = ops.convert_to_tensor(part).shape
            wanted = operator.range_dimension if adjoint else operator.domain_dimension
            if shape.rank is None or shape.rank < -axis:
                return False
            if not wanted.is_compatible_with(shape[axis]):
                return False
        return True

    def _split(self, x: Any, axis: int, adjoint: bool) -> list[Any]:
        """``x`` in the parts that belong to the blocks."""
        sizes = [
            operator.range_dimension_tensor() if adjoint else operator.domain_dimension_tensor()
            for operator in self._diagonal
        ]
        parts: list[Any] = ops.split(x, ops.stack(sizes), axis=axis)
        return parts

    def matmul(
        self, x: Any, adjoint: bool = False, adjoint_arg: bool = False, name: str = "matmul"
    ) -> Any:
        """``A X``, of a tensor or an operator; of a list with a tensor for each block, a list."""
        if not isinstance(x, LinearOperator) and self._is_blocks(
            x, -1 if adjoint_arg else -2, adjoint
        ):
            parts = [helpers.adjoint(self._argument(part), adjoint_arg) for part in x]
            return self._block_matmul(parts, adjoint)
        return super().matmul(x, adjoint, adjoint_arg, name)

    def matvec(self, x: Any, adjoint: bool = False, name: str = "matvec") -> Any:
        """``A x``, of a vector, or of a list with a vector for each block, which gives a list."""
        if self._is_blocks(x, -1, adjoint):
            parts = [self._argument(part)[..., newaxis] for part in x]
            return [ops.squeeze(part, -1) for part in self._block_matmul(parts, adjoint)]
        return super().matvec(x, adjoint, name)

    def solve(
        self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False, name: str = "solve"
    ) -> Any:
        """The X with ``A X = rhs``; of a list with a tensor for each block, a list."""
        if not isinstance(rhs, LinearOperator) and self._is_blocks(
            rhs, -1 if adjoint_arg else -2, not adjoint
        ):
            self._refuse_singular("Exact solve")
            parts = [helpers.adjoint(self._argument(part), adjoint_arg) for part in rhs]
            return self._block_solve(parts, adjoint)
        return super().solve(rhs, adjoint, adjoint_arg, name)

    def solvevec(self, rhs: Any, adjoint: bool = False, name: str = "solve") -> Any:
        """The x with ``A x = rhs``; of a list with a vector for each block, a list."""
        if self._is_blocks(rhs, -1, not adjoint):
            self._refuse_singular("Exact solve")
            parts = [self._argument(part)[..., newaxis] for part in rhs]
            return [ops.squeeze(part, -1) for part in self._block_solve(parts, adjoint)]
        return super().solvevec(rhs, adjoint, name)

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        parts = self._split(helpers.adjoint(x, adjoint_arg), -2, adjoint)
        return self._joined(self._block_matmul(parts, adjoint))

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        parts = self._split(helpers.adjoint(rhs, adjoint_arg), -2, not adjoint)
        return self._joined(self._block_solve(parts, adjoint))

    def _joined(self, parts: list[Any]) -> Any:
        """The parts below each other, in a batch of all batch axes."""
        batches = [ops.shape(part)[:-2] for part in parts]
        batch = Computed.broadcast([self.batch_shape_tensor(), *batches])
        return ops.concat([helpers.with_batch(part, batch) for part in parts], -2)

    def _block_matmul(self, parts: list[Any], adjoint: bool) -> list[Any]:
        raise NotImplementedError

    def _block_solve(self, parts: list[Any], adjoint: bool) -> list[Any]:
        raise NotImplementedError

    def _refuse_rectangular_blocks(self, what: str) -> None:
        if not all(operator.is_square is not False for operator in self._diagonal):
            raise NotImplementedError(f"{what} not implemented for blocks that are not square.")

    def _determinant(self) -> Any:
        self._refuse_rectangular_blocks("Determinant")
        return helpers.product([operator.determinant() for operator in self._diagonal])

    def _log_abs_determinant(self) -> Any:
        self._refuse_rectangular_blocks("Determinant")
        return helpers.total([operator.log_abs_determinant() for operator in self._diagonal])

    def _trace(self) -> Any:
        self._refuse_rectangular_blocks("Trace")
        return helpers.total([operator.trace() for operator in self._diagonal])

    def _diag_part(self) -> Any:
        self._refuse_rectangular_blocks("The diagonal is")
        return self._in_one_row([operator.diag_part() for operator in self._diagonal])

    def _in_one_row(self, parts: list[Any]) -> Any:
        batch = self.batch_shape_tensor()
        return ops.concat([helpers.with_batch(part, batch, axes=1) for part in parts], -1)

    def _eigvals(self) -> Any:
        return self._in_one_row([operator.eigvals() for operator in self._diagonal])


class LinearOperatorBlockDiag(PartByPart, _OfBlocks):
    """The operators along the diagonal of a larger one that is zero elsewhere.

    >>> first = tf.linalg.LinearOperatorDiag([1.0])
    >>> second = tf.linalg.LinearOperatorFullMatrix([[2.0, 3.0], [4.0, 5.0]])
    >>> tf.linalg.LinearOperatorBlockDiag([first, second]).to_dense().numpy().tolist()
    [[1.0, 0.0, 0.0], [0.0, 2.0, 3.0], [0.0, 4.0, 5.0]]
    """

    _part_noun = "blocks"
    _whole_noun = "the block diagonal operator"
    _joint = "_ds_"

    def __init__(
        self,
        operators: Any,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = True,
        name: str | None = None,
    ) -> None:
        hints = (is_non_singular, is_self_adjoint, is_positive_definite, is_square)
        super().__init__(operators, *hints, name=name)

    def _implied(self, hints: Mapping[str, Any]) -> dict[str, bool | None]:
        return self._combined(hints, "is_non_singular", "is_self_adjoint", "is_positive_definite")

    @property
    def _diagonal(self) -> list[Any]:
        return self._operators

    def _sizes(self, of: Any) -> tuple[Any, Any, Any]:
        return self._batch_of(of), *_extent(self._operators, of)

    def _block_matmul(self, parts: list[Any], adjoint: bool) -> list[Any]:
        return [
            operator.matmul(part, adjoint=adjoint)
            for operator, part in zip(self.operators, parts, strict=True)
        ]

    def _block_solve(self, parts: list[Any], adjoint: bool) -> list[Any]:
        self._refuse_rectangular_blocks("Exact solve")
        return [
            operator.solve(part, adjoint=adjoint)
            for operator, part in zip(self.operators, parts, strict=True)
        ]

    def _to_dense(self) -> Any:
        rows = []
        before: Any = 0
        columns = self.domain_dimension_tensor()
        for operator in self.operators:
            dense = helpers.with_batch(operator.to_dense(), self.batch_shape_tensor())
            size = operator.domain_dimension_tensor()
            sides = ops.stack([before, columns - before - size])
            paddings = ops.concat(
                [ops.zeros([self.batch_shape.rank + 1, 2], dtypes.int32), sides[newaxis]], 0
            )
            rows.append(ops.pad(dense, paddings))
            before = before + size
        return ops.concat(rows, -2)

    def _made_of(self, operators: list[Any], **hints: Any) -> Any:
        return LinearOperatorBlockDiag(operators, **hints)

    def _assert_positive_definite(self) -> Any:
        for operator in self.operators:
            operator.assert_positive_definite()


class LinearOperatorBlockLowerTriangular(_OfBlocks):
    """Rows of blocks, of which each row has one block more than the row above it, and ends on the diagonal.

    >>> first, second = tf.linalg.LinearOperatorDiag([1.0]), tf.linalg.LinearOperatorFullMatrix([[2.0]])
    >>> operator = tf.linalg.LinearOperatorBlockLowerTriangular([[first], [second, first]])
    >>> operator.to_dense().numpy().tolist()
    [[1.0, 0.0], [2.0, 1.0]]
    """

    operators = Parameter("The rows of blocks.")

    def __init__(
        self,
        operators: Any,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str | None = "LinearOperatorBlockLowerTriangular",
    ) -> None:
        arguments = dict(locals())
        self._operators = [list(row) for row in operators]
        for number, row in enumerate(self._operators):
            if len(row) != number + 1:
                raise ValueError(
                    "The ith row of `operators` must have i + 1 blocks; "
                    f"row {number} has {len(row)}: {[operator.name for operator in row]}"
                )
        dtype = common_dtype([operator for row in self._operators for operator in row])
        diagonal = [row[-1] for row in self._operators]
        if all(operator.is_square for operator in diagonal):
            is_square = True if is_square is None else is_square
        if is_non_singular is None and all(operator.is_non_singular for operator in diagonal):
            is_non_singular = True
        if any(operator.is_square is False for operator in diagonal):
            raise ValueError("The blocks on the diagonal must be square.")
        self._begin(arguments, dtype, is_non_singular=is_non_singular, is_square=is_square)
        for row in self._operators:
            for operator, on_diagonal in zip(row, diagonal, strict=False):
                operator.domain_dimension.assert_is_compatible_with(on_diagonal.domain_dimension)
                operator.range_dimension.assert_is_compatible_with(row[-1].range_dimension)

    @property
    def _diagonal(self) -> list[Any]:
        return [row[-1] for row in self._operators]

    @property
    def _experimental_parameter_ndims_to_matrix_ndims(self) -> Any:
        return {"operators": [[0] * len(row) for row in self.operators]}

    def _sizes(self, of: Any) -> tuple[Any, Any, Any]:
        batches = [of.shape(operator)[:-2] for row in self.operators for operator in row]
        return of.broadcast(batches), *_extent(self._diagonal, of)

    def _block_matmul(self, parts: list[Any], adjoint: bool) -> list[Any]:
        count = len(parts)
        results = []
        for number in range(count):
            if adjoint:
                terms = [
                    self.operators[row][number].matmul(parts[row], adjoint=True)
                    for row in range(number, count)
                ]
            else:
                terms = [
                    operator.matmul(part)
                    for operator, part in zip(self.operators[number], parts, strict=False)
                ]
            results.append(sum(terms[1:], terms[0]))
        return results

    def _block_solve(self, parts: list[Any], adjoint: bool) -> list[Any]:
        # Each row, from the first to the last, has one unknown block that the rows above it do not have. The
        # adjoint is upper triangular, so there the last row comes first.
        count = len(parts)
        solved: dict[int, Any] = {}
        for number in reversed(range(count)) if adjoint else range(count):
            rest = parts[number]
            for other, known in solved.items():
                block = self.operators[other][number] if adjoint else self.operators[number][other]
                rest = rest - block.matmul(known, adjoint=adjoint)
            solved[number] = self.operators[number][number].solve(rest, adjoint=adjoint)
        return [solved[number] for number in range(count)]

    def _to_dense(self) -> Any:
        batch = self.batch_shape_tensor()
        columns = self.domain_dimension_tensor()
        rows = []
        for row in self.operators:
            parts = [
                ops.broadcast_to(
                    operator.to_dense(), ops.concat([batch, operator.shape_tensor()[-2:]], 0)
                )
                for operator in row
            ]
            joined = ops.concat(parts, -1)
            missing = ops.concat(
                [batch, [ops.shape(joined)[-2], columns - ops.shape(joined)[-1]]], 0
            )
            rows.append(ops.concat([joined, ops.zeros(missing, self.dtype)], -1))
        return ops.concat(rows, -2)

    def _linop_inverse(self) -> Any:
        count = len(self.operators)
        inverse: list[list[Any]] = []
        for number in range(count):
            on_diagonal = self.operators[number][number].inverse()
            row = []
            for column in range(number):
                total = self.operators[number][column].matmul(inverse[column][column])
                dense = total.to_dense()
                for middle in range(column + 1, number):
                    product = self.operators[number][middle].matmul(inverse[middle][column])
                    dense = dense + product.to_dense()
                row.append(LinearOperatorFullMatrix(-on_diagonal.matmul(dense)))
            inverse.append([*row, on_diagonal])
        return LinearOperatorBlockLowerTriangular(
            inverse, is_non_singular=self.is_non_singular, is_square=True
        )
