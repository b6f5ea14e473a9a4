"""Workloads that read the same in TensorFlow and here: many small ops, where a function pays most."""

from collections.abc import Callable
from typing import Any

import data

Step = Callable[[], Any]
Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


def _field(layers: Any, tf: Any) -> Callable[[Any], Any]:
    w1, b1, w2, b2 = layers

    def field(y: Any) -> Any:
        return tf.tanh((y**3) @ w1 + b1) @ w2 + b2

    return field


def _after(field: Callable[[Any], Any], y: Any) -> Any:
    """One step of the Runge-Kutta method of fourth order."""
    h = data.ODE_STEP
    k1 = field(y)
    k2 = field(y + 0.5 * h * k1)
    k3 = field(y + 0.5 * h * k2)
    k4 = field(y + h * k3)
    return y + (h / 6.0) * (k1 + 2.0 * k2 + 2.0 * k3 + k4)


def _integrated(field: Callable[[Any], Any], y: Any) -> Any:
    for _ in range(data.ODE_STEPS):
        y = _after(field, y)
    return y


def neural_ode(tf: Any, decorate: Decorator) -> Step:
    """The gradient of a loss at the end of a path, through all steps, and gradient descent."""
    layers, y, wanted = data.neural_ode()
    variables = [tf.Variable(array) for layer in layers for array in layer]
    field = _field(variables, tf)

    def step(y: Any, wanted: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(_integrated(field, y) - wanted))
        for variable, gradient in zip(variables, tape.gradient(loss, variables), strict=True):
            variable.assign_sub(data.LEARNING_RATE * gradient)
        return loss

    whole = decorate(step)
    y, wanted = tf.constant(y), tf.constant(wanted)
    return lambda: (whole(y, wanted), variables)


def neural_ode_outside(tf: Any, decorate: Decorator) -> Step:
    """The same with the tape around the function, as training loops of users have it."""
    layers, y, wanted = data.neural_ode()
    variables = [tf.Variable(array) for layer in layers for array in layer]
    field = _field(variables, tf)
    integrate = decorate(lambda y: _integrated(field, y))
    y, wanted = tf.constant(y), tf.constant(wanted)

    def step() -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(integrate(y) - wanted))
        for variable, gradient in zip(variables, tape.gradient(loss, variables), strict=True):
            variable.assign_sub(data.LEARNING_RATE * gradient)
        return loss, variables

    return step


def neural_ode_adjoint(tf: Any, decorate: Decorator) -> Step:
    """The same gradient by the adjoint equation, which is integrated back in time beside the path."""
    layers, y, wanted = data.neural_ode()
    variables = [tf.Variable(array) for layer in layers for array in layer]
    field = _field(variables, tf)
    h = data.ODE_STEP

    def slopes(y: Any, adjoint: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(y)
            f = field(y)
        return f, tape.gradient(f, [y, *variables], output_gradients=adjoint)

    def step(y: Any, wanted: Any) -> Any:
        y = _integrated(field, y)
        difference = y - wanted
        loss = tf.reduce_mean(tf.square(difference))
        adjoint = difference * (2.0 / data.ODE_SIZE)
        totals = [tf.zeros_like(variable) for variable in variables]
        for _ in range(data.ODE_STEPS):
            f, (push, *parts) = slopes(y, adjoint)
            middle, (push, *parts) = slopes(y - 0.5 * h * f, adjoint + 0.5 * h * push)
            y = y - h * middle
            adjoint = adjoint + h * push
            totals = [total + h * part for total, part in zip(totals, parts, strict=True)]
        for variable, total in zip(variables, totals, strict=True):
            variable.assign_sub(data.LEARNING_RATE * total)
        return loss

    whole = decorate(step)
    y, wanted = tf.constant(y), tf.constant(wanted)
    return lambda: (whole(y, wanted), variables)


def maml(tf: Any, decorate: Decorator) -> Step:
    """Learning to learn: a gradient step for each of eight tasks, and the gradient through these steps."""
    layers, tasks = data.maml()
    variables = [tf.Variable(array) for layer in layers for array in layer]

    def model(parameters: Any, x: Any) -> Any:
        w1, b1, w2, b2, w3, b3 = parameters
        return tf.nn.relu(tf.nn.relu(x @ w1 + b1) @ w2 + b2) @ w3 + b3

    def step(tasks: Any) -> Any:
        with tf.GradientTape() as outer:
            losses = []
            for x, y, x_new, y_new in tasks:
                with tf.GradientTape() as inner:
                    loss = tf.reduce_mean(tf.square(model(variables, x) - y))
                gradients = inner.gradient(loss, variables)
                fast = [
                    variable - data.LEARNING_RATE * gradient
                    for variable, gradient in zip(variables, gradients, strict=True)
                ]
                losses.append(tf.reduce_mean(tf.square(model(fast, x_new) - y_new)))
            total = tf.add_n(losses) / len(losses)
        for variable, gradient in zip(variables, outer.gradient(total, variables), strict=True):
            variable.assign_sub(data.LEARNING_RATE * gradient)
        return total

    whole = decorate(step)
    tasks = [tuple([tf.constant(array) for array in task]) for task in tasks]
    return lambda: (whole(tasks), variables)


def module_mlp(tf: Any, decorate: Decorator) -> Step:
    """Modules as in Sonnet, which make their variables when they are first called, and its Adam."""
    arrays, x, labels = data.module_mlp()
    rate, beta1, beta2, epsilon = data.ADAM.values()

    class Linear(tf.Module):  # type: ignore[misc]
        def __init__(self, weights: Any, bias: Any, name: str) -> None:
            super().__init__(name=name)
            self.start = weights, bias
            self.w: Any = None

        @tf.Module.with_name_scope  # type: ignore[untyped-decorator]
        def __call__(self, x: Any) -> Any:
            if self.w is None:
                self.w, self.b = (tf.Variable(array) for array in self.start)
            return tf.add(tf.matmul(x, self.w), self.b)

    class MLP(tf.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__(name="mlp")
            self.layers = [Linear(*each, name=f"linear_{i}") for i, each in enumerate(arrays)]

        def __call__(self, x: Any) -> Any:
            for layer in self.layers[:-1]:
                x = tf.nn.relu(layer(x))
            return self.layers[-1](x)

    class Adam(tf.Module):  # type: ignore[misc]
        def __init__(self, variables: Any) -> None:
            super().__init__(name="adam")
            self.step = tf.Variable(0, dtype=tf.int64, trainable=False)
            self.m, self.v = (
                [tf.Variable(tf.zeros_like(each), trainable=False) for each in variables]
                for _ in range(2)
            )

        def apply(self, updates: Any, variables: Any) -> None:
            self.step.assign_add(1)
            t = tf.cast(self.step, tf.float32)
            for update, variable, m, v in zip(updates, variables, self.m, self.v, strict=True):
                m.assign(beta1 * m + (1.0 - beta1) * update)
                v.assign(beta2 * v + (1.0 - beta2) * tf.square(update))
                debiased_m = m / (1.0 - tf.pow(beta1, t))
                debiased_v = v / (1.0 - tf.pow(beta2, t))
                variable.assign_sub(rate * debiased_m / (tf.sqrt(debiased_v) + epsilon))

    model = MLP()
    x, labels = tf.constant(x), tf.constant(labels)
    model(x)
    variables = model.trainable_variables
    optimizer = Adam(variables)

    def step(x: Any, labels: Any) -> Any:
        with tf.GradientTape() as tape:
            losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=model(x))
            loss = tf.reduce_mean(losses)
        optimizer.apply(tape.gradient(loss, variables), variables)
        return loss

    whole = decorate(step)
    return lambda: (whole(x, labels), variables)
