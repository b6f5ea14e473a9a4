"""``ResourceApplyAdam`` and its like: one step of an optimizer, by handles of a variable and its slots.

Optimizers of Keras 2 and of TensorFlow 1.x are made of these ops. Each rule below has the arguments of the
raw op, and returns what the variable and its slots hold afterwards. What is the same for all is in
`apply_rule`: the checks, that no tape hears of a step, and steps on chosen rows, which are the twins
``ResourceSparseApply...``.

To add one, write its rule. The order of operations is that of TensorFlow's kernels for whole variables, so
most results agree to the last bit.
"""

from __future__ import annotations

from collections.abc import Callable
from inspect import Parameter, Signature, signature
from typing import Any, NamedTuple

from tapegrad import core, dtypes
from tapegrad.core import convert
from tapegrad.dtypes import DType
from tapegrad.errors import refuse
from tapegrad.framework.handle import variable_of
from tapegrad.framework.indexed_slices import IndexedSlices
from tapegrad.ops.args import operand_of_dtype, static_bool
from tapegrad.ops.elementwise.conditions import where
from tapegrad.ops.elementwise.exponential import exp
from tapegrad.ops.elementwise.logic import not_equal
from tapegrad.ops.elementwise.math import maximum, pow, rsqrt, sqrt
from tapegrad.ops.elementwise.signs import abs, sign
from tapegrad.ops.indexing.gather import gather
from tapegrad.ops.indexing.masks import boolean_mask, unique
from tapegrad.ops.indexing.segment import unsorted_segment_min
from tapegrad.ops.op import FLOATING, INDEX, REAL_FLOATING
from tapegrad.ops.program.debugging import Assert
from tapegrad.ops.shape.casts import cast
from tapegrad.ops.shape.sequences import range as range_of

SINGLES = frozenset({dtypes.float32, dtypes.float64})
NO_BFLOAT16 = frozenset({dtypes.bfloat16})


class Rule(NamedTuple):
    """One optimizer's step."""

    step: Callable[..., Any]
    name: str
    """The op's name without the beginning."""
    variables: list[str]
    """The arguments that are handles: the variable and its slots. ``step`` returns their new values."""
    gradient: str
    """The argument that has the shape of the variable, or of rows of it."""
    needed: list[str]
    """All arguments that have no default."""
    flags: dict[str, bool]
    """Those that have one."""
    limits: dict[str, str]
    """Scalar -> what it must be, one of LIMITS."""


LIMITS: dict[str, Callable[[Any], bool]] = {
    "positive": lambda value: value > 0,
    "non-negative": lambda value: value >= 0,
    "non-positive": lambda value: value <= 0,
}


# --- What is the same for all --------------------------------------------------------------------------


def apply_rule(type, rule, types, arguments, indices=None):
    """Change a variable and its slots by ``rule``, at ``indices`` along their first axis if there are any."""
    variables = [variable_of(type, arguments.pop(name)) for name in rule.variables]
    dtype = variables[0].dtype
    if dtype not in types:
        refuse(f"There is no {type} for variables of {dtype.name}.")
    flags = {name: static_bool(arguments.pop(name)) for name in rule.flags}
    with core.no_recording():
        tensors = {
            name: tensor_for(type, name, value, dtypes.int64 if name == "global_step" else dtype)
            for name, value in arguments.items()
        }
        gradient = tensors.pop(rule.gradient)
        for name, value in tensors.items():
            tensors[name] = scalar(type, rule, name, value)
        check_slots(type, rule, variables)

        def step(values, gradient):
            return rule.step(*values, **{rule.gradient: gradient}, **tensors, **flags)

        if indices is None:
            change_all(type, rule, step, variables, gradient)
        else:
            change_rows(type, step, variables, gradient, indices)


def tensor_for(type, name, value, dtype):
    tensor = operand_of_dtype(value, dtype)
    if tensor.dtype is not dtype:
        refuse(f"{type} expects {name} of {dtype.name}, not of {tensor.dtype.name}.")
    return tensor


def scalar(type, rule, name, tensor):
    if tensor._shape_tuple():
        refuse(f"{name} is not a scalar: {list(tensor._shape_tuple())}", op=type)
    limit = rule.limits.get(name)
    if limit is not None:
        Assert(LIMITS[limit](tensor), [f"{type}: {name} is not a {limit} scalar:", tensor])
    return tensor


def check_slots(type, rule, variables):
    var, *slots = variables
    shape = var._snapshot._shape_tuple()
    for name, slot in zip(rule.variables[1:], slots, strict=True):
        if slot.dtype is not var.dtype:
            refuse(f"{type}: var is of {var.dtype.name}, and {name} of {slot.dtype.name}.")
        if slot._snapshot._shape_tuple() != shape:
            refuse(
                f"var and {name} do not have the same shape: {list(shape)} and "
                f"{list(slot._snapshot._shape_tuple())}",
                op=type,
            )


def change_all(type, rule, step, variables, gradient):
    shape = variables[0]._snapshot._shape_tuple()
    if gradient._shape_tuple() != shape:
        refuse(
            f"var and {rule.gradient} do not have the same shape: {list(shape)} and "
            f"{list(gradient._shape_tuple())}",
            op=type,
        )
    values = step([variable.value() for variable in variables], gradient)
    for variable, value in zip(variables, values, strict=True):
        variable.assign(value, read_value=False)


def change_rows(type, step, variables, gradient, indices):
    check_rows(type, variables[0]._snapshot._shape_tuple(), gradient, indices)
    for places, part in rounds(indices, gradient):
        values = step([gather(variable, places) for variable in variables], part)
        for variable, value in zip(variables, values, strict=True):
            variable.scatter_update(IndexedSlices(value, places))


def rounds(indices, gradient):
    """Parts of both in which each index occurs once, together in which it occurs as often as there.

    A row whose index comes again is changed again, from where the step before has left it.
    """
    count = indices._shape_tuple()[0]
    while count:
        rows, place = unique(indices)
        if rows._shape_tuple()[0] == count:
            yield indices, gradient
            return
        numbers = range_of(count)
        first = unsorted_segment_min(numbers, place, rows._shape_tuple()[0])
        yield rows, gather(gradient, first)
        again = not_equal(gather(first, place), numbers)
        indices, gradient = boolean_mask(indices, again), boolean_mask(gradient, again)
        count = indices._shape_tuple()[0]


def check_rows(type, shape, gradient, indices):
    if indices.dtype not in INDEX:
        refuse(f"{type} expects indices of int32 or int64, not of {indices.dtype.name}.")
    if len(indices._shape_tuple()) != 1:
        refuse("indices must be one-dimensional", op=type)
    if not shape:
        refuse("var must be at least 1 dimensional", op=type)
    wanted = (*indices._shape_tuple(), *shape[1:])
    if gradient._shape_tuple() != wanted:
        refuse(
            f"{type} expects grad of shape {list(wanted)}, the shape of indices and of the rows of var; "
            f"its shape is {list(gradient._shape_tuple())}."
        )


def steps(
    name: str,
    variables: int,
    types: frozenset[DType] = FLOATING,
    limits: dict[str, str] | None = None,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A decorator that makes ``ResourceApply<name>`` of a rule.

    Args:
        variables: how many arguments, the first ones, are handles.
        types: the dtypes that the op is for.
        limits: what scalars must be.
    """

    def make(step: Callable[..., Any]) -> Callable[..., Any]:
        parameters = signature(step).parameters
        needed = [key for key, value in parameters.items() if value.default is Parameter.empty]
        flags = {key: parameters[key].default for key in parameters if key not in needed}
        gradient = "delta" if "delta" in needed else "grad"
        rule = Rule(step, name, needed[:variables], gradient, needed, flags, limits or {})
        type = f"ResourceApply{name}"

        def apply(use_locking: bool = False, **arguments: Any) -> None:
            apply_rule(type, rule, types, arguments)

        apply.__name__ = step.__name__
        return with_signature(apply, rule, needed)

    return make


def on_rows(whole: Any, types: frozenset[DType] = FLOATING) -> Callable[..., Any]:
    """The twin ``ResourceSparseApply...`` of an op that `steps` has made, for these dtypes."""
    rule: Rule = whole.rule
    type = f"ResourceSparseApply{rule.name}"

    def apply(grad: Any, indices: Any, use_locking: bool = False, **arguments: Any) -> None:
        apply_rule(type, rule, types, {**arguments, rule.gradient: grad}, convert(indices))

    apply.__name__ = f"{whole.__name__}_on_rows"
    place = rule.needed.index(rule.gradient)
    before, after = rule.needed[:place], rule.needed[place + 1 :]
    return with_signature(apply, rule, [*before, "grad", "indices", *after])


def with_signature(apply: Any, rule: Rule, needed: list[str]) -> Callable[..., Any]:
    """``apply`` with the signature of the raw op."""
    kind = Parameter.KEYWORD_ONLY
    flags = {"use_locking": False, **rule.flags}
    apply.__doc__ = "Take a step of an optimizer. ``use_locking`` is of no effect."
    apply.__signature__ = Signature(
        [Parameter(name, kind) for name in needed]
        + [Parameter(name, kind, default=value) for name, value in flags.items()]
    )
    apply.rule = rule
    return apply


# --- The rules ----------------------------------------------------------------------------------------


@steps("GradientDescent", 1)
def gradient_descent(var, alpha, delta):
    return (var - delta * alpha,)


@steps("Momentum", 2)
def momentum(var, accum, lr, grad, momentum, use_nesterov=False):
    accum = accum * momentum + grad
    step = grad * lr + accum * momentum * lr if use_nesterov else accum * lr
    return var - step, accum


@steps("KerasMomentum", 2)
def keras_momentum(var, accum, lr, grad, momentum, use_nesterov=False):
    accum = accum * momentum - grad * lr
    return var + (accum * momentum - grad * lr if use_nesterov else accum), accum


def _corrected_rate(lr, beta1_power, beta2_power):
    return lr * sqrt(1 - beta2_power) / (1 - beta1_power)


@steps("Adam", 3)
def adam(
    var,
    m,
    v,
    beta1_power,
    beta2_power,
    lr,
    beta1,
    beta2,
    epsilon,
    grad,
    use_nesterov=False,
):
    rate = _corrected_rate(lr, beta1_power, beta2_power)
    m = m + (grad - m) * (1 - beta1)
    v = v + (grad * grad - v) * (1 - beta2)
    direction = grad * (1 - beta1) + m * beta1 if use_nesterov else m
    return var - direction * rate / (sqrt(v) + epsilon), m, v


@steps("AdaMax", 3, REAL_FLOATING - NO_BFLOAT16)
def adamax(var, m, v, beta1_power, lr, beta1, beta2, epsilon, grad):
    m = m + (grad - m) * (1 - beta1)
    v = maximum(v * beta2, abs(grad))
    return var - lr / (1 - beta1_power) * (m / (v + epsilon)), m, v


@steps("AdamWithAmsgrad", 4, REAL_FLOATING)
def adam_with_amsgrad(
    var,
    m,
    v,
    vhat,
    beta1_power,
    beta2_power,
    lr,
    beta1,
    beta2,
    epsilon,
    grad,
):
    rate = _corrected_rate(lr, beta1_power, beta2_power)
    m = m + (grad - m) * (1 - beta1)
    v = v + (grad * grad - v) * (1 - beta2)
    vhat = maximum(vhat, v)
    return var - m * rate / (sqrt(vhat) + epsilon), m, v, vhat


@steps("Adagrad", 2)
def adagrad(var, accum, lr, grad, update_slots=True):
    if update_slots:
        accum = accum + grad * grad
    return var - grad * lr * rsqrt(accum), accum


@steps("AdagradV2", 2)
def adagrad_v2(var, accum, lr, epsilon, grad, update_slots=True):
    if update_slots:
        accum = accum + grad * grad
    return var - grad * lr / (sqrt(accum) + epsilon), accum


@steps("AdagradDA", 3, SINGLES)
def adagrad_da(
    var,
    gradient_accumulator,
    gradient_squared_accumulator,
    grad,
    lr,
    l1,
    l2,
    global_step,
):
    total = gradient_accumulator + grad
    squares = gradient_squared_accumulator + grad * grad
    count = cast(global_step, var.dtype)
    shrunk = sign(total) * maximum(abs(total) - l1 * count, 0.0)
    return -lr * shrunk / (l2 * count * lr + sqrt(squares)), total, squares


@steps("Adadelta", 3)
def adadelta(var, accum, accum_update, lr, rho, epsilon, grad):
    accum = accum * rho + grad * grad * (1 - rho)
    step = sqrt(accum_update + epsilon) * rsqrt(accum + epsilon) * grad
    return var - step * lr, accum, accum_update * rho + step * step * (1 - rho)


@steps("RMSProp", 3)
def rmsprop(var, ms, mom, lr, rho, momentum, epsilon, grad):
    ms = ms + (grad * grad - ms) * (1 - rho)
    mom = mom * momentum + grad * lr / sqrt(ms + epsilon)
    return var - mom, ms, mom


@steps("CenteredRMSProp", 4)
def centered_rmsprop(var, mg, ms, mom, lr, rho, momentum, epsilon, grad):
    ms = ms + (grad * grad - ms) * (1 - rho)
    mg = mg + (grad - mg) * (1 - rho)
    mom = mom * momentum + grad * lr / sqrt(ms - mg * mg + epsilon)
    return var - mom, mg, ms, mom


FTRL_LIMITS = {
    "lr": "positive",
    "l1": "non-negative",
    "l2": "non-negative",
    "l2_shrinkage": "non-negative",
    "lr_power": "non-positive",
}


@steps("Ftrl", 3, REAL_FLOATING, FTRL_LIMITS)
def ftrl(var, accum, linear, grad, lr, l1, l2, lr_power, multiply_linear_by_lr=False):
    return _follow_the_leader(
        var, accum, linear, grad, grad, lr, l1, l2, lr_power, multiply_linear_by_lr
    )


@steps("FtrlV2", 3, REAL_FLOATING, FTRL_LIMITS)
def ftrl_v2(
    var, accum, linear, grad, lr, l1, l2, l2_shrinkage, lr_power, multiply_linear_by_lr=False
):
    shrunk = grad + 2 * l2_shrinkage * var
    return _follow_the_leader(
        var, accum, linear, grad, shrunk, lr, l1, l2, lr_power, multiply_linear_by_lr
    )


def _follow_the_leader(
    var, accum, linear, grad, shrunk, lr, l1, l2, lr_power, multiply_linear_by_lr
):
    new_accum = accum + grad * grad
    new_root, root = pow(new_accum, -lr_power), pow(accum, -lr_power)
    if multiply_linear_by_lr:
        linear = linear + (shrunk * lr - (new_root - root) * var)
        l1 = l1 * lr
        curvature = new_root + 2 * l2 * lr
    else:
        linear = linear + (shrunk - (new_root - root) / lr * var)
        curvature = new_root / lr + 2 * l2
    pulled = (sign(linear) * l1 - linear) / curvature
    return where(abs(linear) > l1, pulled, 0.0), new_accum, linear


def _proximal(moved, rate, l1, l2):
    return sign(moved) * maximum(abs(moved) - rate * l1, 0.0) / (1 + rate * l2)


@steps("ProximalGradientDescent", 1, SINGLES)
def proximal_gradient_descent(var, alpha, l1, l2, delta):
    return (_proximal(var - delta * alpha, alpha, l1, l2),)


@steps("ProximalAdagrad", 2, SINGLES)
def proximal_adagrad(var, accum, lr, l1, l2, grad):
    accum = accum + grad * grad
    rate = lr * rsqrt(accum)
    return _proximal(var - grad * rate, rate, l1, l2), accum


@steps("AddSign", 2, REAL_FLOATING)
def add_sign(var, m, lr, alpha, sign_decay, beta, grad):
    m = m * beta + grad * (1 - beta)
    return var - lr * (sign(grad) * sign(m) * sign_decay + alpha) * grad, m


@steps("PowerSign", 2, REAL_FLOATING)
def power_sign(var, m, lr, logbase, sign_decay, beta, grad):
    m = m * beta + grad * (1 - beta)
    return var - lr * exp(sign(grad) * sign(m) * (logbase * sign_decay)) * grad, m


# --- On rows ------------------------------------------------------------------------------------------

momentum_on_rows = on_rows(momentum)
keras_momentum_on_rows = on_rows(keras_momentum)
adagrad_on_rows = on_rows(adagrad)
adagrad_v2_on_rows = on_rows(adagrad_v2)
adagrad_da_on_rows = on_rows(adagrad_da, SINGLES)
adadelta_on_rows = on_rows(adadelta)
rmsprop_on_rows = on_rows(rmsprop, FLOATING - NO_BFLOAT16)
centered_rmsprop_on_rows = on_rows(centered_rmsprop, FLOATING - NO_BFLOAT16)
ftrl_on_rows = on_rows(ftrl, REAL_FLOATING)
ftrl_v2_on_rows = on_rows(ftrl_v2, REAL_FLOATING)
proximal_gradient_descent_on_rows = on_rows(proximal_gradient_descent, SINGLES)
proximal_adagrad_on_rows = on_rows(proximal_adagrad, SINGLES)
