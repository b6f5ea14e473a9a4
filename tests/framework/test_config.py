"""`tf.config`, `tf.device`, warnings and `tf.function`."""

import copy
import functools
import inspect
import logging
import pickle
import subprocess
import sys

import numpy as np
import pytest

import tapegrad as tf

CPU = "/job:localhost/replica:0/task:0/device:CPU:0"


def device_of(name):
    with tf.device(name) as nothing:
        assert nothing is None
        devices = {tf.constant(1.0).device, (tf.constant(1.0) + 1).device, tf.Variable(1.0).device}
    (found,) = devices
    return found


@pytest.fixture
def hard_placement():
    tf.config.set_soft_device_placement(False)
    yield
    tf.config.set_soft_device_placement(True)


@pytest.mark.parametrize(
    "name",
    [
        None, "", "//", "CPU:0", "cpu:0", "cpu", "/CPU:0", "/cpu:0", "/device:CPU:0", "/device:CPU:*", CPU,
        "/job:localhost", "/job:localhost/task:0", "/job:localhost/device:GPU:0", "GPU:0", "/gpu:1",
        "/device:GPU:7", "gpu", "TPU:0", "CPU:1", "/CPU:99", "/device:FOO:0",
    ],
)  # fmt: skip
def test_every_device_is_the_cpu(name):
    assert device_of(name) == CPU


@pytest.mark.parametrize(
    "name",
    [
        3, b"CPU:0", "foo", "/foo:0", "FOO:0", "cuda:0", "mps", "CPU:x", "CPU:", "/device:CPU", "/device:",
        "cpu:0/foo", "/CPU:0/GPU:0", "/replica:x", "@", "/physical_device:CPU:0",
    ],
)  # fmt: skip
def test_names_that_cannot_be_read(name):
    unused = tf.device(name)
    with pytest.raises(ValueError, match="device"), unused:
        pass


@pytest.mark.parametrize(
    "name", ["/job:worker/task:1", "/task:3", "/replica:1", "/job:a b", "/job:", "GPU:-1"]
)
def test_devices_that_cannot_exist(name):
    with pytest.raises(tf.errors.InvalidArgumentError), tf.device(name):
        pass


def test_device_takes_no_functions():
    with pytest.raises(RuntimeError, match="functions that choose"):
        tf.device(lambda op: "CPU:0")


def test_device_takes_what_the_config_lists():
    (logical,) = tf.config.list_logical_devices()
    assert device_of(logical) == CPU
    assert device_of(logical.name) == CPU


def test_devices_nest_and_are_left_after_an_error():
    device = tf.device("CPU:0")
    with device, device, tf.device("GPU:0"), tf.device(None):
        assert tf.constant(1).device == CPU
    with pytest.raises(KeyError), tf.device("CPU:0"):
        raise KeyError


def test_hard_placement(hard_placement):
    assert tf.config.get_soft_device_placement() is False
    assert device_of("CPU:0") == CPU
    with pytest.raises(tf.errors.InvalidArgumentError, match="'GPU:0' does not exist"):
        device_of("GPU:0")


def test_soft_placement_takes_bools():
    assert tf.config.get_soft_device_placement() is True
    with pytest.raises(TypeError, match=r"set_soft_device_placement\(\) takes True or False; 'a'"):
        tf.config.set_soft_device_placement("a")


def test_there_is_one_cpu():
    (device,) = tf.config.list_physical_devices()
    assert repr(device) == "PhysicalDevice(name='/physical_device:CPU:0', device_type='CPU')"
    assert (device.name, device.device_type) == tuple(device)
    assert isinstance(device, tf.config.PhysicalDevice)
    assert tf.config.list_physical_devices("CPU") == [device]
    for device_type in ("GPU", "TPU", "cpu", 3):
        assert tf.config.list_physical_devices(device_type) == []
    assert repr(tf.config.list_logical_devices()) == (
        "[LogicalDevice(name='/device:CPU:0', device_type='CPU')]"
    )
    assert tf.config.list_logical_devices("GPU") == []
    assert tf.config.experimental.list_physical_devices("GPU") == []


def test_visible_devices():
    (cpu,) = tf.config.get_visible_devices()
    assert tf.config.get_visible_devices("GPU") == []
    tf.config.set_visible_devices([], "GPU")
    tf.config.set_visible_devices(cpu, "CPU")
    tf.config.set_visible_devices([cpu])
    with pytest.raises(RuntimeError, match="cannot be hidden"):
        tf.config.set_visible_devices([], "CPU")
    with pytest.raises(ValueError, match="Unrecognized device: 'x'"):
        tf.config.set_visible_devices("x")
    with pytest.raises(ValueError, match="Unrecognized device: PhysicalDevice"):
        tf.config.set_visible_devices([cpu], "GPU")


def test_memory_growth_is_for_gpus():
    (cpu,) = tf.config.list_physical_devices()
    with pytest.raises(ValueError, match="setting of GPUs"):
        tf.config.experimental.set_memory_growth(cpu, True)
    with pytest.raises(KeyError, match=r"PhysicalDevice\(name='/physical_device:CPU:0',"):
        tf.config.experimental.get_memory_growth(cpu)
    for gpu in tf.config.list_physical_devices("GPU"):  # how programs call it
        tf.config.experimental.set_memory_growth(gpu, True)


def test_the_cpu_is_divided_into_logical_devices():
    (cpu,) = tf.config.list_physical_devices()
    one = tf.config.LogicalDeviceConfiguration()
    assert repr(one) == (
        "LogicalDeviceConfiguration(memory_limit=None, experimental_priority=None, "
        "experimental_device_ordinal=None)"
    )
    limited = tf.config.LogicalDeviceConfiguration(memory_limit=10)
    with pytest.raises(ValueError, match="memory limit on CPU"):
        tf.config.set_logical_device_configuration(cpu, [limited])
    tf.config.set_logical_device_configuration(cpu, [one, one])
    assert repr(tf.config.list_logical_devices("CPU")) == (
        "[LogicalDevice(name='/device:CPU:0', device_type='CPU'), "
        "LogicalDevice(name='/device:CPU:1', device_type='CPU')]"
    )
    with tf.device("CPU:1"):
        assert tf.constant(1.0).device == CPU
    tf.config.set_logical_device_configuration(cpu, [one])
    assert tf.config.get_logical_device_configuration(cpu) == [one]
    assert len(tf.config.list_logical_devices()) == 1
    with pytest.raises(ValueError, match="Unrecognized device: 3"):
        tf.config.set_logical_device_configuration(3, [one])


def test_threads():
    threading = tf.config.threading
    assert threading.get_inter_op_parallelism_threads() == 0
    assert threading.get_intra_op_parallelism_threads() == 0
    threading.set_inter_op_parallelism_threads(2)
    threading.set_intra_op_parallelism_threads(np.int64(3))
    assert threading.get_inter_op_parallelism_threads() == 2
    assert threading.get_intra_op_parallelism_threads() == 3
    for setter in (
        threading.set_inter_op_parallelism_threads,
        threading.set_intra_op_parallelism_threads,
    ):
        with pytest.raises(TypeError):
            setter("a")
        with pytest.raises(TypeError):
            setter(2.5)
        with pytest.raises(ValueError, match="at least 0"):
            setter(-1)
        setter(0)


# Warnings


def test_warnings_as_tensorflow_prints_them():
    program = """
import logging
import tapegrad as tf

with tf.GradientTape() as tape:
    tape.watch(tf.constant(1))
    tape.watch(tf.constant("a"))
tf.get_logger().info("not printed")
logging.getLogger("tensorflow").setLevel("ERROR")
with tf.GradientTape() as tape:
    tape.watch(tf.constant(1))
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stderr.splitlines() == [
        "WARNING:tensorflow:The dtype of the watched tensor must be floating (e.g. tf.float32), got "
        "tf.int32",
        "WARNING:tensorflow:The dtype of the watched tensor must be floating (e.g. tf.float32), got "
        "tf.string",
    ]


def test_a_root_logger_that_prints_is_enough():
    program = """
import logging
import tapegrad as tf

tf.get_logger()
logging.basicConfig(format="%(message)s")
tf.get_logger().warning("hello %d", 3)
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stderr == "hello 3\n"


def test_the_logger(capsys):
    from tapegrad.framework.logging import warn_first_n

    assert tf.get_logger() is logging.getLogger("tensorflow")
    warn_first_n("seen %s times", 2, "a few")
    warn_first_n("seen %s times", 2, "a few")
    warn_first_n("seen %s times", 2, "a few")
    assert capsys.readouterr().err == "WARNING:tensorflow:seen a few times\n" * 2


# tf.function


@tf.function
def add(a, b=2, *, k=0):
    """Adds."""
    return a + b + k


class Model:
    def __init__(self):
        self.bias = 1

    @tf.function
    def call(self, x):
        return x + self.bias

    @tf.function(input_signature=[tf.TensorSpec([], tf.float32)])
    def checked(self, x):
        return x

    @staticmethod
    @tf.function
    def static(x):
        return x

    @classmethod
    @tf.function
    def of_class(cls, x):
        return x if cls is Model else None


@pytest.fixture
def eagerly():
    tf.config.run_functions_eagerly(True)
    yield
    tf.config.run_functions_eagerly(False)


def same(tensor, value, dtype):
    assert isinstance(tensor, tf.Tensor)
    assert tensor.dtype == dtype
    np.testing.assert_array_equal(tensor.numpy(), value)


def test_function_is_the_function():
    assert (add.__name__, add.__doc__, add.__module__) == ("add", "Adds.", __name__)
    assert add.__qualname__ == "add"
    assert add.name == "add"
    assert add.python_function is add.__wrapped__
    assert add.python_function(1, 2) == 3
    assert add.input_signature is None
    assert str(inspect.signature(add)) == "(a, b=2, *, k=0)"


def test_results_are_tensors():
    same(add(1), 3, tf.int32)
    same(add(1.0, b=3), 4.0, tf.float32)
    same(add(np.array([1, 2]), k=1), [4, 5], tf.int64)
    numbers, text, nothing, nested = tf.function(lambda: (2.0, "a", None, {"x": np.ones(2)}))()
    same(numbers, 2.0, tf.float32)
    same(text, b"a", tf.string)
    assert nothing is None
    same(nested["x"], [1.0, 1.0], tf.float64)
    kept = tf.Variable(3.0)
    same(tf.function(lambda: kept)(), 3.0, tf.float32)
    with pytest.raises(TypeError, match="returned a object, which cannot become a tensor"):
        tf.function(lambda: object())()


def test_arrays_come_in_as_tensors():
    seen = []
    tf.function(lambda *args, **kwargs: seen.extend([*args, *kwargs.values()]))(
        np.ones(2), 3, [np.float32(1), "a"], None, key=np.zeros(1)
    )
    assert [type(value).__name__ for value in seen] == [
        "EagerTensor", "int", "list", "NoneType", "EagerTensor",
    ]  # fmt: skip
    assert [type(value).__name__ for value in seen[2]] == ["EagerTensor", "str"]


def test_run_functions_eagerly_leaves_values_alone(eagerly):
    assert tf.config.functions_run_eagerly() is True
    assert add(1) == 3
    assert type(add(1)) is int
    checked = tf.function(lambda x: x, input_signature=[tf.TensorSpec([], tf.float32)])
    assert checked("a") == "a"


def test_the_ways_to_decorate():
    same(tf.function(lambda x: x)(3), 3, tf.int32)
    same(tf.function()(lambda x: x)(3), 3, tf.int32)
    same(tf.function(autograph=False, jit_compile=True)(lambda x: x)(3), 3, tf.int32)
    same(tf.function(lambda x: x, experimental_relax_shapes=True)(1), 1, tf.int32)
    same(tf.function(tf.function(lambda x: x))(2), 2, tf.int32)
    same(tf.function(functools.partial(lambda a, b: a + b, 1))(2), 3, tf.int32)
    with pytest.raises(TypeError, match="3 came, which cannot be called"):
        tf.function(3)
    with pytest.raises(TypeError, match=r"function\(\) got an unexpected keyword argument 'bogus'"):
        tf.function(lambda x: x, bogus=3)
    with pytest.raises(TypeError):
        tf.function(lambda: 1)(3)


def test_methods():
    model = Model()
    same(model.call(1), 2, tf.int32)
    same(Model.call(model, 2), 3, tf.int32)
    same(model.checked(1), 1.0, tf.float32)
    same(Model.static(3), 3, tf.int32)
    same(model.of_class(3), 3, tf.int32)
    assert model.call.__name__ == "call"
    assert model.call.python_function == model.call.__wrapped__
    same(tf.function(model.call.python_function)(1), 2, tf.int32)
    with pytest.raises(TypeError, match="The argument x of checked"):
        model.checked("a")


def test_gradients_pass_through():
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = tf.function(lambda t: t * t)(x)
    assert tape.gradient(y, x).numpy() == 6.0


def test_variables_made_at_the_first_call():
    class Counter:
        count = None

        @tf.function
        def __call__(self):
            if self.count is None:
                self.count = tf.Variable(0)
            return self.count.assign_add(1)

    counter = Counter()
    counter()
    assert counter().numpy() == 2


def test_copies_and_pickles():
    assert copy.deepcopy(add) is add
    assert pickle.loads(pickle.dumps(add)) is add
    assert pickle.loads(pickle.dumps(Model.call)) is Model.call
    same(copy.deepcopy(Model()).call(2), 3, tf.int32)
    again = pickle.loads(pickle.dumps(tf.function(np.sum)))
    assert again.python_function is np.sum


def test_concrete_functions_check_their_arguments():
    with pytest.raises(TypeError, match="missing a required argument"):
        Model().call.get_concrete_function()


def checked(*specs):
    return tf.function(lambda x: x, input_signature=list(specs))


def test_input_signature_converts():
    f = checked(tf.TensorSpec([None, 2], tf.float32))
    same(f(tf.ones([3, 2])), np.ones([3, 2]), tf.float32)
    same(f([[1, 2]]), [[1, 2]], tf.float32)
    same(f(np.ones([3, 2])), np.ones([3, 2]), tf.float32)
    same(f(x=tf.ones([1, 2])), np.ones([1, 2]), tf.float32)
    same(f(tf.Variable([[1.0, 2.0]])), [[1, 2]], tf.float32)
    assert f.input_signature == (tf.TensorSpec([None, 2], tf.float32),)


@pytest.mark.parametrize(
    "arguments",
    [
        (lambda: [tf.ones([3, 3])]),
        (lambda: [tf.ones([3])]),
        (lambda: [tf.ones([3, 2], tf.int32)]),
        (lambda: []),
        (lambda: [tf.ones([3, 2]), 1]),
        (lambda: ["abc"]),
        (lambda: [None]),
    ],
)
def test_input_signature_refuses(arguments):
    with pytest.raises(TypeError):
        checked(tf.TensorSpec([None, 2], tf.float32))(*arguments())


def test_input_signature_says_what_it_wanted():
    with pytest.raises(TypeError, match=r"The argument x of <lambda>\(\) must be a") as caught:
        checked(tf.TensorSpec([None, 2], tf.float32))(tf.ones([3, 3]))
    assert str(caught.value) == (
        "The argument x of <lambda>() must be a tensor of float32 and shape (None, 2); "
        "one of float32 and shape (3, 3) came."
    )


def test_input_signatures_of_nests():
    scalar = tf.TensorSpec([], tf.float32)
    f = tf.function(lambda d: d["a"], input_signature=[{"a": scalar}])
    same(f({"a": 1}), 1.0, tf.float32)
    with pytest.raises(TypeError, match="the structure that input_signature gives it"):
        f({"b": 1.0})
    with pytest.raises(TypeError, match="the structure"):
        tf.function(lambda d: d[0], input_signature=[[scalar]])((1.0,))
    _, second = tf.function(lambda *k: k, input_signature=[scalar] * 2)(1.0, 2)
    same(second, 2.0, tf.float32)


def test_defaults_outside_the_input_signature_are_fixed():
    f = tf.function(lambda x, y=3: x + y, input_signature=[tf.TensorSpec([], tf.float32)])
    same(f(1.0), 4.0, tf.float32)
    same(f(1.0, 3), 4.0, tf.float32)
    with pytest.raises(TypeError, match=r"fixes it at its default, 3; 4\.0 came"):
        f(1.0, 4.0)


@pytest.mark.parametrize(
    ("function", "signature", "message"),
    [
        (lambda x: x, [tf.TensorSpec([])] * 2, "has 1 more entries"),
        (lambda x, y: x, [tf.TensorSpec([])], "has no entry for y"),
        (lambda x: x, (), "has no entry for x"),
        (lambda x: x, tf.TensorSpec([]), "must be a list or a tuple"),
        (lambda x: x, [3], "must hold TensorSpecs"),
        (lambda **k: 3, [tf.TensorSpec([])], "has 1 more entries"),
    ],
)
def test_input_signatures_that_do_not_suit(function, signature, message):
    with pytest.raises(TypeError, match=message):
        tf.function(function, input_signature=signature)
