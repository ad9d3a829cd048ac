"""The objective (2.8) and its gradient through TensorFlow: a batch in one compiled call, on a GPU if there is one.

The formulas are those of the numpy backend. The candidates of a row's own class and all others are two products, so no
term cancels: with P = G [w s, w], one row gives q_true and q_other, and 1 / q_true - 1 / q_total is taken as
q_other / (q_true q_total). The reference rows go through in blocks, so memory does not grow with their number.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from proset.common.errors import ProsetError
from proset.engine.kernels.similarity import row_blocks
from proset.engine.objective.numpy_backend import SMALLEST_EXPONENT, SMALLEST_SIMILARITY
from proset.engine.objective.problem import BatchProblem
from proset.engine.set_manager import FloatArray, IntArray

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Int32Array = NDArray[np.int32]

# Numbers per block, in float32: similarities and the rows themselves. About four such arrays are alive at once: 1 GiB
# on a GPU, which few large steps keep busy, and 64 MiB on a processor, where larger blocks gain nothing.
GPU_BLOCK_ELEMENTS = 1 << 26
CPU_BLOCK_ELEMENTS = 1 << 22

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
def _full_single_precision(tf: Any) -> Iterator[None]:
    """Keep products in float32: by default a GPU would round their factors to ten bits, far too few for exponents."""
    settings = tf.config.experimental
    before = settings.tensor_float_32_execution_enabled()
    settings.enable_tensor_float_32_execution(False)
    try:
        yield
    finally:
        settings.enable_tensor_float_32_execution(before)


@cache
def _compiled() -> Callable[..., Any]:
    """Trace the sums over all blocks once per process; the sizes of a problem are no part of the signature."""
    tf = import_tensorflow()
    matrix, weights = tf.TensorSpec([None, None], tf.float32), tf.TensorSpec([None], tf.float32)
    row, blocks = tf.TensorSpec([None], tf.float64), tf.TensorSpec([None, 4], tf.int32)
    signature = [matrix, row, row, row, matrix, weights, weights, blocks]
    compiled: Callable[..., Any] = tf.function(_sum_blocks, input_signature=signature, autograph=False)
    return compiled


def _sum_blocks(
    reference: Any, prior_true: Any, prior_other: Any, importance: Any, candidates: Any, v: Any, w: Any, blocks: Any
) -> Any:
    """Log-likelihood, sums of C (J,), sums of C w (x - s)^2 (d,), in one vector of float64."""
    tf = import_tensorflow()
    scaled = candidates * v
    ones = tf.ones([tf.shape(candidates)[0], 1], tf.float32)
    # Two more columns turn the product into the whole exponent: z.z' - |z'|^2 / 2 - |z|^2 / 2.
    right = tf.concat([scaled, -0.5 * tf.reduce_sum(scaled * scaled, 1, keepdims=True), ones], 1)
    weighted = w[:, None] * tf.concat([candidates, ones], 1)

    def more(i: Any, *_: Any) -> Any:
        return i < tf.shape(blocks)[0]

    def step(i: Any, log_likelihood: Any, columns: Any, moment: Any) -> Any:
        start, stop, first, last = tf.unstack(blocks[i])
        rows = slice(start, stop)
        same = [array[first:last] for array in (right, weighted)]
        other = [tf.concat([array[:first], array[last:]], 0) for array in (right, weighted)]
        likelihood, of_same, of_other, block_moment = _sum_block(
            reference[rows], prior_true[rows], prior_other[rows], importance[rows], v, same, other
        )
        columns += tf.concat([of_other[:first], of_same, of_other[first:]], 0)
        return i + 1, log_likelihood + likelihood, columns, moment + block_moment

    begin = (tf.constant(0), tf.zeros([], tf.float64), tf.zeros_like(w, tf.float64), tf.zeros_like(v, tf.float64))
    # One block at a time, or memory would hold many.
    _, log_likelihood, columns, moment = tf.while_loop(more, step, begin, parallel_iterations=1)
    # The term of (x - s)^2 in s alone needs only the finished column sums.
    squares = tf.cast(candidates * candidates, tf.float64)
    moment += tf.linalg.matvec(squares, columns * tf.cast(w, tf.float64), transpose_a=True)
    return tf.concat([log_likelihood[None], columns, moment], 0)


def _sum_block(x: Any, prior_true: Any, prior_other: Any, importance: Any, v: Any, same: Any, other: Any) -> Any:
    """One block of rows of one class: log-likelihood, sums of C over its rows for same and other, moment."""
    tf = import_tensorflow()
    z = x * v
    half_square = -0.5 * tf.reduce_sum(z * z, 1, keepdims=True)
    left = tf.concat([z, tf.ones_like(half_square), half_square], 1)
    similar_same, similar_other = _similarities(left, same[0]), _similarities(left, other[0])
    p_same, p_other = tf.matmul(similar_same, same[1]), tf.matmul(similar_other, other[1])
    q_true = prior_true + tf.cast(p_same[:, -1], tf.float64)
    q_other = prior_other + tf.cast(p_other[:, -1], tf.float64)
    share = importance / (q_true + q_other)
    factor_same, factor_other = tf.cast(share * q_other / q_true, tf.float32), tf.cast(-share, tf.float32)
    mixed = factor_same[:, None] * p_same + factor_other[:, None] * p_other
    return (
        -tf.reduce_sum(importance * tf.math.log1p(q_other / q_true)),
        tf.cast(tf.linalg.matvec(similar_same, factor_same, transpose_a=True), tf.float64),
        tf.cast(tf.linalg.matvec(similar_other, factor_other, transpose_a=True), tf.float64),
        tf.reduce_sum(tf.cast(x * (mixed[:, -1:] * x - 2.0 * mixed[:, :-1]), tf.float64), 0),
    )


def _similarities(left: Any, right: Any) -> Any:
    """Kernel (2.3) from its whole exponent, with the cut of the numpy backend."""
    tf = import_tensorflow()
    exponent = tf.maximum(tf.matmul(left, right, transpose_b=True), SMALLEST_EXPONENT)
    return tf.exp(exponent) - SMALLEST_SIMILARITY


class TensorFlowObjective:
    """Value and gradient of one batch problem, on the device that TensorFlow prefers: a GPU if it finds one.

    Parameters
    ----------
    problem : BatchProblem
        The batch.

    Raises
    ------
    MissingTensorFlowError
        If TensorFlow cannot be imported.

    Notes
    -----
    Rows and candidates go to the device once; an evaluation moves the weights there and sums of length d + J back.
    Products are float32, sums over blocks and all that is divided or subtracted float64. Device memory is that of the
    rows and candidates, of a copy in the features in use, and a fixed amount for one block.

    Examples
    --------
    >>> from proset.engine.objective.problem import make_problem
    >>> from proset.engine.objective.penalty import ElasticNet
    >>> problem = make_problem(
    ...     np.array([[0.0], [1.0], [0.2], [0.9]]), np.array([0, 1, 0, 1]), np.ones(4), np.full((4, 2), 0.5),
    ...     candidates=np.array([0, 1]), reference=np.array([2, 3]),
    ...     penalty_v=ElasticNet(1e-3, 0.95), penalty_w=ElasticNet(1e-8, 0.95), first=True)
    >>> value, gradient = TensorFlowObjective(problem)(problem.start())
    >>> round(value, 4), gradient.shape
    (0.5247, (3,))
    """

    def __init__(self, problem: BatchProblem) -> None:
        self._tf = tf = import_tensorflow()
        self.problem = problem
        self.evaluations = 0
        self._blocks = tf.constant(class_blocks(problem, _block_elements(tf)))
        self._terms = tuple(
            tf.constant(term)
            for term in (problem.prior_true, problem.prior_total - problem.prior_true, problem.importance)
        )
        self._whole = tf.constant(problem.reference), tf.constant(problem.candidates)
        self._active = np.arange(problem.n_features)
        self._reference, self._candidates = self._whole

    def __call__(self, point: FloatArray) -> tuple[float, FloatArray]:
        """Evaluate (2.8) and its gradient (2.11), (2.12) at feature weights and prototype weights, shape (D + J,)."""
        self.evaluations += 1
        tf, problem = self._tf, self.problem
        v, w = problem.split(point)
        self._select(np.flatnonzero(v > 0.0))
        weights = (tf.constant(part.astype(np.float32)) for part in (v[self._active], w))
        with _full_single_precision(tf):
            sums = _compiled()(self._reference, *self._terms, self._candidates, *weights, self._blocks).numpy()
        value = -float(sums[0]) + problem.penalty_v.value(v) + problem.penalty_w.value(w)
        gradient_v = problem.penalty_v.gradient(v)
        gradient_v[self._active] += v[self._active] * sums[1 + problem.n_candidates :]
        gradient_w = problem.penalty_w.gradient(w) - sums[1 : 1 + problem.n_candidates]
        return value, np.concatenate([gradient_v, gradient_w])

    def settle(self, point: FloatArray) -> bool:
        """Return True: nothing is ever left out of the gradient."""
        return True

    def _select(self, active: IntArray) -> None:
        """Reduce both feature matrices to the features in use (section 5.3, measure 3)."""
        if np.array_equal(active, self._active):
            return
        self._active = active
        self._reference, self._candidates = (self._tf.gather(matrix, active, axis=1) for matrix in self._whole)


def _block_elements(tf: Any) -> int:
    """Numbers per block that suit the device."""
    return GPU_BLOCK_ELEMENTS if tf.config.list_logical_devices("GPU") else CPU_BLOCK_ELEMENTS


def class_blocks(problem: BatchProblem, max_elements: int) -> Int32Array:
    """Cut the reference rows into blocks of one class whose arrays stay below a number of elements.

    Parameters
    ----------
    problem : BatchProblem
        The batch.
    max_elements : int
        Upper bound on rows times (candidates + features); a block has at least one row.

    Returns
    -------
    ndarray of int32, shape (n_blocks, 4)
        First and last (exclusive) row, first and last (exclusive) candidate of the rows' class.

    Examples
    --------
    >>> from proset.engine.objective.problem import make_problem
    >>> from proset.engine.objective.penalty import ElasticNet
    >>> problem = make_problem(
    ...     np.zeros((7, 1)), np.array([0, 0, 0, 0, 1, 1, 1]), np.ones(7), np.full((7, 2), 0.5),
    ...     candidates=np.array([0, 4]), reference=np.array([1, 2, 3, 5, 6]),
    ...     penalty_v=ElasticNet(1e-3, 0.95), penalty_w=ElasticNet(1e-8, 0.95), first=True)
    >>> class_blocks(problem, 6).tolist()
    [[0, 2, 0, 1], [2, 3, 0, 1], [3, 5, 1, 2]]
    """
    classes = np.arange(problem.n_classes + 1)
    rows = np.searchsorted(problem.reference_target, classes).tolist()
    columns = np.searchsorted(problem.candidate_target, classes).tolist()
    width = problem.n_candidates + problem.n_features
    blocks = [
        (rows[k] + part.start, rows[k] + part.stop, columns[k], columns[k + 1])
        for k in range(problem.n_classes)
        for part in row_blocks(rows[k + 1] - rows[k], width, max_elements)
    ]
    return np.array(blocks, dtype=np.int32).reshape(-1, 4)
