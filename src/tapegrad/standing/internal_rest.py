"""Which public names the modules below ``tensorflow.python`` hold, without those in `internal_ops`.

Printed by ``tests/golden/record_internals.py rest``, which asks TensorFlow. Module -> namespace -> names
there, with ``name=public name`` where they differ; "." is ``tf`` itself. `internals` has the rest.
"""

REST = {
    "python.autograph.core.converter": {
        "autograph.experimental": "Feature",
    },
    "python.checkpoint.checkpoint": {
        "__internal__.tracking": "register_session_provider streaming_restore",
        "compat.v1.train": "CheckpointV1=Checkpoint",
        "train": "Checkpoint",
    },
    "python.checkpoint.checkpoint_management": {
        "__internal__.train": "update_checkpoint_state_internal=update_checkpoint_state",
        "compat.v1.train": (
            "checkpoint_exists generate_checkpoint_state_proto get_checkpoint_mtimes "
            "remove_checkpoint update_checkpoint_state"
        ),
        "train": "CheckpointManager get_checkpoint_state latest_checkpoint",
    },
    "python.checkpoint.graph_view": {
        "__internal__.tracking": "ObjectGraphView",
    },
    "python.compat.compat": {
        "compat": "forward_compatibility_horizon forward_compatible",
    },
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
    "python.data.util.structure": {
        "compat.v1.data.experimental": (
            "_RaggedTensorStructure=RaggedTensorStructure "
            "_SparseTensorStructure=SparseTensorStructure "
            "_TensorArrayStructure=TensorArrayStructure _TensorStructure=TensorStructure"
        ),
    },
    "python.distribute.coordinator.cluster_coordinator": {
        "distribute.coordinator": "ClusterCoordinator",
    },
    "python.distribute.coordinator.coordinator_context": {
        "distribute.coordinator": "get_current_worker_index=experimental_get_current_worker_index",
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
    "python.distribute.distribute_utils": {
        "compat.v1.distribute": "get_loss_reduction",
    },
    "python.distribute.parameter_server_strategy_v2": {
        "distribute": "ParameterServerStrategyV2=ParameterServerStrategy",
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
    "python.eager.monitoring": {
        "__internal__.monitoring": "BoolGauge",
    },
    "python.eager.polymorphic_function.polymorphic_function": {
        ".": "function",
        "__internal__.function": "Function",
    },
    "python.eager.wrap_function": {
        "compat.v1": "wrap_function",
    },
    "python.feature_column.feature_column": {
        "compat.v1.feature_column": "input_layer linear_model",
        "feature_column": "make_parse_example_spec",
    },
    "python.feature_column.feature_column_v2": {
        "__internal__.feature_column": (
            "DenseColumn FeatureTransformationCache SequenceDenseColumn "
            "_StateManagerImpl=StateManager"
        ),
        "compat.v1.feature_column": (
            "categorical_column_with_vocabulary_file shared_embedding_columns"
        ),
        "feature_column": (
            "bucketized_column categorical_column_with_hash_bucket "
            "categorical_column_with_identity "
            "categorical_column_with_vocabulary_file_v2=categorical_column_with_vocabulary_file "
            "categorical_column_with_vocabulary_list crossed_column embedding_column "
            "indicator_column make_parse_example_spec_v2=make_parse_example_spec numeric_column "
            "shared_embedding_columns_v2=shared_embeddings weighted_categorical_column"
        ),
    },
    "python.feature_column.serialization": {
        "__internal__.feature_column": "deserialize_feature_column serialize_feature_column",
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
    "python.framework.convert_to_constants": {
        "compat.v1.graph_util": "convert_variables_to_constants",
    },
    "python.framework.device_spec": {
        ".": "DeviceSpecV1=DeviceSpec DeviceSpecV2=DeviceSpec",
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
    "python.framework.smart_cond": {
        "__internal__.smart_cond": "smart_cond",
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
    "python.lib.io.file_io": {
        "compat.v1.gfile": (
            "copy=Copy create_dir=MkDir delete_file=Remove delete_recursively=DeleteRecursively "
            "file_exists=Exists get_matching_files=Glob is_directory=IsDirectory "
            "list_directory=ListDirectory recursive_create_dir=MakeDirs rename=Rename stat=Stat "
            "walk=Walk"
        ),
        "io.gfile": (
            "copy_v2=copy create_dir_v2=mkdir delete_file_v2=remove delete_recursively_v2=rmtree "
            "file_exists_v2=exists get_matching_files_v2=glob get_registered_schemes "
            "is_directory_v2=isdir join list_directory_v2=listdir "
            "recursive_create_dir_v2=makedirs rename_v2=rename stat_v2=stat walk_v2=walk"
        ),
    },
    "python.lib.io.tf_record": {
        "compat.v1.io": "TFRecordCompressionType tf_record_iterator",
        "io": "TFRecordOptions TFRecordWriter",
    },
    "python.module.module": {
        ".": "Module",
    },
    "python.platform.gfile": {
        "compat.v1.gfile": "FastGFile",
        "io.gfile": "GFile Open=GFile",
    },
    "python.platform.resource_loader": {
        "compat.v1.resource_loader": (
            "get_data_files_path get_path_to_datafile get_root_dir_with_all_resources "
            "load_resource readahead_file_path"
        ),
    },
    "python.platform.tf_logging": {
        ".": "get_logger",
        "compat.v1.logging": (
            "TaskLevelStatusMessage debug error fatal flush get_verbosity info log log_every_n "
            "log_first_n log_if set_verbosity vlog warn warning"
        ),
    },
    "python.profiler.model_analyzer": {
        "compat.v1.profiler": "Profiler advise profile",
    },
    "python.profiler.option_builder": {
        "compat.v1.profiler": "ProfileOptionBuilder",
    },
    "python.profiler.profiler_client": {
        "profiler.experimental.client": "monitor trace",
    },
    "python.profiler.trace": {
        "profiler.experimental": "Trace",
    },
    "python.saved_model.load": {
        "__internal__.saved_model": "load_partial",
        "saved_model": "load",
    },
    "python.saved_model.loader_impl": {
        "__internal__.saved_model": "parse_saved_model",
        "compat.v1.saved_model": "load",
        "saved_model": "contains_saved_model maybe_saved_model_directory=contains_saved_model",
    },
    "python.saved_model.nested_structure_coder": {
        "__internal__.saved_model": "decode_proto encode_structure",
    },
    "python.saved_model.save": {
        "saved_model": "save",
    },
    "python.summary.summary": {
        "compat.v1.summary": (
            "audio get_summary_description histogram image merge merge_all scalar tensor_summary "
            "text"
        ),
    },
    "python.summary.writer.writer": {
        "compat.v1.summary": "FileWriter",
    },
    "python.summary.writer.writer_cache": {
        "compat.v1.summary": "FileWriterCache",
    },
    "python.tf2": {
        "__internal__.tf2": "enabled",
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
    "python.trackable.resource": {
        "saved_model.experimental": "TrackableResource",
    },
    "python.training.basic_session_run_hooks": {
        "compat.v1.train": (
            "CheckpointSaverHook CheckpointSaverListener FeedFnHook FinalOpsHook "
            "GlobalStepWaiterHook LoggingTensorHook NanLossDuringTrainingError NanTensorHook "
            "ProfilerHook SecondOrStepTimer StepCounterHook StopAtStepHook SummarySaverHook"
        ),
    },
    "python.training.coordinator": {
        "compat.v1.train": "LooperThread",
        "train": "Coordinator",
    },
    "python.training.device_setter": {
        "compat.v1.train": "replica_device_setter",
    },
    "python.training.input": {
        "compat.v1.train": (
            "batch batch_join input_producer limit_epochs maybe_batch maybe_batch_join "
            "maybe_shuffle_batch maybe_shuffle_batch_join range_input_producer shuffle_batch "
            "shuffle_batch_join slice_input_producer string_input_producer"
        ),
        "io": "match_filenames_once",
    },
    "python.training.monitored_session": {
        "compat.v1.train": (
            "ChiefSessionCreator MonitoredSession MonitoredTrainingSession Scaffold "
            "SessionCreator SingularMonitoredSession WorkerSessionCreator"
        ),
    },
    "python.training.moving_averages": {
        "__internal__.train": "assign_moving_average",
        "train": "ExponentialMovingAverage",
    },
    "python.training.optimizer": {
        "compat.v1.train": "Optimizer",
    },
    "python.training.saver": {
        "compat.v1.train": "Saver export_meta_graph import_meta_graph",
    },
    "python.training.server_lib": {
        "config.experimental": "ClusterDeviceFilters",
        "distribute": "Server",
        "train": "ClusterSpec",
    },
    "python.training.session_run_hook": {
        "compat.v1.train": "SessionRunArgs SessionRunContext SessionRunHook SessionRunValues",
    },
    "python.training.supervisor": {
        "compat.v1.train": "Supervisor",
    },
    "python.training.sync_replicas_optimizer": {
        "compat.v1.train": "SyncReplicasOptimizer",
    },
    "python.training.training": {
        "compat.v1.train": "sdca_fprint sdca_optimizer sdca_shrink_l1",
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
    "python.types.trace": {
        "types.experimental": "SupportsTracingProtocol TraceType",
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
