"""Descriptions of arguments that many functions have, and how they enter the docstrings of these.

The functions of `numpy_like` and of `tapegrad.annex.array_api` repeat a few arguments: what is computed with,
the axes of a reduction, the dtype of the result. Where an argument means something of its own, the docstring
itself describes it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from tapegrad.framework.docstrings import documented_arguments, entry

Described = TypeVar("Described", bound=Callable[..., Any])


def describes(**texts: str) -> Callable[[Described], Described]:
    """A decorator: the section Args gets these texts, of those arguments that the function has.

    An argument that the docstring describes itself keeps its description.
    """

    def describe(function: Described) -> Described:
        if function.__doc__ is None:  # Python leaves docstrings out: -OO
            return function
        from inspect import cleandoc

        text, _, own = cleandoc(function.__doc__).partition("\n\nArgs:\n")
        described = documented_arguments(function.__doc__)
        code = function.__code__
        names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        shared = [
            entry(name, texts[name]) for name in names if name in texts and name not in described
        ]
        function.__doc__ = "\n".join([text, "", "Args:", *shared, *([own] if own else [])])
        return function

    return describe


VALUE = "a tensor, or a value that `tf.experimental.numpy.asarray` makes one."
NUMBERS = (
    "a tensor, or a value that `tf.experimental.numpy.asarray` makes one. Integers and bools become "
    "float64, or float32 where `tf.experimental.numpy.experimental_enable_numpy_behavior` was told to "
    "prefer that."
)
PROMOTED = (
    "a tensor, or a value that becomes one. Both arguments are broadcast to one shape and cast to one "
    "dtype, that of `tf.experimental.numpy.result_type`."
)
TRUTH = "a tensor, or a value that becomes one. Elements are true unless they are 0."
KEEPDIMS = "whether the axes stay in the result, with size 1. None is False."
ALL_AXES = "the axis, or a list of axes, along which elements become one; None for all of them."
WIDENED = (
    "the dtype of the result, in which the numbers are added up or multiplied. None is int64 for bools and "
    "narrow integers, uint64 for narrow unsigned ones, and else the dtype of the elements."
)
ONE_AXIS = "the axis; None for all elements in a row."
DIAGONAL = "which diagonal: 0 is the main one, positive numbers are above it, negative ones below."
DEVICE = 'None, or a name of the one device, such as "cpu".'
