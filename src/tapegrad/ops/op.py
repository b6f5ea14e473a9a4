"""How an op is defined: its kernel with `@op` or `elementwise`, its rules with `.gradient`.

The names of parameters matter: those of a kernel are the op's signature, and those of a rule say what a
record keeps. They are read once, when the module that defines the op is imported. A name in a rule that the
op does not have is an error then.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

import numpy as np

from tapegrad import core, dtypes, errors
from tapegrad.core import REQUIRED, EagerTensor, Op
from tapegrad.core.kinds import with_ints
from tapegrad.core.sizes import UnknownSize, hint_of
from tapegrad.dtypes import DType
from tapegrad.engines.numpy import kernels
from tapegrad.engines.numpy.lanes import Lane
from tapegrad.errors import refuse
from tapegrad.framework.convert import convert_to_tensor
from tapegrad.ops.args import BeyondInt64, static_bool, static_true
from tapegrad.ops.batching import by_shape

Types = Iterable[DType] | Mapping[str, Iterable[DType] | None] | None
Function = TypeVar("Function", bound=Callable[..., Any])
Accumulate = str | dict[str, str] | None

HALVES = frozenset({dtypes.float16, dtypes.bfloat16})
REAL_FLOATING = HALVES | {dtypes.float32, dtypes.float64}
COMPLEX = frozenset({dtypes.complex64, dtypes.complex128})
FLOATING = REAL_FLOATING | COMPLEX
SIGNED = frozenset({dtypes.int8, dtypes.int16, dtypes.int32, dtypes.int64})
UNSIGNED = frozenset({dtypes.uint8, dtypes.uint16, dtypes.uint32, dtypes.uint64})
INTEGERS = SIGNED | UNSIGNED
REAL = INTEGERS | REAL_FLOATING
NUMERIC = INTEGERS | FLOATING
BOOL = frozenset({dtypes.bool})
STRING = frozenset({dtypes.string})
QUANTIZED = dtypes.QUANTIZED_DTYPES
INDEX = frozenset({dtypes.int32, dtypes.int64})
ANY = None
"""No restriction on the shared dtype. For an input with a dtype of its own: any dtype of EVERY."""
EVERY = NUMERIC | BOOL | STRING | QUANTIZED

HAS_VARARGS = 0x04


def op(
    type: str,
    *,
    dtypes: Types = ANY,
    convert: Mapping[str, Callable[[Any], Any]] | None = None,
    outputs: Any = None,
    result: Callable[..., Any] | None = None,
    raw: tuple[str, ...] | None = None,
    holomorphic: bool = True,
    broadcasts: bool = False,
    lane: Lane | None = None,
    effect: str | None = None,
    accumulate: Accumulate = None,
    linear: str | tuple[str, ...] = (),
    elementwise: bool = False,
    files: Mapping[str, str | None] | None = None,
    moves: str = "",
    values: str | None = None,
    check_numerics: bool | Mapping[str, str] = True,
    dispatched: str | None = None,
) -> Callable[[Callable[..., Any]], Op]:
    """A decorator that makes an op of a kernel, ``(xp, *arrays, **attributes)``.

    Args:
        type: TensorFlow's name for the op, in the registry and in messages.
        dtypes: the dtypes that inputs may have. A set is for the one dtype that all inputs share. A dict
            gives each input that it names dtypes of its own (None: any); under ``"T"`` it has the shared
            dtype of the other inputs.
        convert: functions that turn what users pass for an attribute into what the kernel and the rules get.
        outputs: names of several results; Ellipsis for a list of any number; () for none.
        result: makes what the user gets from several results; a tuple if None.
        raw: names of inputs and attributes in `tf.raw_ops`, where they differ.
        holomorphic: whether rules that are written as for real numbers hold for complex numbers, if the core
            conjugates the gradient before and after the rule.
        broadcasts: whether the core sums gradients over the axes along which an input was broadcast.
        lane: a compiled way through the op for the common cases, from `engines.numpy.lanes`.
        effect: what the op does besides giving a result: "draws" (takes the next random numbers), "prints",
            "calls" (a user's function or the system, whose answer may differ each time), or "reads" or
            "writes" with the name of the attribute that holds the variable. None for a function of its
            arguments.
        accumulate: "float32" for a kernel that is to compute float16 and bfloat16 in single precision. The
            core then widens them before the kernel, and rounds back once each result that comes out as
            float32. A dict names those results that are rounded, where others are float32 in their own right:
            ``{"y": "float32"}``. None for a kernel that computes in halves.
        linear: the inputs in which the op is linear while the others are constant: ``"x"``;
            ``("a", "b")`` for an op that is linear in each of two inputs, as a product is; ``"x y"`` for
            one that is linear in two inputs together, as a sum is. The name of a list of tensors means
            all of them together; with a star before it, ``"*inputs"``, each of them separately.
            Linear means over the real numbers: `tf.math.conj` is.
        elementwise: whether each element of the result depends on those elements of the inputs alone that
            are at its place, as in the ops that `elementwise` makes.
        files: the inputs and attributes that are names of files, which the op "reads" or "writes"; None for
            one that is none, in spite of its name.
        moves: the inputs whose elements the results consist of: the op only moves elements.
        values: what the values of the inputs decide, where dtypes, shapes and attributes are given.
            "nothing": the results follow from these alone. "elements": the elements of the results.
            "errors": also whether the op raises; "integer errors": as "errors" for integers, else as
            "elements". "shapes": also the shapes of the results. Recordings drop, join and reorder what
            cannot raise, and check shapes that may change. By default "elements" where that follows (the op
            is elementwise, or linear in all inputs, or has none), else anything.
        check_numerics: whether `tf.debugging.enable_check_numerics` looks at the results. A dict says why
            one that is not finite came about, and what to write instead: under "NaN", "+Inf" and "-Inf" of
            a result, and under "gradient" of the gradient.
        dispatched: "unary" or "binary" for an op that programs can replace for their own types by
            `tf.experimental.dispatch_for_unary_elementwise_apis` and its like; "no" for another. By default
            an elementwise op is one or the other by its inputs: TensorFlow leaves few out.
    """

    def make(kernel: Callable[..., Any]) -> Op:
        code = kernel.__code__
        inputs = code.co_varnames[1 : code.co_argcount]
        attributes = code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]
        list_input = bool(code.co_flags & HAS_VARARGS)
        if list_input:
            inputs += (code.co_varnames[code.co_argcount + code.co_kwonlyargcount],)
        defaults = kernel.__kwdefaults__ or {}
        new_op = Op(
            type,
            inputs,
            attributes,
            tuple(defaults.get(name, REQUIRED) for name in attributes),
            tuple(converter_of(name, convert or {}, defaults) for name in attributes),
            kernel=kernel,
            outputs=None if outputs is ... else outputs,
            list_input=list_input,
            list_output=outputs is ...,
            broadcasts=broadcasts,
            holomorphic=holomorphic,
            types=shared_types(dtypes),
            own_types=own_types(dtypes, inputs),
            result=nothing if outputs == () else result,
            lane=lane,
            effect=effect,
            accumulate=accumulate,
            linear=linear_groups(type, linear, inputs),
            multilinear=isinstance(linear, str) and linear.startswith("*"),
            elementwise=elementwise,
            values=values,
        )
        publish(new_op, kernel.__name__, kernel.__globals__, kernel.__doc__, raw)
        new_op.check_numerics, new_op.dispatched = check_numerics, dispatched_as(new_op, dispatched)
        new_op.files, new_op.moves = dict(files or {}), tuple(moves.split())
        if values == "nothing":
            new_op.batching(by_shape)
        unknown = {*new_op.files, *new_op.moves} - {*inputs, *attributes}
        if unknown:
            raise TypeError(f"{type}: files= and moves= name {sorted(unknown)}")
        return new_op

    return make


def converter_of(name: str, convert: Mapping[str, Any], defaults: Mapping[str, Any]) -> Any:
    """What converts the attribute ``name``; None for nothing."""
    converter = convert.get(name)
    return static_true if converter is static_bool and defaults.get(name) is True else converter


def linear_groups(
    type: str, linear: str | tuple[str, ...], inputs: tuple[str, ...]
) -> tuple[tuple[int, ...], ...]:
    """The groups of inputs, as numbers: an op is linear in each group."""
    groups = [
        group.removeprefix("*").split()
        for group in ((linear,) if isinstance(linear, str) else linear)
    ]
    unknown = {name for group in groups for name in group} - set(inputs)
    if unknown:
        raise TypeError(f"{type}: linear= names {sorted(unknown)}; the inputs are {inputs}")
    return tuple(tuple(inputs.index(name) for name in group) for group in groups)


def nothing() -> None:
    """The result of an op without results: None."""


def elementwise(
    type: str,
    kernel: str | Callable[..., Any],
    *,
    name: str | None = None,
    inputs: tuple[str, ...] | None = None,
    dtypes: Types = ANY,
    raw: tuple[str, ...] | None = None,
    holomorphic: bool = True,
    doc: str | None = None,
    accumulate: Accumulate = None,
    linear: str | tuple[str, ...] = (),
    lane: Lane | None = None,
    values: str | None = None,
    check_numerics: bool | Mapping[str, str] = True,
    dispatched: str | None = None,
) -> Op:
    """An elementwise op, whose inputs are broadcast against each other.

    Args:
        type: TensorFlow's name for the op.
        kernel: the name of a ufunc in the array namespace, or a function ``(xp, *arrays)``.
        name: what users call it; the kernel's own name unless given.
        inputs: names of the inputs: by default those of the function, or x and y.
        dtypes, raw, holomorphic, accumulate, linear, lane, values, check_numerics, dispatched: as in `op`. A
            ufunc always accumulates in float32 where it has no loop for halves.
        doc: the docstring.
    """
    if callable(kernel):
        code = kernel.__code__
        names = inputs or code.co_varnames[1 : code.co_argcount]
        function, ufunc_name = kernel, None
    else:
        names = inputs or ("x", "y")[: arity(kernel)]
        function, ufunc_name = None, kernel
    new_op = Op(
        type,
        names,
        (),
        (),
        (),
        kernel=function,
        ufunc_name=ufunc_name,
        broadcasts=len(names) > 1,
        holomorphic=holomorphic,
        types=shared_types(dtypes),
        own_types=own_types(dtypes, names),
        pointwise=function is not None,
        accumulate=accumulate if ufunc_name is None else "float32",
        linear=linear_groups(type, linear, names),
        lane=lane,
        elementwise=True,
        values=values,
    )
    publish(new_op, name or ufunc_name or type, sys._getframe(1).f_globals, doc, raw)
    new_op.check_numerics, new_op.dispatched = check_numerics, dispatched_as(new_op, dispatched)
    return new_op


def dispatched_as(operation: Op, requested: str | None) -> str:
    """The kind of elementwise API under which programs may replace the op: "unary", "binary" or "no"."""
    if requested is not None or not operation.elementwise:
        return requested or "no"
    return {1: "unary", 2: "binary"}.get(len(operation.inputs), "no")


def arity(ufunc_name: str) -> int:
    """How many arguments the ufunc takes. It is 1 for ufuncs of modules that are loaded later."""
    for module in (kernels, np):
        ufunc = getattr(module, ufunc_name, None)
        if ufunc is not None:
            return int(ufunc.nin)
    return 1


def shared_types(types: Types) -> frozenset[DType] | None:
    """The dtypes that the inputs' shared dtype may be; None for any."""
    if isinstance(types, Mapping):
        types = types.get("T")
    return None if types is None else frozenset(types)


def own_types(types: Types, inputs: tuple[str, ...]) -> tuple[frozenset[DType] | None, ...] | None:
    """For each input its own dtypes, or None if it shares its dtype; None if all inputs do."""
    if not isinstance(types, Mapping) or not set(types) - {"T"}:
        return None
    unknown = set(types) - {"T", *inputs}
    if unknown:
        raise TypeError(f"dtypes= names {sorted(unknown)}; the inputs are {inputs}")
    return tuple(
        None
        if name not in types
        else EVERY
        if types[name] is None
        else frozenset(types[name] or ())
        for name in inputs
    )


def publish(
    operation: Op,
    name: str,
    namespace: dict[str, Any],
    doc: str | None,
    raw: tuple[str, ...] | None,
) -> Op:
    """Enter the op into the registry and give it what functions have.

    ``namespace`` holds the globals of the module that defines it.
    """
    operation.__name__ = operation.__qualname__ = name
    operation.__module__ = namespace["__name__"]
    operation.doc = doc
    operation.namespace = namespace
    operation.raw = raw or operation.inputs + operation.attributes
    operation.files, operation.moves = {}, ()
    operation.formula, operation.divides = None, False
    operation.shape_rule = None
    known = core.registry.get(operation.type)
    # The same module with other globals: it is imported again, after an import that was interrupted.
    imported_again = (
        known is not None
        and known.__module__ == operation.__module__
        and known.namespace is not namespace
    )
    if known is not None and not imported_again:
        raise ValueError(f"there already is an op of type {operation.type!r}: {known!r}")
    core.registry[operation.type] = operation
    return operation


def says(**traits: Any) -> Callable[[Function], Function]:
    """A decorator that says of a public function, made of ops, what an op says of itself.

    Args:
        values: as in `op`.
        dispatched: as in `op`; also "assertion", about two tensors.
        calls_functions: whether it calls functions that it is given. These may use tensors from outside.
    """

    def mark(function: Function) -> Function:
        vars(function).update(traits)
        return function

    return mark


def signature(operation: Op) -> Any:
    """The signature of an op for `inspect.signature`, in TensorFlow's form."""
    from inspect import Parameter, Signature

    kind = Parameter.POSITIONAL_OR_KEYWORD
    parameters = [Parameter(name, kind) for name in operation.inputs]
    for name, default in zip(operation.attributes, operation.parameter_defaults, strict=True):
        parameters.append(
            Parameter(name, kind, default=Parameter.empty if default is REQUIRED else default)
        )
    parameters.append(Parameter("name", kind, default=None))
    return Signature(parameters)


# --- What help() shows ------------------------------------------------------------------------------------

FAMILIES = {
    NUMERIC: "numbers",
    REAL: "real numbers",
    FLOATING: "floating point or complex numbers",
    REAL_FLOATING: "floating point numbers",
    INTEGERS: "integers",
    COMPLEX: "complex numbers",
    BOOL: "booleans",
    STRING: "strings",
}


def document(operation: Op) -> str:
    """An op's docstring. Where it lacks Args or Returns, these are made from the op's definition."""
    from inspect import cleandoc

    text = cleandoc(operation.doc or f"TensorFlow's op {operation.type}.")
    before, heading, after = text.partition("\n\nRaises:")
    sections = [before]
    if "Args:\n" not in text:
        sections.append(
            "Args:\n" + "".join(f"    {line}\n" for line in describe_arguments(operation))
        )
    if "Returns:\n" not in text:
        sections.append(f"Returns:\n    {describe_result(operation)}")
    return "\n\n".join(section.rstrip() for section in sections) + heading + after


def describe_arguments(operation: Op) -> list[str]:
    lines = []
    shared: str | None = None
    for i, name in enumerate(operation.inputs):
        own = None if operation.input_types is None else operation.input_types[i]
        kind = describe_types(operation.types if own is None else own)
        what = (
            "a list of tensors"
            if operation.list_input and i == len(operation.inputs) - 1
            else "a tensor"
        )
        if own is None and shared is not None:
            lines.append(f"{name}: {what} of the dtype of ``{shared}``.")
        else:
            lines.append(f"{name}: {what}{kind}.")
        if own is None and shared is None:
            shared = name
    for name, default in zip(operation.attributes, operation.parameter_defaults, strict=True):
        lines.append(
            f"{name}: {'required' if default is REQUIRED else f'{default!r} if left out'}."
        )
    return [*lines, "name: accepted, and of no effect."]


def describe_types(types: frozenset[DType] | None) -> str:
    if types is None or types == EVERY:
        return ""
    ordered = sorted(types, key=lambda dtype: int(dtype.as_datatype_enum))
    return f" of {FAMILIES.get(types) or ' or '.join(dtype.name for dtype in ordered)}"


def describe_result(operation: Op) -> str:
    if operation.list_output:
        return "A list of tensors."
    if operation.outputs == ():
        return "Nothing."
    if operation.outputs is not None:
        kind = "named tuple" if isinstance(operation.result, type) else "tuple"
        return f"A {kind} of tensors: {', '.join(operation.outputs)}."
    if operation.broadcasts:
        return f"A tensor of the shape that {' and '.join(operation.inputs)} broadcast to."
    return "A tensor."


# --- Errors that the core raises through this module ----------------------------------------------------

TYPE_NAMES = {"float16": "half", "float32": "float", "float64": "double"}


def type_name(dtype: DType) -> str:
    """The name of a dtype in C++, which TensorFlow's messages use."""
    return TYPE_NAMES.get(dtype.name, dtype.name)


def refuse_type(operation: Op, index: int, dtype: DType, allowed: Iterable[DType]) -> None:
    """Raise an error that says: the op does not take this dtype for its input ``index``."""
    name = operation.inputs[min(index, len(operation.inputs) - 1)]
    ordered = sorted(allowed, key=lambda allowed_type: int(allowed_type.as_datatype_enum))
    refuse(
        f"{operation.type} does not take {dtype.name} for {name!r}; "
        f"it takes {', '.join(allowed_type.name for allowed_type in ordered)}. "
        "Use tf.cast to convert it.",
        op=operation.type,
    )


def refuse_mismatch(operation: Op, index: int, expected: DType, dtype: DType) -> None:
    """Raise an error that says: two inputs that must share a dtype have different ones."""
    refuse(
        f"cannot compute {operation.type} as input #{index}(zero-based) was expected "
        f"to be a {type_name(expected)} tensor but is a {type_name(dtype)} tensor "
        f"[Op:{operation.type}]: dtypes are never mixed silently, so tf.cast one of them."
    )


def explain(operation: Op, tensors: list[EagerTensor], error: Exception) -> None:
    """Raise the error that users see for `error`, which a kernel raised. Return if `error` itself is good."""
    if operation.effect in ("calls", "prints"):
        return  # a user's function or stream raised the error
    name = operation.__name__.removesuffix("_op")  # tf.pad, for one, calls pad_op
    if isinstance(error, MemoryError):
        refuse(
            f"{name} needs more memory than there is: {error}",
            op=operation.type,
            error=errors.ResourceExhaustedError,
        )
    for index, tensor in enumerate(tensors):
        if tensor.dtype.is_quantized and not _names_type(operation, index, tensor.dtype):
            refuse_type(operation, index, tensor.dtype, (operation.types or EVERY) - QUANTIZED)
    if isinstance(
        error,
        TypeError
        | NotImplementedError
        | AttributeError
        | KeyError
        | ImportError
        | BeyondInt64
        | UnknownSize,
    ):
        return
    if isinstance(error, OverflowError):
        raise BeyondInt64(
            f"{name} got an index, a size or an axis that is out of the range of int64: "
            f"{error} [Op:{operation.type}]"
        ) from None
    # Sizes that are open in a recording are shown as the ints of this call.
    shapes = [list(with_ints(tensor._shape_tuple(), hint_of)) for tensor in tensors]
    if operation.broadcasts and not broadcastable(shapes):
        refuse(
            f"Incompatible shapes: {' vs. '.join(map(str, shapes))}. "
            f"{name} broadcasts its arguments against each other, so lengths must match, "
            "or be 1, from the last axis on.",
            op=operation.type,
        )
    inputs = ", ".join(
        f"{shape} {tensor.dtype.name}" for shape, tensor in zip(shapes[:4], tensors, strict=False)
    )
    more = ", ..." if len(tensors) > 4 else ""
    refuse(f"{name} of {inputs}{more}: {error}", op=operation.type)


def _names_type(operation: Op, index: int, dtype: DType) -> bool:
    """Whether the definition of the op lists this dtype for its input ``index``."""
    if operation.input_types is None or index >= len(operation.input_types):
        return False
    allowed = operation.input_types[index]
    return allowed is not None and allowed is not EVERY and dtype in allowed


def broadcastable(shapes: list[list[int]]) -> bool:
    try:
        np.broadcast_shapes(*map(tuple, shapes))
    except (ValueError, RuntimeError):  # the latter beyond NumPy's 32 axes
        return False
    return True


# --- Conversions, which the core calls --------------------------------------------------------------


def convert_operand(operation: Any, value: Any, dtype: DType) -> EagerTensor:
    """``value`` as a tensor of `dtype`, the dtype of the other tensor. A value that does not suit raises.

    As in TensorFlow there are two exceptions, where the value keeps a dtype of its own. The addition of
    values that do not suit is then refused for its two dtypes. The operator ``*`` after a tensor of
    booleans means "and", and takes any number.
    """
    if dtype.is_bool and getattr(operation, "takes_any_number", False):
        return convert_to_tensor(value)
    try:
        return convert_to_tensor(value, dtype)
    except (TypeError, ValueError) as error:
        if not getattr(operation, "first_decides", False):
            error.args = (f"{operation.__name__.removesuffix('_op')}: {error}",)
            raise
        return convert_to_tensor(value)


def convert_own(operation: Op, index: int, value: Any) -> EagerTensor:
    """``value`` as a tensor for an input with a dtype of its own, or for the first that share one (-1)."""
    if index < 0:
        allowed = operation.types or EVERY
        if allowed != INDEX and len(allowed) > 1:
            return convert_to_tensor(value)
    else:
        assert operation.input_types is not None
        allowed = operation.input_types[index] or EVERY
    if len(allowed) == 1:
        return convert_to_tensor(value, next(iter(allowed)))
    tensor = convert_to_tensor(value)
    if (
        tensor.dtype not in allowed
        and isinstance(value, list | tuple)
        and 0 in tensor._shape_tuple()
    ):
        # An empty list has no elements that could decide its dtype.
        return convert_to_tensor(
            value, dtypes.int32 if dtypes.int32 in allowed else sorted(allowed, key=str)[0]
        )
    return tensor
