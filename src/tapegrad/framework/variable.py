"""``tf.Variable``, a tensor that can be assigned a new value: its methods, name, declared shape and checks.

The core holds the value, reads it, and writes into it in place if no other object holds the array.
A value that was read before an assignment never changes, and an assignment that is refused changes nothing.
"""

from __future__ import annotations

import copyreg
import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, NoReturn, Self, overload

from tapegrad import core, dtypes
from tapegrad.core import EagerTensor, Tensor, VariableBase, public
from tapegrad.framework import names, printing
from tapegrad.framework.absent import lacks
from tapegrad.framework.bases import TensorBase, Trackable
from tapegrad.framework.creators import Creatable
from tapegrad.framework.handle import Handle
from tapegrad.framework.indexed_slices import IndexedSlices
from tapegrad.framework.nested import conversions_of, short
from tapegrad.framework.shape import TensorShape
from tapegrad.framework.synchronization import (
    VariableAggregation,
    VariableAggregationV2,
    VariableSynchronization,
)
from tapegrad.framework.tensor import Reference, to_numpy
from tapegrad.framework.variable_spec import VariableSpec

if TYPE_CHECKING:
    from tapegrad.framework.types import DTypeLike, ShapeLike, TensorLike

PUBLIC = {".": "Variable"}


_strategy_of_variables: Callable[[], Any] | None = None


def say_strategy(function: Callable[[], Any]) -> None:
    """Let ``function`` say for every new variable which strategy of `tf.distribute` it belongs to."""
    global _strategy_of_variables
    _strategy_of_variables = function


# What programs written for PyTorch ask of a variable: see `tapegrad.framework.habits`.
HABITS = "backward cuda detach grad item requires_grad requires_grad_ to zero_grad"


@lacks("Variable", "SaveSliceInfo create from_proto initialized_value to_proto")
@lacks("Variable", HABITS)
class Variable(VariableBase, Trackable, metaclass=Creatable):
    """A value that programs keep and change: a weight, a counter, a moving average.

    >>> v = tf.Variable([1.0, 2.0], name="v")
    >>> v.assign_add([10.0, 10.0])
    <tf.Variable 'UnreadVariable' shape=(2,) dtype=float32, numpy=array([11., 12.], dtype=float32)>
    >>> v * 2.0
    <tf.Tensor: shape=(2,), dtype=float32, numpy=array([22., 24.], dtype=float32)>

    Ops take variables as they take tensors, and tapes watch each variable that is read, unless it was made
    with ``trainable=False``:

    >>> with tf.GradientTape() as tape:
    ...     loss = tf.reduce_sum(v * v)
    >>> tape.gradient(loss, v).numpy().tolist()
    [22.0, 24.0]

    Args:
        initial_value: a tensor or what converts to one, or a function without arguments that returns it.
        trainable: whether tapes watch the variable when it is read. True if left out, unless
            ``synchronization`` is ``ON_READ``.
        validate_shape, caching_device, import_scope, experimental_enable_variable_lifting: accepted, and of
            no effect.
        name: "Variable" if left out. Name scopes go before it, and it need not be unique.
        variable_def: not supported.
        dtype: what to convert the initial value to.
        constraint: a function that optimizers apply to the value after a step.
        synchronization, aggregation: kept, and of no effect.
        shape: the shape that values may have, if later values may have another than the initial one:
            ``tf.TensorShape([None, 3])``.

    Raises:
        NotImplementedError: for no initial value, in a subclass.
        ValueError: for no initial value, an initial value of another shape than ``shape``, a tensor of
            another dtype than ``dtype``, or a ``constraint`` that cannot be called.
    """

    def __new__(cls, *args: Any, **kwargs: Any) -> Self:
        # As in TensorFlow, tf.Variable(...) makes an instance of a subclass; users see only its name.
        variable_class: type = cls
        if cls is Variable:
            variable_class = ResourceVariable
            strategy = None if _strategy_of_variables is None else _strategy_of_variables()
            if strategy is not None:
                variable_class = strategy._class_of_variable(args, kwargs) or variable_class
        variable: Any = VariableBase.__new__(variable_class)
        return variable  # type: ignore[no-any-return]

    def __init__(
        self,
        initial_value: TensorLike | Callable[[], TensorLike] | None = None,
        trainable: bool | None = None,
        validate_shape: bool = True,
        caching_device: Any = None,
        name: str | None = None,
        variable_def: Any = None,
        dtype: DTypeLike | None = None,
        import_scope: str | None = None,
        constraint: Callable[[Any], Any] | None = None,
        synchronization: VariableSynchronization = VariableSynchronization.AUTO,
        aggregation: VariableAggregationV2 = VariableAggregationV2.NONE,
        shape: ShapeLike | None = None,
        experimental_enable_variable_lifting: bool = True,
    ) -> None:
        try:
            if variable_def is not None:
                raise ValueError(
                    "Creating a `tf.Variable` with a `variable_def` is "
                    "not supported when eager execution is enabled: give an initial value."
                )
            if initial_value is None:
                # TensorFlow's own constructor is abstract, and some classes of other libraries, whose
                # values are computed, expect its error.
                computed = not isinstance(self, ResourceVariable)
                raise (NotImplementedError if computed else ValueError)(
                    "A `tf.Variable` needs an `initial_value`: "
                    "a value, or a function that returns it."
                )
            if constraint is not None and not callable(constraint):
                raise ValueError(
                    "`constraint` must be None or callable; "
                    f"{constraint!r} of type {type(constraint).__name__} came."
                )
            if name is None:
                name = "Variable"
            elif not isinstance(name, str):
                raise ValueError(f"The name of a variable must be a string; {name!r} came.")
            if callable(initial_value) and not isinstance(initial_value, core.Operand):
                with core.no_recording():
                    initial_value = initial_value()
            value = core.convert(initial_value, None if dtype is None else dtypes.as_dtype(dtype))
            declared = value.shape
            if shape is not None:
                declared = TensorShape(shape)
                if not declared.is_compatible_with(value.shape):
                    raise ValueError(
                        f"The initial value's shape {value.shape} is not compatible "
                        f"with the `shape` given to tf.Variable, {declared}."
                    )
            if trainable is None:
                trainable = synchronization is not VariableSynchronization.ON_READ
            self._trainable = bool(trainable)
            self._dtype = value.dtype
            self._shape = declared
            self._handle_name = f"{names.current_scope()}{name}:0"
            self._constraint = constraint
            self._synchronization = synchronization
            self._aggregation = aggregation
            self._assign(value)
            if _strategy_of_variables is not None:
                self._distribute_strategy = _strategy_of_variables()
        except Exception as error:
            core.hide(error)
            raise

    def _chosen(self) -> Any:
        """The tensor that a variable of a library's class becomes, which has no value here; or None.

        `tf.register_tensor_conversion_function` says what.
        """
        if type(self) in (Variable, ResourceVariable):
            return None
        for conversion in conversions_of(type(self)):
            tensor = conversion(self, None, None, False)
            if isinstance(tensor, Tensor):
                return tensor
        return None

    # inspect.signature(tf.Variable) follows this to the constructor's own arguments.
    __new__.__wrapped__ = __init__  # type: ignore[attr-defined]
    Creatable.__call__.__wrapped__ = __init__  # type: ignore[attr-defined]
    _asks_creators = True  # of `variable_creator_scope`: calls of this class do, not of subclasses

    # The strategy of tf.distribute in whose scope the variable was made; None for the default strategy.
    _distribute_strategy: Any = None

    # What variables say of themselves

    @property
    def trainable(self) -> bool:  # type: ignore[override]
        """Whether tapes watch the variable when it is read."""
        return self._trainable

    @property
    def _trainable(self) -> bool:
        return bool(_core_trainable.__get__(self))

    @_trainable.setter
    def _trainable(self, trainable: bool) -> None:
        _core_trainable.__set__(self, bool(trainable))

    @property
    def name(self) -> str:
        """The name with its scopes, and ":0" as in graphs. Several variables may have the same."""
        return self._handle_name

    @property
    def _shared_name(self) -> str:
        # Read alone: classes of other libraries have a property of this name.
        return self._handle_name[:-2]

    @property
    def dtype(self) -> dtypes.DType:
        """The dtype of the elements, which never changes."""
        return self._dtype

    @property
    def shape(self) -> TensorShape:
        """The declared shape, parts of which may be unknown. ``tf.shape(variable)`` is the value's shape."""
        return self._shape

    def get_shape(self) -> TensorShape:
        """`shape`, as a method."""
        return self._shape

    def set_shape(self, shape: Any) -> None:
        """Make the declared shape more precise.

        Raises:
            ValueError: if ``shape`` contradicts it.
        """
        merged = self._shape.merge_with(TensorShape(shape))
        if not merged.is_compatible_with(self._snapshot.shape):
            raise ValueError(
                f"The variable's value has the shape {self._snapshot.shape}, not {shape}."
            )
        self._shape = merged

    @property
    def constraint(self) -> Callable[[Any], Any] | None:
        """The function that optimizers apply to the value after a step, or None."""
        return self._constraint

    @property
    def synchronization(self) -> VariableSynchronization:
        """The argument ``synchronization`` of the constructor."""
        return self._synchronization

    @property
    def aggregation(self) -> VariableAggregation:
        """The argument ``aggregation`` of the constructor."""
        return VariableAggregation(self._aggregation.value)

    @property
    def device(self) -> str:
        """The full name of the device that holds the value."""
        device: str = self._snapshot.device
        return device

    @property
    def handle(self) -> Handle:
        """The handle that refers to this variable in ``tf.raw_ops`` and in objects that act as variables."""
        if "_dtype" not in vars(self):
            # For a library's class that wraps another variable: Python calls the class's __getattr__ next.
            raise AttributeError(f"{type(self).__name__!r} object has no attribute 'handle'")
        known = None if self._handle is None else self._handle()
        if known is None:
            known = Handle(self)
            # A weak reference, so that a variable goes away with its last user, not with the next collection.
            self._handle = weakref.ref(known)
        return known

    def eval(self, session: Any = None) -> NoReturn:
        """Raises RuntimeError: a variable has its value, in graphs too. `numpy` gives it."""
        raise RuntimeError("eval() belongs to graphs and sessions: here .numpy() gives the value.")

    # Attributes that programs written for TensorFlow read. They have a meaning in graphs only.
    initializer = None
    _handle: weakref.ref[Handle] | None = None
    _in_graph_mode = False
    _save_slice_info = None
    _distribute_strategy = None
    _op: Any = None  # the operation that a graph has for the variable

    @property
    def op(self) -> Any:
        if self._op is None:
            raise AttributeError("Tensor.op is undefined when eager execution is enabled.")
        return self._op

    @property
    def graph(self) -> Any:
        if self._op is None:
            raise AttributeError("Tensor.graph is undefined when eager execution is enabled.")
        return self._op.graph

    @property
    def initial_value(self) -> NoReturn:
        raise RuntimeError(
            "`initial_value` is not supported when eager execution is enabled: nobody kept it."
        )

    def is_initialized(self, name: str | None = None) -> EagerTensor:
        """True, as a tensor."""
        return core.convert(True)

    def ref(self) -> Reference:
        """A hashable reference to the variable, equal to others of it; ``.deref()`` gives the variable."""
        return Reference(self)

    def experimental_ref(self) -> Reference:
        """`ref`, by its older name."""
        return Reference(self)

    def __dir__(self) -> list[str]:
        # A completion shows nothing that only raises.
        return [name for name in super().__dir__() if name not in HABITS.split()]

    def _repr_html_(self) -> str:
        from tapegrad.framework.tensor_html import tensor_html

        frozen = "" if self.trainable else ", not trainable"
        array = core.static_value(self._snapshot, "repr")
        return tensor_html(array, self._dtype, f"tf.Variable {self.name!r}{frozen}")

    def __repr__(self) -> str:
        array = core.static_value(self._snapshot, "repr")
        return printing.variable_repr(self.name, self._shape, array, self._dtype)

    def __hash__(self) -> int:  # type: ignore[override]
        raise TypeError(
            f"Variable is unhashable. Instead, use variable.ref() as the key. (Variable: {self!r})"
        )

    # Reading

    def value(self) -> EagerTensor:
        """The value now, as a new tensor, which later assignments do not change."""
        return self._read_anew(_pass_on)

    def read_value(self) -> EagerTensor:
        """The value now, as a tensor: `value` by another name."""
        return self.value()

    def read_value_no_copy(self) -> EagerTensor:
        """The value now, as a tensor. The array is copied by the next assignment in place, not before."""
        return self.value()

    def numpy(self) -> Any:
        """A copy of the value as a NumPy array, or as a NumPy scalar."""
        return to_numpy(core.static_value(self.value(), "numpy"))

    def sparse_read(self, indices: TensorLike, name: str | None = None) -> Tensor:
        """The slices at ``indices`` along the first axis; the gradient is ``tf.IndexedSlices``."""
        gathered: Tensor = core.callbacks().variables.gather(self, indices, 0)
        return gathered

    def gather_nd(self, indices: TensorLike, name: str | None = None) -> Tensor:
        """The elements or slices at the index vectors in the last axis of ``indices``."""
        gathered: Tensor = core.callbacks().variables.gather_nd(self, indices)
        return gathered

    def __getitem__(self, slice_spec: Any) -> VariableSlice:
        part: VariableSlice = super().__getitem__(slice_spec)  # type: ignore[assignment]
        # TensorFlow's slices of variables can be assigned to: v[0].assign(5.0).
        part.assign = _SliceAssignment(self, slice_spec)
        return part

    # Writing

    @overload
    def assign(
        self,
        value: TensorLike,
        use_locking: bool | None = False,
        name: str | None = None,
        read_value: Literal[True] = True,
    ) -> Variable: ...
    @overload
    def assign(
        self,
        value: TensorLike,
        use_locking: bool | None = False,
        name: str | None = None,
        *,
        read_value: bool,
    ) -> Variable | None: ...
    @public(computes=False)
    def assign(
        self, value: Any, use_locking: Any = False, name: str | None = None, read_value: bool = True
    ) -> Any:
        """Replace the value.

        Returns:
            The variable as it is after this, or None with ``read_value=False``.

        Raises:
            ValueError: for another shape than declared, or a tensor of another dtype.
        """
        tensor = core.convert(value, self._dtype)
        if not self._shape.is_compatible_with(tensor.shape):
            raise ValueError(
                f"Cannot assign value to variable {self.name!r}: Shape mismatch. "
                f"The variable shape {self._shape}, and the assigned value shape "
                f"{tensor.shape} are incompatible."
            )
        self._assign(tensor)
        return self._as(_UnreadVariable, read_value)

    @classmethod
    def _OverloadAllOperators(cls) -> None:
        """Nothing: a subclass has the operators. Libraries call it for classes of variables of their own."""

    def _dense_var_to_tensor(
        self, dtype: Any = None, name: Any = None, as_ref: bool = False
    ) -> Any:
        """The value as a tensor, for overriding by libraries; ValueError for another dtype."""
        if dtype is not None and not dtypes.as_dtype(dtype).is_compatible_with(self.dtype):
            raise ValueError(
                f"Incompatible type conversion requested to type {dtypes.as_dtype(dtype).name!r} for "
                f"variable of type '{self.dtype.name}'"
            )
        return self.value()

    def load(self, value: Any, session: Any = None) -> None:
        """The older name of `assign`."""
        self.assign(value)

    @overload
    def assign_add(
        self,
        delta: TensorLike,
        use_locking: bool | None = False,
        name: str | None = None,
        read_value: Literal[True] = True,
    ) -> Variable: ...
    @overload
    def assign_add(
        self,
        delta: TensorLike,
        use_locking: bool | None = False,
        name: str | None = None,
        *,
        read_value: bool,
    ) -> Variable | None: ...
    @public(computes=False)
    def assign_add(
        self, delta: Any, use_locking: Any = False, name: str | None = None, read_value: bool = True
    ) -> Any:
        """Add ``delta``, which must have the value's shape: nothing is broadcast.

        Raises:
            InvalidArgumentError: for another shape.
            ValueError: for a tensor of another dtype.
        """
        if not self._add_quickly(delta, False):
            core.callbacks().variables.assign_add.apply([core.convert(delta, self._dtype)], (self,))
        return self._as(_UnreadVariable, read_value)

    @overload
    def assign_sub(
        self,
        delta: TensorLike,
        use_locking: bool | None = False,
        name: str | None = None,
        read_value: Literal[True] = True,
    ) -> Variable: ...
    @overload
    def assign_sub(
        self,
        delta: TensorLike,
        use_locking: bool | None = False,
        name: str | None = None,
        *,
        read_value: bool,
    ) -> Variable | None: ...
    @public(computes=False)
    def assign_sub(
        self, delta: Any, use_locking: Any = False, name: str | None = None, read_value: bool = True
    ) -> Any:
        """Subtract ``delta``, which must have the value's shape: nothing is broadcast.

        Raises:
            InvalidArgumentError: for another shape.
            ValueError: for a tensor of another dtype.
        """
        if not self._add_quickly(delta, True):
            core.callbacks().variables.assign_sub.apply([core.convert(delta, self._dtype)], (self,))
        return self._as(_UnreadVariable, read_value)

    def _scatter(self, name: str, sparse_delta: Any) -> Variable:
        if not isinstance(sparse_delta, IndexedSlices):
            raise TypeError(
                f"Argument `sparse_delta` must be a `tf.IndexedSlices`; {sparse_delta!r} came."
            )
        updates = core.convert(sparse_delta.values, self._dtype)
        indices = core.convert(sparse_delta.indices)
        core.callbacks().variables.SCATTERS[name].apply([indices, updates], (self,))
        return self._as(_UnreadVariable)

    def scatter_add(
        self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None
    ) -> Variable:
        """Add the slices of ``tf.IndexedSlices`` at their indices. Slices with the same index are all added.

        >>> v = tf.Variable([1.0, 2.0, 3.0])
        >>> v.scatter_add(tf.IndexedSlices(values=[10.0, 20.0, 30.0], indices=[0, 2, 0])).numpy().tolist()
        [41.0, 2.0, 23.0]

        Raises:
            TypeError: for anything else than ``tf.IndexedSlices``.
            InvalidArgumentError: for an index out of range, and shapes that do not fit.
        """
        return self._scatter("Add", sparse_delta)

    def scatter_sub(
        self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None
    ) -> Variable:
        """Subtract the slices of ``tf.IndexedSlices`` at their indices."""
        return self._scatter("Sub", sparse_delta)

    def scatter_max(
        self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None
    ) -> Variable:
        """Raise the slices at the indices of ``tf.IndexedSlices`` to its values, where those are larger."""
        return self._scatter("Max", sparse_delta)

    def scatter_min(
        self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None
    ) -> Variable:
        """Lower the slices at the indices of ``tf.IndexedSlices`` to its values, where those are smaller."""
        return self._scatter("Min", sparse_delta)

    def scatter_mul(
        self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None
    ) -> Variable:
        """Multiply the slices at the indices of ``tf.IndexedSlices`` by its values."""
        return self._scatter("Mul", sparse_delta)

    def scatter_div(
        self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None
    ) -> Variable:
        """Divide the slices at the indices of ``tf.IndexedSlices`` by its values, none of which may be 0."""
        return self._scatter("Div", sparse_delta)

    def scatter_update(
        self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None
    ) -> Variable:
        """Replace the slices at the indices of ``tf.IndexedSlices``. Of equal indices the last counts."""
        return self._scatter("Update", sparse_delta)

    def _scatter_nd(self, name: str, indices: Any, updates: Any) -> Variable:
        tensors = [core.convert(indices), core.convert(updates, self._dtype)]
        core.callbacks().variables.SCATTERS[name].apply(tensors, (self,))
        return self._as(_UnreadVariable)

    def scatter_nd_add(
        self, indices: TensorLike, updates: TensorLike, name: str | None = None
    ) -> Variable:
        """Add ``updates`` at the index vectors in the last axis of ``indices``.

        >>> v = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
        >>> v.scatter_nd_add([[0, 1], [1, 1]], [10.0, 20.0]).numpy().tolist()
        [[1.0, 12.0], [3.0, 24.0]]

        Raises:
            InvalidArgumentError: for an index out of range, and shapes that do not fit.
        """
        return self._scatter_nd("NdAdd", indices, updates)

    def scatter_nd_sub(
        self, indices: TensorLike, updates: TensorLike, name: str | None = None
    ) -> Variable:
        """Subtract ``updates`` at the index vectors in the last axis of ``indices``."""
        return self._scatter_nd("NdSub", indices, updates)

    def scatter_nd_max(
        self, indices: TensorLike, updates: TensorLike, name: str | None = None
    ) -> Variable:
        """Raise the slices at the index vectors in the last axis of ``indices`` to ``updates`` at least."""
        return self._scatter_nd("NdMax", indices, updates)

    def scatter_nd_min(
        self, indices: TensorLike, updates: TensorLike, name: str | None = None
    ) -> Variable:
        """Lower the slices at the index vectors in the last axis of ``indices`` to ``updates`` at most."""
        return self._scatter_nd("NdMin", indices, updates)

    def scatter_nd_update(
        self, indices: TensorLike, updates: TensorLike, name: str | None = None
    ) -> Variable:
        """Replace the slices at the index vectors in the last axis of ``indices`` by ``updates``."""
        return self._scatter_nd("NdUpdate", indices, updates)

    def batch_scatter_update(
        self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None
    ) -> Variable:
        """Replace slices within each batch. All axes of the indices but the last are batch axes.

        >>> v = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
        >>> v.batch_scatter_update(tf.IndexedSlices([[9.0], [8.0]], [[0], [1]])).numpy().tolist()
        [[9.0, 2.0], [3.0, 8.0]]
        """
        if not isinstance(sparse_delta, IndexedSlices):
            raise TypeError(
                f"Argument `sparse_delta` must be a `tf.IndexedSlices`; {sparse_delta!r} came."
            )
        indices = core.convert(sparse_delta.indices)
        vectors = core.callbacks().variables.batch_points(indices, self._snapshot._shape_tuple())
        return self._scatter_nd("NdUpdate", vectors, sparse_delta.values)

    def count_up_to(self, limit: int) -> EagerTensor:
        """The value before one is added to it: for counters of rank 0.

        Raises:
            OutOfRangeError: when the value has reached ``limit``.
            InvalidArgumentError: for a variable that is not a scalar of int32 or int64.
        """
        before: EagerTensor = core.callbacks().variables.count_up_to.apply([], (self, limit, None))
        return before

    # `variable += value` would bind the name to a tensor, which is a mistake: TensorFlow refuses it as well.

    def __iadd__(self, other: Any) -> NoReturn:  # type: ignore[misc]
        _refuse_in_place("+", "assign_add(value)")

    def __isub__(self, other: Any) -> NoReturn:  # type: ignore[misc]
        _refuse_in_place("-", "assign_sub(value)")

    def __imul__(self, other: Any) -> NoReturn:  # type: ignore[misc]
        _refuse_in_place("*", "assign(variable * value)")

    def __itruediv__(self, other: Any) -> NoReturn:  # type: ignore[misc]
        _refuse_in_place("/", "assign(variable / value)")

    def __ipow__(self, other: Any) -> NoReturn:  # type: ignore[misc]
        _refuse_in_place("**", "assign(variable ** value)")

    # Copies

    def __copy__(self) -> Self:
        # As in TensorFlow: an object that is copied shares its variables with the copy.
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Variable:
        copied = restore_variable(
            self._snapshot, self._trainable, self._shared_name, self._shape, self._constraint,
            self._synchronization, self._aggregation,
        )  # fmt: skip
        memo[id(self)] = copied
        return copied

    def __reduce__(self) -> tuple[Any, ...]:
        if not hasattr(self, "_handle_name"):  # of a library's class, without a value
            return copyreg.__newobj__, (type(self),), vars(self)  # type: ignore[attr-defined]
        return restore_variable, (
            self._snapshot,
            self._trainable,
            self._shared_name,
            self._shape,
            self._constraint,
            self._synchronization,
            self._aggregation,
        )


_core_trainable: Any = VariableBase.__dict__["trainable"]


def restore_variable(
    value: Any,
    trainable: bool,
    name: str,
    shape: TensorShape,
    constraint: Any,
    synchronization: Any,
    aggregation: Any,
) -> Variable:
    """A variable like the one that was copied or pickled, whatever name scope is open now.

    Raises:
        TypeError: a part is not of the type that `Variable.__reduce__` gives. The parts are not to be
            trusted: the constructor would call an initial value that is a function.
    """
    for part, types in (
        (value, core.Tensor),
        (trainable, bool),
        (name, str),
        (shape, TensorShape),
        (synchronization, VariableSynchronization),
        (aggregation, (VariableAggregationV2, VariableAggregation)),
    ):
        if not isinstance(part, types):
            expected = types[0] if isinstance(types, tuple) else types
            raise TypeError(
                f"A pickled variable is damaged: {short(part)} came where a {expected.__name__} "
                "was expected."
            )
    variable = ResourceVariable(
        value,
        trainable=trainable,
        shape=shape,
        constraint=constraint,
        synchronization=synchronization,
        aggregation=aggregation,
    )
    variable._handle_name = f"{name}:0"
    return variable


def _pass_on(dy: Any) -> tuple[Any]:
    """The rule of a read: the gradient passes unchanged."""
    return (dy,)


_pass_on.keeps_slices = True  # type: ignore[attr-defined]


def _refuse_in_place(operator: str, mend: str) -> NoReturn:
    raise RuntimeError(
        f"`variable {operator}= value` with `tf.Variable`s is not supported. "
        f"Use `variable.{mend}` to modify the variable, "
        f"or `out = variable {operator} value` if you need to get a new output Tensor."
    )


class ResourceVariable(Variable, TensorBase):
    """What ``tf.Variable(...)`` makes."""

    @property
    def _type_spec(self) -> VariableSpec:
        return VariableSpec.from_value(self)


VariableSpec._variables = ResourceVariable


class _UnreadVariable(Variable):
    """What assignments return: the variable under another name. Reading it reads the variable."""

    op: Any = None  # the assignment, in TensorFlow's graphs

    @property
    def name(self) -> str:
        return "UnreadVariable"

    def __repr__(self) -> str:
        owner = self._owner
        array = core.static_value(owner._snapshot, "repr")
        return printing.variable_repr(self.name, owner.shape, array, owner.dtype)

    def __hash__(self) -> int:  # type: ignore[override]
        return super().__hash__()


def _forward(name: str, member: Any) -> Any:
    """A member that does what ``name`` does in the variable for which an ``_UnreadVariable`` stands."""
    if isinstance(member, property):
        return property(lambda self: getattr(self._owner, name))

    def forward(self: _UnreadVariable, *args: Any, **kwargs: Any) -> Any:
        return getattr(self._owner, name)(*args, **kwargs)

    return forward


for _name, _member in {**vars(core.Operand), **vars(Variable)}.items():
    _inherited = _name not in vars(_UnreadVariable) and _name not in ("__new__", "__init__")
    if _inherited and (callable(_member) or isinstance(_member, property)):
        setattr(_UnreadVariable, _name, _forward(_name, _member))


if TYPE_CHECKING:

    class VariableSlice(Tensor):
        """The type of a slice of a variable for type checkers: a tensor with an ``assign``."""

        assign: _SliceAssignment


class _SliceAssignment:
    """The ``assign`` of a slice of a variable."""

    __slots__ = ("_index", "_variable")

    def __init__(self, variable: Variable, index: Any) -> None:
        self._variable = variable
        self._index = index

    def __call__(self, value: TensorLike, name: str | None = None) -> Variable:
        """Write ``value``, broadcast to the slice's shape, into the slice of the variable.

        Raises:
            InvalidArgumentError: if it does not broadcast to that shape.
            ValueError: for a tensor of another dtype.
        """
        variable = self._variable
        tensor = core.convert(value, variable._dtype)
        core.callbacks().variables.assign_slice(variable, self._index, tensor)
        return variable._as(_UnreadVariable)
