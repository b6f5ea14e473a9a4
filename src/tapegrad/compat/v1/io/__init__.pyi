# Written by tools/write_names.py from the PUBLIC tables of the modules.
# ruff: noqa
# fmt: off

from tapegrad.io.csv import decode_csv_v1 as _decode_csv_v1
from tapegrad.io.decoding import decode_base64 as decode_base64
from tapegrad.io.decoding import decode_compressed as decode_compressed
from tapegrad.io.decoding import decode_raw_v1 as _decode_raw_v1
from tapegrad.io.decoding import encode_base64 as encode_base64
from tapegrad.io.features import FixedLenFeature as FixedLenFeature
from tapegrad.io.features import FixedLenSequenceFeature as FixedLenSequenceFeature
from tapegrad.io.features import RaggedFeature as RaggedFeature
from tapegrad.io.features import SparseFeature as SparseFeature
from tapegrad.io.features import VarLenFeature as VarLenFeature
from tapegrad.io.files import match_filenames_once as match_filenames_once
from tapegrad.io.files import matching_files as matching_files
from tapegrad.io.files import read_file as read_file
from tapegrad.io.files import write_file as write_file
from tapegrad.io.images import decode_and_crop_jpeg as decode_and_crop_jpeg
from tapegrad.io.images import decode_bmp as decode_bmp
from tapegrad.io.images import decode_gif as decode_gif
from tapegrad.io.images import decode_image as decode_image
from tapegrad.io.images import decode_jpeg as decode_jpeg
from tapegrad.io.images import decode_png as decode_png
from tapegrad.io.images import decode_webp as decode_webp
from tapegrad.io.images import encode_jpeg as encode_jpeg
from tapegrad.io.images import encode_png as encode_png
from tapegrad.io.images import extract_jpeg_shape as extract_jpeg_shape
from tapegrad.io.images import is_jpeg as is_jpeg
from tapegrad.io.json_examples import decode_json_example as decode_json_example
from tapegrad.io.parsing import parse_example_v1 as _parse_example_v1
from tapegrad.io.parsing import parse_single_example_v1 as _parse_single_example_v1
from tapegrad.io.records import tf_record_iterator as tf_record_iterator
from tapegrad.io.records import TFRecordCompressionType as TFRecordCompressionType
from tapegrad.io.records import TFRecordOptions as TFRecordOptions
from tapegrad.io.records import TFRecordWriter as TFRecordWriter
from tapegrad.io.sequences import parse_sequence_example as parse_sequence_example
from tapegrad.io.sequences import parse_single_sequence_example as parse_single_sequence_example
from tapegrad.io.sparse_strings import deserialize_many_sparse as deserialize_many_sparse
from tapegrad.io.sparse_strings import serialize_many_sparse_v1 as _serialize_many_sparse_v1
from tapegrad.io.sparse_strings import serialize_sparse_v1 as _serialize_sparse_v1
from tapegrad.io.tensors import parse_tensor as parse_tensor
from tapegrad.io.tensors import serialize_tensor as serialize_tensor
from tapegrad.queues import PaddingFIFOQueue as PaddingFIFOQueue
from tapegrad.queues import PriorityQueue as PriorityQueue
from tapegrad.queues import QueueBase as QueueBase
from tapegrad.queues import RandomShuffleQueue as RandomShuffleQueue
from tapegrad.compat.v1.io import gfile as gfile

decode_csv = _decode_csv_v1
decode_raw = _decode_raw_v1
parse_example = _parse_example_v1
parse_single_example = _parse_single_example_v1
serialize_many_sparse = _serialize_many_sparse_v1
serialize_sparse = _serialize_sparse_v1
