"""``tf.compat.v1.make_template``: functions that make their variables in the first call, and share them."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from tapegrad.annex.v1.variables import VariableScope, sharing, variable_scope
from tapegrad.core import public
from tapegrad.framework.bases import Trackable
from tapegrad.framework.names import executing_eagerly
from tapegrad.framework.shape import TensorShape

PUBLIC = {"compat.v1": "make_template"}


class Template(Trackable):
    """What `make_template` gives: the function, and what `get_variable` made for it."""

    def __init__(self, name: str, function: Callable[..., Any], getter: Any) -> None:
        self._name = name
        self._function = function
        self._custom_getter = getter
        self._scope: VariableScope | None = None
        self._by_name: dict[str, Any] = {}
        self._was_called = False

    def _enter_scope(self) -> variable_scope:
        """The context of its scope, which gets its name within the scope that is open at the first time."""
        if self._scope is None:
            with variable_scope(
                None, default_name=self._name, custom_getter=self._custom_getter
            ) as scope:
                self._scope = scope
        return variable_scope(self._scope)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        is_later, before = self._was_called, self.trainable_variables
        with self._enter_scope() as scope, sharing(self) as outer:
            if isinstance(outer, Template) and outer is not self:
                outer.add(scope.name, self)
            result = self._function(*args, **kwargs)
        if is_later:
            new = [v for v in self.trainable_variables if all(v is not known for known in before)]
            if new:
                names = ", ".join(variable.name for variable in new)
                raise ValueError(
                    f"The template {self._name!r} made the trainable variables {names} after its first call. "
                    "Make all of them in the first call, under names that do not change."
                )
        self._was_called = True
        return result

    def known(self, name: str, shape: Any) -> Any:
        """The variable that was made under this whole name, None if there is none."""
        variable = self._by_name.get(name)
        if variable is None or shape is None or variable.shape.is_compatible_with(shape):
            return variable
        raise ValueError(
            f"Trying to share variable {name}, but specified shape {TensorShape(shape)} and found shape "
            f"{variable.shape}."
        )

    def add(self, name: str, part: Any) -> None:
        """Keep a variable, or a template that the function calls, as a part by its name in the scope."""
        self._by_name[name] = part
        prefix = self.variable_scope_name or ""
        self._track_trackable(part, name.removeprefix(prefix), overwrite=True)

    @property
    def name(self) -> str:
        """The name of the template."""
        return self._name

    @property
    def func(self) -> Callable[..., Any]:
        """The function."""
        return self._function

    @property
    def variable_scope(self) -> VariableScope | None:
        """The scope of its variables; None before the first call."""
        return self._scope

    var_scope = variable_scope

    @property
    def variable_scope_name(self) -> str | None:
        """The name of the scope, as names of variables begin with it; None before the first call."""
        return None if self._scope is None else f"{self._scope.name}/"

    @property
    def variables(self) -> list[Any]:
        """The variables in the order in which they were made, with those of templates that it called."""
        listed: list[Any] = []
        for part in self._by_name.values():
            listed += part.variables if isinstance(part, Template) else [part]
        return listed

    @property
    def trainable_variables(self) -> list[Any]:
        """Those of the variables that are trainable."""
        return [variable for variable in self.variables if variable.trainable]

    @property
    def non_trainable_variables(self) -> list[Any]:
        """Those of the variables that are not trainable."""
        return [variable for variable in self.variables if not variable.trainable]

    @property
    def local_variables(self) -> list[Any]:
        """Nothing: collections are of graphs."""
        return []

    global_variables = weights = variables
    trainable_weights = trainable_variables
    non_trainable_weights = non_trainable_variables

    def __repr__(self) -> str:
        return f"<template {self._name!r} of {getattr(self._function, '__name__', 'a function')}()>"


@public(computes=False)
def make_template(
    name_: str,
    func_: Callable[..., Any],
    create_scope_now_: bool = False,
    unique_name_: str | None = None,
    custom_getter_: Any = None,
    **kwargs: Any,
) -> Template:
    """A function that calls ``func_`` in a scope of its own, whose variables all calls share.

    >>> v1 = tf.compat.v1
    >>> def scaled(x):
    ...     return x * v1.get_variable("scale", [], initializer=v1.ones_initializer())
    >>> layer = v1.make_template("layer", scaled)
    >>> y = layer(2.0) + layer(3.0)
    >>> len(layer.variables)
    1

    Args:
        name_: the name of the scope; it gets a number if it is in use.
        func_: makes its variables by `tf.compat.v1.get_variable`, the same in each call.
        create_scope_now_: whether the name of the scope is chosen now, and not in the first call.
        unique_name_: the whole name of the scope, in a graph alone.
        custom_getter_: makes the variables: see `tf.compat.v1.variable_scope`.
        **kwargs: arguments of ``func_`` that are the same in all calls.

    Raises:
        ValueError: there is no name, a ``unique_name_`` in eager code, or (when the template is called) a
            trainable variable that the first call did not make.
    """
    if name_ is None:
        raise ValueError("name cannot be None.")
    if unique_name_ is not None and executing_eagerly():
        raise ValueError(
            f"unique_name_ cannot be used when eager execution is enabled: {unique_name_!r} came."
        )
    function = functools.partial(func_, **kwargs) if kwargs else func_
    template = Template(unique_name_ or name_, function, custom_getter_)
    if create_scope_now_:
        with template._enter_scope():
            pass
    return template
