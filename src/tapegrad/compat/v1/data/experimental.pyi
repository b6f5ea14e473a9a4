# Written by tools/write_names.py from the PUBLIC tables of the modules.
# ruff: noqa
# fmt: off

from tapegrad.data.csv_files import CsvDatasetV2 as _CsvDatasetV2
from tapegrad.data.csv_files import make_csv_dataset as make_csv_dataset
from tapegrad.data.dataset import AUTOTUNE as AUTOTUNE
from tapegrad.data.dataset import DatasetSpec as _DatasetSpec
from tapegrad.data.dataset import INFINITE as _INFINITE
from tapegrad.data.dataset import UNKNOWN as _UNKNOWN
from tapegrad.data.extras import assert_cardinality as assert_cardinality
from tapegrad.data.extras import bucket_by_sequence_length as bucket_by_sequence_length
from tapegrad.data.extras import cardinality as cardinality
from tapegrad.data.extras import choose_from_datasets as choose_from_datasets
from tapegrad.data.extras import copy_to_device as copy_to_device
from tapegrad.data.extras import Counter as Counter
from tapegrad.data.extras import dense_to_ragged_batch as dense_to_ragged_batch
from tapegrad.data.extras import dense_to_sparse_batch as dense_to_sparse_batch
from tapegrad.data.extras import enable_debug_mode as enable_debug_mode
from tapegrad.data.extras import enumerate_dataset as enumerate_dataset
from tapegrad.data.extras import from_list as from_list
from tapegrad.data.extras import get_single_element as get_single_element
from tapegrad.data.extras import get_structure as get_structure
from tapegrad.data.extras import group_by_reducer as group_by_reducer
from tapegrad.data.extras import group_by_window as group_by_window
from tapegrad.data.extras import ignore_errors as ignore_errors
from tapegrad.data.extras import map_and_batch as map_and_batch
from tapegrad.data.extras import pad_to_cardinality as pad_to_cardinality
from tapegrad.data.extras import parallel_interleave as parallel_interleave
from tapegrad.data.extras import prefetch_to_device as prefetch_to_device
from tapegrad.data.extras import RandomDatasetV2 as _RandomDatasetV2
from tapegrad.data.extras import Reducer as Reducer
from tapegrad.data.extras import rejection_resample as rejection_resample
from tapegrad.data.extras import sample_from_datasets as sample_from_datasets
from tapegrad.data.extras import scan as scan
from tapegrad.data.extras import SHARD_HINT as SHARD_HINT
from tapegrad.data.extras import shuffle_and_repeat as shuffle_and_repeat
from tapegrad.data.extras import take_while as take_while
from tapegrad.data.extras import unbatch as unbatch
from tapegrad.data.extras import unique as unique
from tapegrad.data.files import DatasetWriter as _DatasetWriter
from tapegrad.data.iterators import get_next_as_optional as get_next_as_optional
from tapegrad.data.legacy import map_and_batch_with_legacy_function as map_and_batch_with_legacy_function
from tapegrad.data.legacy import RaggedTensorStructure as RaggedTensorStructure
from tapegrad.data.legacy import SparseTensorStructure as SparseTensorStructure
from tapegrad.data.legacy import TensorStructure as TensorStructure
from tapegrad.data.lookups import DatasetInitializer as DatasetInitializer
from tapegrad.data.lookups import index_table_from_dataset as index_table_from_dataset
from tapegrad.data.lookups import table_from_dataset as table_from_dataset
from tapegrad.data.optional import Optional as Optional
from tapegrad.data.optional import OptionalSpec as _OptionalSpec
from tapegrad.data.options import AutoShardPolicy as AutoShardPolicy
from tapegrad.data.options import AutotuneAlgorithm as AutotuneAlgorithm
from tapegrad.data.options import AutotuneOptions as AutotuneOptions
from tapegrad.data.options import DistributeOptions as DistributeOptions
from tapegrad.data.options import ExternalStatePolicy as ExternalStatePolicy
from tapegrad.data.options import OptimizationOptions as OptimizationOptions
from tapegrad.data.options import ServiceOptions as ServiceOptions
from tapegrad.data.options import ThreadingOptions as ThreadingOptions
from tapegrad.data.records import make_batched_features_dataset as make_batched_features_dataset
from tapegrad.data.records import parse_example_dataset as parse_example_dataset
from tapegrad.data.records import SqlDatasetV2 as _SqlDatasetV2
from tapegrad.data.stored import load_saved as _load_saved
from tapegrad.data.stored import save_dataset as _save_dataset
from tapegrad.data.stored import snapshot_of as _snapshot_of
from tapegrad.v1.today import TypeSpec as _TypeSpec

CsvDataset = _CsvDatasetV2
DatasetStructure = _DatasetSpec
INFINITE_CARDINALITY = _INFINITE
UNKNOWN_CARDINALITY = _UNKNOWN
RandomDataset = _RandomDatasetV2
TFRecordWriter = _DatasetWriter
OptionalStructure = _OptionalSpec
SqlDataset = _SqlDatasetV2
load = _load_saved
save = _save_dataset
snapshot = _snapshot_of
Structure = _TypeSpec
