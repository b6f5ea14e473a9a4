"""What users hold: gradient tapes, custom gradients, Jacobians."""
