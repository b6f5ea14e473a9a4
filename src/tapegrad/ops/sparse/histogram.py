"""Counting: how many values fall into each bin, equal each integer, or each pair of labels."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapegrad import dtypes
from tapegrad.core import EagerTensor, Tensor, convert, public, static_value
from tapegrad.core.abstract import is_true
from tapegrad.core.compositions import composition
from tapegrad.core.sizes import maximum, minimum
from tapegrad.engines.numpy import bands
from tapegrad.errors import refuse
from tapegrad.ops.args import static_bool, static_dtype, static_int
from tapegrad.ops.elementwise import math, rounding
from tapegrad.ops.gradients import zeros
from tapegrad.ops.indexing import gather
from tapegrad.ops.op import INDEX, op
from tapegrad.ops.reduce import reduce
from tapegrad.ops.shape import array, casts, creation, joining
from tapegrad.ops.shape_rules import Abstract
from tapegrad.ops.sparse.sparse_tensor import shape_of

PUBLIC = {
    ". compat.v1": "histogram_fixed_width histogram_fixed_width_bins",
    "math": "bincount confusion_matrix",
}


COUNTED = frozenset({dtypes.int32, dtypes.int64, dtypes.float32, dtypes.float64})
LARGEST_COUNT = 2**31 - 1


# Histograms over a range


def _count_dtype(value: Any) -> dtypes.DType:
    dtype = static_dtype(value)
    if dtype not in INDEX:
        refuse(f"A histogram counts in int32 or int64, not in {dtype.name}.")
    return dtype


@op(
    "HistogramFixedWidth",
    dtypes=COUNTED,
    convert={"nbins": static_int, "dtype": _count_dtype},
    values="errors",
)
def histogram_fixed_width(xp, values, value_range, *, nbins=100, dtype=dtypes.int32):
    """How many of ``values`` fall into each of ``nbins`` equal parts of ``value_range``.

    Values below the range count for the first bin, and values above it for the last.

    >>> tf.histogram_fixed_width([-1.0, 0.0, 1.5, 2.0, 5.0, 15.0], [0.0, 5.0], nbins=5).numpy()
    array([2, 1, 1, 0, 2], dtype=int32)
    """
    if value_range.shape != (2,):
        refuse(
            f"value_range should be a vector of 2 elements; its shape is {list(value_range.shape)}."
        )
    if nbins <= 0:
        refuse(f"nbins should be a positive number, but got {nbins}.")
    if nbins > LARGEST_COUNT:
        refuse(f"nbins = {nbins} is more than {LARGEST_COUNT}.")
    low, high = float(value_range[0]), float(value_range[1])
    if not low < high:
        refuse(
            f"value_range should satisfy value_range[0] < value_range[1], but got [{low}, {high}]."
        )
    numbers = values.reshape(-1).astype(np.float64)
    if np.isnan(numbers).any():
        refuse("Histogram values must not contain NaN.")
    places = np.clip((numbers - low) / ((high - low) / nbins), 0, nbins - 1).astype(np.int64)
    return np.bincount(places, minlength=nbins).astype(dtype.as_numpy_dtype)


histogram_fixed_width.shape(lambda nbins, dtype: Abstract([nbins], dtype))
histogram_fixed_width.no_gradient()


@public
def histogram_fixed_width_bins(
    values: Any,
    value_range: Any,
    nbins: Any = 100,
    dtype: Any = dtypes.int32,
    name: str | None = None,
) -> Tensor:
    """The number of the bin into which each of ``values`` falls, of ``nbins`` equal parts of the range.

    >>> tf.histogram_fixed_width_bins([-1.0, 0.0, 1.5, 2.0, 5.0, 15.0], [0.0, 5.0], nbins=5).numpy()
    array([0, 0, 1, 2, 4, 4], dtype=int32)

    The result is int32 whatever ``dtype`` is, as in TensorFlow.

    Differs from TensorFlow: it takes integers too.

    Args:
        values: a tensor of real numbers.
        value_range: two numbers, the lower and the upper end. Values outside fall into the first or the last
            bin.
        nbins: a positive integer.
        dtype: of no effect.
    """
    values = convert(values)
    value_range = convert(value_range, values.dtype)
    nbins = static_int(nbins)
    if nbins <= 0:
        refuse(f"nbins must be > 0; it is {nbins}.")
    low, high = value_range[0], value_range[1]
    scaled = math.truediv(values - low, high - low)
    places = rounding.floor(scaled * convert(nbins, scaled.dtype))
    last = convert(nbins - 1, scaled.dtype)
    bounded = math.minimum(math.maximum(places, convert(0, scaled.dtype)), last)
    return casts.cast(bounded, dtypes.int32)


# Counting integers


@op(
    "DenseBincount",
    dtypes={"input": INDEX, "weights": COUNTED},
    convert={"size": static_int, "binary_output": static_bool},
    raw=("input", "weights", "size", "binary_output"),
    lane=bands.count_integers,
    values="errors",
)
def dense_bincount(xp, input, weights, *, size, binary_output=False):
    """How often each integer below ``size`` occurs in a vector, or in each row. See ``tf.math.bincount``."""
    if input.ndim > 2:
        refuse(f"Shape must be at most rank 2 but is rank {input.ndim}.")
    if size < 0:
        refuse(f"size ({size}) must be non-negative.")
    if weights.size and weights.shape != input.shape:
        refuse(
            "`weights` must be of the shape of the integers counted, or of length 0; "
            f"got {list(weights.shape)} for {list(input.shape)}."
        )
    if input.size and int(input.min()) < 0:
        refuse("Input arr must be non-negative!")
    rows = input.reshape((1, -1) if input.ndim < 2 else input.shape)
    count = rows.shape[0]
    result = np.zeros((count, size), weights.dtype)
    keep = rows < size
    where = (np.nonzero(keep)[0], rows[keep])
    if binary_output:
        result[where] = 1
    elif weights.size:
        np.add.at(result, where, weights.reshape(rows.shape)[keep])
    else:
        np.add.at(result, where, 1)
    return result if input.ndim == 2 else result[0]


dense_bincount.shape(
    lambda input, weights, size: Abstract(
        (input.shape[0], size) if input.ndim == 2 else (size,), weights.dtype
    )
)


@composition
def bincount(
    arr: Any,
    weights: Any = None,
    minlength: Any = None,
    maxlength: Any = None,
    dtype: Any = dtypes.int32,
    name: str | None = None,
    axis: Any = None,
    binary_output: bool = False,
) -> Tensor:
    """How often each integer from 0 on occurs in ``arr``.

    >>> tf.math.bincount([1, 1, 2, 3]).numpy()
    array([0, 2, 1, 1], dtype=int32)
    >>> tf.math.bincount([[1, 1], [2, 3]], axis=-1).numpy()
    array([[0, 2, 0, 0],
           [0, 0, 1, 1]], dtype=int32)

    Args:
        arr: integers from 0 on.
        weights: the weight of each element of ``arr``, in place of 1. It decides the dtype of the result.
        minlength, maxlength: bounds for the length of the result. Larger integers are not counted.
        dtype: the dtype of the result if there are no weights.
        axis: None or 0 to count all elements, -1 to count in each row.
        binary_output: whether to return only if an integer occurs.
    """
    if axis not in (None, 0, -1):
        raise ValueError(
            f"Unsupported value for argument axis={axis}. Only 0 and -1 are supported."
        )
    if binary_output and weights is not None:
        raise ValueError("Give either binary_output=True or weights: they exclude each other.")
    sparse_rows = None
    if type(arr) is not EagerTensor and hasattr(arr, "dense_shape"):
        if axis == -1 and len(shape_of(arr)) == 2:
            sparse_rows = (arr.indices[:, 0], shape_of(arr)[0])
        arr = arr.values
        weights = weights.values if hasattr(weights, "dense_shape") else weights
    arr = convert(arr)
    if not arr.dtype.is_integer:
        arr = casts.cast(arr, dtypes.int32)
    if axis != -1 and arr.ndim != 1:
        arr = array.reshape(arr, [-1])
        weights = weights if weights is None else array.reshape(convert(weights), [-1])
    size: Any = static_value(_number_of_bins(arr), "integer").item()
    if minlength is not None:
        size = maximum(size, static_int(minlength))
    if maxlength is not None:
        size = minimum(size, static_int(maxlength))
    dtype = dtypes.as_dtype(dtype)
    factors: Tensor = zeros((0,), dtype) if weights is None else convert(weights)
    if sparse_rows is None:
        return dense_bincount(arr, factors, size, binary_output)
    if weights is not None and factors._shape_tuple() == arr._shape_tuple():
        factors = gather.gather(factors, _places_below(arr, size))
    return _count_by_row(arr, factors, size, binary_output, sparse_rows)


def _count_by_row(
    values: Tensor, weights: Tensor, size: int, binary_output: bool, rows: tuple[Any, int]
) -> Tensor:
    """The counts of the values in each row of a sparse matrix. They are counted as one long row, of which
    each row has a stretch."""
    row, count = rows
    counts = dense_bincount(
        _places_in_rows(values, row, size), weights, count * size, binary_output
    )
    return array.reshape(counts, [count, size])


@op("_NumberOfBins", values="elements")
def _number_of_bins(xp, numbers):
    """One more than the largest number, and 0 if there is none."""
    return xp.array(max(bands.largest(numbers) + 1, 0) if numbers.size else 0, np.int64)


_number_of_bins.shape(lambda: Abstract((), dtypes.int64))
_number_of_bins.no_gradient()


@op("_PlacesBelow", dtypes=INDEX)
def _places_below(xp, numbers, *, size):
    return xp.flatnonzero(numbers < size)


_places_below.shape(lambda: Abstract([None], dtypes.int64))


@op("_PlacesInRows", dtypes={"numbers": INDEX, "rows": INDEX})
def _places_in_rows(xp, numbers, rows, *, size):
    """The index of each number below ``size`` in one long row, of which each row has a stretch."""
    if numbers.size and int(numbers.min()) < 0:
        refuse("Input arr must be non-negative!")
    return (rows * size + numbers)[numbers < size].astype(np.int64)


_places_in_rows.shape(lambda: Abstract([None], dtypes.int64))


_places_below.no_gradient()
_places_in_rows.no_gradient()


# Confusion matrix


@composition
def confusion_matrix(
    labels: Any,
    predictions: Any,
    num_classes: Any = None,
    weights: Any = None,
    dtype: Any = dtypes.int32,
    name: str | None = None,
) -> Tensor:
    """How often each class (row) was predicted as each class (column).

    >>> tf.math.confusion_matrix([1, 2, 2], [2, 2, 0]).numpy()
    array([[0, 0, 0],
           [0, 0, 1],
           [1, 0, 1]], dtype=int32)

    Args:
        labels: a vector of integers, the true classes.
        predictions: a vector of integers, the predicted classes.
        num_classes: the number of classes; by default one more than the largest label or prediction.
        weights: the weight of each prediction, in place of 1.
        dtype: the dtype of the result.

    Differs from TensorFlow: labels of rank 2 and more are counted element by element.
    """
    labels, predictions = convert(labels), convert(predictions)
    # The predictions of a classifier may have a last axis of length 1 that the labels lack, or vice versa.
    if predictions.ndim == labels.ndim + 1 and predictions._shape_tuple()[-1] == 1:
        predictions = array.squeeze(predictions, [-1])
    elif labels.ndim == predictions.ndim + 1 and labels._shape_tuple()[-1] == 1:
        labels = array.squeeze(labels, [-1])
    if labels._shape_tuple() != predictions._shape_tuple():
        refuse(
            "labels and predictions must have one shape, "
            f"not {list(labels.shape)} and {list(predictions.shape)}."
        )
    dtype = dtypes.as_dtype(dtype)
    pairs = {
        what: casts.cast(array.reshape(values, [-1]), dtypes.int64)
        for what, values in (("labels", labels), ("predictions", predictions))
    }
    for what, numbers in pairs.items():
        if is_true(reduce.reduce_any(numbers < 0), what):
            least = static_int(reduce.reduce_min(numbers))
            refuse(f"`{what}` contains negative values: {least}.")
    if num_classes is not None:
        count = static_int(num_classes)
        for what, numbers in pairs.items():
            if is_true(reduce.reduce_any(numbers >= count), what):
                refuse(
                    f"`{what}` out of bound: {static_int(reduce.reduce_max(numbers))} is not one of "
                    f"the {count} classes, 0 to {count - 1}."
                )
    elif labels.shape.num_elements() == 0:
        count = 0
    else:
        count = static_int(reduce.reduce_max(joining.stack(list(pairs.values())))) + 1
    if weights is None:
        counted = creation.ones(pairs["labels"]._shape_tuple(), dtype)
    else:
        weights = convert(weights)
        if predictions._shape_tuple() != weights._shape_tuple():
            raise ValueError(
                f"Shapes {predictions._shape_tuple()} of the predictions "
                f"and {weights._shape_tuple()} of the weights are incompatible."
            )
        counted = casts.cast(array.reshape(weights, [-1]), dtype)
    places = joining.stack([pairs["labels"], pairs["predictions"]], axis=1)
    return gather.scatter_nd(places, counted, [count, count])
