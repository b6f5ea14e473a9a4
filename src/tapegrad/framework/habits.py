"""What to write here for names of PyTorch, JAX and NumPy that programs ask of ``tf``, tensors and variables.

Messages alone are here: this module is loaded when such a name is missing. A name that TensorFlow has in the
same place has no row. In the rows of tensors, ``x`` is the tensor.
"""

from __future__ import annotations

TAPE = "gradients come from a tape: `with tf.GradientTape() as tape: ...`, and then tape.gradient(loss, x)"
ONE_DEVICE = "there is one device, the CPU, and every tensor is on it: leave the call out"
IMMUTABLE = "a tensor does not change"
EAGER = "tf.function, as in @tf.function above a def, records a function and replays it"

# Attributes of tensors and variables -> the answer.
ATTRIBUTES = {
    "backward": TAPE,
    "grad grad_fn retain_grad is_leaf": TAPE,
    "requires_grad requires_grad_": (
        "a tape watches trainable variables by itself, and a tensor after tape.watch(x). "
        "tf.Variable(value, trainable=False) is not watched"
    ),
    "detach detach_": "write tf.stop_gradient(x)",
    "cuda is_cuda pin_memory block_until_ready": ONE_DEVICE,
    "to": "write tf.cast(x, tf.float32) for another dtype; there is one device, the CPU",
    "type type_as": "write tf.cast(x, tf.float32)",
    "float": "write tf.cast(x, tf.float32)",
    "double": "write tf.cast(x, tf.float64)",
    "half": "write tf.cast(x, tf.float16)",
    "long": "write tf.cast(x, tf.int64)",
    "int": "write tf.cast(x, tf.int32)",
    "clone": f"write tf.identity(x), or x itself: {IMMUTABLE}",
    "zero_grad": "each call of tape.gradient gives new gradients, so there is nothing to set to zero",
    "zero_ fill_ add_ sub_ mul_ div_ copy_ clamp_ normal_ uniform_": (
        f"write x.assign(...), x.assign_add(...) or x.assign_sub(...) on a tf.Variable; {IMMUTABLE}"
    ),
    "unsqueeze": "write tf.expand_dims(x, axis)",
    "permute": "write tf.transpose(x, axes)",
    "t": "write tf.transpose(x)",
    "dim": "write x.ndim",
    "numel": "write tf.size(x)",
    "expand expand_as": "write tf.broadcast_to(x, shape)",
    "mm matmul bmm": "write x @ y",
    "norm": "write tf.norm(x)",
    "softmax": "write tf.nn.softmax(x, axis)",
    "relu": "write tf.nn.relu(x)",
    "abs": "write tf.abs(x)",
    "exp": "write tf.exp(x)",
    "log": "write tf.math.log(x)",
    "sqrt": "write tf.sqrt(x)",
    "pow": "write x ** y",
    "clamp": "write tf.clip_by_value(x, low, high)",
    "chunk": "write tf.split(x, parts, axis)",
    "masked_fill": "write tf.where(mask, value, x)",
    "scatter_ index_add_": "write tf.tensor_scatter_nd_update(x, indices, updates)",
    "data": "write x.numpy() for the values, which no tape follows",
    "item": "write x.numpy().item() for a Python number, which no tape follows",
    "tolist": "write x.numpy().tolist() for Python numbers, which no tape follows",
    "at": "write tf.tensor_scatter_nd_update(x, [[index]], [value])",
}

# NumPy's methods and properties -> the same in ops. Tensors lack them, because NumPy's functions would call
# such methods: without them these functions take the values, which no tape follows.
NUMPY_METHODS = {
    "T": "tf.transpose(x)",
    "all": "tf.reduce_all(x)",
    "any": "tf.reduce_any(x)",
    "argmax": "tf.argmax(x)",
    "argmin": "tf.argmin(x)",
    "astype": "tf.cast(x, dtype)",
    "clip": "tf.clip_by_value(x, low, high)",
    "copy": "tf.identity(x)",
    "cumsum": "tf.cumsum(x)",
    "dot": "x @ y, or tf.tensordot(x, y, 1)",
    "flatten": "tf.reshape(x, [-1])",
    "imag": "tf.math.imag(x)",
    "max": "tf.reduce_max(x)",
    "mean": "tf.reduce_mean(x)",
    "min": "tf.reduce_min(x)",
    "prod": "tf.reduce_prod(x)",
    "ravel": "tf.reshape(x, [-1])",
    "real": "tf.math.real(x)",
    "repeat": "tf.repeat(x, times)",
    "reshape": "tf.reshape(x, shape)",
    "size": "tf.size(x)",
    "squeeze": "tf.squeeze(x)",
    "std": "tf.math.reduce_std(x)",
    "sum": "tf.reduce_sum(x)",
    "swapaxes": "tf.transpose(x, axes)",
    "take": "tf.gather(x, indices)",
    "transpose": "tf.transpose(x)",
    "var": "tf.math.reduce_variance(x)",
    "view": "tf.reshape(x, shape), or tf.bitcast(x, dtype)",
}

# Names in ``tf`` and in its namespaces ``nn``, ``math`` and ``linalg`` -> the answer.
NAMES = {
    "amax max": "use tf.reduce_max",
    "amin min": "use tf.reduce_min",
    "all": "use tf.reduce_all",
    "any": "use tf.reduce_any",
    "arange": "use tf.range",
    "array asarray as_tensor from_numpy ndarray tensor": (
        "use tf.constant, or tf.convert_to_tensor"
    ),
    "autograd": TAPE,
    "average mean": "use tf.reduce_mean",
    "backends cuda": "there is one device, the CPU",
    "backward": TAPE,
    "bmm mm": "use tf.matmul, or x @ y",
    "cat concatenate": "use tf.concat",
    "chunk array_split": "use tf.split",
    "clamp clip": "use tf.clip_by_value",
    "dot inner vdot": "use tf.tensordot(x, y, 1), or tf.reduce_sum(x * y)",
    "flatten ravel": "use tf.reshape(x, [-1])",
    "from_dlpack": "use tf.experimental.dlpack.from_dlpack",
    "full full_like": "use tf.fill",
    "functional": "its functions are in tf.nn, tf.math and tf.losses of Keras",
    "hstack": "use tf.concat(values, axis=-1)",
    "vstack": "use tf.concat(values, axis=0)",
    "index_select": "use tf.gather",
    "inverse": "use tf.linalg.inv",
    "inf nan": 'use float("inf") or float("nan")',
    "pi": "use math.pi of Python",
    "jacobian": "use tape.jacobian of a tf.GradientTape, or tf.autodiff.jacrev",
    "jit compile": EAGER,
    "lax": "use tf.while_loop, tf.cond, tf.scan and tf.map_fn",
    "manual_seed": "use tf.random.set_seed",
    "masked_fill": "use tf.where",
    "nelement numel": "use tf.size",
    "no_grad inference_mode": (
        "ops outside of a tape are not recorded; inside, use tape.stop_recording() or tf.stop_gradient"
    ),
    "enable_grad set_grad_enabled": "open a tf.GradientTape where a gradient is wanted",
    "optim": (
        "use tf.keras.optimizers (pip install tapegrad[keras]), or v.assign_sub(rate * gradient)"
    ),
    "Parameter": "use tf.Variable",
    "permute swapaxes moveaxis": "use tf.transpose",
    "pmap": "use tf.distribute, or tf.vectorized_map on one device",
    "power": "use tf.pow, or x ** y",
    "prod": "use tf.reduce_prod",
    "rand random_uniform": "use tf.random.uniform",
    "randn": "use tf.random.normal",
    "randint": "use tf.random.uniform(shape, low, high, tf.int32)",
    "std": "use tf.math.reduce_std",
    "sum": "use tf.reduce_sum",
    "take": "use tf.gather",
    "tree tree_map tree_util": "use tf.nest.map_structure",
    "unsqueeze": "use tf.expand_dims",
    "utils": "use tf.data for data sets, and tf.keras.utils of Keras",
    "var": "use tf.math.reduce_variance",
    "view": "use tf.reshape",
    "float": "use tf.float32",
    "int": "use tf.int32",
    "long": "use tf.int64",
    "Linear": (
        "use tf.keras.layers.Dense (pip install tapegrad[keras]), or x @ w + b with variables of a tf.Module"
    ),
    "Sequential": (
        "use tf.keras.Sequential (pip install tapegrad[keras]), or call the layers one after the other"
    ),
    "Conv1d Conv2d Conv3d": (
        "use tf.keras.layers.Conv2D (pip install tapegrad[keras]), or tf.nn.conv2d with a variable"
    ),
    "BatchNorm1d BatchNorm2d LayerNorm": (
        "use tf.keras.layers (pip install tapegrad[keras]), or tf.nn.batch_normalization"
    ),
    "Dropout": "use tf.nn.dropout, or tf.keras.layers.Dropout (pip install tapegrad[keras])",
    "Embedding": (
        "use tf.nn.embedding_lookup with a variable, or tf.keras.layers.Embedding "
        "(pip install tapegrad[keras])"
    ),
    "ReLU": "use tf.nn.relu",
    "Sigmoid": "use tf.sigmoid",
    "Softmax": "use tf.nn.softmax",
    "Tanh": "use tf.tanh",
    "GELU": "use tf.nn.gelu",
    "CrossEntropyLoss cross_entropy": "use tf.nn.sparse_softmax_cross_entropy_with_logits",
    "MSELoss mse_loss": "use tf.reduce_mean(tf.math.squared_difference(x, y))",
    "BCEWithLogitsLoss binary_cross_entropy_with_logits": (
        "use tf.nn.sigmoid_cross_entropy_with_logits"
    ),
    "solve_triangular": "use tf.linalg.triangular_solve",
    "pinverse": "use tf.linalg.pinv",
}

# Names in ``tf.random``.
RANDOM = {
    "PRNGKey key": (
        "use tf.random.Generator.from_seed(seed), or the seed=[a, b] of tf.random.stateless_normal"
    ),
    "default_rng": "use tf.random.Generator.from_seed(seed)",
    "rand random": "use tf.random.uniform",
    "randn standard_normal": "use tf.random.normal",
    "randint": "use tf.random.uniform(shape, low, high, tf.int32)",
    "seed manual_seed": "use tf.random.set_seed",
    "permutation": "use tf.random.shuffle",
}


def _by_name(table: dict[str, str]) -> dict[str, str]:
    return {name: answer for names, answer in table.items() for name in names.split()}


_ATTRIBUTES = _by_name(ATTRIBUTES)
_NAMES = _by_name(NAMES)
_PLACES = dict.fromkeys(("", "nn", "math", "linalg"), _NAMES) | {"random": _by_name(RANDOM)}


def name_answer(path: str) -> str | None:
    """What to write for ``tf.path``; None for other names."""
    namespace, _, name = path.rpartition(".")
    return _PLACES.get(namespace, {}).get(name)


def attribute_answer(name: str) -> str | None:
    """What to write for an attribute of a tensor or variable; None for other names."""
    if name in NUMPY_METHODS:
        return f"write {NUMPY_METHODS[name]}, or x.numpy().{name} to leave the tape"
    return _ATTRIBUTES.get(name)
