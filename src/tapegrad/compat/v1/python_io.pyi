# Written by tools/write_names.py from the PUBLIC tables of the modules.
# ruff: noqa
# fmt: off

from tapegrad.io.records import tf_record_iterator as tf_record_iterator
from tapegrad.io.records import TFRecordCompressionType as TFRecordCompressionType
from tapegrad.io.records import TFRecordOptions as TFRecordOptions
from tapegrad.io.records import TFRecordWriter as TFRecordWriter
