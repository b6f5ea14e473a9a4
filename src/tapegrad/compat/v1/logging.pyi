# Written by tools/write_names.py from the PUBLIC tables of the modules.
# ruff: noqa
# fmt: off

from tapegrad.v1.logs import DEBUG as DEBUG
from tapegrad.v1.logs import debug as debug
from tapegrad.v1.logs import ERROR as ERROR
from tapegrad.v1.logs import error as error
from tapegrad.v1.logs import FATAL as FATAL
from tapegrad.v1.logs import fatal as fatal
from tapegrad.v1.logs import flush as flush
from tapegrad.v1.logs import get_verbosity as get_verbosity
from tapegrad.v1.logs import INFO as INFO
from tapegrad.v1.logs import info as info
from tapegrad.v1.logs import log as log
from tapegrad.v1.logs import log_every_n as log_every_n
from tapegrad.v1.logs import log_first_n as log_first_n
from tapegrad.v1.logs import log_if as log_if
from tapegrad.v1.logs import set_verbosity as set_verbosity
from tapegrad.v1.logs import TaskLevelStatusMessage as TaskLevelStatusMessage
from tapegrad.v1.logs import vlog as vlog
from tapegrad.v1.logs import WARN as WARN
from tapegrad.v1.logs import warn as warn
from tapegrad.v1.logs import warning as warning
