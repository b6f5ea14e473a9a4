"""What test cases of TensorFlow inherit from absl, for programs whose tests call it; `cases` adds tensors.

Their arguments are absl's, and so is what passes; the folders of a test are removed after it in any case.
"""

from __future__ import annotations

import contextlib
import json
import shutil
import tempfile
import unittest
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from pathlib import Path
from types import MethodType
from typing import Any

TEXTS = (str, bytes, bytearray)


class _OnDisk:
    """A file or a folder of a test; what opens files takes it as a path."""

    def __init__(self, path: Path) -> None:
        self._path = path

    @property
    def full_path(self) -> str:
        """The path as a text."""
        return str(self._path)

    def __fspath__(self) -> str:
        return self.full_path


class TestFile(_OnDisk):
    """What `create_tempfile` returns."""

    __test__ = False

    def read_text(self, encoding: str = "utf8", errors: str = "strict") -> str:
        """The text of the file."""
        with self.open_text(encoding=encoding, errors=errors) as file:
            text: str = file.read()
        return text

    def read_bytes(self) -> bytes:
        """The bytes of the file."""
        return self._path.read_bytes()

    def write_text(
        self, text: str, mode: str = "w", encoding: str = "utf8", errors: str = "strict"
    ) -> None:
        """Write the text, or add it where ``mode`` is "a"."""
        with self.open_text(mode, encoding, errors) as file:
            file.write(text)

    def write_bytes(self, data: bytes, mode: str = "wb") -> None:
        """Write the bytes, or add them where ``mode`` is "ab"."""
        with self.open_bytes(mode) as file:
            file.write(data)

    def open_text(self, mode: str = "rt", encoding: str = "utf8", errors: str = "strict") -> Any:
        """The file, open for text."""
        if "b" in mode:
            raise ValueError(f"`open_text` takes modes of text, not {mode!r}: use `open_bytes`.")
        return self._path.open(mode, encoding=encoding, errors=errors)

    def open_bytes(self, mode: str = "rb") -> Any:
        """The file, open for bytes."""
        if "t" in mode:
            raise ValueError(f"`open_bytes` takes modes of bytes, not {mode!r}: use `open_text`.")
        return self._path.open(mode if "b" in mode else f"{mode}b")


class TestFolder(_OnDisk):
    """What `create_tempdir` returns."""

    __test__ = False

    def create_file(
        self,
        file_path: str | None = None,
        content: str | bytes | None = None,
        mode: str = "w",
        encoding: str = "utf8",
        errors: str = "strict",
    ) -> TestFile:
        """A file in the folder: a new one, or the one of that name, empty but for ``content``."""
        if file_path is None:
            descriptor, name = tempfile.mkstemp(dir=self._path)
            open(descriptor).close()
            path = Path(name)
        else:
            path = self._path / file_path
            path.parent.mkdir(parents=True, exist_ok=True)
            if path.exists():
                path.chmod(path.stat().st_mode | 0o200)
        file = TestFile(path)
        if isinstance(content, str):
            file.write_text(content, mode, encoding, errors)
        else:
            file.write_bytes(content or b"", mode if content else "wb")
        return file

    def mkdir(self, dir_path: str | None = None) -> TestFolder:
        """A folder in the folder: a new one, or the one of that name."""
        if dir_path is None:
            return TestFolder(Path(tempfile.mkdtemp(dir=self._path)))
        path = self._path / dir_path
        path.mkdir(parents=True, exist_ok=True)
        return TestFolder(path)


def _until_class_ends(cls: Any, manager: Any) -> Any:
    """Enter a context that is left after the last test of the class."""
    return cls.enterClassContext(manager)


def _until_test_ends(self: Any, manager: Any) -> Any:
    """Enter a context that is left after the test."""
    return self.enterContext(manager)


class _EnterContext:
    """A method of a class of tests, and of a test."""

    def __get__(self, case: Any, owner: Any) -> MethodType:
        if case is None:
            return MethodType(_until_class_ends, owner)
        return MethodType(_until_test_ends, case)


class Assertions(unittest.TestCase):
    """Assertions about containers, texts and errors, and files that are removed after the test."""

    enter_context = _EnterContext()

    # Files

    def _new_folder(self) -> str:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        return folder.name

    def get_temp_dir(self) -> str:
        """A folder for the files of this test, which is removed after it."""
        if not hasattr(self, "_folder"):
            self._folder = self._new_folder()
        return self._folder

    def _folder_of_files(self) -> TestFolder:
        if not hasattr(self, "_files"):
            self._files = TestFolder(Path(self._new_folder()))
        return self._files

    def create_tempdir(self, name: str | None = None, cleanup: Any = None) -> TestFolder:
        """An empty folder, which is removed after the test.

        Args:
            name: its path in the folder of the test; None for a new name.
            cleanup: accepted, and of no effect.
        """
        files = self._folder_of_files()
        if name:
            shutil.rmtree(Path(files, Path(name).parts[0]), ignore_errors=True)
        return files.mkdir(name or None)

    def create_tempfile(
        self,
        file_path: str | None = None,
        content: str | bytes | None = None,
        mode: str = "w",
        encoding: str = "utf8",
        errors: str = "strict",
        cleanup: Any = None,
    ) -> TestFile:
        """A file, which is removed after the test.

        Args:
            file_path: its path in the folder of the test; None for a new name.
            content: a text or bytes to write into it; None for an empty file.
            mode: how to open it for the content.
            encoding: of a text.
            errors: what to do with characters that the encoding lacks.
            cleanup: accepted, and of no effect.
        """
        return self._folder_of_files().create_file(
            file_path or None, content, mode, encoding, errors
        )

    # Containers

    def _pass_if(self, good: Any, msg: str | None, text: str) -> None:
        if not good:
            self.fail(self._formatMessage(msg, text))

    def assertLen(self, container: Any, expected_len: int, msg: str | None = None) -> None:
        """Pass if the container has that length."""
        self.assertEqual(len(container), expected_len, msg)

    def assertEmpty(self, container: Any, msg: str | None = None) -> None:
        """Pass if the container is empty."""
        self.assertEqual(len(container), 0, msg)

    def assertNotEmpty(self, container: Any, msg: str | None = None) -> None:
        """Pass if the container is not empty."""
        self.assertNotEqual(len(container), 0, msg)

    def assertItemsEqual(self, first: Any, second: Any, msg: str | None = None) -> None:
        """Pass if both have the same items, in any order."""
        self.assertCountEqual(first, second, msg)

    def assertSameElements(
        self, expected_seq: Any, actual_seq: Any, msg: str | None = None
    ) -> None:
        """Pass if both have the same items, however often, in any order. Texts are no sequences of items."""
        texts = isinstance(expected_seq, TEXTS) or isinstance(actual_seq, TEXTS)
        self._pass_if(not texts, msg, "texts, where sequences of items are compared")
        for whole, part in ((expected_seq, actual_seq), (actual_seq, expected_seq)):
            other = [item for item in part if item not in whole]
            self._pass_if(not other, msg, f"{other} is in one of {expected_seq} and {actual_seq}")

    def assertContainsSubset(
        self, expected_subset: Any, actual_set: Any, msg: str | None = None
    ) -> None:
        """Pass if every item of the first is one of the second."""
        missing = {*expected_subset} - {*actual_set}
        self._pass_if(not missing, msg, f"{missing} is missing in {actual_set}")

    def assertNoCommonElements(
        self, expected_seq: Any, actual_seq: Any, msg: str | None = None
    ) -> None:
        """Pass if no item of the first is one of the second."""
        common = {*expected_seq} & {*actual_seq}
        self._pass_if(not common, msg, f"{common} is in both {expected_seq} and {actual_seq}")

    def assertContainsSubsequence(
        self, container: Any, subsequence: Any, msg: str | None = None
    ) -> None:
        """Pass if the items of the second come in this order in the first, others between them or not."""
        rest = iter(container)
        for item in subsequence:  # `in` walks on from the last item that was found
            self._pass_if(item in rest, msg, f"no {item!r} in its place for {subsequence}")

    def assertContainsExactSubsequence(
        self, container: Any, subsequence: Any, msg: str | None = None
    ) -> None:
        """Pass if the items of the second come one after another in the first."""
        whole, part = [*container], [*subsequence]
        starts = range(len(whole) - len(part) + 1)
        is_part = any(whole[start : start + len(part)] == part for start in starts)
        self._pass_if(is_part or not part, msg, f"no {part} in {whole}")

    def assertSequenceStartsWith(self, prefix: Any, whole: Any, msg: str | None = None) -> None:
        """Pass if the first items of a list are those. No items are the beginning of an empty list alone."""
        size = len(prefix)
        good = size <= len(whole) and (size > 0 or not whole)
        self._pass_if(good, msg, f"{prefix} is not the beginning of {whole}")
        self.assertSequenceEqual(prefix, whole[:size], msg)

    def assertSequenceAlmostEqual(
        self,
        expected_seq: Any,
        actual_seq: Any,
        places: int | None = None,
        msg: str | None = None,
        delta: float | None = None,
    ) -> None:
        """Pass if two sequences of numbers are almost equal."""
        self.assertEqual(len(expected_seq), len(actual_seq), msg)
        for one, other in zip(expected_seq, actual_seq, strict=True):
            self.assertAlmostEqual(one, other, places, msg, delta)  # type: ignore[arg-type]

    def assertDictAlmostEqual(
        self,
        a: Any,
        b: Any,
        places: int | None = None,
        msg: str | None = None,
        delta: float | None = None,
    ) -> None:
        """Pass if two dictionaries have the same keys, almost equal numbers and otherwise equal values."""
        if places is not None and delta is not None:
            raise ValueError("specify `delta` or `places`, not both")
        self.assertEqual(a.keys(), b.keys(), msg)
        for key, value in a.items():
            if isinstance(value, (int, float)) and isinstance(b[key], (int, float)):
                self.assertAlmostEqual(value, b[key], places, msg, delta)  # type: ignore[arg-type]
            else:
                self.assertEqual(value, b[key], msg)

    def assertDictContainsSubset(
        self, subset: Mapping[Any, Any], dictionary: Mapping[Any, Any], msg: object = None
    ) -> None:
        """Pass if the second has every item of the first."""
        self.assertDictEqual({**dictionary}, {**dictionary, **subset}, msg)

    def assertSameStructure(
        self, a: Any, b: Any, aname: str = "a", bname: str = "b", msg: str | None = None
    ) -> None:
        """Pass if two nests of dictionaries, lists and sets, of whatever types, have equal leaves."""
        differences = "; ".join(self._differences(a, b, aname, bname))
        self._pass_if(not differences, msg, differences)

    def _differences(self, a: Any, b: Any, aname: str, bname: str) -> Iterator[str]:
        kinds = (int, Mapping, Set, Sequence)
        alike = type(a) is type(b) or any(
            isinstance(a, kind) and isinstance(b, kind) for kind in kinds
        )
        if not alike or (isinstance(a, TEXTS) != isinstance(b, TEXTS)):
            yield f"{aname} is a {type(a)} and {bname} a {type(b)}"
        elif isinstance(a, Set):
            if a ^ b:
                yield f"{a ^ b} are in one of {aname} and {bname}"
        elif isinstance(a, Mapping) or (isinstance(a, Sequence) and not isinstance(a, TEXTS)):
            keys = a if isinstance(a, Mapping) else range(len(a))
            others = b if isinstance(b, Mapping) else range(len(b))
            for key in [*keys, *(key for key in others if key not in keys)]:
                if key not in keys or key not in others:
                    yield f"[{key!r}] is in one of {aname} and {bname}"
                else:
                    at = f"[{key!r}]"
                    yield from self._differences(a[key], b[key], aname + at, bname + at)
        else:
            try:
                self.assertEqual(a, b)
            except self.failureException:
                yield f"{aname} is {a!r} and {bname} is {b!r}"

    def assertJsonEqual(self, first: str, second: str, msg: str | None = None) -> None:
        """Pass if two texts in JSON say the same."""
        self.assertSameStructure(json.loads(first), json.loads(second), "first", "second", msg)

    # Texts, numbers, classes

    def assertStartsWith(self, actual: str, expected_start: str, msg: str | None = None) -> None:
        """Pass if the text begins so."""
        self._pass_if(actual.startswith(expected_start), msg, f"{actual!r}, {expected_start!r}")

    def assertNotStartsWith(
        self, actual: str, unexpected_start: str, msg: str | None = None
    ) -> None:
        """Pass if the text begins otherwise."""
        good = not actual.startswith(unexpected_start)
        self._pass_if(good, msg, f"{actual!r} begins with {unexpected_start!r}")

    def assertEndsWith(self, actual: str, expected_end: str, msg: str | None = None) -> None:
        """Pass if the text ends so."""
        self._pass_if(actual.endswith(expected_end), msg, f"{actual!r}, {expected_end!r}")

    def assertNotEndsWith(self, actual: str, unexpected_end: str, msg: str | None = None) -> None:
        """Pass if the text ends otherwise."""
        good = not actual.endswith(unexpected_end)
        self._pass_if(good, msg, f"{actual!r} ends with {unexpected_end!r}")

    def assertContainsInOrder(self, strings: Any, target: str, msg: str | None = None) -> None:
        """Pass if the texts are found in ``target`` in this order, none before where the last was found."""
        place = 0
        for text in (strings,) if isinstance(strings, TEXTS) else strings:
            place = target.find(str(text), place)
            self._pass_if(place >= 0, msg, f"no {text!r} in its place in {target!r}")

    def assertBetween(self, value: Any, minv: Any, maxv: Any, msg: str | None = None) -> None:
        """Pass if the value is not less than ``minv`` and not greater than ``maxv``."""
        self._pass_if(minv <= value <= maxv, msg, f"{value!r} is not from {minv!r} to {maxv!r}")

    def assertIsSubclass(self, cls: Any, superclass: Any, msg: str | None = None) -> None:
        """Pass if the first is a class derived from the second, or from one of a tuple."""
        good = isinstance(cls, type) and issubclass(cls, superclass)
        self._pass_if(good, msg, f"{cls!r} is not derived from {superclass!r}")

    # Errors

    @contextlib.contextmanager
    def _raises_with(self, exception: Any, message: str) -> Iterator[None]:
        with self.assertRaises(exception) as caught:
            yield
        self.assertEqual(message, str(caught.exception))

    def assertRaisesWithLiteralMatch(
        self,
        expected_exception: Any,
        expected_exception_message: str,
        callable_obj: Callable[..., Any] | None = None,
        *args: Any,
        **kwargs: Any,
    ) -> Any:
        """Pass if the block, or the call, raises an error of the class that says exactly that."""
        block = self._raises_with(expected_exception, expected_exception_message)
        if callable_obj is None:
            return block
        with block:
            callable_obj(*args, **kwargs)
        return None

    # Python 3.12 has this name of it no longer.
    def assertRaisesRegexp(self, *args: Any, **kwargs: Any) -> Any:
        """`assertRaisesRegex`."""
        return self.assertRaisesRegex(*args, **kwargs)
