"""Which recordings a concrete function is saved as: `recordings_of`."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, NoReturn, TypeVar

from tapegrad import errors
from tapegrad.core import VariableBase
from tapegrad.framework.logging import get_logger
from tapegrad.framework.shape import TensorShape
from tapegrad.functions.components import flatten
from tapegrad.functions.concrete import ConcreteFunction
from tapegrad.functions.function import BoundFunction, Function
from tapegrad.saving.steps import CannotEncode, Recording
from tapegrad.saving.tracing import CannotTrace, trace

Written = TypeVar("Written")
SAVE = "tf.saved_model.save"


def recordings_of(
    concrete: Any,
    called: str,
    specs: list[Any],
    write: Callable[[Recording], Written],
    by: str = SAVE,
) -> tuple[list[Written], str | None]:
    """A recording for all sizes of the arguments, or one for each that the function was called with.

    Args:
        concrete: the concrete function.
        called: its name, for errors.
        specs: of its tensors.
        write: makes of a recording what is returned. It raises CannotEncode for one that cannot be written.
        by: the function that the user has called, for errors.

    Returns:
        What was written, and the reason why it is not for all sizes, if it is not.

    Raises:
        UnimplementedError: the function cannot be saved.
    """
    try:
        return [write(trace(concrete.call_flat, flatten, specs, _needed(concrete)))], None
    except CannotEncode as error:
        refuse_recording(called, str(error), by)
    except CannotTrace as error:
        reason = str(error)
    written, shapes = [], []
    for fixed in concrete.sizes_met():
        try:
            recording = trace(concrete.call_flat, flatten, fixed)
            written.append(write(recording))
        except CannotTrace as error:
            reason = str(error)
        except CannotEncode as error:
            refuse_recording(called, str(error), by)
        else:
            listed = ", ".join([_shown(spec.shape) for spec in recording.specs])
            shapes.append(f"({listed})")
    if not written:
        refuse_recording(called, reason, by)
    get_logger().warning(
        "%s: %s is saved for inputs of the shapes %s only, because %s.",
        by, called, ", ".join(shapes), reason,
    )  # fmt: skip
    return written, reason


def _shown(shape: TensorShape) -> str:
    """A shape, for people."""
    return "unknown" if shape.rank is None else str(shape.as_list())


def _needed(concrete: Any) -> set[int]:
    """Sizes that unknown axes may have to have: from trial runs, and from variables."""
    sizes = [size for variable in concrete.variables for size in variable.shape.as_list() or ()]
    return {*concrete.graph.sizes_found, *[size for size in sizes if size is not None]}


def refuse_recording(called: str, reason: str, by: str = SAVE) -> NoReturn:
    """Raise the error of a function that cannot be saved."""
    errors.refuse(
        f"{by}: the function {called} cannot be saved: {reason}.",
        error=errors.UnimplementedError,
    )


def refuse_untracked(value: Any, called: str | None, for_signature: bool) -> NoReturn:
    """Raise what TensorFlow raises for a variable or table that is no part of the model."""
    shown = repr(value) if isinstance(value, VariableBase) else "a look-up table"
    if for_signature:
        raise AssertionError(
            "Tried to export a function which references an 'untracked' resource. TensorFlow objects "
            "(e.g. tf.Variable) captured by functions must be 'tracked' by assigning them to an attribute "
            "of a tracked object or assigned to an attribute of the main object directly. See the "
            f"information below:\n\tFunction name = {called}\n\tTrackable referencing this tensor = {shown}"
        )
    raise KeyError(
        f"Failed to add concrete function {called!r} to object-based SavedModel as it captures {shown} "
        "which is unsupported or not reachable from root. One reason could be that a stateful object or a "
        "variable that the function depends on is not assigned to an attribute of the serialized "
        "trackable object."
    )


def signature_of(function: Any) -> inspect.Signature:
    """The parameters of a function, without ``self`` for a method."""
    if hasattr(function, "parameters_of_saved"):
        return function.parameters_of_saved()  # type: ignore[no-any-return]
    if isinstance(function, BoundFunction):
        return inspect.signature(function.__wrapped__)
    return inspect.signature(function._python_function)


def concrete_functions(function: Any, for_saving: bool = False) -> list[Any]:
    """The concrete functions of a function."""
    if isinstance(function, ConcreteFunction):
        return [function]
    if isinstance(function, Function) or hasattr(function, "_list_all_concrete_functions"):
        if for_saving:
            return list(function._list_all_concrete_functions_for_serialization())
        return list(function._list_all_concrete_functions())
    raise TypeError(f"{function!r} is no tf.function")
