"""`tf.train.ExponentialMovingAverage`: running means of variables."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tapegrad import dtypes
from tapegrad.framework.names import init_scope
from tapegrad.framework.printed import Printed
from tapegrad.framework.variable import Variable
from tapegrad.ops.elementwise.math import minimum
from tapegrad.ops.shape.casts import cast

PUBLIC = {"train compat.v1.train": "ExponentialMovingAverage"}

_AVERAGED = (dtypes.bfloat16, dtypes.float16, dtypes.float32, dtypes.float64)


class ExponentialMovingAverage(Printed):
    """Keeps a running mean of each variable it is given: ``mean -= (1 - decay) * (mean - variable)``.

    >>> weight = tf.Variable(1.0)
    >>> averages = tf.train.ExponentialMovingAverage(decay=0.9)
    >>> averages.apply([weight])                        # the mean begins with the value
    >>> _ = weight.assign(3.0)
    >>> averages.apply([weight])
    >>> averages.average(weight).numpy()
    np.float32(1.2)

    Args:
        decay: how much of a mean stays at each step, often 0.999 or so.
        num_updates: the number of steps so far. Then the decay is at most
            ``(1 + num_updates) / (10 + num_updates)``, so that early means follow faster.
        zero_debias: changes nothing, because the means of variables begin with the values.
        name: what is added to the names of variables.
    """

    def __init__(
        self,
        decay: Any,
        num_updates: Any = None,
        zero_debias: bool = False,
        name: str = "ExponentialMovingAverage",
    ) -> None:
        self._decay = decay
        self._num_updates = num_updates
        self._zero_debias = zero_debias
        self._name = name
        self._means: dict[
            Any, Any
        ] = {}  # from the reference of a variable to the variable of its mean

    def _printed_state(self) -> str:
        return f"{self._name!r}, decay {self._decay}, of {len(self._means)} variables"

    @property
    def name(self) -> str:
        """What is added to the names of variables."""
        return self._name

    def apply(self, var_list: Iterable[Any] | None = None) -> None:
        """Move the means of these variables; the first time, make them.

        Args:
            var_list: variables of floats; none if left out.

        Raises:
            TypeError: something in the list is no variable, or holds no floats.
        """
        variables: list[Any] = [] if var_list is None else list(var_list)
        for variable in variables:
            if not isinstance(variable, Variable):
                raise TypeError(
                    "tf.train.ExponentialMovingAverage keeps means of variables; "
                    f"var_list holds a {type(variable).__name__}."
                )
            if variable.dtype not in _AVERAGED:
                raise TypeError(
                    f"The variables must be half, float, or double: {variable.name} is "
                    f"{variable.dtype.name}."
                )
        for variable in variables:
            if variable.ref() not in self._means:
                self._means[variable.ref()] = self._new_mean(variable)
        for variable in variables:
            mean = self._means[variable.ref()]
            rest = cast(1.0 - self._current_decay(), mean.dtype)
            mean.assign_sub(rest * (mean - variable))

    def average(self, var: Any) -> Any:
        """The variable that holds the mean of ``var``; None if `apply` has not seen ``var``."""
        return self._means.get(var.ref())

    def average_name(self, var: Any) -> str:
        """The name of the variable that holds the mean of ``var``."""
        return f"{var.name.partition(':')[0]}/{self._name}"

    def variables_to_restore(
        self, moving_avg_variables: Iterable[Any] | None = None
    ) -> dict[str, Any]:
        """For each name in a checkpoint the variable that takes the value: the means go to their variables.

        Args:
            moving_avg_variables: the variables that have means; those that `apply` has seen if left out.
        """
        chosen = (
            [reference.deref() for reference in self._means]
            if moving_avg_variables is None
            else moving_avg_variables
        )
        return {self.average_name(variable): variable for variable in chosen}

    def _new_mean(self, variable: Any) -> Any:
        with init_scope():
            return Variable(
                variable.read_value(), trainable=False, name=self.average_name(variable)
            )

    def _current_decay(self) -> Any:
        decay = cast(self._decay, dtypes.float32)
        if self._num_updates is None:
            return decay
        steps = cast(self._num_updates, dtypes.float32)
        return minimum(decay, (1.0 + steps) / (10.0 + steps))
