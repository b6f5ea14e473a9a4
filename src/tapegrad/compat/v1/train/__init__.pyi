# Written by tools/write_names.py from the PUBLIC tables of the modules.
# ruff: noqa
# fmt: off

from tapegrad.io.examples import BytesList as BytesList
from tapegrad.io.examples import Example as Example
from tapegrad.io.examples import Feature as Feature
from tapegrad.io.examples import FeatureList as FeatureList
from tapegrad.io.examples import FeatureLists as FeatureLists
from tapegrad.io.examples import Features as Features
from tapegrad.io.examples import FloatList as FloatList
from tapegrad.io.examples import Int64List as Int64List
from tapegrad.io.examples import SequenceExample as SequenceExample
from tapegrad.io.files import match_filenames_once as match_filenames_once
from tapegrad.saving.checkpoint_files import checkpoint_exists as checkpoint_exists
from tapegrad.saving.checkpoint_files import checkpoints_iterator as checkpoints_iterator
from tapegrad.saving.checkpoint_files import generate_checkpoint_state_proto as generate_checkpoint_state_proto
from tapegrad.saving.checkpoint_files import get_checkpoint_mtimes as get_checkpoint_mtimes
from tapegrad.saving.checkpoint_files import get_checkpoint_state as get_checkpoint_state
from tapegrad.saving.checkpoint_files import latest_checkpoint as latest_checkpoint
from tapegrad.saving.checkpoint_files import list_variables as list_variables
from tapegrad.saving.checkpoint_files import load_checkpoint as load_checkpoint
from tapegrad.saving.checkpoint_files import load_variable as load_variable
from tapegrad.saving.checkpoint_files import CheckpointReader as _CheckpointReader
from tapegrad.saving.checkpoint_files import remove_checkpoint as remove_checkpoint
from tapegrad.saving.checkpoint_files import update_checkpoint_state as update_checkpoint_state
from tapegrad.training.averages import ExponentialMovingAverage as ExponentialMovingAverage
from tapegrad.training.coordinator import Coordinator as Coordinator
from tapegrad.v1.adaptive import AdadeltaOptimizer as AdadeltaOptimizer
from tapegrad.v1.adaptive import AdagradOptimizer as AdagradOptimizer
from tapegrad.v1.adaptive import AdamOptimizer as AdamOptimizer
from tapegrad.v1.adaptive import FtrlOptimizer as FtrlOptimizer
from tapegrad.v1.adaptive import MomentumOptimizer as MomentumOptimizer
from tapegrad.v1.adaptive import RMSPropOptimizer as RMSPropOptimizer
from tapegrad.v1.hooks import SessionRunArgs as SessionRunArgs
from tapegrad.v1.hooks import SessionRunContext as SessionRunContext
from tapegrad.v1.hooks import SessionRunHook as SessionRunHook
from tapegrad.v1.hooks import SessionRunValues as SessionRunValues
from tapegrad.v1.optimizers import create_global_step as create_global_step
from tapegrad.v1.optimizers import get_global_step as get_global_step
from tapegrad.v1.optimizers import get_or_create_global_step as get_or_create_global_step
from tapegrad.v1.optimizers import GradientDescentOptimizer as GradientDescentOptimizer
from tapegrad.v1.optimizers import Optimizer as Optimizer
from tapegrad.v1.savers import assert_global_step as assert_global_step
from tapegrad.v1.savers import global_step as global_step
from tapegrad.v1.savers import Saver as Saver
from tapegrad.v1.savers import SaverDef as SaverDef
from tapegrad.train import CheckpointManager as _CheckpointManager
from tapegrad.train import CheckpointOptions as _CheckpointOptions
from tapegrad.train import ClusterSpec as _ClusterSpec
from tapegrad.compat.v1.train import experimental as experimental

NewCheckpointReader = _CheckpointReader
CheckpointManager = _CheckpointManager
CheckpointOptions = _CheckpointOptions
ClusterSpec = _ClusterSpec
