"""Programs whose functions draw random numbers, written against a namespace. TensorFlow's answers are kept.

Each program calls ``show`` with what is to be compared. A program whose numbers depend on the order in which
TensorFlow's threads run is left out.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def draw_no_op_seed(tf: Any, show: Any, uniform: Any, normal: Any) -> None:
    tf.random.set_seed(1)

    @tf.function
    def f():
        return uniform(), uniform()

    show(f())
    show(f())
    show(f())
    tf.random.set_seed(1)
    show(f())
    show(f())
    tf.random.set_seed(2)
    show(f())
    show(f())


def draw_op_seed(tf: Any, show: Any, uniform: Any, normal: Any) -> None:
    tf.random.set_seed(1)

    @tf.function
    def f():
        return uniform(3), uniform(3), uniform(4), normal(3)

    show(f())
    show(f())
    tf.random.set_seed(1)
    show(f())
    show(f())


def draw_two_functions(tf: Any, show: Any, uniform: Any, normal: Any) -> None:
    tf.random.set_seed(1)

    @tf.function
    def f():
        return uniform(), normal()

    @tf.function
    def g():
        return uniform(), normal()

    show(
        f(),
    )
    show(g())
    show(f())
    show(g())
    show(uniform(), uniform())


def draw_eager_between(tf: Any, show: Any, uniform: Any, normal: Any) -> None:
    tf.random.set_seed(1)

    @tf.function
    def f():
        return uniform()

    show(uniform())
    show(f())
    show(uniform())
    show(f())
    show(uniform())


def draw_retraced(tf: Any, show: Any, uniform: Any, normal: Any) -> None:
    tf.random.set_seed(1)

    @tf.function
    def f(x):
        return uniform() + 0 * tf.reduce_sum(x), uniform(5) + 0 * tf.reduce_sum(x)

    show(f(tf.zeros([1])))
    show(f(tf.zeros([2])))
    show(f(tf.zeros([1])))
    show(f(tf.zeros([2])))


def draw_nested(tf: Any, show: Any, uniform: Any, normal: Any) -> None:
    tf.random.set_seed(1)

    @tf.function
    def g():
        return uniform(), uniform(7)

    @tf.function
    def f():
        a = uniform()
        b = g()
        c = uniform()
        d = g()
        return [a, *b, c, *d]

    show(f())
    show(f())
    show(g())
    show(g())
    show(f())


def draw_nested2(tf: Any, show: Any, uniform: Any, normal: Any) -> None:
    tf.random.set_seed(1)

    @tf.function
    def h():
        return uniform()

    @tf.function
    def g():
        return h() + 0, uniform(), h()

    @tf.function
    def f():
        return [*g(), uniform(), *g(), h()]

    show(f())
    show(f())
    show(h())
    show(g())


def draw_loop_autograph(tf: Any, show: Any, uniform: Any, normal: Any) -> None:
    tf.random.set_seed(1)

    @tf.function
    def f(n):
        t = tf.TensorArray(tf.float32, 3)
        for i in tf.range(n):
            t = t.write(i, uniform())
        return t.stack()

    show(f(tf.constant(3)))
    show(f(tf.constant(3)))


def draw_python_loop(tf: Any, show: Any, uniform: Any, normal: Any) -> None:
    tf.random.set_seed(1)

    @tf.function
    def f():
        return [uniform() for _ in range(3)]

    show(f())
    show(f())


def draw_cond(tf: Any, show: Any, uniform: Any, normal: Any) -> None:
    tf.random.set_seed(1)

    @tf.function
    def f(x):
        a = uniform()
        b = tf.cond(x > 0, lambda: uniform(), lambda: uniform() + 10)
        c = uniform()
        return a, b, c

    show(f(tf.constant(1)))
    show(f(tf.constant(-1)))
    show(f(tf.constant(1)))
    show(f(tf.constant(-1)))


def draw_if(tf: Any, show: Any, uniform: Any, normal: Any) -> None:
    tf.random.set_seed(1)

    @tf.function
    def f(x):
        a = uniform()
        if x > 0:
            b = uniform()
        else:
            b = uniform() + uniform()
        c = uniform()
        return a, b, c

    show(f(tf.constant(1)))
    show(f(tf.constant(-1)))
    show(f(tf.constant(1)))
    show(f(tf.constant(-1)))


def draw_ops(tf: Any, show: Any, uniform: Any, normal: Any) -> None:
    tf.random.set_seed(1)

    @tf.function
    def f():
        return (
            tf.random.truncated_normal([2]),
            tf.random.uniform([2], maxval=100, dtype=tf.int32),
            tf.random.shuffle(tf.range(5)),
            tf.random.gamma([2], 1.0),
            tf.random.poisson([2], 3.0),
            tf.random.categorical([[0.0, 0.0, 0.0]], 4),
            tf.nn.dropout(tf.ones([4]), 0.5),
            tf.nn.dropout(tf.ones([4]), 0.5, seed=3),
        )

    show(f())
    show(f())


def draw_dropout(tf: Any, show: Any, uniform: Any, normal: Any) -> None:
    tf.random.set_seed(1)

    @tf.function
    def f():
        return (
            tf.nn.dropout(tf.ones([4]), 0.5),
            tf.nn.experimental.stateless_dropout(tf.ones([4]), 0.5, seed=[1, 2]),
            tf.random.stateless_uniform([2], [3, 4]),
        )

    show(f())
    show(f())


def draw_methods(tf: Any, show: Any, uniform: Any, normal: Any) -> None:
    tf.random.set_seed(1)

    class M:
        @tf.function
        def __call__(self):
            return uniform(), uniform(5)

    a, b = M(), M()
    show(a())
    show(b())
    show(a())
    show(b())


def draw_set_seed_other_before_trace(tf: Any, show: Any, uniform: Any, normal: Any) -> None:
    tf.random.set_seed(1)

    @tf.function
    def f(x):
        return uniform(), uniform(4)

    show(f(1))
    tf.random.set_seed(2)
    show(f(1))
    show(f(2))


def draw_concrete(tf: Any, show: Any, uniform: Any, normal: Any) -> None:
    tf.random.set_seed(1)
    f = tf.function(lambda: (uniform(), uniform(4)))
    c = f.get_concrete_function()
    show(c())
    show(f())
    show(c())


def draw_set_seed_inside(tf: Any, show: Any, uniform: Any, normal: Any) -> None:
    tf.random.set_seed(1)

    @tf.function
    def f():
        tf.random.set_seed(3)
        return uniform(), uniform()

    show(f())
    show(f())
    show(uniform())


def draw_seed_with_gradients(tf: Any, show: Any, uniform: Any, normal: Any) -> None:
    tf.random.set_seed(1)
    x = tf.constant(2.0)

    @tf.function
    def f(x):
        return x * uniform(), uniform()

    for _ in range(2):
        with tf.GradientTape() as t:
            t.watch(x)
            y = f(x)
        show(y, t.gradient(y[0], x))
    show(f(x))


def draw_shapes_in_stream(tf: Any, show: Any, uniform: Any, normal: Any) -> None:
    tf.random.set_seed(1)

    @tf.function
    def f(n):
        return tf.random.uniform(tf.stack([n]), seed=4)

    show(f(tf.constant(2)))
    show(f(tf.constant(5)))
    show(f(tf.constant(2)))


def draw_recursion(tf: Any, show: Any, uniform: Any, normal: Any) -> None:
    tf.random.set_seed(1)

    @tf.function
    def f(n):
        if n == 0:
            return uniform()
        return f(n - 1) + 0 * uniform()

    show(f(2))
    show(f(1))
    show(f(0))
    show(f(2))


def draw_map_dataset_in_fn(tf: Any, show: Any, uniform: Any, normal: Any) -> None:
    tf.random.set_seed(1)
    ds = tf.data.Dataset.range(3).map(lambda x: uniform())

    @tf.function
    def f(it):
        return next(it), uniform()

    it = iter(ds)
    show(f(it))
    show(f(it))


def draw_no_seed_then_seed(tf: Any, show: Any, uniform: Any, normal: Any) -> None:
    tf.random.set_seed(1)

    @tf.function
    def f():
        return uniform(0), uniform(4), uniform(), uniform(5), uniform()

    show(f())
    show(f())


def draw_seed_zero(tf: Any, show: Any, uniform: Any, normal: Any) -> None:
    tf.random.set_seed(0)

    @tf.function
    def f():
        return uniform(0), uniform(), uniform()

    show(f())
    show(f())


def draw_custom_gradient(tf: Any, show: Any, uniform: Any, normal: Any) -> None:
    tf.random.set_seed(1)

    @tf.custom_gradient
    def cg(x):
        r = uniform()

        def g(dy):
            return dy * uniform()

        return x * r, g

    @tf.function
    def f(x):
        with tf.GradientTape() as t:
            t.watch(x)
            y = cg(x)
        return y, t.gradient(y, x), uniform()

    show(f(tf.constant(2.0)))
    show(f(tf.constant(2.0)))


def draw_vectorized_map(tf: Any, show: Any, uniform: Any, normal: Any) -> None:
    tf.random.set_seed(1)

    @tf.function
    def f():
        return tf.vectorized_map(lambda x: x + tf.random.uniform([]), tf.zeros([3])), uniform()

    show(f())
    show(f())


def draw_init_scope(tf: Any, show: Any, uniform: Any, normal: Any) -> None:
    tf.random.set_seed(1)

    @tf.function
    def f():
        a = uniform()
        with tf.init_scope():
            b = uniform()
        return a, b, uniform()

    show(f())
    show(f())
    show(uniform())


def draw_py_function(tf: Any, show: Any, uniform: Any, normal: Any) -> None:
    tf.random.set_seed(1)

    @tf.function
    def f():
        return tf.py_function(lambda: uniform(), [], tf.float32), uniform()

    show(f())
    show(f())
    show(uniform())


def draw_case_switch(tf: Any, show: Any, uniform: Any, normal: Any) -> None:
    tf.random.set_seed(1)

    @tf.function
    def f(i):
        return tf.switch_case(i, [lambda: uniform(), lambda: uniform() + 10.0]), uniform()

    show(f(tf.constant(0)))
    show(f(tf.constant(1)))
    show(f(tf.constant(0)))


def draw_deleted_function(tf: Any, show: Any, uniform: Any, normal: Any) -> None:
    tf.random.set_seed(1)
    for _ in range(2):
        f = tf.function(lambda: uniform(3))
        show(f(), f())


def draw_ds_map_function(tf: Any, show: Any, uniform: Any, normal: Any) -> None:
    tf.random.set_seed(1)

    @tf.function
    def g(x):
        return uniform(), uniform(5)

    ds = tf.data.Dataset.range(3).map(lambda x: (g(x), uniform()))
    for e in ds:
        show(*e[0], e[1])
    for e in ds:
        show(*e[0], e[1])
    show(g(tf.constant(1)))


def draw_signature_shapes(tf: Any, show: Any, uniform: Any, normal: Any) -> None:
    tf.random.set_seed(1)

    @tf.function(input_signature=[tf.TensorSpec([None])])
    def f(x):
        return uniform(), uniform(5)

    show(f(tf.ones([1])))
    show(f(tf.ones([2])))
    show(f(tf.ones([3])))
    show(f(tf.ones([1])))


def draw_for_calls(tf: Any, show: Any, uniform: Any, normal: Any) -> None:
    tf.random.set_seed(1)

    @tf.function
    def g():
        return uniform()

    @tf.function
    def f(n):
        t = tf.TensorArray(tf.float32, 3)
        a = g()
        for i in tf.range(n):
            t = t.write(i, g() + 0 * uniform())
        return a, t.stack(), uniform(), g()

    show(*f(tf.constant(3)))
    show(*f(tf.constant(3)))


def draw_nested_loops(tf: Any, show: Any, uniform: Any, normal: Any) -> None:
    tf.random.set_seed(1)

    @tf.function
    def f(n):
        s = tf.TensorArray(tf.float32, 6)
        k = 0
        for _ in tf.range(n):
            s = s.write(k, uniform())
            k += 1
            for _ in tf.range(2):
                s = s.write(k, uniform())
                k += 1
        return s.stack()

    show(f(tf.constant(2)))
    show(f(tf.constant(2)))


def draw_elif(tf: Any, show: Any, uniform: Any, normal: Any) -> None:
    tf.random.set_seed(1)

    @tf.function
    def f(x):
        a = uniform()
        if x > 1:
            b = uniform()
        elif x > 0:
            b = uniform() + 10 + uniform()
        else:
            b = uniform() + 20
        return a, b, uniform()

    for k in (2, 1, 0, 2, 1, 0):
        show(*f(tf.constant(k)))


def draw_if_in_loop(tf: Any, show: Any, uniform: Any, normal: Any) -> None:
    tf.random.set_seed(1)

    @tf.function
    def f(n):
        s = tf.TensorArray(tf.float32, 4)
        for i in tf.range(n):
            if i % 2 == 0:
                s = s.write(i, uniform())
            else:
                s = s.write(i, uniform() + 10)
        return s.stack()

    show(f(tf.constant(4)))
    show(f(tf.constant(4)))


def draw_python_while(tf: Any, show: Any, uniform: Any, normal: Any) -> None:
    tf.random.set_seed(1)

    @tf.function
    def f():
        out = []
        i = 0
        while i < 3:
            out.append(uniform())
            i += 1
        return out

    show(f())
    show(f())


def draw_python_if(tf: Any, show: Any, uniform: Any, normal: Any) -> None:
    tf.random.set_seed(1)

    @tf.function
    def f(flag):
        a = uniform()
        if flag:
            b = uniform()
        else:
            b = uniform() + uniform()
        return a, b, uniform()

    show(f(True))
    show(f(False))
    show(f(True))


def draw_helper(tf: Any, show: Any, uniform: Any, normal: Any) -> None:
    tf.random.set_seed(1)

    def h(n):
        s = 0.0
        for _ in tf.range(n):
            s = s * 10 + uniform()
        return s

    @tf.function
    def f(n):
        return h(n), uniform(), h(n)

    show(*f(tf.constant(2)))
    show(*f(tf.constant(2)))


def draw_comprehension(tf: Any, show: Any, uniform: Any, normal: Any) -> None:
    tf.random.set_seed(1)

    @tf.function
    def f():
        return (
            [uniform() for _ in range(3)],
            {k: uniform() for k in "ab"},
            sum(uniform() for _ in range(2)),
        )

    r = f()
    show(r[0], list(r[1].values()), r[2])
    r = f()
    show(r[0], list(r[1].values()), r[2])


def draw_break(tf: Any, show: Any, uniform: Any, normal: Any) -> None:
    tf.random.set_seed(1)

    @tf.function
    def f(n):
        s = 0.0
        for i in tf.range(5):
            s = s * 10 + uniform()
            if i >= n:
                break
        return s, uniform()

    show(*f(tf.constant(2)))
    show(*f(tf.constant(1)))
    show(*f(tf.constant(2)))


def draw_shuffle_ds(tf: Any, show: Any, uniform: Any, normal: Any) -> None:
    tf.random.set_seed(1)

    @tf.function
    def f():
        return (
            tf.random.shuffle(tf.range(5)),
            tf.random.shuffle(tf.range(5), seed=2),
            tf.random.normal([2]),
            tf.random.truncated_normal([2], seed=1),
            tf.random.stateless_normal([2], [1, 2]),
        )

    show(*f())
    show(*f())


def draw_generators_in_fn(tf: Any, show: Any, uniform: Any, normal: Any) -> None:
    g = tf.random.Generator.from_seed(1)

    @tf.function
    def f(n):
        a = g.uniform([])
        for _ in tf.range(n):
            a += g.uniform([])
        b = g.split(2)[0].normal([]) if False else g.normal([])
        return a, b

    show(*f(tf.constant(1)))
    show(*f(tf.constant(2)))
    show(g.uniform([]))
    show(g.state)


def draw_many_functions_same_code(tf: Any, show: Any, uniform: Any, normal: Any) -> None:
    tf.random.set_seed(1)

    def make():
        @tf.function
        def f():
            return uniform(), uniform(3)

        return f

    a, b = make(), make()
    show(a(), b())
    show(a(), b())


PROGRAMS = {name: program for name, program in list(globals().items()) if name.startswith("draw_")}


def answers(tf: Any, program: Any) -> list[Any]:
    """What a program shows: nests of numbers."""
    found: list[Any] = []

    def numbers(value: Any) -> Any:
        if isinstance(value, (list, tuple)):
            return [numbers(part) for part in value]
        return np.asarray(value).tolist()

    def uniform(seed: Any = None) -> Any:
        return tf.random.uniform([], seed=seed)

    def normal(seed: Any = None) -> Any:
        return tf.random.normal([], seed=seed)

    program(tf, lambda *values: found.append(numbers(values)), uniform, normal)
    return found
