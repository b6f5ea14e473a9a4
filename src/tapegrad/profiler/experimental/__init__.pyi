# Written by tools/write_names.py from the PUBLIC tables of the modules.
# ruff: noqa
# fmt: off

from tapegrad.timelines import Profile as Profile
from tapegrad.timelines import ProfilerOptions as ProfilerOptions
from tapegrad.timelines import start as start
from tapegrad.timelines import stop as stop
from tapegrad.timelines import Trace as Trace
from tapegrad.profiler.experimental import client as client
from tapegrad.profiler.experimental import server as server
