"""Cosine transforms of types I to IV. The modified transform, which works on frames, is in `mdct`."""

from __future__ import annotations

from typing import Any

from tapegrad import dtypes, extras
from tapegrad.core import Tensor, convert
from tapegrad.core.compositions import composition
from tapegrad.ops.args import static_int
from tapegrad.ops.batching import leading
from tapegrad.ops.op import op
from tapegrad.ops.shape_rules import Abstract, same_shape
from tapegrad.ops.signal import fft

PUBLIC = {
    "signal compat.v1.signal": "dct idct",
}


@op("_DCT", dtypes={dtypes.float32, dtypes.float64}, linear="input")
def dct_op(xp, input, *, type, ortho):
    """SciPy's transform over the last axis: twice the sums of cosines, or orthonormal."""
    if not input.size:
        return input
    transform = extras.imported("scipy", "scipy.fft", "tf.signal.dct()").dct
    norm = "ortho" if ortho else None
    return transform(input, type, norm=norm, workers=fft.workers(input.size))


dct_op.shape(same_shape)


TRANSPOSED = {1: 1, 2: 3, 3: 2, 4: 4}


def dct_gradient(dy, type, ortho):
    # The transpose of an orthonormal transform is the transform of the other type. Type IV is symmetric.
    # Without that norm, types I and III take the first element (type I also the last) once and the others
    # twice. The transpose does the same to its results.
    other = TRANSPOSED[type]
    if ortho or type == 4 or 0 in dy._shape_tuple():
        return dct_op(dy, type=other, ortho=ortho)
    counted = times_counted(size=dy._shape_tuple()[-1], both_ends=type == 1, dtype=dy.dtype)
    if type == 1:
        return dct_op(dy / counted, type=1, ortho=False) * counted
    if type == 2:
        return dct_op(dy * (2.0 / counted), type=3, ortho=False)
    return dct_op(dy, type=2, ortho=False) * (counted / 2.0)


@op("_TimesCounted")
def times_counted(xp, *, size, both_ends, dtype):
    counted = xp.full(size, 2.0, dtype.numpy_dtype)
    counted[:1] = 1.0
    if both_ends:
        counted[-1:] = 1.0
    return counted


times_counted.shape(lambda size, dtype: Abstract([size], dtype))
times_counted.no_gradient()


dct_op.gradient(input=dct_gradient)
dct_op.batching(leading)


def check_dct(type: Any, axis: Any, n: Any, norm: Any) -> None:
    if axis != -1:
        raise NotImplementedError(f"axis must be -1, not {axis}: transpose the input.")
    if n is not None and n < 1:
        raise ValueError(f"n must be a positive integer or None, not {n}.")
    if type not in TRANSPOSED:
        raise ValueError(f"Types I, II, III and IV (I)DCT are supported: 1 to 4, not {type!r}.")
    if norm not in (None, "ortho"):
        raise ValueError(f"norm must be None or 'ortho', not {norm!r}.")
    if type == 1 and norm:
        raise ValueError("Normalization is not supported for the Type-I DCT: leave norm at None.")


@composition
def dct(
    input: Any,
    type: Any = 2,
    n: Any = None,
    axis: Any = -1,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """The cosine transform of the last axis. Type II is ``out[k] = 2 sum(x[n] cos(pi (2n + 1) k / 2N))``.

    >>> tf.signal.dct([1.0, 1.0, 1.0]).numpy() + 0.0
    array([6., 0., 0.], dtype=float32)

    Args:
        input: float32 or float64, with one axis at least.
        type: 1, 2, 3 or 4.
        n: the length to which the input is first cropped or padded.
        axis: -1: other axes are not taken.
        norm: "ortho" for an orthonormal transform.
    """
    check_dct(type, axis, n, norm)
    tensor: Tensor = convert(input)
    if tensor.dtype not in (dtypes.float32, dtypes.float64):
        raise TypeError(f"dct() expects float32 or float64; {tensor.dtype.name} came.")
    if not tensor.ndim:
        raise IndexError("dct() expects an input of rank 1 or more; a scalar came.")
    if type == 1 and tensor._shape_tuple()[-1] < 2:
        raise ValueError("Type-I DCT requires the dimension to be greater than one.")
    if n is not None:
        if isinstance(n, float):
            raise TypeError(f"n must be an integer, not {n}.")
        tensor = fft.fitted(tensor, (*tensor._shape_tuple()[:-1], static_int(n)))
        if type == 1 and tensor._shape_tuple()[-1] == 1:
            return tensor
    return dct_op(tensor, type=type, ortho=norm == "ortho")


@composition
def idct(
    input: Any,
    type: Any = 2,
    n: Any = None,
    axis: Any = -1,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """The inverse of ``tf.signal.dct``, without the factor 1 / 2N (1 / 2(N - 1) for type 1) if not "ortho".

    >>> x = tf.constant([1.0, 2.0, 3.0])
    >>> tf.signal.idct(tf.signal.dct(x, norm="ortho"), norm="ortho").numpy().round(4)
    array([1., 2., 3.], dtype=float32)

    Args:
        input: float32 or float64, with one axis at least.
        type: 1, 2, 3 or 4: that of the transform whose inverse this is.
        n: the length to which the input is first cropped or padded.
        axis: -1: other axes are not taken.
        norm: "ortho" for an orthonormal transform.
    """
    check_dct(type, axis, n, norm)
    return dct(input, TRANSPOSED[type], n, axis, norm)
