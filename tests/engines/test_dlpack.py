"""DLPack: memory is lent and borrowed without copies, nobody writes into a tensor, no capsule does harm."""

from __future__ import annotations

import ctypes
import gc
import weakref
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
import pytest

import tapegrad as tf
from tapegrad.engines.numpy.dlpack import CODES
from tapegrad.framework.dlpack import imported

WRONG = tf.errors.InvalidArgumentError
from_dlpack = tf.experimental.dlpack.from_dlpack
to_dlpack = tf.experimental.dlpack.to_dlpack


class Layout(ctypes.Structure):
    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    )


DELETER = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class Managed(ctypes.Structure):
    _fields_ = (("tensor", Layout), ("context", ctypes.c_void_p), ("deleter", DELETER))


class Versioned(ctypes.Structure):
    _fields_ = (
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("context", ctypes.c_void_p),
        ("deleter", DELETER),
        ("flags", ctypes.c_uint64),
        ("tensor", Layout),
    )


def capsule_function(name: str, result: Any, *arguments: Any) -> Any:
    function = getattr(ctypes.pythonapi, f"PyCapsule_{name}")
    function.restype, function.argtypes = result, arguments
    return function


new_capsule = capsule_function(
    "New", ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p
)
pointer_in = capsule_function("GetPointer", ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)
name_of = capsule_function("GetName", ctypes.c_char_p, ctypes.py_object)
set_name = capsule_function("SetName", ctypes.c_int, ctypes.py_object, ctypes.c_char_p)


def structure_in(capsule: Any) -> Any:
    name = name_of(capsule)
    kind = Versioned if name == b"dltensor_versioned" else Managed
    return kind.from_address(pointer_in(capsule, name))


class Producer:
    """A capsule of another library over an array, whose fields a test can change, and its deleter's calls."""

    # A structure must be there until its deleter is called, and a tensor may outlive what a test knows of it.
    lent: ClassVar[list[Producer]] = []

    def __init__(self, array: np.ndarray[Any, Any], versioned: bool = False) -> None:
        self.array = array
        self.structure = Versioned() if versioned else Managed()
        if versioned:
            self.structure.major, self.structure.minor = 1, 0
        self.name = b"dltensor_versioned" if versioned else b"dltensor"
        self.calls: list[int] = []
        self.structure.deleter = DELETER(self.calls.append)
        tensor = self.tensor = self.structure.tensor
        tensor.data = array.ctypes.data
        tensor.device_type, tensor.ndim, tensor.lanes = 1, array.ndim, 1
        tensor.code, tensor.bits = CODES[tf.as_dtype(array.dtype).name]
        self.sizes = (ctypes.c_int64 * 64)(*array.shape)
        self.steps = (ctypes.c_int64 * 64)(*(step // array.itemsize for step in array.strides))
        tensor.shape = ctypes.cast(self.sizes, ctypes.POINTER(ctypes.c_int64))
        tensor.strides = ctypes.cast(self.steps, ctypes.POINTER(ctypes.c_int64))
        self.capsule = new_capsule(ctypes.addressof(self.structure), self.name, None)
        self.lent.append(self)

    def __dlpack__(self, **options: Any) -> Any:
        return self.capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0)


def as_module(name: str) -> Callable[..., Any]:
    """`tensor.__dlpack__` as the module of another library calls it."""
    space: dict[str, Any] = {"__name__": name}
    exec("def take(tensor, **options): return tensor.__dlpack__(**options)", space)
    take: Callable[..., Any] = space["take"]
    return take


TORCH, JAX = as_module("torch.utils.dlpack"), as_module("jax._src.dlpack")
NEW = {"max_version": (1, 0)}


def address(tensor: Any) -> int:
    return int(tensor._array.ctypes.data)


# Lending


@pytest.mark.parametrize("name", CODES)
def test_a_tensor_is_described_and_lent(name: str) -> None:
    tensor = tf.cast(tf.reshape(tf.range(6) % 2, [2, 3]), name)
    capsule = tensor.__dlpack__(max_version=(1, 7))
    found = structure_in(capsule)
    assert (found.major, found.minor, found.flags) == (1, 1, 1)
    layout = found.tensor
    assert (layout.data, layout.byte_offset) == (address(tensor), 0)
    assert (layout.device_type, layout.device_id, layout.lanes) == (1, 0, 1)
    assert (layout.code, layout.bits) == CODES[name]
    assert (layout.shape[:2], layout.strides[:2]) == ([2, 3], [3, 1])
    again = from_dlpack(capsule)
    assert again.dtype is tensor.dtype
    assert address(again) == address(tensor)
    assert again.numpy().tobytes() == tensor.numpy().tobytes()


@pytest.mark.parametrize(
    "tensor", [tf.constant(["a"]), tf.constant(3, tf.experimental.int4)], ids=repr
)
def test_what_dlpack_has_no_name_for_is_refused(tensor: Any) -> None:
    for options in ({}, NEW, {"copy": True}):
        with pytest.raises(BufferError, match="DLPack has no elements of"):
            tensor.__dlpack__(**options)


# NumPy 2.0 asks for the old layout, which cannot say that memory is read-only: it gets a copy.
NUMPY_BORROWS = np.lib.NumpyVersion(np.__version__) >= "2.1.0"


def test_what_numpy_borrows_cannot_be_written_to() -> None:
    tensor = tf.range(1000.0)
    array = np.from_dlpack(tensor)
    assert (array.ctypes.data == address(tensor)) is NUMPY_BORROWS
    assert not array.flags.writeable
    with pytest.raises(ValueError, match="WRITEABLE"):
        array.flags.writeable = True
    del tensor
    gc.collect()
    assert array.sum() == 499500.0


# Of each way to ask: the layout that comes, and whether it is the tensor's own memory.
WAYS: dict[str, tuple[Callable[[Any], Any], bytes, bool]] = {
    "old": (lambda x: x.__dlpack__(), b"dltensor", False),
    "before 1.0": (lambda x: x.__dlpack__(max_version=(0, 8)), b"dltensor", False),
    "old copy": (lambda x: x.__dlpack__(copy=True), b"dltensor", False),
    "new": (lambda x: x.__dlpack__(**NEW), b"dltensor_versioned", True),
    "device": (lambda x: x.__dlpack__(dl_device=(1, 0), **NEW), b"dltensor_versioned", True),
    "new lent": (lambda x: x.__dlpack__(copy=False, **NEW), b"dltensor_versioned", True),
    "new copy": (lambda x: x.__dlpack__(copy=True, **NEW), b"dltensor_versioned", False),
    "torch": (lambda x: TORCH(x, **NEW), b"dltensor_versioned", False),
    "torch lent": (lambda x: TORCH(x, copy=False, **NEW), b"dltensor_versioned", True),
    "jax": (lambda x: JAX(x, stream=None), b"dltensor", True),
    "to_dlpack": (to_dlpack, b"dltensor", False),
}


@pytest.mark.parametrize("way", WAYS)
def test_memory_is_lent_to_those_who_leave_it_alone(way: str) -> None:
    take, name, lent = WAYS[way]
    tensor = tf.range(1000.0)
    capsule = take(tensor)
    assert name_of(capsule) == name
    found = structure_in(capsule)
    assert (found.tensor.data == address(tensor)) is lent
    if name == b"dltensor_versioned":
        assert found.flags == (1 if lent else 2)  # read-only, or a copy


@pytest.mark.parametrize(
    ("tensor", "plain"),
    [
        (tf.transpose(tf.ones([2, 3])), True),
        (tf.range(6.0)[::2], True),
        (tf.broadcast_to(tf.constant([1.0]), [3]), True),
        (tf.range(6.0)[::-1], False),
    ],
)
def test_strides(tensor: Any, plain: bool) -> None:
    np.testing.assert_array_equal(np.from_dlpack(tensor), tensor.numpy())
    assert (np.from_dlpack(tensor).ctypes.data == address(tensor)) is (plain and NUMPY_BORROWS)
    # JAX takes no strides, so it gets a copy without holes.
    layout = structure_in(JAX(tensor)).tensor
    assert layout.strides[layout.ndim - 1] == 1
    if not plain:
        with pytest.raises(BufferError, match="as a copy alone"):
            tensor.__dlpack__(copy=False, **NEW)


@pytest.mark.parametrize(
    ("options", "error", "match"),
    [
        ({"copy": False}, BufferError, "cannot say that its memory is read-only"),
        ({"stream": 1}, BufferError, "has no stream; stream=1 came"),
        ({"dl_device": (2, 0)}, BufferError, r"\(2, 0\) came"),
        ({"max_version": 1}, TypeError, "pair of whole numbers; 1 came"),
        ({"max_version": (1.0, 0)}, TypeError, "pair of whole numbers"),
    ],
)
def test_what_cannot_be_lent_is_refused(options: Any, error: type[Exception], match: str) -> None:
    with pytest.raises(error, match=match):
        tf.constant([1.0]).__dlpack__(**options)


@pytest.mark.parametrize("options", [{}, NEW])
@pytest.mark.parametrize("taken", [True, False])
def test_a_capsule_holds_the_array_until_its_consumer_is_done(options: Any, taken: bool) -> None:
    array = np.arange(20_000.0)
    gone = weakref.ref(array)
    tensor = tf.Tensor.__subclasses__()[0](array)
    capsule = JAX(tensor) if not options else tensor.__dlpack__(**options)
    del tensor, array
    assert gone() is not None
    if taken:
        structure = structure_in(capsule)
        used = b"used_" + name_of(capsule)  # a capsule keeps the address of its name, and no copy
        set_name(capsule, used)
        del capsule
        assert gone() is not None
        structure.deleter(ctypes.addressof(structure))
    else:
        del capsule
    assert gone() is None


def test_a_variable_does_not_write_into_what_it_has_lent() -> None:
    for size in (3, 20_000):
        variable = tf.Variable(tf.zeros([size]))
        variable.assign_add(tf.ones([size]))
        seen = np.from_dlpack(variable.read_value())
        capsule = JAX(variable.read_value())
        variable.assign_add(tf.ones([size]))
        variable[1].assign(7.0)
        assert seen.tolist() == [1.0] * size
        assert from_dlpack(capsule).numpy().tolist() == [1.0] * size


# Borrowing


@pytest.mark.parametrize("versioned", [False, True])
def test_a_tensor_borrows_memory_and_gives_it_back_once(versioned: bool) -> None:
    array = np.arange(6.0).reshape(2, 3)
    producer = Producer(array, versioned)
    tensor = from_dlpack(producer.capsule)
    assert name_of(producer.capsule) == b"used_" + producer.name
    assert address(tensor) == array.ctypes.data
    with pytest.raises(WRONG, match="taken before"):
        from_dlpack(producer.capsule)
    view = tf.transpose(tensor)[1:]
    array[...] = 7.0
    assert tensor.numpy().tolist() == [[7.0] * 3] * 2  # as in TensorFlow: the memory is its owner's
    del tensor, producer.capsule
    gc.collect()
    assert producer.calls == []  # the view needs it
    assert view.numpy().tolist() == [[7.0] * 2] * 2
    del view
    assert len(producer.calls) == 1


def test_nothing_writes_into_borrowed_memory() -> None:
    array = np.arange(20_000.0)
    before = array.copy()
    variable = tf.Variable(from_dlpack(array.__dlpack__()))
    for _ in range(2):
        variable.assign_add(tf.ones([20_000], tf.float64))
        variable[3].assign(9.0)
    held = tf.Variable(0.0, shape=tf.TensorShape(None), dtype=tf.float64)
    held.assign(from_dlpack(array.__dlpack__()))
    held.assign_sub(tf.ones([20_000], tf.float64))
    tf.function(lambda x: tf.exp(-x) * x + 1.0)(from_dlpack(array.__dlpack__()))
    with tf.GradientTape() as tape:
        tape.watch(x := tf.constant(1.0, tf.float64))
        y = x * 2.0
    tape.gradient(y + x, x, output_gradients=from_dlpack(array.__dlpack__())[0])
    from_dlpack(array.__dlpack__()) + from_dlpack(array.__dlpack__())
    np.testing.assert_array_equal(array, before)


@pytest.mark.parametrize("versioned", [False, True])
def test_an_array_without_elements_needs_no_memory(versioned: bool) -> None:
    producer = Producer(np.zeros((2, 0, 3), np.int32), versioned)
    producer.tensor.data = None
    assert from_dlpack(producer.capsule).shape == (2, 0, 3)
    assert len(producer.calls) == 1


def test_memory_at_an_odd_address_is_copied() -> None:
    memory = np.zeros(33, np.uint8)
    array = memory[1:].view(np.float64)
    producer = Producer(array)
    tensor = from_dlpack(producer.capsule)
    assert address(tensor) != array.ctypes.data
    assert tensor.numpy().tolist() == [0.0] * 4
    assert len(producer.calls) == 1
    with pytest.raises(BufferError, match="without a copy"):
        imported(Producer(array), copy=False)


def test_a_byte_offset_counts() -> None:
    producer = Producer(np.arange(4.0)[:3])
    producer.tensor.byte_offset = 8
    assert from_dlpack(producer.capsule).numpy().tolist() == [1.0, 2.0, 3.0]


def test_no_strides_are_those_of_c() -> None:
    producer = Producer(np.arange(6.0).reshape(2, 3))
    producer.tensor.strides = None
    assert from_dlpack(producer.capsule).numpy().tolist() == [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]


def change(producer: Producer, **fields: Any) -> None:
    for field, value in fields.items():
        setattr(producer.tensor, field, value)


BAD: dict[str, tuple[Callable[[Producer], Any], str]] = {
    "device": (lambda p: change(p, device_type=2), "device type 2"),
    "axes": (lambda p: change(p, ndim=65), "0 to 64 axes"),
    "negative axes": (lambda p: change(p, ndim=-1), "0 to 64 axes"),
    "lanes": (lambda p: change(p, lanes=4), "one lane"),
    "code": (lambda p: change(p, code=99), "type 99"),
    "bits": (lambda p: change(p, bits=80), "80 bits"),
    "no shape": (lambda p: change(p, shape=None), "no shape"),
    "no data": (lambda p: change(p, data=None), "no address"),
    "negative size": (lambda p: p.sizes.__setitem__(0, -1), "not negative"),
    "huge size": (lambda p: p.sizes.__setitem__(0, 2**62), "more elements than memory"),
    "huge product": (
        lambda p: p.sizes.__setitem__(slice(0, 2), [2**32, 2**32]),
        "more elements than memory",
    ),
    "huge stride": (lambda p: p.steps.__setitem__(0, 2**61), "beyond what memory"),
    "low stride": (lambda p: p.steps.__setitem__(0, -(2**63)), "beyond what memory"),
}


@pytest.mark.parametrize("versioned", [False, True])
@pytest.mark.parametrize("fault", BAD)
def test_bad_fields_are_refused_and_the_capsule_stays(fault: str, versioned: bool) -> None:
    spoil, said = BAD[fault]
    producer = Producer(np.arange(6.0).reshape(2, 3), versioned)
    spoil(producer)
    with pytest.raises(WRONG, match=said):
        from_dlpack(producer.capsule)
    assert name_of(producer.capsule) == producer.name  # its own destructor gives the memory back
    assert producer.calls == []


def test_bools_are_zero_or_one() -> None:
    producer = Producer(np.array([0, 1, 2], np.uint8).view(bool))
    with pytest.raises(WRONG, match="truth value"):
        from_dlpack(producer.capsule)
    assert len(producer.calls) == 1


def test_another_major_version_is_refused() -> None:
    producer = Producer(np.arange(3.0), versioned=True)
    producer.structure.major = 2
    with pytest.raises(WRONG, match=r"DLPack 2\.0, and 1\.x"):
        from_dlpack(producer.capsule)


def test_a_thousand_damaged_structures_do_no_harm() -> None:
    """Each is refused, or becomes a tensor, whose values nobody reads. Deleters run once at most."""
    generator = np.random.default_rng(31)
    values = (-(2**63), -1, 0, 1, 2, 3, 64, 2**31, 2**32, 2**61, 2**63 - 1)
    for _ in range(1000):
        producer = Producer(np.arange(24.0).reshape(2, 3, 4), bool(generator.integers(2)))
        for _ in range(generator.integers(1, 4)):
            place, value = int(generator.integers(3)), int(generator.choice(values))
            kind = int(generator.integers(6))
            if kind == 0:
                producer.sizes[place] = value
            elif kind == 1:
                producer.steps[place] = value
            elif kind == 2:
                producer.tensor.ndim = int(generator.choice([-1, 0, 1, 2, 3, 64, 65, 2**31 - 1]))
            elif kind == 3:
                producer.tensor.code, producer.tensor.bits = generator.integers(0, 256, 2).tolist()
            elif kind == 4:
                setattr(producer.tensor, str(generator.choice(["shape", "strides", "data"])), None)
            else:
                producer.tensor.device_type = int(generator.integers(-1, 5))
        try:
            tensor = from_dlpack(producer.capsule)
        except WRONG:
            assert len(producer.calls) <= 1
            continue
        assert tensor.shape.ndims == producer.tensor.ndim
        del tensor
        assert len(producer.calls) == 1


# Objects with `__dlpack__`


def test_constants_of_objects_that_lend() -> None:
    array = np.arange(3.0)
    tensor = tf.constant(Producer(array))
    array[0] = 9.0
    assert tensor.numpy().tolist() == [0.0, 1.0, 2.0]  # a copy, as of every array


def test_bfloat16_of_a_library_that_numpy_does_not_understand() -> None:
    class Foreign(Producer):
        def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
            raise TypeError("Got unsupported ScalarType BFloat16")

    halves = tf.constant([1.5, -2.0], tf.bfloat16)
    tensor = tf.convert_to_tensor(Foreign(np.asarray(halves)))
    assert tensor.dtype is tf.bfloat16
    assert tensor.numpy().tolist() == [1.5, -2.0]
