"""Printing, calls of Python and NumPy functions, grouping, and the time."""

from __future__ import annotations

import builtins
import functools
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import numpy as np

from tapegrad import core, dtypes, errors
from tapegrad.core import Batch, EagerTensor, NeedsItems, Operand, VariableBase, public
from tapegrad.core.batching import ItemByItem, batch_of, in_batch
from tapegrad.errors import refuse
from tapegrad.framework import calls, nest
from tapegrad.framework.file_errors import as_tf_errors
from tapegrad.framework.logging import get_logger
from tapegrad.framework.tensor import as_argument, to_numpy
from tapegrad.ops.args import static_int
from tapegrad.ops.op import op
from tapegrad.ops.reduce.batches import enter_batch, leave_batch
from tapegrad.ops.shape.creation import ones
from tapegrad.ops.shape.joining import stack_op, unstack_op
from tapegrad.ops.shape_rules import Abstract

PUBLIC = {
    ".": "tuple",
    ". compat.v1": "group no_op numpy_function print py_function timestamp",
}


Array = np.ndarray[Any, Any]

SUMMARIZE = 3
FILE_PREFIX = "file://"
STREAMS = ("stdout", "stderr")
# What programs pass for a message to `tf.get_logger()`: levels of `logging` and of absl,
# and functions of either library, by name.
LOGS: dict[str, Any] = {
    "log(info)": (20, 0, "info"),
    "log(warning)": (30, -1, "warning", "warn"),
    "log(error)": (40, -2, "error"),
}


class Shown(str):
    """The text of a tensor. In the printed form of a nest it appears without quotes."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


@public
def print(*inputs: Any, **kwargs: Any) -> None:
    """Print tensors by their values alone, and anything else as Python shows it.

    >>> tf.print("x:", tf.range(10), output_stream=sys.stdout)
    x: [0 1 2 ... 7 8 9]

    Args:
        *inputs: strings, tensors, nests of tensors, any objects.
        output_stream: `sys.stderr` (the default), `sys.stdout`, any other stream, or "file://" followed by
            the path of a file to append to; a level or a function of `logging` for a message to
            `tf.get_logger()`.
        summarize: how many elements to show at each end of an axis; 3 by default, -1 for all.
        sep, end: what to print between the inputs and after the last one.
        name: accepted and ignored.
    """
    stream = kwargs.pop("output_stream", sys.stderr)
    summarize = kwargs.pop("summarize", SUMMARIZE)
    separator = kwargs.pop("sep", " ")
    end = kwargs.pop("end", "\n")
    kwargs.pop("name", None)
    if kwargs:
        raise ValueError(f"Unrecognized keyword arguments for tf.print: {kwargs}")
    stream = _log_of(stream)
    if isinstance(stream, str):
        known = stream in LOGS or stream.startswith(FILE_PREFIX)
    else:
        known = hasattr(stream, "write")
    if not known:
        raise ValueError(
            f"Unsupported output stream {stream!r}: pass sys.stdout, sys.stderr, "
            f"another stream with a write method, logging.INFO, WARNING or ERROR, or '{FILE_PREFIX}' and "
            "the path of a file to append to."
        )
    if len(inputs) == 1 and is_text(inputs[0]):  # without quotes
        print_op.apply([core.convert(inputs[0])], (stream, end))
        return
    mark = "{}"
    tensors, template = template_of(inputs, separator, mark, summarize)
    # The user's text may contain the mark of a tensor's place. The mark is then made longer.
    while template.count(mark) != len(tensors):
        mark = f"<{mark}>"
        tensors, template = template_of(inputs, separator, mark, summarize)
    text = string_format.apply(tensors, (template, mark, summarize))
    print_op.apply([text], (stream, end))


def is_text(value: Any) -> bool:
    """Whether ``value`` is a tensor or variable that holds one string."""
    if not isinstance(value, (EagerTensor, VariableBase)):
        return False
    tensor = core.convert(value)
    return tensor.dtype is dtypes.string and not tensor.ndim


def _log_of(stream: Any) -> Any:
    """The name in `LOGS` of a level or a function of `logging`; any other stream itself."""
    if isinstance(stream, int):
        key: Any = stream
    elif callable(stream):
        key = getattr(stream, "__name__", None)
    else:
        return stream
    return next((name for name, keys in LOGS.items() if key in keys), stream)


def template_of(
    inputs: Sequence[Any], separator: str, mark: str, summarize: Any
) -> builtins.tuple[list[EagerTensor], str]:
    """The tensors in ``inputs``, and what `print` prints, with ``mark`` in the place of each tensor."""
    tensors: list[EagerTensor] = []

    def leaf(value: Any) -> Any:
        if isinstance(value, (EagerTensor, VariableBase)):
            tensors.append(core.convert(value))
            return Shown(mark)
        if hasattr(type(value), "_printed"):  # a ragged tensor
            return Shown(value._printed(static_int(summarize)))
        if hasattr(type(value), "_printed_parts"):  # a sparse tensor, in TensorFlow's quotes
            parts = value._printed_parts()
            tensors.extend(parts.values())
            fields = ", ".join([f"{name}={mark}" for name in parts])
            return Shown(f"'{type(value).__name__}({fields})'")
        return value

    texts = [
        value
        if isinstance(value, str)
        else repr(nest.map_structure(leaf, value) if nest.is_nested(value) else leaf(value))
        for value in inputs
    ]
    return tensors, separator.join(texts)


@op("StringFormat", convert={"summarize": static_int})
def string_format(xp, *inputs, template="%s", placeholder="%s", summarize=SUMMARIZE):
    """``template`` with the texts of the tensors in place of the ``placeholder``s, in order."""
    texts = [shown_array(array, summarize) for array in inputs]
    pieces = template.split(placeholder)
    if len(pieces) != len(texts) + 1:
        refuse(f"The template has {len(pieces) - 1} places for tensors; {len(texts)} tensors came.")
    parts = [pieces[0].encode("utf-8", "surrogatepass")]
    for text, piece in zip(texts, pieces[1:], strict=True):
        parts.append(text.encode("utf-8", "surrogateescape"))
        parts.append(piece.encode("utf-8", "surrogatepass"))
    return np.array(b"".join(parts), object)


string_format.shape(lambda: Abstract((), dtypes.string))
string_format.no_gradient()


_silent: ContextVar[bool] = ContextVar("silent", default=False)


@contextmanager
def running_on_stand_ins() -> Iterator[None]:
    """`tf.print` prints nothing in this thread, and no file is written: a function runs on stand-ins."""
    before = _silent.set(True)
    try:
        yield
    finally:
        _silent.reset(before)


def on_stand_ins() -> bool:
    """Whether this thread is inside `running_on_stand_ins`."""
    return _silent.get()


@op(
    "PrintV2",
    dtypes={"input": {dtypes.string}},
    outputs=(),
    effect="prints",
    files={"output_stream": "writes " + " ".join([*STREAMS, *LOGS])},
    values="elements",
)
def print_op(xp, input, *, output_stream="stderr", end="\n"):
    """Write to a stream: an object with a method ``write``, "file://" and a path, or a name for one."""
    if _silent.get():
        return ()
    content = input.item()
    stream = getattr(sys, output_stream) if output_stream in STREAMS else output_stream
    if isinstance(stream, str) and stream not in LOGS:
        path = stream.removeprefix(FILE_PREFIX)
        with as_tf_errors(path), open(path, "ab") as file:
            file.write(content + end.encode("utf-8", "surrogatepass"))
        return ()
    try:
        text = content.decode("utf-8", "surrogatepass") + end
    except UnicodeDecodeError:
        text = content.decode("utf-8", "backslashreplace") + end
    if output_stream in LOGS:
        get_logger().log(LOGS[output_stream][0], "%s", text.removesuffix("\n"))
    else:
        stream.write(text)
    return ()


print_op.no_gradient()


def shown_array(array: Array, summarize: int) -> str:
    if array.ndim == 0:
        return shown_element(array[()])
    return shown_rows(array, summarize, 1)


def shown_rows(array: Array, summarize: int, depth: int) -> str:
    edge = len(array) if summarize < 0 else summarize
    if len(array) > 2 * edge:
        parts = [*array[:edge], None, *array[len(array) - edge :]]
    else:
        parts = [*array]
    if array.ndim == 1:
        texts = ["..." if part is None else shown_element(part) for part in parts]
        return f"[{' '.join(texts)}]"
    texts = ["..." if part is None else shown_rows(part, summarize, depth + 1) for part in parts]
    between = "\n" * (array.ndim - 1) + " " * depth
    return f"[{between.join(texts)}]"


# How C writes the characters that it cannot write as they are.
ESCAPES = {code: f"\\{code:03o}" for code in [*range(32), 127]}
ESCAPES.update({ord(char): f"\\{char}" for char in "\"'\\"})
ESCAPES.update({ord("\n"): "\\n", ord("\r"): "\\r", ord("\t"): "\\t"})


def shown_element(element: Any, quoted: bool = True) -> str:
    if isinstance(element, bytes):
        if not quoted:
            return element.decode("utf-8", "backslashreplace")
        return f'"{element.decode("utf-8", "surrogateescape").translate(ESCAPES)}"'
    if isinstance(element, (bool, np.bool_)):
        return str(int(element))
    if isinstance(element, (np.integer, int)):
        return str(element)
    if isinstance(element, (complex, np.complexfloating)):
        return f"({shown_float(element.real, 6, 9)},{shown_float(element.imag, 6, 9)})"
    if isinstance(element, np.float64):
        return shown_float(element, 15, 17)
    return shown_float(np.float32(element), 6, 9)


def shown_float(number: Any, short: int, exact: int) -> str:
    """The number with ``short`` digits if these identify it, else with ``exact`` digits, which always do."""
    text = f"{float(number):.{short}g}"
    return (
        text
        if type(number)(float(text)) == number or number != number
        else f"{float(number):.{exact}g}"
    )


def decorator(call: Callable[..., Any], result_types: Any) -> Callable[..., Any]:
    """A decorator under which a function runs through ``call``."""

    def decorate(func: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(func)
        def called(*inp: Any) -> Any:
            return call(func, inp, result_types)

        return called

    return decorate


@public
def py_function(
    func: Callable[..., Any] | None = None, inp: Any = None, Tout: Any = None, name: Any = None
) -> Any:
    """The results of ``func(*inp)``, as tensors of the dtypes ``Tout``. Gradients flow through.

    >>> x = tf.constant(3.0)
    >>> tf.py_function(lambda x: x * x, [x], tf.float32)
    <tf.Tensor: shape=(), dtype=float32, numpy=9.0>

    ``func`` may return more results than ``Tout`` has dtypes: the rest is dropped. In `tf.vectorized_map`
    and in Jacobians it is called for one item after the other.

    Without ``func`` this is a decorator: ``@tf.py_function(Tout=tf.float32)``.

    Args:
        func: called with a tensor for each of ``inp``; it returns a tensor, or a list of tensors, or None.
        inp: a list of tensors.
        Tout: the dtype of the result, or a list of the dtypes of the results.
    """
    if func is None:
        return decorator(py_function, Tout)
    check_types("py_function", Tout)

    def call(tensors: list[EagerTensor]) -> Any:
        # Not called in a kernel, so that tapes see what ``func`` computes from these very tensors.
        attributes = (func, Tout, False)
        core.announce(call_op, attributes)
        with core.one_op():
            results = results_of_tensors(func, tensors, Tout)
        outputs = results if isinstance(results, list) else [results]
        core.report(call_op, tensors, outputs, attributes)
        return results

    return for_items(call_op, "tf.py_function", call, operands(inp))


@public
def numpy_function(
    func: Callable[..., Any] | None = None,
    inp: Any = None,
    Tout: Any = None,
    stateful: bool = True,
    name: Any = None,
) -> Any:
    """The results of ``func`` for the tensors ``inp`` as NumPy arrays. No gradient flows through.

    >>> tf.numpy_function(np.cumsum, [tf.constant([1.0, 2.0])], tf.float32)
    <tf.Tensor: shape=(2,), dtype=float32, numpy=array([1., 3.], dtype=float32)>

    Outside of `tf.function` and of functions of data sets ``Tout`` is not looked at: there are as many
    results, of such dtypes, as ``func`` gives. What is no tensor among ``inp`` becomes NumPy's array of it:
    0.1 is a float64, and None an object. Inside, it becomes a tensor, and results are compared with ``Tout``.
    In `tf.vectorized_map` and in Jacobians ``func`` is called for one item after the other.

    Without ``func`` this is a decorator: ``@tf.numpy_function(Tout=tf.float32)``.

    Args:
        func: called with an array for each of ``inp``; it returns one array or number, or a list of them.
        inp: a list of tensors.
        Tout: the dtype of the result, or a list of the dtypes of the results.
        stateful: of no effect: ``func`` runs whenever it is called.
    """
    if func is None:
        return decorator(numpy_function, Tout)
    check_types("numpy_function", Tout)
    values = list(() if inp is None else inp)
    tensors = operands(value for value in nest.flatten(values) if isinstance(value, Operand))
    strict = calls.current() is not None or batch_of(tensors) is not None
    if strict:
        tensors = operands(values)

    def call(tensors: list[EagerTensor]) -> Any:
        # Not called in a kernel, so that the user gets NumPy's warnings from ``func``.
        core.announce(call_with_arrays_op, (func, Tout))
        with core.no_recording(), core.one_op():
            if strict:
                arrays = [tensor.numpy() for tensor in tensors]
                results = results_of_arrays(func, arrays, Tout)
            else:
                results = results_as_given(func, [as_argument(value) for value in values])
        outputs = results if isinstance(results, list) else [results]
        outputs = [output for output in outputs if output is not None]
        core.note_departure("numpy_function", tensors, outputs)
        core.report(call_with_arrays_op, tensors, outputs, (func, Tout))
        return results

    return for_items(call_with_arrays_op, "tf.numpy_function", call, tensors)


def operands(inp: Any) -> list[EagerTensor]:
    return [core.convert(value) for value in (() if inp is None else inp)]


def check_types(name: str, wanted: Any) -> None:
    if wanted is None:
        raise TypeError(
            f"{name}() takes Tout, the dtypes of what the function returns. For a decorator, it is named: "
            f"@tf.{name}(Tout=tf.float32)."
        )


def for_items(
    op: core.Op, name: str, call: Callable[[list[EagerTensor]], Any], tensors: list[Any]
) -> Any:
    """What ``call`` gives for ``tensors``: of a batch, for one item after the other.

    It replaces ``op``, which users know as the function ``name``.
    """
    batch = batch_of(tensors)
    if batch is None:
        return call(tensors)
    with ItemByItem(op, name, batch):
        columns = [items_of(tensor, batch) for tensor in tensors]
        rows = [
            for_items(op, name, call, [column[i] for column in columns])
            for i in range(max(batch.size, 1))
        ]
        if isinstance(rows[0], list):
            return [stacked(op, list(column), batch) for column in zip(*rows, strict=True)]
        return stacked(op, rows, batch)


def items_of(tensor: EagerTensor, batch: Batch) -> list[Any]:
    if not in_batch(tensor, batch):
        return [tensor] * max(batch.size, 1)
    if not batch.size:
        # Without items the function is called on ones once, for the shapes of its results.
        return [ones(tensor._shape_tuple(), tensor.dtype)]
    return list(unstack_op(leave_batch(tensor, batch)))


def stacked(op: core.Op, items: list[EagerTensor], batch: Batch) -> Any:
    shapes = {item._shape_tuple() for item in items}
    if len(shapes) > 1:
        refuse(
            f"The function gives results of different shapes for the items of a batch: {sorted(shapes)}. "
            "tf.map_fn with fn_output_signature=tf.RaggedTensorSpec puts such results together.",
            op=op.type,
        )
    whole = stack_op(items)
    return enter_batch(whole if batch.size else whole[:0], batch)


@op(
    "EagerPyFunc",
    outputs=...,
    raw=("input", "token", "Tout", "is_async"),
    effect="calls",
)
def call_op(xp, *inputs, func, Tout, is_async=False):
    """The results of a function of tensors, as a list. `py_function` is the form with a gradient."""
    with core.no_recording():
        results = results_of_tensors(func, [EagerTensor(array) for array in inputs], Tout)
    return [tensor._array for tensor in (results if isinstance(results, list) else [results])]


@op("PyFunc", outputs=..., raw=("input", "token", "Tout"), effect="calls")
def call_with_arrays_op(xp, *inputs, func, Tout):
    """The results of a function of NumPy arrays, as a list."""
    with core.no_recording():
        results = results_of_arrays(func, [to_numpy(array) for array in inputs], Tout)
    return [tensor._array for tensor in (results if isinstance(results, list) else [results])]


call_op.no_gradient()
call_with_arrays_op.no_gradient()


def results_of_tensors(func: Any, tensors: list[EagerTensor], wanted: Any) -> Any:
    """The results of a call as tensors of the dtypes ``wanted``: a single tensor, or a list."""
    returned = returned_by(func, tensors, "EagerPyFunc")
    types, single = types_of(wanted)
    if not types and returned is not None and not isinstance(returned, (list, builtins.tuple)):
        refuse("The function returned a result, and Tout names no dtype for it.", op="EagerPyFunc")
    values = values_of(returned)
    if len(values) < len(types):
        refuse(
            f"The function returned {len(values)} results; Tout names {len(types)} dtypes.",
            op="EagerPyFunc",
        )
    try:
        # As in TensorFlow, results beyond Tout are dropped.
        results = [core.convert(value, dtype) for value, dtype in zip(values, types, strict=False)]
    except (TypeError, ValueError) as error:
        raise not_as_promised(types, error, "EagerPyFunc") from error
    return results[0] if single else results


def results_of_arrays(func: Any, arrays: list[Array], wanted: Any) -> Any:
    """The results of a call as tensors, which must have the dtypes ``wanted``: a single tensor, or a list."""
    values = values_of(returned_by(func, arrays, "PyFunc"))
    types, single = types_of(wanted)
    if len(values) != len(types):
        refuse(
            f"The function returned {len(values)} results; Tout names {len(types)} dtypes.",
            op="PyFunc",
        )
    results = []
    try:
        for value, dtype in zip(values, types, strict=True):
            # A number of Python's has NumPy's dtype, float64 or int64.
            result = core.convert(value if isinstance(value, Operand) else np.asarray(value))
            if result.dtype is not dtype:
                raise TypeError(
                    f"a value of {result.dtype.name} came where {dtype.name} was promised"
                )
            results.append(result)
    except (TypeError, ValueError) as error:
        raise not_as_promised(types, error, "PyFunc") from error
    return results[0] if single else results


def results_as_given(func: Any, arrays: list[Array]) -> Any:
    """The result of a call, as tensors: a list of the leaves of a nest, or a single leaf."""
    leaves = nest.flatten(returned_by(func, arrays, "PyFunc", eager=True))
    results = [None if leaf is None else core.convert(leaf) for leaf in leaves]
    return results[0] if len(results) == 1 else results


def returned_by(func: Any, arguments: list[Any], op_type: str, eager: bool = False) -> Any:
    """What ``func`` returns. What it raises becomes an error of the op, but in ``eager`` code."""
    if not callable(func):
        raise ValueError(f"Expected func to be callable; {func!r} came. [Op:{op_type}]")
    try:
        with calls.outside():
            return func(*arguments)
    except NeedsItems:
        raise  # of a batch that the function has met in another way than by its arguments
    except Exception as error:
        if eager:
            raise
        # The message, the traceback and the cause are those of the user's error, which need not be chained.
        raise error_of(error, op_type).with_traceback(error.__traceback__) from error.__cause__


def types_of(wanted: Any) -> builtins.tuple[list[dtypes.DType], bool]:
    """The dtypes as a list, and whether a single one was passed."""
    single = not isinstance(wanted, (list, builtins.tuple))
    return [dtypes.as_dtype(dtype) for dtype in ([wanted] if single else wanted)], single


def values_of(returned: Any) -> list[Any]:
    if returned is None:
        return []
    return list(returned) if isinstance(returned, (list, builtins.tuple)) else [returned]


def not_as_promised(
    types: list[dtypes.DType], error: Exception, op_type: str
) -> errors.InvalidArgumentError:
    names = ", ".join([dtype.name for dtype in types])
    return errors.InvalidArgumentError(
        None,
        None,
        f"The function returned a value that is not as Tout says, {names}: {error} [Op:{op_type}]",
    )


def error_of(error: Exception, op_type: str) -> errors.OpError:
    """The error that py_function raises if its function raised ``error``, of TensorFlow's class for it.

    TensorFlow only looks at Python's classes. Errors of ops inside ``func`` count as any other exception.
    """
    error_class = next(
        tensorflow_class
        for raised, tensorflow_class in ERRORS_OF_FUNCTIONS
        if isinstance(error, raised)
    )
    return error_class(None, None, f"{type(error).__name__}: {error} [Op:{op_type}]")


ERRORS_OF_FUNCTIONS: list[tuple[type[Exception], type[errors.OpError]]] = [
    (ValueError, errors.InvalidArgumentError),
    (TypeError, errors.InvalidArgumentError),
    (StopIteration, errors.OutOfRangeError),
    (MemoryError, errors.ResourceExhaustedError),
    (NotImplementedError, errors.UnimplementedError),
    (Exception, errors.UnknownError),
]


@public
def group(*inputs: Any, **kwargs: Any) -> None:
    """Nothing: all inputs have already run. It serves programs that were written for graphs.

    Args:
        inputs: anything; nothing is done with it.
        kwargs: ``name``, of no effect. Nothing else is taken.
    """
    kwargs.pop("name", None)
    if kwargs:
        raise ValueError(f"Unknown keyword arguments: {', '.join(kwargs)}")


@public
def no_op(name: Any = None) -> None:
    """Nothing."""


@public
def tuple(tensors: Any, control_inputs: Any = None, name: Any = None) -> list[Any]:
    """``tensors`` as a list, once all are computed. Without graphs they already are.

    Args:
        tensors: a list or tuple of tensors, composites, and None.
        control_inputs: of no effect.
    """
    if not isinstance(tensors, (list, builtins.tuple)):
        raise TypeError(f"tf.tuple takes a list of tensors, not {type(tensors).__name__}.")
    return [
        tensor
        if tensor is None or hasattr(type(tensor), "_nest_components")
        else core.convert(tensor)
        for tensor in tensors
    ]


@op("Timestamp", effect="calls")
def timestamp(xp):
    """The seconds since 1970, as a float64 tensor."""
    import time

    return np.asarray(time.time())


timestamp.shape(lambda: Abstract((), dtypes.float64))
timestamp.no_gradient()
