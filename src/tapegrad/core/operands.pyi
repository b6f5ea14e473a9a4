"""Types of the compiled module `tapegrad.core.operands`."""

from typing import Any

from tapegrad.core.tensor import EagerTensor
from tapegrad.dtypes import DType

def convert(value: Any, dtype: DType | None = None) -> EagerTensor: ...
def cached_numbers() -> list[EagerTensor]: ...
