"""What the text of the user's program says: names of arguments, lines that bind a name, and lines rewritten.

A tape knows tensors by number. The text of the program, where Python can show it, knows their names, and so
`tapegrad.autodiff.explanations` can say which line to change, and how. Nothing here is sure: a name may be
bound in ways that no text shows. Without a text (a program typed into `python -c`) the answers are empty.
"""

from __future__ import annotations

import ast
import copy
import linecache
from collections.abc import Callable, Collection, Iterator
from types import FrameType
from typing import Any

from tapegrad.core.tracebacks import Line

# NumPy's names of functions whose TensorFlow name is another one.
TENSORFLOW_NAMES = {
    "absolute": "abs",
    "amax": "reduce_max",
    "amin": "reduce_min",
    "log": "math.log",
    "max": "reduce_max",
    "mean": "reduce_mean",
    "min": "reduce_min",
    "power": "pow",
    "prod": "reduce_prod",
    "std": "math.reduce_std",
    "sum": "reduce_sum",
    "var": "math.reduce_variance",
}
SAME_NAMES = frozenset(
    "abs clip_by_value concat cos cosh einsum exp expand_dims matmul maximum minimum "
    "multiply negative reshape "
    "sign sin sinh sqrt square squeeze stack tan tanh tensordot transpose where".split()
)
COPIES = frozenset({"array", "asarray", "ascontiguousarray", "copy", "float32", "float64"})
MAKERS = frozenset({"Variable", "constant", "convert_to_tensor"})
READERS = frozenset({"item", "numpy", "tolist"})
ROUNDING = frozenset({"ceil", "floor", "rint", "round"})
RISING = (ast.Gt, ast.GtE)
FALLING = (ast.Lt, ast.LtE)

Rewrite = Callable[[ast.AST], ast.AST | None]


class ProgramText:
    """The text of one file of the user's program, and the scopes around a line in it."""

    def __init__(self, file: str, namespace: dict[str, Any] | None = None) -> None:
        self.file = file
        try:
            self.tree: ast.Module = ast.parse("".join(linecache.getlines(file, namespace)))
        except (SyntaxError, ValueError, RecursionError):
            self.tree = ast.Module([], [])

    def scopes(self, number: int) -> list[ast.AST]:
        """The functions around a line, the innermost first, and the module."""
        around: list[ast.AST] = [
            node
            for node in ast.walk(self.tree)
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
            and node.lineno <= number <= (node.end_lineno or node.lineno)
        ]
        return [*reversed(around), self.tree]

    def statements_of(self, scope: ast.AST) -> Iterator[ast.stmt]:
        """The statements of a function or module, without those of functions inside."""
        for node in ast.iter_child_nodes(scope):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                continue
            if isinstance(node, ast.stmt):
                yield node
            yield from self.statements_of(node)

    def bindings(self, name: str, number: int) -> list[ast.stmt]:
        """The statements that bind ``name``, in the innermost scope around the line that has any."""
        for scope in self.scopes(number):
            bindings = [
                statement
                for statement in self.statements_of(scope)
                if name in _names_bound_by(statement)
            ]
            if bindings:
                return bindings
        return []

    def statements_at(self, number: int) -> list[ast.stmt]:
        """The statements that cover the line, the innermost first."""
        covering = [
            node
            for node in ast.walk(self.tree)
            if isinstance(node, ast.stmt)
            and node.lineno <= number <= (node.end_lineno or node.lineno)
        ]
        return sorted(covering, key=lambda node: (-node.lineno, node.end_lineno, node.col_offset))

    def line(self, statement: ast.AST, number: int) -> Line:
        """Where the statement is; ``number`` is a line in the same function."""
        names = [
            scope.name
            for scope in self.scopes(getattr(statement, "lineno", number))
            if isinstance(scope, (ast.FunctionDef, ast.AsyncFunctionDef))
        ]
        return self.file, getattr(statement, "lineno", number), names[0] if names else "<module>"


class CallText:
    """The text of the call that asks for an explanation, or for gradients."""

    def __init__(self, frame: FrameType) -> None:
        self.number = frame.f_lineno
        self.text = ProgramText(frame.f_code.co_filename, frame.f_globals)
        self.arguments: list[ast.expr | None] = [None, None]
        self.tape = "tape"
        call = self._call(frame)
        if call is not None:
            if isinstance(call.func, ast.Attribute):
                self.tape = ast.unparse(call.func.value)
            named = {keyword.arg: keyword.value for keyword in call.keywords}
            plain = [argument for argument in call.args if not isinstance(argument, ast.Starred)]
            if len(plain) == len(call.args):
                self.arguments = [
                    plain[0] if plain else named.get("target"),
                    plain[1] if len(plain) > 1 else named.get("sources", named.get("source")),
                ]

    def _call(self, frame: FrameType) -> ast.Call | None:
        """The call that the frame is at."""
        place = list(frame.f_code.co_positions())[frame.f_lasti // 2]
        for node in ast.walk(self.text.tree):
            if isinstance(node, ast.Call) and place == (
                node.lineno,
                node.end_lineno,
                node.col_offset,
                node.end_col_offset,
            ):
                return node
        return None

    @property
    def target(self) -> str:
        """The target as the program says it."""
        return "target" if self.arguments[0] is None else ast.unparse(self.arguments[0])

    def labels(self, count: int) -> list[str]:
        """The sources as the program says them."""
        argument = self.arguments[1]
        if isinstance(argument, (ast.List, ast.Tuple)) and len(argument.elts) == count:
            return [ast.unparse(element) for element in argument.elts]
        if isinstance(argument, ast.Dict) and len(argument.values) == count:
            # `nest` takes dicts in the order of their keys.
            pairs = [
                (ast.unparse(key) if key is not None else "", value)
                for key, value in zip(argument.keys, argument.values, strict=True)
            ]
            return [ast.unparse(value) for _, value in sorted(pairs, key=lambda pair: pair[0])]
        if argument is None:
            return labels_without_text(count)
        text = ast.unparse(argument)
        return [text] if count == 1 else [f"{text}[{i}]" for i in range(count)]

    def block(self) -> ast.With | None:
        """The last `with` block before the call that opens the tape."""
        blocks = [
            node
            for scope in self.text.scopes(self.number)
            for node in self.text.statements_of(scope)
            if isinstance(node, ast.With)
            and node.lineno <= self.number
            and any(
                item.optional_vars is not None and ast.unparse(item.optional_vars) == self.tape
                for item in node.items
            )
        ]
        return max(blocks, key=lambda node: node.lineno, default=None)

    def line(self, node: ast.AST) -> Line:
        """Where a node of the text is."""
        return self.text.line(node, self.number)

    def binding(self, name: str) -> ast.stmt | None:
        """The last statement above the call that binds ``name``."""
        bindings = [
            node for node in self.text.bindings(name, self.number) if node.lineno <= self.number
        ]
        return max(bindings, key=lambda node: node.lineno, default=None)

    def rebinding(self, name: str) -> ast.stmt | None:
        """The statement that binds a name to a tensor computed from the variable that had the name."""
        bindings = self.text.bindings(name, self.number)
        if not any(_makes_variable(node) for node in bindings):
            return None
        for node in bindings:
            if (
                isinstance(node, ast.Assign)
                and not _makes_variable(node)
                and any(
                    isinstance(part, ast.Name) and part.id == name for part in ast.walk(node.value)
                )
            ):
                return node
        return None

    def calls_of(self, method: str, argument: str) -> list[ast.Call]:
        """The calls of a method of the tape with an argument, such as ``tape.watch(x)``, above this one."""
        return [
            node
            for node in ast.walk(self.text.tree)
            if isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr == method
            and ast.unparse(node.func.value) == self.tape
            and node.lineno <= self.number
            and argument in [ast.unparse(value) for value in node.args]
        ]


def arguments_of_gradient_call(name: str, frame: FrameType) -> list[Any] | None:
    """What was passed to the last call of ``name.gradient(...)`` above the line at which the function is.

    Only names are looked up: None if the call has other arguments, or if there is no such call.
    """
    names = {**frame.f_globals, **frame.f_locals}
    text = ProgramText(frame.f_code.co_filename, frame.f_globals)
    calls = [
        node
        for statement in text.statements_of(text.scopes(frame.f_lineno)[0])
        for node in ast.walk(statement)
        if isinstance(node, ast.Call)
        and node.lineno <= frame.f_lineno
        and ast.unparse(node.func) == f"{name}.gradient"
    ]
    if not calls:
        return None
    arguments = max(calls, key=lambda node: node.lineno).args
    if not all(isinstance(argument, ast.Name) and argument.id in names for argument in arguments):
        return None
    return [names[ast.unparse(argument)] for argument in arguments]


def labels_without_text(count: int) -> list[str]:
    """Labels of sources where no text names them."""
    return ["source"] if count == 1 else [f"sources[{i}]" for i in range(count)]


def _names_bound_by(statement: ast.stmt) -> set[str]:
    targets: list[ast.expr] = []
    if isinstance(statement, ast.Assign):
        targets = statement.targets
    elif isinstance(statement, (ast.AugAssign, ast.AnnAssign)):
        targets = [statement.target]
    return {
        part.id
        for target in targets
        for part in ast.walk(target)
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
    }


def _makes_variable(statement: ast.stmt) -> bool:
    """Whether the statement calls ``tf.Variable``."""
    value = getattr(statement, "value", None)
    return (
        isinstance(value, ast.Call)
        and isinstance(value.func, ast.Attribute)
        and value.func.attr == "Variable"
    )


def rewritten(where: Line | None, rewrite: Rewrite) -> str | None:
    """The statement of a line with parts of it rewritten; None where nothing was."""
    if where is None:
        return None
    for statement in ProgramText(where[0]).statements_at(where[1]):
        text = rewritten_statement(statement, rewrite)
        if text is not None:
            return text
    return None


def rewritten_statement(statement: ast.stmt, rewrite: Rewrite) -> str | None:
    """A statement with parts of it rewritten. Of a block it is the first line, whose body stays as it was."""
    before = ast.unparse(statement).partition("\n")[0]
    changed = _Rewriter(rewrite).visit(copy.deepcopy(statement))
    after = ast.unparse(changed).partition("\n")[0]
    return None if after == before else after


class _Rewriter(ast.NodeTransformer):
    """Replaces nodes by what ``rewrite`` gives for them; None leaves a node."""

    def __init__(self, rewrite: Rewrite) -> None:
        self._rewrite = rewrite

    def visit(self, node: ast.AST) -> Any:
        node = self.generic_visit(node)
        replacement = self._rewrite(node)
        return node if replacement is None else replacement


def _name_of(call: ast.Call) -> str:
    """Of ``a.b.f(...)`` and ``f(...)`` the name ``f``."""
    if isinstance(call.func, ast.Attribute):
        return call.func.attr
    return call.func.id if isinstance(call.func, ast.Name) else ""


def _root_of(call: ast.Call) -> str:
    """Of ``a.b.f(...)`` the name ``a``; of ``f(...)`` none."""
    root = call.func
    while isinstance(root, ast.Attribute):
        root = root.value
    return root.id if isinstance(root, ast.Name) and root is not call.func else ""


def _call_with_argument(node: ast.AST, names: Collection[str]) -> ast.Call | None:
    """The node if it calls one of the functions with at least one argument."""
    if isinstance(node, ast.Call) and node.args and _name_of(node) in names:
        return node
    return None


def _expression(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


def without_stop_gradient(node: ast.AST) -> ast.AST | None:
    """``tf.stop_gradient(x)`` as ``x``."""
    call = _call_with_argument(node, {"stop_gradient"})
    return None if call is None else call.args[0]


def straight_through(node: ast.AST) -> ast.AST | None:
    """``tf.round(x)`` with the gradient of ``x``."""
    call = _call_with_argument(node, ROUNDING)
    if call is None or len(call.args) != 1:
        return None
    x = ast.unparse(call.args[0])
    if not isinstance(call.args[0], (ast.Name, ast.Call, ast.Subscript, ast.Attribute)):
        x = f"({x})"
    return _expression(f"{x} + {_root_of(call) or 'tf'}.stop_gradient({ast.unparse(call)} - {x})")


def smooth_step(node: ast.AST) -> ast.AST | None:
    """``x > 1`` as a sigmoid."""
    call = _call_with_argument(node, {"greater", "greater_equal", "less", "less_equal"})
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        first, second = node.left, node.comparators[0]
        rises, falls = isinstance(node.ops[0], RISING), isinstance(node.ops[0], FALLING)
    elif call is not None and len(call.args) == 2:
        first, second = call.args
        rises = _name_of(call).startswith("greater")
        falls = not rises
    else:
        return None
    if falls:
        first, second = second, first
    elif not rises:
        return None
    return _expression(f"tf.sigmoid(10.0 * ({ast.unparse(ast.BinOp(first, ast.Sub(), second))}))")


def soft_argmax(node: ast.AST) -> ast.AST | None:
    """``tf.argmax(x, axis)`` as the mean of the positions, weighed by a softmax."""
    call = _call_with_argument(node, {"argmax", "argmin"})
    if call is None:
        return None
    named = {keyword.arg: keyword.value for keyword in call.keywords}
    axis_node = call.args[1] if len(call.args) > 1 else named.get("axis")
    axis = "0" if axis_node is None else ast.unparse(axis_node)
    x = ast.unparse(call.args[0])
    sign = "-" if _name_of(call) == "argmin" else ""
    positions = f"tf.range(float({x}.shape[{axis}]))"
    weights = f"tf.nn.softmax({sign}{x}, {axis})"
    return _expression(f"tf.tensordot({positions}, {weights}, [[0], [{axis}]])")


def without_integer_cast(node: ast.AST) -> ast.AST | None:
    """``tf.cast(x, tf.int32)`` as ``x``."""
    call = _call_with_argument(node, {"cast", "saturate_cast"})
    if call is None:
        return None
    dtype = " ".join([ast.unparse(part) for part in [*call.args[1:], *call.keywords]])
    if any(word in dtype for word in ("float", "half", "complex")):
        return None
    return call.args[0]


def within_tensorflow(node: ast.AST) -> ast.AST | None:
    """NumPy's functions as TensorFlow's, and readings of values as the tensors themselves."""
    if not isinstance(node, ast.Call):
        return None
    name = _name_of(node)
    if isinstance(node.func, ast.Attribute) and name in READERS and not node.args:
        return node.func.value
    if isinstance(node.func, ast.Name) and name in ("float", "int", "bool") and len(node.args) == 1:
        return node.args[0]
    if _root_of(node) in ("np", "numpy"):
        if name in COPIES and node.args:
            return node.args[0]
        own = TENSORFLOW_NAMES.get(name, name if name in SAME_NAMES else None)
        if own is not None:
            return ast.Call(_expression(f"tf.{own}"), node.args, node.keywords)
    if name == "numpy_function" and len(node.args) >= 2:
        function, inputs = node.args[:2]
        if isinstance(inputs, (ast.List, ast.Tuple)) and isinstance(function, ast.Attribute):
            return within_tensorflow(ast.Call(function, list(inputs.elts), []))
    return None


def as_value(node: ast.AST) -> ast.AST | None:
    """``y.assign(x)`` as ``y = x``."""
    if not isinstance(node, ast.Expr) or not isinstance(node.value, ast.Call):
        return None
    call = node.value
    if not isinstance(call.func, ast.Attribute) or len(call.args) != 1:
        return None
    sign = {"assign": "", "assign_add": "+", "assign_sub": "-"}.get(call.func.attr)
    if sign is None:
        return None
    y, x = ast.unparse(call.func.value), ast.unparse(call.args[0])
    return ast.parse(f"{y} = {x}" if not sign else f"{y} = {y} {sign} {x}").body[0]


def as_assignment(node: ast.AST) -> ast.AST | None:
    """``x = x + 1`` as ``x.assign(x + 1)``."""
    if isinstance(node, ast.Assign) and len(node.targets) == 1:
        return ast.parse(f"{ast.unparse(node.targets[0])}.assign({ast.unparse(node.value)})").body[
            0
        ]
    return None


def with_floats(node: ast.AST) -> ast.AST | None:
    """``tf.Variable(3)`` as ``tf.Variable(3.0)``."""
    call = _call_with_argument(node, MAKERS)
    if call is None:
        return None
    for part in ast.walk(call.args[0]):
        if isinstance(part, ast.Constant) and type(part.value) is int:
            part.value = float(part.value)
    more = [argument for argument in call.args[1:] if "int" not in ast.unparse(argument)]
    keywords = [
        keyword
        for keyword in call.keywords
        if keyword.arg != "dtype" or "int" not in ast.unparse(keyword.value)
    ]
    return ast.Call(call.func, [call.args[0], *more], keywords)
