"""``tf.compat.v1.Variable``, ``get_variable``, scopes of variables, and functions that assign.

Variables are those of today. A scope gives them names and defaults; as in TensorFlow's eager mode, every call
of `get_variable` makes a new variable, but within a call of a template (`tf.compat.v1.make_template`).
"""

from __future__ import annotations

import enum
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any, Protocol

from tapegrad import dtypes
from tapegrad.annex.v1.collections import GraphKeys
from tapegrad.annex.v1.initializers import glorot_uniform_initializer, zeros_initializer
from tapegrad.core import public
from tapegrad.framework.docstrings import with_arguments
from tapegrad.framework.indexed_slices import IndexedSlices
from tapegrad.framework.names import executing_eagerly
from tapegrad.framework.names import name_scope as tf_name_scope
from tapegrad.framework.printed import Printed
from tapegrad.framework.shape import TensorShape
from tapegrad.framework.synchronization import VariableAggregation, VariableSynchronization
from tapegrad.framework.variable import Variable as tf_Variable
from tapegrad.ops.shape.casts import cast
from tapegrad.ops.shape.creation import convert_to_tensor
from tapegrad.symbolic.graphs import get_default_graph

PUBLIC = {
    "compat.v1": (
        "AUTO_REUSE Variable VariableAggregation VariableScope assign assign_add assign_sub "
        "get_local_variable get_variable get_variable_scope no_regularizer scatter_add scatter_div "
        "scatter_max scatter_min scatter_mul scatter_nd_add scatter_nd_sub scatter_nd_update "
        "scatter_sub scatter_update variable_op_scope variable_scope"
    ),
}

__all__ = ["VariableAggregation"]


class _ReuseMode(enum.Enum):
    """How scopes share variables."""

    AUTO_REUSE = 1


AUTO_REUSE = _ReuseMode.AUTO_REUSE


class Variable:
    """Makes a `tf.Variable`.

    Args:
        collections: the collections that it enters in a graph; that of the global variables if left out.
        expected_shape, use_resource: accepted, and of no effect.
    """

    def __new__(
        cls,
        *args: Any,
        collections: Any = None,
        expected_shape: Any = None,
        use_resource: Any = None,
        **kwargs: Any,
    ) -> Any:
        with into(collections):
            return tf_Variable(*args, **kwargs)


def into(collections: Iterable[Any] | None) -> AbstractContextManager[None]:
    """A context in which new variables enter these collections of the graph that is open."""
    if collections is None or executing_eagerly():
        return nullcontext()
    return get_default_graph().variables_into(*collections)


class VariableScope:
    """The name and the defaults of the variables that `get_variable` makes within a scope.

    Args:
        reuse: whether variables of the same name are to be shared. In eager mode it is always AUTO_REUSE.
    """

    def __init__(
        self,
        reuse: Any,
        name: str = "",
        initializer: Any = None,
        regularizer: Any = None,
        caching_device: Any = None,
        partitioner: Any = None,
        custom_getter: Any = None,
        name_scope: str = "",
        dtype: Any = dtypes.float32,
        use_resource: Any = None,
        constraint: Any = None,
    ) -> None:
        self.name = name
        self.original_name_scope = name_scope
        self.initializer = initializer
        self.regularizer = regularizer
        self.caching_device = caching_device
        self.partitioner = partitioner
        self.custom_getter = custom_getter
        self.dtype = dtypes.as_dtype(dtype)
        self.use_resource = True
        self.constraint = constraint
        self.reuse = AUTO_REUSE
        self._used: dict[str, int] = {}

    def reuse_variables(self) -> None:
        """Nothing: in eager mode variables are never found by their names."""

    def set_initializer(self, initializer: Any) -> None:
        """Give variables this initializer from now on, where they have none of their own."""
        self.initializer = initializer

    def set_regularizer(self, regularizer: Any) -> None:
        """Give variables this regularizer from now on, where they have none of their own."""
        self.regularizer = regularizer

    def set_dtype(self, dtype: Any) -> None:
        """Give variables this dtype from now on, where they have none of their own."""
        self.dtype = dtypes.as_dtype(dtype)

    def set_caching_device(self, caching_device: Any) -> None:
        """Remember where reads are to be kept. There is one device, so that nothing changes.

        Raises:
            NotImplementedError: outside of a function, as in TensorFlow.
        """
        if executing_eagerly():
            raise NotImplementedError(
                "VariableScope.set_caching_device() works in a tf.function alone: eager code caches no reads."
            )
        self.caching_device = caching_device

    def set_partitioner(self, partitioner: Any) -> None:
        """Remember a partitioner. Variables are never partitioned."""
        self.partitioner = partitioner

    def set_custom_getter(self, custom_getter: Any) -> None:
        """Make variables by this function from now on, where they have none of their own."""
        self.custom_getter = custom_getter

    def set_use_resource(self, use_resource: Any) -> None:
        """Check that variables stay variables of resources, which is the only kind in eager mode."""
        if not use_resource:
            raise ValueError(
                "VariableScope.set_use_resource() takes True: variables are resources."
            )
        self.use_resource = True

    def _unused(self, name: str) -> str:
        """``name``, with a number if a scope within this one has that name already."""
        count = self._used.get(name, 0)
        self._used[name] = count + 1
        return f"{name}_{count}" if count else name

    def __repr__(self) -> str:
        return f"VariableScope(name={self.name!r})"


class _Scopes(threading.local):
    """The scopes of variables that a thread is in."""

    def __init__(self) -> None:
        self.entered = [VariableScope(AUTO_REUSE)]
        self.sharing: list[Sharing] = []  # the templates that run


_scopes = _Scopes()


class Sharing(Protocol):
    """What keeps the variables that `get_variable` makes, and gives them again: a template."""

    def known(self, name: str, shape: Any) -> Any:
        """The variable of this whole name, which has to have the shape; None if there is none."""

    def add(self, name: str, variable: Any) -> None:
        """Keep a new variable under its whole name."""


@contextmanager
def sharing(variables: Sharing) -> Iterator[Sharing | None]:
    """A context in which `get_variable` asks ``variables``; gives what it asked before."""
    outer = _scopes.sharing[-1] if _scopes.sharing else None
    _scopes.sharing.append(variables)
    try:
        yield outer
    finally:
        _scopes.sharing.pop()


@public
def get_variable_scope() -> VariableScope:
    """The innermost scope of variables."""
    return _scopes.entered[-1]


class variable_scope(Printed):
    """A context in which `get_variable` gives variables names that begin with that of the scope.

    >>> with tf.compat.v1.variable_scope("layer", dtype=tf.float64):
    ...     weight = tf.compat.v1.get_variable("weight", [2])
    >>> weight.name, weight.dtype
    ('layer/weight:0', tf.float64)

    Args:
        name_or_scope: a name, or a scope to enter again.
        default_name: the name if ``name_or_scope`` is None. It gets a number if it is in use.
        initializer, regularizer, dtype, constraint: defaults for the variables within.
        reuse: True is refused by `get_variable`, as in TensorFlow's eager mode; else of no effect.
        values, caching_device, partitioner, use_resource, auxiliary_name_scope: accepted, and of no effect.
    """

    def __init__(
        self,
        name_or_scope: Any,
        default_name: Any = None,
        values: Any = None,
        initializer: Any = None,
        regularizer: Any = None,
        caching_device: Any = None,
        partitioner: Any = None,
        custom_getter: Any = None,
        reuse: Any = None,
        dtype: Any = None,
        use_resource: Any = None,
        constraint: Any = None,
        auxiliary_name_scope: bool = True,
    ) -> None:
        if name_or_scope is None and default_name is None:
            raise TypeError("If default_name is None then name_or_scope is required")
        if name_or_scope is not None and not isinstance(name_or_scope, (str, VariableScope)):
            raise TypeError(
                "VariableScope: name_or_scope must be a string or VariableScope; "
                f"{name_or_scope!r} came."
            )
        self._name_or_scope = name_or_scope
        self._default_name = default_name
        self._own = {
            "initializer": initializer,
            "regularizer": regularizer,
            "custom_getter": custom_getter,
            "constraint": constraint,
            "dtype": dtype,
        }
        self._prefix = ""
        self._name_scope: Any = None

    def __enter__(self) -> VariableScope:
        outer = get_variable_scope()
        source = self._name_or_scope
        base = source if isinstance(source, VariableScope) else outer
        own = {
            name: getattr(base, name) if value is None else value
            for name, value in self._own.items()
        }
        if isinstance(source, VariableScope):
            path = source.name
        else:
            last = outer._unused(self._default_name) if source is None else source
            path = f"{outer.name}/{last}" if outer.name else last
        self._name_scope = tf_name_scope(f"{path}/" if path else "")
        prefix = self._name_scope.__enter__()
        scope = VariableScope(AUTO_REUSE, path, name_scope=prefix, **own)
        _scopes.entered.append(scope)
        return scope

    def __exit__(self, *error: Any) -> None:
        _scopes.entered.pop()
        self._name_scope.__exit__(*error)


@public
def variable_op_scope(
    values: Any, name_or_scope: Any, default_name: Any = None, **options: Any
) -> variable_scope:
    """`variable_scope`, with its arguments in another order.

    Args:
        values: accepted, and of no effect.
        name_or_scope: a name, or a scope to enter again.
        default_name: the name if ``name_or_scope`` is None.
    """
    return variable_scope(name_or_scope, default_name, values, **options)


@public
def get_variable(
    name: str,
    shape: Any = None,
    dtype: Any = None,
    initializer: Any = None,
    regularizer: Any = None,
    trainable: Any = None,
    collections: Any = None,
    caching_device: Any = None,
    partitioner: Any = None,
    validate_shape: bool = True,
    use_resource: Any = None,
    custom_getter: Any = None,
    constraint: Any = None,
    synchronization: Any = VariableSynchronization.AUTO,
    aggregation: Any = VariableAggregation.NONE,
) -> Any:
    """A variable with the name and the defaults of the scope: a new one, but in later calls of a template.

    >>> tf.compat.v1.get_variable("bias", [2], initializer=tf.compat.v1.zeros_initializer()).numpy()
    array([0., 0.], dtype=float32)

    Args:
        shape: the shape for the initializer, where that is a function. Where it is a tensor, leave the shape
            out.
        dtype: the dtype; None is that of a tensor as initializer, and else that of the scope, which is
            float32 unless a scope says otherwise.
        initializer: a tensor, or a function of a shape. By default floating-point variables get
            ``glorot_uniform_initializer()``, and other variables zeros.
        regularizer, caching_device, partitioner, validate_shape, use_resource: accepted, and of no effect.
        trainable: whether tapes watch the variable and optimizers change it; None is true.
        collections: the collections that it enters in a graph; that of the global variables if left out.
        custom_getter: called in place of making the variable, with a function that makes it, the whole name
            and the arguments; that of the scope if None.
        constraint: a function of the value, which optimizers call after each step; that of the scope if None.
        synchronization, aggregation: as of `tf.Variable`.

    Raises:
        ValueError: the initializer is a tensor, and ``dtype`` another than its own, or there is a ``shape``.
    """
    scope = get_variable_scope()
    wanted = scope.dtype if dtype is None else dtypes.as_dtype(dtype)
    if initializer is None:
        initializer = scope.initializer
    if dtype is not None and initializer is not None and not callable(initializer):
        initializer = convert_to_tensor(initializer)
        if initializer.dtype != wanted:
            raise ValueError(
                f"The initializer of variable {name} is of {initializer.dtype.name}, and its dtype is to be "
                f"{wanted.name}. Cast the initializer, or leave dtype out."
            )
    getter = scope.custom_getter if custom_getter is None else custom_getter
    options: dict[str, Any] = {
        "trainable": trainable,
        "constraint": scope.constraint if constraint is None else constraint,
        "synchronization": synchronization,
        "aggregation": aggregation,
    }
    full_name = f"{scope.name}/{name}" if scope.name else name
    with into(collections):
        if getter is not None:
            return getter(
                make, full_name, shape=shape, dtype=wanted, initializer=initializer, **options
            )
        return make(full_name, shape, wanted, initializer, **options)


def make(
    name: str, shape: Any = None, dtype: Any = None, initializer: Any = None, **options: Any
) -> Any:
    """The variable that `get_variable` gives, under its whole name. A custom getter calls it."""
    shared = _scopes.sharing[-1] if _scopes.sharing else None
    variable = None if shared is None else shared.known(name, shape)
    if variable is not None:
        return variable
    if initializer is None:
        kind = dtypes.as_dtype(dtype)
        initializer = glorot_uniform_initializer() if kind.is_floating else zeros_initializer()
    if isinstance(initializer, type):
        initializer = initializer()
    if callable(initializer):
        if shape is None:
            raise ValueError(
                f"Variable {name} did not get an initializer, so its `shape` argument must be specified."
            )
        value = initializer(list(TensorShape(shape)), dtype=dtype)
    else:
        if shape is not None:
            raise ValueError("If initializer is a constant, do not specify shape.")
        value, dtype = initializer, None
    known = {key: option for key, option in options.items() if key in OPTIONS}
    with tf_name_scope(""):
        variable = tf_Variable(value, name=name, dtype=dtype, **known)
    if shared is not None:
        shared.add(name, variable)
    return variable


OPTIONS = frozenset({"aggregation", "constraint", "synchronization", "trainable"})


@public
def get_local_variable(name: str, *args: Any, **kwargs: Any) -> Any:
    """`get_variable` with ``trainable=False``, which in a graph enters the collection of local variables.

    Args:
        *args: the arguments of `get_variable` after the name, which may also be passed by name.
    """
    collections = [*(kwargs.get("collections") or ()), GraphKeys.LOCAL_VARIABLES]
    return get_variable(name, *args, **{"trainable": False, **kwargs, "collections": collections})


@public
def no_regularizer(_: Any) -> None:
    """A regularizer that regularizes nothing, for scopes within one that has another.

    Args:
        _: the weights. They are not looked at.
    """


# --- Assignment -----------------------------------------------------------------------------------------


@public
def assign(
    ref: Any, value: Any, validate_shape: Any = None, use_locking: Any = None, name: Any = None
) -> Any:
    """``ref.assign(value)``.

    >>> tf.compat.v1.assign(tf.Variable(1.0), 2.0).numpy()
    np.float32(2.0)

    Args:
        ref: a `tf.Variable`.
        value: the new value, of the shape and the dtype of the variable, or what becomes such a tensor.
        validate_shape, use_locking: accepted, and of no effect.
    """
    return ref.assign(value)


@public
def assign_add(ref: Any, value: Any, use_locking: Any = None, name: Any = None) -> Any:
    """``ref.assign_add(value)``.

    Args:
        ref: a `tf.Variable`.
        value: what is added, of the shape and the dtype of the variable, or what becomes such a tensor.
        use_locking: accepted, and of no effect.
    """
    return ref.assign_add(value)


@public
def assign_sub(ref: Any, value: Any, use_locking: Any = None, name: Any = None) -> Any:
    """``ref.assign_sub(value)``.

    Args:
        ref: a `tf.Variable`.
        value: what is subtracted, of the shape and the dtype of the variable, or what becomes such a tensor.
        use_locking: accepted, and of no effect.
    """
    return ref.assign_sub(value)


def scatter(kind: str) -> Callable[..., Any]:
    """A function that scatters slices into a variable."""

    def function(
        ref: Any, indices: Any, updates: Any, use_locking: bool = False, name: Any = None
    ) -> Any:
        slices = IndexedSlices(cast(updates, ref.dtype), convert_to_tensor(indices))
        return getattr(ref, f"scatter_{kind}")(slices)

    function.__name__ = function.__qualname__ = f"scatter_{kind}"
    function.__doc__ = with_arguments(
        f"``ref.scatter_{kind}(tf.IndexedSlices(updates, indices))``.",
        {
            "ref": "a `tf.Variable`.",
            "indices": "integers of any shape: the numbers of rows of the variable.",
            "updates": "of shape ``indices.shape + ref.shape[1:]``, or a scalar for all rows.",
            "use_locking": "accepted, and of no effect.",
        },
    )
    return public(function)


def scatter_nd(kind: str) -> Callable[..., Any]:
    """A function that scatters elements into a variable."""

    def function(
        ref: Any, indices: Any, updates: Any, use_locking: bool = False, name: Any = None
    ) -> Any:
        return getattr(ref, f"scatter_nd_{kind}")(indices, updates)

    function.__name__ = function.__qualname__ = f"scatter_nd_{kind}"
    function.__doc__ = with_arguments(
        f"``ref.scatter_nd_{kind}(indices, updates)``.",
        {
            "ref": "a `tf.Variable`.",
            "indices": "integers, whose last axis has the places: of elements, or of slices if it is "
            "shorter than the rank of the variable.",
            "updates": "what comes to each place, of shape "
            "``indices.shape[:-1] + ref.shape[indices.shape[-1]:]``.",
            "use_locking": "accepted, and of no effect.",
        },
    )
    return public(function)


scatter_add, scatter_sub, scatter_update = scatter("add"), scatter("sub"), scatter("update")
scatter_mul, scatter_div = scatter("mul"), scatter("div")
scatter_max, scatter_min = scatter("max"), scatter("min")
scatter_nd_add, scatter_nd_sub = scatter_nd("add"), scatter_nd("sub")
scatter_nd_update = scatter_nd("update")
