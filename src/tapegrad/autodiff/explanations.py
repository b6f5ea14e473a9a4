"""What `GradientTape.explain` returns: for each source the reason, the line that caused it, and the mend.

The search is in `tapegrad.autodiff.unconnected`, the reading of the program's text in
`tapegrad.autodiff.program_text`. Here a finding becomes words.
"""

from __future__ import annotations

import ast
import html
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from types import FrameType
from typing import Any

import numpy as np

from tapegrad import core
from tapegrad.autodiff import program_text
from tapegrad.autodiff.program_text import CallText
from tapegrad.autodiff.unconnected import Finding, History, UnconnectedReason, function_name, why
from tapegrad.core import EagerTensor
from tapegrad.core.tracebacks import Line, place_of

PUBLIC = {"autodiff": "SourceExplanation TapeExplanation"}

_NAMED = 12  # as many ops of a path are shown

LINES = (
    "To see the lines of the ops, open the tape with GradientTape(lines=True), or "
    "set the environment variable TAPEGRAD_TAPE_LINES=1."
)

# The reasons that are at the line of an op, which the tape notes only if it was asked to.
WITH_LINES = (
    UnconnectedReason.GRADIENT_FUNCTION,
    UnconnectedReason.OP_WITHOUT_GRADIENT,
    UnconnectedReason.RECORDED_FUNCTION,
)

# What Python code did with the values, by the word of the note.
READINGS = {
    "array": "NumPy made an array of it",
    "bool": "Python took its truth value",
    "buffer": "NumPy read its values",
    "complex": "complex() made a Python number of it",
    "dlpack": "another library read its values",
    "float": "float() made a Python number of it",
    "index": "Python used it as an index",
    "int": "int() made a Python number of it",
    "numpy": ".numpy() made an array of it",
}
OF_NUMPY = ("array", "buffer", "dlpack", "numpy")
COMPARISONS = frozenset({"equal", "greater", "greater_equal", "less", "less_equal", "not_equal"})


def _readings_that_give(value: Any) -> tuple[str, ...]:
    """The words of the notes by which a value of that type is read from a tensor."""
    return (
        OF_NUMPY if isinstance(value, (np.ndarray, np.generic)) else (type(value).__name__, "index")
    )


@dataclass(frozen=True)
class SourceExplanation:
    """Why the gradient by one source is None, or how the source is connected.

    Attributes:
        label: the source as the program says it.
        reason: a member of `tf.autodiff.UnconnectedReason`, which equals its text.
        where: file, line and function of the program's line that caused it; None where that is not known.
        remedy: the line to write instead, or to add; None where there is none.
        advice: a sentence on the remedy.
        text: the reason in a sentence.
        ops: of a connected source the names of the ops on the shortest path to the target; None if they are
            gone.
        paths: the number of paths between them.
    """

    label: str
    reason: UnconnectedReason
    text: str
    where: Line | None = None
    remedy: str | None = None
    advice: str = ""
    ops: list[str] | None = None
    paths: int = 0

    @property
    def connected(self) -> bool:
        """Whether a gradient flows from the target to the source."""
        return self.reason is UnconnectedReason.CONNECTED

    def lines(self) -> list[str]:
        """The lines of the printed text."""
        lines = [f"{self.label}: {self.text}{place_of(self.where)}"]
        if self.remedy is not None:
            lines.append(f"  write: {self.remedy}")
        if self.advice:
            lines.append(f"  {self.advice}")
        return lines

    def __str__(self) -> str:
        return "\n".join(self.lines())

    __repr__ = __str__


class TapeExplanation:
    """What `GradientTape.explain` returns. It prints as text, and holds the `SourceExplanation` of each.

    `reason`, `where` and `remedy` are those of the first source that is not connected.
    """

    def __init__(self, target: str, sources: list[SourceExplanation], hints: list[str]) -> None:
        self.target = target
        self.sources = tuple(sources)
        self._hints = hints

    def __len__(self) -> int:
        return len(self.sources)

    def __iter__(self) -> Iterator[SourceExplanation]:
        return iter(self.sources)

    def __getitem__(self, index: int) -> SourceExplanation:
        return self.sources[index]

    @property
    def connected(self) -> bool:
        """Whether every source is connected."""
        return all(source.connected for source in self.sources)

    @property
    def _first(self) -> SourceExplanation | None:
        apart = [source for source in self.sources if not source.connected]
        return [*apart, *self.sources, None][0]

    @property
    def reason(self) -> UnconnectedReason:
        """The reason of the first source that is not connected."""
        return UnconnectedReason.CONNECTED if self._first is None else self._first.reason

    @property
    def where(self) -> Line | None:
        """File, line and function that caused it."""
        return None if self._first is None else self._first.where

    @property
    def remedy(self) -> str | None:
        """The line to write instead, or to add."""
        return None if self._first is None else self._first.remedy

    def __str__(self) -> str:
        return self.text_of(self.sources)

    def text_of(self, sources: Sequence[SourceExplanation]) -> str:
        """The printed text with some of the sources alone."""
        if not sources:
            return f"The gradient of {self.target}: there are no sources."
        lines = [f"The gradient of {self.target} by"]
        for source in sources:
            lines.extend(["  " + line for line in source.lines()])
        return "\n".join([*lines, *self._hints])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        rows = []
        for source in self.sources:
            label, *more = source.lines()
            mark = "✓" if source.connected else "✗"
            rest = "".join([f"<pre>{html.escape(line.strip())}</pre>" for line in more])
            text = html.escape(label.removeprefix(f"{source.label}: "))
            rows.append(
                f"<tr><td>{mark} <code>{html.escape(source.label)}</code></td>"
                f'<td style="text-align: left">{text}{rest}</td></tr>'
            )
        hints = "".join([f"<p>{html.escape(hint)}</p>" for hint in self._hints])
        head = f"<p>The gradient of <code>{html.escape(self.target)}</code> by</p>"
        return f"{head}<table>{''.join(rows)}</table>{hints}"


def explain(
    tape: core.Tape | None,
    targets: list[tuple[Any, EagerTensor | None]],
    sources: list[tuple[Any, Any]],
    frame: FrameType | None,
) -> TapeExplanation:
    """Explain the gradients of the sum of ``targets`` by ``sources``.

    Args:
        targets, sources: pairs of what came, and the tensor or variable that it is.
        frame: of the user's call, in whose text are the names.
    """
    call = None if frame is None else CallText(frame)
    count = len(sources)
    labels = program_text.labels_without_text(count) if call is None else call.labels(count)
    history = History(tape)
    tensors = [tensor for _, tensor in targets if tensor is not None]
    explanations = []
    for (value, source), label in zip(sources, labels, strict=True):
        words = _Words(call, label, history, frame)
        if source is None:
            explanations.append(words.no_source(value))
        elif not tensors:
            explanations.append(words.no_target([value for value, _ in targets]))
        else:
            explanations.append(words.explain(why(history, tensors, source), source, tensors))
    hints = []
    if (
        tape is not None
        and not tape.has_lines
        and any(source.where is None and source.reason in WITH_LINES for source in explanations)
    ):
        hints.append(LINES)
    if history.dropped and any(source.reason == "not used" for source in explanations):
        hints.append(
            f"The oldest {history.dropped} notes of this tape are gone: it keeps the last thousand."
        )
    return TapeExplanation("target" if call is None else call.target, explanations, hints)


class _Words:
    """The words for what was found out about one source."""

    def __init__(
        self, call: CallText | None, label: str, history: History, frame: FrameType | None
    ) -> None:
        self.call = call
        self.label = label
        self.history = history
        self.tape = "tape" if call is None else call.tape
        self.target = "target" if call is None else call.target
        self.names = {} if frame is None else {**frame.f_globals, **frame.f_locals}

    def explain(
        self, finding: Finding, source: Any, targets: list[EagerTensor]
    ) -> SourceExplanation:
        """The explanation of a finding."""
        finding = self._by_names(finding, source)
        describe: Callable[[Finding], SourceExplanation] = getattr(
            self, f"_{finding.reason.name.lower()}"
        )
        return describe(finding)

    def _by_names(self, finding: Finding, source: Any) -> Finding:
        """The finding, or a better one that the names in the program suggest."""
        if self.call is None:
            return finding
        reason = finding.reason
        rebound = isinstance(source, EagerTensor) and self.call.rebinding(self.label) is not None
        others = (UnconnectedReason.CONNECTED, UnconnectedReason.NOT_FLOATING)
        if rebound and reason not in others:
            return Finding(UnconnectedReason.NAME_REBOUND)
        if reason is UnconnectedReason.NOT_USED and self._earlier_use() is not None:
            return Finding(UnconnectedReason.BEFORE_TAPE, subject="part")
        return finding

    def _make(
        self,
        reason: UnconnectedReason,
        text: str,
        where: Line | None = None,
        remedy: str | None = None,
        advice: str = "",
    ) -> SourceExplanation:
        return SourceExplanation(self.label, reason, text, where, remedy, advice)

    def _binding_line(self, name: str) -> Line | None:
        """Where the program binds the name; else where it opens the tape."""
        if self.call is None:
            return None
        node: ast.AST | None = self.call.binding(name) or self.call.block()
        return None if node is None else self.call.line(node)

    def _block_line(self) -> Line | None:
        block = None if self.call is None else self.call.block()
        return None if self.call is None or block is None else self.call.line(block)

    def _here(self) -> Line | None:
        """The line of the call itself."""
        return None if self.call is None else self.call.line(ast.Pass(lineno=self.call.number))

    def _gradient(self, target: str, source: str) -> str:
        return f"{self.tape}.gradient({target}, {source})"

    def _earlier_use(self) -> ast.stmt | None:
        """The statement above the tape's block that uses the source for what the block uses."""
        block = None if self.call is None else self.call.block()
        if self.call is None or block is None or not self.label.isidentifier():
            return None
        used = {
            part.id
            for node in block.body
            for part in ast.walk(node)
            if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load)
        }
        for name in sorted(used - {self.label}):
            for statement in self.call.text.bindings(name, self.call.number):
                value = getattr(statement, "value", None)
                uses = value is not None and any(
                    isinstance(part, ast.Name) and part.id == self.label for part in ast.walk(value)
                )
                if uses and statement.lineno < block.lineno:
                    return statement
        return None

    # --- What came is no tensor ---------------------------------------------------------------------

    def no_source(self, value: Any) -> SourceExplanation:
        """The explanation of a source that is neither a tensor nor a variable."""
        reason = UnconnectedReason.NO_TENSOR_AS_SOURCE
        kind = type(value).__name__
        if hasattr(value, "trainable_variables"):
            remedy = self._gradient(self.target, f"{self.label}.trainable_variables")
            return self._make(
                reason,
                f"a {kind} is no source; its variables are",
                self._here(),
                remedy,
                "The answer is then a list.",
            )
        if hasattr(value, "__next__"):
            remedy = self._gradient(self.target, f"list({self.label})")
            return self._make(
                reason,
                f"a {kind} can be read once; a list of the same is a source",
                self._here(),
                remedy,
                "Make the list before the tape's block, where the objects are used.",
            )
        if isinstance(value, (int, float, complex, np.ndarray, np.generic, list)):
            return self._make(
                reason,
                f"a {kind} is no tensor: the tape saw the tensors that ops made of it",
                self._binding_line(self.label),
                f"{self.label} = tf.Variable({self.label})"
                if self.label.isidentifier()
                else f"x = tf.Variable({self.label})",
                "Before the tape's block; compute with the variable, and pass it as the source.",
            )
        return self._make(
            reason,
            f"a source is a tensor or a variable, not an object of type {kind}",
            self._here(),
            None,
            "Pass the variable itself, not its name."
            if isinstance(value, str)
            else "Pass the tensor or variable that the target was computed from.",
        )

    def no_target(self, values: list[Any]) -> SourceExplanation:
        """The explanation where no target is a tensor."""
        value = values[0] if values else None
        kind = type(value).__name__
        reason = UnconnectedReason.NO_TENSOR_AS_TARGET
        if isinstance(value, (str, bytes)):
            text = value if isinstance(value, str) else value.decode(errors="replace")
            name = text if text.isidentifier() else "loss"
            return self._make(
                reason,
                "the target is a text; pass the tensor itself, not its name",
                self._here(),
                self._gradient(name, self.label),
            )
        if isinstance(value, (int, float, complex, np.ndarray, np.generic)):
            departures = [
                note for note in self.history.notes if note[0] in READINGS and not note[2]
            ]
            # The last that gives such a value, if there is one.
            departures.sort(key=lambda note: note[0] in _readings_that_give(value))
            if departures:
                what, _, _, line, _ = departures[-1]
                return self._left(what, line)
        return self._make(
            reason,
            f"the target has the type {kind}, and is no tensor: the tape has not seen what it "
            f"was computed from",
            self._binding_line(self.target),
            None,
            "Compute the target with TensorFlow's ops, in the tape's block.",
        )

    # --- One method for each reason -----------------------------------------------------------------

    def _connected(self, finding: Finding) -> SourceExplanation:
        if finding.ops is None:
            text = (
                "connected: the last call of gradient() gave it a gradient. Since then the tape "
                "has let go of its records; one of GradientTape(persistent=True) keeps them"
            )
        elif not finding.ops:
            text = "connected: it is the target itself"
        else:
            shown = " → ".join(finding.ops[:_NAMED]) + (
                " → ..." if len(finding.ops) > _NAMED else ""
            )
            paths = "one path" if finding.paths == 1 else f"{finding.paths} paths"
            text = f"connected by {paths}; the shortest is {shown}"
            if len(finding.ops) > _NAMED:
                most = Counter(finding.ops).most_common(1)[0][0]
                text += f" ({len(finding.ops)} ops, most often {most})"
            if finding.others:
                text += (
                    f". Whether {finding.others[0]} passes a gradient on is known once gradient() was "
                    f"called: it has a gradient function of its own"
                )
        return SourceExplanation(
            self.label,
            UnconnectedReason.CONNECTED,
            text,
            ops=finding.ops,
            paths=finding.paths,
        )

    def _not_watched(self, finding: Finding) -> SourceExplanation:
        advice = "as the first line of the tape's block, or make it a tf.Variable."
        if finding.subject == UnconnectedReason.BEFORE_TAPE:
            advice += (
                " The target, too, was computed before the tape began: compute it in the block."
            )
        elif finding.subject == UnconnectedReason.AFTER_TAPE:
            advice += " The target, too, was computed after the block: compute it inside."
        return self._make(
            finding.reason,
            "the tape does not watch this tensor. It watches variables by itself, and "
            "tensors when it is told to",
            self._binding_line(self.label),
            f"{self.tape}.watch({self.label})",
            advice,
        )

    def _not_trainable(self, finding: Finding) -> SourceExplanation:
        return self._make(
            finding.reason,
            "the variable is not trainable, and the tape watches only trainable ones by itself",
            self._binding_line(self.label),
            f"{self.tape}.watch({self.label})",
            "as the first line of the tape's block, or make the variable without trainable=False.",
        )

    def _variables_not_watched(self, finding: Finding) -> SourceExplanation:
        return self._make(
            finding.reason,
            "the tape was opened with watch_accessed_variables=False, so it watches no variable by itself",
            self._block_line(),
            f"{self.tape}.watch({self.label})",
            "as the first line of the tape's block.",
        )

    def _watched_too_late(self, finding: Finding) -> SourceExplanation:
        calls = [] if self.call is None else self.call.calls_of("watch", self.label)
        return self._make(
            finding.reason,
            "it was watched only after it had been used: the ops before that are not recorded",
            self.call.line(calls[-1]) if self.call is not None and calls else self._block_line(),
            f"{self.tape}.watch({self.label})",
            "as the first line of the tape's block.",
        )

    def _name_rebound(self, finding: Finding) -> SourceExplanation:
        assert self.call is not None
        statement = self.call.rebinding(self.label)
        assert statement is not None
        assignment = program_text.as_assignment(statement)
        return self._make(
            finding.reason,
            "the name held a variable, and was bound to the result of an op: a tensor, which "
            "the tape does not watch",
            self.call.line(statement),
            None if assignment is None else ast.unparse(assignment),
            "keeps the variable, and gives it the new value.",
        )

    def _left(self, what: str, line: Line | None, sure: bool = True) -> SourceExplanation:
        how = READINGS.get(what, f"its values were read ({what})")
        return self._make(
            UnconnectedReason.LEFT_THROUGH_NUMPY,
            f"{how}; what is computed from that is a constant for the tape",
            line,
            program_text.rewritten(line, program_text.within_tensorflow),
            "Compute with TensorFlow's ops alone, from the source to the target.",
        )

    def _left_through_numpy(self, finding: Finding) -> SourceExplanation:
        return self._left(finding.name, finding.line)

    def _not_floating(self, finding: Finding) -> SourceExplanation:
        if finding.subject == "cast":
            return self._make(
                finding.reason,
                "a cast makes integers or booleans of it, and no gradient flows through these",
                finding.line,
                program_text.rewritten(finding.line, program_text.without_integer_cast),
                "Compute with floats as long as a gradient is wanted.",
            )
        label = self.label if finding.subject == "source" else self.target
        binding = None if self.call is None else self.call.binding(label)
        remedy = None
        if binding is not None:
            remedy = program_text.rewritten_statement(binding, program_text.with_floats)
        return self._make(
            finding.reason,
            f"{'it' if finding.subject == 'source' else 'the target'} holds integers, "
            f"booleans or texts; only floats and complex numbers have gradients",
            self._binding_line(label),
            remedy or f"{label} = tf.cast({label}, tf.float32)",
            "before the tape's block." if finding.subject == "source" else "",
        )

    def _op_without_gradient(self, finding: Finding) -> SourceExplanation:
        name, function = finding.name, function_name(finding.name)
        rewrite: Callable[[ast.AST], ast.AST | None] | None = None
        if function in program_text.ROUNDING:
            rewrite = program_text.straight_through
            advice = (
                "The values are rounded; the gradient is that of the number itself (a "
                "straight-through estimate)."
            )
            why_none = "its result is constant but for jumps"
        elif function in COMPARISONS:
            rewrite = program_text.smooth_step
            advice = (
                "A sigmoid is a smooth step. Where the comparison only chooses, use "
                "tf.where(condition, a, b): the gradient flows through a and b."
            )
            why_none = "it gives booleans"
        elif function in ("argmax", "argmin"):
            rewrite = program_text.soft_argmax
            advice = "Positions weighed by a softmax; for the largest value itself there is tf.reduce_max."
            why_none = "it gives positions, which are integers"
        else:
            advice = "Use an op that has one, or give it one with tf.custom_gradient."
            why_none = "TensorFlow defines none"
        more = f". Further on so do {', '.join(finding.others)}" if finding.others else ""
        return self._make(
            finding.reason,
            f"the op {name} gives no gradient: {why_none}{more}",
            finding.line,
            None if rewrite is None else program_text.rewritten(finding.line, rewrite),
            advice,
        )

    def _stop_gradient(self, finding: Finding) -> SourceExplanation:
        return self._make(
            finding.reason,
            "tf.stop_gradient ends the gradient on the way",
            finding.line,
            program_text.rewritten(finding.line, program_text.without_stop_gradient),
        )

    def _stop_recording(self, finding: Finding) -> SourceExplanation:
        text = "it was used while the tape had stopped recording"
        outside = f"in the tape's block, outside of {self.tape}.stop_recording()."
        if not finding.sure:  # which statement used it is not known
            words = f"Compute what {self.target} needs of it {outside}"
            return self._make(finding.reason, text, finding.line, None, words)
        binding = None if self.call is None else self.call.binding(self.target)
        code = None if binding is None else ast.unparse(binding).partition("\n")[0]
        return self._make(finding.reason, text, finding.line, code, outside)

    def _assigned(self, finding: Finding) -> SourceExplanation:
        return self._make(
            finding.reason,
            "its value was assigned to a variable, and no gradient flows through an assignment",
            finding.line,
            program_text.rewritten(finding.line, program_text.as_value),
            "Use the value itself in what follows, and assign it to the variable after the tape's block.",
        )

    def _data_set(self, finding: Finding) -> SourceExplanation:
        return self._make(
            finding.reason,
            f"it went into a {finding.name}, whose elements are new tensors that no tape knows",
            finding.line,
            None,
            "Compute in the tape's block with the tensor itself, or compute from the element "
            "what depends on the source.",
        )

    def _numpy_function(self, finding: Finding) -> SourceExplanation:
        return self._make(
            finding.reason,
            "tf.numpy_function computes with NumPy, which gives no gradient",
            finding.line,
            program_text.rewritten(finding.line, program_text.within_tensorflow),
            "Write the function in TensorFlow's ops, or give it a gradient with tf.custom_gradient.",
        )

    def _gradient_function(self, finding: Finding) -> SourceExplanation:
        return self._make(
            finding.reason,
            f"the gradient function of {finding.name} gave None for it",
            finding.line,
            None,
            "In that function, return a gradient for this input too.",
        )

    def _recorded_function(self, finding: Finding) -> SourceExplanation:
        return self._make(
            finding.reason,
            "a recorded function gave it no gradient. The tape sees a call of a tf.function as one op",
            finding.line,
            "tf.config.run_functions_eagerly(True)",
            "as a line above shows the op: explain again, and remove the line.",
        )

    def _other_view(self, finding: Finding) -> SourceExplanation:
        text = (
            "the target was not computed from this tensor, but from what it was made from. A "
            "new tensor of the same values is another source"
        )
        node: ast.AST | None = None
        where = self._here()
        if self.call is not None:
            try:
                node = ast.parse(self.label, mode="eval").body
            except SyntaxError:
                node = None
            binding = self.call.binding(self.label)
            if isinstance(node, ast.Name) and binding is not None:
                where = self.call.line(binding)
                node = getattr(binding, "value", None)
        remedy = None
        if isinstance(node, ast.Subscript):
            index = ast.unparse(node.slice)
            remedy = f"{self._gradient(self.target, ast.unparse(node.value))}[{index}]"
        elif isinstance(node, ast.Call):
            base = node.args[0] if node.args else None
            if isinstance(node.func, ast.Attribute) and not node.args:
                base = node.func.value
            if base is not None:
                remedy = self._gradient(self.target, ast.unparse(base))
        return self._make(
            finding.reason,
            text,
            where,
            remedy,
            "Or make this tensor in the tape's block, and compute the target from it.",
        )

    def _other_tape(self, finding: Finding) -> SourceExplanation:
        names = [name for name, value in self.names.items() if value is finding.tape]
        return self._make(
            finding.reason,
            "another tape recorded this; here nothing connects them",
            self._block_line(),
            f"{names[0]}.gradient({self.target}, {self.label})" if names else None,
            "Ask the tape that recorded it, or have this one watch the source too.",
        )

    def _other_thread(self, finding: Finding) -> SourceExplanation:
        return self._make(
            finding.reason,
            "the tape has not seen how the target was computed. Other threads are at work, "
            "and a tape sees its own thread alone",
            self._block_line(),
            None,
            "Open the tape in the function that runs on the other thread, and return the "
            "gradient from there.",
        )

    def _before_tape(self, finding: Finding) -> SourceExplanation:
        binding = None if self.call is None else self.call.binding(self.target)
        what = "the target was"
        if finding.subject == "part":
            binding = self._earlier_use()
            what = "what the target uses of it was"
        return self._in_block(finding.reason, f"{what} computed before the tape began", binding)

    def _after_tape(self, finding: Finding) -> SourceExplanation:
        binding = None if self.call is None else self.call.binding(self.target)
        return self._in_block(
            finding.reason, "the target was computed after the tape had stopped", binding
        )

    def _in_block(
        self, reason: UnconnectedReason, text: str, binding: ast.stmt | None
    ) -> SourceExplanation:
        return self._make(
            reason,
            text,
            self._here() if binding is None or self.call is None else self.call.line(binding),
            None if binding is None else ast.unparse(binding).partition("\n")[0],
            f"in the block of `with tf.GradientTape() as {self.tape}`.",
        )

    def _swapped(self, finding: Finding) -> SourceExplanation:
        return self._make(
            finding.reason,
            f"it was computed from {self.target}, and not the other way round: the target comes first",
            self._here(),
            self._gradient(self.label, self.target),
        )

    def _not_used(self, finding: Finding) -> SourceExplanation:
        if finding.subject == "empty tape":
            return self._make(
                finding.reason,
                "the tape has recorded nothing",
                self._block_line(),
                None,
                f"Compute the target in the block of `with tf.GradientTape() as {self.tape}`.",
            )
        return self._make(
            finding.reason,
            "the target does not depend on it, as far as the tape has seen",
            self._block_line(),
            None,
            'Use it in the target, or leave it out of the sources; unconnected_gradients="zero" gives zeros.',
        )

    def _records_gone(self, finding: Finding) -> SourceExplanation:
        return self._make(
            finding.reason,
            "the tape let go of its records when gradient() was called, and cannot tell any more",
            self._block_line(),
            f"with tf.GradientTape(persistent=True) as {self.tape}:",
            "keeps them. Or explain before gradient() is called.",
        )
