"""Tensors as DLPack capsules, and tensors and arrays of the capsules of other libraries, without copies.

A tensor never changes, so its memory is lent only to readers: see `exported`. Memory that another library
lends still belongs to that library: a tensor over it changes when its owner writes there, as in
TensorFlow.
`tapegrad.engines.numpy.dlpack` defines the structures.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from tapegrad import core
from tapegrad.core import EagerTensor
from tapegrad.engines.numpy.copies import copied
from tapegrad.engines.numpy.dlpack import COPIED, READ_ONLY, VERSION, from_capsule, to_capsule
from tapegrad.errors import refuse

PUBLIC = {
    "experimental.dlpack": "from_dlpack to_dlpack",
}

Array = np.ndarray[Any, Any]

CPU = (1, 0)  # DLPack's numbers of the device
# Modules that call `__dlpack__` and do not follow the standard. JAX 0.10 asks for the older layout, which
# cannot say that memory is read-only, but never writes to it: a donated argument is copied. PyTorch 2.13 asks
# for the newer layout, ignores that the memory is read-only, and writes to it in operations in place.
NEVER_WRITE = frozenset({"jax._src.dlpack"})
WRITE_TO_ALL = frozenset({"torch.utils.dlpack"})


def exported(
    array: Array,
    *,
    stream: Any = None,
    max_version: Any = None,
    dl_device: Any = None,
    copy: bool | None = None,
) -> Any:
    """What ``tensor.__dlpack__`` gives: a capsule over the array of a tensor, or over a copy of it.

    Without a copy, the memory is read-only, and the capsule says so. A consumer that would write
    gets a copy: one that knows only DLPack before 1.0, or PyTorch. With ``copy=False`` PyTorch gets the
    memory itself.

    Raises:
        BufferError: the tensor cannot be lent as requested, or DLPack lacks its dtype.
    """
    consumer = sys._getframe(1).f_globals.get("__name__")  # methods of the core have no frame
    version = _version(max_version)
    if stream is not None:
        raise BufferError(f"a tensor in the CPU's memory has no stream; stream={stream!r} came")
    if dl_device is not None and tuple(dl_device) != CPU:
        raise BufferError(f"tensors are on the device {CPU} of DLPack; {tuple(dl_device)} came")
    knows_read_only = version is not None or consumer in NEVER_WRITE
    if copy is None:
        lends = knows_read_only and consumer not in WRITE_TO_ALL and _is_plain(array, consumer)
    elif copy:
        lends = False
    elif not knows_read_only:
        raise BufferError(
            "a tensor never changes, and a capsule from before DLPack 1.0 cannot say that its memory is "
            "read-only: ask with max_version=(1, 0), or leave copy=False out"
        )
    elif not _is_plain(array, consumer):
        raise BufferError(
            f"a tensor with the strides {array.strides} is lent as a copy alone: leave copy=False out"
        )
    else:
        lends = True
    if lends:
        return to_capsule(array, version, READ_ONLY)
    return to_capsule(array if array.dtype.names is not None else copied(array), version, COPIED)


def _is_plain(array: Array, consumer: str | None) -> bool:
    """Whether every consumer can use the strides. Negative ones end PyTorch; JAX takes none."""
    if consumer in NEVER_WRITE:
        return array.flags.c_contiguous
    return all(stride >= 0 and stride % array.itemsize == 0 for stride in array.strides)


def _version(max_version: Any) -> tuple[int, int] | None:
    """The newest version of the newer layout that the consumer knows; None if it knows only the older one."""
    if max_version is None:
        return None
    if (
        not isinstance(max_version, tuple)
        or len(max_version) != 2
        or not all(isinstance(number, int) for number in max_version)
    ):
        raise TypeError(f"max_version is a pair of whole numbers; {max_version!r} came")
    return max_version if max_version >= (1, 0) else None


def to_dlpack(tf_tensor: Any) -> Any:
    """A DLPack capsule over a copy of a tensor, for libraries that know DLPack before 1.0 only.

    >>> class Capsule:
    ...     def __dlpack__(self, **options):
    ...         return tf.experimental.dlpack.to_dlpack(tf.constant([1.0, 2.0]))
    ...     def __dlpack_device__(self):
    ...         return (1, 0)
    >>> np.from_dlpack(Capsule())
    array([1., 2.], dtype=float32)

    Differs from TensorFlow: the memory is copied. Such a capsule cannot say that its memory is read-only, and
    a tensor never changes. ``np.from_dlpack(x)``, ``jax.dlpack.from_dlpack(x)`` and
    ``torch.from_dlpack(x, copy=False)`` take the tensor itself and copy nothing.

    Args:
        tf_tensor: a tensor with a value.

    Raises:
        InvalidArgumentError: for anything else than a tensor, and for a dtype, such as string, that DLPack
            lacks. (TensorFlow ends the process there.)
    """
    if not isinstance(tf_tensor, EagerTensor):
        refuse(f"to_dlpack() takes a tensor; a {type(tf_tensor).__name__} came.")
    try:
        return exported(core.static_value(tf_tensor, "DLPack"))
    except BufferError:
        refuse(f"{tf_tensor.dtype.name} is not supported by DLPack.")


def from_dlpack(dlcapsule: Any) -> EagerTensor:
    """A tensor over the memory that a DLPack capsule holds, without a copy.

    >>> array = np.array([1.0, 2.0])
    >>> x = tf.experimental.dlpack.from_dlpack(array.__dlpack__())
    >>> x
    <tf.Tensor: shape=(2,), dtype=float64, numpy=array([1., 2.])>

    The memory still belongs to its owner. If the owner writes to it, the tensor changes, and a gradient that
    is computed afterwards may be wrong. Where that can happen, take a copy: ``tf.constant(array)``.

    Differs from TensorFlow: any strides, read-only memory and capsules of DLPack 1 will do. Numbers at an
    address that is no multiple of their alignment are copied.

    Args:
        dlcapsule: what a method ``__dlpack__`` returns. It can be taken once.

    Raises:
        TypeError: for anything else than a capsule.
        InvalidArgumentError: for a capsule that was taken before or is not DLPack's, for memory of another
            device than the CPU, and for a dtype that no tensor has.
    """
    if type(dlcapsule).__name__ != "PyCapsule":
        raise TypeError(
            f"from_dlpack() takes a DLPack capsule; a {type(dlcapsule).__name__} came. "
            "tf.convert_to_tensor takes objects with a method __dlpack__."
        )
    try:
        return EagerTensor(_aligned(from_capsule(dlcapsule)[0]))
    except BufferError as error:
        refuse(f"from_dlpack(): {error}.")


def imported(value: Any, copy: bool | None = None) -> Array:
    """A read-only array over what ``value``, which has a method ``__dlpack__``, lends; or a copy of it.

    Args:
        copy: True for a copy, False for none, None for one where it has to be.

    Raises:
        BufferError: ``value`` lends nothing that tensors can hold, or not without a copy.
    """
    device = value.__dlpack_device__()
    try:
        capsule = value.__dlpack__(max_version=VERSION, copy=copy)
    except TypeError:  # from before the standard's version of 2023
        capsule = value.__dlpack__()
    try:
        array, flags = from_capsule(capsule)
    except BufferError as error:
        raise BufferError(f"{error} (from the device {device})") from None
    if copy:
        return array if flags & COPIED and array.flags.aligned else copied(array)
    if copy is False and not array.flags.aligned:
        raise BufferError("the memory lies at an address that tensors cannot use without a copy")
    return _aligned(array)


def _aligned(array: Array) -> Array:
    """The array as tensors can hold it: at an address that is a multiple of an element's alignment."""
    if array.dtype == bool and (array.view(np.uint8) > 1).any():
        raise BufferError("a byte of a truth value is 0 or 1, and others came")
    return array if array.flags.aligned else copied(array)
