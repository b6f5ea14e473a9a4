# Written by tools/write_names.py from the PUBLIC tables of the modules.
# ruff: noqa
# fmt: off

from tapegrad.framework.bases import AutoTrackable as AutoTrackable
from tapegrad.framework.bases import no_automatic_dependency_tracking as no_automatic_dependency_tracking
from tapegrad.framework.bases import Trackable as Trackable
from tapegrad.framework.bases import TrackableReference as TrackableReference
