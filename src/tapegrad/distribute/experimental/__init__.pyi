# Written by tools/write_names.py from the PUBLIC tables of the modules.
# ruff: noqa
# fmt: off

from tapegrad.strategies.local import CentralStorageStrategy as CentralStorageStrategy
from tapegrad.strategies.options import CommunicationImplementation as _CommunicationImplementation
from tapegrad.strategies.options import CollectiveHints as CollectiveHints
from tapegrad.strategies.options import CommunicationImplementation as CommunicationImplementation
from tapegrad.strategies.options import CommunicationOptions as CommunicationOptions
from tapegrad.strategies.refused import ParameterServerStrategy as ParameterServerStrategy
from tapegrad.strategies.refused import ExperimentalTPUStrategy as _ExperimentalTPUStrategy
from tapegrad.strategies.values import ValueContext as ValueContext
from tapegrad.strategies.workers import ExperimentalMultiWorkerStrategy as _ExperimentalMultiWorkerStrategy
from tapegrad.distribute.experimental import coordinator as coordinator
from tapegrad.distribute.experimental import partitioners as partitioners

CollectiveCommunication = _CommunicationImplementation
TPUStrategy = _ExperimentalTPUStrategy
MultiWorkerMirroredStrategy = _ExperimentalMultiWorkerStrategy
