"""The sums of the objective (2.8) and its gradient as TensorFlow's graph, for any sizes.

The candidates of a row's own class and all others are two products, so no term cancels: with P = G [w s, w], one row
gives q_true and q_other, and 1 / q_true - 1 / q_total is taken as q_other / (q_true q_total). Rows far from the origin,
where products in float32 cancel, are taken by products in float64, or where these cancel too by differences.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from proset.engine.kernels.units import FEW_FEATURES, NEAR_32, NEAR_64
from proset.engine.objective.blocks_backend import LN_2, SMALLEST
from proset.engine.objective.tensorflow_start import import_tensorflow


@cache
def compiled_sums() -> Callable[..., Any]:
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
    sums = _sum_differences([tf.boolean_mask(array, far) for array in (*arrays, first, last)], scaled, w, elements)
    for chosen, kind in ((near, tf.float32), (~near & ~far, tf.float64)):
        count = tf.concat([[0], tf.cumsum(tf.cast(chosen, tf.int32))], 0)
        inside = tf.concat([tf.gather(count, blocks[:, :2]), blocks[:, 2:]], 1)
        inside = tf.boolean_mask(inside, inside[:, 0] < inside[:, 1])
        sums += _sum_products([tf.boolean_mask(array, chosen) for array in arrays], scaled, w, inside, kind)
    return sums


def _sum_products(arrays: list[Any], scaled: Any, w: Any, blocks: Any, kind: Any) -> Any:
    """Sum over rows block by block of one class, by products of one precision."""
    tf = import_tensorflow()
    z, *terms = arrays
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
            left[rows], [term[rows] for term in terms], same, other
        )
        columns += tf.concat([of_other[:first], of_same, of_other[first:]], 0)
        return i + 1, log_likelihood + likelihood, columns, moment + block_moment

    begin = (tf.constant(0), tf.zeros([], tf.float64), tf.zeros_like(w), tf.zeros([tf.shape(scaled)[1]], tf.float64))
    # One block at a time, or memory would hold many.
    _, log_likelihood, columns, moment = tf.while_loop(more, step, begin, parallel_iterations=1)
    # The term of (z - s)^2 in s alone needs only the finished column sums.
    moment += tf.linalg.matvec(scaled * scaled, columns * w, transpose_a=True)
    return tf.concat([log_likelihood[None], columns, moment], 0)


def _sum_block(left: Any, terms: list[Any], same: list[Any], other: list[Any]) -> Any:
    """One block of rows of one class: log-likelihood, sums of C over its rows for same and other, moment."""
    tf = import_tensorflow()
    kind, (prior_true, prior_other, importance) = left.dtype, terms
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


def _sum_differences(arrays: list[Any], scaled: Any, w: Any, elements: Any) -> Any:
    """Sum over rows so far from the origin that float64 would cancel, of any classes."""
    tf = import_tensorflow()
    z, prior_true, prior_other, importance, first, last = arrays
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
