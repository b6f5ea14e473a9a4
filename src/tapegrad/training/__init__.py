"""Helpers of training loops that are not ops: running means of variables, and threads that stop together.

``averages``    `tf.train.ExponentialMovingAverage`
``coordinator`` `tf.train.Coordinator`
``sections``    `tf.CriticalSection`

Next door: `tapegrad.annex.v1.optimizers` has the optimizers of TensorFlow 1.x, `tapegrad.annex.queues` the queues.
"""
