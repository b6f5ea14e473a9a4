# Written by tools/write_names.py from the PUBLIC tables of the modules.
# ruff: noqa
# fmt: off

from tapegrad.v1.metrics import accuracy as accuracy
from tapegrad.v1.metrics import auc as auc
from tapegrad.v1.metrics import average_precision_at_k as average_precision_at_k
from tapegrad.v1.metrics import false_negatives as false_negatives
from tapegrad.v1.metrics import false_negatives_at_thresholds as false_negatives_at_thresholds
from tapegrad.v1.metrics import false_positives as false_positives
from tapegrad.v1.metrics import false_positives_at_thresholds as false_positives_at_thresholds
from tapegrad.v1.metrics import mean as mean
from tapegrad.v1.metrics import mean_absolute_error as mean_absolute_error
from tapegrad.v1.metrics import mean_cosine_distance as mean_cosine_distance
from tapegrad.v1.metrics import mean_iou as mean_iou
from tapegrad.v1.metrics import mean_per_class_accuracy as mean_per_class_accuracy
from tapegrad.v1.metrics import mean_relative_error as mean_relative_error
from tapegrad.v1.metrics import mean_squared_error as mean_squared_error
from tapegrad.v1.metrics import mean_tensor as mean_tensor
from tapegrad.v1.metrics import percentage_below as percentage_below
from tapegrad.v1.metrics import precision as precision
from tapegrad.v1.metrics import precision_at_k as precision_at_k
from tapegrad.v1.metrics import precision_at_thresholds as precision_at_thresholds
from tapegrad.v1.metrics import precision_at_top_k as precision_at_top_k
from tapegrad.v1.metrics import recall as recall
from tapegrad.v1.metrics import recall_at_k as recall_at_k
from tapegrad.v1.metrics import recall_at_thresholds as recall_at_thresholds
from tapegrad.v1.metrics import recall_at_top_k as recall_at_top_k
from tapegrad.v1.metrics import root_mean_squared_error as root_mean_squared_error
from tapegrad.v1.metrics import sensitivity_at_specificity as sensitivity_at_specificity
from tapegrad.v1.metrics import sparse_average_precision_at_k as sparse_average_precision_at_k
from tapegrad.v1.metrics import sparse_precision_at_k as sparse_precision_at_k
from tapegrad.v1.metrics import specificity_at_sensitivity as specificity_at_sensitivity
from tapegrad.v1.metrics import true_negatives as true_negatives
from tapegrad.v1.metrics import true_negatives_at_thresholds as true_negatives_at_thresholds
from tapegrad.v1.metrics import true_positives as true_positives
from tapegrad.v1.metrics import true_positives_at_thresholds as true_positives_at_thresholds
