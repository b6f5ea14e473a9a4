"""Written by tools/write_stubs.py: what `tapegrad.names` lists."""

from tapegrad.ops.conv import atrous_conv2d as atrous_conv2d
from tapegrad.ops.conv import atrous_conv2d_transpose as atrous_conv2d_transpose
from tapegrad.ops.conv import conv1d as conv1d
from tapegrad.ops.conv import conv1d_transpose as conv1d_transpose
from tapegrad.ops.conv import conv2d as conv2d
from tapegrad.ops.conv import conv2d_transpose as conv2d_transpose
from tapegrad.ops.conv import conv3d as conv3d
from tapegrad.ops.conv import conv3d_transpose as conv3d_transpose
from tapegrad.ops.conv import conv_transpose as conv_transpose
from tapegrad.ops.conv import convolution as convolution
from tapegrad.ops.depthwise import depthwise_conv2d as depthwise_conv2d
from tapegrad.ops.depthwise import (
    depthwise_conv2d_backprop_filter as depthwise_conv2d_backprop_filter,
)
from tapegrad.ops.depthwise import (
    depthwise_conv2d_backprop_input as depthwise_conv2d_backprop_input,
)
from tapegrad.ops.depthwise import separable_conv2d as separable_conv2d
from tapegrad.ops.exponential import sigmoid as sigmoid
from tapegrad.ops.gather import embedding_lookup as embedding_lookup
from tapegrad.ops.losses import log_poisson_loss as log_poisson_loss
from tapegrad.ops.losses import (
    sigmoid_cross_entropy_with_logits as sigmoid_cross_entropy_with_logits,
)
from tapegrad.ops.losses import (
    softmax_cross_entropy_with_logits as softmax_cross_entropy_with_logits,
)
from tapegrad.ops.losses import (
    sparse_softmax_cross_entropy_with_logits as sparse_softmax_cross_entropy_with_logits,
)
from tapegrad.ops.losses import (
    weighted_cross_entropy_with_logits as weighted_cross_entropy_with_logits,
)
from tapegrad.ops.nn import batch_normalization as batch_normalization
from tapegrad.ops.nn import bias_add as bias_add
from tapegrad.ops.nn import crelu as crelu
from tapegrad.ops.nn import dropout as dropout
from tapegrad.ops.nn import elu as elu
from tapegrad.ops.nn import gelu as gelu
from tapegrad.ops.nn import l2_loss as l2_loss
from tapegrad.ops.nn import l2_normalize as l2_normalize
from tapegrad.ops.nn import leaky_relu as leaky_relu
from tapegrad.ops.nn import log_softmax as log_softmax
from tapegrad.ops.nn import moments as moments
from tapegrad.ops.nn import relu as relu
from tapegrad.ops.nn import relu6 as relu6
from tapegrad.ops.nn import selu as selu
from tapegrad.ops.nn import silu as silu
from tapegrad.ops.nn import softmax as softmax
from tapegrad.ops.nn import softplus as softplus
from tapegrad.ops.nn import softsign as softsign
from tapegrad.ops.nn import swish as swish
from tapegrad.ops.pool import avg_pool as avg_pool
from tapegrad.ops.pool import avg_pool1d as avg_pool1d
from tapegrad.ops.pool import avg_pool2d as avg_pool2d
from tapegrad.ops.pool import avg_pool3d as avg_pool3d
from tapegrad.ops.pool import max_pool as max_pool
from tapegrad.ops.pool import max_pool1d as max_pool1d
from tapegrad.ops.pool import max_pool2d as max_pool2d
from tapegrad.ops.pool import max_pool3d as max_pool3d
from tapegrad.ops.pool import max_pool_with_argmax as max_pool_with_argmax
from tapegrad.ops.pool import pool as pool
from tapegrad.ops.rearrange import depth_to_space as depth_to_space
from tapegrad.ops.rearrange import space_to_batch as space_to_batch
from tapegrad.ops.rearrange import space_to_depth as space_to_depth
from tapegrad.ops.reduce import zero_fraction as zero_fraction
from tapegrad.ops.sort import in_top_k as in_top_k
from tapegrad.ops.sort import top_k as top_k
from tapegrad.ops.trigonometry import tanh as tanh
