"""Layers of TensorFlow 1.x, whose variables `get_variable` makes: the base class, and dense layers.

TensorFlow 2.21 has them inside (``tensorflow.python.layers``); tf_slim is made of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from inspect import Parameter, Signature, signature
from typing import Any, NoReturn

import numpy as np

from tapegrad import dtypes
from tapegrad.annex.internal.branches import smart_cond
from tapegrad.annex.v1.collections import GraphKeys, add_to_collections
from tapegrad.annex.v1.initializers import zeros_initializer
from tapegrad.annex.v1.variables import VariableScope, get_variable, variable_scope
from tapegrad.core import public
from tapegrad.framework import nest
from tapegrad.framework.docstrings import documented_arguments, with_arguments
from tapegrad.framework.module import Module
from tapegrad.framework.names import executing_eagerly
from tapegrad.framework.printed import Printed
from tapegrad.framework.shape import TensorShape
from tapegrad.ops.linalg.products import tensordot
from tapegrad.ops.nn.dropout import dropout as tf_dropout
from tapegrad.ops.shape.array import identity, reshape, transpose
from tapegrad.ops.shape.creation import convert_to_tensor
from tapegrad.ops.shape.shapes import shape as tf_shape

PUBLIC = {"compat.v1.layers": "Dense Dropout Flatten InputSpec Layer dense dropout flatten"}

_numbers: dict[str, int] = {}


class InputSpec(Printed):
    """What a layer takes: the number of axes, and the sizes of some."""

    def __init__(
        self,
        dtype: Any = None,
        shape: Any = None,
        ndim: int | None = None,
        max_ndim: int | None = None,
        min_ndim: int | None = None,
        axes: dict[int, Any] | None = None,
        allow_last_axis_squeeze: bool = False,
        name: str | None = None,
    ) -> None:
        self.dtype = None if dtype is None else dtypes.as_dtype(dtype).name
        self.shape = None if shape is None else tuple(TensorShape(shape))
        self.ndim = ndim if self.shape is None else len(self.shape)
        self.max_ndim, self.min_ndim = max_ndim, min_ndim
        self.axes = {int(axis): size for axis, size in (axes or {}).items()}
        self.allow_last_axis_squeeze = allow_last_axis_squeeze
        self.name = name

    def _printed_state(self) -> str:
        return ", ".join([f"{name}={value!r}" for name, value in vars(self).items() if value])


def check_input(spec: Any, layer: str, shape: Any) -> None:
    """Raise ValueError if ``layer``, which takes what ``spec`` says, does not take an input of the shape."""
    if shape.rank is None:
        return
    begin = f"Input 0 of layer {layer} is incompatible with the layer: "
    if spec.ndim is not None and shape.rank != spec.ndim:
        said = f"expected ndim={spec.ndim}, found ndim={shape.rank}."
        raise ValueError(f"{begin}{said} Full shape received: {tuple(shape)}")
    if spec.min_ndim is not None and shape.rank < spec.min_ndim:
        said = f"expected min_ndim={spec.min_ndim}, found ndim={shape.rank}."
        raise ValueError(f"{begin}{said} Full shape received: {tuple(shape)}")
    if spec.max_ndim is not None and shape.rank > spec.max_ndim:
        raise ValueError(f"{begin}expected max_ndim={spec.max_ndim}, found ndim={shape.rank}")
    for axis, size in (spec.axes or {}).items():
        if size is not None and shape[axis] not in (size, None):
            raise ValueError(
                f"{begin}expected axis {axis} of input shape to have value {size} but received input with "
                f"shape {tuple(shape)}"
            )


class Layer(Module):
    """The base of the layers: a subclass makes variables in ``build``, and computes in ``call``.

    Args:
        trainable: whether its variables are.
        name: the name of the layer, and of the scope of its variables.
        dtype: of its variables; that of the first input if left out.
        **kwargs: ``activity_regularizer``; ``_scope``, a scope of variables to make the variables in, and
            ``_reuse``, of no effect.
    """

    def __init__(
        self, trainable: bool = True, name: str | None = None, dtype: Any = None, **kwargs: Any
    ) -> None:
        kind = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=.)(?=[A-Z][a-z])", "_", type(self).__name__)
        self._base_name = name or kind.lower()
        if name is None:
            count = _numbers.get(self._base_name, 0)
            _numbers[self._base_name] = count + 1
            name = f"{self._base_name}_{count}" if count else self._base_name
        super().__init__(name="layer")
        self._layer_name = name
        self.trainable = trainable
        self.built = False
        self.stateful = False
        self.input_spec: Any = None  # an `InputSpec`, or Keras's
        self.activity_regularizer = kwargs.pop("activity_regularizer", None)
        self._scope: VariableScope | None = kwargs.pop("_scope", None)
        kwargs.pop("_reuse", None)
        if kwargs:
            raise TypeError("Keyword argument not understood:", next(iter(kwargs)))
        self._dtype: Any = None if dtype is None else dtypes.as_dtype(dtype)
        self._weights: list[Any] = []
        self._regularized: list[tuple[Any, Callable[[Any], Any]]] = []
        self._losses: list[Any] = []
        self._updates: list[Any] = []

    @property
    def name(self) -> str:
        """The name of the layer."""
        return self._layer_name

    @property
    def dtype(self) -> Any:
        """The dtype of its variables; None before it is known."""
        return self._dtype

    @property
    def scope_name(self) -> str:
        """The name of the scope of its variables."""
        if self._scope is None:
            raise ValueError(
                f"No name available for layer scope because the layer {self.name!r} has not "
                "been used yet."
            )
        return self._scope.name

    def add_weight(
        self,
        name: str,
        shape: Any,
        dtype: Any = None,
        initializer: Any = None,
        regularizer: Any = None,
        trainable: bool | None = None,
        constraint: Any = None,
        **options: Any,
    ) -> Any:
        """A new variable of the layer, made by `get_variable` in the scope of the layer."""
        own = True if trainable is None else trainable
        variable = get_variable(
            name,
            shape,
            self._dtype if dtype is None else dtype,
            initializer,
            trainable=own and self.trainable,
            constraint=constraint,
            **options,
        )
        self._weights.append(variable)
        if regularizer is not None:
            self._regularized.append((variable, regularizer))
            if not executing_eagerly():
                loss = regularizer(variable)
                add_to_collections([GraphKeys.REGULARIZATION_LOSSES], loss)
        return variable

    def add_variable(self, *args: Any, **kwargs: Any) -> Any:
        """The older name of `add_weight`."""
        return self.add_weight(*args, **kwargs)

    def add_loss(self, losses: Any, inputs: Any = None) -> None:
        """Keep losses for `losses`."""
        self._losses += losses if isinstance(losses, (list, tuple)) else [losses]

    def add_update(self, updates: Any, inputs: Any = None) -> None:
        """Keep updates for `updates`."""
        self._updates += updates if isinstance(updates, (list, tuple)) else [updates]

    @property
    def losses(self) -> list[Any]:
        """What was added as losses, and what the regularizers give now."""
        return [
            *self._losses,
            *(regularizer(variable) for variable, regularizer in self._regularized),
        ]

    @property
    def updates(self) -> list[Any]:
        """What was added as updates."""
        return self._updates

    @property
    def variables(self) -> list[Any]:  # type: ignore[override]
        """The variables of the layer, in the order in which they were made."""
        return list(self._weights)

    @property
    def trainable_variables(self) -> list[Any]:  # type: ignore[override]
        """Those that are trainable; none if the layer is not."""
        return [weight for weight in self._weights if self.trainable and weight.trainable]

    @property
    def non_trainable_variables(self) -> list[Any]:  # type: ignore[override]
        """The others."""
        return [weight for weight in self._weights if not (self.trainable and weight.trainable)]

    weights = variables
    trainable_weights = trainable_variables
    non_trainable_weights = non_trainable_variables

    def count_params(self) -> int:
        """How many numbers the variables hold."""
        return sum(weight.shape.num_elements() for weight in self._weights)

    def get_weights(self) -> list[Any]:
        """The values of the variables."""
        return [weight.numpy() for weight in self._weights]

    def set_weights(self, weights: Any) -> None:
        """Assign the variables."""
        if len(weights) != len(self._weights):
            raise ValueError(
                f"Layer {self.name!r} has {len(self._weights)} variables; {len(weights)} values came."
            )
        for variable, value in zip(self._weights, weights, strict=True):
            variable.assign(value)

    def build(self, input_shape: Any) -> None:
        """Make the variables. A subclass says how."""
        self.built = True

    def call(self, *args: Any, **kwargs: Any) -> Any:
        """What the layer gives for its inputs. A subclass says what."""
        return args[0]

    def compute_output_shape(self, input_shape: Any) -> NoReturn:
        """The shape of the result. A subclass says which."""
        raise NotImplementedError(f"{type(self).__name__}.compute_output_shape")

    def __call__(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        """Build the layer if it is not built, and call it."""
        kwargs.pop("scope", None)
        inputs = nest.map_structure(convert_to_tensor, inputs)
        first = nest.flatten(inputs)[0]
        if self.input_spec is not None:
            check_input(self.input_spec, self.name, first.shape)
        if self._scope is None:
            with variable_scope(None, default_name=self._base_name) as scope:
                self._scope = scope
        with variable_scope(self._scope):
            if not self.built:
                if self._dtype is None:
                    self._dtype = first.dtype
                shapes = nest.map_structure(lambda tensor: tensor.shape, inputs)
                self.build(shapes)
                self.built = True
            outputs = self.call(inputs, *args, **kwargs)
        if self.activity_regularizer is not None:
            self.add_loss(self.activity_regularizer(outputs))
        return outputs

    def apply(self, *args: Any, **kwargs: Any) -> Any:
        """Call the layer."""
        return self(*args, **kwargs)


def add_kernel(layer: Any, shape: list[int]) -> Any:
    """The kernel of a dense layer or of a convolution, as a new variable of the layer."""
    return layer.add_weight(
        "kernel",
        shape,
        initializer=layer.kernel_initializer,
        regularizer=layer.kernel_regularizer,
        constraint=layer.kernel_constraint,
    )


def add_bias(layer: Any, size: int) -> Any:
    """The bias of the layer as a new variable of it; None if it has none."""
    if not layer.use_bias:
        return None
    return layer.add_weight(
        "bias",
        [size],
        initializer=layer.bias_initializer,
        regularizer=layer.bias_regularizer,
        constraint=layer.bias_constraint,
    )


def activated(layer: Any, outputs: Any) -> Any:
    """The activation of the layer, where it has one, of ``outputs``."""
    return outputs if layer.activation is None else layer.activation(outputs)


class Dense(Layer):
    """``activation(inputs @ kernel + bias)``.

    >>> layer = tf.compat.v1.layers.Dense(2, kernel_initializer=tf.compat.v1.ones_initializer())
    >>> layer(tf.constant([[1.0, 2.0, 3.0]])).numpy()
    array([[6., 6.]], dtype=float32)

    Args:
        units: the number of channels of the result.
        activation: a function of the result; None for none.
        use_bias: whether to add a vector, which has an element for each channel of the result.
        kernel_initializer, bias_initializer: where the first values come from, as the ``initializer`` of
            `get_variable`.
        kernel_regularizer, bias_regularizer: a function of the variable that gives a loss of the layer; in a
            graph it enters the collection of the regularization losses. None for none.
        activity_regularizer: a function of the result that gives a loss of the layer; None for none.
        kernel_constraint, bias_constraint: as the ``constraint`` of `get_variable`.
    """

    def __init__(
        self,
        units: int,
        activation: Any = None,
        use_bias: bool = True,
        kernel_initializer: Any = None,
        bias_initializer: Any = zeros_initializer(),  # noqa: B008  # TensorFlow's default is an object
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
        self.units = int(units)
        self.activation, self.use_bias = activation, use_bias
        self.kernel_initializer, self.bias_initializer = kernel_initializer, bias_initializer
        self.kernel_regularizer, self.bias_regularizer = kernel_regularizer, bias_regularizer
        self.kernel_constraint, self.bias_constraint = kernel_constraint, bias_constraint
        self.input_spec = InputSpec(min_ndim=2)
        self.bias: Any = None

    def build(self, input_shape: Any) -> None:
        """Make the kernel and the bias."""
        if not self._dtype.is_floating and not self._dtype.is_complex:
            raise TypeError(
                f"Unable to build `Dense` layer with non-floating point dtype {self._dtype}"
            )
        size = input_shape[-1]
        if size is None:
            raise ValueError(
                "The last dimension of the inputs to `Dense` should be defined. Found `None`."
            )
        self.input_spec = InputSpec(min_ndim=2, axes={-1: size})
        self.kernel = add_kernel(self, [size, self.units])
        self.bias = add_bias(self, self.units)
        self.built = True

    def call(self, inputs: Any) -> Any:
        """The result for ``inputs``.

        Args:
            inputs: a tensor of floating point or complex numbers, of two axes or more; the last has the
                channels.
        """
        outputs = tensordot(inputs, self.kernel, 1)
        if self.use_bias:
            outputs = outputs + self.bias
        return activated(self, outputs)


class Dropout(Layer):
    """In training, sets a part of the elements to 0, and makes the others greater.

    Args:
        rate: the probability that an element is set to 0.
        noise_shape: the shape in which to draw. Along an axis of length 1 all elements are kept or dropped
            together. None is the shape of the inputs.
        seed: an int for the same draws in each run of the program; None for others each time.
    """

    def __init__(
        self,
        rate: Any = 0.5,
        noise_shape: Any = None,
        seed: int | None = None,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(name=name, **kwargs)
        self.rate, self.noise_shape, self.seed = rate, noise_shape, seed

    def call(self, inputs: Any, training: Any = False) -> Any:
        """The result for ``inputs``; they themselves outside of training.

        Args:
            inputs: a tensor of floating point numbers.
            training: whether the layer is being trained: a bool, or a scalar tensor.
        """
        return smart_cond(
            training,
            lambda: tf_dropout(inputs, self.rate, self.noise_shape, self.seed),
            lambda: identity(inputs),
        )


class Flatten(Layer):
    """All axes but the first as one.

    >>> tf.compat.v1.layers.Flatten()(tf.ones([2, 3, 4])).shape
    TensorShape([2, 12])

    Args:
        data_format: "channels_last" (also if None) or "channels_first": then the channels become the last
            axis before axes are joined, so that the order of the elements is the same in both.
    """

    def __init__(self, data_format: str | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.data_format = data_format or "channels_last"
        self.input_spec = InputSpec(min_ndim=1)

    def call(self, inputs: Any) -> Any:
        """The result for ``inputs``.

        Args:
            inputs: a tensor of one axis or more; the first counts the examples.
        """
        if self.data_format == "channels_first" and inputs.shape.rank > 2:
            inputs = transpose(inputs, [0, *range(2, inputs.shape.rank), 1])
        sizes = inputs.shape[1:]
        whole = int(np.prod(list(sizes))) if sizes.is_fully_defined() else -1
        return reshape(inputs, [tf_shape(inputs)[0], whole])


def in_one_call(kind: type[Layer], name: str, *of_call: Parameter) -> Callable[..., Any]:
    """A function that makes a layer of ``kind`` and calls it.

    Its arguments are described as those of the classes of the layer, and as those of ``call``.
    """
    own = [
        parameter
        for parameter in list(signature(kind.__init__).parameters.values())[1:]
        if parameter.kind is not Parameter.VAR_KEYWORD
    ]
    first = Parameter("inputs", Parameter.POSITIONAL_OR_KEYWORD)
    places = [parameter for parameter in own if parameter.name != "name"]
    last = [parameter for parameter in own if parameter.name == "name"]
    reuse = Parameter("reuse", Parameter.POSITIONAL_OR_KEYWORD, default=None)
    whole = Signature([first, *places, *of_call, *last, *([] if of_call else [reuse])])
    called = {parameter.name for parameter in of_call}

    def function(*args: Any, **kwargs: Any) -> Any:
        arguments = whole.bind(*args, **kwargs).arguments
        inputs = arguments.pop("inputs")
        arguments.pop("reuse", None)
        extra = {key: arguments.pop(key) for key in called & arguments.keys()}
        return kind(**arguments)(inputs, **extra)

    function.__name__ = function.__qualname__ = name
    vars(function)["__signature__"] = whole
    described = {"reuse": "accepted, and of no effect."}
    for text in (*(base.__doc__ for base in reversed(kind.__mro__)), kind.call.__doc__):
        described |= documented_arguments(text or "")
    function.__doc__ = with_arguments(
        f"What a new `{kind.__name__}` gives for ``inputs``.",
        {word: described[word] for word in whole.parameters if word in described},
    )
    return public(function)


dense = in_one_call(Dense, "dense")
dropout = in_one_call(
    Dropout, "dropout", Parameter("training", Parameter.POSITIONAL_OR_KEYWORD, default=False)
)
flatten = in_one_call(Flatten, "flatten")
