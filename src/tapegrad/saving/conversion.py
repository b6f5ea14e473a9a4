"""`converted` writes the Python loops of a function anew, for one over a tensor to be a step.

``for row in rows: total += row`` becomes

    def body(value):
        nonlocal row, total
        row = value
        total += row
        return False  # True where the loop breaks

and a call of `python_loops.for_loop`, which runs the body for each row, as Python does, or makes it a step.
What the function calls is converted when it is called. A loop with a ``return``, a ``yield`` or an ``else``
stays as it is.
"""

from __future__ import annotations
import __future__

import ast
import copy
import functools
import inspect
import textwrap
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from types import CellType, CodeType, FunctionType
from typing import Any

RUNTIME = "__tapegrad_loops__"
PART = "__tapegrad_loop_"  # how the names of functions begin that are parts of a loop
# Names that stand for the frame in which they are called.
_OF_FRAMES = frozenset("super locals vars dir eval exec globals".split())
_FUTURES = functools.reduce(
    int.__or__, [getattr(__future__, name).compiler_flag for name in __future__.all_feature_names]
)
_OWN_SCOPE = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
_LATE = (*_OWN_SCOPE, ast.GeneratorExp)


def converted(function: FunctionType, runtime: Any) -> Callable[..., Any]:
    """A function like this one whose loops and calls ask ``runtime``; itself if its source is not there."""
    code = _code_of(function.__code__)
    if code is None:
        return function
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    cells[RUNTIME] = CellType(runtime)
    closure = tuple([cells[name] for name in code.co_freevars])
    twin = FunctionType(
        code, function.__globals__, function.__name__, function.__defaults__, closure
    )
    twin.__kwdefaults__ = function.__kwdefaults__
    return twin


@functools.lru_cache(maxsize=512)
def _code_of(code: CodeType) -> CodeType | None:
    """The code of a function with its loops written anew."""
    if code.co_flags & (inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR):
        return None
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(code)))
    except (OSError, TypeError, SyntaxError, IndentationError):
        return None
    definition = _definition_in(tree, code)
    if definition is None or not _is_source_of(definition, code):
        return None
    _Rewriter(definition).rewrite()
    return _with_name_of(code, _compiled(definition, code, RUNTIME))


def _with_name_of(code: CodeType, rewritten: CodeType) -> CodeType:
    """Rewritten code whose parts have the name of the function, which errors and tracebacks show."""
    constants = tuple(
        [
            _with_name_of(code, value)
            if isinstance(value, CodeType) and value.co_name.startswith(PART)
            else value
            for value in rewritten.co_consts
        ]
    )
    return rewritten.replace(
        co_name=code.co_name, co_qualname=code.co_qualname, co_consts=constants
    )


def _compiled(definition: ast.FunctionDef, code: CodeType, *more: str) -> CodeType:
    """The code of a definition in the place of another one, with more variables around it."""
    names = [*code.co_freevars, *more]
    binding = [ast.Assign([ast.Name(name, ast.Store()) for name in names], ast.Constant(None))]
    factory = ast.FunctionDef(
        name="factory",
        args=_parameters(),
        body=[*(binding if names else []), copy.deepcopy(definition)],
        decorator_list=[],
    )
    module = ast.fix_missing_locations(ast.Module([factory], []))
    ast.increment_lineno(module, code.co_firstlineno - 1)
    flags = code.co_flags & _FUTURES
    outer = compile(module, code.co_filename, "exec", flags=flags, dont_inherit=True)
    return _inner(_inner(outer, "factory"), definition.name)


def _is_source_of(definition: ast.FunctionDef, code: CodeType) -> bool:
    """Whether a definition is that of a code. The file may be another by now; a class changes names in it."""
    return _facts_of(_compiled(definition, code)) == _facts_of(code)


def _facts_of(code: CodeType) -> tuple[Any, ...]:
    """What two compilations of one source have in common: not the instructions, for which imports count."""
    inner = [value for value in code.co_consts if isinstance(value, CodeType)]
    constants = [repr(value) for value in code.co_consts if not isinstance(value, CodeType)]
    lines = {line for _, _, line in code.co_lines()}
    lines.discard(code.co_firstlineno)  # of a decorator, or not
    facts = set(code.co_names), code.co_varnames, code.co_freevars, constants, lines
    return (*facts, *map(_facts_of, inner))


def _inner(code: CodeType, name: str) -> CodeType:
    return next(
        part for part in code.co_consts if isinstance(part, CodeType) and part.co_name == name
    )


def _definition_in(tree: ast.Module, code: CodeType) -> ast.FunctionDef | None:
    """The definition that a code is of, without decorators; a lambda becomes a definition."""
    if code.co_name != "<lambda>":
        first = tree.body[0]
        if not isinstance(first, ast.FunctionDef) or first.name != code.co_name:
            return None
        first.decorator_list = []
        first.returns = None
        return first
    count = code.co_argcount + code.co_kwonlyargcount
    lambdas = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Lambda)
        and [part.arg for part in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)]
        == list(code.co_varnames[:count])
    ]
    if len(lambdas) != 1:
        return None
    body: list[ast.stmt] = [ast.Return(lambdas[0].body)]
    return ast.FunctionDef(name="a_lambda", args=lambdas[0].args, body=body, decorator_list=[])


def _within(nodes: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """These nodes and all in them, but what is in functions and classes, and variables of comprehensions."""
    for node in nodes:
        yield node
        if isinstance(node, ast.comprehension):
            yield from _within([node.iter, *node.ifs])
        elif not isinstance(node, _OWN_SCOPE):
            yield from _within(ast.iter_child_nodes(node))


def _bound_by(statements: Iterable[ast.AST]) -> set[str]:
    """The variables that statements bind or delete."""
    names: set[str] = set()
    for node in _within(statements):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            names.add(node.id)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            names.add(node.name)
            names.update(
                name
                for part in ast.walk(node)
                if isinstance(part, ast.Nonlocal)
                for name in part.names
            )
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            names.update((part.asname or part.name).partition(".")[0] for part in node.names)
        elif isinstance(node, (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)) and node.name:
            names.add(node.name)
        elif isinstance(node, ast.MatchMapping) and node.rest:
            names.add(node.rest)
    return names


def _names_in(*nodes: ast.AST) -> Counter[str]:
    """How often each name occurs."""
    return Counter(
        name
        for node in nodes
        for part in ast.walk(node)
        for name in (
            [part.id]
            if isinstance(part, ast.Name)
            else [part.arg]
            if isinstance(part, ast.arg)
            else part.names
            if isinstance(part, (ast.Global, ast.Nonlocal))
            else []
        )
    )


def _assigned_first(loop: ast.For | ast.While, name: str) -> bool:
    """Whether each turn of a loop assigns to a variable before it reads it."""
    if isinstance(loop, ast.For) and name in _names_in(loop.target):
        return True
    if isinstance(loop, ast.While) and name in _names_in(loop.test):
        return False
    for statement in loop.body:
        if getattr(statement, "name", None) == name:  # a function or a class
            return True
        if name in _names_in(statement):
            return _assigns(statement, name)
    return False


def _assigns(statement: ast.stmt, name: str) -> bool:
    """Whether a statement that has this name in it assigns to it before it reads it."""
    if isinstance(statement, ast.Assign):
        read: list[ast.expr] = [statement.value]
        written: list[ast.expr | None] = [*statement.targets]
    elif isinstance(statement, ast.AnnAssign) and statement.value is not None:
        read, written = [statement.value], [statement.target]
    elif isinstance(statement, ast.With):
        read = [item.context_expr for item in statement.items]
        written = [item.optional_vars for item in statement.items]
    else:
        return False
    return name not in _names_in(*read) and name in _bound_by(filter(None, written))


class _Rewriter:
    """Writes the loops and the calls of a function anew."""

    def __init__(self, definition: ast.FunctionDef) -> None:
        self._definition = definition
        parameters = [node.arg for node in ast.walk(definition.args) if isinstance(node, ast.arg)]
        declared = [
            node
            for node in _within(definition.body)
            if isinstance(node, (ast.Global, ast.Nonlocal))
        ]
        self._globals = {
            name for node in declared if isinstance(node, ast.Global) for name in node.names
        }
        self._elsewhere = {*parameters, *[name for node in declared for name in node.names]}
        self._of_loops: set[str] = set()  # variables that loops change
        self._count = 0
        everywhere = _names_in(definition)
        self._own: dict[ast.AST, set[str]] = {}  # variables that a loop alone uses
        for node in _within(definition.body):
            if isinstance(node, (ast.For, ast.While)):
                inside = _names_in(node)
                kept = _names_in(*[part for part in ast.walk(node) if isinstance(part, _LATE)])
                self._own[node] = {
                    name
                    for name in _bound_by([node]) - self._elsewhere - set(kept)
                    if inside[name] == everywhere[name] and _assigned_first(node, name)
                }

    def rewrite(self) -> None:
        definition = self._definition
        definition.body = self._statements(definition.body)
        needed = sorted(self._of_loops - self._elsewhere)
        if needed:  # without a value, but so that they are variables of this function
            binding = ast.Assign(
                [ast.Name(name, ast.Store()) for name in needed], ast.Constant(None)
            )
            definition.body.insert(0, ast.If(ast.Constant(False), [binding], []))
        _Calls().visit(definition)

    def _statements(self, statements: list[ast.stmt]) -> list[ast.stmt]:
        return [new for statement in statements for new in self._statement(statement)]

    def _statement(self, statement: ast.stmt) -> list[ast.stmt]:
        if isinstance(statement, _OWN_SCOPE):
            return [statement]
        can_be_step = isinstance(statement, (ast.For, ast.While)) and not (
            statement.orelse
            or any(isinstance(node, _STAYING) for node in _within([statement]))
            or _OF_FRAMES & set(_names_in(statement))
        )
        for part in [
            statement,
            *getattr(statement, "handlers", ()),
            *getattr(statement, "cases", ()),
        ]:
            for field in ("body", "orelse", "finalbody"):
                inner = getattr(part, field, None)
                if isinstance(inner, list):
                    setattr(part, field, self._statements(inner))
        return self._loop(statement) if can_be_step else [statement]  # type: ignore[arg-type]

    def _loop(self, loop: ast.For | ast.While) -> list[ast.stmt]:
        self._count += 1
        names = {name for name in _bound_by([loop]) - self._own[loop] if not name.startswith(PART)}
        state = sorted(names - self._globals)
        self._of_loops.update(state)
        shared: list[ast.stmt] = [ast.Nonlocal(state)] if state else []
        declared = [*shared]
        if names & self._globals:
            declared.append(ast.Global(sorted(names & self._globals)))
        jumps = _Jumps()
        body = [
            *[jumps.visit(statement) for statement in loop.body],
            ast.Return(ast.Constant(False)),
        ]
        functions = []
        if isinstance(loop, ast.For):
            subject = loop.iter
            body.insert(0, ast.Assign([loop.target], ast.Name("__value", ast.Load())))
        else:
            test = loop.test
            binding = declared
            if not any(isinstance(node, ast.NamedExpr) for node in ast.walk(test)):
                test, binding = _Tests().visit(test), []
            functions.append(self._function("test", [], [*binding, ast.Return(test)]))
            subject = ast.Name(functions[0].name, ast.Load())
        parameter = ["__value"] if isinstance(loop, ast.For) else []
        functions.append(self._function("body", parameter, [*declared, *body]))
        values = [ast.Lambda(_parameters(), ast.Name(name, ast.Load())) for name in state]
        functions.append(self._function("get", [], [ast.Return(_runtime("values", *values))]))
        targets: ast.expr = ast.List([ast.Name(name, ast.Store()) for name in state], ast.Store())
        assignment = ast.Assign([targets], ast.Name("__value", ast.Load()))
        functions.append(self._function("set", ["__value"], [*shared, assignment]))
        call = _runtime(
            "for_loop" if isinstance(loop, ast.For) else "while_loop",
            subject,
            *[ast.Name(function.name, ast.Load()) for function in functions[-3:]],
            ast.Tuple([ast.Constant(name) for name in state], ast.Load()),
            ast.Constant(jumps.breaks),
        )
        statements = [*functions, ast.Expr(call)]
        for node in statements:
            ast.copy_location(node, loop)
        return statements

    def _function(self, kind: str, parameters: list[str], body: list[ast.stmt]) -> ast.FunctionDef:
        return ast.FunctionDef(
            name=f"{PART}{kind}_{self._count}",
            args=_parameters(*parameters),
            body=body,
            decorator_list=[],
        )


_STAYING = (
    ast.Return,
    ast.Yield,
    ast.YieldFrom,
    ast.Await,
    ast.AsyncFor,
    ast.AsyncWith,
    ast.Global,
    ast.Nonlocal,
)


def _parameters(*names: str) -> ast.arguments:
    return ast.arguments([], [ast.arg(name) for name in names], None, [], [], None, [])


def _runtime(name: str, *arguments: ast.expr) -> ast.Call:
    function = ast.Attribute(ast.Name(RUNTIME, ast.Load()), name, ast.Load())
    return ast.Call(function, list(arguments), [])


class _Jumps(ast.NodeTransformer):
    """Makes ``break`` and ``continue`` of one loop leave the function that is its body."""

    def __init__(self) -> None:
        self.breaks = False

    def visit_Break(self, node: ast.Break) -> ast.stmt:
        self.breaks = True
        return ast.copy_location(ast.Return(ast.Constant(True)), node)

    def visit_Continue(self, node: ast.Continue) -> ast.stmt:
        return ast.copy_location(ast.Return(ast.Constant(False)), node)

    def _of_inner_loop(self, node: Any) -> Any:
        node.orelse = [self.visit(statement) for statement in node.orelse]
        return node

    def _unchanged(self, node: Any) -> Any:
        return node

    visit_For = visit_While = visit_AsyncFor = _of_inner_loop
    visit_FunctionDef = visit_AsyncFunctionDef = visit_ClassDef = visit_Lambda = _unchanged


class _Tests(ast.NodeTransformer):
    """Makes ``not``, ``and`` and ``or`` of a condition ask the runtime, which knows tensors."""

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        if not isinstance(node.op, ast.Not):
            return node
        return ast.copy_location(_runtime("logical_not", self.visit(node.operand)), node)

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.expr:
        ways = [ast.Lambda(_parameters(), self.visit(value)) for value in node.values]
        name = "logical_and" if isinstance(node.op, ast.And) else "logical_or"
        return ast.copy_location(_runtime(name, *ways), node)

    def generic_visit(self, node: ast.AST) -> ast.AST:
        return node


class _Calls(ast.NodeTransformer):
    """Makes each call ask the runtime what to call."""

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        function = node.func
        if isinstance(function, ast.Name) and function.id in _OF_FRAMES:
            return node
        if isinstance(function, ast.Attribute) and getattr(function.value, "id", None) == RUNTIME:
            return node
        node.func = ast.copy_location(_runtime("called", function), function)
        return node
