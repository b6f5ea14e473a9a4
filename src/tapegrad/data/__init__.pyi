# Written by tools/write_names.py from the PUBLIC tables of the modules.
# ruff: noqa
# fmt: off

from tapegrad.data.dataset import AUTOTUNE as AUTOTUNE
from tapegrad.data.dataset import DatasetV2 as _DatasetV2
from tapegrad.data.dataset import DatasetSpec as DatasetSpec
from tapegrad.data.dataset import INFINITE as _INFINITE
from tapegrad.data.dataset import IteratorSpec as IteratorSpec
from tapegrad.data.dataset import UNKNOWN as _UNKNOWN
from tapegrad.data.files import FixedLengthRecordDatasetV2 as _FixedLengthRecordDatasetV2
from tapegrad.data.files import TextLineDatasetV2 as _TextLineDatasetV2
from tapegrad.data.files import TFRecordDatasetV2 as _TFRecordDatasetV2
from tapegrad.data.iterators import IteratorBase as _IteratorBase
from tapegrad.data.iterators import NumpyIterator as NumpyIterator
from tapegrad.data.options import Options as Options
from tapegrad.data.options import ThreadingOptions as ThreadingOptions
from tapegrad.data import experimental as experimental

Dataset = _DatasetV2
INFINITE_CARDINALITY = _INFINITE
UNKNOWN_CARDINALITY = _UNKNOWN
FixedLengthRecordDataset = _FixedLengthRecordDatasetV2
TextLineDataset = _TextLineDatasetV2
TFRecordDataset = _TFRecordDatasetV2
Iterator = _IteratorBase
