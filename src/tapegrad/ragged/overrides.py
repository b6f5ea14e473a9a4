"""The table of what public functions do with ragged tensors.

`core.Function` says how a call gets here. A function that is not in the table refuses ragged tensors,
as it does in TensorFlow.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tapegrad.lazy import find
from tapegrad.ragged import arrange, inquire, mapping, products, reduce, shapes, strings
from tapegrad.ragged.broadcast import elementwise, of_two
from tapegrad.ragged.ragged_tensor import RaggedTensor
from tapegrad.ragged.spec import RaggedTensorSpec

# Functions that look at each element by itself, and take other arguments that are the same for all elements.
# The ragged tensors among their arguments must have the same rows.
ELEMENTWISE = """
bitcast bitwise.invert cast debugging.check_numerics dtypes.saturate_cast identity ones_like stop_gradient
zeros_like clip_by_value
image.adjust_brightness image.adjust_gamma image.convert_image_dtype image.random_brightness
image.stateless_random_brightness
math.abs math.acos math.acosh math.add_n math.angle math.asin math.asinh math.atan math.atanh math.bessel_i0
math.bessel_i0e math.bessel_i1 math.bessel_i1e math.ceil math.conj math.cos math.cosh math.digamma math.erf
math.erfc math.erfcinv math.erfinv math.exp math.expm1 math.floor math.imag math.is_finite math.is_inf
math.is_nan math.lgamma math.log math.log1p math.log_sigmoid math.logical_not math.ndtri math.negative
math.real math.reciprocal math.reciprocal_no_nan math.rint math.round math.rsqrt math.scalar_mul math.sigmoid
math.sign math.sin math.sinh math.softplus math.sqrt math.square math.tan math.tanh
math.special.bessel_j0 math.special.bessel_j1 math.special.bessel_k0 math.special.bessel_k0e
math.special.bessel_k1 math.special.bessel_k1e math.special.bessel_y0 math.special.bessel_y1
math.special.dawsn math.special.expint math.special.fresnel_cos math.special.fresnel_sin math.special.spence
nn.dropout nn.elu nn.experimental.stateless_dropout nn.gelu nn.leaky_relu nn.relu nn.relu6 nn.selu
nn.sigmoid_cross_entropy_with_logits nn.silu nn.softsign
strings.as_string strings.join strings.length strings.lower strings.regex_full_match strings.regex_replace
strings.strip strings.substr strings.to_hash_bucket strings.to_hash_bucket_fast
strings.to_hash_bucket_strong strings.to_number strings.unicode_script strings.unicode_transcode strings.upper
"""

# Functions of two operands, ragged or dense, that are broadcast against each other.
OF_TWO = """
bitwise.bitwise_and bitwise.bitwise_or bitwise.bitwise_xor bitwise.left_shift bitwise.right_shift complex
math.add math.atan2 math.divide math.divide_no_nan math.equal math.floordiv math.floormod math.greater
math.greater_equal math.less math.less_equal math.logical_and math.logical_or math.logical_xor math.maximum
math.minimum math.multiply math.multiply_no_nan math.nextafter math.not_equal math.pow
math.squared_difference math.subtract math.truediv math.xdivy math.xlog1py math.xlogy math.zeta
realdiv truncatediv truncatemod
"""

OVERRIDES: dict[str, Callable[..., Any]] = {
    "debugging.assert_equal debugging.assert_greater debugging.assert_greater_equal "
    "debugging.assert_less debugging.assert_less_equal debugging.assert_near "
    "debugging.assert_none_equal": inquire.compare,
    "nn.embedding_lookup_sparse nn.safe_embedding_lookup_sparse": inquire.embedding_lookup_sparse,
    "math.reduce_all math.reduce_any math.reduce_max math.reduce_min math.reduce_prod math.reduce_sum": (
        reduce.reduction
    ),
    "math.reduce_logsumexp": reduce.log_sum_exp,
    "math.reduce_mean": reduce.mean,
    "math.reduce_std": reduce.deviation,
    "math.reduce_variance": reduce.variance,
    "math.cumsum": reduce.cumsum,
    "math.unsorted_segment_max math.unsorted_segment_min math.unsorted_segment_prod "
    "math.unsorted_segment_sum": reduce.segments_form,
    "nn.softmax": reduce.softmax,
    "expand_dims": reduce.expand_dims,
    "concat": arrange.concat,
    "gather": arrange.gather_form,
    "gather_nd": arrange.gather_nd,
    "map_fn": mapping.map_fn,
    "reshape": shapes.reshaped,
    "shape": shapes.shape,
    "reverse": arrange.reverse,
    "split": arrange.split,
    "squeeze": arrange.squeeze_form,
    "stack": arrange.stack_form,
    "tile": arrange.tile,
    "dynamic_partition": inquire.dynamic_partition,
    "linalg.matmul": products.matmul,
    "math.bincount": inquire.bincount,
    "nn.embedding_lookup": inquire.embedding_lookup,
    "one_hot": inquire.one_hot,
    "rank": inquire.rank,
    "size": inquire.size,
    "sparse.bincount": inquire.sparse_bincount,
    "strings.reduce_join": strings.reduce_join_form,
    "where": inquire.where,
}


def add_all() -> None:
    table = {ELEMENTWISE: elementwise, OF_TWO: of_two, **OVERRIDES}
    for names, override in table.items():
        for name in names.split():
            find(name).override(RaggedTensor, override)
    find("map_fn").override(RaggedTensorSpec, mapping.map_fn)
    for name in ("fill", "ones", "zeros"):
        find(name).override(shapes.DynamicRaggedShape, shapes.filled)
    find("reshape").override(shapes.DynamicRaggedShape, shapes.reshaped_to)


add_all()
