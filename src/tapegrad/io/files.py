"""Whole files as tensors of strings: `tf.io.read_file`, `write_file`, `matching_files`."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from tapegrad import dtypes
from tapegrad.errors import refuse
from tapegrad.framework.file_errors import as_tf_errors
from tapegrad.framework.variable import Variable
from tapegrad.io.paths import local, matching
from tapegrad.ops.op import op
from tapegrad.ops.program.host import on_stand_ins

PUBLIC = {
    "io compat.v1.io": "match_filenames_once matching_files read_file write_file",
    "compat.v1.train": "match_filenames_once",
    "compat.v1": "matching_files read_file write_file",
}


@op(
    "ReadFile",
    dtypes={"filename": {dtypes.string}},
    effect="calls",
    files={"filename": "reads"},
)
def read_file(xp, filename):  # type: ignore[no-untyped-def]
    """The contents of a file, as one string.

    >>> tf.io.write_file("/tmp/greeting.txt", "hello")
    >>> tf.io.read_file("/tmp/greeting.txt")
    <tf.Tensor: shape=(), dtype=string, numpy=b'hello'>

    Raises:
        NotFoundError: there is no such file.
    """
    name = scalar(filename, "filename")
    with as_tf_errors(name), open(local(name), "rb") as file:
        return np.array(file.read(), object)


read_file.shape(lambda: ())


@op(
    "WriteFile",
    dtypes={"filename": {dtypes.string}, "contents": {dtypes.string}},
    outputs=(),
    effect="calls",
    files={"filename": "writes"},
)
def write_file(xp, filename, contents):  # type: ignore[no-untyped-def]
    """Make a file with this string in it, and the folders around it where they are missing.

    A file that is there already is replaced.
    """
    name, text = scalar(filename, "filename"), scalar(contents, "contents")
    if on_stand_ins():
        return ()
    place = local(name)
    with as_tf_errors(name):
        os.makedirs(os.path.dirname(place) or ".", exist_ok=True)
        with open(place, "wb") as file:
            file.write(text)
    return ()


@op(
    "MatchingFiles",
    dtypes={"pattern": {dtypes.string}},
    effect="calls",
    files={"pattern": "reads"},
    moves="pattern",  # a pattern that users may choose makes its matches visible
)
def matching_files(xp, pattern):  # type: ignore[no-untyped-def]
    """The names of the files that a pattern, or one of a vector of patterns, matches; sorted.

    `tf.io.gfile.glob` says what patterns are.
    """
    if pattern.ndim > 1:
        refuse(f"Input patterns tensor must be scalar or vector, but had shape: {[*pattern.shape]}")
    names = [
        os.fsencode(name)
        for one_pattern in pattern.ravel().tolist()
        for name in matching(one_pattern)
    ]
    result = np.empty(len(names), object)
    result[:] = sorted(names)
    return result


matching_files.shape(lambda: [None])


def match_filenames_once(pattern: Any, name: str | None = None) -> Variable:
    """The names of the files that a pattern matches now, in a variable.

    >>> tf.io.write_file("/tmp/once/a.txt", "hello")
    >>> tf.io.match_filenames_once("/tmp/once/*.txt").numpy()
    array([b'/tmp/once/a.txt'], dtype=object)

    Args:
        pattern: a pattern, or a vector of them, as `tf.io.gfile.glob` has them.
    """
    return Variable(matching_files(pattern), trainable=False, name=name)


def scalar(array: np.ndarray[Any, Any], name: str) -> bytes:
    """The one string in an array."""
    if array.ndim:
        refuse(f"Input {name} tensor must be scalar, but had shape: {[*array.shape]}")
    text: bytes = array.item()
    return text


for operation in (read_file, write_file, matching_files):
    operation.no_gradient()
