"""What a public function does while a graph is open: it is called on tensors without values.

The core asks `trace_symbolically`, by way of `callbacks`, before a function of tensors runs. Most calls with
such tensors are run in two worlds (`tracing.Trace.call`). A few functions have a way of their own: loops,
assertions, what prints or calls Python.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from tapegrad import core, errors
from tapegrad.autodiff.tape import GradientTape
from tapegrad.core import Function, Op, Tensor, VariableBase, convert
from tapegrad.core.sizes import Size
from tapegrad.framework.nest import PLAIN
from tapegrad.framework.nested import kind_of
from tapegrad.symbolic.nests import ARGUMENTS, NESTS, holds_symbolic, lift
from tapegrad.symbolic.operations import assigned_by
from tapegrad.symbolic.tensors import SymbolicTensor
from tapegrad.symbolic.tracing import Trace
from tapegrad.symbolic.worlds import NO_ELEMENTS, Unknown, World

__all__ = ["trace_symbolically"]

# A loop that ends by its values might never end on dummies. Its variables keep their shapes, so some
# turns tell as much as all, and few where it is told that its condition is true.
MOST_TURNS = 64
FEW_TURNS = 2


def trace_symbolically(
    trace: Trace, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """What ``function`` gives in the graph of this thread; NotImplemented where it is to run as it stands."""
    if isinstance(function, type):
        # An array that loops write into: each world writes into one of its own.
        return trace.call(function, args, kwargs)
    if type(function) is Op or not isinstance(function, Function):
        return _lift_with_objects(trace, function, args, kwargs)
    if trace.world is None or type(trace.world) is World:
        name = function.__name__
        special = _assertion if name.startswith(("assert", "Assert")) else _special.get(name)
        if special is not None:
            return special(trace, function, args, kwargs)
    if trace.world is not None or trace.inner:
        return lift(function, args, kwargs)
    # What it calls may use tensors from outside, so it runs in both worlds even if no argument is without
    # values. A branch that a Python bool chooses runs as it stands.
    if getattr(function, "calls_functions", False) and not isinstance((*args, None)[0], bool):
        return trace.call(function, args, kwargs)
    result = _lift_with_objects(trace, function, args, kwargs)
    return _run(trace, function, args, kwargs) if result is NotImplemented else result


def _lift_with_objects(trace: Any, function: Any, args: Any, kwargs: Any) -> Any:
    """What `lift` gives; a program's objects that convert to tensors without values are such tensors."""
    if trace.world is None:
        args, kwargs = ARGUMENTS.replace(_tensor_of_object, (args, kwargs))
    return lift(function, args, kwargs)


def _tensor_of_object(leaf: Any) -> Any:
    """The tensor without values that an op would make of a program's object; any other leaf as it is."""
    if isinstance(leaf, (Tensor, VariableBase, Size)) or kind_of(type(leaf)) != "tensor":
        return leaf
    try:
        tensor: Any = convert(leaf)
    except (TypeError, ValueError, NotImplementedError):
        return leaf  # such as a ragged tensor, which functions take as it is
    return tensor if type(tensor) is SymbolicTensor else leaf


def _run(trace: Any, function: Function, args: Any, kwargs: Any) -> Any:
    """Run a function whose arguments have values. If it draws, its results are without values after all."""
    before, trace.inner = trace.unsettled, True
    try:
        result = function.call_body(*args, **kwargs)
    finally:
        trace.inner = False
    if trace.unsettled == before:
        return result
    trace.unsettled = before
    return trace.call(function, args, kwargs)


def _while_loop(trace: Any, function: Any, args: Any, kwargs: Any) -> Any:
    bound = inspect.signature(function).bind(*args, **kwargs).arguments
    most = bound.get("maximum_iterations")

    def loop(most: Any, **others: Any) -> Any:
        world = trace.world
        truth_is_chosen = (
            type(world) is World and world.fill == NO_ELEMENTS and world.truth is not None
        )
        limit = FEW_TURNS if truth_is_chosen else MOST_TURNS
        turns = limit if most is None else min(int(most), limit)
        result = function.call_body(**others, maximum_iterations=turns)
        before = others["loop_vars"]
        if type(before) in (list, tuple) and isinstance(result, (list, tuple)):
            return type(before)(result)  # whether or not the loop has run
        return result

    others = {key: value for key, value in bound.items() if key != "maximum_iterations"}
    loop.__name__ = "while_loop"
    return trace.call(loop, (most,), others) if trace.world is None else loop(most, **others)


def _assertion(trace: Any, function: Any, args: Any, kwargs: Any) -> Any:
    """Shapes are checked. Values are not, as there are none."""
    if not holds_symbolic((args, kwargs)):
        return NotImplemented
    _later(trace, function, args, kwargs)
    try:
        return lift(function, args, kwargs)
    except errors.InvalidArgumentError:
        if trace.world is not None:
            raise
    except ValueError as error:
        if not isinstance(error.__cause__, errors.InvalidArgumentError):
            raise
    return None


def _later(trace: Any, function: Any, args: Any, kwargs: Any, results: Any = ()) -> None:
    """Leave to the run what is no use on dummies."""
    if trace.world is None:
        trace.defer(function, args, kwargs, list(results))
    elif trace.inside is not None:
        trace.inside.acts = True


def _print(trace: Any, function: Any, args: Any, kwargs: Any) -> None:
    _later(trace, function, args, kwargs)


def _python_function(trace: Any, function: Any, args: Any, kwargs: Any) -> Any:
    """Python code is not run on dummies: of its results, the dtypes are known."""
    from tapegrad import dtypes
    from tapegrad.framework.spec import TensorSpec

    bound = inspect.signature(function).bind(*args, **kwargs).arguments

    def unknown(kind: Any) -> Any:
        if isinstance(kind, TensorSpec):
            return trace.unknown(kind.shape, kind.dtype, "PyFunc", "PyFunc")
        return trace.unknown(None, dtypes.as_dtype(kind), "PyFunc", "PyFunc")

    kinds = bound["Tout"]
    several = isinstance(kinds, (list, tuple))
    results = [unknown(kind) for kind in (kinds if several else [kinds])]
    _later(trace, function, args, kwargs, results)
    return results if several else results[0]


def _group(trace: Any, function: Any, args: Any, kwargs: Any) -> Any:
    """An operation for what a run is to do: without one, a run would leave out its assignments in silence."""
    assigned = trace.assigning or assigned_by(args)
    if assigned is None or trace.world is not None:
        return NotImplemented
    operation = trace.operation(kwargs.get("name") or function.__name__, "NoOp")
    operation.assigns = assigned
    return operation


def _convert(trace: Any, function: Any, args: Any, kwargs: Any) -> Any:
    """A tensor without values is a tensor already."""
    value = args[0] if args else kwargs.get("value")
    if type(value) is SymbolicTensor and len(args) + len(kwargs) == 1:
        return value
    return lift(function, args, kwargs)


def _static_value(trace: Any, function: Any, args: Any, kwargs: Any) -> Any:
    """The value of a tensor that is the same in both worlds. Only of integers, as dummies are few numbers."""
    if not holds_symbolic((args, kwargs)):
        return NotImplemented
    tensor = args[0] if args else kwargs["tensor"]
    if not (tensor.dtype.is_integer or tensor.dtype.is_bool) or trace.world is not None:
        return None if trace.world is None else function(tensor.in_world(trace.world))
    try:
        return trace.call(lambda inside: function(inside), (tensor,), {})
    except (TypeError, ValueError):
        return None  # the worlds differ, or what the tensor is made of fails in one of them


def _derivatives_of_tape(trace: Any, function: Any, args: Any, kwargs: Any) -> Any:
    """`GradientTape.gradient` and its kin: a tape that is closed records no more in a run or another world.

    In a function's graph the tape itself is asked first, where it recorded on abstract arrays.
    """
    if not args or not isinstance(args[0], GradientTape):
        return lift(function, args, kwargs)
    arguments = inspect.signature(function).bind(*args, **kwargs).arguments
    last = "source" if "source" in arguments else "sources"
    own, ys, xs = [arguments.pop(name) for name in ("self", "target", last)]
    if trace.world is not None or not holds_symbolic((ys, xs)):
        return lift(function, args, kwargs)

    def derive(world: Any, tape: Any, targets: Any, sources: Any, **others: Any) -> Any:
        leaves = [
            core.alias(source) if unwatched else source
            for source, unwatched in zip(NESTS.flatten(sources), are_constants, strict=True)
        ]
        return function(tape, targets, NESTS.pack(sources, leaves), **others)

    def ask(targets: Any, sources: Any, **others: Any) -> Any:
        return function(own, targets, sources, **others)

    ask.__name__ = function.__name__

    # A placeholder that the tape does not watch is a constant for it.
    are_constants = [
        isinstance(source, SymbolicTensor)
        and isinstance(source._source, Unknown)
        and all(tape is not own for tape, _ in source._tapes)
        for source in NESTS.flatten(xs)
    ]
    if not trace.building_function:
        return trace.derivatives(derive, ys, xs, (), arguments)
    found = trace.derivatives(derive, ys, xs, (), arguments, ask)
    if function.__name__ == "gradient":
        # Where the worlds had to have one size, they say nothing of it.
        for gradient, source in zip(PLAIN.flatten(found), PLAIN.flatten(xs), strict=True):
            if type(gradient) is SymbolicTensor:
                gradient._known = source.shape
    return found


_special: dict[str, Callable[..., Any]] = {
    "convert_to_tensor": _convert,
    "while_loop": _while_loop,
    "group": _group,
    "no_op": _group,
    "print": _print,
    "py_function": _python_function,
    "numpy_function": _python_function,
    "py_func": _python_function,
    "get_static_value": _static_value,
    "gradient": _derivatives_of_tape,
    "jacobian": _derivatives_of_tape,
    "batch_jacobian": _derivatives_of_tape,
}
