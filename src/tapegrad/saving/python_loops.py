"""The loops of functions that `conversion` has written anew: one over a tensor becomes a step."""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable, Iterable
from types import FunctionType, MethodType
from typing import Any, NoReturn

import numpy as np

from tapegrad.core import EagerTensor, Tensor, VariableBase, pretend
from tapegrad.core.opening import OpenArray, elements_of
from tapegrad.framework import nest
from tapegrad.ops.elementwise import logic
from tapegrad.ops.indexing.gather import gather
from tapegrad.ops.program import scopes
from tapegrad.ops.program.loop_variables import rest_of_loop, tensors_of
from tapegrad.ops.program.tensor_array import TensorArray
from tapegrad.ops.shape.sequences import range as range_of_tensors
from tapegrad.ops.shape.shapes import shape
from tapegrad.saving import conversion
from tapegrad.saving.steps import CannotRecord

# Functions of these packages have no loops over tensors that arguments end.
_LIBRARIES = {
    "tapegrad",
    "tensorflow",
    "keras",
    "tf_keras",
    "numpy",
    "scipy",
    *sys.stdlib_module_names,
}
_LIBRARIES.discard("__main__")


class Unbound:
    """Stands in a variable that has no value, as those have after a loop that only its turns assign."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> NoReturn:
        raise UnboundLocalError(
            f"variable {self._name!r} has no value: a loop over a tensor sets it, but nothing before the loop"
        )


def called(function: Any) -> Any:
    """What a converted function calls in place of this one."""
    if function is range:
        return _range
    kind = type(function)
    if kind is MethodType:
        twin = _converted(function.__func__)
        return function if twin is function.__func__ else MethodType(twin, function.__self__)
    if kind is FunctionType:
        return _converted(function)
    if kind is functools.partial:
        return functools.partial(called(function.func), *function.args, **function.keywords)
    if isinstance(function, type):
        return function
    method = inspect.getattr_static(kind, "__call__", None)
    twin = _converted(method)
    return function if twin is method else MethodType(twin, function)


def _converted(function: Any) -> Any:
    """The function with converted loops, if it is a user's."""
    if type(function) is not FunctionType:
        return function
    package = str(function.__globals__.get("__name__")).partition(".")[0]
    if package in _LIBRARIES:
        return function
    return conversion.converted(function, sys.modules[__name__])


def _range(*limits: Any) -> Iterable[Any]:
    """Python's ``range``, or numbers in a tensor if a limit is a tensor that arguments decide."""
    if any(map(_decides, limits)):
        return range_of_tensors(*limits)
    return range(*limits)


def values(*reads: Callable[[], Any]) -> list[Any]:
    """The values of variables; `Unbound` for those that have none."""
    return [_value(read) for read in reads]


def _value(read: Callable[[], Any]) -> Any:
    try:
        return read()
    except NameError:
        return Unbound("")


def logical_not(value: Any) -> Any:
    """``not value``; of a tensor a tensor."""
    return logic.logical_not(value) if isinstance(value, Tensor) else not value


def logical_and(*ways: Callable[[], Any]) -> Any:
    """``a and b and ...``; of tensors a tensor."""
    return _joined(logic.logical_and, False, ways)


def logical_or(*ways: Callable[[], Any]) -> Any:
    """``a or b or ...``; of tensors a tensor."""
    return _joined(logic.logical_or, True, ways)


def _joined(join: Callable[..., Any], last: bool, ways: tuple[Callable[[], Any], ...]) -> Any:
    result: Any = None
    for way in ways:
        value = way()
        result = join(result, value) if isinstance(result, Tensor) else value
        if not isinstance(result, Tensor) and bool(result) is last:
            break
    return result


class _State:
    """The variables of a loop: those that its steps carry, and the others, which no turn may change."""

    def __init__(self, names: tuple[str, ...], get: Callable[[], list[Any]], put: Any) -> None:
        self._names, self._get, self._put = names, get, put
        self._before = get()
        self._carried = [number for number, value in enumerate(self._before) if _is_carried(value)]

    @property
    def is_ready(self) -> bool:
        """Whether it is known what steps carry: not for arrays without elements, nor what is still None."""
        return not any(
            value is None or (isinstance(value, TensorArray) and number not in self._carried)
            for number, value in enumerate(self._before)
        )

    def first(self) -> list[Any]:
        """What the steps carry, before the loop."""
        return [self._before[number] for number in self._carried]

    def put(self, carried: Iterable[Any]) -> None:
        """Set the variables: the others are as before the loop."""
        values = [
            Unbound(name) if type(value) is Unbound else value
            for name, value in zip(self._names, self._before, strict=True)
        ]
        for number, value in zip(self._carried, carried, strict=True):
            values[number] = value
        self._put(values)

    def after(self) -> list[Any]:
        """What the steps carry, after a turn."""
        now = self._get()
        for number, (name, before) in enumerate(zip(self._names, self._before, strict=True)):
            if number in self._carried:
                self._check(name, before, now[number])
            elif type(before) is not Unbound and now[number] is not before:
                raise CannotRecord(
                    f"a turn of a loop gives the variable {name!r} another {type(now[number]).__name__}"
                )
        return [now[number] for number in self._carried]

    def _check(self, name: str, before: Any, now: Any) -> None:
        try:
            nest.assert_same_structure(before, now)
        except (TypeError, ValueError):
            raise CannotRecord(
                f"a turn of a loop changes the structure of the variable {name!r}"
            ) from None


def _is_carried(value: Any) -> bool:
    if type(value) is Unbound or value is None or isinstance(value, VariableBase):
        return False
    return bool(nest.flatten(value)) and tensors_of([value]) is not None


def while_loop(
    test: Callable[[], Any],
    body: Callable[[], bool],
    get: Callable[[], list[Any]],
    put: Callable[[list[Any]], None],
    names: tuple[str, ...],
    breaks: bool,
) -> None:
    """A ``while`` loop.

    Args:
        test: what is true before each turn.
        body: does a turn, and says whether the loop breaks.
        get, put: give the values of the variables that turns change, and set them.
        names: of these variables.
        breaks: whether a turn may break.
    """
    turns = 0
    while True:
        asked = test()
        if _decides(asked) or (breaks and asked is True and _whole_loops() is not None):
            state = _State(names, get, put)
            if (turns or state.is_ready) and _rest_of_while(asked, test, body, state):
                return
        if not asked or body():
            return
        turns += 1


def _rest_of_while(
    asked: Any, test: Callable[[], Any], body: Callable[[], bool], state: _State
) -> bool:
    def goes_on(broken: Any, carried: Any) -> Any:
        state.put(carried)
        return logical_and(lambda: logic.logical_not(broken), test)

    def turn(broken: Any, carried: Any) -> Any:
        state.put(carried)
        return [body(), state.after()]

    return _rest(asked, goes_on, turn, [False, state.first()], state)


def for_loop(
    elements: Any,
    body: Callable[[Any], bool],
    get: Callable[[], list[Any]],
    put: Callable[[list[Any]], None],
    names: tuple[str, ...],
    breaks: bool,
) -> None:
    """A ``for`` loop over ``elements``; the others are as of `while_loop`."""
    if _whole_loops() is None or type(elements) is not EagerTensor or not elements.ndim:
        for element in elements:
            if body(element):
                return
        return
    count = shape(elements)[0]
    turns = 0
    while True:
        if breaks or _decides(count):
            state = _State(names, get, put)
            if (turns or state.is_ready) and _rest_of_for(elements, turns, count, body, state):
                return
        if not turns < count or body(_element(elements, turns)):
            return
        turns += 1


def _rest_of_for(
    elements: EagerTensor, turns: int, count: Any, body: Callable[[Any], bool], state: _State
) -> bool:
    def goes_on(number: Any, broken: Any, _: Any) -> Any:
        return logic.logical_and(number < count, logic.logical_not(broken))

    def turn(number: Any, broken: Any, carried: Any) -> Any:
        state.put(carried)
        return [number + 1, body(_element(elements, number)), state.after()]

    return _rest(count, goes_on, turn, [turns, False, state.first()], state)


def _rest(asked: Any, goes_on: Any, turn: Any, variables: list[Any], state: _State) -> bool:
    """Whether the rest of a loop has become a step. What is asked first may not follow from arguments."""
    loops = scopes.current.loops
    assert loops is not None, "no function is saved"
    assert loops.run is not None, "loops run turn by turn"
    first = asked if _decides(asked) else None
    rest = rest_of_loop(loops.run, first, goes_on, turn, variables, None)
    if rest is None:
        return False
    state.put(rest[-1])
    return True


def _whole_loops() -> scopes.Loops | None:
    """The scope in which a function is saved now, if loops are steps there."""
    loops = scopes.current.loops
    return None if loops is None or loops.run is None else loops


def _decides(value: Any) -> bool:
    """Whether arguments of the function that is saved decide a tensor."""
    loops = _whole_loops()
    return loops is not None and type(value) is EagerTensor and loops.decides(value)


def _element(elements: EagerTensor, number: Any) -> Any:
    """``elements[number]``. Where there are fewer in this run, which is on stand-ins, zeros go on."""
    before = elements._array
    array: Any = before
    values = elements_of(array)
    last = int(elements_of(number._array)) if isinstance(number, EagerTensor) else number
    if last < len(values) or type(array) is not OpenArray:
        return gather(elements, number)
    more = np.zeros((last + 1, *values.shape[1:]), values.dtype)
    longer: Any = OpenArray(more, array.shape, array.opening)
    pretend(elements, longer)
    try:
        return gather(elements, number)
    finally:
        pretend(elements, before)
