"""Tables of numbers that single precision does not forgive, and what an objective may be off by on them."""

from collections.abc import Callable, Iterator

import numpy as np

from proset.engine.kernels.units import FEW_FEATURES
from proset.engine.objective.penalty import ElasticNet
from proset.engine.objective.problem import BatchProblem, make_problem

Rng = np.random.Generator
N = 90
TOLERANCE = 1e-5  # of what is compared
ROUNDING = 1e-6  # of the absolute values of what is summed up: float32, and what cancels


def normal(rng: Rng, d: int = 3) -> np.ndarray:
    """Data of unit scale."""
    return rng.standard_normal((N, d))


def some(rng: Rng, share: float, d: int = 3) -> np.ndarray:
    """Cells drawn at random."""
    return rng.random((N, d)) < share


def repeated(rng: Rng, d: int = 3, copies: int = 6) -> np.ndarray:
    """A few rows, each several times."""
    return np.repeat(2.0 * rng.standard_normal((N // copies, d)), copies, axis=0)


TABLES: dict[str, Callable[[Rng], np.ndarray]] = {
    "scaled": normal,
    "many features": lambda rng: normal(rng, 40),
    "prices": lambda rng: rng.integers(200, 2_000, (N, 1)) * 100.0,
    "a few rows near 1e3": lambda rng: normal(rng, 2) + 1e3 * (np.arange(N) % 20 == 0)[:, None],
    "two clusters 1e6 apart": lambda rng: normal(rng, 2) + 1e6 * (np.arange(N) % 2)[:, None],
    "sentinel -9999": lambda rng: np.where(some(rng, 0.1), -9_999.0, normal(rng)),
    "mostly sentinel": lambda rng: np.where(some(rng, 0.8), -9_999.0, normal(rng)),
    "no-data value of maps": lambda rng: np.where(some(rng, 0.1), -3.4028234663852886e38, normal(rng)),
    "offset 1e8": lambda rng: normal(rng) + 1e8,
    "offset -1e8, many features": lambda rng: normal(rng, 12) - 1e8,
    "columns of any scale": lambda rng: normal(rng, 6) * 10.0 ** np.arange(-6.0, 12.0, 3.0),
    "cauchy": lambda rng: rng.standard_cauchy((N, 3)),
    "cauchy, cubed": lambda rng: rng.standard_cauchy((N, 3)) ** 3,
    "log-normal": lambda rng: np.exp(8.0 * normal(rng)),
    "repeated rows": repeated,
    "repeated rows, many features": lambda rng: repeated(rng, 15),
    "repeated rows of any scale": lambda rng: repeated(rng) * 1e5 + 3e7,
    "near duplicates": lambda rng: repeated(rng) + 1e-7 * normal(rng),
    "near duplicates far out": lambda rng: repeated(rng) * 1e4 + 1e-2 * normal(rng),
    "near duplicates, many features": lambda rng: repeated(rng, 10) + 1e-6 * normal(rng, 10),
    "two points": lambda rng: np.where(np.arange(N)[:, None] % 2, 1.4, -1.4) * np.ones((N, 2)),
    "one point": lambda rng: np.full((N, 2), 123.456),
    "a constant column": lambda rng: np.where(np.arange(3) == 1, 5.0, normal(rng)),
    "zeros and ones": lambda rng: some(rng, 0.5, 8).astype(float),
    "counts": lambda rng: rng.poisson(3.0, (N, 4)).astype(float),
    "timestamps in ns": lambda rng: 1.7e18 + 8.64e13 * rng.integers(0, 400, (N, 1)),
    "huge": lambda rng: normal(rng, 2) * 1e30,
    "huge and repeated": lambda rng: repeated(rng, 2) * 1e30,
    "as huge as it gets": lambda rng: repeated(rng, 2) * 2e307,
    "tiny": lambda rng: normal(rng, 2) * 1e-30,
    "subnormal": lambda rng: normal(rng, 2) * 1e-310,
}


def make_table(name: str, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Draw a table and labels that have nothing to do with it, so that nearly everything cancels."""
    rng = np.random.default_rng(seed)
    return TABLES[name](rng), rng.permutation(np.arange(N) % 3)


def problem_on(name: str, seed: int = 0) -> BatchProblem:
    """Arrange a table as the second batch of a fit would see it."""
    X, target = make_table(name, seed)
    rng = np.random.default_rng(seed + 1)
    chosen = rng.permutation(N)
    return make_problem(
        X, target, rng.uniform(0.2, 3.0, N), rng.uniform(0.1, 2.0, (N, 3)),
        candidates=np.sort(chosen[: N // 3]), reference=np.sort(chosen[N // 3 :]),
        penalty_v=ElasticNet(1e-3, 0.95), penalty_w=ElasticNet(1e-8, 0.95), first=False,
    )  # fmt: skip


def points(problem: BatchProblem) -> Iterator[np.ndarray]:
    """Points to compare at: the start, any, and one where the kernel is as wide as the data."""
    rng = np.random.default_rng(5)
    yield problem.start()
    w = rng.uniform(0.0, 3.0, problem.n_candidates) * (rng.random(problem.n_candidates) < 0.7)
    yield np.concatenate([rng.uniform(0.1, 2.0, problem.n_features), w])
    size = np.median(np.abs(problem.reference), axis=0)
    yield np.concatenate([1.0 / np.where((size > 1e-100) & (size < 1e100), size, 1.0), w])


def allowed(problem: BatchProblem, point: np.ndarray, gradient: np.ndarray) -> np.ndarray:
    """How far each component of a gradient may be from the exact one: (2.11), (2.12) with absolute values."""
    v, w = problem.split(point)
    with np.errstate(over="ignore", invalid="ignore"):
        squares = np.square((problem.reference[:, None, :] - problem.candidates) * v)
        similar = np.exp(-0.5 * squares.sum(axis=2))
        squares = np.where(similar[:, :, None] > 0.0, squares, 0.0)
    same = problem.reference_target[:, None] == problem.candidate_target
    q_true = problem.prior_true + (similar * same) @ w
    q_total = problem.prior_total + similar @ w
    size = (
        problem.importance[:, None]
        * similar
        * np.where(same, 1 / q_true[:, None] - 1 / q_total[:, None], 1 / q_total[:, None])
    )
    # In many features a squared distance, in widths of the kernel, is known to a few millionths, however small it is.
    floor = 0.0 if (v > 0.0).sum() <= FEW_FEATURES else 5.0
    with np.errstate(divide="ignore"):
        of_v = np.einsum("nj,njd->d", size * w, squares + floor) * np.where(v > 0.0, 1.0 / v, 0.0)
    largest = np.concatenate([np.full(part.shape[0], np.abs(part).max()) for part in problem.split(gradient)])
    return TOLERANCE * (np.abs(gradient) + largest) + ROUNDING * np.concatenate([of_v, size.sum(axis=0)])
