"""Implicit differentiation: derivatives of what an equation defines, however its solution was found."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from tapegrad import core, extras
from tapegrad.autodiff.tape import GradientTape
from tapegrad.errors import refuse
from tapegrad.framework import nest
from tapegrad.ops.elementwise.math import negative, subtract
from tapegrad.ops.linalg.solvers import solve
from tapegrad.ops.shape.array import identity, reshape, transpose
from tapegrad.ops.shape.casts import cast
from tapegrad.ops.shape.joining import concat, split
from tapegrad.transforms.wrt import (
    check_callable,
    dense,
    floats,
    name_of,
    shape_of,
    variable_behind,
)

PUBLIC = {"autodiff": "implicit_fixed_point implicit_root"}

Array = np.ndarray[Any, Any]
# Takes the unknowns and the inputs; the solution makes all that it returns zero.
Equations = Callable[[list[Any], list[Any]], list[Any]]

# Up to so many unknowns "auto" makes the Jacobian as a matrix and factors it.
DENSE_UNKNOWNS = 256
SOLVERS = ("auto", "dense", "matrix_free")


@core.public(computes=False)
def implicit_root(
    residual: Callable[..., Any],
    solution: Any,
    *args: Any,
    solver: str = "auto",
    tolerance: float | None = None,
) -> Any:
    """``solution`` of the equation ``residual(solution, *args) = 0``, with the derivatives that this
    implies.

    >>> a = tf.Variable(2.0)
    >>> with tf.GradientTape() as tape:
    ...     x = tf.autodiff.implicit_root(lambda x, a: x * x - a, tf.constant(1.4142135), a)
    >>> tape.gradient(x, a).numpy().round(4)                # of the square root: 1 / (2 * 1.4142135)
    np.float32(0.3536)

    How the solution was found does not matter: by a loop, by SciPy, from a table. That computation is not
    differentiated, and its memory is not kept. Instead the derivatives solve a linear equation with the
    Jacobian of ``residual``. They are right to any order, in reverse and in forward mode, where the
    Jacobian has an inverse. The minimum of a function is the root of its gradient:
    ``implicit_root(tf.autodiff.grad(loss), found, data)``. Not in TensorFlow.

    Args:
        residual: takes a nest like ``solution`` and ``args``, and returns a nest of the same shapes. It
            may read variables, which get gradients.
        solution: a tensor or a nest of them; or a function of ``args`` that finds it, whose ops no tape
            records.
        args: what the solution depends on: tensors, variables, other values and nests.
        solver: "dense" makes the Jacobian and factors it; "matrix_free" uses GMRES, with products of the
            Jacobian and vectors; "auto" takes the first for up to 256 unknowns.
        tolerance: how far from zero an element of the residual may be; not checked if None.

    Raises:
        TypeError: ``residual`` cannot be called, or ``solution`` is not floating.
        ValueError: ``residual`` returns other shapes, or is farther from zero than ``tolerance``.
        InvalidArgumentError: when a derivative is taken: the Jacobian has no inverse, or GMRES does not
            converge.
    """
    return _solved("implicit_root", residual, solution, args, solver, tolerance, lambda r, x: r)


@core.public(computes=False)
def implicit_fixed_point(
    function: Callable[..., Any],
    solution: Any,
    *args: Any,
    solver: str = "auto",
    tolerance: float | None = None,
) -> Any:
    """``solution`` of ``function(solution, *args) = solution``, with the derivatives that this implies.

    >>> def step(x, a):                                     # Newton's for a square root
    ...     return (x + a / x) / 2.0
    >>> def iterate(a):
    ...     x = a
    ...     for _ in range(20):
    ...         x = step(x, a)
    ...     return x
    >>> root = lambda a: tf.autodiff.implicit_fixed_point(step, iterate, a)
    >>> root(4.0).numpy(), tf.autodiff.grad(root)(4.0).numpy()
    (np.float32(2.0), np.float32(0.25))

    The loop is not recorded: memory does not grow with the number of steps. Not in TensorFlow.

    Args:
        function: takes a nest like ``solution`` and ``args``, and returns one like ``solution``.
        solution, args, solver, tolerance: as for `implicit_root`; the tolerance is for
            ``function(solution, *args) - solution``.

    Raises:
        TypeError, ValueError, InvalidArgumentError: as `implicit_root` does.
    """
    return _solved("implicit_fixed_point", function, solution, args, solver, tolerance, subtract)


def _solved(
    transform: str,
    function: Callable[..., Any],
    solution: Any,
    args: tuple[Any, ...],
    solver: str,
    tolerance: float | None,
    difference: Callable[[Any, Any], Any],
) -> Any:
    check_callable(transform, function)
    if solver not in SOLVERS:
        raise ValueError(
            f"tf.autodiff.{transform}(): `solver` is one of {', '.join(SOLVERS)}; {solver!r} came."
        )
    with core.no_recording():
        guess = solution(*args) if callable(solution) else solution
        unknowns = [core.convert(leaf) for leaf in nest.flatten(guess)]
    if not unknowns or not all(map(floats, unknowns)):
        raise TypeError(
            f"tf.autodiff.{transform}(): the solution consists of floating tensors; {guess!r} came."
        )
    leaves = [
        core.convert(leaf) if isinstance(leaf, (float, complex)) else leaf
        for leaf in nest.flatten(args)
    ]
    places = [i for i, leaf in enumerate(leaves) if _is_input(leaf)]

    def equations(xs: list[Any], inputs: list[Any]) -> list[Any]:
        here = list(leaves)
        for place, tensor in zip(places, inputs, strict=True):
            here[place] = tensor
        returned = function(nest.pack_sequence_as(guess, xs), *nest.pack_sequence_as(args, here))
        values = [core.convert(leaf) for leaf in nest.flatten(returned)]
        shapes = [(value._shape_tuple(), value.dtype.name) for value in values]
        expected = [(x._shape_tuple(), x.dtype.name) for x in xs]
        if shapes != expected:
            raise ValueError(
                f"tf.autodiff.{transform}(): {name_of(function)}() must return what the solution is: "
                f"shapes and dtypes {expected}; it returned {shapes}."
            )
        return [difference(value, x) for value, x in zip(values, xs, strict=True)]

    inputs = [leaves[i] for i in places]
    with core.no_recording(), core.VariableWatcher() as watcher:
        residuals = equations(unknowns, inputs)
    if tolerance is not None:
        _check_solved(transform, function, residuals, tolerance)
    count = sum(math.prod(shape_of(x)) for x in unknowns)
    matrix_free = solver == "matrix_free" or (solver == "auto" and count > DENSE_UNKNOWNS)
    roots = _attach(
        transform, equations, unknowns, inputs, _all_variables(watcher, leaves), matrix_free
    )
    return nest.pack_sequence_as(guess, roots)


def _is_input(leaf: Any) -> bool:
    return isinstance(leaf, core.EagerTensor) and floats(leaf)


def _all_variables(watcher: core.VariableWatcher, leaves: list[Any]) -> list[Any]:
    """The floating variables that the function read, and those among its arguments."""
    among = (variable_behind(leaf) for leaf in leaves)
    variables = {id(v): v for v in (*watcher.variables, *among) if v is not None and floats(v)}
    return list(variables.values())


def _check_solved(
    transform: str, function: Callable[..., Any], residuals: list[Any], tolerance: float
) -> None:
    arrays = [np.asarray(core.static_value(r, transform)) for r in residuals]
    worst = max((float(np.max(np.abs(array), initial=0.0)) for array in arrays), default=0.0)
    if not worst <= tolerance:
        raise ValueError(
            f"tf.autodiff.{transform}(): this is no solution: {name_of(function)}() misses it by "
            f"{worst:.3g}, and `tolerance` is {tolerance:.3g}. Derivatives of it would be wrong."
        )


def _attach(
    name: str,
    equations: Equations,
    unknowns: list[Any],
    inputs: list[Any],
    variables: list[Any],
    matrix_free: bool,
) -> list[Any]:
    """``unknowns`` as new tensors, recorded as the root of ``equations`` at ``inputs``.

    With r(x, t) = 0 and A the derivative of r by x, dx = -A^-1 (dr/dt) dt. So what arrives at x, dy, goes
    to t as the gradient of r by t with -w arriving at r, where w solves A^T w = dy. The rule uses the
    recorded x, which depends on t again: that makes it right to any order.
    """
    with core.no_recording():
        roots = [core.alias(x) for x in unknowns]
    if not core.keeps_rules():
        return roots

    def backward(*dys: Any) -> list[Any]:
        arrived = [dense(dy, root) for dy, root in zip(dys, roots, strict=True)]
        tape, xs, ts, residuals = _recorded(equations, roots, inputs, variables)
        transposed = _solve_by_products if matrix_free else _solve_by_matrix
        ws = transposed(name, tape, equations, residuals, xs, ts, variables, arrived)
        sources = ts + variables
        gradients = tape.gradient(residuals, sources, output_gradients=[negative(w) for w in ws])
        return [
            core.fitted(dy, source, lambda: f"The gradient through {name}() by one of its inputs")
            for dy, source in zip(gradients, sources, strict=True)
        ]

    core.record(name, inputs + [core.convert(v) for v in variables], roots, backward)
    return roots


def _recorded(
    equations: Equations, roots: list[Any], inputs: list[Any], variables: list[Any]
) -> tuple[GradientTape, list[Any], list[Any], list[Any]]:
    """A tape of the equations, what it watches in the places of roots and inputs, and the residuals."""
    with GradientTape(persistent=True, watch_accessed_variables=False) as tape:
        # The same tensor may be there twice, and has a gradient in each of its places.
        xs, ts = [identity(x) for x in roots], [identity(t) for t in inputs]
        tape.watch([xs, ts, variables])
        residuals = equations(xs, ts)
    return tape, xs, ts, residuals


def _solve_by_matrix(
    name: str,
    tape: GradientTape,
    equations: Equations,
    residuals: list[Any],
    xs: list[Any],
    ts: list[Any],
    variables: list[Any],
    dys: list[Any],
) -> list[Any]:
    """The w for which A^T w = dy, by the matrix A. All of it is ops, which outer tapes record."""
    shapes = [shape_of(x) for x in xs]
    sizes = [math.prod(shape) for shape in shapes]
    dtype = _widest(xs)
    rows = []
    for residual, size in zip(residuals, sizes, strict=True):
        blocks = tape.jacobian(residual, xs, unconnected_gradients="zero")
        rows.append(
            concat(
                [
                    cast(reshape(block, [size, width]), dtype)
                    for block, width in zip(blocks, sizes, strict=True)
                ],
                1,
            )
        )
    matrix = transpose(concat(rows, 0))
    right = concat([reshape(cast(dy, dtype), [-1, 1]) for dy in dys], 0)
    parts = split(solve(matrix, right), sizes, 0)
    return [
        cast(reshape(part, shape), x.dtype)
        for part, shape, x in zip(parts, shapes, xs, strict=True)
    ]


def _solve_by_products(
    name: str,
    tape: GradientTape,
    equations: Equations,
    residuals: list[Any],
    xs: list[Any],
    ts: list[Any],
    variables: list[Any],
    dys: list[Any],
) -> list[Any]:
    """The w for which A^T w = dy, by GMRES. For outer tapes it is the root of this equation."""
    with core.no_recording():

        def product(ws: list[Any]) -> list[Any]:
            products = tape.gradient(residuals, xs, output_gradients=ws)
            return [dense(p, x) for p, x in zip(products, xs, strict=True)]

        results = _gmres(name, product, dys)
    if not core.keeps_rules():
        return results
    count = len(xs)

    def adjoint(ws: list[Any], operands: list[Any]) -> list[Any]:
        here, there, arrived = operands[:count], operands[count:-count], operands[-count:]
        with GradientTape(watch_accessed_variables=False) as inner:
            inner.watch(here)
            values = equations(here, there)
        products = inner.gradient(values, here, output_gradients=ws)
        return [subtract(dense(p, x), dy) for p, x, dy in zip(products, here, arrived, strict=True)]

    return _attach(name, adjoint, results, [*xs, *ts, *dys], variables, True)


def _gmres(name: str, product: Callable[[list[Any]], list[Any]], right: list[Any]) -> list[Any]:
    """The solution of a linear equation, from products with its matrix."""
    linalg = extras.imported("scipy", "scipy.sparse.linalg", f"tf.autodiff.{name}()")
    shapes = [shape_of(part) for part in right]
    sizes = [math.prod(shape) for shape in shapes]
    dtype = _widest(right)
    kind = np.complex128 if dtype.is_complex else np.float64

    def flat(tensors: list[Any]) -> Array:
        arrays = [np.asarray(core.static_value(t, name)).reshape(-1) for t in tensors]
        return np.concatenate(arrays).astype(kind)

    def tensors(vector: Array) -> list[Any]:
        pieces = np.split(np.asarray(vector).reshape(-1), np.cumsum(sizes)[:-1])
        return [
            core.convert(piece.reshape(shape).astype(part.dtype.as_numpy_dtype))
            for piece, shape, part in zip(pieces, shapes, right, strict=True)
        ]

    vector = flat(right)
    operator = linalg.LinearOperator(
        (vector.size, vector.size), matvec=lambda v: flat(product(tensors(v))), dtype=kind
    )
    exact = 1e-12 if dtype.real_dtype.size == 8 else 1e-6
    solved, failed = linalg.gmres(
        operator, vector, rtol=exact, atol=0.0, restart=min(vector.size, 100), maxiter=50
    )
    if failed or not np.isfinite(solved).all():
        refuse(
            f"tf.autodiff.{name}(): GMRES does not converge, in {vector.size} unknowns. The Jacobian of "
            "the equations has no inverse here, or is far from the identity: multiply the equations with "
            "something near its inverse, or use solver='dense'."
        )
    return tensors(solved)


def _widest(tensors: list[Any]) -> Any:
    """The dtype that holds the numbers of all tensors: complex if one is, and the longest."""
    is_complex = any(t.dtype.is_complex for t in tensors)
    return max(
        (t.dtype for t in tensors if t.dtype.is_complex or not is_complex),
        key=lambda dtype: dtype.size,
    )
