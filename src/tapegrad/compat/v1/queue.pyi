# Written by tools/write_names.py from the PUBLIC tables of the modules.
# ruff: noqa
# fmt: off

from tapegrad.queue import FIFOQueue as _FIFOQueue
from tapegrad.queue import PaddingFIFOQueue as _PaddingFIFOQueue
from tapegrad.queue import PriorityQueue as _PriorityQueue
from tapegrad.queue import QueueBase as _QueueBase
from tapegrad.queue import RandomShuffleQueue as _RandomShuffleQueue

FIFOQueue = _FIFOQueue
PaddingFIFOQueue = _PaddingFIFOQueue
PriorityQueue = _PriorityQueue
QueueBase = _QueueBase
RandomShuffleQueue = _RandomShuffleQueue
