# Written by tools/write_names.py from the PUBLIC tables of the modules.
# ruff: noqa
# fmt: off

from tapegrad.summaries.kinds import audio as audio
from tapegrad.summaries.kinds import histogram as histogram
from tapegrad.summaries.kinds import image as image
from tapegrad.summaries.kinds import scalar as scalar
from tapegrad.summaries.kinds import text as text
from tapegrad.summaries.state import record_if as record_if
from tapegrad.summaries.state import should_record_summaries as should_record_summaries
from tapegrad.summaries.state import write as write
from tapegrad.summaries.traces import graph as graph
from tapegrad.summaries.traces import trace_export as trace_export
from tapegrad.summaries.traces import trace_off as trace_off
from tapegrad.summaries.traces import trace_on as trace_on
from tapegrad.summaries.writer import create_file_writer as create_file_writer
from tapegrad.summaries.writer import create_noop_writer as create_noop_writer
from tapegrad.summaries.writer import flush as flush
from tapegrad.summaries.writer import SummaryWriter as SummaryWriter
from tapegrad.summary import experimental as experimental
