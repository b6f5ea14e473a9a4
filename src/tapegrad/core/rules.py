"""How gradient rules and shape rules are read: what each parameter of a rule asks for."""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import FunctionType
from typing import Any

from tapegrad.core.dispatch import Op
from tapegrad.core.plans import ASKS
from tapegrad.engines.numpy.namespace import xp

# Flags of code with *args and **kwargs. `inspect` has names for them, and takes long to import.
VARIABLE, VARIABLE_KEYWORDS = 0x04, 0x08


def add_rules(
    op: Op,
    joint: tuple[Callable[..., Any], ...],
    rules: dict[str, Callable[..., Any]],
    fast: Callable[..., Any] | dict[str, Callable[..., Any]] | None,
) -> Any:
    """Differentiate an op: ``mul.gradient(x=lambda dy, y: dy * y, ...)``, or ``mul.gradient(joint_rule)``.

    ``fast`` gives a rule a fast form: ``op.gradient(joint_rule, fast=form)``, or
    ``op.gradient(x=rule, fast={"x": form})``. A fast form takes ``xp`` and then what the rule takes, with
    NumPy's arrays for tensors. It returns arrays where the rule returns tensors, or None to leave the call
    to the rule. The walk calls it only while no tape records the walk, so it needs no gradient of its own.
    """
    if joint and (rules or len(joint) > 1):
        raise TypeError(f"{op.type}: give one joint rule, or one rule per input, not both")
    table, forms = {}, {}
    for rule in joint:
        table[-1] = (rule, read_asks(op, rule))
        if fast is not None:
            forms[-1] = fast_form(op, rule, fast)
    for input_name, rule in rules.items():
        if input_name not in op.inputs:
            raise TypeError(f"{op.type} has no input {input_name!r}; its inputs are {op.inputs}")
        if rule.__name__ == "<lambda>":
            rule = named(rule, f"{op.__name__}.gradient({input_name})")
        index = op.inputs.index(input_name)
        table[index] = (rule, read_asks(op, rule))
        if fast is not None and not callable(fast) and input_name in fast:
            forms[index] = fast_form(op, rule, fast[input_name])
    if fast is not None and len(forms) != (1 if callable(fast) else len(fast)):
        raise TypeError(
            f"{op.type}: a fast form stands beside its rule, "
            f"fast=form beside a joint rule and fast={{'x': form}} beside x=rule"
        )
    op.set_rules(table, forms)
    return joint[0] if joint else op


def add_shape_rule(op: Op, rule: Callable[..., Any] | None) -> None:
    """Let ``op`` say by ``rule`` which shapes and dtypes its results have.

    Raises:
        TypeError: a parameter of the rule is no input and no attribute of the op.
    """
    assert rule is not None, "an op without a kernel is elementwise"
    code = rule.__code__
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    for name in names:
        if name not in ("xp", *op.inputs, *op.attributes):
            raise TypeError(
                f"a shape rule of {op.type} asks for {name!r}, which is neither an input "
                f"{op.inputs} nor an attribute {op.attributes}"
            )
    takes_inputs = bool(code.co_flags & VARIABLE)
    takes_all = bool(code.co_flags & VARIABLE_KEYWORDS)
    op.shape_rule = rule, names, takes_inputs, takes_all


def named(rule: Callable[..., Any], name: str) -> Callable[..., Any]:
    """A lambda as a function with a name, for tracebacks and profiles."""
    code = rule.__code__.replace(co_name=name, co_qualname=name)
    function = FunctionType(code, rule.__globals__, name, rule.__defaults__, rule.__closure__)
    function.__kwdefaults__ = rule.__kwdefaults__
    return function


def pointwise(form: Callable[..., Any]) -> Callable[..., Any]:
    """``form``, a fast form of elementwise functions of its arguments, marked to run as a program.

    A program passes over memory once, and threads share it.
    """
    form.__dict__["pointwise"] = True
    return form


def takes_halves(form: Callable[..., Any]) -> Callable[..., Any]:
    """``form``, a fast form of an op that accumulates in float32, marked to get bfloat16 as it is.

    It computes in float32 and rounds once, as the core does for others: those get all halves widened.
    """
    form.__dict__["takes_halves"] = True
    return form


def adding(form: Callable[..., Any], add: Callable[..., bool]) -> Callable[..., Any]:
    """``form``, a fast form for one input, with ``add``, which adds what it gives to a gradient in place.

    ``add`` takes the array of that gradient and then what the rule takes. Where it does not suit, it does
    nothing and answers False. One pass over memory thus does the work of two.
    """
    form.__dict__["add"] = add
    return form


def fast_form(op: Op, rule: Callable[..., Any], form: Any) -> Callable[..., Any]:
    """``form`` with ``xp`` bound, so that it takes the same arguments as ``rule``."""
    expected, taken = parameters(rule), parameters(form)[1:] if callable(form) else None
    if taken != expected:
        raise TypeError(
            f"{op.type}: a fast form takes xp and then what its rule takes, {expected}, not {taken}"
        )
    add = getattr(form, "add", None)
    if add is not None and parameters(add)[1:] != expected:
        raise TypeError(
            f"{op.type}: what adds to a gradient takes that and then what the rule takes, {expected}, "
            f"not {parameters(add)[1:]}"
        )
    return functools.partial(form, xp)


def parameters(function: Callable[..., Any]) -> tuple[str, ...]:
    return function.__code__.co_varnames[: function.__code__.co_argcount]


def read_asks(op: Op, rule: Callable[..., Any]) -> tuple[tuple[int, int], ...]:
    """What each parameter of a rule asks for, as pairs (ASKS[...], index)."""
    return tuple(read_ask(op, name) for name in parameters(rule))


def read_ask(op: Op, name: str) -> tuple[int, int]:
    several = op.outputs is not None or op.list_output
    if name in ("dy", "needs") or (name == "arrived" and several):
        return ASKS[name], 0
    if name in op.inputs:
        return ASKS["input"], op.inputs.index(name)
    if name == "out":
        return ASKS["outputs" if several else "output"], 0
    if name == "out_shape" and not several:
        return ASKS["output_shape"], 0
    if op.outputs is not None and name in op.outputs:
        return ASKS["output"], op.outputs.index(name)
    if name in op.attributes:
        return ASKS["attribute"], op.attributes.index(name)
    for suffix, kind in (("_shape", "input_shape"), ("_dtype", "input_dtype")):
        if name.endswith(suffix) and name.removesuffix(suffix) in op.inputs:
            return ASKS[kind], op.inputs.index(name.removesuffix(suffix))
    raise TypeError(
        f"a rule of {op.type} asks for {name!r}, which is neither dy, needs, arrived, out, "
        f"an input {op.inputs}, an output {op.outputs or ()}, an attribute {op.attributes}, "
        "nor an input's _shape or _dtype"
    )
