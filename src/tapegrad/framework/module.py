"""`Module`: an object that finds the variables and modules among its own attributes."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, TypeVar

from tapegrad.core import VariableBase
from tapegrad.framework import nest
from tapegrad.framework.bases import AutoTrackable
from tapegrad.framework.names import name_scope

if TYPE_CHECKING:
    from tapegrad.framework.variable import Variable

PUBLIC = {
    ". compat.v1": "Module",
}


Method = TypeVar("Method", bound=Callable[..., Any])


class Module(AutoTrackable):
    """A base class for layers and models: it lists the variables in its attributes.

    >>> class Dense(tf.Module):
    ...     def __init__(self, inputs, outputs, name=None):
    ...         super().__init__(name=name)
    ...         self.weight = tf.Variable(tf.zeros([inputs, outputs]), name="weight")
    ...         self.bias = tf.Variable(tf.zeros([outputs]), name="bias")
    >>> class Network(tf.Module):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.layers = [Dense(2, 3), Dense(3, 1)]
    >>> [variable.shape.as_list() for variable in Network().trainable_variables]
    [[3], [2, 3], [1], [3, 1]]

    ``print(module)`` shows a tree:

    >>> print(Network())
    Network 'network': 4 variables, 13 parameters, 52 B
    ├─ layers[0]: Dense 'dense': 2 variables, 9 parameters, 36 B
    │  ├─ bias: float32 (3,)
    │  └─ weight: float32 (2, 3)
    └─ layers[1]: Dense 'dense': 2 variables, 4 parameters, 16 B
       ├─ bias: float32 (1,)
       └─ weight: float32 (3, 1)

    Attributes may hold variables and modules directly or in lists, tuples and dicts of any depth.
    Each is listed once, in the order of the attributes' sorted names; variables of the module itself precede
    those of its submodules.

    Args:
      name: A Python identifier. Without it, the name is the name of the class in snake_case.

    Raises:
      ValueError: ``name`` is not an identifier.
    """

    # Attributes that are not searched. Subclasses may add to it.
    _TF_MODULE_IGNORED_PROPERTIES: frozenset[str] = frozenset(
        ("_self_unconditional_checkpoint_dependencies", "_self_unconditional_dependency_names")
    )

    def __init__(self, name: str | None = None) -> None:
        if name is None:
            name = _snake_case(type(self).__name__)
        elif not isinstance(name, str):
            raise TypeError(
                f"The name of a module must be a string; {name!r} came, a {type(name).__name__}."
            )
        elif not (name.isascii() and name.isidentifier()):
            raise ValueError(
                f"{name!r} is not a valid module name: "
                "it must be a Python identifier, made of the letters a to z, "
                "digits and underscores, and not begin with a digit."
            )
        self._name = name
        with name_scope(name) as scope:
            self._name_scope = name_scope(scope)

    def __repr__(self) -> str:
        return f"<{type(self).__module__}.{type(self).__qualname__} {getattr(self, '_name', '')!r}>"

    def __str__(self) -> str:
        """A tree of the variables and submodules, with shapes, numbers of parameters, and bytes."""
        from tapegrad.framework.module_text import as_text

        return as_text(self) if hasattr(self, "_name") else repr(self)

    def _repr_html_(self) -> str | None:
        from tapegrad.framework.module_text import as_html

        return as_html(self) if hasattr(self, "_name") else None

    @property
    def name(self) -> str:
        """The name given to the constructor, or the class's in snake_case."""
        return self._name

    @property
    def name_scope(self) -> name_scope:
        """The scope for the names of this module's variables: ``with self.name_scope: ...``"""
        return self._name_scope

    @property
    def variables(self) -> tuple[Variable, ...]:
        """The variables of this module and its submodules, in a tuple."""
        return tuple(self._flatten(predicate=_is_variable, expand_composites=True))

    @property
    def trainable_variables(self) -> tuple[Variable, ...]:
        """The trainable ones of `variables`."""
        return tuple(self._flatten(predicate=_is_trainable, expand_composites=True))

    @property
    def non_trainable_variables(self) -> tuple[Variable, ...]:
        """The ones of `variables` that were made with ``trainable=False``."""
        return tuple(self._flatten(predicate=_is_not_trainable, expand_composites=True))

    @property
    def submodules(self) -> tuple[Module, ...]:
        """The modules among the attributes, and the modules among their attributes in turn, in a tuple.

        >>> outer = tf.Module(name="outer")
        >>> outer.parts = {"b": tf.Module(name="second"), "a": tf.Module(name="first")}
        >>> [module.name for module in outer.submodules]
        ['first', 'second']
        """
        return tuple(self._flatten(predicate=_is_module))

    def _flatten(
        self,
        recursive: bool = True,
        predicate: Callable[[Any], bool] | None = None,
        attribute_traversal_key: Callable[[str], Any] | None = None,
        with_path: bool = False,
        expand_composites: bool = False,
    ) -> Iterator[Any]:
        """The values that the attributes hold, each object once.

        Args:
          recursive: Whether to look into submodules.
          predicate: Which of the values to yield; all of them if left out.
          attribute_traversal_key: The key by which to sort the names of attributes.
          with_path: Whether to yield pairs of the path to a value and the value.
          expand_composites: Whether to look into sparse tensors and the like.
        """
        seen = {id(self)}
        modules: list[tuple[tuple[Any, ...], Module]] = [((), self)]
        # A module's own values come before those of its submodules, and one submodule is finished before the
        # next begins. So this is a stack, and the submodules are put on it from the last to the first.
        while modules:
            path, module = modules.pop()
            submodules = []
            for name in sorted(vars(module), key=attribute_traversal_key):
                if name in module._TF_MODULE_IGNORED_PROPERTIES:
                    continue
                for inner_path, value in module._leaves(name, with_path, expand_composites):
                    if id(value) in seen:
                        continue
                    seen.add(id(value))
                    if predicate is None or predicate(value):
                        yield ((*path, name, *inner_path), value) if with_path else value
                    if recursive and isinstance(value, Module):
                        submodules.append(((*path, name, *inner_path), value))
            modules.extend(reversed(submodules))

    def _leaves(
        self, name: str, with_path: bool, expand_composites: bool
    ) -> list[tuple[tuple[Any, ...], Any]]:
        """The leaves of the attribute ``name``, with their paths or with empty ones."""
        value = vars(self)[name]
        try:
            walker = nest.walker_for(expand_composites)
            if with_path:
                return list(walker.flatten_with_paths(value))
            return [((), leaf) for leaf in walker.flatten(value)]
        except (TypeError, RecursionError) as error:
            raise ValueError(
                f"The attribute {name!r} of the {type(self).__name__} named {self.name!r} cannot "
                f"be searched for variables: {error}"
            ) from error

    @classmethod
    def with_name_scope(cls, method: Method) -> Method:
        """``method``, run inside the module's name scope: variables made there get the scope's prefix.

        >>> class Scale(tf.Module):
        ...     @tf.Module.with_name_scope
        ...     def __call__(self, x):
        ...         if not hasattr(self, "factor"):
        ...             self.factor = tf.Variable(2.0, name="factor")
        ...         return x * self.factor
        >>> scale = Scale()
        >>> scale(tf.constant(3.0)).numpy(), scale.factor.name
        (np.float32(6.0), 'scale/factor:0')
        """

        @functools.wraps(method)
        def in_scope(self: Module, *args: Any, **kwargs: Any) -> Any:
            with self.name_scope:
                return method(self, *args, **kwargs)

        return in_scope  # type: ignore[return-value]


def _is_variable(value: Any) -> bool:
    return isinstance(value, VariableBase)


def _is_trainable(value: Any) -> bool:
    return isinstance(value, VariableBase) and bool(value.trainable)


def _is_not_trainable(value: Any) -> bool:
    return isinstance(value, VariableBase) and not value.trainable


def _is_module(value: Any) -> bool:
    return isinstance(value, Module)


def _snake_case(name: str) -> str:
    """The name in TensorFlow's snake_case: MyHTTPServer2 becomes my_http_server2, Conv2D becomes conv2_d.

    An underscore goes before a capital letter that follows a small letter or a digit, or that a small letter
    follows, but not before the first letter of the name.
    """
    parts = []
    for i, letter in enumerate(name):
        if "A" <= letter <= "Z" and i > 0:
            before, after = name[i - 1], name[i + 1 : i + 2]
            if _is_small(before) or before.isdigit() or _is_small(after):
                parts.append("_")
        parts.append(letter)
    return "".join(parts).lower()


def _is_small(letter: str) -> bool:
    return "a" <= letter <= "z"
