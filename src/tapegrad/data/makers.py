"""The static methods of data sets, which make data sets from other objects."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tapegrad import dtypes

if TYPE_CHECKING:
    from tapegrad.data.dataset import DatasetV2

Function = Callable[..., Any]


class Makers:
    """The static methods of `DatasetV2`. Each loads the module of what it makes."""

    @staticmethod
    def from_tensors(tensors: Any, name: str | None = None) -> DatasetV2:
        """A data set of one element.

        >>> [x.numpy().tolist() for x in tf.data.Dataset.from_tensors([1, 2])]
        [[1, 2]]
        """
        from tapegrad.data.sources import TensorDataset

        return TensorDataset(tensors, name)

    @staticmethod
    def from_tensor_slices(tensors: Any, name: str | None = None) -> DatasetV2:
        """A data set of the slices of tensors along their first axis.

        >>> [(int(x), float(y)) for x, y in tf.data.Dataset.from_tensor_slices(([1, 2], [0.5, 1.0]))]
        [(1, 0.5), (2, 1.0)]
        """
        from tapegrad.data.sources import TensorSliceDataset

        return TensorSliceDataset(tensors, name)

    @staticmethod
    def range(*args: Any, **kwargs: Any) -> DatasetV2:
        """A data set of whole numbers: ``range(stop)`` or ``range(start, stop, step)``.

        >>> [int(x) for x in tf.data.Dataset.range(5, 1, -2)]
        [5, 3]

        Args:
            *args: as for Python's `range`.
            **kwargs: ``output_type`` (int64 if left out) and ``name``.
        """
        from tapegrad.data.sources import ranged

        return ranged(*args, **kwargs)

    @staticmethod
    def from_generator(
        generator: Callable[..., Any],
        output_types: Any = None,
        output_shapes: Any = None,
        args: Any = None,
        output_signature: Any = None,
        name: str | None = None,
    ) -> DatasetV2:
        """A data set of what ``generator(*args)`` yields, called again for each pass.

        >>> dataset = tf.data.Dataset.from_generator(
        ...     lambda: ([n] * n for n in (1, 2)), output_signature=tf.TensorSpec([None], tf.int32)
        ... )
        >>> [x.numpy().tolist() for x in dataset]
        [[1], [2, 2]]

        Args:
            generator: a function that returns something to iterate over.
            output_types: a nest of dtypes; ``output_signature`` is the better way.
            output_shapes: a nest of shapes, with ``output_types``.
            args: arguments of ``generator``, which gets them as arrays.
            output_signature: a nest of specs, which the elements must fit.
        """
        from tapegrad.data.sources import from_generator

        return from_generator(generator, output_types, output_shapes, args, output_signature, name)

    @staticmethod
    def counter(
        start: Any = 0, step: Any = 1, dtype: Any = dtypes.int64, name: str | None = None
    ) -> DatasetV2:
        """A data set that counts without end, from ``start`` in steps of ``step``."""
        from tapegrad.data.sources import counter

        return counter(start, step, dtype, name)

    @staticmethod
    def random(
        seed: Any = None, rerandomize_each_iteration: bool | None = None, name: str | None = None
    ) -> DatasetV2:
        """A data set of random whole numbers without end: int64, from 0 to 2**32 - 1.

        Each pass has the same numbers unless ``rerandomize_each_iteration`` is True.
        """
        from tapegrad.data.shuffle import RandomDataset

        return RandomDataset(seed, rerandomize_each_iteration, name)

    @staticmethod
    def zip(*args: Any, datasets: Any = None, name: str | None = None) -> DatasetV2:
        """A data set of nests with an element of each data set. It ends with the first that ends.

        >>> a = tf.data.Dataset.range(2)
        >>> [(int(x), int(y)) for x, y in tf.data.Dataset.zip(a, a.map(lambda x: x * 10))]
        [(0, 0), (1, 10)]

        Args:
            *args: data sets, or one nest of them.
            datasets: a nest of data sets, instead.
        """
        from tapegrad.data.combine import zipped

        return zipped(args, datasets, name)

    @staticmethod
    def choose_from_datasets(
        datasets: Any, choice_dataset: DatasetV2, stop_on_empty_dataset: bool = True
    ) -> DatasetV2:
        """A data set whose next element comes from the data set with the number in ``choice_dataset``."""
        from tapegrad.data.combine import choose_from_datasets

        return choose_from_datasets(datasets, choice_dataset, stop_on_empty_dataset)

    @staticmethod
    def sample_from_datasets(
        datasets: Any,
        weights: Any = None,
        seed: Any = None,
        stop_on_empty_dataset: bool = False,
        rerandomize_each_iteration: bool | None = None,
    ) -> DatasetV2:
        """A data set whose next element comes from a data set drawn at random, with these weights."""
        from tapegrad.data.sampling import sample_from_datasets

        return sample_from_datasets(
            datasets, weights, seed, stop_on_empty_dataset, rerandomize_each_iteration
        )

    @staticmethod
    def list_files(
        file_pattern: Any, shuffle: Any = None, seed: Any = None, name: str | None = None
    ) -> DatasetV2:
        """A data set of the names of files that match patterns, shuffled unless ``shuffle`` is False."""
        from tapegrad.data.files import list_files

        return list_files(file_pattern, shuffle, seed, name)

    @staticmethod
    def load(
        path: str,
        element_spec: Any = None,
        compression: str | None = None,
        reader_func: Function | None = None,
        wait: bool = False,
    ) -> DatasetV2:
        """The data set that `save` wrote at ``path``."""
        from tapegrad.data.stored import load

        return load(path, element_spec, compression, reader_func, wait)
