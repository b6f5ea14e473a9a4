"""The folder of a SavedModel: `write_model` writes it beside the old one, and puts it in its place."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from tapegrad.framework.file_errors import as_tf_errors
from tapegrad.io.exchange import new_folder_for
from tapegrad.io.wire import VARINT, varint
from tapegrad.ops.strings.hashes import fingerprint64
from tapegrad.saving.bundles import data_files, data_path, index_of, write_data
from tapegrad.saving.files import MODEL_FILE, earlier_files
from tapegrad.saving.graphs.models import read_model
from tapegrad.saving.options import (
    ASSETS_DIRECTORY,
    SAVED_MODEL_FILENAME_PB,
    VARIABLES_DIRECTORY,
    VARIABLES_FILENAME,
)
from tapegrad.saving.writing.models import Model

FINGERPRINT = "fingerprint.pb"


def write_model(target: str, model: Model) -> None:
    """Write a model into a folder, in place of the one that is there."""
    with as_tf_errors(target), new_folder_for(target, _parts_of_model) as folder:
        names = (VARIABLES_DIRECTORY, ASSETS_DIRECTORY)
        for name in names[: 2 if model.assets else 1]:
            os.mkdir(os.path.join(folder, name))
        for name, source in model.assets:
            with as_tf_errors(source):
                shutil.copyfile(source, os.path.join(folder, ASSETS_DIRECTORY, name))
        prefix = os.path.join(folder, VARIABLES_DIRECTORY, VARIABLES_FILENAME)
        with data_path(prefix, 0, 1).open("wb") as file:
            entries = write_data(file, model.checkpoint, model.tensors)
        index = index_of(entries, 1)
        Path(f"{prefix}.index").write_bytes(index)
        content = model.message.SerializeToString()
        (Path(folder) / FINGERPRINT).write_bytes(_fingerprint(model, content, index))
        (Path(folder) / SAVED_MODEL_FILENAME_PB).write_bytes(content)


def _parts_of_model(folder: Path) -> set[str]:
    """The files and folders of the model in a folder, of either format, by their paths there."""
    files, folders = earlier_files(folder)
    parts = {*files, MODEL_FILE} if files else set()
    parts |= {name for name in folders if (folder / name).is_dir()}
    try:
        model = read_model(str(folder))
    except OSError:
        return parts  # there is none, or nobody knows what belongs to it
    prefix = str(folder / VARIABLES_DIRECTORY / VARIABLES_FILENAME)
    index = Path(f"{prefix}.index")
    assets = [asset.filename for graph in model.meta_graphs for asset in graph.asset_file_def]
    parts |= {SAVED_MODEL_FILENAME_PB, FINGERPRINT}
    parts |= {name for name in (VARIABLES_DIRECTORY, ASSETS_DIRECTORY) if (folder / name).is_dir()}
    parts |= {f"{ASSETS_DIRECTORY}/{name}" for name in assets}
    parts |= {f"{VARIABLES_DIRECTORY}/{name}" for name in (index.name, *data_files(prefix, index))}
    return parts


def _fingerprint(model: Model, content: bytes, index: bytes) -> bytes:
    """The hashes of the parts of a model, in the message that `read_fingerprint` reads."""
    signatures = b"".join([
        key.encode() + own.SerializeToString()
        for key, own in sorted(model.meta.signature_def.items())
    ])  # fmt: skip
    parts = [
        content,
        model.meta.graph_def.SerializeToString(),
        signatures,
        model.meta.object_graph_def.SerializeToString(),
        index,
    ]
    return b"".join([
        varint(number << 3 | VARINT) + varint(fingerprint64(part))
        for number, part in enumerate(parts, 1)
    ])  # fmt: skip
