"""``tf.compat.v1.train``: optimizers that keep something for each variable, in variables called slots."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from tapegrad import dtypes
from tapegrad.annex.raw import raw_ops
from tapegrad.annex.v1.optimizers import GradientDescentOptimizer
from tapegrad.framework.indexed_slices import IndexedSlices
from tapegrad.framework.variable import Variable
from tapegrad.ops.indexing.masks import unique
from tapegrad.ops.indexing.segment import unsorted_segment_sum
from tapegrad.ops.shape.casts import cast
from tapegrad.ops.shape.creation import convert_to_tensor, fill
from tapegrad.ops.shape.shapes import shape

PUBLIC = {
    "compat.v1.train": (
        "AdadeltaOptimizer AdagradOptimizer AdamOptimizer FtrlOptimizer MomentumOptimizer "
        "RMSPropOptimizer"
    ),
}


class SlotOptimizer(GradientDescentOptimizer):
    """An optimizer with slots, whose step is an op of `tapegrad.annex.raw.training`.

    A subclass lists the slots in SLOTS, with the value that each begins with, names the op in STEP and in
    HANDLES what the op calls the slots.
    """

    SLOTS: ClassVar[Mapping[str, float]] = {}
    STEP: str
    HANDLES: str

    def __init__(self, learning_rate: Any, use_locking: bool, name: str) -> None:
        super().__init__(learning_rate, use_locking, name)
        self._slots: dict[str, dict[int, Any]] = {name: {} for name in self._slot_values()}
        self._others: dict[str, Any] = {}

    def _slot_values(self) -> Mapping[str, float]:
        """The names of the slots, and the value that each begins with."""
        return self.SLOTS

    def get_slot_names(self) -> list[str]:
        """The names of the slots."""
        return sorted(name for name, slots in self._slots.items() if slots)

    def get_slot(self, var: Any, name: str) -> Any:
        """What the optimizer keeps for ``var`` under this name; None if it keeps nothing."""
        return self._slots.get(name, {}).get(var._unique_id)

    def variables(self) -> list[Any]:
        """The variables that the optimizer keeps, by name."""
        kept = [slot for slots in self._slots.values() for slot in slots.values()]
        return sorted([*kept, *self._others.values()], key=lambda variable: str(variable.name))

    def _slot(self, variable: Any, name: str) -> Any:
        slots = self._slots[name]
        if variable._unique_id not in slots:
            value = self._slot_values()[name]
            # TensorFlow numbers the slots that have one name.
            same = f"{variable.name.partition(':')[0]}/{self._name}"
            taken = {other.name for other in self.variables()}
            number = next(n for n in range(len(taken) + 1) if self._numbered(same, n) not in taken)
            slots[variable._unique_id] = Variable(
                fill(shape(variable), cast(value, variable.dtype)),
                trainable=False,
                name=self._numbered(same, number).removesuffix(":0"),
            )
        return slots[variable._unique_id]

    def _trackable_children(
        self, save_type: str = "checkpoint", cache: Any = None, **kwargs: Any
    ) -> dict[str, Any]:
        return {**super()._trackable_children(save_type, cache, **kwargs), **self._others}

    def _create_or_restore_slot_variable(
        self, slot_variable_position: Any, slot_name: str, variable: Any
    ) -> Any:
        """The slot for ``variable``, which a checkpoint has; None if the optimizer has none of this name."""
        return self._slot(variable, slot_name) if slot_name in self._slots else None

    @staticmethod
    def _numbered(name: str, number: int) -> str:
        return f"{name}_{number}:0" if number else f"{name}:0"

    def _apply(self, gradient: Any, variable: Any) -> None:
        slots = [self._slot(variable, name) for name in self._slots]
        handles = {
            name: slot.handle for name, slot in zip(self.HANDLES.split(), slots, strict=True)
        }
        numbers = {
            name: cast(value() if callable(value) else value, variable.dtype)
            for name, value in self._numbers().items()
        }
        step, more = f"ResourceApply{self.STEP}", {"grad": gradient, **self._flags()}
        if isinstance(gradient, IndexedSlices):
            # A row that comes several times is changed once, by the sum.
            rows, place = unique(gradient.indices)
            total = unsorted_segment_sum(gradient.values, place, shape(rows)[0])
            step, more = f"ResourceSparseApply{self.STEP}", {**more, "grad": total, "indices": rows}
        getattr(raw_ops, step)(var=variable.handle, **handles, **numbers, **more)

    def _numbers(self) -> dict[str, Any]:
        """The scalars that the op takes: numbers, tensors, or functions that give one for each step."""
        return {"lr": self._rate}

    def _flags(self) -> dict[str, bool]:
        """The flags of the op that are not as by default."""
        return {}


class AdagradOptimizer(SlotOptimizer):
    """Divides each gradient by the root of the sum of its squares so far.

    >>> weight = tf.Variable(3.0)
    >>> optimizer = tf.compat.v1.train.AdagradOptimizer(0.5)
    >>> optimizer.minimize(lambda: weight * weight, var_list=[weight])
    >>> float(weight.numpy()) < 3
    True
    """

    STEP, HANDLES = "Adagrad", "accum"

    def __init__(
        self,
        learning_rate: Any,
        initial_accumulator_value: float = 0.1,
        use_locking: bool = False,
        name: str = "Adagrad",
    ) -> None:
        if initial_accumulator_value <= 0.0:
            raise ValueError(
                f"initial_accumulator_value must be positive: {initial_accumulator_value}"
            )
        self._initial = initial_accumulator_value
        super().__init__(learning_rate, use_locking, name)

    def _slot_values(self) -> dict[str, float]:
        return {"accumulator": self._initial}


class MomentumOptimizer(SlotOptimizer):
    """Steps along a sum of the gradients so far, in which older ones count less."""

    SLOTS: ClassVar[Mapping[str, float]] = {"momentum": 0.0}
    STEP, HANDLES = "Momentum", "accum"

    def __init__(
        self,
        learning_rate: Any,
        momentum: Any,
        use_locking: bool = False,
        name: str = "Momentum",
        use_nesterov: bool = False,
    ) -> None:
        super().__init__(learning_rate, use_locking, name)
        self._momentum = momentum
        self._use_nesterov = use_nesterov

    def _numbers(self) -> dict[str, Any]:
        return {"lr": self._rate, "momentum": self._momentum}

    def _flags(self) -> dict[str, bool]:
        return {"use_nesterov": self._use_nesterov}


class RMSPropOptimizer(SlotOptimizer):
    """Divides each gradient by the root of a moving average of its squares.

    With ``centered`` that is the average of the squared distances from the gradients' own average.
    """

    def __init__(
        self,
        learning_rate: Any,
        decay: Any = 0.9,
        momentum: Any = 0.0,
        epsilon: Any = 1e-10,
        use_locking: bool = False,
        centered: bool = False,
        name: str = "RMSProp",
    ) -> None:
        self._centered = centered
        self.STEP = "CenteredRMSProp" if centered else "RMSProp"
        self.HANDLES = "ms mg mom" if centered else "ms mom"
        super().__init__(learning_rate, use_locking, name)
        self._decay, self._momentum, self._epsilon = decay, momentum, epsilon

    def _slot_values(self) -> dict[str, float]:
        return {"rms": 1.0, **({"mg": 0.0} if self._centered else {}), "momentum": 0.0}

    def _numbers(self) -> dict[str, Any]:
        return {
            "lr": self._rate,
            "rho": self._decay,
            "momentum": self._momentum,
            "epsilon": self._epsilon,
        }


class AdadeltaOptimizer(SlotOptimizer):
    """Scales each gradient by the ratio of two moving averages: of the steps so far, and of the gradients."""

    SLOTS: ClassVar[Mapping[str, float]] = {"accum": 0.0, "accum_update": 0.0}
    STEP, HANDLES = "Adadelta", "accum accum_update"

    def __init__(
        self,
        learning_rate: Any = 0.001,
        rho: Any = 0.95,
        epsilon: Any = 1e-8,
        use_locking: bool = False,
        name: str = "Adadelta",
    ) -> None:
        super().__init__(learning_rate, use_locking, name)
        self._rho, self._epsilon = rho, epsilon

    def _numbers(self) -> dict[str, Any]:
        return {"lr": self._rate, "rho": self._rho, "epsilon": self._epsilon}


class FtrlOptimizer(SlotOptimizer):
    """Follows the regularized leader: small weights become exactly 0."""

    STEP, HANDLES = "FtrlV2", "accum linear"

    def __init__(
        self,
        learning_rate: Any,
        learning_rate_power: float = -0.5,
        initial_accumulator_value: float = 0.1,
        l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0,
        use_locking: bool = False,
        name: str = "Ftrl",
        accum_name: str | None = None,
        linear_name: str | None = None,
        l2_shrinkage_regularization_strength: float = 0.0,
        beta: float | None = None,
    ) -> None:
        for what, value in (
            ("initial_accumulator_value", initial_accumulator_value),
            ("l1_regularization_strength", l1_regularization_strength),
            ("l2_regularization_strength", l2_regularization_strength),
            ("l2_shrinkage_regularization_strength", l2_shrinkage_regularization_strength),
        ):
            if value < 0.0:
                raise ValueError(f"{what} {value} needs to be greater than or equal to zero")
        if learning_rate_power > 0.0:
            raise ValueError(
                f"learning_rate_power {learning_rate_power} needs to be less than or equal to zero"
            )
        self._initial = initial_accumulator_value
        super().__init__(learning_rate, use_locking, name)
        self._power = learning_rate_power
        self._l1, self._l2 = l1_regularization_strength, l2_regularization_strength
        self._shrinkage, self._beta = l2_shrinkage_regularization_strength, beta or 0.0

    def _slot_values(self) -> dict[str, float]:
        return {"accum": self._initial, "linear": 0.0}

    def _numbers(self) -> dict[str, Any]:
        return {
            "lr": self._rate,
            "l1": self._l1,
            "l2": self._l2 + self._beta / (2 * self._rate),
            "l2_shrinkage": self._shrinkage,
            "lr_power": self._power,
        }


class AdamOptimizer(SlotOptimizer):
    """Divides a moving average of the gradients by the root of one of their squares, without their bias.

    A gradient for some rows moves all rows: the averages of the others fall.
    """

    SLOTS: ClassVar[Mapping[str, float]] = {"m": 0.0, "v": 0.0}
    STEP, HANDLES = "Adam", "m v"

    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta1: Any = 0.9,
        beta2: Any = 0.999,
        epsilon: Any = 1e-8,
        use_locking: bool = False,
        name: str = "Adam",
        use_own_namescope_for_non_slot_vars: bool = False,
    ) -> None:
        super().__init__(learning_rate, use_locking, name)
        self._betas, self._epsilon = (beta1, beta2), epsilon

    def _prepare(self) -> None:
        super()._prepare()
        self._values = [value() if callable(value) else value for value in self._betas]
        if not self._others:
            for number, value in enumerate(self._values, 1):
                name = f"beta{number}_power"
                self._others[name] = Variable(
                    cast(value, dtypes.float32), trainable=False, name=name
                )
                self._handle_deferred_dependencies(name, self._others[name])

    def _finish(self) -> None:
        """After a step, the powers of the betas are one higher."""
        for power, value in zip(self._others.values(), self._values, strict=True):
            power.assign(power * cast(value, power.dtype))

    def _apply(self, gradient: Any, variable: Any) -> None:
        super()._apply(convert_to_tensor(gradient), variable)

    def _numbers(self) -> dict[str, Any]:
        (beta1, beta2), (power1, power2) = self._values, self._others.values()
        return {
            "beta1_power": power1,
            "beta2_power": power2,
            "lr": self._rate,
            "beta1": beta1,
            "beta2": beta2,
            "epsilon": self._epsilon,
        }
