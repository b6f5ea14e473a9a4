"""`LinearOperator`: what every linear operator can do, by its dense matrix where it knows no better way."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy import newaxis

from tapegrad import dtypes
from tapegrad.annex.internal.composite import CompositeTensor
from tapegrad.annex.linear_operators import helpers, ops
from tapegrad.annex.linear_operators.parameters import Parameter
from tapegrad.annex.linear_operators.sizes import Computed, Known, square
from tapegrad.annex.linear_operators.spec import sliced, spec_class
from tapegrad.framework.module import Module
from tapegrad.framework.overrides import load_overrides
from tapegrad.framework.shape import Dimension

PUBLIC = {"linalg compat.v1.linalg": "LinearOperator"}


class Makers(NamedTuple):
    """What the base class makes other operators with. `algebra`, which knows all of them, gives it."""

    know: Callable[[type], None]
    multiply: Callable[[Any, Any], Any]
    divide: Callable[[Any, Any], Any]
    inversion: Callable[..., Any]
    adjoint: Callable[..., Any]
    lower_triangular: Callable[..., Any]


makers: Makers


def set_makers(functions: Makers) -> None:
    """Let all operators use these."""
    global makers
    makers = functions


class LinearOperator(Module, CompositeTensor):
    """A matrix, or a batch of matrices, that need not be stored as such.

    A subclass defines ``_shape`` and ``_matmul``, and whatever else its structure makes cheaper.

    >>> operator = tf.linalg.LinearOperatorDiag([1.0, 2.0])
    >>> operator.matvec([3.0, 4.0]).numpy().tolist(), operator.determinant().numpy().tolist()
    ([3.0, 8.0], 2.0)

    Args:
      dtype: The type of the elements, and of what is multiplied.
      graph_parents: Unused.
      is_non_singular: Whether the matrix is known to have an inverse. None, here and below, says nothing.
      is_self_adjoint: Whether it is known to equal its adjoint.
      is_positive_definite: Whether the real part of ``x^H A x`` is known to be positive for all x but zero.
      is_square: Whether it is known to be square.
      name: The name of the operator; otherwise that of its class.
      parameters: The arguments of the constructor.
    """

    _TF_MODULE_IGNORED_PROPERTIES = Module._TF_MODULE_IGNORED_PROPERTIES | {
        "_parameters",
        "_graph_parents",
    }
    # The names of the parameters that the spec knows; those that are declared, if nothing else is said.
    _composite_tensor_fields: tuple[str, ...] = ()
    _composite_tensor_prefer_static_fields: tuple[str, ...] = ()
    _declared: ClassVar[dict[str, Parameter]] = {}
    # Hints that hold for every such operator, and those that hold if its tensor is real: each with its value,
    # and the message for a constructor that was told otherwise.
    _always: ClassVar[Mapping[str, tuple[bool, str]]] = {}
    _always_if_real: ClassVar[Mapping[str, tuple[bool, str]]] = {}

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        own = {name: value for name, value in vars(cls).items() if isinstance(value, Parameter)}
        if own:
            cls._declared = {**cls._declared, **own}
            if "_composite_tensor_fields" not in vars(cls):
                cls._composite_tensor_fields = tuple(cls._declared)

    def __init__(
        self,
        dtype: Any,
        graph_parents: Any = None,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str | None = None,
        parameters: Any = None,
    ) -> None:
        if is_positive_definite:
            if is_non_singular is False:
                raise ValueError("A positive definite matrix is always non-singular.")
            is_non_singular = True
        if is_non_singular:
            if is_square is False:
                raise ValueError("A non-singular matrix is always square.")
            is_square = True
        if is_self_adjoint:
            if is_square is False:
                raise ValueError("A self-adjoint matrix is always square.")
            is_square = True
        self._is_square_set_or_implied_by_hints = is_square
        self._dtype = dtypes.as_dtype(dtype) if dtype is not None else dtype
        self._is_non_singular = is_non_singular
        self._is_self_adjoint = is_self_adjoint
        self._is_positive_definite = is_positive_definite
        self._parameters = dict(parameters or {})
        self._parameters.pop("self", None)
        self._parameters.pop("__class__", None)
        self._graph_parents = list(graph_parents or [])
        super().__init__(name=type(self).__name__)
        self._name = name or type(self).__name__
        load_overrides("tapegrad.annex.linear_operators.algebra")
        makers.know(type(self))

    def _begin(self, arguments: Mapping[str, Any], dtype: Any = None, **known: Any) -> None:
        """Keep the parameters, and what is known of the operator. The constructors of subclasses call this.

        Args:
          arguments: The ``locals()`` of the constructor.
          dtype: That of the operator, if it is not that of the last parameter.
          **known: The name, and hints that say more than the arguments.
        """
        of_tensor = dtype
        real = False
        for name, parameter in self._declared.items():
            if parameter.convert is not None:
                of_tensor = parameter.keep(self, arguments[name]).dtype
                real = not of_tensor.is_complex
        hints = {word: arguments[word] for word in ("name", *helpers.HINTS)} | known
        always = {**self._always_if_real, **self._always} if real else self._always
        for hint, (value, message) in always.items():
            if hints[hint] is not None and hints[hint] != value:
                raise ValueError(message.format(value=hints[hint], dtype=of_tensor))
            hints[hint] = value
        dtype = of_tensor if dtype is None else dtype
        LinearOperator.__init__(self, dtype, parameters=arguments, **hints)

    # --- What is known

    @property
    def parameters(self) -> dict[str, Any]:
        """The arguments of the constructor."""
        return dict(self._parameters)

    dtype = Parameter("The type of the elements.")
    name = Parameter("The name of the operator.")
    graph_parents = Parameter("What the constructor was given. Nothing needs it.")
    is_non_singular = Parameter("Whether the matrix is known to have an inverse.")
    is_self_adjoint = Parameter("Whether the matrix is known to equal its adjoint.")
    is_positive_definite = Parameter("Whether the matrix is known to be positive definite.")

    @property
    def is_square(self) -> bool | None:
        """Whether the matrix is square, by the hints, and without any by its shape.

        Raises:
            ValueError: the matrix is square, and a hint says that it is not.
        """
        rows, columns = self.shape[-2:] if self.shape.rank is not None else (None, None)
        hint = self._is_square_set_or_implied_by_hints
        if rows is None or columns is None:
            return hint
        if hint is False and rows == columns:
            raise ValueError(
                f"{self.name} was said not to be square by is_square=False, and its shape is {self.shape}"
            )
        return hint if hint is not None else rows == columns

    @property
    def shape(self) -> Any:
        """The shape ``batch_shape + [rows, columns]``, as far as it is known."""
        return self._shape()

    @property
    def batch_shape(self) -> Any:
        """The shape of the batch, as far as it is known."""
        return self.shape[:-2]

    @property
    def tensor_rank(self) -> int | None:
        """The number of axes of the dense matrix with its batch."""
        rank: int | None = self.shape.rank
        return rank

    @property
    def domain_dimension(self) -> Any:
        """The number of columns, as a `tf.compat.v1.Dimension`."""
        return Dimension(None) if self.shape.rank is None else self.shape.dims[-1]

    @property
    def range_dimension(self) -> Any:
        """The number of rows, as a `tf.compat.v1.Dimension`."""
        return Dimension(None) if self.shape.rank is None else self.shape.dims[-2]

    def shape_tensor(self, name: str = "shape_tensor") -> Any:
        """The shape, as a tensor."""
        if self.shape.is_fully_defined():
            return ops.constant(self.shape.as_list(), dtypes.int32)
        return self._shape_tensor()

    def batch_shape_tensor(self, name: str = "batch_shape_tensor") -> Any:
        """The shape of the batch, as a tensor."""
        return self.shape_tensor()[:-2]

    def tensor_rank_tensor(self, name: str = "tensor_rank_tensor") -> Any:
        """The number of axes, as a tensor."""
        if self.tensor_rank is not None:
            return ops.constant(self.tensor_rank)
        return ops.size(self.shape_tensor())

    def domain_dimension_tensor(self, name: str = "domain_dimension_tensor") -> Any:
        """The number of columns, as a tensor."""
        return self.shape_tensor()[-1]

    def range_dimension_tensor(self, name: str = "range_dimension_tensor") -> Any:
        """The number of rows, as a tensor."""
        return self.shape_tensor()[-2]

    # --- Products and solutions

    def matmul(
        self, x: Any, adjoint: bool = False, adjoint_arg: bool = False, name: str = "matmul"
    ) -> Any:
        """``A X``, of a matrix, a batch of matrices or another operator.

        >>> tf.linalg.LinearOperatorDiag([1.0, 2.0]).matmul([[1.0], [1.0]]).numpy().tolist()
        [[1.0], [2.0]]

        Args:
          x: A tensor of the operator's dtype, or an operator.
          adjoint: Whether to multiply by the adjoint of this operator.
          adjoint_arg: Whether to multiply the adjoint of ``x``.
          name: Unused.
        """
        if isinstance(x, LinearOperator):
            return makers.multiply(*self._operands(x, adjoint, adjoint_arg))
        x = self._argument(x)
        self._check_dimension(x, adjoint, -1 if adjoint_arg else -2)
        return self._matmul(x, adjoint=adjoint, adjoint_arg=adjoint_arg)

    def __matmul__(self, other: Any) -> Any:
        return self.matmul(other)

    def matvec(self, x: Any, adjoint: bool = False, name: str = "matvec") -> Any:
        """``A x``, of a vector or a batch of vectors."""
        x = self._argument(x)
        self._check_dimension(x, adjoint, -1)
        return self._matvec(x, adjoint=adjoint)

    def solve(
        self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False, name: str = "solve"
    ) -> Any:
        """The X with ``A X = rhs``, for a matrix, a batch of matrices or another operator.

        >>> tf.linalg.LinearOperatorDiag([1.0, 2.0]).solve([[1.0], [1.0]]).numpy().tolist()
        [[1.0], [0.5]]

        Raises:
          NotImplementedError: The operator is known to be singular or not square.
        """
        self._refuse_singular("Exact solve")
        if isinstance(rhs, LinearOperator):
            return makers.divide(*self._operands(rhs, adjoint, adjoint_arg))
        rhs = self._argument(rhs)
        self._check_dimension(rhs, not adjoint, -1 if adjoint_arg else -2)
        return self._solve(rhs, adjoint=adjoint, adjoint_arg=adjoint_arg)

    def solvevec(self, rhs: Any, adjoint: bool = False, name: str = "solve") -> Any:
        """The x with ``A x = rhs``, for a vector or a batch of vectors."""
        self._refuse_singular("Exact solve")
        rhs = self._argument(rhs)
        self._check_dimension(rhs, not adjoint, -1)
        return self._solvevec(rhs, adjoint=adjoint)

    def inverse(self, name: str = "inverse") -> Any:
        """The operator that is the inverse of this one."""
        if self.is_square is False:
            raise ValueError(
                "Cannot take the Inverse: This operator represents a non square matrix."
            )
        if self.is_non_singular is False:
            raise ValueError("Cannot take the Inverse: This operator represents a singular matrix.")
        return self._linop_inverse()

    def adjoint(self, name: str = "adjoint") -> Any:
        """The operator that is the adjoint of this one: this one itself if it is self-adjoint."""
        if self.is_self_adjoint is True:
            return self
        return self._linop_adjoint()

    H = property(adjoint, None, None, "The adjoint.")

    def cholesky(self, name: str = "cholesky") -> Any:
        """The lower triangular operator L with ``L L^H`` equal to this one.

        Raises:
          ValueError: The operator is not known to be self-adjoint and positive definite.
        """
        if not self._can_use_cholesky():
            raise ValueError(
                "Cannot take the Cholesky decomposition: Not a positive definite self adjoint matrix."
            )
        return self._linop_cholesky()

    # --- Numbers

    def determinant(self, name: str = "det") -> Any:
        """The determinant of each matrix."""
        self._refuse_rectangular("Determinant")
        return self._determinant()

    def log_abs_determinant(self, name: str = "log_abs_det") -> Any:
        """The logarithm of the absolute determinant of each matrix."""
        self._refuse_rectangular("Determinant")
        return self._log_abs_determinant()

    def trace(self, name: str = "trace") -> Any:
        """The sum of the diagonal of each matrix."""
        return self._trace()

    def diag_part(self, name: str = "diag_part") -> Any:
        """The diagonal of each matrix."""
        return self._diag_part()

    def to_dense(self, name: str = "to_dense") -> Any:
        """The matrix, or the batch of matrices, as a tensor."""
        return self._to_dense()

    def add_to_tensor(self, x: Any, name: str = "add_to_tensor") -> Any:
        """``A + x``, as a tensor."""
        return self._add_to_tensor(self._argument(x))

    def eigvals(self, name: str = "eigvals") -> Any:
        """The eigenvalues of each matrix, which must be known to be self-adjoint."""
        if not self.is_self_adjoint:
            raise NotImplementedError("Only self-adjoint matrices are supported.")
        return self._eigvals()

    def cond(self, name: str = "cond") -> Any:
        """The ratio of the largest to the smallest singular value of each matrix."""
        return self._cond()

    def assert_non_singular(self, name: str = "assert_non_singular") -> Any:
        """Raise `tf.errors.InvalidArgumentError` if a matrix is singular up to rounding."""
        return self._assert_non_singular()

    def assert_positive_definite(self, name: str = "assert_positive_definite") -> Any:
        """Raise `tf.errors.InvalidArgumentError` if a matrix is not positive definite."""
        return self._assert_positive_definite()

    def assert_self_adjoint(self, name: str = "assert_self_adjoint") -> Any:
        """Raise `tf.errors.InvalidArgumentError` if a matrix does not equal its adjoint."""
        return self._assert_self_adjoint()

    # --- What subclasses define

    def _sizes(self, of: Any) -> tuple[Any, Any, Any]:
        """The shape of the batch, the rows and the columns: see `sizes`.

        Where an operator declares one matrix, it has its shape; of one vector, it is square.
        """
        tensors = [
            parameter for parameter in self._declared.values() if parameter.convert is not None
        ]
        if len(tensors) != 1:
            raise NotImplementedError(f"{of.asked} is not implemented in {type(self).__name__}")
        shape = of.shape(getattr(self, tensors[0].name))
        return square(shape) if tensors[0].axes == 1 else (shape[:-2], shape[-2], shape[-1])

    def _shape(self) -> Any:
        return Known.joined(*self._sizes(Known))

    def _shape_tensor(self) -> Any:
        return Computed.joined(*self._sizes(Computed))

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        raise NotImplementedError(f"_matmul is not implemented in {type(self).__name__}")

    def _matvec(self, x: Any, adjoint: bool = False) -> Any:
        return ops.squeeze(self.matmul(x[..., newaxis], adjoint=adjoint), -1)

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._dense_solve(rhs, adjoint, adjoint_arg)

    def _dense_solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        self._refuse_rectangular("Exact solve")
        rhs = helpers.adjoint(rhs, adjoint_arg)
        dense = self.to_dense()
        if self._can_use_cholesky():
            return helpers.cholesky_solve(ops.cholesky(dense), rhs)
        return helpers.solve(dense, rhs, adjoint)

    def _solvevec(self, rhs: Any, adjoint: bool = False) -> Any:
        return ops.squeeze(self.solve(rhs[..., newaxis], adjoint=adjoint), -1)

    def _determinant(self) -> Any:
        if self._can_use_cholesky():
            return ops.exp(self.log_abs_determinant())
        return ops.det(self.to_dense())

    def _log_abs_determinant(self) -> Any:
        if self._can_use_cholesky():
            diagonal = ops.diag_part(ops.cholesky(self.to_dense()))
            return 2 * ops.reduce_sum(ops.log(diagonal), -1)
        return ops.slogdet(self.to_dense())[1]

    def _trace(self) -> Any:
        return ops.reduce_sum(self.diag_part(), -1)

    def _diag_part(self) -> Any:
        return ops.diag_part(self.to_dense())

    def _to_dense(self) -> Any:
        columns = self.domain_dimension_tensor()
        return self.matmul(
            ops.eye(columns, batch_shape=self.batch_shape_tensor(), dtype=self.dtype)
        )

    def _add_to_tensor(self, x: Any) -> Any:
        return self.to_dense() + x

    def _eigvals(self) -> Any:
        return ops.eigvalsh(self.to_dense())

    def _cond(self) -> Any:
        if self.is_self_adjoint:
            sizes = ops.abs(self._eigvals())
        else:
            sizes = ops.svd(self.to_dense(), compute_uv=False)
        return ops.reduce_max(sizes, -1) / ops.reduce_min(sizes, -1)

    def _linop_inverse(self) -> Any:
        return makers.inversion(self, **helpers.hints_of(self))

    def _linop_adjoint(self) -> Any:
        return makers.adjoint(self, **helpers.hints_of(self))

    def _linop_cholesky(self) -> Any:
        return makers.lower_triangular(
            ops.cholesky(self.to_dense()),
            is_non_singular=True,
            is_self_adjoint=False,
            is_square=True,
        )

    def _assert_non_singular(self) -> Any:
        largest = 1 / np.finfo(self.dtype.real_dtype.as_numpy_dtype).eps
        return ops.assert_less(
            self._cond(),
            ops.constant(largest, self.dtype.real_dtype),
            message="Singular matrix up to precision epsilon.",
        )

    def _assert_positive_definite(self) -> Any:
        # The Cholesky decomposition fails where the matrix is not positive definite.
        if not self.is_self_adjoint:
            raise NotImplementedError(
                f"{type(self).__name__} is not known to be self-adjoint, and only then can it be "
                "told whether it is positive definite"
            )
        diagonal = ops.diag_part(ops.cholesky(self.to_dense()))
        return ops.assert_positive(ops.real(diagonal), message="Matrix was not positive definite.")

    def _assert_self_adjoint(self) -> Any:
        dense = self.to_dense()
        return ops.assert_equal(
            dense, ops.adjoint(dense), message="Matrix was not equal to its adjoint."
        )

    # --- Shared by all

    def _ones(self) -> Any:
        """A one for each matrix."""
        return ops.ones(self.batch_shape_tensor(), self.dtype)

    def _zeros(self) -> Any:
        return ops.zeros(self.batch_shape_tensor(), self.dtype)

    def _can_use_cholesky(self) -> bool:
        return bool(self.is_self_adjoint and self.is_positive_definite)

    def _argument(self, x: Any) -> Any:
        """``x`` as a tensor of the operator's dtype."""
        x = ops.convert_to_tensor(x)
        if self.dtype is not None and x.dtype != self.dtype:
            raise TypeError(
                f"Input tensor has dtype {x.dtype.name}, and the operator {self.name} "
                f"has dtype {self.dtype.name}."
            )
        return x

    def _check_dimension(self, x: Any, adjoint: bool, axis: int) -> None:
        """Refuse an ``x`` whose size at ``axis`` is not the number of columns, or of rows if adjoint."""
        if self.shape.rank is None or x.shape.rank is None:
            return
        if x.shape.rank < -axis:
            raise ValueError(f"{self.name}: the argument has shape {x.shape}, too few axes")
        self.shape.dims[-2 if adjoint else -1].assert_is_compatible_with(x.shape.dims[axis])

    def _operands(self, other: Any, adjoint: bool, adjoint_arg: bool) -> tuple[Any, Any]:
        """This operator and ``other``, or their adjoints, which must fit."""
        left = self.adjoint() if adjoint else self
        right = other.adjoint() if adjoint_arg else other
        columns, rows = left.domain_dimension.value, right.range_dimension.value
        if columns is not None and rows is not None and columns != rows:
            raise ValueError(
                f"Operators are incompatible. Expected `x` to have dimension {columns} but got {rows}."
            )
        return left, right

    def _refuse_rectangular(self, what: str) -> None:
        if self.is_square is False:
            raise NotImplementedError(
                f"{what} not implemented for an operator that is expected to not be square."
            )

    def _refuse_singular(self, what: str) -> None:
        if self.is_non_singular is False:
            raise NotImplementedError(
                f"{what} not implemented for an operator that is expected to be singular."
            )
        self._refuse_rectangular(what)

    @property
    def _experimental_parameter_ndims_to_matrix_ndims(self) -> Any:
        declared = self._declared.items()
        return {
            name: parameter.axes for name, parameter in declared if parameter.axes is not None
        } or ()

    @property
    def _type_spec(self) -> Any:
        return spec_class(type(self)).from_operator(self)

    def __getitem__(self, slices: Any) -> Any:
        return sliced(self, slices)
