"""The rarer ops of neural nets beyond the table of samples: bad input, edges, second derivatives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapegrad as tf
from tapegrad.testing import assert_close, check_gradient

ONES = [1, 1, 1, 1]


def normal(*shape: int, seed: int = 0) -> np.ndarray[Any, Any]:
    return np.random.default_rng(seed).normal(size=shape)


# Normalisation


def test_lrn_is_its_formula() -> None:
    x = normal(2, 1, 2, 6)
    total = np.array(
        [[sum(v[max(0, i - 2) : i + 3] ** 2) for i in range(6)] for v in x.reshape(-1, 6)]
    )
    expected = x / (1.5 + 0.3 * total.reshape(x.shape)) ** 0.7
    assert_close(tf.nn.lrn(tf.constant(x), 2, 1.5, 0.3, 0.7), expected)


def test_lrn_twice_and_its_gradient_op() -> None:
    def gradient_op(dy: Any, x: Any, y: Any) -> Any:
        return tf.raw_ops.LRNGrad(
            input_grads=dy, input_image=x, output_image=y, depth_radius=1, alpha=0.7, beta=0.6
        )

    check_gradient(lambda x: tf.nn.lrn(x, 2, 1.5, 0.3, 0.7), normal(1, 2, 1, 5), order=2)
    check_gradient(gradient_op, *(normal(1, 1, 2, 4, seed=i) for i in range(3)), order=2)
    with pytest.raises(tf.errors.InvalidArgumentError, match="one shape"):
        gradient_op(*(tf.ones([1, 1, 1, i + 2]) for i in range(3)))


def test_moments_in_parts() -> None:
    x = normal(3, 4)
    for shift in (None, 0.5):
        statistics = tf.nn.sufficient_statistics(tf.constant(x), [0], shift=shift)
        mean, variance = tf.nn.normalize_moments(*statistics)
        assert_close(mean, x.mean(0))
        assert_close(variance, x.var(0))
    mean, variance = tf.nn.weighted_moments(tf.constant(x), [0], tf.ones([3, 1], tf.float64))
    assert_close(mean, x.mean(0))
    assert_close(variance, x.var(0))
    check_gradient(
        lambda x, w: tf.nn.weighted_moments(x, [1], w), x, np.abs(normal(3, 4)) + 0.5, order=2
    )


def test_weights_that_sum_to_zero() -> None:
    mean, variance = tf.nn.weighted_moments(tf.ones([2, 3]), [0], tf.zeros([2, 1]))
    assert mean.numpy().tolist() == variance.numpy().tolist() == [0.0, 0.0, 0.0]


# Morphology


def test_erosion_mirrors_dilation() -> None:
    x, bump = tf.constant(normal(1, 5, 4, 2)), tf.constant(normal(2, 3, 2))
    eroded = tf.nn.erosion2d(x, bump, ONES, "SAME", "NHWC", ONES)
    turned = tf.reverse(bump, [0, 1])
    assert_close(eroded, -tf.nn.dilation2d(-x, turned, ONES, "SAME", "NHWC", ONES))


def test_dilation_twice() -> None:
    def squared(x: Any, bump: Any) -> Any:
        return tf.nn.dilation2d(x, bump, ONES, "SAME", "NHWC", ONES) ** 2

    check_gradient(squared, normal(1, 4, 4, 2), normal(2, 2, 2), order=2)


def test_dilation_at_ties_and_nan() -> None:
    x, bump = tf.zeros([1, 2, 2, 1]), tf.zeros([2, 2, 1])
    with tf.GradientTape() as tape:
        tape.watch([x, bump])
        y = tf.nn.dilation2d(x, bump, ONES, "SAME", "NHWC", ONES)
    by_x, by_bump = tape.gradient(y, [x, bump])
    assert by_x.numpy().ravel().tolist() == [1.0, 1.0, 1.0, 1.0]
    assert by_bump.numpy().ravel().tolist() == [4.0, 0.0, 0.0, 0.0]
    y = tf.nn.dilation2d([[[[np.nan], [2.0]]]], tf.zeros([1, 2, 1]), ONES, "SAME", "NHWC", ONES)
    assert y.numpy().ravel().tolist() == [2.0, 2.0]


@pytest.mark.parametrize(
    ("shape", "bump", "strides", "padding", "match"),
    [([2, 2, 1], [1, 1, 1], ONES, "SAME", "4-dimensional"),
     ([1, 2, 2, 1], [1, 1], ONES, "SAME", "3-dimensional"),
     ([1, 2, 2, 1], [1, 1, 2], ONES, "SAME", "same depth"),
     ([1, 2, 2, 1], [5, 5, 1], ONES, "VALID", "negative"),
     ([1, 2, 2, 1], [1, 1, 1], [1, 0, 1, 1], "SAME", "Stride"),
     ([1, 2, 2, 1], [1, 1, 1], [1, 1], "SAME", "4 entries"),
     ([1, 2, 2, 1], [0, 1, 1], ONES, "SAME", "positive"), ([1, 2, 2, 1], [1, 1, 1], ONES, "FULL", "padding")],
)  # fmt: skip
def test_bad_dilations(shape: Any, bump: Any, strides: Any, padding: str, match: str) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=match):
        tf.nn.dilation2d(tf.zeros(shape), tf.zeros(bump), strides, padding, "NHWC", ONES)


def test_gradient_of_another_shape_is_refused() -> None:
    for op in (tf.raw_ops.Dilation2DBackpropInput, tf.raw_ops.Dilation2DBackpropFilter):
        with pytest.raises(tf.errors.InvalidArgumentError, match="out_backprop"):
            op(input=tf.zeros([1, 4, 4, 1]), filter=tf.zeros([2, 2, 1]), out_backprop=tf.zeros([1, 9, 9, 1]),
               strides=ONES, rates=ONES, padding="SAME")  # fmt: skip


def test_with_space_to_batch_is_a_dilated_convolution() -> None:
    x, kernel = tf.constant(normal(2, 7, 6, 2)), tf.constant(normal(3, 2, 2, 3))

    def convolve(x: Any, num_spatial_dims: int, padding: str) -> Any:
        return tf.nn.conv2d(x, kernel, 1, padding)

    for padding in ("SAME", "VALID"):
        found = tf.nn.with_space_to_batch(x, [2, 1], padding, convolve, filter_shape=[3, 2])
        assert_close(found, tf.nn.conv2d(x, kernel, 1, padding, dilations=[2, 1]))
    with pytest.raises(ValueError, match="filter_shape"):
        tf.nn.with_space_to_batch(x, [2, 1], "SAME", convolve)
    with pytest.raises(ValueError, match="positive"):
        tf.nn.with_space_to_batch(x, [0, 1], "VALID", convolve)


# Fractional pooling


@pytest.mark.parametrize("overlapping", [False, True])
@pytest.mark.parametrize("pool", [tf.nn.fractional_max_pool, tf.nn.fractional_avg_pool])
def test_fractional_pooling_twice(pool: Any, overlapping: bool) -> None:
    def squared(x: Any) -> Any:
        return pool(x, [1.0, 1.5, 1.3, 1.0], overlapping=overlapping, seed=3).output ** 2

    check_gradient(squared, normal(2, 5, 6, 2), order=2)


def test_fractional_pooling_without_a_seed_differs() -> None:
    x = tf.zeros([1, 60, 60, 1])
    rows = [tf.nn.fractional_max_pool(x, 1.4)[1].numpy().tolist() for _ in range(3)]
    assert rows[0] != rows[1] or rows[1] != rows[2]


@pytest.mark.parametrize(
    ("ratio", "error"), [(0.5, ValueError), ([1.4, 1.4], ValueError), ([2.0, 1.4, 1.4, 1.0], ValueError),
                         (9.0, tf.errors.InvalidArgumentError), (float("nan"), Exception)],
)  # fmt: skip
def test_bad_ratios(ratio: Any, error: Any) -> None:
    with pytest.raises(error):
        tf.nn.fractional_max_pool(tf.zeros([1, 8, 8, 1]), ratio, seed=1)


@pytest.mark.parametrize("seams", [[0, 2, 80], [1, 2, 4], [0, 4], [0, 3, 2], [-5, 2, 4], []])
def test_bad_seams(seams: Any) -> None:
    seams, good = tf.constant(seams, tf.int64), tf.constant([0, 2, 4], tf.int64)
    dy = tf.ones([1, 2, 2, 1])
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.raw_ops.FractionalAvgPoolGrad(
            orig_input_tensor_shape=[1, 4, 4, 1], out_backprop=dy, row_pooling_sequence=seams,
            col_pooling_sequence=good)  # fmt: skip
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.raw_ops.FractionalMaxPoolGrad(
            orig_input=tf.ones([1, 4, 4, 1]), orig_output=dy, out_backprop=dy, row_pooling_sequence=good,
            col_pooling_sequence=seams)  # fmt: skip


# CTC


def every_path(steps: int, classes: int, labels: list[int], log_probs: Any) -> float:
    """The probability of ``labels``, by going through all paths."""
    total = 0.0
    for path in np.ndindex(*[classes] * steps):
        merged = [c for i, c in enumerate(path) if i == 0 or c != path[i - 1]]
        if [c for c in merged if c != 0] == labels:
            total += float(np.exp(sum(log_probs[t, c] for t, c in enumerate(path))))
    return total


@pytest.mark.parametrize("labels", [[1, 2], [1, 1], [2], []])
def test_ctc_is_the_sum_over_paths(labels: list[int]) -> None:
    logits = normal(4, 1, 3)
    log_probs = tf.nn.log_softmax(tf.constant(logits))[:, 0].numpy()
    padded = tf.constant([labels + [0] * (3 - len(labels))])
    loss = tf.nn.ctc_loss(padded, tf.constant(logits), [len(labels)], [4])
    assert_close(loss, [-np.log(every_path(4, 3, labels, log_probs))])


def test_ctc_gradient() -> None:
    labels, lengths = tf.constant([[1, 2, 2], [3, 1, 0]]), [3, 2]
    check_gradient(
        lambda z: tf.nn.ctc_loss(labels, z, lengths, [6, 4], blank_index=0), normal(6, 2, 4)
    )


def test_ctc_second_gradient_is_refused() -> None:
    z = tf.constant(normal(3, 1, 2))
    with tf.GradientTape() as outer:
        outer.watch(z)
        with tf.GradientTape() as inner:
            inner.watch(z)
            y = tf.nn.ctc_loss([[1]], z, [1], [3])
        first = inner.gradient(y, z)
    with pytest.raises(LookupError, match="no gradient of its own"):
        outer.gradient(first, z)


def test_ctc_labels_that_do_not_fit() -> None:
    z = tf.constant(normal(2, 1, 3))
    with tf.GradientTape() as tape:
        tape.watch(z)
        loss = tf.nn.ctc_loss([[1, 1]], z, [2], [2])  # needs a blank between, so three steps
    assert np.isinf(loss.numpy()).all()
    assert not tape.gradient(loss, z).numpy().any()


@pytest.mark.parametrize(
    ("labels", "lengths", "steps", "blank", "match"),
    [([[9]], [1], [3], 0, "labels must be"), ([[-1]], [1], [3], 0, "labels must be"),
     ([[1]], [5], [3], 0, "columns"),
     ([[1]], [-1], [3], 0, "negative"), ([[1]], [1, 1], [3], 0, "label_length"),
     ([[1]], [1], [3], 7, "blank_index"),
     ([[1], [1]], [1], [3], 0, "row for each example"), ([[1]], [1], [-3], 0, "negative")],
)  # fmt: skip
def test_bad_ctc_arguments(labels: Any, lengths: Any, steps: Any, blank: int, match: str) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=match):
        tf.nn.ctc_loss(tf.constant(labels), tf.zeros([3, 1, 3]), lengths, steps, blank_index=blank)


def test_bad_sparse_ctc() -> None:
    logits = tf.zeros([2, 1, 3])
    for places, values in (([[5, 0]], [0]), ([[0, 0]], [9]), ([[0, 0], [0, 1], [0, 2]], [0, 0, 0])):
        with pytest.raises(tf.errors.InvalidArgumentError):
            tf.raw_ops.CTCLoss(
                inputs=logits, labels_indices=tf.constant(places, tf.int64), labels_values=values,
                sequence_length=[2])  # fmt: skip


def test_decoders() -> None:
    logits = tf.constant(normal(6, 2, 4) * 2)
    _, score = tf.nn.ctc_greedy_decoder(logits, [6, 4])
    assert score.shape == [2, 1]
    paths, log_probability = tf.nn.ctc_beam_search_decoder(
        logits, [6, 4], beam_width=50, top_paths=3
    )
    assert len(paths) == 3
    assert bool(tf.reduce_all(log_probability[:, :-1] >= log_probability[:, 1:]))
    # With beams enough, the search knows the probability that the loss knows.
    best = tf.sparse.to_dense(paths[0]).numpy()
    counts = [int((paths[0].indices.numpy()[:, 0] == i).sum()) for i in range(2)]
    loss = tf.nn.ctc_loss(tf.constant(best), logits, counts, [6, 4], blank_index=-1)
    assert_close(-loss, log_probability[:, 0], rtol=1e-6)
    with pytest.raises(tf.errors.FailedPreconditionError, match="sequence_length must be from"):
        tf.nn.ctc_greedy_decoder(logits, [7, 4])
    with pytest.raises(tf.errors.InvalidArgumentError, match="requested more paths than the"):
        tf.nn.ctc_beam_search_decoder(logits, [6, 4], beam_width=1, top_paths=2)


# Counts


def test_histogram_edges() -> None:
    values = tf.constant([-np.inf, -1.0, 0.0, 0.999, 1.0, 5.0, np.inf])
    assert tf.histogram_fixed_width(values, [0.0, 5.0], 5).numpy().tolist() == [4, 1, 0, 0, 2]
    for bad in ([5.0, 0.0], [0.0, 0.0], [0.0, float("nan")], [0.0, 1.0, 2.0]):
        with pytest.raises(tf.errors.InvalidArgumentError):
            tf.histogram_fixed_width(values, bad, 5)
    for nbins in (0, -1, 2**40):
        with pytest.raises(tf.errors.InvalidArgumentError):
            tf.histogram_fixed_width(values, [0.0, 5.0], nbins)
    with pytest.raises(tf.errors.InvalidArgumentError, match="NaN"):
        tf.histogram_fixed_width([float("nan")], [0.0, 5.0], 5)


def test_bincount_of_rows_and_sparse() -> None:
    rows = tf.constant([[1, 1], [2, 3]])
    assert tf.math.bincount(rows, axis=-1).numpy().tolist() == [[0, 2, 0, 0], [0, 0, 1, 1]]
    sparse = tf.sparse.from_dense([[1, 2], [0, 3]])
    assert tf.math.bincount(sparse, axis=-1).numpy().tolist() == [[0, 1, 1, 0], [0, 0, 0, 1]]
    assert tf.math.bincount(sparse).numpy().tolist() == [0, 1, 1, 1]
    with pytest.raises(tf.errors.InvalidArgumentError, match="non-negative"):
        tf.math.bincount([-1, 2])
    with pytest.raises(tf.errors.InvalidArgumentError, match="`weights` must be of the shape"):
        tf.math.bincount([1, 2], weights=[1.0])
    with pytest.raises(ValueError, match="axis=1"):
        tf.math.bincount(rows, axis=1)


def test_confusion_matrix_of_bad_labels() -> None:
    for labels, predictions in (([-1], [0]), ([0], [-1]), ([3], [0]), ([0], [3]), ([0], [0, 1])):
        with pytest.raises(tf.errors.InvalidArgumentError):
            tf.math.confusion_matrix(labels, predictions, num_classes=3)
    with pytest.raises(ValueError, match="weights"):
        tf.math.confusion_matrix([0, 1], [0, 1], weights=[1.0])


def test_confusion_matrix_by_weights() -> None:
    def matrix(w: Any) -> Any:
        return tf.math.confusion_matrix([0, 1, 1], [1, 1, 1], weights=w, dtype=tf.float64) ** 2

    check_gradient(matrix, normal(3), order=2)


# Lookups and sampled losses


def test_sparse_lookups() -> None:
    table = tf.constant(normal(6, 2))
    ids = tf.SparseTensor([[0, 0], [2, 1]], tf.constant([5, -1], tf.int64), [4, 2])
    found = tf.nn.safe_embedding_lookup_sparse(table, ids)
    assert_close(found, np.stack([table[5].numpy(), [0, 0], [0, 0], [0, 0]]))
    with pytest.raises(
        tf.errors.InvalidArgumentError, match=r"indices\[0\] = -1 is not in \[0, 6\)"
    ):
        tf.nn.embedding_lookup_sparse(table, ids, None)
    with pytest.raises(TypeError, match="SparseTensor"):
        tf.nn.embedding_lookup_sparse(table, [1], None)
    with pytest.raises(ValueError, match="combiner"):
        tf.nn.embedding_lookup_sparse(table, ids, None, combiner="max")


def test_sampled_loss_of_all_classes_is_the_loss() -> None:
    weights, biases, inputs = normal(5, 3), normal(5), normal(2, 3)
    labels = tf.constant([[1], [4]], tf.int64)

    def sampled(w: Any, b: Any, x: Any) -> Any:
        everything = tf.random.all_candidate_sampler(labels, 1, 5, True)
        return tf.nn.sampled_softmax_loss(w, b, labels, x, 5, 5, sampled_values=everything)

    tensors = [tf.constant(value) for value in (weights, biases, inputs)]
    logits = tf.matmul(tensors[2], tensors[0], transpose_b=True) + tensors[1]
    plain = tf.nn.sparse_softmax_cross_entropy_with_logits(labels[:, 0], logits)
    assert_close(sampled(*tensors), plain)
    check_gradient(sampled, weights, biases, inputs, order=2)


def test_a_label_that_a_row_has_twice_is_left_out_of_the_sample_once() -> None:
    weights, biases, inputs = tf.ones([5, 2]), tf.zeros([5]), tf.constant([[0.1, 0.2]])
    sample = tf.constant([1, 2], tf.int64), tf.fill([1, 2], 0.5), tf.constant([0.1, 0.2])
    more: dict[str, Any] = {"sampled_values": sample, "remove_accidental_hits": True}
    loss = tf.nn.nce_loss(weights, biases, [[1, 1]], inputs, 2, 5, 2, **more)
    assert loss.numpy() == pytest.approx(3.6709676)  # as TensorFlow's


@pytest.mark.parametrize("spatial", [1, 2, 3])
def test_a_transposed_convolution_takes_a_batch_of_minus_one(spatial: int) -> None:
    x, filters = normal(3, *[2] * spatial, 2), normal(*[2] * spatial, 1, 2)
    found, expected = [
        tf.nn.conv_transpose(x, filters, [batch, *[4] * spatial, 1], 2) for batch in (-1, 3)
    ]
    assert_close(found, expected)
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.nn.conv_transpose(x, filters, [3, -1, *[4] * (spatial - 1), 1], 2)


def test_the_function_of_with_space_to_batch_gets_three_arguments_by_position() -> None:
    x = tf.reshape(tf.range(8.0), [1, 4, 2])
    for rate in (1, 2):
        seen: list[Any] = []

        def plus(tensor: Any, axes: int, pad: str, seen: list[Any] = seen) -> Any:
            seen.append((axes, pad))
            return tensor + 1.0

        assert_close(tf.nn.with_space_to_batch(x, [rate], "VALID", plus), x + 1.0)
        assert seen == [(1, "VALID")]


def test_dropout_with_given_numbers() -> None:
    def half(shape: Any, dtype: Any) -> Any:
        return tf.reshape(tf.constant([0.1, 0.9, 0.5, 0.4], dtype), shape)

    x = tf.ones([2, 2])
    assert tf.nn.experimental.general_dropout(x, 0.5, half).numpy().tolist() == [
        [0.0, 2.0],
        [2.0, 0.0],
    ]


# Fake quantisation


def test_fake_quantisation_twice() -> None:
    x = tf.constant([-7.0, -1.0, 0.3, 9.0])
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = tf.quantization.fake_quant_with_min_max_args(x) ** 2
        first = inner.gradient(y, x)
    assert outer.gradient(first, x).numpy().tolist() == [0.0, 2.0, 2.0, 0.0]


def test_fake_quantisation_sends_what_is_outside_to_the_bounds() -> None:
    inputs, low, high = tf.constant([-9.0, -8.0, 0.0, 9.0]), tf.constant(-1.0), tf.constant(1.0)
    with tf.GradientTape() as tape:
        tape.watch([inputs, low, high])
        y = tf.quantization.fake_quant_with_min_max_vars(inputs, low, high)
    found = [g.numpy().tolist() for g in tape.gradient(y, [inputs, low, high])]
    assert found == [[0.0, 0.0, 1.0, 0.0], 2.0, 1.0]


def test_bad_ranges() -> None:
    for arguments in ({"min": 3.0, "max": 1.0}, {"num_bits": 1}, {"num_bits": 17}):
        with pytest.raises(tf.errors.InvalidArgumentError):
            tf.quantization.fake_quant_with_min_max_args([1.0], **arguments)
    with pytest.raises(tf.errors.InvalidArgumentError, match="`min` must be rank 0 but is rank"):
        tf.quantization.fake_quant_with_min_max_vars([1.0], [0.0], [1.0])
    with pytest.raises(tf.errors.InvalidArgumentError, match="min has incorrect size, expected"):
        tf.quantization.fake_quant_with_min_max_vars_per_channel([[1.0, 2.0]], [0.0], [1.0])


# Matrices of a few diagonals


def banded(seed: int = 0) -> np.ndarray[Any, Any]:
    bands = normal(2, 3, 5, seed=seed)
    bands[:, 1] += 5.0
    return bands


def as_matrix(bands: Any) -> Any:
    return np.diag(bands[1]) + np.diag(bands[0, :-1], 1) + np.diag(bands[2, 1:], -1)


def test_tridiagonal_is_the_whole_matrix() -> None:
    bands, rhs = banded(), normal(2, 5, 3)
    matrices = np.stack([as_matrix(each) for each in bands])
    assert_close(
        tf.linalg.tridiagonal_solve(tf.constant(bands), rhs), np.linalg.solve(matrices, rhs)
    )
    assert_close(tf.linalg.tridiagonal_matmul(tf.constant(bands), rhs), matrices @ rhs)
    parts = [tf.constant(bands[:, i]) for i in range(3)]
    assert_close(
        tf.linalg.tridiagonal_solve(parts, rhs, "sequence"), np.linalg.solve(matrices, rhs)
    )
    whole = tf.linalg.tridiagonal_matmul(tf.constant(matrices), rhs, "matrix")
    assert_close(whole, matrices @ rhs)


def test_tridiagonal_twice() -> None:
    check_gradient(tf.linalg.tridiagonal_solve, banded(), normal(2, 5, 2), order=2)
    check_gradient(tf.linalg.tridiagonal_matmul, banded(), normal(2, 5, 2), order=2)


def test_bad_tridiagonals() -> None:
    for bands, rhs in ((np.zeros((3, 3)), np.ones((3, 1))), (np.ones((2, 3)), np.ones((3, 1))),
                       (np.ones((3, 4)), np.ones((3, 1))),
                       (np.ones((2, 3, 4)), np.ones((3, 4, 1)))):  # fmt: skip
        with pytest.raises(tf.errors.InvalidArgumentError):
            tf.linalg.tridiagonal_solve(tf.constant(bands), rhs)
    assert tf.linalg.tridiagonal_solve(tf.zeros([0, 3, 4]), tf.zeros([0, 4, 2])).shape == [0, 4, 2]
    with pytest.raises(tf.errors.InvalidArgumentError, match="invertible"):
        tf.linalg.banded_triangular_solve(tf.zeros([2, 3]), tf.ones([3, 1]))


def test_eigenvalues_of_a_tridiagonal_matrix() -> None:
    from scipy.linalg import eigh_tridiagonal

    alpha, beta = normal(6), normal(5, seed=1)
    expected, vectors = eigh_tridiagonal(alpha, beta)
    assert_close(tf.linalg.eigh_tridiagonal(alpha, beta), expected)
    found = tf.linalg.eigh_tridiagonal(alpha, beta, eigvals_only=False)[1]
    assert_close(tf.abs(found), np.abs(vectors), rtol=1e-9)
    middle = tf.linalg.eigh_tridiagonal(alpha, beta, select="i", select_range=(1, 3))
    assert_close(middle, expected[1:4])
    check_gradient(tf.linalg.eigh_tridiagonal, alpha, beta)


def test_after_lu() -> None:
    matrix, rhs = normal(2, 3, 3), normal(2, 3, 2)
    lower_upper, perm = tf.linalg.lu(tf.constant(matrix))
    assert_close(tf.linalg.lu_reconstruct(lower_upper, perm), matrix)
    assert_close(tf.linalg.lu_matrix_inverse(lower_upper, perm), np.linalg.inv(matrix))
    assert_close(tf.linalg.lu_solve(lower_upper, perm, rhs), np.linalg.solve(matrix, rhs))
    check_gradient(lambda a, b: tf.linalg.lu_solve(a, perm, b), lower_upper.numpy(), rhs, order=2)


def test_a_quantized_range_for_each_slice() -> None:
    """TensorFlow refuses numbers for want of vectors, and vectors for want of numbers."""
    x = tf.constant([[-1.0, 0.5, 2.0], [3.0, -4.0, 0.1]])
    low, high = tf.constant([-1.0, -2.0]), tf.constant([1.0, 2.0])
    whole = tf.quantization.quantize_and_dequantize_v2
    with tf.GradientTape() as tape:
        tape.watch(x)
        found = whole(x, low, high, num_bits=4, range_given=True, axis=0)
    for row in (0, 1):
        alone = whole(x[row], low[row], high[row], num_bits=4, range_given=True)
        assert found[row].numpy().tolist() == alone.numpy().tolist()
    assert tape.gradient(found, x).numpy().tolist() == [[1.0, 1.0, 0.0], [0.0, 0.0, 1.0]]


def test_quantized_steps_to_second_order() -> None:
    x = tf.constant([-3.0, 0.5, 1.0])
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = tf.quantization.quantize_and_dequantize_v2(x, -2.0, 2.0, range_given=True) * x
        gradient = inner.gradient(y, x)
    # y' = inside * x + steps(x), and steps' = inside
    assert outer.gradient(gradient, x).numpy().tolist() == [0.0, 2.0, 2.0]


def test_the_first_quantizing_op_is_gone() -> None:
    with pytest.raises(tf.errors.UnimplementedError, match="QuantizeAndDequantize was removed"):
        tf.raw_ops.QuantizeAndDequantize(input=tf.ones([2]))


# What TensorFlow gives, where a search as wide as can be finds other prefixes.
NARROW_BEAMS = {
    "a prefix that loses its place before its parent is extended": (
        [
            [-2.0813358, 1.3599372, 1.7709305, 2.040853],
            [2.7448719, 4.5262613, -0.27038598, -0.9108549],
        ],
        [[1], [0]],
        [-0.9930892, -2.7744787],
    ),
    "a prefix that loses its place after its parent was extended": (
        [[1.8905786, 3.3534374, 1.936766], [1.0777926, -1.7225707, -0.77006435]],
        [[1, 0], [0]],
        [-0.5855509, -2.0022223],
    ),
}


@pytest.mark.parametrize(("logits", "labels", "scores"), NARROW_BEAMS.values(), ids=NARROW_BEAMS)
def test_narrow_beams_of_the_decoder_drop_the_prefixes_that_tensorflow_drops(
    logits: Any, labels: Any, scores: Any
) -> None:
    inputs = tf.constant(logits)[:, None]
    paths, log_probability = tf.nn.ctc_beam_search_decoder(inputs, [2], beam_width=2, top_paths=2)
    assert [path.values.numpy().tolist() for path in paths] == labels
    np.testing.assert_allclose(log_probability[0], scores, rtol=1e-5)


def test_the_beam_search_has_no_labels_without_a_path() -> None:
    inputs = tf.constant([[[1.0, 2.0]], [[0.5, 0.0]]])
    paths, _ = tf.nn.ctc_beam_search_decoder(inputs, [2], beam_width=4, top_paths=2)
    assert sorted(path.values.numpy().tolist() for path in paths) == [[], [0]]
    with pytest.raises(
        tf.errors.InvalidArgumentError, match="Less leaves"
    ):  # "00" takes three steps
        tf.nn.ctc_beam_search_decoder(inputs, [2], beam_width=4, top_paths=3)
