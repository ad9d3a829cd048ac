"""The objective (2.8) and its gradient through TensorFlow: a batch in one compiled call, on a GPU if there is one.

The formulas are those of the blocks backend. Reference rows go through in blocks, so memory does not grow with their
number.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from proset.engine.kernels.similarity import row_blocks
from proset.engine.kernels.units import BOUND, KERNEL_UNIT, bounded
from proset.engine.objective.problem import BatchProblem
from proset.engine.objective.tensorflow_start import full_single_precision, import_tensorflow
from proset.engine.objective.tensorflow_sums import compiled_sums
from proset.engine.set_manager import FloatArray

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Int32Array = NDArray[np.int32]

# Numbers per block, in float32: similarities and the rows themselves. About four such arrays are alive at once: 1 GiB
# on a GPU, which few large steps keep busy, and 64 MiB on a processor, where larger blocks gain nothing.
GPU_BLOCK_ELEMENTS = 1 << 26
CPU_BLOCK_ELEMENTS = 1 << 22


class TensorFlowObjective:
    """Value and gradient of one batch problem, on the device that TensorFlow prefers: a GPU if it finds one.

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
        if (self._largest[active] * units > BOUND).any():
            reference, candidates = (bounded(part[:, active] * units) for part in self._parts())
            columns, factors = np.arange(active.shape[0]), np.ones(active.shape[0])
        w32 = w.astype(np.float32).astype(np.float64)  # as in all products, so that what cancels does
        with full_single_precision(tf):
            sums = compiled_sums()(
                reference, *self._terms, candidates, columns.astype(np.int32), factors, w32, self._blocks,
                *self._same, self._elements,
            ).numpy()  # fmt: skip
        (of_v, by_v), (of_w, by_w) = problem.penalty_v.both(v), problem.penalty_w.both(w)
        by_v[active] += sums[1 + problem.n_candidates :] / units / KERNEL_UNIT
        by_w = by_w - sums[1 : 1 + problem.n_candidates]
        return -float(sums[0]) + of_v + of_w, np.concatenate([by_v, by_w])

    def _parts(self) -> tuple[FloatArray, FloatArray]:
        """Return reference rows and candidates."""
        return self.problem.reference, self.problem.candidates


def _block_elements(tf: Any) -> int:
    """Numbers per block that suit the device."""
    return GPU_BLOCK_ELEMENTS if tf.config.list_logical_devices("GPU") else CPU_BLOCK_ELEMENTS


def class_blocks(problem: BatchProblem, max_elements: int) -> Int32Array:
    """Cut the reference rows into blocks of one class whose arrays stay below a number of elements.

    Parameters
    ----------
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
