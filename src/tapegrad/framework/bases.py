"""Base classes that say what an object is: a tensor to ops, or a part of a larger object.

Variables, modules, and the variables and layers of other libraries inherit from them.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple, Self, SupportsIndex, TypeVar

from tapegrad import dtypes
from tapegrad.framework.printed import Printed

PUBLIC = {
    "__internal__.types": "Tensor=TensorBase",
    "__internal__.tracking": (
        "AutoTrackable no_automatic_dependency_tracking Trackable TrackableReference"
    ),
    "saved_model.experimental": "TrackableResource",
}

Method = TypeVar("Method", bound=Callable[..., Any])


class TensorBase:
    """A base for classes whose objects ops take as tensors, through a method ``__tf_tensor__``.

    >>> class Celsius(tf.__internal__.types.Tensor):
    ...     def __tf_tensor__(self, dtype=None, name=None):
    ...         return tf.constant(21.5, dtype)
    >>> tf.is_tensor(Celsius())
    True

    Differs from TensorFlow: ``tf.Tensor`` is compiled and does not inherit from it.
    """

    @property
    def dtype(self) -> Any:
        """The dtype of the elements, which subclasses say."""

    @property
    def shape(self) -> Any:
        """The shape, which subclasses say."""


class TrackableReference(NamedTuple):
    """A part of an object, and its name there."""

    name: str
    ref: Any


class Trackable(Printed):
    """A base for objects that have parts, each under a name: what a checkpoint saves."""

    @property
    def _parts(self) -> dict[str, Any]:
        """The parts by name, in a dict that is made on first use."""
        parts: dict[str, Any] = self.__dict__.setdefault("_self_unconditional_dependency_names", {})
        return parts

    @property
    def _setattr_tracking(self) -> bool:
        """Whether attributes that are set now become parts."""
        return bool(self.__dict__.get("_self_setattr_tracking", True))

    @_setattr_tracking.setter
    def _setattr_tracking(self, value: bool) -> None:
        self.__dict__["_self_setattr_tracking"] = value

    @property
    def _unconditional_checkpoint_dependencies(self) -> list[TrackableReference]:
        return [TrackableReference(name, part) for name, part in self._parts.items()]

    def _track_trackable(self, trackable: Any, name: str, overwrite: bool = False) -> Any:
        """Make ``trackable`` the part ``name`` of this object, and return it.

        Raises:
            TypeError: ``trackable`` is no Trackable.
            ValueError: another object is that part already, and ``overwrite`` is false.
        """
        if not isinstance(trackable, Trackable):
            raise TypeError(
                "Trackable._track_trackable() can only be used to track objects of type Trackable. "
                f"Got type {type(trackable)}."
            )
        parts = self._parts
        if not overwrite and parts.get(name, trackable) is not trackable:
            raise ValueError(
                f"Called Trackable._track_trackable() with name={name!r}, but a Trackable with "
                "this name is already declared as a dependency. Names must be unique (or "
                "overwrite=True)."
            )
        parts[name] = trackable
        self._handle_deferred_dependencies(name, trackable)
        return trackable

    def _add_variable_with_custom_getter(
        self,
        name: str,
        shape: Any = None,
        dtype: Any = dtypes.float32,
        initializer: Any = None,
        getter: Any = None,
        overwrite: bool = False,
        **options: Any,
    ) -> Any:
        """The variable that ``getter`` makes, as the part ``name``. Layers of Keras 2 make theirs so."""
        variable = getter(name=name, shape=shape, dtype=dtype, initializer=initializer, **options)
        if overwrite and not isinstance(variable, Trackable):
            return variable
        return self._track_trackable(variable, name=name, overwrite=overwrite)

    def _expect(self, name: str, meet: Callable[[Any], None]) -> None:
        """Call ``meet(part)`` when the part ``name`` appears: a checkpoint has values for it."""
        self.__dict__.setdefault("_self_expected_parts", {})[name] = meet

    def _reporting(self, name: str, part: Any) -> Any:
        """``part``; if a checkpoint has values for a list or dict, one that reports what is added later."""
        expected = self.__dict__.get("_self_expected_parts")
        return reporting(part) if expected and name in expected else part

    def _report_growth(self, name: str, grown: Callable[[], bool]) -> None:
        """Have the list or dict ``name`` tell what is added to it: a checkpoint has values for more.

        It becomes one that reports, unless something else holds it too, as the lists of Keras's optimizers
        are held by their trackers. Then ``grown`` is called when attributes are set, until it is true.
        """
        place = self.__dict__
        if place.get(name) is self._parts.get(name) and is_only_in(place, name, 2):
            place[name] = self._parts[name] = reporting(place[name])
        elif type(self._parts.get(name)) in REPORTING:
            place.setdefault("_self_growing_parts", {})[name] = grown

    def _handle_deferred_dependencies(self, name: str, trackable: Any) -> None:
        """Call the callbacks that wait for the part ``name``: ``trackable`` is it now.

        Classes of other libraries that find their parts in their own way call it, by this name.
        """
        expected = self.__dict__.get("_self_expected_parts")
        if expected and name in expected:
            expected.pop(name)(trackable)

    def _trackable_children(
        self, save_type: str = "checkpoint", cache: Any = None, **kwargs: Any
    ) -> dict[str, Any]:
        """The parts by name. Subclasses may add to it."""
        return dict(self._parts)

    def _lookup_dependency(self, name: str, cached_dependencies: Any = None) -> Any:
        """The part ``name``, or None."""
        parts = self._parts if cached_dependencies is None else cached_dependencies
        return parts.get(name)

    def _no_dependency(self, value: Any) -> Any:
        """``value`` for an attribute that does not make it a part: see `AutoTrackable`."""
        return value

    def _maybe_initialize_trackable(self) -> None:
        """TensorFlow's classes call it before they use their parts. There is nothing to prepare here."""

    def _serialize_to_tensors(self) -> dict[str, Any]:
        raise NotImplementedError(
            f"{type(self).__name__} does not say which tensors it is made of."
        )

    def _restore_from_tensors(self, restored_tensors: dict[str, Any]) -> Any:
        raise NotImplementedError(f"{type(self).__name__} cannot be made from tensors again.")


class SavedWithFunctions(Printed):
    """A base of functions that a model has as attributes, and that are saved with it."""

    __slots__ = ()


class TrackableResource(Trackable):
    """A part of a model that is no variable, such as a look-up table. Tables inherit from it.

    A subclass of a program says by ``_create_resource()`` what it holds, and fills it by ``_initialize()``.
    """

    def __init__(self, device: str = "") -> None:
        self._resource_handle: Any = None

    def _create_resource(self) -> Any:
        raise NotImplementedError("TrackableResource._create_resource not implemented.")

    def _initialize(self) -> None:
        """Fill what `_create_resource` has made. Subclasses do."""

    @property
    def resource_handle(self) -> Any:
        """The result of `_create_resource`, which is called on first use."""
        if getattr(self, "_resource_handle", None) is None:
            self._resource_handle = self._create_resource()
        return self._resource_handle


class NoDependency:
    """Wraps a value that an attribute of an `AutoTrackable` gets without becoming a part."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value


class ListWrapper(list[Any]):
    """A list whose elements get the values of a checkpoint when they are added."""

    def __init__(self, elements: Iterable[Any] = ()) -> None:
        super().__init__(elements)
        self._expected: dict[int, Callable[[Any], None]] = {}

    def _expect(self, name: str, meet: Callable[[Any], None]) -> None:
        """Call ``meet(part)`` when the element with the number ``name`` appears."""
        if name.isdecimal():  # it may have been a dict when it was saved
            self._expected[int(name)] = meet

    def _meet(self) -> None:
        """Call the callbacks that wait for the present elements. None holds a place for a later one."""
        size = len(self)
        for place in [
            place for place in self._expected if place < size and self[place] is not None
        ]:
            self._expected.pop(place)(self[place])

    def __setitem__(self, place: Any, element: Any) -> None:
        super().__setitem__(place, element)
        self._meet()

    def append(self, element: Any) -> None:
        """Add an element at the end."""
        super().append(element)
        self._meet()

    def extend(self, elements: Iterable[Any]) -> None:
        """Add elements at the end."""
        super().extend(elements)
        self._meet()

    def insert(self, place: SupportsIndex, element: Any) -> None:
        """Add an element before that place."""
        super().insert(place, element)
        self._meet()

    def __iadd__(self, elements: Iterable[Any]) -> Self:  # type: ignore[misc]
        self.extend(elements)
        return self

    def __repr__(self) -> str:
        return f"ListWrapper({super().__repr__()})"

    def __reduce__(self) -> Any:
        return list, (list(self),)

    def _report_growth(self, name: str, grown: Callable[[], bool]) -> None:
        """Have the list or dict at this place tell what is added to it, unless something else holds it."""
        if is_only_in(self, int(name), 1):
            self[int(name)] = reporting(self[int(name)])


class KeyByKey(dict[Any, Any]):
    """A dict to which other methods add by `__setitem__` too, which a subclass has of its own."""

    def setdefault(self, key: Any, default: Any = None) -> Any:
        """The value for a key, which is added if there is none."""
        if key not in self:
            self[key] = default
        return self[key]

    def update(self, *items: Any, **more: Any) -> None:
        """Add keys and values, or replace them."""
        for key, value in dict(*items, **more).items():
            self[key] = value


class DictWrapper(KeyByKey):
    """A dict whose values get those of a checkpoint when they are added."""

    def __init__(self, items: Any = (), **more: Any) -> None:
        super().__init__(items, **more)
        self._expected: dict[str, Callable[[Any], None]] = {}

    def _expect(self, name: str, meet: Callable[[Any], None]) -> None:
        """Call ``meet(part)`` when there is a value for the key ``name``."""
        self._expected[name] = meet

    def _report_growth(self, name: str, grown: Callable[[], bool]) -> None:
        """Have the list or dict for this key tell what is added to it, unless something else holds it."""
        if is_only_in(self, name, 1):
            super().__setitem__(name, reporting(self[name]))

    def __setitem__(self, key: Any, value: Any) -> None:
        if key in self._expected:
            value = reporting(value)
        super().__setitem__(key, value)
        if key in self._expected:
            self._expected.pop(key)(value)

    def __ior__(self, items: Any) -> Self:  # type: ignore[misc]
        self.update(items)
        return self

    def __repr__(self) -> str:
        return f"DictWrapper({super().__repr__()})"

    def __reduce__(self) -> Any:
        return dict, (dict(self),)


REPORTING: dict[type, Callable[[Any], Any]] = {list: ListWrapper, dict: DictWrapper}


def reporting(part: Any) -> Any:
    """A list or dict that reports what is added to it, for a plain one; anything else as it is."""
    return REPORTING[type(part)](part) if type(part) in REPORTING else part


def is_only_in(place: Any, key: Any, count: int) -> bool:
    """Whether ``place[key]`` is a plain list or dict to which there are so many references, and no more."""
    return type(place[key]) in REPORTING and sys.getrefcount(place[key]) - ONE <= count - 1


ONE = (lambda place: sys.getrefcount(place[0]))([[]])
"""What Python counts where a container alone refers to an object."""


class AutoTrackable(Trackable):
    """An object whose parts are its attributes: those that are trackable, and lists and dicts.

    >>> thing = tf.__internal__.tracking.AutoTrackable()
    >>> thing.weight = tf.Variable(1.0)
    >>> thing.count = 3
    >>> sorted(thing._trackable_children())
    ['weight']

    Differs from TensorFlow: lists and dicts are wrapped if a checkpoint has values for more than they hold,
    tuples are not.
    """

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(name, self._track_attribute(name, value))

    def _track_attribute(self, name: str, value: Any) -> Any:
        """Make ``value`` the part ``name`` if it can be one. Returns the value for the attribute."""
        if type(value) is NoDependency:
            self._delete_tracking(name)
            value = value.value
        elif isinstance(value, (Trackable, list, dict, tuple)):
            if self.__dict__.get("_self_setattr_tracking", True):
                value = self._reporting(name, value)
                self._parts[name] = value
                self._handle_deferred_dependencies(name, value)
        elif "_self_unconditional_dependency_names" in self.__dict__:
            self._delete_tracking(name)
        if "_self_growing_parts" in self.__dict__:
            waiting = self.__dict__.pop("_self_growing_parts")
            rest = {part: grown for part, grown in waiting.items() if not grown()}
            if rest:
                self.__dict__["_self_growing_parts"] = rest
        return value

    def __delattr__(self, name: str) -> None:
        self._delete_tracking(name)
        super().__delattr__(name)

    def _trackable_children(
        self, save_type: str = "checkpoint", cache: Any = None, **kwargs: Any
    ) -> dict[str, Any]:
        """The parts by name; of what is saved as a model, the functions too."""
        parts = super()._trackable_children(save_type, cache, **kwargs)
        if save_type != "savedmodel":
            return parts
        functions = {}
        for name in dir(self):
            try:
                value = getattr(self, name, None)
            except Exception:  # a property that must not be read now
                continue
            if isinstance(value, SavedWithFunctions):
                functions[name] = value
        return {**parts, **functions}

    def _delete_tracking(self, name: str) -> None:
        """Forget the part ``name``, if there is one."""
        self._parts.pop(name, None)

    def _no_dependency(self, value: Any) -> Any:
        return NoDependency(value)


@contextmanager
def no_automatic_dependency_tracking_scope(obj: Any) -> Iterator[None]:
    """A context in which attributes of ``obj`` that are set do not become parts of it."""
    before = getattr(obj, "_self_setattr_tracking", True)
    obj._self_setattr_tracking = False
    try:
        yield
    finally:
        obj._self_setattr_tracking = before


def no_automatic_dependency_tracking(method: Method) -> Method:
    """``method``, in which attributes that are set do not become parts of the object.

    Args:
        method: a method of a `tf.Module` or another object that tracks its parts.
    """

    @functools.wraps(method)
    def untracked(self: Any, *args: Any, **kwargs: Any) -> Any:
        with no_automatic_dependency_tracking_scope(self):
            return method(self, *args, **kwargs)

    return untracked  # type: ignore[return-value]
