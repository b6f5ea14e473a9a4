"""The tree of exceptions: names, bases, codes and construction as TensorFlow's."""

import copy
import inspect
import pickle

import pytest

from tapegrad import errors

CODES = {
    "CancelledError": ("CANCELLED", 1),
    "UnknownError": ("UNKNOWN", 2),
    "InvalidArgumentError": ("INVALID_ARGUMENT", 3),
    "DeadlineExceededError": ("DEADLINE_EXCEEDED", 4),
    "NotFoundError": ("NOT_FOUND", 5),
    "AlreadyExistsError": ("ALREADY_EXISTS", 6),
    "PermissionDeniedError": ("PERMISSION_DENIED", 7),
    "ResourceExhaustedError": ("RESOURCE_EXHAUSTED", 8),
    "FailedPreconditionError": ("FAILED_PRECONDITION", 9),
    "AbortedError": ("ABORTED", 10),
    "OutOfRangeError": ("OUT_OF_RANGE", 11),
    "UnimplementedError": ("UNIMPLEMENTED", 12),
    "InternalError": ("INTERNAL", 13),
    "UnavailableError": ("UNAVAILABLE", 14),
    "DataLossError": ("DATA_LOSS", 15),
    "UnauthenticatedError": ("UNAUTHENTICATED", 16),
}


@pytest.mark.parametrize("name", CODES)
def test_class(name):
    error_type = getattr(errors, name)
    constant, code = CODES[name]
    error = error_type(None, None, "the message")
    assert isinstance(error, errors.OpError)
    assert getattr(errors, constant) == code == error.error_code
    assert (error.message, error.op, error.node_def) == ("the message", None, None)
    assert str(error) == "the message"
    assert repr(error) == f"{name}()"
    assert error.args == ()
    assert [*inspect.signature(error_type).parameters] == ["node_def", "op", "message", "args"]
    assert errors.exception_type_from_error_code(code) is error_type
    assert errors.error_code_from_exception_type(error_type) == code


def test_op_error_takes_a_code():
    assert [*inspect.signature(errors.OpError).parameters] == [
        "node_def",
        "op",
        "message",
        "error_code",
        "args",
    ]
    assert errors.OpError(None, None, "m", 7).error_code == 7
    with pytest.raises(TypeError):
        errors.OpError(None, None, "m")
    with pytest.raises(TypeError):
        errors.InvalidArgumentError(None, None)


def test_catching():
    with pytest.raises(errors.OpError, match="m"):
        raise errors.NotFoundError(None, None, "m")
    assert not issubclass(errors.InvalidArgumentError, ValueError)
    assert issubclass(errors.OperatorNotAllowedInGraphError, TypeError)


def test_payloads():
    error = errors.ResourceExhaustedError(None, None, "m", {"key": b"value"})
    assert error.experimental_payloads == {"key": b"value"}
    assert errors.ResourceExhaustedError(None, None, "m").experimental_payloads == {}


class WithItsOwnConstructor(errors.InvalidArgumentError):
    def __init__(self, what):
        super().__init__(None, None, f"no {what}")


@pytest.mark.parametrize(
    "error",
    [
        errors.NotFoundError(None, None, "m"),
        errors.OpError(None, None, "m", 7),
        errors.UnknownError(None, None, "m", {"key": "value"}),
        WithItsOwnConstructor("more"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_pickle_and_copy(error):
    error.add_note("a note")
    for again in (pickle.loads(pickle.dumps(error)), copy.copy(error), copy.deepcopy(error)):
        assert type(again) is type(error)
        assert str(again) == str(error)
        assert again.error_code == error.error_code
        assert again.experimental_payloads == error.experimental_payloads
        assert again.__notes__ == ["a note"]


def test_codes_without_class():
    assert errors.OK == 0
    with pytest.raises(KeyError, match="0"):
        errors.exception_type_from_error_code(errors.OK)
    assert errors.error_code_from_exception_type(ValueError) == errors.UNKNOWN


def test_every_class_stands_in_the_tree_of_the_docstring():
    for name in [*CODES, "OpError", "OperatorNotAllowedInGraphError"]:
        assert f"── {name}" in errors.__doc__
