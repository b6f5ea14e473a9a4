"""Which public names the modules below ``tensorflow.python`` hold, without those in `internal_ops`.

Printed by ``tests/golden/record_internals.py rest``, which asks TensorFlow. Module -> namespace -> names
there, with ``name=public name`` where they differ; "." is ``tf`` itself. `internals` has the rest.
"""

REST = {
    "python.data.ops.dataset_ops": {
        "compat.v1.data": (
            "DatasetV1=Dataset get_legacy_output_classes=get_output_classes "
            "get_legacy_output_shapes=get_output_shapes get_legacy_output_types=get_output_types "
            "make_initializable_iterator make_one_shot_iterator"
        ),
        "data": "Dataset DatasetSpec DatasetV2=Dataset NumpyIterator _NumpyIterator=NumpyIterator",
        "data.experimental": "from_variant get_structure to_variant",
    },
    "python.data.ops.iterator_ops": {
        "data": "Iterator IteratorBase=Iterator IteratorSpec",
        "data.experimental": "get_next_as_optional",
    },
    "python.data.ops.optional_ops": {
        ".": "OptionalSpec",
        "data.experimental": "Optional",
    },
    "python.data.ops.options": {
        "data": "Options ThreadingOptions",
        "data.experimental": (
            "AutoShardPolicy AutotuneAlgorithm AutotuneOptions DistributeOptions "
            "ExternalStatePolicy OptimizationOptions ServiceOptions"
        ),
    },
    "python.distribute.distribute_lib": {
        "__internal__.distribute": "variable_sync_on_read_context",
        "distribute": (
            "InputContext InputOptions InputReplicationMode ReplicaContext "
            "ReplicaContextV1=ReplicaContext RunOptions Strategy "
            "StrategyExtendedV1=StrategyExtended StrategyExtendedV2=StrategyExtended "
            "StrategyV1=Strategy experimental_set_strategy get_distribution_strategy=get_strategy "
            "get_replica_context get_strategy has_distribution_strategy=has_strategy has_strategy "
            "in_cross_replica_context"
        ),
        "distribute.experimental": "ValueContext",
    },
    "python.distribute.reduce_util": {
        "distribute": "ReduceOp",
    },
    "python.eager.backprop": {
        ".": "GradientTape",
        "__internal__": "record_gradient",
    },
    "python.eager.context": {
        ".": "executing_eagerly executing_eagerly_v1=executing_eagerly",
        "__internal__.eager_context": (
            "eager_mode get_config get_device_name get_executor set_soft_device_placement"
        ),
        "config": "LogicalDevice LogicalDeviceConfiguration PhysicalDevice",
        "debugging": "get_log_device_placement set_log_device_placement",
        "experimental": "async_clear_error async_scope function_executor_type",
    },
    "python.eager.forwardprop": {
        "autodiff": "ForwardAccumulator",
    },
    "python.eager.polymorphic_function.polymorphic_function": {
        ".": "function",
        "__internal__.function": "Function",
    },
    "python.framework.composite_tensor": {
        "__internal__": "CompositeTensor",
    },
    "python.framework.config": {
        "config": (
            "get_logical_device_configuration get_soft_device_placement get_visible_devices "
            "list_logical_devices list_physical_devices set_logical_device_configuration "
            "set_soft_device_placement set_visible_devices"
        ),
        "config.experimental": (
            "disable_mlir_bridge enable_mlir_bridge enable_op_determinism "
            "enable_tensor_float_32_execution get_device_details get_device_policy "
            "get_memory_growth get_memory_info get_memory_usage get_synchronous_execution "
            "reset_memory_stats set_device_policy set_memory_growth set_synchronous_execution "
            "tensor_float_32_execution_enabled"
        ),
        "config.optimizer": (
            "get_optimizer_experimental_options=get_experimental_options "
            "get_optimizer_jit=get_jit "
            "set_optimizer_experimental_options=set_experimental_options "
            "set_optimizer_jit=set_jit"
        ),
        "config.threading": (
            "get_inter_op_parallelism_threads get_intra_op_parallelism_threads "
            "set_inter_op_parallelism_threads set_intra_op_parallelism_threads"
        ),
    },
    "python.framework.constant_op": {
        ".": "constant constant_v1=constant",
    },
    "python.framework.dtypes": {
        ".": (
            "DType as_dtype bfloat16 bool complex128 complex64 double float16=half float32 "
            "float64=double half int16 int32 int64 int8 qint16 qint32 qint8 quint16 quint8 "
            "resource string uint16 uint32 uint64 uint8 variant"
        ),
        "dtypes.experimental": (
            "float4_e2m1fn float8_e4m3b11fnuz float8_e4m3fn float8_e4m3fnuz float8_e5m2 "
            "float8_e5m2fnuz int2 int4 uint2 uint4"
        ),
    },
    "python.framework.errors_impl": {
        "compat.v1.errors": (
            "error_code_from_exception_type exception_type_from_error_code "
            "raise_exception_on_not_ok_status"
        ),
        "errors": (
            "AbortedError AlreadyExistsError CancelledError DataLossError DeadlineExceededError "
            "FailedPreconditionError InternalError InvalidArgumentError NotFoundError OpError "
            "OperatorNotAllowedInGraphError OutOfRangeError PermissionDeniedError "
            "ResourceExhaustedError UnauthenticatedError UnavailableError UnimplementedError "
            "UnknownError"
        ),
    },
    "python.framework.func_graph": {
        "__internal__": "FuncGraph",
    },
    "python.framework.indexed_slices": {
        ".": "IndexedSlices IndexedSlicesSpec",
        "compat.v1": "convert_to_tensor_or_indexed_slices",
    },
    "python.framework.load_library": {
        ".": "load_library load_op_library",
        "compat.v1": "load_file_system_library",
        "experimental": "register_filesystem_plugin",
    },
    "python.framework.ops": {
        ".": (
            "Graph NoGradient=no_gradient NotDifferentiable=no_gradient Operation "
            "RegisterGradient control_dependencies device_v2=device get_current_name_scope "
            "init_scope inside_function is_symbolic_tensor name_scope_v1=name_scope "
            "name_scope_v2=name_scope no_gradient"
        ),
        "__internal__": "EagerTensor SymbolicTensor _create_c_op=create_c_op get_name_scope",
        "compat.v1": (
            "GraphKeys _colocate_with=colocate_with add_to_collection add_to_collections "
            "container device disable_eager_execution enable_eager_execution "
            "executing_eagerly_outside_functions get_collection get_collection_ref "
            "get_default_graph op_scope reset_default_graph"
        ),
    },
    "python.framework.random_seed": {
        "compat.v1": "get_seed set_random_seed",
        "random": "set_seed",
    },
    "python.framework.sparse_tensor": {
        ".": "SparseTensor SparseTensorSpec",
        "compat.v1": "SparseTensorValue convert_to_tensor_or_sparse_tensor",
    },
    "python.framework.tensor": {
        ".": "Tensor TensorSpec",
        "compat.v1": "disable_tensor_equality enable_tensor_equality",
    },
    "python.framework.tensor_conversion": {
        ".": "convert_to_tensor_v2_with_dispatch=convert_to_tensor",
        "compat.v1": "convert_to_tensor_v1_with_dispatch=convert_to_tensor",
    },
    "python.framework.tensor_shape": {
        ".": "TensorShape",
        "compat": "dimension_at_index dimension_value",
        "compat.v1": "Dimension disable_v2_tensorshape enable_v2_tensorshape",
    },
    "python.framework.tensor_util": {
        ".": (
            "MakeNdarray=make_ndarray constant_value=get_static_value is_tensor "
            "is_tf_type=is_tensor make_tensor_proto"
        ),
    },
    "python.framework.type_spec": {
        ".": "TypeSpec type_spec_from_value",
    },
    "python.module.module": {
        ".": "Module",
    },
    "python.platform.gfile": {
        "compat.v1.gfile": "FastGFile",
        "io.gfile": "GFile Open=GFile",
    },
    "python.platform.tf_logging": {
        ".": "get_logger",
        "compat.v1.logging": (
            "TaskLevelStatusMessage debug error fatal flush get_verbosity info log log_every_n "
            "log_first_n log_if set_verbosity vlog warn warning"
        ),
    },
    "python.saved_model.load": {
        "__internal__.saved_model": "load_partial",
        "saved_model": "load",
    },
    "python.saved_model.save": {
        "saved_model": "save",
    },
    "python.trackable.autotrackable": {
        "__internal__.tracking": "AutoTrackable",
    },
    "python.trackable.base": {
        "__internal__.tracking": (
            "CheckpointInitialValue CheckpointInitialValueCallable Trackable TrackableReference "
            "no_automatic_dependency_tracking"
        ),
    },
    "python.trackable.data_structures": {
        "__internal__.tracking": (
            "TrackableDataStructure sticky_attribute_assignment wrap_or_unwrap=wrap"
        ),
    },
    "python.training.moving_averages": {
        "__internal__.train": "assign_moving_average",
        "train": "ExponentialMovingAverage",
    },
    "python.training.training_util": {
        "compat.v1.train": (
            "assert_global_step create_global_step get_global_step get_or_create_global_step "
            "global_step"
        ),
    },
    "python.types.core": {
        "__internal__.types": "Tensor",
        "types.experimental": (
            "AtomicFunction Callable ConcreteFunction FunctionType "
            "PolymorphicFunction=GenericFunction"
        ),
    },
    "python.util.compat": {
        "compat": "as_bytes as_str as_str_any as_text path_to_str",
    },
    "python.util.dispatch": {
        "__internal__.dispatch": "GlobalOpDispatcher OpDispatcher add_dispatch_support",
        "experimental": (
            "dispatch_for_api dispatch_for_binary_elementwise_apis "
            "dispatch_for_binary_elementwise_assert_apis dispatch_for_unary_elementwise_apis "
            "unregister_dispatch_for"
        ),
    },
    "python.util.keras_deps": {
        "__internal__": (
            "register_call_context_function register_clear_session_function "
            "register_get_session_function register_load_model_function"
        ),
    },
    "python.util.nest": {
        "__internal__.nest": (
            "_sequence_like=sequence_like flatten_up_to get_traverse_shallow_structure is_attrs "
            "is_mapping list_to_tuple map_structure_up_to yield_flat_paths"
        ),
        "nest": "assert_same_structure flatten is_nested map_structure pack_sequence_as",
    },
    "python.util.tf_decorator": {
        "__internal__.decorator": "make_decorator unwrap",
    },
}
