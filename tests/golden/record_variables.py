"""Records what TensorFlow's variables do: golden/variables.json.gz.

Run it where TensorFlow is installed: ``python tests/golden/record_variables.py``.
"""

import pathlib
import sys

V = "v = tf.Variable([1.0, 2.0]); "
V3 = "v = tf.Variable([1.0, 2.0, 3.0]); "
M = "v = tf.Variable([[1.0, 2.0], [3.0, 4.0]]); "
N = "v = tf.Variable([1, 2, 3]); "


def slices(values, indices, **more):
    extra = "".join(f", {name}={value}" for name, value in more.items())
    return f"tf.IndexedSlices(tf.constant({values}), tf.constant({indices}){extra})"


def made():
    """Constructors: each as its repr, or the error."""
    for arguments in """
        1.0
        1
        True
        'abc'
        1+2j
        [1.0, 2.0], name='x'
        [[1, 2], [3, 4]], dtype=tf.int64
        ['a', 'b']
        []
        tf.zeros([0, 2])
        np.arange(2000.0)
        np.float64(2.0)
        1.5, dtype=tf.bfloat16
        1.0, name='a b'
        1.0, name='a/b'
        1.0, name=''
        1.0, name='k:0'
        1.0, name=3
        [1, 2], dtype=tf.float32
        [1, 2], dtype='float64'
        np.array([1.0, 2.0]), dtype=tf.float32
        tf.constant(1.0), dtype=tf.float64
        1.5, dtype=tf.int32
        lambda: tf.ones([2])
        lambda: 3
        lambda: [1, 2], dtype=tf.float32
        lambda x: 3
        lambda: tf.ones([2]), dtype=tf.float64
        tf.Variable(3.0, name='inner')
        lambda: tf.Variable(3.0)
        [1, 'a']
        [[1], [2, 3]]
        {}
        object()
        None
        1.0, validate_shape=False
        [1.0, 2.0], shape=[2]
        [1.0, 2.0], shape=2
        [1.0, 2.0], shape=[None], name='z'
        [1.0, 2.0], shape=tf.TensorShape(None)
        [1.0, 2.0], shape=[3]
        [1.0, 2.0], shape=[None, None]
        [1.0, 2.0], shape=()
        [1.0, 2.0], shape=[3], validate_shape=False
        1.0, caching_device='cpu'
        1.0, variable_def=1
        1.0, import_scope='s'
        1.0, constraint=3
        1.0, synchronization=tf.VariableSynchronization.ON_READ
        1.0, aggregation=tf.VariableAggregation.MEAN
        1.0, experimental_enable_variable_lifting=False
        tf.ones([2]), False, True, None, 'p', None, tf.float32
    """.strip().splitlines():
        yield f"repr(tf.Variable({arguments.strip()}))"
    yield "tf.Variable()"
    yield "tf.Variable(variable_def='x')"


def asked():
    """What a variable says of itself, and where it refuses."""
    for expression in """
        v.name
        v.shape.as_list()
        v.get_shape().as_list()
        v.dtype.name
        v.trainable
        v.device
        v.constraint
        v.initializer
        str(v.synchronization)
        str(v.aggregation)
        v.numpy()
        v.value()
        v.read_value()
        v.is_initialized()
        v.ref() == v.ref()
        v.ref() == tf.Variable([1.0, 2.0]).ref()
        v.ref().deref() is v
        hash(v.ref()) == hash(v.ref())
        repr(v.ref())
        hash(v)
        {v: 1}
        v == v
        v == tf.Variable([1.0, 3.0])
        v == [1.0, 2.0]
        v == [1.0, 2.0, 3.0]
        v != [1.0, 2.0, 3.0]
        v == 'a'
        v < 2
        1.0 in v
        len(v)
        list(v)
        bool(v)
        int(v)
        float(v)
        v[0]
        v[5]
        v['a']
        v[0:1]
        f"{v:.2f}"
        f"{v}"
        str(v)
        v.op
        v.graph
        v.T
        v.ndim
        v.foo
        v.initial_value
        v.set_shape([2])
        v.set_shape([3])
        v.gather_nd([[0], [1]])
        v.gather_nd([[5]])
        v.sparse_read([0, 1, 0])
        v.sparse_read(1)
        v.sparse_read([5])
        v.sparse_read([-1])
        v.sparse_read([1.0])
        v.count_up_to(3)
        v + 1
        1 - v
        -v
        v ** 2
        v @ v
        v + [1.0, 2.0, 3.0]
        v * np.array([3.0, 4.0])
        np.array([3.0, 4.0]) * v
        np.asarray(v)
        np.mean(v)
        tf.convert_to_tensor(v)
        tf.convert_to_tensor(v, dtype=tf.float64)
        tf.stack([v, v])
        tf.is_tensor(v)
        isinstance(v, tf.Tensor)
        isinstance(v, tf.Variable)
        type(v).__name__
        v(1)
    """.strip().splitlines():
        yield V + expression.strip()
    for statement, expression in (
        ("v += 1", "v"), ("v -= 1", "v"), ("v *= 2", "v"), ("v /= 2", "v"), ("v **= 2", "v"),
        ("v[0] = 3", "v"), ("del v[0]", "v"), ("v.shape = 3", "v"), ("v.name = 'x'", "v"),
        ("v.trainable = False", "v"), ("v.extra = 3", "v.extra"),
    ):  # fmt: skip
        yield f"{V}{statement}; {expression}"
    yield "tf.Variable(1.0, trainable=False).trainable"
    yield "tf.Variable(1.0, synchronization=tf.VariableSynchronization.ON_READ).trainable"
    yield "tf.Variable(1.0, synchronization=tf.VariableSynchronization.ON_READ, trainable=True).trainable"
    yield "[repr(x) for x in tf.VariableSynchronization]"
    yield "[repr(x) for x in tf.VariableAggregation]"
    yield "[int(tf.Variable(2.7)), float(tf.Variable(2)), bool(tf.Variable(1.0)), bool(tf.Variable([]))]"
    yield "v = tf.Variable([1.0, 2.0], shape=[None]); v.set_shape([2]); v.shape.as_list()"
    yield "v = tf.Variable(1); [v.count_up_to(3), v.count_up_to(3)]"
    yield "v = tf.Variable(3); v.count_up_to(3)"
    yield "v = tf.Variable(3.0); len(v)"
    yield "v = tf.Variable(3.0); list(v)"
    yield "v = tf.Variable(1); v + 1.5"
    scope = (
        "s = tf.name_scope('a'); p = s.__enter__(); {}; q = s.__exit__(None, None, None); w.name"
    )
    yield scope.format("w = tf.Variable(1.0)")


def assigned():
    for call in """
        assign([3.0, 4.0])
        assign([3.0, 4.0], use_locking=True, name='q')
        assign([3.0, 4.0], read_value=False)
        assign(value=[3.0, 4.0])
        assign([3, 4])
        assign(np.array([3.0, 4.0]))
        assign(np.array([3, 4]))
        assign(tf.Variable([5.0, 6.0]))
        assign(v)
        assign([3.0, 4.0, 5.0])
        assign(3.0)
        assign([[3.0, 4.0]])
        assign(tf.constant([3, 4]))
        assign(tf.constant([3.0, 4.0], tf.float64))
        assign('a')
        assign(None)
        assign_add([3.0, 4.0])
        assign_add([3, 4])
        assign_add(v)
        assign_add(delta=[3.0, 4.0])
        assign_add(value=[3.0, 4.0])
        assign_add([3.0, 4.0], read_value=False)
        assign_add(1.0)
        assign_add([1.0, 1.0, 1.0])
        assign_add(tf.constant([1, 1]))
        assign_sub([3.0, 4.0])
        assign_sub(v)
        assign_sub(1.0)
        assign([1.0, 2.0]).assign([3.0, 4.0]).assign_sub([1.0, 1.0])
        assign([3.0, 4.0]) + 1
        assign([3.0, 4.0]).name
        assign([3.0, 4.0]).shape.as_list()
        assign_add([1.0, 1.0]).numpy()
    """.strip().splitlines():
        yield f"{V}v.{call.strip()}"
    yield V + "repr(v.assign([3.0, 4.0]))"
    yield V + "a = v.assign([3.0, 4.0]); v.assign([5.0, 6.0]); a"
    yield V + "a = v.assign([3.0, 4.0]); a.assign_add([1.0, 1.0]); v"
    yield V + "v.assign(" + slices([9.0], [0]) + ")"
    yield V + "v.assign(" + slices([9.0], [0], dense_shape="tf.constant([2])") + ")"
    yield V + "v.assign_add(" + slices([9.0], [0], dense_shape="tf.constant([2])") + ")"
    yield V + "v.assign_sub(" + slices([9.0], [0], dense_shape="tf.constant([2])") + ")"
    yield N + "v.assign([3.0, 4.0, 5.0])"
    yield N + "v.assign(np.array([3.0, 4.0, 5.0]))"
    yield "v = tf.Variable('a'); v.assign('b')"
    yield "v = tf.Variable('a'); v.assign_add('b')"
    yield "v = tf.Variable(True); v.assign_add(True)"
    yield "v = tf.Variable(1+1j); v.assign_add(1j)"
    yield "v = tf.Variable(250, dtype=tf.uint8); v.assign_add(10)"
    yield "v = tf.Variable(1.0, dtype=tf.float16); v.assign_add(1)"
    yield "v = tf.Variable(1.0, dtype=tf.bfloat16); v.assign_sub(0.5)"
    for shape, call in (
        ("[None]", "assign([1.0, 2.0, 3.0])"), ("[None]", "assign([[1.0, 2.0]])"),
        ("[None]", "assign_add([1.0, 2.0, 3.0])"), ("[None]", "assign_add(1.0)"),
        ("tf.TensorShape(None)", "assign([[1.0, 2.0, 3.0]])"),
        ("tf.TensorShape(None)", "assign_add([[1.0, 2.0]])"),
    ):  # fmt: skip
        yield f"v = tf.Variable([1.0, 2.0], shape={shape}); v.{call}"


def assigned_in_part():
    for call in """
        v[0].assign([9.0, 8.0])
        v[0].assign(9.0)
        v[0].assign([9.0, 9.0, 9.0])
        v[0, 1].assign(9.0)
        v[0, 1].assign([9.0])
        v[:, 1].assign([8.0, 9.0])
        v[:, 1:].assign([[8.0], [9.0]])
        v[...].assign([[8.0, 1.0], [2.0, 3.0]])
        v[..., 0].assign([8.0, 1.0])
        v[::-1].assign([[8.0, 1.0], [2.0, 3.0]])
        v[-1].assign([1.0, 2.0])
        v[tf.newaxis].assign([[[8.0, 1.0], [2.0, 3.0]]])
        v[0:0].assign(tf.zeros([0, 2]))
        v[tf.constant(0)].assign([5.0, 6.0])
        v[0].assign([1, 2])
        v[0].assign(tf.constant([1, 2]))
        v[0].assign(tf.constant([1.0, 2.0], tf.float64))
        v[5].assign([1.0, 2.0])
        v[0].assign([5.0, 6.0], use_locking=True)
        v[1:].assign(v[:1])
        repr(v[0].assign(7.0))
    """.strip().splitlines():
        yield M + call.strip()
    yield M + "x = v[0]; v.assign(v * 2); x"
    yield M + "x = v[0]; v[0].assign(7.0); x"


def scattered():
    for method in "add sub max min mul update".split():
        for values, indices in (
            ([10.0, 20.0], [0, 2]), ([10.0, -20.0, 30.0], [0, 2, 0]), (5.0, 1), (5.0, [1, 2]),
            ([10.0], [3]), ([10.0], [-1]), ([10], [0]), ([1.0, 2.0, 3.0], [0, 1]), ([1.0], [0.0]),
        ):  # fmt: skip
            yield f"{V3}v.scatter_{method}({slices(values, indices)})"
        yield f"{M}v.scatter_{method}({slices([[5.0, -1.0]], [1])})"
        yield f"{M}v.scatter_{method}({slices([[5.0, -1.0], [2.0, 2.0]], [1, 1])})"
        yield f"{M}v.scatter_{method}({slices([1.0], [1])})"
        yield f"{M}v.scatter_{method}({slices(1.0, [0, 1])})"
        yield f"{M}v.scatter_{method}({slices([[[1.0, 2.0], [5.0, 6.0]]], [[0, 1]])})"
        yield f"{N}v.scatter_{method}({slices([2, 7], [1, 1])})"
        yield f"v = tf.Variable(1.0); v.scatter_{method}({slices([1.0], [0])})"
        yield f"v = tf.Variable([True, False]); v.scatter_{method}({slices([False], [0])})"
        yield f"v = tf.Variable(['a', 'b']); v.scatter_{method}({slices(['c'], [0])})"
        yield f"{V3}v.scatter_{method}(tf.constant([1.0]))"
        yield f"{V3}v.scatter_{method}(tf.IndexedSlices([1.0], [0]))"
    yield f"{V3}v.scatter_div({slices([2.0, 4.0], [0, 2])})"
    yield f"{V3}v.scatter_div({slices([2.0, 4.0], [0, 0])})"
    yield f"{V3}v.scatter_div({slices([2.0, 0.0], [0, 2])})"
    yield f"v = tf.Variable([7, -7, 9]); v.scatter_div({slices([2, 2, 3, 2], [0, 1, 2, 2])})"
    yield f"{N}v.scatter_div({slices([2, 0], [1, 2])})"
    yield f"{V3}v.scatter_add(tf.IndexedSlices(tf.constant([1.0]), tf.constant([0], tf.int64)))"
    yield f"{V3}v.scatter_add(tf.IndexedSlices(tf.constant([1.0]), tf.constant([0], tf.int8)))"
    for method in "add sub max min update".split():
        for arguments in (
            "[[0], [2]], [10.0, 20.0]", "[[0], [0]], [10.0, -20.0]", "[[3]], [10.0]", "[[-1]], [10.0]",
            "[0], [10.0]", "[[0, 1]], [10.0]", "[[0]], [10.0, 2.0]", "[[0]], [10]",
            "[[0]], tf.constant([10])", "[[0.0]], [10.0]", "1, [10.0]", "[[0]], 10.0",
        ):  # fmt: skip
            yield f"{V3}v.scatter_nd_{method}({arguments})"
        for arguments in (
            "[[0]], [[8.0, 9.0]]", "[[0, 1]], [9.0]", "[[[0, 1]]], [[9.0]]", "[[0, 1], [0, 1]], [9.0, -3.0]",
            "tf.zeros([0, 1], tf.int32), tf.zeros([0, 2])", "[[1, 2]], [9.0]",
        ):  # fmt: skip
            yield f"{M}v.scatter_nd_{method}({arguments})"
    for update in (
        slices([[9.0], [8.0]], [[0], [1]]), slices([9.0, 8.0], [0, 1]), slices([[9.0]], [[0]]),
        "tf.constant(1.0)",
    ):  # fmt: skip
        yield f"{M}v.batch_scatter_update({update})"
    yield f"{V}v.batch_scatter_update({slices([9.0, 8.0], [0, 1])})"


def read_before():
    """A value read before an assignment never changes."""
    for change in (
        "v.assign([5.0, 6.0])", "v.assign_add([1.0, 1.0])", "v.assign_sub([1.0, 1.0])", "v[0].assign(9.0)",
        f"v.scatter_add({slices([9.0], [0])})", "v.scatter_nd_update([[0]], [9.0])",
    ):  # fmt: skip
        for read in ("v.value()", "v.read_value()", "np.asarray(v)", "v.numpy()", "v[:]",
                     "tf.convert_to_tensor(v)", "tf.identity(v)", "tf.reshape(v, [2, 1])"):  # fmt: skip
            yield f"{V}a = {read}; {change}; a"
    yield V + "x = tf.constant([5.0, 6.0]); v.assign(x); v.assign_add([1.0, 1.0]); x"
    yield "x = tf.constant([5.0, 6.0]); v = tf.Variable(x); v.assign_add([1.0, 1.0]); x"
    yield "a = np.array([5.0, 6.0], np.float32); v = tf.Variable(a); a[0] = 1.0; v"
    yield V + "a = np.array([5.0, 6.0], np.float32); v.assign(a); a[0] = 1.0; v"
    yield V + "a = v.numpy(); a[0] = 9.0; v"
    yield V + "w = tf.Variable(v); v.assign([5.0, 5.0]); w"
    yield V + "w = tf.Variable([0.0, 0.0]); w.assign(v); v.assign_add([5.0, 5.0]); w"


def raw():
    for call in """
        ReadVariableOp(resource=v.handle, dtype=tf.float32)
        AssignVariableOp(resource=v.handle, value=tf.constant([5.0, 6.0]))
        AssignAddVariableOp(resource=v.handle, value=tf.constant([5.0, 6.0]))
        AssignSubVariableOp(resource=v.handle, value=tf.constant([5.0, 6.0]))
        ResourceGather(resource=v.handle, indices=[1], dtype=tf.float32)
        ResourceGatherNd(resource=v.handle, indices=[[1]], dtype=tf.float32)
        VarIsInitializedOp(resource=v.handle)
        VariableShape(input=v.handle)
        ResourceScatterAdd(resource=v.handle, indices=[1, 1], updates=tf.constant([3.0, 4.0]))
        ResourceScatterNdUpdate(ref=v.handle, indices=[[1]], updates=tf.constant([3.0]))
        ResourceStridedSliceAssign(ref=v.handle, begin=[0], end=[1], strides=[1], value=tf.constant([7.0]))
    """.strip().splitlines():
        yield f"{V}tf.raw_ops.{call.strip()}"


def programs():
    for family in (made, asked, assigned, assigned_in_part, scattered, read_before, raw):
        yield from family()


if __name__ == "__main__":
    sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
    from golden.programs import record

    record("variables", programs())
