"""Ops by their types, as functions of arguments in order: ``tensorflow.python.ops.gen_math_ops.mat_mul``.

`TYPES` is printed by ``tests/golden/record_internals.py generated``, which asks TensorFlow. Module -> types
of ops, with ``function=type`` where the name of the function is not that of the type in lower case. Behind
every function is the op in `tf.raw_ops`, which takes keywords.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from inspect import signature
from typing import Any

# Where a word of a type begins.
WORDS = re.compile(
    "(?<=[a-z])(?=[A-Z])|(?<=[0-9])(?=[A-Z][a-z])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=[0-9]D)(?=[A-Z])"
)


def names_in(types: str) -> dict[str, str]:
    """What a module with these ``types`` holds: name -> type. Each op has two names."""
    names = {}
    for entry in types.split():
        function, _, type = entry.rpartition("=")
        names[type] = type
        names[function or WORDS.sub("_", type).lower()] = type
    return names


def in_order(type: str) -> Callable[..., Any]:
    """The op ``type`` as a function that takes its arguments in order, or by name."""
    import tapegrad

    raw = getattr(tapegrad.raw_ops, type)
    parameters = tuple(signature(raw).parameters)

    @functools.wraps(raw)
    def call(*args: Any, **kwargs: Any) -> Any:
        if len(args) > len(parameters):
            raise TypeError(
                f"{type} takes {len(parameters)} arguments ({', '.join(parameters)}); {len(args)} came."
            )
        for name, value in zip(parameters, args, strict=False):
            if name in kwargs:
                raise TypeError(f"{type} got two values for its argument {name!r}.")
            kwargs[name] = value
        return raw(**kwargs)

    return call


TYPES = {
    "python.ops.gen_array_ops": (
        "BatchMatrixBandPart BatchMatrixDiag BatchMatrixDiagPart BatchMatrixSetDiag BatchToSpace "
        "BatchToSpaceND Bitcast BroadcastArgs BroadcastGradientArgs BroadcastTo CheckNumerics "
        "CheckNumericsV2 Concat ConcatOffset ConcatV2 ConjugateTranspose Const "
        "DebugGradientIdentity DebugGradientRefIdentity DeepCopy DepthToSpace Dequantize Diag "
        "DiagPart EditDistance Empty EnsureShape ExpandDims ExtractImagePatches "
        "ExtractVolumePatches FakeQuantWithMinMaxArgs FakeQuantWithMinMaxArgsGradient "
        "FakeQuantWithMinMaxVars FakeQuantWithMinMaxVarsGradient "
        "FakeQuantWithMinMaxVarsPerChannel FakeQuantWithMinMaxVarsPerChannelGradient Fill "
        "Fingerprint Gather GatherNd GatherV2 GuaranteeConst Identity IdentityN ImmutableConst "
        "InplaceAdd InplaceSub InplaceUpdate InvertPermutation ListDiff LowerBound MatrixBandPart "
        "MatrixDiag MatrixDiagPart MatrixDiagPartV2 MatrixDiagPartV3 MatrixDiagV2 MatrixDiagV3 "
        "MatrixSetDiag MatrixSetDiagV2 MatrixSetDiagV3 MirrorPad MirrorPadGrad OneHot OnesLike "
        "Pack Pad PadV2 ParallelConcat Placeholder PlaceholderV2 PlaceholderWithDefault "
        "PreventGradient QuantizeAndDequantize QuantizeAndDequantizeV2 QuantizeAndDequantizeV3 "
        "QuantizeAndDequantizeV4 QuantizeAndDequantizeV4Grad QuantizeV2 QuantizedConcat "
        "QuantizedInstanceNorm QuantizedReshape Rank RefIdentity Reshape "
        "ResourceStridedSliceAssign Reverse ReverseSequence ReverseV2 ScatterNd "
        "ScatterNdNonAliasingAdd Shape ShapeN Size _slice=Slice Snapshot SpaceToBatch "
        "SpaceToBatchND SpaceToDepth Split SplitV Squeeze StopGradient StridedSlice "
        "StridedSliceAssign StridedSliceGrad TensorScatterAdd TensorScatterMax TensorScatterMin "
        "TensorScatterSub TensorScatterUpdate TensorStridedSliceUpdate Tile TileGrad Transpose "
        "Unique UniqueV2 UniqueWithCounts UniqueWithCountsV2 Unpack UnravelIndex UpperBound Where "
        "ZerosLike"
    ),
    "python.ops.gen_audio_ops": ("AudioSpectrogram DecodeWav EncodeWav Mfcc"),
    "python.ops.gen_batch_ops": ("Batch BatchFunction Unbatch UnbatchGrad"),
    "python.ops.gen_bitwise_ops": (
        "BitwiseAnd BitwiseOr BitwiseXor Invert LeftShift PopulationCount RightShift"
    ),
    "python.ops.gen_boosted_trees_ops": (
        "BoostedTreesAggregateStats BoostedTreesBucketize BoostedTreesCalculateBestFeatureSplit "
        "BoostedTreesCalculateBestFeatureSplitV2 BoostedTreesCalculateBestGainsPerFeature "
        "BoostedTreesCenterBias BoostedTreesCreateEnsemble "
        "BoostedTreesCreateQuantileStreamResource BoostedTreesDeserializeEnsemble "
        "BoostedTreesEnsembleResourceHandleOp BoostedTreesExampleDebugOutputs "
        "BoostedTreesFlushQuantileSummaries BoostedTreesGetEnsembleStates "
        "BoostedTreesMakeQuantileSummaries BoostedTreesMakeStatsSummary BoostedTreesPredict "
        "BoostedTreesQuantileStreamResourceAddSummaries "
        "BoostedTreesQuantileStreamResourceDeserialize BoostedTreesQuantileStreamResourceFlush "
        "BoostedTreesQuantileStreamResourceGetBucketBoundaries "
        "BoostedTreesQuantileStreamResourceHandleOp BoostedTreesSerializeEnsemble "
        "BoostedTreesSparseAggregateStats BoostedTreesSparseCalculateBestFeatureSplit "
        "BoostedTreesTrainingPredict BoostedTreesUpdateEnsemble BoostedTreesUpdateEnsembleV2 "
        "IsBoostedTreesEnsembleInitialized IsBoostedTreesQuantileStreamResourceInitialized"
    ),
    "python.ops.gen_candidate_sampling_ops": (
        "AllCandidateSampler ComputeAccidentalHits FixedUnigramCandidateSampler "
        "LearnedUnigramCandidateSampler LogUniformCandidateSampler "
        "ThreadUnsafeUnigramCandidateSampler UniformCandidateSampler"
    ),
    "python.ops.gen_checkpoint_ops": ("GenerateVocabRemapping LoadAndRemapMatrix"),
    "python.ops.gen_clustering_ops": (
        "KMC2ChainInitialization KmeansPlusPlusInitialization NearestNeighbors"
    ),
    "python.ops.gen_collective_ops": (
        "CollectiveAllToAllV2 CollectiveAllToAllV3 CollectiveAssignGroupV2 CollectiveBcastRecv "
        "CollectiveBcastRecvV2 CollectiveBcastSend CollectiveBcastSendV2 CollectiveGather "
        "CollectiveGatherV2 CollectiveInitializeCommunicator CollectiveReduce "
        "CollectiveReduceScatterV2 CollectiveReduceV2 CollectiveReduceV3"
    ),
    "python.ops.gen_composite_tensor_ops": (
        "CompositeTensorVariantFromComponents CompositeTensorVariantToComponents"
    ),
    "python.ops.gen_control_flow_ops": (
        "Abort ControlTrigger Enter _exit=Exit LoopCond Merge NextIteration NoOp RefEnter RefExit "
        "RefMerge RefNextIteration RefSelect RefSwitch Switch"
    ),
    "python.ops.gen_count_ops": (
        "DenseCountSparseOutput RaggedCountSparseOutput SparseCountSparseOutput"
    ),
    "python.ops.gen_ctc_ops": ("CTCBeamSearchDecoder CTCGreedyDecoder CTCLoss CTCLossV2"),
    "python.ops.gen_cudnn_rnn_ops": (
        "CudnnRNN CudnnRNNBackprop CudnnRNNBackpropV2 CudnnRNNBackpropV3 "
        "CudnnRNNCanonicalToParams CudnnRNNCanonicalToParamsV2 CudnnRNNParamsSize "
        "CudnnRNNParamsToCanonical CudnnRNNParamsToCanonicalV2 CudnnRNNV2 CudnnRNNV3"
    ),
    "python.ops.gen_data_flow_ops": (
        "AccumulatorApplyGradient AccumulatorNumAccumulated AccumulatorSetGlobalStep "
        "AccumulatorTakeGradient Barrier BarrierClose BarrierIncompleteSize BarrierInsertMany "
        "BarrierReadySize BarrierTakeMany ConditionalAccumulator DeleteSessionTensor "
        "DynamicPartition DynamicStitch FIFOQueue FIFOQueueV2 FakeQueue GetSessionHandle "
        "GetSessionHandleV2 GetSessionTensor MapClear MapIncompleteSize MapPeek MapSize MapStage "
        "MapUnstage MapUnstageNoKey OrderedMapClear OrderedMapIncompleteSize OrderedMapPeek "
        "OrderedMapSize OrderedMapStage OrderedMapUnstage OrderedMapUnstageNoKey PaddingFIFOQueue "
        "PaddingFIFOQueueV2 ParallelDynamicStitch PriorityQueue PriorityQueueV2 QueueClose "
        "QueueCloseV2 QueueDequeue QueueDequeueMany QueueDequeueManyV2 QueueDequeueUpTo "
        "QueueDequeueUpToV2 QueueDequeueV2 QueueEnqueue QueueEnqueueMany QueueEnqueueManyV2 "
        "QueueEnqueueV2 QueueIsClosed QueueIsClosedV2 QueueSize QueueSizeV2 RandomShuffleQueue "
        "RandomShuffleQueueV2 RecordInput ResourceAccumulatorApplyGradient "
        "ResourceAccumulatorNumAccumulated ResourceAccumulatorSetGlobalStep "
        "ResourceAccumulatorTakeGradient ResourceConditionalAccumulator "
        "SparseAccumulatorApplyGradient SparseAccumulatorTakeGradient "
        "SparseConditionalAccumulator _stack=Stack StackClose StackCloseV2 StackPop StackPopV2 "
        "StackPush StackPushV2 StackV2 Stage StageClear StagePeek StageSize TensorArray "
        "TensorArrayClose TensorArrayCloseV2 TensorArrayCloseV3 TensorArrayConcat "
        "TensorArrayConcatV2 TensorArrayConcatV3 TensorArrayGather TensorArrayGatherV2 "
        "TensorArrayGatherV3 TensorArrayGrad TensorArrayGradV2 TensorArrayGradV3 "
        "TensorArrayGradWithShape TensorArrayPack TensorArrayRead TensorArrayReadV2 "
        "TensorArrayReadV3 TensorArrayScatter TensorArrayScatterV2 TensorArrayScatterV3 "
        "TensorArraySize TensorArraySizeV2 TensorArraySizeV3 TensorArraySplit TensorArraySplitV2 "
        "TensorArraySplitV3 TensorArrayUnpack TensorArrayV2 TensorArrayV3 TensorArrayWrite "
        "TensorArrayWriteV2 TensorArrayWriteV3 Unstage"
    ),
    "python.ops.gen_dataset_ops": (
        "AnonymousIterator AnonymousIteratorV2 AnonymousIteratorV3 AnonymousMemoryCache "
        "AnonymousMultiDeviceIterator AnonymousMultiDeviceIteratorV3 AnonymousRandomSeedGenerator "
        "AnonymousSeedGenerator BatchDataset BatchDatasetV2 CacheDataset CacheDatasetV2 "
        "ConcatenateDataset DatasetCardinality DatasetFingerprint DatasetToGraph DatasetToGraphV2 "
        "DatasetToSingleElement DeleteIterator DeleteMemoryCache DeleteMultiDeviceIterator "
        "DeleteRandomSeedGenerator DeleteSeedGenerator DeserializeIterator DummyMemoryCache "
        "DummySeedGenerator FilterByLastComponentDataset FilterDataset FinalizeDataset "
        "FixedLengthRecordDataset FixedLengthRecordDatasetV2 FlatMapDataset GeneratorDataset "
        "GetOptions InterleaveDataset Iterator IteratorFromStringHandle "
        "IteratorFromStringHandleV2 IteratorGetNext IteratorGetNextAsOptional IteratorGetNextSync "
        "IteratorToStringHandle IteratorV2 MakeIterator MapDataset MapDefun ModelDataset "
        "MultiDeviceIterator MultiDeviceIteratorFromStringHandle "
        "MultiDeviceIteratorGetNextFromShard MultiDeviceIteratorInit "
        "MultiDeviceIteratorToStringHandle OneShotIterator OptimizeDataset OptimizeDatasetV2 "
        "OptionsDataset PaddedBatchDataset PaddedBatchDatasetV2 ParallelBatchDataset "
        "ParallelFilterDataset ParallelInterleaveDatasetV2 ParallelInterleaveDatasetV3 "
        "ParallelInterleaveDatasetV4 ParallelMapDataset ParallelMapDatasetV2 PrefetchDataset "
        "RangeDataset ReduceDataset RepeatDataset RewriteDataset SerializeIterator ShardDataset "
        "ShuffleAndRepeatDataset ShuffleAndRepeatDatasetV2 ShuffleDataset ShuffleDatasetV2 "
        "ShuffleDatasetV3 SkipDataset SparseTensorSliceDataset TFRecordDataset TFRecordDatasetV2 "
        "TakeDataset TensorDataset TensorSliceDataset TextLineDataset UnwrapDatasetVariant "
        "WindowDataset WindowOp WrapDatasetVariant ZipDataset"
    ),
    "python.ops.gen_debug_ops": (
        "Copy CopyHost DebugIdentity DebugIdentityV2 DebugIdentityV3 DebugNanCount "
        "DebugNumericSummary DebugNumericSummaryV2"
    ),
    "python.ops.gen_decode_proto_ops": ("DecodeProtoV2"),
    "python.ops.gen_encode_proto_ops": ("EncodeProto"),
    "python.ops.gen_experimental_dataset_ops": (
        "AssertCardinalityDataset AssertNextDataset AssertPrevDataset AutoShardDataset "
        "BytesProducedStatsDataset CSVDataset CSVDatasetV2 CheckPinned ChooseFastestBranchDataset "
        "ChooseFastestDataset CompressElement ComputeBatchSize DataServiceDataset "
        "DataServiceDatasetV2 DataServiceDatasetV3 DataServiceDatasetV4 DatasetFromGraph "
        "DatasetToTFRecord DenseToSparseBatchDataset DirectedInterleaveDataset DistributedSave "
        "DummyIterationCounter ExperimentalAssertNextDataset ExperimentalAutoShardDataset "
        "ExperimentalBytesProducedStatsDataset ExperimentalCSVDataset "
        "ExperimentalChooseFastestDataset ExperimentalDatasetCardinality "
        "ExperimentalDatasetToTFRecord ExperimentalDenseToSparseBatchDataset "
        "ExperimentalDirectedInterleaveDataset ExperimentalGroupByReducerDataset "
        "ExperimentalGroupByWindowDataset ExperimentalIgnoreErrorsDataset "
        "ExperimentalIteratorGetDevice ExperimentalLMDBDataset ExperimentalLatencyStatsDataset "
        "ExperimentalMapAndBatchDataset ExperimentalMapDataset ExperimentalMatchingFilesDataset "
        "ExperimentalMaxIntraOpParallelismDataset ExperimentalNonSerializableDataset "
        "ExperimentalParallelInterleaveDataset ExperimentalParseExampleDataset "
        "ExperimentalPrivateThreadPoolDataset ExperimentalRandomDataset "
        "ExperimentalRebatchDataset ExperimentalScanDataset ExperimentalSetStatsAggregatorDataset "
        "ExperimentalSleepDataset ExperimentalSlidingWindowDataset ExperimentalSqlDataset "
        "ExperimentalStatsAggregatorHandle ExperimentalStatsAggregatorSummary "
        "ExperimentalTakeWhileDataset ExperimentalThreadPoolDataset ExperimentalThreadPoolHandle "
        "ExperimentalUnbatchDataset ExperimentalUniqueDataset GetElementAtIndex "
        "GlobalShuffleDataset GroupByReducerDataset GroupByWindowDataset IgnoreErrorsDataset "
        "IndexFlatMapDataset InitializeTableFromDataset IteratorGetDevice IteratorGetModelProto "
        "LMDBDataset LatencyStatsDataset LegacyParallelInterleaveDatasetV2 ListDataset "
        "ListSnapshotChunksDataset LoadDataset MapAndBatchDataset MatchingFilesDataset "
        "MaxIntraOpParallelismDataset NonSerializableDataset ParallelInterleaveDataset "
        "ParseExampleDataset ParseExampleDatasetV2 PrivateThreadPoolDataset RandomDataset "
        "RandomDatasetV2 RebatchDataset RebatchDatasetV2 RegisterDataset RegisterDatasetV2 "
        "SamplingDataset SaveDataset SaveDatasetV2 ScanDataset SetStatsAggregatorDataset "
        "SleepDataset SlidingWindowDataset SnapshotChunkDataset SnapshotDataset "
        "SnapshotDatasetReader SnapshotDatasetV2 SnapshotNestedDatasetReader SqlDataset "
        "StatsAggregatorHandle StatsAggregatorHandleV2 StatsAggregatorSetSummaryWriter "
        "StatsAggregatorSummary TakeWhileDataset ThreadPoolDataset ThreadPoolHandle "
        "UnbatchDataset UncompressElement UniqueDataset WeightedFlatMapDataset"
    ),
    "python.ops.gen_filesystem_ops": ("FileSystemSetConfiguration"),
    "python.ops.gen_functional_ops": (
        "Case DeviceIndex FakeParam _for=For _if=If PartitionedCall RemoteCall "
        "StatefulPartitionedCall StatelessCase StatelessIf StatelessWhile SymbolicGradient ToBool "
        "_while=While"
    ),
    "python.ops.gen_image_ops": (
        "AdjustContrast AdjustContrastv2 AdjustHue AdjustSaturation CombinedNonMaxSuppression "
        "CropAndResize CropAndResizeGradBoxes CropAndResizeGradImage DecodeAndCropJpeg DecodeBmp "
        "DecodeGif DecodeImage DecodeJpeg DecodeJxl DecodePng DecodeWebP DrawBoundingBoxes "
        "DrawBoundingBoxesV2 EncodeJpeg EncodeJpegVariableQuality EncodePng ExtractGlimpse "
        "ExtractGlimpseV2 ExtractJpegShape GenerateBoundingBoxProposals HSVToRGB "
        "ImageProjectiveTransformV2 ImageProjectiveTransformV3 NonMaxSuppression "
        "NonMaxSuppressionV2 NonMaxSuppressionV3 NonMaxSuppressionV4 NonMaxSuppressionV5 "
        "NonMaxSuppressionWithOverlaps QuantizedResizeBilinear RGBToHSV RandomCrop ResizeArea "
        "ResizeBicubic ResizeBicubicGrad ResizeBilinear ResizeBilinearGrad ResizeNearestNeighbor "
        "ResizeNearestNeighborGrad SampleDistortedBoundingBox SampleDistortedBoundingBoxV2 "
        "ScaleAndTranslate ScaleAndTranslateGrad StatelessSampleDistortedBoundingBox"
    ),
    "python.ops.gen_io_ops": (
        "FixedLengthRecordReader FixedLengthRecordReaderV2 IdentityReader IdentityReaderV2 "
        "LMDBReader MatchingFiles MergeV2Checkpoints ReadFile ReaderNumRecordsProduced "
        "ReaderNumRecordsProducedV2 ReaderNumWorkUnitsCompleted ReaderNumWorkUnitsCompletedV2 "
        "ReaderRead ReaderReadUpTo ReaderReadUpToV2 ReaderReadV2 ReaderReset ReaderResetV2 "
        "ReaderRestoreState ReaderRestoreStateV2 ReaderSerializeState ReaderSerializeStateV2 "
        "Restore RestoreSlice RestoreV2 Save SaveSlices SaveV2 ShardedFilename ShardedFilespec "
        "TFRecordReader TFRecordReaderV2 TextLineReader TextLineReaderV2 WholeFileReader "
        "WholeFileReaderV2 WriteFile"
    ),
    "python.ops.gen_linalg_ops": (
        "BandedTriangularSolve BatchCholesky BatchCholeskyGrad BatchMatrixDeterminant "
        "BatchMatrixInverse BatchMatrixSolve BatchMatrixSolveLs BatchMatrixTriangularSolve "
        "BatchSelfAdjointEig BatchSelfAdjointEigV2 BatchSvd Cholesky CholeskyGrad Eig Einsum "
        "LogMatrixDeterminant Lu MatrixDeterminant MatrixExponential MatrixInverse "
        "MatrixLogarithm MatrixSolve MatrixSolveLs MatrixSquareRoot MatrixTriangularSolve Qr "
        "SelfAdjointEig SelfAdjointEigV2 Svd TridiagonalMatMul TridiagonalSolve"
    ),
    "python.ops.gen_list_ops": (
        "EmptyTensorList TensorListConcat TensorListConcatLists TensorListConcatV2 "
        "TensorListElementShape TensorListFromTensor TensorListGather TensorListGetItem "
        "TensorListLength TensorListPopBack TensorListPushBack TensorListPushBackBatch "
        "TensorListReserve TensorListResize TensorListScatter TensorListScatterIntoExistingList "
        "TensorListScatterV2 TensorListSetItem TensorListSplit TensorListStack"
    ),
    "python.ops.gen_logging_ops": (
        "_assert=Assert AudioSummary AudioSummaryV2 HistogramSummary ImageSummary MergeSummary "
        "_print=Print PrintV2 ScalarSummary TensorSummary TensorSummaryV2 Timestamp"
    ),
    "python.ops.gen_lookup_ops": (
        "AnonymousHashTable AnonymousMutableDenseHashTable AnonymousMutableHashTable "
        "AnonymousMutableHashTableOfTensors HashTable HashTableV2 InitializeTable "
        "InitializeTableFromTextFile InitializeTableFromTextFileV2 InitializeTableV2 "
        "LookupTableExport LookupTableExportV2 LookupTableFind LookupTableFindV2 "
        "LookupTableImport LookupTableImportV2 LookupTableInsert LookupTableInsertV2 "
        "LookupTableRemoveV2 LookupTableSize LookupTableSizeV2 MutableDenseHashTable "
        "MutableDenseHashTableV2 MutableHashTable MutableHashTableOfTensors "
        "MutableHashTableOfTensorsV2 MutableHashTableV2"
    ),
    "python.ops.gen_manip_ops": ("Roll"),
    "python.ops.gen_map_ops": (
        "EmptyTensorMap TensorMapErase TensorMapHasKey TensorMapInsert TensorMapLookup "
        "TensorMapSize TensorMapStackKeys"
    ),
    "python.ops.gen_math_ops": (
        "_any=Any _abs=Abs AccumulateNV2 Acos Acosh Add AddN AddV2 _all=All Angle "
        "ApproximateEqual ArgMax ArgMin Asin Asinh Atan Atan2 Atanh BatchMatMul BatchMatMulV2 "
        "BatchMatMulV3 Betainc Bincount Bucketize Cast Ceil _clip_by_value=ClipByValue "
        "_complex=Complex ComplexAbs Conj Cos Cosh Cross Cumprod Cumsum CumulativeLogsumexp "
        "DenseBincount Digamma Div DivNoNan Equal Erf Erfc Erfinv EuclideanNorm Exp Expm1 Floor "
        "FloorDiv FloorMod Greater GreaterEqual _histogram_fixed_width=HistogramFixedWidth Igamma "
        "IgammaGradA Igammac Imag Inv InvGrad IsFinite IsInf IsNan Less LessEqual Lgamma LinSpace "
        "Log Log1p LogicalAnd LogicalNot LogicalOr MatMul _max=Max Maximum Mean _min=Min Minimum "
        "Mod Mul MulNoNan Ndtri Neg NextAfter NotEqual Polygamma _pow=Pow Prod "
        "QuantizeDownAndShrinkRange QuantizedAdd QuantizedMatMul QuantizedMul RaggedBincount "
        "_range=Range Real RealDiv Reciprocal ReciprocalGrad RequantizationRange "
        "RequantizationRangePerChannel Requantize RequantizePerChannel Rint Round Rsqrt RsqrtGrad "
        "SegmentMax SegmentMaxV2 SegmentMean SegmentMin SegmentMinV2 SegmentProd SegmentProdV2 "
        "SegmentSum SegmentSumV2 Select SelectV2 Sigmoid SigmoidGrad Sign Sin Sinh SobolSample "
        "SparseBincount SparseMatMul SparseSegmentMean SparseSegmentMeanGrad "
        "SparseSegmentMeanGradV2 SparseSegmentMeanWithNumSegments SparseSegmentSqrtN "
        "SparseSegmentSqrtNGrad SparseSegmentSqrtNGradV2 SparseSegmentSqrtNWithNumSegments "
        "SparseSegmentSum SparseSegmentSumGrad SparseSegmentSumGradV2 "
        "SparseSegmentSumWithNumSegments Sqrt SqrtGrad Square SquaredDifference Sub _sum=Sum Tan "
        "Tanh TanhGrad TruncateDiv TruncateMod UnsortedSegmentMax UnsortedSegmentMin "
        "UnsortedSegmentProd UnsortedSegmentSum Xdivy Xlog1py Xlogy Zeta"
    ),
    "python.ops.gen_nccl_ops": ("NcclAllReduce NcclBroadcast NcclReduce"),
    "python.ops.gen_nn_ops": (
        "ApproxTopK AvgPool AvgPool3D AvgPool3DGrad AvgPoolGrad "
        "_batch_norm_with_global_normalization=BatchNormWithGlobalNormalization "
        "BatchNormWithGlobalNormalizationGrad BiasAdd BiasAddGrad BiasAddV1 Conv Conv2D "
        "Conv2DBackpropFilter Conv2DBackpropFilterV2 Conv2DBackpropInput Conv2DBackpropInputV2 "
        "Conv3D Conv3DBackpropFilter Conv3DBackpropFilterV2 Conv3DBackpropInput "
        "Conv3DBackpropInputV2 DataFormatDimMap DataFormatVecPermute DepthwiseConv2dNative "
        "DepthwiseConv2dNativeBackpropFilter DepthwiseConv2dNativeBackpropInput Dilation2D "
        "Dilation2DBackpropFilter Dilation2DBackpropInput Elu EluGrad FractionalAvgPool "
        "FractionalAvgPoolGrad FractionalMaxPool FractionalMaxPoolGrad "
        "_fused_batch_norm=FusedBatchNorm FusedBatchNormGrad FusedBatchNormGradV2 "
        "FusedBatchNormGradV3 FusedBatchNormV2 FusedBatchNormV3 FusedPadConv2D "
        "FusedResizeAndPadConv2D InTopK InTopKV2 IsotonicRegression L2Loss LRN LRNGrad LeakyRelu "
        "LeakyReluGrad LogSoftmax MaxPool MaxPool3D MaxPool3DGrad MaxPool3DGradGrad MaxPoolGrad "
        "MaxPoolGradGrad MaxPoolGradGradV2 MaxPoolGradGradWithArgmax MaxPoolGradV2 "
        "MaxPoolGradWithArgmax MaxPoolV2 MaxPoolWithArgmax NthElement QuantizedAvgPool "
        "QuantizedBatchNormWithGlobalNormalization QuantizedBiasAdd QuantizedConv2D "
        "QuantizedConv2DAndRelu QuantizedConv2DAndReluAndRequantize QuantizedConv2DAndRequantize "
        "QuantizedConv2DPerChannel QuantizedConv2DWithBias QuantizedConv2DWithBiasAndRelu "
        "QuantizedConv2DWithBiasAndReluAndRequantize QuantizedConv2DWithBiasAndRequantize "
        "QuantizedConv2DWithBiasSignedSumAndReluAndRequantize QuantizedConv2DWithBiasSumAndRelu "
        "QuantizedConv2DWithBiasSumAndReluAndRequantize QuantizedDepthwiseConv2D "
        "QuantizedDepthwiseConv2DWithBias QuantizedDepthwiseConv2DWithBiasAndRelu "
        "QuantizedDepthwiseConv2DWithBiasAndReluAndRequantize QuantizedMatMulWithBias "
        "QuantizedMatMulWithBiasAndDequantize QuantizedMatMulWithBiasAndRelu "
        "QuantizedMatMulWithBiasAndReluAndRequantize QuantizedMatMulWithBiasAndRequantize "
        "QuantizedMaxPool QuantizedRelu QuantizedRelu6 QuantizedReluX Relu Relu6 Relu6Grad "
        "ReluGrad Selu SeluGrad Softmax SoftmaxCrossEntropyWithLogits Softplus SoftplusGrad "
        "Softsign SoftsignGrad SparseSoftmaxCrossEntropyWithLogits TopK TopKV2"
    ),
    "python.ops.gen_optional_ops": (
        "OptionalFromValue OptionalGetValue OptionalHasValue OptionalNone"
    ),
    "python.ops.gen_parsing_ops": (
        "DecodeCSV DecodeCompressed DecodeJSONExample DecodePaddedRaw DecodeRaw ParseExample "
        "ParseExampleV2 ParseSequenceExample ParseSequenceExampleV2 ParseSingleExample "
        "ParseSingleSequenceExample ParseTensor SerializeTensor StringToNumber"
    ),
    "python.ops.gen_ragged_array_ops": (
        "RaggedCross RaggedFillEmptyRows RaggedFillEmptyRowsGrad RaggedGather"
    ),
    "python.ops.gen_ragged_conversion_ops": (
        "RaggedTensorFromVariant RaggedTensorToSparse RaggedTensorToTensor RaggedTensorToVariant "
        "RaggedTensorToVariantGradient"
    ),
    "python.ops.gen_ragged_math_ops": ("RaggedRange"),
    "python.ops.gen_random_index_shuffle_ops": ("RandomIndexShuffle"),
    "python.ops.gen_random_ops": (
        "Multinomial ParameterizedTruncatedNormal RandomGamma RandomGammaGrad RandomPoisson "
        "RandomPoissonV2 RandomShuffle RandomStandardNormal RandomUniform RandomUniformInt "
        "TruncatedNormal"
    ),
    "python.ops.gen_resource_variable_ops": (
        "AssignAddVariableOp AssignSubVariableOp AssignVariableOp ConsumeMutexLock "
        "DestroyResourceOp DisableCopyOnRead MutexLock MutexV2 ReadVariableOp ResourceGather "
        "ResourceGatherNd ResourceScatterAdd ResourceScatterDiv ResourceScatterMax "
        "ResourceScatterMin ResourceScatterMul ResourceScatterSub ResourceScatterUpdate "
        "VarHandleOp VarIsInitializedOp VariableShape"
    ),
    "python.ops.gen_rnn_ops": (
        "BlockLSTM BlockLSTMGrad BlockLSTMGradV2 BlockLSTMV2 GRUBlockCell GRUBlockCellGrad "
        "LSTMBlockCell LSTMBlockCellGrad"
    ),
    "python.ops.gen_script_ops": ("EagerPyFunc PyFunc PyFuncStateless"),
    "python.ops.gen_sdca_ops": ("SdcaFprint SdcaOptimizer SdcaOptimizerV2 SdcaShrinkL1"),
    "python.ops.gen_sendrecv_ops": ("Recv Send"),
    "python.ops.gen_set_ops": (
        "DenseToDenseSetOperation DenseToSparseSetOperation SetSize SparseToSparseSetOperation"
    ),
    "python.ops.gen_sparse_ops": (
        "AddManySparseToTensorsMap AddSparseToTensorsMap DeserializeManySparse DeserializeSparse "
        "SerializeManySparse SerializeSparse SparseAdd SparseAddGrad SparseConcat SparseCross "
        "SparseCrossHashed SparseCrossV2 SparseDenseCwiseAdd SparseDenseCwiseDiv "
        "SparseDenseCwiseMul SparseFillEmptyRows SparseFillEmptyRowsGrad SparseReduceMax "
        "SparseReduceMaxSparse SparseReduceSum SparseReduceSumSparse SparseReorder SparseReshape "
        "SparseSlice SparseSliceGrad SparseSoftmax SparseSparseMaximum SparseSparseMinimum "
        "SparseSplit SparseTensorDenseAdd SparseTensorDenseMatMul SparseToDense "
        "TakeManySparseFromTensorsMap"
    ),
    "python.ops.gen_special_math_ops": (
        "BesselI0 BesselI0e BesselI1 BesselI1e BesselJ0 BesselJ1 BesselK0 BesselK0e BesselK1 "
        "BesselK1e BesselY0 BesselY1 Dawsn Expint FresnelCos FresnelSin Spence"
    ),
    "python.ops.gen_spectral_ops": (
        "BatchFFT BatchFFT2D BatchFFT3D BatchIFFT BatchIFFT2D BatchIFFT3D FFT FFT2D FFT3D FFTND "
        "IFFT IFFT2D IFFT3D IFFTND IRFFT IRFFT2D IRFFT3D IRFFTND RFFT RFFT2D RFFT3D RFFTND"
    ),
    "python.ops.gen_state_ops": (
        "Assign AssignAdd AssignSub CountUpTo DestroyTemporaryVariable IsVariableInitialized "
        "ResourceCountUpTo ResourceScatterNdAdd ResourceScatterNdMax ResourceScatterNdMin "
        "ResourceScatterNdSub ResourceScatterNdUpdate ScatterAdd ScatterDiv ScatterMax ScatterMin "
        "ScatterMul ScatterNdAdd ScatterNdMax ScatterNdMin ScatterNdSub ScatterNdUpdate "
        "ScatterSub ScatterUpdate TemporaryVariable Variable VariableV2"
    ),
    "python.ops.gen_stateful_random_ops": (
        "NonDeterministicInts RngReadAndSkip RngSkip StatefulRandomBinomial "
        "StatefulStandardNormal StatefulStandardNormalV2 StatefulTruncatedNormal StatefulUniform "
        "StatefulUniformFullInt StatefulUniformInt"
    ),
    "python.ops.gen_stateless_random_ops": (
        "StatelessMultinomial StatelessParameterizedTruncatedNormal StatelessRandomBinomial "
        "StatelessRandomGammaV2 StatelessRandomNormal StatelessRandomPoisson "
        "StatelessRandomUniform StatelessRandomUniformFullInt StatelessRandomUniformInt "
        "StatelessTruncatedNormal"
    ),
    "python.ops.gen_stateless_random_ops_v2": (
        "StatelessRandomGammaV3 StatelessRandomGetAlg StatelessRandomGetKeyCounter "
        "StatelessRandomGetKeyCounterAlg StatelessRandomNormalV2 StatelessRandomUniformFullIntV2 "
        "StatelessRandomUniformIntV2 StatelessRandomUniformV2 StatelessShuffle "
        "StatelessTruncatedNormalV2"
    ),
    "python.ops.gen_string_ops": (
        "AsString DecodeBase64 EncodeBase64 ReduceJoin RegexFullMatch RegexReplace "
        "StaticRegexFullMatch StaticRegexReplace StringFormat StringJoin StringLength StringLower "
        "StringNGrams StringSplit StringSplitV2 StringStrip StringToHashBucket "
        "StringToHashBucketFast StringToHashBucketStrong StringUpper Substr UnicodeDecode "
        "UnicodeDecodeWithOffsets UnicodeEncode UnicodeScript UnicodeTranscode "
        "UnsortedSegmentJoin"
    ),
    "python.ops.gen_summary_ops": (
        "CloseSummaryWriter CreateSummaryDbWriter CreateSummaryFileWriter FlushSummaryWriter "
        "ImportEvent SummaryWriter WriteAudioSummary WriteGraphSummary WriteHistogramSummary "
        "WriteImageSummary WriteRawProtoSummary WriteScalarSummary WriteSummary"
    ),
    "python.ops.gen_sync_ops": ("SyncDevice"),
    "python.ops.gen_tpu_ops": (
        "AllToAll AssignVariableXlaConcatND CollectivePermute ConfigureDistributedTPU "
        "ConfigureTPUEmbedding CrossReplicaSum DynamicEnqueueTPUEmbeddingArbitraryTensorBatch "
        "DynamicEnqueueTPUEmbeddingRaggedTensorBatch EnqueueTPUEmbeddingArbitraryTensorBatch "
        "EnqueueTPUEmbeddingIntegerBatch EnqueueTPUEmbeddingRaggedTensorBatch "
        "EnqueueTPUEmbeddingSparseBatch EnqueueTPUEmbeddingSparseTensorBatch InfeedDequeue "
        "InfeedDequeueTuple InfeedEnqueue InfeedEnqueuePrelinearizedBuffer InfeedEnqueueTuple "
        "IsTPUEmbeddingInitialized LoadTPUEmbeddingADAMParameters "
        "LoadTPUEmbeddingAdadeltaParameters LoadTPUEmbeddingAdagradMomentumParameters "
        "LoadTPUEmbeddingAdagradParameters LoadTPUEmbeddingCenteredRMSPropParameters "
        "LoadTPUEmbeddingFTRLParameters LoadTPUEmbeddingFrequencyEstimatorParameters "
        "LoadTPUEmbeddingMDLAdagradLightParameters LoadTPUEmbeddingMomentumParameters "
        "LoadTPUEmbeddingProximalAdagradParameters LoadTPUEmbeddingProximalYogiParameters "
        "LoadTPUEmbeddingRMSPropParameters LoadTPUEmbeddingStochasticGradientDescentParameters "
        "OutfeedDequeue OutfeedDequeueTuple OutfeedDequeueTupleV2 OutfeedDequeueV2 OutfeedEnqueue "
        "OutfeedEnqueueTuple Prelinearize PrelinearizeTuple ReadVariableXlaSplitND "
        "RecvTPUEmbeddingActivations RetrieveTPUEmbeddingADAMParameters "
        "RetrieveTPUEmbeddingAdadeltaParameters RetrieveTPUEmbeddingAdagradMomentumParameters "
        "RetrieveTPUEmbeddingAdagradParameters RetrieveTPUEmbeddingCenteredRMSPropParameters "
        "RetrieveTPUEmbeddingFTRLParameters RetrieveTPUEmbeddingFrequencyEstimatorParameters "
        "RetrieveTPUEmbeddingMDLAdagradLightParameters RetrieveTPUEmbeddingMomentumParameters "
        "RetrieveTPUEmbeddingProximalAdagradParameters RetrieveTPUEmbeddingProximalYogiParameters "
        "RetrieveTPUEmbeddingRMSPropParameters "
        "RetrieveTPUEmbeddingStochasticGradientDescentParameters SendTPUEmbeddingGradients "
        "ShutdownDistributedTPU TPUCompilationResult TPUDummyInput TPUEmbeddingActivations "
        "TPUOrdinalSelector TPUPartitionedCall TPUReplicateMetadata TPUReplicatedInput "
        "TPUReplicatedOutput WorkerHeartbeat XlaConcatND XlaSplitND"
    ),
    "python.ops.gen_tpu_partition_ops": (
        "TPUPartitionedInput TPUPartitionedInputV2 TPUPartitionedOutput TPUPartitionedOutputV2"
    ),
    "python.ops.gen_training_ops": (
        "ApplyAdaMax ApplyAdadelta ApplyAdagrad ApplyAdagradDA ApplyAdagradV2 ApplyAdam "
        "ApplyAddSign ApplyCenteredRMSProp ApplyFtrl ApplyFtrlV2 ApplyGradientDescent "
        "ApplyMomentum ApplyPowerSign ApplyProximalAdagrad ApplyProximalGradientDescent "
        "ApplyRMSProp ResourceApplyAdaMax ResourceApplyAdadelta ResourceApplyAdagrad "
        "ResourceApplyAdagradDA ResourceApplyAdagradV2 ResourceApplyAdam "
        "ResourceApplyAdamWithAmsgrad ResourceApplyAddSign ResourceApplyCenteredRMSProp "
        "ResourceApplyFtrl ResourceApplyFtrlV2 ResourceApplyGradientDescent "
        "ResourceApplyKerasMomentum ResourceApplyMomentum ResourceApplyPowerSign "
        "ResourceApplyProximalAdagrad ResourceApplyProximalGradientDescent ResourceApplyRMSProp "
        "ResourceSparseApplyAdadelta ResourceSparseApplyAdagrad ResourceSparseApplyAdagradDA "
        "ResourceSparseApplyAdagradV2 ResourceSparseApplyCenteredRMSProp ResourceSparseApplyFtrl "
        "ResourceSparseApplyFtrlV2 ResourceSparseApplyKerasMomentum ResourceSparseApplyMomentum "
        "ResourceSparseApplyProximalAdagrad ResourceSparseApplyProximalGradientDescent "
        "ResourceSparseApplyRMSProp SparseApplyAdadelta SparseApplyAdagrad SparseApplyAdagradDA "
        "SparseApplyAdagradV2 SparseApplyCenteredRMSProp SparseApplyFtrl SparseApplyFtrlV2 "
        "SparseApplyMomentum SparseApplyProximalAdagrad SparseApplyProximalGradientDescent "
        "SparseApplyRMSProp"
    ),
    "python.ops.gen_uniform_quant_ops": (
        "UniformDequantize UniformQuantize UniformQuantizedAdd UniformQuantizedClipByValue "
        "UniformQuantizedConvolution UniformQuantizedConvolutionHybrid UniformQuantizedDot "
        "UniformQuantizedDotHybrid UniformRequantize"
    ),
    "python.ops.linalg.sparse.gen_sparse_csr_matrix_ops": (
        "CSRSparseMatrixComponents CSRSparseMatrixToDense CSRSparseMatrixToSparseTensor "
        "DenseToCSRSparseMatrix SparseMatrixAdd SparseMatrixMatMul SparseMatrixMul "
        "SparseMatrixNNZ SparseMatrixOrderingAMD SparseMatrixSoftmax SparseMatrixSoftmaxGrad "
        "SparseMatrixSparseCholesky SparseMatrixSparseMatMul SparseMatrixTranspose "
        "SparseMatrixZeros SparseTensorToCSRSparseMatrix"
    ),
    "python.tpu.ops.gen_xla_ops": (
        "ConvertToCooTensor ConvertToListOfSparseCoreCooTensors "
        "ConvertToSparseCoreCsrWrappedCooTensor GetMinibatchSplitsWithPhysicalReplica "
        "GetMinibatchesInCsrWithPhysicalReplica GetStatsFromListOfSparseCoreCooTensors "
        "GlobalIterId SortListOfSparseCoreCooTensors StoreMinibatchStatisticsInFdo "
        "TPUAnnotateTensorsWithDynamicShape TPUCopyWithDynamicShape XlaSparseCoreAdagrad "
        "XlaSparseCoreAdagradMomentum XlaSparseCoreAdam XlaSparseCoreFtrl XlaSparseCoreSgd "
        "XlaSparseDenseMatmul XlaSparseDenseMatmulCustomCombinerOnTcGradWithAdagradAndCsrInput "
        "XlaSparseDenseMatmulCustomCombinerOnTcGradWithAdagradMomentumAndCsrInput "
        "XlaSparseDenseMatmulCustomCombinerOnTcGradWithAdamAndCsrInput "
        "XlaSparseDenseMatmulCustomCombinerOnTcGradWithCsrInput "
        "XlaSparseDenseMatmulCustomCombinerOnTcGradWithFtrlAndCsrInput "
        "XlaSparseDenseMatmulCustomCombinerOnTcGradWithSgdAndCsrInput "
        "XlaSparseDenseMatmulCustomCombinerOnTcWithCsrInput "
        "XlaSparseDenseMatmulGradWithAdagradAndCsrInput "
        "XlaSparseDenseMatmulGradWithAdagradAndStaticBufferSize "
        "XlaSparseDenseMatmulGradWithAdagradMomentumAndCsrInput "
        "XlaSparseDenseMatmulGradWithAdagradMomentumAndStaticBufferSize "
        "XlaSparseDenseMatmulGradWithAdamAndCsrInput "
        "XlaSparseDenseMatmulGradWithAdamAndStaticBufferSize XlaSparseDenseMatmulGradWithCsrInput "
        "XlaSparseDenseMatmulGradWithFtrlAndCsrInput "
        "XlaSparseDenseMatmulGradWithFtrlAndStaticBufferSize "
        "XlaSparseDenseMatmulGradWithSgdAndCsrInput "
        "XlaSparseDenseMatmulGradWithSgdAndStaticBufferSize XlaSparseDenseMatmulWithCsrInput "
        "XlaSparseDenseMatmulWithStaticBufferSize"
    ),
}
