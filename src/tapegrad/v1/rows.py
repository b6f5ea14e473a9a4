"""How `functions` writes down a function of TensorFlow 1.x: its arguments, and whose arguments they become.

    "argmax": ("argmax", "input axis=None name=None dimension=>axis output_type=tf.int64")
    "nn.crelu": ("nn.crelu", "features name=None axis=-1")
    "assert_rank": ("assert_rank", "x rank data->_=None summarize->_=None message=None name=None")

First stands the path of today's function, which does the work; then what the older function takes, in
TensorFlow's order and with its defaults. An argument goes to the parameter of its own name, or to the one
after the arrow; after "->_" it goes nowhere. "=>" marks another word for the same argument: only one of the
two may be used. What is None is left out, so that today's default holds.
"""

from __future__ import annotations

from collections.abc import Callable
from inspect import Parameter, Signature
from operator import attrgetter
from typing import Any

import tapegrad
from tapegrad.ops.raw.rows import UNUSED, value_of


def function(name: str, path: str, takes: str) -> Callable[..., Any]:
    """The function ``name`` of TensorFlow 1.x, which calls ``tf.path`` with its arguments."""
    parameters, targets = read(takes)
    signature = Signature(parameters)

    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            bound = signature.bind(*args, **kwargs)
        except TypeError as error:
            raise TypeError(f"{name}() {error}") from None
        bound.apply_defaults()
        arguments: dict[str, Any] = {}
        words: dict[str, str] = {}
        for word, value in bound.arguments.items():
            target = targets[word]
            if value is None or target == UNUSED:
                continue
            if target in arguments:
                raise ValueError(f"Cannot specify both '{word}' and '{words[target]}'.")
            arguments[target], words[target] = value, word
        today: Callable[..., Any] = attrgetter(path)(tapegrad)
        return today(**arguments)

    call.__name__ = call.__qualname__ = name
    vars(call)["__signature__"] = signature
    call.__doc__ = f"``tf.{path}``, by the arguments of TensorFlow 1.x."
    return call


def read(takes: str) -> tuple[list[Parameter], dict[str, str]]:
    """The parameters, and what each of them becomes."""
    parameters, targets = [], {}
    for text in takes.split():
        word, is_other_word, target = text.partition("=>")
        default: Any = None
        if not is_other_word:
            word, has_default, default_text = text.partition("=")
            word, _, target = word.partition("->")
            default = value_of(default_text) if has_default else Parameter.empty
        targets[word] = target or word
        parameters.append(Parameter(word, Parameter.POSITIONAL_OR_KEYWORD, default=default))
    return parameters, targets
