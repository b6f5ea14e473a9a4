"""`tf.sysconfig`, and the questions of `tf.test` about the build: no GPUs, and nothing to link with."""

from __future__ import annotations

from collections import OrderedDict
from typing import NoReturn

PUBLIC = {
    "sysconfig": "get_build_info get_compile_flags get_include get_lib get_link_flags",
    "test compat.v1.test": (
        "gpu_device_name is_built_with_cuda is_built_with_gpu_support is_built_with_rocm "
        "is_built_with_xla is_cpu_target_available is_gpu_available"
    ),
}


def get_build_info() -> OrderedDict[str, object]:
    """What this package was built for: no kind of GPU.

    >>> tf.sysconfig.get_build_info()["is_cuda_build"]
    False
    """
    return OrderedDict(is_cuda_build=False, is_rocm_build=False, is_tensorrt_build=False)


def _refuse_to_link(name: str) -> NoReturn:
    raise NotImplementedError(
        f"tf.sysconfig.{name}() is for code in C++ that uses TensorFlow's library, which is not part of "
        "tapegrad: write ops in Python, with tf.custom_gradient, or call C through tf.numpy_function."
    )


def get_include() -> NoReturn:
    """Raises NotImplementedError: there are no header files."""
    _refuse_to_link("get_include")


def get_lib() -> NoReturn:
    """Raises NotImplementedError: there is no library."""
    _refuse_to_link("get_lib")


def get_compile_flags() -> NoReturn:
    """Raises NotImplementedError: there is nothing to compile against."""
    _refuse_to_link("get_compile_flags")


def get_link_flags() -> NoReturn:
    """Raises NotImplementedError: there is nothing to link with."""
    _refuse_to_link("get_link_flags")


def gpu_device_name() -> str:
    """ "": there is no GPU."""
    return ""


def is_built_with_cuda() -> bool:
    """False: no GPU is used."""
    return False


def is_built_with_gpu_support() -> bool:
    """False: no GPU is used."""
    return False


def is_built_with_rocm() -> bool:
    """False: no GPU is used."""
    return False


def is_built_with_xla() -> bool:
    """False: nothing is compiled."""
    return False


def is_cpu_target_available(target: str) -> bool:
    """False: nothing is compiled for any kind of CPU.

    Args:
        target: the name of a kind of CPU. It is not looked at.
    """
    return False


def is_gpu_available(
    cuda_only: bool = False, min_cuda_compute_capability: tuple[int, int] | None = None
) -> bool:
    """False: there is no GPU.

    Args:
        cuda_only: accepted, and of no effect.
        min_cuda_compute_capability: the least version of CUDA's processors, a pair of ints. It is not looked
            at.
    """
    return False
