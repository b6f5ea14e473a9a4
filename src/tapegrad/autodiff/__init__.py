"""What users hold: gradient tapes, custom gradients, Jacobians.

``tape``     `GradientTape`
``answers``  what users ask a tape about itself
``leaves``   the tensors in targets and sources
``explanations`` `GradientTape.explain`: why a gradient is None, in words
``first_nan`` `GradientTape.first_nan`: where a number began that is not finite
``summaries`` `GradientTape.summary` and `memory`
``graph_of_tape`` `GradientTape.graph`
``profiles`` `GradientTape.profile`
``unconnected`` the search for the reason
``program_text`` what the text of the user's program says
``forward``  `ForwardAccumulator`
``jacobian`` Jacobians: one walk with a batch of seeds
``custom``   functions with a gradient of their own
``registry`` gradients that users register for ops
``graphs``   `tf.gradients`, and names that TensorFlow has for graphs alone

The namespace `tf.autodiff` has the functions of `tapegrad.transforms` too.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:  # loaded on first use
    from tapegrad.autodiff.explanations import SourceExplanation as SourceExplanation
    from tapegrad.autodiff.explanations import TapeExplanation as TapeExplanation
    from tapegrad.autodiff.first_nan import FirstNan as FirstNan
    from tapegrad.autodiff.forward import ForwardAccumulator as ForwardAccumulator
    from tapegrad.autodiff.profiles import Profile as Profile
    from tapegrad.autodiff.profiles import ProfileRow as ProfileRow
    from tapegrad.autodiff.summaries import TapeMemory as TapeMemory
    from tapegrad.autodiff.summaries import TapeRow as TapeRow
    from tapegrad.autodiff.summaries import TapeSummary as TapeSummary
    from tapegrad.autodiff.tape import GradientTape as GradientTape
    from tapegrad.autodiff.unconnected import UnconnectedReason as UnconnectedReason
    from tapegrad.drawing.dataflow import DataflowGraph as DataflowGraph
    from tapegrad.drawing.dataflow import DataflowNode as DataflowNode
    from tapegrad.transforms.forward import jvp as jvp
    from tapegrad.transforms.forward import linearize as linearize
    from tapegrad.transforms.mapping import per_example_gradients as per_example_gradients
    from tapegrad.transforms.mapping import vmap as vmap
    from tapegrad.transforms.matrices import hessian as hessian
    from tapegrad.transforms.matrices import jacfwd as jacfwd
    from tapegrad.transforms.matrices import jacrev as jacrev
    from tapegrad.transforms.packing import Objective as Objective
    from tapegrad.transforms.packing import Packer as Packer
    from tapegrad.transforms.packing import minimize as minimize
    from tapegrad.transforms.recompute import recompute_sequence as recompute_sequence
    from tapegrad.transforms.reverse import grad as grad
    from tapegrad.transforms.reverse import hvp as hvp
    from tapegrad.transforms.reverse import value_and_grad as value_and_grad
    from tapegrad.transforms.reverse import vjp as vjp
    from tapegrad.transforms.series import jet as jet
    from tapegrad.transforms.series import taylor as taylor
    from tapegrad.transforms.solving import implicit_fixed_point as implicit_fixed_point
    from tapegrad.transforms.solving import implicit_root as implicit_root
