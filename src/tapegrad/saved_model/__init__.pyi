# Written by tools/write_names.py from the PUBLIC tables of the modules.
# ruff: noqa
# fmt: off

from tapegrad.saving.loading import load as load
from tapegrad.saving.options import Asset as Asset
from tapegrad.saving.options import ASSETS_DIRECTORY as ASSETS_DIRECTORY
from tapegrad.saving.options import ASSETS_KEY as ASSETS_KEY
from tapegrad.saving.options import CLASSIFY_INPUTS as CLASSIFY_INPUTS
from tapegrad.saving.options import CLASSIFY_METHOD_NAME as CLASSIFY_METHOD_NAME
from tapegrad.saving.options import CLASSIFY_OUTPUT_CLASSES as CLASSIFY_OUTPUT_CLASSES
from tapegrad.saving.options import CLASSIFY_OUTPUT_SCORES as CLASSIFY_OUTPUT_SCORES
from tapegrad.saving.options import DEBUG_DIRECTORY as DEBUG_DIRECTORY
from tapegrad.saving.options import DEBUG_INFO_FILENAME_PB as DEBUG_INFO_FILENAME_PB
from tapegrad.saving.options import DEFAULT_SERVING_SIGNATURE_DEF_KEY as DEFAULT_SERVING_SIGNATURE_DEF_KEY
from tapegrad.saving.options import GPU as GPU
from tapegrad.saving.options import LoadOptions as LoadOptions
from tapegrad.saving.options import PREDICT_INPUTS as PREDICT_INPUTS
from tapegrad.saving.options import PREDICT_METHOD_NAME as PREDICT_METHOD_NAME
from tapegrad.saving.options import PREDICT_OUTPUTS as PREDICT_OUTPUTS
from tapegrad.saving.options import REGRESS_INPUTS as REGRESS_INPUTS
from tapegrad.saving.options import REGRESS_METHOD_NAME as REGRESS_METHOD_NAME
from tapegrad.saving.options import REGRESS_OUTPUTS as REGRESS_OUTPUTS
from tapegrad.saving.options import SAVED_MODEL_FILENAME_PB as SAVED_MODEL_FILENAME_PB
from tapegrad.saving.options import SAVED_MODEL_FILENAME_PBTXT as SAVED_MODEL_FILENAME_PBTXT
from tapegrad.saving.options import SAVED_MODEL_SCHEMA_VERSION as SAVED_MODEL_SCHEMA_VERSION
from tapegrad.saving.options import SaveOptions as SaveOptions
from tapegrad.saving.options import SERVING as SERVING
from tapegrad.saving.options import TPU as TPU
from tapegrad.saving.options import TRAINING as TRAINING
from tapegrad.saving.options import VARIABLES_DIRECTORY as VARIABLES_DIRECTORY
from tapegrad.saving.options import VARIABLES_FILENAME as VARIABLES_FILENAME
from tapegrad.saving.saved_model import contains_saved_model as contains_saved_model
from tapegrad.saving.saved_model import save as save
from tapegrad.saved_model import experimental as experimental
