"""A whole sequence through a long short-term memory, as the ops of older programs do it at once.

No function of TensorFlow's runs them; they are reached as ``tf.raw_ops.BlockLSTM`` and ``BlockLSTMV2``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tapegrad.core import Tensor, convert
from tapegrad.core.compositions import composition
from tapegrad.errors import refuse
from tapegrad.ops.args import static_bool, static_float, static_int
from tapegrad.ops.elementwise.exponential import sigmoid
from tapegrad.ops.elementwise.math import maximum, minimum, multiply_no_nan
from tapegrad.ops.elementwise.trigonometry import tanh
from tapegrad.ops.linalg.products import matmul
from tapegrad.ops.shape.array import reshape, zeros_of
from tapegrad.ops.shape.joining import concat_op, split, stack, unstack


def check_parts(x: Tensor, parts: Mapping[str, Tensor]) -> None:
    """Raise unless everything has the sizes that belong to ``x`` and to the state before it."""
    shape, state = x._shape_tuple(), parts["cs_prev"]._shape_tuple()
    if len(shape) != 3 or len(state) != 2:
        refuse(
            "x must be [time, batch, inputs] and cs_prev [batch, cells], "
            f"not {list(shape)} and {list(state)}."
        )
    (_, batch, inputs), cells = shape, state[1]
    wanted = {
        "cs_prev": (batch, cells),
        "h_prev": (batch, cells),
        "w": (inputs + cells, 4 * cells),
        "b": (4 * cells,),
    }
    for name, part in parts.items():
        if part._shape_tuple() != wanted.get(name, (cells,)):
            refuse(
                f"{name} must have shape {list(wanted.get(name, (cells,)))}, "
                f"for inputs of shape {list(shape)} and {cells} cells; "
                f"it has {list(part._shape_tuple())}."
            )


@composition
def run_through(
    gates: str,
    seq_len_max: Any,
    x: Any,
    forget_bias: Any,
    cell_clip: Any,
    use_peephole: Any,
    **state_and_weights: Any,
) -> tuple[Any, ...]:
    """What a long short-term memory makes of a sequence: i, cs, f, o, ci, co and h of each step."""
    # The columns of w and b are for the four gates, in this order.
    x = convert(x)
    parts = {key: convert(part, x.dtype) for key, part in state_and_weights.items()}
    check_parts(x, parts)
    steps, length = static_int(seq_len_max), x._shape_tuple()[0]
    if not 0 <= steps <= length:
        refuse(f"seq_len_max must be from 0 to {length}, the length of x, not {steps}.")
    cells, hidden = parts["cs_prev"], parts["h_prev"]
    peephole, bound = static_bool(use_peephole), static_float(cell_clip)
    bias = static_float(forget_bias)
    results: list[tuple[Any, ...]] = []
    # Each gate is in one piece, and all steps of the sequence are multiplied by their weights at once.
    _, batch, inputs = x._shape_tuple()
    width = cells._shape_tuple()[1]
    weights = stack(split(parts["w"], 4, axis=1))
    fed = matmul(
        reshape(x if steps == length else x[:steps], (steps * batch, inputs)), weights[:, :inputs]
    )
    fed = reshape(fed + reshape(parts["b"], (4, 1, width)), (4, steps, batch, width))
    if not peephole:
        # As in TensorFlow the gradients by weights that are not used are zeros, and not None.
        fed += multiply_no_nan(parts["wci"] + parts["wcf"] + parts["wco"], 0.0)
    sent_back = weights[:, inputs:]
    for step in unstack(fed, axis=1):
        gate = dict(zip(gates, unstack(step + matmul(hidden, sent_back)), strict=True))
        if peephole:
            gate["i"] = gate["i"] + cells * parts["wci"]
            gate["f"] = gate["f"] + cells * parts["wcf"]
        into, keep = sigmoid(gate["i"]), sigmoid(gate["f"] + bias if bias else gate["f"])
        new = tanh(gate["c"])
        cells = new * into + cells * keep
        if bound > 0:
            cells = minimum(maximum(cells, -bound), bound)
        if peephole:
            gate["o"] = gate["o"] + cells * parts["wco"]
        out, shown = sigmoid(gate["o"]), tanh(cells)
        hidden = shown * out
        results.append((into, cells, keep, out, new, shown, hidden))
    # Steps beyond the longest sequence are zeros.
    rest = zeros_of((length - steps, *parts["cs_prev"]._shape_tuple()), x)
    if not results:
        return (rest,) * 7
    whole = [stack(list(values)) for values in zip(*results, strict=True)]
    if steps < length:
        whole = [concat_op([values, rest], 0) for values in whole]
    return tuple(whole)
