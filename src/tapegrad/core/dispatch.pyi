"""Types of the compiled module `tapegrad.core.dispatch`."""

import builtins
from collections.abc import Callable, Mapping
from typing import Any

from tapegrad.core.function import Function
from tapegrad.core.tensor import EagerTensor
from tapegrad.dtypes import DType
from tapegrad.engines.numpy.lanes import Lane

registry: dict[str, Op]

class Op(Function):
    namespace: dict[str, Any]
    doc: str | None
    raw: tuple[str, ...]
    files: dict[str, str | None]
    moves: tuple[str, ...]
    check_numerics: bool | Mapping[str, str]
    dispatched: str
    formula: Callable[..., Any] | None
    divides: bool
    first_decides: bool
    keeps_slices: int
    add_part: Callable[..., bool] | None
    kernel: Callable[..., Any] | None
    result: Callable[..., Any] | None
    overrides: dict[builtins.type, Callable[..., Any]]
    @property
    def type(self) -> str: ...
    @property
    def inputs(self) -> tuple[str, ...]: ...
    @property
    def attributes(self) -> tuple[str, ...]: ...
    @property
    def outputs(self) -> tuple[str, ...] | None: ...
    @property
    def rules(self) -> dict[int, tuple[Callable[..., Any], tuple[tuple[int, int], ...]]]: ...
    @property
    def fast_forms(self) -> dict[int, Callable[..., Any]]: ...
    @property
    def effect(self) -> str | None: ...
    @property
    def accumulate(self) -> str | dict[str, str] | None: ...
    @property
    def list_input(self) -> bool: ...
    @property
    def list_output(self) -> bool: ...
    @property
    def broadcasts(self) -> bool: ...
    @property
    def holomorphic(self) -> bool: ...
    @property
    def elementwise(self) -> bool: ...
    @property
    def linear(self) -> tuple[tuple[int, ...], ...]: ...
    @property
    def multilinear(self) -> bool: ...
    @property
    def values(self) -> str | None: ...
    @property
    def ufunc_name(self) -> str | None: ...
    batch_rule: Any
    def batching(self, rule: Any) -> Any: ...
    shape_rule: tuple[Callable[..., Any], tuple[str, ...], bool, bool] | None
    def shape(self, rule: Callable[..., Any] | None) -> Any: ...
    @property
    def types(self) -> frozenset[DType] | None: ...
    @property
    def input_types(self) -> tuple[frozenset[DType] | None, ...] | None: ...
    @property
    def parameter_defaults(self) -> tuple[Any, ...]: ...
    @property
    def differentiable(self) -> str: ...
    def __init__(
        self,
        type: str,
        inputs: tuple[str, ...],
        attributes: tuple[str, ...],
        defaults: tuple[Any, ...],
        converters: tuple[Callable[[Any], Any] | None, ...],
        *,
        kernel: Callable[..., Any] | None = None,
        ufunc_name: str | None = None,
        outputs: tuple[str, ...] | None = None,
        list_input: bool = False,
        list_output: bool = False,
        broadcasts: bool = False,
        holomorphic: bool = True,
        types: frozenset[DType] | None = None,
        own_types: tuple[frozenset[DType] | None, ...] | None = None,
        result: Callable[..., Any] | None = None,
        pointwise: bool = False,
        lane: Lane | None = None,
        effect: str | None = None,
        accumulate: str | dict[str, str] | None = None,
        elementwise: bool = False,
        linear: tuple[tuple[int, ...], ...] = (),
        multilinear: bool = False,
        values: str | None = None,
    ) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...
    def run(self, arrays: list[Any], attributes: tuple[Any, ...]) -> Any: ...
    def apply(self, tensors: list[Any], attributes: tuple[Any, ...]) -> Any: ...
    def gradient(
        self, *joint: Callable[..., Any], fast: Any = None, **rules: Callable[..., Any]
    ) -> Any: ...
    def no_gradient(self, *, constant: bool = False) -> Op: ...
    def set_rules(
        self,
        rules: dict[int, tuple[Callable[..., Any], tuple[tuple[int, int], ...]]],
        fast_forms: dict[int, Callable[..., Any]] = ...,
    ) -> None: ...
    def set_registered(self, function: Callable[..., Any] | None) -> None: ...
    def forget_plans(self) -> None: ...

def forget_unloaded() -> None: ...
def load_ops() -> None: ...
def op_by_name(type: str) -> Op: ...
def register_gradient(op_type: str, function: Callable[..., Any] | None) -> None: ...
