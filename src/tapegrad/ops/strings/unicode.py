"""Text in encodings, and the code points in it."""

from __future__ import annotations

import codecs
from typing import Any

import numpy as np

from tapegrad import dtypes
from tapegrad.errors import refuse
from tapegrad.ops.args import static_bool, static_int
from tapegrad.ops.op import STRING, op
from tapegrad.ops.shape_rules import Abstract, same_shape
from tapegrad.ops.strings.pieces import in_rows
from tapegrad.ops.strings.text import each_text

PUBLIC = {"strings compat.v1.strings": "unicode_transcode"}

OUTPUTS = ("UTF-8", "UTF-16-BE", "UTF-32-BE")
ERRORS = ("strict", "replace", "ignore")
LARGEST = 0x10FFFF


def output_encoding_of(encoding: Any) -> str:
    if encoding not in OUTPUTS:
        refuse(
            f"Value for attr 'output_encoding' of {encoding!r} is not in the list of allowed values: "
            f"{', '.join(OUTPUTS)}."
        )
    return str(encoding)


def errors_of(errors: Any) -> str:
    if errors not in ERRORS:
        refuse(
            f"Value for attr 'errors' of {errors!r} is not in the list of allowed values: {ERRORS}."
        )
    return str(errors)


def replacement_of(number: Any) -> int:
    point = static_int(number)
    if not is_character(point):
        refuse(f"replacement_char {point} is no code point of Unicode.")
    return point


def is_character(point: int) -> bool:
    return 0 <= point <= LARGEST and not 0xD800 <= point <= 0xDFFF


def input_encoding_of(encoding: Any) -> str:
    """Python's name of an encoding."""
    try:
        return codecs.lookup(str(encoding)).name
    except LookupError:
        refuse(f"Could not create converter for input encoding: {encoding}")


READING = {
    "input_encoding": input_encoding_of,
    "errors": errors_of,
    "replacement_char": replacement_of,
    "replace_control_characters": static_bool,
}


def characters(
    text: bytes, encoding: str, errors: str, replacement: int, controls: bool
) -> list[tuple[int, int]]:
    """The code points in a text, each with the place of its first byte."""
    points: list[tuple[int, int]] = []
    place = 0
    while place < len(text):
        rest = text[place:]
        try:
            good, bad = codecs.decode(rest, encoding), 0
        except UnicodeDecodeError as error:
            if errors == "strict":
                refuse("Invalid formatting on input string.")
            good = codecs.decode(rest[: error.start], encoding)
            bad = error.end - error.start
        for letter in good:
            points.append((ord(letter), place))
            place += len(letter.encode(encoding))
        if bad and errors == "replace":
            points.append((replacement, place))
        place = place + bad if bad else len(text)
    if controls and errors == "ignore":
        return [(point, place) for point, place in points if point >= 32]
    if controls:
        return [(replacement if point < 32 else point, place) for point, place in points]
    return points


def written(points: Any, encoding: str, errors: str, replacement: int) -> bytes:
    """Code points as text."""
    letters = []
    for point in points:
        if is_character(point):
            letters.append(chr(point))
        elif errors == "strict":
            refuse("Code point is out of range for Unicode, or is a surrogate.")
        elif errors == "replace":
            letters.append(chr(replacement))
    return "".join(letters).encode(encoding)


@op(
    "UnicodeTranscode",
    dtypes=STRING,
    convert=READING | {"output_encoding": output_encoding_of},
    dispatched="unary",
)
def unicode_transcode(
    xp,
    input,
    *,
    input_encoding,
    output_encoding,
    errors="replace",
    replacement_char=65533,
    replace_control_characters=False,
):
    """Each string in another encoding.

    >>> tf.strings.unicode_transcode("hé", "UTF-8", "UTF-16-BE").numpy()
    b'\\x00h\\x00\\xe9'

    Args:
        input: strings.
        input_encoding: the encoding they are in.
        output_encoding: ``"UTF-8"``, ``"UTF-16-BE"`` or ``"UTF-32-BE"``.
        errors: what becomes of bytes that are no text: ``"replace"``, ``"ignore"`` or ``"strict"``, which
            raises.
        replacement_char: the code point that replaces them.
        replace_control_characters: whether it replaces the characters below 32 too. With "ignore" they are
            left out, and with "strict" they raise.
    """

    def transcoded(text: bytes) -> bytes:
        # Decoding strictly, control characters are replaced; here they are errors, as in TensorFlow.
        refuses = replace_control_characters and errors == "strict"
        replaces = replace_control_characters and not refuses
        points = characters(text, input_encoding, errors, replacement_char, replaces)
        if refuses and any(point < 32 for point, _ in points):
            refuse("Invalid formatting on input string: it has characters below 32.")
        return written([point for point, _ in points], output_encoding, errors, replacement_char)

    return each_text(input, transcoded)


unicode_transcode.shape(same_shape)
unicode_transcode.no_gradient()


@op(
    "_DecodeCharacters",
    dtypes=STRING,
    convert=READING,
    outputs=("points", "places", "lengths"),
)
def decode_characters(
    xp,
    texts,
    *,
    input_encoding,
    errors="replace",
    replacement_char=65533,
    replace_control_characters=False,
):
    """The code points of each string, where they begin, and how many each has."""
    rows = [
        characters(text, input_encoding, errors, replacement_char, replace_control_characters)
        for text in texts.tolist()
    ]
    pairs = [item for row in rows for item in row]
    return (
        np.array([point for point, _ in pairs], np.int32),
        np.array([place for _, place in pairs], np.int64),
        np.array([len(row) for row in rows], np.int64),
    )


decode_characters.shape(
    lambda texts: [
        Abstract([None], dtypes.int32),
        Abstract([None], dtypes.int64),
        Abstract([texts.size], dtypes.int64),
    ]
)
decode_characters.no_gradient()


@op(
    "_SplitCharacters",
    dtypes=STRING,
    convert=READING,
    outputs=("values", "places", "lengths"),
)
def split_characters(xp, texts, *, input_encoding, errors="replace", replacement_char=65533):
    """The characters of each string, each in that encoding, and where they begin."""
    rows = [
        characters(text, input_encoding, errors, replacement_char, False) for text in texts.tolist()
    ]
    values, lengths = in_rows(
        [[chr(point).encode(input_encoding) for point, _ in row] for row in rows]
    )
    return values, np.array([place for row in rows for _, place in row], np.int64), lengths


split_characters.shape(
    lambda texts: [
        Abstract([None], dtypes.string),
        Abstract([None], dtypes.int64),
        Abstract([texts.size], dtypes.int64),
    ]
)
split_characters.no_gradient()


@op(
    "_EncodeRows",
    dtypes={"points": {dtypes.int32}, "splits": {dtypes.int64}},
    convert={
        "output_encoding": output_encoding_of,
        "errors": errors_of,
        "replacement_char": replacement_of,
    },
)
def encode_rows(xp, points, splits, *, output_encoding, errors="replace", replacement_char=65533):
    """A string for each row of code points."""
    result = np.empty(len(splits) - 1, object)
    numbers = points.tolist()
    result[:] = [
        written(numbers[start:end], output_encoding, errors, replacement_char)
        for start, end in zip(splits[:-1].tolist(), splits[1:].tolist(), strict=True)
    ]
    return result


encode_rows.no_gradient()
