# Written by tools/write_names.py from the PUBLIC tables of the modules.
# ruff: noqa
# fmt: off

from tapegrad.signatures.indexing.approx_top_k import approx_max_k as approx_max_k
from tapegrad.signatures.indexing.approx_top_k import approx_min_k as approx_min_k
from tapegrad.signatures.indexing.sort import top_k as top_k
from tapegrad.signatures.nn.activations import elu as elu
from tapegrad.signatures.nn.activations import relu as relu
from tapegrad.signatures.nn.activations import selu as selu
from tapegrad.signatures.nn.activations import softsign as softsign
from tapegrad.signatures.nn.batch_norm import fused_batch_norm as fused_batch_norm
from tapegrad.signatures.nn.biases import bias_add as bias_add
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
from tapegrad.signatures.nn.losses import l2_loss as l2_loss
from tapegrad.signatures.nn.losses import log_poisson_loss as log_poisson_loss
from tapegrad.signatures.nn.losses import scale_regularization_loss as scale_regularization_loss
from tapegrad.signatures.nn.morphology import with_space_to_batch as with_space_to_batch
from tapegrad.signatures.nn.normalization import batch_normalization as batch_normalization
from tapegrad.signatures.nn.normalization import l2_normalize as l2_normalize
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
from tapegrad.v1.functions import avg_pool as avg_pool
from tapegrad.v1.functions import avg_pool2d as avg_pool2d
from tapegrad.v1.functions import batch_norm_with_global_normalization as batch_norm_with_global_normalization
from tapegrad.v1.functions import conv1d as conv1d
from tapegrad.v1.functions import conv2d as conv2d
from tapegrad.v1.functions import conv2d_transpose as conv2d_transpose
from tapegrad.v1.functions import conv3d as conv3d
from tapegrad.v1.functions import conv3d_transpose as conv3d_transpose
from tapegrad.v1.functions import convolution as convolution
from tapegrad.v1.functions import crelu as crelu
from tapegrad.v1.functions import depth_to_space as depth_to_space
from tapegrad.v1.functions import depthwise_conv2d as depthwise_conv2d
from tapegrad.v1.functions import depthwise_conv2d_native as depthwise_conv2d_native
from tapegrad.v1.functions import in_top_k as in_top_k
from tapegrad.v1.functions import log_softmax as log_softmax
from tapegrad.v1.functions import max_pool as max_pool
from tapegrad.v1.functions import max_pool_with_argmax as max_pool_with_argmax
from tapegrad.v1.functions import moments as moments
from tapegrad.v1.functions import nce_loss as nce_loss
from tapegrad.v1.functions import pool as pool
from tapegrad.v1.functions import sampled_softmax_loss as sampled_softmax_loss
from tapegrad.v1.functions import separable_conv2d as separable_conv2d
from tapegrad.v1.functions import softmax as softmax
from tapegrad.v1.functions import softmax_cross_entropy_with_logits as softmax_cross_entropy_with_logits
from tapegrad.v1.functions import softmax_cross_entropy_with_logits_v2 as softmax_cross_entropy_with_logits_v2
from tapegrad.v1.functions import space_to_depth as space_to_depth
from tapegrad.v1.functions import sparse_softmax_cross_entropy_with_logits as sparse_softmax_cross_entropy_with_logits
from tapegrad.v1.functions import sufficient_statistics as sufficient_statistics
from tapegrad.v1.functions import weighted_cross_entropy_with_logits as weighted_cross_entropy_with_logits
from tapegrad.v1.functions import weighted_moments as weighted_moments
from tapegrad.nn import avg_pool as _avg_pool_v2
from tapegrad.nn import ctc_beam_search_decoder as _ctc_beam_search_decoder_v2
from tapegrad.nn import depthwise_conv2d_backprop_filter as _depthwise_conv2d_native_backprop_filter
from tapegrad.nn import depthwise_conv2d_backprop_input as _depthwise_conv2d_native_backprop_input
from tapegrad.nn import leaky_relu as _leaky_relu
from tapegrad.random import log_uniform_candidate_sampler as _log_uniform_candidate_sampler
from tapegrad.nn import max_pool as _max_pool_v2
from tapegrad.nn import relu6 as _relu6
from tapegrad.nn import sigmoid as _sigmoid
from tapegrad.nn import sigmoid_cross_entropy_with_logits as _sigmoid_cross_entropy_with_logits
from tapegrad.nn import silu as _silu
from tapegrad.nn import softplus as _softplus
from tapegrad.nn import swish as _swish
from tapegrad.nn import tanh as _tanh
from tapegrad.random import uniform_candidate_sampler as _uniform_candidate_sampler
from tapegrad.v1.written import ctc_beam_search_decoder as ctc_beam_search_decoder
from tapegrad.v1.written import dropout as dropout
from tapegrad.v1.written import relu_layer as relu_layer
from tapegrad.v1.written import space_to_batch as space_to_batch
from tapegrad.v1.written import xw_plus_b as xw_plus_b
from tapegrad.compat.v1.nn import experimental as experimental

ctc_loss = _ctc_loss_v1
ctc_loss_v2 = _ctc_loss
embedding_lookup = _embedding_lookup_v1
embedding_lookup_sparse = _embedding_lookup_sparse_v1
safe_embedding_lookup_sparse = _safe_embedding_lookup_sparse_v1
avg_pool_v2 = _avg_pool_v2
ctc_beam_search_decoder_v2 = _ctc_beam_search_decoder_v2
depthwise_conv2d_native_backprop_filter = _depthwise_conv2d_native_backprop_filter
depthwise_conv2d_native_backprop_input = _depthwise_conv2d_native_backprop_input
leaky_relu = _leaky_relu
log_uniform_candidate_sampler = _log_uniform_candidate_sampler
max_pool_v2 = _max_pool_v2
relu6 = _relu6
sigmoid = _sigmoid
sigmoid_cross_entropy_with_logits = _sigmoid_cross_entropy_with_logits
silu = _silu
softplus = _softplus
swish = _swish
tanh = _tanh
uniform_candidate_sampler = _uniform_candidate_sampler
