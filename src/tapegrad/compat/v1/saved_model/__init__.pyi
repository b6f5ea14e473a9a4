# Written by tools/write_names.py from the PUBLIC tables of the modules.
# ruff: noqa
# fmt: off

from tapegrad.saving.saved_model import contains_saved_model as contains_saved_model
from tapegrad.saved_model import Asset as _Asset
from tapegrad.saved_model import ASSETS_DIRECTORY as _ASSETS_DIRECTORY
from tapegrad.saved_model import ASSETS_KEY as _ASSETS_KEY
from tapegrad.saved_model import CLASSIFY_INPUTS as _CLASSIFY_INPUTS
from tapegrad.saved_model import CLASSIFY_METHOD_NAME as _CLASSIFY_METHOD_NAME
from tapegrad.saved_model import CLASSIFY_OUTPUT_CLASSES as _CLASSIFY_OUTPUT_CLASSES
from tapegrad.saved_model import CLASSIFY_OUTPUT_SCORES as _CLASSIFY_OUTPUT_SCORES
from tapegrad.saved_model import DEBUG_DIRECTORY as _DEBUG_DIRECTORY
from tapegrad.saved_model import DEBUG_INFO_FILENAME_PB as _DEBUG_INFO_FILENAME_PB
from tapegrad.saved_model import DEFAULT_SERVING_SIGNATURE_DEF_KEY as _DEFAULT_SERVING_SIGNATURE_DEF_KEY
from tapegrad.saved_model import GPU as _GPU
from tapegrad.saved_model import load as _load_v2
from tapegrad.saved_model import PREDICT_INPUTS as _PREDICT_INPUTS
from tapegrad.saved_model import PREDICT_METHOD_NAME as _PREDICT_METHOD_NAME
from tapegrad.saved_model import PREDICT_OUTPUTS as _PREDICT_OUTPUTS
from tapegrad.saved_model import REGRESS_INPUTS as _REGRESS_INPUTS
from tapegrad.saved_model import REGRESS_METHOD_NAME as _REGRESS_METHOD_NAME
from tapegrad.saved_model import REGRESS_OUTPUTS as _REGRESS_OUTPUTS
from tapegrad.saved_model import save as _save
from tapegrad.saved_model import SAVED_MODEL_FILENAME_PB as _SAVED_MODEL_FILENAME_PB
from tapegrad.saved_model import SAVED_MODEL_FILENAME_PBTXT as _SAVED_MODEL_FILENAME_PBTXT
from tapegrad.saved_model import SAVED_MODEL_SCHEMA_VERSION as _SAVED_MODEL_SCHEMA_VERSION
from tapegrad.saved_model import SaveOptions as _SaveOptions
from tapegrad.saved_model import SERVING as _SERVING
from tapegrad.saved_model import TPU as _TPU
from tapegrad.saved_model import TRAINING as _TRAINING
from tapegrad.saved_model import VARIABLES_DIRECTORY as _VARIABLES_DIRECTORY
from tapegrad.saved_model import VARIABLES_FILENAME as _VARIABLES_FILENAME
from tapegrad.compat.v1.saved_model import experimental as experimental

Asset = _Asset
ASSETS_DIRECTORY = _ASSETS_DIRECTORY
ASSETS_KEY = _ASSETS_KEY
CLASSIFY_INPUTS = _CLASSIFY_INPUTS
CLASSIFY_METHOD_NAME = _CLASSIFY_METHOD_NAME
CLASSIFY_OUTPUT_CLASSES = _CLASSIFY_OUTPUT_CLASSES
CLASSIFY_OUTPUT_SCORES = _CLASSIFY_OUTPUT_SCORES
DEBUG_DIRECTORY = _DEBUG_DIRECTORY
DEBUG_INFO_FILENAME_PB = _DEBUG_INFO_FILENAME_PB
DEFAULT_SERVING_SIGNATURE_DEF_KEY = _DEFAULT_SERVING_SIGNATURE_DEF_KEY
GPU = _GPU
load_v2 = _load_v2
PREDICT_INPUTS = _PREDICT_INPUTS
PREDICT_METHOD_NAME = _PREDICT_METHOD_NAME
PREDICT_OUTPUTS = _PREDICT_OUTPUTS
REGRESS_INPUTS = _REGRESS_INPUTS
REGRESS_METHOD_NAME = _REGRESS_METHOD_NAME
REGRESS_OUTPUTS = _REGRESS_OUTPUTS
save = _save
SAVED_MODEL_FILENAME_PB = _SAVED_MODEL_FILENAME_PB
SAVED_MODEL_FILENAME_PBTXT = _SAVED_MODEL_FILENAME_PBTXT
SAVED_MODEL_SCHEMA_VERSION = _SAVED_MODEL_SCHEMA_VERSION
SaveOptions = _SaveOptions
SERVING = _SERVING
TPU = _TPU
TRAINING = _TRAINING
VARIABLES_DIRECTORY = _VARIABLES_DIRECTORY
VARIABLES_FILENAME = _VARIABLES_FILENAME
