# Written by tools/write_names.py from the PUBLIC tables of the modules.
# ruff: noqa
# fmt: off

from tapegrad.tables import KeyValueTensorInitializer as KeyValueTensorInitializer
from tapegrad.tables import StaticHashTable as StaticHashTable
from tapegrad.tables import StaticVocabularyTable as StaticVocabularyTable
from tapegrad.tables import TextFileIndex as TextFileIndex
from tapegrad.tables import TextFileInitializer as TextFileInitializer
from tapegrad.compat.v1.lookup import experimental as experimental
