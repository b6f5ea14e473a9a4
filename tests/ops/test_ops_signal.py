"""What the table of samples cannot ask of signals and pictures.

Transforms that undo each other, gradients of ops that compute in float32 whatever comes in, misuse, and
the numbers that seeds give.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tapegrad as tf
from tapegrad import testing

Array = np.ndarray[Any, Any]
Invalid = tf.errors.InvalidArgumentError


def _draw(*shape: int, seed: int = 0) -> Array:
    return np.random.default_rng(seed).normal(size=shape)


# Signals


@pytest.mark.parametrize("shape", [(6,), (2, 5), (3, 1), (2, 0), (0, 4)])
def test_ifft_undoes_fft(shape: tuple[int, ...]) -> None:
    x = _draw(*shape) + 1j * _draw(*shape, seed=1)
    np.testing.assert_allclose(tf.signal.ifft(tf.signal.fft(x)), x, atol=1e-12)


@pytest.mark.parametrize("size", [1, 2, 5, 6])
def test_irfft_undoes_rfft(size: int) -> None:
    x = tf.constant(_draw(3, size))
    back = tf.signal.irfft(tf.signal.rfft(x), [size])
    np.testing.assert_allclose(back, x, atol=1e-12)


def test_transforms_over_any_axes_are_numpys() -> None:
    x = _draw(2, 3, 4)
    z = x + 1j * _draw(2, 3, 4, seed=1)
    for norm in (None, "backward", "ortho", "forward"):
        options: dict[str, Any] = {"axes": (2, 0), "norm": norm}
        for lengths in (None, [5, 3]):
            for name, value in (("fft", z), ("ifft", z), ("rfft", x), ("irfft", z)):
                ours = getattr(tf.signal, f"{name}nd")(tf.constant(value), lengths, **options)
                numpys = getattr(np.fft, f"{name}n")(value, lengths, **options)
                np.testing.assert_allclose(ours, numpys, atol=1e-12)


def test_gradient_of_one_frequency() -> None:
    """TensorFlow gives the frequencies that a length of 1 leaves out a gradient too."""
    z = _draw(4) + 1j * _draw(4, seed=1)
    testing.check_gradient(lambda z: tf.signal.irfft(z, [1]), z, order=2)


def test_no_frequencies_and_no_samples() -> None:
    with tf.GradientTape(persistent=True) as tape:
        x, z = tf.zeros([2, 0]), tf.zeros([2, 1], tf.complex64)
        tape.watch([x, z])
        frequencies = tf.signal.rfft(x)
        samples = tf.signal.irfft(z)
    assert frequencies.shape == [2, 0]
    assert samples.shape == [2, 0]
    assert tape.gradient(frequencies, x).shape == [2, 0]
    np.testing.assert_array_equal(tape.gradient(samples, z), np.zeros([2, 1]))
    np.testing.assert_array_equal(tf.signal.rfft(tf.zeros([0]), [4]), np.zeros(3))


@pytest.mark.parametrize("step", [1, 2, 3, 5])
def test_frames_and_overlap_and_add_are_transposed(step: int) -> None:
    x, y = tf.constant(_draw(2, 12)), None
    with tf.GradientTape() as tape:
        tape.watch(x)
        frames = tf.signal.frame(x, 4, step)
    y = tf.constant(_draw(*frames.shape, seed=1))
    gradient = tape.gradient(frames, x, y)
    added = tf.signal.overlap_and_add(y, step)
    size = int(added.shape[-1])
    np.testing.assert_allclose(gradient[:, :size], added)
    assert not np.any(gradient[:, size:])


@pytest.mark.parametrize("window", ["hann", "hamming", "kaiser"])
@pytest.mark.parametrize("step", [1, 3, 4])
def test_inverse_stft_undoes_stft(window: str, step: int) -> None:
    x = tf.constant(_draw(2, 40))
    window_fn = getattr(tf.signal, f"{window}_window")
    undo = tf.signal.inverse_stft_window_fn(step, window_fn)
    back = tf.signal.inverse_stft(
        tf.signal.stft(x, 12, step, window_fn=window_fn), 12, step, window_fn=undo
    )
    size = int(back.shape[-1])
    np.testing.assert_allclose(back[:, 12:-12], x[:, 12 : size - 12], atol=1e-9)


@pytest.mark.parametrize("window", [None, "vorbis", "kaiser_bessel_derived"])
@pytest.mark.parametrize("norm", [None, "ortho"])
def test_inverse_mdct_undoes_mdct(window: str | None, norm: str | None) -> None:
    x = tf.constant(_draw(32))
    window_fn = window and getattr(tf.signal, f"{window}_window")
    spectra = tf.signal.mdct(x, 8, window_fn, norm=norm)
    back = tf.signal.inverse_mdct(spectra, window_fn, norm)
    # Two orthonormal transforms of a signal that is in two frames: its half, if neither divides.
    np.testing.assert_allclose(back[4:-4], x[4:-4], atol=1e-9)


@pytest.mark.parametrize("kind", [2, 3, 4])
def test_orthonormal_cosine_transforms_undo_each_other(kind: int) -> None:
    x = tf.constant(_draw(2, 7))
    back = tf.signal.idct(tf.signal.dct(x, kind, norm="ortho"), kind, norm="ortho")
    np.testing.assert_allclose(back, x, atol=1e-12)


def test_kaiser_window_has_a_gradient_by_beta() -> None:
    for window in (tf.signal.kaiser_window, tf.signal.kaiser_bessel_derived_window):
        testing.check_gradient(
            lambda beta, window=window: window(6, beta, tf.float64), np.array(3.0), order=2
        )


def test_window_functions_are_called_as_tensorflow_calls_them() -> None:
    asked: list[Any] = []

    def window_fn(frame_length: int, dtype: Any) -> Any:
        asked.append((int(frame_length), dtype))
        return tf.ones([frame_length], dtype)

    tf.signal.stft(tf.ones([8], tf.float64), 4, 2, window_fn=window_fn)
    tf.signal.inverse_stft(tf.ones([2, 3], tf.complex64), 4, 2, window_fn=window_fn)
    tf.signal.inverse_stft_window_fn(2, window_fn)(4, tf.float32)
    assert asked == [(4, tf.float64), (4, tf.float32), (4, tf.float32)]


# Pictures. Most of these ops compute in float32 whatever comes in, so that finite differences in double
# precision cannot be asked of them; but most are linear too.


def _gradient(function: Callable[..., Any], *inputs: Any) -> list[Any]:
    tensors = [tf.constant(x) for x in inputs]
    with tf.GradientTape() as tape:
        tape.watch(tensors)
        out = function(*tensors)
    return tape.gradient(out, tensors)


def _check_linear(function: Callable[[Any], Any], shape: tuple[int, ...]) -> None:
    """The gradient is the transpose, and the gradient's gradient the function again."""
    x = tf.constant(_draw(*shape), tf.float32)
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            inner.watch(x)
            out = function(x)
        y = tf.constant(_draw(*out.shape, seed=1), tf.float32)
        outer.watch(y)
        gradient = inner.gradient(out, x, y)
    left, right = np.sum(out.numpy() * y.numpy()), np.sum(x.numpy() * gradient.numpy())
    np.testing.assert_allclose(left, right, rtol=1e-4, atol=1e-4)
    again = outer.gradient(gradient, y, x)
    np.testing.assert_allclose(again, out, rtol=1e-4, atol=1e-5)


_METHODS = "bilinear nearest bicubic area lanczos3 lanczos5 gaussian mitchellcubic".split()


@pytest.mark.parametrize("method", _METHODS)
@pytest.mark.parametrize("size", [[1, 1], [3, 9], [11, 2], [5, 6]])
@pytest.mark.parametrize("antialias", [False, True])
def test_resize_gradients(method: str, size: list[int], antialias: bool) -> None:
    _check_linear(lambda x: tf.image.resize(x, size, method, antialias=antialias), (2, 5, 6, 3))


@pytest.mark.parametrize("how", [{}, {"align_corners": True}, {"half_pixel_centers": True}])
@pytest.mark.parametrize("name", ["ResizeBilinear", "ResizeBicubic", "ResizeNearestNeighbor"])
def test_raw_resize_gradients(name: str, how: dict[str, bool]) -> None:
    raw = getattr(tf.raw_ops, name)
    for size in ([1, 1], [3, 9], [11, 2]):
        _check_linear(lambda x, size=size: raw(images=x, size=size, **how), (1, 5, 6, 2))


def test_wide_kernels_are_summed_like_narrow_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    from tapegrad.ops.image import resample

    x = tf.constant(_draw(1, 40, 30, 2), tf.float32)
    narrow = []
    for few in (0, 1000):
        monkeypatch.setattr(resample, "FEW_TAPS", few)
        narrow.append(tf.image.resize(x, [4, 7], "lanczos5", antialias=True).numpy())
    np.testing.assert_allclose(*narrow, rtol=1e-4, atol=1e-5)


def test_padded_pictures_have_the_sizes_that_single_precision_gives() -> None:
    # 41 / (57 / 14) is 14 in exact numbers, and 13 here, as in TensorFlow.
    for sizes, to, expected in (
        ((2, 40), (42, 58), (2, 58)),
        ((57, 41), (14, 31), (13, 10)),
        ((8, 4), (49, 13), (25, 12)),
        ((54, 27), (50, 40), (49, 24)),
    ):
        y = tf.image.resize_with_pad(tf.ones([*sizes, 1]), *to)[:, :, 0].numpy() > 0
        assert (y.any(1).sum(), y.any(0).sum()) == expected


def test_integer_pictures_have_no_gradient() -> None:
    x = tf.constant([[[1], [2]]], tf.uint8)
    with tf.GradientTape() as tape:
        y = tf.image.resize(x, [2, 2])
    assert tape.gradient(y, x) is None


# No pixel of the crops lies on one of the picture's, where the slope changes.
_BOXES = np.array([[0.1, 0.23, 0.85, 0.9], [0.9, 0.7, 0.2, 0.15]], np.float32)


@pytest.mark.parametrize("method", ["bilinear", "nearest"])
def test_crops_are_linear_in_the_picture(method: str) -> None:
    _check_linear(
        lambda x: tf.image.crop_and_resize(x, _BOXES, [1, 0], [3, 4], method), (2, 4, 5, 3)
    )


def test_crops_change_with_their_boxes() -> None:
    """Against differences, in float32; to second order in picture and boxes together."""
    picture, direction = _draw(1, 5, 6, 2).astype(np.float32), _draw(2, 4, seed=1)
    weights = _draw(2, 3, 4, 2, seed=2).astype(np.float32)

    def loss(boxes: Any, picture: Any) -> Any:
        crops = tf.image.crop_and_resize(picture, boxes, [0, 0], [3, 4])
        return tf.reduce_sum(crops * weights)

    step = 1e-3
    ahead, behind = ((_BOXES + sign * step * direction).astype(np.float32) for sign in (1.0, -1.0))
    by_boxes, _ = _gradient(loss, _BOXES, picture)
    slope = (loss(ahead, picture) - loss(behind, picture)) / (2 * step)
    np.testing.assert_allclose(np.sum(by_boxes * direction), slope, rtol=1e-2)

    def slope_of(boxes: Any, picture: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(boxes)
            out = loss(boxes, picture)
        return tf.reduce_sum(tape.gradient(out, boxes) * tf.constant(direction, tf.float32))

    by_boxes, by_picture = _gradient(slope_of, _BOXES, picture)
    turns = [slope_of(tf.constant(boxes), tf.constant(picture)) for boxes in (ahead, behind)]
    np.testing.assert_allclose(
        np.sum(by_boxes * direction), (turns[0] - turns[1]) / (2 * step), rtol=1e-2
    )
    gradients = [_gradient(loss, boxes, picture)[1].numpy() for boxes in (ahead, behind)]
    np.testing.assert_allclose(
        by_picture, (gradients[0] - gradients[1]) / (2 * step), rtol=1e-2, atol=1e-2
    )


def test_crops_of_several_boxes_add_up_in_the_picture() -> None:
    boxes = np.array([[0.0, 0.0, 1.0, 1.0]] * 3, np.float32)
    (gradient,) = _gradient(
        lambda x: tf.image.crop_and_resize(x, boxes, [0, 1, 0], [2, 2]), np.ones([2, 2, 2, 1], "f")
    )
    np.testing.assert_array_equal(gradient[:, 0, 0, 0], [2.0, 1.0])


def test_glimpses_show_noise_outside_and_have_a_gradient() -> None:
    x = np.arange(12.0, dtype=np.float32).reshape(1, 3, 4, 1)
    for noise in ("uniform", "gaussian"):
        glimpse = tf.image.extract_glimpse(x, [2, 2], [[1.0, 1.0]], noise=noise).numpy()
        assert glimpse[0, 0, 0, 0] == 11.0
        assert np.all(glimpse.ravel()[1:] != 0)
        assert np.all(np.isfinite(glimpse))
    _check_linear(
        lambda x: tf.image.extract_glimpse(x, [3, 2], [[0.5, -1.0], [0.1, 0.0]], noise="zero"),
        (2, 4, 5, 2),
    )


@pytest.mark.parametrize("noise", ["uniform", "gaussian"])
def test_each_glimpse_has_noise_of_its_own(noise: str) -> None:
    """Also in replays of a function that gives it nothing but constants."""
    picture = tf.reshape(tf.range(12.0), [1, 3, 4, 1])
    glimpse = tf.function(
        lambda: tf.image.extract_glimpse(picture, [2, 2], [[1.0, 1.0]], noise=noise)
    )
    glimpses = [glimpse().numpy().ravel() for _ in range(4)]
    assert len({tuple(values[1:].tolist()) for values in glimpses}) == 4
    assert {values[0] for values in glimpses} == {11.0}


def test_patches_put_back_count_how_often_a_pixel_is_in_them() -> None:
    (gradient,) = _gradient(
        lambda x: tf.image.extract_patches(x, [1, 2, 2, 1], [1, 1, 1, 1], [1, 1, 1, 1], "VALID"),
        np.ones([1, 3, 3, 1]),
    )
    np.testing.assert_array_equal(gradient[0, :, :, 0], [[1, 2, 1], [2, 4, 2], [1, 2, 1]])


@pytest.mark.parametrize("fill_mode", ["CONSTANT", "REFLECT", "WRAP", "NEAREST"])
@pytest.mark.parametrize("interpolation", ["NEAREST", "BILINEAR"])
def test_projections_have_their_transpose_as_gradient(fill_mode: str, interpolation: str) -> None:
    """TensorFlow's gradient, the projection by the inverse transform, is only about right."""
    transforms = tf.constant(
        [[0.8, -0.6, 1.2, 0.6, 0.8, -1.3, 0, 0], [1.1, 0.1, -0.7, -0.2, 0.9, 0.3, 0.03, -0.02]]
    )
    _check_linear(
        lambda x: tf.raw_ops.ImageProjectiveTransformV3(
            images=x,
            transforms=transforms,
            output_shape=[5, 4],
            fill_value=0.0,
            interpolation=interpolation,
            fill_mode=fill_mode,
        ),
        (2, 4, 6, 3),
    )


def test_colours_come_back() -> None:
    x = tf.constant(np.random.default_rng(0).uniform(size=(50, 3)))
    for there, back in (
        (tf.image.rgb_to_hsv, tf.image.hsv_to_rgb),
        (tf.image.rgb_to_yiq, tf.image.yiq_to_rgb),
        (tf.image.rgb_to_yuv, tf.image.yuv_to_rgb),
    ):
        # The standards' matrices are given to few digits.
        np.testing.assert_allclose(back(there(x)), x, atol=1e-4)
    assert _gradient(tf.image.hsv_to_rgb, x.numpy()) == [None]


def test_adjusted_colours_have_no_gradient() -> None:
    for adjust in (tf.image.adjust_hue, tf.image.adjust_saturation, tf.image.adjust_contrast):
        with pytest.raises(LookupError, match="gradient registry has no entry for: Adjust"):
            _gradient(lambda x, adjust=adjust: adjust(x, 0.5), np.ones([2, 2, 3], np.float32))


@pytest.mark.parametrize("function", ["psnr", "ssim"])
def test_likeness_has_a_gradient(function: str) -> None:
    x, direction = np.random.default_rng(0).uniform(size=(2, 1, 12, 12, 1)).astype(np.float32)
    y = np.clip(x + 0.1 * _draw(*x.shape), 0, 1).astype(np.float32)

    def likeness(x: Any) -> Any:
        return getattr(tf.image, function)(x, y, 1.0)

    (gradient,) = _gradient(likeness, x)
    step = 1e-3
    slope = (likeness(x + step * direction) - likeness(x - step * direction)) / (2 * step)
    np.testing.assert_allclose([np.sum(gradient * direction)], slope, rtol=2e-2)


def test_pictures_of_two_dtypes() -> None:
    """Each is scaled by its own dtype; how alike their structure is can be asked of one dtype only."""
    whole = np.arange(48, dtype=np.uint8).reshape(4, 4, 3)
    parts = (whole / 255).astype(np.float32)
    expected = tf.image.psnr(parts, parts[::-1], 1.0).numpy()
    np.testing.assert_allclose(tf.image.psnr(whole, parts[::-1], 255).numpy(), expected, 1e-5)
    np.testing.assert_allclose(tf.image.psnr(parts, whole[::-1], 1.0).numpy(), expected, 1e-5)
    with pytest.raises(Invalid, match="must have one dtype; uint8 and float32 came"):
        tf.image.ssim(whole, parts, 255, filter_size=3)


def test_padded_boxes_at_the_threshold() -> None:
    """An overlap of just the threshold drops a box, other than in `non_max_suppression`; as in TensorFlow."""
    boxes = tf.constant([[0.0, 0, 1, 1], [0, 0, 1, 0.5], [0, 0, 0.1, 0.1], [-1, -1, 0, 0]])
    scores = tf.constant([0.9, 0.8, 0.7, 0.6])
    padded = tf.image.non_max_suppression_padded
    assert tf.image.non_max_suppression(boxes[:3], scores[:3], 3).numpy().tolist() == [0, 1, 2]
    indices, count = padded(boxes, scores, 4)
    assert (indices.numpy().tolist(), int(count)) == ([0, 2], 2)
    indices, count = padded(boxes, scores, 4, iou_threshold=0.6)
    assert (indices.numpy().tolist(), int(count)) == ([0, 1, 2], 3)


def test_padded_boxes_in_batches() -> None:
    random = np.random.default_rng(0)
    boxes = random.uniform(size=(2, 3, 6, 4)).astype(np.float32)
    scores = random.uniform(size=(2, 3, 6)).astype(np.float32)
    padded = tf.image.non_max_suppression_padded
    how = {"max_output_size": 4, "iou_threshold": 0.2, "pad_to_max_output_size": True}
    indices, counts = padded(boxes, scores, **how)
    assert (indices.shape, counts.shape) == ((2, 3, 4), (2, 3))
    for place in np.ndindex(2, 3):
        one, count = padded(boxes[place], scores[place], **how)
        np.testing.assert_array_equal(indices[place], one)
        assert counts[place] == count
    with pytest.raises(ValueError, match="pad_to_max_output_size=True"):
        padded(boxes, scores, 4)


def test_best_boxes_are_few() -> None:
    boxes = np.random.default_rng(0).uniform(size=(200, 4)).astype(np.float32)
    scores = np.random.default_rng(1).uniform(size=200).astype(np.float32)
    chosen = tf.image.non_max_suppression(boxes, scores, 200, iou_threshold=0.3).numpy()
    assert np.all(np.diff(scores[chosen]) <= 0)
    assert len(set(chosen.tolist())) == len(chosen) < 200


# Misuse

_NAN = float("nan")
_MISUSE: list[tuple[str, type[Exception]]] = [
    ("tf.signal.fft(tf.constant(1j))", Invalid),
    ("tf.signal.fft(tf.constant([1.0]))", Invalid),
    ("tf.signal.fft3d(tf.zeros([2, 2], tf.complex64))", Invalid),
    ("tf.signal.rfft(tf.constant(1.0))", ValueError),
    ("tf.signal.rfft(tf.constant([1, 2]))", ValueError),
    ("tf.signal.rfft(tf.ones([4]), 4)", TypeError),
    ("tf.signal.rfft(tf.ones([4]), [4.0])", TypeError),
    ("tf.signal.rfft(tf.ones([4]), [4, 2])", Invalid),
    ("tf.signal.rfft(tf.ones([4]), [0])", Invalid),  # TensorFlow aborts the process
    ("tf.signal.rfft(tf.ones([4]), [-1])", Invalid),
    ("tf.signal.rfft(tf.ones([4]), [2**62])", (Invalid, tf.errors.ResourceExhaustedError)),
    ("tf.signal.irfft2d(tf.ones([2, 3], tf.complex64), [3])", Invalid),
    ("tf.signal.fftnd(tf.ones([2]), norm='x')", ValueError),
    ("tf.signal.fftshift(tf.ones([2]), 1)", Invalid),
    ("tf.signal.frame(tf.ones([4]), 2, 0)", Invalid),
    ("tf.signal.frame(tf.ones([4]), -1, 2)", Invalid),
    ("tf.signal.frame(tf.ones([4]), 2.0, 1)", Invalid),
    ("tf.signal.frame(tf.ones([4]), [2], 1)", ValueError),
    ("tf.signal.frame(tf.ones([4]), 2, 1, axis=1)", IndexError),
    ("tf.signal.frame(tf.constant(1.0), 2, 1)", ValueError),
    ("tf.signal.frame(tf.constant([1, 2]), 4, 1, pad_end=True, pad_value=0.5)", TypeError),
    ("tf.signal.overlap_and_add(tf.ones([2, 3]), 0)", Invalid),
    ("tf.signal.overlap_and_add(tf.ones([2, 3]), 2.0)", ValueError),
    ("tf.signal.overlap_and_add(tf.ones([3]), 2)", ValueError),
    ("tf.signal.hann_window(-1)", Invalid),
    ("tf.signal.hann_window(2.0)", TypeError),
    ("tf.signal.hann_window([3])", ValueError),
    ("tf.signal.hamming_window(3, dtype=tf.int32)", ValueError),
    ("tf.signal.kaiser_window(0)", Invalid),
    ("tf.signal.inverse_stft(tf.ones([3], tf.complex64), 4, 2)", ValueError),
    ("tf.signal.inverse_stft_window_fn(0)(4, tf.float32)", Invalid),
    ("tf.signal.dct(tf.ones([3]), 5)", ValueError),
    ("tf.signal.dct(tf.ones([3]), axis=0)", NotImplementedError),
    ("tf.signal.dct(tf.ones([3]), n=0)", ValueError),
    ("tf.signal.dct(tf.ones([3]), 1, norm='ortho')", ValueError),
    ("tf.signal.dct(tf.ones([1]), 1)", ValueError),
    ("tf.signal.dct(tf.constant([1, 2]))", TypeError),
    ("tf.signal.mdct(tf.ones([8]), 6)", ValueError),
    ("tf.signal.linear_to_mel_weight_matrix(0)", ValueError),
    ("tf.signal.linear_to_mel_weight_matrix(upper_edge_hertz=5000.0)", ValueError),
    ("tf.signal.linear_to_mel_weight_matrix(lower_edge_hertz=_NAN)", ValueError),
    ("tf.signal.mfccs_from_log_mel_spectrograms(tf.zeros([2, 0]))", ValueError),
    ("tf.image.resize(tf.ones([2, 2]), [2, 2])", ValueError),
    ("tf.image.resize(tf.ones([2, 2, 1]), [2])", ValueError),
    ("tf.image.resize(tf.ones([2, 2, 1]), [2.0, 2.0])", ValueError),
    ("tf.image.resize(tf.ones([2, 2, 1]), [0, 2])", Invalid),
    ("tf.image.resize(tf.ones([2, 0, 1]), [2, 2])", Invalid),
    ("tf.image.resize(tf.ones([2, 2, 0]), [2, 2])", Invalid),
    ("tf.image.resize(tf.ones([2, 2, 1]), [2, 2], 'other')", ValueError),
    ("tf.image.resize(tf.constant([[[True]]]), [2, 2])", Invalid),
    ("tf.image.resize(tf.ones([2, 2, 1]), [2**30, 2**30])", (Invalid, tf.errors.ResourceExhaustedError)),
    ("tf.image.resize_with_pad(tf.ones([2, 2, 1]), 0, 2)", ValueError),
    ("tf.image.crop_and_resize(tf.ones([1, 2, 2, 1]), [[0.0, 0.0, 1.0, 1.0]], [1], [2, 2])",
     tf.errors.OutOfRangeError),
    ("tf.image.crop_and_resize(tf.ones([1, 2, 2, 1]), [[0.0, 0.0, 1.0, _NAN]], [0], [2, 2])", Invalid),
    ("tf.image.crop_and_resize(tf.ones([1, 2, 2, 1]), [[0.0, 0.0, 1.0]], [0], [2, 2])", Invalid),
    ("tf.image.crop_and_resize(tf.ones([1, 2, 2, 1]), [[0.0, 0.0, 1.0, 1.0]], [0, 0], [2, 2])", Invalid),
    ("tf.image.extract_patches(tf.ones([1, 2, 2, 1]), 2, 1, 1, 'VALID')", TypeError),
    ("tf.image.extract_patches(tf.ones([1, 2, 2, 1]), [2, 2, 2, 1], [1] * 4, [1] * 4, 'VALID')",
     tf.errors.UnimplementedError),
    ("tf.image.extract_patches(tf.ones([1, 2, 2, 1]), [1, 0, 2, 1], [1] * 4, [1] * 4, 'VALID')",
     tf.errors.OutOfRangeError),
    ("tf.image.extract_patches(tf.ones([1, 2, 2, 1]), [1, 2, 2, 1], [1] * 4, [1] * 4, 'FULL')", Invalid),
    ("tf.image.extract_glimpse(tf.ones([1, 2, 2, 1]), [2], [[0.0, 0.0]])", Invalid),
    ("tf.image.rgb_to_hsv(tf.ones([2, 2]))", tf.errors.FailedPreconditionError),
    ("tf.image.rgb_to_hsv(tf.constant([1, 2, 3]))", Invalid),
    ("tf.image.rgb_to_yiq([1.0, 2.0])", Invalid),
    ("tf.image.adjust_hue(tf.ones([2, 2, 3]), 2.0)", ValueError),
    ("tf.image.adjust_saturation(tf.ones([2, 2, 1]), 0.5)", Invalid),
    ("tf.image.psnr(tf.ones([2, 2, 1]), tf.ones([2, 3, 1]), 1.0)", Invalid),
    ("tf.image.ssim(tf.ones([9, 9, 1]), tf.ones([9, 9, 1]), 1.0)", Invalid),
    ("tf.image.sobel_edges(tf.ones([1, 1, 3, 1]))", Invalid),
    ("tf.image.draw_bounding_boxes(tf.ones([1, 2, 2, 2]), [[[0.0, 0.0, 1.0, 1.0]]], [[1.0, 1.0]])", Invalid),
    ("tf.image.non_max_suppression([[0.0, 0.0, 1.0, 1.0]], [0.5, 0.9], 3)", Invalid),
    ("tf.image.non_max_suppression([[0.0, 0.0, 1.0, 1.0]], [0.5], -1)", Invalid),
    ("tf.image.random_brightness(tf.ones([2, 2, 1]), -0.2)", ValueError),
    ("tf.image.random_contrast(tf.ones([2, 2, 1]), 0.5, 0.2)", ValueError),
    ("tf.image.random_hue(tf.ones([2, 2, 3]), 0.7)", ValueError),
    ("tf.image.random_crop(tf.ones([2, 2, 1]), [3, 1, 1])", Invalid),
]  # fmt: skip


@pytest.mark.parametrize(("expression", "error"), _MISUSE, ids=[row[0] for row in _MISUSE])
def test_misuse_is_an_error(expression: str, error: type[Exception]) -> None:
    with pytest.raises(error) as caught:
        eval(expression)
    assert len(str(caught.value)) > 20


# Seeds


def test_random_changes_follow_the_seed() -> None:
    """What TensorFlow 2.21 gives for these seeds."""
    x = np.arange(12.0, dtype=np.float32).reshape(1, 3, 4, 1)
    tf.random.set_seed(5)
    brightness = tf.image.random_brightness(x, 0.2, seed=3).numpy()[0, 0, :2, 0]
    np.testing.assert_allclose(brightness, [-0.08453, 0.91547], atol=1e-5)
    contrast = tf.image.random_contrast(x, 0.2, 0.5, seed=3).numpy()[0, 0, :2, 0]
    np.testing.assert_allclose(contrast, [3.66162, 3.99587], rtol=1e-5)
    tf.random.set_seed(5)
    assert np.array_equal(tf.image.random_flip_up_down(x[0], seed=4), x[0])
    crop = tf.image.random_crop(x[0], [2, 2, 1], seed=4).numpy()
    assert crop.shape == (2, 2, 1)


def test_a_batch_is_flipped_one_by_one() -> None:
    x = np.arange(12.0, dtype=np.float32).reshape(1, 3, 4, 1)
    flipped = tf.image.stateless_random_flip_left_right(np.repeat(x, 8, 0), seed=[5, 2])
    assert flipped.numpy()[:, 0, 0, 0].tolist() == [0.0, 3.0, 0.0, 3.0, 3.0, 0.0, 0.0, 0.0]
    (gradient,) = _gradient(
        lambda x: (
            tf.image.stateless_random_flip_left_right(x, seed=[5, 2]) * tf.range(4.0)[:, None]
        ),
        np.repeat(x, 2, 0),
    )
    assert gradient.numpy()[:, 0, :, 0].tolist() == [[0.0, 1.0, 2.0, 3.0], [3.0, 2.0, 1.0, 0.0]]


@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.parametrize("size", [(9, 11), (24, 24), (31, 50)])
@pytest.mark.parametrize(
    "method",
    ["bilinear", "nearest", "bicubic", "area", "lanczos3", "lanczos5", "gaussian", "mitchellcubic"],
)
def test_resizing_keeps_nan_and_infinity_where_they_are(method, size, bad):
    """The far edges of the picture know nothing of a corner, by single weights or by a matrix of them."""
    for antialias in (False, True):
        images = [np.ones((1, 24, 24, 1), np.float32) for _ in range(2)]
        seeds = [np.ones((1, *size, 1), np.float32) for _ in range(2)]
        images[1][0, :3, :3] = seeds[1][0, :3, :3] = bad
        answers = []
        for image, seed in zip(images, seeds, strict=True):
            x = tf.constant(image)
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = tf.image.resize(x, size, method, antialias=antialias)
            answers.append((y.numpy(), tape.gradient(y, x, tf.constant(seed)).numpy()))
        for plain, reached in zip(*answers, strict=True):
            assert not np.isfinite(reached[0, :3, :3]).all()
            np.testing.assert_allclose(reached[0, -1], plain[0, -1], rtol=1e-5)
            np.testing.assert_allclose(reached[0, :, -1], plain[0, :, -1], rtol=1e-5)


@pytest.mark.parametrize("axes", [None, [0], [2, 1]])
def test_transforms_of_any_number_of_axes_are_numpys(axes: list[int] | None) -> None:
    """TensorFlow's own run on no processor, so there is no recorded answer."""
    x = np.arange(24.0).reshape(2, 3, 4) * (1 - 0.5j)
    for ours, numpys in ((tf.signal.fftnd, np.fft.fftn), (tf.signal.ifftnd, np.fft.ifftn)):
        np.testing.assert_allclose(
            ours(tf.constant(x), axes=axes), numpys(x, axes=axes), rtol=1e-12, atol=1e-12
        )


def test_transforms_of_large_batches_have_the_same_bits_at_any_thread_count() -> None:
    from tapegrad.engines.numpy.threads import set_thread_count, thread_count

    random = np.random.default_rng(7)
    real = tf.constant(random.standard_normal((37, 64, 66)).astype("float32"))
    number = tf.complex(real, tf.reverse(real, [0]))
    transforms = (
        lambda: tf.signal.fft(number),
        lambda: tf.signal.ifft2d(number),
        lambda: tf.signal.fft3d(number),
        lambda: tf.signal.rfft(real),
        lambda: tf.signal.rfft2d(real),
        lambda: tf.signal.irfft2d(number),
        lambda: tf.signal.fftnd(number, axes=[0, 1]),
        lambda: tf.signal.dct(real),
    )
    before = thread_count()
    try:
        for transform in transforms:
            set_thread_count(1)
            alone = transform().numpy().tobytes()
            for count in (2, 3, 5):
                set_thread_count(count)
                assert transform().numpy().tobytes() == alone
    finally:
        set_thread_count(before)


@pytest.mark.parametrize(
    ("rows_have_bits_of_their_own", "expected"), [(True, [3, 2, 1]), (False, [1, 1, 1])]
)
def test_transforms_of_large_batches_are_shared_among_threads(
    monkeypatch: pytest.MonkeyPatch, rows_have_bits_of_their_own: bool, expected: list[int]
) -> None:
    import scipy.fft

    from tapegrad.engines.numpy import fourier

    asked = []
    fftn = scipy.fft.fftn
    monkeypatch.setattr(
        scipy.fft, "fftn", lambda *args, workers: asked.append(workers) or fftn(*args)
    )
    monkeypatch.setattr("tapegrad.ops.signal.fft.thread_count", lambda: 3)
    monkeypatch.setattr(fourier, "rows_have_bits_of_their_own", lambda: rows_have_bits_of_their_own)
    tf.signal.fft2d(tf.zeros([32, 64, 64], tf.complex64))
    tf.signal.fft2d(tf.zeros([16, 64, 64], tf.complex64))
    tf.signal.fft2d(tf.zeros([15, 64, 64], tf.complex64))
    assert asked == expected


def test_rows_that_are_rounded_otherwise_beside_others_are_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import scipy.fft

    from tapegrad.engines.numpy import fourier

    fft = scipy.fft.fft
    ask = fourier.rows_have_bits_of_their_own.__wrapped__
    monkeypatch.setattr(scipy.fft, "fft", lambda rows: np.stack([fft(row) for row in rows]))
    assert ask()
    monkeypatch.setattr(
        scipy.fft,
        "fft",
        lambda rows: np.concatenate([fft(rows[:16]) * np.float32(1 + 2**-23), fft(rows[16:])]),
    )
    assert not ask()


def test_cosine_transforms_cropped_to_one_number() -> None:
    for transform in (tf.signal.dct, tf.signal.idct):
        assert transform([2.0, 3.0], type=1, n=1).numpy().tolist() == [2.0]
        with pytest.raises(ValueError, match="greater than one"):
            transform([2.0], type=1, n=4)
