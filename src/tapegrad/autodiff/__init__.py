"""What users hold: gradient tapes, custom gradients, Jacobians."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:  # loaded when it is asked for
    from tapegrad.autodiff.forward import ForwardAccumulator as ForwardAccumulator
    from tapegrad.autodiff.tape import GradientTape as GradientTape
