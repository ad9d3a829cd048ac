"""Base of a surface: a study, a model, or any classifier, with names, cases and a point, checked once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from proset.common.errors import ProsetError
from proset.common.words import count_words, listed
from proset.companions.protocol import Offer, PrototypeModel
from proset.explain.maps.batch_parts import all_prototypes
from proset.explain.maps.cuts import Cut, FeatureCut, MapCut
from proset.explain.maps.feature_axes import FeatureAxis, FeatureScale, feature_scale, find_feature
from proset.explain.maps.known_cases import MappedCases
from proset.explain.maps.map import batch_map
from proset.explain.subject import Subject, point_of
from proset.study import Study

if TYPE_CHECKING:
    from proset.engine.set_manager import SetManager

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
# How many times the width of all but the outermost hundredths a value may lie outside of them and still be on the axis.
_FARTHEST = 1.0
_ONE_ROW = "A point is one row of {width} finite numbers."


@dataclass(frozen=True, eq=False)
class Names:
    """Names for a classifier that is no proset model."""

    features: tuple[str, ...]
    groups: tuple[IntArray, ...]
    study: Study | None = None


@dataclass(frozen=True, eq=False)
class SurfaceGround:
    """Classifier of a surface, with the names and cases that belong to it.

    Attributes
    ----------
    explained : object
        What was given.
    named : Subject or Names
        Names of the features.
    manager : SetManager or None
        Scores a proset model; None for another classifier.
    estimator : object or None
        That other classifier.
    order : int64 array of shape (K,)
        Where its classes stand among `classes`.
    weights : float64 array of shape (D,)
        What differences of matrix columns count for in distances: the largest weight that any batch gives them, so
        that a case is near only if it is near for all of them; one over the standard deviation for another classifier.
    ranked : tuple of int
        Features by descending weight.
    data : float array of shape (n, D)
        Rows that axes have to hold.
    cases : MappedCases
        Rows to draw.
    reference : float64 array
        Familiarity of held-out cases, ascending.
    name : str
        What is scored.
    """

    explained: Any
    named: Subject | Names
    classes: tuple[str, ...]
    manager: SetManager | None
    estimator: Any
    order: IntArray
    weights: FloatArray
    ranked: tuple[int, ...]
    data: NDArray[np.floating]
    cases: MappedCases
    reference: FloatArray
    name: str

    def point(self, fixed: Any) -> FloatArray:
        """Return the row of the matrix at which everything else is fixed; the middle of the data for None."""
        if fixed is None:
            return self._middle()
        if isinstance(self.named, Subject):
            return point_of(self.explained, fixed)
        row: FloatArray = np.asarray(getattr(fixed, "x", fixed), dtype=np.float64).reshape(-1)
        if len(row) != len(self.weights) or not np.isfinite(row).all():
            raise ProsetError(
                f"The point has {count_words(len(row), 'number')}.", hint=_ONE_ROW.format(width=len(self.weights))
            )
        return row

    def _middle(self) -> FloatArray:
        """Return medians, and the most frequent level of each category."""
        rows = self.data if self.named.study is None else self.named.study.encode(self.named.study.split.train).X
        middle = np.median(rows, axis=0).astype(np.float64) if len(rows) else np.zeros(len(self.weights))
        for i, group in enumerate(self.named.groups):
            scale = feature_scale(self.named, i) if len(group) else None
            if scale is not None and (len(group) > 1 or scale.axis.kind != "number"):
                middle[group] = scale.middle(rows)
        return middle

    def cut(self, x: str | int | None, y: str | int | None, *, batch: int | None, point: FloatArray) -> Cut:
        """Return the plane over two features, or over the map of a batch."""
        if batch is not None:
            return self._map_cut(batch, point)
        asked = [None if name is None else find_feature(self.named, name) for name in (x, y)]
        free = iter(i for i in self.ranked if i not in asked)
        chosen = [next(free, None) if i is None else i for i in asked]
        if None in chosen:
            raise ProsetError(
                "A surface needs two features.", hint=f"The model has {listed(self.named.features)} only."
            )
        if chosen[0] == chosen[1]:
            name = self.named.features[int(chosen[0] or 0)]
            raise ProsetError("Both axes hold the same feature.", column=name, hint="Choose two different ones.")
        first, second = (self.scale(int(i)) for i in chosen if i is not None)
        return FeatureCut(point, first, second)

    def _map_cut(self, batch: int, point: FloatArray) -> Cut:
        """Return the plane of a batch's map."""
        if not isinstance(self.named, Subject):
            raise ProsetError("Only a proset model has a map.", hint="Choose two features instead.")
        mapping = batch_map(self.explained, batch, cases=None if self.named.study is None else [])
        if mapping.plane is None:
            raise ProsetError(mapping.message or "There is no map.", hint="Choose two features instead.")
        axes = mapping.axes or (FeatureAxis("Axis 1"), FeatureAxis("Axis 2"))
        return MapCut(point, mapping.plane, axes)

    def scale(self, i: int) -> FeatureScale:
        """Return a feature as an axis."""
        return feature_scale(self.named, i)

    def grid(self, cut: Cut, *, size: int, margin: float, ranges: Any) -> tuple[FloatArray, FloatArray]:
        """Return positions along both axes."""
        if size < 2 or not np.isfinite(margin) or margin < 0.0:
            raise ProsetError(f"size is {size} and margin is {margin}.", hint="Take at least 2 and at least 0.")
        placed = cut.place(np.concatenate([self.data, cut.point[np.newaxis]]))
        positions = []
        for k, axis in enumerate(cut.axes):
            if axis.kind == "level":
                positions.append(np.arange(len(axis.levels), dtype=np.float64))
                continue
            low, high = _ends(placed[:, k]) if ranges is None else ranges[k]
            if not (np.isfinite(low) and np.isfinite(high) and low <= high):
                raise ProsetError(f"The axis goes from {low} to {high}.", hint="Give finite ends, the lower one first.")
            room = margin * (high - low) if ranges is None and high > low else 0.5 if high == low else 0.0
            positions.append(np.linspace(low - room, high + room, size))
        return positions[0], positions[1]

    def evaluate(self, cut: Cut, x: FloatArray, y: FloatArray) -> FloatArray:
        """Return numbers in proportion to the probabilities at all pairs, shape (H, W, K)."""
        if self.manager is not None:
            return cut.evaluate(self.manager, x, y)
        result = np.zeros((len(x) * len(y), len(self.classes)))
        result[:, self.order] = self.estimator.predict_proba(cut.rows(x, y))
        return result.reshape(len(y), len(x), -1)

    def familiarity(self, cut: Cut, x: FloatArray, y: FloatArray, found: FloatArray) -> FloatArray | None:
        """Return familiarity at all pairs, shape (H, W), from what :meth:`evaluate` found; None where there is none."""
        if self.manager is not None:
            return np.maximum(found.sum(axis=2) - 1.0, 0.0)
        if not knows_familiarity(self.estimator):
            return None
        raw: FloatArray = np.asarray(self.estimator.familiarity(cut.rows(x, y)).raw, dtype=np.float64)
        return raw.reshape(len(y), len(x))

    def samples(self, cut: Cut) -> pd.DataFrame:
        """Return the cases to draw with how near they are to the plane."""
        frame = self._placed(cut, np.asarray(self.cases.X, dtype=np.float64))
        return frame.set_axis(self.cases.facts.index, axis=0).join(self.cases.facts)

    def prototypes(self, cut: Cut) -> pd.DataFrame:
        """Return the prototypes with how near they are to the plane; none for another classifier."""
        if self.manager is None or not isinstance(self.named, Subject):
            return pd.DataFrame({name: [] for name in ("batch", "row", "class", "weight", "x", "y", "similarity")})
        frame, X = all_prototypes(self.named)
        used = np.zeros((max(1, self.manager.num_batches), len(self.weights)), dtype=bool)
        for k, batch in enumerate(self.manager.batches):
            if batch is not None:
                used[k, batch.active_features] = True
        # For how near it is, what the batch does not use is nowhere in particular: it counts as being on the plane.
        placed = self._placed(cut, np.where(used[frame["batch"].to_numpy() - 1], X, cut.point).astype(np.float64))
        if self.named.study is not None:  # but a row of a table has a value in every column
            placed[["x", "y"]] = cut.place(X)
        return frame.join(placed)

    def _placed(self, cut: Cut, X: FloatArray) -> pd.DataFrame:
        """Return where rows lie on the plane and how near to it."""
        spots = cut.place(X)
        similarity = np.exp(-0.5 * np.square(cut.apart(X, self.weights)))
        return pd.DataFrame({"x": spots[:, 0], "y": spots[:, 1], "similarity": similarity})

    def fixed_words(self, cut: Cut) -> pd.Series:
        """Return what the features that matter are fixed at, as text."""
        varying = {axis.name for axis in cut.axes}
        if isinstance(cut, MapCut):
            varying = {
                self.named.features[i] for i, g in enumerate(self.named.groups) if np.isin(g, cut.plane.columns).any()
            }
        names = [i for i in self.ranked if self.weights[self.named.groups[i]].any()]
        scales = {self.named.features[i]: self.scale(i) for i in names if self.named.features[i] not in varying}
        texts = {
            name: scale.axis.text(float(scale.positions(cut.point[np.newaxis])[0])) for name, scale in scales.items()
        }
        return pd.Series(texts, dtype="str", name="value").rename_axis("feature")


def knows_familiarity(estimator: Any) -> bool:
    """Tell whether a classifier is a system of a comparison that has a notion of familiarity."""
    return isinstance(estimator, PrototypeModel) and estimator.offers(Offer.FAMILIARITY)


def _ends(positions: FloatArray) -> tuple[float, float]:
    """Return the ends of what an axis has to hold: all but single values far outside, and the last one in any case."""
    low, high = np.percentile(positions, [1.0, 99.0])
    span = _FARTHEST * (high - low)
    within = positions if span <= 0 else positions[(positions >= low - span) & (positions <= high + span)]
    kept = np.append(within, positions[-1])
    return float(kept.min()), float(kept.max())
