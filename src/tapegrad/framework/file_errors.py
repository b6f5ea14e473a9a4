"""Errors of the operating system about files, as errors of `tf.errors`."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tapegrad import errors
from tapegrad.errors import OpError

BY_NUMBER: dict[int, type[OpError]] = {
    errno.EINVAL: errors.InvalidArgumentError,
    errno.ENAMETOOLONG: errors.InvalidArgumentError,
    errno.ELOOP: errors.InvalidArgumentError,
    errno.ENOENT: errors.NotFoundError,
    errno.ENXIO: errors.NotFoundError,
    errno.EEXIST: errors.AlreadyExistsError,
    errno.EPERM: errors.PermissionDeniedError,
    errno.EACCES: errors.PermissionDeniedError,
    errno.EROFS: errors.PermissionDeniedError,
    errno.ENOTEMPTY: errors.FailedPreconditionError,
    errno.EISDIR: errors.FailedPreconditionError,
    errno.ENOTDIR: errors.FailedPreconditionError,
    errno.EBUSY: errors.FailedPreconditionError,
    errno.ENOSPC: errors.ResourceExhaustedError,
    errno.EDQUOT: errors.ResourceExhaustedError,
    errno.EMFILE: errors.ResourceExhaustedError,
    errno.ENFILE: errors.ResourceExhaustedError,
    errno.EFBIG: errors.OutOfRangeError,
    errno.ENOSYS: errors.UnimplementedError,
    errno.EXDEV: errors.UnimplementedError,
    errno.EAGAIN: errors.UnavailableError,
}


def refuse_os_error(error: OSError, name: str) -> None:
    """Raise what TensorFlow raises where the system reports ``error`` for the file ``name``."""
    kind = BY_NUMBER.get(error.errno or 0, errors.UnknownError)
    raise kind(None, None, f"{name}; {error.strerror or error}") from None


@contextmanager
def as_tf_errors(name: Any) -> Iterator[None]:
    """Turn an OSError of the block into the error of `tf.errors` that fits it. ``name`` is the file's."""
    try:
        yield
    except OSError as error:
        refuse_os_error(error, text_of(name))


def text_of(name: Any) -> str:
    """A file's name as str: users give str, bytes or an `os.PathLike`."""
    if not isinstance(name, (str, bytes, os.PathLike)):
        raise TypeError(f"Expected binary or unicode string, got {name!r}")
    return os.fsdecode(name)
