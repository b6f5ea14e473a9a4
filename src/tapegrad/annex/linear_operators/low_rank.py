"""`LinearOperatorLowRankUpdate`: an operator plus a product of two narrow matrices."""

from __future__ import annotations

from typing import Any

from numpy import newaxis

from tapegrad.annex.linear_operators import helpers, ops
from tapegrad.annex.linear_operators.identity import LinearOperatorIdentity
from tapegrad.annex.linear_operators.matrices import LinearOperatorDiag
from tapegrad.annex.linear_operators.operator import LinearOperator
from tapegrad.annex.linear_operators.parameters import Parameter, numbers

PUBLIC = {"linalg compat.v1.linalg": "LinearOperatorLowRankUpdate"}


class LinearOperatorLowRankUpdate(LinearOperator):
    """``base_operator + u diag(diag_update) v^H``, or a batch of such sums.

    Solutions and determinants are those of the base and of a matrix as small as ``u`` is narrow (the formulas
    of Woodbury and of the matrix determinant lemma).

    >>> base = tf.linalg.LinearOperatorDiag([1.0, 2.0], is_positive_definite=True)
    >>> tf.linalg.LinearOperatorLowRankUpdate(base, [[1.0], [1.0]]).to_dense().numpy().tolist()
    [[2.0, 1.0], [1.0, 3.0]]
    """

    base_operator = Parameter("What is added to.", axes=0)
    u = Parameter("The left factor.", axes=2)
    diag_update = Parameter("The diagonal between them, or None.", axes=1)
    v = Parameter("The right factor, before its adjoint is taken.", axes=2)
    is_diag_update_positive = Parameter("Whether the diagonal is known to be positive.")

    def __init__(
        self,
        base_operator: Any,
        u: Any,
        diag_update: Any = None,
        v: Any = None,
        is_diag_update_positive: bool | None = None,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str | None = "LinearOperatorLowRankUpdate",
    ) -> None:
        arguments = dict(locals())
        dtype = base_operator.dtype
        if diag_update is None:
            if is_diag_update_positive is False:
                raise ValueError(
                    "Default diagonal is the identity, which is positive.  However, "
                    "user set 'is_diag_update_positive' to False."
                )
            is_diag_update_positive = True
        self._use_cholesky = bool(
            base_operator.is_positive_definite
            and base_operator.is_self_adjoint
            and is_diag_update_positive
            and v is None
        )
        if base_operator.is_self_adjoint and v is None and not dtype.is_complex:
            if is_self_adjoint is False:
                raise ValueError(
                    "A = L + UDU^H, with L self-adjoint and D real diagonal.  Since "
                    "UDU^H is self-adjoint, this must be a self-adjoint operator."
                )
            is_self_adjoint = True
        if self._use_cholesky:
            if (
                is_positive_definite is False
                or is_self_adjoint is False
                or is_non_singular is False
            ):
                raise ValueError("Arguments imply this is self-adjoint positive-definite operator.")
            is_positive_definite = is_self_adjoint = True
        self._base_operator = base_operator
        self._u = numbers(u, "u")
        self._v = self._u if v is None else numbers(v, "v")
        self._diag_update = None if diag_update is None else numbers(diag_update, "diag_update")
        self._is_diag_update_positive = is_diag_update_positive
        for tensor in (self._u, self._v, self._diag_update):
            if tensor is not None and tensor.dtype != dtype:
                raise TypeError(
                    f"All parameters must have the dtype of the base operator, {dtype.name}; "
                    f"one has {tensor.dtype.name}"
                )
        self._begin(
            arguments,
            dtype,
            is_self_adjoint=is_self_adjoint,
            is_positive_definite=is_positive_definite,
        )
        if self._diag_update is None:
            size = self._u.shape[-1]
            self._diag_operator: Any = LinearOperatorIdentity(
                ops.shape(self._u)[-1] if size is None else size, dtype=dtype
            )
        else:
            self._diag_operator = LinearOperatorDiag(
                self._diag_update, is_positive_definite=is_diag_update_positive
            )

    @property
    def diag_operator(self) -> Any:
        """The diagonal between them, as an operator."""
        return self._diag_operator

    def _sizes(self, of: Any) -> tuple[Any, Any, Any]:
        shape = of.shape(self._base_operator)
        parts = [of.shape(self._diag_operator)[:-2], of.shape(self._u)[:-2], of.shape(self._v)[:-2]]
        return of.broadcast([shape[:-2], *parts]), shape[-2], shape[-1]

    def _factors(self, adjoint: bool) -> tuple[Any, Any]:
        return (self._v, self._u) if adjoint else (self._u, self._v)

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        left, right = self._factors(adjoint)
        narrow = ops.matmul(right, x, adjoint_a=True, adjoint_b=adjoint_arg)
        update = ops.matmul(left, self.diag_operator.matmul(narrow, adjoint=adjoint))
        return self.base_operator.matmul(x, adjoint=adjoint, adjoint_arg=adjoint_arg) + update

    def _capacitance(self) -> Any:
        """``D^-1 + V^H L^-1 U``."""
        product = ops.matmul(self._v, self.base_operator.solve(self._u), adjoint_a=True)
        return self.diag_operator.inverse().add_to_tensor(product)

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        left, right = self._factors(adjoint)
        solved = self.base_operator.solve(rhs, adjoint=adjoint, adjoint_arg=adjoint_arg)
        narrow = ops.matmul(right, solved, adjoint_a=True)
        if self._use_cholesky:
            narrow = helpers.cholesky_solve(ops.cholesky(self._capacitance()), narrow)
        else:
            narrow = helpers.solve(self._capacitance(), narrow, adjoint=adjoint)
        return solved - self.base_operator.solve(ops.matmul(left, narrow), adjoint=adjoint)

    def _determinant(self) -> Any:
        base = self.base_operator.determinant()
        inner = self.diag_operator.determinant()
        if self._use_cholesky:
            diagonal = ops.diag_part(ops.cholesky(self._capacitance()))
            return ops.reduce_prod(ops.square(diagonal), -1) * inner * base
        return ops.det(self._capacitance()) * inner * base

    def _log_abs_determinant(self) -> Any:
        base = self.base_operator.log_abs_determinant()
        inner = self.diag_operator.log_abs_determinant()
        if self._use_cholesky:
            diagonal = ops.diag_part(ops.cholesky(self._capacitance()))
            return 2 * ops.reduce_sum(ops.log(diagonal), -1) + inner + base
        sizes = ops.slogdet(self._capacitance())[1]
        return ops.cast(sizes, self.dtype) + inner + base

    def _diag_part(self) -> Any:
        product = self._u_times_diagonal() * helpers.conjugate(ops.convert_to_tensor(self._v))
        return self.base_operator.diag_part() + ops.reduce_sum(product, -1)

    def _u_times_diagonal(self) -> Any:
        if self._diag_update is None:
            return ops.convert_to_tensor(self._u)
        return self._u * ops.convert_to_tensor(self._diag_update)[..., newaxis, :]

    def _to_dense(self) -> Any:
        update = ops.matmul(self._u_times_diagonal(), self._v, adjoint_b=True)
        return self.base_operator.add_to_tensor(update)
