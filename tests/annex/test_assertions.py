"""What test cases inherit from absl, and how they compare dictionaries, as TensorFlow 2.21 answers."""

from __future__ import annotations

import contextlib
import os
import unittest
from typing import Any

import pytest

import tapegrad as tf


class Case(tf.test.TestCase):
    """A test case whose assertions the tests call."""

    __test__ = False

    def runTest(self) -> None:
        """Nothing."""


case = Case()


def calling(error: Exception) -> None:
    raise error


# A name, arguments that pass, and arguments that fail.
ANSWERS: list[tuple[str, list[Any], list[Any]]] = [
    (
        "assertContainsSubset",
        [([1, 1, 2], {2, 1, 3}), ("ab", "bac"), ({"a": 1}, {"a": 2})],
        [([1, 4], [1, 2])],
    ),
    ("assertNoCommonElements", [([1], [2])], [([1], [1, 2])]),
    (
        "assertContainsInOrder",
        [(["a", "b"], "xaybz"), (["a", "a"], "xa"), ("ab", "xab"), ([1, 2], "1 2"), ([], "")],
        [(["b", "a"], "xaybz")],
    ),
    (
        "assertContainsSubsequence",
        [([0, 1, 2, 0, 3], [1, 2, 3]), ([1], [])],
        [([0, 1, 3, 2], [1, 2, 3]), ([1], [1, 1])],
    ),
    (
        "assertContainsExactSubsequence",
        [([0, 1, 2, 3], [1, 2, 3]), ([1], []), ([], []), ("abc", "bc")],
        [([0, 1, 2, 0, 3], [1, 2, 3]), ([], [1])],
    ),
    (
        "assertSequenceStartsWith",
        [([1, 2], [1, 2, 3]), ([], []), ((1,), [1, 2]), ("ab", "abc")],
        [([2], [1, 2, 3]), ([], [1]), ([1, 2], [1])],
    ),
    (
        "assertDictAlmostEqual",
        [
            ({"a": 1.0, "b": "x"}, {"a": 1.00000001, "b": "x"}),
            ({"a": 1.0}, {"a": 1.01}, 1),
            ({"a": 1.0}, {"a": 1.01}, None, None, 0.1),
            ({"a": True}, {"a": 1}),
        ],
        [({"a": 1.0}, {"a": 1.1}), ({"a": 1.0}, {"b": 1.0}), ({"a": [1]}, {"a": [2]})],
    ),
    (
        "assertDictContainsSubset",
        [({"a": 1}, {"a": 1, "b": 2})],
        [({"a": 1}, {"a": 2, "b": 2}), ({"c": 1}, {"a": 2})],
    ),
    (
        "assertSameStructure",
        [
            ({"a": [1, 2]}, {"a": (1, 2)}),
            ({1, 2}, frozenset([2, 1])),
            (1, True),
            (None, None),
            (float, float),
        ],
        [
            ({"a": [1, 2]}, {"a": [1, 3]}),
            ([1, 2], [1]),
            ([1], [1, 2]),
            ({"a": 1}, {"a": 1, "b": 2}),
            ({"a": 1, "b": 2}, {"a": 1}),
            ({1, 2}, {1}),
            (1, 1.0),
            ("a", b"a"),
            ("ab", ["a", "b"]),
            ([1], {0: 1}),
            ([], {}),
        ],
    ),
    ("assertJsonEqual", [('{"a": [1]}', '{"a":[1]}')], [('{"a": [1]}', '{"a":[2]}')]),
    ("assertNotStartsWith", [("abc", "b")], [("abc", "a")]),
    ("assertNotEndsWith", [("abc", "b")], [("abc", "c")]),
    ("assertIsSubclass", [(bool, int), (bool, (str, int))], [(int, bool), (1, int)]),
    (
        "assertSameElements",
        [([1, 1, 2], [2, 1]), ([[1], [2]], [[2], [1]]), ([1, "a"], ["a", 1])],
        [([1], [2]), ([1], [1, 2]), ("ab", "ba"), ([[1]], [[2]])],
    ),
    (
        "assertRaisesWithLiteralMatch",
        [(ValueError, "a.", calling, ValueError("a."))],
        [(ValueError, "a", calling, ValueError("a.")), (ValueError, "a", len, [])],
    ),
    (
        "assertRaisesRegexp",
        [(ValueError, "a.c", calling, ValueError("abc"))],
        [(ValueError, "a.c", calling, ValueError("ac"))],
    ),
    (
        "assertAllClose",
        [
            ([(1.0, (2.0, 3.0)), (4.0, 5.0)], [(1.0, (2.0, 3.0)), (4.0, 5.0)]),
            ([(1.0, (tf.constant(2.0), 3.0))], [(1.0, (2.0, 3.0))]),
            ([[1, [2]], [[3], 4]], [[1, [2]], [[3], 4]]),
        ],
        [([[1, [2, 3]], [4, [5, 6]]], [[1, [2, 3]], [4, [5, 7]]])],
    ),
    (
        "assertAllEqual",
        [
            ([(1.0, (2.0, 3.0)), (4.0, 5.0)], [(1.0, (2.0, 3.0)), (4.0, 5.0)]),
            ([(1.0, (tf.constant(2.0), 3.0))], [(1.0, (2.0, 3.0))]),
            ([[1, [2]], [[3], 4]], [[1, [2]], [[3], 4]]),
        ],
        [([[1, [2, 3]], [4, [5, 6]]], [[1, [2, 3]], [4, [5, 7]]])],
    ),
    (
        "assertDictEqual",
        [
            ({"a": tf.constant(1.0)}, {"a": 1.0000001}),
            ({"a": "x", "b": None, "c": case}, {"a": "x", "b": None, "c": case}),
            ({"a": [1, 2]}, {"a": (1, 2)}),
            ({"a": True, "b": float("nan")}, {"a": 1, "b": float("nan")}),
        ],
        [
            ({"a": 1}, {"b": 1}),
            ({"a": 1.0}, {"a": 1.1}),
            ({"a": None}, {"a": 1}),
            ({"a": {"b": 1}}, {"a": {"b": 2}}),
            ({"a": tf.constant([1, 2])}, {"a": [1, 3]}),
            ({"a": tf.ones([2])}, {"a": tf.ones([3])}),
        ],
    ),
]


@pytest.mark.parametrize(
    ("name", "arguments"), [(name, these) for name, passing, _ in ANSWERS for these in passing]
)
def test_assertions_that_pass(name: str, arguments: tuple[Any, ...]) -> None:
    getattr(case, name)(*arguments)


@pytest.mark.parametrize(
    ("name", "arguments"), [(name, these) for name, _, failing in ANSWERS for these in failing]
)
def test_assertions_that_fail(name: str, arguments: tuple[Any, ...]) -> None:
    with pytest.raises(AssertionError):
        getattr(case, name)(*arguments)


def test_failures_say_where() -> None:
    with pytest.raises(AssertionError) as said:
        case.assertSameStructure({"x": [1, 2]}, {"x": [1, 3], "y": 4}, "got", "want", "here")
    assert (
        str(said.value)
        == "got['x'][1] is 2 and want['x'][1] is 3; ['y'] is in one of got and want : here"
    )
    with pytest.raises(AssertionError, match=r"^\{4\} is missing in \[1, 2\]$"):
        case.assertContainsSubset([1, 4], [1, 2])


def test_errors_pass_through_and_wrong_arguments_are_errors() -> None:
    with pytest.raises(TypeError, match=r"^other$"):
        case.assertRaisesWithLiteralMatch(ValueError, "a", calling, TypeError("other"))
    with case.assertRaisesWithLiteralMatch(ValueError, "in a block"):
        raise ValueError("in a block")
    with pytest.raises(ValueError, match="not both"):
        case.assertDictAlmostEqual({"a": 1.0}, {"a": 1.01}, 1, None, 0.1)
    with pytest.raises(ValueError, match="Expecting"):
        case.assertJsonEqual("{", "{}")


class Files(tf.test.TestCase):
    """A test that makes folders and files, and enters contexts."""

    __test__ = False
    left: dict[str, Any]

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.left = {"events": []}
        cls.enter_context(contextlib.closing(Closing(cls.left["events"], "class")))

    def test_files(self) -> None:
        assert os.listdir(self.create_tempdir()) == []
        folder = self.create_tempdir("a/b")
        assert folder.full_path.endswith(os.path.join("a", "b"))
        with open(os.path.join(folder, "x"), "w") as file:
            file.write("1")
        assert os.listdir(self.create_tempdir("a/b")) == []
        above = self.create_tempdir("a")
        assert os.listdir(above) == []

        inside = above.create_file("p/q.txt", "hallo")
        assert (inside.read_text(), inside.read_bytes()) == ("hallo", b"hallo")
        assert above.create_file("p/q.txt").read_text() == ""
        inside.write_text("x")
        inside.write_text("y", "a")
        assert inside.read_text() == "xy"
        inside.write_bytes(b"z")
        inside.write_bytes(b"\xc3\xa9", "ab")
        assert inside.read_text() == "zé"
        above.mkdir("k/l")
        assert sorted(os.listdir(above)) == ["k", "p"]
        assert os.path.isdir(above.mkdir())

        named = self.create_tempfile("u/v", b"ab", "wb")
        assert named.read_bytes() == b"ab"
        assert named.full_path.endswith(os.path.join("u", "v"))
        os.chmod(named, 0o400)
        assert self.create_tempfile("u/v", "w").read_text() == "w"
        with named.open_text() as text, named.open_bytes() as data:
            assert (text.read(), data.read()) == ("w", b"w")
        for wrong in (lambda: named.open_text("rb"), lambda: named.open_bytes("rt")):
            with pytest.raises(ValueError, match="takes modes of"):
                wrong()

        self.enter_context(contextlib.closing(Closing(self.left["events"], "test")))
        self.left["paths"] = [above, named, self.get_temp_dir(), self.create_tempfile(content="a")]
        self.left["there"] = [os.path.exists(path) for path in self.left["paths"]]


class Closing:
    """Says when it is closed."""

    def __init__(self, events: list[str], name: str) -> None:
        self._events, self._name = events, name

    def close(self) -> None:
        self._events.append(self._name)


def test_files_and_contexts_last_as_long_as_their_test() -> None:
    result = unittest.TestResult()
    unittest.TestSuite([Files("test_files")]).run(result)
    assert not result.failures + result.errors, result
    assert Files.left["there"] == [True] * 4
    assert not any(map(os.path.exists, Files.left["paths"]))
    assert Files.left["events"] == ["test", "class"]
