"""``wrt``: what a transform differentiates by, the same words for all of them.

A `Wrt` is what the user said: positions of arguments, variables, modules, or a nest of these. A `Point` is
what that means in one call: tensors and variables to differentiate by, and the arguments to call the
function with.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NoReturn

from tapegrad import core
from tapegrad.core import EagerTensor, VariableBase
from tapegrad.framework import nest
from tapegrad.framework.handle import Handle
from tapegrad.framework.indexed_slices import IndexedSlices
from tapegrad.framework.module import Module
from tapegrad.ops.gradients import zeros
from tapegrad.ops.shape.array import identity

MEANING = (
    "`wrt` says what to differentiate by: the position of an argument (an int), a tf.Variable, "
    "a tf.Module or Keras model, which stands for its trainable variables, or a nest of these"
)


class Wrt:
    """What the user of a transform wants to differentiate by.

    Args:
        transform: the name of the transform, for messages.
        wrt: positions, variables, modules, or a nest of them. None means all positional arguments.
        argnums: positions alone, the word of other libraries for them; None if ``wrt`` counts.
    """

    def __init__(self, transform: str, wrt: Any, argnums: Any = None) -> None:
        self.transform = transform
        if argnums is not None:
            for leaf in nest.flatten(argnums):
                if not _is_position(leaf):
                    self.refuse(
                        f"`argnums` takes positions of arguments, ints; {_brief(leaf)} came. "
                        "Variables and modules go into `wrt`"
                    )
            wrt = argnums
        self.wrt = wrt
        self.leaves = [] if wrt is None else nest.flatten(wrt)
        for leaf in self.leaves:
            if not (_is_position(leaf) or variable_behind(leaf) is not None or is_module(leaf)):
                self.refuse(f"{MEANING}; {_brief(leaf)} came")
        if wrt is not None and not self.leaves:
            self.refuse(f"{MEANING}; an empty {type(wrt).__name__} came")

    def at(self, args: Sequence[Any]) -> Point:
        """What to differentiate by in a call with these positional arguments."""
        return Point(self, list(args))

    def refuse(self, message: str, error: type[Exception] = TypeError) -> NoReturn:
        """Raise ``error``: the message names the transform."""
        raise error(f"tf.autodiff.{self.transform}(): {message}.")

    def position(self, leaf: int, args: Sequence[Any]) -> int:
        """The position counted from the left, of an argument that is there."""
        count = len(args)
        if not -count <= leaf < count:
            self.refuse(
                f"`wrt` asks for the positional argument {leaf}, but the call has {count} of them. "
                "Keyword arguments are constants: pass by position what to differentiate by",
                ValueError,
            )
        return leaf % count

    def variables_of(self, module: Any) -> list[Any]:
        """The trainable variables of a module."""
        variables = list(module.trainable_variables)
        if not variables:
            self.refuse(
                f"the {type(module).__name__} to differentiate by has no trainable variables. "
                "A model that makes its variables when it is first called has to be called, or built, before",
                ValueError,
            )
        return variables


class Point:
    """What one call is differentiated by, and at which values.

    Attributes:
        args: the arguments to call the function with.
        sources: the tensors and variables to differentiate by, one after another.
        structure: a nest of the form of `wrt`, with an argument's own nest in the place of its position,
            and a list of variables in the place of a module. Its leaves are `sources`.
    """

    def __init__(self, wrt: Wrt, args: list[Any]) -> None:
        self.wrt = wrt
        self.args = args
        if wrt.wrt is None and not args:
            wrt.refuse("there is no argument to differentiate by", ValueError)
        leaves = range(len(args)) if wrt.wrt is None else wrt.leaves
        self.renamed: set[int] = set()
        parts = []
        for leaf in leaves:
            if _is_position(leaf):
                place = wrt.position(leaf, args)
                if place not in self.renamed:
                    args[place] = self._tensors(args[place], place)
                    self.renamed.add(place)
                parts.append(self._with_variables(args[place]))
            elif variable_behind(leaf) is not None:
                parts.append(leaf)
            else:
                parts.append(wrt.variables_of(leaf))
        self.structure = tuple(parts) if wrt.wrt is None else nest.pack_sequence_as(wrt.wrt, parts)
        self.sources = [self._source(leaf) for leaf in nest.flatten(self.structure)]

    def _tensors(self, argument: Any, place: int) -> Any:
        leaves = [self._tensor(leaf, place) for leaf in nest.flatten(argument)]
        return nest.pack_sequence_as(argument, leaves)

    def _with_variables(self, argument: Any) -> Any:
        """The nest with the trainable variables of the modules in it."""
        leaves = [
            self.wrt.variables_of(leaf) if is_module(leaf) else leaf
            for leaf in nest.flatten(argument)
        ]
        return nest.pack_sequence_as(argument, leaves)

    def _tensor(self, leaf: Any, place: int) -> Any:
        """A leaf of an argument as a new tensor: the same tensor in two arguments then counts as two."""
        if variable_behind(leaf) is not None or is_module(leaf):
            return leaf
        if leaf is None or hasattr(leaf, "dense_shape") or hasattr(type(leaf), "with_flat_values"):
            self.wrt.refuse(
                f"argument {place} holds a {type(leaf).__name__}, which cannot be differentiated by. "
                "Pass tensors: of a sparse or ragged tensor its values"
            )
        tensor = core.convert(leaf)
        if not floats(tensor):
            self.wrt.refuse(
                f"argument {place} holds {tensor.dtype.name} numbers ({_brief(leaf)}), "
                "and only floating ones can be differentiated by. Write 3.0 for 3, or tf.cast the tensor"
            )
        return identity(tensor)

    def _source(self, leaf: Any) -> Any:
        variable = variable_behind(leaf)
        if variable is not None and not floats(variable):
            self.wrt.refuse(
                f"the variable {variable.name!r} holds {variable.dtype.name} numbers, "
                "and only floating ones can be differentiated by"
            )
        return leaf if variable is None else variable

    @property
    def variables(self) -> list[Any]:
        """The variables among the sources."""
        return [source for source in self.sources if isinstance(source, VariableBase)]

    def pack(self, values: Iterable[Any]) -> Any:
        """One value for each source, as a nest like `structure`."""
        return nest.pack_sequence_as(self.structure, list(values))

    def flat(self, values: Any, name: str) -> list[Any]:
        """The leaves of a nest like `structure`, each a tensor of its source's shape and dtype."""
        return flat_like(self.wrt, values, self.structure, self.sources, name)

    def moved(self, values: Sequence[Any]) -> list[Any]:
        """The arguments, with other tensors in the places of the sources. Variables stay in theirs."""
        by_source = {
            id(source): value
            for source, value in zip(self.sources, values, strict=True)
            if not isinstance(source, VariableBase)
        }
        return [
            nest.map_structure(lambda leaf: by_source.get(id(leaf), leaf), argument)
            if place in self.renamed
            else argument
            for place, argument in enumerate(self.args)
        ]

    def gradients(self, gradients: Iterable[Any]) -> list[Any]:
        """Gradients by the sources as a tape's users get them: a variable's may be `tf.IndexedSlices`."""
        return [
            gradient
            if isinstance(gradient, IndexedSlices) and isinstance(source, VariableBase)
            else dense(gradient, source)
            for gradient, source in zip(gradients, self.sources, strict=True)
        ]

    def dense(self, gradients: Iterable[Any]) -> list[Any]:
        """Gradients by the sources as tensors: zeros for None, and IndexedSlices made dense."""
        return [dense(dx, source) for dx, source in zip(gradients, self.sources, strict=True)]


def dense(gradient: Any, source: Any) -> Any:
    """A gradient by ``source`` as a tensor: zeros for None, and IndexedSlices made dense."""
    if gradient is None:
        return zeros(shape_of(source), source.dtype)
    return gradient if type(gradient) is EagerTensor else core.convert(gradient)


def flat_like(
    wrt: Wrt, values: Any, structure: Any, tensors: Sequence[Any], name: str
) -> list[Any]:
    """The leaves of ``values``, a nest like ``structure``: each has the shape and dtype of one of
    ``tensors``.

    None means zeros; a number or array becomes a tensor.
    """
    leaves = nest.flatten(values)
    if len(leaves) != len(tensors):
        wrt.refuse(
            f"{name} must have the structure {_outline(structure)}, with {len(tensors)} tensors; "
            f"{_outline(values)} came, with {len(leaves)}",
            ValueError,
        )
    if nest.is_nested(structure) or nest.is_nested(values):
        try:
            nest.assert_same_structure(structure, values, check_types=False)
        except (TypeError, ValueError):
            wrt.refuse(
                f"{name} must have the structure {_outline(structure)}; {_outline(values)} came",
                ValueError,
            )
    return [
        _like(wrt, leaf, tensor, f"{name}, leaf {i}" if len(leaves) > 1 else name)
        for i, (leaf, tensor) in enumerate(zip(leaves, tensors, strict=True))
    ]


def _like(wrt: Wrt, value: Any, tensor: Any, what: str) -> Any:
    if value is None:
        return zeros(shape_of(tensor), tensor.dtype)
    plain = type(value) is not EagerTensor and not isinstance(value, VariableBase)
    converted = core.convert(value, tensor.dtype if plain and not hasattr(value, "dtype") else None)
    if converted.dtype is not tensor.dtype or converted._shape_tuple() != shape_of(tensor):
        wrt.refuse(
            f"{what} must have shape {list(shape_of(tensor))} and dtype {tensor.dtype.name}; "
            f"shape {list(converted._shape_tuple())} and dtype {converted.dtype.name} came",
            ValueError,
        )
    return converted


def shape_of(source: Any) -> tuple[int, ...]:
    """The shape of a tensor, or of a variable's value. This does not count as a reading of the variable."""
    tensor = source._snapshot if isinstance(source, VariableBase) else source
    shape: tuple[int, ...] = tensor._shape_tuple()
    return shape


def floats(tensor: Any) -> bool:
    """Whether a tensor or variable holds real or complex floating numbers."""
    return bool(tensor.dtype.is_floating or tensor.dtype.is_complex)


def check_callable(transform: str, function: Any) -> None:
    """Raise TypeError unless ``function`` can be called."""
    if not callable(function):
        raise TypeError(
            f"tf.autodiff.{transform}() takes a function; {_brief(function)} came, which cannot be called."
        )


def name_of(function: Callable[..., Any]) -> str:
    """What messages call a user's function."""
    return getattr(function, "__name__", None) or type(function).__name__


def variable_behind(value: Any) -> Any:
    """The variable that ``value`` is, or that an object of another library wraps, or None."""
    if isinstance(value, VariableBase):
        return value
    if getattr(value, "_should_act_as_resource_variable", False):
        value = value.handle
    return value.variable if isinstance(value, Handle) else None


def is_module(value: Any) -> bool:
    """Whether ``value`` is a module or a model: what has trainable variables."""
    return isinstance(value, Module) or (
        hasattr(type(value), "trainable_variables") and not isinstance(value, type)
    )


def _is_position(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _brief(value: Any) -> str:
    text = repr(value)
    return f"{text if len(text) <= 60 else text[:57] + '...'} of type {type(value).__name__}"


def _outline(structure: Any) -> str:
    """The nest with ``.`` for its leaves."""
    return (
        str(nest.map_structure(lambda _: _Dot(), structure)) if nest.is_nested(structure) else "."
    )


class _Dot:
    def __repr__(self) -> str:
        return "."
