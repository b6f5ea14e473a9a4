# Written by tools/write_names.py from the PUBLIC tables of the modules.
# ruff: noqa
# fmt: off

from tapegrad.data.dataset import AUTOTUNE as AUTOTUNE
from tapegrad.data.dataset import DatasetSpec as DatasetSpec
from tapegrad.data.dataset import INFINITE as _INFINITE
from tapegrad.data.dataset import UNKNOWN as _UNKNOWN
from tapegrad.data.files import FixedLengthRecordDatasetV2 as _FixedLengthRecordDatasetV2
from tapegrad.data.files import TextLineDatasetV2 as _TextLineDatasetV2
from tapegrad.data.files import TFRecordDatasetV2 as _TFRecordDatasetV2
from tapegrad.data.iterators import NumpyIterator as NumpyIterator
from tapegrad.data.legacy import DatasetV1 as _DatasetV1
from tapegrad.data.legacy import get_output_classes as get_output_classes
from tapegrad.data.legacy import get_output_shapes as get_output_shapes
from tapegrad.data.legacy import get_output_types as get_output_types
from tapegrad.data.legacy import IteratorV1 as _IteratorV1
from tapegrad.data.legacy import make_initializable_iterator as make_initializable_iterator
from tapegrad.data.legacy import make_one_shot_iterator as make_one_shot_iterator
from tapegrad.data.options import Options as Options
from tapegrad.data.options import ThreadingOptions as ThreadingOptions
from tapegrad.compat.v1.data import experimental as experimental

INFINITE_CARDINALITY = _INFINITE
UNKNOWN_CARDINALITY = _UNKNOWN
FixedLengthRecordDataset = _FixedLengthRecordDatasetV2
TextLineDataset = _TextLineDatasetV2
TFRecordDataset = _TFRecordDatasetV2
Dataset = _DatasetV1
Iterator = _IteratorV1
