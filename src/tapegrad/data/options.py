"""``tf.data.Options``. Of these, ``deterministic`` and ``threading`` change what happens here.

The others tell TensorFlow's graph optimizer, its tuner and its distribution strategies what to do. They are
kept, merged and given back.
"""

from __future__ import annotations

import enum
import logging
from typing import Any, ClassVar

from tapegrad.framework.printed import Printed

PUBLIC = {
    "data compat.v1.data": "Options ThreadingOptions",
    "data.experimental compat.v1.data.experimental": (
        "AutoShardPolicy AutotuneAlgorithm AutotuneOptions DistributeOptions ExternalStatePolicy "
        "OptimizationOptions ServiceOptions ThreadingOptions"
    ),
}


class AutoShardPolicy(enum.IntEnum):
    """How a distribution strategy divides a data set among workers."""

    OFF = -1
    AUTO = 0
    FILE = 1
    DATA = 2
    HINT = 3


class ExternalStatePolicy(enum.Enum):
    """What to do about state outside a data set when it is saved."""

    WARN = 0
    IGNORE = 1
    FAIL = 2


class AutotuneAlgorithm(enum.Enum):
    """How TensorFlow chooses the number of parallel calls."""

    DEFAULT = 0
    HILL_CLIMB = 1
    GRADIENT_DESCENT = 2
    MAX_PARALLELISM = 3
    STAGE_BASED = 4


class OptionsBase(Printed):
    """A set of options, each of one type, or None where it is not set."""

    # Name -> type, and name -> the value while it is not set.
    _types: ClassVar[dict[str, type]] = {}
    _defaults: ClassVar[dict[str, Any]] = {}
    _groups: ClassVar[frozenset[str]] = frozenset()

    _values: dict[str, Any]
    _mutable: bool

    def __init__(self) -> None:
        object.__setattr__(self, "_values", {})
        object.__setattr__(self, "_mutable", True)

    def _printed_state(self) -> str:
        return ", ".join([f"{name}={value!r}" for name, value in self._values.items()])

    def __getattr__(self, name: str) -> Any:
        if name not in self._types:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        if name in self._groups and name not in self._values:
            self._values[name] = self._types[name]()
        return self._values.get(name, self._defaults.get(name))

    def __setattr__(self, name: str, value: Any) -> None:
        if not self._mutable:
            raise ValueError(
                "Mutating `tf.data.Options()` returned by `tf.data.Dataset.options()` has no effect. "
                "Use `tf.data.Dataset.with_options(options)` to set or update dataset options."
            )
        wanted = self._types.get(name)
        if wanted is None:
            raise AttributeError(f"Cannot set the property {name} on {type(self).__name__}.")
        if not isinstance(value, wanted):
            raise TypeError(
                f'Property "{name}" must be of type {wanted}, got: {value!r} (type: {type(value)})'
            )
        self._values[name] = value

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._types]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, type(self)):
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in self._types)

    __hash__ = None  # type: ignore[assignment]

    def _update(self, other: OptionsBase) -> None:
        """Take over what is set in ``other``."""
        for name, value in other._values.items():
            if name in self._groups:
                getattr(self, name)._update(value)
            else:
                self._values[name] = value

    def _freeze(self) -> None:
        object.__setattr__(self, "_mutable", False)
        for name in self._groups:
            getattr(self, name)._freeze()

    def __getstate__(self) -> Any:
        return self._values, self._mutable

    def __setstate__(self, state: Any) -> None:
        object.__setattr__(self, "_values", state[0])
        object.__setattr__(self, "_mutable", state[1])


class AutotuneOptions(OptionsBase):
    """How TensorFlow tunes a pipeline. Kept, and without effect."""

    _types: ClassVar[dict[str, type]] = {
        "autotune_algorithm": AutotuneAlgorithm,
        "cpu_budget": int,
        "enabled": bool,
        "initial_parallelism": int,
        "min_parallelism": int,
        "ram_budget": int,
    }


class DistributeOptions(OptionsBase):
    """How a distribution strategy divides a data set. Kept, and without effect."""

    _types: ClassVar[dict[str, type]] = {"auto_shard_policy": AutoShardPolicy, "num_devices": int}
    _defaults: ClassVar[dict[str, Any]] = {"auto_shard_policy": AutoShardPolicy.AUTO}


class OptimizationOptions(OptionsBase):
    """Which rewrites TensorFlow does to a pipeline. Kept, and without effect: nothing is rewritten here."""

    _types: ClassVar[dict[str, type]] = dict.fromkeys(
        (
            "apply_default_optimizations",
            "filter_fusion",
            "filter_parallelization",
            "inject_prefetch",
            "map_and_batch_fusion",
            "map_and_filter_fusion",
            "map_fusion",
            "map_parallelization",
            "noop_elimination",
            "parallel_batch",
            "seq_interleave_prefetch",
            "shuffle_and_repeat_fusion",
        ),
        bool,
    )


class ServiceOptions(OptionsBase):
    """Options of TensorFlow's data service. Kept, and without effect."""

    _types: ClassVar[dict[str, type]] = {"pinned": bool}


class ThreadingOptions(OptionsBase):
    """How many threads a pipeline uses: ``private_threadpool_size`` is the most that parallel calls get."""

    _types: ClassVar[dict[str, type]] = {
        "max_intra_op_parallelism": int,
        "private_threadpool_size": int,
    }


class Options(OptionsBase):
    """Options of data sets, for ``dataset.with_options(options)``.

    >>> options = tf.data.Options()
    >>> options.deterministic = False
    >>> tf.data.Dataset.range(3).with_options(options).options().deterministic
    False
    """

    _types: ClassVar[dict[str, type]] = {
        "autotune": AutotuneOptions,
        "dataset_name": str,
        "deterministic": bool,
        "experimental_distribute": DistributeOptions,
        "experimental_external_state_policy": ExternalStatePolicy,
        "experimental_optimization": OptimizationOptions,
        "experimental_service": ServiceOptions,
        "experimental_slack": bool,
        "experimental_symbolic_checkpoint": bool,
        "experimental_warm_start": bool,
        "framework_type": list,
        "threading": ThreadingOptions,
    }
    _groups: ClassVar[frozenset[str]] = frozenset(
        {
            "autotune",
            "experimental_distribute",
            "experimental_optimization",
            "experimental_service",
            "threading",
        }
    )
    _renamed: ClassVar[dict[str, str]] = {
        "experimental_deterministic": "deterministic",
        "experimental_threading": "threading",
    }

    def __getattr__(self, name: str) -> Any:
        return super().__getattr__(self._today(name))

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(self._today(name), value)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._renamed]

    def _today(self, name: str) -> str:
        """The name today of an option that was called ``name``."""
        renamed = self._renamed.get(name)
        if renamed is None:
            return name
        logging.getLogger("absl").warning(
            "options.%s is deprecated. Use options.%s instead.", name, renamed
        )
        return renamed

    def merge(self, options: Options) -> Options:
        """These options, with what is set in ``options`` instead."""
        if not isinstance(options, Options):
            raise TypeError(f"Options.merge() takes a tf.data.Options, but got {options!r}.")
        return merged(self, options)


def merged(*options: Options) -> Options:
    """New options. What later ones set counts."""
    result = Options()
    for part in options:
        result._update(part)
    return result


def frozen(options: Options) -> Options:
    """These options, frozen: setting one would have no effect."""
    options._freeze()
    return options
