# Written by tools/write_names.py from the PUBLIC tables of the modules.
# ruff: noqa
# fmt: off

from tapegrad.strategies.partitioners import FixedShardsPartitioner as FixedShardsPartitioner
from tapegrad.strategies.partitioners import MaxSizePartitioner as MaxSizePartitioner
from tapegrad.strategies.partitioners import MinSizePartitioner as MinSizePartitioner
from tapegrad.strategies.partitioners import Partitioner as Partitioner
