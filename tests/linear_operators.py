"""Linear operators, and what is asked of each. golden/record_linear_operators.py records the answers."""

from typing import Any

import numpy as np

# Makers of operators: ``L`` is tf.linalg, ``D(*shape)`` draws, ``P(size)`` is positive definite, ``T(size)``
# lower triangular, and ``C(*shape)`` complex.
SAMPLES = """
L.LinearOperatorFullMatrix(D(3, 3))
L.LinearOperatorFullMatrix(D(2, 3, 3), is_non_singular=True)
L.LinearOperatorFullMatrix(P(3), is_self_adjoint=True, is_positive_definite=True)
L.LinearOperatorFullMatrix(D(2, 3))
L.LinearOperatorFullMatrix(C(3, 3))
L.LinearOperatorDiag(D(3))
L.LinearOperatorDiag(D(2, 3), is_non_singular=True, is_self_adjoint=True)
L.LinearOperatorDiag([1.0, 2.0, 3.0], is_positive_definite=True)
L.LinearOperatorDiag(C(3))
L.LinearOperatorIdentity(3)
L.LinearOperatorIdentity(3, batch_shape=[2])
L.LinearOperatorScaledIdentity(3, D())
L.LinearOperatorScaledIdentity(3, [1.0, 2.0], is_positive_definite=True)
L.LinearOperatorZeros(3)
L.LinearOperatorZeros(2, 3, is_square=False, is_self_adjoint=False)
L.LinearOperatorLowerTriangular(T(3))
L.LinearOperatorLowerTriangular(D(2, 3, 3), is_non_singular=True)
L.LinearOperatorLowerTriangular(C(3, 3))
L.LinearOperatorTridiag(D(3, 3))
L.LinearOperatorTridiag([[1.0, 1.0, 0.0], [4.0, 4.0, 4.0], [0.0, 1.0, 1.0]], is_self_adjoint=True, is_positive_definite=True)
L.LinearOperatorTridiag([D(2, 3), D(2, 3), D(2, 3)], diagonals_format="sequence")
L.LinearOperatorTridiag(np.triu(T(3), -1) + np.triu(np.tril(D(3, 3), 1), 1), diagonals_format="matrix")
L.LinearOperatorToeplitz([1.0, 2.0, 3.0], [1.0, 5.0, 6.0])
L.LinearOperatorToeplitz(C(2, 3), C(2, 3))
L.LinearOperatorPermutation([2, 0, 1])
L.LinearOperatorPermutation([[2, 0, 1], [0, 2, 1]], dtype="float64")
L.LinearOperatorHouseholder(D(3))
L.LinearOperatorHouseholder(D(2, 3))
L.LinearOperatorCirculant(C(3))
L.LinearOperatorCirculant([4.0, 1.0, 1.0], input_output_dtype="float32", is_self_adjoint=True, is_positive_definite=True)
L.LinearOperatorCirculant([[4.0, 1.0, 1.0], [5.0, 1.0, 1.0]])
L.LinearOperatorCirculant2D(C(2, 3))
L.LinearOperatorCirculant3D(C(2, 1, 2))
L.LinearOperatorLowRankUpdate(L.LinearOperatorDiag([1.0, 2.0, 3.0], is_positive_definite=True), D(3, 2))
L.LinearOperatorLowRankUpdate(L.LinearOperatorDiag([1.0, 2.0, 3.0], is_positive_definite=True), D(3, 2), [1.0, 2.0], is_diag_update_positive=True, is_self_adjoint=True)
L.LinearOperatorLowRankUpdate(L.LinearOperatorFullMatrix(P(3)), D(2, 3, 2), [1.0, 2.0], D(2, 3, 2))
L.LinearOperatorLowRankUpdate(L.LinearOperatorIdentity(3), D(3, 1))
L.LinearOperatorKronecker([L.LinearOperatorFullMatrix(D(2, 2)), L.LinearOperatorDiag(D(3))])
L.LinearOperatorKronecker([L.LinearOperatorFullMatrix(P(2), is_positive_definite=True, is_self_adjoint=True), L.LinearOperatorFullMatrix(P(2), is_positive_definite=True, is_self_adjoint=True)])
L.LinearOperatorKronecker([L.LinearOperatorLowerTriangular(D(2, 2, 2)), L.LinearOperatorFullMatrix(D(2, 2)), L.LinearOperatorIdentity(2)])
L.LinearOperatorKronecker([L.LinearOperatorFullMatrix(D(1, 2)), L.LinearOperatorFullMatrix(D(3, 2))])
L.LinearOperatorBlockDiag([L.LinearOperatorFullMatrix(D(2, 2)), L.LinearOperatorDiag(D(1))])
L.LinearOperatorBlockDiag([L.LinearOperatorFullMatrix(P(2), is_positive_definite=True, is_self_adjoint=True), L.LinearOperatorDiag([[1.0], [2.0]], is_positive_definite=True)])
L.LinearOperatorBlockDiag([L.LinearOperatorFullMatrix(D(2, 3)), L.LinearOperatorFullMatrix(D(2, 1))], is_square=None)
L.LinearOperatorBlockLowerTriangular([[L.LinearOperatorFullMatrix(D(2, 2))], [L.LinearOperatorFullMatrix(D(1, 2)), L.LinearOperatorDiag(D(1))]])
L.LinearOperatorBlockLowerTriangular([[L.LinearOperatorLowerTriangular(D(2, 2))], [L.LinearOperatorFullMatrix(D(2, 2, 2)), L.LinearOperatorIdentity(2)]])
L.LinearOperatorComposition([L.LinearOperatorFullMatrix(D(3, 3)), L.LinearOperatorDiag(D(3))])
L.LinearOperatorComposition([L.LinearOperatorFullMatrix(D(3, 2)), L.LinearOperatorFullMatrix(D(2, 3))])
L.LinearOperatorComposition([L.LinearOperatorFullMatrix(D(2, 3, 3), is_non_singular=True), L.LinearOperatorDiag(D(3), is_non_singular=True)])
L.LinearOperatorComposition([L.LinearOperatorLowerTriangular(T(3)), L.LinearOperatorLowerTriangular(T(3)).H])
L.LinearOperatorAdjoint(L.LinearOperatorFullMatrix(D(2, 3)))
L.LinearOperatorAdjoint(L.LinearOperatorLowerTriangular(C(3, 3)))
L.LinearOperatorInversion(L.LinearOperatorFullMatrix(D(3, 3)))
L.LinearOperatorInversion(L.LinearOperatorLowerTriangular(T(3)))
""".strip().split("\n")

QUESTIONS = """
o.shape
o.batch_shape
o.tensor_rank
o.domain_dimension
o.range_dimension
o.dtype.name
o.name
o.is_self_adjoint
o.is_positive_definite
o.is_non_singular
o.is_square
o.shape_tensor()
o.batch_shape_tensor()
o.tensor_rank_tensor()
o.domain_dimension_tensor()
o.range_dimension_tensor()
o.to_dense()
o.matmul(X)
o.matmul(X2)
o.matmul(Y, adjoint=True)
o.matmul(XT, adjoint_arg=True)
o.matmul(YT, adjoint=True, adjoint_arg=True)
o.matvec(x)
o.matvec(y, adjoint=True)
o @ X
o.solve(Y)
o.solve(Y2)
o.solve(X, adjoint=True)
o.solve(YT, adjoint_arg=True)
o.solve(XT, adjoint=True, adjoint_arg=True)
o.solvevec(y)
o.solvevec(x, adjoint=True)
o.determinant()
o.log_abs_determinant()
o.trace()
o.diag_part()
o.add_to_tensor(M)
o.eigvals()
o.cond()
o.inverse()
o.adjoint()
o.H
o.cholesky()
o.assert_non_singular()
o.assert_self_adjoint()
o.assert_positive_definite()
o.matmul(D(9, 1))
o.matmul(N)
o.matmul(o.adjoint())
o.matmul(I)
I2.matmul(o)
o.matmul(DIAG)
DIAG2.matmul(o)
o.solve(I2)
o.solve(DIAG2)
DIAG.solve(o, adjoint_arg=True)
o.inverse().matmul(o)
o._experimental_parameter_ndims_to_matrix_ndims
sorted(o.parameters)
nest.flatten(o, expand_composites=True)
nest.pack_sequence_as(o, nest.flatten(o, expand_composites=True), expand_composites=True)
o[..., ]
o[0]
o[:1]
[v.name for v in o.variables]
convert(o)
tf.linalg.trace(o)
tf.matmul(o, X)
tf.matmul(Y, o, adjoint_a=True)
tf.matmul(o, I)
tf.linalg.matvec(o, x)
tf.add(o, M)
tf.linalg.logdet(o)
tf.linalg.cholesky(o)
tf.linalg.eigvalsh(o)
tf.linalg.solve(o, Y)
tf.linalg.det(o)
tf.linalg.diag_part(o)
tf.linalg.inv(o)
tf.linalg.adjoint(o)
""".strip().split("\n")

# Pairs: the classes of products and solutions.
PARTNERS = """
L.LinearOperatorFullMatrix(P(3), is_self_adjoint=True, is_positive_definite=True)
L.LinearOperatorDiag([1.0, 2.0, 3.0], is_positive_definite=True)
L.LinearOperatorIdentity(3)
L.LinearOperatorScaledIdentity(3, 2.0, is_positive_definite=True)
L.LinearOperatorZeros(3)
L.LinearOperatorLowerTriangular(T(3), is_non_singular=True)
L.LinearOperatorCirculant([4.0, 1.0, 1.0], input_output_dtype="float32", is_self_adjoint=True, is_positive_definite=True)
L.LinearOperatorInversion(L.LinearOperatorFullMatrix(P(3)))
L.LinearOperatorAdjoint(L.LinearOperatorFullMatrix(D(3, 3), is_non_singular=True))
L.LinearOperatorComposition([L.LinearOperatorFullMatrix(D(3, 3), is_non_singular=True), L.LinearOperatorDiag(D(3), is_non_singular=True)])
L.LinearOperatorPermutation([2, 0, 1])
L.LinearOperatorTridiag([[1.0, 1.0, 0.0], [4.0, 4.0, 4.0], [0.0, 1.0, 1.0]])
L.LinearOperatorBlockDiag([L.LinearOperatorFullMatrix(P(2)), L.LinearOperatorDiag(D(1))], is_non_singular=True)
""".strip().split("\n")

PAIRS = """
o.matmul(p)
o.matmul(p, adjoint=True)
o.matmul(p, adjoint_arg=True)
o.solve(p)
o.solve(p, adjoint=True)
""".strip().split("\n")


def draws(tf: Any, seed: int) -> dict[str, Any]:
    """The names that `SAMPLES` uses, drawn with ``seed``."""
    random = np.random.default_rng(seed)

    def D(*shape: int) -> Any:
        return (random.uniform(0.5, 2.0, shape) * random.choice([-1, 1], shape)).astype(np.float32)

    def C(*shape: int) -> Any:
        return (D(*shape) + 1j * D(*shape)).astype(np.complex64)

    def T(size: int) -> Any:
        return np.tril(D(size, size))

    def P(size: int) -> Any:
        root = D(size, size)
        return (root @ root.T + size * np.eye(size)).astype(np.float32)

    return {"np": np, "L": tf.linalg, "D": D, "C": C, "T": T, "P": P}


def names_for(tf: Any, operator: Any, seed: int) -> dict[str, Any]:
    """The names that `QUESTIONS` uses of ``operator``."""
    known = draws(tf, seed + 1)
    rows, columns = operator.shape[-2:]
    draw = known["C"] if operator.dtype.is_complex else known["D"]

    def number(*shape: int) -> Any:
        return draw(*shape).astype(operator.dtype.as_numpy_dtype)

    return {
        **known,
        "tf": tf,
        "o": operator,
        "X": number(columns, 2),
        "X2": number(3, 1, columns, 2),
        "XT": number(2, columns),
        "Y": number(rows, 2),
        "Y2": number(3, 1, rows, 2),
        "YT": number(2, rows),
        "x": number(columns),
        "y": number(rows),
        "M": number(rows, columns),
        "N": np.ones([int(columns), 1], np.int32),
        "I": tf.linalg.LinearOperatorIdentity(columns, dtype=operator.dtype),
        "I2": tf.linalg.LinearOperatorIdentity(rows, dtype=operator.dtype),
        "DIAG": tf.linalg.LinearOperatorDiag(number(columns), is_non_singular=True),
        "DIAG2": tf.linalg.LinearOperatorDiag(number(rows), is_non_singular=True),
        "nest": tf.nest,
        "convert": tf.convert_to_tensor,
        "sorted": sorted,
    }


def answer(question: str, known: dict[str, Any]) -> Any:
    """What ``question`` gives, as JSON: numbers, operators by class and matrix, errors by class."""
    try:
        return described(eval(question, {}, known), known["tf"])
    except Exception as error:
        return {"error": type(error).__name__}


def described(value: Any, tf: Any) -> Any:
    if isinstance(value, tf.linalg.LinearOperator):
        hints = [
            value.is_self_adjoint,
            value.is_positive_definite,
            value.is_non_singular,
            value.is_square,
        ]
        dense = described(value.to_dense(), tf)
        return {"class": type(value).__name__, "hints": hints, "dense": dense}
    if isinstance(value, np.ndarray):
        value = tf.constant(value)
    if tf.is_tensor(value):
        array = value.numpy()
        if np.iscomplexobj(array):
            array = np.stack([array.real, array.imag], -1)
        numbers = np.where(np.abs(array) < 2e-5, 0, array) if array.dtype.kind == "f" else array
        return {
            "dtype": value.dtype.name,
            "shape": value.shape.as_list(),
            "values": [float(f"{number:.6g}") for number in numbers.ravel().tolist()],
        }
    if isinstance(value, (list, tuple)):
        return [described(part, tf) for part in value]
    if isinstance(value, dict):
        return {key: described(part, tf) for key, part in value.items()}
    if value is None or isinstance(value, (bool, int, str)):
        return value
    return str(value)


def answers(tf: Any) -> dict[str, Any]:
    """Everything that is asked: ``{"questions": {sample: {question: answer}}, "pairs": ...}``."""
    found: dict[str, Any] = {"questions": {}, "pairs": {}}
    for seed, sample in enumerate(SAMPLES):
        known = names_for(tf, eval(sample, {}, draws(tf, seed)), seed)
        found["questions"][sample] = {line: answer(line, known) for line in QUESTIONS}
    for seed, first in enumerate(PARTNERS):
        for number, second in enumerate(PARTNERS):
            known = {
                "tf": tf,
                "o": eval(first, {}, draws(tf, seed)),
                "p": eval(second, {}, draws(tf, 100 + number)),
            }
            found["pairs"][f"{first} | {second}"] = {line: answer(line, known) for line in PAIRS}
    return found
