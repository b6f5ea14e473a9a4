"""Einsum, tensordot, matvec and batched products: values and gradients."""

import numpy as np

import tapegrad as tf

rng = np.random.RandomState(22)
m = tf.constant(np.round(rng.randn(2, 3), 2))
n = tf.constant(np.round(rng.randn(3, 4), 2))
b = tf.constant(np.round(rng.randn(2, 3, 4), 2))
s = tf.constant(np.round(rng.randn(3, 3), 2))
programs = [
    ("ij,jk->ik", m, n),
    ("ij->ji", m),
    ("ij->", m),
    ("ij->j", m),
    ("ii->i", s),
    ("ii", s),
    ("i,j->ij", m[0], n[0]),
    ("bij,bij->b", b, b),
    ("bij,bkj->bik", b, b),
    ("...j,jk->...k", b[..., :3], n),
    ("ij,kj", m, s),
    ("ijk,j->ik", b, s[0]),
    ("bij,jk,ik->b", b, tf.transpose(n) @ n, n),
    ("ij,ij,ij->i", m, m, m),
]
for equation, *operands in programs:
    with tf.GradientTape() as tape:
        tape.watch(operands)
        result = tf.einsum(equation, *operands)
        total = tf.reduce_sum(tf.sin(result))
    print(equation, result.shape, np.round(result, 4).tolist())
    for grad in tape.gradient(total, operands):
        print("   ", grad.shape, tf.reduce_sum(grad).numpy(), tf.norm(grad).numpy())

print(tf.tensordot(m, n, axes=1), tf.tensordot(b, b, axes=[[1, 2], [1, 2]]))
print(tf.tensordot(m, n, axes=0).shape, tf.linalg.matvec(m, m[0], transpose_a=False))
print(tf.matmul(b, b, transpose_b=True).shape, tf.matmul(b, b, adjoint_a=True).shape)
print((b @ tf.transpose(n)).shape, tf.matmul(tf.ones([5, 1, 2, 3]), tf.ones([4, 3, 2])).shape)

# Bilinear attention, a Tucker product and a tensor train.
core = tf.Variable(rng.randn(2, 3, 2))
factors = [tf.Variable(rng.randn(*shape)) for shape in ((4, 2), (5, 3), (3, 2))]
with tf.GradientTape() as tape:
    full = tf.einsum("abc,ia,jb,kc->ijk", core, *factors)
    loss = tf.reduce_mean(full**2)
grads = tape.gradient(loss, [core, *factors])
print(full.shape, loss.numpy(), [tf.norm(g).numpy() for g in grads])
train = [tf.Variable(rng.randn(*shape) * 0.5) for shape in ((1, 3, 2), (2, 3, 2), (2, 3, 1))]
with tf.GradientTape() as tape:
    tensor = tf.einsum("aib,bjc,ckd->ijk", *train)
    loss = tf.nn.l2_loss(tensor - 1.0)
print(tensor[0], [g.shape.as_list() for g in tape.gradient(loss, train)])

q, k, v = (tf.Variable(rng.randn(2, 4, 3)) for _ in range(3))
with tf.GradientTape() as t2:
    with tf.GradientTape() as t1:
        weights = tf.nn.softmax(tf.einsum("bqd,bkd->bqk", q, k) / np.sqrt(3.0))
        out = tf.einsum("bqk,bkd->bqd", weights, v)
        loss = tf.reduce_sum(out**2)
    g = t1.gradient(loss, q)
    size = tf.reduce_sum(g**2)
print(loss.numpy(), size.numpy(), *[tf.norm(h).numpy() for h in t2.gradient(size, [q, k, v])])
x, w = tf.constant(rng.randn(3, 2)), tf.Variable(rng.randn(4, 2, 2))
with tf.GradientTape() as tape:
    forms = tf.einsum("bi,oij,bj->bo", x, w, x)
print(forms, tape.gradient(forms, w)[0])
for bad in (("ij,jk->ik", m, m), ("ij->kl", m), ("ijk->i", m)):
    try:
        tf.einsum(*bad)
    except (ValueError, tf.errors.InvalidArgumentError) as error:
        print(bad[0], type(error).__name__)
