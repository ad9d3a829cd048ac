"""The objective (2.8) and its gradient through TensorFlow: a batch in one compiled call, on a GPU if there is one.

The formulas are those of the blocks backend. The candidates of a row's own class and all others are two products, so no
term cancels: with P = G [w s, w], one row gives q_true and q_other, and 1 / q_true - 1 / q_total is taken as
q_other / (q_true q_total). The reference rows go through in blocks, so memory does not grow with their number. Rows far
from the origin, where products in float32 cancel, are taken by products in float64, or where these cancel too by differences.
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
from proset.engine.kernels.units import BOUND, FEW_FEATURES, KERNEL_UNIT, NEAR_32, NEAR_64, bounded
from proset.engine.objective.blocks_backend import LN_2, SMALLEST
from proset.engine.objective.problem import BatchProblem
from proset.engine.set_manager import FloatArray

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
    matrix, row = tf.TensorSpec([None, None], tf.float64), tf.TensorSpec([None], tf.float64)
    index, blocks = tf.TensorSpec([None], tf.int32), tf.TensorSpec([None, 4], tf.int32)
    signature = [matrix, row, row, row, matrix, index, row, row, blocks, index, index, tf.TensorSpec([], tf.int32)]
    compiled: Callable[..., Any] = tf.function(_sum_rows, input_signature=signature, autograph=False)
    return compiled


def _sum_rows(
    reference: Any, prior_true: Any, prior_other: Any, importance: Any, candidates: Any, active: Any, units: Any,
    w: Any, blocks: Any, first: Any, last: Any, elements: Any,
) -> Any:  # fmt: skip
    """Log-likelihood, sums of C (J,), sums of C w (z - s)^2 (d,), in one vector of float64."""
    tf = import_tensorflow()
    z, scaled = (tf.gather(matrix, active, axis=1) * units for matrix in (reference, candidates))
    own = tf.reduce_sum(z * z, 1)
    limit = tf.where(tf.size(active) > FEW_FEATURES, tf.constant(NEAR_32, tf.float64), tf.constant(-1.0, tf.float64))
    near, far = own <= limit, own > tf.maximum(limit, NEAR_64)
    arrays = (z, prior_true, prior_other, importance)
    sums = _sum_differences(*(tf.boolean_mask(array, far) for array in (*arrays, first, last)), scaled, w, elements)
    for chosen, kind in ((near, tf.float32), (~near & ~far, tf.float64)):
        count = tf.concat([[0], tf.cumsum(tf.cast(chosen, tf.int32))], 0)
        inside = tf.concat([tf.gather(count, blocks[:, :2]), blocks[:, 2:]], 1)
        inside = tf.boolean_mask(inside, inside[:, 0] < inside[:, 1])
        sums += _sum_products(*(tf.boolean_mask(array, chosen) for array in arrays), scaled, w, inside, kind)
    return sums


def _sum_products(
    z: Any, prior_true: Any, prior_other: Any, importance: Any, scaled: Any, w: Any, blocks: Any, kind: Any
) -> Any:  # fmt: skip
    """Sum over rows block by block of one class, by products of one precision."""
    tf = import_tensorflow()
    lengths = tf.reduce_sum(scaled * scaled, 1, keepdims=True)
    ones = tf.ones_like(lengths)
    # Two more columns turn the product into the whole exponent: 2 z.s - |s|^2 - |z|^2.
    right = tf.cast(tf.cast(LN_2, tf.float64) * tf.concat([2.0 * scaled, -lengths, -ones], 1), kind)
    weighted = tf.cast(w[:, None] * tf.concat([scaled, ones], 1), kind)
    own = tf.reduce_sum(z * z, 1, keepdims=True)
    left = tf.cast(tf.concat([z, tf.ones_like(own), own], 1), kind)

    def more(i: Any, *_: Any) -> Any:
        return i < tf.shape(blocks)[0]

    def step(i: Any, log_likelihood: Any, columns: Any, moment: Any) -> Any:
        start, stop, first, last = tf.unstack(blocks[i])
        rows = slice(start, stop)
        same = [array[first:last] for array in (right, weighted)]
        other = [tf.concat([array[:first], array[last:]], 0) for array in (right, weighted)]
        likelihood, of_same, of_other, block_moment = _sum_block(
            left[rows], prior_true[rows], prior_other[rows], importance[rows], same, other
        )
        columns += tf.concat([of_other[:first], of_same, of_other[first:]], 0)
        return i + 1, log_likelihood + likelihood, columns, moment + block_moment

    begin = (tf.constant(0), tf.zeros([], tf.float64), tf.zeros_like(w), tf.zeros([tf.shape(scaled)[1]], tf.float64))
    # One block at a time, or memory would hold many.
    _, log_likelihood, columns, moment = tf.while_loop(more, step, begin, parallel_iterations=1)
    # The term of (z - s)^2 in s alone needs only the finished column sums.
    moment += tf.linalg.matvec(scaled * scaled, columns * w, transpose_a=True)
    return tf.concat([log_likelihood[None], columns, moment], 0)


def _sum_block(left: Any, prior_true: Any, prior_other: Any, importance: Any, same: Any, other: Any) -> Any:
    """One block of rows of one class: log-likelihood, sums of C over its rows for same and other, moment."""
    tf = import_tensorflow()
    kind = left.dtype
    exponents = (tf.cast(tf.matmul(left, side[0], transpose_b=True), tf.float32) for side in (same, other))
    similar_same, similar_other = (tf.cast(_similarities(exponent), kind) for exponent in exponents)
    p_same, p_other = tf.matmul(similar_same, same[1]), tf.matmul(similar_other, other[1])
    q_true = prior_true + tf.cast(p_same[:, -1], tf.float64)
    q_other = prior_other + tf.cast(p_other[:, -1], tf.float64)
    share = importance / (q_true + q_other)
    factor_same, factor_other = tf.cast(share * q_other / q_true, kind), tf.cast(-share, kind)
    mixed = factor_same[:, None] * p_same + factor_other[:, None] * p_other
    z = left[:, :-2]
    return (
        -tf.reduce_sum(importance * tf.math.log1p(q_other / q_true)),
        tf.cast(tf.linalg.matvec(similar_same, factor_same, transpose_a=True), tf.float64),
        tf.cast(tf.linalg.matvec(similar_other, factor_other, transpose_a=True), tf.float64),
        tf.reduce_sum(tf.cast(z * (mixed[:, -1:] * z - 2.0 * mixed[:, :-1]), tf.float64), 0),
    )


def _sum_differences(
    z: Any, prior_true: Any, prior_other: Any, importance: Any, first: Any, last: Any, scaled: Any, w: Any,
    elements: Any,
) -> Any:  # fmt: skip
    """Sum over rows far from the origin, of any classes, in float64."""
    tf = import_tensorflow()
    position = tf.range(tf.shape(scaled)[0])
    step_rows = tf.maximum(1, elements // (tf.maximum(1, tf.size(scaled)) * 2))

    def more(start: Any, *_: Any) -> Any:
        return start < tf.shape(z)[0]

    def step(start: Any, log_likelihood: Any, columns: Any, moment: Any) -> Any:
        rows = slice(start, start + step_rows)
        squares = tf.math.squared_difference(z[rows][:, None, :], scaled)
        similar = _similarities(tf.cast(-LN_2, tf.float64) * tf.reduce_sum(squares, 2))
        same = (position >= first[rows][:, None]) & (position < last[rows][:, None])
        impact = similar * w
        q_true = prior_true[rows] + tf.reduce_sum(tf.where(same, impact, 0.0), 1)
        q_other = prior_other[rows] + tf.reduce_sum(tf.where(same, tf.zeros_like(impact), impact), 1)
        share = importance[rows] / (q_true + q_other)
        factor = tf.where(same, (share * q_other / q_true)[:, None], -share[:, None])
        moment += tf.einsum("nj,njd->d", factor * impact, squares)
        log_likelihood -= tf.reduce_sum(importance[rows] * tf.math.log1p(q_other / q_true))
        return start + step_rows, log_likelihood, columns + tf.reduce_sum(factor * similar, 0), moment

    begin = (tf.constant(0), tf.zeros([], tf.float64), tf.zeros_like(w), tf.zeros([tf.shape(scaled)[1]], tf.float64))
    _, log_likelihood, columns, moment = tf.while_loop(more, step, begin, parallel_iterations=1)
    return tf.concat([log_likelihood[None], columns, moment], 0)


def _similarities(exponent: Any) -> Any:
    """Kernel (2.3) from its whole exponent, exactly zero where the blocks backend cuts it, or a little before.

    Less than the cut is taken away and what is left below zero dropped: were the least similarity a rounding error
    instead of zero, distances beyond measure would come through.
    """
    tf = import_tensorflow()
    return tf.nn.relu(tf.exp(exponent) - tf.cast(SMALLEST * (1.0 + 2.0**-20), exponent.dtype))


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
    rows and candidates, of copies in the features in use, and a fixed amount for one block.

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
        self._elements = _block_elements(tf)
        self._blocks = tf.constant(class_blocks(problem, self._elements))
        self._terms = tuple(
            tf.constant(term)
            for term in (problem.prior_true, problem.prior_total - problem.prior_true, problem.importance)
        )
        self._matrices = tf.constant(problem.reference), tf.constant(problem.candidates)
        self._same = tuple(tf.constant(limit, tf.int32) for limit in problem.same_class().T)
        self._largest = np.max([np.abs(part).max(axis=0, initial=0.0) for part in self._parts()], axis=0)

    def __call__(self, point: FloatArray) -> tuple[float, FloatArray]:
        """Evaluate (2.8) and its gradient (2.11), (2.12) at feature weights and prototype weights, shape (D + J,)."""
        tf, problem = self._tf, self.problem
        v, w = problem.split(point)
        active = np.flatnonzero(v > 0.0)  # section 5.3, measure 3
        units = KERNEL_UNIT * v[active]
        reference, candidates, columns, factors = *self._matrices, active, units
        with np.errstate(over="ignore"):  # what is not finite is the solver's to see
            if (self._largest[active] * units > BOUND).any():
                reference, candidates = (bounded(part[:, active] * units) for part in self._parts())
                columns, factors = np.arange(active.shape[0]), np.ones(active.shape[0])
            w32 = w.astype(np.float32).astype(np.float64)  # as in all products, so that what cancels does
        with _full_single_precision(tf):
            sums = _compiled()(
                reference, *self._terms, candidates, columns.astype(np.int32), factors, w32, self._blocks,
                *self._same, self._elements,
            ).numpy()  # fmt: skip
        value = -float(sums[0]) + problem.penalty_v.value(v) + problem.penalty_w.value(w)
        gradient_v = problem.penalty_v.gradient(v)
        gradient_v[active] += sums[1 + problem.n_candidates :] / units / KERNEL_UNIT
        gradient_w = problem.penalty_w.gradient(w) - sums[1 : 1 + problem.n_candidates]
        return value, np.concatenate([gradient_v, gradient_w])

    def _parts(self) -> tuple[FloatArray, FloatArray]:
        """Reference rows and candidates on this side."""
        return self.problem.reference, self.problem.candidates


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
