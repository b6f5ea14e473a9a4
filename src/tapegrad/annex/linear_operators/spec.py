"""The specs of linear operators, and the slices of batches of them."""

from __future__ import annotations

import functools
from typing import Any, TypeVar

from tapegrad import dtypes
from tapegrad.annex.linear_operators import ops
from tapegrad.framework.nest import flatten, map_structure
from tapegrad.framework.shape import TensorShape
from tapegrad.framework.spec import BatchableTypeSpec, TensorSpec, TypeSpec, type_spec_from_value

Operator = TypeVar("Operator", bound=type)

HINTS = ("is_positive_definite", "is_self_adjoint", "is_non_singular", "is_square")  # as printed


class LinearOperatorSpec(BatchableTypeSpec):
    """The spec of linear operators: the specs of their parameters, and the parameters that are no tensors."""

    __slots__ = ("_non_tensor_params", "_param_specs", "_prefer_static_fields")

    operator_class: type

    def __init__(
        self, param_specs: Any, non_tensor_params: Any, prefer_static_fields: Any = ()
    ) -> None:
        self._param_specs = param_specs
        self._non_tensor_params = non_tensor_params
        self._prefer_static_fields = prefer_static_fields

    @property
    def value_type(self) -> type:
        """The class of the operators described."""
        return self.operator_class

    @classmethod
    def from_operator(cls, operator: Any) -> Any:
        """The spec of this operator."""
        specs, others = {}, {}
        for field in operator._composite_tensor_fields:
            value = getattr(operator, field, getattr(operator, f"_{field}", None))
            if value is None or isinstance(value, (str, bool, int, dtypes.DType, TensorShape)):
                others[field] = value
            elif all(map(holds_tensors, flatten(value))):
                specs[field] = map_structure(type_spec_from_value, value)
            else:
                others[field] = value
        for hint in HINTS:
            others[hint] = getattr(operator, hint)
        return cls(specs, others, tuple(operator._composite_tensor_prefer_static_fields))

    def _serialize(self) -> tuple[Any, ...]:
        return (self._param_specs, self._non_tensor_params, self._prefer_static_fields)

    @property
    def _component_specs(self) -> Any:
        return self._param_specs

    def _to_components(self, value: Any) -> Any:
        return {
            field: getattr(value, field, getattr(value, f"_{field}", None))
            for field in self._param_specs
        }

    def _from_components(self, components: Any) -> Any:
        return self.operator_class(**components, **self._non_tensor_params)

    def _changed(self, change: Any) -> Any:
        specs = {field: map_structure(change, spec) for field, spec in self._param_specs.items()}
        return type(self)(specs, self._non_tensor_params, self._prefer_static_fields)

    def _batch(self, batch_size: Any) -> Any:
        def batched(spec: Any) -> Any:
            if isinstance(spec, TensorSpec):
                return TensorSpec(TensorShape([batch_size]).concatenate(spec.shape), spec.dtype)
            return spec._batch(batch_size)

        return self._changed(batched)

    def _unbatch(self) -> Any:
        def unbatched(spec: Any) -> Any:
            if isinstance(spec, TensorSpec):
                return TensorSpec(spec.shape[1:], spec.dtype)
            return spec._unbatch()

        return self._changed(unbatched)


def holds_tensors(value: Any) -> bool:
    """Whether a parameter is a tensor, a variable or an operator."""
    return ops.is_tensor(value) or isinstance(getattr(value, "_type_spec", None), TypeSpec)


@functools.cache
def spec_class(operator_class: type) -> type[LinearOperatorSpec]:
    """The class of the specs of ``operator_class``."""
    return type(
        f"{operator_class.__name__}Spec",
        (LinearOperatorSpec,),
        {
            "operator_class": operator_class,
            "__slots__": (),
            "__module__": operator_class.__module__,
            "__doc__": f"The spec of a {operator_class.__name__}.",
            "__reduce__": _reduced,
        },
    )


def _reduced(spec: Any) -> tuple[Any, ...]:
    return _spec_again, (spec.operator_class, spec._serialize())


def _spec_again(operator_class: type, serialization: Any) -> Any:
    return spec_class(operator_class)(*serialization)


def make_composite_tensor(cls: Operator, module_name: str = "tf.linalg") -> Operator:
    """``cls`` as it is: every linear operator is a composite here."""
    return cls


def sliced(operator: Any, slices: Any) -> Any:
    """The operators at these indices of a batch: the constructor's arguments again, each sliced."""
    indices = slices if isinstance(slices, tuple) else (slices,)
    rank = operator.batch_shape.rank
    counts = dict(operator._experimental_parameter_ndims_to_matrix_ndims)
    if not counts:
        raise ValueError(f"{operator.name} has no parameters with batch axes that could be sliced.")
    arguments = dict(operator.parameters)
    for field, count in counts.items():
        if arguments.get(field) is None:
            continue
        value = getattr(operator, field)
        arguments[field] = _sliced_parts(value, count, indices, rank)
    return type(operator)(**arguments)


def _sliced_parts(value: Any, count: Any, slices: tuple[Any, ...], rank: int) -> Any:
    if isinstance(count, (list, tuple)):
        return [
            _sliced_parts(part, axes, slices, rank) for part, axes in zip(value, count, strict=True)
        ]
    if hasattr(value, "batch_shape"):  # an operator
        return value[_fitted(value.batch_shape, slices, rank)]
    tensor = ops.convert_to_tensor(value)
    batch = tensor.shape[: tensor.shape.rank - count]
    return tensor[(*_fitted(batch, slices, rank), *[slice(None)] * count)]


def _fitted(batch: Any, slices: tuple[Any, ...], rank: int) -> tuple[Any, ...]:
    """The slices for a parameter whose batch axes broadcast to the ``rank`` axes of the operator's batch."""
    axes = sum(index is not None and index is not Ellipsis for index in slices)
    if Ellipsis in [index for index in slices if index is Ellipsis]:
        at = next(i for i, index in enumerate(slices) if index is Ellipsis)
    else:
        slices, at = (*slices, Ellipsis), len(slices)
    slices = (*slices[:at], *[slice(None)] * (rank - axes), *slices[at + 1 :])
    if axes > rank:
        return slices
    fitted: list[Any] = []
    missing, axis = rank - batch.rank, 0
    for index in slices:
        if index is None:
            if axis >= missing:
                fitted.append(index)
            continue
        if axis >= missing:
            one = batch[axis - missing] == 1
            fitted.append(index if not one else slice(None) if isinstance(index, slice) else 0)
        axis += 1
    return tuple(fitted)
