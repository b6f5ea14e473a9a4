"""Layers of TensorFlow 1.x that slide over their input: convolutions and pools."""

from __future__ import annotations

from typing import Any, ClassVar

from tapegrad.annex.v1.initializers import zeros_initializer
from tapegrad.annex.v1.layers import InputSpec, Layer, activated, add_bias, add_kernel, in_one_call
from tapegrad.ops.nn.conv import conv2d_transpose as tf_conv2d_transpose
from tapegrad.ops.nn.conv import conv3d_transpose as tf_conv3d_transpose
from tapegrad.ops.nn.conv import convolution
from tapegrad.ops.nn.depthwise import separable_conv2d as tf_separable_conv2d
from tapegrad.ops.nn.pool import pool
from tapegrad.ops.shape.array import expand_dims, reshape, squeeze
from tapegrad.ops.shape.joining import stack
from tapegrad.ops.shape.shapes import shape as tf_shape

PUBLIC = {
    "compat.v1.layers": (
        "AveragePooling1D AveragePooling2D AveragePooling3D Conv1D Conv2D Conv2DTranspose Conv3D "
        "Conv3DTranspose MaxPooling1D MaxPooling2D MaxPooling3D SeparableConv1D SeparableConv2D "
        "average_pooling1d average_pooling2d average_pooling3d conv1d conv2d conv2d_transpose conv3d "
        "conv3d_transpose max_pooling1d max_pooling2d max_pooling3d separable_conv1d separable_conv2d"
    ),
}

SPACE = {1: "W", 2: "HW", 3: "DHW"}
ZEROS = zeros_initializer()
OF_KERNEL = ("initializer", "regularizer", "constraint")


def sides(value: Any, rank: int, name: str) -> tuple[int, ...]:
    """One number for each axis of space."""
    if isinstance(value, int):
        return (value,) * rank
    integers: tuple[int, ...] = tuple(value)
    if len(integers) != rank or not all(isinstance(integer, int) for integer in integers):
        raise ValueError(
            f"The `{name}` argument must be a tuple of {rank} integers. Received: {integers}"
        )
    return integers


def layout(data_format: str, rank: int) -> str:
    """The data format as ops name it."""
    data_format = data_format.lower()
    if data_format not in ("channels_last", "channels_first"):
        raise ValueError(
            'The `data_format` argument must be one of "channels_first", "channels_last". Received: '
            f"{data_format}"
        )
    return f"N{SPACE[rank]}C" if data_format == "channels_last" else f"NC{SPACE[rank]}"


def _padding(padding: str) -> str:
    padding = padding.lower()
    if padding not in ("valid", "same"):
        raise ValueError(
            f'The `padding` argument must be one of "valid", "same". Received: {padding}'
        )
    return padding


def passed(arguments: dict[str, Any]) -> dict[str, Any]:
    """The ``locals()`` of a constructor as arguments for that of its base."""
    named = {**arguments, **arguments["kwargs"]}
    return {name: named[name] for name in named.keys() - {"self", "kwargs", "__class__"}}


class _Conv(Layer):
    """What the convolutions share.

    Args:
        filters: the number of channels of the result.
        kernel_size: the size of the filters along each axis of space, or one number for all.
        strides: the steps of the filters along each axis of space, or one number for all.
        padding: "valid" leaves out places where a filter reaches over the edge, "same" keeps them.
        data_format: "channels_last", or "channels_first" if the channels come before the axes of space.
        dilation_rate: the distance between the elements of a filter along each axis of space, or one number
            for all.
        activation: a function of the result; None for none.
        use_bias: whether to add a vector, which has an element for each channel of the result.
        kernel_initializer, bias_initializer: where the first values come from, as the ``initializer`` of
            `get_variable`.
        kernel_regularizer, bias_regularizer: a function of the variable that gives a loss of the layer; in a
            graph it enters the collection of the regularization losses. None for none.
        activity_regularizer: a function of the result that gives a loss of the layer; None for none.
        kernel_constraint, bias_constraint: as the ``constraint`` of `get_variable`.
    """

    rank: ClassVar[int]

    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = 1,
        padding: str = "valid",
        data_format: str = "channels_last",
        dilation_rate: Any = 1,
        activation: Any = None,
        use_bias: bool = True,
        kernel_initializer: Any = None,
        bias_initializer: Any = ZEROS,
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        kernel_constraint: Any = None,
        bias_constraint: Any = None,
        trainable: bool = True,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(trainable, name, activity_regularizer=activity_regularizer, **kwargs)
        self.filters = filters
        self.kernel_size = sides(kernel_size, self.rank, "kernel_size")
        self.strides = sides(strides, self.rank, "strides")
        self.dilation_rate = sides(dilation_rate, self.rank, "dilation_rate")
        self.padding, self.data_format = _padding(padding), data_format
        self._layout = layout(data_format, self.rank)
        self.activation, self.use_bias = activation, use_bias
        self.kernel_initializer, self.bias_initializer = kernel_initializer, bias_initializer
        self.kernel_regularizer, self.bias_regularizer = kernel_regularizer, bias_regularizer
        self.kernel_constraint, self.bias_constraint = kernel_constraint, bias_constraint
        self.input_spec = InputSpec(ndim=self.rank + 2)
        self.kernel: Any = None
        self.bias: Any = None

    def build(self, input_shape: Any) -> None:
        """Make the kernel and the bias."""
        axis = self._layout.index("C")
        size = input_shape[axis]
        if size is None:
            raise ValueError("The channel dimension of the inputs should be defined. Found `None`.")
        self.input_spec = InputSpec(ndim=self.rank + 2, axes={axis: size})
        self._add_kernels(size)
        self.bias = add_bias(self, self.filters)
        self.built = True

    def _kernel_shape(self, channels: int) -> list[int]:
        return [*self.kernel_size, channels, self.filters]

    def _add_kernels(self, channels: int) -> None:
        self.kernel = add_kernel(self, self._kernel_shape(channels))

    def _convolve(self, inputs: Any) -> Any:
        return convolution(
            inputs,
            self.kernel,
            list(self.strides),
            self.padding.upper(),
            self._layout,
            list(self.dilation_rate),
        )

    def call(self, inputs: Any) -> Any:
        """The result for ``inputs``.

        Args:
            inputs: a tensor of a batch, the axes of space and the channels, in the order of ``data_format``.
        """
        outputs = self._convolve(inputs)
        if self.use_bias:
            shape = [1] * (self.rank + 2)
            shape[self._layout.index("C")] = self.filters
            outputs = outputs + reshape(self.bias, shape)
        return activated(self, outputs)


class Conv1D(_Conv):
    """A convolution over one axis."""

    rank = 1


class Conv2D(_Conv):
    """A convolution over two axes."""

    rank = 2


class Conv3D(_Conv):
    """A convolution over three axes."""

    rank = 3


class _Transposed(_Conv):
    """A convolution the other way round: the gradient of one by its input."""

    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = 1,
        padding: str = "valid",
        data_format: str = "channels_last",
        activation: Any = None,
        use_bias: bool = True,
        kernel_initializer: Any = None,
        bias_initializer: Any = ZEROS,
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        kernel_constraint: Any = None,
        bias_constraint: Any = None,
        trainable: bool = True,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**passed(locals()))

    def _kernel_shape(self, channels: int) -> list[int]:
        return [*self.kernel_size, self.filters, channels]

    def _convolve(self, inputs: Any) -> Any:
        input_sizes = tf_shape(inputs)
        sizes = []
        for place, letter in enumerate(self._layout):
            if letter in "NC":
                sizes.append(input_sizes[place] if letter == "N" else self.filters)
                continue
            axis = SPACE[self.rank].index(letter)
            over = max(self.kernel_size[axis] - self.strides[axis], 0)
            sizes.append(
                input_sizes[place] * self.strides[axis] + (over if self.padding == "valid" else 0)
            )
        spatial = iter(self.strides)
        strides = [1 if letter in "NC" else next(spatial) for letter in self._layout]
        transpose = tf_conv2d_transpose if self.rank == 2 else tf_conv3d_transpose
        return transpose(
            inputs, self.kernel, stack(sizes), strides, self.padding.upper(), self._layout
        )


class Conv2DTranspose(_Transposed):
    """A convolution over two axes, the other way round."""

    rank = 2


class Conv3DTranspose(_Transposed):
    """A convolution over three axes, the other way round."""

    rank = 3


class _Separable(_Conv):
    """A convolution of each channel, and then one of all channels at each place.

    Args:
        depth_multiplier: how many filters each channel of the input has.
        depthwise_initializer, pointwise_initializer: where the first values of the filters of single
            channels, and of those of all channels, come from, as the ``initializer`` of `get_variable`.
        depthwise_regularizer, pointwise_regularizer: a function of these filters that gives a loss of the
            layer; in a graph it enters the collection of the regularization losses. None for none.
        depthwise_constraint, pointwise_constraint: as the ``constraint`` of `get_variable`.
    """

    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = 1,
        padding: str = "valid",
        data_format: str = "channels_last",
        dilation_rate: Any = 1,
        depth_multiplier: int = 1,
        activation: Any = None,
        use_bias: bool = True,
        depthwise_initializer: Any = None,
        pointwise_initializer: Any = None,
        bias_initializer: Any = ZEROS,
        depthwise_regularizer: Any = None,
        pointwise_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        depthwise_constraint: Any = None,
        pointwise_constraint: Any = None,
        bias_constraint: Any = None,
        trainable: bool = True,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        arguments = passed(locals())
        del arguments["depth_multiplier"]
        kernels = {
            part: [arguments.pop(f"{part}_{word}") for word in OF_KERNEL]
            for part in ("depthwise", "pointwise")
        }
        super().__init__(**arguments)
        self._kernels, self.depth_multiplier = kernels, depth_multiplier
        self.depthwise_kernel: Any = None
        self.pointwise_kernel: Any = None

    def _add_kernels(self, channels: int) -> None:
        shapes = {
            "depthwise": [*self.kernel_size, channels, self.depth_multiplier],
            "pointwise": [1] * self.rank + [channels * self.depth_multiplier, self.filters],
        }
        for part, (initializer, regularizer, constraint) in self._kernels.items():
            kernel = self.add_weight(
                f"{part}_kernel",
                shapes[part],
                initializer=initializer,
                regularizer=regularizer,
                constraint=constraint,
            )
            setattr(self, f"{part}_kernel", kernel)

    def _convolve(self, inputs: Any) -> Any:
        axis = self._layout.index(SPACE[self.rank][0])
        depthwise, pointwise = self.depthwise_kernel, self.pointwise_kernel
        strides, rates = list(self.strides), list(self.dilation_rate)
        if self.rank == 1:  # as two axes, of which the first has one place
            inputs = expand_dims(inputs, axis)
            depthwise, pointwise = depthwise[None], pointwise[None]
            strides, rates = strides * 2, [1, *rates]
        flat = layout(self.data_format, 2)
        steps = [1, *strides, 1] if flat == "NHWC" else [1, 1, *strides]
        outputs = tf_separable_conv2d(
            inputs, depthwise, pointwise, steps, self.padding.upper(), flat, rates
        )
        return squeeze(outputs, axis) if self.rank == 1 else outputs


class SeparableConv1D(_Separable):
    """A separable convolution over one axis."""

    rank = 1


class SeparableConv2D(_Separable):
    """A separable convolution over two axes."""

    rank = 2


class _Pool(Layer):
    """What the pools share.

    Args:
        pool_size: the size of the window along each axis of space, or one number for all.
        strides: the steps of the window along each axis of space, or one number for all; None is
            ``pool_size``.
        padding: "valid" leaves out windows that reach over the edge, "same" keeps them.
        data_format: "channels_last", or "channels_first" if the channels come before the axes of space.
    """

    rank: ClassVar[int]
    kind: ClassVar[str]

    def __init__(
        self,
        pool_size: Any,
        strides: Any,
        padding: str = "valid",
        data_format: str = "channels_last",
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(name=name, **kwargs)
        self.pool_size = sides(pool_size, self.rank, "pool_size")
        self.strides = sides(pool_size if strides is None else strides, self.rank, "strides")
        self.padding, self.data_format = _padding(padding), data_format
        self._layout = layout(data_format, self.rank)
        self.input_spec = InputSpec(ndim=self.rank + 2)

    def call(self, inputs: Any) -> Any:
        """The result for ``inputs``.

        Args:
            inputs: a tensor of a batch, the axes of space and the channels, in the order of ``data_format``.
        """
        return pool(
            inputs,
            list(self.pool_size),
            self.kind,
            list(self.strides),
            self.padding.upper(),
            self._layout,
        )


class MaxPooling1D(_Pool):
    """The greatest number in each window of one axis."""

    rank, kind = 1, "MAX"


class MaxPooling2D(_Pool):
    """The greatest number in each window of two axes."""

    rank, kind = 2, "MAX"


class MaxPooling3D(_Pool):
    """The greatest number in each window of three axes."""

    rank, kind = 3, "MAX"


class AveragePooling1D(_Pool):
    """The mean of each window of one axis."""

    rank, kind = 1, "AVG"


class AveragePooling2D(_Pool):
    """The mean of each window of two axes."""

    rank, kind = 2, "AVG"


class AveragePooling3D(_Pool):
    """The mean of each window of three axes."""

    rank, kind = 3, "AVG"


conv1d, conv2d = in_one_call(Conv1D, "conv1d"), in_one_call(Conv2D, "conv2d")
conv3d = in_one_call(Conv3D, "conv3d")
conv2d_transpose = in_one_call(Conv2DTranspose, "conv2d_transpose")
conv3d_transpose = in_one_call(Conv3DTranspose, "conv3d_transpose")
separable_conv1d = in_one_call(SeparableConv1D, "separable_conv1d")
separable_conv2d = in_one_call(SeparableConv2D, "separable_conv2d")
max_pooling1d = in_one_call(MaxPooling1D, "max_pooling1d")
max_pooling2d = in_one_call(MaxPooling2D, "max_pooling2d")
max_pooling3d = in_one_call(MaxPooling3D, "max_pooling3d")
average_pooling1d = in_one_call(AveragePooling1D, "average_pooling1d")
average_pooling2d = in_one_call(AveragePooling2D, "average_pooling2d")
average_pooling3d = in_one_call(AveragePooling3D, "average_pooling3d")
