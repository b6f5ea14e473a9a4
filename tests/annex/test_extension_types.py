"""Extension types: fields, values, specs, batches, and the functions of tf that take them."""

import pickle
from collections.abc import Mapping
from operator import attrgetter
from typing import Any, Optional, Union

import pytest

import tapegrad as tf
from tapegrad.annex.extension import dispatch


class Masked(tf.experimental.ExtensionType):
    values: tf.Tensor
    mask: tf.Tensor

    def total(self) -> Any:
        return tf.reduce_sum(tf.where(self.mask, self.values, 0))


class Options(tf.experimental.ExtensionType):
    name: str
    count: int = 3
    sizes: tuple[int, ...] = (1, 2)
    parts: Mapping[str, tf.Tensor] = {}
    maybe: Optional[tf.Tensor] = None  # noqa: UP045
    shape: tf.TensorShape = tf.TensorShape([1])
    dtype: tf.DType = tf.float32


class Rows(tf.experimental.BatchableExtensionType):
    values: tf.Tensor
    mask: tf.Tensor


class Net(tf.experimental.BatchableExtensionType):
    shape: tf.TensorShape
    work: tf.Tensor

    def __init__(self, work: Any) -> None:
        self.work = tf.convert_to_tensor(work)
        self.shape = self.work.shape[:-1]


class Nets(tf.experimental.BatchableExtensionType):
    net: Net
    more: Mapping[str, tf.Tensor]


def test_shapes_in_fields_are_batched_with_the_tensors() -> None:
    batch = Net([[1.0, 2, 3], [4, 5, 6]])
    assert tf.type_spec_from_value(batch).shape.as_list() == [2]
    data = tf.data.Dataset.from_tensor_slices(batch)
    assert data.element_spec.shape.as_list() == []
    assert [(each.shape.rank, each.work.shape.as_list()) for each in data] == [(0, [3]), (0, [3])]
    assert data.batch(2).element_spec.shape.as_list() == [None]
    assert tf.data.Dataset.from_tensors(batch).unbatch().element_spec == data.element_spec
    assert tf.map_fn(lambda net: Net(net.work + 1), batch).shape.as_list() == [2]


def test_batchable_types_in_batchable_types() -> None:
    batch = Nets(Net([[1.0, 2, 3], [4, 5, 6]]), {"x": tf.ones([2, 4])})
    (first, second) = tf.data.Dataset.from_tensor_slices(batch)
    assert first.net.work.numpy().tolist() == [1, 2, 3]
    assert second.net.shape.rank == 0
    assert second.more["x"].shape.as_list() == [4]
    joined = tf.map_fn(lambda nets: nets, batch)
    assert joined.net.work.numpy().tolist() == batch.net.work.numpy().tolist()
    assert joined.net.shape.as_list() == [2]


def test_mappings_in_specs_are_immutable_and_print_as_dicts() -> None:
    spec = tf.type_spec_from_value(Options("a", parts={"b": 1}))
    assert repr(spec.parts) == (
        "ImmutableDict({'b': TensorSpec(shape=(), dtype=tf.int32, name=None)})"
    )
    assert "parts={'b': TensorSpec(shape=(), dtype=tf.int32, name=None)}" in repr(spec)
    assert hash(spec) == hash(tf.type_spec_from_value(Options("a", parts={"b": 1})))


def masked() -> Masked:
    return Masked([1, 2, 3], [True, False, True])


def test_values_are_converted_and_checked() -> None:
    value = Options("a", parts={"b": 1, "a": 2.0}, sizes=[4, 5], dtype="int32")
    assert value.sizes == (4, 5)
    assert value.dtype is tf.int32
    assert value.parts["a"].dtype is tf.float32
    assert repr(Options("a", count=1)) == (
        "Options(name='a', count=1, sizes=(1, 2), parts=ImmutableDict({}), maybe=None, "
        "shape=TensorShape([1]), dtype=tf.float32)"
    )


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Masked([1.0]), "missing a required argument: 'mask'"),
        (lambda: Masked([1.0], [True], 3), "too many positional arguments"),
        (lambda: Masked(tf.ragged.constant([[1]]), [True]), "values: expected a Tensor, got 'Ra"),
        (lambda: Options(3), "name: expected 'str', got 'int'"),
        (lambda: Options("a", count=1.5), "count: expected 'int', got 'float'"),
        (lambda: Options("a", sizes=[1, "b"]), r"sizes\[1\]: expected 'int', got 'str'"),
        (lambda: Masked.Spec(values=3, mask=4), "values: expected a TensorSpec, got 'int'"),
    ],
)
def test_values_that_do_not_fit(make: Any, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        make()


@pytest.mark.parametrize(
    "annotation",
    [list, dict[str, int], object, Any, tf.TensorSpec, tf.TensorSpec([2]), int | None, tf.Variable],
)
def test_annotations_that_no_field_has(annotation: Any) -> None:
    with pytest.raises(TypeError, match="In field 'x': Unsupported type annotation"):
        type("Wrong", (tf.experimental.ExtensionType,), {"__annotations__": {"x": annotation}})


@pytest.mark.parametrize("name", ["self", "Spec", "_tf_extension_type_x"])
def test_names_that_no_field_has(name: str) -> None:
    with pytest.raises(ValueError, match=f"Field '{name}' is reserved"):
        type("Wrong", (tf.experimental.ExtensionType,), {"__annotations__": {name: int}})


def test_values_do_not_change() -> None:
    value = masked()
    for change in (
        lambda: setattr(value, "mask", 1),
        lambda: setattr(value, "other", 1),
        lambda: delattr(value, "mask"),
    ):
        with pytest.raises(AttributeError, match="outside the custom constructor"):
            change()
    with pytest.raises(TypeError, match="unhashable"):
        hash(value)
    with pytest.raises(AssertionError, match="abstract base class"):
        tf.experimental.ExtensionType()


def test_equality() -> None:
    assert bool(masked() == masked())
    assert bool(masked() != Masked([1, 2, 4], [True, False, True]))
    assert (masked() == Masked([1, 2], [True, False])) is False
    assert (masked() == 3) is False


def test_constructors_of_ones_own() -> None:
    class Doubled(tf.experimental.ExtensionType):
        a: int

        def __init__(self, half: int) -> None:
            self.a = 2 * half

        def __validate__(self) -> None:
            assert self.a < 10, "too large"

    class Tagged(Doubled):
        tag: str = "x"

    assert Doubled(2).a == Tagged(2).a == 4
    with pytest.raises(AssertionError, match="too large"):
        Doubled(20)

    class Forgetful(tf.experimental.ExtensionType):
        a: int

        def __init__(self) -> None:
            pass

    with pytest.raises(ValueError, match=r"Missing required fields: \{'a'\}"):
        Forgetful()


def test_types_that_hold_themselves() -> None:
    class Node(tf.experimental.ExtensionType):
        value: tf.Tensor
        children: tuple["Node", ...] = ()

    tree = Node(1, [Node(2), Node(3, [Node(4)])])
    assert [int(leaf) for leaf in tf.nest.flatten(tree, expand_composites=True)] == [1, 2, 3, 4]
    either = type(
        "Either",
        (tf.experimental.ExtensionType,),
        {"__annotations__": {"x": Union[int, str]}},  # noqa: UP007
    )
    assert (either(1).x, either("a").x) == (1, "a")


def test_specs() -> None:
    spec = tf.type_spec_from_value(masked())
    assert spec == Masked.Spec(tf.TensorSpec([3], tf.int32), tf.TensorSpec([3], tf.bool))
    assert spec.value_type is Masked
    assert repr(spec) == (
        "Masked.Spec(values=TensorSpec(shape=(3,), dtype=tf.int32, name=None), "
        "mask=TensorSpec(shape=(3,), dtype=tf.bool, name=None))"
    )
    assert pickle.loads(pickle.dumps(spec)) == spec
    wider = spec.most_specific_common_supertype([tf.type_spec_from_value(Masked([1], [True]))])
    assert wider.values.shape.as_list() == [None]
    assert spec.is_subtype_of(wider)
    assert wider.is_compatible_with(masked())
    assert not spec.is_compatible_with(3)

    class Box(tf.experimental.ExtensionType):
        content: tf.Tensor

        class Spec:
            def __init__(self, shape: Any) -> None:
                self.content = tf.TensorSpec(shape)

    assert Box.Spec([2]) == tf.type_spec_from_value(Box([1.0, 2.0]))


def test_nests_functions_and_loops_take_them() -> None:
    value = masked()
    parts = tf.nest.flatten(value, expand_composites=True)
    again = tf.nest.pack_sequence_as(value, parts, expand_composites=True)
    assert bool(again == value)
    assert tf.function(lambda x: x.total())(value).numpy() == 4

    @tf.function(
        input_signature=[
            Masked.Spec(tf.TensorSpec([None], tf.int32), tf.TensorSpec([None], tf.bool))
        ]
    )
    def total(x: Masked) -> Any:
        return x.total()

    assert total(value).numpy() == 4
    assert total.get_concrete_function().output_shapes.rank == 0
    chosen = tf.cond(tf.constant(True), lambda: value, lambda: value)
    assert bool(chosen == value)
    assert bool(tf.identity(value) == value)
    with tf.GradientTape() as tape:
        x = tf.Variable([1.0, 2.0])
        loss = tf.reduce_sum(Masked(x * x, [True, True]).values)
    assert tape.gradient(loss, x).numpy().tolist() == [2.0, 4.0]
    with tf.GradientTape() as tape, pytest.raises(ValueError, match="not supported as a gradient"):
        tape.gradient(tf.constant(1.0), value)


def test_data_sets_batch_what_can_be_batched() -> None:
    rows = Rows([[1, 2], [3, 4]], [[True, False], [True, True]])
    data = tf.data.Dataset.from_tensor_slices(rows)
    assert data.element_spec == Rows.Spec(tf.TensorSpec([2], tf.int32), tf.TensorSpec([2], tf.bool))
    assert [row.values.numpy().tolist() for row in data] == [[1, 2], [3, 4]]
    (batch,) = data.batch(2)
    assert bool(batch == rows)
    assert [row.mask.numpy().tolist() for row in tf.data.Dataset.from_tensors(rows).unbatch()] == [
        [True, False],
        [True, True],
    ]
    assert bool(tf.map_fn(lambda row: row, rows) == rows)
    sums = tf.map_fn(lambda row: tf.reduce_sum(row.values), rows, fn_output_signature=tf.int32)
    assert sums.numpy().tolist() == [3, 7]
    (element,) = tf.data.Dataset.from_tensors(masked())
    assert bool(element == masked())
    with pytest.raises(TypeError, match="A batch cannot hold"):
        list(tf.data.Dataset.from_tensors(masked()).batch(1))


class Graph(tf.experimental.BatchableExtensionType):
    """A graph with any number of nodes. A batch of them has ragged rows."""

    nodes: Union[tf.Tensor, tf.RaggedTensor]  # noqa: UP007  # TensorFlow takes no other form
    name: str


class GraphEncoder(tf.experimental.ExtensionTypeBatchEncoder):
    """An encoder of a program's own, with TensorFlow's signatures."""

    def batch(self, spec: Any, batch_size: Any) -> Any:
        shape, dtype = spec.nodes.shape, spec.nodes.dtype
        return Graph.Spec(tf.RaggedTensorSpec([batch_size, None, *shape[1:]], dtype, 1), spec.name)

    def unbatch(self, spec: Any) -> Any:
        shape, dtype = spec.nodes.shape, spec.nodes.dtype
        return Graph.Spec(tf.RaggedTensorSpec([None, *shape[2:]], dtype, 0), spec.name)

    def encode(self, spec: Any, value: Any, minimum_rank: int = 0) -> Any:
        assert isinstance(spec, Graph.Spec)
        return [value.nodes]

    def encoding_specs(self, spec: Any) -> Any:
        rank = spec.nodes.shape.rank - 2
        return [tf.RaggedTensorSpec(spec.nodes.shape, spec.nodes.dtype, rank)]

    def decode(self, spec: Any, encoded_value: Any) -> Any:
        return Graph(encoded_value[0], spec.name)


Graph.__batch_encoder__ = GraphEncoder()


def test_encoders_of_ones_own() -> None:
    graphs = Graph(
        tf.ragged.constant([[[1.0], [2.0]], [[3.0]], []], ragged_rank=1, inner_shape=(1,)), "g"
    )
    data = tf.data.Dataset.from_tensor_slices(graphs)
    assert data.element_spec.nodes.ragged_rank == 0
    assert [graph.nodes.numpy().tolist() for graph in data] == [[[1.0], [2.0]], [[3.0]], []]
    first, rest = data.batch(2)
    assert first.nodes.to_list() == [[[1.0], [2.0]], [[3.0]]]
    assert (rest.nodes.to_list(), rest.name) == ([[]], "g")
    assert [len(graph.nodes) for graph in data.batch(3).unbatch()] == [2, 1, 0]


class Record(tf.experimental.BatchableExtensionType):
    words: tf.RaggedTensor
    count: tf.Tensor
    tags: tf.SparseTensor


def test_data_sets_batch_ragged_and_sparse_fields() -> None:
    tags = tf.sparse.from_dense([[1, 0], [0, 2], [3, 0]])
    records = Record(tf.ragged.constant([[1.0], [2.0, 3.0], []]), [1, 2, 0], tags)
    data = tf.data.Dataset.from_tensor_slices(records)
    assert data.element_spec.words.ragged_rank == 0
    assert [each.words.numpy().tolist() for each in data] == [[1.0], [2.0, 3.0], []]
    assert [tf.sparse.to_dense(each.tags).numpy().tolist() for each in data] == [
        [1, 0],
        [0, 2],
        [3, 0],
    ]
    first, rest = data.batch(2)
    assert (first.words.to_list(), rest.words.to_list()) == ([[1.0], [2.0, 3.0]], [[]])
    assert tf.sparse.to_dense(first.tags).numpy().tolist() == [[1, 0], [0, 2]]
    assert [int(each.count) for each in data.batch(3).unbatch()] == [1, 2, 0]
    sums = tf.map_fn(lambda r: tf.reduce_sum(r.words), records, fn_output_signature=tf.float32)
    assert sums.numpy().tolist() == [1.0, 5.0, 0.0]


def test_functions_over_data_that_make_them_run_once() -> None:
    calls = []

    def graph(x: Any) -> Any:
        calls.append(x)
        return Nets(Net(tf.ones([2, 1]) * x), {"more": x}), Graph(x[tf.newaxis], "g")

    data = tf.data.Dataset.from_tensor_slices([1.0, 2.0, 3.0] * 5).map(graph)
    made = [(float(nets.net.work[1, 0]), float(nets.more["more"]), one.name) for nets, one in data]
    assert made == [(x, x, "g") for x in [1.0, 2.0, 3.0] * 5]
    assert len(calls) == 1


def test_keras_may_put_a_mask_on_them() -> None:
    value = masked()
    value._keras_mask = None
    del value._keras_mask
    with pytest.raises(AttributeError, match="Cannot mutate attribute `_keras_mask`"):
        tf.type_spec_from_value(value)._keras_mask = None


def test_specs_whose_values_are_tensors() -> None:
    ragged = tf.RaggedTensorSpec([None, 3], tf.float32, ragged_rank=0)
    assert Masked.Spec(ragged, tf.TensorSpec([2], tf.bool)).values == ragged
    assert Graph.Spec(ragged, "g").nodes == ragged
    with pytest.raises(TypeError):
        Masked.Spec(tf.RaggedTensorSpec([None, None]), tf.TensorSpec([2], tf.bool))
    assert (Masked.Spec.__name__, Masked.Spec.__qualname__) == ("Masked.Spec", "Masked.Spec")


# --- What functions of tf do with them


def test_families_of_functions() -> None:
    class Tagged(tf.experimental.ExtensionType):
        values: tf.Tensor
        tag: str

    @tf.experimental.dispatch_for_unary_elementwise_apis(Tagged)
    def unary(function: Any, x: Tagged) -> Tagged:
        return Tagged(function(x.values), x.tag)

    @tf.experimental.dispatch_for_binary_elementwise_apis(Tagged, Union[Tagged, tf.Tensor])  # noqa: UP007
    def binary(function: Any, x: Tagged, y: Any) -> Tagged:
        return Tagged(function(x.values, y.values if isinstance(y, Tagged) else y), x.tag)

    @tf.experimental.dispatch_for_binary_elementwise_assert_apis(Tagged, Tagged)
    def check(function: Any, x: Tagged, y: Tagged) -> Any:
        return function(x.values, y.values)

    value = Tagged([-1.0, 2.0], "a")
    assert tf.abs(value).values.numpy().tolist() == [1.0, 2.0]
    assert tf.cast(value, tf.int32).values.dtype is tf.int32
    assert tf.ones_like(value, dtype=tf.int64).values.numpy().tolist() == [1, 1]
    assert tf.nn.relu(value).values.numpy().tolist() == [0.0, 2.0]
    assert tf.add(value, value).values.numpy().tolist() == [-2.0, 4.0]
    assert tf.multiply(value, tf.constant(2.0)).values.numpy().tolist() == [-2.0, 4.0]
    tf.debugging.assert_equal(value, value)
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.debugging.assert_less(value, value)

    class Below(Tagged):
        more: int = 1

    assert tf.abs(Below([-1.0], "b")).tag == "b"
    for handler in (unary, binary, check):
        tf.experimental.unregister_dispatch_for(handler)
    with pytest.raises((TypeError, ValueError)):
        tf.abs(value)
    with pytest.raises(ValueError, match="was not registered"):
        tf.experimental.unregister_dispatch_for(unary)


def test_one_function() -> None:
    class Pair(tf.experimental.ExtensionType):
        first: tf.Tensor
        second: tf.Tensor

    @tf.experimental.dispatch_for_api(tf.stack)
    def stack(values: list[Pair], axis: int = 0) -> Pair:
        return Pair(
            tf.stack([value.first for value in values], axis),
            tf.stack([value.second for value in values], axis),
        )

    @tf.experimental.dispatch_for_api(tf.concat, {0: list[Pair]})
    def concat(values: Any, axis: Any) -> str:
        return "concatenated"

    both = tf.stack([Pair(1, 2), Pair(3, 4)])
    assert both.first.numpy().tolist() == [1, 3]
    assert tf.concat([both, both], 0) == "concatenated"
    assert tf.stack([1, 2]).numpy().tolist() == [1, 2]
    for target in (stack, concat):
        tf.experimental.unregister_dispatch_for(target)
    with pytest.raises(ValueError, match="does not match API's signature"):
        tf.experimental.dispatch_for_api(tf.stack, {"values": list[Pair]})(lambda other: other)
    with pytest.raises(ValueError, match="a parameter 'nothing'"):
        tf.experimental.dispatch_for_api(tf.abs, {"nothing": Pair})(lambda x: x)


# --- The protocol of composites that other libraries follow


class Interval(tf.__internal__.CompositeTensor):
    def __init__(self, low: Any, high: Any) -> None:
        self.low, self.high = tf.convert_to_tensor(low), tf.convert_to_tensor(high)

    @property
    def _type_spec(self) -> Any:
        return IntervalSpec(tf.TensorSpec(self.low.shape, self.low.dtype))


class IntervalSpec(tf.TypeSpec):
    def __init__(self, end: Any) -> None:
        self.end = end

    value_type = Interval

    def _serialize(self) -> Any:
        return (self.end,)

    @property
    def _component_specs(self) -> Any:
        return {"low": self.end, "high": self.end}

    def _to_components(self, value: Any) -> Any:
        return {"low": value.low, "high": value.high}

    def _from_components(self, components: Any) -> Any:
        return Interval(components["low"], components["high"])


def test_composites_by_their_specs() -> None:
    value = Interval([1.0], [2.0])
    assert [part.numpy().tolist() for part in tf.nest.flatten(value, expand_composites=True)] == [
        [2.0],
        [1.0],
    ]
    doubled = tf.nest.map_structure(lambda x: 2 * x, value, expand_composites=True)
    assert isinstance(doubled, Interval)
    assert doubled.high.numpy().tolist() == [4.0]
    spec = tf.type_spec_from_value(value)
    assert spec == IntervalSpec(tf.TensorSpec([1]))
    assert hash(spec) == hash(IntervalSpec(tf.TensorSpec([1])))
    wider = spec.most_specific_compatible_type(IntervalSpec(tf.TensorSpec([2])))
    assert wider.end.shape.as_list() == [None]
    assert wider.is_compatible_with(value)
    assert repr(spec) == "IntervalSpec(TensorSpec(shape=(1,), dtype=tf.float32, name=None),)"
    assert pickle.loads(pickle.dumps(spec)) == spec
    assert tf.function(lambda x: x.low + x.high)(value).numpy().tolist() == [3.0]
    with pytest.raises(ValueError, match="No spec covers both"):
        spec.most_specific_compatible_type(tf.TensorSpec([1]))


# What TensorFlow 2.21 replaces together, but for names of its first version.
DISPATCHED = {
    "unary": """
        bitwise.invert cast clip_by_value debugging.check_numerics dtypes.saturate_cast
        image.adjust_brightness image.adjust_gamma image.convert_image_dtype
        image.random_brightness image.stateless_random_brightness io.decode_base64
        io.decode_compressed io.encode_base64 math.abs math.acos math.acosh math.angle math.asin
        math.asinh math.atan math.atanh math.bessel_i0 math.bessel_i0e math.bessel_i1
        math.bessel_i1e math.ceil math.conj math.cos math.cosh math.digamma math.erf math.erfc
        math.erfcinv math.erfinv math.exp math.expm1 math.floor math.imag math.is_finite
        math.is_inf math.is_nan math.lgamma math.log math.log1p math.log_sigmoid
        math.logical_not math.ndtri math.negative math.nextafter math.real math.reciprocal
        math.reciprocal_no_nan math.rint math.round math.rsqrt math.sigmoid math.sign math.sin
        math.sinh math.softplus math.special.bessel_j0 math.special.bessel_j1
        math.special.bessel_k0 math.special.bessel_k0e math.special.bessel_k1
        math.special.bessel_k1e math.special.bessel_y0 math.special.bessel_y1 math.special.dawsn
        math.special.expint math.special.fresnel_cos math.special.fresnel_sin
        math.special.spence math.sqrt math.square math.tan math.tanh nn.elu nn.gelu
        nn.leaky_relu nn.log_softmax nn.relu nn.relu6 nn.selu nn.silu nn.softsign ones_like
        strings.as_string strings.length strings.lower strings.regex_full_match
        strings.regex_replace strings.strip strings.substr strings.to_hash_bucket
        strings.to_hash_bucket_fast strings.to_hash_bucket_strong strings.to_number
        strings.unicode_script strings.unicode_transcode strings.upper zeros_like
    """,
    "binary": """
        bitwise.bitwise_and bitwise.bitwise_or bitwise.bitwise_xor bitwise.left_shift
        bitwise.right_shift dtypes.complex math.add math.atan2 math.divide math.divide_no_nan
        math.equal math.floordiv math.floormod math.greater math.greater_equal math.less
        math.less_equal math.logical_and math.logical_or math.logical_xor math.maximum
        math.minimum math.multiply math.multiply_no_nan math.not_equal math.pow math.scalar_mul
        math.squared_difference math.subtract math.truediv math.xdivy math.xlog1py math.xlogy
        math.zeta nn.sigmoid_cross_entropy_with_logits realdiv truncatediv truncatemod
    """,
    "assertion": """
        debugging.assert_equal debugging.assert_greater debugging.assert_greater_equal
        debugging.assert_less debugging.assert_less_equal debugging.assert_near
        debugging.assert_none_equal
    """,
}


@pytest.mark.parametrize("family", DISPATCHED)
def test_functions_that_are_replaced_together_are_those_of_tensorflow(family: str) -> None:
    expected = {attrgetter(name)(tf): name for name in DISPATCHED[family].split()}
    found = dispatch.functions_of(family)
    assert {function.__name__ for function in found if function not in expected} == set()
    assert {name for function, name in expected.items() if function not in found} == set()
