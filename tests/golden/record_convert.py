"""Records what TensorFlow makes of values, sizes and casts: golden/convert.json.gz.

Run it where TensorFlow is installed: ``python tests/golden/record_convert.py``. Each case is an
expression in ``tf`` and ``np``, and the record its dtype, shape and bytes, or the class it raises.
Casts of floats to integers are in ``record_casts.py``.
"""

import gzip
import json
import pathlib

import numpy as np

DTYPES = (
    "float16 bfloat16 float32 float64 int8 int16 int32 int64 uint8 uint16 uint32 uint64 bool string "
    "complex64 complex128"
).split()

# No -0.0 of Python's: TensorFlow keeps constants that it has seen, and to it 0.0 is the same one.
SCALARS = (
    "3 -3 300 2**31-1 2**31 -2**31-1 2**40 2**63-1 2**63 2**64-1 2**64 -1 True False 1.5 "
    "np.float32(-0.0) 1e-50 1e39 3.4028235e38 2049.0000001 1.00390626 float('nan') float('-inf') "
    "2j 1.5+2j 'ab' b'a\\x00b' '\\ud800' np.float64(1.5) np.float32(2.5) np.float16(0.1) "
    "np.int64(3) np.int8(-3) np.uint32(7) np.bool_(True) np.complex64(1+2j) np.str_('ab') "
    "np.bytes_(b'ab') np.uint64(2**63) np.float64(1e39)"
).split()
# Wide integers given to every dtype mostly repeat each other.
SCALARS_OF_EVERY_DTYPE = (
    "3 -3 300 2**31 2**63 True 1.5 1e39 2049.0000001 1.00390626 2j 'ab' np.float64(2049.0000001) "
    "np.int64(300) np.bool_(True) np.complex64(1+2j) [1,2] [1.5,2] [True,False] ['a','b'] [2j] []"
    " np.array([1.5,-2.7]) np.array([1,300]) np.array([True]) np.array([1j]) np.array(['a']) "
    "np.array([1,2],object) np.array([300,70000],np.uint32) np.zeros((0,2))"
).split()
LISTS = (
    "[] [[]] [[],[]] () (1,2) [1,2.5] [2.5,1] [True,1] [1,True] [1.0,True] [True,1.0] [1,2j] "
    "[2j,1] [1.5,2j] [2j,True] ['a',1] [1,'a'] ['a',b'b'] [None] [1,None] [[1],[2,3]] [1,[2]] "
    "[[1],2] [[[1]],[2]] [['a','b'],['c','d']] ['a',['b']] [2**31] [1,2**31] [2**63] [2**62,1] "
    "[1,2**40,2.5] [1.0,2**70] [2**70,2.5] [1j,2**70] [1e39] [float('inf')] [np.float64(1.5)] "
    "[np.float32(1.5),np.float64(2)] [np.float64(1.5),np.float32(2)] [np.int64(3)] [np.int8(3),4]"
    " [np.float16(1)] [np.bool_(True),False] [1,np.bool_(True)] [1.0,np.bool_(True)] "
    "[np.uint64(1)] [1,np.float64(2.5)] [np.float32(1),2.5] [np.complex64(1)] [np.str_('a')] "
    "[np.array([1,2]),np.array([3,4])] [np.array([1.0,2])] [np.array([1,2],np.float32),[3,4]] "
    "[[3,4],np.array([1,2])] [np.array([1.0]),np.array([2],np.float32)] "
    "[np.array([1],np.float16)] [np.array([1],np.int8)] [np.array(1.0),np.array(2)] "
    "[np.array(1),np.array(2.0)] [np.array([1]),np.array([1,2])] [np.array([[1]]),np.array([1])] "
    "[np.array(['a'])] [np.array([2**40])] [np.array([1,2],np.uint64)] [np.array([1+1j])] "
    "[np.array([1.5]),2.0] [range(3),range(3)] range(3) bytearray(b'abc') memoryview(b'abc') "
    "[[[[[1]]]]] {} {'a':1} {1} None object() len int Ellipsis (x for x in [1]) tf.float32 "
    "[tf.float32] np.dtype('f4') tf.TensorShape([1,2]) tf.TensorShape([]) tf.TensorShape([2**31])"
    " tf.TensorShape(None) tf.TensorShape([None]) [tf.TensorShape([1,2])] np.array(['a','bb']) "
    "np.array([b'a',b'bb']) np.array(['a','\\xe9'],object) np.array('abc') "
    "np.array(['a',1],object) np.array([None],object) np.array([1.5,2],object) "
    "np.array(['2020'],'M8[D]') np.array([1],'m8[s]') np.datetime64('2020') "
    "np.array([1],np.longdouble) np.longdouble(1) np.array([(1,2)],dtype=[('a','i4'),('b','f4')])"
    " np.array([1,2],'>f4') np.array([1,2],'>i8')[::-1] np.asfortranarray([[1.0,2],[3,4]]) "
    "np.broadcast_to(np.float32(1),(2,2)) np.array([1.0,2,3])[::2] "
    "np.array([b'a\\x00b\\x00'],object) np.array(['\\ud800']) np.array([1],np.uint16)"
).split(" ")


def joined(words):
    """Expressions again out of words split at every blank: a word goes on while brackets are open."""
    expression = ""
    for word in words:
        expression = f"{expression} {word}".strip()
        if all(expression.count(a) == expression.count(b) for a, b in ("()", "[]", "{}")):
            yield expression
            expression = ""


def cases():
    for value in [*joined(SCALARS), *joined(LISTS)]:
        yield f"tf.convert_to_tensor({value})"
    for value in joined(SCALARS_OF_EVERY_DTYPE):
        for dtype in DTYPES:
            yield f"tf.convert_to_tensor({value}, tf.{dtype})"
    for dtype in DTYPES:
        yield f"tf.convert_to_tensor(np.array(['2020-01-02', '1969-12-30'], 'M8[D]'), tf.{dtype})"
        yield f"tf.convert_to_tensor(np.array([3, -300], 'm8[s]'), tf.{dtype})"
    yield from """
        tf.convert_to_tensor(1, 'bogus')
        tf.convert_to_tensor(1, int)
        tf.convert_to_tensor(1, float)
        tf.convert_to_tensor(1, dtype_hint='bogus')
        tf.convert_to_tensor(1.5, dtype_hint=tf.int32)
        tf.convert_to_tensor(1, dtype_hint=tf.float32)
        tf.convert_to_tensor(1, dtype_hint=tf.bool)
        tf.convert_to_tensor('a', dtype_hint=tf.int32)
        tf.convert_to_tensor(np.array([1.5]), dtype_hint=tf.int32)
        tf.convert_to_tensor([1.5], dtype_hint=tf.complex64)
        tf.convert_to_tensor(1.5, tf.float64, tf.float32)
        tf.convert_to_tensor(tf.constant([1.0]), tf.float32)
        tf.convert_to_tensor(tf.constant([1.0]), tf.int32)
        tf.convert_to_tensor(tf.constant([1.0]), dtype_hint=tf.int32)
        tf.convert_to_tensor(tf.Variable([1.0]))
        tf.convert_to_tensor(tf.Variable([1.0]), tf.int32)
        tf.convert_to_tensor([tf.constant(1.0), 2.0])
        tf.convert_to_tensor([2, tf.constant(1.0)])
        tf.convert_to_tensor([tf.constant([1.0, 2.0]), [3, 4]])
        tf.convert_to_tensor([tf.constant([1.0, 2.0]), [3]])
        tf.convert_to_tensor([tf.constant([1.0, 2.0]), 3])
        tf.convert_to_tensor([tf.constant(1.0), tf.constant(1)])
        tf.convert_to_tensor([1.5, tf.constant(1)])
        tf.convert_to_tensor([tf.constant(1), 1.5])
        tf.convert_to_tensor([tf.constant(1.0), 'a'])
        tf.convert_to_tensor([tf.constant(1.0), None])
        tf.convert_to_tensor([tf.constant(1.0), np.float64(2)])
        tf.convert_to_tensor([tf.constant([1.0]), np.array([2.0])])
        tf.convert_to_tensor([tf.constant(1.5)], tf.int32)
        tf.convert_to_tensor([tf.constant(1.5), tf.constant(1)], tf.float64)
        tf.convert_to_tensor([tf.constant(1.0)], dtype_hint=tf.float64)
        tf.convert_to_tensor([tf.Variable(1.0), 2.0])
        tf.convert_to_tensor([tf.Variable([1.0, 2.0]), [1, 2]])
        tf.convert_to_tensor([[tf.constant(1.0), 2.0], [3.0, 4.0]])
        tf.convert_to_tensor([[[tf.constant(1.0)]]])
        tf.convert_to_tensor([tf.constant('a'), 'b'])
        tf.convert_to_tensor([tf.constant(True), 1])
        tf.convert_to_tensor([tf.constant(1), True])
        tf.convert_to_tensor(tf.TensorShape([1, 2]), tf.int64)
        tf.convert_to_tensor(tf.TensorShape([1, 2]), tf.float32)
        tf.convert_to_tensor(tf.TensorShape([2**31]), tf.int32)
        tf.convert_to_tensor(tf.TensorShape([1, 2]), dtype_hint=tf.int64)
        tf.constant(tf.constant([1.0]), tf.float64)
        tf.constant(tf.Variable([1.0]), tf.float64)
        tf.constant(1.0, shape=[2, 3])
        tf.constant([1, 2, 3, 4], shape=[2, 2])
        tf.constant(1, shape=[])
        tf.constant([1], shape=[])
        tf.constant([1], shape=[3])
        tf.constant([[1]], shape=[2, 2])
        tf.constant('a', shape=[2])
        tf.constant(True, shape=[2])
        tf.constant(5, shape=3)
        tf.constant(1.0, shape=[0])
        tf.constant([], shape=[0, 3])
        tf.constant([], shape=[3])
        tf.constant([1, 2, 3], shape=[2, 2])
        tf.constant([1, 2, 3, 4, 5], shape=[2, 2])
        tf.constant([1, 2, 3], shape=[None])
        tf.constant([1, 2, 3], shape=[-1, 3])
        tf.constant(1, shape='a')
        tf.constant(1, shape=tf.constant([2]))
        tf.constant(1, shape=tf.TensorShape([2]))
        tf.constant(1, shape=tf.TensorShape(None))
        tf.constant(tf.constant([1.0, 2.0]), shape=[2, 1])
        tf.constant(1, 'int64', [2], 'name')
        tf.zeros([2])
        tf.zeros(2, tf.int8)
        tf.zeros([], tf.bool)
        tf.zeros([2], tf.string)
        tf.zeros([0, 2**40])
        tf.zeros([tf.constant(2), 1])
        tf.zeros([-1])
        tf.zeros(None)
        tf.zeros([None])
        tf.zeros(tf.TensorShape([None]))
        tf.zeros(2.5)
        tf.zeros([2.5])
        tf.zeros('a')
        tf.zeros([[2, 3]])
        tf.zeros(tf.constant([2.0]))
        tf.zeros([2**40, 2**40])
        tf.zeros([2**63])
        tf.zeros([2**45])
        tf.zeros([1] * 300)
        tf.zeros([2], 'bogus')
        tf.zeros([2], None)
        tf.zeros([2], tf.variant)
        tf.ones([2], tf.complex64)
        tf.ones([1], tf.bfloat16)
        tf.ones([2], tf.string)
        tf.ones([2], tf.bool)
        tf.fill([2], 3)
        tf.fill([], 1.5)
        tf.fill(2, 'a')
        tf.fill([2], np.float32(-0.0))
        tf.fill([2], [1])
        tf.fill([2], [1, 2])
        tf.fill([-1], 1)
        tf.fill([2.5], 1)
        tf.fill([2], None)
        tf.fill(None, 1)
        tf.zeros_like('a')
        tf.zeros_like(np.array([1.5]))
        tf.zeros_like([1.0], 'string')
        tf.zeros_like(None)
        tf.ones_like(True)
        tf.ones_like('a')
        tf.ones_like(['a'], tf.int32)
        tf.eye(2)
        tf.eye(2, 3, dtype=tf.int32)
        tf.eye(2, batch_shape=[2, 1])
        tf.eye(0)
        tf.eye(2, num_columns=0)
        tf.eye(tf.constant(2), dtype=tf.bool)
        tf.eye(-1)
        tf.eye(2.5)
        tf.eye(None)
        tf.eye([2])
        tf.eye('a')
        tf.eye(2, dtype=tf.string)
        tf.eye(2, batch_shape=2)
        tf.eye(2, batch_shape=[-1])
        tf.one_hot([0, -1, 5], 3)
        tf.one_hot(1, 3)
        tf.one_hot([[0, 1]], 3, axis=1)
        tf.one_hot([0, 1], 3, axis=0)
        tf.one_hot([0, 1], 3, 5, 2)
        tf.one_hot([0, 1], 3, 'a', 'b')
        tf.one_hot([0, 1], 3, on_value=2)
        tf.one_hot([0, 1], 3, off_value=2.0)
        tf.one_hot([0, 1], 3, 1, 0, dtype=tf.float32)
        tf.one_hot([0, 1], 3, True, False)
        tf.one_hot([0, 1], 3, on_value=True)
        tf.one_hot([0, 1], 3, 1.0, 0.0, dtype=tf.int32)
        tf.one_hot([0, 1], 3, 1.0, 0)
        tf.one_hot([0, 1], 3, dtype=tf.bool)
        tf.one_hot([0, 1], 3, dtype=tf.complex64)
        tf.one_hot([0, 1], 0)
        tf.one_hot([], 3)
        tf.one_hot([0.0, 1.0], 3)
        tf.one_hot(tf.constant([0], tf.int16), 3)
        tf.one_hot(tf.constant([0], tf.uint8), 3)
        tf.one_hot([0, 1], -1)
        tf.one_hot([0, 1], 2.5)
        tf.one_hot([0, 1], [3])
        tf.one_hot([0, 1], None)
        tf.one_hot([0, 1], 3, axis=2)
        tf.one_hot([0, 1], 3, axis=-2)
        tf.one_hot([0, 1], 3, [1.0], [0.0])
        tf.one_hot(None, 3)
        tf.one_hot(['a'], 3)
        tf.range(3)
        tf.range(1, 4)
        tf.range(0, 10, 3)
        tf.range(5, 1, -2)
        tf.range(0)
        tf.range(3, 3, -1)
        tf.range(3.0)
        tf.range(0, 1, 0.3)
        tf.range(0, 10, 0.1)
        tf.range(1.0, 0.0, -0.1)
        tf.range(3.0, 1.0, -0.7)
        tf.range(-5.3, 4.1, 0.37)
        tf.range(0.0, 2.1, 0.3)
        tf.range(0.1, 1, 0.1, dtype=tf.float64)
        tf.range(0.0, 2.1, 0.3, dtype=tf.float64)
        tf.range(0, 1, 0.01, dtype=tf.float16)
        tf.range(0, 1, 0.02, dtype=tf.bfloat16)
        tf.range(16777216.0, 16777226.0, 1.0)
        tf.range(1e10, 1e10 + 3)
        tf.range(np.int64(3))
        tf.range(np.float64(2))
        tf.range(tf.constant(0), tf.constant(3.0))
        tf.range(np.float32(0), np.float64(2))
        tf.range(2**31, 2**31 + 2)
        tf.range(-2**63, 2**63 - 1, 2**62, dtype=tf.int64)
        tf.range(tf.constant(3.7), dtype=tf.int32)
        tf.range(tf.Variable(3))
        tf.range([3])
        tf.range([1, 2])
        tf.range(3, 1)
        tf.range(-3)
        tf.range(3, 5, -1)
        tf.range(0, 3, 0)
        tf.range(None)
        tf.range(0, 3, dtype=tf.bool)
        tf.range(0, 3, dtype=tf.complex64)
        tf.range(0, 3, dtype=tf.uint8)
        tf.range(0, 2.5, dtype=tf.int32)
        tf.range(0, float('nan'))
        tf.range(float('inf'))
        tf.range(2**40)
        tf.linspace(0.0, 1.0, 7)
        tf.linspace(0.1, 0.7, 13)
        tf.linspace(-1.0, 2.0, 11)
        tf.linspace(-3.3, 7.7, 1001)
        tf.linspace(np.float64(0.1), np.float64(0.7), 13)
        tf.linspace([0.1, 3.0], [0.7, -5.0], 6)
        tf.linspace([0.1, 3.0], [0.7, -5.0], 6, axis=1)
        tf.linspace([0.1, 3.0], 5.0, 4, axis=-1)
        tf.linspace(tf.constant(0.1, tf.float16), tf.constant(0.7, tf.float16), 6)
        tf.linspace(tf.constant(0.1, tf.bfloat16), tf.constant(0.7, tf.bfloat16), 6)
        tf.linspace(0, 7, 6)
        tf.linspace(tf.constant(0, tf.uint8), tf.constant(5, tf.uint8), 3)
        tf.linspace(0j, 1j, 3)
        tf.linspace(0.0, 1.0, 0)
        tf.linspace(0.0, 1.0, 1)
        tf.linspace(0.0, 1.0, 2)
        tf.linspace(0.0, 1.0, [3])
        tf.linspace(float('inf'), 1.0, 3)
        tf.linspace([], [], 3)
        tf.linspace([[0.0], [1.0]], [[5.0, 6.0]], 2)
        tf.linspace(0.0, 1.0, -1)
        tf.linspace(0.0, 1.0, 2.5)
        tf.linspace(0.0, 1.0, None)
        tf.linspace(0, 1.0, 3)
        tf.linspace(tf.constant(0.0), 1, 3)
        tf.linspace(tf.constant(0.0), tf.constant(1), 3)
        tf.linspace([0.0, 1.0], [1.0, 2.0, 3.0], 3)
        tf.linspace([0.0], [1.0], 3, axis=2)
        tf.linspace(0.0, 1.0, 3, axis=1)
        tf.linspace(None, 1.0, 3)
        tf.linspace(True, False, 3)
        tf.cast([1.8, -2.2], tf.int32)
        tf.cast('a', tf.int32)
        tf.cast(1, tf.string)
        tf.cast(None, tf.int32)
        tf.cast(1, 'bogus')
        tf.cast(1, None)
        tf.cast(1.5, int)
        tf.cast(1e39, tf.float64)
        tf.cast(2**40, tf.int32)
        tf.cast(tf.constant([1e-8, 1e-6, 65519.0, 65520.0]), tf.float16)
        tf.cast(tf.constant([1.00390625, 1.01171875, 3.4e38, -0.0, 1e-45]), tf.bfloat16)
        tf.cast(tf.constant([2049.0000001], tf.float64), tf.float16)
        tf.cast(tf.constant([1.00390626], tf.float64), tf.bfloat16)
        tf.cast(tf.constant([float('nan'), 0.0, -0.0, 0.5]), tf.bool)
        tf.cast(tf.constant([1+2j]), tf.float32)
        tf.cast(tf.constant([1+2j]), tf.int32)
        tf.cast(tf.constant([1+2j, 2j]), tf.bool)
        tf.saturate_cast(tf.constant([300.0, -5.0, 1.5, float('nan'), float('inf')]), tf.uint8)
        tf.saturate_cast(tf.constant([3e9, -3e9]), tf.int32)
        tf.saturate_cast(tf.constant([300, -300]), tf.int8)
        tf.saturate_cast(tf.constant([-1]), tf.uint32)
        tf.saturate_cast(tf.constant([1e39], tf.float64), tf.float32)
        tf.saturate_cast(tf.constant([1e6]), tf.float16)
        tf.saturate_cast(tf.constant([1+2j]), tf.int8)
        tf.saturate_cast(tf.constant([1e39+1e39j]), tf.complex64)
        tf.saturate_cast([1.5], tf.complex64)
        tf.saturate_cast(tf.constant([True]), tf.uint8)
        tf.saturate_cast(tf.constant([2.0]), tf.bool)
        tf.saturate_cast('a', tf.uint8)
        tf.saturate_cast(tf.constant([200], tf.uint8), tf.int8)
        tf.bitcast(tf.constant([1.0]), tf.int32)
        tf.bitcast(tf.constant(1.0), tf.uint8)
        tf.bitcast(tf.constant([[1, 2, 3, 4]], tf.uint8), tf.float32)
        tf.bitcast(tf.constant([1, 2]), tf.int64)
        tf.bitcast(tf.constant([[1, 2]]), tf.complex64)
        tf.bitcast(tf.constant([1.0]), tf.bfloat16)
        tf.bitcast(tf.zeros([0, 4], tf.uint8), tf.int32)
        tf.bitcast(tf.zeros([0]), tf.int16)
        tf.bitcast(tf.constant([1, 2, 3], tf.uint8), tf.int32)
        tf.bitcast(tf.constant(1, tf.uint8), tf.int32)
        tf.bitcast(tf.constant(['a']), tf.int32)
        tf.bitcast(tf.constant([1]), tf.string)
        tf.bitcast(tf.constant([True]), tf.uint8)
    """.strip().splitlines()
    numbers = "[1.9, -1.9, 300.0, -300.0, 40000.0]"
    whole = (
        "[0, 1, -1, 127, 128, 255, 256, 300, -129, 32768, 65536, 2**31, 2**32 + 5, 2**53 + 1, 2**62, "
        "-2**63]"
    )
    for source in ("int64", "int32", "uint8", "int8", "uint64"):
        for target in DTYPES:
            yield f"tf.cast(tf.cast(tf.constant({whole}, tf.int64), tf.{source}), tf.{target})"
    for source in ("bool", "complex64", "string"):
        for target in DTYPES:
            yield f"tf.cast(tf.zeros([2], tf.{source}), tf.{target})"
    yield f"tf.cast(tf.constant({numbers}, tf.float64), tf.float32)"


def result(value):
    array = value.numpy()
    record = {"dtype": value.dtype.name, "shape": list(value.shape)}
    if value.dtype.name == "string":
        strings = np.asarray(array, object).ravel().tolist()
        record["strings"] = [text.decode("latin-1") for text in strings]
    else:
        record["bytes"] = np.asarray(array).tobytes().hex()
    return record


def main():
    import os

    os.environ.update(CUDA_VISIBLE_DEVICES="-1", TF_CPP_MIN_LOG_LEVEL="3")
    import tensorflow as tf

    records = {}
    for case in cases():
        case = case.strip()
        try:
            records[case] = result(eval(case, {"tf": tf, "np": np}))
        except Exception as error:
            records[case] = {"error": type(error).__name__}
    path = pathlib.Path(__file__).with_name("convert.json.gz")
    # Without the time, so that the same records make the same file.
    path.write_bytes(gzip.compress(json.dumps(records, indent=0).encode(), mtime=0))
    print(f"{len(records)} cases recorded with TensorFlow {tf.__version__}")


if __name__ == "__main__":
    main()
