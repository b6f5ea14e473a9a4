"""Shape rules: what each op says of its results, against what its kernel gives, for every op of the table.

The rule is asked with the sizes of each call as ints, with every choice of open sizes, and with other sizes
in place of them: 0, 1, the next one, and two equal ones. Where expressions are claimed to hold for other
sizes, as their guards are true, the kernel is asked whether they do. So are recorded functions in which the
op computes with sizes.
"""

from __future__ import annotations

import functools
import io
import itertools
import math
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from PIL import Image

import tapegrad as tf
from samples.calls import Call, apply, calls_of_the_table, specs
from tapegrad import core
from tapegrad.core import EagerTensor, Op
from tapegrad.core.abstract import MOST_VALUES, Abstract, AnyRank, infer
from tapegrad.core.kinds import NeedsValues
from tapegrad.core.sizes import OpenSizes, Size, is_unknown

core.load_ops()

CALLS_OF_EACH = 16
SHORT = 8  # as many are asked where each takes long
# Ops with these effects are not called again: each call would change what the next one does.
UNREPEATED = ("calls", "reads", "writes", "prints")
# How many axes are opened in all choices; of more axes all, each one and pairs are.
FEW_AXES = 4
MOST_CHOICES = 24
# How long vectors of sizes are, beside those of the rows, and how many sizes there are at most.
LENGTHS = (1, 2, 3)
LONGEST = 4
FIRST_SIZES = (3, 4, 2, 5)  # the second one opens the size, those that follow are replayed
REFUSALS = (tf.errors.OpError, ValueError, TypeError, LookupError)

# Ops without a rule. The list may only become shorter.
WAITING = set(
    """
    EagerPyFunc Fingerprint PyFunc ReduceJoin _CrossHashed _CrossJoined _CrossNumbers _CrossTexts
    _EncodeRows _EnterBatch _IndicesOfAll _LeaveBatch _NGrams _NumbersOfRows _PixelsAround _PutItems
    _SumItems _TakeItems
    """.split()
)
# Ops with a rule that no row of the table calls with arrays of NumPy's. The list may only become shorter.
UNASKED = set(
    """
    AccumulateNV2 AllCandidateSampler FixedUnigramCandidateSampler LearnedUnigramCandidateSampler
    LookupTableExportV2 LookupTableFindV2 LookupTableSizeV2 ParseTensor ResourceCountUpTo RngReadAndSkip
    SampleDistortedBoundingBoxV2 StatefulRandomBinomial StatefulStandardNormalV2 StatefulTruncatedNormal
    StatefulUniform StatefulUniformFullInt StatefulUniformInt StatelessShuffle StringFormat Timestamp
    _AllGather _AllReduceExtreme _AllReduceSum _AllReduceSumMany _Broadcast _Fingerprint64 _IsJpeg
    _ReduceScatter _RowNorms _SomeAreEqual _SplitAtCharacters
    """.split()
)
# Ops whose kernels refuse sizes that their rules let pass, other than for values. It may only become shorter.
SEES_LESS = set(
    """
    ApproxTopK AvgPool3DGrad AvgPoolGrad Conv2DBackpropFilter Conv2DBackpropInput Conv3DBackpropFilterV2
    Conv3DBackpropInputV2 DepthwiseConv2dNativeBackpropFilter DepthwiseConv2dNativeBackpropInput
    Dilation2DBackpropFilter Dilation2DBackpropInput DrawBoundingBoxesV2 FractionalAvgPool
    FractionalMaxPool ImageProjectiveTransformV2 ImageProjectiveTransformV3 MaxPool3DGrad
    MaxPool3DGradGrad MaxPoolGrad MaxPoolGradGrad Multinomial QuantizeAndDequantizeV4Grad
    ResizeBicubicGrad ResizeBilinearGrad ResizeNearestNeighborGrad StatelessMultinomial
    StatelessRandomBinomial StatelessRandomGammaV3 StatelessRandomGetKeyCounter StatelessRandomNormalV2
    StatelessRandomPoisson StatelessRandomUniformFullIntV2 StatelessRandomUniformV2
    StatelessTruncatedNormalV2 TensorStridedSliceUpdate TileGrad _BatchNormalization _DCT _Deviation
    _Dilation2DTakeFilter _FractionalMeans _Frame _ImageProjectiveTransformTransposed _Moments
    _PlacesInBlock _ResizeAreaTransposed _SumPatches
    """.split()
)


TEXTS = tf.constant([["a b", "c"], ["12", "Ab-c d"], ["", "x"]])
NUMBERS = tf.constant([["1", "2.5"], ["-3", "0"]])
PICTURES = tf.cast(tf.reshape(tf.range(2 * 3 * 4 * 3) % 256, [2, 3, 4, 3]), tf.uint8)
SOUND = tf.audio.encode_wav(tf.zeros([5, 2]), 8000)


def picture(form: str) -> bytes:
    """A picture of 3 x 4 as a file."""
    file = io.BytesIO()
    Image.fromarray(PICTURES[0].numpy()).save(file, form)
    return file.getvalue()


BMP, GIF, WEBP = map(picture, ("BMP", "GIF", "WEBP"))
FEATURES = {
    "a": tf.io.FixedLenFeature([2], tf.float32, [0.5, 1.5]),
    "b": tf.io.VarLenFeature(tf.int64),
    "c": tf.io.FixedLenSequenceFeature([1], tf.int64, allow_missing=True),
    "d": tf.io.RaggedFeature(tf.int64, partitions=[tf.io.RaggedFeature.RowLengths("e")]),
}
STEPS = {
    "f": tf.io.VarLenFeature(tf.int64),
    "g": tf.io.FixedLenSequenceFeature([], tf.int64, allow_missing=True),
}


def record() -> bytes:
    example = tf.train.Example()
    for name, values in {"b": [1, 2], "c": [3], "d": [4, 5, 6], "e": [1, 2]}.items():
        example.features.feature[name].int64_list.value.extend(values)
    return example.SerializeToString()


def record_of_steps() -> bytes:
    sequence = tf.train.SequenceExample()
    for name in STEPS:
        for step in ([1], [2], [3]):
            sequence.feature_lists.feature_list[name].feature.add().int64_list.value.extend(step)
    return sequence.SerializeToString()


# Calls of ops of texts and files, which the table has no rows for.
PROGRAMS: list[Any] = [
    lambda: [
        function(texts)
        for texts in (TEXTS, TEXTS[0], TEXTS[0, 0])
        for function in (
            tf.strings.length, tf.strings.lower, tf.strings.upper, tf.strings.strip, tf.io.encode_base64,
            tf.io.serialize_tensor,
        )
    ],
    lambda: tf.io.decode_base64(tf.io.encode_base64(TEXTS)),
    lambda: tf.io.decode_compressed(TEXTS),
    lambda: tf.io.read_file(__file__),
    lambda: [tf.strings.to_hash_bucket_fast(TEXTS, 7), tf.strings.to_hash_bucket(TEXTS[0], 7)],
    lambda: tf.strings.to_hash_bucket_strong(TEXTS, 7, [1, 2]),
    lambda: [tf.strings.regex_replace(TEXTS, "a", "b"), tf.strings.regex_full_match(TEXTS, "c")],
    lambda: [tf.strings.join([TEXTS, "x", TEXTS]), tf.strings.join(["a", "b"])],
    lambda: [tf.strings.substr(TEXTS, 0, 1), tf.strings.substr(TEXTS, [0, 0], [1, 1])],
    lambda: [tf.strings.to_number(NUMBERS), tf.strings.to_number(NUMBERS[0], tf.float64)],
    lambda: [tf.strings.split(TEXTS[0]), tf.strings.bytes_split(TEXTS[0])],
    lambda: tf.strings.unicode_split(TEXTS[0], "UTF-8"),
    lambda: tf.strings.unicode_decode(TEXTS[0], "UTF-8"),
    lambda: tf.strings.unicode_transcode(TEXTS, "UTF-8", "UTF-16-BE"),
    lambda: tf.strings.unicode_script([[66, 67, 68], [1, 2, 3]]),
    lambda: tf.strings.unsorted_segment_join(TEXTS, [0, 1, 0], 4),
    lambda: [tf.io.decode_raw(["abcd", "efgh"], tf.int16), tf.io.decode_raw([["abcd"]], tf.uint8)],
    lambda: tf.io.decode_raw(["ab", "efgh"], tf.uint8, fixed_length=6),
    lambda: [tf.io.encode_png(PICTURES), tf.io.encode_png(PICTURES[0]), tf.io.encode_jpeg(PICTURES[0])],
    lambda: [tf.io.decode_png(tf.io.encode_png(PICTURES[0]), channels) for channels in (0, 1, 3)],
    lambda: [tf.io.decode_jpeg(tf.io.encode_jpeg(PICTURES[0]), channels) for channels in (0, 3)],
    lambda: tf.io.extract_jpeg_shape(tf.io.encode_jpeg(PICTURES[0])),
    lambda: [tf.io.decode_bmp(BMP), tf.io.decode_bmp(BMP, 3), tf.io.decode_gif(GIF)],
    lambda: [tf.io.decode_webp(WEBP), tf.io.decode_webp(WEBP, 3)],
    lambda: [tf.io.decode_image(BMP, n, tf.uint8, None, False) for n in (0, 3)],
    lambda: tf.io.decode_and_crop_jpeg(tf.io.encode_jpeg(PICTURES[0]), [0, 1, 2, 3], 3),
    lambda: [tf.io.decode_csv(["1,a", "2,b"], [[0], [""]]), tf.io.decode_csv("3,c", [[0.5], [""]])],
    lambda: tf.io.decode_json_example(['{"features": {}}', "{}"]),
    lambda: [tf.io.matching_files(__file__), tf.io.matching_files([__file__, "no such file"])],
    lambda: [
        tf.io.parse_single_example(record(), FEATURES), tf.io.parse_example([record()] * 3, FEATURES),
    ],
    lambda: [
        tf.io.parse_single_sequence_example(record_of_steps(), None, STEPS),
        tf.io.parse_sequence_example([record_of_steps()] * 2, None, STEPS),
    ],
    lambda: [tf.audio.encode_wav(tf.zeros([5, 2]), 8000), tf.audio.decode_wav(SOUND)],
    lambda: [tf.audio.decode_wav(SOUND, 2, 7), tf.audio.decode_wav(SOUND, desired_channels=1)],
]  # fmt: skip


def shapes_and_attributes(inputs: Any, attributes: Any) -> Any:
    specs = tuple([(tensor.dtype.name, tuple(tensor.shape)) for tensor in inputs])
    return specs, repr(attributes)[:200]


@functools.cache
def calls() -> dict[str, list[Call]]:
    """Calls of every op, each with other shapes, dtypes or attributes."""
    return calls_of_the_table(shapes_and_attributes, CALLS_OF_EACH, 1, PROGRAMS)


def has_rule(op: Op) -> bool:
    return op.shape_rule is not None or op.elementwise or op.outputs == ()


WITH_RULE = [op for op in core.registry.values() if has_rule(op)]


def array_of(tensor: Any, shape: Any = None) -> Abstract:
    """The abstract array of a tensor. It knows its elements if they may be shapes or axes."""
    known = tensor.dtype.is_integer and tensor._array.size <= MOST_VALUES and shape is None
    return Abstract(
        tuple(tensor.shape) if shape is None else shape,
        tensor.dtype,
        tensor._array if known else None,
    )


def agrees(results: list[Abstract], expected: list[Any], sizes: dict[str, int]) -> bool:
    """Whether results have the shapes and dtypes of tensors where the open sizes are ``sizes``.

    So must their elements have the values of those that a result knows.
    """
    return len(results) == len(expected) and all(
        result.dtype is tensor.dtype
        and are_equal(result.shape, tuple(tensor.shape), sizes)
        and (
            result.value is None
            or are_equal(result.value.ravel().tolist(), tensor.numpy().ravel().tolist(), sizes)
        )
        for result, tensor in zip(results, expected, strict=True)
    )


def are_equal(numbers: Any, expected: Any, sizes: dict[str, int]) -> bool:
    """Whether numbers are as expected, but for those that are unknown."""
    return len(numbers) == len(expected) and all(
        is_unknown(number) or (number.evaluate(sizes) if type(number) is Size else number) == known
        for number, known in zip(numbers, expected, strict=True)
    )


def choices(axes: list[tuple[int, int]]) -> Iterator[tuple[tuple[int, int], ...]]:
    """Which axes to open: all choices of few axes; of many all, none but one, and pairs."""
    if len(axes) <= FEW_AXES:
        for number in range(1, len(axes) + 1):
            yield from itertools.combinations(axes, number)
    else:
        some = [tuple(axes), *[(axis,) for axis in axes], *itertools.combinations(axes, 2)]
        yield from some[:MOST_CHOICES]


def other_sizes(inputs: list[Any]) -> Iterator[dict[int, int]]:
    """Sizes in place of those of the inputs. All axes that have a size get the other one."""
    sizes = sorted({size for tensor in inputs for size in tensor.shape})
    for size in sizes[:4]:
        for other in (0, 1, size + 1, 2 * size):
            if other != size:
                yield {size: other}
    if len(sizes) > 1:
        yield dict.fromkeys(sizes, sizes[-1])
        yield dict.fromkeys(sizes, 1)


def resized(tensor: Any, sizes: dict[int, int]) -> Any:
    shape = tuple([sizes.get(size, size) for size in tensor.shape])
    array = tensor.numpy()
    if shape == np.shape(array):
        return tensor
    if np.size(array) == 0:
        return tf.zeros(shape, tensor.dtype)
    return EagerTensor(np.resize(array, shape).astype(tensor.dtype.as_numpy_dtype))


@pytest.mark.parametrize("op", WITH_RULE, ids=lambda op: str(op.type))
def test_ints(op: Op) -> None:
    for inputs, outputs, attributes in calls().get(op.type, ()):
        results = infer(op, [array_of(tensor) for tensor in inputs], attributes)
        assert agrees(results, outputs, {}), (results, specs(outputs), specs(inputs), attributes)


@pytest.mark.parametrize("op", WITH_RULE, ids=lambda op: str(op.type))
def test_elements_that_are_not_known(op: Op) -> None:
    for inputs, outputs, attributes in calls().get(op.type, ()):
        for unknown in range(len(inputs)):
            arrays = [array_of(tensor) for tensor in inputs]
            arrays[unknown].value = None
            try:
                results = infer(op, arrays, attributes)
            except (NeedsValues, AnyRank):
                continue  # the rule asks for the elements
            where = results, specs(outputs), specs(inputs), attributes, unknown
            assert agrees(results, outputs, {}), where


@pytest.mark.parametrize("op", WITH_RULE, ids=lambda op: str(op.type))
def test_open_sizes(op: Op) -> None:
    for inputs, outputs, attributes in calls().get(op.type, ()):
        axes = [(i, axis) for i, tensor in enumerate(inputs) for axis in range(tensor.ndim)]
        for opened in choices(axes):
            with OpenSizes() as scope:
                shapes = [list(tensor.shape) for tensor in inputs]
                for i, axis in opened:
                    shapes[i][axis] = scope.size(f"n{i}{axis}", shapes[i][axis])
                arrays = [array_of(*pair) for pair in zip(inputs, shapes, strict=True)]
                results = infer(op, arrays, attributes)
                where = results, scope.guards, specs(outputs), specs(inputs), attributes, opened
                assert agrees(results, outputs, scope.hints), where
                assert all(guard.holds(scope.hints) for guard in scope.guards), where
            check_other_sizes(op, inputs, attributes, opened, results, scope)
            if len(opened) > 3:
                break  # the choices of fewer axes are asked of other calls


def check_other_sizes(
    op: Op,
    inputs: list[Any],
    attributes: tuple[Any, ...],
    opened: tuple[tuple[int, int], ...],
    results: list[Abstract],
    scope: OpenSizes,
) -> None:
    """What was said of open sizes holds for others, wherever the guards are true."""
    if (op.effect or "").partition(" ")[0] in UNREPEATED:
        return
    for axis in opened[:2]:
        for size in {0, 1, inputs[axis[0]].shape[axis[1]] + 1}:
            sizes = {**scope.hints, f"n{axis[0]}{axis[1]}": size}
            if not all(guard.holds(sizes) for guard in scope.guards):
                continue
            shape = list(inputs[axis[0]].shape)
            shape[axis[1]] = size
            changed = list(inputs)
            array = inputs[axis[0]].numpy()
            changed[axis[0]] = (
                EagerTensor(np.resize(array, shape).astype(array.dtype))
                if np.size(array)
                else tf.zeros(shape, inputs[axis[0]].dtype)
            )
            try:
                expected = apply(op, changed, attributes)
            except Exception:  # the kernel takes no such size: test_other_sizes asks about errors
                continue
            assert agrees(results, expected, sizes), (
                results, scope.guards, specs(expected), specs(changed), attributes, opened,
            )  # fmt: skip


@pytest.mark.parametrize("op", WITH_RULE, ids=lambda op: str(op.type))
def test_other_sizes(op: Op) -> None:
    if (op.effect or "").partition(" ")[0] in UNREPEATED:
        return
    unseen = None
    for inputs, _, attributes in calls().get(op.type, ())[:SHORT]:
        for sizes in other_sizes(inputs):
            changed = [resized(tensor, sizes) for tensor in inputs]
            where = specs(changed), attributes
            expected, error = answer(op, changed, attributes)
            found, refused = answer(
                op, [EagerTensor(array_of(tensor)) for tensor in changed], attributes
            )
            if refused is not None:
                assert type(refused) is type(error), (refused, error, where)
                assert str(refused)[:12] == str(error)[:12], (refused, error, where)
            elif error is None:
                results = [tensor._array for tensor in found]
                assert agrees(results, expected, {}), (results, specs(expected), where)
            else:
                unseen = error, where
    # Where values decide whether the op raises, other sizes may have brought other values.
    if op.values in ("elements", "nothing", "integer errors"):
        assert (op.type in SEES_LESS) == (unseen is not None), unseen


def answer(
    op: Op, inputs: list[Any], attributes: tuple[Any, ...]
) -> tuple[list[Any], Exception | None]:
    """What the op gives, and the error that it raises in place of it."""
    try:
        return apply(op, inputs, attributes), None
    except Exception as error:  # which one is the question
        return [], error


@pytest.mark.parametrize("op", core.registry.values(), ids=lambda op: str(op.type))
def test_every_op_has_a_rule(op: Op) -> None:
    if not op.__module__.startswith("tapegrad."):
        return  # an op that another test has made
    assert has_rule(op) != (op.type in WAITING), f"{op.type}: a rule, or a word in WAITING"
    if op.shape_rule is not None:
        assert (op.type in calls()) != (op.type in UNASKED), f"{op.type}: a row, or UNASKED"


# A shape is a tensor like others: recorded functions compute with it what eager code does, for any size.


def forms(tensor: Any) -> set[tuple[int, ...]]:
    """In which shapes the sizes of a tensor take the place of an operand."""
    if not (tensor.dtype.is_integer or tensor.dtype.is_floating):
        return set()
    shape = tuple(tensor.shape)
    vectors = {(length,) for length in LENGTHS} if len(shape) == 1 else set()
    return vectors | ({shape} if 0 < math.prod(shape) <= LONGEST else set())


@pytest.mark.parametrize(
    "op",
    [
        op
        for op in core.registry.values()
        if op.effect is None and op.type != "ExtractGlimpseV2"  # which adds noise
    ],
    ids=lambda op: str(op.type),
)
def test_recorded_functions_compute_with_shapes(op: Op) -> None:
    for inputs, _, attributes in calls().get(op.type, ())[:SHORT]:
        for place, tensor in enumerate(inputs):
            is_whole = tensor.dtype in (tf.int32, tf.int64)
            if is_whole or len(inputs) == 1:  # else the dtypes of the operands would not fit
                dtype = tensor.dtype if is_whole else tf.int32
                for form in forms(tensor):
                    check_recorded(op, list(inputs), place, attributes, form, dtype)


def check_recorded(
    op: Op,
    operands: list[Any],
    place: int,
    attributes: tuple[Any, ...],
    form: tuple[int, ...],
    dtype: Any,
) -> None:
    """A recorded call of ``op``, in one place with the sizes of a tensor, beside eager ones."""

    def compute(x: Any) -> Any:
        operands[place] = tf.reshape(tf.shape(x, dtype), form)
        return op.apply(operands, attributes)

    recorded = tf.function(compute)
    for size in FIRST_SIZES:
        x = tf.zeros([size, *[1] * (math.prod(form) - 1)])
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                expected = tf.nest.flatten(compute(x))
            except REFUSALS:
                return
            results = tf.nest.flatten(recorded(x))
        for result, value in zip(results, expected, strict=True):
            assert result.dtype == value.dtype
            np.testing.assert_array_equal(result.numpy(), value.numpy(), str((op.type, attributes)))
