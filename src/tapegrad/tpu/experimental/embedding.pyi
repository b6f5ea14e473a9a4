# Written by tools/write_names.py from the PUBLIC tables of the modules.
# ruff: noqa
# fmt: off

from tapegrad.strategies.tpus import Adagrad as Adagrad
from tapegrad.strategies.tpus import AdagradMomentum as AdagradMomentum
from tapegrad.strategies.tpus import Adam as Adam
from tapegrad.strategies.tpus import CustomCombiner as CustomCombiner
from tapegrad.strategies.tpus import CustomOptimizer as CustomOptimizer
from tapegrad.strategies.tpus import FeatureConfig as FeatureConfig
from tapegrad.strategies.tpus import FTRL as FTRL
from tapegrad.strategies.tpus import QuantizationConfig as QuantizationConfig
from tapegrad.strategies.tpus import RowIdInitializer as RowIdInitializer
from tapegrad.strategies.tpus import serving_embedding_lookup as serving_embedding_lookup
from tapegrad.strategies.tpus import SGD as SGD
from tapegrad.strategies.tpus import SparseCoreEmbeddingConfig as SparseCoreEmbeddingConfig
from tapegrad.strategies.tpus import TableConfig as TableConfig
from tapegrad.strategies.tpus import TPUEmbedding as TPUEmbedding
from tapegrad.strategies.tpus import TPUEmbeddingForServing as TPUEmbeddingForServing
from tapegrad.strategies.tpus import TPUEmbeddingV0 as TPUEmbeddingV0
from tapegrad.strategies.tpus import TPUEmbeddingV2 as TPUEmbeddingV2
