# Written by tools/write_names.py from the PUBLIC tables of the modules.
# ruff: noqa
# fmt: off

from tapegrad.distribute.cluster import ClusterSpec as ClusterSpec
from tapegrad.io.examples import BytesList as BytesList
from tapegrad.io.examples import Example as Example
from tapegrad.io.examples import Feature as Feature
from tapegrad.io.examples import FeatureList as FeatureList
from tapegrad.io.examples import FeatureLists as FeatureLists
from tapegrad.io.examples import Features as Features
from tapegrad.io.examples import FloatList as FloatList
from tapegrad.io.examples import Int64List as Int64List
from tapegrad.io.examples import SequenceExample as SequenceExample
from tapegrad.saving.checkpoint_files import checkpoints_iterator as checkpoints_iterator
from tapegrad.saving.checkpoint_files import get_checkpoint_state as get_checkpoint_state
from tapegrad.saving.checkpoint_files import latest_checkpoint as latest_checkpoint
from tapegrad.saving.checkpoint_files import list_variables as list_variables
from tapegrad.saving.checkpoint_files import load_checkpoint as load_checkpoint
from tapegrad.saving.checkpoint_files import load_variable as load_variable
from tapegrad.saving.checkpoints import Checkpoint as Checkpoint
from tapegrad.saving.manager import CheckpointManager as CheckpointManager
from tapegrad.saving.options import CheckpointOptions as CheckpointOptions
from tapegrad.saving.views import CheckpointView as CheckpointView
from tapegrad.saving.views import TrackableView as TrackableView
from tapegrad.training.averages import ExponentialMovingAverage as ExponentialMovingAverage
from tapegrad.training.coordinator import Coordinator as Coordinator
from tapegrad.train import experimental as experimental
