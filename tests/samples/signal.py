"""Fourier transforms."""

from __future__ import annotations

from typing import Any

from . import Sample, call
from .draws import COMPLEX, given, reals


def samples(tf: Any) -> list[Sample]:
    """Rows of this family."""
    signal = tf.signal
    doubles = ("float32", "float64")

    def whole(op: Any, *shapes: tuple[int, ...]) -> Sample:
        return Sample(op, [reals(*shape) for shape in shapes], dtypes=COMPLEX, loose=10)

    return [
        whole(signal.fft, (4,), (2, 3), (5,)),
        whole(signal.ifft, (4,), (2, 3), (5,)),
        whole(signal.fft2d, (3, 4), (2, 2, 2)),
        whole(signal.ifft2d, (3, 4), (2, 2, 2)),
        whole(signal.fft3d, (2, 3, 2)),
        whole(signal.ifft3d, (2, 3, 2)),
        Sample(signal.rfft, [call(reals(2, 4)), call(reals(5)), call(reals(5), fft_length=[4]),
               call(reals(3), fft_length=[6])], dtypes=doubles, loose=10),
        Sample(signal.rfft2d, [call(reals(3, 4)), call(reals(3, 4), fft_length=[2, 6])],
               dtypes=doubles, loose=10),
        Sample(signal.rfft3d, [call(reals(2, 3, 4))], dtypes=doubles, loose=10),
        # A spectrum's first and last frequency have no imaginary part that counts.
        Sample(signal.irfft, [call(reals(2, 3)), call(reals(3), fft_length=[5]),
               call(reals(4), fft_length=[4])], dtypes=COMPLEX, loose=10),
        Sample(signal.irfft2d, [call(reals(3, 3)), call(reals(2, 3), fft_length=[2, 5])],
               dtypes=COMPLEX, loose=10),
        Sample(signal.irfft3d, [call(reals(2, 3, 3))], dtypes=COMPLEX, loose=10),
        Sample(tf.signal.fftnd, [call(reals(2, 3), [2, 3], [0, 1])], dtypes=COMPLEX, loose=10),
        Sample(tf.signal.ifftnd, [call(reals(2, 3), [2, 3], [0, 1])], dtypes=COMPLEX, loose=10),
        Sample(tf.signal.rfftnd, [call(reals(2, 4), [2, 4], [0, 1])], dtypes=doubles, loose=10),
        Sample(tf.signal.irfftnd, [call(reals(2, 3), [2, 4], [0, 1])], dtypes=COMPLEX, loose=10),
        Sample(tf.signal.dct, [call(reals(2, 4)), call(reals(4), type=1), call(reals(4), type=3),
               call(reals(4), norm="ortho"), call(reals(4), n=3), call(reals(4), type=4)],
               dtypes=doubles, loose=10),
        Sample(tf.signal.idct, [call(reals(2, 4)), call(reals(4), norm="ortho"),
               call(reals(4), type=1)], dtypes=doubles, loose=10),
        Sample(tf.signal.frame, [call(reals(2, 7), 3, 2), call(reals(5), 3, 2, pad_end=True),
               call(reals(4), frame_length=2, frame_step=3)]),
        Sample(tf.signal.overlap_and_add, [call(reals(2, 3), 2), call(reals(2, 3, 2), 1)],
               dtypes=(*doubles, *COMPLEX)),
        Sample(tf.nn.local_response_normalization, [call(reals(1, 2, 2, 5)),
               call(reals(1, 1, 2, 4), depth_radius=1, bias=2.0, alpha=0.5, beta=0.75)],
               dtypes=("float32", "float16", "bfloat16"), loose=5,
               differences="it has no float64"),
        Sample(tf.histogram_fixed_width, [call(given([-1.0, 0.0, 1.5, 2.0, 5.0, 15.0]), [0.0, 5.0], 5)],
               dtypes=(*doubles, "int32"), differentiable=False),
        Sample(tf.histogram_fixed_width_bins,
               [call(given([-1.0, 0.0, 1.5, 2.0, 5.0, 15.0]), [0.0, 5.0], 5)],
               dtypes=("float32",), differentiable=False),
    ]  # fmt: skip
