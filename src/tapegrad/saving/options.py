"""Options, constants and assets of `tf.saved_model`."""

from __future__ import annotations

import enum
import os
from typing import Any

from tapegrad.core import Tensor, convert, static_value
from tapegrad.framework.bases import Trackable
from tapegrad.framework.printed import Printed

PUBLIC = {
    "saved_model": (
        "Asset LoadOptions SaveOptions ASSETS_DIRECTORY ASSETS_KEY CLASSIFY_INPUTS "
        "CLASSIFY_METHOD_NAME CLASSIFY_OUTPUT_CLASSES CLASSIFY_OUTPUT_SCORES DEBUG_DIRECTORY "
        "DEBUG_INFO_FILENAME_PB DEFAULT_SERVING_SIGNATURE_DEF_KEY GPU PREDICT_INPUTS "
        "PREDICT_METHOD_NAME PREDICT_OUTPUTS REGRESS_INPUTS REGRESS_METHOD_NAME REGRESS_OUTPUTS "
        "SAVED_MODEL_FILENAME_PB SAVED_MODEL_FILENAME_PBTXT SAVED_MODEL_SCHEMA_VERSION SERVING TPU "
        "TRAINING VARIABLES_DIRECTORY VARIABLES_FILENAME"
    ),
    "saved_model.experimental": "VariablePolicy",
    "train": "CheckpointOptions",
}

# Names that programs of TensorFlow use for tags, keys and files.
ASSETS_DIRECTORY = "assets"
ASSETS_KEY = "saved_model_assets"
CLASSIFY_INPUTS = "inputs"
CLASSIFY_METHOD_NAME = "tensorflow/serving/classify"
CLASSIFY_OUTPUT_CLASSES = "classes"
CLASSIFY_OUTPUT_SCORES = "scores"
DEBUG_DIRECTORY = "debug"
DEBUG_INFO_FILENAME_PB = "saved_model_debug_info.pb"
DEFAULT_SERVING_SIGNATURE_DEF_KEY = "serving_default"
GPU = "gpu"
PREDICT_INPUTS = "inputs"
PREDICT_METHOD_NAME = "tensorflow/serving/predict"
PREDICT_OUTPUTS = "outputs"
REGRESS_INPUTS = "inputs"
REGRESS_METHOD_NAME = "tensorflow/serving/regress"
REGRESS_OUTPUTS = "outputs"
SAVED_MODEL_FILENAME_PB = "saved_model.pb"
SAVED_MODEL_FILENAME_PBTXT = "saved_model.pbtxt"
SAVED_MODEL_SCHEMA_VERSION = 1
SERVING = "serve"
TPU = "tpu"
TRAINING = "train"
VARIABLES_DIRECTORY = "variables"
VARIABLES_FILENAME = "variables"


class VariablePolicy(enum.Enum):
    """How variables are saved. There is one device, so all policies do the same."""

    NONE = None
    SAVE_VARIABLE_DEVICES = "save_variable_devices"
    EXPAND_DISTRIBUTED_VARIABLES = "expand_distributed_variables"

    @staticmethod
    def from_obj(obj: Any) -> VariablePolicy:
        """The policy of that name; ``NONE`` for None."""
        if obj is None:
            return VariablePolicy.NONE
        if isinstance(obj, VariablePolicy):
            return obj
        for policy in VariablePolicy:
            if policy.value == str(obj).lower():
                return policy
        raise ValueError(f"Received invalid VariablePolicy value: {obj}.")


class SaveOptions(Printed):
    """Options for `tf.saved_model.save`.

    Args:
        namespace_whitelist: accepted: there are no namespaces of ops.
        save_debug_info: accepted: nothing is written for debuggers.
        function_aliases: a dict from names to functions. `tf.saved_model.load` gives them in
            ``function_aliases`` if requested.
        experimental_debug_stripper: accepted.
        experimental_io_device: accepted.
        experimental_variable_policy: accepted: there is one device.
        experimental_custom_gradients: whether gradients of `tf.custom_gradient` are saved. If not, it is an
            error to request one of a loaded function.
        experimental_image_format: accepted.
        experimental_skip_saver: accepted.
        experimental_sharding_callback: accepted.
        extra_tags: more tags for `tf.saved_model.load` to ask for.
    """

    def __init__(
        self,
        namespace_whitelist: Any = None,
        save_debug_info: bool = False,
        function_aliases: Any = None,
        experimental_debug_stripper: bool = False,
        experimental_io_device: Any = None,
        experimental_variable_policy: Any = None,
        experimental_custom_gradients: bool = True,
        experimental_image_format: bool = False,
        experimental_skip_saver: bool = False,
        experimental_sharding_callback: Any = None,
        extra_tags: Any = None,
    ) -> None:
        if namespace_whitelist is not None and not (
            isinstance(namespace_whitelist, list)
            and all(isinstance(name, str) for name in namespace_whitelist)
        ):
            raise TypeError(
                "`namespace_whitelist` must be a list of strings. Got: "
                f"{namespace_whitelist} with type {type(namespace_whitelist)}."
            )
        if function_aliases is not None and not isinstance(function_aliases, dict):
            raise TypeError(
                "`function_aliases` must be a dict from names to functions. Got: "
                f"{function_aliases} with type {type(function_aliases)}."
            )
        self.namespace_whitelist = list(namespace_whitelist or [])
        self.save_debug_info = save_debug_info
        self.function_aliases: dict[str, Any] = dict(function_aliases or {})
        self.experimental_debug_stripper = experimental_debug_stripper
        self.experimental_io_device = experimental_io_device
        self.experimental_variable_policy = VariablePolicy.from_obj(experimental_variable_policy)
        self.experimental_custom_gradients = experimental_custom_gradients
        self.experimental_image_format = experimental_image_format
        self.experimental_skip_saver = experimental_skip_saver
        self.experimental_sharding_callback = experimental_sharding_callback
        self.extra_tags = extra_tags


class LoadOptions(Printed):
    """Options for `tf.saved_model.load`.

    Args:
        allow_partial_checkpoint: accepted: a model's variables are whole, or it is damaged.
        experimental_io_device: accepted.
        experimental_skip_checkpoint: whether variables keep zeros in place of their values.
        experimental_variable_policy: accepted.
        experimental_load_function_aliases: whether the loaded object has ``function_aliases``.
    """

    def __init__(
        self,
        allow_partial_checkpoint: bool = False,
        experimental_io_device: Any = None,
        experimental_skip_checkpoint: bool = False,
        experimental_variable_policy: Any = None,
        experimental_load_function_aliases: bool = False,
    ) -> None:
        self.allow_partial_checkpoint = allow_partial_checkpoint
        self.experimental_io_device = experimental_io_device
        self.experimental_skip_checkpoint = experimental_skip_checkpoint
        self.experimental_variable_policy = VariablePolicy.from_obj(experimental_variable_policy)
        self.experimental_load_function_aliases = experimental_load_function_aliases


class CheckpointOptions(Printed):
    """Options for `tf.train.Checkpoint`. There is one device and one process, so they change nothing."""

    def __init__(
        self,
        experimental_io_device: Any = None,
        experimental_enable_async_checkpoint: bool = False,
        experimental_write_callbacks: Any = None,
        enable_async: bool = False,
        experimental_skip_slot_variables: bool = False,
        experimental_sharding_callback: Any = None,
    ) -> None:
        self.experimental_io_device = experimental_io_device
        self.enable_async = experimental_enable_async_checkpoint or enable_async
        self.experimental_write_callbacks = experimental_write_callbacks
        self.experimental_skip_slot_variables = experimental_skip_slot_variables
        self.experimental_sharding_callback = experimental_sharding_callback


class Asset(Trackable):
    """A file that belongs to a model: `tf.saved_model.save` copies it, and the loaded one is the copy.

    >>> asset = tf.saved_model.Asset("words.txt")
    >>> asset.asset_path.numpy().endswith(b"words.txt")
    True
    """

    def __init__(self, path: Any) -> None:
        if isinstance(path, Tensor):
            path = static_value(path, "a path").item()
        text = os.fsdecode(path)
        self._path = convert(os.path.abspath(text) if not os.path.isabs(text) else text)

    @property
    def asset_path(self) -> Any:
        """The path, as a tensor."""
        return self._path

    def __tf_tensor__(self, dtype: Any = None, name: str | None = None) -> Any:
        """The path, where a tensor is expected, as for `tf.io.read_file`."""
        return convert(self._path, dtype)
