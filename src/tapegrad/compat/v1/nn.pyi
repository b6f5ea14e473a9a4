# Written by tools/write_names.py from the PUBLIC tables of the modules.
# ruff: noqa
# fmt: off

from tapegrad.ops.approximate import approx_max_k as approx_max_k
from tapegrad.ops.approximate import approx_min_k as approx_min_k
from tapegrad.ops.batch_norm import fused_batch_norm as fused_batch_norm
from tapegrad.ops.conv import atrous_conv2d as atrous_conv2d
from tapegrad.ops.conv import atrous_conv2d_transpose as atrous_conv2d_transpose
from tapegrad.ops.conv import conv1d_transpose as conv1d_transpose
from tapegrad.ops.conv import conv_transpose as conv_transpose
from tapegrad.ops.ctc import collapse_repeated as collapse_repeated
from tapegrad.ops.ctc import ctc_greedy_decoder as ctc_greedy_decoder
from tapegrad.ops.ctc import ctc_loss_v1 as ctc_loss
from tapegrad.ops.ctc import ctc_loss as ctc_loss_v2
from tapegrad.ops.ctc import ctc_unique_labels as ctc_unique_labels
from tapegrad.ops.depthwise import depthwise_conv2d_backprop_filter as depthwise_conv2d_backprop_filter
from tapegrad.ops.depthwise import depthwise_conv2d_backprop_input as depthwise_conv2d_backprop_input
from tapegrad.ops.embedding import embedding_lookup_v1 as embedding_lookup
from tapegrad.ops.embedding import embedding_lookup_sparse_v1 as embedding_lookup_sparse
from tapegrad.ops.embedding import safe_embedding_lookup_sparse_v1 as safe_embedding_lookup_sparse
from tapegrad.ops.losses import compute_average_loss as compute_average_loss
from tapegrad.ops.losses import log_poisson_loss as log_poisson_loss
from tapegrad.ops.losses import scale_regularization_loss as scale_regularization_loss
from tapegrad.ops.morphology import with_space_to_batch as with_space_to_batch
from tapegrad.ops.nn import batch_normalization as batch_normalization
from tapegrad.ops.nn import bias_add as bias_add
from tapegrad.ops.nn import elu as elu
from tapegrad.ops.nn import l2_loss as l2_loss
from tapegrad.ops.nn import l2_normalize as l2_normalize
from tapegrad.ops.nn import relu as relu
from tapegrad.ops.nn import selu as selu
from tapegrad.ops.nn import softsign as softsign
from tapegrad.ops.normalization import local_response_normalization as local_response_normalization
from tapegrad.ops.normalization import lrn as lrn
from tapegrad.ops.normalization import normalize_moments as normalize_moments
from tapegrad.ops.pool import avg_pool1d as avg_pool1d
from tapegrad.ops.pool import avg_pool3d as avg_pool3d
from tapegrad.ops.pool import max_pool1d as max_pool1d
from tapegrad.ops.pool import max_pool2d as max_pool2d
from tapegrad.ops.pool import max_pool3d as max_pool3d
from tapegrad.ops.reduce import zero_fraction as zero_fraction
from tapegrad.ops.samplers import all_candidate_sampler as all_candidate_sampler
from tapegrad.ops.samplers import compute_accidental_hits as compute_accidental_hits
from tapegrad.ops.samplers import fixed_unigram_candidate_sampler as fixed_unigram_candidate_sampler
from tapegrad.ops.samplers import learned_unigram_candidate_sampler as learned_unigram_candidate_sampler
from tapegrad.ops.sort import top_k as top_k
