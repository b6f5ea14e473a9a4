# Written by tools/write_names.py from the PUBLIC tables of the modules.
# ruff: noqa
# fmt: off

from tapegrad.v1.losses import absolute_difference as absolute_difference
from tapegrad.v1.losses import compute_weighted_loss as compute_weighted_loss
from tapegrad.v1.losses import cosine_distance as cosine_distance
from tapegrad.v1.losses import hinge_loss as hinge_loss
from tapegrad.v1.losses import huber_loss as huber_loss
from tapegrad.v1.losses import log_loss as log_loss
from tapegrad.v1.losses import mean_squared_error as mean_squared_error
from tapegrad.v1.losses import Reduction as Reduction
from tapegrad.v1.losses import sigmoid_cross_entropy as sigmoid_cross_entropy
from tapegrad.v1.losses import softmax_cross_entropy as softmax_cross_entropy
from tapegrad.v1.losses import sparse_softmax_cross_entropy as sparse_softmax_cross_entropy
