"""Data sets that draw at random which input to read next, or whether to keep an element."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tapegrad import dtypes
from tapegrad.core import static_value
from tapegrad.data import structure
from tapegrad.data.arguments import check_callable, check_seed
from tapegrad.data.combine import DirectedInterleaveDataset, ZipDataset
from tapegrad.data.dataset import DatasetV2, check_dataset
from tapegrad.data.shuffle import RandomDataset
from tapegrad.data.sources import TensorDataset
from tapegrad.data.transforms import MapDataset
from tapegrad.framework.convert import convert_to_tensor
from tapegrad.ops.elementwise.exponential import log
from tapegrad.ops.elementwise.logic import less
from tapegrad.ops.indexing.gather import gather
from tapegrad.ops.random.distributions import stateless_categorical
from tapegrad.ops.random.draws import uniform
from tapegrad.ops.reduce.reduce import reduce_max, reduce_min, reduce_sum
from tapegrad.ops.shape.array import reshape, tile
from tapegrad.ops.shape.casts import cast
from tapegrad.ops.shape.creation import fill, one_hot, ones
from tapegrad.ops.shape.joining import stack


def sample_from_datasets(
    datasets: Any,
    weights: Any,
    seed: Any,
    stop_on_empty_dataset: bool,
    rerandomize_each_iteration: bool | None,
) -> DatasetV2:
    """``Dataset.sample_from_datasets``."""
    if isinstance(datasets, np.ndarray) or not datasets:
        raise ValueError(
            f"Invalid `datasets`: a list of data sets was expected, but got {datasets!r}."
        )
    if not isinstance(datasets, (list, tuple)):
        raise TypeError(
            f"Invalid `datasets`: a list of data sets was expected, but got {datasets!r}."
        )
    candidates: list[DatasetV2] = list(datasets)
    for candidate in candidates:
        check_dataset(candidate, "datasets", "sample_from_datasets()")
    if isinstance(weights, DatasetV2):
        for spec in structure.flatten(weights.element_spec):
            if spec.dtype not in (dtypes.float32, dtypes.float64):
                raise TypeError(
                    "Invalid `weights`. `weights` type must be either `tf.float32` or `tf.float64` but "
                    f"is {spec.dtype!r}."
                )
        if len(candidates) == 1:
            return candidates[0]
        logits = weights.map(
            lambda *weights: log(stack(weights) if len(weights) > 1 else weights[0])
        )
        draw = logits.map(lambda row: reshape(row, [1, -1]))
    else:
        logits_tensor = None
        if weights is not None:
            try:
                tensor = convert_to_tensor(weights)
            except ValueError as error:
                raise TypeError(
                    f"Invalid `weights`: a list of numbers was expected, but got {weights!r}."
                ) from error
            if tensor.ndim != 1 or tensor.shape[0] != len(candidates):
                raise ValueError(
                    "Invalid `weights`. `weights` should have the same length as `datasets` but got "
                    f"`len(weights)={tensor.shape[0] if tensor.ndim else 0}` vs. "
                    f"`len(candidates)={len(candidates)}`."
                )
            if tensor.dtype not in (dtypes.float32, dtypes.float64):
                raise TypeError(
                    "Invalid `weights`. `weights` type must be either `tf.float32` or `tf.float64` but "
                    f"is {tensor.dtype!r}."
                )
            numbers = static_value(tensor, "weights").tolist()
            # A data set of weight zero is never drawn, so that its end counts for nothing.
            kept = [index for index, weight in enumerate(numbers) if weight != 0]
            candidates = [candidates[index] for index in kept]
            logits_tensor = log(gather(tensor, kept))
        if len(candidates) == 1:
            return candidates[0]
        if logits_tensor is None:
            logits_tensor = ones([len(candidates)])
        row = reshape(logits_tensor, [1, -1])
        draw = TensorDataset(row).repeat()
    seeds = RandomDataset(seed, rerandomize_each_iteration).batch(2)

    def chosen(logits: Any, pair: Any) -> Any:
        return reshape(stateless_categorical(logits, 1, pair), [])

    return DirectedInterleaveDataset(
        MapDataset(ZipDataset((draw, seeds)), chosen), candidates, stop_on_empty_dataset
    )


def rejection_resampled(
    dataset: DatasetV2,
    class_func: Callable[..., Any],
    target_dist: Any,
    initial_dist: Any,
    seed: Any,
) -> DatasetV2:
    """``dataset.rejection_resample``."""
    check_callable(class_func, "class_func", "Dataset.rejection_resample()")
    check_seed(seed, "Dataset.rejection_resample()")
    target = cast(convert_to_tensor(target_dist), dtypes.float32)
    classes = MapDataset(dataset, class_func)
    if initial_dist is None:
        initial = estimated_distribution(target, classes)
    else:
        initial_dist = cast(convert_to_tensor(initial_dist), dtypes.float32)
        initial = TensorDataset(initial_dist).repeat()
    odds = MapDataset(initial, lambda distribution: acceptance_of(distribution, target))

    def with_class(*element: Any) -> Any:
        whole = element if len(element) > 1 else element[0]
        return class_func(*element), whole

    def chance_of(probabilities: Any, _: Any, element: Any) -> Any:
        number = convert_to_tensor(
            class_func(*element) if type(element) is tuple else class_func(element)
        )
        return number, gather(probabilities, number), element

    def accepts(number: Any, chance: Any, element: Any) -> Any:
        return less(uniform([], seed=seed, dtype=chance.dtype), chance)

    # TensorFlow reads ``initial`` here once more, for a warning: a shuffled ``dataset`` has one more pass.
    chances = MapDataset(odds, lambda chances, _: chances)
    accepted = MapDataset(ZipDataset((chances, initial, dataset)), chance_of).filter(accepts)
    filtered = MapDataset(accepted, lambda number, _, element: (number, element)).prefetch(3)
    if initial_dist is not None:
        ratio = ratios(initial_dist, target)
        original = float(reduce_min(ratio))
        if original == 1:
            return MapDataset(dataset, with_class)
        if original == 0:
            return filtered
    shares = MapDataset(odds, lambda _, share: stack([share, 1.0 - share]))
    return sample_from_datasets(
        [MapDataset(dataset, with_class), filtered], shares, seed, True, None
    )


def ratios(initial: Any, target: Any) -> Any:
    """For each class, its target frequency divided by its frequency in the data."""
    smallest = np.finfo(initial.dtype.as_numpy_dtype).tiny
    return target / (initial + smallest)


def acceptance_of(initial: Any, target: Any) -> tuple[Any, Any]:
    """The chance of each class to be accepted, and the share of elements that need no such test."""
    ratio = ratios(initial, target)
    largest, smallest = reduce_max(ratio), reduce_min(ratio)
    return (ratio - smallest) / (largest - smallest), smallest


def estimated_distribution(target: Any, classes: DatasetV2) -> DatasetV2:
    """The shares of the classes, for each element: estimated from all before and from its 32 neighbours."""
    number = target.shape[0]

    def update(seen: Any, batch: Any) -> Any:
        seen = seen + reduce_sum(one_hot(batch, number, dtype=dtypes.int64), 0)
        share = cast(seen / reduce_sum(seen), dtypes.float32)
        return seen, tile(reshape(share, [1, -1]), [_ESTIMATED_AT_ONCE, 1])

    first = fill([number], convert_to_tensor(_SEEN_BEFORE, dtypes.int64))
    return classes.batch(_ESTIMATED_AT_ONCE).scan(first, update).unbatch()


# TensorFlow's choices: how many elements one estimate serves, and how often each class counts as seen before
# the first.
_ESTIMATED_AT_ONCE = 32
_SEEN_BEFORE = 10
