"""ROC and precision-recall curves of each class against all others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.metrics import average_precision_score, precision_recall_curve, roc_auc_score, roc_curve

from proset.common.notebook import Displayed
from proset.explain.judged.judged_cases import JudgedCases, judge_known_cases
from proset.explain.plain_values import plain_fields, plain_rows
from proset.explain.subject import Cases, Explained
from proset.study.decision import MOST_PROBABLE


@dataclass(frozen=True, eq=False)
class ClassCurves(Displayed):
    """One class against all others; a case is taken for the class where its estimate reaches a threshold.

    Attributes
    ----------
    name : str
        The class.
    n_rows, n_others : int
        Cases of the class and of the others, both at least 1.
    roc : DataFrame
        ``false positive rate``, ``true positive rate`` and ``threshold`` (infinite in the first line: none is taken).
    roc_auc : float
        Area under it, in [0, 1]: the chance that a case of the class has a higher estimate than one of the others.
    precision_recall : DataFrame
        ``recall``, ``precision`` and ``threshold``, by ascending recall; the first line, where none is taken, has
        precision 1 and an infinite threshold.
    average_precision : float
        Mean precision over the steps of recall, in [0, 1]; by chance it is the share of the class.
    """

    name: str
    n_rows: int
    n_others: int
    roc: pd.DataFrame
    roc_auc: float
    precision_recall: pd.DataFrame
    average_precision: float

    @property
    def share(self) -> float:
        """Share of the class among the cases: the precision of taking all of them."""
        return self.n_rows / (self.n_rows + self.n_others)


@dataclass(frozen=True, eq=False)
class RankingCurves(Displayed):
    """The curves of all classes that can have one.

    Attributes
    ----------
    curves : tuple of ClassCurves
        One for each class that some but not all of the cases are of, in the order of the classes.
    absent : tuple of str
        The other classes.
    n_rows : int
        Cases with a known class.
    """

    curves: tuple[ClassCurves, ...]
    absent: tuple[str, ...]
    n_rows: int
    which: str
    classes: tuple[str, ...]

    def to_frame(self) -> pd.DataFrame:
        """Return one line per class with a curve: ``rows``, ``share``, ``ROC-AUC``, ``average precision``."""
        lines = [[curve.n_rows, curve.share, curve.roc_auc, curve.average_precision] for curve in self.curves]
        names = pd.Index([curve.name for curve in self.curves], dtype="str", name="class")
        return pd.DataFrame(lines, index=names, columns=["rows", "share", "ROC-AUC", "average precision"])

    def points(self) -> pd.DataFrame:
        """Return all points: ``class``, ``curve`` (roc or precision-recall), ``x``, ``y`` and ``threshold``."""
        parts = []
        for curve in self.curves:
            for kind, frame in (("roc", curve.roc), ("precision-recall", curve.precision_recall)):
                part = frame.set_axis(["x", "y", "threshold"], axis=1)
                part.insert(0, "class", curve.name)
                part.insert(1, "curve", kind)
                parts.append(part)
        return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=_POINT_COLUMNS)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain Python values."""
        said = plain_fields(self, "classes", "absent", "n_rows", "which")
        return {**said, "summary": plain_rows(self.to_frame()), "points": plain_rows(self.points())}


_POINT_COLUMNS = ["class", "curve", "x", "y", "threshold"]


def ranking_curves(explained: Explained, cases: Cases | None = None, y: ArrayLike | None = None) -> RankingCurves:
    """Return the ROC and precision-recall curve of each class against all others.

    Examples
    --------
    >>> from proset.study import fit_sample
    >>> curves = ranking_curves(fit_sample("iris_2f"))
    >>> curves.to_frame()["rows"].tolist(), round(curves.curves[0].roc_auc, 9)
    ([15, 15, 15], 1.0)
    """
    return curves_of(judge_known_cases(explained, cases, y, MOST_PROBABLE))


def curves_of(judged: JudgedCases) -> RankingCurves:
    """Return the curves of judged cases; those without a class do not count."""
    known = judged.actual >= 0
    actual, classes = judged.actual[known], judged.subject.classes
    counts = np.bincount(actual, minlength=len(classes))
    drawn = [k for k, count in enumerate(counts.tolist()) if 0 < count < len(actual)]
    return RankingCurves(
        curves=tuple(_curves(classes[k], actual == k, judged.probabilities[known, k]) for k in drawn),
        absent=tuple(name for k, name in enumerate(classes) if k not in drawn),
        n_rows=len(actual),
        which=judged.which,
        classes=classes,
    )


def _curves(name: str, own: NDArray[np.bool_], estimate: NDArray[np.float64]) -> ClassCurves:
    """Return both curves of one class."""
    false, true, threshold = roc_curve(own, estimate)
    precision, recall, cut = precision_recall_curve(own, estimate, drop_intermediate=True)
    recalled = {"recall": recall[::-1], "precision": precision[::-1], "threshold": np.append(cut, np.inf)[::-1]}
    return ClassCurves(
        name=name,
        n_rows=int(own.sum()),
        n_others=int((~own).sum()),
        roc=pd.DataFrame({"false positive rate": false, "true positive rate": true, "threshold": threshold}),
        roc_auc=float(roc_auc_score(own, estimate)),
        precision_recall=pd.DataFrame(recalled),
        average_precision=float(average_precision_score(own, estimate)),
    )
