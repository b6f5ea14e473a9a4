"""Q-learning with a replay buffer, a target net, gathered actions and a Huber loss."""
# tolerance: relative 3e-4 absolute 3e-5 (float32 training)

import numpy as np

import tapegrad as tf

rng = np.random.RandomState(29)
SIZE, ACTIONS, GAMMA = 6, 2, 0.9


def make_net(seed):
    """Weights of a net with one hidden layer."""
    source = np.random.RandomState(seed)
    return {
        "hidden": tf.Variable(np.float32(source.randn(SIZE, 16) * 0.4)),
        "out": tf.Variable(np.float32(source.randn(16, ACTIONS) * 0.2)),
        "bias": tf.Variable(tf.zeros([16])),
    }


def q_values(net, states):
    """Q of each action."""
    hidden = tf.nn.relu(tf.one_hot(states, SIZE) @ net["hidden"] + net["bias"])
    return hidden @ net["out"]


def step(state, action):
    """A corridor with a prize at its end."""
    state = min(max(state + (1 if action else -1), 0), SIZE - 1)
    return state, float(state == SIZE - 1), state == SIZE - 1


online, target = make_net(1), make_net(2)
tf.nest.map_structure(lambda t, o: t.assign(o), target, online)
memory, state = [], 0
for _ in range(150):
    action = int(rng.randint(ACTIONS))
    following, reward, done = step(state, action)
    memory.append((state, action, reward, following, float(done)))
    state = 0 if done else following
print(len(memory), sum(entry[2] for entry in memory))


def huber(error, delta=1.0):
    """By where."""
    small = 0.5 * tf.square(error)
    large = delta * (tf.abs(error) - 0.5 * delta)
    return tf.reduce_mean(tf.where(tf.abs(error) <= delta, small, large))


variables = tf.nest.flatten(online)
squares = [tf.Variable(tf.zeros_like(v)) for v in variables]
for iteration in range(60):
    batch = [memory[i] for i in rng.randint(0, len(memory), 16)]
    states, actions, rewards, nexts, dones = (np.array(column) for column in zip(*batch))
    best = tf.argmax(q_values(online, nexts), axis=1, output_type=tf.int32)
    future = tf.gather(q_values(target, nexts), best, axis=1, batch_dims=1)
    goal = tf.cast(rewards, tf.float32) + GAMMA * (1 - tf.cast(dones, tf.float32)) * future
    with tf.GradientTape() as tape:
        all_q = q_values(online, states)
        chosen = tf.reduce_sum(all_q * tf.one_hot(actions, ACTIONS), axis=1)
        indices = tf.stack([tf.range(16), tf.cast(actions, tf.int32)], axis=1)
        same = tf.gather_nd(all_q, indices)
        loss = huber(tf.stop_gradient(goal) - chosen) + 0.0 * tf.reduce_sum(same)
    grads = tape.gradient(loss, variables)
    for g, v, s in zip(grads, variables, squares):
        s.assign(0.9 * s + 0.1 * g * g)
        v.assign_sub(0.01 * g / tf.sqrt(s + 1e-3))
    if iteration % 10 == 9:
        tf.nest.map_structure(lambda t, o: t.assign(0.5 * t + 0.5 * o), target, online)
        print(
            iteration, loss.numpy(), tf.reduce_max(all_q).numpy(), bool(np.allclose(chosen, same))
        )
table = q_values(online, tf.range(SIZE))
print(table, tf.argmax(table, axis=1))
policy = tf.nn.softmax(table / 0.1)
entropy = -tf.reduce_sum(policy * tf.math.log(policy), axis=1)
print(entropy, tf.reduce_sum(tf.math.xlogy(policy, policy)).numpy())
