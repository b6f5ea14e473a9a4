"""The recurrent networks of cuDNN, whose weights are one vector: ``tf.raw_ops.CudnnRNN``, ``V2`` and ``V3``.

TensorFlow runs these ops on GPUs alone. Keras 2 writes one into the graph of each LSTM and GRU, beside the
loop that runs on a CPU. Here they are computed, one step after the other:

    LSTM    i, f, o = sigmoid(...)   g = tanh(...)    c = f c + i g           h = o tanh(c)
    GRU     r, z    = sigmoid(...)   n = tanh(W x + b + r (R h + b'))         h = z h + (1 - z) n
"""

from __future__ import annotations

from typing import Any

from tapegrad import dtypes
from tapegrad.core import Tensor, convert
from tapegrad.core.compositions import composition
from tapegrad.errors import UnimplementedError, refuse
from tapegrad.ops.args import static_bool, static_float, static_int
from tapegrad.ops.elementwise.conditions import where
from tapegrad.ops.elementwise.exponential import sigmoid
from tapegrad.ops.elementwise.math import maximum
from tapegrad.ops.elementwise.trigonometry import tanh
from tapegrad.ops.linalg.products import matmul
from tapegrad.ops.shape.array import reshape, transpose, zeros_of
from tapegrad.ops.shape.joining import concat_op, stack, unstack
from tapegrad.ops.shape.rearrange import reverse_sequence

# Mode -> how many gates a cell has.
GATES = {"lstm": 4, "gru": 3, "rnn_relu": 1, "rnn_tanh": 1}


class Weights:
    """Takes the parts of the vector of all weights: first all matrices, then all biases."""

    def __init__(self, params: Tensor, wanted: int) -> None:
        size = params._shape_tuple()[0] if len(params._shape_tuple()) == 1 else None
        if size != wanted:
            refuse(
                f"params must be a vector of {wanted} weights for these sizes; "
                f"its shape is {list(params._shape_tuple())}."
            )
        self.params = params
        self.place = 0

    def take(self, *shape: int) -> Tensor:
        """The next part, in this shape."""
        size = 1
        for length in shape:
            size *= length
        self.place += size
        return reshape(self.params[self.place - size : self.place], shape)


@composition
def run_through(
    version: int,
    input: Any,
    input_h: Any,
    input_c: Any,
    params: Any,
    rnn_mode: Any,
    input_mode: Any,
    direction: Any,
    dropout: Any,
    is_training: Any,
    sequence_lengths: Any = None,
    num_proj: Any = 0,
    time_major: Any = True,
) -> tuple[Any, ...]:
    """The outputs of the last layer, the last states of all layers, and what a GPU would keep: nothing."""
    x: Tensor = convert(input)
    if rnn_mode not in GATES:
        refuse(f"rnn_mode must be one of {', '.join(GATES)}, not {rnn_mode!r}.")
    if direction not in ("unidirectional", "bidirectional"):
        refuse(f"direction must be 'unidirectional' or 'bidirectional', not {direction!r}.")
    if input_mode == "skip_input" or static_int(num_proj):
        refuse("CudnnRNN has neither skip_input nor projections here.", error=UnimplementedError)
    if static_bool(is_training) and static_float(dropout) > 0:
        refuse("CudnnRNN has no dropout between its layers here.", error=UnimplementedError)
    if not static_bool(time_major):
        x = transpose(x, (1, 0, 2))
    state_h: Tensor = convert(input_h, x.dtype)
    state_c: Tensor = convert(input_c, x.dtype)
    if not static_bool(time_major):
        state_h = transpose(state_h, (1, 0, 2))
        state_c = transpose(state_c, (1, 0, 2)) if rnn_mode == "lstm" else state_c
    check_shapes(x, state_h, state_c, rnn_mode)
    lengths = None if sequence_lengths is None else convert(sequence_lengths, dtypes.int32)
    outputs, last_h, last_c = run_layers(
        rnn_mode, 1 + (direction == "bidirectional"), x, state_h, state_c, params, lengths
    )
    hidden = stack(last_h)
    cells = stack(last_c) if rnn_mode == "lstm" else zeros_of((0,), x)
    if not static_bool(time_major):
        outputs, hidden = transpose(outputs, (1, 0, 2)), transpose(hidden, (1, 0, 2))
        cells = transpose(cells, (1, 0, 2)) if rnn_mode == "lstm" else cells
    results = outputs, hidden, cells, zeros_of((0,), x)
    return results if version == 1 else (*results, convert([], dtypes.int8))


def check_shapes(x: Tensor, state_h: Tensor, state_c: Tensor, mode: str) -> None:
    """Raise unless the states belong to the inputs."""
    shape, state = x._shape_tuple(), state_h._shape_tuple()
    if len(shape) != 3 or len(state) != 3 or state[1] != shape[1]:
        refuse(
            "input must be [time, batch, inputs] and input_h [layers, batch, units], "
            f"not {list(shape)} and {list(state)}."
        )
    if mode == "lstm" and state_c._shape_tuple() != state:
        refuse(f"input_c must have the shape {list(state)} of input_h, not {state_c.shape}.")


def run_layers(
    mode: str,
    directions: int,
    x: Tensor,
    state_h: Tensor,
    state_c: Tensor,
    params: Any,
    lengths: Tensor | None,
) -> tuple[Tensor, list[Tensor], list[Tensor]]:
    """All layers in turn: the outputs of the last one, and the last states of each layer and direction."""
    rows, batch, units = state_h._shape_tuple()
    if not rows or not units or rows % directions:
        refuse(
            f"input_h has {rows} states of {units} units, which are not those of {directions} directions."
        )
    gates, inputs = GATES[mode], x._shape_tuple()[2]
    # Before anything is made for each layer: the states may claim any number of them, and be empty.
    widths_of_all = directions * inputs + (rows - directions) * directions * units
    weights = Weights(
        convert(params, x.dtype), gates * units * (widths_of_all + rows * units + 2 * rows)
    )
    widths = [inputs if row < directions else units * directions for row in range(rows)]
    pairs = [
        (weights.take(gates, units, width), weights.take(gates, units, units)) for width in widths
    ]
    biases = [(weights.take(gates, 1, units), weights.take(gates, 1, units)) for _ in widths]
    hidden = unstack(state_h)
    cells: list[Any] = unstack(state_c) if mode == "lstm" else [None] * rows
    if not batch:  # of any number of steps
        return zeros_of((x._shape_tuple()[0], 0, directions * units), x), hidden, cells
    last_h, last_c = [], []
    for first in range(0, rows, directions):
        outputs = []
        for row in range(first, first + directions):
            fed = reversed_steps(x, lengths) if row > first else x
            output, h, c = run_layer(
                mode, fed, hidden[row], cells[row], pairs[row], biases[row], lengths
            )
            outputs.append(reversed_steps(output, lengths) if row > first else output)
            last_h.append(h)
            last_c.append(c)
        x = outputs[0] if directions == 1 else concat_op(outputs, 2)
    return x, last_h, last_c


def reversed_steps(x: Tensor, lengths: Tensor | None) -> Tensor:
    """The steps of each sequence from its last one to its first one."""
    reversed_: Tensor = x[::-1] if lengths is None else reverse_sequence(x, lengths, 0, 1)
    return reversed_


def run_layer(
    mode: str,
    x: Tensor,
    h: Tensor,
    c: Any,
    matrices: tuple[Tensor, Tensor],
    biases: tuple[Tensor, Tensor],
    lengths: Tensor | None,
) -> tuple[Tensor, Tensor, Any]:
    """One layer in one direction: the output of each step, and the last states."""
    steps, batch, inputs = x._shape_tuple()
    gates, units = GATES[mode], h._shape_tuple()[1]
    fed = matmul(reshape(x, (1, steps * batch, inputs)), matrices[0], transpose_b=True) + biases[0]
    outputs = []
    for number, step in enumerate(unstack(reshape(fed, (gates, steps, batch, units)), axis=1)):
        sent_back = matmul(h, matrices[1], transpose_b=True) + biases[1]
        new_h, new_c = next_state(mode, step, sent_back, h, c)
        if lengths is None:
            h, c = new_h, new_c
            outputs.append(h)
            continue
        # A sequence that has ended keeps its state, and its outputs are zeros.
        goes_on = reshape(lengths > number, (batch, 1))
        h, c = where(goes_on, new_h, h), None if c is None else where(goes_on, new_c, c)
        outputs.append(where(goes_on, new_h, zeros_of((batch, units), x)))
    return stack(outputs) if outputs else zeros_of((0, batch, units), x), h, c


def next_state(mode: str, fed: Tensor, sent_back: Tensor, h: Tensor, c: Any) -> tuple[Tensor, Any]:
    """The states after a step, of what the inputs and the state before it add to each gate."""
    if mode == "lstm":
        i, f, g, o = unstack(fed + sent_back)
        c = sigmoid(f) * c + sigmoid(i) * tanh(g)
        return sigmoid(o) * tanh(c), c
    if mode == "gru":
        (r, z, n), (back_r, back_z, back_n) = unstack(fed), unstack(sent_back)
        keep = sigmoid(z + back_z)
        return keep * h + (1 - keep) * tanh(n + sigmoid(r + back_r) * back_n), None
    (total,) = unstack(fed + sent_back)
    return tanh(total) if mode == "rnn_tanh" else maximum(total, 0.0), None
