"""Forms: what a public function does with a composite, such as a `RaggedTensor` or a `SparseTensor`.

The forms for a class of composites stand in one table beside it (``ragged/forms.py`` for ragged tensors),
which hands them to `add_form`. A call on plain tensors must not pay for that, so nobody looks for composites
before a call:

*   An `Op` looks at `Op.composites` when an argument is neither a tensor nor a variable.
*   A Python function runs as it stands. If it raises, the arguments are searched for composites, and the form
    of the first one found runs instead. Even this costs a frame, so the function is left as it is until the
    table of forms is loaded: `load_forms`, which the constructors of composites call.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib import import_module
from types import CodeType, FunctionType
from typing import Any

from tapegrad.core import Composition, Op, hide

Form = Callable[..., Any]

_forms: dict[FunctionType, dict[type, Form]] = {}
_loaded: set[str] = set()
# The functions whose code was replaced, and what they were before.
_plain: dict[FunctionType, FunctionType] = {}


def load_forms(table: str) -> None:
    """Load the module ``table``, which adds the forms of a class. Its constructor calls this."""
    if table not in _loaded:
        import_module(table)  # other threads wait here until all forms are there
        _loaded.add(table)


def add_form(function: Any, kind: type, form: Form) -> None:
    """Let ``form(function, *arguments)`` answer calls of ``function`` that have a ``kind`` among them.

    ``kind`` itself is meant, not its subclasses. A form of an op gets all inputs and attributes by position,
    the attributes as kernels get them. A form of a Python function gets the arguments as they were given.
    In both cases ``function`` may be called, with plain tensors.
    """
    # While a graph is open, the namespaces give other functions, which call those that are meant.
    function = getattr(function, "lifted_from", function)
    if type(function) is Composition:  # its code is that of the function that it stands for
        function = function.__wrapped__
    if isinstance(function, Op):
        function.composites[kind] = form
        return
    if function not in _forms:
        _forms[function] = {}
        _look_after_failures(function)
    _forms[function][kind] = form


def _look_after_failures(function: FunctionType) -> None:
    """Make ``function`` try its forms after a failure."""
    forms = _forms[function]

    def form_for(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Form | None:
        return _form_among((*args, *kwargs.values()), forms)

    _plain[function] = replace_code(function, _call, {"form_for": form_for, "hide": hide})


def replace_code(
    function: FunctionType, template: Callable[..., Any], constants: dict[str, Any]
) -> FunctionType:
    """Let ``function`` run the code of ``template``; returns a function that does what it did before.

    The code of the function is replaced and not the function, because other modules and users' programs hold
    the function already. ``template`` takes any arguments. Where its code has a string that is a key of
    ``constants``, it gets the value; "plain" becomes the function as it was.
    """
    from inspect import signature

    if function.__closure__:
        raise ValueError(f"{function.__name__} has a closure, so its code cannot be replaced")
    plain = FunctionType(
        function.__code__, function.__globals__, function.__name__, function.__defaults__
    )
    plain.__kwdefaults__ = function.__kwdefaults__
    values = {**constants, "plain": plain}
    code: CodeType = template.__code__
    function.__signature__ = signature(function)  # type: ignore[attr-defined]
    function.__code__ = code.replace(
        co_consts=tuple(
            values.get(each, each) if isinstance(each, str) else each for each in code.co_consts
        ),
        co_name=function.__name__,
        co_qualname=function.__qualname__,
    )
    return plain


def _call(*args: Any, **kwargs: Any) -> Any:
    # The code of every function that has forms. The strings are constants of the code, in place of which
    # `replace_code` puts functions.
    plain: Any = "plain"
    form_for: Any = "form_for"
    hide: Any = "hide"
    try:
        try:
            return plain(*args, **kwargs)
        except Exception:
            form = form_for(args, kwargs)
            if form is None:
                raise
        return form(plain, *args, **kwargs)
    except Exception as error:
        hide(error)
        raise


def _form_among(values: Iterable[Any], forms: dict[type, Form]) -> Form | None:
    """The form for the first composite among ``values`` and in lists among them."""
    for value in values:
        if type(value) in forms:
            return forms[type(value)]
        if isinstance(value, (list, tuple)):
            form = _form_among(value, forms)
            if form is not None:
                return form
    return None
