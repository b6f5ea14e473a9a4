# Written by tools/write_names.py from the PUBLIC tables of the modules.
# ruff: noqa
# fmt: off

from tapegrad.internal.legacy_keras import DenseColumn as DenseColumn
from tapegrad.internal.legacy_keras import FeatureColumn as FeatureColumn
from tapegrad.internal.legacy_keras import FeatureTransformationCache as FeatureTransformationCache
from tapegrad.internal.legacy_keras import SequenceDenseColumn as SequenceDenseColumn
from tapegrad.internal.legacy_keras import StateManager as StateManager
