"""Malformed calls raise TensorFlow's class of error, or none where TensorFlow raises none.

``golden/errors.json.gz`` holds what TensorFlow makes of each expression: a class after ``!``, or the dtypes
and shapes of what comes back. `EXCUSES` says where we differ, and why; one that nothing needs fails the test.
"""

from __future__ import annotations

import gzip
import json
import re
import warnings
from collections.abc import Iterator

import tapegrad as tf
from golden import record_errors

RECORDS: dict[str, str] = json.loads(gzip.decompress(record_errors.PATH.read_bytes()))
NAMES = record_errors.names(tf)

REFUSALS = {"!TypeError", "!ValueError", "!InvalidArgumentError"}
# Failures inside TensorFlow, which speak of its own parts: a refusal in one of the classes above is right.
ACCIDENTS = {
    f"!{name}"
    for name in (
        "AbortedError AssertionError AttributeError IndexError InternalError MemoryError NotFoundError "
        "OutOfRangeError OverflowError RuntimeError SystemError UnimplementedError"
    ).split()
}


def there(*values: str) -> set[str]:
    """The cases with these values in the place of an index, a size, an axis or a number of things."""
    places = [place.strip() for place in record_errors.INTEGER_PLACES]
    return {place.replace("{}", value) for place in places for value in values}


# What is no integer of 64 bits. TensorFlow's class follows from which of its layers looks first: any will do,
# but for numbers that are too large, which are a ValueError wherever it has one.
TOO_LARGE = there("2**63", "-2**63 - 1", "10**30")
NO_INTEGERS = there("'a'", "None", "2j", "[]") | TOO_LARGE
# What may pass for an integer. TensorFlow takes these in some places, and so do we, not always in the same.
ALMOST_INTEGERS = there("1.5", "True", "[1]", "tf.constant([1])")

# A pattern for cases, one for what we answer, and why.
ACCEPTED = "(?!!).*"
REFUSED = "!(TypeError|ValueError|InvalidArgumentError)"
EXCUSES: list[tuple[str, str, str]] = [
    # operands
    (r"tf\.logical_\w+\(.*|tf\.math\.logical_xor\(.*", "!TypeError", "TensorFlow: ValueError for one order"),
    (r"tf\.math\.multiply_no_nan\(.*", ".*", "TensorFlow: ValueError, unlike its other ops of two operands"),
    (r"tf\.(math\.)?(true)?div(ide)?(_no_nan)?\(.*(np\.ones|\['a', 'b'\]|'a').*", REFUSED, "no numbers"),
    (r"tf\.add_n\(.*", REFUSED, "a list of tensors converts as lists do"),
    (r"tf\.nn\.sigmoid_cross_entropy_with_logits\(\[1\.0\], .*float64.*", ACCEPTED, "a list takes the dtype"),
    (r"tf\.clip_by_norm\(.*float64\)\)", "!ValueError", "dtypes are not mixed"),
    (r"tf\.matmul\(.*output_type=.*", ACCEPTED, "TensorFlow has no such kernel on a CPU"),
    (r"recorded\(.*output_gradients=.*", ".*", "page: output_gradients are checked"),
    (r"tape_of\(.*output_gradients=.*", "!ValueError", "page: output_gradients are checked"),
    (r"tape_of\(.*'(batch_)?jacobian'\)", ".*", "arrays as targets; the dtype of zeros"),
    (r"tf\.GradientTape\(\)\.watch\(.*", ACCEPTED, "a tape that was not entered: see the page"),
    # indices, sizes, empty lists
    (r".*gather.*\[\].*|.*sparse_read.*|tf\.slice\(1\.0, \[\], \[\]\)|gradient\(lambda x: tf\.slice.*",
     ACCEPTED, "an empty list is one of integers here, of floats there"),
    (r"gradient\(lambda x: tf\.math\.segment_sum\(x, \[\]\), \[\]\)", ACCEPTED, "the same"),
    (r"tf\.scatter_nd\(.*", ACCEPTED, "sizes have no dtype here; one number is a vector of one"),
    (r"tf\.(reshape|strided_slice)\(.*int64.*", ACCEPTED, "Python numbers and lists have no dtype here"),
    (r"tf\.strided_slice\(.*(begin_mask|ellipsis_mask).*", ".*", "masks are read as Python reads them"),
    (r"tf\.strided_slice\(.*int16.*", REFUSED, "positions are int32 or int64"),
    (r"tf\.(concat|nn\.softmax|signal\.frame)\(.*\[[01]\]\)", ".*", "a vector of one element"),
    (r"tf\.signal\.frame\(.*", ".*", "an axis that the signal lacks"),
    (r"tf\.repeat\(.*", REFUSED, "a negative number of times"),
    (r"tf\.unravel_index\(\[\], .*", ACCEPTED, "no indices have no places"),
    (r"tf\.unravel_index\(.*", REFUSED, "page: negative indices"),
    (r"tf\.shape_n\(.*|tf\.constant\(.*(63|30|1), tf\.complex64\)", ".*", "conversions"),
    (r"tf\.constant\(\[\[\], 1\], tf\.float64\)", "!ValueError", "page: ragged lists"),
    (r"tf\.constant\(.*(63|30|1), tf\.(bool|string)\)", "!TypeError", "no truth value, and no string"),
    (r"tf\.ones\(\[2\], tf\.bool\) & .*", "!TypeError", "the same"),
    (r"tf\.(unstack|dynamic_partition)\(.*", "!InvalidArgumentError", "another number than there are"),
    (r"tf\.(arg)?sort\(.*2j\)", REFUSED, "an axis is no complex number"),
    (r"tf\.squeeze\(.*tf\.constant\(0\)\)", ACCEPTED, "TensorFlow: MemoryError"),
    (r"tf\.reduce_sum\(\[1\.0\], 0\.0\)", "!TypeError", "an axis is no float"),
    (r"tf\.signal\.(i?r?fft|stft|overlap_and_add)\(.*", REFUSED, "the class follows from who looks first"),
    (r"tf\.sequence_mask\(.*|tf\.norm\('a'\)|tf\.nn\.in_top_k\(.*", REFUSED, "the same"),
    (r"tf\.debugging\.assert_near\(.*|tf\.image\.(sobel_edges|resize)\(.*", REFUSED, "the same"),
    (r"tf\.ones\(.*\[\[True, 1\]\]|tf\.ones\(\[3, 3\]\)\[0, False\]", REFUSED, "True is no index"),
    (r"tf\.TensorArray\(.*gather\(.*", "!OutOfRangeError", "positions below 0"),
    (r"tf\.TensorArray\(.*write\(0, 1\)", ACCEPTED, "TensorFlow's result is wrapped"),
    (r"tf\.quantization\..*None\)", "!ValueError", "None is no number of bits"),
    (r"tf\.(TensorArray|dynamic_stitch|linalg\.tridiagonal_solve)\(.*", REFUSED, "the same"),
    (r"tf\.nn\.atrous_conv2d\(.*-[15], .*", REFUSED, "the same"),
    (r"tf\.vectorized_map\(.*|tf\.Variable\(\[.*|tf\.slice\(.*", REFUSED, "the same"),
    (r"tf\.einsum\(.*", ".*", "the same; and a scalar stands for itself"),
    (r"tf\.linalg\.lstsq\(.*'a'\)", "!UnimplementedError", "the regulariser is cast"),
    # functions
    (r"tf\.nn\.local_response_normalization\(.*None\)", "!ValueError", "None is no radius"),
    (r"tf\.nn\.atrous_conv2d\(.*None, 'SAME'\)", ACCEPTED, "None: no dilation"),
    (r"tf\.nn\.(max_pool2d|conv[23]d|dropout|pool|depthwise_conv2d)\(.*", ".*", "page: Bad input"),
    (r"tf\.while_loop\(.*", ".*", "page: a body that returns its one variable bare"),
    (r"tf\.scan\(.*", ACCEPTED, "elements of any shape"),
    (r"tf\.math\.imag\('a'\)", "!TypeError", "a string has no imaginary part"),
    # gradients of scalars and of nothing
    (r"gradient\(.*", ACCEPTED, "a gradient where TensorFlow has an error"),
    # slices and sparse tensors
    (r".*IndexedSlices.*", ".*", "page: lists become tensors"),
    (r"tf\.sparse\..*|tf\.SparseTensor\(.*|tf\.edit_distance\(.*", ".*", "sizes and positions are checked"),
]  # fmt: skip


def agrees(case: str, theirs: str, ours: str) -> bool:
    if ours == theirs or (theirs in ACCIDENTS and ours in REFUSALS):
        return True
    if case in TOO_LARGE and theirs == "!ValueError":
        return False
    if case in NO_INTEGERS:
        return theirs.startswith("!") and ours in REFUSALS
    return case in ALMOST_INTEGERS and (ours in REFUSALS or not ours.startswith("!"))


def differing() -> Iterator[tuple[str, str, str]]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for case, theirs in RECORDS.items():
            ours = record_errors.answer(tf, case, NAMES)
            if not agrees(case, theirs, ours):
                yield case, theirs, ours


def test_malformed_calls_raise_what_tensorflow_raises() -> None:
    unexplained, needed = [], set()
    for case, theirs, ours in differing():
        for place, (pattern, answer, _) in enumerate(EXCUSES):
            if re.fullmatch(pattern, case) and re.fullmatch(answer, ours):
                needed.add(place)
                break
        else:
            unexplained.append(f"{case}: TensorFlow {theirs}, here {ours}")
    assert not unexplained, "\n".join(unexplained)
    assert len(needed) == len(EXCUSES), [
        excuse for place, excuse in enumerate(EXCUSES) if place not in needed
    ]
