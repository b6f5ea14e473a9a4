"""``tf.compat.v1.train``: learning rates that fall as steps are counted.

In eager code each function returns another one, without arguments, that gives the rate at the step which the
counter shows then: optimizers of TensorFlow 1.x take such functions. In a `tf.function` it returns the rate.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any

from tapegrad import dtypes
from tapegrad.framework.names import executing_eagerly
from tapegrad.ops.elementwise.conditions import where
from tapegrad.ops.elementwise.exponential import exp, log
from tapegrad.ops.elementwise.math import minimum, sqrt
from tapegrad.ops.elementwise.rounding import ceil, floor
from tapegrad.ops.elementwise.trigonometry import cos
from tapegrad.ops.indexing.gather import gather
from tapegrad.ops.random.draws import normal
from tapegrad.ops.reduce.clip import add_n
from tapegrad.ops.shape.array import identity
from tapegrad.ops.shape.casts import cast
from tapegrad.ops.shape.creation import convert_to_tensor, ones
from tapegrad.ops.shape.joining import stack

PUBLIC = {
    "compat.v1.train": (
        "cosine_decay cosine_decay_restarts exponential_decay inverse_time_decay linear_cosine_decay "
        "natural_exp_decay noisy_linear_cosine_decay piecewise_constant=piecewise_constant_decay "
        "piecewise_constant_decay polynomial_decay"
    ),
}

Rate = Any
"""A tensor, or a function without arguments that gives one."""


def _now_or_later(rate: Callable[[], Any]) -> Rate:
    """``rate`` in eager code, elsewhere what it gives."""
    return rate if executing_eagerly() else rate()


def _falls(learning_rate: Any, global_step: Any, rate: Callable[[Any, Any], Any]) -> Rate:
    """What ``rate`` gives for ``learning_rate`` and for the step, a number of its dtype."""
    if global_step is None:
        raise ValueError("global_step is required: it says how far the learning rate has fallen.")
    initial = convert_to_tensor(learning_rate)
    return _now_or_later(lambda: rate(initial, cast(global_step, initial.dtype)))


def _decays(learning_rate: Any, global_step: Any, factor: Callable[[Any], Any]) -> Rate:
    """``learning_rate`` times what ``factor`` gives for the step."""
    return _falls(learning_rate, global_step, lambda initial, step: initial * factor(step))


def _periods(step: Any, decay_steps: Any, staircase: bool) -> Any:
    """How many times ``decay_steps`` are in ``step``; whole times if ``staircase``."""
    periods = step / cast(decay_steps, step.dtype)
    return floor(periods) if staircase else periods


def exponential_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    decay_rate: Any,
    staircase: bool = False,
    name: str | None = None,
) -> Rate:
    """``learning_rate * decay_rate ** (global_step / decay_steps)``, of whole periods if ``staircase``.

    >>> step = tf.Variable(0)
    >>> rate = tf.compat.v1.train.exponential_decay(0.5, step, 10, 0.25)
    >>> before, _ = rate(), step.assign(5)
    >>> before.numpy(), rate().numpy()
    (np.float32(0.5), np.float32(0.25))

    Args:
        learning_rate: the rate at the step 0, a float or a scalar tensor. The result has its dtype.
        global_step: the number of steps so far: a scalar, mostly a variable.
        decay_steps: the length of a period in steps.
        decay_rate: the factor of one period.
        staircase: whether the rate falls only at the end of a period.
    """

    def factor(step: Any) -> Any:
        return cast(decay_rate, step.dtype) ** _periods(step, decay_steps, staircase)

    return _decays(learning_rate, global_step, factor)


def natural_exp_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    decay_rate: Any,
    staircase: bool = False,
    name: str | None = None,
) -> Rate:
    """``learning_rate * exp(-decay_rate * global_step / decay_steps)``, of whole periods if ``staircase``.

    Args:
        learning_rate: the rate at the step 0, a float or a scalar tensor. The result has its dtype.
        global_step: the number of steps so far: a scalar, mostly a variable.
        decay_steps: the length of a period in steps.
        decay_rate: how far the exponent falls in a period: the rate falls to ``exp(-decay_rate)`` of what it
            was.
        staircase: whether the rate falls only at the end of a period.
    """

    def factor(step: Any) -> Any:
        rate = exp(-cast(decay_rate, step.dtype))
        return rate ** _periods(step, decay_steps, staircase)

    return _decays(learning_rate, global_step, factor)


def inverse_time_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    decay_rate: Any,
    staircase: bool = False,
    name: str | None = None,
) -> Rate:
    """``learning_rate / (1 + decay_rate * global_step / decay_steps)``, of whole periods if ``staircase``.

    Args:
        learning_rate: the rate at the step 0, a float or a scalar tensor. The result has its dtype.
        global_step: the number of steps so far: a scalar, mostly a variable.
        decay_steps: the length of a period in steps.
        decay_rate: what a period adds to the divisor, which is 1 at the step 0.
        staircase: whether the rate falls only at the end of a period.
    """

    def rate(initial: Any, step: Any) -> Any:
        return initial / (1 + cast(decay_rate, step.dtype) * _periods(step, decay_steps, staircase))

    return _falls(learning_rate, global_step, rate)


def polynomial_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    end_learning_rate: Any = 0.0001,
    power: Any = 1.0,
    cycle: bool = False,
    name: str | None = None,
) -> Rate:
    """A rate that falls to ``end_learning_rate`` in ``decay_steps``, by ``power`` of the steps left.

    Args:
        learning_rate: the rate at the step 0, a float or a scalar tensor. The result has its dtype.
        global_step: the number of steps so far: a scalar, mostly a variable.
        decay_steps: after how many steps the rate is ``end_learning_rate``.
        end_learning_rate: the lowest rate. It stays, unless ``cycle`` is true.
        power: the exponent of the part of the steps that is left; 1 is a line.
        cycle: whether the rate rises again after that, and falls more slowly each time.
    """

    def rate(initial: Any, step: Any) -> Any:
        dtype = step.dtype
        steps, end = cast(decay_steps, dtype), cast(end_learning_rate, dtype)
        if cycle:
            cycles = where(step == 0, ones([], dtype), ceil(step / steps))
            steps *= cycles
        else:
            step = minimum(step, steps)
        return (initial - end) * (1 - step / steps) ** cast(power, dtype) + end

    return _falls(learning_rate, global_step, rate)


def cosine_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    alpha: float = 0.0,
    name: str | None = None,
) -> Rate:
    """A rate that falls as half a wave of the cosine, in ``decay_steps`` to ``alpha`` of what it was.

    Args:
        learning_rate: the rate at the step 0, a float or a scalar tensor. The result has its dtype.
        global_step: the number of steps so far: a scalar, mostly a variable.
        decay_steps: after how many steps the rate is the lowest. It stays there.
        alpha: the lowest rate as a part of ``learning_rate``.
    """

    def factor(step: Any) -> Any:
        steps = cast(decay_steps, step.dtype)
        wave = 0.5 * (1 + cos(math.pi * (minimum(step, steps) / steps)))
        return (1 - alpha) * wave + alpha

    return _decays(learning_rate, global_step, factor)


def cosine_decay_restarts(
    learning_rate: Any,
    global_step: Any,
    first_decay_steps: Any,
    t_mul: float = 2.0,
    m_mul: float = 1.0,
    alpha: float = 0.0,
    name: str | None = None,
) -> Rate:
    """`cosine_decay` again and again, each time of ``t_mul`` as many steps, from ``m_mul`` as high.

    Args:
        learning_rate: the rate at the step 0, a float or a scalar tensor. The result has its dtype.
        global_step: the number of steps so far: a scalar, mostly a variable.
        first_decay_steps: the length of the first period in steps.
        t_mul: how many times as long a period is as the one before.
        m_mul: how many times as high the rate begins in a period as in the one before.
        alpha: the lowest rate as a part of ``learning_rate``.
    """

    def factor(step: Any) -> Any:
        longer, lower = cast(t_mul, step.dtype), cast(m_mul, step.dtype)
        periods = step / cast(first_decay_steps, step.dtype)
        if t_mul == 1.0:
            restarts = floor(periods)
            done = periods - restarts
        else:
            restarts = floor(log(1 - periods * (1 - longer)) / log(longer))
            # The restarts began after 1 + t + t**2 + ... first periods.
            begun = (1 - longer**restarts) / (1 - longer)
            done = (periods - begun) / longer**restarts
        wave = 0.5 * lower**restarts * (1 + cos(math.pi * done))
        return (1 - alpha) * wave + alpha

    return _decays(learning_rate, global_step, factor)


def linear_cosine_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    num_periods: float = 0.5,
    alpha: float = 0.0,
    beta: float = 0.001,
    name: str | None = None,
) -> Rate:
    """A line down to ``alpha``, times ``num_periods`` waves of the cosine, above ``beta``.

    Args:
        learning_rate: the factor of the whole, a float or a scalar tensor. The result has its dtype.
        global_step: the number of steps so far: a scalar, mostly a variable.
        decay_steps: the number of steps after which the rate no longer changes.
        num_periods: how many whole waves of the cosine there are in ``decay_steps``.
        alpha: what is added to the line, which falls from 1 to 0, before the wave multiplies it.
        beta: what is added to the product.
    """
    return _lines_and_waves(
        learning_rate, global_step, decay_steps, num_periods, alpha, beta, lambda line, step: line
    )


def noisy_linear_cosine_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    initial_variance: float = 1.0,
    variance_decay: float = 0.55,
    num_periods: float = 0.5,
    alpha: float = 0.0,
    beta: float = 0.001,
    name: str | None = None,
) -> Rate:
    """`linear_cosine_decay` with noise on the line, of a variance that falls with the steps.

    Args:
        learning_rate: the factor of the whole, a float or a scalar tensor. The result has its dtype.
        global_step: the number of steps so far: a scalar, mostly a variable.
        decay_steps: the number of steps after which the rate changes by its noise alone.
        initial_variance: the variance of the noise at the step 0.
        variance_decay: the variance at a step is ``initial_variance / (1 + step) ** variance_decay``.
        num_periods: how many whole waves of the cosine there are in ``decay_steps``.
        alpha: what is added to the line, which falls from 1 to 0, before the wave multiplies it.
        beta: what is added to the product.
    """

    def noisy(line: Any, step: Any) -> Any:
        spread = sqrt(initial_variance / (1 + step) ** variance_decay)
        return line + normal(line.shape, stddev=spread, dtype=line.dtype)

    return _lines_and_waves(
        learning_rate, global_step, decay_steps, num_periods, alpha, beta, noisy
    )


def _lines_and_waves(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    num_periods: float,
    alpha: float,
    beta: float,
    changed: Callable[[Any, Any], Any],
) -> Rate:
    def factor(step: Any) -> Any:
        steps = cast(decay_steps, step.dtype)
        step = minimum(step, steps)
        line = changed((steps - step) / steps, step)
        wave = 0.5 * (1 + cos(math.pi * (2 * num_periods * (step / steps))))
        return (alpha + line) * wave + beta

    return _decays(learning_rate, global_step, factor)


def piecewise_constant_decay(
    x: Any, boundaries: Sequence[Any], values: Sequence[Any], name: str | None = None
) -> Rate:
    """The first of ``values`` up to the first of ``boundaries``, the second up to the second, and so on.

    Args:
        x: the step, a scalar, mostly of a variable.
        boundaries: the steps after which the next value holds, in rising order; of the dtype of ``x``, or
            int32 if that is int64.
        values: the rates, all of one dtype, and one more than there are boundaries.

    Raises:
        ValueError: there is not one value more than boundaries, the boundaries are not of the dtype of
            ``x``, or the values not of one dtype.
    """
    if len(boundaries) != len(values) - 1:
        raise ValueError("The length of boundaries should be 1 less than the length of values")
    limits = [convert_to_tensor(limit) for limit in boundaries]
    levels = [convert_to_tensor(value) for value in values]
    step_dtype = convert_to_tensor(x).dtype
    for number, limit in enumerate(limits):
        if limit.dtype == dtypes.int32 and step_dtype == dtypes.int64:
            limits[number] = limit = cast(limit, dtypes.int64)
        if limit.dtype != step_dtype:
            raise ValueError(
                f"Boundaries ({limit.dtype}) must have the same dtype as x ({step_dtype})."
            )
    for level in levels[1:]:
        if level.dtype != levels[0].dtype:
            raise ValueError(
                "Values must have elements all with the same dtype "
                f"({levels[0].dtype} vs {level.dtype})."
            )

    def rate() -> Any:
        passed = [cast(convert_to_tensor(x) > limit, dtypes.int32) for limit in limits]
        return gather(stack(levels), add_n(passed))

    return _now_or_later(rate if limits else functools.partial(identity, levels[0]))
