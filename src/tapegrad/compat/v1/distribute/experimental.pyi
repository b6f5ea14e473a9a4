# Written by tools/write_names.py from the PUBLIC tables of the modules.
# ruff: noqa
# fmt: off

from tapegrad.distribute.experimental import CollectiveCommunication as _CollectiveCommunication
from tapegrad.distribute.experimental import CollectiveHints as _CollectiveHints
from tapegrad.distribute.experimental import CollectiveCommunication as _CommunicationImplementation
from tapegrad.distribute.experimental import CommunicationOptions as _CommunicationOptions

CollectiveCommunication = _CollectiveCommunication
CollectiveHints = _CollectiveHints
CommunicationImplementation = _CommunicationImplementation
CommunicationOptions = _CommunicationOptions
