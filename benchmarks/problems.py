"""The report's test problems with its hyperparameters and results (tables 2.3 and 2.12)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn import datasets

from proset.data.generators import create_checkerboard, create_continuous_xor

Data = tuple[NDArray[np.float64], NDArray[np.int64]]


@dataclass(frozen=True)
class Problem:
    """One column of table 2.3 or 2.12.

    Attributes
    ----------
    name : str
        Name of the data set in the report.
    load : callable
        Maps a seed to features and classes; real data ignore the seed.
    n_iter, lambda_v, lambda_w : int, float, float
        Selected hyperparameters; everything else is the default.
    published : float
        Log-loss of the report's final model on its test data.
    threshold : float
        The report's stage-2 threshold.
    published_features, published_prototypes : int
        Size of the report's final model.
    package : tuple of float or None
        Mean and standard deviation that the published package reached over five seeds, where that was measured.
    """

    name: str
    load: Callable[[int], Data]
    n_iter: int
    lambda_v: float
    lambda_w: float
    published: float
    threshold: float
    published_features: int
    published_prototypes: int
    package: tuple[float, float] | None = None

    @property
    def bar(self) -> float:
        """Largest mean log-loss that passes: the larger of threshold and package, plus half the package's deviation."""
        mean, sd = self.package or (0.0, 0.0)
        return max(self.threshold, mean) + 0.5 * sd


def _iris_2f(_: int) -> Data:
    X, y = datasets.load_iris(return_X_y=True)
    return X[:, :2], y


def _bundled(name: str) -> Callable[[int], Data]:
    def load(_: int) -> Data:
        return getattr(datasets, f"load_{name}")(return_X_y=True)

    return load


def _xor(n_features: int, n_irrelevant: int, n_samples: int) -> Callable[[int], Data]:
    def load(seed: int) -> Data:
        return create_continuous_xor(n_features, n_irrelevant, n_samples=n_samples, random_state=seed)

    return load


def _checker(rotation: float) -> Callable[[int], Data]:
    def load(seed: int) -> Data:
        return create_checkerboard(6_400, rotation=rotation, random_state=seed)

    return load


PROBLEMS = (
    Problem("iris_2f", _iris_2f, 3, 1.1e-2, 1.0e-5, 0.43, 0.57, 2, 49, (0.470, 0.076)),
    Problem("wine", _bundled("wine"), 2, 1.1e-2, 1.8e-5, 0.14, 0.17, 7, 52, (0.128, 0.017)),
    Problem("cancer", _bundled("breast_cancer"), 1, 1.1e-2, 1.8e-5, 0.13, 0.14, 4, 56, (0.128, 0.019)),
    Problem("digits", _bundled("digits"), 2, 9.5e-4, 5.6e-9, 0.15, 0.17, 30, 861),
    Problem("checker", _checker(0.0), 1, 2.9e-4, 6.9e-8, 0.18, 0.20, 2, 328),
    Problem("xor_6f", _xor(6, 0, 6_400), 1, 5.5e-3, 8.3e-8, 0.52, 0.53, 6, 413, (0.528, 0.005)),
    Problem("checker_rot", _checker(45.0), 1, 2.9e-4, 6.9e-8, 0.18, 0.20, 2, 320),
    Problem("xor_3f", _xor(3, 0, 800), 1, 4.2e-3, 1.5e-6, 0.17, 0.23, 3, 89, (0.222, 0.022)),
    Problem("xor_4f", _xor(4, 0, 1_600), 1, 1.0e-2, 4.6e-7, 0.28, 0.33, 4, 124, (0.308, 0.023)),
    Problem("xor_5f", _xor(5, 0, 3_200), 2, 5.5e-3, 8.3e-8, 0.39, 0.40, 5, 572, (0.415, 0.014)),
    Problem("xor_6+6f", _xor(6, 6, 6_400), 1, 1.9e-3, 2.7e-6, 0.56, 0.57, 6, 425, (0.553, 0.004)),
)
