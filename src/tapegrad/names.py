"""What the public namespaces hold, and which module each name is loaded from.

Written by tools/write_names.py from the PUBLIC tables of the modules. One entry per module:
``("ops.math", "abs add mod=floormod")`` lists public names, with the name inside the module
where it differs; ``=.`` is the module itself.
"""

NAMES: dict[str, list[tuple[str, str]]] = {
    "": [
        ("autodiff.custom", "custom_gradient grad_pass_through recompute_grad"),
        ("autodiff.graphs", "AggregationMethod gradients hessians Operation"),
        ("autodiff.registry", "no_gradient RegisterGradient"),
        ("autodiff.tape", "GradientTape UnconnectedGradients"),
        ("core", "Tensor"),
        (
            "dtypes",
            "as_dtype bfloat16 bool complex128 complex64 double DType float16 float32 float64 "
            "half int16 int32 int64 int8 qint16 qint32 qint8 quint16 quint8 resource string "
            "uint16 uint32 uint64 uint8 variant",
        ),
        ("errors", "errors=."),
        ("framework.config", "device"),
        ("framework.convert", "register_tensor_conversion_function"),
        ("framework.function", "function"),
        ("framework.indexed_slices", "IndexedSlices IndexedSlicesSpec"),
        ("framework.logging", "get_logger"),
        ("framework.module", "Module"),
        (
            "framework.names",
            "control_dependencies enable_eager_execution executing_eagerly get_current_name_scope "
            "init_scope inside_function name_scope",
        ),
        ("framework.shape", "TensorShape"),
        ("framework.spec", "TensorSpec type_spec_from_value TypeSpec"),
        (
            "framework.variable",
            "Variable VariableAggregation=VariableAggregationV2 VariableSynchronization",
        ),
        ("lazy", "load stand_in"),
        ("ops.approximate", "approx_top_k"),
        (
            "ops.array",
            "broadcast_to concat ensure_shape expand_dims identity identity_n repeat reshape "
            "split squeeze stack stop_gradient tile transpose unstack",
        ),
        ("ops.casts", "bitcast cast saturate_cast"),
        ("ops.clip", "add_n clip_by_global_norm clip_by_norm clip_by_value"),
        ("ops.complex", "complex"),
        ("ops.conditions", "where"),
        ("ops.control", "case cond foldl foldr map_fn scan switch_case vectorized_map while_loop"),
        (
            "ops.creation",
            "constant convert_to_tensor eye fill is_symbolic_tensor is_tensor linspace one_hot "
            "ones ones_like range zeros zeros_like",
        ),
        ("ops.debugging", "Assert assert_equal assert_greater assert_less assert_rank"),
        ("ops.decompositions", "eig eigvals"),
        ("ops.einsum", "einsum"),
        ("ops.exponential", "exp sigmoid"),
        ("ops.fft", "fftnd ifftnd irfftnd rfftnd"),
        (
            "ops.gather",
            "gather gather_nd scatter_nd tensor_scatter_nd_add tensor_scatter_nd_max "
            "tensor_scatter_nd_min tensor_scatter_nd_sub tensor_scatter_nd_update unravel_index",
        ),
        ("ops.histogram", "histogram_fixed_width histogram_fixed_width_bins"),
        ("ops.host", "group no_op numpy_function print py_function timestamp tuple"),
        ("ops.image_geometry", "extract_volume_patches"),
        ("ops.indexing", "slice=slice_ strided_slice"),
        (
            "ops.initializers",
            "constant_initializer ones_initializer random_normal_initializer "
            "random_uniform_initializer zeros_initializer",
        ),
        ("ops.linalg", "matmul tensordot"),
        (
            "ops.logic",
            "equal greater greater_equal less less_equal logical_and logical_not logical_or "
            "not_equal",
        ),
        (
            "ops.math",
            "add divide maximum minimum multiply negative pow realdiv=real_divide scalar_mul sqrt "
            "square subtract truediv truncatediv truncatemod",
        ),
        ("ops.matrix_functions", "matrix_square_root=sqrtm"),
        ("ops.norms", "norm"),
        ("ops.padding", "pad"),
        ("ops.raw_ops", "raw_ops=."),
        (
            "ops.rearrange",
            "batch_to_space required_space_to_batch_paddings reverse reverse_sequence roll "
            "space_to_batch space_to_batch_nd",
        ),
        (
            "ops.reduce",
            "argmax argmin reduce_all reduce_any reduce_logsumexp reduce_max reduce_mean "
            "reduce_min reduce_prod reduce_sum",
        ),
        ("ops.rounding", "floor round"),
        ("ops.scan", "cumsum"),
        (
            "ops.select",
            "boolean_mask dynamic_partition dynamic_stitch meshgrid sequence_mask unique "
            "unique_with_counts",
        ),
        (
            "ops.shapes",
            "broadcast_dynamic_shape broadcast_static_shape get_static_value rank shape shape_n "
            "size",
        ),
        ("ops.signs", "abs sign"),
        ("ops.sort", "argsort searchsorted sort"),
        ("ops.sparse_more", "edit_distance"),
        ("ops.sparse_tensor", "SparseTensor SparseTensorSpec"),
        ("ops.strings", "as_string"),
        ("ops.tensor_array", "TensorArray"),
        ("ops.trigonometry", "acos acosh asin asinh atan atan2 atanh cos cosh sin sinh tan tanh"),
    ],
    "autodiff": [
        ("autodiff.tape", "GradientTape"),
    ],
    "bitwise": [
        ("ops.logic", "bitwise_and bitwise_or bitwise_xor invert left_shift right_shift"),
    ],
    "compat.v1": [
        ("autodiff.custom", "custom_gradient grad_pass_through recompute_grad"),
        ("autodiff.graphs", "AggregationMethod Operation"),
        ("autodiff.registry", "no_gradient NotDifferentiable RegisterGradient"),
        ("autodiff.tape", "GradientTape UnconnectedGradients"),
        ("core", "Tensor"),
        (
            "dtypes",
            "as_dtype bfloat16 bool complex128 complex64 double DType float16 float32 float64 "
            "half int16 int32 int64 int8 qint16 qint32 qint8 quint16 quint8 resource string "
            "uint16 uint32 uint64 uint8 variant",
        ),
        ("framework.convert", "register_tensor_conversion_function"),
        ("framework.function", "function"),
        ("framework.indexed_slices", "IndexedSlices IndexedSlicesSpec"),
        ("framework.logging", "get_logger"),
        ("framework.module", "Module"),
        ("framework.names", "control_dependencies init_scope"),
        ("framework.shape", "TensorShape"),
        ("framework.spec", "TensorSpec type_spec_from_value TypeSpec"),
        ("framework.variable", "VariableSynchronization"),
        ("ops.approximate", "approx_top_k"),
        (
            "ops.array",
            "broadcast_to concat ensure_shape identity identity_n repeat reshape split stack "
            "stop_gradient tile unstack",
        ),
        ("ops.casts", "bitcast cast saturate_cast"),
        ("ops.clip", "add_n clip_by_global_norm clip_by_norm clip_by_value"),
        ("ops.complex", "complex"),
        ("ops.conditions", "where=where_v1"),
        ("ops.control", "switch_case vectorized_map"),
        ("ops.creation", "eye fill is_tensor linspace one_hot ones range zeros"),
        ("ops.debugging", "Assert"),
        ("ops.einsum", "einsum"),
        ("ops.exponential", "exp sigmoid"),
        ("ops.fft", "fftnd ifftnd irfftnd rfftnd"),
        (
            "ops.gather",
            "batch_gather scatter_nd tensor_scatter_nd_add tensor_scatter_nd_max "
            "tensor_scatter_nd_min tensor_scatter_nd_sub tensor_scatter_nd_update unravel_index",
        ),
        ("ops.histogram", "histogram_fixed_width histogram_fixed_width_bins"),
        ("ops.host", "group no_op numpy_function print py_function timestamp"),
        ("ops.image_geometry", "extract_volume_patches"),
        ("ops.indexing", "slice=slice_ strided_slice"),
        (
            "ops.legacy",
            "cond=cond_v1 div placeholder placeholder_with_default Print sparse_placeholder",
        ),
        ("ops.linalg", "matmul tensordot"),
        (
            "ops.logic",
            "equal greater greater_equal less less_equal logical_and logical_not logical_or "
            "not_equal",
        ),
        (
            "ops.math",
            "add divide maximum minimum multiply negative pow realdiv=real_divide sqrt square "
            "subtract truediv truncatediv truncatemod",
        ),
        ("ops.matrix_functions", "matrix_square_root=sqrtm"),
        ("ops.quantized", "dequantize quantize"),
        ("ops.rearrange", "required_space_to_batch_paddings reverse roll space_to_batch_nd"),
        ("ops.rounding", "floor round"),
        ("ops.scan", "cumsum"),
        (
            "ops.select",
            "dynamic_partition dynamic_stitch meshgrid sequence_mask unique unique_with_counts",
        ),
        (
            "ops.shapes",
            "broadcast_dynamic_shape broadcast_static_shape get_static_value rank shape_n",
        ),
        ("ops.signs", "abs sign"),
        ("ops.sort", "argsort searchsorted sort"),
        ("ops.sparse_more", "edit_distance"),
        ("ops.sparse_tensor", "SparseTensor SparseTensorSpec"),
        ("ops.strings", "as_string"),
        ("ops.tensor_array", "TensorArray"),
        ("ops.trigonometry", "acos acosh asin asinh atan atan2 atanh cos cosh sin sinh tan tanh"),
    ],
    "compat.v1.bitwise": [
        ("ops.logic", "bitwise_and bitwise_or bitwise_xor invert left_shift right_shift"),
    ],
    "compat.v1.config": [
        (
            "framework.config",
            "functions_run_eagerly get_logical_device_configuration get_soft_device_placement "
            "get_visible_devices list_logical_devices list_physical_devices LogicalDevice "
            "LogicalDeviceConfiguration PhysicalDevice run_functions_eagerly "
            "set_logical_device_configuration set_soft_device_placement set_visible_devices",
        ),
    ],
    "compat.v1.debugging": [
        (
            "core.tracebacks",
            "disable_traceback_filtering enable_traceback_filtering is_traceback_filtering_enabled",
        ),
        (
            "ops.debugging",
            "Assert assert_proper_iterable assert_same_float_dtype is_numeric_tensor",
        ),
    ],
    "compat.v1.dtypes": [
        (
            "dtypes",
            "as_dtype bfloat16 bool complex128 complex64 double DType float16 float32 float64 "
            "half int16 int32 int64 int8 qint16 qint32 qint8 quint16 quint8 resource string "
            "uint16 uint32 uint64 uint8 variant",
        ),
        ("ops.casts", "cast saturate_cast"),
        ("ops.complex", "complex"),
    ],
    "compat.v1.image": [
        (
            "ops.image",
            "adjust_brightness adjust_contrast adjust_gamma central_crop convert_image_dtype "
            "crop_to_bounding_box flip_left_right flip_up_down grayscale_to_rgb "
            "pad_to_bounding_box per_image_standardization rgb_to_grayscale rot90 total_variation "
            "transpose",
        ),
        (
            "ops.image_boxes",
            "combined_non_max_suppression non_max_suppression non_max_suppression_overlaps "
            "non_max_suppression_padded non_max_suppression_with_scores",
        ),
        (
            "ops.image_color",
            "adjust_hue adjust_saturation hsv_to_rgb rgb_to_hsv rgb_to_yiq rgb_to_yuv yiq_to_rgb "
            "yuv_to_rgb",
        ),
        ("ops.image_quality", "image_gradients psnr sobel_edges ssim ssim_multiscale"),
        (
            "ops.image_random",
            "random_brightness random_contrast random_crop random_flip_left_right "
            "random_flip_up_down random_hue random_saturation",
        ),
        ("ops.resize", "resize_with_crop_or_pad"),
    ],
    "compat.v1.linalg": [
        ("ops.clip", "global_norm"),
        ("ops.creation", "eye"),
        (
            "ops.decompositions",
            "cholesky cholesky_solve eigh eigvalsh logdet lstsq lu matrix_rank pinv qr svd",
        ),
        ("ops.diagonals", "band_part set_diag tensor_diag"),
        ("ops.einsum", "einsum"),
        ("ops.linalg", "adjoint cross matvec tensordot"),
        ("ops.matrix_functions", "expm logm sqrtm"),
        ("ops.nn", "l2_normalize"),
        ("ops.norms", "normalize"),
        ("ops.solvers", "det inv slogdet solve triangular_solve"),
        (
            "ops.tridiagonal",
            "eigh_tridiagonal lu_matrix_inverse lu_reconstruct lu_solve tridiagonal_matmul "
            "tridiagonal_solve",
        ),
    ],
    "compat.v1.math": [
        ("ops.approximate", "approx_max_k approx_min_k sobol_sample"),
        ("ops.clip", "accumulate_n add_n"),
        ("ops.exponential", "xdivy xlog1py xlogy"),
        (
            "ops.logic",
            "equal greater greater_equal is_finite is_inf is_nan less less_equal logical_and "
            "logical_not logical_or logical_xor not_equal",
        ),
        ("ops.math", "floordiv nextafter polyval pow squared_difference subtract truediv"),
        ("ops.nn", "l2_normalize softsign"),
        ("ops.reduce", "is_non_decreasing is_strictly_increasing zero_fraction"),
        ("ops.scan", "cumprod cumsum cumulative_logsumexp"),
        (
            "ops.segment",
            "segment_max segment_mean segment_min segment_prod segment_sum unsorted_segment_max "
            "unsorted_segment_mean unsorted_segment_min unsorted_segment_prod "
            "unsorted_segment_sqrt_n unsorted_segment_sum",
        ),
        ("ops.shapes", "invert_permutation"),
        ("ops.sort", "top_k"),
        ("ops.special", "betainc igamma igammac lbeta polygamma zeta"),
        ("ops.trigonometry", "atan2"),
    ],
    "compat.v1.nest": [
        (
            "framework.nest",
            "assert_same_structure flatten is_nested map_structure pack_sequence_as",
        ),
    ],
    "compat.v1.nn": [
        ("ops.approximate", "approx_max_k approx_min_k"),
        ("ops.batch_norm", "fused_batch_norm"),
        ("ops.conv", "atrous_conv2d atrous_conv2d_transpose conv1d_transpose conv_transpose"),
        (
            "ops.ctc",
            "collapse_repeated ctc_greedy_decoder ctc_loss=ctc_loss_v1 ctc_loss_v2=ctc_loss "
            "ctc_unique_labels",
        ),
        ("ops.depthwise", "depthwise_conv2d_backprop_filter depthwise_conv2d_backprop_input"),
        (
            "ops.embedding",
            "embedding_lookup=embedding_lookup_v1 "
            "embedding_lookup_sparse=embedding_lookup_sparse_v1 "
            "safe_embedding_lookup_sparse=safe_embedding_lookup_sparse_v1",
        ),
        ("ops.losses", "compute_average_loss log_poisson_loss scale_regularization_loss"),
        ("ops.morphology", "with_space_to_batch"),
        ("ops.nn", "batch_normalization bias_add elu l2_loss l2_normalize relu selu softsign"),
        ("ops.normalization", "local_response_normalization lrn normalize_moments"),
        ("ops.pool", "avg_pool1d avg_pool3d max_pool1d max_pool2d max_pool3d"),
        ("ops.reduce", "zero_fraction"),
        (
            "ops.samplers",
            "all_candidate_sampler compute_accidental_hits fixed_unigram_candidate_sampler "
            "learned_unigram_candidate_sampler",
        ),
        ("ops.sort", "top_k"),
    ],
    "compat.v1.quantization": [
        (
            "ops.quantization",
            "fake_quant_with_min_max_args fake_quant_with_min_max_args_gradient "
            "fake_quant_with_min_max_vars fake_quant_with_min_max_vars_gradient "
            "fake_quant_with_min_max_vars_per_channel "
            "fake_quant_with_min_max_vars_per_channel_gradient quantize_and_dequantize "
            "quantize_and_dequantize_v2",
        ),
        ("ops.quantized", "dequantize quantize"),
    ],
    "compat.v1.random": [
        (
            "ops.distributions",
            "categorical gamma stateless_binomial stateless_categorical stateless_gamma "
            "stateless_parameterized_truncated_normal stateless_poisson",
        ),
        ("ops.generator", "create_rng_state Generator get_global_generator set_global_generator"),
        (
            "ops.random",
            "Algorithm fold_in normal shuffle split stateless_normal stateless_truncated_normal "
            "stateless_uniform truncated_normal uniform",
        ),
        (
            "ops.samplers",
            "all_candidate_sampler fixed_unigram_candidate_sampler "
            "learned_unigram_candidate_sampler log_uniform_candidate_sampler "
            "uniform_candidate_sampler",
        ),
    ],
    "compat.v1.sets": [
        ("ops.sets", "difference intersection size=set_size union"),
    ],
    "compat.v1.signal": [
        ("ops.dct", "dct idct"),
        (
            "ops.fft",
            "fft fft2d fft3d fftnd fftshift ifft ifft2d ifft3d ifftnd ifftshift irfft irfft2d "
            "irfft3d irfftnd rfft rfft2d rfft3d rfftnd",
        ),
        ("ops.mdct", "inverse_mdct mdct"),
        (
            "ops.signal",
            "frame inverse_stft linear_to_mel_weight_matrix mfccs_from_log_mel_spectrograms "
            "overlap_and_add stft",
        ),
        (
            "ops.signal_windows",
            "hamming_window hann_window inverse_stft_window_fn kaiser_bessel_derived_window "
            "kaiser_window vorbis_window",
        ),
    ],
    "compat.v1.sparse": [
        (
            "ops.sparse",
            "expand_dims=sparse_expand_dims eye fill_empty_rows from_dense mask reorder "
            "reset_shape reshape=sparse_reshape retain slice=sparse_slice sparse_dense_matmul "
            "to_dense to_indicator transpose=sparse_transpose",
        ),
        (
            "ops.sparse_more",
            "bincount maximum=sparse_maximum minimum=sparse_minimum softmax=sparse_softmax",
        ),
        ("ops.sparse_tensor", "SparseTensor"),
    ],
    "compat.v1.strings": [
        ("ops.strings", "as_string"),
    ],
    "config": [
        (
            "framework.config",
            "functions_run_eagerly get_logical_device_configuration get_soft_device_placement "
            "get_visible_devices list_logical_devices list_physical_devices LogicalDevice "
            "LogicalDeviceConfiguration PhysicalDevice run_functions_eagerly "
            "set_logical_device_configuration set_soft_device_placement set_visible_devices",
        ),
    ],
    "config.experimental": [
        (
            "framework.config",
            "enable_op_determinism get_blas get_idle_memory_limit get_memory_growth "
            "get_memory_info get_memory_usage "
            "get_virtual_device_configuration=get_logical_device_configuration "
            "get_visible_devices list_logical_devices list_physical_devices release_idle_memory "
            "reset_memory_stats set_idle_memory_limit set_memory_growth "
            "set_virtual_device_configuration=set_logical_device_configuration "
            "set_visible_devices VirtualDeviceConfiguration=LogicalDeviceConfiguration",
        ),
    ],
    "config.threading": [
        (
            "framework.config",
            "get_inter_op_parallelism_threads get_intra_op_parallelism_threads "
            "set_inter_op_parallelism_threads set_intra_op_parallelism_threads",
        ),
    ],
    "contrib": [
        ("contrib.eager", "eager=."),
    ],
    "debugging": [
        (
            "core.tracebacks",
            "disable_traceback_filtering enable_traceback_filtering is_traceback_filtering_enabled",
        ),
        (
            "ops.debugging",
            "Assert assert_all_finite assert_equal assert_greater assert_greater_equal "
            "assert_integer assert_less assert_less_equal assert_near assert_negative "
            "assert_non_negative assert_non_positive assert_none_equal assert_positive "
            "assert_proper_iterable assert_rank assert_rank_at_least assert_rank_in "
            "assert_same_float_dtype assert_scalar assert_shapes assert_type check_numerics "
            "is_numeric_tensor",
        ),
        ("ops.numerics", "disable_check_numerics enable_check_numerics"),
    ],
    "dtypes": [
        (
            "dtypes",
            "as_dtype bfloat16 bool complex128 complex64 double DType float16 float32 float64 "
            "half int16 int32 int64 int8 qint16 qint32 qint8 quint16 quint8 resource string "
            "uint16 uint32 uint64 uint8 variant",
        ),
        ("ops.casts", "cast saturate_cast"),
        ("ops.complex", "complex"),
    ],
    "experimental": [
        (
            "dtypes",
            "float4_e2m1fn float8_e4m3b11fnuz float8_e4m3fn float8_e4m3fnuz float8_e5m2 "
            "float8_e5m2fnuz int2 int4 uint2 uint4",
        ),
    ],
    "experimental.dlpack": [
        ("framework.tensor", "from_dlpack to_dlpack"),
    ],
    "image": [
        (
            "ops.image",
            "adjust_brightness adjust_contrast adjust_gamma central_crop convert_image_dtype "
            "crop_to_bounding_box flip_left_right flip_up_down grayscale_to_rgb "
            "pad_to_bounding_box per_image_standardization rgb_to_grayscale rot90 total_variation "
            "transpose",
        ),
        (
            "ops.image_boxes",
            "combined_non_max_suppression draw_bounding_boxes non_max_suppression "
            "non_max_suppression_overlaps non_max_suppression_padded "
            "non_max_suppression_with_scores",
        ),
        (
            "ops.image_color",
            "adjust_hue adjust_saturation hsv_to_rgb rgb_to_hsv rgb_to_yiq rgb_to_yuv yiq_to_rgb "
            "yuv_to_rgb",
        ),
        ("ops.image_geometry", "crop_and_resize extract_glimpse extract_patches"),
        ("ops.image_quality", "image_gradients psnr sobel_edges ssim ssim_multiscale"),
        (
            "ops.image_random",
            "random_brightness random_contrast random_crop random_flip_left_right "
            "random_flip_up_down random_hue random_saturation stateless_random_brightness "
            "stateless_random_contrast stateless_random_crop stateless_random_flip_left_right "
            "stateless_random_flip_up_down stateless_random_hue stateless_random_saturation",
        ),
        ("ops.resize", "resize resize_with_crop_or_pad resize_with_pad ResizeMethod"),
    ],
    "linalg": [
        ("ops.clip", "global_norm"),
        ("ops.creation", "eye"),
        (
            "ops.decompositions",
            "cholesky cholesky_solve eig eigh eigvals eigvalsh logdet lstsq lu matrix_rank pinv "
            "qr svd",
        ),
        ("ops.diagonals", "band_part diag diag_part set_diag tensor_diag tensor_diag_part trace"),
        ("ops.einsum", "einsum"),
        ("ops.linalg", "adjoint cross matmul matrix_transpose matvec tensordot"),
        ("ops.matrix_functions", "expm logm sqrtm"),
        ("ops.nn", "l2_normalize"),
        ("ops.norms", "norm normalize"),
        ("ops.solvers", "det inv slogdet solve triangular_solve"),
        (
            "ops.tridiagonal",
            "banded_triangular_solve eigh_tridiagonal lu_matrix_inverse lu_reconstruct lu_solve "
            "tridiagonal_matmul tridiagonal_solve",
        ),
    ],
    "linalg.experimental": [
        ("ops.approximate", "conjugate_gradient"),
    ],
    "math": [
        ("ops.approximate", "approx_max_k approx_min_k sobol_sample"),
        ("ops.clip", "accumulate_n add_n"),
        ("ops.complex", "conj imag real"),
        ("ops.exponential", "exp expm1 log log1p sigmoid xdivy xlog1py xlogy"),
        ("ops.histogram", "bincount confusion_matrix"),
        (
            "ops.logic",
            "equal greater greater_equal is_finite is_inf is_nan less less_equal logical_and "
            "logical_not logical_or logical_xor not_equal",
        ),
        (
            "ops.math",
            "add divide divide_no_nan floordiv floormod maximum minimum mod multiply "
            "multiply_no_nan negative nextafter polyval pow reciprocal reciprocal_no_nan rsqrt "
            "scalar_mul sqrt square squared_difference subtract truediv",
        ),
        ("ops.nn", "l2_normalize log_sigmoid log_softmax softmax softplus softsign"),
        (
            "ops.reduce",
            "argmax argmin count_nonzero is_non_decreasing is_strictly_increasing reduce_all "
            "reduce_any reduce_euclidean_norm reduce_logsumexp reduce_max reduce_mean reduce_min "
            "reduce_prod reduce_std reduce_sum reduce_variance zero_fraction",
        ),
        ("ops.rounding", "ceil floor rint round"),
        ("ops.scan", "cumprod cumsum cumulative_logsumexp"),
        (
            "ops.segment",
            "segment_max segment_mean segment_min segment_prod segment_sum unsorted_segment_max "
            "unsorted_segment_mean unsorted_segment_min unsorted_segment_prod "
            "unsorted_segment_sqrt_n unsorted_segment_sum",
        ),
        ("ops.shapes", "invert_permutation"),
        ("ops.signs", "abs angle sign"),
        ("ops.sort", "in_top_k top_k"),
        (
            "ops.special",
            "bessel_i0 bessel_i0e bessel_i1 bessel_i1e betainc digamma erf erfc erfcinv erfinv "
            "igamma igammac lbeta lgamma ndtri polygamma zeta",
        ),
        ("ops.trigonometry", "acos acosh asin asinh atan atan2 atanh cos cosh sin sinh tan tanh"),
    ],
    "math.special": [
        (
            "ops.special",
            "bessel_i0 bessel_i0e bessel_i1 bessel_i1e bessel_j0 bessel_j1 bessel_k0 bessel_k0e "
            "bessel_k1 bessel_k1e bessel_y0 bessel_y1 dawsn expint fresnel_cos fresnel_sin spence",
        ),
    ],
    "nest": [
        (
            "framework.nest",
            "assert_same_structure flatten is_nested map_structure pack_sequence_as",
        ),
    ],
    "nn": [
        ("ops.approximate", "approx_max_k approx_min_k isotonic_regression"),
        (
            "ops.conv",
            "atrous_conv2d atrous_conv2d_transpose conv1d conv1d_transpose conv2d "
            "conv2d_transpose conv3d conv3d_transpose conv_transpose convolution",
        ),
        (
            "ops.ctc",
            "collapse_repeated ctc_beam_search_decoder ctc_greedy_decoder ctc_loss "
            "ctc_unique_labels",
        ),
        (
            "ops.depthwise",
            "depthwise_conv2d depthwise_conv2d_backprop_filter depthwise_conv2d_backprop_input "
            "separable_conv2d",
        ),
        ("ops.embedding", "embedding_lookup embedding_lookup_sparse safe_embedding_lookup_sparse"),
        ("ops.exponential", "sigmoid"),
        ("ops.fractional_pool", "fractional_avg_pool fractional_max_pool"),
        (
            "ops.losses",
            "compute_average_loss log_poisson_loss scale_regularization_loss "
            "sigmoid_cross_entropy_with_logits softmax_cross_entropy_with_logits "
            "sparse_softmax_cross_entropy_with_logits weighted_cross_entropy_with_logits",
        ),
        ("ops.morphology", "dilation2d erosion2d with_space_to_batch"),
        (
            "ops.nn",
            "batch_normalization bias_add crelu dropout elu gelu l2_loss l2_normalize leaky_relu "
            "log_softmax moments relu relu6 selu silu softmax softplus softsign swish",
        ),
        (
            "ops.normalization",
            "batch_norm_with_global_normalization local_response_normalization lrn "
            "normalize_moments sufficient_statistics weighted_moments",
        ),
        (
            "ops.pool",
            "avg_pool avg_pool1d avg_pool2d avg_pool3d max_pool max_pool1d max_pool2d max_pool3d "
            "max_pool_with_argmax pool",
        ),
        ("ops.rearrange", "depth_to_space space_to_batch space_to_depth"),
        ("ops.reduce", "zero_fraction"),
        ("ops.sampled", "nce_loss sampled_softmax_loss"),
        (
            "ops.samplers",
            "all_candidate_sampler compute_accidental_hits fixed_unigram_candidate_sampler "
            "learned_unigram_candidate_sampler",
        ),
        ("ops.sort", "in_top_k top_k"),
        ("ops.trigonometry", "tanh"),
    ],
    "nn.experimental": [
        ("ops.dropout", "general_dropout"),
        ("ops.nn", "stateless_dropout"),
    ],
    "quantization": [
        (
            "ops.quantization",
            "fake_quant_with_min_max_args fake_quant_with_min_max_args_gradient "
            "fake_quant_with_min_max_vars fake_quant_with_min_max_vars_gradient "
            "fake_quant_with_min_max_vars_per_channel "
            "fake_quant_with_min_max_vars_per_channel_gradient quantize_and_dequantize "
            "quantize_and_dequantize_v2",
        ),
        ("ops.quantized", "dequantize quantize"),
    ],
    "random": [
        ("framework.random_state", "set_seed"),
        (
            "ops.distributions",
            "categorical gamma poisson stateless_binomial stateless_categorical stateless_gamma "
            "stateless_parameterized_truncated_normal stateless_poisson",
        ),
        ("ops.generator", "create_rng_state Generator get_global_generator set_global_generator"),
        (
            "ops.random",
            "Algorithm fold_in normal shuffle split stateless_normal stateless_truncated_normal "
            "stateless_uniform truncated_normal uniform",
        ),
        (
            "ops.samplers",
            "all_candidate_sampler fixed_unigram_candidate_sampler "
            "learned_unigram_candidate_sampler log_uniform_candidate_sampler "
            "uniform_candidate_sampler",
        ),
    ],
    "random.experimental": [
        ("ops.distributions", "index_shuffle"),
        ("ops.generator", "create_rng_state Generator get_global_generator set_global_generator"),
        (
            "ops.random",
            "Algorithm stateless_fold_in=fold_in stateless_shuffle stateless_split=split",
        ),
    ],
    "sets": [
        ("ops.sets", "difference intersection size=set_size union"),
    ],
    "signal": [
        ("ops.dct", "dct idct"),
        (
            "ops.fft",
            "fft fft2d fft3d fftnd fftshift ifft ifft2d ifft3d ifftnd ifftshift irfft irfft2d "
            "irfft3d irfftnd rfft rfft2d rfft3d rfftnd",
        ),
        ("ops.mdct", "inverse_mdct mdct"),
        (
            "ops.signal",
            "frame inverse_stft linear_to_mel_weight_matrix mfccs_from_log_mel_spectrograms "
            "overlap_and_add stft",
        ),
        (
            "ops.signal_windows",
            "hamming_window hann_window inverse_stft_window_fn kaiser_bessel_derived_window "
            "kaiser_window vorbis_window",
        ),
    ],
    "sparse": [
        (
            "ops.segment",
            "segment_mean=sparse_segment_mean segment_sqrt_n=sparse_segment_sqrt_n "
            "segment_sum=sparse_segment_sum",
        ),
        (
            "ops.sparse",
            "add=sparse_add concat=sparse_concat expand_dims=sparse_expand_dims eye "
            "fill_empty_rows from_dense map_values mask reduce_max=sparse_reduce_max "
            "reduce_sum=sparse_reduce_sum reorder reset_shape reshape=sparse_reshape retain "
            "slice=sparse_slice sparse_dense_matmul split=sparse_split to_dense to_indicator "
            "transpose=sparse_transpose",
        ),
        (
            "ops.sparse_more",
            "bincount maximum=sparse_maximum minimum=sparse_minimum sampled_addmm "
            "softmax=sparse_softmax",
        ),
        ("ops.sparse_tensor", "SparseTensor"),
    ],
    "strings": [
        ("ops.strings", "as_string"),
    ],
}
