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


TOLD: dict[str, Callable[[Any, Telling], None]] = {"savers": savers}

if __name__ == "__main__":
    import tensorflow

    if sys.argv[1:]:  # a checkpoint that another library has written
        print(restored(tensorflow, sys.argv[1]))
        sys.exit()
    recorded = {name: told(tensorflow, story) for name, story in TOLD.items()}
    STORIES.write_text(json.dumps(recorded, indent=0) + "\n")
    variables = [
        tensorflow.Variable([1.0, 2.0], name="a"),
        tensorflow.Variable("é", name="scope/b"),
    ]
    saver = tensorflow.compat.v1.train.Saver(variables)
    saver.save(None, str(SAVED / "m"), global_step=3, write_state=False)
