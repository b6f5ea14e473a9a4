"""``tf.tpu``: what describes embeddings on TPUs, as plain data; what needs a TPU says that there is none.

Libraries name these classes when they are imported, keras_rs for example.
"""

from __future__ import annotations

import enum
import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, NoReturn

from tapegrad.annex.v1.initializers import truncated_normal_initializer as TruncatedNormal
from tapegrad.dtypes import DType, float32
from tapegrad.framework.printed import Printed
from tapegrad.framework.shape import TensorShape
from tapegrad.ops.shape.array import reshape, tile
from tapegrad.ops.shape.casts import cast
from tapegrad.ops.shape.sequences import range as tf_range

PUBLIC = {
    "tpu compat.v1.tpu": "XLAOptions",
    "tpu.experimental compat.v1.tpu.experimental": (
        "DeviceAssignment DeviceOrderMode HardwareFeature TPUSystemMetadata Topology "
        "initialize_tpu_system shutdown_tpu_system"
    ),
    "tpu.experimental.embedding": (
        "Adagrad AdagradMomentum Adam CustomCombiner CustomOptimizer FTRL FeatureConfig "
        "QuantizationConfig RowIdInitializer SGD SparseCoreEmbeddingConfig TPUEmbedding "
        "TPUEmbeddingForServing TPUEmbeddingV0 TPUEmbeddingV2 TableConfig serving_embedding_lookup"
    ),
}

COMBINERS = ("mean", "sum", "sqrtn")


def needs_tpu(name: str) -> NoReturn:
    raise NotImplementedError(
        f"tf.tpu{name} needs TPUs, and there are none here: tf.keras.layers.Embedding and "
        "tf.nn.embedding_lookup_sparse look rows up on the CPU."
    )


def must(condition: bool, what: str, value: Any) -> None:
    if not condition:
        raise ValueError(f"Argument {what}. Received: {value}")


# --- What describes embeddings ----------------------------------------------------------------------


class Described:
    """Data without behaviour. Two are equal if all their attributes are."""

    SHOWN: tuple[str, ...] = ()

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and vars(other) == vars(self)

    def __hash__(self) -> int:
        return hash((type(self), *[repr(value) for value in vars(self).values()]))

    def __repr__(self) -> str:
        if not self.SHOWN:
            return object.__repr__(self)
        shown = ", ".join([f"{name}={getattr(self, name)!r}" for name in self.SHOWN])
        return f"{type(self).__name__}({shown})"


class TPUOptimizer(Described):
    """How the rows of a table change. A subclass adds its numbers, and names what it keeps for each row."""

    SLOTS: tuple[str, ...] = ()

    learning_rate: float | Callable[[], float]
    use_gradient_accumulation: bool = False
    clip_weight_min: float | None = None
    clip_weight_max: float | None = None
    clip_gradient_min: Any = None
    clip_gradient_max: Any = None
    weight_decay_factor: float | None = None
    multiply_weight_decay_factor_by_learning_rate: bool | None = None
    slot_variable_creation_fn: Callable[..., Any] | None = None
    low_dimensional_packing_status: bool = False

    def _keep(self, arguments: dict[str, Any]) -> None:
        """Keep the arguments of the constructor, its ``locals()``, under their names."""
        kept = {name: value for name, value in arguments.items() if name != "self"}
        clipvalue = kept.pop("clipvalue")
        create = kept.setdefault("slot_variable_creation_fn", None)
        must(
            create is None or callable(create),
            "`slot_variable_creation_fn` must be either None or a callable",
            create,
        )
        if not kept["use_gradient_accumulation"] and clipvalue is not None:
            raise ValueError(
                "When `use_gradient_accumulation` is False, gradient clipping cannot be used and "
                "`clipvalue` should be left as None. "
                f"Received value {clipvalue} for argument `clipvalue`."
            )
        if not isinstance(clipvalue, tuple):
            clipvalue = (clipvalue and -clipvalue, clipvalue)
        kept["clip_gradient_min"], kept["clip_gradient_max"] = clipvalue
        vars(self).update(kept)

    def _slot_names(self) -> list[str]:
        return [*self.SLOTS]


class SGD(TPUOptimizer):
    """The step of gradient descent.

    >>> tf.tpu.experimental.embedding.SGD(0.1).learning_rate
    0.1
    """

    def __init__(
        self,
        learning_rate: Any = 0.01,
        use_gradient_accumulation: bool = True,
        clip_weight_min: float | None = None,
        clip_weight_max: float | None = None,
        weight_decay_factor: float | None = None,
        multiply_weight_decay_factor_by_learning_rate: bool | None = None,
        clipvalue: Any = None,
        low_dimensional_packing_status: bool = False,
    ) -> None:
        self._keep(locals())


class Adagrad(TPUOptimizer):
    """The step of Adagrad."""

    SLOTS = ("accumulators",)
    initial_accumulator_value: float

    def __init__(
        self,
        learning_rate: Any = 0.001,
        initial_accumulator_value: float = 0.1,
        use_gradient_accumulation: bool = True,
        clip_weight_min: float | None = None,
        clip_weight_max: float | None = None,
        weight_decay_factor: float | None = None,
        multiply_weight_decay_factor_by_learning_rate: bool | None = None,
        slot_variable_creation_fn: Any = None,
        clipvalue: Any = None,
        low_dimensional_packing_status: bool = False,
    ) -> None:
        self._keep(locals())
        must(
            initial_accumulator_value > 0,
            "`initial_accumulator_value` must be a positive float",
            initial_accumulator_value,
        )


class AdagradMomentum(TPUOptimizer):
    """The step of Adagrad, with momentum."""

    SLOTS = ("accumulators", "momenta")
    momentum: float
    use_nesterov: bool
    exponent: float
    beta2: float
    epsilon: float

    def __init__(
        self,
        learning_rate: Any = 0.001,
        momentum: float = 0.0,
        use_nesterov: bool = False,
        exponent: float = 2,
        beta2: float = 1,
        epsilon: float = 1e-10,
        use_gradient_accumulation: bool = True,
        clip_weight_min: float | None = None,
        clip_weight_max: float | None = None,
        weight_decay_factor: float | None = None,
        multiply_weight_decay_factor_by_learning_rate: bool | None = None,
        slot_variable_creation_fn: Any = None,
        clipvalue: Any = None,
        low_dimensional_packing_status: bool = False,
    ) -> None:
        self._keep(locals())
        must(epsilon > 0, "`epsilon` must be positive", epsilon)
        must(exponent > 0, "`exponent` must be positive", exponent)


class Adam(TPUOptimizer):
    """The step of Adam."""

    SLOTS = ("momenta", "velocities")
    beta_1: float
    beta_2: float
    epsilon: float
    lazy_adam: bool
    sum_inside_sqrt: bool

    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta_1: float = 0.9,
        beta_2: float = 0.999,
        epsilon: float = 1e-07,
        lazy_adam: bool = True,
        sum_inside_sqrt: bool = True,
        use_gradient_accumulation: bool = True,
        clip_weight_min: float | None = None,
        clip_weight_max: float | None = None,
        weight_decay_factor: float | None = None,
        multiply_weight_decay_factor_by_learning_rate: bool | None = None,
        slot_variable_creation_fn: Any = None,
        clipvalue: Any = None,
        low_dimensional_packing_status: bool = False,
    ) -> None:
        self._keep(locals())
        for name, value in (("beta_1", beta_1), ("beta_2", beta_2)):
            must(0.0 <= value < 1.0, f"`{name}` must be >= 0 and < 1", value)
        must(epsilon > 0.0, "`epsilon` must be positive", epsilon)
        if not use_gradient_accumulation and not lazy_adam:
            raise ValueError(
                "When disabling lazy Adam (`lazy_adam=False`), gradient accumulation must be used."
            )


class FTRL(TPUOptimizer):
    """The step that follows the regularized leader."""

    SLOTS = ("accumulators", "linears")
    learning_rate_power: float
    l1_regularization_strength: float
    l2_regularization_strength: float
    beta: float
    initial_accumulator_value: float
    multiply_linear_by_learning_rate: bool
    allow_zero_accumulator: bool

    def __init__(
        self,
        learning_rate: Any = 0.001,
        learning_rate_power: float = -0.5,
        l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0,
        beta: float = 0.0,
        initial_accumulator_value: float = 0.1,
        use_gradient_accumulation: bool = True,
        clip_weight_min: float | None = None,
        clip_weight_max: float | None = None,
        weight_decay_factor: float | None = None,
        multiply_weight_decay_factor_by_learning_rate: bool | None = None,
        slot_variable_creation_fn: Any = None,
        clipvalue: Any = None,
        multiply_linear_by_learning_rate: bool = False,
        allow_zero_accumulator: bool = False,
        low_dimensional_packing_status: bool = False,
    ) -> None:
        self._keep(locals())
        must(
            initial_accumulator_value > 0,
            "`initial_accumulator_value` must be a positive float",
            initial_accumulator_value,
        )


class CustomOptimizer(TPUOptimizer):
    """A step that a function computes."""

    def __init__(
        self,
        custom_computation: Any,
        learning_rate: Any = 0.01,
        slot_names: Sequence[str] | None = None,
        slot_initializers: Sequence[Any] | None = None,
        hyperparameters: Sequence[Any] | None = None,
        slot_dims: Sequence[int] | None = None,
    ) -> None:
        self.learning_rate = learning_rate
        self.custom_computation = custom_computation
        self.slots = tuple(slot_names or ())
        self.slot_initializers = tuple(slot_initializers or ())
        self.hyperparameters = tuple(hyperparameters or ())
        self.slot_dims = tuple(slot_dims or ())

    def _slot_names(self) -> list[str]:
        return [*self.slots]


class CustomCombiner(Described):
    """A function that makes one row of several."""

    def __init__(
        self,
        combiner_computation: Any,
        max_valency: int,
        num_weights: int = 0,
        initializer: Any = None,
        combiner_weights_learning_rate: Any = 0.01,
    ) -> None:
        self.combiner_computation, self.max_valency = combiner_computation, max_valency
        self.num_weights, self.initializer = num_weights, initializer
        self.combiner_weights_learning_rate = combiner_weights_learning_rate


class QuantizationConfig(Described):
    """Into how many values between two limits activations are rounded."""

    SHOWN = ("num_buckets", "lower", "upper")

    def __init__(self, num_buckets: int, lower: float, upper: float) -> None:
        if num_buckets < 2:
            raise ValueError(
                f"num_buckets is {num_buckets}, must be at least 2 for simulated quantization."
            )
        self.num_buckets, self.lower, self.upper = num_buckets, lower, upper


class RowIdInitializer(Printed):
    """First values of a table: each row holds its number, and ``offset`` more."""

    def __init__(self, offset: int = 0) -> None:
        self.offset = offset

    def __call__(self, shape: Any, dtype: Any) -> Any:
        rows, columns = shape
        numbers = tf_range(self.offset, self.offset + rows)
        return cast(tile(reshape(numbers, [-1, 1]), [1, columns]), dtype)


class TableConfig(Described):
    """A table of embeddings.

    >>> tf.tpu.experimental.embedding.TableConfig(10, 4).combiner
    'mean'
    """

    def __init__(
        self,
        vocabulary_size: int,
        dim: int,
        initializer: Callable[..., Any] | None = None,
        optimizer: Any = None,
        combiner: Any = "mean",
        name: str | None = None,
        quantization_config: QuantizationConfig | None = None,
        layout: Any = None,
        dtype: DType = float32,
    ) -> None:
        for what, value in (
            ("`vocabulary_size`", vocabulary_size),
            ("`dim` (embedding dimension)", dim),
        ):
            valid = isinstance(value, int) and value >= 1
            must(valid, f"{what} must be an int and must be >= 1", value)
        must(
            initializer is None or callable(initializer),
            "`initializer` must be a callable (or None)",
            initializer,
        )
        if isinstance(combiner, str) and combiner not in COMBINERS:
            raise ValueError(
                f"String argument `combiner` must be in {COMBINERS}. Received: {combiner}"
            )
        self.vocabulary_size, self.dim = vocabulary_size, dim
        if initializer is None:
            initializer = TruncatedNormal(0.0, 1 / math.sqrt(dim))
        self.initializer = initializer
        self.optimizer, self.combiner, self.name = optimizer, combiner, name
        self.quantization_config, self.layout, self.dtype = quantization_config, layout, dtype

    def __repr__(self) -> str:
        return (
            f"TableConfig(vocabulary_size={self.vocabulary_size!r}, dim={self.dim!r}, "
            f"optimizer={self.optimizer!r}, combiner={self.combiner!r}, name={self.name!r}, "
            f"quantization_config={self.quantization_config!r})"
        )


class FeatureConfig(Described):
    """A feature that is looked up in a table."""

    SHOWN = (
        "table", "max_sequence_length", "validate_weights_and_indices", "output_shape", "name",
    )  # fmt: skip

    def __init__(
        self,
        table: TableConfig,
        max_sequence_length: int = 0,
        validate_weights_and_indices: bool = True,
        output_shape: Any = None,
        name: str | None = None,
    ) -> None:
        self.table, self.max_sequence_length, self.name = table, max_sequence_length, name
        self.output_shape = TensorShape(output_shape)
        self.validate_weights_and_indices = validate_weights_and_indices


class SparseCoreEmbeddingConfig(Described):
    """How embeddings are laid out on the sparse cores of TPUs."""

    SHOWN = (
        "disable_table_stacking", "max_ids_per_chip_per_sample", "max_ids_per_table",
        "max_unique_ids_per_table", "allow_id_dropping", "initialize_tables_on_host",
        "enable_fast_table_initialization",
    )  # fmt: skip

    def __init__(
        self,
        disable_table_stacking: bool = False,
        max_ids_per_chip_per_sample: int = 64,
        max_ids_per_table: dict[str, int] | None = None,
        max_unique_ids_per_table: dict[str, int] | None = None,
        allow_id_dropping: bool = False,
        initialize_tables_on_host: bool = True,
        enable_fast_table_initialization: bool = False,
    ) -> None:
        self.disable_table_stacking = disable_table_stacking
        self.max_ids_per_chip_per_sample = max_ids_per_chip_per_sample
        self.max_ids_per_table = max_ids_per_table
        self.max_unique_ids_per_table = max_unique_ids_per_table
        self.allow_id_dropping = allow_id_dropping
        self.initialize_tables_on_host = initialize_tables_on_host
        self.enable_fast_table_initialization = enable_fast_table_initialization


# --- What needs TPUs --------------------------------------------------------------------------------


class TPUEmbedding(Printed):
    """Tables of embeddings on TPUs. There are no TPUs here."""

    def __init__(
        self,
        feature_config: Any,
        optimizer: Any,
        pipeline_execution_with_tensor_core: bool = False,
    ) -> None:
        needs_tpu(".experimental.embedding.TPUEmbedding")


class TPUEmbeddingForServing(Printed):
    """Tables of embeddings that were trained on TPUs."""

    def __init__(
        self,
        feature_config: Any,
        optimizer: Any,
        experimental_sparsecore_restore_info: dict[str, Any] | None = None,
    ) -> None:
        needs_tpu(".experimental.embedding.TPUEmbeddingForServing")


class TPUEmbeddingV0(Printed):
    """Tables of embeddings on the first kind of TPUs that has no cores for them."""

    def __init__(self, feature_config: Any, optimizer: Any) -> None:
        needs_tpu(".experimental.embedding.TPUEmbeddingV0")


class TPUEmbeddingV2(Printed):
    """Tables of embeddings on the sparse cores of TPUs."""

    def __init__(
        self,
        feature_config: Any,
        optimizer: Any = None,
        pipeline_execution_with_tensor_core: bool = False,
        sparse_core_embedding_config: SparseCoreEmbeddingConfig | None = None,
    ) -> None:
        needs_tpu(".experimental.embedding.TPUEmbeddingV2")


def serving_embedding_lookup(
    inputs: Any, weights: Any, tables: Any, feature_config: Any
) -> NoReturn:
    """Raises NotImplementedError: the tables belong to a `TPUEmbedding`.

    Args:
        inputs: the ids to look up, in the structure of ``feature_config``.
        weights: the weights of the ids, in the same structure, or None.
        tables: the tables by their configurations.
        feature_config: a structure of `tf.tpu.experimental.embedding.FeatureConfig`.
    """
    needs_tpu(".experimental.embedding.serving_embedding_lookup")


class XLAOptions(NamedTuple):
    """How a program is compiled for TPUs."""

    use_spmd_for_xla_partitioning: bool = True
    enable_xla_dynamic_padder: bool = True
    use_shardy_partitioner: bool = False


class TPUSystemMetadata(NamedTuple):
    """How many cores and hosts a system of TPUs has."""

    num_cores: int
    num_hosts: int
    num_of_cores_per_host: int
    topology: Topology | None
    devices: Sequence[object]


class DeviceOrderMode(enum.IntEnum):
    """In which order devices are numbered."""

    AUTO = 0
    RING = 1
    MESH = 2


class HardwareFeature(Printed):
    """What TPUs can do."""

    class EmbeddingFeature(enum.Enum):
        """How TPUs hold embeddings."""

        UNSUPPORTED = "UNSUPPORTED"
        V1 = "V1"
        V2 = "V2"

    def __init__(self, tpu_hardware_feature_proto: Any) -> None:
        needs_tpu(".experimental.HardwareFeature")


class Topology(Printed):
    """How the TPUs of a system are connected."""

    def __init__(
        self, serialized: Any = None, mesh_shape: Any = None, device_coordinates: Any = None
    ) -> None:
        needs_tpu(".experimental.Topology")


class DeviceAssignment(Printed):
    """Which replica runs on which core."""

    def __init__(self, topology: Any, core_assignment: Any) -> None:
        needs_tpu(".experimental.DeviceAssignment")

    @classmethod
    def build(
        cls,
        topology: Any,
        computation_shape: Any = None,
        computation_stride: Any = None,
        num_replicas: int = 1,
        device_order_mode: DeviceOrderMode = DeviceOrderMode.AUTO,
    ) -> NoReturn:
        """Raises NotImplementedError: there are no cores."""
        needs_tpu(".experimental.DeviceAssignment.build")


def initialize_tpu_system(cluster_resolver: Any = None) -> NoReturn:
    """Raises NotImplementedError: there are no TPUs.

    Args:
        cluster_resolver: says where the TPUs are. It is not looked at.
    """
    needs_tpu(".experimental.initialize_tpu_system")


def shutdown_tpu_system(cluster_resolver: Any = None) -> NoReturn:
    """Raises NotImplementedError: there are no TPUs.

    Args:
        cluster_resolver: says where the TPUs are. It is not looked at.
    """
    needs_tpu(".experimental.shutdown_tpu_system")
