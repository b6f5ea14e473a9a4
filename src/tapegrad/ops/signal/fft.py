"""Fourier transforms of complex and of real numbers, over the last one, two or three axes, or over any axes.

Transforms are linear, so each gradient is another transform. A Fourier matrix F is symmetric, so the rule of
a complex transform is the transform itself, between the two conjugations of the core. Transforms of real
numbers keep only half of the frequencies. `frequency_weights` says how often each of them counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from math import sqrt as root_of
from typing import Any

from tapegrad import dtypes
from tapegrad.core import EagerTensor, Op, Tensor, VariableBase, convert, public
from tapegrad.core.compositions import composition
from tapegrad.core.sizes import is_unknown
from tapegrad.engines.numpy import fourier
from tapegrad.engines.numpy.threads import thread_count
from tapegrad.errors import refuse
from tapegrad.framework.convert import convert_to_tensor
from tapegrad.ops.args import (
    check_size,
    normalize_axes,
    optional,
    static_axis,
    static_ints,
    static_vector,
)
from tapegrad.ops.batching import leading, with_axes
from tapegrad.ops.constants import number
from tapegrad.ops.elementwise import complex
from tapegrad.ops.elementwise.math import sqrt
from tapegrad.ops.gradients import ones
from tapegrad.ops.op import COMPLEX, op
from tapegrad.ops.shape import array, creation, padding, rearrange, strided_slices
from tapegrad.ops.shape.casts import cast
from tapegrad.ops.shape_rules import Abstract

PUBLIC = {
    ". signal compat.v1 compat.v1.signal": "fftnd ifftnd irfftnd rfftnd",
    "signal compat.v1.signal": (
        "fft fft2d fft3d fftshift ifft ifft2d ifft3d ifftshift irfft irfft2d irfft3d rfft "
        "rfft2d rfft3d"
    ),
}


REAL = frozenset({dtypes.float32, dtypes.float64})

Shape = tuple[Any, ...]

SHARE = 1 << 15
"""Numbers that are worth a thread: it takes 0.08 to 0.16 ms for them, and to wake it 0.015 to 0.06 ms."""

LENGTH_AND_AXES = {"fft_length": optional(static_vector), "axes": optional(static_ints)}


# Shared by all transforms


def transform_axes(rank: int, count: int | None, axes: Shape | None) -> Shape:
    """The axes of a transform, counted from the front: ``axes``, or the last ``count``, or all."""
    if axes is not None:
        return normalize_axes(axes, rank)
    if count is None:
        return tuple(range(rank))
    if rank < count:
        refuse(f"Input must have rank of at least {count} but its rank is {rank}.")
    return tuple(range(rank - count, rank))


def transform_lengths(lengths: Shape | None, natural: Shape) -> Shape:
    """``lengths``, if they are one for each axis and all above zero; ``natural`` if there are none."""
    if lengths is None:
        return natural
    if len(lengths) != len(natural):
        refuse(f"fft_length must have shape [{len(natural)}], not [{len(lengths)}].")
    if any(not is_unknown(length) and length < 1 for length in lengths):
        refuse(f"fft_length must be at least 1 along every axis; {list(lengths)} came.")
    return lengths


def with_sizes(shape: Shape, axes: Shape, sizes: Sequence[int]) -> Shape:
    """``shape`` with other sizes along some axes."""
    result = list(shape)
    for axis, size in zip(axes, sizes, strict=True):
        result[axis] = size
    return check_size(tuple(result))


def fitted(tensor: Tensor, shape: Shape) -> Tensor:
    """``tensor`` cropped, and padded with zeros at the end, to ``shape``."""
    sizes = tensor._shape_tuple()
    common = tuple([min(pair) for pair in zip(sizes, shape, strict=True)])
    if common != sizes:
        tensor = strided_slices.slice_op(tensor, begin=(0,) * len(shape), size=common)
    if common != shape:
        around = [[0, size - have] for size, have in zip(shape, common, strict=True)]
        tensor = padding.pad_op(tensor, paddings=around)
    return tensor


def frequency_weights(
    tensor: Tensor, axes: Shape, lengths: Shape, ends: float, inner: float
) -> EagerTensor:
    """The factors of the kept frequencies of a real transform: ``inner`` where one frequency represents two.

    Frequency k represents -k too, unless both are the same, which holds for 0 and for the highest frequency
    of an even length. These have the factor ``ends``.
    """
    if not axes:
        return ones((), tensor.dtype)
    weights = frequency_weights_op.apply([], (lengths[-1], ends, inner, tensor.dtype))
    shape = [1] * tensor.ndim
    shape[axes[-1]] = weights._shape_tuple()[0]
    return array.reshape(weights, shape)


@op("_FrequencyWeights")
def frequency_weights_op(xp, *, length, ends, inner, dtype):
    weights = xp.full(length // 2 + 1, inner, dtype.numpy_dtype)
    weights[0] = ends
    if length % 2 == 0:
        weights[-1] = ends
    return weights


frequency_weights_op.shape(lambda length, dtype: Abstract([length // 2 + 1], dtype))
frequency_weights_op.no_gradient()


# Complex transforms


def workers(size: int) -> int:
    """How many threads a transform of ``size`` numbers takes. Their number changes no bit of the result."""
    threads = max(1, min(thread_count(), size // SHARE))
    return threads if threads == 1 or fourier.rows_have_bits_of_their_own() else 1


def complex_transform(type: str, name: str, count: int | None, inverse: bool) -> Op:
    """The op of a complex transform over the last ``count`` axes, or over given axes if that is None."""

    def compute(xp: Any, input: Any, fft_length: Any, axes: Any) -> Any:
        axes = transform_axes(input.ndim, count, axes)
        lengths = transform_lengths(fft_length, tuple([input.shape[axis] for axis in axes]))
        shape = with_sizes(input.shape, axes, lengths)
        if not axes:
            return input
        if 0 in shape or 0 in input.shape:
            return xp.zeros(shape, input.dtype)
        name = "ifftn" if inverse else "fftn"
        return fourier.transform(name, input, lengths, axes, workers(prod(shape)))

    def last_axes(xp, input):
        return compute(xp, input, None, None)

    def any_axes(xp, input, *, fft_length=None, axes=None):
        return compute(xp, input, fft_length, axes)

    def last_axes_shape(input):
        transform_axes(input.ndim, count, None)
        return input.shape

    def any_axes_shape(input, fft_length, axes):
        axes = transform_axes(input.ndim, count, axes)
        lengths = transform_lengths(fft_length, tuple([input.shape[axis] for axis in axes]))
        return tuple(with_sizes(input.shape, axes, lengths))

    kernel = last_axes if count else any_axes
    kernel.__name__ = f"{name}_op"
    new_op: Op = op(
        type, dtypes=COMPLEX, convert=None if count else LENGTH_AND_AXES, linear="input"
    )(kernel)
    new_op.shape(last_axes_shape if count else any_axes_shape)
    new_op.batching(leading if count else with_axes("axes"))
    if count:
        new_op.gradient(input=lambda dy: new_op(dy))
        return new_op

    # This is the transpose of "crop or pad, then transform". Both transforms have the cropped length.
    new_op.gradient(input=lambda dy, input_shape, axes: fitted(new_op(dy, axes=axes), input_shape))
    return new_op


fft_op = complex_transform("FFT", "fft", 1, inverse=False)
ifft_op = complex_transform("IFFT", "ifft", 1, inverse=True)
fft2d_op = complex_transform("FFT2D", "fft2d", 2, inverse=False)
ifft2d_op = complex_transform("IFFT2D", "ifft2d", 2, inverse=True)
fft3d_op = complex_transform("FFT3D", "fft3d", 3, inverse=False)
ifft3d_op = complex_transform("IFFT3D", "ifft3d", 3, inverse=True)
fftnd_op = complex_transform("FFTND", "fftnd", None, inverse=False)
ifftnd_op = complex_transform("IFFTND", "ifftnd", None, inverse=True)


def complex_tensor(value: Any) -> Tensor:
    """``value`` as a tensor. Anything that is neither a tensor nor complex becomes complex64."""
    tensor = convert(value)
    if tensor.dtype.is_complex or isinstance(value, (Tensor, VariableBase)):
        return tensor
    return convert_to_tensor(value, dtypes.complex64)


@public
def fft(input: Any, name: str | None = None) -> Tensor:
    """The discrete Fourier transform over the last axis: ``out[k] = sum(x[n] * exp(-2j * pi * n * k / N))``.

    >>> tf.signal.fft([1.0, 0.0, 0.0, 0.0]).numpy()
    array([1.+0.j, 1.+0.j, 1.+0.j, 1.+0.j], dtype=complex64)

    Args:
        input: complex64 or complex128, with one axis at least. What is no tensor becomes complex64.
    """
    return fft_op(complex_tensor(input))


@public
def ifft(input: Any, name: str | None = None) -> Tensor:
    """The inverse of ``tf.signal.fft``: ``out[n] = sum(x[k] * exp(2j * pi * n * k / N)) / N``.

    >>> tf.signal.ifft([1.0, 1.0]).numpy()
    array([1.+0.j, 0.+0.j], dtype=complex64)

    Args:
        input: complex64 or complex128, with one axis at least. What is no tensor becomes complex64.
    """
    return ifft_op(complex_tensor(input))


@public
def fft2d(input: Any, name: str | None = None) -> Tensor:
    """The Fourier transform over the last two axes.

    >>> tf.signal.fft2d([[1.0, 1.0], [1.0, 1.0]]).numpy().real
    array([[4., 0.],
           [0., 0.]], dtype=float32)

    Args:
        input: complex64 or complex128, with two axes at least. What is no tensor becomes complex64.
    """
    return fft2d_op(complex_tensor(input))


@public
def ifft2d(input: Any, name: str | None = None) -> Tensor:
    """The inverse of ``tf.signal.fft2d``.

    >>> tf.signal.ifft2d([[4.0, 0.0], [0.0, 0.0]]).numpy().real
    array([[1., 1.],
           [1., 1.]], dtype=float32)

    Args:
        input: complex64 or complex128, with two axes at least. What is no tensor becomes complex64.
    """
    return ifft2d_op(complex_tensor(input))


@public
def fft3d(input: Any, name: str | None = None) -> Tensor:
    """The Fourier transform over the last three axes.

    >>> tf.signal.fft3d(tf.ones([2, 2, 2], tf.complex64)).numpy()[0, 0, 0]
    np.complex64(8+0j)

    Args:
        input: complex64 or complex128, with three axes at least. What is no tensor becomes complex64.
    """
    return fft3d_op(complex_tensor(input))


@public
def ifft3d(input: Any, name: str | None = None) -> Tensor:
    """The inverse of ``tf.signal.fft3d``.

    >>> tf.signal.ifft3d(tf.ones([2, 2, 2], tf.complex64)).numpy()[0, 0, 0]
    np.complex64(1+0j)

    Args:
        input: complex64 or complex128, with three axes at least. What is no tensor becomes complex64.
    """
    return ifft3d_op(complex_tensor(input))


# Transforms of real numbers


def real_transforms(types: tuple[str, str], count: int | None) -> tuple[Op, Op]:
    """The ops of a transform from real numbers to the frequencies 0 to N / 2 of the last axis, and back.

    Args:
        types: of the two ops.
        count: how many axes are transformed; None for those that an attribute says.
    """
    # RFFT and IRFFT have no attribute for axes: they use the last ones.
    convert = LENGTH_AND_AXES if count is None else {"fft_length": optional(static_vector)}

    def places(shape: Shape, fft_length: Any, axes: Any, back: bool) -> tuple[Shape, Shape]:
        """The axes of the transform, and its lengths along them."""
        axes = transform_axes(len(shape), count, axes)
        natural = [shape[axis] for axis in axes]
        if back and natural:
            natural[-1] = max(2 * natural[-1] - 2, 0)
        return axes, transform_lengths(fft_length, tuple(natural))

    def with_frequencies(shape: Shape, axes: Shape, lengths: Shape) -> Shape:
        # As in TensorFlow, an axis without elements has no frequencies either.
        if not lengths:
            return with_sizes(shape, axes, ())
        last = lengths[-1]
        frequencies = (last + 2) // 2 if is_unknown(last) or last else 0
        return with_sizes(shape, axes, (*lengths[:-1], frequencies))

    def forward_shape(input: Abstract, fft_length: Any, axes: Any = None) -> Abstract:
        axes, lengths = places(input.shape, fft_length, axes, False)
        dtype = dtypes.complex128 if input.dtype is dtypes.float64 else dtypes.complex64
        return Abstract(with_frequencies(input.shape, axes, lengths), dtype)

    def inverse_shape(input: Abstract, fft_length: Any, axes: Any = None) -> Abstract:
        axes, lengths = places(input.shape, fft_length, axes, True)
        return Abstract(with_sizes(input.shape, axes, lengths), input.dtype.real_dtype)

    def to_frequencies(xp: Any, input: Any, fft_length: Any, axes: Any) -> Any:
        axes, lengths = places(input.shape, fft_length, axes, False)
        shape = with_frequencies(input.shape, axes, lengths)
        if not axes:
            return input.astype(xp.result_type(input.dtype, xp.complex64))
        if 0 in shape or 0 in input.shape:
            return xp.zeros(shape, xp.result_type(input.dtype, xp.complex64))
        return fourier.transform("rfftn", input, lengths, axes, workers(prod(shape)))

    def from_frequencies(xp: Any, input: Any, fft_length: Any, axes: Any) -> Any:
        axes, lengths = places(input.shape, fft_length, axes, True)
        shape = with_sizes(input.shape, axes, lengths)
        if not axes:
            return input.real
        if 0 in shape or 0 in input.shape:
            # NumPy reads frequency 0 even where there is none.
            return xp.zeros(shape, input.real.dtype)
        return fourier.transform("irfftn", input, lengths, axes, workers(prod(shape)))

    def by_real(dy: Any, input_shape: Shape, fft_length: Any, axes: Any = None) -> Any:
        # The gradient is Re(sum of dy[k] exp(2j pi n k / N)) over the kept k. The inverse transform divides
        # by N, and counts a frequency that represents two twice.
        axes, lengths = places(input_shape, fft_length, axes, False)
        if 0 in lengths or 0 in input_shape:
            return creation.zeros(input_shape, dtypes.as_dtype(dy.dtype.real_dtype))
        size = float(prod(lengths))
        weights = frequency_weights(dy, axes, lengths, ends=size, inner=size / 2)
        options = {"axes": axes} if count is None else {}
        return fitted(inverse(dy * weights, fft_length=lengths or None, **options), input_shape)

    def by_frequencies(dy: Any, input_shape: Shape, fft_length: Any, axes: Any = None) -> Any:
        axes, lengths = places(input_shape, fft_length, axes, True)
        if 0 in lengths or 0 in input_shape:
            return complex.widen(creation.zeros(input_shape, dy.dtype))
        options = {"axes": axes} if count is None else {}
        out = forward(dy, fft_length=lengths or None, **options)
        size = float(prod(lengths))
        weights = frequency_weights(out, axes, lengths, ends=1 / size, inner=2 / size)
        return fitted(out * weights, input_shape)

    def forward_last(xp, input, *, fft_length=None, Tcomplex=None):
        return to_frequencies(xp, input, fft_length, None)

    def inverse_last(xp, input, *, fft_length=None, Treal=None):
        return from_frequencies(xp, input, fft_length, None)

    def forward_any(xp, input, *, fft_length=None, axes=None, Tcomplex=None):
        return to_frequencies(xp, input, fft_length, axes)

    def inverse_any(xp, input, *, fft_length=None, axes=None, Treal=None):
        return from_frequencies(xp, input, fft_length, axes)

    def transform_op(type: str, kernel: Any, dtypes: Any) -> Op:
        kernel.__name__ = f"{type.lower()}_op"
        new_op: Op = op(type, dtypes=dtypes, convert=convert, holomorphic=False, linear="input")(
            kernel
        )
        new_op.batching(leading if count else with_axes("axes"))
        return new_op

    forward = transform_op(types[0], forward_last if count else forward_any, REAL)
    inverse = transform_op(types[1], inverse_last if count else inverse_any, COMPLEX)
    if count:
        forward.shape(lambda input, fft_length: forward_shape(input, fft_length))
        inverse.shape(lambda input, fft_length: inverse_shape(input, fft_length))
    else:
        forward.shape(forward_shape)
        inverse.shape(inverse_shape)
    if count:
        forward.gradient(
            input=lambda dy, input_shape, fft_length: by_real(dy, input_shape, fft_length)
        )
        inverse.gradient(
            input=lambda dy, input_shape, fft_length: by_frequencies(dy, input_shape, fft_length)
        )
    else:
        forward.gradient(input=by_real)
        inverse.gradient(input=by_frequencies)
    return forward, inverse


rfft_op, irfft_op = real_transforms(("RFFT", "IRFFT"), 1)
rfft2d_op, irfft2d_op = real_transforms(("RFFT2D", "IRFFT2D"), 2)
rfft3d_op, irfft3d_op = real_transforms(("RFFT3D", "IRFFT3D"), 3)
rfftnd_op, irfftnd_op = real_transforms(("RFFTND", "IRFFTND"), None)


def real_input(value: Any, rank: int, function: str) -> Tensor:
    """``value`` as a tensor that a transform of real numbers takes."""
    tensor = convert_to_tensor(value, dtype_hint=dtypes.float32)
    if tensor.dtype not in REAL:
        raise ValueError(
            f"{function}() requires tf.float32 or tf.float64 inputs; "
            f"one of {tensor.dtype.name} came."
        )
    return of_rank(tensor, rank, function)


def frequencies(value: Any, rank: int, function: str) -> Tensor:
    """``value`` as a tensor of frequencies that a transform back to real numbers takes."""
    return of_rank(convert_to_tensor(value, dtype_hint=dtypes.complex64), rank, function)


def of_rank(tensor: Tensor, rank: int, function: str) -> Tensor:
    if tensor.ndim < rank:
        raise ValueError(
            f"{function}() expects a tensor of rank {rank} or more; "
            f"one of shape {tensor.shape} came."
        )
    return tensor


def static_lengths(value: Any) -> Shape | None:
    """``fft_length`` as users write it: None, or a vector of int32."""
    if value is None:
        return None
    if isinstance(value, (int, float)):
        raise TypeError(f"fft_length must be a list of one length per axis, such as [{value}].")
    if isinstance(value, (list, tuple)) and any(isinstance(length, float) for length in value):
        raise TypeError(f"fft_length must hold integers; {value} came.")
    return static_vector(value)


@composition
def rfft(input_tensor: Any, fft_length: Any = None, name: str | None = None) -> Tensor:
    """The Fourier transform of real numbers over the last axis: its frequencies 0 to N / 2.

    The other frequencies are the complex conjugates of these.

    >>> tf.signal.rfft([1.0, 2.0, 3.0, 2.0]).numpy()
    array([ 8.+0.j, -2.+0.j,  0.+0.j], dtype=complex64)

    Args:
        input_tensor: float32 or float64.
        fft_length: [N], the length to which the signal is first cropped or padded with zeros.
    """
    tensor = real_input(input_tensor, 1, "rfft")
    return rfft_op(tensor, fft_length=static_lengths(fft_length))


@composition
def irfft(input_tensor: Any, fft_length: Any = None, name: str | None = None) -> Tensor:
    """The inverse of ``tf.signal.rfft``: real numbers from their frequencies 0 to N / 2.

    >>> tf.signal.irfft([8.0, -2.0, 0.0]).numpy()
    array([1., 2., 3., 2.], dtype=float32)

    Args:
        input_tensor: complex64 or complex128.
        fft_length: [N], the length of the result. The default is 2 * (number of frequencies - 1), so an odd
            length must be given.
    """
    tensor = frequencies(input_tensor, 1, "irfft")
    return irfft_op(tensor, fft_length=static_lengths(fft_length))


@public
def rfft2d(input_tensor: Any, fft_length: Any = None, name: str | None = None) -> Tensor:
    """The Fourier transform of real numbers over the last two axes, with half of the last one's frequencies.

    >>> tf.signal.rfft2d(tf.ones([2, 2])).numpy().real
    array([[4., 0.],
           [0., 0.]], dtype=float32)

    Args:
        input_tensor: float32 or float64, with two axes at least.
        fft_length: the two lengths to which the input is first cropped or padded with zeros.
    """
    tensor = real_input(input_tensor, 2, "rfft2d")
    return rfft2d_op(tensor, fft_length=static_lengths(fft_length))


@public
def irfft2d(input_tensor: Any, fft_length: Any = None, name: str | None = None) -> Tensor:
    """The inverse of ``tf.signal.rfft2d``.

    >>> tf.signal.irfft2d([[4.0, 0.0], [0.0, 0.0]]).numpy()
    array([[1., 1.],
           [1., 1.]], dtype=float32)

    Args:
        input_tensor: complex64 or complex128, with two axes at least.
        fft_length: the two lengths of the result; None for that of the input, and along the last axis 2 *
            (number of frequencies - 1).
    """
    tensor = frequencies(input_tensor, 2, "irfft2d")
    return irfft2d_op(tensor, fft_length=static_lengths(fft_length))


@public
def rfft3d(input_tensor: Any, fft_length: Any = None, name: str | None = None) -> Tensor:
    """The Fourier transform of real numbers over the last three axes: half of the last one's frequencies.

    >>> tf.signal.rfft3d(tf.ones([2, 2, 4])).shape
    TensorShape([2, 2, 3])

    Differs from TensorFlow: it has a gradient.

    Args:
        input_tensor: float32 or float64, with three axes at least.
        fft_length: the three lengths to which the input is first cropped or padded with zeros.
    """
    tensor = real_input(input_tensor, 3, "rfft3d")
    return rfft3d_op(tensor, fft_length=static_lengths(fft_length))


@public
def irfft3d(input_tensor: Any, fft_length: Any = None, name: str | None = None) -> Tensor:
    """The inverse of ``tf.signal.rfft3d``.

    >>> tf.signal.irfft3d(tf.ones([2, 2, 3], tf.complex64)).shape
    TensorShape([2, 2, 4])

    Differs from TensorFlow: it has a gradient.

    Args:
        input_tensor: complex64 or complex128, with three axes at least.
        fft_length: the three lengths of the result; None for those of the input, and along the last axis 2 *
            (number of frequencies - 1).
    """
    tensor = frequencies(input_tensor, 3, "irfft3d")
    return irfft3d_op(tensor, fft_length=static_lengths(fft_length))


# Transforms over any axes. TensorFlow has no CPU kernels for these. They follow the functions of numpy.fft.


def scale_of(norm: str | None, sizes: Sequence[int], inverse: bool) -> Any:
    """The factor of the result of a transform whose inverse is divided by its size; None for 1."""
    if norm is None or norm == "backward":
        return None
    size = number(prod(sizes), dtypes.float64)
    size = size or 1.0 if isinstance(size, float) else size
    if norm == "ortho":
        root = root_of(size) if isinstance(size, float) else sqrt(size)
        return root if inverse else 1 / root
    if norm == "forward":
        return size if inverse else 1 / size
    raise ValueError(f"norm must be None, 'backward', 'ortho' or 'forward', not {norm!r}.")


def transform_any(
    transform: Op, tensor: Tensor, fft_length: Any, axes: Any, norm: str | None, inverse: bool
) -> Tensor:
    lengths = static_lengths(fft_length)
    places = None if axes is None else static_ints(axes)
    if places is None and lengths is not None:
        places = tuple(range(-len(lengths), 0))
    scale_of(norm, (), inverse)
    out = transform(tensor, fft_length=lengths, axes=places)
    # If one side holds real numbers, it has all its elements; its sizes give the scale.
    whole = tensor if transform is rfftnd_op and lengths is None else out
    sizes = whole._shape_tuple()
    scale = scale_of(
        norm, lengths or [sizes[axis] for axis in places or range(len(sizes))], inverse
    )
    if isinstance(scale, Tensor):
        scale = cast(scale, out.dtype)
    return out if scale is None else out * scale


@composition
def fftnd(
    input_tensor: Any,
    fft_length: Any = None,
    axes: Any = None,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """The Fourier transform over ``axes``; by default over the last ``len(fft_length)`` axes, or over all.

    >>> tf.signal.fftnd([[1.0, 1.0], [0.0, 2.0]], axes=[0]).numpy().real
    array([[ 1.,  3.],
           [ 1., -1.]], dtype=float32)

    Args:
        input_tensor: complex64 or complex128. What is no tensor becomes complex64.
        fft_length: the length for each axis, to which the input is cropped or padded with zeros.
        axes: a list of axes.
        norm: what is divided by the number of elements: "backward" (or None) the inverse, "forward" the
            transform; with "ortho" both are divided by its square root.
    """
    return transform_any(fftnd_op, complex_tensor(input_tensor), fft_length, axes, norm, False)


@composition
def ifftnd(
    input_tensor: Any,
    fft_length: Any = None,
    axes: Any = None,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """The inverse of ``tf.signal.fftnd``.

    >>> tf.signal.ifftnd([[4.0, 0.0], [0.0, 0.0]]).numpy().real
    array([[1., 1.],
           [1., 1.]], dtype=float32)

    Args:
        input_tensor: complex64 or complex128. What is no tensor becomes complex64.
        fft_length: the length for each axis, to which the input is cropped or padded with zeros.
        axes: a list of axes; None for the last ``len(fft_length)`` axes, or for all.
        norm: as for ``tf.signal.fftnd``.
    """
    return transform_any(ifftnd_op, complex_tensor(input_tensor), fft_length, axes, norm, True)


@composition
def rfftnd(
    input_tensor: Any,
    fft_length: Any = None,
    axes: Any = None,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """The Fourier transform of real numbers over ``axes``, with half of the last one's frequencies.

    >>> tf.signal.rfftnd(tf.ones([4, 4]), axes=[1, 0]).shape
    TensorShape([3, 4])

    Args:
        input_tensor: float32 or float64.
        fft_length: the length for each axis, to which the input is cropped or padded with zeros.
        axes: a list of axes, of which the last one gets half of the frequencies; None for the last
            ``len(fft_length)`` axes, or for all.
        norm: as for ``tf.signal.fftnd``.
    """
    return transform_any(
        rfftnd_op, real_input(input_tensor, 0, "rfftnd"), fft_length, axes, norm, False
    )


@composition
def irfftnd(
    input_tensor: Any,
    fft_length: Any = None,
    axes: Any = None,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """The inverse of ``tf.signal.rfftnd``.

    >>> tf.signal.irfftnd([[4.0, 0.0], [0.0, 0.0]]).numpy()
    array([[1., 1.],
           [1., 1.]], dtype=float32)

    Args:
        input_tensor: complex64 or complex128, half of the frequencies along the last of ``axes``.
        fft_length: the length of the result along each axis; None for that of the input, and along the last
            axis 2 * (number of frequencies - 1).
        axes: a list of axes; None for the last ``len(fft_length)`` axes, or for all.
        norm: as for ``tf.signal.fftnd``.
    """
    return transform_any(
        irfftnd_op, frequencies(input_tensor, 0, "irfftnd"), fft_length, axes, norm, True
    )


# Shifts


def shifted(x: Any, axes: Any, back: bool) -> Tensor:
    tensor = convert(x)
    axes = static_axis(axes)
    if axes is None:
        axes = tuple(range(tensor.ndim))
    places = normalize_axes((axes,) if isinstance(axes, int) else axes, tensor.ndim)
    if not places:
        return tensor
    halves = [tensor._shape_tuple()[axis] // 2 for axis in places]
    return rearrange.roll(tensor, shift=[-half for half in halves] if back else halves, axis=places)


@public
def fftshift(x: Any, axes: Any = None, name: str | None = None) -> Tensor:
    """``x`` with frequency 0 moved from the start of ``axes`` (by default all) to their middle.

    >>> tf.signal.fftshift([0, 1, 2, -2, -1]).numpy().tolist()
    [-2, -1, 0, 1, 2]

    Args:
        x: a tensor.
        axes: an axis, or a list of axes.
    """
    return shifted(x, axes, back=False)


@public
def ifftshift(x: Any, axes: Any = None, name: str | None = None) -> Tensor:
    """The inverse of ``tf.signal.fftshift``.

    >>> tf.signal.ifftshift([-2, -1, 0, 1, 2]).numpy().tolist()
    [0, 1, 2, -2, -1]

    Args:
        x: a tensor.
        axes: an axis, or a list of axes; None for all of them.
    """
    return shifted(x, axes, back=True)
