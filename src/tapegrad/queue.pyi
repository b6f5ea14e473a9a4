# Written by tools/write_names.py from the PUBLIC tables of the modules.
# ruff: noqa
# fmt: off

from tapegrad.queues import FIFOQueue as FIFOQueue
from tapegrad.queues import PaddingFIFOQueue as PaddingFIFOQueue
from tapegrad.queues import PriorityQueue as PriorityQueue
from tapegrad.queues import QueueBase as QueueBase
from tapegrad.queues import RandomShuffleQueue as RandomShuffleQueue
