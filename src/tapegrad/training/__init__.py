"""Helpers of training loops that are not ops: running means of variables, and threads that stop together.

``averages``    `tf.train.ExponentialMovingAverage`
``coordinator`` `tf.train.Coordinator`
``sections``    `tf.CriticalSection`

The optimizers of TensorFlow 1.x are in `tapegrad.annex.v1.optimizers`, queues in `tapegrad.annex.queues`.
"""
