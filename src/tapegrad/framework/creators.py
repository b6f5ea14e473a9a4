"""`tf.variable_creator_scope`: functions that make or change the variables of a block."""

from __future__ import annotations

import threading
from abc import ABCMeta
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from tapegrad.core import hide
from tapegrad.framework.absent import Absent
from tapegrad.framework.inherited import inherited
from tapegrad.framework.names import current_graph

PUBLIC = {". compat.v1": "variable_creator_scope"}

Creator = Callable[..., Any]


class _Scopes(threading.local):
    creators: tuple[Creator, ...] = ()


_scopes = inherited(_Scopes())


def open_creators() -> tuple[Creator, ...]:
    """The creators of the open scopes, the outermost first."""
    return _scopes.creators


@contextmanager
def variable_creator_scope(variable_creator: Creator) -> Iterator[None]:
    """A context in which ``variable_creator(next_creator, **arguments)`` answers for `tf.Variable`.

    >>> def named(next_creator, **arguments):
    ...     return next_creator(**{**arguments, "name": "weight"})
    >>> with tf.variable_creator_scope(named):
    ...     tf.Variable(1.0).name
    'weight:0'

    Scopes nest: the innermost creator is called first, and its ``next_creator`` is the one around it.

    Args:
        variable_creator: a function that returns what ``next_creator`` gives, or something in its place.
    """
    before = _scopes.creators
    _scopes.creators = (*before, variable_creator)
    try:
        yield
    finally:
        _scopes.creators = before


class Creatable(ABCMeta):
    """The class of the class `tf.Variable`: a call of the class asks the creators first.

    It is a subclass of `ABCMeta`, as TensorFlow's is, so that a class may inherit from variables and from
    abstract classes at once.
    """

    created = 0  # how many variables there have been

    def __dir__(cls) -> list[str]:
        """The attributes of the class, without those that only say why it lacks them."""
        members: dict[str, Any] = {}
        for base in reversed(cls.__mro__):
            members.update(vars(base))
        return [name for name in super().__dir__() if not isinstance(members.get(name), Absent)]

    if not TYPE_CHECKING:  # for checkers a call gives an instance of the class

        def __call__(cls, *args: Any, **kwargs: Any) -> Any:
            if not _scopes.creators or not cls.__dict__.get("_asks_creators"):
                try:
                    return cls._make(*args, **kwargs)
                except Exception as error:
                    hide(error)
                    raise
            import inspect

            bound = inspect.signature(cls).bind(*args, **kwargs)
            bound.apply_defaults()
            make: Creator = cls._make
            for creator in _scopes.creators:
                make = _before(creator, make)
            return make(**bound.arguments)

        def _make(cls, *args: Any, **kwargs: Any) -> Any:
            Creatable.created += 1
            variable = super().__call__(*args, **kwargs)
            graph = current_graph()
            if graph is not None:
                graph.variable_made(variable)
            return variable


def _before(creator: Creator, make: Creator) -> Creator:
    def next_creator(**arguments: Any) -> Any:
        return creator(make, **arguments)

    return next_creator
