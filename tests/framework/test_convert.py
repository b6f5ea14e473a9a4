"""What becomes a tensor, and of which dtype and value: against TensorFlow's recorded answers.

``golden/convert.json.gz`` holds, for each expression, what TensorFlow made of it; `DIFFERENT` lists the
few where we differ, and why.
"""

import array
import collections
import enum
import gzip
import json
import pathlib
import types
import weakref

import numpy as np
import pytest

from golden.programs import same_error
from tapegrad import core, dtypes, errors
from tapegrad.autodiff.tape import GradientTape
from tapegrad.framework.casting import cast_array
from tapegrad.framework.convert import array_from
from tapegrad.framework.shape import TensorShape
from tapegrad.ops.shape import casts, creation, sequences

RECORDS = json.loads(
    gzip.decompress((pathlib.Path(__file__).parents[1] / "golden" / "convert.json.gz").read_bytes())
)


def namespace():
    import tapegrad

    names = {
        name: getattr(module, name)
        for module in (casts, creation, sequences)
        for listed in module.PUBLIC.values()
        for name in listed.split()
    }
    names |= {name: getattr(dtypes, name) for name in dtypes.__dict__ if not name.startswith("_")}
    names |= {"TensorShape": TensorShape, "Variable": getattr(tapegrad, "Variable", None)}
    return types.SimpleNamespace(**names)


tf = namespace()

# What we do where TensorFlow does something else: an exception class, or the dtype of the result.
DIFFERENT = {
    # An accident of the order in which TensorFlow tries: it takes [2.5, 2**70].
    "tf.convert_to_tensor([2**70,2.5])": "float32",
    # It goes by way of int64, which bfloat16 and complex64 do not need any more than float32 does.
    "tf.convert_to_tensor(2**63, tf.bfloat16)": "bfloat16",
    "tf.convert_to_tensor(2**63, tf.complex64)": "complex64",
    # ... nor does the size of a number matter where none is wanted.
    "tf.convert_to_tensor(2**63, tf.bool)": TypeError,
    "tf.convert_to_tensor(2**63, tf.string)": TypeError,
    # TensorFlow breaks an internal promise: SystemError.
    "tf.convert_to_tensor(-3, tf.uint64)": ValueError,
    # NumPy's astype, which thinks that text is true, and raises TypeError for bfloat16 alone.
    "tf.convert_to_tensor(np.array(['a']), tf.bool)": ValueError,
    "tf.convert_to_tensor(np.array(['a']), tf.bfloat16)": ValueError,
    # NumPy's astype again, which wraps round: see test_casts.py.
    "tf.convert_to_tensor(np.float64(2049.0000001), tf.int8)": "int8",
    "tf.convert_to_tensor(np.float64(2049.0000001), tf.uint8)": "uint8",
    "tf.convert_to_tensor(np.array([1.5,-2.7]), tf.uint8)": "uint8",
    "tf.convert_to_tensor(np.array([1.5,-2.7]), tf.uint16)": "uint16",
}


def attempt(case):
    """What the expression gives, and what it raised: one of them is None."""
    try:
        return eval(case, {"tf": tf, "np": np}), None
    except Exception as raised:
        return None, raised


@pytest.mark.filterwarnings("ignore::numpy.exceptions.ComplexWarning")
@pytest.mark.parametrize("case", [case for case in RECORDS if case not in DIFFERENT])
def test_recorded(case):
    recorded = RECORDS[case]
    if "Variable" in case and tf.Variable is None:
        pytest.skip("tf.Variable is not there")
    tensor, raised = attempt(case)
    if raised is not None:
        assert "error" in recorded, f"raised {type(raised).__name__}: {raised}"
        assert same_error(raised, recorded["error"]), (
            f"{recorded['error']}, not {raised!r}: {raised}"
        )
        assert len(str(raised)) > 20
        return
    assert "error" not in recorded, f"{tensor!r} instead of {recorded['error']}"
    assert tensor.dtype.name == recorded["dtype"]
    assert list(tensor.shape) == recorded["shape"]
    made = tensor._array
    assert made.flags.aligned
    assert made.dtype.isnative
    if "strings" in recorded:
        assert made.ravel().tolist() == [text.encode("latin-1") for text in recorded["strings"]]
        return
    expected = np.frombuffer(bytes.fromhex(recorded["bytes"]), made.dtype).reshape(made.shape)
    np.testing.assert_array_equal(made, expected)
    if made.dtype.kind == "f":
        np.testing.assert_array_equal(
            np.signbit(made[made == made]), np.signbit(expected[made == made])
        )


@pytest.mark.parametrize("case", DIFFERENT)
def test_differs_from_tensorflow(case):
    expected = DIFFERENT[case]
    if isinstance(expected, str):
        assert eval(case, {"tf": tf, "np": np}).dtype.name == expected
    else:
        with pytest.raises(expected):
            eval(case, {"tf": tf, "np": np})


def test_nothing_is_shared_with_the_array_given():
    for given in (
        np.arange(4.0),
        np.arange(8.0)[::2],
        np.asfortranarray(np.ones((2, 3))),
        np.arange(4.0).astype(">f8"),
        np.array(["a", "b"], object),
        np.frombuffer(bytearray(16), np.int32),
        memoryview(bytearray(b"abc")),
    ):
        tensor = tf.constant(given)
        before = tensor.numpy().tolist()
        assert not np.shares_memory(tensor._array, np.asarray(given))
        given[0] = given[1]
        assert tensor.numpy().tolist() == before
        assert tensor._array.flags.c_contiguous
        assert tensor._array.flags.aligned


def test_unaligned_array():
    raw = bytearray(17)
    unaligned = np.frombuffer(raw, np.float32, 4, offset=1)
    assert array_from(unaligned).flags.aligned


def nest(depth, inner):
    for _ in range(depth):
        inner = [inner]
    return inner


@pytest.mark.parametrize("depth", [65, 300, 100_000])
@pytest.mark.parametrize("inner", [1, tf.constant(1.0)], ids=["int", "tensor"])
def test_deep_nests_are_refused(depth, inner):
    deep = nest(depth, inner)
    with pytest.raises(ValueError, match="axes a tensor can have"):
        tf.constant(deep)
    while isinstance(deep, list):  # freed step by step: C frees nested lists on its own stack
        deep = deep.pop()


def test_nest_as_deep_as_arrays_go():
    assert tf.constant(nest(64, 1)).shape.rank == 64
    assert tf.constant(nest(20, tf.constant(1.0))).shape.rank == 20


def test_lists_that_hold_themselves():
    single, double, beside = [], [], [1]
    single.append(single)
    double.extend([double, double])
    beside.append(beside)
    for cyclic in (single, double, beside):
        with pytest.raises(ValueError, match=r"rectangular|axes|elements"):
            tf.constant(cyclic)
        cyclic.clear()
    shared = [1.0, 2.0]
    for _ in range(40):
        shared = [shared, shared]
    with pytest.raises(ValueError, match="elements"):
        tf.constant(shared)


def offering(method, answer):
    """An object that offers its value under one protocol."""
    return type("Offering", (), {method: lambda self, *arguments, **options: answer})()


def test_protocols():
    values = np.array([1.0, 2.0])
    assert tf.constant(offering("__array__", values)).numpy().tolist() == [1.0, 2.0]
    assert tf.constant(offering("__array__", values), tf.int32).dtype is dtypes.int32
    with pytest.raises(ValueError, match="must return a NumPy array"):
        tf.constant(offering("__array__", [1.0]))
    tensor = tf.constant(3.0)
    assert tf.convert_to_tensor(offering("__tf_tensor__", tensor)) is tensor
    assert tf.convert_to_tensor([offering("__tf_tensor__", tensor), 1.0]).shape == [2]
    with pytest.raises(ValueError, match="float32"):
        tf.convert_to_tensor(offering("__tf_tensor__", tensor), tf.int32)
    with pytest.raises(TypeError, match="must return a tensor"):
        tf.convert_to_tensor(offering("__tf_tensor__", 5))


def test_array_from_takes_the_values_of_tensors():
    tensor = tf.constant([1.0, 2.0])
    for value in (tensor, offering("__tf_tensor__", tensor)):
        made = array_from(value)
        assert made.tolist() == [1.0, 2.0]
        assert not np.shares_memory(made, tensor._array)
    assert array_from([tensor, [3, 4]]).tolist() == [[1.0, 2.0], [3.0, 4.0]]


def test_tf_tensor_is_told_the_dtype():
    told = []

    class Told:
        def __tf_tensor__(self, dtype=None, name=None):
            told.append((dtype, name))
            return tf.constant(1.0)

    tf.convert_to_tensor(Told(), tf.float32)
    tf.convert_to_tensor(Told())
    assert told == [(dtypes.float32, None), (None, None)]


def test_dlpack():
    class Packed:
        def __init__(self, values):
            self.values = values

        def __dlpack__(self, **options):
            return self.values.__dlpack__(**options)

        def __dlpack_device__(self):
            return self.values.__dlpack_device__()

    values = np.array([1.0, 2.0])
    tensor = tf.constant(Packed(values))
    assert tensor.dtype is dtypes.float64
    assert not np.shares_memory(tensor._array, values)
    values.flags.writeable = False
    if np.lib.NumpyVersion(np.__version__) >= "2.1.0":
        assert tf.constant(Packed(values)).numpy().tolist() == [1.0, 2.0]
    else:  # which refuses to lend it
        with pytest.raises(ValueError, match=r"offers __dlpack__.*readonly"):
            tf.constant(Packed(values))
    assert tf.constant(Packed(np.arange(6.0)[::2])).numpy().tolist() == [0.0, 2.0, 4.0]

    class Elsewhere(Packed):
        def __dlpack_device__(self):
            return (2, 0)

        def __dlpack__(self, **options):
            raise BufferError("on a GPU")

    with pytest.raises(ValueError, match="__dlpack__"):
        tf.constant(Elsewhere(values))


def test_objects_of_python():
    Pair = collections.namedtuple("Pair", "first second")

    class Colour(enum.IntEnum):
        RED = 3

    class Word(str):
        pass

    assert tf.constant(Pair(1, 2)).numpy().tolist() == [1, 2]
    assert tf.constant(Colour.RED).dtype is dtypes.int32
    assert tf.constant([Colour.RED, 4]).numpy().tolist() == [3, 4]
    assert tf.constant(Word("a")).numpy() == b"a"
    assert tf.constant(collections.deque([1, 2])).numpy().tolist() == [1, 2]
    assert tf.constant(array.array("d", [1, 2])).dtype is dtypes.float32
    assert tf.constant(memoryview(b"ab")).numpy().tolist() == [97, 98]


def test_endless_sequences_and_huge_lengths():
    class Endless:
        def __len__(self):
            return 2

        def __getitem__(self, index):
            return index

    class Huge(Endless):
        def __len__(self):
            return 2**50

    assert tf.constant(Endless()).numpy().tolist() == [0, 1]
    for huge in (Huge(), range(2**40)):
        with pytest.raises(ValueError, match="elements"):
            tf.constant(huge)


def test_errors_of_users_objects_come_through():
    class Broken:
        def __array__(self, dtype=None, copy=None):
            raise RuntimeError("broken")

    with pytest.raises(RuntimeError, match="broken"):
        tf.constant(Broken())


def gradients(function, *inputs):
    tensors = [tf.constant(x) for x in inputs]
    with GradientTape(persistent=True) as tape:
        for tensor in tensors:
            tape.watch(tensor)
        made = function(*tensors)
    answers = [tape.gradient(made, tensor) for tensor in tensors]
    return [None if answer is None else answer.numpy().tolist() for answer in answers]


def test_gradients_reach_the_tensors_in_lists():
    made = tf.convert_to_tensor
    assert gradients(lambda x, y: made([[x, 3.0], y]), 2.0, [1.0, 2.0]) == [1.0, [1.0, 1.0]]
    assert gradients(lambda x: made([x, 1], tf.float64), 2.0) == [1.0]
    assert gradients(lambda x: made([x], dtype_hint=tf.float64), 2.0) == [1.0]
    assert gradients(lambda x: tf.constant([x, x]), 2.0) == [2.0]
    assert gradients(lambda x: tf.constant([x, x], shape=[2, 1]), 2.0) == [2.0]


def test_gradients_of_creation():
    # As TensorFlow's: fill and linspace pass gradients, range, one_hot and *_like do not.
    assert gradients(lambda v: tf.fill([2, 3], v), 2.0) == [6.0]
    assert gradients(lambda v: tf.fill([0], v), 2.0) == [0.0]
    assert gradients(lambda v: tf.fill([2], v), [2.0]) == [[2.0]]
    assert gradients(lambda a, b: tf.linspace(a, b, 5), 0.0, 1.0) == [2.5, 2.5]
    assert gradients(lambda a, b: tf.linspace(a, b, 1), 0.0, 1.0) == [1.0, 0.0]
    assert gradients(lambda a, b: tf.linspace(a, b, 2), 0.0, 1.0) == [1.0, 1.0]
    assert gradients(lambda a, b: tf.linspace(a, b, 3), [0.0, 1.0], 5.0) == [[1.5, 1.5], 3.0]
    assert gradients(lambda a, b: tf.linspace(a, b, 3, axis=1), [0.0, 1.0], [5.0, 3.0]) == [
        [1.5, 1.5],
        [1.5, 1.5],
    ]
    assert gradients(lambda a: tf.range(a, 3.0), 0.0) == [None]
    assert gradients(lambda a, b: tf.one_hot([0, 1], 3, a, b), 1.0, 0.0) == [None, None]
    assert gradients(tf.zeros_like, 2.0) == [None]
    assert gradients(lambda x: tf.zeros_like(x, tf.float64), 2.0) == [None]
    assert gradients(lambda x: tf.ones_like(x) * x, 2.0) == [1.0]
    assert gradients(lambda a: core.registry["LinSpace"](a, tf.constant(1.0), 3), 0.0) == [None]


def test_gradients_of_casts():
    assert gradients(lambda x: tf.cast(x, tf.float64), [1.0, 2.0]) == [[1.0, 1.0]]
    assert gradients(lambda x: tf.cast(x, tf.bfloat16), [1.0]) == [[1.0]]
    assert gradients(lambda x: tf.cast(x, tf.float32), [1.0]) == [[1.0]]
    assert gradients(lambda x: tf.cast(x, tf.int32), [1.0]) == [None]
    assert gradients(lambda x: tf.cast(tf.cast(x, tf.bool), tf.float32), [1.0]) == [None]
    assert gradients(lambda x: tf.cast(x, tf.complex64), [1.0, 2.0]) == [[1.0, 1.0]]
    assert gradients(lambda x: tf.cast(x, tf.float32), [1 + 1j, 2.0]) == [[1 + 0j, 1 + 0j]]
    assert gradients(lambda x: tf.saturate_cast(x, tf.float16), [1e6, 1.0, -1e6]) == [
        [0.0, 1.0, 0.0]
    ]
    with pytest.raises(LookupError, match="Bitcast"):
        gradients(lambda x: tf.bitcast(x, tf.complex64), [[1.0, 2.0]])


def test_every_conversion_is_a_new_identity():
    assert tf.constant(1.0)._id != tf.constant(1.0)._id
    tensor = tf.constant(1.0)
    assert tf.constant(tensor) is tensor
    assert tf.convert_to_tensor(tensor, tf.float32) is tensor
    assert tf.cast(tensor, tf.float32) is tensor


def test_casts_at_the_ends_of_the_ranges():
    at = cast_array
    assert at(np.array([-(2.0**31), 2.0**31 - 1]), dtypes.int32).tolist() == [-(2**31), 2**31 - 1]
    assert at(np.array([-2147483648.9]), dtypes.int32).tolist() == [-(2**31)]
    below = np.nextafter(2.0**63, 0)
    assert at(np.array([-(2.0**63), below]), dtypes.int64).tolist() == [-(2**63), int(below)]
    upper = np.nextafter(2.0**64, 0)
    assert at(np.array([2.0**63, upper, 2.0**64]), dtypes.uint64).tolist() == [
        2**63,
        int(upper),
        2**63,
    ]


def test_saturate_cast_beyond_64_bits():
    # TensorFlow's answers have the wrong sign, and from uint64 it has no kernel at all.
    assert tf.saturate_cast(tf.constant([1e19, -1e19]), tf.int64).numpy().tolist() == [
        9223371487098961920,
        -(2**63),
    ]
    assert tf.saturate_cast(tf.constant([1e20, -1.0]), tf.uint64).numpy().tolist() == [
        18446742974197923840,
        0,
    ]
    largest = tf.constant([2**63], tf.uint64)
    assert tf.saturate_cast(largest, tf.int64).numpy().tolist() == [2**63 - 1]


def test_saturate_cast_of_infinities_gives_finite_numbers_of_both_dtypes():
    halves = tf.constant([np.inf, -np.inf, 1.5], tf.float16)
    assert tf.saturate_cast(halves, tf.uint16).numpy().tolist() == [65504, 0, 1]
    assert tf.saturate_cast(halves, tf.int64).numpy().tolist() == [65504, -65504, 1]
    assert tf.saturate_cast(halves, tf.float32).numpy().tolist() == [65504.0, -65504.0, 1.5]
    largest = float(tf.float32.max)
    floats = [np.inf, -np.inf, np.nan, 1.0]
    for dtype in (tf.float32, tf.float64):
        result = tf.saturate_cast(tf.constant(floats), dtype).numpy().tolist()
        assert result[:2] + result[3:] == [largest, -largest, 1.0]
    assert tf.saturate_cast(complex(np.inf, 1), tf.complex128).numpy() == complex(np.inf, 1)
    assert gradients(lambda x: tf.saturate_cast(x, tf.float16), floats) == [[0.0, 0.0, 1.0, 1.0]]


def test_cast_of_complex_to_real_warns(monkeypatch):
    said = []
    monkeypatch.setattr("tapegrad.framework.logging.warn", said.append)
    given = tf.constant([1 + 2j])
    for make in (lambda: tf.cast(given, tf.float32), lambda: tf.saturate_cast(given, tf.int8)):
        make()
        assert "complex128" in said.pop()
    tf.cast(given, tf.complex64)
    assert gradients(lambda x: tf.cast(x, tf.complex64), [1.0]) == [[1.0]]
    assert said == []


def test_cast_of_indexed_slices():
    from tapegrad.framework.indexed_slices import IndexedSlices

    slices = IndexedSlices(tf.constant([[1.5]]), tf.constant([1]), tf.constant([2, 1]))
    made = tf.cast(slices, tf.int32)
    assert isinstance(made, IndexedSlices)
    assert made.values.numpy().tolist() == [[1]]
    assert tf.is_tensor(slices)


def test_is_tensor():
    class ActsAsVariable:
        _should_act_as_resource_variable = True

    class TensorLike:
        is_tensor_like = True

    for tensor in (tf.constant(1), TensorLike(), ActsAsVariable()):
        assert tf.is_tensor(tensor) is True
    for other in (1, np.ones(2), None, [tf.constant(1)], tf.float32, TensorLike, core.Tensor):
        assert tf.is_tensor(other) is False


def test_sizes_that_no_memory_holds():
    for make in (
        lambda: tf.zeros([2**45]),
        lambda: tf.one_hot([0, 1], 2**45),
        lambda: tf.eye(2**30),
        lambda: tf.range(2**45),
        lambda: tf.constant(1, shape=[2**45]),
        lambda: tf.linspace(0.0, 1.0, 2**45),
    ):
        with pytest.raises(errors.ResourceExhaustedError):
            make()
    with pytest.raises(errors.InvalidArgumentError, match="2\\*\\*63"):
        tf.constant(1, shape=[2**40, 2**40])
    with pytest.raises(errors.InvalidArgumentError, match=r"The shape \[2, 9223372036854775807\]"):
        tf.one_hot([0, 1], 2**63 - 1)


MESSAGES = {
    "tf.constant({'a': 1})": (
        "Attempt to convert a value ({'a': 1}) of the unsupported type dict to a tensor. "
        "tf.nest.map_structure(tf.convert_to_tensor, value) converts its values one by one."
    ),
    "tf.constant([1, 'a'])": (
        "A list of mixed types cannot be a tensor: the first element is 1, of kind int, and "
        "there is also 'a'"
    ),
    "tf.constant([[1], [2, 3]])": (
        "Tensors are rectangular, and these lists are not: at depth 1 of the nest there are lengths "
        "1, 2. Pad the shorter rows to the length of the longest."
    ),
    "tf.constant([[1], 2])": (
        "Tensors are rectangular, and this list is not: at depth 1 of the nest, the single value 2 "
        "stands beside a list"
    ),
    "tf.constant([1.5], tf.int32)": (
        "Cannot convert [1.5] to a tensor of dtype int32: the values are of another kind. "
        "tf.cast converts a tensor of one kind to another."
    ),
    "tf.constant(2**63)": (
        "The integer 9223372036854775808 is out of the range of int64, and of the 64 bits "
        "that integers may have"
    ),
    "tf.constant(1e39)": (
        "1e+39 is out of the range of float32, which ends at 3.4028234663852886e+38: ask for "
        "dtype=tf.float64"
    ),
    "tf.convert_to_tensor(tf.constant([1.0]), tf.int32)": (
        "Tensor conversion requested dtype int32 for a EagerTensor with dtype float32 and "
        "shape (1,). Conversion never changes a tensor's dtype: use tf.cast(value, tf.int32)."
    ),
    "tf.constant([1, 2, 3], shape=[2, 2])": (
        "tf.constant() was given 3 values (in shape (3,)) and shape=(2, 2), which takes 4"
    ),
    "tf.range(3, 1)": (
        "range() cannot go from 3 to 1 by steps of 1: the limit lies on the other side [Op:Range]"
    ),
    "tf.one_hot([0], 3, 1.0, 0)": (
        "on_value is float32 and off_value int32: they must be of one dtype"
    ),
}


@pytest.mark.parametrize("case", MESSAGES)
def test_messages(case):
    _, raised = attempt(case)
    assert str(raised) == MESSAGES[case]


def test_a_shared_object_is_freed():
    class Offered:
        def __array__(self, dtype=None, copy=None):
            return np.ones(2)

    offered = Offered()
    alive = weakref.ref(offered)
    tensor = tf.constant(offered)
    del offered
    assert alive() is None
    assert tensor.numpy().tolist() == [1.0, 1.0]


def test_neighbours_at_two_to_the_53_are_told_apart():
    """As doubles they are equal: the cache of numbers took one for the other."""
    for number in (2**53, 2**53 + 1, -(2**53), -(2**53) - 1, 2**53 - 1):
        assert core.convert(number, dtypes.int64).numpy() == number
        assert tf.constant(number).numpy() == number
        assert (core.convert([0], dtypes.int64) + number).numpy()[0] == number
