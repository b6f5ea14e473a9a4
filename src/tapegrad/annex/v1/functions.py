"""Functions of TensorFlow 1.x whose arguments have other names, or another order, today: one row for each.

`tapegrad.framework.renaming` explains how a row says what a function takes. What is None is left out of the
call, so that today's default holds. The functions are made when they are first asked for.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import Any

import tapegrad
from tapegrad.framework.renaming import read, signature

PUBLIC = {
    "compat.v1 compat.v1.math": (
        "argmax argmin bincount confusion_matrix count_nonzero reduce_all reduce_any "
        "reduce_logsumexp reduce_max reduce_mean reduce_min reduce_prod reduce_sum"
    ),
    "compat.v1": (
        "arg_max arg_min boolean_mask convert_to_tensor gather gather_nd gradients hessians "
        "multinomial ones_like pad random_poisson reverse_sequence shape size sparse_add "
        "sparse_concat sparse_reduce_max sparse_reduce_sum "
        "sparse_segment_mean sparse_segment_sqrt_n sparse_segment_sum "
        "sparse_split squeeze transpose tuple zeros_like"
    ),
    "compat.v1 compat.v1.debugging": (
        "assert_equal assert_greater assert_greater_equal assert_less assert_less_equal assert_near "
        "assert_negative assert_non_negative assert_non_positive assert_none_equal assert_positive "
        "assert_rank assert_rank_at_least assert_rank_in assert_scalar"
    ),
    "compat.v1 compat.v1.linalg": "norm",
    "compat.v1.image": "resize_area resize_bicubic resize_bilinear resize_nearest_neighbor",
    "compat.v1 compat.v1.nn": "depth_to_space space_to_depth",
    "compat.v1.manip": "gather_nd",
    "compat.v1.math": "in_top_k log_softmax softmax",
    "compat.v1.nn": (
        "avg_pool avg_pool2d batch_norm_with_global_normalization conv1d conv2d conv2d_transpose "
        "conv3d conv3d_transpose convolution crelu depthwise_conv2d depthwise_conv2d_native in_top_k "
        "log_softmax max_pool max_pool_with_argmax moments nce_loss pool sampled_softmax_loss "
        "separable_conv2d softmax softmax_cross_entropy_with_logits "
        "softmax_cross_entropy_with_logits_v2 sparse_softmax_cross_entropy_with_logits "
        "sufficient_statistics weighted_cross_entropy_with_logits weighted_moments"
    ),
    "compat.v1.random": "multinomial poisson=random_poisson stateless_multinomial",
    "compat.v1.sparse": (
        "add=sparse_add concat=sparse_concat reduce_max=sparse_reduce_max "
        "reduce_sum=sparse_reduce_sum segment_mean=sparse_segment_mean "
        "segment_sqrt_n=sparse_segment_sqrt_n segment_sum=sparse_segment_sum split=sparse_split"
    ),
}

REDUCED = (
    "input_tensor axis=None keepdims=None name=None reduction_indices->axis=None "
    "keep_dims->keepdims=None"
)
EXTREME = "input axis=None name=None dimension->axis=None output_type=tf.int64"
ASSERTED = "data->_=None summarize=None message=None name=None"
RANKED = "data->_=None summarize->_=None message=None name=None"
SPARSE_REDUCED = (
    "sp_input axis=None keepdims=None reduction_axes->axis=None keep_dims->keepdims=None"
)
SEGMENTED = "data indices segment_ids name=None num_segments=None sparse_gradient=False"
SAMPLED = "weights biases labels inputs num_sampled num_classes num_true=1 sampled_values=None"
SOFTMAX = "logits axis=None name=None dim->axis=None"
POOLED = "value->input ksize strides padding data_format='NHWC' name=None input=None"
CONVOLVED = "input filter->filters=None strides=None padding=None"
TRANSPOSED = "output_shape=None strides=None padding='SAME'"
OTHER_WORDS = "name=None input=None filters=None dilations=None"
RESIZED = "images size align_corners=False name=None"

# The name; then the path of today's function, and what the older function takes.
ROWS: dict[str, tuple[str, str]] = {
    **{
        f"reduce_{kind}": (f"math.reduce_{kind}", REDUCED)
        for kind in ("all", "any", "logsumexp", "max", "mean", "min", "prod", "sum")
    },
    **{
        f"assert_{kind}": (f"debugging.assert_{kind}", f"{tensors} {ASSERTED}")
        for kinds, tensors in (
            ("equal greater greater_equal less less_equal none_equal", "x y"),
            ("near", "x y rtol=None atol=None"),
            ("negative non_negative non_positive positive", "x"),
        )
        for kind in kinds.split()
    },
    "assert_rank": ("debugging.assert_rank", f"x rank {RANKED}"),
    "assert_rank_at_least": ("debugging.assert_rank_at_least", f"x rank {RANKED}"),
    "assert_rank_in": ("debugging.assert_rank_in", f"x ranks {RANKED}"),
    "assert_scalar": ("debugging.assert_scalar", "tensor name=None message=None"),
    "arg_max": ("argmax", "input dimension->axis output_type=tf.int64 name=None"),
    "arg_min": ("argmin", "input dimension->axis output_type=tf.int64 name=None"),
    "argmax": ("argmax", EXTREME),
    "argmin": ("argmin", EXTREME),
    "bincount": (
        "math.bincount",
        "arr weights=None minlength=None maxlength=None dtype=tf.int32",
    ),
    "boolean_mask": ("boolean_mask", "tensor mask name='boolean_mask' axis=None"),
    "confusion_matrix": (
        "math.confusion_matrix",
        "labels predictions num_classes=None dtype=tf.int32 name=None weights=None",
    ),
    "convert_to_tensor": (
        "convert_to_tensor",
        "value dtype=None name=None preferred_dtype->dtype_hint=None dtype_hint=None",
    ),
    "count_nonzero": (
        "math.count_nonzero",
        "input_tensor->input=None axis=None keepdims=None dtype=tf.int64 name=None "
        "reduction_indices->axis=None keep_dims->keepdims=None input=None",
    ),
    "depth_to_space": ("nn.depth_to_space", "input block_size name=None data_format='NHWC'"),
    "gather": ("gather", "params indices validate_indices=None name=None axis=None batch_dims=0"),
    "gather_nd": (
        "gather_nd",
        "params indices name=None batch_dims=0 bad_indices_policy=''",
    ),
    "gradients": (
        "gradients",
        "ys xs grad_ys=None name='gradients' colocate_gradients_with_ops->_=False "
        "gate_gradients=False aggregation_method=None stop_gradients=None unconnected_gradients=None",
    ),
    "hessians": (
        "hessians",
        "ys xs name='hessians' colocate_gradients_with_ops->_=False gate_gradients=False "
        "aggregation_method=None",
    ),
    "in_top_k": ("math.in_top_k", "predictions targets k name=None"),
    "log_softmax": ("nn.log_softmax", SOFTMAX),
    "multinomial": (
        "random.categorical",
        "logits num_samples seed=None name=None output_dtype->dtype=None",
    ),
    "norm": (
        "norm",
        "tensor ord='euclidean' axis=None keepdims=None name=None keep_dims->keepdims=None",
    ),
    "ones_like": ("ones_like", "tensor->input dtype=None name=None optimize->_=True"),
    "pad": ("pad", "tensor paddings mode='CONSTANT' name=None constant_values=0"),
    "random_poisson": ("random.poisson", "lam shape dtype=tf.float32 seed=None name=None"),
    "reverse_sequence": (
        "reverse_sequence",
        "input seq_lengths seq_axis=None batch_axis=None name=None seq_dim->seq_axis=None "
        "batch_dim->batch_axis=None",
    ),
    "shape": ("shape", "input name=None out_type=None"),
    "size": ("size", "input name=None out_type=None"),
    "softmax": ("nn.softmax", SOFTMAX),
    "space_to_depth": ("nn.space_to_depth", "input block_size name=None data_format='NHWC'"),
    "squeeze": ("squeeze", "input axis=None name=None squeeze_dims->axis=None"),
    "stateless_multinomial": (
        "random.stateless_categorical",
        "logits num_samples seed output_dtype->dtype=tf.int64 name=None",
    ),
    "transpose": ("transpose", "a perm=None name='transpose' conjugate=False"),
    "tuple": ("tuple", "tensors name=None control_inputs=None"),
    "zeros_like": ("zeros_like", "tensor->input dtype=None name=None optimize->_=True"),
    # Neural networks
    **{f"{kind}_pool": (f"nn.{kind}_pool", POOLED) for kind in ("avg", "max")},
    "avg_pool2d": ("nn.avg_pool2d", POOLED),
    "batch_norm_with_global_normalization": (
        "nn.batch_norm_with_global_normalization",
        "t->input=None m->mean=None v->variance=None beta=None gamma=None variance_epsilon=None "
        "scale_after_normalization=None name=None input=None mean=None variance=None",
    ),
    "conv1d": (
        "nn.conv1d",
        "value->input=None filters=None stride=None padding=None use_cudnn_on_gpu->_=None "
        "data_format=None name=None input=None dilations=None",
    ),
    "conv2d": (
        "nn.conv2d",
        f"{CONVOLVED} use_cudnn_on_gpu->_=True data_format='NHWC' dilations=[1,1,1,1] name=None "
        "filters=None",
    ),
    "conv3d": (
        "nn.conv3d",
        f"{CONVOLVED} data_format='NDHWC' dilations=[1,1,1,1,1] name=None filters=None",
    ),
    "conv2d_transpose": (
        "nn.conv2d_transpose",
        f"value->input=None filter->filters=None {TRANSPOSED} data_format='NHWC' {OTHER_WORDS}",
    ),
    "conv3d_transpose": (
        "nn.conv3d_transpose",
        f"value->input filter->filters=None {TRANSPOSED} data_format='NDHWC' {OTHER_WORDS}",
    ),
    "convolution": (
        "nn.convolution",
        "input filter->filters padding strides=None dilation_rate->dilations=None name=None "
        "data_format=None filters=None dilations=None",
    ),
    "crelu": ("nn.crelu", "features name=None axis=-1"),
    "depthwise_conv2d": (
        "nn.depthwise_conv2d",
        "input filter strides padding rate->dilations=None name=None data_format=None "
        "dilations=None",
    ),
    "depthwise_conv2d_native": (
        "nn.depthwise_conv2d",
        "input filter strides padding data_format='NHWC' dilations->_=[1,1,1,1] name=None",
    ),
    "max_pool_with_argmax": (
        "nn.max_pool_with_argmax",
        "input ksize strides padding data_format='NHWC' Targmax->output_dtype=None name=None "
        "output_dtype=None include_batch_in_index=False",
    ),
    "moments": ("nn.moments", "x axes shift=None name=None keep_dims->keepdims=None keepdims=None"),
    "nce_loss": (
        "nn.nce_loss",
        f"{SAMPLED} remove_accidental_hits=False partition_strategy->_='mod' name='nce_loss'",
    ),
    "pool": (
        "nn.pool",
        "input window_shape pooling_type padding dilation_rate->dilations=None strides=None "
        "name=None data_format=None dilations=None",
    ),
    "sampled_softmax_loss": (
        "nn.sampled_softmax_loss",
        f"{SAMPLED} remove_accidental_hits=True partition_strategy->_='mod' "
        "name='sampled_softmax_loss' seed=None",
    ),
    "separable_conv2d": (
        "nn.separable_conv2d",
        "input depthwise_filter pointwise_filter strides padding rate->dilations=None name=None "
        "data_format=None dilations=None",
    ),
    "softmax_cross_entropy_with_logits": (
        "nn.softmax_cross_entropy_with_logits",
        "labels=None logits=None dim->axis=-1 name=None axis=None",
    ),
    "softmax_cross_entropy_with_logits_v2": (
        "nn.softmax_cross_entropy_with_logits",
        "labels logits axis=None name=None dim->axis=None",
    ),
    "sparse_softmax_cross_entropy_with_logits": (
        "nn.sparse_softmax_cross_entropy_with_logits",
        "labels=None logits=None name=None",
    ),
    "sufficient_statistics": (
        "nn.sufficient_statistics",
        "x axes shift=None keep_dims->keepdims=None name=None keepdims=None",
    ),
    "weighted_cross_entropy_with_logits": (
        "nn.weighted_cross_entropy_with_logits",
        "labels=None logits=None pos_weight=None name=None targets->labels=None",
    ),
    "weighted_moments": (
        "nn.weighted_moments",
        "x axes frequency_weights name=None keep_dims->keepdims=None keepdims=None",
    ),
    # Pictures
    **{
        f"resize_{kind}": (f"raw_ops.Resize{op}", f"{RESIZED} half_pixel_centers=False")
        for kind, op in (
            ("bicubic", "Bicubic"),
            ("bilinear", "Bilinear"),
            ("nearest_neighbor", "NearestNeighbor"),
        )
    },
    "resize_area": ("raw_ops.ResizeArea", RESIZED),
    # Sparse tensors
    **{
        f"sparse_reduce_{kind}": (f"sparse.reduce_{kind}", SPARSE_REDUCED)
        for kind in ("max", "sum")
    },
    **{
        f"sparse_segment_{kind}": (f"sparse.segment_{kind}", SEGMENTED)
        for kind in ("mean", "sqrt_n", "sum")
    },
    "sparse_add": ("sparse.add", "a b threshold=None thresh->threshold=None"),
    "sparse_concat": (
        "sparse.concat",
        "axis sp_inputs name=None expand_nonconcat_dim->expand_nonconcat_dims=None concat_dim->axis=None "
        "expand_nonconcat_dims=None",
    ),
    "sparse_split": (
        "sparse.split",
        "keyword_required->_=None sp_input=None num_split=None axis=None name=None split_dim->axis=None",
    ),
}


def __getattr__(name: str) -> Any:
    """The function that the row ``name`` describes."""
    if name not in ROWS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return function(name, *ROWS[name])


def function(name: str, path: str, takes: str) -> Callable[..., Any]:
    """The function ``name`` of TensorFlow 1.x, which calls ``tf.path`` with its arguments."""
    defaults, targets = read(takes)
    shown = signature(defaults)

    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            bound = shown.bind(*args, **kwargs)
        except TypeError as error:
            raise TypeError(f"{name}() {error}") from None
        bound.apply_defaults()
        arguments: dict[str, Any] = {}
        words: dict[str, str] = {}
        for word, value in bound.arguments.items():
            if value is None or word not in targets:
                continue
            target = targets[word]
            if target in arguments:
                raise ValueError(f"Cannot specify both '{word}' and '{words[target]}'.")
            arguments[target], words[target] = value, word
        today: Callable[..., Any] = attrgetter(path)(tapegrad)
        return today(**arguments)

    call.__name__ = call.__qualname__ = name
    vars(call)["__signature__"] = shown
    call.__doc__ = f"``tf.{path}``, by the arguments of TensorFlow 1.x."
    return call
