"""Functions of a loaded model: `RestoredFunction` chooses among the `RestoredConcrete` that were saved."""

from __future__ import annotations

import inspect
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, Protocol

import numpy as np

from tapegrad import core, errors
from tapegrad.core import Tensor, VariableBase, convert
from tapegrad.framework import nest
from tapegrad.framework.spec import TensorSpec, TypeSpec
from tapegrad.functions.components import flat_specs, flatten
from tapegrad.functions.concrete import ConcreteFunction
from tapegrad.functions.function import Function
from tapegrad.functions.kinds import GenericFunction
from tapegrad.saving.encoding import Decoder
from tapegrad.saving.files import Damaged
from tapegrad.saving.nests import Leaf, parameter_name
from tapegrad.saving.programs import Program
from tapegrad.saving.reach import is_plain


class Captured:
    """In place of a Python value that could not be saved, such as an object."""

    def __init__(self, what: str) -> None:
        self.what = what

    def __repr__(self) -> str:
        return "<captured_default_value>"


def parameters_from(encoded: Any, decoder: Decoder) -> inspect.Signature:
    """A signature, from JSON."""
    if not isinstance(encoded, list):
        raise Damaged("a function has no parameters")
    parameters = []
    try:
        for entry in encoded:
            name, kind, *default = entry
            parameters.append(
                inspect.Parameter(
                    name,
                    getattr(inspect.Parameter, kind),
                    default=_default(default, decoder) if default else inspect.Parameter.empty,
                )
            )
        return inspect.Signature(parameters)
    except (TypeError, ValueError, AttributeError) as error:
        raise Damaged(f"the parameters of a function are none ({error})") from None


def without_text(encoded: Any) -> Any:
    """Parameters in JSON; without defaults, if one of these holds text."""
    if not isinstance(encoded, list):
        return encoded
    entries = [entry for entry in encoded if isinstance(entry, list)]
    if all(is_plain(entry[2:]) for entry in entries):
        return encoded
    return [entry[:2] for entry in entries]


class Default:
    """A default, which signatures print without its value."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __repr__(self) -> str:
        return "<captured_default_value>"


def _default(entry: list[Any], decoder: Decoder) -> Default:
    return Default(decoder.value(entry[0]))


class _Named:
    """The part of a function that its `ConcreteFunction` uses."""

    def __init__(self, name: str) -> None:
        self.name = name

    def _give(self, value: Any) -> Any:
        return value


class Body(Protocol):
    """What a saved function computes from its tensors."""

    specs: list[TensorSpec]
    """What it takes."""

    @property
    def uses_files(self) -> bool:
        """Whether it reads files that its arguments name."""

    def run(self, tensors: list[Any]) -> Any:
        """The results for these tensors."""

    def result_specs(self) -> Any:
        """The results with a spec for each; None if it has none."""

    def sizes_met(self) -> list[list[TensorSpec]]:
        """The specs of the tensors it was saved for, if it takes no others."""


class Programs:
    """The body of a function of our earlier format: recordings, of which the first one that fits runs."""

    def __init__(self, name: str, programs: list[Program], only_sizes: str | None) -> None:
        self.name = name
        self.programs = programs
        self.only_sizes = only_sizes
        self.specs = programs[0].specs

    @property
    def uses_files(self) -> bool:
        return any(program.uses_files for program in self.programs)

    def run(self, tensors: list[Any]) -> Any:
        for program in self.programs:
            if program.fits(tensors):
                return program.run(tensors)
        if self.only_sizes is not None:
            errors.refuse(
                f"The saved function {self.name} was saved for inputs of the shapes "
                f"{[[str(spec.shape) for spec in saved.specs] for saved in self.programs]} only, because "
                f"{self.only_sizes}; {[str(tensor.shape) for tensor in tensors]} came.",
                error=errors.FailedPreconditionError,
            )
        return self.programs[0].run(tensors)

    def result_specs(self) -> Any:
        structures = [
            block.structure
            for block in self.programs[0].blocks
            if block.asks is None and block.error is None
        ]
        return specs_of(structures[0]) if structures else None

    def sizes_met(self) -> list[list[TensorSpec]]:
        return [program.specs for program in self.programs if self.only_sizes is not None]


def arguments_from(
    encoded: Any, decoder: Decoder
) -> tuple[inspect.Signature, dict[str, Any], list[str]]:
    """The signature of a function in JSON, the specs of its arguments, and the names of its tensors."""
    arguments, names = encoded.get("arguments"), encoded.get("names")
    if not isinstance(arguments, list) or not isinstance(names, list):
        raise Damaged(f"{encoded['name']} has no arguments")
    defaults: dict[str, Any] = {}
    for entry in arguments:
        if not isinstance(entry, list) or len(entry) != 2 or not isinstance(entry[0], str):
            raise Damaged(f"{encoded['name']} has an argument that is none")
        body = entry[1]
        if isinstance(body, dict) and "captured" in body:
            defaults[entry[0]] = Captured(str(body["captured"]))
        else:
            defaults[entry[0]] = decoder.value(body)
    return parameters_from(encoded.get("parameters"), decoder), defaults, names


class RestoredConcrete(ConcreteFunction):
    """A function for one signature, as it was saved. A call runs its body, which tapes see.

    Args:
        name: its name, such as ``__inference_f_7``.
        signature: its parameters.
        arguments: a nest of specs and values for each of them.
        names: the names of its tensors.
        body: what it computes.
        variables: the variables that it reads or writes.
    """

    _names_specs = False  # the names were saved

    def __init__(
        self,
        name: str,
        signature: inspect.Signature,
        arguments: dict[str, Any],
        names: list[str],
        body: Body,
        variables: tuple[Any, ...],
    ) -> None:
        self._body = body
        self._saved_variables = variables
        try:
            bound = inspect.BoundArguments(signature, OrderedDict(arguments))
            _ = bound.args, bound.kwargs
            wanted = flat_specs(list(arguments.values()))
        except (TypeError, ValueError, AttributeError, NotImplementedError) as error:
            raise Damaged(f"{name} has arguments that it does not take ({error})") from None
        if len(wanted) != len(body.specs) or not all(isinstance(word, str) for word in names):
            raise Damaged(f"{name} has other arguments than inputs")
        self._input_names = names
        self._runner = Function(self._interpret)
        super().__init__(_Named(_plain_name(name)), self._from_arguments, signature, arguments)
        self.name = name.encode()

    def _trace(self) -> None:
        """The graph, as it was saved."""
        graph = self.graph
        with graph.as_default():
            graph.inputs = [
                graph.unknown(spec.shape, spec.dtype, name)
                for spec, name in zip(
                    flat_specs(list(self._arguments.values())),
                    [*self._input_names, *["input"] * 1000],
                    strict=False,
                )
            ]
        graph.variables = self._saved_variables
        self._outputs = self._body.result_specs()
        graph.structured_outputs = self._outputs
        graph.outputs = [
            graph.unknown(spec.shape, spec.dtype, "Identity", "Identity")
            for spec in nest.flatten(self._outputs)
            if isinstance(spec, TensorSpec)
        ]

    def _interpret(self, *tensors: Any) -> Any:
        return self._body.run(list(tensors))

    def _from_arguments(self, *args: Any, **kwargs: Any) -> Any:
        return self._runner(*flatten([args, kwargs]))

    def _run_bound(self, args: Any, kwargs: Any) -> Any:
        return self._from_arguments(*args, **kwargs)

    def call_flat(self, tensors: list[Any]) -> Any:
        """The results of the function for one list of its tensors."""
        return self._runner(*tensors)

    def sizes_met(self) -> list[list[TensorSpec]]:
        """The specs that were recorded."""
        return self._body.sizes_met()


def _plain_name(name: str) -> str:
    """``f`` for ``__inference_f_7``."""
    inner = name.removeprefix("__inference_")
    stem, _, number = inner.rpartition("_")
    return stem if stem and number.isdigit() else inner


def specs_of(structure: Any) -> Any:
    """The nest of results with a spec for each leaf."""
    return nest.CONTAINERS.map(
        lambda leaf: leaf.spec if isinstance(leaf, Leaf) else leaf, structure
    )


class RestoredFunction(GenericFunction):
    """A saved `tf.function`. It takes what one of the saved signatures describes."""

    def __init__(
        self,
        name: str,
        parameters: inspect.Signature,
        concretes: list[RestoredConcrete],
        has_signature: bool,
    ) -> None:
        self.name = self.__name__ = name
        self._parameters = parameters
        self.concrete_functions = concretes
        self._has_signature = has_signature and len(concretes) == 1

    @property
    def input_signature(self) -> Any:
        """The tuple of specs that calls are checked against, or None."""
        if not self._has_signature:
            return None
        return tuple(self.concrete_functions[0].structured_input_signature[0])

    def parameters_of_saved(self) -> inspect.Signature:
        """The parameters, with their defaults."""
        return inspect.Signature([
            parameter.replace(default=parameter.default.value)
            if isinstance(parameter.default, Default)
            else parameter
            for parameter in self._parameters.parameters.values()
        ])  # fmt: skip

    @property
    def __signature__(self) -> inspect.Signature:
        return self._parameters

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        try:
            concrete, args, kwargs = self._choose(args, kwargs)
            return concrete._run_bound(args, kwargs)
        except Exception as error:
            core.hide(error)
            raise

    def get_concrete_function(self, *args: Any, **kwargs: Any) -> Any:
        """The saved function for arguments of these specs."""
        if not args and not kwargs and len(self.concrete_functions) == 1:
            return self.concrete_functions[0]
        return self._choose(args, kwargs)[0]

    def _list_all_concrete_functions(self) -> list[Any]:
        return list(self.concrete_functions)

    _list_all_concrete_functions_for_serialization = _list_all_concrete_functions

    def _trackable_children(self, save_type: str = "checkpoint", **kwargs: Any) -> dict[str, Any]:
        if save_type == "checkpoint":
            return {}
        return {f"trace_{i}": concrete for i, concrete in enumerate(self.concrete_functions)}

    def _choose(self, args: Any, kwargs: Any) -> tuple[RestoredConcrete, Any, Any]:
        if not self.concrete_functions:
            raise ValueError("Found zero restored functions for caller function.")
        try:
            bound = self._parameters.bind(*args, **kwargs)
        except TypeError as error:
            raise TypeError(
                f"Binding inputs to tf.function failed due to `{error}`. Received args: {args} and kwargs: "
                f"{kwargs} for signature: {self._shown_parameters()}."
            ) from None
        if self._has_signature:
            self._check_signature(bound, args, kwargs)
        bound.apply_defaults()
        arguments = {
            name: value.value if isinstance(value, Default) else value
            for name, value in bound.arguments.items()
            if not (type(value) in (tuple, dict) and not value and self._is_rest(name))
        }
        for converts in (False, True):
            for concrete in self.concrete_functions:
                fitted = fit_all(concrete._arguments, arguments, converts)
                if fitted is not None:
                    return concrete, *concrete._bound(fitted)
        raise (TypeError if self._has_signature else ValueError)(self._no_match(arguments))

    def _is_rest(self, name: str) -> bool:
        """Whether a parameter takes what others leave: ``*args`` or ``**kwargs``."""
        parameter = self._parameters.parameters[name]
        return parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)

    def _check_signature(self, bound: Any, args: Any, kwargs: Any) -> None:
        expected = self.concrete_functions[0]._arguments
        for name, value in bound.arguments.items():
            spec = expected.get(name)
            if isinstance(spec, TensorSpec) and isinstance(value, (np.ndarray, np.generic)):
                value = bound.arguments[name] = convert(value, spec.dtype)
            if isinstance(spec, TensorSpec) and fit(spec, value, True) is None:
                own: Any = value
                if isinstance(value, (Tensor, VariableBase, np.ndarray)):
                    own = repr(TensorSpec(own.shape, getattr(own, "dtype", None)))
                raise TypeError(
                    f"Binding inputs to tf.function failed due to `Can not cast {own} to "
                    f"{TensorSpec(spec.shape, spec.dtype)!r}`. Received args: {args} and kwargs: {kwargs} "
                    f"for signature: {self._shown_parameters()}."
                )

    def _shown_parameters(self) -> str:
        if self._has_signature:
            shown = self.concrete_functions[0].pretty_printed_signature(verbose=False)
            return shown.partition(" -> ")[0]
        return str(self._parameters)

    def _no_match(self, arguments: dict[str, Any]) -> str:
        lines = [
            "Could not find matching concrete function to call loaded from the SavedModel. Got:",
            *_described(self.concrete_functions[0]._signature, arguments),
            "",
            " Expected these arguments to match one of the following "
            f"{len(self.concrete_functions)} option(s):",
        ]
        for number, concrete in enumerate(self.concrete_functions):
            lines += ["", f"Option {number + 1}:"]
            lines += _described(concrete._signature, concrete._arguments)
        return "\n".join(lines)


def _described(signature: inspect.Signature, arguments: dict[str, Any]) -> list[str]:
    """Arguments, a line for each, as errors show them."""
    bound = inspect.BoundArguments(
        signature,
        OrderedDict(
            [(name, arguments[name]) for name in signature.parameters if name in arguments]
        ),
    )
    names = iter(signature.parameters)
    positional = [f"    * {_shown(next(names, 'arg'), value)}" for value in bound.args]
    keywords = {name: _shown(name, value) for name, value in bound.kwargs.items()}
    inner = ", ".join([f"{name!r}: {text}" for name, text in keywords.items()])
    return [
        f"  Positional arguments ({len(positional)} total):",
        *positional,
        f"  Keyword arguments: {{{inner}}}",
    ]


def _shown(name: str, value: Any) -> str:
    if isinstance(value, (Tensor, VariableBase, np.ndarray, np.generic)):
        tensor = convert(value)
        return f"<tf.Tensor '{name}:0' shape={tensor.shape} dtype={tensor.dtype.name}>"
    if isinstance(value, dict):
        return (
            "{" + ", ".join([f"{key!r}: {_shown(name, part)}" for key, part in value.items()]) + "}"
        )
    if isinstance(value, (list, tuple)):
        inner = ", ".join([_shown(name, part) for part in value])
        return f"[{inner}]" if isinstance(value, list) else f"({inner})"
    return repr(value)


def fit_all(
    expected: dict[str, Any], arguments: dict[str, Any], converts: bool
) -> dict[str, Any] | None:
    """The arguments as the specs say; None if they do not fit."""
    if not arguments.keys() <= expected.keys() or any(
        name not in arguments and nest_has_specs(expected[name]) for name in expected
    ):
        return None
    fitted = {}
    for name, spec in expected.items():
        value = fit(spec, arguments[name], converts) if name in arguments else spec
        if value is None and not (spec is None and arguments.get(name) is None):
            return None
        fitted[name] = value
    return fitted


def nest_has_specs(value: Any) -> bool:
    """Whether there are specs in a nest."""
    return any(isinstance(leaf, TypeSpec) for leaf in nest.flatten(value))


def fit(spec: Any, value: Any, converts: bool) -> Any:
    """``value`` as ``spec`` describes it, or None if it does not fit.

    Args:
        spec: a nest of specs and Python values.
        value: the argument.
        converts: whether numbers and lists become tensors.
    """
    if isinstance(spec, TensorSpec):
        return _fit_tensor(spec, value, converts)
    if isinstance(spec, TypeSpec):
        return value if spec.is_compatible_with(value) else None
    if isinstance(spec, Mapping):
        if not isinstance(value, Mapping) or value.keys() != spec.keys():
            return None
        parts = {key: fit(part, value[key], converts) for key, part in spec.items()}
        missing = any(part is None and spec[key] is not None for key, part in parts.items())
        return None if missing else parts
    if isinstance(spec, (list, tuple)):
        if not isinstance(value, (list, tuple)) or len(value) != len(spec):
            return None
        if isinstance(spec, list) != isinstance(value, list):
            return None
        fitted = [fit(part, item, converts) for part, item in zip(spec, value, strict=True)]
        if any(part is None and own is not None for part, own in zip(fitted, spec, strict=True)):
            return None
        if hasattr(type(spec), "_fields"):
            return type(spec)(*fitted)
        return type(spec)(fitted)
    if isinstance(spec, VariableBase):
        return spec if value is spec else None
    if isinstance(spec, Captured) or isinstance(value, (Tensor, VariableBase, np.ndarray)):
        return None
    try:
        return value if type(value) is type(spec) and bool(value == spec) else None
    except (TypeError, ValueError):
        return None


def _fit_tensor(spec: TensorSpec, value: Any, converts: bool) -> Any:
    if isinstance(value, TensorSpec):
        fits = value.dtype == spec.dtype and spec.shape.is_compatible_with(value.shape)
        return value if fits else None
    if hasattr(type(value), "_nest_components") or isinstance(value, TypeSpec) or value is None:
        return None
    if isinstance(value, Tensor):
        tensor: Any = value
    elif isinstance(value, (VariableBase, np.ndarray, np.generic)) or hasattr(
        value, "__tf_tensor__"
    ):
        tensor = convert(value)
    elif not converts:
        return None
    else:
        try:
            tensor = convert(value, spec.dtype)
        except (TypeError, ValueError, errors.OpError):
            return None
    if tensor.dtype != spec.dtype or not spec.shape.is_compatible_with(tensor.shape):
        return None
    return tensor


# Signatures


class SignatureMap(Mapping[str, Any]):
    """The signatures of a loaded model, by name."""

    def __init__(self, signatures: dict[str, Any]) -> None:
        self._signatures = MappingProxyType(signatures)

    def __getitem__(self, name: str) -> Any:
        return self._signatures[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._signatures)

    def __len__(self) -> int:
        return len(self._signatures)

    def __repr__(self) -> str:
        return f"_SignatureMap({dict(self._signatures)!r})"


class SignatureFunction(RestoredConcrete):
    """A signature: it takes tensors by keyword, and gives a dict."""

    def __init__(
        self, concrete: RestoredConcrete, inputs: list[str], outputs: list[str], name: str
    ) -> None:
        self._body = concrete._body
        self._saved_variables = concrete._saved_variables
        self._input_names = inputs
        self._output_names = outputs
        self._runner = concrete._runner
        specs = flat_specs(list(concrete._arguments.values()))
        arguments = {
            parameter_name(name): TensorSpec(spec.shape, spec.dtype, name)
            for name, spec in zip(inputs, specs, strict=True)
        }
        signature = inspect.Signature(
            [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY) for name in arguments]
        )
        ConcreteFunction.__init__(self, _Named(name), self._from_arguments, signature, arguments)

    @property
    def _num_positional_args(self) -> int:
        return 1 if len(self._input_names) == 1 else 0

    def _trace(self) -> None:
        super()._trace()
        specs = nest.flatten(self._outputs)
        self._outputs = {
            name: TensorSpec(spec.shape, spec.dtype, name)
            for name, spec in zip(self._output_names, specs, strict=True)
        }
        self.graph.structured_outputs = self._outputs

    def _from_arguments(self, *args: Any, **kwargs: Any) -> Any:
        result = self._runner(*[kwargs[name] for name in self._arguments])
        return dict(zip(self._output_names, flatten(result), strict=True))


def signature_function(name: Any, concrete: Any, inputs: Any, outputs: Any) -> SignatureFunction:
    """The signature that takes and gives what these names say."""
    for names in (inputs, outputs):
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            raise Damaged(f"the signature {name} has names that are none")
    plain = _plain_name(concrete.name.decode()).removeprefix("signature_wrapper_")
    try:
        return SignatureFunction(concrete, inputs, outputs, f"signature_wrapper_{plain}")
    except (TypeError, ValueError) as error:
        raise Damaged(f"the signature {name} does not fit its function ({error})") from None
