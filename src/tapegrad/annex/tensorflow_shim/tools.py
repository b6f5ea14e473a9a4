"""Small functions of TensorFlow's own modules: for shapes, loops, names and devices."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple, TypeVar

from numpy import bool_

from tapegrad.annex.internal.branches import check_predicate, smart_cond
from tapegrad.annex.internal.composite import CompositeTensor
from tapegrad.annex.internal.decorators import unwrap
from tapegrad.annex.raw import raw_ops
from tapegrad.annex.tensorflow_shim.data_structures import NoDependency, wrap_or_unwrap
from tapegrad.batching.mapping import vectorized_map
from tapegrad.core import static_value
from tapegrad.dtypes import float32
from tapegrad.framework.bases import AutoTrackable
from tapegrad.framework.nest import flatten, map_structure
from tapegrad.framework.printing import literal, plain_text
from tapegrad.framework.random_state import get_seed
from tapegrad.framework.shape import TensorShape, unknown_shape
from tapegrad.framework.variable import Variable
from tapegrad.lazy import TABLES
from tapegrad.ops.program.control import case
from tapegrad.ops.shape.array import identity
from tapegrad.ops.shape.creation import constant, convert_to_tensor, is_tensor
from tapegrad.ops.shape.shapes import get_static_value

PUBLIC = {"__internal__.tracking": "sticky_attribute_assignment"}

T = TypeVar("T")

# Whether tf.cond and tf.while_loop behave as in TensorFlow 2.
ENABLE_CONTROL_FLOW_V2 = True

# What `keras_export` has decorated, by public name; and by id the names in TensorFlow 2 and in tf.compat.v1.
KERAS_SYMBOLS: dict[str, Any] = {}
KERAS_NAMES: dict[int, tuple[tuple[str, ...], tuple[str, ...]]] = {}


def GraphOrParentsInXlaContext(graph: Any) -> bool:
    """Whether XLA compiles what runs: it never does."""
    return False


def numpy_text(tensor: Any, is_repr: bool = False) -> str:
    """The value of a tensor as it is printed in that of a tensor; several lines begin on one of their own.

    Args:
        tensor: a tensor with a value.
        is_repr: whether the text is that of `repr`.
    """
    value = static_value(tensor, "repr")
    return literal(value) if is_repr else plain_text(value)


def as_shape(shape: Any) -> TensorShape:
    """``shape`` as a `tf.TensorShape`."""
    return shape if isinstance(shape, TensorShape) else TensorShape(shape)


def constant_value_as_shape(tensor: Any) -> TensorShape:
    """The shape whose sizes ``tensor`` holds; -1 is an unknown size."""
    sizes = get_static_value(convert_to_tensor(tensor))
    if sizes is None:
        return unknown_shape(convert_to_tensor(tensor).shape[0])
    if sizes.ndim == 0:
        if sizes == -1:
            return unknown_shape()
        raise ValueError(
            f"constant_value_as_shape: a scalar must be -1, an unknown shape; it is {sizes}"
        )
    return TensorShape([None if size == -1 else int(size) for size in sizes])


def convert_variables_to_tensors(values: Any) -> Any:
    """The nest ``values`` with the values of variables in place of the variables."""

    def converted(value: Any) -> Any:
        if isinstance(value, Variable):
            return convert_to_tensor(value)
        own = getattr(value, "_convert_variables_to_tensors", None)  # of a library's composite
        return value if own is None else own()

    return map_structure(converted, values)


def pfor(
    loop_fn: Callable[..., Any],
    iters: Any,
    fallback_to_while_loop: bool = True,
    parallel_iterations: int | None = None,
    warn: bool = False,
) -> Any:
    """The results of ``loop_fn(0)`` to ``loop_fn(iters - 1)``, stacked along a new first axis.

    As for `tf.vectorized_map` the function is called once: a tape that it asks may be one that answers once.
    """
    count = int(get_static_value(convert_to_tensor(iters)))
    results: list[Any] = []

    def call(number: Any) -> list[Any]:
        results[:] = [loop_fn(number)]
        return [leaf for leaf in flatten(results) if leaf is not None] or [number]

    numbers = constant([*range(max(count, 1))])
    stacked = iter(vectorized_map(call, numbers, fallback_to_while_loop, warn))
    return map_structure(lambda leaf: None if leaf is None else next(stacked)[:count], results[0])


def for_loop(
    loop_fn: Callable[..., Any],
    loop_fn_dtypes: Any,
    iters: Any,
    parallel_iterations: int | None = None,
) -> Any:
    """As `pfor`; the dtypes follow from the results."""
    return pfor(loop_fn, iters)


class DeviceAttributes(NamedTuple):
    """The description of a device."""

    name: str
    device_type: str
    memory_limit: int
    incarnation: int
    physical_device_desc: str
    xla_global_id: int


def list_local_devices(session_config: Any = None) -> list[DeviceAttributes]:
    """The devices of this process: the CPU. Its ``memory_limit`` is TensorFlow's, and limits nothing."""
    return [DeviceAttributes("/device:CPU:0", "CPU", 256 * 2**20, 0, "", -1)]


def get_canonical_name_for_symbol(
    symbol: Any, api_name: str = "tensorflow", add_prefix_to_v1_names: bool = False
) -> str | None:
    """The public name of ``symbol`` below tf, or in Keras 2 for the ``api_name`` "keras", if it has one."""
    if api_name == "keras":
        exported, v1 = KERAS_NAMES.get(id(unwrap(symbol)[1]), ((), ()))
        prefix = "compat.v1." if add_prefix_to_v1_names else ""
        return next(iter((*exported, *(prefix + name for name in v1))), None)
    names = [
        f"{space}.{name}".lstrip(".")
        for space in TABLES
        if not space.startswith(("compat", "raw_ops"))
        for name, (module, inner) in TABLES[space].items()
        if vars(sys.modules.get(f"tapegrad.{module}", sys)).get(inner) is symbol
    ]
    own = getattr(symbol, "__name__", None)  # of two names beside each other
    return max(
        names, key=lambda name: (name.count("."), name.endswith(f".{own}"), name), default=None
    )


def get_symbol_from_name(name: str) -> Any:
    """What ``name``, such as ``"tensorflow.math.add"`` or ``"math.add"``, names; None if it is nothing."""
    if name.removeprefix("compat.v1.").startswith("keras."):
        return KERAS_SYMBOLS.get(name)
    symbol: Any = sys.modules["tapegrad"]
    for part in name.removeprefix("tensorflow.").split("."):
        symbol = getattr(symbol, part, None)
        if symbol is None:
            return None
    return symbol


def _case_helper(
    cond_fn: Callable[..., Any],
    pred_fn_pairs: Any,
    default: Callable[[], Any] | None,
    exclusive: bool,
    name: str,
    allow_python_preds: bool = False,
    **cond_kwargs: Any,
) -> Any:
    """`tf.case`, whose predicates may be Python's if ``allow_python_preds``. ``cond_fn`` is not called."""
    if allow_python_preds and isinstance(pred_fn_pairs, (list, tuple)):
        pred_fn_pairs = [
            (convert_to_tensor(pred) if isinstance(pred, (bool, bool_)) else pred, function)
            for pred, function in pred_fn_pairs
        ]
    return case(pred_fn_pairs, default, exclusive, name=name)


def smart_case(
    pred_fn_pairs: Any,
    default: Callable[[], Any] | None = None,
    exclusive: bool = False,
    name: str = "smart_case",
) -> Any:
    """`tf.case`, whose predicates may be Python's."""
    return _case_helper(
        smart_cond, pred_fn_pairs, default, exclusive, name, allow_python_preds=True
    )


def smart_constant_value(pred: Any) -> Any:
    """The value of ``pred`` (True, False, 1, 0 or a tensor), or None where a tensor has no value yet."""
    if is_tensor(pred):
        return get_static_value(identity(pred) if isinstance(pred, Variable) else pred)
    check_predicate(pred)
    return bool(pred)


def get_enclosing_xla_context() -> None:
    """The context in which XLA compiles: there is none."""


class KerasModeKeys:
    """Names of what a model of Keras can be saved for."""

    TRAIN = "train"
    TEST = "test"
    PREDICT = "predict"


class EstimatorModeKeys:
    """Names of what an estimator can be saved for."""

    TRAIN = "train"
    EVAL = "eval"
    PREDICT = "infer"


def getfullargspec(obj: Any) -> Any:
    """As from `inspect`; for a decorated function, of the function itself."""
    import inspect

    function = unwrap(obj)[1]
    return inspect.getfullargspec(getattr(function, "python_function", function))


def getcallargs(*func_and_positional: Any, **named: Any) -> dict[str, Any]:
    """The arguments of a call by name.

    Differs from that of `inspect`: keyword arguments that the function takes by ``**kwargs`` stand among the
    others, and nothing is refused.

    >>> from tapegrad.annex.tensorflow_shim.tools import getcallargs
    >>> getcallargs(lambda x, y=2, **more: 0, 1, z=3)
    {'z': 3, 'x': 1, 'y': 2}

    Args:
        *func_and_positional: the function, and the arguments by position.
        **named: the arguments by keyword.
    """
    function, *positional = func_and_positional
    spec = getfullargspec(function)
    arguments = dict(named)
    instance = getattr(function, "__self__", None)
    if instance is not None:
        positional.insert(0, instance)
    free = [name for name in spec.args if name not in arguments]
    arguments.update(zip(free, positional, strict=False))
    defaults = spec.defaults or ()
    by_default = dict(zip(spec.args[len(spec.args) - len(defaults) :], defaults, strict=True))
    for name, value in {**by_default, **(spec.kwonlydefaults or {})}.items():
        arguments.setdefault(name, value)
    return arguments


class ArgSpec(NamedTuple):
    """The arguments of a function, by position: what `getargspec` gives."""

    args: list[str]
    varargs: str | None
    keywords: str | None
    defaults: tuple[Any, ...] | None


def getargspec(obj: Any) -> ArgSpec:
    """The arguments of a function, of a class when it is called, or of an object that is called.

    Those by keyword alone come at the end. What `functools.partial` fixes is a default, and those after it
    need one.

    >>> from tapegrad.annex.tensorflow_shim.tools import getargspec
    >>> getargspec(lambda a, b=1, *c: 0)
    ArgSpec(args=['a', 'b'], varargs='c', keywords=None, defaults=(1,))
    """
    import functools
    import inspect

    function: Any = unwrap(obj)[1]
    function = getattr(function, "python_function", function)
    fixed: dict[str, Any] = {}
    places = 0
    while isinstance(function, functools.partial):
        fixed = {**(function.keywords or {}), **fixed}
        places += len(function.args)
        function = function.func
    if inspect.isclass(function):
        function = function.__init__
    elif not inspect.isroutine(function):
        function = type(function).__call__
    spec = inspect.getfullargspec(function)
    if not fixed and not places:
        by_keyword = (spec.kwonlydefaults or {}).values()
        every = (*(spec.defaults or ()), *by_keyword)
        return ArgSpec([*spec.args, *spec.kwonlyargs], spec.varargs, spec.varkw, every or None)
    defaults = dict(zip(reversed(spec.args), reversed(spec.defaults or ()), strict=False))
    defaults |= spec.kwonlydefaults or {}
    defaults |= fixed
    args = [*spec.args[places:], *spec.kwonlyargs]
    first = next((place for place, name in enumerate(args) if name in defaults), len(args))
    without = [name for name in args[first:] if name not in defaults]
    if without:
        raise ValueError(
            f"Some arguments {without} do not have default value, but they are positioned after those with "
            "default values. This can not be expressed with ArgSpec."
        )
    values = tuple(defaults[name] for name in args[first:])
    return ArgSpec(args, spec.varargs, spec.varkw, values or None)


class tf_export:
    """A decorator that leaves what it decorates as it is: no name is added to tf."""

    def __init__(self, *args: str, v1: Iterable[str] | None = None, **kwargs: Any) -> None:
        """Take the names; those of ``v1`` are the names in ``tf.compat.v1``, by default the same."""
        self._names = args
        self._v1 = args if v1 is None else tuple(v1)

    def __call__(self, symbol: T) -> T:
        return symbol

    def export_constant(self, module_name: str, name: str) -> None:
        """Export nothing."""


class keras_export(tf_export):
    """A decorator that notes under which public names Keras 2 has what it decorates.

    The files that Keras 2 writes name its classes by them, and loading finds the classes by them.
    """

    def __call__(self, symbol: T) -> T:
        for name in self._names:
            KERAS_SYMBOLS[name] = symbol
        for name in self._v1:
            KERAS_SYMBOLS[f"compat.v1.{name}"] = symbol
        KERAS_NAMES[id(unwrap(symbol)[1])] = self._names, self._v1
        return symbol


def sticky_attribute_assignment(trackable: Any, name: str, value: Any) -> Any:
    """``value``, as the attribute ``name`` of ``trackable`` holds it. It becomes a part if it can be one.

    Args:
        trackable: the object whose attribute is set.
        name: the name of the attribute.
        value: any object.
    """
    wrapped = wrap_or_unwrap(value)
    if not isinstance(value, NoDependency) and isinstance(trackable, AutoTrackable):
        return trackable._track_attribute(name, wrapped)
    return wrapped


def no_handler() -> None:
    """Install no handler of stack traces: `faulthandler` of Python has one."""


def is_xla_enabled() -> bool:
    """Whether XLA compiles programs: it does not."""
    return False


def unchanged(symbol: T) -> T:
    """A decorator that leaves what it decorates as it is."""
    return symbol


def with_text(text: str) -> Callable[[T], T]:
    """A decorator that leaves what it decorates as it is, whatever the text says."""
    return unchanged


def decorate_all_class_attributes(decorator: Callable[[Any], Any], cls: type, skip: Any) -> None:
    """Let ``decorator`` mark the attributes of a class, but for those in ``skip``."""


def convert_to_tensor_or_composite(value: Any, dtype: Any = None, name: str | None = None) -> Any:
    """``value`` as a tensor; a composite unchanged."""
    return value if isinstance(value, CompositeTensor) else convert_to_tensor(value, dtype)


def parameterized_truncated_normal(
    shape: Any,
    means: Any = 0.0,
    stddevs: Any = 1.0,
    minvals: Any = -2.0,
    maxvals: Any = 2.0,
    dtype: Any = None,
    seed: Any = None,
    name: str | None = None,
) -> Any:
    """Draws from normal distributions, cut off below and above."""
    draw: Any = raw_ops.ParameterizedTruncatedNormal
    dtype = float32 if dtype is None else dtype
    first, second = get_seed(seed)
    return draw(
        shape=shape,
        means=convert_to_tensor(means, dtype),
        stdevs=convert_to_tensor(stddevs, dtype),
        minvals=convert_to_tensor(minvals, dtype),
        maxvals=convert_to_tensor(maxvals, dtype),
        seed=first or 0,
        seed2=second or 0,
    )


def remove_undocumented(
    module_name: str, allowed_exception_list: Any = None, doc_string_modules: Any = None
) -> None:
    """Leave the module as it is: TensorFlow takes names away here that its docstring does not mention."""


def reveal_undocumented(symbol_name: str, target_module: Any = None) -> None:
    """Give back nothing: `remove_undocumented` takes nothing away."""


def make_all(module_name: str, doc_string_modules: Any = None) -> list[str]:
    """The public names of a module."""
    return sorted(name for name in vars(sys.modules[module_name]) if not name.startswith("_"))


class RegisterStatistics:
    """A decorator for functions that count the cost of an op of a graph. They are never called here."""

    def __init__(self, op_type: str, statistic_type: str) -> None:
        """Take the names and forget them."""

    def __call__(self, f: T) -> T:
        return f


def register_proto_function(
    collection_name: str, proto_type: Any = None, to_proto: Any = None, from_proto: Any = None
) -> None:
    """Forget how the members of a collection of a graph are written to a file: none is written."""


class TPUContext:
    """How many shards of a computation for TPUs there are: it is not known, as none is divided."""

    number_of_shards = None


def get_tpu_context() -> TPUContext:
    """The running computation for TPUs: there is none."""
    return TPUContext()
