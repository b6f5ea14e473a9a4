"""Kernels and rules of elementwise ops as programs. The tracer's stand-ins are a kind of array."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tapegrad import dtypes
from tapegrad.core.dispatch import Op
from tapegrad.core.kinds import Kind, register_kind
from tapegrad.core.observers import apart
from tapegrad.core.tensor import EagerTensor
from tapegrad.dtypes import DType
from tapegrad.engines.numpy import tracing
from tapegrad.engines.numpy.programs import Program
from tapegrad.engines.numpy.tracing import CannotTrace, Traced

HALVES = (dtypes.float16, dtypes.bfloat16)


class StandIns(Kind):
    """A stand-in knows its dtype; an op on it becomes steps of the program."""

    def apply(self, op: Op, arrays: list[Any], attributes: tuple[Any, ...]) -> Any:
        if op.kernel is None:
            return getattr(tracing.namespace, str(op.ufunc_name))(*arrays)
        if op.accumulate is not None and any(
            dtypes.from_numpy(array.dtype) in HALVES for array in arrays
        ):
            raise CannotTrace("halves, of an op that never sees them")
        return op.kernel(
            tracing.namespace, *arrays, **dict(zip(op.attributes, attributes, strict=True))
        )

    def shape(self, array: Traced) -> tuple[int, ...]:
        raise CannotTrace("a decision that depends on a shape")

    def dtype(self, array: Traced) -> DType:
        return dtypes.from_numpy(array.dtype)

    def full(self, shape: tuple[int, ...], dtype: DType, value: Any) -> Any:
        raise CannotTrace("a walk over a tape inside the function")


register_kind(Traced, StandIns())


def trace_kernel(kernel: Callable[..., Any], types: list[np.dtype[Any]]) -> Program | None:
    """A kernel of elementwise functions as a program for arrays of those dtypes; None if it cannot be one."""
    with apart(tries=True):
        return tracing.trace(lambda *arrays: kernel(tracing.namespace, *arrays), types)


def trace_rule(rule: Callable[..., Any], types: list[np.dtype[Any]]) -> Program | None:
    """A rule as a program for arrays of those dtypes; None if it cannot be one. It takes tensors alone."""
    with apart(tries=True):
        return tracing.trace(lambda *arrays: rule(*map(EagerTensor, arrays))._array, types)
