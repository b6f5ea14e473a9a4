# Written by tools/write_names.py from the PUBLIC tables of the modules.
# ruff: noqa
# fmt: off

from tapegrad.framework.unions import TensorLike as TensorLike
from tapegrad.functions.atomic import AtomicFunction as AtomicFunction
from tapegrad.functions.atomic import FunctionType as FunctionType
from tapegrad.functions.concrete import ConcreteFunction as ConcreteFunction
from tapegrad.functions.kinds import Callable as Callable
from tapegrad.functions.kinds import GenericFunction as GenericFunction
from tapegrad.functions.kinds import GenericFunction as _GenericFunction
from tapegrad.internal.legacy_keras import TraceType as TraceType
from tapegrad.types.experimental import distributed as distributed

PolymorphicFunction = _GenericFunction
