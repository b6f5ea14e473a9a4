"""``tf.compat.v1.train``: what all optimizers have, gradient descent, and the counter of steps."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import nullcontext
from typing import Any

from tapegrad import dtypes
from tapegrad.annex.v1.collections import GraphKeys
from tapegrad.autodiff.tape import GradientTape
from tapegrad.core import public
from tapegrad.framework import nest
from tapegrad.framework.bases import Trackable
from tapegrad.framework.indexed_slices import IndexedSlices
from tapegrad.framework.missing_gradients import hint
from tapegrad.framework.names import name_scope
from tapegrad.framework.variable import Variable
from tapegrad.ops.shape.casts import cast
from tapegrad.symbolic.graphs import get_default_graph

PUBLIC = {
    "compat.v1.train": (
        "GradientDescentOptimizer Optimizer create_global_step get_global_step "
        "get_or_create_global_step"
    ),
}


class Optimizer(Trackable):
    """Changes variables so that a loss falls. A subclass defines what it does with one gradient.

    >>> weight = tf.Variable(3.0)
    >>> optimizer = tf.compat.v1.train.GradientDescentOptimizer(0.1)
    >>> optimizer.minimize(lambda: weight * weight, var_list=[weight])
    >>> weight.numpy()
    np.float32(2.4)
    """

    GATE_NONE, GATE_OP, GATE_GRAPH = 0, 1, 2

    def __init__(self, use_locking: bool, name: str) -> None:
        if not name:
            raise ValueError("Must specify the optimizer name")
        self._use_locking = use_locking
        self._name = name

    def __repr__(self) -> str:
        return f"<tf.compat.v1.train.{type(self).__name__} {self._name!r}>"

    def get_name(self) -> str:
        """The name that the optimizer was made with."""
        return self._name

    def compute_gradients(
        self,
        loss: Any,
        var_list: Any = None,
        gate_gradients: int = GATE_OP,
        aggregation_method: Any = None,
        colocate_gradients_with_ops: bool = False,
        grad_loss: Any = None,
    ) -> list[tuple[Any, Any]]:
        """The gradients of ``loss()``, each with its variable.

        Args:
            loss: a function without arguments.
            var_list: the variables; by default those trainable ones that ``loss`` reads.
            grad_loss: the gradient arriving at the loss; ones by default.
        """
        if not callable(loss):
            raise RuntimeError(
                "`loss` passed to Optimizer.compute_gradients should be a function when eager "
                "execution is enabled."
            )
        with GradientTape() as tape:
            if var_list is not None:
                tape.watch(var_list)
            value = loss()
        variables = list(tape.watched_variables()) if var_list is None else nest.flatten(var_list)
        return list(zip(tape.gradient(value, variables, grad_loss), variables, strict=True))

    def apply_gradients(
        self, grads_and_vars: Iterable[tuple[Any, Any]], global_step: Any = None, name: Any = None
    ) -> None:
        """Change each variable by its gradient, and add 1 to ``global_step``.

        Raises:
            ValueError: there are no variables, or all gradients are None.
        """
        steps = list(grads_and_vars)
        if not steps:
            raise ValueError("No variables provided.")
        if all(gradient is None for gradient, _ in steps):
            raise ValueError(
                "No gradients provided for any variable: "
                f"{[str(variable) for _, variable in steps]}.{hint()}"
            )
        self._prepare()
        for gradient, variable in steps:
            if gradient is not None:
                self._apply(gradient, variable)
        self._finish()
        if global_step is not None:
            global_step.assign_add(1)

    def minimize(
        self,
        loss: Any,
        global_step: Any = None,
        var_list: Any = None,
        gate_gradients: int = GATE_OP,
        aggregation_method: Any = None,
        colocate_gradients_with_ops: bool = False,
        name: Any = None,
        grad_loss: Any = None,
    ) -> None:
        """`compute_gradients`, and `apply_gradients` with what it gives."""
        steps = self.compute_gradients(loss, var_list, grad_loss=grad_loss)
        if all(gradient is None for gradient, _ in steps):
            raise ValueError(
                "No gradients provided for any variable, check your graph for ops that do not support "
                f"gradients, between variables {[str(variable) for _, variable in steps]} and "
                f"loss {loss}."
            )
        self.apply_gradients(steps, global_step)

    def variables(self) -> list[Any]:
        """The variables that the optimizer keeps: none."""
        return []

    def _prepare(self) -> None:
        """Called once before each step."""

    def _finish(self) -> None:
        """Called once after each step."""

    def _apply(self, gradient: Any, variable: Any) -> None:
        """Change ``variable`` by ``gradient``, a tensor or `tf.IndexedSlices`."""
        raise NotImplementedError("an optimizer defines _apply(gradient, variable)")


class GradientDescentOptimizer(Optimizer):
    """Takes ``learning_rate`` times its gradient from each variable.

    Args:
        learning_rate: a number, a tensor, or a function that gives one for each step.
    """

    def __init__(
        self, learning_rate: Any, use_locking: bool = False, name: str = "GradientDescent"
    ) -> None:
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._rate: Any = None

    def _prepare(self) -> None:
        rate = self._learning_rate
        self._rate = rate() if callable(rate) else rate

    def _apply(self, gradient: Any, variable: Any) -> None:
        rate = cast(self._rate, variable.dtype)
        if isinstance(gradient, IndexedSlices):
            variable.scatter_sub(IndexedSlices(gradient.values * rate, gradient.indices))
        else:
            variable.assign_sub(gradient * rate)


@public
def create_global_step(graph: Any = None) -> Any:
    """The counter of steps of a graph, the default one if left out, which must not exist yet.

    Args:
        graph: a `tf.Graph`; the default graph if None.
    """
    if get_global_step(graph) is not None:
        raise ValueError('"global_step" already exists.')
    return get_or_create_global_step(graph)


@public
def get_global_step(graph: Any = None) -> Any:
    """The counter of steps of a graph, the default one if left out; None if there is none.

    Args:
        graph: a `tf.Graph`; the default graph if None.
    """
    counters = (graph or get_default_graph()).get_collection(GraphKeys.GLOBAL_STEP)
    return counters[0] if counters else None


@public
def get_or_create_global_step(graph: Any = None) -> Any:
    """The counter of steps of a graph, the default one if left out: an int64 variable.

    >>> tf.compat.v1.train.get_or_create_global_step().name
    'global_step:0'

    Args:
        graph: a `tf.Graph`; the default graph if None.
    """
    counter = get_global_step(graph)
    if counter is None:
        with nullcontext() if graph is None else graph.as_default(), name_scope(""):
            counter = Variable(0, dtype=dtypes.int64, trainable=False, name="global_step")
            get_default_graph().add_to_collection(GraphKeys.GLOBAL_STEP, counter)
    return counter
