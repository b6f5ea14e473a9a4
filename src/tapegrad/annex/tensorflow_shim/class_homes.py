"""In which module of TensorFlow each public class lives: our module -> module there -> names of classes.

A class that TensorFlow has not is said to live in the public namespace that has it.
"""

from __future__ import annotations

# Recorded from TensorFlow 2.21. Names that TensorFlow's insides do not spell like ours are ours.
HOMES: dict[str, dict[str, str]] = {
    "autodiff.forward": {
        "python.eager.forwardprop": "ForwardAccumulator",
    },
    "autodiff.graphs": {
        "python.ops.gradients_util": "AggregationMethod",
    },
    "autodiff.registry": {
        "python.framework.ops": "RegisterGradient",
    },
    "autodiff.tape": {
        "python.eager.backprop": "GradientTape",
        "python.ops.unconnected_gradients": "UnconnectedGradients",
    },
    "annex.cases": {
        "python.framework.test_util": "TestCase",
    },
    "data.csv_files": {
        "python.data.experimental.ops.readers": "CsvDatasetV2",
    },
    "data.dataset": {
        "python.data.ops.dataset_ops": "DatasetV2",
    },
    "data.extras": {
        "python.data.experimental.ops.grouping": "Reducer",
        "python.data.experimental.ops.random_ops": "RandomDatasetV2",
    },
    "data.files": {
        "python.data.experimental.ops.writers": "DatasetWriter",
        "python.data.ops.readers": "FixedLengthRecordDatasetV2 TFRecordDatasetV2 TextLineDatasetV2",
    },
    "data.iterators": {
        "python.data.ops.dataset_ops": "NumpyIterator",
        "python.data.ops.iterator_ops": "IteratorBase OwnedIterator",
    },
    "data.legacy": {
        "python.data.ops.dataset_ops": "DatasetV1",
        "python.data.ops.iterator_ops": "IteratorV1",
    },
    "data.lookups": {
        "python.data.experimental.ops.lookup_ops": "DatasetInitializer",
    },
    "data.optional": {
        "python.data.ops.optional_ops": "Optional OptionalSpec",
    },
    "data.options": {
        "python.data.ops.options": (
            "AutoShardPolicy AutotuneAlgorithm AutotuneOptions DistributeOptions "
            "ExternalStatePolicy OptimizationOptions Options ServiceOptions "
            "ThreadingOptions"
        ),
    },
    "data.records": {
        "python.data.experimental.ops.readers": "SqlDatasetV2",
    },
    "data.specs": {
        "python.data.ops.dataset_ops": "DatasetSpec",
        "python.data.ops.iterator_ops": "IteratorSpec",
    },
    "data.structure": {
        "python.framework.none_tensor": "NoneTensorSpec",
    },
    "distribute.cluster": {
        "python.distribute.cluster_resolver.cluster_resolver": (
            "ClusterResolver SimpleClusterResolver"
        ),
        "python.distribute.cluster_resolver.tfconfig_cluster_resolver": "TFConfigClusterResolver",
        "python.training.server_lib": "ClusterSpec",
    },
    "distribute.resolvers": {
        "python.distribute.cluster_resolver.cluster_resolver": "UnionResolver",
        "python.distribute.cluster_resolver.gce_cluster_resolver": "GCEClusterResolver",
        "python.distribute.cluster_resolver.kubernetes_cluster_resolver": (
            "KubernetesClusterResolver KubernetesExecutableLocation"
        ),
        "python.distribute.cluster_resolver.slurm_cluster_resolver": "SlurmClusterResolver",
        "python.distribute.cluster_resolver.tpu.tpu_cluster_resolver": "TPUClusterResolver",
    },
    "distribute.tape": {
        "distribute": "Compression DistributedGradientTape",
    },
    "distribute.world": {
        "distribute": "ProcessSet",
    },
    "dtypes": {
        "python.framework.dtypes": "DType",
    },
    "errors": {
        "python.framework.errors_impl": (
            "AbortedError AlreadyExistsError CancelledError DataLossError "
            "DeadlineExceededError FailedPreconditionError InternalError "
            "InvalidArgumentError NotFoundError OpError OperatorNotAllowedInGraphError "
            "OutOfRangeError PermissionDeniedError ResourceExhaustedError "
            "UnauthenticatedError UnavailableError UnimplementedError UnknownError"
        ),
    },
    "annex.extension.batching": {
        "python.framework.extension_type": "ExtensionTypeBatchEncoder",
    },
    "annex.extension.extension_type": {
        "python.framework.extension_type": "BatchableExtensionType ExtensionType ExtensionTypeSpec",
    },
    "framework.bases": {
        "python.trackable.autotrackable": "AutoTrackable",
        "python.trackable.base": "Trackable TrackableReference",
        "python.trackable.resource": "TrackableResource",
        "python.types.core": "TensorBase",
    },
    "framework.config": {
        "python.eager.context": "LogicalDevice LogicalDeviceConfiguration PhysicalDevice",
        "python.framework.ops": "device",
    },
    "framework.device_spec": {
        "python.framework.device_spec": "DeviceSpec",
    },
    "framework.dtensor": {
        "dtensor.python.d_variable": "DVariable",
        "dtensor.python.input_util": "DTensorDataset",
        "dtensor.python.layout": "Layout Mesh",
    },
    "framework.indexed_slices": {
        "python.framework.indexed_slices": "IndexedSlices IndexedSlicesSpec",
    },
    "framework.module": {
        "python.module.module": "Module",
    },
    "framework.names": {
        "python.framework.ops": "name_scope",
    },
    "framework.shape": {
        "python.framework.tensor_shape": "Dimension TensorShape",
    },
    "framework.spec": {
        "python.framework.tensor": "TensorSpec",
        "python.framework.type_spec": "TypeSpec",
    },
    "framework.synchronization": {
        "python.ops.variables": "VariableAggregation VariableAggregationV2 VariableSynchronization",
    },
    "framework.variable": {
        "python.ops.resource_variable_ops": "ResourceVariable",
        "python.ops.variables": "Variable",
    },
    "functions.atomic": {
        "python.types.core": "AtomicFunction FunctionType",
    },
    "functions.concrete": {
        "python.eager.polymorphic_function.concrete_function": "ConcreteFunction",
    },
    "functions.function": {
        "python.eager.polymorphic_function.polymorphic_function": "Function",
    },
    "functions.kinds": {
        "python.types.core": "Callable GenericFunction",
    },
    "annex.internal.autograph": {
        "python.autograph.core.converter": "Feature",
    },
    "annex.internal.composite": {
        "python.framework.composite_tensor": "CompositeTensor",
    },
    "annex.internal.fallbacks": {
        "python.util.dispatch": "GlobalOpDispatcher OpDispatcher",
    },
    "annex.internal.legacy_keras": {
        "python.feature_column.feature_column_v2": (
            "DenseColumn FeatureTransformationCache SequenceDenseColumn StateManager"
        ),
        "python.feature_column.feature_column_v2_types": "FeatureColumn",
        "python.saved_model.revived_types": "VersionedTypeRegistration",
        "python.trackable.base": "CheckpointInitialValueCallable",
        "python.trackable.base_delegate": "DelegatingTrackableMixin",
        "python.types.trace": "TraceType",
    },
    "io.examples": {
        "core.example.example_pb2": "Example SequenceExample",
        "core.example.feature_pb2": (
            "BytesList Feature FeatureList FeatureLists Features FloatList Int64List"
        ),
    },
    "io.features": {
        "python.ops.parsing_config": (
            "FixedLenFeature FixedLenSequenceFeature RaggedFeature SparseFeature VarLenFeature"
        ),
    },
    "io.folders": {
        "python.platform.gfile": "FastGFile GFile",
    },
    "io.graph_messages": {
        "core.framework.attr_value_pb2": "AttrValue",
        "core.framework.graph_pb2": "GraphDef",
        "core.framework.node_def_pb2": "NodeDef",
    },
    "io.records": {
        "python.lib.io.tf_record": "TFRecordCompressionType TFRecordOptions TFRecordWriter",
    },
    "io.tensors": {
        "core.framework.tensor_pb2": "TensorProto",
    },
    "annex.linear_operators.bands": {
        "python.ops.linalg.linear_operator_toeplitz": "LinearOperatorToeplitz",
        "python.ops.linalg.linear_operator_tridiag": "LinearOperatorTridiag",
    },
    "annex.linear_operators.blocks": {
        "python.ops.linalg.linear_operator_block_diag": "LinearOperatorBlockDiag",
        "python.ops.linalg.linear_operator_block_lower_triangular": (
            "LinearOperatorBlockLowerTriangular"
        ),
    },
    "annex.linear_operators.circulant": {
        "python.ops.linalg.linear_operator_circulant": (
            "LinearOperatorCirculant LinearOperatorCirculant2D LinearOperatorCirculant3D"
        ),
    },
    "annex.linear_operators.combined": {
        "python.ops.linalg.linear_operator_adjoint": "LinearOperatorAdjoint",
        "python.ops.linalg.linear_operator_composition": "LinearOperatorComposition",
        "python.ops.linalg.linear_operator_inversion": "LinearOperatorInversion",
        "python.ops.linalg.linear_operator_kronecker": "LinearOperatorKronecker",
    },
    "annex.linear_operators.identity": {
        "python.ops.linalg.linear_operator_identity": (
            "LinearOperatorIdentity LinearOperatorScaledIdentity"
        ),
        "python.ops.linalg.linear_operator_zeros": "LinearOperatorZeros",
    },
    "annex.linear_operators.low_rank": {
        "python.ops.linalg.linear_operator_low_rank_update": "LinearOperatorLowRankUpdate",
    },
    "annex.linear_operators.matrices": {
        "python.ops.linalg.linear_operator_diag": "LinearOperatorDiag",
        "python.ops.linalg.linear_operator_full_matrix": "LinearOperatorFullMatrix",
        "python.ops.linalg.linear_operator_householder": "LinearOperatorHouseholder",
        "python.ops.linalg.linear_operator_lower_triangular": "LinearOperatorLowerTriangular",
        "python.ops.linalg.linear_operator_permutation": "LinearOperatorPermutation",
    },
    "annex.linear_operators.operator": {
        "python.ops.linalg.linear_operator": "LinearOperator",
    },
    "ops.image.resize": {
        "python.ops.image_ops_impl": "ResizeMethod",
    },
    "ops.program.tensor_array": {
        "python.ops.tensor_array_ops": "TensorArray TensorArraySpec",
    },
    "ops.random.draws": {
        "python.ops.random_ops_util": "Algorithm",
    },
    "ops.random.generator": {
        "python.ops.stateful_random_ops": "Generator",
    },
    "ops.random.initializers": {
        "python.ops.init_ops_v2": (
            "constant_initializer ones_initializer random_normal_initializer "
            "random_uniform_initializer zeros_initializer"
        ),
    },
    "ops.sparse.sparse_tensor": {
        "python.framework.sparse_tensor": "SparseTensor SparseTensorSpec",
    },
    "annex.queues": {
        "python.ops.data_flow_ops": (
            "FIFOQueue PaddingFIFOQueue PriorityQueue QueueBase RandomShuffleQueue"
        ),
    },
    "ragged.ragged_tensor": {
        "python.ops.ragged.ragged_tensor": "RaggedTensor",
    },
    "ragged.row_partition": {
        "python.ops.ragged.row_partition": "RowPartition",
    },
    "ragged.shapes": {
        "python.ops.ragged.dynamic_ragged_shape": "DynamicRaggedShape",
    },
    "ragged.spec": {
        "python.ops.ragged.ragged_tensor": "RaggedTensorSpec",
    },
    "saving.checkpoint_files": {
        "python.util._pywrap_checkpoint_reader": "CheckpointReader",
    },
    "saving.checkpoints": {
        "python.checkpoint.checkpoint": "Checkpoint",
    },
    "saving.fingerprints": {
        "python.saved_model.fingerprinting": "Fingerprint",
    },
    "saving.manager": {
        "python.checkpoint.checkpoint_management": "CheckpointManager",
    },
    "saving.options": {
        "python.checkpoint.checkpoint_options": "CheckpointOptions",
        "python.saved_model.load_options": "LoadOptions",
        "python.saved_model.save_options": "SaveOptions VariablePolicy",
        "python.trackable.asset": "Asset",
    },
    "saving.python_state": {
        "python.trackable.python_state": "PythonState",
    },
    "saving.views": {
        "python.checkpoint.checkpoint_view": "CheckpointView",
        "python.checkpoint.graph_view": "ObjectGraphView",
        "python.checkpoint.trackable_view": "TrackableView",
    },
    "annex.tensorflow_shim.data_structures": {
        "python.trackable.data_structures": "TrackableDataStructure",
    },
    "annex.tensorflow_shim.monitoring": {
        "python.eager.monitoring": "BoolGauge",
    },
    "annex.strategies.datasets": {
        "python.distribute.input_lib": "DistributedDataset DistributedIterator",
    },
    "annex.strategies.local": {
        "python.distribute.central_storage_strategy": "CentralStorageStrategy",
        "python.distribute.mirrored_strategy": "MirroredStrategy",
        "python.distribute.one_device_strategy": "OneDeviceStrategy",
    },
    "annex.strategies.options": {
        "python.distribute.collective_util": (
            "CollectiveHints CommunicationImplementation CommunicationOptions"
        ),
    },
    "annex.strategies.partitioners": {
        "python.distribute.sharded_variable": (
            "FixedShardsPartitioner MaxSizePartitioner MinSizePartitioner Partitioner"
        ),
    },
    "annex.strategies.reductions": {
        "python.distribute.cross_device_ops": (
            "CrossDeviceOps HierarchicalCopyAllReduce NcclAllReduce ReductionToOneDevice"
        ),
        "python.distribute.reduce_util": "ReduceOp",
    },
    "annex.strategies.refused": {
        "python.distribute.coordinator.cluster_coordinator": "ClusterCoordinator",
        "python.distribute.coordinator.remote_value": "RemoteValue",
        "python.distribute.parameter_server_strategy_v2": "ParameterServerStrategy",
        "python.distribute.sharded_variable": "ShardedVariable",
        "python.distribute.tpu_strategy": "ExperimentalTPUStrategy TPUStrategy",
    },
    "annex.strategies.strategy": {
        "python.distribute.distribute_lib": "ReplicaContext Strategy StrategyExtended",
    },
    "annex.strategies.tpus": {
        "python.tpu.device_assignment": "DeviceAssignment DeviceOrderMode",
        "python.tpu.topology": "Topology",
        "python.tpu.tpu": "XLAOptions",
        "python.tpu.tpu_embedding_for_serving": "TPUEmbeddingForServing",
        "python.tpu.tpu_embedding_v1": "TPUEmbeddingV0",
        "python.tpu.tpu_embedding_v2": "TPUEmbedding",
        "python.tpu.tpu_embedding_v2_utils": (
            "Adagrad AdagradMomentum Adam CustomCombiner CustomOptimizer FTRL "
            "FeatureConfig QuantizationConfig RowIdInitializer SGD TableConfig"
        ),
        "python.tpu.tpu_embedding_v3": "SparseCoreEmbeddingConfig TPUEmbeddingV2",
        "python.tpu.tpu_hardware_feature": "HardwareFeature",
        "python.tpu.tpu_system_metadata": "TPUSystemMetadata",
    },
    "annex.strategies.values": {
        "python.distribute.distribute_lib": (
            "InputContext InputOptions InputReplicationMode RunOptions ValueContext"
        ),
        "python.types.distribute": "DistributedValues Mirrored PerReplica",
    },
    "annex.strategies.workers": {
        "python.distribute.collective_all_reduce_strategy": (
            "ExperimentalMultiWorkerStrategy MultiWorkerMirroredStrategy"
        ),
    },
    "annex.summaries.messages": {
        "core.framework.summary_pb2": ("HistogramProto Summary SummaryDescription SummaryMetadata"),
        "core.util.event_pb2": "Event LogMessage SessionLog TaggedRunMetadata",
    },
    "annex.summaries.files": {
        "python.summary.writer.writer": "FileWriter",
        "python.summary.writer.writer_cache": "FileWriterCache",
    },
    "annex.summaries.writer": {
        "python.ops.summary_ops_v2": "SummaryWriter",
    },
    "symbolic.graphs": {
        "python.framework.func_graph": "FuncGraph",
        "python.framework.ops": "Graph",
    },
    "symbolic.operations": {
        "python.framework.ops": "Operation",
    },
    "symbolic.sessions": {
        "python.client.session": "InteractiveSession Session",
    },
    "symbolic.tensors": {
        "python.framework.ops": "SymbolicTensor",
    },
    "tables": {
        "python.ops.lookup_ops": (
            "DenseHashTable KeyValueTensorInitializer MutableHashTable StaticHashTable "
            "StaticVocabularyTable TextFileIndex TextFileInitializer"
        ),
    },
    "annex.timelines": {
        "python.profiler.profiler_v2": "Profile ProfilerOptions",
        "python.profiler.trace": "Trace",
    },
    "training.averages": {
        "python.training.moving_averages": "ExponentialMovingAverage",
    },
    "training.coordinator": {
        "python.training.coordinator": "Coordinator",
    },
    "training.sections": {
        "python.ops.critical_section_ops": "CriticalSection",
    },
    "transforms.packing": {
        "autodiff": "Objective Packer",
    },
    "annex.v1.adaptive": {
        "python.training.adadelta": "AdadeltaOptimizer",
        "python.training.adagrad": "AdagradOptimizer",
        "python.training.adam": "AdamOptimizer",
        "python.training.ftrl": "FtrlOptimizer",
        "python.training.momentum": "MomentumOptimizer",
        "python.training.rmsprop": "RMSPropOptimizer",
    },
    "annex.v1.collections": {
        "python.framework.ops": "GraphKeys",
        "python.framework.sparse_tensor": "SparseTensorValue",
    },
    "annex.v1.hooks": {
        "python.training.session_run_hook": (
            "SessionRunArgs SessionRunContext SessionRunHook SessionRunValues"
        ),
    },
    "annex.v1.initializers": {
        "python.ops.init_ops": (
            "constant_initializer glorot_normal_initializer glorot_uniform_initializer "
            "he_normal he_uniform identity lecun_normal lecun_uniform ones_initializer "
            "orthogonal_initializer random_normal_initializer "
            "random_uniform_initializer truncated_normal_initializer "
            "uniform_unit_scaling_initializer variance_scaling_initializer "
            "zeros_initializer"
        ),
    },
    "annex.v1.layers": {
        "python.keras.engine.input_spec": "InputSpec",
        "python.keras.legacy_tf_layers.base": "Layer",
        "python.keras.legacy_tf_layers.core": "Dense Dropout Flatten",
    },
    "annex.v1.losses": {
        "python.ops.losses.losses_impl": "Reduction",
    },
    "annex.v1.optimizers": {
        "python.training.gradient_descent": "GradientDescentOptimizer",
        "python.training.optimizer": "Optimizer",
    },
    "annex.v1.pictures": {
        "python.ops.image_ops_impl": "ResizeMethodV1",
    },
    "annex.v1.ragged_values": {
        "python.ops.ragged.ragged_tensor_value": "RaggedTensorValue",
    },
    "annex.v1.savers": {
        "core.protobuf.saver_pb2": "SaverDef",
        "python.training.saver": "Saver",
    },
    "annex.v1.settings": {
        "core.protobuf.config_pb2": (
            "ConfigProto GPUOptions GraphOptions OptimizerOptions RunMetadata RunOptions"
        ),
    },
    "annex.v1.variables": {
        "python.ops.variable_scope": "VariableScope variable_scope",
        "python.ops.variable_v1": "Variable",
    },
    "annex.v1.window_layers": {
        "python.keras.legacy_tf_layers.convolutional": (
            "Conv1D Conv2D Conv2DTranspose Conv3D Conv3DTranspose SeparableConv1D SeparableConv2D"
        ),
        "python.keras.legacy_tf_layers.pooling": (
            "AveragePooling1D AveragePooling2D AveragePooling3D MaxPooling1D MaxPooling2D MaxPooling3D"
        ),
    },
    "annex.v1.written": {
        "python.framework.ops": "name_scope",
    },
}
