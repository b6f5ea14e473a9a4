"""Classes that Keras 2 (the package ``tf_keras``) inherits from or makes when it is imported."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple, NoReturn

from tapegrad.framework.bases import Trackable
from tapegrad.framework.printed import Printed
from tapegrad.framework.spec import TypeSpec

PUBLIC = {
    "__internal__": "load_context",
    "__internal__.feature_column": (
        "DenseColumn FeatureColumn FeatureTransformationCache SequenceDenseColumn StateManager"
    ),
    "__internal__.saved_model.load": "register_revived_type VersionedTypeRegistration",
    "__internal__.tracking": "DelegatingTrackableMixin",
    "types.experimental": "TraceType",
}


class TraceType(Printed, ABC):
    """A description of an argument, by which `tf.function` distinguishes calls. `tf.TypeSpec` is one."""

    @abstractmethod
    def is_subtype_of(self, other: Any) -> bool:
        """Whether all that this describes is described by ``other``."""

    @abstractmethod
    def most_specific_common_supertype(self, others: Sequence[Any]) -> Any:
        """The narrowest description that covers this one and the others, or None."""

    @abstractmethod
    def placeholder_value(self, placeholder_context: Any) -> Any:
        """A placeholder value for everything that this describes."""

    @abstractmethod
    def __hash__(self) -> int: ...

    @abstractmethod
    def __eq__(self, other: object) -> bool: ...


TraceType.register(TypeSpec)


class VersionedTypeRegistration(NamedTuple):
    """How a saved object becomes one of a class again."""

    object_factory: Callable[..., Any]
    version: int
    min_producer_version: int
    min_consumer_version: int
    bad_consumers: Any = None
    setter: Any = setattr


_revived: dict[str, tuple[Callable[[Any], bool], Any]] = {}


def register_revived_type(identifier: str, predicate: Callable[[Any], bool], versions: Any) -> None:
    """Remember how objects of a class are saved and become objects again.

    Args:
        identifier: a name for the class, which no other class has.
        predicate: a function that says of an object whether it is of this class.
        versions: the versions of the class, a list of `VersionedTypeRegistration`.

    Raises:
        AssertionError: ``identifier`` is taken.
    """
    if identifier in _revived:
        raise AssertionError(f"Duplicate type registrations for {identifier}")
    _revived[identifier] = (predicate, versions)


@contextmanager
def load_context(load_options: Any) -> Iterator[None]:
    """A context in which models are loaded with these options. None of them makes a difference here.

    Args:
        load_options: a `tf.saved_model.LoadOptions`, or None.
    """
    yield


class DelegatingTrackableMixin(Trackable):
    """A trackable object with the parts of another one."""

    def __init__(self, trackable_obj: Any) -> None:
        self._trackable = trackable_obj

    def _track_trackable(self, trackable: Any, name: str, overwrite: bool = False) -> Any:
        return self._trackable._track_trackable(trackable, name, overwrite)

    def _trackable_children(self, *args: Any, **kwargs: Any) -> Any:
        return self._trackable._trackable_children(*args, **kwargs)

    def _lookup_dependency(self, name: str, cached_dependencies: Any = None) -> Any:
        return self._trackable._lookup_dependency(name, cached_dependencies)


def _no_feature_columns() -> NoReturn:
    raise NotImplementedError(
        "There are no feature columns here: use Keras's preprocessing layers, or tf.one_hot and tf.gather."
    )


class FeatureColumn(Printed):
    """The base of feature columns, which do not exist here: libraries check with `isinstance`."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        _no_feature_columns()


class DenseColumn(FeatureColumn):
    """A feature column that gives a dense tensor."""


class SequenceDenseColumn(FeatureColumn):
    """A feature column that gives a tensor of sequences."""


class FeatureTransformationCache(FeatureColumn):
    """What feature columns have transformed."""


class StateManager(Printed):
    """Keeps the variables of feature columns. A subclass defines the methods."""

    def create_variable(self, feature_column: Any, name: str, shape: Any, **options: Any) -> Any:
        """A variable for a column."""
        raise NotImplementedError("StateManager.create_variable")

    def get_variable(self, feature_column: Any, name: str) -> Any:
        """The variable of a column."""
        raise NotImplementedError("StateManager.get_variable")
