"""`tf.lite`: the interpreter of TensorFlow Lite's models, which the package ai-edge-litert has."""

from __future__ import annotations

import sys
from typing import Any, Self

from tapegrad.extras import imported
from tapegrad.framework.printed import Printed

PUBLIC = {"lite compat.v1.lite": "Interpreter"}

_MODULE = "ai_edge_litert.interpreter"


class _IsLiteRT(type):
    """The class of `Interpreter`, of which LiteRT's interpreters are instances."""

    def __instancecheck__(cls, instance: Any) -> bool:
        module: Any = sys.modules.get(_MODULE)
        return module is not None and isinstance(instance, module.Interpreter)


class Interpreter(Printed, metaclass=_IsLiteRT):
    """Runs a model of TensorFlow Lite: a call of the class makes an interpreter of LiteRT.

    >>> isinstance(tf.constant(1.0), tf.lite.Interpreter)
    False

    The extra ``tapegrad[lite]`` brings LiteRT. Its documentation says which arguments there are.

    Args:
        model_path: the model's file.
        model_content: the model itself, in bytes.

    Raises:
        ImportError: LiteRT is not installed.
    """

    def __new__(cls, *args: Any, **kwargs: Any) -> Self:
        module = imported("lite", _MODULE, "tf.lite.Interpreter()")
        interpreter: Self = module.Interpreter(*args, **kwargs)
        return interpreter
