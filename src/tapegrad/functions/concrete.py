"""`ConcreteFunction`: a function with the specs of its arguments and its results."""

from __future__ import annotations

import inspect
import itertools
import weakref
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from tapegrad import core
from tapegrad.core import EagerTensor, Tensor, VariableBase, convert
from tapegrad.errors import refuse
from tapegrad.framework import nest
from tapegrad.framework.spec import TensorSpec, TypeSpec
from tapegrad.functions.arguments import canonical
from tapegrad.functions.atomic import AtomicFunction, FunctionType
from tapegrad.functions.components import fill, flat_specs
from tapegrad.functions.kinds import Callable as CallableBase
from tapegrad.symbolic.graphs import FuncGraph
from tapegrad.symbolic.specs import argument
from tapegrad.symbolic.tensors import NeedsValues, SymbolicTensor

PUBLIC = {"types.experimental": "ConcreteFunction"}

_numbers = itertools.count(1)


class Variables(core.Observer):
    """Collects the variables that are read or assigned."""

    def __init__(self) -> None:
        self.met: dict[int, Any] = {}

    def variable_read(self, variable: Any, snapshot: EagerTensor) -> None:
        self.met[variable._unique_id] = variable


class WeaklyBound:
    """A method with a weak reference to its instance, which holds the concrete functions."""

    def __init__(self, function: Callable[..., Any], instance: Any) -> None:
        self.function = function
        self.reference = weakref.ref(instance)

    def instance(self) -> Any:
        """The instance, if it is still there."""
        instance = self.reference()
        if instance is None:
            raise ReferenceError(
                "the object whose method this concrete function is does not exist any more: "
                "keep it in a name."
            )
        return instance

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.function(self.instance(), *args, **kwargs)


class ConcreteFunction(CallableBase):
    """A function with the specs of its arguments, and the dtypes and shapes of its results.

    >>> @tf.function
    ... def double(x):
    ...     return 2.0 * x
    >>> concrete = double.get_concrete_function(tf.TensorSpec([None, 3]))
    >>> concrete.structured_outputs, concrete(tf.ones([1, 3])).numpy()
    (<tf.Tensor 'Identity:0' shape=(None, 3) dtype=float32>, array([[2., 2., 2.]], dtype=float32))

    Differs from TensorFlow: there is no graph that could run. A call is a call of the function: the first
    call with such arguments runs the Python function and records it, later ones replay it.
    """

    _names_specs = True  # after the arguments, where the program has not named them

    def __init__(
        self,
        function: Any,
        python_function: Callable[..., Any],
        signature: inspect.Signature,
        arguments: dict[str, Any],
    ) -> None:
        self._function = function
        self._python_function = python_function
        self._signature = signature
        self._arguments = arguments  # canonical, by parameter
        self.name = f"__inference_{function.name}_{next(_numbers)}".encode()
        self.graph = FuncGraph(function.name)
        self._needs: NeedsValues | None = None
        self._outputs: Any = None
        self._trace()

    def add_to_graph(self, g: Any = None, overwrite: bool = False) -> None:
        """Add nothing: no graph calls functions by name."""

    def add_gradient_functions_to_graph(self, g: Any = None) -> None:
        """Add nothing: no graph calls functions by name."""

    def _trace(self) -> None:
        graph, watcher = self.graph, Variables()
        with graph.as_default():
            placeholders = {
                name: self._unknown(value, name) for name, value in self._arguments.items()
            }
            args, kwargs = self._bound(placeholders)
            # As a list: a dict would sort the arguments by name.
            graph.inputs = [
                leaf
                for leaf in nest.flatten([*placeholders.values()], expand_composites=True)
                if isinstance(leaf, SymbolicTensor)
            ]
            graph.structured_input_signature = self.structured_input_signature
            with watcher:
                try:
                    self._outputs = self._merged(
                        graph.paths(lambda: self._python_function(*args, **kwargs))
                    )
                except NeedsValues as error:
                    self._needs = error
        graph.structured_outputs = self._outputs
        graph.outputs = [
            leaf
            for leaf in nest.flatten(self._outputs, expand_composites=True)
            if isinstance(leaf, Tensor)
        ]
        graph.variables = tuple([watcher.met[key] for key in sorted(watcher.met)])

    def _merged(self, results: list[Any]) -> Any:
        """The results of all paths through the function, as one."""
        if len(results) == 1:
            return nest.map_structure(self._output, results[0])
        versions = [nest.map_structure(self._function._give, result) for result in results]
        for other in versions[1:]:
            nest.assert_same_structure(versions[0], other)
        return nest.map_structure(self._one_of, *versions)

    def _one_of(self, *results: Any) -> Any:
        """A tensor that is one of several, as a branch decides; None in place of one says nothing."""
        tensors = [result for result in results if isinstance(result, Tensor)]
        if not tensors:
            return results[0]
        first, *others = tensors
        if any(other.dtype is not first.dtype for other in others):
            raise TypeError(
                f"{self._function.name}() returns a tensor of {first.dtype.name} from one branch, and one of "
                f"{' or '.join(sorted({other.dtype.name for other in others}))} from another."
            )
        shape = first.shape.most_specific_common_supertype([other.shape for other in others])
        return self.graph.unknown(shape, first.dtype, "Identity", "Identity")

    def _unknown(self, value: Any, name: str) -> Any:
        """An argument with tensors without values in place of specs."""

        def unknown(leaf: Any) -> Any:
            if not isinstance(leaf, TensorSpec):
                return argument(self.graph, leaf)
            own = leaf.name or name
            return argument(self.graph, leaf, name if own.startswith(f"{name}_") else own)

        return nest.map_structure(unknown, value)

    def _output(self, value: Any) -> Any:
        if value is None or hasattr(value, "_nest_components"):
            return value
        tensor = self._function._give(value)
        if not isinstance(tensor, Tensor):
            return tensor
        return self.graph.renamed(tensor, "Identity")

    def _bound(self, values: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        bound = inspect.BoundArguments(self._signature, OrderedDict(values))
        return bound.args, bound.kwargs

    @property
    def function_type(self) -> FunctionType:
        """The parameters with their specs, and the specs of the results."""
        return FunctionType.of(self)

    @property
    def inference_fn(self) -> AtomicFunction:
        """The function as one of tensors alone."""
        return AtomicFunction(self)

    @property
    def structured_input_signature(self) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The specs of the arguments by position and by keyword; of Python values, the values."""
        args, kwargs = self._bound(self._arguments)
        return args, kwargs

    @property
    def structured_outputs(self) -> Any:
        """The results of the function, as tensors without values.

        Raises:
            NeedsValues: the function reads values, so that its results are known only when it runs.
        """
        if self._needs is not None:
            raise self._needs
        return self._outputs

    @property
    def inputs(self) -> list[Any]:
        """The symbolic tensors of the arguments."""
        return list(self.graph.inputs)

    @property
    def outputs(self) -> list[Any]:
        """The tensors that the function gives, in one list."""
        return nest.flatten(self.structured_outputs) and list(self.graph.outputs)

    @property
    def output_shapes(self) -> Any:
        """The shapes of the results."""
        return nest.map_structure(
            lambda tensor: None if tensor is None else tensor.shape, self.structured_outputs
        )

    @property
    def output_dtypes(self) -> Any:
        """The dtypes of the results."""
        return nest.map_structure(
            lambda tensor: None if tensor is None else tensor.dtype, self.structured_outputs
        )

    @property
    def variables(self) -> tuple[Any, ...]:
        """The variables that the function reads or assigns."""
        return self.graph.variables

    @property
    def trainable_variables(self) -> tuple[Any, ...]:
        """The trainable variables."""
        return self.graph.trainable_variables

    @property
    def captured_inputs(self) -> list[Any]:
        """The handles of the variables. Tensors from outside are used as they are, and not listed."""
        return [variable.handle for variable in self.variables if hasattr(variable, "handle")]

    @core.public(computes=False)
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The results of the function. Arguments must fit the specs.

        They are the function's own arguments, or tensors only, in the order of `inputs` or by their names.
        """
        return self._run_bound(*self._bound(self._fitted(args, kwargs)))

    def _run_bound(self, args: Any, kwargs: Any) -> Any:
        """The results of the function for arguments that fit."""
        if isinstance(self._python_function, WeaklyBound):
            args = (self._python_function.instance(), *args)
        return self._function._answer_concrete(args, kwargs)

    def _fitted(self, args: Any, kwargs: Any) -> dict[str, Any]:
        try:
            return self._structured(args, kwargs)
        except TypeError as error:
            reason = str(error)
        try:
            return self._flat(args, kwargs)
        except TypeError as error:
            raise TypeError(
                f"{reason}\nFallback to flat signature also failed due to: {error}"
            ) from None

    def _structured(self, args: Any, kwargs: Any) -> dict[str, Any]:
        """The arguments as the function's own parameters take them."""
        try:
            bound = dict(self._signature.bind(*args, **kwargs).arguments)
        except TypeError as error:
            self._refuse(str(error), args, kwargs)
        return {name: self._fit(name, bound, spec) for name, spec in self._arguments.items()}

    def _flat(self, args: Any, kwargs: Any) -> dict[str, Any]:
        """The arguments, from tensors only: the `inputs`, in order or by name."""
        names = [tensor.op.name for tensor in self.graph.inputs]
        shown = f"{self._function.name}({', '.join(names)})"
        most = self._num_positional_args
        if len(args) > most:
            raise TypeError(f"{shown} takes {most} positional arguments, got {len(args)}.")
        arguments = dict(zip(names, args, strict=False))
        for name, value in kwargs.items():
            if name not in names:
                continue
            if name in arguments:
                raise TypeError(f"{shown} got two values for {name}.")
            arguments[name] = value
        missing = [name for name in names if name not in arguments]
        if missing:
            raise TypeError(f"{shown} missing required arguments: {', '.join(missing)}.")
        unknown = [name for name in kwargs if name not in names]
        if unknown:
            raise TypeError(f"{shown} got unexpected keyword arguments: {', '.join(unknown)}.")
        for place, name in enumerate(names):
            value = arguments[name]
            if not isinstance(value, (Tensor, VariableBase, np.ndarray, np.generic)):
                raise TypeError(
                    f"{shown}: expected argument #{place}(zero-based) to be a Tensor; "
                    f"got {type(value).__name__} ({value!r})."
                )
        parts = iter([arguments[name] for name in names])
        return {
            name: nest.map_structure(
                lambda leaf: (
                    self._fit_leaf("", next(parts), leaf) if isinstance(leaf, TypeSpec) else leaf
                ),
                spec,
            )
            for name, spec in self._arguments.items()
        }

    @property
    def _arg_keywords(self) -> list[str]:
        return [tensor.op.name for tensor in self.graph.inputs]

    @property
    def _num_positional_args(self) -> int:
        return len(self.graph.inputs)

    def call_flat(self, tensors: list[Any]) -> Any:
        """The results of the function for one list of its tensors, with those of composites."""
        # As a list: a dict would sort the arguments by name.
        values = fill(list(self._arguments.values()), tensors)
        arguments = dict(zip(self._arguments, values, strict=True))
        return self._run_bound(*self._bound(arguments))

    def sizes_met(self) -> list[list[TensorSpec]]:
        """For each call so far whose arguments fit, the specs of its tensors."""
        own = flat_specs(list(self._arguments.values()))
        met = []
        for arguments in self._function._met.of(self._instance):
            specs = flat_specs(list(arguments.values()))
            if (
                len(specs) == len(own)
                and all(spec.shape.is_fully_defined() for spec in specs)
                and all(
                    spec.dtype == wanted.dtype and wanted.shape.is_compatible_with(spec.shape)
                    for spec, wanted in zip(specs, own, strict=True)
                )
            ):
                met.append(specs)
        return met

    @property
    def _instance(self) -> Any:
        """The object whose method the function is, or None."""
        function = self._python_function
        return function.reference() if isinstance(function, WeaklyBound) else None

    def _trackable_children(self, save_type: str = "checkpoint", **kwargs: Any) -> dict[str, Any]:
        return {}

    def _refuse(self, reason: str, args: Any = (), kwargs: Any = None) -> NoReturn:
        raise TypeError(
            f"Binding inputs to tf.function failed due to `{reason}`. Received args: {args} and "
            f"kwargs: {kwargs or {}} for signature: {self._signature_text()}."
        )

    def _fit(self, name: str, arguments: dict[str, Any], spec: Any) -> Any:
        """The argument ``name``, as its spec says."""
        leaves = nest.flatten(spec)
        if name not in arguments:
            if any(isinstance(leaf, TypeSpec) for leaf in leaves):
                self._refuse(f"missing a required argument: {name!r}", (), arguments)
            return spec
        value = arguments[name]
        if not nest.is_nested(spec):
            return self._fit_leaf(name, value, spec)
        try:
            nest.assert_same_structure(spec, value)
        except (TypeError, ValueError) as error:
            self._refuse(str(error), (), arguments)
        parts = [
            self._fit_leaf(name, *pair) for pair in zip(nest.flatten(value), leaves, strict=True)
        ]
        return nest.pack_sequence_as(spec, parts)

    def _fit_leaf(self, name: str, value: Any, spec: Any) -> Any:
        if isinstance(spec, TensorSpec):
            if not isinstance(value, (Tensor, VariableBase)):
                value = convert(value, spec.dtype)
            if value.dtype is not spec.dtype:
                called = self.name.decode()
                refuse(
                    f"cannot compute {called} as input #{self._place(spec)}(zero-based) was expected to be "
                    f"a {_plain(spec.dtype)} tensor but is a {_plain(value.dtype)} tensor",
                    op=called,
                )
            return value
        if not isinstance(spec, TypeSpec) and not (value is spec or value == spec):
            self._refuse(f"Can not cast {value!r} to Literal[{spec!r}]", (), {name: value})
        return value

    def _place(self, spec: Any) -> int:
        """Which of the inputs has this spec."""
        leaves = nest.flatten([*self._arguments.values()])
        specs = [leaf for leaf in leaves if isinstance(leaf, TypeSpec)]
        return next((place for place, leaf in enumerate(specs) if leaf is spec), 0)

    # Printed forms

    def _printed(self) -> list[tuple[str, str, str]]:
        """The name, the kind and the value of each argument. Each of ``*args`` and ``**kwargs`` is one."""
        printed: list[tuple[str, str, str]] = []
        for name, parameter in self._signature.parameters.items():
            value = self._arguments.get(name)
            if parameter.kind == parameter.VAR_POSITIONAL:
                rest = [(f"{name}_{i}", part) for i, part in enumerate(value or ())]
                printed = [(before, "POSITIONAL_ONLY", text) for before, _, text in printed]
                printed += [(own, "POSITIONAL_ONLY", self._text(part, own)) for own, part in rest]
            elif parameter.kind == parameter.VAR_KEYWORD and value:
                for key, part in value.items():
                    printed.append((key, "KEYWORD_ONLY", self._text(part, f"{name}_{key}")))
            elif name in self._arguments:
                printed.append((name, parameter.kind.name, self._text(value, name)))
        return printed

    def _signature_text(self) -> str:
        parameters: list[str] = []
        before = None
        for name, kind, text in self._printed():
            if before == "POSITIONAL_ONLY" != kind:
                parameters.append("/")
            if kind == "KEYWORD_ONLY" != before:
                parameters.append("*")
            parameters.append(f"{name}: {text}")
            before = kind
        if before == "POSITIONAL_ONLY":
            parameters.append("/")
        return f"({', '.join(parameters)}) -> {self._output_text()}"

    def _text(self, value: Any, name: str) -> str:
        return text_of(value, name if self._names_specs else None)

    def _output_text(self) -> str:
        return (
            "unknown" if self._needs is not None else self._text(canonical(self._outputs, ""), "")
        )

    def pretty_printed_signature(self, verbose: bool = True) -> str:
        """The arguments and the results, a line for each."""
        if not verbose:
            return self._signature_text()
        lines = [f"  {name} ({kind}): {text}" for name, kind, text in self._printed()]
        first = "Input Parameters:" if lines else "Input Parameters: None"
        return "\n".join(
            [first, *lines, "Output Type:", f"  {self._output_text()}", "Captures:", "  None"]
        )

    def __repr__(self) -> str:
        return f"<ConcreteFunction {self._signature_text()} at 0x{id(self):X}>"

    def __str__(self) -> str:
        return f"ConcreteFunction {self.pretty_printed_signature()}"


def _plain(dtype: Any) -> str:
    """The name of a dtype as TensorFlow's runtime writes it."""
    names = {"float32": "float", "float64": "double", "float16": "half"}
    return names.get(dtype.name, str(dtype.name))


def text_of(value: Any, name: str | None) -> str:
    """A canonical argument or result, as signatures print it.

    Names are those that the program gave. What is named after the argument ``name`` has none; None keeps all.
    """

    def part_text(part: Any, key: Any) -> str:
        return text_of(part, None if name is None else f"{name}_{key}")

    if isinstance(value, TensorSpec):
        named = value.name and value.name != name
        return repr(value if named else TensorSpec(value.shape, value.dtype))
    if isinstance(value, TypeSpec):
        return repr(value)
    if isinstance(value, dict):
        parts = [f"[{key!r}, {part_text(part, key)}]" for key, part in value.items()]
        return f"Dict[{', '.join(parts)}]"
    if hasattr(value, "_fields"):
        parts = [f"[{key!r}, {part_text(part, key)}]" for key, part in value._asdict().items()]
        return f"{type(value).__name__}[{', '.join(parts)}]"
    if isinstance(value, (list, tuple)):
        parts = [part_text(part, i) for i, part in enumerate(value)]
        return f"{'List' if isinstance(value, list) else 'Tuple'}[{', '.join(parts)}]"
    return f"Literal[{value!r}]"
