"""Another of these programs, on machines that each have two of the ranks, as far as MPI says.

hosts.py PROGRAM
"""

import runpy
import sys
from pathlib import Path

from mpi4py import MPI

import tapegrad as tf


class Machines(MPI.Intracomm):
    """All ranks of the job, two on each machine."""

    def Dup(self, info=None):
        return Machines(super().Dup())

    def Split(self, color=0, key=0):
        return Machines(super().Split(color, key))

    def Split_type(self, kind, key=0, info=MPI.INFO_NULL):
        assert kind == MPI.COMM_TYPE_SHARED
        return self.Split(MPI.COMM_WORLD.rank // 2, key)


tf.distribute.shutdown()  # what the launcher has found
tf.distribute.init(Machines(MPI.COMM_WORLD), timeout=30)
assert tf.distribute.local_size() == 2
program = sys.argv[1]
del sys.argv[1]
runpy.run_path(str(Path(__file__).parent / program), run_name="__main__")
