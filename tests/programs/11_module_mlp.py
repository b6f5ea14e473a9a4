"""tf.Module: an MLP with name scopes, submodules, shapes made at first call, and training."""

import numpy as np

import tapegrad as tf


class Dense(tf.Module):
    """A layer that learns its input size at the first call."""

    def __init__(self, out_features, activation=None, seed=0, name=None):
        super().__init__(name=name)
        self.is_built = False
        self.out_features, self.activation, self.seed = out_features, activation, seed

    @tf.Module.with_name_scope
    def __call__(self, x):
        if not self.is_built:
            rng = np.random.RandomState(self.seed)
            shape = (x.shape[-1], self.out_features)
            initial = (rng.randn(*shape) / np.sqrt(shape[0])).astype("float32")
            self.w = tf.Variable(initial, name="w")
            self.b = tf.Variable(tf.zeros([self.out_features]), name="b")
            self.is_built = True
        y = tf.matmul(x, self.w) + self.b
        return self.activation(y) if self.activation else y


class MLP(tf.Module):
    """Layers in a list, a frozen scale, and a dict with a module inside."""

    def __init__(self, sizes, name=None):
        super().__init__(name=name)
        self.layers = []
        with self.name_scope:
            for index, size in enumerate(sizes[:-1]):
                self.layers.append(Dense(size, tf.nn.relu, seed=index))
        self.heads = {"main": Dense(sizes[-1], seed=99, name="head")}
        self.scale = tf.Variable(1.0, trainable=False, name="scale")

    @tf.Module.with_name_scope
    def __call__(self, x):
        for layer in self.layers:
            x = layer(x)
        return self.scale * self.heads["main"](x)


rng = np.random.RandomState(0)
x = tf.constant(rng.uniform(-1, 1, (128, 2)).astype("float32"))
y = tf.sin(3 * x[:, :1]) * x[:, 1:]
model = MLP([16, 8, 1], name="my_model")
print("before the first call:", [v.name for v in model.variables], model.name)
print(model(x[:2]))
for variable in model.variables:
    print(variable.name, variable.shape, variable.trainable)
print([v.name for v in model.trainable_variables], len(model.non_trainable_variables))
print([module.name for module in model.submodules])
print(model.name_scope.name)
print(sum(int(tf.size(v)) for v in model.trainable_variables))

for epoch in range(101):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(model(x) - y))
    grads = tape.gradient(loss, model.trainable_variables)
    for grad, variable in zip(grads, model.trainable_variables):
        variable.assign_sub(0.3 * grad)
    if epoch % 20 == 0:
        print(f"epoch {epoch} loss {loss.numpy():.5f}")
print({variable.name: tf.norm(grad).numpy() for variable, grad in zip(model.variables[1:], grads)})
print(tf.Module(name="a_b").name, tf.Module().name, Dense(3).name, MLP([2, 1]).name)
try:
    tf.Module(name="not valid")
except ValueError as error:
    print("ValueError", "'not valid' is not a valid" in str(error))
