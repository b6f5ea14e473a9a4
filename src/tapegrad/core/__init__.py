"""The machinery, compiled: tensors, dispatch, tapes and the walk back. It knows no op by name."""

import os

from tapegrad.core.backward import compute_gradient, has_transpose
from tapegrad.core.batching import Batch, Batched, Pieces, in_batch
from tapegrad.core.binding import REQUIRED, are_ints, list_of, quick_ints, quick_pairs, quick_sizes
from tapegrad.core.compositions import Composition, composition, replay_composite
from tapegrad.core.dispatch import (
    Op,
    forget_unloaded,
    load_ops,
    register_gradient,
    registry,
)
from tapegrad.core.forward import Accumulator, Follower, Following, linear_groups, tangents_of
from tapegrad.core.gradients import Misfit, fitted
from tapegrad.core.kinds import Kind, NeedsItems, NeedsValues, NotVectorized, Splits, register_kind
from tapegrad.core.observers import (
    Observer,
    VariableWatcher,
    apart,
    forget_other_threads,
    hold_effects,
    left_function,
    no_recording,
    observers,
    one_op,
    pretend,
    refuse_recording,
    static_value,
    tell,
)
from tapegrad.core.operands import cached_numbers, convert, number_tensor, plain_numbers
from tapegrad.core.operators import fill_above
from tapegrad.core.plans import ASKS
from tapegrad.core.renaming import Renamed
from tapegrad.core.rules import adding, pointwise, takes_halves
from tapegrad.core.tape import (
    Recording,
    RuleKeeper,
    Tape,
    alias,
    is_recording,
    keeps_rules,
    record,
    recording,
)
from tapegrad.core.tensor import (
    EagerTensor,
    Operand,
    Tensor,
    read_only_view,
    set_homes,
)
from tapegrad.core.tracebacks import hide
from tapegrad.core.upward import Above, above, open_trace, open_watch, set_loader
from tapegrad.core.variable import (
    VariableBase,
    forget_other_writers,
    let_writers_go_on,
    wait_for_writers,
)

os.register_at_fork(
    before=wait_for_writers,
    after_in_parent=let_writers_go_on,
    after_in_child=forget_other_writers,
)
os.register_at_fork(after_in_child=forget_other_threads)

__all__ = [
    "ASKS",
    "REQUIRED",
    "Above",
    "Accumulator",
    "Batch",
    "Batched",
    "Composition",
    "EagerTensor",
    "Follower",
    "Following",
    "Kind",
    "Misfit",
    "NeedsItems",
    "NeedsValues",
    "NotVectorized",
    "Observer",
    "Op",
    "Operand",
    "Pieces",
    "Recording",
    "Renamed",
    "RuleKeeper",
    "Splits",
    "Tape",
    "Tensor",
    "VariableBase",
    "VariableWatcher",
    "above",
    "adding",
    "alias",
    "apart",
    "are_ints",
    "cached_numbers",
    "composition",
    "compute_gradient",
    "convert",
    "fill_above",
    "fitted",
    "forget_unloaded",
    "has_transpose",
    "hide",
    "hold_effects",
    "in_batch",
    "is_recording",
    "keeps_rules",
    "left_function",
    "linear_groups",
    "list_of",
    "load_ops",
    "no_recording",
    "number_tensor",
    "observers",
    "one_op",
    "open_trace",
    "open_watch",
    "plain_numbers",
    "pointwise",
    "pretend",
    "quick_ints",
    "quick_pairs",
    "quick_sizes",
    "read_only_view",
    "record",
    "recording",
    "refuse_recording",
    "register_gradient",
    "register_kind",
    "registry",
    "replay_composite",
    "set_homes",
    "set_loader",
    "static_value",
    "takes_halves",
    "tangents_of",
    "tell",
]
