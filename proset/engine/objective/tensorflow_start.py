"""TensorFlow when it is first needed: what is missing named, its notes left out, its products in full precision."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from typing import Any

from proset.common.errors import ProsetError

# TensorFlow's own variables while it starts, unless the caller has set them: a log level of 1 leaves out notes, while
# warnings and errors stay; oneDNN's kernels announce themselves at any level, and round differently per processor.
QUIET = {"TF_CPP_MIN_LOG_LEVEL": "1", "TF_ENABLE_ONEDNN_OPTS": "0"}


class MissingTensorFlowError(ProsetError, ImportError):
    """``backend="tensorflow"`` was asked for and TensorFlow cannot be imported."""


@cache
def import_tensorflow() -> Any:
    """Import TensorFlow, which takes seconds, when it is first needed.

    Returns
    -------
    module
        ``tensorflow``. It takes GPU memory as it needs it, so that other processes find some, and keeps to
        ``OMP_NUM_THREADS``, unless the caller's program has started it before.

    Raises
    ------
    MissingTensorFlowError
        If it is not installed or does not load, naming the extra.
    """
    with _quiet_start():
        try:
            import tensorflow as tf
        except ImportError as error:
            raise MissingTensorFlowError(
                f'backend="tensorflow" needs TensorFlow, which cannot be imported here ({error}).',
                hint='Install it with: pip install "proset-dashboard[tensorflow]", or use backend="numpy".',
            ) from error
        with suppress(RuntimeError):  # the caller's program has started the devices, with settings of its own
            threads = os.environ.get("OMP_NUM_THREADS", "")
            if threads.isdigit() and int(threads) > 0:  # schedulers tell their workers so; TensorFlow does not look
                tf.config.threading.set_intra_op_parallelism_threads(int(threads))
            for gpu in tf.config.list_physical_devices("GPU"):
                tf.config.experimental.set_memory_growth(gpu, True)
        tf.config.list_logical_devices()  # starts the devices while their notes are left out
    return tf


@contextmanager
def _quiet_start() -> Iterator[None]:
    """Leave out TensorFlow's notes about the processor while it starts, unless the caller's program asks for them."""
    unset = {name: value for name, value in QUIET.items() if name not in os.environ}
    os.environ.update(unset)
    try:
        yield
    finally:
        for name in unset:
            del os.environ[name]


@contextmanager
def full_single_precision(tf: Any) -> Iterator[None]:
    """Keep products in float32: by default a GPU would round their factors to ten bits, far too few for exponents."""
    settings = tf.config.experimental
    before = settings.tensor_float_32_execution_enabled()
    settings.enable_tensor_float_32_execution(False)
    try:
        yield
    finally:
        settings.enable_tensor_float_32_execution(before)
