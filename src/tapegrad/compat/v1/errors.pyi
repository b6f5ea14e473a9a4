# Written by tools/write_names.py from the PUBLIC tables of the modules.
# ruff: noqa
# fmt: off

from tapegrad.errors import ABORTED as _ABORTED
from tapegrad.errors import AbortedError as _AbortedError
from tapegrad.errors import ALREADY_EXISTS as _ALREADY_EXISTS
from tapegrad.errors import AlreadyExistsError as _AlreadyExistsError
from tapegrad.errors import CANCELLED as _CANCELLED
from tapegrad.errors import CancelledError as _CancelledError
from tapegrad.errors import DATA_LOSS as _DATA_LOSS
from tapegrad.errors import DataLossError as _DataLossError
from tapegrad.errors import DEADLINE_EXCEEDED as _DEADLINE_EXCEEDED
from tapegrad.errors import DeadlineExceededError as _DeadlineExceededError
from tapegrad.errors import FAILED_PRECONDITION as _FAILED_PRECONDITION
from tapegrad.errors import FailedPreconditionError as _FailedPreconditionError
from tapegrad.errors import INTERNAL as _INTERNAL
from tapegrad.errors import InternalError as _InternalError
from tapegrad.errors import INVALID_ARGUMENT as _INVALID_ARGUMENT
from tapegrad.errors import InvalidArgumentError as _InvalidArgumentError
from tapegrad.errors import NOT_FOUND as _NOT_FOUND
from tapegrad.errors import NotFoundError as _NotFoundError
from tapegrad.errors import OK as _OK
from tapegrad.errors import OpError as _OpError
from tapegrad.errors import OUT_OF_RANGE as _OUT_OF_RANGE
from tapegrad.errors import OutOfRangeError as _OutOfRangeError
from tapegrad.errors import PERMISSION_DENIED as _PERMISSION_DENIED
from tapegrad.errors import PermissionDeniedError as _PermissionDeniedError
from tapegrad.errors import RESOURCE_EXHAUSTED as _RESOURCE_EXHAUSTED
from tapegrad.errors import ResourceExhaustedError as _ResourceExhaustedError
from tapegrad.errors import UNAUTHENTICATED as _UNAUTHENTICATED
from tapegrad.errors import UnauthenticatedError as _UnauthenticatedError
from tapegrad.errors import UNAVAILABLE as _UNAVAILABLE
from tapegrad.errors import UnavailableError as _UnavailableError
from tapegrad.errors import UNIMPLEMENTED as _UNIMPLEMENTED
from tapegrad.errors import UnimplementedError as _UnimplementedError
from tapegrad.errors import UNKNOWN as _UNKNOWN
from tapegrad.errors import UnknownError as _UnknownError

ABORTED = _ABORTED
AbortedError = _AbortedError
ALREADY_EXISTS = _ALREADY_EXISTS
AlreadyExistsError = _AlreadyExistsError
CANCELLED = _CANCELLED
CancelledError = _CancelledError
DATA_LOSS = _DATA_LOSS
DataLossError = _DataLossError
DEADLINE_EXCEEDED = _DEADLINE_EXCEEDED
DeadlineExceededError = _DeadlineExceededError
FAILED_PRECONDITION = _FAILED_PRECONDITION
FailedPreconditionError = _FailedPreconditionError
INTERNAL = _INTERNAL
InternalError = _InternalError
INVALID_ARGUMENT = _INVALID_ARGUMENT
InvalidArgumentError = _InvalidArgumentError
NOT_FOUND = _NOT_FOUND
NotFoundError = _NotFoundError
OK = _OK
OpError = _OpError
OUT_OF_RANGE = _OUT_OF_RANGE
OutOfRangeError = _OutOfRangeError
PERMISSION_DENIED = _PERMISSION_DENIED
PermissionDeniedError = _PermissionDeniedError
RESOURCE_EXHAUSTED = _RESOURCE_EXHAUSTED
ResourceExhaustedError = _ResourceExhaustedError
UNAUTHENTICATED = _UNAUTHENTICATED
UnauthenticatedError = _UnauthenticatedError
UNAVAILABLE = _UNAVAILABLE
UnavailableError = _UnavailableError
UNIMPLEMENTED = _UNIMPLEMENTED
UnimplementedError = _UnimplementedError
UNKNOWN = _UNKNOWN
UnknownError = _UnknownError
