"""What a saved model answers, as the library that wrote it and another one that loads it have to agree.

`Answers` has TensorFlow or this library. It asks a model for its results, for gradients, and for what five
steps of training make of its variables; writes that down; and compares it with what is written.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

STEPS, RATE = 5, 0.05
# Each call draws other numbers, or changes a variable.
CHANGE = frozenset(
    "counter generator_random augment_randomrotation augment_randomtranslation augment_randomzoom "
    "augment_randomflip augment_randomcontrast augment_randombrightness".split()
)
# Their functions change a variable, or have gradients that TensorFlow approximates or does not have.
WITHOUT_GRADIENTS = frozenset(
    "counter scatter_variable augment_randomrotation augment_randomtranslation augment_randomzoom "
    "v1_rnn v1_table v1_parts v1_quantized".split()
)
# They compute in halves, also where arguments, variables and results are none.
OF_HALVES = frozenset({"mixed_precision", "mixed_bfloat16"})
HALVES = ("float16", "bfloat16")


class Answers:
    """Asks models, and compares their answers, with the functions of one library."""

    def __init__(self, tf: Any) -> None:
        self.tf = tf

    # A nest as JSON, with its arrays beside it

    def encode(self, value: Any, arrays: list[Any]) -> Any:
        """A nest as JSON: leaves are the numbers of arrays, which are added to ``arrays``."""
        tf = self.tf

        def walk(part: Any) -> Any:
            return self.encode(part, arrays)

        def put(array: Any) -> int:
            array = np.asarray(array)
            if array.dtype == object:
                width = max([len(text) for text in array.ravel().tolist()] + [1])
                array = array.astype(f"S{width}")
            arrays.append(array)
            return len(arrays) - 1

        if isinstance(value, tf.RaggedTensor):
            return {"ragged": [walk(value.values), walk(value.row_splits)]}
        if isinstance(value, tf.sparse.SparseTensor):
            return {"sparse": [walk(value.indices), walk(value.values), walk(value.dense_shape)]}
        if isinstance(value, tf.IndexedSlices):
            return walk(tf.convert_to_tensor(value))
        if isinstance(value, (tf.Tensor, tf.Variable)):
            if value.dtype.name in HALVES:
                return {"cast": [value.dtype.name, put(tf.cast(value, tf.float32).numpy())]}
            return {"tensor": put(value.numpy())}
        if isinstance(value, dict):
            return {"dict": {key: walk(value[key]) for key in sorted(value)}}
        if isinstance(value, (list, tuple)):
            kind = "tuple" if isinstance(value, tuple) else "list"
            return {kind: [walk(one) for one in value]}
        return {"value": value}

    def decode(self, part: Any, arrays: Any) -> Any:
        """What `encode` has written: tensors by their numbers, composites by their parts."""
        tf = self.tf
        [(kind, body)] = part.items()
        match kind:
            case "tensor":
                array = arrays[f"a{body}"]
                return tf.constant(array.astype(object) if array.dtype.kind == "S" else array)
            case "cast":
                return tf.cast(tf.constant(arrays[f"a{body[1]}"]), body[0])
            case "ragged":
                return tf.RaggedTensor.from_row_splits(
                    *[self.decode(inner, arrays) for inner in body]
                )
            case "sparse":
                return tf.sparse.SparseTensor(*[self.decode(inner, arrays) for inner in body])
            case "dict":
                return {key: self.decode(inner, arrays) for key, inner in body.items()}
            case "list":
                return [self.decode(inner, arrays) for inner in body]
            case "tuple":
                return tuple(self.decode(inner, arrays) for inner in body)
            case _:
                return body

    def write(self, folder: Path, call: str, facts: dict[str, Any]) -> None:
        """Keep what a model answers in ``expected.npz``."""
        arrays: list[Any] = []
        body = {"call": call, **{key: self.encode(value, arrays) for key, value in facts.items()}}
        np.savez_compressed(
            folder / "expected.npz",
            expected=np.array(json.dumps(body)),
            **{f"a{number}": array for number, array in enumerate(arrays)},
        )

    def read(self, folder: Path) -> dict[str, Any]:
        """What `write` has kept."""
        with np.load(folder / "expected.npz") as file:
            arrays = dict(file)
        facts = json.loads(str(arrays["expected"]))
        call = facts.pop("call")
        return {"call": call, **{key: self.decode(part, arrays) for key, part in facts.items()}}

    # What a model answers

    def function_at(self, loaded: Any, path: str) -> Any:
        """The function of a loaded object at a path like ``signatures.serving_default``."""
        for part in path.split("."):
            if part == "signatures":
                loaded = loaded.signatures
            elif part != "__call__":
                loaded = loaded[part] if hasattr(loaded, "keys") else getattr(loaded, part)
        return loaded

    def floats(self, nest: Any) -> list[Any]:
        """The floating tensors of a nest."""
        flat = self.tf.nest.flatten(nest, expand_composites=True)
        return [part for part in flat if self.tf.is_tensor(part) and part.dtype.is_floating]

    def weighted(self, result: Any) -> Any:
        """A sum of all results, in which each number counts differently: no sum hides a permutation."""
        tf = self.tf
        total = tf.constant(0.0)
        for part in self.floats(result):
            weights = tf.range(1.0, 1.0 + tf.cast(tf.size(part), tf.float32)) / 7.0
            total += tf.reduce_sum(tf.cast(part, tf.float32) * tf.reshape(weights, tf.shape(part)))
        return total

    def ask(
        self, function: Any, arguments: Any, keywords: Any, has_gradients: bool
    ) -> dict[str, Any]:
        """Results, and gradients of `weighted` by the arguments and by the variables."""
        tf = self.tf
        if not has_gradients:
            return {"result": function(*arguments, **keywords)}
        leaves = self.floats([arguments, keywords])
        with tf.GradientTape() as tape:
            tape.watch(leaves)
            result = function(*arguments, **keywords)
            total = self.weighted(result)
        variables = sorted(tape.watched_variables(), key=lambda v: (v.name, v.shape.as_list()))
        gradients = [
            tf.convert_to_tensor(gradient) if isinstance(gradient, tf.IndexedSlices) else gradient
            for gradient in tape.gradient(total, leaves + variables)
        ]
        return {
            "result": result,
            "input_gradients": gradients[: len(leaves)],
            "variables": [variable.name for variable in variables],
            "variable_gradients": gradients[len(leaves) :],
        }

    def train(self, function: Any, arguments: Any, keywords: Any) -> list[Any]:
        """The variables after five steps down the mean square of the results. It changes the model."""
        tf = self.tf
        variables: list[Any] = []
        for _ in range(STEPS):
            with tf.GradientTape() as tape:
                parts = self.floats(function(*arguments, **keywords))
                loss = tf.add_n([
                    tf.constant(0.0),
                    *[tf.reduce_mean(tf.square(tf.cast(part, tf.float32))) for part in parts],
                ])  # fmt: skip
            variables = sorted(tape.watched_variables(), key=lambda v: (v.name, v.shape.as_list()))
            for variable, gradient in zip(variables, tape.gradient(loss, variables), strict=True):
                if gradient is not None:
                    variable.assign_sub(tf.cast(RATE, variable.dtype) * gradient)
        return [tf.convert_to_tensor(variable) for variable in variables]

    # Comparing

    def compare(self, result: Any, expected: Any, tolerance: float) -> None:
        """The same dtypes and shapes, and values to a tolerance; that of halves is larger."""
        tf = self.tf
        flat, wanted = [
            tf.nest.flatten(nest, expand_composites=True) for nest in (result, expected)
        ]
        assert len(flat) == len(wanted), f"{len(flat)} parts, not {len(wanted)}"
        for value, other in zip(flat, wanted, strict=True):
            if not tf.is_tensor(value) or not tf.is_tensor(other):
                assert value == other, f"{value}, not {other}"
                continue
            assert (value.dtype, value.shape) == (other.dtype, other.shape)
            if value.dtype.is_floating:
                least = 2e-2 if value.dtype.size == 2 else tolerance
                one, two = [np.asarray(tf.cast(tensor, tf.float32)) for tensor in (value, other)]
                np.testing.assert_allclose(one, two, rtol=least, atol=least)
            else:
                assert np.array_equal(value.numpy(), other.numpy()), f"{value}, not {other}"

    def check(self, folder: Path, loaded: Any, calls: int = 3) -> None:
        """Compare what a loaded model answers, in the first call and in later ones, with ``expected.npz``."""
        expected = self.read(folder)
        small, large = (2e-2, 2e-2) if folder.name in OF_HALVES else (1e-5, 1e-4)
        function = self.function_at(loaded, expected["call"])
        arguments, keywords = expected["arguments"], expected["keywords"]
        has_gradients = "variables" in expected
        for _ in range(1 if folder.name in CHANGE else calls):
            answer = self.ask(function, arguments, keywords, has_gradients)
            self.compare(answer["result"], expected["result"], small)
            if has_gradients:
                assert answer["variables"] == expected["variables"]
                for key in ("input_gradients", "variable_gradients"):
                    self.compare(answer[key], expected[key], large)
        if has_gradients and expected["variables"]:
            self.compare(self.train(function, arguments, keywords), expected["trained"], large)
