"""Linear operators: golden/linear_operators.json.gz has TensorFlow's answers to linear_operators.py."""

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapegrad as tf
from linear_operators import PAIRS, PARTNERS, QUESTIONS, SAMPLES, answer, draws, names_for

GOLDEN = json.loads(
    gzip.decompress(
        (Path(__file__).parents[1] / "golden" / "linear_operators.json.gz").read_bytes()
    )
)


def same(ours: Any, theirs: Any) -> bool:
    """Whether two answers agree; numbers to a few bits of float32."""
    if isinstance(ours, dict) and isinstance(theirs, dict):
        if "values" in ours and "values" in theirs:
            finite = [abs(number) for number in theirs["values"] if np.isfinite(number)]
            scale = max([1.0, *finite])
            return (ours["dtype"], ours["shape"]) == (theirs["dtype"], theirs["shape"]) and bool(
                np.allclose(
                    ours["values"], theirs["values"], rtol=2e-3, atol=2e-4 * scale, equal_nan=True
                )
            )
        return ours.keys() == theirs.keys() and all(same(ours[key], theirs[key]) for key in ours)
    if isinstance(ours, list) and isinstance(theirs, list):
        return len(ours) == len(theirs) and all(map(same, ours, theirs))
    return bool(ours == theirs)


MORE = "TensorFlow stops where the batches of the parts differ; here they are broadcast"
ACCIDENT = "TensorFlow fails by accident"
SINGULAR = "the condition number of a singular matrix is what rounding makes of it"
# What differs, by a part of the sample and the questions: the reason.
EXCUSES = {
    ("LinearOperatorFullMatrix(C(3, 3))", "o.assert_non_singular()"): ACCIDENT,
    ("LinearOperatorToeplitz(C(2, 3), C(2, 3))", "o.assert_non_singular()"): ACCIDENT,
    (
        "LinearOperatorIdentity(3, batch_shape=[2])",
        "o.add_to_tensor(M)|o.matmul(I)|I2.matmul(o)|o.solve(I2)|tf.matmul(o, I)",
    ): "TensorFlow forgets a batch that only one identity has",
    (
        "LinearOperatorScaledIdentity(3, [1.0, 2.0]",
        "o.add_to_tensor(M)|o.matmul(DIAG)|DIAG2.matmul(o)|o.solve(DIAG2)|DIAG.solve(o, adjoint_arg=True)",
    ): MORE,
    ("LinearOperatorZeros(2, 3", "o.matmul(I)|tf.matmul(o, I)"): "the identity is tried first here",
    ("LinearOperatorTridiag", "o.matmul(X2)"): MORE,
    (
        'LinearOperatorTridiag([D(2, 3), D(2, 3), D(2, 3)], diagonals_format="sequence")',
        "o.matmul(X)|o.matmul(Y, adjoint=True)|o.matmul(XT, adjoint_arg=True)|"
        "o.matmul(YT, adjoint=True, adjoint_arg=True)|o.matvec(x)|o.matvec(y, adjoint=True)|o @ X|"
        "tf.matmul(o, X)|tf.matmul(Y, o, adjoint_a=True)|tf.linalg.matvec(o, x)",
    ): MORE,
    (
        'LinearOperatorCirculant([4.0, 1.0, 1.0], input_output_dtype="float32"',
        "o.matmul(o.adjoint())|o.inverse().matmul(o)",
    ): "a product keeps the dtype here",
    ("LinearOperatorLowRankUpdate", "o.assert_self_adjoint()"): ACCIDENT,
    ("LinearOperatorIdentity", "o[0]|o[:1]|o[..., ]"): ACCIDENT,
    (
        "LinearOperatorKronecker([L.LinearOperatorFullMatrix(D(1, 2))",
        "o.diag_part()|o.adjoint()|o.H|o.assert_non_singular()|o.matmul(o.adjoint())|"
        "DIAG.solve(o, adjoint_arg=True)|tf.linalg.diag_part(o)|tf.linalg.adjoint(o)",
    ): "TensorFlow takes this product of two matrices for a square one",
    (
        "LinearOperatorBlockLowerTriangular([[L.LinearOperatorLowerTriangular",
        "o.diag_part()|tf.linalg.diag_part(o)",
    ): "TensorFlow forgets the batch of the blocks below the diagonal",
    ("LinearOperatorKronecker([L.LinearOperatorFullMatrix(D(1, 2))", "o.cond()"): SINGULAR,
    ("LinearOperatorBlockDiag([L.LinearOperatorFullMatrix(D(2, 3))", "o.cond()"): SINGULAR,
    ("LinearOperatorComposition([L.LinearOperatorFullMatrix(D(3, 2))", "o.cond()"): SINGULAR,
}
# The same of pairs: parts of the first and the second, and the questions.
EXCUSES_OF_PAIRS = {
    ("LinearOperatorLowerTriangular", "LinearOperatorDiag", "o.matmul(p, adjoint=True)"): (
        "TensorFlow makes a lower triangle of the product, which is an upper one"
    ),
    ("LinearOperatorCirculant", "LinearOperatorCirculant", "o."): "a product keeps the dtype here",
    ("LinearOperatorInversion", "", "o.solve(p, adjoint=True)"): (
        "TensorFlow solves with the inverse, and not with the adjoint of it"
    ),
}


def excused(sample: str, question: str) -> bool:
    """Whether the answer may differ, for a reason."""
    return any(part in sample and question in asked.split("|") for part, asked in EXCUSES)


@pytest.mark.parametrize("number", range(len(SAMPLES)))
def test_answers_are_tensorflows(number: int) -> None:
    sample = SAMPLES[number]
    known = names_for(tf, eval(sample, {}, draws(tf, number)), number)
    wrong = {}
    for question in QUESTIONS:
        theirs, ours = GOLDEN["questions"][sample][question], answer(question, known)
        if not same(ours, theirs) and not excused(sample, question):
            wrong[question] = (ours, theirs)
    assert not wrong


@pytest.mark.parametrize("number", range(len(PARTNERS)))
def test_products_and_solutions_of_two(number: int) -> None:
    wrong = {}
    for other, second in enumerate(PARTNERS):
        known = {
            "tf": tf,
            "o": eval(PARTNERS[number], {}, draws(tf, number)),
            "p": eval(second, {}, draws(tf, 100 + other)),
        }
        for question in PAIRS:
            theirs = GOLDEN["pairs"][f"{PARTNERS[number]} | {second}"][question]
            ours = answer(question, known)
            if not same(ours, theirs) and not any(
                PARTNERS[number].startswith(f"L.{one}")
                and second.startswith(f"L.{two}" if two else "")
                and question.startswith(asked)
                for one, two, asked in EXCUSES_OF_PAIRS
            ):
                wrong[second, question] = (ours, theirs)
    assert not wrong


def test_excuses_are_needed() -> None:
    needed = set()
    for number, sample in enumerate(SAMPLES):
        known = names_for(tf, eval(sample, {}, draws(tf, number)), number)
        for part, asked in EXCUSES:
            for question in asked.split("|") if part in sample else ():
                if not same(answer(question, known), GOLDEN["questions"][sample][question]):
                    needed.add((part, question))
    listed = {(part, question) for part, asked in EXCUSES for question in asked.split("|")}
    assert listed == needed


# --- What no expression asks


def operators() -> list[Any]:
    """The operators of the samples that are real, square and far from singular."""
    made = []
    for number, sample in enumerate(SAMPLES):
        operator = eval(sample, {}, draws(tf, number))
        if operator.dtype is tf.float32 and operator.is_square and operator.is_non_singular:
            made.append(operator)
    return made


@pytest.mark.parametrize("number", range(len(operators())))
def test_gradients_are_those_of_the_dense_matrix(number: int) -> None:
    operator = operators()[number]
    parts = tf.nest.flatten(operator, expand_composites=True)
    rhs = tf.ones([operator.shape[-1], 2])

    def gradients(of: Any) -> list[Any]:
        with tf.GradientTape() as tape:
            tape.watch(parts)
            again = tf.nest.pack_sequence_as(operator, parts, expand_composites=True)
            value = of(again)
        return tape.gradient(value, parts, unconnected_gradients="zero")

    def by_structure(o: Any) -> Any:
        return tf.reduce_sum(o.solve(o.matmul(rhs) + 1.0)) + tf.reduce_sum(o.log_abs_determinant())

    def by_dense(o: Any) -> Any:
        dense = o.to_dense()
        right = tf.matmul(dense, rhs) + 1.0
        solved = tf.linalg.solve(dense, right)
        return tf.reduce_sum(solved) + tf.reduce_sum(tf.linalg.slogdet(dense)[1])

    for ours, dense in zip(gradients(by_structure), gradients(by_dense), strict=True):
        if operator.is_positive_definite and ours.shape[-1:] == ours.shape[-2:-1]:
            # Of a matrix known to be symmetric, only the symmetric part of the gradient is defined.
            ours, dense = (each + tf.linalg.matrix_transpose(each) for each in (ours, dense))
        np.testing.assert_allclose(ours.numpy(), dense.numpy(), rtol=2e-3, atol=2e-3)


def test_variables_are_read_when_they_are_used() -> None:
    variable = tf.Variable([1.0, 2.0])
    operator = tf.linalg.LinearOperatorDiag(variable)
    variable.assign([3.0, 4.0])
    assert operator.variables == operator.trainable_variables == (variable,)
    assert operator.matvec([1.0, 1.0]).numpy().tolist() == [3.0, 4.0]
    with tf.GradientTape() as tape:
        value = operator.log_abs_determinant()
    np.testing.assert_allclose(tape.gradient(value, variable), [1 / 3, 1 / 4])


def test_functions_take_and_give_operators() -> None:
    @tf.function
    def inverse(operator: Any) -> Any:
        return operator.inverse()

    result = inverse(tf.linalg.LinearOperatorDiag([2.0, 4.0]))
    assert isinstance(result, tf.linalg.LinearOperatorDiag)
    assert result.diag.numpy().tolist() == [0.5, 0.25]


IN_A_GRAPH = (
    "LinearOperatorFullMatrix(m)",
    "LinearOperatorDiag(v)",
    "LinearOperatorLowerTriangular(m)",
    "LinearOperatorHouseholder(v)",
    "LinearOperatorIdentity(tf.shape(v)[0])",
    "LinearOperatorScaledIdentity(tf.shape(v)[0], v[0])",
    "LinearOperatorCirculant(v, input_output_dtype=tf.float32)",
    "LinearOperatorToeplitz(v, v)",
    "LinearOperatorTridiag([v, v, v], diagonals_format='sequence')",
    "LinearOperatorLowRankUpdate(L.LinearOperatorDiag(v), m)",
    "LinearOperatorKronecker([L.LinearOperatorFullMatrix(m), L.LinearOperatorDiag(v)])",
    "LinearOperatorBlockDiag([L.LinearOperatorFullMatrix(m), L.LinearOperatorDiag(v)])",
    "LinearOperatorComposition([L.LinearOperatorFullMatrix(m), L.LinearOperatorDiag(v)])",
    "LinearOperatorFullMatrix(m).adjoint()",
    "LinearOperatorFullMatrix(m).inverse()",
)


@pytest.mark.parametrize("text", IN_A_GRAPH)
def test_operators_of_placeholders_say_what_they_say_of_values(text: str) -> None:
    vector = np.array([1.0, 2.0, 4.0], np.float32)
    matrix = np.array([[3.0, 1.0, 0.0], [1.0, 4.0, 1.0], [0.5, 0.0, 5.0]], np.float32)

    def answers(v: Any, m: Any) -> list[Any]:
        operator = eval(f"L.{text}", {"L": tf.linalg, "tf": tf, "v": v, "m": m})
        ones = tf.ones([operator.shape_tensor()[-1], 2])
        return [
            operator.shape_tensor(),
            operator.batch_shape_tensor(),
            operator.to_dense(),
            operator.matmul(ones),
            operator.diag_part(),
            operator.trace(),
        ]

    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        v = tf.compat.v1.placeholder(tf.float32, [None])
        m = tf.compat.v1.placeholder(tf.float32, [None, None])
        fetched = session.run(answers(v, m), {v: vector, m: matrix})
    for in_graph, eager in zip(
        fetched, answers(tf.constant(vector), tf.constant(matrix)), strict=True
    ):
        np.testing.assert_allclose(in_graph, eager, rtol=1e-5, atol=1e-5)


def test_lists_of_blocks_give_lists() -> None:
    blocks = [tf.linalg.LinearOperatorDiag([2.0, 4.0]), tf.linalg.LinearOperatorIdentity(1)]
    for operator in (
        tf.linalg.LinearOperatorBlockDiag(blocks),
        tf.linalg.LinearOperatorBlockLowerTriangular(
            [
                [blocks[0]],
                [
                    tf.linalg.LinearOperatorZeros(1, 2, is_square=False, is_self_adjoint=False),
                    blocks[1],
                ],
            ]
        ),
    ):
        parts = [tf.constant([1.0, 1.0]), tf.constant([3.0])]
        assert [part.numpy().tolist() for part in operator.matvec(parts)] == [[2.0, 4.0], [3.0]]
        assert [part.numpy().tolist() for part in operator.solvevec(parts)] == [[0.5, 0.25], [3.0]]


def test_hints_that_contradict_each_other_are_refused() -> None:
    with pytest.raises(ValueError, match="always non-singular"):
        tf.linalg.LinearOperatorDiag([1.0], is_positive_definite=True, is_non_singular=False)
    with pytest.raises(ValueError, match="always self adjoint"):
        tf.linalg.LinearOperatorDiag([1.0], is_self_adjoint=False)
    with pytest.raises(TypeError, match="dtype"):
        tf.linalg.LinearOperatorFullMatrix([[1, 2], [3, 4]])
    with pytest.raises(ValueError, match="at least 2 dimensions"):
        tf.linalg.LinearOperatorFullMatrix([1.0])
    with pytest.raises(TypeError, match="same dtype"):
        tf.linalg.LinearOperatorComposition(
            [
                tf.linalg.LinearOperatorIdentity(1),
                tf.linalg.LinearOperatorIdentity(1, dtype="float64"),
            ]
        )
    with pytest.raises(ValueError, match="non-empty"):
        tf.linalg.LinearOperatorComposition([])


def test_specs_describe_operators() -> None:
    spec = tf.type_spec_from_value(tf.linalg.LinearOperatorDiag([1.0, 2.0]))
    assert repr(spec) == (
        "LinearOperatorDiagSpec({'diag': TensorSpec(shape=(2,), dtype=tf.float32, name=None)}, "
        "{'is_positive_definite': None, 'is_self_adjoint': True, 'is_non_singular': None, "
        "'is_square': True}, ())"
    )
    assert spec == tf.type_spec_from_value(tf.linalg.LinearOperatorDiag([3.0, 4.0]))
    assert not spec.is_compatible_with(tf.linalg.LinearOperatorDiag([3.0]))
    assert spec._batch(3)._unbatch() == spec


class Doubling(tf.linalg.LinearOperator):
    """An operator as users write it: it declares nothing, and defines its shape and its product."""

    def __init__(self, size: int) -> None:
        super().__init__(tf.float32, is_square=True, parameters={"size": size})
        self._size = size

    def _shape(self) -> Any:
        return tf.TensorShape([self._size, self._size])

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return 2 * (tf.linalg.adjoint(x) if adjoint_arg else x)


def test_operators_of_users_define_shape_and_product() -> None:
    operator = Doubling(2)
    assert operator.parameters == {"size": 2}
    assert operator.shape_tensor().numpy().tolist() == [2, 2]
    assert operator.to_dense().numpy().tolist() == [[2.0, 0.0], [0.0, 2.0]]
    assert operator.solvevec([2.0, 4.0]).numpy().tolist() == [1.0, 2.0]
    assert operator.inverse().matvec([2.0, 4.0]).numpy().tolist() == [1.0, 2.0]
    with pytest.raises(NotImplementedError, match="_shape is not implemented in LinearOperator"):
        _ = tf.linalg.LinearOperator(tf.float32).shape
    with pytest.raises(NotImplementedError, match="_shape_tensor is not implemented in Doubling"):
        Doubling(2)._shape_tensor()
