# Written by tools/write_names.py from the PUBLIC tables of the modules.
# ruff: noqa
# fmt: off

from tapegrad.summaries.collected import all_v2_summary_ops as all_v2_summary_ops
from tapegrad.summaries.collected import audio as audio
from tapegrad.summaries.collected import get_summary_description as get_summary_description
from tapegrad.summaries.collected import histogram as histogram
from tapegrad.summaries.collected import image as image
from tapegrad.summaries.collected import initialize as initialize
from tapegrad.summaries.collected import merge as merge
from tapegrad.summaries.collected import merge_all as merge_all
from tapegrad.summaries.collected import scalar as scalar
from tapegrad.summaries.collected import tensor_summary as tensor_summary
from tapegrad.summaries.collected import text as text
from tapegrad.summaries.files import FileWriter as FileWriter
from tapegrad.summaries.files import FileWriterCache as FileWriterCache
from tapegrad.summaries.messages import Event as Event
from tapegrad.summaries.messages import SessionLog as SessionLog
from tapegrad.summaries.messages import Summary as Summary
from tapegrad.summaries.messages import SummaryDescription as SummaryDescription
from tapegrad.summaries.messages import TaggedRunMetadata as TaggedRunMetadata
