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
from tapegrad.saving.options import CheckpointOptions as CheckpointOptions
from tapegrad.saving.views import TrackableView as TrackableView
