# Written by tools/write_names.py from the PUBLIC tables of the modules.
# ruff: noqa
# fmt: off

from tapegrad.framework.bases import AutoTrackable as AutoTrackable
from tapegrad.framework.bases import no_automatic_dependency_tracking as no_automatic_dependency_tracking
from tapegrad.framework.bases import Trackable as Trackable
from tapegrad.framework.bases import TrackableReference as TrackableReference
from tapegrad.internal.hooks import register_session_provider as register_session_provider
from tapegrad.internal.legacy_keras import DelegatingTrackableMixin as DelegatingTrackableMixin
from tapegrad.saving.views import ObjectGraphView as ObjectGraphView
from tapegrad.standing.data_structures import TrackableDataStructure as TrackableDataStructure
from tapegrad.standing.data_structures import wrap_or_unwrap as _wrap_or_unwrap
from tapegrad.standing.tools import sticky_attribute_assignment as sticky_attribute_assignment

wrap = _wrap_or_unwrap
