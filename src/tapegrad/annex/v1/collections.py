"""What programs of TensorFlow 1.x ask of graphs, and what is left of it where every op runs at once."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from tapegrad import dtypes
from tapegrad.core import public
from tapegrad.framework import random_state
from tapegrad.ops.shape.creation import constant
from tapegrad.symbolic.graphs import (
    GLOBAL_VARIABLES,
    TRAINABLE_VARIABLES,
    get_default_graph,
)

PUBLIC = {
    "compat.v1": (
        "add_to_collection add_to_collections assert_variables_initialized colocate_with container "
        "get_collection get_collection_ref get_seed global_variables global_variables_initializer "
        "GraphKeys initialize_all_tables initialize_all_variables initialize_local_variables "
        "initialize_variables is_variable_initialized local_variables local_variables_initializer "
        "model_variables moving_average_variables report_uninitialized_variables "
        "tables_initializer trainable_variables variables_initializer"
    ),
    "compat.v1.initializers": (
        "global_variables=global_variables_initializer local_variables=local_variables_initializer "
        "tables_initializer variables=variables_initializer"
    ),
}


class GraphKeys:
    """Names of collections."""

    GLOBAL_VARIABLES = GLOBAL_VARIABLES
    LOCAL_VARIABLES = "local_variables"
    METRIC_VARIABLES = "metric_variables"
    MODEL_VARIABLES = "model_variables"
    TRAINABLE_VARIABLES = TRAINABLE_VARIABLES
    SUMMARIES = "summaries"
    QUEUE_RUNNERS = "queue_runners"
    TABLE_INITIALIZERS = "table_initializer"
    ASSET_FILEPATHS = "asset_filepaths"
    MOVING_AVERAGE_VARIABLES = "moving_average_variables"
    REGULARIZATION_LOSSES = "regularization_losses"
    CONCATENATED_VARIABLES = "concatenated_variables"
    SAVERS = "savers"
    WEIGHTS = "weights"
    BIASES = "biases"
    ACTIVATIONS = "activations"
    UPDATE_OPS = "update_ops"
    LOSSES = "losses"
    SAVEABLE_OBJECTS = "saveable_objects"
    RESOURCES = "resources"
    LOCAL_RESOURCES = "local_resources"
    TRAINABLE_RESOURCE_VARIABLES = "trainable_resource_variables"
    INIT_OP = "init_op"
    LOCAL_INIT_OP = "local_init_op"
    READY_OP = "ready_op"
    READY_FOR_LOCAL_INIT_OP = "ready_for_local_init_op"
    SUMMARY_OP = "summary_op"
    GLOBAL_STEP = "global_step"
    EVAL_STEP = "eval_step"
    TRAIN_OP = "train_op"
    COND_CONTEXT = "cond_context"
    WHILE_CONTEXT = "while_context"
    VARIABLES = "variables"


@public(computes=False)
def add_to_collection(name: Any, value: Any) -> None:
    """Put ``value`` at the end of the collection ``name`` of the default graph.

    >>> tf.compat.v1.add_to_collection("costs", 3.0)
    >>> tf.compat.v1.get_collection("costs")
    [3.0]

    Args:
        name: the collection: a name of `tf.compat.v1.GraphKeys`, or any other object that can be a key of a
            dict.
        value: any object.
    """
    get_default_graph().add_to_collection(name, value)


@public(computes=False)
def add_to_collections(names: Any, value: Any) -> None:
    """Put ``value`` into several collections of the default graph, into each once.

    Args:
        names: an iterable of collections, or the name of one. A collection that comes twice counts once.
        value: any object.
    """
    get_default_graph().add_to_collections(names, value)


@public(computes=False)
def get_collection(key: Any, scope: str | None = None) -> list[Any]:
    """What is in a collection of the default graph, in a new list.

    Args:
        key: the collection.
        scope: only what has a name that begins so.
    """
    return get_default_graph().get_collection(key, scope)


@public(computes=False)
def get_collection_ref(key: Any) -> list[Any]:
    """A collection of the default graph itself: changes of the list change it.

    Args:
        key: the collection, as in `add_to_collection`. One that does not exist yet begins as an empty list.
    """
    return get_default_graph().get_collection_ref(key)


@public(computes=False)
def global_variables(scope: str | None = None) -> list[Any]:
    """The variables that were made in the default graph. In eager code they enter no collection.

    Args:
        scope: only variables whose names begin with a match of this regular expression; None for all.
    """
    return get_collection(GraphKeys.GLOBAL_VARIABLES, scope)


@public(computes=False)
def local_variables(scope: str | None = None) -> list[Any]:
    """The local variables that were made in the default graph.

    Args:
        scope: only variables whose names begin with a match of this regular expression; None for all.
    """
    return get_collection(GraphKeys.LOCAL_VARIABLES, scope)


@public(computes=False)
def model_variables(scope: str | None = None) -> list[Any]:
    """The collection of the variables of models.

    Args:
        scope: only variables whose names begin with a match of this regular expression; None for all.
    """
    return get_collection(GraphKeys.MODEL_VARIABLES, scope)


@public(computes=False)
def moving_average_variables(scope: str | None = None) -> list[Any]:
    """The collection of variables with moving averages.

    Args:
        scope: only variables whose names begin with a match of this regular expression; None for all.
    """
    return get_collection(GraphKeys.MOVING_AVERAGE_VARIABLES, scope)


@public(computes=False)
def trainable_variables(scope: str | None = None) -> list[Any]:
    """The trainable variables that were made in the default graph.

    >>> with tf.Graph().as_default():
    ...     weight = tf.Variable(1.0, name="weight")
    ...     [variable.name for variable in tf.compat.v1.trainable_variables()]
    ['weight:0']

    Args:
        scope: only variables whose names begin with a match of this regular expression; None for all.
    """
    return get_collection(GraphKeys.TRAINABLE_VARIABLES, scope)


@public(computes=False)
def variables_initializer(var_list: Any, name: str = "init") -> None:
    """Nothing to run: a variable has its value from the start.

    Args:
        var_list: the variables to initialize. It is not looked at.
    """


@public(computes=False)
def global_variables_initializer() -> None:
    """Nothing to run: a variable has its value from the start.

    >>> tf.compat.v1.global_variables_initializer() is None
    True
    """


@public(computes=False)
def local_variables_initializer() -> None:
    """Nothing to run: a variable has its value from the start."""


@public(computes=False)
def tables_initializer(name: str = "init_all_tables") -> None:
    """Nothing to run: a table has its contents from the start."""


@public(computes=False)
def initialize_all_tables(name: str = "init_all_tables") -> None:
    """Nothing to run: a table has its contents from the start."""


@public(computes=False)
def initialize_all_variables() -> None:
    """Nothing to run: a variable has its value from the start."""


@public(computes=False)
def initialize_local_variables() -> None:
    """Nothing to run: a variable has its value from the start."""


@public(computes=False)
def initialize_variables(var_list: Any, name: str = "init") -> None:
    """Nothing to run: a variable has its value from the start.

    Args:
        var_list: the variables to initialize. It is not looked at.
    """


@public(computes=False)
def is_variable_initialized(variable: Any) -> Any:
    """Whether a variable has a value, as a tensor.

    Args:
        variable: a `tf.Variable`.
    """
    return constant(variable.is_initialized())


@public(computes=False)
def report_uninitialized_variables(
    var_list: Iterable[Any] | None = None, name: str = "report_uninitialized_variables"
) -> Any:
    """The names of the variables without a value: there are none.

    Args:
        var_list: the variables to ask. It is not looked at.
    """
    return constant([], dtypes.string)


@public(computes=False)
def assert_variables_initialized(var_list: Any = None) -> None:
    """Nothing to check: a variable has its value from the start.

    Args:
        var_list: the variables to check. It is not looked at.
    """


@public(computes=False)
def colocate_with(op: Any, ignore_existing: bool = False) -> AbstractContextManager[None]:
    """A block whose ops run on the device of ``op``: there is one device.

    Args:
        op: a tensor or an op of a graph. It is not looked at.
        ignore_existing: accepted, and of no effect.
    """
    return nullcontext()


@public(computes=False)
def container(container_name: str) -> AbstractContextManager[None]:
    """A block whose variables belong to a container: a variable belongs to the program that made it.

    Args:
        container_name: the name of the container, which nothing keeps.
    """
    return nullcontext()


@public(computes=False)
def get_seed(op_seed: int | None) -> tuple[int | None, int | None]:
    """The global seed and the seed of an op, as random ops use them.

    >>> tf.random.set_seed(1)
    >>> tf.compat.v1.get_seed(3)
    (1, 3)

    Args:
        op_seed: the seed of the op, an int, or None where the op has none of its own.
    """
    return random_state.get_seed(op_seed)
