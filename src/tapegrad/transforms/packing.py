"""Flat vectors: variables and nests as one float64 vector, for optimizers and solvers of other libraries."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from tapegrad import core, extras
from tapegrad.core import VariableBase
from tapegrad.framework import nest
from tapegrad.framework.printed import Printed
from tapegrad.transforms.forward import linearize
from tapegrad.transforms.reverse import arguments_of, grad, record, scalar
from tapegrad.transforms.wrt import Point, Wrt, check_callable, dense, name_of, shape_of

PUBLIC = {"autodiff": "minimize Objective Packer"}

Array = np.ndarray[Any, Any]

# What SciPy's methods need besides the value and the gradient.
WITHOUT_GRADIENT = frozenset({"nelder-mead", "powell", "cobyla", "cobyqa"})
WITH_PRODUCTS = frozenset({"newton-cg", "trust-ncg", "trust-krylov", "trust-constr"})
WITH_HESSIAN = frozenset({"dogleg", "trust-exact"})


class Packer(Printed):
    """Packs a nest of variables and tensors into one vector of float64 numbers, and unpacks it.

    >>> w, b = tf.Variable([[1.0, 2.0]]), tf.Variable(3.0, dtype=tf.float64)
    >>> packer = tf.autodiff.Packer([w, b])
    >>> packer.pack()
    array([1., 2., 3.])
    >>> packer.assign(packer.pack() * 10)
    >>> w.numpy(), b.numpy()
    (array([[10., 20.]], dtype=float32), np.float64(30.0))

    The numbers of the first come first, each tensor in the order of its elements. A complex number takes
    two places, its real and its imaginary part. Not in TensorFlow.

    Args:
        values: a variable, a `tf.Module` or Keras model (its trainable variables), a
            floating tensor, or a nest of these. No variable may be there twice.

    Attributes:
        size: the length of the vector.

    Raises:
        TypeError: there is something else among ``values``.
        ValueError: a variable is there twice, or a module has no trainable variables.
    """

    def __init__(self, values: Any) -> None:
        point = Wrt("Packer", 0).at([values])
        self._configure(point)

    def _configure(self, point: Point) -> None:
        self._point = point
        self._sources = point.sources
        variables = [id(source) for source in point.variables]
        if len({*variables}) < len(variables):
            point.wrt.refuse(
                "a variable is there twice, and one vector cannot say two values for it", ValueError
            )
        self._counts = [
            math.prod(shape_of(source)) * (2 if source.dtype.is_complex else 1)
            for source in self._sources
        ]
        self.size = sum(self._counts)

    def pack(self, values: Any = None) -> Array:
        """The vector of the current values, or of a nest like that of the variables.

        A number in ``values`` is a tensor filled with it, for bounds for example.

        Raises:
            ValueError: ``values`` has another structure, or other shapes.
        """
        if values is None:
            return self._pack_flat(self._sources)
        if not nest.is_nested(values) and not hasattr(values, "shape"):
            values = self._point.pack([values] * len(self._sources))
        leaves = [
            np.full(shape_of(source), leaf, source.dtype.as_numpy_dtype)
            if isinstance(leaf, (int, float, complex))
            else leaf
            for leaf, source in zip(nest.flatten(values), self._sources, strict=False)
        ]
        if len(leaves) == len(nest.flatten(values)):
            values = nest.pack_sequence_as(values, leaves)
        return self._pack_flat(self._point.flat(values, "`values`"))

    def unpack(self, vector: Any) -> Any:
        """The nest of tensors that the vector says, with the shapes and dtypes of the variables.

        Raises:
            ValueError: ``vector`` has another length.
        """
        return self._point.pack(self._tensors(vector))

    def assign(self, vector: Any) -> None:
        """Assign the vector to the variables: to all of them, or, where it does not fit, to none.

        Raises:
            ValueError: ``vector`` has another length.
        """
        self._assign(self._tensors(vector))

    @contextmanager
    def holding(self, vector: Any) -> Iterator[None]:
        """A context in which the variables have the values in ``vector``. Afterwards they have their own
        again.

        >>> x = tf.Variable(1.0)
        >>> with tf.autodiff.Packer(x).holding([5.0]):
        ...     print(x.numpy())
        5.0
        >>> print(x.numpy())
        1.0
        """
        tensors = self._tensors(vector)
        kept = [core.convert(source) for source in self._sources]
        try:
            self._assign(tensors)
            yield
        finally:
            self._assign(kept)

    def _assign(self, tensors: Sequence[Any]) -> None:
        for source, tensor in zip(self._sources, tensors, strict=True):
            if isinstance(source, VariableBase):
                source.assign(tensor)  # type: ignore[attr-defined]

    def _pack_flat(self, tensors: Sequence[Any]) -> Array:
        vector = np.empty(self.size)
        begin = 0
        for tensor, source, count in zip(tensors, self._sources, self._counts, strict=True):
            numbers = np.asarray(core.static_value(core.convert(tensor), "pack")).reshape(-1)
            piece = vector[begin : begin + count]
            if source.dtype.is_complex:
                piece.view(np.complex128)[...] = numbers
            else:
                piece[...] = numbers
            begin += count
        return vector

    def _tensors(self, vector: Any) -> list[Any]:
        numbers = np.array(vector, np.float64, copy=True)
        if numbers.shape != (self.size,):
            self._point.wrt.refuse(
                f"a vector of {self.size} numbers is expected; one of shape {list(numbers.shape)} came",
                ValueError,
            )
        tensors, begin = [], 0
        for source, count in zip(self._sources, self._counts, strict=True):
            piece = numbers[begin : begin + count]
            if source.dtype.is_complex:
                piece = piece.view(np.complex128)
            shaped = piece.reshape(shape_of(source)).astype(source.dtype.as_numpy_dtype)
            tensors.append(core.convert(shaped))
            begin += count
        return tensors


class Objective(Packer):
    """A function of variables or arguments as a function of one vector, with its derivatives.

    >>> from scipy.optimize import minimize
    >>> x = tf.Variable([-1.0, 2.0], dtype=tf.float64)
    >>> def rosenbrock():
    ...     return 100.0 * (x[1] - x[0] ** 2) ** 2 + (1.0 - x[0]) ** 2
    >>> objective = tf.autodiff.Objective(rosenbrock, wrt=x)
    >>> found = minimize(objective.value_and_gradient, objective.pack(), jac=True,
    ...                  hessp=objective.hessian_product, method="trust-ncg")
    >>> found.x.round(4)
    array([1., 1.])
    >>> objective.assign(found.x)

    `tf.autodiff.minimize` does all this in one call. Its methods leave variables as they were, even where
    the function raises: only `assign` changes them. Not in TensorFlow.

    Args:
        function: returns a scalar.
        args: a tuple or list of its positional arguments.
        wrt: what is in the vector, as for `tf.autodiff.grad`: by default the first argument.

    Raises:
        TypeError, ValueError: as `tf.autodiff.grad` does, or because a variable is there twice.
    """

    def __init__(
        self, function: Callable[..., Any], args: Sequence[Any] = (), wrt: Any = 0
    ) -> None:
        check_callable("Objective", function)
        chosen = Wrt("Objective", wrt)
        self._function = function
        self._wrt = wrt
        self._configure(chosen.at(arguments_of(chosen, args)))
        self._gradient = grad(function, wrt)
        # Many products are wanted at one place, one after the other.
        self._linear_at = np.zeros(0)
        self._linear: Callable[..., Any] | None = None

    def value(self, vector: Any) -> float:
        """The function's value."""
        with self._at(vector) as args:
            number = scalar(self._point.wrt, self._function, self._function(*args))
        return float(core.static_value(number, "value"))

    def value_and_gradient(self, vector: Any) -> tuple[float, Array]:
        """The function's value, and its gradient as a vector."""
        with self._at(vector) as args:
            here = self._point.wrt.at(args)
            tape, value, _ = record(here, self._function, {}, has_aux=False)
            number = scalar(here.wrt, self._function, value)
        gradients = here.dense(tape.gradient(number, here.sources))
        return float(core.static_value(number, "value")), self._pack_flat(gradients)

    def hessian_product(self, vector: Any, direction: Any) -> Array:
        """The Hessian times a vector. Products at one place in turn run the function once."""
        here = np.array(vector, np.float64, copy=True)
        if self._linear is None or not np.array_equal(self._linear_at, here):
            self._linear = None
            with self._at(here) as args:
                self._linear = linearize(self._gradient, *args, wrt=self._wrt)[1]
            self._linear_at = here
        product = self._linear(self.unpack(direction))
        leaves = zip(nest.flatten(product), self._sources, strict=True)
        return self._pack_flat([dense(leaf, source) for leaf, source in leaves])

    def hessian(self, vector: Any) -> Array:
        """The Hessian as a matrix, by one product for each number in the vector."""
        rows = [self.hessian_product(vector, direction) for direction in np.eye(self.size)]
        return np.array(rows).reshape(self.size, self.size)

    @contextmanager
    def _at(self, vector: Any) -> Iterator[list[Any]]:
        """The arguments that the vector says, in a context in which the variables have its values."""
        args = self._point.moved(self._tensors(vector))
        if self._point.variables:
            with self.holding(vector):
                yield args
        else:
            yield args


def minimize(
    function: Callable[..., Any],
    args: Sequence[Any] = (),
    *,
    wrt: Any = 0,
    method: str = "L-BFGS-B",
    **options: Any,
) -> Any:
    """The smallest value of ``function`` by `scipy.optimize.minimize`, which gets exact derivatives.

    >>> line = tf.Module()
    >>> line.slope, line.offset = tf.Variable(0.0), tf.Variable(0.0)
    >>> x, y = tf.constant([1.0, 2.0, 3.0]), tf.constant([5.0, 7.0, 9.0])
    >>> def loss():
    ...     return tf.reduce_mean((line.slope * x + line.offset - y) ** 2)
    >>> result = tf.autodiff.minimize(loss, wrt=line)
    >>> line.slope.numpy().round(3), line.offset.numpy().round(3)
    (np.float32(2.0), np.float32(3.0))

    Of arguments, ``result.solution`` has the values:

    >>> tf.autodiff.minimize(lambda x: tf.cosh(x - 2.0), [0.0], method="trust-ncg").solution.numpy().round(3)
    np.float32(2.0)

    Methods that use second derivatives get products with the Hessian ("Newton-CG", "trust-ncg",
    "trust-krylov", "trust-constr") or the Hessian ("dogleg", "trust-exact"). The variables are assigned
    once, at the end. If the function or SciPy raises, they are unchanged. Not in TensorFlow; it
    needs SciPy (``pip install tapegrad[scipy]``).

    Args:
        function: returns a scalar.
        args: a tuple or list of its positional arguments.
        wrt: what to change, as for `tf.autodiff.grad`: variables, a module, or positions of arguments,
            where the search begins.
        method: one of SciPy's.
        options: other arguments of `scipy.optimize.minimize`: ``bounds``, ``tol``, ``options``,
            ``callback`` and so on. Vectors there are as `Packer.pack` makes them.

    Returns:
        What SciPy returns, with one attribute more: ``solution``, a nest as ``wrt`` describes it.

    Raises:
        TypeError, ValueError: as `Objective` does, or from SciPy.
    """
    optimize = extras.imported("scipy", "scipy.optimize", "tf.autodiff.minimize()")
    reserved = {"jac", "hess", "hessp", "fun", "x0"} & options.keys()
    if reserved:
        raise TypeError(
            f"tf.autodiff.minimize() gives SciPy the derivatives of {name_of(function)}(): "
            f"leave out {', '.join(sorted(reserved))}."
        )
    objective = Objective(function, args, wrt)
    known = method.lower() if isinstance(method, str) else ""
    if known in WITH_PRODUCTS:
        options["hessp"] = objective.hessian_product
    elif known in WITH_HESSIAN:
        options["hess"] = objective.hessian
    without = known in WITHOUT_GRADIENT
    result = optimize.minimize(
        objective.value if without else objective.value_and_gradient,
        objective.pack(),
        method=method,
        jac=None if without else True,
        **options,
    )
    result.solution = objective.unpack(result.x)
    objective.assign(result.x)
    return result
