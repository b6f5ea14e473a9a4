# Written by tools/write_names.py from the PUBLIC tables of the modules.
# ruff: noqa
# fmt: off

from tapegrad.tpu.experimental.embedding import Adagrad as _Adagrad
from tapegrad.tpu.experimental.embedding import AdagradMomentum as _AdagradMomentum
from tapegrad.tpu.experimental.embedding import Adam as _Adam
from tapegrad.tpu.experimental.embedding import CustomCombiner as _CustomCombiner
from tapegrad.tpu.experimental.embedding import CustomOptimizer as _CustomOptimizer
from tapegrad.tpu.experimental.embedding import FeatureConfig as _FeatureConfig
from tapegrad.tpu.experimental.embedding import FTRL as _FTRL
from tapegrad.tpu.experimental.embedding import QuantizationConfig as _QuantizationConfig
from tapegrad.tpu.experimental.embedding import RowIdInitializer as _RowIdInitializer
from tapegrad.tpu.experimental.embedding import serving_embedding_lookup as _serving_embedding_lookup
from tapegrad.tpu.experimental.embedding import SGD as _SGD
from tapegrad.tpu.experimental.embedding import SparseCoreEmbeddingConfig as _SparseCoreEmbeddingConfig
from tapegrad.tpu.experimental.embedding import TableConfig as _TableConfig
from tapegrad.tpu.experimental.embedding import TPUEmbedding as _TPUEmbedding
from tapegrad.tpu.experimental.embedding import TPUEmbeddingForServing as _TPUEmbeddingForServing
from tapegrad.tpu.experimental.embedding import TPUEmbeddingV0 as _TPUEmbeddingV0
from tapegrad.tpu.experimental.embedding import TPUEmbeddingV2 as _TPUEmbeddingV2

Adagrad = _Adagrad
AdagradMomentum = _AdagradMomentum
Adam = _Adam
CustomCombiner = _CustomCombiner
CustomOptimizer = _CustomOptimizer
FeatureConfig = _FeatureConfig
FTRL = _FTRL
QuantizationConfig = _QuantizationConfig
RowIdInitializer = _RowIdInitializer
serving_embedding_lookup = _serving_embedding_lookup
SGD = _SGD
SparseCoreEmbeddingConfig = _SparseCoreEmbeddingConfig
TableConfig = _TableConfig
TPUEmbedding = _TPUEmbedding
TPUEmbeddingForServing = _TPUEmbeddingForServing
TPUEmbeddingV0 = _TPUEmbeddingV0
TPUEmbeddingV2 = _TPUEmbeddingV2
