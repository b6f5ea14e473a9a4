"""Variables, against TensorFlow's recorded answers; and what only we promise of them."""

import abc
import copy
import gc
import inspect
import pickle
import sys
import threading
import weakref

import numpy as np
import pytest

import tapegrad as tf
from golden import programs

RECORDS = programs.read("variables")


@pytest.mark.filterwarnings("ignore::numpy.exceptions.ComplexWarning")
@pytest.mark.parametrize("program", RECORDS)
def test_recorded(program):
    recorded = RECORDS[program]
    made = programs.outcome(program, {"tf": tf, "np": np})
    if "error" not in recorded:
        if isinstance(recorded.get("plain"), str):
            recorded = recorded | {"plain": programs.as_this_numpy_writes(recorded["plain"])}
        assert made == recorded
        return
    names = {"tf": tf, "np": np}
    with pytest.raises(Exception) as raised:  # noqa: PT011, PT012  the record names the class
        *statements, expression = program.split("; ")
        for statement in statements:
            exec(statement, names)
        eval(expression, names)
    assert programs.same_error(raised.value, recorded["error"]), repr(raised.value)
    assert len(str(raised.value)) > 15
    if "after" in made:
        # Nothing half-changed: TensorFlow writes up to the index that it refuses, we do not.
        unchanged = programs.coded(_before(program))
        assert made["after"] == unchanged


def _before(program):
    names = {"tf": tf, "np": np}
    exec(program.split("; ")[0], names)
    return names["v"].numpy()


# In place where nobody looks, in a new array where somebody does


def address(variable):
    return variable._snapshot._array.ctypes.data


def test_updates_write_in_place_when_nobody_holds_the_value():
    v = tf.Variable(np.zeros((100, 10), np.float32))
    v.assign_add(np.ones((100, 10)))
    before = address(v)
    v.assign_add(np.ones((100, 10)))
    v.assign_sub(np.full((100, 10), 0.5))
    v[3].assign(7.0)
    v.scatter_add(tf.IndexedSlices(tf.ones([2, 10]), tf.constant([0, 0])))
    v.scatter_nd_update([[99, 9]], [5.0])
    assert address(v) == before
    assert [float(v[i, 9]) for i in (0, 1, 3, 99)] == [3.5, 1.5, 7.0, 5.0]


@pytest.mark.parametrize(
    "change",
    [
        lambda v: v.assign_add([1.0, 1.0]),
        lambda v: v[0].assign(9.0),
        lambda v: v.scatter_sub(tf.IndexedSlices([4.0], [1])),
    ],
)
@pytest.mark.parametrize(
    "hold",
    [
        lambda v: v.value(),
        lambda v: v[:1],
        lambda v: np.asarray(v)[1:],
        lambda v: np.asarray(v.value()),
        lambda v: memoryview(np.asarray(v)),
        lambda v: tf.Variable(v),
        lambda v: copy.deepcopy(v),
        lambda v: tf.reshape(v, [2, 1]),
    ],
)
def test_what_is_held_does_not_change(change, hold):
    v = tf.Variable([1.0, 2.0])
    change(v)  # from here on the variable's array is its own
    v.assign(v + 0.0)
    held = hold(v)
    before = np.array(held)
    change(v)
    change(v)
    np.testing.assert_array_equal(np.array(held), before)


def test_the_tape_keeps_what_it_saw():
    v = tf.Variable([2.0, 3.0])
    v.assign_add([0.0, 0.0])
    with tf.GradientTape() as tape:
        y = v * v
        v.assign_add([10.0, 10.0])
    assert tape.gradient(y, v).numpy().tolist() == [4.0, 6.0]


def test_the_array_of_an_assigned_tensor_is_not_written_to():
    x = tf.constant([1.0, 2.0])
    v, w = tf.Variable(x), tf.Variable([0.0, 0.0])
    w.assign(x)
    for variable in (v, w):
        variable.assign_add([1.0, 1.0])
        variable[0].assign(50.0)
    assert x.numpy().tolist() == [1.0, 2.0]


@pytest.mark.parametrize(
    "dtype", ["float16", "bfloat16", "float32", "float64", "int8", "int64", "complex64"]
)
def test_updates_in_every_dtype(dtype):
    v = tf.Variable([1, 2, 3], dtype=dtype)
    for _ in range(3):
        v.assign_add([1, 1, 1])
    v.assign_sub([0, 1, 2])
    v.scatter_mul(tf.IndexedSlices(tf.cast([2, 2], dtype), tf.constant([0, 0])))
    assert v.dtype == dtype
    assert v.numpy().astype(np.complex128).tolist() == [16, 4, 4]


# Reads, and gradients through them


def test_every_reading_is_its_own_tensor():
    v = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        a, b = v.value(), v.read_value()
        y = a * b
    by_a, by_b, by_v = tape.gradient(y, [a, b, v])
    assert (by_a.numpy() == by_b.numpy()).all()
    assert by_v.numpy().tolist() == [2.0, 4.0]


@pytest.mark.parametrize(
    "read",
    [
        tf.convert_to_tensor,
        tf.constant,
        tf.identity,
        tf.stack,
        tf.math.real,
        tf.math.conj,
        tf.ragged.constant,
        tf.experimental.numpy.asarray,
        lambda v: v.value(),
        lambda v: v.read_value(),
        lambda v: tf.nn.dropout(v, 0.0),
    ],
)
def test_what_a_library_remembers_by_the_tensor_is_of_one_reading(read):
    """As TensorFlow Probability's bijectors do: the result for a tensor is kept, and given again for it."""
    v = tf.Variable([2.0])
    remembered = {}

    def squared():
        x = read(v)
        remembered.setdefault(id(x), (x, x * x))
        return remembered[id(x)][1]

    assert squared().numpy() == 4.0
    with tf.GradientTape() as tape:
        y = squared()
    assert tape.gradient(y, v).numpy() == 4.0  # not None: the tape has seen the square

    compiled = tf.function(squared)
    assert [compiled().numpy().item() for _ in range(3)] == [4.0, 4.0, 4.0]
    v.assign([3.0])
    assert compiled().numpy() == 9.0  # the square is part of the recording


def test_a_value_read_outside_is_watched_by_itself():
    v = tf.Variable([1.0, 2.0])
    a = v.value()
    with tf.GradientTape() as tape:
        tape.watch(a)
        y = v * v + a
    by_a, by_v = tape.gradient(y, [a, v])
    assert by_a.numpy().tolist() == [1.0, 1.0]
    assert by_v.numpy().tolist() == [2.0, 4.0]


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (lambda v: v.value() * v, [2.0, 4.0, 6.0]),
        (lambda v: v[0] * v[1:], [5.0, 1.0, 1.0]),
        (lambda v: v.assign(v * 2) * 3.0, [3.0, 3.0, 3.0]),
        (lambda v: v.assign_add([1.0, 1.0, 1.0]).value() * 2.0, [2.0, 2.0, 2.0]),
        (lambda v: [v.assign(v * 2.0), v * 1.0][1], [1.0, 1.0, 1.0]),
        (lambda v: [v[0].assign(5.0), v * v][1], [10.0, 4.0, 6.0]),
        (lambda v: [v * 1.0, v.assign([2.0, 2.0, 2.0])][0] + v * v, [5.0, 5.0, 5.0]),
    ],
)
def test_gradients(function, expected):
    v = tf.Variable([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        y = function(v)
    assert tape.gradient(y, v).numpy().tolist() == expected
    assert tape.watched_variables() == (v,) or tape.watched_variables()[0] is v


@pytest.mark.parametrize(
    ("read", "values", "indices"),
    [
        (lambda v: v.sparse_read([0, 2, 0]), [2.0, 2.0, 2.0], [0, 2, 0]),
        (lambda v: v.gather_nd([[0], [2]]), [2.0, 2.0], [0, 2]),
    ],
)
def test_partial_reads_have_sparse_gradients(read, values, indices):
    v = tf.Variable([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        y = read(v) * 2.0
    slices = tape.gradient(y, v)
    assert isinstance(slices, tf.IndexedSlices)
    assert slices.values.numpy().tolist() == values
    assert slices.indices.numpy().reshape(-1).tolist() == indices
    v.scatter_sub(slices)
    assert v.numpy()[1] == 2.0


def test_initial_values_are_not_recorded():
    x = tf.constant(3.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        v = tf.Variable(lambda: x * 2.0)
        y = v * x
    assert tape.gradient(y, v).numpy() == 3.0
    assert tape.gradient(y, x).numpy() == 6.0


# What a variable is


def test_its_signature_is_the_constructors():
    names = list(inspect.signature(tf.Variable).parameters)
    assert names[:5] == ["initial_value", "trainable", "validate_shape", "caching_device", "name"]
    assert names[-2:] == ["shape", "experimental_enable_variable_lifting"]


def test_a_subclass_of_variables_and_of_an_abstract_class():
    class Named(abc.ABC):
        @abc.abstractmethod
        def label(self): ...

    class Abstract(tf.Variable, Named):
        pass

    class Weight(Abstract):
        def label(self):
            return f"weight {self.shape}"

    with pytest.raises(TypeError, match="abstract class Abstract"):
        Abstract(1.0)
    weight = Weight([1.0, 2.0])
    assert (weight.label(), isinstance(weight, Named)) == ("weight (2,)", True)
    assert (weight * 2.0).numpy().tolist() == [2.0, 4.0]
    assert issubclass(type(tf.Variable), abc.ABCMeta)


def test_every_attribute_that_the_class_lists_is_there():
    class Named(tf.Variable):
        pass

    for cls in (tf.Variable, Named):
        listed = dir(cls)
        assert {"assign_add", "shape", "__init__"} <= {*listed}
        assert "SaveSliceInfo" not in listed
        for name in listed:
            getattr(cls, name)


def test_subclasses_have_their_own_constructors():
    class Named(tf.Variable):
        def __init__(self, value, label):
            super().__init__(value, name="named")
            self.label = label

    v = Named([1.0], "a")
    assert type(v) is Named
    assert v.label == "a"
    assert v.name == "named:0"
    assert (v + 1.0).numpy().tolist() == [2.0]


def test_a_subclass_has_attributes_of_its_own():
    class Named(tf.Variable):
        _shared_name = property(lambda self: "shared")

        def __init__(self, value):
            super().__init__(value, name="named")
            self._value = value

    v = Named([1.0])
    assert (v._value, v._shared_name, v.name) == ([1.0], "shared", "named:0")
    assert (v + 1.0).numpy().tolist() == [2.0]


def test_name_scopes_prefix_names():
    with tf.name_scope("outer"), tf.name_scope("inner"):
        v = tf.Variable(1.0, name="w")
        copied = pickle.loads(pickle.dumps(tf.Variable(2.0)))
    assert v.name == "outer/inner/w:0"
    assert copied.name == "outer/inner/Variable:0"


def test_a_copy_is_the_variable_itself():
    """Also in a copied object, whose gradients are then those of the first."""
    v = tf.Variable([1.0, 2.0])
    module = tf.Module()
    module.weight = v
    for other in (copy.copy(v), copy.copy(copy.copy(v)), copy.copy(module).weight):
        assert other is v
        with tf.GradientTape() as tape:
            y = other * v
        np.testing.assert_array_equal(tape.gradient(y, other), 2 * v.numpy())
        other.assign_add([1.0, 1.0])
    assert v.numpy().tolist() == [4.0, 5.0]


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda v: pickle.loads(pickle.dumps(v))])
def test_copies(duplicate):
    with tf.name_scope("scope"):
        v = tf.Variable(
            [1.0, 2.0],
            trainable=False,
            name="v",
            shape=[None],
            constraint=abs,
            synchronization=tf.VariableSynchronization.ON_WRITE,
            aggregation=tf.VariableAggregation.SUM,
        )
    w = duplicate(v)
    assert w is not v
    assert repr(w) == repr(v)
    assert (w.trainable, w.constraint, w.shape.as_list()) == (False, abs, [None])
    assert (w.synchronization, w.aggregation) == (v.synchronization, v.aggregation)
    w.assign_add([1.0, 1.0])
    assert v.numpy().tolist() == [1.0, 2.0]


def test_deepcopy_keeps_one_variable_one():
    v = tf.Variable(1.0)
    first, second = copy.deepcopy([v, v])
    assert first is second


def test_variables_are_let_go_at_once():
    gc.disable()
    try:
        v = tf.Variable([1.0, 2.0])
        v.assign_add([1.0, 1.0])
        v[0].assign(1.0)
        assert v.handle is v.handle
        with tf.GradientTape() as tape:
            y = v * v
        tape.gradient(y, v)
        gone = weakref.ref(v)
        del v, y, tape
        assert gone() is None
    finally:
        gc.enable()


def test_what_assignments_return_stands_for_the_variable():
    v = tf.Variable([1.0, 2.0], name="v")
    result = v.assign([3.0, 4.0])
    assert isinstance(result, tf.Variable)
    assert result.name == "UnreadVariable"
    assert result.handle is v.handle
    result.assign_add([1.0, 1.0])
    v.assign_add([1.0, 1.0])
    assert result.numpy().tolist() == v.numpy().tolist() == [5.0, 6.0]
    assert (result * 2.0).numpy().tolist() == [10.0, 12.0]
    with pytest.raises(TypeError, match="unhashable"):
        hash(result)


def test_unread_variables_do_not_keep_updates_from_writing_in_place():
    v = tf.Variable(np.zeros(1000, np.float32))
    ones = tf.ones([1000])
    v.assign_add(ones)
    before = address(v)
    for _ in range(10):
        v.assign_add(ones)
    assert address(v) == before


def test_threads_may_share_a_variable():
    v = tf.Variable(np.zeros(64, np.float32))
    ones = tf.ones([64])
    seen = []

    def work():
        for _ in range(300):
            v.assign_add(ones)
            seen.append(v.value())

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert v.numpy().tolist() == [1200.0] * 64
    for value in seen:
        array = value.numpy()
        assert (array == array[0]).all()


def test_handles_are_scalars_of_dtype_resource():
    v = tf.Variable([1.0, 2.0], name="v")
    assert v.handle.dtype is tf.resource
    assert v.handle.shape.as_list() == []
    assert "resource" in repr(v.handle)
    assert tf.raw_ops.ReadVariableOp(resource=v.handle, dtype=tf.float32).shape == (2,)
    with pytest.raises(tf.errors.InvalidArgumentError):
        v.handle.numpy()


def test_handles_stand_for_variables_on_tapes():
    v = tf.Variable(3.0)
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(v.handle)
        y = v * v
    assert tape.gradient(y, v.handle).numpy() == 6.0


def test_eval_needs_a_session():
    with pytest.raises(RuntimeError):
        tf.Variable(1.0).eval()
    with pytest.raises(NotImplementedError):
        tf.constant(1.0).eval()


def test_a_variable_of_a_librarys_class_converts_as_it_is_registered():
    class Held(tf.Variable):
        """Keeps a tensor, and calls no constructor."""

        shape = property(lambda self: self.held.shape)
        dtype = property(lambda self: self.held.dtype)

        def __init__(self, held):
            self.held = held

    with pytest.raises(ValueError, match="has no value"):
        tf.matmul([[1.0]], Held(tf.constant([[2.0]])))
    with pytest.raises(NotImplementedError, match="needs an `initial_value`"):
        super(Held, Held(1.0)).__init__()
    tf.register_tensor_conversion_function(
        Held, lambda value, dtype=None, name=None, as_ref=False: value.held
    )
    held = Held(tf.constant([[2.0]]))
    with tf.GradientTape() as tape:
        tape.watch(held.held)
        y = tf.matmul([[3.0]], held) * tf.add(held, held)
    assert y.numpy() == 24.0
    assert tape.gradient(y, held.held).numpy() == 24.0
    assert tf.convert_to_tensor(held).numpy() == 2.0
    function, arguments, state = held.__reduce__()
    assert (type(function(*arguments)), state) == (Held, {"held": held.held})


def test_what_assignments_return_has_no_op():
    variable = tf.Variable([1.0, 2.0])
    for assigned in (
        variable.assign([2.0, 3.0]),
        variable.assign_add([1.0, 1.0]),
        tf.compat.v1.scatter_update(variable, [0], [5.0]),
    ):
        assert assigned.op is None
    with pytest.raises(AttributeError, match="op is undefined"):
        variable.op  # noqa: B018  # reading it is what is tested


class _Doubled(tf.Variable):
    """A variable of a library: it wraps another, and changes its value on the way (larq's quantized ones)."""

    def __init__(self, latent):
        self.latent = latent

    def __getattr__(self, name: str):
        return getattr(self.latent, name)

    def _dense_var_to_tensor(self, *args, **kwargs):
        return 2 * self.latent._dense_var_to_tensor(*args, **kwargs)

    shape = property(lambda self: self.latent.shape)
    dtype = property(lambda self: self.latent.dtype)
    trainable = property(lambda self: self.latent.trainable)


_Doubled._OverloadAllOperators()
tf.register_tensor_conversion_function(_Doubled, _Doubled._dense_var_to_tensor)


@pytest.mark.parametrize("recorded", [False, True])
def test_the_gradient_by_a_variable_that_wraps_another(recorded):
    latent = tf.Variable([1.0, 3.0])
    wrapped = _Doubled(latent)
    assert wrapped.handle is latent.handle

    def slopes():
        with tf.GradientTape(persistent=True) as tape:
            y = tf.reduce_sum(wrapped * wrapped + wrapped)
        both = tape.gradient(y, [wrapped, latent])
        return [tape.gradient(y, wrapped), *both, tape.jacobian(y, wrapped)]

    function = tf.function(slopes) if recorded else slopes
    for value in ([1.0, 3.0], [2.0, 5.0], [0.0, 1.0]):
        latent.assign(value)
        for slope in function():
            assert slope.numpy().tolist() == [8 * each + 2 for each in value]


def test_a_wrapped_variable_is_watched_by_itself():
    latent = tf.Variable(2.0)
    wrapped = _Doubled(latent)
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(wrapped)
        y = wrapped * 3.0
    assert tape.watched_variables() == (latent,)
    assert float(tape.gradient(y, wrapped)) == 6.0


def test_the_value_for_a_class_that_wraps():
    variable = tf.Variable(1.0)
    assert float(variable._dense_var_to_tensor()) == 1.0
    assert float(variable._dense_var_to_tensor(dtype=tf.float32, name="x")) == 1.0
    with pytest.raises(ValueError, match="Incompatible type conversion requested to type 'int32'"):
        variable._dense_var_to_tensor(dtype=tf.int32)


@pytest.mark.parametrize("shape", [None, [None]])
def test_a_loop_goes_over_a_variable_of_open_shape(shape):
    v = tf.Variable([1.0, 2.0], shape=tf.TensorShape(shape))
    with tf.GradientTape() as tape:
        y = sum(x * x for x in v)
    assert [float(x) for x in v] == [1.0, 2.0]
    assert tape.gradient(y, v).numpy().tolist() == [2.0, 4.0]
    v.assign([1.0, 2.0, 3.0])
    assert len(list(v)) == 3
