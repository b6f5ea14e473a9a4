"""Names of TensorFlow 1.x for functions and classes that have another name or place today.

``annex/spellings.txt`` lists them, with the paths of what they stand for. ``v2`` is `tf.compat.v2`, which is
`tf` itself.
"""

from __future__ import annotations

import functools
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import tapegrad as v2
else:
    v2 = sys.modules["tapegrad"]

PUBLIC = {
    "compat.v1": (
        "py_func=numpy_function set_random_seed=random.set_seed accumulate_n=math.accumulate_n "
        "angle=math.angle assert_integer=debugging.assert_integer "
        "assert_proper_iterable=debugging.assert_proper_iterable "
        "assert_same_float_dtype=debugging.assert_same_float_dtype "
        "assert_type=debugging.assert_type betainc=math.betainc case ceil=math.ceil "
        "check_numerics=debugging.check_numerics cholesky=linalg.cholesky "
        "cholesky_solve=linalg.cholesky_solve conj=math.conj cross=linalg.cross "
        "cumprod=math.cumprod diag=linalg.tensor_diag diag_part=linalg.tensor_diag_part "
        "digamma=math.digamma div_no_nan=math.divide_no_nan erf=math.erf erfc=math.erfc "
        "executing_eagerly expm1=math.expm1 "
        "fake_quant_with_min_max_args=quantization.fake_quant_with_min_max_args "
        "fake_quant_with_min_max_args_gradient=quantization.fake_quant_with_min_max_args_gradient "
        "fake_quant_with_min_max_vars=quantization.fake_quant_with_min_max_vars "
        "fake_quant_with_min_max_vars_gradient=quantization.fake_quant_with_min_max_vars_gradient "
        "fake_quant_with_min_max_vars_per_channel=quantization.fake_quant_with_min_max_vars_per_channel "
        "fake_quant_with_min_max_vars_per_channel_gradient="
        "quantization.fake_quant_with_min_max_vars_per_channel_gradient "
        "fft2d=signal.fft2d fft3d=signal.fft3d fft=signal.fft floor_div=math.floordiv "
        "floordiv=math.floordiv floormod=math.floormod foldl foldr global_norm=linalg.global_norm "
        "ifft2d=signal.ifft2d ifft3d=signal.ifft3d ifft=signal.ifft igamma=math.igamma "
        "igammac=math.igammac imag=math.imag invert_permutation=math.invert_permutation "
        "is_finite=math.is_finite is_inf=math.is_inf is_nan=math.is_nan "
        "is_non_decreasing=math.is_non_decreasing is_numeric_tensor=debugging.is_numeric_tensor "
        "is_strictly_increasing=math.is_strictly_increasing is_symbolic_tensor lbeta=math.lbeta "
        "lgamma=math.lgamma lin_space=linspace log1p=math.log1p log=math.log "
        "log_sigmoid=math.log_sigmoid logical_xor=math.logical_xor map_fn "
        "matrix_band_part=linalg.band_part matrix_determinant=linalg.det matrix_diag=linalg.diag "
        "matrix_diag_part=linalg.diag_part matrix_inverse=linalg.inv "
        "matrix_set_diag=linalg.set_diag matrix_solve=linalg.solve matrix_solve_ls=linalg.lstsq "
        "matrix_transpose=linalg.matrix_transpose matrix_triangular_solve=linalg.triangular_solve "
        "mod=math.floormod NoGradient=no_gradient OpError=errors.OpError polygamma=math.polygamma "
        "qr=linalg.qr QUANTIZED_DTYPES=dtypes.QUANTIZED_DTYPES random_crop=image.random_crop "
        "random_gamma=random.gamma random_normal=random.normal random_shuffle=random.shuffle "
        "random_uniform=random.uniform real=math.real reciprocal=math.reciprocal "
        "reverse_v2=reverse rint=math.rint rsqrt=math.rsqrt scalar_mul scan "
        "segment_max=math.segment_max segment_mean=math.segment_mean segment_min=math.segment_min "
        "segment_prod=math.segment_prod segment_sum=math.segment_sum self_adjoint_eig=linalg.eigh "
        "self_adjoint_eigvals=linalg.eigvalsh sparse_fill_empty_rows=sparse.fill_empty_rows "
        "sparse_mask=sparse.mask sparse_maximum=sparse.maximum sparse_minimum=sparse.minimum "
        "sparse_reorder=sparse.reorder sparse_reset_shape=sparse.reset_shape "
        "sparse_reshape=sparse.reshape sparse_retain=sparse.retain sparse_slice=sparse.slice "
        "sparse_softmax=sparse.softmax sparse_tensor_dense_matmul=sparse.sparse_dense_matmul "
        "sparse_tensor_to_dense=sparse.to_dense sparse_to_indicator=sparse.to_indicator "
        "sparse_transpose=sparse.transpose squared_difference=math.squared_difference "
        "svd=linalg.svd tensor_scatter_add=tensor_scatter_nd_add "
        "tensor_scatter_sub=tensor_scatter_nd_sub tensor_scatter_update=tensor_scatter_nd_update "
        "trace=linalg.trace truncated_normal=random.truncated_normal "
        "unsorted_segment_max=math.unsorted_segment_max "
        "unsorted_segment_mean=math.unsorted_segment_mean "
        "unsorted_segment_min=math.unsorted_segment_min "
        "unsorted_segment_prod=math.unsorted_segment_prod "
        "unsorted_segment_sqrt_n=math.unsorted_segment_sqrt_n "
        "unsorted_segment_sum=math.unsorted_segment_sum where_v2=where zeta=math.zeta "
        "parallel_stack"
    ),
    "compat.v1.autograph": "set_verbosity=autograph.set_verbosity trace=autograph.trace",
    "compat.v1.autograph.experimental": (
        "do_not_convert=autograph.experimental.do_not_convert "
        "Feature=autograph.experimental.Feature "
        "set_loop_options=autograph.experimental.set_loop_options"
    ),
    "compat.v1.config": (
        "experimental_functions_run_eagerly=config.experimental_functions_run_eagerly "
        "experimental_run_functions_eagerly=config.experimental_run_functions_eagerly"
    ),
    "compat.v1.config.experimental": (
        "get_memory_growth=config.experimental.get_memory_growth "
        "get_memory_info=config.experimental.get_memory_info "
        "get_memory_usage=config.experimental.get_memory_usage "
        "get_virtual_device_configuration=config.get_logical_device_configuration "
        "get_visible_devices=config.get_visible_devices "
        "list_logical_devices=config.list_logical_devices "
        "list_physical_devices=config.list_physical_devices "
        "reset_memory_stats=config.experimental.reset_memory_stats "
        "set_memory_growth=config.experimental.set_memory_growth "
        "set_virtual_device_configuration=config.set_logical_device_configuration "
        "set_visible_devices=config.set_visible_devices "
        "VirtualDeviceConfiguration=config.LogicalDeviceConfiguration "
        "disable_mlir_bridge=config.experimental.disable_mlir_bridge "
        "enable_mlir_bridge=config.experimental.enable_mlir_bridge "
        "enable_tensor_float_32_execution=config.experimental.enable_tensor_float_32_execution "
        "get_device_details=config.experimental.get_device_details "
        "get_device_policy=config.experimental.get_device_policy "
        "get_synchronous_execution=config.experimental.get_synchronous_execution "
        "set_device_policy=config.experimental.set_device_policy "
        "set_synchronous_execution=config.experimental.set_synchronous_execution "
        "tensor_float_32_execution_enabled=config.experimental.tensor_float_32_execution_enabled"
    ),
    "compat.v1.config.optimizer": (
        "get_experimental_options=config.optimizer.get_experimental_options "
        "get_jit=config.optimizer.get_jit "
        "set_experimental_options=config.optimizer.set_experimental_options "
        "set_jit=config.optimizer.set_jit"
    ),
    "compat.v1.config.threading": (
        "get_inter_op_parallelism_threads=config.threading.get_inter_op_parallelism_threads "
        "get_intra_op_parallelism_threads=config.threading.get_intra_op_parallelism_threads "
        "set_inter_op_parallelism_threads=config.threading.set_inter_op_parallelism_threads "
        "set_intra_op_parallelism_threads=config.threading.set_intra_op_parallelism_threads"
    ),
    "compat.v1.data.experimental": "Structure=TypeSpec",
    "compat.v1.debugging": (
        "assert_integer=debugging.assert_integer assert_shapes=debugging.assert_shapes "
        "assert_type=debugging.assert_type check_numerics=debugging.check_numerics "
        "disable_check_numerics=debugging.disable_check_numerics "
        "enable_check_numerics=debugging.enable_check_numerics is_finite=math.is_finite "
        "is_inf=math.is_inf is_nan=math.is_nan is_non_decreasing=math.is_non_decreasing "
        "is_strictly_increasing=math.is_strictly_increasing "
        "get_log_device_placement=debugging.get_log_device_placement "
        "set_log_device_placement=debugging.set_log_device_placement"
    ),
    "compat.v1.distribute": (
        "CrossDeviceOps=distribute.CrossDeviceOps "
        "experimental_set_strategy=distribute.experimental_set_strategy "
        "get_replica_context=distribute.get_replica_context get_strategy=distribute.get_strategy "
        "has_strategy=distribute.has_strategy "
        "HierarchicalCopyAllReduce=distribute.HierarchicalCopyAllReduce "
        "in_cross_replica_context=distribute.in_cross_replica_context "
        "InputContext=distribute.InputContext "
        "InputReplicationMode=distribute.InputReplicationMode "
        "MirroredStrategy=distribute.MirroredStrategy "
        "OneDeviceStrategy=distribute.OneDeviceStrategy "
        "ReplicaContext=distribute.ReplicaContext Strategy=distribute.Strategy "
        "StrategyExtended=distribute.StrategyExtended "
        "NcclAllReduce=distribute.NcclAllReduce ReduceOp=distribute.ReduceOp "
        "ReductionToOneDevice=distribute.ReductionToOneDevice RunOptions=distribute.RunOptions"
    ),
    "compat.v1.distribute.cluster_resolver": (
        "GCEClusterResolver=distribute.cluster_resolver.GCEClusterResolver "
        "KubernetesClusterResolver=distribute.cluster_resolver.KubernetesClusterResolver "
        "TPUClusterResolver=distribute.cluster_resolver.TPUClusterResolver "
        "ClusterResolver=distribute.cluster_resolver.ClusterResolver "
        "SimpleClusterResolver=distribute.cluster_resolver.SimpleClusterResolver "
        "SlurmClusterResolver=distribute.cluster_resolver.SlurmClusterResolver "
        "TFConfigClusterResolver=distribute.cluster_resolver.TFConfigClusterResolver "
        "UnionResolver=distribute.cluster_resolver.UnionResolver"
    ),
    "compat.v1.distribute.experimental": (
        "CentralStorageStrategy=distribute.experimental.CentralStorageStrategy "
        "CollectiveCommunication=distribute.experimental.CollectiveCommunication "
        "MultiWorkerMirroredStrategy=distribute.experimental.MultiWorkerMirroredStrategy "
        "ParameterServerStrategy=distribute.experimental.ParameterServerStrategy "
        "TPUStrategy=distribute.experimental.TPUStrategy "
        "CollectiveHints=distribute.experimental.CollectiveHints "
        "CommunicationImplementation=distribute.experimental.CollectiveCommunication "
        "CommunicationOptions=distribute.experimental.CommunicationOptions"
    ),
    "compat.v1.dtypes": "QUANTIZED_DTYPES=dtypes.QUANTIZED_DTYPES",
    "compat.v1.dtypes.experimental": (
        "float4_e2m1fn=experimental.float4_e2m1fn "
        "float8_e4m3b11fnuz=experimental.float8_e4m3b11fnuz "
        "float8_e4m3fn=experimental.float8_e4m3fn float8_e4m3fnuz=experimental.float8_e4m3fnuz "
        "float8_e5m2=experimental.float8_e5m2 float8_e5m2fnuz=experimental.float8_e5m2fnuz "
        "int2=experimental.int2 int4=experimental.int4 uint2=experimental.uint2 "
        "uint4=experimental.uint4"
    ),
    "compat.v1.errors": (
        "ABORTED=errors.ABORTED AbortedError=errors.AbortedError "
        "ALREADY_EXISTS=errors.ALREADY_EXISTS AlreadyExistsError=errors.AlreadyExistsError "
        "CANCELLED=errors.CANCELLED CancelledError=errors.CancelledError "
        "DATA_LOSS=errors.DATA_LOSS DataLossError=errors.DataLossError "
        "DEADLINE_EXCEEDED=errors.DEADLINE_EXCEEDED "
        "DeadlineExceededError=errors.DeadlineExceededError "
        "FAILED_PRECONDITION=errors.FAILED_PRECONDITION "
        "FailedPreconditionError=errors.FailedPreconditionError INTERNAL=errors.INTERNAL "
        "InternalError=errors.InternalError INVALID_ARGUMENT=errors.INVALID_ARGUMENT "
        "InvalidArgumentError=errors.InvalidArgumentError NOT_FOUND=errors.NOT_FOUND "
        "NotFoundError=errors.NotFoundError OK=errors.OK OpError=errors.OpError "
        "OUT_OF_RANGE=errors.OUT_OF_RANGE OutOfRangeError=errors.OutOfRangeError "
        "PERMISSION_DENIED=errors.PERMISSION_DENIED "
        "PermissionDeniedError=errors.PermissionDeniedError "
        "RESOURCE_EXHAUSTED=errors.RESOURCE_EXHAUSTED "
        "ResourceExhaustedError=errors.ResourceExhaustedError "
        "UNAUTHENTICATED=errors.UNAUTHENTICATED UnauthenticatedError=errors.UnauthenticatedError "
        "UNAVAILABLE=errors.UNAVAILABLE UnavailableError=errors.UnavailableError "
        "UNIMPLEMENTED=errors.UNIMPLEMENTED UnimplementedError=errors.UnimplementedError "
        "UNKNOWN=errors.UNKNOWN UnknownError=errors.UnknownError"
    ),
    "compat.v1.experimental": (
        "float4_e2m1fn=experimental.float4_e2m1fn "
        "float8_e4m3b11fnuz=experimental.float8_e4m3b11fnuz "
        "float8_e4m3fn=experimental.float8_e4m3fn float8_e4m3fnuz=experimental.float8_e4m3fnuz "
        "float8_e5m2=experimental.float8_e5m2 float8_e5m2fnuz=experimental.float8_e5m2fnuz "
        "int2=experimental.int2 int4=experimental.int4 uint2=experimental.uint2 "
        "uint4=experimental.uint4 BatchableExtensionType=experimental.BatchableExtensionType "
        "DynamicRaggedShape=experimental.DynamicRaggedShape "
        "ExtensionType=experimental.ExtensionType "
        "ExtensionTypeBatchEncoder=experimental.ExtensionTypeBatchEncoder "
        "ExtensionTypeSpec=experimental.ExtensionTypeSpec RowPartition=experimental.RowPartition "
        "async_clear_error=experimental.async_clear_error async_scope=experimental.async_scope "
        "dispatch_for_api=experimental.dispatch_for_api "
        "dispatch_for_binary_elementwise_apis=experimental.dispatch_for_binary_elementwise_apis "
        "dispatch_for_binary_elementwise_assert_apis="
        "experimental.dispatch_for_binary_elementwise_assert_apis "
        "dispatch_for_unary_elementwise_apis=experimental.dispatch_for_unary_elementwise_apis "
        "function_executor_type=experimental.function_executor_type "
        "unregister_dispatch_for=experimental.unregister_dispatch_for"
    ),
    "compat.v1.experimental.extension_type": "as_dict=experimental.extension_type.as_dict",
    "compat.v1.image": (
        "extract_patches=image.extract_patches "
        "resize_image_with_crop_or_pad=image.resize_with_crop_or_pad "
        "transpose_image=image.transpose"
    ),
    "compat.v1.io.gfile": (
        "copy=io.gfile.copy exists=io.gfile.exists "
        "get_registered_schemes=io.gfile.get_registered_schemes GFile=io.gfile.GFile "
        "glob=io.gfile.glob isdir=io.gfile.isdir join=io.gfile.join listdir=io.gfile.listdir "
        "makedirs=io.gfile.makedirs mkdir=io.gfile.mkdir remove=io.gfile.remove "
        "rename=io.gfile.rename rmtree=io.gfile.rmtree stat=io.gfile.stat walk=io.gfile.walk"
    ),
    "compat.v1.linalg": (
        "diag=linalg.diag diag_part=linalg.diag_part matmul=linalg.matmul "
        "matrix_transpose=linalg.matrix_transpose tensor_diag_part=linalg.tensor_diag_part "
        "trace=linalg.trace"
    ),
    "compat.v1.linalg.experimental": "conjugate_gradient=linalg.experimental.conjugate_gradient",
    "compat.v1.manip": "reshape reverse roll scatter_nd space_to_batch_nd tile",
    "compat.v1.math": (
        "abs=math.abs acos=math.acos acosh=math.acosh add=math.add angle=math.angle "
        "asin=math.asin asinh=math.asinh atan=math.atan atanh=math.atanh bessel_i0=math.bessel_i0 "
        "bessel_i0e=math.bessel_i0e bessel_i1=math.bessel_i1 bessel_i1e=math.bessel_i1e "
        "ceil=math.ceil conj=math.conj cos=math.cos cosh=math.cosh digamma=math.digamma "
        "divide=math.divide divide_no_nan=math.divide_no_nan erf=math.erf erfc=math.erfc "
        "erfcinv=math.erfcinv erfinv=math.erfinv exp=math.exp expm1=math.expm1 floor=math.floor "
        "floormod=math.floormod imag=math.imag lgamma=math.lgamma log1p=math.log1p log=math.log "
        "log_sigmoid=math.log_sigmoid maximum=math.maximum minimum=math.minimum mod=math.mod "
        "multiply=math.multiply multiply_no_nan=math.multiply_no_nan ndtri=math.ndtri "
        "negative=math.negative real=math.real reciprocal=math.reciprocal "
        "reciprocal_no_nan=math.reciprocal_no_nan "
        "reduce_euclidean_norm=math.reduce_euclidean_norm reduce_std=math.reduce_std "
        "reduce_variance=math.reduce_variance rint=math.rint round=math.round rsqrt=math.rsqrt "
        "scalar_mul=math.scalar_mul sigmoid=math.sigmoid sign=math.sign sin=math.sin "
        "sinh=math.sinh softplus=math.softplus sqrt=math.sqrt square=math.square tan=math.tan "
        "tanh=math.tanh"
    ),
    "compat.v1.math.special": (
        "bessel_i0=math.special.bessel_i0 bessel_i0e=math.special.bessel_i0e "
        "bessel_i1=math.special.bessel_i1 bessel_i1e=math.special.bessel_i1e "
        "bessel_j0=math.special.bessel_j0 bessel_j1=math.special.bessel_j1 "
        "bessel_k0=math.special.bessel_k0 bessel_k0e=math.special.bessel_k0e "
        "bessel_k1=math.special.bessel_k1 bessel_k1e=math.special.bessel_k1e "
        "bessel_y0=math.special.bessel_y0 bessel_y1=math.special.bessel_y1 "
        "dawsn=math.special.dawsn expint=math.special.expint fresnel_cos=math.special.fresnel_cos "
        "fresnel_sin=math.special.fresnel_sin spence=math.special.spence"
    ),
    "compat.v1.nn": (
        "avg_pool_v2=nn.avg_pool ctc_beam_search_decoder_v2=nn.ctc_beam_search_decoder "
        "depthwise_conv2d_native_backprop_filter=nn.depthwise_conv2d_backprop_filter "
        "depthwise_conv2d_native_backprop_input=nn.depthwise_conv2d_backprop_input "
        "leaky_relu=nn.leaky_relu "
        "log_uniform_candidate_sampler=random.log_uniform_candidate_sampler "
        "max_pool_v2=nn.max_pool relu6=nn.relu6 sigmoid=nn.sigmoid "
        "sigmoid_cross_entropy_with_logits=nn.sigmoid_cross_entropy_with_logits silu=nn.silu "
        "softplus=nn.softplus swish=nn.swish tanh=nn.tanh "
        "uniform_candidate_sampler=random.uniform_candidate_sampler"
    ),
    "compat.v1.nn.experimental": (
        "general_dropout=nn.experimental.general_dropout "
        "stateless_dropout=nn.experimental.stateless_dropout"
    ),
    "compat.v1.queue": (
        "FIFOQueue=queue.FIFOQueue PaddingFIFOQueue=queue.PaddingFIFOQueue "
        "PriorityQueue=queue.PriorityQueue QueueBase=queue.QueueBase "
        "RandomShuffleQueue=queue.RandomShuffleQueue"
    ),
    "compat.v1.random": "set_random_seed=random.set_seed",
    "compat.v1.random.experimental": (
        "Algorithm=random.Algorithm create_rng_state=random.create_rng_state "
        "Generator=random.Generator get_global_generator=random.get_global_generator "
        "index_shuffle=random.experimental.index_shuffle "
        "set_global_generator=random.set_global_generator stateless_fold_in=random.fold_in "
        "stateless_shuffle=random.experimental.stateless_shuffle stateless_split=random.split"
    ),
    "compat.v1.saved_model": (
        "Asset=saved_model.Asset ASSETS_DIRECTORY=saved_model.ASSETS_DIRECTORY "
        "ASSETS_KEY=saved_model.ASSETS_KEY CLASSIFY_INPUTS=saved_model.CLASSIFY_INPUTS "
        "CLASSIFY_METHOD_NAME=saved_model.CLASSIFY_METHOD_NAME "
        "CLASSIFY_OUTPUT_CLASSES=saved_model.CLASSIFY_OUTPUT_CLASSES "
        "CLASSIFY_OUTPUT_SCORES=saved_model.CLASSIFY_OUTPUT_SCORES "
        "DEBUG_DIRECTORY=saved_model.DEBUG_DIRECTORY "
        "DEBUG_INFO_FILENAME_PB=saved_model.DEBUG_INFO_FILENAME_PB "
        "DEFAULT_SERVING_SIGNATURE_DEF_KEY=saved_model.DEFAULT_SERVING_SIGNATURE_DEF_KEY "
        "GPU=saved_model.GPU load_v2=saved_model.load PREDICT_INPUTS=saved_model.PREDICT_INPUTS "
        "PREDICT_METHOD_NAME=saved_model.PREDICT_METHOD_NAME "
        "PREDICT_OUTPUTS=saved_model.PREDICT_OUTPUTS REGRESS_INPUTS=saved_model.REGRESS_INPUTS "
        "REGRESS_METHOD_NAME=saved_model.REGRESS_METHOD_NAME "
        "REGRESS_OUTPUTS=saved_model.REGRESS_OUTPUTS save=saved_model.save "
        "SAVED_MODEL_FILENAME_PB=saved_model.SAVED_MODEL_FILENAME_PB "
        "SAVED_MODEL_FILENAME_PBTXT=saved_model.SAVED_MODEL_FILENAME_PBTXT "
        "SAVED_MODEL_SCHEMA_VERSION=saved_model.SAVED_MODEL_SCHEMA_VERSION "
        "SaveOptions=saved_model.SaveOptions SERVING=saved_model.SERVING TPU=saved_model.TPU "
        "TRAINING=saved_model.TRAINING VARIABLES_DIRECTORY=saved_model.VARIABLES_DIRECTORY "
        "VARIABLES_FILENAME=saved_model.VARIABLES_FILENAME"
    ),
    "compat.v1.saved_model.experimental": (
        "save=saved_model.save TrackableResource=saved_model.experimental.TrackableResource "
        "VariablePolicy=saved_model.experimental.VariablePolicy"
    ),
    "compat.v1.sets": (
        "set_difference=sets.difference set_intersection=sets.intersection set_size=sets.size "
        "set_union=sets.union"
    ),
    "compat.v1.sparse": "matmul=sparse.sparse_dense_matmul",
    "compat.v1.spectral": (
        "dct=signal.dct fft2d=signal.fft2d fft3d=signal.fft3d fft=signal.fft idct=signal.idct "
        "ifft2d=signal.ifft2d ifft3d=signal.ifft3d ifft=signal.ifft irfft2d=signal.irfft2d "
        "irfft3d=signal.irfft3d irfft=signal.irfft rfft2d=signal.rfft2d rfft3d=signal.rfft3d "
        "rfft=signal.rfft"
    ),
    "compat.v1.sysconfig": (
        "get_build_info=sysconfig.get_build_info get_compile_flags=sysconfig.get_compile_flags "
        "get_include=sysconfig.get_include get_lib=sysconfig.get_lib "
        "get_link_flags=sysconfig.get_link_flags"
    ),
    "compat.v1.test.experimental": "sync_devices=test.experimental.sync_devices",
    "compat.v1.tpu.experimental.embedding": (
        "Adagrad=tpu.experimental.embedding.Adagrad "
        "AdagradMomentum=tpu.experimental.embedding.AdagradMomentum "
        "Adam=tpu.experimental.embedding.Adam "
        "CustomCombiner=tpu.experimental.embedding.CustomCombiner "
        "CustomOptimizer=tpu.experimental.embedding.CustomOptimizer "
        "FeatureConfig=tpu.experimental.embedding.FeatureConfig "
        "FTRL=tpu.experimental.embedding.FTRL "
        "QuantizationConfig=tpu.experimental.embedding.QuantizationConfig "
        "RowIdInitializer=tpu.experimental.embedding.RowIdInitializer "
        "serving_embedding_lookup=tpu.experimental.embedding.serving_embedding_lookup "
        "SGD=tpu.experimental.embedding.SGD "
        "SparseCoreEmbeddingConfig=tpu.experimental.embedding.SparseCoreEmbeddingConfig "
        "TableConfig=tpu.experimental.embedding.TableConfig "
        "TPUEmbedding=tpu.experimental.embedding.TPUEmbedding "
        "TPUEmbeddingForServing=tpu.experimental.embedding.TPUEmbeddingForServing "
        "TPUEmbeddingV0=tpu.experimental.embedding.TPUEmbeddingV0 "
        "TPUEmbeddingV2=tpu.experimental.embedding.TPUEmbeddingV2"
    ),
    "compat.v1.train": (
        "CheckpointManager=train.CheckpointManager CheckpointOptions=train.CheckpointOptions "
        "ClusterSpec=train.ClusterSpec"
    ),
    "compat.v1.train.experimental": "PythonState=train.experimental.PythonState",
    "compat.v1.types.experimental": (
        "FunctionType=types.experimental.FunctionType TensorLike=types.experimental.TensorLike"
    ),
    "compat.v1.xla.experimental": "compile=xla.experimental.compile jit_scope=xla.experimental.jit_scope",
}


def __getattr__(path: str) -> Any:
    """What is at ``tf.path`` today."""
    if path.startswith("_"):
        raise AttributeError(f"module {__name__!r} has no attribute {path!r}")
    return functools.reduce(getattr, path.split("."), v2)
