"""Functions of TensorFlow 1.x that do something else than today's functions of their names."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from tapegrad import dtypes
from tapegrad.annex.raw import raw_ops
from tapegrad.core import Tensor, convert, public
from tapegrad.framework.config import device as tf_device
from tapegrad.framework.docstrings import with_arguments
from tapegrad.framework.names import name_scope as tf_name_scope
from tapegrad.framework.printed import Printed
from tapegrad.framework.shape import TensorShape
from tapegrad.ops.elementwise.logic import logical_and, logical_not
from tapegrad.ops.indexing.gather import gather
from tapegrad.ops.indexing.masks import boolean_mask
from tapegrad.ops.linalg.products import matmul
from tapegrad.ops.nn.activations import relu
from tapegrad.ops.nn.biases import bias_add
from tapegrad.ops.nn.ctc import ctc_beam_search_decoder as tf_ctc_beam_search_decoder
from tapegrad.ops.nn.dropout import dropout as tf_dropout
from tapegrad.ops.op import says
from tapegrad.ops.program.control import while_loop as tf_while_loop
from tapegrad.ops.reduce.clip import clip_by_norm
from tapegrad.ops.reduce.reduce import reduce_max
from tapegrad.ops.reduce.scan import cumsum
from tapegrad.ops.shape.array import expand_dims as tf_expand_dims
from tapegrad.ops.shape.casts import cast
from tapegrad.ops.shape.creation import constant as tf_constant
from tapegrad.ops.shape.creation import ones_like
from tapegrad.ops.shape.joining import concat, stack
from tapegrad.ops.shape.rearrange import batch_to_space as tf_batch_to_space
from tapegrad.ops.shape.rearrange import space_to_batch as tf_space_to_batch
from tapegrad.ops.shape.sequences import range as tf_range
from tapegrad.ops.shape.shapes import size
from tapegrad.ops.sparse.histogram import bincount
from tapegrad.ops.sparse.sparse_tensor import SparseTensor

PUBLIC = {
    "compat.v1": (
        "batch_to_space clip_by_average_norm constant control_flow_v2_enabled device "
        "disable_tensor_equality disable_v2_behavior enable_control_flow_v2 "
        "enable_resource_variables enable_tensor_equality enable_v2_behavior enable_v2_tensorshape "
        "executing_eagerly_outside_functions expand_dims name_scope "
        "resource_variables_enabled space_to_batch sparse_to_dense to_bfloat16 to_complex128 "
        "to_complex64 to_double to_float to_int32 to_int64 while_loop"
    ),
    "compat.v1.nn": ("ctc_beam_search_decoder dropout relu_layer space_to_batch xw_plus_b"),
}


def one_of(words: str, *values: Any) -> Any:
    """The value that is not None; ValueError if both are given. ``words`` names the two arguments."""
    present = [value for value in values if value is not None]
    if len(present) > 1:
        new, old = words.split()
        raise ValueError(f"Cannot specify both '{old}' and '{new}'.")
    return present[0] if present else None


@public
def constant(
    value: Any,
    dtype: Any = None,
    shape: Any = None,
    name: str = "Const",
    verify_shape: bool = False,
) -> Tensor:
    """``tf.constant``, which with ``verify_shape`` takes no value of another shape.

    >>> tf.compat.v1.constant(7, shape=[2]).numpy()
    array([7, 7], dtype=int32)

    Args:
        value: a number, a string, a nested list of these, or an array.
        dtype: the dtype of the result; None leaves it to ``value``.
        shape: the shape of the result, for which ``value`` is repeated if it is a scalar, and reshaped
            otherwise.
        verify_shape: whether ``value`` must have the shape ``shape`` already.
    """
    if verify_shape and shape is not None:
        came = convert(value, None if dtype is None else dtypes.as_dtype(dtype)).shape
        if came != TensorShape(shape):
            raise TypeError(
                f"Expected a tensor of shape {tuple(TensorShape(shape))}, but got shape {tuple(came)}."
            )
    return tf_constant(value, dtype, shape)


@public
def expand_dims(input: Any, axis: Any = None, name: str | None = None, dim: Any = None) -> Any:
    """``tf.expand_dims``, where ``dim`` is another word for ``axis``.

    Args:
        input: a tensor.
        axis: where the new axis stands in the result; negative numbers count from the end.
        dim: the older name of ``axis``: pass only one of the two.
    """
    axis = one_of("axis dim", axis, dim)
    if axis is None:
        raise ValueError("Must specify an axis argument to tf.expand_dims()")
    return tf_expand_dims(input, axis)


@public
def batch_to_space(
    input: Any, crops: Any, block_size: Any, name: str | None = None, block_shape: Any = None
) -> Any:
    """``tf.batch_to_space`` with blocks that are squares.

    >>> tf.compat.v1.batch_to_space(tf.ones([4, 1, 1, 1]), [[0, 0], [0, 0]], 2).shape
    TensorShape([1, 2, 2, 1])

    Args:
        input: a tensor of (batch, height, width, channels), whose batch is a multiple of the squared
            ``block_size``.
        crops: two rows of two integers: how many pixels to cut off above and below, and left and right.
        block_size: the side of the squares, an int; or the list of their two sides.
        block_shape: another name of ``block_size``, which is then None.
    """
    blocks = one_of("block_size block_shape", block_size, block_shape)
    return tf_batch_to_space(input, squares(blocks), crops)


@public
def space_to_batch(
    input: Any,
    paddings: Any,
    block_size: Any = None,
    name: str | None = None,
    block_shape: Any = None,
) -> Any:
    """``tf.space_to_batch`` with blocks that are squares.

    >>> tf.compat.v1.space_to_batch(tf.ones([1, 2, 2, 1]), [[0, 0], [0, 0]], 2).shape
    TensorShape([4, 1, 1, 1])

    Args:
        input: a tensor of (batch, height, width, channels).
        paddings: two rows of two integers: how many zeros to add above and below, and left and right.
        block_size: the side of the squares, an int, which divides the padded height and width; or the list of
            their two sides.
        block_shape: another name of ``block_size``, which is then left out.
    """
    blocks = one_of("block_size block_shape", block_size, block_shape)
    return tf_space_to_batch(input, squares(blocks), paddings)


def squares(block_size: Any) -> Any:
    """Both sides of a square block; a list of sides as it is."""
    return [block_size, block_size] if isinstance(block_size, int) else block_size


@public
def sparse_to_dense(
    sparse_indices: Any,
    output_shape: Any,
    sparse_values: Any,
    default_value: Any = 0,
    validate_indices: bool = True,
    name: str | None = None,
) -> Any:
    """A dense tensor with ``sparse_values`` at ``sparse_indices``, and ``default_value`` elsewhere.

    >>> tf.compat.v1.sparse_to_dense([1], [3], [5], default_value=-1).numpy()
    array([-1,  5, -1], dtype=int32)

    Args:
        sparse_indices: integers: a matrix with a place in each row, or a vector if the result is one.
        output_shape: the shape of the result, a vector of integers.
        sparse_values: the value for each place, or one for all.
        default_value: the value everywhere else.
        validate_indices: whether the places have to be in order, and each there once.
    """
    values = convert(sparse_values)
    return raw_ops.SparseToDense(
        sparse_indices=sparse_indices,
        output_shape=output_shape,
        sparse_values=values,
        default_value=convert(default_value, values.dtype),
        validate_indices=validate_indices,
    )


@public
def clip_by_average_norm(t: Any, clip_norm: Any, name: str | None = None) -> Any:
    """``t``, made smaller if its norm divided by its number of elements is more than ``clip_norm``.

    Args:
        t: a tensor of floating point numbers.
        clip_norm: the largest norm for each element: a positive scalar.
    """
    t = convert(t)
    return clip_by_norm(t, clip_norm * cast(size(t), t.dtype))


# --- Neural networks --------------------------------------------------------------------------------------


@public
def dropout(
    x: Any,
    keep_prob: Any = None,
    noise_shape: Any = None,
    seed: Any = None,
    name: str | None = None,
    rate: Any = None,
) -> Any:
    """``tf.nn.dropout``, where ``keep_prob`` is 1 minus ``rate``.

    >>> tf.compat.v1.nn.dropout([1.0, 2.0], keep_prob=1.0).numpy()
    array([1., 2.], dtype=float32)

    Args:
        x: a tensor of floating point numbers.
        keep_prob: the probability that an element is kept: pass it or ``rate``.
        noise_shape: the shape in which to draw. Along an axis of length 1 all elements are kept or dropped
            together. None is the shape of ``x``.
        seed: an int for the same draws in each run of the program; None for others each time.
        rate: the probability that an element is set to 0. The others are divided by 1 minus ``rate``.
    """
    dropped = one_of("rate keep_prob", rate, None if keep_prob is None else 1 - keep_prob)
    if dropped is None:
        raise ValueError("`rate` must be provided. Received: rate=None")
    return tf_dropout(x, dropped, noise_shape, seed)


@public
def xw_plus_b(x: Any, weights: Any, biases: Any, name: str | None = None) -> Any:
    """``x @ weights + biases``, the step of a dense layer.

    Args:
        x: a matrix, a row for each example.
        weights: a matrix with as many rows as ``x`` has columns.
        biases: a vector with an element for each column of ``weights``.
    """
    return bias_add(matmul(x, weights), biases)


@public
def relu_layer(x: Any, weights: Any, biases: Any, name: str | None = None) -> Any:
    """``tf.nn.relu(x @ weights + biases)``, a dense layer.

    Args:
        x: a matrix, a row for each example.
        weights: a matrix with as many rows as ``x`` has columns.
        biases: a vector with an element for each column of ``weights``.
    """
    return relu(xw_plus_b(x, weights, biases))


@public
def ctc_beam_search_decoder(
    inputs: Any,
    sequence_length: Any,
    beam_width: int = 100,
    top_paths: int = 1,
    merge_repeated: bool = True,
) -> Any:
    """``tf.nn.ctc_beam_search_decoder``, which leaves out a label that follows an equal one.

    Args:
        inputs: [time, batch, classes], the logits; the last class is the blank.
        sequence_length: the number of steps of each example.
        beam_width: how many beginnings are kept at each step.
        top_paths: how many of the best paths to return.
        merge_repeated: whether to leave these out; today's function never does.
    """
    paths, scores = tf_ctc_beam_search_decoder(
        inputs, sequence_length, beam_width=beam_width, top_paths=top_paths
    )
    if merge_repeated:
        paths = [without_repetitions(path) for path in paths]
    return paths, scores


def without_repetitions(path: Any) -> Any:
    """A sparse matrix without the elements that follow an equal one in their row."""
    rows, values = path.indices[:, 0], path.values
    repeats = logical_and(rows[1:] == rows[:-1], values[1:] == values[:-1])
    kept = concat([ones_like(values[:1], dtypes.bool), logical_not(repeats)], 0)
    rows, values = boolean_mask(rows, kept), boolean_mask(values, kept)
    count = bincount(rows, minlength=path.dense_shape[0], dtype=dtypes.int64)
    columns = tf_range(size(rows, dtypes.int64)) - gather(cumsum(count, exclusive=True), rows)
    shape = stack([path.dense_shape[0], reduce_max(concat([count, [0]], 0))])
    return SparseTensor(stack([rows, columns], axis=1), values, shape)


# --- Programs -------------------------------------------------------------------------------------------


@public
@says(calls_functions=True)
def while_loop(
    cond: Callable[..., Any],
    body: Callable[..., Any],
    loop_vars: Any,
    shape_invariants: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
    maximum_iterations: Any = None,
    return_same_structure: bool = False,
) -> Any:
    """``tf.while_loop``, which takes a list of one loop variable apart unless ``return_same_structure``.

    >>> tf.compat.v1.while_loop(lambda i: i < 3, lambda i: i + 1, [0])
    <tf.Tensor: shape=(), dtype=int32, numpy=3>

    Args:
        cond: a function of the loop's variables; the loop goes on while it returns True.
        body: a function of the loop's variables, which returns their next values.
        loop_vars: a list, tuple or dict of tensors, or of nested structures of them.
        shape_invariants: the shapes that the variables may take, where these change.
        back_prop: whether gradients flow through the loop. It is of no effect outside of functions.
        parallel_iterations, swap_memory: accepted, and of no effect.
        maximum_iterations: the largest number of iterations; None for any.
        return_same_structure: whether a list of one variable gives a list of one result.
    """
    if len(loop_vars) != 1 or return_same_structure:
        return tf_while_loop(
            cond,
            body,
            loop_vars,
            shape_invariants,
            back_prop=back_prop,
            maximum_iterations=maximum_iterations,
        )

    def step(value: Any) -> Any:
        new = body(value)
        return new if isinstance(new, (list, tuple)) else [new]

    (result,) = tf_while_loop(
        cond,
        step,
        [*loop_vars],
        shape_invariants,
        back_prop=back_prop,
        maximum_iterations=maximum_iterations,
    )
    return result


@public
def device(device_name_or_function: Any) -> AbstractContextManager[Any]:
    """``tf.device``, which also takes None: then it changes nothing.

    Args:
        device_name_or_function: the name of a device, such as ``"CPU:0"``, or None.
    """
    if device_name_or_function is None:
        return nullcontext()
    return tf_device(device_name_or_function)


class name_scope(Printed):
    """``tf.name_scope`` with a name for when ``name`` is None.

    >>> with tf.compat.v1.name_scope(None, "layer") as scope:
    ...     scope
    'layer/'

    Args:
        values: accepted, and of no effect.
    """

    def __init__(self, name: Any, default_name: Any = None, values: Any = None) -> None:
        if name is not None and not isinstance(name, str):
            raise TypeError(f"`name` must be a string; {name!r} came.")
        self._name = default_name if name is None else name
        self._scope = tf_name_scope(self._name or "")

    @property
    def name(self) -> Any:
        """The name as it was given, or the default name."""
        return self._name

    def __enter__(self) -> str:
        if self._name is None:
            return ""
        return self._scope.__enter__()

    def __exit__(self, *error: Any) -> None:
        if self._name is not None:
            self._scope.__exit__(*error)


@public
def enable_v2_behavior() -> None:
    """Nothing: TensorFlow 2's behaviour is the only one."""


enable_control_flow_v2 = enable_resource_variables = enable_v2_behavior
enable_tensor_equality = enable_v2_tensorshape = enable_v2_behavior


@public
def executing_eagerly_outside_functions() -> bool:
    """True: every op runs when it is called."""
    return True


control_flow_v2_enabled = resource_variables_enabled = executing_eagerly_outside_functions


@public
def disable_v2_behavior() -> None:
    """Not available: ops run when they are called, but for those in the block of a graph."""
    raise RuntimeError(
        "TensorFlow 2's behaviour is the only one here. Leave this call out, and build the graphs that a "
        "tf.compat.v1.Session runs in `with tf.Graph().as_default():`."
    )


disable_tensor_equality = disable_v2_behavior


# --- Casts ----------------------------------------------------------------------------------------------


def to(dtype: Any, name: str) -> Callable[..., Any]:
    """A function that casts to ``dtype``."""

    def cast_to(x: Any, name: str = name) -> Any:
        return cast(x, dtype)

    cast_to.__doc__ = with_arguments(
        f"``tf.cast(x, tf.{dtype.name})``.", {"x": "a tensor, or what becomes one."}
    )
    cast_to.__name__ = cast_to.__qualname__ = name
    return public(cast_to)


to_bfloat16 = to(dtypes.bfloat16, "ToBFloat16")
to_complex128 = to(dtypes.complex128, "ToComplex128")
to_complex64 = to(dtypes.complex64, "ToComplex64")
to_double = to(dtypes.float64, "ToDouble")
to_float = to(dtypes.float32, "ToFloat")
to_int32 = to(dtypes.int32, "ToInt32")
to_int64 = to(dtypes.int64, "ToInt64")
