# Written by tools/write_types.py from the functions themselves.
# ruff: noqa
# fmt: off
# mypy: disable-error-code="overload-overlap"


def disable_check_numerics() -> None:
    """End what `enable_check_numerics` began; nothing, if it did not.

    >>> tf.debugging.disable_check_numerics()
    """

def enable_check_numerics(stack_height_limit: int = 30, path_length_limit: int = 50) -> None:
    """From here on, raise where an op of this thread makes NaN or infinity, in gradients too.

    >>> tf.debugging.enable_check_numerics()
    >>> tf.math.log([1.0, 0.0])
    Traceback (most recent call last):
    tapegrad.errors.InvalidArgumentError: Infinity or NaN in output 0 of the op "Log" (1 output in all)
      dtype: float32, shape: (2,), elements: 1 -Inf of 2
      input 0: tf.Tensor([1. 0.], shape=(2,), dtype=float32) [Op:Log]
    >>> tf.debugging.disable_check_numerics()

    Real floating-point results are looked at, of all ops but those that only move numbers (reshapes, slices,
    ``concat``, ``fill``, ``maximum`` and so on). The gradients of the vectors of an SVD or of ``eigh`` warn
    where values are equal: a part of them is then lost. What a variable holds is looked at where an op
    computes with it, not where it is read or written.

    Args:
        stack_height_limit, path_length_limit: accepted; Python's traceback says where the op was called.
    """
