# Written by tools/write_names.py from the PUBLIC tables of the modules.
# ruff: noqa
# fmt: off

from tapegrad.autodiff.custom import custom_gradient as custom_gradient
from tapegrad.autodiff.custom import grad_pass_through as grad_pass_through
from tapegrad.autodiff.custom import recompute_grad as recompute_grad
from tapegrad.autodiff.graphs import AggregationMethod as AggregationMethod
from tapegrad.autodiff.registry import no_gradient as no_gradient
from tapegrad.autodiff.registry import NotDifferentiable as NotDifferentiable
from tapegrad.autodiff.registry import RegisterGradient as RegisterGradient
from tapegrad.autodiff.tape import GradientTape as GradientTape
from tapegrad.autodiff.tape import UnconnectedGradients as UnconnectedGradients
from tapegrad.batching.mapping import vectorized_map as vectorized_map
from tapegrad.core import Tensor as Tensor
from tapegrad.data.optional import OptionalSpec as OptionalSpec
from tapegrad.data.structure import NoneTensorSpec as NoneTensorSpec
from tapegrad.dtypes import as_dtype as as_dtype
from tapegrad.dtypes import bfloat16 as bfloat16
from tapegrad.dtypes import bool as bool
from tapegrad.dtypes import complex128 as complex128
from tapegrad.dtypes import complex64 as complex64
from tapegrad.dtypes import double as double
from tapegrad.dtypes import DType as DType
from tapegrad.dtypes import float16 as float16
from tapegrad.dtypes import float32 as float32
from tapegrad.dtypes import float64 as float64
from tapegrad.dtypes import half as half
from tapegrad.dtypes import int16 as int16
from tapegrad.dtypes import int32 as int32
from tapegrad.dtypes import int64 as int64
from tapegrad.dtypes import int8 as int8
from tapegrad.dtypes import qint16 as qint16
from tapegrad.dtypes import qint32 as qint32
from tapegrad.dtypes import qint8 as qint8
from tapegrad.dtypes import quint16 as quint16
from tapegrad.dtypes import quint8 as quint8
from tapegrad.dtypes import resource as resource
from tapegrad.dtypes import string as string
from tapegrad.dtypes import uint16 as uint16
from tapegrad.dtypes import uint32 as uint32
from tapegrad.dtypes import uint64 as uint64
from tapegrad.dtypes import uint8 as uint8
from tapegrad.dtypes import variant as variant
from tapegrad.framework.convert import register_tensor_conversion_function as register_tensor_conversion_function
from tapegrad.framework.creators import variable_creator_scope as variable_creator_scope
from tapegrad.framework.device_spec import DeviceSpec as DeviceSpec
from tapegrad.framework.indexed_slices import IndexedSlices as IndexedSlices
from tapegrad.framework.indexed_slices import IndexedSlicesSpec as IndexedSlicesSpec
from tapegrad.framework.logging import get_logger as get_logger
from tapegrad.framework.module import Module as Module
from tapegrad.framework.names import control_dependencies as control_dependencies
from tapegrad.framework.names import enable_eager_execution as enable_eager_execution
from tapegrad.framework.names import init_scope as init_scope
from tapegrad.framework.shape import Dimension as Dimension
from tapegrad.framework.shape import dimension_at_index as dimension_at_index
from tapegrad.framework.shape import dimension_value as dimension_value
from tapegrad.framework.shape import TensorShape as TensorShape
from tapegrad.framework.spec import TensorSpec as TensorSpec
from tapegrad.framework.spec import type_spec_from_value as type_spec_from_value
from tapegrad.framework.spec import TypeSpec as TypeSpec
from tapegrad.framework.synchronization import VariableSynchronization as VariableSynchronization
from tapegrad.functions.function import function as function
from tapegrad.io.csv import decode_csv_v1 as _decode_csv_v1
from tapegrad.io.decoding import decode_base64 as decode_base64
from tapegrad.io.decoding import decode_compressed as decode_compressed
from tapegrad.io.decoding import decode_raw_v1 as _decode_raw_v1
from tapegrad.io.decoding import encode_base64 as encode_base64
from tapegrad.io.features import FixedLenFeature as FixedLenFeature
from tapegrad.io.features import FixedLenSequenceFeature as FixedLenSequenceFeature
from tapegrad.io.features import RaggedFeature as RaggedFeature
from tapegrad.io.features import SparseFeature as SparseFeature
from tapegrad.io.features import VarLenFeature as VarLenFeature
from tapegrad.io.files import matching_files as matching_files
from tapegrad.io.files import read_file as read_file
from tapegrad.io.files import write_file as write_file
from tapegrad.io.graph_messages import AttrValue as AttrValue
from tapegrad.io.graph_messages import GraphDef as GraphDef
from tapegrad.io.graph_messages import NodeDef as NodeDef
from tapegrad.io.json_examples import decode_json_example as decode_json_example
from tapegrad.io.parsing import parse_example_v1 as _parse_example_v1
from tapegrad.io.parsing import parse_single_example_v1 as _parse_single_example_v1
from tapegrad.io.sequences import parse_sequence_example as parse_sequence_example
from tapegrad.io.sequences import parse_single_sequence_example as parse_single_sequence_example
from tapegrad.io.sparse_strings import deserialize_many_sparse as deserialize_many_sparse
from tapegrad.io.sparse_strings import serialize_many_sparse_v1 as _serialize_many_sparse_v1
from tapegrad.io.sparse_strings import serialize_sparse_v1 as _serialize_sparse_v1
from tapegrad.io.tensors import make_ndarray as make_ndarray
from tapegrad.io.tensors import make_tensor_proto as make_tensor_proto
from tapegrad.io.tensors import parse_tensor as parse_tensor
from tapegrad.io.tensors import serialize_tensor as serialize_tensor
from tapegrad.io.tensors import TensorProto as TensorProto
from tapegrad.signatures.elementwise.complex import complex as complex
from tapegrad.signatures.elementwise.conditions import where_v1 as _where_v1
from tapegrad.signatures.elementwise.exponential import exp as exp
from tapegrad.signatures.elementwise.exponential import sigmoid as sigmoid
from tapegrad.signatures.elementwise.logic import equal as equal
from tapegrad.signatures.elementwise.logic import greater as greater
from tapegrad.signatures.elementwise.logic import greater_equal as greater_equal
from tapegrad.signatures.elementwise.logic import less as less
from tapegrad.signatures.elementwise.logic import less_equal as less_equal
from tapegrad.signatures.elementwise.logic import logical_and as logical_and
from tapegrad.signatures.elementwise.logic import logical_not as logical_not
from tapegrad.signatures.elementwise.logic import logical_or as logical_or
from tapegrad.signatures.elementwise.logic import not_equal as not_equal
from tapegrad.signatures.elementwise.math import add as add
from tapegrad.signatures.elementwise.math import divide as divide
from tapegrad.signatures.elementwise.math import maximum as maximum
from tapegrad.signatures.elementwise.math import minimum as minimum
from tapegrad.signatures.elementwise.math import multiply as multiply
from tapegrad.signatures.elementwise.math import negative as negative
from tapegrad.signatures.elementwise.math import pow as pow
from tapegrad.signatures.elementwise.math import real_divide as _real_divide
from tapegrad.signatures.elementwise.math import sqrt as sqrt
from tapegrad.signatures.elementwise.math import square as square
from tapegrad.signatures.elementwise.math import subtract as subtract
from tapegrad.signatures.elementwise.math import truediv as truediv
from tapegrad.signatures.elementwise.math import truncatediv as truncatediv
from tapegrad.signatures.elementwise.math import truncatemod as truncatemod
from tapegrad.signatures.elementwise.rounding import floor as floor
from tapegrad.signatures.elementwise.rounding import round as round
from tapegrad.signatures.elementwise.signs import abs as abs
from tapegrad.signatures.elementwise.signs import sign as sign
from tapegrad.signatures.elementwise.trigonometry import acos as acos
from tapegrad.signatures.elementwise.trigonometry import acosh as acosh
from tapegrad.signatures.elementwise.trigonometry import asin as asin
from tapegrad.signatures.elementwise.trigonometry import asinh as asinh
from tapegrad.signatures.elementwise.trigonometry import atan as atan
from tapegrad.signatures.elementwise.trigonometry import atan2 as atan2
from tapegrad.signatures.elementwise.trigonometry import atanh as atanh
from tapegrad.signatures.elementwise.trigonometry import cos as cos
from tapegrad.signatures.elementwise.trigonometry import cosh as cosh
from tapegrad.signatures.elementwise.trigonometry import sin as sin
from tapegrad.signatures.elementwise.trigonometry import sinh as sinh
from tapegrad.signatures.elementwise.trigonometry import tan as tan
from tapegrad.signatures.elementwise.trigonometry import tanh as tanh
from tapegrad.signatures.image.geometry import extract_volume_patches as extract_volume_patches
from tapegrad.signatures.indexing.approx_top_k import approx_top_k as approx_top_k
from tapegrad.signatures.indexing.gather import batch_gather as batch_gather
from tapegrad.signatures.indexing.gather import repeat as repeat
from tapegrad.signatures.indexing.gather import scatter_nd as scatter_nd
from tapegrad.signatures.indexing.gather import tensor_scatter_nd_add as tensor_scatter_nd_add
from tapegrad.signatures.indexing.gather import tensor_scatter_nd_max as tensor_scatter_nd_max
from tapegrad.signatures.indexing.gather import tensor_scatter_nd_min as tensor_scatter_nd_min
from tapegrad.signatures.indexing.gather import tensor_scatter_nd_sub as tensor_scatter_nd_sub
from tapegrad.signatures.indexing.gather import tensor_scatter_nd_update as tensor_scatter_nd_update
from tapegrad.signatures.indexing.gather import unravel_index as unravel_index
from tapegrad.signatures.indexing.getitem import strided_slice as strided_slice
from tapegrad.signatures.indexing.masks import dynamic_partition as dynamic_partition
from tapegrad.signatures.indexing.masks import dynamic_stitch as dynamic_stitch
from tapegrad.signatures.indexing.masks import meshgrid as meshgrid
from tapegrad.signatures.indexing.masks import sequence_mask as sequence_mask
from tapegrad.signatures.indexing.masks import setdiff1d as setdiff1d
from tapegrad.signatures.indexing.masks import unique as unique
from tapegrad.signatures.indexing.masks import unique_with_counts as unique_with_counts
from tapegrad.signatures.indexing.sort import argsort as argsort
from tapegrad.signatures.indexing.sort import searchsorted as searchsorted
from tapegrad.signatures.indexing.sort import sort as sort
from tapegrad.signatures.linalg.einsum import einsum as einsum
from tapegrad.signatures.linalg.matrix_functions import sqrtm as _sqrtm
from tapegrad.signatures.linalg.products import matmul as matmul
from tapegrad.signatures.linalg.products import tensordot as tensordot
from tapegrad.signatures.program.control import switch_case as switch_case
from tapegrad.signatures.program.debugging import Assert as Assert
from tapegrad.signatures.program.host import group as group
from tapegrad.signatures.program.host import no_op as no_op
from tapegrad.signatures.program.host import numpy_function as numpy_function
from tapegrad.signatures.program.host import print as print
from tapegrad.signatures.program.host import py_function as py_function
from tapegrad.signatures.program.host import timestamp as timestamp
from tapegrad.signatures.program.strings import as_string as as_string
from tapegrad.signatures.program.tensor_array import TensorArray as TensorArray
from tapegrad.signatures.program.tensor_array import TensorArraySpec as TensorArraySpec
from tapegrad.signatures.quantize.quantized import dequantize as dequantize
from tapegrad.signatures.quantize.quantized import quantize as quantize
from tapegrad.signatures.random.distributions import random_index_shuffle as random_index_shuffle
from tapegrad.signatures.raw.legacy import cond_v1 as _cond_v1
from tapegrad.signatures.raw.legacy import div as div
from tapegrad.signatures.raw.legacy import placeholder_with_default as placeholder_with_default
from tapegrad.signatures.raw.legacy import Print as Print
from tapegrad.signatures.reduce.clip import add_n as add_n
from tapegrad.signatures.reduce.clip import clip_by_global_norm as clip_by_global_norm
from tapegrad.signatures.reduce.clip import clip_by_norm as clip_by_norm
from tapegrad.signatures.reduce.clip import clip_by_value as clip_by_value
from tapegrad.signatures.reduce.scan import cumsum as cumsum
from tapegrad.signatures.shape.array import broadcast_to as broadcast_to
from tapegrad.signatures.shape.array import concat as concat
from tapegrad.signatures.shape.array import ensure_shape as ensure_shape
from tapegrad.signatures.shape.array import identity_op as _identity_op
from tapegrad.signatures.shape.array import identity as identity
from tapegrad.signatures.shape.array import identity_n as identity_n
from tapegrad.signatures.shape.array import reshape as reshape
from tapegrad.signatures.shape.array import split as split
from tapegrad.signatures.shape.array import stack as stack
from tapegrad.signatures.shape.array import stop_gradient as stop_gradient
from tapegrad.signatures.shape.array import tile as tile
from tapegrad.signatures.shape.array import unstack as unstack
from tapegrad.signatures.shape.casts import bitcast as bitcast
from tapegrad.signatures.shape.casts import cast as cast
from tapegrad.signatures.shape.casts import saturate_cast as saturate_cast
from tapegrad.signatures.shape.creation import eye as eye
from tapegrad.signatures.shape.creation import fill as fill
from tapegrad.signatures.shape.creation import is_tensor as is_tensor
from tapegrad.signatures.shape.creation import linspace as linspace
from tapegrad.signatures.shape.creation import one_hot as one_hot
from tapegrad.signatures.shape.creation import ones as ones
from tapegrad.signatures.shape.creation import range as range
from tapegrad.signatures.shape.creation import zeros as zeros
from tapegrad.signatures.shape.rearrange import required_space_to_batch_paddings as required_space_to_batch_paddings
from tapegrad.signatures.shape.rearrange import reverse as reverse
from tapegrad.signatures.shape.rearrange import roll as roll
from tapegrad.signatures.shape.rearrange import space_to_batch_nd as space_to_batch_nd
from tapegrad.signatures.shape.shapes import broadcast_dynamic_shape as broadcast_dynamic_shape
from tapegrad.signatures.shape.shapes import broadcast_static_shape as broadcast_static_shape
from tapegrad.signatures.shape.shapes import get_static_value as get_static_value
from tapegrad.signatures.shape.shapes import rank as rank
from tapegrad.signatures.shape.shapes import shape_n as shape_n
from tapegrad.signatures.shape.strided_slices import slice_ as _slice_
from tapegrad.signatures.signal.fft import fftnd as fftnd
from tapegrad.signatures.signal.fft import ifftnd as ifftnd
from tapegrad.signatures.signal.fft import irfftnd as irfftnd
from tapegrad.signatures.signal.fft import rfftnd as rfftnd
from tapegrad.signatures.sparse.edit_distance import edit_distance as edit_distance
from tapegrad.signatures.sparse.histogram import histogram_fixed_width as histogram_fixed_width
from tapegrad.signatures.sparse.histogram import histogram_fixed_width_bins as histogram_fixed_width_bins
from tapegrad.signatures.sparse.sparse_tensor import SparseTensor as SparseTensor
from tapegrad.signatures.sparse.sparse_tensor import SparseTensorSpec as SparseTensorSpec
from tapegrad.signatures.strings.hashes import fingerprint as fingerprint
from tapegrad.signatures.strings.hashes import to_hash_bucket_v1 as _to_hash_bucket_v1
from tapegrad.signatures.strings.hashes import to_hash_bucket_fast as _to_hash_bucket_fast
from tapegrad.signatures.strings.hashes import to_hash_bucket_strong as _to_hash_bucket_strong
from tapegrad.signatures.strings.patterns import regex_replace as regex_replace
from tapegrad.signatures.strings.text import reduce_join_v1 as _reduce_join_v1
from tapegrad.signatures.strings.text import join as _join
from tapegrad.signatures.strings.text import strip as _strip
from tapegrad.signatures.strings.text import to_number_v1 as _to_number_v1
from tapegrad.signatures.strings.text import substr_v1 as _substr_v1
from tapegrad.queues import FIFOQueue as FIFOQueue
from tapegrad.queues import PaddingFIFOQueue as PaddingFIFOQueue
from tapegrad.queues import PriorityQueue as PriorityQueue
from tapegrad.queues import QueueBase as QueueBase
from tapegrad.queues import RandomShuffleQueue as RandomShuffleQueue
from tapegrad.ragged.ragged_tensor import RaggedTensor as RaggedTensor
from tapegrad.ragged.rows import ragged_fill_empty_rows as ragged_fill_empty_rows
from tapegrad.ragged.rows import ragged_fill_empty_rows_grad as ragged_fill_empty_rows_grad
from tapegrad.ragged.spec import RaggedTensorSpec as RaggedTensorSpec
from tapegrad.ragged.strings import string_split as string_split
from tapegrad.releases import COMPILER_VERSION as COMPILER_VERSION
from tapegrad.releases import GIT_VERSION as GIT_VERSION
from tapegrad.releases import GRAPH_DEF_VERSION as GRAPH_DEF_VERSION
from tapegrad.releases import GRAPH_DEF_VERSION_MIN_CONSUMER as GRAPH_DEF_VERSION_MIN_CONSUMER
from tapegrad.releases import GRAPH_DEF_VERSION_MIN_PRODUCER as GRAPH_DEF_VERSION_MIN_PRODUCER
from tapegrad.releases import VERSION as VERSION
from tapegrad.standing.keras import keras as keras
from tapegrad.summaries.messages import Event as Event
from tapegrad.summaries.messages import HistogramProto as HistogramProto
from tapegrad.summaries.messages import LogMessage as LogMessage
from tapegrad.summaries.messages import SessionLog as SessionLog
from tapegrad.summaries.messages import Summary as Summary
from tapegrad.summaries.messages import SummaryMetadata as SummaryMetadata
from tapegrad.symbolic.graphs import get_default_graph as get_default_graph
from tapegrad.symbolic.graphs import Graph as Graph
from tapegrad.symbolic.graphs import placeholder as placeholder
from tapegrad.symbolic.graphs import reset_default_graph as reset_default_graph
from tapegrad.symbolic.graphs import sparse_placeholder as sparse_placeholder
from tapegrad.symbolic.operations import Operation as Operation
from tapegrad.symbolic.sessions import get_default_session as get_default_session
from tapegrad.symbolic.sessions import InteractiveSession as InteractiveSession
from tapegrad.symbolic.sessions import Session as Session
from tapegrad.training.sections import CriticalSection as CriticalSection
from tapegrad.v1.collections import add_to_collection as add_to_collection
from tapegrad.v1.collections import add_to_collections as add_to_collections
from tapegrad.v1.collections import assert_variables_initialized as assert_variables_initialized
from tapegrad.v1.collections import colocate_with as colocate_with
from tapegrad.v1.collections import container as container
from tapegrad.v1.collections import get_collection as get_collection
from tapegrad.v1.collections import get_collection_ref as get_collection_ref
from tapegrad.v1.collections import get_seed as get_seed
from tapegrad.v1.collections import global_variables as global_variables
from tapegrad.v1.collections import global_variables_initializer as global_variables_initializer
from tapegrad.v1.collections import GraphKeys as GraphKeys
from tapegrad.v1.collections import initialize_all_tables as initialize_all_tables
from tapegrad.v1.collections import initialize_all_variables as initialize_all_variables
from tapegrad.v1.collections import initialize_local_variables as initialize_local_variables
from tapegrad.v1.collections import initialize_variables as initialize_variables
from tapegrad.v1.collections import is_variable_initialized as is_variable_initialized
from tapegrad.v1.collections import local_variables as local_variables
from tapegrad.v1.collections import local_variables_initializer as local_variables_initializer
from tapegrad.v1.collections import model_variables as model_variables
from tapegrad.v1.collections import moving_average_variables as moving_average_variables
from tapegrad.v1.collections import report_uninitialized_variables as report_uninitialized_variables
from tapegrad.v1.collections import SparseTensorValue as SparseTensorValue
from tapegrad.v1.collections import tables_initializer as tables_initializer
from tapegrad.v1.collections import trainable_variables as trainable_variables
from tapegrad.v1.collections import variables_initializer as variables_initializer
from tapegrad.v1.functions import arg_max as arg_max
from tapegrad.v1.functions import arg_min as arg_min
from tapegrad.v1.functions import argmax as argmax
from tapegrad.v1.functions import argmin as argmin
from tapegrad.v1.functions import assert_equal as assert_equal
from tapegrad.v1.functions import assert_greater as assert_greater
from tapegrad.v1.functions import assert_greater_equal as assert_greater_equal
from tapegrad.v1.functions import assert_less as assert_less
from tapegrad.v1.functions import assert_less_equal as assert_less_equal
from tapegrad.v1.functions import assert_near as assert_near
from tapegrad.v1.functions import assert_negative as assert_negative
from tapegrad.v1.functions import assert_non_negative as assert_non_negative
from tapegrad.v1.functions import assert_non_positive as assert_non_positive
from tapegrad.v1.functions import assert_none_equal as assert_none_equal
from tapegrad.v1.functions import assert_positive as assert_positive
from tapegrad.v1.functions import assert_rank as assert_rank
from tapegrad.v1.functions import assert_rank_at_least as assert_rank_at_least
from tapegrad.v1.functions import assert_rank_in as assert_rank_in
from tapegrad.v1.functions import assert_scalar as assert_scalar
from tapegrad.v1.functions import bincount as bincount
from tapegrad.v1.functions import boolean_mask as boolean_mask
from tapegrad.v1.functions import confusion_matrix as confusion_matrix
from tapegrad.v1.functions import convert_to_tensor as convert_to_tensor
from tapegrad.v1.functions import count_nonzero as count_nonzero
from tapegrad.v1.functions import depth_to_space as depth_to_space
from tapegrad.v1.functions import gather as gather
from tapegrad.v1.functions import gather_nd as gather_nd
from tapegrad.v1.functions import gradients as gradients
from tapegrad.v1.functions import hessians as hessians
from tapegrad.v1.functions import multinomial as multinomial
from tapegrad.v1.functions import norm as norm
from tapegrad.v1.functions import ones_like as ones_like
from tapegrad.v1.functions import pad as pad
from tapegrad.v1.functions import random_poisson as random_poisson
from tapegrad.v1.functions import reduce_all as reduce_all
from tapegrad.v1.functions import reduce_any as reduce_any
from tapegrad.v1.functions import reduce_logsumexp as reduce_logsumexp
from tapegrad.v1.functions import reduce_max as reduce_max
from tapegrad.v1.functions import reduce_mean as reduce_mean
from tapegrad.v1.functions import reduce_min as reduce_min
from tapegrad.v1.functions import reduce_prod as reduce_prod
from tapegrad.v1.functions import reduce_sum as reduce_sum
from tapegrad.v1.functions import reverse_sequence as reverse_sequence
from tapegrad.v1.functions import shape as shape
from tapegrad.v1.functions import size as size
from tapegrad.v1.functions import space_to_depth as space_to_depth
from tapegrad.v1.functions import sparse_add as sparse_add
from tapegrad.v1.functions import sparse_concat as sparse_concat
from tapegrad.v1.functions import sparse_reduce_max as sparse_reduce_max
from tapegrad.v1.functions import sparse_reduce_sum as sparse_reduce_sum
from tapegrad.v1.functions import sparse_segment_mean as sparse_segment_mean
from tapegrad.v1.functions import sparse_segment_sqrt_n as sparse_segment_sqrt_n
from tapegrad.v1.functions import sparse_segment_sum as sparse_segment_sum
from tapegrad.v1.functions import sparse_split as sparse_split
from tapegrad.v1.functions import squeeze as squeeze
from tapegrad.v1.functions import transpose as transpose
from tapegrad.v1.functions import tuple as tuple
from tapegrad.v1.functions import zeros_like as zeros_like
from tapegrad.v1.initializers import constant_initializer as constant_initializer
from tapegrad.v1.initializers import glorot_normal_initializer as glorot_normal_initializer
from tapegrad.v1.initializers import glorot_uniform_initializer as glorot_uniform_initializer
from tapegrad.v1.initializers import ones_initializer as ones_initializer
from tapegrad.v1.initializers import orthogonal_initializer as orthogonal_initializer
from tapegrad.v1.initializers import random_normal_initializer as random_normal_initializer
from tapegrad.v1.initializers import random_uniform_initializer as random_uniform_initializer
from tapegrad.v1.initializers import truncated_normal_initializer as truncated_normal_initializer
from tapegrad.v1.initializers import uniform_unit_scaling_initializer as uniform_unit_scaling_initializer
from tapegrad.v1.initializers import variance_scaling_initializer as variance_scaling_initializer
from tapegrad.v1.initializers import zeros_initializer as zeros_initializer
from tapegrad.v1.settings import ConfigProto as ConfigProto
from tapegrad.v1.settings import GPUOptions as GPUOptions
from tapegrad.v1.settings import GraphOptions as GraphOptions
from tapegrad.v1.settings import OptimizerOptions as OptimizerOptions
from tapegrad.v1.settings import RunMetadata as RunMetadata
from tapegrad.v1.settings import RunOptions as RunOptions
from tapegrad.math import accumulate_n as _accumulate_n
from tapegrad.math import angle as _angle
from tapegrad.debugging import assert_integer as _assert_integer
from tapegrad.debugging import assert_proper_iterable as _assert_proper_iterable
from tapegrad.debugging import assert_same_float_dtype as _assert_same_float_dtype
from tapegrad.debugging import assert_type as _assert_type
from tapegrad.math import betainc as _betainc
from tapegrad.v1.today import case as case
from tapegrad.math import ceil as _ceil
from tapegrad.debugging import check_numerics as _check_numerics
from tapegrad.linalg import cholesky as _cholesky
from tapegrad.linalg import cholesky_solve as _cholesky_solve
from tapegrad.math import conj as _conj
from tapegrad.linalg import cross as _cross
from tapegrad.math import cumprod as _cumprod
from tapegrad.linalg import tensor_diag as _diag
from tapegrad.linalg import tensor_diag_part as _diag_part
from tapegrad.math import digamma as _digamma
from tapegrad.math import divide_no_nan as _div_no_nan
from tapegrad.math import erf as _erf
from tapegrad.math import erfc as _erfc
from tapegrad.v1.today import executing_eagerly as executing_eagerly
from tapegrad.math import expm1 as _expm1
from tapegrad.quantization import fake_quant_with_min_max_args as _fake_quant_with_min_max_args
from tapegrad.quantization import fake_quant_with_min_max_args_gradient as _fake_quant_with_min_max_args_gradient
from tapegrad.quantization import fake_quant_with_min_max_vars as _fake_quant_with_min_max_vars
from tapegrad.quantization import fake_quant_with_min_max_vars_gradient as _fake_quant_with_min_max_vars_gradient
from tapegrad.quantization import fake_quant_with_min_max_vars_per_channel as _fake_quant_with_min_max_vars_per_channel
from tapegrad.quantization import fake_quant_with_min_max_vars_per_channel_gradient as _fake_quant_with_min_max_vars_per_channel_gradient
from tapegrad.signal import fft2d as _fft2d
from tapegrad.signal import fft3d as _fft3d
from tapegrad.signal import fft as _fft
from tapegrad.math import floordiv as _floor_div
from tapegrad.math import floordiv as _floordiv
from tapegrad.math import floormod as _floormod
from tapegrad.v1.today import foldl as foldl
from tapegrad.v1.today import foldr as foldr
from tapegrad.linalg import global_norm as _global_norm
from tapegrad.signal import ifft2d as _ifft2d
from tapegrad.signal import ifft3d as _ifft3d
from tapegrad.signal import ifft as _ifft
from tapegrad.math import igamma as _igamma
from tapegrad.math import igammac as _igammac
from tapegrad.math import imag as _imag
from tapegrad.math import invert_permutation as _invert_permutation
from tapegrad.math import is_finite as _is_finite
from tapegrad.math import is_inf as _is_inf
from tapegrad.math import is_nan as _is_nan
from tapegrad.math import is_non_decreasing as _is_non_decreasing
from tapegrad.debugging import is_numeric_tensor as _is_numeric_tensor
from tapegrad.math import is_strictly_increasing as _is_strictly_increasing
from tapegrad.v1.today import is_symbolic_tensor as is_symbolic_tensor
from tapegrad.math import lbeta as _lbeta
from tapegrad.math import lgamma as _lgamma
from tapegrad.v1.today import linspace as _linspace
from tapegrad.math import log1p as _log1p
from tapegrad.math import log as _log
from tapegrad.math import log_sigmoid as _log_sigmoid
from tapegrad.math import logical_xor as _logical_xor
from tapegrad.v1.today import map_fn as map_fn
from tapegrad.linalg import band_part as _matrix_band_part
from tapegrad.linalg import det as _matrix_determinant
from tapegrad.linalg import diag as _matrix_diag
from tapegrad.linalg import diag_part as _matrix_diag_part
from tapegrad.linalg import inv as _matrix_inverse
from tapegrad.linalg import set_diag as _matrix_set_diag
from tapegrad.linalg import solve as _matrix_solve
from tapegrad.linalg import lstsq as _matrix_solve_ls
from tapegrad.linalg import matrix_transpose as _matrix_transpose
from tapegrad.linalg import triangular_solve as _matrix_triangular_solve
from tapegrad.math import floormod as _mod
from tapegrad.v1.today import no_gradient as _no_gradient
from tapegrad.errors import OpError as _OpError
from tapegrad.v1.today import parallel_stack as parallel_stack
from tapegrad.math import polygamma as _polygamma
from tapegrad.v1.today import numpy_function as _numpy_function
from tapegrad.linalg import qr as _qr
from tapegrad.dtypes import QUANTIZED_DTYPES as _QUANTIZED_DTYPES
from tapegrad.image import random_crop as _random_crop
from tapegrad.random import gamma as _random_gamma
from tapegrad.random import normal as _random_normal
from tapegrad.random import shuffle as _random_shuffle
from tapegrad.random import uniform as _random_uniform
from tapegrad.math import real as _real
from tapegrad.math import reciprocal as _reciprocal
from tapegrad.v1.today import reverse as _reverse
from tapegrad.math import rint as _rint
from tapegrad.math import rsqrt as _rsqrt
from tapegrad.v1.today import scalar_mul as scalar_mul
from tapegrad.v1.today import scan as scan
from tapegrad.math import segment_max as _segment_max
from tapegrad.math import segment_mean as _segment_mean
from tapegrad.math import segment_min as _segment_min
from tapegrad.math import segment_prod as _segment_prod
from tapegrad.math import segment_sum as _segment_sum
from tapegrad.linalg import eigh as _self_adjoint_eig
from tapegrad.linalg import eigvalsh as _self_adjoint_eigvals
from tapegrad.random import set_seed as _set_random_seed
from tapegrad.sparse import fill_empty_rows as _sparse_fill_empty_rows
from tapegrad.sparse import mask as _sparse_mask
from tapegrad.sparse import maximum as _sparse_maximum
from tapegrad.sparse import minimum as _sparse_minimum
from tapegrad.sparse import reorder as _sparse_reorder
from tapegrad.sparse import reset_shape as _sparse_reset_shape
from tapegrad.sparse import reshape as _sparse_reshape
from tapegrad.sparse import retain as _sparse_retain
from tapegrad.sparse import slice as _sparse_slice
from tapegrad.sparse import softmax as _sparse_softmax
from tapegrad.sparse import sparse_dense_matmul as _sparse_tensor_dense_matmul
from tapegrad.sparse import to_dense as _sparse_tensor_to_dense
from tapegrad.sparse import to_indicator as _sparse_to_indicator
from tapegrad.sparse import transpose as _sparse_transpose
from tapegrad.math import squared_difference as _squared_difference
from tapegrad.linalg import svd as _svd
from tapegrad.v1.today import tensor_scatter_nd_add as _tensor_scatter_nd_add
from tapegrad.v1.today import tensor_scatter_nd_sub as _tensor_scatter_nd_sub
from tapegrad.v1.today import tensor_scatter_nd_update as _tensor_scatter_nd_update
from tapegrad.linalg import trace as _trace
from tapegrad.random import truncated_normal as _truncated_normal
from tapegrad.math import unsorted_segment_max as _unsorted_segment_max
from tapegrad.math import unsorted_segment_mean as _unsorted_segment_mean
from tapegrad.math import unsorted_segment_min as _unsorted_segment_min
from tapegrad.math import unsorted_segment_prod as _unsorted_segment_prod
from tapegrad.math import unsorted_segment_sqrt_n as _unsorted_segment_sqrt_n
from tapegrad.math import unsorted_segment_sum as _unsorted_segment_sum
from tapegrad.v1.today import where as _where
from tapegrad.math import zeta as _zeta
from tapegrad.v1.variables import assign as assign
from tapegrad.v1.variables import assign_add as assign_add
from tapegrad.v1.variables import assign_sub as assign_sub
from tapegrad.v1.variables import AUTO_REUSE as AUTO_REUSE
from tapegrad.v1.variables import get_local_variable as get_local_variable
from tapegrad.v1.variables import get_variable as get_variable
from tapegrad.v1.variables import get_variable_scope as get_variable_scope
from tapegrad.v1.variables import no_regularizer as no_regularizer
from tapegrad.v1.variables import scatter_add as scatter_add
from tapegrad.v1.variables import scatter_div as scatter_div
from tapegrad.v1.variables import scatter_max as scatter_max
from tapegrad.v1.variables import scatter_min as scatter_min
from tapegrad.v1.variables import scatter_mul as scatter_mul
from tapegrad.v1.variables import scatter_nd_add as scatter_nd_add
from tapegrad.v1.variables import scatter_nd_sub as scatter_nd_sub
from tapegrad.v1.variables import scatter_nd_update as scatter_nd_update
from tapegrad.v1.variables import scatter_sub as scatter_sub
from tapegrad.v1.variables import scatter_update as scatter_update
from tapegrad.v1.variables import Variable as Variable
from tapegrad.v1.variables import variable_op_scope as variable_op_scope
from tapegrad.v1.variables import variable_scope as variable_scope
from tapegrad.v1.variables import VariableAggregation as VariableAggregation
from tapegrad.v1.variables import VariableScope as VariableScope
from tapegrad.v1.written import batch_to_space as batch_to_space
from tapegrad.v1.written import clip_by_average_norm as clip_by_average_norm
from tapegrad.v1.written import constant as constant
from tapegrad.v1.written import control_flow_v2_enabled as control_flow_v2_enabled
from tapegrad.v1.written import device as device
from tapegrad.v1.written import disable_tensor_equality as disable_tensor_equality
from tapegrad.v1.written import disable_v2_behavior as disable_v2_behavior
from tapegrad.v1.written import enable_control_flow_v2 as enable_control_flow_v2
from tapegrad.v1.written import enable_resource_variables as enable_resource_variables
from tapegrad.v1.written import enable_tensor_equality as enable_tensor_equality
from tapegrad.v1.written import enable_v2_behavior as enable_v2_behavior
from tapegrad.v1.written import enable_v2_tensorshape as enable_v2_tensorshape
from tapegrad.v1.written import executing_eagerly_outside_functions as executing_eagerly_outside_functions
from tapegrad.v1.written import expand_dims as expand_dims
from tapegrad.v1.written import name_scope as name_scope
from tapegrad.v1.written import resource_variables_enabled as resource_variables_enabled
from tapegrad.v1.written import space_to_batch as space_to_batch
from tapegrad.v1.written import sparse_to_dense as sparse_to_dense
from tapegrad.v1.written import to_bfloat16 as to_bfloat16
from tapegrad.v1.written import to_complex128 as to_complex128
from tapegrad.v1.written import to_complex64 as to_complex64
from tapegrad.v1.written import to_double as to_double
from tapegrad.v1.written import to_float as to_float
from tapegrad.v1.written import to_int32 as to_int32
from tapegrad.v1.written import to_int64 as to_int64
from tapegrad.v1.written import assert_all_finite as _assert_all_finite
from tapegrad.v1.written import while_loop as while_loop
from tapegrad.compat.v1 import audio as audio
from tapegrad.compat.v1 import autograph as autograph
from tapegrad.compat.v1 import bitwise as bitwise
from tapegrad.compat.v1 import compat as compat
from tapegrad.compat.v1 import config as config
from tapegrad.compat.v1 import data as data
from tapegrad.compat.v1 import debugging as debugging
from tapegrad.compat.v1 import distribute as distribute
from tapegrad.compat.v1 import dtypes as dtypes
from tapegrad.compat.v1 import errors as errors
from tapegrad.compat.v1 import experimental as experimental
from tapegrad.compat.v1 import gfile as gfile
from tapegrad.compat.v1 import image as image
from tapegrad.compat.v1 import initializers as initializers
from tapegrad.compat.v1 import io as io
from tapegrad.compat.v1 import linalg as linalg
from tapegrad.compat.v1 import logging as logging
from tapegrad.compat.v1 import lookup as lookup
from tapegrad.compat.v1 import losses as losses
from tapegrad.compat.v1 import manip as manip
from tapegrad.compat.v1 import math as math
from tapegrad.compat.v1 import metrics as metrics
from tapegrad.compat.v1 import nest as nest
from tapegrad.compat.v1 import nn as nn
from tapegrad.compat.v1 import python_io as python_io
from tapegrad.compat.v1 import quantization as quantization
from tapegrad.compat.v1 import queue as queue
from tapegrad.compat.v1 import ragged as ragged
from tapegrad.compat.v1 import random as random
from tapegrad.compat.v1 import saved_model as saved_model
from tapegrad.compat.v1 import sets as sets
from tapegrad.compat.v1 import signal as signal
from tapegrad.compat.v1 import sparse as sparse
from tapegrad.compat.v1 import spectral as spectral
from tapegrad.compat.v1 import strings as strings
from tapegrad.compat.v1 import summary as summary
from tapegrad.compat.v1 import sysconfig as sysconfig
from tapegrad.compat.v1 import test as test
from tapegrad.compat.v1 import tpu as tpu
from tapegrad.compat.v1 import train as train
from tapegrad.compat.v1 import types as types
from tapegrad.compat.v1 import version as version
from tapegrad.compat.v1 import xla as xla

decode_csv = _decode_csv_v1
decode_raw = _decode_raw_v1
parse_example = _parse_example_v1
parse_single_example = _parse_single_example_v1
serialize_many_sparse = _serialize_many_sparse_v1
serialize_sparse = _serialize_sparse_v1
where = _where_v1
realdiv = _real_divide
matrix_square_root = _sqrtm
cond = _cond_v1
guarantee_const = _identity_op
slice = _slice_
string_to_hash_bucket = _to_hash_bucket_v1
string_to_hash_bucket_fast = _to_hash_bucket_fast
string_to_hash_bucket_strong = _to_hash_bucket_strong
reduce_join = _reduce_join_v1
string_join = _join
string_strip = _strip
string_to_number = _to_number_v1
substr = _substr_v1
accumulate_n = _accumulate_n
angle = _angle
assert_integer = _assert_integer
assert_proper_iterable = _assert_proper_iterable
assert_same_float_dtype = _assert_same_float_dtype
assert_type = _assert_type
betainc = _betainc
ceil = _ceil
check_numerics = _check_numerics
cholesky = _cholesky
cholesky_solve = _cholesky_solve
conj = _conj
cross = _cross
cumprod = _cumprod
diag = _diag
diag_part = _diag_part
digamma = _digamma
div_no_nan = _div_no_nan
erf = _erf
erfc = _erfc
expm1 = _expm1
fake_quant_with_min_max_args = _fake_quant_with_min_max_args
fake_quant_with_min_max_args_gradient = _fake_quant_with_min_max_args_gradient
fake_quant_with_min_max_vars = _fake_quant_with_min_max_vars
fake_quant_with_min_max_vars_gradient = _fake_quant_with_min_max_vars_gradient
fake_quant_with_min_max_vars_per_channel = _fake_quant_with_min_max_vars_per_channel
fake_quant_with_min_max_vars_per_channel_gradient = _fake_quant_with_min_max_vars_per_channel_gradient
fft2d = _fft2d
fft3d = _fft3d
fft = _fft
floor_div = _floor_div
floordiv = _floordiv
floormod = _floormod
global_norm = _global_norm
ifft2d = _ifft2d
ifft3d = _ifft3d
ifft = _ifft
igamma = _igamma
igammac = _igammac
imag = _imag
invert_permutation = _invert_permutation
is_finite = _is_finite
is_inf = _is_inf
is_nan = _is_nan
is_non_decreasing = _is_non_decreasing
is_numeric_tensor = _is_numeric_tensor
is_strictly_increasing = _is_strictly_increasing
lbeta = _lbeta
lgamma = _lgamma
lin_space = _linspace
log1p = _log1p
log = _log
log_sigmoid = _log_sigmoid
logical_xor = _logical_xor
matrix_band_part = _matrix_band_part
matrix_determinant = _matrix_determinant
matrix_diag = _matrix_diag
matrix_diag_part = _matrix_diag_part
matrix_inverse = _matrix_inverse
matrix_set_diag = _matrix_set_diag
matrix_solve = _matrix_solve
matrix_solve_ls = _matrix_solve_ls
matrix_transpose = _matrix_transpose
matrix_triangular_solve = _matrix_triangular_solve
mod = _mod
NoGradient = _no_gradient
OpError = _OpError
polygamma = _polygamma
py_func = _numpy_function
qr = _qr
QUANTIZED_DTYPES = _QUANTIZED_DTYPES
random_crop = _random_crop
random_gamma = _random_gamma
random_normal = _random_normal
random_shuffle = _random_shuffle
random_uniform = _random_uniform
real = _real
reciprocal = _reciprocal
reverse_v2 = _reverse
rint = _rint
rsqrt = _rsqrt
segment_max = _segment_max
segment_mean = _segment_mean
segment_min = _segment_min
segment_prod = _segment_prod
segment_sum = _segment_sum
self_adjoint_eig = _self_adjoint_eig
self_adjoint_eigvals = _self_adjoint_eigvals
set_random_seed = _set_random_seed
sparse_fill_empty_rows = _sparse_fill_empty_rows
sparse_mask = _sparse_mask
sparse_maximum = _sparse_maximum
sparse_minimum = _sparse_minimum
sparse_reorder = _sparse_reorder
sparse_reset_shape = _sparse_reset_shape
sparse_reshape = _sparse_reshape
sparse_retain = _sparse_retain
sparse_slice = _sparse_slice
sparse_softmax = _sparse_softmax
sparse_tensor_dense_matmul = _sparse_tensor_dense_matmul
sparse_tensor_to_dense = _sparse_tensor_to_dense
sparse_to_indicator = _sparse_to_indicator
sparse_transpose = _sparse_transpose
squared_difference = _squared_difference
svd = _svd
tensor_scatter_add = _tensor_scatter_nd_add
tensor_scatter_sub = _tensor_scatter_nd_sub
tensor_scatter_update = _tensor_scatter_nd_update
trace = _trace
truncated_normal = _truncated_normal
unsorted_segment_max = _unsorted_segment_max
unsorted_segment_mean = _unsorted_segment_mean
unsorted_segment_min = _unsorted_segment_min
unsorted_segment_prod = _unsorted_segment_prod
unsorted_segment_sqrt_n = _unsorted_segment_sqrt_n
unsorted_segment_sum = _unsorted_segment_sum
where_v2 = _where
zeta = _zeta
verify_tensor_all_finite = _assert_all_finite
