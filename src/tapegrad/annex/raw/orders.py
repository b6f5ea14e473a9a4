"""The arguments of ops whose own order, inputs before attributes, is not TensorFlow's."""

# Type -> the arguments that `tf.raw_ops` has, in TensorFlow's order.
ORDERS = {
    "AvgPool3DGrad": "orig_input_shape grad ksize strides padding data_format",
    "AvgPoolGrad": "orig_input_shape grad ksize strides padding data_format",
    "Conv3D": "input filter strides padding data_format dilations",
    "Conv3DBackpropFilterV2": (
        "input filter_sizes out_backprop strides padding data_format dilations"
    ),
    "Conv3DBackpropInputV2": (
        "input_sizes filter out_backprop strides padding data_format dilations"
    ),
    "DenseBincount": "input size weights binary_output",
    "DepthwiseConv2dNativeBackpropFilter": (
        "input filter_sizes out_backprop strides padding explicit_paddings data_format dilations"
    ),
    "DepthwiseConv2dNativeBackpropInput": (
        "input_sizes filter out_backprop strides padding explicit_paddings data_format dilations"
    ),
    "Dequantize": "input min_range max_range mode narrow_range axis dtype",
    "DynamicStitch": "indices data",
    "Eig": "input Tout compute_v",
    "ExtractGlimpseV2": "input size offsets centered normalized uniform_noise noise",
    "Fill": "dims value",
    "FractionalAvgPoolGrad": (
        "orig_input_tensor_shape out_backprop row_pooling_sequence col_pooling_sequence overlapping"
    ),
    "ImageProjectiveTransformV3": (
        "images transforms output_shape fill_value interpolation fill_mode"
    ),
    "LogSoftmax": "logits",
    "LookupTableFindV2": "table_handle keys default_value",
    "LookupTableImportV2": "table_handle keys values",
    "LookupTableInsertV2": "table_handle keys values",
    "LookupTableRemoveV2": "table_handle keys",
    "MatrixDiagPartV3": "input k padding_value align",
    "MatrixDiagV3": "diagonal k num_rows num_cols padding_value align",
    "MaxPool3D": "input ksize strides padding data_format",
    "MaxPool3DGrad": "orig_input orig_output grad ksize strides padding data_format",
    "MaxPool3DGradGrad": "orig_input orig_output grad ksize strides padding data_format",
    "MaxPoolGradGrad": "orig_input orig_output grad ksize strides padding data_format",
    "OneHot": "indices depth on_value off_value axis",
    "PadV2": "input paddings constant_values",
    "RandomGamma": "shape alpha seed seed2",
    "RandomPoissonV2": "shape rate seed seed2 dtype",
    "RngReadAndSkip": "resource alg delta",
    "ScaleAndTranslate": "images size scale translation kernel_type antialias",
    "Softmax": "logits",
    "Split": "axis value num_split",
    "StatefulRandomBinomial": "resource algorithm shape counts probs dtype",
    "StatefulUniformInt": "resource algorithm shape minval maxval",
    "StatelessMultinomial": "logits num_samples seed output_dtype",
    "StatelessRandomBinomial": "shape seed counts probs dtype",
    "StatelessRandomGammaV3": "shape key counter alg alpha",
    "StatelessRandomNormalV2": "shape key counter alg dtype",
    "StatelessRandomPoisson": "shape seed lam dtype",
    "StatelessRandomUniformFullIntV2": "shape key counter alg dtype",
    "StatelessRandomUniformIntV2": "shape key counter alg minval maxval",
    "StatelessRandomUniformV2": "shape key counter alg dtype",
    "StatelessTruncatedNormalV2": "shape key counter alg dtype",
}
