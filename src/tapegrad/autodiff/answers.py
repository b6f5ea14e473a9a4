"""What a tape answers about itself: why a gradient is None, where a NaN began, what it keeps in memory.

`GradientTape` inherits these methods. What they need besides is imported when somebody asks.
"""

from __future__ import annotations

from types import FrameType
from typing import TYPE_CHECKING, Any

from tapegrad import core
from tapegrad.autodiff.leaves import (
    as_source,
    flat_or_whole,
    flat_values_of,
    tensor_or_none,
    tensors_of,
)
from tapegrad.core.tracebacks import user_frame
from tapegrad.framework import nest
from tapegrad.framework.counts import counted

if TYPE_CHECKING:
    from tapegrad.autodiff.explanations import TapeExplanation
    from tapegrad.autodiff.first_nan import FirstNan
    from tapegrad.autodiff.profiles import Profile
    from tapegrad.autodiff.summaries import TapeMemory, TapeSummary
    from tapegrad.drawing.dataflow import DataflowGraph


class TapeWithAnswers(core.Recording):
    """The part of a GradientTape that users ask what it recorded."""

    def __repr__(self) -> str:
        tape = self._spent if self._tape is None else self._tape
        if tape is None:
            state = "nothing recorded"
        elif tape.spent:
            state = "used up"
        else:
            watched = counted(len(tape.watched_variables()), "variable")
            state = f"{counted(len(tape), 'record')}, {watched} watched"
        return f"<tf.{type(self).__name__}: {state}{', persistent' * self._persistent}>"

    def _repr_html_(self) -> str:
        return self.summary()._repr_html_()

    def explain(self, target: Any, sources: Any) -> TapeExplanation:
        """Why the gradient of ``target`` by each of ``sources`` is None, or by which ops they are connected.

        >>> x = tf.constant(3.0)
        >>> with tf.GradientTape() as tape:
        ...     y = x * x
        >>> print(tape.gradient(y, x))
        None
        >>> why = tape.explain(y, x)
        >>> why.reason == "not watched"
        True
        >>> why.remedy
        'tape.watch(x)'

        The answer prints as text, and shows as a table in notebooks. It has a `reason`, `where` the program
        caused it, and a `remedy`, the line to write instead; and the same for each of its ``sources``.

        This may be called before `gradient` and after it, and changes nothing. It raises nothing, whatever
        ``target`` and ``sources`` are. What the tape has let go of it cannot tell: it says so.

        Args:
            target: what `gradient` gets.
            sources: what `gradient` gets. Of a nest the answers come in the order of `tf.nest.flatten`.
        """
        return self._explanation(target, sources, user_frame())

    def _explanation(self, target: Any, sources: Any, frame: FrameType | None) -> TapeExplanation:
        from tapegrad.autodiff.explanations import explain

        return explain(
            self._spent if self._tape is None else self._tape,
            [(value, tensor_or_none(value)) for value in flat_or_whole(target, tensors_of)],
            [
                (value, as_source(flat_values_of(value)))
                for value in flat_or_whole(sources, nest.flatten)
            ],
            frame,
        )

    def _explain_call_above(self, name: str, frame: FrameType) -> str | None:
        """Why the first source had no gradient in the last call of `gradient` of a function that is running.

        None if the text of the function does not name target and sources. ``name`` is this tape's there.
        """
        from tapegrad.autodiff.program_text import arguments_of_gradient_call

        arguments = arguments_of_gradient_call(name, frame)
        if arguments is None or len(arguments) < 2:
            return None
        explanation = self._explanation(arguments[0], arguments[1], None)
        return explanation.text_of(explanation.sources[:1])

    def first_nan(self, target: Any, sources: Any) -> FirstNan:
        """The first op that made NaN or infinity of finite numbers, for ``target`` or in its gradient.

        >>> x = tf.Variable([1.0, 0.0])
        >>> with tf.GradientTape(lines=True) as tape:
        ...     y = tf.reduce_sum(tf.sqrt(x))
        >>> nan = tape.first_nan(y, x)
        >>> nan.gradient_of, nan.index, nan.value
        ('Sqrt', (1,), inf)
        >>> nan.remedy
        'The slope of the square root is infinite at 0: write tf.sqrt(x + 1e-12), or for a length tf.norm(v),
        whose gradient at 0 is 0.'

        The answer prints as text, with the place in the result, the inputs there, and the line of the
        program if the tape notes lines. Ask before `gradient`, or a persistent tape: one that let go of its
        records cannot tell. The gradients are computed for the answer, which calls gradient functions of
        `tf.custom_gradient`.

        Args:
            target, sources: what `gradient` gets.
        """
        from tapegrad.autodiff.first_nan import first_nan

        tensors = [tensor_or_none(value) for value in flat_or_whole(target, tensors_of)]
        leaves = [
            as_source(flat_values_of(value)) for value in flat_or_whole(sources, nest.flatten)
        ]
        return first_nan(
            self._spent if self._tape is None else self._tape,
            [tensor for tensor in tensors if tensor is not None],
            [leaf for leaf in leaves if leaf is not None],
        )

    def summary(self) -> TapeSummary:
        """What the tape recorded, op by op, with what the records keep in memory. It prints as a table.

        >>> x = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
        >>> with tf.GradientTape() as tape:
        ...     loss = tf.reduce_sum(tf.square(x @ x))
        >>> tape.summary()
           op      result          keeps
        0  MatMul  float32 (2, 2)  16 B (a, b)
        1  Square  float32 (2, 2)  16 B (x)
        2  Sum     float32 ()
        3 records, 1 variable watched. The tape keeps 32 B in 2 tensors; 16 B of it are free once it lets go.

        A tape with lines, `tf.GradientTape(lines=True)`, shows where the program called each op.
        """
        from tapegrad.autodiff.summaries import summarize

        return summarize(self._spent if self._tape is None else self._tape)

    def graph(self, target: Any = None, sources: Any = None) -> DataflowGraph:
        """What the tape recorded, as a graph: text, DOT, SVG, or a page for browsers.

        >>> w, b = tf.Variable([[1.0], [2.0]], name="w"), tf.Variable(0.5, name="b")
        >>> with tf.GradientTape() as tape:
        ...     counts = tf.round(tf.ones([3, 2]) @ w)
        ...     loss = tf.reduce_sum(counts + b)
        >>> graph = tape.graph(loss, [w, b])
        >>> [node.label for node in graph.nodes if node.reason]
        ['Round']
        >>> import os, tempfile
        >>> graph.page(os.path.join(tempfile.mkdtemp(), "graph.html"))

        With ``target`` and ``sources``, as `gradient` gets them, the paths between them are lit. Where a
        gradient is None, what ends it is red.

        The graph folds by modules if the tape notes lines, `tf.GradientTape(lines=True)`; by name scopes if
        the program opens any; and a long row of ops folds anyway. A tape sees the call of a `tf.function` as
        one op: the function has a ``graph`` of its own.

        Args:
            target: what `gradient` gets, or None.
            sources: what `gradient` gets, or None.

        Raises:
            ValueError: one of ``target`` and ``sources`` came without the other.
        """
        from tapegrad.autodiff.graph_of_tape import graph_of

        tape = self._spent if self._tape is None else self._tape
        if (target is None) != (sources is None):
            raise ValueError(
                "tape.graph() takes a target and its sources, or neither: one of them is None."
            )
        if target is None:
            return graph_of(tape, [], [], None)
        tensors = [tensor_or_none(value) for value in flat_or_whole(target, tensors_of)]
        leaves = [
            as_source(flat_values_of(value)) for value in flat_or_whole(sources, nest.flatten)
        ]
        return graph_of(
            tape,
            [tensor for tensor in tensors if tensor is not None],
            leaves,
            self._explanation(target, sources, user_frame()),
        )

    def profile(self) -> Profile:
        """Time, bytes and operations of each op, forward and backward, by op and by line of the program.

        >>> x = tf.Variable(tf.ones([64, 64]))
        >>> with tf.GradientTape(profile=True) as tape:
        ...     loss = tf.reduce_sum(tf.tanh(x @ x))
        >>> gradient = tape.gradient(loss, x)
        >>> profile = tape.profile()                 # print(profile) shows two tables
        >>> sorted(profile.by_op())
        ['MatMul', 'Sum', 'Tanh']
        >>> product = profile.by_op()["MatMul"]
        >>> product.calls, product.bytes, product.flops, product.backward > 0
        (1, 49152, 524288.0, True)

        A tape can tell only what it has timed: open it with ``profile=True``. Before `gradient` the times of
        the rules are 0; of several calls of `gradient` they are added up.

        Raises:
            ValueError: the tape was opened without ``profile=True``.
        """
        if self._profiler is None:
            raise ValueError(
                "This tape has timed nothing: open it with tf.GradientTape(profile=True), compute the "
                "target, call gradient(), and then profile()."
            )
        profile: Profile = self._profiler.profile()
        return profile

    def memory(self) -> TapeMemory:
        """The memory that the tape keeps, in numbers. What several records keep counts once.

        >>> x = tf.Variable(tf.ones([100]))
        >>> with tf.GradientTape() as tape:
        ...     loss = tf.reduce_sum(tf.exp(x * 2.0))
        >>> memory = tape.memory()
        >>> memory.bytes, memory.by_op
        (404, {'Exp': 400, 'Mul': 4})
        """
        return self.summary().memory

    def _refuse_none(self, gradients: list[Any], target: Any, sources: Any) -> None:
        """Raise ValueError if one of the gradients is None."""
        if any(gradient is None for gradient in gradients):
            explanation = self._explanation(target, sources, user_frame())
            apart = [source for source in explanation if not source.connected]
            raise ValueError(explanation.text_of(apart or explanation.sources))
