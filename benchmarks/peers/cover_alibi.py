"""ProtoSelect of alibi."""

# mypy: ignore-errors
# Runs in an environment of its own.

from __future__ import annotations

import sys
from unittest.mock import MagicMock

import numpy as np
from scipy.spatial.distance import cdist

for name in ("spacy", "spacy.util", "spacy.cli", "spacy.language", "spacy.tokens"):
    sys.modules[name] = MagicMock()  # alibi imports it for explanations of texts

from alibi.prototypes import ProtoSelect  # noqa: E402

PACKAGES = ("alibi", "numpy", "scipy")


class Cover:
    """A cover of classes with balls: open balls and a cost of 1 / n, as ours."""

    def __init__(self, X: np.ndarray, y: np.ndarray, eps: float) -> None:
        closed = np.nextafter(eps, 0.0)  # it takes d <= eps, where the paper has d < eps
        self.model = ProtoSelect(kernel_distance=cdist, eps=closed, lambda_penalty=1.0 / len(X))
        self.data = X, y

    def prepare(self) -> None:
        """Take the data; what it works out here is its choice."""
        self.model.fit(X=self.data[0], y=self.data[1])

    def choose(self) -> list[tuple[int, int]]:
        """Return prototypes with their classes."""
        if not hasattr(self.model, "X"):
            self.prepare()
        found = self.model.summarise(num_prototypes=len(self.data[0])).data
        pairs = zip(found["prototype_indices"].tolist(), found["prototype_labels"].tolist(), strict=True)
        return [(int(index), int(label)) for index, label in pairs]
