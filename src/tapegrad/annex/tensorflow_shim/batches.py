"""How many elements a data set batches: ``python.data.experimental.ops.distribute``, which Keras calls."""

from __future__ import annotations

from typing import Any

from tapegrad import dtypes
from tapegrad.core import Tensor
from tapegrad.data.batching import BatchDataset, PaddedBatchDataset
from tapegrad.data.combine import ConcatenateDataset, ZipDataset
from tapegrad.data.dataset import UnaryUnchangedStructureDataset
from tapegrad.framework.nest import flatten
from tapegrad.ops.shape.creation import constant


def compute_batch_size(dataset: Any) -> Tensor:
    """The size of the batches of ``dataset`` as an int64, or -1 if it is unknown.

    >>> from tapegrad.annex.tensorflow_shim.batches import compute_batch_size
    >>> compute_batch_size(tf.data.Dataset.range(10).batch(4).prefetch(1)).numpy()
    np.int64(4)

    Raises:
        ValueError: The elements are scalars, or hold scalars, and so are no batches.
    """
    shapes = [spec.shape for spec in flatten(dataset.element_spec)]
    if any(shape.rank == 0 for shape in shapes):
        raise ValueError(
            "compute_batch_size: the elements must be batches, with an axis at least; "
            f"element_spec is {dataset.element_spec!r}"
        )
    sizes = {None if shape.rank is None else shape[0] for shape in shapes}
    size = sizes.pop() if len(sizes) == 1 else None
    return constant(batch_size(dataset) if size is None else size, dtypes.int64)


def batch_size(dataset: Any) -> int:
    """The size of the batches, by the way in which ``dataset`` was made; or -1."""
    if isinstance(dataset, (BatchDataset, PaddedBatchDataset)):
        return int(dataset._batch_size)
    if isinstance(dataset, (ConcatenateDataset, UnaryUnchangedStructureDataset, ZipDataset)):
        sizes = {batch_size(part) for part in dataset._inputs()}
        return sizes.pop() if len(sizes) == 1 else -1
    return -1
