"""The ``input_signature`` of a `tf.function`, and how a call is made to fit it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from tapegrad.core import EagerTensor, Tensor, VariableBase, convert
from tapegrad.framework import nest
from tapegrad.framework.spec import TensorSpec, TypeSpec
from tapegrad.framework.variable_spec import VariableSpec
from tapegrad.functions import recordings


class InputSignature:
    """An ``input_signature``, and how a call is made to fit it."""

    def __init__(self, python_function: Callable[..., Any], input_signature: Any) -> None:
        if not isinstance(input_signature, (list, tuple)):
            raise TypeError(
                "input_signature must be a list or a tuple with one entry per argument; "
                f"a {type(input_signature).__name__} came."
            )
        for spec in nest.flatten(input_signature):
            if not isinstance(spec, TypeSpec) and not (
                hasattr(spec, "shape") and hasattr(spec, "dtype")
            ):
                raise TypeError(
                    "input_signature must hold TensorSpecs, alone or in nests; "
                    f"it holds {spec!r}, a {type(spec).__name__}."
                )
            if isinstance(spec, VariableSpec):
                raise TypeError(
                    f"input_signature holds {spec!r}; it describes tensors and composites, not variables."
                )
        self.called = getattr(python_function, "__name__", type(python_function).__name__)
        self.signature = inspect.signature(python_function)
        self.specs: dict[str, Any] = {}
        self.many: str | None = None  # *args, which take all the specs that are left
        left = list(input_signature)
        for i, (name, parameter) in enumerate(self.signature.parameters.items()):
            if i == 0 and name in ("self", "cls") and parameter.kind != parameter.VAR_POSITIONAL:
                continue
            if parameter.kind == parameter.VAR_POSITIONAL:
                self.many, self.specs[name], left = name, tuple(left), []
            elif parameter.kind == parameter.POSITIONAL_OR_KEYWORD or (
                parameter.kind == parameter.POSITIONAL_ONLY
            ):
                if left:
                    self.specs[name] = left.pop(0)
                elif parameter.default is parameter.empty:
                    raise TypeError(
                        f"input_signature has no entry for {name}, which has no default."
                    )
            elif parameter.kind == parameter.KEYWORD_ONLY and parameter.default is parameter.empty:
                raise TypeError(f"input_signature has no entry for {name}, which has no default.")
        if left:
            raise TypeError(
                f"input_signature has {len(left)} more entries than {self.called}() has arguments."
            )

    def bind(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The arguments of one call, converted."""
        try:
            bound = self.signature.bind(*args, **kwargs)
        except TypeError as error:
            raise TypeError(f"{self.called}() does not take these arguments: {error}.") from None
        for name, spec in self.specs.items():
            if name in bound.arguments:
                bound.arguments[name] = self.fit(name, bound.arguments[name], spec)
        for name, value in bound.arguments.items():
            default = self.signature.parameters[name].default
            if (
                name not in self.specs
                and default is not self.signature.empty
                and not (value is default or value == default)
            ):
                raise TypeError(
                    f"{self.called}() has no TensorSpec for {name} in its input_signature, "
                    f"which fixes it at its default, {default!r}; {value!r} came."
                )
        return bound.args, bound.kwargs

    def unknown_axes(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[int, list[int]]:
        """The axes that the specs leave open, for the number of each tensor among fitted arguments."""
        axes: dict[int, list[int]] = {}  # for the id of a tensor

        def visit(value: Any, spec: Any) -> None:
            if isinstance(spec, Mapping):
                for key in spec:
                    visit(value[key], spec[key])
            elif nest.is_nested(spec):
                for pair in zip(value, spec, strict=True):
                    visit(*pair)
            elif type(value) is EagerTensor:
                sizes = spec.shape.as_list() if spec.shape.rank is not None else [None] * value.ndim
                axes[id(value)] = [axis for axis, size in enumerate(sizes) if size is None]

        arguments = self.signature.bind(*args, **kwargs).arguments
        for name, spec in self.specs.items():
            if name in arguments:
                visit(arguments[name], spec)
        return {
            number: axes[id(tensor)]
            for number, tensor in enumerate(recordings.tensors_in(args, kwargs))
            if axes.get(id(tensor))
        }

    def fit(self, name: str, value: Any, spec: Any) -> Any:
        """``value`` as tensors that ``spec`` describes."""
        if not nest.is_nested(spec):
            return self.fit_leaf(name, value, spec)
        # A list may be the value of one tensor, so the two nests are compared no further down than the specs.
        if isinstance(spec, Mapping):
            if isinstance(value, Mapping) and set(value) == set(spec):
                return {key: self.fit(name, value[key], spec[key]) for key in value}
        elif isinstance(value, type(spec)) and len(value) == len(spec):
            parts = [self.fit(name, *pair) for pair in zip(value, spec, strict=True)]
            return type(spec)(*parts) if hasattr(spec, "_fields") else type(spec)(parts)
        raise TypeError(
            f"The argument {name} of {self.called}() does not have the structure "
            f"that input_signature gives it, {spec!r}; {value!r} came."
        )

    def cover(self, name: str, value: Any, spec: Any) -> Any:
        """``spec``, if it covers the canonical argument ``value``."""
        for own, wanted in zip(nest.flatten(value), nest.flatten(spec), strict=False):
            covered = isinstance(own, TypeSpec) and own.is_compatible_with(wanted)
            if not covered and own is not wanted:
                raise TypeError(
                    f"Binding inputs to tf.function failed due to `Can not cast {own!r} to {wanted!r}`, "
                    f"the argument {name} of {self.called}()."
                )
        return spec

    def fit_leaf(self, name: str, value: Any, spec: Any) -> Any:
        tensor: Any = value
        is_of_tensor = isinstance(spec, TensorSpec) or not isinstance(spec, TypeSpec)
        if not is_of_tensor or hasattr(
            type(value), "_nest_components"
        ):  # a composite, a data set, an iterator
            if not spec.is_compatible_with(value):
                raise TypeError(
                    f"The argument {name} of {self.called}() must be what {spec!r} describes; "
                    f"{getattr(value, '_type_spec', value)!r} came."
                )
            return value
        if not isinstance(value, (Tensor, VariableBase)):
            try:
                tensor = convert(value, spec.dtype)
            except (TypeError, ValueError) as error:
                raise TypeError(
                    f"The argument {name} of {self.called}() cannot become a tensor "
                    f"of {spec.dtype.name}: {error}"
                ) from None
        if tensor.dtype != spec.dtype or not spec.shape.is_compatible_with(tensor.shape):
            raise TypeError(
                f"The argument {name} of {self.called}() must be a tensor of {spec.dtype.name} "
                f"and shape {spec.shape}; one of {tensor.dtype.name} and shape {tensor.shape} came."
            )
        return value if isinstance(value, VariableBase) else tensor
