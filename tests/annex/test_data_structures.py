"""Lists, dicts and tuples as Keras 2 holds them: the variables of what is in them are found."""

from __future__ import annotations

import pickle
from typing import Any, NamedTuple

import pytest

import tapegrad as tf
from tapegrad.annex.tensorflow_shim.data_structures import TrackableDataStructure, wrap_or_unwrap


class Layer:
    """What Keras 2 takes for a layer: it has weights."""

    def __init__(self, *weights: Any) -> None:
        self.weights = weights
        self.losses = [float(each) for each in weights]

    @property
    def trainable_weights(self) -> list[Any]:
        return [each for each in self.weights if each.trainable]

    @property
    def non_trainable_weights(self) -> list[Any]:
        return [each for each in self.weights if not each.trainable]

    trainable_variables, non_trainable_variables = trainable_weights, non_trainable_weights


class Pair(NamedTuple):
    first: Any
    second: Any


def test_variables_are_found_at_any_depth() -> None:
    variables = [tf.Variable(float(number), trainable=number != 2) for number in range(6)]
    layers = [Layer(variables[0]), Layer(variables[1], variables[2]), Layer(variables[3])]
    nested: Any = wrap_or_unwrap(
        [layers[0], {"b": (layers[1], 3), "a": Pair([layers[2]], "x")}, variables[4]]
    )
    own = [variables[number] for number in (0, 3, 1, 4)]
    assert all(a is b for a, b in zip(nested.trainable_weights, own, strict=True))
    assert [each is variables[2] for each in nested.non_trainable_weights] == [True]
    assert len(nested.weights) == len(nested.variables) == 5
    assert nested.layers == [layers[0], layers[2], layers[1]]
    assert nested.losses == [0.0, 3.0, 1.0, 2.0]
    nested.append(Layer(variables[5]))
    assert len(nested.trainable_variables) == 5
    nested.trainable = False
    assert nested.trainable_variables == []
    assert len(nested.non_trainable_variables) == 6
    assert isinstance(nested[1]["a"], Pair)
    assert nested[1]["a"].second == "x"
    assert isinstance(nested[1]["b"], tuple)
    assert all(isinstance(each, TrackableDataStructure) for each in (*nested[1].values(), nested))


def test_tuples_without_variables_stay_what_they_are() -> None:
    for value in ((1, 2), Pair(1, "x"), ()):
        assert wrap_or_unwrap(value) is value
    assert type(wrap_or_unwrap([(1, 2)])[0]) is tuple


def test_wrapped_tuples_are_pickled() -> None:
    wrapped = wrap_or_unwrap((1, [2]))
    assert isinstance(wrapped, TrackableDataStructure)
    assert pickle.loads(pickle.dumps(wrapped)) == wrapped == (1, [2])
    named = wrap_or_unwrap(Pair(1, [2]))
    assert type(pickle.loads(pickle.dumps(named))) is Pair


def test_keys_of_several_types() -> None:
    assert wrap_or_unwrap({1: 2, "a": 3})._values == [2, 3]


def test_a_wrapped_tuple_is_a_tuple_among_nests() -> None:
    plain: Any = ([1], {"a": ([2],)})
    wrapped = wrap_or_unwrap(plain)
    assert type(wrapped) is not tuple
    for first, second in ((plain, wrapped), (wrapped, plain)):
        tf.nest.assert_same_structure(first, second)
        total = tf.nest.map_structure(lambda one, other: one + other, first, second)
        assert tf.nest.flatten(total) == [2, 4]
    with pytest.raises(TypeError, match="The two nests differ at the top"):
        tf.nest.assert_same_structure(wrapped, [*plain])


def test_a_list_is_the_one_of_the_program() -> None:
    own: list[Any] = [3, [1]]
    kept: Any = wrap_or_unwrap(own)
    kept.append(5)
    kept[0] = 2
    kept.insert(1, {"a": 1})
    assert own == kept == [2, {"a": 1}, [1], 5]
    assert own[1] is kept[1]
    own[2].append(7)  # the program's list has the wrapped parts
    assert kept[2] == [1, 7]
    own.append(9)
    assert (len(kept), kept[-1], 9 in kept, kept.index(9)) == (5, 9, True, 4)
    assert kept.pop() == 9
    del kept[1:3]
    kept += [4]
    kept.sort()
    assert own == [2, 4, 5]
    own.clear()
    assert repr(kept) == "ListWrapper([])"
    assert list(kept) == []


def test_a_dict_is_the_one_of_the_program() -> None:
    own: dict[str, Any] = {"b": [1]}
    kept: Any = wrap_or_unwrap(own)
    kept["a"] = 2
    kept.update(c=3)
    assert own == kept == {"b": [1], "a": 2, "c": 3}
    own["d"] = {}
    del own["b"]
    assert repr(kept) == "DictWrapper({'a': 2, 'c': 3, 'd': DictWrapper({})})"
    assert (list(kept), kept.get("b"), len(kept)) == (["a", "c", "d"], None, 3)
    assert (kept.pop("d"), kept.setdefault("e", 5)) == ({}, 5)
    kept |= {"f": 6}
    assert own == {"a": 2, "c": 3, "e": 5, "f": 6}
