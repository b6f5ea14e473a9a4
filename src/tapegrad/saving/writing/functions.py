"""Recordings as functions of TensorFlow's: `Functions` writes each step as the nodes that do the same.

A block of a recording is a function. One that asks for a boolean ends with an `If`, whose branches are the
blocks that follow. What a function reads of others comes in by arguments: tensors of the blocks before, and
handles of variables and tables.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Container
from typing import Any

import numpy as np

from tapegrad import dtypes
from tapegrad.core import VariableBase
from tapegrad.framework.shape import TensorShape
from tapegrad.framework.spec import TensorSpec
from tapegrad.io.graph_messages import AttrValue
from tapegrad.ops.program.host import STREAMS
from tapegrad.ops.program.tables import Entries
from tapegrad.saving.graphs.calls import UNSAVED
from tapegrad.saving.graphs.messages import Attribute, Function
from tapegrad.saving.graphs.op_arguments import arguments_of
from tapegrad.saving.steps import (
    Block,
    BranchStep,
    CannotEncode,
    Constant,
    GradientStep,
    LoopStep,
    Recording,
    ShapeGuard,
    SizeGuard,
    Step,
    ValueGuard,
    line_of,
)
from tapegrad.saving.writing import arrangements, compositions, texts
from tapegrad.saving.writing.nodes import FunctionName, Nodes, Tensor, attribute_value

OPS = {**compositions.OPS, **arrangements.OPS, **texts.OPS}

RELATIONS = {
    "==": "Equal",
    "!=": "NotEqual",
    "<": "Less",
    ">=": "GreaterEqual",
    ">": "Greater",
    "<=": "LessEqual",
}
OF_GRADIENT = "CustomGradient-"
NOT_ASKED_FOR = "the model was saved with experimental_custom_gradients=False"
OTHER_WAY = "The function takes a way that was not saved"


class Written:
    """A function that is written.

    Attributes:
        name: its name in the library.
        captures: the numbers of the objects that it gets after its arguments.
        kinds: the dtypes of its results.
        structure: the nest of its results.
        specs: of the tensors that it takes.
        order: the order in which it takes them.
        arguments: its arguments, by position and by keyword.
    """

    def __init__(
        self,
        name: str,
        captures: list[int],
        kinds: list[Any],
        structure: Any,
        specs: list[Any],
        order: list[int],
    ) -> None:
        self.name = name
        self.captures = captures
        self.kinds = kinds
        self.structure = structure
        self.specs = specs
        self.order = order
        self.arguments: Any = None


class Gradient:
    """The gradient of a custom gradient, which is written.

    Attributes:
        name: of its function.
        of: the name of the function in which the custom gradient is.
        specs: of the gradients that it takes.
        captures: numbers of objects, and names of tensors of the other function, that it gets after these.
        results: a spec for each result, or None.
    """

    def __init__(
        self, name: str, of: str, specs: list[Any], captures: list[int | str], results: list[Any]
    ) -> None:
        self.name = name
        self.of = of
        self.specs = specs
        self.captures = captures
        self.results = results


class Functions:
    """The functions of a model.

    Args:
        object_number: gives the number of a variable, a table, or of the asset with this path.
        assets: the ids of the arrays that are paths of assets.
        rules: whether custom gradients are written.
    """

    def __init__(
        self, object_number: Callable[[Any], int], assets: Container[int], rules: bool
    ) -> None:
        self.rules = rules
        self.object_number = object_number
        self.assets = assets
        self.messages: list[Function] = []
        self.gradients: list[Gradient] = []
        self._names: dict[str, int] = {}

    def new_name(self, stem: str) -> str:
        """A name that no other function has."""
        number = self._names.get(stem, 0)
        self._names[stem] = number + 1
        return f"{stem}_{number}"

    def write(
        self, recording: Recording, called: str, names: list[str], order: list[int]
    ) -> Written:
        """Write a recording as a function.

        Args:
            recording: what is written.
            called: the name of the function, which gets a number.
            names: of its arguments.
            order: the slots of its arguments in the order in which it takes them.

        Raises:
            CannotEncode: it has a step that TensorFlow's ops cannot do.
        """
        leaves = [block for block in recording.block.blocks() if block.results is not None]
        body = _Body(self, self.new_name(called), None, _kinds_of(recording))
        for slot, (spec, name) in enumerate(zip(recording.specs, names, strict=True)):
            body.take(("slot", slot), name, spec.dtype, spec.shape)
        results = body.run(recording.block)
        captures = [key for key in body.arguments if key[0] == "object"]
        body.finish([*[("slot", slot) for slot in order], *captures], results)
        return Written(
            body.nodes.name,
            [number for _, number in captures],
            body.kinds,
            leaves[0].structure,
            recording.specs,
            order,
        )


def _kinds_of(recording: Recording) -> list[Any]:
    """The dtypes of the results, which all ways have to have."""
    every: list[list[Any]] = []
    start: dict[int, Any] = {slot: spec.dtype for slot, spec in enumerate(recording.specs)}
    waiting = [(recording.block, start)]
    while waiting:
        block, before = waiting.pop()
        kinds = dict(before)  # two ways number their slots alike, and have other tensors there
        for step in block.steps:
            if isinstance(step, (Step, LoopStep, BranchStep)):
                kinds.update(zip(step.outputs, step.kinds, strict=True))
            elif isinstance(step, Constant):
                kinds[step.slot] = dtypes.from_numpy(np.dtype(step.value.dtype))
            elif isinstance(step, GradientStep):
                kinds.update(
                    {out: kinds[plain] for out, plain in zip(step.outputs, step.plain, strict=True)}
                )
        if block.results is not None:
            every.append([kinds[slot] for slot in block.results])
        waiting.extend((following, kinds) for following in block.answers.values())
    if any(own != every[0] for own in every):
        raise CannotEncode("results of other dtypes on each way through the function")
    return every[0]


class _Body:
    """A function while it is written, of one block."""

    def __init__(
        self, functions: Functions, name: str, outer: _Body | None, kinds: list[Any]
    ) -> None:
        self.functions = functions
        self.nodes = Nodes(name, self._size)
        self.outer = outer
        self.kinds = kinds
        self.arguments: dict[Any, Tensor] = {}
        self.shapes: dict[Any, Any] = {}
        """("slot", its number) or ("object", its number) -> the argument that has it."""
        self.slots: dict[int, Tensor] = {}
        self._written: dict[Any, str] = {}  # what changed an object last
        self._read: dict[Any, list[str]] = {}  # what has read an object since

    # Arguments

    def take(self, key: Any, name: str, dtype: Any, shape: Any) -> Tensor:
        """An argument of the function, of a shape whose sizes need not be known."""
        shape = TensorShape(shape)
        tensor = self.arguments[key] = self.nodes.argument(name, dtype, shape.rank)
        self.shapes[key] = shape
        if key[0] == "slot":
            self.slots[key[1]] = tensor
        return tensor

    def tensor(self, slot: int) -> Tensor:
        """The tensor of a slot, which may be an argument from the block before."""
        if slot not in self.slots:
            assert self.outer is not None, f"slot {slot} is read before it is filled"
            before = self.outer.tensor(slot)
            self.take(("slot", slot), f"slot_{slot}", before.dtype, _of_rank(before.rank))
        return self.slots[slot]

    def object(self, value: Any) -> Tensor:
        """The handle of a variable or table, or the path of an asset."""
        key = ("object", self.functions.object_number(value))
        if key not in self.arguments:
            if self.outer is not None:
                self.outer.object(value)
            is_handle = isinstance(value, (VariableBase, Entries))
            dtype = dtypes.resource if is_handle else dtypes.string
            self.take(key, f"object_{key[1]}", dtype, [])
        return self.arguments[key]

    def _size(self, leaf: Any) -> Tensor:
        kind, slot, place = leaf
        tensor = self.tensor(slot)
        if kind == "size":
            return self.nodes.size(tensor, place)
        if kind == "values":
            return tensor
        flat = self.nodes.one("Reshape", tensor, [-1])
        return self.nodes.cast(self.nodes.element(flat, place), dtypes.int64)

    def finish(self, order: list[Any], results: list[Tensor]) -> None:
        """Put the arguments in order, and the function among the others."""
        signature = self.nodes.message.signature
        taken = {argument.name: argument for argument in signature.input_arg}
        arguments = [taken[self.arguments[key].name] for key in order]
        del signature.input_arg[:]
        signature.input_arg.extend(arguments)
        shapes = attribute_value("list(shape)", [self.shapes[key] for key in order])
        self.nodes.message.attr["_input_shapes"].CopyFrom(shapes)
        for number, result in enumerate(results):
            # A result is the output of a node, so that an argument may be one too.
            self.nodes.result(f"result_{number}", self.nodes.one("Identity", result))
        self.functions.messages.append(self.nodes.message)

    # Steps

    def run(self, block: Block) -> list[Tensor]:
        """The results of a block, or of the blocks that follow it."""
        for step in block.steps:
            self._step(step)
        if block.error is not None:
            self._fail(str(getattr(block.error, "message", block.error)))
        elif block.asks is not None:
            return self._branch(block.asks, block.answers, self.kinds)
        else:
            return [self.tensor(slot) for slot in block.results or ()]
        return [self._nothing(kind) for kind in self.kinds]

    def _nothing(self, kind: Any) -> Tensor:
        """A tensor in place of a result that is never there."""
        return self.nodes.constant(
            np.zeros((), kind.numpy_dtype) if kind is not dtypes.string else np.array(b"", object)
        )

    def _step(self, step: Any) -> None:
        if isinstance(step, Constant):
            self.slots[step.slot] = self._constant(step.value)
        elif isinstance(step, ValueGuard):
            tensor = self.tensor(step.slot)
            value = self.nodes.constant(np.asarray(step.value))
            same = self.nodes.one("Equal", tensor, value, incompatible_shape_error=False)
            self._expect(
                self.nodes.one("All", same, self.nodes.axes(same)), "a value that Python reads"
            )
        elif isinstance(step, ShapeGuard):
            self._expect_shape(step)
        elif isinstance(step, SizeGuard):
            size = self.nodes.formula(step.formula)
            self._expect(
                self.nodes.one(RELATIONS[step.relation], size, step.value), f"{step.guard}"
            )
        elif isinstance(step, GradientStep):
            self._rule(step)
        elif isinstance(step, LoopStep):
            self._loop(step)
        elif isinstance(step, BranchStep):
            results = self._branch(step.asked, step.ways, step.kinds)
            for slot, tensor, shape in zip(step.outputs, results, step.shapes, strict=True):
                self.slots[slot] = tensor._replace(rank=len(shape))
        else:
            self._call(step)

    def _constant(self, value: Any) -> Tensor:
        if id(value) in self.functions.assets:
            return self.object(value)
        return self.nodes.operand(value, None)

    def _call(self, step: Step) -> None:
        op = step.op
        inputs = [self.tensor(slot) for slot in step.inputs]
        values: list[Any] = list(inputs)
        if op.list_input:
            first = len(op.inputs) - 1
            values = [*inputs[:first], inputs[first:]]
        attributes = [self._attribute(value) for value in step.attributes]
        arguments = dict(zip((*op.inputs, *op.attributes), (*values, *attributes), strict=True))
        touched = [value for value in step.attributes if isinstance(value, (VariableBase, Entries))]
        keys = [self.functions.object_number(value) for value in touched]
        try:
            if op.type in OPS:
                results = OPS[op.type](self.nodes, step, **arguments)
                results = [results] if isinstance(results, Tensor) else list(results or ())
            else:
                results = self._direct(step, arguments, keys)
        except CannotEncode as error:
            raise CannotEncode(
                f"TensorFlow cannot do what {op.type} does: it has {error}{line_of(step)}"
            ) from None
        for slot, tensor, kind in zip(step.outputs, results, step.kinds, strict=True):
            self.slots[slot] = self.nodes.cast(tensor, kind)._replace(rank=step.ranks[slot])

    def _attribute(self, value: Any) -> Any:
        if isinstance(value, (VariableBase, Entries)):
            return self.object(value)
        # `tf.print` takes a stream of Python's, the op its name.
        return next((name for name in STREAMS if value is getattr(sys, name)), value)

    def _direct(self, step: Step, arguments: dict[str, Any], keys: list[int]) -> list[Tensor]:
        """A step whose op is one of TensorFlow's, with the same arguments under the same names."""
        op = step.op
        named = arguments_of(op.type)
        if named is None or op.type.startswith("_") or op.type in REMOVED:
            raise CannotEncode("no op for it")
        public = dict(zip(op.raw, arguments.values(), strict=True))
        if op.type == "ResourceStridedSliceAssign":
            index = arrangements.Index(public.pop("index"))
            public |= zip(("begin", "end", "strides"), index.operands(self.nodes), strict=True)
            public |= index.masks
        inputs: list[Any] = []
        for argument in named.inputs:
            name = argument.name if argument.name in public else OTHER_NAMES.get(argument.name)
            if name not in public:
                raise CannotEncode(f"an input {argument.name} more")
            value = public.pop(name)
            if value is None and argument.name in ("axis", "reduction_indices"):
                value = self.nodes.axes(inputs[0])
            elif value is None and argument.name == "reduction_axes":  # of a sparse tensor
                value = self.nodes.one("Range", 0, self.nodes.one("Size", inputs[2]), 1)
            inputs.append(value)
        attributes = {}
        for attribute in named.attributes:
            value = public.pop(attribute.public, None)
            if value is not None:
                attributes[attribute.name] = value
        if len(step.outputs) == len(named.outputs):
            for output, kind in zip(named.outputs, step.kinds, strict=True):
                is_said = any(argument.type == output.type for argument in named.inputs)
                types = {
                    attribute.name for attribute in named.attributes if attribute.kind == "type"
                }
                if output.type in types and not is_said:
                    attributes[output.type] = kind
        for attribute in named.attributes:
            of_results = any(output.attribute == attribute.name for output in named.outputs)
            if of_results and attribute.kind == "list(type)":
                attributes.setdefault(attribute.name, step.kinds)
            elif of_results and len(named.outputs) == 1:
                attributes.setdefault(attribute.name, len(step.outputs))
        rest = {name: value for name, value in public.items() if not _may_drop(name, value)}
        if rest:
            raise CannotEncode(f"no attribute {', '.join(rest)}")
        if op.effect is None or op.effect == "draws":
            return self.nodes.all(op.type, *inputs, **attributes)
        return self._with_effect(op.type, op.effect, inputs, attributes, keys)

    def _with_effect(
        self, type: str, effect: str, inputs: list[Any], attributes: dict[str, Any], keys: list[Any]
    ) -> list[Tensor]:
        """A node that runs in its turn among those that read or change the same objects."""
        touched: list[Any] = keys or ["the terminal and files"]
        reads = effect.startswith("reads")
        after: list[str] = []
        for key in touched:
            after += [self._written[key]] if key in self._written else []
            after += [] if reads else self._read.get(key, [])
        name, results = self.nodes.node(type, inputs, attributes, dict.fromkeys(after))
        for key in touched:
            if reads:
                self._read.setdefault(key, []).append(name)
            else:
                self._written[key], self._read[key] = name, []
        if not reads:
            self.nodes.effect(name)
        return results

    # Branches

    def _branch(self, slot: int, blocks: dict[bool, Block], kinds: list[Any]) -> list[Tensor]:
        """The results of an `If` whose branches are blocks, by the boolean in a slot."""
        asked = self.tensor(slot)
        # Python asks for the truth of a tensor of one element, of any rank.
        asked = self.nodes.one("Reshape", asked, self.nodes.operand([], dtypes.int32))
        bodies, every = {}, []
        for answer in (True, False):
            stem = f"{self.nodes.name}_{'true' if answer else 'false'}"
            body = _Body(self.functions, self.functions.new_name(stem), self, kinds)
            following = blocks.get(answer)
            if following is None:
                body._fail(f"{OTHER_WAY}.")
                results = [body._nothing(kind) for kind in kinds]
            else:
                results = body.run(following)
            bodies[answer] = (body, results)
            every += [key for key in body.arguments if key not in every]
        for body, results in bodies.values():
            for key in every:
                if key not in body.arguments:
                    own = self.slots[key[1]] if key[0] == "slot" else self.arguments[key]
                    body.take(key, f"{key[0]}_{key[1]}", own.dtype, _of_rank(own.rank))
            body.finish(every, results)
        inputs = [
            self.slots[number] if kind == "slot" else self.arguments[kind, number]
            for kind, number in every
        ]
        attributes = {
            "Tout": kinds,
            "then_branch": FunctionName(bodies[True][0].nodes.name),
            "else_branch": FunctionName(bodies[False][0].nodes.name),
        }
        keys = [number for kind, number in every if kind == "object"]
        return self._with_effect(
            "If", "writes", [asked, inputs], attributes, [*keys, "the terminal and files"]
        )

    # Loops

    def _loop(self, step: LoopStep) -> None:
        """A `While` of the variables, and of what its functions capture, which every turn gives as it is.

        The number of turns and its limit come first: where TensorFlow differentiates a loop, it reads them.
        """
        bodies: dict[str, tuple[_Body, list[Tensor]]] = {}
        captured: list[Any] = []
        own: list[Any] = ["turn", "limit", *[("slot", slot) for slot in step.variables]]
        stem = f"{self.nodes.name}_while"
        for part, block in (("cond", step.condition), ("body", step.body)):
            body = _Body(self.functions, self.functions.new_name(f"{stem}_{part}"), self, [])
            for key in own[:2]:
                body.take(key, key, dtypes.int32, [])
            for key, kind, shape in zip(own[2:], step.kinds, step.shapes, strict=True):
                body.take(key, f"variable_{key[1]}", kind, shape)
            bodies[part] = body, body.run(block)
            captured += [key for key in body.arguments if key not in own and key not in captured]
        for body, _ in bodies.values():
            for key in captured:
                if key not in body.arguments:
                    tensor = self.slots[key[1]] if key[0] == "slot" else self.arguments[key]
                    body.take(key, f"{key[0]}_{key[1]}", tensor.dtype, _of_rank(tensor.rank))
        condition, [asked] = bodies["cond"]
        nodes = condition.nodes
        asked = nodes.cast(
            nodes.one("Reshape", asked, nodes.operand([], dtypes.int32)), dtypes.bool
        )
        if step.limit is not None:
            before = nodes.one("Less", condition.arguments["turn"], condition.arguments["limit"])
            asked = nodes.one("LogicalAnd", before, asked)
        condition.finish([*own, *captured], [asked])
        body, results = bodies["body"]
        next_turn = body.nodes.one("AddV2", body.arguments["turn"], 1)
        kept = [body.arguments[key] for key in captured]
        body.finish([*own, *captured], [next_turn, body.arguments["limit"], *results, *kept])
        limit = np.array(-1 if step.limit is None else step.limit, np.int32)
        inputs = [
            self.nodes.constant(np.array(0, np.int32)),
            self.nodes.constant(limit),
            *[self.tensor(slot) for slot in step.inputs],
            *[self.slots[key[1]] if key[0] == "slot" else self.arguments[key] for key in captured],
        ]
        attributes = {
            "cond": FunctionName(condition.nodes.name),
            "body": FunctionName(body.nodes.name),
            "output_shapes": [body.shapes[key] for key in [*own, *captured]],
            "parallel_iterations": 10,
        }
        keys = [number for kind, number in captured if kind == "object"]
        after = self._with_effect(
            "While", "writes", [inputs], attributes, [*keys, "the terminal and files"]
        )
        for slot, tensor, shape in zip(step.outputs, after[2:], step.shapes, strict=False):
            self.slots[slot] = tensor._replace(rank=len(shape))

    # Guards

    def _fail(self, text: str) -> None:
        self._expect(self.nodes.constant(np.array(False)), text, whole=True)

    def _expect(self, holds: Tensor, text: str, whole: bool = False) -> None:
        """A node that raises unless ``holds``."""
        message = text if whole else f"{OTHER_WAY}: not {text}."
        self._with_effect("Assert", "writes", [holds, [message]], {}, [])

    def _expect_shape(self, step: ShapeGuard) -> None:
        tensor = self.tensor(step.slot)
        rank = self.nodes.one("Rank", tensor)
        self._expect(
            self.nodes.one("Equal", rank, len(step.sizes)), f"a tensor of {len(step.sizes)} axes"
        )
        for axis, size in enumerate(step.sizes):
            if size is not None:
                own = self.nodes.size(tensor, axis)
                self._expect(self.nodes.one("Equal", own, size), f"the shape {step.sizes}")

    # Gradients

    def _rule(self, step: GradientStep) -> None:
        """Tensors with a gradient of their own: a node gives them and says the name of the gradient."""
        plain = [self.tensor(slot) for slot in step.plain]
        inputs = [self.tensor(slot) for slot in step.inputs]
        reason = step.reason if self.functions.rules else NOT_ASKED_FOR
        if reason is None:
            before = len(self.functions.messages), len(self.functions.gradients)
            try:
                name = self._gradient(step, plain, inputs)
            except CannotEncode as error:
                reason = str(error)
                # Without those within it.
                del self.functions.messages[before[0] :], self.functions.gradients[before[1] :]
        if reason is not None:
            name = f"{UNSAVED}The gradient of {step.name} was not saved: {reason}"
        _, results = self.nodes.node("IdentityN", [[*plain, *inputs]], {})
        node = self.nodes.message.node_def[-1]
        said = Attribute(key="_gradient_op_type", value=AttrValue(s=name.encode()))
        node.attr.append(said.SerializeToString())
        self.slots.update(zip(step.outputs, results, strict=False))

    def _gradient(self, step: GradientStep, plain: list[Tensor], inputs: list[Tensor]) -> str:
        """Write the function that is the gradient of a node, and return the name it is registered under.

        It takes a gradient for each result of the node, which are ``plain`` and the inputs again, and gives
        one for each of the inputs. What else it reads, it captures.
        """
        assert step.gradient is not None
        name = self.functions.new_name(f"__inference_gradient_of_{self.nodes.name}")
        body = _Body(self.functions, name, self, [])
        dys = iter(step.dys)
        order: list[Any] = []
        for place, tensor in enumerate([*plain, *inputs]):
            has_dy = tensor.dtype.is_floating or tensor.dtype.is_complex
            key = ("slot", next(dys)) if has_dy and place < len(plain) else ("unused", place)
            body.take(key, f"dy_{place}", tensor.dtype, _of_rank(tensor.rank))
            order.append(key)
        results = body.run(step.gradient)
        captures = [key for key in body.arguments if key not in order]
        body.finish(order + captures, results)
        specs: list[Any] = [None] * len(plain)
        for leaf in step.gradient.structure:
            specs.append(None if leaf is None else leaf.spec)
        self.functions.gradients.append(
            Gradient(
                name,
                self.nodes.name,
                [TensorSpec(body.shapes[key], body.arguments[key].dtype) for key in order],
                [
                    number if kind == "object" else self.slots[number].name_in_graph
                    for kind, number in captures
                ],
                specs,
            )
        )
        return f"{OF_GRADIENT}{name}"


REMOVED = frozenset(["MatrixExponential"])
"""Ops that TensorFlow knows by name and does not run."""
OTHER_NAMES = {"ref": "resource"}


def _of_rank(rank: int | None) -> Any:
    return None if rank is None else [None] * rank


def _may_drop(name: str, value: Any) -> bool:
    """Whether an attribute that TensorFlow's op does not have says what TensorFlow does anyway."""
    return (
        value is None
        or (name == "axis" and value == -1)
        or (name == "explicit_paddings" and not value)
    )
