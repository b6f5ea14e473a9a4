# Written by tools/write_names.py from the PUBLIC tables of the modules.
# ruff: noqa
# fmt: off

from tapegrad.signatures.indexing.approx_top_k import approx_max_k as approx_max_k
from tapegrad.signatures.indexing.approx_top_k import approx_min_k as approx_min_k
from tapegrad.signatures.indexing.sort import top_k as top_k
from tapegrad.signatures.nn.activations import batch_normalization as batch_normalization
from tapegrad.signatures.nn.activations import bias_add as bias_add
from tapegrad.signatures.nn.activations import elu as elu
from tapegrad.signatures.nn.activations import l2_loss as l2_loss
from tapegrad.signatures.nn.activations import l2_normalize as l2_normalize
from tapegrad.signatures.nn.activations import relu as relu
from tapegrad.signatures.nn.activations import selu as selu
from tapegrad.signatures.nn.activations import softsign as softsign
from tapegrad.signatures.nn.batch_norm import fused_batch_norm as fused_batch_norm
from tapegrad.signatures.nn.conv import atrous_conv2d as atrous_conv2d
from tapegrad.signatures.nn.conv import atrous_conv2d_transpose as atrous_conv2d_transpose
from tapegrad.signatures.nn.conv import conv1d_transpose as conv1d_transpose
from tapegrad.signatures.nn.conv import conv_transpose as conv_transpose
from tapegrad.signatures.nn.ctc import collapse_repeated as collapse_repeated
from tapegrad.signatures.nn.ctc import ctc_greedy_decoder as ctc_greedy_decoder
from tapegrad.signatures.nn.ctc import ctc_loss_v1 as _ctc_loss_v1
from tapegrad.signatures.nn.ctc import ctc_loss as _ctc_loss
from tapegrad.signatures.nn.ctc import ctc_unique_labels as ctc_unique_labels
from tapegrad.signatures.nn.depthwise import depthwise_conv2d_backprop_filter as depthwise_conv2d_backprop_filter
from tapegrad.signatures.nn.depthwise import depthwise_conv2d_backprop_input as depthwise_conv2d_backprop_input
from tapegrad.signatures.nn.embedding import embedding_lookup_v1 as _embedding_lookup_v1
from tapegrad.signatures.nn.embedding import embedding_lookup_sparse_v1 as _embedding_lookup_sparse_v1
from tapegrad.signatures.nn.embedding import safe_embedding_lookup_sparse_v1 as _safe_embedding_lookup_sparse_v1
from tapegrad.signatures.nn.losses import compute_average_loss as compute_average_loss
from tapegrad.signatures.nn.losses import log_poisson_loss as log_poisson_loss
from tapegrad.signatures.nn.losses import scale_regularization_loss as scale_regularization_loss
from tapegrad.signatures.nn.morphology import with_space_to_batch as with_space_to_batch
from tapegrad.signatures.nn.normalization import local_response_normalization as local_response_normalization
from tapegrad.signatures.nn.normalization import lrn as lrn
from tapegrad.signatures.nn.normalization import normalize_moments as normalize_moments
from tapegrad.signatures.nn.pool import avg_pool1d as avg_pool1d
from tapegrad.signatures.nn.pool import avg_pool3d as avg_pool3d
from tapegrad.signatures.nn.pool import max_pool1d as max_pool1d
from tapegrad.signatures.nn.pool import max_pool2d as max_pool2d
from tapegrad.signatures.nn.pool import max_pool3d as max_pool3d
from tapegrad.signatures.random.samplers import all_candidate_sampler as all_candidate_sampler
from tapegrad.signatures.random.samplers import compute_accidental_hits as compute_accidental_hits
from tapegrad.signatures.random.samplers import fixed_unigram_candidate_sampler as fixed_unigram_candidate_sampler
from tapegrad.signatures.random.samplers import learned_unigram_candidate_sampler as learned_unigram_candidate_sampler
from tapegrad.signatures.reduce.reduce import zero_fraction as zero_fraction

ctc_loss = _ctc_loss_v1
ctc_loss_v2 = _ctc_loss
embedding_lookup = _embedding_lookup_v1
embedding_lookup_sparse = _embedding_lookup_sparse_v1
safe_embedding_lookup_sparse = _safe_embedding_lookup_sparse_v1
