"""The table of workloads: every row is one name that the peers implement, and what we promise for it.

To add a workload, add a row here and a function of that name to benchmarks/peers/*_workloads.py, in
each peer's best idiom; a peer without the function gets a dash. The function prepares everything and
returns `step`, which does the work once, waits for it, and returns what it computed, so that the
peers' answers can be compared before their times are.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Goal:
    """The row's time shall be at most ``ratio`` times the peer's time for ``workload``."""

    peer: str
    ratio: float
    workload: str | None = None  # the same row where None
    # What it shall be where NumPy's own BLAS is not the one in use; the same where None.
    with_faster_blas: float | None = None

    def limit(self, faster_blas: bool) -> float:
        if faster_blas and self.with_faster_blas is not None:
            return self.with_faster_blas
        return self.ratio


@dataclass(frozen=True)
class Workload:
    name: str
    title: str
    group: str
    goals: tuple[Goal, ...] = ()
    # The answers of two peers may differ by this much, relative to the size of each array in them.
    tolerance: float = 1e-3
    # Where several rows do the same work: what the peers call it, and what the rows differ in.
    function: str = ""
    environment: tuple[tuple[str, str], ...] = ()

    @property
    def work(self) -> str:
        return self.function or self.name


def pytorch(ratio: float, with_faster_blas: float | None = None) -> tuple[Goal, ...]:
    return (Goal("pytorch", ratio, with_faster_blas=with_faster_blas),)


def tf_function(ratio: float) -> tuple[Goal, ...]:
    return (Goal("tf_function", ratio),)


def twice_as_fast() -> tuple[Goal, ...]:
    return (Goal("tensorflow", 0.5), Goal("pytorch", 0.5))


WORKLOADS = [
    # Small work, where everything is overhead.
    Workload("multiply_20", "20 multiplications of a scalar", "tape", pytorch(0.11)),
    Workload(
        "multiply_20_forward", "20 multiplications, forward only, no tape", "tape", pytorch(0.12)
    ),
    Workload("multiply_20_recorded", "  forward only, recorded", "tape"),
    Workload("multiply_20_constant", "  by a constant tensor", "tape"),
    Workload(
        "multiply_20_number",
        "  by a Python number",
        "tape",
        (Goal("tapegrad", 1.15, "multiply_20_constant"),),
    ),
    Workload(
        "multiply_20_number_forward",
        "  by a Python number, forward only",
        "tape",
        (Goal("tapegrad", 1.15, "multiply_20_forward"),),
    ),
    Workload("multiply_20_second_order", "20 multiplications, second derivative", "tape"),
    Workload("multiply_200", "200 multiplications of a scalar", "tape", pytorch(0.11)),
    Workload("fan_100", "one scalar used 100 times, summed", "tape"),
    Workload("chain_20000", "a chain of 20,000 multiplications", "tape"),
    Workload("rosenbrock", "Rosenbrock on a 100-vector, by slices", "tape", pytorch(0.15)),
    # Whole steps of models.
    Workload("small_mlp", "tanh MLP 4-32-32-2, batch 1, + SGD", "models", pytorch(0.25)),
    Workload(
        "wide_mlp", "MLP 784-512-512-10, batch 128, + SGD", "models", pytorch(1.05, 0.90), 1e-2
    ),
    Workload(
        "wide_mlp_adam", "the same MLP + Adam in ops and assigns", "models", pytorch(1.4, 1.2), 1e-2
    ),
    Workload("cnn", "CNN on 32 pictures of 32 x 32", "models", pytorch(1.1, 0.95)),
    Workload("attention", "attention block, 8 x 128 x 256", "models", pytorch(1.15, 1.0)),
    Workload("lstm", "LSTM cell in basic ops, 50 steps", "models", pytorch(0.95, 0.85)),
    Workload("lstm_fused", "the same steps beside PyTorch's nn.LSTM", "models", pytorch(2.0)),
    Workload("embedding", "embedding 50,000 x 64, sparse SGD", "models", pytorch(0.85), 1e-2),
    Workload("pinn", "second derivatives in a PINN's loss", "models", pytorch(0.85)),
    Workload("gp", "Gaussian process of 300 points, float64", "models"),
    # Keras itself: what its `fit` takes for 20 batches of 32, as it is compiled by default.
    Workload("keras_mlp", "Keras fit, MLP 784-128-10, 20 steps", "keras", tf_function(1.0)),
    Workload("keras_cnn", "Keras fit, CNN on 28 x 28, 20 steps", "keras", tf_function(1.0)),
    Workload("keras_lstm", "Keras fit, LSTM of 20 x 32, 20 steps", "keras", tf_function(1.0)),
    # Data sets: what an epoch costs before anything is learned from it.
    Workload("shuffled_batches", "60,000 x 784 shuffled, batches of 128", "data", twice_as_fast()),
    Workload("plain_batches", "the same in order", "data", twice_as_fast()),
    Workload(
        "mapped_batches",
        "a Python function of each of 2,000 rows, batches",
        "data",
        (Goal("tensorflow", 1.0),),
    ),
    Workload(
        "called_batches",
        "the same by tf.py_function",
        "data",
        (Goal("tensorflow", 1.0),),
    ),
    # Beyond the first gradient. "TF function" is compiled by XLA here where that is faster.
    Workload(
        "jacobian",
        "Jacobian 200 x 200 of tanh(W x)",
        "transforms",
        (Goal("pytorch", 1.2), Goal("tensorflow", 0.1)),
    ),
    Workload("tall_jacobian", "Jacobian 4000 x 8 of an MLP", "transforms", pytorch(1.0), 1e-2),
    Workload(
        "batch_jacobian",
        "batch Jacobian, 256 x 32 x 64, MLP",
        "transforms",
        (Goal("pytorch", 0.5), Goal("tf_function", 1.0)),
    ),
    Workload(
        "per_example",
        "gradient of each of 256 examples, MLP",
        "transforms",
        (Goal("pytorch", 1.0), Goal("tensorflow", 0.1)),
    ),
    Workload("hessian", "Hessian of 20 variables", "transforms", pytorch(0.25)),
    Workload("hvp", "Hessian-vector product, 1,000 variables", "transforms", pytorch(1.0), 1e-2),
    Workload("tanh_sixth", "sixth derivative of tanh, 200 points", "transforms", pytorch(1.0)),
    Workload(
        "laplacian",
        "PINN with a Laplacian, 500 points",
        "transforms",
        (Goal("pytorch", 1.0), Goal("tf_function", 1.0)),
    ),
    Workload("mlp_forward", "MLP 784-512-512-10, batch 128, forward only", "transforms"),
    Workload(
        "mlp_tangent",
        "  and one tangent through it",
        "transforms",
        (Goal("tapegrad", 2.2, "mlp_forward"),),
    ),
    # One op or a few of them on large arrays.
    Workload("elementwise_1e6", "sum(tanh(2x+1) exp(-x^2)), 1e6", "kernels", pytorch(0.40)),
    Workload("elementwise_1e4", "sum(tanh(2x+1) exp(-x^2)), 1e4", "kernels", pytorch(0.35)),
    Workload("cross_entropy", "softmax cross entropy, 4096 x 1000", "kernels", pytorch(0.70)),
    Workload("layer_norm", "layer norm in moments, 8192 x 512", "kernels", pytorch(2.0)),
    Workload("batch_norm", "batch norm, fused op, 8192 x 512", "kernels", pytorch(1.1)),
]

# Programs of many small ops, which serious code decorates.
SMALL_OPS = [
    Workload("neural_ode", "Neural ODE, 10 Runge-Kutta steps, + SGD", "functions"),
    Workload("neural_ode_outside", "  the tape around the function", "functions"),
    Workload("neural_ode_adjoint", "  by the adjoint equation", "functions"),
    Workload("maml", "MAML, 8 tasks of 10 points, + SGD", "functions"),
    Workload("module_mlp", "MLP of modules, 32 x 64, + Adam, as in Sonnet", "functions", (), 1e-2),
]
WORKLOADS += SMALL_OPS

# Models of `keras.applications`, and three others, for `predict_on_batch` and `train_on_batch`: how many
# items are in a batch, what they are, and what `predict_on_batch` may take of TensorFlow's time.
NETWORKS = {
    "MobileNetV2": (16, "pictures of 96 x 96", 1.0),
    "ResNet50": (8, "pictures of 96 x 96", 1.0),
    "EfficientNetB0": (8, "pictures of 96 x 96", 1.0),
    "DenseNet121": (8, "pictures of 96 x 96", 1.0),
    "ConvNeXtTiny": (4, "pictures of 96 x 96", 1.0),
    "GPT": (8, "texts of 128 tokens", 0.7),
    "Bidirectional": (32, "texts of 100 words", 0.9),
    "UNet": (8, "pictures of 128 x 128", 0.5),
}
TRAIN = 0.6  # what `train_on_batch` may take of TensorFlow's time
NETWORK_WORKLOADS = [
    Workload(
        f"{name}_{model.lower()}",
        f"{call}, {model}, {items} {what}",
        "models",
        tf_function(predict if name == "answer" else TRAIN),
        function=f"keras_{name} {model} {items}",
    )
    for name, call in (("answer", "predict"), ("learn", "train"))
    for model, (items, what, predict) in NETWORKS.items()
]

# What a decorated step may take, as a part of the time of the fastest compiled peer.
OF_COMPILED_PEERS = {
    "multiply_20": 0.7,
    "multiply_20_forward": 0.5,
    "multiply_200": 1.0,
    "small_mlp": 0.5,
    "rosenbrock": 0.6,
    "wide_mlp": 0.95,
    "wide_mlp_adam": 0.95,
    "elementwise_1e6": 1.0,
    "elementwise_1e4": 0.6,
    "cnn": 1.0,
    "attention": 0.95,
    "lstm": 0.9,
    "embedding": 0.9,
    "pinn": 0.9,
    "hessian": 1.2,
    "cross_entropy": 0.8,
    "layer_norm": 0.5,
    "batch_norm": 1.0,
    "neural_ode": 0.7,
    "neural_ode_outside": 0.7,
    "neural_ode_adjoint": 0.7,
    "maml": 0.7,
    "module_mlp": 0.7,
}
PEAK_OF_TF_FUNCTION = 1.0  # memory, of a decorated gradient of twenty layers
OF_EAGER = 1.03  # what a decorated step may take, as a part of its own time without the decorator
FIRST_CALL, FIRST_CALL_MORE = (
    1.5,
    0.002,
)  # times the eager call, and seconds, that the first call may take

# Peak memory of one gradient, in a process of its own. By default the C library keeps large blocks that
# were freed, and cannot always use them again: peaks then differ by half from run to run. Mapped one by
# one, they show what was really held. Users get the former, and so the goal is for that.
MEMORY_WORKLOADS = [
    Workload(
        "deep_mlp",
        "peak memory, 20 relu layers of 1024",
        "memory",
        pytorch(0.80),
        tolerance=1e-2,
    ),
    Workload(
        "deep_mlp_mapped",
        "the same, malloc's threshold fixed",
        "memory",
        tolerance=1e-2,
        function="deep_mlp",
        environment=(("MALLOC_MMAP_THRESHOLD_", "262144"),),
    ),
    # Keras itself: how far the first two calls of `predict` push memory above the model and 16 pictures.
    *[
        Workload(
            f"predict_{model.lower()}",
            f"peak memory, Keras predict of {model}",
            "memory",
            tf_function(1.1),
            function=f"keras_predict {model}",
        )
        for model in ("MobileNetV2", "ResNet50", "EfficientNetB0", "DenseNet121")
    ],
]

# Peak memory of a Jacobian. By itself tapegrad takes so many rows at once as fit into a few MB. That of 4,000
# rows and 500 columns goes by columns, in PyTorch too.
CHUNK_WORKLOADS = [
    Workload("jacobian_whole", "peak memory, Jacobian 4000 x 500", "transforms", pytorch(0.5)),
    Workload(
        "jacobian_chunked",
        "  asked for in chunks of 100 rows",
        "transforms",
        (Goal("tapegrad", 1.05, "jacobian_whole"),),
    ),
    Workload("jacobian_square", "peak memory, Jacobian 2000 x 2000", "transforms", pytorch(1.0)),
    Workload(
        "jacobian_square_chunked",
        "  asked for in chunks of 100 rows",
        "transforms",
        (Goal("tapegrad", 1.0, "jacobian_square"),),
    ),
]

# What a recorded operation keeps alive until its gradient is taken.
KEPT_WORKLOAD = Workload("kept_chain", "kept alive by one recorded multiplication", "memory")


def of_group(group: str) -> list[Workload]:
    return [workload for workload in WORKLOADS if workload.group == group]
