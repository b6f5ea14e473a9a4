"""Types of the compiled module `tapegrad.core.operands`."""

from typing import Any

import numpy as np

from tapegrad.core.tensor import EagerTensor
from tapegrad.dtypes import DType

def convert(value: Any, dtype: DType | None = None) -> EagerTensor: ...
def cached_numbers() -> list[EagerTensor]: ...
def number_tensor(value: Any, dtype: DType | None) -> EagerTensor | None: ...
def plain_numbers(
    value: list[Any] | tuple[Any, ...], dtype: DType | None
) -> np.ndarray[Any, Any] | None: ...
