"""`tf.Module` and name scopes: what is found, in which order, under which names. TensorFlow's answers."""

import collections
import copy
import pickle
import threading

import numpy as np
import pytest

import tapegrad as tf
from tapegrad.framework.names import current_scope


class Plain(tf.Module):
    pass


class Layer(tf.Module):
    def __init__(self, name=None):
        super().__init__(name=name)
        self.w = tf.Variable(1.0, name="w")
        with self.name_scope:
            self.b = tf.Variable(2.0, name="b")

    @tf.Module.with_name_scope
    def __call__(self, x):
        """Makes a variable at the first call."""
        if not hasattr(self, "late"):
            self.late = tf.Variable(3.0, name="late")
        return x * self.late


class Network(tf.Module):
    def __init__(self):
        super().__init__("net")
        self.z = [
            Layer("l0"),
            (Layer("l1"), {"k": Layer("l2"), "a": tf.Variable(1.0, name="dv")}),
        ]
        self.a = tf.Variable(0, trainable=False, name="aa")
        with self.name_scope:
            self.inner = Layer()


def names(values):
    return [value.name for value in values]


@pytest.mark.parametrize(
    ("class_name", "name"),
    [
        ("MLP", "mlp"),
        ("MyHTTPServer2", "my_http_server2"),
        ("_Foo", "__foo"),
        ("__Foo", "___foo"),
        ("Conv2DTranspose", "conv2_d_transpose"),
        ("lower", "lower"),
        ("ABCDef", "abc_def"),
        ("Foo_Bar", "foo__bar"),
        ("A", "a"),
        ("AB1C", "ab1_c"),
        ("X2", "x2"),
        ("É", "é"),
    ],
)
def test_the_name_of_a_class_in_snake_case(class_name, name):
    assert type(class_name, (tf.Module,), {})().name == name


def test_names_given():
    assert Plain(name="Abc_1").name == "Abc_1"
    assert Plain(name="in").name == "in"
    for name in ("x y", "1x", "x.y", "x/y", "", "é"):
        with pytest.raises(ValueError, match="is not a valid module name"):
            Plain(name=name)
    with pytest.raises(TypeError, match="must be a string; 3 came, a int"):
        Plain(name=3)


def test_without_the_base_constructor_there_is_no_name():
    class Careless(tf.Module):
        def __init__(self):
            self.v = tf.Variable(1.0, name="v")

    module = Careless()
    assert names(module.variables) == ["v:0"]
    with pytest.raises(AttributeError):
        module.name  # noqa: B018
    with pytest.raises(AttributeError):
        module.name_scope  # noqa: B018


def test_order_of_variables_and_submodules():
    net = Network()
    assert names(net.variables) == [
        "aa:0", "dv:0", "net/layer/b:0", "net/w:0", "l0/b:0", "w:0", "l1/b:0", "w:0", "l2/b:0", "w:0",
    ]  # fmt: skip
    assert names(net.trainable_variables) == names(net.variables)[1:]
    assert names(net.non_trainable_variables) == ["aa:0"]
    assert names(net.submodules) == ["layer", "l0", "l1", "l2"]
    assert [module.name_scope.name for module in net.submodules] == [
        "net/layer/", "l0/", "l1/", "l2/",
    ]  # fmt: skip
    assert isinstance(net.variables, tuple)
    assert isinstance(net.submodules, tuple)


def test_each_object_counts_once():
    net = Network()
    before = names(net.variables)
    net.myself, net.again, net.alias = net, net.inner, net.a
    assert names(net.variables) == before
    assert names(net.submodules) == ["layer", "l0", "l1", "l2"]


def test_modules_in_a_circle():
    outer, inner = Plain("outer"), Plain("inner")
    outer.inner, inner.outer = inner, outer
    assert names(outer.submodules) == ["inner"]
    assert names(inner.submodules) == ["outer"]


def test_variables_made_late_are_found():
    layer = Layer()
    assert names(layer.variables) == ["layer/b:0", "w:0"]
    assert layer(tf.constant(2.0)).numpy() == 6.0
    assert names(layer.variables) == ["layer/b:0", "layer/late:0", "w:0"]
    layer.extra = [[tf.Variable(1.0, name="deep")]]
    assert names(layer.variables)[1] == "deep:0"


def test_attributes_sort_by_name_and_capitals_come_first():
    module = Plain()
    module.b, module.Z = tf.Variable(1.0, name="b"), tf.Variable(1.0, name="Z")
    module.a = Plain("sub")
    module.a.q = tf.Variable(1.0, name="q")
    assert names(module.variables) == ["Z:0", "b:0", "q:0"]


def test_lists_keep_their_order_and_dicts_sort():
    module = Plain()
    module.list = [tf.Variable(1.0, name=str(i)) for i in range(12)]
    assert names(module.variables) == [f"{i}:0" for i in range(12)]
    pair = {"b": tf.Variable(1.0, name="b"), "a": tf.Variable(2.0, name="a")}
    for holder in (pair, collections.OrderedDict(pair)):
        module.list = holder
        assert names(module.variables) == ["a:0", "b:0"]


def test_keys_that_cannot_be_sorted_name_the_attribute():
    module = Plain()
    module.x = {2: tf.Variable(1.0), "a": tf.Variable(2.0)}
    with pytest.raises(
        ValueError, match="The attribute 'x' of the Plain named 'plain' cannot be searched"
    ):
        module.variables  # noqa: B018


def test_what_is_not_searched():
    class Other:
        def __init__(self):
            self.v = tf.Variable(3.0)

    class Mixed(tf.Module):
        v = tf.Variable(1.0)  # of the class, not of the object

        @property
        def broken(self):
            raise RuntimeError("properties are not read")

    module = Mixed()
    module.other, module.set, module.array = Other(), {1, 2}, np.array(3)
    module.tensor = tf.constant(1)
    assert module.variables == ()


def test_ignored_properties():
    class Picky(tf.Module):
        _TF_MODULE_IGNORED_PROPERTIES = frozenset(["skip"]).union(
            tf.Module._TF_MODULE_IGNORED_PROPERTIES
        )

        def __init__(self):
            super().__init__()
            self.skip, self.keep = tf.Variable(1.0, name="skip"), tf.Variable(1.0, name="keep")

    assert names(Picky().variables) == ["keep:0"]


def test_flatten_with_paths_and_predicates():
    net = Network()

    def is_variable(value):
        return isinstance(value, tf.Variable)

    found = dict(net._flatten(predicate=is_variable, with_path=True))
    assert list(found) == [
        ("a",), ("z", 1, 1, "a"), ("inner", "b"), ("inner", "w"), ("z", 0, "b"), ("z", 0, "w"),
        ("z", 1, 0, "b"), ("z", 1, 0, "w"), ("z", 1, 1, "k", "b"), ("z", 1, 1, "k", "w"),
    ]  # fmt: skip
    assert names(net._flatten(recursive=False, predicate=is_variable)) == ["aa:0", "dv:0"]
    backwards = net._flatten(
        recursive=False, predicate=is_variable, attribute_traversal_key=lambda name: -ord(name[0])
    )
    assert names(backwards) == ["dv:0", "aa:0"]


def test_properties_may_be_overridden():
    class Fixed(tf.Module):
        @property
        def variables(self):
            return (1,)

    assert Fixed().variables == (1,)
    assert Fixed().trainable_variables == ()


def test_with_name_scope_keeps_the_method():
    assert Layer.__call__.__doc__ == "Makes a variable at the first call."
    assert Layer.__call__.__name__ == "__call__"
    assert hasattr(Layer.__call__, "__wrapped__")


def test_module_copies():
    layer = Layer()
    for again in (copy.deepcopy(layer), pickle.loads(pickle.dumps(layer))):
        assert again.name == "layer"
        assert names(again.variables) == names(layer.variables)
        assert again.b is not layer.b
        again.b.assign(7.0)
        assert layer.b.numpy() == 2.0
        with again.name_scope:
            assert current_scope() == "layer/"


def test_scope_closes_after_a_constructor_that_fails():
    class Failing(tf.Module):
        def __init__(self):
            super().__init__()
            with self.name_scope:
                raise RuntimeError("no")

    with pytest.raises(RuntimeError):
        Failing()
    assert tf.Variable(1.0, name="after").name == "after:0"


def test_modules_made_in_a_scope():
    with tf.name_scope("q"):
        module = Plain("inside")
    assert (module.name, module.name_scope.name) == ("inside", "q/inside/")
    with module.name_scope as scope, module.name_scope:
        assert scope == "q/inside/"
        assert tf.Variable(1.0, name="z").name == "q/inside/z:0"


def test_name_scopes():
    with tf.name_scope("a"):
        with tf.name_scope("b") as scope:
            assert tf.Variable(1.0, name="z").name == "a/b/z:0"
            assert tf.Variable(1.0).name == "a/b/Variable:0"
        assert scope == "a/b/"
        with tf.name_scope("c/") as whole, tf.name_scope("d"):
            assert whole == "c/"
            assert tf.Variable(1.0, name="z").name == "c/d/z:0"
        with tf.name_scope("") as none:
            assert none == ""
            assert tf.Variable(1.0, name="z").name == "z:0"
        with tf.init_scope():
            assert tf.Variable(1.0, name="z").name == "a/z:0"
    with tf.name_scope("a b"):
        assert tf.Variable(1.0, name="z").name == "a b/z:0"
    assert tf.Variable(1.0, name="z").name == "z:0"


def test_a_name_scope_can_be_entered_within_itself():
    scope = tf.name_scope("rr")
    assert scope.name == "rr"
    with scope as first, scope as second:
        assert (first, second) == ("rr/", "rr/rr/")
    assert current_scope() == ""


@pytest.mark.parametrize("name", [3, None, b"a"])
def test_name_scope_takes_strings(name):
    with pytest.raises(ValueError, match="must be a string"):
        tf.name_scope(name)


def test_threads_have_scopes_of_their_own():
    seen = []
    with tf.name_scope("here"):
        thread = threading.Thread(target=lambda: seen.append(current_scope()))
        thread.start()
        thread.join()
    assert seen == [""]


def test_init_scope_stops_all_recording():
    x = tf.Variable(2.0)
    with tf.GradientTape() as outer, tf.init_scope() as nothing, tf.GradientTape() as inner:
        y = x * x
    assert nothing is None
    assert outer.gradient(y, x) is None
    assert inner.gradient(y, x) is None


def test_control_dependencies():
    called = []
    with tf.control_dependencies([1, tf.constant(2), lambda: called.append(True)]) as nothing:
        assert called == [True]
    assert nothing is None
    with tf.control_dependencies(None):
        pass
    with pytest.raises(TypeError):
        tf.control_dependencies(3)


def test_eager_execution_is_all_there_is():
    assert tf.executing_eagerly() is True
    assert tf.enable_eager_execution(config=None, device_policy=None) is None


def test_a_module_that_keeps_a_class_of_modules_is_printed():
    module = tf.Module()
    module.made_of = tf.Module
    module.weight = tf.Variable(1.0)
    assert str(module).splitlines()[1:] == ["└─ weight: float32 ()"]
