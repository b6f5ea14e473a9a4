"""Strings, compared with TensorFlow's values in golden/ragged.json.gz."""

import numpy as np
import pytest
from tests.ragged.test_ragged import GOLDEN, complaints

import tapegrad as tf
from expressions import PATTERNS
from tapegrad.ops.strings.hashes import fingerprint64, hash64, keyed_hash


def test_strings_are_tensorflows() -> None:
    assert not complaints("STRINGS")


def texts() -> list[bytes]:
    """A text of every length up to 300, and some longer ones."""
    draws = np.random.default_rng(7)
    return [draws.bytes(size) for size in [*range(301), 511, 512, 513, 1000, 4096]]


@pytest.mark.parametrize(
    ("name", "function"),
    [
        ("fast", fingerprint64),
        ("plain", hash64),
        ("strong", lambda text: keyed_hash(text, (123, 2**63 + 5))),
    ],
)
def test_hashes_are_tensorflows_at_every_length(name: str, function: object) -> None:
    buckets = 2**62 + 1
    assert [function(text) % buckets for text in texts()] == GOLDEN["HASHES"][name]  # type: ignore[operator]


@pytest.mark.parametrize(("pattern", "text"), PATTERNS)
def test_patterns_have_re2s_syntax(pattern: str, text: str) -> None:
    expected = GOLDEN["PATTERNS"][f"{pattern} {text}"]
    if expected is None:
        with pytest.raises(tf.errors.InvalidArgumentError, match="Invalid pattern"):
            tf.strings.regex_replace(text, pattern, "x")
    else:
        assert tf.strings.regex_replace(text, pattern, "x").numpy().decode() == expected


def test_every_code_point_has_tensorflows_script() -> None:
    scripts = tf.strings.unicode_script(tf.range(0x110000)).numpy()
    assert np.bincount(scripts + 1).tolist() == GOLDEN["SCRIPTS"]


def test_strings_that_are_no_strings_are_refused() -> None:
    for refused in (
        tf.strings.lower,
        tf.strings.split,
        tf.strings.to_number,
        tf.strings.bytes_split,
    ):
        with pytest.raises((TypeError, ValueError, tf.errors.InvalidArgumentError)):
            refused(tf.constant([1, 2]))


def test_nothing_comes_before_the_first_string_of_a_segment_that_is_not_empty() -> None:
    joined = tf.strings.unsorted_segment_join(["", "a", "", "b", ""], [0, 0, 0, 1, 1], 3, "-")
    assert joined.numpy().tolist() == [b"a-", b"b-", b""]
    # All strings count where they are joined along axes, as in TensorFlow.
    assert tf.strings.reduce_join([["", "a"]], axis=1, separator="-").numpy() == [b"-a"]


# Of the words of a text: at most so many, and then what is behind them.
WORDS = [
    ("a b c", -1, ["a", "b", "c"]),
    ("  a  b c ", 0, ["  a  b c "]),
    ("  a  b c ", 1, ["a", "b c "]),
    ("a b c", 3, ["a", "b", "c", ""]),
    ("a b c", 4, ["a", "b", "c"]),
    ("a", 1, ["a", ""]),
    (" ", 1, []),
    ("", 0, [""]),
]


@pytest.mark.parametrize(("text", "maxsplit", "expected"), WORDS)
def test_words_are_split_as_tensorflow_splits_them(
    text: str, maxsplit: int, expected: list[str]
) -> None:
    found = tf.strings.split(text, maxsplit=maxsplit).numpy().tolist()
    assert found == [word.encode() for word in expected]


def test_ngrams_of_no_strings_at_all() -> None:
    def pairs(rows: list[list[str]]) -> list[list[bytes]]:
        ragged = tf.ragged.constant(rows, tf.string, ragged_rank=1)
        return tf.strings.ngrams(ragged, 2, pad_values=("<", ">")).to_list()

    assert pairs([[], []]) == [[], []]
    assert pairs([[], ["a"]]) == [[b"< >"], [b"< a", b"a >"]]
    with pytest.raises(ValueError, match="greater than 0"):
        tf.strings.ngrams(["a"], 2, pad_values="x", padding_width=0)
    with pytest.raises(ValueError, match="pad_values"):
        tf.strings.ngrams(["a"], 2, padding_width=1)


@pytest.mark.parametrize("delimiters", [",", ",;", ""])
def test_an_empty_string_has_no_pieces(delimiters: str) -> None:
    pieces = tf.compat.v1.string_split(["", ",", ""], delimiters, skip_empty=False)
    assert pieces.indices[:, 0].numpy().tolist() == ([1] if not delimiters else [1, 1])
    assert pieces.dense_shape.numpy().tolist() == [3, 1 if not delimiters else 2]


def test_fingerprints_of_nothing() -> None:
    assert tf.fingerprint(tf.zeros([0], tf.string)).shape == (0, 8)
    assert tf.fingerprint(tf.zeros([0, 2], tf.int32)).shape == (0, 8)


def test_substrings_of_negative_length() -> None:
    """Of bytes all that is left, and of characters none: TensorFlow's answers."""
    words = tf.constant(["abc", "d\u00e9f"])
    assert tf.strings.substr(words, 1, -1).numpy().tolist() == [b"bc", "\u00e9f".encode()]
    assert tf.strings.substr(words, 1, -1, "UTF8_CHAR").numpy().tolist() == [b"", b""]
    with pytest.raises(tf.errors.InvalidArgumentError, match="pos -1 out of range"):
        tf.strings.substr(words, -1, -1, "UTF8_CHAR")


def test_characters_below_32_that_are_to_be_replaced() -> None:
    # As TensorFlow's: "ignore" leaves them out, "strict" raises where it transcodes, and replaces elsewhere.
    text, how = ["a\x00b\x1f\x7f\n"], {"replace_control_characters": True}
    for errors, points in (
        ("replace", [97, 63, 98, 63, 127, 63]),
        ("ignore", [97, 98, 127]),
        ("strict", [97, 63, 98, 63, 127, 63]),
    ):
        more = {"errors": errors, "replacement_char": 63, **how}
        assert tf.strings.unicode_decode(text, "UTF-8", **more).to_list() == [points]
        if errors == "strict":
            with pytest.raises(tf.errors.InvalidArgumentError, match="below 32"):
                tf.strings.unicode_transcode(text, "UTF-8", "UTF-8", **more)
        else:
            found = tf.strings.unicode_transcode(text, "UTF-8", "UTF-8", **more)
            assert found.numpy().tolist() == [bytes(points)]
    found, places = tf.strings.unicode_decode_with_offsets(text, "UTF-8", errors="ignore", **how)
    assert places.to_list() == [[0, 2, 4]]
