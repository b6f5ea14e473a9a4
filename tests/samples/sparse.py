"""Sparse tensors, by their values, and the ops on their parts."""

from __future__ import annotations

from typing import Any

from . import REAL_FLOATS, Sample, call, look_up
from .draws import (
    COMPLEX,
    SIGNED,
    UNSIGNED,
    Draw,
    between,
    distinct,
    given,
    integers,
    nonzero,
    reals,
)

_INDICES = [[0, 1], [2, 0]]
_BOTH = ("float32", "float64")
_PLAIN = ("float32", "float64", "complex64")


def _places(*rows: list[int]) -> Draw:
    return given(list(rows), "int64")


def samples(tf: Any) -> list[Sample]:
    """Rows of this family."""

    def row(function: Any, cases: list[Any], name: str, **more: Any) -> Sample:
        return Sample(function, cases, name=name, dtypes=_PLAIN, **more)

    def sparse(tf: Any, values: Any) -> Any:
        return tf.SparseTensor(_INDICES, values, [3, 2])

    return [
        row(lambda tf, v: tf.sparse.to_dense(sparse(tf, v)), [reals(2)], "tf.sparse.to_dense"),
        row(lambda tf, v, y: tf.sparse.sparse_dense_matmul(sparse(tf, v), y),
            [call(reals(2), reals(2, 2))], "tf.sparse.sparse_dense_matmul"),
        row(lambda tf, x: tf.sparse.from_dense(x).values, [reals(2, 3)], "tf.sparse.from_dense"),
        row(lambda tf, x: tf.sparse.mask(tf.IndexedSlices(x, tf.constant([3, 0, 3, 1])), [3, 2]).values,
            [reals(4, 2)], "tf.sparse.mask"),
        Sample(lambda tf, v: tf.sparse.to_indicator(sparse(tf, v), 5), [given([3, 1])],
               name="tf.sparse.to_indicator", dtypes=("int32", "int64"), differentiable=False),
        row(lambda tf, v, a, b: tf.sparse.sampled_addmm(_INDICES, v, [3, 2], a, b, 2.0, 0.5, v.dtype)[1],
            [call(reals(2), reals(3, 2), reals(2, 2))], "tf.sparse.sampled_addmm"),
        row(lambda tf, v, a, b: tf.sparse.sampled_addmm(
                [[[0, 1]], [[1, 0]]], v, [2, 2], a, b, output_type=v.dtype),
            [call(reals(2, 1), reals(2, 2, 3), reals(2, 3, 2))], "tf.sparse.sampled_addmm of a batch"),
        *_elementwise(tf), *_one(tf.raw_ops), *_two(tf.raw_ops), *_rows_of_text(tf.raw_ops),
    ]  # fmt: skip


def _elementwise(tf: Any) -> list[Sample]:
    """Functions of tensors that a sparse one goes through, element by element."""

    def row(function: Any, *cases: Any, dtypes: tuple[str, ...] = _PLAIN) -> Sample:
        def through(space: Any, values: Any, *more: Any) -> Any:
            sparse = space.SparseTensor(_INDICES, values, [3, 2])
            result = look_up(space, repr(function)[3:])(sparse, *more)
            return [result.values, result.indices, result.dense_shape]

        return Sample(through, list(cases), name=f"{function!r} of a SparseTensor", dtypes=dtypes)

    return [
        *(row(function, nonzero(2), dtypes=(*_PLAIN, "int32"))
          for function in (tf.abs, tf.negative, tf.sign, tf.square, tf.identity, tf.stop_gradient)),
        *(row(function, between(0.1, 0.9, 2))
          for function in (tf.sqrt, tf.sin, tf.tan, tf.tanh, tf.asin, tf.asinh, tf.atan, tf.atanh)),
        *(row(function, reals(2), dtypes=_BOTH)
          for function in (tf.math.erf, tf.math.bessel_i0e, tf.math.bessel_i1e)),
        row(tf.cast, call(reals(2), "float64"), call(reals(2), "int32"), call(reals(2), "complex128")),
        row(tf.divide, call(reals(2), 2.0), call(reals(2), nonzero(3, 2))),
    ]  # fmt: skip


def _one(raw: Any) -> list[Sample]:
    """Ops on one sparse tensor."""
    indices, shape = _places([0, 1], [2, 0]), given([3, 2], "int64")
    unsorted = _places([2, 1], [0, 1], [1, 1], [0, 0])
    three = {"input_indices": indices, "input_values": reals(2), "input_shape": shape}
    named = {"sp_indices": indices, "sp_values": reals(2), "sp_shape": shape}
    fill = {"indices": indices, "values": reals(2), "dense_shape": shape, "default_value": reals()}
    return [
        Sample(raw.SparseReorder, [
               call(input_indices=unsorted, input_values=reals(4), input_shape=shape), call(**three),
               call(input_indices=_places([0], [0]), input_values=reals(2), input_shape=given([2], "int64")),
               call(input_indices=integers(0, 1, 0, 2, dtype="int64"), input_values=reals(0),
                    input_shape=shape)], dtypes=_PLAIN),
        Sample(raw.SparseReshape, [call(input_indices=indices, input_shape=shape, new_shape=[2, -1]),
               call(input_indices=indices, input_shape=shape, new_shape=[6])], differentiable=False),
        Sample(raw.SparseSlice, [call(indices=indices, values=reals(2), shape=shape, start=start, size=size)
               for start, size in (([1, 0], [9, 1]), ([0, 0], [3, 2]), ([5, 5], [1, 1]), ([0, 1], [1, 1]))],
               dtypes=_BOTH),
        Sample(raw.SparseReduceSum, [call(**three, reduction_axes=[0]),
               call(**three, reduction_axes=[-1], keep_dims=True),
               call(**three, reduction_axes=[0, 1])],
               dtypes=(*REAL_FLOATS, *COMPLEX, *SIGNED, *UNSIGNED)),
        Sample(raw.SparseReduceMax, [call(**three, reduction_axes=[0])],
               dtypes=(*REAL_FLOATS, *SIGNED, *UNSIGNED)),
        Sample(raw.SparseSoftmax, [call(**named),
               call(sp_indices=_places([0, 0], [0, 1], [2, 1]), sp_values=reals(3), sp_shape=shape)],
               dtypes=("float16", "float32", "float64")),
        Sample(raw.SparseFillEmptyRows, [call(**fill),
               call(indices=unsorted, values=reals(4), dense_shape=given([4, 2], "int64"),
                    default_value=reals()),
               call(indices=_places([3, 0]), values=reals(1), dense_shape=shape, default_value=reals())],
               dtypes=_PLAIN),
        Sample(raw.SparseFillEmptyRowsGrad, [call(reverse_index_map=given([2, 0], "int64"),
               grad_values=reals(4))], dtypes=_BOTH),
        *(Sample(getattr(raw, name), [call(**named, dense=nonzero(2)), call(**named, dense=nonzero(3, 2))],
          dtypes=_BOTH) for name in ("SparseDenseCwiseMul", "SparseDenseCwiseDiv")),
        Sample(raw.SparseDenseCwiseAdd, [call(**named, dense=reals(2))], dtypes=_BOTH),
        Sample(raw.SparseToDense, [
               call(sparse_indices=indices, output_shape=shape, sparse_values=reals(2),
                    default_value=reals()),
               call(sparse_indices=_places([2, 0], [0, 1]), output_shape=shape, sparse_values=reals(2),
                    default_value=reals(), validate_indices=False)], dtypes=_PLAIN),
        Sample(raw.SparseToDense, [
               call(sparse_indices=where, output_shape=given([4], "int64"), sparse_values=values,
                    default_value=reals())
               for where, values in ((given([1, 3], "int64"), reals(2)), (given(2, "int64"), reals()),
                                     (given([3, 1], "int64"), reals(2)), (given([1, 1], "int64"), reals(2)),
                                     (given([1, 4], "int64"), reals(2)))],
               name="raw_ops.SparseToDense of a vector", dtypes=_BOTH),
        Sample(raw.SetSize, [call(set_indices=indices, set_values=given([7, 7]), set_shape=shape)],
               dtypes=("int32", "int64"), differentiable=False),
    ]  # fmt: skip


def _two(raw: Any) -> list[Sample]:
    """Ops on two, or on one and a dense tensor."""
    indices, shape = _places([0, 1], [2, 0]), given([3, 2], "int64")
    other = _places([0, 0], [0, 1], [1, 1])
    a = {"a_indices": indices, "a_values": distinct(2), "a_shape": shape}
    b = {"b_indices": other, "b_values": distinct(3), "b_shape": shape}

    def add(least: float) -> Any:
        # In the dtype of the values: TensorFlow misreads another.
        def run(tf: Any, a_values: Any, **given: Any) -> Any:
            thresh = tf.cast(least, a_values.dtype.real_dtype)
            return tf.raw_ops.SparseAdd(a_values=a_values, **given, thresh=thresh)

        return run

    return [
        Sample(raw.SparseTensorDenseMatMul, [call(**a, b=reals(2, 3)),
               call(**a, b=reals(3, 2), adjoint_a=True), call(**a, b=reals(3, 2), adjoint_b=True),
               call(**a, b=reals(4, 3), adjoint_a=True, adjoint_b=True), call(**a, b=reals(2, 0)),
               call(**a, b=reals(3, 2))],
               dtypes=(*REAL_FLOATS, *COMPLEX, "int32")),
        Sample(lambda tf, **given: tf.raw_ops.SparseTensorDenseMatMul(
               **given, adjoint_a=True, adjoint_b=True), [call(**a, b=reals(2, 3))],
               name="SparseTensorDenseMatMul of adjoints", dtypes=(*_BOTH, *COMPLEX)),
        Sample(raw.SparseTensorDenseAdd, [call(**a, b=reals(3, 2)), call(**a, b=reals(2, 3))],
               dtypes=(*REAL_FLOATS, *COMPLEX, *SIGNED)),
        Sample(add(0.0), [call(**a, **b)], name="SparseAdd", dtypes=_PLAIN),
        Sample(add(0.5), [call(**a, **b)], name="SparseAdd but for small sums", dtypes=_PLAIN),
        Sample(raw.SparseAddGrad, [call(backprop_val_grad=reals(4), a_indices=indices, b_indices=other,
               sum_indices=_places([0, 0], [0, 1], [1, 1], [2, 0]))], dtypes=("int32",)),
        *(Sample(getattr(raw, name), [call(**{**a, "a_values": reals(2)},
          **{**b, "b_values": reals(3)})], dtypes=("int32", "uint8"))
          for name in ("SparseSparseMaximum", "SparseSparseMinimum")),
        Sample(raw.SparseConcat, [call(indices=[indices, other], values=[distinct(2), distinct(3)],
               shapes=[shape, shape], concat_dim=axis) for axis in (0, 1, -1)],
               dtypes=("int32", "bool")),
    ]  # fmt: skip


def _rows_of_text(raw: Any) -> list[Sample]:
    """Rows as sets, as labels and as words."""
    numbers = {"dtypes": ("int32", "int64"), "differentiable": False}
    floats = {"dtypes": _BOTH, "differentiable": False}
    places, shape = _places([0, 1], [2, 0]), given([3, 2], "int64")
    sets = {"set2_indices": places, "set2_values": given([1, 2]), "set2_shape": shape}
    first = {"set1_indices": places, "set1_values": given([1, 3]), "set1_shape": shape}
    dense = given([[1, 2], [1, 1], [3, 2]])
    words = {
        "hypothesis_indices": _places([0, 0], [0, 1], [2, 0]),
        "hypothesis_shape": shape,
        "truth_indices": _places([0, 0], [1, 1], [2, 0], [2, 1], [2, 2]),
        "truth_shape": given([3, 3], "int64"),
    }
    decoded = {"inputs": distinct(4, 2, 3), "sequence_length": given([4, 3], "int32")}
    return [
        Sample(raw.DenseToDenseSetOperation, [
               *(call(set1=dense, set2=given([[2], [9], [3]]), set_operation=name)
                 for name in ("a-b", "b-a", "intersection", "union")),
               call(set1=dense, set2=dense, set_operation="product")], **numbers),
        Sample(raw.DenseToSparseSetOperation, [call(set1=dense, **sets, set_operation="union"),
               call(set1=dense, **sets, set_operation="a-b")], **numbers),
        Sample(raw.SparseToSparseSetOperation, [call(**first, **sets, set_operation="intersection"),
               call(**first, **sets, set_operation="b-a")], **numbers),
        Sample(raw.EditDistance, [call(**words, hypothesis_values=given([1, 2, 3]),
               truth_values=given([2, 1, 3, 4, 3]), normalize=normalize) for normalize in (True, False)],
               **numbers),
        Sample(raw.CTCGreedyDecoder, [call(**decoded), call(**decoded, merge_repeated=True),
               call(**decoded, blank_index=0)], **floats),
        Sample(raw.CTCBeamSearchDecoder, [call(**decoded, beam_width=9, top_paths=2),
               call(**decoded, beam_width=9, top_paths=2, merge_repeated=False)],
               dtypes=("float32",), differentiable=False),
    ]  # fmt: skip
