"""What pieces of TensorFlow 1.x give: each story is told by TensorFlow once, and by the tests again.

python tests/golden/v1_stories.py       with TensorFlow installed; writes v1_stories.json and saver/
"""

import json
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

STORIES = Path(__file__).with_name("v1_stories.json")
SAVED = Path(__file__).with_name("saver")


class Telling:
    """Notes what calls give: values, or the classes of their errors."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.told: list[Any] = []

    def plain(self, value: Any) -> Any:
        """A value as JSON has it, without the name of the folder."""
        if isinstance(value, str):
            return value.replace(self.folder, "FOLDER")
        if isinstance(value, bytes):
            return value.hex()
        if isinstance(value, (list, tuple)):
            return [self.plain(each) for each in value]
        if hasattr(value, "numpy"):
            return self.plain(np.asarray(value.numpy()).tolist())
        return value if isinstance(value, (int, float, type(None))) else type(value).__name__

    def note(self, make: Callable[[], Any]) -> None:
        try:
            self.told.append(self.plain(make()))
        except Exception as error:
            self.told.append(type(error).__name__)


def savers(tf: Any, telling: Telling) -> None:
    """Savers of eager variables: files, the file that lists them, and errors."""
    folder, note, v1 = telling.folder, telling.note, tf.compat.v1
    kind = v1.train.Saver

    def files() -> Any:
        return sorted(os.listdir(folder))

    def state() -> Any:
        return Path(folder, "checkpoint").read_text()

    a, b = tf.Variable([1.0, 2.0], name="a"), tf.Variable(3, name="b")
    saver = kind([a, b], max_to_keep=2)
    for step in range(4):
        note(lambda step=step: saver.save(None, folder + "/m", global_step=step))
    for look in (files, state, lambda: saver.last_checkpoints):
        note(look)
    note(lambda: tf.train.latest_checkpoint(folder))
    note(lambda: tf.train.list_variables(folder))
    a.assign([0.0, 0.0])
    note(lambda: saver.restore(None, folder + "/m-3"))
    note(lambda: [a, b])
    for path in (None, folder + "/m-0", folder + "/none"):
        note(lambda path=path: saver.restore(None, path))
    note(lambda: kind({"x": a}).save(None, folder + "/x", global_step=b))
    note(lambda: kind({"y": a}).restore(None, folder + "/x-3"))
    for shape in ([1.0, 2.0, 3.0], [1, 2], [[0.0], [0.0]]):
        other = tf.Variable(shape, name="a")
        for reshape in (False, True):
            note(
                lambda other=other, reshape=reshape: kind([other], reshape=reshape).restore(
                    None, folder + "/m-3"
                )
            )
            note(lambda other=other: other)
    for given in (
        None,
        [],
        {"m": 1},
        {1: a},
        3,
        [a, tf.Variable(1.0, name="a")],
        {"p": a, "q": a},
        [a, a],
    ):
        note(lambda given=given: kind(given).save(None, folder + "/e"))
    note(
        lambda: kind([a], pad_step_number=True).save(
            None, folder + "/p", global_step=tf.constant(7)
        )
    )
    note(lambda: kind([a], save_relative_paths=True).save(None, folder + "/r", np.int64(5)))
    note(state)
    note(lambda: kind([a], max_to_keep=None).save(None, folder + "/z"))
    note(lambda: saver.save(None, folder + "/w", write_state=False))
    note(state)
    note(lambda: saver.save(None, folder + "/k", latest_filename="other"))
    note(lambda: Path(folder, "other").read_text())
    note(lambda: saver.save(None, folder + "/k", latest_filename="a/b"))
    for path in (None, 5, Path(folder, "t")):
        note(lambda path=path: saver.save(None, path))
    keeping = kind([a], max_to_keep=1, keep_checkpoint_every_n_hours=1e-9)
    for step in range(3):
        note(lambda step=step: keeping.save(None, folder + "/h", global_step=step))
    note(lambda: keeping.last_checkpoints)
    note(files)
    note(lambda: saver.recover_last_checkpoints([folder + "/m-3", folder + "/gone"]))
    note(lambda: saver.last_checkpoints)
    note(lambda: saver.set_last_checkpoints((folder + "/m-3",)))
    note(lambda: saver.export_meta_graph())
    note(lambda: saver.build())
    note(lambda: kind([a], defer_build=True))
    proto = saver.as_saver_def()
    note(
        lambda: [
            proto.max_to_keep,
            proto.keep_checkpoint_every_n_hours,
            proto.version,
            proto.sharded,
        ]
    )
    named = tf.train.Checkpoint(x=a)
    note(lambda: kind({"a": a}).restore(None, named.save(folder + "/named")))
    for step in (tf.Variable(3, dtype=tf.int64), tf.Variable([3]), tf.Variable(3.0), 3):
        note(lambda step=step: v1.train.assert_global_step(step))
    for step in (tf.Variable(3), tf.Variable([3, 4]), tf.constant(4.0)):
        note(lambda step=step: v1.train.global_step(None, step))
    os.chdir(folder)
    note(lambda: saver.save(None, "inner/m", global_step=1))
    note(lambda: Path("inner/checkpoint").read_text())
    note(lambda: tf.train.latest_checkpoint("inner"))
    update = v1.train.update_checkpoint_state
    for place, path in (("/r", "/r/x"), ("r", "r/x"), ("r", "/r/x")):
        os.makedirs("r", exist_ok=True)
        whole = [folder + each if each[0] == "/" else each for each in (place, path)]
        note(lambda whole=whole: update(whole[0], whole[1], ["r/y"]))
        note(lambda: Path("r/checkpoint").read_text())


def decoded(tf: Any, encoded: bytes) -> Any:
    """A summary as its bytes, and its pictures as the colors of their pixels: compression is free."""
    summary = tf.compat.v1.Summary.FromString(encoded)
    pixels = []
    for value in summary.value:
        if value.HasField("image"):
            pixels.append(tf.io.decode_png(value.image.encoded_image_string).numpy().tolist())
            value.image.encoded_image_string = b""
    return [summary.SerializeToString(), pixels]


def pictures() -> list[Any]:
    """Pictures of all dtypes and numbers of channels."""
    rising = np.arange(12, dtype=np.float32).reshape(1, 2, 2, 3)
    broken = np.array([[[[np.nan, 1.0, 2.0], [0.5, 1.0, 2.0]]]], np.float32)
    return [
        rising,
        rising - 4,
        rising.astype(np.float16),
        rising.astype(np.float64) / 3,
        np.arange(24, dtype=np.uint8).reshape(2, 3, 4, 1),
        np.full([4, 1, 2, 4], np.nan, np.float32),
        np.zeros([1, 1, 1, 3], np.float32),
        broken,
    ]


def summaries(tf: Any, telling: Telling) -> None:
    """Summaries of TensorFlow 1.x as strings, in eager code."""
    note, summary = telling.note, tf.compat.v1.summary

    def both(make: Callable[[], Any]) -> None:
        note(make)
        with tf.name_scope("outer"):
            note(make)

    both(lambda: summary.scalar("a b/c", 1.5))
    both(lambda: summary.scalar("/a", 1, family="f g"))
    for value in (float("nan"), 1e40, tf.constant(3, tf.int64), tf.constant(0.1, tf.float16)):
        note(lambda value=value: summary.scalar("s", value))
    for value in ([1.0, 2.0], True, "x", tf.constant(1j)):
        note(lambda value=value: summary.scalar("s", value))
    generator = np.random.default_rng(1)
    many = generator.normal(size=100) * 10.0 ** generator.integers(-14, 22, 100)
    for value in ([], [1.0], 1.0, [0.0, -0.0, 1, -2, 2, 1000000], many, many.astype(np.float32)):
        both(lambda value=value: summary.histogram("h", value))
    for value in ([1.0, float("nan")], [float("-inf")], "x", [True]):
        note(lambda value=value: summary.histogram("h", value))
    sounds = np.linspace(-1.2, 1.2, 24, dtype=np.float32)
    for shape, count in (([2, 12], 3), ([2, 12], 1), ([4, 3, 2], 3), ([24], 3), ([2, 12], 0)):
        note(
            lambda shape=shape, count=count: summary.audio("a", sounds.reshape(shape), 44.0, count)
        )
    note(lambda: summary.audio("a", sounds.reshape([2, 12]), 0.0))
    note(lambda: summary.text("t", tf.constant(["x", "y"])))
    both(lambda: summary.tensor_summary("t", [1.0, 2.0], family="f"))
    note(lambda: summary.tensor_summary("t", [1], summary_description="d", display_name="D"))
    for refused in (
        lambda: summary.merge([summary.scalar("a", 1.0)]),
        summary.merge_all,
        lambda: summary.FileWriter(telling.folder),
        lambda: summary.FileWriterCache.get(telling.folder),
        summary.initialize,
        summary.all_v2_summary_ops,
    ):
        note(refused)


def graphs(tf: Any, telling: Telling) -> None:
    """Summaries of a graph that a session runs, and a writer of them."""
    note, v1 = telling.note, tf.compat.v1
    summary = v1.summary
    with tf.Graph().as_default() as graph:
        x, y = v1.placeholder(tf.float32, []), v1.placeholder(tf.float32, [None])
        made = [summary.scalar("loss", x), summary.scalar("loss", x), summary.histogram("h", y)]
        made.append(summary.scalar("kept", x, collections=["mine"]))
        made += [summary.image("picture", tf.constant(each)) for each in pictures()]
        made.append(summary.image("few", tf.constant(pictures()[4]), max_outputs=1))
        made.append(summary.text("t", tf.constant("x")))
        note(lambda: len(v1.get_collection("summaries")))
        note(lambda: len(v1.get_collection("mine")))
        some, whole = summary.merge(made[:3]), summary.merge_all()
        note(lambda: summary.merge_all("none"))
        note(lambda: summary.merge([]))
        note(lambda: summary.merge([3]))
        session = v1.Session(graph=graph)
        feeds = {x: 2.0, y: [1.0, 3.0, 3.0]}
        ran = session.run([made, some, whole], feeds)
        note(lambda: session.run(some, {x: 2.0, y: [float("nan")]}))
        note(lambda: session.run(summary.merge([made[0], made[0]]), feeds))
        note(lambda: session.run(summary.merge([tf.constant(b"xx")]), feeds))
        note(lambda: session.run(summary.image("p", np.zeros([1, 2, 2, 2], np.float32))))
        writer = summary.FileWriter(telling.folder, graph, filename_suffix=".end")
        writer.add_summary(ran[1], 3)
        writer.add_summary(
            v1.Summary(value=[v1.Summary.Value(tag="t", simple_value=2.0)]), np.int64(4)
        )
        writer.add_session_log(v1.SessionLog(status=v1.SessionLog.STOP), 5)
        writer.add_run_metadata(v1.RunMetadata(), "run", 6)
        writer.add_event(v1.Event(step=7, file_version="x"))
        for step in (8, 9):
            writer.add_summary(ran[0][-1], step)
        for wrong in (
            lambda: writer.add_summary(b"\xff"),
            lambda: writer.add_graph(3),
            lambda: writer.add_meta_graph(3),
            lambda: writer.add_run_metadata(v1.RunMetadata(), "run", 1),
            lambda: summary.FileWriter(telling.folder, graph_def=3).close(),
            writer.get_logdir,
            writer.flush,
            writer.close,
            writer.close,
            writer.flush,
        ):
            note(wrong)
    for each in (*ran[0], *ran[1:]):
        note(lambda each=each: decoded(tf, each))
    (name,) = [name for name in os.listdir(telling.folder) if name.endswith(".end")]
    for record in list(v1.io.tf_record_iterator(os.path.join(telling.folder, name)))[1:]:
        event = v1.Event.FromString(record)
        event.wall_time = 0.0
        if event.HasField("graph_def"):
            event.graph_def = b"graph"
        if not event.HasField("meta_graph_def"):  # the same once more, which we do not write
            note(event.SerializeToString)


def kinds_of_layers(tf: Any) -> dict[str, Any]:
    """The layers of TensorFlow 1.x. TensorFlow 2.21 has them inside."""
    if tf.__name__ == "tapegrad":
        return {name: getattr(tf.compat.v1.layers, name) for name in dir(tf.compat.v1.layers)}
    from tensorflow.python.layers import base, convolutional, core, pooling

    return vars(base) | vars(convolutional) | vars(core) | vars(pooling)


def layers(tf: Any, telling: Telling) -> None:
    """Layers of TensorFlow 1.x on whole numbers, whose sums are exact."""
    note, v1, kinds = telling.note, tf.compat.v1, kinds_of_layers(tf)
    ones = v1.ones_initializer()

    def counted(shape: list[int]) -> Any:
        return tf.reshape(tf.cast(tf.range(int(np.prod(shape))) % 7, tf.float32), shape)

    def first(shape: Any, dtype: Any = None, partition_info: Any = None) -> Any:
        return counted([int(each) for each in shape])

    def tell(layer: Any, inputs: Any, **options: Any) -> None:
        note(lambda: layer(inputs, **options))
        note(lambda: [variable.name for variable in layer.variables])
        note(lambda: [list(variable.shape) for variable in layer.trainable_variables])

    kernel = {"kernel_initializer": first, "bias_initializer": ones}
    tell(kinds["Dense"](2, name="d", activation=tf.nn.relu, **kernel), counted([2, 3]) - 3.0)
    tell(kinds["Dense"](2, name="e", use_bias=False, **kernel), counted([2, 2, 3]))
    options = {"kernel_regularizer": tf.reduce_sum, "trainable": False, **kernel}
    regular = kinds["Dense"](2, name="r", **options)
    tell(regular, counted([1, 3]))
    note(lambda: regular.losses)
    note(regular.count_params)
    with v1.variable_scope("outer"):
        tell(kinds["Dense"](1, **kernel), counted([1, 3]))
        tell(kinds["Dense"](1, **kernel), counted([1, 3]))
    for make in (
        lambda: kinds["Dense"](2)(counted([2])),
        lambda: kinds["Dense"](2)(tf.ones([2, 3], tf.int32)),
        lambda: kinds["Dense"](2, nonsense=1),
        lambda: regular(counted([1, 4])),
        lambda: kinds["Conv2D"](2, 3)(counted([1, 4, 4])),
        lambda: kinds["Conv2D"](2, (3, 3, 3)),
        lambda: kinds["Conv2D"](2, 3, padding="other"),
        lambda: kinds["Conv2D"](2, 3, data_format="other"),
    ):
        note(make)
    for rank, shape in {1: [2, 6], 2: [1, 5, 6], 3: [1, 4, 3, 4]}.items():
        for padding in ("valid", "same"):
            for stride, rate in ((1, 1), (2, 1), (1, 2)):
                if rank == 3 and rate == 2:
                    continue  # TensorFlow has none on the CPU
                options = {"dilation_rate": rate, "name": "c", **kernel}
                made = kinds[f"Conv{rank}D"](2, 2, stride, padding, **options)
                tell(made, counted([*shape, 3]))
            if rank > 1:
                made = kinds[f"Conv{rank}DTranspose"](2, 2, 2, padding, name="t", **kernel)
                tell(made, counted([*shape, 3]))
            if rank < 3:
                options = {"depthwise_initializer": first, "pointwise_initializer": ones}
                options |= {"depth_multiplier": 2, "name": "s"}
                tell(
                    kinds[f"SeparableConv{rank}D"](2, 2, 1, padding, **options),
                    counted([*shape, 3]),
                )
            for kind in ("MaxPooling", "AveragePooling"):
                if padding == "valid" or kind == "MaxPooling":
                    tell(kinds[f"{kind}{rank}D"](2, 2, padding), 8 * counted([*shape, 2]))
    tell(kinds["Flatten"](), counted([2, 3, 4]))
    tell(kinds["Flatten"]("channels_first"), counted([2, 3, 4]))
    tell(kinds["Dropout"](0.5), counted([2, 3]))
    note(lambda: kinds["dense"](counted([1, 3]), 2, kernel_initializer=ones))
    note(lambda: kinds["conv2d"](counted([1, 3, 3, 1]), 1, 3, kernel_initializer=ones))
    note(lambda: kinds["max_pooling2d"](counted([1, 4, 4, 1]), 2, 2))
    note(lambda: kinds["dropout"](counted([1, 4]), training=False))
    note(lambda: kinds["flatten"](counted([1, 2, 2])))


def restored(tf: Any, prefix: str) -> Any:
    """What a saver restores, and what a `Checkpoint` restores by the names."""
    values = []
    for by_object in (False, True):
        a, b = tf.Variable([0.0, 0.0], name="a"), tf.Variable("", name="scope/b")
        if by_object:
            tf.train.Checkpoint(x=a, y=b).restore(prefix).assert_consumed()
        else:
            tf.compat.v1.train.Saver([a, b]).restore(None, prefix)
        values += [a.numpy().tolist(), b.numpy().decode()]
    return values


def told(tf: Any, story: Callable[[Any, Telling], None]) -> list[Any]:
    """What a story gives, in a folder of its own."""
    before = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        telling = Telling(os.path.realpath(folder))
        try:
            story(tf, telling)
        finally:
            os.chdir(before)
    return telling.told


def decays(tf: Any, telling: Telling) -> None:
    """Learning rates that fall: at several steps, in eager code and in functions; and errors."""
    note, train = telling.note, tf.compat.v1.train
    calls = {
        "exponential_decay": [(5, 0.5), (5, 0.5, True)],
        "natural_exp_decay": [(5, 0.5), (5, 0.5, True)],
        "inverse_time_decay": [(5, 0.5), (5, 0.5, True)],
        "polynomial_decay": [(5,), (5, 0.01, 2.0), (5, 0.01, 2.0, True), (5, 0.01, 1.0, True)],
        "cosine_decay": [(5,), (50, 0.25)],
        "cosine_decay_restarts": [(5,), (5, 1.0), (5, 1.5, 0.5, 0.25)],
        "linear_cosine_decay": [(5,), (50, 2.0, 0.1, 0.2)],
    }
    for name, options in calls.items():
        for more in options:
            step = tf.Variable(0, dtype=tf.int64)
            decay = getattr(train, name)
            rate = decay(0.1, step, *more)
            recorded = tf.function(
                lambda decay=decay, step=step, more=more: decay(0.1, step, *more)
            )
            for number in (0, 1, 5, 7, 23):
                step.assign(number)
                note(lambda rate=rate: round(float(rate()), 6))
                note(lambda recorded=recorded: round(float(recorded()), 6))
        note(lambda decay=decay, more=more: decay(0.1, None, *more)())
    note(lambda: train.exponential_decay(tf.constant(0.1, tf.float64), 3, 5, 0.5)().dtype.name)
    step = tf.Variable(0, dtype=tf.int64)
    steps = train.piecewise_constant(step, [2, 5], [1.0, 0.5, 0.25])
    for number in range(8):
        step.assign(number)
        note(steps)
    for x, boundaries, values in (
        (1, [1, 2], [1.0, 2.0]),
        (1.0, [1, 2], [1.0, 2.0, 3.0]),
        (1, [1.5, 2.0], [1.0, 2.0, 3.0]),
        (1, [1, 2], [1.0, 2, 3.0]),
        (2, [1, 2], [1, 2, 3]),
    ):
        note(lambda x=x, b=boundaries, v=values: train.piecewise_constant(x, b, v)())
    tf.random.set_seed(3)
    noisy = train.noisy_linear_cosine_decay(0.1, 12, 50)
    note(lambda: round(float(noisy()), 6))
    note(lambda: round(float(noisy()), 6))


TOLD: dict[str, Callable[[Any, Telling], None]] = {
    "savers": savers,
    "summaries": summaries,
    "graphs": graphs,
    "layers": layers,
    "decays": decays,
}

if __name__ == "__main__":
    import tensorflow

    if sys.argv[1:]:  # a checkpoint that another library has written
        print(restored(tensorflow, sys.argv[1]))
        sys.exit()
    recorded = {name: told(tensorflow, story) for name, story in TOLD.items()}
    stories = [
        f"{json.dumps(name)}: [\n" + ",\n".join(json.dumps(note) for note in notes) + "\n]"
        for name, notes in recorded.items()
    ]
    STORIES.write_text("{\n" + ",\n".join(stories) + "\n}\n")
    variables = [
        tensorflow.Variable([1.0, 2.0], name="a"),
        tensorflow.Variable("é", name="scope/b"),
    ]
    saver = tensorflow.compat.v1.train.Saver(variables)
    saver.save(None, str(SAVED / "m"), global_step=3, write_state=False)
