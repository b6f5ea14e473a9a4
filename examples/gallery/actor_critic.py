"""An actor and a critic learn to balance a pole on a cart: a tape for each update.

    python examples/gallery/actor_critic.py [picture]

Forty carts run at once, as rows of one tensor. The actor says with which probability to push right, the
critic how long the pole will stand.
"""

import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import tapegrad as tf

CARTS, STEPS, UPDATES = 40, 16, 400
DISCOUNT, LONGEST = 0.98, 500


class Carts:
    """Poles of a metre on carts of a kilogram: place, speed, angle and its speed, 50 steps a second."""

    def __init__(self, seed: int) -> None:
        self.random = np.random.default_rng(seed)
        self.state = self.fresh()
        self.ages = np.zeros(CARTS, int)

    def fresh(self) -> np.ndarray:
        return self.random.uniform(-0.05, 0.05, (CARTS, 4)).astype("float32")

    def push(self, right: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Push each cart; which poles have fallen, and how old these carts were. They begin anew."""
        place, speed, angle, turning = self.state.T
        sine, cosine = np.sin(angle), np.cos(angle)
        force = (np.where(right, 10.0, -10.0) + 0.05 * turning**2 * sine) / 1.1
        bending = (9.8 * sine - cosine * force) / (0.5 * (4 / 3 - 0.1 * cosine**2 / 1.1))
        pull = force - 0.05 * bending * cosine / 1.1
        state = np.stack(
            [
                place + 0.02 * speed,
                speed + 0.02 * pull,
                angle + 0.02 * turning,
                turning + 0.02 * bending,
            ],
            1,
        )
        self.ages += 1
        fallen = (abs(state[:, 0]) > 2.4) | (abs(state[:, 2]) > 0.21) | (self.ages >= LONGEST)
        ended = self.ages[fallen]
        self.ages[fallen] = 0
        self.state = np.where(fallen[:, None], self.fresh(), state).astype("float32")
        return fallen, ended


class ActorCritic(tf.Module):
    """A layer that both share, then a logit of pushing right, and a value."""

    def __init__(self) -> None:
        super().__init__()
        self.inner = tf.Variable(tf.random.stateless_normal([4, 64], seed=[4, 1], stddev=0.5))
        self.bias = tf.Variable(tf.zeros([64]))
        self.outer = tf.Variable(tf.random.stateless_normal([64, 2], seed=[4, 2], stddev=0.05))

    def __call__(self, state: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        answers = tf.tanh(state @ self.inner + self.bias) @ self.outer
        return answers[..., 0], 10.0 * answers[..., 1]


def main(path: str) -> None:
    carts, network = Carts(seed=0), ActorCritic()
    random = np.random.default_rng(1)
    means = [tf.Variable(tf.zeros_like(weight)) for weight in network.trainable_variables]
    squares = [tf.Variable(tf.zeros_like(weight)) for weight in network.trainable_variables]

    @tf.function
    def update(
        states: tf.Tensor, pushes: tf.Tensor, returns: tf.Tensor, step: tf.Tensor
    ) -> tf.Tensor:
        with tf.GradientTape() as tape:
            logits, values = network(states)
            surprise = tf.nn.sigmoid_cross_entropy_with_logits(
                labels=pushes, logits=logits
            )  # -log p
            advantages = tf.stop_gradient(returns - values)
            doubt = tf.nn.sigmoid_cross_entropy_with_logits(
                labels=tf.sigmoid(logits), logits=logits
            )
            loss = tf.reduce_mean(
                surprise * advantages + 0.1 * (returns - values) ** 2 - 0.02 * doubt
            )
        gradients, _ = tf.clip_by_global_norm(tape.gradient(loss, network.trainable_variables), 5.0)
        scale = 0.01 * tf.sqrt(1.0 - 0.999**step) / (1.0 - 0.9**step)
        for weight, gradient, mean, square in zip(
            network.trainable_variables, gradients, means, squares, strict=True
        ):
            mean.assign(0.9 * mean + 0.1 * gradient)
            square.assign(0.999 * square + 0.001 * gradient**2)
            weight.assign_sub(scale * mean / (tf.sqrt(square) + 1e-8))
        return loss

    policy = tf.function(network.__call__)
    lengths: list[int] = []
    marks: list[int] = []
    for step in range(1, UPDATES + 1):
        states, pushes, falls = [], [], []
        for _ in range(STEPS):
            states.append(carts.state)
            logits, _ = policy(tf.constant(carts.state))
            pushes.append(random.random(CARTS) < tf.sigmoid(logits).numpy())
            fallen, ended = carts.push(pushes[-1])
            falls.append(fallen)
            lengths.extend(ended)
            marks.extend([step] * len(ended))
        ahead = policy(tf.constant(carts.state))[1].numpy()
        returns = []
        for fallen in reversed(falls):
            ahead = 1.0 + DISCOUNT * np.where(fallen, 0.0, ahead)
            returns.append(ahead)
        arrays = np.array(states), np.array(pushes, "float32"), np.array(returns[::-1], "float32")
        update(*map(tf.constant, arrays), tf.constant(float(step)))

    figure, axis = plt.subplots(figsize=(6, 3.2), layout="constrained")
    axis.plot(marks, lengths, ".", ms=3, alpha=0.3)
    smooth = np.convolve(lengths, np.ones(60) / 60, "valid")
    axis.plot(marks[59:], smooth, lw=2)
    axis.set(xlabel="update", ylabel="steps until the pole falls")
    figure.savefig(path, dpi=80)
    print(f"steps {np.mean(lengths[:100]):.0f} at first, {np.mean(lengths[-100:]):.0f} at last")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "actor_critic.png")
