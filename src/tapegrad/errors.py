"""The exceptions that ops, variables and tapes raise, under TensorFlow's names.

    Exception
    ├── OpError                          anything that goes wrong in an op; has an ``error_code``
    │   ├── CancelledError               1   the caller called it off
    │   ├── UnknownError                 2   nothing more is known
    │   ├── InvalidArgumentError         3   an argument wrong in itself: shape, dtype, value
    │   ├── DeadlineExceededError        4   it took too long
    │   ├── NotFoundError                5   a file, a device, a key that is not there
    │   ├── AlreadyExistsError           6   something to be created is there already
    │   ├── PermissionDeniedError        7   the caller may not
    │   ├── ResourceExhaustedError       8   no memory or no space left
    │   ├── FailedPreconditionError      9   the state is not ready, for instance nothing initialised
    │   ├── AbortedError                 10  given up because of a race; try again
    │   ├── OutOfRangeError              11  iteration or reading went past the end
    │   ├── UnimplementedError           12  the combination of arguments has no implementation
    │   ├── InternalError                13  a promise of the library's own was broken
    │   ├── UnavailableError             14  cannot be reached at the moment
    │   ├── DataLossError                15  data that cannot be recovered, for instance a torn file
    │   └── UnauthenticatedError         16  who is asking could not be proved
    └── TypeError
        └── OperatorNotAllowedInGraphError   a Python operator that a traced tensor cannot answer

The classes are TensorFlow's, so that ``except`` clauses carry over; what the messages say is ours.
This module imports nothing of ours, so that everything else may import it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

__all__ = [
    "ABORTED",
    "ALREADY_EXISTS",
    "CANCELLED",
    "DATA_LOSS",
    "DEADLINE_EXCEEDED",
    "FAILED_PRECONDITION",
    "INTERNAL",
    "INVALID_ARGUMENT",
    "NOT_FOUND",
    "OK",
    "OUT_OF_RANGE",
    "PERMISSION_DENIED",
    "RESOURCE_EXHAUSTED",
    "UNAUTHENTICATED",
    "UNAVAILABLE",
    "UNIMPLEMENTED",
    "UNKNOWN",
    "AbortedError",
    "AlreadyExistsError",
    "CancelledError",
    "DataLossError",
    "DeadlineExceededError",
    "FailedPreconditionError",
    "InternalError",
    "InvalidArgumentError",
    "NotFoundError",
    "OpError",
    "OperatorNotAllowedInGraphError",
    "OutOfRangeError",
    "PermissionDeniedError",
    "ResourceExhaustedError",
    "UnauthenticatedError",
    "UnavailableError",
    "UnimplementedError",
    "UnknownError",
    "error_code_from_exception_type",
    "exception_type_from_error_code",
]


def __dir__() -> list[str]:
    """The public names, for completion."""
    return __all__


OK = 0
CANCELLED = 1
UNKNOWN = 2
INVALID_ARGUMENT = 3
DEADLINE_EXCEEDED = 4
NOT_FOUND = 5
ALREADY_EXISTS = 6
PERMISSION_DENIED = 7
RESOURCE_EXHAUSTED = 8
FAILED_PRECONDITION = 9
ABORTED = 10
OUT_OF_RANGE = 11
UNIMPLEMENTED = 12
INTERNAL = 13
UNAVAILABLE = 14
DATA_LOSS = 15
UNAUTHENTICATED = 16


class OpError(Exception):
    """What every error of a running op derives from.

    >>> error = OpError(None, None, "the message", UNKNOWN)
    >>> str(error), error.error_code
    ('the message', 2)

    Args:
      node_def: Description of the op in a graph; ``None`` for an op run eagerly.
      op: The op itself where it is known, else ``None``.
      message: What happened.
      error_code: One of this module's constants.
      *args: Optionally a dict, kept as ``experimental_payloads``.
    """

    _code: int | None = None
    node_def: Any
    op: Any
    message: str
    error_code: int
    experimental_payloads: dict[Any, Any]

    def __init_subclass__(cls) -> None:
        """The constructor of a class with a code of its own takes no code."""
        code = cls.__dict__.get("_code")
        if code is not None:

            def __init__(self: OpError, node_def: Any, op: Any, message: str, *args: Any) -> None:
                OpError.__init__(self, node_def, op, message, code, *args)

            cls.__init__ = __init__  # type: ignore[method-assign]

    if TYPE_CHECKING:
        # For type checkers: the signature of the classes below, which are the ones that programs make.
        def __init__(self, node_def: Any, op: Any, message: str, *args: Any) -> None: ...

    else:

        def __init__(
            self, node_def: Any, op: Any, message: str, error_code: int, *args: Any
        ) -> None:
            # As in TensorFlow, Exception gets no arguments: errors have empty ``args``, and their repr is
            # ``InvalidArgumentError()``. Programs that log repr(error) see the same.
            super().__init__()
            self.node_def = node_def
            self.op = op
            self.message = message
            self.error_code = error_code
            payloads = args[0] if args else None
            self.experimental_payloads = payloads if isinstance(payloads, dict) else {}

    def __str__(self) -> str:
        return self.message

    def __reduce__(self) -> tuple[Any, ...]:
        # Exception's own __reduce__ would call the class with ``args``, which is empty here. The third item
        # restores what was added later, notes for example.
        return _rebuild, (type(self), self.message), self.__dict__


def _rebuild(error_type: type[OpError], message: str) -> OpError:
    """An error of this class with this message. The constructor is not called, because that of a user's
    subclass may take other arguments.

    Raises:
      TypeError: These are not the parts of an error.
    """
    if not (isinstance(error_type, type) and issubclass(error_type, OpError)):
        raise TypeError(f"A pickled error is damaged: {error_type!r} is no class of OpError.")
    if not isinstance(message, str):
        raise TypeError(f"A pickled error is damaged: its message must be a str, not {message!r}.")
    error = error_type.__new__(error_type)
    error.message = message
    return error


class CancelledError(OpError):
    """The operation was called off, usually by its caller."""

    _code = CANCELLED


class UnknownError(OpError):
    """Something failed and no other class describes it."""

    _code = UNKNOWN


class InvalidArgumentError(OpError):
    """An argument is wrong in itself: its shape, its dtype or its value."""

    _code = INVALID_ARGUMENT


class DeadlineExceededError(OpError):
    """The time allowed ran out before the operation was done."""

    _code = DEADLINE_EXCEEDED


class NotFoundError(OpError):
    """What was asked for, a file or a key for instance, does not exist."""

    _code = NOT_FOUND


class AlreadyExistsError(OpError):
    """What was to be created exists already."""

    _code = ALREADY_EXISTS


class PermissionDeniedError(OpError):
    """The caller lacks the right to do this."""

    _code = PERMISSION_DENIED


class ResourceExhaustedError(OpError):
    """Memory, disk space or a quota is used up."""

    _code = RESOURCE_EXHAUSTED


class FailedPreconditionError(OpError):
    """The system is not in the state that the operation needs."""

    _code = FAILED_PRECONDITION


class AbortedError(OpError):
    """The operation gave way to another one running beside it."""

    _code = ABORTED


class OutOfRangeError(OpError):
    """The operation went past the end of what there is, as when an iterator is used up."""

    _code = OUT_OF_RANGE


class UnimplementedError(OpError):
    """This combination of arguments makes sense and nobody has implemented it."""

    _code = UNIMPLEMENTED


class InternalError(OpError):
    """The library broke a promise that it makes to itself."""

    _code = INTERNAL


class UnavailableError(OpError):
    """What is needed cannot be reached at the moment."""

    _code = UNAVAILABLE


class DataLossError(OpError):
    """Data is damaged or gone for good, as in a file cut short."""

    _code = DATA_LOSS


class UnauthenticatedError(OpError):
    """The request does not prove who is making it."""

    _code = UNAUTHENTICATED


class OperatorNotAllowedInGraphError(TypeError):
    """A Python operator (``if tensor``, ``for x in tensor``) that has no answer while tracing."""


_TYPE_BY_CODE: dict[int, type[OpError]] = {
    error_type._code: error_type
    for error_type in OpError.__subclasses__()
    if error_type._code is not None
}


def exception_type_from_error_code(error_code: int) -> type[OpError]:
    """The class of errors with this code; KeyError for a number that is no code.

    >>> exception_type_from_error_code(INVALID_ARGUMENT).__name__
    'InvalidArgumentError'
    """
    return _TYPE_BY_CODE[error_code]


def refuse(
    message: str, *, op: str | None = None, error: type[OpError] = InvalidArgumentError
) -> NoReturn:
    """Raise ``error`` with ``message``. TensorFlow has no such function.

    ``op`` is TensorFlow's name for the op that the user called; it is added to the end of the message. In a
    kernel it may be left out: the core adds it.
    """
    raise error(None, None, message if op is None else f"{message} [Op:{op}]")


def error_code_from_exception_type(cls: type[BaseException]) -> int:
    """The code of a class of errors, ``UNKNOWN`` for a class without one.

    >>> error_code_from_exception_type(NotFoundError)
    5
    """
    code = getattr(cls, "_code", None)
    return UNKNOWN if code is None else int(code)
