"""Actor-critic on a tiny corridor: TensorArrays, sampled actions, discounted returns, Huber loss."""
# tolerance: relative 1e-4 absolute 1e-5 (float32 training; the sampled actions are the same bits)

import numpy as np

import tapegrad as tf

eps = np.finfo(np.float32).eps.item()
tf.random.set_seed(42)
rng = np.random.RandomState(1)
w_common = tf.Variable(np.float32(rng.randn(5, 12) * 0.4))
w_actor = tf.Variable(np.float32(rng.randn(12, 2) * 0.4))
w_critic = tf.Variable(np.float32(rng.randn(12, 1) * 0.4))
variables = [w_common, w_actor, w_critic]


def act(state):
    """Action logits and a value for a one-hot position."""
    common = tf.nn.relu(tf.one_hot([state], 5) @ w_common)
    return common @ w_actor, common @ w_critic


def run_episode(seed, max_steps=12):
    """Plays from the middle; right end pays 1, left end costs 1."""
    action_probs = tf.TensorArray(dtype=tf.float32, size=0, dynamic_size=True)
    values = tf.TensorArray(dtype=tf.float32, size=0, dynamic_size=True)
    rewards = tf.TensorArray(dtype=tf.float32, size=0, dynamic_size=True)
    state = 2
    for t in tf.range(max_steps):
        logits, value = act(state)
        draw = tf.random.stateless_uniform([], seed=[seed, int(t)])
        probs = tf.nn.softmax(logits)
        action = int(draw > probs[0, 0])
        values = values.write(t, tf.squeeze(value))
        action_probs = action_probs.write(t, probs[0, action])
        state += 1 if action else -1
        done = state in (0, 4)
        rewards = rewards.write(t, {0: -1.0, 4: 1.0}.get(state, -0.05))
        if done:
            break
    return action_probs.stack(), values.stack(), rewards.stack()


def get_expected_return(rewards, gamma=0.95, standardize=True):
    """Discounted sums from the end, standardised."""
    n = tf.shape(rewards)[0]
    returns = tf.TensorArray(dtype=tf.float32, size=n)
    discounted_sum = tf.constant(0.0)
    for i in tf.range(n):
        reward = rewards[::-1][i]
        discounted_sum = reward + gamma * discounted_sum
        returns = returns.write(i, discounted_sum)
    returns = returns.stack()[::-1]
    if standardize:
        returns = (returns - tf.math.reduce_mean(returns)) / (tf.math.reduce_std(returns) + eps)
    return returns


def huber(y, p):
    """Quadratic near zero, linear far away, summed."""
    error = tf.abs(y - p)
    return tf.reduce_sum(tf.where(error <= 1.0, 0.5 * error**2, error - 0.5))


for episode in range(15):
    with tf.GradientTape() as tape:
        action_probs, values, rewards = run_episode(episode)
        returns = get_expected_return(rewards)
        advantage = returns - values
        actor = -tf.math.reduce_sum(tf.math.log(action_probs) * tf.stop_gradient(advantage))
        loss = actor + huber(returns, values)
    grads, norm = tf.clip_by_global_norm(tape.gradient(loss, variables), 1.0)
    for v, g in zip(variables, grads):
        v.assign_sub(0.05 * g)
    if episode % 5 == 0 or episode == 14:
        total = int(tf.math.round(100 * tf.math.reduce_sum(rewards)))
        print(episode, "length", len(rewards), "reward", total, loss.numpy(), norm.numpy())
print(tf.concat([tf.nn.softmax(act(s)[0]) for s in range(5)], 0))
