"""Which public names the modules below ``tensorflow.python.ops`` hold.

Printed by ``tests/golden/record_internals.py ops``, which asks TensorFlow. Module -> namespace -> names
there, with ``name=public name`` where they differ; "." is ``tf`` itself. `internals` has the rest.
"""

OPS = {
    "python.ops.array_ops": {
        ".": (
            "batch_to_space_v2=batch_to_space bitcast boolean_mask_v2=boolean_mask "
            "broadcast_dynamic_shape broadcast_static_shape broadcast_to concat edit_distance "
            "expand_dims_v2=expand_dims extract_volume_patches fill fingerprint "
            "gather_nd_v2=gather_nd gather_v2=gather guarantee_const identity identity_n meshgrid "
            "one_hot ones ones_like_v2=ones_like pad_v2=pad parallel_stack rank repeat "
            "required_space_to_batch_paddings reshape reverse reverse_sequence "
            "reverse_sequence_v2=reverse_sequence reverse_v2=reverse scatter_nd searchsorted "
            "sequence_mask shape_n shape_v2=shape size_v2=size slice space_to_batch_nd "
            "space_to_batch_v2=space_to_batch split squeeze squeeze_v2=squeeze stop_gradient "
            "strided_slice tensor_scatter_add=tensor_scatter_nd_add "
            "tensor_scatter_max=tensor_scatter_nd_max tensor_scatter_min=tensor_scatter_nd_min "
            "tensor_scatter_nd_update tensor_scatter_sub=tensor_scatter_nd_sub tile "
            "transpose_v2=transpose unique unique_with_counts unravel_index where where_v2=where "
            "zeros zeros_like_v2=zeros_like"
        ),
        "compat.v1": (
            "batch_gather batch_to_space batch_to_space_nd boolean_mask depth_to_space "
            "expand_dims extract_image_patches gather gather_nd ones_like pad placeholder "
            "placeholder_with_default quantize_v2 setdiff1d shape size space_to_batch "
            "space_to_depth sparse_placeholder transpose zeros_like"
        ),
        "debugging": "check_numerics",
        "image": "extract_image_patches_v2=extract_patches",
        "linalg": (
            "diag=tensor_diag matrix_band_part=band_part matrix_diag=diag "
            "matrix_diag_part=diag_part matrix_set_diag=set_diag matrix_transpose "
            "tensor_diag_part"
        ),
        "math": "invert_permutation",
        "nn": "depth_to_space_v2=depth_to_space space_to_depth_v2=space_to_depth",
        "quantization": (
            "dequantize fake_quant_with_min_max_args fake_quant_with_min_max_args_gradient "
            "fake_quant_with_min_max_vars fake_quant_with_min_max_vars_gradient "
            "fake_quant_with_min_max_vars_per_channel "
            "fake_quant_with_min_max_vars_per_channel_gradient quantize quantize_and_dequantize "
            "quantize_and_dequantize_v2 quantized_concat"
        ),
        "sparse": "sparse_mask=mask",
    },
    "python.ops.array_ops_stack": {
        ".": "stack unstack",
    },
    "python.ops.bincount_ops": {
        "compat.v1": "bincount_v1=bincount",
        "math": "bincount",
    },
    "python.ops.bitwise_ops": {
        "bitwise": "bitwise_and bitwise_or bitwise_xor invert left_shift right_shift",
    },
    "python.ops.candidate_sampling_ops": {
        "nn": (
            "all_candidate_sampler compute_accidental_hits fixed_unigram_candidate_sampler "
            "learned_unigram_candidate_sampler"
        ),
        "random": "log_uniform_candidate_sampler uniform_candidate_sampler",
    },
    "python.ops.check_ops": {
        ".": (
            "assert_equal_v2=assert_equal assert_greater_v2=assert_greater "
            "assert_less_v2=assert_less assert_rank_v2=assert_rank ensure_shape"
        ),
        "compat.v1": (
            "assert_equal assert_greater assert_greater_equal assert_integer assert_less "
            "assert_less_equal assert_near assert_negative assert_non_negative "
            "assert_non_positive assert_none_equal assert_positive assert_rank "
            "assert_rank_at_least assert_rank_in assert_scalar assert_type"
        ),
        "debugging": (
            "assert_greater_equal_v2=assert_greater_equal assert_integer_v2=assert_integer "
            "assert_less_equal_v2=assert_less_equal assert_near_v2=assert_near "
            "assert_negative_v2=assert_negative assert_non_negative_v2=assert_non_negative "
            "assert_non_positive_v2=assert_non_positive assert_none_equal_v2=assert_none_equal "
            "assert_positive_v2=assert_positive assert_proper_iterable "
            "assert_rank_at_least_v2=assert_rank_at_least assert_rank_in_v2=assert_rank_in "
            "assert_same_float_dtype assert_scalar_v2=assert_scalar assert_shapes "
            "assert_shapes_v2=assert_shapes assert_type_v2=assert_type is_numeric_tensor"
        ),
        "math": "is_non_decreasing is_strictly_increasing",
    },
    "python.ops.clip_ops": {
        ".": "clip_by_global_norm clip_by_norm clip_by_value",
        "compat.v1": "clip_by_average_norm",
        "linalg": "global_norm",
    },
    "python.ops.cond": {
        ".": "cond_for_tf_v2=cond",
        "compat.v1": "cond",
    },
    "python.ops.confusion_matrix": {
        "compat.v1": "confusion_matrix_v1=confusion_matrix",
        "math": "confusion_matrix",
    },
    "python.ops.control_flow_assert": {
        ".": "Assert",
    },
    "python.ops.control_flow_case": {
        ".": "case case_v2=case",
    },
    "python.ops.control_flow_ops": {
        ".": "group no_op tuple_v2=tuple",
        "__internal__": "get_enclosing_xla_context",
        "compat.v1": "tuple",
    },
    "python.ops.control_flow_switch_case": {
        ".": "switch_case",
        "__internal__": "execute_fn_for_device",
    },
    "python.ops.critical_section_ops": {
        ".": "CriticalSection",
    },
    "python.ops.ctc_ops": {
        "compat.v1.nn": "ctc_loss ctc_loss_v2",
        "nn": (
            "collapse_repeated ctc_beam_search_decoder "
            "ctc_beam_search_decoder_v2=ctc_beam_search_decoder ctc_greedy_decoder "
            "ctc_loss_v3=ctc_loss ctc_unique_labels"
        ),
    },
    "python.ops.custom_gradient": {
        ".": "custom_gradient grad_pass_through recompute_grad",
    },
    "python.ops.data_flow_ops": {
        ".": "dynamic_partition dynamic_stitch",
        "compat.v1": (
            "ConditionalAccumulator ConditionalAccumulatorBase SparseConditionalAccumulator"
        ),
        "queue": "FIFOQueue PaddingFIFOQueue PriorityQueue QueueBase RandomShuffleQueue",
    },
    "python.ops.distributions.normal": {
        "compat.v1.distributions": "Normal",
    },
    "python.ops.embedding_ops": {
        "compat.v1.nn": "embedding_lookup embedding_lookup_sparse safe_embedding_lookup_sparse",
        "nn": (
            "embedding_lookup_sparse_v2=embedding_lookup_sparse "
            "embedding_lookup_v2=embedding_lookup "
            "safe_embedding_lookup_sparse_v2=safe_embedding_lookup_sparse"
        ),
    },
    "python.ops.functional_ops": {
        ".": "foldl foldl_v2=foldl foldr foldr_v2=foldr scan scan_v2=scan",
    },
    "python.ops.gradient_checker": {
        "compat.v1.test": "compute_gradient compute_gradient_error",
    },
    "python.ops.gradients_impl": {
        ".": "HessiansV2=hessians gradients_v2=gradients",
        "compat.v1": "gradients hessians",
    },
    "python.ops.gradients_util": {
        ".": "AggregationMethod",
    },
    "python.ops.histogram_ops": {
        ".": "histogram_fixed_width histogram_fixed_width_bins",
    },
    "python.ops.image_ops": {
        "compat.v1.image": "resize_area",
        "image": "hsv_to_rgb rgb_to_hsv",
        "io": (
            "decode_and_crop_jpeg decode_bmp decode_gif decode_jpeg decode_jxl decode_png "
            "decode_webp encode_jpeg extract_jpeg_shape"
        ),
    },
    "python.ops.image_ops_impl": {
        "compat.v1.image": (
            "crop_and_resize_v1=crop_and_resize draw_bounding_boxes extract_glimpse resize_area "
            "resize_bicubic resize_bilinear resize_image_with_pad_v1=resize_image_with_pad "
            "resize_images=resize resize_nearest_neighbor sample_distorted_bounding_box"
        ),
        "image": (
            "ResizeMethod adjust_brightness adjust_contrast "
            "adjust_gamma adjust_hue adjust_jpeg_quality adjust_saturation central_crop "
            "combined_non_max_suppression convert_image_dtype crop_and_resize_v2=crop_and_resize "
            "crop_to_bounding_box draw_bounding_boxes_v2=draw_bounding_boxes "
            "extract_glimpse_v2=extract_glimpse flip_left_right flip_up_down "
            "generate_bounding_box_proposals grayscale_to_rgb image_gradients non_max_suppression "
            "non_max_suppression_padded "
            "non_max_suppression_with_overlaps=non_max_suppression_overlaps "
            "non_max_suppression_with_scores pad_to_bounding_box per_image_standardization psnr "
            "random_brightness random_contrast random_flip_left_right random_flip_up_down "
            "random_hue random_jpeg_quality random_saturation "
            "resize_image_with_crop_or_pad=resize_with_crop_or_pad "
            "resize_image_with_pad_v2=resize_with_pad resize_images_v2=resize rgb_to_grayscale "
            "rgb_to_yiq rgb_to_yuv rot90 "
            "sample_distorted_bounding_box_v2=sample_distorted_bounding_box sobel_edges ssim "
            "ssim_multiscale stateless_random_brightness stateless_random_contrast "
            "stateless_random_flip_left_right stateless_random_flip_up_down stateless_random_hue "
            "stateless_random_jpeg_quality stateless_random_saturation "
            "stateless_sample_distorted_bounding_box total_variation transpose yiq_to_rgb "
            "yuv_to_rgb"
        ),
        "io": (
            "decode_and_crop_jpeg decode_bmp decode_gif decode_image decode_jpeg decode_jxl "
            "decode_png decode_webp encode_jpeg encode_png extract_jpeg_shape is_jpeg"
        ),
    },
    "python.ops.init_ops": {
        ".": "Ones=ones_initializer Zeros=zeros_initializer ones_initializer zeros_initializer",
        "compat.v1": (
            "Constant=constant_initializer GlorotNormal=glorot_normal_initializer "
            "GlorotUniform=glorot_uniform_initializer Orthogonal=orthogonal_initializer "
            "RandomNormal=random_normal_initializer RandomUniform=random_uniform_initializer "
            "TruncatedNormal=truncated_normal_initializer "
            "UniformUnitScaling=uniform_unit_scaling_initializer "
            "VarianceScaling=variance_scaling_initializer constant_initializer "
            "glorot_normal_initializer glorot_uniform_initializer orthogonal_initializer "
            "random_normal_initializer random_uniform_initializer truncated_normal_initializer "
            "uniform_unit_scaling_initializer variance_scaling_initializer"
        ),
        "compat.v1.initializers": "he_normal he_uniform lecun_normal lecun_uniform",
        "initializers": "Identity=identity identity_initializer=identity",
    },
    "python.ops.init_ops_v2": {
        ".": (
            "Constant=constant_initializer Ones=ones_initializer "
            "RandomNormal=random_normal_initializer RandomUniform=random_uniform_initializer "
            "Zeros=zeros_initializer constant=constant_initializer constant_initializer "
            "normal=random_normal_initializer one=ones_initializer ones=ones_initializer "
            "ones_initializer random_normal=random_normal_initializer random_normal_initializer "
            "random_uniform=random_uniform_initializer random_uniform_initializer "
            "uniform=random_uniform_initializer zero=zeros_initializer zeros=zeros_initializer "
            "zeros_initializer"
        ),
    },
    "python.ops.io_ops": {
        "compat.v1": (
            "FixedLengthRecordReader IdentityReader LMDBReader ReaderBase TFRecordReader "
            "TextLineReader WholeFileReader"
        ),
        "io": "matching_files read_file serialize_tensor write_file",
    },
    "python.ops.linalg.linalg_impl": {
        ".": "sqrtm=matrix_square_root",
        "linalg": (
            "adjoint band_part banded_triangular_solve cholesky det eigh_tridiagonal inv logdet "
            "logm lu lu_matrix_inverse lu_reconstruct lu_solve matrix_exponential=expm "
            "matrix_rank pinv qr slogdet solve tridiagonal_matmul tridiagonal_solve"
        ),
    },
    "python.ops.linalg.linear_operator": {
        "linalg": "LinearOperator",
    },
    "python.ops.linalg_ops": {
        ".": "eig eigvals eye matrix_square_root norm norm_v2=norm",
        "linalg": (
            "cholesky cholesky_solve log_matrix_determinant=slogdet lu matrix_determinant=det "
            "matrix_inverse=inv matrix_logarithm=logm matrix_solve=solve matrix_solve_ls=lstsq "
            "matrix_triangular_solve=triangular_solve qr self_adjoint_eig=eigh "
            "self_adjoint_eigvals=eigvalsh svd"
        ),
    },
    "python.ops.logging_ops": {
        ".": "print_v2=print timestamp",
        "compat.v1": "Print",
    },
    "python.ops.lookup_ops": {
        "compat.v1": "initialize_all_tables tables_initializer",
        "lookup": (
            "KeyValueTensorInitializer StaticHashTable StaticHashTableV1=StaticHashTable "
            "StaticVocabularyTable StaticVocabularyTableV1=StaticVocabularyTable TextFileIndex "
            "TextFileInitializer"
        ),
        "lookup.experimental": "DenseHashTable MutableHashTable",
    },
    "python.ops.manip_ops": {
        ".": "roll",
    },
    "python.ops.map_fn": {
        ".": "map_fn map_fn_v2=map_fn",
    },
    "python.ops.math_ops": {
        ".": (
            "abs acos add add_n argmax_v2=argmax argmin_v2=argmin atan2 cast complex cumsum "
            "divide equal exp floor greater greater_equal less less_equal linspace "
            "linspace_nd=linspace logical_and logical_not logical_or matmul multiply not_equal "
            "pow range realdiv reduce_all reduce_any reduce_logsumexp reduce_max reduce_mean "
            "reduce_min reduce_prod reduce_sum round saturate_cast scalar_mul "
            "scalar_mul_v2=scalar_mul sigmoid sign sqrt subtract tensordot truediv truncatediv "
            "truncatemod"
        ),
        "compat.v1": (
            "arg_max arg_min argmax argmin count_nonzero div floor_div reduce_all_v1=reduce_all "
            "reduce_any_v1=reduce_any reduce_logsumexp_v1=reduce_logsumexp "
            "reduce_max_v1=reduce_max reduce_mean_v1=reduce_mean reduce_min_v1=reduce_min "
            "reduce_prod_v1=reduce_prod reduce_sum_v1=reduce_sum sparse_matmul "
            "sparse_segment_mean sparse_segment_sqrt_n sparse_segment_sum to_bfloat16 "
            "to_complex128 to_complex64 to_double to_float to_int32 to_int64"
        ),
        "linalg": "cross matvec trace",
        "math": (
            "accumulate_n acosh angle asin asinh atan atanh betainc ceil conj cos cosh "
            "count_nonzero_v2=count_nonzero cumprod cumulative_logsumexp digamma "
            "div_no_nan=divide_no_nan erf erfc erfcinv erfinv expm1 floor_mod=mod floordiv "
            "floormod=mod igamma igammac imag is_finite is_inf is_nan lgamma log log1p "
            "log_sigmoid logical_xor multiply_no_nan ndtri neg=negative negative "
            "next_after=nextafter nextafter polygamma polyval real reciprocal reciprocal_no_nan "
            "reduce_euclidean_norm reduce_std reduce_variance rint rsqrt segment_max segment_mean "
            "segment_min segment_prod segment_sum sin sinh sobol_sample square squared_difference "
            "tan unsorted_segment_max unsorted_segment_mean unsorted_segment_min "
            "unsorted_segment_prod unsorted_segment_sqrt_n unsorted_segment_sum xdivy xlog1py "
            "xlogy zeta"
        ),
        "nn": "softplus tanh",
        "sparse": (
            "sampled_addmm sparse_segment_mean_v2=segment_mean "
            "sparse_segment_sqrt_n_v2=segment_sqrt_n sparse_segment_sum_v2=segment_sum"
        ),
    },
    "python.ops.metrics_impl": {
        "compat.v1.metrics": (
            "accuracy auc average_precision_at_k false_negatives false_negatives_at_thresholds "
            "false_positives false_positives_at_thresholds mean mean_absolute_error "
            "mean_cosine_distance mean_iou mean_per_class_accuracy mean_relative_error "
            "mean_squared_error mean_tensor percentage_below precision precision_at_k "
            "precision_at_thresholds precision_at_top_k recall recall_at_k recall_at_thresholds "
            "recall_at_top_k root_mean_squared_error sensitivity_at_specificity "
            "sparse_average_precision_at_k sparse_precision_at_k specificity_at_sensitivity "
            "true_negatives true_negatives_at_thresholds true_positives "
            "true_positives_at_thresholds"
        ),
    },
    "python.ops.nn": {
        ".": "approx_top_k conv conv2d_backprop_filter_v2 conv2d_backprop_input_v2",
        "compat.v1.nn": (
            "conv3d_backprop_filter_v2=conv3d_backprop_filter quantized_avg_pool quantized_conv2d "
            "quantized_max_pool quantized_relu_x"
        ),
        "nn": "elu l2_loss local_response_normalization=lrn lrn relu selu softsign tanh",
    },
    "python.ops.nn_impl": {
        "compat.v1.nn": (
            "batch_norm_with_global_normalization depthwise_conv2d fused_batch_norm moments "
            "nce_loss relu_layer sampled_softmax_loss separable_conv2d sufficient_statistics "
            "weighted_cross_entropy_with_logits weighted_moments"
        ),
        "linalg": "normalize",
        "nn": (
            "batch_norm_with_global_normalization_v2=batch_norm_with_global_normalization "
            "batch_normalization depthwise_conv2d_v2=depthwise_conv2d l2_normalize "
            "log_poisson_loss moments_v2=moments nce_loss_v2=nce_loss normalize_moments "
            "sampled_softmax_loss_v2=sampled_softmax_loss separable_conv2d_v2=separable_conv2d "
            "sigmoid_cross_entropy_with_logits "
            "sigmoid_cross_entropy_with_logits_v2=sigmoid_cross_entropy_with_logits "
            "sufficient_statistics_v2=sufficient_statistics swish=silu "
            "weighted_cross_entropy_with_logits_v2=weighted_cross_entropy_with_logits "
            "weighted_moments_v2=weighted_moments zero_fraction"
        ),
    },
    "python.ops.nn_ops": {
        ".": "approx_top_k conv conv2d_backprop_filter_v2 conv2d_backprop_input_v2",
        "compat.v1.nn": (
            "avg_pool conv1d conv2d conv2d_backprop_filter conv2d_backprop_input conv2d_transpose "
            "conv3d_backprop_filter_v2=conv3d_backprop_filter conv3d_transpose conv3d_v1=conv3d "
            "convolution crelu depthwise_conv2d_native dilation2d_v1=dilation2d dropout erosion2d "
            "fractional_avg_pool fractional_max_pool in_top_k max_pool "
            "max_pool_with_argmax_v1=max_pool_with_argmax pool quantized_avg_pool "
            "quantized_conv2d quantized_max_pool quantized_relu_x "
            "softmax_cross_entropy_with_logits "
            "softmax_cross_entropy_with_logits_v2_helper=softmax_cross_entropy_with_logits_v2 "
            "sparse_softmax_cross_entropy_with_logits xw_plus_b"
        ),
        "nn": (
            "approx_max_k approx_min_k atrous_conv2d atrous_conv2d_transpose avg_pool1d "
            "avg_pool2d avg_pool3d avg_pool_v2=avg_pool bias_add conv1d_transpose "
            "conv1d_v2=conv1d conv2d_transpose_v2=conv2d_transpose conv2d_v2=conv2d "
            "conv3d_transpose_v2=conv3d_transpose conv3d_v2=conv3d conv_transpose "
            "convolution_v2=convolution crelu_v2=crelu "
            "depthwise_conv2d_native_backprop_filter=depthwise_conv2d_backprop_filter "
            "depthwise_conv2d_native_backprop_input=depthwise_conv2d_backprop_input "
            "dilation2d_v2=dilation2d dropout_v2=dropout erosion2d_v2=erosion2d "
            "fractional_avg_pool_v2=fractional_avg_pool "
            "fractional_max_pool_v2=fractional_max_pool gelu in_top_k_v2=in_top_k "
            "isotonic_regression l2_loss leaky_relu local_response_normalization=lrn "
            "log_softmax_v2=log_softmax lrn max_pool1d max_pool2d max_pool3d max_pool_v2=max_pool "
            "max_pool_with_argmax_v2=max_pool_with_argmax pool_v2=pool relu6 softmax "
            "softmax_cross_entropy_with_logits_v2=softmax_cross_entropy_with_logits "
            "softmax_v2=softmax "
            "sparse_softmax_cross_entropy_with_logits_v2=sparse_softmax_cross_entropy_with_logits "
            "top_k with_space_to_batch"
        ),
        "nn.experimental": "general_dropout stateless_dropout",
    },
    "python.ops.numerics": {
        "compat.v1": "add_check_numerics_ops verify_tensor_all_finite",
        "debugging": "verify_tensor_all_finite_v2=assert_all_finite",
    },
    "python.ops.parallel_for.control_flow_ops": {
        ".": "vectorized_map",
    },
    "python.ops.parsing_ops": {
        "compat.v1": "decode_csv decode_raw_v1=decode_raw parse_example parse_single_example",
        "io": (
            "decode_compressed decode_csv_v2=decode_csv decode_json_example decode_raw "
            "parse_example_v2=parse_example parse_sequence_example "
            "parse_single_example_v2=parse_single_example parse_single_sequence_example "
            "parse_tensor"
        ),
    },
    "python.ops.ragged.ragged_array_ops": {
        "ragged": "boolean_mask cross cross_hashed stack_dynamic_partitions",
    },
    "python.ops.ragged.ragged_functional_ops": {
        "ragged": "map_flat_values",
    },
    "python.ops.ragged.ragged_math_ops": {
        "ragged": "range",
    },
    "python.ops.ragged.ragged_string_ops": {
        "compat.v1": "string_split",
        "compat.v1.strings": "strings_split_v1=split",
        "strings": (
            "ngrams string_bytes_split=bytes_split string_split_v2=split unicode_decode "
            "unicode_decode_with_offsets unicode_encode unicode_split unicode_split_with_offsets"
        ),
    },
    "python.ops.ragged.ragged_tensor": {
        ".": "RaggedTensor RaggedTensorSpec",
    },
    "python.ops.ragged.segment_id_ops": {
        "ragged": "row_splits_to_segment_ids segment_ids_to_row_splits",
    },
    "python.ops.random_crop_ops": {
        "image": "random_crop stateless_random_crop",
    },
    "python.ops.random_ops": {
        "compat.v1": "multinomial random_poisson",
        "random": (
            "categorical random_gamma=gamma random_normal=normal random_poisson_v2=poisson "
            "random_shuffle=shuffle random_uniform=uniform truncated_normal"
        ),
    },
    "python.ops.resource_variable_ops": {
        "__internal__.ops": "is_resource_variable",
    },
    "python.ops.rnn": {
        "compat.v1.nn": (
            "bidirectional_dynamic_rnn dynamic_rnn raw_rnn static_bidirectional_rnn static_rnn "
            "static_state_saving_rnn"
        ),
    },
    "python.ops.script_ops": {
        ".": "eager_py_func=py_function numpy_function",
        "compat.v1": "py_func",
    },
    "python.ops.signal.dct_ops": {
        "signal": "dct idct",
    },
    "python.ops.signal.fft_ops": {
        "signal": (
            "fft fft2d fft3d fftnd fftshift ifft ifft2d ifft3d ifftnd ifftshift irfft irfft2d "
            "irfft3d irfftnd rfft rfft2d rfft3d rfftnd"
        ),
    },
    "python.ops.signal.spectral_ops": {
        "signal": "inverse_mdct inverse_stft inverse_stft_window_fn mdct stft",
    },
    "python.ops.signal.window_ops": {
        "signal": (
            "hamming_window hann_window kaiser_bessel_derived_window kaiser_window vorbis_window"
        ),
    },
    "python.ops.sort_ops": {
        ".": "argsort sort",
    },
    "python.ops.sparse_ops": {
        "compat.v1": (
            "serialize_many_sparse serialize_sparse sparse_add sparse_concat sparse_merge "
            "sparse_reduce_max sparse_reduce_max_sparse sparse_reduce_sum "
            "sparse_reduce_sum_sparse sparse_split sparse_to_dense"
        ),
        "io": (
            "deserialize_many_sparse serialize_many_sparse_v2=serialize_many_sparse "
            "serialize_sparse_v2=serialize_sparse"
        ),
        "sparse": (
            "_sparse_cross=cross _sparse_cross_hashed=cross_hashed from_dense map_values "
            "sparse_add_v2=add sparse_bincount=bincount sparse_concat_v2=concat "
            "sparse_cross=cross sparse_cross_hashed=cross_hashed sparse_expand_dims=expand_dims "
            "sparse_eye=eye sparse_fill_empty_rows=fill_empty_rows sparse_maximum=maximum "
            "sparse_minimum=minimum sparse_reduce_max_v2=reduce_max "
            "sparse_reduce_sum_v2=reduce_sum sparse_reorder=reorder "
            "sparse_reset_shape=reset_shape sparse_reshape=reshape sparse_retain=retain "
            "sparse_slice=slice sparse_softmax=softmax sparse_split_v2=split "
            "sparse_tensor_dense_matmul=sparse_dense_matmul sparse_tensor_to_dense=to_dense "
            "sparse_to_indicator=to_indicator sparse_transpose=transpose"
        ),
    },
    "python.ops.special_math_ops": {
        ".": "einsum",
        "math": "bessel_i0 bessel_i0e bessel_i1 bessel_i1e lbeta",
        "math.special": (
            "bessel_j0 bessel_j1 bessel_k0 bessel_k0e bessel_k1 bessel_k1e bessel_y0 bessel_y1 "
            "dawsn expint fresnel_cos fresnel_sin spence"
        ),
    },
    "python.ops.standard_ops": {
        ".": (
            "as_string atan2 bitcast broadcast_to dynamic_partition dynamic_stitch "
            "extract_volume_patches greater greater_equal identity_n less less_equal logical_and "
            "logical_not logical_or matrix_square_root no_op reverse reverse_v2=reverse "
            "scatter_nd space_to_batch_nd tensor_scatter_add=tensor_scatter_nd_add "
            "tensor_scatter_max=tensor_scatter_nd_max tensor_scatter_min=tensor_scatter_nd_min "
            "tensor_scatter_sub=tensor_scatter_nd_sub tile timestamp unravel_index"
        ),
        "compat.v1": "arg_max arg_min batch_to_space_nd sparse_matmul",
        "debugging": "check_numerics",
        "io": (
            "decode_base64 decode_compressed decode_proto encode_base64 encode_proto "
            "matching_files parse_tensor write_file"
        ),
        "linalg": (
            "cholesky cross diag=tensor_diag log_matrix_determinant=slogdet lu "
            "matrix_band_part=band_part matrix_determinant=det matrix_inverse=inv "
            "matrix_logarithm=logm matrix_solve=solve qr"
        ),
        "math": (
            "acosh asin asinh atan atanh betainc cos cosh digamma erf erfc expm1 floor_mod=mod "
            "floormod=mod igamma igammac invert_permutation is_finite is_inf is_nan lgamma log "
            "log1p maximum minimum neg=negative negative next_after=nextafter nextafter polygamma "
            "reciprocal rint segment_max segment_mean segment_min segment_prod segment_sum sin "
            "sinh square squared_difference tan unsorted_segment_max unsorted_segment_min "
            "unsorted_segment_prod unsorted_segment_sum xlogy zeta"
        ),
        "nn": "tanh",
        "quantization": (
            "fake_quant_with_min_max_args fake_quant_with_min_max_args_gradient "
            "fake_quant_with_min_max_vars fake_quant_with_min_max_vars_gradient "
            "fake_quant_with_min_max_vars_per_channel "
            "fake_quant_with_min_max_vars_per_channel_gradient quantized_concat"
        ),
        "strings": (
            "string_lower=lower string_strip=strip string_to_hash_bucket_fast=to_hash_bucket_fast "
            "string_to_hash_bucket_strong=to_hash_bucket_strong string_upper=upper unicode_script "
            "unicode_transcode"
        ),
    },
    "python.ops.state_ops": {
        "compat.v1": (
            "assign assign_add assign_sub batch_scatter_update count_up_to scatter_add "
            "scatter_div scatter_max scatter_min scatter_mul scatter_nd_add scatter_nd_sub "
            "scatter_nd_update scatter_sub scatter_update"
        ),
    },
    "python.ops.stateful_random_ops": {
        "random": "Generator create_rng_state get_global_generator set_global_generator",
    },
    "python.ops.stateless_random_ops": {
        "compat.v1.random": "stateless_multinomial",
        "random": (
            "fold_in split stateless_categorical stateless_parameterized_truncated_normal "
            "stateless_random_binomial=stateless_binomial stateless_random_gamma=stateless_gamma "
            "stateless_random_normal=stateless_normal stateless_random_poisson=stateless_poisson "
            "stateless_random_uniform=stateless_uniform stateless_truncated_normal"
        ),
        "random.experimental": "index_shuffle stateless_shuffle",
    },
    "python.ops.string_ops": {
        ".": "as_string",
        "compat.v1": (
            "reduce_join string_to_hash_bucket_v1=string_to_hash_bucket "
            "string_to_number_v1=string_to_number substr_deprecated=substr"
        ),
        "compat.v1.strings": "string_length=length substr",
        "io": "decode_base64 encode_base64",
        "strings": (
            "reduce_join_v2=reduce_join regex_full_match regex_replace string_format=format "
            "string_join=join string_length_v2=length string_lower=lower string_strip=strip "
            "string_to_hash_bucket=to_hash_bucket string_to_hash_bucket_fast=to_hash_bucket_fast "
            "string_to_hash_bucket_strong=to_hash_bucket_strong string_to_number=to_number "
            "string_upper=upper substr_v2=substr unicode_script unicode_transcode "
            "unsorted_segment_join"
        ),
    },
    "python.ops.summary_ops_v2": {
        "compat.v1.summary": "all_v2_summary_ops initialize",
        "summary": (
            "SummaryWriter create_file_writer_v2=create_file_writer create_noop_writer flush "
            "graph record_if should_record_summaries trace_export trace_off trace_on write"
        ),
        "summary.experimental": "get_step set_step summary_scope write_raw_pb",
    },
    "python.ops.template": {
        "compat.v1": "make_template",
    },
    "python.ops.tensor_array_ops": {
        ".": "TensorArray TensorArraySpec",
    },
    "python.ops.unconnected_gradients": {
        ".": "UnconnectedGradients",
    },
    "python.ops.variable_scope": {
        ".": "variable_creator_scope variable_creator_scope_v1=variable_creator_scope",
        "compat.v1": (
            "AUTO_REUSE VariableScope get_local_variable get_variable get_variable_scope "
            "no_regularizer variable_op_scope variable_scope"
        ),
    },
    "python.ops.variables": {
        ".": (
            "Variable VariableAggregation VariableAggregationV2=VariableAggregation "
            "VariableSynchronization"
        ),
        "compat.v1": (
            "all_variables assert_variables_initialized global_variables "
            "global_variables_initializer initialize_all_variables initialize_local_variables "
            "initialize_variables local_variables local_variables_initializer model_variables "
            "moving_average_variables report_uninitialized_variables trainable_variables "
            "variables_initializer"
        ),
    },
    "python.ops.weights_broadcast_ops": {
        "__internal__.ops": "broadcast_weights",
    },
    "python.ops.while_loop": {
        ".": "while_loop_v2=while_loop",
        "compat.v1": "while_loop",
    },
}
