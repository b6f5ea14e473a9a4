"""The machinery, compiled: tensors, dispatch, tapes and the walk back. It knows no op by name.

Tensors and calls:

``tensor``     the tensor, and the operators that it shares with variables
``variable``   the value of a variable, and when it may be written in place
``operands``   arguments as tensors
``operators``  which op runs for an operator
``binding``    arguments bound to the parameters of an op
``function``   one object for every public function: who takes part in a call
``dispatch``   from a call to a result
``halves``     float16 and bfloat16, widened and rounded
``kinds``      arrays that are not NumPy's
``sizes``      integers that know their expression over open sizes
``abstract``   arrays without elements, and the rules for the shapes of results
``stand_ins``  kernels and rules that are traced as programs
``renaming``   functions under other names for their arguments
``profiling``  calls of ops that no profiler is told of
``tracebacks`` tracebacks without frames of this package
``callbacks``  the record of functions that the core asks of higher layers

Tapes and derivatives:

``observers``  callbacks for what happens on a thread: ops, values that are read, variables
``recording``  what observers learn of a call, and the record that it leaves
``tape``       records in the order of execution
``ids``        tables by the id of a tensor
``notes``      where values went on without a gradient
``rules``      how gradient rules are read
``plans``      what a record saves, and how rules are called with it
``requests``   what users ask of a tape about tensors and flat lists
``backward``   the walk back
``gradients``  the gradients of one walk, added up
``fast_forms`` rules as programs or kernels
``forward``    tangents, while the program runs
``batching``   all items of a batch in one array
``recorded_arrays`` the data of a batch while a function is recorded

Recorded functions:

``signatures``   which recording answers a call
``steps``        what a recording consists of
``recorder``     writes down what a function does
``garbage``      Python's garbage collector waits meanwhile
``opening``      arrays whose sizes are open while a function is recorded
``open_recordings`` what was recorded for open sizes, for given ones
``recomputing``  intermediate results that are let go of while a function is recorded
``compiling``    dead code, common subexpressions, the order of steps, and when tensors are released
``additions``    products that are added to what is there
``joining``      convolutions joined with what follows them
``fusing``       elementwise steps joined into blocks
``replay``       runs recordings
``forward_backward`` gradients of recordings, recorded too, for tapes from outside
``compositions`` public functions that are replayed on few numbers
"""

import os

from tapegrad.core.backward import compute_gradient, has_transpose
from tapegrad.core.batching import Batch, Batched, Pieces, in_batch
from tapegrad.core.binding import (
    REQUIRED,
    are_ints,
    are_tensors,
    list_of,
    quick_ints,
    quick_pairs,
    quick_sizes,
)
from tapegrad.core.callbacks import Callbacks, callbacks, open_watch, set_loader
from tapegrad.core.dispatch import (
    Op,
    forget_unloaded,
    load_ops,
    register_gradient,
    registry,
)
from tapegrad.core.forward import Accumulator, Follower, Following, linear_groups, tangents_of
from tapegrad.core.function import (
    Function,
    dispatch_by,
    open_trace,
    profile_by,
    promote_by,
    public,
)
from tapegrad.core.gradients import Misfit, fitted
from tapegrad.core.kinds import (
    Closing,
    Kind,
    NeedsItems,
    NeedsValues,
    NotVectorized,
    Splits,
    register_kind,
)
from tapegrad.core.observers import (
    FiniteWatcher,
    LineWatcher,
    Observer,
    VariableWatcher,
    announce,
    apart,
    enter_scope,
    forget_other_threads,
    hold_effects,
    left_function,
    no_recording,
    note_departure,
    observers,
    one_op,
    other_threads,
    pretend,
    refuse_recording,
    report,
    static_value,
)
from tapegrad.core.operands import cached_numbers, convert, number_tensor, plain_numbers
from tapegrad.core.operators import fill_callbacks
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
from tapegrad.core.variable import (
    VariableBase,
    forget_other_writers,
    let_writers_go_on,
    wait_for_writers,
)

if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=wait_for_writers,
        after_in_parent=let_writers_go_on,
        after_in_child=forget_other_writers,
    )
    os.register_at_fork(after_in_child=forget_other_threads)

__all__ = [
    "ASKS",
    "REQUIRED",
    "Accumulator",
    "Batch",
    "Batched",
    "Callbacks",
    "Closing",
    "EagerTensor",
    "FiniteWatcher",
    "Follower",
    "Following",
    "Function",
    "Kind",
    "LineWatcher",
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
    "adding",
    "alias",
    "announce",
    "apart",
    "are_ints",
    "are_tensors",
    "cached_numbers",
    "callbacks",
    "compute_gradient",
    "convert",
    "dispatch_by",
    "enter_scope",
    "fill_callbacks",
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
    "note_departure",
    "number_tensor",
    "observers",
    "one_op",
    "open_trace",
    "open_watch",
    "other_threads",
    "plain_numbers",
    "pointwise",
    "pretend",
    "profile_by",
    "promote_by",
    "public",
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
    "report",
    "set_homes",
    "set_loader",
    "static_value",
    "takes_halves",
    "tangents_of",
]
